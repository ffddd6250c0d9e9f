use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use watertight_vocabulary::{EnvSource, trim_ascii_space};

use crate::names::{
    BINDING_TOKEN_VARIABLE, ISOLATE_SESSION_VARIABLE, PARENT_PID_VARIABLE, WORKSPACE_VARIABLE,
};
use crate::{BindingToken, TokenError};

/// The largest pid there can be (RUN-20).
const LARGEST_PID: u32 = i32::MAX.unsigned_abs();

/// What a launcher tells a runner through its environment (RUN-20).
///
/// What is not set is absent; what is set wrongly is an error and never absent. This is the one reader of
/// the runner's control plane (SEC-16).
///
/// Reading it hides nothing: what a process was started with can be seen by its own user for as long as it
/// lives (on Linux in `/proc/PID/environ`), and removing a variable does not change that. What keeps the
/// token from a child is that its environment is built without it (RUN-30), and not that it is gone.
#[derive(Debug, Clone)]
pub struct RunnerWiring {
    parent_pid: Option<u32>,
    workspace: Option<PathBuf>,
    isolate_session: bool,
    binding_token: Option<BindingToken>,
}

/// A variable of the wiring is set wrongly. It names the variable and nothing of its value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WiringError {
    /// Nothing but white space.
    #[error("{variable} is set but blank; set it or unset it")]
    Blank {
        /// The variable.
        variable: &'static str,
    },
    /// No pid.
    #[error("{variable} is not a pid: ASCII digits, from 1 to 2147483647")]
    Pid {
        /// The variable.
        variable: &'static str,
    },
    /// No token.
    #[error("{variable} holds something else than visible ASCII")]
    Token {
        /// The variable.
        variable: &'static str,
    },
    /// The workspace is relative and there is no current directory to begin at.
    #[error("{variable} is relative, and the current directory cannot be told: {source}")]
    NoCurrentDirectory {
        /// The variable.
        variable: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
}

impl WiringError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Blank { .. } => "blank",
            Self::Pid { .. } => "invalid-pid",
            Self::Token { .. } => "invalid-token",
            Self::NoCurrentDirectory { .. } => "no-current-directory",
        }
    }

    /// The variable.
    pub fn variable(&self) -> &'static str {
        match self {
            Self::Blank { variable }
            | Self::Pid { variable }
            | Self::Token { variable }
            | Self::NoCurrentDirectory { variable, .. } => variable,
        }
    }
}

impl RunnerWiring {
    /// Reads the wiring from an environment.
    ///
    /// # Errors
    ///
    /// [`WiringError`] names the first variable that is set wrongly.
    pub fn read(env: &dyn EnvSource) -> Result<Self, WiringError> {
        Ok(Self {
            parent_pid: read(env, PARENT_PID_VARIABLE, |value| pid(&value))?,
            workspace: read(env, WORKSPACE_VARIABLE, |value| workspace(env, value))?,
            isolate_session: env
                .var_os(OsStr::new(ISOLATE_SESSION_VARIABLE))
                .is_some_and(|value| trim_ascii_space(value.as_encoded_bytes()) == b"1"),
            binding_token: read(env, BINDING_TOKEN_VARIABLE, token)?,
        })
    }

    /// The pid of the process that started this one.
    pub fn parent_pid(&self) -> Option<u32> {
        self.parent_pid
    }

    /// The workspace: absolute, its links not resolved.
    pub fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// Whether each session gets a folder of its own.
    pub fn isolate_session(&self) -> bool {
        self.isolate_session
    }

    /// The token that the tunnel is bound to.
    pub fn binding_token(&self) -> Option<&BindingToken> {
        self.binding_token.as_ref()
    }
}

fn read<T>(
    env: &dyn EnvSource,
    variable: &'static str,
    parse: impl FnOnce(OsString) -> Result<T, WiringError>,
) -> Result<Option<T>, WiringError> {
    match env.var_os(OsStr::new(variable)) {
        None => Ok(None),
        Some(value) if trim_ascii_space(value.as_encoded_bytes()).is_empty() => {
            Err(WiringError::Blank { variable })
        }
        Some(value) => parse(value).map(Some),
    }
}

fn pid(value: &OsStr) -> Result<u32, WiringError> {
    let digits = trim_ascii_space(value.as_encoded_bytes());
    digits
        .iter()
        .all(u8::is_ascii_digit)
        .then(|| std::str::from_utf8(digits).ok()?.parse().ok())
        .flatten()
        .filter(|pid| (1..=LARGEST_PID).contains(pid))
        .ok_or(WiringError::Pid { variable: PARENT_PID_VARIABLE })
}

/// The folder as it was written, so a link in it stays one: only a relative one gets a beginning.
fn workspace(env: &dyn EnvSource, value: OsString) -> Result<PathBuf, WiringError> {
    let written = PathBuf::from(value);
    if written.is_absolute() {
        return Ok(written);
    }
    let begin = env
        .current_dir()
        .map_err(|source| WiringError::NoCurrentDirectory { variable: WORKSPACE_VARIABLE, source })?;
    Ok(begin.join(written).components().collect())
}

fn token(value: OsString) -> Result<BindingToken, WiringError> {
    BindingToken::from_variable(value).map_err(|error| match error {
        TokenError::Blank => WiringError::Blank { variable: BINDING_TOKEN_VARIABLE },
        TokenError::Invalid => WiringError::Token { variable: BINDING_TOKEN_VARIABLE },
    })
}
