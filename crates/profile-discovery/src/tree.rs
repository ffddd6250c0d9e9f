use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::FileSystem;
use watertight_profile_home::{ProfileFiles, ProfileHome};
use watertight_vocabulary::{Diagnostic, HomeId};

use crate::active_profile::{ActiveProfileError, active_profile};
use crate::find::{self, FindError, Found};
use crate::listing::{ListError, Listing};
use crate::naming;
use crate::roster::Roster;
use crate::standalone::{Answer, Standalone};
use crate::tenants::Tenants;
use crate::{ProfileId, ProfileName, Root};

/// A root and the profiles below it.
///
/// It holds no answer: every question is asked of the disk, so a profile that is made or deleted is seen by
/// the next one. It reads, and only reads (PROF-29).
#[derive(Debug)]
pub struct ProfileTree {
    root: Root,
    disk: Arc<dyn FileSystem>,
    standalone: Standalone,
}

impl ProfileTree {
    /// The tree of a root. `files` reads the `config.yaml`s of which an answer depends.
    pub fn new(root: Root, disk: Arc<dyn FileSystem>, files: Arc<dyn ProfileFiles>) -> Self {
        Self { standalone: Standalone::new(Arc::clone(&disk), files), root, disk }
    }

    /// Lets the files of every profile also be links into these folders: the same that the host lets its
    /// scopes read from, so that the two cannot disagree on what a file says (FILE-06).
    pub fn linking_into(self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { standalone: self.standalone.linking_into(folders), ..self }
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn disk(&self) -> &dyn FileSystem {
        &*self.disk
    }

    /// Every entry of `profiles/` with its verdict (PROF-20 to PROF-28). No file is opened.
    ///
    /// # Errors
    ///
    /// [`ListError`]: the tree cannot be listed, and the caller fails closed (PROF-42).
    pub fn list(&self) -> Result<Listing, ListError> {
        Listing::read(self.disk(), &self.root)
    }

    /// Every home once, parked and standalone profiles included (PROF-28, PROF-44). No file is opened.
    ///
    /// # Errors
    ///
    /// As [`ProfileTree::list`].
    pub fn installed(&self) -> Result<Roster, ListError> {
        Roster::installed(self.disk(), &self.root, self.list()?)
    }

    /// Every home once, without parked and standalone profiles (PROF-28, PROF-44). Reads the `config.yaml`
    /// of each profile that has one and is not parked.
    ///
    /// # Errors
    ///
    /// As [`ProfileTree::list`].
    pub fn serving(&self) -> Result<Roster, ListError> {
        Roster::serving(self.disk(), &self.root, self.list()?, &self.standalone)
    }

    /// The homes that count for eager activation (PROF-41). No file is opened.
    ///
    /// # Errors
    ///
    /// As [`ProfileTree::list`].
    pub fn tenants(&self, launch: &HomeId) -> Result<Tenants, ListError> {
        Tenants::of(self.disk(), &self.root, self.list()?, launch)
    }

    /// The profile that somebody asks for by name (PROF-11, PROF-44, PROF-45), by metadata alone: no file is
    /// opened, and the others are listed only if the entry is a link (HOST-15).
    ///
    /// # Errors
    ///
    /// [`FindError`]: every variant. None of them is ever answered with another profile.
    pub fn find(&self, requested: &str) -> Result<Found, FindError> {
        find::find(self.disk(), &self.root, requested)
    }

    /// Whether a found profile's own `config.yaml` lets it be served (PROF-23): the one step of a look-up that
    /// opens a file. The answer is the warning that the file cannot be used, if it cannot (PROF-31).
    ///
    /// # Errors
    ///
    /// [`FindError::NotServed`] if it stands alone.
    pub fn ensure_served(&self, found: &Found) -> Result<Option<Diagnostic>, FindError> {
        let ProfileName::Named(id) = found.name() else { return Ok(None) };
        served(id, self.standalone.of(&self.root, found.home_id().clone()))
    }

    /// As [`ProfileTree::ensure_served`], by the file as `files` reads it for this home: for a host that
    /// goes on to build from the same reading, so that nobody disagrees on what the file says.
    ///
    /// # Errors
    ///
    /// As [`ProfileTree::ensure_served`].
    pub fn ensure_served_by(
        &self,
        found: &Found,
        home: &ProfileHome,
        files: &dyn ProfileFiles,
    ) -> Result<Option<Diagnostic>, FindError> {
        let ProfileName::Named(id) = found.name() else { return Ok(None) };
        served(id, self.standalone.by(home, files))
    }

    /// The profile that `<root>/active_profile` names; it never decides the launch home (PROF-43).
    ///
    /// # Errors
    ///
    /// [`ActiveProfileError`]: every variant. It never falls back to `default`.
    pub fn active_profile(&self) -> Result<ProfileName, ActiveProfileError> {
        active_profile(self.disk(), &self.root)
    }

    /// The home of a profile by its name, not resolved (PROF-26).
    pub fn home_of(&self, name: &ProfileName) -> PathBuf {
        self.root.home_of(name)
    }

    /// The canonical name of the home at an absolute path, however it is spelled: the inverse of
    /// [`ProfileTree::home_of`]. `None` if it is no home of this tree. It says nothing of whether the
    /// profile is live.
    ///
    /// # Errors
    ///
    /// [`ListError`]: the path cannot be resolved, or the tree cannot be read.
    pub fn name_for_home(&self, home: &Path) -> Result<Option<ProfileName>, ListError> {
        naming::name_for_home(self.disk(), &self.root, home)
    }
}

fn served(id: &ProfileId, answer: Answer) -> Result<Option<Diagnostic>, FindError> {
    if answer.standalone {
        Err(FindError::NotServed { id: id.clone(), parked: false })
    } else {
        Ok(answer.warning)
    }
}
