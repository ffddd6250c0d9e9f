use std::error::Error;

use watertight_env_snapshot::{ChildEnvError, ChildSpec, DropReason};
use watertight_vocabulary::{Platform, Refused, RefusedReason};

use crate::support::{ChildId, ChildToken, RUNNER_ID, World};

/// Every error's text, for people to review.
#[test]
fn snap_25_every_error_says_which_variable_and_what_to_do() {
    let mut world = World::with_environment([(RUNNER_ID, "runner_own"), ("PATH", "/bin")]);
    let mut texts: Vec<_> = [
        ChildSpec::new().set("", "canary"),
        ChildSpec::new().set("K=canary", ""),
        ChildSpec::new().set("K\0", "canary"),
        ChildSpec::new().set("K", "canary\0"),
        ChildSpec::new().set("K", "canary-".repeat(20_000)),
        ChildSpec::new().for_runner_child(&ChildId("runner_own"), &ChildToken("canary-token")),
    ]
    .iter()
    .map(|spec| world.build(spec).unwrap_err())
    .collect();
    world.total_limit = 8;
    texts.push(world.build(&ChildSpec::new()).unwrap_err());
    world.environment = [("PATH", "/bin")].into_iter().collect();
    let homeless = world.build(&ChildSpec::new().working_directory("sub")).unwrap_err();
    assert!(homeless.source().is_some(), "the system's cause is kept");
    texts.push(homeless);
    texts.push(ChildEnvError::from(Refused::nameless(RefusedReason::Unscoped)));
    let windows = World::with_environment([("PATH", "/bin")]).on(Platform::Windows);
    texts.push(windows.build(&ChildSpec::new().set("K", "canary-".repeat(5000))).unwrap_err());

    let texts: Vec<_> = texts.iter().map(|error| format!("{}: {error}", error.code())).collect();
    let texts = texts.join("\n");
    assert!(!texts.contains("canary"), "{texts}");
    insta::assert_snapshot!("errors", texts);
}

#[test]
fn snap_26_every_reason_is_a_sentence_with_a_code() {
    let reasons = [
        DropReason::NotListed,
        DropReason::NotBound,
        DropReason::Duplicate,
        DropReason::LoaderHook,
        DropReason::Terminal,
        DropReason::WorkingDirectory,
        DropReason::Home,
        DropReason::ProfileName,
        DropReason::ControlPlane,
        DropReason::RunnerIdentity,
    ];
    let texts: Vec<_> = reasons.iter().map(|reason| format!("{}: {reason}", reason.code())).collect();
    insta::assert_snapshot!("drop_reasons", texts.join("\n"));
}
