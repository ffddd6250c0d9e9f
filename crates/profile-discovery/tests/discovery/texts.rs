//! Every error's text, for people to review.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use watertight_profile_discovery::{
    ActiveProfileError, FindError, LayoutError, ListError, NameError, ProfileId, ProfileName, RootError,
};
use watertight_vocabulary::{Name, Platform};

fn denied() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

fn path() -> PathBuf {
    PathBuf::from("/agents/profiles/coder")
}

fn id() -> ProfileId {
    ProfileId::parse("coder").unwrap()
}

fn invalid() -> NameError {
    ProfileName::requested("../My Coder\n!").unwrap_err()
}

#[test]
fn prof_11_every_text_says_what_is_wrong_and_codes_are_stable() {
    let variable = || Name::from("HERMES_HOME");
    let mut text = String::new();
    let mut show = |code: &str, error: &dyn std::error::Error| writeln!(text, "{code}: {error}").unwrap();
    for error in [
        LayoutError::NoHome { variable: variable(), base: "HOME" },
        LayoutError::NoUserHome { variable: variable(), base: "HOME" },
        LayoutError::RelativeUserHome { variable: "HOME" },
        LayoutError::OtherUser { variable: variable() },
        LayoutError::ControlCharacter { variable: variable() },
        LayoutError::NoCurrentDirectory { variable: variable(), source: denied() },
    ] {
        show(error.code(), &error);
    }
    let unresolved = || watertight_disk::ResolveError::Io { path: path(), source: denied() };
    let unreadable = || ListError::Unreadable { path: path(), source: denied() };
    let error = RootError::Home { source: unresolved() };
    show(error.code(), &error);
    for error in [unreadable(), ListError::Unresolvable(unresolved())] {
        show(error.code(), &error);
    }
    show(invalid().code(), &invalid());
    for error in [
        ProfileId::parse("default").unwrap_err(),
        ProfileId::for_creation("sudo", Platform::Linux).unwrap_err(),
        ProfileId::for_creation("con", Platform::Windows).unwrap_err(),
    ] {
        show(error.code(), &error);
    }
    for error in [
        FindError::InvalidName { name: invalid(), suggestions: vec![id()] },
        FindError::NoSuchProfile { id: id(), suggestions: Vec::new() },
        FindError::Deleted { id: id() },
        FindError::NotServed { id: id(), parked: true },
        FindError::NotServed { id: id(), parked: false },
        FindError::Alias { id: id(), canonical: ProfileName::Default },
        FindError::Unknown { id: id(), path: path(), source: denied() },
        FindError::Tree(unreadable()),
    ] {
        show(error.code(), &error);
    }
    let file = PathBuf::from("/agents/active_profile");
    for error in [
        ActiveProfileError::Unreadable { path: file.clone(), source: denied().into() },
        ActiveProfileError::Encoding { path: file.clone() },
        ActiveProfileError::InvalidName { path: file.clone(), name: invalid() },
        ActiveProfileError::Withheld {
            path: file.clone(),
            code: "invalid-name",
            reason: "does not look like a name",
        },
        ActiveProfileError::NotLive { path: file, source: Box::new(FindError::Deleted { id: id() }) },
    ] {
        show(error.code(), &error);
    }
    insta::assert_snapshot!("texts", text);
}

#[test]
fn prof_11_a_path_of_somebodys_choosing_begins_no_new_line() {
    let path = || PathBuf::from("/agents\nerror: forged");
    let unresolved = || watertight_disk::ResolveError::Io { path: path(), source: denied() };
    for error in [
        Box::new(ListError::Unreadable { path: path(), source: denied() }) as Box<dyn std::error::Error>,
        Box::new(ListError::Unresolvable(unresolved())),
        Box::new(watertight_disk::ResolveError::Relative { path: path() }),
        Box::new(watertight_disk::ResolveError::ParentOfMissing { path: path() }),
        Box::new(RootError::Home { source: unresolved() }),
        Box::new(FindError::Unknown { id: id(), path: path(), source: denied() }),
        Box::new(ActiveProfileError::Encoding { path: path() }),
        Box::new(ActiveProfileError::InvalidName { path: path(), name: invalid() }),
        Box::new(ActiveProfileError::NotLive {
            path: path(),
            source: Box::new(FindError::Deleted { id: id() }),
        }),
    ] {
        assert!(error.to_string().contains(r"/agents\nerror: forged"), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}
