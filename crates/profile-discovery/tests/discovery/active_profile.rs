use watertight_disk::Operation;
use watertight_profile_discovery::ProfileName;

use crate::support::{EACCES, EIO, Tree, home, named};

#[test]
fn prof_43_the_file_names_one_live_profile() {
    let tree = Tree::with(&["coder"]);
    for (text, expected) in [
        ("coder", named("coder")),
        ("coder\n", named("coder")),
        ("\u{feff} Coder \r\n", named("coder")),
        ("default", ProfileName::Default),
        ("", ProfileName::Default),
        (" \n\t", ProfileName::Default),
        ("\u{feff}", ProfileName::Default),
    ] {
        tree.file("active_profile", text);
        assert_eq!(tree.open().active_profile().unwrap(), expected, "{text:?}");
    }
    tree.remove("active_profile");
    assert_eq!(tree.open().active_profile().unwrap(), ProfileName::Default, "missing");
}

#[test]
fn prof_43_a_name_that_is_invalid_or_not_live_is_an_error_that_names_it() {
    let tree = Tree::with(&["coder", "dead"]);
    tree.file("profiles/.deleted/dead", "").dir("profiles/shell");
    for (text, code) in [
        ("nope", "no-such-profile"),
        ("shell", "no-such-profile"),
        ("dead", "no-such-profile"),
        ("../x", "invalid-name"),
        ("coder\nwriter", "invalid-name"),
        ("coder extra", "invalid-name"),
    ] {
        tree.file("active_profile", text);
        let error = tree.open().active_profile().unwrap_err();
        assert_eq!(error.code(), code, "{text:?}");
        assert!(error.to_string().contains(&text.escape_debug().to_string()), "{error}");
        assert_eq!(error.path(), tree.path("active_profile"));
    }
}

#[test]
fn prof_43_what_cannot_be_read_is_an_error_and_never_default() {
    let tree = Tree::with(&["coder"]);
    tree.file("active_profile", "coder");
    for (operation, error) in [
        (Operation::SymlinkMetadata, EACCES),
        (Operation::Metadata, EIO),
        (Operation::Open, EACCES),
        (Operation::OpenMetadata, EIO),
        (Operation::Read, EIO),
    ] {
        let open = tree.failing(operation, "active_profile", error);
        assert_eq!(open.active_profile().unwrap_err().code(), "unreadable", "{operation:?}");
    }
    std::fs::write(tree.path("active_profile"), b"cod\xe9r").unwrap();
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "encoding");
    tree.file("active_profile", &" ".repeat(2000));
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable", "no name is that long");
    tree.remove("active_profile").dir("active_profile");
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable", "a directory");
}

#[cfg(unix)]
#[test]
fn prof_43_a_link_that_leads_nowhere_and_a_pipe_are_unreadable() {
    for make in [
        (|tree: &Tree| {
            tree.link("active_profile", "nowhere");
        }) as fn(&Tree),
        |tree| {
            tree.link("active_profile", "active_profile");
        },
        |tree| {
            tree.fifo("active_profile");
        },
    ] {
        let tree = Tree::new();
        make(&tree);
        assert_eq!(tree.open().active_profile().unwrap_err().code(), "unreadable");
    }
    let tree = Tree::with(&["coder"]);
    tree.file("chosen", "coder\n").link("active_profile", "chosen");
    assert_eq!(tree.open().active_profile().unwrap(), named("coder"), "a link to a file is followed");
}

#[cfg(unix)]
#[test]
fn prof_43_an_alias_is_no_name_to_be_active_under() {
    let tree = Tree::with(&["coder"]);
    tree.link("profiles/short", "coder").file("active_profile", "short");
    assert_eq!(tree.open().active_profile().unwrap_err().code(), "alias");
}

#[test]
fn prof_43_the_file_never_decides_the_launch_home() {
    let tree = Tree::with(&["coder"]);
    let before = tree.open().root().launch_home().clone();
    tree.file("active_profile", "coder");
    assert_eq!(tree.open().root().launch_home(), &before);
    assert!(!tree.open().root().is_launch_home(&home(tree.path("profiles/coder"))));
}
