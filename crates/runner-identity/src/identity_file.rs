use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::{FileSystem, Links, RealFileSystem};
use watertight_vocabulary::Diagnostic;

use crate::create::{self, CreateError, Outcome};
use crate::machine::{Fingerprint, MachineCheck, MachineId, PlatformMachine, compare};
use crate::names::ID_FILE;
use crate::read::{ReadError, SmallFile, read_small};
use crate::{Identity, InvalidRunnerId, Provenance, RunnerId};

/// What is appended to the id file's name for the fingerprint (RUN-35).
const FINGERPRINT_EXTENSION: &str = "machine";
/// Mode bits that let others than the owner write.
const OTHERS_MAY_WRITE: u32 = 0o022;
/// How often somebody may remove the winner's file before a racing caller gives up.
const RACES: u32 = 16;

/// The file that keeps a runner's id, and the disk and the machine it is on.
///
/// # Fail-closed behaviour
///
/// A file that is there and cannot be used (blank, malformed, unreadable, no file at all) is an error and is
/// never replaced, except by an explicit [`IdentityFile::regenerate`]. Nothing of its contents is repeated:
/// it may be a link to something private.
///
/// ```
/// # let home = tempfile::tempdir()?;
/// use watertight_runner_identity::IdentityFile;
///
/// let file = IdentityFile::in_user_home(Some(home.path()));
/// assert!(file.load()?.is_none(), "reading an identity never makes one");
/// let made = file.load_or_create()?;
/// assert!(made.is_created());
/// assert_eq!(file.load()?.unwrap().id(), made.id());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct IdentityFile {
    path: Option<PathBuf>,
    files: Arc<dyn FileSystem>,
    machine: Arc<dyn MachineId>,
}

/// An identity could not be had. It names the variable or the path, and nothing of a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// The variable is set and holds no id (RUN-01, RUN-07).
    #[error("{variable} {reason}")]
    InvalidVariable {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        reason: InvalidRunnerId,
    },
    /// The file is there and holds no id (RUN-04, RUN-07).
    #[error("the runner id in {} {reason}; mend it, or regenerate it on purpose", path.display())]
    InvalidFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: InvalidRunnerId,
    },
    /// The file is there and cannot be read (RUN-07, RUN-08).
    #[error("the runner id file {} {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// There is no id and none could be made (RUN-08). What was there before still is.
    #[error("no runner id could be made at {}: {source}", path.display())]
    NotCreated {
        /// The file.
        path: PathBuf,
        /// Why.
        source: CreateError,
    },
    /// The id stands in its file, but it is not certain that it survives a loss of power (RUN-05).
    #[error("the runner id in {} may not be on disk yet: cannot sync its folder: {source}", path.display())]
    NotSynced {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is made and removed by others all the time.
    #[error("the runner id file {} keeps vanishing", path.display())]
    Vanishing {
        /// The file.
        path: PathBuf,
    },
    /// No variable, and no user home to look in (RUN-08).
    #[error("there is no user home to keep a runner id in; set {}", crate::names::RUNNER_ID_VARIABLE)]
    NoUserHome,
    /// A relative path means another file in every folder.
    #[error("the path {} of a runner id file is not absolute", path.display())]
    RelativePath {
        /// The path.
        path: PathBuf,
    },
}

impl IdentityError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidVariable { reason, .. } | Self::InvalidFile { reason, .. } => reason.code(),
            Self::Unreadable { .. } | Self::Vanishing { .. } => "unreadable",
            Self::NotCreated { .. } => "not-created",
            Self::NotSynced { .. } => "not-synced",
            Self::NoUserHome => "no-user-home",
            Self::RelativePath { .. } => "relative-path",
        }
    }

    /// The file it is about, where it is about one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::InvalidVariable { .. } | Self::NoUserHome => None,
            Self::InvalidFile { path, .. }
            | Self::Unreadable { path, .. }
            | Self::NotCreated { path, .. }
            | Self::NotSynced { path, .. }
            | Self::Vanishing { path }
            | Self::RelativePath { path } => Some(path),
        }
    }
}

impl IdentityFile {
    /// The file at a path, on this machine.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), files: Arc::new(RealFileSystem), machine: Arc::new(PlatformMachine) }
    }

    /// `.omnigent/runners/runner_id` in the user's home (RUN-02). Without a home every operation is
    /// [`IdentityError::NoUserHome`].
    pub fn in_user_home(home: Option<&Path>) -> Self {
        let path = home.map(|home| ID_FILE.iter().fold(home.to_owned(), |path, name| path.join(name)));
        Self { path, ..Self::at(PathBuf::new()) }
    }

    /// On this disk.
    pub fn on(self, files: Arc<dyn FileSystem>) -> Self {
        Self { files, ..self }
    }

    /// On this machine.
    pub fn of_machine(self, machine: Arc<dyn MachineId>) -> Self {
        Self { machine, ..self }
    }

    /// Where it is; `None` without a user home.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Reads the identity; `None` where there is none yet. Nothing is made (RUN-33).
    ///
    /// # Errors
    ///
    /// [`IdentityError`]: no home, or the file is there and cannot be used.
    pub fn load(&self) -> Result<Option<Identity>, IdentityError> {
        self.load_at(self.absolute_path()?)
    }

    /// Reads the identity, and makes one where there is none (RUN-03, RUN-05).
    ///
    /// When many callers race, one of them makes the id and all return it. It is on disk before it is
    /// returned.
    ///
    /// # Errors
    ///
    /// [`IdentityError`]: no home, the file is there and cannot be used, or none can be made.
    pub fn load_or_create(&self) -> Result<Identity, IdentityError> {
        let path = self.absolute_path()?;
        if let Some(identity) = self.load_at(path)? {
            return Ok(identity);
        }
        for _ in 0..RACES {
            let id = RunnerId::random();
            let outcome = create::create(&*self.files, path, id.as_str())
                .map_err(|source| IdentityError::NotCreated { path: path.to_owned(), source })?;
            let identity = match outcome {
                Outcome::Published => Some(Identity::new(id, Provenance::Created(path.to_owned()))),
                Outcome::Lost => self.load_at(path)?,
            };
            let Some(mut identity) = identity else { continue };
            self.sync_folder(path)?;
            if identity.is_created() {
                tracing::info!(path = %path.display(), "made a runner id");
                self.finish(&mut identity, path);
            }
            return Ok(identity);
        }
        Err(IdentityError::Vanishing { path: path.to_owned() })
    }

    /// Makes a new id in place of what is there, be that usable or not (RUN-37).
    ///
    /// Until the new file was renamed into place the old id stands, whatever failed.
    ///
    /// # Errors
    ///
    /// [`IdentityError`]: no home, or no file can be put there.
    pub fn regenerate(&self) -> Result<Identity, IdentityError> {
        let path = self.absolute_path()?;
        let id = RunnerId::random();
        create::replace(&*self.files, path, id.as_str())
            .map_err(|source| IdentityError::NotCreated { path: path.to_owned(), source })?;
        self.sync_folder(path)?;
        tracing::info!(path = %path.display(), "made a runner id anew");
        let mut identity = Identity::new(id, Provenance::Created(path.to_owned()));
        self.finish(&mut identity, path);
        Ok(identity)
    }

    fn absolute_path(&self) -> Result<&Path, IdentityError> {
        let path = self.path.as_deref().ok_or(IdentityError::NoUserHome)?;
        if path.is_absolute() { Ok(path) } else { Err(IdentityError::RelativePath { path: path.to_owned() }) }
    }

    fn load_at(&self, path: &Path) -> Result<Option<Identity>, IdentityError> {
        let file = read_small(&*self.files, path, Links::Follow)
            .map_err(|source| IdentityError::Unreadable { path: path.to_owned(), source })?;
        let Some(SmallFile { bytes, metadata }) = file else { return Ok(None) };
        let id = RunnerId::from_outside(&bytes)
            .map_err(|reason| IdentityError::InvalidFile { path: path.to_owned(), reason })?;
        let mut identity = Identity::new(id, Provenance::File(path.to_owned()));
        if metadata.mode & OTHERS_MAY_WRITE != 0 {
            say(&mut identity, writable_by_others("file-writable-by-others", path));
        }
        self.judge_folder(&mut identity, path);
        self.judge_machine(&mut identity, path);
        Ok(Some(identity))
    }

    /// Who may write the folder may replace the file (RUN-06).
    fn judge_folder(&self, identity: &mut Identity, path: &Path) {
        let Some(folder) = path.parent() else { return };
        if self.files.metadata(folder).is_ok_and(|found| found.mode & OTHERS_MAY_WRITE != 0) {
            say(identity, writable_by_others("folder-writable-by-others", folder));
        }
    }

    /// The id file alone is authoritative: what stands beside it can only add a report (RUN-35).
    fn judge_machine(&self, identity: &mut Identity, path: &Path) {
        let sidecar = fingerprint_path(path);
        let recorded = match read_small(&*self.files, &sidecar, Links::Refuse) {
            Ok(None) => return,
            Ok(Some(file)) => file.bytes,
            Err(error) => return say(identity, unusable_fingerprint(&sidecar, &error)),
        };
        let Some(current) = Fingerprint::take(&*self.machine, &identity.id) else { return };
        match compare(&recorded, &identity.id, current) {
            Some(check) => identity.machine = check,
            None => say(identity, unusable_fingerprint(&sidecar, &"it holds none")),
        }
        if identity.is_cloned() {
            let message = "the runner id was made on another machine; keep it if this one replaces that \
                           one, else regenerate it";
            say(identity, Diagnostic::warning("runner-id-cloned", message).in_file(path));
        }
    }

    /// What the creator does once its id stands: who may write here, and which machine this is.
    fn finish(&self, identity: &mut Identity, path: &Path) {
        self.judge_folder(identity, path);
        let Some(fingerprint) = Fingerprint::take(&*self.machine, &identity.id) else { return };
        let sidecar = fingerprint_path(path);
        match create::replace(&*self.files, &sidecar, &fingerprint.sidecar(&identity.id)) {
            Ok(()) => identity.machine = MachineCheck::Same,
            Err(error) => say(identity, unusable_fingerprint(&sidecar, &error)),
        }
    }

    fn sync_folder(&self, path: &Path) -> Result<(), IdentityError> {
        create::sync_folder(&*self.files, path)
            .map_err(|source| IdentityError::NotSynced { path: path.to_owned(), source })
    }
}

/// The fingerprint's file, beside the id's.
fn fingerprint_path(path: &Path) -> PathBuf {
    path.with_added_extension(FINGERPRINT_EXTENSION)
}

fn writable_by_others(code: &'static str, path: &Path) -> Diagnostic {
    let message = "others than its owner may write it, and so choose this runner's id; remove that right";
    Diagnostic::warning(code, message).in_file(path)
}

fn unusable_fingerprint(path: &Path, why: &dyn std::fmt::Display) -> Diagnostic {
    let message = format!("no machine fingerprint, so a clone would go unseen: {why}");
    Diagnostic::note("machine-fingerprint-unusable", message).in_file(path)
}

/// A value first, an event second.
fn say(identity: &mut Identity, diagnostic: Diagnostic) {
    tracing::warn!(code = diagnostic.code(), "{diagnostic}");
    identity.diagnostics.push(diagnostic);
}

/// [`IdentityFile::load`] of the file at `path`.
///
/// # Errors
///
/// [`IdentityError`].
pub fn load(path: impl Into<PathBuf>) -> Result<Option<Identity>, IdentityError> {
    IdentityFile::at(path).load()
}

/// [`IdentityFile::load_or_create`] of the file at `path`.
///
/// # Errors
///
/// [`IdentityError`].
pub fn load_or_create(path: impl Into<PathBuf>) -> Result<Identity, IdentityError> {
    IdentityFile::at(path).load_or_create()
}

/// [`IdentityFile::regenerate`] of the file at `path`.
///
/// # Errors
///
/// [`IdentityError`].
pub fn regenerate(path: impl Into<PathBuf>) -> Result<Identity, IdentityError> {
    IdentityFile::at(path).regenerate()
}
