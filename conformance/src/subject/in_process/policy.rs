use std::collections::BTreeMap;

use base64::Engine;
use serde_json::json;
use watertight_context::{Ambient, with_ambient};
use watertight_env_snapshot::{ChildEnv, ChildEnvError, ChildSpec};
use watertight_runner_identity::{BindingToken, RunnerId};
use watertight_terminal_scope::{
    BoundTerminal, SchemaKey, SettingError, TerminalError, TerminalPolicy, ValueType,
};
use watertight_vocabulary::{EnvSource, NameSet, Secret};

use super::flaw::Flaw;
use super::leaves::origin;
use super::world::{Which, World, text};
use crate::case::{Outcome, RunnerChildParts, Step};

impl World {
    pub(super) fn policy_leaf(&self, step: &Step, which: Which) -> Option<Result<Outcome, Outcome>> {
        Some(match step {
            Step::ReadTerminal { name, default, .. } => match self.ambient_terminal(name) {
                Some(outcome) => Ok(outcome),
                None => self.read_terminal(name, default.as_deref(), which),
            },
            Step::TerminalBackend { .. } => self.host(which).and_then(|host| match host.backend() {
                Ok(backend) => Ok(text(backend.as_str())),
                Err(_) if self.shows(Flaw::GuessedBackend) => Ok(text("local")),
                Err(error) => Err(self.terminal_error(&error)),
            }),
            Step::EnsureAllowed { .. } => self.host(which).and_then(|host| match host.ensure_allowed() {
                Err(error) if !self.shows(Flaw::GuessedBackend) => Err(self.terminal_error(&error)),
                _ => Ok(text("allowed")),
            }),
            Step::TerminalEntries { .. } => self.with_policy(|policy| {
                let entries: BTreeMap<_, _> =
                    policy.entries().map(|entry| (entry.name.to_string(), shown(entry.value))).collect();
                Outcome::Value(json!(entries))
            }),
            Step::TerminalProblems { .. } => self.with_policy(|policy| {
                let mut names: Vec<_> =
                    policy.problems().iter().filter_map(|problem| problem.subject()).collect();
                names.sort_unstable();
                names.dedup();
                Outcome::Value(json!(names))
            }),
            Step::TerminalOrigin { name, .. } => {
                self.with_policy(|policy| match policy.explain(name).shadowed.last() {
                    Some(first) if self.shows(Flaw::FirstLayerIsNamed) => origin(Some(first)),
                    _ => origin(policy.origin(name).as_ref()),
                })
            }
            Step::TerminalSetting { key, .. } => self.with_policy(|policy| {
                typed(policy, key).unwrap_or_else(|error| self.error(&error, error.code()))
            }),
            Step::ChildEnv { .. } => self.child_env(step, which),
            _ => return None,
        })
    }

    fn read_terminal(&self, name: &str, default: Option<&str>, which: Which) -> Result<Outcome, Outcome> {
        let read = match which {
            Which::Nobody => watertight::host().terminal(name),
            Which::Own | Which::Other => {
                self.host(which)?.terminal_reader(|reader| reader.read(name, default))
            }
        };
        self.log.debug(&read);
        if let Some(outcome) = self.flawed_terminal(name, &read, which) {
            return outcome;
        }
        let secret = read.map_err(|error| self.terminal_error(&error))?;
        Ok(self.secret_outcome(secret.as_ref()))
    }

    /// What [`Flaw::AmbientTerminal`] answers.
    fn ambient_terminal(&self, name: &str) -> Option<Outcome> {
        let found = self.env.var_os(name.as_ref()).filter(|_| self.shows(Flaw::AmbientTerminal))?;
        Some(text(found.to_string_lossy()))
    }

    fn terminal_error(&self, error: &TerminalError) -> Outcome {
        match error {
            TerminalError::Refused(refused) => self.refused(refused),
            TerminalError::Setting(setting) => self.error(setting, setting.code()),
        }
    }

    fn with_policy(&self, ask: impl FnOnce(&TerminalPolicy) -> Outcome) -> Result<Outcome, Outcome> {
        with_ambient(|ambient| {
            let Ambient::Bound(context) = ambient else { return Err(Outcome::Absent) };
            let bound = context.get::<BoundTerminal>().ok_or(Outcome::Absent)?;
            self.log.debug(bound);
            let policy = bound.policy().map_err(|_| Outcome::Refused("unavailable".to_owned()))?;
            for problem in policy.problems() {
                self.log.line(&problem.to_string());
                if self.shows(Flaw::ProblemsQuoteValues) {
                    let value = problem.subject().and_then(|name| policy.get(name).ok().flatten());
                    let value = value.and_then(|value| value.expose().ok()).unwrap_or_default();
                    self.log.line(&format!("{problem}: {value}"));
                }
            }
            Ok(ask(policy))
        })
    }

    fn child_env(&self, step: &Step, which: Which) -> Result<Outcome, Outcome> {
        let Step::ChildEnv {
            pass,
            pass_prefixes,
            set,
            terminal,
            working_directory,
            runner_child,
            dropped,
            ..
        } = step
        else {
            return Err(Outcome::Absent);
        };
        let prefixes =
            pass_prefixes.iter().fold(NameSet::new(), |names, prefix| names.with_prefix(prefix.as_str()));
        let mut spec = ChildSpec::new().pass(pass.iter().map(String::as_str)).pass_set(&prefixes);
        for (name, value) in set {
            spec = spec.set(name.as_str(), value);
        }
        if let Some(directory) = working_directory {
            spec = spec.working_directory(directory);
        }
        if *terminal {
            spec = spec.with_terminal();
        }
        if let Some(RunnerChildParts { id, token }) = runner_child {
            let id = id.parse::<RunnerId>().map_err(|error| self.error(&error, error.code()))?;
            let token = BindingToken::parse(token).map_err(|error| self.error(&error, error.code()))?;
            spec = spec.for_runner_child(&id, &token);
        }
        if self.shows(Flaw::ChildInherits) {
            let all: BTreeMap<_, _> = self.env.vars_os().into_iter().collect();
            let shown = all.iter().map(|(name, value)| (name.to_string_lossy(), value.to_string_lossy()));
            return Ok(Outcome::Value(json!(shown.collect::<BTreeMap<_, _>>())));
        }
        match self.host(which)?.child_env(&spec) {
            Ok(child) => {
                self.log.debug(&child);
                self.log.debug(&child.dropped());
                Ok(Outcome::Value(if *dropped {
                    let reasons =
                        child.dropped().iter().map(|one| (one.name().to_string(), one.reason().code()));
                    json!(reasons.collect::<BTreeMap<_, _>>())
                } else {
                    json!(entries(&child))
                }))
            }
            Err(ChildEnvError::Refused(refused)) => Err(self.refused(&refused)),
            Err(error) => Err(self.error(&error, error.code())),
        }
    }
}

/// A key as the type that it has.
fn typed(policy: &TerminalPolicy, key: &str) -> Result<Outcome, SettingError> {
    let kind = policy.schema().key(key).map_or(ValueType::Text, SchemaKey::value_type);
    let value = match kind {
        ValueType::Text => policy.text(key)?.map(|text| json!(shown(text))),
        ValueType::Path => policy.path(key)?.map(|path| json!(path.to_string_lossy())),
        ValueType::Integer => policy.integer(key)?.map(|number| json!(number)),
        ValueType::Number => policy.number(key)?.map(|number| json!(number)),
        ValueType::Boolean => policy.boolean(key)?.map(|is_on| json!(is_on)),
        ValueType::List => policy
            .list(key)?
            .map(|items| items.iter().map(shown).collect::<Vec<_>>())
            .map(|items| json!(items)),
        ValueType::Map => policy.map(key)?.map(|pairs| {
            json!(pairs.iter().map(|(name, value)| (name, shown(value))).collect::<BTreeMap<_, _>>())
        }),
    };
    Ok(value.map_or(Outcome::Absent, Outcome::Value))
}

fn entries(child: &ChildEnv) -> BTreeMap<String, String> {
    child.iter().map(|(name, value)| (name.to_string(), shown(value))).collect()
}

/// A value as text; what is no text as `base64:` and its bytes.
fn shown(value: &Secret) -> String {
    value.expose().map_or_else(
        |_| format!("base64:{}", base64::engine::general_purpose::STANDARD.encode(value.expose_bytes())),
        str::to_owned,
    )
}
