//! Broken subjects, and which cases catch them (CONF-14).

use std::collections::BTreeSet;

use watertight_conformance::case::Outcome;
use watertight_conformance::check::differences;
use watertight_conformance::layout::Layout;
use watertight_conformance::rules::Coverage;
use watertight_conformance::runner::{Verdict, run_case};
use watertight_conformance::subject::{Assignment, Flaw, InProcess, Subject};
use watertight_conformance::workspace;

use crate::suite;

/// The cases that a flaw must fail. There may be more of them.
fn named(flaw: Flaw) -> &'static [&'static str] {
    match flaw {
        Flaw::FailOpen => &[
            "secret-scope/unscoped-with-many",
            "secret-scope/default-does-not-mend-a-refusal",
            "secret-scope/refusal-scope",
            "secret-scope/closed-scope",
            "secret-scope/control-plane",
            "launch-policy/counting-failed",
            "context/detached",
        ],
        Flaw::StickyScope => {
            &["context/five-jobs-on-one-worker", "context/nesting-restores", "context/panic-restores"]
        }
        Flaw::LeakyDebug => {
            &["secret-scope/hit", "secret-scope/unscoped-with-one", "launch-policy/lazy-activation"]
        }
        Flaw::InheritOnSpawn => &[
            "context/thread-inherits-nothing",
            "context/task-inherits-nothing",
            "context/blocking-inherits-nothing",
            "context/lanes-nest",
        ],
        Flaw::LiveEnvAfterActivation => &[
            "secret-scope/launch-environment-is-frozen",
            "secret-scope/activation-keeps-scoped-reads",
            "env-snapshot/snapshot-never-changes",
            "env-snapshot/globals-are-frozen",
        ],
        Flaw::RacyId => &["runner-identity/racers-agree"],
        Flaw::EmptyEnvCounts => &["launch-policy/crashed-creation", "profile-tree/tenants-empty-env"],
        Flaw::InterpolatingDotenv => {
            &["profile-files/references-are-data", "secret-scope/references-do-not-reach-the-environment"]
        }
        Flaw::YamlErrorMeansDefaults => &[
            "terminal-scope/bound-refusal",
            "terminal-scope/duplicate-section",
            "terminal-scope/broken-config-of-a-single-profile",
            "secret-scope/broken-yaml-does-not-touch-secrets",
        ],
        Flaw::ChildInherits => &[
            "env-snapshot/child-base-list",
            "env-snapshot/child-of-a-secondary",
            "env-snapshot/child-control-plane",
            "env-snapshot/child-runner-identity",
            "env-snapshot/child-without-scope-and-many",
        ],
        Flaw::AmbientTerminal => &[
            "terminal-scope/secondary-sees-no-launch-environment",
            "terminal-scope/unbound-with-many",
            "terminal-scope/bound-refusal",
            "terminal-scope/bound-policy-answers-alone",
        ],
        Flaw::GuessedBackend => &[
            "terminal-scope/backend-unknown",
            "terminal-scope/backend-empty",
            "terminal-scope/unbound-with-many",
            "terminal-scope/broken-config-of-a-single-profile",
        ],
        Flaw::LaunchFallback => &[
            "launch-policy/no-fallback-to-the-launch-profile",
            "launch-policy/deleted-while-bound",
            "launch-policy/misspelt-name-activates-nothing",
            "context/failed-entry-leaves-the-caller",
        ],
        other => panic!("{} has no cases that are named for it", other.name()),
    }
}

/// The flaw fails every case that is named for it.
fn check(flaw: Flaw) {
    let (suite, subject) = (suite(), InProcess::broken(flaw));
    for id in named(flaw) {
        let case = suite.cases.iter().find(|case| case.id == *id).expect("the case is there");
        let verdict = run_case(case, &subject);
        assert!(matches!(verdict, Verdict::Failed(_)), "{} passes {id}: {verdict:?}", flaw.name());
    }
}

#[test]
fn conf_14_failing_open_is_caught() {
    check(Flaw::FailOpen);
}

#[test]
fn conf_14_a_sticky_scope_is_caught() {
    check(Flaw::StickyScope);
}

#[test]
fn conf_14_a_leaky_debug_text_is_caught() {
    check(Flaw::LeakyDebug);
}

#[test]
fn conf_14_inheriting_on_spawn_is_caught() {
    check(Flaw::InheritOnSpawn);
}

#[test]
fn conf_14_a_live_environment_after_activation_is_caught() {
    check(Flaw::LiveEnvAfterActivation);
}

#[test]
fn conf_14_a_racy_id_is_caught() {
    check(Flaw::RacyId);
}

#[test]
fn conf_14_counting_an_empty_env_is_caught() {
    check(Flaw::EmptyEnvCounts);
}

#[test]
fn conf_14_an_interpolating_dotenv_is_caught() {
    check(Flaw::InterpolatingDotenv);
}

#[test]
fn conf_14_defaults_for_broken_yaml_are_caught() {
    check(Flaw::YamlErrorMeansDefaults);
}

#[test]
fn conf_14_a_child_that_inherits_is_caught() {
    check(Flaw::ChildInherits);
}

#[test]
fn conf_14_an_ambient_terminal_is_caught() {
    check(Flaw::AmbientTerminal);
}

#[test]
fn conf_14_a_guessed_backend_is_caught() {
    check(Flaw::GuessedBackend);
}

#[test]
fn conf_14_a_fallback_to_the_launch_profile_is_caught() {
    check(Flaw::LaunchFallback);
}

/// A subject with any one outcome altered fails the case: so no rule that a case names is left unbroken, and
/// no label is there for show.
#[test]
fn conf_14_every_outcome_of_every_case_matters() {
    let (suite, subject) = (suite(), InProcess::new());
    let mut broken = BTreeSet::new();
    for case in &suite.cases {
        let layout = Layout::of(case).expect("a tree");
        let assignment = Assignment::of(case, &layout).expect("an assignment");
        let answer = subject.run(&assignment).expect("it runs");
        for label in case.labels() {
            let mut altered = answer.clone();
            let other = match altered.outcomes.get(label) {
                Some(Outcome::Absent) => Outcome::Value("altered".into()),
                _ => Outcome::Absent,
            };
            altered.outcomes.insert(label.to_owned(), other);
            assert!(!differences(case, &layout, &altered).is_empty(), "{}: {label} may be anything", case.id);
        }
        broken.extend(case.rules.iter().cloned());
    }
    let coverage = Coverage::of(&suite.cases, &workspace(), &suite.rules).expect("sources can be read");
    assert_eq!(broken, coverage.cases.into_keys().collect(), "every rule with a case can be broken");
}
