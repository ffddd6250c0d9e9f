//! Types that no test can reach: none that holds the bytes of a file derives a `Debug` that prints them.

use std::fs;
use std::path::{Path, PathBuf};

/// Private types that derive `Debug` over text or bytes, and what these are instead of values.
const NO_VALUES: [(&str, &str); 0] = [];

/// The sources below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The types of a source that derive `Debug`, with what they hold.
fn deriving(source: &str) -> Vec<(String, String)> {
    let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut found = Vec::new();
    for (at, line) in code.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if !line.trim_start().starts_with("#[derive(") || !line.contains("Debug") {
            continue;
        }
        let Some(start) =
            code[at..].iter().position(|line| line.contains("struct ") || line.contains("enum "))
        else {
            continue;
        };
        let head = code[at + start];
        let words: Vec<&str> = head.split_whitespace().collect();
        let Some(name) = words.iter().position(|word| matches!(*word, "struct" | "enum")) else { continue };
        let name = words[name + 1].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
        let body: Vec<&str> = if head.trim_end().ends_with([';', '}']) {
            vec![head]
        } else {
            let end = code[at + start..].iter().position(|line| {
                line.len() - line.trim_start().len() == indent && line.trim_start().starts_with(['}', ')'])
            });
            code[at + start..=at + start + end.unwrap_or(0)].to_vec()
        };
        found.push((name.to_owned(), body.join("\n")));
    }
    found
}

/// Whether a declaration holds what the bytes of a file are kept in.
fn holds_bytes(body: &str) -> bool {
    ["Vec<u8>", "Zeroizing<", "&'a [u8]", "&'a str", "[u8]>", "&[u8]"].iter().any(|kind| body.contains(kind))
}

#[test]
fn sec_31_no_type_derives_debug_over_the_bytes_of_a_file() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    let mut leaky = Vec::new();
    for (path, source) in sources(crates)
        .into_iter()
        .filter(|(path, _)| path.components().any(|part| part.as_os_str() == "src"))
    {
        let types = deriving(&source);
        seen += types.len();
        let listed = |name: &str| NO_VALUES.iter().any(|(known, _)| *known == name);
        let found = types.into_iter().filter(|(name, body)| holds_bytes(body) && !listed(name));
        leaky.extend(found.map(|(name, _)| format!("{} in {}", name, path.display())));
    }
    assert!(seen > 100, "the search found {seen} types only");
    assert!(leaky.is_empty(), "write their `Debug` by hand, or leave it out: {leaky:#?}");
}

#[test]
fn sec_31_the_search_for_derived_debug_sees_one() {
    let source = "/// Doc.\n#[derive(Debug, Clone)]\npub(crate) struct Contents {\n    bytes: Zeroizing<Vec<u8>>,\n}\n\n\
                  #[derive(Debug)]\nstruct Line<'a>(&'a str);\n\n#[derive(Clone)]\nstruct Quiet(Vec<u8>);\n";
    let leaky: Vec<_> = deriving(source).into_iter().filter(|(_, body)| holds_bytes(body)).collect();
    assert_eq!(leaky.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["Contents", "Line"]);
}
