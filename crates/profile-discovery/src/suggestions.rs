//! Names that may have been meant (PROF-11).

use watertight_disk::FileSystem;

use crate::find::is_live;
use crate::listing::{entries_of, open_profiles};
use crate::{ProfileId, Root};

/// How many names are suggested.
const MOST: usize = 3;
/// How many edits away a name may be.
const FARTHEST: usize = 2;

/// The live profiles whose names are near to what was asked for, the nearest first.
///
/// Only names are compared; no more than a few entries are examined. Where the tree cannot be read there
/// are none: this is a courtesy of an error that stands anyway.
pub(crate) fn suggestions(files: &dyn FileSystem, root: &Root, asked: &str) -> Vec<ProfileId> {
    let Ok(Some(folder)) = open_profiles(files, root) else { return Vec::new() };
    let entries = entries_of(&*folder, root).unwrap_or_default();
    let mut near: Vec<(usize, ProfileId)> = entries
        .iter()
        .filter_map(|entry| ProfileId::parse(entry.name.to_str()?).ok())
        .filter_map(|id| {
            let distance = edits(asked.as_bytes(), id.as_str().as_bytes());
            (distance <= FARTHEST && distance < id.as_str().len()).then_some((distance, id))
        })
        .collect();
    near.sort_unstable();
    near.into_iter()
        .take(2 * MOST)
        .map(|(_, id)| id)
        .filter(|id| is_live(&*folder, root, id))
        .take(MOST)
        .collect()
}

/// How many bytes have to be put in, taken out or replaced, as far as it matters here.
fn edits(a: &[u8], b: &[u8]) -> usize {
    if a.len().abs_diff(b.len()) > FARTHEST {
        return FARTHEST + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (above, a) in a.iter().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        let mut cells = row.iter_mut();
        if let Some(first) = cells.next() {
            *first = left;
        }
        for (cell, b) in cells.zip(b) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = *cell;
            left = replaced.min(*cell + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("coder", "coder", 0),
            ("codr", "coder", 1),
            ("coedr", "coder", 2),
            ("ab", "", 2),
            ("x", "coder", 3),
        ] {
            assert_eq!(edits(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }
}
