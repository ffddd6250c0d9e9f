use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::process::Process;
use super::{Afterthought, Answer, Assignment, Fault, Hello, Late, Subject};

/// A program that speaks the protocol (CONF-11). Each thread that runs cases has a process of its own; one
/// that breaks is ended, and the next case starts another.
#[derive(Debug)]
pub struct Foreign {
    command: Vec<String>,
    timeout: Duration,
    hello: Hello,
    idle: Mutex<Vec<Process>>,
    afterthoughts: Mutex<Vec<Afterthought>>,
}

impl Foreign {
    /// Starts a command and asks it who it is. The command is split into words as a shell does it, with
    /// quotes and backslashes and nothing else of a shell.
    ///
    /// # Errors
    ///
    /// It does not start, or breaks while it says who it is.
    pub fn start(command: &str, timeout: Duration) -> Result<Self, Fault> {
        let command = shlex::split(command)
            .ok_or_else(|| Fault::NotStarted("a quote in the command is not closed".to_owned()))?;
        let (process, hello) = Process::start(&command, timeout)?;
        let (idle, afterthoughts) = (Mutex::new(vec![process]), Mutex::default());
        Ok(Self { command, timeout, hello, idle, afterthoughts })
    }

    /// A process that has kept quiet since its last answer. What another one has done is that one's case's.
    fn take(&self) -> Result<Process, Fault> {
        loop {
            let Some(mut process) = locked(&self.idle).pop() else { break };
            let late = process.lately();
            if late.is_empty() {
                return Ok(process);
            }
            self.note(process.last(), late);
        }
        let (process, hello) = Process::start(&self.command, self.timeout)?;
        if hello == self.hello {
            Ok(process)
        } else {
            Err(process.broken(Fault::Nonsense("another `started` than at first".to_owned())))
        }
    }

    fn note(&self, case: Option<String>, late: Vec<Late>) {
        let Some(case) = case else { return };
        let noted = late.into_iter().map(|what| Afterthought { case: case.clone(), what });
        locked(&self.afterthoughts).extend(noted);
    }
}

impl Subject for Foreign {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&self, assignment: &Assignment) -> Result<Answer, Fault> {
        let mut process = self.take()?;
        match process.run(assignment, self.timeout) {
            Ok(answer) => {
                locked(&self.idle).push(process);
                Ok(answer)
            }
            Err(fault) => Err(process.broken(fault)),
        }
    }

    fn blame(&self, afterthought: Afterthought) {
        locked(&self.afterthoughts).push(afterthought);
    }

    fn finish(&self) -> Vec<Afterthought> {
        let idle = std::mem::take(&mut *locked(&self.idle));
        for process in idle {
            let case = process.last();
            self.note(case, process.finish(self.timeout));
        }
        std::mem::take(&mut *locked(&self.afterthoughts))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
