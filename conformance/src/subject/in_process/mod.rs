//! Our crates in process: a host over an injected environment and the case's tree.

mod files;
mod flaw;
mod identity;
mod lanes;
mod leaves;
mod log;
mod naive;
mod naive_host;
mod naive_terminal;
mod policy;
mod script;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Answer, Assignment, Fault, Hello, Subject};
use crate::case::CAPABILITIES;
use flaw::Defect;
pub use flaw::{FLAWS, Flaw};
pub use log::SAYS;
use world::World;
pub use world::host_of;

/// Our crates, as they are or with one flaw built in.
#[derive(Debug)]
pub struct InProcess {
    hello: Hello,
    flaw: Option<Flaw>,
}

impl InProcess {
    /// Our crates as they are.
    pub fn new() -> Self {
        Self::named("watertight", None)
    }

    /// Our crates with a flaw (CONF-14).
    pub fn broken(flaw: Flaw) -> Self {
        Self::named(&format!("broken:{}", flaw.name()), Some(flaw))
    }

    fn named(name: &str, flaw: Option<Flaw>) -> Self {
        let capabilities = CAPABILITIES.map(str::to_owned).to_vec();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { hello: Hello { name: name.to_owned(), version, capabilities }, flaw }
    }
}

impl Default for InProcess {
    fn default() -> Self {
        Self::new()
    }
}

impl Subject for InProcess {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&self, assignment: &Assignment) -> Result<Answer, Fault> {
        run_with(assignment, &Arc::new(Defect::of(self.flaw)))
    }
}

impl InProcess {
    /// Runs a script, and tells which flaws would have shown in it: it comes to the same with any other one
    /// built in (CONF-14).
    ///
    /// # Errors
    ///
    /// As [`Subject::run`].
    pub fn run_and_reach(&self, assignment: &Assignment) -> Result<(Answer, Vec<Flaw>), Fault> {
        let defect = Arc::new(Defect::of(self.flaw));
        let answer = run_with(assignment, &defect)?;
        Ok((answer, defect.asked()))
    }
}

fn run_with(assignment: &Assignment, defect: &Arc<Defect>) -> Result<Answer, Fault> {
    let (log, dispatch) = log::capture();
    let run = || {
        let world = World::of(assignment, Arc::clone(defect), log.clone())?;
        world.run(&assignment.script);
        Ok(world.outcomes())
    };
    // What building a host tells is held against the canaries as well.
    let run = || tracing::dispatcher::with_default(&dispatch, run);
    let outcomes = catch_unwind(AssertUnwindSafe(run))
        .map_err(|_| Fault::Crashed("it panicked".to_owned()))?
        .map_err(|error: base64::DecodeError| Fault::Nonsense(error.to_string()))?;
    Ok(Answer { outcomes, log: log.lines() })
}
