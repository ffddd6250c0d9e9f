//! The typed reads of a policy (TERM-09).

use std::path::PathBuf;

use watertight_vocabulary::Secret;

use crate::policy::BaseCwd;
use crate::schema::CWD;
use crate::{Fault, SettingError, TerminalPolicy, ValueType, parse};

/// Typed reads, by key of the schema. Each is absent where nothing sets the key, and its error names the key
/// and where its value comes from.
///
/// # Errors
///
/// All of them: [`Fault::WrongType`] for a value that is not of the key's type, [`Fault::SpellingLost`] and
/// [`Fault::NotRenderable`] for one without text, [`Fault::NotMapped`] and [`Fault::ReadAsAnother`] for a key
/// that the schema does not have, or not as this type.
impl TerminalPolicy {
    /// A text.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn text(&self, key: &str) -> Result<Option<&Secret>, SettingError> {
        self.typed(key, ValueType::Text)
    }

    /// A path.
    ///
    /// # Errors
    ///
    /// As said above; for `cwd` also [`Fault::NoUserHome`], where it would be the user's home and the launch
    /// environment has none (TERM-06).
    pub fn path(&self, key: &str) -> Result<Option<PathBuf>, SettingError> {
        let path = self.typed(key, ValueType::Path)?;
        if key == CWD && self.cwd == BaseCwd::NoUserHome && path.is_none_or(Secret::is_empty) {
            let key = self.mapped(key)?;
            return Err(key.error(self.origin(key.variable()), Fault::NoUserHome));
        }
        Ok(path.map(|path| PathBuf::from(path.expose_os())))
    }

    /// A whole number.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn integer(&self, key: &str) -> Result<Option<i64>, SettingError> {
        self.parsed(key, ValueType::Integer, parse::integer)
    }

    /// A number.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn number(&self, key: &str) -> Result<Option<f64>, SettingError> {
        self.parsed(key, ValueType::Number, parse::number)
    }

    /// A boolean: any of FILE-32's words, `1` or `0`.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn boolean(&self, key: &str) -> Result<Option<bool>, SettingError> {
        self.parsed(key, ValueType::Boolean, parse::boolean)
    }

    /// A list: strings as their text, everything else as its JSON text.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn list(&self, key: &str) -> Result<Option<Vec<Secret>>, SettingError> {
        self.parsed(key, ValueType::List, parse::list)
    }

    /// A mapping in its own order: strings as their text, everything else as its JSON text.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn map(&self, key: &str) -> Result<Option<Vec<(String, Secret)>>, SettingError> {
        self.parsed(key, ValueType::Map, parse::map)
    }

    fn parsed<T>(
        &self,
        key: &str,
        asked: ValueType,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, SettingError> {
        let Some(value) = self.typed(key, asked)? else { return Ok(None) };
        if let Some(parsed) = value.expose().ok().and_then(parse) {
            return Ok(Some(parsed));
        }
        let key = self.mapped(key)?;
        Err(key.error(self.origin(key.variable()), Fault::WrongType { expected: asked }))
    }

    /// The value of a key that is of the type asked for.
    fn typed(&self, key: &str, asked: ValueType) -> Result<Option<&Secret>, SettingError> {
        let key = self.mapped(key)?;
        let declared = key.value_type();
        if declared != asked {
            return Err(key.error(None, Fault::ReadAsAnother { asked, declared }));
        }
        if let Some(slot) = self.slot(key.variable().as_os_str())
            && let Some(flaw) = slot.flaw()
        {
            return Err(key.error(self.origin(key.variable()), flaw.under(declared)));
        }
        self.get(key.variable())
    }
}
