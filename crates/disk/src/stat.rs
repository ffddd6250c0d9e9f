//! What a Unix says of a file, in the terms of this crate.

use rustix::fs::{FileType, Stat};

use crate::{FileKind, Metadata};

/// What a mode or a listing says; `None` where the file system does not say.
pub(crate) fn kind_of(kind: FileType) -> Option<FileKind> {
    match kind {
        FileType::RegularFile => Some(FileKind::File),
        FileType::Directory => Some(FileKind::Directory),
        FileType::Symlink => Some(FileKind::Symlink),
        FileType::Fifo => Some(FileKind::Fifo),
        FileType::Unknown => None,
        _ => Some(FileKind::Other),
    }
}

/// Without the time of making, which `stat` does not tell.
pub(crate) fn describe(found: &Stat) -> Metadata {
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
pub(crate) fn number<F: TryInto<T>, T: Default>(field: F) -> T {
    field.try_into().unwrap_or_default()
}
