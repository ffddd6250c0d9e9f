//! Contexts that say whose they are, a hand-written executor, and futures that yield.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Wake, Waker};
use std::thread;

use watertight_context::{Ambient, Context, with_ambient};

/// Whose context it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Profile(pub(crate) u32);

pub(crate) const A: Option<Profile> = Some(Profile(1));
pub(crate) const B: Option<Profile> = Some(Profile(2));

/// A context of that profile.
pub(crate) fn context_of(profile: Option<Profile>) -> Context {
    Context::builder().with(profile.expect("a profile")).build()
}

pub(crate) fn a() -> Context {
    context_of(A)
}

pub(crate) fn b() -> Context {
    context_of(B)
}

/// Whose context is bound here: what every test asks.
pub(crate) fn bound() -> Option<Profile> {
    let read = with_ambient(|ambient| match ambient {
        Ambient::Bound(context) => context.get::<Profile>().copied(),
        Ambient::Masked(_) | Ambient::Unbound => None,
    });
    let handle = Context::current().and_then(|context| context.get::<Profile>().copied());
    assert_eq!(read, handle, "a read and a handle to what is bound agree");
    read
}

/// Pending once, then ready.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Reports whose context was bound when it was dropped.
#[derive(Debug)]
pub(crate) struct ReportsOnDrop(pub(crate) Arc<Mutex<Vec<Option<Profile>>>>);

impl ReportsOnDrop {
    pub(crate) fn new() -> (Self, impl Fn() -> Vec<Option<Profile>>) {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let reader = Arc::clone(&reports);
        (Self(reports), move || reader.lock().expect("not poisoned").clone())
    }
}

impl Drop for ReportsOnDrop {
    fn drop(&mut self) {
        self.0.lock().expect("not poisoned").push(bound());
    }
}

type BoxedFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An executor as one writes it by hand: a queue of woken tasks, polled one after the other.
#[derive(Default, Clone)]
pub(crate) struct Executor {
    woken: Arc<Mutex<VecDeque<Arc<Task>>>>,
}

struct Task {
    future: Mutex<Option<BoxedFuture>>,
    woken: Arc<Mutex<VecDeque<Arc<Task>>>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let woken = Arc::clone(&self.woken);
        woken.lock().expect("not poisoned").push_back(self);
    }
}

impl Executor {
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        let future = Mutex::new(Some(Box::pin(future) as BoxedFuture));
        Arc::new(Task { future, woken: Arc::clone(&self.woken) }).wake();
    }

    /// Polls whatever is woken, in turn, on this thread.
    pub(crate) fn run(&self) {
        while let Some(task) = self.next() {
            task.poll();
        }
    }

    /// The same, with each poll on a thread of its own: a task changes threads at every await.
    pub(crate) fn run_hopping(&self) {
        while let Some(task) = self.next() {
            thread::spawn(move || task.poll()).join().expect("no task panics");
        }
    }

    fn next(&self) -> Option<Arc<Task>> {
        self.woken.lock().expect("not poisoned").pop_front()
    }
}

impl Task {
    fn poll(self: Arc<Self>) {
        let waker = Waker::from(Arc::clone(&self));
        let mut slot = self.future.lock().expect("not poisoned");
        if let Some(future) = slot.as_mut()
            && future.as_mut().poll(&mut task::Context::from_waker(&waker)).is_ready()
        {
            *slot = None;
        }
    }
}

/// One poll, by hand.
pub(crate) fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut task::Context::from_waker(Waker::noop()))
}
