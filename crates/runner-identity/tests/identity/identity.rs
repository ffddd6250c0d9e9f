//! Where an identity comes from, and in which order it is looked for (RUN-01).

use std::ffi::OsString;
use std::path::Path;

use watertight_env_snapshot::MapEnv;
use watertight_runner_identity::{
    IdentityError, IdentityFile, Provenance, known_identity, names, stable_identity,
};

fn env(value: impl Into<OsString>) -> MapEnv {
    MapEnv::from([(OsString::from(names::RUNNER_ID_VARIABLE), value.into())])
}

#[test]
fn run_01_the_variable_decides_and_no_disk_is_touched() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = IdentityFile::in_user_home(Some(home.path()));
    for value in ["runner_pinned", " runner_pinned ", "\u{feff}runner_pinned\n"] {
        let identity = stable_identity(&env(value), &file).expect("pinned");
        assert_eq!((identity.id().as_str(), identity.provenance()), ("runner_pinned", &Provenance::Variable));
        assert!(identity.diagnostics().is_empty() && !identity.is_cloned());
        let known = known_identity(&env(value), &file).expect("pinned").expect("there");
        assert_eq!(known.id(), identity.id());
    }
    assert_eq!(std::fs::read_dir(home.path()).expect("a folder").count(), 0, "nothing was made");
    let nowhere = IdentityFile::in_user_home(None);
    assert!(stable_identity(&env("runner_pinned"), &nowhere).is_ok(), "a home is not needed");
    let blocked = IdentityFile::at(Path::new("/dev/null/runner_id"));
    assert!(stable_identity(&env("runner_pinned"), &blocked).is_ok(), "an unusable one does no harm");
}

#[test]
fn run_01_a_variable_that_is_set_wrongly_is_an_error_and_never_falls_through_to_the_file() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = IdentityFile::in_user_home(Some(home.path()));
    file.load_or_create().expect("a file to fall through to");
    for (value, code) in [
        ("", "blank"),
        ("  ", "blank"),
        ("\t\n", "blank"),
        ("\u{feff}", "blank"),
        ("canary x", "invalid-id"),
        ("canary/b", "invalid-id"),
        ("../canary", "invalid-id"),
    ] {
        for error in [
            stable_identity(&env(value), &file).expect_err("set wrongly"),
            known_identity(&env(value), &file).expect_err("set wrongly"),
        ] {
            assert!(matches!(error, IdentityError::InvalidVariable { .. }), "{error}");
            assert_eq!((error.code(), error.path()), (code, None), "{value:?}");
            assert!(error.to_string().contains("OMNIGENT_RUNNER_ID"), "it names the variable: {error}");
            assert!(!format!("{error} {error:?}").contains("canary"), "and nothing of the value: {error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn run_07_a_variable_that_is_no_text_is_an_error_and_no_panic() {
    use std::os::unix::ffi::OsStringExt;

    let file = IdentityFile::in_user_home(None);
    for bytes in [b"\xff".to_vec(), b"canary\xff".to_vec()] {
        let error = stable_identity(&env(OsString::from_vec(bytes)), &file).expect_err("no text");
        assert_eq!(error.code(), "invalid-id");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
    }
}

#[test]
fn run_02_without_the_variable_the_file_decides_and_is_made_once() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = IdentityFile::in_user_home(Some(home.path()));
    let unset = MapEnv::new();
    assert!(known_identity(&unset, &file).expect("none yet").is_none(), "knowing one makes none (RUN-33)");
    let made = stable_identity(&unset, &file).expect("made");
    let again = stable_identity(&unset, &file).expect("there");
    assert_eq!((made.provenance().label(), again.provenance().label()), ("created", "file"));
    assert_eq!(made.id(), again.id());
    assert_eq!(known_identity(&unset, &file).expect("usable").expect("there").id(), made.id());
    let error = stable_identity(&unset, &IdentityFile::in_user_home(None)).expect_err("no home");
    assert!(matches!(error, IdentityError::NoUserHome), "{error}");
}
