//! How an id is made (RUN-03, RUN-05, RUN-37): what stands on the disk, and in which order it got there.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;
use watertight_disk::{Call, Operation, RealFileSystem, Recording, Scripted};
use watertight_runner_identity::{IdentityError, Provenance, load, load_or_create, regenerate};

use crate::harness::{Disk, file_on, names_beside, path_in, whole_or_absent, write_id};

#[test]
fn run_03_a_made_id_is_the_prefix_and_a_random_uuid_and_stands_in_the_file_alone() {
    for disk in Disk::ALL {
        let home = tempfile::tempdir().expect("a temporary folder");
        let made = file_on(home.path(), disk.files()).load_or_create().expect("a fresh home takes an id");
        let digits = made.id().as_str().strip_prefix("runner_").expect("the prefix");
        assert_eq!(digits.len(), 32);
        assert!(
            digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit)),
            "{digits}"
        );
        assert_eq!(digits.as_bytes()[12], b'4', "a version 4 UUID: {digits}");
        assert!(b"89ab".contains(&digits.as_bytes()[16]), "of the usual variant: {digits}");
        assert_eq!(made.provenance(), &Provenance::Created(Arc::from(path_in(home.path()))));
        let text = fs::read_to_string(path_in(home.path())).expect("written");
        assert_eq!(text, made.id().as_str(), "the file holds the id and nothing else");
        let other = tempfile::tempdir().expect("a temporary folder");
        let second = file_on(other.path(), disk.files()).load_or_create().expect("an id");
        assert_ne!(second.id(), made.id(), "ids are random");
    }
}

#[test]
fn run_03_the_functions_that_take_a_path_do_the_same() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = home.path().join("made/on/the/way/runner_id");
    assert!(load(&path).expect("nothing there").is_none());
    let made = load_or_create(&path).expect("an id");
    assert_eq!(load(&path).expect("usable").expect("there").id(), made.id());
    let anew = regenerate(&path).expect("an id");
    assert_ne!(anew.id(), made.id());
    assert_eq!(load_or_create(&path).expect("usable").id(), anew.id());
    let relative = load_or_create(Path::new("runner_id")).expect_err("a relative path is no place");
    assert!(matches!(relative, IdentityError::RelativePath { .. }), "{relative}");
}

/// Where a call stands among others; there must be one.
fn position(calls: &[Call], what: &str, wanted: impl Fn(&Call) -> bool) -> usize {
    calls.iter().position(wanted).unwrap_or_else(|| panic!("no call {what} among {calls:#?}"))
}

fn is_temporary(call: &Call) -> bool {
    call.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".runner_id."))
}

#[test]
fn run_05_a_file_is_written_and_synced_before_it_gets_its_name_and_its_folder_after() {
    for (disk, publishing) in
        Disk::ALL.into_iter().zip([Operation::RenameNoReplace, Operation::HardLink, Operation::Rename])
    {
        let home = tempfile::tempdir().expect("a temporary folder");
        let recording = Recording::new();
        let id = path_in(home.path());
        file_on(home.path(), Arc::new(recording.of(disk.files()))).load_or_create().expect("an id");
        let calls = recording.take();
        let at = |operation, path: &Path| {
            position(&calls, &format!("{operation:?} of {path:?}"), |call| {
                call.operation == operation && call.path == path
            })
        };
        let written =
            position(&calls, "to write", |call| call.operation == Operation::WriteAll && is_temporary(call));
        let synced =
            position(&calls, "to sync", |call| call.operation == Operation::Sync && is_temporary(call));
        let published = at(publishing, &id);
        let folder = id.parent().expect("a folder");
        let after = published
            + position(&calls[published..], "to sync the folder", |call| {
                call.operation == Operation::SyncDir && call.path == folder
            });
        assert!(written < synced && synced < published && published < after, "{disk:?}: {calls:#?}");

        for made in folder.ancestors().take(2) {
            let (made_at, parent) = (at(Operation::CreateDir, made), made.parent().expect("a parent"));
            assert!(
                made_at < at(Operation::SyncDir, parent) && at(Operation::SyncDir, parent) < published,
                "a new folder is synced into its parent before anything stands in it"
            );
        }
        let sidecar = calls.iter().position(|call| call.path == folder.join("runner_id.machine"));
        assert!(sidecar.is_none_or(|sidecar| after < sidecar), "the fingerprint comes after the id (RUN-35)");
        assert!(
            calls.iter().all(|call| call.path != id || call.operation != Operation::CreateNew),
            "the id's name never stands for an empty file"
        );
    }
}

/// A disk where somebody does something just before this caller publishes.
fn overtaken(disk: Disk, publishing: Operation, by: impl Fn(&Path) + Send + Sync + 'static) -> Scripted {
    Scripted::new(disk.files(), move |operation, path| {
        if operation == publishing && path.ends_with("runner_id") {
            by(path);
        }
        Ok(())
    })
}

#[test]
fn run_05_who_loses_the_race_returns_the_winners_id_and_syncs_the_folder_too() {
    for (disk, publishing) in Disk::ALL.into_iter().zip([
        Operation::RenameNoReplace,
        Operation::HardLink,
        Operation::SymlinkMetadata,
    ]) {
        let home = tempfile::tempdir().expect("a temporary folder");
        let id = path_in(home.path());
        let folder = id.parent().expect("a folder").to_owned();
        let made = folder.clone();
        let overtaken = overtaken(disk, publishing, move |path| {
            if made.exists() {
                fs::write(path, "winner\n").expect("the winner writes");
            }
        });
        let recording = Recording::new();
        let loser = file_on(home.path(), Arc::new(recording.of(Arc::new(overtaken))));
        let identity = loser.load_or_create().expect("the winner's id is usable");
        assert_eq!((identity.id().as_str(), identity.is_created()), ("winner", false), "{disk:?}");
        assert_eq!(fs::read_to_string(&id).expect("there"), "winner\n", "the winner's file stands");
        let leftovers: Vec<_> =
            names_beside(home.path()).into_iter().filter(|name| name.starts_with('.')).collect();
        assert!(leftovers.is_empty(), "{disk:?}: {leftovers:?}");
        let calls = recording.take();
        let read = calls.iter().rposition(|call| call.operation == Operation::Read && call.path == id);
        let synced =
            calls.iter().rposition(|call| call.operation == Operation::SyncDir && call.path == folder);
        assert!(read.is_some() && read < synced, "the loser syncs the folder: {calls:#?}");
    }
}

#[test]
fn run_05_who_loses_to_something_unusable_says_so_and_replaces_nothing() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let files = overtaken(Disk::NoReplaceRename, Operation::RenameNoReplace, |path| {
        fs::write(path, " \n").expect("written");
    });
    let error = file_on(home.path(), Arc::new(files)).load_or_create().expect_err("blank");
    assert_eq!(error.code(), "blank");
    assert_eq!(fs::read_to_string(path_in(home.path())).expect("there"), " \n");

    let home = tempfile::tempdir().expect("a temporary folder");
    let files = overtaken(Disk::LinksOnly, Operation::HardLink, |path| {
        std::os::unix::fs::symlink("elsewhere", path).expect("a link");
    });
    let error = file_on(home.path(), Arc::new(files)).load_or_create().expect_err("a dangling link");
    assert_eq!(error.code(), "unreadable");
    assert!(!path_in(home.path()).with_file_name("elsewhere").exists(), "the link was not followed");
}

#[test]
fn run_05_a_name_that_is_taken_and_free_in_turn_ends_in_an_error_and_not_in_a_loop() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let files = Scripted::failing(
        Arc::new(RealFileSystem),
        Operation::RenameNoReplace,
        "runner_id",
        Errno::EXIST.raw_os_error(),
    );
    let error = file_on(home.path(), Arc::new(files)).load_or_create().expect_err("nobody wins");
    assert!(matches!(error, IdentityError::Vanishing { .. }), "{error}");
    assert!(names_beside(home.path()).is_empty(), "no temporary stays");
}

#[test]
fn run_37_regenerating_replaces_whatever_is_there_and_follows_no_link() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = file_on(home.path(), Disk::NoReplaceRename.files());
    for content in ["", "runner-old", "not an id"] {
        write_id(home.path(), content);
        let made = file.regenerate().expect("an id");
        assert!(made.is_created());
        assert_eq!(whole_or_absent(home.path()).as_ref(), Some(made.id()));
        assert_eq!(file.load().expect("usable").expect("there").id(), made.id());
    }
    let target = home.path().join("private");
    fs::write(&target, "canary").expect("written");
    fs::remove_file(path_in(home.path())).expect("removed");
    std::os::unix::fs::symlink(&target, path_in(home.path())).expect("a link");
    file.regenerate().expect("an id");
    assert_eq!(fs::read_to_string(&target).expect("there"), "canary", "the link's target stands as it was");
    assert!(fs::symlink_metadata(path_in(home.path())).expect("there").is_file(), "the link is gone");

    let fresh = tempfile::tempdir().expect("a temporary folder");
    file_on(fresh.path(), Disk::LocksOnly.files()).regenerate().expect("also where there was none");
}

#[test]
fn run_37_the_new_text_is_synced_before_the_rename_and_the_folder_after() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let id = write_id(home.path(), "runner-old");
    let recording = Recording::new();
    file_on(home.path(), Arc::new(recording.of(Arc::new(RealFileSystem)))).regenerate().expect("an id");
    let calls = recording.take();
    let synced = position(&calls, "to sync", |call| call.operation == Operation::Sync && is_temporary(call));
    let renamed =
        position(&calls, "to rename", |call| call.operation == Operation::Rename && call.path == id);
    let folder = position(&calls, "to sync the folder", |call| {
        call.operation == Operation::SyncDir && Some(&*call.path) == id.parent()
    });
    assert!(synced < renamed && renamed < folder, "{calls:#?}");
}
