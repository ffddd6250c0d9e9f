//! Every `explain` (SEC-29, TERM-10): how each name of a world is answered in each place of it, and why.

use std::collections::BTreeSet;
use std::fmt::Write;

use watertight::profile_discovery::Roster;
use watertight::{ContextSource, Host, ProfileScope, ScopeError};
use watertight_conformance::case::{Case, Step};
use watertight_conformance::subject::{Assignment, host_of};
use watertight_secret_scope::BoundSecrets;
use watertight_terminal_scope::{BoundTerminal, Explanation, Shown, TerminalPolicy};

/// What is explained of a case's world: with nothing bound and in each scope, and again once many profiles are
/// hosted.
pub(super) fn of(case: &Case) -> String {
    super::told(case, |assignment| match host_of(assignment).expect("a case that was checked") {
        Ok(host) => everywhere(&host, case, assignment),
        Err(error) => format!("no host: {error} [{}]\n", error.code()),
    })
}

fn everywhere(host: &Host, case: &Case, assignment: &Assignment) -> String {
    let asked = Asked::of(case, assignment);
    let mut text = asked.unbound("with nothing bound", host);
    text += &asked.within("in the launch scope", host.launch_scope());
    // A scope of another profile activates.
    let roster = host.tree().serving().ok();
    let residents = roster.iter().flat_map(Roster::residents);
    let launch = host.launch_name();
    let others =
        residents.map(|resident| resident.name().as_str()).filter(|name| launch.as_deref() != Some(name));
    for name in others {
        text += &asked.within(&format!("in the scope of {name}"), host.profile_scope(name));
    }
    if host.many_profiles() {
        text += &asked.within("in the launch scope, many profiles hosted", host.launch_scope());
        text += &asked.unbound("with nothing bound, many profiles hosted", host);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// The names that a world's environment holds and those that the case's script asks for.
struct Asked {
    secrets: BTreeSet<String>,
    settings: BTreeSet<String>,
}

impl Asked {
    fn of(case: &Case, assignment: &Assignment) -> Self {
        let mut asked = Self { secrets: BTreeSet::new(), settings: BTreeSet::new() };
        for step in case.steps() {
            match step {
                Step::ReadSecret { name, .. }
                | Step::SecretOrigin { name, .. }
                | Step::Explain { name, .. } => {
                    asked.secrets.insert(name.clone());
                }
                Step::ReadTerminal { name, .. } | Step::TerminalOrigin { name, .. } => {
                    asked.settings.insert(name.clone());
                }
                _ => {}
            }
        }
        // Every world has it, and it is the same everywhere.
        asked.secrets.extend(assignment.env.keys().filter(|name| *name != "HOME").cloned());
        asked
    }

    fn unbound(&self, place: &str, host: &Host) -> String {
        section(place, self.secrets.iter().map(|name| host.explain(name).to_string()))
    }

    fn within(&self, place: &str, scope: Result<ProfileScope, ScopeError>) -> String {
        let scope = match scope {
            Ok(scope) => scope,
            Err(error) => return section(place, [format!("there is none: {error} [{}]", error.code())]),
        };
        let context = scope.context();
        let held = context.get::<BoundSecrets>().and_then(|bound| bound.policy().ok());
        let mut names = self.secrets.clone();
        names.extend(held.iter().flat_map(|held| held.names()).map(ToString::to_string));
        let secrets = names.iter().map(|name| scope.explain(name).to_string());
        let settings = match context.get::<BoundTerminal>().map(BoundTerminal::policy) {
            Some(Ok(policy)) => self.settings.iter().map(|name| setting(policy, name)).collect(),
            Some(Err(refusal)) => vec![format!("every setting is refused: {refusal} [{}]", refusal.code())],
            None => Vec::new(),
        };
        section(place, secrets.chain(settings))
    }
}

fn section(place: &str, lines: impl IntoIterator<Item = String>) -> String {
    let mut text = format!("{place}\n");
    for line in lines {
        let _ = writeln!(text, "  {}", line.replace('\n', "\n  "));
    }
    text + "\n"
}

/// One line for a setting's value, as far as it is shown, and where it comes from; one for each layer beneath.
fn setting(policy: &TerminalPolicy, name: &str) -> String {
    let Explanation { value, origin, shadowed, problem, .. } = policy.explain(name);
    let mut text = match value {
        Shown::Value(value) => format!("{name}: {value}"),
        Shown::Default => format!("{name}: its default"),
        Shown::Set => format!("{name}: a value"),
        Shown::Unreadable => format!("{name}: a value that cannot be read"),
        Shown::Absent => format!("{name}: absent"),
    };
    text.extend(origin.map(|origin| format!(", from {origin}")));
    text.extend(problem.map(|problem| format!(", with a problem [{problem}]")));
    text.extend(shadowed.iter().map(|origin| format!("\n  shadows {origin}")));
    text
}

macro_rules! areas {
    ($($test:ident $area:literal)*) => {$(
        #[test]
        fn $test() {
            insta::assert_snapshot!(concat!("explained-", $area), super::worlds($area, of));
        }
    )*};
}

areas! {
    sec_29_the_explanations_of_the_environments "env-snapshot"
    sec_29_the_explanations_of_the_secrets "secret-scope"
    sec_29_the_explanations_of_the_launches "launch-policy"
    sec_29_the_explanations_of_the_contexts "context"
    sec_29_the_explanations_of_the_profile_files "profile-files"
    sec_29_the_explanations_of_the_profile_trees "profile-tree"
    sec_29_the_explanations_of_the_terminals "terminal-scope"
    sec_29_the_explanations_of_the_identities "runner-identity"
}
