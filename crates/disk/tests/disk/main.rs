//! What the seam promises of the real disk, and what the scripted and the recording one add.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like a test")]

mod directory;
mod reading;
mod recording;
mod resolve;
mod scripted;
mod writing;

use std::path::PathBuf;

use tempfile::TempDir;

/// A folder of its own, by its resolved path.
struct Folder {
    _folder: TempDir,
    path: PathBuf,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        Self { _folder: folder, path }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.path.join(below)
    }

    fn file(&self, below: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(below), text).unwrap();
        self.path(below)
    }

    fn dir(&self, below: &str) -> PathBuf {
        std::fs::create_dir_all(self.path(below)).unwrap();
        self.path(below)
    }

    #[cfg(unix)]
    fn link(&self, below: &str, target: impl AsRef<std::path::Path>) -> PathBuf {
        std::os::unix::fs::symlink(target, self.path(below)).unwrap();
        self.path(below)
    }

    #[cfg(unix)]
    fn fifo(&self, below: &str) -> PathBuf {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, self.path(below), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        self.path(below)
    }
}
