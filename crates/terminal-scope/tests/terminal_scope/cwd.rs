//! The working directory (TERM-06), as tables.

use std::path::{Path, PathBuf};

use watertight_env_snapshot::MapEnv;
use watertight_terminal_scope::{Fault, SchemaKey, TerminalSchema, ValueType};
use watertight_vocabulary::Layer;

use crate::support::{Profile, USER_HOME, policy, problems, text};

#[test]
fn term_06_placeholders_in_yaml_set_nothing_and_a_missing_directory_is_the_users_home_for_local_alone() {
    // (.env, terminal section, what TERMINAL_CWD is)
    let home = Some(USER_HOME);
    let table: &[(&str, &str, Option<&str>)] = &[
        ("", "{}", home),
        ("", "{cwd: .}", home),
        ("", "{cwd: auto}", home),
        ("", "{cwd: cwd}", home),
        ("", "{cwd: ' . '}", home),
        ("", "{cwd: \" auto\\t\"}", home),
        ("", "{cwd: ''}", home),
        ("", "{cwd: Auto}", Some("Auto")),
        ("", "{cwd: ./x}", Some("./x")),
        ("", "{cwd: '  '}", Some("  ")),
        ("", "{cwd: /canary/work}", Some("/canary/work")),
        ("", "{cwd: '~/work'}", Some("~/work")),
        ("TERMINAL_CWD=/canary/env", "{}", Some("/canary/env")),
        ("TERMINAL_CWD=/canary/env", "{cwd: .}", Some("/canary/env")),
        ("TERMINAL_CWD=/canary/env", "{cwd: ~}", Some("/canary/env")),
        ("TERMINAL_CWD=/canary/env", "{cwd: ''}", home),
        ("TERMINAL_CWD=/canary/env", "{cwd: /canary/work}", Some("/canary/work")),
        ("TERMINAL_CWD=.", "{}", Some(".")),
        ("TERMINAL_CWD=auto", "{}", Some("auto")),
        ("TERMINAL_CWD=", "{}", home),
        ("TERMINAL_ENV=", "{}", home),
        ("TERMINAL_ENV=' Local '", "{}", home),
        ("", "{backend: ''}", home),
        ("", "{backend: docker}", None),
        ("", "{backend: docker, cwd: .}", None),
        ("", "{backend: docker, cwd: /workspace}", Some("/workspace")),
        ("TERMINAL_CWD=", "{backend: ssh}", Some("")),
        ("TERMINAL_ENV=ssh", "{}", None),
        ("TERMINAL_ENV=nowhere", "{}", None),
    ];
    for (dotenv, section, expected) in table {
        let policy = Profile::empty().dotenv(dotenv).terminal(section).policy();
        assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), *expected, "{dotenv} {section}");
        assert_eq!(policy.path("cwd").expect("a path"), expected.map(PathBuf::from), "{dotenv} {section}");
        if *expected == home {
            assert_eq!(policy.origin("TERMINAL_CWD").map(|origin| origin.layer()), Some(Layer::Computed));
        }
    }
}

#[test]
fn term_06_without_a_user_home_the_directory_is_a_problem_of_its_key_and_nothing_more() {
    for (dotenv, held) in [("", None), ("TERMINAL_CWD=", Some(""))] {
        let profile = Profile::empty().dotenv(dotenv);
        for user_home in [None, Some(Path::new(""))] {
            let policy = policy(profile.builder().user_home(user_home).build());
            assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), held, "nothing is guessed");
            assert_eq!(problems(&policy), [("no-user-home", "TERMINAL_CWD".to_owned())]);
            let error = policy.path("cwd").expect_err("its typed read is an error");
            assert_eq!((error.key(), error.fault()), ("cwd", &Fault::NoUserHome));
            assert!(policy.ensure_allowed().is_ok(), "the profile may start things");
            assert_eq!(policy.integer("timeout").expect("other keys are unaffected"), Some(180));
        }
    }
    let docker = Profile::empty().terminal("{backend: docker}");
    let policy = policy(docker.builder().user_home(None).build());
    assert!(policy.problems().is_empty(), "another backend needs no user home");
    assert_eq!(policy.path("cwd").expect("absent"), None);
}

#[test]
fn term_06_a_value_of_another_type_is_not_missing() {
    let policy = Profile::empty().terminal("{cwd: [a]}").policy();
    assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), Some(r#"["a"]"#));
    assert_eq!(policy.path("cwd").expect_err("a list is no path").code(), "wrong-type");
    let policy = Profile::empty().terminal("{cwd: 1.5}").policy();
    assert_eq!(policy.get("TERMINAL_CWD").expect_err("its spelling is lost").code(), "spelling-lost");
}

#[test]
fn term_06_the_users_home_is_the_launch_environments_own_even_where_two_hosts_share_a_schema() {
    let schema = TerminalSchema::hermes().extend([]).expect("a schema");
    for home in ["/home/canary-a", "/home/canary-b", "/home/canary-a"] {
        let profile = Profile::empty();
        let policy = policy(profile.builder().schema(&schema).user_home(Some(Path::new(home))).build());
        assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), Some(home));
        assert_eq!(policy.explain("TERMINAL_CWD").origin.map(|origin| origin.layer()), Some(Layer::Computed));
    }
}

#[test]
fn term_06_the_launch_environment_may_set_it_to_anything() {
    let env = MapEnv::from([("TERMINAL_CWD", ".")]);
    let policy = policy(Profile::empty().builder().launch_environment(&env).build());
    assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), Some("."), "copied unchanged");
}

#[test]
fn term_06_a_schema_may_have_a_default_directory_or_none() {
    let cwd = |default: Option<&str>| {
        let key = SchemaKey::new("cwd", ValueType::Path).expect("a key");
        match default {
            Some(default) => key.with_default(default).expect("a path"),
            None => key,
        }
    };
    for (default, expected) in [
        (Some("/srv/work"), "/srv/work"),
        (Some(" auto "), USER_HOME),
        (Some(""), USER_HOME),
        (None, USER_HOME),
    ] {
        let schema = TerminalSchema::hermes().extend([cwd(default)]).expect("a schema");
        let policy = policy(Profile::empty().builder().schema(&schema).build());
        assert_eq!(text(&policy, "TERMINAL_CWD").as_deref(), Some(expected), "{default:?}");
    }
}
