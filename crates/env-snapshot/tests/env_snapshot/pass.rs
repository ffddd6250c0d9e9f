//! Pass-through: each name as SEC answers it for what is bound.

use proptest::prelude::*;
use watertight_env_snapshot::{ChildSpec, DropReason};
use watertight_vocabulary::{ControlPlane, NameSet, Platform, RUNNER_PROCESS_IDENTITY};

use crate::support::{INITIAL_TOKEN, PARENT_PID, RUNNER_ID, TOKEN, World, pairs, reasons};

/// SS-04 and CE-10: what the launch environment holds is not the profile's.
#[test]
fn snap_23_a_foreign_childs_secrets_are_its_own_profiles() {
    let world = World::with_environment([
        ("PATH", "/usr/bin"),
        ("DB_PASS", "canary-launch"),
        ("CHAT_TOKEN", "canary-launch-chat"),
        ("API_SERVER_PORT", "9444"),
    ]);
    let world = world.foreign([("CHAT_TOKEN", "canary-b-chat"), ("OTHER", "canary-b-other")]);

    let nothing = world.build(&ChildSpec::new()).unwrap();
    assert_eq!(crate::support::text(&nothing).keys().collect::<Vec<_>>(), ["HERMES_HOME", "PATH"]);
    for name in ["DB_PASS", "CHAT_TOKEN", "API_SERVER_PORT"] {
        assert_eq!(reasons(&nothing, name), [DropReason::NotListed], "{name} stays behind, and that is said");
    }

    let spec = ChildSpec::new().pass(["DB_PASS", "CHAT_TOKEN", "API_SERVER_PORT", "NOWHERE"]);
    let child = world.build(&spec).unwrap();
    assert_eq!(
        crate::support::text(&child),
        pairs([
            ("PATH", "/usr/bin"),
            ("CHAT_TOKEN", "canary-b-chat"),
            ("API_SERVER_PORT", "9444"),
            ("HERMES_HOME", "/home/launch/.hermes/profiles/b"),
        ]),
        "a global comes from the environment, a secret from the scope, and absent stays absent"
    );
    assert_eq!(reasons(&child, "DB_PASS"), [DropReason::NotBound]);
    assert_eq!(reasons(&child, "NOWHERE"), [], "what nobody has was not dropped");
}

#[test]
fn snap_23_with_nothing_bound_a_passed_name_is_the_environments() {
    let world = World::with_environment([("DB_PASS", "canary-launch"), ("OTHER", "canary-2")]);
    let variables = world.variables(&ChildSpec::new().pass(["DB_PASS"]));
    assert_eq!(variables, pairs([("DB_PASS", "canary-launch"), ("HERMES_HOME", "/home/launch/.hermes")]));
}

/// SEC answers for a passed name that the base list has, too; its absence takes nothing away.
#[test]
fn snap_23_a_passed_name_of_the_base_list() {
    let world = World::with_environment([("LC_TIME", "launch"), ("TERM", "launch")]);
    let world = world.foreign([("LC_TIME", "profile")]);
    let child = world.build(&ChildSpec::new().pass(["LC_TIME", "TERM"])).unwrap();
    assert!(child.get("LC_TIME").unwrap().matches("profile"), "the step that comes later wins");
    assert!(child.get("TERM").unwrap().matches("launch"));
    assert_eq!(reasons(&child, "TERM"), []);
}

#[test]
fn snap_20_a_prefix_passes_what_the_environment_or_the_scope_has() {
    let world = World::with_environment([("GIT_DIR", "canary-launch"), ("HERMES_KANBAN_X", "global")]);
    let world = world.foreign([("GIT_AUTHOR_NAME", "coder"), ("GITHUB_TOKEN", "canary-b")]);
    let set = NameSet::new().with_prefix("GIT_").with_prefix("HERMES_KANBAN_");
    let child = world.build(&ChildSpec::new().pass_set(&set)).unwrap();
    assert_eq!(
        crate::support::text(&child),
        pairs([
            ("GIT_AUTHOR_NAME", "coder"),
            ("HERMES_KANBAN_X", "global"),
            ("HERMES_HOME", "/home/launch/.hermes/profiles/b"),
        ])
    );
    assert_eq!(reasons(&child, "GIT_DIR"), [DropReason::NotBound]);
}

/// Every hook, by every prefix of its name and by its exact name.
#[test]
fn snap_21_a_hook_is_reached_by_its_exact_name_only() {
    let hooks = [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "GLIBC_TUNABLES",
        "BASH_ENV",
        "BASH_FUNC_ls%%",
        "ENV",
        "PROMPT_COMMAND",
        "CDPATH",
        "IFS",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
    ];
    for platform in Platform::ALL {
        for hook in hooks {
            let world = World::with_environment([(hook, "canary-hook")]).on(platform);
            for length in 1..=hook.len() {
                let set = NameSet::new().with_prefix(&hook[..length]);
                let child = world.build(&ChildSpec::new().pass_set(&set)).unwrap();
                assert!(child.get(hook).is_none(), "{hook} by the prefix {}", &hook[..length]);
                assert_eq!(reasons(&child, hook), [DropReason::LoaderHook]);
            }
            let exact = world.build(&ChildSpec::new().pass([hook])).unwrap();
            assert!(exact.get(hook).is_some(), "{hook} by its name");
            let both = NameSet::of([hook]).with_prefix(&hook[..1]);
            let both = world.build(&ChildSpec::new().pass_set(&both)).unwrap();
            assert!(both.get(hook).is_some() && reasons(&both, hook).is_empty(), "{hook} by both");
        }
    }
}

#[test]
fn snap_21_on_windows_a_hook_is_a_hook_in_every_spelling() {
    let world = World::with_environment([("Node_Options", "canary-hook")]);
    let set = NameSet::new().with_prefix("NODE_");
    let windows = world.on(Platform::Windows);
    let child = windows.build(&ChildSpec::new().pass_set(&set)).unwrap();
    assert_eq!(reasons(&child, "Node_Options"), [DropReason::LoaderHook]);
    assert!(windows.build(&ChildSpec::new().pass(["NODE_OPTIONS"])).unwrap().get("node_options").is_some());
}

#[test]
fn run_32_a_pass_through_does_not_bring_an_auth_secret_back() {
    let names = [TOKEN, INITIAL_TOKEN, "HOST_SECRET"];
    let mut world = World::with_environment(names.map(|name| (name, "canary-1")));
    world.control_plane = world.control_plane.clone().with_names(["HOST_SECRET"]);
    let prefixes = NameSet::of(names).with_prefix("OMNIGENT_").with_prefix("HOST_");
    for spec in [
        ChildSpec::new(),
        ChildSpec::new().pass(names),
        ChildSpec::new().pass_set(&prefixes),
        names.into_iter().fold(ChildSpec::new(), |spec, name| spec.set(name, "canary-2")),
    ] {
        let child = world.build(&spec).unwrap();
        for name in names {
            assert!(child.get(name).is_none(), "{name} for {spec:?}");
            assert_eq!(reasons(&child, name), [DropReason::ControlPlane], "{name} for {spec:?}");
        }
    }
}

/// CE-05: whatever the registry holds, now or later, is stripped wherever a child starts.
#[test]
fn run_31_every_registered_name_is_kept_from_every_child() {
    let plane = ControlPlane::new();
    let registered = plane.names().map(|name| name.as_str().unwrap()).chain(RUNNER_PROCESS_IDENTITY);
    let registered: Vec<_> = registered.collect();
    assert!(registered.len() > RUNNER_PROCESS_IDENTITY.len(), "an empty registry would prove nothing");
    for name in registered {
        for platform in Platform::ALL {
            let world = World::with_environment([(name, "canary-1"), ("PATH", "/bin")]).on(platform);
            let foreign =
                World::with_environment([("PATH", "/bin")]).on(platform).foreign([(name, "canary-2")]);
            for spec in
                [ChildSpec::new(), ChildSpec::new().pass([name]), ChildSpec::new().set(name, "canary-3")]
            {
                for world in [&world, &foreign] {
                    let child = world.build(&spec).unwrap();
                    let names: Vec<_> = child.iter().map(|(name, _)| name.as_str().unwrap()).collect();
                    assert_eq!(names, ["HERMES_HOME", "PATH"], "{name} on {platform:?}");
                }
            }
        }
    }
}

#[test]
fn snap_22_the_control_plane_is_removed_last_whatever_allowed_it() {
    let names = ["PATH", "HERMES_HOME", "TERMINAL_ENV", "PWD"];
    let mut world = World::with_environment([("PATH", "/bin")]).with_terminal(&[("TERMINAL_ENV", "docker")]);
    world.control_plane = world.control_plane.clone().with_names(names);
    let child = world.build(&ChildSpec::new().with_terminal().working_directory("/job")).unwrap();
    assert!(child.is_empty(), "no list, policy, directory or home stands above the control plane: {child:?}");
    for name in names {
        assert_eq!(reasons(&child, name), [DropReason::ControlPlane]);
    }
}

#[test]
fn snap_22_on_windows_no_spelling_of_a_control_plane_name_gets_through() {
    let lower = TOKEN.to_ascii_lowercase();
    let world = World::with_environment([(lower.as_str(), "canary-1")]).on(Platform::Windows);
    for spec in [ChildSpec::new().pass([lower.as_str()]), ChildSpec::new().set(lower.as_str(), "canary-2")] {
        let child = world.build(&spec).unwrap();
        assert_eq!((child.get(TOKEN).is_none(), child.len()), (true, 1));
    }
}

#[test]
fn run_34_no_child_gets_the_runners_id_or_parent() {
    let world = World::with_environment([(RUNNER_ID, "runner_a"), (PARENT_PID, "100"), ("OMNIGENT", "1")]);
    let prefix = NameSet::new().with_prefix("OMNIGENT");
    for spec in [
        ChildSpec::new(),
        ChildSpec::new().pass([RUNNER_ID, PARENT_PID]),
        ChildSpec::new().pass_set(&prefix),
        ChildSpec::new().set(RUNNER_ID, "runner_b").set(PARENT_PID, "7"),
    ] {
        let child = world.build(&spec).unwrap();
        for name in [RUNNER_ID, PARENT_PID] {
            assert!(child.get(name).is_none(), "{name} for {spec:?}");
            assert_eq!(reasons(&child, name), [DropReason::RunnerIdentity]);
        }
        assert!(child.get("OMNIGENT").unwrap().matches("1"), "the marker that is no secret stays");
    }
}

proptest! {
    /// Isolation: what a foreign profile's child gets does not depend on what the launch profile keeps in
    /// its environment, whatever is passed on and by whatever prefix.
    #[test]
    fn snap_23_a_foreign_child_tells_nothing_of_the_launch_profile(
        one in prop::collection::btree_map("[A-C]{1,2}|LD_[A-B]|TERMINAL_[A-B]", "launch-[0-9]", 0..8),
        other in prop::collection::btree_map("[A-C]{1,2}|LD_[A-B]|TERMINAL_[A-B]", "launch-[0-9]", 0..8),
        scope in prop::collection::btree_map("[A-C]{1,2}", "scope-[0-9]", 0..6),
        exact in prop::collection::vec("[A-C]{1,2}|LD_A|TERMINAL_A", 0..6),
        prefixes in prop::collection::vec("[A-C]|L|T", 0..3),
    ) {
        let passed = prefixes.iter().fold(NameSet::of(exact.iter().map(String::as_str)), |passed, prefix| {
            passed.with_prefix(prefix.as_str())
        });
        let child = |launch: std::collections::BTreeMap<String, String>| {
            let world = World::with_environment(launch.into_iter().chain([("PATH".into(), "/bin".into())]));
            world.foreign(scope.clone()).variables(&ChildSpec::new().pass_set(&passed))
        };
        prop_assert_eq!(child(one), child(other));
    }

    /// Deny by default: every variable of a child has a reason that can be named, and every variable of the
    /// launch environment is either in the child or listed as dropped.
    #[test]
    fn snap_26_nothing_appears_or_vanishes_silently(
        names in prop::collection::btree_set("[A-C]{1,2}|LC_[A-B]|LD_[A-B]|PATH|TERMINAL_[A-B]|PWD|HERMES_PROFILE", 0..14),
        scope in prop::collection::btree_set("[A-C]{1,2}|LD_[A-B]", 0..6),
        exact in prop::collection::vec("[A-C]{1,2}|LD_A|TERMINAL_A|PWD", 0..6),
        prefixes in prop::collection::vec("[A-C]|L|LD_|T|P", 0..3),
        set in prop::collection::vec("[A-C]{1,2}|TERMINAL_B|PWD|HERMES_HOME", 0..4),
    ) {
        let world = World::with_environment(names.iter().map(|name| (name, format!("launch {name}"))))
            .foreign(scope.iter().map(|name| (name, format!("scope {name}"))));
        let passed = prefixes.iter().fold(NameSet::of(exact.iter().map(String::as_str)), |passed, prefix| {
            passed.with_prefix(prefix.as_str())
        });
        let spec = set.iter().fold(ChildSpec::new().pass_set(&passed), |spec, name| {
            spec.set(name.as_str(), format!("set {name}"))
        });
        let child = world.build(&spec).unwrap();

        let case = Platform::Linux.case_rule();
        for (name, value) in crate::support::text(&child) {
            let allowed = match value.split(' ').next().unwrap() {
                "launch" => name == "PATH" || name.starts_with("LC_"),
                "scope" => {
                    let text = name.as_ref();
                    passed.contains_exactly(text, case)
                        || (passed.contains(text, case) && !name.starts_with("LD_"))
                }
                "set" => set.contains(&name) && !name.starts_with("TERMINAL_") && name != "PWD",
                _ => name == "HERMES_HOME",
            };
            prop_assert!(allowed, "{} = {}", name, value);
        }
        for name in &names {
            let dropped = !reasons(&child, name).is_empty();
            prop_assert!(child.get(name).is_some() || dropped, "{} vanished silently", name);
        }
    }
}
