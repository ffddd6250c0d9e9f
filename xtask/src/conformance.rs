//! `cargo xtask conformance` (CONF-10 to CONF-13).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use watertight_conformance::case::{Level, LoadError, Suite, load_suite};
use watertight_conformance::expectations::{Expectations, Misjudged};
use watertight_conformance::rules::{Coverage, Rules};
use watertight_conformance::runner::{self, CaseResult, Selection};
use watertight_conformance::subject::{Dotenvy, FLAWS, Fault, Flaw, Foreign, InProcess, Subject, serve};
use watertight_conformance::{fixtures, report, workspace};

/// What `cargo xtask conformance` is told.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    /// A folder with cases of your own; may be given several times.
    #[arg(long, value_name = "DIR")]
    fixtures: Vec<PathBuf>,
    /// Runs the cases of `--fixtures` instead of ours, not beside them.
    #[arg(long, requires = "fixtures")]
    instead: bool,
    /// Only cases whose id matches.
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// Lists the cases and runs none.
    #[arg(long)]
    list: bool,
    /// Only cases of this level or a plainer one.
    #[arg(long, value_enum)]
    level: Option<LevelName>,
    /// Writes one JSON line for each case.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Writes a `JUnit` report.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Puts this command to the test over PROTOCOL.md, split into words as a shell does it; or `dotenvy`, or
    /// `broken:FLAW`, which are built in.
    #[arg(long, value_name = "COMMAND")]
    subject: Option<String>,
    /// The known deviations of the subject.
    #[arg(long, value_name = "FILE")]
    expectations: Option<PathBuf>,
    /// How long the subject may take for one case.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// How many cases run at once; as many as there are processors where nothing is said.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Is the subject: our crates, over standard input and output.
    Serve,
    /// Shows what covers each rule, and fails on a rule that nothing covers.
    Coverage,
    /// Puts the ecosystem's readers to the test, as far as they can be had here, each with its known deviations.
    Peers,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelName {
    Core,
    Hardened,
}

/// Why a run could not even begin, or was not written down.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("the fixtures are bad:\n{}", lines(.0))]
    Fixtures(Vec<LoadError>),
    #[error(transparent)]
    File(#[from] LoadError),
    #[error("the glob is none: {0}")]
    Glob(#[from] globset::Error),
    #[error("{0:?} is no flaw; there are: {flaws}", flaws = FLAWS.map(Flaw::name).join(" "))]
    NoFlaw(String),
    #[error("writing failed: {0}")]
    Write(#[from] io::Error),
    #[error("writing the JUnit report failed: {0}")]
    Junit(#[from] quick_junit::SerializeError),
    #[error("the expectations are wrong:\n{}", lines(.0))]
    Expectations(Vec<Misjudged>),
    #[error("the subject {0}")]
    Subject(#[from] Fault),
    #[error("the command has no words: {0}")]
    Command(#[from] shlex::QuoteError),
    #[error("rules that nothing covers: {missing}; tests of no rule: {strays}")]
    Coverage { missing: String, strays: String },
}

impl Trouble {
    /// 3 where the subject broke the protocol, 2 for usage and bad fixtures.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Subject(Fault::NotStarted(_)) => 2,
            Self::Subject(_) => 3,
            _ => 2,
        }
    }
}

fn lines(all: &[impl std::fmt::Display]) -> String {
    all.iter().map(|one| format!("  {one}")).collect::<Vec<_>>().join("\n")
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let outcome = match arguments.action {
        Some(Action::Serve) => serve_here(),
        Some(Action::Coverage) => coverage(arguments),
        Some(Action::Peers) => peers(arguments),
        None => conformance(arguments),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(trouble) => {
            // Where standard error is gone nobody can be told.
            let _ = writeln!(io::stderr(), "conformance: {trouble}");
            ExitCode::from(trouble.exit_code())
        }
    }
}

fn serve_here() -> Result<u8, Trouble> {
    serve(&InProcess::new(), io::stdin().lock(), io::stdout().lock())?;
    Ok(0)
}

fn load(arguments: &Arguments) -> Result<Suite, Trouble> {
    let rules = Rules::load(&fixtures())?;
    let mut folders = if arguments.instead { Vec::new() } else { vec![fixtures()] };
    folders.extend(arguments.fixtures.iter().cloned());
    load_suite(&folders, rules).map_err(Trouble::Fixtures)
}

fn selection(arguments: &Arguments) -> Result<Selection, Trouble> {
    let selection = match &arguments.only {
        Some(glob) => Selection::all().only(glob)?,
        None => Selection::all(),
    };
    Ok(match arguments.level {
        Some(LevelName::Core) => selection.level(Level::Core),
        Some(LevelName::Hardened) => selection.level(Level::Hardened),
        None => selection,
    })
}

fn conformance(arguments: &Arguments) -> Result<u8, Trouble> {
    let suite = load(arguments)?;
    let selection = selection(arguments)?;
    let mut out = BufWriter::new(io::stdout().lock());
    if arguments.list {
        for case in suite.cases.iter().filter(|case| selection.takes(case)) {
            writeln!(out, "{}  {}", case.id, case.about.trim_end())?;
        }
        out.flush()?;
        return Ok(0);
    }
    let list = arguments.expectations.as_deref().map(Expectations::load).transpose()?;
    let subject = subject(arguments)?;
    let mut results = run_all(&suite, &*subject, &selection, arguments);
    let wrong = list.map(|list| list.apply(&suite.cases, &mut results)).unwrap_or_default();
    if let Some(path) = &arguments.report {
        let mut file = BufWriter::new(File::create(path)?);
        report::json_lines(&results, &mut file)?;
        file.flush()?;
    }
    if let Some(path) = &arguments.junit {
        report::junit(&subject.hello().name, &results, File::create(path)?)?;
    }
    out.write_all(report::for_people(&results).as_bytes())?;
    out.flush()?;
    judged(&results, wrong)?;
    if runs_all_of_ours(arguments) {
        covered(&suite)?;
    }
    Ok(report::exit_code(&results))
}

/// A list that is wrong is trouble, except where the subject broke: that is told first.
fn judged(results: &[CaseResult], wrong: Vec<Misjudged>) -> Result<(), Trouble> {
    if wrong.is_empty() || report::exit_code(results) == 3 {
        Ok(())
    } else {
        Err(Trouble::Expectations(wrong))
    }
}

/// Whether this is the plain run, which also holds the rules against what covers them (CONF-06).
fn runs_all_of_ours(arguments: &Arguments) -> bool {
    let Arguments { fixtures, only, level, subject, .. } = arguments;
    fixtures.is_empty() && only.is_none() && level.is_none() && subject.is_none()
}

/// The peers, each with its known deviations. Where a program cannot be had, that is said and is no failure.
fn peers(arguments: &Arguments) -> Result<u8, Trouble> {
    let suite = load(arguments)?;
    let adapters = workspace().join("conformance/adapters");
    let mut worst = peer(&suite, "dotenvy", &adapters.join("dotenvy.yaml"), arguments)?;
    if python_has("dotenv") {
        let program = adapters.join("python_dotenv.py").to_string_lossy().into_owned();
        let python = shlex::try_join(["python3", &program])?;
        worst = worst.max(peer(&suite, &python, &adapters.join("python_dotenv.yaml"), arguments)?);
    } else {
        writeln!(io::stdout(), "not run: python-dotenv: python3 cannot import it here")?;
    }
    Ok(worst)
}

fn peer(suite: &Suite, command: &str, list: &Path, arguments: &Arguments) -> Result<u8, Trouble> {
    let list = Expectations::load(list)?;
    let subject = named_subject(Some(command), arguments.timeout)?;
    let mut results = run_all(suite, &*subject, &Selection::all(), arguments);
    let wrong = list.apply(&suite.cases, &mut results);
    let mut out = io::stdout().lock();
    writeln!(out, "{} {}", subject.hello().name, subject.hello().version)?;
    out.write_all(report::for_people(&results).as_bytes())?;
    judged(&results, wrong)?;
    Ok(report::exit_code(&results))
}

fn python_has(module: &str) -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", &format!("import {module}")]);
    let status = python.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn subject(arguments: &Arguments) -> Result<Box<dyn Subject>, Trouble> {
    named_subject(arguments.subject.as_deref(), arguments.timeout)
}

fn named_subject(name: Option<&str>, timeout: u64) -> Result<Box<dyn Subject>, Trouble> {
    Ok(match name {
        None => Box::new(InProcess::new()),
        Some("dotenvy") => Box::new(Dotenvy::new()),
        Some(name) if name.starts_with("broken:") => {
            let flaw = FLAWS.into_iter().find(|flaw| name.strip_prefix("broken:") == Some(flaw.name()));
            Box::new(InProcess::broken(flaw.ok_or_else(|| Trouble::NoFlaw(name.to_owned()))?))
        }
        Some(command) => Box::new(Foreign::start(command, Duration::from_secs(timeout))?),
    })
}

fn run_all(
    suite: &Suite,
    subject: &dyn Subject,
    selection: &Selection,
    arguments: &Arguments,
) -> Vec<CaseResult> {
    let selected = suite.cases.iter().filter(|case| selection.takes(case)).count();
    let bar = ProgressBar::new(u64::try_from(selected).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    let threads = arguments
        .threads
        .or_else(|| std::thread::available_parallelism().ok().map(std::num::NonZero::get))
        .unwrap_or(1);
    let results = runner::run(suite, subject, selection, threads, &|result: &CaseResult| {
        bar.set_message(result.case.id.clone());
        bar.inc(1);
    });
    bar.finish_and_clear();
    results
}

fn coverage(arguments: &Arguments) -> Result<u8, Trouble> {
    let suite = load(arguments)?;
    let coverage = Coverage::of(&suite.cases, &workspace(), &suite.rules)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for rule in suite.rules.iter() {
        let cases = coverage.cases.get(&rule.id).map_or(0, Vec::len);
        let tests = coverage.tests.get(&rule.id).map_or(0, Vec::len);
        writeln!(out, "{:<8} {cases:>3} cases {tests:>3} tests  {}", rule.id, rule.title)?;
    }
    out.flush()?;
    covered(&suite)?;
    Ok(0)
}

/// Every rule has a case or a named test, and every named test a rule (CONF-06).
fn covered(suite: &Suite) -> Result<(), Trouble> {
    let coverage = Coverage::of(&suite.cases, &workspace(), &suite.rules)?;
    let missing: Vec<_> = coverage.missing(&suite.rules).iter().map(|rule| rule.id.clone()).collect();
    let strays = coverage.strays(&suite.rules);
    if missing.is_empty() && strays.is_empty() {
        return Ok(());
    }
    Err(Trouble::Coverage { missing: missing.join(" "), strays: strays.join(" ") })
}
