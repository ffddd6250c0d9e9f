use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Classes, HomeId};

/// Which host of the process: several do not share state (HOST-32).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId(u64);

impl HostId {
    /// A host that is no other.
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Debug for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostId({})", self.0)
    }
}

/// What a reader must know of its host.
///
/// Hosting only ever grows: once [`Hosting::many_profiles`] has been true it stays true, and no reader
/// can see it true before the environment is frozen (HOST-01, SNAP-03).
pub trait Hosting: fmt::Debug + Send + Sync {
    /// Which host this is.
    fn host(&self) -> HostId;

    /// Whether the process may serve more than one profile.
    fn many_profiles(&self) -> bool;

    /// The home that the process was started for.
    fn launch_home(&self) -> &HomeId;

    /// A variable of "env": the live environment before activation, the frozen one after it.
    ///
    /// Who answers from it while one profile is hosted looks at [`Hosting::many_profiles`] once more
    /// afterwards, and decides anew if that has changed (SNAP-03).
    fn environment_value(&self, name: &OsStr) -> Option<OsString>;

    /// How names are told apart.
    fn classes(&self) -> &Classes;
}
