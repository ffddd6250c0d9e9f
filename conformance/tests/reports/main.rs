//! What our crates say of every world among the fixtures, for people to review: reports (HOST-40), explanations
//! (SEC-29) and the texts of errors. `SNAPSHOTS.md` says how.

#![cfg(target_os = "linux")]
#![expect(clippy::expect_used, reason = "a test that cannot set its stage fails")]

mod explanations;

use std::collections::BTreeMap;
use std::fmt::Write;

use watertight_conformance::case::{Case, load_suite};
use watertight_conformance::fixtures;
use watertight_conformance::layout::Layout;
use watertight_conformance::rules::Rules;
use watertight_conformance::subject::{Assignment, InProcess, SAYS, Subject, host_of};

/// What is said of an area's worlds; worlds of which the same is said stand together.
fn worlds(area: &str, told: impl Fn(&Case) -> String) -> String {
    let rules = Rules::load(&fixtures()).expect("the tables");
    let suite = load_suite(&[fixtures()], rules).expect("the cases");
    let mut worlds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let cases = suite.cases.iter().filter(|case| case.area() == area && has_a_world(case));
    for case in cases {
        worlds.entry(told(case)).or_default().push(&case.id);
    }
    let mut sections: Vec<_> = worlds.into_iter().map(|(told, cases)| (cases, told)).collect();
    sections.sort_unstable();
    let mut text = String::new();
    for (cases, told) in sections {
        let _ = writeln!(text, "==== {}\n\n{told}", cases.join("\n     "));
    }
    text
}

/// Whether there is anything to report on. What only one platform can lay out is left to the cases.
fn has_a_world(case: &Case) -> bool {
    case.platforms.is_empty() && (case.tree.is_some() || !case.given.tree.is_empty())
}

fn report(case: &Case) -> String {
    told(case, |assignment| match host_of(assignment).expect("a case that was checked") {
        Ok(host) => host.report().to_string(),
        Err(error) => format!("no host: {error} [{}]", error.code()),
    })
}

/// What is said of a case's world, with `[ROOT]` in place of where it lies.
fn told(case: &Case, tell: impl FnOnce(&Assignment) -> String) -> String {
    let layout = Layout::of(case).expect("a tree");
    let assignment = Assignment::of(case, &layout).expect("an assignment");
    let told = tell(&assignment);
    assert!(layout.changes().is_empty(), "{}: telling changes nothing", case.id);
    assert!(!told.contains("canary-"), "{}: what is told holds no value", case.id);
    layout.masked(&told).replace("{root}", "[ROOT]")
}

macro_rules! areas {
    ($($test:ident $area:literal)*) => {$(
        #[test]
        fn $test() {
            insta::assert_snapshot!($area, worlds($area, report));
        }
    )*};
}

areas! {
    host_40_the_reports_of_the_profile_trees "profile-tree"
    host_40_the_reports_of_the_profile_files "profile-files"
    host_40_the_reports_of_the_environments "env-snapshot"
    host_40_the_reports_of_the_secrets "secret-scope"
    host_40_the_reports_of_the_terminals "terminal-scope"
    host_40_the_reports_of_the_launches "launch-policy"
    host_40_the_reports_of_the_contexts "context"
    host_40_the_reports_of_the_identities "runner-identity"
}

/// The text of every error that a case leads to, with the codes and the cases that it is told for.
#[test]
fn conf_04_the_texts_of_errors() {
    let rules = Rules::load(&fixtures()).expect("the tables");
    let suite = load_suite(&[fixtures()], rules).expect("the cases");
    let subject = InProcess::new();
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for case in suite.cases.iter().filter(|case| case.platforms.is_empty()) {
        let layout = Layout::of(case).expect("a tree");
        let assignment = Assignment::of(case, &layout).expect("an assignment");
        let log = subject.run(&assignment).expect("it runs").log;
        for text in log.iter().filter_map(|line| line.strip_prefix(SAYS)) {
            let cases = texts.entry(layout.masked(text).replace("{root}", "[ROOT]")).or_default();
            if cases.last() != Some(&case.id.as_str()) {
                cases.push(&case.id);
            }
        }
    }
    let mut shown = String::new();
    for (text, cases) in texts {
        let more = if cases.len() > 1 { format!(" and {} more", cases.len() - 1) } else { String::new() };
        let _ = writeln!(shown, "{text}\n    {}{more}", cases.first().unwrap_or(&""));
    }
    insta::assert_snapshot!("error-texts", shown);
}
