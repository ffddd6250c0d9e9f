//! One process, many profiles, no leaks.
//!
//! A [`Host`] is the place where Watertight's policy crates are plugged together. It pins the home that the
//! process was started for, decides once whether the process may have to serve more than that one profile,
//! and gives out [`ProfileScope`]s: a home, its secrets and its terminal policy, built first and bound in one
//! step.
//!
//! ```
//! use watertight::env_snapshot::{ChildSpec, CommandExt};
//! use watertight::{Host, InScope, ScopeError};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path().join("home");
//! # std::fs::create_dir_all(root.join("profiles/coder"))?;
//! # std::fs::write(root.join("profiles/coder/.env"), "MODEL_KEY=canary-coder\n")?;
//! # std::fs::write(root.join("profiles/coder/config.yaml"), "terminal: {backend: docker}\n")?;
//! # let env = watertight::env_snapshot::MapEnv::from([("MODEL_KEY", "canary-launch"), ("PATH", "/usr/bin")]);
//! # env.set("HERMES_HOME", &root);
//! # let host = Host::builder().env(env).managed(watertight::profile_home::ManagedDirectory::none()).build()?;
//! # let _ = || -> Result<(), Box<dyn std::error::Error>> {
//! let host = Host::builder().build()?;
//! # Ok(()) };
//! // ... the rest of the boot, which may still add to the environment ...
//! host.activate_eagerly();
//!
//! let scope = host.profile_scope("coder")?;
//! scope.run(|| {
//!     // Code deep below, which was handed nothing but the host.
//!     let key = host.secret("MODEL_KEY")?;
//!     assert!(key.is_some_and(|key| key.matches("canary-coder")));
//!     assert_eq!(host.backend()?.as_str(), "docker");
//!     let child = host.child_env(&ChildSpec::new().pass(["MODEL_KEY"]).with_terminal())?;
//!     std::process::Command::new("tool").with_child_env(&child); // .spawn()
//!     # Ok::<(), Box<dyn std::error::Error>>(())
//! })?;
//! // Outside of every scope nobody is known to ask.
//! assert_eq!(host.secret("MODEL_KEY").unwrap_err().code(), "unscoped");
//! # Ok(()) }
//! ```
//!
//! # Threats and answers
//!
//! | what goes wrong | what holds here | rules |
//! | --- | --- | --- |
//! | The process serves a second profile, and a read of the environment hands it the first one's key | The environment is frozen at that moment and belongs to the launch profile's scope alone; code without a scope is refused | HOST-01, SEC-06, SEC-21 |
//! | The switch comes too late: what ran before it had the run of the environment | Tenants are counted at the end of the boot; a lazy request activates before the first foreign file is opened | HOST-10, HOST-15 |
//! | The tree cannot be read, so there "is one profile" | What cannot be counted activates | HOST-13 |
//! | Somebody turns it off | No setting is consulted, and it is never taken back | HOST-01, HOST-12 |
//! | A thread, a task or a pooled worker keeps the last job's profile, or inherits one | Scopes are lexical and never inherited; a future carries its own and enters on every poll | CTX-01 to CTX-06 |
//! | A missing key falls through to somebody else's | Under a foreign scope a miss is absent; under a closed, refused or foreign host's scope it is refused | SEC-03, SEC-04, SEC-17 |
//! | A broken file reads as an empty one, and defaults apply | Unreadable and invalid files are bound as refusals, and no default changes one | SEC-30, TERM-40, SEC-12 |
//! | A sandboxed profile's command runs on the machine itself | A backend is never guessed: it is configured, or refused | TERM-08, TERM-09, TERM-23, TERM-25 |
//! | A profile's file is a link into another home, or to `/proc/self/environ` | What the opened descriptor leads to is judged, not the name | FILE-06, FILE-07 |
//! | A `.env` asks for `${LAUNCH_KEY}` | Nothing is interpolated, and no reader asks the environment | FILE-19 |
//! | A child inherits the host's keys, or the runner's token | Children start from nothing; names are passed one by one, the control plane is removed last | SNAP-21 to SNAP-24, RUN-30 to RUN-34 |
//! | A folder is swapped between the look and the read | A request's home is resolved once, and once more when the files have been read | PROF-45 |
//! | A revoked key lives on because the refresh failed | A refresh that fails binds a refusal | SEC-28 |
//! | A log line, an error or a panic shows a key | No text of this workspace holds a value; secrets have no `Display` and a redacted `Debug` | SEC-31, FILE-04, TERM-11 |
//!
//! What no library can give: memory of the process is one. Code that runs in it can read every key that was
//! ever loaded, and the process's own environment block stays readable to its user (`/proc/<pid>/environ`)
//! whatever is removed from it later. A frame covers whatever its thread runs until it is left; see
//! [`watertight_context`] for the two doors that work handed to a pool goes through.
//!
//! Invariants of this crate:
//!
//! - Nothing here reads a file, a syntax, an environment or a thread-local itself; the crates below do.
//! - Hosting only grows, and nobody sees it grown before the environment is frozen (HOST-01).
//! - Everything of a scope is built before anything is bound, and entering cannot fail (HOST-23, CTX-05).
//! - There is no fallback from one profile to another, anywhere (HOST-24).

mod activation;
mod ambient;
mod blocking;
mod build;
mod builder;
mod child;
mod error;
mod flight;
mod host;
mod launch_if_many;
mod once;
mod report;
mod report_text;
mod scope;
mod scopes;

pub use activation::Activation;
pub use ambient::{AlreadyInstalled, AmbientHost, host};
pub use blocking::BlockingJob;
pub use builder::HostBuilder;
pub use error::{HostError, ScopeError};
pub use host::Host;
pub use launch_if_many::InLaunchIfMany;
pub use report::{
    NotServed, Report, Reported, ReportedProfile, ReportedSecret, ReportedSource, ReportedTenant,
};
pub use scope::ProfileScope;

pub use watertight_context::{ContextSource, InScope, detached};
pub use watertight_disk as disk;
pub use watertight_env_snapshot as env_snapshot;
pub use watertight_profile_discovery as profile_discovery;
pub use watertight_profile_home as profile_home;
pub use watertight_runner_identity as runner_identity;
pub use watertight_secret_scope as secret_scope;
pub use watertight_terminal_scope as terminal_scope;
pub use watertight_vocabulary as vocabulary;

/// The README's program is a test of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
