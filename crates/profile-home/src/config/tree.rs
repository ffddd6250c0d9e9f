use std::fmt;
use std::hash::{Hash, Hasher};

use zeroize::Zeroizing;

use super::words::boolean_word;

/// A value of a `config.yaml`: a tree of our own, never the library's (FILE-36, FILE-37).
///
/// `Debug` shows types and sizes, never a key or a value. Texts are wiped when dropped.
#[derive(Clone, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "what YAML has; who renders it must decide on each")]
pub enum Yaml {
    /// Null, or nothing.
    Null,
    /// `true` or `false`. The words of YAML 1.1 arrive as text (FILE-38).
    Bool(bool),
    /// An integer of up to 128 bits, in decimal (FILE-38).
    Int(YamlText),
    /// A number with a point or an exponent, and an integer of more than 128 bits.
    Float(YamlFloat),
    /// A text.
    Text(YamlText),
    /// A list.
    List(Vec<Yaml>),
    /// A mapping, in the file's order, without duplicate keys, with merge keys applied (FILE-33).
    Map(Vec<(Yaml, Yaml)>),
    /// A value under a local tag (`!x`), without the tag. A section that holds one is invalid (FILE-31).
    Tagged(Box<Yaml>),
}

/// A text of the file, wiped when dropped; `Debug` shows its length.
#[derive(Clone, PartialEq, Eq)]
pub struct YamlText(Zeroizing<Box<str>>);

/// A float that compares by its bits, so that one not-a-number equals itself as a key.
#[derive(Clone, Copy)]
pub struct YamlFloat(f64);

impl YamlText {
    pub(super) fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Hash for YamlText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for YamlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl YamlFloat {
    pub(super) fn new(value: f64) -> Self {
        Self(value)
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl PartialEq for YamlFloat {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for YamlFloat {}

impl Hash for YamlFloat {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Debug for YamlFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}

impl Yaml {
    /// What it is, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
            Self::Tagged(_) => "a tagged value",
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// The value of a key, if it is a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => get(entries, key),
            _ => None,
        }
    }

    /// The boolean that it is where a boolean is expected (FILE-32): `true` and `false`, the words of
    /// YAML 1.1, quoted or not, and `1` and `0`.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Text(text) | Self::Int(text) => boolean_word(text.as_str()),
            _ => None,
        }
    }

    /// Whether a local tag stands on it or on anything in it. The tree is never deep.
    pub(super) fn holds_a_tag(&self) -> bool {
        match self {
            Self::Tagged(_) => true,
            Self::List(items) => items.iter().any(Self::holds_a_tag),
            Self::Map(entries) => entries.iter().any(|(key, value)| key.holds_a_tag() || value.holds_a_tag()),
            _ => false,
        }
    }
}

impl fmt::Debug for Yaml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(items) => write!(f, "Yaml(a list of {})", items.len()),
            Self::Map(entries) => write!(f, "Yaml(a mapping of {})", entries.len()),
            other => write!(f, "Yaml({})", other.kind()),
        }
    }
}

/// The value of a key that is text.
pub(super) fn get<'a>(entries: &'a [(Yaml, Yaml)], key: &str) -> Option<&'a Yaml> {
    entries.iter().find(|(candidate, _)| candidate.as_str() == Some(key)).map(|(_, value)| value)
}
