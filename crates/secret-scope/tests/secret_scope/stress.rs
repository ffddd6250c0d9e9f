//! Threads, tasks and a pool; two hundred profiles; panics, cancellations, and an activation in the middle.
//! Every value in this world is unique, so one sighting of another's is a leak.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use rayon::prelude::*;
use watertight_context::{Context, InScope, detached};
use watertight_secret_scope::{read, read_from, with_secret};
use watertight_vocabulary::{Hosting, Secret};

use crate::world::{World, text};

const PROFILES: usize = 200;
const KEYS: usize = 5;
const THREADS: u64 = 8;
/// Rounds of each thread; every third or so reads where a profile is bound.
const ROUNDS: usize = 6_000;
const TASKS: u64 = 120;
const POOL_JOBS: usize = 3_000;
/// How often each key is read, owned and lent, for each time that a profile is read.
const TIMES: usize = 4;

struct Stage {
    world: World,
    /// The launch profile first.
    profiles: Vec<Context>,
    keys: [String; KEYS],
    /// What each profile is to be answered for each key.
    wanted: Vec<[Option<String>; KEYS]>,
    reads: AtomicU64,
}

fn key(number: usize) -> String {
    format!("KEY_{number}")
}

fn value(profile: usize, number: usize) -> String {
    format!("canary-{profile}-{number}")
}

/// The last key is every profile's but the launch profile's own to miss.
fn dotenv(profile: usize) -> String {
    let line = |number| format!("{}={}\n", key(number), value(profile, number));
    (0..KEYS - 1).map(line).collect::<Vec<_>>().concat()
}

fn answer(profile: usize, number: usize) -> Option<String> {
    match (profile, number == KEYS - 1) {
        (0, true) => Some(format!("canary-env-{number}")),
        (_, true) => None,
        (_, false) => Some(value(profile, number)),
    }
}

impl Stage {
    fn set() -> Self {
        let environment: Vec<_> =
            (0..KEYS).map(|number| (key(number), format!("canary-env-{number}"))).collect();
        let pairs: Vec<_> = environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let world = World::new(&pairs);
        let mut profiles = vec![world.launch_context(&dotenv(0))];
        profiles.extend(
            (1..PROFILES).map(|number| world.profile_context(&format!("p{number}"), &dotenv(number))),
        );
        let wanted = (0..PROFILES).map(|profile| std::array::from_fn(|number| answer(profile, number)));
        Self {
            world,
            profiles,
            keys: std::array::from_fn(key),
            wanted: wanted.collect(),
            reads: AtomicU64::new(0),
        }
    }

    /// Reads every key where a profile is bound.
    fn read_as(&self, profile: usize) {
        for (name, wanted) in self.keys.iter().zip(&self.wanted[profile]) {
            let wanted = wanted.as_deref().map(str::as_bytes);
            for _ in 0..TIMES {
                let seen = read(&self.world, name).expect("no refusal where a scope is bound");
                assert_eq!(seen.as_ref().map(Secret::expose_bytes), wanted, "{name} of profile {profile}");
                let lent = with_secret(&self.world, name, |secret| {
                    assert_eq!(secret.map(Secret::expose_bytes), wanted, "{name} of profile {profile}");
                });
                lent.expect("no refusal where a scope is bound");
            }
        }
        self.reads.fetch_add((2 * TIMES * KEYS) as u64, Ordering::Relaxed);
    }

    /// Reads where nothing is bound: the environment before activation, a refusal after it.
    fn read_unscoped(&self) {
        let many = self.world.many_profiles();
        match read(&self.world, "KEY_0") {
            Ok(seen) => {
                assert!(!many, "an unscoped read was answered after activation");
                assert_eq!(text(seen.as_ref()), Some("canary-env-0"));
            }
            Err(refused) => {
                assert_eq!(refused.code(), "unscoped");
                assert!(self.world.many_profiles(), "an unscoped read was refused before activation");
            }
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    fn round(&self, chance: &mut Chance) {
        let (one, other) = (chance.below(PROFILES), chance.below(PROFILES));
        let (outer, inner) = (&self.profiles[one], &self.profiles[other]);
        match chance.below(6) {
            0 => outer.run(|| self.read_as(one)),
            1 => outer.run(|| {
                inner.run(|| self.read_as(other));
                self.read_as(one);
            }),
            2 => {
                let panicked = catch_unwind(AssertUnwindSafe(|| {
                    outer.run(|| inner.run(|| std::panic::panic_any(Expected)));
                }));
                assert!(panicked.is_err());
                self.read_unscoped();
            }
            3 => outer.run(|| detached(|| self.read_unscoped())),
            4 => {
                let seen = inner.run(|| read_from(outer, Some(&self.world), "KEY_1"));
                let seen = seen.expect("no refusal through an open handle");
                assert_eq!(text(seen.as_ref()), Some(value(one, 1).as_str()), "a handle reads its own");
                self.reads.fetch_add(1, Ordering::Relaxed);
            }
            _ => self.read_unscoped(),
        }
    }

    /// A turn that gives its thread away between its reads, and may be cancelled there.
    async fn turn(&self, profile: usize, other: usize) {
        for _ in 0..4 {
            self.read_as(profile);
            tokio::task::yield_now().await;
            let nested = async {
                self.read_as(other);
                tokio::task::yield_now().await;
                self.read_as(other);
            };
            nested.in_scope(self.profiles[other].clone()).await;
        }
    }
}

/// A panic that is meant.
struct Expected;

fn keep_expected_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<Expected>() {
                usual(info);
            }
        }));
    });
}

/// A small generator of numbers: the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is below a usize")
    }
}

#[test]
fn no_value_of_another_profile_and_no_refusal_that_should_not_be() {
    keep_expected_panics_quiet();
    let stage = Arc::new(Stage::set());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");

    std::thread::scope(|threads| {
        for seed in 1..=THREADS {
            let stage = &stage;
            threads.spawn(move || {
                let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                for round in 0..ROUNDS {
                    // One thread activates, half way; nobody is told.
                    if seed == 1 && round == ROUNDS / 2 {
                        stage.world.activate();
                    }
                    stage.round(&mut chance);
                }
            });
        }
        threads.spawn(|| {
            pool.install(|| {
                (0..POOL_JOBS).into_par_iter().for_each(|job| {
                    let profile = job % PROFILES;
                    stage.profiles[profile].run(|| stage.read_as(profile));
                    detached(|| stage.read_unscoped());
                });
            });
        });
        threads.spawn(|| runtime.block_on(tasks(&stage)));
    });
    let reads = stage.reads.load(Ordering::Relaxed);
    assert!(reads >= 1_000_000, "{reads} reads are no stress");
    for context in &stage.profiles {
        context.close();
        let refused = context.run(|| read(&stage.world, "KEY_0")).expect_err("closed");
        assert_eq!(refused.code(), "closed");
    }
}

/// Tasks on two workers, every third of them cancelled at one of its points of rest.
async fn tasks(stage: &Arc<Stage>) {
    let mut running = Vec::new();
    for number in 0..TASKS {
        let stage = Arc::clone(stage);
        let mut chance = Chance(number + 77);
        running.push(tokio::spawn(async move {
            for _ in 0..12 {
                let (profile, other) = (chance.below(PROFILES), chance.below(PROFILES));
                let turn = stage.turn(profile, other).in_scope(stage.profiles[profile].clone());
                if chance.below(3) == 0 {
                    tokio::select! {
                        biased;
                        () = turn => {}
                        () = rest(chance.below(5)) => {}
                    }
                } else {
                    turn.await;
                }
                stage.read_unscoped();
            }
        }));
    }
    for (number, task) in running.into_iter().enumerate() {
        if number % 10 == 9 {
            task.abort();
        }
        if let Err(error) = task.await {
            assert!(error.is_cancelled(), "a task panicked");
        }
    }
}

async fn rest(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}
