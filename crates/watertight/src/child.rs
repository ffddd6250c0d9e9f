//! The environment of a child, built for whatever is bound (HOST-31).

use watertight_context::{Ambient, with_ambient};
use watertight_env_snapshot::{ChildEnv, ChildEnvError, ChildParts, ChildSpec};
use watertight_runner_identity::RunnerId;
use watertight_secret_scope::BoundSecrets;
use watertight_terminal_scope::BoundTerminal;
use watertight_vocabulary::{Name, Refused, RefusedReason};

use crate::Host;

impl Host {
    /// Builds a child's environment for whatever is bound here (SNAP-21 to SNAP-27, RUN-30, RUN-34).
    ///
    /// # Errors
    ///
    /// [`ChildEnvError`]: where a read would be refused, that same refusal (SNAP-27); what cannot be passed
    /// to a child, by its name (SNAP-25).
    pub fn child_env(&self, spec: &ChildSpec) -> Result<ChildEnv, ChildEnvError> {
        loop {
            let many = self.many_profiles();
            let built = self.child_env_now(spec);
            // What was built from the live environment does not outlive the single profile (SNAP-03).
            if self.many_profiles() == many {
                return built;
            }
        }
    }

    fn child_env_now(&self, spec: &ChildSpec) -> Result<ChildEnv, ChildEnvError> {
        let inner = self.inner();
        let home = self.home()?;
        let base = inner.environment_now();
        let parts = ChildParts {
            platform: inner.platform(),
            base: &*base,
            control_plane: inner.classes.control_plane(),
            allowed: self.reads_are_allowed(),
            answer: &mut |name| watertight_secret_scope::read(self.hosting(), name),
            scope_names: scope_names(),
            terminal: &mut || self.terminal_reader(|reader| reader.child_entries()),
            home_variable: inner.layout.home_variable.as_os_str(),
            home: home.path(),
            profile_name_variables: &inner.layout.profile_name_variables,
            own_runner_id: inner.runner_id.as_ref().map(RunnerId::as_str),
            total_limit: inner.child_limit,
        };
        ChildEnv::build(spec, parts)
    }

    /// Whether SEC and TERM answer at all for what is bound here (SNAP-27). [`Host::home`] was asked before,
    /// so nothing is closed, no frame is another host's, and where nothing is bound one profile is hosted.
    fn reads_are_allowed(&self) -> Result<(), Refused> {
        let refused = |reason| Err(Refused::nameless(reason));
        with_ambient(|ambient| {
            let Ambient::Bound(context) = ambient else { return Ok(()) };
            let secrets = context.get::<BoundSecrets>().map(BoundSecrets::refusal);
            let terminal = context.get::<BoundTerminal>().map(BoundTerminal::refusal);
            match (secrets, terminal) {
                (Some(Some(refusal)), _) | (_, Some(Some(refusal))) => {
                    refused(RefusedReason::Unavailable(refusal.clone()))
                }
                (Some(None), Some(None)) => Ok(()),
                _ if self.many_profiles() => refused(RefusedReason::Unscoped),
                // Somebody else's context, which binds nothing of a host.
                (None, None) if context.home().is_none() && !context.is_foreign() => Ok(()),
                // A home without its secrets or its policy: the tables have nobody to ask.
                _ if !self.is_own(context) => refused(RefusedReason::Unscoped),
                _ => Ok(()),
            }
        })
    }
}

/// The names of the bound scope, for a pass-through by prefix. Those that a failed source withholds are
/// among them: asking for one is a refusal and not absence (SEC-24).
fn scope_names() -> Vec<Name> {
    with_ambient(|ambient| {
        let Ambient::Bound(context) = ambient else { return Vec::new() };
        match context.get::<BoundSecrets>().map(BoundSecrets::policy) {
            Some(Ok(scope)) => scope.names().into_iter().chain(scope.withheld()).cloned().collect(),
            _ => Vec::new(),
        }
    })
}
