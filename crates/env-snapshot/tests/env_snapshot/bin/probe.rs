//! Says in hex what it sees.
fn main() {}
