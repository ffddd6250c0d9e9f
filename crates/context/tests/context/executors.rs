//! The wrapper under executors: a hand-written one, Tokio's two, and async-executor.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;

use watertight_context::{Context, ContextSource, InScope};

use crate::support::{A, B, Executor, Profile, a, b, bound, context_of, poll_once, yield_now};

/// Finds `own` around every await, also inside what it awaits.
async fn finds_only(own: Option<Profile>, rounds: u32) {
    async fn deeper(own: Option<Profile>) {
        assert_eq!(bound(), own);
        yield_now().await;
        assert_eq!(bound(), own, "a task that was put aside finds its own scope again");
    }
    for _ in 0..rounds {
        deeper(own).await;
        assert_eq!(bound(), own);
    }
}

fn wrapped(number: u32, rounds: u32) -> impl Future<Output = ()> + Send + 'static {
    let own = Some(Profile(number));
    finds_only(own, rounds).in_scope(context_of(own))
}

#[test]
fn ctx_06_tasks_interleaved_on_one_thread_each_find_their_own() {
    let executor = Executor::default();
    let finished = Arc::new(Mutex::new(0));
    for number in 0..100 {
        let finished = Arc::clone(&finished);
        let task = wrapped(number % 7, 5);
        executor.spawn(async move {
            task.await;
            assert_eq!(bound(), None, "around the wrapper nothing is bound");
            *finished.lock().expect("not poisoned") += 1;
        });
    }
    executor.run();
    assert_eq!(*finished.lock().expect("not poisoned"), 100, "every task ran to its end");
    assert_eq!(bound(), None);
}

/// As a task of NousResearch/hermes-agent#39390 did not.
#[test]
fn ctx_04_tasks_that_hop_threads_at_every_await_each_find_their_own() {
    let executor = Executor::default();
    let threads = Arc::new(Mutex::new(HashSet::new()));
    for number in 0..6 {
        let threads = Arc::clone(&threads);
        let own = Some(Profile(number));
        let task = async move {
            for _ in 0..5 {
                assert_eq!(bound(), own);
                threads.lock().expect("not poisoned").insert(thread::current().id());
                yield_now().await;
            }
        };
        executor.spawn(task.in_scope(context_of(own)));
    }
    executor.run_hopping();
    let threads = threads.lock().expect("not poisoned").len();
    assert_eq!(threads, 6 * 5, "no two polls shared a thread");
}

#[test]
fn ctx_04_tasks_on_a_tokio_current_thread_runtime_each_find_their_own() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..50).map(|number| tokio::spawn(wrapped(number % 5, 10))).collect();
        let bare = tokio::spawn(finds_only(None, 10));
        for task in tasks {
            task.await.expect("no task panics");
        }
        bare.await.expect("no task panics");
        assert_eq!(bound(), None);
    });
}

#[test]
fn ctx_04_tasks_on_a_tokio_multi_thread_runtime_each_find_their_own() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime starts");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..100).map(|number| tokio::spawn(wrapped(number % 2, 50))).collect();
        let bare = tokio::spawn(finds_only(None, 50));
        for task in tasks {
            task.await.expect("no task panics");
        }
        bare.await.expect("no task panics");
    });
}

#[test]
fn ctx_04_tasks_on_two_threads_of_an_async_executor_each_find_their_own() {
    let executor = async_executor::Executor::new();
    let tasks: Vec<_> = (0..100).map(|number| executor.spawn(wrapped(number % 3, 20))).collect();
    let (done, is_done) = tokio::sync::watch::channel(false);
    thread::scope(|threads| {
        for _ in 0..2 {
            let (executor, mut is_done) = (&executor, is_done.clone());
            threads.spawn(move || {
                futures_lite::future::block_on(executor.run(is_done.wait_for(|done| *done)))
                    .map(drop)
                    .expect("the test is still there");
                assert_eq!(bound(), None);
            });
        }
        futures_lite::future::block_on(async {
            for task in tasks {
                task.await;
            }
        });
        done.send(true).expect("the workers wait");
    });
}

#[test]
fn ctx_03_a_spawned_task_and_a_blocking_job_inherit_nothing_and_can_be_given_everything() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    runtime.block_on(
        async {
            let handle = Context::current().expect("a is bound");
            let bare = tokio::spawn(async { bound() });
            let given = tokio::spawn(async { bound() }.in_scope(handle.clone()));
            let blocking = tokio::task::spawn_blocking(bound);
            let carried = tokio::task::spawn_blocking(move || handle.run(bound));
            assert_eq!(blocking.await.expect("it does not panic"), None);
            assert_eq!(carried.await.expect("it does not panic"), A);
            assert_eq!(bare.await.expect("it does not panic"), None);
            assert_eq!(given.await.expect("it does not panic"), A);
            assert_eq!(bound(), A);
        }
        .in_scope(a()),
    );
}

/// A frame covers whatever its thread runs. The feature `tokio` takes the answer away.
#[test]
fn ctx_06_the_leak_an_unwrapped_task_of_a_local_set_runs_inside_the_scope_around_it() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let local = tokio::task::LocalSet::new();
    let unwrapped = local.spawn_local(async { bound() });
    let found = a().run(|| runtime.block_on(local.run_until(unwrapped))).expect("it does not panic");
    assert_eq!(found, if cfg!(feature = "tokio") { None } else { A });
}

/// What is wrapped is safe with the feature `tokio` and without it.
#[test]
fn ctx_06_a_local_set_inside_a_scope_polls_wrapped_foreign_work_in_its_own() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let local = tokio::task::LocalSet::new();
    let foreign = local.spawn_local(finds_only(B, 5).in_scope(b()));
    let masked = local.spawn_local(finds_only(None, 5).detached());
    a().run(|| {
        runtime.block_on(local.run_until(async {
            finds_only(A, 5).await;
            foreign.await.expect("it does not panic");
            masked.await.expect("it does not panic");
            finds_only(A, 5).await;
        }));
        assert_eq!(bound(), A);
    });
}

#[test]
fn ctx_06_a_block_on_inside_a_scope_polls_wrapped_foreign_work_in_its_own() {
    let executor = async_executor::LocalExecutor::new();
    let foreign: Vec<_> = (0..20).map(|number| executor.spawn(wrapped(number, 5))).collect();
    let masked = executor.spawn(finds_only(None, 5).detached());
    a().run(|| {
        futures_lite::future::block_on(executor.run(async {
            for task in foreign {
                task.await;
            }
            masked.await;
            assert_eq!(bound(), A);
        }));
        assert_eq!(bound(), A);
    });
}

#[test]
fn ctx_02_a_panic_between_two_polls_reaches_no_other_task() {
    let panicking = async {
        yield_now().await;
        assert_eq!(bound(), A);
        panic!("of the second poll");
    };
    let mut panicking = Box::pin(panicking.in_scope(a()));
    let mut other = Box::pin(finds_only(B, 3).in_scope(b()));
    assert!(poll_once(&mut panicking).is_pending());
    assert!(poll_once(&mut other).is_pending());
    assert!(catch_unwind(AssertUnwindSafe(|| poll_once(&mut panicking))).is_err());
    assert_eq!(bound(), None, "the poll that panicked left its scope");
    while poll_once(&mut other).is_pending() {
        assert_eq!(bound(), None);
    }
}

#[test]
fn ctx_02_a_panicking_task_of_a_runtime_leaves_its_workers_clean() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime starts");
    runtime.block_on(async {
        for _ in 0..50 {
            let panicking = async {
                yield_now().await;
                std::panic::resume_unwind(Box::new("of the task"));
            };
            let panicked = tokio::spawn(panicking.in_scope(a())).await;
            assert!(panicked.expect_err("it panics").is_panic());
            let next = tokio::spawn(async { bound() }).await;
            assert_eq!(next.expect("it does not panic"), None, "the next task of the worker starts bare");
        }
    });
}

#[test]
fn ctx_02_an_aborted_task_is_dropped_in_its_own_scope() {
    let (report, reports) = crate::support::ReportsOnDrop::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
    let endless = async move {
        let _held_across_the_await = report;
        std::future::pending::<()>().await;
    };
    b().run(|| {
        runtime.block_on(async {
            let task = tokio::spawn(endless.in_scope(a()));
            tokio::task::yield_now().await;
            task.abort();
            assert!(task.await.expect_err("it was aborted").is_cancelled());
        });
    });
    assert_eq!(reports(), [A]);
}

#[test]
fn ctx_02_a_task_awaiting_a_task_of_another_profile_stays_in_its_own() {
    let executor = Executor::default();
    let outer = async {
        finds_only(A, 2).await;
        finds_only(B, 2).in_scope(b()).await;
        finds_only(A, 2).await;
        finds_only(None, 2).detached().await;
        finds_only(A, 2).await;
    };
    executor.spawn(outer.in_scope(a()));
    executor.run();
}

#[test]
fn ctx_06_futures_joined_in_one_task_each_find_their_own_when_each_is_wrapped() {
    let joined = futures_lite::future::zip(
        finds_only(A, 5).in_scope(a()),
        futures_lite::future::zip(finds_only(B, 3).in_scope(b()), finds_only(None, 4).detached()),
    );
    futures_lite::future::block_on(joined.in_scope(context_of(Some(Profile(9)))));
}

/// What SEC-28 asks of the wrapper: each poll takes the current context, and keeps it to its end.
#[test]
fn a_source_is_asked_anew_at_every_poll_and_never_in_the_middle_of_one() {
    struct Refreshed(Mutex<Context>);
    impl ContextSource for Refreshed {
        fn context(&self) -> Context {
            self.0.lock().expect("not poisoned").clone()
        }
    }
    let source = Arc::new(Refreshed(Mutex::new(a())));
    let refresh = Arc::clone(&source);
    let mut future = Box::pin(
        async move {
            assert_eq!(bound(), A);
            *refresh.0.lock().expect("not poisoned") = b();
            assert_eq!(bound(), A, "a frame keeps what it was entered with");
            yield_now().await;
            bound()
        }
        .in_scope(source),
    );
    assert!(poll_once(&mut future).is_pending());
    assert_eq!(poll_once(&mut future), std::task::Poll::Ready(B), "the next poll takes the current one");
}

#[test]
fn ctx_04_the_wrapper_is_as_movable_as_what_it_wraps() {
    fn is_send<T: Send>(_: &T) {}
    fn is_unpin<T: Unpin>(_: &T) {}
    fn is_sync<T: Send + Sync>() {}
    is_send(&wrapped(1, 1));
    is_unpin(&std::future::ready(()).in_scope(a()));
    is_unpin(&std::future::ready(()).detached());
    is_sync::<Context>();
}
