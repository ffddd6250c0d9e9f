/// One line without its end, trimmed (FILE-12), and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Counted from 1.
    pub(super) number: u32,
    /// Where the trimmed text begins in the file.
    pub(super) start: usize,
}

/// The lines of a text. They end at LF, CRLF and CR, and at nothing else (FILE-11).
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, at: 0, number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.bytes().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, ending) = rest.split_at(end);
        let ending = match ending.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        let leading = line.len() - line.trim_start().len();
        let start = self.at + leading;
        self.at += end + ending;
        self.number = self.number.saturating_add(1);
        Some(Line { text: line.trim(), number: self.number, start })
    }
}
