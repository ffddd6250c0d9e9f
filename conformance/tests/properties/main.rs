//! Properties over generated trees, environments and scripts (CONF-20 to CONF-27).
//!
//! What is generated is a case: a world, a script, and the outcomes that a small model of the rules expects.
//! The model shares no code with the crates. A failure prints the case, shrunk, as a `case.yaml`.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot set its stage fails"
)]

mod activation;
mod closed;
mod dotenv;
mod identity;
mod interleaving;
mod mapped;
mod model;
mod script;
mod scripts;
mod strip;

use proptest::test_runner::{Config, FileFailurePersistence, TestCaseError};
use watertight_conformance::case::Case;
use watertight_conformance::runner::{Verdict, run_case};
use watertight_conformance::subject::InProcess;

/// How many cases a property tries; what once failed is tried first.
fn tries(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..Config::default()
    }
}

/// Our crates pass a generated case.
fn holds(case: &Case) -> Result<(), TestCaseError> {
    holds_for(&InProcess::new(), case)
}

/// A subject passes a generated case.
fn holds_for(subject: &InProcess, case: &Case) -> Result<(), TestCaseError> {
    match run_case(case, subject) {
        Verdict::Passed => Ok(()),
        verdict => {
            let told = match verdict {
                Verdict::Failed(differences) => differences.iter().map(ToString::to_string).collect(),
                other => format!("{other:?}"),
            };
            let yaml = case.to_yaml().expect("a case is YAML");
            Err(TestCaseError::fail(format!("{told}\n# case.yaml\n{yaml}")))
        }
    }
}
