//! The command line of proto-dissect.

use std::process::ExitCode;

fn main() -> ExitCode {
    proto_dissect::cli::run().into()
}
