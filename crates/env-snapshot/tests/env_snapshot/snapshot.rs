use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;

use proptest::prelude::*;
use watertight_env_snapshot::{EnvSnapshot, MapEnv};
use watertight_vocabulary::{CaseRule, EnvSource};

#[test]
fn snap_02_a_snapshot_never_changes() {
    let process = MapEnv::from([("MODE", "ssh")]).in_directory("/then");
    let snapshot = EnvSnapshot::of(&process, CaseRule::Sensitive);

    process.set("MODE", "docker");
    let mut handed_out = snapshot.vars_os();
    handed_out.clear();
    let mut value = snapshot.var_os(OsStr::new("MODE")).unwrap();
    value.push("-changed");
    let mut directory = snapshot.current_dir().unwrap();
    directory.push("changed");

    assert_eq!(snapshot.get_text("MODE"), Ok(Some("ssh")));
    assert_eq!(snapshot.vars_os(), [("MODE".into(), "ssh".into())]);
    assert_eq!(snapshot.current_dir().unwrap(), OsStr::new("/then"), "the directory is the capture's, too");
}

#[test]
fn snap_02_a_missing_directory_stays_missing_and_says_why() {
    let snapshot = EnvSnapshot::of(&MapEnv::new(), CaseRule::Sensitive);
    for _ in 0..2 {
        assert_eq!(snapshot.current_dir().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

/// A process whose directory was removed under it.
#[derive(Debug)]
struct Adrift;

impl EnvSource for Adrift {
    fn var_os(&self, _: &OsStr) -> Option<OsString> {
        None
    }

    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        Vec::new()
    }

    fn current_dir(&self) -> io::Result<std::path::PathBuf> {
        Err(io::Error::from_raw_os_error(2))
    }
}

#[test]
fn snap_02_the_systems_cause_for_a_missing_directory_is_kept() {
    let snapshot = EnvSnapshot::of(&Adrift, CaseRule::Sensitive);
    assert_eq!(snapshot.current_dir().unwrap_err().raw_os_error(), Some(2));
    assert!(snapshot.is_empty());
}

#[cfg(unix)]
#[test]
fn snap_05_what_is_not_unicode_is_kept_and_is_a_typed_error_as_text() {
    use crate::support::raw;

    let junk = raw(b"canary-caf\xe9");
    let process: MapEnv = [
        (OsString::from("GOOD"), OsString::from("ok")),
        ("JUNK".into(), junk.clone()),
        (raw(b"K\xff"), "x".into()),
        ("EMPTY".into(), OsString::new()),
        ("=C:".into(), r"C:\work".into()),
    ]
    .into_iter()
    .collect();
    let snapshot = EnvSnapshot::of(&process, CaseRule::Sensitive);

    assert_eq!(snapshot.vars_os(), process.vars_os(), "everything is kept byte for byte");
    assert_eq!(snapshot.get_text("GOOD"), Ok(Some("ok")));
    assert_eq!(snapshot.get_text("EMPTY"), Ok(Some("")), "empty is not absent");
    assert_eq!(snapshot.get_text("ABSENT"), Ok(None));
    assert_eq!(snapshot.get_os("=C:"), Some(OsStr::new(r"C:\work")));
    assert_eq!(snapshot.get_os(raw(b"K\xff")), Some(OsStr::new("x")));
    assert_eq!(snapshot.get_os("JUNK"), Some(junk.as_os_str()));

    let error = snapshot.get_text("JUNK").unwrap_err();
    assert_eq!(error.code(), "not-unicode");
    let text = format!("{error} {error:?}");
    assert!(text.contains("JUNK") && !text.contains("canary"), "{text}");
}

#[test]
fn snap_07_a_snapshot_shows_its_names_and_their_number() {
    let process = MapEnv::from([("TOKEN", "canary-1"), ("MODE", "canary-2")]);
    let snapshot = EnvSnapshot::of(&process, CaseRule::Sensitive);
    assert_eq!(format!("{snapshot:?}"), "EnvSnapshot(2 names: [TOKEN, MODE])");
    let wrapped = format!("{:#?} {:?}", snapshot, Err::<(), _>(&snapshot));
    assert!(!wrapped.contains("canary"), "{wrapped}");
}

#[test]
fn snap_08_names_compare_as_on_the_platform_in_every_lookup() {
    let process = MapEnv::from([("Path", "here"), ("ſ", "long s")]);
    let windows = EnvSnapshot::of(&process, CaseRule::AsciiInsensitive);
    for spelling in ["PATH", "path", "Path", "pAtH"] {
        assert_eq!(windows.get_text(spelling), Ok(Some("here")), "{spelling}");
        assert_eq!(windows.var_os(OsStr::new(spelling)), Some("here".into()));
    }
    assert_eq!(windows.get_text("s"), Ok(None), "only ASCII folds");
    let unix = EnvSnapshot::of(&process, CaseRule::Sensitive);
    assert_eq!((unix.get_text("Path"), unix.get_text("PATH")), (Ok(Some("here")), Ok(None)));
}

#[test]
fn snap_25_of_duplicates_the_first_counts_and_the_others_are_reported() {
    let process = MapEnv::from([("A", "canary-1"), ("B", "canary-2"), ("A", "canary-3"), ("a", "canary-4")]);
    let unix = EnvSnapshot::of(&process, CaseRule::Sensitive);
    assert_eq!(unix.get_text("A"), Ok(Some("canary-1")), "the first counts, as for getenv");
    assert_eq!((unix.len(), unix.names().count()), (3, 3), "a name stands once");
    assert_eq!(unix.duplicates().map(ToString::to_string).collect::<Vec<_>>(), ["A"]);

    let windows = EnvSnapshot::of(&process, CaseRule::AsciiInsensitive);
    assert_eq!(windows.len(), 2);
    assert_eq!(windows.duplicates().map(ToString::to_string).collect::<Vec<_>>(), ["A", "a"]);
    let diagnostics = windows.diagnostics();
    assert_eq!(
        diagnostics.iter().map(|d| (d.code(), d.subject().unwrap())).collect::<Vec<_>>(),
        [("duplicate-variable", "A"), ("duplicate-variable", "a")]
    );
    assert!(!format!("{diagnostics:?}{}", diagnostics[0]).contains("canary"));
}

fn entries() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[=]?[abAB]{1,2}", ".{0,4}"), 0..12)
}

proptest! {
    /// A snapshot is a model of `getenv`: the first entry of a name, under either case rule.
    #[test]
    fn snap_25_a_snapshot_answers_as_a_list_that_is_searched_from_its_front(
        entries in entries(),
        windows in any::<bool>(),
    ) {
        let case = if windows { CaseRule::AsciiInsensitive } else { CaseRule::Sensitive };
        let process: MapEnv = entries.iter().cloned().collect();
        let snapshot = EnvSnapshot::of(&process, case);

        let mut model = BTreeMap::new();
        for (name, value) in &entries {
            let key = if windows { name.to_ascii_uppercase() } else { name.clone() };
            model.entry(key).or_insert_with(|| value.clone());
        }
        prop_assert_eq!(snapshot.len(), model.len());
        prop_assert_eq!(snapshot.duplicates().count(), entries.len() - model.len());
        for (name, value) in &model {
            prop_assert_eq!(snapshot.get_text(name), Ok(Some(value.as_str())));
        }
        for (name, value) in snapshot.iter() {
            prop_assert_eq!(snapshot.get_os(name), Some(value));
        }
        prop_assert_eq!(snapshot.vars_os(), process.vars_os());
    }
}
