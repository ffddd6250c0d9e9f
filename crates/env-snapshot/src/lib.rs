//! An environment that is frozen once, and the environments of children built from it.
//!
//! ```
//! use std::path::Path;
//! use std::process::Command;
//! use std::sync::Arc;
//! use watertight_env_snapshot::{
//!     ChildEnv, ChildParts, ChildSpec, CommandExt, ControlPlane, LaunchEnv, MapEnv, TOTAL_LIMIT,
//! };
//! use watertight_vocabulary::{Platform, Secret};
//!
//! // A program says `ProcessEnv::new()` here.
//! let process = MapEnv::from([("PATH", "/usr/bin"), ("CHAT_TOKEN", "the launch profile's")]);
//! let launch = LaunchEnv::new(Arc::new(process));
//! let frozen = launch.capture();
//!
//! let spec = ChildSpec::new().pass(["CHAT_TOKEN"]).set("CI", "1");
//! let child = ChildEnv::build(&spec, ChildParts {
//!     platform: Platform::current(),
//!     base: &*frozen,
//!     control_plane: &ControlPlane::new(),
//!     allowed: Ok(()),
//!     answer: &mut |name| Ok((name == "CHAT_TOKEN").then(|| Secret::from("the coder's"))),
//!     scope_names: vec!["CHAT_TOKEN".into()],
//!     terminal: &mut || Ok(Vec::new()),
//!     home_variable: "HERMES_HOME".as_ref(),
//!     home: Path::new("/srv/hermes/profiles/coder"),
//!     profile_name_variables: &["HERMES_PROFILE".into()],
//!     own_runner_id: None,
//!     total_limit: TOTAL_LIMIT,
//! })?;
//! assert!(child.get("CHAT_TOKEN").is_some_and(|token| token.matches("the coder's")));
//!
//! let mut command = Command::new("tool");
//! command.with_child_env(&child);
//! child.audit(&mut command).expect("nothing was changed since");
//! # Ok::<(), watertight_env_snapshot::ChildEnvError>(())
//! ```
//!
//! | what | by |
//! | --- | --- |
//! | the environment of this process, live | [`ProcessEnv`] |
//! | an environment for tests, tools and embedders | [`MapEnv`] |
//! | an environment as it was at one moment | [`EnvSnapshot`] |
//! | the environment of the launch: live, then frozen once | [`LaunchEnv`] |
//! | what a child is to be given | [`ChildSpec`] |
//! | what it gets, what it does not and why | [`ChildEnv`], [`Dropped`] |
//! | a copy of any environment without the control plane | [`strip`] |
//!
//! # Invariants
//!
//! - One `impl` reads the process environment and the current directory: [`ProcessEnv`]'s. Nothing writes
//!   them (SNAP-06).
//! - A snapshot has no method that changes it, and gives out nothing that does (SNAP-02).
//! - No name or value is decoded on its way: what is not Unicode arrives byte for byte (SNAP-05).
//! - There is no child environment that inherits, and none that was built without a control plane (SNAP-21,
//!   SNAP-22).
//! - No `Debug`, error or event holds a value (SNAP-07); nothing renders an environment as arguments.
//! - No function asks which platform it runs on; [`Platform`](watertight_vocabulary::Platform) is an
//!   argument (SNAP-08).
//!
//! # What this cannot do
//!
//! Leaving a variable out of a child's environment keeps it from being handed over, no more. On Linux a
//! child of the same user can read `/proc/<pid>/environ` of the process that started it: the block that
//! process was *started* with, whatever it removed since. A secret that children must not find is given to
//! the process by a file or a descriptor, not by its environment. For the same reason a captured
//! environment is not wiped when it is dropped (SEC-31), and neither are the copies that a
//! [`Command`](std::process::Command) holds; a [`ChildSpec`] and a [`ChildEnv`] wipe theirs.

mod audit;
mod build;
mod child_env;
mod dropped;
mod error;
mod launch;
mod limits;
mod lists;
mod map;
mod process;
mod runner;
mod snapshot;
mod spec;
mod strip;

pub use audit::{AuditError, Deviation};
pub use build::{Answer, ChildParts};
pub use child_env::{ChildEnv, CommandExt};
pub use dropped::{DropReason, Dropped};
pub use error::ChildEnvError;
pub use launch::LaunchEnv;
pub use limits::TOTAL_LIMIT;
pub use lists::{OMNIGENT_SESSION_ENV_VAR, base_list, loader_hooks};
pub use map::MapEnv;
pub use process::ProcessEnv;
pub use runner::{ChildBindingToken, ChildRunnerId};
pub use snapshot::EnvSnapshot;
pub use spec::ChildSpec;
pub use strip::strip;
pub use watertight_vocabulary::ControlPlane;
