use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use futures_core::Stream;
use pin_project_lite::pin_project;

use crate::stack::{self, Frame};
use crate::{Context, detached};

/// Where a wrapped future takes its context from, asked anew at every poll (SEC-28).
///
/// A [`Context`] answers with itself; what can be refreshed answers with its current one.
pub trait ContextSource {
    /// The context to enter now.
    fn context(&self) -> Context;
}

impl ContextSource for Context {
    #[inline]
    fn context(&self) -> Context {
        self.clone()
    }
}

impl<S: ContextSource + ?Sized> ContextSource for &S {
    #[inline]
    fn context(&self) -> Context {
        (**self).context()
    }
}

impl<S: ContextSource + ?Sized> ContextSource for Arc<S> {
    #[inline]
    fn context(&self) -> Context {
        (**self).context()
    }
}

/// Wraps futures and streams, so that every poll of them runs inside a scope, or outside of any.
///
/// The wrapper needs no runtime and moves with its task between threads (CTX-04). Wrap a future before
/// it is shared between tasks (CTX-06).
pub trait InScope: Sized {
    /// Enters the scope at every poll, and once more to drop what is wrapped: a future that is given up
    /// half way runs its destructors inside its own scope (CTX-02).
    ///
    /// ```
    /// use watertight_context::{Context, InScope};
    ///
    /// async fn turn() -> Option<u32> {
    ///     Context::current()?.get::<u32>().copied()
    /// }
    ///
    /// let context = Context::builder().with(42_u32).build();
    /// assert_eq!(futures_lite::future::block_on(turn().in_scope(&context)), Some(42));
    /// assert_eq!(futures_lite::future::block_on(turn()), None);
    /// ```
    fn in_scope<S: ContextSource>(self, scope: S) -> Scoped<Self, S> {
        Scoped { wrapped: Some(self), scope }
    }

    /// Runs every poll with nothing bound, as [`detached`](crate::detached) does for a closure (CTX-03).
    fn detached(self) -> Detached<Self> {
        Detached { wrapped: Some(self) }
    }
}

impl<W> InScope for W {}

pin_project! {
    /// A future or stream whose polls run inside a scope; made by [`InScope::in_scope`].
    #[must_use = "futures and streams do nothing unless polled"]
    pub struct Scoped<W, S>
    where
        S: ContextSource,
    {
        // `None` only while it is dropped.
        #[pin]
        wrapped: Option<W>,
        scope: S,
    }

    impl<W, S: ContextSource> PinnedDrop for Scoped<W, S> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            let mut wrapped = Wrapped(this.wrapped);
            stack::enter(Frame::of(this.scope.context()), || wrapped.0.set(None));
        }
    }
}

/// What is wrapped, on its way out: where the source panics instead of saying which scope is its own, it goes
/// outside of every scope, and not in that of whoever drops it (CTX-02).
struct Wrapped<'a, W>(Pin<&'a mut Option<W>>);

impl<W> Drop for Wrapped<'_, W> {
    fn drop(&mut self) {
        if self.0.is_some() {
            detached(|| self.0.set(None));
        }
    }
}

impl<W, S: ContextSource> Scoped<W, S> {
    fn enter<R>(self: Pin<&mut Self>, poll: impl FnOnce(Pin<&mut W>) -> Poll<R>) -> Poll<R> {
        let this = self.project();
        match this.wrapped.as_pin_mut() {
            Some(wrapped) => stack::enter(Frame::of(this.scope.context()), || poll(wrapped)),
            None => Poll::Pending,
        }
    }
}

impl<W: Future, S: ContextSource> Future for Scoped<W, S> {
    type Output = W::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<W::Output> {
        self.enter(|wrapped| wrapped.poll(cx))
    }
}

impl<W: Stream, S: ContextSource> Stream for Scoped<W, S> {
    type Item = W::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Option<W::Item>> {
        self.enter(|wrapped| wrapped.poll_next(cx))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let Some(wrapped) = &self.wrapped else { return (0, None) };
        stack::enter(Frame::of(self.scope.context()), || wrapped.size_hint())
    }
}

pin_project! {
    /// A future or stream whose polls run with nothing bound; made by [`InScope::detached`].
    #[must_use = "futures and streams do nothing unless polled"]
    pub struct Detached<W> {
        // `None` only while it is dropped.
        #[pin]
        wrapped: Option<W>,
    }

    impl<W> PinnedDrop for Detached<W> {
        fn drop(this: Pin<&mut Self>) {
            let mut wrapped = this.project().wrapped;
            detached(|| wrapped.set(None));
        }
    }
}

impl<W> Detached<W> {
    fn enter<R>(self: Pin<&mut Self>, poll: impl FnOnce(Pin<&mut W>) -> Poll<R>) -> Poll<R> {
        match self.project().wrapped.as_pin_mut() {
            Some(wrapped) => detached(|| poll(wrapped)),
            None => Poll::Pending,
        }
    }
}

impl<W: Future> Future for Detached<W> {
    type Output = W::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<W::Output> {
        self.enter(|wrapped| wrapped.poll(cx))
    }
}

impl<W: Stream> Stream for Detached<W> {
    type Item = W::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Option<W::Item>> {
        self.enter(|wrapped| wrapped.poll_next(cx))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let Some(wrapped) = &self.wrapped else { return (0, None) };
        detached(|| wrapped.size_hint())
    }
}

/// Nothing of what is wrapped (CTX-10).
impl<W, S: ContextSource> fmt::Debug for Scoped<W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scoped").finish_non_exhaustive()
    }
}

/// Nothing of what is wrapped (CTX-10).
impl<W> fmt::Debug for Detached<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detached").finish_non_exhaustive()
    }
}
