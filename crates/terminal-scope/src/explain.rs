use std::ffi::OsStr;

use serde::Serialize;
use watertight_vocabulary::{Layer, Name, Origin, Secret};

use crate::policy::Slot;
use crate::schema::{BACKEND, IMAGE_PINNED};
use crate::{SchemaKey, TerminalPolicy, ValueType};

/// What there is to say of one variable of a policy, for people: no value but those the schema marks as
/// shown (TERM-10, TERM-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The variable.
    pub variable: Name,
    /// Its key, where the schema maps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The key's type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// What may be said of its value.
    pub value: Shown,
    /// Where it comes from; nothing if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The layers that it shadows, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<Origin>,
    /// The code of what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'static str>,
}

/// What a report may say of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "the specification lists these")]
pub enum Shown {
    /// The value: of its type, under a key that can hold no secret.
    Value(String),
    /// It is set, to the default.
    Default,
    /// It is set, to something else.
    Set,
    /// It is set, and cannot be read.
    Unreadable,
    /// It is not set.
    Absent,
}

impl TerminalPolicy {
    /// Where a variable's value comes from, what it shadows and what is wrong with it.
    pub fn explain(&self, variable: impl AsRef<OsStr>) -> Explanation {
        let variable = variable.as_ref();
        let key = self.schema.variable(&self.case.fold(variable));
        let slot = self.slot(variable);
        let unknown_backend = key.is_some_and(|key| key.key() == BACKEND) && self.backend().is_err();
        let problem = match (slot.as_ref().and_then(Slot::flaw), key) {
            (Some(flaw), Some(key)) => Some(flaw.under(key.value_type()).code()),
            _ if unknown_backend => Some("unknown-backend"),
            _ => None,
        };
        let value = match &slot {
            None => Shown::Absent,
            Some(slot) => match slot.value() {
                None => Shown::Unreadable,
                Some(value) => self.show(value, variable, problem.is_none()),
            },
        };
        let mut shadowed = match &slot {
            Some(Slot::Own(entry)) => entry.shadowed.iter().map(|mark| self.origin_of(*mark)).collect(),
            _ => Vec::new(),
        };
        if let (Some(Slot::Own(_)), Some(_)) = (&slot, key.and_then(SchemaKey::entry)) {
            shadowed.push(Origin::layer_only(Layer::Default));
        }
        Explanation {
            variable: Name::new(variable),
            key: key.map(|key| key.key().to_owned()),
            value_type: key.map(SchemaKey::value_type),
            value,
            origin: self.origin(variable),
            shadowed,
            problem,
        }
    }

    /// The explanations of all entries, by name in byte order.
    pub fn explanations(&self) -> impl Iterator<Item = Explanation> {
        self.variables().into_iter().map(|name| self.explain(name))
    }

    fn show(&self, value: &Secret, variable: &OsStr, sound: bool) -> Shown {
        let key = self.schema.variable(&self.case.fold(variable));
        let is_shown = key.is_some_and(SchemaKey::is_shown) || variable == IMAGE_PINNED;
        match value.expose() {
            Ok(text) if is_shown && sound => Shown::Value(text.to_owned()),
            _ => {
                let default = key.and_then(SchemaKey::entry);
                let is_default = default.is_some_and(|own| own.expose_bytes() == value.expose_bytes());
                if is_default { Shown::Default } else { Shown::Set }
            }
        }
    }
}
