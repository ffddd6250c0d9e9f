use std::path::PathBuf;
use std::sync::Arc;

use watertight_disk::ResolveError;
use watertight_profile_discovery::{Changed, FindError, RootError};
use watertight_secret_scope::SharedNamesError;
use watertight_vocabulary::{Refusal, shown_path};

/// A host could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Which home the process was started for, or which root it belongs to, cannot be told (PROF-01 to
    /// PROF-04).
    #[error(transparent)]
    Root(#[from] RootError),
    /// A name that the host wants to share cannot be shared (SEC-27).
    #[error(transparent)]
    SharedNames(#[from] SharedNamesError),
}

impl HostError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Root(error) => error.code(),
            Self::SharedNames(error) => error.code(),
        }
    }
}

/// There is no scope for what was asked. It is never answered with another profile's (HOST-24).
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The name leads to no profile that may be served.
    #[error(transparent)]
    Find(Arc<FindError>),
    /// The profile changed while it was being read (PROF-45).
    #[error(transparent)]
    Changed(Arc<Changed>),
    /// The scope was built for a home that is not this profile's any more (PROF-45, HOST-25).
    #[error("the profile `{name}` has another home now; ask the host for a new scope")]
    AnotherHome {
        /// The profile.
        name: String,
    },
    /// The launch home cannot be resolved any more.
    #[error("the launch home: {0}")]
    LaunchHome(Arc<ResolveError>),
    /// The path of the launch home leads somewhere else than when the host was built (HOST-03).
    #[error("the launch home {} leads to another folder than when the host was built", shown_path(path))]
    LaunchHomeMoved {
        /// The path that was pinned.
        path: PathBuf,
    },
    /// The profile is there, and its secrets or its policy could not be built anew. The refusal is what is
    /// bound (SEC-28).
    #[error("the refreshed scope is a refusal: {0}")]
    Refusal(Refusal),
    /// The scope of the launch profile was asked for where a foreign scope is bound (HOST-21).
    #[error(
        "another profile's scope is bound here, and this would switch it; wrap the work in `detached` if it is meant"
    )]
    WouldSwitchProfile,
    /// The job that was to build the scope was dropped before it ran.
    #[error("the job that builds the scope was dropped by the runtime before it ran")]
    Abandoned,
}

impl ScopeError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Find(error) => error.code(),
            Self::Changed(_) | Self::AnotherHome { .. } | Self::LaunchHomeMoved { .. } => "changed",
            Self::LaunchHome(error) => error.code(),
            Self::Refusal(_) => "unavailable",
            Self::WouldSwitchProfile => "would-switch-profile",
            Self::Abandoned => "abandoned",
        }
    }

    /// What is bound where a scope cannot be rebuilt (SEC-28).
    pub(crate) fn refusal(&self) -> Refusal {
        Refusal::new(self.code(), self.to_string())
            .mended_by("ask the host for a new scope once it is mended")
    }
}

impl From<FindError> for ScopeError {
    fn from(error: FindError) -> Self {
        Self::Find(Arc::new(error))
    }
}

impl From<Changed> for ScopeError {
    fn from(error: Changed) -> Self {
        Self::Changed(Arc::new(error))
    }
}

impl From<ResolveError> for ScopeError {
    fn from(error: ResolveError) -> Self {
        Self::LaunchHome(Arc::new(error))
    }
}
