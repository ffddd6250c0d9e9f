use watertight_profile_discovery::{MARKERS, ProfileName};

use crate::support::{Tree, counted, home, listed, named, pairs, skipped};

/// Whether the one profile `p` of a tree is listed, and whether it is servable.
fn identity(tree: &Tree) -> Option<bool> {
    let listing = tree.open().list().unwrap();
    listing.get(&named("p")).map(watertight_profile_discovery::Profile::is_servable)
}

#[test]
fn prof_20_each_marker_alone_is_identity() {
    for marker in MARKERS {
        let tree = Tree::new();
        tree.file(&format!("profiles/p/{marker}"), "x");
        assert_eq!(identity(&tree), Some(true), "{marker}");
    }
}

#[test]
fn prof_20_size_is_irrelevant_and_a_directory_of_a_markers_name_is_none() {
    for marker in MARKERS {
        let tree = Tree::new();
        tree.file(&format!("profiles/p/{marker}"), "");
        assert!(identity(&tree).is_some(), "an empty {marker} is identity");
        let tree = Tree::new();
        tree.dir(&format!("profiles/p/{marker}"));
        assert_eq!(identity(&tree), None, "a directory {marker} is not");
    }
}

#[cfg(unix)]
#[test]
fn prof_20_a_link_of_a_markers_name_is_identity_wherever_it_leads() {
    for marker in MARKERS {
        for target in ["nowhere", marker, "logs", "/proc/self/environ", "/etc/hostname"] {
            let tree = Tree::new();
            tree.dir("profiles/p/logs").link(&format!("profiles/p/{marker}"), target);
            assert_eq!(identity(&tree), Some(true), "{marker} -> {target}");
        }
    }
}

#[cfg(unix)]
#[test]
fn prof_20_a_pipe_of_a_markers_name_is_none_and_does_not_hang() {
    let tree = Tree::new();
    tree.dir("profiles/p").fifo("profiles/p/config.yaml").fifo("profiles/p/.env");
    assert_eq!(identity(&tree), None);
}

#[test]
fn prof_20_other_files_are_no_identity() {
    let tree = Tree::new();
    tree.file("profiles/ghost/cron/.tick.lock", "").file("profiles/ghost/logs/agent.log", "x");
    tree.file("profiles/ghost/CONFIG.YAML", "").file("profiles/ghost/config.yml", "");
    tree.profile("real");
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default", "real"]);
    assert_eq!(skipped(&listing), pairs([("ghost", "no-identity")]));
}

#[test]
fn prof_21_an_empty_env_alone_is_identity_that_does_not_count() {
    for (files, servable) in [
        (&[(".env", "")][..], false),
        (&[(".env", "# only a comment\n")], true),
        (&[(".env", "K=canary-1\n")], true),
        (&[(".env", ""), ("config.yaml", "")], true),
        (&[(".env", ""), ("state.db", "")], true),
        (&[(".env", ""), ("notes.txt", "x")], false),
    ] {
        let tree = Tree::new();
        for (name, text) in files {
            tree.file(&format!("profiles/p/{name}"), text);
        }
        assert_eq!(identity(&tree), Some(servable), "{files:?}");
        let tenants = tree.open().tenants(&home(tree.root())).unwrap();
        assert_eq!(tenants.are_many(), servable, "{files:?}: a crashed creation activates nothing");
    }
}

#[cfg(unix)]
#[test]
fn prof_21_an_env_that_is_a_link_counts_even_to_an_empty_file() {
    let tree = Tree::new();
    tree.file("empty", "").link("profiles/p/.env", "../../empty");
    assert_eq!(identity(&tree), Some(true));
    let tree = Tree::new();
    tree.link("profiles/p/.env", "nowhere");
    assert_eq!(identity(&tree), Some(true));
}

#[test]
fn prof_22_a_tombstone_hides_the_name_whatever_is_there() {
    let tree = Tree::new();
    tree.file("profiles/.deleted/field", "").file("profiles/field/logs/agent.log", "x");
    tree.dir("profiles/.deleted/full").profile("full");
    tree.file("profiles/.deleted/gone", "");
    tree.profile("kept");
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default", "kept"]);
    assert_eq!(
        skipped(&listing),
        pairs([(".deleted", "invalid-name"), ("field", "deleted"), ("full", "deleted")]),
    );
    for name in ["field", "full", "gone"] {
        assert_eq!(tree.open().find(name).unwrap_err().code(), "no-such-profile", "{name}");
    }
    assert_eq!(tree.open().find("kept").unwrap().name(), &named("kept"));
}

#[cfg(unix)]
#[test]
fn prof_22_a_tombstone_exists_when_what_it_leads_to_does() {
    let tree = Tree::with(&["a", "b"]);
    tree.dir("profiles/.deleted").link("profiles/.deleted/a", "/").link("profiles/.deleted/b", "nowhere");
    assert_eq!(listed(&tree.open().list().unwrap()), ["default", "b"]);
    assert_eq!(tree.open().find("a").unwrap_err().code(), "no-such-profile");
    assert!(tree.open().find("b").is_ok());
}

#[test]
fn prof_22_where_the_folder_of_tombstones_is_no_folder_nothing_is_deleted() {
    let tree = Tree::with(&["a"]);
    tree.file("profiles/.deleted", "a");
    assert_eq!(listed(&tree.open().list().unwrap()), ["default", "a"]);
    assert_eq!(tree.open().find("a").unwrap().name(), &named("a"));
}

#[test]
fn prof_22_a_tombstone_of_the_root_means_nothing() {
    let tree = Tree::new();
    tree.file("profiles/.deleted/default", "");
    assert_eq!(tree.open().find("default").unwrap().name(), &ProfileName::Default);
    assert_eq!(counted(&tree.open().tenants(&home(tree.root())).unwrap()), pairs([("default", "default")]));
}
