//! Whether a profile stands alone, by its own `config.yaml` (PROF-23, PROF-30, PROF-31).

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use watertight_disk::{FileSystem, home_at};
use watertight_profile_home::{Cause, Config, FileError, Invalid, ProfileFiles, ProfileHome, Yaml};
use watertight_vocabulary::{Diagnostic, HomeId};

use crate::roster::PARKED;
use crate::{ProfileName, Root};

/// The section and the key that are read.
const SECTION: &str = "gateway";
const KEY: &str = "standalone";

/// Reads who stands alone, and remembers of which broken files that was said.
#[derive(Debug)]
pub(crate) struct Standalone {
    disk: Arc<dyn FileSystem>,
    files: Arc<dyn ProfileFiles>,
    /// Where every profile's links may lead besides its own home (FILE-06).
    link_folders: Vec<PathBuf>,
    /// The last error of each home that was reported. It carries the file's signature, so the same error of
    /// another state of the file is another one.
    reported: Mutex<HashMap<PathBuf, FileError>>,
    default_reported: AtomicBool,
}

/// What a profile's own configuration says.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) standalone: bool,
    /// The file could not be used (PROF-31).
    pub(crate) warning: Option<Diagnostic>,
}

impl Standalone {
    pub(crate) fn new(disk: Arc<dyn FileSystem>, files: Arc<dyn ProfileFiles>) -> Self {
        let reported = Mutex::default();
        Self { disk, files, link_folders: Vec::new(), reported, default_reported: AtomicBool::new(false) }
    }

    pub(crate) fn linking_into(self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { link_folders: folders.into_iter().collect(), ..self }
    }

    /// Whether the profile of a resolved home stands alone. A file that cannot be used says "no", with a
    /// warning that is logged once for each of its states (PROF-31).
    pub(crate) fn at(&self, root: &Root, home: &Path) -> Answer {
        self.judge(home, self.read(root, home))
    }

    /// As [`Standalone::at`], for a home that was resolved before (PROF-45).
    pub(crate) fn of(&self, root: &Root, home: HomeId) -> Answer {
        let home = self.reach(root, home);
        self.judge(home.path(), read_standalone(&home, &*self.files))
    }

    /// As [`Standalone::at`], through other files and another reach than the tree's own.
    pub(crate) fn by(&self, home: &ProfileHome, files: &dyn ProfileFiles) -> Answer {
        self.judge(home.path(), read_standalone(home, files))
    }

    fn judge(&self, home: &Path, read: Result<bool, FileError>) -> Answer {
        match read {
            Ok(standalone) => {
                self.forget(home);
                Answer { standalone, warning: None }
            }
            Err(error) => Answer { standalone: false, warning: Some(self.report(home, error)) },
        }
    }

    /// Forgets what was reported of a home whose file is sound or gone.
    pub(crate) fn forget(&self, home: &Path) {
        self.reported().remove(home);
    }

    fn read(&self, root: &Root, home: &Path) -> Result<bool, FileError> {
        let id = home_at(&*self.disk, home).unwrap_or_else(|_| HomeId::new(home.to_owned(), None));
        read_standalone(&self.reach(root, id), &*self.files)
    }

    /// Where the links of a home's file may lead (FILE-06): the launch home's anywhere but into the tree's
    /// other homes, everybody else's into the host's folders.
    fn reach(&self, root: &Root, id: HomeId) -> ProfileHome {
        if root.is_launch_home(&id) {
            let is_root = self.disk.canonicalize(root.path()).is_ok_and(|path| path == id.path());
            let home = ProfileHome::launch(id).not_into([root.profiles_dir()]);
            return if is_root { home } else { home.not_into([root.path()]) };
        }
        let (disk, path, own) = (Arc::clone(&self.disk), root.path().to_owned(), id.path().to_owned());
        let others = move || {
            let root = disk.canonicalize(&path).ok()?;
            Some(if root == own { Vec::new() } else { vec![root] })
        };
        let home = ProfileHome::confined(id).without(root.profiles_dir()).not_into_found(others);
        self.link_folders.iter().fold(home, ProfileHome::also)
    }

    fn report(&self, home: &Path, error: FileError) -> Diagnostic {
        let text =
            format!("it cannot be told whether the profile stands alone, so it is served: {}", error.cause());
        let mut warning = Diagnostic::warning(error.code(), text).in_file(error.path().unwrap_or(home));
        if let Some(line) = error.line() {
            warning = warning.on_line(line);
        }
        let before = self.reported().insert(home.to_owned(), error.clone());
        if before != Some(error) {
            tracing::warn!(code = warning.code(), "{warning}");
        }
        warning
    }

    /// Forgets the homes that are nobody's any more, so that what is remembered is bounded by the tree.
    pub(crate) fn keep_only<'a>(&self, homes: impl Iterator<Item = &'a Path>) {
        let mut reported = self.reported();
        if !reported.is_empty() {
            let homes: HashSet<&Path> = homes.collect();
            reported.retain(|home, _| homes.contains(home.as_path()));
        }
    }

    fn reported(&self) -> MutexGuard<'_, HashMap<PathBuf, FileError>> {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `default` is neither parked nor standalone; where its markers say so, one warning (PROF-28).
    pub(crate) fn markers_of_default(&self, root: &Root) -> Option<Diagnostic> {
        let parked = self.disk.metadata(&root.path().join(PARKED)).is_ok();
        let ignored = match (parked, self.read(root, root.path()).unwrap_or(false)) {
            (false, false) => {
                self.default_reported.store(false, Ordering::Relaxed);
                return None;
            }
            (true, false) => "parked",
            (false, true) => "standalone",
            (true, true) => "parked and standalone",
        };
        let warning = Diagnostic::warning(
            "default-always-served",
            format!("the default profile is marked {ignored}, which is ignored: it is always served"),
        )
        .in_file(root.path())
        .about(ProfileName::Default.as_str());
        if !self.default_reported.swap(true, Ordering::Relaxed) {
            tracing::warn!(code = warning.code(), "{warning}");
        }
        Some(warning)
    }
}

fn read_standalone(home: &ProfileHome, files: &dyn ProfileFiles) -> Result<bool, FileError> {
    match files.config(home).and_then(|config| says_standalone(config.as_deref())) {
        Err(error) if is_of_wrong_type(&error) => Ok(false),
        answer => answer,
    }
}

/// `gateway.standalone` of one file.
fn says_standalone(config: Option<&Config>) -> Result<bool, FileError> {
    let Some(config) = config else { return Ok(false) };
    Ok(config.section(SECTION)?.get(KEY).is_some_and(is_truthy))
}

/// A root or a `gateway` that is no mapping says "no", and is no reason to warn (PROF-30).
fn is_of_wrong_type(error: &FileError) -> bool {
    matches!(error.cause(), Cause::Invalid(Invalid::RootType { .. } | Invalid::SectionType { .. }))
}

/// PROF-30's truthiness, which is not FILE-32's boolean: here every type has an answer.
fn is_truthy(value: &Yaml) -> bool {
    match value {
        Yaml::Bool(value) => *value,
        Yaml::Text(text) => {
            let word = text.as_str().trim().to_lowercase();
            ["1", "true", "yes", "on", "y"].contains(&word.as_str())
        }
        Yaml::Int(digits) => digits.as_str().bytes().any(|digit| matches!(digit, b'1'..=b'9')),
        Yaml::Float(number) => number.value() != 0.0,
        Yaml::List(items) => !items.is_empty(),
        Yaml::Map(entries) => !entries.is_empty(),
        _ => false,
    }
}
