use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::{DirEntry, FileLock, FileSystem, Links, Metadata, NewFile, OpenDir, OpenFile, TemporaryFile};

/// The operations of [`FileSystem`], [`OpenDir`], [`OpenFile`] and [`NewFile`], as data.
///
/// Those of an [`OpenDir`] have the names that the file system has for them, with the whole path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "one variant per method of the seam")]
#[expect(missing_docs, reason = "named after the methods")]
pub enum Operation {
    SymlinkMetadata,
    Metadata,
    ReadLink,
    Canonicalize,
    ReadDir,
    OpenDir,
    Open,
    OpenMetadata,
    Read,
    CreateDir,
    CreateTemporary,
    CreateNew,
    WriteAll,
    Sync,
    RenameNoReplace,
    HardLink,
    Rename,
    RemoveFile,
    Lock,
    SyncDir,
}

/// Called before each operation, with the path it is about; may do anything, and may fail it.
type Script = dyn Fn(Operation, &Path) -> io::Result<()> + Send + Sync;

/// Called with what a file's metadata says; gives what is answered instead.
type Stamps = dyn Fn(&Path, Metadata) -> Metadata + Send + Sync;

/// A file system with errors injected that even root cannot provoke, and with hooks between the steps.
///
/// The script runs before each operation. Where it fails, that error is the operation's answer; where it
/// passes, the operation goes on to the file system below. For two-path operations the path is the new name.
#[derive(Clone)]
pub struct Scripted {
    below: Arc<dyn FileSystem>,
    script: Arc<Script>,
    stamps: Arc<Stamps>,
    kinds: bool,
    most: usize,
    clock: Arc<Mutex<Option<SystemTime>>>,
}

impl Scripted {
    /// Runs `script` before each operation on `below`.
    pub fn new(
        below: Arc<dyn FileSystem>,
        script: impl Fn(Operation, &Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            below,
            script: Arc::new(script),
            stamps: Arc::new(|_, found| found),
            kinds: true,
            most: usize::MAX,
            clock: Arc::default(),
        }
    }

    /// Fails every `operation` on a path that ends in `suffix` with this operating system error.
    pub fn failing(
        below: Arc<dyn FileSystem>,
        operation: Operation,
        suffix: impl AsRef<OsStr>,
        raw_os_error: i32,
    ) -> Self {
        let suffix = PathBuf::from(suffix.as_ref());
        Self::new(below, move |asked, path| {
            if asked == operation && path.ends_with(&suffix) {
                Err(io::Error::from_raw_os_error(raw_os_error))
            } else {
                Ok(())
            }
        })
    }

    /// Answers `stamps` of what the metadata of a file says, of its path and of its descriptor: a file
    /// system with a coarse clock, or one that lies about sizes. Directories opened by descriptor keep theirs.
    #[must_use]
    pub fn with_stamps(self, stamps: impl Fn(&Path, Metadata) -> Metadata + Send + Sync + 'static) -> Self {
        Self { stamps: Arc::new(stamps), ..self }
    }

    /// Lists names without saying what they are, as some file systems do.
    #[must_use]
    pub fn without_kinds(self) -> Self {
        Self { kinds: false, ..self }
    }

    /// Reads at most this many bytes of a file at a time, as a file system far away may.
    #[must_use]
    pub fn reading_at_most(self, bytes: usize) -> Self {
        Self { most: bytes, ..self }
    }

    /// Sets the clock that [`FileSystem::now`] answers; `None` asks the file system below.
    pub fn set_clock(&self, now: Option<SystemTime>) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn step(&self, operation: Operation, path: &Path) -> io::Result<()> {
        (self.script)(operation, path)
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted").field("below", &self.below).finish_non_exhaustive()
    }
}

impl FileSystem for Scripted {
    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.step(Operation::SymlinkMetadata, path)?;
        self.below.symlink_metadata(path).map(|found| (self.stamps)(path, found))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.step(Operation::Metadata, path)?;
        self.below.metadata(path).map(|found| (self.stamps)(path, found))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(Operation::ReadLink, path)?;
        self.below.read_link(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(Operation::Canonicalize, path)?;
        self.below.canonicalize(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<io::Result<DirEntry>>> {
        self.step(Operation::ReadDir, path)?;
        self.below.read_dir(path).map(|entries| told(entries, self.kinds))
    }

    fn open_dir(&self, path: &Path) -> io::Result<Box<dyn OpenDir>> {
        self.step(Operation::OpenDir, path)?;
        let directory = self.below.open_dir(path)?;
        let script = Arc::clone(&self.script);
        Ok(Box::new(ScriptedDir { directory, path: path.to_owned(), script, kinds: self.kinds }))
    }

    fn open(&self, path: &Path, links: Links) -> io::Result<Box<dyn OpenFile>> {
        self.step(Operation::Open, path)?;
        let file = self.below.open(path, links)?;
        let (script, stamps) = (Arc::clone(&self.script), Arc::clone(&self.stamps));
        Ok(Box::new(ScriptedFile { file, path: path.to_owned(), script, stamps, most: self.most }))
    }

    fn create_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step(Operation::CreateDir, path)?;
        self.below.create_dir(path, mode)
    }

    fn create_temporary(&self, directory: &Path, prefix: &str) -> io::Result<TemporaryFile> {
        self.step(Operation::CreateTemporary, directory)?;
        let TemporaryFile { path, file } = self.below.create_temporary(directory, prefix)?;
        let file = ScriptedNewFile { file, path: path.clone(), script: Arc::clone(&self.script) };
        Ok(TemporaryFile { path, file: Box::new(file) })
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        self.step(Operation::CreateNew, path)?;
        let file = self.below.create_new(path, mode)?;
        Ok(Box::new(ScriptedNewFile { file, path: path.to_owned(), script: Arc::clone(&self.script) }))
    }

    fn rename_no_replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(Operation::RenameNoReplace, to)?;
        self.below.rename_no_replace(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(Operation::HardLink, to)?;
        self.below.hard_link(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(Operation::Rename, to)?;
        self.below.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.step(Operation::RemoveFile, path)?;
        self.below.remove_file(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn FileLock>> {
        self.step(Operation::Lock, path)?;
        self.below.lock(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.step(Operation::SyncDir, path)?;
        self.below.sync_dir(path)
    }

    fn now(&self) -> SystemTime {
        let set = *self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        set.unwrap_or_else(|| self.below.now())
    }
}

/// A listing as it is told: with the kinds of its entries, or without.
fn told(entries: Vec<io::Result<DirEntry>>, kinds: bool) -> Vec<io::Result<DirEntry>> {
    let told = |entry: DirEntry| DirEntry { kind: entry.kind.filter(|_| kinds), ..entry };
    entries.into_iter().map(|entry| entry.map(told)).collect()
}

struct ScriptedDir {
    directory: Box<dyn OpenDir>,
    path: PathBuf,
    script: Arc<Script>,
    kinds: bool,
}

impl fmt::Debug for ScriptedDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedDir({:?})", self.path)
    }
}

impl OpenDir for ScriptedDir {
    fn entries(&self) -> io::Result<Vec<io::Result<DirEntry>>> {
        (self.script)(Operation::ReadDir, &self.path)?;
        self.directory.entries().map(|entries| told(entries, self.kinds))
    }

    fn symlink_metadata(&self, below: &Path) -> io::Result<Metadata> {
        (self.script)(Operation::SymlinkMetadata, &self.path.join(below))?;
        self.directory.symlink_metadata(below)
    }

    fn identify(&self, below: &Path) -> io::Result<Metadata> {
        (self.script)(Operation::SymlinkMetadata, &self.path.join(below))?;
        self.directory.identify(below)
    }

    fn metadata(&self, below: &Path) -> io::Result<Metadata> {
        (self.script)(Operation::Metadata, &self.path.join(below))?;
        self.directory.metadata(below)
    }
}

struct ScriptedFile {
    file: Box<dyn OpenFile>,
    path: PathBuf,
    script: Arc<Script>,
    stamps: Arc<Stamps>,
    most: usize,
}

impl fmt::Debug for ScriptedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedFile({:?})", self.path)
    }
}

impl OpenFile for ScriptedFile {
    fn metadata(&self) -> io::Result<Metadata> {
        (self.script)(Operation::OpenMetadata, &self.path)?;
        self.file.metadata().map(|found| (self.stamps)(&self.path, found))
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.script)(Operation::Read, &self.path)?;
        let length = buffer.len().min(self.most);
        self.file.read(buffer.split_at_mut(length).0)
    }
}

struct ScriptedNewFile {
    file: Box<dyn NewFile>,
    path: PathBuf,
    script: Arc<Script>,
}

impl fmt::Debug for ScriptedNewFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedNewFile({:?})", self.path)
    }
}

impl NewFile for ScriptedNewFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        (self.script)(Operation::WriteAll, &self.path)?;
        self.file.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        (self.script)(Operation::Sync, &self.path)?;
        self.file.sync()
    }
}
