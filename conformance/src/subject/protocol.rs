//! The lines that a subject reads and writes; PROTOCOL.md shows an exchange.

use serde::{Deserialize, Serialize};

use super::{Answer, Assignment, Hello};

/// The version of the protocol that `start` names.
pub const PROTOCOL: u32 = 1;

/// One line that a subject reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The answer carries it back.
    pub seq: u64,
    /// What is asked.
    pub ask: Ask,
}

/// What a subject is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// Who it is.
    Start {
        /// [`PROTOCOL`].
        protocol: u32,
    },
    /// To run a case.
    Run(Box<Assignment>),
    /// To end.
    Stop {},
}

/// One line that a subject writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// The request's.
    pub seq: u64,
    /// The answer.
    pub answer: Reply,
}

/// What a subject answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// To `start`.
    Started(Hello),
    /// To `run`.
    Ran(Answer),
    /// To `stop`.
    Stopped {},
    /// The request makes no sense to it.
    Rejected {
        /// Why.
        reason: String,
    },
}
