use std::ffi::OsStr;
use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use watertight_profile_home::{HomeFile, ProfileHome};
use watertight_vocabulary::{CaseRule, Diagnostic, HomeId, Layer, Name, Origin, Secret};

use crate::fault::Flaw;
use crate::schema::{BACKEND, CWD};
use crate::{Backend, Fault, SchemaKey, SettingError, TerminalPolicyBuilder, TerminalSchema, ValueType};

/// Where a profile's commands run, and how confined: complete, and immutable once built.
///
/// # Fail-closed behaviour
///
/// While a policy is bound it alone answers every terminal question; what it does not hold is the caller's
/// default, and never the environment (TERM-20). A value that cannot be rendered is an error on every read of
/// its key, and a backend that is not known is an error and never `local` (TERM-09). A policy that could not be
/// built is a [`Refusal`](watertight_vocabulary::Refusal) in its place, which has nothing to read (TERM-43).
///
/// Values are wiped when the policy is dropped. It shares the schema's defaults, so it costs what the profile
/// sets differently.
pub struct TerminalPolicy {
    pub(crate) schema: TerminalSchema,
    pub(crate) home: HomeId,
    /// What the layers set and what is to be said of it; nothing for a profile that sets nothing.
    pub(crate) own: Option<Box<Own>>,
    pub(crate) cwd: BaseCwd,
    pub(crate) image_pinned: Option<bool>,
    pub(crate) case: CaseRule,
}

/// What a profile's layers set.
pub(crate) struct Own {
    /// By name, in byte order.
    pub(crate) entries: Box<[OwnEntry]>,
    pub(crate) problems: Box<[Diagnostic]>,
    /// The administrator's managed `.env`, where it sets something.
    pub(crate) managed: Option<Arc<Path>>,
}

/// One entry that a layer sets. A host holds many, so it is kept small.
pub(crate) struct OwnEntry {
    pub(crate) name: Name,
    /// Nothing where not even its text can be read.
    pub(crate) value: Option<Secret>,
    pub(crate) flaw: Option<Flaw>,
    pub(crate) mark: Mark,
    /// The layers that it shadows, the nearest first.
    pub(crate) shadowed: Box<[Mark]>,
}

/// An [`Origin`] without its path, which the policy knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) layer: Layer,
    line: Option<NonZeroU32>,
}

impl Mark {
    pub(crate) fn of(origin: &Origin) -> Self {
        Self { layer: origin.layer(), line: origin.line_number().and_then(NonZeroU32::new) }
    }
}

/// What the working directory is while no layer sets it (TERM-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseCwd {
    /// The schema's default, if that is one.
    Default,
    /// The user home that the schema's policies share.
    UserHome,
    /// There is no user home to take its place.
    NoUserHome,
}

/// Where an entry is found.
pub(crate) enum Slot<'a> {
    Own(&'a OwnEntry),
    Base(&'a Secret, Layer),
}

impl Slot<'_> {
    pub(crate) fn value(&self) -> Option<&Secret> {
        match self {
            Self::Own(entry) => entry.value.as_ref(),
            Self::Base(value, _) => Some(value),
        }
    }

    pub(crate) fn flaw(&self) -> Option<Flaw> {
        match self {
            Self::Own(entry) => entry.flaw,
            Self::Base(..) => None,
        }
    }

    fn mark(&self) -> Mark {
        match self {
            Self::Own(entry) => entry.mark,
            Self::Base(_, layer) => Mark { layer: *layer, line: None },
        }
    }
}

impl TerminalPolicy {
    /// Starts a policy for a home.
    pub fn builder(home: &ProfileHome) -> TerminalPolicyBuilder<'_> {
        TerminalPolicyBuilder::new(home)
    }

    /// The home that it was built for.
    pub fn home(&self) -> &HomeId {
        &self.home
    }

    /// The schema that it was built with.
    pub fn schema(&self) -> &TerminalSchema {
        &self.schema
    }

    /// The text of a variable, as it goes to the tools on the other side; absent where no layer and no
    /// default sets it (TERM-20).
    ///
    /// # Errors
    ///
    /// [`Fault::SpellingLost`] and [`Fault::NotRenderable`]: there is a value, and it has no text (TERM-09).
    pub fn get(&self, variable: impl AsRef<OsStr>) -> Result<Option<&Secret>, SettingError> {
        match self.slot(variable.as_ref()) {
            None => Ok(None),
            Some(Slot::Base(value, _)) => Ok(Some(value)),
            Some(Slot::Own(entry)) => match &entry.value {
                Some(value) => Ok(Some(value)),
                None => Err(self.unreadable(entry)),
            },
        }
    }

    /// Everything that can be read, by name in byte order: values and where each comes from.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.variables().into_iter().filter_map(|name| {
            let slot = self.slot(name.as_os_str())?;
            let origin = self.origin_of(slot.mark());
            let value = match slot {
                Slot::Own(entry) => entry.value.as_ref()?,
                Slot::Base(value, _) => value,
            };
            Some(Entry { name, value, origin })
        })
    }

    /// The names of all entries in byte order, those included whose value cannot be read.
    pub fn variables(&self) -> Vec<&Name> {
        let base = self.schema.keys().map(SchemaKey::variable).chain([self.schema.image_pinned()]);
        let own = self.own_entries().iter().map(|entry| &entry.name);
        let mut names: Vec<&Name> =
            base.filter(|name| self.slot(name.as_os_str()).is_some()).chain(own).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What the layers hold that is not as it should be: keys of another type, keys that do not exist,
    /// a missing user home (TERM-04, TERM-06, TERM-09). It shows keys, layers and types, never a value (TERM-11).
    pub fn problems(&self) -> &[Diagnostic] {
        self.own.as_deref().map_or(&[], |own| &own.problems)
    }

    /// Where a variable's value comes from (TERM-10).
    pub fn origin(&self, variable: impl AsRef<OsStr>) -> Option<Origin> {
        self.slot(variable.as_ref()).map(|slot| self.origin_of(slot.mark()))
    }

    /// The backend, or an error: it is never guessed (TERM-09).
    ///
    /// # Errors
    ///
    /// [`Fault::UnknownBackend`] for an empty or unknown name, [`Fault::Unset`] where nothing sets one.
    pub fn backend(&self) -> Result<Backend, SettingError> {
        let key = self.mapped(BACKEND)?;
        let Some(slot) = self.slot(key.variable().as_os_str()) else {
            return Err(key.error(None, Fault::Unset));
        };
        slot.value()
            .and_then(|value| value.expose().ok())
            .and_then(|text| self.schema.backend(text))
            .ok_or_else(|| {
                let known = Arc::clone(self.schema.known_backends());
                key.error(self.origin(key.variable()), Fault::UnknownBackend { known })
            })
    }

    /// Whether something may be started under this policy: an error where the backend cannot be read (TERM-24).
    ///
    /// # Errors
    ///
    /// As [`TerminalPolicy::backend`].
    pub fn ensure_allowed(&self) -> Result<(), SettingError> {
        self.backend().map(drop)
    }

    /// The policy as entries for a child's environment.
    ///
    /// A value that cannot be read is left out where the backend does not use its key: a broken value for
    /// one backend stops no other. For the backend that uses it, it is an error: the child would put its own
    /// default in its place. So is a backend that is empty or unknown: the child would guess one (TERM-09,
    /// TERM-25).
    ///
    /// # Errors
    ///
    /// As [`TerminalPolicy::backend`]; [`Fault::SpellingLost`] and [`Fault::NotRenderable`] for a key that the
    /// backend uses.
    pub fn child_entries(&self) -> Result<Vec<(Name, Secret)>, SettingError> {
        let backend = self.backend()?;
        for entry in self.own_entries().iter().filter(|entry| entry.value.is_none()) {
            if self.schema.variable(entry.name.as_os_str()).is_none_or(|key| key.is_used_by(&backend)) {
                return Err(self.unreadable(entry));
            }
        }
        Ok(self.entries().map(|entry| (entry.name.clone(), entry.value.clone())).collect())
    }

    pub(crate) fn own_entries(&self) -> &[OwnEntry] {
        self.own.as_deref().map_or(&[], |own| &own.entries)
    }

    /// The entry of a variable: what the layers set, else what is computed, else the default.
    pub(crate) fn slot(&self, variable: &OsStr) -> Option<Slot<'_>> {
        let folded = self.case.fold(variable);
        let variable = &*folded;
        let own = self.own_entries();
        if let Ok(at) = own.binary_search_by(|entry| entry.name.as_os_str().cmp(variable)) {
            return own.get(at).map(Slot::Own);
        }
        if variable == self.schema.image_pinned().as_os_str() {
            return self.image_pinned.map(|pinned| Slot::Base(self.schema.pin(pinned), Layer::Computed));
        }
        let key = self.schema.variable(variable)?;
        if key.key() == CWD && self.cwd == BaseCwd::UserHome {
            return self.schema.shared_user_home().map(|home| Slot::Base(home, Layer::Computed));
        }
        key.entry().map(|default| Slot::Base(default, Layer::Default))
    }

    /// Where an entry comes from, with the path of its file.
    pub(crate) fn origin_of(&self, mark: Mark) -> Origin {
        let path: Option<Arc<Path>> = match mark.layer {
            Layer::Dotenv => Some(HomeFile::Dotenv.in_home(self.home.path()).into()),
            Layer::ConfigYaml => Some(HomeFile::Config.in_home(self.home.path()).into()),
            Layer::Managed => self.own.as_ref().and_then(|own| own.managed.clone()),
            _ => None,
        };
        match (path, mark.line) {
            (Some(path), Some(line)) => Origin::line(mark.layer, path, line.get()),
            (Some(path), None) => Origin::file(mark.layer, path),
            (None, _) => Origin::layer_only(mark.layer),
        }
    }

    /// A key of the schema.
    pub(crate) fn mapped(&self, key: &str) -> Result<&SchemaKey, SettingError> {
        self.schema.key(key).ok_or_else(|| SettingError::new(Arc::from(key), None, None, Fault::NotMapped))
    }

    /// The error of an entry that has no text. Only the schema's keys can have one.
    fn unreadable(&self, entry: &OwnEntry) -> SettingError {
        let origin = Some(self.origin_of(entry.mark));
        let flaw = entry.flaw.unwrap_or(Flaw::NotRenderable);
        if let Some(key) = self.schema.variable(entry.name.as_os_str()) {
            return key.error(origin, flaw.under(key.value_type()));
        }
        let (name, fault) = (entry.name.to_string().into(), flaw.under(ValueType::Text));
        SettingError::new(name, Some(entry.name.clone()), origin, fault)
    }
}

/// One entry of a policy.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The variable.
    pub name: &'a Name,
    /// Its value.
    pub value: &'a Secret,
    /// Where it comes from.
    pub origin: Origin,
}

/// Keys and layers, never a value (TERM-11).
impl fmt::Debug for TerminalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Layers<'a>(&'a [OwnEntry]);
        impl fmt::Debug for Layers<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_map().entries(self.0.iter().map(|entry| (&entry.name, entry.mark.layer))).finish()
            }
        }
        f.debug_struct("TerminalPolicy")
            .field("home", &self.home)
            .field("set", &Layers(self.own_entries()))
            .field("problems", &self.problems().len())
            .finish_non_exhaustive()
    }
}
