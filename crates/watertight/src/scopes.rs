//! How a host gives out scopes (HOST-15, HOST-20 to HOST-25).

use watertight_context::InScope;
use watertight_secret_scope::Asking;

use crate::blocking::{BlockingJob, blocking};
use crate::host::foreign_home_is_bound;
use crate::scope::Subject;
use crate::{Host, ProfileScope, ScopeError};

impl Host {
    /// The scope of a profile that somebody asks for by name (HOST-22).
    ///
    /// The name is looked up first, by metadata alone; a name that leads to no profile that may be served is
    /// an error and activates nothing. Any home but the launch home activates the host before the first of
    /// its files is opened (HOST-15). Building reads files and may ask sources, so it **blocks**; entering
    /// the scope never does. Requests for one home at the same time share one build.
    ///
    /// # Errors
    ///
    /// [`ScopeError`]; there is no fallback to the launch profile (HOST-24). A file that cannot be read is no
    /// error here: its refusal is what the scope binds (SEC-30, TERM-40).
    pub fn profile_scope(&self, requested: &str) -> Result<ProfileScope, ScopeError> {
        let found = self.tree().find(requested)?;
        if self.tree().root().is_launch_home(found.home_id()) {
            return self.launch_scope();
        }
        self.activate();
        self.tree().ensure_served(&found)?;
        let parts = self.inner().builds.share(found.home_id(), || self.build_named(&found, Asking::Once))?;
        Ok(ProfileScope::new(self, Subject::Named(found.name().as_str().to_owned()), parts))
    }

    /// As [`Host::profile_scope`], with the blocking part handed to the runtime's own way to block:
    ///
    /// ```
    /// # async fn serve(host: watertight::Host) -> Result<(), watertight::ScopeError> {
    /// let scope = host
    ///     .profile_scope_async("coder", |job| {
    ///         tokio::task::spawn_blocking(job);
    ///     })
    ///     .await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Host::profile_scope`], and [`ScopeError::Abandoned`] if the runtime drops the job.
    pub async fn profile_scope_async(
        &self,
        requested: &str,
        spawn: impl FnOnce(BlockingJob),
    ) -> Result<ProfileScope, ScopeError> {
        let (host, requested) = (self.clone(), requested.to_owned());
        let built = blocking(spawn, move || host.profile_scope(&requested)).await;
        built.unwrap_or(Err(ScopeError::Abandoned))
    }

    /// The scope of the launch profile, for every body that runs for it, activated or not (HOST-20).
    ///
    /// It does not activate. Building blocks as in [`Host::profile_scope`].
    ///
    /// # Errors
    ///
    /// [`ScopeError::LaunchHome`] and [`ScopeError::LaunchHomeMoved`].
    pub fn launch_scope(&self) -> Result<ProfileScope, ScopeError> {
        Ok(ProfileScope::new(self, Subject::Launch, self.build_launch(Asking::Once)?))
    }

    /// For a body that runs for the launch profile and must behave as ever on a host of one profile: before
    /// activation it binds nothing at all, after it [`Host::launch_scope`] (HOST-21).
    ///
    /// # Errors
    ///
    /// [`ScopeError::WouldSwitchProfile`] where another profile's scope is bound; else as
    /// [`Host::launch_scope`].
    pub fn launch_scope_if_many(&self) -> Result<LaunchIfMany, ScopeError> {
        if foreign_home_is_bound() {
            return Err(ScopeError::WouldSwitchProfile);
        }
        if self.many_profiles() { self.launch_scope().map(Some) } else { Ok(None) }.map(LaunchIfMany)
    }
}

/// The launch profile's scope, or nothing at all while one profile is hosted (HOST-21).
#[derive(Debug, Clone)]
pub struct LaunchIfMany(Option<ProfileScope>);

impl LaunchIfMany {
    /// Runs a body inside the launch scope, or just runs it.
    pub fn run<R>(&self, body: impl FnOnce() -> R) -> R {
        match &self.0 {
            Some(scope) => scope.run(body),
            None => body(),
        }
    }

    /// Runs a future inside the launch scope, or just runs it.
    pub async fn enclose<F: Future>(self, future: F) -> F::Output {
        match self.0 {
            Some(scope) => future.in_scope(scope).await,
            None => future.await,
        }
    }

    /// The scope, once many profiles are hosted.
    pub fn scope(&self) -> Option<&ProfileScope> {
        self.0.as_ref()
    }
}
