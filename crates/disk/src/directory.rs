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

    use rustix::fs::{AtFlags, Dir, Mode, OFlags};

    use super::{DirEntry, Metadata, OpenDir, Path, io};
    use crate::stat::{describe, kind_of};

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

        fn identify(&self, below: &Path) -> io::Result<Metadata> {
            identify(self, below)
        }

        fn metadata(&self, below: &Path) -> io::Result<Metadata> {
            Ok(describe(&rustix::fs::statat(&self.0, below, AtFlags::empty())?))
        }
    }

    /// In one call where the kernel has it; else without the time of making, as for a path.
    #[cfg(target_os = "linux")]
    fn identify(folder: &RealDir, below: &Path) -> io::Result<Metadata> {
        use rustix::fs::{FileType, StatxFlags, makedev, statx};
        use rustix::io::Errno;

        use crate::FileKind;

        let asked = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let found = match statx(&folder.0, below, AtFlags::SYMLINK_NOFOLLOW, asked) {
            Err(Errno::NOSYS) => return folder.symlink_metadata(below),
            answer => answer?,
        };
        let told = found.stx_mask & StatxFlags::BTIME.bits() != 0;
        Ok(Metadata {
            kind: kind_of(FileType::from_raw_mode(found.stx_mode.into())).unwrap_or(FileKind::Other),
            len: found.stx_size,
            mode: u32::from(found.stx_mode) & 0o7777,
            owner: found.stx_uid,
            device: makedev(found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            modified: (found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec),
            changed: (found.stx_ctime.tv_sec, found.stx_ctime.tv_nsec),
            created: told.then(|| since_1970(found.stx_btime.tv_sec, found.stx_btime.tv_nsec)).flatten(),
        })
    }

    #[cfg(any(target_vendor = "apple", target_os = "freebsd", target_os = "netbsd", target_os = "openbsd"))]
    fn identify(folder: &RealDir, below: &Path) -> io::Result<Metadata> {
        use crate::stat::number;

        let found = rustix::fs::statat(&folder.0, below, AtFlags::SYMLINK_NOFOLLOW)?;
        let created = since_1970(number(found.st_birthtime), number(found.st_birthtime_nsec));
        Ok(Metadata { created, ..describe(&found) })
    }

    #[cfg(not(any(
        target_os = "linux",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
    )))]
    fn identify(folder: &RealDir, below: &Path) -> io::Result<Metadata> {
        folder.symlink_metadata(below)
    }

    /// `None` for what was made before 1970, which is a file system that does not know.
    #[cfg(any(
        target_os = "linux",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
    ))]
    fn since_1970(seconds: i64, nanoseconds: u32) -> Option<std::time::SystemTime> {
        let since = std::time::Duration::new(u64::try_from(seconds).ok()?, nanoseconds);
        std::time::SystemTime::UNIX_EPOCH.checked_add(since)
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

        fn identify(&self, below: &Path) -> io::Result<Metadata> {
            self.symlink_metadata(below)
        }

        fn metadata(&self, below: &Path) -> io::Result<Metadata> {
            RealFileSystem.metadata(&self.0.join(below))
        }
    }
}
