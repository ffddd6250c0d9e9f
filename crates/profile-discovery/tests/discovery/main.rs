//! The rules PROF-01 to PROF-45, each over real trees.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like a test")]

mod active_profile;
mod aliases;
mod errors;
mod find;
#[cfg(unix)]
mod folding;
mod layout;
mod listing;
mod markers;
#[cfg(unix)]
mod model;
mod naming;
#[cfg(target_os = "linux")]
mod permissions;
mod profile_id;
mod reading;
mod root;
mod roster;
mod scale;
mod snapshots;
mod support;
mod tenants;
mod texts;
