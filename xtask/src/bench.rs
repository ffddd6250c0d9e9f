//! `cargo xtask bench`: runs every benchmark and ends with one table of ratios to baselines of the same run.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Fewer samples: a figure in seconds instead of minutes, and rougher.
    #[arg(long)]
    quick: bool,
    /// Only the crate of this package.
    #[arg(long, value_name = "PACKAGE")]
    package: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let root = crate::workspace_root();
    let figures = crate::target_folder(&root).join("criterion");
    // Figures of an earlier run are not figures of this one.
    let _ = fs::remove_dir_all(&figures);
    let mut command = Command::new("cargo");
    command.current_dir(&root).arg("bench").env("CRITERION_HOME", &figures);
    match &arguments.package {
        Some(package) => command.args(["--package", package, "--benches"]),
        None => command.args(["--workspace", "--benches"]),
    };
    command.args(["--", "--noplot"]);
    if arguments.quick {
        command.arg("--quick");
    }
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return fail(&format!("cargo bench: {status}")),
        Err(error) => return fail(&format!("cargo bench: {error}")),
    }
    let rows = match rows(&figures) {
        Ok(rows) if !rows.is_empty() => rows,
        Ok(_) => return fail("the benchmarks left no figures"),
        Err(error) => return fail(&format!("{}: {error}", figures.display())),
    };
    match print(&rows) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// One benchmark group: the median nanoseconds of each function in it.
type Row = (String, BTreeMap<String, f64>);

fn rows(figures: &Path) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for group in folders(figures)? {
        let mut functions = BTreeMap::new();
        for function in folders(&group)? {
            // A function with a parameter lies one folder deeper.
            for place in std::iter::once(function.clone()).chain(folders(&function)?) {
                if let Some(nanoseconds) = median(&place.join("new").join("estimates.json")) {
                    let name = place.strip_prefix(&group).unwrap_or(&place);
                    functions.insert(name.display().to_string(), nanoseconds);
                }
            }
        }
        if !functions.is_empty() {
            let name = group.file_name().unwrap_or_default().to_string_lossy().into_owned();
            rows.push((name, functions));
        }
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(rows)
}

fn folders(parent: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(parent)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn median(estimates: &Path) -> Option<f64> {
    let text = fs::read_to_string(estimates).ok()?;
    serde_json::from_str::<Value>(&text).ok()?.get("median")?.get("point_estimate")?.as_f64()
}

/// Each function of a group as a multiple of the group's baselines.
fn print(rows: &[Row]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "\n| group | function | median | ratio |\n| --- | --- | --- | --- |")?;
    for (group, functions) in rows {
        let (baselines, measured): (Vec<_>, Vec<_>) =
            functions.iter().partition(|(name, _)| name.starts_with("baseline"));
        for (name, nanoseconds) in &baselines {
            writeln!(out, "| {group} | {name} | {} | |", time(**nanoseconds))?;
        }
        for (name, nanoseconds) in &measured {
            let ratios: Vec<String> = baselines
                .iter()
                .map(|(baseline, of)| format!("{:.2} x {baseline}", *nanoseconds / **of))
                .collect();
            writeln!(out, "| {group} | {name} | {} | {} |", time(**nanoseconds), ratios.join(", "))?;
        }
    }
    out.flush()
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.1} ns"),
        n if n < 1e6 => format!("{:.1} µs", n / 1e3),
        n => format!("{:.1} ms", n / 1e6),
    }
}

fn fail(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "bench: {why}");
    ExitCode::FAILURE
}
