//! Which name a home has (PROF-40, PROF-44).

use std::path::Path;

use watertight_disk::{FileKind, FileSystem, Metadata, OpenDir, home_at, resolve};
use watertight_vocabulary::HomeId;

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
    let home = home_at(files, path)?;
    if is_root(files, root, home.path())? {
        return Ok(Some(ProfileName::Default));
    }
    if let Some(opened) = open_profiles(files, root)?
        && let Some(owner) = owner_of(files, root, &*opened, &home, None)?
    {
        return Ok(Some(owner));
    }
    let folder = resolve(files, root.profiles_dir())?;
    Ok(name_in(&folder, home.path()).map(ProfileName::Named))
}

/// Under which name a resolved home that is not the root's is served: a real directory's, else that of the
/// first link that leads there (PROF-44). `None` if no live profile has it.
///
/// `asked` is a live link that is known to lead there. A link is resolved only if what it leads to is the very
/// folder, by device and inode: many links cost one look each.
pub(crate) fn owner_of(
    files: &dyn FileSystem,
    root: &Root,
    opened: &dyn OpenDir,
    home: &HomeId,
    asked: Option<&ProfileId>,
) -> Result<Option<ProfileName>, ListError> {
    let folder = files.canonicalize(root.profiles_dir()).map_err(ListError::at(root.profiles_dir()))?;
    if let Some(id) = name_in(&folder, home.path()).filter(|id| is_live(opened, root, id)) {
        return Ok(Some(ProfileName::Named(id)));
    }
    // No link leads to what does not exist.
    let Some(stamp) = home.stamp() else { return Ok(None) };
    let mut links: Vec<(ProfileId, Option<FileKind>)> = entries_of(opened, root)?
        .into_iter()
        .filter(|entry| matches!(entry.kind, None | Some(FileKind::Symlink)))
        .filter_map(|entry| Some((ProfileId::parse(entry.name.to_str()?).ok()?, entry.kind)))
        .collect();
    links.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let leads_home = |id: &ProfileId, kind: Option<FileKind>| {
        let entry = Path::new(id.as_str());
        let is_link = || opened.symlink_metadata(entry).is_ok_and(|found| found.kind == FileKind::Symlink);
        let is_same = |found: Metadata| (found.device, found.inode) == (stamp.device, stamp.inode);
        (kind.is_some() || is_link())
            && opened.metadata(entry).is_ok_and(is_same)
            && files.canonicalize(&folder.join(entry)).is_ok_and(|other| same(root, &other, home.path()))
            && is_live(opened, root, id)
    };
    let owner = links.into_iter().find(|(id, kind)| asked == Some(id) || leads_home(id, *kind));
    Ok(owner.map(|(id, _)| ProfileName::Named(id)))
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
