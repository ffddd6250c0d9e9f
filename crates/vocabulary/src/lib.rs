//! The nouns that Watertight's crates share and none of them owns.
//!
//! Data and small traits only: nothing here touches a disk, a thread-local or the process environment.
//!
//! | noun | what it is |
//! | --- | --- |
//! | [`Secret`] | a value that cannot be printed, compared or serialized by accident (SEC-31) |
//! | [`Name`], [`NameSet`] | names of variables, and the one membership test for all lists (SNAP-20) |
//! | [`NameClass`], [`NameClasses`], [`Classes`] | global, control plane, terminal, secret |
//! | [`ControlPlane`] | the names that only the runner reads; it can only grow (SNAP-22, RUN-31) |
//! | [`HomeId`] | which home a request resolved to, decided once (PROF-45) |
//! | [`EnvSource`] | where an environment comes from |
//! | [`Hosting`] | what a reader must know of its host |
//! | [`Refused`] | the answer to a read that must not be answered |
//! | [`Refusal`], [`Bound`] | what is bound in place of a scope or policy that could not be built |
//! | [`Diagnostic`] | something to tell a person, with a place and never a value |
//! | [`Origin`], [`Layer`] | where an entry came from |
//! | [`Platform`], [`CaseRule`] | what differs by platform, as a value (SNAP-08) |
//! | [`shown_path`] | a path in a text for people, on one line whoever chose its name |

mod classes;
mod control_plane;
mod diagnostic;
mod env_source;
mod home_id;
mod hosting;
mod name;
mod name_set;
mod origin;
mod platform;
mod refusal;
mod refused;
mod secret;
mod shown_path;
mod space;

pub use classes::{Classes, HermesClasses, NameClass, NameClasses};
pub use control_plane::{ControlPlane, RUNNER_AUTH_SECRETS, RUNNER_PROCESS_IDENTITY};
pub use diagnostic::{Diagnostic, Severity};
pub use env_source::EnvSource;
pub use home_id::{HomeId, HomeStamp};
pub use hosting::{HostId, Hosting};
pub use name::Name;
pub use name_set::NameSet;
pub use origin::{Layer, Origin};
pub use platform::{CaseRule, Platform};
pub use refusal::{Bound, Refusal};
pub use refused::{Refused, RefusedReason};

pub use secret::{NotUnicode, Secret};
pub use shown_path::shown_path;
pub use space::trim_ascii_space;
