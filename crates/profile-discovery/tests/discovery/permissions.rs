//! Real permissions, seen by a user who has none: a thread that has given up being root.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Tree, counted, home, listed, pairs, residents, skipped};

/// Runs `work` as somebody else than root; says so and does nothing where that is not to be had.
fn unprivileged(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let lowered = scope.spawn(|| {
            if rustix::process::geteuid().is_root() {
                rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65_534)).unwrap();
            }
            work();
        });
        lowered.join().unwrap();
    });
}

/// Makes modes possible to read again, so that the folder can be removed.
struct Restored(Vec<std::path::PathBuf>);

impl Drop for Restored {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o755));
        }
    }
}

fn closed(tree: &Tree, below: &[&str]) -> Restored {
    fs::set_permissions(tree.beside(), fs::Permissions::from_mode(0o755)).unwrap();
    let paths: Vec<_> = below.iter().map(|below| tree.path(below)).collect();
    for path in &paths {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    Restored(paths)
}

#[test]
fn prof_24_a_home_that_may_not_be_entered_is_unknown_and_lost_and_found_is_not() {
    let tree = Tree::with(&["a", "locked", "lost+found"]);
    let launch = home(tree.root());
    let _restored = closed(&tree, &["profiles/locked", "profiles/lost+found"]);
    unprivileged(|| {
        let open = tree.open();
        let listing = open.list().unwrap();
        assert_eq!(listed(&listing), ["default", "a"]);
        assert_eq!(skipped(&listing), pairs([("locked", "unknown"), ("lost+found", "invalid-name")]));
        let tenants = open.tenants(&launch).unwrap();
        assert_eq!(
            counted(&tenants),
            pairs([("default", "default"), ("a", "servable"), ("locked", "unknown")]),
        );
        assert_eq!(residents(&open.serving().unwrap()), ["default", "a"]);
        assert_eq!(open.find("locked").unwrap_err().code(), "unknown");
        assert!(open.find("a").is_ok());
    });
}

#[test]
fn prof_24_tombstones_that_may_not_be_entered_make_every_entry_unknown() {
    let tree = Tree::with(&["a"]);
    tree.file("profiles/.deleted/b", "");
    let _restored = closed(&tree, &["profiles/.deleted"]);
    unprivileged(|| {
        assert_eq!(listed(&tree.open().list().unwrap()), ["default"]);
        assert_eq!(tree.open().list().unwrap().unknown().count(), 1);
    });
}

#[test]
fn prof_42_a_folder_or_a_root_that_may_not_be_entered_is_an_error() {
    for below in ["profiles", ""] {
        let tree = Tree::with(&["a"]);
        let (launch, open) = (home(tree.root()), tree.open());
        let _restored = closed(&tree, &[below]);
        unprivileged(|| {
            assert_eq!(open.list().unwrap_err().code(), "unreadable", "{below:?}");
            assert!(open.tenants(&launch).is_err(), "{below:?}");
            assert!(open.find("a").is_err(), "{below:?}");
        });
    }
}

#[test]
fn prof_43_an_active_profile_that_may_not_be_read_is_an_error() {
    let tree = Tree::with(&["a"]);
    tree.file("active_profile", "a");
    let _restored = closed(&tree, &["active_profile"]);
    unprivileged(|| assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable"));
}

#[test]
fn prof_31_a_config_that_may_not_be_read_leaves_the_profile_served() {
    let tree = Tree::with(&["a"]);
    let _restored = closed(&tree, &["profiles/a/config.yaml"]);
    unprivileged(|| {
        let serving = tree.open().serving().unwrap();
        assert_eq!(residents(&serving), ["default", "a"]);
        assert_eq!(serving.diagnostics().len(), 1);
    });
}
