use std::process::Command;

use watertight::env_snapshot::{ChildEnv, ChildSpec, CommandExt};

use crate::world::World;

fn text(child: &ChildEnv, name: &str) -> Option<String> {
    child.get(name).map(|value| value.expose().unwrap().to_owned())
}

/// What a real child sees: nothing but its environment block decides.
fn seen_by_a_child(child: &ChildEnv) -> String {
    let output = Command::new("/usr/bin/env").with_child_env(child).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn host_31_a_child_gets_what_is_bound_by_name_and_nothing_of_the_launch_profile() {
    let world = World::with_coder();
    world.write("profiles/coder/config.yaml", "terminal: {backend: docker}\n");
    world.write("profiles/coder/.env", "CODER_KEY=canary-coder\nOTHER=canary-other\n");
    world.set("DB_PASS", "canary-launch").set("TERMINAL_ENV", "ssh").set("HERMES_PROFILE", "default");
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    let spec = ChildSpec::new().pass(["CODER_KEY", "DB_PASS"]).with_terminal();
    let child = scope.run(|| host.child_env(&spec)).unwrap();
    assert_eq!(text(&child, "CODER_KEY").as_deref(), Some("canary-coder"));
    assert_eq!(text(&child, "TERMINAL_ENV").as_deref(), Some("docker"));
    assert_eq!(text(&child, "HERMES_HOME").as_deref(), world.path("profiles/coder").to_str());
    let seen = seen_by_a_child(&child);
    for absent in ["DB_PASS", "OTHER", "canary-launch", "canary-other", "HERMES_PROFILE", "=ssh"] {
        assert!(!seen.contains(absent), "{absent} reached the child");
    }
    assert_eq!(scope.child_env(&spec).unwrap().len(), child.len(), "the handle builds the same");
}

#[test]
fn snap_23_with_one_profile_and_nothing_bound_a_child_is_the_launch_profiles() {
    let world = World::new();
    world.write("config.yaml", "terminal: {backend: docker}\n").set("KEY", "canary-launch");
    let child = world.host().child_env(&ChildSpec::new().pass(["KEY"]).with_terminal()).unwrap();
    assert_eq!(text(&child, "KEY").as_deref(), Some("canary-launch"));
    assert_eq!(text(&child, "HERMES_HOME").as_deref(), world.root().to_str());
    assert_eq!(
        text(&child, "TERMINAL_ENV").as_deref(),
        Some("docker"),
        "the configured backend, not a guess"
    );
}

#[test]
fn snap_27_where_a_read_would_be_refused_no_child_is_built() {
    let world = World::with_coder();
    world.write("profiles/blind/config.yaml", "terminal: docker\n");
    std::fs::create_dir_all(world.path("profiles/mute/.env")).unwrap();
    world.write("profiles/mute/SOUL.md", "x");
    let host = world.host();
    let coder = host.profile_scope("coder").unwrap();
    let spec = ChildSpec::new();
    assert_eq!(host.child_env(&spec).unwrap_err().code(), "unscoped");
    for refusing in ["blind", "mute"] {
        let scope = host.profile_scope(refusing).unwrap();
        assert_eq!(scope.child_env(&spec).unwrap_err().code(), "unavailable", "{refusing}");
    }
    coder.close();
    assert_eq!(coder.child_env(&spec).unwrap_err().code(), "closed");
}

#[test]
fn run_32_a_pass_through_brings_no_control_plane_name_back() {
    let world = World::with_coder();
    let names =
        ["OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN", "OMNIGENT_RUNNER_ID"];
    for name in names {
        world.set(name, "canary-token");
    }
    world.set("OMNIGENT", "1").set("HOST_TOKEN", "canary-host");
    let host = world.builder().control_plane(["HOST_TOKEN"]).build().unwrap();
    let spec = ChildSpec::new().pass(names).pass(["HOST_TOKEN"]);
    let child = host.child_env(&spec).unwrap();
    let seen = seen_by_a_child(&child);
    assert!(!seen.contains("canary"), "{:?}", child.dropped());
    assert!(seen.lines().any(|line| line == "OMNIGENT=1"), "the session marker stays (RUN-22)");
}

#[test]
fn snap_03_a_child_that_is_built_while_a_second_profile_comes_up_is_refused() {
    use std::sync::{Arc, OnceLock};

    use watertight::Host;
    use watertight::disk::{Operation, RealFileSystem, Scripted};

    let world = World::with_coder();
    world.write("config.yaml", "terminal: {backend: docker}\n").set("KEY", "canary-launch");
    let cell = Arc::new(OnceLock::<Host>::new());
    let seen = Arc::clone(&cell);
    let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
        if operation == Operation::Open && path.ends_with("root/config.yaml") {
            seen.get().unwrap().activate();
        }
        Ok(())
    });
    let host = world.builder().disk(Arc::new(disk)).build().unwrap();
    cell.set(host.clone()).unwrap();
    let spec = ChildSpec::new().pass(["KEY"]).with_terminal();
    assert_eq!(host.child_env(&spec).unwrap_err().code(), "unscoped");
}

#[test]
fn snap_05_a_passed_name_that_is_not_unicode_is_asked_for_like_any_other() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    let world = World::new();
    let (name, bytes) = (OsStr::from_bytes(b"K\xff"), OsString::from_vec(b"canary-\xfe".to_vec()));
    world.env.set(name, bytes.clone());
    let host = world.host();
    let spec = ChildSpec::new().pass([name]);
    let child = host.child_env(&spec).unwrap();
    assert_eq!(child.get(name).map(watertight::vocabulary::Secret::expose_os), Some(bytes.clone()));
    let scoped = host.launch_scope().unwrap().child_env(&spec).unwrap();
    assert_eq!(scoped.get(name).map(watertight::vocabulary::Secret::expose_os), Some(bytes));
}

#[test]
fn run_34_a_runner_whose_id_is_in_its_file_makes_no_child_the_same_one() {
    use watertight::runner_identity::{BindingToken, RunnerId};

    let world = World::new();
    let own = "runner_own".parse::<RunnerId>().unwrap();
    let host = world.builder().runner(own.clone()).build().unwrap();
    let token = BindingToken::parse("canary-child-token").unwrap();
    assert!(host.child_env(&ChildSpec::new().for_runner_child(&own, &token)).is_err());
    let other = "runner_other".parse::<RunnerId>().unwrap();
    let child = host.child_env(&ChildSpec::new().for_runner_child(&other, &token)).unwrap();
    assert_eq!(text(&child, "OMNIGENT_RUNNER_ID").as_deref(), Some("runner_other"));
}

#[test]
fn run_34_a_runner_that_is_bound_to_its_token_makes_no_child_the_same_one() {
    use watertight::runner_identity::{BindingToken, token_bound_id};

    let world = World::new();
    world.set("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "\u{b} canary-own-token\n");
    let host = world.host();
    let own = BindingToken::parse("canary-own-token").unwrap();
    let other = BindingToken::parse("canary-child-token").unwrap();
    let child = |id: &BindingToken, token: &BindingToken| {
        host.child_env(&ChildSpec::new().for_runner_child(&token_bound_id(id), token))
    };
    assert!(child(&own, &other).is_err(), "the runner's own id");
    assert!(child(&other, &own).is_err(), "the runner's own token, whatever white space stood around it");
    assert!(child(&other, &other).is_ok());
}

#[test]
fn snap_27_a_foreign_home_without_secrets_or_policy_gets_no_child() {
    use watertight::vocabulary::HomeId;

    let world = World::new();
    let host = world.host();
    let foreign =
        watertight_context::Context::builder().host(host.id()).home(HomeId::new("/elsewhere".into(), None));
    let foreign = foreign.foreign_home(true).build();
    assert_eq!(foreign.run(|| host.child_env(&ChildSpec::new())).unwrap_err().code(), "unscoped");
}

#[test]
fn sec_24_a_prefix_does_not_turn_a_withheld_name_into_absence() {
    use watertight::vocabulary::NameSet;

    let world = World::with_coder();
    world.write("profiles/coder/.env", "API_KEY=canary-reference\n");
    let host = world.builder().source(crate::sources::Vault::failing(["API_KEY"])).build().unwrap();
    let scope = host.profile_scope("coder").unwrap();
    assert_eq!(scope.child_env(&ChildSpec::new().pass(["API_KEY"])).unwrap_err().code(), "unavailable");
    let prefix = ChildSpec::new().pass_set(&NameSet::new().with_prefix("API_"));
    assert_eq!(scope.child_env(&prefix).unwrap_err().code(), "unavailable");
}
