//! Watertight's project tasks.
fn main() {}
