use std::time::{Duration, SystemTime};

use watertight_disk::Metadata;

/// Stamps younger than this may not tell one content from the next (FILE-05).
const SETTLED: Duration = Duration::from_secs(2);

/// What an open descriptor says of its file, as far as it tells one content from another (FILE-05).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature {
    modified: (i64, u32),
    changed: (i64, u32),
    len: u64,
    device: u64,
    inode: u64,
}

impl Signature {
    pub(crate) fn of(found: &Metadata) -> Self {
        Self {
            modified: found.modified,
            changed: found.changed,
            len: found.len,
            device: found.device,
            inode: found.inode,
        }
    }

    /// The file's length.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the contents may have changed between two signatures; a change of the mode alone has not.
    pub(crate) fn same_contents(&self, later: &Self) -> bool {
        (self.modified, self.len) == (later.modified, later.len)
    }

    /// Whether both stamps lay far enough back when the read began for the signature to stand for the
    /// contents. A stamp in the future never does, nor does a file without an inode to tell it by.
    pub(crate) fn is_settled(&self, began: SystemTime) -> bool {
        let latest = self.modified.max(self.changed);
        let known = (self.device, self.inode) != (0, 0);
        known && instant(latest).is_some_and(|stamp| stamp.checked_add(SETTLED).is_some_and(|t| t < began))
    }
}

fn instant((seconds, nanoseconds): (i64, u32)) -> Option<SystemTime> {
    let nanoseconds = Duration::from_nanos(u64::from(nanoseconds));
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)
    };
    base?.checked_add(nanoseconds)
}
