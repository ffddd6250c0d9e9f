//! Adoption and orphans (RUN-21, RUN-36).

use watertight_runner_identity::{ADOPT_SIGNAL, Orphaned, adopt_signal, current_parent, orphaned};
use watertight_vocabulary::Platform;

#[test]
fn run_21_the_adopt_signal_is_there_where_the_platform_has_it() {
    assert_eq!(adopt_signal(Platform::Linux), Some("SIGUSR1"));
    assert_eq!(adopt_signal(Platform::MacOs), Some("SIGUSR1"));
    assert_eq!(adopt_signal(Platform::Windows), None);
    assert_eq!(ADOPT_SIGNAL.is_some(), adopt_signal(Platform::current()).is_some(), "number and name agree");
}

#[cfg(unix)]
#[test]
fn run_21_the_adopt_signals_number_is_the_systems() {
    let said =
        std::process::Command::new("sh").args(["-c", "kill -l USR1 || kill -l"]).output().expect("sh runs");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    // Shells answer with a number or with a table; where it is a number it is ours.
    if let Ok(number) = said.trim().parse::<i32>() {
        assert_eq!(ADOPT_SIGNAL, Some(number));
    }
}

#[test]
fn run_36_orphaned_is_another_parent_than_the_expected_one_without_adoption() {
    for platform in [Platform::Linux, Platform::MacOs] {
        for (expected, current, answer) in [
            (1, Some(1), Orphaned::No),
            (7, Some(7), Orphaned::No),
            (7, Some(1), Orphaned::Yes),
            (7, Some(0), Orphaned::Yes),
            (1, Some(7), Orphaned::Yes),
            (7, Some(8), Orphaned::Yes),
            (7, None, Orphaned::Unknown),
        ] {
            assert_eq!(orphaned(expected, current, false, platform), answer, "{expected} {current:?}");
            assert_eq!(orphaned(expected, current, true, platform), Orphaned::No, "an adopted one is none");
        }
    }
}

#[test]
fn run_36_where_a_platform_cannot_tell_the_answer_is_unknown_and_never_alive() {
    for current in [Some(7), Some(1), None] {
        assert_eq!(orphaned(7, current, false, Platform::Windows), Orphaned::Unknown, "{current:?}");
    }
}

#[cfg(unix)]
#[test]
fn run_36_the_present_parent_of_a_child_is_this_process() {
    let child = std::process::Command::new("sh").args(["-c", "echo $PPID"]).output().expect("sh runs");
    assert_eq!(String::from_utf8_lossy(&child.stdout).trim(), std::process::id().to_string());
    assert!(current_parent().is_some_and(|parent| parent != std::process::id()));
}
