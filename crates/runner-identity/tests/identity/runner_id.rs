//! The grammar of ids (RUN-07).

use proptest::prelude::*;
use watertight_runner_identity::{IdentityFile, InvalidRunnerId, RunnerId};

#[test]
fn run_07_every_way_to_be_no_id_has_its_reason_and_none_repeats_the_text() {
    let long = "canary".repeat(22);
    for (text, reason) in [
        ("", InvalidRunnerId::Blank),
        (&*long, InvalidRunnerId::TooLong),
        ("-canary", InvalidRunnerId::Start),
        (".canary", InvalidRunnerId::Start),
        ("_canary", InvalidRunnerId::Start),
        (" canary", InvalidRunnerId::Start),
        ("\u{e9}canary", InvalidRunnerId::Start),
        ("canary ", InvalidRunnerId::Character),
        ("canary/x", InvalidRunnerId::Character),
        ("canary\n", InvalidRunnerId::Character),
        ("canary\u{200b}", InvalidRunnerId::Character),
        ("canary..x", InvalidRunnerId::DotDot),
        ("canary..", InvalidRunnerId::DotDot),
    ] {
        let error = text.parse::<RunnerId>().expect_err("no id");
        assert_eq!(error, reason, "{text:?}");
        assert!(!error.to_string().contains("canary"), "{error}");
        assert_eq!(error.code(), if text.is_empty() { "blank" } else { "invalid-id" });
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |character: char| character.is_ascii_alphanumeric() || "._:-".contains(character);
    (1..=128).contains(&text.len())
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(allowed)
        && !text.contains("..")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn run_07_the_grammar_and_nothing_else_is_an_id(
        text in prop_oneof!["[A-Za-z0-9._:-]{0,140}", "[ -~]{0,12}", any::<String>()],
    ) {
        match text.parse::<RunnerId>() {
            Ok(id) => {
                prop_assert!(is_id(&text));
                prop_assert_eq!(id.as_str(), &text);
                prop_assert_eq!(id.to_string(), text);
            }
            Err(_) => prop_assert!(!is_id(&text)),
        }
    }

    #[test]
    fn run_07_what_is_written_is_read_back_and_any_other_bytes_never_panic(
        id in "[A-Za-z0-9][A-Za-z0-9_:-]{0,127}",
        before in "\u{feff}?[ \t\r\n\u{b}\u{c}]{0,4}",
        after in "[ \t\r\n\u{b}\u{c}]{0,4}",
        bytes in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let home = tempfile::tempdir().expect("a temporary folder");
        let path = home.path().join("runner_id");
        std::fs::write(&path, format!("{before}{id}{after}")).expect("written");
        let read = IdentityFile::at(&path).load().expect("usable").expect("there");
        prop_assert_eq!(read.id().as_str(), id);
        std::fs::write(&path, &bytes).expect("written");
        if let Ok(Some(identity)) = IdentityFile::at(&path).load() {
            prop_assert!(is_id(identity.id().as_str()));
        }
    }
}
