use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use watertight_vocabulary::{Diagnostic, EnvSource};

use crate::findings::{Findings, Surroundings};
use crate::names::RUNNER_ID_VARIABLE;
use crate::{BindingToken, IdentityError, IdentityFile, MachineCheck, RunnerId, token_bound_id};

/// Where an identity came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provenance {
    /// `OMNIGENT_RUNNER_ID` (RUN-01).
    Variable,
    /// A file that was there already (RUN-02).
    File(Arc<Path>),
    /// A file that this very call made (RUN-03) or made anew (RUN-37).
    Created(Arc<Path>),
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
///
/// What stands around an id that was read ([`Identity::machine`], [`Identity::diagnostics`]) is looked at
/// when it is first asked for, and then remembered: who wants the id alone pays for one small file.
#[derive(Clone)]
pub struct Identity {
    id: RunnerId,
    provenance: Provenance,
    findings: OnceLock<Findings>,
    /// The file that the id was read from, and its mode.
    read_from: Option<(IdentityFile, u32)>,
}

impl Identity {
    /// The identity that a token authorizes (RUN-10).
    pub fn bound_to(token: &BindingToken) -> Self {
        Self::without_file(token_bound_id(token), Provenance::Token)
    }

    fn without_file(id: RunnerId, provenance: Provenance) -> Self {
        Self { id, provenance, findings: OnceLock::new(), read_from: None }
    }

    pub(crate) fn read(id: RunnerId, file: IdentityFile, path: Arc<Path>, mode: u32) -> Self {
        Self { read_from: Some((file, mode)), ..Self::without_file(id, Provenance::File(path)) }
    }

    pub(crate) fn created(id: RunnerId, path: Arc<Path>, findings: Findings) -> Self {
        Self { findings: findings.into(), ..Self::without_file(id, Provenance::Created(path)) }
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
        self.findings().machine
    }

    /// Whether the id was made on another machine (RUN-35). The host decides what follows; nothing here
    /// regenerates on its own, since a container's machine id may change at every start.
    pub fn is_cloned(&self) -> bool {
        matches!(self.machine(), MachineCheck::Cloned { .. })
    }

    /// What a person should know: what others may write (RUN-06), a clone (RUN-35).
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.findings().diagnostics
    }

    fn findings(&self) -> &Findings {
        self.findings.get_or_init(|| match (&self.read_from, &self.provenance) {
            (Some((file, mode)), Provenance::File(path)) => {
                let around = Surroundings { files: &*file.files, machine: &*file.machine, path };
                Findings::of(around, &self.id, *mode)
            }
            _ => Findings::default(),
        })
    }
}

/// The id and where it came from; nothing is looked at for it.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Identity");
        shown.field("id", &self.id).field("provenance", &self.provenance);
        if let Some(findings) = self.findings.get() {
            shown.field("machine", &findings.machine).field("diagnostics", &findings.diagnostics);
        }
        shown.finish_non_exhaustive()
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
        .map(|id| Some(Identity::without_file(id, Provenance::Variable)))
        .map_err(|reason| IdentityError::InvalidVariable { variable: RUNNER_ID_VARIABLE, reason })
}
