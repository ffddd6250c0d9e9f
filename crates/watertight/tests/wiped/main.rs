//! Where values are when nobody holds them any more: nowhere in the memory of the process (SEC-31).
//!
//! The memory is searched through `/proc/self/mem`. What is looked for is written by another program, and known
//! here in a spelling of its own only, so that the search finds neither itself nor the test.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot set its stage fails")]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use watertight::env_snapshot::MapEnv;
use watertight::profile_home::{DiskFiles, ManagedDirectory, ProfileFiles, ProfileHome};
use watertight::secret_scope::CommandSource;
use watertight::{Host, disk};

/// One search at a time: what one has read of the memory another would find.
static ALONE: Mutex<()> = Mutex::new(());

/// Turns a spelling that the test knows into what the files hold.
const TURN: &str = "v=$(printf %s \"$1\" | tr a-z n-za-m)";

/// Writes the value, turned, into a file: in place of each `@` of a text.
fn write(path: &Path, text: &str, spelled: &str) {
    let script = format!("{TURN}; printf %s \"$2\" | sed \"s/@/$v/g\" > \"$3\"");
    let wrote = Command::new("sh").args(["-c", &script, "sh", spelled, text]).arg(path).status().unwrap();
    assert!(wrote.success());
}

fn turned(byte: u8) -> u8 {
    if byte.is_ascii_lowercase() { (byte - b'a' + 13) % 26 + b'a' } else { byte }
}

/// Overwrites the frames of calls that have ended: registers that were saved there held what was being read, and
/// that is nothing that a program can wipe.
#[expect(clippy::large_stack_arrays, reason = "the stack is what it is for")]
#[inline(never)]
fn scrub_dead_frames() {
    std::hint::black_box([0_u8; 512 << 10]);
}

/// How often the value, turned, stands in what this process has in memory and may write to.
fn sightings(spelled: &str) -> usize {
    const CHUNK: usize = 1 << 20;
    scrub_dead_frames();
    let memory = File::open("/proc/self/mem").unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut buffer = vec![0_u8; CHUNK];
    let mut count = 0;
    for map in maps.lines().filter(|map| map.contains(" rw")) {
        let (from, to) = map.split_once(' ').unwrap().0.split_once('-').unwrap();
        let mut at = u64::from_str_radix(from, 16).unwrap();
        let end = u64::from_str_radix(to, 16).unwrap();
        // What cannot be read is a device's memory. Chunks overlap by what could be cut.
        while at < end
            && let Ok(read) = memory.read_at(&mut buffer, at)
            && read > 0
        {
            let inside = read.min(usize::try_from(end - at).unwrap());
            let begins = turned(spelled.as_bytes()[0]);
            for window in buffer[..inside].windows(spelled.len()).filter(|window| window[0] == begins) {
                count +=
                    usize::from(window.iter().zip(spelled.bytes()).all(|(byte, of)| *byte == turned(of)));
            }
            let overlap = if inside < read || at + inside as u64 == end { 0 } else { spelled.len() - 1 };
            at += (inside - overlap) as u64;
        }
    }
    buffer.fill(0);
    count
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.folder.path().join("root/profiles/coder")).unwrap();
        world
    }

    fn dotenv(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join("root/profiles/coder/.env")
    }

    fn host(&self, spelled: &str) -> Host {
        let root = self.folder.path().join("root");
        let env = MapEnv::from([("HERMES_HOME", root.to_str().unwrap()), ("PATH", "/usr/bin:/bin")]);
        let script = format!("{TURN}; printf %s \"$v\"");
        let source = CommandSource::value("turner", "sh", ["-c", &script, "sh", spelled], "SOURCE_KEY");
        Host::builder()
            .env(std::sync::Arc::new(env))
            .managed(ManagedDirectory::none())
            .source(source)
            .build()
            .unwrap()
    }
}

#[test]
fn sec_31_nothing_of_a_file_stays_behind() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let spelled = "pnanel-sebz-n-svyr-1";
    let world = World::new();
    let path = world.dotenv();
    for text in
        ["BARE=@\nQUOTED='@'\n", "UNDONE=\"a\\\"@\"\nLINES=\"@\n@\"\n", "TWICE=@\nTWICE=@\n", "A='@", "@\n"]
    {
        write(&path, text, spelled);
        let home =
            ProfileHome::confined(disk::home_at(&disk::RealFileSystem, path.parent().unwrap()).unwrap());
        let dotenv = DiskFiles::new().dotenv(&home).unwrap().unwrap();
        let values: Vec<_> = dotenv.entries().map(|entry| entry.value().clone()).collect();
        assert!(sightings(spelled) > 0, "the search sees what is held: {text}");
        drop(dotenv);
        assert_eq!(sightings(spelled) > 0, !values.is_empty(), "a value outlives its file: {text}");
        drop(values);
        assert_eq!(sightings(spelled), 0, "{text}");
    }
}

#[test]
fn sec_31_nothing_of_a_scope_its_sources_and_its_host_stays_behind() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (first, second) = ("pnanel-sebz-n-ubfg-1", "pnanel-sebz-n-ubfg-2");
    let world = World::new();
    write(&world.dotenv(), "FILE_KEY=@\nTERMINAL_ENV=docker\nTERMINAL_SSH_USER=@\n", first);
    let host = world.host("pnanel-sebz-n-fbhepr");
    let scope = host.profile_scope("coder").unwrap();
    scope.run(|| {
        for name in ["FILE_KEY", "SOURCE_KEY"] {
            assert!(host.secret(name).unwrap().is_some(), "{name}");
        }
        assert!(host.terminal("TERMINAL_SSH_USER").unwrap().is_some());
    });
    assert!(sightings(first) > 0 && sightings("pnanel-sebz-n-fbhepr") > 0, "the search sees what is held");

    write(&world.dotenv(), "FILE_KEY=@\n", second);
    scope.refresh().unwrap();
    assert_eq!(sightings(first), 0, "a refresh drops what was before it");
    assert!(sightings(second) > 0);
    drop((scope, host));
    assert_eq!((sightings(second), sightings("pnanel-sebz-n-fbhepr")), (0, 0));
}
