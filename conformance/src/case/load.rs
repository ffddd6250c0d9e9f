use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use walkdir::WalkDir;

use super::{Case, Invalid};
use crate::rules::Rules;

/// The cases of a folder, and the rules they are held to.
#[derive(Debug, Clone)]
pub struct Suite {
    /// In the order of their ids.
    pub cases: Vec<Case>,
    /// The rules and codes.
    pub rules: Rules,
}

/// Why fixtures cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A folder or file could not be read.
    #[error("{path}: cannot be read: {source}", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is no YAML, or not the YAML that belongs there.
    #[error("{path}{place}: {message}", path = path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// `:line:column`, where known.
        place: String,
        /// What is wrong. Fixtures hold canaries alone, so a parser's text may be shown.
        message: String,
    },
    /// A case reads well and is none.
    #[error("{path}: {fault}", path = path.display())]
    Invalid {
        /// Which.
        path: PathBuf,
        /// Why.
        fault: Invalid,
    },
    /// Two cases bear one id.
    #[error("{id}: there is another case of this id, in {path}", path = path.display())]
    Duplicate {
        /// The id.
        id: String,
        /// The folder that the other one comes from.
        path: PathBuf,
    },
    /// There is no case at all.
    #[error("{path}: holds no case", path = .0.display())]
    Empty(PathBuf),
}

/// Loads every case under these folders, in the order of their ids. The rules come from `rules`.
///
/// # Errors
///
/// Every fault of every case, so that one run shows all of them.
pub fn load_suite(folders: &[PathBuf], rules: Rules) -> Result<Suite, Vec<LoadError>> {
    let mut cases = Vec::new();
    let mut errors = Vec::new();
    let mut owners = BTreeMap::new();
    for folder in folders {
        let before = cases.len();
        for path in case_files(folder, &mut errors) {
            match load_case(folder, &path, &rules) {
                Ok(case) => match owners.insert(case.id.clone(), folder) {
                    None => cases.push(case),
                    Some(other) => {
                        errors.push(LoadError::Duplicate { id: case.id, path: other.clone() });
                    }
                },
                Err(faults) => errors.extend(faults),
            }
        }
        if cases.len() == before && errors.is_empty() {
            errors.push(LoadError::Empty(folder.clone()));
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    if errors.is_empty() { Ok(Suite { cases, rules }) } else { Err(errors) }
}

fn case_files(folder: &Path, errors: &mut Vec<LoadError>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    // What a folder of cases is called itself says nothing.
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != "tree") {
        match entry {
            Ok(entry) if entry.file_name() == "case.yaml" => found.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => errors.push(LoadError::Unreadable {
                path: error.path().unwrap_or(folder).to_path_buf(),
                source: error.into(),
            }),
        }
    }
    found
}

fn load_case(folder: &Path, path: &Path, rules: &Rules) -> Result<Case, Vec<LoadError>> {
    let mut case: Case = read_yaml(path).map_err(|error| vec![error])?;
    let home = path.parent().unwrap_or(folder);
    let tree = home.join("tree");
    case.tree = tree.is_dir().then_some(tree);
    let id = home.strip_prefix(folder).unwrap_or(home).components();
    let id: Vec<_> = id.map(|part| part.as_os_str().to_string_lossy()).collect();
    let faults = case.faults(&id.join("/"), rules);
    if !faults.is_empty() {
        let invalid = |fault| LoadError::Invalid { path: path.to_path_buf(), fault };
        return Err(faults.into_iter().map(invalid).collect());
    }
    Ok(case)
}

/// Reads YAML in which an enum is a mapping with one key, the same shape that the protocol has in JSON.
pub(crate) fn read_yaml<T: DeserializeOwned>(path: &Path) -> Result<T, LoadError> {
    let text = fs::read_to_string(path)
        .map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
    let malformed = |error: serde_yaml::Error| {
        let place = error.location().map(|at| format!(":{}:{}", at.line(), at.column())).unwrap_or_default();
        LoadError::Malformed { path: path.to_path_buf(), place, message: error.to_string() }
    };
    let singletons = serde_yaml::Deserializer::from_str(&text);
    serde_yaml::with::singleton_map_recursive::deserialize(singletons).map_err(malformed)
}
