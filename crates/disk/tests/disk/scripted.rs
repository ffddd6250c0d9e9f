use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use watertight_disk::{FileSystem, Links, Operation, RealFileSystem, Scripted};

use crate::Folder;

/// Every operation of the seam, asked once; the code that each answered with.
fn ask_all(disk: &dyn FileSystem, folder: &Folder) -> Vec<(Operation, Option<i32>)> {
    let (file, dir) = (folder.file("file", "x"), folder.dir("dir"));
    let (a, b, c) = (folder.path("dir/a"), folder.path("dir/b"), folder.path("dir/c"));
    let code = |error: &io::Error| error.raw_os_error();
    let of = |answer: io::Result<()>| answer.err().as_ref().and_then(code);
    vec![
        (Operation::SymlinkMetadata, of(disk.symlink_metadata(&file).map(drop))),
        (Operation::Metadata, of(disk.metadata(&file).map(drop))),
        (Operation::Canonicalize, of(disk.canonicalize(&file).map(drop))),
        (Operation::ReadDir, of(disk.read_dir(&dir).map(drop))),
        (Operation::OpenDir, of(disk.open_dir(&dir).map(drop))),
        (Operation::Open, of(disk.open(&file, Links::Follow).map(drop))),
        (Operation::OpenMetadata, of(disk.open(&file, Links::Follow).and_then(|f| f.metadata()).map(drop))),
        (Operation::Read, of(disk.open(&file, Links::Follow).and_then(|mut f| f.read(&mut [0])).map(drop))),
        (Operation::CreateDir, of(disk.create_dir(&folder.path("dir/d"), 0o700))),
        (Operation::CreateTemporary, of(disk.create_temporary(&dir, "t").map(drop))),
        (Operation::CreateNew, of(disk.create_new(&a, 0o600).map(drop))),
        (Operation::WriteAll, of(disk.create_temporary(&dir, "t").and_then(|mut t| t.file.write_all(b"x")))),
        (Operation::Sync, of(disk.create_temporary(&dir, "t").and_then(|mut t| t.file.sync()))),
        (Operation::HardLink, of(disk.hard_link(&a, &b))),
        (Operation::Rename, of(disk.rename(&a, &c))),
        (Operation::RemoveFile, of(disk.remove_file(&c))),
        (Operation::Lock, of(disk.lock(&folder.path("dir/lock")).map(drop))),
        (Operation::SyncDir, of(disk.sync_dir(&dir))),
    ]
}

#[test]
fn without_an_error_every_operation_is_the_one_below() {
    let disk = Scripted::new(Arc::new(RealFileSystem), |_, _| Ok(()));
    for (operation, code) in ask_all(&disk, &Folder::new()) {
        assert_eq!(code, None, "{operation:?}");
    }
}

#[test]
fn an_injected_error_is_the_answer_of_that_operation_and_of_no_other() {
    let operations: Vec<_> =
        ask_all(&RealFileSystem, &Folder::new()).into_iter().map(|(operation, _)| operation).collect();
    for injected in operations {
        let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, _| {
            if operation == injected { Err(io::Error::from_raw_os_error(122)) } else { Ok(()) }
        });
        for (operation, code) in ask_all(&disk, &Folder::new()) {
            // Some need another one first, or what another one makes.
            assert_eq!(operation == injected, code == Some(122), "{operation:?} with {injected:?}");
            if operation == injected {
                break;
            }
        }
    }
}

#[test]
fn an_error_can_be_for_one_path_alone() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a", ""), folder.file("b", ""));
    let disk = Scripted::failing(Arc::new(RealFileSystem), Operation::Metadata, "a", 5);
    assert_eq!(disk.metadata(&a).unwrap_err().raw_os_error(), Some(5));
    assert!(disk.symlink_metadata(&a).is_ok());
    assert!(disk.metadata(&b).is_ok());
}

#[test]
fn a_script_can_change_the_disk_between_two_steps() {
    let folder = Folder::new();
    let file = folder.file("file", "x");
    let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
        if operation == Operation::Open {
            std::fs::remove_file(path)?;
        }
        Ok(())
    });
    assert!(disk.metadata(&file).is_ok());
    assert_eq!(disk.open(&file, Links::Follow).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn the_clock_can_be_set_and_let_go() {
    let disk = Scripted::new(Arc::new(RealFileSystem), |_, _: &Path| Ok(()));
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
    disk.set_clock(Some(then));
    assert_eq!(disk.now(), then);
    disk.set_clock(None);
    assert!(disk.now() > then);
}

#[test]
fn a_listing_may_tell_no_kinds() {
    let folder = Folder::new();
    folder.file("file", "x");
    folder.dir("dir");
    let disk = Scripted::new(Arc::new(RealFileSystem), |_, _| Ok(()));
    for (disk, told) in [(disk.clone(), true), (disk.without_kinds(), false)] {
        let here = folder.path("");
        for entries in [disk.read_dir(&here), disk.open_dir(&here).and_then(|open| open.entries())] {
            let entries: Vec<_> = entries.unwrap().into_iter().map(Result::unwrap).collect();
            assert_eq!(entries.len(), 2, "the names stay");
            assert!(entries.iter().all(|entry| entry.kind.is_some() == told), "{entries:?}");
        }
    }
}

#[test]
fn a_file_may_be_read_in_short_pieces() {
    let folder = Folder::new();
    let path = folder.file("file", "1234567");
    let disk = Scripted::new(Arc::new(RealFileSystem), |_, _| Ok(())).reading_at_most(3);
    let mut file = disk.open(&path, Links::Follow).unwrap();
    let mut buffer = [0; 16];
    let mut pieces = Vec::new();
    while let read @ 1.. = file.read(&mut buffer).unwrap() {
        pieces.push(buffer[..read].to_vec());
    }
    assert_eq!(pieces, [&b"123"[..], b"456", b"7"], "all of it comes, three bytes at a time");
}
