use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use watertight_profile_home::{parse_dotenv, write_value};

use crate::dotenv_values::pairs;
use crate::readers::ROWS;

/// What dotenvy makes of bytes: pairs, and how many lines it refuses.
fn dotenvy_pairs(bytes: &[u8]) -> (Vec<(String, String)>, usize) {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut refused = 0;
    for item in dotenvy::from_read_iter(bytes) {
        match item {
            Ok((key, value)) => match pairs.iter_mut().find(|(earlier, _)| *earlier == key) {
                Some(pair) => pair.1 = value,
                None => pairs.push((key, value)),
            },
            Err(_) => refused += 1,
        }
    }
    (pairs, refused)
}

/// The grammar on which both agree; the table of the crate's `docs/dotenv-readers.md` tells where they part.
///
/// Keys: `[A-Za-z_][A-Za-z0-9_.]*`. Values: bare without white space, quotes, `$`, `\` and `#`; in single
/// quotes without `'` and `\`; in double quotes without `$` and with `\"` and `\\` alone. Comment lines, blank lines,
/// comments behind a value, `export`, LF and CRLF.
fn common_line() -> impl Strategy<Value = String> {
    let bare = "[A-Za-z0-9_./:@%+,!~^&*()\\[\\]{}<>|;?=-]{0,12}";
    let single = "[^'\\\\\r\n\0]{0,12}".prop_map(|text| format!("'{text}'"));
    let double = prop::collection::vec(
        prop_oneof!["[^\"\\\\$\r\n\0]", Just("\\\"".into()), Just("\\\\".into())],
        0..8,
    )
    .prop_map(|pieces: Vec<String>| format!("\"{}\"", pieces.concat()));
    let value = prop_oneof![bare, single, double].prop_filter("only `=` is key material to us", |value| {
        value.is_empty() || value.bytes().any(|byte| byte != b'=')
    });
    let assignment = ("(export )?", "[A-Za-z_][A-Za-z0-9_.]{0,6}", value, "( # [a-z ]{0,6})?").prop_map(
        |(export, key, value, comment)| {
            // Behind nothing a `#` would be a value to us.
            let comment = if value.is_empty() { String::new() } else { comment };
            format!("{export}{key}={value}{comment}")
        },
    );
    prop_oneof![6 => assignment, 1 => "#[ a-z'\"=]{0,8}", 1 => Just(String::new())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn conf_24_on_the_common_grammar_dotenvy_reads_the_same(
        lines in prop::collection::vec(common_line(), 0..8),
        end in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), end]).collect();
        let (expected, refused) = dotenvy_pairs(text.as_bytes());
        prop_assert_eq!(refused, 0, "{:?}", text);
        prop_assert_eq!(pairs(&text), expected, "{:?}", text);
    }

    #[test]
    fn file_22_what_is_written_without_backslash_and_apostrophe_dotenvy_reads_alike(
        value in "[^'\\\\\r\n\0]{0,20}",
    ) {
        let text = format!("KEY={}\n", *write_value(&value).unwrap());
        prop_assert_eq!(dotenvy_pairs(text.as_bytes()), (vec![("KEY".to_owned(), value)], 0));
    }
}

/// Pairs as the table shows them.
fn shown(pairs: &[(String, String)], input: &[u8]) -> String {
    let escape = |text: &str| {
        let mut escaped = String::new();
        for character in text.chars() {
            match character {
                '\\' | '"' => escaped.extend(['\\', character]),
                '\n' => escaped.push_str("\\n"),
                '\r' => escaped.push_str("\\r"),
                '\t' => escaped.push_str("\\t"),
                ' '..='~' => escaped.push(character),
                other => write!(escaped, "\\u{{{:x}}}", u32::from(other)).unwrap(),
            }
        }
        escaped
    };
    let asks_the_process = input.windows(4).any(|window| window == b"PATH");
    let mut parts: Vec<String> = Vec::new();
    for (key, value) in
        pairs.iter().filter(|(key, value)| (key.as_str(), value.as_str()) != ("NEXT", "after"))
    {
        let leaked = asks_the_process && !value.contains("PATH") && !value.is_empty();
        let value = if leaked { "LEAK".to_owned() } else { escape(value) };
        parts.push(format!("{}=\"{value}\"", escape(key)));
    }
    if parts.is_empty() {
        parts.push("nothing".to_owned());
    }
    if !pairs.iter().any(|(key, value)| (key.as_str(), value.as_str()) == ("NEXT", "after")) {
        parts.push("NEXT lost".to_owned());
    }
    parts.join("; ")
}

/// A cell: code, or `=` where it is what ours gives.
fn cell(text: &str, ours: &str) -> String {
    if text == ours {
        return "=".to_owned();
    }
    code(text)
}

fn code(text: &str) -> String {
    let fence = if text.contains('`') { "``" } else { "`" };
    let pad = if text.contains('`') { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

fn table() -> String {
    let mut text = String::from(
        "# What readers of `.env` give\n\n\
         Each file is the input, a line end and `NEXT=after`. Of what was read, `NEXT` is not shown; *NEXT lost*\n\
         means that it was not read as it stands. `=` means: as ours. `LEAK` is a value of the process that read\n\
         the file. *(n refused)*: dotenvy gave an error for so many lines, with the line in its text.\n\n\
         The columns of ours and of dotenvy 0.15.7 are made by a test of this crate, which fails when this file\n\
         is stale. Those of python-dotenv 1.2.4 (as it comes, with interpolation) and of npm dotenv 18.0.10 were\n\
         measured by running them.\n\n\
         | what | input | ours | reported | dotenvy | python-dotenv | npm dotenv |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (what, input, python, npm) in ROWS {
        let file = [input, &b"\nNEXT=after\n"[..]].concat();
        let dotenv = parse_dotenv(&file).unwrap();
        let ours = shown(&pairs(&file), input);
        let mut codes: Vec<&str> = dotenv.diagnostics().iter().map(code_of).collect();
        codes.dedup();
        let (theirs, refused) = dotenvy_pairs(&file);
        let mut theirs = cell(&shown(&theirs, input), &ours);
        if refused > 0 {
            write!(theirs, " ({refused} refused)").unwrap();
        }
        writeln!(
            text,
            "| {what} | {} | {} | {} | {theirs} | {} | {} |",
            code(&input.escape_ascii().to_string().replace("\\\"", "\"").replace("\\'", "'")),
            code(&ours),
            codes.join(", "),
            cell(python, &ours),
            cell(npm, &ours),
        )
        .unwrap();
    }
    text
}

fn code_of(finding: &watertight_vocabulary::Diagnostic) -> &'static str {
    finding.code()
}

#[test]
fn file_19_the_table_of_readers_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let committed = std::fs::read_to_string(folder.join("docs/dotenv-readers.md")).unwrap_or_default();
    let table = table();
    if committed != table {
        let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dotenv-readers.md");
        std::fs::write(&fresh, &table).unwrap();
        panic!("docs/dotenv-readers.md is stale; what it must say lies in {}", fresh.display());
    }
}
