//! The typed reads (TERM-09): what each accepts, and what its error names.

use watertight_terminal_scope::{Backend, Fault, SettingError, TerminalPolicy, TerminalSchema, ValueType};
use watertight_vocabulary::{Layer, Name, Origin};

use crate::support::{Profile, problems, text};

fn dotenv(line: &str) -> std::sync::Arc<TerminalPolicy> {
    Profile::empty().dotenv(line).policy()
}

/// Reads a key as its type, and drops the value.
fn typed(policy: &TerminalPolicy, key: &str) -> Result<(), SettingError> {
    match policy.schema().key(key).expect("a key").value_type() {
        ValueType::Text => policy.text(key).map(drop),
        ValueType::Path => policy.path(key).map(drop),
        ValueType::Integer => policy.integer(key).map(drop),
        ValueType::Number => policy.number(key).map(drop),
        ValueType::Boolean => policy.boolean(key).map(drop),
        ValueType::List => policy.list(key).map(drop),
        ValueType::Map => policy.map(key).map(drop),
    }
}

#[test]
fn term_09_every_default_reads_as_its_type() {
    let policy = Profile::empty().policy();
    for key in TerminalSchema::hermes().keys() {
        typed(&policy, key.key()).expect("a default is of its key's type");
    }
    assert_eq!(policy.integer("ssh_port").expect("a number"), Some(22));
    assert_eq!(policy.number("container_cpu").expect("a number"), Some(1.0));
    assert_eq!(policy.boolean("docker_network").expect("a boolean"), Some(true));
    assert!(policy.list("docker_volumes").expect("a list").is_some_and(|list| list.is_empty()));
    assert!(policy.map("docker_env").expect("a mapping").is_some_and(|map| map.is_empty()));
}

#[test]
fn term_09_integers_are_plain_decimal_text() {
    let table = [
        ("60", Some(60)),
        ("0", Some(0)),
        ("-5", Some(-5)),
        ("9223372036854775807", Some(i64::MAX)),
        ("9223372036854775808", None),
        ("060", None),
        ("+60", None),
        ("' 60'", None),
        ("6_0", None),
        ("60.0", None),
        ("6e1", None),
        ("0x3c", None),
        ("-", None),
        ("", None),
        ("٣", None),
    ];
    for (written, expected) in table {
        let read = dotenv(&format!("TERMINAL_TIMEOUT={written}")).integer("timeout");
        assert_eq!(read.ok().flatten(), expected, "{written}");
    }
}

#[test]
fn term_09_numbers_are_plain_decimal_text() {
    let table = [
        ("2", Some(2.0)),
        ("0.5", Some(0.5)),
        ("-1.25", Some(-1.25)),
        ("1e3", Some(1000.0)),
        ("1.5e-3", Some(0.0015)),
        (".5", None),
        ("1.", None),
        ("01.5", None),
        ("1e999", None),
        ("inf", None),
        ("nan", None),
        ("1,5", None),
        ("' 1'", None),
        ("", None),
    ];
    for (written, expected) in table {
        let read = dotenv(&format!("TERMINAL_CONTAINER_CPU={written}")).number("container_cpu");
        assert_eq!(read.ok().flatten(), expected, "{written}");
    }
}

#[test]
fn term_09_booleans_are_the_words_quoted_or_not_from_every_layer() {
    for (words, expected) in [(["y", "yes", "on", "true"], true), (["n", "no", "off", "false"], false)] {
        for word in words {
            let title = format!("{}{}", word[..1].to_uppercase(), &word[1..]);
            for spelling in [word.to_owned(), title, word.to_uppercase()] {
                for yaml in [spelling.clone(), format!("'{spelling}'"), format!("\"{spelling}\"")] {
                    let policy = Profile::empty().terminal(&format!("{{docker_network: {yaml}}}")).policy();
                    assert_eq!(
                        policy.boolean("docker_network").expect("a boolean"),
                        Some(expected),
                        "{yaml}"
                    );
                }
                let policy = dotenv(&format!("TERMINAL_DOCKER_NETWORK={spelling}"));
                assert_eq!(policy.boolean("docker_network").expect("a boolean"), Some(expected));
            }
        }
    }
    for (word, expected) in
        [("1", Some(true)), ("0", Some(false)), ("tRUE", None), ("", None), ("2", None), ("' on'", None)]
    {
        let read = dotenv(&format!("TERMINAL_DOCKER_NETWORK={word}")).boolean("docker_network");
        assert_eq!(read.ok().flatten(), expected, "{word}");
    }
}

#[test]
fn term_09_lists_and_mappings_are_json_text() {
    let list = |written: &str| -> Option<Vec<String>> {
        let values =
            dotenv(&format!("TERMINAL_DOCKER_VOLUMES='{written}'")).list("docker_volumes").ok()??;
        values.iter().map(|value| value.expose().ok().map(str::to_owned)).collect()
    };
    let texts = |texts: &[&str]| Some(texts.iter().copied().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(list(r#"["/a:/b", "c"]"#), texts(&["/a:/b", "c"]));
    assert_eq!(
        list(r#" [ 1, 1.10, 340282366920938463463374607431768211456, true, null, ["x"], {"y": 1} ] "#),
        texts(&[
            "1",
            "1.10",
            "340282366920938463463374607431768211456",
            "true",
            "null",
            r#"["x"]"#,
            r#"{"y": 1}"#
        ]),
        "what is no text keeps its spelling"
    );
    assert_eq!(list(r#"["\"\\\/\b\f\n\r\t\u00e9\ud83d\udd12é"]"#), texts(&["\"\\/\u{8}\u{c}\n\r\té🔒é"]));
    assert_eq!(list(r#"["\ud83d"]"#), None, "half a surrogate pair is no text");
    assert_eq!(list(r#"["\ud83dx"]"#), None);
    assert_eq!(list(r#"["\udd12\ud83d"]"#), None);
    for broken in ["", "None", "[", "[1,]", "[a]", "{}", "[] x", "/a:/b"] {
        assert_eq!(list(broken), None, "{broken}");
    }

    let map = |written: &str| -> Option<Vec<(String, String)>> {
        let pairs = dotenv(&format!("TERMINAL_DOCKER_ENV='{written}'")).map("docker_env").ok()??;
        let text = |value: watertight_vocabulary::Secret| value.expose().ok().map(str::to_owned);
        pairs.into_iter().map(|(name, value)| Some((name, text(value)?))).collect()
    };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(map(r#"{"Z": "x", "A": 1}"#), Some(vec![pair("Z", "x"), pair("A", "1")]), "in its own order");
    assert_eq!(map(r#"{"A": 1, "A": 2}"#), None, "a name that stands twice is nobody's guess");
    for broken in ["", "[]", "{a: b}", r#"{"a"}"#] {
        assert_eq!(map(broken), None, "{broken}");
    }
}

#[test]
fn term_09_a_value_of_another_type_is_an_error_of_its_typed_read_alone() {
    let profile = Profile::empty().dotenv("TERMINAL_DOCKER_VOLUMES=None\n").terminal("{timeout: soon}");
    let policy = profile.policy();
    assert_eq!(text(&policy, "TERMINAL_DOCKER_VOLUMES").as_deref(), Some("None"), "kept as text");
    assert_eq!(
        problems(&policy),
        [("wrong-type", "TERMINAL_DOCKER_VOLUMES".to_owned()), ("wrong-type", "TERMINAL_TIMEOUT".to_owned())]
    );
    let error = policy.list("docker_volumes").expect_err("its typed read is an error");
    assert_eq!(error.key(), "docker_volumes");
    assert_eq!(error.variable().and_then(Name::as_str), Some("TERMINAL_DOCKER_VOLUMES"));
    assert_eq!(error.origin().map(Origin::layer), Some(Layer::Dotenv));
    assert_eq!(error.origin().and_then(Origin::line_number), Some(1));
    assert_eq!(error.fault(), &Fault::WrongType { expected: ValueType::List });
    let error = policy.integer("timeout").expect_err("its typed read is an error");
    assert_eq!(error.origin().map(Origin::layer), Some(Layer::ConfigYaml));
    for key in policy.schema().keys().filter(|key| !["docker_volumes", "timeout"].contains(&key.key())) {
        typed(&policy, key.key()).expect("other keys are unaffected");
    }
    assert_eq!(policy.backend().expect("it may start"), Backend::Local);
}

#[test]
fn term_09_the_backend_is_a_known_name_and_never_guessed() {
    let table: &[(&str, Option<&str>)] = &[
        ("local", Some("local")),
        ("docker", Some("docker")),
        ("ssh", Some("ssh")),
        ("singularity", Some("singularity")),
        ("modal", Some("modal")),
        ("daytona", Some("daytona")),
        ("vercel_sandbox", Some("vercel_sandbox")),
        ("' Docker '", Some("docker")),
        ("LOCAL", Some("local")),
        ("'\tssh'", Some("ssh")),
        ("", None),
        ("' '", None),
        ("no", None),
        ("0", None),
        ("locall", None),
        ("docker,local", None),
        ("kubernetes", None),
    ];
    for (written, expected) in table {
        let policy = dotenv(&format!("TERMINAL_ENV={written}"));
        let backend = policy.backend();
        assert_eq!(backend.as_ref().ok().map(Backend::as_str), *expected, "{written}");
        assert_eq!(policy.ensure_allowed().is_ok(), expected.is_some());
        if let Err(error) = backend {
            assert_eq!((error.key(), error.code()), ("backend", "unknown-backend"));
            assert_eq!(problems(&policy), [("unknown-backend", "TERMINAL_ENV".to_owned())]);
        }
    }
}

#[test]
fn term_09_a_host_can_add_names_of_backends() {
    let schema = TerminalSchema::hermes().with_backends(["firejail"]).expect("a name");
    let profile = Profile::empty().terminal("{backend: Firejail}");
    let policy = crate::support::policy(profile.builder().schema(&schema).build());
    assert_eq!(policy.backend().expect("it is known").as_str(), "firejail");
    assert!(profile.policy().backend().is_err(), "and only to that schema");
}

#[cfg(unix)]
#[test]
fn term_09_a_value_that_is_not_unicode_is_kept_and_has_no_typed_read() {
    use std::os::unix::ffi::OsStringExt;
    let bytes = |bytes: &[u8]| std::ffi::OsString::from_vec(bytes.to_vec());
    let env: watertight_env_snapshot::MapEnv = [
        (bytes(b"TERMINAL_ENV"), bytes(b"local\xff")),
        (bytes(b"TERMINAL_SSH_KEY"), bytes(b"/k\xff")),
        (bytes(b"TERMINAL_TIMEOUT"), bytes(b"60\xff")),
        (bytes(b"TERMINAL_\xff"), bytes(b"canary-1")),
    ]
    .into_iter()
    .collect();
    let policy = crate::support::policy(Profile::empty().builder().launch_environment(&env).build());
    let value = policy.get("TERMINAL_SSH_KEY").expect("it can be read").expect("it is set");
    assert_eq!(value.expose_bytes(), b"/k\xff", "byte for byte");
    assert!(value.expose().is_err());
    assert_eq!(policy.integer("timeout").expect_err("no number").code(), "wrong-type");
    assert_eq!(policy.backend().expect_err("no backend").code(), "unknown-backend");
    assert!(
        policy.get(bytes(b"TERMINAL_\xff")).expect("it can be read").is_some_and(|v| v.matches("canary-1"))
    );
    assert_eq!(text(&policy, "TERMINAL_CWD"), None, "such a backend is not local");
}

#[test]
fn term_09_asking_for_what_the_schema_does_not_say_is_the_callers_error() {
    let policy = Profile::empty().policy();
    let error = policy.integer("timeouts").expect_err("no such key");
    assert_eq!((error.code(), error.key()), ("not-mapped", "timeouts"));
    let error = policy.integer("docker_network").expect_err("another type");
    let fault = Fault::ReadAsAnother { asked: ValueType::Integer, declared: ValueType::Boolean };
    assert_eq!(error.fault(), &fault);
}

#[test]
fn term_09_a_schema_whose_backend_has_no_default_has_no_backend_until_one_is_set() {
    let backend = watertight_terminal_scope::SchemaKey::new("backend", ValueType::Text).expect("a key");
    let schema = TerminalSchema::new([backend]).expect("a schema");
    let profile = Profile::empty();
    let policy = crate::support::policy(profile.builder().schema(&schema).build());
    assert_eq!(policy.backend().expect_err("nothing sets it").code(), "unset");
    let profile = profile.terminal("{backend: ssh}");
    let policy = crate::support::policy(profile.builder().schema(&schema).build());
    assert_eq!(policy.backend().expect("it is set"), Backend::Ssh);
}
