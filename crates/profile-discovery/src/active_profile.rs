use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileSystem, Links};

use crate::find::{FindError, locate};
use crate::{NameError, ProfileName, Root};

/// The file of a root that names its active profile.
const FILE: &str = "active_profile";
/// What it may hold at most: a name and white space around it.
const LONGEST: usize = 1024;

/// The active profile cannot be told. It never is `default` instead (PROF-43).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActiveProfileError {
    /// The file is there and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not UTF-8.
    #[error("{} is not UTF-8", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
    },
    /// What it says is no profile's name.
    #[error("{}: {name}", path.display())]
    InvalidName {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        name: NameError,
    },
    /// The profile that it names is not live.
    #[error("{}: {source}", path.display())]
    NotLive {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<FindError>,
    },
}

impl ActiveProfileError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::Encoding { .. } => "encoding",
            Self::InvalidName { name, .. } => name.code(),
            Self::NotLive { source, .. } => source.code(),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. }
            | Self::Encoding { path }
            | Self::InvalidName { path, .. }
            | Self::NotLive { path, .. } => path,
        }
    }
}

/// The profile that the root's file names; `default` where it is missing or blank (PROF-43).
pub(crate) fn active_profile(files: &dyn FileSystem, root: &Root) -> Result<ProfileName, ActiveProfileError> {
    let path = root.path().join(FILE);
    let bytes = match read(files, &path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(ProfileName::Default),
        Err(source) => return Err(ActiveProfileError::Unreadable { path, source }),
    };
    let Ok(text) = std::str::from_utf8(&bytes) else { return Err(ActiveProfileError::Encoding { path }) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.is_empty() {
        return Ok(ProfileName::Default);
    }
    let name = match ProfileName::requested(text) {
        Ok(name) => name,
        Err(name) => return Err(ActiveProfileError::InvalidName { path, name }),
    };
    match locate(files, root, &name) {
        Ok(found) => Ok(found.name().clone()),
        Err(source) => Err(ActiveProfileError::NotLive { path, source: Box::new(source) }),
    }
}

/// The file's bytes; `None` only if its own name does not exist. Nothing but a regular file is opened.
fn read(files: &dyn FileSystem, path: &Path) -> io::Result<Option<Vec<u8>>> {
    match files.symlink_metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let found = files.metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other(format!("it is {}", found.kind.label())));
    }
    let mut file = files.open(path, Links::Follow)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other(format!("it is {}", found.kind.label())));
    }
    let mut buffer = [0; LONGEST + 1];
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            read => length += read,
        }
    }
    match buffer.get(..length) {
        Some(bytes) if length <= LONGEST => Ok(Some(bytes.to_vec())),
        _ => Err(io::Error::other(format!("it holds more than {LONGEST} bytes, which is no name"))),
    }
}
