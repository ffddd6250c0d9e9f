//! Whole file or no file, and the first one wins (RUN-05).

use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileSystem, TemporaryFile};
use watertight_vocabulary::shown_path;

/// New folders are for their owner alone (RUN-06). A new file's 0600 is part of the seam.
const FOLDER_MODE: u32 = 0o700;
/// What a temporary begins with. No reader ever looks at such a name.
const TEMPORARY_PREFIX: &str = ".runner_id.";
/// What is appended to a file's name for the lock of last resort.
const LOCK_EXTENSION: &str = "lock";

/// Which step of making a file failed, and what the operating system said.
#[derive(Debug, thiserror::Error)]
#[error("cannot {step} {}: {source}", shown_path(path))]
pub struct CreateError {
    step: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl CreateError {
    fn at(step: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { step, path: path.to_owned(), source }
    }

    /// The suite's code.
    pub fn code(&self) -> &'static str {
        "not-created"
    }

    /// The file or folder that the step was about.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the operating system said.
    pub fn io_error(&self) -> &io::Error {
        &self.source
    }
}

/// How a race ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This caller's text stands there, whole.
    Published,
    /// Something stood there first.
    Lost,
}

/// Makes a file with this text unless there is one, and the folders above it. The text is synced before the
/// file gets its name.
pub(crate) fn create(files: &dyn FileSystem, path: &Path, text: &str) -> Result<Outcome, CreateError> {
    let temporary = Temporary::write(files, path, text)?;
    temporary.publish(path).map_err(CreateError::at("publish", path))
}

/// Puts a file with this text in place of whatever is there: a link is replaced, not followed (RUN-37).
pub(crate) fn replace(files: &dyn FileSystem, path: &Path, text: &str) -> Result<(), CreateError> {
    let mut temporary = Temporary::write(files, path, text)?;
    temporary.rename(path).map_err(CreateError::at("publish", path))
}

/// Has the folder of a file on disk.
pub(crate) fn sync_folder(files: &dyn FileSystem, path: &Path) -> io::Result<()> {
    match files.sync_dir(folder_of(path)) {
        Err(error) if is_missing_step(&error) => Ok(()),
        answer => answer,
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Makes a folder and those above it, each synced into its parent.
fn make_folder(files: &dyn FileSystem, folder: &Path) -> Result<(), CreateError> {
    let failed = CreateError::at("use the folder", folder);
    match files.metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => return Err(failed(io::ErrorKind::NotADirectory.into())),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Err(_) => {}
    }
    if let Some(parent) = folder.parent() {
        make_folder(files, parent)?;
    }
    match files.create_dir(folder, FOLDER_MODE) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match files.metadata(folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(failed(io::ErrorKind::NotADirectory.into())),
            Err(error) => return Err(failed(error)),
        },
        answer => answer.map_err(CreateError::at("make the folder", folder))?,
    }
    sync_folder(files, folder).map_err(CreateError::at("sync the folder of", folder))
}

/// A file that has its text and no name of its own yet. It is removed when it is dropped unpublished.
struct Temporary<'a> {
    files: &'a dyn FileSystem,
    path: Option<PathBuf>,
}

impl<'a> Temporary<'a> {
    fn write(files: &'a dyn FileSystem, target: &Path, text: &str) -> Result<Self, CreateError> {
        let folder = folder_of(target);
        make_folder(files, folder)?;
        let TemporaryFile { path, mut file } = files
            .create_temporary(folder, TEMPORARY_PREFIX)
            .map_err(CreateError::at("make a file in", folder))?;
        let temporary = Self { files, path: Some(path.clone()) };
        file.write_all(text.as_bytes()).map_err(CreateError::at("write", &path))?;
        file.sync().map_err(CreateError::at("sync", &path))?;
        Ok(temporary)
    }

    /// Gives the file its name unless that is taken, in one step: by a rename that does not replace, where
    /// there is none by a second link, and where there is neither by a rename under a lock that dies with
    /// its process. All callers on one file system take the same way, so no two ways meet.
    fn publish(mut self, target: &Path) -> io::Result<Outcome> {
        let Some(path) = self.path.as_deref() else { return Ok(Outcome::Lost) };
        match self.files.rename_no_replace(path, target) {
            Ok(()) => {
                self.path = None;
                return Ok(Outcome::Published);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Outcome::Lost),
            Err(error) if is_missing_step(&error) => {}
            Err(error) => return Err(error),
        }
        match self.files.hard_link(path, target) {
            Ok(()) => return Ok(Outcome::Published),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Outcome::Lost),
            Err(error) if is_missing_link(&error) => {}
            Err(error) => return Err(error),
        }
        let _lock = self.files.lock(&target.with_added_extension(LOCK_EXTENSION))?;
        match self.files.symlink_metadata(target) {
            Ok(_) => Ok(Outcome::Lost),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.rename(target).map(|()| Outcome::Published)
            }
            Err(error) => Err(error),
        }
    }

    fn rename(&mut self, target: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            self.files.rename(path, target)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = self.files.remove_file(path);
        }
    }
}

/// Whether the file system has no such step at all.
fn is_missing_step(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Whether the file system has no second links, as file systems say it: FAT by "not permitted".
fn is_missing_link(error: &io::Error) -> bool {
    is_missing_step(error)
        || matches!(
            error.kind(),
            io::ErrorKind::PermissionDenied | io::ErrorKind::TooManyLinks | io::ErrorKind::CrossesDevices
        )
}
