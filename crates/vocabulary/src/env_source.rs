use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Where an environment comes from: the process, a snapshot, a map.
///
/// The environment is an argument everywhere in this workspace; nothing reads it on its own (SNAP-06).
pub trait EnvSource: fmt::Debug + Send + Sync {
    /// The value of a variable, as the system holds it.
    fn var_os(&self, name: &OsStr) -> Option<OsString>;

    /// All variables, as the system lists them: duplicates and odd names included.
    fn vars_os(&self) -> Vec<(OsString, OsString)>;

    /// The current directory, asked for only to make a relative path absolute, once (PROF-04).
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn current_dir(&self) -> io::Result<PathBuf>;
}

impl<E: EnvSource + ?Sized> EnvSource for Arc<E> {
    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        (**self).var_os(name)
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        (**self).vars_os()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        (**self).current_dir()
    }
}
