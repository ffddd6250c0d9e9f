use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;

use watertight_vocabulary::{CaseRule, Diagnostic, EnvSource, Name, NotUnicode};

/// An environment as it was at one moment, whole and unchangeable (SNAP-01, SNAP-02).
///
/// Names and values are kept byte for byte: not Unicode, empty, odd (`=C:` on Windows) or listed twice
/// (SNAP-05). Of duplicates the first counts, as for `getenv`; [`EnvSnapshot::diagnostics`] reports the
/// others (SNAP-25). Under [`CaseRule::AsciiInsensitive`] two spellings are one name (SNAP-08).
///
/// The values are not wiped when it is dropped: they stand in the process's own block as well (SEC-31).
///
/// ```
/// use watertight_env_snapshot::{EnvSnapshot, MapEnv};
/// use watertight_vocabulary::CaseRule;
///
/// let live = MapEnv::from([("MODE", "ssh")]);
/// let snapshot = EnvSnapshot::of(&live, CaseRule::Sensitive);
/// live.set("MODE", "docker");
/// assert_eq!(snapshot.get_text("MODE"), Ok(Some("ssh")));
/// ```
///
/// Nothing that is handed out can change it:
///
/// ```compile_fail
/// # use watertight_env_snapshot::{EnvSnapshot, MapEnv};
/// # use watertight_vocabulary::CaseRule;
/// let snapshot = EnvSnapshot::of(&MapEnv::from([("MODE", "ssh")]), CaseRule::Sensitive);
/// let value: &mut std::ffi::OsStr = snapshot.get_os("MODE").unwrap();
/// ```
pub struct EnvSnapshot {
    /// In the block's order, duplicates included.
    entries: Vec<Entry>,
    /// The position of the entry that counts, under the name's folded spelling.
    first: HashMap<Name, usize>,
    case: CaseRule,
    directory: Result<PathBuf, DirectoryTrouble>,
}

struct Entry {
    name: Name,
    value: OsString,
    /// Whether an earlier entry has this name.
    duplicate: bool,
}

impl EnvSnapshot {
    /// Captures an environment: one listing, and its current directory.
    pub fn of(source: &dyn EnvSource, case: CaseRule) -> Self {
        let listing = source.vars_os();
        let mut entries = Vec::with_capacity(listing.len());
        let mut first = HashMap::with_capacity(listing.len());
        for (position, (name, value)) in listing.into_iter().enumerate() {
            let name = Name::from(name);
            let duplicate = match first.entry(folded(&name, case)) {
                Slot::Occupied(_) => true,
                Slot::Vacant(slot) => {
                    slot.insert(position);
                    false
                }
            };
            entries.push(Entry { name, value, duplicate });
        }
        Self { entries, first, case, directory: source.current_dir().map_err(DirectoryTrouble::from) }
    }

    /// The value of a variable, byte for byte.
    pub fn get_os(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let position = self.first.get(&*self.case.fold(name.as_ref()))?;
        self.entries.get(*position).map(|entry| entry.value.as_os_str())
    }

    /// The value of a variable as text.
    ///
    /// # Errors
    ///
    /// [`NotUnicode`] names the variable, and no byte of its value (SNAP-05).
    pub fn get_text(&self, name: impl AsRef<OsStr>) -> Result<Option<&str>, NotUnicode> {
        let name = name.as_ref();
        match self.get_os(name) {
            None => Ok(None),
            Some(value) => match value.to_str() {
                Some(text) => Ok(Some(text)),
                None => Err(NotUnicode::new(Name::new(name), value.len())),
            },
        }
    }

    /// The variables that count, each name once, in the block's order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &OsStr)> {
        self.entries
            .iter()
            .filter(|entry| !entry.duplicate)
            .map(|entry| (&entry.name, entry.value.as_os_str()))
    }

    /// The names, each once, in the block's order.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.iter().map(|(name, _)| name)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The entries that do not count because an earlier one has their name, as they are spelled.
    pub fn duplicates(&self) -> impl Iterator<Item = &Name> {
        self.entries.iter().filter(|entry| entry.duplicate).map(|entry| &entry.name)
    }

    /// What a person should know of this environment: one warning for each duplicate (SNAP-25).
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.duplicates()
            .map(|name| {
                Diagnostic::warning(
                    "duplicate-variable",
                    "the environment lists this variable more than once; the first entry counts",
                )
                .about(name.to_string())
            })
            .collect()
    }

    /// How names compare here.
    pub fn case_rule(&self) -> CaseRule {
        self.case
    }
}

/// The key under which a name is filed; the name itself where case matters.
fn folded(name: &Name, case: CaseRule) -> Name {
    match case {
        CaseRule::Sensitive => name.clone(),
        CaseRule::AsciiInsensitive => Name::new(case.fold(name.as_os_str())),
    }
}

impl EnvSource for EnvSnapshot {
    fn var_os(&self, name: &OsStr) -> Option<OsString> {
        self.get_os(name).map(OsStr::to_os_string)
    }

    /// As captured, duplicates included; [`EnvSnapshot::iter`] has each name once.
    fn vars_os(&self) -> Vec<(OsString, OsString)> {
        self.entries
            .iter()
            .map(|entry| (entry.name.as_os_str().to_os_string(), entry.value.clone()))
            .collect()
    }

    /// The current directory at the moment of the capture.
    fn current_dir(&self) -> io::Result<PathBuf> {
        self.directory.clone().map_err(io::Error::from)
    }
}

/// Names and their number (SNAP-07).
impl fmt::Debug for EnvSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EnvSnapshot({} names: ", self.len())?;
        f.debug_list().entries(self.names()).finish()?;
        f.write_str(")")
    }
}

/// Why there was no current directory, in a form that can be told more than once.
#[derive(Clone, Copy)]
enum DirectoryTrouble {
    System(i32),
    Other(io::ErrorKind),
}

impl From<io::Error> for DirectoryTrouble {
    fn from(error: io::Error) -> Self {
        error.raw_os_error().map_or(Self::Other(error.kind()), Self::System)
    }
}

impl From<DirectoryTrouble> for io::Error {
    fn from(trouble: DirectoryTrouble) -> Self {
        match trouble {
            DirectoryTrouble::System(code) => Self::from_raw_os_error(code),
            DirectoryTrouble::Other(kind) => Self::from(kind),
        }
    }
}
