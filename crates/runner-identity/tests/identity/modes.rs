//! Who may read and write what is made, and what is reported of what was there (RUN-06).

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use watertight_runner_identity::{IdentityFile, MachineId};
use watertight_vocabulary::{Secret, Severity};

use crate::harness::{helper_below, path_in, write_id};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("there").permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
}

#[derive(Debug)]
struct Machine;

impl MachineId for Machine {
    fn machine_id(&self) -> Option<Secret> {
        Some(Secret::from("canary-machine"))
    }
}

fn codes(file: &IdentityFile) -> Vec<&'static str> {
    let identity = file.load_or_create().expect("usable");
    identity.diagnostics().iter().map(watertight_vocabulary::Diagnostic::code).collect()
}

#[test]
fn run_06_under_any_umask_new_folders_are_0700_and_new_files_0600() {
    for umask in ["000", "022", "077"] {
        let home = tempfile::tempdir().expect("a temporary folder");
        let folder = home.path().to_str().expect("text");
        let made = helper_below(&format!("umask {umask}"), &["once", folder]).output().expect("it runs");
        assert!(made.stderr.starts_with(b"created "), "{made:?}");
        let id = path_in(home.path());
        assert_eq!(mode(&home.path().join(".omnigent")), 0o700, "umask {umask}");
        assert_eq!(mode(&home.path().join(".omnigent/runners")), 0o700, "umask {umask}");
        for entry in fs::read_dir(id.parent().expect("a folder")).expect("a folder") {
            let path = entry.expect("an entry").path();
            assert_eq!(mode(&path), 0o600, "umask {umask}: {}", path.display());
        }
    }
}

#[test]
fn run_06_what_was_there_is_left_as_it_is_and_reported_where_others_may_write_it() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = write_id(home.path(), "runner-1");
    let folder = path.parent().expect("a folder");
    let file = IdentityFile::in_user_home(Some(home.path()));
    for (folder_mode, file_mode, reported) in [
        (0o700, 0o600, &[][..]),
        (0o755, 0o644, &[]),
        (0o755, 0o664, &["file-writable-by-others"]),
        (0o755, 0o602, &["file-writable-by-others"]),
        (0o777, 0o600, &["folder-writable-by-others"]),
        (0o770, 0o666, &["file-writable-by-others", "folder-writable-by-others"]),
    ] {
        set_mode(folder, folder_mode);
        set_mode(&path, file_mode);
        assert_eq!(codes(&file), reported, "folder {folder_mode:o}, file {file_mode:o}");
        assert_eq!((mode(folder), mode(&path)), (folder_mode, file_mode), "modes are left as they are");
    }
    let above = folder.parent().expect("a folder");
    for (above_mode, reported) in [(0o1777, 2), (0o777, 3), (0o775, 3)] {
        set_mode(above, above_mode);
        assert_eq!(codes(&file).len(), reported, "the folder above: {above_mode:o}");
    }
    let identity = file.load().expect("usable").expect("there");
    for diagnostic in identity.diagnostics() {
        assert_eq!(diagnostic.severity(), Severity::Warning);
        assert!(diagnostic.path().is_some_and(|path| path.starts_with(home.path())), "{diagnostic}");
    }
}

#[test]
fn run_06_an_id_that_is_made_in_a_folder_that_others_may_write_is_reported_too() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let path = path_in(home.path());
    let folder = path.parent().expect("a folder");
    fs::create_dir_all(folder).expect("folders");
    set_mode(folder, 0o777);
    let file = IdentityFile::in_user_home(Some(home.path())).of_machine(Arc::new(Machine));
    assert_eq!(codes(&file), ["folder-writable-by-others"]);
    assert_eq!((mode(folder), mode(&path)), (0o777, 0o600));
}
