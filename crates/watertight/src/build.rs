//! How the parts of a scope are built: everything first, then bound in one step (HOST-23).

use std::path::PathBuf;

use watertight_disk::{FileKind, home_at, resolve};
use watertight_env_snapshot::EnvSnapshot;
use watertight_profile_discovery::{Found, ProfileName};
use watertight_profile_home::{Managed, ProfileFiles, ProfileHome};
use watertight_secret_scope::{Asking, BoundSecrets, Programs, SecretScope};
use watertight_terminal_scope::{BoundTerminal, TerminalPolicy};
use watertight_vocabulary::{Bound, EnvSource, HomeId, Hosting, Refusal};

use crate::once::ReadOnce;
use crate::{Host, ScopeError};

/// The files of a home that carry policy.
const POLICY_FILES: [&str; 2] = [".env", "config.yaml"];

/// What is bound for a profile: its home, and for secrets and terminal each a policy or a refusal.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) home: HomeId,
    pub(crate) secrets: BoundSecrets,
    pub(crate) terminal: BoundTerminal,
}

impl Parts {
    /// Nothing could be built: both are the refusal.
    pub(crate) fn refused(home: HomeId, refusal: Refusal) -> Self {
        Self { home, secrets: Bound::Refusal(refusal.clone()), terminal: Bound::Refusal(refusal) }
    }
}

impl Host {
    /// The parts of another profile than the launch profile (HOST-22): no overlay, nothing of the launch
    /// environment but what the host shares by name. When the files have been read the name is resolved
    /// again (PROF-45).
    pub(crate) fn build_named(&self, found: &Found, asking: Asking) -> Result<Parts, ScopeError> {
        let home = self.confined(found);
        let environment = self.inner().environment_now();
        let parts = self.build_parts(&home, None, &environment, asking);
        found.still_there(self.tree())?;
        Ok(parts)
    }

    /// As [`Host::build_named`], for a profile that is looked up anew: a refresh (SEC-28).
    pub(crate) fn rebuild_named(&self, name: &str, stamp: &HomeId) -> Result<Parts, ScopeError> {
        let found = self.tree().find(name)?;
        self.tree().ensure_served(&found)?;
        if found.home_id() != stamp {
            return Err(ScopeError::AnotherHome { name: name.to_owned() });
        }
        self.build_named(&found, Asking::Anew)
    }

    /// The parts of the launch profile, over the live environment before activation and over the frozen one
    /// after it; if activation happens meanwhile they are built again (HOST-20, SNAP-03).
    pub(crate) fn build_launch(&self, asking: Asking) -> Result<Parts, ScopeError> {
        loop {
            let many = self.many_profiles();
            let environment = self.inner().environment_now();
            let home = self.launch_profile_home()?;
            let parts = self.build_parts(&home, Some(&environment), &environment, asking);
            if self.many_profiles() == many {
                return Ok(parts);
            }
        }
    }

    /// The launch home's terminal policy alone (TERM-25).
    pub(crate) fn build_launch_terminal(&self) -> Result<BoundTerminal, ScopeError> {
        let environment = self.inner().environment_now();
        let home = self.launch_profile_home()?;
        let files = ReadOnce::new(&*self.inner().files);
        let managed = self.inner().managed.read(&*self.inner().disk);
        Ok(self.terminal_policy(&home, &files, &managed, Some(&environment), &environment))
    }

    /// Secrets and terminal policy of one home, each file read once.
    fn build_parts(
        &self,
        home: &ProfileHome,
        launch: Option<&EnvSnapshot>,
        environment: &EnvSnapshot,
        asking: Asking,
    ) -> Parts {
        let inner = self.inner();
        let files = ReadOnce::new(&*inner.files);
        let managed = inner.managed.read(&*inner.disk);
        Parts {
            home: home.id().clone(),
            secrets: self.secret_scope(home, &files, &managed, launch, environment, asking),
            terminal: self.terminal_policy(home, &files, &managed, launch, environment),
        }
    }

    pub(crate) fn secret_scope(
        &self,
        home: &ProfileHome,
        files: &dyn ProfileFiles,
        managed: &Managed,
        launch: Option<&EnvSnapshot>,
        environment: &EnvSnapshot,
        asking: Asking,
    ) -> BoundSecrets {
        let inner = self.inner();
        let programs = Programs {
            environment,
            platform: inner.platform(),
            home_variable: inner.layout.home_variable.as_os_str(),
            profile_name_variables: &inner.layout.profile_name_variables,
        };
        let mut builder = SecretScope::builder(home)
            .files(files)
            .sources(&inner.sources, asking)
            .programs(programs)
            .managed(managed)
            .shared(&inner.shared, environment)
            .classes(inner.classes.clone());
        if let Some(launch) = launch {
            builder = builder.launch_environment(launch);
        }
        builder.build()
    }

    pub(crate) fn terminal_policy(
        &self,
        home: &ProfileHome,
        files: &dyn ProfileFiles,
        managed: &Managed,
        launch: Option<&EnvSnapshot>,
        environment: &EnvSnapshot,
    ) -> BoundTerminal {
        let inner = self.inner();
        let user_home = self.user_home(environment);
        let mut builder = TerminalPolicy::builder(home)
            .files(files)
            .schema(&inner.schema)
            .user_home(user_home.as_deref())
            .managed(managed)
            .classes(&inner.classes);
        if let Some(launch) = launch {
            builder = builder.launch_environment(launch);
        }
        builder.build()
    }

    /// The user's home of the launch environment; one that cannot be told is none (TERM-06).
    fn user_home(&self, environment: &dyn EnvSource) -> Option<PathBuf> {
        self.inner().layout.user_home(environment, self.inner().platform()).ok().flatten()
    }

    /// A profile's home with links that stay inside it (FILE-06).
    pub(crate) fn confined(&self, found: &Found) -> ProfileHome {
        self.confined_home(found.home_id().clone(), matches!(found.name(), ProfileName::Default))
    }

    pub(crate) fn confined_home(&self, id: HomeId, is_default: bool) -> ProfileHome {
        let mut home = ProfileHome::confined(id);
        for folder in &self.inner().link_folders {
            home = home.also(folder);
        }
        if is_default { home.without(self.tree().root().profiles_dir()) } else { home }
    }

    /// The launch home, as it is now, with links that lead anywhere but into another tenant's home
    /// (FILE-06).
    pub(crate) fn launch_profile_home(&self) -> Result<ProfileHome, ScopeError> {
        let inner = self.inner();
        let pinned = inner.launch_home();
        let id = home_at(&*inner.disk, pinned.path())?;
        if !id.same_place(pinned, inner.classes.case_rule()) {
            return Err(ScopeError::LaunchHomeMoved { path: pinned.path().to_owned() });
        }
        let Some(linked) = self.linked_tenants(&id) else {
            return Ok(ProfileHome::confined(id));
        };
        let root = self.tree().root();
        let is_default = resolve(&*inner.disk, root.path()).is_ok_and(|path| path == id.path());
        let home = ProfileHome::launch(id).not_into([root.profiles_dir()]).not_into(linked);
        Ok(if is_default { home } else { home.not_into([root.path()]) })
    }

    /// The other tenants' homes, which lie anywhere where profiles are links. Counting them costs a listing,
    /// so it is done only where one of the launch home's files is a link; the tree's own folders are denied
    /// anyway. `None` where they cannot be counted.
    fn linked_tenants(&self, launch: &HomeId) -> Option<Vec<PathBuf>> {
        let disk = &self.inner().disk;
        let is_link = |file: &str| {
            disk.symlink_metadata(&launch.path().join(file))
                .is_ok_and(|found| found.kind == FileKind::Symlink)
        };
        if !POLICY_FILES.iter().any(|file| is_link(file)) {
            return Some(Vec::new());
        }
        let tenants = self.tree().tenants(launch).ok()?;
        let others = tenants.iter().filter(|tenant| !tenant.is_launch());
        Some(others.map(|tenant| tenant.home().to_owned()).collect())
    }
}
