//! Isolation, failing closed, precedence, completeness: one generated script shows all of them.

use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use watertight_conformance::case::{Case, Outcome, load_suite};
use watertight_conformance::fixtures;
use watertight_conformance::layout::Layout;
use watertight_conformance::rules::Rules;
use watertight_conformance::subject::{Assignment, Flaw, InProcess, Subject};

use crate::script::{Action, Asked, PROFILES, World, case, case_and_reads, scripts, worlds};
use crate::{holds, holds_for, tries};

proptest! {
    #![proptest_config(tries(96))]

    #[test]
    fn conf_22_what_is_read_is_what_the_model_answers(world in worlds(), actions in scripts()) {
        let case = case(&world, &actions);
        prop_assume!(!case.expect.is_empty());
        holds(&case)?;
    }

    #[test]
    fn conf_20_a_body_sees_values_of_its_own_profile_only(world in worlds(), actions in scripts()) {
        sees_its_own(&InProcess::new(), &world, &actions)?;
    }
}

/// Every value in the world is unique and says whose it is, so one sighting of another profile's is a
/// counterexample, whatever the model expects.
fn sees_its_own(subject: &InProcess, world: &World, actions: &[Action]) -> Result<(), TestCaseError> {
    let (case, reads) = case_and_reads(world, actions);
    if reads.is_empty() {
        return Ok(());
    }
    let launch =
        case.given.launch_home.as_ref().and_then(|home| home.rsplit('/').next()).unwrap_or(PROFILES[0]);
    let layout = Layout::of(&case).expect("a tree");
    let answer = subject.run(&Assignment::of(&case, &layout).expect("an assignment"));
    let outcomes = answer.expect("it runs").outcomes;
    for (label, Asked { name, profile }) in &reads {
        let Some(Outcome::Value(value)) = outcomes.get(label) else { continue };
        let place = value.as_str().and_then(|value| value.strip_prefix("canary-")?.split('-').next());
        let is_own = match (place.unwrap_or_default(), *profile) {
            // The launch environment belongs to the launch profile; every profile is given its settings of the
            // process, and what the host shares by name.
            ("env" | "live", profile) => {
                profile.is_none_or(|profile| profile == launch)
                    || name == "TZ"
                    || case.given.host.shared.contains(name)
            }
            ("managed", profile) => profile.is_some(),
            (place, profile) => profile == Some(place),
        };
        if !is_own {
            let yaml = case.to_yaml().expect("a case is YAML");
            return Err(TestCaseError::fail(format!("{label}: {name} of {profile:?} was {value}\n{yaml}")));
        }
    }
    Ok(())
}

/// The model catches a broken subject, and what it shrinks to is a case that catches it too.
fn check_caught(flaw: Flaw) {
    let subject = InProcess::broken(flaw);
    let (world, actions) = caught(flaw, |world, actions| {
        let case = case(world, actions);
        if case.expect.is_empty() { Ok(()) } else { holds_for(&subject, &case) }
    });
    let shrunk = case(&world, &actions);
    assert!(holds_for(&subject, &shrunk).is_err() && holds(&shrunk).is_ok(), "{shrunk:?}");
    let steps = shrunk.steps().count();
    assert!(steps <= 12, "{steps} steps are no small case: {shrunk:?}");
    let added = added(&shrunk);
    assert!(
        holds_for(&subject, &added).is_err() && holds(&added).is_ok(),
        "what is printed is the case: {added:?}"
    );
}

/// The case, added to a suite as it is printed.
fn added(case: &Case) -> Case {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join(&case.id);
    fs::create_dir_all(&place).expect("made");
    fs::write(place.join("case.yaml"), case.to_yaml().expect("a case is YAML")).expect("written");
    let rules = Rules::load(&fixtures()).expect("the tables");
    let mut suite = load_suite(&[folder.path().to_owned()], rules).expect("a case that can be added");
    suite.cases.pop().expect("one case")
}

/// The smallest world and script for which a subject with this flaw does not hold.
fn caught(
    flaw: Flaw,
    holds: impl Fn(&World, &[Action]) -> Result<(), TestCaseError>,
) -> (World, Vec<Action>) {
    let config = Config { cases: 512, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let found = runner.run(&(worlds(), scripts()), |(world, actions)| holds(&world, &actions));
    let Err(TestError::Fail(_, smallest)) = found else {
        panic!("{} was not caught: {found:?}", flaw.name());
    };
    smallest
}

/// Whose a value is tells a leak, without a model of what should be there.
#[test]
fn conf_20_a_value_of_another_profile_is_seen_for_what_it_is() {
    for flaw in [Flaw::FailOpen, Flaw::StickyScope, Flaw::InheritOnSpawn, Flaw::MissFallsThrough] {
        let subject = InProcess::broken(flaw);
        let (world, actions) = caught(flaw, |world, actions| sees_its_own(&subject, world, actions));
        assert!(sees_its_own(&InProcess::new(), &world, &actions).is_ok(), "{world:?} {actions:?}");
    }
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
