//! `cargo xtask audit`: what a host would do on a real home, and why, without a single value.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use watertight::env_snapshot::{MapEnv, ProcessEnv};
use watertight::vocabulary::EnvSource;
use watertight::{Host, Report};

/// Options of `cargo xtask audit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The home to look at, as a launch home; without it, what `HERMES_HOME` or the user's home says.
    path: Option<PathBuf>,
    /// For machines.
    #[arg(long)]
    json: bool,
    /// Fail on warnings, errors, refusals, and tenants that cannot be counted.
    #[arg(long)]
    strict: bool,
}

/// The home cannot be told.
const UNUSABLE: u8 = 2;

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let builder = Host::builder().env(without_cargo(&ProcessEnv::new()));
    let built = match &arguments.path {
        Some(path) => match std::path::absolute(path) {
            Ok(path) => builder.launch_home(path).build(),
            Err(error) => return fail(&format!("{}: {error}", path.display())),
        },
        None => builder.build(),
    };
    let report = match built {
        Ok(host) => host.report(),
        Err(error) => return fail(&format!("{error} [{}]", error.code())),
    };
    match print(&report, arguments.json) {
        Ok(()) if arguments.strict && report.is_objectionable() => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

/// The environment of the shell that called cargo: what cargo adds for the programs it runs would be shown
/// as the launch profile's secrets.
fn without_cargo(env: &dyn EnvSource) -> MapEnv {
    let is_cargos = |name: &str| {
        let exact = [
            "CARGO",
            "CARGO_MANIFEST_DIR",
            "CARGO_MANIFEST_PATH",
            "RUSTUP_TOOLCHAIN_SOURCE",
            "RUST_RECURSION_COUNT",
        ];
        exact.contains(&name) || name.starts_with("CARGO_PKG_")
    };
    let kept = env.vars_os().into_iter().filter(|(name, _)| !name.to_str().is_some_and(is_cargos));
    let kept: MapEnv = kept.collect();
    match env.current_dir() {
        Ok(directory) => kept.in_directory(directory),
        Err(_) => kept,
    }
}

fn print(report: &Report, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer_pretty(&mut out, report)?;
        writeln!(out)?;
    } else {
        write!(out, "{report}")?;
    }
    out.flush()
}

fn fail(why: &str) -> ExitCode {
    // Whoever closed the other end needs no message.
    let _ = writeln!(io::stderr(), "audit: {why}");
    ExitCode::from(UNUSABLE)
}
