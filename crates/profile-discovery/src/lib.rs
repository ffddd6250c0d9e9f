//! Which profiles a tree holds, which are served, and who is a tenant.
//!
//! A **root** is the directory that owns `profiles/`, and is itself the profile `default`; a **home** is one
//! profile's directory; a **tenant** is a home that counts when a host decides whether it may have to serve
//! more than one profile.
//!
//! ```
//! use std::sync::Arc;
//! use watertight_disk::RealFileSystem;
//! use watertight_profile_discovery::{ProfileTree, Root};
//! use watertight_profile_home::DiskFiles;
//! use watertight_vocabulary::Platform;
//!
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path().join("agents");
//! # std::fs::create_dir_all(home.join("profiles/coder"))?;
//! # std::fs::write(home.join("profiles/coder/config.yaml"), "")?;
//! # std::fs::create_dir_all(home.join("profiles/ghost/logs"))?;
//! // A host has `Root::from_env(&HomeLayout::hermes(), ..)` say where it is.
//! let root = Root::at(&home, Platform::current(), &RealFileSystem)?;
//! let tree = ProfileTree::new(root, Arc::new(RealFileSystem), Arc::new(DiskFiles::new()));
//!
//! let listing = tree.list()?;
//! let names: Vec<_> = listing.profiles().iter().map(|profile| profile.name().as_str()).collect();
//! assert_eq!(names, ["default", "coder"]);
//! assert_eq!(listing.skipped()[0].reason().code(), "no-identity"); // `ghost` holds logs and no marker
//!
//! // May this process have to serve more than the home that it was started with?
//! assert!(tree.tenants(tree.root().launch_home())?.are_many());
//!
//! // A request: by name, never by path; resolved once, and asked again when its files have been read.
//! let found = tree.find(" Coder ")?;
//! tree.ensure_served(&found)?;
//! found.still_there(&tree)?;
//! assert_eq!(tree.find("codr").unwrap_err().suggestions()[0].as_str(), "coder");
//! assert_eq!(tree.find("../coder").unwrap_err().code(), "invalid-name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariants:
//!
//! - A name becomes a path only as a [`ProfileId`], and there is no way to make one but to parse it
//!   (PROF-10). A name that leads nowhere is an error, and never `default` (PROF-11, HOST-24).
//! - Every entry of `profiles/` has one verdict; no entry hides another. What cannot be examined is
//!   *unknown*, never "no", and counts as a tenant (PROF-24). What makes the tree as a whole unreadable is
//!   an error, never an empty listing (PROF-42).
//! - A home is served under one name (PROF-44). Ownership is decided on a `HomeId`, which a request resolves
//!   once (PROF-45); spelled paths are for people.
//! - Nothing is created, touched, repaired or remembered (PROF-29); only of which broken file a warning was
//!   given is (PROF-31). The environment is an argument, and asked once (PROF-01).
//! - Listing, finding and counting open no file. A listing costs one directory read for all tombstones, one
//!   for the entries, one call for each directory with a `config.yaml`, and no more than eleven for any
//!   other entry.

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
