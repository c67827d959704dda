//! The fuzz targets as functions of bytes: what `fuzz_targets/` and `tests/fuzzed.rs` run.

use super::input::Input;
use super::stream::Conversation;
use super::{Owned, described, everything, forms, pages, stream, unknown};
use proto_dissect::filter::Filter;
use proto_dissect::input::{Capture, InputFormat, Link, Options};
use proto_dissect::keys::{KeyRing, Owner};
use proto_dissect::record::View;
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Side, StreamId, Timestamp, Transport};
use proto_dissect::wire::ValueKind;
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

/// Frames of an input that are dissected; all are read. What frames say is the matter of other targets.
const FRAMES: usize = 12;

/// A target: its name and what it runs.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const ALL: [Target; 12] = [
    ("frame", frame),
    ("stream", conversation),
    ("container", container),
    ("hex", hex),
    ("filter", filter),
    ("keys_and_tables", keys_and_tables),
    ("ksy_file", described::file),
    ("ksy_bytes", described::bytes),
    ("ksy_session", described::session),
    ("explore", unknown::conversation),
    ("notes", pages::notes),
    ("html", html),
];

/// Frames of any link type: for each two bytes of link type, one of flags, two of length, then its bytes.
pub fn frame(input: &[u8]) {
    everything(&frames(input), Registry::default());
}

/// The same frames as a page.
pub fn html(input: &[u8]) {
    let view = if input.len().is_multiple_of(2) { View::Messages } else { View::Packets };
    pages::html(&frames(input), view);
}

fn frames(input: &[u8]) -> Vec<Owned> {
    let mut input = Input(input);
    let mut frames = Vec::new();
    while !input.is_empty() && frames.len() < 8 {
        let (link, flags, len) = (input.short(), input.byte(), usize::from(input.short()));
        let bytes = input.take(len).to_vec();
        let link = match flags & 3 {
            0 | 1 => Link::Type(link % 300),
            2 => Link::Unknown,
            _ => Link::Stream(if flags & 4 == 0 { Side::Client } else { Side::Server }),
        };
        let mut frame = Owned::new(frames.len() as u64 + 1, link, bytes);
        frame.original_len += u32::from(flags >> 4) * 16;
        frames.push(frame);
    }
    frames
}

/// A TCP conversation.
pub fn conversation(input: &[u8]) {
    let conversation = Conversation::of(input);
    everything(&conversation.frames(), conversation.registry());
    stream::check_cuts(&conversation);
}

/// A capture file of any format, compressed or not.
pub fn container(input: &[u8]) {
    let found = read(input, Options::default(), &[]);
    read(input, Options { format: Some(InputFormat::Pcap), ..Options::default() }, &found);
}

/// Hex text in any dialect.
pub fn hex(input: &[u8]) {
    let mut found = Vec::new();
    for format in [None, Some(InputFormat::Hex), Some(InputFormat::Follow)] {
        found = read(input, Options { format, ..Options::default() }, &found);
    }
}

/// Reads all frames and dissects the first ones, unless the same frames were dissected before.
fn read(input: &[u8], options: Options, before: &[Owned]) -> Vec<Owned> {
    let Ok(mut capture) = Capture::open_with(Box::new(Cursor::new(input.to_vec())), options) else { return Vec::new() };
    let _ = capture.explain();
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = capture.next_frame() {
        if frames.len() < FRAMES {
            frames.push(Owned::of(&frame));
        }
    }
    if frames != before {
        everything(&frames, Registry::default());
    }
    frames
}

/// A display filter: its written form means the same, and it prints the same whether it decides early or late.
pub fn filter(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let registry = Registry::default();
    match Filter::parse(text, registry) {
        Ok(filter) => {
            let written = filter.to_string();
            let again = Filter::parse(&written, registry).unwrap_or_else(|mistake| panic!("{written:?} of {text:?}: {mistake}"));
            assert_eq!(written, again.to_string(), "{text:?} has no stable written form");
            forms::check_filter(specimen(), registry, &written);
        }
        Err(mistake) => assert!(!mistake.to_string().is_empty()),
    }
}

/// Some frames of each sample, for filters.
fn specimen() -> &'static [Owned] {
    static FRAMES: OnceLock<Vec<Owned>> = OnceLock::new();
    FRAMES.get_or_init(|| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("samples").is_dir());
        let mut paths: Vec<_> = std::fs::read_dir(folder.expect("the project").join("samples")).unwrap().flatten().collect();
        paths.sort_by_key(std::fs::DirEntry::path);
        let mut frames = Vec::new();
        for path in paths.iter().map(std::fs::DirEntry::path).filter(|path| path.extension().is_some_and(|name| name == "pcap")) {
            let mut capture = Capture::open(Box::new(std::fs::File::open(path).unwrap())).unwrap();
            let ethernet = capture.links() == [1];
            for _ in 0..3 {
                let Ok(Some(frame)) = capture.next_frame() else { break };
                if ethernet || frame.link == Link::Type(1) {
                    let number = frames.len() as u64 + 1;
                    frames.push(Owned { number, ..Owned::of(&frame) });
                }
            }
        }
        assert!(frames.len() > 20);
        frames
    })
}

/// A key file (`--keys`): a refusal has a reason and a line, and the end of the last line changes nothing.
fn key_file(text: &[u8]) {
    let read = |text: &[u8]| KeyRing::parse(Path::new("keys"), text);
    let ended = [text, b"\n"].concat();
    match (read(text), read(&ended)) {
        (Ok(keys), Ok(ended)) => {
            assert_eq!(keys.unserved(), ended.unserved());
            let stream = StreamId { transport: Transport::Tcp, number: 0 };
            for first in [None, Some(Timestamp { seconds: 1_700_000_000, nanos: 0 })] {
                let owner = Owner { stream, ends: Some([([192, 0, 2, 1], 1).into(), ([192, 0, 2, 2], 2).into()]), first };
                for line in keys.unserved() {
                    assert_eq!(keys.find(&line.protocol, &line.name, &owner), ended.find(&line.protocol, &line.name, &owner));
                }
            }
        }
        (Err(one), Err(other)) => assert!(one == other && !one.message.is_empty(), "{one} {other}"),
        (one, other) => panic!("{one:?} {other:?}"),
    }
}

/// Key files, tables of packets and other settings: each check accepts or rejects, and key logs inside captures are learned.
pub fn keys_and_tables(input: &[u8]) {
    let mut cursor = Input(input);
    let which = usize::from(cursor.byte());
    let settings: Vec<_> = Registry::default().protocols().flat_map(|protocol| protocol.settings).collect();
    let checks: Vec<_> = settings
        .iter()
        .filter_map(|setting| match setting.takes {
            ValueKind::Checked(check) | ValueKind::CheckedFile(check) | ValueKind::Secrets(check) => Some(check),
            _ => None,
        })
        .collect();
    if let (Ok(text), Some(check)) = (std::str::from_utf8(cursor.0), checks.get(which % checks.len().max(1))) {
        let refusal = check(text).err();
        assert!(refusal.is_none_or(|invalid| !invalid.message.is_empty()), "a setting is refused without a reason");
    }
    key_file(cursor.0);
    let secrets = cursor.0.to_vec();
    let mut frames: Vec<Owned> = specimen().iter().take(4).cloned().collect();
    if let Some(first) = frames.first_mut() {
        first.secrets = secrets;
    }
    everything(&frames, Registry::default());
}
