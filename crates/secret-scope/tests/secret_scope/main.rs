//! What a task is told when it asks for a secret: by the table, by the layers, and by nobody else's.
//!
//! Values are canaries: every error, explanation and `Debug` text is held to show none of them.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a helper of a test fails like a test"
)]

mod activation;
mod allocations;
mod builder;
mod decision;
mod explain;
mod leaks;
mod managed;
mod read;
mod refresh;
mod refusals;
mod shared;
mod source;
mod stress;
mod world;
