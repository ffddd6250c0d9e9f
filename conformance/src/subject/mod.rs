//! What is put to the test: our crates in process, our crates broken on purpose, or a foreign program.

mod beside;
#[cfg(target_os = "linux")]
mod descendants;
mod dotenvy;
mod foreign;
mod in_process;
mod process;
pub mod protocol;
mod serve;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::case::{Case, EnvBytes, HostOptions, Outcome, Step};
use crate::layout::Layout;

pub use dotenvy::Dotenvy;
pub use foreign::Foreign;
pub use in_process::{FLAWS, Flaw, InProcess, SAYS, host_of};
pub use serve::serve;

/// An implementation that can be given cases.
pub trait Subject: Send + Sync {
    /// Who it is and what it can do.
    fn hello(&self) -> &Hello;

    /// Runs the script of a case in a tree that is laid out already.
    ///
    /// # Errors
    ///
    /// The subject broke: that is never a pass (CONF-11).
    fn run(&self, assignment: &Assignment) -> Result<Answer, Fault>;

    /// Hears that what it did in the end was the doing of a case that it had answered before: a case that was run
    /// after it, and again without it, tells so. A subject in process does nothing then.
    fn blame(&self, _afterthought: Afterthought) {}

    /// Ends it once the last case has run, and tells what it did after it had answered a case. A subject in
    /// process does nothing then.
    fn finish(&self) -> Vec<Afterthought> {
        Vec::new()
    }
}

/// What was seen of a subject only after it had answered a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Afterthought {
    /// The case that it had answered last.
    pub case: String,
    /// What it did.
    pub what: Late,
}

/// What a subject does after an answer and may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Late {
    /// It broke.
    Broke(Fault),
    /// It wrote a value, there (CONF-05).
    Leaked(String),
}

/// Who a subject is and what it can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The capabilities it has; cases that need others are skipped, by name.
    pub capabilities: Vec<String>,
}

/// A case without its expectations, and where its tree lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// The case's id.
    pub case: String,
    /// Where the tree lies, resolved. Paths of the script are relative to it.
    pub root: String,
    /// The environment, whole.
    pub env: BTreeMap<String, String>,
    /// Variables whose value is no text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_bytes: Vec<EnvBytes>,
    /// How the host is set up.
    #[serde(default)]
    pub host: HostOptions,
    /// The script.
    #[serde(rename = "do")]
    pub script: Vec<Step>,
}

impl Assignment {
    /// What a subject is told of a case.
    ///
    /// # Errors
    ///
    /// A step that cannot be written as JSON; there is none.
    pub fn of(case: &Case, layout: &Layout) -> Result<Self, serde_json::Error> {
        let filled = |text: &String| layout.filled(text);
        let mut env: BTreeMap<_, _> =
            case.given.env.iter().map(|(name, value)| (name.clone(), filled(value))).collect();
        if let Some(home) = &case.given.launch_home {
            env.insert("HERMES_HOME".to_owned(), filled(home));
        }
        let mut script = serde_json::to_value(&case.script)?;
        fill(&mut script, layout);
        Ok(Self {
            case: case.id.clone(),
            root: layout.root().to_string_lossy().into_owned(),
            env,
            env_bytes: case.given.env_bytes.clone(),
            host: case.given.host.clone(),
            script: serde_json::from_value(script)?,
        })
    }

    /// Where the tree lies.
    pub fn root(&self) -> &Path {
        Path::new(&self.root)
    }
}

fn fill(value: &mut serde_json::Value, layout: &Layout) {
    match value {
        serde_json::Value::String(text) => *text = layout.filled(text),
        serde_json::Value::Array(values) => values.iter_mut().for_each(|value| fill(value, layout)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, layout)),
        _ => {}
    }
}

/// What a subject gives back for a case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The outcome of each label. A step that was not reached leaves none.
    pub outcomes: BTreeMap<String, Outcome>,
    /// Everything it would have shown to a person: messages, log lines, debug texts (CONF-05).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

/// How a subject broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It could not be started.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// It ended in the middle of a case.
    #[error("crashed: {0}")]
    Crashed(String),
    /// It gave no answer in time.
    #[error("gave no answer in time")]
    TimedOut,
    /// It wrote more than an answer can be.
    #[error("flooded its output")]
    Flooded,
    /// It ended its output in the middle of a line.
    #[error("ended in the middle of a line")]
    HalfLine,
    /// It answered another question.
    #[error("answered with a wrong sequence number")]
    WrongSequence,
    /// It wrote something that is no answer.
    #[error("wrote something that is no answer: {0}")]
    Nonsense(String),
    /// It did what may not be done, and had answered another case before: whose doing that was is not known yet.
    #[error("broke the protocol after it had answered {}", .0.case)]
    AfterAnother(Box<Afterthought>),
    /// It broke, and a value stands in what it has written besides (CONF-05).
    #[error("{0}, and wrote a value to standard error, to a file or into a reason")]
    Leaked(Box<Fault>),
}

impl Fault {
    /// The class, for reports.
    pub fn class(&self) -> &'static str {
        match self {
            Self::NotStarted(_) => "not-started",
            Self::Crashed(_) => "crashed",
            Self::TimedOut => "timed-out",
            Self::Flooded => "flooded",
            Self::HalfLine => "half-line",
            Self::WrongSequence => "wrong-sequence",
            Self::Nonsense(_) => "nonsense",
            Self::AfterAnother(_) => "after-another",
            Self::Leaked(fault) => fault.class(),
        }
    }
}
