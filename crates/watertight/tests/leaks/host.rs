//! The host's own types, over a tree of broken files.

use std::fs;
use std::future::ready;
use std::sync::Arc;

use watertight::{Activation, Host, ProfileScope, Report, ScopeError};
use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_env_snapshot::ChildSpec;
use watertight_secret_scope::SecretSource;

use crate::secret_scope::Careless;
use crate::texts::{CANARY, Silent, Texts, show};
use crate::tree::Tree;

/// What can hold no value.
pub(crate) const PLAIN: &[(&str, &str)] = &[("AlreadyInstalled", "unit")];

pub(crate) fn show_all(texts: &mut Texts) {
    let tree = Tree::new();
    let mut builder = tree.builder().source(Careless(CANARY));
    for source in crate::secret_scope::sources(&Arc::default()) {
        builder = builder.source(Forwarding(source));
    }
    show!(texts, builder);
    let host = builder.build().unwrap();
    show!(texts, host, watertight::host());
    show_report(texts, &host.report());
    show!(texts, host.activate_eagerly());
    show_report(texts, &host.report());
    show!(texts, host.activate_eagerly(), host.in_launch_if_many(ready(CANARY)));
    let mut scopes = vec![host.launch_scope().unwrap()];
    for home in tree.homes().iter().skip(1) {
        let name = home.path().file_name().unwrap().to_str().unwrap();
        match host.profile_scope(name) {
            Ok(scope) => scopes.push(scope),
            Err(error) => show!(texts, error),
        }
    }
    assert!(scopes.len() > 20, "most profiles can be bound, as refusals at least");
    for scope in &scopes {
        show_scope(texts, &host, scope);
        scope.run(|| show!(texts, watertight::host()));
    }
    failures(texts, &tree, &host);
    uncounted(texts);
}

/// A host that cannot tell whether one of the folders is a tenant.
fn uncounted(texts: &mut Texts) {
    let tree = Tree::new();
    for operation in [Operation::SymlinkMetadata, Operation::ReadDir] {
        let suffix = if operation == Operation::ReadDir { "profiles" } else { "coder/config.yaml" };
        let disk = Scripted::failing(Arc::new(RealFileSystem), operation, suffix, 5);
        let host = tree.builder().disk(Arc::new(disk)).build().unwrap();
        show_report(texts, &host.report());
        let activation = host.activate_eagerly();
        assert!(
            matches!(activation, Activation::CountingFailed { .. }),
            "nothing hid a tenant: {activation}"
        );
        show!(texts, activation);
    }
}

fn show_scope(texts: &mut Texts, host: &Host, scope: &ProfileScope) {
    show!(texts, *scope);
    for name in ["MODEL_KEY", "VAULT_KEY", "FAILING_KEY", "PANIC_KEY", "PATH", "TERMINAL_CWD"] {
        show!(texts, scope.explain(name));
        let _ = scope.secret(name).map(|value| show!(texts, value)).map_err(|refused| show!(texts, refused));
        let _ = scope.terminal(name).map(|value| show!(texts, value)).map_err(|error| show!(texts, error));
    }
    let specs = [
        ChildSpec::new().pass(["MODEL_KEY"]),
        ChildSpec::new().pass(["NUL", "MODEL_KEY"]),
        ChildSpec::new().pass(["MODEL_KEY"]).with_terminal(),
        ChildSpec::new().set("KEY", CANARY.repeat(6_000)),
    ];
    for spec in specs {
        let child = scope.child_env(&spec);
        let _ = child.map(|child| show!(texts, child)).map_err(|error| show!(texts, error));
    }
    scope.run(|| {
        let name = scope.name().filter(|name| name != "coder");
        let switched = name.and_then(|_| host.launch_scope().err());
        switched.map(|error| show!(texts, error))
    });
}

fn show_report(texts: &mut Texts, report: &Report) {
    show!(texts, *report, report.activation);
    report.tenants.iter().for_each(|tenant| show!(texts, *tenant));
    report.not_served.iter().for_each(|not_served| show!(texts, *not_served));
    report.sources.iter().for_each(|source| show!(texts, *source));
    for profile in &report.profiles {
        show!(texts, *profile, profile.secrets, profile.terminal);
        if let watertight::Reported::Entries(secrets) = &profile.secrets {
            for secret in secrets {
                show!(texts, *secret);
            }
        }
    }
}

fn failures(texts: &mut Texts, tree: &Tree, host: &Host) {
    let scope = host.profile_scope("coder").unwrap();
    fs::rename(tree.path("root/profiles/coder"), tree.path("root/profiles/moved")).unwrap();
    show!(texts, scope.refresh().unwrap_err(), scope);
    show!(texts, host.profile_scope("coder").unwrap_err(), host.profile_scope("No Name").unwrap_err());
    for value in [CANARY.to_owned(), format!("{CANARY}+$"), format!("*{CANARY}")] {
        show!(texts, tree.builder().share([format!("KEY={value}")]).build().unwrap_err());
    }
    show!(texts, tree.builder().launch_home(tree.path("root/.env/below")).build().unwrap_err());
    show!(texts, ScopeError::WouldSwitchProfile, ScopeError::Abandoned);
    tree.env.set("HERMES_HOME", format!("~{CANARY}"));
    show!(texts, tree.builder().build().unwrap_err());
}

/// A source behind an `Arc`.
#[derive(Debug)]
pub(crate) struct Forwarding(pub(crate) Arc<dyn SecretSource>);

impl SecretSource for Forwarding {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn declares(&self) -> &[watertight_vocabulary::Name] {
        self.0.declares()
    }

    fn fetch(
        &self,
        request: &watertight_secret_scope::SourceRequest<'_>,
    ) -> Result<
        Vec<(watertight_vocabulary::Name, watertight_vocabulary::Secret)>,
        watertight_secret_scope::SourceError,
    > {
        self.0.fetch(request)
    }
}
