//! Errors that root cannot provoke, and entries that vanish while they are looked at.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_profile_discovery::{MARKERS, ProfileTree, Root, SkipReason, Tenant};
use watertight_profile_home::DiskFiles;
use watertight_vocabulary::Platform;

use crate::support::{EACCES, EIO, Tree, counted, home, listed, named, pairs, residents, skipped};

#[test]
fn prof_24_a_marker_that_cannot_be_examined_makes_the_entry_unknown_and_hides_no_other() {
    for (marker, error) in MARKERS.into_iter().zip([EACCES, EIO, EACCES, EIO, EACCES, EIO]) {
        let tree = Tree::with(&["a", "z"]);
        tree.dir("profiles/m");
        let open = tree.failing(Operation::SymlinkMetadata, &format!("m/{marker}"), error);
        let listing = open.list().unwrap();
        assert_eq!(listed(&listing), ["default", "a", "z"], "{marker}");
        assert_eq!(skipped(&listing), pairs([("m", "unknown")]), "never \"no identity\"");
        let unknown = listing.unknown().next().unwrap();
        let SkipReason::Unknown { path, source } = unknown.reason() else { panic!("it is unknown") };
        assert_eq!(path, &tree.path("profiles/m").join(marker));
        assert_eq!(source.raw_os_error(), Some(error));

        let tenants = open.tenants(&home(tree.root())).unwrap();
        assert!(counted(&tenants).contains(&("m".to_owned(), "unknown")), "it counts as a tenant");
        assert_eq!(tenants.unknown().len(), 1);
        assert_eq!(residents(&open.serving().unwrap()), ["default", "a", "z"], "it is not served");
        assert_eq!(open.find("m").unwrap_err().code(), "unknown");
        assert!(open.find("a").is_ok());
    }
}

#[test]
fn prof_24_one_unknown_entry_beside_the_launch_home_makes_many() {
    let tree = Tree::new();
    tree.dir("profiles/m");
    let open = tree.failing(Operation::SymlinkMetadata, "m/config.yaml", EIO);
    let tenants = open.tenants(&home(tree.root())).unwrap();
    assert!(tenants.are_many());
    assert_eq!(counted(&tenants), pairs([("default", "default"), ("m", "unknown")]));
}

#[test]
fn prof_24_a_tombstone_that_cannot_be_tested_makes_the_entry_unknown() {
    let tree = Tree::with(&["a", "b"]);
    tree.file("profiles/.deleted/c", "");
    // The folder cannot be listed, but each name in it can be asked for.
    let listless = tree.failing(Operation::OpenDir, ".deleted", EACCES);
    assert_eq!(listed(&listless.list().unwrap()), ["default", "a", "b"]);
    let listless = tree.failing(Operation::ReadDir, ".deleted", EIO);
    assert_eq!(listed(&listless.list().unwrap()), ["default", "a", "b"]);
    // Neither works for `a`.
    let open = tree.scripted(|operation, path| match operation {
        Operation::OpenDir if path.ends_with(".deleted") => Err(io::Error::from_raw_os_error(EACCES)),
        Operation::Metadata if path.ends_with(".deleted/a") => Err(io::Error::from_raw_os_error(EACCES)),
        _ => Ok(()),
    });
    let listing = open.list().unwrap();
    assert_eq!(listed(&listing), ["default", "b"]);
    assert_eq!(skipped(&listing), pairs([(".deleted", "invalid-name"), ("a", "unknown")]));
    assert_eq!(open.find("a").unwrap_err().code(), "unknown");
}

#[cfg(unix)]
#[test]
fn prof_24_tombstones_behind_a_link_loop_make_every_entry_unknown() {
    let tree = Tree::with(&["a", "b"]);
    tree.link("profiles/.deleted", ".deleted");
    let listing = tree.open().list().unwrap();
    assert_eq!(listed(&listing), ["default"]);
    assert_eq!(listing.unknown().count(), 2);
}

#[cfg(unix)]
#[test]
fn prof_24_a_link_that_leads_nowhere_is_unknown_like_a_volume_that_is_not_mounted() {
    let tree = Tree::with(&["a"]);
    tree.link("profiles/dangling", "/nowhere/at/all").link("profiles/loop", "loop");
    tree.link("profiles/through", "a/config.yaml/x");
    let open = tree.open();
    let listing = open.list().unwrap();
    assert_eq!(listed(&listing), ["default", "a"]);
    assert_eq!(
        skipped(&listing),
        pairs([("dangling", "unknown"), ("loop", "unknown"), ("through", "unknown")]),
    );
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 5);
    for name in ["dangling", "loop", "through"] {
        assert_eq!(open.find(name).unwrap_err().code(), "unknown", "{name}");
    }
}

#[test]
fn prof_24_a_name_that_is_no_id_is_skipped_before_it_is_examined() {
    let tree = Tree::new();
    tree.profile("lost+found").profile("Coder");
    let open = tree.scripted(|_, path| {
        let text = path.to_string_lossy();
        assert!(!text.contains("lost+found") && !text.contains("Coder"), "{path:?} was looked at");
        Ok(())
    });
    let listing = open.list().unwrap();
    assert_eq!(skipped(&listing), pairs([("Coder", "invalid-name"), ("lost+found", "invalid-name")]));
    assert_eq!(open.tenants(&home(tree.root())).unwrap().len(), 1, "it is no tenant");
}

#[cfg(unix)]
#[test]
fn prof_24_an_entry_that_is_gone_when_it_is_looked_at_does_not_exist() {
    /// Removes an entry at the moment of the first look into it.
    fn vanishing(tree: &Tree, entry: &'static str, looked: &'static str) -> Vec<(String, &'static str)> {
        let path = tree.path(entry);
        let open = tree.scripted(move |_, asked| {
            if asked.ends_with(looked) && path.symlink_metadata().is_ok() {
                let removed = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
                removed.unwrap();
            }
            Ok(())
        });
        let listing = open.list().unwrap();
        assert_eq!(listed(&listing), ["default", "z"], "{entry} is gone, and hides no other");
        skipped(&listing)
    }
    let tree = Tree::with(&["a", "z"]);
    assert_eq!(vanishing(&tree, "profiles/a", "a/config.yaml"), [], "a profile");
    let tree = Tree::with(&["z"]);
    tree.dir("profiles/a");
    assert_eq!(vanishing(&tree, "profiles/a", "a/state.db"), [], "a shell");
    let tree = Tree::with(&["z"]);
    tree.dir("disk").link("profiles/a", "../disk");
    assert_eq!(vanishing(&tree, "profiles/a", "profiles/a"), [], "a link");
    let tree = Tree::with(&["z"]);
    tree.file("disk/config.yaml", "").link("profiles/a", "../disk");
    assert_eq!(vanishing(&tree, "disk", "a/config.yaml"), pairs([("a", "unknown")]), "a link's target");
}

#[cfg(unix)]
#[test]
fn prof_24_a_directory_that_becomes_a_file_while_it_is_looked_at_is_no_directory() {
    let tree = Tree::with(&["a"]);
    let path = tree.path("profiles/a");
    let open = tree.scripted(move |_, asked| {
        if asked.ends_with("a/config.yaml") && path.is_dir() {
            std::fs::remove_dir_all(&path).unwrap();
            std::fs::write(&path, "").unwrap();
        }
        Ok(())
    });
    assert_eq!(skipped(&open.list().unwrap()), pairs([("a", "not-a-directory")]));
}

#[test]
fn prof_42_a_folder_that_cannot_be_enumerated_is_an_error_and_never_an_empty_listing() {
    let tree = Tree::with(&["a"]);
    for (operation, error) in
        [(Operation::OpenDir, EACCES), (Operation::OpenDir, EIO), (Operation::ReadDir, EIO)]
    {
        let open = tree.failing(operation, "root/profiles", error);
        let listed = open.list().unwrap_err();
        assert_eq!(listed.code(), "unreadable");
        assert!(listed.to_string().contains("profiles"), "{listed}");
        assert!(open.tenants(&home(tree.root())).is_err(), "{operation:?}: the caller fails closed");
        assert!(open.serving().is_err() && open.installed().is_err());
        assert_eq!(open.find("a").is_err(), operation == Operation::OpenDir, "one profile needs no listing");
    }
}

#[cfg(unix)]
#[test]
fn prof_42_links_in_the_folders_place_that_dangle_or_loop_are_not_missing() {
    for target in ["nowhere", "profiles", "/proc/self/environ/x"] {
        let tree = Tree::new();
        tree.link("profiles", target);
        assert_eq!(tree.open().list().unwrap_err().code(), "unreadable", "profiles -> {target}");
        assert!(tree.open().tenants(&home(tree.root())).is_err());
    }
    let tree = Tree::new();
    tree.fifo("profiles");
    assert!(tree.open().list().is_err(), "a pipe is neither a folder nor a plain file");
}

#[cfg(unix)]
#[test]
fn prof_42_a_root_that_cannot_be_traversed_is_an_error() {
    for (what, make) in [
        ("a file", (|path: &Path| std::fs::write(path, "").unwrap()) as fn(&Path)),
        ("a dangling link", |path| std::os::unix::fs::symlink("nowhere", path).unwrap()),
        ("a link loop", |path| std::os::unix::fs::symlink(path, path).unwrap()),
    ] {
        let tree = Tree::new();
        let launch = home(tree.root());
        let open = tree.open();
        std::fs::remove_dir(tree.root()).unwrap();
        make(tree.root());
        assert!(open.list().is_err(), "{what}");
        assert!(open.tenants(&launch).is_err(), "{what}");
    }
    let tree = Tree::new();
    let open = tree.failing(Operation::OpenDir, "root/profiles", EACCES);
    assert!(open.list().is_err());
}

#[cfg(unix)]
#[test]
fn prof_42_a_root_on_a_volume_that_is_not_mounted_any_more_is_an_error() {
    let tree = Tree::new();
    tree.file("disk/agents/profiles/a/config.yaml", "").link("volume", "disk");
    let root = Root::at(&tree.path("volume/agents"), Platform::Linux, &RealFileSystem).unwrap();
    let launch = root.launch_home().clone();
    let open = ProfileTree::new(root, Arc::new(RealFileSystem), Arc::new(DiskFiles::new()));
    assert_eq!(listed(&open.list().unwrap()), ["default", "a"]);
    std::fs::rename(tree.path("disk"), tree.path("gone")).unwrap();
    assert_eq!(open.list().unwrap_err().code(), "unreadable", "it is not \"no named profiles\"");
    assert!(open.installed().is_err() && open.serving().is_err());
    assert!(open.tenants(&launch).is_err(), "the caller fails closed");
    assert_eq!(open.find("a").unwrap_err().code(), "unreadable");
    // Without the link there is no volume to wait for.
    tree.remove("volume");
    assert_eq!(listed(&open.list().unwrap()), ["default"]);
    assert_eq!(open.tenants(&launch).unwrap().len(), 2, "the root's place, and the launch home's");
}

#[cfg(unix)]
#[test]
fn prof_41_an_unknown_entry_that_leads_to_a_home_that_counts_is_reported_and_no_other_home() {
    let tree = Tree::with(&["a"]);
    tree.dir("far").dir("profiles/m");
    tree.link("profiles/up", "..").link("profiles/b", "a").link("profiles/f1", "../far");
    tree.link("profiles/f2", "../far").link("profiles/k", "m").link("profiles/lost", "nowhere");
    let open = tree.scripted(|operation, path| {
        let unexaminable = ["up", "b", "f1", "f2", "m", "k"];
        let is_first = operation == Operation::SymlinkMetadata && path.ends_with("config.yaml");
        let entry = path.parent().and_then(Path::file_name);
        let hit = entry.is_some_and(|entry| unexaminable.iter().any(|name| entry == *name));
        if is_first && hit { Err(io::Error::from_raw_os_error(EIO)) } else { Ok(()) }
    });
    let tenants = open.tenants(&home(tree.root())).unwrap();
    assert_eq!(
        counted(&tenants),
        pairs([
            ("default", "default"),
            ("a", "servable"),
            ("f1", "unknown"),
            ("lost", "unknown"),
            ("m", "unknown"),
        ]),
        "each home once, and a real directory before the links that lead to it",
    );
    let homes: Vec<_> = tenants.iter().map(Tenant::home).collect();
    let expected = ["", "profiles/a", "far", "profiles/lost", "profiles/m"]
        .map(|below| home(tree.root()).path().join(below));
    assert_eq!(homes, expected.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let aliases: Vec<_> = tenants.iter().map(|tenant| tenant.aliases().to_vec()).collect();
    assert_eq!(aliases, [vec![named("up")], vec![named("b")], vec![named("f2")], vec![], vec![named("k")]]);
    assert_eq!(tenants.unknown().len(), 7, "every one of them is reported");

    let lone = Tree::new();
    lone.file("config.yaml", "").link("profiles/up", "..");
    let open = lone.failing(Operation::SymlinkMetadata, "up/config.yaml", EIO);
    let tenants = open.tenants(&home(lone.root())).unwrap();
    assert!(!tenants.are_many(), "one home under two names");
    assert_eq!(tenants.unknown().len(), 1, "and an entry that makes the caller fail closed");

    let launched = Tree::new();
    launched.dir("profiles/m");
    let launch = home(launched.path("profiles/m"));
    let open = launched.failing(Operation::SymlinkMetadata, "m/config.yaml", EIO);
    let tenants = open.tenants(&launch).unwrap();
    assert_eq!(counted(&tenants), pairs([("default", "default"), ("m", "unknown")]));
    assert_eq!(tenants.iter().filter(|tenant| tenant.is_launch()).count(), 1);
}

#[cfg(unix)]
#[test]
fn prof_24_a_link_that_cannot_be_resolved_any_more_is_unknown_and_one_that_is_gone_is_not() {
    let tree = Tree::with(&["a"]);
    tree.file("far/config.yaml", "").link("profiles/l", "../far");
    let open = tree.failing(Operation::Canonicalize, "profiles/l", EIO);
    assert_eq!(residents(&open.installed().unwrap()), ["default", "a"]);
    assert_eq!(residents(&open.serving().unwrap()), ["default", "a"]);
    let tenants = open.tenants(&home(tree.root())).unwrap();
    assert_eq!(counted(&tenants), pairs([("default", "default"), ("a", "servable"), ("l", "unknown")]));
    assert_eq!(open.find("l").unwrap_err().code(), "unknown");

    let link = tree.path("profiles/l");
    let open = tree.scripted(move |operation, path| {
        if operation == Operation::Canonicalize && path.ends_with("profiles/l") {
            let _ = std::fs::remove_file(&link);
        }
        Ok(())
    });
    let tenants = open.tenants(&home(tree.root())).unwrap();
    assert_eq!(counted(&tenants), pairs([("default", "default"), ("a", "servable")]));
}

#[test]
fn prof_42_a_root_or_a_folder_that_cannot_be_resolved_is_an_error_where_homes_are_asked_for() {
    for suffix in ["root", "root/profiles"] {
        let tree = Tree::with(&["a"]);
        let open = tree.failing(Operation::Canonicalize, suffix, EIO);
        assert!(open.list().is_ok(), "a listing resolves nothing");
        assert_eq!(open.tenants(&home(tree.root())).unwrap_err().code(), "unreadable", "{suffix}");
        assert_eq!(open.serving().unwrap_err().code(), "unreadable", "{suffix}");
    }
}

#[test]
fn prof_24_what_vanishes_while_it_is_found_is_no_profile() {
    let tree = Tree::with(&["a"]);
    for (operation, suffix) in [
        (Operation::Metadata, ".deleted/a"),
        (Operation::SymlinkMetadata, "profiles/a"),
        (Operation::SymlinkMetadata, "a/config.yaml"),
    ] {
        let (aside, here) = (tree.path("aside"), tree.path("profiles/a"));
        let (from, to) = (here.clone(), aside.clone());
        let open = tree.scripted(move |asked, path| {
            if asked == operation && path.ends_with(suffix) && from.exists() {
                std::fs::rename(&from, &to)?;
            }
            Ok(())
        });
        assert_eq!(open.find("a").unwrap_err().code(), "no-such-profile", "{operation:?}");
        std::fs::rename(aside, here).unwrap();
    }
}

/// Some file systems list names alone. Then each entry says itself what it is.
#[cfg(unix)]
#[test]
fn prof_24_an_entry_whose_kind_the_listing_does_not_tell_is_asked_itself() {
    let tree = Tree::with(&["a", "z"]);
    tree.dir("profiles/shell").file("profiles/file", "").file("far/config.yaml", "");
    tree.link("profiles/far", "../far").link("profiles/dangling", "nowhere").link("profiles/other", "file");
    let untold = |script: fn(&Path, Operation, &Path) -> io::Result<()>| {
        let root = tree.root().to_owned();
        let disk = Scripted::new(Arc::new(RealFileSystem), move |asked, path| script(&root, asked, path));
        tree.on(Arc::new(disk.without_kinds())).list().unwrap()
    };
    let all = tree.open().list().unwrap();
    let same = untold(|_, _, _| Ok(()));
    assert_eq!((listed(&same), skipped(&same)), (listed(&all), skipped(&all)), "nothing else is told");

    let unknown = untold(|_, asked, path| match asked {
        Operation::SymlinkMetadata if path.ends_with("profiles/a") => Err(io::Error::from_raw_os_error(EIO)),
        _ => Ok(()),
    });
    assert_eq!(listed(&unknown), ["default", "far", "z"]);
    assert!(skipped(&unknown).contains(&("a".to_owned(), "unknown")), "it is there, and cannot be examined");

    let gone = untold(|root, asked, path| {
        if asked == Operation::SymlinkMetadata && path.ends_with("profiles/a") {
            std::fs::remove_dir_all(root.join("profiles/a"))?;
        }
        Ok(())
    });
    assert_eq!((listed(&gone), skipped(&gone)), (listed(&unknown), skipped(&all)), "it does not exist");
}

#[cfg(unix)]
#[test]
fn prof_20_what_a_link_leads_to_is_looked_into_if_it_is_a_directory() {
    let tree = Tree::new();
    tree.file("file", "").link("profiles/link", "../file");
    let open = tree.scripted(|asked, path| {
        assert!(asked != Operation::SymlinkMetadata || !path.ends_with("link/config.yaml"), "{path:?}");
        Ok(())
    });
    assert_eq!(skipped(&open.list().unwrap()), pairs([("link", "not-a-directory")]));
}

#[test]
fn prof_24_an_entry_that_cannot_be_identified_is_unknown_to_whoever_asks_for_it() {
    let tree = Tree::with(&["a"]);
    let error = tree.failing(Operation::SymlinkMetadata, "profiles/a", EIO).find("a").unwrap_err();
    assert_eq!(error.code(), "unknown", "what the disk cannot tell is not missing");
}

#[cfg(unix)]
#[test]
fn prof_45_a_link_that_vanishes_before_its_home_is_resolved_is_no_profile() {
    let tree = Tree::new();
    tree.file("far/config.yaml", "").link("profiles/a", "../far");
    let link = tree.path("profiles/a");
    let open = tree.scripted(move |asked, path| match asked {
        Operation::Canonicalize if path == link && link.is_symlink() => std::fs::remove_file(&link),
        _ => Ok(()),
    });
    assert_eq!(open.find("a").unwrap_err().code(), "no-such-profile", "no home without a folder is found");
}
