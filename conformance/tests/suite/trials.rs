//! A test for each case (CONF-15). The test binary `cases` runs them.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use watertight_conformance::case::Case;
use watertight_conformance::runner::{Verdict, reason_to_skip, run_case};
use watertight_conformance::subject::InProcess;

/// One test for each case, named for it; one that this platform cannot run is shown as ignored.
pub(crate) fn of(cases: Vec<Case>) -> Vec<Trial> {
    let subject = Arc::new(InProcess::new());
    let trial = |case: Case| {
        let subject = Arc::clone(&subject);
        let is_skipped = reason_to_skip(&case, &*subject).is_some();
        Trial::test(case.id.clone(), move || judge(&case, &subject)).with_ignored_flag(is_skipped)
    };
    cases.into_iter().map(trial).collect()
}

fn judge(case: &Case, subject: &InProcess) -> Result<(), Failed> {
    match run_case(case, subject) {
        Verdict::Passed | Verdict::Known(_) => Ok(()),
        Verdict::Skipped(reason) => Err(format!("not run: {reason}").into()),
        Verdict::Failed(differences) => {
            let differences: String = differences.iter().map(ToString::to_string).collect();
            Err(format!("{}\n{differences}", case.about).into())
        }
        Verdict::Broken(fault) => Err(format!("the subject {fault}").into()),
    }
}
