//! Threads: nothing is inherited, everything can be carried.

use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::thread;

use watertight_context::Context;

use crate::support::{A, B, Profile, a, b, bound, context_of};

#[test]
fn ctx_03_a_new_thread_starts_with_no_scope() {
    a().run(|| {
        assert_eq!(thread::spawn(bound).join().expect("it does not panic"), None);
        thread::scope(|threads| {
            let found = threads.spawn(bound).join().expect("it does not panic");
            assert_eq!(found, None, "a thread that borrows from its parent inherits nothing either");
        });
        assert_eq!(bound(), A);
    });
}

#[test]
fn ctx_03_a_handle_carries_the_scope_into_a_thread() {
    let carried = b().run(|| {
        let handle = Context::current().expect("b is bound");
        thread::spawn(move || (handle.run(bound), bound()))
    });
    let found = carried.join().expect("it does not panic");
    assert_eq!(found, (B, None), "the carried work runs inside b, what follows it on the thread does not");
}

#[test]
fn ctx_03_a_worker_thread_keeps_no_scope_between_jobs() {
    type Job = Box<dyn FnOnce() + Send>;
    let (jobs, queue) = channel::<Job>();
    let (answers, found) = channel();
    let worker = thread::spawn(move || {
        for job in queue {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
            drop(caught);
        }
    });
    let submit = |job: Job| jobs.send(job).expect("the worker waits");
    let report = |context: Option<Context>, panics: bool| -> Job {
        let answers = answers.clone();
        Box::new(move || {
            let body = move || {
                answers.send(bound()).expect("the test waits");
                assert!(!panics, "as this job is to");
            };
            match context {
                Some(context) => context.run(body),
                None => body(),
            }
        })
    };
    submit(report(Some(a()), false));
    submit(report(None, false));
    submit(report(Some(b()), false));
    submit(report(Some(b()), true));
    submit(report(None, false));
    drop((jobs, answers));
    assert_eq!(found.iter().collect::<Vec<_>>(), [A, None, B, B, None]);
    worker.join().expect("the worker outlives its jobs' panics");
}

#[test]
fn ctx_06_threads_side_by_side_each_find_their_own() {
    const THREADS: u32 = 8;
    let together = Barrier::new(THREADS as usize);
    thread::scope(|threads| {
        for number in 0..THREADS {
            let together = &together;
            threads.spawn(move || {
                let own = Some(Profile(number));
                let context = context_of(own);
                together.wait();
                for _ in 0..2_000 {
                    assert_eq!(context.run(bound), own);
                    assert_eq!(bound(), None);
                }
            });
        }
    });
}

#[test]
fn ctx_06_one_handle_is_entered_by_many_threads_at_once() {
    let context = a();
    thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..2_000 {
                    assert_eq!(context.run(bound), A);
                }
            });
        }
    });
}
