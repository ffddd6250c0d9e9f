//! The map of a scope: names, values, and where each came from.

use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use watertight_vocabulary::{CaseRule, Name, Secret};

/// One name of a scope: 32 bytes, since a host may hold ten thousand scopes.
pub(crate) struct Entry {
    pub(crate) name: Name,
    /// `None` is a name that a failed source declares: it may hold it, so nobody else's value counts (SEC-24).
    pub(crate) value: Option<Secret>,
    pub(crate) place: Place,
}

/// Where a value came from: a layer, by its number from the bottom, and a line of its file (0: none).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) layer: u16,
    pub(crate) line: u32,
}

/// Entries, each name once, found by hash.
///
/// The table holds numbers of entries, which is what keeps the memory flat. The hash is seeded, since names
/// come from files that a profile's agent may write.
pub(crate) struct Entries {
    rows: Vec<Entry>,
    table: HashTable<u32>,
    hash: RandomState,
    case: CaseRule,
}

impl Entries {
    pub(crate) fn with_capacity(capacity: usize, case: CaseRule) -> Self {
        Self {
            rows: Vec::with_capacity(capacity),
            table: HashTable::with_capacity(capacity),
            hash: RandomState::default(),
            case,
        }
    }

    /// Gives back what was reserved in excess.
    pub(crate) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        let Self { rows, table, hash, case } = self;
        table.shrink_to_fit(|&index| hash_at(rows, hash, *case, index));
    }

    /// Puts an entry in place of the one with its name, which is returned with its number.
    pub(crate) fn put(&mut self, entry: Entry) -> Option<(u32, Entry)> {
        if let Some(number) = self.number(entry.name.as_os_str()) {
            let held = self.rows.get_mut(number as usize)?;
            return Some((number, std::mem::replace(held, entry)));
        }
        // A file is capped at a megabyte, an environment by the system: the count fits.
        let number = u32::try_from(self.rows.len()).ok()?;
        let hashed = hash_of(&self.hash, self.case, entry.name.as_os_str());
        self.rows.push(entry);
        let Self { rows, table, hash, case } = self;
        table.insert_unique(hashed, number, |&index| hash_at(rows, hash, *case, index));
        None
    }

    /// The entry of a name. Neither allocates nor locks.
    #[inline]
    pub(crate) fn find(&self, name: &OsStr) -> Option<&Entry> {
        self.rows.get(self.number(name)? as usize)
    }

    /// The number of a name's entry.
    #[inline]
    pub(crate) fn number(&self, name: &OsStr) -> Option<u32> {
        let hash = hash_of(&self.hash, self.case, name);
        let is_it = |&index: &u32| {
            self.rows.get(index as usize).is_some_and(|entry| self.case.same(entry.name.as_os_str(), name))
        };
        self.table.find(hash, is_it).copied()
    }

    /// All of them, in the order in which their names came.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.rows.iter()
    }
}

fn hash_at(rows: &[Entry], hash: &RandomState, case: CaseRule, index: u32) -> u64 {
    rows.get(index as usize).map_or(0, |entry| hash_of(hash, case, entry.name.as_os_str()))
}

/// Equal names hash alike under their case rule.
#[inline]
fn hash_of(state: &RandomState, case: CaseRule, name: &OsStr) -> u64 {
    let mut hasher = state.build_hasher();
    match case {
        CaseRule::Sensitive => hasher.write(name.as_encoded_bytes()),
        CaseRule::AsciiInsensitive => {
            for byte in name.as_encoded_bytes() {
                hasher.write_u8(byte.to_ascii_uppercase());
            }
        }
    }
    hasher.finish()
}
