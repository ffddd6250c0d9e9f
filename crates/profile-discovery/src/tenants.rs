use std::collections::HashMap;
use std::path::{Path, PathBuf};

use watertight_disk::FileSystem;
use watertight_vocabulary::{CaseRule, HomeId};

use crate::listing::{ListError, Listing, Skipped};
use crate::residents::{Resident, settle};
use crate::{ProfileId, ProfileName, Root};

/// The homes that count for eager activation (PROF-41): one entry for each resolved home.
///
/// # Fail-closed behaviour
///
/// What cannot be told to be no profile is a tenant, and where it leads to a home that counts anyway it is
/// another name of that one; [`Tenants::unknown`] reports it either way. There is no empty answer: `default`'s home and the
/// launch home always count, and a tree that cannot be listed is an error (PROF-42).
#[derive(Debug)]
pub struct Tenants {
    tenants: Vec<Tenant>,
    unknown: Vec<Skipped>,
}

/// One home that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    home: PathBuf,
    name: Option<ProfileName>,
    aliases: Vec<ProfileName>,
    reason: TenantReason,
    launch: bool,
}

/// Why a home counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "PROF-41 and PROF-24 name these four")]
pub enum TenantReason {
    /// It is the root's.
    Default,
    /// It is a named profile's, parked or standalone ones included.
    Servable,
    /// It cannot be told whether it is a profile's (PROF-24).
    Unknown,
    /// The process was started with it, and nothing else makes it count.
    Launch,
}

impl TenantReason {
    /// The suite's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Servable => "servable",
            Self::Unknown => "unknown",
            Self::Launch => "launch",
        }
    }
}

impl Tenant {
    /// The home, resolved; of an unknown entry, as far as it can be.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Its canonical name, unless it is a launch home that lies outside the tree.
    pub fn name(&self) -> Option<&ProfileName> {
        self.name.as_ref()
    }

    /// The other names that lead to it (PROF-44).
    pub fn aliases(&self) -> &[ProfileName] {
        &self.aliases
    }

    /// Why it counts.
    pub fn reason(&self) -> TenantReason {
        self.reason
    }

    /// Whether the process was started with it.
    pub fn is_launch(&self) -> bool {
        self.launch
    }
}

impl Tenants {
    pub(crate) fn of(
        files: &dyn FileSystem,
        root: &Root,
        listing: Listing,
        launch: &HomeId,
    ) -> Result<Self, ListError> {
        let case = root.platform().case_rule();
        let settled = settle(files, root, listing)?;
        let is_launch = |home: &Path| case.same(home.as_os_str(), launch.path().as_os_str());
        let mut tenants: Vec<Tenant> =
            settled.residents.into_iter().filter_map(|resident| Tenant::of(resident, &is_launch)).collect();
        let (unknown, _) = settled.skipped.into_iter().partition::<Vec<_>, _>(Skipped::is_unknown);
        if let (Some(folder), false) = (&settled.profiles_home, unknown.is_empty()) {
            let entries = unknown.iter().map(|skipped| Tenant::unknown(files, skipped, folder, &is_launch));
            count_once(&mut tenants, entries.collect(), folder, case);
        }
        if !tenants.iter().any(Tenant::is_launch) {
            tenants.push(Tenant {
                home: launch.path().to_owned(),
                name: None,
                aliases: Vec::new(),
                reason: TenantReason::Launch,
                launch: true,
            });
        }
        tenants.sort_by(|a, b| (a.name.is_none(), &a.name).cmp(&(b.name.is_none(), &b.name)));
        Ok(Self { tenants, unknown })
    }

    /// The tenants: `default`, then by id, a launch home outside the tree last.
    pub fn iter(&self) -> std::slice::Iter<'_, Tenant> {
        self.tenants.iter()
    }

    /// How many there are: at least one.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.tenants.len()
    }

    /// Whether the process may have to serve more than one profile (HOST-10).
    pub fn are_many(&self) -> bool {
        self.tenants.len() > 1
    }

    /// The entries that count because it cannot be told what they are, with their errors (HOST-13).
    pub fn unknown(&self) -> &[Skipped] {
        &self.unknown
    }
}

impl<'a> IntoIterator for &'a Tenants {
    type Item = &'a Tenant;
    type IntoIter = std::slice::Iter<'a, Tenant>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Tenant {
    /// The tenant that a resident is, if it is one: the empty `.env` of a crashed creation counts only
    /// where the process was started with it (PROF-21).
    fn of(resident: Resident, is_launch: &impl Fn(&Path) -> bool) -> Option<Self> {
        let launch = is_launch(resident.home());
        let (profile, home, aliases) = resident.into_parts();
        let reason = match (profile.name(), profile.is_servable()) {
            (ProfileName::Default, _) => TenantReason::Default,
            (ProfileName::Named(_), true) => TenantReason::Servable,
            (ProfileName::Named(_), false) if launch => TenantReason::Launch,
            (ProfileName::Named(_), false) => return None,
        };
        Some(Self { home, name: Some(profile.name().clone()), aliases, reason, launch })
    }

    fn unknown(
        files: &dyn FileSystem,
        skipped: &Skipped,
        folder: &Path,
        is_launch: &impl Fn(&Path) -> bool,
    ) -> Self {
        let place = folder.join(skipped.name());
        let home = files.canonicalize(&place).unwrap_or(place);
        let name = skipped.name().to_str().and_then(|name| ProfileId::parse(name).ok());
        Self {
            launch: is_launch(&home),
            home,
            name: name.map(ProfileName::Named),
            aliases: Vec::new(),
            reason: TenantReason::Unknown,
        }
    }
}

/// Adds the unknown entries, each home once: one that leads to a home that counts anyway is another name of
/// it, and of several that lead to one home a real directory comes before the links (PROF-44).
fn count_once(tenants: &mut Vec<Tenant>, mut unknown: Vec<Tenant>, folder: &Path, case: CaseRule) {
    let key = |tenant: &Tenant| case.fold(tenant.home.as_os_str()).into_owned();
    let mut at: HashMap<_, _> = tenants.iter().enumerate().map(|(at, tenant)| (key(tenant), at)).collect();
    let is_in_its_place =
        |tenant: &Tenant| tenant.name.as_ref().is_some_and(|name| tenant.home == folder.join(name.as_str()));
    unknown.sort_by_key(|tenant| !is_in_its_place(tenant));
    for tenant in unknown {
        if let Some(counted) = at.get(&key(&tenant)).and_then(|at| tenants.get_mut(*at)) {
            counted.aliases.extend(tenant.name);
            counted.aliases.sort_unstable();
        } else {
            at.insert(key(&tenant), tenants.len());
            tenants.push(tenant);
        }
    }
}
