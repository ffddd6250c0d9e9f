//! For bodies that run for the launch profile and must behave as ever on a host of one profile (HOST-21).

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use watertight_context::{ContextSource, detached};

use crate::host::foreign_home_is_bound;
use crate::{Host, ProfileScope, ScopeError};

impl Host {
    /// Runs a body of the launch profile: before activation with nothing bound at all, so that reads stay
    /// as they were; after it inside [`Host::launch_scope`] (HOST-21).
    ///
    /// # Errors
    ///
    /// [`ScopeError::WouldSwitchProfile`] where another profile's scope is bound; [`detached`] says that it is
    /// meant. Else as [`Host::launch_scope`]. The body is not run then.
    pub fn run_launch_if_many<R>(&self, body: impl FnOnce() -> R) -> Result<R, ScopeError> {
        Ok(match Entry::decided(self)? {
            Entry::Scope(scope) => scope.run(body),
            Entry::Nothing | Entry::Undecided => body(),
        })
    }

    /// As [`Host::run_launch_if_many`], for a future. It is decided at the first poll, which reads the
    /// launch home's files where many profiles are hosted; where that must not block, take
    /// [`Host::launch_scope_async`].
    ///
    /// # Errors
    ///
    /// As [`Host::run_launch_if_many`].
    pub fn in_launch_if_many<F: Future>(&self, future: F) -> InLaunchIfMany<F> {
        InLaunchIfMany { host: self.clone(), entry: Entry::Undecided, future: Some(future) }
    }
}

/// What a body of the launch profile runs in.
enum Entry {
    Undecided,
    Nothing,
    Scope(ProfileScope),
}

impl Entry {
    fn decided(host: &Host) -> Result<Self, ScopeError> {
        if foreign_home_is_bound() {
            Err(ScopeError::WouldSwitchProfile)
        } else if host.many_profiles() {
            host.launch_scope().map(Self::Scope)
        } else {
            Ok(Self::Nothing)
        }
    }

    fn run<R>(&self, body: impl FnOnce() -> R) -> R {
        match self {
            Self::Scope(scope) => scope.context().run(body),
            // An executor that runs inside another profile's scope polls this one's body: not in there.
            Self::Nothing | Self::Undecided if foreign_home_is_bound() => detached(body),
            Self::Nothing | Self::Undecided => body(),
        }
    }
}

pin_project! {
    /// A future of the launch profile; see [`Host::in_launch_if_many`].
    pub struct InLaunchIfMany<F> {
        host: Host,
        entry: Entry,
        #[pin]
        future: Option<F>,
    }

    impl<F> PinnedDrop for InLaunchIfMany<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            this.entry.run(|| this.future.set(None));
        }
    }
}

impl<F: Future> Future for InLaunchIfMany<F> {
    type Output = Result<F::Output, ScopeError>;

    fn poll(self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if matches!(this.entry, Entry::Undecided) {
            match Entry::decided(this.host) {
                Ok(entry) => *this.entry = entry,
                Err(error) => {
                    this.entry.run(|| this.future.set(None));
                    return Poll::Ready(Err(error));
                }
            }
        }
        this.entry.run(|| match this.future.as_mut().as_pin_mut() {
            Some(future) => future.poll(waker).map(Ok),
            // Polled after it had ended, as a future need not bear; it stays pending.
            None => Poll::Pending,
        })
    }
}

impl<F> fmt::Debug for InLaunchIfMany<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InLaunchIfMany").field("host", &self.host).finish_non_exhaustive()
    }
}
