use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use watertight_profile_home::ProfileHome;
use watertight_vocabulary::{
    Bound, Classes, Diagnostic, HomeId, Layer, Name, Origin, Refusal, Refused, Secret,
};

use crate::SecretScopeBuilder;
use crate::decision::Held;
use crate::entries::{Entries, Entry, Place};
use crate::explain::Explanation;
use crate::sight::Sight;

/// What a context holds for a task's secrets: its scope, or the refusal in its place (SEC-30).
pub type BoundSecrets = Bound<SecretScope>;

/// A profile's secrets: immutable, and stamped with the identity of the home they were built for (SEC-28).
///
/// ```
/// use watertight_profile_home::{MemoryFiles, ProfileHome};
/// use watertight_secret_scope::SecretScope;
/// use watertight_vocabulary::HomeId;
///
/// let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
/// let files = MemoryFiles::new();
/// files.set_dotenv(&home, "MODEL_KEY=canary-1\n");
///
/// let bound = SecretScope::builder(&home).files(&files).build();
/// let scope = bound.policy().expect("the file can be read");
/// assert!(scope.get("MODEL_KEY")?.is_some_and(|key| key.matches("canary-1")));
/// assert!(scope.get("OTHER_KEY")?.is_none());
/// # Ok::<(), watertight_vocabulary::Refused>(())
/// ```
///
/// # Fail-closed behaviour
///
/// No layer brings in a global, terminal or control-plane name (SEC-26), so whatever it holds is a secret
/// of this profile. A name that a failed source may hold is refused and never absent (SEC-24). There is no
/// way to change a scope, and none to take its values out as a whole.
pub struct SecretScope {
    home: HomeId,
    classes: Classes,
    entries: Entries,
    /// From the bottom to the top; a [`Place`] holds a number into them.
    layers: Box<[LayerFacts]>,
    /// What was shadowed, by the number of the entry, the topmost of an entry first.
    shadowed: Box<[(u32, Place)]>,
    failures: Box<[Failure]>,
    diagnostics: Box<[Diagnostic]>,
}

/// What the stack of layers hands over.
pub(crate) struct Parts {
    pub(crate) classes: Classes,
    pub(crate) entries: Entries,
    pub(crate) layers: Vec<LayerFacts>,
    pub(crate) shadowed: Vec<(u32, Place)>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A layer of one scope.
pub(crate) struct LayerFacts {
    pub(crate) layer: Layer,
    pub(crate) path: Option<Arc<Path>>,
    pub(crate) source: Option<Arc<str>>,
}

/// A source that could not be asked, or was not (SEC-24).
pub(crate) struct Failure {
    pub(crate) layer: u16,
    pub(crate) refusal: Refusal,
}

/// What a lookup found.
#[derive(Clone, Copy)]
pub(crate) enum Found<'a> {
    Value(&'a Secret),
    Missing,
    Unknowable(&'a Refusal),
}

impl SecretScope {
    /// Starts the secrets of a home. Layers are named steps; nothing of the launch environment comes in
    /// unless [`SecretScopeBuilder::launch_environment`] says so (SEC-21).
    pub fn builder(home: &ProfileHome) -> SecretScopeBuilder<'_> {
        SecretScopeBuilder::new(home)
    }

    pub(crate) fn new(home: HomeId, parts: Parts) -> Self {
        let Parts { classes, entries, layers, shadowed, failures, diagnostics } = parts;
        Self {
            home,
            classes,
            entries,
            layers: layers.into(),
            shadowed: shadowed.into(),
            failures: failures.into(),
            diagnostics: diagnostics.into(),
        }
    }

    /// The home it was built for.
    pub fn home(&self) -> &HomeId {
        &self.home
    }

    /// How names are told apart in it (SEC: classes travel with the scope).
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The value of a name, read from this scope alone: no host, no environment.
    ///
    /// # Errors
    ///
    /// [`Refused`] for a terminal or control-plane name, and where a source failed that may hold the name
    /// (SEC-10, SEC-16, SEC-24). Those are not absence.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Result<Option<&Secret>, Refused> {
        Sight::of_scope(self).borrow(name.as_ref())
    }

    /// The names it holds, in byte order.
    pub fn names(&self) -> Vec<&Name> {
        let held = self.entries.iter().filter(|entry| entry.value.is_some());
        let mut names: Vec<_> = held.map(|entry| &entry.name).collect();
        names.sort_unstable();
        names
    }

    /// The names that a source declares and has not answered for, in byte order: each is refused, whatever
    /// lies beneath (SEC-24).
    pub fn withheld(&self) -> Vec<&Name> {
        let withheld = self.entries.iter().filter(|entry| entry.value.is_none());
        let mut names: Vec<_> = withheld.map(|entry| &entry.name).collect();
        names.sort_unstable();
        names
    }

    /// Where the value of a name came from (SEC-29).
    pub fn origin(&self, name: impl AsRef<OsStr>) -> Option<Origin> {
        let entry = self.entries.get(name.as_ref())?;
        entry.value.as_ref().map(|_| self.origin_of(entry.place))
    }

    /// Which layers hold the name beneath the one that won, the next one first (SEC-29).
    pub fn shadowed(&self, name: impl AsRef<OsStr>) -> Vec<Origin> {
        let Some(number) = self.entries.number(name.as_ref()) else { return Vec::new() };
        let first = self.shadowed.partition_point(|(other, _)| *other < number);
        let rest = self.shadowed.get(first..).unwrap_or_default();
        rest.iter()
            .take_while(|(other, _)| *other == number)
            .map(|(_, place)| self.origin_of(*place))
            .collect()
    }

    /// The failed sources that lie above the layer that answers a name, the topmost first: one of them
    /// may hold another value of it (SEC-24).
    pub fn failures(&self, name: impl AsRef<OsStr>) -> impl Iterator<Item = &Refusal> {
        let answers = self.entries.get(name.as_ref()).and_then(Entry::answering_layer);
        self.failures
            .iter()
            .rev()
            .filter(move |failure| answers.is_none_or(|layer| failure.layer > layer))
            .map(|failure| &failure.refusal)
    }

    /// What was found while it was built: names that may not enter, sources that were asked and failed, and
    /// what the files' reader reported.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Why a name has the answer that it has, read from this scope alone (SEC-29). It asks no source.
    pub fn explain(&self, name: impl AsRef<OsStr>) -> Explanation {
        Sight::of_scope(self).explain(name.as_ref())
    }

    /// What it holds, looked up by name.
    #[inline]
    pub(crate) fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Whether a source failed.
    #[inline]
    pub(crate) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    /// What an entry, or that there is none, says of its name (SEC-24).
    pub(crate) fn judge<'a>(&'a self, entry: Option<&'a Entry>) -> Found<'a> {
        if let Some(value) = entry.and_then(|entry| entry.value.as_ref()) {
            return Found::Value(value);
        }
        let declaring =
            entry.and_then(|entry| self.failures.iter().find(|failure| failure.layer == entry.place.layer));
        match declaring.or(self.failures.last()) {
            Some(failure) => Found::Unknowable(&failure.refusal),
            None => Found::Missing,
        }
    }

    fn origin_of(&self, place: Place) -> Origin {
        match self.layers.get(usize::from(place.layer)) {
            Some(facts) => facts.origin(place.line),
            None => Origin::layer_only(Layer::Default),
        }
    }
}

impl Entry {
    fn answering_layer(&self) -> Option<u16> {
        self.value.as_ref().map(|_| self.place.layer)
    }
}

impl LayerFacts {
    pub(crate) fn origin(&self, line: u32) -> Origin {
        match (&self.path, &self.source) {
            (Some(path), _) if line > 0 => Origin::line(self.layer, Arc::clone(path), line),
            (Some(path), _) => Origin::file(self.layer, Arc::clone(path)),
            (None, Some(source)) => Origin::source(Arc::clone(source)),
            (None, None) => Origin::layer_only(self.layer),
        }
    }
}

impl Found<'_> {
    pub(crate) fn held(self) -> Held {
        match self {
            Self::Value(_) => Held::Yes,
            Self::Missing => Held::No,
            Self::Unknowable(_) => Held::Unknowable,
        }
    }
}

/// The home and the names, never a value (SEC-31).
impl fmt::Debug for SecretScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretScope")
            .field("home", &self.home)
            .field("names", &self.names())
            .field("failures", &self.failures.len())
            .finish_non_exhaustive()
    }
}
