//! The table of rules and of codes, and what covers each rule (CONF-06).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::case::{Case, Level, LoadError};

/// One rule of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// `SEC-06`.
    pub id: String,
    /// Whether every implementation is held to it.
    pub level: Level,
    /// What it is about.
    pub title: String,
}

/// Every rule, and every code that an outcome may have.
#[derive(Debug, Clone)]
pub struct Rules {
    rules: Vec<Rule>,
    codes: BTreeMap<String, String>,
}

impl Rules {
    /// Reads `rules.yaml` and `codes.yaml` of a fixtures folder.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no such table.
    pub fn load(fixtures: &Path) -> Result<Self, LoadError> {
        Ok(Self {
            rules: crate::case::read_yaml(&fixtures.join("rules.yaml"))?,
            codes: crate::case::read_yaml(&fixtures.join("codes.yaml"))?,
        })
    }

    /// The rules, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// Whether there is such a rule.
    pub fn contains(&self, id: &str) -> bool {
        self.rules.iter().any(|rule| rule.id == id)
    }

    /// Whether an outcome may have this code (CONF-04).
    pub fn knows_code(&self, code: &str) -> bool {
        self.codes.contains_key(code)
    }
}

/// Which rule is covered by what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The cases that name a rule.
    pub cases: BTreeMap<String, Vec<String>>,
    /// The named tests, `sec_06_...`, and the files they stand in.
    pub tests: BTreeMap<String, Vec<String>>,
}

impl Coverage {
    /// What these cases and the sources of this workspace cover.
    ///
    /// # Errors
    ///
    /// A source that cannot be read.
    pub fn of(cases: &[Case], workspace: &Path, rules: &Rules) -> Result<Self, LoadError> {
        let mut coverage = Self::default();
        for case in cases {
            for rule in &case.rules {
                coverage.cases.entry(rule.clone()).or_default().push(case.id.clone());
            }
        }
        let areas: BTreeSet<String> =
            rules.iter().filter_map(|rule| Some(rule.id.split_once('-')?.0.to_lowercase())).collect();
        for path in sources(workspace) {
            let text = fs::read_to_string(&path)
                .map_err(|source| LoadError::Unreadable { path: path.clone(), source })?;
            for name in test_names(&text) {
                if let Some(rule) = rule_of(name, &areas) {
                    coverage.tests.entry(rule).or_default().push(name.to_owned());
                }
            }
        }
        Ok(coverage)
    }

    /// The rules that neither a case nor a named test covers.
    pub fn missing<'a>(&self, rules: &'a Rules) -> Vec<&'a Rule> {
        let covered = |rule: &&Rule| self.cases.contains_key(&rule.id) || self.tests.contains_key(&rule.id);
        rules.iter().filter(|rule| !covered(rule)).collect()
    }

    /// The tests that are named for no rule of the table.
    pub fn strays(&self, rules: &Rules) -> Vec<&str> {
        let strays = self.tests.iter().filter(|(rule, _)| !rules.contains(rule));
        strays.flat_map(|(_, names)| names.iter().map(String::as_str)).collect()
    }
}

/// The Rust sources in which a named test may stand.
fn sources(workspace: &Path) -> Vec<PathBuf> {
    let mut roots = vec![workspace.join("conformance"), workspace.join("xtask")];
    let crates = fs::read_dir(workspace.join("crates")).into_iter().flatten().flatten();
    roots.extend(crates.map(|entry| entry.path()));
    let folders = roots.iter().flat_map(|root| [root.join("src"), root.join("tests")]);
    let files = folders.flat_map(|folder| WalkDir::new(folder).sort_by_file_name().into_iter().flatten());
    files
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The names of functions that stand below a test attribute, or inside a macro of property tests.
fn test_names(source: &str) -> impl Iterator<Item = &str> {
    let mut is_test = false;
    source.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("#[") {
            is_test |= line.contains("test");
            return None;
        }
        let name = line.trim_start_matches("pub ").trim_start_matches("async ").strip_prefix("fn ")?;
        let named = std::mem::take(&mut is_test);
        let name = name.split(['(', '<']).next()?;
        named.then_some(name)
    })
}

/// `sec_06_an_unscoped_read` covers `SEC-06`.
fn rule_of(test: &str, areas: &BTreeSet<String>) -> Option<String> {
    let mut words = test.split('_');
    let (area, number) = (words.next()?, words.next()?);
    let is_number = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    (areas.contains(area) && is_number).then(|| format!("{}-{number}", area.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conf_06_a_named_test_is_a_function_below_a_test_attribute() {
        let source = "#[test]\nfn sec_06_refused() {}\nfn sec_07_helper() {}\n#[tokio::test]\n#[cfg(unix)]\nasync fn ctx_04_moves() {}";
        assert_eq!(test_names(source).collect::<Vec<_>>(), ["sec_06_refused", "ctx_04_moves"]);
    }

    #[test]
    fn conf_06_a_name_covers_the_rule_it_begins_with_and_no_other() {
        let areas = BTreeSet::from(["sec".to_owned()]);
        assert_eq!(rule_of("sec_06_refused", &areas).as_deref(), Some("SEC-06"));
        assert_eq!(rule_of("sec_6_refused", &areas), None);
        assert_eq!(rule_of("secret_06", &areas), None);
    }
}
