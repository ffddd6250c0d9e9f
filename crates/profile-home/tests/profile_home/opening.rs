use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use watertight_disk::{FileKind, FileSystem, Operation, RealFileSystem, Recording, Scripted, home_at};
use watertight_profile_home::{
    DiskFiles, FileError, HomeFile, MemoryFiles, ProfileFiles, ProfileHome, Unreadable,
};
use watertight_vocabulary::{HomeId, Refusal};

use crate::world::{World, assert_unreadable, value};

#[cfg(unix)]
mod between;
#[cfg(unix)]
mod unix;

fn disk() -> DiskFiles {
    DiskFiles::new()
}

fn real() -> Arc<dyn FileSystem> {
    Arc::new(RealFileSystem)
}

/// A disk on which `act` happens before each operation on a path that ends in `name`.
fn acting(name: &'static str, act: impl Fn(Operation, &Path) + Send + Sync + 'static) -> DiskFiles {
    DiskFiles::on(Arc::new(Scripted::new(real(), move |operation, path| {
        if path.ends_with(name) {
            act(operation, path);
        }
        Ok(())
    })))
}

#[test]
fn file_01_a_file_is_absent_only_when_its_own_name_does_not_exist() {
    let world = World::new();
    let home = world.home("b");
    assert!(disk().dotenv(&home).unwrap().is_none());
    assert!(disk().config(&home).unwrap().is_none());

    let missing = ProfileHome::confined(HomeId::new(world.root.join("nowhere"), None));
    assert!(disk().dotenv(&missing).unwrap().is_none());

    world.write("b/.env", "");
    world.write("b/config.yaml", "");
    assert_eq!(
        disk().dotenv(&home).unwrap().unwrap().entries().len(),
        0,
        "an empty file is not an absent one"
    );
    assert!(disk().config(&home).unwrap().is_some());

    // A file in the home's place: its name cannot even be looked for.
    let file = ProfileHome::confined(HomeId::new(world.write("file", "K=canary-1"), None));
    assert_unreadable(disk().dotenv(&file), "io", &world.root.join("file/.env"));
}

#[test]
fn file_02_a_directory_in_a_files_place_is_unreadable() {
    let world = World::new();
    let home = world.home("b");
    for file in [".env", "config.yaml"] {
        world.folder(&format!("b/{file}"));
    }
    assert_unreadable(disk().dotenv(&home), "not-a-file", &world.root.join("b/.env"));
    assert_unreadable(disk().config(&home), "not-a-file", &world.root.join("b/config.yaml"));
}

#[test]
fn file_02_a_file_over_the_cap_is_unreadable_and_one_of_that_size_is_read() {
    let world = World::new();
    let home = world.home("b");
    let path = world.write("b/.env", format!("K={}\n", "x".repeat((1 << 20) - 3)));
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
    assert!(value(&disk(), &home, "K").unwrap().is_some());
    world.write("b/.env", format!("K={}\n", "x".repeat((1 << 20) - 2)));
    assert_unreadable(disk().dotenv(&home), "too-large", &path);
    assert!(disk().with_dotenv_limit(2 << 20).dotenv(&home).is_ok(), "a host may set the cap");

    let config = world.write("b/config.yaml", format!("#{}", " ".repeat(1 << 20)));
    assert_unreadable(disk().config(&home), "too-large", &config);
    assert!(disk().with_config_limit(2 << 20).config(&home).is_ok());
    world.write("b/config.yaml", "a: b");
    assert_unreadable(disk().with_config_limit(3).config(&home), "too-large", &config);
}

#[test]
fn file_02_every_error_of_the_system_is_unreadable_and_never_absent() {
    let world = World::new();
    let home = world.home("b");
    let path = world.write("b/.env", "K=canary-1\n");
    // EIO, EACCES, EMFILE; ENOENT of an open file is no absence either.
    for (operation, number, reason) in [
        (Operation::SymlinkMetadata, 5, "io"),
        (Operation::SymlinkMetadata, 13, "permission-denied"),
        (Operation::Open, 5, "io"),
        (Operation::Open, 13, "permission-denied"),
        (Operation::Open, 24, "io"),
        (Operation::OpenMetadata, 5, "io"),
        (Operation::OpenMetadata, 2, "io"),
        (Operation::Read, 5, "io"),
        (Operation::Read, 2, "io"),
    ] {
        let failing = DiskFiles::on(Arc::new(Scripted::failing(real(), operation, ".env", number)));
        assert_unreadable(failing.dotenv(&home), reason, &path);
    }
    // A file that vanishes at each open is neither absent nor empty while its name is there.
    let vanishing = DiskFiles::on(Arc::new(Scripted::failing(real(), Operation::Open, ".env", 2)));
    assert_unreadable(vanishing.dotenv(&home), "changed-while-read", &path);
}

#[test]
fn file_03_reading_changes_nothing() {
    let world = World::new();
    let home = world.home("b");
    let texts = ["K=canary-1\nbroken line\nK=\"open\n", "terminal: [open\n"];
    let paths = [world.write("b/.env", texts[0]), world.write("b/config.yaml", texts[1])];
    let stamps = || {
        let stamp = |path: &std::path::PathBuf| {
            let found = RealFileSystem.symlink_metadata(path).unwrap();
            (found.modified, found.changed, found.mode, found.len, found.inode)
        };
        let folder = RealFileSystem.symlink_metadata(home.path()).unwrap();
        (paths.each_ref().map(stamp), folder.modified, folder.changed)
    };
    let before = stamps();
    let recording = Recording::new();
    let files = DiskFiles::on(Arc::new(recording.of(real())));
    files.dotenv(&home).unwrap();
    files.config(&home).unwrap_err();
    assert_eq!(stamps(), before);
    assert_eq!(paths.map(|path| fs::read_to_string(path).unwrap()), texts);
    let reading = [Operation::SymlinkMetadata, Operation::Open, Operation::OpenMetadata, Operation::Read];
    assert!(recording.take().iter().all(|call| reading.contains(&call.operation)));
}

#[test]
fn file_04_an_error_becomes_a_refusal_that_names_path_and_line_and_how_to_mend_it() {
    let world = World::new();
    let home = world.home("b");
    let path = world.write("b/config.yaml", "terminal:\n  backend: canary-1\n  backend: canary-2\n");
    let refusal = Refusal::from(&disk().config(&home).unwrap_err());
    assert_eq!((refusal.code(), refusal.path()), ("invalid", Some(path.as_path())));
    assert_eq!((refusal.line(), refusal.column()), (Some(3), Some(3)));
    assert_eq!(
        refusal.to_string().replace(world.root.to_str().unwrap(), "[ROOT]"),
        "[ROOT]/b/config.yaml:3:3: a mapping holds the same key twice; keep one of the two",
    );

    let files = MemoryFiles::new();
    let why = Unreadable::LinkLeavesHome { target: "/proc/1/environ".into() };
    files.fail(&home, HomeFile::Dotenv, FileError::unreadable(path, why));
    let refusal = Refusal::from(files.dotenv(&home).unwrap_err());
    assert_eq!(refusal.code(), "unreadable");
    assert_eq!(refusal.cause(), "it is a link that leaves the home, to /proc/1/environ");
    assert!(refusal.mend().is_some());
}

#[test]
fn file_02_every_reason_has_a_code_of_its_own_and_a_way_to_mend_it() {
    let reasons = [
        Unreadable::Dangling,
        Unreadable::LinkLoop,
        Unreadable::NotAFile(FileKind::Fifo),
        Unreadable::NotAFile(FileKind::Directory),
        Unreadable::from(io::Error::from(io::ErrorKind::PermissionDenied)),
        Unreadable::from(io::Error::other("canary-1")),
        Unreadable::TooLarge { limit: 1 << 20 },
        Unreadable::ChangedWhileRead,
        Unreadable::LinkLeavesHome { target: "/other/.env".into() },
        Unreadable::Encoding("UTF-16 (little endian)"),
    ];
    let mut text = String::new();
    for reason in reasons {
        let error = FileError::unreadable(Path::new("/home/.env"), reason);
        writeln!(text, "{}: {error}; {}", error.reason(), error.mend()).unwrap();
    }
    assert!(!text.contains("canary"), "the text of an error of the system was passed on");
    insta::assert_snapshot!(text);
}

#[test]
fn file_07_a_file_that_yields_another_number_of_bytes_is_unreadable_after_three_tries() {
    let world = World::new();
    let home = world.home("b");
    let path = world.write("b/.env", "K=canary-1\n");
    // Also where a file system ends a read at the stated size, though more is there.
    let pieces = [1, 10, 4096];
    for (lie, most) in [-11, -1, 1, 4000].into_iter().flat_map(|lie| pieces.map(|most| (lie, most))) {
        let opens = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&opens);
        let lying = Scripted::new(real(), move |operation, _| {
            count.fetch_add(usize::from(operation == Operation::Open), Ordering::Relaxed);
            Ok(())
        });
        let lying = lying.reading_at_most(most).with_stamps(move |_, mut found| {
            found.len = found.len.saturating_add_signed(lie);
            found
        });
        assert_unreadable(DiskFiles::on(Arc::new(lying)).dotenv(&home), "changed-while-read", &path);
        assert_eq!(opens.load(Ordering::Relaxed), 3);
    }
}

#[test]
fn file_07_a_file_that_is_rewritten_under_the_read_is_read_anew() {
    // Before the first byte is read, and before the descriptor is asked for the second time.
    let (read, asked) = ((Operation::Read, 0), (Operation::OpenMetadata, 1));
    for (when, text) in [
        (read, "K=canary-2\nLONGER=yes\n"),
        (read, "K=2\n"),
        (read, "K=canary-2\n"),
        (asked, "K=canary-2\n"),
        (asked, "K=canary-2\nLONGER=yes\n"),
    ] {
        let world = World::new();
        let home = world.home("b");
        world.write("b/.env", "K=canary-1\n");
        let reads = AtomicUsize::new(0);
        let files = acting(".env", move |operation, path| {
            let (awaited, turn) = when;
            if operation == awaited && reads.fetch_add(1, Ordering::Relaxed) == turn {
                fs::write(path, text).unwrap();
                // The clock of the disk may be coarse; what was written is later for certain.
                let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
                fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
            }
        });
        let expected = text.lines().next().unwrap().strip_prefix("K=").unwrap();
        let found = value(&files, &home, "K").unwrap();
        assert_eq!(found.as_deref(), Some(expected), "what was there before, or a mixture, was read");
    }
}

#[test]
fn file_07_a_file_that_is_rewritten_under_every_read_is_unreadable() {
    let world = World::new();
    let home = world.home("b");
    let path = world.write("b/.env", "K=canary-1\n");
    let count = AtomicUsize::new(0);
    let files = acting(".env", move |operation, path| {
        if operation == Operation::Read {
            fs::write(path, format!("K={}\n", "x".repeat(count.fetch_add(1, Ordering::Relaxed)))).unwrap();
        }
    });
    assert_unreadable(files.dotenv(&home), "changed-while-read", &path);
}

#[test]
fn file_01_a_file_that_is_deleted_between_two_steps_is_absent() {
    let world = World::new();
    let home = world.home("b");
    world.write("b/.env", "K=canary-1\n");
    let files = acting(".env", |operation, path| {
        if operation == Operation::Open {
            let _ = fs::remove_file(path);
        }
    });
    assert!(files.dotenv(&home).unwrap().is_none());
}

#[test]
fn file_07_a_file_that_comes_in_pieces_is_read_whole() {
    let world = World::new();
    let home = world.home("b");
    world.write("b/.env", "K=canary-1\nLAST=canary-2\n");
    for most in [1, 2, 7, 22, 23, 24] {
        let disk = Scripted::new(real(), |_, _| Ok(())).reading_at_most(most);
        let found = value(&DiskFiles::on(Arc::new(disk)), &home, "LAST").unwrap();
        assert_eq!(found.as_deref(), Some("canary-2"), "{most} bytes at a time");
    }
}
