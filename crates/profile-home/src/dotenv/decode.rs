use std::ops::Range;

use zeroize::{Zeroize, Zeroizing};

use super::findings::Findings;
use crate::Unreadable;

/// A file's text, wiped when it is dropped.
pub(super) struct Text {
    whole: String,
    /// Where it begins: behind a byte order mark.
    start: usize,
}

impl Text {
    pub(super) fn as_str(&self) -> &str {
        self.whole.get(self.start..).unwrap_or_default()
    }

    /// A part of it by its place.
    pub(super) fn part(&self, place: &Range<usize>) -> &str {
        self.as_str().get(place.clone()).unwrap_or_default()
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        // All at once, which wiping a `String` is not; behind its end no byte of a file was ever kept.
        self.whole.as_mut_str().zeroize();
    }
}

/// The place of a part of a text.
pub(super) fn place_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr());
    let place = start.map(|start| start..start.saturating_add(part.len()));
    // What is no part of it can only be empty, and has no place.
    place.filter(|place| place.end <= text.len()).unwrap_or_default()
}

/// The encodings that a byte order mark gives away. UTF-32 first: its mark begins like that of UTF-16.
const FOREIGN: [(&[u8], &str); 4] = [
    (b"\xFF\xFE\0\0", "UTF-32 (little endian)"),
    (b"\0\0\xFE\xFF", "UTF-32 (big endian)"),
    (b"\xFF\xFE", "UTF-16 (little endian)"),
    (b"\xFE\xFF", "UTF-16 (big endian)"),
];

/// The encoding that is not UTF-8 and says so in its first bytes.
pub(crate) fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    FOREIGN.iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, encoding)| *encoding)
}

/// Bytes without one leading UTF-8 byte order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Text from bytes (FILE-10). The buffer is taken over where it is UTF-8.
pub(super) fn decode(mut bytes: Zeroizing<Vec<u8>>, findings: &mut Findings) -> Result<Text, Unreadable> {
    if let Some(encoding) = foreign_encoding(&bytes) {
        return Err(Unreadable::Encoding(encoding));
    }
    let start = bytes.len() - without_mark(&bytes).len();
    match String::from_utf8(std::mem::take(&mut *bytes)) {
        Ok(whole) => Ok(Text { whole, start }),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let bytes = Zeroizing::new(error.into_bytes());
            findings.not_utf8(line_of(bytes.get(start..valid).unwrap_or_default()));
            let bytes = without_mark(&bytes);
            // As long as it can get: growing would leave a copy behind that nobody wipes.
            let mut whole = String::with_capacity(bytes.len().saturating_mul(2));
            whole.extend(bytes.iter().map(|byte| char::from(*byte)));
            Ok(Text { whole, start: 0 })
        }
    }
}

/// The line that the byte after these is on, counted from 1.
fn line_of(before: &[u8]) -> u32 {
    let ends = before.iter().zip(before.iter().skip(1).map(Some).chain([None]));
    let count = ends.filter(|(byte, next)| match byte {
        b'\n' => true,
        b'\r' => *next != Some(&b'\n'),
        _ => false,
    });
    u32::try_from(count.count()).unwrap_or(u32::MAX).saturating_add(1)
}
