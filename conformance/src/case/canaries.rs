//! Every value of a case is a canary, so that a leak of it is seen (CONF-05).
//!
//! The names and values that are none are listed here, in the suite's own words.

use base64::Engine;
use walkdir::WalkDir;

use super::{Case, Step};

/// The word that marks a value.
const CANARY: &str = "canary-";

/// Names whose values are no secret: settings of the process, and what wires a runner.
const PUBLIC_NAMES: [&str; 43] = [
    "API_SERVER_CORS_ORIGINS",
    "API_SERVER_ENABLED",
    "API_SERVER_HOST",
    "API_SERVER_PORT",
    "GATEWAY_RELAY_ALLOW_DIRECT_PLATFORMS",
    "GATEWAY_RELAY_BOT_IDS",
    "GATEWAY_RELAY_DISPLAY_NAME",
    "GATEWAY_RELAY_ENDPOINT",
    "GATEWAY_RELAY_INSTANCE_ID",
    "GATEWAY_RELAY_PLATFORMS",
    "GATEWAY_RELAY_ROUTE_KEYS",
    "GATEWAY_RELAY_URL",
    "GATEWAY_RELAY_WAKE_URL",
    "HERMES_API_TIMEOUT",
    "HERMES_GATEWAY_LOCK_DIR",
    "HERMES_HOME",
    "HERMES_KANBAN_BOARD",
    "HERMES_KANBAN_DB",
    "HERMES_KANBAN_WORKSPACES_ROOT",
    "HERMES_MANAGED_DIR",
    "HERMES_MAX_ITERATIONS",
    "HERMES_NOUS_TIMEOUT_SECONDS",
    "HERMES_PROFILE",
    "HERMES_REDACT_SECRETS",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LOGNAME",
    "OMNIGENT",
    "OMNIGENT_RUNNER_ISOLATE_SESSION",
    "OMNIGENT_RUNNER_PARENT_PID",
    "OMNIGENT_RUNNER_WORKSPACE",
    "PATH",
    "PWD",
    "PYTHONPATH",
    "SHELL",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
];

/// Families of names whose values are no secret.
const PUBLIC_PREFIXES: [&str; 4] = ["HERMES_KANBAN_", "HERMES_TELEGRAM_", "LC_", "TERMINAL_"];

/// Values that a case is about as they are: the token whose id the rules name (RUN-10), a placeholder, and a
/// reference that must stay one (FILE-19).
const VALUES_AS_THEY_ARE: [&str; 3] = ["tok-one", "***", "${LAUNCH_SECRET}"];

/// The variable of a runner's id. A good id is no secret; what is none may be anything, and is never shown.
const RUNNER_ID: &str = "OMNIGENT_RUNNER_ID";

/// The names of the values that are no canaries.
pub(super) fn lacking(case: &Case) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |name: &str, value: &str| {
        if !is_marked(name, value) {
            found.push(name.to_owned());
        }
    };
    let given = &case.given;
    for (name, value) in &given.env {
        check(name, value);
    }
    for variable in &given.env_bytes {
        check(&variable.name, &decoded(Some(&variable.base64)));
    }
    for source in &given.host.sources {
        for (name, value) in source.values.values().flatten() {
            check(name, value);
        }
    }
    for entry in given.tree.iter().filter(|entry| is_dotenv(&entry.path)) {
        let text = entry.text.clone().unwrap_or_else(|| decoded(entry.base64.as_deref()));
        assignments(&text).for_each(|(name, value)| check(name, value));
    }
    for step in case.steps() {
        match step {
            Step::SetEnv { name, value } => check(name, value),
            Step::WriteFile { path, text } if is_dotenv(path) => {
                assignments(text).for_each(|(name, value)| check(name, value));
            }
            Step::ChildEnv { set, runner_child, .. } => {
                for (name, value) in set {
                    check(name, value);
                }
                if let Some(child) = runner_child {
                    check("token", &child.token);
                }
            }
            Step::Strip { env, .. } => {
                for (name, value) in env {
                    check(name, value);
                }
            }
            Step::TokenId { token, .. } => check("token", token),
            _ => {}
        }
    }
    let files = case.tree.iter().flat_map(|tree| WalkDir::new(tree).into_iter().flatten());
    for file in files.filter(|file| file.file_type().is_file() && file.file_name() == ".env") {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assignments(&text).for_each(|(name, value)| check(name, value));
    }
    found
}

fn is_marked(name: &str, value: &str) -> bool {
    let value = value.trim();
    value.is_empty()
        || value.contains(CANARY)
        || PUBLIC_NAMES.contains(&name)
        || (PUBLIC_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) && !sounds_secret(name))
        || VALUES_AS_THEY_ARE.contains(&value)
        || (name == RUNNER_ID && is_runner_id(value))
}

/// Of a family without secrets a name that says it is one is one (SEC).
fn sounds_secret(name: &str) -> bool {
    name.split('_').any(|word| matches!(word, "TOKEN" | "KEY" | "KEYS" | "SECRET" | "PASSWORD" | "AUTH"))
}

fn is_runner_id(value: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    value.len() <= 128
        && value.bytes().all(is_letter)
        && value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !value.contains("..")
}

fn is_dotenv(path: &str) -> bool {
    path.rsplit('/').next() == Some(".env")
}

/// Bytes as text. What is no base64 is told by another check.
fn decoded(base64: Option<&str>) -> String {
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64.unwrap_or_default());
    String::from_utf8_lossy(&bytes.unwrap_or_default()).replace('\0', "")
}

/// What looks like an assignment, in a file that may be odd on purpose.
fn assignments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.split(['\r', '\n']).map(str::trim).filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.trim_start_matches("export ").trim();
        Some((name, value.trim().trim_matches(['"', '\''])))
    })
}
