use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Where commands run: the name of a backend that the schema knows (TERM-09).
///
/// # Fail-closed behaviour
///
/// There is no default and no way from text to a backend but through a schema: an empty or unknown name is
/// an error, and never means local.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// On this machine, as the host's own user.
    Local,
    /// In a Docker container.
    Docker,
    /// On another machine, over SSH.
    Ssh,
    /// In a Singularity container.
    Singularity,
    /// In a Modal sandbox.
    Modal,
    /// In a Daytona workspace.
    Daytona,
    /// In a Vercel sandbox.
    VercelSandbox,
    /// One that a host added to its schema.
    Other(Arc<str>),
}

impl Backend {
    /// The backends of the reference deployment.
    pub const KNOWN: [Self; 7] = [
        Self::Local,
        Self::Docker,
        Self::Ssh,
        Self::Singularity,
        Self::Modal,
        Self::Daytona,
        Self::VercelSandbox,
    ];

    /// The backend's name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Local => "local",
            Self::Docker => "docker",
            Self::Ssh => "ssh",
            Self::Singularity => "singularity",
            Self::Modal => "modal",
            Self::Daytona => "daytona",
            Self::VercelSandbox => "vercel_sandbox",
            Self::Other(name) => name,
        }
    }

    /// The name as it is compared: trimmed, in lower case.
    pub(crate) fn normalized(text: &str) -> String {
        text.trim().to_lowercase()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Backend {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
