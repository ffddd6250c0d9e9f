use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::{FileSystem, RealFileSystem};
use watertight_vocabulary::{Diagnostic, Severity};
use zeroize::Zeroizing;

use crate::open::{self, Found, Request};
use crate::signature::Signature;
use crate::{Config, Dotenv, FileError, ProfileHome, Unreadable};

/// The two files of a home that carry policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the specification knows these two")]
pub enum HomeFile {
    /// `.env`.
    Dotenv,
    /// `config.yaml`.
    Config,
}

impl HomeFile {
    /// The file's name in the home.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dotenv => ".env",
            Self::Config => "config.yaml",
        }
    }

    /// Where it lies in a home.
    pub fn in_home(self, home: &Path) -> PathBuf {
        home.join(self.name())
    }
}

/// What a home's two files say: from a disk, from a cached disk, from memory.
///
/// # Fail-closed behaviour
///
/// `Ok(None)` is absence and nothing else (FILE-01); whatever cannot be read or used is an error.
pub trait ProfileFiles: fmt::Debug + Send + Sync {
    /// The home's `.env`; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`FileError`]: it is unreadable.
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError>;

    /// The home's `config.yaml`; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`FileError`]: it is unreadable or invalid.
    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError>;
}

impl<F: ProfileFiles + ?Sized> ProfileFiles for Arc<F> {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        (**self).dotenv(home)
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        (**self).config(home)
    }
}

/// The longest file that is read unless the host says otherwise (FILE-02).
const LIMIT: u64 = 1 << 20;

/// Files on a disk, read anew each time.
#[derive(Debug, Clone)]
pub struct DiskFiles {
    disk: Arc<dyn FileSystem>,
    dotenv_limit: u64,
    config_limit: u64,
}

impl DiskFiles {
    /// The files of this machine's disk.
    pub fn new() -> Self {
        Self::on(Arc::new(RealFileSystem))
    }

    /// The files of a disk.
    pub fn on(disk: Arc<dyn FileSystem>) -> Self {
        Self { disk, dotenv_limit: LIMIT, config_limit: LIMIT }
    }

    /// Reads a `.env` of at most this many bytes instead of 1 MiB.
    pub fn with_dotenv_limit(self, bytes: u64) -> Self {
        Self { dotenv_limit: bytes, ..self }
    }

    /// Reads a `config.yaml` of at most this many bytes instead of 1 MiB. FILE-37's budgets stay.
    pub fn with_config_limit(self, bytes: u64) -> Self {
        Self { config_limit: bytes, ..self }
    }

    /// Reads a file of a home and parses it, unless `known` recognises it by its open descriptor.
    pub(crate) fn read<T: Parsed>(
        &self,
        home: &ProfileHome,
        known: impl FnMut(&Signature) -> Option<Arc<T>>,
    ) -> Result<Reading<T>, FileError> {
        let path: Arc<Path> = T::FILE.in_home(home.path()).into();
        let limit = match T::FILE {
            HomeFile::Dotenv => self.dotenv_limit,
            HomeFile::Config => self.config_limit,
        };
        let request = Request { disk: &*self.disk, path: &path, reach: Some(home.reach()), limit };
        parsed(request, &path, known)
    }
}

impl Default for DiskFiles {
    fn default() -> Self {
        Self::new()
    }
}

impl ProfileFiles for DiskFiles {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        self.read(home, |_| None).map(Reading::into_value)
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        self.read(home, |_| None).map(Reading::into_value)
    }
}

/// The bytes of a file of a home that carries no policy, opened and read as the two that do: `None` only if
/// its own name does not exist (FILE-01, FILE-02, FILE-06, FILE-07).
///
/// # Errors
///
/// [`Unreadable`].
pub fn read_other(
    disk: &dyn FileSystem,
    home: &ProfileHome,
    name: &str,
    limit: u64,
) -> Result<Option<Zeroizing<Vec<u8>>>, Unreadable> {
    let path = home.path().join(name);
    let request = Request { disk, path: &path, reach: Some(home.reach()), limit };
    Ok(match open::read(request, |_| None::<std::convert::Infallible>)? {
        Found::Read(contents) => Some(contents.bytes),
        Found::Absent => None,
        Found::Known(never) => match never {},
    })
}

/// What a file's bytes are made into.
pub(crate) trait Parsed: Sized {
    const FILE: HomeFile;

    fn parse(bytes: Zeroizing<Vec<u8>>, path: Arc<Path>) -> Result<Self, FileError>;

    fn findings(&self) -> &[Diagnostic];
}

impl Parsed for Dotenv {
    const FILE: HomeFile = HomeFile::Dotenv;

    fn parse(bytes: Zeroizing<Vec<u8>>, path: Arc<Path>) -> Result<Self, FileError> {
        Self::read(bytes, path)
    }

    fn findings(&self) -> &[Diagnostic] {
        self.diagnostics()
    }
}

impl Parsed for Config {
    const FILE: HomeFile = HomeFile::Config;

    fn parse(bytes: Zeroizing<Vec<u8>>, path: Arc<Path>) -> Result<Self, FileError> {
        Self::read(&bytes, path)
    }

    fn findings(&self) -> &[Diagnostic] {
        &[]
    }
}

/// What reading and parsing a file came to.
#[derive(Debug)]
pub(crate) enum Reading<T> {
    Absent,
    Known(Arc<T>),
    /// Parsed just now, with the signature under which it may be remembered and its size.
    Fresh {
        value: Arc<T>,
        lasting: Option<Signature>,
    },
}

impl<T> Reading<T> {
    pub(crate) fn into_value(self) -> Option<Arc<T>> {
        match self {
            Self::Absent => None,
            Self::Known(value) | Self::Fresh { value, .. } => Some(value),
        }
    }
}

/// Reads a file and parses it; what is found in it also goes out as events.
pub(crate) fn parsed<T: Parsed>(
    request: Request<'_>,
    path: &Arc<Path>,
    known: impl FnMut(&Signature) -> Option<Arc<T>>,
) -> Result<Reading<T>, FileError> {
    match open::read(request, known).map_err(|why| FileError::unreadable(Arc::clone(path), why))? {
        Found::Absent => Ok(Reading::Absent),
        Found::Known(value) => Ok(Reading::Known(value)),
        Found::Read(contents) => {
            let value = T::parse(contents.bytes, Arc::clone(path))
                .map_err(|error| error.in_file(Arc::clone(path)).with_signature(contents.signature))?;
            tell(value.findings());
            Ok(Reading::Fresh { value: Arc::new(value), lasting: contents.lasting })
        }
    }
}

/// Sends out what was found in a file as events.
pub(crate) fn tell(findings: &[Diagnostic]) {
    for finding in findings {
        if finding.severity() == Severity::Note {
            tracing::debug!(code = finding.code(), "{finding}");
        } else {
            tracing::warn!(code = finding.code(), "{finding}");
        }
    }
}
