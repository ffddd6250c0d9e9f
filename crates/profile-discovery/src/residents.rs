use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileSystem, resolve};

use crate::listing::{ListError, Listing, Profile, Skipped};
use crate::{ProfileName, Root};

/// One home and the names that lead to it: the profile that it is served as, and its aliases (PROF-44).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resident {
    profile: Profile,
    home: PathBuf,
    aliases: Vec<ProfileName>,
}

impl Resident {
    /// The profile by its canonical name.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The canonical name: `default`, else a real directory's, else the first link's (PROF-44).
    pub fn name(&self) -> &ProfileName {
        self.profile.name()
    }

    /// The home, resolved (PROF-40).
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The other names that lead to the same home.
    pub fn aliases(&self) -> &[ProfileName] {
        &self.aliases
    }

    pub(crate) fn into_parts(self) -> (Profile, PathBuf, Vec<ProfileName>) {
        (self.profile, self.home, self.aliases)
    }
}

/// A listing with every home once.
#[derive(Debug)]
pub(crate) struct Settled {
    /// In the listing's order.
    pub(crate) residents: Vec<Resident>,
    /// Names that lead to another's home, with that one's name, in the listing's order.
    pub(crate) aliases: Vec<(Profile, ProfileName)>,
    /// What was not listed, and the links that lead nowhere any more.
    pub(crate) skipped: Vec<Skipped>,
    /// Where `profiles/` is, resolved; `None` if nothing in it had to be.
    pub(crate) profiles_home: Option<PathBuf>,
}

/// Resolves every listed home (PROF-40, PROF-44).
///
/// A real directory resolves to its resolved parent plus its name without a call; only links are followed,
/// so nothing but the root and a link can share a home with another entry.
pub(crate) fn settle(files: &dyn FileSystem, root: &Root, listing: Listing) -> Result<Settled, ListError> {
    let case = root.platform().case_rule();
    let root_home = resolve(files, root.path())?;
    let (profiles, skipped) = listing.into_parts();
    let mut settled = Settled { residents: Vec::new(), aliases: Vec::new(), skipped, profiles_home: None };
    if profiles.len() > 1 || settled.skipped.iter().any(Skipped::is_unknown) {
        let folder = root.profiles_dir();
        settled.profiles_home = Some(files.canonicalize(folder).map_err(ListError::at(folder))?);
    }
    let is_root = |home: &Path| case.same(home.as_os_str(), root_home.as_os_str());
    let mut links = Vec::new();
    settled.residents.reserve(profiles.len());
    for profile in profiles {
        let home = match (profile.name(), &settled.profiles_home) {
            (ProfileName::Named(_), _) if profile.is_link() => {
                links.push(profile);
                continue;
            }
            (ProfileName::Named(id), Some(folder)) => folder.join(id.as_str()),
            _ => root_home.clone(),
        };
        if profile.name().id().is_some() && is_root(&home) {
            settled.alias(profile, 0);
        } else {
            settled.residents.push(Resident { profile, home, aliases: Vec::new() });
        }
    }
    settled.follow(files, links, is_root, |home| case.fold(home).into_owned());
    Ok(settled)
}

impl Settled {
    /// Places the links, in order, behind the real directories.
    fn follow(
        &mut self,
        files: &dyn FileSystem,
        links: Vec<Profile>,
        is_root: impl Fn(&Path) -> bool,
        key: impl Fn(&OsStr) -> OsString,
    ) {
        if links.is_empty() {
            return;
        }
        let real = self.residents.len();
        let mut elsewhere: HashMap<OsString, usize> = HashMap::new();
        for profile in links {
            let spelled = profile.home();
            let home = match files.canonicalize(&spelled) {
                Ok(home) => home,
                Err(error) if is_gone(files, &spelled, &error) => continue,
                Err(error) => {
                    self.skipped.push(Skipped::unknown(profile.name(), spelled, error));
                    continue;
                }
            };
            let known = if is_root(&home) {
                Some(0)
            } else {
                self.real_directory(&home, real).or_else(|| elsewhere.get(&key(home.as_os_str())).copied())
            };
            if let Some(resident) = known {
                self.alias(profile, resident);
            } else {
                elsewhere.insert(key(home.as_os_str()), self.residents.len());
                self.residents.push(Resident { profile, home, aliases: Vec::new() });
            }
        }
        self.residents.sort_by(|a, b| a.name().cmp(b.name()));
        self.aliases.sort_by(|(a, _), (b, _)| a.name().cmp(b.name()));
        self.skipped.sort_by(|a, b| a.name().as_encoded_bytes().cmp(b.name().as_encoded_bytes()));
    }

    /// Which of the first `real` residents, all of them real directories in order, has this home.
    fn real_directory(&self, home: &Path, real: usize) -> Option<usize> {
        if home.parent() != self.profiles_home.as_deref() {
            return None;
        }
        let name = home.file_name()?.to_str()?;
        let directories = self.residents.get(..real)?;
        directories
            .binary_search_by(|resident| match resident.name() {
                ProfileName::Default => std::cmp::Ordering::Less,
                ProfileName::Named(id) => id.as_str().cmp(name),
            })
            .ok()
    }

    fn alias(&mut self, profile: Profile, resident: usize) {
        if let Some(resident) = self.residents.get_mut(resident) {
            resident.aliases.push(profile.name().clone());
            self.aliases.push((profile, resident.name().clone()));
        }
    }
}

/// Whether the entry itself is gone, and not merely what it leads to (PROF-24).
pub(crate) fn is_gone(files: &dyn FileSystem, path: &Path, error: &io::Error) -> bool {
    let missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    missing(error) && files.symlink_metadata(path).is_err_and(|error| missing(&error))
}
