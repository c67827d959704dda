//! Packets of the first and the latest version, encoded bit by bit.

use super::*;
use crate::wire::{Cut, trial};

/// A packet from values with their sizes in bits, with its termination bit.
fn packet(parts: &[(u64, usize)]) -> Vec<u8> {
    let values = parts.iter().flat_map(|(value, count)| (0..*count).map(move |bit| value >> bit & 1 != 0));
    let mut bytes = Vec::new();
    for (place, bit) in values.chain([true]).enumerate() {
        if place % 8 == 0 {
            bytes.push(0);
        }
        *bytes.last_mut().unwrap() |= u8::from(bit) << (place % 8);
    }
    bytes
}

const NO_COOKIE: [(u64, usize); 3] = [(0, 64), (0, 64), (0, 32)];
const FIRST: [(u64, usize); 3] = [(0x0706_0504_0302_0100, 64), (0x0f0e_0d0c_0b0a_0908, 64), (0x1312_1110, 32)];
const SECOND: [(u64, usize); 3] = [(0xa7a6_a5a4_a3a2_a1a0, 64), (0xafae_adac_abaa_a9a8, 64), (0xb3b2_b1b0, 32)];

fn time(seconds: f64) -> (u64, usize) {
    (seconds.to_bits(), 64)
}

fn join(parts: &[&[(u64, usize)]]) -> Vec<u8> {
    packet(&parts.concat())
}

/// A connection of version 0, a restart from another address, a game packet. Without magic header.
fn original() -> Vec<(Side, Vec<u8>)> {
    let (client, server) = (Side::Client, Side::Server);
    vec![
        (client, join(&[&[(0b001, 3), (0, 64)], &NO_COOKIE])),
        (server, join(&[&[(0b001, 3), time(12.5)], &FIRST])),
        (client, join(&[&[(0b001, 3), time(12.5)], &FIRST])),
        (server, join(&[&[(0b101, 3), time(-1.0)], &FIRST])),
        (client, packet(&[(0, 1), (0x1234_5678, 32)])),
        (server, packet(&[(0b11, 2)])),
        (client, join(&[&[(0b111, 3), time(60.25)], &SECOND, &FIRST])),
    ]
}

/// Random data of 8 bytes, the least.
const RANDOM_8: (u64, usize) = (0x8877_6655_4433_2211, 64);

/// The head of a packet of version 4 with an 8-bit magic header, session 1 and client 2.
fn head(kind: u8, restart: u64) -> Vec<(u64, usize)> {
    vec![
        (0x5a, 8),
        (1, 2),
        (2, 3),
        (1 | restart << 1, 2),
        (3, 8),
        (4, 8),
        (kind.into(), 8),
        (1, 8),
        (0x1357_9bdf, 32),
        (0x8001, 16),
    ]
}

fn versioned() -> Vec<(Side, Vec<u8>)> {
    let (client, server) = (Side::Client, Side::Server);
    vec![
        (client, join(&[&head(INITIAL, 0), &[(0, 1), (0, 64)], &NO_COOKIE, &[RANDOM_8]])),
        (server, join(&[&head(CHALLENGE, 0), &[(1, 1), time(0.75)], &FIRST, &[RANDOM_8, RANDOM_8]])),
        (client, join(&[&head(RESPONSE, 0), &[(1, 1), time(0.75)], &FIRST, &[RANDOM_8]])),
        (server, join(&[&head(ACK, 0), &[(1, 1), time(-1.0)], &FIRST, &[RANDOM_8]])),
        (client, packet(&[(0x5a, 8), (1, 2), (2, 3), (0, 1), (0x1234_5678, 32)])),
        (server, join(&[&head(RESTART_HANDSHAKE, 1), &[RANDOM_8]])),
        (client, join(&[&head(RESTART_RESPONSE, 1), &[(0, 1), time(9.0)], &SECOND, &FIRST, &[RANDOM_8]])),
        (server, join(&[&head(UPGRADE, 0), &[RANDOM_8]])),
    ]
}

fn trees(packets: &[(Side, Vec<u8>)]) -> String {
    let mut session = Session::default();
    let read = |(from, bytes): &(Side, Vec<u8>)| trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(*from, wire));
    packets.iter().map(read).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_connection_without_versions_is_opened_and_restarted() {
    insta::assert_snapshot!(trees(&original()), @r#"
    unreal 0..29 | initial packet
      0..1 unreal.handshake = true
      0..1 unreal.restart = false
      0..1 unreal.secret_id = 0
      0..9 unreal.timestamp = 0
      8..29 unreal.cookie = "0000000000000000000000000000000000000000"
      28..29 unreal.termination = true

    unreal 0..29 | challenge | server time 12.500 s
      0..1 unreal.handshake = true
      0..1 unreal.restart = false
      0..1 unreal.secret_id = 0
      0..9 unreal.timestamp = 12.5
      8..29 unreal.cookie = "000102030405060708090a0b0c0d0e0f10111213"
      28..29 unreal.termination = true

    unreal 0..29 | response | server time 12.500 s
      0..1 unreal.handshake = true
      0..1 unreal.restart = false
      0..1 unreal.secret_id = 0
      0..9 unreal.timestamp = 12.5
      8..29 unreal.cookie = "000102030405060708090a0b0c0d0e0f10111213"
      28..29 unreal.termination = true

    unreal 0..29 | ack
      0..1 unreal.handshake = true
      0..1 unreal.restart = false
      0..1 unreal.secret_id = 1
      0..9 unreal.timestamp = -1
      8..29 unreal.cookie = "000102030405060708090a0b0c0d0e0f10111213"
      28..29 unreal.termination = true

    unreal 0..5 | game packet
      0..1 unreal.handshake = false
      0..5 unreal.data = f0ac682402

    unreal 0..1 | restart handshake
      0..1 unreal.handshake = true
      0..1 unreal.restart = true
      0..1 unreal.termination = true

    unreal 0..49 | restart response | server time 60.250 s
      0..1 unreal.handshake = true
      0..1 unreal.restart = true
      0..1 unreal.secret_id = 1
      0..9 unreal.timestamp = 60.25
      8..29 unreal.cookie = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3"
      28..49 unreal.original_cookie = "000102030405060708090a0b0c0d0e0f10111213"
      48..49 unreal.termination = true
    "#);
}

#[test]
fn a_connection_of_the_latest_version_is_opened_and_restarted() {
    insta::assert_snapshot!(trees(&versioned()), @r#"
    unreal 0..49 | initial packet
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = false
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 0 (initial packet)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..12 unreal.secret_id = 0
      12..20 unreal.timestamp = 0
      20..40 unreal.cookie = "0000000000000000000000000000000000000000"
      40..48 unreal.random = "1122334455667788"
      48..49 unreal.termination = true

    unreal 0..57 | challenge | server time 0.750 s
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = false
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 1 (challenge)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..12 unreal.secret_id = 1
      12..20 unreal.timestamp = 0.75
      20..40 unreal.cookie = "000102030405060708090a0b0c0d0e0f10111213"
      40..56 unreal.random = "11223344556677881122334455667788"
      56..57 unreal.termination = true

    unreal 0..49 | response | server time 0.750 s
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = false
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 2 (response)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..12 unreal.secret_id = 1
      12..20 unreal.timestamp = 0.75
      20..40 unreal.cookie = "000102030405060708090a0b0c0d0e0f10111213"
      40..48 unreal.random = "1122334455667788"
      48..49 unreal.termination = true

    unreal 0..49 | ack
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = false
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 3 (ack)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..12 unreal.secret_id = 1
      12..20 unreal.timestamp = -1
      20..40 unreal.cookie = "000102030405060708090a0b0c0d0e0f10111213"
      40..48 unreal.random = "1122334455667788"
      48..49 unreal.termination = true

    unreal 0..6 | game packet
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = false
      1..6 unreal.data = 099e158d44

    unreal 0..20 | restart handshake
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = true
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 4 (restart handshake)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..20 unreal.random = "1122334455667788"
      19..20 unreal.termination = true

    unreal 0..69 | restart response | server time 9.000 s
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = true
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 5 (restart response)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..12 unreal.secret_id = 0
      12..20 unreal.timestamp = 9
      20..40 unreal.cookie = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3"
      40..60 unreal.original_cookie = "000102030405060708090a0b0c0d0e0f10111213"
      60..68 unreal.random = "1122334455667788"
      68..69 unreal.termination = true

    unreal 0..20 | version upgrade
      0..1 unreal.magic = 0x0000005a
      1..2 unreal.session_id = 1
      1..2 unreal.client_id = 2
      1..2 unreal.handshake = true
      1..2 unreal.restart = false
      1..3 unreal.min_version = 3 (session and client ID)
      2..4 unreal.version = 4 (version upgrade)
      3..5 unreal.packet_type = 6 (version upgrade)
      4..6 unreal.sent_packets = 1
      5..10 unreal.network_version = 0x13579bdf
      9..12 unreal.network_features = 0x8001
      11..20 unreal.random = "1122334455667788"
      19..20 unreal.termination = true
    "#);
}

#[test]
fn sizes_are_those_of_the_engine() {
    // Bits of whole packets without termination bit, as the engine's constants have them.
    let sizes = |version| [CHALLENGE, RESTART_HANDSHAKE, RESTART_RESPONSE].map(|kind| Shape::head(version) + Shape::body(kind));
    assert_eq!([sizes(0), sizes(1), sizes(2)], [[227, 2, 387], [259, 34, 419], [82 + 225, 82, 82 + 385]]);
    assert_eq!(original().iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>(), [29, 29, 29, 29, 5, 1, 49]);
}

#[test]
fn only_fixed_timestamps_are_recognized_and_other_packets_are_claimed() {
    for (packets, on_port) in [(original(), [true, false, false, true]), (versioned(), [true; 4])] {
        let found = |how: fn(&[u8]) -> bool| packets.iter().take(4).map(|(_, bytes)| how(bytes)).collect::<Vec<_>>();
        assert_eq!(found(recognize), [true, false, false, true]);
        assert_eq!(found(is_versioned), on_port);
        let mut session = Session::default();
        assert!(packets.iter().all(|(side, bytes)| !session.claims(*side, bytes)));
        trial::read(&PROTOCOL, &packets[0].1, Cut::No, |wire| session.message(Side::Client, wire));
        assert!(packets.iter().all(|(side, bytes)| session.claims(*side, bytes)));
        assert!(!session.claims(Side::Client, &[]) && !session.claims(Side::Client, &[0x5b, 0]));
    }
}

#[test]
fn nearly_right_packets_are_not_recognized() {
    let initial = &versioned()[0].1;
    let with = |parts: &[(u64, usize)]| join(&[parts, &[(0, 1), (0, 64)], &NO_COOKIE, &[RANDOM_8]]);
    assert!(recognize(&with(&head(INITIAL, 0))));
    for (place, value) in [(3, 0), (4, 5), (5, 5), (6, 7)] {
        let mut parts = head(INITIAL, 0);
        let (place, value) = if place == 3 { (3, (value, 2)) } else { (place, (value, 8)) };
        parts[place] = value;
        assert!(!recognize(&with(&parts)), "{place}");
    }
    for length in 0..initial.len() {
        assert!(!recognize(&initial[..length]), "{length}");
    }
    let dirty = join(&[&head(INITIAL, 0), &[(0, 1), (0, 64), (0, 64), (1 << 40, 64), (0, 32), RANDOM_8]]);
    assert!(!recognize(&dirty));
}

#[test]
fn random_bytes_are_never_recognized() {
    // A linear congruential generator: the same bytes in each run.
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    for round in 0..100_000_usize {
        let bytes: Vec<u8> = (0..round % 90).map(|_| byte()).collect();
        assert!(!is_versioned(&bytes) && !recognize(&bytes), "{bytes:02x?}");
    }
}

#[test]
fn packets_cut_or_damaged_anywhere_are_dissected() {
    for packets in [original(), versioned()] {
        for (from, bytes) in &packets {
            let open = || {
                let mut session = Session::default();
                trial::read(&PROTOCOL, &packets[0].1, Cut::No, |wire| session.message(Side::Client, wire));
                session
            };
            trial::survives_damage(&PROTOCOL, bytes, |wire| open().message(*from, wire));
            trial::survives_damage(&PROTOCOL, bytes, |wire| Session::default().message(*from, wire));
        }
    }
}
