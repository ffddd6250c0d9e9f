//! Programs as sources: what they start from, and what ends them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use watertight_env_snapshot::MapEnv;
use watertight_profile_home::ProfileHome;
use watertight_secret_scope::{BoundSecrets, CommandSource, Programs, SecretScope};
use watertight_vocabulary::{CaseRule, Classes, ControlPlane, HermesClasses, HomeId, Name, Platform};

use super::scripted;
use crate::world::{files_of, home, policy, text};

/// The launch environment, with what another home's programs must not see.
fn launch() -> MapEnv {
    MapEnv::from([
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LAUNCH_SECRET", "canary-launch"),
        ("SIGN_IN", "canary-launch-sign-in"),
        ("HERMES_HOME", "/world/launch"),
        ("HERMES_PROFILE", "launch"),
        ("LD_PRELOAD", "/canary/launch.so"),
        ("OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN", "canary-launch-token"),
        ("TERMINAL_SSH_KEY", "canary-launch-terminal"),
    ])
}

fn build(home: &ProfileHome, dotenv: &str, source: &CommandSource) -> BoundSecrets {
    let (environment, names) = (launch(), ["HERMES_PROFILE", "HERMES_PROFILE_NAME"].map(Name::from));
    let programs = Programs {
        environment: &environment,
        platform: Platform::current(),
        home_variable: "HERMES_HOME".as_ref(),
        profile_name_variables: &names,
    };
    SecretScope::builder(home).files(&files_of(home, dotenv)).source(source).programs(programs).build()
}

fn shell(script: &str) -> CommandSource {
    CommandSource::value("vault", "sh", ["-c", script], "KEY").within(Duration::from_secs(20))
}

/// How a read of a declared name is refused.
fn refusal(source: &CommandSource) -> String {
    let scope = policy(&build(&home("coder"), "KEY=canary-stale\n", source));
    scope.get("KEY").expect_err("the source failed").to_string()
}

#[test]
fn sec_23_a_program_s_output_is_the_value_without_its_last_line_end() {
    for (script, wanted) in [
        ("printf 'canary-1'", "canary-1"),
        ("printf 'canary-1\\n'", "canary-1"),
        ("printf 'canary-1\\r\\n'", "canary-1"),
        ("printf 'canary-1\\r'", "canary-1\r"),
        ("printf 'canary-1\\n\\n'", "canary-1\n"),
        ("printf ' canary $HOME `id` '", " canary $HOME `id` "),
        ("echo", ""),
    ] {
        let scope = policy(&build(&home("coder"), "", &shell(script)));
        assert_eq!(text(scope.get("KEY").expect("it answered")), Some(wanted), "{script}");
        assert_eq!(
            scope.origin("KEY").and_then(|o| o.source_name().map(str::to_owned)),
            Some("vault".into())
        );
    }
}

#[test]
fn sec_15_a_program_s_output_that_is_not_unicode_is_a_value_that_says_so() {
    let scope = policy(&build(&home("coder"), "", &shell("printf 'canary\\351'")));
    let secret = scope.get("KEY").expect("it answered").expect("a value");
    assert_eq!(secret.expose_bytes(), b"canary\xe9");
    let error = secret.expose().expect_err("it is no text").to_string();
    assert!(error.contains("KEY") && !error.contains("canary"), "{error}");
}

#[test]
fn sec_23_a_program_starts_from_its_own_home_and_from_nobody_elses() {
    let source = CommandSource::dotenv("vault", "env", [] as [&str; 0], ["SIGN_IN", "OTHER"]);
    let dotenv = "SIGN_IN=canary-own-sign-in\nUNDECLARED=canary-own-undeclared\nLD_PRELOAD=/own.so\n\
                  TERMINAL_CWD=/own\nHERMES_HOME=/stolen\n";
    let scope = policy(&build(&home("coder"), dotenv, &source));
    let seen = |name: &str| text(scope.get(name).expect("it answered")).map(str::to_owned);

    assert_eq!(seen("SIGN_IN").as_deref(), Some("canary-own-sign-in"));
    assert_eq!(seen("LAUNCH_SECRET"), None);
    assert_eq!(seen("OTHER"), None, "declared, and in no file of its own");
    // What `env` printed beside that: nothing that the base list and the home do not give.
    let from_source = |name: &&Name| scope.origin(name).is_some_and(|o| o.source_name().is_some());
    let names: Vec<_> = scope.names().into_iter().filter(from_source).map(ToString::to_string).collect();
    assert_eq!(names, ["SIGN_IN"], "the rest are global names, which enter no scope");
    let noted = |name: &str| {
        let from_program = |d: &&watertight_vocabulary::Diagnostic| d.path().is_none();
        scope.diagnostics().iter().filter(from_program).any(|d| d.subject() == Some(name))
    };
    assert!(noted("PATH") && noted("HERMES_HOME"));
    for absent in ["PWD", "HERMES_PROFILE", "TERMINAL_SSH_KEY", "OMNIGENT_RUNNER_TUNNEL_BINDING_TOKEN"] {
        assert!(!noted(absent), "{absent} reached the program");
    }
}

#[test]
fn sec_23_a_program_is_told_the_home_that_is_being_built_and_runs_in_no_profile_s_folder() {
    let told = shell("printf '%s|%s' \"$HERMES_HOME\" \"$(pwd)\"");
    let scope = policy(&build(&home("coder"), "", &told));
    assert_eq!(text(scope.get("KEY").expect("it answered")), Some("/world/profiles/coder|/"));
}

#[test]
fn sec_23_two_homes_that_share_a_source_see_their_own_values_only() {
    let source = CommandSource::value("vault", "sh", ["-c", "printf %s \"$SIGN_IN\""], "KEY");
    let source = source.also_sees(["SIGN_IN"]);
    let scopes =
        ["a", "b"].map(|name| policy(&build(&home(name), &format!("SIGN_IN=canary-{name}\n"), &source)));
    for (scope, wanted) in scopes.iter().zip(["canary-a", "canary-b"]) {
        assert_eq!(text(scope.get("KEY").expect("it answered")), Some(wanted));
    }
    let without = policy(&build(&home("c"), "", &source));
    assert_eq!(without.get("KEY").expect_err("an empty output is no value").code(), "unavailable");
}

#[test]
fn sec_23_a_program_s_input_is_empty() {
    let scope = policy(&build(&home("coder"), "", &shell("cat; printf done")));
    assert_eq!(text(scope.get("KEY").expect("it answered")), Some("done"));
}

#[test]
fn sec_23_no_shell_reads_the_arguments() {
    let literal = "canary; $HOME `id` $(id) * && exit 3";
    let source = CommandSource::value("vault", "printf", ["%s", literal], "KEY");
    let scope = policy(&build(&home("coder"), "", &source));
    assert_eq!(text(scope.get("KEY").expect("it answered")), Some(literal));
}

#[test]
fn sec_23_a_failing_program_is_named_and_nothing_that_it_wrote_is_shown() {
    let text = refusal(&shell("echo canary-out; echo canary-err >&2; exit 3"));
    assert!(text.contains("sh") && text.contains("exit code 3"), "{text}");
    assert!(!text.contains("canary"), "{text}");
    let killed = refusal(&shell("kill -9 $$"));
    assert!(killed.contains("it was killed"), "{killed}");
    let unknown = CommandSource::value("vault", "no-such-program-here", ["canary-argument"], "KEY");
    let text = refusal(&unknown);
    assert!(text.contains("no-such-program-here could not be started"), "{text}");
    assert!(!text.contains("canary"), "{text}");
    let silent = refusal(&shell("true"));
    assert!(silent.contains("wrote no value"), "{silent}");
}

#[test]
fn sec_23_an_output_over_the_cap_is_a_failure_and_not_a_shorter_value() {
    let fits = shell("head -c 1000 /dev/zero").at_most(1000);
    let scope = policy(&build(&home("coder"), "", &fits));
    assert_eq!(scope.get("KEY").expect("it fits").map(|secret| secret.expose_bytes().len()), Some(1000));
    for over in ["head -c 1001 /dev/zero", "cat /dev/zero"] {
        let text = refusal(&shell(over).at_most(1000));
        assert!(text.contains("wrote more than 1000 bytes"), "{text}");
    }
}

/// Runs a script that leaves `tail` running, and says how its read is refused. Its descriptor 3 is a pipe
/// that `tail` holds too, and into which its number is written: the pipe ends when `tail` is gone.
fn refusal_with_nothing_left(script: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("held");
    make_pipe(&pipe);
    let (sender, ended) = mpsc::channel();
    let reading = pipe.clone();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(File::open(reading).expect("the pipe opens")).lines();
        sender.send(lines.next().expect("a line").expect("text")).expect("the test waits");
        assert!(lines.next().is_none());
        sender.send("ended".to_owned()).expect("the test waits");
    });

    let script = format!("exec 3>'{}'; {script}", pipe.display());
    let started = Instant::now();
    let text = refusal(&shell(&script).within(Duration::from_millis(400)));
    assert!(started.elapsed() < Duration::from_secs(15), "the deadline counts");
    let tail = ended.recv_timeout(Duration::from_secs(15)).expect("it was started");
    if ended.recv_timeout(Duration::from_secs(15)).is_err() {
        let _ = std::process::Command::new("kill").arg(&tail).status();
        panic!("a process of the program was left running: {tail}");
    }
    text
}

#[test]
fn sec_23_a_program_that_does_not_end_is_killed_with_what_it_started() {
    let text = refusal_with_nothing_left("tail -f /dev/null & echo $! >&3; printf canary; wait");
    assert!(text.contains("did not end within 400 ms"), "{text}");
}

#[test]
fn sec_23_what_a_program_that_has_ended_left_running_with_its_output_is_killed_too() {
    let text = refusal_with_nothing_left("tail -f /dev/null & echo $! >&3; printf canary");
    assert!(text.contains("did not end within 400 ms"), "{text}");
}

/// It cannot be killed with the program's group; it is told to write once the deadline is over, and says
/// whether anybody still reads.
#[cfg(target_os = "linux")]
#[test]
fn sec_23_what_has_left_the_program_s_group_with_its_output_is_read_no_further() {
    let folder = tempfile::tempdir().expect("a folder");
    let (go, said) = (folder.path().join("go"), folder.path().join("said"));
    make_pipe(&go);
    make_pipe(&said);
    let (sender, answer) = mpsc::channel();
    let answers = said.clone();
    std::thread::spawn(move || sender.send(std::fs::read_to_string(answers).expect("the pipe opens")));

    let left =
        r#"trap "" PIPE; exec 3>"$1"; read line <"$0"; printf canary && echo read >&3 || echo closed >&3"#;
    let script = format!("setsid sh -c '{left}' '{}' '{}' &", go.display(), said.display());
    let text = refusal(&shell(&script).within(Duration::from_secs(1)));
    assert!(text.contains("did not end within 1000 ms"), "{text}");
    std::thread::spawn(|| std::fs::write(go, "now\n"));
    let answer = answer.recv_timeout(Duration::from_secs(15)).expect("it says so");
    assert_eq!(answer, "closed\n", "its output is held open for a value that nobody waits for");
}

#[test]
fn sec_23_no_deadline_and_no_cap_is_too_large() {
    let source = shell("head -c 200000 /dev/zero").within(Duration::MAX).at_most(usize::MAX);
    let scope = policy(&build(&home("coder"), "", &source));
    let value = scope.get("KEY").expect("it answered").expect("a value");
    assert_eq!(value.expose_bytes().len(), 200_000);
}

#[test]
fn sec_23_a_program_that_closes_its_output_and_stays_is_killed_too() {
    let text = refusal(&shell("exec >/dev/null; exec tail -f /dev/null").within(Duration::from_millis(300)));
    assert!(text.contains("did not end within 300 ms"), "{text}");
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn sec_23_a_program_needs_an_environment_that_somebody_named() {
    let home = home("coder");
    let scope = policy(&SecretScope::builder(&home).source(&shell("printf canary")).build());
    let text = scope.get("KEY").expect_err("no environment to start from").to_string();
    assert!(text.contains("no environment was given"), "{text}");
}

#[test]
fn sec_23_output_that_is_no_dotenv_file_is_a_failure_without_its_text() {
    let source = CommandSource::dotenv("vault", "printf", ["\\377\\376c\\0a\\0"], ["KEY"]);
    let text = refusal(&source);
    assert!(text.contains("cannot be read as a `.env` file") && !text.contains("canary"), "{text}");
}

#[test]
fn sec_23_output_with_a_line_that_is_no_assignment_is_a_failure_and_no_answer_without_it() {
    for odd in ["canary: your session has expired", "canary: status=401", "K=caf\\351"] {
        let script = format!("printf '# told\\nOTHER=canary-1\\n\\n{odd}\\n'");
        let source = CommandSource::dotenv("vault", "sh", ["-c", &script], ["KEY"]);
        let text = refusal(&source);
        assert!(
            text.contains("cannot be read as a `.env` file") && !text.contains("canary"),
            "{odd}: {text}"
        );
    }
    let script = "printf '# told\\nKEY=canary-1\\nKEY=canary-2\\n\\nexport OTHER=\"a\\nb\"\\n'";
    let source = CommandSource::dotenv("vault", "sh", ["-c", script], ["KEY"]);
    let scope = policy(&build(&home("coder"), "", &source));
    assert_eq!(text(scope.get("KEY").expect("it answered")), Some("canary-2"));
    assert_eq!(text(scope.get("OTHER").expect("it answered")), Some("a\nb"));
}

#[test]
fn sec_23_a_request_shows_declared_names_of_the_own_file_and_nothing_else() {
    let home = ProfileHome::confined(HomeId::new("/world/profiles/coder".into(), None));
    let files = files_of(&home, "KEY=canary-reference\nUNDECLARED=canary-2\nPATH=canary-3\n");
    let source = scripted(["KEY", "PATH", "NOWHERE"], |request| {
        assert_eq!(text(request.own("KEY")), Some("canary-reference"));
        assert!(request.own("UNDECLARED").is_none());
        assert!(request.own("PATH").is_none(), "a global name is none of a profile's secrets");
        assert!(request.own("NOWHERE").is_none());
        let shown = format!("{request:?}");
        assert!(shown.contains("KEY") && !shown.contains("canary"), "{shown}");
        Ok(Vec::new())
    });
    let bound = SecretScope::builder(&home).files(&files).source(&*source).build();
    assert_eq!(text(policy(&bound).get("KEY").expect("held")), Some("canary-reference"));
}

#[test]
fn snap_08_where_case_does_not_matter_a_request_shows_the_last_line_of_any_spelling() {
    let home = ProfileHome::confined(HomeId::new("/world/profiles/coder".into(), None));
    let files = files_of(&home, "key=canary-1\nKey=canary-2\nkey=canary-3\nOTHER=canary-4\n");
    let shown = |case: CaseRule| {
        let classes = Classes::new(Arc::new(HermesClasses::default()), ControlPlane::new(), case);
        let seen = Arc::new(Mutex::new(None));
        let shown = Arc::clone(&seen);
        let source = scripted(["KEY"], move |request| {
            *shown.lock().expect("nobody panics") =
                request.own("kEY").map(|value| text(Some(value)).map(str::to_owned));
            Ok(Vec::new())
        });
        let bound = SecretScope::builder(&home).classes(classes).files(&files).source(&*source).build();
        let scope = policy(&bound);
        let held = scope.get("KEY").expect("nothing refuses");
        let asked = seen.lock().expect("nobody panics").take().flatten();
        (asked, text(held).map(str::to_owned))
    };
    let last = Some("canary-3".to_owned());
    assert_eq!(shown(CaseRule::AsciiInsensitive), (last.clone(), last));
    assert_eq!(shown(CaseRule::Sensitive), (None, None));
}
