use std::fmt::Write as _;

use watertight_profile_home::parse_dotenv;

/// One line per finding.
fn findings(text: impl AsRef<[u8]>) -> String {
    let dotenv = parse_dotenv(text.as_ref()).unwrap();
    let mut shown = String::new();
    for finding in dotenv.diagnostics() {
        writeln!(shown, "{finding}").unwrap();
    }
    shown
}

/// Every kind of finding, with a canary in each value.
const EVERYTHING: &str = concat!(
    "A=canary-1\n",
    "B=\"canary-2\n",
    "C=\"canary-3\" canary-3\n",
    "D=#canary-4\n",
    "E= #canary-5\n",
    "F=\"canary-6\\n\"\n",
    "G=canary-7-$HOME\n",
    "canary-8 H=canary-8\n",
    "canary-9\n",
    "J=***\n",
    "K=canary-10\u{200B}\u{FEFF}\n",
    "L=canary-\0-11\n",
    "A=canary-12\n",
    "M='canary-13\n",
    "canary-13'\n",
    "N=-----BEGIN canary-14\n",
    "canary-14\n",
    "-----END canary-14\n",
    "canary==\n",
    "P=your-api-key-here\n",
    "Q=<canary-15>\n",
    "R=changeme\n",
    "S=\u{A0}canary\u{A0}16\n",
);

#[test]
fn file_04_findings_name_line_and_key_and_never_a_value() {
    let shown = findings(EVERYTHING);
    assert!(!shown.contains("canary"), "a finding holds a value: {shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn file_04_debug_holds_no_value() {
    let dotenv = parse_dotenv(EVERYTHING.as_bytes()).unwrap();
    let entries: Vec<_> = dotenv.entries().collect();
    let shown = format!("{dotenv:?} {dotenv:#?} {entries:?} {entries:#?}");
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn file_10_latin1_and_nul_are_reported() {
    assert!(findings(b"A=1\nB=\xFC\n").starts_with("warning [not-utf-8]:2: "));
    assert!(findings(b"A=1\nB=a\0b\n").starts_with("warning [nul-in-value]:2 B: "));
}

#[test]
fn file_10_the_line_of_the_first_byte_that_is_not_utf8_is_told_whatever_ends_lines() {
    for text in [
        &b"A=1\nB=2\nC=\xFC\n"[..],
        b"A=1\r\nB=2\r\nC=\xFC\r\n",
        b"A=1\rB=2\rC=\xFC\r",
        b"A=1\r\r\xFC",
        b"\xEF\xBB\xBFA=1\r\nB=2\n\xFC=3",
    ] {
        let shown = findings(text);
        assert!(shown.starts_with("warning [not-utf-8]:3: "), "{}: {shown}", text.escape_ascii());
    }
}

#[test]
fn file_04_invisible_characters_are_named_once_each_and_four_at_most() {
    let named = |value: &str| {
        let shown = findings(format!("A=x{value}x"));
        shown.split_once("cannot be seen: ").map(|(_, named)| named.trim_end().to_owned())
    };
    assert_eq!(named("\u{200B}x\u{200B}").as_deref(), Some("U+200B"));
    assert_eq!(
        named("\u{200B}\u{AD}\u{2060}\u{FEFF}\u{200C}").as_deref(),
        Some("U+200B U+00AD U+2060 U+FEFF")
    );
    assert_eq!(named("\u{AD}\u{200B}\u{AD}\u{200B}\u{7}").as_deref(), Some("U+00AD U+200B U+0007"));
    assert_eq!(named("\u{E9}"), None, "a letter can be seen");
}

/// The codes of what is found in the one value `A=..`.
fn codes(value: &str) -> Vec<&'static str> {
    let dotenv = parse_dotenv(format!("A={value}\n").as_bytes()).unwrap();
    dotenv.diagnostics().iter().map(watertight_vocabulary::Diagnostic::code).collect()
}

#[test]
fn file_19_what_looks_like_a_reference_is_noted_and_a_dollar_alone_is_not() {
    for value in ["$HOME", "a$b", "$Z", "${X}", "$(x)", "$_X", "5$ $A", "\"$HOME\"", "'a ${X}'"] {
        assert_eq!(codes(value), ["reference-kept"], "{value}");
    }
    for value in ["$", "$5", "a$", "$ x", "$$", "$-", "$)", "'$'", "\"1$ 2\""] {
        assert!(codes(value).is_empty(), "{value}");
    }
}

#[test]
fn file_16_a_backslash_that_stays_is_noted_wherever_it_stands() {
    for value in [r#""\n""#, r#""a\n""#, r#""\\\n""#, r#""\"\n""#, "\"\\\ny\"", "\"\\\ry\"", "\"x\\\n\""] {
        assert!(codes(value).contains(&"escape-kept"), "{value}");
    }
    for value in [r#""\\n""#, r#""\"\\""#, r"'\n'", r"\n", r#""n""#] {
        assert!(codes(value).is_empty(), "{value}: {:?}", codes(value));
    }
}

#[test]
fn file_04_a_value_that_nobody_means_is_called_a_placeholder() {
    let long = |length: usize| "a".repeat(length);
    for value in [
        "***",
        "xxx",
        "XXXX",
        "...",
        "<a>",
        "<your key>",
        "your-key",
        "YOUR_TOKEN",
        "your secret",
        "yourpassword",
        "Your value here",
        "changeme",
        "CHANGE_ME",
        "change-me",
        "placeholder",
        "replaceme",
        "replace_me",
        "todo",
        "TODO",
        "fixme",
    ] {
        assert_eq!(codes(value), ["placeholder"], "{value}");
    }
    assert_eq!(codes(&format!("<{}>", long(64))), ["placeholder"]);
    assert_eq!(codes(&format!("your-key{}", long(56))), ["placeholder"]);
    for value in [
        "**",
        "xx",
        "x",
        "..",
        "xxy",
        "*x*",
        "xXx",
        "<>",
        "<a",
        "a>",
        "---",
        "yours",
        "your",
        "yellow-key",
        "you-token",
        "todos",
        "my-changeme",
        "changeme-please",
        "fixmes",
        "placeholders",
    ] {
        assert!(codes(value).is_empty(), "{value}");
    }
    assert!(codes(&format!("<{}>", long(65))).is_empty(), "longer than what people put in brackets");
    assert!(codes(&format!("your-key{}", long(57))).is_empty());
}

#[test]
fn file_04_each_kind_of_character_that_cannot_be_seen_is_named() {
    for character in [
        '\u{1}',
        '\u{7F}',
        '\u{85}',
        '\u{A0}',
        '\u{AD}',
        '\u{61C}',
        '\u{115F}',
        '\u{1160}',
        '\u{180E}',
        '\u{2003}',
        '\u{200B}',
        '\u{200F}',
        '\u{2028}',
        '\u{202A}',
        '\u{202E}',
        '\u{2060}',
        '\u{206F}',
        '\u{3000}',
        '\u{3164}',
        '\u{FEFF}',
        '\u{FFA0}',
        '\u{FFF9}',
        '\u{FFFB}',
        '\u{E0000}',
        '\u{E007F}',
    ] {
        assert_eq!(codes(&format!("'x{character}x'")), ["invisible-character"], "{character:?}");
    }
    for character in ['\t', ' ', '\u{E9}', '\u{2010}', '\u{1F600}', '~'] {
        assert!(codes(&format!("'x{character}x'")).is_empty(), "{character:?}");
    }
    assert_eq!(codes("\u{200B}"), ["invisible-character"], "and nothing beside it");
    let several_lines = codes("'x\ny'");
    assert_eq!(several_lines, ["multi-line-value"], "the end of a line is no character to look for");
    assert_eq!(codes("x\0x"), ["nul-in-value"], "a NUL is said by its own name alone");
}

#[test]
fn file_14_each_odd_line_is_reported_by_its_number_alone() {
    let shown = findings("A-B=1\nA.B=2\n1A=3\nÄ=4\nOK=5\nJUSTAWORD\n=val\n");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[0].starts_with("warning [name-not-accepted]:4: "));
    assert!(lines[1].starts_with("warning [no-assignment]:6: "));
    assert!(lines[2].starts_with("warning [name-not-accepted]:7: "));
    assert!(!shown.contains("JUSTAWORD") && !shown.contains("val"), "{shown}");
}

#[test]
fn file_15_16_17_18_what_was_kept_as_written_is_reported_by_key() {
    for (text, expected) in [
        ("A=#x", "warning [value-begins-with-hash]:1 A: "),
        ("A= # x", "warning [value-begins-with-hash]:1 A: "),
        (r#"A="x\n""#, "note [escape-kept]:1 A: "),
        (r#"A="\x""#, "note [escape-kept]:1 A: "),
        ("A='x' y", "warning [text-after-quote]:1 A: "),
        ("A='x\nB=y", "warning [unterminated-quote]:1 A: "),
        ("\nA='x\ny'", "note [multi-line-value]:2-3 A: "),
        ("A=-----BEGIN x\nab==\ncd\n-----END x", "warning [key-material]:2-4: "),
        ("AB==", "warning [key-material]:1: "),
        ("A=1\nA=2\nA=3", "warning [duplicate-key]:1 A: "),
    ] {
        let shown = findings(text);
        assert!(shown.starts_with(expected), "{text:?}: {shown}");
    }
    for text in [r#"A="x\\\"""#, "A='\\n'", "A=\\n", "A=x # y", "A='x' # y", "A=\"x\" #y", "A=", "A=''"] {
        assert_eq!(findings(text), "", "{text:?}");
    }
    assert_eq!(findings("A=1\nA=2\nA=3").lines().count(), 2, "each earlier assignment is reported");
}

#[test]
fn file_04_a_file_of_junk_is_reported_in_bounded_space() {
    let dotenv = parse_dotenv("junk\n".repeat(5000).as_bytes()).unwrap();
    let last = dotenv.diagnostics().last().unwrap();
    assert_eq!((dotenv.diagnostics().len(), last.code()), (1001, "more-findings"));
    assert_eq!((last.line(), last.last_line()), (Some(1001), Some(5000)));
    assert!(last.to_string().contains("4000 more findings"), "{last}");
}
