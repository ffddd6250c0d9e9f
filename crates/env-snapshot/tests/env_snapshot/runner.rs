use watertight_env_snapshot::{ChildSpec, DropReason};
use watertight_vocabulary::Platform;

use crate::support::{
    ChildId, ChildToken, INITIAL_TOKEN, PARENT_PID, RUNNER_ID, TOKEN, World, pairs, reasons, text,
};

fn runner_child() -> ChildSpec {
    ChildSpec::new().for_runner_child(&ChildId("runner_child"), &ChildToken("canary-child"))
}

/// RI-11 and PP-04: a runner that is started on purpose gets an identity of its own.
#[test]
fn run_34_a_runner_child_gets_its_own_identity_and_this_process_as_its_parent() {
    for platform in Platform::ALL {
        let world = World::with_environment([
            (RUNNER_ID, "runner_own"),
            (PARENT_PID, "100"),
            (TOKEN, "canary-own"),
            (INITIAL_TOKEN, "canary-initial"),
            ("OMNIGENT", "1"),
        ]);
        let child = world.on(platform).build(&runner_child()).unwrap();
        assert_eq!(
            text(&child),
            pairs([
                (RUNNER_ID, "runner_child"),
                (PARENT_PID, &std::process::id().to_string()),
                (TOKEN, "canary-child"),
                ("OMNIGENT", "1"),
                ("HERMES_HOME", "/home/launch/.hermes"),
            ]),
            "and the initial token is nobody's: {platform:?}"
        );
        assert_eq!(reasons(&child, INITIAL_TOKEN), [DropReason::ControlPlane]);
    }
}

#[test]
fn run_34_nothing_but_the_typed_values_reaches_a_runner_child() {
    let world = World::with_environment([("PATH", "/bin")]).foreign([(RUNNER_ID, "canary-scope")]);
    let names = [RUNNER_ID, PARENT_PID, TOKEN];
    let spec = names.into_iter().fold(runner_child().pass(names), |spec, name| spec.set(name, "canary-set"));
    let child = world.build(&spec).unwrap();
    assert!(child.get(RUNNER_ID).unwrap().matches("runner_child"));
    assert!(child.get(PARENT_PID).unwrap().matches(std::process::id().to_string()));
    assert!(child.get(TOKEN).unwrap().matches("canary-child"));
}

#[test]
fn run_34_the_runners_own_id_or_token_is_an_error() {
    let own_id = |value: &str| World::with_environment([(RUNNER_ID, value)]);
    for value in ["runner_child", " runner_child\n", "\u{feff}runner_child"] {
        let error = own_id(value).build(&runner_child()).unwrap_err();
        assert_eq!((error.code(), error.name().unwrap().as_str()), ("own-runner-identity", Some(RUNNER_ID)));
    }
    assert!(own_id("runner_child2").build(&runner_child()).is_ok());

    let mut from_its_file = World::with_environment([("PATH", "/bin")]);
    from_its_file.own_runner_id = Some("runner_child".to_owned());
    assert_eq!(from_its_file.build(&runner_child()).unwrap_err().code(), "own-runner-identity");

    for variable in [TOKEN, INITIAL_TOKEN] {
        let world = World::with_environment([(variable, " canary-child ")]);
        let error = world.build(&runner_child()).unwrap_err();
        assert_eq!((error.code(), error.name().unwrap().as_str()), ("own-runner-identity", Some(TOKEN)));
        assert!(!format!("{error} {error:?}").contains("canary"));
    }

    let lower = World::with_environment([(RUNNER_ID.to_ascii_lowercase(), "runner_child")]);
    assert!(lower.build(&runner_child()).is_ok(), "on a Unix that is another variable");
    let windows = World::with_environment([(RUNNER_ID.to_ascii_lowercase(), "runner_child")]);
    assert!(windows.on(Platform::Windows).build(&runner_child()).is_err());
}
