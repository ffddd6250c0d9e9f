//! What a name stands for.

use std::ffi::OsStr;
use std::sync::Arc;

use proptest::prelude::*;
use watertight_vocabulary::{
    CaseRule, Classes, ControlPlane, HermesClasses, NameClass, NameClasses, Platform, RUNNER_AUTH_SECRETS,
};

/// The exact global names, as the specification lists them.
const GLOBAL: &str = "HERMES_HOME HERMES_PROFILE HERMES_GATEWAY_LOCK_DIR HERMES_MAX_ITERATIONS \
    HERMES_API_TIMEOUT HERMES_REDACT_SECRETS HERMES_NOUS_TIMEOUT_SECONDS _HERMES_GATEWAY PATH HOME USER LANG \
    LC_ALL TZ PWD SHELL TMPDIR VIRTUAL_ENV PYTHONPATH SSL_CERT_FILE HERMES_KANBAN_DB \
    HERMES_KANBAN_WORKSPACES_ROOT HERMES_KANBAN_BOARD API_SERVER_ENABLED API_SERVER_HOST API_SERVER_PORT \
    API_SERVER_CORS_ORIGINS GATEWAY_RELAY_URL GATEWAY_RELAY_ENDPOINT GATEWAY_RELAY_ALLOW_DIRECT_PLATFORMS \
    GATEWAY_RELAY_PLATFORMS GATEWAY_RELAY_BOT_IDS GATEWAY_RELAY_ROUTE_KEYS GATEWAY_RELAY_INSTANCE_ID \
    GATEWAY_RELAY_WAKE_URL GATEWAY_RELAY_DISPLAY_NAME";

/// Names that look like settings of the process and are none.
const SECRETS: [&str; 24] = [
    "API_SERVER_KEY",
    "GATEWAY_RELAY_SECRET",
    "GATEWAY_RELAY_ID",
    "GATEWAY_RELAY_DELIVERY_KEY",
    "TELEGRAM_BOT_TOKEN",
    "HERMES_TELEGRAM_BOT_TOKEN",
    "HERMES_TELEGRAM_TOKEN",
    "HERMES_KANBAN_API_KEY",
    "HERMES_KANBAN_KEYS",
    "HERMES_KANBAN_DB_PASSWORD",
    "HERMES_KANBAN_PASS",
    "HERMES_KANBAN_PASSWD_FILE",
    "HERMES_KANBAN_CREDENTIAL",
    "HERMES_KANBAN_CREDENTIALS_FILE",
    "HERMES_KANBAN_SESSION_COOKIE",
    "HERMES_KANBAN_AUTH",
    "HERMES_KANBAN_DSN",
    "HERMES_KANBAN_SECRET",
    "HERMES_HOME_KEY",
    "HERMES_API_KEY",
    "PATH_TO_KEY",
    "LC_CTYPE",
    "OPENAI_API_KEY",
    "DATABASE_URL",
];

fn class(name: &str) -> NameClass {
    class_on(name, CaseRule::Sensitive)
}

fn class_on(name: &str, case: CaseRule) -> NameClass {
    Classes::new(Arc::new(HermesClasses::default()), ControlPlane::new(), case).class_of(OsStr::new(name))
}

#[test]
fn sec_01_every_listed_name_is_global_and_none_beside_it() {
    assert_eq!(GLOBAL.split_whitespace().count(), 36);
    for name in GLOBAL.split_whitespace() {
        assert_eq!(class(name), NameClass::Global, "{name}");
        assert_eq!(
            class_on(&name.to_ascii_lowercase(), CaseRule::AsciiInsensitive),
            NameClass::Global,
            "{name}"
        );
        // A neighbour of a listed name is another name.
        for other in [format!("{name}X"), format!("X{name}"), name.to_ascii_lowercase()] {
            let wanted =
                if other.starts_with("HERMES_KANBAN_") { NameClass::Global } else { NameClass::Secret };
            assert_eq!(class(&other), wanted, "{other}");
        }
    }
}

#[test]
fn sec_10_the_terminal_prefix_names_terminal_settings_whatever_they_look_like() {
    for name in ["TERMINAL_ENV", "TERMINAL_SSH_KEY", "TERMINAL_", "TERMINAL_DOCKER_ENV"] {
        assert_eq!(class(name), NameClass::Terminal, "{name}");
        assert_eq!(
            class_on(&name.to_ascii_lowercase(), CaseRule::AsciiInsensitive),
            NameClass::Terminal,
            "{name}"
        );
    }
    for name in ["TERMINAL", "terminal_env", "MY_TERMINAL_ENV", "TERMINALS_ENV"] {
        assert_eq!(class(name), NameClass::Secret, "{name}");
    }
}

#[test]
fn sec_16_the_control_plane_is_asked_before_any_table() {
    #[derive(Debug)]
    struct Generous;
    impl NameClasses for Generous {
        fn class_of(&self, _: &OsStr, _: CaseRule) -> NameClass {
            NameClass::Global
        }
    }
    let plane = ControlPlane::new().with_names(["HOST_TOKEN"]);
    let classes = Classes::new(Arc::new(Generous), plane, CaseRule::Sensitive);
    for name in RUNNER_AUTH_SECRETS.into_iter().chain(["HOST_TOKEN"]) {
        assert_eq!(classes.class_of(OsStr::new(name)), NameClass::ControlPlane, "{name}");
    }
    assert_eq!(classes.class_of(OsStr::new("ANYTHING")), NameClass::Global);
    for name in RUNNER_AUTH_SECRETS {
        let lower = name.to_ascii_lowercase();
        assert_eq!(class_on(&lower, CaseRule::AsciiInsensitive), NameClass::ControlPlane, "{lower}");
        assert_eq!(class_on(&lower, CaseRule::Sensitive), NameClass::Secret, "{lower}");
    }
}

#[test]
fn sec_02_when_in_doubt_a_name_is_a_secret() {
    for name in SECRETS {
        assert_eq!(class(name), NameClass::Secret, "{name}");
    }
    for name in
        ["HERMES_TELEGRAM_MODE", "HERMES_KANBAN_THEME", "HERMES_TELEGRAM_MONKEY", "HERMES_KANBAN_TOKENS"]
    {
        assert_eq!(class(name), NameClass::Global, "{name}: only whole words make it a secret");
    }
    assert_eq!(class("HERMES_KANBAN_token"), NameClass::Secret, "however it is written");
    assert_eq!(class(""), NameClass::Secret);
}

/// The table of the report on global prefixes that covered a launch profile's keys.
#[test]
fn sec_10_no_prefix_makes_a_credential_global() {
    for (name, wanted) in [
        ("PATH", NameClass::Global),
        ("HOME", NameClass::Global),
        ("LANG", NameClass::Global),
        ("TZ", NameClass::Global),
        ("API_SERVER_PORT", NameClass::Global),
        ("API_SERVER_HOST", NameClass::Global),
        ("API_SERVER_KEY", NameClass::Secret),
        ("TERMINAL_SSH_KEY", NameClass::Terminal),
        ("TERMINAL_SSH_HOST", NameClass::Terminal),
        ("TERMINAL_CWD", NameClass::Terminal),
        ("TERMINAL_DOCKER_ENV", NameClass::Terminal),
        ("HERMES_HOME", NameClass::Global),
        ("HERMES_KANBAN_BOARD", NameClass::Global),
        ("HERMES_KANBAN_TOKEN", NameClass::Secret),
        ("HERMES_TELEGRAM_MODE", NameClass::Global),
        ("HERMES_TELEGRAM_TOKEN", NameClass::Secret),
        ("GATEWAY_RELAY_URL", NameClass::Global),
        ("GATEWAY_RELAY_SECRET", NameClass::Secret),
        ("CHAT_ALLOWED_USERS", NameClass::Secret),
        ("SSH_AUTH_SOCK", NameClass::Secret),
    ] {
        assert_eq!(class(name), wanted, "{name}");
    }
}

#[test]
fn run_31_the_control_plane_can_only_grow() {
    let plane = ControlPlane::new().with_names(["A", "B"]);
    let names: Vec<_> = plane.names().map(ToString::to_string).collect();
    assert_eq!(
        names,
        ["A", "B", "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN", "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN"]
    );
    assert!(!plane.contains(OsStr::new("C"), CaseRule::Sensitive));
    assert_eq!(ControlPlane::default(), ControlPlane::new());
}

#[test]
fn snap_08_the_usual_classes_compare_names_as_this_platform_does() {
    assert_eq!(Classes::hermes().case_rule(), Platform::current().case_rule());
    assert_eq!(Classes::default().control_plane(), &ControlPlane::new());
}

proptest! {
    /// A small model: exact names, then the terminal prefix, then the two prefixes without a secret word.
    #[test]
    fn sec_01_classes_agree_with_a_small_model(name in "(HERMES_(KANBAN|TELEGRAM)_|TERMINAL_|API_SERVER_)?[A-Z_]{0,12}(KEY|AUTH|PORT|PASS)?") {
        const WORDS: [&str; 12] = [
            "TOKEN", "KEY", "KEYS", "SECRET", "PASSWORD", "PASS", "PASSWD", "CREDENTIAL", "CREDENTIALS",
            "COOKIE", "AUTH", "DSN",
        ];
        let under_a_prefix = ["HERMES_KANBAN_", "HERMES_TELEGRAM_"].iter().any(|prefix| name.starts_with(prefix));
        let wanted = if GLOBAL.split_whitespace().any(|global| global == name) {
            NameClass::Global
        } else if name.starts_with("TERMINAL_") {
            NameClass::Terminal
        } else if under_a_prefix && !name.split('_').any(|word| WORDS.contains(&word)) {
            NameClass::Global
        } else {
            NameClass::Secret
        };
        prop_assert_eq!(class(&name), wanted);
        prop_assert_eq!(class_on(&name.to_ascii_lowercase(), CaseRule::AsciiInsensitive), wanted);
    }
}
