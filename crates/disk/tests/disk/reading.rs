use std::io;

use watertight_disk::{FileKind, FileSystem, Links, RealFileSystem, is_link_loop};

use crate::Folder;

fn read_all(path: &std::path::Path, links: Links) -> io::Result<String> {
    let mut file = RealFileSystem.open(path, links)?;
    let (mut text, mut buffer) = (Vec::new(), [0; 3]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(String::from_utf8(text).unwrap()),
            read => text.extend(buffer.iter().take(read)),
        }
    }
}

#[test]
fn a_file_is_read_whatever_the_buffers_length() {
    let folder = Folder::new();
    let file = folder.file("file", "twelve bytes");
    for links in [Links::Follow, Links::Refuse, Links::RefuseAll] {
        assert_eq!(read_all(&file, links).unwrap(), "twelve bytes");
    }
}

#[cfg(unix)]
#[test]
fn file_02_links_are_followed_only_where_that_was_asked_for() {
    let folder = Folder::new();
    folder.dir("dir");
    folder.file("dir/file", "x");
    let (link, through) = (folder.link("link", "dir/file"), folder.link("way", "dir").join("file"));
    for (path, links, allowed) in [
        (&link, Links::Follow, true),
        (&link, Links::Refuse, false),
        (&link, Links::RefuseAll, false),
        (&through, Links::Follow, true),
        (&through, Links::Refuse, true),
        (&through, Links::RefuseAll, false),
    ] {
        match read_all(path, links) {
            Ok(text) => assert!(allowed && text == "x", "{links:?} {}", path.display()),
            Err(error) => {
                assert!(!allowed && is_link_loop(&error), "{links:?} {}: {error}", path.display());
            }
        }
    }
    let looped = folder.link("loop", "loop");
    for links in [Links::Follow, Links::Refuse, Links::RefuseAll] {
        assert!(is_link_loop(&read_all(&looped, links).unwrap_err()), "{links:?}");
    }
}

#[cfg(unix)]
#[test]
fn file_02_opening_a_pipe_neither_hangs_nor_acts() {
    let folder = Folder::new();
    let pipe = folder.fifo("pipe");
    for links in [Links::Follow, Links::Refuse, Links::RefuseAll] {
        let file = RealFileSystem.open(&pipe, links).unwrap();
        assert_eq!(file.metadata().unwrap().kind, FileKind::Fifo, "its descriptor says what it is");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn file_02_what_is_opened_is_closed_on_exec() {
    let folder = Folder::new();
    let file = folder.file("file", "x");
    let _open = [Links::Follow, Links::Refuse, Links::RefuseAll]
        .map(|links| RealFileSystem.open(&file, links).unwrap());
    let _dir = RealFileSystem.open_dir(&folder.path).unwrap();
    let _new = RealFileSystem.create_new(&folder.path("new"), 0o600).unwrap();
    let _temporary = RealFileSystem.create_temporary(&folder.path, "t").unwrap();
    let _lock = RealFileSystem.lock(&folder.path("lock")).unwrap();
    let mut seen = 0;
    for descriptor in std::fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let Ok(target) = std::fs::read_link(descriptor.path()) else { continue };
        if target.starts_with(&folder.path) {
            let info = std::path::Path::new("/proc/self/fdinfo").join(descriptor.file_name());
            let info = std::fs::read_to_string(info).unwrap();
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
            let flags = u32::from_str_radix(flags.trim(), 8).unwrap();
            let closes = rustix::fs::OFlags::CLOEXEC.bits();
            assert!(flags & closes == closes, "{}: {info}", target.display());
            seen += 1;
        }
    }
    assert_eq!(seen, 7, "each of them was looked at");
    let listed = std::process::Command::new("ls").args(["-l", "/proc/self/fd"]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(!listed.contains(folder.path.to_str().unwrap()), "a child sees none of it: {listed}");
}

/// A process that leads a session and opens a terminal has it for its controlling one, unless it says that it
/// does not want that. So this test runs itself, as such a process.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::disallowed_methods, reason = "a test that runs itself tells itself apart")]
fn file_02_opening_a_terminal_does_not_take_it() {
    use std::fs::File;
    use std::os::unix::ffi::OsStrExt;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    const LEADER: &str = "WATERTIGHT_TEST_LEADS_A_SESSION";
    if std::env::var_os(LEADER).is_none() {
        let leader = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "reading::file_02_opening_a_terminal_does_not_take_it", "--nocapture"])
            .env(LEADER, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&leader.stderr);
        assert!(leader.status.success(), "{said}");
        #[expect(clippy::print_stderr, reason = "what was not tested here is named")]
        {
            eprint!("{said}");
        }
        return;
    }
    rustix::process::setsid().unwrap();
    let pair = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).and_then(|controller| {
        grantpt(&controller)?;
        unlockpt(&controller)?;
        let terminal = ptsname(&controller, Vec::new())?;
        Ok((controller, terminal))
    });
    let (controller, terminal) = match pair {
        Ok(pair) => pair,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "what was not tested here is named")]
            {
                eprintln!("skipped: file_02_opening_a_terminal_does_not_take_it: no terminal here: {error}");
            }
            return;
        }
    };
    let terminal = std::path::Path::new(std::ffi::OsStr::from_bytes(terminal.to_bytes()));
    for links in [Links::Follow, Links::Refuse, Links::RefuseAll] {
        let open = RealFileSystem.open(terminal, links).unwrap();
        assert!(File::open("/dev/tty").is_err(), "{links:?} took the terminal");
        drop(open);
    }
    let open = File::open(terminal).unwrap();
    assert!(File::open("/dev/tty").is_ok(), "an open that says nothing takes it");
    // To close either would hang the session up, and end this process.
    std::mem::forget((controller, open));
}

#[test]
fn metadata_says_what_the_rules_ask() {
    let folder = Folder::new();
    let file = folder.file("file", "12345");
    let found = RealFileSystem.metadata(&file).unwrap();
    assert!(found.is_file() && !found.is_dir());
    assert_eq!(found.len, 5);
    assert!(found.same_inode(&RealFileSystem.symlink_metadata(&file).unwrap()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let (found, real) = (RealFileSystem.metadata(&file).unwrap(), std::fs::metadata(&file).unwrap());
        assert_eq!((found.mode, found.owner), (0o640, real.uid()));
        assert_eq!((found.device, found.inode), (real.dev(), real.ino()));
        assert_eq!(found.modified, (real.mtime(), u32::try_from(real.mtime_nsec()).unwrap()));
        assert_eq!(found.changed, (real.ctime(), u32::try_from(real.ctime_nsec()).unwrap()));
        let link = folder.link("link", "file");
        assert_eq!(RealFileSystem.symlink_metadata(&link).unwrap().kind, FileKind::Symlink);
        assert!(RealFileSystem.metadata(&link).unwrap().same_inode(&found));
        assert_eq!(RealFileSystem.read_link(&link).unwrap(), std::path::Path::new("file"));
    }
}
