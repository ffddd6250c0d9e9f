//! Real children, and the environment that they really get.

#[cfg(unix)]
use std::collections::BTreeMap;
use std::process::Command;

use watertight_env_snapshot::{ChildSpec, CommandExt};

use crate::support::{ChildId, ChildToken, PARENT_PID, RUNNER_ID, TOKEN, World, listed, probe};

/// What a child of a probe that was itself started with `environment` sees.
#[cfg(unix)]
fn grandchild(environment: &[(&str, &str)], passed: &[&str]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut command = probe();
    command.args(["start", "list"]).args(passed).env_clear().envs(environment.iter().copied());
    listed(&mut command)
}

/// A child's variables as they are, without its directory.
#[cfg(unix)]
fn variables(seen: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<(&[u8], &[u8])> {
    seen.iter()
        .map(|(name, value)| (name.as_slice(), value.as_slice()))
        .filter(|(name, _)| *name != b"cwd")
        .collect()
}

/// CE-03: the token stands in the process that starts the child, and there is no way to inherit it.
#[cfg(unix)]
#[test]
fn snap_24_a_real_child_gets_what_it_is_given_and_inherits_nothing() {
    use crate::support::INITIAL_TOKEN;

    let environment =
        [("PATH", "/bin"), ("OMNIGENT", "1"), (TOKEN, "canary-1"), (INITIAL_TOKEN, "canary-2"), ("A", "1")];
    for passed in [&[][..], &["A"], &[TOKEN, INITIAL_TOKEN, "A"]] {
        let seen = grandchild(&environment, passed);
        let mut expected: Vec<(&[u8], &[u8])> =
            vec![(b"HERMES_HOME", b"/probe-home"), (b"OMNIGENT", b"1"), (b"PATH", b"/bin")];
        if passed.contains(&"A") {
            expected.insert(0, (b"A", b"1"));
        }
        assert_eq!(variables(&seen), expected, "passing {passed:?}");
    }
}

#[cfg(unix)]
#[test]
fn snap_05_bytes_that_are_not_unicode_reach_a_real_child_unchanged() {
    use crate::support::raw;

    let (value, odd) = (raw(b"caf\xe9\x01\xff\n"), raw(b"LC_\xff\xfe"));
    let mut world = World::with_environment([("LANG".into(), value.clone()), (odd, value.clone())])
        .foreign([(raw(b"K\xff"), raw(b"\x80canary")), ("EMPTY".into(), raw(b""))]);
    world.home = raw(b"/home/\xe9").into();
    let spec = ChildSpec::new().pass([raw(b"K\xff"), "EMPTY".into()]).set("SET", raw(b"\xc3"));
    let seen = listed(probe().arg("list").with_child_env(&world.build(&spec).unwrap()));
    assert_eq!(
        variables(&seen),
        [
            (&b"EMPTY"[..], &b""[..]),
            (b"HERMES_HOME", b"/home/\xe9"),
            (b"K\xff", b"\x80canary"),
            (b"LANG", b"caf\xe9\x01\xff\n"),
            (b"LC_\xff\xfe", b"caf\xe9\x01\xff\n"),
            (b"SET", b"\xc3"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn snap_21_a_real_child_runs_where_its_pwd_says() {
    let world = World::with_environment([("PWD", "canary-parent")]);
    let child = world.build(&ChildSpec::new().working_directory("/")).unwrap();
    let seen = listed(probe().arg("list").with_child_env(&child));
    assert_eq!((&seen[&b"PWD"[..]][..], &seen[&b"cwd"[..]][..]), (&b"/"[..], &b"/"[..]));
}

#[test]
fn run_34_a_real_runner_child_sees_its_own_identity() {
    let world = World::with_environment([(RUNNER_ID, "runner_own"), (TOKEN, "canary-own")]);
    let spec = ChildSpec::new().for_runner_child(&ChildId("runner_child"), &ChildToken("canary-child"));
    let seen = listed(probe().arg("list").with_child_env(&world.build(&spec).unwrap()));
    assert_eq!(seen[RUNNER_ID.as_bytes()], b"runner_child");
    assert_eq!(seen[TOKEN.as_bytes()], b"canary-child");
    assert_eq!(seen[PARENT_PID.as_bytes()], std::process::id().to_string().as_bytes());
}

/// PP-04: what a runner was given does not go on to the children of that runner.
#[test]
fn run_34_a_runners_child_hands_nothing_of_it_on() {
    let world = World::with_environment([("PATH", "/bin")]);
    let spec = ChildSpec::new().for_runner_child(&ChildId("runner_child"), &ChildToken("canary-child"));
    let mut command: Command = probe();
    command
        .args(["start", "list", RUNNER_ID, PARENT_PID, TOKEN])
        .with_child_env(&world.build(&spec).unwrap());
    let seen = listed(&mut command);
    for name in [RUNNER_ID, PARENT_PID, TOKEN] {
        assert!(!seen.contains_key(name.as_bytes()), "{name}");
    }
}

/// CE-07, the limit that the crate's docs state: what a process was started with can be read by its
/// children, whatever their own environment holds.
#[cfg(target_os = "linux")]
#[test]
fn run_30_the_parents_own_block_can_still_be_read_on_linux() {
    use crate::support::{from_hex, output};

    let holds = |bytes: &[u8]| bytes.windows(8).any(|window| window == b"canary-1");
    let mut command = probe();
    command.args(["start", "environ-of-parent"]).env_clear().env("PATH", "/bin").env(TOKEN, "canary-1");
    let block = from_hex(output(&mut command).trim());
    assert!(holds(&block), "stripping keeps a secret from being handed over, and does no more");

    let seen = grandchild(&[("PATH", "/bin"), (TOKEN, "canary-1")], &[]);
    assert!(!seen.values().any(|value| holds(value)), "the child's own environment is without it");
    let mut command = probe();
    command.args(["start", "environ-of-parent"]).env_clear().env("PATH", "/bin").arg(TOKEN);
    let block = from_hex(output(&mut command).trim());
    assert!(!holds(&block), "what never was in the environment is not there");
}
