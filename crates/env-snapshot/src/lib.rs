//! An environment that is frozen once, and the environments of children built from it.

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
mod snapshot;
mod spec;
mod strip;

pub use audit::{AuditError, Deviation};
pub use build::ChildParts;
pub use child_env::{ChildEnv, CommandExt};
pub use dropped::{DropReason, Dropped};
pub use error::ChildEnvError;
pub use launch::LaunchEnv;
pub use limits::TOTAL_LIMIT;
pub use lists::{OMNIGENT_SESSION_ENV_VAR, base_list, loader_hooks};
pub use map::MapEnv;
pub use process::ProcessEnv;
pub use snapshot::EnvSnapshot;
pub use spec::{ChildBindingToken, ChildRunnerId, ChildSpec};
pub use strip::strip;
pub use watertight_vocabulary::ControlPlane;
