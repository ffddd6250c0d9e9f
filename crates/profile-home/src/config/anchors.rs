use std::collections::HashSet;

/// Whether an anchor that an alias refers to seems to be defined twice, and on which line the second is.
///
/// The library counts anchors by the names it has seen, so after a second definition of one name an alias
/// may lead to the anchor of **another** name. No visitor can see anchors; so a text in which that could
/// happen is refused, as `PyYAML` refuses it. Tokens are looked for without regard to quotes: a text that
/// only looks like it is refused too, which needs the same `&name` twice and the `*name` of an anchor.
pub(super) fn repeated(text: &str) -> Option<u32> {
    if !text.contains('&') || !text.contains('*') {
        return None;
    }
    let mut once = HashSet::new();
    let mut twice = Vec::new();
    let mut aliases = HashSet::new();
    for (line, content) in (1..).zip(text.lines()) {
        for (mark, name) in tokens(content) {
            if mark == b'*' {
                aliases.insert(name);
            } else if !once.insert(name) {
                twice.push((name, line));
            }
        }
    }
    // A second definition of one name misleads the aliases of every name.
    let misleads = aliases.iter().any(|alias| once.contains(alias));
    twice.first().filter(|_| misleads).map(|(_, line)| *line)
}

/// What looks like an anchor or an alias: the mark behind white space or an indicator, and a name.
fn tokens(line: &str) -> impl Iterator<Item = (u8, &str)> {
    line.match_indices(['&', '*']).filter_map(move |(at, mark)| {
        let before = at.checked_sub(1).and_then(|at| line.as_bytes().get(at));
        let starts = before.is_none_or(|byte| {
            matches!(byte, b' ' | b'\t' | b'[' | b'{' | b',' | b':' | b'-' | b'?' | b'\r' | 0x80..)
        });
        let rest = line.get(at + 1..)?;
        let end = rest
            .bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')))
            .unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| starts && !name.is_empty())?;
        Some((*mark.as_bytes().first()?, name))
    })
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
            ("x: &a 1\ny: &b 2\nw: [*a, *b, *a]\n", None),
            ("url: http://h/?a=1&b=2&a=3&b=4*a\n", None),
            ("text: &a one\nmore: this & that & *those* and &a\n", None),
            ("x: &a 1\ny: &a 2\n", None),
        ] {
            assert_eq!(repeated(text), line, "{text}");
        }
    }
}
