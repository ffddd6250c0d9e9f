#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretSlice};
use sha2::{Digest, Sha256};

use crate::Name;

/// A value that must not be seen (SEC-31).
///
/// `Debug` says `Secret([redacted])`. There is no `Display`, `Deref`, `AsRef`, `PartialEq`, `Ord`, `Hash`
/// or `Serialize`, so formatting, comparing or storing one by accident does not compile. The bytes are
/// wiped when the last clone is dropped; clones share one buffer.
///
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// let secret = Secret::from("canary-1");
/// let header = format!("Bearer {secret}"); // no `Display`
/// ```
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// Secret::from("canary-1") == Secret::from("canary-1"); // no `PartialEq`: use `matches`
/// ```
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// let text: &str = &Secret::from("canary-1"); // no `Deref`
/// ```
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// fn wants<T: AsRef<[u8]>>(_: T) {}
/// wants(Secret::from("canary-1")); // no `AsRef`
/// ```
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// fn wants<T: Ord>(_: T) {}
/// wants(Secret::from("canary-1")); // no `Ord`
/// ```
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// fn wants<T: std::hash::Hash>(_: T) {}
/// wants(Secret::from("canary-1")); // no `Hash`
/// ```
/// ```compile_fail
/// # use watertight_vocabulary::Secret;
/// fn wants<T: serde::Serialize>(_: T) {}
/// wants(Secret::from("canary-1")); // no `Serialize`
/// ```
#[derive(Clone)]
pub struct Secret(Arc<Inner>);

struct Inner {
    bytes: SecretSlice<u8>,
    /// Kept only where the value is not text, so that [`Secret::expose`] can name it (SEC-15).
    name: Option<Box<Name>>,
}

impl Secret {
    /// A secret from the bytes of a value. The buffer is taken over, not copied, where it is full.
    pub fn from_bytes(name: &Name, bytes: Vec<u8>) -> Self {
        let name = std::str::from_utf8(&bytes).is_err().then(|| Box::new(name.clone()));
        Self(Arc::new(Inner { bytes: SecretSlice::from(bytes), name }))
    }

    /// A secret from a variable of an environment, byte for byte (SNAP-05).
    pub fn from_os(name: &Name, value: OsString) -> Self {
        Self::from_bytes(name, value.into_encoded_bytes())
    }

    /// The value as text.
    ///
    /// # Errors
    ///
    /// [`NotUnicode`] names the variable, and no byte of it, when the value is not Unicode (SEC-15).
    pub fn expose(&self) -> Result<&str, NotUnicode> {
        let bytes = self.expose_bytes();
        std::str::from_utf8(bytes).map_err(|_| NotUnicode {
            name: self.0.name.as_deref().cloned().unwrap_or_else(|| Name::from("?")),
            length: bytes.len(),
        })
    }

    /// The value's bytes. On Windows they are the platform's encoding of what is not Unicode.
    pub fn expose_bytes(&self) -> &[u8] {
        self.0.bytes.expose_secret()
    }

    /// The value as the operating system takes it, byte for byte: for a child's environment (SNAP-05).
    pub fn expose_os(&self) -> OsString {
        os_string_from_encoded(self.expose_bytes())
    }

    /// Whether the value is empty.
    pub fn is_empty(&self) -> bool {
        self.expose_bytes().is_empty()
    }

    /// Whether the value equals a candidate. Digests are compared, so the time taken tells nothing.
    pub fn matches(&self, candidate: impl AsRef<[u8]>) -> bool {
        let (own, other) = (Sha256::digest(self.expose_bytes()), Sha256::digest(candidate.as_ref()));
        own.iter().zip(other.iter()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }
}

/// The inverse of `OsStr::as_encoded_bytes`, without `unsafe`.
#[cfg(unix)]
fn os_string_from_encoded(bytes: &[u8]) -> OsString {
    let text: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    text.to_os_string()
}

/// The inverse of `OsStr::as_encoded_bytes` on Windows, where that is WTF-8: UTF-8 in which lone
/// surrogates stand as three bytes.
#[cfg(not(unix))]
fn os_string_from_encoded(bytes: &[u8]) -> OsString {
    let mut text = OsString::new();
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push(valid);
                return text;
            }
            Err(error) => {
                let (valid, tail) = rest.split_at(error.valid_up_to());
                text.push(String::from_utf8_lossy(valid).as_ref());
                let (surrogate, tail) = tail.split_at(tail.len().min(3));
                text.push(surrogate_text(surrogate));
                rest = tail;
            }
        }
    }
}

/// One lone surrogate from its three bytes.
#[cfg(windows)]
fn surrogate_text(bytes: &[u8]) -> OsString {
    use std::os::windows::ffi::OsStringExt;
    match bytes {
        [_, high, low] => {
            OsString::from_wide(&[0xD000 | (u16::from(*high & 0x3F) << 6) | u16::from(*low & 0x3F)])
        }
        _ => OsString::from("\u{FFFD}"),
    }
}

/// Neither Unix nor Windows: no such text can have come from an environment.
#[cfg(not(any(unix, windows)))]
fn surrogate_text(_bytes: &[u8]) -> OsString {
    OsString::from("\u{FFFD}")
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Arc::new(Inner { bytes: SecretSlice::from(text.into_bytes()), name: None }))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([redacted])")
    }
}

/// A value was asked for as text and is not Unicode (SEC-15, SNAP-05). It names the variable and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is not valid Unicode ({length} bytes); read its bytes instead")]
pub struct NotUnicode {
    name: Name,
    length: usize,
}

impl NotUnicode {
    /// For a variable and the length of its value in bytes.
    pub fn new(name: Name, length: usize) -> Self {
        Self { name, length }
    }

    /// The variable.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The suite's code.
    pub fn code(&self) -> &'static str {
        "not-unicode"
    }
}
