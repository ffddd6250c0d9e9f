//! Which layer wins, key by key (TERM-01 to TERM-04).

use watertight_env_snapshot::MapEnv;
use watertight_profile_home::Managed;
use watertight_terminal_scope::{SchemaKey, TerminalPolicy, TerminalSchema, ValueType};
use watertight_vocabulary::{
    CaseRule, Classes, ControlPlane, HermesClasses, Layer, NameClass, NameClasses, Origin, Refusal,
};

use crate::support::{Profile, USER_HOME, managed, policy, problems, text};

/// A value of a key that differs by layer, as `.env` text, as YAML, and as both arrive.
fn sample(key: &SchemaKey, layer: u8) -> (String, String, String) {
    let same = |text: String| (text.clone(), text.clone(), text);
    match (key.key(), key.value_type()) {
        ("backend", _) => same(["docker", "ssh", "modal", "daytona"][usize::from(layer)].to_owned()),
        (_, ValueType::Text) => same(format!("canary-{layer}")),
        (_, ValueType::Path) => same(format!("/canary/{layer}")),
        (_, ValueType::Integer) => same(format!("70{layer}")),
        (_, ValueType::Number) => same(format!("7.{}", layer + 1)),
        (_, ValueType::Boolean) => {
            let word = [("no", "False"), ("on", "True"), ("off", "False"), ("y", "True")];
            let (yaml, rendered) = word[usize::from(layer)];
            (rendered.to_owned(), yaml.to_owned(), rendered.to_owned())
        }
        (_, ValueType::List) => same(format!(r#"["canary-{layer}"]"#)),
        (_, ValueType::Map) => same(format!(r#"{{"canary-{layer}": "x"}}"#)),
    }
}

#[test]
fn term_01_every_key_arrives_from_each_layer_and_each_layer_beats_the_one_below() {
    for key in TerminalSchema::hermes().keys() {
        let variable = key.variable().as_str().expect("variables are text");
        let samples: Vec<_> = (0..4).map(|layer| sample(key, layer)).collect();
        let value = |at: usize| samples[at].0.clone();
        // From `.env`, the launch environment, `config.yaml` and the managed `.env`: alone, and on top of
        // everything below it.
        for top in 0..4_usize {
            for bottom in 0..=top {
                let laid = |layer: usize| (bottom..=top).contains(&layer);
                let mut profile = Profile::empty();
                if laid(0) {
                    profile = profile.dotenv(format!("{variable}='{}'\n", value(0)));
                }
                if laid(2) {
                    profile = profile.terminal(&format!("{{{}: {}}}", key.key(), samples[2].1));
                }
                let env = MapEnv::from([(variable, value(1))]);
                let administrator = managed(&format!("{variable}='{}'\n", value(3)));
                let mut builder = profile.builder();
                if laid(1) {
                    builder = builder.launch_environment(&env);
                }
                if laid(3) {
                    builder = builder.managed(&administrator);
                }
                let policy = policy(builder.build());
                assert_eq!(
                    text(&policy, variable).as_deref(),
                    Some(samples[top].2.as_str()),
                    "{variable}: the uppermost of layers {bottom} to {top} wins"
                );
                let layers = [Layer::Dotenv, Layer::LaunchEnvironment, Layer::ConfigYaml, Layer::Managed];
                let explanation = policy.explain(variable);
                assert_eq!(explanation.origin.map(|origin| origin.layer()), Some(layers[top]));
                let shadowed: Vec<Layer> = explanation.shadowed.iter().map(Origin::layer).collect();
                let mut expected: Vec<Layer> = layers[bottom..top].iter().rev().copied().collect();
                if key.key() != "cwd" {
                    expected.push(Layer::Default);
                }
                assert_eq!(shadowed, expected, "{variable}: what is shadowed is known");
            }
        }
    }
}

#[test]
fn term_01_dotenv_values_are_taken_as_written_empty_and_unmapped_ones_included() {
    let profile = Profile::empty().dotenv(
        "TERMINAL_TIMEOUT=\nTERMINAL_NEWKNOB=' canary-1 '\nTERMINAL_CWD=.\nAPI_KEY=canary-2\nTERMINAL_SSH_HOST=a\nTERMINAL_SSH_HOST=b\n",
    );
    let policy = profile.policy();
    assert_eq!(text(&policy, "TERMINAL_TIMEOUT").as_deref(), Some(""), "present and empty");
    assert_eq!(text(&policy, "TERMINAL_NEWKNOB").as_deref(), Some(" canary-1 "));
    assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), Some("."), "no placeholder outside YAML");
    assert_eq!(text(&policy, "TERMINAL_SSH_HOST").as_deref(), Some("b"), "the last assignment wins");
    assert_eq!(text(&policy, "API_KEY"), None, "secrets are no part of it");
}

#[test]
fn term_01_of_a_variable_that_stands_twice_in_an_environment_the_first_counts() {
    let env: MapEnv = [("TERMINAL_SSH_HOST", "first"), ("TERMINAL_SSH_HOST", "second")].into_iter().collect();
    let policy = policy(Profile::empty().builder().launch_environment(&env).build());
    assert_eq!(text(&policy, "TERMINAL_SSH_HOST").as_deref(), Some("first"));
}

#[test]
fn term_01_where_the_managed_layer_is_a_refusal_so_is_the_policy() {
    let managed = Managed::Refusal(Refusal::new("unreadable", "the administrator's folder cannot be used"));
    let profile = Profile::empty().terminal("{backend: docker}");
    let refusal = crate::support::refusal(&profile.builder().managed(&managed).build());
    assert_eq!(refusal.code(), "unreadable");
    let absent = policy(profile.builder().managed(&Managed::Absent).build());
    assert_eq!(text(&absent, "TERMINAL_ENV").as_deref(), Some("docker"));
}

/// A host whose control plane holds a name with the terminal prefix, and that calls other names terminal.
#[derive(Debug)]
struct OwnClasses;

impl NameClasses for OwnClasses {
    fn class_of(&self, name: &std::ffi::OsStr, case: CaseRule) -> NameClass {
        if name == "SANDBOX_MODE" {
            NameClass::Terminal
        } else {
            HermesClasses::default().class_of(name, case)
        }
    }
}

#[test]
fn term_01_a_hosts_own_classes_say_what_a_layer_may_hold() {
    let control_plane = ControlPlane::new().with_names(["TERMINAL_ATTACH_TOKEN"]);
    let classes = Classes::new(std::sync::Arc::new(OwnClasses), control_plane, CaseRule::Sensitive);
    let profile = Profile::empty().dotenv("TERMINAL_ATTACH_TOKEN=canary-1\nSANDBOX_MODE=strict\n");
    let policy = policy(profile.builder().classes(&classes).build());
    assert_eq!(text(&policy, "TERMINAL_ATTACH_TOKEN"), None, "the control plane enters no layer");
    assert_eq!(text(&policy, "SANDBOX_MODE").as_deref(), Some("strict"));
}

#[test]
fn term_01_where_names_have_no_case_one_setting_has_one_name() {
    let classes = Classes::new(
        std::sync::Arc::new(HermesClasses::default()),
        ControlPlane::new(),
        CaseRule::AsciiInsensitive,
    );
    let env = MapEnv::from([("Terminal_Env", "ssh")]).on(watertight_vocabulary::Platform::Windows);
    let profile = Profile::empty().dotenv("terminal_env=docker\nTERMINAL_timeout=60\n");
    let built = policy(profile.builder().classes(&classes).launch_environment(&env).build());
    for spelling in ["TERMINAL_ENV", "terminal_env", "Terminal_Env"] {
        assert_eq!(text(&built, spelling).as_deref(), Some("ssh"), "{spelling}");
    }
    assert_eq!(built.integer("timeout").expect("it is a number"), Some(60));
    assert_eq!(built.variables().len(), 35, "no spelling adds an entry, and ssh needs no directory");
    let exact = policy(profile.builder().build());
    assert_eq!(text(&exact, "TERMINAL_ENV").as_deref(), Some("local"), "elsewhere it is another name");
}

#[test]
fn term_02_the_result_depends_on_the_inputs_alone_whatever_the_order_or_thread() {
    let show = |policy: &TerminalPolicy| -> Vec<(String, Vec<u8>, String)> {
        let shown = policy.entries();
        shown.map(|e| (e.name.to_string(), e.value.expose_bytes().to_vec(), e.origin.to_string())).collect()
    };
    let first = Profile::empty().terminal("{backend: local}");
    let second = Profile::empty().terminal("{backend: docker, docker_image: canary-image}");
    let (one, other) = (show(&first.policy()), show(&second.policy()));
    assert_ne!(one, other);
    assert_eq!(show(&second.policy()), other);
    assert_eq!(show(&first.policy()), one, "history does not matter");
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(show(&first.policy()), one, "nor does what other threads build");
                    assert_eq!(show(&second.policy()), other);
                }
            });
        }
    });
}

#[test]
fn term_02_a_built_policy_does_not_follow_the_environment() {
    let env = MapEnv::from([("TERMINAL_ENV", "ssh")]);
    let policy = policy(Profile::empty().builder().launch_environment(&env).build());
    env.set("TERMINAL_ENV", "local");
    env.set("TERMINAL_NEWKNOB", "canary-1");
    assert_eq!(text(&policy, "TERMINAL_ENV").as_deref(), Some("ssh"));
    assert_eq!(text(&policy, "TERMINAL_NEWKNOB"), None);
}

#[test]
fn term_03_one_table_maps_keys_to_variables() {
    let schema = TerminalSchema::hermes();
    assert_eq!(schema.keys().len(), 35);
    for key in schema.keys() {
        let expected = match key.key() {
            "backend" => "TERMINAL_ENV".to_owned(),
            other => format!("TERMINAL_{}", other.to_uppercase()),
        };
        assert_eq!(key.variable().as_str(), Some(expected.as_str()));
        let by_variable = schema.variable(key.variable().as_os_str()).map(SchemaKey::key);
        assert_eq!(by_variable, Some(key.key()), "both directions agree");
    }
}

#[test]
fn term_03_an_empty_profile_has_36_entries() {
    let policy = Profile::empty().policy();
    assert_eq!(policy.entries().count(), 36);
    assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), Some(USER_HOME));
    assert_eq!(text(&policy, "TERMINAL_DOCKER_IMAGE_PINNED").as_deref(), Some("0"));
    assert!(policy.problems().is_empty());
}

#[test]
fn term_04_null_leaves_the_lower_layers_value() {
    for null in ["~", "null", "Null", "NULL", ""] {
        let profile = Profile::empty()
            .dotenv("TERMINAL_SSH_HOST=canary-host\nTERMINAL_ENV=ssh\n")
            .config(format!("terminal:\n  backend: {null}\n  ssh_host: {null}\n  timeout: {null}\n"));
        let policy = profile.policy();
        assert_eq!(text(&policy, "TERMINAL_ENV").as_deref(), Some("ssh"));
        assert_eq!(text(&policy, "TERMINAL_SSH_HOST").as_deref(), Some("canary-host"));
        assert_eq!(text(&policy, "TERMINAL_TIMEOUT").as_deref(), Some("180"));
        assert!(policy.problems().is_empty());
    }
}

#[test]
fn term_04_unknown_keys_are_ignored_and_reported_by_name() {
    let profile = Profile::empty().terminal(
        r#"{docker_extra_args: ["--read-only"], docker_extra_argz: ["canary-1"], Backend: docker, 7: x}"#,
    );
    let policy = profile.policy();
    assert_eq!(text(&policy, "TERMINAL_DOCKER_EXTRA_ARGS").as_deref(), Some(r#"["--read-only"]"#));
    assert_eq!(text(&policy, "TERMINAL_DOCKER_EXTRA_ARGZ"), None);
    assert_eq!(text(&policy, "TERMINAL_ENV").as_deref(), Some("local"), "keys have a case");
    let unknown: Vec<_> =
        ["docker_extra_argz", "Backend", "(a key that is not text)"].map(str::to_owned).into();
    let expected: Vec<_> = unknown.into_iter().map(|key| ("unknown-key", key)).collect();
    assert_eq!(problems(&policy), expected);
    assert!(policy.problems().iter().all(|problem| problem.path().is_some()));
}

#[test]
fn term_04_nothing_is_interpolated() {
    let env = MapEnv::from([("USER", "canary-user")]);
    let profile = Profile::empty()
        .dotenv("TERMINAL_SSH_USER=${USER}\n")
        .terminal("{ssh_host: '${USER}', ssh_key: '$USER', temp_dir: '$(id)'}");
    let policy = policy(profile.builder().launch_environment(&env).build());
    assert_eq!(text(&policy, "TERMINAL_SSH_USER").as_deref(), Some("${USER}"));
    assert_eq!(text(&policy, "TERMINAL_SSH_HOST").as_deref(), Some("${USER}"));
    assert_eq!(text(&policy, "TERMINAL_SSH_KEY").as_deref(), Some("$USER"));
    assert_eq!(text(&policy, "TERMINAL_TEMP_DIR").as_deref(), Some("$(id)"));
}

#[test]
fn term_04_merge_keys_are_applied_before_the_layer_is_laid() {
    let profile = Profile::empty().config(
        "base: &b {backend: docker, timeout: 10}\nother: &o {backend: ssh, ssh_port: 23}\nterminal:\n  <<: [*b, *o]\n  timeout: 20\n",
    );
    let policy = profile.policy();
    assert_eq!(text(&policy, "TERMINAL_ENV").as_deref(), Some("docker"), "the first of a list wins");
    assert_eq!(text(&policy, "TERMINAL_TIMEOUT").as_deref(), Some("20"), "explicit keys win");
    assert_eq!(text(&policy, "TERMINAL_SSH_PORT").as_deref(), Some("23"));
}
