use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use watertight_vocabulary::{Name, Secret};

use super::decode::place_in;
use super::findings::Findings;
use super::lines::{Line, Lines, trim_end, trim_start};
use super::value::{self, Marks, Quote, Quoted, Written};

/// Where in the text an assignment that counts stands, and what was made of it so far.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) key: Range<usize>,
    pub(super) name: OnceLock<Name>,
    /// Where the value stands, unless something in it was undone: then the secret is there from the start.
    pub(super) written: Range<usize>,
    pub(super) value: OnceLock<Secret>,
    pub(super) line: u32,
    /// Half of the key's hash: growing looks at no key again, and few keys are compared.
    hash: u32,
}

impl Place {
    fn is_of(&self, key: &str, hash: u32, text: &str) -> bool {
        self.hash == hash && text.get(self.key.clone()) == Some(key)
    }
}

/// The places of the entries, in their order, and an index of their keys.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) list: Vec<Place>,
    index: HashTable<u32>,
    hasher: RandomState,
}

/// What the index files half of a hash under; it looks at both ends of the number.
fn filed(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

fn index(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

impl Entries {
    /// What people have fits at once, and into what an allocator hands out fastest; a large file grows.
    fn for_text(text: &str) -> Self {
        let expected = (text.len() / 32).min(32);
        Self {
            list: Vec::with_capacity(expected),
            index: HashTable::with_capacity(expected),
            hasher: RandomState::default(),
        }
    }

    pub(super) fn get(&self, text: &str, key: &str) -> Option<&Place> {
        let hash = self.hash(key);
        let place = |at: &u32| self.list.get(index(*at));
        let at = self.index.find(filed(hash), |at| place(at).is_some_and(|it| it.is_of(key, hash, text)))?;
        place(at)
    }

    fn hash(&self, key: &str) -> u32 {
        let [a, b, c, d, ..] = self.hasher.hash_one(key.as_bytes()).to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// Sets a key; the line that set it before, if one did (FILE-20).
    fn set(&mut self, text: &str, key: &str, value: Cow<'_, str>, line: u32) -> Option<u32> {
        let (written, value) = match value {
            Cow::Borrowed(part) => (place_in(text, part), OnceLock::new()),
            Cow::Owned(undone) => (Range::default(), OnceLock::from(Secret::from(undone))),
        };
        let hash = self.hash(key);
        let list = &self.list;
        let is_it = |at: &u32| list.get(index(*at)).is_some_and(|place| place.is_of(key, hash, text));
        let hash_of = |at: &u32| filed(list.get(index(*at)).map_or(0, |place| place.hash));
        match self.index.entry(filed(hash), is_it, hash_of) {
            Slot::Occupied(slot) => {
                let place = self.list.get_mut(index(*slot.get()))?;
                (place.written, place.value) = (written, value);
                Some(std::mem::replace(&mut place.line, line))
            }
            Slot::Vacant(slot) => {
                slot.insert(u32::try_from(list.len()).unwrap_or(u32::MAX));
                let (key, name) = (place_in(text, key), OnceLock::new());
                self.list.push(Place { key, name, written, value, line, hash });
                None
            }
        }
    }
}

const KEY_MATERIAL_BEGINS: &str = "-----BEGIN ";
const KEY_MATERIAL_ENDS: &str = "-----END ";

/// Reads a text, line by line.
pub(super) fn parse(text: &str, findings: &mut Findings) -> Entries {
    let entries = Entries::for_text(text);
    let mut reader = Reader { text, marks: Marks::of(text), lines: Lines::of(text), entries, findings };
    while let Some(line) = reader.lines.next() {
        reader.line(line);
    }
    reader.entries
}

struct Reader<'a, 'f> {
    text: &'a str,
    /// The marks of the whole text: what it does not hold is looked for in no value.
    marks: Marks,
    lines: Lines<'a>,
    entries: Entries,
    findings: &'f mut Findings,
}

impl<'a> Reader<'a, '_> {
    fn line(&mut self, line: Line<'a>) {
        if line.text.is_empty() || line.text.starts_with('#') {
            return;
        }
        let Some((key, written)) = assignment(line.text) else {
            if line.text.starts_with(KEY_MATERIAL_BEGINS) {
                self.findings.key_material(line.number);
                self.skip_key_material();
            } else if line.text.contains('=') {
                self.findings.name_not_accepted(line.number);
            } else {
                self.findings.no_assignment(line.number);
            }
            return;
        };
        if is_padding(written) {
            self.findings.key_material(line.number);
            return;
        }
        let (value, marks) = self.value(key, written, line);
        let is_key_material =
            unquoted(&value).starts_with(KEY_MATERIAL_BEGINS) && !value.contains(KEY_MATERIAL_ENDS);
        self.findings.value(key, &value, marks, line.number);
        if let Some(earlier) = self.entries.set(self.text, key, value, line.number) {
            self.findings.duplicate(key, earlier, line.number);
        }
        if is_key_material {
            self.skip_key_material();
        }
    }

    /// The value of an assignment, as it stands in the text or in a buffer that is filled to the brim, and the
    /// marks it may hold.
    fn value(&mut self, key: &str, written: &'a str, line: Line<'a>) -> (Cow<'a, str>, Marks) {
        let marks = self.marks_of(written);
        let value = match value::read(written) {
            Written::Bare(text) => {
                if text.starts_with('#') {
                    self.findings.begins_with_hash(key, line.number);
                }
                Cow::Borrowed(text)
            }
            Written::Quoted(quoted) => self.quoted(key, quoted, marks, line.number),
            Written::Mistaken { inside, whole } => {
                self.findings.text_after_quote(key, line.number);
                inside.map_or(Cow::Borrowed(whole), |quoted| self.quoted(key, quoted, marks, line.number))
            }
            Written::Open { quote, whole } => {
                if let Some((quoted, lines, last)) = self.closing_line(quote, whole, line) {
                    self.findings.several_lines(key, line.number, last);
                    self.lines = lines;
                    let marks = self.marks_of(quoted.inside);
                    return (self.quoted(key, quoted, marks, line.number), marks);
                }
                self.findings.unterminated(key, line.number);
                Cow::Borrowed(whole)
            }
        };
        (value, marks)
    }

    fn quoted(&mut self, key: &str, quoted: Quoted<'a>, marks: Marks, line: u32) -> Cow<'a, str> {
        if quoted.keeps_an_escape(marks) {
            self.findings.escape_kept(key, line);
        }
        quoted.value(marks)
    }

    /// The marks that a part of the text holds.
    fn marks_of(&self, part: &str) -> Marks {
        if self.marks == Marks::NONE { Marks::NONE } else { Marks::of(part) }
    }

    /// Looks for the line that closes a quote (FILE-18): what is quoted, the lines behind it, and the
    /// number of its last line.
    ///
    /// No line up to there may read as an assignment, nor may the text before the quote on the closing line:
    /// nothing is swallowed. What stands behind the closing line has no say in it, so a file reads the same
    /// whatever is appended to it. Every line that can open a quote ends a search, so no line is looked at by
    /// more than two (FILE-23).
    fn closing_line(
        &self,
        quote: Quote,
        whole: &str,
        first: Line<'a>,
    ) -> Option<(Quoted<'a>, Lines<'a>, u32)> {
        let inside_starts = first.start + first.text.len() - whole.len() + 1;
        let mut lines = self.lines.clone();
        while let Some(line) = lines.next() {
            let Some((before, rest)) = quote.close(line.text) else {
                if sets_something(line.text) {
                    return None;
                }
                continue;
            };
            let inside = self.text.get(inside_starts..line.start + before.len())?;
            let closes = match opened_by(before) {
                _ if !value::ends_value(rest) || sets_something(before) => false,
                None => true,
                Some(key) => could_be_padded(before, key) && is_base64(inside),
            };
            if !closes {
                return None;
            }
            return Some((Quoted { quote, inside }, lines, line.number));
        }
        None
    }

    /// Skips the lines of key material that has begun, if it ends before another begins (FILE-24). Key material
    /// that is cut off takes nothing with it.
    ///
    /// The search ends at every line from which another could start, so no line is looked at by two (FILE-23).
    fn skip_key_material(&mut self) {
        let mut marks = self.lines.clone().map(|line| (begins_key_material(line.text), line.text));
        let mark = marks.find(|(begins, text)| *begins || text.starts_with(KEY_MATERIAL_ENDS));
        if mark.is_none_or(|(begins, _)| begins) {
            return;
        }
        for line in self.lines.by_ref() {
            self.findings.key_material(line.number);
            if line.text.starts_with(KEY_MATERIAL_ENDS) {
                return;
            }
        }
    }
}

/// The key and the trimmed text behind the `=`, if the trimmed line assigns to a name (FILE-13, FILE-14).
fn assignment(line: &str) -> Option<(&str, &str)> {
    // As most lines are written: a name, and the sign behind it.
    let end = line.bytes().position(|byte| !is_in_name(byte)).unwrap_or(line.len());
    if let Some((key, written)) = line.split_at_checked(end)
        && let Some(written) = written.strip_prefix('=')
    {
        return key.bytes().next().is_some_and(begins_name).then(|| (key, trim_start(written)));
    }
    let line = line
        .strip_prefix("export")
        .filter(|rest| rest.starts_with(char::is_whitespace))
        .map_or(line, str::trim_start);
    let (key, written) = line.split_once('=')?;
    let key = trim_end(key);
    is_name(key).then(|| (key, trim_start(written)))
}

/// Without a quote before it.
fn unquoted(value: &str) -> &str {
    if let [b'"' | b'\'', ..] = value.as_bytes() { value.get(1..).unwrap_or_default() } else { value }
}

/// Whether what stands behind a `=` is only `=` signs, and perhaps a comment (FILE-24).
fn is_padding(written: &str) -> bool {
    written.starts_with('=') && value::without_comment(written).bytes().all(|byte| byte == b'=')
}

/// Whether a line inside an open quote reads as an assignment with a value other than `=` signs (FILE-18).
fn sets_something(line: &str) -> bool {
    assignment(line).is_some_and(|(_, written)| !written.is_empty() && !is_padding(written))
}

/// The key that a quote behind this text would open a value of.
fn opened_by(before: &str) -> Option<&str> {
    assignment(before).filter(|(_, written)| written.is_empty()).map(|(key, _)| key)
}

/// Whether `key=` could be the end of base64 text, padded to four characters.
fn could_be_padded(before: &str, key: &str) -> bool {
    before.len() == key.len() + 1
        && before.len().is_multiple_of(4)
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether all lines are base64 text, blank, or a mark of key material.
fn is_base64(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    Lines::of(text).all(|line| line.text.starts_with("-----") || line.text.bytes().all(is_part))
}

/// Whether a line is one from which key material is skipped, if it ends, or looks like one.
fn begins_key_material(line: &str) -> bool {
    line.starts_with(KEY_MATERIAL_BEGINS)
        || assignment(line).is_some_and(|(_, written)| {
            written.trim_start_matches(['"', '\'', '\\']).starts_with(KEY_MATERIAL_BEGINS)
        })
}

/// Whether a key is a name (FILE-14).
pub(super) fn is_name(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(begins_name) && bytes.all(is_in_name)
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Looked up: it is asked of every byte of every key.
fn is_in_name(byte: u8) -> bool {
    #[expect(clippy::indexing_slicing, reason = "a constant with an index out of bounds does not build")]
    const ANSWERS: [bool; 256] = {
        let mut answers = [false; 256];
        let mut byte = 0_u8;
        while let Some(next) = byte.checked_add(1) {
            answers[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
            byte = next;
        }
        answers
    };
    ANSWERS.get(usize::from(byte)).copied().unwrap_or(false)
}
