//! What activation changes, and what it does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use watertight_secret_scope::{explain, read, read_from, with_secret};

use crate::world::{World, text};

fn seen(world: &World, name: &str) -> Seen {
    match read(world, name) {
        Ok(value) => Ok(text(value.as_ref()).map(str::to_owned)),
        Err(refused) => Err(refused.code()),
    }
}

type Seen = Result<Option<String>, &'static str>;

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what a read gave")]
fn some(value: &str) -> Seen {
    Ok(Some(value.to_owned()))
}

#[test]
fn sec_14_activation_changes_unscoped_code_at_once_and_scoped_code_not_at_all() {
    let world = World::new(&[("UNIT", "canary-unit"), ("BOTH", "canary-unit")]);
    let launch = world.launch_context("BOTH=canary-file\n");
    let turn = || [seen(&world, "UNIT"), seen(&world, "BOTH")];
    assert_eq!(turn(), [some("canary-unit"), some("canary-unit")], "unscoped, the environment");
    launch.run(|| {
        let before = turn();
        world.activate();
        world.live.set("UNIT", "canary-written-later");
        assert_eq!(before, turn(), "a body that entered before activation reads the same after it");
        assert_eq!(before, [some("canary-unit"), some("canary-file")]);
    });
    assert_eq!(turn(), [Err("unscoped"), Err("unscoped")]);
}

#[test]
fn sec_22_a_launch_scope_is_the_same_before_and_after_activation() {
    let world = World::new(&[("UNIT", "canary-unit"), ("BOTH", "canary-unit"), ("LANG", "C")]);
    let before = world.launch_context("BOTH=canary-file\n");
    world.activate();
    world.live.set("UNIT", "canary-written-later");
    world.live.set("LATER", "canary-written-later");
    let after = world.launch_context("BOTH=canary-file\n");
    for launch in [before, after] {
        launch.run(|| {
            assert_eq!(seen(&world, "UNIT"), some("canary-unit"), "an env-only key survives");
            assert_eq!(seen(&world, "BOTH"), some("canary-file"), "the file wins");
            assert_eq!(seen(&world, "LATER"), Ok(None));
        });
    }
}

#[test]
fn snap_03_an_answer_of_the_live_environment_is_dropped_when_hosting_changed_meanwhile() {
    let world = World::new(&[("MISSING", "canary-live")]);
    world.activate_during_the_next_answer();
    assert_eq!(seen(&world, "MISSING"), Err("unscoped"), "without a scope: SEC-06, not the value");
    assert_eq!(world.answers(), 1);

    let world = World::new(&[("MISSING", "canary-live")]);
    let own = world.launch_context("OTHER=canary-own\n");
    world.live.set("INJECTED", "canary-injected");
    world.activate_during_the_next_answer();
    assert_eq!(own.run(|| seen(&world, "INJECTED")), Ok(None), "in the launch scope: SEC-03, not the value");
}

/// Whether a way to read found a value, or the code of its refusal.
type Way = fn(&World) -> Result<bool, &'static str>;

#[test]
fn snap_03_every_way_to_read_looks_at_hosting_again() {
    let ways: [Way; 4] = [
        |world| read(world, "MISSING").map(|value| value.is_some()).map_err(|refused| refused.code()),
        |world| with_secret(world, "MISSING", |value| value.is_some()).map_err(|refused| refused.code()),
        |world| {
            let handle = world.context().build();
            read_from(&handle, Some(world), "MISSING").map(|v| v.is_some()).map_err(|refused| refused.code())
        },
        |world| match explain(world, "MISSING").code() {
            "value" => Ok(true),
            "absent" => Ok(false),
            code => Err(code),
        },
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let world = World::new(&[("MISSING", "canary-live")]);
        assert_eq!(way(&world), Ok(true), "way {number}");
        world.activate_during_the_next_answer();
        assert_eq!(way(&world), Err("unscoped"), "way {number}");
    }
}

#[test]
fn snap_03_a_global_name_is_read_anew_from_the_frozen_environment() {
    let world = Arc::new(World::new(&[("LANG", "canary-live")]));
    world.activate_during_the_next_answer();
    assert_eq!(seen(&world, "LANG"), some("canary-live"), "a global name is answered in both worlds");
    assert_eq!(world.answers(), 2, "and was asked for again");
}

#[test]
fn snap_03_no_thread_ever_reads_the_live_environment_after_activation() {
    let world = World::new(&[("KEY", "canary-launch")]);
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    match seen(&world, "KEY") {
                        Ok(value) => assert_eq!(value.as_deref(), Some("canary-launch")),
                        Err(code) => assert_eq!(code, "unscoped"),
                    }
                }
            });
        }
        world.activate();
        // From here on nobody may be told what stands in the live environment.
        world.live.set("KEY", "canary-of-another");
        for _ in 0..2_000 {
            assert_eq!(seen(&world, "KEY"), Err("unscoped"));
        }
        done.store(true, Ordering::SeqCst);
    });
}
