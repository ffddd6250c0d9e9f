use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::FileSystem;
use watertight_vocabulary::HomeId;

/// A home whose files are read, and where they may link to (FILE-06).
///
/// # Fail-closed behaviour
///
/// An agent that can write in its own home can put `.env -> ../other/.env` there. So a file of a
/// [confined](ProfileHome::confined) home that is reached through a link must lie in the home or in a folder
/// that the host listed; one of the [launch home](ProfileHome::launch) may lie anywhere but in another
/// tenant's home. Of all the folders named here that hold the target, the innermost decides; of one folder
/// named twice, the denial.
#[derive(Debug, Clone)]
pub struct ProfileHome {
    id: HomeId,
    reach: Arc<Reach>,
}

/// Where a link may lead.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// The home's own resolved path. It is held against targets as it stands: resolved again, a link in the
    /// home's place would widen what the home may reach.
    own: PathBuf,
    elsewhere: bool,
    folders: Vec<(PathBuf, bool)>,
    others: Option<OtherHomes>,
}

/// Finds the homes that a link may not lead into, when there is a link to judge; `None` if it cannot.
type FindHomes = dyn Fn() -> Option<Vec<PathBuf>> + Send + Sync;

#[derive(Clone)]
struct OtherHomes(Arc<FindHomes>);

impl fmt::Debug for OtherHomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OtherHomes")
    }
}

impl ProfileHome {
    /// A home whose links stay inside it.
    pub fn confined(id: HomeId) -> Self {
        Self::with_reach(id, false)
    }

    /// The home that the process was started for: its links may lead anywhere, except into the homes
    /// given to [`ProfileHome::not_into`].
    pub fn launch(id: HomeId) -> Self {
        Self::with_reach(id, true)
    }

    fn with_reach(id: HomeId, elsewhere: bool) -> Self {
        let own = id.path().to_owned();
        Self { id, reach: Arc::new(Reach { own, elsewhere, folders: Vec::new(), others: None }) }
    }

    /// Links may also lead into this folder.
    pub fn also(self, folder: impl Into<PathBuf>) -> Self {
        self.judging([folder.into()], true)
    }

    /// This folder inside the home is no part of it: `profiles/` for the default profile.
    pub fn without(self, folder: impl Into<PathBuf>) -> Self {
        self.judging([folder.into()], false)
    }

    /// Links may not lead into any of these folders: the other tenants' homes.
    pub fn not_into<F: Into<PathBuf>>(self, folders: impl IntoIterator<Item = F>) -> Self {
        self.judging(folders.into_iter().map(Into::into), false)
    }

    /// Links may not lead into the homes that this finds. It is asked when there is a link to judge and not
    /// before, since finding them may cost a listing; where it finds no answer, links stay in the home and
    /// in the folders that are allowed by name.
    pub fn not_into_found(
        mut self,
        others: impl Fn() -> Option<Vec<PathBuf>> + Send + Sync + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.reach).others = Some(OtherHomes(Arc::new(others)));
        self
    }

    fn judging(mut self, folders: impl IntoIterator<Item = PathBuf>, allowed: bool) -> Self {
        let reach = Arc::make_mut(&mut self.reach);
        reach.folders.extend(folders.into_iter().map(|folder| (folder, allowed)));
        self
    }

    /// Which home it is.
    pub fn id(&self) -> &HomeId {
        &self.id
    }

    /// Its resolved path.
    pub fn path(&self) -> &Path {
        self.id.path()
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }
}

impl Reach {
    /// Whether a link may lead to this resolved path: the innermost folder that holds it decides.
    pub(crate) fn allows(&self, disk: &dyn FileSystem, target: &Path) -> bool {
        let (found, elsewhere) = match self.others.as_ref().map(|others| (others.0)()) {
            None => (Vec::new(), self.elsewhere),
            Some(Some(homes)) => (homes, self.elsewhere),
            Some(None) => (Vec::new(), false),
        };
        let mut innermost = None;
        let mut judge = |folder: &Path, allowed: bool| {
            if target.starts_with(folder) {
                innermost = innermost.max(Some((folder.components().count(), !allowed)));
            }
        };
        judge(&self.own, true);
        let found = found.iter().map(|home| (home, false));
        for (folder, allowed) in self.folders.iter().map(|(folder, allowed)| (folder, *allowed)).chain(found)
        {
            // What cannot be resolved allows nothing. What is denied is denied as it is named, too.
            if !allowed {
                judge(folder, false);
            }
            if let Ok(resolved) = disk.canonicalize(folder) {
                judge(&resolved, allowed);
            }
        }
        innermost.map_or(elsewhere, |(_, denied)| !denied)
    }
}
