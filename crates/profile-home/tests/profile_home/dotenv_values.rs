use watertight_profile_home::parse_dotenv;

/// Keys and values, in order.
pub(crate) fn pairs(text: impl AsRef<[u8]>) -> Vec<(String, String)> {
    let dotenv = parse_dotenv(text.as_ref()).unwrap();
    let pairs = dotenv
        .entries()
        .map(|entry| (entry.name().as_str().unwrap().to_owned(), entry.value().expose().unwrap().to_owned()));
    pairs.collect()
}

#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &[(&str, &str)]) {
    let found = pairs(&text);
    let found: Vec<(&str, &str)> = found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(text.as_ref()));
}

#[test]
fn file_18_a_quoted_key_over_several_lines_is_one_value() {
    check(
        "KEY=\"-----BEGIN X-----\nabc=\nd#ef\n-----END X-----\"\nNEXT=ok\n",
        &[("KEY", "-----BEGIN X-----\nabc=\nd#ef\n-----END X-----"), ("NEXT", "ok")],
    );
}
