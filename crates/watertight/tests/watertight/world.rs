//! A real profile tree in a temporary folder, and a host over it with an environment that can be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use watertight::env_snapshot::MapEnv;
use watertight::profile_home::ManagedDirectory;
use watertight::vocabulary::{EnvSource, Refused, Secret};
use watertight::{Host, HostBuilder};

/// The tree, and the environment that hosts over it read live.
pub(crate) struct World {
    folder: TempDir,
    pub(crate) env: Arc<MapEnv>,
}

impl World {
    /// A root with nothing in it, and the launch environment of a process that was started for it.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let env = MapEnv::new();
        let path = folder.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("user")).unwrap();
        fs::create_dir_all(path.join("root")).unwrap();
        env.set("HOME", path.join("user"));
        env.set("HERMES_HOME", path.join("root"));
        env.set("PATH", "/usr/bin");
        Self { folder, env: Arc::new(env) }
    }

    /// With one more profile, so that eager activation activates.
    pub(crate) fn with_coder() -> Self {
        let world = Self::new();
        world.write("profiles/coder/.env", "CODER_KEY=canary-coder\n");
        world
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("root")
    }

    pub(crate) fn path(&self, below_root: &str) -> PathBuf {
        self.root().join(below_root)
    }

    pub(crate) fn write(&self, below_root: &str, text: &str) -> &Self {
        let path = self.path(below_root);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn set(&self, name: &str, value: &str) -> &Self {
        self.env.set(name, value);
        self
    }

    pub(crate) fn builder(&self) -> HostBuilder {
        Host::builder().env(Arc::clone(&self.env)).managed(ManagedDirectory::none())
    }

    pub(crate) fn host(&self) -> Host {
        self.builder().build().unwrap()
    }
}

/// The text of a read that gave a value.
pub(crate) fn value(read: Result<Option<Secret>, Refused>) -> Option<String> {
    read.unwrap().map(|secret| secret.expose().unwrap().to_owned())
}

/// The code of a read that was refused.
pub(crate) fn code(read: Result<Option<Secret>, Refused>) -> &'static str {
    read.map(|secret| secret.map(|_| "a value")).unwrap_err().code()
}

/// Everything that tells whether a tree was touched: names, kinds, contents, modes, mtime and ctime.
pub(crate) fn picture(root: &Path) -> Vec<String> {
    use watertight::disk::{FileSystem, RealFileSystem};

    let mut seen = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let found = RealFileSystem.symlink_metadata(&path).unwrap();
            seen.push(format!("{} {found:?} {:?}", path.display(), fs::read(&path).ok()));
            if found.is_dir() {
                folders.push(path);
            }
        }
    }
    seen.sort();
    seen
}

/// All entries of an environment, in the order of their names.
pub(crate) fn entries(env: &dyn EnvSource) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let mut entries = env.vars_os();
    entries.sort();
    entries
}
