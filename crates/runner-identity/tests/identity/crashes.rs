//! A creator that is killed at every step and at random times, a thousand times in all (RUN-05, RUN-37).

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::{Disk, fast_folder, file_on, helper, whole_or_absent, write_id};

/// No creation or regeneration has more steps than this on any disk.
const MOST_STEPS: usize = 60;
/// Kills at random times, on each disk.
const RANDOM_KILLS: usize = 310;

/// Starts a task and kills it before its step with this number. Whether it got that far.
fn kill_at(home: &Path, disk: Disk, task: &str, step: usize) -> bool {
    let home = home.to_str().expect("text");
    let mut creator =
        helper(&["park", home, &format!("{disk:?}"), task, &step.to_string()]).spawn().expect("it starts");
    let mut said = String::new();
    BufReader::new(creator.stderr.take().expect("piped")).read_line(&mut said).expect("it speaks");
    creator.kill().expect("SIGKILL");
    creator.wait().expect("it is gone");
    said.trim_end() == "parked"
}

/// Whatever a crash left: the next start has an id, the kept one if one was kept, and it stays.
fn assert_recovers(home: &Path, disk: Disk) {
    let kept = whole_or_absent(home);
    let next = file_on(home, disk.files()).load_or_create().expect("a crash never blocks the next start");
    if let Some(kept) = kept {
        assert_eq!(next.id(), &kept, "an id that was published before the crash stands after it");
    }
    assert_eq!(whole_or_absent(home).as_ref(), Some(next.id()), "the file holds what was returned");
    assert!(!next.is_cloned(), "a crash makes no clone");
}

fn killed_at_every_step(disk: Disk) -> usize {
    let root = fast_folder();
    for step in 0..MOST_STEPS {
        let home = root.path().join(step.to_string());
        if !kill_at(&home, disk, "create", step) {
            assert!(step > 10, "a creation has more steps than {step}");
            return step;
        }
        assert_recovers(&home, disk);
    }
    panic!("a creation ends before {MOST_STEPS} steps");
}

#[test]
fn run_05_a_creator_killed_at_any_step_leaves_no_file_or_a_whole_one() {
    let kills: usize = std::thread::scope(|scope| {
        let disks = Disk::ALL.map(|disk| scope.spawn(move || killed_at_every_step(disk)));
        disks.into_iter().map(|disk| disk.join().expect("no disk fails")).sum()
    });
    assert!(kills > 45, "every disk has its steps: {kills}");
}

#[test]
fn run_37_a_regeneration_killed_at_any_step_leaves_the_old_id_or_the_new_one_whole() {
    let root = fast_folder();
    for step in 0..MOST_STEPS {
        let home = root.path().join(step.to_string());
        let old = file_on(&home, Disk::NoReplaceRename.files()).load_or_create().expect("an id").id().clone();
        if !kill_at(&home, Disk::NoReplaceRename, "regenerate", step) {
            assert_ne!(whole_or_absent(&home), Some(old), "it ran to its end");
            return;
        }
        assert!(whole_or_absent(&home).is_some(), "there is no moment without an id");
        assert_recovers(&home, Disk::NoReplaceRename);
    }
    panic!("a regeneration ends before {MOST_STEPS} steps");
}

/// Kills a helper that makes id after id, somewhere in the middle of one.
fn kill_at_random(root: &Path, disk: Disk, round: usize) {
    let mut creator = helper(&["create-many", root.to_str().expect("text"), &format!("{disk:?}")])
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(creator.stderr.take().expect("piped")).lines();
    let mut returned: Vec<String> = Vec::new();
    for _ in 0..=round % 2 {
        returned.push(lines.next().expect("it speaks").expect("text"));
    }
    // A time that no step is bound to, between nothing and more than one creation takes.
    let deadline = Instant::now() + Duration::from_micros(u64::try_from(round * 7919 % 400).expect("small"));
    while Instant::now() < deadline {
        std::hint::spin_loop();
    }
    creator.kill().expect("SIGKILL");
    creator.wait().expect("it is gone");
    returned.extend(lines.map(|line| line.expect("text")).filter(|line| line.contains(' ')));

    for (home, said) in returned.iter().enumerate() {
        let kept = whole_or_absent(&root.join(home.to_string())).expect("what was returned is kept");
        assert_eq!(said, &format!("created {kept}"), "what was returned is what is kept");
    }
    let interrupted = root.join(returned.len().to_string());
    assert_recovers(&interrupted, disk);
    assert_recovers(&root.join("0"), disk);
}

#[test]
fn run_05_a_creator_killed_at_random_times_never_leaves_a_wrong_id() {
    std::thread::scope(|scope| {
        for disk in Disk::ALL {
            scope.spawn(move || {
                for round in 0..RANDOM_KILLS {
                    let root = fast_folder();
                    kill_at_random(root.path(), disk, round);
                }
            });
        }
    });
}

#[test]
fn run_05_a_leftover_temporary_never_becomes_an_id() {
    let home = fast_folder();
    let id = write_id(home.path(), "");
    let leftover = id.with_file_name(".runner_id.abcdefghijkl");
    std::fs::rename(&id, &leftover).expect("a leftover");
    std::fs::write(&leftover, "runner_0123456789abcdef0123456789abcdef").expect("whole but never published");
    let file = file_on(home.path(), Disk::NoReplaceRename.files());
    assert!(file.load().expect("nothing there").is_none());
    let made = file.load_or_create().expect("an id");
    assert!(made.is_created());
    assert_ne!(made.id().as_str(), "runner_0123456789abcdef0123456789abcdef");
}
