use std::io;
use std::path::Path;

use watertight_disk::{FileKind, FileSystem, Links, Metadata};

/// At most this much of a file is read (RUN-07).
const LARGEST: usize = 4096;
/// How often a file that changes under the reader is read anew.
const TRIES: u32 = 3;

/// A small file, whole.
pub(crate) struct SmallFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: Metadata,
}

/// Why a small file could not be read. It holds nothing of what the file says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system said no.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// The name exists, but the link behind it leads nowhere.
    #[error("is a link that leads nowhere")]
    DanglingLink,
    /// Something else than a regular file.
    #[error("is {} and no file", .0.label())]
    NotAFile(FileKind),
    /// Larger than 4 KiB.
    #[error("is larger than 4 KiB")]
    TooLarge,
    /// It yields another number of bytes than it states.
    #[error("changed while it was read")]
    Changed,
}

impl ReadError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        "unreadable"
    }
}

/// Reads a file of at most 4 KiB; `None` only where the name itself does not exist (RUN-07, as FILE-01 and
/// FILE-02).
///
/// The type is judged before the file is opened and once more by what was opened, so neither a FIFO nor a
/// device is ever waited for.
pub(crate) fn read_small(
    files: &dyn FileSystem,
    path: &Path,
    links: Links,
) -> Result<Option<SmallFile>, ReadError> {
    let mut answer = Err(ReadError::Changed);
    for _ in 0..TRIES {
        answer = read_once(files, path, links);
        match &answer {
            // Somebody makes, replaces or removes it at this moment.
            Err(ReadError::Changed | ReadError::DanglingLink) => {}
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            _ => break,
        }
    }
    answer
}

fn read_once(files: &dyn FileSystem, path: &Path, links: Links) -> Result<Option<SmallFile>, ReadError> {
    let stat = match links {
        Links::Follow => files.metadata(path),
        Links::Refuse | Links::RefuseAll => files.symlink_metadata(path),
    };
    match stat {
        Ok(found) => judge(&found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match files.symlink_metadata(path) {
                Ok(found) if found.kind == FileKind::Symlink => Err(ReadError::DanglingLink),
                Ok(_) => Err(ReadError::Changed),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(ReadError::Io(error)),
            };
        }
        Err(error) => return Err(ReadError::Io(error)),
    }
    let mut file = files.open(path, links).map_err(ReadError::Io)?;
    let metadata = file.metadata().map_err(ReadError::Io)?;
    judge(&metadata)?;
    let mut buffer = [0; LARGEST];
    let mut length = 0;
    while let Some(rest @ [_, ..]) = buffer.get_mut(length..) {
        let read = file.read(rest).map_err(ReadError::Io)?;
        length += read;
        if read == 0 || length as u64 == metadata.len {
            break;
        }
    }
    if length as u64 != metadata.len {
        return Err(ReadError::Changed);
    }
    let bytes = buffer.get(..length).unwrap_or_default().to_vec();
    Ok(Some(SmallFile { bytes, metadata }))
}

fn judge(found: &Metadata) -> Result<(), ReadError> {
    if !found.is_file() {
        Err(ReadError::NotAFile(found.kind))
    } else if found.len > LARGEST as u64 {
        Err(ReadError::TooLarge)
    } else {
        Ok(())
    }
}
