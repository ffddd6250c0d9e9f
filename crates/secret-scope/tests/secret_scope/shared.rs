//! Keys that a host shares by name.

use watertight_secret_scope::{SecretScope, SharedNames, SharedNamesError, read};
use watertight_vocabulary::{CaseRule, ControlPlane, Layer, Name};

use crate::world::{World, files_of, home, policy, text};

fn names<const LENGTH: usize>(names: [&str; LENGTH]) -> Result<SharedNames, SharedNamesError> {
    SharedNames::of(names, &ControlPlane::new(), CaseRule::Sensitive)
}

#[test]
fn sec_27_a_shared_key_lies_beneath_the_profile_s_own_and_says_that_it_is_shared() {
    let world = World::activated(&[("SEARCH_URL", "canary-search"), ("PROVIDER_KEY", "canary-provider")]);
    let shared = names(["SEARCH_URL", "NOT_SET"]).expect("exact names");
    let build = |name: &str, dotenv: &str| {
        let home = home(name);
        let files = files_of(&home, dotenv);
        SecretScope::builder(&home).files(&files).shared(&shared, world.environment()).build()
    };
    let (b, c) = (build("b", ""), build("c", "SEARCH_URL=canary-own\n"));
    let scope = policy(&b);
    assert_eq!(text(scope.get("SEARCH_URL").expect("held")), Some("canary-search"));
    assert_eq!(scope.origin("SEARCH_URL").map(|origin| origin.layer()), Some(Layer::Shared));
    assert_eq!(scope.names(), [&Name::from("SEARCH_URL")]);
    let task = world.foreign("b", b);
    assert!(task.run(|| read(&world, "PROVIDER_KEY")).expect("absent").is_none());

    let scope = policy(&c);
    assert_eq!(text(scope.get("SEARCH_URL").expect("held")), Some("canary-own"));
    assert_eq!(
        scope.shadowed("SEARCH_URL").iter().map(watertight_vocabulary::Origin::layer).collect::<Vec<_>>(),
        [Layer::Shared]
    );
}

#[test]
fn sec_27_nothing_is_shared_by_default() {
    assert_eq!(SharedNames::none().names().len(), 0);
    assert_eq!(SharedNames::default(), SharedNames::none());
}

#[test]
fn sec_27_an_empty_own_value_is_the_profile_s_own() {
    let world = World::activated(&[("SEARCH_URL", "canary-search")]);
    let shared = names(["SEARCH_URL"]).expect("exact names");
    let home = home("coder");
    let files = files_of(&home, "SEARCH_URL=\n");
    let builder = SecretScope::builder(&home).files(&files).shared(&shared, world.environment());
    assert_eq!(text(policy(&builder.build()).get("SEARCH_URL").expect("held")), Some(""));
}

#[test]
fn sec_27_a_pattern_is_an_error_and_so_is_what_is_no_name() {
    for pattern in
        ["*", "SEARCH_*", "SEARCH_?", "[A-Z]", "A{B,C}", "^KEY$", "A|B", "%KEY%", "$KEY", "!KEY", "A,B"]
    {
        let error = names(["FINE", pattern]).expect_err(pattern);
        assert_eq!((error.code(), error.name().as_str()), ("pattern", Some(pattern)));
    }
    for odd in ["", " ", "A B", "A\nB", "A\0", "É"] {
        assert_eq!(names([odd]).expect_err("no name").code(), "not-a-name", "{odd:?}");
    }
    let error = names(["KEY=canary-1"]).expect_err("no name");
    assert!(!format!("{error} {error:?}").contains("canary"), "what stands behind a `=` may be a value");
    assert_eq!(
        names(["B", "A", "B"]).expect("exact").names().map(ToString::to_string).collect::<Vec<_>>(),
        ["A", "B"]
    );
}

#[test]
fn sec_16_no_control_plane_name_is_shared() {
    for name in watertight_vocabulary::RUNNER_AUTH_SECRETS {
        assert_eq!(names([name]).expect_err("refused").code(), "control-plane");
        let folded =
            SharedNames::of([name.to_ascii_lowercase()], &ControlPlane::new(), CaseRule::AsciiInsensitive);
        assert_eq!(folded.expect_err("refused under another spelling").code(), "control-plane");
    }
    let plane = ControlPlane::new().with_names(["HOST_TOKEN"]);
    assert!(SharedNames::of(["HOST_TOKEN"], &plane, CaseRule::Sensitive).is_err());
    assert!(names(["HOST_TOKEN"]).is_ok());
}

#[test]
fn sec_27_errors_are_texts_that_a_person_can_use() {
    let texts: Vec<_> = ["SEARCH_*", "A B", "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN"]
        .map(|name| names([name]).expect_err("an error").to_string())
        .to_vec();
    insta::assert_snapshot!(texts.join("\n"), @r"
    SEARCH_* is a pattern; keys are shared by their exact names, one by one
    A B is the name of no variable and cannot be shared
    OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN belongs to the runner's control plane and cannot be shared
    ");
}
