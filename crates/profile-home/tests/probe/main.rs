//! Reads `config.yaml` files one after the other, for tests that must see the process live on.
//!
//! For each path it prints `ok` or the reason of the error, how many milliseconds it took, and the most memory
//! that the process held until then, in KiB, where the system tells. Each file is read on a thread with a stack
//! of 2 MiB.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use watertight_profile_home::parse_config;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        let began = Instant::now();
        let reader = std::thread::Builder::new().stack_size(2 << 20);
        let thread = reader.spawn(move || read(&path))?;
        let answer = thread.join().unwrap_or("panicked");
        writeln!(out, "{answer} {} {}", began.elapsed().as_millis(), most_memory().unwrap_or(0))?;
        out.flush()?;
    }
    Ok(())
}

fn read(path: &Path) -> &'static str {
    match std::fs::read(path) {
        Ok(bytes) => parse_config(&bytes).map_or_else(|error| error.reason(), |_| "ok"),
        Err(_) => "no-file",
    }
}

fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
