//! Watertight's project tasks: everything beyond what cargo does by itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod audit;
mod bench;
mod ci;
mod conformance;

/// Watertight's project tasks.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Shows what a host would do on a real home, and why, without a single value.
    Audit(audit::Arguments),
    /// Runs every benchmark and prints the ratios to their baselines.
    Bench(bench::Arguments),
    /// Runs everything that must hold before a change lands.
    Ci(ci::Arguments),
    /// Runs the conformance cases: against our crates in process, or against a program of yours.
    Conformance(conformance::Arguments),
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Audit(arguments) => audit::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Ci(arguments) => ci::run(&arguments),
        Task::Conformance(arguments) => conformance::run(&arguments),
    }
}

/// The workspace that this task was built from.
fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Where cargo builds: the folder that holds the profile folder of this very program.
fn target_folder(root: &Path) -> PathBuf {
    let program = std::env::current_exe().ok();
    let built = program.as_deref().and_then(Path::parent).and_then(Path::parent);
    built.map_or_else(|| root.join("target"), Path::to_owned)
}
