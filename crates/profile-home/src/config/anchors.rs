use std::collections::HashSet;

/// Whether an anchor that an alias refers to seems to be defined twice, and on which line the second is.
///
/// The library counts anchors by the names it has seen, so after a second definition of one name an alias
/// may lead to the anchor of **another** name. No visitor can see anchors; so a text in which that could
/// happen is refused, as `PyYAML` refuses it.
///
/// Marks are looked for where a node can begin, and not in comments or in quotes that close on their line.
/// In a text over several lines, a line that reads like a definition is taken for one: such a file is refused
/// though it could be read, if it also defines another anchor, and uses it. Where a line cannot tell what is
/// quoted, every mark with a name counts, wherever it stands in the whole text.
pub(super) fn repeated(text: &str) -> Option<u32> {
    if !text.contains('&') {
        return None;
    }
    let mut marks = Marks::default();
    if marks.read(text).is_err() {
        marks = Marks::default();
        marks.read_all(text);
    }
    // A second definition of one name misleads the aliases of every name.
    marks.twice.filter(|_| marks.aliases.iter().any(|alias| marks.once.contains(alias)))
}

/// The anchors and aliases of a text.
#[derive(Default)]
struct Marks<'a> {
    once: HashSet<&'a str>,
    /// The line of the first that is defined a second time.
    twice: Option<u32>,
    aliases: HashSet<&'a str>,
}

impl<'a> Marks<'a> {
    /// Those that stand where a node can begin.
    fn read(&mut self, text: &'a str) -> Result<(), Uncertain> {
        for (number, line) in lines(text) {
            tokens(line, |mark, name| self.add(number, mark, name))?;
        }
        Ok(())
    }

    /// All that look like one.
    fn read_all(&mut self, text: &'a str) {
        for (number, line) in lines(text) {
            for (at, mark) in line.match_indices(['&', '*']) {
                if let Some(name) = line.get(at..).and_then(name) {
                    self.add(number, mark, name);
                }
            }
        }
    }

    fn add(&mut self, line: u32, mark: &str, name: &'a str) {
        if mark == "*" {
            self.aliases.insert(name);
        } else if !self.once.insert(name) {
            self.twice.get_or_insert(line);
        }
    }
}

/// The lines by their numbers, in the parts that the library takes for lines. It passes over a byte order mark
/// before one.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.split('\n')).flat_map(|(number, line)| {
        let parts = line.split(['\r', '\u{85}', '\u{2028}', '\u{2029}']);
        parts.map(move |part| (number, part.trim_start_matches('\u{FEFF}')))
    })
}

/// A quote that does not close on its line, or that may open none.
struct Uncertain;

/// Finds what looks like an anchor or an alias: the mark where a node can begin, and a name.
fn tokens<'a>(line: &'a str, mut found: impl FnMut(&str, &'a str)) -> Result<(), Uncertain> {
    let indent = line.len() - line.trim_start().len();
    let mut at = 0;
    while let Some((before, rest)) = line.split_at_checked(at) {
        let Some(sign) = rest.find(['&', '*', '"', '\'', '#']) else { return Ok(()) };
        let (_, rest) = rest.split_at(sign);
        let before = line.get(..before.len() + sign).unwrap_or_default();
        at = before.len() + 1;
        match rest.chars().next() {
            Some('#') if before.is_empty() || before.ends_with([' ', '\t']) => return Ok(()),
            Some('&' | '*') if begins_a_node(before) => {
                if let (Some(mark), Some(name)) = (rest.get(..1), name(rest)) {
                    found(mark, name);
                }
            }
            Some(quote @ ('"' | '\'')) if begins_a_node(before) => {
                let length = quoted(rest, quote).ok_or(Uncertain)?;
                // At the beginning of a line it may be a part of plain text that the line before began.
                let may_be_plain = before.len() <= indent;
                if may_be_plain && rest.get(..length).is_some_and(|quoted| quoted.contains('&')) {
                    return Err(Uncertain);
                }
                at += length;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The name behind a mark.
fn name(marked: &str) -> Option<&str> {
    let name = marked.get(1..)?;
    let other = |character: char| !(character.is_ascii_alphanumeric() || "_-".contains(character));
    name.get(..name.find(other).unwrap_or(name.len())).filter(|name| !name.is_empty())
}

/// Whether a node can begin behind this part of a line.
fn begins_a_node(before: &str) -> bool {
    let trimmed = before.trim_end_matches([' ', '\t']);
    // Asked behind a blank alone, so that no part of a line is looked at for two signs.
    let is_property = || {
        let words = trimmed.rsplit([' ', '\t']).next().unwrap_or_default();
        let word = words.rsplit(['[', '{', ',']).next().unwrap_or_default();
        // A tag in angle brackets may hold such signs itself.
        word.starts_with(['!', '&']) || words.contains("!<")
    };
    trimmed.is_empty()
        || trimmed.ends_with(['[', '{', ',', ':', '?'])
        || (trimmed.len() < before.len() && (trimmed.ends_with('-') || is_property()))
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
            ("x: !<tag:yaml.org,2002:int> &a 1\ny: &a 2\nz: &b 3\nw: *a\n", Some(2)),
            ("[!<tag:yaml.org,2002:int> &a 1, &a 2, *a]\n", Some(1)),
            // A quote over several lines: what stands in it is no comment, and what stands behind it counts.
            ("q: {k: \"one\n  two # three\", x: &a 1}\ny: &a 2\nz: &b 3\nw: *a\n", Some(3)),
            ("q: {k: 'one\n  two, ''three', x: &a 1}\ny: &a 2\nz: &b 3\nw: *a\n", Some(3)),
            ("q: [one\n  \"two, &a 1\", x]\ny: &a 2\nz: &b 3\nw: *a\n", Some(3)),
            ("x: &a 1\n\u{FEFF}&a y: 2\nz: *a\n", Some(2)),
            ("q: \"one\n  two & three &b\"\nx: &a 1\nw: *a\n", None),
            ("\"R, &D\": 1\nx: &a 1\nw: *a\n", None),
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
