use std::ffi::OsString;
use std::fmt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use watertight_env_snapshot::CommandExt;
use watertight_profile_home::{Dotenv, parse_dotenv};
use watertight_vocabulary::{Name, Secret};

use super::process::{Fault, Limits, Output, run};
use super::{SecretSource, SourceError, SourceRequest};

/// A source that runs a program, as `op read`, `pass show` or `sops -d` would be run (SEC-23).
///
/// ```
/// use std::time::Duration;
/// use watertight_secret_scope::CommandSource;
///
/// let one_key = CommandSource::value("pass", "pass", ["show", "agents/coder/model"], "MODEL_KEY");
/// let many = CommandSource::dotenv("sops", "sops", ["-d", "/srv/keys/coder.env"], ["MODEL_KEY", "SEARCH_KEY"])
///     .within(Duration::from_secs(10));
/// ```
///
/// # Fail-closed behaviour
///
/// - No shell: the arguments are handed over as they are.
/// - Its environment is a [`ChildEnv`](watertight_env_snapshot::ChildEnv) for the home that is being built:
///   the base list, and what that home's own `.env` holds for the names that are declared here. Nothing of
///   another home is in reach.
/// - It runs in no profile's folder (Unix: in `/`), where an agent could have left a file for it to find. So
///   paths among its arguments are absolute ones.
/// - Its standard input is empty, and its standard error is thrown away. Its output is capped and wiped.
/// - After the deadline it is killed, with whatever it started (Unix: its process group), also when it has
///   ended itself and left something that holds its output.
/// - A failure says which program it was and how it ended; nothing that the program wrote is shown, and
///   none of its arguments.
#[derive(Clone)]
pub struct CommandSource {
    name: Arc<str>,
    program: OsString,
    arguments: Vec<OsString>,
    declares: Vec<Name>,
    reading: Reading,
    limits: Limits,
}

/// How the program's output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As the value of the one declared name, without one line end at its end.
    Value,
    /// As a `.env` file, each line of which counts.
    Dotenv,
}

/// How long a program is given, and how much it may write.
const LIMITS: Limits = Limits { time: Duration::from_secs(30), output: 64 * 1024 };

impl CommandSource {
    /// A program whose output is the value of one name, without one line end at its end. No output is a
    /// failure: an empty value is written as one, not by silence.
    pub fn value<A: Into<OsString>>(
        name: &str,
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
        declares: impl Into<Name>,
    ) -> Self {
        Self::new(name, program.into(), arguments, vec![declares.into()], Reading::Value)
    }

    /// A program whose output is read as a `.env` file. A line of it that assigns nothing is a failure: what
    /// it would have said cannot be known.
    pub fn dotenv<A: Into<OsString>, N: Into<Name>>(
        name: &str,
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
        declares: impl IntoIterator<Item = N>,
    ) -> Self {
        let declares = declares.into_iter().map(Into::into).collect();
        Self::new(name, program.into(), arguments, declares, Reading::Dotenv)
    }

    fn new<A: Into<OsString>>(
        name: &str,
        program: OsString,
        arguments: impl IntoIterator<Item = A>,
        declares: Vec<Name>,
        reading: Reading,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { name: name.into(), program, arguments, declares, reading, limits: LIMITS }
    }

    /// Gives the program another time than 30 seconds.
    pub fn within(mut self, time: Duration) -> Self {
        self.limits.time = time;
        self
    }

    /// Lets the program write another number of bytes than 64 KiB.
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.limits.output = bytes;
        self
    }

    /// Shows the program further names of the home's own `.env`, such as the token that it signs in with.
    /// Like every declared name they are refused while the source fails.
    pub fn also_sees<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.declares.extend(names.into_iter().map(Into::into));
        self
    }

    fn read(&self, output: &Output) -> Result<Vec<(Name, Secret)>, SourceError> {
        match self.reading {
            Reading::Value => {
                let value = output.strip_suffix(b"\n").unwrap_or(output);
                let value = value.strip_suffix(b"\r").filter(|_| value.len() < output.len()).unwrap_or(value);
                let name = self.declares.first().filter(|_| !output.is_empty());
                let name = name.ok_or(SourceError::NoValue { program: self.shown() })?;
                Ok(vec![(name.clone(), Secret::from_bytes(name, value.to_vec()))])
            }
            Reading::Dotenv => {
                let file = parse_dotenv(output);
                // What is about no key is about a line that gave none, or that is no text: a name is missing
                // then, and a program that says that it has no answer may say so here.
                let whole = |file: &Dotenv| file.diagnostics().iter().all(|found| found.subject().is_some());
                let file = file.ok().filter(whole).ok_or(SourceError::Output { program: self.shown() })?;
                Ok(file.entries().map(|entry| (entry.name().clone(), entry.value().clone())).collect())
            }
        }
    }

    fn shown(&self) -> Name {
        Name::new(&self.program)
    }
}

impl SecretSource for CommandSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn declares(&self) -> &[Name] {
        &self.declares
    }

    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).with_child_env(&request.child_env()?);
        if cfg!(unix) {
            command.current_dir("/");
        }
        let output = run(&mut command, self.limits).map_err(|fault| {
            let program = self.shown();
            match fault {
                Fault::Start(kind) => SourceError::Start { program, kind },
                Fault::Lost(kind) => SourceError::Lost { program, kind },
                Fault::Deadline => {
                    SourceError::Deadline { program, milliseconds: self.limits.time.as_millis() }
                }
                Fault::TooLong => SourceError::TooLong { program, limit: self.limits.output },
                Fault::Failed(code) => SourceError::Failed { program, code },
            }
        })?;
        self.read(&output)
    }
}

/// The program and how many arguments it has: an argument may be a secret by mistake.
impl fmt::Debug for CommandSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandSource")
            .field("name", &self.name)
            .field("program", &self.shown())
            .field("arguments", &self.arguments.len())
            .field("declares", &self.declares)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
