//! Known deviations of a subject, each with its reason (CONF-13).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::case::LoadError;
use crate::runner::{CaseResult, Verdict};

/// One known deviation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// A case's id, or a glob over ids.
    pub case: String,
    /// How it ends.
    pub outcome: KnownOutcome,
    /// Why that is known and left as it is.
    #[serde(default)]
    pub reason: String,
}

/// How a case with a known deviation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownOutcome {
    /// It differs.
    Failed,
    /// It breaks the subject.
    Broken,
}

/// The known deviations of a subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expectations(Vec<Deviation>);

/// Why a list of known deviations is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misjudged {
    /// It says nothing on why.
    #[error("the deviation for {0} has no reason")]
    NoReason(String),
    /// Its glob is none.
    #[error("{0} is no glob")]
    NoGlob(String),
    /// Nothing that was run is meant by it.
    #[error("the deviation for {0} matches no case that was run")]
    MatchesNothing(String),
    /// What it says does not happen.
    #[error("{case} is listed under {listed} as a deviation and ended otherwise")]
    EndedOtherwise {
        /// The case.
        case: String,
        /// The entry.
        listed: String,
    },
}

impl Expectations {
    /// Reads a list.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no such list.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        crate::case::read_yaml(path).map(Self)
    }

    /// From entries.
    pub fn of(deviations: Vec<Deviation>) -> Self {
        Self(deviations)
    }

    /// Takes known deviations out of the failures, and says where the list is wrong.
    pub fn apply(&self, results: &mut [CaseResult]) -> Vec<Misjudged> {
        let mut wrong = Vec::new();
        for deviation in &self.0 {
            if deviation.reason.trim().is_empty() {
                wrong.push(Misjudged::NoReason(deviation.case.clone()));
            }
            let Ok(glob) = globset::Glob::new(&deviation.case) else {
                wrong.push(Misjudged::NoGlob(deviation.case.clone()));
                continue;
            };
            let glob = glob.compile_matcher();
            let mut matched = false;
            for result in results.iter_mut().filter(|result| glob.is_match(&result.case.id)) {
                if matches!(result.verdict, Verdict::Skipped(_)) {
                    continue;
                }
                matched = true;
                let as_listed = match deviation.outcome {
                    KnownOutcome::Failed => matches!(result.verdict, Verdict::Failed(_)),
                    KnownOutcome::Broken => matches!(result.verdict, Verdict::Broken(_)),
                };
                if as_listed {
                    result.verdict = Verdict::Skipped(format!("known deviation: {}", deviation.reason));
                } else {
                    let (case, listed) = (result.case.id.clone(), deviation.case.clone());
                    wrong.push(Misjudged::EndedOtherwise { case, listed });
                }
            }
            if !matched {
                wrong.push(Misjudged::MatchesNothing(deviation.case.clone()));
            }
        }
        wrong
    }
}
