//! Conversations of samples by side, and segments that transport them again.

use etherparse::PacketBuilder;
use proptest::sample::Index;
use proto_dissect::engine::Engine;
use proto_dissect::follow::{Event, Follower};
use proto_dissect::input::{Capture, Frame, Link};
use proto_dissect::record::{Record, Tally, View};
use proto_dissect::registry::Registry;
use proto_dissect::tree::{Demand, Dissection, Side, StreamId, Transport};
use std::convert::Infallible;
use std::fs::File;
use std::path::Path;

/// Sequence number of the first byte of a side: it wraps soon.
const START: u32 = 0xffff_f000;

/// The bytes of both sides of a TCP stream in a sample, the client first.
pub fn sides(sample: &str, stream: u32) -> [Vec<u8>; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let mut capture = Capture::open(Box::new(File::open(path).unwrap())).unwrap();
    let mut engine = Engine::new(Registry::default(), Demand::STREAM_BYTES);
    let mut follower = Follower::new(Some(StreamId { transport: Transport::Tcp, number: stream }));
    let mut sent = [Vec::new(), Vec::new()];
    while let Some(frame) = capture.next_frame().unwrap() {
        let of = Dissection { tree: engine.dissect(&frame), bytes: frame.bytes };
        let result: Result<(), Infallible> = follower.collect(of, true, |event| {
            let Event::Payload(words) = event else { panic!("bytes are missing in a sample") };
            sent[words.side.index()].extend_from_slice(words.bytes);
            Ok(())
        });
        let Ok(()) = result;
    }
    sent
}

/// An IP packet with a segment of a side, whose bytes begin at `at`. The port is that of the server.
pub fn segment((side, port): (Side, u16), at: usize, payload: &[u8], syn: bool) -> Vec<u8> {
    let seq = if syn { START.wrapping_sub(1) } else { START.wrapping_add(u32::try_from(at).unwrap()) };
    let (server, client) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let builder = match side {
        Side::Server => PacketBuilder::ipv4(server, client, 64).tcp(port, 5000, seq, 1000),
        Side::Client => PacketBuilder::ipv4(client, server, 64).tcp(5000, port, seq, 1000),
    };
    // Holes before acknowledged bytes are given up, so nothing is acknowledged.
    let builder = if syn { builder.syn() } else { builder };
    let builder = if syn && side == Side::Client { builder } else { builder.ack(START.wrapping_sub(1)) };
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// An IP packet with a datagram of a side. The port is that of the server.
pub fn datagram((side, port): (Side, u16), payload: &[u8]) -> Vec<u8> {
    let (server, client) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let builder = match side {
        Side::Server => PacketBuilder::ipv4(server, client, 64).udp(port, 5000),
        Side::Client => PacketBuilder::ipv4(client, server, 64).udp(5000, port),
    };
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    bytes
}

/// Passes IP packets through an engine and shows each record with all its fields.
pub fn each_record(registry: Registry, packets: &[Vec<u8>], mut show: impl FnMut(Record<'_>)) {
    let mut engine = Engine::complete(registry);
    let mut tally = Tally::new(View::Messages);
    let mut show = |record: Record<'_>| -> Result<(), Infallible> {
        show(record);
        Ok(())
    };
    for (number, bytes) in (1..).zip(packets) {
        let original_len = u32::try_from(bytes.len()).unwrap();
        let frame = Frame { number, link: Link::Type(101), bytes, original_len, ..Frame::default() };
        let Ok(()) = tally.records(Dissection { tree: engine.dissect(&frame), bytes }, true, &mut show);
    }
    while let Some(tree) = engine.finish() {
        let Ok(()) = tally.records(Dissection { tree, bytes: &[] }, false, &mut show);
    }
}

/// Packets with one of them repeated, then with pairs exchanged.
pub fn reordered(mut packets: Vec<Vec<u8>>, swaps: &[(Index, Index)]) -> Vec<Vec<u8>> {
    if let Some((again, _)) = swaps.first() {
        packets.push(packets[again.index(packets.len())].clone());
    }
    for (a, b) in swaps {
        let (a, b) = (a.index(packets.len()), b.index(packets.len()));
        packets.swap(a, b);
    }
    packets
}
