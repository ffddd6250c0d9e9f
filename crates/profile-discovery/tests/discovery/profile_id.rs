use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;
use watertight_profile_discovery::{ProfileId, ProfileName, ProfileTree, Root};
use watertight_vocabulary::Platform;

use crate::support::{Tree, named};

/// Names that lead somewhere else where they are put into a path, and other nonsense.
const BAD: [&str; 22] = [
    "..",
    "../../etc",
    "a/b",
    "a\\b",
    "/abs",
    "C:x",
    "",
    " ",
    ".",
    "a\0b",
    "a\nb",
    "-x",
    "_x",
    "é",
    "a b",
    "a.b",
    ".deleted",
    "~",
    "~root",
    "a\u{200b}",
    "ſ",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

#[test]
fn prof_10_an_id_is_one_to_sixty_four_of_its_characters() {
    for good in ["a", "0", "coder", "a-b_c", "9-_", &"a".repeat(64), "con", "test"] {
        assert_eq!(ProfileId::parse(good).unwrap().as_str(), good);
    }
    for bad in BAD.into_iter().chain(["coder\n", "\ncoder", "Coder", "coder ", "default"]) {
        assert!(ProfileId::parse(bad).is_err(), "{bad:?} is no id");
    }
}

#[test]
fn prof_10_an_id_is_its_text_wherever_it_is_looked_up_by_one() {
    let id = ProfileId::parse("coder").unwrap();
    assert_eq!(AsRef::<str>::as_ref(&id), "coder");
    assert!(HashSet::from([id.clone()]).contains("coder"), "by its hash");
    assert!(BTreeSet::from([id.clone()]).contains("coder"), "by its order");
    assert!(!HashSet::from([id]).contains("codes"));
}

#[test]
fn prof_11_a_requested_name_is_trimmed_and_lower_cased() {
    for text in ["coder", "Coder", " coder ", "CODER\n", "\u{2003}coder\t"] {
        assert_eq!(ProfileName::requested(text).unwrap(), named("coder"), "{text:?}");
    }
    for text in ["default", "DEFAULT", " Default\n"] {
        assert_eq!(ProfileName::requested(text).unwrap(), ProfileName::Default, "{text:?}");
    }
    assert!(ProfileName::requested("ÉCLAIR").is_err(), "nothing but ASCII folds");
    assert!(ProfileName::requested("\u{212a}").is_err(), "the Kelvin sign is no `k`");
}

#[test]
fn prof_11_an_invalid_name_is_an_error_that_shows_it_escaped_and_cut() {
    for bad in BAD {
        let error = ProfileName::requested(bad).unwrap_err();
        assert_eq!(error.code(), "invalid-name", "{bad:?}");
        assert!(!error.to_string().contains(['\n', '\0', '\u{200b}']), "{bad:?} is escaped in {error}");
    }
    let long = format!("a b{}", "\n".repeat(500));
    let error = ProfileName::requested(&format!("{long}c")).unwrap_err();
    assert_eq!(error.text().chars().count(), 81, "80 characters and a sign that there were more");
    assert!(error.text().starts_with(r"a b\n\n"));
}

#[test]
fn prof_11_an_error_names_the_id_that_the_text_can_be_turned_into() {
    for (text, expected) in [
        ("My Coder!", Some("my-coder")),
        ("-x", Some("x")),
        ("_old_copy", Some("old_copy")),
        ("a.b", Some("a-b")),
        (&"A".repeat(70), Some("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")),
        ("..", None),
        ("", None),
        ("été", None),
        ("default!", None),
    ] {
        let error = ProfileName::requested(text).unwrap_err();
        assert_eq!(error.suggestion().map(ProfileId::as_str), expected, "{text:?}");
        let shown = expected.is_none_or(|id| error.to_string().contains(id));
        assert!(shown, "the id stands in the text: {error}");
    }
}

#[test]
fn prof_11_a_traversing_name_never_reaches_the_disk() {
    let tree = Tree::with(&["etc"]);
    let open = tree.scripted(|operation, path| {
        let folder = path.components().next_back().is_some_and(|last| last.as_os_str() == "profiles");
        assert!(folder, "only `profiles` is asked for names to suggest, not {operation:?} {path:?}");
        Ok(())
    });
    for bad in BAD.into_iter().filter(|bad| *bad != "../../etc") {
        assert_eq!(open.find(bad).unwrap_err().code(), "invalid-name", "{bad:?}");
    }
}

#[test]
fn prof_12_reserved_names_are_reserved_for_creation_only() {
    let tree = Tree::with(&["hermes", "test", "tmp", "root", "sudo"]);
    let open: ProfileTree = tree.open();
    assert_eq!(
        crate::support::listed(&open.list().unwrap()),
        ["default", "hermes", "root", "sudo", "test", "tmp"],
        "a listed profile of such a name is one like any other",
    );
    for name in ["hermes", "test", "tmp", "root", "sudo"] {
        assert_eq!(open.find(name).unwrap().name(), &named(name));
        let error = ProfileId::for_creation(name, Platform::Linux).unwrap_err();
        assert_eq!(error.code(), "reserved-name");
    }
    assert_eq!(ProfileId::for_creation(" Coder", Platform::Linux).unwrap().as_str(), "coder");
    assert!(ProfileId::for_creation("default", Platform::Linux).is_err());
}

#[test]
fn prof_12_a_device_is_no_folder_to_make_on_windows() {
    for name in ["con", "nul", "com1", "lpt9"] {
        assert!(ProfileId::for_creation(name, Platform::Windows).is_err(), "{name}");
        assert!(ProfileId::for_creation(name, Platform::Linux).is_ok(), "{name}");
    }
    for name in ["console", "com", "com0", "com10", "lpt"] {
        assert!(ProfileId::for_creation(name, Platform::Windows).is_ok(), "{name}");
    }
    let tree = Tree::with(&["con"]);
    let root = Root::at(tree.root(), Platform::Windows, &watertight_disk::RealFileSystem).unwrap();
    let open = ProfileTree::new(
        root,
        std::sync::Arc::new(watertight_disk::RealFileSystem),
        std::sync::Arc::new(watertight_profile_home::DiskFiles::new()),
    );
    assert_eq!(open.find("con").unwrap_err().code(), "invalid-name");
}

proptest! {
    #[test]
    fn prof_10_what_parses_is_safe_in_a_path(text in any::<String>()) {
        if let Ok(id) = ProfileId::parse(&text) {
            prop_assert_eq!(id.as_str(), &text);
            let path = std::path::Path::new(id.as_str());
            prop_assert_eq!(path.components().count(), 1);
            prop_assert!(matches!(path.components().next(), Some(std::path::Component::Normal(_))));
        }
    }

    #[test]
    fn prof_11_a_suggested_id_is_valid_and_asking_for_it_finds_it(text in "[ A-Za-z0-9._/-]{0,90}") {
        match ProfileName::requested(&text) {
            Ok(name) => prop_assert_eq!(ProfileName::requested(name.as_str()).unwrap(), name),
            Err(error) => if let Some(id) = error.suggestion() {
                prop_assert_eq!(ProfileName::requested(id.as_str()).unwrap(), named(id.as_str()));
            },
        }
    }
}
