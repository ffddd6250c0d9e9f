//! Reads and entries while a thread is torn down.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use watertight_context::{Ambient, Context, InScope, detached, with_ambient};

use crate::support::{A, B, Profile, ReportsOnDrop, a, b, bound, poll_once, yield_now};

/// What a thread-local's destructor found: unbound, inside a scope, inside a read, detached in a scope.
type Found = [Option<Profile>; 4];

struct ReadsAndEnters(Sender<Found>);

impl Drop for ReadsAndEnters {
    fn drop(&mut self) {
        let found = [
            bound(),
            a().run(bound),
            with_ambient(|_| b().run(bound)),
            a().run(|| b().run(|| detached(bound))),
        ];
        self.0.send(found).expect("the test waits");
    }
}

thread_local! {
    static DROPPED_AT_EXIT: RefCell<Option<ReadsAndEnters>> = const { RefCell::new(None) };
    static CONTEXT_AT_EXIT: RefCell<Option<Context>> = const { RefCell::new(None) };
    static FUTURE_AT_EXIT: RefCell<Option<Pin<Box<dyn Future<Output = ()>>>>> = const { RefCell::new(None) };
}

fn register(sender: Sender<Found>) {
    DROPPED_AT_EXIT.with(|slot| *slot.borrow_mut() = Some(ReadsAndEnters(sender)));
}

fn found_by(body: impl FnOnce(Sender<Found>) + Send + 'static) -> Found {
    let (sender, receiver): (_, Receiver<Found>) = channel();
    thread::spawn(move || body(sender)).join().expect("neither the thread nor its teardown panics");
    receiver.recv().expect("the destructor ran")
}

#[test]
fn ctx_08_a_thread_locals_destructor_reads_and_enters_when_it_was_registered_first() {
    let found = found_by(|sender| {
        register(sender);
        assert_eq!(a().run(bound), A);
    });
    assert_eq!(found, [None, A, B, None]);
}

#[test]
fn ctx_08_a_thread_locals_destructor_reads_and_enters_when_it_was_registered_last() {
    let found = found_by(|sender| {
        assert_eq!(a().run(|| with_ambient(|_| b().run(bound))), B);
        register(sender);
    });
    assert_eq!(found, [None, A, B, None]);
}

#[test]
fn ctx_08_a_thread_locals_destructor_reads_and_enters_when_nothing_was_entered_before() {
    assert_eq!(found_by(register), [None, A, B, None]);
}

#[test]
fn ctx_08_a_thread_local_registered_inside_a_scope_finds_that_the_scope_was_left() {
    let found = found_by(|sender| a().run(|| register(sender)));
    assert_eq!(found[0], None, "the thread's body left its scope before the thread was torn down");
}

#[test]
fn ctx_08_a_panicking_thread_is_torn_down_like_any_other() {
    let (sender, receiver) = channel();
    let ended = thread::spawn(move || {
        register(sender);
        a().run(|| b().run(|| std::panic::resume_unwind(Box::new("of the thread"))));
    })
    .join();
    assert!(ended.is_err());
    assert_eq!(receiver.recv().expect("the destructor ran"), [None, A, B, None]);
}

#[test]
fn ctx_08_a_held_value_whose_last_handle_goes_with_the_thread_reads_no_scope() {
    let (report, reports) = ReportsOnDrop::new();
    thread::spawn(move || {
        let context = Context::builder().with(report).build();
        CONTEXT_AT_EXIT.with(|slot| *slot.borrow_mut() = Some(context));
        a().run(|| assert_eq!(bound(), A));
    })
    .join()
    .expect("a destructor that reads does not panic");
    assert_eq!(reports(), [None]);
}

/// It may find no scope, and must not find another's; here it finds its own.
#[test]
fn ctx_08_a_future_that_goes_with_the_thread_finds_its_own_scope_and_no_other() {
    let (report, reports) = ReportsOnDrop::new();
    thread::spawn(move || {
        let mut future = Box::pin(
            async move {
                let _held_across_the_await = report;
                yield_now().await;
            }
            .in_scope(a()),
        );
        b().run(|| assert!(poll_once(&mut future).is_pending()));
        FUTURE_AT_EXIT.with(|slot| *slot.borrow_mut() = Some(future));
    })
    .join()
    .expect("a destructor that reads does not panic");
    assert_eq!(reports(), [A]);
}

#[test]
fn ctx_08_a_read_during_teardown_never_panics_whatever_it_does_inside() {
    struct Nests(Sender<bool>);
    impl Drop for Nests {
        fn drop(&mut self) {
            let unbound = with_ambient(|outer| {
                a().run(|| with_ambient(|_| detached(|| with_ambient(|_| drop(b())))));
                matches!(outer, Ambient::Unbound)
            });
            self.0.send(unbound).expect("the test waits");
        }
    }
    thread_local!(static NESTS: RefCell<Option<Nests>> = const { RefCell::new(None) });
    let (sender, receiver) = channel();
    thread::spawn(move || NESTS.with(|slot| *slot.borrow_mut() = Some(Nests(sender))))
        .join()
        .expect("the teardown does not panic");
    assert!(receiver.recv().expect("the destructor ran"));
}
