//! RSProx session logs with every packet of the table.

use super::random_packets::{Book, Maker};
use super::round_trip::{compare, framed};
use super::*;
use crate::engine::Engine;
use crate::input::{Capture, Format};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, Ends, dump};
use std::io::Cursor;

/// Packets of the table of OSRS 223.
const ROWS: usize = 232;

/// A logged packet: side, name, record length and shown values.
struct Logged {
    side: Side,
    name: &'static str,
    length: usize,
    shown: Vec<String>,
}

/// A session log with every packet of the table, built from the reference.
fn log(seed: u64) -> (Vec<u8>, Vec<Logged>) {
    let mut file = [&1_u32.to_be_bytes()[..], &223_u32.to_be_bytes(), &1_u32.to_be_bytes(), &[5, 1]].concat();
    file.extend(1_720_000_000_000_u64.to_be_bytes());
    file.extend([1, 45, 0, 0, 0, 3, 7]);
    file.extend(b"world.example\0-\0");
    file.extend([0, 9, 0, 4, 1, 2, 3, 4]);
    file.extend(b"client\0");
    file.extend([0, 0, 0, 2, 0xaa, 0xbb]);
    let book = Book::of("223");
    let mut messages = Vec::new();
    for line in &book.lines {
        let mut random_packets = Maker::new(&book, seed).packet(line);
        let number = random_packets.dice.up_to(20_000) << 1 | usize::from(line.side == SERVER);
        let groups = [14, 7, 0].map(|shift| u8::try_from(number >> shift & 0x7f).unwrap());
        let first = groups.iter().position(|group| *group != 0).unwrap_or(2);
        let last = groups.len() - 1;
        let start = file.len();
        file.extend(groups.iter().enumerate().skip(first).map(|(at, group)| if at < last { group | 0x80 } else { *group }));
        file.extend(framed(line, &random_packets.bytes, true));
        messages.push(Logged { side: line.side, name: line.name, length: file.len() - start, shown: random_packets.shown });
    }
    (file, messages)
}

fn opened(file: &[u8]) -> Result<Capture, String> {
    Capture::open(Box::new(Cursor::new(file.to_vec()))).map_err(|error| error.to_string())
}

#[test]
fn a_session_log_holds_every_packet_of_osrs_223() {
    for seed in 0..16 {
        let (file, messages) = log(seed);
        assert_eq!(messages.len(), ROWS);
        let mut capture = opened(&file).unwrap();
        assert_eq!(capture.format(), Format::RsProx);
        let mut engine = Engine::new(Registry::default(), Demand::EVERYTHING);
        let header = capture.next_frame().unwrap().unwrap();
        let tree = engine.dissect(&header);
        assert!(dump(Dissection { tree, bytes: header.bytes }).contains("rs.log.host = \"world.example\""));
        for Logged { side, name, length, shown } in messages {
            let frame = capture.next_frame().unwrap().unwrap();
            let tree = engine.dissect(&frame);
            let speakers: Vec<Side> =
                tree.layers.iter().filter(|layer| layer.message).map(|layer| speaker(&tree.ends[layer.ends as usize])).collect();
            assert_eq!(speakers, [side], "{name}");
            compare(&dump(Dissection { tree, bytes: frame.bytes }), name, length, &shown).unwrap_or_else(|why| panic!("{why}"));
        }
        assert!(capture.next_frame().unwrap().is_none());
    }
}

fn speaker(ends: &Ends) -> Side {
    ends.stream.unwrap().1
}

#[test]
fn a_truncated_header_or_record_is_noted() {
    let (file, _) = log(223);
    for cut in [30, 60, file.len() - 1] {
        let tree = opened(&file[..cut]).and_then(|mut capture| {
            loop {
                match capture.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error.to_string()),
                }
            }
        });
        assert!(tree.is_err(), "{cut}");
    }
}
