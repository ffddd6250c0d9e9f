use std::fs;
use std::path::Path;
use std::sync::Arc;

use watertight_disk::{Operation, RealFileSystem, Recording};
use watertight_profile_discovery::{Change, ProfileId, ProfileName};

use crate::support::{EIO, Tree, home, named};

#[test]
fn prof_11_an_error_suggests_live_profiles_beside_its_text() {
    let tree = Tree::with(&["coder", "codex", "writer"]);
    tree.dir("profiles/codes").file("profiles/.deleted/codez", "").profile("codez");
    let open = tree.open();
    let suggested = |asked: &str| {
        let error = open.find(asked).unwrap_err();
        let names: Vec<_> = error.suggestions().iter().map(ProfileId::to_string).collect();
        for name in &names {
            let derived = error.to_string().contains("perhaps");
            assert!(derived || !error.to_string().contains(&format!("`{name}`")), "{error}");
        }
        names
    };
    assert_eq!(suggested("codr"), ["coder", "codex"], "nearest first, and only what is live");
    assert_eq!(suggested("Write r"), ["writer"]);
    assert!(suggested("zzz").is_empty());
    assert!(suggested("..").is_empty());
}

#[test]
fn prof_45_a_request_resolves_its_home_once_into_one_value() {
    let tree = Tree::with(&["a"]);
    let open = tree.open();
    let found = open.find("A ").unwrap();
    assert_eq!(found.name(), &named("a"));
    assert_eq!(found.home(), tree.path("profiles/a"));
    assert_eq!(found.home_id(), &home(tree.path("profiles/a")));
    assert!(found.home_id().stamp().is_some());
    found.still_there(&open).unwrap();
    tree.file("profiles/a/logs/x", "").file("profiles/a/.env", "K=canary-1");
    found.still_there(&open).unwrap();
}

#[test]
fn prof_45_a_profile_that_became_another_is_an_error_and_never_a_scope() {
    let changed = |what: &str, change: &dyn Fn(&Tree)| {
        let tree = Tree::with(&["a", "b"]);
        let open = tree.open();
        let found = open.find("a").unwrap();
        change(&tree);
        let error = found.still_there(&open).unwrap_err();
        assert_eq!(error.code(), "changed", "{what}");
        assert_eq!(error.name(), &named("a"));
        match error.change() {
            Change::NotFound(cause) => cause.code(),
            _ => "another-home",
        }
    };
    let rename = |tree: &Tree, from: &str, to: &str| fs::rename(tree.path(from), tree.path(to)).unwrap();
    assert_eq!(
        changed("removed", &|t| {
            t.remove("profiles/a");
        }),
        "no-such-profile"
    );
    assert_eq!(
        changed("deleted", &|t| {
            t.file("profiles/.deleted/a", "");
        }),
        "no-such-profile"
    );
    assert_eq!(changed("renamed", &|t| rename(t, "profiles/a", "profiles/c")), "no-such-profile");
    assert_eq!(
        changed("emptied", &|t| {
            t.remove("profiles/a/config.yaml");
        }),
        "no-such-profile"
    );
    let swapped = changed("swapped", &|tree| {
        rename(tree, "profiles/a", "old");
        rename(tree, "profiles/b", "profiles/a");
    });
    assert_eq!(swapped, "another-home", "one path, and another folder");
    let again = changed("made again", &|tree| {
        tree.dir("keep").remove("profiles/a").profile("x").profile("a");
    });
    assert_eq!(again, "another-home");
    #[cfg(unix)]
    {
        let linked = changed("turned into a link to another", &|tree| {
            rename(tree, "profiles/a", "old");
            tree.link("profiles/a", "b");
        });
        assert_eq!(linked, "alias");
        let moved = changed("moved elsewhere behind a link", &|tree| {
            rename(tree, "profiles/a", "old");
            tree.link("profiles/a", "../old");
        });
        assert_eq!(moved, "another-home");
    }
}

#[test]
fn prof_45_the_root_is_looked_for_again_too() {
    let tree = Tree::new();
    let open = tree.open();
    let found = open.find("default").unwrap();
    found.still_there(&open).unwrap();
    fs::rename(tree.root(), tree.beside().join("moved")).unwrap();
    assert_eq!(found.still_there(&open).unwrap_err().code(), "changed", "it is not there");
    fs::create_dir(tree.root()).unwrap();
    assert_eq!(found.still_there(&open).unwrap_err().code(), "changed", "it is another folder");
}

#[test]
fn prof_45_a_home_that_cannot_be_examined_any_more_is_an_error() {
    let tree = Tree::with(&["a"]);
    let found = tree.open().find("a").unwrap();
    for (operation, suffix) in [
        (Operation::OpenDir, "root/profiles"),
        (Operation::SymlinkMetadata, "profiles/a"),
        (Operation::SymlinkMetadata, "a/config.yaml"),
        (Operation::Canonicalize, "root/profiles"),
    ] {
        let error = found.still_there(&tree.failing(operation, suffix, EIO)).unwrap_err();
        assert_eq!(error.code(), "changed", "{operation:?}");
    }
}

#[test]
fn prof_45_finding_one_of_many_opens_no_file_and_lists_nothing() {
    let tree = Tree::with(&["a", "b", "c"]);
    let recording = Recording::new();
    let open = tree.on(Arc::new(recording.of(Arc::new(RealFileSystem))));
    open.find("b").unwrap();
    let calls = recording.take();
    assert!(calls.iter().all(|call| call.operation != Operation::Open), "metadata alone: {calls:?}");
    assert!(calls.iter().all(|call| call.operation != Operation::ReadDir), "no listing: {calls:?}");
    open.find("default").unwrap();
    assert!(recording.take().len() <= 2);
}

#[test]
fn prof_45_a_plain_profile_is_found_and_found_again_by_these_calls() {
    let tree = Tree::with(&["a", "b"]);
    let recording = Recording::new();
    let open = tree.on(Arc::new(recording.of(Arc::new(RealFileSystem))));
    let calls = || -> Vec<_> {
        let calls = recording.take().into_iter();
        let below = |path: &Path| path.strip_prefix(tree.root()).unwrap().display().to_string();
        calls.map(|call| format!("{:?} {}", call.operation, below(&call.path))).collect()
    };
    let found = open.find("b").unwrap();
    assert_eq!(
        calls(),
        [
            "OpenDir profiles",
            "Metadata profiles/.deleted/b",
            "SymlinkMetadata profiles/b",
            "SymlinkMetadata profiles/b/config.yaml",
            "Canonicalize profiles",
            "Metadata ",
            "Metadata profiles/b/gateway.parked",
        ],
        "`profiles` is opened and resolved once, and nothing else is resolved",
    );
    found.still_there(&open).unwrap();
    assert_eq!(
        calls(),
        [
            "OpenDir profiles",
            "Metadata profiles/.deleted/b",
            "SymlinkMetadata profiles/b",
            "SymlinkMetadata profiles/b/config.yaml",
            "Canonicalize profiles",
        ],
    );
}

#[cfg(unix)]
#[test]
fn prof_45_a_plain_profiles_home_is_what_the_system_resolves_it_to() {
    let tree = Tree::new();
    tree.file("disk/a/config.yaml", "").link("profiles", "disk");
    let found = tree.open().find("a").unwrap();
    assert_eq!(found.home_id(), &home(tree.path("profiles/a")), "path, device, inode and time of making");
    assert_eq!(found.home_id().path(), tree.path("disk/a"));
}

#[cfg(unix)]
#[test]
fn prof_44_a_linked_profile_resolves_no_link_that_leads_elsewhere() {
    let tree = Tree::with(&["dir"]);
    for index in 0..20 {
        tree.file(&format!("far{index}/config.yaml"), "");
        tree.link(&format!("profiles/l{index}"), format!("../far{index}"));
    }
    tree.file("far/config.yaml", "").link("profiles/z", "../far");
    let recording = Recording::new();
    let open = tree.on(Arc::new(recording.of(Arc::new(RealFileSystem))));
    let resolved = || -> Vec<_> {
        let calls = recording.take().into_iter().filter(|call| call.operation == Operation::Canonicalize);
        calls.map(|call| call.path.strip_prefix(tree.root()).unwrap().to_owned()).collect()
    };
    let found = open.find("z").unwrap();
    assert_eq!(resolved(), ["profiles/z", "", "profiles"].map(Path::new));
    found.still_there(&open).unwrap();
    assert_eq!(resolved(), ["profiles/z"].map(Path::new), "whose name it is was decided once");
}

#[test]
fn prof_45_what_is_missing_falls_back_to_nothing() {
    let tree = Tree::with(&["a"]);
    tree.dir("profiles/shell").file("profiles/file", "");
    for name in ["b", "shell", "file"] {
        let error = tree.open().find(name).unwrap_err();
        assert_eq!(error.code(), "no-such-profile", "{name}");
    }
    let tree = Tree::new();
    assert_eq!(tree.open().find("a").unwrap_err().code(), "no-such-profile", "no folder at all");
    assert_eq!(tree.open().find("default").unwrap().name(), &ProfileName::Default);
}
