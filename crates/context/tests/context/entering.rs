//! Entering and leaving: lexical, nested, all or nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use watertight_context::{Ambient, Context, ContextSource, InScope, detached, with_ambient};
use watertight_vocabulary::{HomeId, HostId};

use crate::support::{A, B, Profile, a, b, bound, context_of, poll_once, yield_now};

#[test]
fn ctx_01_a_scope_is_bound_for_exactly_its_body() {
    let (before, inside, after) = (bound(), a().run(bound), bound());
    assert_eq!((before, inside, after), (None, A, None), "the body and nothing around it is inside");
}

#[test]
fn ctx_01_the_body_gives_back_what_it_likes_and_takes_what_it_likes() {
    let owned = String::from("moved in");
    let length = a().run(move || owned.len());
    assert_eq!(length, "moved in".len());
}

#[test]
fn ctx_02_leaving_restores_the_outer_scope() {
    a().run(|| {
        b().run(|| {
            assert_eq!(a().run(bound), A);
            assert_eq!(bound(), B, "leaving a scope entered again restores the one around it");
            assert_eq!(detached(bound), None, "detached masks whatever is around");
            assert_eq!(detached(|| a().run(bound)), A, "a scope inside detached work is bound as ever");
            assert_eq!(bound(), B);
        });
        assert_eq!(bound(), A);
    });
    assert_eq!(bound(), None);
}

#[test]
fn ctx_02_a_panicking_body_is_left_like_any_other() {
    a().run(|| {
        let panicked = catch_unwind(|| b().run(|| detached(|| b().run(|| panic!("of the body")))));
        assert!(panicked.is_err());
        assert_eq!(bound(), A, "unwinding restores the outer scope");
    });
    let panicked = catch_unwind(|| a().run(|| panic!("of the body")));
    assert!(panicked.is_err());
    assert_eq!(bound(), None, "unwinding restores that nothing was bound");
}

#[test]
fn ctx_02_one_worker_keeps_nothing_of_the_job_before() {
    let unscoped = || assert_eq!(bound(), None, "a job without a scope finds none");
    a().run(|| assert_eq!(bound(), A));
    unscoped();
    b().run(|| assert_eq!(bound(), B));
    let panicked = catch_unwind(|| b().run(|| panic!("of the job")));
    assert!(panicked.is_err());
    unscoped();
}

#[test]
fn ctx_05_a_source_that_fails_leaves_the_callers_context_as_it_was() {
    struct Failing;
    impl ContextSource for Failing {
        fn context(&self) -> Context {
            assert_eq!(bound(), A, "the source is asked before anything is bound");
            std::panic::resume_unwind(Box::new("the source failed"))
        }
    }
    a().run(|| {
        // Never dropped, since its drop asks the source once more.
        let mut future = std::mem::ManuallyDrop::new(Box::pin(async { bound() }.in_scope(Failing)));
        let polled = catch_unwind(AssertUnwindSafe(|| poll_once(&mut *future)));
        assert!(polled.is_err());
        assert_eq!(bound(), A, "nothing half-entered remains");
    });
}

#[test]
fn ctx_05_nothing_is_bound_while_a_context_is_built() {
    let builder = Context::builder().with(Profile(1));
    assert_eq!(bound(), None);
    let context = builder.build();
    assert_eq!(bound(), None, "a finished context is bound by entering it, not by building it");
    assert_eq!(context.run(bound), A);
}

#[test]
fn ctx_06_the_innermost_of_many_scopes_is_the_one_that_is_bound() {
    fn descend(contexts: &[Context], depth: u32) {
        let Some((first, rest)) = contexts.split_first() else { return };
        first.run(|| {
            assert_eq!(bound(), Some(Profile(depth)));
            descend(rest, depth + 1);
            assert_eq!(bound(), Some(Profile(depth)));
        });
    }
    let contexts: Vec<_> = (0..50).map(|number| context_of(Some(Profile(number)))).collect();
    descend(&contexts, 0);
}

#[test]
fn a_context_holds_what_it_was_built_with() {
    let (host, home) = (HostId::unique(), HomeId::new("/srv/agents/coder".into(), None));
    let context = Context::builder()
        .host(host)
        .home(home.clone())
        .foreign_home(true)
        .with(Profile(7))
        .with("first")
        .with("second")
        .build();
    assert_eq!(context.host(), Some(host));
    assert_eq!(context.home(), Some(&home));
    assert!(context.is_foreign());
    assert_eq!(context.get::<Profile>(), Some(&Profile(7)));
    assert_eq!(context.get::<&str>(), Some(&"second"), "one value of each type: the last");
    assert_eq!(context.get::<String>(), None);

    let bare = Context::builder().build();
    assert_eq!((bare.host(), bare.home(), bare.is_foreign()), (None, None, false));
    assert_eq!(bare.get::<Profile>(), None);
}

#[test]
fn what_is_bound_is_the_context_itself_and_no_copy() {
    let context = a();
    let outside: *const Profile = context.get().expect("a profile");
    context.clone().run(|| {
        with_ambient(|ambient| {
            let Ambient::Bound(inside) = ambient else { panic!("the context is bound") };
            assert!(std::ptr::eq(inside.get::<Profile>().expect("a profile"), outside));
        });
    });
}

#[test]
fn a_future_is_not_entered_where_it_is_only_wrapped_or_moved() {
    let mut future = Box::pin(
        async {
            yield_now().await;
            bound()
        }
        .in_scope(a()),
    );
    assert_eq!(bound(), None, "wrapping enters nothing");
    assert!(poll_once(&mut future).is_pending());
    assert_eq!(bound(), None, "between two polls nothing is entered");
    assert_eq!(poll_once(&mut future), std::task::Poll::Ready(A));
    assert_eq!(bound(), None);
}
