//! Each case is one test, under `cargo test` and under nextest (CONF-15).

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use watertight_conformance::case::{Case, load_suite};
use watertight_conformance::fixtures;
use watertight_conformance::rules::Rules;
use watertight_conformance::runner::{Verdict, run_case};
use watertight_conformance::subject::InProcess;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let loaded = Rules::load(&fixtures()).map_err(|error| vec![error]);
    let suite = match loaded.and_then(|rules| load_suite(&[fixtures()], rules)) {
        Ok(suite) => suite,
        Err(errors) => {
            let bad = Trial::test("fixtures", move || {
                Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n").into())
            });
            return libtest_mimic::run(&arguments, vec![bad]).exit_code();
        }
    };
    let subject = Arc::new(InProcess::new());
    let trial = |case: Case| {
        let subject = Arc::clone(&subject);
        Trial::test(case.id.clone(), move || judge(&case, &subject))
    };
    libtest_mimic::run(&arguments, suite.cases.into_iter().map(trial).collect()).exit_code()
}

fn judge(case: &Case, subject: &InProcess) -> Result<(), Failed> {
    match run_case(case, subject) {
        // What a platform cannot lay out is named by `cargo xtask conformance`.
        Verdict::Passed | Verdict::Skipped(_) => Ok(()),
        Verdict::Failed(differences) => {
            let differences: String = differences.iter().map(ToString::to_string).collect();
            Err(format!("{}\n{differences}", case.about).into())
        }
        Verdict::Broken(fault) => Err(format!("the subject {fault}").into()),
    }
}
