//! Messages of DCE/RPC on named pipes.

use super::*;
use crate::tree::{FrameInfo, Receiver, Span, Tree};
use crate::wire::{Cut, trial};

const BIND: &str = "05000b03 10000000 1000 0000 01000000";
const FILE: &str = "01000000000000000700000000000000";

/// Places, pipes and lengths of what a message hands over.
fn handed_over(session: &mut Session, id: u8, (command, flags): (u8, u8), body: &str) -> Vec<(Receiver, u64, usize)> {
    let head = format!("fe534d42 4000 0100 00000000 {command:02x}00 0100 {flags:02x}000000 00000000 {id:02x}00000000000000");
    let bytes = trial::bytes(&format!("{head} fffe0000 01000000 0900000000000000 {} {body}", "00".repeat(16)));
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    let read = session.message(Side::Client, &mut wire);
    PROTOCOL.conclude(&mut wire, read);
    tree.handover.take_payloads().into_iter().map(|payload| (payload.receiver, payload.detail, payload.range.len())).collect()
}

#[test]
fn writes_reads_and_transceive_requests_hand_messages_over() {
    let mut session = Session::default();
    let read = format!("3100 50 00 00040000 0000000000000000 {FILE} 00000000 00000000 00000000 0000 0000 00");
    let answer = format!("1100 50 00 10000000 00000000 00000000 {BIND}");
    // A file of a disk may begin like a message.
    assert_eq!(handed_over(&mut session, 1, (8, 0), &read), []);
    assert_eq!(handed_over(&mut session, 1, (8, 1), &answer), []);

    handed_over(&mut session, 2, (3, 0), "0900 0000 4800 0400 49005000");
    handed_over(&mut session, 2, (3, 1), "1000 02 00 00000000 00000000 ff011f00");
    let write = format!("3100 7000 10000000 0000000000000000 {FILE} 00000000 00000000 0000 0000 00000000 {BIND}");
    assert_eq!(handed_over(&mut session, 3, (9, 0), &write), [(Receiver::Place("pipe"), 7, 16)]);
    assert_eq!(handed_over(&mut session, 4, (8, 0), &read), []);
    assert_eq!(handed_over(&mut session, 4, (8, 1), &answer), [(Receiver::Place("pipe"), 7, 16)]);
    let control = |data: &str| {
        format!("3900 0000 17c01100 {FILE} 78000000 10000000 00000000 00000000 00000000 00100000 01000000 00000000 {data}")
    };
    assert_eq!(handed_over(&mut session, 5, (11, 0), &control(BIND)), [(Receiver::Place("pipe"), 7, 16)]);
    // The rest of a fragment is no message.
    assert_eq!(handed_over(&mut session, 6, (11, 0), &control(&"61".repeat(16))), []);
}

#[test]
fn requests_to_read_a_pipe_are_limited() {
    let mut session = Session::default();
    session.trees.push_back((1, PIPE_SHARE, String::new()));
    let read = format!("3100 50 00 00040000 0000000000000000 {FILE} 00000000 00000000 00000000 0000 0000 00");
    for id in 0..100 {
        handed_over(&mut session, id, (8, 0), &read);
    }
    assert_eq!(session.reads.len(), TREES);
}
