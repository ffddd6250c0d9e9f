use std::ffi::OsStr;
use std::path::PathBuf;

use watertight_vocabulary::{Diagnostic, EnvSource};

use crate::names::RUNNER_ID_VARIABLE;
use crate::{BindingToken, IdentityError, IdentityFile, MachineCheck, RunnerId, token_bound_id};

/// Where an identity came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provenance {
    /// `OMNIGENT_RUNNER_ID` (RUN-01).
    Variable,
    /// A file that was there already (RUN-02).
    File(PathBuf),
    /// A file that this very call made (RUN-03) or made anew (RUN-37).
    Created(PathBuf),
    /// A binding token (RUN-10).
    Token,
}

impl Provenance {
    /// Its name, for reports.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Variable => "variable",
            Self::File(_) => "file",
            Self::Created(_) => "created",
            Self::Token => "token",
        }
    }
}

/// A runner's id, where it came from, and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub(crate) id: RunnerId,
    pub(crate) provenance: Provenance,
    pub(crate) machine: MachineCheck,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Identity {
    pub(crate) fn new(id: RunnerId, provenance: Provenance) -> Self {
        Self { id, provenance, machine: MachineCheck::Unknown, diagnostics: Vec::new() }
    }

    /// The identity that a token authorizes (RUN-10).
    pub fn bound_to(token: &BindingToken) -> Self {
        Self::new(token_bound_id(token), Provenance::Token)
    }

    /// The id.
    pub fn id(&self) -> &RunnerId {
        &self.id
    }

    /// Where it came from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Whether this call made it.
    pub fn is_created(&self) -> bool {
        matches!(self.provenance, Provenance::Created(_))
    }

    /// What the fingerprint beside the id says of the machine (RUN-35).
    pub fn machine(&self) -> MachineCheck {
        self.machine
    }

    /// Whether the id was made on another machine (RUN-35). The host decides what follows; nothing here
    /// regenerates on its own, since a container's machine id may change at every start.
    pub fn is_cloned(&self) -> bool {
        matches!(self.machine, MachineCheck::Cloned { .. })
    }

    /// What a person should know: files that others may write (RUN-06), a clone (RUN-35).
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// The runner's identity: the variable where it is set (RUN-01), else the file, which is made where there is
/// none (RUN-02, RUN-03).
///
/// # Fail-closed behaviour
///
/// A variable that is set decides alone: blank or malformed, it is an error, and the disk is not touched.
///
/// # Errors
///
/// [`IdentityError`].
pub fn stable_identity(env: &dyn EnvSource, file: &IdentityFile) -> Result<Identity, IdentityError> {
    from_variable(env)?.map_or_else(|| file.load_or_create(), Ok)
}

/// As [`stable_identity`], but nothing is ever made: `None` where there is no identity yet (RUN-33).
///
/// # Errors
///
/// [`IdentityError`].
pub fn known_identity(env: &dyn EnvSource, file: &IdentityFile) -> Result<Option<Identity>, IdentityError> {
    from_variable(env)?.map_or_else(|| file.load(), |identity| Ok(Some(identity)))
}

fn from_variable(env: &dyn EnvSource) -> Result<Option<Identity>, IdentityError> {
    let Some(value) = env.var_os(OsStr::new(RUNNER_ID_VARIABLE)) else { return Ok(None) };
    RunnerId::from_outside(value.as_encoded_bytes())
        .map(|id| Some(Identity::new(id, Provenance::Variable)))
        .map_err(|reason| IdentityError::InvalidVariable { variable: RUNNER_ID_VARIABLE, reason })
}
