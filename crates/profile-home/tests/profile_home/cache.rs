use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use watertight_disk::{Metadata, Operation, RealFileSystem, Scripted};
use watertight_profile_home::{CachedFiles, DiskFiles, ProfileFiles, ProfileHome};
use watertight_vocabulary::{HomeId, HomeStamp};

use crate::world::{World, assert_unreadable, value};

type Stamp = (i64, u32);

/// A world whose disk has a clock and stamps of the test's choosing, and that counts reads.
struct Clockwork {
    world: World,
    home: ProfileHome,
    disk: Scripted,
    files: CachedFiles,
    reads: Arc<AtomicUsize>,
    modified: Arc<Mutex<Stamp>>,
    changed: Arc<Mutex<Stamp>>,
}

const NOW: u64 = 2_000_000_000;
const LONG_AGO: Stamp = (1_999_000_000, 5);

impl Clockwork {
    /// A `.env` with one key, whose stamps lie long ago.
    fn new() -> Self {
        let world = World::new();
        let home = world.home("b");
        world.write("b/.env", "K=canary-1\n");
        let reads = Arc::new(AtomicUsize::new(0));
        let (modified, changed) = (Arc::new(Mutex::new(LONG_AGO)), Arc::new(Mutex::new(LONG_AGO)));
        let count = Arc::clone(&reads);
        let stamps = (Arc::clone(&modified), Arc::clone(&changed));
        let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, _| {
            count.fetch_add(usize::from(operation == Operation::Read), Ordering::Relaxed);
            Ok(())
        });
        let disk = disk.with_stamps(move |_, found| Metadata {
            modified: *stamps.0.lock().unwrap(),
            changed: *stamps.1.lock().unwrap(),
            ..found
        });
        disk.set_clock(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(NOW)));
        let files = CachedFiles::new(DiskFiles::on(Arc::new(disk.clone())));
        Self { world, home, disk, files, reads, modified, changed }
    }

    fn value(&self) -> Option<String> {
        value(&self.files, &self.home, "K").unwrap()
    }

    /// Whether asking reads the file's bytes.
    fn reads(&self) -> bool {
        let before = self.reads.load(Ordering::Relaxed);
        self.value();
        self.reads.load(Ordering::Relaxed) > before
    }

    fn path(&self) -> std::path::PathBuf {
        self.world.root.join("b/.env")
    }
}

#[test]
fn file_05_an_unchanged_file_is_parsed_once() {
    let clockwork = Clockwork::new();
    let first = clockwork.files.dotenv(&clockwork.home).unwrap().unwrap();
    assert!(!clockwork.reads(), "what was read under old stamps is remembered");
    let second = clockwork.files.dotenv(&clockwork.home).unwrap().unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(clockwork.files.remembered(), 1);
    clockwork.world.write("b/config.yaml", "a: 1\n");
    clockwork.files.config(&clockwork.home).unwrap().unwrap();
    assert_eq!(clockwork.files.remembered(), 2, "files of both kinds");
}

#[test]
fn file_05_a_file_is_remembered_only_when_both_stamps_lie_more_than_two_seconds_back() {
    let now = i64::try_from(NOW).unwrap();
    for (stamp, remembered) in [
        ((now - 3, 0), true),
        ((now - 3, 999_999_999), true),
        ((now - 2, 0), false),
        ((now - 2, 1), false),
        ((now - 1, 0), false),
        ((now, 0), false),
        ((now + 1000, 0), false),
        ((-1, 0), true),
        ((i64::MAX, 0), false),
    ] {
        for which in ["modified", "changed"] {
            let clockwork = Clockwork::new();
            *match which {
                "modified" => &clockwork.modified,
                _ => &clockwork.changed,
            }
            .lock()
            .unwrap() = stamp;
            clockwork.value();
            assert_eq!(clockwork.files.remembered(), usize::from(remembered), "{which} {stamp:?}");
            assert_eq!(clockwork.reads(), !remembered, "{which} {stamp:?}");
        }
    }
}

/// The measured hazard: on a coarse clock, a rewrite of equal size has an equal signature.
#[test]
fn file_05_a_rewrite_of_equal_size_that_the_stamps_do_not_show_is_seen() {
    let clockwork = Clockwork::new();
    let coarse = (i64::try_from(NOW).unwrap() - 1, 0);
    (*clockwork.modified.lock().unwrap(), *clockwork.changed.lock().unwrap()) = (coarse, coarse);
    for turn in 0..100 {
        clockwork.world.write("b/.env", format!("K=canary-{turn:03}\n"));
        assert_eq!(clockwork.value().unwrap(), format!("canary-{turn:03}"));
    }
    // Once the clock has moved on, the last content is what is remembered.
    clockwork.disk.set_clock(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(NOW + 2)));
    clockwork.value();
    assert!(!clockwork.reads());
    assert_eq!(clockwork.value().unwrap(), "canary-099");
}

#[test]
fn file_05_a_change_of_any_part_of_the_signature_is_seen() {
    let clockwork = Clockwork::new();
    clockwork.value();
    clockwork.world.write("b/.env", "K=canary-longer\n");
    assert_eq!(clockwork.value().unwrap(), "canary-longer", "the size changed");

    clockwork.world.write("b/.env", "K=canary-rewrit\n");
    clockwork.modified.lock().unwrap().1 += 1;
    assert_eq!(clockwork.value().unwrap(), "canary-rewrit", "a nanosecond of the mtime changed");

    clockwork.world.write("b/.env", "K=canary-touche\n");
    clockwork.changed.lock().unwrap().1 += 1;
    assert_eq!(clockwork.value().unwrap(), "canary-touche", "the mtime was set back: the ctime tells");

    // Another file of equal size and stamps, renamed over it: another inode.
    let fresh = clockwork.world.write("b/fresh", "K=canary-rename\n");
    fs::rename(fresh, clockwork.path()).unwrap();
    assert_eq!(clockwork.value().unwrap(), "canary-rename");
}

#[test]
fn file_05_deletion_and_replacement_by_a_directory_are_seen() {
    let clockwork = Clockwork::new();
    clockwork.value();
    fs::remove_file(clockwork.path()).unwrap();
    assert_eq!(clockwork.value(), None);
    assert_eq!(clockwork.files.remembered(), 0, "what is gone is not kept");

    clockwork.world.write("b/.env", "K=canary-2\n");
    assert_eq!(clockwork.value().unwrap(), "canary-2");
    fs::remove_file(clockwork.path()).unwrap();
    fs::create_dir(clockwork.path()).unwrap();
    assert_unreadable(clockwork.files.dotenv(&clockwork.home), "not-a-file", &clockwork.path());
    assert_eq!(clockwork.files.remembered(), 0);
}

#[test]
fn file_05_a_permission_taken_away_is_seen_and_no_failure_is_remembered() {
    let world = World::new();
    let home = world.home("b");
    let path = world.write("b/.env", "K=canary-1\n");
    old(&path);
    let denied = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&denied);
    let disk = Scripted::new(Arc::new(RealFileSystem), move |operation, _| {
        if operation == Operation::Open && asked.load(Ordering::Relaxed) == 1 {
            return Err(std::io::Error::from_raw_os_error(13));
        }
        Ok(())
    });
    disk.set_clock(Some(SystemTime::now() + Duration::from_secs(10)));
    let files = CachedFiles::new(DiskFiles::on(Arc::new(disk)));
    assert_eq!(value(&files, &home, "K").unwrap().as_deref(), Some("canary-1"));
    assert_eq!(files.remembered(), 1);
    denied.store(1, Ordering::Relaxed);
    assert_unreadable(files.dotenv(&home), "permission-denied", &path);
    denied.store(0, Ordering::Relaxed);
    assert_eq!(value(&files, &home, "K").unwrap().as_deref(), Some("canary-1"));

    world.write("b/config.yaml", "a: [");
    let error = files.config(&home).unwrap_err();
    assert!(error.is_invalid());
    world.write("b/config.yaml", "a: {");
    assert!(files.config(&home).is_err());
    world.write("b/config.yaml", "a: 1");
    assert!(files.config(&home).is_ok(), "a failure was remembered");
}

/// Sets the modification time back. The change time is now; clocks in these tests run ahead.
fn old(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(100)).unwrap();
}

#[test]
fn file_05_a_file_that_changes_while_it_is_read_is_not_remembered() {
    let world = World::new();
    let home = world.home("b");
    world.write("b/.env", "K=canary-1\n");
    let disk = Scripted::new(Arc::new(RealFileSystem), |operation, path| {
        // The mode alone: the contents are good, the signature is not.
        if operation == Operation::Read {
            let mut permissions = fs::metadata(path)?.permissions();
            permissions.set_readonly(!permissions.readonly());
            fs::set_permissions(path, permissions)?;
        }
        Ok(())
    });
    let count = AtomicUsize::new(0);
    let disk = disk.with_stamps(move |_, found| {
        let turn = u32::try_from(count.fetch_add(1, Ordering::Relaxed)).unwrap();
        Metadata { modified: LONG_AGO, changed: (LONG_AGO.0, turn), ..found }
    });
    disk.set_clock(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(NOW)));
    let files = CachedFiles::new(DiskFiles::on(Arc::new(disk)));
    assert_eq!(value(&files, &home, "K").unwrap().as_deref(), Some("canary-1"));
    assert_eq!(files.remembered(), 0);
}

#[test]
fn prof_45_a_home_that_was_deleted_and_made_again_under_one_name_shares_no_entry() {
    let clockwork = Clockwork::new();
    clockwork.value();
    let stamp = clockwork.home.id().stamp().unwrap();
    let again = HomeStamp { created: Some(SystemTime::UNIX_EPOCH), ..stamp };
    let again = ProfileHome::confined(HomeId::new(clockwork.home.path().to_owned(), Some(again)));
    let before = clockwork.reads.load(Ordering::Relaxed);
    value(&clockwork.files, &again, "K").unwrap();
    assert!(clockwork.reads.load(Ordering::Relaxed) > before, "the entry of another home was used");
    assert_eq!(clockwork.files.remembered(), 2);

    let unknown = ProfileHome::confined(HomeId::new(clockwork.home.path().to_owned(), None));
    value(&clockwork.files, &unknown, "K").unwrap();
    assert_eq!(clockwork.files.remembered(), 2, "a home without an identity was remembered");
}

#[test]
fn file_05_the_cache_is_bounded_and_drops_what_it_holds() {
    let clockwork = Clockwork::new();
    let files = CachedFiles::bounded(DiskFiles::on(Arc::new(clockwork.disk.clone())), 10);
    let mut first = None;
    for number in 0..100 {
        let name = format!("homes/{number}");
        let home = clockwork.world.home(&name);
        clockwork.world.write(&format!("{name}/.env"), "K=canary-1\n");
        let dotenv = files.dotenv(&home).unwrap().unwrap();
        first.get_or_insert_with(|| Arc::downgrade(&dotenv));
        assert!(files.remembered() <= 10);
    }
    assert!(first.unwrap().upgrade().is_none(), "what left the cache is still held");
}

#[test]
fn file_05_many_threads_see_each_their_own_home_and_every_change() {
    let clockwork = Arc::new(Clockwork::new());
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let clockwork = Arc::clone(&clockwork);
            std::thread::spawn(move || {
                let name = format!("threads/{}", number / 2);
                let home = clockwork.world.home(&name);
                for turn in 0..100 {
                    // Two threads write one home: whole files, renamed into place. Each has a size of its
                    // own, since the stamps are all the same here and an inode may be used again.
                    let own = format!("{name}/{number}/{turn:03}/{}", "x".repeat(number * 100 + turn));
                    let fresh =
                        clockwork.world.write(&format!("{name}/fresh-{number}"), format!("K={own}\n"));
                    fs::rename(fresh, home.path().join(".env")).unwrap();
                    let found = value(&clockwork.files, &home, "K").unwrap().unwrap();
                    let other = format!("{name}/{}/", number ^ 1);
                    assert!(found == own || found.starts_with(&other), "{found} was seen after {own}");
                    if number % 2 == 1 && turn % 10 == 0 {
                        let config = format!("{name}/config.yaml");
                        clockwork.world.write(&config, format!("own: {name}\n"));
                    }
                    if let Ok(Some(config)) = clockwork.files.config(&home)
                        && let Some(own) = config.get("own")
                    {
                        assert_eq!(own.as_str(), Some(name.as_str()), "another home's file was seen");
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    for number in 0..4 {
        let name = format!("threads/{number}");
        let written = fs::read_to_string(clockwork.world.root.join(&name).join(".env")).unwrap();
        let found = value(&clockwork.files, &clockwork.world.home(&name), "K").unwrap().unwrap();
        assert_eq!(format!("K={found}\n"), written, "what was written last is not what is seen");
    }
}

#[cfg(unix)]
#[test]
fn file_05_a_link_that_leads_elsewhere_is_seen_also_between_the_open_and_the_read() {
    use std::os::unix::fs::symlink;

    let clockwork = Clockwork::new();
    let (world, path) = (&clockwork.world, clockwork.path());
    world.write("b/one", "K=canary-1\n");
    world.write("b/two", "K=canary-2\n");
    fs::remove_file(&path).unwrap();
    symlink("one", &path).unwrap();
    assert_eq!(clockwork.value().unwrap(), "canary-1");
    assert!(!clockwork.reads(), "a file behind a link is remembered as well");
    fs::remove_file(&path).unwrap();
    symlink("two", &path).unwrap();
    assert_eq!(clockwork.value().unwrap(), "canary-2");

    // Repointed after the open: what is read is what was opened, and the next read sees the other.
    let link = path.clone();
    let disk = Scripted::new(Arc::new(clockwork.disk.clone()), move |operation, _| {
        if operation == Operation::Read {
            fs::remove_file(&link)?;
            symlink("one", &link)?;
        }
        Ok(())
    });
    let files = CachedFiles::new(DiskFiles::on(Arc::new(disk)));
    assert_eq!(value(&files, &clockwork.home, "K").unwrap().as_deref(), Some("canary-2"));
    assert_eq!(value(&files, &clockwork.home, "K").unwrap().as_deref(), Some("canary-1"));
}

#[cfg(unix)]
#[test]
fn file_05_a_remembered_parse_gets_nobody_past_the_links_that_are_allowed() {
    let clockwork = Clockwork::new();
    clockwork.world.write("other/.env", "K=canary-other\n");
    fs::remove_file(clockwork.path()).unwrap();
    std::os::unix::fs::symlink("../other/.env", clockwork.path()).unwrap();
    let trusted = clockwork.home.clone().also(clockwork.world.root.join("other"));
    value(&clockwork.files, &trusted, "K").unwrap().unwrap();
    assert_eq!(clockwork.files.remembered(), 1);
    assert_unreadable(clockwork.files.dotenv(&clockwork.home), "link-leaves-home", &clockwork.path());
}
