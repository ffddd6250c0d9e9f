//! It reads, and only reads.

use std::fs;
use std::path::Path;

use crate::support::{Tree, home};

/// A tree with everything in it that a question could trip over.
fn everything() -> Tree {
    let tree = Tree::with(&["a", "b", "parked", "dead", "default", "Coder"]);
    tree.file("profiles/parked/gateway.parked", "").file("profiles/.deleted/dead", "");
    tree.file("profiles/broken/config.yaml", "gateway: [").file("profiles/crashed/.env", "");
    tree.dir("profiles/shell").file("profiles/notes", "x").file("active_profile", "a\n");
    #[cfg(unix)]
    tree.link("profiles/link", "a").link("profiles/up", "..").link("profiles/dangling", "nowhere");
    tree
}

/// Asks everything there is to ask.
fn ask(tree: &Tree) {
    let open = tree.open();
    open.list().unwrap();
    open.installed().unwrap();
    open.serving().unwrap();
    open.tenants(&home(tree.root())).unwrap();
    open.active_profile().unwrap();
    for name in ["default", "a", "link", "up", "dead", "shell", "nope", "..", "broken", "dangling"] {
        if let Ok(found) = open.find(name) {
            found.still_there(&open).unwrap();
            let _ = open.ensure_served(&found);
        }
        let _ = open.name_for_home(&tree.path("profiles").join(name));
    }
}

/// Names, contents, modes, owners, mtime and ctime of all that is below a folder.
#[cfg(unix)]
fn fingerprint(folder: &Path, into: &mut Vec<String>) {
    use std::os::unix::fs::MetadataExt;

    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let found = path.symlink_metadata().unwrap();
        let contents = match found.file_type() {
            kind if kind.is_symlink() => fs::read_link(&path).unwrap().display().to_string(),
            kind if kind.is_file() => format!("{:?}", fs::read(&path).unwrap()),
            _ => String::new(),
        };
        into.push(format!(
            "{} {:o} {}:{} {} {}.{} {}.{} {contents}",
            path.display(),
            found.mode(),
            found.uid(),
            found.gid(),
            found.ino(),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec(),
        ));
        if found.is_dir() {
            fingerprint(&path, into);
        }
    }
}

#[cfg(unix)]
#[test]
fn prof_29_nothing_is_created_touched_or_repaired() {
    let tree = everything();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    fingerprint(&tree.beside(), &mut before);
    ask(&tree);
    fingerprint(&tree.beside(), &mut after);
    assert!(before.len() > 20);
    assert_eq!(before, after, "every entry is what it was");
}

#[test]
fn prof_29_a_handle_of_a_deleted_profile_does_not_bring_it_back() {
    let tree = Tree::with(&["p"]);
    let open = tree.open();
    let found = open.find("p").unwrap();
    tree.remove("profiles/p").file("profiles/.deleted/p", "");
    assert!(found.still_there(&open).is_err());
    let _ = open.ensure_served(&found);
    assert!(!tree.path("profiles/p").exists());
    assert_eq!(open.list().unwrap().profiles().len(), 1);
}

#[test]
fn prof_29_only_reading_operations_are_ever_asked_of_the_disk() {
    use std::sync::Arc;
    use watertight_disk::{Operation, RealFileSystem, Recording};
    use watertight_profile_home::DiskFiles;

    let tree = everything();
    let recording = Recording::new();
    let disk = Arc::new(recording.of(Arc::new(RealFileSystem)));
    let files = Arc::new(DiskFiles::on(Arc::clone(&disk) as Arc<dyn watertight_disk::FileSystem>));
    let open = tree.with_files(disk, files);
    open.serving().unwrap();
    open.tenants(&home(tree.root())).unwrap();
    open.active_profile().unwrap();
    open.find("a").unwrap().still_there(&open).unwrap();
    let calls = recording.take();
    assert!(calls.iter().any(|call| call.operation == Operation::Open), "the files were read through it");
    for call in calls {
        assert!(
            matches!(
                call.operation,
                Operation::SymlinkMetadata
                    | Operation::Metadata
                    | Operation::ReadLink
                    | Operation::Canonicalize
                    | Operation::ReadDir
                    | Operation::OpenDir
                    | Operation::Open
                    | Operation::OpenMetadata
                    | Operation::Read
            ),
            "{call:?}",
        );
    }
}

/// On a mount that cannot be written, where one may be made: in a mount namespace of this one thread, so
/// that nobody else sees it and nothing is left behind.
#[cfg(target_os = "linux")]
#[test]
fn prof_29_a_read_only_mount_is_enough() {
    use rustix::mount::{MountFlags, MountPropagationFlags, mount_bind, mount_change, mount_remount};
    use rustix::thread::UnshareFlags;

    let tree = &everything();
    let outcome = std::thread::scope(|scope| {
        let mounted = || -> rustix::io::Result<()> {
            #[expect(deprecated, reason = "its successor is unsafe because of another flag than this one")]
            rustix::thread::unshare(UnshareFlags::NEWNS)?;
            mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
            mount_bind(tree.root(), tree.root())?;
            mount_remount(tree.root(), MountFlags::BIND | MountFlags::RDONLY, "")?;
            Ok(())
        };
        let work = move || {
            mounted()?;
            let refused = fs::write(tree.path("new"), "").unwrap_err();
            assert_eq!(refused.kind(), std::io::ErrorKind::ReadOnlyFilesystem, "the mount is read-only");
            ask(tree);
            Ok::<(), rustix::io::Errno>(())
        };
        scope.spawn(work).join().unwrap()
    });
    if let Err(error) = outcome {
        use rustix::io::Errno;

        let denied = matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOSYS);
        assert!(denied, "no mount may be made here, for another reason than a missing right: {error}");
        #[expect(clippy::print_stderr, reason = "what was not tested here is named")]
        {
            eprintln!("skipped: prof_29_a_read_only_mount_is_enough: no mount may be made here: {error}");
        }
    }
}
