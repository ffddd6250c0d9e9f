//! `cargo xtask ci`: the gate, step by step, in the order in which a mistake is cheapest to learn of.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Options of `cargo xtask ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Run only the steps whose name contains this.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// A step's outcome: done, or left out with the reason.
type Outcome = Result<Option<String>, String>;

/// A step's name and what it does.
type Step = (&'static str, fn(&Path) -> Outcome);

/// Targets that hold the platform rules' `cfg` lines; checked where they are installed.
const OTHER_TARGETS: [&str; 3] = ["x86_64-pc-windows-gnu", "x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// What tests may write their list of referenced snapshots to, below the target folder.
const SNAPSHOT_REFERENCES: &str = "snapshot-references.txt";

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let steps: [Step; 14] = [
        ("format", |root| cargo(root, &["fmt", "--all", "--check"])),
        ("clippy", |root| {
            cargo(root, &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])
        }),
        ("docs", docs),
        ("tests", tests),
        ("snapshots", snapshots),
        ("context without Tokio", |root| cargo(root, &["test", "-p", "watertight-context"])),
        ("each crate alone", each_crate_alone),
        ("conformance", |root| cargo(root, &["xtask", "conformance"])),
        ("conformance over the protocol", conformance_over_the_protocol),
        ("conformance of the peers", conformance_of_the_peers),
        ("benchmarks run", |root| cargo(root, &["test", "--workspace", "--benches", "--quiet"])),
        ("packages", |root| {
            cargo(
                root,
                &[
                    "package",
                    "--workspace",
                    "--exclude",
                    "xtask",
                    "--exclude",
                    "watertight-conformance",
                    "--no-verify",
                    "--allow-dirty",
                    "--quiet",
                ],
            )
        }),
        ("other platforms", other_platforms),
        ("clean tree", clean_tree),
    ];
    let root = crate::workspace_root();
    let mut left_out = Vec::new();
    for (name, step) in steps {
        if arguments.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        say(&format!("==> {name}"));
        let start = Instant::now();
        match step(&root) {
            Ok(note) => {
                say(&format!("    {name}: done in {:.0?}", start.elapsed()));
                left_out.extend(note);
            }
            Err(why) => {
                say(&format!("ci: {name} failed: {why}"));
                return ExitCode::FAILURE;
            }
        }
    }
    for note in left_out {
        say(&format!("not run: {note}"));
    }
    say("ci: everything holds");
    ExitCode::SUCCESS
}

fn docs(root: &Path) -> Outcome {
    let mut command = Command::new("cargo");
    command.args(["doc", "--workspace", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings");
    finish(command.current_dir(root))
}

/// The README's test command. The tests also list the snapshots they refer to.
fn tests(root: &Path) -> Outcome {
    let references = references_file(root);
    let _ = std::fs::remove_file(&references);
    let mut command = Command::new("cargo");
    command
        .args(["test", "--workspace"])
        .env("INSTA_UPDATE", "no")
        .env("INSTA_SNAPSHOT_REFERENCES_FILE", &references);
    finish(command.current_dir(root))
}

/// A snapshot that no test refers to is a picture of nothing.
fn snapshots(root: &Path) -> Outcome {
    let Ok(listed) = std::fs::read_to_string(references_file(root)) else {
        return Err("no list of referenced snapshots; run the step `tests` first".to_owned());
    };
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let referenced: BTreeSet<PathBuf> = listed.lines().map(|line| canonical(&root.join(line))).collect();
    let committed = captured(root, "git", &["ls-files", "*.snap"])?;
    let orphans: Vec<&str> =
        committed.lines().filter(|snapshot| !referenced.contains(&canonical(&root.join(snapshot)))).collect();
    if orphans.is_empty() { Ok(None) } else { Err(format!("no test refers to {}", orphans.join(", "))) }
}

fn references_file(root: &Path) -> PathBuf {
    crate::target_folder(root).join(SNAPSHOT_REFERENCES)
}

/// Each library with only the features that it asks for itself.
fn each_crate_alone(root: &Path) -> Outcome {
    let folders = std::fs::read_dir(root.join("crates")).map_err(|error| error.to_string())?;
    let mut manifests: Vec<PathBuf> = folders
        .flatten()
        .map(|entry| entry.path().join("Cargo.toml"))
        .filter(|path| path.is_file())
        .collect();
    manifests.sort();
    for manifest in manifests {
        let mut command = Command::new("cargo");
        command.args(["check", "--quiet", "--all-targets", "--manifest-path"]).arg(&manifest);
        finish(command.current_dir(root))?;
    }
    Ok(None)
}

/// Our own crates behind the subject protocol must give what they give in process.
fn conformance_over_the_protocol(root: &Path) -> Outcome {
    // By its place and not as this very process: a step before this one may have built it anew.
    let built = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = built.with_file_name(format!("xtask{}", std::env::consts::EXE_SUFFIX));
    let program = program.to_str().ok_or("the path of this program is no text")?;
    let subject = shlex::try_join([program, "conformance", "serve"]).map_err(|error| error.to_string())?;
    cargo(root, &["xtask", "conformance", "--subject", &subject])
}

/// The ecosystem's readers deviate as their lists say, and no further. One that is not here is named.
fn conformance_of_the_peers(root: &Path) -> Outcome {
    let told = captured(root, "cargo", &["xtask", "conformance", "peers"])?;
    say(told.trim_end());
    Ok(told.lines().find_map(|line| line.strip_prefix("not run: ")).map(str::to_owned))
}

fn other_platforms(root: &Path) -> Outcome {
    let installed = captured(root, "rustup", &["target", "list", "--installed"]).unwrap_or_default();
    let mut missing = Vec::new();
    for target in OTHER_TARGETS {
        if installed.lines().any(|line| line.trim() == target) {
            cargo(root, &["check", "--workspace", "--exclude", "xtask", "--target", target])?;
        } else {
            missing.push(target);
        }
    }
    Ok((!missing.is_empty()).then(|| format!("other platforms: not installed: {}", missing.join(", "))))
}

/// Tests leave the work tree as it was.
fn clean_tree(root: &Path) -> Outcome {
    let changed = captured(root, "git", &["status", "--porcelain"])?;
    if changed.trim().is_empty() { Ok(None) } else { Err(format!("the tree has changed:\n{changed}")) }
}

fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    finish(Command::new("cargo").args(arguments).current_dir(root))
}

fn finish(command: &mut Command) -> Outcome {
    let status = command.stdin(Stdio::null()).status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(None) } else { Err(format!("{command:?}: {status}")) }
}

fn captured(root: &Path, program: impl AsRef<OsStr>, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    } else {
        Err(format!("{:?}: {}", arguments, output.status))
    }
}

fn say(line: &str) {
    // A gate whose reader has gone has nobody to tell.
    let _ = writeln!(io::stdout(), "{line}");
}
