//! Reader and writer of `.env` (CONF-24).

use proptest::prelude::*;
use watertight_profile_home::{parse_dotenv, write_value};

use crate::tries;

/// What a text assigns, in the file's order of keys.
fn pairs(text: &str) -> Vec<(String, String)> {
    let dotenv = parse_dotenv(text.as_bytes()).expect("it is UTF-8");
    let pair = |entry: watertight_profile_home::Entry<'_>| {
        (
            entry.name().as_str().unwrap_or_default().to_owned(),
            entry.value().expose().unwrap_or_default().to_owned(),
        )
    };
    dotenv.entries().map(pair).collect()
}

/// Lines in the grammar on which dotenvy and the rules agree: no dollar sign, no backslash, no quote inside, and
/// nothing that is all hash or all equals signs.
fn common_line() -> impl Strategy<Value = String> {
    let bare = "[A-Za-z0-9_./:@%+,][A-Za-z0-9_./:@%+,=-]{0,12}";
    let inside = "([A-Za-z0-9_./:@%+, #][A-Za-z0-9_./:@%+, #=-]{0,12})?";
    let value = prop_oneof![
        bare.prop_map(|value| value),
        inside.prop_map(|value| format!("\"{value}\"")),
        inside.prop_map(|value| format!("'{value}'")),
        (bare, "[a-z ]{0,6}").prop_map(|(value, comment)| format!("{value} # {comment}")),
    ];
    let assignment = ("[A-Z][A-Z0-9_]{0,6}", value, any::<bool>());
    prop_oneof![
        6 => assignment.prop_map(|(key, value, export)| format!("{}{key}={value}", if export { "export " } else { "" })),
        1 => "# [a-z ]{0,8}".prop_map(|line| line),
        1 => Just(String::new()),
    ]
}

proptest! {
    #![proptest_config(tries(512))]

    #[test]
    fn conf_24_what_the_writer_writes_the_reader_reads_back(
        value in prop_oneof!["[^\\r\\n\\x00]{0,40}", "[\\\\\"'# $=a]{0,20}"],
    ) {
        let written = write_value(&value).expect("it has no line end and no NUL");
        let written = written.as_str();
        prop_assert_eq!(pairs(&format!("K={written}\nNEXT=canary\n")), [
            ("K".to_owned(), value.clone()),
            ("NEXT".to_owned(), "canary".to_owned()),
        ], "{}", written);
    }

    #[test]
    fn conf_24_the_reader_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_dotenv(&bytes);
    }

    #[test]
    fn conf_24_the_reader_never_panics_on_what_looks_like_a_file(
        text in "([A-C]{1,2}|export |=|\"|'|\\\\|#|\\$\\{A\\}| |\t|\r|\n|-----BEGIN X|-----END X){0,40}",
    ) {
        let _ = parse_dotenv(text.as_bytes());
    }

    #[test]
    fn conf_24_the_reader_agrees_with_dotenvy_on_the_common_grammar(
        lines in prop::collection::vec(common_line(), 0..8),
    ) {
        let text = lines.join("\n") + "\n";
        let mut theirs: Vec<(String, String)> = Vec::new();
        for pair in dotenvy::Iter::new(text.as_bytes()) {
            let (key, value) = pair.expect("the grammar is common");
            theirs.retain(|(known, _)| *known != key);
            theirs.push((key, value));
        }
        let mut ours = pairs(&text);
        ours.sort();
        theirs.sort();
        prop_assert_eq!(ours, theirs, "{}", text);
    }
}
