#![no_main]
#[path = "../checks/mod.rs"]
mod checks;
#[path = "../cost.rs"]
mod cost;

/// Microseconds for each byte: each of some thousand rules of framing is tried.
const PER_BYTE: u32 = 600;

libfuzzer_sys::fuzz_target!(|input: &[u8]| cost::limited(input, PER_BYTE, checks::unknown::conversation));
