//! What cannot be read, and what is not what it says: a refusal, with its place and how to mend it
//! (TERM-40 to TERM-43).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_profile_home::{Config, DiskFiles, Dotenv, FileError, ProfileFiles, ProfileHome};
use watertight_terminal_scope::{BoundTerminal, TerminalPolicy};
use watertight_vocabulary::{HomeId, Refusal};

use crate::support::{Profile, policy, refusal, text};

/// A profile's home on a disk, beside another one.
struct Home {
    root: TempDir,
    home: ProfileHome,
}

impl Home {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().canonicalize().expect("it is there").join("coder");
        fs::create_dir(&path).expect("a home");
        fs::create_dir(root.path().join("other")).expect("another home");
        Self { home: ProfileHome::confined(HomeId::new(path, None)), root }
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(name)
    }

    fn build(&self, files: &DiskFiles) -> BoundTerminal {
        TerminalPolicy::builder(&self.home).files(files).user_home(Some(Path::new("/home/u"))).build()
    }
}

/// Asserts what every refusal owes: the path, how to mend it, no value; and gives it back.
fn owed(refusal: Refusal, name: &str, what: &str) -> Refusal {
    assert!(refusal.path().is_some_and(|path| path.ends_with(name)), "{what}: it names the path");
    assert!(refusal.mend().is_some_and(|mend| !mend.is_empty()), "{what}: it says how to mend it");
    assert!(!refusal.cause().is_empty(), "{what}: it says why");
    let said = format!("{refusal} {refusal:?}");
    assert!(!said.contains("canary"), "{what}: no value: {said}");
    refusal
}

#[cfg(unix)]
#[test]
fn term_40_a_file_that_cannot_be_read_is_a_refusal() {
    use std::os::unix::fs::symlink;
    type Lay = fn(&Home, &Path);
    let table: &[(&str, Lay)] = &[
        ("a directory", |_, file| fs::create_dir(file).expect("a directory")),
        ("a dangling link", |_, file| symlink("nowhere", file).expect("a link")),
        ("a link loop", |_, file| symlink(file.file_name().expect("a name"), file).expect("a link")),
        ("a link out of the home", |home, file| {
            let target = home.root.path().join("other/file");
            fs::write(&target, "TERMINAL_ENV=canary-other\n").expect("a file");
            symlink(target, file).expect("a link");
        }),
        ("a link to a device", |_, file| symlink("/dev/zero", file).expect("a link")),
        ("a link to the environment", |_, file| symlink("/proc/self/environ", file).expect("a link")),
        ("a socket", |_, file| drop(std::os::unix::net::UnixListener::bind(file).expect("a socket"))),
        ("over the cap", |_, file| fs::write(file, vec![b'#'; (1 << 20) + 1]).expect("a file")),
        ("UTF-16", |_, file| fs::write(file, b"\xff\xfeT\0=\0").expect("a file")),
    ];
    for name in [".env", "config.yaml"] {
        for (what, lay) in table {
            let home = Home::new();
            lay(&home, &home.file(name));
            let refusal = owed(refusal(&home.build(&DiskFiles::new())), name, what);
            let invalid = name == "config.yaml" && *what == "UTF-16";
            assert_eq!(refusal.code(), if invalid { "invalid" } else { "unreadable" }, "{name}: {what}");
        }
    }
}

#[test]
fn term_40_an_error_of_the_system_is_a_refusal() {
    let denied = 13;
    let broken = 5;
    for name in [".env", "config.yaml"] {
        for operation in [Operation::Open, Operation::OpenMetadata, Operation::Read] {
            for error in [denied, broken] {
                let home = Home::new();
                fs::write(home.file(name), "TERMINAL_ENV=canary-1\n").expect("a file");
                let disk = Scripted::failing(Arc::new(RealFileSystem), operation, name, error);
                let refusal = refusal(&home.build(&DiskFiles::on(Arc::new(disk))));
                assert_eq!(owed(refusal, name, "an error").code(), "unreadable");
            }
        }
    }
}

#[test]
fn term_40_a_config_that_is_not_what_it_says_is_a_refusal() {
    // (what, bytes, the line where it is known)
    let deep = b"[".repeat(20_000);
    let table: &[(&str, &[u8], Option<u32>)] = &[
        ("a flow left open", b"terminal:\n  backend: docker\nextra: {left open\n", Some(4)),
        ("a tab", b"terminal:\n\tbackend: docker\n", Some(2)),
        ("two colons", b"terminal: a: canary-1\n", Some(1)),
        ("an open quote", b"terminal: {ssh_host: \"canary-1}\n", Some(2)),
        ("not UTF-8", b"# line\nterminal: {ssh_host: canary-\xfc}\n", Some(2)),
        ("a NUL", b"terminal: {ssh_host: canary\x00-1}\n", None),
        ("two sections", b"terminal: {backend: docker}\nmodel: x\nterminal: {timeout: 60}\n", None),
        ("a key twice", b"terminal: {backend: docker, backend: local}\n", None),
        ("a key twice, deep", b"x: [{a: 1, a: 2}]\n", None),
        ("two documents", b"terminal: {backend: docker}\n---\nterminal: {backend: local}\n", None),
        ("a tag on the section", b"terminal: !secret canary-1\n", None),
        ("a tag in the section", b"terminal: {ssh_key: !vault canary-1}\n", None),
        ("an undefined alias", b"terminal: {backend: *nope}\n", None),
        ("a recursive alias", b"a: &a [*a]\n", None),
        ("a merge of a text", b"terminal: {<<: canary-1}\n", None),
        ("a scalar section", b"terminal: docker\n", Some(1)),
        ("a list section", b"terminal: [docker]\n", Some(1)),
        ("a boolean section", b"terminal: true\n", Some(1)),
        ("a list root", b"- terminal: {backend: docker}\n", None),
        ("a text root", b"just canary-1\n", None),
        ("a number root", b"7\n", None),
        ("deep nesting", &deep, None),
    ];
    for (what, bytes, line) in table {
        let refusal = owed(Profile::empty().config(bytes).refusal(), "config.yaml", what);
        assert_eq!(refusal.code(), "invalid", "{what}");
        if line.is_some() {
            assert_eq!(refusal.line(), *line, "{what}: {refusal}");
        }
    }
}

#[test]
fn term_40_an_alias_bomb_refuses_its_own_profile_and_no_other() {
    let mut bomb = String::from("a0: &a0 [canary-x]\n");
    for level in 1..10 {
        let below = format!("*a{}, ", level - 1).repeat(9);
        bomb.extend([format!("a{level}: &a{level} [{below}]\n")]);
    }
    bomb.push_str("terminal: {backend: docker}\n");
    assert_eq!(Profile::empty().config(&bomb).refusal().code(), "invalid");
    assert!(Profile::empty().terminal("{backend: docker}").policy().backend().is_ok());
}

#[test]
fn term_40_other_sections_may_hold_anything() {
    let profile =
        Profile::empty().config("model: !mine [1, {a: .nan}]\ngateway: 7\nterminal: {backend: docker}\n");
    assert_eq!(text(&profile.policy(), "TERMINAL_ENV").as_deref(), Some("docker"));
}

#[test]
fn term_41_absent_files_are_no_failure() {
    let home = Home::new();
    let nothing = policy(home.build(&DiskFiles::new()));
    assert_eq!(nothing.entries().count(), 36);
    for empty in
        ["", "# c\n", "---\n", "terminal:\n", "terminal: ~\n", "terminal: {}\n", "other: {}\n", "   \n\n"]
    {
        let policy = Profile::empty().config(empty).dotenv(empty.replace(':', "")).policy();
        assert_eq!(policy.entries().count(), 36, "{empty:?}");
        assert!(policy.problems().is_empty());
    }
    fs::write(home.file(".env"), "TERMINAL_ENV=ssh\n").expect("a file");
    assert_eq!(text(&policy(home.build(&DiskFiles::new())), "TERMINAL_ENV").as_deref(), Some("ssh"));
    fs::write(home.file("config.yaml"), "terminal: {backend: docker}\n").expect("a file");
    assert_eq!(text(&policy(home.build(&DiskFiles::new())), "TERMINAL_ENV").as_deref(), Some("docker"));
}

#[test]
fn term_02_building_changes_nothing_on_disk() {
    let home = Home::new();
    fs::write(home.file(".env"), "TERMINAL_ENV=ssh\nnot a line\n").expect("a file");
    fs::write(home.file("config.yaml"), "terminal: {backend: docker, typo: 1}\n").expect("a file");
    let state = || -> Vec<_> {
        let entries = fs::read_dir(home.home.path()).expect("the home");
        let mut state: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let bytes = fs::read(&path).expect("a file");
                (path.metadata().expect("it is there").modified().expect("a time"), path, bytes)
            })
            .collect();
        state.sort();
        state
    };
    let before = state();
    let disk = Scripted::new(Arc::new(RealFileSystem), |operation, _| match operation {
        Operation::SymlinkMetadata
        | Operation::Metadata
        | Operation::ReadLink
        | Operation::Canonicalize
        | Operation::Open
        | Operation::OpenMetadata
        | Operation::Read => Ok(()),
        other => panic!("{other:?} is no part of building"),
    });
    policy(home.build(&DiskFiles::on(Arc::new(disk))));
    assert_eq!(state(), before, "nothing is repaired or written back");
}

/// A host's own reader that fails in a way that no rule foresees.
#[derive(Debug)]
struct Panicking;

impl ProfileFiles for Panicking {
    fn dotenv(&self, _: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        panic!("canary-panic")
    }

    fn config(&self, _: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        Ok(None)
    }
}

#[test]
fn term_42_whatever_goes_wrong_while_building_is_a_refusal() {
    let profile = Profile::empty();
    let built = TerminalPolicy::builder(&profile.home).files(&Panicking).build();
    let refusal = refusal(&built);
    assert_eq!(refusal.code(), "build-failed");
    assert!(refusal.mend().is_some() && !refusal.to_string().contains("canary"));
}

#[test]
fn term_42_a_builder_that_was_given_no_files_builds_no_defaults() {
    let profile = Profile::empty();
    let refusal = refusal(&TerminalPolicy::builder(&profile.home).build());
    assert_eq!(refusal.code(), "no-files");
    assert!(refusal.mend().is_some_and(|mend| mend.contains("files")));
}

#[test]
fn term_43_a_refusal_is_another_variant_than_an_empty_policy() {
    let broken = Profile::empty().terminal("docker").builder().build();
    assert!(matches!(broken, BoundTerminal::Refusal(_)));
    assert!(broken.policy().is_err(), "there is nothing to read");
    let empty = Profile::empty().builder().build();
    assert!(matches!(empty, BoundTerminal::Policy(_)));
    assert!(empty.refusal().is_none());
}
