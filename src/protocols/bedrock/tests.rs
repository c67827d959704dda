//! Discovery responses, and sessions of three generations.

use super::batch::{Fault, Session, detect, snappy};
use super::*;
use crate::tree::Side;
use crate::wire::{Cut, DatagramContext, Exchange, trial};
use flate2::Compression;
use std::io::Write as _;

const MOTD: &[u8] =
    b"\x00\x67MCPE;Dedicated Server;527;1.19.1;0;10;13253860892328930865;Bedrock level;Survival;1;19132;19133;0;extra";

fn dissect(bytes: &[u8]) -> String {
    let length = u16::try_from(bytes.len()).unwrap();
    let bytes = [&length.to_be_bytes()[..], bytes].concat();
    trial::read(&PROTOCOL, &bytes, Cut::No, motd::read)
}

#[test]
fn server_information_is_read_part_by_part() {
    assert!(motd::detect(MOTD) && motd::detect(b"\0\x05MCEE;") && !motd::detect(b"\0\x05MCXE;") && !motd::detect(b"MCPE;"));
    insta::assert_snapshot!(dissect(&MOTD[2..]), @r#"
    bedrock 0..105 | motd | Dedicated Server, 1.19.1, 0 of 10 players
      0..2 bedrock.motd.length = 103
      2..7 bedrock.motd.edition = "MCPE"
      7..24 bedrock.motd.name = "Dedicated Server"
      24..28 bedrock.motd.protocol = "527"
      28..35 bedrock.motd.version = "1.19.1"
      35..37 bedrock.motd.players = "0"
      37..40 bedrock.motd.max_players = "10"
      40..61 bedrock.motd.server_id = "13253860892328930865"
      61..75 bedrock.motd.second_line = "Bedrock level"
      75..84 bedrock.motd.mode = "Survival"
      84..86 bedrock.motd.mode_number = "1"
      86..92 bedrock.motd.port = "19132"
      92..98 bedrock.motd.port_ipv6 = "19133"
      98..100 bedrock.motd.more = "0"
      100..105 bedrock.motd.more = "extra"
    "#);
    assert!(trial::read(&PROTOCOL, b"\0\x09MCPE;a", Cut::No, motd::read).contains("bedrock.note.length"));
    let long = dissect(&[b"MCPE;a;1;2;3;4".as_slice(), &b";x".repeat(500)].concat());
    assert_eq!(long.matches("bedrock.motd.more").count(), 64 - 12, "{long}");
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f | 0x80).unwrap());
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}

fn packet(id: usize, body: &[u8]) -> Vec<u8> {
    let header = varint(id);
    [varint(header.len() + body.len()), header, body.to_vec()].concat()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn login(version: u32) -> Vec<u8> {
    let (chain, data) = (format!("{{\"chain\":[\"{}\"]}}", "a.b.c".repeat(20)), "d.e.f");
    let mut request = Vec::new();
    for text in [chain.as_str(), data] {
        request.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
        request.extend(text.bytes());
    }
    packet(1, &[&version.to_be_bytes()[..], &varint(request.len()), &request].concat())
}

fn read(session: &mut dyn Exchange, from: Side, bytes: &[u8]) -> String {
    trial::read(&PROTOCOL, bytes, Cut::No, |wire| session.message(from, wire))
}

fn game(parts: &[&[u8]]) -> Vec<u8> {
    [&[0xfe][..], &parts.concat()].concat()
}

const ELSEWHERE: DatagramContext = DatagramContext { ports: Some([50_000, 40_000]), announced: None };

#[test]
fn a_current_session_is_read_up_to_its_encryption() {
    let mut session = Session::default();
    let ask = game(&[&packet(193, &649_u32.to_be_bytes())]);
    assert!(detect(&ask, &ELSEWHERE));
    let settings = game(&[&packet(143, &[1, 0, 0, 0, 1, 20, 0, 0, 0, 0x3f])]);
    assert!(!detect(&settings, &ELSEWHERE));
    assert!(detect(&settings, &DatagramContext { ports: Some([50_000, 19_132]), announced: None }));
    assert!(!session.claims(Side::Client, &settings));
    let handshake = packet(3, &[&varint(5)[..], b"x.y.z"].concat());
    let trees = [
        read(&mut session, Side::Client, &ask),
        read(&mut session, Side::Server, &settings),
        read(&mut session, Side::Client, &game(&[&[0], &deflate(&login(649))])),
        read(&mut session, Side::Server, &game(&[&[255], &packet(2, &[0, 0, 0, 0]), &packet(6 | 1 << 10, b"abc")])),
        read(&mut session, Side::Server, &game(&[&[0], &deflate(&handshake)])),
        read(&mut session, Side::Client, &game(&[b"sealed"])),
    ];
    assert!(session.claims(Side::Client, &settings) && !session.claims(Side::Client, &[0x84, 0]));
    insta::assert_snapshot!(trees.concat(), @r#"
    bedrock 0..8 | request_network_settings | protocol 649
      0..1 bedrock.mark = 0xfe
      1..8 bedrock.packet
        1..2 bedrock.packet.length = 6
        2..4 bedrock.packet.id = 193 (request_network_settings)
        4..8 bedrock.protocol = 649
    bedrock 0..14 | network_settings | deflate
      0..1 bedrock.mark = 0xfe
      1..14 bedrock.packet
        1..2 bedrock.packet.length = 12
        2..4 bedrock.packet.id = 143 (network_settings)
        4..6 bedrock.compression.threshold = 1
        6..8 bedrock.compression.algorithm = 0 (deflate)
        8..9 bedrock.throttle = true
        9..10 bedrock.throttle.threshold = 20
        10..14 bedrock.throttle.scalar = 0.5
    bedrock 0..46 | login | protocol 649
      0..1 bedrock.mark = 0xfe
      1..2 bedrock.algorithm = 0 (deflate)
      2..46 bedrock.compressed = 44 bytes
      0..135 bedrock.packet
        0..2 bedrock.packet.length = 133
        2..3 bedrock.packet.id = 1 (login)
        3..7 bedrock.protocol = 649
        7..8 bedrock.login.length = 127
        8..12 bedrock.login.text_length = 114
        12..126 bedrock.login.chain = "{"chain":["a.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.ca.b.c"]}"
        126..130 bedrock.login.text_length = 5
        130..135 bedrock.login.client_data = "d.e.f"
    bedrock 0..14 | play_status, resource_packs_info | login success
      0..1 bedrock.mark = 0xfe
      1..2 bedrock.algorithm = 255 (none)
      2..8 bedrock.packet
        2..3 bedrock.packet.length = 5
        3..4 bedrock.packet.id = 2 (play_status)
        4..8 bedrock.play_status = 0 (login success)
      8..14 bedrock.packet
        8..9 bedrock.packet.length = 5
        9..11 bedrock.packet.id = 6 (resource_packs_info)
        9..11 bedrock.packet.sender = 1
        11..14 bedrock.packet.body = 616263
    bedrock 0..12 | server_to_client_handshake
      0..1 bedrock.mark = 0xfe
      1..2 bedrock.algorithm = 0 (deflate)
      2..12 bedrock.compressed = 636766add0abd4ab0200
      0..8 bedrock.packet
        0..1 bedrock.packet.length = 7
        1..2 bedrock.packet.id = 3 (server_to_client_handshake)
        2..3 bedrock.handshake.length = 5
        3..8 bedrock.handshake.token = "x.y.z"
    bedrock 0..7 | encrypted | 6 bytes
      0..1 bedrock.mark = 0xfe
      1..7 bedrock.encrypted = 7365616c6564
    "#);
}

#[test]
fn older_sessions_are_compressed_without_announcement() {
    for (version, compress) in [(390, zlib as fn(&[u8]) -> Vec<u8>), (527, deflate)] {
        let mut session = Session::default();
        let bytes = game(&[&compress(&login(version))]);
        assert!(detect(&bytes, &ELSEWHERE), "{version}");
        let tree = read(&mut session, Side::Client, &bytes);
        assert!(tree.contains(&format!("| login | protocol {version}")) && tree.contains("bedrock.login.client_data"), "{tree}");
        let behind = read(&mut session, Side::Server, &game(&[&compress(&packet(2, &[0, 0, 0, 3]))]));
        assert!(behind.contains("player spawn"), "{behind}");
    }
    assert!(!detect(&game(&[&deflate(&packet(9, b"hello"))]), &ELSEWHERE));
    assert!(!detect(b"\xfe", &ELSEWHERE) && !detect(b"", &ELSEWHERE));
}

#[test]
fn snappy_blocks_are_decompressed_and_bounded() {
    // A literal; copies with offsets of one, two and four bytes, the first two overlapping; a literal of 61 bytes.
    let long = [b"\xf0\x3c".as_slice(), &[b'z'; 61]].concat();
    let block = [b"\x50\x0cabcd\x09\x04\x0e\x01\x00\x13\x0c\x00\x00\x00".as_slice(), &long].concat();
    let plain = [b"abcdabcdabbbbbcdabc".as_slice(), &[b'z'; 61]].concat();
    assert_eq!(snappy(&block, 100), Ok(plain));
    assert_eq!(snappy(b"\x05\x10hell", 100), Err((Vec::new(), Fault::Broken)));
    assert_eq!(snappy(b"\x05\x01\x00", 100), Err((Vec::new(), Fault::Broken)));
    assert_eq!(snappy(b"\xff\xff\xff\xff\x0f\x00a\xfe\x01\x00\xfe\x01\x00", 100), Err((vec![b'a'; 100], Fault::Long)));
    assert_eq!(snappy(b"", 100), Err((Vec::new(), Fault::Broken)));
}

#[test]
fn malformed_messages_keep_decoded_fields() {
    let mut session = Session::default();
    read(&mut session, Side::Client, &game(&[&packet(193, &649_u32.to_be_bytes())]));
    read(&mut session, Side::Server, &game(&[&packet(143, &[1, 0, 0, 0, 1, 20, 0, 0, 0, 0x3f])]));
    let mut cut = game(&[&[0], &deflate(&[packet(9, b"hello"), packet(10, &[1])].concat())]);
    cut.truncate(cut.len() - 3);
    let tree = read(&mut session, Side::Server, &cut);
    assert!(tree.contains("bedrock.note.compression"), "{tree}");
    let tree = read(&mut session, Side::Server, &game(&[&[255], &packet(9, b"hello"), &[0xff; 6]]));
    assert!(tree.contains("bedrock.note.number") && tree.contains("text"), "{tree}");
    let tree = read(&mut session, Side::Server, &game(&[&[255], &packet(9, b"").repeat(5000)]));
    assert!(tree.contains("bedrock.note.too_many"), "{}", tree.lines().last().unwrap());
    let tree = read(&mut session, Side::Server, &game(&[&[0], &deflate(&vec![0; 5 << 20])]));
    assert!(tree.contains("bedrock.note.too_long"));
}

proptest::proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(start in 0_usize..5, bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80)) {
        let mut session = Session::default();
        if start > 1 {
            read(&mut session, Side::Client, &game(&[&packet(193, &649_u32.to_be_bytes())]));
            read(&mut session, Side::Server, &game(&[&packet(143, &[1, 0, 1, 0, 1, 20, 0, 0, 0, 0x3f])]));
        }
        let first = [b"".as_slice(), b"\x78\x9c", b"\0", b"\x01", b"\xff"][start];
        let bytes = game(&[first, &bytes]);
        let _ = detect(&bytes, &ELSEWHERE);
        read(&mut session, Side::Server, &bytes);
    }
}
