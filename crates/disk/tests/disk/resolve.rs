use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use watertight_disk::{Operation, RealFileSystem, Scripted, home_at, resolve};

use crate::Folder;

#[test]
fn prof_40_what_exists_resolves_as_the_system_says() {
    let folder = Folder::new();
    folder.dir("a/b");
    for spelled in ["a/b", "a/b/", "a/./b", "a/b/../b", "a/../a/b"] {
        assert_eq!(resolve(&RealFileSystem, &folder.path(spelled)).unwrap(), folder.path("a/b"), "{spelled}");
    }
}

#[test]
fn prof_40_what_does_not_exist_is_its_longest_ancestor_and_the_rest() {
    let folder = Folder::new();
    folder.dir("a");
    for (spelled, expected) in [("a/x", "a/x"), ("a/x/y", "a/x/y"), ("a/../a/x/", "a/x"), ("x", "x")] {
        assert_eq!(
            resolve(&RealFileSystem, &folder.path(spelled)).unwrap(),
            folder.path(expected),
            "{spelled}"
        );
    }
    for spelled in ["x/../a", "a/x/..", "a/x/../y"] {
        let error = resolve(&RealFileSystem, &folder.path(spelled)).unwrap_err();
        assert_eq!(error.code(), "parent-of-missing", "{spelled}");
    }
    assert_eq!(resolve(&RealFileSystem, Path::new("a")).unwrap_err().code(), "relative-path");
}

#[cfg(unix)]
#[test]
fn prof_40_links_are_resolved_and_one_that_leads_nowhere_is_no_missing_name() {
    let folder = Folder::new();
    folder.dir("a/b");
    folder.link("link", "a");
    assert_eq!(resolve(&RealFileSystem, &folder.path("link/b")).unwrap(), folder.path("a/b"));
    assert_eq!(resolve(&RealFileSystem, &folder.path("link/x/y")).unwrap(), folder.path("a/x/y"));
    assert_eq!(resolve(&RealFileSystem, &folder.path("link/..")).unwrap(), folder.path);
    folder.link("dangling", "nowhere");
    folder.link("loop", "loop");
    folder.file("file", "");
    for name in ["dangling", "dangling/x", "loop", "loop/x", "file/x"] {
        let error = resolve(&RealFileSystem, &folder.path(name)).unwrap_err();
        assert_eq!(error.code(), "unreadable", "{name}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn prof_40_what_cannot_be_examined_is_an_error_and_not_taken_for_missing() {
    let folder = Folder::new();
    folder.dir("a");
    for (operation, code) in [(Operation::Canonicalize, 13), (Operation::Canonicalize, 5)] {
        let disk = Scripted::failing(Arc::new(RealFileSystem), operation, "a", code);
        assert_eq!(resolve(&disk, &folder.path("a")).unwrap_err().code(), "unreadable");
        assert_eq!(resolve(&disk, &folder.path("a/new")).unwrap_err().code(), "unreadable");
    }
    let disk = Scripted::failing(Arc::new(RealFileSystem), Operation::Metadata, "a", 5);
    assert_eq!(home_at(&disk, &folder.path("a")).unwrap_err().code(), "unreadable");
}

#[test]
fn prof_45_a_folder_that_is_made_again_is_another_home() {
    let folder = Folder::new();
    let missing = home_at(&RealFileSystem, &folder.path("a")).unwrap();
    assert_eq!(missing.stamp(), None);
    folder.dir("a");
    let first = home_at(&RealFileSystem, &folder.path("a")).unwrap();
    assert_eq!(first, home_at(&RealFileSystem, &folder.path("a/../a")).unwrap());
    fs::rename(folder.path("a"), folder.path("old")).unwrap();
    folder.dir("a");
    let second = home_at(&RealFileSystem, &folder.path("a")).unwrap();
    assert_ne!(first, second);
    assert!(first.same_place(&second, watertight_vocabulary::CaseRule::Sensitive));
    assert_ne!(missing, second);
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Making what is missing changes nothing of where it is.
    #[test]
    fn prof_40_a_missing_home_resolves_to_where_it_will_be(
        steps in proptest::collection::vec(prop_oneof!["[ab]", "link", "[.]", "[xy]"], 1..6),
    ) {
        let folder = Folder::new();
        folder.dir("a/b/a");
        folder.dir("b");
        folder.link("link", "a/b");
        folder.link("a/link", "../b");
        let path = steps.iter().fold(folder.path.clone(), |path, step| path.join(step));
        let before = resolve(&RealFileSystem, &path).unwrap();
        fs::create_dir_all(path.components().collect::<std::path::PathBuf>()).unwrap();
        prop_assert_eq!(&before, &path.canonicalize().unwrap());
        prop_assert_eq!(before, resolve(&RealFileSystem, &path).unwrap());
    }
}
