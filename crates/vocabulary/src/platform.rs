use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

/// What the rules need to know of the operating system, as a value (SNAP-08).
///
/// Everything that differs by platform is a pure function of this value, so all of it can be tested
/// anywhere; [`Platform::current`] is the only `cfg` code behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// Linux and every Unix that is not macOS.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// All of them, for tables in tests.
    pub const ALL: [Self; 3] = [Self::Linux, Self::MacOs, Self::Windows];

    /// The platform this program was compiled for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// Whether this is a Unix.
    pub const fn is_unix(self) -> bool {
        !matches!(self, Self::Windows)
    }

    /// Whether two names that differ in ASCII case may lead to one file: they do on most volumes of macOS
    /// and Windows.
    pub const fn folds_file_names(self) -> bool {
        matches!(self, Self::MacOs | Self::Windows)
    }

    /// How names of variables compare here: on Windows without regard to ASCII case, elsewhere exactly.
    pub const fn case_rule(self) -> CaseRule {
        match self {
            Self::Windows => CaseRule::AsciiInsensitive,
            Self::Linux | Self::MacOs => CaseRule::Sensitive,
        }
    }
}

/// How two names of variables compare (SNAP-08).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way to compare names")]
pub enum CaseRule {
    /// Byte for byte.
    Sensitive,
    /// ASCII letters fold, nothing else does: a full Unicode fold would equate `ſ` with `s`.
    AsciiInsensitive,
}

impl CaseRule {
    /// Whether two names are one name.
    #[inline]
    pub fn same(self, a: &OsStr, b: &OsStr) -> bool {
        match self {
            Self::Sensitive => a == b,
            Self::AsciiInsensitive => a.eq_ignore_ascii_case(b),
        }
    }

    /// Whether `name` begins with `prefix`.
    #[inline]
    pub fn has_prefix(self, name: &OsStr, prefix: &OsStr) -> bool {
        let (name, prefix) = (name.as_encoded_bytes(), prefix.as_encoded_bytes());
        match (self, name.get(..prefix.len())) {
            (_, None) => false,
            (Self::Sensitive, Some(start)) => start == prefix,
            (Self::AsciiInsensitive, Some(start)) => start.eq_ignore_ascii_case(prefix),
        }
    }

    /// The spelling under which a name is filed: itself, or in ASCII upper case.
    pub fn fold(self, name: &OsStr) -> Cow<'_, OsStr> {
        match self {
            Self::Sensitive => Cow::Borrowed(name),
            Self::AsciiInsensitive => Cow::Owned(OsString::from(name).to_ascii_uppercase()),
        }
    }
}
