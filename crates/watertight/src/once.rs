//! Each file is read once for one build, so that secrets and terminal policy cannot disagree on what it
//! says (HOST-23).

use std::fmt;
use std::sync::{Arc, OnceLock};

use watertight_profile_home::{Config, Dotenv, FileError, ProfileFiles, ProfileHome};

/// The files of one home during one build.
pub(crate) struct ReadOnce<'a> {
    files: &'a dyn ProfileFiles,
    dotenv: OnceLock<Result<Option<Arc<Dotenv>>, FileError>>,
    config: OnceLock<Result<Option<Arc<Config>>, FileError>>,
}

impl<'a> ReadOnce<'a> {
    pub(crate) fn new(files: &'a dyn ProfileFiles) -> Self {
        Self { files, dotenv: OnceLock::new(), config: OnceLock::new() }
    }
}

impl ProfileFiles for ReadOnce<'_> {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        self.dotenv.get_or_init(|| self.files.dotenv(home)).clone()
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        self.config.get_or_init(|| self.files.config(home)).clone()
    }
}

impl fmt::Debug for ReadOnce<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOnce").field("files", &self.files).finish_non_exhaustive()
    }
}
