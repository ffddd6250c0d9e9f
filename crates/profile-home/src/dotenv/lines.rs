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
    /// For a line whose end is far: where the next LF and the next CR stand.
    far: Option<(Next, Next)>,
}

/// Most lines end before this many bytes; looking at these one by one is faster than starting a search.
const NEAR: usize = 96;

/// Where the next of one character stands, at or behind a place; each byte is looked at once.
#[derive(Debug, Clone, Copy)]
struct Next {
    character: char,
    at: usize,
}

impl Next {
    fn of(text: &str, character: char, place: usize) -> Self {
        let mut next = Self { character, at: place };
        next.find(text, place);
        next
    }

    fn from(&mut self, text: &str, place: usize) -> usize {
        if self.at < place {
            self.find(text, place);
        }
        self.at
    }

    /// The end of the text stands for nowhere.
    fn find(&mut self, text: &str, place: usize) {
        let found = text.get(place..).and_then(|rest| rest.find(self.character));
        self.at = found.map_or(text.len(), |found| place + found);
    }
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, at: 0, number: 0, far: None }
    }

    /// Where the line ends, and where the next begins; behind the last line this may be one too far, and
    /// nothing is there.
    fn end(&mut self) -> (usize, usize) {
        let (text, at) = (self.text, self.at);
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        if let Some(near) = rest.iter().take(NEAR).position(|byte| matches!(byte, b'\n' | b'\r')) {
            let both = matches!(rest.get(near..), Some([b'\r', b'\n', ..]));
            return (at + near, at + near + if both { 2 } else { 1 });
        }
        let far = || (Next::of(text, '\n', at), Next::of(text, '\r', at));
        let (feed, carriage) = self.far.get_or_insert_with(far);
        let (feed, carriage) = (feed.from(text, at), carriage.from(text, at));
        let end = feed.min(carriage);
        (end, if carriage + 1 == feed { feed + 1 } else { end + 1 })
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
        let text = untrimmed.trim_start();
        let start = end - text.len();
        self.at = next;
        self.number = self.number.saturating_add(1);
        Some(Line { text: text.trim_end(), number: self.number, start })
    }
}
