use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use watertight_vocabulary::HomeId;

use crate::files::{Parsed, Reading};
use crate::generations::Generations;
use crate::signature::Signature;
use crate::{Config, DiskFiles, Dotenv, FileError, ProfileFiles, ProfileHome};

/// How many files of each kind are remembered at most, unless the host says otherwise.
const FILES: usize = 2048;
/// How many bytes of files of each kind are remembered at most.
const BYTES: u64 = 16 << 20;

/// Files on a disk that are parsed once and remembered while they stay the same (FILE-05).
///
/// Each read examines and opens the file, so deletion, replacement, a lost permission and a link that
/// leads elsewhere are seen; what is saved is reading and parsing. What is remembered stands under the
/// home's identity, is bounded, and is wiped when dropped.
///
/// # Fail-closed behaviour
///
/// A parse is remembered only under stamps that lay more than two seconds back when the read began, and
/// only if they were the same after it. Failures are never remembered, and a failure forgets what was.
#[derive(Debug)]
pub struct CachedFiles {
    disk: DiskFiles,
    dotenvs: Memory<Dotenv>,
    configs: Memory<Config>,
}

impl CachedFiles {
    /// Remembers what `disk` reads.
    pub fn new(disk: DiskFiles) -> Self {
        Self::bounded(disk, FILES)
    }

    /// Remembers at most this many files of each kind.
    pub fn bounded(disk: DiskFiles, files: usize) -> Self {
        Self { disk, dotenvs: Memory::new(files), configs: Memory::new(files) }
    }

    /// How many files are remembered.
    pub fn remembered(&self) -> usize {
        lock(&self.dotenvs.0).len() + lock(&self.configs.0).len()
    }

    fn read<T: Parsed>(&self, memory: &Memory<T>, home: &ProfileHome) -> Result<Option<Arc<T>>, FileError> {
        match self.disk.read(home, |signature| memory.recall(home.id(), signature)) {
            Ok(Reading::Known(value)) => Ok(Some(value)),
            Ok(Reading::Fresh { value, lasting }) => {
                match lasting.filter(|_| home.id().stamp().is_some()) {
                    Some(signature) => memory.remember(home.id(), signature, &value),
                    None => memory.forget(home.id()),
                }
                Ok(Some(value))
            }
            Ok(Reading::Absent) => {
                memory.forget(home.id());
                Ok(None)
            }
            Err(error) => {
                memory.forget(home.id());
                Err(error)
            }
        }
    }
}

impl ProfileFiles for CachedFiles {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        self.read(&self.dotenvs, home)
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        self.read(&self.configs, home)
    }
}

/// What is remembered of one kind of file. The lock is held for a look-up or a change of the map, never
/// while a file is read.
#[derive(Debug)]
struct Memory<T>(Mutex<Generations<HomeId, (Signature, Arc<T>)>>);

impl<T> Memory<T> {
    fn new(files: usize) -> Self {
        Self(Mutex::new(Generations::new(files, BYTES)))
    }

    fn recall(&self, home: &HomeId, signature: &Signature) -> Option<Arc<T>> {
        let mut held = lock(&self.0);
        let (remembered, value) = held.get(home)?;
        (remembered == signature).then(|| Arc::clone(value))
    }

    fn remember(&self, home: &HomeId, signature: Signature, value: &Arc<T>) {
        lock(&self.0).insert(home.clone(), (signature, Arc::clone(value)), signature.len());
    }

    fn forget(&self, home: &HomeId) {
        lock(&self.0).remove(home);
    }
}

/// No code that can panic runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
