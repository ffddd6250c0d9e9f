use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watertight_disk::FileKind;
use watertight_vocabulary::{Refusal, shown_path};

use crate::signature::Signature;

/// A profile's file could not be used: where, and why (FILE-02, FILE-31).
///
/// It holds no byte of a value and no text of another parser (FILE-04).
///
/// # Fail-closed behaviour
///
/// It is never turned into absence or emptiness. `Refusal::from(&error)` is what is bound in a policy's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    path: Option<Arc<Path>>,
    line: Option<u32>,
    column: Option<u32>,
    cause: Cause,
    /// Which state of the file it is about: equal errors of two states are two (PROF-31).
    signature: Option<Box<Signature>>,
}

/// The two ways in which a file that exists cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(clippy::exhaustive_enums, reason = "the specification knows absent, unreadable and invalid")]
pub enum Cause {
    /// It could not be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It was read and says nothing that can be used.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

impl Cause {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(why) => why.code(),
            Self::Invalid(why) => why.code(),
        }
    }
}

/// Why a file could not be read (FILE-02, FILE-06, FILE-07).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// A link that leads to nothing. This is not absence: the file's own name exists (FILE-01).
    #[error("it is a link that leads to nothing")]
    Dangling,
    /// A link that leads to itself.
    #[error("it is a link that leads back to itself")]
    LinkLoop,
    /// A directory, a FIFO, a socket or a device.
    #[error("it is {} and not a regular file", .0.label())]
    NotAFile(FileKind),
    /// The operating system said no.
    #[error("the operating system refused: {}", describe_io(*kind, *code))]
    Io {
        /// What kind of error it was.
        kind: io::ErrorKind,
        /// Its number, where it has one.
        code: Option<i32>,
    },
    /// It is longer than the host allows.
    #[error("it is longer than {limit} bytes")]
    TooLarge {
        /// The longest that is read.
        limit: u64,
    },
    /// Three tries gave another number of bytes than the descriptor stated, or met a file that was being
    /// replaced.
    #[error("it changed while it was read")]
    ChangedWhileRead,
    /// A link leads out of the home. Who made the link chose the target's name.
    #[error("it is a link that leaves the home, to {}", shown_path(target))]
    LinkLeavesHome {
        /// Where it leads.
        target: PathBuf,
    },
    /// A byte order mark says that it is written in another encoding (FILE-10), or it is not UTF-8 where
    /// nothing else will do (SEC-25).
    #[error("it is encoded as {0} and not as UTF-8")]
    Encoding(&'static str),
}

impl Unreadable {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Dangling => "dangling-link",
            Self::LinkLoop => "link-loop",
            Self::NotAFile(_) => "not-a-file",
            Self::Io { kind: io::ErrorKind::PermissionDenied, .. } => "permission-denied",
            Self::Io { .. } => "io",
            Self::TooLarge { .. } => "too-large",
            Self::ChangedWhileRead => "changed-while-read",
            Self::LinkLeavesHome { .. } => "link-leaves-home",
            Self::Encoding(_) => "encoding",
        }
    }
}

/// Why a file that was read cannot be used (FILE-31, FILE-35, FILE-37).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// It is not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// It is no YAML.
    #[error("it is not valid YAML")]
    Syntax,
    /// One mapping holds one key twice.
    #[error("a mapping holds the same key twice")]
    DuplicateKey,
    /// It holds more than one document.
    #[error("it holds more than one document")]
    SeveralDocuments,
    /// An alias whose anchor is not defined before it.
    #[error("an alias refers to an anchor that is not defined")]
    UndefinedAlias,
    /// An anchor that is defined twice: which of the two an alias means is read differently by readers.
    #[error("an anchor that aliases refer to is defined twice")]
    RepeatedAnchor,
    /// It nests deeper, repeats more or holds more than is read (FILE-37).
    #[error("it goes beyond the budget for {0}")]
    Budget(&'static str),
    /// `<<` has a value that cannot be merged (FILE-33).
    #[error("the value of a merge key is neither a mapping nor a list of mappings")]
    MergeValue,
    /// The whole file is not a mapping (FILE-35).
    #[error("the file must be a mapping and is {found}")]
    RootType {
        /// What it is.
        found: &'static str,
    },
    /// A section is not a mapping (FILE-35).
    #[error("the section `{section}` must be a mapping and is {found}")]
    SectionType {
        /// The section.
        section: Arc<str>,
        /// What it is.
        found: &'static str,
    },
    /// A local tag where it would have to be understood (FILE-31).
    #[error("{} holds a local tag", section.as_deref().map_or_else(
        || "the file's own mapping".to_owned(),
        |section| format!("the section `{section}`")
    ))]
    LocalTag {
        /// The section, or `None` for the file's own mapping.
        section: Option<Arc<str>>,
    },
}

impl Invalid {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 => "not-utf-8",
            Self::Syntax => "yaml-syntax",
            Self::DuplicateKey => "duplicate-key",
            Self::SeveralDocuments => "several-documents",
            Self::UndefinedAlias => "undefined-alias",
            Self::RepeatedAnchor => "repeated-anchor",
            Self::Budget(_) => "beyond-budget",
            Self::MergeValue => "merge-value",
            Self::RootType { .. } => "root-type",
            Self::SectionType { .. } => "section-type",
            Self::LocalTag { .. } => "local-tag",
        }
    }
}

impl FileError {
    /// Unreadable, for this reason.
    pub fn unreadable(path: impl Into<Arc<Path>>, why: Unreadable) -> Self {
        Self { path: Some(path.into()), ..Self::from(why) }
    }

    /// Invalid, for this reason.
    pub fn invalid(path: impl Into<Arc<Path>>, why: Invalid) -> Self {
        Self { path: Some(path.into()), ..Self::from(why) }
    }

    /// In this file.
    pub fn in_file(self, path: impl Into<Arc<Path>>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// At this line and column, counted from 1.
    pub fn at(self, line: u32, column: Option<u32>) -> Self {
        Self { line: Some(line), column, ..self }
    }

    pub(crate) fn with_signature(self, signature: Signature) -> Self {
        Self { signature: Some(Box::new(signature)), ..self }
    }

    /// The file; `None` where bytes were read that belong to none.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The column, counted from 1.
    pub fn column(&self) -> Option<u32> {
        self.column
    }

    /// Why.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Whether the file could not be read.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.cause, Cause::Unreadable(_))
    }

    /// Whether the file was read and cannot be used.
    pub fn is_invalid(&self) -> bool {
        matches!(self.cause, Cause::Invalid(_))
    }

    /// The suite's code: `unreadable` or `invalid`. [`FileError::reason`] says more.
    pub fn code(&self) -> &'static str {
        match self.cause {
            Cause::Unreadable(_) => "unreadable",
            Cause::Invalid(_) => "invalid",
        }
    }

    /// The stable code of the reason.
    pub fn reason(&self) -> &'static str {
        self.cause.code()
    }

    /// One sentence on how to mend it.
    pub fn mend(&self) -> &'static str {
        match &self.cause {
            Cause::Unreadable(why) => match why {
                Unreadable::Dangling | Unreadable::LinkLoop => {
                    "point the link at a file, or remove it if the profile needs none"
                }
                Unreadable::NotAFile(_) => "put a regular file in its place, or remove it",
                Unreadable::Io { .. } => "make the file readable for the host",
                Unreadable::TooLarge { .. } => "make the file shorter, or raise the host's limit",
                Unreadable::ChangedWhileRead => "put a regular file in its place by renaming, and try again",
                Unreadable::LinkLeavesHome { .. } => {
                    "copy the file into the home, or let the host list the folder it lies in"
                }
                Unreadable::Encoding(_) => "save the file as UTF-8",
            },
            Cause::Invalid(why) => match why {
                Invalid::NotUtf8 => "save the file as UTF-8",
                Invalid::Syntax => "mend the YAML at that place",
                Invalid::DuplicateKey => "keep one of the two",
                Invalid::SeveralDocuments => "keep one document and remove the other",
                Invalid::UndefinedAlias => "define the anchor before the alias",
                Invalid::RepeatedAnchor => "give every anchor a name of its own",
                Invalid::Budget(_) => "make the file smaller and flatter",
                Invalid::MergeValue => "merge a mapping or a list of mappings",
                Invalid::RootType { .. } | Invalid::SectionType { .. } => "write `key: value` lines there",
                Invalid::LocalTag { .. } => "write the value itself in the tag's place",
            },
        }
    }
}

impl From<Unreadable> for FileError {
    fn from(why: Unreadable) -> Self {
        Self { path: None, line: None, column: None, cause: why.into(), signature: None }
    }
}

impl From<Invalid> for FileError {
    fn from(why: Invalid) -> Self {
        Self { path: None, line: None, column: None, cause: why.into(), signature: None }
    }
}

impl From<io::Error> for Unreadable {
    /// Its number and kind; its text may come from anywhere and is dropped (FILE-04).
    fn from(error: io::Error) -> Self {
        Self::Io { kind: error.kind(), code: error.raw_os_error() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", shown_path(path))?;
        }
        if let Some(line) = self.line {
            if self.path.is_none() {
                f.write_str("line ")?;
            } else {
                f.write_str(":")?;
            }
            write!(f, "{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        if self.path.is_some() || self.line.is_some() {
            f.write_str(": ")?;
        }
        fmt::Display::fmt(&self.cause, f)
    }
}

impl std::error::Error for FileError {}

impl From<&FileError> for Refusal {
    /// What is bound in the place of the policy that could not be built (SEC-30, TERM-40).
    fn from(error: &FileError) -> Self {
        let mut refusal = Self::new(error.code(), error.cause.to_string()).mended_by(error.mend());
        if let Some(path) = error.path() {
            refusal = refusal.in_file(path);
        }
        match error.line {
            Some(line) => refusal.at(line, error.column),
            None => refusal,
        }
    }
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        Self::from(&error)
    }
}

/// The system's own text for a number; the kind's text where there is none.
fn describe_io(kind: io::ErrorKind, code: Option<i32>) -> String {
    match code {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => kind.to_string(),
    }
}
