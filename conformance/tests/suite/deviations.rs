use std::path::Path;

use watertight_conformance::expectations::{Deviation, Expectations, KnownOutcome, Misjudged};
use watertight_conformance::runner::{CaseResult, Selection, Verdict, run};
use watertight_conformance::subject::{Dotenvy, InProcess};

use crate::suite;

fn results(glob: &str) -> Vec<CaseResult> {
    let only = Selection::all().only(glob).expect("a glob");
    run(&suite(), &InProcess::new(), &only, 1, &|_| ())
}

fn deviation(case: &str, reason: &str) -> Expectations {
    let (case, reason) = (case.to_owned(), reason.to_owned());
    Expectations::of(vec![Deviation { case, outcome: KnownOutcome::Failed, reason }])
}

#[test]
fn conf_13_an_entry_that_matches_nothing_is_an_error() {
    let wrong = deviation("context/no-such-*", "because").apply(&mut results("context/detached"));
    assert_eq!(wrong, [Misjudged::MatchesNothing("context/no-such-*".to_owned())]);
}

#[test]
fn conf_13_an_entry_whose_case_passes_after_all_is_an_error() {
    let wrong = deviation("context/detached", "because").apply(&mut results("context/detached"));
    assert!(matches!(wrong.as_slice(), [Misjudged::EndedOtherwise { .. }]), "{wrong:?}");
}

#[test]
fn conf_13_an_entry_without_a_reason_is_an_error() {
    let wrong = deviation("context/detached", " ").apply(&mut results("context/detached"));
    assert!(wrong.contains(&Misjudged::NoReason("context/detached".to_owned())));
}

#[test]
fn conf_13_dotenvy_deviates_where_its_list_says_and_nowhere_else() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/dotenvy.yaml");
    let mut results = run(&suite(), &Dotenvy::new(), &Selection::all(), 2, &|_| ());
    let wrong = Expectations::load(&list).expect("a list").apply(&mut results);
    assert_eq!(wrong, []);
    for result in results {
        assert!(matches!(result.verdict, Verdict::Passed | Verdict::Skipped(_)), "{}", result.case.id);
    }
}
