use std::time::{Duration, Instant};

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

/// The value of `KEY`, where the input sets nothing else.
#[track_caller]
fn check_value(text: impl AsRef<[u8]>, expected: &str) {
    check(text, &[("KEY", expected)]);
}

#[test]
fn file_10_one_leading_byte_order_mark_is_dropped_and_no_other() {
    check(b"\xEF\xBB\xBFFIRST=one\nSECOND=two\n", &[("FIRST", "one"), ("SECOND", "two")]);
    check(b"\xEF\xBB\xBFexport FIRST=one\n", &[("FIRST", "one")]);
    check(b"\xEF\xBB\xBF# comment\nFIRST=one\n", &[("FIRST", "one")]);
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFFIRST=one\nSECOND=two\n", &[("SECOND", "two")]);
    check("KEY=\u{FEFF}one\n", &[("KEY", "\u{FEFF}one")]);
}

#[test]
fn file_10_what_is_not_utf8_is_read_as_latin1_as_a_whole() {
    let text = b"CITY=Z\xFCrich\nTOKEN=abc\nOTHER=\xC3\xBC\n";
    check(text, &[("CITY", "Zürich"), ("TOKEN", "abc"), ("OTHER", "Ã¼")]);
    check(b"\xEF\xBB\xBFTOKEN=abc\nCITY=Z\xFCrich\n", &[("TOKEN", "abc"), ("CITY", "Zürich")]);

    let dotenv = parse_dotenv(b"A=1\r\nB=2\rCITY=Z\xFCrich\n").unwrap();
    let finding = &dotenv.diagnostics()[0];
    assert_eq!((finding.code(), finding.line()), ("not-utf-8", Some(3)));
}

#[test]
fn file_10_utf16_and_utf32_are_unreadable_and_name_the_encoding() {
    for (bytes, encoding) in [
        (&b"\xFF\xFEK\0=\0v\0"[..], "UTF-16 (little endian)"),
        (b"\xFE\xFF\0K\0=\0v", "UTF-16 (big endian)"),
        (b"\xFF\xFE\0\0K\0\0\0", "UTF-32 (little endian)"),
        (b"\0\0\xFE\xFF\0\0\0K", "UTF-32 (big endian)"),
    ] {
        let error = parse_dotenv(bytes).unwrap_err();
        assert!(error.is_unreadable(), "another encoding is not a wrong line");
        assert_eq!(error.reason(), "encoding");
        assert!(error.to_string().contains(encoding), "{error}");
    }
}

#[test]
fn file_10_a_nul_in_a_value_is_kept() {
    check_value("KEY=a\0b\n", "a\0b");
}

#[test]
fn file_11_lines_end_at_lf_crlf_and_cr_and_at_nothing_else() {
    check(
        "A=one\r\nB=\"two\"\r\nC='three'\r\nD=four # c\r\nE=last",
        &[("A", "one"), ("B", "two"), ("C", "three"), ("D", "four"), ("E", "last")],
    );
    check("A=one\rB=two\r", &[("A", "one"), ("B", "two")]);
    for separator in ['\u{B}', '\u{C}', '\u{1C}', '\u{1D}', '\u{1E}', '\u{85}', '\u{2028}', '\u{2029}'] {
        let value = format!("a{separator}B=c");
        check(format!("A={value}\nN=x\n"), &[("A", &value), ("N", "x")]);
    }
}

#[test]
fn file_12_white_space_round_a_line_is_dropped_and_comments_are_ignored_whatever_they_hold() {
    check("# it's \"open\n   # 'too\n\u{A0}\u{2003}KEY=v\u{3000}\u{2028}\n\n\t\n", &[("KEY", "v")]);
    check("#KEY=v\n", &[]);
}

#[test]
fn file_13_export_behind_white_space_is_dropped_once() {
    check("export KEY=v\n", &[("KEY", "v")]);
    check("export\tKEY=v\n", &[("KEY", "v")]);
    check("  export   KEY=v\n", &[("KEY", "v")]);
    check("export=v\n", &[("export", "v")]);
    check("export export=v\n", &[("export", "v")]);
    check("export export KEY=v\nN=x\n", &[("N", "x")]);
    check("exportKEY=v\n", &[("exportKEY", "v")]);
}

#[test]
fn file_14_the_key_is_all_before_the_first_equals_sign_and_has_to_be_a_name() {
    for key in ["KEY", "key", "_", "2FA", "A.B", "A-B", "9", "A..-"] {
        check(format!("{key}=v=w"), &[(key, "v=w")]);
    }
    check(
        "A = one\nB =two\nC= three\n  D=four\n\tE=five\n",
        &[("A", "one"), ("B", "two"), ("C", "three"), ("D", "four"), ("E", "five")],
    );
    for line in
        ["=v", " = v", "A B=v", "'A'=v", "Ä=v", ".A=v", "-A=v", "A:B=v", "KEY: v=1", "A\0=v", "JUSTAWORD"]
    {
        check(format!("{line}\nN=x\n"), &[("N", "x")]);
    }
}

#[test]
fn file_15_an_unquoted_value_ends_at_a_hash_behind_white_space() {
    check_value("KEY=https://h/x  # override", "https://h/x");
    check_value("KEY=val\t#tab", "val");
    check_value("KEY=val\u{A0}#note", "val");
    check_value("KEY=foo#bar", "foo#bar");
    check_value("KEY=foo#bar # baz", "foo#bar");
    check_value("KEY=#ff00aa", "#ff00aa");
    check_value("KEY= #notvalue", "#notvalue");
    check_value("KEY=   # note to self", "# note to self");
    check_value("KEY=#a #b", "#a");
    check_value("KEY=My \"own\" 'Service' \\ a=b", "My \"own\" 'Service' \\ a=b");
    check_value("KEY=", "");
    check_value("KEY=\t ", "");
}

#[test]
fn file_16_in_double_quotes_two_escapes_are_undone_and_in_single_quotes_none() {
    check_value(r#"KEY="x # y" # tail"#, "x # y");
    check_value("KEY='x # y' # it's", "x # y");
    check_value(r#"KEY="he said \"hi # there\"" # tail"#, "he said \"hi # there\"");
    check_value(r#"KEY="a\nb\t\'\$""#, r"a\nb\t\'\$");
    check_value(r"KEY='C:\dir\'", r"C:\dir\");
    check_value(r#"KEY='a\"b'"#, r#"a\"b"#);
    check_value(r#"KEY='\"b\\'"#, r#"\"b\\"#);
    check_value("KEY=\"  v  \"", "  v  ");
    check_value("KEY=\"\"", "");
    check_value("KEY='a'#c", "a");
    check_value("KEY='a'\u{A0}# c", "a");
    check(
        r#"A="p\"q"
B="D:\\data\\"
C=mid
D="z""#,
        &[("A", "p\"q"), ("B", r"D:\data\"), ("C", "mid"), ("D", "z")],
    );
}

#[test]
fn file_17_text_behind_the_closing_quote_is_kept_and_the_next_line_starts_fresh() {
    for (written, value) in [
        ("\"a\"b", "\"a\"b"),
        ("\"a\" b", "\"a\" b"),
        ("\"a\" \"b\"", "a\" \"b"),
        ("'it''s'", "it''s"),
        (r#""a"b\\""#, r#"a"b\"#),
        ("'a' b # c", "'a' b # c"),
        ("'a' 'b' # c'", "a' 'b' # c"),
    ] {
        check(format!("KEY={written}\nNEXT=ok\n"), &[("KEY", value), ("NEXT", "ok")]);
    }
}

#[test]
fn file_18_a_quoted_value_over_several_lines_is_one_value() {
    for quote in ['"', '\''] {
        for end in ["\n", "\r\n", "\r"] {
            let lines = [
                &format!("KEY={quote}-----BEGIN X-----"),
                "abc=",
                "d#ef==",
                "",
                "# no comment",
                &format!("-----END X-----{quote} # tail"),
                "NEXT=ok",
            ];
            check(
                lines.join(end),
                &[
                    ("KEY", "-----BEGIN X-----\nabc=\nd#ef==\n\n# no comment\n-----END X-----"),
                    ("NEXT", "ok"),
                ],
            );
        }
    }
    check("KEY=\"a \n  b \n\"\nNEXT=ok", &[("KEY", "a \n  b \n"), ("NEXT", "ok")]);
    check("KEY=\"a\\\"\nb\\\\\"\nNEXT=ok", &[("KEY", "a\"\nb\\"), ("NEXT", "ok")]);
    check("KEY=\"a\\\nb\"\nNEXT=ok", &[("KEY", "a\\\nb"), ("NEXT", "ok")]);
}

#[test]
fn file_18_a_quote_that_is_a_mistake_swallows_nothing() {
    check("A=\"cut off\nB=stay\nC=\"z\"\n", &[("A", "\"cut off"), ("B", "stay"), ("C", "z")]);
    check("A='cut off\nB=stay\n", &[("A", "'cut off"), ("B", "stay")]);
    check("A=\"\nB=stay", &[("A", "\""), ("B", "stay")]);
    // The quote that would close stands in a line that is an assignment itself.
    check("A=\"cut off\nB=secret\"\nC=x", &[("A", "\"cut off"), ("B", "secret\""), ("C", "x")]);
    check("A=\"cut off\nplain\nexport B = x\nplain\"\nC=x", &[("A", "\"cut off"), ("B", "x"), ("C", "x")]);
    // The quote that would close has text behind it.
    check("A=\"cut off\nplain\" more\nC=x", &[("A", "\"cut off"), ("C", "x")]);
    // Each opens what the other might close.
    check("KEY='it\nMID=m\nLAST=that'\n", &[("KEY", "'it"), ("MID", "m"), ("LAST", "that'")]);
}

#[test]
fn file_18_a_quote_that_opens_a_value_closes_none() {
    check("A=\"cut off\nB=\"\nline\n\"\nC=x", &[("A", "\"cut off"), ("B", "\nline\n"), ("C", "x")]);
    check("A=\"cut off\nB=\"\nC=x", &[("A", "\"cut off"), ("B", "\""), ("C", "x")]);
    check("A=\"cut off\nexport KEY=\"\nC=x", &[("A", "\"cut off"), ("KEY", "\""), ("C", "x")]);
    // A key that could be the end of base64 text as well: what stands before it decides.
    check("A=\"cut off\nKEY=\"\nline\n\"\nC=x", &[("A", "\"cut off"), ("KEY", "\nline\n"), ("C", "x")]);
    check("A='cut off\nKEY='\nab==' # c\nC=x", &[("A", "'cut off"), ("KEY", "\nab=="), ("C", "x")]);
    // Not padded to four characters, or no base64 text at all.
    for (line, key) in [("KEYS", "KEYS"), ("K_Y", "K_Y"), ("export KEY", "KEY"), ("exportx ABC", "")] {
        let found = pairs(format!("A=\"MIIB\n{line}=\"\n"));
        let expected = if key.is_empty() { vec![] } else { vec![(key.to_owned(), "\"".to_owned())] };
        assert_eq!(found[1..], expected, "{line}");
    }
    check("A=\"cut\nMIIB off\nKEY=\"\nC=x", &[("A", "\"cut"), ("KEY", "\""), ("C", "x")]);
    check("A=\"----BEGIN X\nMIIB\nabc=\"\nC=x", &[("A", "\"----BEGIN X"), ("abc", "\""), ("C", "x")]);
    check(
        "A=\"-----BEGIN X-----\n\nMI+/==\nabc=\"\nC=x",
        &[("A", "-----BEGIN X-----\n\nMI+/==\nabc="), ("C", "x")],
    );
    for behind in [
        "",
        "C=x\n",
        "# c\nC=x\n",
        "# 5\"\nC=x\n",
        "inch 5\"\nC=x\n",
        "C=\"x\"\n",
        "C='x\ny'\n",
        "C=\"MIIC\ndef=\"\n",
    ] {
        for padded in ["abc=", "abcdef==", "a+b="] {
            let found = pairs(format!("A=\"MIIB\n{padded}\"\n{behind}"));
            assert_eq!(found[0], ("A".to_owned(), format!("MIIB\n{padded}")), "{behind}");
            assert_eq!(found.len(), 1 + usize::from(!behind.is_empty()), "{behind}");
        }
    }
    check("A=\"\nMIIB\nabc=\"\nKEY=\"\nMIIC\ndef=\"\n", &[("A", "\nMIIB\nabc="), ("KEY", "\nMIIC\ndef=")]);
}

#[test]
fn file_19_nothing_is_interpolated() {
    for value in ["$PATH", "${PATH}", "$(id)", "${A:-d}", "pa$word$1", "$start", "end$", "a$$b", "`id`"] {
        check_value(format!("KEY={value}"), value);
        check_value(format!("KEY=\"{value}\""), value);
        check_value(format!("KEY='{value}'"), value);
    }
    check("A=one\nB=${A}/two\n", &[("A", "one"), ("B", "${A}/two")]);
}

#[test]
fn file_20_the_last_assignment_wins_an_empty_one_included() {
    check("K=old\nX=1\nK=new\nL=v\nL=\n", &[("K", "new"), ("X", "1"), ("L", "")]);
    let dotenv = parse_dotenv(b"K=old\nX=1\nK=new\nL=v\nL=\n").unwrap();
    assert_eq!(dotenv.get("K").unwrap().line(), 3);
    assert!(dotenv.get("L").unwrap().value().is_empty(), "an empty value is present");
    assert!(dotenv.get("M").is_none());
    let found: Vec<_> =
        dotenv.diagnostics().iter().map(|d| (d.subject().unwrap(), d.line().unwrap())).collect();
    assert_eq!(found, [("K", 1), ("L", 4)]);
}

#[test]
fn file_21_a_backslash_continues_no_line() {
    check("A=abc\\\nB=x\n", &[("A", "abc\\"), ("B", "x")]);
}

#[test]
fn file_24_key_material_is_no_name() {
    check(
        "KEY=-----BEGIN X-----\nMIIEabc123==\nab=cd\n-----END X-----\nNEXT=ok\n",
        &[("KEY", "-----BEGIN X-----"), ("NEXT", "ok")],
    );
    check("-----BEGIN X-----\nab=cd\n-----END X-----\nNEXT=ok\n", &[("NEXT", "ok")]);
    check("A=1\nMIIEabc123==\nabc=\nNEXT=ok\n", &[("A", "1"), ("abc", ""), ("NEXT", "ok")]);
    // A quote that was forgotten at the end.
    check(
        "KEY=\"-----BEGIN X-----\nab=cd\n-----END X-----\nNEXT=ok\n",
        &[("KEY", "\"-----BEGIN X-----"), ("NEXT", "ok")],
    );
    // Whole on one line, and cut off: what follows counts.
    let line = r"-----BEGIN KEY-----\nMIIBVg==\n-----END KEY-----\n";
    check(format!("KEY=\"{line}\"\nNEXT=ok\n"), &[("KEY", line), ("NEXT", "ok")]);
    check("KEY=-----BEGIN X-----\nNEXT=ok\n", &[("KEY", "-----BEGIN X-----"), ("NEXT", "ok")]);
    check("KEY='='\nB==\n", &[("KEY", "=")]);
}

#[test]
fn file_24_key_material_that_is_cut_off_takes_nothing_with_it() {
    check(
        "A=-----BEGIN X-----\nB=1\nC=\"-----BEGIN Y-----\nabc\n-----END Y-----\"\nD=2\n",
        &[
            ("A", "-----BEGIN X-----"),
            ("B", "1"),
            ("C", "-----BEGIN Y-----\nabc\n-----END Y-----"),
            ("D", "2"),
        ],
    );
    check(
        "-----BEGIN X-----\nB=1\nC=-----BEGIN Y-----\nab=cd\n-----END Y-----\nD=2\n",
        &[("B", "1"), ("C", "-----BEGIN Y-----"), ("D", "2")],
    );
    check(
        "-----BEGIN X-----\nab=cd\n-----BEGIN Y-----\nef=gh\n-----END Y-----\nD=2\n",
        &[("ab", "cd"), ("D", "2")],
    );
}

#[test]
fn file_24_padding_is_no_value_with_a_comment_either() {
    check("A=1\nMIIB== # c\nabc===\t#c\nN=ok\n", &[("A", "1"), ("N", "ok")]);
    check("A===#c\nB== c\n", &[("A", "==#c"), ("B", "= c")]);
    check("A=\"x\nMIIB== # c\ny\"\nN=ok\n", &[("A", "x\nMIIB== # c\ny"), ("N", "ok")]);
}

#[test]
fn file_23_a_file_cut_at_every_byte_keeps_what_stands_whole_before_the_cut() {
    let text = "A=1\nB='two words' # c\nexport C=\"x\\\"y\"\nD=gr\u{fc}n\nE=5\n";
    let whole = pairs(text);
    for end in 0..text.len() {
        let cut = &text.as_bytes()[..end];
        let lines = cut.split(|byte| *byte == b'\n').count() - 1;
        // A cut character makes the whole file Latin-1; the ASCII values stay what they are.
        assert_eq!(pairs(cut)[..lines.min(3)], whole[..lines.min(3)], "cut at {end}");
    }
}

/// Texts of some length that a reader which looks at a line more than a few times takes minutes for.
pub(crate) fn hostile(length: usize) -> Vec<(&'static str, String)> {
    let repeat = |piece: &str| piece.repeat(length / piece.len());
    vec![
        ("open quotes", repeat("A=\"x\n")),
        ("open quotes and plain lines", repeat("A='x\nplain\nb c='\n")),
        ("one open quote", format!("A=\"x\n{}", repeat("p\n"))),
        ("quotes that open and close", repeat("A='\nKEY='\n")),
        ("quotes that open, and many lines", repeat("KEY='\n\nx\n\n")),
        ("quotes that could close", format!("A='\n{}", repeat("KEY='\n"))),
        ("key material that begins again", repeat("A=-----BEGIN x\nb\n")),
        ("open quotes and material", repeat("A='\nA=\n")),
        ("key material without an end", repeat("A=-----BEGIN x\n")),
        ("text of key material without an end", repeat("-----BEGIN x\n")),
        ("key material with one end", format!("{}-----END x\n", repeat("A=-----BEGIN x\n"))),
        ("ends of key material", repeat("-----BEGIN x\n-----END x\n")),
        ("hashes", format!("A={}", repeat("#"))),
        ("backslashes", format!("A=\"{}\"", repeat("\\"))),
        ("dollars", format!("A=\"{}\"", repeat("$"))),
        ("quotes", format!("A='{}'", repeat("''"))),
        ("one key", repeat("A=1\n")),
        ("many keys", (0..length / 7).map(|n| format!("{n:x}=\n")).collect::<Vec<_>>().concat()),
        ("carriage returns", format!("A=\"{}\"", repeat("\r"))),
        ("spaces", format!("A{}=1", repeat(" "))),
        ("invisible characters", format!("A={}", repeat("\u{200B}"))),
        ("equals signs", repeat("=")),
        ("exports", repeat("export ")),
    ]
}

#[test]
fn file_23_reading_is_linear_whatever_the_text() {
    for (what, text) in hostile(1 << 17) {
        let began = Instant::now();
        let dotenv = parse_dotenv(text.as_bytes()).unwrap();
        let took = began.elapsed();
        // A reader that is quadratic takes 2^34 steps: a minute and more.
        assert!(took < Duration::from_secs(5), "{what}: {took:?}");
        assert!(dotenv.diagnostics().len() <= 1001, "{what}: a finding a line costs more than the file");
    }
}
