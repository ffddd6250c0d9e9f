//! What the feature `tokio` takes away: a frame entered for one Tokio task is none for another (CTX-07).

use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;
use watertight_context::{Ambient, Context, InScope, detached, with_ambient};
use watertight_vocabulary::HomeId;

use crate::support::{A, B, Profile, a, b, bound, context_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Unbound,
    Bound(Option<Profile>),
    Masked { foreign: bool },
}

fn found() -> Found {
    with_ambient(|ambient| match ambient {
        Ambient::Unbound => Found::Unbound,
        Ambient::Bound(context) => Found::Bound(context.get().copied()),
        Ambient::Masked(context) => Found::Masked { foreign: context.is_foreign() },
    })
}

fn foreign() -> Context {
    let home = HomeId::new("/srv/profiles/b".into(), None);
    Context::builder().home(home).foreign_home(true).with(Profile(2)).build()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime starts")
}

#[test]
fn ctx_07_a_task_polled_by_a_local_set_inside_a_scope_finds_nothing_bound() {
    let local = LocalSet::new();
    let unwrapped = local.spawn_local(async { (bound(), Context::current().is_none(), found()) });
    a().run(|| {
        runtime().block_on(local.run_until(async {
            let found = unwrapped.await.expect("it does not panic");
            assert_eq!(found, (None, true, Found::Masked { foreign: false }));
            assert_eq!(bound(), A, "whoever entered the scope keeps it");
        }));
    });
}

#[test]
fn ctx_07_a_task_polled_by_a_runtime_inside_a_scope_finds_nothing_bound() {
    let runtime = runtime();
    let unwrapped = runtime.spawn(async { found() });
    foreign().run(|| {
        let unwrapped = runtime.block_on(unwrapped).expect("it does not panic");
        assert_eq!(unwrapped, Found::Masked { foreign: true }, "that a foreign home is bound still counts");
        assert_eq!(found(), Found::Bound(B));
    });
}

#[test]
fn ctx_07_a_masked_frame_hides_the_frames_beneath_it() {
    let runtime = runtime();
    let unwrapped = runtime.spawn(async { found() });
    a().run(|| {
        foreign().run(|| {
            let unwrapped = runtime.block_on(unwrapped).expect("it does not panic");
            assert_eq!(unwrapped, Found::Masked { foreign: true });
        });
        let nothing_foreign = runtime.block_on(runtime.spawn(async { found() })).expect("no panic");
        assert_eq!(nothing_foreign, Found::Masked { foreign: false });
    });
}

/// Fail closed: an own scope inside a foreign one does not turn the foreign one's thread into an own one.
#[test]
fn ctx_07_a_foreign_home_counts_also_from_beneath_an_own_masked_frame() {
    let unwrapped = |runtime: &Runtime| runtime.block_on(runtime.spawn(async { found() })).expect("no panic");
    let runtime = runtime();
    foreign().run(|| {
        a().run(|| {
            assert_eq!(found(), Found::Bound(A), "for the task that entered, the innermost is bound");
            assert_eq!(unwrapped(&runtime), Found::Masked { foreign: true });
            b().run(|| assert_eq!(unwrapped(&runtime), Found::Masked { foreign: true }));
            with_ambient(|_| b().run(|| assert_eq!(unwrapped(&runtime), Found::Masked { foreign: true })));
            detached(|| {
                assert_eq!(unwrapped(&runtime), Found::Unbound, "detached masks whatever is around");
                a().run(|| assert_eq!(unwrapped(&runtime), Found::Masked { foreign: false }));
            });
        });
    });
    a().run(|| assert_eq!(unwrapped(&runtime), Found::Masked { foreign: false }));
}

#[test]
fn ctx_07_inside_a_masked_frame_a_task_enters_its_own_scope_and_detached_work_finds_nothing() {
    let runtime = runtime();
    let task = runtime.spawn(async {
        let own = b().run(found);
        let inside = async { found() }.in_scope(b()).await;
        let masked = detached(found);
        (own, inside, masked, found())
    });
    foreign().run(|| {
        let found = runtime.block_on(task).expect("it does not panic");
        let still_masked = Found::Masked { foreign: true };
        assert_eq!(found, (Found::Bound(B), Found::Bound(B), Found::Unbound, still_masked));
    });
}

#[test]
fn ctx_07_the_task_that_entered_finds_its_scope_through_everything_it_awaits() {
    async fn deep() -> Option<Profile> {
        tokio::task::yield_now().await;
        bound()
    }
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime starts");
    runtime.block_on(async {
        let task = async {
            assert_eq!(deep().await, A);
            assert_eq!(tokio::task::block_in_place(bound), A);
            let (first, second) = tokio::join!(deep(), deep().in_scope(b()));
            assert_eq!((first, second), (A, B), "futures joined in one task are one task");
            tokio::task::unconstrained(deep()).await
        };
        let found = tokio::spawn(task.in_scope(a())).await.expect("it does not panic");
        assert_eq!(found, A);
    });
}

#[test]
fn ctx_07_a_frame_entered_outside_of_any_task_covers_what_no_task_runs() {
    let runtime = runtime();
    a().run(|| {
        assert_eq!(runtime.block_on(async { bound() }), A, "the body of block_on is no task");
        assert_eq!(runtime.block_on(runtime.spawn(async { bound() })).expect("no panic"), None);
        assert_eq!(bound(), A);
    });
}

#[test]
fn ctx_07_a_task_blocking_on_another_runtimes_task_lends_it_nothing() {
    let outer = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime starts");
    let found = outer.block_on(async {
        tokio::task::spawn_blocking(|| {
            foreign().run(|| {
                let inner = runtime();
                let unwrapped = inner.spawn(async { found() });
                let unwrapped = inner.block_on(unwrapped).expect("it does not panic");
                (unwrapped, found())
            })
        })
        .await
        .expect("it does not panic")
    });
    assert_eq!(found, (Found::Masked { foreign: true }, Found::Bound(B)));
}

/// Not another executor: its tasks are all the Tokio task, or the absence of one, that runs them.
#[test]
fn ctx_07_tasks_of_other_executors_are_not_told_apart() {
    let executor = async_executor::LocalExecutor::new();
    let unwrapped = executor.spawn(async { bound() });
    let found = a().run(|| futures_lite::future::block_on(executor.run(unwrapped)));
    assert_eq!(found, A, "a frame covers whatever its thread runs; if this fails, the docs can promise more");
}

#[test]
fn ctx_07_a_closed_scope_is_still_masked_for_another_task() {
    let runtime = runtime();
    let unwrapped = runtime.spawn(async { found() });
    let scope = foreign();
    scope.close();
    scope.run(|| {
        let unwrapped = runtime.block_on(unwrapped).expect("it does not panic");
        assert_eq!(unwrapped, Found::Masked { foreign: true });
    });
}

#[test]
fn ctx_07_a_task_dropped_by_its_runtime_finds_its_own_scope() {
    let (report, reports) = crate::support::ReportsOnDrop::new();
    let runtime = runtime();
    let endless = async move {
        let _held_across_the_await = report;
        std::future::pending::<()>().await;
    };
    runtime.spawn(endless.in_scope(a()));
    runtime.block_on(tokio::task::yield_now());
    foreign().run(|| drop(runtime));
    assert_eq!(reports(), [A]);
}

/// Whoever polls them and wherever they are, tasks that enter nothing find nothing, and those that enter
/// find their own: the feature takes answers away and never gives one.
#[test]
fn ctx_07_tasks_polled_inside_each_others_scopes_find_their_own_or_nothing() {
    async fn bare_and_scoped(number: u32) {
        let own = Some(Profile(number));
        let context = context_of(own);
        for _ in 0..20 {
            assert_eq!(bound(), None, "another's scope is no answer");
            assert_eq!(context.run(bound), own);
            let wrapped = async {
                tokio::task::yield_now().await;
                bound()
            };
            assert_eq!(wrapped.in_scope(&context).await, own);
        }
    }
    let (runtime, local) = (runtime(), LocalSet::new());
    let tasks: Vec<_> = (10..60).map(|number| local.spawn_local(bare_and_scoped(number))).collect();
    foreign().run(|| {
        runtime.block_on(local.run_until(async {
            for (turn, task) in tasks.into_iter().enumerate() {
                let around = if turn % 2 == 0 { a() } else { b() };
                task.in_scope(around).await.expect("no task panics");
            }
        }));
        assert_eq!(found(), Found::Bound(B));
    });
}
