//! The canary, the search for it, and a type's texts: plain, debug, pretty, as JSON, and its chain of errors.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{Debug, Display};
use std::sync::LazyLock;

/// A value that nobody may see. What follows the dash occurs nowhere else.
pub(crate) const CANARY: &str = "canary-Zq7xWv9KpR3tYb5Nm2Lc8Hd";
/// What nobody may see a piece of.
const UNIQUE: &str = "Zq7xWv9KpR3tYb5Nm2Lc8Hd";
/// So many bytes in a row are a piece.
const PIECE: usize = 8;
/// As a list of numbers, so few bytes in a row are a piece already.
const NUMBERS: usize = 5;

/// A form in which bytes can be written.
struct Form {
    /// Every piece of the canary, in this form.
    pieces: Vec<String>,
    /// Parts of pieces, one of which stands in each of them: without any of these there is no piece.
    hints: Vec<String>,
}

impl Form {
    fn new(piece: usize, hint: usize, write: impl Fn(&[u8]) -> String) -> Self {
        let bytes = UNIQUE.as_bytes();
        let hints = bytes.windows(hint).step_by(piece - hint + 1).map(&write).collect();
        Self { pieces: bytes.windows(piece).map(&write).collect(), hints }
    }

    fn may_be_in(&self, text: &str) -> bool {
        self.hints.iter().any(|hint| text.contains(hint))
    }

    fn is_in(&self, text: &str) -> bool {
        self.pieces.iter().any(|piece| text.contains(piece))
    }
}

/// The bytes as text in lower case, and as hexadecimal digits.
static WRITTEN: LazyLock<[Form; 2]> = LazyLock::new(|| {
    [Form::new(PIECE, 4, |bytes| String::from_utf8_lossy(bytes).to_lowercase()), Form::new(PIECE, 4, digits)]
});

/// The bytes as the list of numbers that a derived `Debug` shows, without its white space.
static LISTED: LazyLock<Form> = LazyLock::new(|| {
    let number = |byte: &u8| byte.to_string();
    Form::new(NUMBERS, 1, |bytes| bytes.iter().map(number).collect::<Vec<_>>().join(","))
});

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Whether a text holds the canary, or a piece of it in any of these forms.
pub(crate) fn shows_the_canary(text: &str) -> bool {
    let folded = text.to_lowercase();
    folded.contains("canary-")
        || WRITTEN.iter().any(|form| form.may_be_in(&folded) && form.is_in(&folded))
        || (LISTED.may_be_in(text) && LISTED.is_in(&text.replace([' ', '\n'], "")))
}

/// Texts by the crate and the type that wrote them.
#[derive(Default)]
pub(crate) struct Texts(BTreeMap<(String, String), BTreeSet<String>>);

impl Texts {
    /// Adds the texts of a value; its type files them.
    pub(crate) fn add<T: ?Sized>(&mut self, value: &T, texts: impl IntoIterator<Item = Vec<String>>) {
        self.of(place_of(value)).extend(texts.into_iter().flatten());
    }

    /// Adds the debug texts of a value that stands behind a trait: no list names its type.
    pub(crate) fn unlisted(&mut self, value: &dyn Debug) {
        let texts = [format!("{value:?}"), format!("{value:#?}")];
        self.of((String::new(), "behind a trait".to_owned())).extend(texts);
    }

    /// Takes over the texts of others.
    pub(crate) fn append(&mut self, others: &mut Self) {
        for (place, texts) in std::mem::take(&mut others.0) {
            self.of(place).extend(texts);
        }
    }

    fn of(&mut self, place: (String, String)) -> &mut BTreeSet<String> {
        self.0.entry(place).or_default()
    }

    /// The types of this crate that were put into words.
    pub(crate) fn types_of(&self, library: &str) -> impl Iterator<Item = &str> {
        let own = self.0.keys().filter(move |(of, _)| of == library);
        own.map(|(_, name)| name.as_str())
    }

    /// Every text, behind the crate and type that wrote it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().flat_map(|((library, name), texts)| {
            texts.iter().map(move |text| (format!("{library}::{name}"), text.as_str()))
        })
    }
}

impl Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the texts of {} types", self.0.len())
    }
}

/// The crate and the name of a value's type, without what stands in angle brackets.
fn place_of<T: ?Sized>(_value: &T) -> (String, String) {
    let path = std::any::type_name::<T>().split('<').next().unwrap_or_default();
    let (library, name) = (path.split("::").next(), path.rsplit("::").next());
    (library.unwrap_or_default().to_owned(), name.unwrap_or_default().to_owned())
}

/// A value to put into words in every way that it has: what its type cannot do, [`Silent`] answers.
pub(crate) struct Shown<'a, T: ?Sized>(pub(crate) &'a T);

impl<T: Debug + ?Sized> Shown<'_, T> {
    pub(crate) fn debug(&self) -> Vec<String> {
        vec![format!("{:?}", self.0), format!("{:#?}", self.0)]
    }
}

impl<T: Display + ?Sized> Shown<'_, T> {
    pub(crate) fn plain(&self) -> Vec<String> {
        vec![format!("{}", self.0), format!("{:#}", self.0)]
    }
}

impl<T: serde::Serialize + ?Sized> Shown<'_, T> {
    pub(crate) fn json(&self) -> Vec<String> {
        vec![serde_json::to_string(self.0).unwrap(), serde_json::to_string_pretty(self.0).unwrap()]
    }
}

impl<T: Error + 'static> Shown<'_, T> {
    pub(crate) fn chain(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let mut cause = self.0.source();
        while let Some(error) = cause {
            texts.extend([
                format!("{error}"),
                format!("{error:#}"),
                format!("{error:?}"),
                format!("{error:#?}"),
            ]);
            cause = error.source();
        }
        texts
    }
}

/// Stands in for a method that [`Shown`] has for other types only.
pub(crate) trait Silent {
    fn plain(&self) -> Vec<String> {
        Vec::new()
    }
    fn json(&self) -> Vec<String> {
        Vec::new()
    }
    fn chain(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<T: ?Sized> Silent for Shown<'_, T> {}

/// Adds the texts of values, in every way that each of them has.
macro_rules! show {
    ($texts:expr, $($value:expr),+ $(,)?) => {{
        $({
            let value = &$value;
            let shown = crate::texts::Shown(value);
            $texts.add(value, [shown.debug(), shown.plain(), shown.json(), shown.chain()]);
        })+
    }};
}
pub(crate) use show;

mod tests {
    use super::{CANARY, NUMBERS, PIECE, Shown, Silent, Texts, UNIQUE, digits, shows_the_canary};

    #[derive(Debug, serde::Serialize)]
    struct Leaky {
        text: String,
        bytes: Vec<u8>,
    }

    #[derive(Debug)]
    struct Outer(std::io::Error);

    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("quiet")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn sec_31_the_search_sees_every_way_in_which_a_value_shows() {
        let bytes = CANARY.as_bytes();
        for text in [
            CANARY.to_owned(),
            "...Zq7xWv9K...".to_owned(),
            "...ZQ7XWV9K...".to_owned(),
            format!("{:?}", &bytes[7..15]),
            format!("{:#?}", &bytes[7..15]),
            digits(bytes),
        ] {
            assert!(shows_the_canary(&text), "not seen: {text}");
        }
        for piece in UNIQUE.as_bytes().windows(PIECE) {
            let text = String::from_utf8_lossy(piece);
            assert!(shows_the_canary(&text) && shows_the_canary(&digits(piece)), "not seen: {text}");
        }
        for piece in UNIQUE.as_bytes().windows(NUMBERS) {
            assert!(shows_the_canary(&format!("{piece:?}")), "not seen: {piece:?}");
        }
        assert!(!shows_the_canary("an ordinary sentence about 113, 55 and 120"));
    }

    #[test]
    fn sec_31_a_type_is_put_into_words_in_every_way_that_it_has() {
        let leaky = Leaky { text: CANARY.to_owned(), bytes: CANARY.as_bytes().to_vec() };
        assert!(Shown(&leaky).debug().iter().all(|text| shows_the_canary(text)));
        assert!(Shown(&leaky).json().iter().all(|text| shows_the_canary(text)));
        assert_eq!(leaky.text.len(), leaky.bytes.len());
        assert!(Shown(&leaky).plain().is_empty(), "it has no plain text");
        let outer = Outer(std::io::Error::other(CANARY));
        assert_eq!(Shown(&outer).plain(), ["quiet", "quiet"]);
        assert_eq!(Shown(&outer).chain().iter().filter(|text| shows_the_canary(text)).count(), 4);
        let mut texts = Texts::default();
        show!(texts, Some(outer), leaky);
        assert_eq!(texts.types_of("leaks").collect::<Vec<_>>(), ["Leaky"], "filed by its own crate and name");
        assert_eq!(texts.types_of("core").collect::<Vec<_>>(), ["Option"]);
    }
}
