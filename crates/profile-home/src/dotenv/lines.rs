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
    feed: Next,
    carriage: Next,
}

/// Where the next of one character stands, at or behind a place; each byte is looked at once.
#[derive(Debug, Clone, Copy)]
struct Next {
    character: char,
    at: usize,
}

impl Next {
    fn of(text: &str, character: char) -> Self {
        let mut next = Self { character, at: 0 };
        next.find(text, 0);
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
        Self { text, at: 0, number: 0, feed: Next::of(text, '\n'), carriage: Next::of(text, '\r') }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.at >= self.text.len() {
            return None;
        }
        let (feed, carriage) = (self.feed.from(self.text, self.at), self.carriage.from(self.text, self.at));
        let end = feed.min(carriage);
        let untrimmed = self.text.get(self.at..end)?;
        let text = untrimmed.trim_start();
        let start = end - text.len();
        // Behind the last line there may be no end: then this is one too far, and nothing is there.
        self.at = if carriage + 1 == feed { feed + 1 } else { end + 1 };
        self.number = self.number.saturating_add(1);
        Some(Line { text: text.trim_end(), number: self.number, start })
    }
}
