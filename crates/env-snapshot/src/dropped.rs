use std::fmt;

use watertight_vocabulary::Name;

/// A name that does not reach a child, and why (SNAP-26).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    name: Name,
    reason: DropReason,
}

/// Why a name does not reach a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// The launch environment has it, and nothing allowed it (SNAP-21).
    NotListed,
    /// It was passed on, and what is bound does not have it; the launch environment's value stays behind.
    NotBound,
    /// An earlier entry of the environment has the name (SNAP-25).
    Duplicate,
    /// A loader hook that only a prefix matched (SNAP-21).
    LoaderHook,
    /// Only the bound terminal policy gives it (SNAP-23).
    Terminal,
    /// Only the working directory gives it (SNAP-21).
    WorkingDirectory,
    /// Only the bound home gives it (SNAP-23).
    Home,
    /// It names a profile, and the home does that (SNAP-23).
    ProfileName,
    /// It belongs to the runner's control plane (SNAP-22).
    ControlPlane,
    /// It says which runner a process is (RUN-34).
    RunnerIdentity,
}

impl Dropped {
    pub(crate) fn new(name: Name, reason: DropReason) -> Self {
        Self { name, reason }
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Why.
    pub fn reason(&self) -> DropReason {
        self.reason
    }
}

impl DropReason {
    /// The suite's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotListed => "not-listed",
            Self::NotBound => "not-bound",
            Self::Duplicate => "duplicate-variable",
            Self::LoaderHook => "loader-hook",
            Self::Terminal => "terminal",
            Self::WorkingDirectory => "working-directory",
            Self::Home => "home",
            Self::ProfileName => "profile-name",
            Self::ControlPlane => "control-plane",
            Self::RunnerIdentity => "runner-identity",
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotListed => "it is on no list and was not passed on",
            Self::NotBound => "it was passed on, and what is bound does not have it",
            Self::Duplicate => "an earlier entry of the environment has this name",
            Self::LoaderHook => "a loader hook is passed on by its exact name only",
            Self::Terminal => "only the bound terminal policy gives it",
            Self::WorkingDirectory => "only the child's working directory gives it",
            Self::Home => "only the bound home gives it",
            Self::ProfileName => "it names a profile, and the home variable does that",
            Self::ControlPlane => "it belongs to the runner's control plane",
            Self::RunnerIdentity => "it says which runner a process is, and the child is none",
        })
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}
