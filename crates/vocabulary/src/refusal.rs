use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::shown_path;

/// Why a scope or policy could not be built. It is bound in its place, and every read then is refused
/// (SEC-30, TERM-21, TERM-40).
///
/// It names path, line and cause, says in one sentence how to mend it, and never holds a value.
#[derive(Clone, PartialEq, Eq)]
pub struct Refusal(Arc<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: &'static str,
    cause: Cow<'static, str>,
    path: Option<PathBuf>,
    line: Option<u32>,
    column: Option<u32>,
    mend: Option<Cow<'static, str>>,
}

impl Refusal {
    /// A refusal with its code and its cause, a lower-case fragment.
    pub fn new(code: &'static str, cause: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Inner { code, cause: cause.into(), path: None, line: None, column: None, mend: None }))
    }

    /// Because of this file.
    pub fn in_file(mut self, path: impl Into<PathBuf>) -> Self {
        Arc::make_mut(&mut self.0).path = Some(path.into());
        self
    }

    /// At this line and column, counted from 1.
    pub fn at(mut self, line: u32, column: Option<u32>) -> Self {
        let inner = Arc::make_mut(&mut self.0);
        (inner.line, inner.column) = (Some(line), column);
        self
    }

    /// One sentence on how to mend it.
    pub fn mended_by(mut self, how: impl Into<Cow<'static, str>>) -> Self {
        Arc::make_mut(&mut self.0).mend = Some(how.into());
        self
    }

    /// The stable code of the cause.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The cause.
    pub fn cause(&self) -> &str {
        &self.0.cause
    }

    /// The file.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// The column, counted from 1.
    pub fn column(&self) -> Option<u32> {
        self.0.column
    }

    /// How to mend it.
    pub fn mend(&self) -> Option<&str> {
        self.0.mend.as_deref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}", shown_path(path))?;
            if let Some(line) = self.0.line {
                write!(f, ":{line}")?;
                if let Some(column) = self.0.column {
                    write!(f, ":{column}")?;
                }
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.0.cause)?;
        if let Some(mend) = &self.0.mend {
            write!(f, "; {mend}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Refusal({}: {self})", self.0.code)
    }
}

/// What is bound for a task: a policy, or the refusal in its place (TERM-43).
///
/// There is no way to read a map out of a refusal.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a third variant would be a third meaning for every reader")]
pub enum Bound<P> {
    /// It was built; reads are answered from it alone.
    Policy(Arc<P>),
    /// It could not be built; reads are refused.
    Refusal(Refusal),
}

impl<P> Bound<P> {
    /// The policy, or the refusal as an error value.
    ///
    /// # Errors
    ///
    /// The refusal that is bound in the policy's place.
    pub fn policy(&self) -> Result<&Arc<P>, &Refusal> {
        match self {
            Self::Policy(policy) => Ok(policy),
            Self::Refusal(refusal) => Err(refusal),
        }
    }

    /// The refusal, if that is what is bound.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.policy().err()
    }
}

impl<P> Clone for Bound<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Policy(policy) => Self::Policy(Arc::clone(policy)),
            Self::Refusal(refusal) => Self::Refusal(refusal.clone()),
        }
    }
}
