use std::process::Command;

use watertight_env_snapshot::{AuditError, ChildEnv, ChildSpec, CommandExt, Deviation};
use watertight_vocabulary::Name;

use crate::support::World;

fn child() -> ChildEnv {
    let world = World::with_environment([("PATH", "/bin"), ("OTHER", "canary-1")]);
    let directory = if cfg!(windows) { r"C:\job" } else { "/job" };
    world.build(&ChildSpec::new().set("TOKEN", "canary-2").working_directory(directory)).unwrap()
}

fn audited(change: fn(&mut Command) -> &mut Command) -> Vec<Deviation> {
    let (child, mut command) = (child(), Command::new("tool"));
    command.with_child_env(&child);
    change(&mut command);
    let result = child.audit(&mut command);
    if let Err(error) = &result {
        assert_eq!(error.code(), "child-environment-changed");
        let text = format!("{error} {error:?}");
        assert!(!text.contains("canary"), "{text}");
    }
    result.err().map_or_else(Vec::new, |error: AuditError| error.deviations().to_vec())
}

#[test]
fn snap_26_a_command_as_it_was_made_passes_again_and_again() {
    let (child, mut command) = (child(), Command::new("tool"));
    command.arg("argument").with_child_env(&child);
    for _ in 0..3 {
        assert_eq!(child.audit(&mut command), Ok(()));
        let set: Vec<_> = command.get_envs().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(set.len(), child.len(), "auditing changes nothing: {set:?}");
    }
}

#[test]
fn snap_26_no_later_change_goes_unseen() {
    let name = Name::from;
    assert_eq!(audited(|command| command), []);
    assert_eq!(
        audited(|command| command.env("LD_PRELOAD", "canary-3")),
        [Deviation::Added(name("LD_PRELOAD"))]
    );
    assert_eq!(audited(|command| command.env("PATH", "canary-3")), [Deviation::Changed(name("PATH"))]);
    assert_eq!(audited(|command| command.env("PATH", "")), [Deviation::Changed(name("PATH"))]);
    assert_eq!(audited(|command| command.env_remove("TOKEN")), [Deviation::Removed(name("TOKEN"))]);
    assert_eq!(audited(|command| command.current_dir("canary")), [Deviation::WorkingDirectory]);
    assert_eq!(audited(|command| command.env("PATH", "/bin")), [], "the same value is no change");
    assert_eq!(audited(|command| command.env_remove("ELSE")), [], "nor is removing what is not there");
    assert_eq!(audited(|command| command.env_clear()).len(), child().len(), "all of it is missing");
    assert_eq!(
        audited(|command| command.env("A=canary", "1")),
        [Deviation::Added(name("A"))],
        "what stands behind a `=` is a value"
    );
}

/// CE-03: overrides over an inherited environment look the same in `get_envs`, and are not the same.
#[test]
fn snap_26_a_command_that_inherits_is_seen() {
    let child = child();
    let mut inheriting = Command::new("tool");
    for (name, value) in child.iter() {
        inheriting.env(name, value.expose_os());
    }
    inheriting.current_dir(child.working_directory().unwrap());
    let error = child.audit(&mut inheriting).unwrap_err();
    assert_eq!(error.deviations(), [Deviation::Inherits]);

    let mut untouched = Command::new("tool");
    let error = child.audit(&mut untouched).unwrap_err();
    assert!(error.deviations().contains(&Deviation::Inherits));
    assert_eq!(error.deviations().len(), child.len() + 2, "and everything is missing: {error}");
}

#[test]
fn snap_26_the_name_that_the_audit_asks_with_is_no_hiding_place() {
    let probe = "WATERTIGHT_AUDIT_PROBE";
    assert_eq!(
        audited(|command| command.env("WATERTIGHT_AUDIT_PROBE", "canary-3")),
        [Deviation::Added(Name::from(probe))]
    );
    let world = World::with_environment([("PATH", "/bin")]);
    let child = world.build(&ChildSpec::new().set(probe, "canary-3")).unwrap();
    let mut command = Command::new("tool");
    command.with_child_env(&child);
    assert_eq!(child.audit(&mut command), Ok(()));
    assert!(command.get_envs().any(|(name, _)| name == probe), "and auditing does not remove it");
}
