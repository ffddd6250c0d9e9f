//! Where commands run is never guessed: the rules TERM-01 to TERM-43, table by table.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a helper of a test fails like a test"
)]

mod child;
mod cwd;
mod image_pin;
mod launch;
mod layers;
mod memory;
mod properties;
mod provenance;
mod reading;
mod refusals;
mod rendering;
mod schema;
mod snapshots;
mod support;
mod table;
mod views;
