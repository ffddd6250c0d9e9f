use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use watertight_vocabulary::{CaseRule, EnvSource, Name, Platform};

/// An environment that is a list of entries: for tests, tools, and hosts whose environment is not the
/// process's.
///
/// It can be written through `&self`, as the environment of a process can, and so stands in for it where
/// liveness matters (SNAP-06). The entries are kept as given, duplicates and odd names included; of
/// duplicates the first counts, as for `getenv` (SNAP-25). A writer is seen whole or not at all.
///
/// ```
/// use watertight_env_snapshot::MapEnv;
/// use watertight_vocabulary::EnvSource;
///
/// let env = MapEnv::from([("MODE", "ssh")]);
/// env.set("MODE", "docker");
/// assert_eq!(env.var_os("MODE".as_ref()), Some("docker".into()));
/// ```
pub struct MapEnv {
    entries: RwLock<Vec<(OsString, OsString)>>,
    directory: Option<PathBuf>,
    case: CaseRule,
}

impl MapEnv {
    /// An empty environment, with the case rule of the platform this runs on.
    pub fn new() -> Self {
        Self::from_iter([] as [(OsString, OsString); 0])
    }

    /// Compares names as this platform does (SNAP-08).
    pub fn on(self, platform: Platform) -> Self {
        Self { case: platform.case_rule(), ..self }
    }

    /// Gives it a current directory; without one, asking for it fails.
    pub fn in_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Sets a variable: replaces the first entry of that name and removes the others, or adds one.
    pub fn set(&self, name: impl AsRef<OsStr>, value: impl Into<OsString>) {
        let (name, mut new) = (name.as_ref(), Some(value.into()));
        let mut entries = self.write();
        entries.retain_mut(|(own, held)| {
            if !self.case.same(own, name) {
                return true;
            }
            new.take().map(|value| *held = value).is_some()
        });
        entries.extend(new.map(|value| (name.to_os_string(), value)));
    }

    /// Removes a variable, all entries of that name.
    pub fn remove(&self, name: impl AsRef<OsStr>) {
        let name = name.as_ref();
        self.write().retain(|(own, _)| !self.case.same(own, name));
    }

    /// A writer that panicked has left whole entries: each change is one step.
    fn write(&self) -> RwLockWriteGuard<'_, Vec<(OsString, OsString)>> {
        self.entries.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn read(&self) -> RwLockReadGuard<'_, Vec<(OsString, OsString)>> {
        self.entries.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Default for MapEnv {
    fn default() -> Self {
        Self::new()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for MapEnv {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let entries = entries.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { entries: RwLock::new(entries), directory: None, case: Platform::current().case_rule() }
    }
}

impl<N: Into<OsString>, V: Into<OsString>, const LENGTH: usize> From<[(N, V); LENGTH]> for MapEnv {
    fn from(entries: [(N, V); LENGTH]) -> Self {
        entries.into_iter().collect()
    }
}

impl EnvSource for MapEnv {
    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        self.read().iter().find(|(own, _)| self.case.same(own, name)).map(|(_, value)| value.clone())
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        self.read().clone()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        self.directory.clone().ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "this environment was given no current directory")
        })
    }
}

/// Names only (SNAP-07).
impl fmt::Debug for MapEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MapEnv")?;
        f.debug_list().entries(self.read().iter().map(|(name, _)| Name::new(name))).finish()
    }
}
