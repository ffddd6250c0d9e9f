use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use watertight_vocabulary::Platform;

/// The longest a profile's name may be.
const LONGEST: usize = 64;
/// How much of an offending text an error shows.
const SHOWN: usize = 80;
/// The root's own name.
pub(crate) const DEFAULT: &str = "default";
/// Names that nobody may give to a new profile (PROF-12).
const RESERVED: [&str; 5] = ["hermes", "test", "tmp", "root", "sudo"];
/// Names that are devices on Windows, in every folder.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The name of a named profile: 1 to 64 of `[a-z0-9_-]`, beginning with a letter or digit, and not
/// `default` (PROF-10, PROF-13).
///
/// There is no other way to make one than to parse it, so `..`, separators and NUL never become a path.
///
/// ```
/// use watertight_profile_discovery::ProfileId;
///
/// assert_eq!(ProfileId::parse("coder").unwrap().as_str(), "coder");
/// assert!(ProfileId::parse("coder\n").is_err());
/// assert!(ProfileId::parse("..").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileId(Arc<str>);

impl ProfileId {
    /// The id that `text` is, as it stands: no white space, no upper case.
    ///
    /// # Errors
    ///
    /// [`NameError`].
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text == DEFAULT {
            Err(NameError::new(text, NameProblem::Default))
        } else if is_grammatical(text) {
            Ok(Self(Arc::from(text)))
        } else {
            Err(NameError::new(text, NameProblem::Grammar))
        }
    }

    /// The id that a new profile may have: PROF-12's reserved names and, on Windows, the names of devices
    /// are refused here and nowhere else.
    ///
    /// # Errors
    ///
    /// [`NameError`].
    pub fn for_creation(text: &str, platform: Platform) -> Result<Self, NameError> {
        match ProfileName::requested(text)? {
            ProfileName::Default => Err(NameError::new(text, NameProblem::Default)),
            ProfileName::Named(id) if RESERVED.contains(&id.as_str()) => {
                Err(NameError::new(text, NameProblem::Reserved))
            }
            ProfileName::Named(id) if id.is_device_on(platform) => {
                Err(NameError::new(text, NameProblem::Device))
            }
            ProfileName::Named(id) => Ok(id),
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `<folder>/<id>` would be a device there, and not a folder.
    pub fn is_device_on(&self, platform: Platform) -> bool {
        let numbered = |prefix: &str| {
            self.0.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
        };
        platform == Platform::Windows
            && (DEVICES.contains(&self.as_str()) || numbered("com") || numbered("lpt"))
    }

    /// The id that a person may have meant by `text`, if one can be made of it.
    pub(crate) fn near(text: &str) -> Option<Self> {
        let mut near = String::new();
        for character in text.trim().chars() {
            if near.len() == LONGEST {
                break;
            }
            match character.to_ascii_lowercase() {
                kept @ ('a'..='z' | '0'..='9') => near.push(kept),
                kept @ ('_' | '-') if !near.is_empty() => near.push(kept),
                // What it would read like without its letters is nobody's name.
                letter if letter.is_alphanumeric() => return None,
                _ if !near.is_empty() && !near.ends_with('-') => near.push('-'),
                _ => {}
            }
        }
        let near = near.trim_end_matches('-');
        (near != DEFAULT && is_grammatical(near)).then(|| Self(Arc::from(near)))
    }
}

impl fmt::Display for ProfileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ProfileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl AsRef<str> for ProfileId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ProfileId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The name of any profile: the root's, or a named one's. `Default` comes first in order (PROF-27).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a profile is the root or has a name")]
pub enum ProfileName {
    /// The root.
    Default,
    /// A folder of `profiles/`.
    Named(ProfileId),
}

impl ProfileName {
    /// The name that somebody asked for: trimmed, in ASCII lower case, `default` being the root (PROF-11).
    ///
    /// ```
    /// use watertight_profile_discovery::ProfileName;
    ///
    /// assert_eq!(ProfileName::requested(" Coder ").unwrap().as_str(), "coder");
    /// assert_eq!(ProfileName::requested("DEFAULT").unwrap(), ProfileName::Default);
    ///
    /// let error = ProfileName::requested("My coder!").unwrap_err();
    /// assert_eq!(error.suggestion().unwrap().as_str(), "my-coder");
    /// ```
    ///
    /// # Errors
    ///
    /// [`NameError`], for everything else that is no id. Nothing is ever taken for the root instead.
    pub fn requested(text: &str) -> Result<Self, NameError> {
        let asked = text.trim().to_ascii_lowercase();
        if asked == DEFAULT {
            return Ok(Self::Default);
        }
        ProfileId::parse(&asked).map(Self::Named).map_err(|error| NameError::new(text, error.problem))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Default => DEFAULT,
            Self::Named(id) => id.as_str(),
        }
    }

    /// The id, unless it is the root.
    pub fn id(&self) -> Option<&ProfileId> {
        match self {
            Self::Default => None,
            Self::Named(id) => Some(id),
        }
    }
}

impl From<ProfileId> for ProfileName {
    fn from(id: ProfileId) -> Self {
        Self::Named(id)
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// A text is no profile's name (PROF-11).
///
/// It names the text, escaped and cut at 80 characters, and the id that was perhaps meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError {
    shown: String,
    problem: NameProblem,
    suggestion: Option<ProfileId>,
}

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameProblem {
    Grammar,
    Default,
    Reserved,
    Device,
}

impl NameError {
    fn new(text: &str, problem: NameProblem) -> Self {
        let suggestion = (problem == NameProblem::Grammar).then(|| ProfileId::near(text)).flatten();
        Self { shown: shown(text), problem, suggestion }
    }

    pub(crate) fn device(id: &ProfileId) -> Self {
        Self::new(id.as_str(), NameProblem::Device)
    }

    /// The text, escaped and cut.
    pub fn text(&self) -> &str {
        &self.shown
    }

    /// The valid id that the text can be turned into.
    pub fn suggestion(&self) -> Option<&ProfileId> {
        self.suggestion.as_ref()
    }

    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self.problem {
            NameProblem::Grammar | NameProblem::Default | NameProblem::Device => "invalid-name",
            NameProblem::Reserved => "reserved-name",
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ", self.shown)?;
        f.write_str(match self.problem {
            NameProblem::Grammar => {
                "is not a profile's name: 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit"
            }
            NameProblem::Default => "is the root's own name, and no other profile's",
            NameProblem::Reserved => "is reserved: no new profile may have that name",
            NameProblem::Device => "is not a profile's name: it is a device on this system",
        })?;
        if let Some(suggestion) = &self.suggestion {
            write!(f, "; perhaps `{suggestion}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for NameError {}

/// PROF-10, over the whole text.
pub(crate) fn is_grammatical(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= LONGEST
        && bytes.first().is_some_and(|first| matches!(first, b'a'..=b'z' | b'0'..=b'9'))
        && bytes.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

/// Escaped, and cut at 80 characters of what is shown.
fn shown(text: &str) -> String {
    let mut escaped = text.chars().flat_map(char::escape_debug);
    let mut shown: String = escaped.by_ref().take(SHOWN).collect();
    if escaped.next().is_some() {
        shown.push('…');
    }
    shown
}
