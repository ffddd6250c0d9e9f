use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use watertight_context::{Context, ContextSource};
use watertight_env_snapshot::{ChildEnv, ChildEnvError, ChildSpec};
use watertight_secret_scope::{Asking, Explanation};
use watertight_terminal_scope::{Backend, TerminalError};
use watertight_vocabulary::{HomeId, Refusal, Refused, Secret};

use crate::ambient::FrameHost;
use crate::build::Parts;
use crate::{Host, ScopeError};

/// One profile's home, secrets and terminal policy, bound as one (HOST-22, HOST-23).
///
/// Cheap to clone; clones are handles on one scope. Reads through a handle are answered by the current
/// parts, a frame keeps those it was entered with, and a wrapped future takes the current ones at each poll
/// (SEC-28).
///
/// # Fail-closed behaviour
///
/// A part that could not be built is bound as its refusal, and every read of it is refused (SEC-30,
/// TERM-21). A closed scope refuses everything but global names, also in a body that is still inside
/// (CTX-09). A refresh that fails leaves refusals, never the old values.
#[derive(Clone)]
pub struct ProfileScope(Arc<Inner>);

struct Inner {
    host: Host,
    subject: Subject,
    home: HomeId,
    current: RwLock<Context>,
    /// One refresh at a time, so that an older build never replaces a newer one.
    refreshing: Mutex<()>,
}

/// Whom a scope was built for, and so what a refresh looks up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The profile that the process was started for.
    Launch,
    /// Another profile, by its canonical name.
    Named(String),
}

impl ProfileScope {
    pub(crate) fn new(host: &Host, subject: Subject, parts: Parts) -> Self {
        let home = parts.home.clone();
        let current = context(host, &subject, parts).build();
        Self(Arc::new(Inner {
            host: host.clone(),
            subject,
            home,
            current: RwLock::new(current),
            refreshing: Mutex::new(()),
        }))
    }

    /// Runs a body inside this scope. It is left when the body returns or panics (CTX-02).
    pub fn run<R>(&self, body: impl FnOnce() -> R) -> R {
        self.context().run(body)
    }

    /// The resolved home.
    pub fn home(&self) -> &HomeId {
        &self.0.home
    }

    /// The profile's name; `None` for a launch home that is no profile of its tree.
    pub fn name(&self) -> Option<String> {
        match &self.0.subject {
            Subject::Launch => self.0.host.launch_name(),
            Subject::Named(name) => Some(name.clone()),
        }
    }

    /// Reads a secret through this handle, wherever it is used (HOST-30).
    ///
    /// # Errors
    ///
    /// [`Refused`], by the rows of SEC: never because of what is bound around the call.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>, Refused> {
        watertight_secret_scope::read_from(&self.context(), Some(self.0.host.hosting()), name)
    }

    /// Reads a terminal setting through this handle.
    ///
    /// # Errors
    ///
    /// [`TerminalError`], by the rows of TERM.
    pub fn terminal(&self, name: &str) -> Result<Option<Secret>, TerminalError> {
        self.run(|| self.0.host.terminal(name))
    }

    /// Where this profile's commands run.
    ///
    /// # Errors
    ///
    /// [`TerminalError`]: the policy is a refusal, or its backend cannot be read. It is never guessed.
    pub fn backend(&self) -> Result<Backend, TerminalError> {
        self.run(|| self.0.host.backend())
    }

    /// For whoever is about to start something for this profile (TERM-24).
    ///
    /// # Errors
    ///
    /// As [`ProfileScope::backend`].
    pub fn ensure_allowed(&self) -> Result<(), TerminalError> {
        self.run(|| self.0.host.ensure_allowed())
    }

    /// Builds the environment of a child of this profile (HOST-31).
    ///
    /// # Errors
    ///
    /// As [`Host::child_env`].
    pub fn child_env(&self, spec: &ChildSpec) -> Result<ChildEnv, ChildEnvError> {
        self.run(|| self.0.host.child_env(spec))
    }

    /// Which layer answers a name here, what it shadows, or why nothing does (SEC-29).
    pub fn explain(&self, name: &str) -> Explanation {
        self.run(|| self.0.host.explain(name))
    }

    /// Builds everything anew and swaps it in as one (SEC-28). It reads files and asks sources, so it blocks.
    ///
    /// # Errors
    ///
    /// [`ScopeError`]: the profile is gone, is another one now, or one of its parts could not be built. Then a
    /// refusal is what is bound: a revoked key is never kept alive by an error.
    pub fn refresh(&self) -> Result<(), ScopeError> {
        let _one_at_a_time = self.0.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let host = &self.0.host;
        // Also where the build ends before it asks a source: what was kept is of before the refresh.
        host.inner().sources.forget(self.home());
        // A source that panics out of the build leaves a refusal too, and no revoked key.
        let mut swap = Swap { scope: self, parts: None };
        let built = match &self.0.subject {
            Subject::Launch => host.build_launch(Asking::Anew),
            Subject::Named(name) => host.rebuild_named(name, self.home()),
        };
        match built {
            Ok(parts) => {
                let refusal = parts.secrets.refusal().or(parts.terminal.refusal()).cloned();
                swap.parts = Some(parts);
                refusal.map_or(Ok(()), |refusal| Err(ScopeError::Refusal(refusal)))
            }
            Err(error) => {
                tracing::warn!(code = error.code(), %error, "a scope could not be refreshed; its reads are refused");
                host.inner().sources.forget(self.home());
                swap.parts = Some(Parts::refused(self.home().clone(), error.refusal()));
                Err(error)
            }
        }
    }

    /// Closes the scope for good: every read through its handles and frames is refused from now on, except
    /// of global names (CTX-09).
    pub fn close(&self) {
        self.context().close();
    }

    /// Whether the scope was closed.
    pub fn is_closed(&self) -> bool {
        self.context().is_closed()
    }
}

/// Swaps in what was built when it is dropped; a refusal if nothing was (SEC-28).
struct Swap<'a> {
    scope: &'a ProfileScope,
    parts: Option<Parts>,
}

impl Drop for Swap<'_> {
    fn drop(&mut self) {
        let inner = &self.scope.0;
        let parts = self.parts.take().unwrap_or_else(|| {
            let refusal = Refusal::new("refresh-failed", "the build of the refreshed scope did not end");
            Parts::refused(inner.home.clone(), refusal.mended_by("refresh it again"))
        });
        let mut current = inner.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = context(&inner.host, &inner.subject, parts).closing_with(&current).build();
    }
}

fn context(host: &Host, subject: &Subject, parts: Parts) -> watertight_context::ContextBuilder {
    Context::builder()
        .host(host.id())
        .home(parts.home)
        .foreign_home(matches!(subject, Subject::Named(_)))
        .with(parts.secrets)
        .with(parts.terminal)
        .with(FrameHost(host.clone()))
}

impl ContextSource for ProfileScope {
    fn context(&self) -> Context {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for ProfileScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileScope")
            .field("subject", &self.0.subject)
            .field("context", &self.context())
            .finish_non_exhaustive()
    }
}
