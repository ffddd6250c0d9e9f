//! Each case is one test, under `cargo test` and under nextest (CONF-15).

#[path = "suite/trials.rs"]
mod trials;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use watertight_conformance::case::load_suite;
use watertight_conformance::fixtures;
use watertight_conformance::rules::Rules;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let loaded = Rules::load(&fixtures()).map_err(|error| vec![error]);
    let trials = match loaded.and_then(|rules| load_suite(&[fixtures()], rules)) {
        Ok(suite) => trials::of(suite.cases),
        Err(errors) => vec![Trial::test("fixtures", move || {
            Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n").into())
        })],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}
