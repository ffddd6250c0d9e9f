use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use watertight_disk::FileSystem;
use watertight_vocabulary::{EnvSource, Platform, Refusal};

use crate::dotenv::foreign_encoding;
use crate::files::tell;
use crate::open::{self, Found, Request};
use crate::signature::Signature;
use crate::{Dotenv, FileError, HomeFile, Unreadable};

/// The variable that names the administrator's folder (SEC-25).
pub const MANAGED_VARIABLE: &str = "HERMES_MANAGED_DIR";
/// The administrator's folder on Unix where the variable is not set.
const UNIX_DEFAULT: &str = "/etc/hermes";
/// The longest managed `.env` that is read.
const LIMIT: u64 = 1 << 20;

/// The administrator's folder, whose `.env` goes above every profile's own values (SEC-25).
///
/// Where it lies is decided once, from the environment that the host was built with; what its file says is
/// read each time, and remembered as FILE-05 allows. Its links may lead anywhere: it is the administrator's.
#[derive(Debug)]
pub struct ManagedDirectory {
    place: Place,
    remembered: Mutex<Option<(Signature, Arc<Dotenv>)>>,
}

#[derive(Debug)]
enum Place {
    None,
    /// The folder that is looked for when nobody named one: it may be missing.
    Usual(PathBuf),
    /// A folder that somebody named: it must be there.
    Named(PathBuf),
}

/// What the administrator's folder says (SEC-25).
///
/// # Fail-closed behaviour
///
/// A file that is there and cannot be read, and a folder that was named and is not there, are a refusal and
/// never "no managed layer": the administrator's policy cannot be applied.
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_enums, reason = "whoever builds a scope must decide on all three")]
pub enum Managed {
    /// There is no managed layer.
    Absent,
    /// What the administrator's `.env` says.
    Present(Arc<Dotenv>),
    /// It cannot be used; this is bound in the policy's place.
    Refusal(Refusal),
}

impl ManagedDirectory {
    /// No administrator's folder at all.
    pub fn none() -> Self {
        Self::placed(Place::None)
    }

    /// This folder, which must be there.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self::placed(Place::Named(folder.into()))
    }

    /// The folder that `HERMES_MANAGED_DIR` names, else `/etc/hermes` on a Unix and none elsewhere. An
    /// empty variable names none.
    pub fn from_env(environment: &dyn EnvSource, platform: Platform) -> Self {
        match environment.var_os(OsStr::new(MANAGED_VARIABLE)).filter(|folder| !folder.is_empty()) {
            Some(folder) => Self::at(folder),
            None if platform.is_unix() => Self::placed(Place::Usual(UNIX_DEFAULT.into())),
            None => Self::none(),
        }
    }

    fn placed(place: Place) -> Self {
        Self { place, remembered: Mutex::new(None) }
    }

    /// The folder that is looked at.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::None => None,
            Place::Usual(folder) | Place::Named(folder) => Some(folder),
        }
    }

    /// What its `.env` says now.
    pub fn read(&self, disk: &dyn FileSystem) -> Managed {
        let (folder, named) = match &self.place {
            Place::None => return Managed::Absent,
            Place::Usual(folder) => (folder, false),
            Place::Named(folder) => (folder, true),
        };
        if !folder.is_absolute() {
            let cause = format!("the administrator's folder in `{MANAGED_VARIABLE}` is a relative path");
            return Managed::Refusal(
                Refusal::new("relative-path", cause)
                    .in_file(folder)
                    .mended_by("an administrator has to name an absolute path"),
            );
        }
        match self.look(disk, folder, named) {
            Ok(None) => Managed::Absent,
            Ok(Some(dotenv)) => Managed::Present(dotenv),
            Err(error) => Managed::Refusal(refusal(&error)),
        }
    }

    fn look(
        &self,
        disk: &dyn FileSystem,
        folder: &Path,
        named: bool,
    ) -> Result<Option<Arc<Dotenv>>, FileError> {
        let path: Arc<Path> = HomeFile::Dotenv.in_home(folder).into();
        let unreadable = |why| FileError::unreadable(Arc::clone(&path), why);
        let request = Request { disk, path: &path, reach: None, limit: LIMIT };
        let found = open::read(request, |signature| self.recall(signature));
        let (answer, remembered) = match found.map_err(unreadable) {
            Ok(Found::Known(dotenv)) => return Ok(Some(dotenv)),
            Ok(Found::Absent) => (folder_is_usable(disk, folder, named).map(|()| None), None),
            Ok(Found::Read(contents)) if std::str::from_utf8(&contents.bytes).is_err() => {
                let encoding = foreign_encoding(&contents.bytes).unwrap_or("something unknown");
                (Err(unreadable(Unreadable::Encoding(encoding))), None)
            }
            Ok(Found::Read(contents)) => {
                let dotenv = Arc::new(Dotenv::read(contents.bytes, Arc::clone(&path))?);
                tell(dotenv.diagnostics());
                let remembered = contents.lasting.map(|signature| (signature, Arc::clone(&dotenv)));
                (Ok(Some(dotenv)), remembered)
            }
            Err(error) => (Err(error), None),
        };
        *self.remembered.lock().unwrap_or_else(PoisonError::into_inner) = remembered;
        answer
    }

    fn recall(&self, signature: &Signature) -> Option<Arc<Dotenv>> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, dotenv) = remembered.as_ref()?;
        (known == signature).then(|| Arc::clone(dotenv))
    }
}

/// Whether a folder without a `.env` is a folder: one that was named must be there, and the usual one, if
/// it is a link, must lead somewhere.
fn folder_is_usable(disk: &dyn FileSystem, folder: &Path, named: bool) -> Result<(), FileError> {
    let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let unreadable = |why: Unreadable| FileError::unreadable(folder, why);
    match disk.metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) => Err(unreadable(Unreadable::NotAFile(found.kind))),
        Err(error) if missing(&error) && !named => match disk.symlink_metadata(folder) {
            Err(error) if missing(&error) => Ok(()),
            Err(error) => Err(unreadable(error.into())),
            Ok(_) => Err(unreadable(Unreadable::Dangling)),
        },
        Err(error) => Err(unreadable(error.into())),
    }
}

fn refusal(error: &FileError) -> Refusal {
    let cause = format!("an administrator's folder is there and cannot be used: {}", error.cause());
    let refusal = Refusal::new(error.code(), cause)
        .mended_by("an administrator has to mend or remove it; until then no profile's values are given");
    match error.path() {
        Some(path) => refusal.in_file(path),
        None => refusal,
    }
}
