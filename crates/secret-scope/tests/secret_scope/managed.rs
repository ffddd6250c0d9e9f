//! The administrator's layer: above everything, or a refusal of everything.

use watertight_disk::RealFileSystem;
use watertight_env_snapshot::MapEnv;
use watertight_profile_home::ManagedDirectory;
use watertight_secret_scope::SecretScope;
use watertight_vocabulary::{Layer, Platform};

use crate::world::{files_of, home, policy, text};

#[test]
fn sec_25_the_administrator_s_file_wins_over_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(".env"), "KEY=canary-managed\n").expect("written");
    let managed = ManagedDirectory::at(folder.path()).read(&RealFileSystem);
    let home = home("coder");
    let files = files_of(&home, "KEY=canary-file\nOTHER=canary-file\n");
    let scope = policy(&SecretScope::builder(&home).files(&files).managed(&managed).build());
    assert_eq!(text(scope.get("KEY").expect("held")), Some("canary-managed"));
    assert_eq!(text(scope.get("OTHER").expect("held")), Some("canary-file"));
    let origin = scope.origin("KEY").expect("held");
    assert_eq!((origin.layer(), origin.line_number()), (Layer::Managed, Some(1)));
}

#[test]
fn sec_25_no_folder_or_no_file_is_no_layer() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = home("coder");
    let files = files_of(&home, "KEY=canary-file\n");
    for directory in [ManagedDirectory::none(), ManagedDirectory::at(folder.path())] {
        let managed = directory.read(&RealFileSystem);
        let scope = policy(&SecretScope::builder(&home).files(&files).managed(&managed).build());
        assert_eq!(text(scope.get("KEY").expect("held")), Some("canary-file"));
    }
}

#[test]
fn sec_25_a_folder_that_was_named_and_cannot_be_used_refuses_the_whole_scope() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".env")).expect("a directory in the file's place");
    let gone = folder.path().join("gone");
    let relative = MapEnv::from([("HERMES_MANAGED_DIR", "relative/folder")]);
    let home = home("coder");
    let files = files_of(&home, "KEY=canary-file\n");
    for directory in [
        ManagedDirectory::at(folder.path()),
        ManagedDirectory::at(&gone),
        ManagedDirectory::from_env(&relative, Platform::Linux),
    ] {
        let managed = directory.read(&RealFileSystem);
        let bound = SecretScope::builder(&home).files(&files).managed(&managed).build();
        let refusal = bound.refusal().expect("the administrator's policy cannot be applied");
        assert!(!format!("{refusal} {refusal:?}").contains("canary"));
    }
}
