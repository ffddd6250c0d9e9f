//! Started by the tests with a chosen environment: says in hex what it sees, or starts a child of its own.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use watertight_env_snapshot::{
    ChildEnv, ChildParts, ChildSpec, CommandExt, ControlPlane, EnvSnapshot, ProcessEnv, TOTAL_LIMIT,
};
use watertight_vocabulary::{EnvSource, Name, Platform, Secret};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["list"] => list(),
        ["look-up", name] => look_up(OsStr::new(name)),
        ["start", mode, passed @ ..] => start(mode, passed),
        ["environ-of-parent"] => environ_of_parent(),
        _ => Err("unknown mode".into()),
    }
}

/// Every variable as `NAME VALUE`, then the current directory, through [`ProcessEnv`].
fn list() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for (name, value) in ProcessEnv::new().vars_os() {
        writeln!(out, "{} {}", hex(&name), hex(&value))?;
    }
    writeln!(out, "cwd {}", hex(ProcessEnv::new().current_dir()?.as_os_str()))?;
    Ok(())
}

/// The value of one variable: live, from a snapshot, and what its text form says.
fn look_up(name: &OsStr) -> Result<(), Box<dyn Error>> {
    let live = ProcessEnv::new();
    let snapshot = EnvSnapshot::of(&live, Platform::current().case_rule());
    let shown = |value: Option<OsString>| value.map_or_else(|| "-".to_owned(), |value| hex(&value));
    let text = match snapshot.get_text(name) {
        Ok(Some(text)) => format!("text {}", hex(OsStr::new(text))),
        Ok(None) => "absent".to_owned(),
        Err(error) => format!("{}: {error}", error.code()),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{}\n{}\n{text}", shown(live.var_os(name)), shown(snapshot.var_os(name)))?;
    Ok(())
}

/// Starts itself in another mode with a child environment built from its own, and proves that its own is
/// as it was.
fn start(mode: &str, passed: &[&str]) -> Result<(), Box<dyn Error>> {
    let live = ProcessEnv::new();
    let before = live.vars_os();
    let child = ChildEnv::build(
        &ChildSpec::new().pass(passed.iter().copied()),
        ChildParts {
            platform: Platform::current(),
            base: &live,
            control_plane: &ControlPlane::new(),
            allowed: Ok(()),
            answer: &mut |name| Ok(live.var_os(name).map(|value| Secret::from_os(&Name::new(name), value))),
            scope_names: Vec::new(),
            terminal: &mut || Ok(Vec::new()),
            home_variable: OsStr::new("HERMES_HOME"),
            home: Path::new("/probe-home"),
            profile_name_variables: &[],
            own_runner_id: None,
            total_limit: TOTAL_LIMIT,
        },
    )?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(mode).with_child_env(&child);
    child.audit(&mut command)?;
    let status = command.status()?;
    if before != live.vars_os() {
        return Err("this process's own environment changed".into());
    }
    if status.success() { Ok(()) } else { Err("the child failed".into()) }
}

/// What Linux tells anybody of the same user about the process that started this one.
#[cfg(target_os = "linux")]
fn environ_of_parent() -> Result<(), Box<dyn Error>> {
    let block = std::fs::read(format!("/proc/{}/environ", std::os::unix::process::parent_id()))?;
    let block: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(&block);
    writeln!(io::stdout().lock(), "{}", hex(block))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn environ_of_parent() -> Result<(), Box<dyn Error>> {
    Err("only Linux has /proc".into())
}

fn hex(text: &OsStr) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('?');
    text.as_encoded_bytes().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
