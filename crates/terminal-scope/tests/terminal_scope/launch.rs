//! The launch overlay (TERM-01), as a table: what the environment that a process was started with does to its
//! own profile, and to no other.

use watertight_env_snapshot::{EnvSnapshot, MapEnv};
use watertight_vocabulary::CaseRule;

use crate::support::{Profile, policy, text};

#[test]
fn term_01_the_launch_environment_is_a_layer_of_the_launch_profile_alone() {
    // (launch environment, .env, terminal section, variable, launch profile, any other profile)
    type Row = (
        &'static [(&'static str, &'static str)],
        &'static str,
        &'static str,
        &'static str,
        Option<&'static str>,
        Option<&'static str>,
    );
    let env: &[(&str, &str)] = &[("TERMINAL_ENV", "ssh"), ("TERMINAL_SSH_HOST", "canary-host")];
    let table: &[Row] = &[
        // A policy that only a service manager knows stays the launch profile's.
        (env, "", "{}", "TERMINAL_ENV", Some("ssh"), Some("local")),
        (env, "", "{}", "TERMINAL_SSH_HOST", Some("canary-host"), Some("")),
        (env, "", "{}", "TERMINAL_CWD", None, Some("/home/user")),
        // It beats `.env`, and `config.yaml` beats it.
        (env, "TERMINAL_ENV=modal", "{}", "TERMINAL_ENV", Some("ssh"), Some("modal")),
        (env, "TERMINAL_ENV=modal", "{backend: docker}", "TERMINAL_ENV", Some("docker"), Some("docker")),
        (env, "", "{backend: docker}", "TERMINAL_SSH_HOST", Some("canary-host"), Some("")),
        (env, "", "{backend: ~}", "TERMINAL_ENV", Some("ssh"), Some("local")),
        // Terminal names only, mapped or not, empty ones included.
        (&[("TERMINAL_NEWKNOB", "canary-1")], "", "{}", "TERMINAL_NEWKNOB", Some("canary-1"), None),
        (&[("TERMINAL_TIMEOUT", "")], "", "{}", "TERMINAL_TIMEOUT", Some(""), Some("180")),
        (&[("TERMINAL_", "canary-1")], "", "{}", "TERMINAL_", Some("canary-1"), None),
        (&[("API_KEY", "canary-1")], "", "{}", "API_KEY", None, None),
        (&[("TERMINALX", "canary-1")], "", "{}", "TERMINALX", None, None),
        (&[("terminal_env", "docker")], "", "{}", "TERMINAL_ENV", Some("local"), Some("local")),
        (&[("HERMES_HOME", "/canary"), ("PATH", "/canary")], "", "{}", "PATH", None, None),
        // What is computed is taken from no layer.
        (
            &[("TERMINAL_DOCKER_IMAGE_PINNED", "1")],
            "",
            "{}",
            "TERMINAL_DOCKER_IMAGE_PINNED",
            Some("0"),
            Some("0"),
        ),
    ];
    for (pairs, dotenv, section, variable, launch, other) in table {
        let env: MapEnv = pairs.iter().copied().collect();
        let profile = Profile::empty().dotenv(dotenv).terminal(section);
        let snapshot = EnvSnapshot::of(&env, CaseRule::Sensitive);
        let live = policy(profile.builder().launch_environment(&env).build());
        let frozen = policy(profile.builder().launch_environment(&snapshot).build());
        let row = format!("{variable} under {pairs:?} {dotenv} {section}");
        assert_eq!(text(&live, variable).as_deref(), *launch, "{row}");
        assert_eq!(text(&frozen, variable), text(&live, variable), "{row}: activation changes nothing");
        assert_eq!(
            text(&profile.policy(), variable).as_deref(),
            *other,
            "{row}: and no other profile sees it"
        );
    }
}
