//! For code deep below that was handed nothing (HOST-32).

use std::fmt;
use std::sync::OnceLock;

use watertight_context::{Ambient, with_ambient};
use watertight_env_snapshot::{ChildEnv, ChildEnvError, ChildSpec};
use watertight_terminal_scope::{Backend, TerminalError};
use watertight_vocabulary::{HomeId, Refused, RefusedReason, Secret};

use crate::Host;

/// The host that answers where no frame names one. Installed once, by the program and never by a library.
static DEFAULT: OnceLock<Host> = OnceLock::new();

/// What a frame holds so that ambient reads find their host.
#[derive(Debug)]
pub(crate) struct FrameHost(pub(crate) Host);

/// A default host was installed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a default host was installed before; there can be one in a process")]
#[non_exhaustive]
pub struct AlreadyInstalled;

impl AlreadyInstalled {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        "already-installed"
    }
}

pub(crate) fn install_default(host: Host) -> Result<(), AlreadyInstalled> {
    DEFAULT.set(host).map_err(|_| AlreadyInstalled)
}

/// The host for code that was handed none: the innermost frame's, else the installed default, else one that
/// refuses everything with *no host* (SEC-11). It never panics.
///
/// Libraries take a [`Host`] or a [`ProfileScope`](crate::ProfileScope) instead.
pub fn host() -> AmbientHost {
    let framed = with_ambient(|ambient| match ambient {
        Ambient::Bound(context) | Ambient::Masked(context) => {
            context.get::<FrameHost>().map(|frame| frame.0.clone())
        }
        Ambient::Unbound => None,
    });
    AmbientHost(framed.or_else(|| DEFAULT.get().cloned()))
}

/// The host that [`host`] found, or none: then every read is refused.
#[derive(Clone)]
pub struct AmbientHost(Option<Host>);

impl AmbientHost {
    /// As [`Host::secret`].
    ///
    /// # Errors
    ///
    /// As [`Host::secret`]; *no host* where there is none.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>, Refused> {
        match &self.0 {
            Some(host) => host.secret(name),
            None => Err(Refused::new(name.as_ref(), RefusedReason::NoHost)),
        }
    }

    /// As [`Host::terminal`].
    ///
    /// # Errors
    ///
    /// As [`Host::terminal`]; *no host* where there is none.
    pub fn terminal(&self, name: &str) -> Result<Option<Secret>, TerminalError> {
        match &self.0 {
            Some(host) => host.terminal(name),
            None => Err(Refused::new(name.as_ref(), RefusedReason::NoHost).into()),
        }
    }

    /// As [`Host::backend`].
    ///
    /// # Errors
    ///
    /// As [`Host::backend`]; *no host* where there is none.
    pub fn backend(&self) -> Result<Backend, TerminalError> {
        self.some()?.backend()
    }

    /// As [`Host::ensure_allowed`].
    ///
    /// # Errors
    ///
    /// As [`Host::ensure_allowed`]; *no host* where there is none.
    pub fn ensure_allowed(&self) -> Result<(), TerminalError> {
        self.some()?.ensure_allowed()
    }

    /// As [`Host::child_env`].
    ///
    /// # Errors
    ///
    /// As [`Host::child_env`]; *no host* where there is none.
    pub fn child_env(&self, spec: &ChildSpec) -> Result<ChildEnv, ChildEnvError> {
        self.some().map_err(ChildEnvError::from)?.child_env(spec)
    }

    /// As [`Host::home`].
    ///
    /// # Errors
    ///
    /// As [`Host::home`]; *no host* where there is none.
    pub fn home(&self) -> Result<HomeId, Refused> {
        self.some()?.home()
    }

    /// The host, where there is one.
    pub fn get(&self) -> Option<&Host> {
        self.0.as_ref()
    }

    fn some(&self) -> Result<&Host, Refused> {
        self.0.as_ref().ok_or(Refused::nameless(RefusedReason::NoHost))
    }
}

impl fmt::Debug for AmbientHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AmbientHost").field(&self.0).finish()
    }
}
