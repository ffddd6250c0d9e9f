//! What a launcher tells a runner (RUN-20).

use std::ffi::OsString;
use std::path::Path;

use watertight_env_snapshot::MapEnv;
use watertight_runner_identity::{RunnerWiring, WiringError, names};

const PID: &str = names::PARENT_PID_VARIABLE;
const WORKSPACE: &str = names::WORKSPACE_VARIABLE;
const ISOLATE: &str = names::ISOLATE_SESSION_VARIABLE;
const TOKEN: &str = names::BINDING_TOKEN_VARIABLE;

fn read(variable: &str, value: impl Into<OsString>) -> Result<RunnerWiring, WiringError> {
    RunnerWiring::read(
        &MapEnv::from([(OsString::from(variable), value.into())]).in_directory("/srv/canary-cwd"),
    )
}

fn error(variable: &'static str, value: impl Into<OsString>) -> WiringError {
    let value = value.into();
    let error = read(variable, value.clone()).expect_err("set wrongly");
    assert_eq!(error.variable(), variable);
    let shown = format!("{error} {error:?}");
    assert!(shown.contains(variable), "it names the variable: {shown}");
    assert!(!shown.contains("canary"), "and nothing of the value: {shown}");
    error
}

#[test]
fn run_20_what_is_not_set_is_absent_and_no_error() {
    let wiring = RunnerWiring::read(&MapEnv::new()).expect("nothing is set");
    assert_eq!((wiring.parent_pid(), wiring.workspace(), wiring.isolate_session()), (None, None, false));
    assert!(wiring.binding_token().is_none());
}

#[test]
fn run_20_a_parent_pid_is_ascii_digits_from_1_to_the_largest_pid() {
    for (text, pid) in [
        ("1", 1),
        (" 4711\n", 4711),
        ("\t42 ", 42),
        ("007", 7),
        ("2147483647", 2_147_483_647),
        ("00000000000000000001", 1),
    ] {
        assert_eq!(read(PID, text).expect("a pid").parent_pid(), Some(pid), "{text:?}");
    }
    for text in [
        "0",
        "00",
        "-1",
        "+1",
        "1.0",
        "1e3",
        "0x10",
        "12 34",
        "1_000",
        "2147483648",
        "4294967297",
        "99999999999999999999999",
        "canary",
        "1canary",
        "\u{661}",
        "\u{ff11}",
        "1\u{a0}",
        "1\0",
    ] {
        assert_eq!(error(PID, text).code(), "invalid-pid", "{text:?}");
    }
    for text in ["", " ", "\t\r\n"] {
        assert_eq!(error(PID, text).code(), "blank", "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn run_20_a_workspace_is_made_absolute_and_no_link_of_it_is_resolved() {
    let home = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(home.path().join("real")).expect("a folder");
    std::os::unix::fs::symlink("real", home.path().join("link")).expect("a link");
    let through_link = home.path().join("link/x");
    for (text, path) in [
        ("/srv/w", "/srv/w"),
        ("w", "/srv/canary-cwd/w"),
        ("./w/", "/srv/canary-cwd/w"),
        ("../w", "/srv/canary-cwd/../w"),
        (".", "/srv/canary-cwd"),
        (" w ", "/srv/canary-cwd/ w "),
        (through_link.to_str().expect("text"), through_link.to_str().expect("text")),
    ] {
        assert_eq!(read(WORKSPACE, text).expect("a folder").workspace(), Some(Path::new(path)), "{text:?}");
    }
    for text in ["", " ", "\t\n"] {
        assert_eq!(error(WORKSPACE, text).code(), "blank", "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn run_20_a_workspace_need_not_be_text_and_a_token_and_a_pid_must() {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    let odd = |text: &[u8]| OsString::from_vec(text.to_vec());
    let wiring = read(WORKSPACE, odd(b"/srv/caf\xe9")).expect("any bytes are a path");
    assert_eq!(wiring.workspace().expect("set").as_os_str().as_bytes(), b"/srv/caf\xe9");
    assert_eq!(error(PID, odd(b"12\xff")).code(), "invalid-pid");
    assert_eq!(error(TOKEN, odd(b"canary\xff")).code(), "invalid-token");
    assert!(!read(ISOLATE, odd(b"1\xff")).expect("never an error").isolate_session());
}

#[test]
fn run_20_a_relative_workspace_without_a_current_directory_is_an_error() {
    let error = RunnerWiring::read(&MapEnv::from([(WORKSPACE, "w")])).expect_err("nowhere to begin");
    assert_eq!((error.code(), error.variable()), ("no-current-directory", WORKSPACE));
}

#[test]
fn run_20_a_session_is_isolated_by_1_and_by_nothing_else() {
    for (text, on) in [
        ("1", true),
        (" 1\n", true),
        ("", false),
        ("0", false),
        ("true", false),
        ("yes", false),
        ("on", false),
        ("01", false),
        ("11", false),
        ("1 1", false),
    ] {
        assert_eq!(read(ISOLATE, text).expect("never an error").isolate_session(), on, "{text:?}");
    }
}

#[test]
fn run_20_a_binding_token_is_trimmed_and_a_blank_or_odd_one_is_an_error() {
    let wiring = read(TOKEN, " canary-token\r\n").expect("a token");
    let token = wiring.binding_token().expect("set");
    assert_eq!(token.secret().expose(), Ok("canary-token"));
    assert!(!format!("{wiring:?}").contains("canary-token"), "the token is redacted (RUN-11)");
    for text in ["", " ", "\r\n"] {
        assert_eq!(error(TOKEN, text).code(), "blank", "{text:?}");
    }
    for text in ["canary token", "canary\u{200b}", "\u{feff}canary", "canary\0"] {
        assert_eq!(error(TOKEN, text).code(), "invalid-token", "{text:?}");
    }
}

#[test]
fn run_20_names_compare_as_the_platform_does() {
    use watertight_vocabulary::Platform;

    let env = |platform| MapEnv::from([("omnigent_runner_parent_pid", "7")]).on(platform);
    assert_eq!(RunnerWiring::read(&env(Platform::Windows)).expect("a pid").parent_pid(), Some(7));
    assert_eq!(RunnerWiring::read(&env(Platform::Linux)).expect("nothing").parent_pid(), None);
}

#[test]
fn run_22_the_names_and_the_marker_are_the_projects_own() {
    assert_eq!(PID, "OMNIGENT_RUNNER_PARENT_PID");
    assert_eq!(WORKSPACE, "OMNIGENT_RUNNER_WORKSPACE");
    assert_eq!(ISOLATE, "OMNIGENT_RUNNER_ISOLATE_SESSION");
    assert_eq!(TOKEN, "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN");
    assert_eq!(names::RUNNER_ID_VARIABLE, "OMNIGENT_RUNNER_ID");
    assert_eq!((names::SESSION_MARKER_VARIABLE, names::SESSION_MARKER_VALUE), ("OMNIGENT", "1"));
    assert_eq!(names::SESSION_MARKER_VARIABLE, watertight_env_snapshot::OMNIGENT_SESSION_ENV_VAR);
    assert_eq!(
        [names::BINDING_TOKEN_VARIABLE, names::INITIAL_AUTH_TOKEN_VARIABLE],
        watertight_vocabulary::RUNNER_AUTH_SECRETS,
        "the control plane and the wiring speak of the same variables"
    );
    assert_eq!(
        [names::RUNNER_ID_VARIABLE, names::PARENT_PID_VARIABLE],
        watertight_vocabulary::RUNNER_PROCESS_IDENTITY
    );
}
