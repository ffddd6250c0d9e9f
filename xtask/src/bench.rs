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
        Some(package) => command.args(["--package", package, "--bench", "*"]),
        None => command.args(["--workspace", "--bench", "*"]),
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

/// What a row must cost: at most so many times its baseline, and what it aims at.
struct Target {
    what: &'static str,
    group: &'static str,
    ours: &'static str,
    baseline: &'static str,
    must: f64,
    aim: f64,
}

const fn target(
    what: &'static str,
    [group, ours, baseline]: [&'static str; 3],
    [must, aim]: [f64; 2],
) -> Target {
    Target { what, group, ours, baseline, must, aim }
}

/// The rows with a target. Everything else that is measured is printed below them.
const TARGETS: [Target; 21] = [
    target(
        "ambient read, scoped, hit, to `std::env::var`",
        ["ambient-secret-hit", "ours", "baseline"],
        [0.4, 0.15],
    ),
    target(
        "the same, to a thread-local map",
        ["ambient-secret-hit", "ours", "baseline-thread-local-map"],
        [1.2, 0.6],
    ),
    target(
        "two threads, each its own scope, to arithmetic",
        ["ambient-secret-two-threads", "ours", "baseline"],
        [1.11, 1.0],
    ),
    target(
        "two threads, one value lent, to arithmetic",
        ["ambient-secret-two-threads", "ours-lent-from-one-scope", "baseline"],
        [1.11, 1.0],
    ),
    target("enter and leave, `run`", ["enter-and-leave", "ours", "baseline"], [4.0, 2.0]),
    target("enter and leave, one poll", ["enter-and-leave-poll", "ours", "baseline"], [4.0, 2.0]),
    target("a miss in a bound scope", ["ambient-secret-miss", "ours", "baseline"], [0.5, 0.25]),
    target("a refused read, to an owned hit", ["ambient-secret-refused", "ours", "baseline"], [3.0, 1.5]),
    target("read a 30-line `.env`, cold", ["read-dotenv-cold", "ours", "baseline"], [2.0, 1.4]),
    target("parse a `.env`, 30 lines, to dotenvy", ["parse-dotenv", "ours", "baseline"], [0.33, 0.15]),
    target("parse a `.env`, 1 MiB, to dotenvy", ["parse-dotenv-1-mib", "ours", "baseline"], [0.33, 0.15]),
    target(
        "parse a `.env`, 1 MiB in one line, to dotenvy",
        ["parse-dotenv-1-mib-in-one-line", "ours", "baseline"],
        [0.33, 0.15],
    ),
    target("build both scopes, files unchanged", ["build-both-scopes", "ours", "baseline"], [2.0, 1.3]),
    target("list 10,000 with identity", ["list-10000-with-identity", "ours", "baseline"], [1.3, 1.05]),
    target("list 10,000 without identity", ["list-10000-without-identity", "ours", "baseline"], [1.2, 1.0]),
    target("tenants of 10,000, to the listing", ["tenants-10000", "ours", "baseline"], [2.5, 1.5]),
    target("bytes of a scope, to names and values", ["scope-memory", "ours", "baseline"], [3.0, 1.8]),
    target("cost per profile, 1,000 to 100", ["cost-per-profile", "ours-1000", "baseline-100"], [1.3, 1.0]),
    target("cost per profile, 10,000 to 100", ["cost-per-profile", "ours-10000", "baseline-100"], [1.3, 1.0]),
    target(
        "cost per profile, 100,000 to 100",
        ["cost-per-profile", "ours-100000", "baseline-100"],
        [1.3, 1.0],
    ),
    target("`load_or_create`, existing id", ["load-or-create-existing", "ours", "baseline"], [1.5, 1.2]),
];

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

fn print(rows: &[Row]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "\n| row with a target | measured | must be | aim | |\n| --- | --- | --- | --- | --- |")?;
    for target in &TARGETS {
        let measured = rows
            .iter()
            .find(|(group, _)| group == target.group)
            .and_then(|(_, functions)| Some(functions.get(target.ours)? / functions.get(target.baseline)?));
        let (shown, verdict) = match measured {
            None => ("not run".to_owned(), ""),
            Some(ratio) if ratio > target.must => (format!("{ratio:.2} x"), "over"),
            Some(ratio) if ratio > target.aim => (format!("{ratio:.2} x"), "met"),
            Some(ratio) => (format!("{ratio:.2} x"), "aim reached"),
        };
        writeln!(out, "| {} | {shown} | {} x | {} x | {verdict} |", target.what, target.must, target.aim)?;
    }
    print_all(&mut out, rows)?;
    out.flush()
}

/// Each function of a group as a multiple of the group's baselines.
fn print_all(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
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
    Ok(())
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
