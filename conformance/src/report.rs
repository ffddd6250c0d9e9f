//! Results for people and for machines: a table, JSON lines, `JUnit` (CONF-10).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;

use crate::case::AREAS;
use crate::runner::{CaseResult, Verdict};

/// How many cases ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// As the case says.
    pub passed: usize,
    /// Differing or broken.
    pub failed: usize,
    /// Not run, or known to deviate.
    pub skipped: usize,
    /// Known to deviate: these were run, and are among the skipped.
    pub known: usize,
}

impl Counts {
    /// Of these results.
    pub fn of<'a>(results: impl IntoIterator<Item = &'a CaseResult>) -> Self {
        let mut counts = Self::default();
        for result in results {
            match result.verdict {
                Verdict::Passed => counts.passed += 1,
                Verdict::Failed(_) | Verdict::Broken(_) => counts.failed += 1,
                Verdict::Skipped(_) => counts.skipped += 1,
                Verdict::Known(_) => {
                    counts.skipped += 1;
                    counts.known += 1;
                }
            }
        }
        counts
    }
}

/// The exit code that results call for: 0 as expected, 1 a case differs or none was run, 3 the subject
/// broke.
pub fn exit_code(results: &[CaseResult]) -> u8 {
    let counts = Counts::of(results);
    if results.iter().any(|result| matches!(result.verdict, Verdict::Broken(_))) {
        3
    } else {
        u8::from(counts.failed > 0 || counts.passed + counts.known == 0)
    }
}

/// The failures, the table, the reasons for skipping, and last the summary line.
pub fn for_people(results: &[CaseResult]) -> String {
    let mut text = String::new();
    for result in results {
        match &result.verdict {
            Verdict::Failed(differences) => {
                let _ = writeln!(text, "FAILED {}  ({})", result.case.id, result.case.rules.join(", "));
                let _ = writeln!(text, "  {}", result.case.about);
                for difference in differences {
                    let _ = write!(text, "  {difference}");
                }
            }
            Verdict::Broken(fault) => {
                let _ = writeln!(text, "BROKEN {}: the subject {fault}", result.case.id);
            }
            Verdict::Passed | Verdict::Known(_) | Verdict::Skipped(_) => {}
        }
    }
    table(&mut text, results);
    skipped(&mut text, results);
    if results.is_empty() {
        let _ = writeln!(text, "no case was run, which is a failure");
    }
    let Counts { passed, failed, skipped, .. } = Counts::of(results);
    let _ = writeln!(text, "conformance: {passed} passed, {failed} failed, {skipped} skipped");
    text
}

fn table(text: &mut String, results: &[CaseResult]) {
    let _ = writeln!(
        text,
        "{:<18} {:>5} {:>7} {:>7} {:>8} {:>8}",
        "area", "rules", "passed", "failed", "skipped", "(known)"
    );
    for area in AREAS {
        let in_area: Vec<_> = results.iter().filter(|result| result.case.area() == area).collect();
        if in_area.is_empty() {
            continue;
        }
        let rules: BTreeSet<_> = in_area.iter().flat_map(|result| &result.case.rules).collect();
        let Counts { passed, failed, skipped, known } = Counts::of(in_area);
        let rules = rules.len();
        let _ = writeln!(text, "{area:<18} {rules:>5} {passed:>7} {failed:>7} {skipped:>8} {known:>8}");
    }
}

fn skipped(text: &mut String, results: &[CaseResult]) {
    let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for result in results {
        let (what, reason) = match &result.verdict {
            Verdict::Skipped(reason) => ("skipped", reason),
            Verdict::Known(reason) => ("known deviation", reason),
            Verdict::Passed | Verdict::Failed(_) | Verdict::Broken(_) => continue,
        };
        reasons.entry((what, reason)).or_default().push(&result.case.id);
    }
    for ((what, reason), cases) in reasons {
        // Which cases these are stands in the report for machines.
        let shown = match cases.as_slice() {
            [case] => (*case).to_owned(),
            many => format!("{} cases", many.len()),
        };
        let _ = writeln!(text, "{what}, {reason}: {shown}");
    }
}

/// One line of the report for machines; `schemas/report.schema.json` describes it.
#[derive(Debug, Serialize)]
struct Line<'a> {
    case: &'a str,
    rules: &'a [String],
    verdict: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
}

/// Writes one JSON line for each result.
///
/// # Errors
///
/// What writing gave.
pub fn json_lines(results: &[CaseResult], mut out: impl io::Write) -> io::Result<()> {
    for result in results {
        let (verdict, reasons) = match &result.verdict {
            Verdict::Passed => ("passed", Vec::new()),
            Verdict::Failed(all) => ("failed", all.iter().map(ToString::to_string).collect()),
            Verdict::Known(reason) => ("known", vec![reason.clone()]),
            Verdict::Skipped(reason) => ("skipped", vec![reason.clone()]),
            Verdict::Broken(fault) => ("broken", vec![format!("{}: {fault}", fault.class())]),
        };
        let line = Line { case: &result.case.id, rules: &result.case.rules, verdict, reasons };
        serde_json::to_writer(&mut out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a `JUnit` report.
///
/// # Errors
///
/// What writing gave.
pub fn junit(
    subject: &str,
    results: &[CaseResult],
    out: impl io::Write,
) -> Result<(), quick_junit::SerializeError> {
    let mut report = Report::new(format!("conformance of {subject}"));
    for area in AREAS {
        let in_area = results.iter().filter(|result| result.case.area() == area);
        let mut suite = TestSuite::new(area);
        suite.add_test_cases(in_area.map(test_case));
        if suite.tests > 0 {
            report.add_test_suite(suite);
        }
    }
    report.serialize(out)
}

fn test_case(result: &CaseResult) -> TestCase {
    let status = match &result.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed(differences) => {
            let text: String = differences.iter().map(ToString::to_string).collect();
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message("differs").set_description(text);
            status
        }
        Verdict::Broken(fault) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type(fault.class()).set_message(fault.to_string());
            status
        }
        Verdict::Known(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("known deviation: {reason}"));
            status
        }
        Verdict::Skipped(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason.clone());
            status
        }
    };
    let mut case = TestCase::new(result.case.id.clone(), status);
    case.set_classname(result.case.area().to_owned());
    case
}
