use std::fs;

use watertight_profile_discovery::ProfileName;

use crate::support::{Tree, listed, named, pairs, skipped};

#[test]
fn prof_13_neither_default_nor_what_begins_with_a_dot_is_ever_a_profile() {
    let tree = Tree::new();
    tree.profile("default").profile(".staging-x").dir("profiles/.git").profile("_old_copy");
    tree.file("profiles/.DS_Store", "").file("profiles/.deleted/x", "").file("config.yaml", "");
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default"]);
    assert_eq!(
        skipped(&listing),
        pairs([
            (".DS_Store", "invalid-name"),
            (".deleted", "invalid-name"),
            (".git", "invalid-name"),
            (".staging-x", "invalid-name"),
            ("_old_copy", "invalid-name"),
            ("default", "named-default"),
        ]),
    );
    let default = listing.get(&ProfileName::Default).unwrap();
    assert_eq!(default.home(), tree.root(), "`default` is always the root");
    assert_eq!(tree.open().find("default").unwrap().home(), tree.root());
}

#[test]
fn prof_13_the_root_is_default_whatever_it_is_called() {
    let tree = Tree::new();
    for name in [".hermes", "profiles", "x y", "data"] {
        fs::create_dir_all(tree.path(name)).unwrap();
        let root = watertight_profile_discovery::Root::at(
            &tree.path(name),
            watertight_vocabulary::Platform::Linux,
            &watertight_disk::RealFileSystem,
        )
        .unwrap();
        let open = watertight_profile_discovery::ProfileTree::new(
            root,
            std::sync::Arc::new(watertight_disk::RealFileSystem),
            std::sync::Arc::new(watertight_profile_home::DiskFiles::new()),
        );
        assert_eq!(open.name_for_home(&tree.path(name)).unwrap(), Some(ProfileName::Default), "{name}");
        assert_eq!(open.home_of(&ProfileName::Default), tree.path(name));
    }
}

#[test]
fn prof_25_without_a_folder_of_profiles_there_are_no_named_ones() {
    let tree = Tree::new();
    assert_eq!(listed(&tree.open().list().unwrap()), ["default"], "missing");
    tree.file("profiles", "");
    assert_eq!(listed(&tree.open().list().unwrap()), ["default"], "a plain file");
    let tree = Tree::new();
    let open = tree.open();
    fs::remove_dir(tree.root()).unwrap();
    assert_eq!(listed(&open.list().unwrap()), ["default"], "a root that does not exist yet");
}

#[cfg(unix)]
#[test]
fn prof_25_a_link_to_the_folder_is_followed() {
    let tree = Tree::new();
    tree.file("disk/coder/config.yaml", "").link("profiles", "disk");
    let open = tree.open();
    assert_eq!(listed(&open.list().unwrap()), ["default", "coder"]);
    let found = open.find("coder").unwrap();
    assert_eq!(found.home(), tree.path("profiles/coder"), "the home is not resolved");
    assert_eq!(found.home_id().path(), tree.path("disk/coder"), "its identity is");
    let tree = Tree::new();
    tree.file("plain", "").link("profiles", "plain");
    assert_eq!(listed(&tree.open().list().unwrap()), ["default"], "a link to a plain file is a plain file");
}

#[test]
fn prof_26_what_is_listed_is_a_directory_with_a_valid_name_identity_and_no_tombstone() {
    let tree = Tree::with(&["a", "b-2_x", "0"]);
    tree.file("profiles/notes", "x").dir("profiles/shell").profile("Coder").profile("a.b");
    tree.file("profiles/.deleted/dead", "").profile("dead");
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default", "0", "a", "b-2_x"]);
    assert_eq!(
        skipped(&listing),
        pairs([
            (".deleted", "invalid-name"),
            ("Coder", "invalid-name"),
            ("a.b", "invalid-name"),
            ("dead", "deleted"),
            ("notes", "not-a-directory"),
            ("shell", "no-identity"),
        ]),
    );
    let profile = listing.get(&named("b-2_x")).unwrap();
    assert_eq!(profile.home(), tree.path("profiles/b-2_x"));
}

#[cfg(unix)]
#[test]
fn prof_26_a_link_to_a_directory_is_listed_under_its_own_name_and_home() {
    let tree = Tree::with(&["a"]);
    tree.file("disk/x/.env", "K=canary-1")
        .link("profiles/b", "../disk/x")
        .link("profiles/n", "a/config.yaml");
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default", "a", "b"]);
    let profile = listing.get(&named("b")).unwrap();
    assert!(profile.is_link());
    assert_eq!(profile.home(), tree.path("profiles/b"), "not resolved");
    assert_eq!(skipped(&listing), pairs([("n", "not-a-directory")]));
}

#[cfg(unix)]
#[test]
fn prof_26_names_that_differ_in_case_are_one_profile_and_one_skipped_entry() {
    let tree = Tree::with(&["coder", "Coder", "CODER"]);
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default", "coder"]);
    assert_eq!(skipped(&listing), pairs([("CODER", "invalid-name"), ("Coder", "invalid-name")]));
    let says = listing.diagnostics().map(|diagnostic| diagnostic.to_string()).collect::<String>();
    assert!(says.contains("rename it to `coder`"), "{says}");
    assert_eq!(tree.open().find("Coder").unwrap().home(), tree.path("profiles/coder"));
    tree.remove("profiles/coder");
    assert_eq!(
        tree.open().find("coder").unwrap_err().code(),
        "no-such-profile",
        "a folder of another case is not served by accident",
    );
}

#[cfg(unix)]
#[test]
fn prof_26_a_name_that_is_not_unicode_is_skipped_and_hides_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let tree = Tree::with(&["a"]);
    let odd = tree.path("profiles").join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("config.yaml"), "").unwrap();
    fs::create_dir(tree.path("profiles").join("a\nb")).unwrap();
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default", "a"]);
    assert_eq!(listing.skipped().len(), 2);
    assert_eq!(listing.skipped()[1].name().as_bytes(), b"caf\xe9", "byte for byte");
    for diagnostic in listing.diagnostics() {
        assert!(!diagnostic.to_string().contains('\n'), "{diagnostic}");
    }
}

#[test]
fn prof_27_default_comes_first_and_then_the_ids_byte_by_byte() {
    let tree = Tree::with(&["zeta", "a_b", "a-b", "ab", "a", "10", "9", "defaults", "c"]);
    assert_eq!(
        listed(&tree.open().list().unwrap()),
        ["default", "10", "9", "a", "a-b", "a_b", "ab", "c", "defaults", "zeta"],
    );
}
