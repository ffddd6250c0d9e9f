use std::io;
use std::path::{Component, Path, PathBuf};

use watertight_vocabulary::{HomeId, HomeStamp, shown_path};

use crate::FileSystem;

/// A path could not be resolved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The path is relative; it has to be made absolute once, where it is read (PROF-04).
    #[error("{} is not absolute", shown_path(path))]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// `..` stands behind the part that exists, so what it means depends on what is made there (PROF-40).
    #[error("{} goes up with `..` from a folder that does not exist", shown_path(path))]
    ParentOfMissing {
        /// The path.
        path: PathBuf,
    },
    /// The operating system said no.
    #[error("cannot resolve {}: {source}", shown_path(path))]
    Io {
        /// The path.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

impl ResolveError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Relative { .. } => "relative-path",
            Self::ParentOfMissing { .. } => "parent-of-missing",
            Self::Io { .. } => "unreadable",
        }
    }
}

/// Resolves a path fully; of one that does not exist yet, the longest existing ancestor, with the rest
/// appended (PROF-40).
///
/// # Errors
///
/// [`ResolveError`]: the path is relative, goes up from what does not exist, or cannot be examined. A
/// dangling link is a name that exists and cannot be examined.
pub fn resolve(files: &dyn FileSystem, path: &Path) -> Result<PathBuf, ResolveError> {
    if !path.is_absolute() {
        return Err(ResolveError::Relative { path: path.to_owned() });
    }
    let failed = |source| ResolveError::Io { path: path.to_owned(), source };
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        match files.canonicalize(existing) {
            Ok(mut resolved) => {
                resolved.extend(rest.iter().rev());
                return Ok(resolved);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => match files.symlink_metadata(existing) {
                Ok(_) => return Err(failed(error)),
                Err(missing) if missing.kind() == io::ErrorKind::NotFound => {}
                Err(other) => return Err(failed(other)),
            },
            Err(error) => return Err(failed(error)),
        }
        match (existing.components().next_back(), existing.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                rest.push(name.to_owned());
                existing = parent;
            }
            _ => return Err(ResolveError::ParentOfMissing { path: path.to_owned() }),
        }
    }
}

/// The identity of the home at `path` (PROF-40, PROF-45).
///
/// # Errors
///
/// As [`resolve`].
pub fn home_at(files: &dyn FileSystem, path: &Path) -> Result<HomeId, ResolveError> {
    let resolved = resolve(files, path)?;
    let stamp = match files.metadata(&resolved) {
        Ok(found) => Some(HomeStamp { device: found.device, inode: found.inode, created: found.created }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(ResolveError::Io { path: resolved, source }),
    };
    Ok(HomeId::new(resolved, stamp))
}
