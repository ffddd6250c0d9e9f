use std::fmt;
use std::sync::Arc;

use watertight_vocabulary::{Name, Origin, Refusal, Refused, RefusedReason};

use crate::ValueType;

/// What is wrong with one key. It concerns this key alone; others are unaffected (TERM-09).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The value is of another type. Its text can be read; its typed read is this error.
    WrongType {
        /// What the schema says of the key.
        expected: ValueType,
    },
    /// A number stands where text is expected, and its spelling is lost: `1.10` was read as 1.1. Every read
    /// of the key is this error.
    SpellingLost,
    /// The value cannot be written as text: not a finite number, a name in a mapping that is no plain
    /// scalar, nesting beyond any JSON reader. Every read of the key is this error.
    NotRenderable,
    /// The backend is not one that the schema knows. An empty one is none of them.
    UnknownBackend {
        /// The names that are known.
        known: Arc<str>,
    },
    /// No layer sets the key and the schema has no default for it.
    Unset,
    /// The working directory would be the user's home, and the launch environment has none (TERM-06).
    NoUserHome,
    /// The schema has no such key: a mistake of the caller.
    NotMapped,
    /// The schema gives the key another type than the one it was read as: a mistake of the caller.
    ReadAsAnother {
        /// What the caller asked for.
        asked: ValueType,
        /// What the schema says of the key.
        declared: ValueType,
    },
}

impl Fault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong-type",
            Self::SpellingLost => "spelling-lost",
            Self::NotRenderable => "not-renderable",
            Self::UnknownBackend { .. } => "unknown-backend",
            Self::Unset => "unset",
            Self::NoUserHome => "no-user-home",
            Self::NotMapped => "not-mapped",
            Self::ReadAsAnother { .. } => "read-as-another-type",
        }
    }
}

/// What is wrong with a value that a layer set, as an entry keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    WrongType,
    SpellingLost,
    NotRenderable,
}

impl Flaw {
    /// The fault of a key of this type.
    pub(crate) fn under(self, expected: ValueType) -> Fault {
        match self {
            Self::WrongType => Fault::WrongType { expected },
            Self::SpellingLost => Fault::SpellingLost,
            Self::NotRenderable => Fault::NotRenderable,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongType { expected } => write!(f, "the value is not {expected}"),
            Self::SpellingLost => f.write_str(
                "a number stands where text is expected, and its spelling is lost; put it in quotes",
            ),
            Self::NotRenderable => f.write_str(
                "the value cannot be written as text; use finite numbers, plain names and shallow nesting",
            ),
            Self::UnknownBackend { known } => {
                write!(f, "the value names no known backend; use one of {known}")
            }
            Self::Unset => f.write_str("nothing sets it and it has no default"),
            Self::NoUserHome => f.write_str(
                "nothing sets it and the launch environment has no user home to take its place; set it",
            ),
            Self::NotMapped => f.write_str("the schema has no such key"),
            Self::ReadAsAnother { asked, declared } => {
                write!(f, "it was read as {asked}, and the schema says that it is {declared}")
            }
        }
    }
}

/// A setting could not be read. It names the key, its variable and where its value comes from, and never the
/// value (TERM-09, TERM-11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    key: Arc<str>,
    variable: Option<Name>,
    origin: Option<Origin>,
    fault: Fault,
}

impl SettingError {
    pub(crate) fn new(key: Arc<str>, variable: Option<Name>, origin: Option<Origin>, fault: Fault) -> Self {
        Self(Box::new(Inner { key, variable, origin, fault }))
    }

    /// The key.
    pub fn key(&self) -> &str {
        &self.0.key
    }

    /// The key's variable, where the schema has the key.
    pub fn variable(&self) -> Option<&Name> {
        self.0.variable.as_ref()
    }

    /// Where the value comes from, where there is one.
    pub fn origin(&self) -> Option<&Origin> {
        self.0.origin.as_ref()
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.0.fault.code()
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "terminal setting `{}`", self.0.key.escape_debug())?;
        if let Some(variable) = &self.0.variable {
            write!(f, " ({variable})")?;
        }
        if let Some(origin) = &self.0.origin {
            write!(f, " from {origin}")?;
        }
        write!(f, ": {}", self.0.fault)
    }
}

impl std::error::Error for SettingError {}

/// For what is built from all entries at once, like a child's environment: one that cannot be read refuses it
/// as a whole.
impl From<SettingError> for Refused {
    fn from(error: SettingError) -> Self {
        let Inner { key, variable, origin, fault } = *error.0;
        let mut refusal =
            Refusal::new(fault.code(), format!("terminal setting `{}`: {fault}", key.escape_debug()));
        if let Some(path) = origin.as_ref().and_then(Origin::path) {
            refusal = refusal.in_file(path);
        }
        if let Some(line) = origin.as_ref().and_then(Origin::line_number) {
            refusal = refusal.at(line, None);
        }
        let reason = RefusedReason::Unavailable(refusal);
        match variable {
            Some(variable) => Self::new(variable.as_os_str(), reason),
            None => Self::nameless(reason),
        }
    }
}
