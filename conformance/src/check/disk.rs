//! What a case changed on disk, and what it should have (FILE-03, PROF-29).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::identity::Made;
use super::{Difference, leaks};
use crate::case::{Case, Outcome, Step};
use crate::layout::{self, Layout};
use crate::subject::Assignment;

/// Every path that is not as it was, or not as the script left it.
pub(super) fn changes(
    case: &Case,
    layout: &Layout,
    outcomes: &BTreeMap<String, Outcome>,
    made: &Made,
) -> Vec<Difference> {
    let written = Written::by(case);
    let replay = Replay::of(case, outcomes);
    let mut paths: BTreeSet<PathBuf> = layout.changes().into_iter().collect();
    paths.extend(replay.iter().flat_map(|replay| replay.changed.iter().cloned()));
    let mut differences = Vec::new();
    for path in paths {
        let scripted =
            replay.as_ref().filter(|replay| written.holds(&path) || replay.changed.contains(&path));
        if made.excuses(&path) {
            continue;
        }
        match scripted {
            Some(replay) if replay.layout.entry(&path) == layout.entry(&path) => continue,
            Some(_) | None => differences.push(Difference::Changed(path.clone())),
        }
        if let Some(place) = leak(&path, layout) {
            differences.push(Difference::Leak { place });
        }
    }
    differences
}

/// Where a value stands that a subject wrote: what holds one by name is not named.
fn leak(path: &Path, layout: &Layout) -> Option<String> {
    let shown = path.to_string_lossy();
    if leaks::shows_a_value(&shown) {
        return Some("the name of a file".to_owned());
    }
    match layout.entry(path) {
        layout::Entry::File(contents) => leaks::bytes_show_a_value(&contents).then(|| shown.into_owned()),
        layout::Entry::Link(target) => leaks::shows_a_value(&target).then(|| format!("the link {shown}")),
        layout::Entry::Nothing | layout::Entry::Folder | layout::Entry::Other => None,
    }
}

/// The paths that a script names.
struct Written<'a>(Vec<&'a Path>);

impl<'a> Written<'a> {
    fn by(case: &'a Case) -> Self {
        let mut paths = Vec::new();
        for step in case.steps() {
            match step {
                Step::WriteFile { path, .. } | Step::Remove { path } | Step::Link { path, .. } => {
                    paths.push(Path::new(path));
                }
                Step::Rename { from, to } => paths.extend([Path::new(from), Path::new(to)]),
                _ => {}
            }
        }
        Self(paths)
    }

    /// Whether a path is one of them, stands below one, or is a folder on the way to one.
    fn holds(&self, path: &Path) -> bool {
        self.0.iter().any(|written| path.starts_with(written) || written.starts_with(path))
    }
}

/// The same tree with nothing but the script's own changes.
struct Replay {
    layout: Layout,
    changed: BTreeSet<PathBuf>,
}

impl Replay {
    /// Does what the script says on a tree laid out anew; nothing where it says nothing.
    fn of(case: &Case, outcomes: &BTreeMap<String, Outcome>) -> Option<Self> {
        if Written::by(case).0.is_empty() {
            return None;
        }
        let layout = Layout::of(case).ok()?;
        let assignment = Assignment::of(case, &layout).ok()?;
        replay(&assignment.script, &layout, outcomes);
        let changed = layout.changes().into_iter().collect();
        Some(Self { layout, changed })
    }
}

fn replay(steps: &[Step], layout: &Layout, outcomes: &BTreeMap<String, Outcome>) {
    for step in steps {
        // What a step cannot do here it could not do there, and there that is an outcome.
        let _ = layout::change(layout.root(), step);
        let outcome = step.label().and_then(|label| outcomes.get(label));
        // A scope that could not be had has not run its body.
        if matches!(outcome, None | Some(Outcome::Value(_))) {
            replay(step.body(), layout, outcomes);
        }
    }
}
