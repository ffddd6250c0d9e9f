use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::{DirEntry, FileSystem, OpenDir, ResolveError, resolve};
use watertight_vocabulary::{Diagnostic, shown_path};

use crate::markers::{self, Examined, Identity};
use crate::tombstones::{Tombstone, Tombstones};
use crate::{ProfileId, ProfileName, Root, profile_id};

/// One verdict for every entry of `profiles/`, and `default` before them (PROF-20 to PROF-28).
///
/// # Fail-closed behaviour
///
/// One broken entry hides none of the others, and is never taken for "no profile": what cannot be examined
/// is [unknown](Listing::unknown), and counts as a tenant. What makes the whole tree unreadable is an
/// error, and never an empty listing.
#[derive(Debug)]
pub struct Listing {
    profiles: Vec<Profile>,
    skipped: Vec<Skipped>,
}

/// One listed profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    name: ProfileName,
    /// The folder that the home's path begins with: the root itself for `default`.
    folder: Arc<Path>,
    identity: Identity,
}

/// An entry of `profiles/` that is not listed.
#[derive(Debug)]
pub struct Skipped {
    name: OsString,
    reason: SkipReason,
}

/// Why an entry is not listed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name is no id; nothing of it was examined (PROF-10, PROF-13, PROF-24).
    InvalidName {
        /// The id that its name can be turned into.
        suggestion: Option<ProfileId>,
    },
    /// A folder `default`: that name is the root's (PROF-13).
    NamedDefault,
    /// There is a tombstone of its name (PROF-22).
    Deleted,
    /// Something else than a directory (PROF-26).
    NotADirectory,
    /// A directory without any marker (PROF-20).
    NoIdentity,
    /// It cannot be told what it is; it counts as a tenant (PROF-24).
    Unknown {
        /// What could not be examined.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// The tree cannot be listed; the caller fails closed (PROF-42).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// `profiles/` cannot be enumerated, or the root cannot be traversed.
    #[error("cannot list {}: {source}", shown_path(path))]
    Unreadable {
        /// What could not be read.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A home that has to be known resolved cannot be.
    #[error(transparent)]
    Unresolvable(#[from] ResolveError),
}

impl ListError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::Unresolvable(error) => error.code(),
        }
    }

    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Unreadable { path: path.to_owned(), source }
    }
}

impl Listing {
    /// One directory read for the tombstones, one for `profiles/`, and a bounded number of looks for each
    /// entry; no file is opened.
    pub(crate) fn read(files: &dyn FileSystem, root: &Root) -> Result<Self, ListError> {
        let mut listing = Self { profiles: vec![Profile::default_of(root)], skipped: Vec::new() };
        let Some(folder) = open_profiles(files, root)? else { return Ok(listing) };
        let mut entries = entries_of(&*folder, root)?;
        entries.sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        let tombstones = Tombstones::read(files, root.profiles_dir(), root.platform());
        for entry in entries {
            match judge(&*folder, root, &tombstones, &entry) {
                Verdict::Listed(profile) => listing.profiles.push(profile),
                Verdict::Skipped(reason) => listing.skipped.push(Skipped { name: entry.name, reason }),
                Verdict::Gone => {}
            }
        }
        Ok(listing)
    }

    /// The listed profiles: `default` first, then by id, byte-wise (PROF-27). `default` is always there,
    /// existing or not (PROF-28).
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// The entries that are not listed, by name, byte-wise.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The entries of which it cannot be told whether they are profiles (PROF-24).
    pub fn unknown(&self) -> impl Iterator<Item = &Skipped> {
        self.skipped.iter().filter(|skipped| skipped.is_unknown())
    }

    /// The listed profile of this name.
    pub fn get(&self, name: &ProfileName) -> Option<&Profile> {
        let at = self.profiles.binary_search_by(|profile| profile.name.cmp(name)).ok()?;
        self.profiles.get(at)
    }

    pub(crate) fn into_parts(self) -> (Vec<Profile>, Vec<Skipped>) {
        (self.profiles, self.skipped)
    }

    /// What there is to say about the entries that are not listed.
    pub fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.skipped.iter().map(Skipped::diagnostic)
    }
}

impl Profile {
    pub(crate) fn default_of(root: &Root) -> Self {
        Self {
            name: ProfileName::Default,
            folder: Arc::clone(root.shared_path()),
            identity: Identity { link: false, config: true, servable: true },
        }
    }

    pub(crate) fn named(root: &Root, id: ProfileId, identity: Identity) -> Self {
        Self { name: ProfileName::Named(id), folder: Arc::clone(root.shared_profiles_dir()), identity }
    }

    /// Its name: the entry's own (PROF-26).
    pub fn name(&self) -> &ProfileName {
        &self.name
    }

    /// Its home: the root, or `profiles/<entry>`, not resolved (PROF-26).
    pub fn home(&self) -> PathBuf {
        match &self.name {
            ProfileName::Default => self.folder.to_path_buf(),
            ProfileName::Named(id) => self.folder.join(id.as_str()),
        }
    }

    /// Whether the entry is a link to its home.
    pub fn is_link(&self) -> bool {
        self.identity.link
    }

    /// Whether it has more than the empty `.env` of a crashed creation (PROF-21).
    pub fn is_servable(&self) -> bool {
        self.identity.servable
    }

    pub(crate) fn has_config(&self) -> bool {
        self.identity.config
    }
}

impl Skipped {
    pub(crate) fn unknown(name: &ProfileName, path: PathBuf, source: io::Error) -> Self {
        Self { name: OsString::from(name.as_str()), reason: SkipReason::Unknown { path, source } }
    }

    /// The entry's name, as the file system gives it.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Why it is not listed.
    pub fn reason(&self) -> &SkipReason {
        &self.reason
    }

    /// Whether it cannot be told what it is.
    pub fn is_unknown(&self) -> bool {
        matches!(self.reason, SkipReason::Unknown { .. })
    }

    /// What there is to say about it.
    pub fn diagnostic(&self) -> Diagnostic {
        self.reason.diagnostic().about(self.name.to_string_lossy())
    }
}

impl SkipReason {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidName { .. } => "invalid-name",
            Self::NamedDefault => "named-default",
            Self::Deleted => "deleted",
            Self::NotADirectory => "not-a-directory",
            Self::NoIdentity => "no-identity",
            Self::Unknown { .. } => "unknown",
        }
    }

    fn diagnostic(&self) -> Diagnostic {
        let code = self.code();
        match self {
            Self::InvalidName { suggestion: None } => Diagnostic::note(code, "its name is no profile's name"),
            Self::InvalidName { suggestion: Some(id) } => Diagnostic::warning(
                code,
                format!("its name is no profile's name; rename it to `{id}` to have it listed"),
            ),
            Self::NamedDefault => Diagnostic::warning(code, "`default` is the root; this folder is ignored"),
            Self::Deleted => Diagnostic::note(code, "the profile is deleted; this is what was left of it"),
            Self::NotADirectory => Diagnostic::note(code, "it is not a directory"),
            Self::NoIdentity => Diagnostic::note(
                code,
                format!("none of the files that make a profile is in it ({})", markers::MARKERS.join(", ")),
            ),
            Self::Unknown { path, source } => Diagnostic::error(
                code,
                format!("it cannot be told whether it is a profile, so it counts as one: {source}"),
            )
            .in_file(path.as_path()),
        }
    }
}

enum Verdict {
    Listed(Profile),
    Skipped(SkipReason),
    Gone,
}

/// The verdict of one entry. What its name decides costs no call, and what a tombstone decides none of the
/// entry's own.
fn judge(folder: &dyn OpenDir, root: &Root, tombstones: &Tombstones, entry: &DirEntry) -> Verdict {
    let name = entry.name.to_str().unwrap_or_default();
    let Ok(id) = ProfileId::parse(name) else { return Verdict::Skipped(unnameable(&entry.name)) };
    let unknown = |below: &Path, source| {
        let path = root.profiles_dir().join(below);
        Verdict::Skipped(SkipReason::Unknown { path, source })
    };
    match tombstones.of(folder, name) {
        Tombstone::Absent => {}
        Tombstone::Deleted => return Verdict::Skipped(SkipReason::Deleted),
        Tombstone::Unknown(path, source) => return unknown(&path, source),
    }
    match markers::examine(folder, name, entry.kind) {
        Examined::Identity(identity) => Verdict::Listed(Profile::named(root, id, identity)),
        Examined::NoIdentity => Verdict::Skipped(SkipReason::NoIdentity),
        Examined::NotADirectory => Verdict::Skipped(SkipReason::NotADirectory),
        Examined::Gone => Verdict::Gone,
        Examined::Unknown(path, source) => unknown(&path, source),
    }
}

fn unnameable(name: &OsStr) -> SkipReason {
    match name.to_str() {
        Some(profile_id::DEFAULT) => SkipReason::NamedDefault,
        // What begins with a dot is not meant to be a profile: staging folders, `.git`.
        Some(text) if !text.starts_with('.') => SkipReason::InvalidName { suggestion: ProfileId::near(text) },
        _ => SkipReason::InvalidName { suggestion: None },
    }
}

/// `profiles/`, opened; `None` if it is missing or a plain file (PROF-25).
pub(crate) fn open_profiles(
    files: &dyn FileSystem,
    root: &Root,
) -> Result<Option<Box<dyn OpenDir>>, ListError> {
    let profiles = root.profiles_dir();
    let error = match files.open_dir(profiles) {
        Ok(folder) => return Ok(Some(folder)),
        Err(error) => error,
    };
    match error.kind() {
        io::ErrorKind::NotFound => match files.symlink_metadata(profiles) {
            // It exists, so it is a link that dangles: a volume that is not mounted.
            Ok(_) => Err(ListError::at(profiles)(error)),
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                root_is_missing_or_whole(files, root)
            }
            Err(other) => Err(ListError::at(profiles)(other)),
        },
        io::ErrorKind::NotADirectory => match files.metadata(profiles) {
            Ok(found) if found.is_file() => Ok(None),
            Ok(_) => Err(ListError::at(profiles)(error)),
            Err(other) => Err(ListError::at(profiles)(other)),
        },
        _ => Err(ListError::at(profiles)(error)),
    }
}

/// A root that does not exist yet has no named profiles; one that is a dangling link, or lies behind one,
/// cannot be traversed.
fn root_is_missing_or_whole(
    files: &dyn FileSystem,
    root: &Root,
) -> Result<Option<Box<dyn OpenDir>>, ListError> {
    match files.metadata(root.path()) {
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            resolve(files, root.path())?;
            Ok(None)
        }
        Err(error) => Err(ListError::at(root.path())(error)),
    }
}

/// All entries, or the error of the first that could not be read: half a listing is none (PROF-42).
pub(crate) fn entries_of(folder: &dyn OpenDir, root: &Root) -> Result<Vec<DirEntry>, ListError> {
    let failed = ListError::at(root.profiles_dir());
    folder.entries().and_then(|entries| entries.into_iter().collect()).map_err(failed)
}
