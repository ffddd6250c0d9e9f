//! What is said where the disk changes, or fails, between two steps of one read.

use std::os::unix::fs::symlink;
use std::sync::atomic::AtomicBool;

use super::*;

const EACCES: i32 = 13;
const EIO: i32 = 5;
const ENOENT: i32 = 2;

/// A disk on which the first `operation` on a path that ends in `name` is preceded by `act`, whose error is
/// its answer.
fn once(
    operation: Operation,
    name: &'static str,
    act: impl Fn(&Path) -> io::Result<()> + Send + Sync + 'static,
) -> DiskFiles {
    let done = AtomicBool::new(false);
    DiskFiles::on(Arc::new(Scripted::new(real(), move |asked, path| {
        if asked == operation && path.ends_with(name) && !done.swap(true, Ordering::Relaxed) {
            return act(path);
        }
        Ok(())
    })))
}

/// A disk that fails every `operation` on a path that ends in `name`.
fn failing(operation: Operation, name: &str, error: i32) -> DiskFiles {
    DiskFiles::on(Arc::new(Scripted::failing(real(), operation, name, error)))
}

/// A home whose `.env` is a link to `secrets/env` in it.
fn linked(world: &World) -> ProfileHome {
    let home = world.home("b");
    world.write("b/secrets/env", "K=canary-1\n");
    symlink("secrets/env", world.root.join("b/.env")).unwrap();
    home
}

#[test]
fn file_01_a_missing_file_of_a_home_that_is_a_link_by_now_is_not_absent() {
    let world = World::new();
    let home = world.home("b");
    fs::create_dir(world.root.join("other")).unwrap();
    fs::rename(world.root.join("b"), world.root.join("aside")).unwrap();
    symlink("other", world.root.join("b")).unwrap();
    assert_unreadable(disk().dotenv(&home), "changed-while-read", &world.root.join("b/.env"));
}

#[test]
fn file_02_a_missing_file_whose_home_cannot_be_opened_is_unreadable_for_that_reason() {
    let world = World::new();
    let home = world.home("b");
    let path = world.root.join("b/.env");
    for (error, reason) in [(EACCES, "permission-denied"), (EIO, "io")] {
        assert_unreadable(failing(Operation::Open, ".env", error).dotenv(&home), reason, &path);
    }
    assert!(disk().dotenv(&home).unwrap().is_none(), "without the error it is absent");
}

#[test]
fn file_02_a_link_that_cannot_be_resolved_is_unreadable_for_that_reason_and_is_no_loop() {
    let world = World::new();
    let home = linked(&world);
    let path = world.root.join("b/.env");
    for (error, reason) in [(EACCES, "permission-denied"), (EIO, "io")] {
        assert_unreadable(failing(Operation::Canonicalize, ".env", error).dotenv(&home), reason, &path);
        let examined = failing(Operation::SymlinkMetadata, "secrets/env", error);
        assert_unreadable(examined.dotenv(&home), reason, &path);
    }
}

#[test]
fn file_07_a_link_that_becomes_a_file_while_it_is_resolved_is_read_as_that_file() {
    let world = World::new();
    let home = linked(&world);
    let files = once(Operation::Canonicalize, ".env", |path| {
        fs::remove_file(path)?;
        fs::write(path, "K=canary-2\n")?;
        Err(io::Error::from_raw_os_error(ENOENT))
    });
    assert_eq!(value(&files, &home, "K").unwrap().as_deref(), Some("canary-2"), "nothing dangles");
}

#[test]
fn file_07_a_target_that_becomes_a_link_is_resolved_anew() {
    let world = World::new();
    let home = linked(&world);
    world.write("b/secrets/other", "K=canary-2\n");
    let files = once(Operation::SymlinkMetadata, "secrets/env", |path| {
        fs::remove_file(path)?;
        symlink("other", path)
    });
    assert_eq!(value(&files, &home, "K").unwrap().as_deref(), Some("canary-2"));
}

#[test]
fn file_07_a_target_that_is_gone_for_a_moment_is_looked_for_again() {
    let world = World::new();
    let home = linked(&world);
    let files =
        once(Operation::SymlinkMetadata, "secrets/env", |_| Err(io::Error::from_raw_os_error(ENOENT)));
    assert_eq!(value(&files, &home, "K").unwrap().as_deref(), Some("canary-1"), "it is there again");
    let files = once(Operation::SymlinkMetadata, "secrets/env", |path| fs::remove_file(path));
    assert_unreadable(files.dotenv(&home), "dangling-link", &world.root.join("b/.env"));
}
