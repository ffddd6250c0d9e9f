//! The suite itself put to the test: its loader, its coverage, its teeth, its protocol.

#![expect(clippy::expect_used, clippy::panic, reason = "a test that cannot set its stage fails")]

mod checks;
mod codes;
mod coverage;
mod deviations;
mod flaws;
#[cfg(unix)]
mod foreign;
mod leaks;
mod loading;
mod protocol;
mod reporting;
mod schemas;
mod trials;

use std::sync::LazyLock;

use watertight_conformance::case::{Suite, load_suite};
use watertight_conformance::fixtures;
use watertight_conformance::rules::Rules;

static SUITE: LazyLock<Suite> = LazyLock::new(|| {
    let rules = Rules::load(&fixtures()).expect("the tables can be read");
    load_suite(&[fixtures()], rules).expect("the cases can be read")
});

/// The cases of this workspace.
fn suite() -> Suite {
    SUITE.clone()
}
