//! Worlds and scripts as they are generated, and how they become a case.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use watertight_conformance::case::{
    Case, EntryKind, Expected, Given, HostOptions, LaneKind, Level, Step, TreeEntry,
};

use crate::model::{Bound, Files, Model, Vars};

pub(crate) const PROFILES: [&str; 4] = ["default", "one", "two", "three"];

/// How many handles a script keeps.
const HANDLES: usize = 2;

/// A name of each class, and some more secrets.
pub(crate) const NAMES: [&str; 7] = [
    "A_KEY",
    "B_KEY",
    "C_KEY",
    "TZ",
    "TERMINAL_KNOB",
    "TERMINAL_TIMEOUT",
    "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN",
];

/// How many of the names, from the first, are secrets.
const SECRETS: usize = 3;

/// Which names a file or an environment holds.
type Held = [bool; NAMES.len()];

#[derive(Debug, Clone)]
pub(crate) struct World {
    profiles: usize,
    launch: usize,
    env: Held,
    files: [Option<Held>; PROFILES.len()],
    timeouts: [Option<u16>; PROFILES.len()],
    shared: [bool; SECRETS],
    managed: Option<Held>,
}

#[derive(Debug, Clone)]
pub(crate) enum Action {
    Read(usize),
    Terminal(usize),
    Home,
    Activate,
    SetEnv(usize),
    Rewrite(usize, Held),
    Scope { profile: usize, panics: bool, body: Vec<Action> },
    IfMany(Vec<Action>),
    Bind(usize, usize),
    Within(usize, Vec<Action>),
    Close(usize),
    Refresh(usize),
    ReadThrough(usize, usize),
    Lane { kind: LaneKind, carry: bool, body: Vec<Action> },
    Detached(Vec<Action>),
}

pub(crate) fn worlds() -> impl Strategy<Value = World> {
    let parts = (1..=PROFILES.len(), any::<prop::sample::Index>(), any::<Held>());
    let files = (any::<[Option<Held>; PROFILES.len()]>(), any::<[Option<u16>; PROFILES.len()]>());
    let above_and_below = (any::<[bool; SECRETS]>(), any::<Option<Held>>());
    (parts, files, above_and_below).prop_map(
        |((profiles, launch, env), (files, timeouts), (shared, managed))| World {
            profiles,
            launch: launch.index(profiles),
            env,
            files,
            timeouts,
            shared,
            managed,
        },
    )
}

pub(crate) fn scripts() -> impl Strategy<Value = Vec<Action>> {
    let leaf = prop_oneof![
        6 => (0..NAMES.len()).prop_map(Action::Read),
        3 => (4..6_usize).prop_map(Action::Terminal),
        1 => Just(Action::Home),
        1 => Just(Action::Activate),
        1 => (0..NAMES.len()).prop_map(Action::SetEnv),
        1 => (0..PROFILES.len(), any::<Held>()).prop_map(|(profile, held)| Action::Rewrite(profile, held)),
        2 => (0..HANDLES, 0..PROFILES.len()).prop_map(|(handle, profile)| Action::Bind(handle, profile)),
        1 => (0..HANDLES).prop_map(Action::Close),
        1 => (0..HANDLES).prop_map(Action::Refresh),
        2 => (0..HANDLES, 0..NAMES.len()).prop_map(|(handle, name)| Action::ReadThrough(handle, name)),
    ];
    let action = leaf.prop_recursive(4, 32, 5, |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..5);
        let kind = prop_oneof![Just(LaneKind::Thread), Just(LaneKind::Task), Just(LaneKind::Blocking)];
        prop_oneof![
            4 => (0..PROFILES.len(), any::<bool>(), body())
                .prop_map(|(profile, panics, body)| Action::Scope { profile, panics, body }),
            1 => body().prop_map(Action::IfMany),
            3 => (0..HANDLES, body()).prop_map(|(handle, body)| Action::Within(handle, body)),
            2 => (kind, any::<bool>(), body()).prop_map(|(kind, carry, body)| Action::Lane { kind, carry, body }),
            1 => body().prop_map(Action::Detached),
        ]
    });
    prop::collection::vec(action, 1..8)
}

/// A read of a script: of what name, and for which profile, if one is bound or its handle is used.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) profile: Option<&'static str>,
}

/// Makes a case of a world and a script, and has the model say what each label comes to.
pub(crate) fn case(world: &World, actions: &[Action]) -> Case {
    case_and_reads(world, actions).0
}

/// As [`case`], and by its label what each read asks.
pub(crate) fn case_and_reads(world: &World, actions: &[Action]) -> (Case, BTreeMap<String, Asked>) {
    let (expect, reads) = (BTreeMap::new(), BTreeMap::new());
    let mut writer = Writer { values: 0, labels: 0, expect, reads, profiles: world.profiles };
    let mut tree = Vec::new();
    let mut homes = Vec::new();
    for (profile, name) in PROFILES.into_iter().enumerate().take(world.profiles) {
        let dotenv = world.files[profile].map(|held| writer.vars(name, held));
        let timeout = world.timeouts[profile].map(|timeout| timeout.to_string());
        tree.push(file(profile, "SOUL.md", "x".to_owned()));
        tree.extend(dotenv.as_ref().map(|vars| file(profile, ".env", text(vars))));
        let yaml = timeout.as_ref().map(|timeout| format!("terminal: {{timeout: {timeout}}}\n"));
        tree.extend(yaml.map(|yaml| file(profile, "config.yaml", yaml)));
        homes.push(Files { dotenv: dotenv.unwrap_or_default(), timeout });
    }
    let env = writer.vars("env", world.env);
    let shared = NAMES.iter().zip(world.shared).filter(|(_, shared)| *shared);
    let shared: Vec<_> = shared.map(|(name, _)| (*name).to_owned()).collect();
    let managed = world.managed.map(|held| writer.vars("managed", held));
    let mut model = Model::new(world.launch, homes, env.clone());
    model.shared.clone_from(&shared);
    if let Some(managed) = &managed {
        model.managed.clone_from(managed);
        tree.push(entry("etc/.env".to_owned(), text(managed)));
    }
    let script = writer.steps(actions, &mut model, None);
    let mut env: Vars = env;
    env.extend(managed.map(|_| ("HERMES_MANAGED_DIR".to_owned(), "{root}/etc".to_owned())));
    env.insert("HOME".to_owned(), "{root}".to_owned());
    let case = Case {
        id: "context/generated".to_owned(),
        about: "A generated world and script.".to_owned(),
        rules: vec!["CONF-20".to_owned(), "CONF-22".to_owned()],
        level: Level::Core,
        refs: Vec::new(),
        platforms: Vec::new(),
        requires: Vec::new(),
        given: Given {
            env,
            launch_home: (world.launch > 0).then(|| format!("{{root}}/{}", home(world.launch))),
            tree,
            host: HostOptions { shared, ..HostOptions::default() },
            ..Given::default()
        },
        script,
        expect: writer.expect,
        tree: None,
    };
    (case, writer.reads)
}

fn home(profile: usize) -> String {
    match profile {
        0 => ".hermes".to_owned(),
        other => format!(".hermes/profiles/{}", PROFILES[other]),
    }
}

fn name_of(handle: usize) -> String {
    format!("h{handle}")
}

fn file(profile: usize, name: &str, text: String) -> TreeEntry {
    entry(format!("{}/{name}", home(profile)), text)
}

fn entry(path: String, text: String) -> TreeEntry {
    let kind = EntryKind::File;
    TreeEntry { path, kind, text: Some(text), base64: None, repeat: None, mode: None, target: None }
}

fn text(vars: &Vars) -> String {
    vars.iter().map(|(name, value)| [name, "=", value, "\n"].concat()).collect()
}

/// Writes steps and expectations. Every value it makes is another one.
struct Writer {
    values: usize,
    labels: usize,
    expect: BTreeMap<String, Expected>,
    reads: BTreeMap<String, Asked>,
    profiles: usize,
}

impl Writer {
    fn value(&mut self, place: &str) -> String {
        self.values += 1;
        format!("canary-{place}-{}", self.values)
    }

    fn vars(&mut self, place: &str, held: Held) -> Vars {
        let names = NAMES.iter().zip(held).filter(|(_, held)| *held);
        names.map(|(name, _)| ((*name).to_owned(), self.value(place))).collect()
    }

    fn label(&mut self, expected: Expected) -> String {
        self.labels += 1;
        let label = format!("l{:03}", self.labels);
        self.expect.insert(label.clone(), expected);
        label
    }

    fn read(&mut self, model: &Model, bound: Option<&Bound>, name: &str) -> String {
        let label = self.label(model.secret(bound, name));
        let profile = bound.map(|bound| PROFILES[bound.profile]);
        self.reads.insert(label.clone(), Asked { name: name.to_owned(), profile });
        label
    }

    fn steps(&mut self, actions: &[Action], model: &mut Model, bound: Option<&Bound>) -> Vec<Step> {
        actions.iter().map(|action| self.step(action, model, bound)).collect()
    }

    fn step(&mut self, action: &Action, model: &mut Model, bound: Option<&Bound>) -> Step {
        match action {
            Action::Read(name) => {
                let name = NAMES[*name].to_owned();
                let label = self.read(model, bound, &name);
                Step::ReadSecret { label, name, handle: None, default: None }
            }
            Action::Terminal(name) => {
                let name = NAMES[*name].to_owned();
                let label = self.label(model.terminal(bound, &name));
                Step::ReadTerminal { label, name, default: None }
            }
            Action::Home => {
                let shown = |profile| Expected::Value(json!(format!("{{root}}/{}", home(profile))));
                let label = self.label(model.home(bound, shown));
                Step::Home { label }
            }
            Action::Activate => {
                let decision = if model.many() { "already-active" } else { "activated" };
                model.activate();
                Step::Activate { label: self.label(Expected::Value(json!(decision))) }
            }
            Action::SetEnv(name) => {
                let (name, value) = (NAMES[*name].to_owned(), self.value("live"));
                model.live.insert(name.clone(), value.clone());
                Step::SetEnv { name, value }
            }
            Action::Rewrite(profile, held) => {
                let profile = profile % self.profiles;
                let vars = self.vars(PROFILES[profile], *held);
                let step = Step::WriteFile { path: format!("{}/.env", home(profile)), text: text(&vars) };
                model.homes[profile].dotenv = vars;
                step
            }
            Action::Scope { profile, panics, body } => {
                let profile = profile % self.profiles;
                let bound = model.scope(profile);
                Step::Scope {
                    profile: Some(PROFILES[profile].to_owned()),
                    launch: false,
                    handle: None,
                    label: None,
                    panics: *panics,
                    body: self.steps(body, model, Some(&bound)),
                }
            }
            Action::IfMany(body) => self.if_many(body, model, bound),
            Action::Bind(handle, profile) => {
                let profile = profile % self.profiles;
                model.bind(*handle, profile);
                let (handle, profile) = (name_of(*handle), Some(PROFILES[profile].to_owned()));
                Step::Bind { handle, profile, launch: false, label: None }
            }
            // What was never bound is left alone.
            Action::Within(handle, _)
            | Action::Close(handle)
            | Action::Refresh(handle)
            | Action::ReadThrough(handle, _)
                if model.handle(*handle).is_none() =>
            {
                Step::Detached { body: Vec::new() }
            }
            Action::Within(handle, body) => {
                let bound = model.handle(*handle);
                let body = self.steps(body, model, bound.as_ref());
                let handle = Some(name_of(*handle));
                Step::Scope { profile: None, launch: false, handle, label: None, panics: false, body }
            }
            Action::Close(handle) => {
                model.close(*handle);
                Step::Close { handle: name_of(*handle) }
            }
            Action::Refresh(handle) => {
                model.refresh(*handle);
                Step::Refresh { handle: name_of(*handle), label: None }
            }
            Action::ReadThrough(handle, name) => {
                let (bound, name) = (model.handle(*handle), NAMES[*name].to_owned());
                let label = self.read(model, bound.as_ref(), &name);
                Step::ReadSecret { label, name, handle: Some(name_of(*handle)), default: None }
            }
            Action::Lane { kind, carry, body } => {
                let bound = bound.filter(|_| *carry);
                Step::Lane { kind: *kind, carry: *carry, body: self.steps(body, model, bound) }
            }
            Action::Detached(body) => Step::Detached { body: self.steps(body, model, None) },
        }
    }

    fn if_many(&mut self, body: &[Action], model: &mut Model, bound: Option<&Bound>) -> Step {
        if bound.is_some_and(|bound| bound.profile != model.launch) {
            let label = Some(self.label(Expected::Error("would-switch-profile".to_owned())));
            return Step::LaunchScopeIfMany { label, body: Vec::new() };
        }
        let launch = model.many().then(|| model.scope(model.launch));
        let body = self.steps(body, model, launch.as_ref().or(bound));
        Step::LaunchScopeIfMany { label: None, body }
    }
}
