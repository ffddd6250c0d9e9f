use watertight_conformance::case::Level;
use watertight_conformance::report::{exit_code, for_people, junit};
use watertight_conformance::runner::{Selection, Verdict, run};
use watertight_conformance::subject::{Fault, Flaw, InProcess};

use crate::suite;

#[test]
fn conf_10_the_last_line_sums_up_alone() {
    let only = Selection::all().only("context/*").expect("a glob");
    let results = run(&suite(), &InProcess::new(), &only, 2, &|_| ());
    let text = for_people(&results);
    let last = text.lines().last().expect("a line");
    assert_eq!(last, format!("conformance: {} passed, 0 failed, 0 skipped", results.len()));
    assert_eq!(exit_code(&results), 0);
}

#[test]
fn conf_10_running_nothing_is_a_failure() {
    assert_eq!(exit_code(&[]), 1);
    assert!(for_people(&[]).contains("no case was run"));
}

#[test]
fn conf_10_a_difference_is_1_and_a_broken_subject_is_3() {
    let only = Selection::all().only("context/detached").expect("a glob");
    let mut results = run(&suite(), &InProcess::broken(Flaw::FailOpen), &only, 1, &|_| ());
    assert_eq!(exit_code(&results), 1);
    let text = for_people(&results);
    assert!(text.contains("expected {\"refused\":\"unscoped\"}"), "{text}");
    results[0].verdict = Verdict::Broken(Fault::TimedOut);
    assert_eq!(exit_code(&results), 3);
    let mut xml = Vec::new();
    junit("test", &results, &mut xml).expect("memory does not fail");
    assert!(String::from_utf8(xml).expect("XML is text").contains("timed-out"));
}

#[test]
fn conf_10_results_keep_the_order_of_the_cases() {
    let only = Selection::all().only("launch-policy/*").expect("a glob");
    let results = run(&suite(), &InProcess::new(), &only, 4, &|_| ());
    assert!(results.is_sorted_by(|a, b| a.case.id < b.case.id), "whatever ends first");
}

#[test]
fn conf_10_core_leaves_the_hardened_cases_out() {
    let suite = suite();
    let core = Selection::all().level(Level::Core);
    let taken: Vec<_> = suite.cases.iter().filter(|case| core.takes(case)).collect();
    assert!(!taken.is_empty() && taken.len() < suite.cases.len());
    assert!(taken.iter().all(|case| case.level == Level::Core));
}
