//! Lays a case's tree out afresh, and sees what has changed in it since (CONF-01).

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use base64::Engine;
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::case::{Case, EntryKind, TreeEntry};

/// Stands for the folder that the tree is laid out in.
pub const ROOT: &str = "{root}";

/// A case's tree on disk. It is removed when this is dropped.
pub struct Layout {
    folder: TempDir,
    root: PathBuf,
    before: BTreeMap<PathBuf, Stamp>,
}

/// What of an entry must stay as it was. Access times are the kernel's.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    is_dir: bool,
    length: u64,
    modified: Option<SystemTime>,
    system: SystemStamp,
    contents: Option<Vec<u8>>,
    target: Option<PathBuf>,
}

#[cfg(unix)]
type SystemStamp = (u32, u32, u32, i64, i64);
#[cfg(not(unix))]
type SystemStamp = ();

/// Why a tree could not be laid out.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// The disk failed, or the platform has no such entry.
    #[error("{path}: cannot be laid out: {source}")]
    Disk {
        /// Which entry.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// An entry leads out of the root, or says what its kind cannot be.
    #[error("{0}: is no entry that can be laid out")]
    Entry(String),
}

impl Layout {
    /// Lays out `tree/` and then what `given.tree` lists.
    ///
    /// # Errors
    ///
    /// An entry that cannot be made.
    pub fn of(case: &Case) -> Result<Self, LayoutError> {
        let disk = |path: &str| {
            let path = path.to_owned();
            move |source| LayoutError::Disk { path, source }
        };
        let folder = tempfile::Builder::new().prefix("watertight-").tempdir().map_err(disk(ROOT))?;
        let root = folder.path().canonicalize().map_err(disk(ROOT))?;
        if let Some(tree) = &case.tree {
            copy_tree(tree, &root).map_err(disk("tree"))?;
        }
        for entry in &case.given.tree {
            lay_out(entry, &root)?;
        }
        let before = stamps(&root);
        Ok(Self { folder, root, before })
    }

    /// Where the tree lies, resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A text with the root in place of its stand-in.
    pub fn filled(&self, text: &str) -> String {
        text.replace(ROOT, &self.root.to_string_lossy())
    }

    /// A text with the stand-in in place of the root.
    pub fn masked(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), ROOT)
    }

    /// The entries that were made, changed or removed since, under the root. A folder counts as changed
    /// only by its mode and owner: what is made in it is named itself.
    pub fn changes(&self) -> Vec<PathBuf> {
        let after = stamps(&self.root);
        let changed = after.iter().filter(|(path, stamp)| match self.before.get(*path) {
            Some(before) => before != *stamp,
            None => true,
        });
        let mut paths: Vec<_> = changed.map(|(path, _)| path.clone()).collect();
        paths.extend(self.before.keys().filter(|path| !after.contains_key(*path)).cloned());
        paths.sort_unstable();
        paths
    }

    /// The contents of a file under the root, or nothing.
    pub fn contents(&self, path: &Path) -> Vec<u8> {
        let path = self.folder.path().join(path);
        if path.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() }
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layout").field("root", &self.root).finish_non_exhaustive()
    }
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in WalkDir::new(from).min_depth(1).sort_by_file_name() {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from).map_err(io::Error::other)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target)?;
        } else if entry.file_type().is_symlink() {
            make_link(&fs::read_link(entry.path())?, &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn lay_out(entry: &TreeEntry, root: &Path) -> Result<(), LayoutError> {
    let relative = Path::new(&entry.path);
    let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let invalid = || LayoutError::Entry(entry.path.clone());
    if !inside {
        return Err(invalid());
    }
    let disk = |source| LayoutError::Disk { path: entry.path.clone(), source };
    let path = root.join(relative);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(disk)?;
    }
    match entry.kind {
        EntryKind::Dir => fs::create_dir_all(&path).map_err(disk)?,
        EntryKind::Symlink => {
            let target = entry.target.as_ref().ok_or_else(invalid)?;
            make_link(Path::new(&target.replace(ROOT, &root.to_string_lossy())), &path).map_err(disk)?;
        }
        EntryKind::Fifo => make_fifo(&path).map_err(disk)?,
        EntryKind::File => {
            let bytes = match (&entry.text, &entry.base64) {
                (Some(text), None) => text.replace(ROOT, &root.to_string_lossy()).into_bytes(),
                (None, Some(base64)) => {
                    base64::engine::general_purpose::STANDARD.decode(base64).map_err(|_| invalid())?
                }
                (None, None) => Vec::new(),
                (Some(_), Some(_)) => return Err(invalid()),
            };
            fs::write(&path, bytes.repeat(entry.repeat.unwrap_or(1))).map_err(disk)?;
        }
    }
    match &entry.mode {
        Some(mode) => {
            let mode = u32::from_str_radix(mode, 8).map_err(|_| invalid())?;
            set_mode(&path, mode).map_err(disk)
        }
        None => Ok(()),
    }
}

#[cfg(unix)]
pub(crate) fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
pub(crate) fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn make_fifo(path: &Path) -> io::Result<()> {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn make_fifo(_path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn stamps(root: &Path) -> BTreeMap<PathBuf, Stamp> {
    let entries = WalkDir::new(root).min_depth(1).into_iter().flatten();
    let stamps = entries.filter_map(|entry| {
        let metadata = fs::symlink_metadata(entry.path()).ok()?;
        let path = entry.path().strip_prefix(root).ok()?.to_path_buf();
        let is_dir = metadata.is_dir();
        let stamp = Stamp {
            is_dir,
            length: if is_dir { 0 } else { metadata.len() },
            modified: if is_dir { None } else { metadata.modified().ok() },
            system: system_stamp(&metadata),
            contents: metadata.is_file().then(|| fs::read(entry.path()).unwrap_or_default()),
            target: metadata.is_symlink().then(|| fs::read_link(entry.path()).unwrap_or_default()),
        };
        Some((path, stamp))
    });
    stamps.collect()
}

#[cfg(unix)]
fn system_stamp(metadata: &fs::Metadata) -> SystemStamp {
    use std::os::unix::fs::MetadataExt;
    let (seconds, nanoseconds) =
        if metadata.is_dir() { (0, 0) } else { (metadata.ctime(), metadata.ctime_nsec()) };
    (metadata.mode(), metadata.uid(), metadata.gid(), seconds, nanoseconds)
}

#[cfg(not(unix))]
fn system_stamp(_metadata: &fs::Metadata) -> SystemStamp {}
