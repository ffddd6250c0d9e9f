use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;

use crate::{CaseRule, ControlPlane, Platform};

/// What kind of thing a name stands for, and so who may answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the decision tables have these four columns and no other")]
pub enum NameClass {
    /// A deployment setting that belongs to the process.
    Global,
    /// A name that only the runner reads (SEC-16).
    ControlPlane,
    /// A terminal setting; the terminal policy answers it (SEC-10).
    Terminal,
    /// Everything else. When in doubt a name is a secret.
    Secret,
}

/// Tells names apart. A host may bring its own; the same rules then apply to its answer.
pub trait NameClasses: fmt::Debug + Send + Sync {
    /// The class of a name. The control plane is asked before this is, and always wins.
    fn class_of(&self, name: &OsStr, case: CaseRule) -> NameClass;
}

/// The classes of the reference deployment, as listed in SEC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HermesClasses;

/// Prefixes whose names are global unless one of their words says that they are a credential.
const GLOBAL_PREFIXES: [&str; 2] = ["HERMES_KANBAN_", "HERMES_TELEGRAM_"];
/// The words that make a name under a global prefix a secret after all.
const SECRET_WORDS: [&str; 12] = [
    "TOKEN",
    "KEY",
    "KEYS",
    "SECRET",
    "PASSWORD",
    "PASS",
    "PASSWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "COOKIE",
    "AUTH",
    "DSN",
];
/// The prefix of everything that the terminal policy answers.
const TERMINAL_PREFIX: &str = "TERMINAL_";

impl NameClasses for HermesClasses {
    fn class_of(&self, name: &OsStr, case: CaseRule) -> NameClass {
        if may_be_listed(name) { listed(name, case) } else { NameClass::Secret }
    }
}

/// Apart from the question in front of it, which answers for most names and needs no registers saved.
#[inline(never)]
fn listed(name: &OsStr, case: CaseRule) -> NameClass {
    let global = match case {
        CaseRule::Sensitive => is_global(name.as_encoded_bytes()),
        CaseRule::AsciiInsensitive => is_global(case.fold(name).as_encoded_bytes()),
    };
    if global {
        NameClass::Global
    } else if case.has_prefix(name, OsStr::new(TERMINAL_PREFIX)) {
        NameClass::Terminal
    } else if GLOBAL_PREFIXES.iter().any(|prefix| case.has_prefix(name, OsStr::new(prefix)))
        && !holds_a_secret_word(name)
    {
        NameClass::Global
    } else {
        NameClass::Secret
    }
}

/// How the names and prefixes of the table begin.
const STARTS: [[u8; 4]; 15] = [
    *b"HERM", *b"_HER", *b"PATH", *b"HOME", *b"USER", *b"LANG", *b"LC_A", *b"SHEL", *b"TMPD", *b"VIRT",
    *b"PYTH", *b"SSL_", *b"API_", *b"GATE", *b"TERM",
];

/// Whether any of them begins as this name does, in whatever case: most names of secrets do not. A name that
/// is too short for it has to be looked at.
#[inline]
fn may_be_listed(name: &OsStr) -> bool {
    // Without the bit that tells the cases of a letter apart. It takes other bytes together too, which costs
    // a look.
    const NO_CASE: u32 = 0xDFDF_DFDF;
    let Some(start) = name.as_encoded_bytes().first_chunk() else { return true };
    let start = u32::from_be_bytes(*start) & NO_CASE;
    STARTS.iter().fold(false, |found, listed| found | (start == u32::from_be_bytes(*listed) & NO_CASE))
}

/// A `match` on the bytes, because it is ten times as fast as a sorted table.
fn is_global(name: &[u8]) -> bool {
    matches!(
        name,
        b"HERMES_HOME"
            | b"HERMES_PROFILE"
            | b"HERMES_GATEWAY_LOCK_DIR"
            | b"HERMES_MAX_ITERATIONS"
            | b"HERMES_API_TIMEOUT"
            | b"HERMES_REDACT_SECRETS"
            | b"HERMES_NOUS_TIMEOUT_SECONDS"
            | b"_HERMES_GATEWAY"
            | b"PATH"
            | b"HOME"
            | b"USER"
            | b"LANG"
            | b"LC_ALL"
            | b"TZ"
            | b"PWD"
            | b"SHELL"
            | b"TMPDIR"
            | b"VIRTUAL_ENV"
            | b"PYTHONPATH"
            | b"SSL_CERT_FILE"
            | b"HERMES_KANBAN_DB"
            | b"HERMES_KANBAN_WORKSPACES_ROOT"
            | b"HERMES_KANBAN_BOARD"
            | b"API_SERVER_ENABLED"
            | b"API_SERVER_HOST"
            | b"API_SERVER_PORT"
            | b"API_SERVER_CORS_ORIGINS"
            | b"GATEWAY_RELAY_URL"
            | b"GATEWAY_RELAY_ENDPOINT"
            | b"GATEWAY_RELAY_ALLOW_DIRECT_PLATFORMS"
            | b"GATEWAY_RELAY_PLATFORMS"
            | b"GATEWAY_RELAY_BOT_IDS"
            | b"GATEWAY_RELAY_ROUTE_KEYS"
            | b"GATEWAY_RELAY_INSTANCE_ID"
            | b"GATEWAY_RELAY_WAKE_URL"
            | b"GATEWAY_RELAY_DISPLAY_NAME"
    )
}

/// Compared without regard to case under every rule: doubt makes a name a secret.
fn holds_a_secret_word(name: &OsStr) -> bool {
    name.as_encoded_bytes()
        .split(|byte| *byte == b'_')
        .any(|word| SECRET_WORDS.iter().any(|secret| word.eq_ignore_ascii_case(secret.as_bytes())))
}

/// Classes as a host uses them: the control plane first, then the host's own table, under one case rule.
///
/// Cheap to clone; it travels with the scope that was built with it.
#[derive(Debug, Clone)]
pub struct Classes(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    table: Arc<dyn NameClasses>,
    control_plane: ControlPlane,
    case: CaseRule,
}

impl Classes {
    /// The reference classes with the runner's own control plane, for the platform this runs on.
    pub fn hermes() -> Self {
        Self::new(Arc::new(HermesClasses), ControlPlane::new(), Platform::current().case_rule())
    }

    /// Classes from a table, a control plane and a case rule.
    pub fn new(table: Arc<dyn NameClasses>, control_plane: ControlPlane, case: CaseRule) -> Self {
        Self(Arc::new(Parts { table, control_plane, case }))
    }

    /// The class of a name.
    #[inline]
    pub fn class_of(&self, name: &OsStr) -> NameClass {
        if self.0.control_plane.may_contain(name) {
            self.class_of_any(name)
        } else {
            self.0.table.class_of(name, self.0.case)
        }
    }

    /// Apart, so that the way of most names keeps nothing over a call.
    #[inline(never)]
    fn class_of_any(&self, name: &OsStr) -> NameClass {
        if self.0.control_plane.contains(name, self.0.case) {
            NameClass::ControlPlane
        } else {
            self.0.table.class_of(name, self.0.case)
        }
    }

    /// The control plane that is asked first.
    pub fn control_plane(&self) -> &ControlPlane {
        &self.0.control_plane
    }

    /// How names compare.
    pub fn case_rule(&self) -> CaseRule {
        self.0.case
    }
}

impl Default for Classes {
    fn default() -> Self {
        Self::hermes()
    }
}
