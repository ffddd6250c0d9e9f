use std::path::{Path, PathBuf};

use proptest::prelude::*;
use watertight_env_snapshot::MapEnv;
use watertight_profile_discovery::{HomeLayout, LayoutError};
use watertight_vocabulary::{Name, Platform};

fn env(pairs: &[(&str, &str)]) -> MapEnv {
    let env = MapEnv::new().in_directory("/cwd");
    for (name, value) in pairs {
        env.set(name, *value);
    }
    env
}

fn home(pairs: &[(&str, &str)], platform: Platform) -> Result<PathBuf, LayoutError> {
    HomeLayout::hermes().launch_home(&env(pairs), platform)
}

fn code(pairs: &[(&str, &str)], platform: Platform) -> &'static str {
    home(pairs, platform).unwrap_err().code()
}

#[test]
fn prof_01_the_home_comes_from_the_variable_else_from_the_users_home() {
    let user = ("HOME", "/home/u");
    for (value, expected) in [
        ("/r", "/r"),
        ("/r/", "/r"),
        (" /r\n", "/r"),
        ("/r/./x//y", "/r/x/y"),
        ("", "/home/u/.hermes"),
        ("   ", "/home/u/.hermes"),
        ("\t\n", "/home/u/.hermes"),
        ("~", "/home/u"),
        ("~/", "/home/u"),
        ("~/.hermes", "/home/u/.hermes"),
        ("~//x", "/home/u/x"),
        ("/a/~/b", "/a/~/b"),
        ("/$X/${HOME}", "/$X/${HOME}"),
        ("$HOME/x", "/cwd/$HOME/x"),
    ] {
        let found = home(&[user, ("HERMES_HOME", value)], Platform::Linux).unwrap();
        assert_eq!(found, Path::new(expected), "{value:?} names {expected}");
    }
    assert_eq!(home(&[user], Platform::Linux).unwrap(), Path::new("/home/u/.hermes"));
}

#[test]
fn prof_01_what_is_no_usable_home_is_an_error_that_names_the_variable_and_no_value() {
    let user = ("HOME", "/home/u");
    for (value, expected) in [
        ("~bob/canary-x", "other-user-home"),
        ("~bob", "other-user-home"),
        ("~~", "other-user-home"),
        ("/canary\u{1}x", "control-character"),
        ("/canary\nx", "control-character"),
        ("/canary\u{85}x", "control-character"),
        ("/canary\u{7f}", "control-character"),
    ] {
        let error = home(&[user, ("HERMES_HOME", value)], Platform::Linux).unwrap_err();
        assert_eq!(error.code(), expected, "{value:?}");
        assert!(error.to_string().contains("HERMES_HOME"), "{error}");
        assert!(!error.to_string().contains("canary"), "no value in an error: {error}");
    }
}

#[test]
fn prof_01_the_users_home_is_the_injected_environments_own() {
    assert_eq!(code(&[("HOME", "rel/u")], Platform::Linux), "relative-user-home");
    assert_eq!(code(&[("HOME", "  ")], Platform::Linux), "no-home");
    assert_eq!(code(&[("HERMES_HOME", "~/x")], Platform::Linux), "no-user-home");
    assert_eq!(code(&[("HERMES_HOME", "~/x"), ("HOME", "")], Platform::Linux), "no-user-home");
    let layout = HomeLayout::hermes();
    let user = |pairs, platform| layout.user_home(&env(pairs), platform).unwrap();
    assert_eq!(user(&[("HOME", "/home/u")], Platform::MacOs).as_deref(), Some(Path::new("/home/u")));
    assert_eq!(user(&[("USERPROFILE", r"C:\Users\u")], Platform::Linux), None);
    assert_eq!(
        user(&[("USERPROFILE", r"C:\Users\u"), ("HOME", "/home/u")], Platform::Windows).as_deref(),
        Some(Path::new(r"C:\Users\u")),
    );
}

#[test]
fn prof_01_windows_has_its_own_folder_and_variables() {
    let local = ("LOCALAPPDATA", r"C:\Users\u\AppData\Local");
    let found = home(&[local, ("HOME", "/home/u")], Platform::Windows).unwrap();
    assert_eq!(found, Path::new(r"C:\Users\u\AppData\Local").join("hermes"));
    assert_eq!(code(&[("HOME", "/home/u")], Platform::Windows), "no-home");
    let pairs = [local, ("USERPROFILE", r"C:\Users\u"), ("HERMES_HOME", r"~\x")];
    assert_eq!(home(&pairs, Platform::Windows).unwrap(), Path::new(r"C:\Users\u").join("x"));
    assert_eq!(
        home(&[local, ("HERMES_HOME", r"\\server\share")], Platform::Windows).unwrap(),
        Path::new(r"\\server\share"),
    );
}

#[test]
fn prof_01_another_agent_brings_its_own_names() {
    let layout = HomeLayout {
        home_variable: Name::from("OTTER_HOME"),
        folder: ".otter".into(),
        ..HomeLayout::default()
    };
    let env = env(&[("HOME", "/home/u"), ("HERMES_HOME", "/r")]);
    assert_eq!(layout.launch_home(&env, Platform::Linux).unwrap(), Path::new("/home/u/.otter"));
    env.set("OTTER_HOME", "/o");
    assert_eq!(layout.launch_home(&env, Platform::Linux).unwrap(), Path::new("/o"));
}

#[cfg(unix)]
#[test]
fn prof_01_a_home_need_not_be_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let env = env(&[]);
    env.set("HERMES_HOME", OsStr::from_bytes(b" /r/caf\xe9 \n"));
    let home = HomeLayout::hermes().launch_home(&env, Platform::Linux).unwrap();
    assert_eq!(home.as_os_str().as_bytes(), b"/r/caf\xe9", "trimmed, and byte for byte otherwise");
}

#[test]
fn prof_04_without_home_and_variable_there_is_a_typed_error_and_never_the_current_directory() {
    for platform in Platform::ALL {
        let error = home(&[], platform).unwrap_err();
        assert_eq!(error.code(), "no-home");
        assert!(error.to_string().contains("HERMES_HOME"), "{error}");
    }
}

#[test]
fn prof_04_a_relative_home_is_made_absolute_once() {
    for (value, expected) in
        [("rel/dir", "/cwd/rel/dir"), ("./x", "/cwd/x"), (".", "/cwd"), ("../x", "/cwd/../x")]
    {
        let found = home(&[("HERMES_HOME", value)], Platform::Linux).unwrap();
        assert_eq!(found, Path::new(expected), "{value:?}");
    }
    let nowhere = MapEnv::new();
    nowhere.set("HERMES_HOME", "rel");
    let error = HomeLayout::hermes().launch_home(&nowhere, Platform::Linux).unwrap_err();
    assert_eq!(error.code(), "no-current-directory");
}

proptest! {
    #[test]
    fn prof_04_a_launch_home_is_absolute_or_an_error_whatever_the_variables_hold(
        value in any::<String>(), user in any::<String>(),
    ) {
        let pairs = [("HERMES_HOME", value.as_str()), ("HOME", user.as_str())];
        let pairs: Vec<_> = pairs.into_iter().filter(|(_, value)| !value.contains('\0')).collect();
        if let Ok(home) = home(&pairs, Platform::Linux) {
            prop_assert!(home.is_absolute(), "{home:?}");
        }
    }
}
