use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use zeroize::Zeroizing;

use crate::{Config, Dotenv, FileError, HomeFile, ProfileFiles, ProfileHome};

/// Files that lie in memory, for tests and for hosts without a disk.
///
/// They are parsed when they are set, by the very readers that files on a disk go through. Setting takes
/// `&self`, so a test can change a file under a host.
#[derive(Default)]
pub struct MemoryFiles {
    dotenvs: Held<Dotenv>,
    configs: Held<Config>,
}

type Held<T> = Mutex<HashMap<PathBuf, Result<Arc<T>, FileError>>>;

impl MemoryFiles {
    /// No files in any home.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a home a `.env` with these bytes.
    pub fn set_dotenv(&self, home: &ProfileHome, bytes: impl AsRef<[u8]>) {
        let path = HomeFile::Dotenv.in_home(home.path());
        set(
            &self.dotenvs,
            home,
            Some(Dotenv::read(Zeroizing::new(bytes.as_ref().to_vec()), path.into()).map(Arc::new)),
        );
    }

    /// Gives a home a `config.yaml` with these bytes.
    pub fn set_config(&self, home: &ProfileHome, bytes: impl AsRef<[u8]>) {
        let path = HomeFile::Config.in_home(home.path());
        set(&self.configs, home, Some(Config::read(bytes.as_ref(), path.into()).map(Arc::new)));
    }

    /// Makes a file of a home answer with this error.
    pub fn fail(&self, home: &ProfileHome, file: HomeFile, error: FileError) {
        match file {
            HomeFile::Dotenv => set(&self.dotenvs, home, Some(Err(error))),
            HomeFile::Config => set(&self.configs, home, Some(Err(error))),
        }
    }

    /// Removes a file of a home.
    pub fn remove(&self, home: &ProfileHome, file: HomeFile) {
        match file {
            HomeFile::Dotenv => set(&self.dotenvs, home, None),
            HomeFile::Config => set(&self.configs, home, None),
        }
    }
}

fn set<T>(held: &Held<T>, home: &ProfileHome, file: Option<Result<Arc<T>, FileError>>) {
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    match file {
        Some(file) => held.insert(home.path().to_owned(), file),
        None => held.remove(home.path()),
    };
}

fn find<T>(held: &Held<T>, home: &ProfileHome) -> Result<Option<Arc<T>>, FileError> {
    held.lock().unwrap_or_else(PoisonError::into_inner).get(home.path()).cloned().transpose()
}

impl ProfileFiles for MemoryFiles {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        find(&self.dotenvs, home)
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        find(&self.configs, home)
    }
}

impl fmt::Debug for MemoryFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryFiles")
    }
}
