use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use uuid::Uuid;
use watertight_env_snapshot::ChildRunnerId;

use crate::names::MADE_ID_PREFIX;
use watertight_vocabulary::trim_ascii_space;

/// The longest id, in characters (RUN-07).
const LONGEST: usize = 127 + 1;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Who a runner is (RUN-07). Not a secret.
///
/// # Fail-closed behaviour
///
/// An id travels in headers and in paths, so there is no way to hold one outside the grammar
/// `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}` or with `..` in it.
///
/// ```
/// use watertight_runner_identity::RunnerId;
///
/// assert_eq!("build-7".parse::<RunnerId>()?.as_str(), "build-7");
/// assert!("../../x".parse::<RunnerId>().is_err());
/// # Ok::<(), watertight_runner_identity::InvalidRunnerId>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunnerId(Arc<str>);

/// Why a text is no runner id. It repeats nothing of the text: that may come from a file that is a link to
/// something private (RUN-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRunnerId {
    /// Nothing but white space.
    #[error("is blank")]
    Blank,
    /// More than 128 characters.
    #[error("is longer than 128 characters")]
    TooLong,
    /// It does not begin with an ASCII letter or digit.
    #[error("does not begin with an ASCII letter or digit")]
    Start,
    /// Something else than ASCII letters, digits, `.`, `_`, `:` and `-`.
    #[error("holds something else than ASCII letters, digits, `.`, `_`, `:` and `-`")]
    Character,
    /// Two dots in a row.
    #[error("holds `..`")]
    DotDot,
}

impl InvalidRunnerId {
    /// The suite's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::TooLong | Self::Start | Self::Character | Self::DotDot => "invalid-id",
        }
    }
}

impl RunnerId {
    /// A new one: `runner_` and the 32 lower-case hex digits of a random UUID (RUN-03).
    pub(crate) fn random() -> Self {
        Self(format!("{MADE_ID_PREFIX}{}", Uuid::new_v4().simple()).into())
    }

    /// A prefix and the first 32 hex digits of a digest (RUN-10).
    pub(crate) fn from_digest(prefix: &str, digest: &[u8]) -> Self {
        Self(digest.iter().take(16).fold(prefix.to_owned(), |id, byte| format!("{id}{byte:02x}")).into())
    }

    /// From what a variable or a file holds: one leading byte order mark and ASCII white space around the
    /// id are tolerated (RUN-07).
    pub(crate) fn from_outside(bytes: &[u8]) -> Result<Self, InvalidRunnerId> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        Self::check(trim_ascii_space(bytes)).map(|text| Self(text.into()))
    }

    fn check(bytes: &[u8]) -> Result<&str, InvalidRunnerId> {
        let Some(first) = bytes.first() else { return Err(InvalidRunnerId::Blank) };
        if bytes.len() > LONGEST {
            return Err(InvalidRunnerId::TooLong);
        }
        if !first.is_ascii_alphanumeric() {
            return Err(InvalidRunnerId::Start);
        }
        if !bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(byte)) {
            return Err(InvalidRunnerId::Character);
        }
        if bytes.windows(2).any(|pair| pair == b"..") {
            return Err(InvalidRunnerId::DotDot);
        }
        std::str::from_utf8(bytes).map_err(|_| InvalidRunnerId::Character)
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunnerId {
    type Err = InvalidRunnerId;

    /// Exactly the id: nothing around it is tolerated.
    fn from_str(text: &str) -> Result<Self, InvalidRunnerId> {
        Self::check(text.as_bytes()).map(|text| Self(text.into()))
    }
}

impl AsRef<str> for RunnerId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A child that is a runner is given this type and no loose text (RUN-34).
impl ChildRunnerId for RunnerId {
    fn id_text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RunnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunnerId({})", self.0)
    }
}
