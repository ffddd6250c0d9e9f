//! The only module that knows the YAML library (FILE-36).
//!
//! The library is fed only what it can bear (FILE-37): brackets and what may begin a node are counted before it
//! sees a byte, and what it yields goes into a tree of our own under a budget, with duplicates and merge keys judged on the
//! way. Its own limit on depth keeps the tree shallow, and so its drop.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use zeroize::Zeroizing;

use super::tree::{Yaml, YamlFloat, YamlText};
use super::{anchors, signs};
use crate::dotenv::without_mark;
use crate::{FileError, Invalid};

/// Nodes of the tree, aliases counted as often as they are used.
pub(super) const MOST_NODES: usize = 50_000;
/// Bytes of text in the tree, aliases counted as often as they are used.
const MOST_TEXT: usize = 1 << 20;
/// The library's own limit is the same; this one holds whatever the library does.
const MOST_LEVELS: usize = 128;

/// A file's own mapping, and the lines of its keys where they could be told.
pub(super) struct Loaded {
    pub(super) root: Vec<(Yaml, Yaml)>,
    pub(super) lines: Vec<Option<u32>>,
}

/// Loads a file (FILE-30, FILE-31, FILE-33, FILE-35, FILE-37).
pub(super) fn load(bytes: &[u8]) -> Result<Loaded, FileError> {
    let bytes = without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = valid.split(|byte| *byte == b'\n').count();
        FileError::from(Invalid::NotUtf8).at(number(line), None)
    })?;
    if let Some(spent) = signs::beyond_budget(text) {
        return Err(Invalid::Budget(spent).into());
    }
    if let Some(line) = anchors::repeated(text) {
        return Err(FileError::from(Invalid::RepeatedAnchor).at(line, None));
    }
    let root = match tree(text)? {
        Yaml::Null => Vec::new(),
        Yaml::Map(entries) => entries,
        Yaml::Tagged(_) => return Err(Invalid::LocalTag { section: None }.into()),
        other => return Err(Invalid::RootType { found: other.kind() }.into()),
    };
    if root.iter().any(|(key, _)| key.holds_a_tag()) {
        return Err(Invalid::LocalTag { section: None }.into());
    }
    let lines = lines_of(text, &root);
    Ok(Loaded { root, lines })
}

/// The whole tree.
fn tree(text: &str) -> Result<Yaml, FileError> {
    let budget = Budget { spent: RefCell::new(Spent::default()), hasher: RandomState::default() };
    let node = Node { budget: &budget, levels: MOST_LEVELS, role: Role::Value, siblings: None };
    node.deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let why = budget.spent.borrow_mut().broken.take().unwrap_or_else(|| classify(&error));
        let place = match error.location().map(|at| (number(at.line()), number(at.column()))) {
            // The library tells no place of a character that it does not read at all.
            Some((1, 1)) => unreadable_character(text).or(Some((1, 1))),
            place => place,
        };
        let found = FileError::from(why);
        match place {
            Some((line, column)) => found.at(line, Some(column)),
            None => found,
        }
    })
}

/// Line and column of the first control character that YAML does not allow.
fn unreadable_character(text: &str) -> Option<(u32, u32)> {
    let refused =
        |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{85}');
    let (before, _) = text.split_at(text.find(refused)?);
    let line = before.rsplit('\n').next().unwrap_or(before);
    Some((number(before.matches('\n').count() + 1), number(line.chars().count() + 1)))
}

/// Which of our reasons an error of the library is. Its text chooses, and is passed on to nobody (FILE-04).
fn classify(error: &serde_yaml::Error) -> Invalid {
    // It may quote the file: only the beginning is looked at, and wiped.
    let mut beginning = Beginning::default();
    let _ = fmt::write(&mut beginning, format_args!("{error}"));
    let text = beginning.as_str();
    if text.starts_with("recursion limit exceeded") {
        Invalid::Budget("nesting")
    } else if text.starts_with("repetition limit exceeded") {
        Invalid::Budget("aliases")
    } else if text.starts_with("unknown anchor") {
        Invalid::UndefinedAlias
    } else if text.starts_with("deserializing from YAML contain") {
        Invalid::SeveralDocuments
    } else {
        Invalid::Syntax
    }
}

/// The beginning of a text that is written to it, wiped when dropped.
#[derive(Default)]
struct Beginning {
    bytes: Zeroizing<[u8; 32]>,
    length: usize,
}

impl Beginning {
    fn as_str(&self) -> &str {
        let written = self.bytes.get(..self.length).unwrap_or_default();
        written.utf8_chunks().next().map_or("", |chunk| chunk.valid())
    }
}

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let rest = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (to, from) in rest.iter_mut().zip(text.bytes()) {
            *to = from;
            self.length += 1;
        }
        Ok(())
    }
}

struct Budget {
    spent: RefCell<Spent>,
    hasher: RandomState,
}

#[derive(Default)]
struct Spent {
    nodes: usize,
    text: usize,
    /// Why we broke off; the library carries texts only.
    broken: Option<Invalid>,
}

impl Budget {
    fn node<E: de::Error>(&self) -> Result<(), E> {
        let mut spent = self.spent.borrow_mut();
        spent.nodes += 1;
        if spent.nodes > MOST_NODES {
            drop(spent);
            return Err(self.broken(Invalid::Budget("nodes")));
        }
        Ok(())
    }

    fn text<E: de::Error>(&self, text: &str) -> Result<YamlText, E> {
        self.bytes(text)?;
        Ok(YamlText::new(text))
    }

    fn bytes<E: de::Error>(&self, text: &str) -> Result<(), E> {
        let mut spent = self.spent.borrow_mut();
        spent.text = spent.text.saturating_add(text.len());
        if spent.text > MOST_TEXT {
            drop(spent);
            return Err(self.broken(Invalid::Budget("text")));
        }
        Ok(())
    }

    /// Breaks off. The error's own text is empty on purpose: the reason is kept here.
    fn broken<E: de::Error>(&self, why: Invalid) -> E {
        self.spent.borrow_mut().broken.get_or_insert(why);
        E::custom("")
    }
}

/// What a node is read as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Value,
    /// The value of a `<<`.
    Merge,
    /// An element of the list under a `<<`.
    Merged,
}

/// Reads one node into our tree.
#[derive(Clone, Copy)]
struct Node<'b> {
    budget: &'b Budget,
    levels: usize,
    role: Role,
    /// For a key: the mapping that must not hold it yet. It is asked while the library is at the key, so
    /// that the error tells the key's place.
    siblings: Option<&'b Mapping>,
}

impl Node<'_> {
    fn inside<E: de::Error>(self, role: Role) -> Result<Self, E> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Self { levels, role, siblings: None, ..self }),
            None => Err(self.budget.broken(Invalid::Budget("nesting"))),
        }
    }

    /// Counts a node that is neither list nor mapping, and refuses it where one must stand (FILE-33).
    fn leaf<E: de::Error>(self) -> Result<(), E> {
        self.budget.node()?;
        if self.role == Role::Value { Ok(()) } else { Err(self.budget.broken(Invalid::MergeValue)) }
    }

    fn finish<E: de::Error>(self, value: Yaml) -> Result<Yaml, E> {
        let twice = self.siblings.is_some_and(|mapping| mapping.holds(&value, &self.budget.hasher));
        if twice { Err(self.budget.broken(Invalid::DuplicateKey)) } else { Ok(value) }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Yaml;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! integers {
    ($($visit:ident: $integer:ty),*) => {
        $(fn $visit<E: de::Error>(self, value: $integer) -> Result<Yaml, E> {
            self.leaf()?;
            self.finish(Yaml::Int(self.budget.text(&Zeroizing::new(value.to_string()))?))
        })*
    };
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    integers!(visit_i64: i64, visit_u64: u64, visit_i128: i128, visit_u128: u128);

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Yaml, E> {
        self.leaf()?;
        self.finish(Yaml::Bool(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Yaml, E> {
        self.leaf()?;
        self.finish(Yaml::Float(YamlFloat::new(value)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Yaml, E> {
        self.leaf()?;
        self.finish(Yaml::Text(self.budget.text(value)?))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Yaml, E> {
        self.leaf()?;
        self.finish(Yaml::Null)
    }

    /// An empty document.
    fn visit_none<E: de::Error>(self) -> Result<Yaml, E> {
        self.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Yaml, A::Error> {
        self.budget.node()?;
        let item = self.inside(match self.role {
            Role::Value => Role::Value,
            Role::Merge => Role::Merged,
            Role::Merged => return Err(self.budget.broken(Invalid::MergeValue)),
        })?;
        let mut items = Vec::new();
        while let Some(value) = list.next_element_seed(item)? {
            items.push(value);
        }
        self.finish(Yaml::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Yaml, A::Error> {
        self.budget.node()?;
        let inside = self.inside(Role::Value)?;
        let mut mapping = Mapping::default();
        while let Some(key) = map.next_key_seed(Node { siblings: Some(&mapping), ..inside })? {
            if key.as_str() == Some(MERGE) {
                let merged = map.next_value_seed(Node { role: Role::Merge, ..inside })?;
                mapping.merge = Some((mapping.entries.len(), merged));
            } else {
                let value = map.next_value_seed(inside)?;
                mapping.add(key, value, &self.budget.hasher);
            }
        }
        self.finish(Yaml::Map(mapping.into_entries(&self.budget.hasher)))
    }

    /// The library yields a local tag as an enum.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Yaml, A::Error> {
        self.leaf()?;
        let ((), value) = tagged.variant_seed(Tag(self.budget))?;
        let value = value.newtype_variant_seed(self.inside(Role::Value)?)?;
        self.finish(Yaml::Tagged(Box::new(value)))
    }
}

/// A tag's own text, which counts as any other.
struct Tag<'b>(&'b Budget);

impl<'de> DeserializeSeed<'de> for Tag<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Tag<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tag")
    }

    fn visit_str<E: de::Error>(self, tag: &str) -> Result<(), E> {
        self.0.bytes(tag)
    }
}

/// The key under which mappings are merged (FILE-33).
const MERGE: &str = "<<";

/// A mapping while it is read.
#[derive(Default)]
struct Mapping {
    entries: Vec<(Yaml, Yaml)>,
    index: HashTable<usize>,
    /// What stands under `<<`, and before which entry.
    merge: Option<(usize, Yaml)>,
}

impl Mapping {
    fn holds(&self, key: &Yaml, hasher: &RandomState) -> bool {
        let same = |at: &usize| self.entries.get(*at).is_some_and(|(own, _)| own == key);
        (self.merge.is_some() && key.as_str() == Some(MERGE))
            || self.index.find(hasher.hash_one(key), same).is_some()
    }

    fn add(&mut self, key: Yaml, value: Yaml, hasher: &RandomState) {
        let Self { entries, index, .. } = self;
        let at = entries.len();
        let hash = hasher.hash_one(&key);
        entries.push((key, value));
        index.insert_unique(hash, at, |at| match entries.get(*at) {
            Some((key, _)) => hasher.hash_one(key),
            None => 0,
        });
    }

    /// The entries, with merged ones where the `<<` stood: explicit keys win, then earlier mappings. What is
    /// merged was already counted by the budget, and is moved.
    fn into_entries(mut self, hasher: &RandomState) -> Vec<(Yaml, Yaml)> {
        let Some((place, merged)) = self.merge.take() else { return self.entries };
        let own = self.entries.len();
        let mappings = match merged {
            Yaml::List(mappings) => mappings,
            mapping => vec![mapping],
        };
        for (key, value) in mappings.into_iter().flat_map(entries_of) {
            if !self.holds(&key, hasher) {
                self.add(key, value, hasher);
            }
        }
        let added = self.entries.len() - own;
        if let Some(behind) = self.entries.get_mut(place..) {
            behind.rotate_right(added);
        }
        self.entries
    }
}

fn entries_of(value: Yaml) -> Vec<(Yaml, Yaml)> {
    match value {
        Yaml::Map(entries) => entries,
        _ => Vec::new(),
    }
}

/// The lines on which the keys of the file's own mapping stand, where exactly one line at the margin begins
/// with the key. For errors only: the library tells no place of what it read well.
fn lines_of(text: &str, root: &[(Yaml, Yaml)]) -> Vec<Option<u32>> {
    let mut found: HashMap<&str, Option<u32>> = HashMap::new();
    for (line, content) in (1..).zip(text.lines()) {
        if let Some(key) = key_at_margin(content) {
            found.entry(key).and_modify(|line| *line = None).or_insert(Some(line));
        }
    }
    root.iter().map(|(key, _)| found.get(key.as_str()?).copied().flatten()).collect()
}

fn key_at_margin(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '#', '-', '{', '[']) {
        return None;
    }
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end();
    let unquoted = ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote));
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| unquoted.unwrap_or(key))
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why [`anchors`] is there. If this fails, the library has been mended and the module can go.
    #[test]
    fn file_31_the_library_leads_an_alias_to_another_anchor_when_a_name_is_defined_twice() {
        let text = "x: &a 1\ny: &a 2\nz: &b 3\nw: *a\n";
        let Yaml::Map(entries) = tree(text).unwrap() else { panic!("a mapping") };
        assert_eq!(entries[3].1, Yaml::Int(YamlText::new("3")), "by the book it is 2");
    }

    /// The library's own limit comes first in a file. This reads a tree that has none.
    #[test]
    fn file_37_levels_are_counted_whatever_the_library_does() {
        let read = |levels: usize| {
            let deep = (0..levels).fold(serde_yaml::Value::Null, |inside, _| vec![inside].into());
            let budget = Budget { spent: RefCell::new(Spent::default()), hasher: RandomState::default() };
            let node = Node { budget: &budget, levels: MOST_LEVELS, role: Role::Value, siblings: None };
            let read = node.deserialize(deep).is_ok();
            (read, budget.spent.into_inner().broken)
        };
        assert_eq!(read(MOST_LEVELS), (true, None));
        assert_eq!(read(MOST_LEVELS + 1), (false, Some(Invalid::Budget("nesting"))));
    }
}
