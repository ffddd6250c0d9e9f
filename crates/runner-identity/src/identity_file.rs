use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use watertight_disk::{FileSystem, Links, Metadata, RealFileSystem};
use watertight_vocabulary::shown_path;

use crate::create::{self, CreateError, Outcome};
use crate::findings::{Findings, Surroundings};
use crate::machine::{MachineId, PlatformMachine};
use crate::names::ID_FILE;
use crate::read::{ReadError, SmallFile, read_small};
use crate::{Identity, InvalidRunnerId, RunnerId};

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
    path: Option<Arc<Path>>,
    pub(crate) files: Arc<dyn FileSystem>,
    pub(crate) machine: Arc<dyn MachineId>,
}

/// An identity could not be had. It names the variable or the path, and nothing of a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// The variable is set and holds no id (RUN-01, RUN-07).
    #[error("{variable} {reason}; set it to an id or unset it")]
    InvalidVariable {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        reason: InvalidRunnerId,
    },
    /// The file is there and holds no id (RUN-04, RUN-07).
    #[error("the runner id in {} {reason}; mend it, or regenerate it on purpose", shown_path(path))]
    InvalidFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: InvalidRunnerId,
    },
    /// The file is there and cannot be read (RUN-07, RUN-08).
    #[error("the runner id file {} {source}", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// There is no id and none could be made (RUN-08). What was there before still is.
    #[error("no runner id could be made at {}: {source}", shown_path(path))]
    NotCreated {
        /// The file.
        path: PathBuf,
        /// Why.
        source: CreateError,
    },
    /// The id stands in its file, but it is not certain that it survives a loss of power (RUN-05).
    #[error("the runner id in {} may not be on disk yet: cannot sync its folder: {source}", shown_path(path))]
    NotSynced {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is made and removed by others all the time.
    #[error("the runner id file {} keeps vanishing", shown_path(path))]
    Vanishing {
        /// The file.
        path: PathBuf,
    },
    /// No variable, and no user home to look in (RUN-08).
    #[error("there is no user home to keep a runner id in; set {}", crate::names::RUNNER_ID_VARIABLE)]
    NoUserHome,
    /// A relative path means another file in every folder.
    #[error("the path {} of a runner id file is not absolute", shown_path(path))]
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
        Self {
            path: Some(Arc::from(path.into())),
            files: Arc::new(RealFileSystem),
            machine: Arc::new(PlatformMachine),
        }
    }

    /// `.omnigent/runners/runner_id` in the user's home (RUN-02). Without a home every operation is
    /// [`IdentityError::NoUserHome`].
    pub fn in_user_home(home: Option<&Path>) -> Self {
        let path = home.map(|home| ID_FILE.iter().fold(home.to_owned(), |path, name| path.join(name)));
        Self { path: path.map(Arc::from), ..Self::at(PathBuf::new()) }
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
        if let Some((identity, metadata)) = self.read_at(path)? {
            // Its maker may not have had the folder synced yet. Where that cannot be done the id is read all
            // the same: an existing id stays readable on a read-only file system (RUN-08).
            if is_young(&metadata, self.files.now()) {
                let _ = self.sync_folder(path);
            }
            return Ok(identity);
        }
        for _ in 0..RACES {
            let id = RunnerId::random();
            let outcome = create::create(&*self.files, path, id.as_str())
                .map_err(|source| IdentityError::NotCreated { path: path.to_path_buf(), source })?;
            if outcome == Outcome::Published {
                self.sync_folder(path)?;
                return Ok(self.created(id, path));
            }
            if let Some(winner) = self.load_at(path)? {
                self.sync_folder(path)?;
                return Ok(winner);
            }
        }
        Err(IdentityError::Vanishing { path: path.to_path_buf() })
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
            .map_err(|source| IdentityError::NotCreated { path: path.to_path_buf(), source })?;
        self.sync_folder(path)?;
        Ok(self.created(id, path))
    }

    fn absolute_path(&self) -> Result<&Arc<Path>, IdentityError> {
        let path = self.path.as_ref().ok_or(IdentityError::NoUserHome)?;
        if path.is_absolute() {
            Ok(path)
        } else {
            Err(IdentityError::RelativePath { path: path.to_path_buf() })
        }
    }

    fn load_at(&self, path: &Arc<Path>) -> Result<Option<Identity>, IdentityError> {
        Ok(self.read_at(path)?.map(|(identity, _)| identity))
    }

    fn read_at(&self, path: &Arc<Path>) -> Result<Option<(Identity, Metadata)>, IdentityError> {
        let file = read_small(&*self.files, path, Links::Follow)
            .map_err(|source| IdentityError::Unreadable { path: path.to_path_buf(), source })?;
        let Some(SmallFile { bytes, metadata }) = file else { return Ok(None) };
        let id = RunnerId::from_outside(&bytes)
            .map_err(|reason| IdentityError::InvalidFile { path: path.to_path_buf(), reason })?;
        Ok(Some((Identity::read(id, self.clone(), Arc::clone(path), metadata.mode), metadata)))
    }

    /// What the creator does once its id stands.
    fn created(&self, id: RunnerId, path: &Arc<Path>) -> Identity {
        tracing::info!(path = %shown_path(path), "made a runner id");
        let around = Surroundings { files: &*self.files, machine: &*self.machine, path };
        let findings = Findings::record(around, &id);
        Identity::created(id, Arc::clone(path), findings)
    }

    fn sync_folder(&self, path: &Path) -> Result<(), IdentityError> {
        create::sync_folder(&*self.files, path)
            .map_err(|source| IdentityError::NotSynced { path: path.to_path_buf(), source })
    }
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

/// How old a file is whose maker has certainly gone on, in seconds.
const SETTLED: u64 = 2;

/// Whether the file may have been published a moment ago.
fn is_young(metadata: &Metadata, now: SystemTime) -> bool {
    let now = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    u64::try_from(metadata.changed.0).is_ok_and(|changed| changed.saturating_add(SETTLED) >= now)
}
