//! What a value of `config.yaml` looks like to the tools on the other side (TERM-05).

use std::fmt::Write;

use watertight_profile_home::Yaml;
use watertight_vocabulary::Secret;
use zeroize::Zeroizing;

use crate::fault::Flaw;
use crate::{ValueType, parse};

/// Deeper than this, other readers of JSON give up.
const DEEPEST: u32 = 100;
/// A whole number at or beyond 2^127 has lost digits on its way through a float (FILE-38).
const LARGEST_EXACT: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// A value of `config.yaml`, rendered.
#[derive(Debug)]
pub(crate) enum Rendered {
    /// Null: the layer below keeps its value (TERM-04).
    Nothing,
    /// Text, and what is wrong with it.
    Text(Secret, Option<Flaw>),
    /// An integer under a text key: its decimal text, and worth a report (TERM-09).
    IntegerAsText(Secret),
    /// No text at all: every read of the key is this error.
    Spoilt(Flaw),
}

/// Renders a value under a key of this type.
pub(crate) fn render(value: &Yaml, expected: ValueType) -> Rendered {
    match value {
        Yaml::Null => Rendered::Nothing,
        Yaml::Bool(word) => {
            let text = if *word { "True" } else { "False" };
            Rendered::Text(
                Secret::from(text),
                if expected == ValueType::Boolean { None } else { Some(Flaw::WrongType) },
            )
        }
        Yaml::Int(digits) => integer(digits.as_str(), expected),
        Yaml::Float(number) if !number.value().is_finite() => Rendered::Spoilt(Flaw::NotRenderable),
        Yaml::Float(_) if expected.is_text() => Rendered::Spoilt(Flaw::SpellingLost),
        Yaml::Float(number) => {
            let exact = expected == ValueType::Number && number.value().abs() < LARGEST_EXACT;
            Rendered::Text(
                Secret::from(&**float(number.value())),
                if exact { None } else { Some(Flaw::WrongType) },
            )
        }
        Yaml::Text(text) => self::text(text.as_str(), expected),
        Yaml::List(_) | Yaml::Map(_) => match json(value) {
            Some(text) => {
                let fits = matches!(
                    (value, expected),
                    (Yaml::List(_), ValueType::List) | (Yaml::Map(_), ValueType::Map)
                );
                Rendered::Text(text, if fits { None } else { Some(Flaw::WrongType) })
            }
            None => Rendered::Spoilt(Flaw::NotRenderable),
        },
        Yaml::Tagged(_) => Rendered::Spoilt(Flaw::NotRenderable),
    }
}

fn integer(digits: &str, expected: ValueType) -> Rendered {
    let text = Secret::from(digits);
    if expected.is_text() {
        Rendered::IntegerAsText(text)
    } else {
        let flaw = (!expected.accepts(digits.as_bytes())).then_some(Flaw::WrongType);
        Rendered::Text(text, flaw)
    }
}

/// Text stays as it is, but for the words of a boolean key; there `1` and `0` stay too.
fn text(text: &str, expected: ValueType) -> Rendered {
    let written = match (expected, parse::boolean(text)) {
        (ValueType::Boolean, Some(word)) if !matches!(text, "1" | "0") => {
            if word {
                "True"
            } else {
                "False"
            }
        }
        _ => text,
    };
    let flaw = (!expected.accepts(written.as_bytes())).then_some(Flaw::WrongType);
    Rendered::Text(Secret::from(written), flaw)
}

/// The shortest text that reads back as the same number, with a point or an exponent.
fn float(number: f64) -> Zeroizing<String> {
    Zeroizing::new(format!("{number:?}"))
}

/// A list or mapping as JSON, in the file's order. Measured first, so that the buffer never grows and no
/// copy of a value is left behind.
fn json(value: &Yaml) -> Option<Secret> {
    let mut length = Length(0);
    write_json(value, &mut length, DEEPEST)?;
    let mut text = String::with_capacity(length.0);
    write_json(value, &mut text, DEEPEST)?;
    Some(Secret::from(text))
}

struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

fn write_json(value: &Yaml, out: &mut impl Write, depth: u32) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match value {
        Yaml::Null => out.write_str("null").ok(),
        Yaml::Bool(word) => out.write_str(if *word { "true" } else { "false" }).ok(),
        Yaml::Int(digits) => out.write_str(digits.as_str()).ok(),
        Yaml::Float(number) if number.value().is_finite() => out.write_str(&float(number.value())).ok(),
        Yaml::Text(text) => write_string(text.as_str(), out),
        Yaml::List(elements) => {
            out.write_char('[').ok()?;
            for (at, element) in elements.iter().enumerate() {
                separate(at, out)?;
                write_json(element, out, depth)?;
            }
            out.write_char(']').ok()
        }
        Yaml::Map(pairs) => {
            let mut names: Vec<&str> = Vec::with_capacity(pairs.len());
            out.write_char('{').ok()?;
            for (at, (name, element)) in pairs.iter().enumerate() {
                let name = name_text(name)?;
                names.push(name);
                separate(at, out)?;
                write_string(name, out)?;
                out.write_str(": ").ok()?;
                write_json(element, out, depth)?;
            }
            names.sort_unstable();
            let twice = names.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
            if twice { None } else { out.write_char('}').ok() }
        }
        Yaml::Float(_) | Yaml::Tagged(_) => None,
    }
}

/// A name in a mapping as JSON can hold it. A float's spelling is lost, so it is none.
fn name_text(name: &Yaml) -> Option<&str> {
    match name {
        Yaml::Text(text) | Yaml::Int(text) => Some(text.as_str()),
        Yaml::Bool(true) => Some("true"),
        Yaml::Bool(false) => Some("false"),
        Yaml::Null => Some("null"),
        _ => None,
    }
}

fn separate(at: usize, out: &mut impl Write) -> Option<()> {
    if at == 0 { Some(()) } else { out.write_str(", ").ok() }
}

/// A JSON string in ASCII.
fn write_string(text: &str, out: &mut impl Write) -> Option<()> {
    out.write_char('"').ok()?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\""),
            '\\' => out.write_str("\\\\"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            '\u{8}' => out.write_str("\\b"),
            '\u{c}' => out.write_str("\\f"),
            ' '..='~' => out.write_char(character),
            _ => character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}")),
        }
        .ok()?;
    }
    out.write_char('"').ok()
}
