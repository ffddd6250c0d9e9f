//! What a subject must be able to do for a case: a closed list (CONF-02, CONF-11).

use super::{Case, Step};

/// Every capability that there is. PROTOCOL.md says what each stands for.
pub const CAPABILITIES: [&str; 29] = [
    "activation",
    "child-env",
    "control-plane",
    "dotenv-reports",
    "explain",
    "handles",
    "lanes",
    "machine",
    "managed",
    "no-host",
    "not-unicode",
    "panics",
    "parse-dotenv",
    "profile-files",
    "profiles",
    "provenance",
    "runner-id",
    "scopes",
    "secrets",
    "shared-names",
    "sources",
    "strip",
    "terminal",
    "terminal-types",
    "token-id",
    "two-hosts",
    "wiring",
    "world",
    "write-dotenv",
];

/// The variable that says where the administrator's folder is.
const MANAGED: &str = "HERMES_MANAGED_DIR";

impl Case {
    /// Every capability that a subject needs for this case: those of its steps, of the way its host is set
    /// up, and those it names.
    pub fn capabilities(&self) -> Vec<String> {
        let mut needed: Vec<&str> = self.steps().map(Step::capability).collect();
        needed.extend(self.requires.iter().map(String::as_str));
        let is_panic = |step: &Step| matches!(step, Step::Scope { panics: true, .. });
        let is_managed = |step: &Step| matches!(step, Step::SetEnv { name, .. } if name == MANAGED);
        let host = &self.given.host;
        for (capability, is_needed) in [
            ("panics", self.steps().any(is_panic)),
            ("managed", self.given.env.contains_key(MANAGED) || self.steps().any(is_managed)),
            ("control-plane", !host.control_plane.is_empty()),
            ("shared-names", !host.shared.is_empty()),
            ("sources", !host.sources.is_empty()),
            ("machine", host.machine.is_some()),
            ("not-unicode", !self.given.env_bytes.is_empty()),
        ] {
            needed.extend(is_needed.then_some(capability));
        }
        needed.sort_unstable();
        needed.dedup();
        needed.into_iter().map(str::to_owned).collect()
    }
}

impl Step {
    /// What a subject must be able to do for it.
    pub fn capability(&self) -> &'static str {
        match self {
            Self::Scope { .. } | Self::LaunchScopeIfMany { .. } | Self::Capture {} => "scopes",
            Self::Activate { .. } | Self::ActivateEagerly { .. } => "activation",
            Self::SetEnv { .. }
            | Self::UnsetEnv { .. }
            | Self::WriteFile { .. }
            | Self::Remove { .. }
            | Self::Link { .. }
            | Self::Rename { .. } => "world",
            Self::Lane { .. } | Self::Detached { .. } => "lanes",
            Self::OtherHost { .. } => "two-hosts",
            Self::WithoutHost { .. } => "no-host",
            Self::Bind { .. } | Self::Close { .. } | Self::Refresh { .. } => "handles",
            Self::ListProfiles { .. }
            | Self::Tenants { .. }
            | Self::FindProfile { .. }
            | Self::Root { .. }
            | Self::LaunchHome { .. }
            | Self::ActiveProfile { .. } => "profiles",
            Self::Home { .. } | Self::ReadSecret { .. } => "secrets",
            Self::SecretNames { .. } | Self::SecretOrigin { .. } | Self::TerminalOrigin { .. } => {
                "provenance"
            }
            Self::Explain { .. } => "explain",
            Self::ReadTerminal { .. }
            | Self::TerminalBackend { .. }
            | Self::EnsureAllowed { .. }
            | Self::TerminalEntries { .. }
            | Self::TerminalProblems { .. } => "terminal",
            Self::TerminalSetting { .. } => "terminal-types",
            Self::ChildEnv { .. } => "child-env",
            Self::RunnerId { .. } | Self::LoadRunnerId { .. } | Self::RegenerateRunnerId { .. } => {
                "runner-id"
            }
            Self::CheckMachine { .. } => "machine",
            Self::TokenId { .. } => "token-id",
            Self::Wiring { .. } | Self::Orphaned { .. } | Self::AdoptSignal { .. } | Self::Tunnel { .. } => {
                "wiring"
            }
            Self::Strip { .. } => "strip",
            Self::ParseDotenv { .. } => "parse-dotenv",
            Self::DotenvReports { .. } => "dotenv-reports",
            Self::WriteDotenv { .. } => "write-dotenv",
            Self::ReadDotenv { .. } | Self::ReadConfig { .. } => "profile-files",
        }
    }
}
