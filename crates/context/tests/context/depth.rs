//! Ten thousand scopes inside one another.

use std::thread;

use watertight_context::{Ambient, Context, with_ambient};

use crate::support::{Profile, bound, context_of};

const DEPTH: u32 = 10_000;

/// Debug builds take some hundred bytes of stack a level, and some more for a read around each.
fn on_a_deep_stack(body: impl FnOnce() + Send + 'static) {
    thread::Builder::new()
        .stack_size(32 << 20)
        .spawn(body)
        .expect("a thread starts")
        .join()
        .expect("no level panics");
}

fn contexts() -> Vec<Context> {
    (0..DEPTH).map(|number| context_of(Some(Profile(number)))).collect()
}

#[test]
fn ctx_02_ten_thousand_nested_scopes_are_entered_and_left_in_order() {
    fn descend(contexts: &[Context], outer: Option<Profile>) {
        let Some((first, rest)) = contexts.split_first() else { return };
        let own = first.get::<Profile>().copied();
        first.run(|| {
            assert_eq!(bound(), own);
            descend(rest, own);
            assert_eq!(bound(), own, "each level finds its own scope again");
        });
        assert_eq!(bound(), outer);
    }
    on_a_deep_stack(|| descend(&contexts(), None));
}

#[test]
fn ctx_02_ten_thousand_scopes_each_entered_from_inside_a_read_are_left_in_order() {
    fn descend(contexts: &[Context]) {
        let Some((first, rest)) = contexts.split_first() else { return };
        let own = first.get::<Profile>().copied();
        first.run(|| {
            with_ambient(|ambient| {
                let Ambient::Bound(inside) = ambient else { panic!("the context is bound") };
                descend(rest);
                assert_eq!(inside.get::<Profile>().copied(), own, "each reader keeps what it was given");
            });
            assert_eq!(bound(), own);
        });
    }
    on_a_deep_stack(|| {
        descend(&contexts());
        assert_eq!(bound(), None);
    });
}

#[test]
fn ctx_02_a_panic_ten_thousand_scopes_down_leaves_them_all() {
    fn descend(contexts: &[Context]) {
        match contexts.split_first() {
            Some((first, rest)) => first.run(|| descend(rest)),
            None => std::panic::resume_unwind(Box::new("at the bottom")),
        }
    }
    on_a_deep_stack(|| {
        let contexts = contexts();
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| descend(&contexts))).is_err());
        assert_eq!(bound(), None);
    });
}
