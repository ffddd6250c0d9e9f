//! What destructors find: a future's its own scope, a held value's none.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use watertight_context::{Context, ContextSource, InScope, detached, with_ambient};

use crate::support::{A, B, Profile, ReportsOnDrop, a, b, bound, poll_once, yield_now};

#[test]
fn ctx_02_a_future_dropped_half_way_runs_its_destructors_in_its_own_scope() {
    let (report, reports) = ReportsOnDrop::new();
    let mut future = Box::pin(
        async move {
            let _held_across_the_await = report;
            yield_now().await;
        }
        .in_scope(a()),
    );
    assert!(poll_once(&mut future).is_pending());
    b().run(|| {
        drop(future);
        assert_eq!(bound(), B, "whoever drops it keeps its own scope");
    });
    assert_eq!(reports(), [A], "the destructor read inside the future's scope, not the dropper's");
}

#[test]
fn ctx_02_a_future_dropped_before_its_first_poll_runs_its_destructors_in_its_own_scope() {
    let (report, reports) = ReportsOnDrop::new();
    drop(async move { drop(report) }.in_scope(a()));
    assert_eq!(reports(), [A]);
}

#[test]
fn ctx_02_a_finished_future_drops_what_it_kept_in_its_own_scope() {
    struct Keeps(#[expect(dead_code, reason = "kept for its destructor")] ReportsOnDrop);
    impl Future for Keeps {
        type Output = ();
        fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<()> {
            std::task::Poll::Ready(())
        }
    }
    let (report, reports) = ReportsOnDrop::new();
    let mut future = Box::pin(Keeps(report).in_scope(a()));
    assert!(poll_once(&mut future).is_ready());
    b().run(|| drop(future));
    assert_eq!(reports(), [A]);
}

#[test]
fn ctx_02_a_detached_future_dropped_inside_a_scope_runs_its_destructors_outside() {
    let (report, reports) = ReportsOnDrop::new();
    let mut future = Box::pin(
        async move {
            let _held_across_the_await = report;
            yield_now().await;
        }
        .detached(),
    );
    a().run(|| {
        assert!(poll_once(&mut future).is_pending());
        drop(future);
    });
    assert_eq!(reports(), [None]);
}

#[test]
fn ctx_02_a_future_whose_own_scope_cannot_be_had_runs_its_destructors_outside_of_every_other() {
    struct Gone;
    impl ContextSource for Gone {
        fn context(&self) -> Context {
            std::panic::resume_unwind(Box::new("there is no such scope any more"))
        }
    }
    let (report, reports) = ReportsOnDrop::new();
    let future = Box::pin(async move { drop(report) }.in_scope(Gone));
    b().run(|| {
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(future)));
        assert!(dropped.is_err());
        assert_eq!(bound(), B);
    });
    assert_eq!(reports(), [None], "the destructor read in the dropper's scope");
}

#[test]
fn ctx_02_a_future_that_panicked_is_still_dropped_in_its_own_scope() {
    let (report, reports) = ReportsOnDrop::new();
    let mut future = Box::pin(
        async move {
            let _dropped_by_unwinding = report;
            yield_now().await;
            panic!("of the second poll");
        }
        .in_scope(a()),
    );
    b().run(|| {
        assert!(poll_once(&mut future).is_pending());
        assert!(catch_unwind(AssertUnwindSafe(|| poll_once(&mut future))).is_err());
        assert_eq!(bound(), B);
        drop(future);
        assert_eq!(bound(), B);
    });
    assert_eq!(reports(), [A]);
}

#[test]
fn ctx_02_what_a_body_captured_is_dropped_inside() {
    let (report, reports) = ReportsOnDrop::new();
    a().run(move || drop(report));
    let (panicking, panicked) = ReportsOnDrop::new();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        a().run(move || {
            let _captured = panicking;
            panic!("of the body");
        });
    }));
    assert!(caught.is_err());
    assert_eq!((reports(), panicked()), (vec![A], vec![A]));
}

/// A held value whose last handle goes inside somebody else's scope reads nothing of that scope.
#[test]
fn ctx_02_destructors_of_held_values_run_detached() {
    let (report, reports) = ReportsOnDrop::new();
    let last_handle = Context::builder().with(Profile(1)).with(report).build();
    b().run(move || {
        drop(last_handle);
        assert_eq!(bound(), B);
    });
    assert_eq!(reports(), [None], "dropping a handle inside a scope");

    let (report, reports) = ReportsOnDrop::new();
    let context = Context::builder().with(report).build();
    b().run(|| {
        let frame_holds_the_last = Arc::new(Mutex::new(Some(context)));
        let entered = frame_holds_the_last.lock().expect("not poisoned").clone().expect("there");
        entered.clone().run(move || {
            drop(entered);
            drop(frame_holds_the_last.lock().expect("not poisoned").take());
        });
    });
    assert_eq!(reports(), [None], "leaving the frame that held the last handle");

    let (report, reports) = ReportsOnDrop::new();
    a().run(|| with_ambient(|_| drop(Context::builder().with(report).build())));
    assert_eq!(reports(), [None], "from inside a running read");

    let (report, reports) = ReportsOnDrop::new();
    a().run(|| drop(Context::builder().with(report)));
    assert_eq!(reports(), [None], "of a builder that was given up");

    let (first, reports) = ReportsOnDrop::new();
    let (second, _) = ReportsOnDrop::new();
    drop(a().run(|| Context::builder().with(first).with(second)));
    assert_eq!(reports(), [None], "of a value that a later one replaced");
}

#[test]
fn ctx_02_a_destructor_that_panics_still_leaves_the_scope() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            std::panic::resume_unwind(Box::new("of the destructor"));
        }
    }
    let (report, reports) = ReportsOnDrop::new();
    a().run(|| {
        let context = Context::builder().with(Panics).with(report).build();
        let entered = Mutex::new(Some(context));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let context = entered.lock().expect("not poisoned").take().expect("there");
            context.clone().run(move || drop(context));
        }));
        assert!(panicked.is_err());
        assert_eq!(bound(), A, "the outer scope was back before the destructor ran");
    });
    assert_eq!(reports(), [None], "the other values were dropped, detached like the first");
    assert_eq!(bound(), None);
}

#[test]
fn ctx_08_a_held_values_destructor_may_enter_a_scope_of_its_own() {
    struct Enters(Arc<Mutex<Vec<Option<Profile>>>>);
    impl Drop for Enters {
        fn drop(&mut self) {
            self.0.lock().expect("not poisoned").push(b().run(|| detached(|| a().run(bound))));
        }
    }
    let found = Arc::new(Mutex::new(Vec::new()));
    drop(Context::builder().with(Enters(Arc::clone(&found))).build());
    assert_eq!(*found.lock().expect("not poisoned"), [A]);
}
