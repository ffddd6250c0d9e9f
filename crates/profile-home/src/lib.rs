//! One profile's `.env` and `config.yaml`, read once and right.
//!
//! ```
//! use watertight_profile_home::{MemoryFiles, ProfileFiles, ProfileHome};
//! use watertight_vocabulary::HomeId;
//!
//! let home = ProfileHome::confined(HomeId::new("/srv/agents/coder".into(), None));
//! let files = MemoryFiles::new();
//! files.set_dotenv(&home, "API_KEY='canary-1' # mine\n");
//! files.set_config(&home, "terminal:\n  backend: docker\n");
//!
//! let dotenv = files.dotenv(&home)?.expect("the file is there");
//! assert!(dotenv.get("API_KEY").is_some_and(|entry| entry.value().matches("canary-1")));
//!
//! let config = files.config(&home)?.expect("the file is there");
//! let terminal = config.section("terminal")?;
//! assert_eq!(terminal.get("backend").and_then(|value| value.as_str()), Some("docker"));
//! # Ok::<(), watertight_profile_home::FileError>(())
//! ```
//!
//! Invariants:
//!
//! - Absent, unreadable and invalid are three answers, and no function turns one into another (FILE-01,
//!   FILE-02, FILE-31).
//! - No error, diagnostic or `Debug` text of this crate holds a byte of a value (FILE-04).
//! - Reading writes nothing and asks no environment (FILE-03, FILE-19); nothing here knows `std::env`.
//! - What was read is what the descriptor stated, through no link that leaves the home (FILE-06, FILE-07).
//! - One module knows the YAML library; no type of it is seen from outside (FILE-36).
//! - Whatever the bytes: bounded time, bounded memory, no panic (FILE-23, FILE-37).
//! - Buffers of this crate that held a value are wiped when dropped (SEC-31).
//!
//! Where the rules left a choice:
//!
//! - The line that closes a quote counts as one that must not read as an assignment, up to the quote (FILE-18):
//!   else `A="cut off` would swallow `B=secret"` below it. Such a line as `key="` opens a quote of its own, unless
//!   all that the first quote holds so far is base64 text that `key=` can be the padded end of.
//! - Key material that never ends skips nothing; only its first line is judged (FILE-24).
//! - A file whose size or modification time moves while it is read is read anew, as one that yields another
//!   number of bytes is (FILE-07).
//! - Of the folders that FILE-06 speaks of, the innermost that holds a link's target decides. The target is
//!   opened through no link at all, so the descriptor is that of the judged place.
//! - Merged keys stand where the `<<` stood (FILE-33); an anchor that is defined twice and aliased is invalid,
//!   since the library leads its aliases astray (FILE-31).
//! - Beside brackets, three more things are counted before the YAML library sees a byte: what may begin a node,
//!   directives, and the digits of a number that aliases may lead to. It keeps every event of a file before the
//!   first can be counted, compares each directive with all others, and reads a number anew for each alias
//!   (FILE-37). A text of more than 100,000 commas and colons is therefore refused, and so is a row of more than
//!   1000 digits in a file with an alias.
//! - What the library itself copies of a text while it parses is not wiped.
//!
//! What this reader of `.env` gives beside three others is shown, input by input, in the crate's
//! `docs/dotenv-readers.md`.

mod cache;
mod config;
mod dotenv;
mod error;
mod files;
mod generations;
mod home;
mod managed;
mod memory;
mod open;
mod signature;

pub use cache::CachedFiles;
pub use config::{Config, Section, Yaml, YamlFloat, YamlText, boolean_word, parse_config};
pub use dotenv::{Dotenv, Entry, WriteError, parse_dotenv, write_dotenv, write_value};
pub use error::{Cause, FileError, Invalid, Unreadable};
pub use files::{DiskFiles, HomeFile, ProfileFiles, read_other};
pub use home::ProfileHome;
pub use managed::{MANAGED_VARIABLE, Managed, ManagedDirectory};
pub use memory::MemoryFiles;
