//! A runner's identity: known, stable, and silent.
//!
//! ```
//! # let user_home = tempfile::tempdir()?;
//! use watertight_runner_identity::IdentityFile;
//!
//! // Where the variable is not set, the id lies in the user's home and is made there on first use.
//! let file = IdentityFile::in_user_home(Some(user_home.path()));
//! let first = file.load_or_create()?;
//! let second = file.load_or_create()?;
//! assert!(first.is_created() && !second.is_created());
//! assert_eq!(first.id(), second.id(), "an id is stable");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - No file that is there is ever replaced, except by [`IdentityFile::regenerate`]; reading never makes
//!   one (RUN-04, RUN-33).
//! - No process ever sees an empty or partial id file, and all that race for one return one id (RUN-05).
//! - No id outside the grammar exists as a value, and no error repeats what was rejected (RUN-07).
//! - No token is ever shown, compared in time that depends on it, or left in memory (RUN-11).
//! - Nothing here reads the process environment, and no child is started.

mod create;
mod findings;
mod identity;
mod identity_file;
mod machine;
pub mod names;
mod parent;
mod read;
mod runner_id;
mod token;
mod wiring;

pub use create::CreateError;
pub use identity::{Identity, Provenance, known_identity, stable_identity};
pub use identity_file::{IdentityError, IdentityFile, load, load_or_create, regenerate};
pub use machine::{Fingerprint, MachineCheck, MachineId, NoMachine, PlatformMachine, machine_id_files};
pub use parent::{ADOPT_SIGNAL, Orphaned, adopt_signal, current_parent, orphaned};
pub use read::ReadError;
pub use runner_id::{InvalidRunnerId, RunnerId};
pub use token::{BindingToken, TokenError, token_bound_id};
pub use watertight_env_snapshot::strip;
pub use wiring::{RunnerWiring, WiringError};
