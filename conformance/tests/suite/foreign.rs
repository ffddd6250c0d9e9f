//! Subjects that misbehave, each in its own way: every way is a class of its own (CONF-11).

use std::fs;
use std::time::Duration;

use watertight_conformance::case::Case;
use watertight_conformance::runner::{Selection, Verdict, run, run_case};
use watertight_conformance::subject::{Fault, Foreign, InProcess, Subject};

use crate::suite;

/// What every subject says first.
const STARTED: &str =
    r#"{"seq":1,"answer":{"started":{"name":"odd","version":"1","capabilities":["parse-dotenv"]}}}"#;

fn case() -> Case {
    let cases = suite().cases;
    cases.into_iter().find(|case| case.id == "profile-files/plain").expect("the case is there")
}

/// A subject that says who it is and then runs these lines of shell for each case.
fn subject(script: &str, timeout: Duration) -> (tempfile::TempDir, Foreign) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("subject.sh");
    fs::write(&path, format!("read -r start\necho '{STARTED}'\nread -r run\n{script}\n")).expect("a script");
    let subject = Foreign::start(&format!("sh {}", path.display()), timeout).expect("it starts");
    (folder, subject)
}

fn fault(script: &str) -> Fault {
    let (_folder, subject) = subject(script, Duration::from_secs(5));
    match run_case(&case(), &subject) {
        Verdict::Broken(fault) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn conf_11_a_crash_is_a_class_of_its_own() {
    assert!(matches!(fault("exit 3"), Fault::Crashed(_)));
    assert!(matches!(fault("kill -9 $$"), Fault::Crashed(_)));
}

#[test]
fn conf_11_a_hang_is_a_class_of_its_own() {
    let (_folder, subject) = subject("read -r forever", Duration::from_millis(100));
    assert_eq!(run_case(&case(), &subject), Verdict::Broken(Fault::TimedOut));
}

#[test]
fn conf_11_a_flood_is_a_class_of_its_own() {
    assert_eq!(fault("head -c 6000000 /dev/zero | tr '\\0' x"), Fault::Flooded);
}

#[test]
fn conf_11_half_a_line_is_a_class_of_its_own() {
    assert_eq!(fault("printf '{\"seq\":2,'"), Fault::HalfLine);
}

#[test]
fn conf_11_a_wrong_sequence_number_is_a_class_of_its_own() {
    assert_eq!(fault(r#"echo '{"seq":9,"answer":{"ran":{"outcomes":{}}}}'"#), Fault::WrongSequence);
}

#[test]
fn conf_11_nonsense_is_a_class_of_its_own() {
    assert!(matches!(fault("echo hello"), Fault::Nonsense(_)));
    assert!(matches!(fault(r#"echo '{"seq":2,"answer":{"stopped":{}}}'"#), Fault::Nonsense(_)));
    assert!(matches!(fault(r#"echo '{"seq":2,"answer":{"rejected":{"reason":"no"}}}'"#), Fault::Nonsense(_)));
    assert!(matches!(fault(r"printf '\377\n'"), Fault::Nonsense(_)));
}

#[test]
fn conf_11_what_does_not_start_is_a_class_of_its_own() {
    let started = Foreign::start("/no/such/program", Duration::from_secs(5));
    assert!(matches!(started, Err(Fault::NotStarted(_))));
    assert!(matches!(Foreign::start(" ", Duration::from_secs(5)), Err(Fault::NotStarted(_))));
}

#[test]
fn conf_11_after_a_crash_the_next_case_starts_another_process() {
    let (_folder, subject) = subject("exit 3", Duration::from_secs(5));
    for _ in 0..3 {
        assert!(matches!(run_case(&case(), &subject), Verdict::Broken(Fault::Crashed(_))));
    }
}

#[test]
fn conf_05_what_a_subject_writes_to_standard_error_is_held_against_the_canaries() {
    let right =
        r#"echo '{"seq":2,"answer":{"ran":{"outcomes":{"entries":{"value":{"KEY":"canary-plain"}}}}}}'"#;
    let (_folder, silent) = subject(right, Duration::from_secs(5));
    assert_eq!(run_case(&case(), &silent), Verdict::Passed);
    let (_folder, talks) = subject(&format!("echo KEY is canary-plain >&2\n{right}"), Duration::from_secs(5));
    assert!(matches!(run_case(&case(), &talks), Verdict::Failed(_)), "a right value that leaks is no pass");
}

#[test]
fn conf_12_our_crates_behind_the_protocol_agree_case_by_case() {
    let suite = suite();
    let program = env!("CARGO_BIN_EXE_watertight-subject");
    let foreign = Foreign::start(program, Duration::from_secs(30)).expect("it starts");
    assert_eq!(foreign.hello(), InProcess::new().hello(), "it is the same subject");
    let here = run(&suite, &InProcess::new(), &Selection::all(), 2, &|_| ());
    let there = run(&suite, &foreign, &Selection::all(), 2, &|_| ());
    for (here, there) in here.iter().zip(&there) {
        assert_eq!((&here.case.id, &here.verdict), (&there.case.id, &there.verdict));
    }
    assert_eq!(here.len(), there.len());
}
