use std::io;
use std::path::Path;
use std::time::SystemTime;

use watertight_disk::{FileKind, FileSystem, Links, Metadata, OpenFile, is_link_loop};
use zeroize::Zeroizing;

use crate::Unreadable;
use crate::home::Reach;
use crate::signature::Signature;

/// How often a file that changes under the read is read anew (FILE-07).
const TRIES: usize = 3;

/// One file to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) disk: &'a dyn FileSystem,
    pub(crate) path: &'a Path,
    /// Where a link may lead; `None`: anywhere.
    pub(crate) reach: Option<&'a Reach>,
    /// The longest file that is read.
    pub(crate) limit: u64,
}

impl Request<'_> {
    /// Whose links are judged has a resolved path: a link in any folder of it was put there since, and would
    /// lead to another home's file (PROF-45).
    fn links(&self) -> Links {
        if self.reach.is_some() { Links::RefuseAll } else { Links::Refuse }
    }
}

/// What reading came to. It has no `Debug`: it holds the file.
pub(crate) enum Found<T> {
    /// The file's own name does not exist (FILE-01).
    Absent,
    /// It is the file that is already known.
    Known(T),
    /// Its bytes.
    Read(Contents),
}

/// A file's bytes, wiped when dropped. They have no `Debug`.
pub(crate) struct Contents {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    pub(crate) signature: Signature,
    /// The signature under which these bytes may be remembered, if they may be (FILE-05).
    pub(crate) lasting: Option<Signature>,
}

/// Reads a file as FILE-01, FILE-02, FILE-06 and FILE-07 say, unless `known` recognises it by the
/// signature of the open descriptor (FILE-05).
pub(crate) fn read<T>(
    request: Request<'_>,
    mut known: impl FnMut(&Signature) -> Option<T>,
) -> Result<Found<T>, Unreadable> {
    for _ in 0..TRIES {
        let began = request.disk.now();
        let (mut file, before) = match open(request)? {
            Opening::Absent => return Ok(Found::Absent),
            Opening::Moved => continue,
            Opening::Open(file, before) => (file, before),
        };
        if let Some(known) = known(&Signature::of(&before)) {
            return Ok(Found::Known(known));
        }
        if let Some(contents) = contents(file.as_mut(), &before, began, request.limit)? {
            return Ok(Found::Read(contents));
        }
    }
    Err(Unreadable::ChangedWhileRead)
}

enum Opening {
    Absent,
    /// What was there is not there any more; look again.
    Moved,
    Open(Box<dyn OpenFile>, Metadata),
}

/// Judges the type before the open, opens without following a link, and judges the descriptor.
fn open(request: Request<'_>) -> Result<Opening, Unreadable> {
    let found = match request.disk.symlink_metadata(request.path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return absent(request),
        Err(error) => return Err(error.into()),
    };
    match found.kind {
        FileKind::File => open_at(request.disk, request.path, request.links()),
        FileKind::Symlink => follow(request),
        other => Err(Unreadable::NotAFile(other)),
    }
}

/// A file that was not found is absent if the home is where it was: what is missing in a folder that a link
/// in the home's place leads to is not missing in the home (FILE-01).
fn absent(request: Request<'_>) -> Result<Opening, Unreadable> {
    if request.reach.is_none() {
        return Ok(Opening::Absent);
    }
    match request.disk.open(request.path, request.links()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Opening::Absent),
        Err(error) if !is_link_loop(&error) => Err(error.into()),
        Ok(_) | Err(_) => Ok(Opening::Moved),
    }
}

/// Opens what a link leads to, if it may lead there (FILE-06).
///
/// The target is opened by its resolved path through no link at all, so the descriptor is that of the
/// place that was judged, whatever happens to the link meanwhile.
fn follow(request: Request<'_>) -> Result<Opening, Unreadable> {
    let Request { disk, path, reach, .. } = request;
    let target = match disk.canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match disk.symlink_metadata(path) {
                Ok(found) if found.kind == FileKind::Symlink => Err(Unreadable::Dangling),
                _ => Ok(Opening::Moved),
            };
        }
        Err(error) if is_link_loop(&error) => return Err(Unreadable::LinkLoop),
        Err(error) => return Err(error.into()),
    };
    if reach.is_some_and(|reach| !reach.allows(disk, &target)) {
        return Err(Unreadable::LinkLeavesHome { target });
    }
    match disk.symlink_metadata(&target) {
        Ok(found) if found.kind == FileKind::File => open_at(disk, &target, Links::RefuseAll),
        Ok(found) if found.kind == FileKind::Symlink => Ok(Opening::Moved),
        Ok(found) => Err(Unreadable::NotAFile(found.kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Opening::Moved),
        Err(error) => Err(error.into()),
    }
}

fn open_at(disk: &dyn FileSystem, path: &Path, links: Links) -> Result<Opening, Unreadable> {
    let file = match disk.open(path, links) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_link_loop(&error) => {
            return Ok(Opening::Moved);
        }
        Err(error) => return Err(error.into()),
    };
    let found = file.metadata()?;
    match found.kind {
        FileKind::File => Ok(Opening::Open(file, found)),
        other => Err(Unreadable::NotAFile(other)),
    }
}

/// All bytes of an open file; `None` if it yields another number of them than it states, or changes
/// meanwhile (FILE-07).
fn contents(
    file: &mut dyn OpenFile,
    before: &Metadata,
    began: SystemTime,
    limit: u64,
) -> Result<Option<Contents>, Unreadable> {
    let too_large = || Unreadable::TooLarge { limit };
    if before.len > limit {
        return Err(too_large());
    }
    let stated = usize::try_from(before.len).map_err(|_| too_large())?;
    // One byte more than stated tells a file that grows; it is never more than one beyond the limit.
    let mut bytes = Zeroizing::new(vec![0; stated.checked_add(1).ok_or_else(too_large)?]);
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        let read = file.read(rest)?;
        filled += read;
        if read == 0 {
            break;
        }
    }
    let (before, after) = (Signature::of(before), Signature::of(&file.metadata()?));
    if filled != stated || !before.same_contents(&after) {
        return Ok(None);
    }
    bytes.truncate(filled);
    let lasting = (before == after && before.is_settled(began)).then_some(before);
    Ok(Some(Contents { bytes, signature: after, lasting }))
}
