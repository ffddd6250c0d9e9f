//! Files made to stop the process that reads them (FILE-37), read by a process with a memory limit.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use watertight_profile_home::parse_config;

/// The most that the process may hold, in KiB: address space, with the threads' stacks and the program.
const MEMORY: u64 = 256 << 10;
/// The most memory that the process may ever have held, in KiB. The bar of 31 MB was measured without the files
/// that stop just short of the budget for signs: with these an optimised build holds 38. A debug build is a
/// larger program.
const HELD: u64 = if cfg!(debug_assertions) { 64 << 10 } else { 40 << 10 };
/// The most that a file may take, in milliseconds. Unguarded, the same files take 20 to 120 seconds or never
/// end; a debug build on a busy machine is some ten times slower than an optimised one.
const TIME: u64 = if cfg!(debug_assertions) { 6000 } else { 600 };

fn nested(open: &str, inside: &str, close: &str, depth: usize) -> String {
    format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
}

fn block(depth: usize) -> String {
    let mut text = String::new();
    for level in 0..depth {
        writeln!(text, "{}a:", " ".repeat(level)).unwrap();
    }
    text
}

/// Levels of lists of nine aliases each.
fn laughs(levels: usize, fan: usize) -> String {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..=levels {
        let aliases = vec![format!("*a{}", level - 1); fan].join(", ");
        writeln!(text, "a{level}: &a{level} [{aliases}]").unwrap();
    }
    text
}

/// One anchored list of `items`, aliased `aliases` times.
fn quadratic(items: usize, aliases: usize) -> String {
    format!("a: &a [{}]\nb: [{}]\n", "x,".repeat(items), "*a,".repeat(aliases))
}

fn merges(levels: usize) -> String {
    let mut text = "m0: &m0 {k: v}\n".to_owned();
    for level in 1..=levels {
        let aliases = vec![format!("*m{}", level - 1); 9].join(", ");
        writeln!(text, "m{level}: &m{level}\n  <<: [{aliases}]\n  k{level}: v").unwrap();
    }
    text
}

fn chain(depth: usize) -> String {
    let mut text = "a0: &a0 x\n".to_owned();
    for level in 1..=depth {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    text
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

const OK: &[&str] = &["ok"];
const BUDGET: &[&str] = &["beyond-budget"];
const INVALID: &[&str] =
    &["beyond-budget", "yaml-syntax", "duplicate-key", "undefined-alias", "several-documents"];

/// Any end that is not the process's own.
const ANY: &[&str] = &[
    "ok",
    "beyond-budget",
    "yaml-syntax",
    "duplicate-key",
    "undefined-alias",
    "several-documents",
    "root-type",
    "repeated-anchor",
    "merge-value",
    "local-tag",
];

/// What a file is, its text, and the reasons it may end with.
type Hostile = (&'static str, String, &'static [&'static str]);

/// Files that grow, nest or repeat.
fn growing() -> Vec<Hostile> {
    vec![
        ("1 MB scalar", format!("a: {}\n", "x".repeat(1_000_000)), OK),
        ("1 MB quoted scalar", format!("a: \"{}\"\n", "x".repeat(1_000_000)), OK),
        ("60k-entry list", numbered(60_000, |n| format!("- {n}\n")), BUDGET),
        ("60k-key map", numbered(60_000, |n| format!("k{n}: v\n")), BUDGET),
        ("laughs 6", laughs(6, 9), BUDGET),
        ("laughs 9", laughs(9, 9), BUDGET),
        ("laughs 12", laughs(12, 9), BUDGET),
        ("laughs of two", laughs(60, 2), BUDGET),
        ("quadratic, 15 KB", quadratic(2000, 3000), BUDGET),
        ("quadratic, 24 KB", quadratic(1000, 3000), BUDGET),
        ("quadratic, 64 KB", quadratic(12_000, 10_000), BUDGET),
        ("quadratic, 256 KB", quadratic(50_000, 40_000), BUDGET),
        ("quadratic of nothing", format!("a: &a []\nb: [{}]\n", "*a,".repeat(300_000)), BUDGET),
        ("text aliases", format!("a: &a {}\nb: [{}]\n", "x".repeat(60_000), "*a,".repeat(2000)), BUDGET),
        ("merge bomb", merges(9), BUDGET),
        ("merge bomb, deep", merges(100), BUDGET),
        ("flow list 100", format!("a: {}\n", nested("[", "x", "]", 100)), OK),
        ("flow list 200", format!("a: {}\n", nested("[", "x", "]", 200)), BUDGET),
        ("flow list 1000", format!("a: {}\n", nested("[", "x", "]", 1000)), BUDGET),
        ("flow list 4000", format!("a: {}\n", nested("[", "x", "]", 4000)), BUDGET),
        ("flow list 10000", format!("a: {}\n", nested("[", "x", "]", 10_000)), BUDGET),
        ("flow list 100000", format!("a: {}\n", nested("[", "x", "]", 100_000)), BUDGET),
        ("flow map 100", format!("a: {}\n", nested("{a: ", "x", "}", 100)), OK),
        ("flow map 1000", format!("a: {}\n", nested("{a: ", "x", "}", 1000)), BUDGET),
        ("flow map 2000", format!("a: {}\n", nested("{a: ", "x", "}", 2000)), BUDGET),
        ("flow map 10000", format!("a: {}\n", nested("{a: ", "x", "}", 10_000)), BUDGET),
        ("flow map 30000", format!("a: {}\n", nested("{a: ", "x", "}", 30_000)), BUDGET),
        ("flow map 100000", format!("a: {}\n", nested("{a: ", "x", "}", 100_000)), BUDGET),
        ("block map 100", block(100), OK),
        ("block map 1000", block(1000), BUDGET),
        ("block map 1400", block(1400), BUDGET),
        ("block list on a line, 1000", "- ".repeat(1000) + "x\n", BUDGET),
        ("block list on a line, 10000", "- ".repeat(10_000) + "x\n", BUDGET),
        ("block list on a line, 100000", "- ".repeat(100_000) + "x\n", BUDGET),
        ("block list on a line, 1 MiB", "- ".repeat(MIB / 2), BUDGET),
        ("open [ 11000", "[".repeat(11_000), INVALID),
        ("open [ 20000", "[".repeat(20_000), BUDGET),
        ("open [ 30000", "[".repeat(30_000), BUDGET),
        ("open [ 50000", "[".repeat(50_000), BUDGET),
        ("open [ 100000", "[".repeat(100_000), BUDGET),
        ("open [ 1 MiB", "[".repeat(MIB), BUDGET),
        ("open { 100000", "{".repeat(100_000), BUDGET),
        ("open {a: 2000", "{a: ".repeat(2000), INVALID),
        ("open {a: 50000", "{a: ".repeat(50_000), BUDGET),
        (
            "just below the budget for brackets",
            format!("a: {}\nb: '{}'\n", nested("[", "x", "]", 127), "x".repeat(MIB - 400)),
            OK,
        ),
        ("brackets in comments", format!("a: 1\n{}", "# [[[[[[[[\n".repeat(1000)), OK),
    ]
}

/// Files of one sign, and of many.
fn repeating() -> Vec<Hostile> {
    vec![
        ("? 1000", "? ".repeat(1000) + "\n", BUDGET),
        ("? 5000", "? ".repeat(5000) + "\n", BUDGET),
        ("? 20000", "? ".repeat(20_000) + "\n", BUDGET),
        ("? 1 MiB", "? ".repeat(MIB / 2), BUDGET),
        ("- ? 1 MiB", "- ? ".repeat(MIB / 4), BUDGET),
        ("anchors", numbered(60_000, |n| format!("- &a{n} x\n")), BUDGET),
        ("anchors on nothing", "&a ".repeat(MIB / 3), INVALID),
        ("aliases of nothing", "- *a\n".repeat(MIB / 5), INVALID),
        ("alias chain 2000", chain(2000), BUDGET),
        ("recursive alias", "a: &a [*a]\n".to_owned(), BUDGET),
        ("recursive alias, wide", format!("a: &a [{}]\n", "*a,".repeat(1000)), BUDGET),
        ("long anchor names", format!("- &{0} x\n- *{0}\n", "a".repeat(400 * KIB)), &["root-type"]),
        ("comments", "# comment\n".repeat(MIB / 10), OK),
        ("line ends", "\n".repeat(MIB / 2), OK),
        ("spaces", " ".repeat(MIB), OK),
        ("tabs", "\t".repeat(MIB), &["ok", "yaml-syntax"]),
        ("documents", "---\n".repeat(MIB / 4), INVALID),
        ("document ends", "...\n".repeat(MIB / 4), &["ok", "yaml-syntax", "several-documents"]),
        ("directives", "%YAML 1.1\n".repeat(MIB / 10), BUDGET),
        (
            "tag directives",
            numbered(30_000, |n| format!("%TAG !a{n}! tag:x,2000:\n")) + "---\na: 1\n",
            BUDGET,
        ),
        (
            "tags of many handles",
            numbered(100, |n| format!("%TAG !{n}! tag:x,2000:\n"))
                + "---\na:\n"
                + &"- !99!x y\n".repeat(20_000),
            OK,
        ),
        ("local tags", format!("a:\n{}", "- !x y\n".repeat(30_000)), BUDGET),
        ("one long tag", format!("a: !{} x\n", "y".repeat(500 * KIB)), &["ok", "yaml-syntax"]),
        ("escapes", format!("a: \"{}\"\n", "\\x41".repeat(MIB / 5)), OK),
        ("open quote", format!("a: \"{}", "x ".repeat(MIB / 3)), INVALID),
        ("single quotes", format!("a: '{}'\n", "''".repeat(MIB / 3)), OK),
        ("plain text over lines", format!("a: {}\n", "x\n  ".repeat(MIB / 5)), OK),
        ("block text", format!("a: |\n{}", "  x\n".repeat(MIB / 5)), OK),
        ("folded text", format!("a: >\n{}", "  x\n\n".repeat(MIB / 6)), OK),
        ("long keys", numbered(500, |n| format!("{}{n}: v\n", "k".repeat(900))), OK),
        ("one key", "a: 1\n".repeat(MIB / 5), INVALID),
        ("colons", ":".repeat(MIB - 1), &["ok", "yaml-syntax", "root-type"]),
        ("colons and spaces", ": ".repeat(MIB / 2), INVALID),
        ("commas", format!("a: [{}]\n", ",".repeat(MIB / 2)), INVALID),
        ("a byte order mark and a quote", format!("\u{FEFF}\" #\n{}\"", "- ".repeat(60_000)), ANY),
        ("nulls in a list", format!("a:\n{}", "-\n".repeat(400_000)), BUDGET),
        ("short lists", "- - - - - - - -\n".repeat(MIB / 17), BUDGET),
        ("empty keys", "a:\n".repeat(MIB / 3), BUDGET),
        ("signs behind other line ends", format!("a:{}", "\u{85} -".repeat(MIB / 5)), BUDGET),
        ("signs behind U+2028", format!("a:{}", "\u{2028} -".repeat(MIB / 6)), BUDGET),
        ("just below the budget for signs", numbered(99_000, |_| "? \n".to_owned()), INVALID),
        ("just below the budget for signs, nested", "? ".repeat(99_000), BUDGET),
        ("nulls as keys", "? \n".repeat(MIB / 3), INVALID),
        ("lists as keys", numbered(5000, |n| format!("? [a, b, c, {n}]\n: x\n")), &["ok", "beyond-budget"]),
        ("deep keys", nested("? - ", "x", "", 60) + "\n", OK),
        ("many texts", numbered(20_000, |n| format!("k{n}: {}\n", "x".repeat(40))), OK),
        ("half the nodes", numbered(24_000, |n| format!("k{n}: v\n")), OK),
        ("NUL", "\0".repeat(MIB), INVALID),
        ("a byte order mark each", "\u{FEFF}".repeat(MIB / 3), &["ok", "yaml-syntax", "root-type"]),
        ("healthy", "terminal:\n  backend: docker\n".to_owned(), OK),
    ]
}

/// What may stand in brackets, below the budget for signs: there the library keeps most.
fn in_brackets() -> Vec<Hostile> {
    let mut files = Vec::new();
    for (item, signs) in [
        ("?,", 2),
        ("? ,", 2),
        (":,", 2),
        ("?:,", 3),
        ("?: x,", 3),
        ("\"\":,", 2),
        ("'':x,", 2),
        ("a: ,", 2),
        ("a: b,", 2),
        ("x,", 1),
        ("*a,", 1),
        ("&a ,", 1),
        ("!!str ,", 1),
        ("!x ,", 1),
        ("!<x> ,", 1),
    ] {
        // A debug build takes long: those that took most memory come close to the budget, the others a third.
        let count = if matches!(item, "a: b," | "\"\":,") { 99_980 } else { 33_000 };
        for (open, close, count) in [("[", "]", count), ("{", "}", 10_000)] {
            let text = format!("a: {open}{}{close}\n", item.repeat(count / signs));
            files.push(("below the budget for signs, in brackets", text, ANY));
        }
    }
    for (item, signs) in [("[],", 2), ("{},", 2)] {
        // Each bracket counts against the file's bytes, too.
        let text = format!("a: [{}]\n", item.repeat(6000));
        files.push(("many brackets", text, OK));
        let text = format!("a: [{}]\n", item.repeat(99_980 / signs));
        files.push(("too many brackets", text, BUDGET));
    }
    files
}

/// What may stand on lines of its own, below the budget for signs; and long and odd things.
fn on_lines() -> Vec<Hostile> {
    let line = |line: &str, count: usize| (line.to_owned() + "\n").repeat(count);
    let mut files: Vec<Hostile> =
        ["-", "- x", "- &a", "- !!str", "- !x", "- *a", "?", "? x", ":", ": x", "- ''", "- |", "- >", "- \t"]
            .into_iter()
            .map(|sign| ("below the budget for signs, on lines", line(sign, 30_000), ANY))
            .collect();
    for sign in ["- a:", "- - ", "? a:", "- ? ", "- - x"] {
        files.push(("below the budget for signs, two on a line", line(sign, 16_000), ANY));
    }
    files.extend([
        ("keys and values", numbered(99_980, |n| format!("k{n}: v\n")), BUDGET),
        ("quoted keys and values", numbered(30_000, |n| format!("\"k{n}\": 'v'\n")), BUDGET),
        ("commas in a text", format!("a: \"{}\"\n", ",".repeat(1_000_000)), OK),
        ("signs in a text", format!("a: '{}'\n", "?:,".repeat(300_000)), OK),
        ("digits", format!("a: {}\n", "9".repeat(1_000_000)), ANY),
        ("hexadecimal digits", format!("a: 0x{}\n", "f".repeat(1_000_000)), ANY),
        ("digits behind a point", format!("a: 0.{}\n", "1".repeat(1_000_000)), ANY),
        ("a large exponent", format!("a: 1e{}\n", "9".repeat(1_000_000)), ANY),
        ("underscores", format!("a: 1{}\n", "_0".repeat(500_000)), OK),
        ("base sixty", format!("a: 1{}\n", ":00".repeat(300_000)), OK),
        ("an anchor's name", format!("a: &{} x\n", "a".repeat(1_000_000)), OK),
        (
            "anchors in quotes behind a margin",
            format!("a: &b 1\nc:\n{}{}\n", " ".repeat(500_000), "\"&b\", ".repeat(80_000)),
            INVALID,
        ),
        ("anchors behind a word", format!("a: {}\n", "x&b".repeat(300_000)), OK),
        ("an alias's name", format!("a: *{}\n", "a".repeat(1_000_000)), INVALID),
        ("a verbatim tag", format!("a: !<{}> x\n", "y".repeat(1_000_000)), ANY),
        ("escapes of a tag", format!("a: !{} x\n", "%41".repeat(300_000)), ANY),
        ("an open verbatim tag", format!("a: !<{}", "y".repeat(1_000_000)), INVALID),
        ("an open single quote", format!("a: '{}", "''".repeat(MIB / 3)), INVALID),
        ("an open escape", format!("a: \"{}\\", "x".repeat(1_000_000)), INVALID),
        ("a text in quotes over lines", format!("a: \"{}\"\n", "x\n\n".repeat(MIB / 4)), OK),
        ("line ends that are escaped", format!("a: \"{}\"\n", "\\\n".repeat(MIB / 3)), OK),
        ("an indented text", format!("a: |9\n{}", "          x\n".repeat(80_000)), OK),
        ("a text of blank lines", format!("a: >+\n{}", " \n".repeat(500_000)), OK),
        ("a text with a deep margin", format!("a: |\n{}x\n", " ".repeat(1_000_000)), OK),
        ("a key of 1 MiB", format!("{}: x\n", "k".repeat(1_000_000)), INVALID),
        ("a long key behind a sign", format!("? {}\n: x\n", "k".repeat(1_000_000)), OK),
        ("comments behind values", "- x # c\n".repeat(40_000), &["root-type"]),
        ("line ends of Windows", "# c\r\n".repeat(MIB / 5), OK),
        ("Unicode", format!("a: {}\n", "\u{1F511}".repeat(MIB / 5)), OK),
        ("escaped Unicode", format!("a: \"{}\"\n", "\\U0001F511".repeat(MIB / 12)), OK),
        ("lists in mappings", format!("a: {}\n", nested("[{a: ", "x", "}]", 2000)), BUDGET),
        ("open lists in mappings", "[{a: ".repeat(4000), INVALID),
        ("brackets as keys", format!("{}\n", nested("{[", "x", "]: y}", 2000)), INVALID),
        ("brackets that close", "]".repeat(MIB), INVALID),
        ("brackets that do not match", "[}".repeat(5000), INVALID),
        ("lists behind signs", "- [".repeat(10_000), INVALID),
        ("documents with anchors", "--- &a [*a]\n".repeat(30_000), ANY),
        (
            "merges of one mapping",
            {
                let keys: String = numbered(2000, |n| format!("k{n}: v, "));
                format!("m: &m {{{keys}}}\n{}", numbered(2000, |n| format!("n{n}: {{<<: *m}}\n")))
            },
            BUDGET,
        ),
        (
            "a merge of many",
            {
                let keys: String = numbered(100, |n| format!("k{n}: v, "));
                format!("m: &m {{{keys}}}\nn: {{<<: [{}]}}\n", "*m,".repeat(2000))
            },
            BUDGET,
        ),
        ("merges in merges", format!("a: {}\n", nested("{<<: ", "{}", "}", 120)), ANY),
        ("aliases as keys", numbered(20_000, |n| format!("- {{&a{n} x: y, *a{n} : z}}\n")), ANY),
        (
            "lists of aliases as keys",
            format!("a: &a [{}]\n{}", "x,".repeat(1000), "? [*a]\n: y\n".repeat(1000)),
            ANY,
        ),
    ]);
    files
}

/// One long thing that is read anew for each of many aliases, and of which little or nothing reaches the tree.
fn behind_aliases() -> Vec<Hostile> {
    [
        format!("0x{}1", "0".repeat(600_000)),
        format!("-0o{}1", "0".repeat(600_000)),
        format!("0.{}1", "0".repeat(600_000)),
        format!("1.{}", "7".repeat(600_000)),
        format!("1e{}1", "0".repeat(600_000)),
        format!("!!float \"{}\"", "0".repeat(600_000)),
        format!("!!int \"0x{}1\"", "\\x30".repeat(150_000)),
        format!("!!int \"0x{}1\"", "\\u0030".repeat(100_000)),
        format!("!!int \"0x{}1\"", "0\\\n   ".repeat(100_000)),
        format!("!!int \"0x{}1\"", "0\\\u{85}   ".repeat(80_000)),
        format!("!{} x", "t".repeat(600_000)),
        format!("!{} [x]", "t".repeat(600_000)),
    ]
    .into_iter()
    .map(|long| {
        ("one long thing and many aliases", format!("- &a {long}\n{}", "- *a\n".repeat(40_000)), BUDGET)
    })
    .collect()
}

#[cfg(unix)]
#[test]
fn file_37_hostile_files_end_in_bounded_time_and_memory_and_the_process_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<Hostile> = [growing(), repeating(), in_brackets(), on_lines(), behind_aliases()].concat();
    let paths: Vec<PathBuf> = files
        .iter()
        .enumerate()
        .map(|(at, (_, text, _))| {
            let path = folder.path().join(format!("{at}.yaml"));
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\""))
        .arg(env!("CARGO_BIN_EXE_profile-home-probe"))
        .args(&paths)
        .output()
        .unwrap();
    let out = String::from_utf8(child.stdout).unwrap();
    let mut lines = out.lines();
    for (what, text, expected) in &files {
        let line = lines.next().unwrap_or_else(|| panic!("{what} ({} bytes) ended the process", text.len()));
        let [reason, took, held] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(expected.contains(&reason), "{what}: {reason}");
        let took: u64 = took.parse().unwrap();
        assert!(took < TIME, "{what}: {took} ms");
        let held: u64 = held.parse().unwrap();
        assert!(held < HELD, "{what}: the process held {held} KiB");
    }
    assert!(child.status.success(), "{:?}", child.status);
}

#[test]
fn file_37_brackets_are_judged_before_parsing() {
    let fits = |brackets: usize, bytes: usize| {
        let text = format!("#{}{}", "[".repeat(brackets), " ".repeat(bytes - brackets - 1));
        parse_config(text.as_bytes()).is_ok()
    };
    assert!(fits(128, MIB) && !fits(129, MIB));
    assert!(fits(2048, 64 * KIB) && !fits(2049, 64 * KIB));
}

#[test]
fn file_37_a_long_number_is_refused_only_where_aliases_could_repeat_it() {
    let reason = |text: &str| parse_config(text.as_bytes()).map_or_else(|error| error.reason(), |_| "ok");
    let digits = "0.".to_owned() + &"1".repeat(998);
    assert_eq!(reason(&format!("a: &a {digits}\nb: *a\n")), "ok");
    assert_eq!(reason(&format!("a: &a {digits}1\nb: *a\n")), "beyond-budget");
    assert_eq!(reason(&format!("a: {digits}1\nb: 2 * 3 ** *\n")), "ok", "nothing repeats it");
    let hexadecimal = "0123456789abcdef".repeat(500);
    assert_eq!(reason(&format!("a: &a {hexadecimal}\nb: *a\n")), "ok", "no number is that long");
    // As PyYAML writes what is not ASCII.
    let escaped = "\\u0441\\x41\\U00010000\\t".repeat(500);
    assert_eq!(reason(&format!("a: &a \"{escaped}\"\nb: *a\n")), "ok");
    for zero in ["\\x30", "\\u0030", "\\U00000030", "0\\\n  ", "0\\\u{85}  ", "\\\r\n\\\n\\x30"] {
        let reason_of = |count: usize| reason(&format!("a: &a !!float \"{}\"\nb: *a\n", zero.repeat(count)));
        assert_eq!((reason_of(1000), reason_of(1001)), ("ok", "beyond-budget"), "{zero}");
    }
}

#[test]
fn file_37_the_text_of_a_tag_counts_as_any_other() {
    let text = format!("- &a !{} x\n- *a\n- *a\n", "t".repeat(400_000));
    assert_eq!(parse_config(text.as_bytes()).unwrap_err().reason(), "beyond-budget");
}

#[test]
fn file_37_the_budget_for_nodes_and_for_text_is_exact() {
    // A mapping, a key and a list make three; each element one more.
    let nodes = |count: usize| format!("a:\n{}", "- 1\n".repeat(count - 3));
    assert!(parse_config(nodes(50_000).as_bytes()).is_ok());
    assert_eq!(parse_config(nodes(50_001).as_bytes()).unwrap_err().reason(), "beyond-budget");

    let text = |bytes: usize| {
        format!("a: &a {}\nb: [{}]\n", "x".repeat(1022), vec!["*a"; bytes / 1022 - 1].join(","))
    };
    let exact = 1022 * 1026; // and two keys: 1,048,574 of 1,048,576 bytes
    assert!(parse_config(text(exact).as_bytes()).is_ok());
    assert_eq!(parse_config(text(exact + 1022).as_bytes()).unwrap_err().reason(), "beyond-budget");
}

/// A file with everything in it that the reader knows.
const WHOLE: &str = concat!(
    "\u{FEFF}# comment\n",
    "base: &base {backend: docker, timeout: 10}\n",
    "terminal:\n",
    "  <<: *base\n",
    "  timeout: 20\n",
    "  env: [A, \"B\\n\", 'C', ~, 1e3, 0x16]\n",
    "  text: |\n",
    "    two\n",
    "    lines\n",
    "other: !x {deep: [[[1]]]}\n",
    "gr\u{fc}n: yes\n",
);

#[test]
fn file_31_a_file_cut_at_every_byte_is_read_or_invalid_and_holds_no_value_in_its_error() {
    assert!(parse_config(WHOLE.as_bytes()).is_ok());
    for end in 0..WHOLE.len() {
        if let Err(error) = parse_config(&WHOLE.as_bytes()[..end]) {
            assert!(error.is_invalid(), "cut at {end}: {error}");
            assert!(!error.to_string().contains("docker"), "cut at {end}: {error}");
        }
    }
}

#[test]
fn file_31_a_file_with_any_byte_changed_is_read_or_invalid() {
    for at in 0..WHOLE.len() {
        for byte in
            [0, b'\t', b'\n', b'"', b'&', b'*', b':', b'[', b'{', b'}', b'!', b'%', b'-', b'?', 0x80, 0xFF]
        {
            let mut bytes = WHOLE.as_bytes().to_vec();
            bytes[at] = byte;
            if let Err(error) = parse_config(&bytes) {
                assert!(error.is_invalid(), "{byte} at {at}: {error}");
            }
        }
    }
}
