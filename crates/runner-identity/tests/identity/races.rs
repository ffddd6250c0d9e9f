//! Many processes and one fresh home (RUN-05).

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command};
use std::sync::{Arc, Barrier};

use crate::harness::{Disk, fast_folder, file_on, gate_of, helper, names_beside, whole_or_absent};

const RACERS: usize = 64;

/// Racers that wait at one gate after the other.
struct Racers {
    root: PathBuf,
    children: Vec<(Child, BufReader<ChildStderr>)>,
}

impl Racers {
    fn start(root: &Path, rounds: usize, disk: Disk) -> Self {
        let gates = (0..rounds).map(|round| gate_of(root, round));
        let made = Command::new("mkfifo").args(gates).status().expect("mkfifo runs");
        assert!(made.success(), "every round has its gate");
        let folder = root.to_str().expect("text");
        let children = (0..RACERS)
            .map(|_| {
                let mut racer = helper(&["race", folder, &rounds.to_string(), &format!("{disk:?}")])
                    .spawn()
                    .expect("a racer starts");
                let answers = BufReader::new(racer.stderr.take().expect("it is piped"));
                (racer, answers)
            })
            .collect();
        Self { root: root.to_owned(), children }
    }

    /// One line of each racer.
    fn lines(&mut self) -> Vec<String> {
        let one_line = |(_, answers): &mut (Child, BufReader<ChildStderr>)| {
            let mut line = String::new();
            answers.read_line(&mut line).expect("a racer answers");
            line.trim_end().to_owned()
        };
        self.children.iter_mut().map(one_line).collect()
    }

    /// Waits until all racers stand at the gate, opens it to all at once, and hears what each says.
    fn round(&mut self, round: usize) -> Vec<String> {
        assert!(self.lines().iter().all(|line| line == "ready"), "all racers are at the gate");
        let _gate = File::options().write(true).open(gate_of(&self.root, round)).expect("the gate opens");
        self.lines()
    }
}

impl Drop for Racers {
    /// Also when a round failed: nobody is left waiting at a gate.
    fn drop(&mut self) {
        for (racer, _) in &mut self.children {
            let _ = racer.kill();
            let _ = racer.wait();
        }
    }
}

fn race(root: &Path, rounds: usize, disk: Disk) {
    let mut racers = Racers::start(root, rounds, disk);
    for round in 0..rounds {
        let answers = racers.round(round);
        let home = root.join(round.to_string());
        let ids: BTreeSet<_> =
            answers.iter().map(|line| line.split_once(' ').expect("two words").1.to_owned()).collect();
        let created = answers.iter().filter(|line| line.starts_with("created ")).count();
        assert_eq!(ids.len(), 1, "all racers return one id ({disk:?}): {ids:?}");
        assert_eq!(created, 1, "exactly one racer made it ({disk:?})");
        let kept = whole_or_absent(&home).expect("the id is kept");
        assert!(ids.contains(kept.as_str()), "the file holds the id that all returned");
        let leftover = names_beside(&home).into_iter().find(|name| name.starts_with('.'));
        assert_eq!(leftover, None, "no loser leaves its temporary behind");
        let later = file_on(&home, disk.files()).load().expect("readable").expect("there");
        assert!(!later.is_cloned(), "no loser disturbs the creator's fingerprint");
    }
}

#[test]
fn run_05_sixty_four_processes_that_race_agree_on_one_id_in_every_of_fifty_rounds() {
    let root = fast_folder();
    race(root.path(), 50, Disk::NoReplaceRename);
}

#[test]
fn run_05_racing_processes_agree_on_a_real_disk_too() {
    let root = tempfile::tempdir().expect("a temporary folder");
    race(root.path(), 3, Disk::NoReplaceRename);
}

#[test]
fn run_05_racing_processes_agree_where_there_are_links_only() {
    let root = fast_folder();
    race(root.path(), 8, Disk::LinksOnly);
}

#[test]
fn run_05_racing_processes_agree_where_there_are_locks_only() {
    let root = fast_folder();
    race(root.path(), 8, Disk::LocksOnly);
}

#[test]
fn run_05_threads_that_race_agree_and_no_reader_ever_sees_a_part_of_the_file() {
    for disk in Disk::ALL {
        for _ in 0..20 {
            let home = fast_folder();
            let file = file_on(home.path(), disk.files());
            let start = Arc::new(Barrier::new(18));
            let reader = {
                let (home, start) = (home.path().to_owned(), Arc::clone(&start));
                std::thread::spawn(move || {
                    start.wait();
                    while whole_or_absent(&home).is_none() {
                        std::thread::yield_now();
                    }
                })
            };
            let racers: Vec<_> = (0..16)
                .map(|_| {
                    let (file, start) = (file.clone(), Arc::clone(&start));
                    std::thread::spawn(move || {
                        start.wait();
                        file.load_or_create().expect("a racer gets an id")
                    })
                })
                .collect();
            start.wait();
            let identities: Vec<_> =
                racers.into_iter().map(|racer| racer.join().expect("no panic")).collect();
            reader.join().expect("the reader saw a whole file or none");
            let ids: BTreeSet<_> = identities.iter().map(|identity| identity.id().clone()).collect();
            assert_eq!(ids.len(), 1, "all threads return one id ({disk:?})");
            assert_eq!(identities.iter().filter(|identity| identity.is_created()).count(), 1, "{disk:?}");
        }
    }
}
