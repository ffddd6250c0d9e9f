//! Stripping is exact (CONF-27).

use std::ffi::OsString;

use proptest::prelude::*;
use watertight_env_snapshot::strip;
use watertight_vocabulary::{CaseRule, ControlPlane};

use crate::tries;

const NAMED: [&str; 3] =
    ["OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN", "MY_TOKEN"];

/// Text, and on a Unix perhaps bytes behind it that are none.
fn of_bytes(text: String, bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec([text.into_bytes(), bytes].concat());
    #[cfg(not(unix))]
    return (text + &String::from_utf8_lossy(&bytes)).into();
}

fn environments() -> impl Strategy<Value = Vec<(OsString, OsString)>> {
    let name = prop_oneof![
        prop::sample::select(NAMED.to_vec()).prop_map(str::to_owned),
        prop::sample::select(NAMED.to_vec()).prop_map(str::to_lowercase),
        prop::sample::select(NAMED.to_vec()).prop_map(|name| format!("{name}_X")),
        "[A-Za-z_\u{17f}]{1,8}",
    ];
    let odd = || prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(0x80..=0xFF_u8, 1..3)];
    let pair = (name, odd(), "[^\\x00]{0,8}", odd())
        .prop_map(|(name, behind, value, odd)| (of_bytes(name, behind), of_bytes(value, odd)));
    prop::collection::vec(pair, 0..12)
}

/// The model: a name is one of the named, byte for byte or but for ASCII case.
fn is_named(name: &OsString, folds: bool) -> bool {
    let name = name.to_string_lossy();
    NAMED.iter().any(|named| *named == name || (folds && named.eq_ignore_ascii_case(&name)))
}

proptest! {
    #![proptest_config(tries(256))]

    #[test]
    fn conf_27_stripping_removes_exactly_the_named(environment in environments(), folds in any::<bool>()) {
        let case = if folds { CaseRule::AsciiInsensitive } else { CaseRule::Sensitive };
        let plane = ControlPlane::new().with_names(["MY_TOKEN"]);
        let stripped = strip(environment.clone(), &plane, case);
        let expected: Vec<_> = environment.iter().filter(|(name, _)| !is_named(name, folds)).cloned().collect();
        prop_assert_eq!(&stripped, &expected, "the rest is kept byte for byte and in order");
        prop_assert_eq!(&strip(stripped.clone(), &plane, case), &stripped, "it is idempotent");
        let mut backwards = environment;
        backwards.reverse();
        let mut again = strip(backwards, &plane, case);
        again.reverse();
        prop_assert_eq!(again, stripped, "it does not depend on the order");
    }
}
