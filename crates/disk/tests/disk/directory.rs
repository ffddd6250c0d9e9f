use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use watertight_disk::{DirEntry, FileKind, FileSystem, Metadata, RealFileSystem, Recording};

use crate::Folder;

fn sorted(entries: Vec<io::Result<DirEntry>>) -> Vec<DirEntry> {
    let mut entries: Vec<_> = entries.into_iter().map(Result::unwrap).collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

#[cfg(unix)]
fn every_kind() -> Folder {
    let folder = Folder::new();
    folder.file("file", "12345");
    folder.dir("dir/below");
    folder.link("link", "file");
    folder.link("dangling", "nowhere");
    folder.link("dir-link", "dir");
    folder.fifo("fifo");
    drop(std::os::unix::net::UnixListener::bind(folder.path("socket")).unwrap());
    folder
}

#[cfg(unix)]
#[test]
fn an_open_directory_lists_what_its_path_lists() {
    let folder = every_kind();
    let by_descriptor = sorted(RealFileSystem.open_dir(&folder.path).unwrap().entries().unwrap());
    let by_path = sorted(RealFileSystem.read_dir(&folder.path).unwrap());
    assert_eq!(by_descriptor, by_path);
    let kinds: Vec<_> =
        by_path.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind.unwrap())).collect();
    assert_eq!(
        kinds,
        [
            ("dangling", FileKind::Symlink),
            ("dir", FileKind::Directory),
            ("dir-link", FileKind::Symlink),
            ("fifo", FileKind::Fifo),
            ("file", FileKind::File),
            ("link", FileKind::Symlink),
            ("socket", FileKind::Other),
        ],
    );
}

#[cfg(unix)]
#[test]
fn an_open_directory_says_of_each_entry_what_its_path_says() {
    let folder = every_kind();
    let open = RealFileSystem.open_dir(&folder.path).unwrap();
    let without_birth = |found: io::Result<Metadata>| {
        found.map(|found| Metadata { created: None, ..found }).map_err(|error| error.kind())
    };
    for name in
        ["file", "dir", "link", "dangling", "dir-link", "fifo", "socket", "missing", "file/x", "dir/below"]
    {
        let path = folder.path(name);
        let below = Path::new(name);
        assert_eq!(
            without_birth(open.symlink_metadata(below)),
            without_birth(RealFileSystem.symlink_metadata(&path)),
            "lstat of {name}",
        );
        let made = |path: &Path| fs::symlink_metadata(path).and_then(|found| found.created()).ok();
        assert_eq!(
            open.identify(below).map_err(|error| error.kind()),
            RealFileSystem
                .symlink_metadata(&path)
                .map(|found| Metadata { created: made(&path), ..found })
                .map_err(|error| error.kind()),
            "identity of {name}",
        );
        assert_eq!(
            without_birth(open.metadata(below)),
            without_birth(RealFileSystem.metadata(&path)),
            "stat of {name}",
        );
        let followed = fs::metadata(&path).and_then(|found| found.created()).ok();
        let said = RealFileSystem.metadata(&path).ok().and_then(|found| found.created);
        assert_eq!(said, followed, "when {name} was made");
    }
}

#[test]
fn an_open_directory_can_be_listed_twice_and_outlives_its_name() {
    let folder = Folder::new();
    let dir = folder.dir("dir");
    fs::write(dir.join("inside"), "").unwrap();
    let open = RealFileSystem.open_dir(&dir).unwrap();
    assert_eq!(open.entries().unwrap().len(), 1);
    fs::write(dir.join("second"), "").unwrap();
    assert_eq!(open.entries().unwrap().len(), 2, "each listing is a new one");
    #[cfg(unix)]
    {
        fs::rename(&dir, folder.path("moved")).unwrap();
        folder.dir("dir");
        assert_eq!(open.entries().unwrap().len(), 2, "it is that directory, and not that name");
        assert!(open.metadata(Path::new("inside")).is_ok());
    }
}

#[cfg(unix)]
#[test]
fn only_a_directory_is_opened_as_one() {
    let folder = every_kind();
    for name in ["file", "link", "fifo", "socket"] {
        let error = RealFileSystem.open_dir(&folder.path(name)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory, "{name}, and without waiting for a pipe");
    }
    assert!(RealFileSystem.open_dir(&folder.path("dir-link")).is_ok(), "links are followed");
    for name in ["missing", "dangling"] {
        let error = RealFileSystem.open_dir(&folder.path(name)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn names_are_listed_byte_for_byte() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let odd = OsStr::from_bytes(b"caf\xe9 \n");
    fs::write(folder.path.join(odd), "").unwrap();
    let listed = sorted(RealFileSystem.open_dir(&folder.path).unwrap().entries().unwrap());
    assert_eq!(listed[0].name, odd);
    let open = RealFileSystem.open_dir(&folder.path).unwrap();
    assert!(open.symlink_metadata(Path::new(odd)).is_ok());
}

#[test]
fn what_is_asked_of_an_open_directory_is_recorded_by_its_whole_path() {
    let folder = Folder::new();
    let dir = folder.dir("dir");
    let recording = Recording::new();
    let disk = recording.of(Arc::new(RealFileSystem));
    let open = disk.open_dir(&dir).unwrap();
    open.entries().unwrap();
    let _ = open.symlink_metadata(Path::new("a/b"));
    let _ = open.metadata(Path::new("c"));
    let calls: Vec<_> = recording
        .take()
        .into_iter()
        .map(|call| format!("{:?} {}", call.operation, call.path.display()))
        .collect();
    let dir = dir.display();
    assert_eq!(
        calls,
        [
            format!("OpenDir {dir}"),
            format!("ReadDir {dir}"),
            format!("SymlinkMetadata {dir}/a/b"),
            format!("Metadata {dir}/c"),
        ],
    );
}
