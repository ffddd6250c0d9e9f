use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::CaseRule;

/// Which home a request resolved to, decided once and used for everything of that request (PROF-45).
///
/// Ownership, stamps and cache keys are decided on this and never on a path: paths compare wrongly.
/// Equality takes everything in, so a folder that was deleted and made again is another home;
/// [`HomeId::same_place`] asks about the path alone (PROF-40).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HomeId(Arc<Inner>);

#[derive(PartialEq, Eq, Hash)]
struct Inner {
    path: PathBuf,
    stamp: Option<HomeStamp>,
}

/// What the file system says of an existing folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "PROF-45 lists what an identity holds")]
pub struct HomeStamp {
    /// The device it is on.
    pub device: u64,
    /// Its inode, or what the platform has.
    pub inode: u64,
    /// When it was made, where the system knows: inodes are used again.
    pub created: Option<SystemTime>,
}

impl HomeId {
    /// A home from its fully resolved path and, if it exists, its stamp.
    pub fn new(resolved: PathBuf, stamp: Option<HomeStamp>) -> Self {
        Self(Arc::new(Inner { path: resolved, stamp }))
    }

    /// The resolved path.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The folder's stamp, or `None` while it does not exist.
    pub fn stamp(&self) -> Option<HomeStamp> {
        self.0.stamp
    }

    /// Whether two homes lie at one place (PROF-40).
    pub fn same_place(&self, other: &Self, case: CaseRule) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || case.same(self.0.path.as_os_str(), other.0.path.as_os_str())
    }
}

impl fmt::Debug for HomeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HomeId({:?})", self.0.path)
    }
}
