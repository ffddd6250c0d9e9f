//! A tree in a temporary folder, and short ways to ask about it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use watertight_disk::{FileSystem, Operation, RealFileSystem, Scripted, home_at};
use watertight_profile_discovery::{Listing, ProfileId, ProfileName, ProfileTree, Root, Roster, Tenants};
use watertight_profile_home::{DiskFiles, ProfileFiles};
use watertight_vocabulary::{HomeId, Platform};

/// A folder of its own with a root in it.
#[derive(Debug)]
pub(crate) struct Tree {
    folder: TempDir,
    root: PathBuf,
}

impl Tree {
    /// An empty root.
    pub(crate) fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    /// An empty root in memory, where there is such a place: for trees with very many entries.
    pub(crate) fn in_memory() -> Self {
        let memory = tempfile::tempdir_in("/dev/shm");
        Self::within(memory.or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn within(folder: TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        Self { folder, root }
    }

    /// A root with these profiles in it.
    pub(crate) fn with(profiles: &[&str]) -> Self {
        let tree = Self::new();
        for id in profiles {
            tree.profile(id);
        }
        tree
    }

    /// The root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the root lies in, for what lies beside it.
    pub(crate) fn beside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    pub(crate) fn file(&self, below: &str, text: &str) -> &Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn dir(&self, below: &str) -> &Self {
        fs::create_dir_all(self.path(below)).unwrap();
        self
    }

    /// A profile with a `config.yaml`.
    pub(crate) fn profile(&self, id: &str) -> &Self {
        self.file(&format!("profiles/{id}/config.yaml"), "model: canary-model\n")
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, below: &str, target: impl AsRef<Path>) -> &Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    #[cfg(unix)]
    pub(crate) fn fifo(&self, below: &str) -> &Self {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, self.path(below), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        self
    }

    pub(crate) fn remove(&self, below: &str) -> &Self {
        let path = self.path(below);
        if path.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
        self
    }

    pub(crate) fn open(&self) -> ProfileTree {
        self.on(Arc::new(RealFileSystem))
    }

    pub(crate) fn on(&self, disk: Arc<dyn FileSystem>) -> ProfileTree {
        self.with_files(disk, Arc::new(DiskFiles::new()))
    }

    pub(crate) fn with_files(&self, disk: Arc<dyn FileSystem>, files: Arc<dyn ProfileFiles>) -> ProfileTree {
        let root = Root::at(&self.root, Platform::Linux, &RealFileSystem).unwrap();
        ProfileTree::new(root, disk, files)
    }

    /// With this operating system error for `operation` on what ends in `suffix`.
    pub(crate) fn failing(&self, operation: Operation, suffix: &str, raw_os_error: i32) -> ProfileTree {
        self.on(Arc::new(Scripted::failing(Arc::new(RealFileSystem), operation, suffix, raw_os_error)))
    }

    /// With `script` run before each operation.
    pub(crate) fn scripted(
        &self,
        script: impl Fn(Operation, &Path) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> ProfileTree {
        self.on(Arc::new(Scripted::new(Arc::new(RealFileSystem), script)))
    }
}

pub(crate) const EACCES: i32 = 13;
pub(crate) const EIO: i32 = 5;

/// The home at a path of the real disk.
pub(crate) fn home(path: impl AsRef<Path>) -> HomeId {
    home_at(&RealFileSystem, path.as_ref()).unwrap()
}

pub(crate) fn named(id: &str) -> ProfileName {
    ProfileName::Named(ProfileId::parse(id).unwrap())
}

/// The listed names, in order.
pub(crate) fn listed(listing: &Listing) -> Vec<String> {
    listing.profiles().iter().map(|profile| profile.name().to_string()).collect()
}

/// The skipped entries with the codes of their reasons, in order.
pub(crate) fn skipped(listing: &Listing) -> Vec<(String, &'static str)> {
    let shown = |name: &std::ffi::OsStr| name.to_string_lossy().into_owned();
    listing.skipped().iter().map(|skipped| (shown(skipped.name()), skipped.reason().code())).collect()
}

/// The names on a roster, in order.
pub(crate) fn residents(roster: &Roster) -> Vec<String> {
    roster.residents().iter().map(|resident| resident.name().to_string()).collect()
}

/// Who is not on a roster, and the codes of the reasons.
pub(crate) fn left_out(roster: &Roster) -> Vec<(String, &'static str)> {
    roster.left_out().iter().map(|left| (left.profile().name().to_string(), left.reason().code())).collect()
}

/// The tenants' names with the codes of their reasons.
pub(crate) fn counted(tenants: &Tenants) -> Vec<(String, &'static str)> {
    let name = |name: Option<&ProfileName>| name.map_or("-".to_owned(), ToString::to_string);
    tenants.iter().map(|tenant| (name(tenant.name()), tenant.reason().code())).collect()
}

/// The same pairs, to compare with.
pub(crate) fn pairs<const N: usize>(pairs: [(&str, &'static str); N]) -> Vec<(String, &'static str)> {
    pairs.map(|(name, code)| (name.to_owned(), code)).to_vec()
}
