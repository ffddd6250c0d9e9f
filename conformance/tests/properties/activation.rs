//! Activation is monotone, and its decision depends on the tree alone (CONF-23).

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use watertight_conformance::case::{Case, EntryKind, Expected, Given, Level, Step, TreeEntry};

use crate::{holds, tries};

/// What lies under one name of `profiles/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resident {
    Whole,
    EmptyEnv,
    CommentEnv,
    Parked,
    Deleted,
    Shell,
    AliasOfRoot,
    UnknownTombstone,
}

fn residents() -> impl Strategy<Value = Resident> {
    prop::sample::select(vec![
        Resident::Whole,
        Resident::EmptyEnv,
        Resident::CommentEnv,
        Resident::Parked,
        Resident::Deleted,
        Resident::Shell,
        Resident::AliasOfRoot,
        Resident::UnknownTombstone,
    ])
}

/// The model: who counts, and so what the host decides.
fn decision(residents: &[Resident]) -> &'static str {
    let counts = |resident: &&Resident| {
        matches!(
            resident,
            Resident::Whole | Resident::CommentEnv | Resident::Parked | Resident::UnknownTombstone
        )
    };
    if residents.contains(&Resident::UnknownTombstone) {
        "counting-failed"
    } else if residents.iter().any(|resident| counts(&resident)) {
        "activated"
    } else {
        "single-profile"
    }
}

fn entry(path: String, kind: EntryKind, text: Option<&str>, target: Option<&str>) -> TreeEntry {
    let (text, target) = (text.map(str::to_owned), target.map(str::to_owned));
    TreeEntry { path, kind, text, target, base64: None, repeat: None, mode: None }
}

fn tree(residents: &[Resident]) -> Vec<TreeEntry> {
    let mut tree = vec![entry(".hermes/SOUL.md".to_owned(), EntryKind::File, Some("x"), None)];
    for (number, resident) in residents.iter().enumerate() {
        let home = format!(".hermes/profiles/p{number}");
        let tombstone = format!(".hermes/profiles/.deleted/p{number}");
        let file = |name: &str, text| entry(format!("{home}/{name}"), EntryKind::File, Some(text), None);
        match resident {
            Resident::Whole => tree.push(file("SOUL.md", "x")),
            Resident::EmptyEnv => tree.push(file(".env", "")),
            Resident::CommentEnv => tree.push(file(".env", "# x\n")),
            Resident::Parked => tree.extend([file("SOUL.md", "x"), file("gateway.parked", "")]),
            Resident::Deleted => {
                tree.extend([file("SOUL.md", "x"), entry(tombstone, EntryKind::File, Some(""), None)]);
            }
            Resident::Shell => tree.push(file("logs/x.log", "x")),
            Resident::AliasOfRoot => tree.push(entry(home, EntryKind::Symlink, None, Some(".."))),
            Resident::UnknownTombstone => tree.extend([
                file("SOUL.md", "x"),
                entry(tombstone, EntryKind::Symlink, None, Some(&format!("p{number}"))),
            ]),
        }
    }
    tree
}

fn case(residents: &[Resident], env: &[(String, String)]) -> Case {
    let decision = decision(residents);
    let again = if decision == "single-profile" { "single-profile" } else { "already-active" };
    let eager = |label: &str| Step::ActivateEagerly { label: label.to_owned() };
    let value = |label: &str, text: &str| (label.to_owned(), Expected::Value(json!(text)));
    let mut given = Given { tree: tree(residents), ..Given::default() };
    given.env.extend(env.iter().cloned());
    given.env.insert("HOME".to_owned(), "{root}".to_owned());
    Case {
        id: "launch-policy/generated".to_owned(),
        about: "A generated tree and what it means for activation.".to_owned(),
        rules: vec!["CONF-23".to_owned()],
        level: Level::Core,
        refs: Vec::new(),
        platforms: Vec::new(),
        requires: Vec::new(),
        given,
        script: vec![eager("first"), eager("second")],
        expect: [value("first", decision), value("second", again)].into(),
        tree: None,
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(tries(128))]

    #[test]
    fn conf_23_the_decision_depends_on_the_tree_alone_and_is_never_taken_back(
        residents in prop::collection::vec(residents(), 0..5),
        env in prop::collection::vec(("[A-Z]{3,6}", "canary-[a-z]{1,4}"), 0..3),
    ) {
        holds(&case(&residents, &env))?;
    }

    #[test]
    fn conf_23_adding_a_profile_never_turns_activation_off(
        residents in prop::collection::vec(residents(), 0..5),
        added in residents(),
    ) {
        let mut more = residents.clone();
        more.push(added);
        let order: BTreeSet<_> = ["single-profile", "activated", "counting-failed"].into();
        prop_assert!(order.contains(decision(&more)));
        prop_assert!(
            decision(&residents) == "single-profile" || decision(&more) != "single-profile",
            "a profile more is not a profile less"
        );
        holds(&case(&more, &[]))?;
    }
}
