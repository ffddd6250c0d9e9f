use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::shown_path;

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the specification names these three")]
pub enum Severity {
    /// Worth knowing, nothing to do.
    Note,
    /// Probably not what was meant; strict runs fail on it.
    Warning,
    /// Something does not work because of it; strict runs fail on it.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Something to tell a person: a stable code, a place, and one sentence. It never holds a value (FILE-04).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    code: &'static str,
    severity: Severity,
    message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Arc<Path>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<Arc<str>>,
}

impl Diagnostic {
    /// A diagnostic without a place. The message is a lower-case fragment and must hold no value.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            path: None,
            line: None,
            last_line: None,
            subject: None,
        }
    }

    /// A note.
    pub fn note(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// An error.
    pub fn error(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// In this file.
    pub fn in_file(self, path: impl Into<Arc<Path>>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// On this line, counted from 1.
    pub fn on_line(self, line: u32) -> Self {
        Self { line: Some(line), ..self }
    }

    /// On these lines, counted from 1, both included.
    pub fn on_lines(self, first: u32, last: u32) -> Self {
        Self { line: Some(first), last_line: Some(last), ..self }
    }

    /// About this key, variable or profile.
    pub fn about(self, subject: impl Into<Arc<str>>) -> Self {
        Self { subject: Some(subject.into()), ..self }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The first line.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The last line, where it covers several.
    pub fn last_line(&self) -> Option<u32> {
        self.last_line
    }

    /// The key, variable or profile it is about.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.severity, self.code)?;
        if let Some(path) = &self.path {
            write!(f, " {}", shown_path(path))?;
        }
        match (self.line, self.last_line) {
            (Some(first), Some(last)) => write!(f, ":{first}-{last}")?,
            (Some(line), None) => write!(f, ":{line}")?,
            (None, _) => {}
        }
        if let Some(subject) = &self.subject {
            write!(f, " {}", subject.escape_debug())?;
        }
        write!(f, ": {}", self.message)
    }
}
