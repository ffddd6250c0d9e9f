use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use watertight_disk::{FileSystem, Operation, RealFileSystem, Recording, Scripted};
use watertight_profile_home::{MANAGED_VARIABLE, Managed, ManagedDirectory};
use watertight_vocabulary::{EnvSource, Platform, Refusal};

use crate::world::{World, value_in};

/// An environment with one variable, or none.
#[derive(Debug)]
struct Environment(Option<OsString>);

impl EnvSource for Environment {
    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        self.0.clone().filter(|_| name == MANAGED_VARIABLE)
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        self.0.iter().map(|value| (MANAGED_VARIABLE.into(), value.clone())).collect()
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        panic!("the current directory decides nothing here")
    }
}

fn named(folder: impl Into<OsString>) -> ManagedDirectory {
    ManagedDirectory::from_env(&Environment(Some(folder.into())), Platform::Linux)
}

#[track_caller]
fn refusal(managed: Managed) -> Refusal {
    match managed {
        Managed::Refusal(refusal) => {
            assert!(!format!("{refusal} {refusal:?}").contains("canary"), "{refusal}");
            refusal
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn sec_25_the_variable_names_the_folder_and_a_unix_has_a_usual_one() {
    let world = World::new();
    world.write("managed/.env", "K=canary-1\n");
    let folder = world.root.join("managed");
    match named(&folder).read(&RealFileSystem) {
        Managed::Present(dotenv) => assert_eq!(value_in(&dotenv, "K").as_deref(), Some("canary-1")),
        other => panic!("{other:?}"),
    }
    for empty in [None, Some(OsString::new())] {
        let environment = Environment(empty);
        for platform in Platform::ALL {
            let directory = ManagedDirectory::from_env(&environment, platform);
            let expected = platform.is_unix().then(|| PathBuf::from("/etc/hermes"));
            assert_eq!(directory.path(), expected.as_deref());
        }
    }
    assert!(matches!(ManagedDirectory::none().read(&RealFileSystem), Managed::Absent));
}

#[test]
fn sec_25_a_folder_without_a_file_is_no_managed_layer() {
    let world = World::new();
    assert!(matches!(named(world.folder("managed")).read(&RealFileSystem), Managed::Absent));
}

/// The machine's own `/etc/hermes` is never asked: every answer about it is scripted.
#[test]
fn sec_25_the_usual_folder_may_be_missing_and_may_not_be_unusable() {
    let usual = ManagedDirectory::from_env(&Environment(None), Platform::Linux);
    let failing = |number: i32| {
        Scripted::new(Arc::new(RealFileSystem), move |_, path| {
            assert!(path.starts_with("/etc/hermes"));
            Err(io::Error::from_raw_os_error(number))
        })
    };
    assert!(matches!(usual.read(&failing(2)), Managed::Absent));
    for number in [5, 13, 20] {
        assert_eq!(refusal(usual.read(&failing(number))).code(), "unreadable");
    }
}

#[test]
fn sec_25_a_named_folder_that_is_missing_or_relative_or_no_folder_is_a_refusal() {
    let world = World::new();
    let missing = world.root.join("missing");
    let missing = refusal(named(missing).read(&RealFileSystem));
    assert!(missing.cause().contains("administrator's folder"), "{missing}");
    let file = world.write("file", "K=canary-1");
    refusal(named(file).read(&RealFileSystem));
    for relative in ["managed", "./managed", "../managed"] {
        let directory = named(relative);
        let recording = Recording::new();
        let refusal = refusal(directory.read(&recording.of(Arc::new(RealFileSystem))));
        assert_eq!(refusal.code(), "relative-path");
        assert!(recording.take().is_empty(), "the current directory was asked");
    }
}

#[test]
fn sec_25_a_file_that_cannot_be_read_or_is_not_utf8_is_a_refusal_and_not_silence() {
    let world = World::new();
    let directory = named(world.folder("managed"));
    for bytes in [&b"K=canary-\xFC\n"[..], b"\xFF\xFEK\0", b"K=canary-1\n\xC3"] {
        world.write("managed/.env", bytes);
        let refusal = refusal(directory.read(&RealFileSystem));
        assert_eq!(refusal.path(), Some(world.root.join("managed/.env").as_path()));
        assert!(refusal.cause().contains("administrator's folder is there and cannot be used"), "{refusal}");
    }
    world.write("managed/.env", "x".repeat((1 << 20) + 1));
    refusal(directory.read(&RealFileSystem));
    fs::remove_file(world.root.join("managed/.env")).unwrap();
    world.folder("managed/.env");
    refusal(directory.read(&RealFileSystem));
    let denied = Scripted::failing(Arc::new(RealFileSystem), Operation::SymlinkMetadata, ".env", 13);
    refusal(directory.read(&denied));
}

#[cfg(unix)]
#[test]
fn sec_25_the_administrators_links_may_lead_anywhere_and_not_nowhere() {
    use std::os::unix::fs::symlink;

    let world = World::new();
    let directory = named(world.folder("managed"));
    world.write("elsewhere", "K=canary-1\n");
    symlink("../elsewhere", world.root.join("managed/.env")).unwrap();
    assert!(matches!(directory.read(&RealFileSystem), Managed::Present(_)));
    fs::remove_file(world.root.join("elsewhere")).unwrap();
    assert!(refusal(directory.read(&RealFileSystem)).cause().contains("leads to nothing"));
}

#[test]
fn file_05_the_managed_file_is_remembered_as_any_other() {
    let world = World::new();
    let directory = named(world.folder("managed"));
    world.write("managed/.env", "K=canary-1\n");
    let recording = Recording::new();
    let disk = recording.of(Arc::new(RealFileSystem));
    disk.set_clock(Some(SystemTime::now() + Duration::from_secs(10)));
    let reads = |disk: &dyn FileSystem| {
        assert!(matches!(directory.read(disk), Managed::Present(_)));
        recording.take().iter().any(|call| call.operation == Operation::Read)
    };
    assert!(reads(&disk));
    assert!(!reads(&disk), "an unchanged file was read again");
    world.write("managed/.env", "K=canary-longer\n");
    assert!(reads(&disk), "a changed file was not");
    fs::remove_file(world.root.join("managed/.env")).unwrap();
    assert!(matches!(directory.read(&disk), Managed::Absent));
}
