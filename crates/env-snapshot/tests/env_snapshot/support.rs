//! A small world to build child environments in: a launch environment, and a bound profile that answers as
//! SEC does.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use watertight_env_snapshot::{
    ChildBindingToken, ChildEnv, ChildEnvError, ChildParts, ChildRunnerId, ChildSpec, ControlPlane,
    DropReason, MapEnv, TOTAL_LIMIT,
};
use watertight_vocabulary::{
    Classes, EnvSource, HermesClasses, Name, NameClass, Platform, Refused, RefusedReason, Secret,
};

pub(crate) const HOME_VARIABLE: &str = "HERMES_HOME";
pub(crate) const TOKEN: &str = "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN";
pub(crate) const INITIAL_TOKEN: &str = "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN";
pub(crate) const RUNNER_ID: &str = "OMNIGENT_RUNNER_ID";
pub(crate) const PARENT_PID: &str = "OMNIGENT_RUNNER_PARENT_PID";

/// What is bound for the task that starts a child.
#[derive(Debug, Clone)]
pub(crate) enum Bound {
    /// Nothing, and one profile is hosted: secrets are read from the environment.
    Nothing,
    /// A foreign profile with these secrets.
    Foreign(BTreeMap<OsString, OsString>),
}

#[derive(Debug)]
pub(crate) struct World {
    pub(crate) platform: Platform,
    pub(crate) environment: MapEnv,
    pub(crate) bound: Bound,
    pub(crate) control_plane: ControlPlane,
    pub(crate) allowed: Result<(), Refused>,
    pub(crate) terminal: Result<Vec<(Name, Secret)>, Refused>,
    pub(crate) home: PathBuf,
    pub(crate) own_runner_id: Option<String>,
    pub(crate) total_limit: usize,
}

impl World {
    /// One profile is hosted, at `/home/launch/.hermes`, with this launch environment.
    pub(crate) fn with_environment<N: Into<OsString>, V: Into<OsString>>(
        entries: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        Self {
            platform: Platform::Linux,
            environment: entries.into_iter().collect::<MapEnv>().in_directory("/launch/here"),
            bound: Bound::Nothing,
            control_plane: ControlPlane::new(),
            allowed: Ok(()),
            terminal: Ok(Vec::new()),
            home: PathBuf::from("/home/launch/.hermes"),
            own_runner_id: None,
            total_limit: TOTAL_LIMIT,
        }
    }

    pub(crate) fn on(mut self, platform: Platform) -> Self {
        self.environment = self.environment.on(platform);
        Self { platform, ..self }
    }

    /// A foreign profile is bound, whose scope holds these secrets.
    pub(crate) fn foreign<N: Into<OsString>, V: Into<OsString>>(
        self,
        secrets: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let secrets = secrets.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self {
            bound: Bound::Foreign(secrets),
            home: PathBuf::from("/home/launch/.hermes/profiles/b"),
            ..self
        }
    }

    pub(crate) fn with_terminal(self, entries: &[(&str, &str)]) -> Self {
        let entries = entries.iter().map(|(name, value)| (Name::from(*name), Secret::from(*value)));
        Self { terminal: Ok(entries.collect()), ..self }
    }

    /// SEC's answer, from the classes of the reference.
    fn answer(&self, name: &OsStr) -> Result<Option<Secret>, Refused> {
        let case = self.platform.case_rule();
        let environment =
            || self.environment.var_os(name).map(|value| Secret::from_os(&Name::new(name), value));
        let classes = Classes::new(Arc::<HermesClasses>::default(), self.control_plane.clone(), case);
        match (classes.class_of(name), &self.bound) {
            (NameClass::ControlPlane, _) => Err(Refused::new(name, RefusedReason::ControlPlane)),
            (NameClass::Terminal, Bound::Foreign(_)) => Err(Refused::new(name, RefusedReason::NotASecret)),
            (NameClass::Global, _) | (_, Bound::Nothing) => Ok(environment()),
            (_, Bound::Foreign(secrets)) => Ok(secrets
                .iter()
                .find(|(own, _)| case.same(own, name))
                .map(|(own, value)| Secret::from_os(&Name::new(own), value.clone()))),
        }
    }

    pub(crate) fn build(&self, spec: &ChildSpec) -> Result<ChildEnv, ChildEnvError> {
        let scope_names = match &self.bound {
            Bound::Nothing => Vec::new(),
            Bound::Foreign(secrets) => secrets.keys().map(Name::new).collect(),
        };
        ChildEnv::build(
            spec,
            ChildParts {
                platform: self.platform,
                base: &self.environment,
                control_plane: &self.control_plane,
                allowed: self.allowed.clone(),
                answer: &mut |name| self.answer(name),
                scope_names,
                terminal: &mut || self.terminal.clone(),
                home_variable: OsStr::new(HOME_VARIABLE),
                home: &self.home,
                profile_name_variables: &[Name::from("HERMES_PROFILE"), Name::from("HERMES_PROFILE_NAME")],
                own_runner_id: self.own_runner_id.as_deref(),
                total_limit: self.total_limit,
            },
        )
    }

    /// What a spec gives here, as text.
    pub(crate) fn variables(&self, spec: &ChildSpec) -> BTreeMap<String, String> {
        text(&self.build(spec).unwrap())
    }
}

/// The variables of a child environment, as text.
pub(crate) fn text(child: &ChildEnv) -> BTreeMap<String, String> {
    child
        .iter()
        .map(|(name, value)| (name.as_str().unwrap().to_owned(), value.expose().unwrap().to_owned()))
        .collect()
}

/// Pairs of text as the map that [`text`] makes.
pub(crate) fn pairs<const LENGTH: usize>(pairs: [(&str, &str); LENGTH]) -> BTreeMap<String, String> {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Why a name does not reach the child; the reasons if there are several.
pub(crate) fn reasons(child: &ChildEnv, name: &str) -> Vec<DropReason> {
    let about = child.dropped().iter().filter(|dropped| dropped.name().as_os_str() == name);
    about.map(watertight_env_snapshot::Dropped::reason).collect()
}

/// The probe program.
pub(crate) fn probe() -> Command {
    Command::new(env!("CARGO_BIN_EXE_env-snapshot-probe"))
}

/// What the probe's `list` says: variables by name, and its current directory under `cwd`.
pub(crate) fn listed(command: &mut Command) -> BTreeMap<Vec<u8>, Vec<u8>> {
    output(command)
        .lines()
        .map(|line| {
            let (name, value) = line.split_once(' ').unwrap();
            (if name == "cwd" { b"cwd".to_vec() } else { from_hex(name) }, from_hex(value))
        })
        .collect()
}

/// What a program wrote, which has to succeed.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Bytes as the system's text.
#[cfg(unix)]
pub(crate) fn raw(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

pub(crate) struct ChildId(pub(crate) &'static str);

impl ChildRunnerId for ChildId {
    fn id_text(&self) -> &str {
        self.0
    }
}

pub(crate) struct ChildToken(pub(crate) &'static str);

impl ChildBindingToken for ChildToken {
    fn token_secret(&self) -> Secret {
        Secret::from(self.0)
    }
}
