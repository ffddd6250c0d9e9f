//! Broken subjects, and which cases catch them (CONF-14).

use watertight_conformance::runner::{Verdict, run_case};
use watertight_conformance::subject::{Flaw, InProcess};

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
