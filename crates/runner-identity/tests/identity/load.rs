//! What is read from the file (RUN-02, RUN-04, RUN-07, RUN-33).

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_runner_identity::{IdentityError, IdentityFile, InvalidRunnerId, Provenance, ReadError};

use crate::harness::{file_on, path_in, write_id};

fn file_in(home: &Path) -> IdentityFile {
    IdentityFile::in_user_home(Some(home))
}

fn error_of(home: &Path) -> IdentityError {
    let error = file_in(home).load().expect_err("it cannot be used");
    let same = file_in(home).load_or_create().expect_err("it is never replaced");
    assert_eq!(error.to_string(), same.to_string(), "making one judges the file as reading it does");
    error
}

#[test]
fn run_02_the_id_is_read_from_the_users_home_and_trimmed() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for text in ["build-7", " build-7\n", "\tbuild-7\r\n", "\u{feff}build-7", "\u{feff} \u{b}build-7 \u{c}"] {
        let path = write_id(home.path(), text);
        assert_eq!(path, home.path().join(".omnigent").join("runners").join("runner_id"));
        let identity = file_in(home.path()).load().expect("usable").expect("there");
        assert_eq!(identity.id().as_str(), "build-7", "{text:?}");
        assert_eq!(identity.provenance(), &Provenance::File(Arc::from(path)));
        let again = file_in(home.path()).load_or_create().expect("usable");
        assert!(!again.is_created() && again.id() == identity.id(), "an id that is there is not made");
    }
}

#[test]
fn run_04_a_blank_file_is_an_error_that_names_its_path_and_is_never_replaced() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for text in ["", "\n", "   \r\n", "\u{feff}", "\u{feff} \n"] {
        let path = write_id(home.path(), text);
        let error = error_of(home.path());
        assert!(
            matches!(&error, IdentityError::InvalidFile { reason: InvalidRunnerId::Blank, .. }),
            "{error}"
        );
        assert_eq!(error.code(), "blank");
        assert_eq!(error.path(), Some(&*path));
        assert!(error.to_string().contains(path.to_str().expect("text")));
        assert_eq!(fs::read_to_string(&path).expect("still there"), text, "the file stands as it was");
    }
}

#[test]
fn run_07_content_outside_the_grammar_is_an_error_that_repeats_nothing_of_it() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let hex = "0123456789abcdef0123456789abcdef";
    let bad: [Vec<u8>; 12] = [
        format!("runner_{hex}\nrunner_{hex}").into(),
        "../../canary-x".into(),
        "canary..x".into(),
        "-canary".into(),
        "canary x".into(),
        "canary/x".into(),
        "canary\\x".into(),
        format!("canary{}", "a".repeat(123)).into(),
        b"canary\xff\xfe".to_vec(),
        b"\xff\xfe".to_vec(),
        format!("runner_{hex}\0").into(),
        "canary\u{e9}".into(),
    ];
    for content in bad {
        write_id(home.path(), &content);
        let error = error_of(home.path());
        let shown = format!("{error} {error:?}");
        assert_eq!(error.code(), "invalid-id", "{shown}");
        assert!(!shown.contains("canary") && !shown.contains(hex), "nothing of it is repeated: {shown}");
        assert_eq!(fs::read(path_in(home.path())).expect("still there"), content);
    }
}

#[test]
fn run_07_what_is_valid_is_not_rejected() {
    let home = tempfile::tempdir().expect("a temporary folder");
    for text in ["runner_0123", "runner_ABCDEF", "a", "0", "a.b.c", "a:b-c_d", &"a".repeat(128)] {
        write_id(home.path(), text);
        assert_eq!(file_in(home.path()).load().expect("usable").expect("there").id().as_str(), text);
    }
}

#[test]
fn run_07_at_most_four_kibibytes_are_read() {
    let home = tempfile::tempdir().expect("a temporary folder");
    write_id(home.path(), format!("runner-1{}", "\n".repeat(4096 - 8)));
    assert!(file_in(home.path()).load().expect("exactly 4 KiB are read").is_some());
    for content in [format!("runner-1{}", "\n".repeat(4096 - 7)), "a".repeat(1 << 20)] {
        write_id(home.path(), content);
        let error = error_of(home.path());
        assert!(matches!(error, IdentityError::Unreadable { source: ReadError::TooLarge, .. }), "{error}");
        assert!(error.to_string().len() < 300, "a large file makes no large error");
    }
}

/// Puts something that is no file where the id file should be.
fn in_its_place(make: impl FnOnce(&Path)) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = path_in(home.path());
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    make(&path);
    (home, path)
}

#[test]
fn run_07_what_is_no_file_is_a_typed_error_and_hangs_nothing() {
    let fifo = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
        assert!(made.success());
    };
    let (home, path) = in_its_place(fifo);
    let error = error_of(home.path());
    assert!(error.to_string().contains("a named pipe"), "{error}");
    assert_eq!((error.code(), error.path()), ("unreadable", Some(&*path)));

    let (home, _) = in_its_place(|path| fs::create_dir(path).expect("a folder"));
    assert!(error_of(home.path()).to_string().contains("a directory"));

    let (home, _) = in_its_place(|path| symlink("/dev/zero", path).expect("a link"));
    assert!(error_of(home.path()).to_string().contains("a socket or device"));

    let (home, _) = in_its_place(|path| symlink(path, path).expect("a loop"));
    assert_eq!(error_of(home.path()).code(), "unreadable");

    let (home, path) = in_its_place(|path| symlink("nowhere", path).expect("a dangling link"));
    let error = error_of(home.path());
    assert!(matches!(error, IdentityError::Unreadable { source: ReadError::DanglingLink, .. }), "{error}");
    assert!(!path.with_file_name("nowhere").exists(), "creation never follows a link");
}

#[test]
fn run_07_a_link_to_a_private_file_gives_nothing_of_it_away_and_leaves_it_alone() {
    let private = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(private.path(), "canary-secret = canary-value\n").expect("written");
    let (home, _) = in_its_place(|path| symlink(private.path(), path).expect("a link"));
    let error = error_of(home.path());
    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
    assert_eq!(fs::read(private.path()).expect("still there"), b"canary-secret = canary-value\n");

    let (home, _) = in_its_place(|path| symlink("/proc/self/environ", path).expect("a link"));
    if Path::new("/proc/self/environ").exists() {
        let error = error_of(home.path());
        assert!(matches!(error, IdentityError::Unreadable { source: ReadError::Changed, .. }), "{error}");
    }
}

#[test]
fn run_07_a_file_that_vanishes_or_changes_while_it_is_opened_is_judged_anew() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = write_id(home.path(), "runner-1");
    let gone = path.clone();
    let files = Scripted::new(Arc::new(RealFileSystem), move |operation, _| {
        if operation == Operation::Open && gone.exists() {
            fs::remove_file(&gone)?;
        }
        Ok(())
    });
    assert!(file_on(home.path(), Arc::new(files)).load().expect("it is absent now").is_none());

    write_id(home.path(), "runner-1");
    let grown = path.clone();
    let files = Scripted::new(Arc::new(RealFileSystem), move |operation, _| {
        if operation == Operation::Read {
            fs::write(&grown, "runner-22")?;
        }
        Ok(())
    });
    let identity = file_on(home.path(), Arc::new(files)).load().expect("usable").expect("there");
    assert_eq!(identity.id().as_str(), "runner-22", "no half of one and half of another");
}

#[test]
fn run_33_reading_an_identity_makes_and_changes_nothing() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let look = |path: &Path| {
        let found = fs::symlink_metadata(path).expect("there");
        (found.mode(), found.uid(), found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec())
    };
    let before = look(home.path());
    assert!(file_in(home.path()).load().expect("nothing there").is_none());
    assert_eq!(look(home.path()), before, "reading makes nothing");
    assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 0);

    let path = write_id(home.path(), "runner-1");
    let all = |path: &Path| path.ancestors().take(4).map(look).collect::<Vec<_>>();
    let before = all(&path);
    let identity = file_in(home.path()).load().expect("usable").expect("there");
    assert!(identity.diagnostics().len() <= 2, "what is around it was looked at");
    assert_eq!(all(&path), before, "reading changes nothing");
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
}

#[test]
fn run_05_a_file_that_appears_between_two_looks_is_read_and_is_no_dangling_link() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = path_in(home.path());
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    let files = Scripted::new(Arc::new(RealFileSystem), |operation, path| {
        if operation == Operation::SymlinkMetadata && path.ends_with("runner_id") {
            fs::write(path, "runner-1")?;
        }
        Ok(())
    });
    let identity = file_on(home.path(), Arc::new(files)).load().expect("usable").expect("there by now");
    assert_eq!(identity.id().as_str(), "runner-1");
}
