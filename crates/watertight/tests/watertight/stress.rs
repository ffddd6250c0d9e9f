//! Many profiles, threads, tasks and panics at once: nobody sees anybody else's value.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use watertight::{Host, InScope, ProfileScope};

use crate::world::World;

const PROFILES: usize = 40;
const ROUNDS: usize = 300;

fn check(host: &Host, profile: usize) {
    let secret = host.secret("OWN_KEY").expect("a bound scope answers").expect("it is in the file");
    assert!(secret.matches(format!("canary-{profile}-end")), "a value of another profile");
    assert!(host.secret("LAUNCH_KEY").expect("a bound scope answers").is_none(), "the launch profile's");
}

/// A small generator: the same numbers every time, another sequence for each seed.
fn numbers(seed: usize) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9E37_79B9).wrapping_add(1);
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn conf_20_threads_tasks_and_panics_leave_every_profile_its_own() {
    let world = World::new();
    world.set("LAUNCH_KEY", "canary-launch").set("OWN_KEY", "canary-launch");
    for profile in 0..PROFILES {
        world.write(&format!("profiles/p{profile}/.env"), &format!("OWN_KEY=canary-{profile}-end\n"));
    }
    let host = world.host();
    let launch = host.launch_scope().unwrap();
    let reads = AtomicUsize::new(0);
    let scope_of = |profile: usize| -> ProfileScope { host.profile_scope(&format!("p{profile}")).unwrap() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    thread::scope(|threads| {
        for seed in 0..4 {
            let (host, reads, launch, scope_of) = (&host, &reads, &launch, &scope_of);
            threads.spawn(move || {
                let mut below = numbers(seed);
                for round in 0..ROUNDS {
                    let (outer, inner) = (below(PROFILES), below(PROFILES));
                    let scope = scope_of(outer);
                    scope.run(|| {
                        check(host, outer);
                        let panicked = catch_unwind(AssertUnwindSafe(|| {
                            scope_of(inner).run(|| {
                                check(host, inner);
                                assert!(round % 7 != 0, "a body dies on purpose");
                            });
                        }));
                        assert_eq!(panicked.is_err(), round % 7 == 0);
                        check(host, outer);
                        launch.run(|| {
                            assert!(host.secret("LAUNCH_KEY").unwrap().unwrap().matches("canary-launch"));
                        });
                        check(host, outer);
                    });
                    assert_eq!(host.secret("OWN_KEY").unwrap_err().code(), "unscoped");
                    reads.fetch_add(4, Ordering::Relaxed);
                }
            });
        }
        let tasks: Vec<_> = (0..32)
            .map(|seed| {
                let host = host.clone();
                let mut below = numbers(seed + 100);
                runtime.spawn(async move {
                    for _ in 0..ROUNDS / 10 {
                        let profile = below(PROFILES);
                        let scope = host.profile_scope(&format!("p{profile}")).unwrap();
                        async {
                            check(&host, profile);
                            tokio::task::yield_now().await;
                            check(&host, profile);
                        }
                        .in_scope(scope)
                        .await;
                        assert_eq!(host.secret("OWN_KEY").unwrap_err().code(), "unscoped");
                    }
                })
            })
            .collect();
        // Half of them are cancelled half way.
        for (number, task) in tasks.into_iter().enumerate() {
            if number % 2 == 0 {
                task.abort();
            }
            let ended = runtime.block_on(task);
            assert!(ended.is_ok() || ended.unwrap_err().is_cancelled());
        }
    });
    assert_eq!(reads.load(Ordering::Relaxed), 4 * 4 * ROUNDS);
}
