use std::borrow::Borrow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// The name of a variable, kept as the system gave it.
///
/// Cheap to clone. `Display`, `Debug` and `Serialize` escape what is not printable, so a name can stand in a
/// message, and show nothing of what stands behind a `=`: it is a value that was put into the wrong place. A
/// `=` that a name begins with belongs to it (SNAP-05).
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

    /// The name without its `=` and what stands behind it: as much of it as a report may keep.
    #[must_use]
    pub fn without_value(&self) -> Self {
        let shown = self.shown();
        if shown.len() == self.0.len() {
            return self.clone();
        }
        Self::new(String::from_utf8_lossy(shown).as_ref())
    }

    fn shown(&self) -> &[u8] {
        let bytes = self.0.as_encoded_bytes();
        let sign = bytes.iter().skip(1).position(|byte| *byte == b'=');
        sign.and_then(|sign| bytes.get(..=sign)).unwrap_or(bytes)
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
        let shown = self.shown();
        write!(f, "{}", String::from_utf8_lossy(shown).escape_debug())?;
        if shown.len() < self.0.len() { f.write_str("=\u{2026}") } else { Ok(()) }
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
    fn a_name_is_shown_up_to_an_equals_sign() {
        for (name, shown) in [
            ("KEY", "KEY"),
            ("KEY=canary-1", "KEY"),
            ("KEY==canary-1", "KEY"),
            ("K=canary-1=2", "K"),
            ("=C:", "=C:"),
            ("=C:=canary-1", "=C:"),
            ("==canary-1", "="),
            ("=", "="),
            ("", ""),
            ("\n\u{E9}=canary-1", "\\n\u{E9}"),
        ] {
            let message =
                if name.contains("canary") { format!("{shown}=\u{2026}") } else { shown.to_owned() };
            let name = Name::from(name);
            assert_eq!((name.to_string(), format!("{name:?}")), (message.clone(), message));
            assert_eq!(name.without_value().to_string(), shown);
            assert!(!name.without_value().as_str().unwrap().contains("canary"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_text_is_shown_up_to_an_equals_sign() {
        use std::os::unix::ffi::OsStrExt;

        let name = Name::new(OsStr::from_bytes(b"K\xFF=canary-1"));
        assert_eq!(name.to_string(), "K\u{FFFD}=\u{2026}");
        assert_eq!(name.without_value().as_str(), Some("K\u{FFFD}"));
    }

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
