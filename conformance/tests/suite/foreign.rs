//! Subjects that misbehave, each in its own way: every way is a class of its own (CONF-11).

use std::fs;
use std::time::{Duration, Instant};

use watertight_conformance::case::Case;
use watertight_conformance::check::Difference;
use watertight_conformance::runner::{Selection, Verdict, reason_to_skip, run, run_case};
use watertight_conformance::subject::{Afterthought, Fault, Foreign, InProcess, Late, Subject};

use crate::suite;

/// What every subject says first.
const STARTED: &str =
    r#"{"seq":1,"answer":{"started":{"name":"odd","version":"1","capabilities":["parse-dotenv"]}}}"#;

/// Longer than any of these subjects takes.
const PATIENT: Duration = Duration::from_secs(30);

fn case() -> Case {
    let cases = suite().cases;
    cases.into_iter().find(|case| case.id == "profile-files/plain").expect("the case is there")
}

/// The right answer to the case.
const RIGHT: &str = r#"{"seq":2,"answer":{"ran":{"outcomes":{"entries":{"value":{"KEY":"canary-plain"}}}}}}"#;

/// What an orderly subject does at the end.
const STOPS: &str = r#"read -r stop; echo '{"seq":3,"answer":{"stopped":{}}}'"#;

/// A subject that says who it is and then runs these lines of shell.
fn subject_from(script: &str, timeout: Duration) -> (tempfile::TempDir, Foreign) {
    let folder = tempfile::Builder::new().prefix("a folder ").tempdir().expect("a folder");
    let path = folder.path().join("subject.sh");
    fs::write(&path, format!("read -r start\necho '{STARTED}'\n{script}\n")).expect("a script");
    let subject = Foreign::start(&format!("sh '{}'", path.display()), timeout).expect("it starts");
    (folder, subject)
}

/// A subject that runs these lines of shell for each case.
fn subject(script: &str, timeout: Duration) -> (tempfile::TempDir, Foreign) {
    subject_from(&format!("read -r run\n{script}"), timeout)
}

fn fault(script: &str) -> Fault {
    let (_folder, subject) = subject(script, PATIENT);
    match run_case(&case(), &subject) {
        Verdict::Broken(fault) => fault,
        other => panic!("{other:?}"),
    }
}

/// How a whole run of the one case ends, what is seen only after its answer included.
fn in_the_end(script: &str) -> Verdict {
    let (_folder, subject) = subject(script, PATIENT);
    let only = Selection::all().only("profile-files/plain").expect("a glob");
    let mut results = run(&suite(), &subject, &only, 1, &|_| ());
    results.pop().expect("one result").verdict
}

fn is_a_leak(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Failed(all) if matches!(all.as_slice(), [Difference::Leak { .. }]))
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
fn conf_11_a_flood_beside_the_answer_is_one_too() {
    let flood = "head -c 6000000 /dev/zero | tr '\\0' x";
    assert_eq!(fault(&format!("{flood} >&2\necho '{RIGHT}'\n{STOPS}")), Fault::Flooded, "on standard error");
    assert_eq!(
        fault(&format!("{flood} > \"$HOME/x\"\necho '{RIGHT}'\n{STOPS}")),
        Fault::Flooded,
        "in its folder"
    );
}

/// Else it could fill the disk until its time is up.
#[test]
fn conf_11_a_flood_without_an_answer_is_not_waited_for() {
    let flood = "head -c 6000000 /dev/zero | tr '\\0' x";
    let start = Instant::now();
    for place in ["&2", "\"$HOME/x\""] {
        assert_eq!(fault(&format!("{flood} >{place}\nread -r for_ever")), Fault::Flooded, "{place}");
    }
    assert!(start.elapsed() < PATIENT, "it is ended when it is seen");
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
    let started = Foreign::start("/no/such/program", PATIENT);
    assert!(matches!(started, Err(Fault::NotStarted(_))));
    assert!(matches!(Foreign::start(" ", PATIENT), Err(Fault::NotStarted(_))));
}

#[test]
fn conf_11_after_a_crash_the_next_case_starts_another_process() {
    let (_folder, subject) = subject("exit 3", PATIENT);
    for _ in 0..3 {
        assert!(matches!(run_case(&case(), &subject), Verdict::Broken(Fault::Crashed(_))));
    }
}

#[test]
fn conf_11_who_breaks_once_is_given_the_next_case_in_another_process() {
    for (breaks, class) in [("exit 3", "crashed"), ("echo hello", "nonsense"), ("printf half", "half-line")] {
        let once = format!("[ -e \"$0.once\" ] || {{ touch \"$0.once\"; {breaks}; exit; }}");
        let (_folder, subject) = subject(&format!("{once}\necho '{RIGHT}'\n{STOPS}"), PATIENT);
        let Verdict::Broken(fault) = run_case(&case(), &subject) else { panic!("{breaks} is no pass") };
        assert_eq!(fault.class(), class);
        assert_eq!(run_case(&case(), &subject), Verdict::Passed, "after {class}");
        assert!(subject.finish().is_empty(), "and nothing is held against that one");
    }
}

#[test]
fn conf_11_a_subject_that_breaks_before_it_says_who_it_is_has_the_same_classes() {
    let started = |script: &str, timeout: Duration| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("subject.sh");
        fs::write(&path, format!("read -r start\n{script}\n")).expect("a script");
        Foreign::start(&format!("sh '{}'", path.display()), timeout).expect_err(script).class()
    };
    assert_eq!(started("exit 3", PATIENT), "crashed");
    assert_eq!(started("read -r for_ever", Duration::from_millis(100)), "timed-out");
    assert_eq!(started("head -c 6000000 /dev/zero | tr '\\0' x", PATIENT), "flooded");
    assert_eq!(started("printf '{'", PATIENT), "half-line");
    assert_eq!(started(&format!("echo '{}'", STARTED.replace(":1,", ":7,")), PATIENT), "wrong-sequence");
    assert_eq!(started(r#"echo '{"seq":1,"answer":{"stopped":{}}}'"#, PATIENT), "nonsense");
}

/// What a case needs is judged by what the first process said.
#[test]
fn conf_11_a_process_that_says_it_is_another_subject_is_nonsense() {
    let other = STARTED.replace("odd", "even");
    let script = "read -r run; exit 3";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("subject.sh");
    let once = format!(
        "read -r start\nif [ -e \"$0.once\" ]; then echo '{other}'; else touch \"$0.once\"; echo '{STARTED}'; fi"
    );
    fs::write(&path, format!("{once}\n{script}\n")).expect("a script");
    let subject = Foreign::start(&format!("sh '{}'", path.display()), PATIENT).expect("it starts");
    assert!(matches!(run_case(&case(), &subject), Verdict::Broken(Fault::Crashed(_))));
    assert!(matches!(run_case(&case(), &subject), Verdict::Broken(Fault::Nonsense(_))));
}

#[test]
fn conf_11_an_orderly_subject_passes() {
    assert_eq!(in_the_end(&format!("echo '{RIGHT}'\n{STOPS}")), Verdict::Passed);
}

#[test]
fn conf_11_what_follows_an_answer_breaks_the_case_that_was_answered() {
    let nonsense = |after: &str| {
        let found = fault(&format!("printf '%s\\n{after}' '{RIGHT}'\n{STOPS}"));
        assert!(matches!(found, Fault::Nonsense(_)), "{after}: {found:?}");
    };
    nonsense("hello\\n");
    nonsense("{\"seq\":2,");
    nonsense(&"x".repeat(50_000));
    let twice = fault(&format!("printf '%s\\n%s\\n' '{RIGHT}' '{RIGHT}'\n{STOPS}"));
    assert!(matches!(twice, Fault::Nonsense(_)), "{twice:?}");
}

#[test]
fn conf_11_the_end_of_a_subject_is_judged_too() {
    let broken = |script: &str| match in_the_end(&format!("echo '{RIGHT}'\n{script}")) {
        Verdict::Broken(fault) => fault,
        other => panic!("{script}: {other:?}"),
    };
    assert!(matches!(broken("read -r stop; echo hello"), Fault::Nonsense(_)));
    assert!(matches!(broken(&format!("{STOPS}; echo hello")), Fault::Nonsense(_)));
    assert!(matches!(broken(&format!("{STOPS}; printf half")), Fault::Nonsense(_)));
    assert!(matches!(broken("read -r stop; exit 3"), Fault::Crashed(_)));
    assert!(matches!(broken("exit 3"), Fault::Crashed(_)), "it ended before it was stopped");
}

#[test]
fn conf_11_a_subject_that_does_not_end_is_timed_out() {
    let script = format!("read -r run\necho '{RIGHT}'\n{STOPS}\nkill -STOP $$");
    let (_folder, subject) = subject_from(&script, Duration::from_secs(2));
    assert!(run_case(&case(), &subject) == Verdict::Passed);
    assert!(matches!(subject.finish().as_slice(), [Afterthought { what: Late::Broke(Fault::TimedOut), .. }]));
}

#[test]
fn conf_11_a_subject_that_does_not_read_is_timed_out() {
    let (_folder, subject) = subject_from("kill -STOP $$", Duration::from_millis(200));
    let mut large = case();
    large.given.env.insert("LARGE".to_owned(), "x".repeat(1 << 20));
    assert_eq!(run_case(&large, &subject), Verdict::Broken(Fault::TimedOut), "more than a pipe holds");
}

#[test]
fn conf_11_a_crash_is_told_by_its_own_status() {
    let Fault::Crashed(status) = fault("exec >&-; read -r end; exit 3") else { panic!("it crashed") };
    assert!(status.contains('3'), "{status}: it had closed its output before it ended");
}

/// A subject starts this and stops itself; the grandchild holds a pipe open for as long as it lives.
fn check_ended(grandchild: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("alive");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("it starts");
    assert!(made.success(), "a pipe that the grandchild holds open");
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    let held = rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).expect("it can be opened");
    let script = format!("exec 3<>'{}'\n({grandchild}) &\nexec 3>&-\nkill -STOP $$", pipe.display());
    let (_subject_folder, subject) = subject(&script, Duration::from_secs(1));
    assert_eq!(run_case(&case(), &subject), Verdict::Broken(Fault::TimedOut));
    let deadline = Instant::now() + PATIENT;
    // Nothing is read while somebody holds the other end, and the end once nobody does.
    while rustix::io::read(&held, &mut [0; 1]) != Ok(0) {
        assert!(Instant::now() < deadline, "the grandchild is alive");
        std::thread::yield_now();
    }
}

#[test]
fn conf_11_what_a_subject_started_is_ended_with_it() {
    check_ended("kill -STOP $(exec sh -c 'echo $PPID')");
}

/// A subject of two cases: the first is `profile-files/plain`, and what is done after its answer was taken comes when
/// the second is asked.
fn of_two_cases(script: &str) -> (Verdict, Verdict) {
    let stopped = r#"{"seq":3,"answer":{"stopped":{}}}"#;
    let stops = format!("case $next in *stop*) echo '{stopped}'; exit;; esac");
    let (_folder, subject) = subject(&format!("echo '{RIGHT}'\nread -r next\n{stops}\n{script}"), PATIENT);
    let mut suite = suite();
    let (first, mut second) = (case(), case());
    "profile-files/plain-again".clone_into(&mut second.id);
    suite.cases = vec![first, second];
    let mut results = run(&suite, &subject, &Selection::all(), 1, &|_| ());
    let second = results.pop().expect("two results").verdict;
    (results.pop().expect("two results").verdict, second)
}

#[test]
fn conf_11_what_comes_after_the_next_request_still_counts_against_the_case_before() {
    let next = RIGHT.replace("\"seq\":2", "\"seq\":3");
    let late = |script: &str| match of_two_cases(script) {
        (Verdict::Broken(fault), Verdict::Passed) => fault,
        other => panic!("{script}: {other:?}"),
    };
    // A subject that has run no case before answers this one rightly, and never comes to these lines.
    assert!(matches!(late(&format!("echo '{RIGHT}'\necho '{next}'")), Fault::Nonsense(_)), "an old number");
    assert!(matches!(late(&format!("echo hello\necho '{next}'")), Fault::Nonsense(_)), "no number at all");
    assert!(matches!(late("exit 3"), Fault::Crashed(_)), "an end");
    let (first, second) = of_two_cases(&format!("echo canary-plain >&2\necho '{next}'\nread -r more"));
    assert!(is_a_leak(&first) && second == Verdict::Passed, "a value: {first:?}, {second:?}");
}

#[test]
fn conf_11_what_a_case_does_by_itself_counts_against_no_other() {
    let (_folder, subject) = subject_from(
        &format!(
            "read -r run\ncase $run in *again*) echo hello; exit;; esac\necho '{RIGHT}'\nread -r run\necho hello"
        ),
        PATIENT,
    );
    let mut suite = suite();
    let (first, mut second) = (case(), case());
    "profile-files/plain-again".clone_into(&mut second.id);
    suite.cases = vec![first, second];
    let results = run(&suite, &subject, &Selection::all(), 1, &|_| ());
    assert_eq!(results[0].verdict, Verdict::Passed, "the second case breaks a fresh subject too");
    assert!(matches!(results[1].verdict, Verdict::Broken(Fault::Nonsense(_))), "{:?}", results[1].verdict);
}

/// In a session of its own, and left behind by who started it.
#[cfg(target_os = "linux")]
#[test]
fn conf_11_what_a_subject_started_in_another_session_is_ended_with_it() {
    check_ended("setsid sh -c 'kill -STOP $$' </dev/null >/dev/null 2>&1 &");
}

#[test]
fn conf_11_a_subject_has_an_environment_and_folders_of_its_own() {
    // Cargo sets the first for every test.
    let script = format!(
        "[ -z \"$CARGO_MANIFEST_DIR\" ] || exit 1\n[ -d \"$HOME\" ] || exit 2\n\
         [ \"$HOME\" = \"$TMPDIR\" ] || exit 3\n[ -z \"$(ls -A \"$HOME\")\" ] || exit 4\necho '{RIGHT}'\n{STOPS}"
    );
    assert_eq!(in_the_end(&script), Verdict::Passed);
}

#[test]
fn conf_05_what_a_subject_writes_to_standard_error_is_held_against_the_canaries() {
    let right = format!("echo '{RIGHT}'\n");
    assert!(is_a_leak(&in_the_end(&format!("echo KEY is canary-plain >&2\n{right}{STOPS}"))), "before");
    assert!(is_a_leak(&in_the_end(&format!("{right}{STOPS}; echo KEY is canary-plain >&2"))), "at the end");
    let in_two = format!("printf can >&2\n{right}read -r stop; echo ary-plain >&2; {}", &STOPS[14..]);
    assert!(is_a_leak(&in_the_end(&in_two)), "one half before the answer, one after it");
    let harmless = format!("echo a scope was entered >&2\n{right}{STOPS}; echo bye >&2");
    assert_eq!(in_the_end(&harmless), Verdict::Passed);
}

#[test]
fn conf_05_what_a_subject_leaves_in_its_home_is_held_against_the_canaries() {
    let late = format!("echo '{RIGHT}'\n{STOPS}; echo canary-plain > \"$TMPDIR/core\"");
    assert!(is_a_leak(&in_the_end(&late)), "when it was stopped");
    let early =
        format!("mkdir \"$HOME/.cache\"; echo canary-plain > \"$HOME/.cache/dump\"; echo '{RIGHT}'\n{STOPS}");
    assert!(matches!(in_the_end(&early), Verdict::Failed(_)), "before the answer");
}

#[test]
fn conf_05_a_subject_that_breaks_is_held_against_the_canaries_too() {
    let leaks = "echo KEY is canary-plain >&2\n";
    let leaked = |script: &str| match fault(&format!("{leaks}{script}")) {
        Fault::Leaked(fault) => *fault,
        other => panic!("{script}: {other:?}"),
    };
    assert!(matches!(leaked("exit 3"), Fault::Crashed(_)));
    assert!(matches!(leaked("echo hello"), Fault::Nonsense(_)));
    assert!(matches!(leaked("printf half"), Fault::HalfLine));
    let rejected = r#"echo '{"seq":2,"answer":{"rejected":{"reason":"no key canary-plain"}}}'"#;
    let quoted = fault(rejected);
    assert!(matches!(quoted, Fault::Leaked(_)), "{quoted:?}");
    assert!(!quoted.to_string().contains("canary-"), "and the reason is not spread");
}

#[test]
fn conf_12_our_crates_behind_the_protocol_agree_case_by_case() {
    let suite = suite();
    let program = env!("CARGO_BIN_EXE_watertight-subject");
    let foreign = Foreign::start(program, Duration::from_secs(30)).expect("it starts");
    assert_eq!(foreign.hello(), InProcess::new().hello(), "it is the same subject");
    // Each case is a test in process, and passes there where it is run.
    let here = |case| reason_to_skip(case, &InProcess::new()).map_or(Verdict::Passed, Verdict::Skipped);
    let there = run(&suite, &foreign, &Selection::all(), 2, &|_| ());
    for there in &there {
        assert_eq!(there.verdict, here(&there.case), "{}", there.case.id);
    }
    assert_eq!(there.len(), suite.cases.len());
}
