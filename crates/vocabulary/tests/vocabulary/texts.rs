//! What a person is told: codes that stay, sentences that help, places, and never a value.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use watertight_vocabulary::{Bound, Diagnostic, Layer, Origin, Refusal, Refused, RefusedReason, Severity};

fn refusal() -> Refusal {
    Refusal::new("unreadable", "it is a directory").in_file("/home/.env").at(3, Some(7)).mended_by("move it")
}

#[test]
fn sec_13_every_refused_read_has_its_code_and_a_sentence_with_the_name() {
    for (reason, code) in [
        (RefusedReason::Unscoped, "unscoped"),
        (RefusedReason::Unavailable(refusal()), "unavailable"),
        (RefusedReason::NotASecret, "not-a-secret"),
        (RefusedReason::NoHost, "no-host"),
        (RefusedReason::ControlPlane, "control-plane"),
        (RefusedReason::Closed, "closed"),
        (RefusedReason::OtherHost, "other-host"),
    ] {
        let refused = Refused::new(OsStr::new("BASE_URL"), reason.clone());
        assert_eq!((refused.code(), refused.reason()), (code, &reason));
        assert!(refused.to_string().starts_with("reading BASE_URL was refused: "), "{refused}");
        let nameless = Refused::nameless(reason);
        assert!(nameless.name().is_none() && nameless.to_string().starts_with("refused: "), "{nameless}");
        assert_eq!(nameless.code(), code);
    }
    let unscoped = Refused::new(OsStr::new("BASE_URL"), RefusedReason::Unscoped).to_string();
    assert!(unscoped.contains("no profile scope was bound") && unscoped.contains("run("), "{unscoped}");
}

#[test]
fn sec_12_a_refused_read_stays_small() {
    assert!(size_of::<Refused>() <= 40, "it lies in the signature of the hot path");
}

#[test]
fn term_43_a_refusal_is_no_empty_policy_and_says_where_and_how() {
    let refusal = refusal();
    assert_eq!(refusal.to_string(), "/home/.env:3:7: it is a directory; move it");
    assert_eq!(
        (refusal.code(), refusal.cause(), refusal.mend()),
        ("unreadable", "it is a directory", Some("move it"))
    );
    assert_eq!(
        (refusal.path(), refusal.line(), refusal.column()),
        (Some(Path::new("/home/.env")), Some(3), Some(7))
    );
    let bound: Bound<u32> = Bound::Refusal(refusal.clone());
    assert_eq!(bound.policy().map(|policy| **policy), Err(&refusal));
    assert_eq!(bound.clone().refusal(), Some(&refusal));
    let policy = Bound::Policy(Arc::new(7));
    assert_eq!((policy.policy().map(|policy| **policy), policy.refusal()), (Ok(7), None));
}

#[test]
fn sec_29_an_origin_says_its_layer_and_its_place() {
    let path: Arc<Path> = Path::new("/home/.env").into();
    for (origin, text) in [
        (Origin::layer_only(Layer::LaunchEnvironment), "launch environment"),
        (Origin::file(Layer::Managed, Arc::clone(&path)), "managed .env (/home/.env)"),
        (Origin::line(Layer::Dotenv, path, 3), ".env (/home/.env:3)"),
        (Origin::source("vault".into()), "source vault"),
    ] {
        assert_eq!(origin.to_string(), text);
    }
}

#[test]
fn a_diagnostic_reads_as_one_line() {
    let bare = Diagnostic::note("a-code", "something is so");
    assert_eq!(bare.to_string(), "note [a-code]: something is so");
    let path: Arc<Path> = Path::new("/home/.env").into();
    let placed =
        Diagnostic::warning("a-code", "something is so").in_file(Arc::clone(&path)).on_line(3).about("K\nEY");
    assert_eq!(placed.to_string(), "warning [a-code] /home/.env:3 K\\nEY: something is so");
    let spanning = Diagnostic::error("a-code", "something is so").in_file(path).on_lines(3, 5);
    assert_eq!(spanning.to_string(), "error [a-code] /home/.env:3-5: something is so");
    assert!(Severity::Note < Severity::Warning && Severity::Warning < Severity::Error);
    assert_eq!((spanning.line(), spanning.last_line(), spanning.subject()), (Some(3), Some(5), None));
}

#[test]
fn file_04_a_path_of_somebodys_choosing_begins_no_new_line() {
    let path = Path::new("/home/a\nerror: b/.env");
    for text in [
        Refusal::new("unreadable", "it is a directory").in_file(path).at(3, None).to_string(),
        Diagnostic::warning("code", "it says nothing").in_file(path).to_string(),
        Origin::line(Layer::Dotenv, path.into(), 3).to_string(),
        Origin::file(Layer::Dotenv, path.into()).to_string(),
    ] {
        assert!(text.contains(r"/home/a\nerror: b/.env"), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
}
