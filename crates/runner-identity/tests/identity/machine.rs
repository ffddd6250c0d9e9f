//! Clones (RUN-35): one authoritative file, and a fingerprint beside it that can only add a report.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_runner_identity::{
    Fingerprint, Identity, IdentityFile, MachineCheck, MachineId, NoMachine, PlatformMachine, RunnerId,
    machine_id_files,
};
use watertight_vocabulary::{Platform, Secret};

/// A machine with a name of its own.
#[derive(Debug, Clone, Copy)]
struct Machine(&'static str);

impl MachineId for Machine {
    fn machine_id(&self) -> Option<Secret> {
        Some(Secret::from(self.0))
    }
}

const A: Machine = Machine("canary-machine-a");
const B: Machine = Machine("canary-machine-b");

fn on(home: &Path, machine: impl MachineId + 'static) -> IdentityFile {
    IdentityFile::in_user_home(Some(home)).of_machine(Arc::new(machine))
}

fn loaded(home: &Path, machine: impl MachineId + 'static) -> Identity {
    on(home, machine).load().expect("usable").expect("there")
}

fn sidecar(home: &Path) -> PathBuf {
    home.join(".omnigent/runners/runner_id.machine")
}

fn codes(identity: &Identity) -> Vec<&'static str> {
    identity.diagnostics().iter().map(watertight_vocabulary::Diagnostic::code).collect()
}

#[test]
fn run_35_an_id_is_the_machines_own_where_it_was_made_and_cloned_elsewhere() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let made = on(home.path(), A).load_or_create().expect("an id");
    assert_eq!(made.machine(), MachineCheck::Same);
    let same = loaded(home.path(), A);
    assert_eq!((same.machine(), same.is_cloned(), codes(&same).len()), (MachineCheck::Same, false, 0));

    let cloned = loaded(home.path(), B);
    assert_eq!(cloned.id(), made.id(), "the id comes with the report");
    assert_eq!(
        cloned.machine(),
        MachineCheck::Cloned {
            recorded: Fingerprint::take(&A, made.id()).expect("one"),
            current: Fingerprint::take(&B, made.id()).expect("one"),
        }
    );
    assert!(cloned.is_cloned());
    assert_eq!(codes(&cloned), ["runner-id-cloned"]);
    let kept = on(home.path(), B).load_or_create().expect("usable");
    assert_eq!(kept.id(), made.id(), "no default regenerates");
    assert!(kept.is_cloned(), "and keeping it does not hide the clone");
}

#[test]
fn run_35_regenerating_a_clone_makes_it_the_machines_own_with_an_id_that_no_machine_determines() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let first = on(home.path(), A).load_or_create().expect("an id");
    let second = on(home.path(), B).regenerate().expect("an id");
    assert_ne!(first.id(), second.id());
    assert_eq!(loaded(home.path(), B).machine(), MachineCheck::Same);
    assert!(loaded(home.path(), A).is_cloned());
    let third = on(home.path(), B).regenerate().expect("an id");
    assert_ne!(second.id(), third.id(), "the same machine gets another id: it is random");
}

#[test]
fn run_35_without_a_fingerprint_or_a_way_to_take_one_nothing_is_cloned() {
    let home = tempfile::tempdir().expect("a temporary folder");
    on(home.path(), NoMachine).load_or_create().expect("an id");
    assert!(!sidecar(home.path()).exists(), "nothing is written where nothing can be told");
    assert_eq!(loaded(home.path(), A).machine(), MachineCheck::Unknown, "no fingerprint");
    on(home.path(), A).regenerate().expect("an id");
    assert_eq!(loaded(home.path(), NoMachine).machine(), MachineCheck::Unknown, "no way to take one");
    fs::remove_file(sidecar(home.path())).expect("removed");
    assert_eq!(loaded(home.path(), B).machine(), MachineCheck::Unknown, "the fingerprint was removed");
}

#[test]
fn run_35_a_fingerprint_without_an_id_is_no_identity_and_one_of_another_id_is_no_clone() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let first = on(home.path(), A).load_or_create().expect("an id");
    let id_file = home.path().join(".omnigent/runners/runner_id");
    fs::remove_file(&id_file).expect("removed");
    assert!(
        on(home.path(), A).load().expect("nothing there").is_none(),
        "the id file alone is authoritative"
    );
    fs::write(&id_file, "build-7").expect("written by somebody else");
    assert_eq!(loaded(home.path(), B).machine(), MachineCheck::Unknown, "that fingerprint is of another id");
    fs::remove_file(&id_file).expect("removed");
    let second = on(home.path(), B).load_or_create().expect("an id");
    assert!(second.is_created() && second.id() != first.id());
    assert_eq!(
        loaded(home.path(), B).machine(),
        MachineCheck::Same,
        "the creator's own fingerprint replaced it"
    );
}

#[test]
fn run_35_the_fingerprint_is_a_hash_of_a_salt_the_machine_and_the_id_and_shows_no_machine() {
    let ids: [RunnerId; 2] = ["runner-1", "runner-2"].map(|id| id.parse().expect("an id"));
    let take = |machine: Machine, id: &RunnerId| Fingerprint::take(&machine, id).expect("one").to_string();
    assert_eq!(take(A, &ids[0]), take(A, &ids[0]), "it is stable");
    assert_ne!(take(A, &ids[0]), take(B, &ids[0]), "it tells machines apart");
    assert_ne!(take(A, &ids[0]), take(A, &ids[1]), "one machine is not recognized across ids");
    assert_eq!(take(A, &ids[0]).len(), 64, "SHA-256 in hex");

    let home = tempfile::tempdir().expect("a temporary folder");
    let made = on(home.path(), A).load_or_create().expect("an id");
    let text = fs::read_to_string(sidecar(home.path())).expect("written");
    assert_eq!(text, format!("{} {}\n", take(A, made.id()), made.id()));
    let clone = loaded(home.path(), B);
    assert!(!format!("{text}{clone:?}{:?}", clone.diagnostics()).contains("canary-machine"));
}

#[test]
fn run_35_a_bare_fingerprint_counts_and_what_is_none_is_a_note() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let id = on(home.path(), A).load_or_create().expect("an id").id().clone();
    let own = Fingerprint::take(&A, &id).expect("one").to_string();
    for (text, check) in [
        (own.clone(), MachineCheck::Same),
        (own.to_uppercase(), MachineCheck::Same),
        (format!("{own}\n"), MachineCheck::Same),
    ] {
        fs::write(sidecar(home.path()), text).expect("written");
        assert_eq!(loaded(home.path(), A).machine(), check);
    }
    fs::write(sidecar(home.path()), "0".repeat(64)).expect("written");
    assert!(loaded(home.path(), A).is_cloned(), "a different fingerprint");
    for text in ["", "canary", &own[..63], &"canary ".repeat(1000), "\u{0}"] {
        fs::write(sidecar(home.path()), text).expect("written");
        let identity = loaded(home.path(), A);
        assert_eq!(identity.machine(), MachineCheck::Unknown, "{text:?}");
        assert_eq!(codes(&identity), ["machine-fingerprint-unusable"]);
        assert!(!format!("{:?}", identity.diagnostics()).contains("canary"), "nothing of it is repeated");
    }
    fs::remove_file(sidecar(home.path())).expect("removed");
    fs::create_dir(sidecar(home.path())).expect("a folder in its place");
    let identity = loaded(home.path(), A);
    assert_eq!(
        (identity.machine(), codes(&identity)),
        (MachineCheck::Unknown, vec!["machine-fingerprint-unusable"])
    );
}

#[cfg(unix)]
#[test]
fn run_35_failing_to_keep_a_fingerprint_costs_no_id() {
    use rustix::io::Errno;
    use watertight_disk::{Operation, RealFileSystem, Scripted};

    let home = tempfile::tempdir().expect("a temporary folder");
    let files = Scripted::failing(
        Arc::new(RealFileSystem),
        Operation::Rename,
        "runner_id.machine",
        Errno::NOSPC.raw_os_error(),
    );
    let made = on(home.path(), A).on(Arc::new(files)).load_or_create().expect("the id stands");
    assert!(made.is_created());
    assert_eq!((made.machine(), codes(&made)), (MachineCheck::Unknown, vec!["machine-fingerprint-unusable"]));
    assert_eq!(loaded(home.path(), A).id(), made.id());
}

#[test]
fn run_35_what_is_around_an_id_is_looked_at_once_and_remembered() {
    let home = tempfile::tempdir().expect("a temporary folder");
    on(home.path(), A).load_or_create().expect("an id");
    let identity = loaded(home.path(), B);
    assert!(identity.is_cloned());
    fs::remove_file(sidecar(home.path())).expect("removed");
    assert!(identity.clone().is_cloned(), "one answer for the life of the value");
}

#[test]
fn run_35_the_machines_id_lies_where_the_platform_keeps_it() {
    assert_eq!(machine_id_files(Platform::Linux), ["/etc/machine-id", "/var/lib/dbus/machine-id"]);
    for platform in [Platform::MacOs, Platform::Windows] {
        assert!(machine_id_files(platform).is_empty(), "there is no file to read on {platform:?}");
    }
    let written = machine_id_files(Platform::current()).iter().find_map(|path| fs::read_to_string(path).ok());
    match (written, PlatformMachine.machine_id()) {
        (Some(written), Some(taken)) => assert!(taken.matches(written.trim())),
        (_, None) => {}
        (None, Some(_)) => panic!("an id without a file"),
    }
}
