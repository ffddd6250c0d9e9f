use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use proptest::prelude::*;
use watertight_env_snapshot::{ControlPlane, EnvSnapshot, MapEnv, OMNIGENT_SESSION_ENV_VAR, strip};
use watertight_vocabulary::{CaseRule, EnvSource, RUNNER_AUTH_SECRETS};

use crate::support::{INITIAL_TOKEN, TOKEN};

#[test]
fn run_30_exactly_the_auth_secret_goes_and_its_source_is_untouched() {
    let env = BTreeMap::from([
        ("ANTHROPIC_API_KEY", "k"),
        ("ANTHROPIC_BASE_URL", "u"),
        ("ANTHROPIC_MODEL", "m"),
        ("DBUS_SESSION_BUS_ADDRESS", "d"),
        ("EMPTY", ""),
        (TOKEN, "canary-1"),
    ]);
    let before = env.clone();
    let stripped: BTreeMap<_, _> = strip(&env, &ControlPlane::new(), CaseRule::Sensitive)
        .into_iter()
        .map(|(name, value)| (*name, *value))
        .collect();

    let mut expected = before.clone();
    expected.remove(TOKEN);
    assert_eq!(stripped, expected, "a neighbour of the secret stays, byte for byte");
    assert_eq!(env, before, "the runner itself still needs its token");
}

#[test]
fn run_31_every_registered_secret_goes() {
    assert!(!RUNNER_AUTH_SECRETS.is_empty(), "an empty registry would prove nothing");
    let plane = ControlPlane::new().with_names(["HOST_SECRET"]);
    for secret in plane.names() {
        let env = [(secret.as_os_str(), "canary-1"), (OsStr::new("KEEP"), "1")];
        assert_eq!(strip(env, &plane, CaseRule::Sensitive), [(OsStr::new("KEEP"), "1")], "{secret}");
    }
    assert_eq!(plane.names().len(), RUNNER_AUTH_SECRETS.len() + 1, "a host adds, and takes none away");
}

/// CE-01. A name with a blank behind it is another name, on every platform: RUN-30 removes what is named.
#[test]
fn run_30_case_rules_of_both_platforms() {
    let trailing = format!("{TOKEN} ");
    let env = [
        (TOKEN.to_ascii_lowercase(), "x"),
        (TOKEN.to_owned(), "y"),
        (trailing.clone(), "z"),
        ("KEEP".to_owned(), "1"),
    ];
    let names = |case| strip(env.clone(), &ControlPlane::new(), case).into_iter().map(|(name, _)| name);
    assert_eq!(
        names(CaseRule::AsciiInsensitive).collect::<Vec<_>>(),
        [trailing.clone(), "KEEP".to_owned()],
        "no spelling of the name is left"
    );
    assert_eq!(
        names(CaseRule::Sensitive).collect::<Vec<_>>(),
        [TOKEN.to_ascii_lowercase(), trailing, "KEEP".to_owned()],
        "elsewhere another spelling is another name"
    );
    let kelvin = [(TOKEN.replace('K', "\u{212a}"), "another name")];
    assert_eq!(
        strip(kelvin.clone(), &ControlPlane::new(), CaseRule::AsciiInsensitive),
        kelvin,
        "only ASCII folds"
    );
}

#[test]
fn run_30_duplicates_of_a_secret_all_go() {
    let env = [(TOKEN, "canary-1"), ("A", "1"), (TOKEN, "canary-2"), ("A", "2")];
    let stripped = strip(env, &ControlPlane::new(), CaseRule::Sensitive);
    assert_eq!(stripped, [("A", "1"), ("A", "2")], "no second entry brings it back, and no other is touched");
}

#[test]
fn run_22_the_session_marker_survives_as_found() {
    for value in ["1", "0", ""] {
        let env = [(OMNIGENT_SESSION_ENV_VAR, value), (INITIAL_TOKEN, "canary-1")];
        let stripped = strip(env, &ControlPlane::new(), CaseRule::Sensitive);
        assert_eq!(stripped, [(OMNIGENT_SESSION_ENV_VAR, value)]);
    }
}

#[test]
fn run_30_a_snapshot_is_as_it_was_after_stripping() {
    let process = MapEnv::from([(TOKEN, "canary-1"), ("A", "1")]);
    let snapshot = EnvSnapshot::of(&process, CaseRule::Sensitive);
    let stripped = strip(snapshot.vars_os(), &ControlPlane::new(), snapshot.case_rule());
    assert_eq!(stripped, [(OsString::from("A"), OsString::from("1"))]);
    assert_eq!(snapshot.get_text(TOKEN), Ok(Some("canary-1")));
}

/// Bytes as a name or value: not Unicode where the platform can hold that.
fn os_text(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return crate::support::raw(bytes);
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

/// A name that is likely to be in the plane, or nearly so.
fn name() -> impl Strategy<Value = OsString> {
    let near = prop::sample::select(vec![
        TOKEN,
        INITIAL_TOKEN,
        "HOST_A",
        "HOST_B",
        "host_a",
        "HOST_",
        "HOST_AA",
        "OMNIGENT",
        "=C:",
        "",
    ])
    .prop_map(OsString::from);
    prop_oneof![
        3 => near.clone(),
        1 => near.prop_map(|name| name.to_ascii_lowercase()),
        1 => prop::collection::vec(any::<u8>(), 0..6).prop_map(|bytes| os_text(&bytes)),
    ]
}

fn environment() -> impl Strategy<Value = Vec<(OsString, OsString)>> {
    let value = prop::collection::vec(any::<u8>(), 0..8).prop_map(|bytes| os_text(&bytes));
    prop::collection::vec((name(), value), 0..16)
}

proptest! {
    /// CONF-27: exactly the named, the rest byte for byte, idempotent, order-free.
    #[test]
    fn conf_27_stripping_removes_exactly_the_named(
        env in environment(),
        more in prop::sample::subsequence(vec!["HOST_A", "HOST_B"], 0..=2),
        windows in any::<bool>(),
        rotation in 0..16_usize,
    ) {
        let case = if windows { CaseRule::AsciiInsensitive } else { CaseRule::Sensitive };
        let plane = ControlPlane::new().with_names(more.iter().copied());
        let named = |name: &OsStr| {
            RUNNER_AUTH_SECRETS.iter().chain(&more).any(|secret| {
                if windows { name.eq_ignore_ascii_case(secret) } else { name == *secret }
            })
        };

        let stripped = strip(env.clone(), &plane, case);
        let expected: Vec<_> = env.iter().filter(|(name, _)| !named(name)).cloned().collect();
        prop_assert_eq!(&stripped, &expected, "exactly the named, and the rest byte for byte in its order");
        prop_assert_eq!(&strip(stripped.clone(), &plane, case), &stripped, "idempotent");

        let mut rotated = env.clone();
        rotated.rotate_left(rotation % env.len().max(1));
        let (mut one, mut other) = (stripped, strip(rotated, &plane, case));
        one.sort();
        other.sort();
        prop_assert_eq!(one, other, "what goes does not depend on the order");
    }
}
