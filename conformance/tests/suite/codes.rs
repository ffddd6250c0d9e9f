use std::collections::BTreeSet;
use std::fs;

use walkdir::WalkDir;
use watertight_conformance::workspace;

/// The sources of the crates, without the tests that stand in them.
fn sources() -> Vec<String> {
    let files = WalkDir::new(workspace().join("crates")).into_iter().map(|entry| entry.expect("an entry"));
    let is_source = |path: &std::path::Path| {
        path.extension().is_some_and(|extension| extension == "rs")
            && path.components().any(|part| part.as_os_str() == "src")
    };
    let sources = files.filter(|entry| is_source(entry.path()));
    sources
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).expect("a source is text");
            text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
        })
        .collect()
}

/// The name that begins a text.
fn name_in(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// The public types that are errors, by what is derived or written for them.
fn error_types(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_error = false;
    for line in source.lines() {
        if line.starts_with("#[derive(") {
            is_error = line.contains("thiserror::Error");
        }
        let declared = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("pub struct "));
        if let Some(declared) = declared.filter(|_| std::mem::take(&mut is_error)) {
            found.insert(name_in(declared));
        }
        found.extend(line.strip_prefix("impl std::error::Error for ").map(name_in));
    }
    found
}

/// The types with a method of their own that gives the code.
fn types_with_a_code(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut of = String::new();
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("impl ") {
            of = name_in(name);
        }
        if line.starts_with("    pub fn code(") || line.starts_with("    pub const fn code(") {
            found.insert(of.clone());
        }
    }
    found
}

#[test]
fn conf_04_every_error_type_of_the_crates_has_a_code() {
    let sources = sources();
    let errors: BTreeSet<_> = sources.iter().flat_map(|source| error_types(source)).collect();
    let coded: BTreeSet<_> = sources.iter().flat_map(|source| types_with_a_code(source)).collect();
    assert!(errors.len() > 25 && errors.contains("FileError") && errors.contains("ScopeError"), "{errors:?}");
    let without: Vec<_> = errors.difference(&coded).collect();
    assert!(without.is_empty(), "errors without a code: {without:?}");
}
