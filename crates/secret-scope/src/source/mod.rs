//! External sources of secrets: what they are asked, what they answer, and how they fail.

use std::ffi::OsStr;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use watertight_context::detached;
use watertight_env_snapshot::{ChildEnv, ChildParts, ChildSpec, TOTAL_LIMIT};
use watertight_profile_home::{Dotenv, Entry};
use watertight_vocabulary::{
    Classes, EnvSource, HomeId, Name, NameClass, Platform, Refusal, Secret, shown_path,
};

pub use self::cache::{Asking, SourceCache};
pub use self::command::CommandSource;
pub use self::error::SourceError;

mod cache;
mod command;
mod error;
mod process;

/// An external source: for a home, names and values, or an error (SEC-23).
///
/// # Fail-closed behaviour
///
/// An error is not an empty answer: the names that the source declares, and every miss of the scope, are
/// then refused (SEC-24). A source sees of a home what its request shows and nothing else; it must not read
/// the environment of the process it runs in.
pub trait SecretSource: fmt::Debug + Send + Sync {
    /// Its name in provenance and reports.
    fn name(&self) -> &str;

    /// The names that it may hold, and that it may see of the home's own `.env`: where that has
    /// `API_KEY=vault://..`, the source that declares `API_KEY` is shown the reference and answers with the
    /// key. Exact names, so that a source's reach can be read off.
    fn declares(&self) -> &[Name];

    /// Asks it for a home. It may block. It is asked with nothing bound, and must not ask a host for a scope
    /// of that same home: that scope waits for this very answer.
    ///
    /// # Errors
    ///
    /// [`SourceError`], which holds no value and no text of the other side.
    fn fetch(&self, request: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError>;
}

/// What a source is asked for, and all that it may see.
#[derive(Clone, Copy)]
pub struct SourceRequest<'a> {
    home: &'a HomeId,
    dotenv: Option<&'a Dotenv>,
    declared: &'a [Name],
    classes: &'a Classes,
    programs: Option<Programs<'a>>,
}

/// What the programs of sources start from: the host's part of their environment (SEC-23, SNAP-23).
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "no part has a default, so none is forgotten")]
pub struct Programs<'a> {
    /// The launch environment, live before activation and frozen after it: for the base list alone.
    pub environment: &'a dyn EnvSource,
    /// The platform whose lists and limits count.
    pub platform: Platform,
    /// The layout's home variable, which is set to the home that is being built.
    pub home_variable: &'a OsStr,
    /// The layout's profile-name variables, which no program gets.
    pub profile_name_variables: &'a [Name],
}

/// What one source answered for one home.
#[derive(Clone)]
pub(crate) struct Outcome {
    pub(crate) name: Arc<str>,
    pub(crate) declares: Arc<[Name]>,
    pub(crate) answer: Result<Arc<[(Name, Secret)]>, Refusal>,
}

/// The code of a source that was not asked, which is no failure (SEC-32).
const NOT_ASKED: &str = "source-not-asked";

/// The sources of one step of a builder.
pub(crate) enum Sources<'a> {
    One(&'a dyn SecretSource),
    Cached(&'a SourceCache, Asking),
}

/// A home, for any source.
#[derive(Clone, Copy)]
pub(crate) struct Occasion<'a> {
    pub(crate) home: &'a HomeId,
    pub(crate) dotenv: Option<&'a Dotenv>,
    pub(crate) classes: &'a Classes,
    pub(crate) programs: Option<Programs<'a>>,
}

impl<'a> SourceRequest<'a> {
    /// The home that is being built.
    pub fn home(&self) -> &'a HomeId {
        self.home
    }

    /// What the home's own `.env` holds for a name that the source declares; nothing for any other. Where case
    /// does not matter, the last line of any spelling counts (SNAP-08, FILE-20).
    pub fn own(&self, name: impl AsRef<OsStr>) -> Option<&'a Secret> {
        let (name, case) = (name.as_ref(), self.classes.case_rule());
        let is_it = |other: &Name| case.same(other.as_os_str(), name);
        if !self.declared.iter().any(is_it) || self.classes.class_of(name) != NameClass::Secret {
            return None;
        }
        let spellings = self.dotenv?.entries().filter(|entry| is_it(entry.name()));
        spellings.max_by_key(|entry| entry.line()).map(Entry::value)
    }

    /// The whole environment of a program that the source starts: the base list, and what the home's own
    /// `.env` holds for the names that the source declares (SEC-23).
    ///
    /// # Errors
    ///
    /// [`SourceError::NoPrograms`] where the builder was told of no environment to start from, and
    /// [`SourceError::ChildEnv`] where one cannot be built.
    pub fn child_env(&self) -> Result<ChildEnv, SourceError> {
        let programs = self.programs.ok_or(SourceError::NoPrograms)?;
        let spec = ChildSpec::new().pass(self.declared.iter().cloned());
        let parts = ChildParts {
            platform: programs.platform,
            base: programs.environment,
            control_plane: self.classes.control_plane(),
            allowed: Ok(()),
            answer: &mut |name| Ok(self.own(name).cloned()),
            scope_names: Vec::new(),
            terminal: &mut || Ok(Vec::new()),
            home_variable: programs.home_variable,
            home: self.home.path(),
            profile_name_variables: programs.profile_name_variables,
            own_runner_id: None,
            total_limit: TOTAL_LIMIT,
        };
        ChildEnv::build(&spec, parts).map_err(SourceError::ChildEnv)
    }
}

impl Sources<'_> {
    pub(crate) fn ask(self, occasion: Occasion<'_>) -> Arc<[Outcome]> {
        match self {
            Self::One(source) => Arc::new([Outcome::asked(source, occasion)]),
            Self::Cached(cache, asking) => cache.ask(occasion, asking),
        }
    }
}

impl Outcome {
    /// Asks a source, outside of every scope: what is bound for whoever happens to ask is nothing that the
    /// source may see (SEC-23). A source that panics has failed, and so keeps nothing alive (SEC-28).
    pub(crate) fn asked(source: &dyn SecretSource, occasion: Occasion<'_>) -> Self {
        let Occasion { home, dotenv, classes, programs } = occasion;
        let request = SourceRequest { home, dotenv, declared: source.declares(), classes, programs };
        let fetched = catch_unwind(AssertUnwindSafe(|| detached(|| source.fetch(&request))));
        let answer = fetched.unwrap_or(Err(SourceError::Panicked)).map_err(|error| {
            tracing::warn!(
                source = source.name(), home = %shown_path(home.path()), code = error.code(),
                "a source failed: {error}"
            );
            error.refusal(source.name())
        });
        Self::of(source, answer.map(Arc::from))
    }

    /// Says that a source is there and was not asked (SEC-32).
    pub(crate) fn unasked(source: &dyn SecretSource) -> Self {
        let cause = format!("the source {} is configured, not asked", source.name());
        Self::of(source, Err(Refusal::new(NOT_ASKED, cause)))
    }

    /// Why it has no answer, if it was asked for one.
    pub(crate) fn failure(&self) -> Option<&Refusal> {
        self.answer.as_ref().err().filter(|refusal| refusal.code() != NOT_ASKED)
    }

    fn of(source: &dyn SecretSource, answer: Result<Arc<[(Name, Secret)]>, Refusal>) -> Self {
        Self { name: source.name().into(), declares: source.declares().into(), answer }
    }
}

/// Nothing that the environment shows of itself.
impl fmt::Debug for Programs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Programs")
            .field("platform", &self.platform)
            .field("home_variable", &self.home_variable)
            .field("profile_name_variables", &self.profile_name_variables)
            .finish_non_exhaustive()
    }
}

/// The home and the names that may be seen, never a value.
impl fmt::Debug for SourceRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceRequest")
            .field("home", self.home)
            .field("declared", &self.declared)
            .finish_non_exhaustive()
    }
}
