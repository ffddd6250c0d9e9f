use std::io;
use std::path::{Path, PathBuf};

use watertight_disk::{FileSystem, OpenDir};
use watertight_vocabulary::Diagnostic;

use crate::listing::{ListError, Listing, Profile, Skipped, open_profiles};
use crate::markers::is_absent;
use crate::residents::{Resident, settle};
use crate::standalone::Standalone;
use crate::{ProfileName, Root};

/// The file that parks a profile (PROF-23).
pub(crate) const PARKED: &str = "gateway.parked";

/// Who is installed, or who is served: every home once, under its canonical name, and who was left out and
/// why (PROF-28, PROF-44).
#[derive(Debug)]
pub struct Roster {
    residents: Vec<Resident>,
    left_out: Vec<LeftOut>,
    skipped: Vec<Skipped>,
    diagnostics: Vec<Diagnostic>,
}

/// A listed profile that is not on the roster.
#[derive(Debug)]
pub struct LeftOut {
    profile: Profile,
    reason: LeftOutReason,
}

/// Why a listed profile is not on the roster.
#[derive(Debug)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// Its home is another profile's, which has it already (PROF-44).
    Alias {
        /// The canonical name.
        of: ProfileName,
    },
    /// It is parked (PROF-23).
    Parked,
    /// It stands alone (PROF-23).
    Standalone,
    /// It cannot be told whether it is parked.
    Unknown {
        /// What could not be examined.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl Roster {
    /// Parked and standalone profiles included.
    pub(crate) fn installed(
        files: &dyn FileSystem,
        root: &Root,
        listing: Listing,
    ) -> Result<Self, ListError> {
        let settled = settle(files, root, listing)?;
        let alias = |(profile, of)| LeftOut { profile, reason: LeftOutReason::Alias { of } };
        Ok(Self {
            residents: settled.residents,
            left_out: settled.aliases.into_iter().map(alias).collect(),
            skipped: settled.skipped,
            diagnostics: Vec::new(),
        })
    }

    /// Parked and standalone profiles left out.
    pub(crate) fn serving(
        files: &dyn FileSystem,
        root: &Root,
        listing: Listing,
        standalone: &Standalone,
    ) -> Result<Self, ListError> {
        let mut roster = Self::installed(files, root, listing)?;
        let folder = open_profiles(files, root)?;
        standalone.keep_only(roster.residents.iter().map(Resident::home));
        let mut residents = Vec::with_capacity(roster.residents.len());
        for resident in std::mem::take(&mut roster.residents) {
            let reason = match (resident.name(), &folder) {
                (ProfileName::Default, _) => {
                    roster.diagnostics.extend(standalone.markers_of_default(root));
                    None
                }
                // Gone since the listing: it does not exist.
                (ProfileName::Named(_), None) => continue,
                (ProfileName::Named(id), Some(folder)) => {
                    parked(&**folder, root, id.as_str()).or_else(|| {
                        // Nothing is read where the listing saw nothing of that name.
                        if !resident.profile().has_config() {
                            standalone.forget(resident.home());
                            return None;
                        }
                        let answer = standalone.at(root, resident.home());
                        roster.diagnostics.extend(answer.warning);
                        answer.standalone.then_some(LeftOutReason::Standalone)
                    })
                }
            };
            match reason {
                None => residents.push(resident),
                Some(reason) => {
                    let (profile, _, _) = resident.into_parts();
                    roster.left_out.push(LeftOut { profile, reason });
                }
            }
        }
        roster.residents = residents;
        roster.left_out.sort_by(|a, b| a.profile.name().cmp(b.profile.name()));
        Ok(roster)
    }

    /// Who is on it: `default` first, then by id.
    pub fn residents(&self) -> &[Resident] {
        &self.residents
    }

    /// Who of this name is on it; an alias is not.
    pub fn get(&self, name: &ProfileName) -> Option<&Resident> {
        let at = self.residents.binary_search_by(|resident| resident.name().cmp(name)).ok()?;
        self.residents.get(at)
    }

    /// The listed profiles that are not on it, by name.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The entries that are not listed at all.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// What was noticed on the way: markers of `default` that are ignored (PROF-28), and configuration
    /// files that cannot be used (PROF-31). They stand here as long as they are true; each was also logged,
    /// once.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl LeftOut {
    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Why it is not on the roster.
    pub fn reason(&self) -> &LeftOutReason {
        &self.reason
    }
}

impl LeftOutReason {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Alias { .. } => "alias",
            Self::Parked => "parked",
            Self::Standalone => "standalone",
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// Why a profile is not served although nobody read its configuration, if so (PROF-23). Links are followed,
/// as for a tombstone; what cannot be examined is not served.
pub(crate) fn parked(profiles: &dyn OpenDir, root: &Root, id: &str) -> Option<LeftOutReason> {
    let path = Path::new(id).join(PARKED);
    match profiles.metadata(&path) {
        Ok(_) => Some(LeftOutReason::Parked),
        Err(error) if is_absent(&error) => None,
        Err(source) => Some(LeftOutReason::Unknown { path: root.profiles_dir().join(path), source }),
    }
}
