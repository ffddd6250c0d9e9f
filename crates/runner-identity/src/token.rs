use std::ffi::OsString;
use std::fmt;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use watertight_env_snapshot::ChildBindingToken;
use watertight_vocabulary::{Secret, trim_ascii_space};
use zeroize::Zeroizing;

use crate::RunnerId;
use crate::names::{TOKEN_BOUND_ID_PREFIX, TOKEN_SALT};

/// The secret that a tunnel is bound to (RUN-10, RUN-11).
///
/// # Fail-closed behaviour
///
/// `Debug` is redacted, there is no `Display` and no comparison but [`BindingToken::matches`]; the bytes are
/// wiped when the last clone is dropped. ASCII white space around it is dropped, and what is left is visible
/// ASCII, so a pasted newline neither changes the id nor breaks a header.
///
/// ```
/// use watertight_runner_identity::{BindingToken, token_bound_id};
///
/// let token = BindingToken::parse(" tok-one\n")?;
/// assert_eq!(token_bound_id(&token).as_str(), "runner_token_7ffc3a9bedf0a56a45eaa57bfcf33ac6");
/// assert_eq!(format!("{token:?}"), "BindingToken([redacted])");
/// # Ok::<(), watertight_runner_identity::TokenError>(())
/// ```
#[derive(Clone)]
pub struct BindingToken(Secret);

/// A text is no binding token. Nothing of it is repeated (RUN-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Nothing but white space.
    #[error("the tunnel binding token is blank")]
    Blank,
    /// White space inside, a control character, or anything beyond ASCII.
    #[error("the tunnel binding token holds something else than visible ASCII")]
    Invalid,
}

impl TokenError {
    /// The suite's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Invalid => "invalid-token",
        }
    }
}

impl BindingToken {
    /// A token from text.
    ///
    /// # Errors
    ///
    /// [`TokenError::Blank`], or [`TokenError::Invalid`] where something else than visible ASCII is left
    /// once ASCII white space around it is dropped.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, TokenError> {
        let token = trim_ascii_space(text.as_ref());
        if token.is_empty() {
            return Err(TokenError::Blank);
        }
        if !token.iter().all(u8::is_ascii_graphic) {
            return Err(TokenError::Invalid);
        }
        let text = std::str::from_utf8(token).map_err(|_| TokenError::Invalid)?;
        Ok(Self(Secret::from(text)))
    }

    /// A token from a variable's value, which is wiped.
    pub(crate) fn from_variable(value: OsString) -> Result<Self, TokenError> {
        Self::parse(Zeroizing::new(value.into_encoded_bytes()).as_slice())
    }

    /// The token as a secret, for a child's environment or a header.
    pub fn secret(&self) -> &Secret {
        &self.0
    }

    /// Whether it equals a candidate; the time taken tells nothing.
    pub fn matches(&self, candidate: &Self) -> bool {
        self.0.matches(candidate.0.expose_bytes())
    }
}

/// A child that is a runner is given this type and no loose text (RUN-34).
impl ChildBindingToken for BindingToken {
    fn token_secret(&self) -> Secret {
        self.0.clone()
    }
}

impl fmt::Debug for BindingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BindingToken([redacted])")
    }
}

/// The id that a token authorizes: the same token gives the same id (RUN-10).
pub fn token_bound_id(token: &BindingToken) -> RunnerId {
    let mut hash = Sha256::new();
    hash.update(TOKEN_SALT);
    hash.update(token.0.expose_bytes());
    RunnerId::from_digest(TOKEN_BOUND_ID_PREFIX, &hash.finalize())
}

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
