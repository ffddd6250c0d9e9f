//! The conformance suite: cases over real profile trees, subjects that are given them, and the verdicts.
//!
//! A [`Case`](case::Case) says what is given, what is done and what is expected; it lies under `fixtures/`
//! with its tree. A [`Subject`](subject::Subject) runs scripts: our crates in process, our crates broken on
//! purpose, or any program that speaks the protocol of `PROTOCOL.md`. The [`runner`] lays each case out
//! afresh and [`check`]s the answer: outcomes, that no value was written anywhere else, and that nothing
//! on disk was changed.
//!
//! Invariants: an outcome is one of a closed set and compared by code, never by message (CONF-04); no
//! expectation comes from running our crates; a subject that breaks never passes (CONF-11).

pub mod case;
pub mod check;
pub mod expectations;
pub mod layout;
pub mod report;
pub mod rules;
pub mod runner;
pub mod subject;

use std::path::{Path, PathBuf};

/// The folder of this workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cases that ship with this workspace.
pub fn fixtures() -> PathBuf {
    workspace().join("fixtures")
}
