//! What must not allocate: an ambient read, and entering and leaving.

use allocation_counter::measure;
use watertight_context::{InScope, detached, with_ambient};

use crate::support::{A, a, bound, poll_once};

/// Counts after a first round, which may set up what a thread needs once.
fn allocations(mut work: impl FnMut()) -> u64 {
    work();
    measure(work).count_total
}

#[test]
fn an_ambient_read_allocates_nothing() {
    let context = a();
    let inside = context.run(|| allocations(|| assert_eq!(bound(), A)));
    let nested = context.run(|| a().run(|| allocations(|| with_ambient(|_| assert_eq!(bound(), A)))));
    assert_eq!((inside, nested, allocations(|| assert_eq!(bound(), None))), (0, 0, 0));
}

#[test]
fn entering_and_leaving_allocate_nothing() {
    let context = a();
    assert_eq!(allocations(|| context.run(|| {})), 0);
    assert_eq!(allocations(|| context.run(|| context.run(|| detached(|| {})))), 0);
    assert_eq!(allocations(|| detached(|| context.run(|| assert_eq!(bound(), A)))), 0);
}

#[test]
fn a_poll_of_a_wrapped_future_allocates_nothing() {
    let context = a();
    let mut scoped = Box::pin(std::future::pending::<()>().in_scope(&context));
    assert_eq!(allocations(|| assert!(poll_once(&mut scoped).is_pending())), 0);
    let mut detached = Box::pin(std::future::pending::<()>().detached());
    assert_eq!(allocations(|| assert!(poll_once(&mut detached).is_pending())), 0);
}

#[test]
fn cloning_and_dropping_a_handle_allocates_nothing() {
    let context = a();
    assert_eq!(allocations(|| drop(context.clone())), 0);
}

/// The one case that does, and only at its first step, so that nobody takes the promise for wider than it is.
#[test]
fn entering_from_inside_a_running_read_allocates_once() {
    let context = a();
    assert_eq!(allocations(|| with_ambient(|_| context.run(|| {}))), 1);
    let deeper = || with_ambient(|_| context.run(|| context.run(|| detached(|| context.run(|| {})))));
    assert_eq!(allocations(deeper), 1, "what is entered above the raised level swaps as ever");
}
