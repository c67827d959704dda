//! Sessions with opcodes in clear, and encrypted ones that must not match.

use super::random_packets::{Book, Dice, Line, Maker};
use super::round_trip::framed;
use super::*;
use crate::wire::isaac::Isaac;

/// Handshake, login and login response.
fn begun(login: &str) -> Vec<(Side, Vec<u8>)> {
    [(CLIENT, V9_SERVICE), (SERVER, V9_ANSWER), (CLIENT, login), (SERVER, V9_IN)]
        .map(|(side, hex)| (side, trial::bytes(hex)))
        .to_vec()
}

/// This many packets of a side with their rows.
fn packets(book: &Book, side: Side, count: usize, seed: u64) -> Vec<(&Line, Vec<u8>)> {
    let round_trip: Vec<&Line> = book.lines.iter().filter(|line| line.side == side).collect();
    let mut dice = Dice(seed);
    (0..count)
        .map(|_| {
            let line = round_trip[dice.up_to(round_trip.len() - 1)];
            (line, framed(line, &Maker::new(book, dice.roll()).packet(line).bytes, book.revision == "223"))
        })
        .collect()
}

fn joined(packets: &[(&Line, Vec<u8>)]) -> Vec<u8> {
    packets.iter().flat_map(|(_, packet)| packet.clone()).collect()
}

/// Names of the packets read.
fn names(trees: &[String]) -> Vec<&str> {
    trees.iter().filter_map(|tree| tree.lines().next()?.split(" | ").nth(1)).collect()
}

#[test]
fn ten_matching_packets_are_accepted() {
    let book = Book::of("317");
    for seed in 0..40 {
        for login in [V10, V11] {
            let messages = packets(&book, SERVER, 12, seed);
            let mut session = begun(login);
            session.push((SERVER, joined(&messages)));
            let trees = dissect_messages(&[], &session);
            assert_eq!(names(&trees[4..]), messages.iter().map(|(line, _)| line.name).collect::<Vec<_>>(), "{seed}");
            assert!(trees[4].contains("! info rs.in_clear") && trees[4].contains("packets fit without a cipher"), "{}", trees[4]);
            assert_eq!(trees.concat().matches("rs.in_clear").count(), 1);
        }
    }
}

/// Both sides, one byte at a time: matches of both sides add up.
#[test]
fn matches_of_both_sides_add_up() {
    let book = Book::of("317");
    let (client, server) = (packets(&book, CLIENT, 6, 1), packets(&book, SERVER, 6, 2));
    let mut session = begun(V11);
    let one_by_one = |side, packets: &[_]| joined(packets).into_iter().map(move |byte| (side, vec![byte])).collect::<Vec<_>>();
    // The last packet of the client arrives when those of the server have decided.
    session.extend([one_by_one(CLIENT, &client[..5]), one_by_one(SERVER, &server), one_by_one(CLIENT, &client[5..])].concat());
    let trees = dissect_messages(&[], &session);
    let mut found = names(&trees[4..]);
    let mut messages: Vec<&str> = client.iter().chain(&server).map(|(line, _)| line.name).collect();
    found.sort_unstable();
    messages.sort_unstable();
    assert_eq!(found, messages);
}

#[test]
fn too_few_matching_packets_are_noted() {
    let book = Book::of("317");
    let mut session = begun(V11);
    session.push((SERVER, joined(&packets(&book, SERVER, 5, 3))));
    let trees = dissect_messages(&[], &session);
    assert_eq!(names(&trees[4..]), ["data"]);
    assert!(trees[4].contains("! info rs.enciphered"), "{}", trees[4]);
    assert!(trees[4].contains("! info rs.may_be_clear") && trees[4].contains("5 fit"), "{}", trees[4]);
}

#[test]
fn one_mismatch_ends_the_detection() {
    let book = Book::of("317");
    let clear = joined(&packets(&book, SERVER, 8, 4));
    // Opcode 0 is unassigned; a string of 253 bytes without terminator and 5,001 bytes are invalid.
    for misfit in ["00", "FD 02 41 42", "41 13 89 00"] {
        let mut session = begun(V11);
        session.push((SERVER, [clear.clone(), trial::bytes(misfit), clear.clone(), clear.clone()].concat()));
        let trees = dissect_messages(&[], &session);
        assert_eq!(names(&trees[4..]), ["data"], "{misfit}");
        assert!(!trees[4].contains("rs.may_be_clear"), "{}", trees[4]);
    }
}

#[test]
fn encrypted_packets_never_match_the_table() {
    for revision in ["225", "317", "377"] {
        let book = Book::of(revision);
        for seed in 0..200 {
            let messages = packets(&book, SERVER, 40, seed);
            let mut isaac = Isaac::of_server([u32::try_from(seed).unwrap(), 2, 3, 4]);
            let enciphered: Vec<u8> = messages
                .iter()
                .flat_map(|(_, packet)| {
                    let [word, ..] = isaac.next_word().to_le_bytes();
                    [&[packet[0].wrapping_add(word)][..], &packet[1..]].concat()
                })
                .collect();
            let mut session = begun(V11);
            session.push((SERVER, enciphered.clone()));
            let trees = dissect_messages(&[("rs.revision", revision)], &session);
            assert_eq!(names(&trees[4..]), ["data"], "{revision} {seed}");
        }
    }
}
