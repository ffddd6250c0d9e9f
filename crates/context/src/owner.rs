//! Which task a frame was entered for (CTX-07).

use crate::Context;

/// For whom a frame was entered: a Tokio task, or none. Without the feature `tokio` all code counts as one
/// task, and this as nothing.
pub(crate) struct Owner {
    #[cfg(feature = "tokio")]
    task: Option<tokio::task::Id>,
    /// The innermost context of a foreign home around one that is of none: to another task both are masked.
    #[cfg(feature = "tokio")]
    foreign_around: Option<Context>,
}

#[cfg(feature = "tokio")]
impl Owner {
    /// Of a frame that binds nothing.
    pub(crate) const NOBODY: Self = Self { task: None, foreign_around: None };

    /// The task that runs here enters the context. Neither panics nor allocates, also while the thread is
    /// torn down.
    #[inline]
    pub(crate) fn entering(context: &Context) -> Self {
        let foreign_around = if context.is_foreign() { None } else { crate::stack::foreign() };
        Self { task: tokio::task::try_id(), foreign_around }
    }

    /// Whether that task runs here.
    #[inline]
    pub(crate) fn is_here(&self) -> bool {
        self.task == tokio::task::try_id()
    }

    pub(crate) fn foreign_around(&self) -> Option<&Context> {
        self.foreign_around.as_ref()
    }
}

#[cfg(not(feature = "tokio"))]
impl Owner {
    pub(crate) const NOBODY: Self = Self {};

    pub(crate) fn entering(_: &Context) -> Self {
        Self {}
    }

    #[expect(clippy::unused_self, reason = "asked the same with the feature and without")]
    pub(crate) fn is_here(&self) -> bool {
        true
    }

    #[expect(clippy::unused_self, reason = "asked the same with the feature and without")]
    pub(crate) fn foreign_around(&self) -> Option<&Context> {
        None
    }
}
