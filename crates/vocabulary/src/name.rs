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
        // Without a way out half way the loop is done many bytes at a time.
        let holds_another = bytes.iter().fold(false, |found, byte| found | matches!(byte, b'=' | 0));
        !bytes.is_empty() && !holds_another
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
