//! What makes a directory a profile (PROF-20 to PROF-24).

use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileKind, OpenDir};

/// The files of which one makes a directory a profile, in the order in which they are looked for.
pub const MARKERS: [&str; 6] = ["config.yaml", ".env", "SOUL.md", "profile.yaml", "auth.json", "state.db"];

/// The marker that a crashed creation leaves behind, empty (PROF-21).
const ENV: &str = ".env";
/// The marker that may say that a profile stands alone.
const CONFIG: &str = "config.yaml";

/// What one entry of `profiles/` with a valid name turned out to be.
#[derive(Debug)]
pub(crate) enum Examined {
    /// A directory with identity.
    Identity(Identity),
    /// A directory without.
    NoIdentity,
    /// Something else than a directory.
    NotADirectory,
    /// It is gone; it does not exist (PROF-24).
    Gone,
    /// It cannot be told (PROF-24).
    Unknown(PathBuf, io::Error),
}

/// What the markers of a directory say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The entry is a link to the directory.
    pub(crate) link: bool,
    /// There is something called `config.yaml`. What is no file is unreadable, and not absent (FILE-02).
    pub(crate) config: bool,
    /// More than an empty `.env` (PROF-21).
    pub(crate) servable: bool,
}

/// Looks at one entry: no more than ten calls, and one for a directory with a `config.yaml`.
///
/// The markers are looked at in order, up to the first that makes the entry servable; one that cannot be
/// examined on the way makes it unknown, since what it says is part of the answer.
pub(crate) fn examine(profiles: &dyn OpenDir, name: &str, kind: Option<FileKind>) -> Examined {
    let entry = Path::new(name);
    let unknown = |path: &Path, error| Examined::Unknown(path.to_owned(), error);
    let kind = match kind {
        Some(kind) => kind,
        None => match profiles.symlink_metadata(entry) {
            Ok(found) => found.kind,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Examined::Gone,
            Err(error) => return unknown(entry, error),
        },
    };
    let link = match kind {
        FileKind::Directory => false,
        FileKind::Symlink => match profiles.metadata(entry) {
            Ok(target) if target.is_dir() => true,
            Ok(_) => return Examined::NotADirectory,
            Err(error) => return gone_or_unknown(profiles, entry, error),
        },
        _ => return Examined::NotADirectory,
    };
    let mut path = String::with_capacity(name.len() + 16);
    let mut identity = Identity { link, config: false, servable: false };
    let mut empty_env = false;
    for marker in MARKERS {
        path.clear();
        path.extend([name, "/", marker]);
        let path = Path::new(&path);
        match profiles.symlink_metadata(path) {
            Ok(found) => {
                identity.config |= marker == CONFIG;
                match found.kind {
                    FileKind::File if marker == ENV && found.len == 0 => empty_env = true,
                    FileKind::File | FileKind::Symlink => {
                        return Examined::Identity(Identity { servable: true, ..identity });
                    }
                    _ => {}
                }
            }
            Err(error) if is_absent(&error) => {}
            Err(error) => return unknown(path, error),
        }
    }
    if empty_env {
        return Examined::Identity(identity);
    }
    // All markers are missing from a directory without identity, and from one that was removed meanwhile.
    match profiles.metadata(entry) {
        Ok(found) if found.is_dir() => Examined::NoIdentity,
        Ok(_) => Examined::NotADirectory,
        Err(error) => gone_or_unknown(profiles, entry, error),
    }
}

/// An entry that cannot be followed. A link that leads nowhere is a name that exists and cannot be examined:
/// a volume that is not mounted.
fn gone_or_unknown(profiles: &dyn OpenDir, entry: &Path, error: io::Error) -> Examined {
    let gone = error.kind() == io::ErrorKind::NotFound
        && profiles.symlink_metadata(entry).is_err_and(|now| now.kind() == io::ErrorKind::NotFound);
    if gone { Examined::Gone } else { Examined::Unknown(entry.to_owned(), error) }
}

/// Whether a file is not there: the two errors that say so.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
