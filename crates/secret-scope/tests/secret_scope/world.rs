//! A scripted host, homes in memory, and scopes over them.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use watertight_context::{Context, ContextBuilder};
use watertight_env_snapshot::{EnvSnapshot, MapEnv};
use watertight_profile_home::{MemoryFiles, ProfileHome};
use watertight_secret_scope::{BoundSecrets, SecretScope};
use watertight_vocabulary::{Classes, EnvSource, HomeId, HostId, Hosting, Platform, Secret};

/// A host whose every answer is a test's.
#[derive(Debug)]
pub(crate) struct World {
    host: HostId,
    many: AtomicBool,
    launch: HomeId,
    pub(crate) live: MapEnv,
    frozen: OnceLock<EnvSnapshot>,
    classes: Classes,
    /// Activates while this answer of the live environment, counted from 1, is on its way (0: never).
    activates_during: AtomicUsize,
    answers: AtomicUsize,
}

impl World {
    pub(crate) fn new(environment: &[(&str, &str)]) -> Self {
        Self {
            host: HostId::unique(),
            many: AtomicBool::new(false),
            launch: HomeId::new("/world/launch".into(), None),
            live: environment.iter().copied().collect(),
            frozen: OnceLock::new(),
            classes: Classes::hermes(),
            activates_during: AtomicUsize::new(0),
            answers: AtomicUsize::new(0),
        }
    }

    pub(crate) fn with_classes(self, classes: Classes) -> Self {
        Self { classes, ..self }
    }

    pub(crate) fn with_launch_home(self, launch: HomeId) -> Self {
        Self { launch, ..self }
    }

    /// Captures, then switches to many profiles (HOST-01).
    pub(crate) fn activate(&self) {
        self.capture();
        self.many.store(true, Ordering::SeqCst);
    }

    pub(crate) fn activated(environment: &[(&str, &str)]) -> Self {
        let world = Self::new(environment);
        world.activate();
        world
    }

    /// Activates in the middle of the next answer of the live environment: after it was taken, before the
    /// reader has it.
    pub(crate) fn activate_during_the_next_answer(&self) {
        self.activates_during.store(self.answers.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
    }

    /// How often the environment was asked for a value.
    pub(crate) fn answers(&self) -> usize {
        self.answers.load(Ordering::SeqCst)
    }

    fn capture(&self) -> &EnvSnapshot {
        self.frozen.get_or_init(|| EnvSnapshot::of(&self.live, Platform::Linux.case_rule()))
    }

    /// The environment that builders of launch scopes are given.
    pub(crate) fn environment(&self) -> &dyn EnvSource {
        if self.many.load(Ordering::SeqCst) { self.capture() } else { &self.live }
    }

    pub(crate) fn launch_home(&self) -> ProfileHome {
        ProfileHome::launch(self.launch.clone())
    }

    /// A context of this host.
    pub(crate) fn context(&self) -> ContextBuilder {
        Context::builder().host(self.host)
    }

    /// The launch profile's context over its present environment and this `.env`.
    pub(crate) fn launch_context(&self, dotenv: &str) -> Context {
        let home = self.launch_home();
        let files = files_of(&home, dotenv);
        let secrets =
            SecretScope::builder(&home).files(&files).launch_environment(self.environment()).build();
        self.context().home(home.id().clone()).with(secrets).build()
    }

    /// A secondary profile's context over this `.env`.
    pub(crate) fn profile_context(&self, name: &str, dotenv: &str) -> Context {
        self.foreign(name, secrets_of(name, dotenv))
    }

    pub(crate) fn foreign(&self, name: &str, secrets: BoundSecrets) -> Context {
        self.context().home(home(name).id().clone()).foreign_home(true).with(secrets).build()
    }
}

impl Hosting for World {
    fn host(&self) -> HostId {
        self.host
    }

    fn many_profiles(&self) -> bool {
        self.many.load(Ordering::SeqCst)
    }

    fn launch_home(&self) -> &HomeId {
        &self.launch
    }

    fn environment_value(&self, name: &OsStr) -> Option<OsString> {
        let number = self.answers.fetch_add(1, Ordering::SeqCst) + 1;
        let value = self.environment().var_os(name);
        if self.activates_during.load(Ordering::SeqCst) == number {
            self.activate();
        }
        value
    }

    fn classes(&self) -> &Classes {
        &self.classes
    }
}

/// A secondary profile's home.
pub(crate) fn home(name: &str) -> ProfileHome {
    ProfileHome::confined(HomeId::new(format!("/world/profiles/{name}").into(), None))
}

pub(crate) fn files_of(home: &ProfileHome, dotenv: &str) -> MemoryFiles {
    let files = MemoryFiles::new();
    files.set_dotenv(home, dotenv);
    files
}

pub(crate) fn secrets_of(name: &str, dotenv: &str) -> BoundSecrets {
    let home = home(name);
    SecretScope::builder(&home).files(&files_of(&home, dotenv)).build()
}

pub(crate) fn scope_of(name: &str, dotenv: &str) -> Arc<SecretScope> {
    policy(&secrets_of(name, dotenv))
}

pub(crate) fn policy(bound: &BoundSecrets) -> Arc<SecretScope> {
    Arc::clone(bound.policy().expect("these layers can be read"))
}

/// The text of a value, for comparisons that show what was there.
pub(crate) fn text(secret: Option<&Secret>) -> Option<&str> {
    secret.map(|secret| secret.expose().expect("values of these tests are text"))
}
