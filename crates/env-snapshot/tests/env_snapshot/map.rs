use std::ffi::{OsStr, OsString};
use std::panic::catch_unwind;

use watertight_env_snapshot::MapEnv;
use watertight_vocabulary::{EnvSource, Platform};

#[test]
fn snap_06_liveness_is_tested_on_a_source_that_can_be_written() {
    let env = MapEnv::new();
    assert_eq!(env.var_os(OsStr::new("A")), None);
    env.set("A", "1");
    env.set("B", "2");
    env.set("A", "3");
    assert_eq!(env.vars_os(), [("A".into(), "3".into()), ("B".into(), "2".into())]);
    env.remove("A");
    assert_eq!(env.vars_os(), [("B".into(), OsString::from("2"))]);
    env.remove("A");
}

#[test]
fn snap_06_setting_leaves_one_entry_of_a_name() {
    for (platform, left) in [(Platform::Linux, 2), (Platform::Windows, 1)] {
        let env = MapEnv::from([("A", "1"), ("a", "2"), ("A", "3")]).on(platform);
        env.set("A", "4");
        assert_eq!(env.vars_os().len(), left, "{platform:?}");
        assert_eq!(env.var_os(OsStr::new("A")), Some("4".into()));
    }
}

#[test]
fn snap_25_the_first_of_a_maps_duplicates_counts() {
    let env = MapEnv::from([("A", "1"), ("A", "2")]);
    assert_eq!(env.var_os(OsStr::new("A")), Some("1".into()));
    assert_eq!(env.vars_os().len(), 2, "the listing keeps both");
}

#[test]
fn snap_07_a_map_shows_names_only() {
    let env = MapEnv::from([("TOKEN", "canary-1")]);
    assert_eq!(format!("{env:?}"), "MapEnv[TOKEN]");
    assert!(!format!("{env:#?}").contains("canary"));
}

#[test]
fn snap_03_a_panic_beside_a_map_leaves_it_usable() {
    let env = MapEnv::from([("A", "1")]);
    let panicked = catch_unwind(|| {
        env.set("A", "2");
        panic!("beside the map");
    });
    assert!(panicked.is_err());
    env.set("B", "3");
    assert_eq!(env.var_os(OsStr::new("A")), Some("2".into()));
}
