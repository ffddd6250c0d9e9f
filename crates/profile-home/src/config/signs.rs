//! What is judged before the library sees a byte, because it would end the process, or take minutes, before
//! its own limits speak (FILE-37).

use super::load::MOST_NODES;

/// Brackets times bytes: what the library makes of brackets grows with the square.
const MOST_BRACKET_BYTES: u64 = 128 << 20;
/// Signs that a node may begin. The library keeps an event of more than a hundred bytes for each node of the
/// file before the first one can be counted; with this many, the worst of the files that were tried took
/// 0.4 s and 31 MiB in an optimised build. A file of as many nodes as the tree may hold has at most two signs
/// for each (`[],`). Texts are not told from structure here, since where a text ends depends on all before it:
/// a file of texts with more than a hundred thousand such signs behind a bracket is refused as well.
const MOST_SIGNS: usize = 2 * MOST_NODES;
/// `- ` and `? ` one behind the other on a line: each is a level, and the library keeps four stacks of them.
const MOST_LEVELS_ON_A_LINE: usize = 1000;
/// Directives at the beginning of a document.
const MOST_DIRECTIVES: usize = 100;
/// Signs of a number in a row, in a text with an alias. For each alias that leads to a number the library reads
/// all its digits anew, and what it yields does not tell how many they were: `0x000...1` is a short text. So this
/// many digits times the nodes of the tree is what they may cost.
const MOST_DIGITS: usize = 1000;

/// The budget that a text goes beyond, if it does.
pub(super) fn beyond_budget(text: &str) -> Option<&'static str> {
    let signs = Signs::in_text(text);
    if saturating(signs.brackets).saturating_mul(saturating(text.len())) > MOST_BRACKET_BYTES {
        Some("brackets")
    } else if signs.directives > MOST_DIRECTIVES {
        Some("directives")
    } else if signs.levels_on_a_line > MOST_LEVELS_ON_A_LINE {
        Some("nesting")
    } else if signs.nodes > MOST_SIGNS {
        Some("nodes")
    } else if signs.aliases && signs.digits > MOST_DIGITS {
        Some("digits")
    } else {
        None
    }
}

/// What may begin in a text, counted before the library sees it.
#[derive(Default)]
struct Signs {
    brackets: usize,
    /// `- ` and `? ` behind nothing but their like, `: `, and brackets; behind the first bracket also each `?`,
    /// `:` and `,`, since inside of brackets these need nothing around them. What each stands for is at most
    /// two of the library's events, so there are never more than twice as many of these, and a few.
    nodes: usize,
    /// The most `- ` and `? ` that begin one line.
    levels_on_a_line: usize,
    /// `%` at the margin: the library compares each with all before it.
    directives: usize,
    /// The most digits in a row.
    digits: usize,
    /// Whether there is what looks like an alias.
    aliases: bool,
}

impl Signs {
    fn in_text(text: &str) -> Self {
        let mut signs = Self::default();
        let (mut at_margin, mut leading, mut levels) = (true, true, 0);
        let mut row = Row::default();
        let mut bytes = text.bytes().peekable();
        while let Some(byte) = bytes.next() {
            // Beyond ASCII there are line ends, too.
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x80..);
            let ends = matches!(byte, b'\n' | b'\r' | 0x80..);
            signs.brackets += usize::from(matches!(byte, b'[' | b'{'));
            signs.directives += usize::from(at_margin && byte == b'%');
            signs.nodes += usize::from(match byte {
                b'?' | b':' | b',' if signs.brackets > 0 => true,
                b'-' | b'?' => leading && bytes.peek().is_none_or(blank),
                b':' => bytes.peek().is_none_or(blank),
                b'[' | b'{' => true,
                _ => false,
            });
            levels = if ends { 0 } else { levels + usize::from(leading && matches!(byte, b'-' | b'?')) };
            signs.levels_on_a_line = signs.levels_on_a_line.max(levels);
            signs.digits = signs.digits.max(row.with(byte));
            signs.aliases |= byte == b'*' && bytes.peek().copied().is_some_and(is_in_alias);
            at_margin = ends;
            leading = ends || (leading && matches!(byte, b' ' | b'\t' | b'-' | b'?' | b':'));
        }
        signs
    }
}

fn is_in_alias(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The signs of a number that stand in a row: those that a number may hold many of, as they stand or escaped
/// (`\x30`), also with line ends between that a backslash takes away.
#[derive(Default)]
struct Row {
    length: usize,
    behind: Behind,
}

/// What the next byte stands behind.
#[derive(Default, Clone, Copy)]
enum Behind {
    #[default]
    Nothing,
    Backslash,
    /// A line end that a backslash took away, and blanks.
    LineEnd,
    /// An escape that lacks so many digits.
    Escape {
        value: u32,
        lacks: u8,
    },
}

impl Row {
    /// How long it is with this byte.
    fn with(&mut self, byte: u8) -> usize {
        let escape = |lacks| Behind::Escape { value: 0, lacks };
        let blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x80..);
        self.behind = match (self.behind, byte) {
            (Behind::Backslash, b'x') => escape(2),
            (Behind::Backslash, b'u') => escape(4),
            (Behind::Backslash, b'U') => escape(8),
            (Behind::Backslash | Behind::LineEnd, _) if blank => Behind::LineEnd,
            (Behind::Backslash, _) => self.adds(false),
            (Behind::Escape { value, lacks }, _) => match char::from(byte).to_digit(16) {
                None => self.adds(false),
                Some(digit) => match (value.wrapping_mul(16) | digit, lacks.saturating_sub(1)) {
                    (value, 0) => self.adds(u8::try_from(value).is_ok_and(is_in_number)),
                    (value, lacks) => Behind::Escape { value, lacks },
                },
            },
            (Behind::Nothing | Behind::LineEnd, b'\\') => Behind::Backslash,
            (Behind::Nothing | Behind::LineEnd, _) => self.adds(is_in_number(byte)),
        };
        self.length
    }

    fn adds(&mut self, is_in_number: bool) -> Behind {
        self.length = if is_in_number { self.length + 1 } else { 0 };
        Behind::Nothing
    }
}

fn is_in_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-')
}

fn saturating(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
