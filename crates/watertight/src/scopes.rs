//! How a host gives out scopes (HOST-15, HOST-20, HOST-22 to HOST-25).

use watertight_secret_scope::Asking;

use crate::blocking::{BlockingJob, blocking};
use crate::scope::Subject;
use crate::{Host, ProfileScope, ScopeError};

impl Host {
    /// The scope of a profile that somebody asks for by name (HOST-22).
    ///
    /// The name is looked up first, by metadata alone; a name that is invalid, missing, deleted, an alias or
    /// parked is an error and activates nothing. Any home but the launch home activates the host before the
    /// first of its files is opened (HOST-15); so a standalone profile, which only its own `config.yaml`
    /// tells from others, activates and is then refused. The profile that the process was started for is
    /// served by its name as by [`Host::launch_scope`], standalone or not: its gateway is this one.
    ///
    /// Building reads files and may ask sources, so it **blocks**; entering the scope never does. Requests
    /// for one home at the same time share one build.
    ///
    /// # Errors
    ///
    /// [`ScopeError`]; there is no fallback to the launch profile (HOST-24). A file that cannot be read is no
    /// error here: its refusal is what the scope binds (SEC-30, TERM-40).
    pub fn profile_scope(&self, requested: &str) -> Result<ProfileScope, ScopeError> {
        let found = self.find(requested)?;
        if self.tree().root().is_launch_home(found.home_id()) {
            return self.launch_scope();
        }
        self.activate();
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

    /// As [`Host::launch_scope`], with the blocking part handed to the runtime's own way to block.
    ///
    /// # Errors
    ///
    /// As [`Host::launch_scope`], and [`ScopeError::Abandoned`] if the runtime drops the job.
    pub async fn launch_scope_async(
        &self,
        spawn: impl FnOnce(BlockingJob),
    ) -> Result<ProfileScope, ScopeError> {
        let host = self.clone();
        blocking(spawn, move || host.launch_scope()).await.unwrap_or(Err(ScopeError::Abandoned))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, OnceLock};
    use std::thread;

    use watertight_disk::{Operation, RealFileSystem, Scripted};
    use watertight_env_snapshot::MapEnv;
    use watertight_profile_home::{DiskFiles, ManagedDirectory};

    use crate::Host;

    #[test]
    fn host_22_concurrent_requests_for_one_home_share_one_build() {
        const FOLLOWERS: usize = 7;
        let folder = tempfile::tempdir().unwrap();
        let coder = folder.path().join("profiles/coder");
        std::fs::create_dir_all(&coder).unwrap();
        std::fs::write(coder.join(".env"), "CODER_KEY=canary-coder\n").unwrap();
        let (opened, cell) = (Arc::new(AtomicUsize::new(0)), Arc::new(OnceLock::<Host>::new()));
        let held = Arc::new(AtomicBool::new(true));
        let disk = {
            let (opened, cell, held) = (Arc::clone(&opened), Arc::clone(&cell), Arc::clone(&held));
            Arc::new(Scripted::new(Arc::new(RealFileSystem), move |operation, path| {
                if operation == Operation::Open && path.ends_with("coder/.env") {
                    opened.fetch_add(1, Ordering::SeqCst);
                    // The build stands still until everybody waits for it.
                    while held.load(Ordering::SeqCst) {
                        let host = cell.get().unwrap();
                        let home = host.tree().find("coder").unwrap().home_id().clone();
                        held.store(host.inner().builds.waiting_for(&home) < FOLLOWERS, Ordering::SeqCst);
                        thread::yield_now();
                    }
                }
                Ok(())
            }))
        };
        let env = MapEnv::new();
        env.set("HERMES_HOME", folder.path());
        let host = Host::builder()
            .env(env)
            .managed(ManagedDirectory::none())
            // Nothing is remembered from one build to the next, so that each opens the file.
            .files(Arc::new(DiskFiles::on(disk.clone())))
            .disk(disk)
            .build()
            .unwrap();
        cell.set(host.clone()).unwrap();
        thread::scope(|threads| {
            for _ in 0..=FOLLOWERS {
                threads.spawn(|| {
                    let scope = host.profile_scope("coder").unwrap();
                    assert!(scope.secret("CODER_KEY").unwrap().unwrap().matches("canary-coder"));
                });
            }
        });
        assert_eq!(opened.load(Ordering::SeqCst), 1, "eight requests, one build");
        host.profile_scope("coder").unwrap();
        assert_eq!(opened.load(Ordering::SeqCst), 2, "and another one afterwards");
    }
}
