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
    sieve: Sieve,
}

/// Tells of most names that are not held that they are not, for a fraction of what a lookup costs.
#[derive(Default)]
struct Sieve([u64; 4]);

impl Entries {
    pub(crate) fn with_capacity(capacity: usize, case: CaseRule) -> Self {
        Self {
            rows: Vec::with_capacity(capacity),
            table: HashTable::with_capacity(capacity),
            hash: RandomState::default(),
            case,
            sieve: Sieve::default(),
        }
    }

    /// Gives back what was reserved in excess.
    pub(crate) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        let Self { rows, table, hash, case, .. } = self;
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
        self.sieve.add(entry.name.as_os_str());
        self.rows.push(entry);
        let Self { rows, table, hash, case, .. } = self;
        table.insert_unique(hashed, number, |&index| hash_at(rows, hash, *case, index));
        None
    }

    /// The entry of a name. Neither allocates nor locks.
    #[inline]
    pub(crate) fn find(&self, name: &OsStr) -> Option<&Entry> {
        if self.sieve.may_hold(name) { self.look_up(name) } else { None }
    }

    #[inline(never)]
    fn look_up(&self, name: &OsStr) -> Option<&Entry> {
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

impl Sieve {
    fn add(&mut self, name: &OsStr) {
        if let Some((word, bit)) = Self::place(name)
            && let Some(word) = self.0.get_mut(word)
        {
            *word |= bit;
        }
    }

    #[inline]
    fn may_hold(&self, name: &OsStr) -> bool {
        let Some((word, bit)) = Self::place(name) else { return true };
        self.0.get(word).is_none_or(|word| word & bit != 0)
    }

    /// By the two ends of the name and its length, as if the case of its letters did not count. A name that
    /// is too short for it goes through.
    #[inline]
    fn place(name: &OsStr) -> Option<(usize, u64)> {
        const NO_CASE: u64 = 0xDFDF_DFDF_DFDF_DFDF;
        let bytes = name.as_encoded_bytes();
        let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
        let (first, last) = (u64::from_le_bytes(*first) & NO_CASE, u64::from_le_bytes(*last) & NO_CASE);
        let mixed = (first.rotate_left(23) ^ last ^ bytes.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Some(((mixed >> 62) as usize, 1 << (mixed >> 56 & 63)))
    }
}

fn hash_at(rows: &[Entry], hash: &RandomState, case: CaseRule, index: u32) -> u64 {
    rows.get(index as usize).map_or(0, |entry| hash_of(hash, case, entry.name.as_os_str()))
}

/// Equal names hash alike under their case rule.
#[inline]
fn hash_of(state: &RandomState, case: CaseRule, name: &OsStr) -> u64 {
    match case {
        CaseRule::Sensitive => {
            let mut hasher = state.build_hasher();
            hasher.write(name.as_encoded_bytes());
            hasher.finish()
        }
        CaseRule::AsciiInsensitive => folded_hash_of(state, name),
    }
}

/// Apart, so that the way of most platforms stays short enough to be inlined into a read.
#[inline(never)]
fn folded_hash_of(state: &RandomState, name: &OsStr) -> u64 {
    let mut hasher = state.build_hasher();
    for byte in name.as_encoded_bytes() {
        hasher.write_u8(byte.to_ascii_uppercase());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use watertight_vocabulary::{CaseRule, Name, Secret};

    use super::{Entries, Entry, Place};

    fn held(names: &[String], case: CaseRule) -> Entries {
        let mut entries = Entries::with_capacity(0, case);
        for name in names {
            let (name, value) = (Name::from(name.as_str()), Some(Secret::from(name.as_str())));
            entries.put(Entry { name, value, place: Place { layer: 0, line: 0 } });
        }
        entries.shrink();
        entries
    }

    #[test]
    fn what_is_held_is_found_and_nothing_else_whatever_its_length() {
        let name = |seed: usize, length: usize| -> String {
            (0..length).map(|at| char::from(b"aB_9zQ-."[(seed + at * at + 3 * length) % 8])).collect()
        };
        let lengths = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 200];
        let (mine, others): (Vec<_>, Vec<_>) =
            lengths.iter().map(|&length| (name(1, length), name(2, length))).unzip();
        for case in [CaseRule::Sensitive, CaseRule::AsciiInsensitive] {
            let entries = held(&mine, case);
            let found = |name: &str| {
                let entry = entries.find(OsStr::new(name))?;
                entry.value.as_ref().and_then(|value| value.expose().ok()).map(str::to_owned)
            };
            for name in &mine {
                assert_eq!(found(name).as_ref(), Some(name), "{case:?}");
                let folded = case == CaseRule::AsciiInsensitive;
                for other in [name.to_ascii_lowercase(), name.to_ascii_uppercase()] {
                    let wanted = mine
                        .iter()
                        .find(|held| **held == other || folded && held.eq_ignore_ascii_case(&other));
                    assert_eq!(found(&other).as_ref(), wanted, "{other} {case:?}");
                }
            }
            for other in others.iter().filter(|other| !mine.contains(other)) {
                assert_eq!(found(other), None, "{other} {case:?}");
            }
        }
    }
}
