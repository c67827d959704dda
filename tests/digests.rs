//! Digests of the trees of every sample, whole and damaged, of outputs, and of explored conversations. A changed line shows that some
//! result differs; the golden texts, the unit tests and other programs show what is right.

use crate::common::{Hash, assert_golden_cases, digest, own_cases, samples};
use proto_dissect::engine::Engine;
use proto_dissect::input::{Capture, Frame};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Dissection, Tree, dump};
use std::fs;
use std::path::Path;

/// Damaged copies of a sample. In each, every fourth frame has one changed byte or is truncated.
const COPIES: usize = 16;

/// One of so many cases is run by tests that are not thorough.
const SHARE: usize = 12;

/// Conversations that are explored without their dissectors.
const EXPLORED: &[(&str, &str)] = &[
    ("games.pcap", "udp/0"),
    ("http.pcap", "tcp/1"),
    ("layers.pcap", "udp/0"),
    ("neighbours.pcap", "tcp/0"),
    ("neighbours.pcap", "tcp/4"),
    ("pipboy.pcap", "tcp/0"),
    ("quic.pcap", "udp/0"),
    ("runescape.pcap", "tcp/0"),
    ("servers.pcap", "tcp/2"),
    ("talk.pcap", "udp/0"),
    ("tls.pcap", "tcp/1"),
    ("tools.pcap", "udp/1"),
    ("torrents.pcap", "udp/1"),
    ("vcmp-rel006.pcap", "udp/0"),
    ("vscp.pcap", "tcp/3"),
    ("windows.pcap", "tcp/1"),
    ("xfire.pcap", "tcp/0"),
    ("xfire.pcap", "udp/1"),
];

/// What a sample was dissected into.
struct Digest {
    fields: usize,
    notes: usize,
    /// Of all dumps.
    hash: Hash,
}

impl Digest {
    fn new() -> Digest {
        Digest { fields: 0, notes: 0, hash: Hash::new() }
    }

    fn add(&mut self, tree: &Tree, bytes: &[u8]) {
        self.fields += tree.nodes.len();
        self.notes += tree.notes.len();
        self.hash.add(&dump(Dissection { tree, bytes }));
    }
}

/// Dissects a sample whose frames `damage` changes.
fn dissect(sample: &str, digest: &mut Digest, damage: impl Fn(usize, &mut Vec<u8>)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let mut capture = Capture::open(Box::new(fs::File::open(path).unwrap())).unwrap();
    let mut engine = Engine::complete(Registry::default());
    let mut number = 0;
    while let Some(frame) = capture.next_frame().unwrap() {
        let mut bytes = frame.bytes.to_vec();
        damage(number, &mut bytes);
        number += 1;
        let tree = engine.dissect(&Frame { bytes: &bytes, ..frame });
        digest.add(tree, &bytes);
    }
    while let Some(tree) = engine.finish() {
        digest.add(tree, &[]);
    }
}

/// Changes a byte behind the first third of a frame, or truncates the frame there.
fn damage(copy: usize, number: usize, bytes: &mut Vec<u8>) {
    if !(number + copy).is_multiple_of(4) || bytes.len() < 3 {
        return;
    }
    let (first, seed) = (bytes.len() / 3, (number * COPIES + copy) * 7919);
    let at = first + seed % (bytes.len() - first);
    // Every frame gets each kind of damage.
    match copy / 4 % 4 {
        0 => bytes[at] ^= 1 << (seed % 8),
        1 => bytes[at] = bytes[at].wrapping_add(1),
        2 => bytes[at] = 0xff,
        _ => bytes.truncate(at),
    }
}

#[test]
fn samples_are_dissected_as_before() {
    let mut rows = Vec::new();
    for name in own_cases(samples(), 0, SHARE) {
        let (mut whole, mut damaged) = (Digest::new(), Digest::new());
        dissect(&name, &mut whole, |_, _| {});
        for copy in 0..COPIES {
            dissect(&name, &mut damaged, |number, bytes| damage(copy, number, bytes));
        }
        for (copies, Digest { fields, notes, hash }) in [("whole", whole), ("damaged", damaged)] {
            rows.push(format!("{name} {copies} {fields} {notes} {:016x}\n", hash.0));
        }
    }
    assert_golden_cases("digests.txt", "sample copies fields notes digest\n", &rows);
}

/// Compares a table with a row for each case. Tests that are not thorough run one of `SHARE` cases.
fn assert_table<T>(name: &str, heading: &str, cases: &[T], row: impl Fn(&T) -> String) {
    let rows: Vec<String> = own_cases(cases, 0, SHARE).map(|case| row(case) + "\n").collect();
    assert_golden_cases(name, heading, &rows);
}

/// Compares the outputs of `explore` for each conversation.
fn assert_explored(name: &str, output: &str) {
    assert_table(name, "sample conversation lines digest\n", EXPLORED, |(sample, conversation)| {
        let path = format!("samples/{sample}");
        format!("{sample} {conversation} {}", digest(&["explore", &path, "-s", conversation, output]))
    });
}

#[test]
fn conversations_are_explored_as_before() {
    assert_explored("digests-explore.txt", "--json");
}

#[test]
fn descriptions_are_generated_as_before() {
    assert_explored("digests-ksy.txt", "--ksy");
}

/// Questions about messages and values: sample, conversation, arguments.
const QUESTIONS: &[(&str, &str, &[&str])] = &[
    ("pipboy.pcap", "tcp/0", &["--type", "s2c/03", "--at", "5"]),
    ("pipboy.pcap", "tcp/0", &["--find", "100", "--messages", "100"]),
    ("pipboy.pcap", "tcp/0", &["--find-change", "1..2"]),
    ("servers.pcap", "tcp/2", &["--type", "c2s/dd070000", "--at", "-4"]),
    ("windows.pcap", "tcp/1", &["--find", "1.5"]),
    ("xfire.pcap", "tcp/0", &["--find", "name"]),
];

#[test]
fn questions_are_answered_as_before() {
    let heading = "lines digest sample conversation question\n";
    assert_table("digests-questions.txt", heading, QUESTIONS, |(sample, conversation, question)| {
        let path = format!("samples/{sample}");
        let found = digest(&[&["explore", &path, "-s", conversation], *question].concat());
        format!("{found} {sample} {conversation} {}", question.join(" "))
    });
}

/// Output formats of all samples.
const OUTPUTS: &[&[&str]] = &[
    &["-V"],
    &["-l"],
    &["-l", "--packets", "--hex-dump"],
    &["--json"],
    &["--json", "--packets"],
    &["-T", "flat"],
    &["-T", "nested", "--packets"],
    &["stats", "--json"],
    &["stats", "-V", "-z", "time", "-z", "transfers", "-z", "health", "-z", "coverage", "-z", "expert", "-z", "io,phs"],
    &["stats", "-z", "plen,tree", "-z", "http,tree", "-z", "dns,tree", "-z", "rs,tree", "-z", "hosts", "-z", "rtp,streams"],
    &["stats", "-z", "io,stat,1,tcp,udp", "-z", "conv,eth", "-z", "conv,ip", "-z", "endpoints,udp", "-z", "expert,warn"],
];

/// Output formats of [`FEW`] samples.
const LARGE_OUTPUTS: &[&[&str]] =
    &[&["-T", "html"], &["-T", "jsonraw"], &["-T", "pdml"], &["-T", "ek"], &["-T", "html", "--packets"], &["-T", "psml"]];

const FEW: &[&str] = &["accounts.pcap", "http.pcap", "layers.pcap", "queries.pcap", "servers.pcap", "tls.pcap"];

/// Other tasks.
const TASKS: &[&str] = &[
    "diff samples/pipboy.pcap samples/pipboy-damaged.pcap",
    "diff samples/pipboy.pcap samples/pipboy-ipv6.pcapng -v",
    "diff samples/vscp.pcap samples/vscp-damaged.pcap --json",
    "diff samples/vscp.pcap samples/vscp-midstream.pcap --ignore time,id,counter",
    "diff samples/vcmp-0471.pcap samples/vcmp-rel006.pcap",
    "diff samples/runescape.pcap samples/runescape-cache.pcap",
    "diff samples/xfire.pcap samples/xfire-packets.pcap",
    "diff samples/talk.pcap samples/queries.pcap --json",
    "diff samples/windows.pcap -s tcp/0,tcp/1",
    "diff samples/http.pcap --number 3,12",
    "follow samples/windows.pcap",
    "follow samples/vscp.pcap --json",
    "follow samples/http.pcap -s tcp/0 -T yaml",
    "follow samples/xfire.pcap -s tcp/0 -T hex",
    "follow samples/tls.pcap -s tcp/0 -T carray",
    "objects samples/http.pcap --json",
    "objects samples/pipboy.pcap",
    "explore samples/pipboy.pcap -s tcp/0",
    "explore samples/xfire.pcap -s tcp/0 --type c2s/0003",
    "explore samples/servers.pcap -s tcp/2 --top 20",
    "explore samples/torrents.pcap -s udp/1 --messages 2",
    "explore samples/vcmp-rel006.pcap -s udp/0",
];

#[test]
fn tasks_have_the_same_results_as_before() {
    assert_table("digests-tasks.txt", "lines digest arguments\n", TASKS, |task| {
        format!("{} {task}", digest(&task.split(' ').collect::<Vec<_>>()))
    });
}

#[test]
fn outputs_are_as_before() {
    let all = samples();
    let few: Vec<String> = FEW.iter().map(|name| (*name).to_owned()).collect();
    let paths = |names: &[String]| names.iter().map(|name| format!("samples/{name}")).collect::<Vec<_>>();
    let of_all = OUTPUTS.iter().map(|output| (*output, paths(&all)));
    let cases: Vec<_> = of_all.chain(LARGE_OUTPUTS.iter().map(|output| (*output, paths(&few)))).collect();
    assert_table("digests-outputs.txt", "lines digest arguments\n", &cases, |(output, paths)| {
        let arguments: Vec<&str> = output.iter().copied().chain(paths.iter().map(String::as_str)).collect();
        format!("{} {}", digest(&arguments), output.join(" "))
    });
}

/// Files of `samples/ksy`, and a sample of their protocol.
const DESCRIPTIONS: &[(&str, &str)] = &[
    ("a2s_query", "queries.pcap"),
    ("fallout4_pipboy", "pipboy-damaged.pcap"),
    ("modbus_tcp", "tools.pcap"),
    ("mqtt_packets", "neighbours.pcap"),
    ("netcode", "tools.pcap"),
    ("steam_discovery", "queries.pcap"),
    ("vscp", "vscp-damaged.pcap"),
    ("wireguard", "tools.pcap"),
    ("xfire", "xfire.pcap"),
];

#[test]
fn descriptions_dissect_samples_and_become_lua_as_before() {
    let heading = "file sample messages digest lua digest\n";
    assert_table("digests-descriptions.txt", heading, DESCRIPTIONS, |(file, sample)| {
        let (path, sample) = (format!("samples/ksy/{file}.ksy"), format!("samples/{sample}"));
        let (messages, lua) = (digest(&["-k", &path, "--json", &sample]), digest(&["ksy", "lua", &path]));
        format!("{file} {sample} {messages} {lua}")
    });
}
