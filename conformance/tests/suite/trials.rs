//! A test for each case (CONF-15). The test binary `cases` runs them.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use watertight_conformance::case::Case;
use watertight_conformance::runner::{Verdict, run_case};
use watertight_conformance::subject::InProcess;

/// One test for each case, named for it.
pub(crate) fn of(cases: Vec<Case>) -> Vec<Trial> {
    let subject = Arc::new(InProcess::new());
    let trial = |case: Case| {
        let subject = Arc::clone(&subject);
        Trial::test(case.id.clone(), move || judge(&case, &subject))
    };
    cases.into_iter().map(trial).collect()
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
