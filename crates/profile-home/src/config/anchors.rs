use std::collections::HashSet;

/// Whether an anchor that an alias refers to seems to be defined twice, and on which line the second is.
///
/// The library counts anchors by the names it has seen, so after a second definition of one name an alias
/// may lead to the anchor of **another** name. No visitor can see anchors; so a text in which that could
/// happen is refused, as `PyYAML` refuses it.
///
/// Marks are looked for where a node can begin, and not in comments or in quotes that close on their line.
/// In a text over several lines, a line that reads like a definition is taken for one: such a file is refused
/// though it could be read, if it also defines another anchor, and uses it.
pub(super) fn repeated(text: &str) -> Option<u32> {
    if !text.contains('&') {
        return None;
    }
    let mut once = HashSet::new();
    let mut twice = None;
    let mut aliases = HashSet::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        // These end a line for the library, too.
        for content in line.split(['\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            tokens(content, |mark, name| {
                if mark == '*' {
                    aliases.insert(name);
                } else if !once.insert(name) {
                    twice.get_or_insert(number);
                }
            });
        }
    }
    // A second definition of one name misleads the aliases of every name.
    twice.filter(|_| aliases.iter().any(|alias| once.contains(alias)))
}

/// Finds what looks like an anchor or an alias: the mark where a node can begin, and a name.
fn tokens<'a>(line: &'a str, mut found: impl FnMut(char, &'a str)) {
    let mut at = 0;
    while let Some((before, rest)) = line.split_at_checked(at) {
        let Some(sign) = rest.find(['&', '*', '"', '\'', '#']) else { return };
        let (_, rest) = rest.split_at(sign);
        let before = line.get(..before.len() + sign).unwrap_or_default();
        at = before.len() + 1;
        match rest.chars().next() {
            Some('#') if before.is_empty() || before.ends_with([' ', '\t']) => return,
            Some(mark @ ('&' | '*')) if begins_a_node(before) => {
                let name = rest.get(1..).unwrap_or_default();
                let other =
                    |character: char| !(character.is_ascii_alphanumeric() || "_-".contains(character));
                let name = name.get(..name.find(other).unwrap_or(name.len())).unwrap_or_default();
                if !name.is_empty() {
                    found(mark, name);
                }
            }
            Some(quote @ ('"' | '\'')) if begins_a_node(before) => at += quoted(rest, quote).unwrap_or(0),
            _ => {}
        }
    }
}

/// Whether a node can begin behind this part of a line.
fn begins_a_node(before: &str) -> bool {
    let trimmed = before.trim_end_matches([' ', '\t']);
    let word = trimmed.rsplit([' ', '\t', '[', '{', ',']).next().unwrap_or_default();
    trimmed.is_empty()
        || trimmed.ends_with(['[', '{', ',', ':', '?'])
        || (trimmed.len() < before.len() && (trimmed.ends_with('-') || word.starts_with(['!', '&'])))
}

/// The length of the text behind an opening quote up to the closing one, if that closes a node on this line.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote {
            if quote == '\'' && characters.next_if(|(_, next)| *next == quote).is_some() {
                continue;
            }
            let behind = rest.get(at + 1..)?.trim_start_matches([' ', '\t']);
            return (behind.is_empty() || behind.starts_with([',', ':', ']', '}', '#'])).then_some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_31_an_anchor_that_is_aliased_and_defined_twice_is_found() {
        for (text, line) in [
            ("x: &a 1\ny: &a 2\nz: &b 3\nw: *a\n", Some(2)),
            ("x: &a 1\ny: &a 2\nz: &b 3\nw: *b\n", Some(2)),
            ("- &a 1\n- [*a, &a 2]\n", Some(2)),
            ("- !x &a 1\n- &a !y 2\n- ? &b 3\n  : *b\n", Some(2)),
            ("{x: &a 1, \"y\":&a 2, z: [&b 3,*b]}\n", Some(1)),
            ("- - &a 1\n-\t&a 2\n- *a\n", Some(2)),
            ("--- &a\nx: &a 1\ny: *a\n", Some(2)),
            ("- '&a' # &a\n- \"x\\\"\": &a 1\n- 'it''s': &a 2\n- *a\n", Some(3)),
            ("- &a 1\r\n- &a 2\r\n- *a\r\n", Some(2)),
            ("- &a 1\u{85}- &a 2\u{85}- *a", Some(1)),
            ("-\u{2028}&a 1\u{2029}-\u{85}&a 2\n- *a", Some(1)),
            ("x: &a 1\ny: &b 2\nw: [*a, *b, *a]\n", None),
            ("url: http://h/?a=1&b=2&a=3&b=4*a\n", None),
            ("text: &a one\nmore: this & that & *those* and &a\n", None),
            ("x: &a 1\ny: &a 2\n", None),
            ("a: \"R &D\"\nb: \"R &D\"\nbase: &b {x: 1}\nt: {<<: *b}\n", None),
            ("a: R &D\nb: caf\u{e9} &D\nbase: &b {x: 1}\nt: {<<: *b}\n", None),
            ("a: \"R, &D\"\nb: 'R: &D''s'\nbase: &b {x: 1}\nt: {<<: *b}\n", None),
            ("a: 1 # &D\n# &D\nb: 2 # - &D\nbase: &b {x: 1}\nt: {<<: *b}\n", None),
            // A comment ends a line, and a `#` in a word does not.
            ("a: 1 # - &D\nb: 2 # - &D\nbase: &b {x: 1}\nt: {<<: *b}\n", None),
            ("# - &D\n# - &D\nbase: &b {x: 1}\nt: {<<: *b}\n", None),
            ("- [a#b, &a 1]\n- &a 2\n- *a\n", Some(2)),
            // A quote in a word opens nothing, so nothing up to the next one is passed over.
            ("- [it's, &a 1, the boys', b]\n- &a 2\n- *a\n", Some(2)),
            // A dash begins a node only with a blank behind it.
            ("x: a-&D\ny: b-&D\nbase: &b 1\nw: *b\n", None),
            // What is in quotes is passed over, wherever these end by their own rule.
            ("a: 'R: &D'\nb: 'R: &D'\nbase: &b 1\nw: *b\n", None),
            ("{a: 'R: &D', b: 'R: &D', base: &b 1, w: *b}\n", None),
            ("a: 'R: &D\\'\nb: 'R: &D\\'\nbase: &b 1\nw: *b\n", None),
            ("a: 'it''s, &D'\nb: 'it''s, &D'\nbase: &b 1\nw: *b\n", None),
            ("a: \"R: &D\"\nb: \"R: &D\"\nbase: &b 1\nw: *b\n", None),
            ("a: \"RR: &D\"\nb: \"RR: &D\"\nbase: &b 1\nw: *b\n", None),
            ("a: \"R: &D \\\" S\"\nb: \"R: &D \\\" S\"\nbase: &b 1\nw: *b\n", None),
            ("{a: \"R: &D\", b: \"R: &D\", base: &b 1, w: *b}\n", None),
        ] {
            assert_eq!(repeated(text), line, "{text}");
        }
    }
}
