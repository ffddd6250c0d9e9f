use zeroize::Zeroizing;

use super::findings::Findings;
use crate::Unreadable;

/// A file's text: its own bytes where they are UTF-8, a copy that is wiped when dropped where not.
pub(super) enum Text<'a> {
    Own(&'a str),
    Copied(Zeroizing<String>),
}

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Copied(text) => text,
        }
    }
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

/// Text from bytes (FILE-10).
pub(super) fn decode<'a>(bytes: &'a [u8], findings: &mut Findings) -> Result<Text<'a>, Unreadable> {
    if let Some(encoding) = foreign_encoding(bytes) {
        return Err(Unreadable::Encoding(encoding));
    }
    let bytes = without_mark(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Text::Own(text)),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            findings.not_utf8(line_of(valid));
            // As long as it can get: growing would leave a copy behind that nobody wipes.
            let mut text = Zeroizing::new(String::with_capacity(bytes.len().saturating_mul(2)));
            text.extend(bytes.iter().map(|byte| char::from(*byte)));
            Ok(Text::Copied(text))
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
