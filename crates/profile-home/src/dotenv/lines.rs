use memchr::memchr2;

/// One line without its end, trimmed (FILE-12), and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Counted from 1.
    pub(super) number: u32,
    /// Where the trimmed text begins in the file.
    pub(super) start: usize,
}

/// The lines of a text. They end at LF, CRLF and CR, and at nothing else (FILE-11).
#[derive(Clone)]
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: u32,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, at: 0, number: 0 }
    }

    /// Where the line ends, and where the next begins; behind the last line this may be one too far, and
    /// nothing is there.
    fn end(&self) -> (usize, usize) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let is_both = matches!(rest.get(end..), Some([b'\r', b'\n', ..]));
        (self.at + end, self.at + end + if is_both { 2 } else { 1 })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.at >= self.text.len() {
            return None;
        }
        let (end, next) = self.end();
        let untrimmed = self.text.get(self.at..end)?;
        let text = trim_start(untrimmed);
        let start = end - text.len();
        self.at = next;
        self.number = self.number.saturating_add(1);
        Some(Line { text: trim_end(text), number: self.number, start })
    }
}

/// As [`str::trim_start`], for text that mostly begins with a printable sign.
pub(super) fn trim_start(text: &str) -> &str {
    if let [b'!'..=b'~', ..] = text.as_bytes() { text } else { text.trim_start() }
}

/// As [`str::trim_end`], for text that mostly ends with a printable sign.
pub(super) fn trim_end(text: &str) -> &str {
    if let [.., b'!'..=b'~'] = text.as_bytes() { text } else { text.trim_end() }
}
