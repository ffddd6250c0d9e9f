//! Where each value comes from, and what may be said of it (TERM-10, TERM-11).

use watertight_env_snapshot::MapEnv;
use watertight_terminal_scope::{Shown, TerminalSchema};
use watertight_vocabulary::Layer;

use crate::support::{Profile, managed, policy};

#[test]
fn term_10_each_key_knows_its_layer_and_line() {
    let profile = Profile::empty()
        .dotenv("# a comment\nTERMINAL_SSH_HOST=canary-1\nTERMINAL_SSH_USER=canary-2\nTERMINAL_NEWKNOB=canary-3\n")
        .terminal("{ssh_user: canary-4}");
    let env = MapEnv::from([("TERMINAL_SSH_KEY", "canary-5")]);
    let administrator = managed("\nTERMINAL_DEGRADED_MODE=fail\n");
    let policy = policy(profile.builder().launch_environment(&env).managed(&administrator).build());
    let origin = |variable: &str| policy.origin(variable).expect("it is set");
    for (variable, layer, file, line) in [
        ("TERMINAL_TIMEOUT", Layer::Default, None, None),
        ("TERMINAL_CWD", Layer::Computed, None, None),
        ("TERMINAL_SSH_HOST", Layer::Dotenv, Some(".env"), Some(2)),
        ("TERMINAL_NEWKNOB", Layer::Dotenv, Some(".env"), Some(4)),
        ("TERMINAL_SSH_USER", Layer::ConfigYaml, Some("config.yaml"), None),
        ("TERMINAL_SSH_KEY", Layer::LaunchEnvironment, None, None),
        ("TERMINAL_DEGRADED_MODE", Layer::Managed, None, Some(2)),
    ] {
        let origin = origin(variable);
        assert_eq!((origin.layer(), origin.line_number()), (layer, line), "{variable}");
        if let Some(file) = file {
            assert!(origin.path().is_some_and(|path| path.ends_with(file)), "{variable}");
        }
    }
    assert_eq!(policy.origin("TERMINAL_NOTHING"), None);
    assert_eq!(policy.explain("TERMINAL_NOTHING").value, Shown::Absent);
    let shadowed = policy.explain("TERMINAL_SSH_USER").shadowed;
    assert_eq!(
        shadowed.iter().map(|o| (o.layer(), o.line_number())).collect::<Vec<_>>(),
        [(Layer::Dotenv, Some(3)), (Layer::Default, None)]
    );
}

#[test]
fn term_11_a_report_shows_values_of_shown_keys_alone_and_only_where_they_are_of_their_type() {
    let schema = TerminalSchema::hermes();
    let mut dotenv = String::new();
    for key in schema.keys() {
        dotenv.extend([format!("{}=canary-{}\n", key.variable(), key.key())]);
    }
    let policy = Profile::empty().dotenv(&dotenv).policy();
    for explanation in policy.explanations() {
        let free_text = ["modal_mode", "degraded_mode"].map(Some).contains(&explanation.key.as_deref());
        match explanation.value {
            Shown::Value(_) => assert!(free_text || explanation.key.is_none(), "{explanation:?}"),
            other => assert_eq!(other, Shown::Set, "a broken number may be a secret in the wrong place"),
        }
    }
    let sound = Profile::empty()
        .dotenv("TERMINAL_TIMEOUT=60\nTERMINAL_SSH_KEY=canary-key\nTERMINAL_SSH_USER=\n")
        .terminal("{backend: ssh, docker_network: no, docker_image: 1.10}")
        .policy();
    for (variable, shown) in [
        ("TERMINAL_ENV", Shown::Value("ssh".to_owned())),
        ("TERMINAL_TIMEOUT", Shown::Value("60".to_owned())),
        ("TERMINAL_DOCKER_NETWORK", Shown::Value("False".to_owned())),
        ("TERMINAL_SSH_PORT", Shown::Value("22".to_owned())),
        ("TERMINAL_DOCKER_IMAGE_PINNED", Shown::Value("1".to_owned())),
        ("TERMINAL_SSH_KEY", Shown::Set),
        ("TERMINAL_SSH_HOST", Shown::Default),
        ("TERMINAL_SSH_USER", Shown::Default),
        ("TERMINAL_DOCKER_IMAGE", Shown::Unreadable),
        ("TERMINAL_CWD", Shown::Absent),
    ] {
        assert_eq!(sound.explain(variable).value, shown, "{variable}");
    }
}

#[test]
fn term_11_debug_errors_and_problems_show_keys_layers_and_types() {
    let profile = Profile::empty()
        .dotenv("TERMINAL_ENV=canary-0\nTERMINAL_TIMEOUT=canary-1\nTERMINAL_NEWKNOB=canary-2\nTERMINAL_CWD=canary-3\n")
        .terminal(
            "{ssh_key: canary-4, docker_env: {K: canary-5}, docker_volumes: canary-6, ssh_port: canary-7, docker_forward_env: [canary-8, .nan], docker_argz: canary-9}",
        );
    let built = profile.builder().build();
    let policy = policy(built.clone());
    let mut said = format!("{built:?} {policy:?} {:?} {:?}", profile.builder(), policy.problems());
    for key in policy.schema().keys() {
        let name = key.key();
        let errors = [
            policy.text(name).map(drop),
            policy.path(name).map(drop),
            policy.integer(name).map(drop),
            policy.number(name).map(drop),
            policy.boolean(name).map(drop),
            policy.list(name).map(drop),
            policy.map(name).map(drop),
            policy.get(key.variable()).map(drop),
        ];
        for error in errors.into_iter().filter_map(Result::err) {
            said.extend([format!("{error} {error:?}")]);
        }
        said.extend([format!("{:?}", policy.explain(key.variable()))]);
    }
    for problem in policy.problems() {
        said.push_str(&problem.to_string());
    }
    for expected in ["TERMINAL_SSH_KEY", "TERMINAL_NEWKNOB", "ConfigYaml", "docker_argz", "a list"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(!said.contains("canary"), "{said}");
}
