//! Refusals: their texts, their causes, and that none of them becomes absence.

use watertight_profile_home::{DiskFiles, HomeFile, ProfileHome};
use watertight_secret_scope::{SecretScope, read, with_secret};
use watertight_vocabulary::{HomeId, RefusedReason, Secret};

use crate::world::World;

/// A home on disk whose `.env` is a directory, which nobody can read as a file, not even root.
fn unreadable() -> (tempfile::TempDir, ProfileHome) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(HomeFile::Dotenv.in_home("".as_ref()))).expect("made");
    let resolved = folder.path().canonicalize().expect("it is there");
    let home = ProfileHome::confined(HomeId::new(resolved, None));
    (folder, home)
}

#[test]
fn sec_30_an_unreadable_file_is_a_scope_that_refuses_and_can_be_bound() {
    let (_folder, home) = unreadable();
    let bound = SecretScope::builder(&home).files(&DiskFiles::new()).build();
    let refusal = bound.refusal().expect("unreadable is not empty").clone();
    assert_eq!(refusal.code(), "unreadable");
    let expected = home.path().join(".env");
    assert_eq!(refusal.path(), Some(expected.as_path()));

    let world = World::new(&[("BOT_ALLOWED_USERS", "canary-launch")]);
    let task = world.context().home(home.id().clone()).foreign_home(true).with(bound).build();
    task.run(|| {
        for name in ["BOT_ALLOWED_USERS", "NOWHERE"] {
            let refused = read(&world, name).expect_err("every secret read is refused");
            assert_eq!(refused.reason(), &RefusedReason::Unavailable(refusal.clone()));
        }
    });
    assert_eq!(world.answers(), 0, "and nobody asks the environment instead");
}

#[test]
fn sec_30_the_launch_profile_s_unreadable_file_is_a_refusal_too() {
    let (_folder, home) = unreadable();
    let world = World::new(&[("UNIT", "canary-unit")]).with_launch_home(home.id().clone());
    let home = world.launch_home();
    let files = DiskFiles::new();
    let builder = SecretScope::builder(&home).files(&files);
    let bound = builder.launch_environment(world.environment()).build();
    assert!(bound.refusal().is_some(), "the environment does not stand in for the file");
}

#[test]
fn sec_12_a_default_is_for_absence_and_never_for_a_refusal() {
    let world = World::activated(&[]);
    let task = world.profile_context("coder", "EMPTY=\n");
    let with_default = |name: &str| {
        read(&world, name).map(|value| value.map_or("default".to_owned(), |secret| shown(&secret)))
    };
    let value = task.run(|| [with_default("EMPTY"), with_default("MISSING")]);
    assert_eq!(value, [Ok(String::new()), Ok("default".to_owned())]);
    assert_eq!(with_default("MISSING").expect_err("unscoped").code(), "unscoped");
    let run = with_secret(&world, "MISSING", |_| panic!("a refusal runs no closure"));
    assert!(run.is_err());
}

fn shown(secret: &Secret) -> String {
    secret.expose().expect("text").to_owned()
}

#[test]
fn sec_13_the_refusal_names_the_variable_and_says_how_to_bind_a_scope() {
    let world = World::activated(&[("BASE_URL", "canary-launch")]);
    let refused = read(&world, "BASE_URL").expect_err("no scope is bound");
    insta::assert_snapshot!(refused.to_string(), @"reading BASE_URL was refused: no profile scope was bound; enter one with `scope.run(..)` or `future.in_scope(&scope)`");
    let text = format!("{refused} {refused:?} {refused:#?}");
    assert!(!text.contains("canary"), "{text}");
    let launch = world.launch_context("");
    let held = launch.run(|| read(&world, "BASE_URL")).expect("the launch profile has a scope of its own");
    assert!(held.is_some_and(|secret| secret.matches("canary-launch")));
}

#[test]
fn every_refusal_says_in_words_what_to_do() {
    let world = World::new(&[]);
    let mut texts = Vec::new();
    let mut note =
        |refused: watertight_vocabulary::Refused| texts.push(format!("{}: {refused}", refused.code()));
    let scope = world.profile_context("coder", "");
    scope.run(|| {
        note(read(&world, "TERMINAL_CWD").expect_err("a terminal name"));
        note(read(&world, "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN").expect_err("the control plane"));
        note(read(&World::new(&[]), "KEY").expect_err("another host"));
        scope.close();
        note(read(&world, "KEY").expect_err("closed"));
    });
    let handle = World::new(&[]).context().build();
    note(watertight_secret_scope::read_from(&handle, None, "KEY").expect_err("no host"));
    insta::assert_snapshot!(texts.join("\n"));
}
