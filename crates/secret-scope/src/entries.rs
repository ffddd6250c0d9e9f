//! The map of a scope: names, values, and where each came from.

use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
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
    table: Table,
    hash: RandomState,
    case: CaseRule,
    sieve: Sieve,
}

/// Tells of most names that are not held that they are not, for a fraction of what a lookup costs.
#[derive(Default)]
struct Sieve([u64; 4]);

/// Numbers of entries by the hash of their names.
///
/// A power of two of slots, at most a third of them taken, and a taken one holds as much of the hash as fits
/// beside the number. So the slot that a hash points to nearly always answers alone: it is free, or it holds
/// the entry. A general map does the same with three times the instructions.
#[derive(Default)]
struct Table {
    /// 0 is free; else the low bits are an entry's number and one, the others those of its hash.
    slots: Box<[u32]>,
}

/// From the slot that a hash points to, to the next free one.
struct Candidates<'a> {
    slots: &'a [u32],
    at: usize,
    mask: usize,
    mark: u32,
}

impl Entries {
    pub(crate) fn with_capacity(capacity: usize, case: CaseRule) -> Self {
        Self {
            rows: Vec::with_capacity(capacity),
            table: Table::for_entries(capacity),
            hash: RandomState::default(),
            case,
            sieve: Sieve::default(),
        }
    }

    /// Gives back what was reserved in excess.
    pub(crate) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        if Table::slots_for(self.rows.len()) < self.table.slots.len() {
            self.index_anew();
        }
    }

    /// Puts an entry in place of the one with its name, which is returned with its number.
    pub(crate) fn put(&mut self, entry: Entry) -> Option<(u32, Entry)> {
        let hash = hash_of(&self.hash, self.case, entry.name.as_os_str());
        if let Some(number) = self.number_under(hash, entry.name.as_os_str()) {
            let held = self.rows.get_mut(number as usize)?;
            return Some((number, std::mem::replace(held, entry)));
        }
        // A file is capped at a megabyte, an environment by the system: the count fits.
        let number = u32::try_from(self.rows.len()).ok()?;
        self.sieve.add(entry.name.as_os_str());
        self.rows.push(entry);
        if Table::slots_for(self.rows.len()) > self.table.slots.len() {
            self.index_anew();
        } else {
            self.table.insert(hash, number);
        }
        None
    }

    fn index_anew(&mut self) {
        self.table = Table::for_entries(self.rows.len());
        for (entry, number) in self.rows.iter().zip(0..) {
            self.table.insert(hash_of(&self.hash, self.case, entry.name.as_os_str()), number);
        }
    }

    /// The entry of a name, for a read: it neither allocates nor locks.
    ///
    /// The first candidate is nearly always it, so that the way on from there stands apart.
    #[inline]
    pub(crate) fn find(&self, name: &OsStr) -> Option<&Entry> {
        if !self.sieve.may_hold(name) {
            return None;
        }
        let mut candidates = self.table.candidates(hash_of(&self.hash, self.case, name));
        let entry = self.rows.get(candidates.next()? as usize)?;
        let is_it = self.case == CaseRule::Sensitive && same(entry.name.as_os_str(), name);
        if is_it { Some(entry) } else { self.get(name) }
    }

    /// The entry of a name.
    #[inline(never)]
    pub(crate) fn get(&self, name: &OsStr) -> Option<&Entry> {
        self.rows.get(self.number(name)? as usize)
    }

    /// The number of a name's entry.
    #[inline(never)]
    pub(crate) fn number(&self, name: &OsStr) -> Option<u32> {
        self.number_under(hash_of(&self.hash, self.case, name), name)
    }

    #[inline]
    fn number_under(&self, hash: u64, name: &OsStr) -> Option<u32> {
        let is_it = |number: &u32| {
            let entry = self.rows.get(*number as usize);
            entry.is_some_and(|entry| self.case.same(entry.name.as_os_str(), name))
        };
        self.table.candidates(hash).find(is_it)
    }

    /// All of them, in the order in which their names came.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.rows.iter()
    }
}

impl Table {
    fn for_entries(count: usize) -> Self {
        Self { slots: vec![0; Self::slots_for(count)].into() }
    }

    /// Three times the number, or up to six times; of none, none.
    fn slots_for(count: usize) -> usize {
        if count == 0 { 0 } else { (3 * count).next_power_of_two() }
    }

    /// Of a name that is not held, while there is a free slot for it.
    fn insert(&mut self, hash: u64, number: u32) {
        let (mut at, mask) = self.first(hash);
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == 0 {
                *slot = high_half(hash) & !low_half(mask as u64) | (number + 1);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// The numbers of the entries whose names may have this hash.
    #[inline]
    fn candidates(&self, hash: u64) -> Candidates<'_> {
        let (at, mask) = self.first(hash);
        Candidates { slots: &self.slots, at, mask, mark: high_half(hash) }
    }

    /// Where to look first, and the mask of the places: by the low half of the hash, while the high half is
    /// what slots hold of it.
    #[inline]
    fn first(&self, hash: u64) -> (usize, usize) {
        let mask = self.slots.len().wrapping_sub(1);
        (low_half(hash) as usize & mask, mask)
    }
}

impl Iterator for Candidates<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let number_bits = low_half(self.mask as u64);
        loop {
            let slot = *self.slots.get(self.at)?;
            let number = (slot & number_bits).checked_sub(1)?;
            self.at = (self.at + 1) & self.mask;
            if (slot ^ self.mark) & !number_bits == 0 {
                return Some(number);
            }
        }
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

/// The halves of a hash, or of a mask.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "that is what a half is")]
fn low_half(whole: u64) -> u32 {
    whole as u32
}

#[inline]
fn high_half(hash: u64) -> u32 {
    low_half(hash >> 32)
}

/// Equal names hash alike under their case rule.
#[inline]
fn hash_of(state: &RandomState, case: CaseRule, name: &OsStr) -> u64 {
    match case {
        CaseRule::Sensitive => exact_hash_of(state, name.as_encoded_bytes()),
        CaseRule::AsciiInsensitive => folded_hash_of(state, name),
    }
}

/// Names of eight to thirty-two bytes, which nearly all are, are taken in by their two ends and their length:
/// that is short enough to be inlined into a read.
#[inline]
fn exact_hash_of(state: &RandomState, name: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    if let (Some(first), Some(last), ..=32) = (name.first_chunk(), name.last_chunk(), name.len()) {
        hasher.write_u128(u128::from_le_bytes(*first));
        hasher.write_u128(u128::from_le_bytes(*last) ^ name.len() as u128);
        hasher.finish()
    } else if let (Some(first), Some(last), ..16) = (name.first_chunk(), name.last_chunk(), name.len()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        hasher.write_u128(u128::from(first) << 64 | u128::from(last ^ name.len() as u64));
        hasher.finish()
    } else {
        hash_of_any_length(state, name)
    }
}

#[inline(never)]
fn hash_of_any_length(state: &RandomState, name: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write(name);
    hasher.finish()
}

/// Apart, as for the others of its kind.
#[inline(never)]
fn folded_hash_of(state: &RandomState, name: &OsStr) -> u64 {
    let mut hasher = state.build_hasher();
    for byte in name.as_encoded_bytes() {
        hasher.write_u8(byte.to_ascii_uppercase());
    }
    hasher.finish()
}

/// Whether two names are one: those of sixteen to thirty-two bytes are compared by their two ends.
#[inline]
fn same(a: &OsStr, b: &OsStr) -> bool {
    const END: usize = 16;
    let (a, b) = (a.as_encoded_bytes(), b.as_encoded_bytes());
    match (a.first_chunk::<END>(), b.first_chunk(), a.last_chunk::<END>(), b.last_chunk()) {
        (Some(first), Some(others), Some(last), Some(other)) if a.len() <= 2 * END => {
            a.len() == b.len() && first == others && last == other
        }
        _ => a == b,
    }
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

    #[test]
    fn however_many_there_are_each_is_found_by_its_number_and_no_other_name_is() {
        for count in [0, 1, 2, 3, 5, 30, 31, 1000, 5000] {
            let names: Vec<String> = (0..count).map(|number| format!("NAME_{number}_OF_THEM")).collect();
            let entries = held(&names, CaseRule::Sensitive);
            for (number, name) in (0..).zip(&names) {
                let name = OsStr::new(name);
                assert_eq!(entries.number(name), Some(number), "of {count}");
                assert!(entries.find(name).is_some_and(|entry| entry.name.as_os_str() == name), "of {count}");
            }
            for other in (count..2 * count + 10).map(|number| format!("NAME_{number}_OF_THEM")) {
                assert!(entries.find(OsStr::new(&other)).is_none(), "{other} of {count}");
            }
        }
    }

    #[test]
    fn of_two_values_with_one_name_the_later_is_held_under_the_same_number() {
        let mut entries = held(&["ONE".to_owned(), "TWO".to_owned()], CaseRule::Sensitive);
        let place = Place { layer: 1, line: 7 };
        let replaced = entries.put(Entry { name: Name::from("ONE"), value: None, place });
        assert_eq!(replaced.map(|(number, below)| (number, below.place.layer)), Some((0, 0)));
        assert_eq!(entries.get(OsStr::new("ONE")).map(|entry| entry.place.line), Some(7));
        assert_eq!(entries.iter().len(), 2);
    }
}
