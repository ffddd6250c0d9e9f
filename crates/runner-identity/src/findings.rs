//! What is to be said about an id and what stands around it (RUN-06, RUN-35).

use std::fmt;
use std::path::{Path, PathBuf};

use watertight_disk::{FileSystem, Links};
use watertight_vocabulary::Diagnostic;

use crate::machine::{Fingerprint, MachineCheck, MachineId, compare};
use crate::read::read_small;
use crate::{RunnerId, create};

/// What is appended to the id file's name for the fingerprint (RUN-35).
const FINGERPRINT_EXTENSION: &str = "machine";
/// Mode bits that let others than the owner write.
const OTHERS_MAY_WRITE: u32 = 0o022;

/// The mode bit of a folder in which each may remove and rename only what is their own.
const STICKY: u32 = 0o1000;

/// What was found around one id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    pub(crate) machine: MachineCheck,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The disk, the machine and the id file that findings are about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) files: &'a dyn FileSystem,
    pub(crate) machine: &'a dyn MachineId,
    pub(crate) path: &'a Path,
}

impl Findings {
    /// Looks around an id that was read from a file of this mode.
    pub(crate) fn of(around: Surroundings<'_>, id: &RunnerId, mode: u32) -> Self {
        let mut findings = Self::default();
        if mode & OTHERS_MAY_WRITE != 0 {
            findings.say(writable_by_others("file-writable-by-others", around.path));
        }
        findings.judge_folders(around);
        findings.judge_machine(around, id);
        findings
    }

    /// Looks around an id that was just made, and records which machine it was made on. Failing to record
    /// is a finding and no error: the id stands.
    pub(crate) fn record(around: Surroundings<'_>, id: &RunnerId) -> Self {
        let mut findings = Self::default();
        findings.judge_folders(around);
        if let Some(fingerprint) = Fingerprint::take(around.machine, id) {
            let sidecar = sidecar_of(around.path);
            match create::replace(around.files, &sidecar, &fingerprint.sidecar(id)) {
                Ok(()) => findings.machine = MachineCheck::Same,
                Err(error) => findings.say(unusable_fingerprint(&sidecar, &error)),
            }
        }
        findings
    }

    /// Who may write the folder may replace the file, and who may write the one above may replace the
    /// folder: both are this crate's to make (RUN-06). Above, a sticky bit keeps others from that.
    fn judge_folders(&mut self, around: Surroundings<'_>) {
        for (above, folder) in around.path.ancestors().skip(1).take(2).enumerate() {
            let Ok(found) = around.files.metadata(folder) else { continue };
            let is_kept = above > 0 && found.mode & STICKY != 0;
            if found.mode & OTHERS_MAY_WRITE != 0 && !is_kept {
                self.say(writable_by_others("folder-writable-by-others", folder));
            }
        }
    }

    /// The id file alone is authoritative: what stands beside it can only add a report (RUN-35).
    fn judge_machine(&mut self, around: Surroundings<'_>, id: &RunnerId) {
        let sidecar = sidecar_of(around.path);
        let recorded = match read_small(around.files, &sidecar, Links::Refuse) {
            Ok(None) => return,
            Ok(Some(file)) => file.bytes,
            Err(error) => return self.say(unusable_fingerprint(&sidecar, &error)),
        };
        let Some(current) = Fingerprint::take(around.machine, id) else { return };
        match compare(&recorded, id, current) {
            Some(check) => self.machine = check,
            None => self.say(unusable_fingerprint(&sidecar, &"it holds none")),
        }
        if matches!(self.machine, MachineCheck::Cloned { .. }) {
            let message = "the runner id was made on another machine; keep it if this machine took that \
                           one's place, else regenerate it";
            self.say(Diagnostic::warning("runner-id-cloned", message).in_file(around.path));
        }
    }

    /// A value first, an event second.
    fn say(&mut self, diagnostic: Diagnostic) {
        tracing::warn!(code = diagnostic.code(), "{diagnostic}");
        self.diagnostics.push(diagnostic);
    }
}

/// The fingerprint's file, beside the id's.
fn sidecar_of(path: &Path) -> PathBuf {
    path.with_added_extension(FINGERPRINT_EXTENSION)
}

fn writable_by_others(code: &'static str, path: &Path) -> Diagnostic {
    let message = "others than its owner may write it, and so choose this runner's id; take that right away";
    Diagnostic::warning(code, message).in_file(path)
}

fn unusable_fingerprint(path: &Path, why: &dyn fmt::Display) -> Diagnostic {
    let message = format!("no machine fingerprint, so a clone would go unseen: {why}");
    Diagnostic::note("machine-fingerprint-unusable", message).in_file(path)
}
