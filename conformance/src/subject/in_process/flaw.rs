use std::fmt;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use watertight_profile_home::{
    Config, Dotenv, FileError, ProfileFiles, ProfileHome, parse_config, parse_dotenv, write_value,
};
use watertight_vocabulary::EnvSource;

macro_rules! flaws {
    ($($(#[doc = $what:literal])* $flaw:ident = $name:literal,)*) => {
        /// A way in which hosts of several profiles have been wrong (CONF-14). Each shows every time, not by luck.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Flaw {
            $($(#[doc = $what])* $flaw,)*
        }

        /// All of them.
        pub const FLAWS: [Flaw; [$($name),*].len()] = [$(Flaw::$flaw),*];

        impl Flaw {
            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$flaw => $name,)*
                }
            }
        }
    };
}

flaws! {
    /// A refused read is answered from the environment.
    FailOpen = "fail-open",
    /// A worker keeps the scope of its last job.
    StickyScope = "sticky-scope",
    /// A debug text shows values.
    LeakyDebug = "leaky-debug",
    /// Whatever starts inside a scope inherits it.
    InheritOnSpawn = "inherit-on-spawn",
    /// The launch profile reads the live environment after activation.
    LiveEnvAfterActivation = "live-env-after-activation",
    /// An id is looked for and made in two steps.
    RacyId = "racy-id",
    /// What a crashed creation leaves behind counts as a tenant.
    EmptyEnvCounts = "empty-env-counts",
    /// A `.env` is expanded from the environment.
    InterpolatingDotenv = "interpolating-dotenv",
    /// A `config.yaml` that cannot be used means the defaults.
    YamlErrorMeansDefaults = "yaml-error-means-defaults",
    /// A child inherits the whole environment.
    ChildInherits = "child-inherits",
    /// A terminal setting is answered from the environment, whatever is bound.
    AmbientTerminal = "ambient-terminal",
    /// A backend that cannot be told is taken for local.
    GuessedBackend = "guessed-backend",
    /// A profile that is not there is answered with the launch profile.
    LaunchFallback = "launch-fallback",
    /// Every folder among the profiles is a profile.
    EveryFolderCounts = "every-folder-counts",
    /// The home that is named is the root, as it is named.
    HomeIsItsRoot = "home-is-its-root",
    /// A `.env` is split at line ends and at the first equals sign, and nothing else.
    SplitAtEquals = "split-at-equals",
    /// Whatever calls itself an identity is taken for one, and no wiring or stripping is done.
    TrustedIdentity = "trusted-identity",
    /// A file is there if it is a file, and absent otherwise; what is there is read, wherever it leads.
    AbsentUnlessAFile = "absent-unless-a-file",
    /// A backslash at the end of a line of a `.env` joins the next one to it, as in a shell.
    LineContinuation = "line-continuation",
    /// A value is written to a `.env` as it is.
    UnquotedWriter = "unquoted-writer",
    /// The scalars of a `config.yaml` are what YAML 1.1 makes of them.
    ScalarsOfYaml11 = "scalars-of-yaml-1.1",
    /// A `config.yaml`, and each section of it, must be there.
    ConfigIsRequired = "config-is-required",
    /// A name that is reserved for creation is refused wherever it stands.
    ReservedMeansForbidden = "reserved-means-forbidden",
    /// What a scope does not hold is answered from the environment.
    MissFallsThrough = "miss-falls-through",
    /// A scope is read anew from the disk whenever it is asked.
    FollowsTheDisk = "follows-the-disk",
    /// A terminal setting is refused wherever no scope is bound.
    TerminalNeedsAScope = "terminal-needs-a-scope",
    /// Every key of the `terminal` section is the variable of its name, with the text that Python gives its value.
    KeysAsVariables = "keys-as-variables",
    /// A working directory that is not written out is the process's own.
    CurrentDirectory = "current-directory",
    /// An image is pinned where it is not the default one.
    PinnedByValue = "pinned-by-value",
    /// A backend that is no text is as good as none.
    CoercedBackend = "coerced-backend",
    /// The first assignment of a key in a `.env` wins, as variables that are set already do.
    FirstAssignmentWins = "first-assignment-wins",
    /// A value is said to come from the first layer that held it.
    FirstLayerIsNamed = "first-layer-is-named",
    /// What is wrong with a line or a setting is told with what stands in it.
    ProblemsQuoteValues = "problems-quote-values",
    /// A context and a snapshot have the debug text that is derived.
    DerivedDebug = "derived-debug",
    /// A task enters its scope when it is polled first, and does not take it along.
    BoundAtFirstPoll = "bound-at-first-poll",
    /// The environment is frozen when a host is built, and not when it activates.
    FrozenAtBoot = "frozen-at-boot",
    /// The launch scope is bound though one profile is hosted.
    LaunchAlwaysBound = "launch-always-bound",
    /// The home is the launch home, whatever is bound.
    HomeIsTheLaunchHome = "home-is-the-launch-home",
    /// What an external source said of the first home is taken for every home.
    SourceAskedOnce = "source-asked-once",
    /// Two hosts of one process are one.
    OneHostForAll = "one-host-for-all",
    /// An id's file may be read by everybody.
    OpenToOthers = "open-to-others",
    /// Whatever stands in the active profile's file is the active profile.
    TrustedActiveFile = "trusted-active-file",
    /// Where the tenants cannot be counted there is one.
    FailedCountMeansOne = "failed-count-means-one",
    /// A switch in a file says whether many profiles are hosted.
    SwitchDecides = "switch-decides",
}

/// The flaw that is built in, if there is one, and the flaws whose places have been come to.
///
/// Whatever a flaw does hangs on [`Self::shows`], which is asked where it would be done. So where a script does not
/// come to a place of a flaw, it comes to the same with the flaw and without it.
#[derive(Debug)]
pub(super) struct Defect {
    flaw: Option<Flaw>,
    asked: AtomicU64,
}

/// Each flaw has a bit of its own.
const _: () = assert!(FLAWS.len() <= 64, "there are more flaws than bits");

impl Defect {
    pub(super) fn of(flaw: Option<Flaw>) -> Self {
        Self { flaw, asked: AtomicU64::new(0) }
    }

    /// Whether a flaw is to show here.
    pub(super) fn shows(&self, flaw: Flaw) -> bool {
        self.asked.fetch_or(1 << flaw as u64, Ordering::Relaxed);
        self.flaw == Some(flaw)
    }

    /// The flaws that have been asked for.
    pub(super) fn asked(&self) -> Vec<Flaw> {
        let asked = self.asked.load(Ordering::Relaxed);
        FLAWS.into_iter().filter(|flaw| asked & (1 << *flaw as u64) != 0).collect()
    }
}

/// Profile files with the flaws of reading.
pub(super) struct FlawedFiles {
    pub(super) defect: Arc<Defect>,
    pub(super) files: Arc<dyn ProfileFiles>,
    pub(super) env: Arc<dyn EnvSource>,
}

impl fmt::Debug for FlawedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlawedFiles")
    }
}

impl ProfileFiles for FlawedFiles {
    fn dotenv(&self, home: &ProfileHome) -> Result<Option<Arc<Dotenv>>, FileError> {
        match self.files.dotenv(home) {
            Err(_) if self.defect.shows(Flaw::AbsentUnlessAFile) => {
                let path = home.path().join(".env");
                let bytes = path.is_file().then(|| fs::read(path).unwrap_or_default());
                bytes.map(|bytes| parse_dotenv(&bytes).map(Arc::new)).transpose()
            }
            Ok(Some(dotenv)) if refers(&dotenv) && self.defect.shows(Flaw::InterpolatingDotenv) => {
                Ok(Some(Arc::new(expanded(&dotenv, &*self.env)?)))
            }
            read => read,
        }
    }

    fn config(&self, home: &ProfileHome) -> Result<Option<Arc<Config>>, FileError> {
        match self.files.config(home) {
            Err(_) if self.defect.shows(Flaw::YamlErrorMeansDefaults) => Ok(None),
            // As if it were there and could not be understood.
            Ok(None) if self.defect.shows(Flaw::ConfigIsRequired) => {
                parse_config(b"{").map(|config| Some(Arc::new(config)))
            }
            read => read,
        }
    }
}

/// Whether there is anything to expand.
pub(super) fn refers(dotenv: &Dotenv) -> bool {
    dotenv.entries().any(|entry| entry.value().expose().is_ok_and(|value| value.contains("${")))
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
