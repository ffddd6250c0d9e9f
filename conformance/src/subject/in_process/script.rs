use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use watertight::{ContextSource, Host, ProfileScope, ScopeError};
use watertight_context::Context;
use watertight_vocabulary::EnvSource;

use super::flaw::Flaw;
use super::lanes;
use super::world::{Which, World, locked, text};
use crate::case::{Outcome, Step};

impl World {
    /// Runs a whole script.
    pub(super) fn run(self: &Arc<Self>, script: &[Step]) {
        self.steps(script, Which::Own);
    }

    /// Runs steps in order, where it is called.
    pub(super) fn steps(self: &Arc<Self>, steps: &[Step], which: Which) {
        for step in steps {
            self.step(step, which);
        }
    }

    pub(super) fn step(self: &Arc<Self>, step: &Step, which: Which) {
        match step {
            Step::Scope { profile, handle, label, panics, body, .. } => {
                let scope = match handle {
                    Some(handle) => self.handle(handle),
                    None => self.scope_of(profile.as_deref(), which),
                };
                let place = profile.as_deref().or(handle.as_deref()).unwrap_or("launch");
                if let Some(scope) = self.entered(scope, label.as_deref(), place, "entered") {
                    self.enter(&scope, body, *panics, which);
                }
            }
            Step::LaunchScopeIfMany { label, body } => {
                self.launch_scope_if_many(label.as_deref(), body, which);
            }
            Step::Lane { kind, carry, body } => {
                let carry = *carry || (Context::current().is_some() && self.shows(Flaw::InheritOnSpawn));
                lanes::run(self, *kind, carry, body, which);
            }
            Step::Detached { body } => watertight::detached(|| self.steps(body, which)),
            Step::OtherHost { body } => {
                let other = if self.shows(Flaw::OneHostForAll) { Which::Own } else { Which::Other };
                self.steps(body, other);
            }
            Step::WithoutHost { body } => watertight::detached(|| self.steps(body, Which::Nobody)),
            Step::Bind { handle, profile, label, .. } => {
                let scope = self.scope_of(profile.as_deref(), which);
                if let Some(scope) = self.entered(scope, label.as_deref(), handle, "bound") {
                    self.keep(handle, scope);
                }
            }
            Step::Close { handle } => match self.handle(handle) {
                Ok(scope) => scope.close(),
                Err(outcome) => self.leave(&format!("close {handle}"), outcome),
            },
            Step::Refresh { handle, label } => {
                let refreshed = self.handle(handle).and_then(|scope| {
                    scope.refresh().map_err(|error| self.scope_error(&error))?;
                    Ok(scope)
                });
                self.entered(refreshed, label.as_deref(), handle, "refreshed");
            }
            Step::SetEnv { name, value } => self.env.set(name, value),
            Step::UnsetEnv { name } => self.env.remove(name),
            Step::WriteFile { .. } | Step::Remove { .. } | Step::Link { .. } | Step::Rename { .. } => {
                if let Err(error) = crate::layout::change(&self.root, step) {
                    self.leave("disk", Outcome::Error(error.kind().to_string()));
                }
            }
            Step::Capture {} => match self.host(which) {
                Ok(host) => self.capture(host),
                Err(outcome) => self.leave("capture", outcome),
            },
            leaf => {
                if let Some(label) = leaf.label() {
                    let outcome = self.leaf(leaf, which);
                    self.leave(label, outcome);
                }
            }
        }
    }

    fn scope_of(&self, profile: Option<&str>, which: Which) -> Result<ProfileScope, Outcome> {
        let host = self.host(which)?;
        let scope = match profile {
            Some(profile) => host.profile_scope(profile),
            None => host.launch_scope(),
        };
        match scope {
            Err(_) if self.shows(Flaw::LaunchFallback) => host.launch_scope(),
            scope => scope,
        }
        .map_err(|error| self.scope_error(&error))
    }

    fn scope_error(&self, error: &ScopeError) -> Outcome {
        self.error(error, error.code())
    }

    /// Leaves what came of a step that has a label; without one a failure is left under a name of its own,
    /// which no case expects.
    fn entered(
        &self,
        scope: Result<ProfileScope, Outcome>,
        label: Option<&str>,
        place: &str,
        done: &str,
    ) -> Option<ProfileScope> {
        match (scope, label) {
            (Ok(scope), label) => {
                if let Some(label) = label {
                    self.leave(label, text(done));
                }
                Some(scope)
            }
            (Err(outcome), Some(label)) => {
                self.leave(label, outcome);
                None
            }
            (Err(outcome), None) => {
                self.leave(&format!("scope of {place}"), outcome);
                None
            }
        }
    }

    fn enter(self: &Arc<Self>, scope: &ProfileScope, body: &[Step], panics: bool, which: Which) {
        self.log.debug(scope);
        self.derived_debug_of_a_context(scope);
        let entered = catch_unwind(AssertUnwindSafe(|| {
            scope.run(|| {
                self.log.debug(&scope.context());
                self.steps(body, which);
                if panics {
                    resume_unwind(Box::new(Scripted));
                }
            });
        }));
        if self.shows(Flaw::StickyScope) {
            *locked(&self.sticky) = Some(scope.clone());
        }
        if let Err(panic) = entered
            && !panic.is::<Scripted>()
        {
            resume_unwind(panic);
        }
    }

    fn capture(&self, host: &Host) {
        self.log.debug(&host.launch_environment().capture());
        if self.shows(Flaw::DerivedDebug) {
            self.log.line(&format!("{:?}", self.env.vars_os()));
        }
    }

    fn launch_scope_if_many(self: &Arc<Self>, label: Option<&str>, body: &[Step], which: Which) {
        if self.host(which).is_ok_and(|host| !host.many_profiles()) && self.shows(Flaw::LaunchAlwaysBound) {
            if let Some(scope) = self.entered(self.scope_of(None, which), label, "launch", "entered") {
                self.enter(&scope, body, false, which);
            }
            return;
        }
        let run = |host: &Host| {
            let body = || {
                if let Some(label) = label {
                    self.leave(label, text("entered"));
                }
                self.steps(body, which);
            };
            host.run_launch_if_many(body).map_err(|error| self.scope_error(&error))
        };
        if let Err(outcome) = self.host(which).and_then(run) {
            self.leave(label.unwrap_or("launch scope if many"), outcome);
        }
    }
}

/// The panic that a case asks for.
struct Scripted;
