use std::borrow::Cow;

use memchr::memchr;

use super::lines::trim_start;

/// What stands behind the `=` of one line, as far as that line goes.
#[derive(Clone, Copy)]
pub(super) enum Written<'a> {
    /// Bare text, without its comment (FILE-15).
    Bare(&'a str),
    /// In quotes that close as they should (FILE-16).
    Quoted(Quoted<'a>),
    /// A quote that closes, with something else behind it (FILE-17).
    Mistaken { inside: Option<Quoted<'a>>, whole: &'a str },
    /// A quote that is open at the end of the line (FILE-18).
    Open { quote: Quote, whole: &'a str },
}

/// The text between two quotes.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'a> {
    pub(super) quote: Quote,
    pub(super) inside: &'a str,
}

/// The two quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// `"`, in which `\"` and `\\` are undone.
    Double,
    /// `'`, in which nothing is.
    Single,
}

impl Quote {
    fn opening(text: &str) -> Option<(Self, &str)> {
        match text.as_bytes().first() {
            Some(b'"') => Some((Self::Double, text.get(1..)?)),
            Some(b'\'') => Some((Self::Single, text.get(1..)?)),
            _ => None,
        }
    }

    /// Where the closing quote stands in the text behind the opening one, and what stands behind it.
    pub(super) fn close(self, text: &str) -> Option<(&str, &str)> {
        let end = match self {
            Self::Single => memchr(b'\'', text.as_bytes())?,
            Self::Double => {
                let first = memchr(b'"', text.as_bytes())?;
                let mut at = memchr(b'\\', text.as_bytes().get(..first)?).unwrap_or(first);
                loop {
                    let found = at + text.get(at..)?.find(['"', '\\'])?;
                    match text.as_bytes().get(found..)? {
                        [b'"', ..] => break found,
                        [b'\\', b'"' | b'\\', ..] => at = found + 2,
                        _ => at = found + 1,
                    }
                }
            }
        };
        Some((text.get(..end)?, text.get(end + 1..)?))
    }
}

/// Which signs stand in a text, found in one pass: most texts hold none, and are looked at no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    pub(super) const NONE: Self = Self(0);
    const BACKSLASH: u8 = 1;
    const DOLLAR: u8 = 2;
    /// Anything but printable ASCII and LF.
    const ODD: u8 = 4;

    pub(super) fn of(text: &str) -> Self {
        // Without a branch, so that many bytes are looked at in one step.
        let mark = |is_there: bool, mark: u8| if is_there { mark } else { 0 };
        Self(text.bytes().fold(0, |marks, byte| {
            marks
                | mark(byte == b'\\', Self::BACKSLASH)
                | mark(byte == b'$', Self::DOLLAR)
                | (mark(byte.wrapping_sub(0x20) >= 0x5F, Self::ODD) & mark(byte != b'\n', Self::ODD))
        }))
    }

    pub(super) fn hold_a_dollar(self) -> bool {
        self.0 & Self::DOLLAR != 0
    }

    pub(super) fn hold_something_odd(self) -> bool {
        self.0 & Self::ODD != 0
    }
}

/// Reads the trimmed text behind the `=`.
pub(super) fn read(text: &str) -> Written<'_> {
    let Some((quote, behind)) = Quote::opening(text) else { return Written::Bare(without_comment(text)) };
    match quote.close(behind) {
        None => Written::Open { quote, whole: text },
        Some((inside, rest)) if ends_value(rest) => Written::Quoted(Quoted { quote, inside }),
        Some(_) => {
            let mark = if quote == Quote::Double { '"' } else { '\'' };
            let inside = behind.strip_suffix(mark).map(|inside| Quoted { quote, inside });
            Written::Mistaken { inside, whole: text }
        }
    }
}

/// Whether nothing but white space or a comment stands behind a closing quote.
pub(super) fn ends_value(rest: &str) -> bool {
    matches!(trim_start(rest).as_bytes(), [] | [b'#', ..])
}

/// Bare text up to the first `#` behind white space, trimmed (FILE-15).
pub(super) fn without_comment(text: &str) -> &str {
    let mut at = 0;
    while let Some(found) = text.as_bytes().get(at..).and_then(|rest| memchr(b'#', rest)) {
        let (before, _) = text.split_at(at + found);
        if before.ends_with(char::is_whitespace) {
            return before.trim_end();
        }
        at += found + 1;
    }
    text
}

impl<'a> Quoted<'a> {
    /// The value: escapes undone where the quote has any, line ends as LF. The buffer is filled to the
    /// brim, so that turning it into a secret copies nothing. It holds no other marks than these.
    pub(super) fn value(self, marks: Marks) -> Cow<'a, str> {
        if marks.0 & (Marks::BACKSLASH | Marks::ODD) == 0 {
            return Cow::Borrowed(self.inside);
        }
        let mut value = String::with_capacity(self.pieces().map(str::len).sum());
        value.extend(self.pieces());
        Cow::Owned(value)
    }

    /// Whether a backslash stays in it, in quotes that undo some (FILE-16). It holds no other marks than these.
    pub(super) fn keeps_an_escape(self, marks: Marks) -> bool {
        if marks.0 & Marks::BACKSLASH == 0 || self.quote == Quote::Single {
            return false;
        }
        let mut rest = self.inside.as_bytes();
        while let Some(at) = memchr(b'\\', rest) {
            match rest.get(at + 1) {
                Some(b'"' | b'\\') => rest = rest.get(at + 2..).unwrap_or_default(),
                _ => return true,
            }
        }
        false
    }

    fn pieces(self) -> Pieces<'a> {
        Pieces { rest: self.inside, escapes: self.quote == Quote::Double }
    }
}

/// A quoted text cut where something is undone.
struct Pieces<'a> {
    rest: &'a str,
    escapes: bool,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (piece, rest) = match self.rest.as_bytes() {
            [] => return None,
            [b'\r', b'\n', ..] => ("\n", self.rest.get(2..)),
            [b'\r', ..] => ("\n", self.rest.get(1..)),
            [b'\\', b'"' | b'\\', ..] if self.escapes => (self.rest.get(1..2)?, self.rest.get(2..)),
            bytes => {
                let special = |at: &usize| match bytes.get(*at..) {
                    Some([b'\r', ..]) => true,
                    Some([b'\\', b'"' | b'\\', ..]) => self.escapes,
                    _ => false,
                };
                let end = (1..bytes.len()).find(special).unwrap_or(bytes.len());
                (self.rest.get(..end)?, self.rest.get(end..))
            }
        };
        self.rest = rest.unwrap_or_default();
        Some(piece)
    }
}
