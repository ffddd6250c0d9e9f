//! Known deviations of a subject, each with its reason (CONF-13).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::case::{Case, LoadError};
use crate::check::Difference;
use crate::runner::{CaseResult, Verdict};
use crate::subject::Fault;

/// One known deviation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// A case's id, or a glob over ids.
    pub case: String,
    /// How it ends.
    pub outcome: KnownOutcome,
    /// In what it may differ, where it fails: nothing else is known of it.
    #[serde(default = "in_outcomes_alone")]
    pub differs: Vec<KnownDifference>,
    /// The labels whose outcomes may differ; any, where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
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

/// In what a case with a known deviation differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownDifference {
    /// An outcome is another one.
    Outcome,
    /// A value is written where none belongs.
    Leak,
    /// Something on disk is not as the case leaves it.
    Disk,
}

fn in_outcomes_alone() -> Vec<KnownDifference> {
    vec![KnownDifference::Outcome]
}

impl Deviation {
    /// Whether a case ended as this says, and no worse.
    fn tells(&self, verdict: &Verdict) -> bool {
        match (self.outcome, verdict) {
            (KnownOutcome::Failed, Verdict::Failed(all)) => all.iter().all(|one| self.knows(one)),
            // What leaks besides is not known.
            (KnownOutcome::Broken, Verdict::Broken(fault)) => {
                !matches!(fault, Fault::Leaked(_)) || self.differs.contains(&KnownDifference::Leak)
            }
            _ => false,
        }
    }

    fn knows(&self, difference: &Difference) -> bool {
        let kind = match difference {
            Difference::Outcome { label, .. } | Difference::Unexpected { label, .. } => {
                if !self.labels.is_empty() && !self.labels.contains(label) {
                    return false;
                }
                KnownDifference::Outcome
            }
            Difference::Leak { .. } => KnownDifference::Leak,
            Difference::Changed(_) | Difference::NotWritten(_) | Difference::Mode { .. } => {
                KnownDifference::Disk
            }
            Difference::NotLaidOut(_) => return false,
        };
        self.differs.contains(&kind)
    }
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
    /// No case is meant by it.
    #[error("the deviation for {0} matches no case")]
    MatchesNothing(String),
    /// What it says does not happen.
    #[error("{case} is listed under {listed} as a deviation and did not end as it says")]
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

    /// Takes known deviations out of the failures, and says where the list is wrong: it is held against every
    /// case there is, and what it says of a case only where that one was run.
    pub fn apply(&self, cases: &[Case], results: &mut [CaseResult]) -> Vec<Misjudged> {
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
            if !cases.iter().any(|case| glob.is_match(&case.id)) {
                wrong.push(Misjudged::MatchesNothing(deviation.case.clone()));
            }
            for result in results.iter_mut().filter(|result| glob.is_match(&result.case.id)) {
                if matches!(result.verdict, Verdict::Skipped(_)) {
                    continue;
                }
                if deviation.tells(&result.verdict) {
                    result.verdict = Verdict::Known(deviation.reason.clone());
                } else {
                    let (case, listed) = (result.case.id.clone(), deviation.case.clone());
                    wrong.push(Misjudged::EndedOtherwise { case, listed });
                }
            }
        }
        wrong
    }
}
