//! Reads inside reads, and scopes entered from inside a running read.

use std::panic::catch_unwind;

use watertight_context::{Ambient, Context, detached, with_ambient};

use crate::support::{A, B, Profile, a, b, bound};

/// Runs the check while a read of what is bound is running, and makes sure that what this read was given
/// does not change under it.
fn while_reading(check: impl FnOnce()) {
    fn profile(ambient: Ambient<'_>) -> Option<Profile> {
        match ambient {
            Ambient::Bound(context) => context.get().copied(),
            Ambient::Masked(_) | Ambient::Unbound => None,
        }
    }
    with_ambient(|ambient| {
        let given = profile(ambient);
        check();
        assert_eq!(profile(ambient), given, "what a reader was given stays what it was");
    });
}

#[test]
fn ctx_02_a_read_inside_a_read_finds_the_same() {
    while_reading(|| assert_eq!(bound(), None));
    a().run(|| while_reading(|| while_reading(|| assert_eq!(bound(), A))));
}

#[test]
fn ctx_02_a_scope_entered_from_inside_a_read_is_bound_and_left() {
    a().run(|| {
        while_reading(|| {
            assert_eq!(b().run(bound), B, "the inner scope is bound though a read of the outer one runs");
            assert_eq!(bound(), A, "and left again");
            assert_eq!(detached(bound), None);
            b().run(|| {
                while_reading(|| {
                    assert_eq!(bound(), B);
                    assert_eq!(a().run(bound), A);
                    detached(|| while_reading(|| assert_eq!(b().run(bound), B)));
                    assert_eq!(bound(), B);
                });
                assert_eq!(a().run(|| b().run(bound)), B, "entering over the inner scope swaps as ever");
                assert_eq!(bound(), B);
            });
            assert_eq!(bound(), A);
        });
        assert_eq!(bound(), A);
    });
    assert_eq!(bound(), None);
}

#[test]
fn ctx_02_a_panic_inside_a_read_leaves_every_level() {
    a().run(|| {
        let panicked = catch_unwind(|| {
            while_reading(|| b().run(|| while_reading(|| detached(|| panic!("of the reader")))));
        });
        assert!(panicked.is_err());
        assert_eq!(bound(), A, "unwinding leaves the levels that were raised above a read");
        while_reading(|| assert_eq!(b().run(bound), B));
        assert_eq!(b().run(bound), B, "and the slot can be entered again");
    });
    assert_eq!(bound(), None);
}

#[test]
fn ctx_08_a_reader_may_drop_the_handle_it_was_given_a_clone_of() {
    let context = a();
    context.run(|| {
        with_ambient(|ambient| {
            let Ambient::Bound(bound) = ambient else { panic!("the context is bound") };
            let clone = bound.clone();
            drop(clone);
            assert_eq!(bound.get::<Profile>().copied(), A);
        });
        drop(Context::current());
        assert_eq!(bound(), A);
    });
}

#[test]
fn a_reader_gives_back_what_it_likes() {
    let length = a().run(|| with_ambient(|_| String::from("made by the reader"))).len();
    assert_eq!(length, "made by the reader".len());
}
