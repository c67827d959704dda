//! RakNet datagrams and LibRPC values per second, each compared with the same bytes as unknown data.

use divan::Bencher;
use divan::counter::ItemsCount;
use etherparse::PacketBuilder;
use proto_dissect::engine::Engine;
use proto_dissect::input::{Frame, Link};
use proto_dissect::registry::Registry;
use proto_dissect::tree::Demand;
use std::hint::black_box;
use std::sync::LazyLock;

/// Datagrams per run.
const DATAGRAMS: u32 = 10_000;

/// Values of a call, limited by the size of a datagram.
const VALUES: u32 = 5_000;

/// Raw IP.
const RAW: u16 = 101;

fn main() {
    divan::main();
}

fn packet(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let written = PacketBuilder::ipv4([192, 0, 2, 20], [192, 0, 2, 77], 64).udp(port, 50_000).write(&mut packet, payload);
    assert!(written.is_ok(), "too long for a datagram");
    packet
}

/// Datagrams of a server, each with a position, the time, and a text.
static SESSION: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let messages: [&[u8]; 3] = [
        b"\x93\x07\x41\xc3\xb5\x40\0\xc4\x04\x10\0\x41\x48\0\0\xc0\0\x80\0\x80\0\x80\0\x11\0\x1e\x64\0",
        b"\xab\0\x01\x1e\x0c\x04",
        b"\xcb\xff\x80\0\0\0\0\0\x07Welcome",
    ];
    let mut number = 0_u32;
    let datagram = |index: u32| {
        let mut payload = vec![0x84];
        payload.extend(index.to_le_bytes().iter().take(3));
        for message in messages {
            let bits = u16::try_from(message.len() * 8).unwrap_or_default();
            payload.push(0x60);
            payload.extend(bits.to_be_bytes());
            payload.extend(number.to_le_bytes().iter().take(3));
            payload.extend(number.to_le_bytes().iter().take(3));
            payload.push(0);
            payload.extend(message);
            number += 1;
        }
        packet(8192, &payload)
    };
    (0..DATAGRAMS).map(datagram).collect()
});

/// A call with values of every type.
static CALL: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let kinds: [&[u8]; 5] = [b"s\0\x05Hello", b"i\x07\0\0\0", b"f\0\0\xc0\x3f", b"b\x01", b"v\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"];
    let values: Vec<u8> = kinds.iter().cycle().take(VALUES as usize).flat_map(|value| value.iter().copied()).collect();
    let size = u32::try_from(values.len() + 6).unwrap_or_default();
    vec![packet(4000, &[&[1, 0, 0, 0x40, b'F'][..], &size.to_be_bytes(), b"\0\x04demo", &values].concat())]
});

fn read(bencher: Bencher<'_, '_>, packets: &[Vec<u8>], items: u32, registry: Registry, demand: Demand) {
    bencher.counter(ItemsCount::new(items)).with_inputs(|| Engine::new(registry, demand)).bench_local_values(|mut engine| {
        for (number, bytes) in (1..).zip(packets) {
            let original_len = u32::try_from(bytes.len()).unwrap_or_default();
            let frame = Frame { number, link: Link::Type(RAW), bytes, original_len, ..Frame::default() };
            black_box(engine.dissect(&frame).layers.len());
        }
        engine
    });
}

#[divan::bench]
fn datagrams_with_fields(bencher: Bencher<'_, '_>) {
    read(bencher, &SESSION, DATAGRAMS, Registry::default(), Demand::EVERYTHING);
}

#[divan::bench]
fn datagrams_with_headings(bencher: Bencher<'_, '_>) {
    read(bencher, &SESSION, DATAGRAMS, Registry::default(), Demand::HEADINGS);
}

#[divan::bench]
fn unrecognized_datagrams(bencher: Bencher<'_, '_>) {
    read(bencher, &SESSION, DATAGRAMS, Registry::of(&[]), Demand::EVERYTHING);
}

#[divan::bench]
fn values_with_fields(bencher: Bencher<'_, '_>) {
    read(bencher, &CALL, VALUES, Registry::default(), Demand::EVERYTHING);
}

#[divan::bench]
fn values_without_fields(bencher: Bencher<'_, '_>) {
    read(bencher, &CALL, VALUES, Registry::default(), Demand::LAYERS);
}
