//! Exact messages, parts of all engines, compressed responses.

use super::*;
use crate::wire::{Cut, trial};

const REQUEST: &str = "ffffffff54536f7572636520456e67696e6520517565727900";
const CHALLENGE: &str = "ffffffff410b1c2d3e";
const AGAIN: &str = "ffffffff54536f7572636520456e67696e65205175657279000b1c2d3e";
const INFO: &str = "ffffffff4911486172626f757200646d5f7175617900717561790051756179205761727300f000031001646c0001312e302e302e \
    3700b187690100000000004001646d2c6e6967687400f000000000000000";
const PLAYERS_REQUEST: &str = "ffffffff550b1c2d3e";
const PLAYERS: &str = "ffffffff44020066616c6b000c00000000007642006d6f737300ffffffff00005040";
const RULES: &str = "ffffffff4502006d705f667269656e646c796669726500300073765f677261766974790038303000";
const PART: &str = "feffffff01000000020072657374";

fn read(pending: &mut Pending, hex: &str) -> String {
    trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| pending.message(Side::Client, wire))
}

fn alone(hex: &str) -> String {
    read(&mut Pending::default(), hex)
}

#[test]
fn a_request_gets_a_challenge_first() {
    insta::assert_snapshot!(alone(REQUEST), @r#"
    a2s 0..25 | info request
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x54 (info request)
      5..25 a2s.query = "Source Engine Query"
    "#);
    insta::assert_snapshot!(alone(CHALLENGE), @r#"
    a2s 0..9 | challenge | challenge 0x3e2d1c0b
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x41 (challenge)
      5..9 a2s.challenge = 0x3e2d1c0b
    "#);
}

#[test]
fn server_information_is_read() {
    let mut pending = Pending::default();
    read(&mut pending, AGAIN);
    insta::assert_snapshot!(read(&mut pending, INFO), @r#"
    a2s 0..82 | info | Harbour, dm_quay, 3/16
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x49 (info)
      5..6 a2s.info.protocol = 17
      6..14 a2s.info.name = "Harbour"
      14..22 a2s.info.map = "dm_quay"
      22..27 a2s.info.folder = "quay"
      27..37 a2s.info.game = "Quay Wars"
      37..39 a2s.info.app_id = 240
      39..40 a2s.info.players = 3
      40..41 a2s.info.max_players = 16
      41..42 a2s.info.bots = 1
      42..43 a2s.info.server_type = 0x64 (dedicated)
      43..44 a2s.info.environment = 0x6c (Linux)
      44..45 a2s.info.visibility = false
      45..46 a2s.info.vac = true
      46..54 a2s.info.version = "1.0.0.7"
      54..55 a2s.info.edf = 0xb1
        54..55 a2s.info.edf.port = true
        54..55 a2s.info.edf.steam_id = true
        54..55 a2s.info.edf.source_tv = false
        54..55 a2s.info.edf.keywords = true
        54..55 a2s.info.edf.game_id = true
      55..57 a2s.info.port = 27015
      57..65 a2s.info.steam_id = 90071992547409921
      65..74 a2s.info.keywords = "dm,night"
      74..82 a2s.info.game_id = 240
      a2s.response_to = 0
    "#);
}

#[test]
fn players_and_rules_are_read() {
    insta::assert_snapshot!(alone(PLAYERS), @r#"
    a2s 0..34 | players | 2 players
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x44 (players)
      5..6 a2s.count = 2
      6..20 a2s.player
        6..7 a2s.player.index = 0
        7..12 a2s.player.name = "falk"
        12..16 a2s.player.score = 12
        16..20 a2s.player.duration = 61.5
      20..34 a2s.player
        20..21 a2s.player.index = 0
        21..26 a2s.player.name = "moss"
        26..30 a2s.player.score = -1
        30..34 a2s.player.duration = 3.25
    "#);
    insta::assert_snapshot!(alone(RULES), @r#"
    a2s 0..40 | rules | 2 rules
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x45 (rules)
      5..7 a2s.count = 2
      7..25 a2s.rule
        7..23 a2s.rule.name = "mp_friendlyfire"
        23..25 a2s.rule.value = "0"
      25..40 a2s.rule
        25..36 a2s.rule.name = "sv_gravity"
        36..40 a2s.rule.value = "800"
    "#);
}

#[test]
fn parts_of_both_engines_are_joined() {
    let (first, second) = RULES.split_at(40);
    for heads in [["0200e004", "0201e004"], ["02", "12"]] {
        let mut pending = Pending::default();
        let [head, next] = heads.map(|head| format!("feffffff07000000{head}"));
        // The second part comes first.
        assert!(!read(&mut pending, &format!("{next}{second}")).contains("a2s.rule"));
        let joined = read(&mut pending, &format!("{head}{first}"));
        assert!(joined.starts_with("a2s 0..") && joined.contains("| rules | 2 rules"), "{joined}");
        assert!(joined.contains(r#"a2s.rule.value = "800""#) && joined.contains("a2s.joined.header = 0xffffffff"), "{joined}");
    }
    let mut pending = Pending::default();
    let part = |index: &str| format!("feffffff0700000003{index}e004{first}");
    read(&mut pending, &part("00"));
    assert!(read(&mut pending, &part("00").replace("6d70", "6d71")).contains("a2s.part.conflict"));
}

/// Rules in parts after a header for each, with the ID of a compressed response if they are one.
fn parts(bytes: &[u8], id: &str, headers: &[&str]) -> Vec<String> {
    let size = bytes.len().div_ceil(headers.len());
    let part = |(header, chunk): (&&str, &[u8])| {
        let chunk: String = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("feffffff{id}{header}{chunk}")
    };
    headers.iter().zip(bytes.chunks(size)).map(part).collect()
}

#[test]
fn parts_of_source_before_the_orange_box_have_no_size() {
    let response = trial::bytes(RULES);
    let parts = parts(&response, "07000000", &["0300", "0301", "0302"]);
    let mut pending = Pending::default();
    insta::assert_snapshot!(read(&mut pending, &parts[0]), @r#"
    a2s 0..24 | part of an answer | 1 of 3, id 0x00000007
      0..4 a2s.header = 0xfffffffe (part)
      4..8 a2s.part.id = 0x00000007
      8..9 a2s.part.count = 3
      9..10 a2s.part.index = 0
      10..24 a2s.part.data = ffffffff4502006d705f66726965
    "#);
    // The first part comes last.
    for order in [[1, 2], [2, 1]] {
        let mut pending = Pending::default();
        for part in order {
            read(&mut pending, &parts[part]);
        }
        assert!(read(&mut pending, &parts[0]).contains(r#"a2s.rule.value = "800""#));
    }
}

/// Decompressed size, CRC-32 and bzip2 data of the rules.
const PACKED_RULES: &str = "2800000064f70ad1425a68313141592653595d08a41f0000144f80d000404002000000a7a75d200000a0002223432001a7a851a32068d323 \
    49f84644a86a65c0ccfe5b050da6e9a6ed5647e600393e2ee48a70a120ba11483e";

#[test]
fn compressed_parts_are_joined_and_decompressed() {
    for headers in [["0200", "0201"], ["0200e004", "0201e004"]] {
        let parts = parts(&trial::bytes(PACKED_RULES), "07000080", &headers);
        for order in [[0, 1], [1, 0]] {
            let mut pending = Pending::default();
            let [_, joined] = order.map(|part| read(&mut pending, &parts[part]));
            assert!(joined.contains("| rules | 2 rules") && joined.contains(r#"a2s.rule.value = "800""#), "{joined}");
            assert!(joined.contains("a2s.part.decompressed_size = 40") && !joined.contains("a2s.bad_compression"), "{joined}");
        }
    }
    let mut pending = Pending::default();
    let parts = parts(&trial::bytes(PACKED_RULES), "07000080", &["0200e004", "0201e004"]);
    read(&mut pending, &parts[1]);
    insta::assert_snapshot!(read(&mut pending, &parts[0]), @r#"
    a2s 0..57 | rules | 2 rules
      0..4 a2s.header = 0xfffffffe (part)
      4..8 a2s.part.id = 0x80000007
      8..9 a2s.part.count = 2
      9..10 a2s.part.index = 0
      10..12 a2s.part.size = 1248
      12..57 a2s.part.data = 45 bytes
      0..4 a2s.part.decompressed_size = 40
      4..8 a2s.part.crc = 0xd10af764
      8..89 a2s.compressed = 81 bytes
      0..4 a2s.joined.header = 0xffffffff (whole)
      4..5 a2s.type = 0x45 (rules)
      5..7 a2s.count = 2
      7..25 a2s.rule
        7..23 a2s.rule.name = "mp_friendlyfire"
        23..25 a2s.rule.value = "0"
      25..40 a2s.rule
        25..36 a2s.rule.name = "sv_gravity"
        36..40 a2s.rule.value = "800"
    "#);
}

#[test]
fn damage_of_compressed_responses_is_noted() {
    let packed = trial::bytes(PACKED_RULES);
    let joined = |bytes: &[u8]| {
        let mut pending = Pending::default();
        parts(bytes, "07000080", &["0200e004", "0201e004"]).iter().map(|part| read(&mut pending, part)).last().unwrap()
    };
    for place in 0..packed.len() {
        let mut bytes = packed.clone();
        bytes[place] ^= 0x10;
        let dump = joined(&bytes);
        // The first three bytes identify the data as bzip2; bits of unused tables have no effect.
        let is_same = dump.contains(r#"a2s.rule.name = "mp_friendlyfire""#) && dump.contains(r#"a2s.rule.value = "800""#);
        assert!(dump.contains("a2s.bad_compression") || (8..11).contains(&place) || is_same, "{place}: {dump}");
    }
    // The last ten bytes end the stream.
    for length in 20..packed.len() - 10 {
        assert!(joined(&packed[..length]).contains("a2s.bad_compression"), "{length}");
    }
}

#[test]
fn decompression_is_bounded_by_the_size_in_the_response() {
    // A million zeros.
    let mut bomb = bzip2::read::BzEncoder::new(&[0; 1 << 20][..], bzip2::Compression::best());
    let mut packed = [40, 0, 0, 0, 0, 0, 0, 0].to_vec();
    std::io::Read::read_to_end(&mut bomb, &mut packed).unwrap();
    let mut pending = Pending::default();
    let dumps: Vec<_> =
        parts(&packed, "07000080", &["0200e004", "0201e004"]).iter().map(|part| read(&mut pending, part)).collect();
    assert!(dumps[1].contains("got 40 bytes"), "{}", dumps[1]);
}

/// A response of a server of The Ship.
const SHIP_INFO: &str = "ffffffff49 07 5368697020536572766572 00 6261746176696572 00 73686970 00 5468652053686970 00 6009 01 05 00 6c 77 00 \
    00 01 03 03 312e302e302e3400";

#[test]
fn the_ship_has_fields_of_its_own() {
    assert!(detect(&trial::bytes(SHIP_INFO)));
    insta::assert_snapshot!(alone(SHIP_INFO), @r#"
    a2s 0..61 | info | Ship Server, batavier, 1/5
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x49 (info)
      5..6 a2s.info.protocol = 7
      6..18 a2s.info.name = "Ship Server"
      18..27 a2s.info.map = "batavier"
      27..32 a2s.info.folder = "ship"
      32..41 a2s.info.game = "The Ship"
      41..43 a2s.info.app_id = 2400
      43..44 a2s.info.players = 1
      44..45 a2s.info.max_players = 5
      45..46 a2s.info.bots = 0
      46..47 a2s.info.server_type = 0x6c (listen)
      47..48 a2s.info.environment = 0x77 (Windows)
      48..49 a2s.info.visibility = false
      49..50 a2s.info.vac = false
      50..51 a2s.info.ship.mode = 1 (elimination)
      51..52 a2s.info.ship.witnesses = 3
      52..53 a2s.info.ship.duration = 3
      53..61 a2s.info.version = "1.0.0.4"
    "#);
    let (first, second) = ("0066616c6b000c00000000007642", "006d6f737300ffffffff00005040");
    let (more, other) = ("0200000088130000", "0000000010270000");
    let after_all = format!("ffffffff4402{first}{second}{more}{other}");
    insta::assert_snapshot!(alone(&after_all), @r#"
    a2s 0..50 | players | 2 players
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x44 (players)
      5..6 a2s.count = 2
      6..20 a2s.player
        6..7 a2s.player.index = 0
        7..12 a2s.player.name = "falk"
        12..16 a2s.player.score = 12
        16..20 a2s.player.duration = 61.5
      20..34 a2s.player
        20..21 a2s.player.index = 0
        21..26 a2s.player.name = "moss"
        26..30 a2s.player.score = -1
        30..34 a2s.player.duration = 3.25
      34..42 a2s.ship_player
        34..38 a2s.player.deaths = 2
        38..42 a2s.player.money = 5000
      42..50 a2s.ship_player
        42..46 a2s.player.deaths = 0
        46..50 a2s.player.money = 10000
    "#);
    let after_each = format!("ffffffff4402{first}{more}{second}{other}");
    insta::assert_snapshot!(alone(&after_each), @r#"
    a2s 0..50 | players | 2 players
      0..4 a2s.header = 0xffffffff (whole)
      4..5 a2s.type = 0x44 (players)
      5..6 a2s.count = 2
      6..28 a2s.player
        6..7 a2s.player.index = 0
        7..12 a2s.player.name = "falk"
        12..16 a2s.player.score = 12
        16..20 a2s.player.duration = 61.5
        20..24 a2s.player.deaths = 2
        24..28 a2s.player.money = 5000
      28..50 a2s.player
        28..29 a2s.player.index = 0
        29..34 a2s.player.name = "moss"
        34..38 a2s.player.score = -1
        38..42 a2s.player.duration = 3.25
        42..46 a2s.player.deaths = 0
        46..50 a2s.player.money = 10000
    "#);
    assert!([after_all, after_each].iter().all(|hex| detect(&trial::bytes(hex))));
}

#[test]
fn recognition_is_strict_and_parts_are_claimed() {
    for hex in [REQUEST, CHALLENGE, AGAIN, INFO, PLAYERS_REQUEST, PLAYERS, RULES] {
        assert!(detect(&trial::bytes(hex)), "{hex}");
    }
    for hex in ["ffffffff 54 53", "ffffffff 44 02 00 6100 0000", "ffffffff 45 0200 6100", "ffffffff 67", "ffffffff"] {
        assert!(!detect(&trial::bytes(hex)), "{hex}");
    }
    let part = trial::bytes(PART);
    assert!(!detect(&part) && Pending::default().claims(Side::Server, &part));
}

#[test]
fn a_malformed_message_is_read_up_to_the_error() {
    let bytes = trial::bytes(INFO);
    for cut in 0..bytes.len() {
        trial::read(&PROTOCOL, &bytes[..cut], Cut::No, |wire| Pending::default().message(Side::Client, wire));
    }
    for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x5c, 0x80, 0xff].map(|byte| (place, byte))) {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        let dump = trial::read(&PROTOCOL, &bytes, Cut::No, |wire| Pending::default().message(Side::Client, wire));
        assert!(dump.starts_with("a2s 0.."));
    }
}
