use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use base64::Engine;
use serde_json::json;
use watertight::ProfileScope;
use watertight_context::Context;
use watertight_profile_home::boolean_word;
use watertight_vocabulary::EnvSource;

use super::flaw::Flaw;
use super::world::{Which, World, shown, text};
use crate::case::{Outcome, Step};

/// The names that are kept from new profiles (PROF-12).
const RESERVED: [&str; 5] = ["hermes", "test", "tmp", "root", "sudo"];

impl World {
    /// What a flaw answers that has none of the rules for a step (CONF-14).
    pub(super) fn naive_leaf(&self, step: &Step, which: Which) -> Option<Result<Outcome, Outcome>> {
        Some(match step {
            Step::ListProfiles { .. } if self.shows(Flaw::EveryFolderCounts) => self.every_folder(which),
            Step::FindProfile { name, .. } if self.forbids(name.trim()) => {
                Err(Outcome::Error("invalid-name".to_owned()))
            }
            Step::FindProfile { name, .. } if self.shows(Flaw::EveryFolderCounts) => Ok(text(name.trim())),
            Step::Root { .. } if self.shows(Flaw::HomeIsItsRoot) => {
                self.host(which).map(|host| text(shown(host.launch_home().path())))
            }
            Step::LaunchHome { .. } if self.shows(Flaw::HomeIsItsRoot) => {
                let home = self.env.var_os("HERMES_HOME".as_ref());
                Ok(home.map_or(Outcome::Absent, |home| text(home.to_string_lossy())))
            }
            Step::ParseDotenv { text, base64, .. } if self.shows(Flaw::SplitAtEquals) => {
                Ok(split_at_equals(text.as_deref(), base64.as_deref()))
            }
            Step::WriteDotenv { value, .. } if self.shows(Flaw::UnquotedWriter) => Ok(text(value.as_str())),
            step => return self.trusted(step).filter(|_| self.shows(Flaw::TrustedIdentity)).map(Ok),
        })
    }

    /// Whether a name is one that [`Flaw::ReservedMeansForbidden`] has nothing of.
    pub(super) fn forbids(&self, name: &str) -> bool {
        RESERVED.contains(&name) && self.shows(Flaw::ReservedMeansForbidden)
    }

    fn every_folder(&self, which: Which) -> Result<Outcome, Outcome> {
        let folder = self.host(which)?.tree().root().path().join("profiles");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.push("default".to_owned());
        names.sort_unstable();
        Ok(Outcome::Value(json!(names)))
    }

    /// Whatever stands there is an id, whoever is asked is alive, and stripping has nothing to do.
    fn trusted(&self, step: &Step) -> Option<Outcome> {
        Some(match step {
            Step::RunnerId { racers: None, .. } | Step::LoadRunnerId { .. } => {
                let variable = self.env.var_os("OMNIGENT_RUNNER_ID".as_ref());
                let path = self.path(".omnigent/runners/runner_id");
                let file = || path.is_file().then(|| fs::read_to_string(&path).unwrap_or_default());
                let found = variable.map(|value| value.to_string_lossy().into_owned()).or_else(file);
                text(found.unwrap_or_else(|| "runner_1".to_owned()))
            }
            Step::RegenerateRunnerId { .. } => text("runner_1"),
            Step::CheckMachine { .. } => text("not-cloned"),
            Step::TokenId { token, .. } => text(format!("runner_{token}")),
            Step::Wiring { .. } => Outcome::Value(json!({ "isolate_session": false })),
            Step::Orphaned { .. } => text("alive"),
            Step::AdoptSignal { .. } => text("SIGHUP"),
            // Headers are compared without regard to case, so it may seem to do.
            Step::Tunnel { .. } => Outcome::Value(json!({ "header": "x-runner-token", "origin": "null" })),
            Step::Strip { env, .. } => Outcome::Value(json!(env)),
            _ => return None,
        })
    }

    /// What is bound here, built anew from what the disk holds by now: [`Flaw::FollowsTheDisk`].
    pub(super) fn read_anew(&self, which: Which) -> Option<ProfileScope> {
        let home = Context::current()?.home()?.clone();
        if !self.shows(Flaw::FollowsTheDisk) {
            return None;
        }
        let host = self.host(which).ok()?;
        let scope = match host.tree().name_for_home(home.path()).ok().flatten() {
            Some(name) if home != *host.launch_home() => host.profile_scope(name.as_str()),
            _ => host.launch_scope(),
        };
        scope.ok()
    }

    /// A `.env` as a reader with another idea of lines and keys sees it.
    pub(super) fn rewritten(&self, bytes: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&bytes);
        if text.contains("\\\n") && self.shows(Flaw::LineContinuation) {
            return text.replace("\\\n", "").into_bytes();
        }
        let mut keys = BTreeSet::new();
        let firsts: Vec<_> = text
            .split_inclusive('\n')
            .filter(|line| line.split_once('=').is_none_or(|(key, _)| keys.insert(key)))
            .collect();
        if firsts.len() < text.split_inclusive('\n').count() && self.shows(Flaw::FirstAssignmentWins) {
            return firsts.concat().into_bytes();
        }
        bytes
    }

    /// A scalar as YAML 1.1 knows it: [`Flaw::ScalarsOfYaml11`].
    pub(super) fn resolved(&self, scalar: String) -> String {
        match as_in_yaml_1_1(&scalar) {
            Some(resolved) if self.shows(Flaw::ScalarsOfYaml11) => resolved,
            _ => scalar,
        }
    }

    /// The debug text that would be derived for what a scope holds: [`Flaw::DerivedDebug`].
    pub(super) fn derived_debug_of_a_context(&self, scope: &ProfileScope) {
        let context = watertight::ContextSource::context(scope);
        let Some(Ok(secrets)) =
            context.get::<watertight_secret_scope::BoundSecrets>().map(|bound| bound.policy())
        else {
            return;
        };
        let names = secrets.names();
        if !names.is_empty() && self.shows(Flaw::DerivedDebug) {
            let values = names.iter().filter_map(|name| secrets.get(name).ok()??.expose().ok());
            self.log.line(&format!("Context({:?})", values.collect::<Vec<_>>()));
        }
    }
}

/// What a scalar becomes that is text by our rules (FILE-32, FILE-38).
fn as_in_yaml_1_1(scalar: &str) -> Option<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(octal) = scalar.strip_prefix('0').filter(|rest| is_number(rest)) {
        return u64::from_str_radix(octal, 8).ok().map(|number| number.to_string());
    }
    if let Some((minutes, seconds)) = scalar.split_once(':')
        && let (Ok(minutes), Ok(seconds)) = (minutes.parse::<u64>(), seconds.parse::<u64>())
    {
        return Some((minutes * 60 + seconds).to_string());
    }
    let plain = scalar.replace('_', "");
    if plain != scalar && is_number(&plain) {
        return Some(plain);
    }
    let is_digit = is_number(scalar);
    boolean_word(scalar).filter(|_| !is_digit).map(|word| word.to_string()).filter(|word| word != scalar)
}

fn split_at_equals(text: Option<&str>, base64: Option<&str>) -> Outcome {
    let decoded = base64.and_then(|digits| base64::engine::general_purpose::STANDARD.decode(digits).ok());
    let bytes = text.map(|text| text.as_bytes().to_vec()).or(decoded).unwrap_or_default();
    let dotenv = String::from_utf8_lossy(&bytes);
    let pairs: BTreeMap<_, _> = dotenv.lines().filter_map(|line| line.split_once('=')).collect();
    Outcome::Value(json!(pairs))
}
