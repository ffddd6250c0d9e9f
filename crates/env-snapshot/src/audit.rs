use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::process::Command;

use watertight_vocabulary::Name;

use crate::ChildEnv;

/// A command is no longer as its child environment made it (SNAP-26). It names variables and no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditError {
    deviations: Vec<Deviation>,
}

/// One thing that a command would do differently from its child environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Deviation {
    /// It inherits what this process has.
    Inherits,
    /// It sets a variable that the environment does not have.
    Added(Name),
    /// It gives a variable another value.
    Changed(Name),
    /// It lacks a variable.
    Removed(Name),
    /// It runs elsewhere, so that `PWD` is not true.
    WorkingDirectory,
}

impl ChildEnv {
    /// Compares a command with this environment, just before it is spawned: no later `env`, `env_remove` or
    /// `current_dir` goes unseen, and neither does a command that inherits (SNAP-26).
    ///
    /// The command is borrowed mutably because only its reaction to a removal tells whether it inherits. A
    /// command that passes is left as it was; one that inherits, and so fails, may keep the removal of a
    /// name that nobody has.
    ///
    /// # Errors
    ///
    /// [`AuditError`] lists every deviation, by name.
    pub fn audit(&self, command: &mut Command) -> Result<(), AuditError> {
        let mut deviations = self.changes(command);
        if self.working_directory().is_some_and(|own| command.get_current_dir() != Some(own)) {
            deviations.push(Deviation::WorkingDirectory);
        }
        if self.inherits(command) {
            deviations.push(Deviation::Inherits);
        }
        deviations.sort();
        if deviations.is_empty() { Ok(()) } else { Err(AuditError { deviations }) }
    }

    /// What the command sets, against what it should.
    fn changes(&self, command: &Command) -> Vec<Deviation> {
        let mut missing: BTreeMap<OsString, &Name> =
            self.variables.iter().map(|(key, variable)| (key.clone(), &variable.name)).collect();
        let mut deviations = Vec::new();
        for (name, value) in command.get_envs() {
            let Some(value) = value else { continue };
            missing.remove(&*self.case.fold(name));
            match self.get(name) {
                None => deviations.push(Deviation::Added(Name::new(name).without_value())),
                Some(own) if own.expose_bytes() != value.as_encoded_bytes() => {
                    deviations.push(Deviation::Changed(Name::new(name)));
                }
                Some(_) => {}
            }
        }
        deviations.extend(missing.into_values().cloned().map(Deviation::Removed));
        deviations
    }

    /// A command that starts from nothing forgets a removed name; one that inherits must remember it.
    fn inherits(&self, command: &mut Command) -> bool {
        let mut probe = OsString::from("WATERTIGHT_AUDIT_PROBE");
        while command.get_envs().any(|(name, _)| self.case.same(name, &probe)) {
            probe.push("_");
        }
        command.env_remove(&probe);
        command.get_envs().any(|(name, _)| name == OsStr::new(&probe))
    }
}

impl AuditError {
    /// The deviations.
    pub fn deviations(&self) -> &[Deviation] {
        &self.deviations
    }

    /// The suite's code.
    pub fn code(&self) -> &'static str {
        "child-environment-changed"
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the command is not as its child environment made it: ")?;
        for (position, deviation) in self.deviations.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            fmt::Display::fmt(deviation, f)?;
        }
        Ok(())
    }
}

impl std::error::Error for AuditError {}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inherits => f.write_str("it inherits this process's environment"),
            Self::Added(name) => write!(f, "{name} was added"),
            Self::Changed(name) => write!(f, "{name} was changed"),
            Self::Removed(name) => write!(f, "{name} was removed"),
            Self::WorkingDirectory => f.write_str("it runs in another directory"),
        }
    }
}
