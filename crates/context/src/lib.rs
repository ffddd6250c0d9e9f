//! A task's typed context: entered lexically, never inherited, closed for good.

mod ambient;
mod context;
mod scoped;
mod stack;
mod task;
mod values;

pub use ambient::{Ambient, detached, with_ambient};
pub use context::{Context, ContextBuilder};
pub use scoped::{ContextSource, Detached, InScope, Scoped};
