//! Which names are deleted (PROF-22).

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileKind, FileSystem, OpenDir};
use watertight_vocabulary::Platform;

use crate::markers::is_absent;

/// The folder of tombstones, below `profiles/`.
pub(crate) const FOLDER: &str = ".deleted";

/// Whether one name is deleted.
#[derive(Debug)]
pub(crate) enum Tombstone {
    Absent,
    Deleted,
    /// It cannot be told.
    Unknown(PathBuf, io::Error),
}

/// The tombstones of a tree: one directory read for all of them, and one look for each that is a link.
#[derive(Debug)]
pub(crate) enum Tombstones {
    /// What the folder lists; `true` for what has to be looked for to know whether it exists.
    Listed(HashMap<String, bool>),
    /// The folder does not let itself be listed, so each name is looked for. It may still answer.
    LookEach,
}

impl Tombstones {
    /// Lists the folder of tombstones of the tree at `profiles`.
    pub(crate) fn read(files: &dyn FileSystem, profiles: &Path, platform: Platform) -> Self {
        let entries = match files.open_dir(&profiles.join(FOLDER)).and_then(|folder| folder.entries()) {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Self::Listed(HashMap::new()),
            Err(_) => return Self::LookEach,
        };
        let mut listed = HashMap::with_capacity(entries.len());
        for entry in entries {
            let Ok(entry) = entry else { return Self::LookEach };
            let Ok(mut name) = entry.name.into_string() else { continue };
            let mut look = matches!(entry.kind, None | Some(FileKind::Symlink));
            // Whether `Field` buries `field` is the volume's to say: there are both kinds on these platforms.
            if platform.folds_file_names() && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                name.make_ascii_lowercase();
                look = true;
            }
            listed.entry(name).and_modify(|other| *other &= look).or_insert(look);
        }
        Self::Listed(listed)
    }

    /// Whether `id` is deleted.
    pub(crate) fn of(&self, profiles: &dyn OpenDir, id: &str) -> Tombstone {
        match self {
            Self::Listed(listed) => match listed.get(id) {
                None => Tombstone::Absent,
                Some(false) => Tombstone::Deleted,
                Some(true) => look(profiles, id),
            },
            Self::LookEach => look(profiles, id),
        }
    }
}

/// The one look that decides: links followed, contents irrelevant.
pub(crate) fn look(profiles: &dyn OpenDir, id: &str) -> Tombstone {
    let path = Path::new(FOLDER).join(id);
    match profiles.metadata(&path) {
        Ok(_) => Tombstone::Deleted,
        Err(error) if is_absent(&error) => Tombstone::Absent,
        Err(error) => Tombstone::Unknown(path, error),
    }
}
