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

/// A folder with a file in it.
fn folder_with(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::Builder::new().prefix("a folder ").tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    (folder, path.to_str().expect("a plain path").to_owned())
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn conf_10_a_list_of_the_cases_runs_none() {
    let output = xtask(&["--list", "--only", "context/{detached,lanes-nest}"]);
    assert_eq!(output.status.code(), Some(0));
    let text = out(&output);
    let ids: Vec<_> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids, ["context/detached", "context/lanes-nest"]);
    let (all, core) = (xtask(&["--list"]), xtask(&["--list", "--level", "core"]));
    assert!(out(&core).lines().count() < out(&all).lines().count(), "the hardened ones are left out");
    assert_eq!(
        out(&all),
        out(&xtask(&["--list", "--level", "hardened"])),
        "which takes the plainer ones along"
    );
}

#[test]
fn conf_10_a_junit_report_names_every_case() {
    let (_folder, path) = folder_with("report.xml", "");
    assert_eq!(xtask(&["--only", "context/*", "--junit", &path]).status.code(), Some(0));
    let xml = fs::read_to_string(path).expect("a report");
    assert!(xml.contains("context/detached") && xml.contains("failures=\"0\""), "{xml}");
}

#[test]
fn conf_13_reports_are_written_before_wrong_expectations_fail() {
    let (folder, list) =
        folder_with("list.yaml", "- {case: context/detached, outcome: failed, reason: it passes by now}\n");
    let report = folder.path().join("report.jsonl");
    let report = report.to_str().expect("a plain path");
    let output = xtask(&["--only", "context/detached", "--expectations", &list, "--report", report]);
    assert_eq!(output.status.code(), Some(2), "a stale entry");
    assert_eq!(last_line(&output), "conformance: 1 passed, 0 failed, 0 skipped");
    assert_eq!(fs::read_to_string(report).expect("a report").lines().count(), 1);
    assert!(String::from_utf8_lossy(&output.stderr).contains("context/detached"), "and it is named");
}

#[test]
fn conf_13_expectations_are_for_all_cases_whatever_is_selected() {
    let (_folder, list) = folder_with(
        "list.yaml",
        "- {case: 'context/{detached,lanes-nest}', outcome: failed, reason: it fails open}\n",
    );
    let arguments = ["--subject", "broken:fail-open", "--expectations", &list, "--only"];
    let output = xtask(&[&arguments[..], &["context/detached"]].concat());
    assert_eq!(last_line(&output), "conformance: 0 passed, 0 failed, 1 skipped");
    assert_eq!(output.status.code(), Some(0), "a run of known deviations alone is as expected");
    let (_folder, nothing) = folder_with("list.yaml", "- {case: no/such, outcome: failed, reason: r}\n");
    assert_eq!(xtask(&["--only", "context/detached", "--expectations", &nothing]).status.code(), Some(2));
}

#[test]
fn conf_10_fixtures_are_bad_where_two_cases_bear_one_id_and_not_for_the_name_of_their_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = folder.path().join("tree");
    let case = "id: context/mine\nabout: A name is absent.\nrules: [SEC-12]\n\
                do: [{read_secret: {as: key, name: K}}]\ngiven: {env: {HOME: '{root}'}}\nexpect: {key: absent}\n";
    fs::create_dir_all(tree.join("context/mine")).expect("a folder");
    fs::write(tree.join("context/mine/case.yaml"), case).expect("a case");
    let tree = tree.to_str().expect("a plain path");
    let once = xtask(&["--fixtures", tree, "--instead"]);
    assert_eq!(last_line(&once), "conformance: 1 passed, 0 failed, 0 skipped");
    let twice = xtask(&["--fixtures", tree, "--fixtures", tree, "--instead"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("context/mine"), "the id is named");
}

#[test]
fn conf_06_coverage_lists_every_rule_and_fails_on_none_of_ours() {
    let output = xtask(&["coverage"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).lines().any(|line| line.starts_with("SEC-06")), "{}", out(&output));
}

#[test]
fn conf_13_the_peers_deviate_as_their_lists_say() {
    let output = xtask(&["peers"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(out(&output).lines().any(|line| line.starts_with("dotenvy ")));
    let is_told =
        |line: &str| line.starts_with("python-dotenv ") || line.starts_with("not run: python-dotenv");
    assert!(out(&output).lines().any(is_told), "a peer that is not here is named");
}

/// A subject that says who it is, and runs these lines of shell for each case.
#[cfg(unix)]
fn subject(script: &str) -> (tempfile::TempDir, String) {
    let started =
        r#"{"seq":1,"answer":{"started":{"name":"odd","version":"1","capabilities":["parse-dotenv"]}}}"#;
    let (folder, path) =
        folder_with("subject.sh", &format!("read -r start\necho '{started}'\nread -r run\n{script}\n"));
    (folder, format!("sh '{path}'"))
}

#[cfg(unix)]
#[test]
fn conf_11_a_subject_that_breaks_in_the_middle_is_3() {
    let only = ["--only", "profile-files/plain", "--subject"];
    let (_folder, crashes) = subject("exit 1");
    let output = xtask(&[&only[..], &[&crashes]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(last_line(&output), "conformance: 0 passed, 1 failed, 0 skipped");
    assert!(out(&output).contains("BROKEN profile-files/plain: the subject crashed"), "{}", out(&output));

    let (_folder, hangs) = subject("read -r for_ever");
    let output = xtask(&[&only[..], &[&hangs, "--timeout", "1"]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert!(out(&output).contains("no answer in time"), "{}", out(&output));
}
