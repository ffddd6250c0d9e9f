use std::fs;
use std::os::unix::fs::symlink;

use watertight::Report;

use crate::world::{World, entries, picture};

/// A tree with every kind of thing in it that a person would want explained.
fn told() -> World {
    let world = World::new();
    world.write(".env", "MODEL_KEY=canary-root\nBOTH=canary-file\n");
    world.write("config.yaml", "terminal: {backend: local, timeout: 60}\n");
    world.set("BOTH", "canary-unit").set("UNIT_KEY", "canary-unit").set("TERMINAL_SSH_HOST", "canary-host");
    world.write(
        "profiles/coder/.env",
        "MODEL_KEY=canary-coder\nMODEL_KEY=canary-again\nHERMES_HOME=/elsewhere\nTERMINAL_TIMEOUT=20\nnot an assignment\n",
    );
    world.write(
        "profiles/coder/config.yaml",
        "terminal:\n  backend: docker\n  docker_image: canary-image\n  timeout: 90\n  typo: 1\n",
    );
    world.write("profiles/work/.env", "WORK_KEY=canary-work\n").write("profiles/work/gateway.parked", "");
    world.write("profiles/gone/.env", "GONE=canary-gone\n").write("profiles/.deleted/gone", "");
    world.write("profiles/empty/.env", "");
    world.write("profiles/broken/config.yaml", "terminal: {backend: docker\n");
    fs::create_dir_all(world.path("elsewhere")).unwrap();
    world.write("elsewhere/.env", "LINKED_KEY=canary-linked\n");
    symlink(world.path("elsewhere"), world.path("profiles/linked")).unwrap();
    symlink("coder", world.path("profiles/nick")).unwrap();
    world
}

fn shown(world: &World, text: &str) -> String {
    text.replace(world.root().to_str().unwrap(), "[ROOT]")
        .replace(world.root().parent().unwrap().join("user").to_str().unwrap(), "[USER]")
}

#[test]
fn host_40_the_report_says_what_would_be_served_and_why() {
    let world = told();
    let report = world.host().report();
    insta::assert_snapshot!("report_text", shown(&world, &report.to_string()));
    let json = serde_json::to_string_pretty(&report).unwrap();
    insta::assert_snapshot!("report_json", shown(&world, &json));
}

#[test]
fn host_40_it_holds_no_value_changes_nothing_and_is_the_same_twice() {
    let world = told();
    let (tree, environment) = (picture(&world.root()), entries(&*world.env));
    let host = world.host();
    let texts = |report: &Report| {
        [
            report.to_string(),
            format!("{report:?}"),
            format!("{report:#?}"),
            serde_json::to_string(report).unwrap(),
        ]
    };
    let report = texts(&host.report());
    assert_eq!(report, texts(&host.report()), "the same host says the same");
    let other = world.host();
    drop(other.profile_scope("coder"));
    assert_eq!(other.report().all_problems().count(), host.report().all_problems().count());
    for text in &report {
        assert!(!text.contains("canary"), "a value is shown: {text}");
    }
    assert!(!host.many_profiles(), "a report activates nothing");
    assert!(host.launch_environment().frozen().is_none());
    assert_eq!(picture(&world.root()), tree);
    assert_eq!(entries(&*world.env), environment);
}

#[test]
fn host_40_making_it_starts_no_source() {
    use watertight::secret_scope::{SecretSource, SourceError, SourceRequest};
    use watertight::vocabulary::{Name, Secret};

    #[derive(Debug)]
    struct Vault(Vec<Name>);

    impl SecretSource for Vault {
        fn name(&self) -> &'static str {
            "vault"
        }

        fn declares(&self) -> &[Name] {
            &self.0
        }

        fn fetch(&self, _: &SourceRequest<'_>) -> Result<Vec<(Name, Secret)>, SourceError> {
            panic!("a report asked a source")
        }
    }

    let world = World::with_coder();
    let declared = ["VAULT_KEY", "CODER_KEY"].map(Name::from).to_vec();
    let host = world.builder().source(Vault(declared)).build().unwrap();
    let text = host.report().to_string();
    insta::assert_snapshot!("report_with_a_source", shown(&world, &text));
}

#[test]
fn snap_01_the_report_says_that_the_environment_was_captured_by_hand() {
    let world = World::new();
    let host = world.host();
    assert!(!host.report().captured_early);
    host.launch_environment().capture();
    assert!(host.report().captured_early);
    assert!(host.report().to_string().contains("captured by hand"));
    host.activate();
    assert!(host.report().captured_early, "activation took what was captured by hand");
    let other = world.host();
    other.activate();
    assert!(!other.report().captured_early);
}

#[test]
fn host_40_a_tree_that_cannot_be_listed_is_reported_and_not_hidden() {
    let world = World::new();
    symlink("nowhere", world.path("profiles")).unwrap();
    let report = world.host().report();
    assert!(report.is_objectionable());
    assert_eq!(report.activation.code(), "counting-failed");
    assert!(report.profiles.iter().any(|profile| profile.launch), "the launch home is reported all the same");
    assert!(!World::new().host().report().is_objectionable());
}
