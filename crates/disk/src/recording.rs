use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{FileSystem, Operation, Scripted};

/// One operation that was asked for, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "plain data for assertions")]
pub struct Call {
    /// What was asked.
    pub operation: Operation,
    /// The path it was about; the new name where there are two.
    pub path: PathBuf,
}

/// Remembers the order of all calls to a file system, failed ones included.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Recording {
    /// An empty recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// A file system that records what it is asked and then asks `below`.
    pub fn of(&self, below: Arc<dyn FileSystem>) -> Scripted {
        let calls = Arc::clone(&self.calls);
        Scripted::new(below, move |operation, path| {
            calls
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(Call { operation, path: path.to_owned() });
            Ok(())
        })
    }

    /// Takes what was recorded so far.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
