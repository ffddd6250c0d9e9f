use std::sync::Arc;

use watertight_context::{Ambient, Context, with_ambient};
use watertight_env_snapshot::ProcessEnv;
use watertight_profile_home::{ProfileHome, Yaml};
use watertight_terminal_scope::{BoundTerminal, TerminalError, TerminalPolicy, TerminalSchema};
use watertight_vocabulary::{EnvSource, Layer, RefusedReason, Secret};

use super::flaw::Flaw;
use super::world::{Which, World, shown, text};
use crate::case::Outcome;

const WORKING_DIRECTORY: &str = "TERMINAL_CWD";
const IMAGE: &str = "TERMINAL_DOCKER_IMAGE";
const IMAGE_PINNED: &str = "TERMINAL_DOCKER_IMAGE_PINNED";

impl World {
    /// What a flaw of reading terminal settings answers instead (CONF-14).
    pub(super) fn flawed_terminal(
        &self,
        name: &str,
        read: &Result<Option<Secret>, TerminalError>,
        which: Which,
    ) -> Option<Result<Outcome, Outcome>> {
        if read.as_ref().is_err_and(is_no_backend) && self.shows(Flaw::CoercedBackend) {
            return Some(Ok(default_of(name)));
        }
        if read.is_err() {
            return None;
        }
        let is_unbound = with_ambient(|ambient| matches!(ambient, Ambient::Unbound));
        if is_unbound && self.shows(Flaw::TerminalNeedsAScope) {
            return Some(Err(Outcome::Refused("unscoped".to_owned())));
        }
        let outcome = self.flawed_setting(name, &*bound_policy()?);
        let anew =
            || self.read_anew(which)?.terminal(name).ok().map(|value| self.secret_outcome(value.as_ref()));
        outcome.or_else(anew).map(Ok)
    }

    fn flawed_setting(&self, name: &str, policy: &TerminalPolicy) -> Option<Outcome> {
        let is_computed = || policy.origin(name).is_some_and(|origin| origin.layer() == Layer::Computed);
        if name == WORKING_DIRECTORY && is_computed() && self.shows(Flaw::CurrentDirectory) {
            return ProcessEnv::new().current_dir().ok().map(|directory| text(shown(&directory)));
        }
        if name == IMAGE_PINNED && self.shows(Flaw::PinnedByValue) {
            let image = policy.get(IMAGE).ok().flatten();
            let is_default = self.secret_outcome(image) == default_of(IMAGE);
            return Some(text(if is_default { "0" } else { "1" }));
        }
        let home = ProfileHome::confined(policy.home().clone());
        let config = self.files.config(&home).ok().flatten()?;
        let section = config.section("terminal").ok()?;
        if section.is_empty() || !self.shows(Flaw::KeysAsVariables) {
            return None;
        }
        let key = name.strip_prefix("TERMINAL_")?.to_ascii_lowercase();
        // Nothing is mapped, so what the section says of the backend is never heard of.
        let unmapped = (key == "env").then(|| default_of(name));
        section.get(&key).map(|value| text(as_python_says(value))).or(unmapped)
    }
}

fn is_no_backend(error: &TerminalError) -> bool {
    let TerminalError::Refused(refused) = error else { return false };
    matches!(refused.reason(), RefusedReason::Unavailable(refusal) if refusal.code() == "backend-not-a-name")
}

fn default_of(name: &str) -> Outcome {
    let schema = TerminalSchema::hermes();
    let default = schema.variable(name.as_ref()).and_then(|key| key.default());
    default.and_then(|value| value.expose().ok()).map_or(Outcome::Absent, text)
}

fn bound_policy() -> Option<Arc<TerminalPolicy>> {
    Context::current()?.get::<BoundTerminal>()?.policy().ok().cloned()
}

/// What `str()` makes of a value.
fn as_python_says(value: &Yaml) -> String {
    match value {
        Yaml::Null => "None".to_owned(),
        Yaml::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Yaml::Int(digits) | Yaml::Text(digits) => digits.as_str().to_owned(),
        Yaml::Float(value) => value.value().to_string(),
        Yaml::List(values) => {
            let shown: Vec<_> = values.iter().map(|value| format!("'{}'", as_python_says(value))).collect();
            format!("[{}]", shown.join(", "))
        }
        Yaml::Map(pairs) => {
            let shown = pairs
                .iter()
                .map(|(key, value)| format!("'{}': '{}'", as_python_says(key), as_python_says(value)));
            format!("{{{}}}", shown.collect::<Vec<_>>().join(", "))
        }
        Yaml::Tagged(_) => value.kind().to_owned(),
    }
}
