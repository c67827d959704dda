//! What the heuristics say about the streams and datagrams of the samples: truncated, damaged, and captured from the middle.
//!
//! In the golden tables, `s` and `c` name the side that is the server, `y` accepts a datagram, `?` asks for more bytes, and `.` rejects; a
//! number is a count.

use crate::common::sides::sides;
use crate::common::{assert_golden, run, samples};
use proto_dissect::registry::Registry;
use proto_dissect::tree::Side;
use proto_dissect::wire::{DatagramContext, Heuristic, On, Opening, Protocol, Verdict};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bytes of a stream or datagram that are examined one by one.
const MOST: usize = 160;

/// Streams of one protocol.
const STREAMS: usize = 2;

/// Datagrams of one protocol in one sample.
const DATAGRAMS: usize = 4;

/// A heuristic, as what it says about the bytes of both sides.
type Judge<'a> = dyn Fn([&[u8]; 2], [bool; 2], bool) -> char + 'a;

/// Equal letters as a count and a letter.
fn counted(letters: impl Iterator<Item = char>) -> String {
    let mut runs: Vec<(usize, char)> = Vec::new();
    for letter in letters {
        match runs.last_mut() {
            Some((count, last)) if *last == letter => *count += 1,
            _ => runs.push((1, letter)),
        }
    }
    runs.iter().map(|(count, letter)| if *count == 1 { letter.to_string() } else { format!("{count}{letter}") }).collect()
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Yes(Side::Server) => 's',
        Verdict::Yes(Side::Client) => 'c',
        Verdict::Unsure => '?',
        Verdict::No => '.',
    }
}

/// Copies with one changed byte, for each of the first bytes.
fn damaged(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len().min(MOST)).flat_map(|at| {
        [0xff, 1].map(|bits| {
            let mut copy = bytes.to_vec();
            copy[at] ^= bits;
            copy
        })
    })
}

fn stream_lines(table: &mut String, name: &str, judge: &Judge<'_>, [client, server]: [&[u8]; 2]) {
    let both = [client, server];
    let lengths = |bytes: &[u8]| 0..=bytes.len().min(MOST);
    let lines = [
        ("client", counted(lengths(client).map(|end| judge([&client[..end], b""], [true; 2], false)))),
        ("client, complete", counted(lengths(client).map(|end| judge([&client[..end], b""], [true; 2], true)))),
        ("server", counted(lengths(server).map(|end| judge([b"", &server[..end]], [true; 2], false)))),
        ("server, complete", counted(lengths(server).map(|end| judge([b"", &server[..end]], [true; 2], true)))),
        ("client, then server", counted(lengths(server).map(|end| judge([client, &server[..end]], [true; 2], false)))),
        ("sides swapped", counted([false, true].map(|complete| judge([server, client], [true; 2], complete)).into_iter())),
        ("from the middle", counted(lengths(client).map(|start| judge([&client[start..], server], [false; 2], true)))),
        ("damaged client", counted(damaged(client).map(|client| judge([&client, server], [true; 2], true)))),
        ("damaged server", counted(damaged(server).map(|server| judge([client, &server], [true; 2], true)))),
        ("one side from the start", counted([[true, false], [false, true]].map(|from| judge(both, from, true)).into_iter())),
    ];
    for (what, letters) in lines {
        writeln!(table, "{name}, {what}: {letters}").unwrap();
    }
}

/// The heuristics of a protocol, with the places that they belong to.
fn heuristics(protocol: &Protocol) -> impl Iterator<Item = (On, Heuristic)> {
    protocol.found.iter().map(|found| (found.on, found.heuristic))
}

#[test]
fn streams_are_recognized_as_before() {
    let mut table = String::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for sample in samples().iter().filter(|name| !name.contains("damaged") && !name.contains("midstream")) {
        let list = run(&["follow", &format!("samples/{sample}"), "--json"]).out;
        for stream in list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let is_whole = ["c2s", "s2c"].iter().all(|side| stream["missing"][side] == 0);
            let (Some(number), true) = (stream["stream"].as_str().and_then(|name| name.strip_prefix("tcp/")), is_whole) else {
                continue;
            };
            let protocol = stream["protocol"].as_str().unwrap_or_default().to_owned();
            let Some(known) = Registry::default().protocol(&protocol) else { continue };
            let count = counts.entry(protocol.clone()).or_default();
            *count += 1;
            if *count > STREAMS {
                continue;
            }
            let [client, server] = sides(sample, number.parse().unwrap());
            let mut seen: Vec<usize> = Vec::new();
            for (on, heuristic) in heuristics(known) {
                let Heuristic::Stream(recognize) = heuristic else { continue };
                // Ports often share a heuristic.
                if seen.contains(&(recognize as usize)) {
                    continue;
                }
                seen.push(recognize as usize);
                let judge = |sent: [&[u8]; 2], from_start: [bool; 2], complete: bool| {
                    letter(recognize(&Opening { sent, from_start, complete }))
                };
                stream_lines(&mut table, &format!("{protocol} {sample} tcp/{number} {on:?}"), &judge, [&client, &server]);
            }
        }
    }
    assert_golden("heuristics-streams.txt", &table);
}

#[test]
fn datagrams_are_recognized_as_before() {
    let mut table = String::new();
    for sample in samples() {
        let path = format!("samples/{sample}");
        let columns = [
            "--packets",
            "--show-secrets",
            "-T",
            "fields",
            "-e",
            "udp.srcport",
            "-e",
            "udp.dstport",
            "-e",
            "frame.protocols",
            "-e",
            "udp.payload",
        ];
        let rows = run(&[&columns[..], &["-Y", "udp && !icmp", &path]].concat()).out;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (number, row) in rows.lines().enumerate() {
            let cells: Vec<&str> = row.split('\t').collect();
            let [src, dst, protocols, payload] = cells[..] else { panic!("{row}") };
            let Some(protocol) = protocols.split(":udp:").last().and_then(|above| above.split(':').next()) else { continue };
            let (Some(known), false) = (Registry::default().protocol(protocol), payload.is_empty()) else { continue };
            let count = counts.entry(protocol.to_owned()).or_default();
            *count += 1;
            if *count > DATAGRAMS {
                continue;
            }
            let digits: Vec<u32> = payload.split(',').next().unwrap().chars().map(|digit| digit.to_digit(16).unwrap()).collect();
            let bytes: Vec<u8> = digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect();
            let port = |text: &str| text.split(',').next_back().unwrap().parse().unwrap();
            for ports in [Some([port(src), port(dst)]), None] {
                let context = DatagramContext { ports, announced: None };
                let judge = |bytes: &[u8]| {
                    let is_recognized = heuristics(known).any(|(_, heuristic)| match heuristic {
                        Heuristic::Datagram(recognize) => recognize(bytes),
                        Heuristic::InContext(recognize) => recognize(bytes, &context),
                        _ => false,
                    });
                    if is_recognized { 'y' } else { '.' }
                };
                let truncated = counted((0..=bytes.len().min(MOST)).map(|end| judge(&bytes[..end])));
                let changed = counted(damaged(&bytes).map(|bytes| judge(&bytes)));
                let longer = judge(&[&bytes[..], &[0]].concat());
                let with = if ports.is_some() { "ports" } else { "no ports" };
                writeln!(table, "{protocol} {sample} {number}, {with}: {truncated}; damaged {changed}; longer {longer}").unwrap();
            }
        }
    }
    assert_golden("heuristics-datagrams.txt", &table);
}
