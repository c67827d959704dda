//! Hostile input for Kaitai Struct files: truncated and mutated bytes give reproducible records, never a panic, and valid output.
//!
//! `KSY_SPECS=../shared/kaitai/tests FUZZ_SECONDS=600 cargo test --test suite ksy::input` takes Kaitai's own specifications and
//! inputs, and `FUZZ_SEED=7` other damage.

use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::ksy;
use proto_dissect::limits;
use proto_dissect::record::{Tally, View};
use proto_dissect::registry::{Assume, Choices, Registry};
use proto_dissect::render::{Json, JsonOptions, Shape};
use proto_dissect::sink::Sink;
use proto_dissect::tree::Dissection;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A small generator, so that a seed gives the same mutations on every machine (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % limit.max(1)
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Files of a directory with this extension, sorted by name.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_file() && path.to_string_lossy().ends_with(ending));
    found.sort();
    found
}

/// A file with suitable inputs.
struct Subject {
    name: String,
    registry: Registry,
    inputs: Vec<Vec<u8>>,
}

fn subject(file: &Path, dirs: &[PathBuf], inputs: Vec<Vec<u8>>) -> Option<Subject> {
    let spec = ksy::load(&[file.to_owned()], dirs).spec?;
    let top = *spec.roots.first()?;
    let protocol = ksy::protocol(&spec, top, None, false);
    let registry = Registry::default().and(Vec::leak(vec![protocol]));
    let registry = registry.choosing(Choices { assume: Assume::Protocol(protocol, None), ..Choices::default() });
    Some(Subject { name: file.display().to_string(), registry, inputs })
}

/// The files of the samples with bytes of their protocols, and Kaitai's own specifications if present.
fn subjects() -> Vec<Subject> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let streams = [
        // An update of Pip-Boy, a packet of Xfire, a section of VSCP, a call of LibRPC, values of RuneScape.
        b"\x0f\x00\x00\x00\x03\x00\x17\x00\x00\x00\x01\x06\x18\x00\x00\x00ab\x00\x00".to_vec(),
        b"\x10\x00\x0d\x00\x01\x04nameX\x02\x07\x00\x00\x00".to_vec(),
        [&[0; 8][..], &[0, 0, 0, 6, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 9, 3]].concat(),
        b"\x00\x00\x00\x40\x46\x00\x00\x00\x0f\x00\x05prints\x00\x05Hello".to_vec(),
        (0..40).collect(),
    ];
    let samples = files(&home.join("samples/ksy"), ".ksy");
    let mut subjects: Vec<Subject> = samples.iter().filter_map(|file| subject(file, &[], streams.to_vec())).collect();
    assert_eq!(subjects.len(), samples.len());
    if let Some(specs) = std::env::var_os("KSY_SPECS").map(PathBuf::from) {
        let dirs = [specs.join("formats/ks_path"), specs.with_file_name("library")];
        let inputs: Vec<Vec<u8>> = files(&specs.join("src"), "").iter().map(|path| std::fs::read(path).unwrap()).collect();
        let formats = files(&specs.join("formats"), ".ksy");
        subjects.extend(formats.iter().filter_map(|file| subject(file, &dirs, inputs.clone())));
        assert!(subjects.len() > 260, "{} files", subjects.len());
    }
    subjects
}

/// The records of some bytes, as JSON.
fn records(registry: Registry, bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    let mut json = Json::new(&mut lines, JsonOptions { shape: Shape::Lines, carriers: false, flush: false });
    let mut engine = Engine::new(registry, json.demand(View::Messages));
    let mut tally = Tally::new(View::Messages);
    let frame = Frame { number: 1, link: Link::Unknown, bytes, ..Frame::default() };
    let of = Dissection { tree: engine.dissect(&frame), bytes };
    assert!(of.tree.nodes.len() <= limits::TREE_NODES.get());
    tally.records(of, true, |record| json.record(&record)).unwrap();
    json.finish().unwrap();
    drop(json);
    lines
}

/// Truncates the bytes, or changes some of them.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const VALUES: [u8; 8] = [0, 1, 2, 4, 0x7f, 0x80, 0xfe, 0xff];
    let mut damaged = bytes.to_vec();
    if random.below(3) == 0 {
        damaged.truncate(random.below(bytes.len() + 1));
    }
    for _ in 0..random.below(5) {
        if !damaged.is_empty() {
            let at = random.below(damaged.len());
            damaged[at] = VALUES[random.below(VALUES.len())];
        }
    }
    damaged
}

#[test]
fn damaged_input_gives_valid_records() {
    let subjects = subjects();
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS", 2));
    let mut random = Random(number("FUZZ_SEED", 1) ^ 0x9e37_79b9_7f4a_7c15);
    let mut runs = 0;
    while runs < subjects.len() || Instant::now() < end {
        // Each file is used, however short the time.
        let Subject { name, registry, inputs } = &subjects[runs % subjects.len()];
        runs += 1;
        let bytes = damage(&inputs[random.below(inputs.len())], &mut random);
        if bytes.is_empty() {
            continue;
        }
        let start = Instant::now();
        let lines = records(*registry, &bytes);
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: it took {:?} for {bytes:02x?}", start.elapsed());
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut reader = serde_json::Deserializer::from_slice(line);
            let record: Result<Value, _> = serde::Deserialize::deserialize(&mut reader);
            let record = match record {
                Ok(record) => record,
                // In recursive types, objects nest deeper than this reader supports.
                Err(error) if error.to_string().contains("recursion limit") => continue,
                Err(error) => panic!("{name}: {error} in {} bytes of JSON for {bytes:02x?}", line.len()),
            };
            let notes = record["notes"].to_string();
            assert!(!notes.contains("dissect.bug"), "{name}: {notes} for {bytes:02x?}");
            assert_eq!(record["len"].as_u64(), u64::try_from(bytes.len()).ok(), "{name}: {record}");
        }
        assert_eq!(lines, records(*registry, &bytes), "{name}: other records for the same {bytes:02x?}");
    }
}
