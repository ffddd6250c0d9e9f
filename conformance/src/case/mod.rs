//! The case: what is given, what is done, what is expected (CONF-01 to CONF-04).

mod canaries;
mod capability;
mod load;
mod outcome;
mod step;
mod validate;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use capability::CAPABILITIES;
pub(crate) use load::read_yaml;
pub use load::{LoadError, Suite, load_suite};
pub use outcome::{Expected, Outcome};
pub use step::{CaseRuleName, LaneKind, PlatformName, RunnerChildParts, Step, WhichProfiles};
pub use validate::Invalid;

/// The folders that cases lie in, one for each area of the specification.
pub const AREAS: [&str; 8] = [
    "profile-tree",
    "profile-files",
    "env-snapshot",
    "secret-scope",
    "terminal-scope",
    "launch-policy",
    "runner-identity",
    "context",
];

/// One case, as its `case.yaml` says it (CONF-02).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its path under `fixtures/`.
    pub id: String,
    /// What it shows, in one sentence.
    pub about: String,
    /// The rules it shows.
    pub rules: Vec<String>,
    /// Whether a plain implementation has to pass it.
    #[serde(default)]
    pub level: Level,
    /// Public reports it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// The platforms it means something on; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub platforms: Vec<PlatformName>,
    /// Capabilities it needs beyond those that its steps need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// The world it starts in.
    #[serde(default)]
    pub given: Given,
    /// The script.
    #[serde(rename = "do")]
    pub script: Vec<Step>,
    /// The outcome of each label.
    pub expect: BTreeMap<String, Expected>,
    /// Where its own tree lies, if it has one. Known to the loader alone.
    #[serde(skip)]
    pub tree: Option<PathBuf>,
}

/// How much an implementation must do to be asked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Every implementation.
    #[default]
    Core,
    /// Implementations that promise the hardened rules too.
    Hardened,
}

/// The world a case starts in. `{root}` stands for the temporary folder that the tree is laid out in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The environment, whole: nothing of the machine's own is in it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Variables whose value is no text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_bytes: Vec<EnvBytes>,
    /// The launch home, where it is not what `HOME` says: it is put into `HERMES_HOME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch_home: Option<String>,
    /// What git cannot hold, laid out after `tree/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<TreeEntry>,
    /// How the host is set up.
    #[serde(default, skip_serializing_if = "HostOptions::is_default")]
    pub host: HostOptions,
}

/// A variable whose value is no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvBytes {
    /// Its name.
    pub name: String,
    /// Its value.
    pub base64: String,
}

/// Something to lay out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeEntry {
    /// Where, under the root.
    pub path: String,
    /// What.
    pub kind: EntryKind,
    /// A file's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A file's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// How often text or bytes are repeated: a big file in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<usize>,
    /// The mode in octal, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// A link's target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// What an entry of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
}

/// How the host of a case is set up beyond its environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostOptions {
    /// Deployment keys shared with every profile (SEC-27).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// Names added to the control plane (SNAP-22).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub control_plane: Vec<String>,
    /// External sources (SEC-23).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceSpec>,
    /// What this machine calls itself, in place of what it is called (RUN-35).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

impl HostOptions {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An external source of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceSpec {
    /// Its name.
    pub name: String,
    /// The names it says it holds.
    #[serde(default)]
    pub declares: Vec<String>,
    /// What it holds, by profile.
    #[serde(default)]
    pub values: BTreeMap<String, BTreeMap<String, String>>,
    /// Whether it fails when it is asked.
    #[serde(default)]
    pub fails: bool,
}

impl Case {
    /// The case as its `case.yaml` would say it.
    ///
    /// # Errors
    ///
    /// A value that YAML cannot hold; there is none.
    pub fn to_yaml(&self) -> Result<String, serde_yaml::Error> {
        let mut yaml = Vec::new();
        let mut serializer = serde_yaml::Serializer::new(&mut yaml);
        serde_yaml::with::singleton_map_recursive::serialize(self, &mut serializer)?;
        Ok(String::from_utf8_lossy(&yaml).into_owned())
    }

    /// The area, which is the first part of the id.
    pub fn area(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// The labels of the script, in its order.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        step::walk(&self.script).filter_map(Step::label)
    }

    /// Every step, nested ones included, outer before inner.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        step::walk(&self.script)
    }
}
