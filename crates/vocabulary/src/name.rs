use std::borrow::Borrow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// The name of a variable, kept as the system gave it.
///
/// Cheap to clone. `Display` and `Debug` escape what is not printable, so a name can stand in a message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<OsStr>);

impl Name {
    /// A name.
    pub fn new(name: impl AsRef<OsStr>) -> Self {
        Self(Arc::from(name.as_ref()))
    }

    /// Whether a variable can have this name: it is not empty and holds neither `=` nor NUL.
    ///
    /// Asking for any other name finds nothing, in every class.
    #[inline]
    pub fn is_possible(name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        match bytes.last_chunk() {
            // The last eight may have been looked at already.
            Some(last) => {
                let (words, _) = bytes.as_chunks();
                !words.iter().fold(holds_another(*last), |found, word| found | holds_another(*word))
            }
            None => !bytes.is_empty() && !bytes.iter().any(|byte| matches!(byte, b'=' | 0)),
        }
    }

    /// The name as the system spells it.
    #[inline]
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    /// The name as text, where it is text.
    pub fn as_str(&self) -> Option<&str> {
        self.0.to_str()
    }
}

/// Whether `=` or NUL is among eight bytes: the lowest byte that is zero borrows from its highest bit.
#[inline]
fn holds_another(bytes: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = ONES << 7;
    let zero_in = |word: u64| word.wrapping_sub(ONES) & !word & HIGHEST;
    let word = u64::from_ne_bytes(bytes);
    zero_in(word) | zero_in(word ^ (ONES * u64::from(b'='))) != 0
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<&OsStr> for Name {
    fn from(name: &OsStr) -> Self {
        Self::new(name)
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

impl From<OsString> for Name {
    fn from(name: OsString) -> Self {
        Self::new(name)
    }
}

impl AsRef<OsStr> for Name {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

impl Borrow<OsStr> for Name {
    fn borrow(&self) -> &OsStr {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.to_string_lossy().escape_debug())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::Name;

    #[test]
    fn a_name_of_any_length_is_impossible_with_an_equals_sign_or_a_nul_at_any_place() {
        for length in 0..40_usize {
            for filler in [b'A', 1, b'<', b'>', 0x7F] {
                let plain = vec![filler; length];
                let name = |bytes: &[u8]| Name::is_possible(OsStr::new(std::str::from_utf8(bytes).unwrap()));
                assert_eq!(name(&plain), length > 0, "{filler} x {length}");
                for (at, byte) in (0..length).flat_map(|at| [(at, b'='), (at, 0)]) {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    assert!(!name(&bytes), "{byte} at {at} of {length}");
                }
            }
        }
        assert!(Name::is_possible(OsStr::new("NÄME_Ω_MIT_ÜMLAUT")), "and any other byte may stand there");
    }
}
