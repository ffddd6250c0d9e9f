use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use watertight_disk::{RealFileSystem, home_at};
use watertight_profile_home::{Dotenv, FileError, ProfileFiles, ProfileHome};

/// A folder with homes in it, on the real disk.
pub(crate) struct World {
    _root: TempDir,
    pub(crate) root: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        Self { _root: root, root: path }
    }

    /// The folder of a home, made if it is not there.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.root.join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A home that is confined to itself.
    pub(crate) fn home(&self, name: &str) -> ProfileHome {
        ProfileHome::confined(home_at(&RealFileSystem, &self.folder(name)).unwrap())
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

/// The value of a key, or what reading came to.
pub(crate) fn value(
    files: &dyn ProfileFiles,
    home: &ProfileHome,
    key: &str,
) -> Result<Option<String>, FileError> {
    Ok(files.dotenv(home)?.and_then(|dotenv| value_in(&dotenv, key)))
}

pub(crate) fn value_in(dotenv: &Dotenv, key: &str) -> Option<String> {
    dotenv.get(key).map(|entry| entry.value().expose().unwrap().to_owned())
}

/// Asserts that a file is unreadable for this reason, and that the error names it and no value.
#[track_caller]
pub(crate) fn assert_unreadable<T: std::fmt::Debug>(answer: Result<T, FileError>, reason: &str, path: &Path) {
    let error = answer.unwrap_err();
    assert!(error.is_unreadable() && !error.is_invalid(), "{error:?}");
    assert_eq!((error.code(), error.reason()), ("unreadable", reason), "{error}");
    assert_eq!(error.path(), Some(path), "{error}");
    assert!(!format!("{error} {error:?}").contains("canary"), "the error holds a value: {error:?}");
}
