//! Disks with and without the steps that publication likes best, and this test binary as a helper process.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use watertight_disk::{FileSystem, Operation, RealFileSystem, Scripted};
use watertight_runner_identity::{Identity, IdentityError, IdentityFile, RunnerId};

/// What a file system has to publish a file with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disk {
    NoReplaceRename,
    LinksOnly,
    LocksOnly,
}

impl Disk {
    pub(crate) const ALL: [Self; 3] = [Self::NoReplaceRename, Self::LinksOnly, Self::LocksOnly];

    fn lacks(self, operation: Operation) -> Option<Errno> {
        match (self, operation) {
            (Self::LinksOnly | Self::LocksOnly, Operation::RenameNoReplace) => Some(Errno::INVAL),
            (Self::LocksOnly, Operation::HardLink) => Some(Errno::PERM),
            _ => None,
        }
    }

    pub(crate) fn files(self) -> Arc<dyn FileSystem> {
        Arc::new(Scripted::new(Arc::new(RealFileSystem), move |operation, _| {
            self.lacks(operation).map_or(Ok(()), |errno| Err(errno.into()))
        }))
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|disk| format!("{disk:?}") == name).expect("a disk of that name")
    }
}

/// The file in a home on a disk.
pub(crate) fn file_on(home: &Path, files: Arc<dyn FileSystem>) -> IdentityFile {
    IdentityFile::in_user_home(Some(home)).on(files)
}

pub(crate) fn path_in(home: &Path) -> PathBuf {
    home.join(".omnigent/runners/runner_id")
}

/// What the file holds: `None`, or a whole valid id. Anything between breaks RUN-05.
pub(crate) fn whole_or_absent(home: &Path) -> Option<RunnerId> {
    match fs::read_to_string(path_in(home)) {
        Ok(text) => {
            let digits = text.strip_prefix("runner_").expect("a whole file begins with the prefix");
            assert_eq!(digits.len(), 32, "RUN-05: a file with its name is whole");
            Some(text.parse().expect("RUN-05: a file with its name holds an id"))
        }
        Err(error) => {
            assert!(
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
                "{error}"
            );
            None
        }
    }
}

/// Puts an id file into a home.
pub(crate) fn write_id(home: &Path, text: impl AsRef<[u8]>) -> PathBuf {
    let path = path_in(home);
    fs::create_dir_all(path.parent().expect("it has a folder")).expect("folders");
    fs::write(&path, text).expect("an id file");
    path
}

/// The names in the id's folder, sorted.
pub(crate) fn names_beside(home: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path_in(home).parent().expect("it has a folder")) else {
        return Vec::new();
    };
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

/// A temporary folder in memory where the system has one: processes that are killed show atomicity, not
/// durability, so nothing is lost by it but time.
pub(crate) fn fast_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}

/// This binary once more, as a helper process; its standard error is the answer.
pub(crate) fn helper(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this binary has a path"));
    as_helper(&mut command, arguments);
    command
}

/// The same below a shell, which sets something up first.
pub(crate) fn helper_below(shell: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{shell}; exec \"$@\""), "sh"]);
    command.arg(std::env::current_exe().expect("this binary has a path"));
    as_helper(&mut command, arguments);
    command
}

fn as_helper(command: &mut Command, arguments: &[&str]) {
    command
        .args(["harness::this_binary_serves_as_helper", "--exact", "--test-threads=1", "--", SIGN])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
}

/// What tells a helper from a test run.
const SIGN: &str = "watertight-runner-identity-helper";

/// Not a test of its own: the entry point of helper processes, which does nothing in a test run.
#[test]
fn this_binary_serves_as_helper() {
    let mut arguments = std::env::args().skip_while(|argument| argument != SIGN).skip(1);
    let Some(task) = arguments.next() else { return };
    let arguments: Vec<String> = arguments.collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (task.as_str(), words.as_slice()) {
        ("once", [home]) => {
            answer(&describe(IdentityFile::in_user_home(Some(home.as_ref())).load_or_create()));
        }
        ("race", [root, rounds, disk]) => race(root.as_ref(), rounds.parse().expect("a number"), disk),
        ("park", [home, disk, task, step]) => {
            park(home.as_ref(), disk, task, step.parse().expect("a number"));
        }
        ("create-many", [root, disk]) => create_many(root.as_ref(), disk),
        _ => panic!("no such task for a helper"),
    }
    std::process::exit(0);
}

/// One line for the parent, in one write.
fn answer(line: &str) {
    io::stderr().write_all(format!("{line}\n").as_bytes()).expect("the parent listens");
}

/// `created ID`, `file ID`, or `error CODE: TEXT`.
fn describe(result: Result<Identity, IdentityError>) -> String {
    match result {
        Ok(identity) => format!("{} {}", identity.provenance().label(), identity.id()),
        Err(error) => format!("error {}: {error}", error.code()),
    }
}

/// The gate of a round: a named pipe that all racers wait to open until the parent opens its other end.
pub(crate) fn gate_of(root: &Path, round: usize) -> PathBuf {
    root.join(format!("gate-{round}"))
}

/// Round after round, each in a home of its own.
fn race(root: &Path, rounds: usize, disk: &str) {
    let files = Disk::named(disk).files();
    for round in 0..rounds {
        let file = file_on(&root.join(round.to_string()), Arc::clone(&files));
        answer("ready");
        let _released = File::open(gate_of(root, round)).expect("the parent opens the gate");
        answer(&describe(file.load_or_create()));
    }
}

/// Runs a task and stops for good before its step with this number, to be killed there.
fn park(home: &Path, disk: &str, task: &str, step: usize) {
    let reached = AtomicUsize::new(0);
    let files = Arc::new(Scripted::new(Disk::named(disk).files(), move |_, _| {
        if reached.fetch_add(1, Ordering::SeqCst) == step {
            answer("parked");
            loop {
                std::thread::park();
            }
        }
        Ok(())
    }));
    let file = file_on(home, files);
    answer(&describe(if task == "regenerate" { file.regenerate() } else { file.load_or_create() }));
}

/// Makes an id in home after home, and says each, until it is killed.
fn create_many(root: &Path, disk: &str) {
    let files = Disk::named(disk).files();
    for home in 0_usize.. {
        answer(&describe(file_on(&root.join(home.to_string()), Arc::clone(&files)).load_or_create()));
    }
}
