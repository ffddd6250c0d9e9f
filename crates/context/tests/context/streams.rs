//! Streams that a host polls are covered by the same wrapper.

use std::pin::Pin;
use std::task::{self, Poll, Waker};

use futures_core::Stream;
use watertight_context::InScope;

use crate::support::{A, B, Profile, ReportsOnDrop, a, b, bound, yield_now};

fn next<S: Stream>(stream: Pin<&mut S>) -> Poll<Option<S::Item>> {
    stream.poll_next(&mut task::Context::from_waker(Waker::noop()))
}

/// Gives whose scope it was polled in, at every second poll.
fn asking() -> impl Stream<Item = Option<Profile>> {
    futures_lite::stream::unfold((), |()| async {
        yield_now().await;
        Some((bound(), ()))
    })
}

#[test]
fn ctx_04_every_poll_of_a_stream_is_inside_its_scope() {
    let mut stream = Box::pin(asking().in_scope(a()));
    b().run(|| {
        for _ in 0..3 {
            assert!(next(stream.as_mut()).is_pending());
            assert_eq!(bound(), B);
            assert_eq!(next(stream.as_mut()), Poll::Ready(Some(A)));
        }
    });
}

#[test]
fn ctx_04_every_poll_of_a_detached_stream_is_outside() {
    let mut stream = Box::pin(asking().detached());
    a().run(|| {
        assert!(next(stream.as_mut()).is_pending());
        assert_eq!(next(stream.as_mut()), Poll::Ready(Some(None)));
        assert_eq!(bound(), A);
    });
}

#[test]
fn ctx_06_two_streams_in_turn_each_find_their_own() {
    let (mut first, mut second) = (Box::pin(asking().in_scope(a())), Box::pin(asking().in_scope(b())));
    for _ in 0..3 {
        assert!(next(first.as_mut()).is_pending());
        assert!(next(second.as_mut()).is_pending());
        assert_eq!(next(first.as_mut()), Poll::Ready(Some(A)));
        assert_eq!(next(second.as_mut()), Poll::Ready(Some(B)));
        assert_eq!(bound(), None);
    }
}

#[test]
fn ctx_02_a_stream_dropped_half_way_runs_its_destructors_in_its_own_scope() {
    let (report, reports) = ReportsOnDrop::new();
    let stream = futures_lite::stream::unfold(report, |report| async {
        yield_now().await;
        Some(((), report))
    });
    let mut stream = Box::pin(stream.in_scope(a()));
    assert!(next(stream.as_mut()).is_pending());
    b().run(|| drop(stream));
    assert_eq!(reports(), [A]);
}

#[test]
fn a_wrapped_stream_tells_its_size_from_inside_its_scope() {
    struct Sized;
    impl Stream for Sized {
        type Item = ();
        fn poll_next(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<Option<()>> {
            Poll::Ready(None)
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::from(bound() == A), Some(7))
        }
    }
    assert_eq!(Sized.in_scope(a()).size_hint(), (1, Some(7)));
    assert_eq!(a().run(|| Sized.detached().size_hint()), (0, Some(7)));
}
