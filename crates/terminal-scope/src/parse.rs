//! What the typed views accept (TERM-09): plain decimal text, the words of FILE-32, JSON text.

use std::fmt;

use serde::de::{Deserialize, MapAccess, Visitor};
use serde_json::value::RawValue;
use watertight_profile_home::boolean_word;
use watertight_vocabulary::{Name, Secret};
use zeroize::Zeroizing;

/// A whole number: digits, with a minus before them at most. No sign, no leading zero, no space is guessed at.
pub(crate) fn integer(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()).then(|| serde_json::from_str(text).ok())?
}

/// A number, in the spelling that JSON has for one. One too large to be held is none.
pub(crate) fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
    plain.then(|| serde_json::from_str::<f64>(text).ok())?
}

/// A word of FILE-32, `1` or `0`.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    boolean_word(text)
}

/// A JSON list, element by element: strings as their text, everything else as its JSON text.
pub(crate) fn list(text: &str) -> Option<Vec<Secret>> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    elements.into_iter().map(element).collect()
}

/// A JSON mapping in its own order; a name that stands twice makes it none.
pub(crate) fn map(text: &str) -> Option<Vec<(String, Secret)>> {
    let pairs: Pairs<'_> = serde_json::from_str(text).ok()?;
    let mut names: Vec<&str> = pairs.0.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return None;
    }
    pairs.0.into_iter().map(|(name, value)| Some((name, element(value)?))).collect()
}

/// The pairs of a JSON mapping, in order.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// One element of a list or mapping, in a buffer that is wiped.
fn element(raw: &RawValue) -> Option<Secret> {
    let text = raw.get();
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => unescape(inside),
        None => Some(Secret::from(text)),
    }
}

/// Undoes JSON's escapes. Written here because a parser's own scratch buffer would not be wiped.
///
/// The text has been checked to be the inside of a JSON string; what is left to go wrong is half a
/// surrogate pair, which is no text.
fn unescape(inside: &str) -> Option<Secret> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(inside.len()));
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        bytes.extend_from_slice(plain.as_bytes());
        let (character, length) = escaped(escape)?;
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = escape.get(length..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(Secret::from_bytes(&Name::from(""), bytes.to_vec()))
}

/// The character of the escape that `text` begins with, and the escape's length in bytes.
fn escaped(text: &str) -> Option<(char, usize)> {
    let simple = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => {
            let first = unit(text, 0)?;
            let pair = (0xD800..0xDC00).contains(&first);
            let units = [first, if pair { unit(text, 6)? } else { 0 }];
            let character = char::decode_utf16(units).next()?.ok()?;
            return Some((character, if pair { 12 } else { 6 }));
        }
        byte => char::from(*byte),
    };
    Some((simple, 2))
}

/// The number of the `\uXXXX` at this offset.
fn unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}
