use std::fmt::Write as _;

use proptest::prelude::*;
use watertight_profile_home::{Config, FileError, Invalid, Yaml, boolean_word, parse_config};

pub(crate) fn config(text: &str) -> Config {
    parse_config(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
pub(crate) fn invalid(text: impl AsRef<[u8]>) -> FileError {
    let error = parse_config(text.as_ref()).unwrap_err();
    assert!(error.is_invalid() && !error.is_unreadable(), "{error:?}");
    assert_eq!(error.code(), "invalid");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    error
}

/// A value in one line, for comparing.
pub(crate) fn shown(value: &Yaml) -> String {
    match value {
        Yaml::Null => "null".to_owned(),
        Yaml::Bool(value) => value.to_string(),
        Yaml::Int(text) => text.as_str().to_owned(),
        Yaml::Float(value) => format!("{:?}f", value.value()),
        Yaml::Text(text) => format!("{:?}", text.as_str()),
        Yaml::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Yaml::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", shown(key), shown(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Yaml::Tagged(value) => format!("!({})", shown(value)),
    }
}

/// The value of `a`, in one line.
fn a(text: &str) -> String {
    shown(config(text).get("a").unwrap_or_else(|| panic!("no `a`: {text}")))
}

#[test]
fn file_30_a_mark_is_dropped_and_nothing_is_an_empty_mapping() {
    assert_eq!(a("\u{FEFF}a: 1\n"), "1");
    for text in ["", "# c\n# d\n", "---\n", "   \n\n", "\u{FEFF}", "--- # c\n...\n", "~"] {
        let config = config(text);
        assert_eq!(config.entries().len(), 0, "{text:?}");
        assert!(config.section("terminal").unwrap().is_empty());
    }
}

#[test]
fn file_30_anything_but_utf8_is_invalid_with_its_line() {
    let error = invalid(b"a: 1\n# gr\xFC\nb: 2\n");
    assert_eq!((error.reason(), error.line()), ("not-utf-8", Some(2)));
    assert_eq!(invalid(b"\xFF\xFEa\0:\0 \x001\0\n\0").reason(), "not-utf-8");
}

#[test]
fn file_31_what_is_wrong_is_named_with_line_and_column_and_no_value() {
    for (text, reason, place) in [
        ("terminal:\n  backend: canary-1\nextra: {left open\n", "yaml-syntax", Some((4, 1))),
        ("a: @canary-1\n", "yaml-syntax", Some((1, 4))),
        ("a: \"canary-1\n", "yaml-syntax", Some((2, 1))),
        ("a:\n\tb: canary-1\n", "yaml-syntax", Some((2, 1))),
        ("a: canary-1\nb: \"x\u{7}\"\n", "yaml-syntax", Some((2, 6))),
        ("a: canary-1\0\n", "yaml-syntax", Some((1, 12))),
        ("a: !!int canary-1\n", "yaml-syntax", Some((1, 4))),
        ("a: canary-1\nb: 1\na: canary-2\n", "duplicate-key", Some((3, 1))),
        ("t:\n  x:\n  - canary-1: 1\n    canary-1: 2\n", "duplicate-key", Some((4, 5))),
        ("? [canary-1, 2]\n: x\n? [canary-1, 2]\n: y\n", "duplicate-key", Some((3, 3))),
        ("? {a: canary-1, a: 2}\n: x\n", "duplicate-key", Some((1, 17))),
        ("~: 1\nnull: 2\n", "duplicate-key", Some((2, 1))),
        ("1: canary-1\n0x1: 2\n", "duplicate-key", Some((2, 1))),
        ("a: canary-1\n---\nb: 2\n", "several-documents", None),
        ("a: *canary-1\n", "undefined-alias", Some((1, 4))),
        ("b: *x\na: &x 1\n", "undefined-alias", Some((1, 4))),
        ("a: &x [*x]\n", "beyond-budget", Some((1, 4))),
        ("x: &a 1\ny: &a canary-1\nz: &b 3\nw: *a\n", "repeated-anchor", Some((2, 0))),
    ] {
        let error = invalid(text);
        assert_eq!(error.reason(), reason, "{text}");
        let found = error.line().map(|line| (line, error.column().unwrap_or(0)));
        assert_eq!(found, place, "{text}");
    }
}

#[test]
fn file_31_a_local_tag_is_invalid_in_a_section_that_is_read_and_nowhere_else() {
    let text = "good: {a: 1}\nterminal:\n  ssh_key: !vault canary-1\nwhole: !secret canary-2\nmap: !x {a: 1}\n\
                key: {!x a: 1}\nlist: {a: [1, [!x 2]]}\nhidden: {a: !!str 12}\n";
    let config = config(text);
    assert!(config.section("good").is_ok());
    assert_eq!(shown(config.section("hidden").unwrap().get("a").unwrap()), "\"12\"");
    for (section, line) in [("terminal", 2), ("whole", 4), ("map", 5), ("key", 6), ("list", 7)] {
        let error = config.section(section).unwrap_err();
        assert_eq!((error.reason(), error.line()), ("local-tag", Some(line)), "{section}");
        assert!(error.to_string().contains(section), "{error}");
        assert!(!format!("{error} {error:?}").contains("canary"));
    }
    for text in ["!x {a: 1}", "!x\na: 1\n", "!terminal terminal: {backend: local}\n"] {
        assert_eq!(invalid(text).reason(), "local-tag", "{text}");
    }
}

#[test]
fn file_32_the_words_of_yaml_1_1_are_booleans_where_one_is_expected_and_text_elsewhere() {
    for (word, meaning) in [
        ("y", true),
        ("yes", true),
        ("on", true),
        ("true", true),
        ("n", false),
        ("no", false),
        ("off", false),
        ("false", false),
    ] {
        let title = word[..1].to_uppercase() + &word[1..];
        for spelling in [word.to_owned(), title, word.to_uppercase()] {
            assert_eq!(boolean_word(&spelling), Some(meaning), "{spelling}");
            for quote in ["", "\"", "'"] {
                let config = config(&format!("a: {quote}{spelling}{quote}\n"));
                assert_eq!(config.get("a").unwrap().as_boolean(), Some(meaning), "{quote}{spelling}");
            }
        }
    }
    assert_eq!(a("a: yes"), "\"yes\"");
    for (text, meaning) in
        [("a: 1", Some(true)), ("a: 0", Some(false)), ("a: \"1\"", Some(true)), ("a: '0'", Some(false))]
    {
        assert_eq!(config(text).get("a").unwrap().as_boolean(), meaning, "{text}");
    }
    for text in
        ["a: tRue", "a: yEs", "a: ' yes'", "a: 2", "a: 1.0", "a: ~", "a: [true]", "a: {}", "a: ''", "a: 01"]
    {
        assert_eq!(config(text).get("a").unwrap().as_boolean(), None, "{text}");
    }
}

#[test]
fn file_33_merge_keys_are_applied() {
    for (text, expected) in [
        ("b: &b {x: 1, y: 2}\na:\n  <<: *b\n  y: 3\n", "{\"x\": 1, \"y\": 3}"),
        ("b: &b {x: 1, y: 2}\na:\n  y: 3\n  <<: *b\n", "{\"y\": 3, \"x\": 1}"),
        ("b: &b {x: 1}\nd: &d {x: 9, z: 2}\na:\n  <<: [*b, *d]\n", "{\"x\": 1, \"z\": 2}"),
        ("b: &b {x: 1}\nd: &d {x: 9, z: 2}\na:\n  <<: [*d, *b]\n", "{\"x\": 9, \"z\": 2}"),
        ("a:\n  '<<': {x: 1}\n", "{\"x\": 1}"),
        ("a: {<<: {<<: {x: 1}, y: 2}, z: 3}\n", "{\"x\": 1, \"y\": 2, \"z\": 3}"),
        ("a: {<<: [], x: 1}\n", "{\"x\": 1}"),
        ("a: {<<: {}, x: 1}\n", "{\"x\": 1}"),
        ("a: [{<<: {x: 1}}]\n", "[{\"x\": 1}]"),
        ("a: {<<: {x: ~}, x: 1}\n", "{\"x\": 1}"),
        ("a: ['<<', <<]\n", "[\"<<\", \"<<\"]"),
    ] {
        assert_eq!(a(text), expected, "{text}");
    }
    let top = config("base: &b {terminal: {backend: docker}}\n<<: *b\n");
    assert!(!top.section("terminal").unwrap().is_empty(), "the file's own mapping is merged as well");
}

#[test]
fn file_33_a_merge_of_anything_else_is_invalid_wherever_it_stands() {
    for value in [
        "1",
        "text",
        "~",
        "[1]",
        "[{x: 1}, [{y: 2}]]",
        "[{x: 1}, ~]",
        "!x {x: 1}",
        "[!x {x: 1}]",
        "1.5",
        "true",
    ] {
        for text in
            [format!("a:\n  <<: {value}\n"), format!("a: [[{{<<: {value}}}]]\n"), format!("<<: {value}\n")]
        {
            assert_eq!(invalid(&text).reason(), "merge-value", "{text}");
        }
    }
    let error = invalid("a:\n  x: 1\n  <<: canary-1\n");
    assert_eq!((error.line(), error.column()), (Some(3), Some(7)));
    assert_eq!(invalid("a:\n  <<: {x: 1}\n  <<: {y: 1}\n").reason(), "duplicate-key");
}

#[test]
fn file_34_a_section_that_is_missing_or_null_is_empty() {
    for text in ["", "other: 1\n", "terminal:\n", "terminal: ~\n", "terminal: {}\n", "terminal: null\n"] {
        assert!(config(text).section("terminal").unwrap().is_empty(), "{text}");
    }
}

#[test]
fn file_35_a_root_or_a_section_of_another_type_is_invalid() {
    for (value, found) in [
        ("docker", "text"),
        ("[docker]", "a list"),
        ("1", "an integer"),
        ("1.5", "a float"),
        ("true", "a boolean"),
        ("''", "text"),
    ] {
        let config = config(&format!("other: [1]\nterminal: {value}\n"));
        let error = config.section("terminal").unwrap_err();
        assert!(error.is_invalid());
        assert_eq!((error.reason(), error.line()), ("section-type", Some(2)), "{value}");
        assert_eq!(
            error.to_string(),
            format!("line 2: the section `terminal` must be a mapping and is {found}")
        );

        let error = invalid(value);
        assert_eq!(error.reason(), "root-type", "{value}");
        assert!(error.to_string().contains(found), "{error}");
    }
    assert_eq!(invalid("- terminal: {backend: docker}\n").reason(), "root-type");
    // What nobody reads may hold anything.
    assert!(config("terminal: {}\nother: text\nmore: !x [1]\n").section("terminal").is_ok());
}

#[test]
fn file_35_the_line_of_a_section_is_told_only_where_it_is_certain() {
    for (text, line) in [
        ("# c\n\n\"terminal\" : x\n", Some(3)),
        ("'terminal': x\n", Some(1)),
        ("{terminal: x}\n", None),
        ("? terminal\n: x\n", None),
        ("text: 'one\n\nterminal: two'\nterminal: x\n", None),
    ] {
        assert_eq!(config(text).section("terminal").unwrap_err().line(), line, "{text}");
    }
}

#[test]
fn file_38_what_is_relied_on_of_the_librarys_scalars() {
    for (written, expected) in [
        ("022", "\"022\""),
        ("1_000", "\"1_000\""),
        ("12:30", "\"12:30\""),
        ("12:30:45", "\"12:30:45\""),
        ("2024-01-01", "\"2024-01-01\""),
        ("yes", "\"yes\""),
        ("\"yes\"", "\"yes\""),
        ("'022'", "\"022\""),
        ("0o22", "18"),
        ("0x16", "22"),
        ("0b101", "5"),
        ("1e3", "1000.0f"),
        ("1.10", "1.1f"),
        ("~", "null"),
        ("NULL", "null"),
        ("", "null"),
        ("True", "true"),
        ("tRue", "\"tRue\""),
        ("-0", "0"),
        ("+12", "12"),
        ("1.", "1.0f"),
        (".5", "0.5f"),
        (".inf", "inff"),
        ("1e999", "\"1e999\""),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
        ("-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"),
        ("340282366920938463463374607431768211456", "3.402823669209385e38f"),
        ("http://h:1/x", "\"http://h:1/x\""),
        ("!!int \"12\"", "12"),
        ("!!int \"18446744073709551616\"", "18446744073709551616"),
        ("\"\\u00e9\\x41\"", "\"éA\""),
    ] {
        assert_eq!(a(&format!("a: {written}\n")), expected, "{written}");
    }
    assert_eq!(a("a: |\n  l1\n  l2\n"), "\"l1\\nl2\\n\"");
    assert_eq!(a("a: >-\n  l1\n  l2\n"), "\"l1 l2\"");
    assert_eq!(a("a: 1\r\nb: x\r\n"), "1");
    assert_eq!(a("a: &x [1]\nb: *x\n"), "[1]");
}

#[test]
fn file_04_debug_of_a_config_shows_no_key_and_no_value() {
    let config = config(
        "terminal: {canary-1: canary-2, list: [canary-3, 12345678], f: 9876.5}\ncanary-4: !x canary-5\n",
    );
    let section = config.section("terminal").unwrap();
    let entries: Vec<_> = section.entries().chain(config.entries()).collect();
    let texts: Vec<_> = section
        .entries()
        .map(|(key, _)| match key {
            Yaml::Text(text) => text.clone(),
            _ => panic!(),
        })
        .collect();
    let shown = format!("{config:?} {config:#?} {section:?} {entries:?} {entries:#?} {texts:?}");
    for canary in ["canary", "12345678", "9876"] {
        assert!(!shown.contains(canary), "{shown}");
    }
}

#[test]
fn file_36_no_type_of_the_library_is_in_the_public_interface() {
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut knowing = Vec::new();
    let mut folders = vec![sources.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path).unwrap().contains("serde_yaml") {
                knowing.push(path.strip_prefix(&sources).unwrap().to_owned());
            }
        }
    }
    assert_eq!(knowing, [std::path::Path::new("config").join("load.rs")]);
}

#[test]
fn file_31_every_reason_has_a_code_of_its_own_and_a_way_to_mend_it() {
    let reasons = [
        Invalid::NotUtf8,
        Invalid::Syntax,
        Invalid::DuplicateKey,
        Invalid::SeveralDocuments,
        Invalid::UndefinedAlias,
        Invalid::RepeatedAnchor,
        Invalid::Budget("nodes"),
        Invalid::MergeValue,
        Invalid::RootType { found: "text" },
        Invalid::SectionType { section: "terminal".into(), found: "text" },
        Invalid::LocalTag { section: None },
    ];
    let mut text = String::new();
    let mut codes = std::collections::BTreeSet::new();
    for reason in reasons {
        let error = FileError::from(reason);
        assert!(codes.insert(error.reason()));
        writeln!(text, "{}: {error}; {}", error.reason(), error.mend()).unwrap();
    }
    insta::assert_snapshot!(text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn file_37_any_bytes_at_all_are_read_or_invalid(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = parse_config(&bytes) {
            prop_assert!(error.is_invalid());
        }
    }

    #[test]
    fn file_37_any_text_in_the_signs_of_yaml_is_read_or_invalid(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b: ", "- ", "? ", ": ", "\n", "  ", "[", "]", "{", "}", ", ", "&a ", "*a", "&b ", "*b", "<<: ", "!x ",
            "'", "\"", "|", ">", "#", "---\n", "...\n", "%", "~", "1", "\t", "canary",
        ]), 0..40),
    ) {
        if let Err(error) = parse_config(pieces.concat().as_bytes()) {
            prop_assert!(error.is_invalid());
            prop_assert!(!error.to_string().contains("canary"));
        }
    }
}
