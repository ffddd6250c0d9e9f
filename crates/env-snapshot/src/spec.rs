use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use watertight_vocabulary::{Name, NameSet, Secret};

use crate::runner::RunnerChild;
use crate::{ChildBindingToken, ChildRunnerId};

/// What the starter of a child asks for: which names to pass on, what to set, where it runs.
///
/// It holds wishes, not rights: [`ChildEnv::build`](crate::ChildEnv::build) grants them by SNAP-21 to
/// SNAP-23. Its values are wiped when it is dropped.
///
/// ```
/// use watertight_env_snapshot::ChildSpec;
/// use watertight_vocabulary::NameSet;
///
/// let spec = ChildSpec::new()
///     .pass(["OPENAI_API_KEY"])
///     .pass_set(&NameSet::new().with_prefix("GIT_"))
///     .set("CI", "1")
///     .working_directory("/srv/job");
/// ```
#[derive(Clone, Default)]
pub struct ChildSpec {
    pub(crate) passed: NameSet,
    pub(crate) set: Vec<(Name, Secret)>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) terminal: bool,
    pub(crate) runner: Option<RunnerChild>,
}

impl ChildSpec {
    /// Asks for nothing: the child gets the base list and its home.
    pub fn new() -> Self {
        Self::default()
    }

    /// Passes these names on, as they are answered for what is bound (SNAP-23).
    pub fn pass<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.passed = self.passed.with_names(names);
        self
    }

    /// Passes on every member of a set. A prefix reaches the names of the launch environment and of the
    /// bound scope, but no loader hook (SNAP-21).
    pub fn pass_set(mut self, names: &NameSet) -> Self {
        self.passed = self.passed.with_names(names.names().cloned());
        for prefix in names.prefixes() {
            self.passed = self.passed.with_prefix(prefix.clone());
        }
        self
    }

    /// Sets a variable. Of several values for one name the last counts.
    pub fn set(mut self, name: impl Into<Name>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        let value = Secret::from_os(&name, value.into());
        self.set.push((name, value));
        self
    }

    /// Where the child runs. `PWD` is set from it, and the command's own directory with it; a relative path
    /// stands on the current directory of the launch environment.
    pub fn working_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Gives the child the bound terminal policy (SNAP-23).
    pub fn with_terminal(mut self) -> Self {
        self.terminal = true;
        self
    }

    /// Makes the child a runner of its own: the one way to give it an id, a parent to watch and a binding
    /// token (RUN-34).
    pub fn for_runner_child(mut self, id: &impl ChildRunnerId, token: &impl ChildBindingToken) -> Self {
        self.runner = Some(RunnerChild::new(id, token));
        self
    }

    /// The names to pass on.
    pub fn passed(&self) -> &NameSet {
        &self.passed
    }

    /// Whether the child gets the terminal policy.
    pub fn wants_terminal(&self) -> bool {
        self.terminal
    }

    /// Where the child runs.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

/// Names only. What stands behind a `=` in a name is no name and is not shown.
impl fmt::Debug for ChildSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passed: Vec<_> = self.passed.names().collect();
        let set: Vec<_> = self.set.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChildSpec")
            .field("passed", &passed)
            .field("prefixes", &self.passed.prefixes().collect::<Vec<_>>())
            .field("set", &set)
            .field("directory", &self.directory)
            .field("terminal", &self.terminal)
            .field("runner", &self.runner.is_some())
            .finish()
    }
}
