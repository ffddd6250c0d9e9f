//! One process, many profiles, no leaks.

mod activation;
mod ambient;
mod blocking;
mod build;
mod builder;
mod child;
mod error;
mod flight;
mod host;
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
pub use report::{NotServed, Report, Reported, ReportedProfile, ReportedSecret, ReportedTenant};
pub use scope::ProfileScope;
pub use scopes::LaunchIfMany;

pub use watertight_context::{ContextSource, InScope, detached};
pub use watertight_disk as disk;
pub use watertight_env_snapshot as env_snapshot;
pub use watertight_profile_discovery as profile_discovery;
pub use watertight_profile_home as profile_home;
pub use watertight_runner_identity as runner_identity;
pub use watertight_secret_scope as secret_scope;
pub use watertight_terminal_scope as terminal_scope;
pub use watertight_vocabulary as vocabulary;
