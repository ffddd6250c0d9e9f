//! The one door to the file system for Watertight's crates.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use watertight_disk::{FileSystem, Operation, RealFileSystem, Recording, Scripted};
//!
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("config.yaml");
//! # std::fs::write(&file, "")?;
//! // What a crate does to the disk it does through a `FileSystem`: the real one outside of tests.
//! let disk: Arc<dyn FileSystem> = Arc::new(RealFileSystem);
//! assert!(disk.metadata(&file)?.is_file());
//!
//! // In a test, with an error that even root cannot provoke, and with every call remembered.
//! let recording = Recording::new();
//! let denied = Scripted::failing(Arc::clone(&disk), Operation::Metadata, "config.yaml", 13);
//! let disk = recording.of(Arc::new(denied));
//! assert_eq!(disk.metadata(&file).unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
//! assert_eq!(recording.take()[0].operation, Operation::Metadata);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Invariants:
//!
//! - Nothing else in the workspace's library code touches `std::fs`. So a test can inject every error
//!   ([`Scripted`]), change the disk between two steps, and assert the order of all calls ([`Recording`]).
//! - Reading opens without blocking, without following a link it was not told to follow, without taking a
//!   controlling terminal, and closed on `exec` (FILE-02): a FIFO in a file's place neither hangs nor acts.
//!   On a Unix no link is ever judged by its name; on Windows that holds for the last component, while links
//!   among the folders before it ([`Links::RefuseAll`]) are looked for by name before the open.
//! - Making never replaces and follows no link, a dangling one included; only [`FileSystem::rename`]
//!   replaces. What is made is of the mode that was asked for, or of 0600, less what the process's `umask`
//!   takes away; it is never more open than asked for.
//! - Nothing is retried but an interrupted call, nothing is repaired, and no parent is made.
//! - [`resolve`] says where a path leads, also before it exists; what cannot be examined is an error and is
//!   never taken for missing (PROF-40). [`home_at`] makes the identity that everything else is decided on
//!   (PROF-45).

mod directory;
mod file_system;
mod metadata;
mod real;
mod recording;
mod resolve;
mod scripted;
#[cfg(unix)]
mod stat;

pub use file_system::{
    DirEntry, FileLock, FileSystem, Links, NewFile, OpenDir, OpenFile, TemporaryFile, is_link_loop,
};
pub use metadata::{FileKind, Metadata};
pub use real::RealFileSystem;
pub use recording::{Call, Recording};
pub use resolve::{ResolveError, home_at, resolve};
pub use scripted::{Operation, Scripted};
