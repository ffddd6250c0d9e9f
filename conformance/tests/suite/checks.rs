//! What is checked of every answer beside its outcomes: ids that are on disk, a disk that is left alone, and no
//! value in anything that was written.

use std::fs;
use std::path::Path;

use watertight_conformance::case::{CAPABILITIES, Case, EntryKind, Outcome, TreeEntry};
use watertight_conformance::check::Difference;
use watertight_conformance::runner::{Verdict, reason_to_skip, run_case};
use watertight_conformance::subject::{Answer, Assignment, Fault, Hello, InProcess, Subject};

use crate::suite;

const NEW_ID: &str = "runner_0123456789ab4def8123456789abcdef";
const OLD_ID: &str = "runner_00112233445546778899aabbccddeeff";

/// Our crates, with something done to the tree or to the answer afterwards.
struct Meddler<F>(Hello, F);

impl<F: Fn(&Path, &mut Answer) + Send + Sync> Subject for Meddler<F> {
    fn hello(&self) -> &Hello {
        &self.0
    }

    fn run(&self, assignment: &Assignment) -> Result<Answer, Fault> {
        let mut answer = InProcess::new().run(assignment)?;
        (self.1)(assignment.root(), &mut answer);
        Ok(answer)
    }
}

fn case(id: &str) -> Case {
    suite().cases.into_iter().find(|case| case.id == id).expect("the case is there")
}

/// How a case ends for a subject that meddles.
fn meddled(id: &str, meddle: impl Fn(&Path, &mut Answer) + Send + Sync) -> Vec<Difference> {
    let subject = Meddler(InProcess::new().hello().clone(), meddle);
    match run_case(&case(id), &subject) {
        Verdict::Passed => Vec::new(),
        Verdict::Failed(differences) => differences,
        other => panic!("{other:?}"),
    }
}

/// Whether the only difference is that this path is not as the case leaves it.
fn is_change(differences: &[Difference], path: &str) -> bool {
    matches!(differences, [Difference::Changed(changed)] if changed == Path::new(path))
}

fn say(answer: &mut Answer, labels: &[&str], id: &str) {
    for label in labels {
        answer.outcomes.insert((*label).to_owned(), Outcome::Value(id.into()));
    }
}

#[test]
fn conf_04_an_id_that_the_case_knows_is_no_new_one() {
    let differences = meddled("runner-identity/regenerate", |_, answer| {
        say(answer, &["before", "new", "after", "loaded"], OLD_ID);
    });
    let is_outcome = |label: &str| {
        differences.iter().any(|one| matches!(one, Difference::Outcome { label: told, .. } if told == label))
    };
    assert!(is_outcome("new") && is_outcome("after"), "regenerating nothing is seen: {differences:?}");
    assert!(!is_outcome("before"), "the old id is expected as it is");
}

#[test]
fn conf_04_an_id_that_was_given_stands_in_its_file() {
    let id = "runner-identity/made-when-there-is-none";
    assert_eq!(meddled(id, |_, _| ()), []);
    let differences = meddled(id, |_, answer| say(answer, &["made", "again", "loaded"], NEW_ID));
    assert!(matches!(differences.as_slice(), [Difference::NotWritten(_)]), "{differences:?}");
    let removed = |root: &Path, _: &mut Answer| {
        fs::remove_file(root.join(".omnigent/runners/runner_id")).expect("it was written");
    };
    assert!(matches!(meddled(id, removed).as_slice(), [Difference::NotWritten(_)]));
}

#[cfg(unix)]
#[test]
fn conf_04_a_hardened_case_holds_an_id_to_its_modes() {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &'static str, mode| {
        move |root: &Path, _: &mut Answer| {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).expect("it is there");
        }
    };
    let hardened = "runner-identity/racers-agree";
    for (path, mode) in
        [(".omnigent", 0o755), (".omnigent/runners", 0o750), (".omnigent/runners/runner_id", 0o644)]
    {
        let differences = meddled(hardened, open(path, mode));
        assert!(
            matches!(differences.as_slice(), [Difference::Mode { actual, .. }] if *actual == mode),
            "{path}: {differences:?}"
        );
    }
    let core = meddled("runner-identity/made-when-there-is-none", open(".omnigent/runners/runner_id", 0o644));
    assert_eq!(core, [], "RUN-06 is a hardened rule");
}

#[test]
fn conf_04_only_the_files_of_an_id_that_was_made_are_excused() {
    let write = |path: &'static str| {
        move |root: &Path, _: &mut Answer| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "x").expect("a file");
        }
    };
    let made = "runner-identity/made-when-there-is-none";
    assert_eq!(meddled(made, write(".omnigent/runners/runner_id.lock")), []);
    assert!(is_change(
        &meddled(made, write(".omnigent/runners/.runner_id.tmp")),
        ".omnigent/runners/.runner_id.tmp"
    ));
    let differences =
        meddled("runner-identity/load-makes-nothing", write(".omnigent/runners/runner_id.lock"));
    assert_eq!(differences.len(), 3, "two folders and a file where no id was made: {differences:?}");
    let differences = meddled("runner-identity/from-the-file", write(".omnigent/runners/runner_id.machine"));
    assert!(is_change(&differences, ".omnigent/runners/runner_id.machine"), "{differences:?}");
}

#[test]
fn conf_05_what_the_script_writes_stays_as_the_script_left_it() {
    let (id, file) = ("secret-scope/scope-is-immutable", ".hermes/profiles/coder/.env");
    assert_eq!(meddled(id, |_, _| ()), []);
    let rewrite = |root: &Path, _: &mut Answer| fs::write(root.join(file), "CODER_KEY=x\n").expect("a file");
    assert!(is_change(&meddled(id, rewrite), file));
    let remove = |root: &Path, _: &mut Answer| fs::remove_file(root.join(file)).expect("it is there");
    assert!(is_change(&meddled(id, remove), file));
}

#[test]
fn conf_05_no_value_stands_in_a_file_or_in_the_name_of_one() {
    let id = "secret-scope/hit";
    let leaks = |differences: &[Difference], place: &str| {
        differences.iter().any(|one| matches!(one, Difference::Leak { place: told } if told.contains(place)))
    };
    let in_a_file = meddled(id, |root, _| fs::write(root.join("cache"), "63616e6172792d31").expect("a file"));
    assert!(leaks(&in_a_file, "cache"), "{in_a_file:?}");
    let in_a_name = meddled(id, |root, _| fs::write(root.join("canary-coder.lock"), "").expect("a file"));
    assert!(leaks(&in_a_name, "name of a file"), "{in_a_name:?}");
}

#[test]
fn conf_10_a_tree_that_cannot_be_laid_out_is_a_failure() {
    let mut case = case("context/detached");
    let file = |path: &str| TreeEntry {
        path: path.to_owned(),
        kind: EntryKind::File,
        text: None,
        base64: None,
        repeat: None,
        mode: None,
        target: None,
    };
    case.given.tree = vec![file("plain"), file("plain/below")];
    let verdict = run_case(&case, &InProcess::new());
    assert!(
        matches!(&verdict, Verdict::Failed(all) if matches!(all.as_slice(), [Difference::NotLaidOut(_)])),
        "{verdict:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn conf_10_in_process_no_case_is_skipped() {
    let (suite, subject) = (suite(), InProcess::new());
    let skipped = suite.cases.iter().filter(|case| reason_to_skip(case, &subject).is_some());
    let skipped: Vec<_> = skipped.map(|case| &case.id).collect();
    assert!(skipped.is_empty(), "{skipped:?}");
}

#[test]
fn conf_11_every_capability_is_described_and_needed() {
    let protocol = include_str!("../../PROTOCOL.md");
    let suite = suite();
    for capability in CAPABILITIES {
        assert!(protocol.contains(&format!("`{capability}`")), "{capability} is not in PROTOCOL.md");
        let needed = suite.cases.iter().any(|case| case.capabilities().iter().any(|one| one == capability));
        assert!(needed, "no case needs {capability}");
    }
}
