//! Disks that are full, read-only, or hold a file where a folder should be (RUN-08, RUN-37).

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use watertight_disk::{FileSystem, Scripted};
use watertight_runner_identity::{IdentityError, IdentityFile, RunnerId};

use crate::harness::{
    Disk, fast_folder, file_on, helper, helper_below, names_beside, path_in, whole_or_absent, write_id,
};

const TROUBLE: [Errno; 4] = [Errno::NOSPC, Errno::ROFS, Errno::IO, Errno::ACCESS];

/// A disk whose operation with this number fails, and how many operations were asked for.
fn failing_at(disk: Disk, step: usize, errno: Errno) -> (Arc<dyn FileSystem>, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let files = Scripted::new(disk.files(), move |_, _| {
        if count.fetch_add(1, Ordering::SeqCst) == step { Err(errno.into()) } else { Ok(()) }
    });
    (Arc::new(files), asked)
}

#[test]
fn run_08_trouble_at_any_step_of_a_creation_is_a_typed_error_and_leaves_no_part_of_a_file() {
    for disk in Disk::ALL {
        for errno in TROUBLE {
            for step in 0.. {
                let home = fast_folder();
                let (files, asked) = failing_at(disk, step, errno);
                let result = file_on(home.path(), files).load_or_create();
                let kept = whole_or_absent(home.path());
                match &result {
                    Ok(identity) => {
                        assert_eq!(kept.as_ref(), Some(identity.id()), "what is returned is kept");
                    }
                    Err(error) => {
                        assert!(error.path().is_some_and(|path| path.starts_with(home.path())), "{error}");
                        let cause = std::io::Error::from(errno).to_string();
                        assert!(error.to_string().contains(&cause), "it says why: {error}");
                    }
                }
                let next = file_on(home.path(), disk.files()).load_or_create().expect("the trouble is over");
                assert!(kept.is_none_or(|kept| &kept == next.id()), "an id that was kept stands");
                if asked.load(Ordering::SeqCst) <= step {
                    assert!(step > 10, "the creation has its steps");
                    break;
                }
            }
        }
    }
}

#[test]
fn run_37_trouble_at_any_step_of_a_regeneration_leaves_the_old_id_until_the_new_one_stands() {
    for errno in TROUBLE {
        for step in 0.. {
            let home = fast_folder();
            let old: RunnerId = "runner_00000000000000000000000000000000".parse().expect("an id");
            write_id(home.path(), old.as_str());
            let (files, asked) = failing_at(Disk::NoReplaceRename, step, errno);
            let result = file_on(home.path(), files).regenerate();
            let kept = whole_or_absent(home.path()).expect("there is always an id");
            match result {
                Ok(identity) => assert_eq!(&kept, identity.id(), "what is returned is kept"),
                Err(IdentityError::NotSynced { .. }) => assert_ne!(kept, old, "the rename had succeeded"),
                Err(error) => assert_eq!(kept, old, "the old id stands: {error}"),
            }
            if asked.load(Ordering::SeqCst) <= step {
                break;
            }
        }
    }
}

#[test]
fn run_08_a_failed_creation_takes_its_temporary_away() {
    for operation in [watertight_disk::Operation::WriteAll, watertight_disk::Operation::Sync] {
        let home = tempfile::tempdir().expect("a temporary folder");
        let files = Scripted::new(Disk::NoReplaceRename.files(), move |asked, _| {
            if asked == operation { Err(Errno::NOSPC.into()) } else { Ok(()) }
        });
        let error = file_on(home.path(), Arc::new(files)).load_or_create().expect_err("the disk is full");
        assert_eq!(error.code(), "not-created");
        assert!(names_beside(home.path()).is_empty(), "nothing stays behind");
    }
}

#[test]
fn run_08_a_full_disk_of_a_real_process_is_an_error_and_leaves_nothing() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().to_str().expect("text");
    let full = helper_below("trap '' XFSZ; ulimit -f 0", &["once", folder]).output().expect("it runs");
    let said = String::from_utf8(full.stderr).expect("text");
    assert!(said.starts_with("error not-created: "), "{said}");
    assert!(said.contains(folder), "it names the path: {said}");
    assert!(names_beside(home.path()).is_empty(), "no part of a file stays");

    write_id(home.path(), "runner-1");
    let full = helper_below("trap '' XFSZ; ulimit -f 0", &["once", folder]).output().expect("it runs");
    assert_eq!(full.stderr, b"file runner-1\n", "an existing id stays readable on a full disk");
}

#[test]
fn run_08_an_injected_read_only_file_system_still_gives_the_id_that_is_there() {
    use watertight_disk::Operation as Op;
    let read_only = || {
        Arc::new(Scripted::new(Disk::NoReplaceRename.files(), |operation, _| match operation {
            Op::CreateDir
            | Op::CreateTemporary
            | Op::CreateNew
            | Op::Lock
            | Op::RenameNoReplace
            | Op::HardLink
            | Op::Rename
            | Op::RemoveFile => Err(Errno::ROFS.into()),
            _ => Ok(()),
        }))
    };
    let home = tempfile::tempdir().expect("a temporary folder");
    let error = file_on(home.path(), read_only()).load_or_create().expect_err("none can be made");
    assert_eq!(error.code(), "not-created");
    write_id(home.path(), "runner-1");
    let identity = file_on(home.path(), read_only()).load_or_create().expect("it is there");
    assert_eq!(identity.id().as_str(), "runner-1");
    assert_eq!(file_on(home.path(), read_only()).regenerate().expect_err("not here").code(), "not-created");
    assert_eq!(fs::read(path_in(home.path())).expect("there"), b"runner-1", "the old id stands");
}

/// Runs the helper on a small file system of its own that is mounted for it alone, and read-only at the end.
fn on_a_read_only_mount(prepare: &str) -> Option<String> {
    let mount = tempfile::tempdir().expect("a temporary folder");
    let at = mount.path().to_str().expect("text").to_owned();
    let below =
        format!("mount -t tmpfs none '{at}' || exit 99; {prepare}; mount -o remount,ro '{at}' || exit 99");
    let inner = helper_below(&below.replace("HOME", &at), &["once", &at]);
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user"]).arg(inner.get_program()).args(inner.get_args());
    let output = command.output().ok()?;
    let said = String::from_utf8(output.stderr).expect("text");
    output.status.success().then_some(said)
}

#[test]
fn run_08_a_real_read_only_mount_still_gives_the_id_that_is_there() {
    let there = "mkdir -p 'HOME/.omnigent/runners'; printf runner-1 > 'HOME/.omnigent/runners/runner_id'";
    let (Some(read), Some(refused)) = (on_a_read_only_mount(there), on_a_read_only_mount(":")) else {
        skipped(
            "run_08_a_real_read_only_mount_still_gives_the_id_that_is_there",
            "no mount may be made here",
        );
        return;
    };
    assert_eq!(read, "file runner-1\n");
    assert!(refused.starts_with("error not-created: "), "{refused}");
    assert!(refused.contains(&std::io::Error::from(Errno::ROFS).to_string()), "it says why: {refused}");
}

/// Skipped by name, where a person or a report can see it.
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn skipped(test: &str, why: &str) {
    eprintln!("skipped: {test}: {why}");
}

#[test]
fn run_08_a_file_where_a_folder_should_be_is_a_typed_error_and_stays() {
    for blocked in [".omnigent", ".omnigent/runners"] {
        let home = tempfile::tempdir().expect("a temporary folder");
        let file = home.path().join(blocked);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(&file, "here first").expect("written");
        let error =
            file_on(home.path(), Disk::NoReplaceRename.files()).load_or_create().expect_err("no folder");
        assert!(error.path().is_some_and(|path| path.starts_with(home.path())), "{error}");
        assert!(matches!(error.code(), "unreadable" | "not-created"), "{error}");
        assert_eq!(fs::read(&file).expect("there"), b"here first");
    }
    let home = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink("nowhere", home.path().join(".omnigent")).expect("a dangling link");
    let error = file_on(home.path(), Disk::NoReplaceRename.files()).load_or_create().expect_err("no folder");
    assert_eq!(error.code(), "not-created", "{error}");
    assert!(!home.path().join("nowhere").exists(), "no folder is made through a link that leads nowhere");
}

#[test]
fn run_08_no_user_home_is_a_typed_error_that_says_what_to_do() {
    let file = IdentityFile::in_user_home(None);
    for error in [
        file.load().expect_err("no home"),
        file.load_or_create().expect_err("no home"),
        file.regenerate().expect_err("no home"),
    ] {
        assert!(matches!(error, IdentityError::NoUserHome));
        assert_eq!(error.code(), "no-user-home");
        assert!(error.to_string().contains("OMNIGENT_RUNNER_ID"), "{error}");
    }
}

/// Whether this process may act as anybody, and so must become somebody else to be refused.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn run_08_a_home_that_may_not_be_written_or_read_is_a_typed_error_with_the_path() {
    let home = tempfile::tempdir().expect("a temporary folder");
    set_mode(home.path(), 0o555);
    let Some(said) = as_nobody_in_particular(home.path()) else {
        skipped(
            "run_08_a_home_that_may_not_be_written_or_read_is_a_typed_error_with_the_path",
            "this binary cannot be run by another user",
        );
        return;
    };
    assert!(
        said.starts_with("error not-created: ") && said.contains(&*home.path().to_string_lossy()),
        "{said}"
    );
    set_mode(home.path(), 0o755);
    let path = write_id(home.path(), "canary-id");
    set_mode(&path, 0o000);
    let said = as_nobody_in_particular(home.path()).expect("as before");
    assert!(said.starts_with("error unreadable: ") && said.contains(&*path.to_string_lossy()), "{said}");
    assert!(!said.contains("canary"), "{said}");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("a mode");
}

/// What a user without rights is told: another one where this is root, else this one.
fn as_nobody_in_particular(home: &Path) -> Option<String> {
    let mut command = helper(&["once", home.to_str().expect("text")]);
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stderr).expect("text"))
}
