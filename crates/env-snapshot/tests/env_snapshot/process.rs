//! [`ProcessEnv`] in a process of its own, with a chosen environment.

use std::ffi::OsStr;

use watertight_env_snapshot::ProcessEnv;
use watertight_vocabulary::EnvSource;

use crate::support::{listed, output, probe};

#[test]
fn snap_06_the_process_environment_is_read_as_it_is() {
    let seen = listed(probe().arg("list").env_clear().env("A", "1").env("EMPTY", "").current_dir("/"));
    let variables: Vec<_> = seen.iter().map(|(name, value)| (name.as_slice(), value.as_slice())).collect();
    #[cfg(unix)]
    assert_eq!(variables, [(&b"A"[..], &b"1"[..]), (b"EMPTY", b""), (b"cwd", b"/")]);
    assert!(variables.contains(&(b"A", b"1")) && variables.contains(&(b"EMPTY", b"")));
}

#[cfg(unix)]
#[test]
fn snap_05_bytes_that_are_not_unicode_come_in_unchanged_and_nothing_panics() {
    use crate::support::raw;

    let mut command = probe();
    command.env_clear().env("GOOD", "ok").env("JUNK", raw(b"canary-\xe9")).env(raw(b"K\xff"), "x");
    let seen = listed(command.arg("list"));
    assert_eq!(seen[&b"JUNK"[..]], b"canary-\xe9");
    assert_eq!(seen[&b"K\xff"[..]], b"x");
    assert_eq!(seen[&b"GOOD"[..]], b"ok");
}

#[cfg(unix)]
#[test]
fn snap_05_the_error_for_text_names_the_variable_and_no_value() {
    use crate::support::raw;

    let mut command = probe();
    command.args(["look-up", "JUNK"]).env_clear().env("JUNK", raw(b"canary-\xe9"));
    let said = output(&mut command);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], lines[1], "live and frozen agree");
    assert_eq!(lines[2], "not-unicode: JUNK is not valid Unicode (8 bytes); read its bytes instead");
}

/// The C library would find `A=B` in `A`'s entry.
#[test]
fn snap_05_a_name_that_reaches_into_a_value_finds_nothing() {
    for name in ["A=B", "A=", ""] {
        let said = output(probe().args(["look-up", name]).env_clear().env("A", "B=canary"));
        assert_eq!(said, "-\n-\nabsent\n", "{name:?}");
    }
    assert_eq!(ProcessEnv::new().var_os(OsStr::new("NUL\0inside")), None, "and none panics");
}

/// The probe compares its environment before and after capturing, building and spawning.
#[test]
fn snap_06_nothing_here_writes_the_process_environment() {
    let mut command = probe();
    output(command.args(["start", "list", "A"]).env_clear().env("A", "1").env("PATH", "/bin"));
}
