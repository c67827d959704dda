#![no_main]
#[path = "../checks/mod.rs"]
mod checks;
#[path = "../cost.rs"]
mod cost;

/// Microseconds for each byte: messages of six bytes, each with its notes, in segments and as a whole.
const PER_BYTE: u32 = 400;

libfuzzer_sys::fuzz_target!(|input: &[u8]| cost::limited(input, PER_BYTE, checks::targets::conversation));
