//! Which task a frame was entered for (CTX-07).

/// A Tokio task, or that there was none. Without the feature `tokio` all code counts as one task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Task(#[cfg(feature = "tokio")] Option<tokio::task::Id>);

impl Task {
    /// No task, which is what frames that bind nothing are entered for.
    pub(crate) const NONE: Self = Self(
        #[cfg(feature = "tokio")]
        None,
    );

    /// Whether one task is known from another at all.
    pub(crate) const ARE_TOLD_APART: bool = cfg!(feature = "tokio");

    /// The task that runs here. Neither panics nor allocates, also while the thread is torn down.
    #[inline]
    pub(crate) fn current() -> Self {
        Self(
            #[cfg(feature = "tokio")]
            tokio::task::try_id(),
        )
    }
}
