//! Conversations from the handshake on.

use super::heuristics::detect;
use super::*;
use crate::wire::{Opening, Verdict, trial};

const HANDSHAKE: &str = "1700fb0510706c61792e6578616d706c652e636f6d63dd01";
const LOGIN_HANDSHAKE: &str = "1700fb0510706c61792e6578616d706c652e636f6d63dd02";
const REQUEST: &str = "0100";
const STATUS: &str = "4e004c7b2276657273696f6e223a7b226e616d65223a22312e32302e31222c2270726f746f636f6c223a3736337d2c22706c6179 \
    657273223a7b226d6178223a32302c226f6e6c696e65223a327d7d";
const PING: &str = "0901000000000000004d";
const LOGIN: &str = "17000466616c6b01000102030405060708090a0b0c0d0e0f";
const KEY: &str = "18010010000102030405060708090a0b0c0d0e0f0400010203";
const SECRET: &str = "230110000102030405060708090a0b0c0d0e0f10000102030405060708090a0b0c0d0e0f";
const SUCCESS: &str = "1702000102030405060708090a0b0c0d0e0f0466616c6b00";

/// Dissects messages of both sides into trees.
fn dissect(session: &mut Session, messages: &[(Side, &str)]) -> String {
    let trees = messages.iter().map(|(side, hex)| trial::message(&PROTOCOL, session, *side, &trial::bytes(hex), Cut::No));
    trees.collect::<Vec<_>>().concat()
}

const C: Side = Side::Client;
const S: Side = Side::Server;

#[test]
fn server_status_is_read() {
    let messages = [(C, HANDSHAKE), (C, REQUEST), (S, STATUS), (C, PING), (S, PING)];
    insta::assert_snapshot!(dissect(&mut Session::default(), &messages), @r#"
    minecraft 0..24 | handshake | status, play.example.com:25565, version 763
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..4 minecraft.handshake.version = 763
      4..5 minecraft.handshake.address_length = 16
      5..21 minecraft.handshake.address = "play.example.com"
      21..23 minecraft.handshake.port = 25565
      23..24 minecraft.handshake.next_state = 1 (status)
    minecraft 0..2 | status request
      0..1 minecraft.length = 1
      1..2 minecraft.id = 0
    minecraft 0..79 | status
      0..1 minecraft.length = 78
      1..2 minecraft.id = 0
      2..3 minecraft.json_length = 76
      3..79 minecraft.json = "{"version":{"name":"1.20.1","protocol":763},"players":{"max":20,"online":2}}"
      minecraft.response_to = 0
    minecraft 0..10 | ping
      0..1 minecraft.length = 9
      1..2 minecraft.id = 1
      2..10 minecraft.ping.payload = 77
    minecraft 0..10 | pong
      0..1 minecraft.length = 9
      1..2 minecraft.id = 1
      2..10 minecraft.ping.payload = 77
      minecraft.response_to = 0
    "#);
}

#[test]
fn a_login_ends_in_encryption() {
    let mut session = Session::default();
    insta::assert_snapshot!(dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN), (S, KEY), (C, SECRET)]), @r#"
    minecraft 0..24 | handshake | login, play.example.com:25565, version 763
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..4 minecraft.handshake.version = 763
      4..5 minecraft.handshake.address_length = 16
      5..21 minecraft.handshake.address = "play.example.com"
      21..23 minecraft.handshake.port = 25565
      23..24 minecraft.handshake.next_state = 2 (login)
    minecraft 0..24 | login | falk
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..3 minecraft.login.name_length = 4
      3..7 minecraft.login.name = "falk"
      7..24 minecraft.data = 17 bytes
    minecraft 0..25 | encryption request
      0..1 minecraft.length = 24
      1..2 minecraft.id = 1
      2..3 minecraft.login.server_id_length = 0
      3..3 minecraft.login.server_id = ""
      3..4 minecraft.login.key_length = 16
      4..20 minecraft.login.key = 000102030405060708090a0b0c0d0e0f
      20..21 minecraft.login.token_length = 4
      21..25 minecraft.login.token = 00010203
    minecraft 0..36 | encryption response
      0..1 minecraft.length = 35
      1..2 minecraft.id = 1
      2..3 minecraft.login.secret_length = 16
      3..19 minecraft.login.secret = 000102030405060708090a0b0c0d0e0f
      19..36 minecraft.data = 17 bytes
    ! odd minecraft.note.no_key at 36..36 minecraft: no key secret: --keys with this line reads what follows: minecraft secret HEX
    "#);
    assert_eq!(session.extent(Side::Server, &[1, 2, 3], true), Extent::Unknown(3));
}

#[test]
fn without_encryption_framing_continues() {
    let mut session = Session::default();
    insta::assert_snapshot!(dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN), (S, SUCCESS), (S, "03 24 01 02")]), @r#"
    minecraft 0..24 | handshake | login, play.example.com:25565, version 763
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..4 minecraft.handshake.version = 763
      4..5 minecraft.handshake.address_length = 16
      5..21 minecraft.handshake.address = "play.example.com"
      21..23 minecraft.handshake.port = 25565
      23..24 minecraft.handshake.next_state = 2 (login)
    minecraft 0..24 | login | falk
      0..1 minecraft.length = 23
      1..2 minecraft.id = 0
      2..3 minecraft.login.name_length = 4
      3..7 minecraft.login.name = "falk"
      7..24 minecraft.data = 17 bytes
    minecraft 0..24 | logged in | falk
      0..1 minecraft.length = 23
      1..2 minecraft.id = 2
      2..18 minecraft.login.uuid = 000102030405060708090a0b0c0d0e0f
      18..19 minecraft.login.name_length = 4
      19..23 minecraft.login.name = "falk"
      23..24 minecraft.data = 00
    minecraft 0..4 | map chunk
      0..1 minecraft.length = 3
      1..2 minecraft.id = 36
      2..4 minecraft.data = 0102
    ! broken dissect.short at 2..4 minecraft: 2 more bytes needed, 2 left
    "#);
}

#[test]
fn a_login_is_refused_or_compression_begins() {
    let mut session = Session::default();
    dissect(&mut session, &[(C, LOGIN_HANDSHAKE), (C, LOGIN)]);
    insta::assert_snapshot!(dissect(&mut session, &[(S, "05 00 03 22 6e 22"), (S, "03 03 80 02"), (S, "02 00 01")]), @r#"
    minecraft 0..6 | refused
      0..1 minecraft.length = 5
      1..2 minecraft.id = 0
      2..3 minecraft.json_length = 3
      3..6 minecraft.json = ""n""
    minecraft 0..4 | compression | from 256 bytes on
      0..1 minecraft.length = 3
      1..2 minecraft.id = 3
      2..4 minecraft.login.threshold = 256
    minecraft 0..3 | encryption request
      0..1 minecraft.length = 2
      1..2 minecraft.data_length = 0
      2..3 minecraft.id = 1
    ! broken dissect.short at 3..3 minecraft: 1 more bytes needed, 0 left
    "#);
}

#[test]
fn packets_have_one_byte_to_the_limit() {
    let extent = |hex: &str| Session::default().extent(C, &trial::bytes(hex), true);
    assert_eq!(
        (extent("01"), extent("8001"), extent("ffff7f")),
        (Extent::Message(2), Extent::Message(130), Extent::Message(3 + 0x1f_ffff))
    );
    assert_eq!((extent(""), extent("80"), extent("ffff")), (Extent::NeedMore(1), Extent::NeedMore(2), Extent::NeedMore(3)));
    assert_eq!((extent("00 01"), extent("ffffff7f")), (Extent::Unknown(2), Extent::Unknown(4)));
}

#[test]
fn recognition_requires_a_valid_handshake() {
    let opening = |bytes: &[u8]| detect(&Opening { sent: [bytes, &[]], from_start: [true, true], complete: false });
    let whole = trial::bytes(HANDSHAKE);
    for cut in 0..whole.len() {
        assert_eq!(opening(&whole[..cut]), Verdict::Unsure, "{cut}");
    }
    assert_eq!(opening(&whole), Verdict::Yes(Side::Server));
    for (protocol, verdict) in [
        ("ffffffff0f", Verdict::Yes(Side::Server)),
        ("81808080 04", Verdict::Yes(Side::Server)),
        ("8020", Verdict::No),
        ("f5f5f5 01", Verdict::No),
    ] {
        let rest = [trial::bytes("00"), trial::bytes(protocol), trial::bytes("01 61 63dd 01")].concat();
        let length = u8::try_from(rest.len()).unwrap();
        assert_eq!(opening(&[&[length], rest.as_slice()].concat()), verdict, "{protocol}");
    }
    assert_eq!(opening(b"GET / HTTP/1.1"), Verdict::No);
    assert_eq!(opening(b"SSH-2.0-x"), Verdict::No);
    assert_eq!(opening(&[0x16, 3, 1, 2, 0]), Verdict::No);
}

#[test]
fn lengths_that_cannot_be_end_the_reading() {
    let mut session = Session::default();
    assert_eq!(session.extent(Side::Client, &[0x80], true), Extent::NeedMore(2));
    assert_eq!(session.extent(Side::Client, &[0xff; 6], true), Extent::Unknown(6));
    assert_eq!(session.extent(Side::Client, &[1, 0], true), Extent::Unknown(2));
}

/// A packet of play, in a session of this version without compression.
fn played(version: u32, from: Side, hex: &str) -> String {
    let mut session = Session { version, ..Session::default() };
    session.enter(State::Play);
    let body = trial::bytes(hex);
    let bytes = [&[u8::try_from(body.len()).unwrap()], body.as_slice()].concat();
    trial::message(&PROTOCOL, &mut session, from, &bytes, Cut::No)
}

/// The layouts are those of `protocol.json` of minecraft-data for each version.
#[test]
fn a_packet_has_the_layout_of_its_version() {
    let teleports = [
        played(47, S, "18 ac02 00000110 00000820 ffffffa0 40 f0 01"),
        played(754, S, "56 ac02 4021000000000000 4050400000000000 c00a000000000000 40 f0 01"),
        played(769, S, "77 ac02 4021000000000000 4050400000000000 c00a000000000000 40 f0 01"),
    ];
    insta::assert_snapshot!(teleports.concat(), @r#"
    minecraft 0..19 | entity teleport | entity 300
      0..1 minecraft.length = 18
      1..2 minecraft.id = 24
      2..4 minecraft.entity.id = 300
      4..8 minecraft.x = 8.5
      8..12 minecraft.y = 65
      12..16 minecraft.z = -3
      16..17 minecraft.yaw = 90
      17..18 minecraft.pitch = -22.5
      18..19 minecraft.on_ground = true
    minecraft 0..31 | entity teleport | 8.50 65.00 -3.25
      0..1 minecraft.length = 30
      1..2 minecraft.id = 86
      2..4 minecraft.entity.id = 300
      4..12 minecraft.x = 8.5
      12..20 minecraft.y = 65
      20..28 minecraft.z = -3.25
      28..29 minecraft.yaw = 90
      29..30 minecraft.pitch = -22.5
      30..31 minecraft.on_ground = true
    minecraft 0..31 | entity teleport | 8.50 65.00 -3.25
      0..1 minecraft.length = 30
      1..2 minecraft.id = 119
      2..4 minecraft.entity.id = 300
      4..12 minecraft.x = 8.5
      12..20 minecraft.y = 65
      20..28 minecraft.z = -3.25
      28..29 minecraft.yaw = 90
      29..30 minecraft.pitch = -22.5
      30..31 minecraft.on_ground = true
    "#);
    let positions = [
        played(47, S, "08 4021000000000000 4050400000000000 c00a000000000000 42b40000 c1200000 1f"),
        played(755, S, "38 4021000000000000 4050400000000000 c00a000000000000 42b40000 c1200000 1f 05 01"),
        played(
            769,
            S,
            "42 05 4021000000000000 4050400000000000 c00a000000000000 0000000000000000 0000000000000000 0000000000000000 \
             42b40000 c1200000 0000001f",
        ),
        played(769, C, "1d 4021000000000000 4050400000000000 c00a000000000000 42b40000 c1200000 03"),
    ];
    insta::assert_snapshot!(positions.concat(), @r#"
    minecraft 0..35 | position | 8.50 65.00 -3.25
      0..1 minecraft.length = 34
      1..2 minecraft.id = 8
      2..10 minecraft.x = 8.5
      10..18 minecraft.y = 65
      18..26 minecraft.z = -3.25
      26..30 minecraft.yaw = 90
      30..34 minecraft.pitch = -10
      34..35 minecraft.relative = 0x1f
    minecraft 0..37 | position | 8.50 65.00 -3.25
      0..1 minecraft.length = 36
      1..2 minecraft.id = 56
      2..10 minecraft.x = 8.5
      10..18 minecraft.y = 65
      18..26 minecraft.z = -3.25
      26..30 minecraft.yaw = 90
      30..34 minecraft.pitch = -10
      34..35 minecraft.relative = 0x1f
      35..36 minecraft.teleport_id = 5
      36..37 minecraft.dismount = true
    minecraft 0..63 | position | 8.50 65.00 -3.25
      0..1 minecraft.length = 62
      1..2 minecraft.id = 66
      2..3 minecraft.teleport_id = 5
      3..11 minecraft.x = 8.5
      11..19 minecraft.y = 65
      19..27 minecraft.z = -3.25
      27..35 minecraft.dx = 0
      35..43 minecraft.dy = 0
      43..51 minecraft.dz = 0
      51..55 minecraft.yaw = 90
      55..59 minecraft.pitch = -10
      59..63 minecraft.relative = 0x1f
    minecraft 0..35 | position look | 8.50 65.00 -3.25
      0..1 minecraft.length = 34
      1..2 minecraft.id = 29
      2..10 minecraft.x = 8.5
      10..18 minecraft.y = 65
      18..26 minecraft.z = -3.25
      26..30 minecraft.yaw = 90
      30..34 minecraft.pitch = -10
      34..35 minecraft.movement = 0x03
    "#);
}

/// A block at 18357644, 831, -20882616: the example of the protocol's documentation, in both orders of bits.
#[test]
fn the_place_of_a_block_is_packed_into_64_bits() {
    let old = played(404, S, "0b 4607630cfec15b48 01");
    let new = played(477, S, "0b 4607632c15b4833f 01");
    assert!(new.contains("minecraft.block.x = 18357644") && new.contains("minecraft.block.y = 831"), "{new}");
    assert!(new.contains("minecraft.block.z = -20882616"), "{new}");
    assert!(old.contains("minecraft.block.x = 18357644"), "{old}");
}

#[test]
fn worlds_and_entities_are_read() {
    let packets = [
        played(47, S, "01 0000004d 00 00 02 14 0764656661756c74 00"),
        played(
            765,
            S,
            "29 0000004d 00 01 04 613a6f77 14 0a 08 00 01 00 04 613a6f77 04 613a6f77 0102030405060708 01 ff 00 00 00 00",
        ),
        played(
            765,
            S,
            "01 ac02 000102030405060708090a0b0c0d0e0f 05 4021000000000000 4050400000000000 c00a000000000000 00 40 80 00 \
            0000 ffff 0010",
        ),
        played(765, S, "52 feffffff0f 02"),
        played(754, S, "36 03 02 ac02 07 01"),
    ];
    insta::assert_snapshot!(packets.concat(), @r#"
    minecraft 0..19 | login
      0..1 minecraft.length = 18
      1..2 minecraft.id = 1
      2..6 minecraft.entity.id = 77
      6..7 minecraft.world.game_mode = 0 (survival)
      7..8 minecraft.world.dimension = 0
      8..9 minecraft.world.difficulty = 2 (normal)
      9..10 minecraft.world.max_players = 20
      10..11 minecraft.world.level_type_length = 7
      11..18 minecraft.world.level_type = "default"
      18..19 minecraft.world.reduced_debug = false
    minecraft 0..43 | login | a:ow
      0..1 minecraft.length = 42
      1..2 minecraft.id = 41
      2..6 minecraft.entity.id = 77
      6..7 minecraft.world.hardcore = false
      7..8 minecraft.world.count = 1
      8..9 minecraft.world.name_length = 4
      9..13 minecraft.world.listed = "a:ow"
      13..14 minecraft.world.max_players = 20
      14..15 minecraft.view_distance = 10
      15..16 minecraft.simulation_distance = 8
      16..17 minecraft.world.reduced_debug = false
      17..18 minecraft.world.respawn_screen = true
      18..19 minecraft.world.limited_crafting = false
      19..20 minecraft.world.name_length = 4
      20..24 minecraft.world.type = "a:ow"
      24..25 minecraft.world.name_length = 4
      25..29 minecraft.world.name = "a:ow"
      29..37 minecraft.world.seed = 0x0102030405060708
      37..38 minecraft.world.game_mode = 1 (creative)
      38..39 minecraft.world.previous_mode = -1
      39..43 minecraft.data = 00000000
    minecraft 0..55 | spawn entity | 8.50 65.00 -3.25
      0..1 minecraft.length = 54
      1..2 minecraft.id = 1
      2..4 minecraft.entity.id = 300
      4..20 minecraft.entity.uuid = 000102030405060708090a0b0c0d0e0f
      20..21 minecraft.entity.type = 5
      21..29 minecraft.x = 8.5
      29..37 minecraft.y = 65
      37..45 minecraft.z = -3.25
      45..46 minecraft.pitch = 0
      46..47 minecraft.yaw = 90
      47..48 minecraft.head_yaw = -180
      48..49 minecraft.entity.data = 0
      49..51 minecraft.velocity.x = 0
      51..53 minecraft.velocity.y = -1
      53..55 minecraft.velocity.z = 16
    minecraft 0..8 | update view position
      0..1 minecraft.length = 7
      1..2 minecraft.id = 82
      2..7 minecraft.chunk.x = -2
      7..8 minecraft.chunk.z = 2
    minecraft 0..8 | entity destroy | 3 entities
      0..1 minecraft.length = 7
      1..2 minecraft.id = 54
      2..3 minecraft.entity.count = 3
      3..4 minecraft.entity.destroyed = 2
      4..6 minecraft.entity.destroyed = 300
      6..7 minecraft.entity.destroyed = 7
      7..8 minecraft.data = 01
    "#);
}

/// A login of version 1.20.4 without encryption, up to a packet of each direction in configuration.
const CONFIGURED: [(Side, &str); 9] = [
    (C, "1700fd0510706c61792e6578616d706c652e636f6d63dd02"),
    (C, "1600 0466616c6b 000102030405060708090a0b0c0d0e0f"),
    (S, "0303 40"),
    (S, "1800 02 000102030405060708090a0b0c0d0e0f 0466616c6b 00"),
    (S, "0700 05 00 00 00 00 00"),
    (C, "02 00 03"),
    (C, "0f00 00 05656e5f7573 08 00 01 7f 01 00 01"),
    (S, "02 00 02"),
    (C, "02 00 02"),
];

/// Each side changes its own state: the client still plays when the server has returned to configuration.
#[test]
fn each_side_follows_its_own_state() {
    let mut session = Session::default();
    dissect(&mut session, &CONFIGURED);
    assert_eq!((session.sides.client.state, session.sides.server.state), (State::Play, State::Play));
    let names = |text: &str| -> Vec<String> {
        let heads = text.lines().filter(|line| line.starts_with("minecraft"));
        heads.map(|line| line.split(" | ").nth(1).unwrap_or_default().to_owned()).collect()
    };
    let again = dissect(&mut session, &[(S, "02 00 67"), (C, "03 00 15 00"), (S, "02 00 02"), (C, "02 00 0b"), (C, "02 00 02")]);
    assert_eq!(
        names(&again),
        ["start configuration", "keep alive", "finish configuration", "configuration acknowledged", "finish configuration"]
    );
    assert_eq!((session.sides.client.state, session.sides.server.state), (State::Play, State::Play));
}

#[test]
fn damaged_logins_are_survived() {
    let whole = CONFIGURED.map(|(side, hex)| (side, trial::bytes(hex)));
    let messages: Vec<(Side, &[u8])> = whole.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    crate::protocols::lines::survives_damage(&PROTOCOL, Session::default, &messages);
}

/// A compressed packet has the size that it states.
#[test]
fn compressed_packets_are_decompressed() {
    // zlib of `67` and of 40 zeros behind it, made with Python's zlib.
    let mut session = Session { version: 765, threshold: Some(1), ..Session::default() };
    session.enter(State::Play);
    let bytes = ["0a 01 789c 4b07 0000 6800 68", "0a 02 789c 4b07 0000 6800 68", "04 01 789c 4b"];
    let trees = dissect(&mut session, &bytes.map(|hex| (S, hex)));
    insta::assert_snapshot!(trees, @r#"
    minecraft 0..11 | start configuration
      0..1 minecraft.length = 10
      1..2 minecraft.data_length = 1
      2..11 minecraft.compressed = 789c4b070000680068
      0..1 minecraft.id = 103
    minecraft 0..11 | packet 0x67
      0..1 minecraft.length = 10
      1..2 minecraft.data_length = 2
      2..11 minecraft.compressed = 789c4b070000680068
      0..1 minecraft.id = 103
    ! broken minecraft.note.data_length at 11..11 minecraft: 1 bytes, not 2
    minecraft 0..5
      0..1 minecraft.length = 4
      1..2 minecraft.data_length = 1
      2..5 minecraft.compressed = 789c4b
    ! broken minecraft.note.compression at 5..5 minecraft: no zlib data of 1 bytes
    "#);
}

/// Packets of a connection whose handshake is missing have no names, and bytes that are no packets are data.
#[test]
fn without_a_handshake_packets_have_no_names() {
    let mut session = Session::default();
    let trees = dissect(&mut session, &[(S, "03 24 01 02"), (C, "02 00 01")]);
    insta::assert_snapshot!(trees, @r#"
    minecraft 0..4 | packet | 3 bytes
      0..1 minecraft.length = 3
      1..4 minecraft.data = 240102
    minecraft 0..3 | packet | 2 bytes
      0..1 minecraft.length = 2
      1..3 minecraft.data = 0001
    "#);
    assert_eq!(session.extent(S, &[0, 1, 2], true), Extent::Unknown(3));
    assert_eq!(session.extent(C, &[2, 1, 2], true), Extent::Message(3));
}

/// What is lost of a packet is no change of state, unless that packet has one byte.
#[test]
fn lost_packets_leave_the_state_unknown_only_if_they_may_change_it() {
    let state = |bytes: &[u8]| {
        let mut session = Session { version: 765, ..Session::default() };
        session.enter(State::Play);
        trial::message(&PROTOCOL, &mut session, S, bytes, Cut::Lost { needed: 9, lost: 1 });
        session.sides.server.state
    };
    assert_eq!((state(&[1]), state(&[8]), state(&[1, 0x67])), (State::Unknown, State::Play, State::Configuration));
}
