use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileSystem, Metadata, OpenDir, ResolveError, home_at};
use watertight_vocabulary::{HomeId, HomeStamp, shown_path};

use crate::listing::{ListError, Profile, entries_of, open_profiles};
use crate::markers::{self, Examined};
use crate::naming::{is_root, owner_of};
use crate::profile_id::NameError;
use crate::roster::{LeftOutReason, parked};
use crate::suggestions::suggestions;
use crate::tombstones::{self, Tombstone};
use crate::{ProfileId, ProfileName, ProfileTree, Root};

/// One profile that was asked for, with its home resolved once (PROF-45).
///
/// # Fail-closed behaviour
///
/// Everything of a request uses this one [`HomeId`]: own or foreign, stamp, files, cache keys. When the
/// files have been read, [`Found::still_there`] asks again; another answer is an error, never a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    profile: Profile,
    id: HomeId,
}

/// A name that was asked for leads to no profile that may be served.
///
/// There is no fallback: no variant of it is ever answered with another profile's scope (HOST-24).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// It is no profile's name (PROF-11).
    #[error("{name}")]
    InvalidName {
        /// What is wrong with it.
        name: NameError,
        /// Names of other profiles that may have been meant.
        suggestions: Vec<ProfileId>,
    },
    /// There is no such profile, or what is there has no identity.
    #[error("there is no profile `{id}`")]
    NoSuchProfile {
        /// The id.
        id: ProfileId,
        /// Names of other profiles that may have been meant.
        suggestions: Vec<ProfileId>,
    },
    /// There is a tombstone of that name (PROF-22).
    #[error("the profile `{id}` is deleted")]
    Deleted {
        /// The id.
        id: ProfileId,
    },
    /// The profile is there, and parked or standalone (PROF-23).
    #[error("the profile `{id}` is {}", if *parked { "parked" } else { "a gateway of its own (`gateway.standalone`)" })]
    NotServed {
        /// The id.
        id: ProfileId,
        /// Parked, else standalone.
        parked: bool,
    },
    /// It leads to another profile's home (PROF-44).
    #[error("the profile `{id}` is another name of `{canonical}`; ask for that one")]
    Alias {
        /// The id that was asked for.
        id: ProfileId,
        /// The name to ask for.
        canonical: ProfileName,
    },
    /// It cannot be told what the entry is (PROF-24).
    #[error("the profile `{id}` cannot be examined: {}: {source}", shown_path(path))]
    Unknown {
        /// The id.
        id: ProfileId,
        /// What could not be examined.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The tree cannot be read (PROF-42).
    #[error(transparent)]
    Tree(#[from] ListError),
}

impl FindError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidName { name, .. } => name.code(),
            Self::NoSuchProfile { .. } | Self::Deleted { .. } => "no-such-profile",
            Self::NotServed { .. } => "not-served",
            Self::Alias { .. } => "alias",
            Self::Unknown { .. } => "unknown",
            Self::Tree(error) => error.code(),
        }
    }

    /// Other profiles' names that may have been meant. They stand here and never in the text (PROF-11).
    pub fn suggestions(&self) -> &[ProfileId] {
        match self {
            Self::InvalidName { suggestions, .. } | Self::NoSuchProfile { suggestions, .. } => suggestions,
            _ => &[],
        }
    }
}

impl From<ResolveError> for FindError {
    fn from(error: ResolveError) -> Self {
        Self::Tree(ListError::from(error))
    }
}

/// A profile is not any more what it was when it was found (PROF-45).
#[derive(Debug, thiserror::Error)]
#[error("the profile `{name}` changed while it was being read: {change}")]
pub struct Changed {
    name: ProfileName,
    change: Change,
}

/// What became of a profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Change {
    /// The name leads to another home now.
    #[error("its name leads to another home now")]
    AnotherHome,
    /// It is not found any more: gone, deleted, without a marker, an alias.
    #[error("{0}")]
    NotFound(Box<FindError>),
}

impl Change {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AnotherHome => "changed",
            Self::NotFound(why) => why.code(),
        }
    }
}

impl Changed {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        "changed"
    }

    /// The profile.
    pub fn name(&self) -> &ProfileName {
        &self.name
    }

    /// What became of it.
    pub fn change(&self) -> &Change {
        &self.change
    }
}

impl Found {
    /// Its name.
    pub fn name(&self) -> &ProfileName {
        self.profile.name()
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Its home as the tree spells it (PROF-26).
    pub fn home(&self) -> PathBuf {
        self.profile.home()
    }

    /// Which home it is: decided here, once (PROF-45).
    pub fn home_id(&self) -> &HomeId {
        &self.id
    }

    /// Resolves the name again, and looks for a marker again. `default` needs none: it is there, existing or
    /// not (PROF-28), and is changed when it is another folder or gone.
    ///
    /// # Errors
    ///
    /// [`Changed`] if the answer is another than before: the profile was deleted, moved, emptied, or is
    /// another folder under the same name.
    pub fn still_there(&self, tree: &ProfileTree) -> Result<(), Changed> {
        let files = tree.disk();
        let now = match self.name() {
            ProfileName::Default => default_of(files, tree.root()),
            ProfileName::Named(id) => profiles_for(files, tree.root(), id)
                .and_then(|folder| resolved(files, tree.root(), &*folder, id)),
        };
        // While the home is the same it is nobody else's: its name was the canonical one, once.
        let change = match now {
            Ok(now) if now.id == self.id => return Ok(()),
            Ok(_) => match locate(files, tree.root(), self.name()) {
                Ok(_) => Change::AnotherHome,
                Err(error) => Change::NotFound(Box::new(error)),
            },
            Err(error) => Change::NotFound(Box::new(error)),
        };
        Err(Changed { name: self.name().clone(), change })
    }
}

/// The profile of a requested name, by metadata alone (HOST-15): parked ones are refused, and no file is
/// opened.
pub(crate) fn find(files: &dyn FileSystem, root: &Root, requested: &str) -> Result<Found, FindError> {
    let name = ProfileName::requested(requested).map_err(|name| {
        let asked = name.suggestion().map_or(requested, ProfileId::as_str);
        FindError::InvalidName { suggestions: suggestions(files, root, asked), name }
    })?;
    let ProfileName::Named(id) = name else { return default_of(files, root) };
    let folder = profiles_for(files, root, &id)?;
    let found = canonical(files, root, &*folder, &id)?;
    match parked(&*folder, root, id.as_str()) {
        None => Ok(found),
        Some(LeftOutReason::Unknown { path, source }) => Err(FindError::Unknown { id, path, source }),
        Some(_) => Err(FindError::NotServed { id, parked: true }),
    }
}

/// The live profile of a name, parked or not.
pub(crate) fn locate(files: &dyn FileSystem, root: &Root, name: &ProfileName) -> Result<Found, FindError> {
    match name {
        ProfileName::Default => default_of(files, root),
        ProfileName::Named(id) => canonical(files, root, &*profiles_for(files, root, id)?, id),
    }
}

fn default_of(files: &dyn FileSystem, root: &Root) -> Result<Found, FindError> {
    Ok(Found { profile: Profile::default_of(root), id: home_at(files, root.path())? })
}

/// `profiles/`, opened once for all that is asked of one profile.
fn profiles_for(files: &dyn FileSystem, root: &Root, id: &ProfileId) -> Result<Box<dyn OpenDir>, FindError> {
    if id.is_device_on(root.platform()) {
        return Err(FindError::InvalidName { name: NameError::device(id), suggestions: Vec::new() });
    }
    open_profiles(files, root)?.ok_or_else(|| missing(files, root, id))
}

/// A live profile by the name that its home is served under (PROF-44).
fn canonical(
    files: &dyn FileSystem,
    root: &Root,
    folder: &dyn OpenDir,
    id: &ProfileId,
) -> Result<Found, FindError> {
    let found = resolved(files, root, folder, id)?;
    // A real directory is its own name, unless it is the root.
    let owner = if !found.profile.is_link() && !may_be_root(files, root, &found.id)? {
        None
    } else if is_root(files, root, found.id.path())? {
        Some(ProfileName::Default)
    } else {
        owner_of(files, root, folder, &found.id, Some(id))?
    };
    match owner {
        Some(canonical) if canonical != *found.name() => Err(FindError::Alias { id: id.clone(), canonical }),
        _ => Ok(found),
    }
}

/// A live profile with its home resolved, under whatever name.
///
/// A real directory lies where the folder of profiles does, so that folder's path alone is resolved, and its
/// stamp is what the look at the entry said.
fn resolved(
    files: &dyn FileSystem,
    root: &Root,
    folder: &dyn OpenDir,
    id: &ProfileId,
) -> Result<Found, FindError> {
    let (profile, entry) = live(folder, root, id)?.ok_or_else(|| missing(files, root, id))?;
    if !profile.is_link() {
        let profiles = root.profiles_dir();
        let home = files.canonicalize(profiles).map_err(ListError::at(profiles))?.join(id.as_str());
        let stamp = HomeStamp { device: entry.device, inode: entry.inode, created: entry.created };
        return Ok(Found { profile, id: HomeId::new(home, Some(stamp)) });
    }
    match home_at(files, &profile.home()) {
        // A home that does not exist was there a moment ago.
        Ok(home) if home.stamp().is_some() => Ok(Found { profile, id: home }),
        Ok(_) => Err(missing(files, root, id)),
        Err(ResolveError::Io { path, source }) => Err(FindError::Unknown { id: id.clone(), path, source }),
        Err(error) => Err(error.into()),
    }
}

/// Whether a home that exists may be the root's. What the system tells apart is not; where it tells nothing
/// apart, anything may be.
fn may_be_root(files: &dyn FileSystem, root: &Root, home: &HomeId) -> Result<bool, ListError> {
    let found = files.metadata(root.path()).map_err(ListError::at(root.path()))?;
    Ok(home.stamp().is_none_or(|stamp| (stamp.device, stamp.inode) == (found.device, found.inode)))
}

/// Whether an id is a listed profile's.
pub(crate) fn is_live(folder: &dyn OpenDir, root: &Root, id: &ProfileId) -> bool {
    matches!(live(folder, root, id), Ok(Some(_)))
}

/// The listed profile of an id, and what the look at its entry said, without listing the others; `None` if
/// there is none.
fn live(folder: &dyn OpenDir, root: &Root, id: &ProfileId) -> Result<Option<(Profile, Metadata)>, FindError> {
    let unknown = |below: &Path, source| FindError::Unknown {
        id: id.clone(),
        path: root.profiles_dir().join(below),
        source,
    };
    match tombstones::look(folder, id.as_str()) {
        Tombstone::Absent => {}
        Tombstone::Deleted => return Err(FindError::Deleted { id: id.clone() }),
        Tombstone::Unknown(path, source) => return Err(unknown(&path, source)),
    }
    // Where `coder` would open a folder `Coder`, the entry's own name decides, and not what a path finds.
    if root.platform().folds_file_names()
        && !entries_of(folder, root)?.iter().any(|entry| entry.name == id.as_str())
    {
        return Ok(None);
    }
    let entry = match folder.identify(Path::new(id.as_str())) {
        Ok(entry) => entry,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unknown(Path::new(id.as_str()), error)),
    };
    match markers::examine(folder, id.as_str(), Some(entry.kind)) {
        Examined::Identity(identity) => Ok(Some((Profile::named(root, id.clone(), identity), entry))),
        Examined::NoIdentity | Examined::NotADirectory | Examined::Gone => Ok(None),
        Examined::Unknown(path, source) => Err(unknown(&path, source)),
    }
}

fn missing(files: &dyn FileSystem, root: &Root, id: &ProfileId) -> FindError {
    FindError::NoSuchProfile { id: id.clone(), suggestions: suggestions(files, root, id.as_str()) }
}
