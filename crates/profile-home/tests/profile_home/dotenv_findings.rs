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
}
