use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use watertight_vocabulary::{CaseRule, Name, Secret};

use crate::{ChildEnvError, ChildParts, ChildSpec, Dropped, build};

/// The whole environment of a child, and the one door to it (SNAP-21 to SNAP-27).
///
/// It is complete: it is applied to a command that starts from nothing, and there is no form of it that
/// means "inherit". It has no rendering as arguments, which every user of a machine can read.
///
/// # Fail-closed behaviour
///
/// - Deny by default: what no list, no pass-through and no caller named is left out, and
///   [`ChildEnv::dropped`] says so.
/// - It cannot be built without a control plane, and its names are removed last, whatever allowed them
///   (SNAP-22). A child is no runner unless it is made one on purpose (RUN-34).
/// - Where a read would be refused, building is that same refusal (SNAP-27), and what cannot be passed is
///   an error before anything is spawned (SNAP-25).
///
/// Its values are wiped when it is dropped; the copies that a [`Command`] holds are not.
pub struct ChildEnv {
    /// Under the folded name, so that a name stands once.
    pub(crate) variables: BTreeMap<OsString, Variable>,
    pub(crate) dropped: Vec<Dropped>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) case: CaseRule,
}

pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) value: Secret,
}

impl ChildEnv {
    /// Builds the environment that a spec asks for, out of what is bound.
    ///
    /// # Errors
    ///
    /// [`ChildEnvError::Refused`] where a read would be refused, and a variant for each cause that keeps a
    /// variable from being passed; the variable is named.
    pub fn build(spec: &ChildSpec, parts: ChildParts<'_>) -> Result<Self, ChildEnvError> {
        build::build(spec, parts)
    }

    /// The variables, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Name, &Secret)> {
        self.variables.values().map(|variable| (&variable.name, &variable.value))
    }

    /// The value of a variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&Secret> {
        self.variables.get(&*self.case.fold(name.as_ref())).map(|variable| &variable.value)
    }

    /// How many variables there are.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// What does not reach the child, by name and reason, in the order of the names (SNAP-26).
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// Where the child runs, if the spec said so.
    pub fn working_directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Makes this the whole environment of a command: what it would inherit and what was set before is
    /// cleared first (SNAP-24). A working directory is set with it, so that `PWD` is true.
    ///
    /// An asynchronous runtime's command is a wrapper around this one; Tokio's gives it by `as_std_mut`. A
    /// [`Command`]'s own `Debug` shows values: do not log one.
    pub fn apply_to(&self, command: &mut Command) {
        command.env_clear();
        for (name, value) in self.iter() {
            command.env(name, value.expose_os());
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
    }
}

/// Names only (SNAP-07).
impl fmt::Debug for ChildEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(|(name, _)| name).collect();
        f.debug_struct("ChildEnv")
            .field("names", &names)
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

/// Gives a command a child environment where it is written down.
pub trait CommandExt {
    /// See [`ChildEnv::apply_to`].
    fn with_child_env(&mut self, environment: &ChildEnv) -> &mut Self;
}

impl CommandExt for Command {
    fn with_child_env(&mut self, environment: &ChildEnv) -> &mut Self {
        environment.apply_to(self);
        self
    }
}
