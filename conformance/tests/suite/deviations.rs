use std::path::Path;

use watertight_conformance::check::Difference;
use watertight_conformance::expectations::{
    Deviation, Expectations, KnownDifference, KnownOutcome, Misjudged,
};
use watertight_conformance::report::{Counts, exit_code};
use watertight_conformance::runner::{CaseResult, Selection, Verdict, run};
use watertight_conformance::subject::{Dotenvy, Fault, Flaw, InProcess};

use crate::suite;

fn results(glob: &str) -> Vec<CaseResult> {
    let only = Selection::all().only(glob).expect("a glob");
    run(&suite(), &InProcess::new(), &only, 1, &|_| ())
}

fn entry(case: &str, reason: &str) -> Deviation {
    Deviation {
        case: case.to_owned(),
        outcome: KnownOutcome::Failed,
        differs: vec![KnownDifference::Outcome],
        labels: Vec::new(),
        reason: reason.to_owned(),
    }
}

fn apply(entry: Deviation, results: &mut [CaseResult]) -> Vec<Misjudged> {
    Expectations::of(vec![entry]).apply(&suite().cases, results)
}

#[test]
fn conf_13_an_entry_that_matches_nothing_is_an_error() {
    let wrong = apply(entry("context/no-such-*", "because"), &mut results("context/detached"));
    assert_eq!(wrong, [Misjudged::MatchesNothing("context/no-such-*".to_owned())]);
}

#[test]
fn conf_13_an_entry_for_a_case_that_was_not_selected_is_no_error() {
    let wrong = apply(entry("context/lanes-nest", "because"), &mut results("context/detached"));
    assert_eq!(wrong, [], "the list is held against every case there is");
}

#[test]
fn conf_13_an_entry_whose_case_passes_after_all_is_an_error() {
    let wrong = apply(entry("context/detached", "because"), &mut results("context/detached"));
    assert!(matches!(wrong.as_slice(), [Misjudged::EndedOtherwise { .. }]), "{wrong:?}");
}

#[test]
fn conf_13_an_entry_without_a_reason_is_an_error() {
    let wrong = apply(entry("context/detached", " "), &mut results("context/detached"));
    assert!(wrong.contains(&Misjudged::NoReason("context/detached".to_owned())));
}

/// A case that differs in an outcome, as a subject that fails open does.
fn failed_open() -> Vec<CaseResult> {
    let only = Selection::all().only("context/detached").expect("a glob");
    run(&suite(), &InProcess::broken(Flaw::FailOpen), &only, 1, &|_| ())
}

#[test]
fn conf_13_where_every_case_is_a_known_deviation_the_run_is_as_expected() {
    let mut results = failed_open();
    assert_eq!(apply(entry("context/detached", "because"), &mut results), []);
    let counts = Counts::of(&results);
    assert_eq!((counts.passed, counts.failed, counts.skipped, counts.known), (0, 0, 1, 1));
    assert_eq!(exit_code(&results), 0, "they were run, and ended as the list says");
}

#[test]
fn conf_13_a_known_deviation_hides_no_other_difference() {
    let leak = Difference::Leak { place: "line 1 of its log".to_owned() };
    let mut results = failed_open();
    let Verdict::Failed(differences) = &mut results[0].verdict else { panic!("it fails open") };
    differences.push(leak);
    let wrong = apply(entry("context/detached", "because"), &mut results);
    assert!(matches!(wrong.as_slice(), [Misjudged::EndedOtherwise { .. }]), "a new leak: {wrong:?}");
    assert!(matches!(results[0].verdict, Verdict::Failed(_)), "and it stays a failure");

    let leaks = vec![KnownDifference::Outcome, KnownDifference::Leak];
    let known = Deviation { differs: leaks, ..entry("context/detached", "because") };
    assert_eq!(apply(known, &mut results), [], "a leak that is known");

    let labels = vec!["another".to_owned()];
    let elsewhere = Deviation { labels, ..entry("context/detached", "because") };
    assert!(!apply(elsewhere, &mut failed_open()).is_empty(), "another label is meant");
}

#[test]
fn conf_13_a_subject_that_breaks_as_listed_and_leaks_besides_is_no_known_deviation() {
    let broken = Deviation { outcome: KnownOutcome::Broken, ..entry("context/detached", "because") };
    let mut results = failed_open();
    results[0].verdict = Verdict::Broken(Fault::TimedOut);
    assert_eq!(apply(broken.clone(), &mut results), []);
    results[0].verdict = Verdict::Broken(Fault::Leaked(Box::new(Fault::TimedOut)));
    assert!(!apply(broken, &mut results).is_empty());
}

#[test]
fn conf_13_dotenvy_deviates_where_its_list_says_and_nowhere_else() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/dotenvy.yaml");
    let suite = suite();
    let mut results = run(&suite, &Dotenvy::new(), &Selection::all(), 2, &|_| ());
    let wrong = Expectations::load(&list).expect("a list").apply(&suite.cases, &mut results);
    assert_eq!(wrong, []);
    assert_eq!(exit_code(&results), 0);
}
