use std::ffi::OsStr;

use watertight_vocabulary::{CaseRule, NameSet, Platform};

/// The variable by which a process knows that it runs inside a session (RUN-22).
///
/// It is on the base list, so a child gets it as it was found, and only then.
pub const OMNIGENT_SESSION_ENV_VAR: &str = "OMNIGENT";

/// The variable that says where a child runs. It is set from the child's working directory, or left out.
pub(crate) const WORKING_DIRECTORY_VARIABLE: &str = "PWD";

const BASE_NAMES: [&str; 11] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TZ",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    OMNIGENT_SESSION_ENV_VAR,
];
const BASE_PREFIX: &str = "LC_";
const WINDOWS_NAMES: [&str; 20] = [
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "USERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "ProgramW6432",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
    "OS",
];

const HOOK_NAMES: [&str; 14] = [
    "GLIBC_TUNABLES",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "CDPATH",
    "IFS",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONPATH",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
];
const HOOK_PREFIXES: [&str; 3] = ["LD_", "DYLD_", "BASH_FUNC_"];

const TERMINAL_PREFIX: &str = "TERMINAL_";

/// What every child gets of the launch environment, where it is set (SNAP-21).
///
/// No hook, no agent socket and no credential is on it.
pub fn base_list(platform: Platform) -> NameSet {
    let base = NameSet::of(BASE_NAMES).with_prefix(BASE_PREFIX);
    match platform {
        Platform::Windows => base.with_names(WINDOWS_NAMES),
        _ => base,
    }
}

/// The variables that make a loader, shell or interpreter run something (SNAP-21).
///
/// A pass-through reaches them by their exact names only, never by a prefix.
pub fn loader_hooks() -> NameSet {
    HOOK_PREFIXES.iter().fold(NameSet::of(HOOK_NAMES), |set, prefix| set.with_prefix(*prefix))
}

/// Whether a name belongs to the terminal policy alone (SNAP-23).
pub(crate) fn is_terminal(name: &OsStr, case: CaseRule) -> bool {
    case.has_prefix(name, OsStr::new(TERMINAL_PREFIX))
}
