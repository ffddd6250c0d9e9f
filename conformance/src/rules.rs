//! The table of rules and of codes, and what covers each rule (CONF-06).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

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
    /// Why no case can show it, where it has tests alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_case: Option<String>,
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
        for path in sources(workspace)? {
            for name in test_names(&built_here(&read(&path)?)) {
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

/// The Rust sources in which a named test may stand: those that a target of a crate is built from. A file
/// that no `mod` names is not among them.
fn sources(workspace: &Path) -> Result<BTreeSet<PathBuf>, LoadError> {
    let mut crates = vec![workspace.join("conformance"), workspace.join("xtask")];
    crates.extend(entries(&workspace.join("crates")));
    let mut found = BTreeSet::new();
    for package in crates {
        let mut roots = vec![package.join("src/lib.rs"), package.join("src/main.rs")];
        for folder in [package.join("src/bin"), package.join("tests")] {
            roots.extend(entries(&folder).flat_map(|entry| [entry.join("main.rs"), entry]));
        }
        for root in roots.into_iter().filter(|root| is_source(root)) {
            let folder = root.parent().unwrap_or(&package).to_path_buf();
            follow(&root, &folder, &mut found)?;
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn is_source(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|extension| extension == "rs")
}

/// A file and all its modules, which lie in `folder`.
fn follow(path: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) -> Result<(), LoadError> {
    let text = built_here(&read(path)?);
    if !found.insert(path.to_path_buf()) {
        return Ok(());
    }
    for module in modules(&text) {
        let module = match module {
            Module::Named(name) => name,
            Module::Placed(place) => {
                let path = path.parent().unwrap_or(folder).join(place);
                let folder = path.parent().unwrap_or(folder).to_path_buf();
                follow(&path, &folder, found)?;
                continue;
            }
        };
        let inner = folder.join(module);
        let candidates = [folder.join(format!("{module}.rs")), inner.join("mod.rs")];
        if let Some(path) = candidates.into_iter().find(|path| is_source(path)) {
            follow(&path, &inner, found)?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, LoadError> {
    fs::read_to_string(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })
}

/// A source without what is for other platforms alone: all of it, or modules that stand in it.
fn built_here(source: &str) -> String {
    let mut here = String::new();
    let mut above = Above::default();
    // The lines of an item that has not begun yet.
    let mut waiting = String::new();
    // The line that ends a module which is left out: its brace stands below the first sign of its `mod`.
    let mut end: Option<String> = None;
    for line in source.lines() {
        let text = line.trim();
        if let Some(last) = end.take() {
            end = Some(last).filter(|last| line != last);
            continue;
        }
        let inner = text.strip_prefix("#![cfg(").and_then(|rest| rest.strip_suffix(")]"));
        if inner.is_some_and(|condition| !may_hold(condition)) {
            return String::new();
        }
        waiting.extend([line, "\n"]);
        if above.takes(text) || !text.ends_with([';', '{', '}']) {
            continue;
        }
        let is_elsewhere = std::mem::take(&mut above).is_elsewhere;
        if is_elsewhere && text.contains("mod ") && text.ends_with('{') {
            let indent = line.len() - line.trim_start().len();
            end = Some(format!("{}}}", " ".repeat(indent)));
            waiting.clear();
        } else {
            here.push_str(&std::mem::take(&mut waiting));
        }
    }
    here + &waiting
}

/// Whether the condition of a `cfg` may hold on this platform: what does not depend on it may.
fn may_hold(condition: &str) -> bool {
    let condition = condition.trim();
    let parts = |name: &str| {
        let inner = condition.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
        Some(split_at_commas(inner))
    };
    if let Some(parts) = parts("all") {
        return parts.into_iter().all(may_hold);
    }
    if let Some(parts) = parts("any") {
        return parts.into_iter().any(may_hold);
    }
    if let Some(parts) = parts("not") {
        return !parts.into_iter().all(must_hold);
    }
    let platform = if cfg!(unix) { "windows" } else { "unix" };
    let os = condition.strip_prefix("target_os = ").map(|os| os.trim_matches('"'));
    condition != platform && os.is_none_or(|os| os == std::env::consts::OS)
}

/// Whether the condition of a `cfg` is one that only the platform decides, and holds.
fn must_hold(condition: &str) -> bool {
    let is_platform =
        ["unix", "windows", "target_os = "].iter().any(|word| condition.trim().starts_with(word));
    is_platform && may_hold(condition)
}

/// The parts between the commas that stand in no parentheses.
fn split_at_commas(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    text.split(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    })
    .filter(|part| !part.trim().is_empty())
    .collect()
}

/// A module in a file of its own.
enum Module<'a> {
    /// Where its name says.
    Named(&'a str),
    /// Where `#[path]` says.
    Placed(&'a str),
}

/// The modules that a file names and that are built here.
fn modules(source: &str) -> impl Iterator<Item = Module<'_>> {
    let mut above = Above::default();
    source.lines().filter_map(move |line| {
        let line = line.trim();
        if above.takes(line) {
            return None;
        }
        let above = std::mem::take(&mut above);
        let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        let name = line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        (!above.is_elsewhere).then_some(above.place.map_or(Module::Named(name), Module::Placed))
    })
}

/// The names of the functions that a test harness runs here: below `#[test]` or Tokio's, and neither ignored
/// nor for another platform alone.
fn test_names(source: &str) -> impl Iterator<Item = &str> {
    let mut above = Above::default();
    source.lines().filter_map(move |line| {
        let line = line.trim();
        if above.takes(line) {
            return None;
        }
        let name = line.trim_start_matches("pub ").trim_start_matches("async ").strip_prefix("fn ");
        if name.is_none() && !line.ends_with([';', '{', '}']) {
            // A comment, an empty line, or an attribute that goes on.
            return None;
        }
        let Above { is_test, is_ignored, is_elsewhere, .. } = std::mem::take(&mut above);
        let name = name?.split(['(', '<']).next()?;
        (is_test && !is_ignored && !is_elsewhere).then_some(name)
    })
}

/// What the attributes above an item say.
#[derive(Default)]
struct Above<'a> {
    is_test: bool,
    is_ignored: bool,
    is_elsewhere: bool,
    place: Option<&'a str>,
}

impl<'a> Above<'a> {
    /// Takes an attribute; says whether the line is one.
    fn takes(&mut self, line: &'a str) -> bool {
        self.is_test |= line == "#[test]" || line == "#[tokio::test]" || line.starts_with("#[tokio::test(");
        self.is_ignored |= line == "#[ignore]" || line.starts_with("#[ignore =");
        let condition = line.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]"));
        self.is_elsewhere |= condition.is_some_and(|condition| !may_hold(condition));
        let place = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]"));
        self.place = place.or(self.place);
        line.starts_with("#[")
    }
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
    fn conf_06_what_no_harness_runs_here_covers_nothing() {
        let names = |source: &'static str| test_names(source).collect::<Vec<_>>();
        assert_eq!(names("#[expect(dead_code, reason = \"a test\")]\nfn sec_06_helper() {}"), [""; 0]);
        assert_eq!(names("#[cfg(test)]\nfn sec_06_helper() {}"), [""; 0]);
        assert_eq!(names("#[cfg(test)]\nmod tests {\nfn sec_06_helper() {}\n}"), [""; 0]);
        assert_eq!(names("#[test]\n#[ignore = \"slow\"]\nfn sec_06_slow() {}"), [""; 0]);
        for elsewhere in
            ["windows", "not(unix)", "all(test, target_os = \"macos\")", "any(windows, not(unix))"]
        {
            let source = format!("#[cfg({elsewhere})]\n#[test]\nfn sec_06_elsewhere() {{}}");
            assert_eq!(test_names(&source).count(), 0, "{elsewhere}");
        }
        for here in
            ["unix", "not(windows)", "any(windows, unix)", "not(feature = \"tokio\")", "all(test, unix)"]
        {
            let source = format!("#[cfg({here})]\n#[test]\nfn sec_06_here() {{}}");
            assert_eq!(test_names(&source).count(), 1, "{here}");
        }
        assert_eq!(
            names("#[tokio::test(flavor = \"multi_thread\")]\nasync fn sec_06_runs() {}"),
            ["sec_06_runs"]
        );
        assert_eq!(names("#[test]\n#[expect(\n    lint,\n)]\nfn sec_06_runs() {}"), ["sec_06_runs"]);
    }

    #[test]
    fn conf_06_a_module_for_another_platform_covers_nothing() {
        let test = "    #[test]\n    fn sec_06_elsewhere() {}\n";
        let after = "#[test]\nfn sec_07_here() {\n}\n";
        let source =
            format!("#[cfg(windows)]\npub mod windows {{\n{test}    mod deep {{\n    }}\n}}\n{after}");
        assert_eq!(test_names(&built_here(&source)).collect::<Vec<_>>(), ["sec_07_here"]);
        let source = format!("#[cfg(unix)]\nmod unix {{\n{test}}}\n{after}");
        assert_eq!(test_names(&built_here(&source)).count(), 2, "that is built here");
        let whole = format!("//! A file.\n\n#![cfg(windows)]\n{after}");
        assert_eq!(test_names(&built_here(&whole)).count(), 0, "all of a file is for another platform");
    }

    #[test]
    fn conf_06_a_file_that_no_module_names_covers_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let tests = folder.path().join("crates/one/tests");
        for (path, text) in [
            ("whole.rs", "mod side;\n#[cfg(windows)]\nmod windows;\n#[path = \"far/off.rs\"]\nmod placed;"),
            ("side.rs", ""),
            ("windows.rs", ""),
            ("far/off.rs", ""),
            ("noun/main.rs", "pub(crate) mod inner;"),
            ("noun/inner/mod.rs", "mod deep;"),
            ("noun/inner/deep.rs", ""),
            ("noun/forgotten.rs", "#[test]\nfn sec_06_forgotten() {}"),
        ] {
            let path = tests.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let found = sources(folder.path()).expect("they can be read");
        let names: Vec<_> = found.iter().filter_map(|path| path.strip_prefix(&tests).ok()).collect();
        // Beside a test's own file, every file is a test of its own.
        let expected = ["far/off.rs", "noun/inner/deep.rs", "noun/inner/mod.rs", "noun/main.rs", "side.rs"];
        assert_eq!(names[..5], expected.map(Path::new));
        assert!(!found.contains(&tests.join("noun/forgotten.rs")));
    }

    #[test]
    fn conf_06_a_name_covers_the_rule_it_begins_with_and_no_other() {
        let areas = BTreeSet::from(["sec".to_owned()]);
        assert_eq!(rule_of("sec_06_refused", &areas).as_deref(), Some("SEC-06"));
        assert_eq!(rule_of("sec_6_refused", &areas), None);
        assert_eq!(rule_of("secret_06", &areas), None);
    }
}
