//! A task's secrets: layers, provenance and one decision table that fails closed.
//!
//! A [`SecretScope`] holds what one profile may see, built from its layers once and never changed. Code that
//! was handed nothing reads through [`read`] or [`with_secret`]; code with a handle through [`read_from`].
//! All of them answer by the one table in [`decision`]: a value, absence, or a refusal.
//!
//! ```
//! use watertight_context::Context;
//! use watertight_profile_home::{MemoryFiles, ProfileHome};
//! use watertight_secret_scope::{SecretScope, read_from};
//! use watertight_vocabulary::HomeId;
//!
//! let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
//! let files = MemoryFiles::new();
//! files.set_dotenv(&home, "MODEL_KEY=canary-1\n");
//!
//! // Later layers win, whatever the order of these calls; sources and managed files are further steps.
//! let scope = SecretScope::builder(&home).files(&files).build();
//! let task = Context::builder().home(home.id().clone()).foreign_home(true).with(scope).build();
//!
//! let key = read_from(&task, None, "MODEL_KEY")?;
//! assert!(key.is_some_and(|key| key.matches("canary-1")));
//! assert!(read_from(&task, None, "OTHER_KEY")?.is_none());
//! assert!(read_from(&task, None, "OMNIGENT_RUNNER_INITIAL_AUTH_TOKEN").is_err());
//! # Ok::<(), watertight_vocabulary::Refused>(())
//! ```
//!
//! Invariants:
//!
//! - Value, absent and refused are three results, and no function turns one into another (SEC-12).
//! - No way to read goes past [`decision::decide`].
//! - A scope holds no global, terminal or control-plane name (SEC-26), so a hit is a secret and reading
//!   looks the scope up before it classifies.
//! - What a layer is called decides where it lies, never the order of the builder's calls (SEC-20).
//! - Nothing here knows `std::env`, a path or the syntax of a file. The way to a hit asks a host which one it
//!   is and nothing else; it neither locks nor allocates.
//! - No `Debug`, `Display`, error or diagnostic holds a byte of a value.

pub mod decision;

mod builder;
mod entries;
mod explain;
mod read;
mod scope;
mod shared;
mod sight;
mod source;
mod stack;

pub use builder::SecretScopeBuilder;
pub use explain::{Explanation, Verdict};
pub use read::{explain, explain_from, read, read_from, with_secret, with_secret_from};
pub use scope::{BoundSecrets, SecretScope};
pub use shared::{SharedNames, SharedNamesError};
pub use source::{Asking, CommandSource, Programs, SecretSource, SourceCache, SourceError, SourceRequest};
