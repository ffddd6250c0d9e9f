use std::fs;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use watertight_disk::{FileSystem, RealFileSystem};

use crate::Folder;

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    RealFileSystem.symlink_metadata(path).unwrap().mode
}

#[test]
fn what_is_made_is_nobody_elses_to_read() {
    let folder = Folder::new();
    RealFileSystem.create_dir(&folder.path("dir"), 0o700).unwrap();
    let mut temporary = RealFileSystem.create_temporary(&folder.path("dir"), "id").unwrap();
    temporary.file.write_all(b"canary-1").unwrap();
    temporary.file.sync().unwrap();
    let mut new = RealFileSystem.create_new(&folder.path("new"), 0o600).unwrap();
    new.write_all(b"canary-2").unwrap();
    assert_eq!(fs::read(&temporary.path).unwrap(), b"canary-1");
    assert!(temporary.path.file_name().unwrap().to_str().unwrap().starts_with("id"));
    #[cfg(unix)]
    {
        assert_eq!(mode(&folder.path("dir")), 0o700);
        assert_eq!(mode(&temporary.path), 0o600);
        assert_eq!(mode(&folder.path("new")), 0o600);
    }
    RealFileSystem.sync_dir(&folder.path("dir")).unwrap();
    drop(temporary.file);
    assert!(temporary.path.exists(), "it stays until somebody removes or renames it");
}

#[test]
fn nothing_is_ever_made_over_something() {
    let folder = Folder::new();
    let (mine, theirs) = (folder.file("mine", "mine"), folder.file("theirs", "theirs"));
    let refused = |answer: io::Result<()>, what: &str| {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{what}");
        assert_eq!(fs::read(&theirs).unwrap(), b"theirs", "{what}");
        assert_eq!(fs::read(&mine).unwrap(), b"mine", "{what}");
    };
    refused(RealFileSystem.create_new(&theirs, 0o600).map(drop), "create_new");
    refused(RealFileSystem.create_dir(&theirs, 0o700), "create_dir");
    refused(RealFileSystem.hard_link(&mine, &theirs), "hard_link");
    if cfg!(any(target_os = "linux", target_os = "macos")) {
        refused(RealFileSystem.rename_no_replace(&mine, &theirs), "rename_no_replace");
        RealFileSystem.rename_no_replace(&mine, &folder.path("free")).unwrap();
        assert_eq!(fs::read(folder.path("free")).unwrap(), b"mine");
    }
}

#[cfg(unix)]
#[test]
fn a_dangling_link_is_something_too() {
    let folder = Folder::new();
    let (mine, link) = (folder.file("mine", "mine"), folder.link("link", "target"));
    for answer in [
        RealFileSystem.create_new(&link, 0o600).map(drop),
        RealFileSystem.hard_link(&mine, &link),
        RealFileSystem.rename_no_replace(&mine, &link),
        RealFileSystem.create_dir(&link, 0o700),
    ] {
        assert_eq!(answer.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }
    assert!(RealFileSystem.lock(&link).is_err(), "a lock follows no link either");
    assert!(!folder.path("target").exists(), "nothing was made where it leads");
}

#[test]
fn renaming_replaces_and_removing_removes_the_link_itself() {
    let folder = Folder::new();
    let (mine, theirs) = (folder.file("mine", "mine"), folder.file("theirs", "theirs"));
    RealFileSystem.rename(&mine, &theirs).unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), b"mine");
    #[cfg(unix)]
    {
        let link = folder.link("link", "theirs");
        RealFileSystem.remove_file(&link).unwrap();
        assert!(theirs.exists() && link.symlink_metadata().is_err());
    }
    RealFileSystem.remove_file(&theirs).unwrap();
    assert!(!theirs.exists());
}

#[test]
fn a_lock_is_held_by_one_at_a_time_and_its_file_stays() {
    let folder = Folder::new();
    let path = folder.path("lock");
    let inside = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let held = RealFileSystem.lock(&path).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "nobody else is inside");
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(held);
                }
            });
        }
    });
    assert!(path.exists());
}
