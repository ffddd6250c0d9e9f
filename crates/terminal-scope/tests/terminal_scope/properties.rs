//! What holds for every input whatever: no ambient value, no guessed backend, one order of layers.

use std::collections::BTreeMap;

use proptest::prelude::*;
use watertight_context::Context;
use watertight_env_snapshot::MapEnv;
use watertight_profile_home::{Yaml, boolean_word, parse_config, parse_dotenv};
use watertight_terminal_scope::{BoundTerminal, TerminalReader, TerminalSchema};
use watertight_vocabulary::{Hosting, Layer};

use crate::support::{Profile, TestHost, managed, policy, text};

/// An environment in which every terminal setting has a value of its own that no file holds.
fn ambient_env() -> MapEnv {
    let env = MapEnv::from([("TERMINAL_NEWKNOB", "ambient-knob"), ("HOME", "/ambient/home")]);
    for key in TerminalSchema::hermes().keys() {
        env.set(key.variable(), format!("ambient-{}", key.key()));
    }
    env.set("TERMINAL_ENV", "singularity");
    env
}

/// Values in the many types that people write.
fn yaml_value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/.:-]{0,10}",
        any::<i64>().prop_map(|n| n.to_string()),
        Just("~".to_owned()),
        Just("[a, 'b', 1.10, {c: d}]".to_owned()),
        Just("{A: 1, B: 'x', ? [y] : z}".to_owned()),
        Just(".inf".to_owned()),
        Just("1.10".to_owned()),
        Just("!vault x".to_owned()),
        Just("&a [*a]".to_owned()),
        Just("'it''s'".to_owned()),
        Just("\"\\u00e9 ${HOME}\"".to_owned()),
        prop::sample::select(vec!["yes", "No", "on", "OFF", "true", "False", "y", "n", "1", "0"])
            .prop_map(str::to_owned),
        prop::sample::select(vec!["local", "docker", " SSH ", "'modal'", "kubernetes", "''"])
            .prop_map(str::to_owned),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let keys: Vec<String> = TerminalSchema::hermes().keys().map(|key| key.key().to_owned()).collect();
    prop_oneof![4 => prop::sample::select(keys), 2 => Just("backend".to_owned()), 1 => "[a-z_]{1,8}"]
}

/// A `config.yaml` that is mostly right.
fn config() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop::collection::vec((key(), yaml_value()), 0..8);
    (lines, prop::sample::select(vec!["", "model: {a: [b]}\n", "x: !mine 1\n", "---\n"])).prop_map(
        |(lines, before)| {
            let mut text = format!("{before}terminal:\n");
            for (key, value) in lines {
                text.extend([format!("  {key}: {value}\n")]);
            }
            text.into_bytes()
        },
    )
}

/// A `.env` that is mostly right.
fn dotenv() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec((key(), "[ -~]{0,12}"), 0..8).prop_map(|lines| {
        let mut text = String::from("API_KEY=canary-secret\n");
        for (key, value) in lines {
            let variable = if key == "backend" { "ENV".to_owned() } else { key.to_uppercase() };
            text.extend([format!("TERMINAL_{variable}={value}\n")]);
        }
        text.into_bytes()
    })
}

/// Bytes as they come from disks: whole, cut short, damaged, or anything at all.
fn damaged(whole: impl Strategy<Value = Vec<u8>> + 'static) -> impl Strategy<Value = Option<Vec<u8>>> {
    let damage = prop_oneof![
        2 => Just(None),
        1 => (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..4)).prop_map(Some),
    ];
    let bytes =
        (whole, damage, any::<prop::sample::Index>(), 0..4_u8).prop_map(|(mut bytes, damage, at, how)| {
            if let (Some((from, with)), false) = (damage, bytes.is_empty()) {
                let (from, at) = (from.index(bytes.len()), at.index(bytes.len()));
                let range = from.min(at)..from.max(at);
                match how {
                    0 => bytes.truncate(from),
                    1 => drop(bytes.splice(range, with)),
                    2 => drop(bytes.splice(from..from, with)),
                    _ => bytes[from] ^= with.first().copied().unwrap_or(1),
                }
            }
            bytes
        });
    prop_oneof![
        1 => Just(None),
        8 => bytes.prop_map(Some),
        2 => prop::collection::vec(any::<u8>(), 0..64).prop_map(Some),
        1 => any::<String>().prop_map(|text| Some(format!("terminal: {text}").into_bytes())),
    ]
}

/// What the two files say of the backend: nothing can be said, or this name (`None`: the default).
fn spoken(dotenv: Option<&[u8]>, config: Option<&[u8]>) -> Result<Option<String>, ()> {
    let env = match dotenv {
        Some(bytes) => parse_dotenv(bytes)
            .map_err(drop)?
            .get("TERMINAL_ENV")
            .map(|entry| String::from_utf8_lossy(entry.value().expose_bytes()).into_owned()),
        None => None,
    };
    let Some(bytes) = config else { return Ok(env) };
    let config = parse_config(bytes).map_err(drop)?;
    match config.section("terminal").map_err(drop)?.get("backend") {
        None | Some(Yaml::Null) => Ok(env),
        Some(Yaml::Text(name)) if boolean_word(name.as_str().trim()).is_none() => {
            Ok(Some(name.as_str().to_owned()))
        }
        Some(_) => Err(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 768, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn term_42_no_input_gives_an_ambient_value_or_a_guessed_backend(
        dotenv in damaged(dotenv()),
        config in damaged(config()),
        many in any::<bool>(),
        foreign in any::<bool>(),
    ) {
        let mut profile = Profile::empty();
        if let Some(bytes) = &dotenv {
            profile = profile.dotenv(bytes);
        }
        if let Some(bytes) = &config {
            profile = profile.config(bytes);
        }
        let host = TestHost::new(ambient_env());
        if many {
            host.activate();
        }
        let bound = profile.builder().build();
        let spoken = spoken(dotenv.as_deref(), config.as_deref());
        prop_assert_eq!(spoken.is_err(), bound.refusal().is_some(), "what says nothing is a refusal");
        if let Some(refusal) = bound.refusal() {
            prop_assert!(refusal.path().is_some() && refusal.mend().is_some());
        }
        let no_launch = || -> BoundTerminal { panic!("a policy or refusal is bound, so nobody asks") };
        let scope = Context::builder().host(host.host()).foreign_home(foreign).with(bound).build();
        scope.run(|| -> Result<(), TestCaseError> {
            let reader = TerminalReader::ambient(&host, &no_launch);
            let keys = TerminalSchema::hermes();
            let names = keys.keys().map(|key| key.variable().to_string());
            for name in names.chain(["TERMINAL_NEWKNOB".to_owned(), "HOME".to_owned()]) {
                match (reader.read(&name, None), &spoken) {
                    (Ok(value), Ok(_)) => {
                        let seen = value.is_some_and(|value| value.expose_bytes().starts_with(b"ambient"));
                        prop_assert!(!seen, "{} came from the environment", name);
                    }
                    (Err(error), Ok(_)) => prop_assert!(["spelling-lost", "not-renderable"].contains(&error.code())),
                    (answer, Err(())) => {
                        prop_assert_eq!(answer.map(drop).map_err(|e| e.code()), Err("unavailable"));
                    }
                }
            }
            match (reader.backend(), &spoken) {
                (Ok(backend), Ok(name)) => {
                    let name = name.as_deref().unwrap_or("local").trim().to_lowercase();
                    prop_assert_eq!(backend.as_str(), name, "it is what is written, or nothing is");
                }
                (Err(error), Ok(name)) => {
                    prop_assert_eq!(error.code(), "unknown-backend");
                    prop_assert!(name.is_some(), "the default is known");
                }
                (answer, Err(())) => prop_assert_eq!(answer.map(drop).map_err(|e| e.code()), Err("unavailable")),
            }
            Ok(())
        })?;
    }

    #[test]
    fn term_09_typed_reads_of_any_text_never_guess(value in any::<String>(), key in key()) {
        let variable = if key == "backend" { "TERMINAL_ENV".to_owned() } else { format!("TERMINAL_{}", key.to_uppercase()) };
        let env = MapEnv::from([(variable.as_str(), value.as_str())]);
        let policy = policy(Profile::empty().builder().launch_environment(&env).build());
        let own = policy.get(&variable).expect("an environment's value has text").expect("it is set");
        prop_assert!(own.matches(&value) || key == "cwd", "copied unchanged");
        if let Ok(Some(number)) = policy.integer(&key) {
            prop_assert_eq!(number.to_string(), value.replace("-0", "0"));
        }
        if let Ok(Some(number)) = policy.number(&key) {
            prop_assert_eq!(Ok(number), value.parse::<f64>());
        }
        if let Ok(Some(word)) = policy.boolean(&key) {
            prop_assert_eq!(Some(word), boolean_word(&value));
        }
        if key == "backend" && let Ok(backend) = policy.backend() {
            prop_assert_eq!(backend.as_str(), value.trim().to_lowercase());
        }
    }

    #[test]
    fn term_01_any_stack_of_layers_equals_a_small_model(
        dotenv in layer(), environment in layer(), yaml in layer(), administrator in layer(), launch in any::<bool>(),
    ) {
        let lines = |layer: &BTreeMap<String, String>| {
            let lines = layer.iter().map(|(key, value)| format!("{}={value}", variable(key)));
            lines.collect::<Vec<_>>().join("\n")
        };
        let section: Vec<String> = yaml.iter().map(|(key, value)| format!("  {key}: {value}\n")).collect();
        let section = section.concat();
        let profile = Profile::empty().dotenv(lines(&dotenv)).config(format!("terminal:\n{section}"));
        let env: MapEnv = environment.iter().map(|(key, value)| (variable(key), value.clone())).collect();
        let managed = managed(&lines(&administrator));
        let builder = profile.builder().managed(&managed);
        let policy = policy(if launch { builder.launch_environment(&env).build() } else { builder.build() });

        let none = BTreeMap::new();
        let overlay = if launch { &environment } else { &none };
        let layers = [(&administrator, Layer::Managed), (&yaml, Layer::ConfigYaml), (overlay, Layer::LaunchEnvironment), (&dotenv, Layer::Dotenv)];
        for key in TEXT_KEYS {
            let winner = layers.iter().find_map(|(layer, name)| Some((layer.get(key)?, *name)));
            let variable = variable(key);
            let origin = policy.origin(&variable).expect("every mapped key is answered").layer();
            prop_assert_eq!(origin, winner.map_or(Layer::Default, |(_, layer)| layer));
            if let Some((value, _)) = winner {
                prop_assert_eq!(text(&policy, &variable), Some(value.clone()));
            }
        }
    }
}

const TEXT_KEYS: [&str; 5] = ["ssh_host", "ssh_user", "temp_dir", "modal_image", "docker_shm_size"];

fn variable(key: &str) -> String {
    format!("TERMINAL_{}", key.to_uppercase())
}

fn layer() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop::collection::btree_map(
        prop::sample::select(TEXT_KEYS.to_vec()).prop_map(str::to_owned),
        "canary-[a-z]{6}",
        0..5,
    )
}
