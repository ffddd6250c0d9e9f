//! How the parts of a scope are built: everything first, then bound in one step (HOST-23).

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use watertight_disk::{home_at, resolve};
use watertight_env_snapshot::EnvSnapshot;
use watertight_profile_discovery::{FindError, Found, Skipped};
use watertight_profile_home::{Managed, ProfileFiles, ProfileHome};
use watertight_secret_scope::{Asking, BoundSecrets, Programs, SecretScope};
use watertight_terminal_scope::{BoundTerminal, TerminalPolicy};
use watertight_vocabulary::{Bound, EnvSource, HomeId, Hosting, Refusal};

use crate::once::ReadOnce;
use crate::{Host, ScopeError};

/// What is bound for a profile: its home, and for secrets and terminal each a policy or a refusal.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) home: HomeId,
    pub(crate) secrets: BoundSecrets,
    pub(crate) terminal: BoundTerminal,
}

/// What secrets and terminal policy of one home are both built from, so that they cannot disagree.
#[derive(Clone, Copy)]
pub(crate) struct Material<'a> {
    pub(crate) home: &'a ProfileHome,
    pub(crate) files: &'a dyn ProfileFiles,
    pub(crate) managed: &'a Managed,
    /// The launch environment, for the launch profile and no other (SEC-21).
    pub(crate) launch: Option<&'a EnvSnapshot>,
    /// "env", for what a host shares by name and for where the user's home is.
    pub(crate) environment: &'a EnvSnapshot,
}

impl Parts {
    /// Nothing could be built: both are the refusal.
    pub(crate) fn refused(home: HomeId, refusal: Refusal) -> Self {
        Self { home, secrets: Bound::Refusal(refusal.clone()), terminal: Bound::Refusal(refusal) }
    }
}

impl Host {
    /// The parts of another profile than the launch profile (HOST-22): no overlay, nothing of the launch
    /// environment but what the host shares by name. Each file is read once, whether the profile stands
    /// alone included; then the name is resolved again (PROF-45).
    pub(crate) fn build_named(&self, found: &Found, asking: Asking) -> Result<Parts, ScopeError> {
        let home = self.confined_home(found.home_id().clone());
        let environment = self.inner().environment_now();
        let files = ReadOnce::new(&*self.inner().files);
        self.tree().ensure_served_by(found, &home, &files)?;
        let parts = self.build_parts(&home, &files, None, &environment, asking);
        if let Err(error) = found.still_there(self.tree()) {
            self.inner().sources.forget(found.home_id());
            return Err(error.into());
        }
        if self.inner().built_for(found.name().as_str(), found.home_id()) {
            self.drop_what_is_gone();
        }
        Ok(parts)
    }

    /// Drops what was kept of every profile that is gone, though nobody asks for it any more (SEC-32). One
    /// listing, as often as the number of those that are kept doubles, costs each build little.
    fn drop_what_is_gone(&self) {
        let inner = self.inner();
        if let Ok(listing) = self.tree().list() {
            let listed = listing.profiles().iter().map(|profile| OsStr::new(profile.name().as_str()));
            // What cannot be examined is not gone.
            let there: HashSet<&OsStr> = listed.chain(listing.unknown().map(Skipped::name)).collect();
            for name in inner.built().iter().filter(|name| !there.contains(OsStr::new(name))) {
                inner.gone(name);
            }
        }
        inner.all_seen();
    }

    /// As [`Host::build_named`], for a profile that is looked up anew: a refresh (SEC-28).
    pub(crate) fn rebuild_named(&self, name: &str, stamp: &HomeId) -> Result<Parts, ScopeError> {
        // Who asks from now on must not be handed a build that began before.
        self.inner().builds.leave(stamp);
        let found = self.find(name)?;
        if found.home_id() != stamp {
            return Err(ScopeError::AnotherHome { name: name.to_owned() });
        }
        self.build_named(&found, Asking::Anew)
    }

    /// Looks a requested name up, and drops what was kept of a profile that is gone.
    pub(crate) fn find(&self, requested: &str) -> Result<Found, ScopeError> {
        self.tree().find(requested).map_err(|error| {
            if let FindError::NoSuchProfile { id, .. } | FindError::Deleted { id } = &error {
                self.inner().gone(id.as_str());
            }
            error.into()
        })
    }

    /// The parts of the launch profile, over the live environment before activation and over the frozen one
    /// after it; if activation happens meanwhile they are built again (HOST-20, SNAP-03). The home is
    /// resolved again when its files have been read (PROF-45).
    pub(crate) fn build_launch(&self, asking: Asking) -> Result<Parts, ScopeError> {
        loop {
            let many = self.many_profiles();
            let environment = self.inner().environment_now();
            let home = self.launch_profile_home()?;
            let files = ReadOnce::new(&*self.inner().files);
            let parts = self.build_parts(&home, &files, Some(&environment), &environment, asking);
            if self.launch_profile_home()?.id() != home.id() {
                return Err(ScopeError::LaunchHomeMoved { path: home.path().to_owned() });
            }
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
        let policy = self.terminal_policy(Material {
            home: &home,
            files: &files,
            managed: &managed,
            launch: Some(&environment),
            environment: &environment,
        });
        if self.launch_profile_home()?.id() != home.id() {
            return Err(ScopeError::LaunchHomeMoved { path: home.path().to_owned() });
        }
        Ok(policy)
    }

    /// Secrets and terminal policy of one home, each file read once.
    fn build_parts(
        &self,
        home: &ProfileHome,
        files: &dyn ProfileFiles,
        launch: Option<&EnvSnapshot>,
        environment: &EnvSnapshot,
        asking: Asking,
    ) -> Parts {
        let inner = self.inner();
        let managed = inner.managed.read(&*inner.disk);
        let material = Material { home, files, managed: &managed, launch, environment };
        Parts {
            home: home.id().clone(),
            secrets: self.secret_scope(material, asking),
            terminal: self.terminal_policy(material),
        }
    }

    pub(crate) fn secret_scope(&self, material: Material<'_>, asking: Asking) -> BoundSecrets {
        let Material { home, files, managed, launch, environment } = material;
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

    pub(crate) fn terminal_policy(&self, material: Material<'_>) -> BoundTerminal {
        let Material { home, files, managed, launch, environment } = material;
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

    /// A profile's home: its links stay inside it, or in the folders that the host lists, and lead into no
    /// other tenant's home even where one lies in these (FILE-06). Tenants are looked for only when there is a
    /// link to judge.
    pub(crate) fn confined_home(&self, id: HomeId) -> ProfileHome {
        let inner = self.inner();
        let (tree, launch, own) =
            (Arc::clone(&inner.tree), inner.launch_home().clone(), id.path().to_owned());
        let disk = Arc::clone(&inner.disk);
        let others = move || {
            let tenants = tree.tenants(&launch).ok()?;
            let root = resolve(&*disk, tree.root().path()).ok()?;
            let homes = tenants.iter().map(|tenant| tenant.home().to_owned()).chain([root]);
            Some(homes.filter(|home| *home != own).collect())
        };
        let home =
            ProfileHome::confined(id).without(self.tree().root().profiles_dir()).not_into_found(others);
        inner.link_folders.iter().fold(home, ProfileHome::also)
    }

    /// The launch home, as it is now, with links that lead anywhere but into another tenant's home
    /// (FILE-06). Tenants are looked for only when there is a link to judge; where they cannot be counted,
    /// its links are confined as everybody's are.
    pub(crate) fn launch_profile_home(&self) -> Result<ProfileHome, ScopeError> {
        let inner = self.inner();
        let pinned = inner.launch_home();
        let id = home_at(&*inner.disk, pinned.path())?;
        if !id.same_place(pinned, inner.classes.case_rule()) {
            return Err(ScopeError::LaunchHomeMoved { path: pinned.path().to_owned() });
        }
        let root = self.tree().root();
        let is_default = resolve(&*inner.disk, root.path()).is_ok_and(|path| path == id.path());
        let (tree, launch) = (Arc::clone(&inner.tree), id.clone());
        let mut home = ProfileHome::launch(id).not_into([root.profiles_dir()]).not_into_found(move || {
            let tenants = tree.tenants(&launch).ok()?;
            let others = tenants.iter().filter(|tenant| !tenant.is_launch());
            Some(others.map(|tenant| tenant.home().to_owned()).collect())
        });
        for folder in &inner.link_folders {
            home = home.also(folder);
        }
        Ok(if is_default { home } else { home.not_into([root.path()]) })
    }
}
