//! What a read costs, beside `std::env::var` and a bare thread-local map.
//!
//! The process starts itself again with an environment of sixty variables, since nothing here writes one.

#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has nothing to say")]

mod profiles;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group};
use watertight_context::Context;
use watertight_secret_scope::{read, read_from, with_secret};
use watertight_vocabulary::{Classes, HomeId, HostId, Hosting, Secret};

use profiles::{name_of, secrets, value_of};

/// Secrets of a scope.
const NAMES: usize = 30;
/// Variables of the process.
const VARIABLES: usize = 60;
/// A variable that says that the environment is the chosen one.
const STARTED: &str = "ABOUT_THIS_BENCHMARK";
/// Where criterion writes.
const FIGURES: &str = "CRITERION_HOME";

/// A host that says as little as one can.
#[derive(Debug)]
struct World {
    host: HostId,
    launch: HomeId,
    classes: Classes,
}

impl World {
    fn with_many_profiles() -> Self {
        let launch = HomeId::new("/bench/launch".into(), None);
        Self { host: HostId::unique(), launch, classes: Classes::hermes() }
    }

    /// A profile's context with so many secrets.
    fn profile(&self, profile: usize, names: usize) -> Context {
        let secrets = secrets(&self.classes, profile, names);
        let home = HomeId::new(format!("/bench/profiles/p{profile}").into(), None);
        Context::builder().host(self.host).home(home).foreign_home(true).with(secrets).build()
    }
}

impl Hosting for World {
    fn host(&self) -> HostId {
        self.host
    }

    fn many_profiles(&self) -> bool {
        true
    }

    fn launch_home(&self) -> &HomeId {
        &self.launch
    }

    fn environment_value(&self, _: &OsStr) -> Option<OsString> {
        None
    }

    fn classes(&self) -> &Classes {
        &self.classes
    }
}

thread_local! {
    static BARE: RefCell<HashMap<String, String>> = RefCell::new(HashMap::new());
}

#[expect(clippy::disallowed_methods, reason = "the baseline is the process environment itself")]
fn process_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn variable(number: usize) -> String {
    format!("VARIABLE_{number:02}_OF_THIS_PROCESS")
}

fn task(world: &World, profile: usize) -> Context {
    world.profile(profile, NAMES)
}

/// Every answer is looked at where it is given: the tool would move a large one through memory once more.
fn looked_at(secret: Option<Secret>) -> bool {
    black_box(secret).is_some()
}

fn hits(c: &mut Criterion) {
    let (world, wanted) = (World::with_many_profiles(), name_of(NAMES / 2));
    let task = task(&world, 1);
    let middle = variable(VARIABLES / 2);
    assert!(process_variable(&middle).is_some(), "the environment is the chosen one");
    BARE.with_borrow_mut(|map| map.extend((0..NAMES).map(|number| (name_of(number), value_of(1, number)))));

    let mut group = c.benchmark_group("ambient-secret-hit");
    group.bench_function("ours", |b| {
        task.run(|| b.iter(|| read(&world, black_box(&wanted)).is_ok_and(looked_at)));
    });
    group.bench_function("ours-lent", |b| {
        task.run(|| {
            b.iter(|| with_secret(&world, black_box(&wanted), |secret| black_box(secret).is_some()).is_ok());
        });
    });
    group.bench_function("ours-handle", |b| {
        b.iter(|| read_from(&task, Some(&world), black_box(&wanted)).is_ok_and(looked_at));
    });
    group.bench_function("baseline", |b| {
        b.iter(|| black_box(process_variable(black_box(&middle))).is_some());
    });
    group.bench_function("baseline-thread-local-map", |b| {
        b.iter(|| BARE.with_borrow(|map| black_box(map.get(black_box(&wanted))).is_some()));
    });
    group.finish();
}

fn misses(c: &mut Criterion) {
    let world = World::with_many_profiles();
    let task = task(&world, 1);
    let mut group = c.benchmark_group("ambient-secret-miss");
    group.bench_function("ours", |b| {
        task.run(|| b.iter(|| read(&world, black_box("NOBODY_SET_THIS_KEY")).is_ok_and(looked_at)));
    });
    group.bench_function("baseline", |b| {
        b.iter(|| black_box(process_variable(black_box("NOBODY_SET_THIS_KEY"))).is_some());
    });
    group.finish();
}

fn refusals(c: &mut Criterion) {
    let (world, wanted) = (World::with_many_profiles(), name_of(NAMES / 2));
    let task = task(&world, 1);
    let mut group = c.benchmark_group("ambient-secret-refused");
    group.bench_function("ours", |b| b.iter(|| read(&world, black_box(&wanted)).is_err()));
    group.bench_function("baseline", |b| task.run(|| b.iter(|| read(&world, black_box(&wanted)).is_ok())));
    group.finish();
}

/// The time that two threads take for twice the work, as a multiple of what one takes for it once: 1 is a
/// machine whose threads do not hinder each other. Both are measured in turn, so that noise hits both, and of
/// several turns the least counts, since a thread that waits for its turn says nothing of the work.
///
/// The work is handed the number of its thread, and how often it is to be done.
fn slowdown(work: &(dyn Fn(usize, usize) + Sync)) -> f64 {
    const BATCH: usize = 50_000;
    const TURNS: usize = 8;
    let timed = |threads: usize| {
        let barrier = Barrier::new(threads);
        let working = |thread: usize| {
            barrier.wait();
            let started = Instant::now();
            work(thread, BATCH);
            (started, Instant::now())
        };
        let spans: Vec<_> = std::thread::scope(|scope| {
            let working = &working;
            let started: Vec<_> = (0..threads).map(|thread| scope.spawn(move || working(thread))).collect();
            started.into_iter().map(|thread| thread.join().expect("work does not panic")).collect()
        });
        let first = spans.iter().map(|span| span.0).min().expect("there is a thread");
        let last = spans.iter().map(|span| span.1).max().expect("there is a thread");
        last - first
    };
    let turns = (0..TURNS).map(|_| (timed(1), timed(2)));
    let least = turns.reduce(|least, turn| (least.0.min(turn.0), least.1.min(turn.1)));
    let (one, two) = least.expect("there is a turn");
    two.as_secs_f64() / one.as_secs_f64()
}

/// Read by two threads, each inside a scope: a multiple, as [`slowdown`] says, told as microseconds; the ratio
/// to the baseline is what counts. Each iteration measures anew, so that figures take the time that the tool
/// expects of them.
fn two_threads(c: &mut Criterion) {
    let (world, wanted) = (World::with_many_profiles(), name_of(NAMES / 2));
    let tasks = [task(&world, 1), task(&world, 2)];
    let owned = || assert!(read(&world, black_box(&wanted)).is_ok_and(looked_at), "it is in the scope");
    let lent = || {
        let found = with_secret(&world, black_box(&wanted), |secret| black_box(secret).is_some());
        assert!(found.is_ok_and(|is_there| is_there), "it is in the scope");
    };
    let inside = |task: &Context, times: usize, read: &(dyn Fn() + Sync)| {
        task.run(|| (0..times).for_each(|_| read()));
    };
    let arithmetic = |thread: usize, times: usize| {
        for _ in 0..times {
            let mut number = black_box(thread as u64 + 1);
            for _ in 0..24 {
                number = number.wrapping_mul(6_364_136_223_846_793_005).rotate_left(17) ^ 0x9E37_79B9;
            }
            black_box(number);
        }
    };
    let mut group = c.benchmark_group("ambient-secret-two-threads");
    group.sample_size(10);
    let mut compare = |name: &str, work: &(dyn Fn(usize, usize) + Sync)| {
        group.bench_function(name, |b| {
            b.iter_custom(|iterations| {
                (0..iterations).map(|_| Duration::from_micros(1).mul_f64(slowdown(work))).sum()
            });
        });
    };
    let [first, second] = &tasks;
    let of = |thread: usize| if thread == 0 { first } else { second };
    compare("ours", &|thread, times| inside(of(thread), times, &owned));
    compare("ours-lent-from-one-scope", &|_, times| inside(first, times, &lent));
    compare("ours-owned-from-one-scope", &|_, times| inside(first, times, &owned));
    compare("baseline", &arithmetic);
    group.finish();
}

criterion_group!(benches, hits, misses, refusals, two_threads);

fn main() -> ExitCode {
    if process_variable(STARTED).is_none() {
        return start_again();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
    ExitCode::SUCCESS
}

/// Starts this very program with the chosen environment.
fn start_again() -> ExitCode {
    let program = std::env::current_exe().expect("a program knows where it is");
    let figures = process_variable(FIGURES).unwrap_or_else(|| {
        let folder = program.ancestors().nth(3).expect("it lies in the build folder");
        folder.join("criterion").display().to_string()
    });
    let fixed = [(STARTED.to_owned(), "1".to_owned()), (FIGURES.to_owned(), figures)];
    let variables = (fixed.len()..VARIABLES).map(|number| (variable(number), value_of(0, number)));
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env_clear().envs(fixed).envs(variables);
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
