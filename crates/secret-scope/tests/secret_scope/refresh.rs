//! What a refresh is made of here: immutable scopes, rebuilt by the same builder, each stamped with its home.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use watertight_context::Context;
use watertight_profile_home::{FileError, HomeFile, Unreadable};
use watertight_secret_scope::{
    Asking, BoundSecrets, SecretScope, SecretSource, SourceCache, read, read_from,
};
use watertight_vocabulary::HomeId;

use crate::source::Broken;
use crate::world::{World, files_of, home, policy, scope_of, text};

#[test]
fn sec_28_a_built_scope_is_stamped_and_does_not_change() {
    let home = home("coder");
    let files = files_of(&home, "KEY=canary-1\n");
    let scope = policy(&SecretScope::builder(&home).files(&files).build());
    assert_eq!(scope.home(), home.id());
    files.set_dotenv(&home, "KEY=canary-2\n");
    assert_eq!(text(scope.get("KEY").expect("held")), Some("canary-1"));
    let again = policy(&SecretScope::builder(&home).files(&files).build());
    assert_eq!(text(again.get("KEY").expect("held")), Some("canary-2"));
    let other = HomeId::new("/world/profiles/other".into(), None);
    assert_ne!(scope.home(), &other);
}

#[test]
fn sec_28_a_revoked_name_is_gone_and_env_only_keys_are_still_there() {
    let world = World::new(&[("UNIT", "canary-unit")]);
    let home = world.launch_home();
    let files = files_of(&home, "REVOKED=canary-1\nKEPT=canary-1\n");
    let build = || {
        let builder = SecretScope::builder(&home).files(&files);
        policy(&builder.launch_environment(world.environment()).build())
    };
    let before = build();
    world.activate();
    files.set_dotenv(&home, "KEPT=canary-2\n");
    let after = build();
    assert_eq!(text(before.get("REVOKED").expect("held")), Some("canary-1"), "a frame keeps what it has");
    assert!(after.get("REVOKED").expect("not refused").is_none());
    assert_eq!(text(after.get("KEPT").expect("held")), Some("canary-2"));
    assert_eq!(text(after.get("UNIT").expect("held")), Some("canary-unit"));
}

#[test]
fn sec_28_a_rebuild_that_fails_is_a_refusal_that_keeps_no_key_alive() {
    let home = home("coder");
    let files = files_of(&home, "KEY=canary-1\n");
    let source = Arc::new(Broken::declaring(["VAULT_KEY"]));
    source.mend();
    let cache = SourceCache::new([source.clone() as Arc<dyn SecretSource>]);
    let build = |asking| SecretScope::builder(&home).files(&files).sources(&cache, asking).build();
    assert!(policy(&build(Asking::Once)).get("VAULT_KEY").expect("held").is_some());

    source.fail_again();
    let scope = policy(&build(Asking::Anew));
    assert_eq!(scope.get("VAULT_KEY").expect_err("its source failed").code(), "unavailable");

    files.fail(
        &home,
        HomeFile::Dotenv,
        FileError::unreadable(home.path().join(".env"), Unreadable::Dangling),
    );
    assert_eq!(build(Asking::Anew).refusal().map(watertight_vocabulary::Refusal::code), Some("unreadable"));
}

#[test]
fn sec_28_closing_the_old_scope_closes_the_refreshed_one() {
    let world = World::activated(&[]);
    let old = world.profile_context("coder", "KEY=canary-1\n");
    let secrets: BoundSecrets = watertight_vocabulary::Bound::Policy(scope_of("coder", "KEY=canary-2\n"));
    let new = world.context().home(home("coder").id().clone()).foreign_home(true);
    let new = new.with(secrets).closing_with(&old).build();
    assert_eq!(text(read_from(&new, Some(&world), "KEY").expect("open").as_ref()), Some("canary-2"));
    old.close();
    assert_eq!(read_from(&new, Some(&world), "KEY").expect_err("closed").code(), "closed");
}

#[test]
fn sec_28_readers_at_full_speed_see_one_build_or_the_other_and_no_mixture() {
    let world = World::activated(&[]);
    let names: Vec<_> = (0..8).map(|number| format!("KEY_{number}")).collect();
    let build = |generation: usize| {
        let lines = |name: &String| format!("{name}=canary-{generation}\n");
        world.profile_context("coder", &names.iter().map(lines).collect::<String>())
    };
    let current = std::sync::Mutex::new(build(0));
    let take = || -> Context { current.lock().expect("not poisoned").clone() };
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    take().run(|| {
                        let first = read(&world, &names[0]).expect("held").expect("held");
                        for name in &names {
                            let next = read(&world, name).expect("held").expect("held");
                            assert_eq!(
                                text(Some(&next)),
                                text(Some(&first)),
                                "{name} is of one build with the first"
                            );
                        }
                    });
                }
            });
        }
        for generation in 1..200 {
            let next = build(generation);
            *current.lock().expect("not poisoned") = next;
        }
        done.store(true, Ordering::SeqCst);
    });
}
