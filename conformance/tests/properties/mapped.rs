//! A policy answers every mapped key, and the environment none (CONF-25).

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use watertight_conformance::case::{Case, EntryKind, Expected, Given, Level, Step, TreeEntry};

use crate::{holds, tries};

/// Every mapped key as a variable, and its default as text. The working directory's is computed.
#[rustfmt::skip]
const MAPPED: [(&str, &str); 35] = [
    ("TERMINAL_ENV", "local"),
    ("TERMINAL_MODAL_MODE", "auto"),
    ("TERMINAL_DEGRADED_MODE", "warn"),
    ("TERMINAL_CWD", ""),
    ("TERMINAL_TEMP_DIR", ""),
    ("TERMINAL_TIMEOUT", "180"),
    ("TERMINAL_LIFETIME_SECONDS", "300"),
    ("TERMINAL_DOCKER_IMAGE", "nousresearch/hermes-sandbox:desktop"),
    ("TERMINAL_DOCKER_FORWARD_ENV", "[]"),
    ("TERMINAL_SINGULARITY_IMAGE", "docker://nousresearch/hermes-sandbox:desktop"),
    ("TERMINAL_MODAL_IMAGE", "nousresearch/hermes-sandbox:desktop"),
    ("TERMINAL_DAYTONA_IMAGE", "nousresearch/hermes-sandbox:desktop"),
    ("TERMINAL_VERCEL_RUNTIME", ""),
    ("TERMINAL_VERCEL_IMAGE", "vercel/sandbox/universal:latest"),
    ("TERMINAL_SSH_HOST", ""),
    ("TERMINAL_SSH_USER", ""),
    ("TERMINAL_SSH_PORT", "22"),
    ("TERMINAL_SSH_KEY", ""),
    ("TERMINAL_CONTAINER_CPU", "1"),
    ("TERMINAL_CONTAINER_MEMORY", "5120"),
    ("TERMINAL_CONTAINER_DISK", "51200"),
    ("TERMINAL_CONTAINER_PERSISTENT", "True"),
    ("TERMINAL_DOCKER_VOLUMES", "[]"),
    ("TERMINAL_DOCKER_ENV", "{}"),
    ("TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE", "False"),
    ("TERMINAL_DOCKER_NETWORK", "True"),
    ("TERMINAL_DOCKER_EXTRA_ARGS", "[]"),
    ("TERMINAL_DOCKER_SHM_SIZE", "1g"),
    ("TERMINAL_DOCKER_RUN_AS_HOST_USER", "False"),
    ("TERMINAL_DOCKER_SNAP_COMPAT", "False"),
    ("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "True"),
    ("TERMINAL_DOCKER_SHARED_CONTAINER_KEY", ""),
    ("TERMINAL_DOCKER_ORPHAN_REAPER", "True"),
    ("TERMINAL_SANDBOX_DIR", ""),
    ("TERMINAL_PERSISTENT_SHELL", "True"),
];

/// A terminal setting that no key is mapped to.
const UNMAPPED: &str = "TERMINAL_KNOB";

fn file(path: &str, text: String) -> TreeEntry {
    let (path, text) = (path.to_owned(), Some(text));
    TreeEntry { path, kind: EntryKind::File, text, base64: None, repeat: None, mode: None, target: None }
}

/// TERM-01 and TERM-06 for a profile that has a `.env` alone, with the launch environment for the launch profile.
fn expected(variable: &str, dotenv: &BTreeMap<&str, String>, launch: Option<&str>) -> Expected {
    let layer = |variable: &str| launch.map(|_| ambient(variable)).or_else(|| dotenv.get(variable).cloned());
    let default =
        MAPPED.iter().find(|(mapped, _)| *mapped == variable).map(|(_, default)| (*default).to_owned());
    let set = match (variable, layer(variable)) {
        ("TERMINAL_CWD", None) => layer("TERMINAL_ENV").is_none().then(|| "{root}".to_owned()),
        (_, set) => set.or(default),
    };
    set.map_or(Expected::Absent, |value| Expected::Value(json!(value)))
}

/// What the environment says of a variable.
fn ambient(variable: &str) -> String {
    format!("canary-ambient-{variable}")
}

fn read_all(script: &mut Vec<Step>, turn: &str) {
    for name in MAPPED.iter().map(|(name, _)| *name).chain([UNMAPPED]) {
        let label = format!("{turn} {name}");
        script.push(Step::ReadTerminal { label, name: name.to_owned(), default: None });
    }
}

/// A scope in which everything is read, twice: before and after the live environment says something else of each.
fn case(launch: bool, held: &[bool]) -> Case {
    let names: Vec<&str> = MAPPED.iter().map(|(name, _)| *name).chain([UNMAPPED]).collect();
    let dotenv: BTreeMap<_, _> = names
        .iter()
        .zip(held)
        .filter(|(_, held)| **held)
        .map(|(name, _)| (*name, format!("canary-file-{name}")))
        .collect();
    let text: String = dotenv.iter().map(|(name, value)| [name, "=", value, "\n"].concat()).collect();
    let mut env: BTreeMap<_, _> = names.iter().map(|name| ((*name).to_owned(), ambient(name))).collect();
    env.insert("HOME".to_owned(), "{root}".to_owned());
    let mut body = Vec::new();
    read_all(&mut body, "before");
    let live = |name: &&str| Step::SetEnv { name: (*name).to_owned(), value: format!("canary-live-{name}") };
    body.extend(names.iter().map(live));
    read_all(&mut body, "after");
    let home = if launch { ".hermes" } else { ".hermes/profiles/one" };
    let profile = (!launch).then(|| "one".to_owned());
    let mut expect = BTreeMap::from([("many".to_owned(), Expected::Value(json!("activated")))]);
    for (turn, name) in ["before", "after"].iter().flat_map(|turn| names.iter().map(move |name| (turn, name)))
    {
        expect.insert(format!("{turn} {name}"), expected(name, &dotenv, launch.then_some("launch")));
    }
    Case {
        id: "terminal-scope/generated".to_owned(),
        about: "Every mapped key is read.".to_owned(),
        rules: vec!["CONF-25".to_owned()],
        level: Level::Core,
        refs: Vec::new(),
        platforms: Vec::new(),
        requires: Vec::new(),
        given: Given {
            env,
            tree: vec![
                file(".hermes/profiles/one/SOUL.md", "x".to_owned()),
                file(&format!("{home}/.env"), text),
            ],
            ..Given::default()
        },
        script: vec![
            Step::Activate { label: "many".to_owned() },
            Step::Scope { profile, launch, handle: None, label: None, panics: false, body },
        ],
        expect,
        tree: None,
    }
}

proptest! {
    #![proptest_config(tries(64))]

    #[test]
    fn conf_25_every_mapped_key_is_answered_by_the_policy_alone(
        launch in any::<bool>(),
        held in prop::collection::vec(any::<bool>(), MAPPED.len() + 1),
    ) {
        holds(&case(launch, &held))?;
    }
}

#[test]
fn conf_25_what_no_layer_sets_is_the_default_and_never_what_the_environment_says() {
    let case = case(false, &[false; MAPPED.len() + 1]);
    for expected in case.expect.values() {
        assert!(!serde_json::to_string(expected).expect("JSON").contains("canary-"), "{expected:?}");
    }
    holds(&case).expect("a policy is complete");
}
