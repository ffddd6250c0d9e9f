//! The model: the tables of the specification in a few dozen lines. It knows no crate of this workspace.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::json;
use watertight_conformance::case::Expected;

pub(crate) type Vars = BTreeMap<String, String>;

/// A home's two files, as far as the model looks into them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    pub(crate) dotenv: Vars,
    pub(crate) timeout: Option<String>,
}

/// What is bound for a body: which profile, and what its scope held when it was built.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) profile: usize,
    secrets: Vars,
    terminal: Vars,
    /// Shared by all that was ever built for one handle (CTX-09).
    closed: Rc<Cell<bool>>,
}

/// A host, its disk and its environment. Profile 0 is `default`.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) launch: usize,
    pub(crate) homes: Vec<Files>,
    pub(crate) live: Vars,
    /// Names that the host shares with every profile (SEC-27).
    pub(crate) shared: Vec<String>,
    /// The administrator's file (SEC-25).
    pub(crate) managed: Vars,
    frozen: Option<Vars>,
    handles: BTreeMap<usize, Bound>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Global,
    ControlPlane,
    Terminal,
    Secret,
}

/// Names of settings that belong to the process.
const GLOBAL: [&str; 36] = [
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
    "HERMES_MAX_ITERATIONS",
    "HERMES_NOUS_TIMEOUT_SECONDS",
    "HERMES_PROFILE",
    "HERMES_REDACT_SECRETS",
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "PWD",
    "PYTHONPATH",
    "SHELL",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "_HERMES_GATEWAY",
];

/// Words that make a secret of a name that only its family makes global.
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

/// The table of names in SEC.
pub(crate) fn is_global(name: &str) -> bool {
    let of_a_family = name.starts_with("HERMES_KANBAN_") || name.starts_with("HERMES_TELEGRAM_");
    GLOBAL.contains(&name) || (of_a_family && !name.split('_').any(|word| SECRET_WORDS.contains(&word)))
}

fn class(name: &str) -> Class {
    match name {
        "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN" | "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN" => Class::ControlPlane,
        _ if is_global(name) => Class::Global,
        _ if name.starts_with("TERMINAL_") => Class::Terminal,
        _ => Class::Secret,
    }
}

fn of_class(vars: &Vars, wanted: Class) -> Vars {
    vars.iter().filter(|(name, _)| class(name) == wanted).map(|(n, v)| (n.clone(), v.clone())).collect()
}

fn value_or_absent(value: Option<&String>) -> Expected {
    value.map_or(Expected::Absent, |value| Expected::Value(json!(value)))
}

fn refused(code: &str) -> Expected {
    Expected::Refused(code.to_owned())
}

impl Model {
    pub(crate) fn new(launch: usize, homes: Vec<Files>, live: Vars) -> Self {
        Self {
            launch,
            homes,
            live,
            shared: Vec::new(),
            managed: Vars::new(),
            frozen: None,
            handles: BTreeMap::new(),
        }
    }

    pub(crate) fn many(&self) -> bool {
        self.frozen.is_some()
    }

    pub(crate) fn activate(&mut self) {
        if self.frozen.is_none() {
            self.frozen = Some(self.live.clone());
        }
    }

    fn env(&self) -> &Vars {
        self.frozen.as_ref().unwrap_or(&self.live)
    }

    /// SEC-20 and TERM-01: the layers, later wins. Another home than the launch home activates first.
    pub(crate) fn scope(&mut self, profile: usize) -> Bound {
        let files = self.homes[profile].clone();
        let mut secrets = Vars::new();
        let mut terminal = Vars::from([("TERMINAL_TIMEOUT".to_owned(), "180".to_owned())]);
        terminal.extend(of_class(&files.dotenv, Class::Terminal));
        if profile == self.launch {
            secrets.extend(of_class(self.env(), Class::Secret));
            terminal.extend(of_class(self.env(), Class::Terminal));
        } else {
            self.activate();
            let shared = self.env().iter().filter(|(name, _)| self.shared.contains(name));
            secrets.extend(shared.map(|(name, value)| (name.clone(), value.clone())));
        }
        secrets.extend(of_class(&files.dotenv, Class::Secret));
        terminal.extend(files.timeout.map(|timeout| ("TERMINAL_TIMEOUT".to_owned(), timeout)));
        secrets.extend(of_class(&self.managed, Class::Secret));
        terminal.extend(of_class(&self.managed, Class::Terminal));
        Bound { profile, secrets, terminal, closed: Rc::default() }
    }

    pub(crate) fn bind(&mut self, handle: usize, profile: usize) {
        let bound = self.scope(profile);
        self.handles.insert(handle, bound);
    }

    pub(crate) fn handle(&self, handle: usize) -> Option<Bound> {
        self.handles.get(&handle).cloned()
    }

    pub(crate) fn close(&self, handle: usize) {
        self.handles.get(&handle).inspect(|bound| bound.closed.set(true));
    }

    /// SEC-28: built anew in its place; what was closed stays closed.
    pub(crate) fn refresh(&mut self, handle: usize) {
        if let Some(old) = self.handle(handle) {
            let new = self.scope(old.profile);
            self.handles.insert(handle, Bound { closed: old.closed, ..new });
        }
    }

    /// The table of SEC.
    pub(crate) fn secret(&self, bound: Option<&Bound>, name: &str) -> Expected {
        match (class(name), bound) {
            (Class::ControlPlane, _) => refused("control-plane"),
            (Class::Global, _) => value_or_absent(self.env().get(name)),
            (Class::Terminal, None) if !self.many() => value_or_absent(self.live.get(name)),
            (Class::Terminal, _) => refused("not-a-secret"),
            (Class::Secret, Some(bound)) if bound.closed.get() => refused("closed"),
            (Class::Secret, Some(bound)) => match bound.secrets.get(name) {
                Some(value) => value_or_absent(Some(value)),
                None if self.many() || bound.profile != self.launch => Expected::Absent,
                None => value_or_absent(self.live.get(name)),
            },
            (Class::Secret, None) if self.many() => refused("unscoped"),
            (Class::Secret, None) => value_or_absent(self.live.get(name)),
        }
    }

    /// TERM-20 to TERM-23.
    pub(crate) fn terminal(&self, bound: Option<&Bound>, name: &str) -> Expected {
        match bound {
            Some(bound) if bound.closed.get() => refused("closed"),
            Some(bound) => value_or_absent(bound.terminal.get(name)),
            None if self.many() => refused("unscoped"),
            None => value_or_absent(self.live.get(name)),
        }
    }

    /// HOST-33: the home that is bound. The rules leave open whether a closed scope still says it.
    pub(crate) fn home(&self, bound: Option<&Bound>, home: impl Fn(usize) -> Expected) -> Expected {
        match bound {
            Some(bound) if bound.closed.get() => {
                Expected::AnyOf(vec![home(bound.profile), refused("closed")])
            }
            Some(bound) => home(bound.profile),
            None if self.many() => refused("unscoped"),
            None => home(self.launch),
        }
    }
}
