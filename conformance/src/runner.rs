//! Runs cases against a subject, several at once, and keeps the results in the order of the cases
//! (CONF-10).

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::GlobMatcher;

use crate::case::{Case, Level, PlatformName, Suite};
use crate::check::{Difference, differences};
use crate::layout::{Layout, unsupported};
use crate::subject::{Afterthought, Assignment, Fault, Late, Subject};

/// Which cases are run, and how.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    only: Option<GlobMatcher>,
    level: Option<Level>,
}

impl Selection {
    /// Every case.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only cases whose id a glob matches.
    ///
    /// # Errors
    ///
    /// A glob that is none.
    pub fn only(self, glob: &str) -> Result<Self, globset::Error> {
        Ok(Self { only: Some(globset::Glob::new(glob)?.compile_matcher()), ..self })
    }

    /// Only cases of this level or a plainer one.
    pub fn level(self, level: Level) -> Self {
        Self { level: Some(level), ..self }
    }

    /// Whether a case is among them.
    pub fn takes(&self, case: &Case) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(&case.id))
            && self.level.is_none_or(|level| case.level <= level)
    }
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// As the case says.
    Passed,
    /// Not as the case says.
    Failed(Vec<Difference>),
    /// Not as the case says, which is known, for this reason (CONF-13).
    Known(String),
    /// Not run, for this reason.
    Skipped(String),
    /// The subject broke, which is never a pass.
    Broken(Fault),
}

/// A case and how it ended.
#[derive(Debug, Clone)]
pub struct CaseResult {
    /// The case.
    pub case: Case,
    /// How it ended.
    pub verdict: Verdict,
}

/// Runs the selected cases on `threads` threads. `progress` hears of each as it ends.
pub fn run(
    suite: &Suite,
    subject: &dyn Subject,
    selection: &Selection,
    threads: usize,
    progress: &(dyn Fn(&CaseResult) + Sync),
) -> Vec<CaseResult> {
    let cases: Vec<&Case> = suite.cases.iter().filter(|case| selection.takes(case)).collect();
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<CaseResult>>> = cases.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, cases.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(case), Some(slot)) = (cases.get(position), results.get(position)) else {
                        return;
                    };
                    let result = CaseResult { verdict: run_case(case, subject), case: (*case).clone() };
                    progress(&result);
                    if let Ok(mut slot) = slot.lock() {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    let mut results: Vec<_> =
        results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect();
    for Afterthought { case, what } in subject.finish() {
        if let Some(result) = results.iter_mut().find(|result| result.case.id == case) {
            result.think_again(what);
        }
    }
    results
}

impl CaseResult {
    /// What a subject did after its answer counts against the case that it had answered (CONF-05, CONF-11).
    fn think_again(&mut self, late: Late) {
        match (&mut self.verdict, late) {
            (Verdict::Broken(Fault::Leaked(_)), _) | (Verdict::Broken(_), Late::Broke(_)) => {}
            (Verdict::Broken(fault), Late::Leaked(_)) => {
                *fault = Fault::Leaked(Box::new(fault.clone()));
            }
            (Verdict::Failed(differences), Late::Leaked(place)) => {
                differences.push(Difference::Leak { place });
            }
            (verdict, Late::Leaked(place)) => *verdict = Verdict::Failed(vec![Difference::Leak { place }]),
            (Verdict::Failed(differences), Late::Broke(fault))
                if differences.iter().any(|difference| matches!(difference, Difference::Leak { .. })) =>
            {
                self.verdict = Verdict::Broken(Fault::Leaked(Box::new(fault)));
            }
            (verdict, Late::Broke(fault)) => *verdict = Verdict::Broken(fault),
        }
    }
}

/// Lays one case out, has the subject run it, and judges the answer.
pub fn run_case(case: &Case, subject: &dyn Subject) -> Verdict {
    if let Some(reason) = reason_to_skip(case, subject) {
        return Verdict::Skipped(reason);
    }
    let mut doubts = Vec::new();
    loop {
        match attempt(case, subject) {
            // Each doubt costs a process that had run another case, so there is an end to them.
            Verdict::Broken(Fault::AfterAnother(doubt)) => doubts.push(*doubt),
            verdict => {
                let others = doubts.into_iter().filter(|doubt| !is_again(&verdict, &doubt.what));
                others.for_each(|doubt| subject.blame(doubt));
                return verdict;
            }
        }
    }
}

/// Whether a case does by itself what it did after another one: then it was no doing of that one.
fn is_again(verdict: &Verdict, late: &Late) -> bool {
    match (verdict, late) {
        (Verdict::Broken(again), Late::Broke(fault)) => again == fault,
        (Verdict::Broken(Fault::Leaked(_)), Late::Leaked(_)) => true,
        (Verdict::Failed(differences), Late::Leaked(_)) => {
            differences.iter().any(|difference| matches!(difference, Difference::Leak { .. }))
        }
        _ => false,
    }
}

fn attempt(case: &Case, subject: &dyn Subject) -> Verdict {
    let layout = match Layout::of(case) {
        Ok(layout) => layout,
        Err(error) => return Verdict::Failed(vec![Difference::NotLaidOut(error.to_string())]),
    };
    let assignment = match Assignment::of(case, &layout) {
        Ok(assignment) => assignment,
        Err(error) => return Verdict::Broken(Fault::Nonsense(error.to_string())),
    };
    match subject.run(&assignment) {
        Err(fault) => Verdict::Broken(fault),
        Ok(answer) => {
            let differences = differences(case, &layout, &answer);
            if differences.is_empty() { Verdict::Passed } else { Verdict::Failed(differences) }
        }
    }
}

/// Why a case is not run, if it is not: by name, and known before anything is laid out.
pub fn reason_to_skip(case: &Case, subject: &dyn Subject) -> Option<String> {
    let here = match watertight_vocabulary::Platform::current() {
        watertight_vocabulary::Platform::Windows => PlatformName::Windows,
        watertight_vocabulary::Platform::MacOs => PlatformName::Macos,
        _ => PlatformName::Linux,
    };
    if !case.platforms.is_empty() && !case.platforms.contains(&here) {
        return Some("another platform".to_owned());
    }
    if let Some(reason) = unsupported(case) {
        return Some(reason.to_owned());
    }
    let known = &subject.hello().capabilities;
    let lacking = case.capabilities().into_iter().find(|needed| !known.contains(needed))?;
    Some(format!("lacks the capability {lacking}"))
}
