//! What a task finds around it, whatever runs it and however it ends.
//!
//! The tests are named after hazards. Most run with and without the feature `tokio`, which may only take
//! answers away; `task_binding` is about what it takes.

#![expect(clippy::expect_used, reason = "a helper of a test fails like a test")]

mod allocations;
mod closing;
mod depth;
mod destructors;
mod entering;
mod executors;
mod formatting;
mod interleavings;
mod pools;
mod reading;
mod streams;
mod support;
#[cfg(feature = "tokio")]
mod task_binding;
mod teardown;
mod threads;
