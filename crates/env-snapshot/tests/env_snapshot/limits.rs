use std::ffi::OsString;
use std::process::Command;

use watertight_env_snapshot::{ChildEnvError, ChildSpec, CommandExt, TOTAL_LIMIT};
use watertight_vocabulary::Platform;

use crate::support::{World, output, probe};

const UNIX_ENTRY: usize = 131_072;
const WINDOWS_ENTRY: usize = 32_767;

fn world(platform: Platform) -> World {
    World::with_environment([("PATH", "/bin")]).on(platform)
}

/// Builds with one variable set, and gives the error's code and the variable it names.
fn refused(platform: Platform, name: &str, value: impl Into<OsString>) -> (&'static str, Option<String>) {
    let error = world(platform).build(&ChildSpec::new().set(name, value)).unwrap_err();
    let text = format!("{error} {error:?}");
    assert!(!text.contains("canary"), "{text}");
    (error.code(), error.name().map(ToString::to_string))
}

/// ES-07: an error before anything is spawned, which names the variable.
#[test]
fn snap_25_nul_equals_and_an_empty_name_are_refused_on_every_platform() {
    for platform in Platform::ALL {
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(refused(platform, "K", "canary\0"), ("nul-in-value", named("K")));
        assert_eq!(refused(platform, "K\0", "canary"), ("nul-in-name", named("K\\0")));
        assert_eq!(refused(platform, "", "canary"), ("empty-name", None));
        assert_eq!(refused(platform, "K=canary", ""), ("equals-in-name", named("K")));
        assert_eq!(refused(platform, "=", "canary"), ("equals-in-name", named("=")));
        assert_eq!(refused(platform, "=C:=canary", ""), ("equals-in-name", named("=C:")));
    }
}

/// SNAP-05: Windows keeps the directory of each drive under such a name; elsewhere it is none.
#[test]
fn snap_05_a_drives_directory_reaches_a_child_on_windows() {
    let spec = ChildSpec::new().set("=C:", r"C:\work");
    assert!(world(Platform::Windows).build(&spec).unwrap().get("=c:").unwrap().matches(r"C:\work"));
    assert_eq!(refused(Platform::Linux, "=C:", "canary").0, "equals-in-name");
}

#[test]
fn snap_25_a_value_that_came_by_pass_through_is_checked_as_well() {
    let world = World::with_environment([("A", "1")]).foreign([("K", "canary\0"), ("L", "ok")]);
    let error = world.build(&ChildSpec::new().pass(["K", "L"])).unwrap_err();
    assert!(matches!(&error, ChildEnvError::NulInValue { name } if name.as_str() == Some("K")), "{error:?}");
    assert!(world.build(&ChildSpec::new().pass(["L"])).is_ok(), "what is not passed on harms nobody");
}

#[test]
fn snap_25_an_unpassable_variable_that_stays_behind_is_no_error() {
    let huge = "x".repeat(2 * UNIX_ENTRY);
    let world = World::with_environment([("HUGE", huge.as_str()), ("NUL", "a\0b")]);
    assert!(world.build(&ChildSpec::new()).is_ok());
    assert_eq!(world.build(&ChildSpec::new().pass(["HUGE"])).unwrap_err().code(), "entry-too-long");
}

#[test]
fn snap_25_an_entry_is_limited_as_the_platform_counts_it() {
    // `K=` and the terminator take three.
    for (platform, limit) in
        [(Platform::Linux, UNIX_ENTRY), (Platform::MacOs, UNIX_ENTRY), (Platform::Windows, WINDOWS_ENTRY)]
    {
        assert!(world(platform).build(&ChildSpec::new().set("K", "x".repeat(limit - 3))).is_ok());
        assert_eq!(
            refused(platform, "K", "x".repeat(limit - 2)),
            ("entry-too-long", Some("K".to_owned())),
            "{platform:?}"
        );
    }
}

#[test]
fn snap_25_windows_counts_utf16_units() {
    let windows = |value: String| world(Platform::Windows).build(&ChildSpec::new().set("K", value));
    assert!(windows("ä".repeat(WINDOWS_ENTRY - 3)).is_ok(), "two bytes, one unit");
    assert!(windows("😀".repeat((WINDOWS_ENTRY - 3) / 2)).is_ok(), "four bytes, two units");
    assert_eq!(windows("😀".repeat(WINDOWS_ENTRY / 2)).unwrap_err().code(), "entry-too-long");
    let unix = world(Platform::Linux).build(&ChildSpec::new().set("K", "ä".repeat(UNIX_ENTRY / 2)));
    assert_eq!(unix.unwrap_err().code(), "entry-too-long", "elsewhere bytes count");
}

#[test]
fn snap_25_all_together_are_limited_by_a_mebibyte_or_what_the_host_sets() {
    assert_eq!(TOTAL_LIMIT, 1024 * 1024);
    let spec = (0..12).fold(ChildSpec::new(), |spec, number| {
        spec.set(format!("K{number:02}"), "canary-".repeat(if number == 7 { 14_000 } else { 13_000 }))
    });
    let mut world = world(Platform::Linux);
    let error = world.build(&spec).unwrap_err();
    let ChildEnvError::TooLarge { length, limit, longest } = &error else { panic!("{error:?}") };
    assert_eq!((*limit, longest.as_str()), (TOTAL_LIMIT, Some("K07")), "it names what takes most of it");
    assert!(!format!("{error} {error:?}").contains("canary"));

    world.total_limit = *length;
    assert!(world.build(&spec).is_ok(), "a host may allow more");
    world.total_limit = *length - 1;
    assert_eq!(world.build(&spec).unwrap_err().code(), "environment-too-large");
    world.total_limit = 1;
    assert_eq!(world.build(&ChildSpec::new()).unwrap_err().code(), "environment-too-large", "or less");
}

/// What the check lets through can be started, and what it refuses could not be.
#[cfg(target_os = "linux")]
#[test]
fn snap_25_the_limit_is_the_systems_own() {
    let most = "x".repeat(UNIX_ENTRY - 3);
    let child = world(Platform::Linux).build(&ChildSpec::new().set("K", most.as_str())).unwrap();
    output(probe().args(["look-up", "K"]).with_child_env(&child));

    let mut command: Command = probe();
    command.args(["look-up", "K"]).env_clear().env("K", format!("{most}x"));
    assert!(command.output().is_err(), "one byte more and the system refuses it");
}
