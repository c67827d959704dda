//! The invariants of the fuzz targets over seeded inputs: mutated samples and mutated mutations.
//!
//! `FUZZ_SECONDS=600 cargo test --test suite fuzzed` runs longer, `FUZZ_SEED=7` uses other mutations.

#[path = "../fuzz/checks/mod.rs"]
mod checks;
#[path = "../fuzz/seeds/mod.rs"]
mod seeds;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// A small generator, so that a seed gives the same inputs on every machine (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit.max(1)
    }
}

fn mutate(input: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(5) {
        let at = random.below(input.len());
        match random.below(7) {
            0 if !input.is_empty() => input[at] ^= 1 << random.below(8),
            1 if !input.is_empty() => input[at] = [0, 1, 0x7f, 0x80, 0xff, b'\n', 0xe2][random.below(7)],
            2 => input.truncate(at),
            3 => input.insert(at.min(input.len()), random.next() as u8),
            4 if !input.is_empty() => drop(input.drain(at..(at + 1 + random.below(8)).min(input.len()))),
            5 if !input.is_empty() => {
                let piece = input[at..(at + random.below(32)).min(input.len())].to_vec();
                input.splice(at..at, piece);
            }
            _ if input.len() > 4 => {
                let at = at.min(input.len() - 4);
                let number = (random.next() as u32) >> random.below(32);
                input[at..at + 4].copy_from_slice(&number.to_be_bytes());
            }
            _ => input.push(random.next() as u8),
        }
    }
}

fn number<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run(target: &str) {
    let (_, run) = checks::targets::ALL.into_iter().find(|(name, _)| *name == target).unwrap();
    let corpus: Vec<Vec<u8>> = seeds::of(target).into_iter().filter(|seed| seed.len() < 4096).collect();
    assert!(!corpus.is_empty(), "{target} has no seeds");
    let usual = if crate::common::is_thorough() { 2.0 } else { 0.4 };
    let end = Instant::now() + Duration::from_secs_f64(number("FUZZ_SECONDS", usual));
    let mut random = Random(number("FUZZ_SEED", 1) ^ 0x9e37_79b9_7f4a_7c15);
    let mut runs = 0;
    // At least one mutation is run, however slow the machine is.
    while runs == 0 || Instant::now() < end {
        let mut input = corpus[random.below(corpus.len())].clone();
        mutate(&mut input, &mut random);
        runs += 1;
        if let Err(reason) = catch_unwind(AssertUnwindSafe(|| run(&input))) {
            let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
            let words = reason.downcast_ref::<String>().map_or("", String::as_str);
            panic!("{target}, run {runs}: {words}\ninput: {hex}");
        }
    }
}

#[test]
fn invariants_hold_for_frames() {
    run("frame");
}

#[test]
fn invariants_hold_for_streams() {
    run("stream");
}

#[test]
fn invariants_hold_for_containers() {
    run("container");
}

#[test]
fn invariants_hold_for_hex_text() {
    run("hex");
}

#[test]
fn invariants_hold_for_filters() {
    run("filter");
}

#[test]
fn invariants_hold_for_keys_and_tables() {
    run("keys_and_tables");
}

#[test]
fn invariants_hold_for_ksy_files() {
    run("ksy_file");
}

#[test]
fn invariants_hold_for_bytes_that_ksy_files_read() {
    run("ksy_bytes");
}

#[test]
fn invariants_hold_for_sessions_of_ksy_files() {
    run("ksy_session");
}

#[test]
fn invariants_hold_for_unknown_conversations() {
    run("explore");
}

#[test]
fn invariants_hold_for_notes_files() {
    run("notes");
}

#[test]
fn invariants_hold_for_pages() {
    run("html");
}

#[test]
fn every_form_is_rendered_for_some_inputs_of_each_view() {
    use proto_dissect::record::View;
    for view in [View::Messages, View::Packets] {
        for form in checks::forms::ALL {
            let marks = (0..1000_u64).filter(|mark| mark % 32 != 0 && checks::forms::of(view, *mark).contains(&form));
            assert!(marks.count() > 90, "{form:?} of {view:?}");
        }
    }
}
