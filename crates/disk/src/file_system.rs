use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::{FileKind, Metadata};

/// Whether an open follows links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a link is followed, or it is not, here or anywhere")]
pub enum Links {
    /// Follow them.
    Follow,
    /// Fail on one in the last component, with `ELOOP` on Unix.
    Refuse,
    /// Fail on one in any component, with `ELOOP` on Unix: what is opened is what has this very path.
    RefuseAll,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "plain data, built by every implementation of the seam")]
pub struct DirEntry {
    /// Its own name.
    pub name: OsString,
    /// What the listing says it is, where it says so. A link is a [`FileKind::Symlink`].
    pub kind: Option<FileKind>,
}

/// A file that was opened for reading.
pub trait OpenFile: fmt::Debug + Send {
    /// What the descriptor says of itself. [`Metadata::created`] need not be asked for.
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn metadata(&self) -> io::Result<Metadata>;

    /// Reads into `buffer`, up to its length; 0 at the end.
    ///
    /// # Errors
    ///
    /// What the operating system said; interruptions are retried.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
}

/// A file that was just made, open for writing.
pub trait NewFile: fmt::Debug + Send {
    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// What the operating system said; part of it may have been written.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Has contents and metadata on disk before it returns.
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn sync(&mut self) -> io::Result<()>;
}

/// A directory that was opened to be looked into.
///
/// What is asked through it is asked of that one directory, whatever happens to its name meanwhile, and
/// costs a walk of the last components only.
pub trait OpenDir: fmt::Debug + Send + Sync {
    /// Its entries without `.` and `..`, in no order. An entry that cannot be read is an error in its place.
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn entries(&self) -> io::Result<Vec<io::Result<DirEntry>>>;

    /// `lstat` of a relative path below it. [`Metadata::created`] is not asked for.
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn symlink_metadata(&self, below: &Path) -> io::Result<Metadata>;

    /// `lstat` of a relative path below it with [`Metadata::created`]: what an identity is made of (PROF-45).
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn identify(&self, below: &Path) -> io::Result<Metadata>;

    /// `stat` of a relative path below it. [`Metadata::created`] is not asked for.
    ///
    /// # Errors
    ///
    /// What the operating system said.
    fn metadata(&self, below: &Path) -> io::Result<Metadata>;
}

/// A temporary file and where it is. It stays until somebody removes or renames it.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "plain data, built by every implementation of the seam")]
pub struct TemporaryFile {
    /// Where it is.
    pub path: PathBuf,
    /// What to write to.
    pub file: Box<dyn NewFile>,
}

/// A lock that is held until this is dropped.
pub trait FileLock: fmt::Debug + Send {}

/// What is done to a disk.
///
/// Every method may fail with what the operating system said; none of them retries, creates parents or
/// follows links unless it says so.
#[expect(clippy::missing_errors_doc, reason = "all of them: what the operating system said")]
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// `lstat`. [`Metadata::created`] need not be asked for.
    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// `stat`, with [`Metadata::created`]: what an identity is made of (PROF-45).
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// The target of a link, as written.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;

    /// The path with every link resolved. It must exist.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;

    /// A directory's entries without `.` and `..`, in no order. An entry that cannot be read is an error
    /// in its place.
    fn read_dir(&self, path: &Path) -> io::Result<Vec<io::Result<DirEntry>>>;

    /// Opens a directory, links followed; `NotADirectory` for anything else.
    fn open_dir(&self, path: &Path) -> io::Result<Box<dyn OpenDir>>;

    /// Opens for reading: never blocks, never takes a controlling terminal, closed on `exec` (FILE-02).
    fn open(&self, path: &Path, links: Links) -> io::Result<Box<dyn OpenFile>>;

    /// Makes one directory with this mode.
    fn create_dir(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Makes a new file of mode 0600 with a name of its own in `directory`; a link is never followed.
    fn create_temporary(&self, directory: &Path, prefix: &str) -> io::Result<TemporaryFile>;

    /// Makes a new file with this mode; fails if the name exists, be it as a dangling link.
    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>>;

    /// Renames, and fails with `AlreadyExists` if the new name exists, in one step; `Unsupported` or
    /// `InvalidInput` where the file system has no such step.
    fn rename_no_replace(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name; fails if the new name exists.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Renames, in place of what was there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file or a link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Makes the file if it is not there (mode 0600, a link is never followed), and waits until this caller
    /// alone holds its lock. The lock is let go when the answer is dropped, and by the system when the
    /// process dies; the file stays. `Unsupported` where the file system has no locks.
    fn lock(&self, path: &Path) -> io::Result<Box<dyn FileLock>>;

    /// Has a directory's entries on disk before it returns. Does nothing where the platform has no such call.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// The clock that time stamps are held against (FILE-05).
    fn now(&self) -> SystemTime;
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> $answer { (**self).$name($($argument),*) })*
    };
}

impl<F: FileSystem + ?Sized> FileSystem for Arc<F> {
    forward! {
        symlink_metadata(path: &Path) -> io::Result<Metadata>;
        metadata(path: &Path) -> io::Result<Metadata>;
        read_link(path: &Path) -> io::Result<PathBuf>;
        canonicalize(path: &Path) -> io::Result<PathBuf>;
        read_dir(path: &Path) -> io::Result<Vec<io::Result<DirEntry>>>;
        open_dir(path: &Path) -> io::Result<Box<dyn OpenDir>>;
        open(path: &Path, links: Links) -> io::Result<Box<dyn OpenFile>>;
        create_dir(path: &Path, mode: u32) -> io::Result<()>;
        create_temporary(directory: &Path, prefix: &str) -> io::Result<TemporaryFile>;
        create_new(path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>>;
        rename_no_replace(from: &Path, to: &Path) -> io::Result<()>;
        hard_link(from: &Path, to: &Path) -> io::Result<()>;
        rename(from: &Path, to: &Path) -> io::Result<()>;
        remove_file(path: &Path) -> io::Result<()>;
        lock(path: &Path) -> io::Result<Box<dyn FileLock>>;
        sync_dir(path: &Path) -> io::Result<()>;
        now() -> SystemTime;
    }
}

/// Whether an error says that a link was met that may not be followed, or that leads back to itself.
pub fn is_link_loop(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    return error.get_ref().is_some_and(|inner| inner.is::<LinkRefused>());
}

/// What an open says of a link that it refuses, where the platform has no number for it.
#[cfg(not(unix))]
#[derive(Debug, thiserror::Error)]
#[error("a symbolic link")]
pub(crate) struct LinkRefused;
