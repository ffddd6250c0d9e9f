use std::fmt;

use serde::Serialize;

use crate::parse;

/// The type of a mapped key (TERM-09).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the typed views are one for each of these")]
pub enum ValueType {
    /// Text, as it is written.
    Text,
    /// A path; no path is checked for existence.
    Path,
    /// A whole number in plain decimal.
    Integer,
    /// A number in decimal.
    Number,
    /// One of the words that mean true or false (FILE-32).
    Boolean,
    /// A list, as JSON text.
    List,
    /// A mapping, as JSON text.
    Map,
}

impl ValueType {
    /// All of them, for tables in tests.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Path, Self::Integer, Self::Number, Self::Boolean, Self::List, Self::Map];

    /// The type's name for people, with its article.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Path => "a path",
            Self::Integer => "a whole number in plain decimal",
            Self::Number => "a number in decimal",
            Self::Boolean => "one of the words for true and false",
            Self::List => "a list (as JSON)",
            Self::Map => "a mapping (as JSON)",
        }
    }

    /// Whether the value is text whose spelling counts.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Path)
    }

    /// Whether the bytes of a value can be read as this type.
    pub(crate) fn accepts(self, value: &[u8]) -> bool {
        if self.is_text() {
            return true;
        }
        let Ok(text) = std::str::from_utf8(value) else { return false };
        match self {
            Self::Text | Self::Path => true,
            Self::Integer => parse::integer(text).is_some(),
            Self::Number => parse::number(text).is_some(),
            Self::Boolean => parse::boolean(text).is_some(),
            Self::List => parse::list(text).is_some(),
            Self::Map => parse::map(text).is_some(),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
