//! The environment of a child, built for whatever is bound (HOST-31).

use watertight_context::{Ambient, with_ambient};
use watertight_env_snapshot::{ChildEnv, ChildEnvError, ChildParts, ChildSpec};
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
            allowed: reads_are_allowed(),
            answer: &mut |name| match name.to_str() {
                Some(name) => self.secret(name),
                // No scope holds such a name, and no global one is spelled like it.
                None => Ok(None),
            },
            scope_names: scope_names(),
            terminal: &mut || self.terminal_reader(|reader| reader.child_entries()),
            home_variable: inner.layout.home_variable.as_os_str(),
            home: home.path(),
            profile_name_variables: &inner.layout.profile_name_variables,
            own_runner_id: None,
            total_limit: inner.child_limit,
        };
        ChildEnv::build(spec, parts)
    }
}

/// Whether SEC and TERM answer at all for what is bound here (SNAP-27). [`Host::home`] has answered
/// before, so nobody is unscoped, nothing is closed, and no frame is another host's.
fn reads_are_allowed() -> Result<(), Refused> {
    with_ambient(|ambient| {
        let Ambient::Bound(context) = ambient else { return Ok(()) };
        let secrets = context.get::<BoundSecrets>().and_then(BoundSecrets::refusal);
        let terminal = context.get::<BoundTerminal>().and_then(BoundTerminal::refusal);
        match secrets.or(terminal) {
            Some(refusal) => Err(Refused::nameless(RefusedReason::Unavailable(refusal.clone()))),
            None => Ok(()),
        }
    })
}

/// The names of the bound scope, for a pass-through by prefix.
fn scope_names() -> Vec<Name> {
    with_ambient(|ambient| {
        let Ambient::Bound(context) = ambient else { return Vec::new() };
        match context.get::<BoundSecrets>().map(BoundSecrets::policy) {
            Some(Ok(scope)) => scope.names().into_iter().cloned().collect(),
            _ => Vec::new(),
        }
    })
}
