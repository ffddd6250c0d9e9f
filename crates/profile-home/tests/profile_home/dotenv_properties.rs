use proptest::prelude::*;
use watertight_profile_home::{WriteError, parse_dotenv, write_dotenv, write_value};

use crate::dotenv_values::pairs;

/// Text in which everything that means something to some reader is common.
fn spiky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "\"", "'", "\\", "#", " #", "$", "${A}", "=", "==", " ", "\t", "\n", "\r\n", "\r", "A", "B=", "export ",
            "ABC=\"\n", "abc='\n", "# 5\"\n", "foo '\n", "-----BEGIN ", "-----END ", "\u{FEFF}", "\u{A0}", "\u{2028}", "\0", "A=1\n", "B=\"x\n", "C='y\n",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn writable() -> impl Strategy<Value = String> {
    prop_oneof![spiky(), any::<String>()].prop_map(|text| text.replace(['\r', '\n', '\0'], ""))
}

fn key() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conf_24_any_bytes_at_all_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_dotenv(&bytes);
    }

    #[test]
    fn conf_24_any_text_is_read_without_a_panic(text in spiky()) {
        prop_assert!(parse_dotenv(text.as_bytes()).is_ok());
    }

    #[test]
    fn file_22_what_the_writer_writes_the_reader_reads_back(value in writable(), key in key()) {
        let written = write_value(&value).unwrap();
        prop_assert_eq!(pairs(format!("{key}={}\n", *written)), [(key, value)]);
    }

    #[test]
    fn file_22_a_whole_file_is_read_back_without_a_finding_about_its_form(
        entries in prop::collection::btree_map(key(), writable(), 0..8),
    ) {
        let text = write_dotenv(entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))).unwrap();
        let expected: Vec<(String, String)> = entries.into_iter().collect();
        prop_assert_eq!(pairs(text.as_str()), expected);
        for finding in parse_dotenv(text.as_bytes()).unwrap().diagnostics() {
            let about_the_value = ["reference-kept", "placeholder", "invisible-character"];
            prop_assert!(about_the_value.contains(&finding.code()), "{}", finding);
        }
    }

    #[test]
    fn file_14_every_line_that_assigns_nothing_is_reported(text in spiky()) {
        let dotenv = parse_dotenv(text.as_bytes()).unwrap();
        // An oracle of its own: split, and look at each line that is neither blank nor a comment.
        let unified = text.trim_start_matches('\u{FEFF}').replace("\r\n", "\n").replace('\r', "\n");
        prop_assume!(!text.starts_with("\u{FEFF}\u{FEFF}"));
        for (number, line) in (1..).zip(unified.split('\n')) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let assigns = dotenv.entries().any(|entry| entry.line() == number);
            let covered = dotenv.diagnostics().iter().any(|finding| {
                let first = finding.line().unwrap_or(0);
                (first..=finding.last_line().unwrap_or(first)).contains(&number)
            });
            prop_assert!(assigns || covered, "line {} is lost: {:?}", number, line);
        }
    }

    #[test]
    fn file_18_two_files_without_an_open_quote_read_as_the_one_and_then_the_other(
        first in spiky(),
        second in spiky(),
    ) {
        // Key material that begins in the one may end in the other; so may a quote, which is what is open.
        let closed = |text: String| {
            let text = text.replace("-----", "").replace('\u{FEFF}', "") + "\n";
            let dotenv = parse_dotenv(text.as_bytes()).unwrap();
            let open = dotenv.diagnostics().iter().any(|finding| finding.code() == "unterminated-quote");
            if open { text.replace(['"', '\''], "") } else { text }
        };
        let (first, second) = (closed(first), closed(second));
        let mut expected = pairs(&first);
        for (key, value) in pairs(&second) {
            match expected.iter_mut().find(|(earlier, _)| *earlier == key) {
                Some(entry) => entry.1 = value,
                None => expected.push((key, value)),
            }
        }
        prop_assert_eq!(pairs(first + &second), expected);
    }

    #[test]
    fn file_04_no_finding_holds_a_byte_of_a_value(prefix in spiky(), quote in "[\"']?", suffix in spiky()) {
        let text = format!("KEY={quote}{prefix}canary-1{suffix}\n");
        let dotenv = parse_dotenv(text.as_bytes()).unwrap();
        for finding in dotenv.diagnostics() {
            // A key that the text happens to spell is a key.
            let shown = finding.to_string().replace(finding.subject().unwrap_or("\0"), "");
            prop_assert!(!shown.contains("canary"), "{}", finding);
        }
        let shown = format!("{dotenv:?}");
        prop_assert!(!shown.contains("canary"));
    }
}

#[test]
fn file_22_line_ends_and_nul_cannot_be_written_and_the_error_holds_no_value() {
    for value in ["canary-1\n", "canary-1\rx", "canary-1\0"] {
        let error = write_value(value).unwrap_err();
        assert_eq!(error.code(), "value-not-writable");
        assert!(!format!("{error} {error:?}").contains("canary"));
    }
    let error = write_dotenv([("GOOD", "x"), ("canary 2", "y")]).unwrap_err();
    assert_eq!(error, WriteError::Key { position: 2 });
    assert!(!format!("{error} {error:?}").contains("canary"));
}

#[test]
fn file_22_the_forms_are_bare_then_single_then_double() {
    for (value, written) in [
        ("a_Z9./:@%+,-", "a_Z9./:@%+,-"),
        ("", "''"),
        ("a b", "'a b'"),
        ("a#b", "'a#b'"),
        ("a=b", "'a=b'"),
        ("ä", "'ä'"),
        ("a\"b", "'a\"b'"),
        ("a\\b", "'a\\b'"),
        ("it's", "\"it's\""),
        ("a\\", "\"a\\\\\""),
        ("'\"\\", "\"'\\\"\\\\\""),
    ] {
        assert_eq!(*write_value(value).unwrap(), written, "{value}");
    }
}
