use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, LazyLock, OnceLock};

use watertight_profile_home::boolean_word;
use watertight_vocabulary::{Name, Origin, Secret};

use crate::table::{HERMES, SHOWN_TEXTS};
use crate::{Backend, Fault, SettingError, ValueType};

/// What every variable of the terminal policy begins with.
const PREFIX: &str = "TERMINAL_";
pub(crate) const BACKEND: &str = "backend";
pub(crate) const CWD: &str = "cwd";
pub(crate) const IMAGE: &str = "docker_image";
/// The variable that is computed and taken from no layer (TERM-07).
pub(crate) const IMAGE_PINNED: &str = "TERMINAL_DOCKER_IMAGE_PINNED";
pub(crate) const IMAGE_PINNED_KEY: &str = "docker_image_pinned";

/// One mapped key: its variable, type and default, and what a report may show of it (TERM-03).
#[derive(Debug, Clone)]
pub struct SchemaKey {
    key: Arc<str>,
    variable: Name,
    value_type: ValueType,
    default: Option<Secret>,
    shown: bool,
    used_by: Arc<[Box<str>]>,
}

impl SchemaKey {
    /// A key of this type without a default. Booleans and numbers are shown in reports (TERM-11).
    ///
    /// # Errors
    ///
    /// [`SchemaError::InvalidKey`] for a key that is not made of lower-case ASCII letters, digits and `_`;
    /// [`SchemaError::Reserved`] for `env` and `docker_image_pinned`, whose variables are taken;
    /// [`SchemaError::FixedType`] for `backend`, `cwd` or `docker_image` with another type than theirs.
    pub fn new(key: &str, value_type: ValueType) -> Result<Self, SchemaError> {
        let valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if key.is_empty() || !key.bytes().all(valid) {
            return Err(SchemaError::InvalidKey { key: key.to_owned() });
        }
        let variable = variable_of(key);
        if key == "env" || key == IMAGE_PINNED_KEY {
            return Err(SchemaError::Reserved { key: key.to_owned() });
        }
        let fixed = match key {
            BACKEND | IMAGE => ValueType::Text,
            CWD => ValueType::Path,
            _ => value_type,
        };
        if fixed != value_type {
            return Err(SchemaError::FixedType { key: key.to_owned(), fixed });
        }
        Ok(Self {
            key: Arc::from(key),
            variable: Name::from(variable),
            value_type,
            default: None,
            shown: matches!(value_type, ValueType::Boolean | ValueType::Integer | ValueType::Number),
            used_by: Arc::from([]),
        })
    }

    /// With this default, written as a layer would write it.
    ///
    /// # Errors
    ///
    /// [`SchemaError::Default`] if it cannot be read as the key's type.
    pub fn with_default(self, text: &str) -> Result<Self, SchemaError> {
        if self.value_type.accepts(text.as_bytes()) {
            Ok(Self { default: Some(Secret::from(text)), ..self })
        } else {
            Err(SchemaError::Default { key: self.key.to_string() })
        }
    }

    /// Whether a report may show its value: only what can hold no secret.
    pub fn shown(self, shown: bool) -> Self {
        Self { shown, ..self }
    }

    /// Only these backends read it, so a value that cannot be read stops none but them.
    pub fn used_by<'a>(self, backends: impl IntoIterator<Item = &'a str>) -> Self {
        Self { used_by: backends.into_iter().map(Box::from).collect(), ..self }
    }

    /// The key in `config.yaml`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The variable: `TERMINAL_ENV` for `backend`, else `TERMINAL_` and the key in upper case (TERM-03).
    pub fn variable(&self) -> &Name {
        &self.variable
    }

    /// The type.
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// The default, where there is one.
    pub fn default(&self) -> Option<&Secret> {
        self.default.as_ref()
    }

    /// Whether a report may show its value (TERM-11).
    pub fn is_shown(&self) -> bool {
        self.shown
    }

    /// Whether this backend reads it.
    pub fn is_used_by(&self, backend: &Backend) -> bool {
        self.used_by.is_empty() || self.used_by.iter().any(|name| **name == *backend.as_str())
    }

    /// The error of this key.
    pub(crate) fn error(&self, origin: Option<Origin>, fault: Fault) -> SettingError {
        SettingError::new(Arc::clone(&self.key), Some(self.variable.clone()), origin, fault)
    }

    /// The default as an entry of a policy. The placeholders of `cwd` set nothing (TERM-06).
    pub(crate) fn entry(&self) -> Option<&Secret> {
        self.default.as_ref().filter(|text| &*self.key != CWD || !text.expose().is_ok_and(is_cwd_placeholder))
    }
}

/// Whether a working directory from YAML or the defaults stands for nothing at all (TERM-06).
pub(crate) fn is_cwd_placeholder(text: &str) -> bool {
    matches!(text.trim(), "." | "auto" | "cwd")
}

fn variable_of(key: &str) -> String {
    if key == BACKEND { format!("{PREFIX}ENV") } else { format!("{PREFIX}{}", key.to_ascii_uppercase()) }
}

/// Which keys there are, what type each has and what it is by default: the one table behind every layer and
/// every read (TERM-03). A value; a host may extend or replace it.
///
/// Cheap to clone. Policies built with one schema share its defaults, so a profile costs what it sets.
///
/// ```
/// use watertight_terminal_scope::{SchemaKey, TerminalSchema, ValueType};
///
/// # fn main() -> Result<(), watertight_terminal_scope::SchemaError> {
/// let schema = TerminalSchema::hermes()
///     .extend([SchemaKey::new("firejail_profile", ValueType::Text)?.with_default("strict")?])?
///     .with_backends(["firejail"])?;
/// assert_eq!(schema.keys().len(), 36);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TerminalSchema(Arc<Inner>);

struct Inner {
    keys: Vec<SchemaKey>,
    /// Positions in `keys`, by variable.
    by_variable: Vec<usize>,
    backends: Vec<Backend>,
    known_backends: Arc<str>,
    image_pinned: Name,
    pins: [Secret; 2],
    /// The user home that the first policy was built with: profiles of one host share it.
    user_home: OnceLock<Secret>,
}

impl TerminalSchema {
    /// The schema of the reference deployment: 35 keys.
    pub fn hermes() -> Self {
        static HERMES_SCHEMA: LazyLock<TerminalSchema> =
            LazyLock::new(|| TerminalSchema::assemble(hermes_keys().collect(), Backend::KNOWN.to_vec()));
        HERMES_SCHEMA.clone()
    }

    /// A schema of these keys and the known backends, in place of the reference's.
    ///
    /// # Errors
    ///
    /// [`SchemaError::NoBackend`] without the key `backend`: such a schema could not say where commands run.
    pub fn new(keys: impl IntoIterator<Item = SchemaKey>) -> Result<Self, SchemaError> {
        let mut chosen: Vec<SchemaKey> = Vec::new();
        for key in keys {
            match chosen.iter_mut().find(|other| other.key == key.key) {
                Some(other) => *other = key,
                None => chosen.push(key),
            }
        }
        if !chosen.iter().any(|key| &*key.key == BACKEND) {
            return Err(SchemaError::NoBackend);
        }
        Ok(Self::assemble(chosen, Backend::KNOWN.to_vec()))
    }

    /// This schema with more keys; a key that it has already is replaced.
    ///
    /// # Errors
    ///
    /// As [`TerminalSchema::new`].
    pub fn extend(&self, keys: impl IntoIterator<Item = SchemaKey>) -> Result<Self, SchemaError> {
        let extended = Self::new(self.0.keys.iter().cloned().chain(keys))?;
        Ok(Self::assemble(extended.0.keys.clone(), self.0.backends.clone()))
    }

    /// This schema with more backends.
    ///
    /// # Errors
    ///
    /// [`SchemaError::InvalidBackend`] for a name that is empty, not trimmed and in lower case, or a word
    /// that YAML's readers take for a boolean (TERM-08).
    pub fn with_backends<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, SchemaError> {
        let mut backends = self.0.backends.clone();
        for name in names {
            if name.is_empty() || Backend::normalized(name) != name || boolean_word(name).is_some() {
                return Err(SchemaError::InvalidBackend { name: name.to_owned() });
            }
            if !backends.iter().any(|backend| backend.as_str() == name) {
                backends.push(Backend::Other(Arc::from(name)));
            }
        }
        Ok(Self::assemble(self.0.keys.clone(), backends))
    }

    /// The keys, in the schema's order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &SchemaKey> {
        self.0.keys.iter()
    }

    /// The backends that are known.
    pub fn backends(&self) -> impl ExactSizeIterator<Item = &Backend> {
        self.0.backends.iter()
    }

    /// A key by its name in `config.yaml`.
    pub fn key(&self, key: &str) -> Option<&SchemaKey> {
        self.0.keys.iter().find(|candidate| &*candidate.key == key)
    }

    /// A key by its variable.
    pub fn variable(&self, variable: &OsStr) -> Option<&SchemaKey> {
        let variable_at = |at: &usize| self.0.keys.get(*at).map(|key| key.variable.as_os_str());
        let found = self.0.by_variable.binary_search_by(|at| variable_at(at).cmp(&Some(variable))).ok()?;
        self.0.by_variable.get(found).and_then(|at| self.0.keys.get(*at))
    }

    /// The backend of this name, trimmed and lower-cased. Empty or unknown is none (TERM-09).
    pub(crate) fn backend(&self, text: &str) -> Option<Backend> {
        let name = Backend::normalized(text);
        self.0.backends.iter().find(|backend| backend.as_str() == name).cloned()
    }

    /// The names of the known backends, for messages.
    pub(crate) fn known_backends(&self) -> &Arc<str> {
        &self.0.known_backends
    }

    /// The variable that says whether the image is pinned, and its two values (TERM-07).
    pub(crate) fn image_pinned(&self) -> &Name {
        &self.0.image_pinned
    }

    pub(crate) fn pin(&self, pinned: bool) -> &Secret {
        let [no, yes] = &self.0.pins;
        if pinned { yes } else { no }
    }

    /// The user home as a value, if it is the one that this schema's policies share.
    pub(crate) fn share_user_home(&self, home: &Path) -> Option<&Secret> {
        let bytes = home.as_os_str().as_encoded_bytes();
        let variable = Name::from(variable_of(CWD));
        let shared = self.0.user_home.get_or_init(|| Secret::from_os(&variable, home.as_os_str().to_owned()));
        (shared.expose_bytes() == bytes).then_some(shared)
    }

    pub(crate) fn shared_user_home(&self) -> Option<&Secret> {
        self.0.user_home.get()
    }

    fn assemble(keys: Vec<SchemaKey>, backends: Vec<Backend>) -> Self {
        let mut by_variable: Vec<(Name, usize)> =
            keys.iter().enumerate().map(|(at, key)| (key.variable.clone(), at)).collect();
        by_variable.sort_unstable();
        let names: Vec<&str> = backends.iter().map(Backend::as_str).collect();
        Self(Arc::new(Inner {
            known_backends: Arc::from(names.join(", ")),
            by_variable: by_variable.into_iter().map(|(_, at)| at).collect(),
            keys,
            backends,
            image_pinned: Name::from(IMAGE_PINNED),
            pins: [Secret::from("0"), Secret::from("1")],
            user_home: OnceLock::new(),
        }))
    }
}

impl Default for TerminalSchema {
    fn default() -> Self {
        Self::hermes()
    }
}

/// Keys and types; defaults are values, and stay out.
impl fmt::Debug for TerminalSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.keys.iter().map(|key| (&key.key, key.value_type))).finish()
    }
}

fn hermes_keys() -> impl Iterator<Item = SchemaKey> {
    HERMES.iter().map(|row| {
        let numeric = matches!(row.1, ValueType::Boolean | ValueType::Integer | ValueType::Number);
        SchemaKey {
            key: Arc::from(row.0),
            variable: Name::from(variable_of(row.0)),
            value_type: row.1,
            default: Some(Secret::from(row.2)),
            shown: numeric || SHOWN_TEXTS.contains(&row.0),
            used_by: row.3.iter().copied().map(Box::from).collect(),
        }
    })
}

/// A schema could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A key of other characters than lower-case ASCII letters, digits and `_`.
    #[error("`{}` is no key; use lower-case ASCII letters, digits and `_`", key.escape_debug())]
    InvalidKey {
        /// The key.
        key: String,
    },
    /// A key whose variable is taken.
    #[error("the variable of `{key}` is taken")]
    Reserved {
        /// The key.
        key: String,
    },
    /// A key that the rules themselves read, with another type.
    #[error("`{key}` is always {fixed}")]
    FixedType {
        /// The key.
        key: String,
        /// The type it has.
        fixed: ValueType,
    },
    /// A default that is not of its key's type.
    #[error("the default of `{key}` is not of its type")]
    Default {
        /// The key.
        key: String,
    },
    /// No key `backend`.
    #[error("a schema without the key `backend` cannot say where commands run")]
    NoBackend,
    /// A backend's name that no value could be read as.
    #[error("`{}` is no backend's name; use a trimmed lower-case word that is no boolean", name.escape_debug())]
    InvalidBackend {
        /// The name.
        name: String,
    },
}

impl SchemaError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidKey { .. } => "invalid-key",
            Self::Reserved { .. } => "reserved-key",
            Self::FixedType { .. } => "fixed-type",
            Self::Default { .. } => "default-of-another-type",
            Self::NoBackend => "no-backend-key",
            Self::InvalidBackend { .. } => "invalid-backend",
        }
    }
}
