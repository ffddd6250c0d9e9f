//! Which profiles a tree holds, which are served, and who is a tenant.
//!
//! A **root** is the directory that owns `profiles/`, and is itself the profile `default`; a **home** is one
//! profile's directory; a **tenant** is a home that counts when a host decides whether it may have to serve
//! more than one profile.

mod active_profile;
mod find;
mod layout;
mod listing;
mod markers;
mod naming;
mod profile_id;
mod residents;
mod root;
mod roster;
mod standalone;
mod suggestions;
mod tenants;
mod tombstones;
mod tree;

pub use active_profile::ActiveProfileError;
pub use find::{Change, Changed, FindError, Found};
pub use layout::{HomeLayout, LayoutError};
pub use listing::{ListError, Listing, Profile, SkipReason, Skipped};
pub use markers::MARKERS;
pub use profile_id::{NameError, ProfileId, ProfileName};
pub use residents::Resident;
pub use root::{Root, RootError};
pub use roster::{LeftOut, LeftOutReason, Roster};
pub use tenants::{Tenant, TenantReason, Tenants};
pub use tree::ProfileTree;
