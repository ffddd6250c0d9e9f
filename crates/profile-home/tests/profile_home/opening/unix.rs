//! Links, and what is no regular file.

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
    for target in ["/proc/self/environ", "/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled"] {
        if !Path::new(target).exists() {
            continue;
        }
        let _ = fs::remove_file(&path);
        symlink(target, &path).unwrap();
        assert_unreadable(disk().dotenv(&launch), "changed-while-read", &path);
    }
}
