use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::thread;

use watertight::InScope;
use watertight_context::Context;

use super::flaw::Flaw;
use super::world::{Which, World};
use crate::case::{LaneKind, Step};

/// Runs steps elsewhere and waits for them.
pub(super) fn run(world: &Arc<World>, kind: LaneKind, carry: bool, body: &[Step], which: Which) {
    let context = Context::current().filter(|_| carry);
    match kind {
        LaneKind::Thread => on_thread(|| carried(context.as_ref(), || world.steps(body, which))),
        LaneKind::Blocking => on_thread(|| {
            // A worker that has done a job for somebody else before.
            if let Some(context) = Context::current() {
                context.run(|| ());
            }
            carried(context.as_ref(), || world.steps(body, which));
        }),
        LaneKind::Task => {
            let steps = Steps { world, body, which, next: 0 };
            match context {
                Some(context) if world.shows(Flaw::BoundAtFirstPoll) => {
                    poll_on_threads(Box::pin(bound_at_first_poll(steps, context)));
                }
                Some(context) => poll_on_threads(Box::pin(steps.in_scope(context))),
                None => poll_on_threads(Box::pin(steps)),
            }
        }
    }
}

/// Steps in a scope that the first poll enters and no other one.
async fn bound_at_first_poll(mut steps: Steps<'_>, context: Context) {
    let mut context = Some(context);
    let poll = |task: &mut TaskContext<'_>| {
        let mut poll = || Pin::new(&mut steps).poll(task);
        match context.take() {
            Some(context) => context.run(poll),
            None => poll(),
        }
    };
    std::future::poll_fn(poll).await;
}

fn carried(context: Option<&Context>, work: impl FnOnce()) {
    match context {
        Some(context) => context.run(work),
        None => work(),
    }
}

/// Runs work on a new thread that has nothing of this one but the subscriber, and waits for it.
fn on_thread(work: impl FnOnce() + Send) {
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    thread::scope(|scope| {
        let thread = scope.spawn(|| tracing::dispatcher::with_default(&dispatch, work));
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Polls a task to its end, each time on another thread: a task moves.
fn poll_on_threads(mut task: Pin<Box<dyn Future<Output = ()> + Send + '_>>) {
    let mut done = false;
    while !done {
        on_thread(|| done = task.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())).is_ready());
    }
}

/// Steps as a task that gives way after each.
struct Steps<'a> {
    world: &'a Arc<World>,
    body: &'a [Step],
    which: Which,
    next: usize,
}

impl Future for Steps<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _task: &mut TaskContext<'_>) -> Poll<()> {
        let Some(step) = self.body.get(self.next) else { return Poll::Ready(()) };
        self.world.step(step, self.which);
        self.next += 1;
        Poll::Pending
    }
}
