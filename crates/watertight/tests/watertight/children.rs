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
