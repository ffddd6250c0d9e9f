//! Isolation, failing closed, precedence, completeness: one generated script shows all of them.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use watertight_conformance::case::{Expected, Outcome, Step};
use watertight_conformance::layout::Layout;
use watertight_conformance::subject::{Assignment, Flaw, InProcess, Subject};

use crate::script::{Action, case, scripts, worlds};
use crate::{holds, holds_for, tries};

proptest! {
    #![proptest_config(tries(96))]

    #[test]
    fn conf_22_what_is_read_is_what_the_model_answers(world in worlds(), actions in scripts()) {
        let case = case(&world, &actions);
        prop_assume!(!case.expect.is_empty());
        holds(&case)?;
    }

    /// Every value in the world is unique, so one sighting of another profile's is a counterexample.
    #[test]
    fn conf_20_a_body_sees_values_of_its_own_profile_only(
        world in worlds(),
        profile in 1..4_usize,
        body in prop::collection::vec((0..3_usize).prop_map(Action::Read), 1..6),
    ) {
        let scope = Action::Scope { profile, panics: false, body };
        let case = case(&world, &[Action::Activate, scope]);
        let Some(Step::Scope { profile: Some(profile), .. }) = case.script.get(1) else {
            return Err(TestCaseError::fail("the script has a scope"));
        };
        let launch = case.given.launch_home.as_ref().map_or("default", |home| home.rsplit('/').next().unwrap_or(""));
        // The administrator's file is everybody's, and so is what the host shares by name.
        let is_shared = |value: &str| {
            let mut shared = case.given.host.shared.iter().filter_map(|name| case.given.env.get(name));
            value.starts_with("canary-managed-") || shared.any(|shared| shared == value)
        };
        let own = [format!("canary-{profile}-"), "canary-env-".to_owned()];
        let layout = Layout::of(&case).expect("a tree");
        let answer = InProcess::new().run(&Assignment::of(&case, &layout).expect("an assignment"));
        for (label, outcome) in answer.expect("it runs").outcomes {
            let Outcome::Value(value) = outcome else { continue };
            let value = value.as_str().unwrap_or_default().to_owned();
            let is_own = !value.starts_with("canary-")
                || value.starts_with(&own[0])
                || is_shared(&value)
                || (profile == launch && value.starts_with(&own[1]));
            prop_assert!(is_own, "{label}: {profile} saw another's value\n{}", case.to_yaml().expect("YAML"));
        }
    }

    #[test]
    fn conf_21_without_a_scope_no_name_gives_a_value(world in worlds(), name in "[A-Za-z_=.][A-Za-z0-9_]{0,12}|") {
        let mut case = case(&world, &[Action::Activate]);
        case.given.env.insert("ZZ_PROBE".to_owned(), "canary-probe".to_owned());
        if !name.is_empty() && !name.contains('=') && !["HOME", "TZ", "PATH"].contains(&name.as_str()) {
            case.given.env.insert(name.clone(), "canary-named".to_owned());
        }
        for (label, name) in [("probe", "ZZ_PROBE"), ("named", name.as_str())] {
            let default = Some("canary-default".to_owned());
            let step = Step::ReadSecret { label: label.to_owned(), name: name.to_owned(), handle: None, default: None };
            case.script.push(step);
            let step = Step::ReadSecret { label: format!("{label} with a default"), name: name.to_owned(), handle: None, default };
            case.script.push(step);
        }
        let layout = Layout::of(&case).expect("a tree");
        let answer = InProcess::new().run(&Assignment::of(&case, &layout).expect("an assignment"));
        let outcomes = answer.expect("it runs").outcomes;
        // A name that no variable can have is absent; a default is applied to that.
        let impossible = name.is_empty() || name.contains('=');
        for label in ["probe", "named", "probe with a default", "named with a default"] {
            let is_value = matches!(outcomes.get(label), Some(Outcome::Value(_)));
            let may_be = impossible && label == "named with a default";
            prop_assert!(!is_value || may_be, "{label} gave a value for {name:?}");
        }
    }

    #[test]
    fn conf_25_every_mapped_key_is_answered_by_the_policy_alone(world in worlds(), profile in 0..4_usize) {
        let body = vec![Action::Terminal(5), Action::SetEnv(5), Action::SetEnv(4), Action::Terminal(5), Action::Terminal(4)];
        let case = case(&world, &[Action::Activate, Action::Scope { profile, panics: false, body }]);
        let mapped = case.expect.get("l002");
        prop_assert!(matches!(mapped, Some(Expected::Value(_))), "a policy has every mapped key");
        prop_assert_eq!(mapped, case.expect.get("l003"), "and the environment changes none of them");
        holds(&case)?;
    }
}

/// The model catches broken subjects, and what it shrinks to is a case that catches them too.
#[test]
fn conf_14_generated_scripts_catch_what_shows_in_reads() {
    for flaw in [Flaw::FailOpen, Flaw::StickyScope, Flaw::InheritOnSpawn, Flaw::LiveEnvAfterActivation] {
        let subject = InProcess::broken(flaw);
        let config = Config { cases: 512, failure_persistence: None, ..Config::default() };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let found = TestRunner::new_with_rng(config, rng).run(&(worlds(), scripts()), |(world, actions)| {
            let case = case(&world, &actions);
            if case.expect.is_empty() { Ok(()) } else { holds_for(&subject, &case) }
        });
        let Err(TestError::Fail(_, (world, actions))) = found else {
            panic!("{} was not caught: {found:?}", flaw.name());
        };
        let shrunk = case(&world, &actions);
        assert!(holds_for(&subject, &shrunk).is_err() && holds(&shrunk).is_ok(), "{shrunk:?}");
        let steps = shrunk.steps().count();
        assert!(steps <= 12, "{steps} steps are no small case: {shrunk:?}");
    }
}
