//! `.env`: the one reader of it, and the writer that is its inverse (FILE-10 to FILE-24).
//!
//! One pass over the bytes: [`decode`] makes text of them, [`lines`] cuts it, [`parse`] tells assignments
//! from the rest, [`value`] undoes quotes, [`findings`] collects what a person should know.

mod decode;
mod findings;
mod lines;
mod parse;
mod value;
mod write;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use watertight_vocabulary::{Diagnostic, Name, Secret};
use zeroize::Zeroizing;

use crate::FileError;
use decode::Text;
use findings::Findings;
use parse::{Entries, Place};

pub(crate) use decode::{foreign_encoding, without_mark};
pub use write::{WriteError, write_dotenv, write_value};

/// What a `.env` says: one entry per key, in the order in which the keys appear first.
///
/// `Debug` shows how many entries there are. The text is wiped when this is dropped, and each value when the
/// last clone of it is.
///
/// # Fail-closed behaviour
///
/// A line that cannot be read for certain assigns nothing and is reported; it never changes what another
/// line assigns.
pub struct Dotenv {
    text: Text,
    entries: Entries,
    path: Arc<Path>,
    diagnostics: Vec<Diagnostic>,
}

/// One assignment that counts: the last of its key (FILE-20).
///
/// Its name and its value are made when somebody asks for them first: who reads a file to look at one key pays
/// for one.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    text: &'a Text,
    place: &'a Place,
}

impl<'a> Entry<'a> {
    /// The key.
    pub fn name(self) -> &'a Name {
        self.place.name.get_or_init(|| Name::from(self.key()))
    }

    /// The value; it may be empty (FILE-20).
    pub fn value(self) -> &'a Secret {
        self.place.value.get_or_init(|| Secret::from(self.text.part(&self.place.written)))
    }

    /// The line that the assignment begins on, counted from 1.
    pub fn line(self) -> u32 {
        self.place.line
    }

    fn key(self) -> &'a str {
        self.text.part(&self.place.key)
    }
}

/// Its key and line, never its value.
impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.key()).field("line", &self.line()).finish_non_exhaustive()
    }
}

impl Dotenv {
    /// The entries, one per key.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'_>> {
        self.entries.list.iter().map(|place| Entry { text: &self.text, place })
    }

    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<Entry<'_>> {
        let place = self.entries.get(self.text.as_str(), key)?;
        Some(Entry { text: &self.text, place })
    }

    /// The file; an empty path where bytes were read that belong to none.
    pub fn path(&self) -> &Arc<Path> {
        &self.path
    }

    /// What a person should know of the file, in the order in which it was noticed.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Reads bytes that are those of the file at `path`.
    ///
    /// # Errors
    ///
    /// [`FileError`] for a byte order mark of UTF-16 or UTF-32 (FILE-10).
    pub(crate) fn read(bytes: Zeroizing<Vec<u8>>, path: Arc<Path>) -> Result<Self, FileError> {
        let named = !path.as_os_str().is_empty();
        let mut findings = Findings::new(named.then(|| Arc::clone(&path)));
        let text = decode::decode(bytes, &mut findings).map_err(|why| {
            let error = FileError::from(why);
            if named { error.in_file(Arc::clone(&path)) } else { error }
        })?;
        let entries = parse::parse(text.as_str(), &mut findings);
        Ok(Self { text, entries, path, diagnostics: findings.into_diagnostics() })
    }
}

impl fmt::Debug for Dotenv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dotenv")
            .field("path", &self.path)
            .field("entries", &self.entries.list.len())
            .field("diagnostics", &self.diagnostics.len())
            .finish_non_exhaustive()
    }
}

/// Reads the bytes of a `.env` that belong to no file.
///
/// ```
/// let dotenv = watertight_profile_home::parse_dotenv(b"export KEY = 'canary-1'  # mine\n").unwrap();
/// assert!(dotenv.get("KEY").is_some_and(|entry| entry.value().matches("canary-1")));
/// ```
///
/// # Errors
///
/// [`FileError`], unreadable, for a byte order mark of UTF-16 or UTF-32 (FILE-10). Everything else can be
/// read; what assigns nothing is reported in [`Dotenv::diagnostics`].
pub fn parse_dotenv(bytes: &[u8]) -> Result<Dotenv, FileError> {
    Dotenv::read(Zeroizing::new(bytes.to_vec()), Arc::from(Path::new("")))
}
