use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Arc, Barrier};
use std::thread;

use serde_json::{Map, Value, json};
use watertight_env_snapshot::strip;
use watertight_profile_discovery::HomeLayout;
use watertight_runner_identity::{
    BindingToken, IdentityError, IdentityFile, MachineId, Orphaned, RunnerWiring, adopt_signal,
    known_identity, names, orphaned, stable_identity, token_bound_id,
};
use watertight_vocabulary::{CaseRule, ControlPlane, EnvSource, Platform, Secret};

use super::flaw::Flaw;
use super::world::{World, shown, text};
use crate::case::{CaseRuleName, Outcome, PlatformName, Step};

impl World {
    pub(super) fn identity_leaf(self: &Arc<Self>, step: &Step) -> Option<Result<Outcome, Outcome>> {
        Some(match step {
            Step::RunnerId { racers: None, .. } => self.runner_id().map(text),
            Step::RunnerId { racers: Some(racers), .. } => self.race(*racers),
            Step::LoadRunnerId { .. } => match known_identity(&*self.env, &self.identity_file()) {
                Ok(identity) => Ok(identity.map_or(Outcome::Absent, |identity| text(identity.id().as_str()))),
                Err(error) => Err(self.error(&error, error.code())),
            },
            Step::RegenerateRunnerId { .. } => {
                let made = self.identity_file().regenerate();
                self.open_to_others();
                made.map(|identity| text(identity.id().as_str()))
                    .map_err(|error| self.error(&error, error.code()))
            }
            Step::CheckMachine { .. } => match self.identity_file().load() {
                Ok(identity) => Ok(identity.map_or(Outcome::Absent, |identity| {
                    self.log.debug(&identity);
                    text(if identity.is_cloned() { "cloned" } else { "not-cloned" })
                })),
                Err(error) => Err(self.error(&error, error.code())),
            },
            Step::TokenId { token, .. } => match BindingToken::parse(token) {
                Ok(token) => {
                    self.log.debug(&token);
                    Ok(text(token_bound_id(&token).as_str()))
                }
                Err(error) => Err(self.error(&error, error.code())),
            },
            Step::Wiring { .. } => match RunnerWiring::read(&*self.env) {
                Ok(wiring) => {
                    self.log.debug(&wiring);
                    if wiring.binding_token().is_some() && self.shows(Flaw::DerivedDebug) {
                        let token = self.env.var_os(names::BINDING_TOKEN_VARIABLE.as_ref());
                        self.log.line(&format!("BindingToken({token:?})"));
                    }
                    Ok(wiring_outcome(&wiring))
                }
                Err(error) => Err(self.error(&error, error.code())),
            },
            Step::Orphaned { expected, current, adopted, .. } => {
                Ok(text(match orphaned(*expected, *current, *adopted, Platform::Linux) {
                    Orphaned::Yes => "orphaned",
                    Orphaned::No => "alive",
                    Orphaned::Unknown => "unknown",
                }))
            }
            Step::AdoptSignal { platform, .. } => {
                let signal = adopt_signal(match platform {
                    PlatformName::Linux => Platform::Linux,
                    PlatformName::Macos => Platform::MacOs,
                    PlatformName::Windows => Platform::Windows,
                });
                Ok(signal.map_or(Outcome::Absent, text))
            }
            Step::Tunnel { .. } => Ok(Outcome::Value(
                json!({ "header": names::TUNNEL_TOKEN_HEADER, "origin": names::INTERNAL_ORIGIN }),
            )),
            Step::Strip { env, names, .. } => Ok(self.strip(env, *names)),
            _ => return None,
        })
    }

    fn identity_file(&self) -> IdentityFile {
        let home = HomeLayout::hermes().user_home(&*self.env, Platform::current());
        let file = IdentityFile::in_user_home(home.ok().flatten().as_deref());
        match &self.machine {
            Some(name) => file.of_machine(Arc::new(NamedMachine(name.clone()))),
            None => file,
        }
    }

    fn runner_id(&self) -> Result<String, Outcome> {
        let identity: Result<_, IdentityError> = stable_identity(&*self.env, &self.identity_file());
        let identity = identity.map_err(|error| self.error(&error, error.code()))?;
        self.log.debug(&identity);
        self.open_to_others();
        Ok(identity.id().as_str().to_owned())
    }

    /// Makes the file one that everybody may read: [`Flaw::OpenToOthers`].
    fn open_to_others(&self) {
        #[cfg(unix)]
        if self.shows(Flaw::OpenToOthers) {
            let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            let _ = self.identity_file().path().map(|path| fs::set_permissions(path, open));
        }
    }

    /// Has several ask at once, and gives every id that one of them was given.
    fn race(self: &Arc<Self>, racers: usize) -> Result<Outcome, Outcome> {
        let (start, gap) = (Barrier::new(racers), Barrier::new(racers));
        let race = || {
            start.wait();
            if self.shows(Flaw::RacyId) { self.racy_id(&gap) } else { self.runner_id() }
        };
        let dispatch = tracing::dispatcher::get_default(Clone::clone);
        let race = || tracing::dispatcher::with_default(&dispatch, race);
        let ids: Result<BTreeSet<String>, Outcome> = thread::scope(|scope| {
            let threads: Vec<_> = (0..racers).map(|_| scope.spawn(race)).collect();
            let crashed = || Outcome::Error("panicked".to_owned());
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(crashed()))).collect()
        });
        ids.map(|ids| Outcome::Value(json!(ids)))
    }

    /// Looks, and makes what was not there, with everybody else between the two.
    fn racy_id(&self, gap: &Barrier) -> Result<String, Outcome> {
        let file = self.identity_file();
        let known = file.load().map_err(|error| self.error(&error, error.code()))?;
        gap.wait();
        if let Some(identity) = known {
            return Ok(identity.id().as_str().to_owned());
        }
        let id = format!("runner_{}", uuid::Uuid::new_v4().simple());
        let path = file.path().ok_or(Outcome::Absent)?;
        let written = path.parent().map(fs::create_dir_all).and_then(|_| fs::write(path, &id).ok());
        written.map(|()| id).ok_or_else(|| Outcome::Error("not-created".to_owned()))
    }

    fn strip(&self, env: &BTreeMap<String, String>, names: CaseRuleName) -> Outcome {
        let control_plane = ControlPlane::new().with_names(self.control_plane.iter().map(String::as_str));
        let case = match names {
            CaseRuleName::Sensitive => CaseRule::Sensitive,
            CaseRuleName::Insensitive => CaseRule::AsciiInsensitive,
        };
        let kept: BTreeMap<_, _> = strip(env, &control_plane, case).into_iter().collect();
        Outcome::Value(json!(kept))
    }
}

/// A machine that calls itself what the case says.
#[derive(Debug)]
struct NamedMachine(String);

impl MachineId for NamedMachine {
    fn machine_id(&self) -> Option<Secret> {
        Some(Secret::from(self.0.as_str()))
    }
}

fn wiring_outcome(wiring: &RunnerWiring) -> Outcome {
    let mut fields = Map::new();
    if let Some(pid) = wiring.parent_pid() {
        fields.insert("parent_pid".to_owned(), json!(pid));
    }
    if let Some(workspace) = wiring.workspace() {
        fields.insert("workspace".to_owned(), json!(shown(workspace)));
    }
    fields.insert("isolate_session".to_owned(), json!(wiring.isolate_session()));
    if wiring.binding_token().is_some() {
        fields.insert("has_token".to_owned(), json!(true));
    }
    Outcome::Value(Value::Object(fields))
}
