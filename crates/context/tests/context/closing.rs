//! Closing a scope for good.

use std::sync::mpsc::channel;
use std::thread;

use watertight_context::{Ambient, Context, with_ambient};

use crate::support::{Profile, a, b};

fn closed_here() -> Option<bool> {
    with_ambient(|ambient| match ambient {
        Ambient::Bound(context) => Some(context.is_closed()),
        Ambient::Masked(_) | Ambient::Unbound => None,
    })
}

#[test]
fn ctx_09_closing_through_any_handle_closes_all_of_them() {
    let context = a();
    let (first, second) = (context.clone(), context.clone());
    assert!(!first.is_closed());
    second.close();
    assert!(context.is_closed() && first.is_closed() && second.is_closed());
    second.close();
    assert!(context.is_closed(), "closing twice is closing");
}

#[test]
fn ctx_09_a_body_that_is_still_inside_finds_its_scope_closed() {
    let context = a();
    let handle = context.clone();
    context.run(|| {
        assert_eq!(closed_here(), Some(false));
        b().run(|| handle.close());
        assert_eq!(closed_here(), Some(true), "bound, and closed: a read is refused, not unscoped");
        assert_eq!(b().run(closed_here), Some(false), "another scope is none of its business");
    });
    assert_eq!(context.run(closed_here), Some(true), "entering it once more opens nothing");
}

#[test]
fn ctx_09_a_body_on_another_thread_finds_its_scope_closed() {
    let context = a();
    let (inside, is_inside) = channel();
    let (closed, was_closed) = channel();
    let body = {
        let context = context.clone();
        thread::spawn(move || {
            context.run(|| {
                inside.send(closed_here()).expect("the test waits");
                was_closed.recv().expect("the test closes it");
                closed_here()
            })
        })
    };
    assert_eq!(is_inside.recv().expect("the body runs"), Some(false));
    context.close();
    closed.send(()).expect("the body waits");
    assert_eq!(body.join().expect("it does not panic"), Some(true));
}

#[test]
fn ctx_09_a_reader_sees_a_close_while_it_reads() {
    let context = a();
    context.run(|| {
        with_ambient(|ambient| {
            let Ambient::Bound(bound) = ambient else { panic!("the context is bound") };
            assert!(!bound.is_closed());
            context.close();
            assert!(bound.is_closed());
        });
    });
}

#[test]
fn ctx_09_a_refreshed_context_is_closed_with_the_one_it_replaces() {
    let old = a();
    let new = Context::builder().with(Profile(9)).closing_with(&old).build();
    let newer = Context::builder().closing_with(&new).build();
    assert!(!newer.is_closed());
    new.close();
    assert!(old.is_closed() && newer.is_closed(), "one close reaches every generation");
    assert!(Context::builder().closing_with(&old).build().is_closed(), "a refresh opens nothing again");
    assert!(!b().is_closed());
}
