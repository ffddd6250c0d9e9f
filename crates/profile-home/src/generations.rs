use std::collections::HashMap;
use std::hash::Hash;

/// A bounded map that keeps what was used lately.
///
/// Two generations: what is new or used again goes into the young one; when that is full it becomes the old
/// one, and the old one is dropped. So at most twice half the bounds are held, and no use costs more than
/// two look-ups.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: HashMap<K, (V, u64)>,
    young_bytes: u64,
    old: HashMap<K, (V, u64)>,
    /// Half of what is held at most.
    entries: usize,
    bytes: u64,
}

impl<K: Eq + Hash + Clone, V> Generations<K, V> {
    /// Holds at most so many entries and so many bytes, as far as their owners state these.
    pub(crate) fn new(entries: usize, bytes: u64) -> Self {
        Self {
            young: HashMap::new(),
            young_bytes: 0,
            old: HashMap::new(),
            entries: (entries / 2).max(1),
            bytes: bytes / 2,
        }
    }

    /// The value of a key. It is young again afterwards.
    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        if !self.young.contains_key(key) {
            let (key, (value, bytes)) = self.old.remove_entry(key)?;
            self.insert(key, value, bytes);
        }
        self.young.get(key).map(|(value, _)| value)
    }

    /// Sets the value of a key. One that is larger than a generation is not held.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: u64) {
        self.remove(&key);
        if bytes > self.bytes {
            return;
        }
        if self.young.len() >= self.entries || self.young_bytes.saturating_add(bytes) > self.bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(key, (value, bytes));
    }

    /// Drops the value of a key.
    pub(crate) fn remove(&mut self, key: &K) {
        if let Some((_, bytes)) = self.young.remove(key) {
            self.young_bytes = self.young_bytes.saturating_sub(bytes);
        }
        self.old.remove(key);
    }

    /// How many entries are held.
    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_05_never_more_than_the_bounds_are_held_and_what_is_used_stays() {
        let mut held = Generations::new(10, 1000);
        held.insert(0, "used", 1);
        for key in 1..1000 {
            held.insert(key, "new", 1);
            assert_eq!(held.get(&0), Some(&"used"), "what is used at every step was dropped");
            assert!(held.len() <= 10, "{} entries are held", held.len());
        }
        let mut held = Generations::new(10, 1000);
        for key in 0..1000 {
            held.insert(key, "large", 300);
            assert!(held.len() <= 2, "{} entries of 300 bytes are held in 1000", held.len());
        }
        held.insert(1, "too large", 501);
        assert_eq!(held.get(&1), None);
    }
}
