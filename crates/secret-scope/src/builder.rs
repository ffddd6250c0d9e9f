use std::fmt;

use watertight_profile_home::{Managed, ProfileFiles, ProfileHome};
use watertight_vocabulary::{Bound, Classes, EnvSource, Layer, Refusal};

use crate::source::{Asking, Occasion, Programs, SecretSource, SourceCache, Sources};
use crate::stack::Stack;
use crate::{BoundSecrets, SecretScope, SharedNames};

/// Puts a profile's secrets together (SEC-20).
///
/// Every layer is a named step, and its name decides where it lies, not the order of the calls: shared
/// names, the launch environment, `.env`, sources (among themselves as given), managed. A step that is not
/// taken is a layer that is not there.
///
/// ```
/// use watertight_env_snapshot::MapEnv;
/// use watertight_profile_home::{MemoryFiles, ProfileHome};
/// use watertight_secret_scope::SecretScope;
/// use watertight_vocabulary::{HomeId, Layer};
///
/// let home = ProfileHome::launch(HomeId::new("/srv/agent".into(), None));
/// let environment = MapEnv::from([("MODEL_KEY", "canary-unit"), ("PATH", "/usr/bin")]);
/// let files = MemoryFiles::new();
/// files.set_dotenv(&home, "MODEL_KEY=canary-file\n");
///
/// let bound = SecretScope::builder(&home).files(&files).launch_environment(&environment).build();
/// let scope = bound.policy().expect("the file can be read");
/// assert_eq!(scope.origin("MODEL_KEY").map(|origin| origin.layer()), Some(Layer::Dotenv));
/// assert_eq!(scope.shadowed("MODEL_KEY").len(), 1);
/// assert!(scope.origin("PATH").is_none());
/// ```
///
/// # Fail-closed behaviour
///
/// Nothing of the launch environment enters unless [`SecretScopeBuilder::launch_environment`] or
/// [`SecretScopeBuilder::shared`] says so (SEC-21). What cannot be read makes the whole scope a refusal
/// (SEC-25, SEC-30); a source that fails withholds what it may hold (SEC-24). Building cannot fail in a way
/// that leaves nothing to bind.
pub struct SecretScopeBuilder<'a> {
    home: &'a ProfileHome,
    files: Option<&'a dyn ProfileFiles>,
    launch_environment: Option<&'a dyn EnvSource>,
    shared: Option<(&'a SharedNames, &'a dyn EnvSource)>,
    sources: Vec<Sources<'a>>,
    programs: Option<Programs<'a>>,
    managed: Option<&'a Managed>,
    classes: Option<Classes>,
}

impl<'a> SecretScopeBuilder<'a> {
    pub(crate) fn new(home: &'a ProfileHome) -> Self {
        Self {
            home,
            files: None,
            launch_environment: None,
            shared: None,
            sources: Vec::new(),
            programs: None,
            managed: None,
            classes: None,
        }
    }

    /// The profile's own `.env`, read when the scope is built. No `.env` is an empty layer (SEC-21).
    pub fn files(self, files: &'a dyn ProfileFiles) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The environment that the process was launched with: for the launch profile and no other. The live
    /// one before activation, the frozen one after it (SEC-22).
    pub fn launch_environment(self, environment: &'a dyn EnvSource) -> Self {
        Self { launch_environment: Some(environment), ..self }
    }

    /// An external source, which is asked when the scope is built. A later one wins over an earlier one.
    pub fn source(mut self, source: &'a dyn SecretSource) -> Self {
        self.sources.push(Sources::One(source));
        self
    }

    /// The sources of a host, with what it keeps of them for each home (SEC-32).
    pub fn sources(mut self, cache: &'a SourceCache, asking: Asking) -> Self {
        self.sources.push(Sources::Cached(cache, asking));
        self
    }

    /// What the programs of sources start from. Nothing of it enters the scope (SEC-23).
    pub fn programs(self, programs: Programs<'a>) -> Self {
        Self { programs: Some(programs), ..self }
    }

    /// What the administrator's folder says (SEC-25).
    pub fn managed(self, managed: &'a Managed) -> Self {
        Self { managed: Some(managed), ..self }
    }

    /// Names that the host shares, resolved from the frozen launch environment, beneath the profile's own
    /// (SEC-27).
    pub fn shared(self, names: &'a SharedNames, environment: &'a dyn EnvSource) -> Self {
        Self { shared: Some((names, environment)), ..self }
    }

    /// How names are told apart; [`Classes::hermes`] without this step. They travel with the scope.
    pub fn classes(self, classes: Classes) -> Self {
        Self { classes: Some(classes), ..self }
    }

    /// Reads the file, asks the sources, and stacks the layers. It blocks, since both may.
    ///
    /// The result can be bound in any case: it is the scope, or the refusal in its place.
    pub fn build(self) -> BoundSecrets {
        match self.stacked() {
            Ok(scope) => Bound::Policy(scope.into()),
            Err(refusal) => {
                tracing::warn!(code = refusal.code(), "secrets are refused: {refusal}");
                Bound::Refusal(refusal)
            }
        }
    }

    fn stacked(self) -> Result<SecretScope, Refusal> {
        let dotenv = match self.files {
            Some(files) => files.dotenv(self.home)?,
            None => None,
        };
        let managed = match self.managed {
            Some(Managed::Present(file)) => Some(file),
            Some(Managed::Refusal(refusal)) => return Err(refusal.clone()),
            Some(Managed::Absent) | None => None,
        };
        let classes = self.classes.unwrap_or_default();
        let capacity = dotenv.as_ref().map_or(0, |file| file.entries().len());
        let mut stack = Stack::new(classes.clone(), capacity);

        if let Some((shared, environment)) = self.shared {
            stack.shared(shared.names(), environment);
        }
        if let Some(environment) = self.launch_environment {
            stack.environment(Layer::LaunchEnvironment, environment);
        }
        if let Some(file) = &dotenv {
            stack.dotenv(Layer::Dotenv, file);
        }
        let occasion = Occasion {
            home: self.home.id(),
            dotenv: dotenv.as_deref(),
            classes: &classes,
            programs: self.programs,
        };
        for sources in self.sources {
            for outcome in sources.ask(occasion).iter() {
                stack.source(outcome);
            }
        }
        if let Some(file) = managed {
            stack.dotenv(Layer::Managed, file);
        }
        Ok(SecretScope::new(self.home.id().clone(), stack.into_parts()))
    }
}

/// The home and the steps that were taken, never a value.
impl fmt::Debug for SecretScopeBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretScopeBuilder")
            .field("home", self.home.id())
            .field("files", &self.files.is_some())
            .field("launch_environment", &self.launch_environment.is_some())
            .field("shared", &self.shared.map(|(names, _)| names))
            .field("sources", &self.sources.len())
            .field("managed", &self.managed.is_some())
            .finish_non_exhaustive()
    }
}
