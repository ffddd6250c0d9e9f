use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use watertight_env_snapshot::{ChildEnv, ChildSpec, CommandExt, DropReason, EnvSnapshot, MapEnv};
use watertight_vocabulary::{EnvSource, Platform, Refusal, Refused, RefusedReason};

use crate::support::{World, pairs, reasons, text};

#[test]
fn snap_23_the_terminal_part_is_the_bound_policy_and_only_if_asked_for() {
    let world =
        World::with_environment([("TERMINAL_ENV", "canary-launch"), ("TERMINAL_SSH_KEY", "canary-key")])
            .with_terminal(&[("TERMINAL_ENV", "docker"), ("TERMINAL_CWD", "/work")]);

    let asked = world.build(&ChildSpec::new().with_terminal()).unwrap();
    assert_eq!(
        text(&asked),
        pairs([
            ("TERMINAL_ENV", "docker"),
            ("TERMINAL_CWD", "/work"),
            ("HERMES_HOME", "/home/launch/.hermes")
        ])
    );
    assert_eq!(reasons(&asked, "TERMINAL_SSH_KEY"), [DropReason::Terminal]);

    let not_asked = world.build(&ChildSpec::new()).unwrap();
    assert_eq!(text(&not_asked), pairs([("HERMES_HOME", "/home/launch/.hermes")]));
}

/// "From anywhere" is meant: the environment, the scope, a pass-through by name or prefix, and the caller.
#[test]
fn snap_23_no_other_terminal_name_comes_from_anywhere() {
    for asked in [true, false] {
        for platform in Platform::ALL {
            let spelling =
                if platform == Platform::Windows { "Terminal_Ssh_Key" } else { "TERMINAL_SSH_KEY" };
            let world = World::with_environment([(spelling, "canary-launch")])
                .on(platform)
                .with_terminal(&[("TERMINAL_ENV", "docker")]);
            let foreign = World::with_environment([("A", "1")])
                .on(platform)
                .foreign([(spelling, "canary-scope")])
                .with_terminal(&[("TERMINAL_ENV", "docker")]);
            let prefix = watertight_vocabulary::NameSet::new().with_prefix("TERM");
            for (world, spec) in [
                (&world, ChildSpec::new().pass([spelling, "TERMINAL_ENV"])),
                (&foreign, ChildSpec::new().pass([spelling])),
                (&foreign, ChildSpec::new().pass_set(&prefix)),
                (&world, ChildSpec::new().set(spelling, "canary-set").set("TERMINAL_ENV", "canary-local")),
            ] {
                let spec = if asked { spec.with_terminal() } else { spec };
                let child = world.build(&spec).unwrap();
                assert!(child.get(spelling).is_none(), "{spelling} on {platform:?}: {spec:?}");
                assert_eq!(reasons(&child, spelling), [DropReason::Terminal]);
                let backend = child.get("TERMINAL_ENV");
                assert_eq!(backend.is_some(), asked, "{spec:?}");
                assert!(backend.is_none_or(|value| value.matches("docker")), "the policy's own value stays");
            }
        }
    }
}

#[test]
fn snap_23_what_the_caller_sets_comes_after_what_is_passed() {
    let world = World::with_environment([("PATH", "/bin"), ("A", "canary-1")]);
    let spec = ChildSpec::new().set("A", "early").pass(["A"]).set("PATH", "/set").set("A", "late");
    assert_eq!(
        world.variables(&spec),
        pairs([("PATH", "/set"), ("A", "late"), ("HERMES_HOME", "/home/launch/.hermes")]),
        "the order of the steps counts, not the order of the calls; of two values the last"
    );
}

/// ES-08 and ES-10: the home is the bound one, whatever the environment, a profile or the caller says.
#[test]
fn snap_23_the_home_is_the_bound_one_and_no_profile_is_named() {
    let identity = ["HERMES_HOME", "HERMES_PROFILE", "HERMES_PROFILE_NAME"];
    let world = World::with_environment(identity.map(|name| (name, "canary-a")))
        .foreign(identity.map(|name| (name, "canary-b")));
    let set = identity.into_iter().fold(ChildSpec::new(), |spec, name| spec.set(name, "canary-set"));
    for spec in [ChildSpec::new(), ChildSpec::new().pass(identity), set] {
        let child = world.build(&spec).unwrap();
        assert_eq!(text(&child), pairs([("HERMES_HOME", "/home/launch/.hermes/profiles/b")]), "{spec:?}");
        assert_eq!(reasons(&child, "HERMES_PROFILE"), [DropReason::ProfileName], "{spec:?}");
        assert_eq!(reasons(&child, "HERMES_PROFILE_NAME"), [DropReason::ProfileName], "{spec:?}");
    }
    let set = world.build(&ChildSpec::new().set("HERMES_HOME", "canary-set")).unwrap();
    assert_eq!(
        reasons(&set, "HERMES_HOME"),
        [DropReason::Home],
        "what the caller meant is not lost silently"
    );
}

#[test]
fn snap_23_on_windows_home_and_profile_names_are_found_in_any_spelling() {
    let world = World::with_environment([("hermes_profile", "canary-a"), ("Hermes_Home", "canary-a")]);
    let world = world.on(Platform::Windows);
    let child = world.build(&ChildSpec::new().set("hermes_Home", "c").set("Hermes_Profile", "c")).unwrap();
    assert_eq!(text(&child), pairs([("HERMES_HOME", "/home/launch/.hermes")]));
}

#[test]
fn snap_23_the_base_list_is_the_frozen_environments() {
    let live = MapEnv::from([("PATH", "/then")]);
    let frozen = EnvSnapshot::of(&live, Platform::Linux.case_rule());
    live.set("PATH", "/now");
    let mut world = World::with_environment(frozen.vars_os());
    assert_eq!(world.variables(&ChildSpec::new())["PATH"], "/then");
    world.environment = live;
    assert_eq!(world.variables(&ChildSpec::new())["PATH"], "/now");
}

#[test]
fn snap_21_pwd_is_the_childs_working_directory_or_left_out() {
    let world = World::with_environment([("PWD", "canary-parent")]);
    let without = world.build(&ChildSpec::new().pass(["PWD"]).set("PWD", "canary-set")).unwrap();
    assert!(without.get("PWD").is_none(), "the parent's directory is not the child's");
    assert_eq!(reasons(&without, "PWD"), [DropReason::WorkingDirectory]);

    let absolute = if cfg!(windows) { r"C:\job" } else { "/job" };
    let spec = ChildSpec::new().set("PWD", "canary-set").working_directory(absolute);
    let with = world.build(&spec).unwrap();
    assert!(with.get("PWD").unwrap().matches(absolute));
    let mut command = Command::new("tool");
    with.apply_to(&mut command);
    assert_eq!(command.get_current_dir(), Some(Path::new(absolute)), "the command runs where `PWD` says");

    let relative = world.build(&ChildSpec::new().working_directory("sub")).unwrap();
    let expected = Path::new("/launch/here").join("sub");
    assert_eq!(relative.working_directory(), Some(expected.as_path()), "it stands on the launch's directory");
}

#[test]
fn snap_24_applying_clears_what_would_be_inherited_and_what_was_set() {
    let child = World::with_environment([("PATH", "/bin")]).build(&ChildSpec::new()).unwrap();
    let mut command = Command::new("tool");
    command.env("LEFT_OVER", "canary-1").env("PATH", "canary-2").env_remove("HERMES_HOME");
    command.with_child_env(&child);
    let set: BTreeMap<_, _> = command.get_envs().map(|(name, value)| (name.to_owned(), value)).collect();
    assert_eq!(set.len(), child.len());
    for (name, value) in child.iter() {
        assert_eq!(set[name.as_os_str()].map(std::ffi::OsStr::to_os_string), Some(value.expose_os()));
    }
    child.audit(&mut command).expect("it starts from nothing");
}

#[test]
fn snap_26_everything_that_stays_behind_is_listed_by_name_and_reason() {
    let world = World::with_environment([
        ("PROJECT_KEY", "canary-a"),
        ("LD_PRELOAD", "canary-b"),
        ("PATH", "/bin"),
        ("PATH", "canary-c"),
    ]);
    let child = world.build(&ChildSpec::new()).unwrap();
    let listed: Vec<_> =
        child.dropped().iter().map(|dropped| (dropped.name().to_string(), dropped.reason().code())).collect();
    assert_eq!(
        listed,
        [
            ("LD_PRELOAD".to_owned(), "not-listed"),
            ("PATH".to_owned(), "duplicate-variable"),
            ("PROJECT_KEY".to_owned(), "not-listed")
        ]
    );
    let shown = format!("{:?} {}", child.dropped(), child.dropped()[0]);
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn snap_26_a_large_environment_is_listed_in_linear_time() {
    const VARIABLES: usize = 30_000;
    let world = World::with_environment((0..VARIABLES).map(|n| (format!("VARIABLE_{n}"), "canary")));
    let began = Instant::now();
    let child = world.build(&ChildSpec::new()).unwrap();
    // Comparing each with each would take minutes.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(child.dropped().len(), VARIABLES);
}

#[test]
fn snap_26_what_a_later_step_gave_after_all_is_not_listed() {
    let world = World::with_environment([("A", "canary-launch")]).foreign([("B", "canary-b")]);
    let child = world.build(&ChildSpec::new().pass(["A"]).set("A", "mine")).unwrap();
    assert_eq!((reasons(&child, "A"), child.get("A").unwrap().matches("mine")), (vec![], true));
}

#[test]
fn snap_25_of_duplicates_in_the_block_the_child_gets_the_first() {
    let entries = [("PATH", "/first"), ("Path", "/second"), ("PATH", "/third")];
    let unix = World::with_environment(entries).build(&ChildSpec::new()).unwrap();
    assert!(unix.get("PATH").unwrap().matches("/first"));
    assert_eq!(reasons(&unix, "PATH"), [DropReason::Duplicate]);
    let windows = World::with_environment(entries).on(Platform::Windows).build(&ChildSpec::new()).unwrap();
    assert_eq!(text(&windows), pairs([("PATH", "/first"), ("HERMES_HOME", "/home/launch/.hermes")]));
    assert_eq!(reasons(&windows, "Path"), [DropReason::Duplicate]);
}

#[test]
fn snap_27_a_refusal_of_either_policy_is_the_refusal_of_the_build() {
    for reason in [
        RefusedReason::Unscoped,
        RefusedReason::Unavailable(Refusal::new("unreadable", "the file is a directory")),
        RefusedReason::Closed,
        RefusedReason::OtherHost,
        RefusedReason::NoHost,
    ] {
        let refused = Refused::nameless(reason);
        let mut world = World::with_environment([("PATH", "/bin")]);
        world.allowed = Err(refused.clone());
        let error = world.build(&ChildSpec::new()).expect_err("an empty spec is refused as well");
        assert_eq!(error.code(), refused.code());
        assert_eq!(error.to_string(), refused.to_string(), "it is that same refusal");
    }
}

#[test]
fn snap_27_a_refused_pass_through_refuses_the_build() {
    let world = World::with_environment([("PATH", "/bin")]);
    for reason in [RefusedReason::Unscoped, RefusedReason::Closed] {
        let error = build_with_answer(&world, &ChildSpec::new().pass(["A"]), &reason).unwrap_err();
        assert_eq!(error.code(), Refused::nameless(reason).code());
        assert_eq!(error.name().unwrap().as_str(), Some("A"), "it names the variable");
    }
    // Both are answered by leaving the name out: they say what the name is, not that nobody may know.
    for reason in [RefusedReason::NotASecret, RefusedReason::ControlPlane] {
        let child = build_with_answer(&world, &ChildSpec::new().pass(["A"]), &reason).unwrap();
        assert_eq!((child.get("A").is_none(), reasons(&child, "A").len()), (true, 1));
    }
}

#[test]
fn snap_27_a_terminal_refusal_refuses_a_build_that_asks_for_the_policy() {
    let mut world = World::with_environment([("PATH", "/bin")]);
    let cause = RefusedReason::Unavailable(Refusal::new("invalid", "not a mapping"));
    world.terminal = Err(Refused::nameless(cause));
    assert_eq!(world.build(&ChildSpec::new().with_terminal()).unwrap_err().code(), "unavailable");
}

fn build_with_answer(
    world: &World,
    spec: &ChildSpec,
    reason: &RefusedReason,
) -> Result<ChildEnv, watertight_env_snapshot::ChildEnvError> {
    ChildEnv::build(
        spec,
        watertight_env_snapshot::ChildParts {
            platform: world.platform,
            base: &world.environment as &dyn EnvSource,
            control_plane: &world.control_plane,
            allowed: Ok(()),
            answer: &mut |name| Err(Refused::new(name, reason.clone())),
            scope_names: Vec::new(),
            terminal: &mut || Ok(Vec::new()),
            home_variable: "HERMES_HOME".as_ref(),
            home: &world.home,
            profile_name_variables: &[],
            own_runner_id: None,
            total_limit: world.total_limit,
        },
    )
}

#[test]
fn snap_07_the_parts_of_a_child_environment_show_no_value() {
    let world = World::with_environment([("A", "canary-1")]);
    let parts = watertight_env_snapshot::ChildParts {
        platform: world.platform,
        base: &world.environment as &dyn EnvSource,
        control_plane: &world.control_plane,
        allowed: Err(Refused::nameless(RefusedReason::Closed)),
        answer: &mut |_| Ok(Some(watertight_vocabulary::Secret::from("canary-2"))),
        scope_names: Vec::new(),
        terminal: &mut || Ok(Vec::new()),
        home_variable: "HERMES_HOME".as_ref(),
        home: &world.home,
        profile_name_variables: &[],
        own_runner_id: Some("canary-3"),
        total_limit: world.total_limit,
    };
    let shown = format!("{parts:?} {parts:#?}");
    for part in ["platform", "base", "allowed: Err", "/home/launch/.hermes"] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn snap_07_specs_and_child_environments_show_names_only() {
    let spec = ChildSpec::new()
        .pass(["A"])
        .set("TOKEN", "canary-1")
        .set("WRONG=canary-2", "")
        .for_runner_child(&crate::support::ChildId("canary-id"), &crate::support::ChildToken("canary-token"));
    let shown = format!("{spec:?} {spec:#?}");
    assert!(shown.contains("TOKEN") && shown.contains("WRONG") && !shown.contains("canary"), "{shown}");

    let world = World::with_environment([("A", "canary-3")]);
    let child = world.build(&ChildSpec::new().pass(["A"]).set("TOKEN", "canary-4")).unwrap();
    let shown = format!("{child:?} {child:#?}");
    assert!(shown.contains("TOKEN") && !shown.contains("canary"), "{shown}");
}
