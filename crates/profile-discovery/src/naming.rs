//! Which name a home has (PROF-40, PROF-44).

use std::path::Path;

use watertight_disk::{FileKind, FileSystem, resolve};

use crate::find::is_live;
use crate::listing::{ListError, entries_of, open_profiles};
use crate::{ProfileId, ProfileName, Root};

/// The name of the home at `path`, whichever way it is spelled; `None` if it is no home of this tree.
///
/// A home that no live profile has keeps the name that its place gives it.
pub(crate) fn name_for_home(
    files: &dyn FileSystem,
    root: &Root,
    path: &Path,
) -> Result<Option<ProfileName>, ListError> {
    let home = resolve(files, path)?;
    if let Some(owner) = owner_of(files, root, &home)? {
        return Ok(Some(owner));
    }
    let folder = resolve(files, root.profiles_dir())?;
    Ok(name_in(&folder, &home).map(ProfileName::Named))
}

/// Under which name a resolved home is served: the root's, else a real directory's, else that of the first
/// link that leads there (PROF-44). `None` if no live profile has it.
pub(crate) fn owner_of(
    files: &dyn FileSystem,
    root: &Root,
    home: &Path,
) -> Result<Option<ProfileName>, ListError> {
    if is_root(files, root, home)? {
        return Ok(Some(ProfileName::Default));
    }
    let Some(opened) = open_profiles(files, root)? else { return Ok(None) };
    let folder = files.canonicalize(root.profiles_dir()).map_err(ListError::at(root.profiles_dir()))?;
    if let Some(id) = name_in(&folder, home).filter(|id| is_live(files, root, id)) {
        return Ok(Some(ProfileName::Named(id)));
    }
    let mut links: Vec<ProfileId> = entries_of(&*opened, root)?
        .into_iter()
        .filter(|entry| matches!(entry.kind, None | Some(FileKind::Symlink)))
        .filter_map(|entry| ProfileId::parse(entry.name.to_str()?).ok())
        .collect();
    links.sort_unstable();
    let leads_home = |id: &ProfileId| {
        files.canonicalize(&folder.join(id.as_str())).is_ok_and(|other| same(root, &other, home))
    };
    Ok(links.into_iter().find(|id| leads_home(id) && is_live(files, root, id)).map(ProfileName::Named))
}

/// Whether a resolved home is the root's.
pub(crate) fn is_root(files: &dyn FileSystem, root: &Root, home: &Path) -> Result<bool, ListError> {
    Ok(same(root, &resolve(files, root.path())?, home))
}

fn same(root: &Root, a: &Path, b: &Path) -> bool {
    root.platform().case_rule().same(a.as_os_str(), b.as_os_str())
}

/// The id that a home's place gives it, if that is the folder of profiles.
fn name_in(folder: &Path, home: &Path) -> Option<ProfileId> {
    (home.parent() == Some(folder)).then(|| ProfileId::parse(home.file_name()?.to_str()?).ok()).flatten()
}
