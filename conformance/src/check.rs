//! Holds an answer against a case: outcomes, canaries, and what was changed on disk.

mod disk;
mod identity;
mod leaks;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use crate::case::{Case, Expected, Outcome};
use crate::layout::Layout;
use crate::subject::Answer;
use identity::Made;
pub(crate) use leaks::shows_a_value;

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
    /// The id that was given is not the one on disk (RUN-03).
    NotWritten(PathBuf),
    /// What was made for an id is open to others (RUN-06).
    Mode {
        /// Which file or folder.
        path: PathBuf,
        /// Its mode as it should be.
        expected: u32,
        /// As it is.
        actual: u32,
    },
    /// The tree could not be laid out, so nothing was run.
    NotLaidOut(String),
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
            Self::Changed(path) => writeln!(f, "{} is not as the case leaves it", path.display()),
            Self::NotWritten(path) => writeln!(f, "{} does not hold the id that was given", path.display()),
            Self::Mode { path, expected, actual } => {
                writeln!(f, "{}: the mode is {actual:o} and should be {expected:o}", path.display())
            }
            Self::NotLaidOut(why) => writeln!(f, "the tree could not be laid out: {why}"),
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
    let made = Made::numbered(&mut actual, case, layout);
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
    differences.extend(written_values(answer));
    differences.extend(disk::changes(case, layout, &answer.outcomes, &made));
    differences.extend(made.differences(case, layout));
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

/// No canary stands in anything the subject wrote, except as an expected value (CONF-05). Codes and labels
/// are checked here, values by their expectations.
fn written_values(answer: &Answer) -> Vec<Difference> {
    let mut places = Vec::new();
    // What shows in one line shows in all of them, so most logs are looked through once.
    if leaks::shows_a_value(&answer.log.join("\n")) {
        let lines = answer.log.iter().enumerate().filter(|(_, line)| leaks::shows_a_value(line));
        places.extend(lines.map(|(number, _)| format!("line {} of its log", number + 1)));
        if places.is_empty() {
            places.push("several lines of its log".to_owned());
        }
    }
    for (label, outcome) in &answer.outcomes {
        let code = match outcome {
            Outcome::Refused(code) | Outcome::Error(code) => code,
            Outcome::Value(_) | Outcome::Absent => "",
        };
        if leaks::shows_a_value(code) || leaks::shows_a_value(label) {
            places.push("a code or label".to_owned());
        }
    }
    places.into_iter().map(|place| Difference::Leak { place }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conf_05_a_canary_in_a_log_line_is_a_leak_and_is_not_repeated() {
        let answer = Answer { log: vec!["key is canary-1".to_owned()], ..Answer::default() };
        let found = written_values(&answer);
        assert_eq!(found.len(), 1, "a value in a log line is a leak");
        assert!(!found[0].to_string().contains("canary-"), "the report does not spread it");
    }

    #[test]
    fn conf_04_any_of_accepts_each_of_its_outcomes_and_no_other() {
        let expected = Expected::AnyOf(vec![Expected::Absent, Expected::Refused("unscoped".to_owned())]);
        assert!(expected.accepts(&Outcome::Absent));
        assert!(expected.accepts(&Outcome::Refused("unscoped".to_owned())));
        assert!(!expected.accepts(&Outcome::Error("unscoped".to_owned())));
    }

    #[test]
    fn conf_05_a_list_of_bytes_over_several_lines_is_a_leak() {
        let lines = format!("{:#?}", b"canary-1").lines().map(str::to_owned).collect();
        let answer = Answer { log: lines, ..Answer::default() };
        assert_eq!(written_values(&answer).len(), 1, "no line of it alone is one");
    }
}
