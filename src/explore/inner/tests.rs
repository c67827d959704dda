//! Elements inside datagrams and frames: examples.

use super::super::side::{Segment, Side};
use super::*;
use crate::tree::{self, StreamId, Transport};

/// What is inside these datagrams of one side.
fn inside(datagrams: &[Vec<u8>]) -> Option<(Inside, Vec<usize>)> {
    let sides = [side(datagrams)];
    let explored = super::super::framed(&sides, &super::super::Options::default());
    let found = explored.inside?;
    let starts = found.starts(&sides, 0, &explored.outer);
    Some((found, starts))
}

fn run(datagrams: &[Vec<u8>]) -> Option<Inner> {
    inside(datagrams).map(|(inside, _)| match inside {
        Inside::Run(run) => run,
        Inside::Fragments(_) => panic!("fragments"),
    })
}

fn side(datagrams: &[Vec<u8>]) -> Side {
    let mut side = Side::new(StreamId { transport: Transport::Udp, number: 0 }, tree::Side::Client);
    for (order, bytes) in datagrams.iter().enumerate() {
        side.segments.push(Segment { at: side.bytes.len(), is_turn: true, is_pushed: false, time: 0, order, frame: 1 });
        side.bytes.extend(bytes);
    }
    side
}

/// Datagrams of 1 to 3 elements of `kind | length | bytes` behind a header, and short ones of a handshake.
fn datagrams(header: usize, handshakes: usize) -> Vec<Vec<u8>> {
    let mut all = vec![vec![0xee; 2]; handshakes];
    for number in 0..20_u8 {
        let mut bytes = vec![number.wrapping_mul(37); header];
        for element in 0..=number % 3 {
            let body = vec![number ^ 0x5a; usize::from(number * 7 % 11 + element)];
            bytes.extend([element, 0, u8::try_from(body.len()).unwrap()]);
            bytes.extend(body);
        }
        all.push(bytes);
    }
    all
}

#[test]
fn elements_that_fill_datagrams_are_found() {
    let found = |header: usize, handshakes: usize| run(&datagrams(header, handshakes)).unwrap();
    assert_eq!(found(0, 0).to_string(), "a run of length@1:u16be+3");
    let behind = found(5, 0);
    assert_eq!(behind.to_string(), "after 5 bytes a run of length@1:u16be+3");
    assert_eq!((behind.elements, behind.datagrams, behind.of), (39, 20, 20));
    let with_others = found(0, 3);
    assert_eq!((with_others.datagrams, with_others.of, with_others.others), (20, 23, vec![2]));
}

#[test]
fn one_element_in_each_datagram_is_a_length_of_datagrams() {
    let one: Vec<Vec<u8>> = (0..30_u8).map(|number| [vec![1, 0, number], vec![number; usize::from(number)]].concat()).collect();
    assert_eq!(run(&one), None);
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [.., high] = state.to_le_bytes();
        high
    };
    let random: Vec<Vec<u8>> = (0..60).map(|number| (0..20 + number % 9).map(|_| next()).collect()).collect();
    assert_eq!(run(&random), None);
}

#[test]
fn the_number_of_elements_is_named() {
    let with_count = |mut bytes: Vec<u8>, number: usize| {
        bytes[4] = u8::try_from(number % 3 + 1).unwrap();
        bytes
    };
    let all: Vec<Vec<u8>> = datagrams(5, 0).into_iter().enumerate().map(|(number, bytes)| with_count(bytes, number)).collect();
    assert_eq!(run(&all).unwrap().to_string(), "after 5 bytes a run of length@1:u16be+3, counted at 4:u8");
}

/// Messages of 1 to 4 parts, each behind `sequence number | message | part | parts`.
fn fragments(first: u8, big: bool) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for message in 0..30_u16 {
        let count = [1, 1, 3, 1, 2, 4][usize::from(message) % 6];
        for part in 0..count {
            let sequence = u16::try_from(all.len()).unwrap().wrapping_mul(3);
            let mut bytes = sequence.to_be_bytes().to_vec();
            bytes.extend((300 + message).to_le_bytes());
            let (part, count) = (u16::from(part + first), u16::from(count));
            bytes.extend(
                if big { [part.to_be_bytes(), count.to_be_bytes()] } else { [part.to_le_bytes(), count.to_le_bytes()] }.concat(),
            );
            bytes.extend([u8::try_from(part ^ 0x35 ^ message).unwrap(); 21]);
            all.push(bytes);
        }
    }
    all
}

#[test]
fn fragments_are_found_by_part_and_number_of_parts() {
    for (first, big, expected) in [
        (0, false, "fragments: part at 4:u16le of 6:u16le, message 2:u16le"),
        (1, false, "fragments: part at 4:u16le of 6:u16le, message 2:u16le"),
        (0, true, "fragments: part at 4:u16be of 6:u16be, message 2:u16le"),
    ] {
        let all = fragments(first, big);
        let (found, starts) = inside(&all).unwrap();
        let Inside::Fragments(found) = found else { panic!("{found:?}") };
        assert_eq!((found.to_string().as_str(), found.first), (expected, u64::from(first)));
        assert_eq!((found.messages, found.several, found.header), (30, 15, 8));
        assert_eq!(starts.len(), 30);
        assert_eq!(&starts[..4], [8, 29 + 8, 2 * 29 + 8, 5 * 29 + 8]);
    }
}

#[test]
fn counters_and_whole_messages_are_no_fragments() {
    let mut all = fragments(0, false);
    all.retain(|bytes| bytes[6] == 1);
    assert_eq!(inside(&all), None);
    let counted: Vec<Vec<u8>> = (0..60_u8).map(|at| vec![at, 60, 7, at ^ 0x55, 1, 2, 3]).collect();
    assert_eq!(inside(&counted), None);
    // A counter that begins at zero, behind a constant.
    let many: Vec<Vec<u8>> = (0..90_u8).map(|at| vec![200, at, at ^ 0x55, at.wrapping_mul(91), 3]).collect();
    assert_eq!(inside(&many), None);
}
