use std::fs;

use watertight::Host;
use watertight_vocabulary::{EnvSource, Refused, Secret};

use super::flaw::Flaw;
use super::world::{Which, World, shown, text};
use crate::case::{Outcome, Step};

impl World {
    /// What a flaw answers that has none of the rules of hosts and activation for a step (CONF-14).
    pub(super) fn naive_host_leaf(&self, step: &Step, which: Which) -> Option<Result<Outcome, Outcome>> {
        let host = self.host(which).ok()?;
        let answer = match step {
            Step::Home { .. } if self.shows(Flaw::HomeIsTheLaunchHome) => {
                text(shown(host.launch_home().path()))
            }
            Step::ActiveProfile { .. } if self.shows(Flaw::TrustedActiveFile) => {
                let file = fs::read(host.tree().root().path().join("active_profile")).unwrap_or_default();
                text(String::from_utf8_lossy(&file).trim())
            }
            Step::ActivateEagerly { .. } if !host.many_profiles() => text(self.naive_decision(host)?),
            _ => return None,
        };
        Some(Ok(answer))
    }

    fn naive_decision(&self, host: &Host) -> Option<&'static str> {
        if host.tree().tenants(host.launch_home()).is_err() && self.shows(Flaw::FailedCountMeansOne) {
            return Some("single-profile");
        }
        let config = fs::read_to_string(host.launch_home().path().join("config.yaml")).ok()?;
        let (_, switch) = config.split_once("multiplex_profiles:")?;
        if !self.shows(Flaw::SwitchDecides) {
            return None;
        }
        if switch.trim_start().starts_with("true") {
            host.activate();
            Some("activated")
        } else {
            Some("single-profile")
        }
    }

    /// What the environment held when the hosts were built, where it is what answers a read and has changed since.
    pub(super) fn frozen_at_boot(
        &self,
        name: &str,
        read: &Result<Option<Secret>, Refused>,
        which: Which,
    ) -> Option<Outcome> {
        let (then, now) = (self.boot.get(name), self.env.var_os(name.as_ref()));
        let is_answer = match read {
            Ok(Some(secret)) => now.as_deref() == secret.expose().ok().map(AsRef::as_ref),
            Ok(None) => now.is_none(),
            Err(_) => false,
        };
        let is_live = is_answer && self.host(which).is_ok_and(|host| !host.many_profiles());
        if !is_live || then.map(AsRef::as_ref) == now.as_deref() || !self.shows(Flaw::FrozenAtBoot) {
            return None;
        }
        Some(then.map_or(Outcome::Absent, |value| text(value.as_str())))
    }
}
