use watertight_vocabulary::{CaseRule, ControlPlane, Name};

/// Deployment keys that a host shares with all its profiles: exact names, and none unless it says so
/// (SEC-27).
///
/// ```
/// use watertight_secret_scope::SharedNames;
/// use watertight_vocabulary::{ControlPlane, Platform};
///
/// let case = Platform::current().case_rule();
/// assert!(SharedNames::of(["SEARCH_URL"], &ControlPlane::new(), case).is_ok());
/// assert!(SharedNames::of(["SEARCH_*"], &ControlPlane::new(), case).is_err());
/// ```
///
/// # Fail-closed behaviour
///
/// A pattern is an error and not a name that matches nothing: whoever writes one means more than is shared.
/// A control-plane name is an error too (SEC-16).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedNames(Vec<Name>);

/// A name that cannot be shared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SharedNamesError {
    /// It is a pattern.
    #[error("{name} is a pattern; keys are shared by their exact names, one by one")]
    Pattern {
        /// The pattern.
        name: Name,
    },
    /// It is the name of no variable.
    #[error("{name} is the name of no variable and cannot be shared")]
    NotAName {
        /// What stands in its place.
        name: Name,
    },
    /// It belongs to the runner's control plane.
    #[error("{name} belongs to the runner's control plane and cannot be shared")]
    ControlPlane {
        /// The name.
        name: Name,
    },
}

impl SharedNames {
    /// No names.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// These names. Of a name that is given twice one is kept.
    ///
    /// # Errors
    ///
    /// [`SharedNamesError`], with a variant for each reason why a name cannot be shared.
    pub fn of<N: Into<Name>>(
        names: impl IntoIterator<Item = N>,
        control_plane: &ControlPlane,
        case: CaseRule,
    ) -> Result<Self, SharedNamesError> {
        let mut shared = names
            .into_iter()
            .map(|name| checked(name.into(), control_plane, case))
            .collect::<Result<Vec<_>, _>>()?;
        shared.sort_unstable();
        shared.dedup();
        Ok(Self(shared))
    }

    /// The names, in byte order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &Name> {
        self.0.iter()
    }
}

impl SharedNamesError {
    /// The suite's code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Pattern { .. } => "pattern",
            Self::NotAName { .. } => "not-a-name",
            Self::ControlPlane { .. } => "control-plane",
        }
    }

    /// The name.
    pub fn name(&self) -> &Name {
        match self {
            Self::Pattern { name } | Self::NotAName { name } | Self::ControlPlane { name } => name,
        }
    }
}

/// The characters that some language of patterns gives a meaning.
const PATTERN: &[u8] = b"*?[]{}()|^$+!~%\\,";

fn checked(name: Name, control_plane: &ControlPlane, case: CaseRule) -> Result<Name, SharedNamesError> {
    let bytes = name.as_os_str().as_encoded_bytes();
    // Behind a `=` stands a value: whatever signs it holds, it is no pattern.
    if !bytes.contains(&b'=') && bytes.iter().any(|byte| PATTERN.contains(byte)) {
        return Err(SharedNamesError::Pattern { name });
    }
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if bytes.is_empty() || !bytes.iter().all(fits) {
        return Err(SharedNamesError::NotAName { name: name.without_value() });
    }
    if control_plane.contains(name.as_os_str(), case) {
        return Err(SharedNamesError::ControlPlane { name });
    }
    Ok(name)
}
