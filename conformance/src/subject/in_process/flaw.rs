use std::fmt;
use std::sync::Arc;

use watertight_profile_home::{
    Config, Dotenv, FileError, ProfileFiles, ProfileHome, parse_dotenv, write_value,
};
use watertight_vocabulary::EnvSource;

/// A way in which hosts of several profiles have been wrong (CONF-14). Each shows every time, not by luck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// A refused read is answered from the environment.
    FailOpen,
    /// A worker keeps the scope of its last job.
    StickyScope,
    /// A debug text shows values.
    LeakyDebug,
    /// Whatever starts inside a scope inherits it.
    InheritOnSpawn,
    /// The launch profile reads the live environment after activation.
    LiveEnvAfterActivation,
    /// An id is looked for and made in two steps.
    RacyId,
    /// What a crashed creation leaves behind counts as a tenant.
    EmptyEnvCounts,
    /// A `.env` is expanded from the environment.
    InterpolatingDotenv,
    /// A `config.yaml` that cannot be used means the defaults.
    YamlErrorMeansDefaults,
    /// A child inherits the whole environment.
    ChildInherits,
    /// A terminal setting is answered from the environment, whatever is bound.
    AmbientTerminal,
    /// A backend that cannot be told is taken for local.
    GuessedBackend,
    /// A profile that is not there is answered with the launch profile.
    LaunchFallback,
    /// Every folder among the profiles is a profile.
    EveryFolderCounts,
    /// The home that is named is the root, as it is named.
    HomeIsItsRoot,
    /// A `.env` is split at line ends and at the first equals sign, and nothing else.
    SplitAtEquals,
    /// Whatever calls itself an identity is taken for one, and no wiring or stripping is done.
    TrustedIdentity,
}

/// All of them.
pub const FLAWS: [Flaw; 17] = [
    Flaw::FailOpen,
    Flaw::StickyScope,
    Flaw::LeakyDebug,
    Flaw::InheritOnSpawn,
    Flaw::LiveEnvAfterActivation,
    Flaw::RacyId,
    Flaw::EmptyEnvCounts,
    Flaw::InterpolatingDotenv,
    Flaw::YamlErrorMeansDefaults,
    Flaw::ChildInherits,
    Flaw::AmbientTerminal,
    Flaw::GuessedBackend,
    Flaw::LaunchFallback,
    Flaw::EveryFolderCounts,
    Flaw::HomeIsItsRoot,
    Flaw::SplitAtEquals,
    Flaw::TrustedIdentity,
];

impl Flaw {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::FailOpen => "fail-open",
            Self::StickyScope => "sticky-scope",
            Self::LeakyDebug => "leaky-debug",
            Self::InheritOnSpawn => "inherit-on-spawn",
            Self::LiveEnvAfterActivation => "live-env-after-activation",
            Self::RacyId => "racy-id",
            Self::EmptyEnvCounts => "empty-env-counts",
            Self::InterpolatingDotenv => "interpolating-dotenv",
            Self::YamlErrorMeansDefaults => "yaml-error-means-defaults",
            Self::ChildInherits => "child-inherits",
            Self::AmbientTerminal => "ambient-terminal",
            Self::GuessedBackend => "guessed-backend",
            Self::LaunchFallback => "launch-fallback",
            Self::EveryFolderCounts => "every-folder-counts",
            Self::HomeIsItsRoot => "home-is-its-root",
            Self::SplitAtEquals => "split-at-equals",
            Self::TrustedIdentity => "trusted-identity",
        }
    }
}

/// Profile files with a flaw of reading.
pub(super) struct FlawedFiles {
    pub(super) flaw: Flaw,
    pub(super) files: Arc<dyn ProfileFiles>,
    pub(super) env: Arc<dyn EnvSource>,
}

impl fmt::Debug for FlawedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FlawedFiles({})", self.flaw.name())
    }
}

impl ProfileFiles for FlawedFiles {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        let read = self.files.dotenv(home)?;
        match (self.flaw, read) {
            (Flaw::InterpolatingDotenv, Some(dotenv)) => Ok(Some(Arc::new(expanded(&dotenv, &*self.env)?))),
            (_, read) => Ok(read),
        }
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        match self.files.config(home) {
            Err(_) if self.flaw == Flaw::YamlErrorMeansDefaults => Ok(None),
            read => read,
        }
    }
}

/// The same assignments, with `${NAME}` replaced by what the environment holds.
pub(super) fn expanded(dotenv: &Dotenv, env: &dyn EnvSource) -> Result<Dotenv, FileError> {
    let mut text = String::new();
    for entry in dotenv.entries() {
        let value = entry.value().expose().unwrap_or_default();
        let value = expanded_text(value, env);
        if let (Some(name), Ok(value)) = (entry.name().as_str(), write_value(&value)) {
            text.extend([name, "=", &value, "\n"]);
        }
    }
    parse_dotenv(text.as_bytes())
}

fn expanded_text(value: &str, env: &dyn EnvSource) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, tail)) = after.split_once('}') else { break };
        let found = env.var_os(name.as_ref()).unwrap_or_default();
        text.push_str(before);
        text.push_str(&found.to_string_lossy());
        rest = tail;
    }
    text.push_str(rest);
    text
}
