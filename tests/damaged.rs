//! Damage to a real message of every protocol: a frame of the samples is cut behind each byte, and each byte of it is changed.
//! Tests that are not thorough apply one kind of damage to each byte.

use crate::common::{assert_golden_cases, is_thorough, own_cases, samples};
use proto_dissect::engine::Engine;
use proto_dissect::input::{Capture, Frame, Link, Timestamp};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{StreamId, Tree};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Headers of links and tunnels that no capture among the samples has. Unit tests damage them: `layers::trial` does so with each frame.
/// Samples of logs are no captures; `protocols::log` and `input::sniffs` damage them.
const WITHOUT_SAMPLE: &[&str] = &[
    "ah",
    "arcnet",
    "ayiya",
    "capwap",
    "cfp",
    "chdlc",
    "cmd",
    "erspan",
    "etag",
    "exported_pdu",
    "fddi",
    "fr",
    "geneve",
    "gre",
    "gtp",
    "gtpv2",
    "ieee8021ah",
    "ipcomp",
    "ipnet",
    "ipoib",
    "l2tp",
    "log",
    "loop",
    "mpls",
    "nflog",
    "pim",
    "pktap",
    "ppi",
    "ppp",
    "pppoe",
    "pppoed",
    "pppoes",
    "prism",
    "pwach",
    "pweth",
    "radiotap",
    "slarp",
    "teredo",
    "tr",
    "vntag",
    "vxlan",
    "wlancap",
];

/// Protocols whose fields are computed from those of others, or are notes.
const WITHOUT_BYTES: &[&str] = &["dissect", "imf", "ksy", "pipboy.entries", "rs.type"];

/// Files of headers without a unit test by `layers::trial`; samples have these protocols.
const WITHOUT_TRIAL: &[&str] = &["cdp.rs", "eapol.rs", "esp.rs", "mod.rs", "stp.rs", "vrrp.rs"];

/// Frames that are damaged have at most so many bytes where a sample has such frames.
const SHORT: usize = 320;

/// Tests that run side by side.
const PARTS: usize = 4;

/// A frame that outlives its reader.
struct Kept {
    time: Option<Timestamp>,
    link: Link,
    bytes: Vec<u8>,
    secrets: Vec<u8>,
    /// Conversations that it belongs to.
    streams: HashSet<StreamId>,
}

impl Kept {
    fn dissect<'e>(&self, number: usize, bytes: &[u8], engine: &'e mut Engine) -> &'e Tree {
        engine.dissect(&Frame {
            number: number as u64 + 1,
            time: self.time,
            link: self.link,
            bytes,
            secrets: &self.secrets,
            original_len: u32::try_from(self.bytes.len()).unwrap(),
            ..Frame::default()
        })
    }
}

/// A message of a protocol: sample, frame, and how many fields of the protocol the frame has.
#[derive(Clone, Copy)]
struct Seed {
    sample: usize,
    frame: usize,
    fields: usize,
}

struct Samples {
    frames: Vec<Vec<Kept>>,
    /// The seed of each protocol.
    seeds: HashMap<&'static str, Seed>,
}

/// The protocol that each field belongs to.
static OWNERS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let of = |protocol: &proto_dissect::wire::Protocol| {
        let own = protocol.this.abbrev;
        protocol.fields.iter().map(|field| (field.abbrev, own)).collect::<Vec<_>>()
    };
    Registry::default().protocols().flat_map(of).collect()
});

/// How many fields of each protocol a tree has.
fn fields(tree: &Tree) -> HashMap<&'static str, usize> {
    let mut counts = HashMap::new();
    for owner in tree.nodes.iter().filter_map(|node| OWNERS.get(node.field.abbrev)) {
        *counts.entry(*owner).or_default() += 1;
    }
    counts
}

static SAMPLES: LazyLock<Samples> = LazyLock::new(|| {
    let mut all = Samples { frames: Vec::new(), seeds: HashMap::new() };
    for (sample, name) in samples().iter().enumerate() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        let mut capture = Capture::open(Box::new(fs::File::open(path).unwrap())).unwrap();
        let mut engine = Engine::complete(Registry::default());
        let mut kept = Vec::new();
        while let Some(frame) = capture.next_frame().unwrap() {
            let tree = engine.dissect(&frame);
            let len = frame.bytes.len();
            for (protocol, fields) in fields(tree) {
                let is_better = |seed: &Seed| {
                    let known: &Kept = all.frames.get(seed.sample).unwrap_or(&kept).get(seed.frame).unwrap();
                    if len.max(known.bytes.len()) <= SHORT { fields > seed.fields } else { len < known.bytes.len() }
                };
                if all.seeds.get(protocol).is_none_or(is_better) {
                    all.seeds.insert(protocol, Seed { sample, frame: kept.len(), fields });
                }
            }
            let streams = tree.ends.iter().filter_map(|ends| ends.stream.map(|(stream, _)| stream)).collect();
            let (bytes, secrets) = (frame.bytes.to_vec(), frame.secrets.to_vec());
            kept.push(Kept { time: frame.time, link: frame.link, bytes, secrets, streams });
        }
        all.frames.push(kept);
    }
    all
});

/// The earlier frames that a message needs to be recognized: a few of its conversation, all of it, or all.
fn context(protocol: &str, seed: Seed) -> Vec<usize> {
    let frames = &SAMPLES.frames[seed.sample];
    let own: Vec<usize> =
        (0..seed.frame).filter(|place| !frames[*place].streams.is_disjoint(&frames[seed.frame].streams)).collect();
    let last = own.len().saturating_sub(2);
    let few = own.iter().enumerate().filter(|(place, _)| *place < 6 || *place >= last).map(|(_, frame)| *frame).collect();
    let is_enough = |context: &Vec<usize>| {
        let mut engine = opened(frames, context);
        fields(frames[seed.frame].dissect(seed.frame, &frames[seed.frame].bytes, &mut engine)).contains_key(protocol)
    };
    [Vec::new(), few, own, (0..seed.frame).collect()].into_iter().find(is_enough).unwrap()
}

/// An engine that has seen these frames, and the secrets of all.
fn opened(frames: &[Kept], context: &[usize]) -> Engine {
    let mut engine = Engine::complete(Registry::default());
    let secrets: Vec<u8> = frames.iter().flat_map(|frame| frame.secrets.clone()).collect();
    if !secrets.is_empty() {
        engine.dissect(&Frame { secrets: &secrets, ..Frame::default() });
    }
    for place in context {
        frames[*place].dissect(*place, &frames[*place].bytes, &mut engine);
    }
    engine
}

/// What the damaged copies of a message were dissected into.
#[derive(Default)]
struct Tally {
    copies: usize,
    /// Copies that have a field of the protocol.
    recognized: usize,
    fields: usize,
    notes: usize,
}

impl Tally {
    fn add(&mut self, tree: &Tree) {
        self.fields += tree.nodes.len();
        self.notes += tree.notes.len();
    }
}

fn assert_bounded(tree: &Tree, most: usize, place: &str) {
    assert!(tree.nodes.len() <= most, "{place}: {} fields instead of {most}", tree.nodes.len());
    let bug = tree.notes.iter().any(|note| note.code.abbrev == "dissect.bug");
    assert!(!bug, "{place}: the dissector failed");
}

/// The frame of a protocol with each kind of damage at each place. Counts what tests that are not thorough do as well.
fn survive(protocol: &str) -> Tally {
    let seed = SAMPLES.seeds[protocol];
    let (frames, context) = (&SAMPLES.frames[seed.sample], context(protocol, seed));
    let frame = &frames[seed.frame];
    let whole = frame.dissect(seed.frame, &frame.bytes, &mut opened(frames, &context)).nodes.len();
    // A length that was changed may read more of the frame as fields, and a changed type others.
    let most = 16 * whole + 64 * frame.bytes.len();
    let damage = |bytes: &[u8], place: &str, tally: &mut Tally| {
        let mut engine = opened(frames, &context);
        let tree = frame.dissect(seed.frame, bytes, &mut engine);
        assert_bounded(tree, most, place);
        tally.copies += 1;
        tally.recognized += usize::from(fields(tree).contains_key(protocol));
        tally.add(tree);
        while let Some(tree) = engine.finish() {
            assert_bounded(tree, most, place);
            tally.add(tree);
        }
    };
    let (mut tally, mut others) = (Tally::default(), Tally::default());
    for at in 0..frame.bytes.len() {
        for (kind, changed) in [None, Some(0xff), Some(1 << (at % 8))].into_iter().enumerate() {
            let is_counted = (at + kind).is_multiple_of(3);
            if !is_counted && !is_thorough() {
                continue;
            }
            let tally = if is_counted { &mut tally } else { &mut others };
            let (name, number) = (protocol, seed.frame + 1);
            match changed {
                None => damage(&frame.bytes[..at], &format!("{name}, frame {number} cut behind {at} bytes"), tally),
                Some(changed) => {
                    let mut bytes = frame.bytes.clone();
                    bytes[at] ^= changed;
                    damage(&bytes, &format!("{name}, frame {number} with bits {changed:#x} of byte {at} changed"), tally);
                }
            }
        }
    }
    tally
}

/// Damages a part of the protocols, and compares how many copies each protocol still recognizes, with their fields and notes.
fn survive_part(part: usize) {
    let mut protocols: Vec<&str> = SAMPLES.seeds.keys().copied().collect();
    protocols.sort_unstable();
    let row = |protocol: &&str| {
        let Tally { copies, recognized, fields, notes } = survive(protocol);
        format!("{protocol} {copies} {recognized} {fields} {notes}\n")
    };
    let rows: Vec<String> = own_cases(protocols.iter().skip(part).step_by(PARTS), 0, 4).map(row).collect();
    assert_golden_cases(&format!("damaged-{}.txt", part + 1), "protocol copies recognized fields notes\n", &rows);
}

#[test]
fn every_protocol_occurs_in_a_sample() {
    let all = Registry::default().protocols().map(|protocol| protocol.this.abbrev);
    let missing: BTreeSet<&str> = all.filter(|name| !SAMPLES.seeds.contains_key(name)).collect();
    assert_eq!(missing, WITHOUT_SAMPLE.iter().chain(WITHOUT_BYTES).copied().collect());
}

#[test]
fn every_header_without_a_sample_is_damaged_in_unit_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/layers");
    let untried = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).filter(|path| {
        let text = fs::read_to_string(path).unwrap();
        text.contains("Protocol::new(") && !text.contains("trial::layers(") && !text.contains("trial::cut(")
    });
    let untried: BTreeSet<String> = untried.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(untried, WITHOUT_TRIAL.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn the_first_part_of_the_protocols_survives_damage() {
    survive_part(0);
}

#[test]
fn the_second_part_of_the_protocols_survives_damage() {
    survive_part(1);
}

#[test]
fn the_third_part_of_the_protocols_survives_damage() {
    survive_part(2);
}

#[test]
fn the_fourth_part_of_the_protocols_survives_damage() {
    survive_part(3);
}
