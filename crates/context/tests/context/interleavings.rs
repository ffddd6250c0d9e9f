//! Random scripts of scopes, interleaved at random over hand-polled futures: each body sees its own.

use std::pin::Pin;
use std::task::{self, Waker};
use std::thread;

use proptest::prelude::*;
use watertight_context::{InScope, detached, with_ambient};

use crate::support::{Profile, bound, context_of, yield_now};

/// What a body does.
#[derive(Debug, Clone)]
enum Step {
    Read,
    Yield,
    /// A wrapped future with a body of its own, to be awaited.
    Await(Scope, Vec<Step>),
    /// The same, given up after so many polls.
    GiveUp(Scope, Vec<Step>, usize),
    /// A closure whose body cannot yield.
    Run(Scope, Vec<Step>),
    /// A closure that panics at its end.
    Panic(Scope, Vec<Step>),
    /// A reader with a body inside.
    Reading(Vec<Step>),
}

/// Where the body of a step runs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scope {
    Of(Profile),
    Nowhere,
}

impl Scope {
    fn expected(self) -> Option<Profile> {
        match self {
            Self::Of(profile) => Some(profile),
            Self::Nowhere => None,
        }
    }

    fn run<R>(self, body: impl FnOnce() -> R) -> R {
        match self {
            Self::Of(profile) => context_of(Some(profile)).run(body),
            Self::Nowhere => detached(body),
        }
    }

    fn wrap(self, body: BoxedFuture) -> BoxedFuture {
        match self {
            Self::Of(profile) => Box::pin(body.in_scope(context_of(Some(profile)))),
            Self::Nowhere => Box::pin(body.detached()),
        }
    }
}

type BoxedFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Checks what it finds when it is dropped, wherever that is.
struct ExpectsOnDrop(Option<Profile>);

impl Drop for ExpectsOnDrop {
    fn drop(&mut self) {
        assert_eq!(bound(), self.0, "a destructor runs inside its own scope");
    }
}

fn body(steps: Vec<Step>, own: Option<Profile>) -> BoxedFuture {
    Box::pin(async move {
        let _checked_however_this_ends = ExpectsOnDrop(own);
        for step in steps {
            match step {
                Step::Yield => yield_now().await,
                Step::Await(scope, steps) => scope.wrap(body(steps, scope.expected())).await,
                Step::GiveUp(scope, steps, polls) => {
                    let mut given_up = scope.wrap(body(steps, scope.expected()));
                    for _ in 0..polls {
                        if poll(&mut given_up) {
                            break;
                        }
                    }
                }
                step => synchronous(&step, own),
            }
            assert_eq!(bound(), own, "each body sees its own scope and no other");
        }
    })
}

fn synchronous(step: &Step, own: Option<Profile>) {
    let all = |steps: &[Step], own| {
        for step in steps {
            synchronous(step, own);
            assert_eq!(bound(), own);
        }
    };
    match step {
        Step::Read | Step::Yield => assert_eq!(bound(), own),
        Step::Await(scope, steps) | Step::GiveUp(scope, steps, _) | Step::Run(scope, steps) => {
            scope.run(|| all(steps, scope.expected()));
        }
        Step::Panic(scope, steps) => {
            let end = || {
                scope.run(|| {
                    all(steps, scope.expected());
                    std::panic::resume_unwind(Box::new("at the end of the body"));
                });
            };
            let panicked: Box<dyn std::any::Any + Send> =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(end)).expect_err("it panics");
            assert!(panicked.is::<&str>(), "an assertion of the body failed");
        }
        Step::Reading(steps) => with_ambient(|_| all(steps, own)),
    }
    assert_eq!(bound(), own);
}

/// One poll; says whether that was the last.
fn poll(future: &mut BoxedFuture) -> bool {
    future.as_mut().poll(&mut task::Context::from_waker(Waker::noop())).is_ready()
}

fn scopes() -> impl Strategy<Value = Scope> {
    prop_oneof![4 => (0..5_u32).prop_map(|number| Scope::Of(Profile(number))), 1 => Just(Scope::Nowhere)]
}

fn scripts() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![1 => Just(Step::Read), 2 => Just(Step::Yield)];
    let step = step.prop_recursive(4, 24, 5, |step| {
        let steps = || prop::collection::vec(step.clone(), 0..5);
        prop_oneof![
            (scopes(), steps()).prop_map(|(scope, steps)| Step::Await(scope, steps)),
            (scopes(), steps(), 0..4_usize).prop_map(|(scope, steps, n)| Step::GiveUp(scope, steps, n)),
            (scopes(), steps()).prop_map(|(scope, steps)| Step::Run(scope, steps)),
            (scopes(), steps()).prop_map(|(scope, steps)| Step::Panic(scope, steps)),
            steps().prop_map(Step::Reading),
        ]
    });
    prop::collection::vec(step, 0..8)
}

/// One turn of whoever polls: which task, inside which scope of its own, and on which thread.
type Turn = (prop::sample::Index, Scope, bool);

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    prop::collection::vec((any::<prop::sample::Index>(), scopes(), prop::bool::weighted(0.05)), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Tasks are polled in any order, each time inside some scope of the poller's, now and then on
    /// another thread, and dropped half way wherever the turns end.
    #[test]
    fn ctx_06_whatever_the_interleaving_each_body_sees_only_its_own(
        tasks in prop::collection::vec((scopes(), scripts()), 1..5),
        turns in turns(),
    ) {
        let mut tasks: Vec<Option<BoxedFuture>> = tasks
            .into_iter()
            .map(|(scope, steps)| Some(scope.wrap(body(steps, scope.expected()))))
            .collect();
        for (which, around, elsewhere) in turns {
            let which = which.index(tasks.len());
            let Some(mut task) = tasks[which].take() else { continue };
            let turn = move || {
                let finished = around.run(|| {
                    let finished = poll(&mut task);
                    assert_eq!(bound(), around.expected(), "the poller is back in its own scope");
                    finished
                });
                assert_eq!(bound(), None);
                (!finished).then_some(task)
            };
            tasks[which] =
                if elsewhere { thread::spawn(turn).join().expect("no poll panics") } else { turn() };
        }
        context_of(Some(Profile(99))).run(move || drop(tasks));
        prop_assert_eq!(bound(), None);
    }
}
