//! Command line of proto-dissect.
fn main() {}
