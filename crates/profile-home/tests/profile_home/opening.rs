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
    for lie in [-11, -1, 1, 4000] {
        let opens = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&opens);
        let lying = Scripted::new(real(), move |operation, _| {
            count.fetch_add(usize::from(operation == Operation::Open), Ordering::Relaxed);
            Ok(())
        });
        let lying = lying.with_stamps(move |_, mut found| {
            found.len = found.len.saturating_add_signed(lie);
            found
        });
        assert_unreadable(DiskFiles::on(Arc::new(lying)).dotenv(&home), "changed-while-read", &path);
        assert_eq!(opens.load(Ordering::Relaxed), 3);
    }
}

#[test]
fn file_07_a_file_that_is_rewritten_under_the_read_is_read_anew() {
    // Before the first byte is read, and before the end is found.
    for (turn, text) in
        [(0, "K=canary-2\nLONGER=yes\n"), (0, "K=2\n"), (0, "K=canary-2\n"), (1, "K=canary-2\n")]
    {
        let world = World::new();
        let home = world.home("b");
        world.write("b/.env", "K=canary-1\n");
        let reads = AtomicUsize::new(0);
        let files = acting(".env", move |operation, path| {
            if operation == Operation::Read && reads.fetch_add(1, Ordering::Relaxed) == turn {
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

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    fn make_fifo(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn file_02_a_dangling_link_and_a_link_loop_are_unreadable_and_not_absent() {
        let world = World::new();
        let home = world.home("b");
        for (target, reason) in
            [("nowhere", "dangling-link"), (".env", "link-loop"), ("sub/none", "dangling-link")]
        {
            let path = world.root.join("b/.env");
            let _ = fs::remove_file(&path);
            symlink(target, &path).unwrap();
            assert_unreadable(disk().dotenv(&home), reason, &path);
        }
        symlink("nowhere", world.root.join("b/config.yaml")).unwrap();
        assert_unreadable(disk().config(&home), "dangling-link", &world.root.join("b/config.yaml"));
    }

    #[test]
    fn file_02_a_fifo_a_socket_and_a_device_are_unreadable_and_never_opened() {
        let world = World::new();
        let home = world.home("b");
        let path = world.root.join("b/.env");
        let recording = Recording::new();
        let files = DiskFiles::on(Arc::new(recording.of(real())));
        let check = |home: &ProfileHome| {
            assert_unreadable(files.dotenv(home), "not-a-file", &path);
            let opened = recording.take().iter().any(|call| call.operation == Operation::Open);
            assert!(!opened, "opening a FIFO or a device may act on it");
            fs::remove_file(&path).unwrap();
        };

        make_fifo(&path);
        check(&home);
        let socket = UnixListener::bind(&path).unwrap();
        check(&home);
        drop(socket);
        let launch = ProfileHome::launch(home.id().clone());
        symlink("/dev/zero", &path).unwrap();
        check(&launch);
        make_fifo(&world.root.join("fifo"));
        symlink("../fifo", &path).unwrap();
        check(&launch);
    }

    #[test]
    fn file_02_what_takes_the_files_place_before_the_open_is_judged_by_its_descriptor() {
        for kind in ["fifo", "directory"] {
            let world = World::new();
            let home = world.home("b");
            let path = world.write("b/.env", "K=canary-1\n");
            let files = acting(".env", move |operation, path| {
                if operation == Operation::Open && fs::remove_file(path).is_ok() {
                    match kind {
                        "fifo" => make_fifo(path),
                        _ => fs::create_dir(path).unwrap(),
                    }
                }
            });
            assert_unreadable(files.dotenv(&home), "not-a-file", &path);
        }
    }

    #[test]
    fn file_06_a_link_inside_the_home_is_followed() {
        let world = World::new();
        let home = world.home("b");
        world.write("b/secrets/env", "K=canary-1\n");
        symlink("secrets/env", world.root.join("b/.env")).unwrap();
        assert_eq!(value(&disk(), &home, "K").unwrap().as_deref(), Some("canary-1"));
    }

    #[test]
    fn file_06_a_link_that_leaves_the_home_is_unreadable_and_named_with_its_target() {
        let world = World::new();
        let home = world.home("profiles/b");
        world.write(".env", "K=canary-root\n");
        let other = world.write("profiles/other/.env", "K=canary-other\n");
        world.write("profiles/bb/.env", "K=canary-neighbour\n");
        symlink("../other", world.root.join("profiles/b/out")).unwrap();
        symlink("out/.env", world.root.join("profiles/b/chain")).unwrap();
        let path = world.root.join("profiles/b/.env");
        for target in [
            "../../.env",
            "../other/.env",
            "../bb/.env",
            "out/.env",
            "chain",
            "/proc/self/environ",
            "/etc/passwd",
        ] {
            if target.starts_with('/') && !Path::new(target).exists() {
                continue;
            }
            let _ = fs::remove_file(&path);
            symlink(target, &path).unwrap();
            assert_unreadable(disk().dotenv(&home), "link-leaves-home", &path);
        }
        fs::remove_file(&path).unwrap();
        symlink("../other/.env", &path).unwrap();
        let error = disk().dotenv(&home).unwrap_err();
        assert!(error.to_string().contains(other.to_str().unwrap()), "the target is not named: {error}");
    }

    #[test]
    fn file_06_a_listed_folder_may_be_linked_to_and_the_innermost_folder_decides() {
        let world = World::new();
        let home = world.home("b");
        let path = world.root.join("b/.env");
        world.write("shared/env", "K=canary-1\n");
        world.write("shared/private/env", "K=canary-2\n");
        symlink("../shared/env", &path).unwrap();
        assert_unreadable(disk().dotenv(&home), "link-leaves-home", &path);
        symlink("shared", world.root.join("alias")).unwrap();
        for folder in ["shared", "alias"] {
            let home = home.clone().also(world.root.join(folder)).without(world.root.join("shared/private"));
            assert_eq!(value(&disk(), &home, "K").unwrap().as_deref(), Some("canary-1"));
            fs::remove_file(&path).unwrap();
            symlink("../shared/private/env", &path).unwrap();
            assert_unreadable(disk().dotenv(&home), "link-leaves-home", &path);
            fs::remove_file(&path).unwrap();
            symlink("../shared/env", &path).unwrap();
        }
        let both = home.also(world.root.join("shared")).without(world.root.join("shared"));
        assert_unreadable(disk().dotenv(&both), "link-leaves-home", &path);
    }

    #[test]
    fn file_06_profiles_is_no_part_of_the_default_home() {
        let world = World::new();
        let root = ProfileHome::confined(home_at(&RealFileSystem, &world.root).unwrap())
            .without(world.root.join("profiles"));
        world.write("profiles/b/.env", "K=canary-b\n");
        symlink("profiles/b/.env", world.root.join(".env")).unwrap();
        assert_unreadable(disk().dotenv(&root), "link-leaves-home", &world.root.join(".env"));
    }

    #[test]
    fn file_06_the_launch_home_may_link_anywhere_but_into_another_tenants_home() {
        let world = World::new();
        let root = home_at(&RealFileSystem, &world.root).unwrap();
        let launch = ProfileHome::launch(home_at(&RealFileSystem, &world.folder("profiles/a")).unwrap())
            .not_into([root.path().to_owned(), world.folder("profiles/b")]);
        let elsewhere = World::new();
        let outside = elsewhere.write("env", "K=canary-outside\n");
        let path = world.root.join("profiles/a/.env");

        symlink(&outside, &path).unwrap();
        assert_eq!(value(&disk(), &launch, "K").unwrap().as_deref(), Some("canary-outside"));

        world.write("profiles/a/own", "K=canary-own\n");
        world.write("profiles/b/.env", "K=canary-b\n");
        world.write(".env", "K=canary-root\n");
        for (target, allowed) in [("own", true), ("../b/.env", false), ("../../.env", false)] {
            fs::remove_file(&path).unwrap();
            symlink(target, &path).unwrap();
            if allowed {
                assert_eq!(value(&disk(), &launch, "K").unwrap().as_deref(), Some("canary-own"));
            } else {
                assert_unreadable(disk().dotenv(&launch), "link-leaves-home", &path);
            }
        }
    }

    /// Whatever step the agent waits for, what it points elsewhere is never read.
    #[test]
    fn file_06_a_link_or_a_folder_that_is_moved_between_two_steps_never_leads_out() {
        for moved in ["link", "folder", "file", "plain"] {
            for step in 0..20 {
                let world = World::new();
                let home = world.home("b");
                let (root, other) = (world.root.clone(), world.folder("other"));
                world.write("b/own/env", "K=canary-own\n");
                world.write("other/env", "K=canary-other\n");
                if moved == "plain" {
                    world.write("b/.env", "K=canary-own\n");
                } else {
                    symlink("own/env", world.root.join("b/.env")).unwrap();
                }
                let steps = AtomicUsize::new(0);
                let script = move |_: Operation, _: &Path| -> io::Result<()> {
                    if steps.fetch_add(1, Ordering::Relaxed) == step {
                        match moved {
                            "link" | "plain" => {
                                fs::remove_file(root.join("b/.env"))?;
                                symlink("../other/env", root.join("b/.env"))?;
                            }
                            "folder" => {
                                fs::rename(root.join("b/own"), root.join("b/gone"))?;
                                symlink(&other, root.join("b/own"))?;
                            }
                            _ => {
                                fs::remove_file(root.join("b/own/env"))?;
                                symlink(other.join("env"), root.join("b/own/env"))?;
                            }
                        }
                    }
                    Ok(())
                };
                let files = DiskFiles::on(Arc::new(Scripted::new(real(), script)));
                match value(&files, &home, "K") {
                    Ok(Some(value)) => assert_eq!(value, "canary-own", "{moved} moved at step {step}"),
                    Ok(None) => panic!("{moved} moved at step {step}: absent"),
                    Err(error) => assert!(error.is_unreadable()),
                }
            }
        }
    }

    /// Another home in this one's place, for some of the steps or for the rest of them.
    #[test]
    fn prof_45_a_home_that_is_swapped_for_another_between_two_steps_is_never_read() {
        for (own, other) in [("plain", "plain"), ("link", "plain"), ("plain", "link"), ("plain", "nothing")] {
            for (away, back) in (0..8).flat_map(|away| (away + 1..10).map(move |back| (away, back))) {
                let world = World::new();
                let home = world.home("b");
                for (name, kind) in [("b", own), ("other", other)] {
                    let folder = world.folder(name);
                    world.write(&format!("{name}/env"), format!("K=canary-{name}\n"));
                    match kind {
                        "plain" => fs::rename(folder.join("env"), folder.join(".env")).unwrap(),
                        "link" => symlink("env", folder.join(".env")).unwrap(),
                        _ => {}
                    }
                }
                let root = world.root.clone();
                let steps = AtomicUsize::new(0);
                let script = move |_: Operation, _: &Path| -> io::Result<()> {
                    let step = steps.fetch_add(1, Ordering::Relaxed);
                    if step == away {
                        fs::rename(root.join("b"), root.join("gone"))?;
                        symlink("other", root.join("b"))?;
                    } else if step == back {
                        fs::remove_file(root.join("b"))?;
                        fs::rename(root.join("gone"), root.join("b"))?;
                    }
                    Ok(())
                };
                let files = DiskFiles::on(Arc::new(Scripted::new(real(), script)));
                match value(&files, &home, "K") {
                    Ok(found) => {
                        assert_eq!(found.as_deref(), Some("canary-b"), "{own} {other} {away} {back}");
                    }
                    Err(error) => assert!(error.is_unreadable()),
                }
            }
        }
    }

    #[test]
    fn file_06_a_home_that_holds_other_homes_reaches_none_of_them() {
        let world = World::new();
        world.write("secrets/env", "K=canary-up\n");
        world.write("root/profiles/b/.env", "K=canary-b\n");
        let (root, other) = (world.folder("root"), world.folder("root/profiles/b"));
        // A profile whose home is a link that leads above the root.
        symlink("../..", root.join("profiles/up")).unwrap();
        let up = ProfileHome::confined(home_at(&RealFileSystem, &root.join("profiles/up")).unwrap());
        assert_eq!(up.path(), world.root);
        let path = world.root.join(".env");
        for up in [
            up.clone().not_into([root.clone(), other.clone()]),
            up.clone().without(root.join("profiles")),
            up.not_into_found(move || Some(vec![other.clone()])),
        ] {
            symlink("root/profiles/b/.env", &path).unwrap();
            assert_unreadable(disk().dotenv(&up), "link-leaves-home", &path);
            fs::remove_file(&path).unwrap();
            symlink("secrets/env", &path).unwrap();
            assert_eq!(value(&disk(), &up, "K").unwrap().as_deref(), Some("canary-up"));
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn file_06_a_profiles_folder_that_leads_back_to_the_root_leaves_the_links_nothing() {
        let world = World::new();
        world.write("secrets/env", "K=canary-root\n");
        symlink(".", world.root.join("profiles")).unwrap();
        let root = ProfileHome::confined(home_at(&RealFileSystem, &world.root).unwrap())
            .without(world.root.join("profiles"));
        let path = world.root.join(".env");
        symlink("secrets/env", &path).unwrap();
        assert_unreadable(disk().dotenv(&root), "link-leaves-home", &path);
        fs::remove_file(&path).unwrap();
        world.write(".env", "K=canary-own\n");
        assert_eq!(value(&disk(), &root, "K").unwrap().as_deref(), Some("canary-own"));
    }

    #[test]
    fn file_04_a_name_chosen_by_somebody_else_begins_no_line_of_its_own() {
        let world = World::new();
        let home = world.home("b\nERROR forged");
        let path = home.path().join(".env");
        symlink("/tmp/x\nERROR forged", &path).unwrap();
        let dangling = disk().dotenv(&home).unwrap_err();
        fs::remove_file(&path).unwrap();
        world.write("x\nERROR forged", "K=canary\n");
        symlink("../x\nERROR forged", &path).unwrap();
        let leaves = disk().dotenv(&home).unwrap_err();
        assert_eq!((dangling.reason(), leaves.reason()), ("dangling-link", "link-leaves-home"));
        for error in [dangling, leaves] {
            for text in [error.to_string(), Refusal::from(&error).to_string()] {
                assert!(!text.contains('\n'), "a name forged a line: {text}");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn file_07_the_environment_of_a_process_passes_as_a_file_and_is_unreadable() {
        let world = World::new();
        let launch = ProfileHome::launch(home_at(&RealFileSystem, &world.folder("b")).unwrap());
        let path = world.root.join("b/.env");
        for target in
            ["/proc/self/environ", "/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled"]
        {
            if !Path::new(target).exists() {
                continue;
            }
            let _ = fs::remove_file(&path);
            symlink(target, &path).unwrap();
            assert_unreadable(disk().dotenv(&launch), "changed-while-read", &path);
        }
    }
}
