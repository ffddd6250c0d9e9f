use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use watertight_vocabulary::EnvSource;

/// The environment of this process, live.
///
/// The one place of the workspace that reads it; nothing writes it (SNAP-06). What is read is handed on
/// byte for byte (SNAP-05). Entries that no lookup could ever find (without `=`, or with an empty name)
/// are skipped by the standard library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessEnv;

impl ProcessEnv {
    /// The environment of this process.
    pub const fn new() -> Self {
        Self
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the process environment (SNAP-06)")]
impl EnvSource for ProcessEnv {
    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        // The C library would read `A=B` out of the value of `A`.
        let possible = !name.as_encoded_bytes().iter().skip(1).any(|byte| *byte == b'=');
        possible.then(|| env::var_os(name)).flatten()
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        env::vars_os().collect()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        env::current_dir()
    }
}
