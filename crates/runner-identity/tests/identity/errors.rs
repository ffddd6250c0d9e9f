//! Every error's text, for people to review.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use watertight_env_snapshot::MapEnv;
use watertight_runner_identity::{
    BindingToken, IdentityError, InvalidRunnerId, ReadError, RunnerWiring, load_or_create, names,
};

#[test]
fn run_08_every_error_says_what_it_is_about_and_what_to_do() {
    let path = || PathBuf::from("/srv/home/.omnigent/runners/runner_id");
    let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
    let mut errors: Vec<(&str, String)> = Vec::new();
    for reason in [
        InvalidRunnerId::Blank,
        InvalidRunnerId::TooLong,
        InvalidRunnerId::Start,
        InvalidRunnerId::Character,
        InvalidRunnerId::DotDot,
    ] {
        let variable = names::RUNNER_ID_VARIABLE;
        let error = IdentityError::InvalidVariable { variable, reason };
        errors.push((error.code(), error.to_string()));
        let error = IdentityError::InvalidFile { path: path(), reason };
        errors.push((error.code(), error.to_string()));
    }
    for source in [
        ReadError::Io(denied()),
        ReadError::DanglingLink,
        ReadError::NotAFile(watertight_disk::FileKind::Fifo),
        ReadError::TooLarge,
        ReadError::Changed,
    ] {
        let error = IdentityError::Unreadable { path: path(), source };
        errors.push((error.code(), error.to_string()));
    }
    for error in [
        IdentityError::NotSynced { path: path(), source: denied() },
        IdentityError::Vanishing { path: path() },
        IdentityError::NoUserHome,
        IdentityError::RelativePath { path: "runner_id".into() },
    ] {
        errors.push((error.code(), error.to_string()));
    }
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(home.path().join("file"), "").expect("written");
    for at in ["file/runner_id", "file/deeper/runner_id"] {
        let error = load_or_create(home.path().join(at)).expect_err("no folder");
        errors.push((error.code(), error.to_string().replace(&*home.path().to_string_lossy(), "[ROOT]")));
    }
    for token in ["", "a b"] {
        let error = BindingToken::parse(token).expect_err("no token");
        errors.push((error.code(), error.to_string()));
    }
    for (variable, value) in [
        (names::PARENT_PID_VARIABLE, ""),
        (names::PARENT_PID_VARIABLE, "x"),
        (names::WORKSPACE_VARIABLE, " "),
        (names::WORKSPACE_VARIABLE, "x"),
        (names::BINDING_TOKEN_VARIABLE, "x y"),
    ] {
        let error = RunnerWiring::read(&MapEnv::from([(variable, value)])).expect_err("set wrongly");
        errors.push((error.code(), error.to_string()));
    }
    let table = errors.iter().fold(String::new(), |mut table, (code, text)| {
        let _ = writeln!(table, "{code:<22} {text}");
        table
    });
    insta::assert_snapshot!("errors", table);
}
