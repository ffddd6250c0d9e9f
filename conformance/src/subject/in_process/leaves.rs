use std::sync::Arc;

use serde_json::{Map, Value, json};
use watertight_context::{Ambient, with_ambient};
use watertight_secret_scope::{BoundSecrets, Verdict};
use watertight_vocabulary::{Classes, EnvSource, NameClass, Origin, Refused, Secret};

use super::flaw::Flaw;
use super::world::{Which, World, locked, shown, text};
use crate::case::{Outcome, Step, WhichProfiles};

impl World {
    /// What a step without a body comes to.
    pub(super) fn leaf(self: &Arc<Self>, step: &Step, which: Which) -> Outcome {
        self.naive_leaf(step, which)
            .or_else(|| self.naive_host_leaf(step, which))
            .or_else(|| self.profile_leaf(step, which))
            .or_else(|| self.secret_leaf(step, which))
            .or_else(|| self.policy_leaf(step, which))
            .or_else(|| self.identity_leaf(step))
            .or_else(|| self.file_leaf(step))
            .map_or_else(
                || Outcome::Error("no-such-step".to_owned()),
                |outcome| outcome.unwrap_or_else(|outcome| outcome),
            )
    }

    fn profile_leaf(&self, step: &Step, which: Which) -> Option<Result<Outcome, Outcome>> {
        Some(match step {
            Step::Activate { .. } => self.host(which).map(|host| {
                let before = host.many_profiles();
                host.activate();
                text(if before { "already-active" } else { "activated" })
            }),
            Step::ActivateEagerly { .. } => self.activate_eagerly(which),
            Step::ListProfiles { which: profiles, .. } => self.list(*profiles, which),
            Step::Tenants { .. } => self.tenants(which).map(|homes| Outcome::Value(json!(homes))),
            Step::FindProfile { name, .. } => self.host(which).and_then(|host| {
                let found = host.tree().find(name).map_err(|error| self.error(&error, error.code()))?;
                Ok(text(found.name().as_str()))
            }),
            Step::Root { .. } => self.host(which).map(|host| text(shown(host.tree().root().path()))),
            Step::LaunchHome { .. } => self.host(which).map(|host| text(shown(host.launch_home().path()))),
            Step::ActiveProfile { .. } => self.host(which).and_then(|host| {
                let active =
                    host.tree().active_profile().map_err(|error| self.error(&error, error.code()))?;
                Ok(text(active.as_str()))
            }),
            Step::Home { .. } => self.host(which).and_then(|host| {
                let home = host.home().map_err(|refused| self.refused(&refused))?;
                Ok(text(shown(home.path())))
            }),
            _ => return None,
        })
    }

    fn activate_eagerly(&self, which: Which) -> Result<Outcome, Outcome> {
        let host = self.host(which)?;
        if !host.many_profiles()
            && self.shows(Flaw::EmptyEnvCounts)
            && self.tenants(which).is_ok_and(|homes| homes.len() > 1)
        {
            host.activate();
            return Ok(text("activated"));
        }
        let decision = host.activate_eagerly();
        self.log.debug(&decision);
        Ok(text(decision.code()))
    }

    fn list(&self, profiles: WhichProfiles, which: Which) -> Result<Outcome, Outcome> {
        let tree = self.host(which)?.tree();
        let roster = match profiles {
            WhichProfiles::Serving => tree.serving(),
            WhichProfiles::Installed => tree.installed(),
        };
        let roster = roster.map_err(|error| self.error(&error, error.code()))?;
        self.log.debug(&roster);
        let residents = roster.residents().iter().map(|resident| resident.name().as_str());
        let names: Vec<_> = residents.filter(|name| !self.forbids(name)).collect();
        Ok(Outcome::Value(json!(names)))
    }

    fn tenants(&self, which: Which) -> Result<Vec<String>, Outcome> {
        let host = self.host(which)?;
        let mut homes: Vec<String> = if self.shows(Flaw::EmptyEnvCounts) {
            let installed = host.tree().installed().map_err(|error| self.error(&error, error.code()))?;
            installed.residents().iter().map(|resident| shown(resident.home())).collect()
        } else {
            let tenants = host.tree().tenants(host.launch_home());
            let tenants = tenants.map_err(|error| self.error(&error, error.code()))?;
            tenants.iter().map(|tenant| shown(tenant.home())).collect()
        };
        homes.sort_unstable();
        Ok(homes)
    }

    fn secret_leaf(&self, step: &Step, which: Which) -> Option<Result<Outcome, Outcome>> {
        Some(match step {
            Step::ReadSecret { name, handle, default, .. } => {
                self.read_secret(name, handle.as_deref(), which).map(|read| match (read, default) {
                    (Outcome::Absent, Some(default)) => text(default),
                    (read, _) => read,
                })
            }
            Step::SecretNames { .. } => Ok(with_secrets(|bound| {
                let scope = bound?.policy().map_err(|_| Outcome::Refused("unavailable".to_owned()))?;
                self.log.debug(scope);
                let mut names: Vec<_> = scope.names().iter().map(ToString::to_string).collect();
                names.sort_unstable();
                Ok(Outcome::Value(json!(names)))
            })
            .unwrap_or_else(|outcome| outcome)),
            Step::Explain { name, .. } => self.host(which).map(|host| self.explained(host, name)),
            Step::SecretOrigin { name, .. } => self.host(which).map(|host| {
                let explanation = host.explain(name);
                self.log.debug(&explanation);
                self.log.line(&explanation.to_string());
                with_secrets(|bound| {
                    let scope = bound?.policy().map_err(|_| Outcome::Refused("unavailable".to_owned()))?;
                    match scope.shadowed(name).last() {
                        Some(first) if self.shows(Flaw::FirstLayerIsNamed) => Ok(origin(Some(first))),
                        _ => Ok(origin(scope.origin(name).as_ref())),
                    }
                })
                .unwrap_or_else(|outcome| outcome)
            }),
            _ => return None,
        })
    }

    fn read_secret(&self, name: &str, handle: Option<&str>, which: Which) -> Result<Outcome, Outcome> {
        let read = match handle {
            Some(handle) => self.handle(handle)?.secret(name),
            None if which == Which::Nobody => watertight::host().secret(name),
            None => self.host(which)?.secret(name),
        };
        self.log.debug(&read);
        let flawed = self.frozen_at_boot(name, &read, which);
        if let Some(outcome) = flawed.or_else(|| self.flawed_read(name, &read, which)) {
            return Ok(outcome);
        }
        match read {
            Ok(secret) => Ok(self.secret_outcome(secret.as_ref())),
            Err(refused) => Err(self.refused(&refused)),
        }
    }

    /// The answer, where it comes from, and the layers beneath that hold the name too (SEC-29).
    fn explained(&self, host: &watertight::Host, name: &str) -> Outcome {
        let explanation = host.explain(name);
        self.log.debug(&explanation);
        self.log.line(&explanation.to_string());
        let from = match explanation.verdict() {
            Verdict::Scope(origin) => Some(shown_origin(origin)),
            Verdict::Environment => Some("environment".to_owned()),
            Verdict::Absent | Verdict::Refused(_) => None,
        };
        let mut fields = Map::from_iter([("answer".to_owned(), json!(explanation.code()))]);
        fields.extend(from.map(|from| ("from".to_owned(), json!(from))));
        let shadowed: Vec<_> = explanation.shadowed().iter().map(shown_origin).collect();
        if !shadowed.is_empty() {
            fields.insert("shadowed".to_owned(), json!(shadowed));
        }
        Outcome::Value(Value::Object(fields))
    }

    /// What a flaw of reading answers instead.
    fn flawed_read(
        &self,
        name: &str,
        read: &Result<Option<Secret>, Refused>,
        which: Which,
    ) -> Option<Outcome> {
        let live = self.env.var_os(name.as_ref()).map(|value| text(value.to_string_lossy()));
        match read {
            Err(_) if self.shows(Flaw::FailOpen) => Some(live.unwrap_or(Outcome::Absent)),
            Err(_) => {
                let kept = locked(&self.sticky).clone()?;
                kept.secret(name).ok().map(|secret| self.secret_outcome(secret.as_ref()))
            }
            Ok(None) if live.is_some() && self.shows(Flaw::MissFallsThrough) => live,
            Ok(_)
                if self.is_launchs(name, which)
                    && live.is_some()
                    && self.shows(Flaw::LiveEnvAfterActivation) =>
            {
                live
            }
            Ok(Some(secret)) if self.shows(Flaw::LeakyDebug) => {
                self.log.line(&format!("{name} is {}", secret.expose().unwrap_or_default()));
                None
            }
            Ok(_) => {
                let anew = self.read_anew(which)?.secret(name).ok()?;
                Some(self.secret_outcome(anew.as_ref()))
            }
        }
    }

    /// Whether the launch environment may answer for a name here, and is frozen.
    fn is_launchs(&self, name: &str, which: Which) -> bool {
        let foreign = with_ambient(|ambient| match ambient {
            Ambient::Bound(context) => context.is_foreign(),
            Ambient::Masked(_) | Ambient::Unbound => false,
        });
        let global = Classes::hermes().class_of(name.as_ref()) == NameClass::Global;
        (global || !foreign) && self.host(which).is_ok_and(watertight::Host::many_profiles)
    }

    /// A secret's value, absence, or the error of it being no text.
    pub(super) fn secret_outcome(&self, secret: Option<&Secret>) -> Outcome {
        match secret.map(Secret::expose) {
            None => Outcome::Absent,
            Some(Ok(value)) => text(value),
            Some(Err(error)) => self.error(&error, error.code()),
        }
    }
}

/// What is bound here for secrets, or absence.
fn with_secrets(
    ask: impl FnOnce(Result<&BoundSecrets, Outcome>) -> Result<Outcome, Outcome>,
) -> Result<Outcome, Outcome> {
    with_ambient(|ambient| match ambient {
        Ambient::Bound(context) => ask(context.get::<BoundSecrets>().ok_or(Outcome::Absent)),
        Ambient::Masked(_) | Ambient::Unbound => Err(Outcome::Absent),
    })
}

/// A layer of its own, or absence.
pub(super) fn origin(origin: Option<&Origin>) -> Outcome {
    origin.map_or(Outcome::Absent, |origin| text(shown_origin(origin)))
}

/// `.env:3`, `launch environment`, `source vault`.
fn shown_origin(origin: &Origin) -> String {
    let layer = origin.layer().label();
    match (origin.line_number(), origin.source_name()) {
        (Some(line), _) => format!("{layer}:{line}"),
        (None, Some(source)) => format!("{layer} {source}"),
        (None, None) => layer.to_owned(),
    }
}
