//! Our crates as a subject over standard input and output, for tests that need a process (CONF-12).

use std::io;

use watertight_conformance::subject::{InProcess, serve};

fn main() -> io::Result<()> {
    serve(&InProcess::new(), io::stdin().lock(), io::stdout().lock())
}
