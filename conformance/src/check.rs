//! Holds an answer against a case: outcomes, canaries, and what was changed on disk.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::case::{Case, Expected, Outcome, Step};
use crate::layout::Layout;
use crate::subject::Answer;

/// The word that marks a value of a fixture (CONF-05).
const CANARY: &str = "canary-";

/// One way in which an answer is not what the case says.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// A step came to something else.
    Outcome {
        /// Its label.
        label: String,
        /// What the case says.
        expected: Expected,
        /// What it came to; nothing if it was not reached.
        actual: Option<Outcome>,
    },
    /// An outcome of no label of the case: a step that should have left none failed.
    Unexpected {
        /// Its label.
        label: String,
        /// What it came to.
        actual: Outcome,
    },
    /// A value was written where none belongs.
    Leak {
        /// Where. The line itself is not repeated.
        place: String,
    },
    /// Something on disk is not as it was, and the script did not say so (FILE-03, PROF-29).
    Changed(PathBuf),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome { label, expected, actual } => {
                writeln!(f, "{label}:")?;
                let actual = match actual {
                    Some(actual) => shown(actual),
                    None => "not reached".to_owned(),
                };
                let expected = shown(expected);
                for change in similar::TextDiff::from_lines(&expected, &actual).iter_all_changes() {
                    let line = change.value().trim_end_matches('\n');
                    let sign = match change.tag() {
                        similar::ChangeTag::Delete => "expected",
                        similar::ChangeTag::Insert => "actual  ",
                        similar::ChangeTag::Equal => "        ",
                    };
                    writeln!(f, "    {sign} {line}")?;
                }
                Ok(())
            }
            Self::Unexpected { label, actual } => {
                writeln!(f, "{label}: left an outcome that no label stands for")?;
                writeln!(f, "    actual   {}", shown(actual))
            }
            Self::Leak { place } => writeln!(f, "a value was written to {place}"),
            Self::Changed(path) => writeln!(f, "{} was changed on disk", path.display()),
        }
    }
}

/// One line for a small outcome, one line for each part of a big one.
fn shown(outcome: &impl serde::Serialize) -> String {
    let line = serde_json::to_string(outcome).unwrap_or_default();
    if line.len() > 100 { serde_json::to_string_pretty(outcome).unwrap_or(line) } else { line }
}

/// Every difference between a case and an answer.
pub fn differences(case: &Case, layout: &Layout, answer: &Answer) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut actual = masked(answer, layout);
    number_random_ids(&mut actual, case);
    for label in case.labels() {
        let Some(expected) = case.expect.get(label) else { continue };
        let outcome = actual.remove(label);
        if !outcome.as_ref().is_some_and(|outcome| expected.accepts(outcome)) {
            let (label, expected) = (label.to_owned(), expected.clone());
            differences.push(Difference::Outcome { label, expected, actual: outcome });
        }
    }
    let unexpected = actual.into_iter().map(|(label, actual)| Difference::Unexpected { label, actual });
    differences.extend(unexpected);
    differences.extend(leaks(answer));
    differences.extend(changes(case, layout));
    differences
}

fn masked(answer: &Answer, layout: &Layout) -> BTreeMap<String, Outcome> {
    let mask = |outcome: &Outcome| match outcome {
        Outcome::Value(value) => {
            let mut value = value.clone();
            mask_value(&mut value, layout);
            Outcome::Value(value)
        }
        other => other.clone(),
    };
    answer.outcomes.iter().map(|(label, outcome)| (label.clone(), mask(outcome))).collect()
}

fn mask_value(value: &mut Value, layout: &Layout) {
    match value {
        Value::String(text) => *text = layout.masked(text),
        Value::Array(values) => values.iter_mut().for_each(|value| mask_value(value, layout)),
        Value::Object(fields) => fields.values_mut().for_each(|value| mask_value(value, layout)),
        _ => {}
    }
}

/// A random id is `runner_#1`, the next one `runner_#2`, in the order of the labels.
fn number_random_ids(actual: &mut BTreeMap<String, Outcome>, case: &Case) {
    let known = serde_json::to_string(&case.expect).unwrap_or_default();
    let mut seen: Vec<String> = Vec::new();
    for label in case.labels() {
        if let Some(Outcome::Value(value)) = actual.get_mut(label) {
            number_in(value, &known, &mut seen);
        }
    }
}

fn number_in(value: &mut Value, known: &str, seen: &mut Vec<String>) {
    match value {
        Value::String(text) if is_random_id(text) && !known.contains(text.as_str()) => {
            let number = seen.iter().position(|id| id == text).unwrap_or_else(|| {
                seen.push(text.clone());
                seen.len() - 1
            });
            *text = format!("runner_#{}", number + 1);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| number_in(value, known, seen)),
        Value::Object(fields) => fields.values_mut().for_each(|value| number_in(value, known, seen)),
        _ => {}
    }
}

/// `runner_` and the 32 lower-case digits of a version 4 UUID (RUN-03).
fn is_random_id(text: &str) -> bool {
    let Some(digits) = text.strip_prefix("runner_") else { return false };
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_version_4 = digits.get(12..13) == Some("4");
    let is_variant_1 = matches!(digits.get(16..17), Some("8" | "9" | "a" | "b"));
    digits.len() == 32 && digits.bytes().all(is_digit) && is_version_4 && is_variant_1
}

/// No canary stands in anything the subject wrote, except as an expected value (CONF-05). Codes and labels
/// are checked here, values by their expectations.
fn leaks(answer: &Answer) -> Vec<Difference> {
    let mut places = Vec::new();
    let lines = answer.log.iter().enumerate().filter(|(_, line)| line.contains(CANARY));
    places.extend(lines.map(|(number, _)| format!("line {} of its log", number + 1)));
    for (label, outcome) in &answer.outcomes {
        let code = match outcome {
            Outcome::Refused(code) | Outcome::Error(code) => code,
            Outcome::Value(_) | Outcome::Absent => "",
        };
        if code.contains(CANARY) || label.contains(CANARY) {
            places.push("a code or label".to_owned());
        }
    }
    places.into_iter().map(|place| Difference::Leak { place }).collect()
}

fn changes(case: &Case, layout: &Layout) -> Vec<Difference> {
    let written = Written::by(case);
    let mut differences = Vec::new();
    for path in layout.changes() {
        if written.by_script(&path) {
            continue;
        }
        if layout.contents(&path).windows(CANARY.len()).any(|window| window == CANARY.as_bytes()) {
            differences.push(Difference::Leak { place: path.display().to_string() });
        }
        if !written.by_runner_identity(&path) {
            differences.push(Difference::Changed(path));
        }
    }
    differences
}

/// What a script says it changes.
struct Written<'a> {
    paths: Vec<&'a Path>,
    makes_identity: bool,
}

impl<'a> Written<'a> {
    fn by(case: &'a Case) -> Self {
        let mut paths = Vec::new();
        let mut makes_identity = false;
        for step in case.steps() {
            match step {
                Step::WriteFile { path, .. } | Step::Remove { path } | Step::Link { path, .. } => {
                    paths.push(Path::new(path));
                }
                Step::Rename { from, to } => paths.extend([Path::new(from), Path::new(to)]),
                Step::RunnerId { .. } | Step::RegenerateRunnerId { .. } => makes_identity = true,
                _ => {}
            }
        }
        Self { paths, makes_identity }
    }

    fn by_script(&self, path: &Path) -> bool {
        self.paths.iter().any(|written| path.starts_with(written) || written.starts_with(path))
    }

    fn by_runner_identity(&self, path: &Path) -> bool {
        self.makes_identity && path.components().any(|part| part.as_os_str() == ".omnigent")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conf_05_a_canary_in_a_log_line_is_a_leak_and_is_not_repeated() {
        let answer = Answer { log: vec!["key is canary-1".to_owned()], ..Answer::default() };
        let found = leaks(&answer);
        assert_eq!(found.len(), 1, "a value in a log line is a leak");
        assert!(!found[0].to_string().contains(CANARY), "the report does not spread it");
    }

    #[test]
    fn conf_04_any_of_accepts_each_of_its_outcomes_and_no_other() {
        let expected = Expected::AnyOf(vec![Expected::Absent, Expected::Refused("unscoped".to_owned())]);
        assert!(expected.accepts(&Outcome::Absent));
        assert!(expected.accepts(&Outcome::Refused("unscoped".to_owned())));
        assert!(!expected.accepts(&Outcome::Error("unscoped".to_owned())));
    }

    #[test]
    fn conf_04_only_a_whole_version_4_id_is_taken_for_a_random_one() {
        assert!(is_random_id("runner_0123456789ab4def8123456789abcdef"));
        assert!(!is_random_id("runner_0123456789ab3def8123456789abcdef"), "another version");
        assert!(!is_random_id("runner_0123456789AB4DEF8123456789ABCDEF"), "upper case");
    }
}
