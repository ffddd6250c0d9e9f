//! What a person would see of a tree that holds every kind of entry at once.

use std::fmt::Write;

use watertight_disk::{Operation, RealFileSystem, Scripted};
use watertight_profile_discovery::{ProfileName, ProfileTree};

use crate::support::{EACCES, EIO, Tree, home};

/// One entry of every kind.
#[cfg(unix)]
fn every_kind() -> Tree {
    let tree = Tree::new();
    tree.file("config.yaml", "gateway: {standalone: true}").file(".env", "K=canary-0\n");
    tree.profile("coder").file("profiles/writer/.env", "K=canary-1\n").file("profiles/empty/.env", "");
    tree.file("profiles/soul/SOUL.md", "").file("profiles/test/state.db", "");
    tree.profile("parked").file("profiles/parked/gateway.parked", "");
    tree.file("profiles/alone/config.yaml", "gateway: {standalone: 'Yes'}");
    tree.file("profiles/broken/config.yaml", "gateway: {standalone: canary-2");
    tree.file("profiles/.deleted/field", "").file("profiles/field/logs/agent.log", "");
    tree.file("profiles/ghost/cron/.tick.lock", "").dir("profiles/folder-marker/config.yaml");
    tree.profile("default").profile("Coder").profile("lost+found").profile("_old").dir("profiles/.git");
    tree.file("profiles/notes", "").fifo("profiles/pipe").dir("profiles/piped").fifo("profiles/piped/.env");
    tree.link("profiles/alias", "coder").link("profiles/up", "..").link("profiles/outside", "../far");
    tree.link("profiles/outside2", "../far").file("far/config.yaml", "").link("profiles/file-link", "notes");
    tree.link("profiles/dangling", "nowhere").link("profiles/loop", "loop");
    tree.link("profiles/linked/config.yaml", "nowhere")
        .profile("denied")
        .profile("faulty")
        .profile("unparked");
    tree.dir("profiles/\u{e9}t\u{e9}").dir("profiles/a\nb");
    tree
}

#[cfg(unix)]
fn open(tree: &Tree) -> ProfileTree {
    tree.on(std::sync::Arc::new(Scripted::new(std::sync::Arc::new(RealFileSystem), |operation, path| {
        let error = match operation {
            Operation::SymlinkMetadata if path.ends_with("denied/config.yaml") => EACCES,
            Operation::SymlinkMetadata if path.ends_with("faulty/config.yaml") => EIO,
            Operation::Metadata if path.ends_with("unparked/gateway.parked") => EACCES,
            _ => return Ok(()),
        };
        Err(std::io::Error::from_raw_os_error(error))
    })))
}

#[cfg(unix)]
fn assert_shown(name: &str, tree: &Tree, text: &str) {
    assert!(!text.contains("canary"), "no value is shown");
    let root = tree.root().to_str().unwrap();
    insta::assert_snapshot!(name, text.replace(root, "[ROOT]"));
}

#[cfg(unix)]
#[test]
fn prof_26_listing_of_every_kind_of_entry() {
    let tree = every_kind();
    let listing = open(&tree).list().unwrap();
    let mut text = String::new();
    for profile in listing.profiles() {
        let kind = if profile.is_link() { ", a link" } else { "" };
        let servable = if profile.is_servable() { "" } else { ", an empty .env" };
        writeln!(text, "{}: {}{kind}{servable}", profile.name(), profile.home().display()).unwrap();
    }
    text.push('\n');
    for diagnostic in listing.diagnostics() {
        writeln!(text, "{diagnostic}").unwrap();
    }
    assert_shown("listing", &tree, &text);
}

#[cfg(unix)]
#[test]
fn prof_28_rosters_of_every_kind_of_entry() {
    let tree = every_kind();
    let open = open(&tree);
    let mut text = String::new();
    for (title, roster) in [("installed", open.installed().unwrap()), ("serving", open.serving().unwrap())] {
        writeln!(text, "{title}").unwrap();
        for resident in roster.residents() {
            let (name, home) = (resident.name(), resident.home().display());
            writeln!(text, "  {name}: {home} {:?}", resident.aliases()).unwrap();
        }
        for left in roster.left_out() {
            writeln!(text, "  - {}: {}", left.profile().name(), left.reason().code()).unwrap();
        }
        for diagnostic in roster.diagnostics() {
            writeln!(text, "  ! {diagnostic}").unwrap();
        }
    }
    assert_shown("rosters", &tree, &text);
}

#[cfg(unix)]
#[test]
fn prof_41_tenants_of_every_kind_of_entry() {
    let tree = every_kind();
    let tenants = open(&tree).tenants(&home(tree.path("profiles/empty"))).unwrap();
    let mut text = String::new();
    for tenant in &tenants {
        let name = tenant.name().map_or("-", ProfileName::as_str);
        let launch = if tenant.is_launch() { ", launch home" } else { "" };
        let (home, reason) = (tenant.home().display(), tenant.reason().code());
        writeln!(text, "{name}: {home} ({reason}{launch}) {:?}", tenant.aliases()).unwrap();
    }
    assert_shown("tenants", &tree, &text);
}

#[cfg(unix)]
#[test]
fn prof_11_errors_of_every_kind_of_request() {
    let tree = every_kind();
    let open = open(&tree);
    let mut text = String::new();
    for name in [
        "default", "coder", "codr", "Write r", "field", "ghost", "parked", "alone", "alias", "up",
        "outside2", "dangling", "loop", "denied", "unparked", "notes", "../etc", "a\nb", "",
    ] {
        let answer = match open.find(name) {
            Ok(found) => match open.ensure_served(&found) {
                Ok(_) => format!("found {}", found.home().display()),
                Err(error) => format!("found, and then {}: {error}", error.code()),
            },
            Err(error) => format!("{}: {error} {:?}", error.code(), error.suggestions()),
        };
        writeln!(text, "{name:?}: {answer}").unwrap();
    }
    assert_shown("requests", &tree, &text);
}
