use std::ffi::OsStr;

use watertight_env_snapshot::{ChildSpec, OMNIGENT_SESSION_ENV_VAR, base_list, loader_hooks};
use watertight_vocabulary::{CaseRule, ControlPlane, NameSet, Platform, RUNNER_PROCESS_IDENTITY};

use crate::support::{World, pairs};

fn sorted(set: &NameSet) -> Vec<String> {
    let prefixes = set.prefixes().map(|prefix| format!("{prefix}*"));
    let mut names: Vec<_> = set.names().map(ToString::to_string).chain(prefixes).collect();
    names.sort();
    names
}

/// The lists themselves are for people to review; a change of one shows up here.
#[test]
fn snap_21_the_lists() {
    for (list, platform) in [("linux", Platform::Linux), ("windows", Platform::Windows)] {
        insta::assert_snapshot!(format!("base_list_{list}"), sorted(&base_list(platform)).join("\n"));
    }
    assert_eq!(base_list(Platform::Linux), base_list(Platform::MacOs));
    insta::assert_snapshot!("loader_hooks", sorted(&loader_hooks()).join("\n"));
}

#[test]
fn snap_20_a_list_is_exact_names_and_prefixes() {
    let base = base_list(Platform::Linux);
    let member = |name: &str| base.contains(OsStr::new(name), CaseRule::Sensitive);
    assert!(member("PATH") && member("LC_ALL") && member("LC_"));
    assert!(!member("PATH_INFO") && !member("LC") && !member("path") && !member("XLC_ALL"));
}

#[test]
fn snap_21_no_hook_socket_credential_or_runner_name_is_on_a_base_list() {
    let sockets = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];
    let credentials = ["AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN", "PGPASSWORD", "NPM_TOKEN"];
    let hooks = loader_hooks();
    let hooks = hooks.names().chain(hooks.prefixes()).map(|name| name.as_str().unwrap());
    let plane = ControlPlane::new();
    let runner = plane.names().map(|name| name.as_str().unwrap()).chain(RUNNER_PROCESS_IDENTITY);
    let none: Vec<_> =
        sockets.into_iter().chain(credentials).chain(hooks).chain(runner).chain(["PWD", "OLDPWD"]).collect();
    for platform in Platform::ALL {
        for name in &none {
            let listed = base_list(platform).contains(OsStr::new(name), platform.case_rule());
            assert!(!listed, "{name} on {platform:?}");
        }
    }
}

#[test]
fn snap_21_a_child_gets_the_base_list_and_no_more() {
    let world = World::with_environment([
        ("PATH", "/bin"),
        ("LC_TIME", "C"),
        ("SHELL", ""),
        ("SystemRoot", r"C:\Windows"),
        ("LD_PRELOAD", "canary-hook"),
        ("SSH_AUTH_SOCK", "canary-socket"),
        ("OPENAI_API_KEY", "canary-key"),
        ("PWD", "canary-elsewhere"),
        ("HERMES_MAX_ITERATIONS", "canary-global"),
    ]);
    assert_eq!(
        world.variables(&ChildSpec::new()),
        pairs([("PATH", "/bin"), ("LC_TIME", "C"), ("SHELL", ""), ("HERMES_HOME", "/home/launch/.hermes")])
    );
}

/// CE-02: the lists fold as the platform does, and one spelling of a name survives: the first.
#[test]
fn snap_21_on_windows_the_base_list_is_found_in_any_spelling() {
    let world = World::with_environment([
        ("SYSTEMROOT", r"C:\W"),
        ("systemdrive", "C:"),
        ("PATH", "a"),
        ("Path", "b"),
        ("lc_all", "C"),
        ("programfiles(X86)", "p"),
        ("omnigent", "1"),
    ]);
    let world = world.on(Platform::Windows);
    assert_eq!(
        world.variables(&ChildSpec::new()),
        pairs([
            ("SYSTEMROOT", r"C:\W"),
            ("systemdrive", "C:"),
            ("PATH", "a"),
            ("lc_all", "C"),
            ("programfiles(X86)", "p"),
            ("omnigent", "1"),
            ("HERMES_HOME", "/home/launch/.hermes"),
        ])
    );
}

#[test]
fn run_22_the_session_marker_is_passed_on_as_found_and_never_invented() {
    let child = |entries: &[(&str, &str)]| {
        World::with_environment(entries.iter().copied()).variables(&ChildSpec::new())
    };
    for value in ["1", "0", ""] {
        assert_eq!(child(&[(OMNIGENT_SESSION_ENV_VAR, value)])[OMNIGENT_SESSION_ENV_VAR], value);
    }
    assert!(!child(&[("PATH", "/bin")]).contains_key(OMNIGENT_SESSION_ENV_VAR));
    let foreign = World::with_environment([(OMNIGENT_SESSION_ENV_VAR, "1")]).foreign([("A", "1")]);
    assert_eq!(
        foreign.variables(&ChildSpec::new())[OMNIGENT_SESSION_ENV_VAR],
        "1",
        "it survives where everything else of the launch environment stays behind"
    );
}
