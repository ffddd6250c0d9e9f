use std::error::Error;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Dispatch;
use tracing_subscriber::fmt::MakeWriter;

/// What stands before the text of an error in a log: the texts are gathered for review by it.
pub const SAYS: &str = "error: ";

/// Everything that our crates would show to a person while a case runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<u8>>>);

/// A log, and a `tracing` subscriber that writes every event to it.
pub(super) fn capture() -> (Log, Dispatch) {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(log.clone())
        .with_ansi(false)
        .without_time()
        .with_max_level(tracing::Level::TRACE)
        .finish();
    (log, Dispatch::new(subscriber))
}

impl Log {
    /// Adds a debug text.
    pub(super) fn debug(&self, value: &dyn fmt::Debug) {
        self.line(&format!("{value:?}"));
        self.line(&format!("{value:#?}"));
    }

    /// Adds an error in all its forms, and whatever it says it came from.
    pub(super) fn error(&self, error: &(dyn Error + 'static)) {
        let mut current = Some(error);
        while let Some(error) = current {
            self.line(&format!("{SAYS}{error}"));
            self.debug(&error);
            current = error.source();
        }
    }

    /// Adds a line.
    pub(super) fn line(&self, line: &str) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(line.as_bytes());
        log.push(b'\n');
    }

    /// The lines so far.
    pub(super) fn lines(&self) -> Vec<String> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&log).lines().map(str::to_owned).collect()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
