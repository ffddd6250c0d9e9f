//! What each step of making a file takes for "not here", for "somebody was first", and for an error (RUN-05,
//! RUN-08).

use std::error::Error as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use watertight_disk::{FileSystem, Operation, RealFileSystem, Recording, Scripted};
use watertight_runner_identity::{CreateError, Identity, IdentityError, IdentityFile};

use crate::harness::{Disk, fast_folder, file_on, names_beside, path_in, write_id};

/// A disk whose `operation` on what ends in `suffix` fails.
fn failing(disk: Disk, operation: Operation, suffix: &str, errno: Errno) -> Arc<dyn FileSystem> {
    Arc::new(Scripted::failing(disk.files(), operation, suffix, errno.raw_os_error()))
}

/// A home whose folder for the id is there, so that what is left to do is the file.
fn home_with_folder() -> tempfile::TempDir {
    let home = fast_folder();
    fs::create_dir_all(path_in(home.path()).parent().expect("a folder")).expect("folders");
    home
}

/// The step that failed, and nothing made.
fn not_created(home: &Path, answer: Result<Identity, IdentityError>) -> CreateError {
    match answer {
        Err(IdentityError::NotCreated { source, .. }) => {
            assert!(!path_in(home).exists(), "no id stands");
            assert!(names_beside(home).iter().all(|name| !name.starts_with('.')), "no temporary stays");
            source
        }
        other => panic!("it was not created, and not: {other:?}"),
    }
}

#[test]
fn run_05_a_folder_that_cannot_be_synced_is_an_error_unless_there_is_no_such_step() {
    for errno in [Errno::IO, Errno::NOSPC, Errno::ACCESS] {
        let home = home_with_folder();
        let files = failing(Disk::NoReplaceRename, Operation::SyncDir, "runners", errno);
        let error = file_on(home.path(), files).load_or_create().expect_err("it may not be on disk");
        assert_eq!(error.code(), "not-synced", "{errno}");
    }
    for errno in [Errno::INVAL, Errno::OPNOTSUPP] {
        let home = home_with_folder();
        let files = failing(Disk::NoReplaceRename, Operation::SyncDir, "runners", errno);
        assert!(file_on(home.path(), files).load_or_create().is_ok(), "{errno}: nothing can be synced here");
    }
}

#[test]
fn run_05_a_step_that_fails_is_no_step_that_is_missing_and_no_other_way_is_taken() {
    for (disk, step) in
        [(Disk::NoReplaceRename, Operation::RenameNoReplace), (Disk::LinksOnly, Operation::HardLink)]
    {
        for errno in [Errno::IO, Errno::NOSPC, Errno::ROFS] {
            let home = home_with_folder();
            let answer = file_on(home.path(), failing(disk, step, "runner_id", errno)).load_or_create();
            let error = not_created(home.path(), answer);
            assert_eq!(error.io_error().raw_os_error(), Some(errno.raw_os_error()), "{disk:?}");
        }
    }
}

#[test]
fn run_05_under_the_lock_a_name_that_cannot_be_examined_is_not_free() {
    let home = home_with_folder();
    let locked = AtomicBool::new(false);
    let files = Scripted::new(Disk::LocksOnly.files(), move |operation, path| match operation {
        Operation::Lock => {
            locked.store(true, Ordering::SeqCst);
            Ok(())
        }
        Operation::SymlinkMetadata if path.ends_with("runner_id") && locked.load(Ordering::SeqCst) => {
            Err(Errno::IO.into())
        }
        _ => Ok(()),
    });
    let error = not_created(home.path(), file_on(home.path(), Arc::new(files)).load_or_create());
    assert_eq!(error.io_error().raw_os_error(), Some(Errno::IO.raw_os_error()));
}

#[test]
fn run_08_a_failed_creation_tells_its_code_its_step_its_path_and_the_cause() {
    let home = home_with_folder();
    let files = failing(Disk::NoReplaceRename, Operation::RenameNoReplace, "runner_id", Errno::IO);
    let answer = file_on(home.path(), files).load_or_create();
    let error = not_created(home.path(), answer);
    assert_eq!((error.code(), error.path()), ("not-created", &*path_in(home.path())));
    assert_eq!(error.io_error().raw_os_error(), Some(Errno::IO.raw_os_error()));
    assert!(error.to_string().starts_with("cannot publish "), "{error}");
    assert!(error.source().is_some(), "the cause can be walked to");
}

#[test]
fn run_08_a_folder_that_cannot_be_examined_is_not_taken_for_a_missing_one() {
    let home = fast_folder();
    let files = failing(Disk::NoReplaceRename, Operation::Metadata, "runners", Errno::ACCESS);
    let error = not_created(home.path(), file_on(home.path(), files).load_or_create());
    assert!(error.to_string().starts_with("cannot use the folder "), "{error}");
    assert!(!home.path().join(".omnigent").exists(), "no folder is made beside it either");
}

#[test]
fn run_08_a_file_in_the_folders_place_is_named_before_anything_is_written() {
    let home = fast_folder();
    let folder = path_in(home.path()).parent().expect("a folder").to_owned();
    fs::create_dir(home.path().join(".omnigent")).expect("a folder");
    fs::write(&folder, "here first").expect("a file");
    let error = not_created(home.path(), file_on(home.path(), Disk::NoReplaceRename.files()).regenerate());
    assert_eq!((error.path(), error.io_error().kind()), (&*folder, io::ErrorKind::NotADirectory));
    assert!(error.to_string().starts_with("cannot use the folder "), "{error}");
}

/// Something else stands in the folder's place at the moment when it is to be made.
fn preceded(by: fn(&Path) -> io::Result<()>) -> Arc<dyn FileSystem> {
    Arc::new(Scripted::new(Arc::new(RealFileSystem), move |operation, path| match operation {
        Operation::CreateDir if path.ends_with("runners") => by(path),
        _ => Ok(()),
    }))
}

#[test]
fn run_05_a_folder_that_another_caller_made_first_is_used() {
    let home = fast_folder();
    let files = preceded(|path| fs::create_dir(path));
    let identity = file_on(home.path(), files).load_or_create().expect("the folder is there");
    assert_eq!(fs::read_to_string(path_in(home.path())).expect("there"), identity.id().as_str());
}

#[test]
fn run_08_a_file_that_another_caller_made_in_the_folders_place_is_named() {
    let home = fast_folder();
    let files = preceded(|path| fs::write(path, "here first"));
    let error = not_created(home.path(), file_on(home.path(), files).load_or_create());
    assert_eq!(error.io_error().kind(), io::ErrorKind::NotADirectory);
    assert!(error.to_string().starts_with("cannot use the folder "), "{error}");
}

/// Whether reading an id of this age had its folder synced.
fn syncs(age: Duration, sync: Option<Errno>) -> bool {
    let home = fast_folder();
    let path = write_id(home.path(), "runner-1");
    let below = Scripted::new(Arc::new(RealFileSystem), move |operation, _| match (operation, sync) {
        (Operation::SyncDir, Some(errno)) => Err(errno.into()),
        _ => Ok(()),
    });
    let changed = RealFileSystem.metadata(&path).expect("it is there").changed.0;
    let changed = Duration::from_secs(u64::try_from(changed).expect("after 1970"));
    below.set_clock(Some(SystemTime::UNIX_EPOCH + changed + age));
    let recording = Recording::new();
    let files = recording.of(Arc::new(below));
    let identity = file_on(home.path(), Arc::new(files)).load_or_create().expect("it is there");
    assert_eq!(identity.id().as_str(), "runner-1");
    recording.take().iter().any(|call| call.operation == Operation::SyncDir)
}

#[test]
fn run_05_who_reads_an_id_that_was_made_a_moment_ago_has_its_folder_synced() {
    for seconds in 0..=2 {
        assert!(syncs(Duration::from_secs(seconds), None), "its maker may not have come to it");
    }
    for seconds in [3, 60, 100_000] {
        assert!(!syncs(Duration::from_secs(seconds), None), "an id that has settled costs no sync");
    }
    assert!(syncs(Duration::ZERO, Some(Errno::ROFS)), "it is read all the same where nothing can be synced");
}

#[test]
fn run_02_a_file_tells_where_it_is() {
    let home = Path::new("/srv/home");
    assert_eq!(IdentityFile::in_user_home(Some(home)).path(), Some(&*path_in(home)));
    assert_eq!(IdentityFile::in_user_home(None).path(), None);
    assert_eq!(IdentityFile::at("/srv/runner_id").path(), Some(Path::new("/srv/runner_id")));
}
