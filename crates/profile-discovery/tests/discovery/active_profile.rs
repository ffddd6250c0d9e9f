use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};

use watertight_disk::{Metadata, Operation, RealFileSystem, Scripted};
use watertight_profile_discovery::{ActiveProfileError, ProfileName, ProfileTree, Root};
use watertight_profile_home::{DiskFiles, Unreadable};
use watertight_vocabulary::Platform;

use crate::support::{EACCES, EIO, Tree, home, named};

#[test]
fn prof_43_the_file_names_one_live_profile() {
    let tree = Tree::with(&["coder"]);
    for (text, expected) in [
        ("coder", named("coder")),
        ("coder\n", named("coder")),
        ("\u{feff} Coder \r\n", named("coder")),
        ("default", ProfileName::Default),
        ("", ProfileName::Default),
        (" \n\t", ProfileName::Default),
        ("\u{feff}", ProfileName::Default),
    ] {
        tree.file("active_profile", text);
        assert_eq!(tree.open().active_profile().unwrap(), expected, "{text:?}");
    }
    tree.remove("active_profile");
    assert_eq!(tree.open().active_profile().unwrap(), ProfileName::Default, "missing");
}

#[test]
fn prof_43_a_name_that_is_invalid_or_not_live_is_an_error_that_names_it() {
    let tree = Tree::with(&["coder", "dead"]);
    tree.file("profiles/.deleted/dead", "").dir("profiles/shell");
    for (text, code) in [
        ("nope", "no-such-profile"),
        ("shell", "no-such-profile"),
        ("dead", "no-such-profile"),
        ("../x", "invalid-name"),
        ("coder extra", "invalid-name"),
    ] {
        tree.file("active_profile", text);
        let error = tree.open().active_profile().unwrap_err();
        assert_eq!(error.code(), code, "{text:?}");
        assert!(error.to_string().contains(&text.escape_debug().to_string()), "{error}");
        assert_eq!(error.path(), tree.path("active_profile"));
    }
}

#[test]
fn prof_43_what_cannot_be_read_is_an_error_and_never_default() {
    let tree = Tree::with(&["coder"]);
    tree.file("active_profile", "coder");
    for (operation, error) in [
        (Operation::SymlinkMetadata, EACCES),
        (Operation::Open, EACCES),
        (Operation::OpenMetadata, EIO),
        (Operation::Read, EIO),
    ] {
        let open = tree.failing(operation, "active_profile", error);
        assert_eq!(open.active_profile().unwrap_err().code(), "unreadable", "{operation:?}");
    }
    std::fs::write(tree.path("active_profile"), b"cod\xe9r").unwrap();
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "encoding");
    tree.file("active_profile", &" ".repeat(2000));
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable", "no name is that long");
    tree.remove("active_profile").dir("active_profile");
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable", "a directory");
}

#[cfg(unix)]
#[test]
fn prof_43_a_link_that_leads_nowhere_and_a_pipe_are_unreadable() {
    for make in [
        (|tree: &Tree| {
            tree.link("active_profile", "nowhere");
        }) as fn(&Tree),
        |tree| {
            tree.link("active_profile", "active_profile");
        },
        |tree| {
            tree.fifo("active_profile");
        },
    ] {
        let tree = Tree::new();
        make(&tree);
        assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable");
    }
    let tree = Tree::with(&["coder"]);
    tree.file("chosen", "coder\n").link("active_profile", "chosen");
    assert_eq!(tree.open().active_profile().unwrap(), named("coder"), "a link within the root is followed");
}

#[cfg(unix)]
#[test]
fn prof_43_a_link_that_leaves_the_roots_own_folder_is_unreadable_and_shows_nothing() {
    for target in [
        "profiles/other/.env",
        "profiles/other/../other/.env",
        "../outside/token",
        "/proc/self/environ",
        "way/.env",
        "again",
    ] {
        let tree = Tree::with(&["other"]);
        tree.file("profiles/other/.env", "K=canary-1\n").file("../outside/token", "canary-1");
        tree.link("way", "profiles/other").link("again", "way/.env").link("active_profile", target);
        let error = tree.open().active_profile().unwrap_err();
        assert_eq!(error.code(), "unreadable", "{target}");
        assert!(matches!(
            error,
            ActiveProfileError::Unreadable { source: Unreadable::LinkLeavesHome { .. }, .. }
        ));
        assert!(!format!("{error} {error:?}").contains("canary-1"), "{error:?}");
    }
}

#[cfg(unix)]
#[test]
fn prof_43_what_a_link_leads_to_is_named_by_no_error() {
    for (text, code) in [("canary-1", "no-such-profile"), ("Canary 1 canary-1", "invalid-name")] {
        let tree = Tree::with(&["coder"]);
        tree.file("token", text).link("active_profile", "token");
        let error = tree.open().active_profile().unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains("active_profile"), "{error}");
        assert!(!format!("{error} {error:?}").to_lowercase().contains("canary"), "{error:?}");
    }
}

#[cfg(unix)]
#[test]
fn prof_43_a_file_that_becomes_a_link_while_it_is_looked_at_is_not_read() {
    let tree = Tree::with(&["coder"]);
    tree.file("active_profile", "coder").file("token", "canary-1");
    let (path, looks) = (tree.path("active_profile"), AtomicUsize::new(0));
    let open = tree.scripted(move |operation, asked| {
        let is_look = operation == Operation::SymlinkMetadata && asked == path;
        if is_look && looks.fetch_add(1, Ordering::Relaxed) == 1 {
            std::fs::remove_file(&path)?;
            std::os::unix::fs::symlink("token", &path)?;
        }
        Ok(())
    });
    let error = open.active_profile().unwrap_err();
    assert_eq!(error.code(), "unreadable");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
}

#[test]
fn prof_43_a_text_that_was_not_meant_for_a_name_is_not_shown() {
    for text in ["K=canary-1", "K: canary-1", "coder\nK canary-1", &"canary-1 ".repeat(20)] {
        let tree = Tree::with(&["coder"]);
        tree.file("active_profile", text);
        let error = tree.open().active_profile().unwrap_err();
        assert_eq!(error.code(), "invalid-name", "{text:?}");
        assert_eq!(error.path(), tree.path("active_profile"));
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
}

#[test]
fn prof_43_a_file_that_yields_another_number_of_bytes_than_it_states_is_unreadable() {
    let tree = Tree::with(&["coder"]);
    tree.file("active_profile", "coder");
    let disk = Scripted::new(Arc::new(RealFileSystem), |_, _| Ok(()));
    let lying = disk.with_stamps(|_, found| Metadata { len: found.len / 2, ..found });
    let error = tree.on(Arc::new(lying)).active_profile().unwrap_err();
    assert!(matches!(error, ActiveProfileError::Unreadable { source: Unreadable::ChangedWhileRead, .. }));
}

#[cfg(unix)]
#[test]
fn prof_43_a_root_that_is_reached_through_a_link_is_the_same_root() {
    let tree = Tree::with(&["coder"]);
    tree.file("chosen", "coder").link("../way", tree.root());
    let root = Root::at(&tree.beside().join("way"), Platform::Linux, &RealFileSystem).unwrap();
    let open = ProfileTree::new(root, Arc::new(RealFileSystem), Arc::new(DiskFiles::new()));
    tree.file("active_profile", "coder");
    assert_eq!(open.active_profile().unwrap(), named("coder"));
    tree.remove("active_profile").link("active_profile", "chosen");
    assert_eq!(open.active_profile().unwrap(), named("coder"));
    tree.remove("active_profile").link("active_profile", "profiles/coder/config.yaml");
    assert_eq!(open.active_profile().unwrap_err().code(), "unreadable");
}

#[cfg(unix)]
#[test]
fn prof_43_an_alias_is_no_name_to_be_active_under() {
    let tree = Tree::with(&["coder"]);
    tree.link("profiles/short", "coder").file("active_profile", "short");
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "alias");
}

#[test]
fn prof_43_the_file_never_decides_the_launch_home() {
    let tree = Tree::with(&["coder"]);
    let before = tree.open().root().launch_home().clone();
    tree.file("active_profile", "coder");
    assert_eq!(tree.open().root().launch_home(), &before);
    assert!(!tree.open().root().is_launch_home(&home(tree.path("profiles/coder"))));
}
