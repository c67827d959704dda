#![no_main]
#[path = "../checks/mod.rs"]
mod checks;
#[path = "../cost.rs"]
mod cost;

libfuzzer_sys::fuzz_target!(|input: &[u8]| cost::limited(input, cost::PER_BYTE, checks::described::session));
