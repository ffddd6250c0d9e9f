use std::fmt::{self, Write};
use std::path::Path;

/// A path as a text for people shows it: on one line, and reading as it is written.
///
/// Who makes a file or a link chooses its name. So what would begin a new line of a log, act on a terminal or
/// turn the direction of writing is shown escaped; every other path is shown as it is.
///
/// ```
/// use std::path::Path;
/// use watertight_vocabulary::shown_path;
///
/// assert_eq!(shown_path(Path::new("/srv/Füße/it's")).to_string(), "/srv/Füße/it's");
/// assert_eq!(shown_path(Path::new("/srv/a\nerror: b")).to_string(), r"/srv/a\nerror: b");
/// ```
pub fn shown_path(path: &Path) -> impl fmt::Display + '_ {
    ShownPath(path)
}

struct ShownPath<'a>(&'a Path);

impl fmt::Display for ShownPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.to_string_lossy().chars().try_for_each(|character| {
            if is_misleading(character) {
                write!(f, "{}", character.escape_default())
            } else {
                f.write_char(character)
            }
        })
    }
}

/// Control characters, line separators, and what is invisible or turns the direction of writing.
fn is_misleading(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_forge_a_line_or_turn_the_text_is_escaped() {
        for (path, expected) in [
            ("a\nb", r"a\nb"),
            ("a\r\tb", r"a\r\tb"),
            ("\u{1b}[31m", r"\u{1b}[31m"),
            ("a\u{85}\u{2028}b", r"a\u{85}\u{2028}b"),
            ("\u{202e}txt", r"\u{202e}txt"),
            ("\u{7f}", r"\u{7f}"),
        ] {
            assert_eq!(shown_path(Path::new(path)).to_string(), expected);
        }
    }

    #[test]
    fn every_other_path_is_shown_as_it_is() {
        for path in ["/srv/agents", r"C:\agents", "it's", "\"x y\"", "Fu\u{308}ße", "日本語", "", "…"] {
            assert_eq!(shown_path(Path::new(path)).to_string(), path);
        }
    }
}
