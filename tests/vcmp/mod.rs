//! Whole datagrams of Vice City: Multiplayer, from UDP to script calls, and those of RakNet only.

mod datagrams;
mod malformed;
mod messages;
mod sessions;
mod shuffled;
mod vectors;

use etherparse::PacketBuilder;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link, Timestamp};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Dissection, Kind, Layer, NodeRef, Tree};
use std::fmt::Write;
use vectors::*;

/// Bytes of the IP and UDP headers: offsets are relative to the datagram.
const HEADERS: u32 = 28;

/// Raw IP.
const RAW: u16 = 101;

type End = ([u8; 4], u16);

const CLIENT: End = ([192, 0, 2, 77], 50_000);
const SERVER: End = ([192, 0, 2, 20], 8192);

/// A sent datagram.
type Sent = (End, End, Vec<u8>);

fn by_client(hex: &str) -> Sent {
    (CLIENT, SERVER, bytes(hex))
}

fn by_server(hex: &str) -> Sent {
    (SERVER, CLIENT, bytes(hex))
}

/// The same between other endpoints, without registered ports.
fn elsewhere((src, dst, bytes): Sent) -> Sent {
    let moved = |(ip, port): End| (ip, if port == 8192 { 40_000 } else { port });
    (moved(src), moved(dst), bytes)
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace().map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// A message in a separate datagram.
fn frame_of(message: &str) -> String {
    let bits = u16::try_from(bytes(message).len() * 8).unwrap().to_be_bytes();
    format!("84 00 00 00 00 {:02x} {:02x} {message}", bits[0], bits[1])
}

/// The trees of the datagrams, sent a second apart, and of pending data at the end.
fn trees(sent: &[Sent]) -> Vec<String> {
    let mut engine = Engine::complete(Registry::default());
    let mut out = Vec::new();
    for (number, (src, dst, payload)) in (1..).zip(sent) {
        let mut packet = Vec::new();
        PacketBuilder::ipv4(src.0, dst.0, 64).udp(src.1, dst.1).write(&mut packet, payload).unwrap();
        let frame = Frame {
            number,
            time: Some(Timestamp { seconds: i64::try_from(number).unwrap(), nanos: 0 }),
            link: Link::Type(RAW),
            bytes: &packet,
            original_len: u32::try_from(packet.len()).unwrap(),
            ..Frame::default()
        };
        out.push(outlined(engine.dissect(&frame), &packet));
    }
    while let Some(tree) = engine.finish() {
        out.push(outlined(tree, &[]));
    }
    out
}

/// The last of the trees.
fn last(sent: &[Sent]) -> String {
    trees(sent).pop().unwrap()
}

/// The layers above UDP and the notes, one per line. Buffers other than the frame are named by their origin.
fn outlined(tree: &Tree, bytes: &[u8]) -> String {
    let of = Dissection { tree, bytes };
    let mut out = String::new();
    for layer in &tree.layers {
        let top = of.layer_node(layer).unwrap();
        if !["ip", "udp"].contains(&top.field().abbrev) {
            layer_lines(of, layer, top, &mut out);
        }
    }
    for note in &tree.notes {
        let Kind::Note(level) = note.code.kind else { panic!("{:?} is no note", note.code) };
        let (start, end) = shifted(of, note.span);
        let words = tree.generated_text(note.text);
        writeln!(out, "! {} {} at {start}..{end}: {words}", level.word(), note.code.abbrev).unwrap();
    }
    out
}

fn shifted(of: Dissection<'_>, span: proto_dissect::tree::Span) -> (u32, u32) {
    let by = if span.source == 0 && !of.bytes.is_empty() { HEADERS } else { 0 };
    (span.start.saturating_sub(by), span.end.saturating_sub(by))
}

fn layer_lines(of: Dissection<'_>, layer: &Layer, top: NodeRef<'_>, out: &mut String) {
    let (start, end) = shifted(of, top.span());
    write!(out, "{} {start}..{end}", top.field().abbrev).unwrap();
    if top.span().source != 0 {
        write!(out, " of {:?}", how(of.tree, top)).unwrap();
    }
    for words in [of.tree.generated_text(layer.name), &of.tree.info(layer)] {
        if !words.is_empty() {
            write!(out, " | {words}").unwrap();
        }
    }
    writeln!(out, "{}", if layer.message { "" } else { " (carries)" }).unwrap();
    top.children().for_each(|child| node_lines(of, child, 1, out));
}

fn how(tree: &Tree, node: NodeRef<'_>) -> &'static str {
    match tree.source(node.span()).unwrap().origin {
        proto_dissect::tree::Origin::Derived(derived) => derived.method,
        _ => "",
    }
}

fn node_lines(of: Dissection<'_>, node: NodeRef<'_>, depth: usize, out: &mut String) {
    write!(out, "{:indent$}", "", indent = depth * 2).unwrap();
    if node.span().is_somewhere() {
        let (start, end) = shifted(of, node.span());
        write!(out, "{start}..{end} ").unwrap();
    }
    out.push_str(node.field().abbrev);
    let mut value = String::new();
    node.write_value(&mut value).unwrap();
    if !value.is_empty() {
        write!(out, " = {value}").unwrap();
    }
    if let Some(name) = node.name() {
        write!(out, " ({name})").unwrap();
    }
    out.push('\n');
    node.children().for_each(|child| node_lines(of, child, depth + 1, out));
}
