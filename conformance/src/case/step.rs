use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One step of a script (CONF-03). Steps with `do` nest; steps with `as` leave an outcome under that label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "PROTOCOL.md describes each field once, for every language")]
pub enum Step {
    /// Runs its body in the scope of a profile, of the launch profile, or of a handle.
    Scope {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        profile: Option<String>,
        #[serde(default, skip_serializing_if = "is_false")]
        launch: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handle: Option<String>,
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        #[serde(default, skip_serializing_if = "is_false")]
        panics: bool,
        #[serde(rename = "do")]
        body: Vec<Step>,
    },
    /// Runs its body in the launch scope once many profiles are hosted, and as it is before that (HOST-21).
    LaunchScopeIfMany {
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        #[serde(rename = "do")]
        body: Vec<Step>,
    },
    /// Runs its body elsewhere and waits for it.
    Lane {
        kind: LaneKind,
        carry: bool,
        #[serde(rename = "do")]
        body: Vec<Step>,
    },
    /// Runs its body with nothing bound, whatever is around.
    Detached {
        #[serde(rename = "do")]
        body: Vec<Step>,
    },
    /// Runs its body against a second host of the same process, made from the same world.
    OtherHost {
        #[serde(rename = "do")]
        body: Vec<Step>,
    },
    /// Runs its body with nothing bound and without any host, as code that runs before one is set up.
    WithoutHost {
        #[serde(rename = "do")]
        body: Vec<Step>,
    },
    /// Builds a scope and keeps its handle.
    Bind {
        handle: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        profile: Option<String>,
        #[serde(default, skip_serializing_if = "is_false")]
        launch: bool,
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Closes the scope of a handle.
    Close { handle: String },
    /// Builds the scope of a handle anew, in its place.
    Refresh {
        handle: String,
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },

    /// Captures the launch environment by hand.
    Capture {},
    /// Activates.
    Activate {
        #[serde(rename = "as")]
        label: String,
    },
    /// Counts the tenants and decides.
    ActivateEagerly {
        #[serde(rename = "as")]
        label: String,
    },
    /// Sets a variable of the live environment, which is an injected one.
    SetEnv { name: String, value: String },
    /// Removes a variable of the live environment.
    UnsetEnv { name: String },
    /// Writes a file, parents included.
    WriteFile { path: String, text: String },
    /// Removes a file, a link, or a folder with all in it.
    Remove { path: String },
    /// Makes a link, in place of what was there.
    Link { path: String, target: String },
    /// Renames.
    Rename { from: String, to: String },

    /// The names of the profiles.
    ListProfiles {
        #[serde(rename = "as")]
        label: String,
        which: WhichProfiles,
    },
    /// The tenants' homes, sorted.
    Tenants {
        #[serde(rename = "as")]
        label: String,
    },
    /// The id that a requested name stands for.
    FindProfile {
        #[serde(rename = "as")]
        label: String,
        name: String,
    },
    /// The root.
    Root {
        #[serde(rename = "as")]
        label: String,
    },
    /// The launch home.
    LaunchHome {
        #[serde(rename = "as")]
        label: String,
    },
    /// The active profile's id.
    ActiveProfile {
        #[serde(rename = "as")]
        label: String,
    },
    /// The home that is bound.
    Home {
        #[serde(rename = "as")]
        label: String,
    },

    /// A secret, from what is bound or through a handle. A default is applied to absence alone.
    ReadSecret {
        #[serde(rename = "as")]
        label: String,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handle: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
    },
    /// The names of the secrets of what is bound, sorted.
    SecretNames {
        #[serde(rename = "as")]
        label: String,
    },
    /// Which layer a bound secret comes from, and its line.
    SecretOrigin {
        #[serde(rename = "as")]
        label: String,
        name: String,
    },
    /// How a read of a secret is answered here, and why.
    Explain {
        #[serde(rename = "as")]
        label: String,
        name: String,
    },
    /// A terminal setting.
    ReadTerminal {
        #[serde(rename = "as")]
        label: String,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<String>,
    },
    /// The backend that decides where commands run.
    TerminalBackend {
        #[serde(rename = "as")]
        label: String,
    },
    /// Whether something may be started: the value `allowed`, or why not.
    EnsureAllowed {
        #[serde(rename = "as")]
        label: String,
    },
    /// Every entry of the bound policy.
    TerminalEntries {
        #[serde(rename = "as")]
        label: String,
    },
    /// The keys that the bound policy has problems with, sorted.
    TerminalProblems {
        #[serde(rename = "as")]
        label: String,
    },
    /// Which layer an entry of the bound policy comes from, and its line.
    TerminalOrigin {
        #[serde(rename = "as")]
        label: String,
        name: String,
    },
    /// A mapped key of the bound policy, as the type it has.
    TerminalSetting {
        #[serde(rename = "as")]
        label: String,
        key: String,
    },
    /// The environment of a child of what is bound.
    ChildEnv {
        #[serde(rename = "as")]
        label: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pass: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pass_prefixes: Vec<String>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        set: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "is_false")]
        terminal: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        working_directory: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runner_child: Option<RunnerChildParts>,
        #[serde(default, skip_serializing_if = "is_false")]
        dropped: bool,
    },

    /// The runner's id, made if there is none; by several at once where `racers` says so, and then every
    /// id that one of them was given.
    RunnerId {
        #[serde(rename = "as")]
        label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        racers: Option<usize>,
    },
    /// The runner's id, never made.
    LoadRunnerId {
        #[serde(rename = "as")]
        label: String,
    },
    /// A new id in place of the old one.
    RegenerateRunnerId {
        #[serde(rename = "as")]
        label: String,
    },
    /// Whether the id was made on another machine: the value `cloned` or `not-cloned`.
    CheckMachine {
        #[serde(rename = "as")]
        label: String,
    },
    /// The token-bound id.
    TokenId {
        #[serde(rename = "as")]
        label: String,
        token: String,
    },
    /// The typed wiring of the given environment, as far as it is no secret.
    Wiring {
        #[serde(rename = "as")]
        label: String,
    },
    /// Whether a runner is orphaned.
    Orphaned {
        #[serde(rename = "as")]
        label: String,
        expected: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current: Option<u32>,
        #[serde(default, skip_serializing_if = "is_false")]
        adopted: bool,
    },
    /// The adopt signal of a platform.
    AdoptSignal {
        #[serde(rename = "as")]
        label: String,
        platform: PlatformName,
    },
    /// The names that the tunnel is known by.
    Tunnel {
        #[serde(rename = "as")]
        label: String,
    },
    /// An environment without the control plane.
    Strip {
        #[serde(rename = "as")]
        label: String,
        env: BTreeMap<String, String>,
        #[serde(default)]
        names: CaseRuleName,
    },

    /// The assignments of a `.env` text.
    ParseDotenv {
        #[serde(rename = "as")]
        label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
    },
    /// The lines of a `.env` text that are reported: `3`, or `3-5`.
    DotenvReports {
        #[serde(rename = "as")]
        label: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
    },
    /// A value as the writer writes it.
    WriteDotenv {
        #[serde(rename = "as")]
        label: String,
        value: String,
    },
    /// The assignments of a home's `.env`.
    ReadDotenv {
        #[serde(rename = "as")]
        label: String,
        home: String,
    },
    /// A section of a home's `config.yaml`, as text: what is no text is rendered as YAML holds it.
    ReadConfig {
        #[serde(rename = "as")]
        label: String,
        home: String,
        section: String,
    },
}

/// Where a lane runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    /// A new thread.
    Thread,
    /// A task of an executor.
    Task,
    /// A job of a pool for work that blocks.
    Blocking,
}

/// Which profiles are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhichProfiles {
    /// Those that a host may serve.
    Serving,
    /// Parked and standalone ones too.
    Installed,
}

/// A platform by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlatformName {
    /// Linux and every Unix that is not macOS.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

/// How names compare.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseRuleName {
    /// Byte for byte.
    #[default]
    Sensitive,
    /// Without regard to ASCII case.
    Insensitive,
}

/// What a runner's child is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunnerChildParts {
    /// The child's own id.
    pub id: String,
    /// The child's own token.
    pub token: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Step {
    /// The steps inside this one.
    pub fn body(&self) -> &[Step] {
        match self {
            Self::Scope { body, .. }
            | Self::LaunchScopeIfMany { body, .. }
            | Self::Lane { body, .. }
            | Self::Detached { body }
            | Self::OtherHost { body }
            | Self::WithoutHost { body } => body,
            _ => &[],
        }
    }

    /// The label that its outcome stands under.
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::Scope { label, .. }
            | Self::LaunchScopeIfMany { label, .. }
            | Self::Bind { label, .. }
            | Self::Refresh { label, .. } => label.as_deref(),
            Self::Lane { .. }
            | Self::Detached { .. }
            | Self::OtherHost { .. }
            | Self::WithoutHost { .. }
            | Self::Close { .. }
            | Self::Capture {}
            | Self::SetEnv { .. }
            | Self::UnsetEnv { .. }
            | Self::WriteFile { .. }
            | Self::Remove { .. }
            | Self::Link { .. }
            | Self::Rename { .. } => None,
            Self::Activate { label }
            | Self::ActivateEagerly { label }
            | Self::ListProfiles { label, .. }
            | Self::Tenants { label }
            | Self::FindProfile { label, .. }
            | Self::Root { label }
            | Self::LaunchHome { label }
            | Self::ActiveProfile { label }
            | Self::Home { label }
            | Self::ReadSecret { label, .. }
            | Self::SecretNames { label }
            | Self::SecretOrigin { label, .. }
            | Self::Explain { label, .. }
            | Self::ReadTerminal { label, .. }
            | Self::TerminalBackend { label }
            | Self::EnsureAllowed { label }
            | Self::TerminalEntries { label }
            | Self::TerminalProblems { label }
            | Self::TerminalOrigin { label, .. }
            | Self::TerminalSetting { label, .. }
            | Self::ChildEnv { label, .. }
            | Self::RunnerId { label, .. }
            | Self::LoadRunnerId { label }
            | Self::RegenerateRunnerId { label }
            | Self::CheckMachine { label }
            | Self::TokenId { label, .. }
            | Self::Wiring { label }
            | Self::Orphaned { label, .. }
            | Self::AdoptSignal { label, .. }
            | Self::Tunnel { label }
            | Self::Strip { label, .. }
            | Self::ParseDotenv { label, .. }
            | Self::DotenvReports { label, .. }
            | Self::WriteDotenv { label, .. }
            | Self::ReadDotenv { label, .. }
            | Self::ReadConfig { label, .. } => Some(label),
        }
    }
}

/// Every step, nested ones included, outer before inner.
pub(crate) fn walk(script: &[Step]) -> impl Iterator<Item = &Step> {
    let mut open: Vec<std::slice::Iter<'_, Step>> = vec![script.iter()];
    std::iter::from_fn(move || {
        loop {
            match open.last_mut()?.next() {
                Some(step) => {
                    open.push(step.body().iter());
                    return Some(step);
                }
                None => {
                    open.pop();
                }
            }
        }
    })
}
