//! A volume on which `coder` opens `Coder`, as most of macOS and Windows are.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use watertight_disk::{
    DirEntry, FileLock, FileSystem, Links, Metadata, NewFile, OpenDir, OpenFile, RealFileSystem,
    TemporaryFile,
};
use watertight_profile_discovery::{ProfileTree, Root};
use watertight_profile_home::DiskFiles;
use watertight_vocabulary::Platform;

use crate::support::{Tree, counted, home, listed, named, pairs, skipped};

/// Finds what is there under any spelling; reads only.
#[derive(Debug, Clone, Copy)]
struct Folding;

/// The path under the spelling that the entries have.
fn actual(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for component in path.components() {
        let exact = found.join(component);
        let same = |name: &OsStr| name.eq_ignore_ascii_case(component.as_os_str());
        let entry = || {
            found
                .read_dir()
                .ok()?
                .flatten()
                .map(|entry| entry.path())
                .find(|p| p.file_name().is_some_and(same))
        };
        found = if exact.symlink_metadata().is_ok() { exact } else { entry().unwrap_or(exact) };
    }
    found
}

#[derive(Debug)]
struct FoldingDir(PathBuf);

impl OpenDir for FoldingDir {
    fn entries(&self) -> io::Result<Vec<io::Result<DirEntry>>> {
        RealFileSystem.read_dir(&self.0)
    }
    fn symlink_metadata(&self, below: &Path) -> io::Result<Metadata> {
        RealFileSystem.symlink_metadata(&actual(&self.0.join(below)))
    }
    fn identify(&self, below: &Path) -> io::Result<Metadata> {
        self.symlink_metadata(below)
    }
    fn metadata(&self, below: &Path) -> io::Result<Metadata> {
        RealFileSystem.metadata(&actual(&self.0.join(below)))
    }
}

impl FileSystem for Folding {
    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        RealFileSystem.symlink_metadata(&actual(path))
    }
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        RealFileSystem.metadata(&actual(path))
    }
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        RealFileSystem.read_link(&actual(path))
    }
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        RealFileSystem.canonicalize(&actual(path))
    }
    fn read_dir(&self, path: &Path) -> io::Result<Vec<io::Result<DirEntry>>> {
        RealFileSystem.read_dir(&actual(path))
    }
    fn open_dir(&self, path: &Path) -> io::Result<Box<dyn OpenDir>> {
        RealFileSystem.open_dir(&actual(path))?;
        Ok(Box::new(FoldingDir(actual(path))))
    }
    fn open(&self, path: &Path, links: Links) -> io::Result<Box<dyn OpenFile>> {
        RealFileSystem.open(&actual(path), links)
    }
    fn create_dir(&self, _: &Path, _: u32) -> io::Result<()> {
        read_only()
    }
    fn create_temporary(&self, _: &Path, _: &str) -> io::Result<TemporaryFile> {
        read_only()
    }
    fn create_new(&self, _: &Path, _: u32) -> io::Result<Box<dyn NewFile>> {
        read_only()
    }
    fn rename_no_replace(&self, _: &Path, _: &Path) -> io::Result<()> {
        read_only()
    }
    fn hard_link(&self, _: &Path, _: &Path) -> io::Result<()> {
        read_only()
    }
    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        read_only()
    }
    fn remove_file(&self, _: &Path) -> io::Result<()> {
        read_only()
    }
    fn lock(&self, _: &Path) -> io::Result<Box<dyn FileLock>> {
        read_only()
    }
    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        read_only()
    }
    fn now(&self) -> SystemTime {
        RealFileSystem.now()
    }
}

fn read_only<T>() -> io::Result<T> {
    Err(io::ErrorKind::ReadOnlyFilesystem.into())
}

fn open(tree: &Tree, platform: Platform) -> ProfileTree {
    let root = Root::at(tree.root(), platform, &Folding).unwrap();
    ProfileTree::new(root, Arc::new(Folding), Arc::new(DiskFiles::on(Arc::new(Folding))))
}

#[test]
fn prof_26_the_entrys_own_name_decides_and_not_what_a_path_would_find() {
    for platform in [Platform::MacOs, Platform::Windows] {
        let tree = Tree::with(&["Coder", "writer"]);
        let open = open(&tree, platform);
        assert!(Folding.metadata(&tree.path("profiles/coder")).is_ok(), "a path would find it");
        assert_eq!(listed(&open.list().unwrap()), ["default", "writer"]);
        assert_eq!(skipped(&open.list().unwrap()), pairs([("Coder", "invalid-name")]));
        for asked in ["coder", "Coder"] {
            assert_eq!(open.find(asked).unwrap_err().code(), "no-such-profile", "{platform:?} {asked}");
        }
        assert_eq!(open.find("Writer").unwrap().name(), &named("writer"));
    }
}

#[test]
fn prof_22_a_tombstone_of_another_case_buries_where_case_does_not_count() {
    for platform in [Platform::MacOs, Platform::Windows] {
        let tree = Tree::with(&["field"]);
        tree.file("profiles/.deleted/Field", "");
        let open = open(&tree, platform);
        assert_eq!(listed(&open.list().unwrap()), ["default"], "{platform:?}");
        assert!(open.find("field").is_err(), "finding and listing agree");
        assert_eq!(counted(&open.tenants(&home(tree.root())).unwrap()), pairs([("default", "default")]));
    }
    let tree = Tree::with(&["field"]);
    tree.file("profiles/.deleted/Field", "");
    assert_eq!(listed(&tree.open().list().unwrap()), ["default", "field"], "it counts on Linux");
}

#[test]
fn prof_22_the_volume_says_whether_a_tombstone_of_another_case_buries() {
    for platform in [Platform::MacOs, Platform::Windows] {
        let tree = Tree::with(&["field", "meadow"]);
        tree.file("profiles/.deleted/Field", "");
        tree.file("profiles/.deleted/MEADOW", "").file("profiles/.deleted/meadow", "");
        let root = Root::at(tree.root(), platform, &RealFileSystem).unwrap();
        let open = ProfileTree::new(root, Arc::new(RealFileSystem), Arc::new(DiskFiles::new()));
        assert_eq!(listed(&open.list().unwrap()), ["default", "field"], "{platform:?}");
        assert_eq!(open.find("field").unwrap().name(), &named("field"), "finding and listing agree");
        assert_eq!(open.find("meadow").unwrap_err().code(), "no-such-profile");
    }
}
