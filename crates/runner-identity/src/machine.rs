use std::fmt;
use std::path::Path;

use sha2::{Digest, Sha256};
use watertight_disk::{FileSystem, Links, RealFileSystem};
use watertight_vocabulary::{Platform, Secret, trim_ascii_space};

use crate::RunnerId;
use crate::read::read_small;
use crate::token::hex;

const SALT: &str = "omnigent-runner-machine:";

/// Tells machines apart. A host may bring its own.
pub trait MachineId: fmt::Debug + Send + Sync {
    /// What this machine calls itself, or `None` where there is no way to tell. It leaves the process only
    /// as part of a [`Fingerprint`].
    fn machine_id(&self) -> Option<Secret>;
}

/// The machine's id as the platform keeps it: `/etc/machine-id` on Linux, none elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no state and needs none")]
pub struct PlatformMachine;

impl MachineId for PlatformMachine {
    fn machine_id(&self) -> Option<Secret> {
        machine_id_files(Platform::current()).iter().find_map(|path| machine_id_at(&RealFileSystem, path))
    }
}

/// No way to tell machines apart: nothing is written beside an id, and no id counts as cloned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "it has no state and needs none")]
pub struct NoMachine;

impl MachineId for NoMachine {
    fn machine_id(&self) -> Option<Secret> {
        None
    }
}

/// Where a platform keeps its machine's id, the first that holds one counts.
pub const fn machine_id_files(platform: Platform) -> &'static [&'static str] {
    match platform {
        Platform::Linux => &["/etc/machine-id", "/var/lib/dbus/machine-id"],
        _ => &[],
    }
}

/// 32 hex digits that are not all zero; an image that has not booted yet says something else there.
fn machine_id_at(files: &dyn FileSystem, path: &str) -> Option<Secret> {
    let bytes = read_small(files, Path::new(path), Links::Follow).ok()??.bytes;
    let digits = std::str::from_utf8(trim_ascii_space(&bytes)).ok()?;
    let holds_one = digits.len() == 32
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.bytes().any(|byte| byte != b'0');
    holds_one.then(|| Secret::from(digits))
}

/// A machine and a runner's id, hashed together (RUN-35). It tells neither.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of an id on this machine; `None` where there is no way to take one.
    pub fn take(machine: &dyn MachineId, id: &RunnerId) -> Option<Self> {
        let machine = machine.machine_id()?;
        let mut hash = Sha256::new();
        hash.update(SALT);
        hash.update(machine.expose_bytes());
        hash.update(id.as_str());
        Some(Self(hash.finalize().into()))
    }

    /// What stands in the file beside the id: the fingerprint, and which id it is of.
    pub(crate) fn sidecar(&self, id: &RunnerId) -> String {
        format!("{self} {id}\n")
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// What the fingerprint beside an id says (RUN-35).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "RUN-35 knows these three")]
pub enum MachineCheck {
    /// There is none, it is of another id, or there is no way to take one here: not cloned.
    #[default]
    Unknown,
    /// The id was made on this machine.
    Same,
    /// The id was made on another machine.
    Cloned {
        /// What was recorded when the id was made.
        recorded: Fingerprint,
        /// What this machine gives.
        current: Fingerprint,
    },
}

/// Holds what stands beside an id against what this machine gives. `None`: that is no fingerprint.
///
/// One that says it is of another id is left over from before the id was made anew, by a crash or by
/// somebody who removed the id alone. It says nothing about this one.
pub(crate) fn compare(sidecar: &[u8], id: &RunnerId, current: Fingerprint) -> Option<MachineCheck> {
    let text = std::str::from_utf8(sidecar).ok()?;
    let mut words = text.split_ascii_whitespace();
    let recorded = Fingerprint(from_hex(words.next()?)?);
    Some(match words.next() {
        Some(other) if other != id.as_str() => MachineCheck::Unknown,
        _ if recorded == current => MachineCheck::Same,
        _ => MachineCheck::Cloned { recorded, current },
    })
}

fn from_hex(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}
