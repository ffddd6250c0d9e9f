//! What the suite's own types say of values: a fixture's canaries are published with it, and everything that
//! is laid out, answered or broken around them stays silent.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::time::Duration;

use watertight_conformance::case::{Case, load_suite};
use watertight_conformance::check::{Difference, differences};
use watertight_conformance::layout::Layout;
use watertight_conformance::rules::Rules;
#[cfg(unix)]
use watertight_conformance::subject::Foreign;
use watertight_conformance::subject::{Answer, Assignment, Dotenvy, InProcess, Subject};
use watertight_conformance::{fixtures, workspace};

use crate::suite;

/// Every public type, and why a value in its text is none that anybody keeps secret; `silent` ones are shown.
const TYPES: &[(&str, &str)] = &[
    ("Afterthought", "silent"),
    ("Answer", "outcomes"),
    ("Ask", "fixture"),
    ("Assignment", "fixture"),
    ("Case", "fixture"),
    ("CaseResult", "outcomes"),
    ("CaseRuleName", "units"),
    ("Counts", "numbers"),
    ("Coverage", "names"),
    ("Deviation", "fixture"),
    ("Difference", "silent"),
    ("Dotenvy", "silent"),
    ("EntryFault", "units"),
    ("EntryKind", "units"),
    ("EnvBytes", "fixture"),
    ("Expectations", "fixture"),
    ("Expected", "fixture"),
    ("Fault", "silent"),
    ("Flaw", "units"),
    ("Foreign", "silent"),
    ("Given", "fixture"),
    ("Hello", "names"),
    ("HostOptions", "fixture"),
    ("InProcess", "silent"),
    ("Invalid", "fixture"),
    ("KnownDifference", "fixture"),
    ("KnownOutcome", "fixture"),
    ("LaneKind", "units"),
    ("Late", "silent"),
    ("Layout", "silent"),
    ("LayoutError", "paths"),
    ("Level", "units"),
    ("LoadError", "fixture"),
    ("Misjudged", "names"),
    ("Outcome", "outcomes"),
    ("PlatformName", "units"),
    ("Reply", "outcomes"),
    ("Request", "fixture"),
    ("Response", "outcomes"),
    ("Rule", "names"),
    ("Rules", "names"),
    ("RunnerChildParts", "fixture"),
    ("Selection", "names"),
    ("SourceSpec", "fixture"),
    ("Step", "fixture"),
    ("Suite", "fixture"),
    ("TreeEntry", "fixture"),
    ("Verdict", "outcomes"),
    ("WhichProfiles", "units"),
];

fn public_types(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            public_types(&path, found);
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source is text");
        for line in source.lines().map(str::trim_start) {
            let declared = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
            let name =
                declared.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
            found.extend(name.map(str::to_owned));
        }
    }
}

#[test]
fn sec_31_every_public_type_of_the_suite_is_listed() {
    let mut declared = BTreeSet::new();
    public_types(&workspace().join("conformance/src"), &mut declared);
    let listed: BTreeSet<_> = TYPES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(declared, listed, "every public type of the suite is in the list, and no other");
}

/// The texts of a value, and that none of them holds a value, nor its bytes as numbers.
fn silent(value: &impl Debug) {
    for text in [format!("{value:?}"), format!("{value:#?}")] {
        let dense: String = text.split_whitespace().collect();
        assert!(!text.contains("canary-") && !dense.contains("99,97,110,97,114,121"), "{text}");
    }
}

/// Cases whose trees and scripts are full of values.
fn cases() -> Vec<Case> {
    let with_files = |case: &Case| !case.given.tree.is_empty() || case.tree.is_some();
    suite().cases.into_iter().filter(with_files).take(20).collect()
}

#[test]
fn conf_05_a_layout_and_a_subject_show_no_file_and_no_value() {
    let subject = InProcess::new();
    for case in cases() {
        let layout = Layout::of(&case).expect("it can be laid out");
        silent(&layout);
        let assignment = Assignment::of(&case, &layout).expect("it can be assigned");
        let answer = subject.run(&assignment).expect("it answers");
        for line in &answer.log {
            silent(line);
        }
        let _ = Dotenvy::new().run(&assignment);
        silent(&layout);
    }
    silent(&subject);
    silent(&Dotenvy::new());
}

#[test]
fn conf_05_a_leak_is_reported_without_what_leaked() {
    for case in cases().into_iter().take(3) {
        let layout = Layout::of(&case).expect("it can be laid out");
        fs::write(layout.root().join("spilled"), "canary-spilled").expect("it can be written");
        let answer = Answer { log: vec!["it is canary-logged".to_owned()], ..Answer::default() };
        let found = differences(&case, &layout, &answer);
        let leaks: Vec<_> = found.iter().filter(|found| matches!(found, Difference::Leak { .. })).collect();
        assert_eq!(leaks.len(), 2, "one in the log and one on disk");
        silent(&leaks);
        assert!(leaks.iter().all(|leak| !leak.to_string().contains("canary-")), "{leaks:?}");
    }
}

#[cfg(unix)]
#[test]
fn conf_05_a_subject_that_writes_nonsense_is_not_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, line) in
        ["canary-nonsense", "{\"seq\": \"canary-number\"}", "{\"canary-field\": 1}"].iter().enumerate()
    {
        let script = folder.path().join(format!("subject-{at}"));
        fs::write(&script, format!("read line\necho '{line}'\necho canary-error >&2\n"))
            .expect("it can be written");
        let command = format!("sh {}", script.display());
        let fault = Foreign::start(&command, Duration::from_secs(20)).expect_err("it is no subject");
        silent(&fault);
        assert!(!fault.to_string().contains("canary-"), "{fault}");
    }
}

#[test]
fn conf_05_the_cases_of_this_test_hold_values() {
    let rules = Rules::load(&fixtures()).expect("the tables can be read");
    assert!(load_suite(&[fixtures()], rules).is_ok());
    let text = format!("{:?}", cases());
    assert!(text.matches("canary-").count() > 20, "the cases are full of values");
}
