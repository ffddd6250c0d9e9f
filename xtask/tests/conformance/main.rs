//! The exit codes and the last line of `cargo xtask conformance` (CONF-10).

#![expect(clippy::expect_used, reason = "a test that cannot set its stage fails")]

use std::fs;
use std::process::{Command, Output};

fn xtask(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("conformance").args(arguments).output().expect("it starts")
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn conf_10_as_expected_is_0() {
    let output = xtask(&["--only", "context/detached"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(last_line(&output), "conformance: 1 passed, 0 failed, 0 skipped");
}

#[test]
fn conf_10_a_difference_is_1_and_so_is_running_nothing() {
    let output = xtask(&["--only", "context/detached", "--subject", "broken:fail-open"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(last_line(&output), "conformance: 0 passed, 1 failed, 0 skipped");
    assert_eq!(xtask(&["--only", "no/such-case"]).status.code(), Some(1));
}

#[test]
fn conf_10_usage_and_bad_fixtures_are_2() {
    assert_eq!(xtask(&["--no-such-switch"]).status.code(), Some(2));
    assert_eq!(xtask(&["--only", "["]).status.code(), Some(2));
    assert_eq!(xtask(&["--fixtures", "/no/such/folder"]).status.code(), Some(2));
    assert_eq!(xtask(&["--subject", "/no/such/program"]).status.code(), Some(2));
    assert_eq!(xtask(&["--subject", "broken:no-such-flaw"]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn conf_11_a_subject_that_breaks_the_protocol_is_3() {
    assert_eq!(xtask(&["--subject", "true"]).status.code(), Some(3));
    assert_eq!(xtask(&["--subject", "echo hello"]).status.code(), Some(3));
}

#[test]
fn conf_10_a_users_own_cases_run_beside_ours_or_instead() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = "id: context/mine\nabout: A name is absent.\nrules: [SEC-12]\n\
                do: [{read_secret: {as: key, name: K}}]\ngiven: {env: {HOME: '{root}'}}\nexpect: {key: absent}\n";
    fs::create_dir_all(folder.path().join("context/mine")).expect("a folder");
    fs::write(folder.path().join("context/mine/case.yaml"), case).expect("a case");
    let mine = folder.path().to_str().expect("a plain path");
    let beside = xtask(&["--fixtures", mine, "--only", "context/{mine,detached}"]);
    assert_eq!(last_line(&beside), "conformance: 2 passed, 0 failed, 0 skipped");
    let report = folder.path().join("report.jsonl");
    let report = report.to_str().expect("a plain path");
    let instead = xtask(&["--fixtures", mine, "--instead", "--report", report]);
    assert_eq!(last_line(&instead), "conformance: 1 passed, 0 failed, 0 skipped");
    assert_eq!(fs::read_to_string(report).expect("a report").lines().count(), 1);
}
