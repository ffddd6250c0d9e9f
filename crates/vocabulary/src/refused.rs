use std::ffi::OsStr;
use std::fmt;

use crate::{Name, Refusal};

/// The answer to a read that must not be answered. It is neither a value nor absence, and no function of
/// this workspace turns it into either (SEC-12).
///
/// It names the variable, says in one sentence what to do, and never holds a value (SEC-13).
#[derive(Clone, PartialEq, Eq)]
pub struct Refused {
    name: Option<Name>,
    reason: RefusedReason,
}

/// Why a read was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedReason {
    /// Many profiles are hosted, or a foreign home is bound, and no scope is (SEC-06, SEC-08, TERM-23).
    Unscoped,
    /// A refusal is bound, or a source failed that may hold the name (SEC-09, SEC-24, TERM-21).
    Unavailable(Refusal),
    /// A terminal setting was asked for as a secret (SEC-10).
    NotASecret,
    /// No host was set up in this process (SEC-11).
    NoHost,
    /// The name belongs to the runner's control plane (SEC-16).
    ControlPlane,
    /// The scope was closed (SEC-17, CTX-09).
    Closed,
    /// The innermost frame belongs to another host of this process (SEC-17, HOST-32).
    OtherHost,
}

impl Refused {
    /// A read of a variable was refused.
    pub fn new(name: &OsStr, reason: RefusedReason) -> Self {
        Self { name: Some(Name::new(name)), reason }
    }

    /// Something that reads no single variable was refused.
    pub const fn nameless(reason: RefusedReason) -> Self {
        Self { name: None, reason }
    }

    /// The variable.
    pub fn name(&self) -> Option<&Name> {
        self.name.as_ref()
    }

    /// Why.
    pub fn reason(&self) -> &RefusedReason {
        &self.reason
    }

    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self.reason {
            RefusedReason::Unscoped => "unscoped",
            RefusedReason::Unavailable(_) => "unavailable",
            RefusedReason::NotASecret => "not-a-secret",
            RefusedReason::NoHost => "no-host",
            RefusedReason::ControlPlane => "control-plane",
            RefusedReason::Closed => "closed",
            RefusedReason::OtherHost => "other-host",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "reading {name} was refused: ")?,
            None => f.write_str("refused: ")?,
        }
        match &self.reason {
            RefusedReason::Unscoped => f.write_str(
                "no profile scope was bound; enter one with `scope.run(..)` or `future.in_scope(&scope)`",
            ),
            RefusedReason::Unavailable(refusal) => {
                write!(f, "the profile's policy is unavailable: {refusal}")
            }
            RefusedReason::NotASecret => {
                f.write_str("it is a terminal setting and no secret; ask the terminal policy")
            }
            RefusedReason::NoHost => {
                f.write_str("no host was set up in this process; build one or install a default")
            }
            RefusedReason::ControlPlane => {
                f.write_str("it belongs to the runner's control plane; only the runner's wiring reads it")
            }
            RefusedReason::Closed => {
                f.write_str("the profile's scope was closed; ask the host for a new one")
            }
            RefusedReason::OtherHost => {
                f.write_str("the scope that is bound belongs to another host of this process")
            }
        }
    }
}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refused({}: {self})", self.code())
    }
}

impl std::error::Error for Refused {}
