use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a step came to: one of a closed set (CONF-04).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It gave this.
    Value(Value),
    /// There is none.
    Absent,
    /// It must not be answered; the code says why.
    Refused(String),
    /// It failed; the code says why.
    Error(String),
}

/// What a case expects of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// This value.
    Value(Value),
    /// Absence.
    Absent,
    /// A refusal with this code.
    Refused(String),
    /// An error with this code.
    Error(String),
    /// One of a few.
    AnyOf(Vec<Expected>),
}

impl Expected {
    /// Whether an outcome is what is expected.
    pub fn accepts(&self, outcome: &Outcome) -> bool {
        match (self, outcome) {
            (Self::Value(expected), Outcome::Value(actual)) => expected == actual,
            (Self::Absent, Outcome::Absent) => true,
            (Self::Refused(expected), Outcome::Refused(actual))
            | (Self::Error(expected), Outcome::Error(actual)) => expected == actual,
            (Self::AnyOf(several), outcome) => several.iter().any(|expected| expected.accepts(outcome)),
            _ => false,
        }
    }

    /// The codes it names.
    pub fn codes(&self) -> Vec<&str> {
        match self {
            Self::Refused(code) | Self::Error(code) => vec![code],
            Self::AnyOf(several) => several.iter().flat_map(Self::codes).collect(),
            Self::Value(_) | Self::Absent => Vec::new(),
        }
    }
}
