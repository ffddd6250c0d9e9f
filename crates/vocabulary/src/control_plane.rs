use std::ffi::OsStr;

use crate::{CaseRule, Name, NameSet};

/// The runner's authentication secrets (RUN-30, RUN-31).
pub const RUNNER_AUTH_SECRETS: [&str; 2] =
    ["OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN"];

/// The names that say which runner a process is. They belong to one process and to no child of it (RUN-34).
pub const RUNNER_PROCESS_IDENTITY: [&str; 2] = ["OMNIGENT_RUNNER_ID", "OMNIGENT_RUNNER_PARENT_PID"];

/// The names that only the runner itself reads: no layer, no list and no child ever holds one
/// (SEC-16, SNAP-22).
///
/// # Fail-closed behaviour
///
/// The set starts with [`RUNNER_AUTH_SECRETS`] and can only grow (RUN-31): there is no way to build one
/// without them and none to take a name out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlPlane(NameSet);

impl ControlPlane {
    /// The runner's own names.
    pub fn new() -> Self {
        Self(NameSet::of(RUNNER_AUTH_SECRETS))
    }

    /// Adds names of the host's own.
    pub fn with_names<N: Into<Name>>(self, names: impl IntoIterator<Item = N>) -> Self {
        Self(self.0.with_names(names))
    }

    /// Whether `name` belongs to the control plane.
    #[inline]
    pub fn contains(&self, name: &OsStr, case: CaseRule) -> bool {
        self.0.contains(name, case)
    }

    /// Whether it has to be looked through for such a name.
    #[inline]
    pub(crate) fn may_contain(&self, name: &OsStr) -> bool {
        self.0.may_hold(name)
    }

    /// The names, in byte order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.0.names()
    }
}

impl Default for ControlPlane {
    fn default() -> Self {
        Self::new()
    }
}
