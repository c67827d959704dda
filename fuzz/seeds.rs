//! Writes the first corpus of every target into `fuzz/corpus/`.
#![allow(clippy::unwrap_used, reason = "a generator may")]

#[path = "seeds/mod.rs"]
mod seeds;

use std::fs;
use std::path::Path;

fn main() {
    for target in seeds::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        fs::create_dir_all(&folder).unwrap();
        for (number, seed) in seeds::of(target).iter().enumerate() {
            fs::write(folder.join(format!("sample-{number:04}")), seed).unwrap();
        }
    }
}
