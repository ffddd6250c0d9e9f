//! An open directory of this machine's disk: by descriptor on Unix, by path elsewhere.

use std::io;
use std::path::Path;

use crate::{DirEntry, Metadata, OpenDir};

#[cfg(unix)]
pub(crate) use by_descriptor::RealDir;
#[cfg(not(unix))]
pub(crate) use by_path::RealDir;

#[cfg(unix)]
mod by_descriptor {
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

    use super::{DirEntry, Metadata, OpenDir, Path, io};
    use crate::FileKind;

    /// A directory by its descriptor.
    #[derive(Debug)]
    pub(crate) struct RealDir(OwnedFd);

    impl RealDir {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Self(rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))?))
        }
    }

    impl OpenDir for RealDir {
        fn entries(&self) -> io::Result<Vec<io::Result<DirEntry>>> {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;

            let mut found = Vec::new();
            for entry in Dir::read_from(&self.0)? {
                match entry {
                    Ok(entry) => {
                        let name = entry.file_name().to_bytes();
                        if name != b"." && name != b".." {
                            let name = OsStr::from_bytes(name).to_owned();
                            found.push(Ok(DirEntry { name, kind: kind_of(entry.file_type()) }));
                        }
                    }
                    Err(error) => found.push(Err(error.into())),
                }
            }
            Ok(found)
        }

        fn symlink_metadata(&self, below: &Path) -> io::Result<Metadata> {
            Ok(describe(&rustix::fs::statat(&self.0, below, AtFlags::SYMLINK_NOFOLLOW)?))
        }

        fn metadata(&self, below: &Path) -> io::Result<Metadata> {
            Ok(describe(&rustix::fs::statat(&self.0, below, AtFlags::empty())?))
        }
    }

    /// `None` where the file system does not say.
    fn kind_of(kind: FileType) -> Option<FileKind> {
        match kind {
            FileType::RegularFile => Some(FileKind::File),
            FileType::Directory => Some(FileKind::Directory),
            FileType::Symlink => Some(FileKind::Symlink),
            FileType::Fifo => Some(FileKind::Fifo),
            FileType::Unknown => None,
            _ => Some(FileKind::Other),
        }
    }

    fn describe(found: &Stat) -> Metadata {
        Metadata {
            kind: kind_of(FileType::from_raw_mode(found.st_mode)).unwrap_or(FileKind::Other),
            len: number(found.st_size),
            mode: number::<_, u32>(found.st_mode) & 0o7777,
            owner: found.st_uid,
            device: number(found.st_dev),
            inode: number(found.st_ino),
            modified: (number(found.st_mtime), number(found.st_mtime_nsec)),
            changed: (number(found.st_ctime), number(found.st_ctime_nsec)),
            created: None,
        }
    }

    /// The fields of `stat` have other types on every platform.
    fn number<F: TryInto<T>, T: Default>(field: F) -> T {
        field.try_into().unwrap_or_default()
    }
}

#[cfg(not(unix))]
mod by_path {
    use std::path::PathBuf;

    use super::{DirEntry, Metadata, OpenDir, Path, io};
    use crate::{FileSystem, RealFileSystem};

    /// A directory by its path.
    #[derive(Debug)]
    pub(crate) struct RealDir(PathBuf);

    impl RealDir {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            if RealFileSystem.metadata(path)?.is_dir() {
                Ok(Self(path.to_owned()))
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }
    }

    impl OpenDir for RealDir {
        fn entries(&self) -> io::Result<Vec<io::Result<DirEntry>>> {
            RealFileSystem.read_dir(&self.0)
        }

        fn symlink_metadata(&self, below: &Path) -> io::Result<Metadata> {
            RealFileSystem.symlink_metadata(&self.0.join(below))
        }

        fn metadata(&self, below: &Path) -> io::Result<Metadata> {
            RealFileSystem.metadata(&self.0.join(below))
        }
    }
}
