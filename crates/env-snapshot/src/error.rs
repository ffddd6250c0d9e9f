use std::io;

use watertight_vocabulary::{Name, Refused};

/// Why a child environment was not built. It names the variable and never holds a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildEnvError {
    /// Reading what is bound is refused, and so is this (SNAP-27).
    #[error(transparent)]
    Refused(Refused),
    /// A variable without a name.
    #[error("a variable with an empty name cannot be passed to a child")]
    EmptyName,
    /// `=` in a name: the child would see another variable.
    #[error(
        "the name {name} is followed by `=`, so it cannot be passed to a child; set name and value apart"
    )]
    EqualsInName {
        /// The name up to its `=`.
        name: Name,
    },
    /// NUL in a name.
    #[error("the name {name} holds a NUL and cannot be passed to a child")]
    NulInName {
        /// The name.
        name: Name,
    },
    /// NUL in a value.
    #[error("the value of {name} holds a NUL and cannot be passed to a child; mend it where it is written")]
    NulInValue {
        /// The variable.
        name: Name,
    },
    /// One entry is longer than the platform takes.
    #[error(
        "{name} takes {length} {unit} with its value and cannot be passed to a child: {limit} are the most"
    )]
    EntryTooLong {
        /// The variable.
        name: Name,
        /// The length of `name=value` with its terminator.
        length: usize,
        /// The most that the platform takes.
        limit: usize,
        /// What is counted.
        unit: &'static str,
    },
    /// All entries together are too long.
    #[error(
        "the child's environment takes {length} bytes and {limit} are the most; its longest variable is {longest}"
    )]
    TooLarge {
        /// The length of all entries with their terminators.
        length: usize,
        /// The most that a child is given.
        limit: usize,
        /// The variable that takes most of it.
        longest: Name,
    },
    /// A runner's child was given the runner's own id or token (RUN-34).
    #[error("{name} would give a child this runner's own identity; make one for the child")]
    OwnIdentity {
        /// The variable.
        name: Name,
    },
    /// A relative working directory could not be made absolute.
    #[error("the child's working directory is relative, and there is no current directory to stand it on")]
    NoCurrentDirectory(#[source] io::Error),
}

impl ChildEnvError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::EmptyName => "empty-name",
            Self::EqualsInName { .. } => "equals-in-name",
            Self::NulInName { .. } => "nul-in-name",
            Self::NulInValue { .. } => "nul-in-value",
            Self::EntryTooLong { .. } => "entry-too-long",
            Self::TooLarge { .. } => "environment-too-large",
            Self::OwnIdentity { .. } => "own-runner-identity",
            Self::NoCurrentDirectory(_) => "no-current-directory",
        }
    }

    /// The variable, where there is one.
    pub fn name(&self) -> Option<&Name> {
        match self {
            Self::Refused(refused) => refused.name(),
            Self::EmptyName | Self::NoCurrentDirectory(_) => None,
            Self::EqualsInName { name }
            | Self::NulInName { name }
            | Self::NulInValue { name }
            | Self::EntryTooLong { name, .. }
            | Self::TooLarge { longest: name, .. }
            | Self::OwnIdentity { name } => Some(name),
        }
    }
}

impl From<Refused> for ChildEnvError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
