use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use watertight_vocabulary::Diagnostic;

use super::value::Marks;

/// How many findings are kept one by one; one more tells where the rest is.
const MOST: usize = 1000;
/// How many invisible characters of one value are named.
const MOST_CHARACTERS: usize = 4;

/// What a person should know of a file. It holds keys, lines and code points, never a value (FILE-04).
#[derive(Debug)]
pub(super) struct Findings {
    path: Option<Arc<Path>>,
    list: Vec<Diagnostic>,
    /// The lines of the findings that are not in the list, and how many these are.
    more: Option<(u32, u32, usize)>,
}

impl Findings {
    pub(super) fn new(path: Option<Arc<Path>>) -> Self {
        Self { path, list: Vec::new(), more: None }
    }

    pub(super) fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if let Some((first, last, count)) = self.more {
            let more = format!("{count} more findings are on these lines");
            let more = Diagnostic::warning("more-findings", more).on_lines(first, last);
            self.list.push(self.placed(more));
        }
        self.list
    }

    fn placed(&self, finding: Diagnostic) -> Diagnostic {
        match &self.path {
            Some(path) => finding.in_file(Arc::clone(path)),
            None => finding,
        }
    }

    /// Keeps a finding, or counts it where there are too many: a file of junk must not cost more memory
    /// than it holds.
    fn push(&mut self, line: u32, finding: impl FnOnce() -> Diagnostic) {
        if self.list.len() < MOST {
            let finding = self.placed(finding());
            self.list.push(finding);
        } else {
            let (first, last, count) = self.more.unwrap_or((line, line, 0));
            self.more = Some((first.min(line), last.max(line), count + 1));
        }
    }

    fn warn(&mut self, code: &'static str, line: u32, message: &'static str) {
        self.push(line, || Diagnostic::warning(code, message).on_line(line));
    }

    fn warn_about(&mut self, key: &str, code: &'static str, line: u32, message: &'static str) {
        self.push(line, || Diagnostic::warning(code, message).on_line(line).about(key));
    }

    fn note_about(&mut self, key: &str, code: &'static str, line: u32, message: &'static str) {
        self.push(line, || Diagnostic::note(code, message).on_line(line).about(key));
    }

    pub(super) fn not_utf8(&mut self, line: u32) {
        self.warn("not-utf-8", line, "the file is not UTF-8 here and was read as Latin-1; save it as UTF-8");
    }

    pub(super) fn no_assignment(&mut self, line: u32) {
        self.warn("no-assignment", line, "the line holds no `=` and assigns nothing");
    }

    pub(super) fn name_not_accepted(&mut self, line: u32) {
        self.warn(
            "name-not-accepted",
            line,
            "what stands before the `=` is no name; the line assigns nothing",
        );
    }

    /// One finding for lines that follow one another.
    pub(super) fn key_material(&mut self, line: u32) {
        const CODE: &str = "key-material";
        const MESSAGE: &str = "the line looks like key material and assigns nothing; quote the whole value";
        if let Some(before) = self.list.last_mut().filter(|before| before.code() == CODE)
            && let Some(first) = before.line()
            && before.last_line().unwrap_or(first).checked_add(1) == Some(line)
        {
            *before = before.clone().on_lines(first, line);
            return;
        }
        self.warn(CODE, line, MESSAGE);
    }

    pub(super) fn duplicate(&mut self, key: &str, earlier: u32, line: u32) {
        self.push(earlier, || {
            let message = format!("the assignment does not count: line {line} assigns the key again");
            Diagnostic::warning("duplicate-key", message).on_line(earlier).about(key)
        });
    }

    pub(super) fn begins_with_hash(&mut self, key: &str, line: u32) {
        let message = "the value begins with `#`; quote it if it is meant, or put nothing after the `=`";
        self.warn_about(key, "value-begins-with-hash", line, message);
    }

    pub(super) fn text_after_quote(&mut self, key: &str, line: u32) {
        let message = "text stands behind the closing quote; quote the value as a whole";
        self.warn_about(key, "text-after-quote", line, message);
    }

    pub(super) fn unterminated(&mut self, key: &str, line: u32) {
        let message = "the quote is not closed; the line was read as it stands, with the quote";
        self.warn_about(key, "unterminated-quote", line, message);
    }

    pub(super) fn several_lines(&mut self, key: &str, first: u32, last: u32) {
        self.push(first, || {
            let message = "the quoted value goes on over these lines";
            Diagnostic::note("multi-line-value", message).on_lines(first, last).about(key)
        });
    }

    pub(super) fn escape_kept(&mut self, key: &str, line: u32) {
        let message = "a backslash stays in the value: in double quotes only `\\\"` and `\\\\` are undone";
        self.note_about(key, "escape-kept", line, message);
    }

    /// What the value itself gives rise to; it holds no other marks than these.
    pub(super) fn value(&mut self, key: &str, value: &str, marks: Marks, line: u32) {
        if marks.hold_a_dollar() && holds_a_reference(value) {
            let message = "the value looks like a reference; it is taken as it stands";
            self.note_about(key, "reference-kept", line, message);
        }
        if looks_like_a_placeholder(value) {
            self.warn_about(key, "placeholder", line, "the value looks like a placeholder");
        }
        if marks.hold_something_odd() {
            self.unusual_characters(key, value, line);
        }
    }

    #[cold]
    fn unusual_characters(&mut self, key: &str, value: &str, line: u32) {
        if value.contains('\0') {
            let message = "the value holds a NUL; it cannot be passed to a program";
            self.warn_about(key, "nul-in-value", line, message);
        }
        let mut found: Vec<char> = Vec::new();
        for character in value.chars().filter(|character| is_invisible(*character)) {
            if found.len() < MOST_CHARACTERS && !found.contains(&character) {
                found.push(character);
            }
        }
        if found.is_empty() {
            return;
        }
        self.push(line, || {
            let mut message = "the value holds characters that cannot be seen:".to_owned();
            for character in found {
                // Writing to a string cannot fail.
                let _ = write!(message, " U+{:04X}", u32::from(character));
            }
            Diagnostic::warning("invisible-character", message).on_line(line).about(key)
        });
    }
}

/// `$NAME`, `${..` or `$(..`.
fn holds_a_reference(value: &str) -> bool {
    value.match_indices('$').any(|(at, _)| {
        let next = value.as_bytes().get(at + 1);
        next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'{' | b'('))
    })
}

/// Whether somebody meant to put a value here and did not.
fn looks_like_a_placeholder(value: &str) -> bool {
    const WORDS: [&str; 8] =
        ["changeme", "change_me", "change-me", "placeholder", "replaceme", "replace_me", "todo", "fixme"];
    match value.as_bytes() {
        [first @ (b'*' | b'x' | b'X' | b'.'), rest @ ..] if rest.len() >= 2 => {
            rest.iter().all(|b| b == first)
        }
        [b'<', inside @ .., b'>'] => !inside.is_empty() && inside.len() <= 64,
        [b'y' | b'Y', ..] if value.len() <= 64 => {
            // Compared where it stands: a copy in lower case would have to be wiped.
            let bytes = value.as_bytes();
            let holds =
                |word: &str| bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
            bytes.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"your"))
                && ["key", "token", "secret", "password", "here"].into_iter().any(holds)
        }
        bytes if bytes.len() <= 11 => WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)),
        _ => false,
    }
}

/// Characters that a person does not see, or takes for another: controls, formats, odd spaces.
fn is_invisible(character: char) -> bool {
    match character {
        '\t' | '\n' | ' ' | '\0' => false,
        '\u{AD}'
        | '\u{61C}'
        | '\u{115F}'..='\u{1160}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E007F}' => true,
        other => other.is_control() || other.is_whitespace(),
    }
}
