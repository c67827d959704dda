//! Messages of the specifications, recognition, gaps, malformed messages.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};

use Side::{Client as C, Server as S};

fn greeting(peer: &[u8; 20]) -> Vec<u8> {
    [GREETING, &[0, 0, 0, 0, 0, 0x10, 0, 5], &[0xaa; 20], peer].concat()
}

const MESSAGES: &[u8] = b"\0\0\0\x03\x05\xa0\0\0\0\0\x01\x02\0\0\0\0\0\0\0\x0d\x06\0\0\0\x01\0\0\x40\0\0\0\x40\0";
const PIECES: &[u8] = b"\0\0\0\x01\x01\0\0\0\x0d\x07\0\0\0\x01\0\0\x40\0data\0\0\0\x05\x04\0\0\0\x02\0\0\0\x03\x09\x1a\xe1";
const EXTENDED_HANDSHAKE: &[u8] = b"\0\0\0\x25\x14\0d1:md11:ut_metadatai3ee1:v6:pd1.00e";

#[test]
fn a_session_is_dissected() {
    let (client, server) = (greeting(b"-PD0100-abcdefghijkl"), greeting(b"M7-9-2--abcdefghijkl"));
    let messages = [(C, &client[..]), (S, &server), (C, EXTENDED_HANDSHAKE), (C, MESSAGES), (S, PIECES)];
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &messages), @r#"
    bittorrent 0..68 | Handshake | client PD0100
      0..1 bittorrent.protocol.name.length = 19
      1..20 bittorrent.protocol.name = "BitTorrent protocol"
      20..28 bittorrent.reserved = 0000000000100005
      28..48 bittorrent.info_hash = 20 bytes
      48..68 bittorrent.peer_id = 20 bytes
    bittorrent 0..68 | Handshake
      0..1 bittorrent.protocol.name.length = 19
      1..20 bittorrent.protocol.name = "BitTorrent protocol"
      20..28 bittorrent.reserved = 0000000000100005
      28..48 bittorrent.info_hash = 20 bytes
      48..68 bittorrent.peer_id = 20 bytes
    bittorrent 0..41 | Extended | handshake, pd1.00
      0..4 bittorrent.msg.length = 37
      4..5 bittorrent.msg.type = 20 (Extended)
      5..6 bittorrent.extended.id = 0
      6..41 bittorrent.extended = 35 bytes
        6..41 bencode.dict
          6..7 bencode.delimiter = 64
          7..29 bencode.dict.entry
            7..10 bencode.str = "m"
            10..29 bencode.dict
              10..11 bencode.delimiter = 64
              11..28 bencode.dict.entry
                11..25 bencode.str = "ut_metadata"
                25..28 bencode.int = 3
              28..29 bencode.delimiter = 65
          29..40 bencode.dict.entry
            29..32 bencode.str = "v"
            32..40 bencode.str = "pd1.00"
          40..41 bencode.delimiter = 65
    bittorrent 0..7 | Bitfield | 2 pieces
      0..4 bittorrent.msg.length = 3
      4..5 bittorrent.msg.type = 5 (Bitfield)
      5..7 bittorrent.msg.bitfield = a000
    bittorrent 0..5 | Interested
      0..4 bittorrent.msg.length = 1
      4..5 bittorrent.msg.type = 2 (Interested)
    bittorrent 0..4 | Keepalive
      0..4 bittorrent.msg.length = 0
    bittorrent 0..17 | Request | piece 1, 16384 bytes at 16384
      0..4 bittorrent.msg.length = 13
      4..5 bittorrent.msg.type = 6 (Request)
      5..9 bittorrent.piece.index = 0x00000001
      9..13 bittorrent.piece.begin = 0x00004000
      13..17 bittorrent.piece.length = 0x00004000
    bittorrent 0..5 | Unchoke
      0..4 bittorrent.msg.length = 1
      4..5 bittorrent.msg.type = 1 (Unchoke)
    bittorrent 0..17 | Piece | piece 1, 4 bytes at 16384
      0..4 bittorrent.msg.length = 13
      4..5 bittorrent.msg.type = 7 (Piece)
      5..9 bittorrent.piece.index = 0x00000001
      9..13 bittorrent.piece.begin = 0x00004000
      13..17 bittorrent.piece.data = 64617461
    bittorrent 0..9 | Have | piece 2
      0..4 bittorrent.msg.length = 5
      4..5 bittorrent.msg.type = 4 (Have)
      5..9 bittorrent.piece.index = 0x00000002
    bittorrent 0..7 | Port | 6881
      0..4 bittorrent.msg.length = 3
      4..5 bittorrent.msg.type = 9 (Port)
      5..7 bittorrent.port = 6881
    "#);
    survives_damage(&PROTOCOL, Session::default, &messages);
}

#[test]
fn handshakes_are_recognized_anywhere_and_messages_on_the_ports() {
    let judge = |client: &[u8], start, complete| {
        let opening = Opening { sent: [client, b""], from_start: [start; 2], complete };
        [on_port(&opening), recognize(&opening)]
    };
    let yes = Verdict::Yes(S);
    assert_eq!(judge(&greeting(&[1; 20]), true, false), [yes; 2]);
    assert_eq!(judge(&GREETING[..7], true, false), [Verdict::Unsure; 2]);
    assert_eq!(judge(&GREETING[..7], true, true), [Verdict::No; 2]);
    for midway in [MESSAGES, PIECES, b"\0\0\x40\x09\x07\0\0\0\x01\0\0\0\0d\0\0\0\x01\x01\0\0\0\x01\x02"] {
        assert_eq!(judge(midway, true, true), [Verdict::No; 2]);
    }
    assert_eq!(judge(PIECES, false, true), [yes, Verdict::No]);
    for other in [&b"\0\0\0\x01\x01"[..], b"\0\0\0\x02\x01", b"GET / HTTP/1.1\r\n\r\n", b"\x13BitTorrent protocoL", b""] {
        assert_eq!(judge(other, false, true), [Verdict::No; 2], "{other:?}");
    }
}

#[test]
fn messages_are_found_after_a_gap() {
    let mut session = Session::default();
    session.gap(S, Missing { bytes: 9, in_step: false });
    let rest = [b"ta of a piece \0\0\0\x01\0".as_slice(), PIECES].concat();
    assert_eq!(session.extent(S, &rest, true), Extent::Unknown(14));
    assert_eq!(session.extent(S, &rest[14..], true), Extent::Message(5));
    session.gap(S, Missing { bytes: 9, in_step: true });
    assert_eq!(session.extent(S, b"\xff\0\0\0", true), Extent::Unknown(4));
    assert_eq!(session.extent(S, b"\0\0\0", true), Extent::NeedMore(4));
}
