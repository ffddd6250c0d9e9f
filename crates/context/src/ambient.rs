use crate::{Context, stack};

/// What a read finds around it.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_enums, reason = "a fourth variant would be a fourth meaning for every reader")]
pub enum Ambient<'a> {
    /// Nothing: never entered, or [`detached`].
    Unbound,
    /// This context, which may be closed meanwhile ([`Context::is_closed`]).
    Bound(&'a Context),
    /// Nothing for whoever reads: what is around was entered for another Tokio task (CTX-07). No value of
    /// it may be handed out, but a foreign home still counts (SEC-08, TERM-23): if any of the masked frames
    /// is of one, this is that context, else the innermost.
    Masked(&'a Context),
}

/// Runs the reader on what is bound here, as it is, without a lock, an allocation or a clone.
///
/// The reader may read again, and enter and leave other scopes; what it was given stays what it was.
/// Entering from inside a running read is the one case that allocates.
///
/// ```
/// use watertight_context::{Ambient, Context, with_ambient};
///
/// let context = Context::builder().with(42_u32).build();
/// let number = || with_ambient(|ambient| match ambient {
///     Ambient::Bound(context) => context.get::<u32>().copied(),
///     Ambient::Masked(_) | Ambient::Unbound => None,
/// });
/// assert_eq!(number(), None);
/// assert_eq!(context.run(number), Some(42));
/// ```
///
/// What is borrowed does not get out of the reader:
///
/// ```compile_fail
/// use watertight_context::with_ambient;
///
/// let kept = with_ambient(|ambient| ambient);
/// ```
#[inline]
pub fn with_ambient<R>(read: impl FnOnce(Ambient<'_>) -> R) -> R {
    stack::read(read)
}

/// Runs the work with nothing bound, whatever is around: the second door of CTX-03.
///
/// For work that is meant to belong to no profile, and for every job of a pool that also runs scoped
/// work and does not carry a scope of its own. The form for a future is
/// [`InScope::detached`](crate::InScope::detached).
///
/// ```
/// use watertight_context::{Context, detached};
///
/// let context = Context::builder().build();
/// context.run(|| {
///     assert!(detached(Context::current).is_none());
///     assert!(Context::current().is_some());
/// });
/// ```
#[inline]
pub fn detached<R>(work: impl FnOnce() -> R) -> R {
    stack::enter(stack::Frame::NOTHING, work)
}
