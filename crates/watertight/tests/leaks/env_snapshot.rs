//! The environment's types: captures, specifications, children, and what a child cannot be given.

use std::process::Command;
use std::sync::Arc;

use watertight_env_snapshot::{
    ChildEnv, ChildEnvError, ChildParts, ChildSpec, CommandExt, EnvSnapshot, LaunchEnv, MapEnv, TOTAL_LIMIT,
};
use watertight_runner_identity::{BindingToken, RunnerId};
use watertight_vocabulary::{
    CaseRule, ControlPlane, EnvSource, Name, Platform, Refused, RefusedReason, Secret,
};

use crate::texts::{CANARY, Silent, Texts, show};

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[("DropReason", "units"), ("ProcessEnv", "unit")];

const TOKEN: &str = "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN";

fn environment() -> MapEnv {
    MapEnv::from([
        ("PATH", "/bin"),
        ("LANG", CANARY),
        ("MODEL_KEY", CANARY),
        ("LD_PRELOAD", CANARY),
        ("TERMINAL_CWD", CANARY),
        ("PWD", CANARY),
        ("HERMES_PROFILE", CANARY),
        (TOKEN, CANARY),
        ("OMNIGENT_RUNNER_ID", "runner_own"),
        ("TWICE", CANARY),
        ("TWICE", CANARY),
        ("=ODD=", CANARY),
    ])
}

/// Builds a child's environment, and shows the parts on the way.
fn build(texts: &mut Texts, spec: &ChildSpec, limit: usize) -> Result<ChildEnv, ChildEnvError> {
    let (environment, profile_names) = (environment(), [Name::from("HERMES_PROFILE")]);
    let parts = ChildParts {
        platform: Platform::Linux,
        base: &environment,
        control_plane: &ControlPlane::new(),
        allowed: Ok(()),
        answer: &mut |name| {
            if name == "REFUSED" {
                return Err(Refused::new(name, RefusedReason::Unscoped));
            }
            Ok(Some(Secret::from(CANARY)))
        },
        scope_names: vec![Name::from("VAULT_KEY")],
        terminal: &mut || Ok(vec![(Name::from("TERMINAL_CWD"), Secret::from(CANARY))]),
        home_variable: "HERMES_HOME".as_ref(),
        home: "/home".as_ref(),
        profile_name_variables: &profile_names,
        own_runner_id: None,
        total_limit: limit,
    };
    show!(texts, parts);
    ChildEnv::build(spec, parts)
}

pub(crate) fn show_all(texts: &mut Texts) {
    let environment = Arc::new(environment());
    let snapshot = EnvSnapshot::of(&*environment, CaseRule::Sensitive);
    show!(texts, *environment, snapshot);
    for diagnostic in snapshot.diagnostics() {
        show!(texts, diagnostic);
    }
    let launch = LaunchEnv::new(Arc::clone(&environment) as Arc<dyn EnvSource>);
    show!(texts, launch);
    launch.capture();
    show!(texts, launch);

    let id: RunnerId = "runner_child".parse().unwrap();
    let token = BindingToken::parse(CANARY).unwrap();
    let spec = ChildSpec::new()
        .pass(["MODEL_KEY"])
        .pass(["KEY=x"])
        .set("OPENAI_KEY", CANARY)
        .set(TOKEN, CANARY)
        .set("HERMES_HOME", CANARY)
        .working_directory("/work")
        .with_terminal();
    show!(texts, spec);
    show!(texts, ChildSpec::new().set(format!("KEY={CANARY}"), CANARY).pass([format!("KEY={CANARY}")]));
    show!(texts, spec.clone().for_runner_child(&id, &BindingToken::parse("another").unwrap()));
    let sound = ChildSpec::new()
        .pass(["MODEL_KEY"])
        .set("OPENAI_KEY", CANARY)
        .working_directory("/work")
        .with_terminal();
    let child = build(texts, &sound, TOTAL_LIMIT).unwrap();
    show!(texts, child);
    for dropped in child.dropped() {
        show!(texts, *dropped);
    }
    let mut command = Command::new("program");
    command.with_child_env(&child);
    command
        .env("ADDED", CANARY)
        .env("MODEL_KEY", CANARY.to_lowercase())
        .env_remove("OPENAI_KEY")
        .current_dir("/");
    let error = child.audit(&mut command).unwrap_err();
    show!(texts, error);
    for deviation in error.deviations() {
        show!(texts, *deviation);
    }

    let long = CANARY.repeat(6_000);
    for spec in [
        ChildSpec::new().set("", CANARY),
        ChildSpec::new().set(format!("KEY={CANARY}"), CANARY),
        ChildSpec::new().pass([format!("KEY={CANARY}")]),
        ChildSpec::new().set("KEY\0", CANARY),
        ChildSpec::new().set("KEY", format!("{CANARY}\0")),
        ChildSpec::new().set("KEY", long),
        ChildSpec::new().working_directory("sub"),
        ChildSpec::new().pass(["REFUSED"]),
        ChildSpec::new().for_runner_child(&id, &token),
    ] {
        show!(texts, build(texts, &spec, TOTAL_LIMIT).unwrap_err());
    }
    show!(texts, build(texts, &sound, 8).unwrap_err());
}
