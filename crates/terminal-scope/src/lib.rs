//! Where a profile's commands run: a complete policy, or a refusal.
//!
//! ```
//! use watertight_profile_home::{MemoryFiles, ProfileHome};
//! use watertight_terminal_scope::TerminalPolicy;
//! use watertight_vocabulary::HomeId;
//!
//! let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
//! let files = MemoryFiles::new();
//! files.set_config(&home, "terminal: {backend: docker, docker_volumes: ['/data:/data']}\n");
//!
//! let bound = TerminalPolicy::builder(&home).files(&files).build();
//! let policy = bound.policy().map_err(ToString::to_string)?;
//! assert_eq!(policy.backend()?.as_str(), "docker");
//! assert_eq!(policy.integer("timeout")?, Some(180));
//! assert!(policy.get("TERMINAL_DOCKER_VOLUMES")?.is_some_and(|json| json.matches(r#"["/data:/data"]"#)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Of the layers, the later wins, key by key; each knows where its value stands (TERM-01, TERM-10):
//!
//! | layer | what it sets | how |
//! | --- | --- | --- |
//! | the schema's defaults | mapped keys | as written there |
//! | `.env` | every `TERMINAL_*` name | unchanged |
//! | the launch environment, for the launch profile alone | every `TERMINAL_*` name | unchanged |
//! | `config.yaml`, section `terminal:` | mapped keys | rendered: text as it is, `True` and `False`, numbers in decimal, lists and mappings as ASCII JSON (TERM-05) |
//! | the administrator's managed `.env` | every `TERMINAL_*` name | unchanged |
//!
//! Two entries are computed: the working directory of a local profile that sets none (TERM-06), and whether
//! the image is pinned (TERM-07).
//!
//! Invariants:
//!
//! - A bound policy alone answers; no read under it reaches an environment (TERM-20).
//! - A policy and a refusal are two variants, and a refusal has nothing to read (TERM-43).
//! - No function turns a refusal into absence, and none turns an empty or unknown backend into `local`
//!   (TERM-09, TERM-21, TERM-23).
//! - The policy is a function of its inputs: of the schema, the home's two files, the managed `.env`, the
//!   user's home and, for the launch profile alone, its environment (TERM-02).
//! - The table of keys is data in one place; every layer and every read goes through it (TERM-03).
//! - `Debug`, errors and problems hold keys, layers and types, never a value (TERM-11).

mod backend;
mod builder;
mod explain;
mod fault;
mod layers;
mod parse;
mod policy;
mod read;
mod render;
mod schema;
mod table;
mod value_type;
mod views;

use watertight_vocabulary::Bound;

pub use backend::Backend;
pub use builder::TerminalPolicyBuilder;
pub use explain::{Explanation, Shown};
pub use fault::{Fault, SettingError};
pub use policy::{Entry, TerminalPolicy};
pub use read::{LaunchPolicy, TerminalError, TerminalReader};
pub use schema::{SchemaError, SchemaKey, TerminalSchema};
pub use value_type::ValueType;

/// What a scope holds for the terminal: a policy, or the refusal in its place.
pub type BoundTerminal = Bound<TerminalPolicy>;
