//! No type shows a value: every public type of every crate of the house, built around canaries and put into
//! words in every way that it has, and everything that a host says while it serves a tree of broken files.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot set its stage fails")]

mod context;
mod disk;
mod env_snapshot;
mod events;
mod everything;
mod host;
mod listed;
mod private;
mod profile_discovery;
mod profile_home;
mod runner_identity;
mod secret_scope;
mod terminal_scope;
mod texts;
mod tree;
mod vocabulary;
