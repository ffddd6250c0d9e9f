//! What a runner's children see of it (RUN-22, RUN-30 to RUN-34).

use std::ffi::{OsStr, OsString};
use std::path::Path;

use proptest::prelude::*;
use watertight_env_snapshot::{ChildEnv, ChildEnvError, ChildParts, ChildSpec, MapEnv, TOTAL_LIMIT};
use watertight_runner_identity::{BindingToken, RunnerId, RunnerWiring, names, strip, token_bound_id};
use watertight_vocabulary::{CaseRule, ControlPlane, EnvSource, Platform, RUNNER_AUTH_SECRETS, Secret};

const OWN_ID: &str = "runner-own";
const OWN_TOKEN: &str = "canary-own-token";

/// The environment of a runner.
fn own_env() -> MapEnv {
    MapEnv::from([
        ("PATH", "/bin"),
        (names::SESSION_MARKER_VARIABLE, names::SESSION_MARKER_VALUE),
        (names::RUNNER_ID_VARIABLE, OWN_ID),
        (names::PARENT_PID_VARIABLE, "100"),
        (names::BINDING_TOKEN_VARIABLE, OWN_TOKEN),
        (names::INITIAL_AUTH_TOKEN_VARIABLE, "canary-initial"),
    ])
}

fn build(spec: &ChildSpec, base: &dyn EnvSource, own_id: Option<&str>) -> Result<ChildEnv, ChildEnvError> {
    ChildEnv::build(
        spec,
        ChildParts {
            platform: Platform::Linux,
            base,
            control_plane: &ControlPlane::new(),
            allowed: Ok(()),
            answer: &mut |name| Ok(base.var_os(name).map(|value| Secret::from_os(&name.into(), value))),
            scope_names: Vec::new(),
            terminal: &mut || Ok(Vec::new()),
            home_variable: OsStr::new("HERMES_HOME"),
            home: Path::new("/srv/home"),
            profile_name_variables: &[],
            own_runner_id: own_id,
            total_limit: TOTAL_LIMIT,
        },
    )
}

fn value<'a>(child: &'a ChildEnv, name: &str) -> Option<&'a str> {
    child.get(name).map(|value| value.expose().expect("text"))
}

#[test]
fn run_22_the_session_marker_is_passed_on_as_found_and_never_invented() {
    let child = build(&ChildSpec::new(), &own_env(), None).expect("a child");
    assert_eq!(value(&child, "OMNIGENT"), Some("1"));
    let odd = build(&ChildSpec::new(), &MapEnv::from([("OMNIGENT", "odd")]), None).expect("a child");
    assert_eq!(value(&odd, "OMNIGENT"), Some("odd"), "as found");
    let none = build(&ChildSpec::new(), &MapEnv::from([("PATH", "/bin")]), None).expect("a child");
    assert_eq!(value(&none, "OMNIGENT"), None, "not invented");
    let stripped = strip(own_env().vars_os(), &ControlPlane::new(), CaseRule::Sensitive);
    assert!(stripped.contains(&("OMNIGENT".into(), "1".into())), "it survives the filter");
}

#[test]
fn run_30_stripping_takes_every_registered_secret_and_nothing_else() {
    let control_plane = ControlPlane::new().with_names(["CANARY_HOST_SECRET"]);
    assert!(!RUNNER_AUTH_SECRETS.is_empty(), "the registry is not empty");
    for secret in control_plane.names() {
        let env = [
            (OsString::from("ANTHROPIC_API_KEY"), OsString::from("k")),
            (secret.as_os_str().to_owned(), "canary".into()),
            ("ANTHROPIC_MODEL".into(), "m".into()),
            ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN_FILE".into(), "f".into()),
            ("DBUS_SESSION_BUS_ADDRESS".into(), "d".into()),
        ];
        let before = env.clone();
        let left: Vec<_> = strip(env.iter().cloned(), &control_plane, CaseRule::Sensitive);
        let names: Vec<_> = left.iter().map(|(name, _)| name.to_str().expect("text")).collect();
        assert_eq!(
            names,
            [
                "ANTHROPIC_API_KEY",
                "ANTHROPIC_MODEL",
                "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN_FILE",
                "DBUS_SESSION_BUS_ADDRESS"
            ]
        );
        assert_eq!(env, before, "the source is not changed");
    }
}

#[test]
fn run_30_on_windows_every_spelling_goes() {
    let env = [
        ("omnigent_runner_tunnel_binding_token", "x"),
        ("Omnigent_Runner_Initial_Auth_Token", "y"),
        ("KEEP", "1"),
    ];
    assert_eq!(strip(env, &ControlPlane::new(), CaseRule::AsciiInsensitive), [("KEEP", "1")]);
    assert_eq!(strip(env, &ControlPlane::new(), CaseRule::Sensitive), env, "elsewhere these are other names");
}

#[test]
fn run_31_the_first_auth_token_is_a_secret_too_and_the_set_only_grows() {
    let grown = ControlPlane::new().with_names(["CANARY_HOST_SECRET"]);
    for name in [names::BINDING_TOKEN_VARIABLE, names::INITIAL_AUTH_TOKEN_VARIABLE, "CANARY_HOST_SECRET"] {
        assert!(grown.contains(OsStr::new(name), CaseRule::Sensitive), "{name}");
    }
}

#[test]
fn run_32_a_pass_through_brings_no_auth_secret_back() {
    let spec = ChildSpec::new().pass(RUNNER_AUTH_SECRETS).set(names::BINDING_TOKEN_VARIABLE, "canary-set");
    let child = build(&spec, &own_env(), None).expect("a child");
    for name in RUNNER_AUTH_SECRETS {
        assert!(child.get(name).is_none(), "{name} stays out");
    }
}

#[test]
fn run_34_a_child_gets_neither_the_runners_id_nor_its_parent() {
    let spec = ChildSpec::new().pass([names::RUNNER_ID_VARIABLE, names::PARENT_PID_VARIABLE]);
    let child = build(&spec, &own_env(), None).expect("a child");
    assert_eq!(
        (value(&child, names::RUNNER_ID_VARIABLE), value(&child, names::PARENT_PID_VARIABLE)),
        (None, None)
    );
}

fn runner_child(id: &str, token: &str) -> ChildSpec {
    let id: RunnerId = id.parse().expect("an id");
    ChildSpec::new().for_runner_child(&id, &BindingToken::parse(token).expect("a token"))
}

#[test]
fn run_34_a_runner_started_on_purpose_gets_its_own_id_token_and_this_process_as_parent() {
    let child = build(&runner_child("runner-child", "canary-child-token\n"), &own_env(), Some(OWN_ID))
        .expect("a child");
    assert_eq!(value(&child, names::RUNNER_ID_VARIABLE), Some("runner-child"));
    assert_eq!(value(&child, names::PARENT_PID_VARIABLE), Some(&*std::process::id().to_string()));
    assert_eq!(value(&child, names::BINDING_TOKEN_VARIABLE), Some("canary-child-token"));
    assert!(child.get(names::INITIAL_AUTH_TOKEN_VARIABLE).is_none());

    let as_env: MapEnv =
        child.iter().map(|(name, value)| (name.as_os_str().to_owned(), value.expose_os())).collect();
    let wiring = RunnerWiring::read(&as_env).expect("what is written is what is read");
    assert_eq!(wiring.parent_pid(), Some(std::process::id()));
    assert!(
        wiring
            .binding_token()
            .expect("set")
            .matches(&BindingToken::parse("canary-child-token").expect("one"))
    );
}

#[test]
fn run_34_the_runners_own_id_or_token_for_a_child_is_an_error_without_the_value() {
    let bound = token_bound_id(&BindingToken::parse(OWN_TOKEN).expect("a token"));
    for (id, token, known) in [
        (OWN_ID, "canary-child-token", None),
        ("runner-child", OWN_TOKEN, None),
        ("runner-file", "canary-child-token", Some("runner-file")),
        (bound.as_str(), "canary-child-token", Some(bound.as_str())),
    ] {
        let error = build(&runner_child(id, token), &own_env(), known).expect_err("its own");
        assert_eq!(error.code(), "own-runner-identity");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
    }
}

proptest! {
    #[test]
    fn run_30_stripping_is_idempotent_order_free_and_takes_exactly_the_named(
        names in prop::collection::vec(
            prop_oneof!["[A-Z_]{1,8}", prop::sample::select(RUNNER_AUTH_SECRETS.to_vec()).prop_map(str::to_owned)],
            0..12,
        ),
    ) {
        let plane = ControlPlane::new();
        let env: Vec<_> = names.iter().enumerate().map(|(value, name)| (name.clone(), value)).collect();
        let left = strip(env.clone(), &plane, CaseRule::Sensitive);
        let expected: Vec<_> =
            env.iter().filter(|(name, _)| !RUNNER_AUTH_SECRETS.contains(&name.as_str())).cloned().collect();
        prop_assert_eq!(&left, &expected);
        prop_assert_eq!(&strip(left.clone(), &plane, CaseRule::Sensitive), &left);
        let mut backwards = strip(env.into_iter().rev().collect::<Vec<_>>(), &plane, CaseRule::Sensitive);
        backwards.reverse();
        prop_assert_eq!(backwards, left);
    }
}
