//! What a subject has started on Linux, in a session of its own or not: it is ended with the subject.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// How often is looked for what was started while the others were being ended.
const ROUNDS: usize = 16;

/// Ends every process that stems from a subject, and the subject: its children and theirs, and all that have its
/// folder in their environment, whoever is their parent by now.
pub(super) fn end(subject: Pid, folder: &Path) {
    for _ in 0..ROUNDS {
        let found = stemming_from(subject, folder);
        if found.is_empty() {
            return;
        }
        let open =
            |number: i32| Some((number, pidfd_open(Pid::from_raw(number)?, PidfdFlags::empty()).ok()?));
        let opened: Vec<_> = found.into_iter().filter_map(open).collect();
        // What was opened stays the process that is looked at now, whoever gets its number afterwards.
        let still = stemming_from(subject, folder);
        for (_, process) in opened.iter().filter(|(number, _)| still.contains(number)) {
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }
}

/// Those that are alive.
fn stemming_from(subject: Pid, folder: &Path) -> BTreeSet<i32> {
    let parents = parents();
    let mut found: BTreeSet<i32> =
        parents.keys().copied().filter(|number| has_in_its_environment(*number, folder)).collect();
    let subject = subject.as_raw_nonzero().get();
    found.extend(parents.contains_key(&subject).then_some(subject));
    loop {
        let children =
            parents.iter().filter(|(number, parent)| found.contains(parent) && !found.contains(number));
        let children: Vec<i32> = children.map(|(number, _)| *number).collect();
        if children.is_empty() {
            return found;
        }
        found.extend(children);
    }
}

/// Every process that is alive, and its parent.
fn parents() -> BTreeMap<i32, i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let with_parent = |number: i32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // The name stands in parentheses and may hold anything; then come the state and the parent.
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        let is_alive = !matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        is_alive.then_some((number, parent))
    };
    numbers.filter_map(with_parent).collect()
}

fn has_in_its_environment(number: i32, folder: &Path) -> bool {
    let wanted = [b"TMPDIR=", folder.as_os_str().as_bytes()].concat();
    let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| variable == wanted)
}
