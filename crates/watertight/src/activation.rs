use std::fmt;

use serde::Serialize;

/// What [`Host::activate_eagerly`](crate::Host::activate_eagerly) did, and why (HOST-14).
///
/// Both ways in which something could not be told end in an activated host: it cannot be proven that there
/// is one profile only (HOST-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "HOST-14 names these four")]
pub enum Activation {
    /// The host was active before; nothing was done (HOST-11).
    AlreadyActive,
    /// There is one tenant; nothing at all was done (HOST-10).
    SingleProfile,
    /// There are several tenants; the environment is frozen and belongs to the launch profile alone.
    Activated {
        /// The tenants, by name where they have one and by path where they have none.
        tenants: Vec<String>,
    },
    /// The tenants could not be counted, so the host was activated.
    CountingFailed {
        /// The suite's code of the error.
        code: &'static str,
        /// Why they could not be counted.
        cause: String,
    },
}

impl Activation {
    /// Whether this call is what activated the host.
    pub fn activated_now(&self) -> bool {
        matches!(self, Self::Activated { .. } | Self::CountingFailed { .. })
    }

    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyActive => "already-active",
            Self::SingleProfile => "single-profile",
            Self::Activated { .. } => "activated",
            Self::CountingFailed { .. } => "counting-failed",
        }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyActive => f.write_str("already active"),
            Self::SingleProfile => f.write_str("one profile: the process environment stays that profile's"),
            Self::Activated { tenants } => {
                write!(f, "activated: {} tenants ({})", tenants.len(), tenants.join(", "))
            }
            Self::CountingFailed { cause, .. } => {
                write!(f, "activated, since the tenants could not be counted: {cause}")
            }
        }
    }
}
