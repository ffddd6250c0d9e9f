use std::fs;

use futures_lite::future::{block_on, yield_now};
use watertight::InScope;

use crate::world::{World, code, value};

#[test]
fn sec_28_a_frame_keeps_its_parts_a_future_and_a_handle_take_the_current_ones() {
    let world = World::with_coder();
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    let read = || value(host.secret("CODER_KEY")).unwrap();
    scope.run(|| {
        world.write("profiles/coder/.env", "CODER_KEY=canary-rotated\n");
        scope.refresh().unwrap();
        assert_eq!(read(), "canary-coder", "this frame was entered with it");
        assert_eq!(value(scope.secret("CODER_KEY")).as_deref(), Some("canary-rotated"));
    });
    let seen = block_on(
        async {
            let first = read();
            world.write("profiles/coder/.env", "CODER_KEY=canary-third\n");
            scope.refresh().unwrap();
            let same_poll = read();
            yield_now().await;
            [first, same_poll, read()]
        }
        .in_scope(scope.clone()),
    );
    assert_eq!(seen, ["canary-rotated", "canary-rotated", "canary-third"]);
}

#[test]
fn sec_28_a_revoked_name_is_gone_and_env_only_launch_keys_are_still_there() {
    let world = World::with_coder();
    world.write(".env", "REVOKED=canary-r\nKEPT=canary-k\n").set("UNIT", "canary-unit");
    let host = world.host();
    let scope = host.launch_scope().unwrap();
    host.activate();
    world.write(".env", "KEPT=canary-k\n");
    scope.refresh().unwrap();
    let read = |name| value(scope.secret(name));
    assert_eq!(read("REVOKED"), None);
    assert_eq!(read("KEPT").as_deref(), Some("canary-k"));
    assert_eq!(read("UNIT").as_deref(), Some("canary-unit"));
}

#[test]
fn sec_28_a_refresh_that_fails_keeps_no_revoked_key_alive() {
    let world = World::with_coder();
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    fs::remove_dir_all(world.path("profiles/coder")).unwrap();
    assert_eq!(scope.refresh().unwrap_err().code(), "no-such-profile");
    assert_eq!(code(scope.secret("CODER_KEY")), "unavailable");
    assert_eq!(scope.backend().unwrap_err().code(), "unavailable");

    // The profile is made again under the same name: another home, and no scope of the old one.
    world.write("profiles/coder/.env", "CODER_KEY=canary-new\n");
    assert_eq!(host.profile_scope("coder").unwrap().secret("CODER_KEY").map(|key| key.is_some()), Ok(true));
}

#[test]
fn sec_28_secrets_and_terminal_are_swapped_as_one() {
    let world = World::with_coder();
    let write = |generation: usize| {
        world.write(
            "profiles/coder/.env",
            &format!("GENERATION=canary-{generation}\nTERMINAL_TIMEOUT={generation}\n"),
        );
    };
    write(0);
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                threads.spawn(|| {
                    let mut reads = 0_u32;
                    while !done.load(std::sync::atomic::Ordering::Relaxed) || reads == 0 {
                        scope.run(|| {
                            let secret = value(host.secret("GENERATION")).unwrap();
                            let timeout = host.terminal("TERMINAL_TIMEOUT").unwrap().unwrap();
                            let timeout = timeout.expose().unwrap().to_owned();
                            assert_eq!(secret, format!("canary-{timeout}"), "a mixture of two generations");
                        });
                        reads += 1;
                    }
                })
            })
            .collect();
        for generation in 1..100 {
            write(generation);
            scope.refresh().unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
    });
}

#[test]
fn ctx_09_a_closed_scope_refuses_everything_but_global_names() {
    let world = World::with_coder();
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    let other_handle = scope.clone();
    scope.run(|| {
        other_handle.close();
        assert_eq!(code(host.secret("CODER_KEY")), "closed", "also in a body that is still inside");
        assert_eq!(value(host.secret("PATH")).as_deref(), Some("/usr/bin"));
        assert_eq!(host.terminal("TERMINAL_ENV").unwrap_err().code(), "closed");
    });
    assert_eq!(code(scope.secret("CODER_KEY")), "closed");
    scope.refresh().unwrap();
    assert_eq!(code(scope.secret("CODER_KEY")), "closed", "a refresh opens nothing again");
    assert!(
        host.profile_scope("coder").unwrap().secret("CODER_KEY").is_ok(),
        "another request is another scope"
    );
}

#[test]
fn sec_28_a_profile_that_was_made_again_is_another_home_and_no_refresh_of_the_old() {
    let world = World::with_coder();
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    fs::rename(world.path("profiles/coder"), world.path("was")).unwrap();
    world.write("profiles/coder/.env", "CODER_KEY=canary-new\n");
    assert_eq!(scope.refresh().unwrap_err().code(), "changed");
    assert_eq!(code(scope.secret("CODER_KEY")), "unavailable");
    assert_eq!(
        value(host.profile_scope("coder").unwrap().secret("CODER_KEY")).as_deref(),
        Some("canary-new")
    );
}

#[test]
fn sec_28_a_file_that_cannot_be_read_any_more_is_bound_as_a_refusal_and_reported() {
    let world = World::with_coder();
    let host = world.host();
    let scope = host.profile_scope("coder").unwrap();
    fs::remove_file(world.path("profiles/coder/.env")).unwrap();
    fs::create_dir(world.path("profiles/coder/.env")).unwrap();
    world.write("profiles/coder/SOUL.md", "x");
    assert_eq!(scope.refresh().unwrap_err().code(), "unavailable");
    assert_eq!(code(scope.secret("CODER_KEY")), "unavailable");

    fs::remove_dir(world.path("profiles/coder/.env")).unwrap();
    world.write("profiles/coder/.env", "CODER_KEY=canary-mended\n");
    scope.refresh().unwrap();
    assert_eq!(value(scope.secret("CODER_KEY")).as_deref(), Some("canary-mended"));
    world.write("profiles/coder/config.yaml", "terminal: docker\n");
    assert_eq!(scope.refresh().unwrap_err().code(), "unavailable");
    assert_eq!(
        value(scope.secret("CODER_KEY")).as_deref(),
        Some("canary-mended"),
        "the part that could be built"
    );
    assert_eq!(scope.backend().unwrap_err().code(), "unavailable");
}
