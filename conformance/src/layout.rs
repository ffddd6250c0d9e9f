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

use crate::case::{Case, EntryKind, Step, TreeEntry};

/// Stands for the folder that the tree is laid out in.
pub const ROOT: &str = "{root}";

/// A case's tree on disk. It is removed when this is dropped.
pub struct Layout {
    /// Removes the tree when it is dropped.
    _folder: TempDir,
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
    /// The disk failed.
    #[error("{path}: cannot be laid out: {source}")]
    Disk {
        /// Which entry.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// An entry is none, which the loader tells first.
    #[error("{path}: {fault}")]
    Entry {
        /// Which entry.
        path: String,
        /// Why.
        fault: EntryFault,
    },
}

/// Why an entry of `given.tree` can be laid out on no platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// It names no place under the root.
    #[error("the path leads out of the root")]
    Path,
    /// Its mode is none.
    #[error("the mode is not three or four octal digits")]
    Mode,
    /// Its bytes are written wrongly.
    #[error("the bytes are no base64")]
    Base64,
    /// It has two contents.
    #[error("a file has a text or bytes, not both")]
    TwoContents,
    /// It is no file.
    #[error("only a file has contents")]
    Contents,
    /// A link without a target, or a target without a link.
    #[error("a link has a target, and nothing else has one")]
    Target,
}

/// What of an entry depends on its words alone.
struct Plan {
    contents: Vec<u8>,
    mode: Option<u32>,
}

/// The fault of an entry, on whatever platform.
pub(crate) fn fault_of(entry: &TreeEntry) -> Option<EntryFault> {
    plan(entry).err()
}

/// Why this platform cannot lay a case out, if it cannot: the entries that it has no word for (CONF-01).
pub fn unsupported(case: &Case) -> Option<&'static str> {
    let tree = &case.given.tree;
    if cfg!(not(unix)) && tree.iter().any(|entry| entry.mode.is_some()) {
        return Some("this platform has no modes");
    }
    let has_pipe = tree.iter().any(|entry| entry.kind == EntryKind::Fifo);
    (cfg!(not(target_os = "linux")) && has_pipe).then_some("this platform has no named pipes")
}

fn plan(entry: &TreeEntry) -> Result<Plan, EntryFault> {
    let mut parts = Path::new(&entry.path).components().peekable();
    if parts.peek().is_none() || !parts.all(|part| matches!(part, Component::Normal(_))) {
        return Err(EntryFault::Path);
    }
    if entry.target.is_some() != (entry.kind == EntryKind::Symlink) {
        return Err(EntryFault::Target);
    }
    let has_contents = entry.text.is_some() || entry.base64.is_some() || entry.repeat.is_some();
    if has_contents && entry.kind != EntryKind::File {
        return Err(EntryFault::Contents);
    }
    let contents = match (&entry.text, &entry.base64) {
        (Some(text), None) => text.clone().into_bytes(),
        (None, Some(base64)) => {
            base64::engine::general_purpose::STANDARD.decode(base64).map_err(|_| EntryFault::Base64)?
        }
        (None, None) => Vec::new(),
        (Some(_), Some(_)) => return Err(EntryFault::TwoContents),
    };
    let mode = entry.mode.as_deref().map(mode_of).transpose()?;
    Ok(Plan { contents, mode })
}

fn mode_of(digits: &str) -> Result<u32, EntryFault> {
    let is_octal = digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let mode = u32::from_str_radix(digits, 8).ok();
    mode.filter(|_| is_octal && matches!(digits.len(), 3 | 4)).ok_or(EntryFault::Mode)
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
        Ok(Self { _folder: folder, root, before })
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

    /// What an entry under the root is now, with the stand-in in place of the root.
    pub(crate) fn entry(&self, path: &Path) -> Entry {
        let absolute = self.root.join(path);
        let Ok(metadata) = fs::symlink_metadata(&absolute) else { return Entry::Nothing };
        if metadata.is_dir() {
            Entry::Folder
        } else if metadata.is_symlink() {
            let target = fs::read_link(&absolute).unwrap_or_default();
            Entry::Link(self.masked(&target.to_string_lossy()))
        } else if metadata.is_file() {
            let contents = fs::read(&absolute).unwrap_or_default();
            let root = self.root.to_string_lossy();
            Entry::File(replaced(&contents, root.as_bytes(), ROOT.as_bytes()))
        } else {
            Entry::Other
        }
    }

    /// The permission bits of an entry under the root, where there is one and the platform has them.
    pub(crate) fn mode(&self, path: &Path) -> Option<u32> {
        let metadata = fs::symlink_metadata(self.root.join(path)).ok()?;
        cfg!(unix).then(|| permission_bits(&metadata))
    }

    /// Whether there was something at a path when the tree was laid out.
    pub(crate) fn had(&self, path: &Path) -> bool {
        self.before.contains_key(path)
    }

    /// Whether any file held these bytes when the tree was laid out.
    pub(crate) fn held(&self, bytes: &[u8]) -> bool {
        let contents = self.before.values().filter_map(|stamp| stamp.contents.as_deref());
        contents
            .into_iter()
            .any(|contents| contents.windows(bytes.len().max(1)).any(|window| window == bytes))
    }
}

/// What stands at a path, as far as a script can say it.
#[derive(PartialEq, Eq)]
pub(crate) enum Entry {
    Nothing,
    Folder,
    Link(String),
    File(Vec<u8>),
    Other,
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(from).filter(|_| !from.is_empty()) {
            replaced.extend_from_slice(to);
            rest = after;
        } else {
            replaced.push(*first);
            rest = tail;
        }
    }
    replaced
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
    let plan = plan(entry).map_err(|fault| LayoutError::Entry { path: entry.path.clone(), fault })?;
    let disk = |source| LayoutError::Disk { path: entry.path.clone(), source };
    let (path, shown) = (root.join(&entry.path), root.to_string_lossy());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(disk)?;
    }
    match entry.kind {
        EntryKind::Dir => fs::create_dir_all(&path),
        EntryKind::Symlink => {
            let target = entry.target.as_deref().unwrap_or_default().replace(ROOT, &shown);
            make_link(Path::new(&target), &path)
        }
        EntryKind::Fifo => make_fifo(&path),
        EntryKind::File => {
            let contents = match entry.text {
                Some(_) => String::from_utf8_lossy(&plan.contents).replace(ROOT, &shown).into_bytes(),
                None => plan.contents,
            };
            fs::write(&path, contents.repeat(entry.repeat.unwrap_or(1)))
        }
    }
    .map_err(disk)?;
    plan.mode.map_or(Ok(()), |mode| set_mode(&path, mode)).map_err(disk)
}

/// Changes a tree as a step of a script says.
pub(crate) fn change(root: &Path, step: &Step) -> io::Result<()> {
    match step {
        Step::WriteFile { path, text } => {
            let path = root.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)
        }
        Step::Remove { path } => {
            let path = root.join(path);
            if fs::symlink_metadata(&path)?.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            }
        }
        Step::Link { path, target } => {
            let path = root.join(path);
            if fs::symlink_metadata(&path).is_ok() {
                fs::remove_file(&path)?;
            }
            make_link(target.as_ref(), &path)
        }
        Step::Rename { from, to } => fs::rename(root.join(from), root.join(to)),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn make_link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn make_link(target: &Path, path: &Path) -> io::Result<()> {
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

#[cfg(unix)]
fn permission_bits(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn permission_bits(_metadata: &fs::Metadata) -> u32 {
    0
}

#[cfg(not(unix))]
fn system_stamp(_metadata: &fs::Metadata) -> SystemStamp {}
