//! Layers: which wins, what enters none, and an order that no caller can get wrong.

use proptest::prelude::*;
use watertight_env_snapshot::MapEnv;
use watertight_profile_home::{Managed, parse_dotenv};
use watertight_secret_scope::{SecretScope, SecretScopeBuilder, SharedNames, read};
use watertight_vocabulary::{
    CaseRule, Classes, ControlPlane, Diagnostic, HermesClasses, Layer, Name, Severity,
};

use crate::source::Broken;
use crate::world::{World, files_of, home, policy, scope_of, text};

fn value(scope: &SecretScope, name: &str) -> Option<String> {
    text(scope.get(name).expect("it is not refused")).map(str::to_owned)
}

fn layer(scope: &SecretScope, name: &str) -> Option<Layer> {
    scope.origin(name).map(|origin| origin.layer())
}

fn managed(text: &str) -> Managed {
    Managed::Present(parse_dotenv(text.as_bytes()).expect("it can be read").into())
}

fn shared(names: &[&str]) -> SharedNames {
    SharedNames::of(names.iter().copied(), &ControlPlane::new(), CaseRule::Sensitive).expect("exact names")
}

#[test]
fn sec_20_later_layers_win() {
    let home = World::new(&[]).launch_home();
    let environment =
        MapEnv::from([("A", "canary-env"), ("B", "canary-env"), ("C", "canary-env"), ("D", "canary-env")]);
    let files = files_of(&home, "B=canary-file\nC=canary-file\nD=canary-file\n");
    let source = Broken::declaring(["C", "D"]);
    source.mend();
    let managed = managed("D=canary-managed\n");
    let builder = SecretScope::builder(&home).files(&files).launch_environment(&environment);
    let scope = policy(&builder.source(&source).managed(&managed).build());
    assert_eq!(value(&scope, "A").as_deref(), Some("canary-env"));
    assert_eq!(value(&scope, "B").as_deref(), Some("canary-file"));
    assert_eq!(value(&scope, "C").as_deref(), Some("canary-vault-launch-C-1"));
    assert_eq!(value(&scope, "D").as_deref(), Some("canary-managed"));
    let beneath: Vec<_> = scope.shadowed("D").iter().map(watertight_vocabulary::Origin::layer).collect();
    assert_eq!(beneath, [Layer::Source, Layer::Dotenv, Layer::LaunchEnvironment], "the next one first");
}

/// The steps of a builder, by number, in whatever order.
struct Steps {
    environment: MapEnv,
    files: watertight_profile_home::MemoryFiles,
    source: Broken,
    managed: Managed,
    shared: SharedNames,
}

impl Steps {
    fn take<'a>(&'a self, builder: SecretScopeBuilder<'a>, step: usize) -> SecretScopeBuilder<'a> {
        match step {
            0 => builder.files(&self.files),
            1 => builder.launch_environment(&self.environment),
            2 => builder.source(&self.source),
            3 => builder.managed(&self.managed),
            4 => builder.shared(&self.shared, &self.environment),
            _ => builder.classes(Classes::hermes()),
        }
    }
}

#[test]
fn sec_20_the_order_of_a_builder_s_steps_decides_nothing() {
    let home = World::new(&[]).launch_home();
    let steps = Steps {
        environment: MapEnv::from([("A", "canary-env"), ("B", "canary-env"), ("S", "canary-env")]),
        files: files_of(&home, "A=canary-file\nB=canary-file\nF=canary-file\n"),
        source: Broken::declaring(["B"]),
        managed: managed("F=canary-managed\n"),
        shared: shared(&["S", "A"]),
    };
    let describe = |order: &[usize]| {
        let take = |builder, step: &usize| steps.take(builder, *step);
        let bound = order.iter().fold(SecretScope::builder(&home), take).build();
        let scope = policy(&bound);
        ["A", "B", "F", "S"].map(|name| scope.explain(name).to_string()).join("\n")
    };
    let wanted = describe(&[0, 1, 2, 3, 4, 5]);
    let mut orders = vec![vec![]];
    for step in 0..6 {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, step);
                    longer
                })
            })
            .collect();
    }
    assert_eq!(orders.len(), 720, "every order of six steps");
    for order in orders {
        assert_eq!(describe(&order), wanted, "{order:?}");
    }
    insta::assert_snapshot!(wanted);
}

#[test]
fn sec_21_a_secondary_profile_sees_its_own_file_alone() {
    let world = World::activated(&[("MODEL_KEY", "canary-launch"), ("ROOT_KEY", "canary-launch")]);
    let a = world.profile_context("a", "MODEL_KEY=canary-a\n");
    let b = world.profile_context("b", "OTHER=canary-b\n");
    assert_eq!(
        a.run(|| text(read(&world, "MODEL_KEY").expect("a").as_ref()).map(str::to_owned)).as_deref(),
        Some("canary-a")
    );
    for name in ["MODEL_KEY", "ROOT_KEY"] {
        assert!(b.run(|| read(&world, name)).expect("absent is no refusal").is_none(), "{name}");
    }
    assert!(a.run(|| read(&world, "ROOT_KEY")).expect("absent").is_none());
}

#[test]
fn sec_21_no_dotenv_is_an_empty_scope_and_not_no_scope() {
    let world = World::activated(&[("MODEL_KEY", "canary-launch")]);
    let home = home("coder");
    let files = watertight_profile_home::MemoryFiles::new();
    let task = world.foreign("coder", SecretScope::builder(&home).files(&files).build());
    assert!(task.run(|| read(&world, "MODEL_KEY")).expect("absent, not refused").is_none());
}

#[test]
fn sec_20_the_launch_environment_brings_in_secrets_alone() {
    let home = World::new(&[]).launch_home();
    let environment = MapEnv::from([
        ("PROVIDER_KEY", "canary-1"),
        ("LANG", "C"),
        ("TERMINAL_SSH_KEY", "canary-2"),
        ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "canary-3"),
        ("API_SERVER_KEY", "canary-4"),
        ("API_SERVER_PORT", "9444"),
        ("HERMES_TELEGRAM_TOKEN", "canary-5"),
        ("HERMES_TELEGRAM_MODE", "poll"),
        ("=C:", "odd"),
    ]);
    let scope = policy(&SecretScope::builder(&home).launch_environment(&environment).build());
    assert_eq!(
        scope.names(),
        ["API_SERVER_KEY", "HERMES_TELEGRAM_TOKEN", "PROVIDER_KEY"]
            .map(Name::from)
            .iter()
            .collect::<Vec<_>>()
    );
}

#[test]
fn sec_26_what_may_not_enter_is_reported_as_a_note_with_its_place() {
    let dotenv = "KEY=canary-1\nPATH=canary-2\nTERMINAL_CWD=canary-3\n\
                  OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN=canary-4\nENV=canary-5\nLD_PRELOAD=canary-6\n";
    let scope = scope_of("coder", dotenv);
    let expected_names = ["ENV", "KEY", "LD_PRELOAD"].map(Name::from);
    assert_eq!(
        scope.names(),
        expected_names.iter().collect::<Vec<_>>(),
        "a loader hook is an ordinary name here"
    );
    let notes: Vec<_> = scope.diagnostics().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"));
    assert!(scope.diagnostics().iter().all(|note| note.severity() == Severity::Note));
}

#[test]
fn sec_26_no_layer_lets_in_what_is_no_secret() {
    let home = World::new(&[]).launch_home();
    let banned = ["PATH", "TERMINAL_CWD", "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN"];
    let environment: MapEnv = banned.iter().map(|name| (*name, "canary-env")).collect();
    let text = banned.map(|name| format!("{name}=canary-file\n")).concat();
    let source = Broken::declaring(banned);
    source.mend();
    let (files, managed) = (files_of(&home, &text), managed(&text));
    let shared = shared(&["PATH", "TERMINAL_CWD"]);
    let builder = SecretScope::builder(&home).files(&files).launch_environment(&environment).source(&source);
    let scope = policy(&builder.managed(&managed).shared(&shared, &environment).build());
    assert!(scope.names().is_empty());
    // Each layer that had one says so: the environment, the file, the source, the managed file, the list.
    for (name, layers) in [("PATH", 5), ("TERMINAL_CWD", 5), ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", 4)] {
        let reported = scope.diagnostics().iter().filter(|note| note.subject() == Some(name)).count();
        assert_eq!(reported, layers, "{name}");
    }
}

#[test]
fn sec_15_a_value_of_the_launch_environment_that_is_not_unicode_is_kept_and_says_so() {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let environment = MapEnv::new();
        environment.set("TOKEN", std::ffi::OsStr::from_bytes(b"canary\xe9"));
        let home = World::new(&[]).launch_home();
        let scope = policy(&SecretScope::builder(&home).launch_environment(&environment).build());
        let secret = scope.get("TOKEN").expect("not refused").expect("it is there, not absent");
        assert_eq!(secret.expose_bytes(), b"canary\xe9");
        let error = secret.expose().expect_err("it is no text");
        assert_eq!(error.name().as_str(), Some("TOKEN"));
        assert!(!format!("{error} {error:?}").contains("canary"));

        let world = World::new(&[]);
        world.live.set("TOKEN", std::ffi::OsStr::from_bytes(b"canary\xe9"));
        let live = read(&world, "TOKEN").expect("one profile").expect("it is there, not absent");
        assert_eq!(live.expose().expect_err("it is no text").name().as_str(), Some("TOKEN"));
    }
}

#[test]
fn of_a_name_that_an_environment_lists_twice_the_first_counts() {
    let environment: MapEnv = [("KEY", "canary-1"), ("KEY", "canary-2")].into_iter().collect();
    let home = World::new(&[]).launch_home();
    let scope = policy(&SecretScope::builder(&home).launch_environment(&environment).build());
    assert_eq!(value(&scope, "KEY").as_deref(), Some("canary-1"));
    assert!(scope.shadowed("KEY").is_empty());
}

#[test]
fn what_the_files_reader_reports_is_the_scopes_to_show() {
    let home = World::new(&[]).launch_home();
    let environment = MapEnv::from([("TOKEN", "canary-real")]);
    let files = files_of(&home, "TOKEN=***\n");
    let scope = policy(&SecretScope::builder(&home).files(&files).launch_environment(&environment).build());
    assert_eq!(value(&scope, "TOKEN").as_deref(), Some("***"));
    let warned: Vec<_> = scope.diagnostics().iter().filter_map(Diagnostic::subject).collect();
    assert_eq!(warned, ["TOKEN"]);
}

#[test]
fn snap_08_where_case_does_not_matter_a_name_is_found_under_any_spelling_and_stands_once() {
    let classes = Classes::new(
        std::sync::Arc::new(HermesClasses::default()),
        ControlPlane::new(),
        CaseRule::AsciiInsensitive,
    );
    let home = World::new(&[]).launch_home();
    let environment: MapEnv = [("Model_Key", "canary-env"), ("Path", "C:\\")].into_iter().collect();
    let files = files_of(
        &home,
        "MODEL_KEY=canary-file\npath=canary-path\nomnigent_runner_initial_auth_token=canary-t\n",
    );
    let builder = SecretScope::builder(&home).classes(classes).files(&files).launch_environment(&environment);
    let scope = policy(&builder.build());
    for spelling in ["MODEL_KEY", "model_key", "Model_Key"] {
        assert_eq!(value(&scope, spelling).as_deref(), Some("canary-file"), "{spelling}");
        assert_eq!(scope.shadowed(spelling).len(), 1);
    }
    assert_eq!(scope.names().len(), 1);
    // `ſ` folds to `s` in Unicode and not here.
    assert_eq!(value(&scope, "MODEL_KEY\u{17f}"), None);
}

proptest! {
    #[test]
    fn sec_20_what_is_read_is_what_the_topmost_layer_says(
        layers in prop::collection::vec(prop::collection::vec((0..12_usize, "[a-z]{1,6}"), 0..8), 4)
    ) {
        let names: Vec<_> = (0..12).map(|number| format!("NAME_{number}")).collect();
        let lines = |layer: &[(usize, String)]| {
            let line = |(name, value): &(usize, String)| format!("{}=canary-{value}\n", names[*name]);
            layer.iter().map(line).collect::<Vec<_>>().concat()
        };
        let [environment, file, source, top] = layers.as_slice() else { unreachable!() };
        let home = World::new(&[]).launch_home();
        // Of several values in one environment the first counts, in a file and a source the last.
        let env: MapEnv = environment.iter().map(|(n, v)| (names[*n].clone(), format!("canary-{v}"))).collect();
        let files = files_of(&home, &lines(file));
        let given: Vec<_> = source
            .iter()
            .map(|(n, v)| (Name::from(names[*n].as_str()), watertight_vocabulary::Secret::from(format!("canary-{v}"))))
            .collect();
        let given = crate::source::scripted([], move |_| Ok(given.clone()));
        let managed = managed(&lines(top));
        let builder = SecretScope::builder(&home).files(&files).launch_environment(&env).source(&*given);
        let scope = policy(&builder.managed(&managed).build());
        for (number, name) in names.iter().enumerate() {
            let last = |layer: &[(usize, String)]| layer.iter().rev().find(|(n, _)| *n == number).map(|(_, v)| v.clone());
            let first = environment.iter().find(|(n, _)| *n == number).map(|(_, v)| v.clone());
            let stack = [(Layer::Managed, last(top)), (Layer::Source, last(source)), (Layer::Dotenv, last(file)), (Layer::LaunchEnvironment, first)];
            let holding: Vec<_> = stack.iter().filter(|(_, value)| value.is_some()).collect();
            let wanted = holding.first().map(|(_, value)| format!("canary-{}", value.as_deref().unwrap_or_default()));
            prop_assert_eq!(value(&scope, name), wanted);
            prop_assert_eq!(layer(&scope, name), holding.first().map(|(layer, _)| *layer));
            let beneath: Vec<_> = scope.shadowed(name).iter().map(watertight_vocabulary::Origin::layer).collect();
            let expected: Vec<_> = holding.iter().skip(1).map(|(layer, _)| *layer).collect();
            prop_assert_eq!(beneath, expected);
        }
    }
}
