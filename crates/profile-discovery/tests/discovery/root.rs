use std::fs;
use std::path::Path;

use watertight_disk::{RealFileSystem, home_at};
use watertight_env_snapshot::{LaunchEnv, MapEnv};
use watertight_profile_discovery::{HomeLayout, Root, RootError};
use watertight_vocabulary::{EnvSource, HomeId, Platform};

use crate::support::{Tree, home};

fn root_of(env: &dyn EnvSource) -> Result<Root, RootError> {
    Root::from_env(&HomeLayout::hermes(), env, Platform::Linux, &RealFileSystem)
}

fn env(pairs: &[(&str, &Path)]) -> MapEnv {
    let env = MapEnv::new();
    for (name, value) in pairs {
        env.set(name, *value);
    }
    env
}

#[test]
fn prof_02_a_home_that_is_the_default_home_or_lies_under_it_has_it_for_a_root() {
    let tree = Tree::new();
    let user = tree.path("u");
    let default = user.join(".hermes");
    fs::create_dir_all(default.join("profiles/coder")).unwrap();
    fs::create_dir_all(default.join("deep/er")).unwrap();
    for below in ["", "profiles/coder", "profiles/new", "deep/er", "deep/er/not/yet"] {
        let root = root_of(&env(&[("HOME", &user), ("HERMES_HOME", &default.join(below))])).unwrap();
        assert_eq!(root.path(), default, "{below:?}");
        assert_eq!(root.launch_home().path(), default.join(below), "the launch home stays what it was");
    }
    let beside = user.join(".hermes2");
    let root = root_of(&env(&[("HOME", &user), ("HERMES_HOME", &beside)])).unwrap();
    assert_eq!(root.path(), beside, "a name that merely begins like it lies beside it");
}

#[cfg(unix)]
#[test]
fn prof_02_the_default_home_is_compared_resolved() {
    let tree = Tree::new();
    tree.dir("disk/profiles/coder").dir("u").link("u/.hermes", tree.path("disk"));
    let spelled = tree.path("u").join(".hermes");
    let root =
        root_of(&env(&[("HOME", &tree.path("u")), ("HERMES_HOME", &tree.path("disk/profiles/coder"))]))
            .unwrap();
    assert_eq!(root.path(), spelled, "one home, whichever way it is spelled");
}

#[cfg(unix)]
#[test]
fn prof_02_a_default_home_that_cannot_be_resolved_has_nothing_under_it() {
    let tree = Tree::new();
    tree.dir("u").link("u/.hermes", ".hermes").dir("d/profiles/coder");
    let root =
        root_of(&env(&[("HOME", &tree.path("u")), ("HERMES_HOME", &tree.path("d/profiles/coder"))])).unwrap();
    assert_eq!(root.path(), tree.path("d"));
    let error = root_of(&env(&[("HOME", &tree.path("u"))])).unwrap_err();
    assert_eq!(error.code(), "unreadable", "as the launch home itself it is an error");
}

#[test]
fn prof_02_without_a_user_home_the_rule_does_not_apply() {
    let tree = Tree::new();
    tree.dir(".hermes/profiles/coder");
    let root = root_of(&env(&[("HERMES_HOME", &tree.path(".hermes/profiles/coder"))])).unwrap();
    assert_eq!(root.path(), tree.path(".hermes"));
}

#[test]
fn prof_03_a_home_below_profiles_has_the_grandparent_for_a_root() {
    let tree = Tree::new();
    tree.dir("d/profiles/coder").dir("d/Profiles/coder").dir("profiles");
    for (spelled, expected) in [
        ("d/profiles/coder", "d"),
        ("d/profiles/coder/", "d"),
        ("d/./profiles//coder", "d"),
        ("d/profiles/coder/../coder", "d"),
        ("d/profiles/not-yet", "d"),
        ("d", "d"),
        ("d/Profiles/coder", "d/Profiles/coder"),
        ("d/profiles", "d/profiles"),
        ("d/profiles/coder/sub", "d/profiles/coder/sub"),
        // A root that is itself called `profiles` keeps its own `profiles/` below it.
        ("profiles", "profiles"),
    ] {
        let root = root_of(&env(&[("HERMES_HOME", &tree.path(spelled))])).unwrap();
        assert_eq!(root.path(), tree.path(expected), "{spelled}");
        assert_eq!(root.profiles_dir(), tree.path(expected).join("profiles"), "{spelled}");
    }
}

#[cfg(unix)]
#[test]
fn prof_03_a_profile_that_is_a_link_belongs_to_the_tree_it_is_linked_into() {
    let tree = Tree::new();
    tree.dir("disk/x").dir("d").link("d/profiles/coder", tree.path("disk/x"));
    let root = root_of(&env(&[("HERMES_HOME", &tree.path("d/profiles/coder"))])).unwrap();
    assert_eq!(root.path(), tree.path("d"));
    assert_eq!(root.launch_home().path(), tree.path("disk/x"));
}

#[cfg(unix)]
#[test]
fn prof_03_a_link_from_elsewhere_to_a_profile_is_a_root_of_its_own() {
    let tree = Tree::new();
    tree.dir("x/profiles/coder")
        .dir("x/profiles/other")
        .dir("d")
        .link("d/link", tree.path("x/profiles/coder"));
    let root = root_of(&env(&[("HERMES_HOME", &tree.path("d/link"))])).unwrap();
    assert_eq!(root.path(), tree.path("d/link"), "the tree that it is linked out of is not its own");
    assert_eq!(root.profiles_dir(), tree.path("d/link/profiles"));
    assert_eq!(root.launch_home().path(), tree.path("x/profiles/coder"), "the home is the very same");
}

#[cfg(unix)]
#[test]
fn prof_03_a_step_up_means_what_the_disk_says_it_means() {
    let tree = Tree::new();
    tree.dir("disk/profiles/coder").dir("elsewhere").link("elsewhere/in", tree.path("disk/profiles"));
    let root = root_of(&env(&[("HERMES_HOME", &tree.path("elsewhere/in/../profiles/coder"))])).unwrap();
    assert_eq!(root.path(), tree.path("disk"), "`in/..` is the parent of what `in` leads to");
    let error = root_of(&env(&[("HERMES_HOME", &tree.path("missing/../x"))])).unwrap_err();
    assert_eq!(error.code(), "parent-of-missing");
}

#[test]
fn prof_04_a_root_that_cannot_be_told_is_the_layouts_own_error() {
    let error = root_of(&MapEnv::new()).unwrap_err();
    assert_eq!(error.code(), "no-home");
}

#[test]
fn prof_40_what_the_launch_home_is_does_not_follow_the_environment() {
    let tree = Tree::with(&["b"]);
    let process = std::sync::Arc::new(env(&[("HERMES_HOME", tree.root())]));
    let launch = LaunchEnv::new(std::sync::Arc::clone(&process) as std::sync::Arc<dyn EnvSource>);
    let snapshot = launch.capture();
    let root = root_of(&*snapshot).unwrap();

    process.set("HERMES_HOME", tree.path("profiles/b"));
    assert_eq!(root_of(&*snapshot).unwrap().launch_home(), root.launch_home(), "the snapshot is what it was");
    assert!(!root.is_launch_home(&home(tree.path("profiles/b"))), "a served home is no launch home by that");
    for spelled in [tree.root().join(""), tree.path("."), tree.path("profiles/..")] {
        assert!(root.is_launch_home(&home(&spelled)), "{spelled:?} is the launch home");
    }
}

#[test]
fn prof_40_homes_are_the_same_when_their_resolved_paths_are() {
    let tree = Tree::with(&["a"]);
    let real = home(tree.path("profiles/a"));
    for spelled in ["profiles/a/", "profiles/./a", "profiles/a/../a", "profiles/../profiles/a"] {
        assert_eq!(home(tree.path(spelled)), real, "{spelled}");
    }
    let upper = HomeId::new(tree.path("profiles/A"), None);
    assert!(!upper.same_place(&real, Platform::Linux.case_rule()));
    assert!(upper.same_place(&real, Platform::Windows.case_rule()), "case does not count on Windows");
}

#[test]
fn prof_40_a_home_that_does_not_exist_yet_is_its_ancestor_and_the_rest_and_is_not_remembered() {
    let tree = Tree::new();
    let early = home(tree.path("profiles/new/deep"));
    assert_eq!(early.path(), tree.path("profiles/new/deep"));
    assert_eq!(early.stamp(), None);
    tree.dir("profiles/new/deep");
    let late = home(tree.path("profiles/new/deep"));
    assert!(late.stamp().is_some(), "asked again, it exists");
    assert_ne!(early, late);
    let error = home_at(&RealFileSystem, &tree.path("none/../x")).unwrap_err();
    assert_eq!(error.code(), "parent-of-missing");
}
