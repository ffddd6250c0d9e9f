//! What a value of `config.yaml` looks like to the tools on the other side (TERM-05, TERM-08, TERM-09), and
//! what Rust's and Python's JSON parsers make of it.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use crate::support::{Profile, problems, text};

/// (key, YAML, text, the problem if there is one)
type Row = (&'static str, &'static str, &'static str, Option<&'static str>);

const RENDERED: &[Row] = &[
    // Texts stay as they are.
    ("ssh_host", "canary-host", "canary-host", None),
    ("ssh_host", "''", "", None),
    ("ssh_host", "' spaced '", " spaced ", None),
    ("ssh_host", "'yes'", "yes", None),
    ("ssh_host", "no", "no", None),
    ("ssh_host", "007", "007", None),
    ("ssh_host", "1_000", "1_000", None),
    ("ssh_host", "12:30:45", "12:30:45", None),
    ("ssh_host", "2024-01-01", "2024-01-01", None),
    ("ssh_host", "2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z", None),
    ("ssh_host", "12345abc", "12345abc", None),
    ("ssh_host", "1.2.3", "1.2.3", None),
    ("ssh_host", "=", "=", None),
    ("ssh_host", "'http://h:1/x'", "http://h:1/x", None),
    ("ssh_host", "!!str 12", "12", None),
    ("ssh_host", "tRue", "tRue", None),
    ("ssh_host", "08", "08", None),
    ("ssh_host", "1e999", "1e999", None),
    ("ssh_host", "&x y", "y", None),
    ("ssh_host", "\"\\u00e9\"", "é", None),
    ("docker_image", "'1.10'", "1.10", None),
    // Under a text key: another type is kept as text and said; an integer is its decimal text.
    ("ssh_user", "12", "12", Some("integer-as-text")),
    ("ssh_user", "-3", "-3", Some("integer-as-text")),
    ("ssh_user", "0x16", "22", Some("integer-as-text")),
    ("ssh_user", "+12", "12", Some("integer-as-text")),
    ("ssh_user", "-0", "0", Some("integer-as-text")),
    ("ssh_user", "18446744073709551616", "18446744073709551616", Some("integer-as-text")),
    ("ssh_user", "true", "True", Some("wrong-type")),
    ("ssh_user", "[a]", "[\"a\"]", Some("wrong-type")),
    ("ssh_user", "{a: b}", "{\"a\": \"b\"}", Some("wrong-type")),
    // Booleans.
    ("docker_network", "true", "True", None),
    ("docker_network", "False", "False", None),
    ("docker_network", "'true'", "True", None),
    ("docker_network", "yes", "True", None),
    ("docker_network", "'no'", "False", None),
    ("docker_network", "On", "True", None),
    ("docker_network", "OFF", "False", None),
    ("docker_network", "y", "True", None),
    ("docker_network", "N", "False", None),
    ("docker_network", "1", "1", None),
    ("docker_network", "'0'", "0", None),
    ("docker_network", "0", "0", None),
    ("docker_network", "2", "2", Some("wrong-type")),
    ("docker_network", "yEs", "yEs", Some("wrong-type")),
    ("docker_network", "''", "", Some("wrong-type")),
    ("docker_network", "0.0", "0.0", Some("wrong-type")),
    ("docker_network", "[]", "[]", Some("wrong-type")),
    // Integers.
    ("timeout", "60", "60", None),
    ("timeout", "-1", "-1", None),
    ("timeout", "'60'", "60", None),
    ("timeout", "0o22", "18", None),
    ("timeout", "0b101", "5", None),
    ("timeout", "1_000", "1_000", Some("wrong-type")),
    ("timeout", "1:30", "1:30", Some("wrong-type")),
    ("timeout", "!!int '12'", "12", None),
    ("ssh_port", "022", "022", Some("wrong-type")),
    ("ssh_port", "'22 '", "22 ", Some("wrong-type")),
    ("ssh_port", "22.0", "22.0", Some("wrong-type")),
    ("timeout", "1e3", "1000.0", Some("wrong-type")),
    ("timeout", "true", "True", Some("wrong-type")),
    ("timeout", "99999999999999999999", "99999999999999999999", Some("wrong-type")),
    ("timeout", "soon", "soon", Some("wrong-type")),
    // Numbers: the shortest text that reads back, with a point or an exponent.
    ("container_cpu", "2", "2", None),
    ("container_cpu", "1.5", "1.5", None),
    ("container_cpu", "2.0", "2.0", None),
    ("container_cpu", ".5", "0.5", None),
    ("container_cpu", "0.1", "0.1", None),
    ("container_cpu", "1e3", "1000.0", None),
    ("container_cpu", "1e300", "1e300", Some("wrong-type")),
    ("container_cpu", "1e-9", "1e-9", None),
    ("container_cpu", "'1.5'", "1.5", None),
    ("container_cpu", "half", "half", Some("wrong-type")),
    (
        "container_cpu",
        "340282366920938463463374607431768211456000",
        "3.4028236692093846e41",
        Some("wrong-type"),
    ),
    // Lists and mappings.
    ("docker_volumes", "[]", "[]", None),
    ("docker_volumes", "['/a:/b', \"q\\\"q\"]", "[\"/a:/b\", \"q\\\"q\"]", None),
    (
        "docker_volumes",
        "[1, 1.5, true, ~, [x], {y: z}]",
        "[1, 1.5, true, null, [\"x\"], {\"y\": \"z\"}]",
        None,
    ),
    (
        "docker_volumes",
        "['é', '\u{1F512}', \"\\u0001\\n\\t\"]",
        "[\"\\u00e9\", \"\\ud83d\\udd12\", \"\\u0001\\n\\t\"]",
        None,
    ),
    ("docker_volumes", "'[\"a\"]'", "[\"a\"]", None),
    ("docker_volumes", "None", "None", Some("wrong-type")),
    ("docker_volumes", "{a: b}", "{\"a\": \"b\"}", Some("wrong-type")),
    ("docker_env", "{}", "{}", None),
    ("docker_env", "{Z: 1, A: 'x', M: ~}", "{\"Z\": 1, \"A\": \"x\", \"M\": null}", None),
    ("docker_env", "{1: a, true: b, ~: c}", "{\"1\": \"a\", \"true\": \"b\", \"null\": \"c\"}", None),
    ("docker_env", "'{\"A\": 1}'", "{\"A\": 1}", None),
    ("docker_env", "[a]", "[\"a\"]", Some("wrong-type")),
];
#[test]
fn term_05_values_render_as_the_tools_on_the_other_side_read_them() {
    for (key, yaml, expected, problem) in RENDERED {
        let policy = Profile::empty().terminal(&format!("{{{key}: {yaml}}}")).policy();
        let variable = format!("TERMINAL_{}", key.to_uppercase());
        assert_eq!(text(&policy, &variable).as_deref(), Some(*expected), "{key}: {yaml}");
        let expected: Vec<_> = problem.iter().map(|code| (*code, variable.clone())).collect();
        assert_eq!(problems(&policy), expected, "{key}: {yaml}");
    }
}

#[test]
fn term_05_env_values_are_copied_unchanged() {
    let env = watertight_env_snapshot::MapEnv::from([
        ("TERMINAL_PERSISTENT_SHELL", "yes"),
        ("TERMINAL_CONTAINER_CPU", "1.50"),
        ("TERMINAL_DOCKER_VOLUMES", "['a']"),
    ]);
    let profile = Profile::empty().dotenv("TERMINAL_DOCKER_NETWORK=off\nTERMINAL_TIMEOUT=060\n");
    let policy = crate::support::policy(profile.builder().launch_environment(&env).build());
    for (variable, value) in [
        ("TERMINAL_PERSISTENT_SHELL", "yes"),
        ("TERMINAL_CONTAINER_CPU", "1.50"),
        ("TERMINAL_DOCKER_VOLUMES", "['a']"),
        ("TERMINAL_DOCKER_NETWORK", "off"),
        ("TERMINAL_TIMEOUT", "060"),
    ] {
        assert_eq!(text(&policy, variable).as_deref(), Some(value));
    }
}

#[test]
fn term_09_what_has_no_text_makes_every_read_of_its_key_an_error() {
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    let table: &[(&str, &str, &str)] = &[
        ("docker_image", "1.10", "spelling-lost"),
        ("ssh_user", "1.0", "spelling-lost"),
        ("sandbox_dir", "1e3", "spelling-lost"),
        ("cwd", "0.5", "spelling-lost"),
        ("timeout", ".inf", "not-renderable"),
        ("container_cpu", ".nan", "not-renderable"),
        ("ssh_user", "-.inf", "not-renderable"),
        ("docker_volumes", "[.nan]", "not-renderable"),
        ("docker_env", "{a: {b: .inf}}", "not-renderable"),
        ("docker_env", "{[a]: b}", "not-renderable"),
        ("docker_env", "{1.10: b}", "not-renderable"),
        ("docker_env", "{1: a, '1': b}", "not-renderable"),
        ("docker_volumes", &deep, "not-renderable"),
    ];
    for (key, yaml, code) in table {
        let policy = Profile::empty().terminal(&format!("{{{key}: {yaml}}}")).policy();
        let variable = format!("TERMINAL_{}", key.to_uppercase());
        let error = policy.get(&variable).expect_err("every read is an error");
        assert_eq!(error.code(), *code, "{key}: {yaml}");
        assert_eq!(error.key(), *key);
        assert_eq!(problems(&policy), [(*code, variable.clone())]);
        assert!(policy.entries().all(|entry| entry.name.as_str() != Some(&variable)));
        assert!(policy.variables().iter().any(|name| name.as_str() == Some(&variable)), "it is not absent");
        assert_eq!(text(&policy, "TERMINAL_ENV").as_deref(), Some("local"), "other keys are unaffected");
        assert!(policy.ensure_allowed().is_ok());
    }
}

#[test]
fn term_08_a_backend_is_text_and_no_word_that_yaml_takes_for_a_boolean() {
    let words = ["y", "yes", "on", "true", "n", "no", "off", "false"];
    let mut spellings: Vec<String> =
        vec!["1".into(), "0".into(), "7".into(), "1.10".into(), "[docker]".into()];
    spellings.extend(["{docker: local}".into(), "[]".into(), ".inf".into(), "0x16".into(), "' no '".into()]);
    for word in words {
        let title = format!("{}{}", word[..1].to_uppercase(), &word[1..]);
        for spelling in [word.to_owned(), title, word.to_uppercase()] {
            spellings.extend([format!("'{spelling}'"), format!("\"{spelling}\""), spelling]);
        }
    }
    for spelling in spellings {
        let refusal =
            Profile::empty().config(format!("# a line\nterminal: {{backend: {spelling}}}\n")).refusal();
        assert_eq!(refusal.code(), "backend-not-a-name", "{spelling}");
        assert!(refusal.path().is_some_and(|path| path.ends_with("config.yaml")));
        assert_eq!(refusal.line(), Some(2), "the section's line is known");
        assert!(refusal.mend().is_some_and(|mend| mend.contains("local, docker, ssh")));
    }
    for (spelling, ok) in
        [("docker", true), ("' Docker '", true), ("kubernetes", false), ("''", false), ("'7'", false)]
    {
        let policy = Profile::empty().terminal(&format!("{{backend: {spelling}}}")).policy();
        assert_eq!(policy.backend().is_ok(), ok, "{spelling}: text, so it is a policy");
    }
}

/// What lists and mappings hold.
fn nested() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        prop_oneof![
            any::<String>(),
            "[ -~]{0,12}",
            Just("yes".to_owned()),
            Just("\u{1F512}\u{85}\u{2028}".to_owned())
        ]
        .prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// JSON in ASCII is YAML, but for what YAML's grammar forbids in a quoted text: `\uXXXX` pairs. So texts are
/// written with YAML's own `\UXXXXXXXX`.
fn yaml_flow(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => yaml_text(text),
        serde_json::Value::Array(items) => {
            format!("[{}]", items.iter().map(yaml_flow).collect::<Vec<_>>().join(", "))
        }
        serde_json::Value::Object(pairs) => {
            let pairs =
                pairs.iter().map(|(name, value)| format!("? {} : {}", yaml_text(name), yaml_flow(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn yaml_text(text: &str) -> String {
    let escaped = text.chars().map(|character| format!("\\U{:08x}", u32::from(character)));
    format!("\"{}\"", escaped.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn term_05_lists_and_mappings_read_back_from_their_json(
        items in prop::collection::vec(nested(), 0..5),
        pairs in prop::collection::btree_map(any::<String>(), nested(), 0..5),
    ) {
        let list = serde_json::Value::from(items);
        let map = serde_json::Value::Object(pairs.into_iter().collect());
        // `<<` is no name but an instruction, in YAML.
        prop_assume!(!yaml_flow(&list).contains("\"\\U0000003c\\U0000003c\""));
        prop_assume!(!yaml_flow(&map).contains("\"\\U0000003c\\U0000003c\""));
        let flow = format!("{{docker_volumes: {}, docker_env: {}}}", yaml_flow(&list), yaml_flow(&map));
        let policy = Profile::empty().terminal(&flow).policy();
        for (variable, value) in [("TERMINAL_DOCKER_VOLUMES", list), ("TERMINAL_DOCKER_ENV", map)] {
            let rendered = text(&policy, variable).expect("it is set");
            prop_assert!(rendered.is_ascii());
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&rendered).expect("it is JSON"), value);
        }
    }
}

#[test]
fn term_05_python_writes_and_reads_the_same_json() {
    let yaml = r#"{"Z": "q\"\\q", "é": "\u0001\u007f\t\/", "A": [1, -2, 1.5, true, null, {}, []], "lock": "🔒 \u2028"}"#;
    let policy = Profile::empty().terminal(&format!("{{docker_env: {yaml}}}")).policy();
    let rendered = text(&policy, "TERMINAL_DOCKER_ENV").expect("it is set");
    let program = "import json,sys; t=sys.stdin.read(); d=json.loads(t); sys.stdout.write(json.dumps(d))";
    let spawned = Command::new("python3")
        .args(["-I", "-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut python) = spawned else {
        // Where standard error is gone nobody can be told.
        let _ =
            writeln!(std::io::stderr(), "term_05_python_writes_and_reads_the_same_json: skipped: no python3");
        return;
    };
    python.stdin.take().expect("piped").write_all(rendered.as_bytes()).expect("it reads");
    let output = python.wait_with_output().expect("it ends");
    if output.status.success() {
        assert_eq!(
            String::from_utf8(output.stdout).expect("text"),
            rendered,
            "byte for byte, in the file's order"
        );
    } else {
        // A Python that cannot start at all says nothing of our text.
        let starts = Command::new("python3").args(["-I", "-c", "import json"]).output();
        assert!(
            !starts.is_ok_and(|output| output.status.success()),
            "Python cannot read {} bytes",
            rendered.len()
        );
    }
}
