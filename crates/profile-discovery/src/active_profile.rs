use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use watertight_disk::{FileKind, FileSystem};
use watertight_profile_home::{ProfileHome, Unreadable, read_other};
use watertight_vocabulary::{HomeId, shown_path};

use crate::find::{FindError, locate};
use crate::{NameError, ProfileName, Root};

/// The file of a root that names its active profile.
const FILE: &str = "active_profile";
/// What it may hold at most: a name and white space around it.
const LONGEST: u64 = 1024;
/// The longest text that may have been meant for a name.
const LONGEST_NAME: usize = 80;

/// The active profile cannot be told. It never is `default` instead (PROF-43).
///
/// # Fail-closed behaviour
///
/// Who can write in the root can put a link in the file's place, and the error would carry what it leads to.
/// So a link may lead nowhere but into the root's own folder, and not into `profiles/` (FILE-06); and a text is
/// shown only if the file itself holds it and it may have been meant for a name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActiveProfileError {
    /// The file is there and cannot be read.
    #[error("cannot read {}: {source}", shown_path(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Unreadable,
    },
    /// The file is not UTF-8.
    #[error("{} is not UTF-8", shown_path(path))]
    Encoding {
        /// The file.
        path: PathBuf,
    },
    /// What it says is no profile's name.
    #[error("{}: {name}", shown_path(path))]
    InvalidName {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        name: NameError,
    },
    /// The profile that it names is not live.
    #[error("{}: {source}", shown_path(path))]
    NotLive {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<FindError>,
    },
    /// It names no live profile, and what it holds is not for an error to show.
    #[error("{} names no profile that is live; its text is not shown, since it {reason}", shown_path(path))]
    Withheld {
        /// The file.
        path: PathBuf,
        /// What the error would be that shows the text.
        code: &'static str,
        /// Why it is not shown.
        reason: &'static str,
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
            Self::Withheld { code, .. } => code,
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. }
            | Self::Encoding { path }
            | Self::InvalidName { path, .. }
            | Self::NotLive { path, .. }
            | Self::Withheld { path, .. } => path,
        }
    }
}

/// The profile that the root's file names; `default` where it is missing or blank (PROF-43).
pub(crate) fn active_profile(files: &dyn FileSystem, root: &Root) -> Result<ProfileName, ActiveProfileError> {
    let path = root.path().join(FILE);
    let (bytes, linked) = match read(files, root, &path) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(ProfileName::Default),
        Err(source) => return Err(ActiveProfileError::Unreadable { path, source }),
    };
    let Ok(text) = std::str::from_utf8(&bytes) else { return Err(ActiveProfileError::Encoding { path }) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.is_empty() {
        return Ok(ProfileName::Default);
    }
    let withheld = if linked {
        Some("comes from the other end of a link")
    } else if is_meant_for_a_name(text) {
        None
    } else {
        Some("does not look like a name")
    };
    let error = match ProfileName::requested(text) {
        Ok(name) => match locate(files, root, &name) {
            Ok(found) => return Ok(found.name().clone()),
            Err(source) => ActiveProfileError::NotLive { path, source: Box::new(source) },
        },
        Err(name) => ActiveProfileError::InvalidName { path, name },
    };
    Err(match withheld {
        None => error,
        Some(reason) => {
            ActiveProfileError::Withheld { path: error.path().to_owned(), code: error.code(), reason }
        }
    })
}

/// Whether somebody may have written a text to name a profile: one line, not long, and no assignment.
fn is_meant_for_a_name(text: &str) -> bool {
    text.chars().count() <= LONGEST_NAME && !text.contains(|c: char| c.is_control() || matches!(c, '=' | ':'))
}

/// The file's bytes, and whether a link led to them; `None` only if its own name does not exist.
///
/// A link that takes the place of a regular file between the two looks is allowed nowhere, so what is not
/// said to be linked is the file's own.
fn read(
    files: &dyn FileSystem,
    root: &Root,
    path: &Path,
) -> Result<Option<(impl Deref<Target = Vec<u8>> + use<>, bool)>, Unreadable> {
    let linked = match files.symlink_metadata(path) {
        Ok(found) => found.kind == FileKind::Symlink,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let home = files.canonicalize(root.path())?;
    let home = ProfileHome::confined(HomeId::new(home, None));
    let home = if linked { home.without(root.profiles_dir()) } else { home.without(root.path()) };
    Ok(read_other(files, &home, FILE, LONGEST)?.map(|bytes| (bytes, linked)))
}
