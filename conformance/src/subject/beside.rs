//! What a subject writes beside its answers: to standard error, and to the folder that is its own.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use tempfile::NamedTempFile;
use walkdir::WalkDir;

use super::Fault;

/// The most that one answer, or what stands beside it, may be.
pub(super) const LARGEST_ANSWER: u64 = 4 * 1024 * 1024;

/// What a subject writes to standard error.
pub(super) struct Errors {
    file: File,
    /// The last line so far: a value may stand in two parts of it.
    half: Vec<u8>,
}

impl fmt::Debug for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a subject writes may hold a value.
        f.write_str("Errors")
    }
}

impl Errors {
    /// Where a subject writes, and what it has written. A file and no pipe: what was written before an answer is
    /// there when the answer is.
    pub(super) fn to_a_file() -> io::Result<(File, Self)> {
        // It is gone once nobody has it open. Each has a place of its own in it.
        let file = NamedTempFile::new()?;
        Ok((file.reopen()?, Self { file: file.reopen()?, half: Vec::new() }))
    }

    /// Whether more stands in what was not read yet than may.
    pub(super) fn are_too_many(&mut self) -> bool {
        let (read, all) = (self.file.stream_position(), self.file.metadata());
        matches!((read, all), (Ok(read), Ok(all)) if all.len().saturating_sub(read) > LARGEST_ANSWER)
    }

    /// What is new, together with the line it goes on.
    pub(super) fn drain(&mut self) -> Result<Option<String>, Fault> {
        let mut bytes = std::mem::take(&mut self.half);
        let before = bytes.len();
        // One more than allowed, so that too much is seen.
        let read = Read::by_ref(&mut self.file).take(LARGEST_ANSWER + 1).read_to_end(&mut bytes);
        if read.is_err() || bytes.len() as u64 > LARGEST_ANSWER {
            return Err(Fault::Flooded);
        }
        let half = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.half = bytes.get(half..).unwrap_or_default().to_vec();
        Ok((bytes.len() > before).then(|| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Whether more lies in a folder than may.
pub(super) fn fills(folder: &Path) -> bool {
    let files = WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    let sizes = files.map(|entry| entry.metadata().map_or(0, |metadata| metadata.len()));
    sizes.sum::<u64>() > LARGEST_ANSWER
}

/// Names and contents of what lies in a folder.
pub(super) fn left_behind(folder: &Path) -> Result<Option<String>, Fault> {
    let mut text = String::new();
    for entry in WalkDir::new(folder).min_depth(1).into_iter().flatten() {
        text.extend([&*entry.file_name().to_string_lossy(), "\n"]);
        if entry.file_type().is_file() {
            let mut contents = Vec::new();
            let file = File::open(entry.path()).map(|file| file.take(LARGEST_ANSWER + 1));
            // What cannot be read cannot be told.
            let _ = file.and_then(|mut file| file.read_to_end(&mut contents));
            text.extend([&*String::from_utf8_lossy(&contents), "\n"]);
        }
        if text.len() as u64 > LARGEST_ANSWER {
            return Err(Fault::Flooded);
        }
    }
    Ok((!text.is_empty()).then_some(text))
}
