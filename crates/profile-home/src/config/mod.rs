//! `config.yaml`: a tree of our own, and typed access to its sections (FILE-30 to FILE-38).
//!
//! Only [`load`] knows the YAML library (FILE-36).

mod anchors;
mod load;
mod signs;
mod tree;
mod words;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::{FileError, Invalid};

pub use tree::{Yaml, YamlFloat, YamlText};
pub use words::boolean_word;

/// What a `config.yaml` says. `Debug` shows how many keys there are; its texts are wiped when dropped.
///
/// # Fail-closed behaviour
///
/// A section that is there and is no mapping is an error, never an empty section (FILE-35).
pub struct Config {
    root: Vec<(Yaml, Yaml)>,
    lines: Vec<Option<u32>>,
    path: Arc<Path>,
}

/// One section of a file: a mapping, or nothing.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    entries: &'a [(Yaml, Yaml)],
    line: Option<u32>,
}

impl Config {
    /// A section of the file. One that is missing or null is empty (FILE-34).
    ///
    /// # Errors
    ///
    /// [`FileError`], invalid: it is no mapping (FILE-35), or holds a local tag (FILE-31).
    pub fn section(&self, name: &str) -> Result<Section<'_>, FileError> {
        let at = self.root.iter().position(|(key, _)| key.as_str() == Some(name));
        let Some((at, (_, value))) = at.and_then(|at| Some((at, self.root.get(at)?))) else {
            return Ok(Section { entries: &[], line: None });
        };
        let line = self.lines.get(at).copied().flatten();
        let refuse = |why: Invalid| {
            let error = FileError::from(why);
            let error = if self.has_path() { error.in_file(Arc::clone(&self.path)) } else { error };
            match line {
                Some(line) => error.at(line, None),
                None => error,
            }
        };
        if value.holds_a_tag() {
            return Err(refuse(Invalid::LocalTag { section: Some(name.into()) }));
        }
        match value {
            Yaml::Null => Ok(Section { entries: &[], line }),
            Yaml::Map(entries) => Ok(Section { entries, line }),
            other => Err(refuse(Invalid::SectionType { section: name.into(), found: other.kind() })),
        }
    }

    /// The value of a key of the file's own mapping, whatever its type (PROF-30 asks for that).
    pub fn get(&self, name: &str) -> Option<&Yaml> {
        tree::get(&self.root, name)
    }

    /// The keys and values of the file's own mapping, in the file's order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Yaml, &Yaml)> {
        self.root.iter().map(|(key, value)| (key, value))
    }

    /// The file; an empty path where bytes were read that belong to none.
    pub fn path(&self) -> &Arc<Path> {
        &self.path
    }

    fn has_path(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// Reads bytes that are those of the file at `path`.
    pub(crate) fn read(bytes: &[u8], path: Arc<Path>) -> Result<Self, FileError> {
        match load::load(bytes) {
            Ok(load::Loaded { root, lines }) => Ok(Self { root, lines, path }),
            Err(error) if path.as_os_str().is_empty() => Err(error),
            Err(error) => Err(error.in_file(path)),
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("path", &self.path)
            .field("keys", &self.root.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Section<'a> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a Yaml> {
        tree::get(self.entries, key)
    }

    /// The keys and values, in the file's order: the section's own first, then what was merged into it.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&'a Yaml, &'a Yaml)> + use<'a> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Whether it holds no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The line that its key stands on, counted from 1, where it is known.
    pub fn line(&self) -> Option<u32> {
        self.line
    }
}

/// Reads the bytes of a `config.yaml` that belong to no file.
///
/// The budgets of FILE-37 hold, but how many bytes there may be is for the caller to say, as it is for whoever
/// reads a file (FILE-02): reading takes time and memory in proportion to them.
///
/// # Errors
///
/// [`FileError`], invalid, with line and column where they are known (FILE-31).
pub fn parse_config(bytes: &[u8]) -> Result<Config, FileError> {
    Config::read(bytes, Arc::from(Path::new("")))
}
