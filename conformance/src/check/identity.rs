//! The ids that a subject makes: which of its answers are new ones, and whether they are on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Difference;
use crate::case::{Case, Level, Outcome};
use crate::layout::{Entry, Layout, ROOT};

/// What is made for an id, below the user's home (RUN-03, RUN-05, RUN-35).
const FOLDERS: [&str; 2] = [".omnigent", ".omnigent/runners"];
const FILE: &str = ".omnigent/runners/runner_id";
const BESIDE: [&str; 2] = [".omnigent/runners/runner_id.machine", ".omnigent/runners/runner_id.lock"];

/// The random ids among a subject's answers.
#[derive(Debug)]
pub(super) struct Made {
    /// The one that was given last.
    last: Option<String>,
    /// Where the id of this world's user lies, under the root.
    home: Option<PathBuf>,
}

impl Made {
    /// Puts `runner_#1` in place of the first random id, `runner_#2` in place of the next one, in the order
    /// of the labels. An id that the case itself knows is none that was made.
    pub(super) fn numbered(actual: &mut BTreeMap<String, Outcome>, case: &Case, layout: &Layout) -> Self {
        let words = serde_json::to_string(&(&case.given, &case.script, &case.expect)).unwrap_or_default();
        let is_new = |id: &str| is_random_id(id) && !words.contains(id) && !layout.held(id.as_bytes());
        let mut numbers = Numbers { is_new: &is_new, seen: Vec::new(), last: None };
        for label in case.labels() {
            if let Some(Outcome::Value(value)) = actual.get_mut(label) {
                numbers.put_into(value);
            }
        }
        Self { last: numbers.last, home: user_home(case) }
    }

    /// Whether what stands at a path is what making an id makes.
    pub(super) fn excuses(&self, path: &Path) -> bool {
        let Some(below) = self.below_home(path) else { return false };
        FOLDERS.iter().chain(&BESIDE).any(|made| below == Path::new(made)) || below == Path::new(FILE)
    }

    fn below_home<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        self.last.as_ref()?;
        path.strip_prefix(self.home.as_ref()?).ok()
    }

    /// Whether the last id stands in its file, and for a hardened case who may read and write it (RUN-03,
    /// RUN-06).
    pub(super) fn differences(&self, case: &Case, layout: &Layout) -> Vec<Difference> {
        let (Some(last), Some(home)) = (&self.last, &self.home) else { return Vec::new() };
        let file = home.join(FILE);
        let mut differences = Vec::new();
        match layout.entry(&file) {
            // Readers trim (RUN-02), so a line end is no other id.
            Entry::File(contents) if contents.trim_ascii() == last.as_bytes() => {}
            _ => differences.push(Difference::NotWritten(file.clone())),
        }
        if case.level == Level::Hardened {
            let new = FOLDERS.iter().map(|folder| home.join(folder)).filter(|folder| !layout.had(folder));
            for (path, expected) in new.map(|folder| (folder, 0o700)).chain([(file, 0o600)]) {
                if let Some(actual) = layout.mode(&path).filter(|actual| *actual != expected) {
                    differences.push(Difference::Mode { path, expected, actual });
                }
            }
        }
        differences
    }
}

/// The user's home under the root, where the environment says one there.
fn user_home(case: &Case) -> Option<PathBuf> {
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let below = case.given.env.get(variable)?.strip_prefix(ROOT)?;
    Some(PathBuf::from(below.trim_start_matches('/')))
}

struct Numbers<'a> {
    is_new: &'a dyn Fn(&str) -> bool,
    seen: Vec<String>,
    last: Option<String>,
}

impl Numbers<'_> {
    fn put_into(&mut self, value: &mut Value) {
        match value {
            Value::String(text) if (self.is_new)(text) => {
                let number = self.seen.iter().position(|id| id == text).unwrap_or_else(|| {
                    self.seen.push(text.clone());
                    self.seen.len() - 1
                });
                self.last = Some(std::mem::replace(text, format!("runner_#{}", number + 1)));
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.put_into(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.put_into(value)),
            _ => {}
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conf_04_only_a_whole_version_4_id_is_taken_for_a_random_one() {
        assert!(is_random_id("runner_0123456789ab4def8123456789abcdef"));
        assert!(!is_random_id("runner_0123456789ab3def8123456789abcdef"), "another version");
        assert!(!is_random_id("runner_0123456789AB4DEF8123456789ABCDEF"), "upper case");
    }
}
