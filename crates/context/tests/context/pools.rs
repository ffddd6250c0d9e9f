//! A rayon pool: the leak that no library can see, and the two doors that shut it (CTX-03).

use std::sync::mpsc::{Sender, channel};

use rayon::ThreadPool;
use watertight_context::{InScope, detached};

use crate::support::{A, B, Profile, a, b, bound};

fn pool(workers: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("a pool starts")
}

/// Has a worker that waits in `join`, inside a's scope, take up the unrelated job that `submit` hands to
/// the pool; gives what that job found.
///
/// The second half of the `join` is stolen by the other worker and ends only when the job has run, so
/// the job runs on the worker that waits: nowhere else is anybody free.
fn run_while_a_worker_waits(submit: fn(Sender<Option<Profile>>)) -> Option<Profile> {
    let (found, answer) = channel();
    let (stolen, was_stolen) = channel();
    let (ran, has_run) = channel();
    pool(2).install(|| {
        a().run(|| {
            rayon::join(
                move || {
                    was_stolen.recv().expect("the other worker steals the second half");
                    let (job, job_answer) = channel();
                    submit(job);
                    // Read by the second half: what the job found is also the sign that it ran.
                    ran.send(job_answer).expect("the second half waits");
                },
                move || {
                    stolen.send(()).expect("the first half waits");
                    let answer = has_run.recv().expect("the first half submits").recv();
                    found.send(answer.expect("the job runs")).expect("the test waits");
                },
            );
            assert_eq!(bound(), A, "whatever the worker took up, it comes back to its own scope");
        });
    });
    answer.recv().expect("the job ran")
}

#[test]
fn ctx_03_the_leak_a_worker_waiting_in_join_runs_other_jobs_inside_its_scope() {
    let found = run_while_a_worker_waits(|job| rayon::spawn(move || job.send(bound()).expect("awaited")));
    assert_eq!(found, A, "a frame covers whatever its thread runs; if this fails, the docs can promise more");
}

#[test]
fn ctx_03_a_job_that_carries_its_own_scope_is_not_reached_by_the_leak() {
    let found =
        run_while_a_worker_waits(|job| rayon::spawn(move || b().run(|| job.send(bound()).expect("awaited"))));
    assert_eq!(found, B);
}

#[test]
fn ctx_03_a_detached_job_is_not_reached_by_the_leak() {
    let found = run_while_a_worker_waits(|job| {
        rayon::spawn(move || detached(|| job.send(bound()).expect("awaited")));
    });
    assert_eq!(found, None);
}

#[test]
fn ctx_03_a_worker_that_yields_runs_what_is_queued_inside_its_scope_and_the_doors_hold() {
    let (found, answers) = channel();
    pool(1).install(|| {
        a().run(|| {
            let (bare, carried, masked) = (found.clone(), found.clone(), found);
            rayon::spawn(move || bare.send(("bare", bound())).expect("awaited"));
            rayon::spawn(move || b().run(|| carried.send(("carried", bound())).expect("awaited")));
            rayon::spawn(move || detached(|| masked.send(("masked", bound())).expect("awaited")));
            while rayon::yield_now() == Some(rayon::Yield::Executed) {}
            assert_eq!(bound(), A);
        });
    });
    let mut found: Vec<_> = answers.iter().collect();
    found.sort_unstable();
    assert_eq!(found, [("bare", A), ("carried", B), ("masked", None)]);
}

#[test]
fn ctx_03_a_job_on_an_idle_worker_starts_with_no_scope() {
    let pool = pool(1);
    a().run(|| assert_eq!(pool.install(bound), None, "the pool's worker inherits nothing"));
    a().run(|| {
        let handle = watertight_context::Context::current().expect("a is bound");
        assert_eq!(pool.install(move || handle.run(bound)), A);
    });
    assert_eq!(pool.install(bound), None, "and keeps nothing");
}

#[test]
fn ctx_03_an_executor_that_runs_inside_a_scope_is_shut_out_by_the_doors() {
    let executor = async_executor::Executor::new();
    let foreign = executor.spawn(async { bound() }.in_scope(b()));
    let masked = executor.spawn(async { bound() }.detached());
    let found = a().run(|| {
        futures_lite::future::block_on(executor.run(async { (foreign.await, masked.await, bound()) }))
    });
    assert_eq!(found, (B, None, A));
}
