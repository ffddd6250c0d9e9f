use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{
    DirEntry, FileKind, FileLock, FileSystem, Links, Metadata, NewFile, OpenDir, OpenFile, TemporaryFile,
};

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no state and needs none")]
pub struct RealFileSystem;

impl FileSystem for RealFileSystem {
    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        symlink_metadata(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        fs::metadata(path).map(|found| describe(&found))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<io::Result<DirEntry>>> {
        let entries = fs::read_dir(path)?;
        Ok(entries
            .map(|entry| {
                entry.map(|entry| DirEntry {
                    kind: entry.file_type().ok().map(kind_of),
                    name: entry.file_name(),
                })
            })
            .collect())
    }

    fn open_dir(&self, path: &Path) -> io::Result<Box<dyn OpenDir>> {
        Ok(Box::new(crate::directory::RealDir::open(path)?))
    }

    fn open(&self, path: &Path, links: Links) -> io::Result<Box<dyn OpenFile>> {
        Ok(Box::new(open_for_reading(path, links)?))
    }

    fn create_dir(&self, path: &Path, mode: u32) -> io::Result<()> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "there is no mode to set"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
        #[cfg(not(unix))]
        let _ = mode;
        builder.create(path)
    }

    fn create_temporary(&self, directory: &Path, prefix: &str) -> io::Result<TemporaryFile> {
        let temporary = tempfile::Builder::new().prefix(prefix).rand_bytes(12).tempfile_in(directory)?;
        let (file, path) = temporary.keep().map_err(|error| error.error)?;
        Ok(TemporaryFile { path, file: Box::new(file) })
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn NewFile>> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        Ok(Box::new(options.open(path)?))
    }

    fn rename_no_replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        rename_no_replace(from, to)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn FileLock>> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;

            let refuse_links = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits();
            options.mode(0o600).custom_flags(refuse_links.cast_signed());
        }
        let file = options.open(path)?;
        loop {
            match file.lock() {
                Ok(()) => return Ok(Box::new(file)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        if cfg!(unix) { fs::File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

impl OpenFile for fs::File {
    fn metadata(&self) -> io::Result<Metadata> {
        descriptor_metadata(self)
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match Read::read(self, buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }
}

#[cfg(unix)]
fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    Ok(crate::stat::describe(&rustix::fs::lstat(path)?))
}

#[cfg(not(unix))]
fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    fs::symlink_metadata(path).map(|found| describe(&found))
}

#[cfg(unix)]
fn descriptor_metadata(file: &fs::File) -> io::Result<Metadata> {
    Ok(crate::stat::describe(&rustix::fs::fstat(file)?))
}

#[cfg(not(unix))]
fn descriptor_metadata(file: &fs::File) -> io::Result<Metadata> {
    file.metadata().map(|found| describe(&found))
}

impl NewFile for fs::File {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

impl FileLock for fs::File {}

#[cfg(unix)]
fn open_for_reading(path: &Path, links: Links) -> io::Result<fs::File> {
    use rustix::fs::{Mode, OFlags};

    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if links != Links::Follow {
        flags |= OFlags::NOFOLLOW;
    }
    loop {
        let opened = match links {
            Links::Follow | Links::Refuse => rustix::fs::open(path, flags, Mode::empty()),
            Links::RefuseAll => open_without_links(path, flags),
        };
        match opened {
            Ok(descriptor) => return Ok(fs::File::from(descriptor)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// In one call where the kernel has it and lets us; else component by component.
#[cfg(target_os = "linux")]
fn open_without_links(path: &Path, flags: rustix::fs::OFlags) -> rustix::io::Result<rustix::fd::OwnedFd> {
    use rustix::fs::{CWD, Mode, ResolveFlags, openat2};
    use rustix::io::Errno;

    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => walk_without_links(path, flags),
        answer => answer,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn open_without_links(path: &Path, flags: rustix::fs::OFlags) -> rustix::io::Result<rustix::fd::OwnedFd> {
    walk_without_links(path, flags)
}

/// How a folder is opened to go through it. That needs the right to search it, and no right to list it,
/// wherever the platform knows the difference (POSIX's `O_SEARCH`, of which the standard library and `rustix`
/// have no name; these are the numbers of the systems' own headers).
#[cfg(any(target_os = "linux", target_os = "android"))]
const SEARCH: rustix::fs::OFlags = rustix::fs::OFlags::PATH;
#[cfg(target_vendor = "apple")]
const SEARCH: rustix::fs::OFlags = rustix::fs::OFlags::from_bits_retain(0x4000_0000);
#[cfg(target_os = "freebsd")]
const SEARCH: rustix::fs::OFlags = rustix::fs::OFlags::from_bits_retain(0x0004_0000);
#[cfg(target_os = "netbsd")]
const SEARCH: rustix::fs::OFlags = rustix::fs::OFlags::from_bits_retain(0x0080_0000);
#[cfg(all(
    unix,
    not(any(
        target_os = "linux",
        target_os = "android",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
    ))
))]
const SEARCH: rustix::fs::OFlags = rustix::fs::OFlags::RDONLY;

/// Opens each component in the folder before it, so that no link is ever followed.
#[cfg(unix)]
fn walk_without_links(path: &Path, flags: rustix::fs::OFlags) -> rustix::io::Result<rustix::fd::OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    let search = SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Errno::ISDIR);
    };
    let mut at: Option<rustix::fd::OwnedFd> = None;
    for component in folder.components() {
        // A link in a folder's place is no folder: `ENOTDIR` here means what `ELOOP` means elsewhere.
        let next = match &at {
            None => openat(CWD, component.as_os_str(), search, Mode::empty()),
            Some(at) => openat(at, component.as_os_str(), search, Mode::empty()),
        };
        at = Some(next.map_err(|error| if error == Errno::NOTDIR { Errno::LOOP } else { error })?);
    }
    match &at {
        None => openat(CWD, name, flags, Mode::empty()),
        Some(at) => openat(at, name, flags, Mode::empty()),
    }
}

/// A link in the last component is opened as itself and told by its handle, so that it is not followed
/// whatever happens to the name meanwhile. Folders before it are judged by name (`Links::RefuseAll`).
#[cfg(windows)]
fn open_for_reading(path: &Path, links: Links) -> io::Result<fs::File> {
    use std::os::windows::fs::OpenOptionsExt;

    /// `FILE_FLAG_OPEN_REPARSE_POINT`.
    const OPEN_THE_LINK: u32 = 0x0020_0000;

    let refused = || io::Error::other(crate::file_system::LinkRefused);
    if links == Links::RefuseAll && fs::canonicalize(path)? != path {
        return Err(refused());
    }
    let mut options = fs::OpenOptions::new();
    options.read(true);
    if links != Links::Follow {
        options.custom_flags(OPEN_THE_LINK);
    }
    let file = options.open(path)?;
    if links != Links::Follow && file.metadata()?.file_type().is_symlink() {
        return Err(refused());
    }
    Ok(file)
}

/// Links are judged by name, where nothing else is known of the platform.
#[cfg(not(any(unix, windows)))]
fn open_for_reading(path: &Path, links: Links) -> io::Result<fs::File> {
    let refused = match links {
        Links::Follow => false,
        Links::Refuse => fs::symlink_metadata(path)?.file_type().is_symlink(),
        Links::RefuseAll => fs::canonicalize(path)? != path,
    };
    if refused {
        return Err(io::Error::other(crate::file_system::LinkRefused));
    }
    fs::File::open(path)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_no_replace(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags};

    rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_no_replace(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

fn kind_of(kind: fs::FileType) -> FileKind {
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_symlink() {
        FileKind::Symlink
    } else if is_fifo(kind) {
        FileKind::Fifo
    } else {
        FileKind::Other
    }
}

#[cfg(unix)]
fn is_fifo(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_fifo(_kind: fs::FileType) -> bool {
    false
}

#[cfg(unix)]
fn describe(found: &fs::Metadata) -> Metadata {
    use std::os::unix::fs::MetadataExt;

    let nanoseconds = |value: i64| u32::try_from(value).unwrap_or(0);
    Metadata {
        kind: kind_of(found.file_type()),
        len: found.len(),
        mode: found.mode() & 0o7777,
        owner: found.uid(),
        device: found.dev(),
        inode: found.ino(),
        modified: (found.mtime(), nanoseconds(found.mtime_nsec())),
        changed: (found.ctime(), nanoseconds(found.ctime_nsec())),
        created: found.created().ok(),
    }
}

#[cfg(not(unix))]
fn describe(found: &fs::Metadata) -> Metadata {
    let stamp = |time: io::Result<SystemTime>| {
        time.ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok()).map_or((0, 0), |since| {
            (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
        })
    };
    Metadata {
        kind: kind_of(found.file_type()),
        len: found.len(),
        mode: 0,
        owner: 0,
        device: 0,
        inode: 0,
        modified: stamp(found.modified()),
        changed: stamp(found.modified()),
        created: found.created().ok(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_links_opens_and_one_with_a_link_in_any_component_does_not() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        fs::write(root.join("folder/file"), "text").unwrap();
        std::os::unix::fs::symlink("folder", root.join("link")).unwrap();
        std::os::unix::fs::symlink("folder/file", root.join("last")).unwrap();
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::CLOEXEC;

        for open in [open_without_links, walk_without_links] {
            assert!(open(&root.join("folder/file"), flags).is_ok());
            for through in ["link/file", "last"] {
                let error = io::Error::from(open(&root.join(through), flags).unwrap_err());
                assert!(crate::is_link_loop(&error), "{through}: {error}");
            }
            let missing = io::Error::from(open(&root.join("folder/none"), flags).unwrap_err());
            assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        }
    }
}
