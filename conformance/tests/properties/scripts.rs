//! Isolation, failing closed, precedence, completeness: one generated script shows all of them.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use watertight_conformance::case::{Outcome, Step};
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
}

/// The model catches a broken subject, and what it shrinks to is a case that catches it too.
fn check_caught(flaw: Flaw) {
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

#[test]
fn conf_14_generated_scripts_catch_failing_open() {
    check_caught(Flaw::FailOpen);
}

#[test]
fn conf_14_generated_scripts_catch_a_sticky_scope() {
    check_caught(Flaw::StickyScope);
}

#[test]
fn conf_14_generated_scripts_catch_inheriting_on_spawn() {
    check_caught(Flaw::InheritOnSpawn);
}

#[test]
fn conf_14_generated_scripts_catch_a_live_environment_after_activation() {
    check_caught(Flaw::LiveEnvAfterActivation);
}

#[test]
fn conf_14_generated_scripts_catch_a_miss_that_falls_through() {
    check_caught(Flaw::MissFallsThrough);
}

#[test]
fn conf_14_generated_scripts_catch_a_scope_that_follows_the_disk() {
    check_caught(Flaw::FollowsTheDisk);
}
