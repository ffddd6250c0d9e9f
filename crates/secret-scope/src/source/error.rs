use std::io;

use watertight_env_snapshot::ChildEnvError;
use watertight_vocabulary::{Name, Refusal};

/// Why a source has no answer. It holds no value, no output and no text of the other side.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The builder was told of no environment that a program could start from.
    #[error("no environment was given for its program to start from; name one with `programs(..)`")]
    NoPrograms,
    /// The environment of its program could not be built.
    #[error("its program's environment could not be built: {0}")]
    ChildEnv(#[source] ChildEnvError),
    /// Its program could not be started.
    #[error("its program {program} could not be started: {}", describe(*kind))]
    Start {
        /// The program.
        program: Name,
        /// What the operating system said.
        kind: io::ErrorKind,
    },
    /// Its program could not be waited for, or its output not be read.
    #[error("its program {program} was lost: {}", describe(*kind))]
    Lost {
        /// The program.
        program: Name,
        /// What the operating system said.
        kind: io::ErrorKind,
    },
    /// Its program did not end in time. It was killed.
    #[error("its program {program} did not end within {milliseconds} ms and was killed")]
    Deadline {
        /// The program.
        program: Name,
        /// How long it was given.
        milliseconds: u128,
    },
    /// Its program wrote too much. It was killed.
    #[error("its program {program} wrote more than {limit} bytes and was killed")]
    TooLong {
        /// The program.
        program: Name,
        /// The most that is read.
        limit: usize,
    },
    /// Its program ended with another status than success.
    #[error("its program {program} failed ({}); what it wrote is not shown", status(*code))]
    Failed {
        /// The program.
        program: Name,
        /// Its exit code, where it has one.
        code: Option<i32>,
    },
    /// Its program wrote nothing where a value was asked for.
    #[error("its program {program} wrote no value")]
    NoValue {
        /// The program.
        program: Name,
    },
    /// Its program's output is no `.env`.
    #[error("what its program {program} wrote cannot be read as a `.env` file")]
    Output {
        /// The program.
        program: Name,
    },
    /// It ended in a panic.
    #[error("it panicked")]
    Panicked,
    /// A source of the host's own failed. The text is fixed, so that it can hold no value.
    #[error("{0}")]
    Other(&'static str),
}

impl SourceError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoPrograms => "source-no-programs",
            Self::ChildEnv(_) => "source-child-env",
            Self::Start { .. } => "source-not-started",
            Self::Lost { .. } => "source-lost",
            Self::Deadline { .. } => "source-deadline",
            Self::TooLong { .. } => "source-too-long",
            Self::Failed { .. } => "source-failed",
            Self::NoValue { .. } => "source-no-value",
            Self::Output { .. } => "source-output",
            Self::Panicked => "source-panicked",
            Self::Other(_) => "source-other",
        }
    }

    /// What a read is refused with while the source has no answer (SEC-24).
    pub(crate) fn refusal(&self, source: &str) -> Refusal {
        Refusal::new(self.code(), format!("the source {source} has no answer: {self}"))
            .mended_by("mend it and refresh the profile")
    }
}

/// The kind's own words: the system's text may hold a path and is not needed.
fn describe(kind: io::ErrorKind) -> String {
    kind.to_string()
}

fn status(code: Option<i32>) -> String {
    code.map_or_else(|| "it was killed".to_owned(), |code| format!("exit code {code}"))
}
