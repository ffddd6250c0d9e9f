//! The one door to the file system for Watertight's crates.
//!
//! Nothing else in the workspace's library code touches `std::fs`. So a test can inject every error that
//! root cannot provoke ([`Scripted`]), and can assert the order in which things were done ([`Recording`]).
//!
//! Reading opens without blocking, without following a link it was not told to follow, without taking a
//! controlling terminal, and closed on `exec` (FILE-02): a FIFO in a file's place neither hangs nor acts.

mod directory;
mod file_system;
mod metadata;
mod real;
mod recording;
mod resolve;
mod scripted;

pub use file_system::{
    DirEntry, FileLock, FileSystem, Links, NewFile, OpenDir, OpenFile, TemporaryFile, is_link_loop,
};
pub use metadata::{FileKind, Metadata};
pub use real::RealFileSystem;
pub use recording::{Call, Recording};
pub use resolve::{ResolveError, home_at, resolve};
pub use scripted::{Operation, Scripted};
