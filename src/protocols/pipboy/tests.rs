use super::*;
use crate::tree::{Dissection, FrameInfo, Kind, Span, Tree, Value, Want};
use crate::wire::{Opening, Verdict, trial};
use proptest::prelude::*;

const GREETING: &str = "23 00 00 00 01 7b 22 6c 61 6e 67 22 3a 22 65 6e 22 2c 22 76 65 72 73 69 6f 6e 22 3a 22 31 2e 31 2e 33 30
    2e 30 22 7d 0a";
const HEARTBEATING: &str = "00 00 00 00 00";
const REFUSAL: &str = "00 00 00 00 02";
const CLEAR_IDLE: &str = "1c 00 00 00 05 7b 22 74 79 70 65 22 3a 31 34 2c 22 61 72 67 73 22 3a 5b 5d 2c 22 69 64 22 3a 31 7d";
const ONE_BOOL: &str = "06 00 00 00 03 00 0f 00 00 00 00";
const TWO_FLOATS: &str = "12 00 00 00 03 05 7c 5a 00 00 4f 3a 82 43 05 78 5a 00 00 4f 3a 82 43";
const EIGHT_FLOATS: &str = "48 00 00 00 03 05 30 5a 00 00 84 3f 68 43 05 4d 5a 00 00 e3 9e 9d c7 05 50 5a 00 00 2f b3 b3 47
    05 4f 5a 00 00 e3 9e 91 c7 05 52 5a 00 00 2f f3 ac 47 05 51 5a 00 00 e3 9e 9d c7 05 4e 5a 00 00
    2f b3 b3 47 05 2c 5a 00 00 84 3f 68 43";
const ONE_FLOAT: &str = "09 00 00 00 03 05 7c 61 00 00 dc cc 92 41";
const RADIO: &str = "61 00 00 00 03 05 f6 56 00 00 00 00 b6 42 00 f8 56 00 00 01 00 f7 56 00 00 00 06 f5 56 00 00 43
    6c 61 73 73 69 63 61 6c 20 52 61 64 69 6f 00 08 f4 56 00 00 04 00 f6 56 00 00 66 72 65 71 75 65
    6e 63 79 00 f8 56 00 00 69 6e 52 61 6e 67 65 00 f7 56 00 00 61 63 74 69 76 65 00 f5 56 00 00 74
    65 78 74 00 00 00";
const REMOVAL: &str = "22 00 00 00 03 08 39 57 00 00 01 00 51 99 00 00 69 74 65 6d 43 61 72 64 49 6e 66 6f 4c 69 73 74
    00 01 00 48 57 00 00";
const THREE: &str = "3b 00 00 00 03 03 0a 00 00 00 2a 00 00 00 07 0b 00 00 00 02 00 01 00 00 00 02 00 00 00 08 0c 00
    00 00 02 00 05 00 00 00 66 6f 6f 00 06 00 00 00 68 65 6c 6c 6f 00 02 00 03 00 00 00 04 00 00 00";
const NINE_TYPES: &str = "af 00 00 00 03 00 01 00 00 00 01 01 02 00 00 00 fe 02 03 00 00 00 fe 03 04 00 00 00 00 00 00 80
    04 05 00 00 00 ff ff ff ff 05 06 00 00 00 00 00 00 bf 06 07 00 00 00 56 61 75 6c 74 20 31 31 31
    20 c3 a9 00 06 08 00 00 00 00 07 09 00 00 00 03 00 01 00 00 00 02 00 00 00 03 00 00 00 07 0a 00
    00 00 00 00 08 0b 00 00 00 02 00 04 00 00 00 61 00 07 00 00 00 6e 61 6d 65 00 00 00 08 00 00 00
    00 06 00 09 00 00 00 6c 69 73 74 00 0a 00 00 00 65 6d 70 74 79 00 0b 00 00 00 6f 62 6a 00 05 00
    00 00 6d 61 78 00 06 00 00 00 66 00 08 00 00 00 73 00 00 00";
const MAP: &str = "28 00 00 00 04 04 00 00 00 02 00 00 00 00 00 80 c4 00 00 00 45 00 00 80 44 00 00 00 45 00 00 80
    c4 00 00 80 44 00 20 40 60 80 a0 c0 ff";
const PADDED_MAP: &str = "28 00 00 00 04 03 00 00 00 02 00 00 00 00 00 80 c4 00 00 00 45 00 00 80 44 00 00 00 45 00 00 80
    c4 00 00 80 44 10 20 30 ee 40 50 60 ee";
const DROP_ITEM: &str = "31 00 00 00 05 7b 22 74 79 70 65 22 3a 31 2c 22 61 72 67 73 22 3a 5b 34 32 30 37 36 30 30 36 37
    35 2c 37 2c 34 39 34 2c 5b 30 2c 31 5d 5d 2c 22 69 64 22 3a 33 7d";
const ALLOWED: &str = "26 00 00 00 06 7b 22 61 6c 6c 6f 77 65 64 22 3a 74 72 75 65 2c 22 69 64 22 3a 33 2c 22 73 75 63
    63 65 73 73 22 3a 74 72 75 65 7d";
const NOT_ALLOWED: &str = "3f 00 00 00 06 7b 22 61 6c 6c 6f 77 65 64 22 3a 66 61 6c 73 65 2c 22 69 64 22 3a 34 2c 22 6d 65
    73 73 61 67 65 22 3a 22 c3 9c 62 65 72 6c 61 64 65 6e 22 2c 22 73 75 63 63 65 73 73 22 3a 66 61
    6c 73 65 7d";
const NO_NUL: &str = "0b 00 00 00 03 06 05 00 00 00 43 61 70 73 3a 20";
const LONG_LIST: &str = "0b 00 00 00 03 07 09 00 00 00 ff ff 01 00 00 00";
const TYPE_NINE: &str = "0c 00 00 00 03 00 0f 00 00 00 01 09 10 00 00 00 01";
const HEAVY_HEARTBEAT: &str = "02 00 00 00 00 01 02";
const HOSTILE_LENGTH: &str = "ff ff ff ff 03 00 0f";
const SHORT_DICT: &str = "11 00 00 00 03 08 0c 00 00 00 02 00 05 00 00 00 66 6f 6f 00 00 00";
const RAGGED_MAP: &str = "27 00 00 00 04 03 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
    00 00 00 00 00 01 02 03 04 05 06 07";
const STRAY_BYTES: &str = "08 00 00 00 03 00 0f 00 00 00 02 05 16";

/// What the game sends.
const GOOD: &[&str] = &[
    GREETING,
    HEARTBEATING,
    REFUSAL,
    ONE_BOOL,
    TWO_FLOATS,
    EIGHT_FLOATS,
    ONE_FLOAT,
    RADIO,
    REMOVAL,
    THREE,
    NINE_TYPES,
    MAP,
    PADDED_MAP,
    ALLOWED,
    NOT_ALLOWED,
];

/// What it would never send; their lengths are good.
const MALFORMED: &[&str] = &[NO_NUL, LONG_LIST, TYPE_NINE, HEAVY_HEARTBEAT, SHORT_DICT, RAGGED_MAP, STRAY_BYTES];

fn said(from: Side, bytes: &[u8], cut: Cut) -> String {
    trial::message(&PROTOCOL, &mut Session::default(), from, bytes, cut)
}

fn by_game(hex: &str) -> String {
    said(Side::Server, &trial::bytes(hex), Cut::No)
}

fn by_app(hex: &str) -> String {
    said(Side::Client, &trial::bytes(hex), Cut::No)
}

fn datagram(bytes: &[u8]) -> String {
    assert!(looks::is_discovery(bytes));
    trial::read(&PROTOCOL, bytes, Cut::No, discovery)
}

/// A message of this type around a text.
fn json_message(kind: u8, text: &[u8]) -> Vec<u8> {
    let mut message = u32::try_from(text.len()).unwrap().to_le_bytes().to_vec();
    message.push(kind);
    message.extend_from_slice(text);
    message
}

fn joined(messages: &[&str]) -> Vec<u8> {
    messages.iter().flat_map(|hex| trial::bytes(hex)).collect()
}

#[test]
fn discovery_request_is_read() {
    insta::assert_snapshot!(datagram(br#"{"cmd":"autodiscover"}"#), @r#"
    pipboy 0..22 | discovery_request | autodiscover
      0..22 pipboy.discovery.json = "{"cmd":"autodiscover"}"
      8..20 pipboy.discovery.cmd = "autodiscover"
    "#);
}

#[test]
fn discovery_response_is_read() {
    let ps4 = "7b 0a 20 20 20 22 49 73 42 75 73 79 22 20 3a 20 66 61 6c 73 65 2c 0a 20 20 20 22 4d 61 63 68 69
        6e 65 54 79 70 65 22 20 3a 20 22 50 53 34 22 0a 7d 0a";
    insta::assert_snapshot!(datagram(&trial::bytes(ps4)), @r#"
    pipboy 0..50 | discovery_response | PS4 free
      0..50 pipboy.discovery.json = "{\n   "IsBusy" : false,\n   "MachineType" : "PS4"\n}\n"
      16..21 pipboy.discovery.is_busy = false
      43..46 pipboy.discovery.machine_type = "PS4"
    "#);
}

#[test]
fn emulator_tells_its_name() {
    insta::assert_snapshot!(datagram(br#"{"IsBusy": true, "MachineType": "PC", "name": "desk"}"#), @r#"
    pipboy 0..53 | discovery_response | desk PC busy
      0..53 pipboy.discovery.json = "{"IsBusy": true, "MachineType": "PC", "name": "desk"}"
      11..15 pipboy.discovery.is_busy = true
      33..35 pipboy.discovery.machine_type = "PC"
      47..51 pipboy.discovery.name = "desk"
    "#);
}

#[test]
fn greeting_is_read() {
    insta::assert_snapshot!(by_game(GREETING), @r#"
    pipboy 0..40 | connection_accepted | en 1.1.30.0
      0..4 pipboy.length = 35
      4..5 pipboy.type = 1 (connection_accepted)
      5..40 pipboy.json = "{"lang":"en","version":"1.1.30.0"}\n"
      14..16 pipboy.accepted.lang = "en"
      29..37 pipboy.accepted.version = "1.1.30.0"
    "#);
}

#[test]
fn heartbeats_and_refusals_have_no_payload() {
    insta::assert_snapshot!(by_app(HEARTBEATING), @"
    pipboy 0..5 | heartbeat
      0..4 pipboy.length = 0
      4..5 pipboy.type = 0 (heartbeat)
    ");
    insta::assert_snapshot!(by_game(REFUSAL), @"
    pipboy 0..5 | connection_refused
      0..4 pipboy.length = 0
      4..5 pipboy.type = 2 (connection_refused)
    ");
}

#[test]
fn command_is_read() {
    insta::assert_snapshot!(by_app(CLEAR_IDLE), @r#"
    pipboy 0..33 | command | clear_idle [] id 1
      0..4 pipboy.length = 28
      4..5 pipboy.type = 5 (command)
      5..33 pipboy.json = "{"type":14,"args":[],"id":1}"
      13..15 pipboy.command.type = 14 (clear_idle)
      23..25 pipboy.command.args = "[]"
      31..32 pipboy.command.id = 1
    "#);
}

#[test]
fn update_of_one_bool_is_read() {
    insta::assert_snapshot!(by_game(ONE_BOOL), @"
    pipboy 0..11 | data_update | 1 entry
      0..4 pipboy.length = 6
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        10..11 pipboy.entry.bool = false
      pipboy.entry_count = 1
    ");
}

#[test]
fn update_of_two_floats_is_read() {
    insta::assert_snapshot!(by_game(TWO_FLOATS), @"
    pipboy 0..23 | data_update | 2 entries
      0..4 pipboy.length = 18
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 23164
        10..14 pipboy.entry.float = 260.45554
      14..23 pipboy.entry
        14..15 pipboy.entry.type = 5 (float)
        15..19 pipboy.entry.id = 23160
        19..23 pipboy.entry.float = 260.45554
      pipboy.entry_count = 2
    ");
}

#[test]
fn update_of_eight_floats_is_read() {
    insta::assert_snapshot!(by_game(EIGHT_FLOATS), @"
    pipboy 0..77 | data_update | 8 entries
      0..4 pipboy.length = 72
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 23088
        10..14 pipboy.entry.float = 232.24811
      14..23 pipboy.entry
        14..15 pipboy.entry.type = 5 (float)
        15..19 pipboy.entry.id = 23117
        19..23 pipboy.entry.float = -80701.77
      23..32 pipboy.entry
        23..24 pipboy.entry.type = 5 (float)
        24..28 pipboy.entry.id = 23120
        28..32 pipboy.entry.float = 92006.37
      32..41 pipboy.entry
        32..33 pipboy.entry.type = 5 (float)
        33..37 pipboy.entry.id = 23119
        37..41 pipboy.entry.float = -74557.77
      41..50 pipboy.entry
        41..42 pipboy.entry.type = 5 (float)
        42..46 pipboy.entry.id = 23122
        46..50 pipboy.entry.float = 88550.37
      50..59 pipboy.entry
        50..51 pipboy.entry.type = 5 (float)
        51..55 pipboy.entry.id = 23121
        55..59 pipboy.entry.float = -80701.77
      59..68 pipboy.entry
        59..60 pipboy.entry.type = 5 (float)
        60..64 pipboy.entry.id = 23118
        64..68 pipboy.entry.float = 92006.37
      68..77 pipboy.entry
        68..69 pipboy.entry.type = 5 (float)
        69..73 pipboy.entry.id = 23084
        73..77 pipboy.entry.float = 232.24811
      pipboy.entry_count = 8
    ");
}

#[test]
fn update_of_one_float_is_read() {
    insta::assert_snapshot!(by_game(ONE_FLOAT), @"
    pipboy 0..14 | data_update | 1 entry
      0..4 pipboy.length = 9
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 24956
        10..14 pipboy.entry.float = 18.350029
      pipboy.entry_count = 1
    ");
}

#[test]
fn start_of_a_first_update_is_read() {
    insta::assert_snapshot!(by_game(RADIO), @r#"
    pipboy 0..102 | data_update | 5 entries
      0..4 pipboy.length = 97
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 22262
        10..14 pipboy.entry.float = 91
      14..20 pipboy.entry
        14..15 pipboy.entry.type = 0 (bool)
        15..19 pipboy.entry.id = 22264
        19..20 pipboy.entry.bool = true
      20..26 pipboy.entry
        20..21 pipboy.entry.type = 0 (bool)
        21..25 pipboy.entry.id = 22263
        25..26 pipboy.entry.bool = false
      26..47 pipboy.entry
        26..27 pipboy.entry.type = 6 (string)
        27..31 pipboy.entry.id = 22261
        31..47 pipboy.entry.string = "Classical Radio"
      47..102 pipboy.entry
        47..48 pipboy.entry.type = 8 (dict)
        48..52 pipboy.entry.id = 22260
        52..54 pipboy.entry.dict.insert_count = 4
        54..68 pipboy.entry.dict.insert
          54..58 pipboy.entry.dict.insert.ref = 22262
          58..68 pipboy.entry.dict.insert.key = "frequency"
        68..80 pipboy.entry.dict.insert
          68..72 pipboy.entry.dict.insert.ref = 22264
          72..80 pipboy.entry.dict.insert.key = "inRange"
        80..91 pipboy.entry.dict.insert
          80..84 pipboy.entry.dict.insert.ref = 22263
          84..91 pipboy.entry.dict.insert.key = "active"
        91..100 pipboy.entry.dict.insert
          91..95 pipboy.entry.dict.insert.ref = 22261
          95..100 pipboy.entry.dict.insert.key = "text"
        100..102 pipboy.entry.dict.remove_count = 0
      pipboy.entry_count = 5
    "#);
}

#[test]
fn removals_are_ids_without_names() {
    insta::assert_snapshot!(by_game(REMOVAL), @r#"
    pipboy 0..39 | data_update | 1 entry
      0..4 pipboy.length = 34
      4..5 pipboy.type = 3 (data_update)
      5..39 pipboy.entry
        5..6 pipboy.entry.type = 8 (dict)
        6..10 pipboy.entry.id = 22329
        10..12 pipboy.entry.dict.insert_count = 1
        12..33 pipboy.entry.dict.insert
          12..16 pipboy.entry.dict.insert.ref = 39249
          16..33 pipboy.entry.dict.insert.key = "itemCardInfoList"
        33..35 pipboy.entry.dict.remove_count = 1
        35..39 pipboy.entry.dict.remove.ref = 22344
      pipboy.entry_count = 1
    "#);
}

#[test]
fn insertions_come_before_removals() {
    insta::assert_snapshot!(by_game(THREE), @r#"
    pipboy 0..64 | data_update | 3 entries
      0..4 pipboy.length = 59
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 3 (int32)
        6..10 pipboy.entry.id = 10
        10..14 pipboy.entry.int = 42
      14..29 pipboy.entry
        14..15 pipboy.entry.type = 7 (list)
        15..19 pipboy.entry.id = 11
        19..21 pipboy.entry.list.count = 2
        21..25 pipboy.entry.list.ref = 1
        25..29 pipboy.entry.list.ref = 2
      29..64 pipboy.entry
        29..30 pipboy.entry.type = 8 (dict)
        30..34 pipboy.entry.id = 12
        34..36 pipboy.entry.dict.insert_count = 2
        36..44 pipboy.entry.dict.insert
          36..40 pipboy.entry.dict.insert.ref = 5
          40..44 pipboy.entry.dict.insert.key = "foo"
        44..54 pipboy.entry.dict.insert
          44..48 pipboy.entry.dict.insert.ref = 6
          48..54 pipboy.entry.dict.insert.key = "hello"
        54..56 pipboy.entry.dict.remove_count = 2
        56..60 pipboy.entry.dict.remove.ref = 3
        60..64 pipboy.entry.dict.remove.ref = 4
      pipboy.entry_count = 3
    "#);
}

#[test]
fn all_nine_types_are_read() {
    insta::assert_snapshot!(by_game(NINE_TYPES), @r#"
    pipboy 0..180 | data_update | 12 entries
      0..4 pipboy.length = 175
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 1
        10..11 pipboy.entry.bool = true
      11..17 pipboy.entry
        11..12 pipboy.entry.type = 1 (int8)
        12..16 pipboy.entry.id = 2
        16..17 pipboy.entry.int = -2
      17..23 pipboy.entry
        17..18 pipboy.entry.type = 2 (uint8)
        18..22 pipboy.entry.id = 3
        22..23 pipboy.entry.uint = 254
      23..32 pipboy.entry
        23..24 pipboy.entry.type = 3 (int32)
        24..28 pipboy.entry.id = 4
        28..32 pipboy.entry.int = -2147483648
      32..41 pipboy.entry
        32..33 pipboy.entry.type = 4 (uint32)
        33..37 pipboy.entry.id = 5
        37..41 pipboy.entry.uint = 4294967295
      41..50 pipboy.entry
        41..42 pipboy.entry.type = 5 (float)
        42..46 pipboy.entry.id = 6
        46..50 pipboy.entry.float = -0.5
      50..68 pipboy.entry
        50..51 pipboy.entry.type = 6 (string)
        51..55 pipboy.entry.id = 7
        55..68 pipboy.entry.string = "Vault 111 é"
      68..74 pipboy.entry
        68..69 pipboy.entry.type = 6 (string)
        69..73 pipboy.entry.id = 8
        73..74 pipboy.entry.string = ""
      74..93 pipboy.entry
        74..75 pipboy.entry.type = 7 (list)
        75..79 pipboy.entry.id = 9
        79..81 pipboy.entry.list.count = 3
        81..85 pipboy.entry.list.ref = 1
        85..89 pipboy.entry.list.ref = 2
        89..93 pipboy.entry.list.ref = 3
      93..100 pipboy.entry
        93..94 pipboy.entry.type = 7 (list)
        94..98 pipboy.entry.id = 10
        98..100 pipboy.entry.list.count = 0
      100..124 pipboy.entry
        100..101 pipboy.entry.type = 8 (dict)
        101..105 pipboy.entry.id = 11
        105..107 pipboy.entry.dict.insert_count = 2
        107..113 pipboy.entry.dict.insert
          107..111 pipboy.entry.dict.insert.ref = 4
          111..113 pipboy.entry.dict.insert.key = "a"
        113..122 pipboy.entry.dict.insert
          113..117 pipboy.entry.dict.insert.ref = 7
          117..122 pipboy.entry.dict.insert.key = "name"
        122..124 pipboy.entry.dict.remove_count = 0
      124..180 pipboy.entry
        124..125 pipboy.entry.type = 8 (dict)
        125..129 pipboy.entry.id = 0
        129..131 pipboy.entry.dict.insert_count = 6
        131..140 pipboy.entry.dict.insert
          131..135 pipboy.entry.dict.insert.ref = 9
          135..140 pipboy.entry.dict.insert.key = "list"
        140..150 pipboy.entry.dict.insert
          140..144 pipboy.entry.dict.insert.ref = 10
          144..150 pipboy.entry.dict.insert.key = "empty"
        150..158 pipboy.entry.dict.insert
          150..154 pipboy.entry.dict.insert.ref = 11
          154..158 pipboy.entry.dict.insert.key = "obj"
        158..166 pipboy.entry.dict.insert
          158..162 pipboy.entry.dict.insert.ref = 5
          162..166 pipboy.entry.dict.insert.key = "max"
        166..172 pipboy.entry.dict.insert
          166..170 pipboy.entry.dict.insert.ref = 6
          170..172 pipboy.entry.dict.insert.key = "f"
        172..178 pipboy.entry.dict.insert
          172..176 pipboy.entry.dict.insert.ref = 8
          176..178 pipboy.entry.dict.insert.key = "s"
        178..180 pipboy.entry.dict.remove_count = 0
      pipboy.entry_count = 12
    "#);
}

#[test]
fn local_map_has_four_corners() {
    insta::assert_snapshot!(by_game(MAP), @"
    pipboy 0..45 | local_map_update | 4 x 2
      0..4 pipboy.length = 40
      4..5 pipboy.type = 4 (local_map_update)
      5..9 pipboy.map.width = 4
      9..13 pipboy.map.height = 2
      13..17 pipboy.map.nw.x = -1024
      17..21 pipboy.map.nw.y = 2048
      21..25 pipboy.map.ne.x = 1024
      25..29 pipboy.map.ne.y = 2048
      29..33 pipboy.map.sw.x = -1024
      33..37 pipboy.map.sw.y = 1024
      37..45 pipboy.map.pixels = 0020406080a0c0ff
      pipboy.map.stride = 4
      pipboy.map.se.x = 1024
      pipboy.map.se.y = 1024
    ");
}

#[test]
fn local_map_rows_may_be_longer_than_the_picture_is_wide() {
    insta::assert_snapshot!(by_game(PADDED_MAP), @"
    pipboy 0..45 | local_map_update | 3 x 2
      0..4 pipboy.length = 40
      4..5 pipboy.type = 4 (local_map_update)
      5..9 pipboy.map.width = 3
      9..13 pipboy.map.height = 2
      13..17 pipboy.map.nw.x = -1024
      17..21 pipboy.map.nw.y = 2048
      21..25 pipboy.map.ne.x = 1024
      25..29 pipboy.map.ne.y = 2048
      29..33 pipboy.map.sw.x = -1024
      33..37 pipboy.map.sw.y = 1024
      37..45 pipboy.map.pixels = 102030ee405060ee
      pipboy.map.stride = 4
      pipboy.map.se.x = 1024
      pipboy.map.se.y = 1024
    ");
}

#[test]
fn command_with_nested_args_is_read() {
    insta::assert_snapshot!(by_app(DROP_ITEM), @r#"
    pipboy 0..54 | command | drop_item [4207600675,7,494,[0,1]] id 3
      0..4 pipboy.length = 49
      4..5 pipboy.type = 5 (command)
      5..54 pipboy.json = "{"type":1,"args":[4207600675,7,494,[0,1]],"id":3}"
      13..14 pipboy.command.type = 1 (drop_item)
      22..46 pipboy.command.args = "[4207600675,7,494,[0,1]]"
      52..53 pipboy.command.id = 3
    "#);
}

#[test]
fn command_result_is_read() {
    insta::assert_snapshot!(by_game(ALLOWED), @r#"
    pipboy 0..43 | command_result | id 3 allowed, success
      0..4 pipboy.length = 38
      4..5 pipboy.type = 6 (command_result)
      5..43 pipboy.json = "{"allowed":true,"id":3,"success":true}"
      16..20 pipboy.result.allowed = true
      26..27 pipboy.result.id = 3
      38..42 pipboy.result.success = true
    "#);
}

#[test]
fn refused_command_says_why() {
    insta::assert_snapshot!(by_game(NOT_ALLOWED), @r#"
    pipboy 0..68 | command_result | id 4 refused, no success (Überladen)
      0..4 pipboy.length = 63
      4..5 pipboy.type = 6 (command_result)
      5..68 pipboy.json = "{"allowed":false,"id":4,"message":"Überladen","success":false}"
      16..21 pipboy.result.allowed = false
      27..28 pipboy.result.id = 4
      40..50 pipboy.result.message = "Überladen"
      62..67 pipboy.result.success = false
    "#);
}

#[test]
fn string_without_its_nul_is_noted() {
    insta::assert_snapshot!(by_game(NO_NUL), @"
    pipboy 0..16 | data_update | 0 entries
      0..4 pipboy.length = 11
      4..5 pipboy.type = 3 (data_update)
      5..10 pipboy.entry
        5..6 pipboy.entry.type = 6 (string)
        6..10 pipboy.entry.id = 5
      pipboy.entry_count = 0
      10..16 pipboy.data = 436170733a20
    ! broken pipboy.error.string at 10..16 pipboy.entry.id: no NUL in the 6 bytes left
    ");
}

#[test]
fn list_shows_the_refs_that_fit() {
    insta::assert_snapshot!(by_game(LONG_LIST), @"
    pipboy 0..16 | data_update | 0 entries
      0..4 pipboy.length = 11
      4..5 pipboy.type = 3 (data_update)
      5..16 pipboy.entry
        5..6 pipboy.entry.type = 7 (list)
        6..10 pipboy.entry.id = 9
        10..12 pipboy.entry.list.count = 65535
        12..16 pipboy.entry.list.ref = 1
      pipboy.entry_count = 0
    ! broken pipboy.error.count at 16..16 pipboy.entry.list.ref: ref 2 of 65535 does not fit into the 0 bytes left
    ");
}

#[test]
fn unknown_entry_type_ends_the_entries() {
    insta::assert_snapshot!(by_game(TYPE_NINE), @"
    pipboy 0..17 | data_update | 1 entry
      0..4 pipboy.length = 12
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        10..11 pipboy.entry.bool = true
      pipboy.entry_count = 1
      11..17 pipboy.data = 091000000001
    ! broken pipboy.error.entry_type at 11..17 pipboy.entry.bool: no entry type 9 is known, nor its width
    ");
}

#[test]
fn heartbeat_with_a_payload_is_noted() {
    insta::assert_snapshot!(by_game(HEAVY_HEARTBEAT), @"
    pipboy 0..7 | heartbeat
      0..4 pipboy.length = 2
      4..5 pipboy.type = 0 (heartbeat)
      5..7 pipboy.data = 0102
    ! broken pipboy.error.unexpected_payload at 5..7 pipboy.type: 2 bytes where none belong
    ");
}

#[test]
fn hostile_length_is_noted() {
    insta::assert_snapshot!(by_game(HOSTILE_LENGTH), @"
    pipboy 0..7 | data_update
      0..4 pipboy.length = 4294967295
      4..5 pipboy.type = 3 (data_update)
      5..7 pipboy.data = 000f
    ! broken pipboy.error.length at 0..4 pipboy.length: 4294967295 bytes, at most 16777216 are read
    ");
}

#[test]
fn dict_that_ends_early_shows_the_insertions_that_fit() {
    insta::assert_snapshot!(by_game(SHORT_DICT), @r#"
    pipboy 0..22 | data_update | 0 entries
      0..4 pipboy.length = 17
      4..5 pipboy.type = 3 (data_update)
      5..20 pipboy.entry
        5..6 pipboy.entry.type = 8 (dict)
        6..10 pipboy.entry.id = 12
        10..12 pipboy.entry.dict.insert_count = 2
        12..20 pipboy.entry.dict.insert
          12..16 pipboy.entry.dict.insert.ref = 5
          16..20 pipboy.entry.dict.insert.key = "foo"
      pipboy.entry_count = 0
      20..22 pipboy.data = 0000
    ! broken pipboy.error.count at 20..22 pipboy.entry.dict.insert.key: insertion 2 of 2 does not fit into the 2 bytes left
    "#);
}

#[test]
fn map_whose_pixels_fill_no_rows_is_noted() {
    insta::assert_snapshot!(by_game(RAGGED_MAP), @"
    pipboy 0..44 | local_map_update | 3 x 2
      0..4 pipboy.length = 39
      4..5 pipboy.type = 4 (local_map_update)
      5..9 pipboy.map.width = 3
      9..13 pipboy.map.height = 2
      13..17 pipboy.map.nw.x = 0
      17..21 pipboy.map.nw.y = 0
      21..25 pipboy.map.ne.x = 0
      25..29 pipboy.map.ne.y = 0
      29..33 pipboy.map.sw.x = 0
      33..37 pipboy.map.sw.y = 0
      37..44 pipboy.map.pixels = 01020304050607
      pipboy.map.se.x = 0
      pipboy.map.se.y = 0
    ! broken pipboy.map.bad_size at 37..44 pipboy.map.pixels: 7 bytes of pixels for 3 x 2
    ");
}

#[test]
fn odd_bool_is_true_and_stray_bytes_are_noted() {
    insta::assert_snapshot!(by_game(STRAY_BYTES), @"
    pipboy 0..13 | data_update | 1 entry
      0..4 pipboy.length = 8
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        10..11 pipboy.entry.bool = true
      pipboy.entry_count = 1
      11..13 pipboy.data = 0516
    ! odd pipboy.note.bool at 10..11 pipboy.entry.bool: 2 taken as true
    ! broken pipboy.error.entry_truncated at 11..13 pipboy.entry.bool: 2 bytes left, an entry begins with 5
    ");
}

#[test]
fn value_that_runs_over_the_end_is_noted() {
    insta::assert_snapshot!(by_game("08 00 00 00 03 03 0a 00 00 00 2a 00 00"), @"
    pipboy 0..13 | data_update | 0 entries
      0..4 pipboy.length = 8
      4..5 pipboy.type = 3 (data_update)
      5..10 pipboy.entry
        5..6 pipboy.entry.type = 3 (int32)
        6..10 pipboy.entry.id = 10
      pipboy.entry_count = 0
      10..13 pipboy.data = 2a0000
    ! broken pipboy.error.entry_truncated at 10..13 pipboy.entry.id: bytes that the value lacks: 1
    ");
}

#[test]
fn dict_without_its_number_of_removals_is_noted() {
    insta::assert_snapshot!(by_game("08 00 00 00 03 08 0c 00 00 00 00 00 01"), @"
    pipboy 0..13 | data_update | 0 entries
      0..4 pipboy.length = 8
      4..5 pipboy.type = 3 (data_update)
      5..12 pipboy.entry
        5..6 pipboy.entry.type = 8 (dict)
        6..10 pipboy.entry.id = 12
        10..12 pipboy.entry.dict.insert_count = 0
      pipboy.entry_count = 0
      12..13 pipboy.data = 01
    ! broken pipboy.error.count at 12..13 pipboy.entry.dict.insert_count: the number of removals is missing
    ");
}

#[test]
fn key_without_its_nul_is_noted() {
    insta::assert_snapshot!(by_game("0d 00 00 00 03 08 0c 00 00 00 01 00 05 00 00 00 66 6f"), @"
    pipboy 0..18 | data_update | 0 entries
      0..4 pipboy.length = 13
      4..5 pipboy.type = 3 (data_update)
      5..16 pipboy.entry
        5..6 pipboy.entry.type = 8 (dict)
        6..10 pipboy.entry.id = 12
        10..12 pipboy.entry.dict.insert_count = 1
        12..16 pipboy.entry.dict.insert
          12..16 pipboy.entry.dict.insert.ref = 5
      pipboy.entry_count = 0
      16..18 pipboy.data = 666f
    ! broken pipboy.error.string at 16..18 pipboy.entry.dict.insert.ref: no NUL in the 2 bytes left
    ");
}

#[test]
fn text_that_is_not_utf8_is_noted() {
    insta::assert_snapshot!(by_game("08 00 00 00 03 06 01 00 00 00 41 e9 00"), @r#"
    pipboy 0..13 | data_update | 1 entry
      0..4 pipboy.length = 8
      4..5 pipboy.type = 3 (data_update)
      5..13 pipboy.entry
        5..6 pipboy.entry.type = 6 (string)
        6..10 pipboy.entry.id = 1
        10..13 pipboy.entry.string = "A�"
      pipboy.entry_count = 1
    ! odd pipboy.note.utf8 at 10..13 pipboy.entry.string: not UTF-8
    "#);
}

#[test]
fn floats_that_are_no_numbers_are_shown_as_such() {
    let tree = by_game("12 00 00 00 03 05 01 00 00 00 00 00 c0 7f 05 02 00 00 00 00 00 80 ff");
    assert!(tree.contains("pipboy.entry.float = NaN\n"));
    assert!(tree.contains("pipboy.entry.float = -inf\n"));
}

#[test]
fn empty_update_is_no_error() {
    insta::assert_snapshot!(by_game("00 00 00 00 03"), @"
    pipboy 0..5 | data_update | 0 entries
      0..4 pipboy.length = 0
      4..5 pipboy.type = 3 (data_update)
      pipboy.entry_count = 0
    ");
}

#[test]
fn map_that_ends_before_its_pixels_is_noted() {
    insta::assert_snapshot!(by_game("0a 00 00 00 04 04 00 00 00 02 00 00 00 00 00"), @"
    pipboy 0..15 | local_map_update | 4 x 2
      0..4 pipboy.length = 10
      4..5 pipboy.type = 4 (local_map_update)
      5..9 pipboy.map.width = 4
      9..13 pipboy.map.height = 2
      13..15 pipboy.data = 0000
    ! broken pipboy.map.truncated at 13..15 pipboy.map.height: 10 bytes, a map has at least 32
    ");
}

#[test]
fn huge_map_sizes_do_not_overflow() {
    let tree = by_game(&format!("21 00 00 00 04 ff ff ff ff ff ff ff ff {} 07", "00 ".repeat(24)));
    assert!(tree.contains("! broken pipboy.map.bad_size"));
    let empty = by_game(&format!("20 00 00 00 04 {}", "00 ".repeat(32)));
    assert!(empty.contains("pipboy.map.stride = 0\n"));
    assert!(!empty.contains('!'));
}

#[test]
fn unknown_message_type_is_odd() {
    insta::assert_snapshot!(by_game("02 00 00 00 07 01 02"), @"
    pipboy 0..7 | unknown | type 7, 2 bytes
      0..4 pipboy.length = 2
      4..5 pipboy.type = 7
      5..7 pipboy.data = 0102
    ! odd pipboy.error.unknown_type at 4..5 pipboy.type: no message type 7 is known
    ");
}

#[test]
fn wrong_direction_is_odd_but_read() {
    insta::assert_snapshot!(by_app(ONE_BOOL), @"
    pipboy 0..11 | data_update | 1 entry
      0..4 pipboy.length = 6
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        10..11 pipboy.entry.bool = false
      pipboy.entry_count = 1
    ! odd pipboy.error.direction at 4..5 pipboy.type: not expected c2s
    ");
    assert!(by_game(CLEAR_IDLE).contains("! odd pipboy.error.direction"));
}

#[test]
fn long_json_is_not_read() {
    let text = format!("{{\"lang\":\"{}\"}}", "x".repeat(65536));
    insta::assert_snapshot!(said(Side::Server, &json_message(1, text.as_bytes()), Cut::No), @"
    pipboy 0..65552 | connection_accepted
      0..4 pipboy.length = 65547
      4..5 pipboy.type = 1 (connection_accepted)
      5..65552 pipboy.data = 65547 bytes
    ! broken pipboy.error.length at 0..4 pipboy.length: 65547 bytes, at most 65536 are read
    ");
}

#[test]
fn broken_json_keeps_the_members_before() {
    insta::assert_snapshot!(said(Side::Client, &json_message(5, br#"{"type":9,"args":[5],"id"]"#), Cut::No), @r#"
    pipboy 0..31 | command | fast_travel [5]
      0..4 pipboy.length = 26
      4..5 pipboy.type = 5 (command)
      5..31 pipboy.json = "{"type":9,"args":[5],"id"]"
      13..14 pipboy.command.type = 9 (fast_travel)
      22..25 pipboy.command.args = "[5]"
    ! broken pipboy.error.json at 5..31 pipboy.json: expected `:` at line 1 column 26
    "#);
}

#[test]
fn json_must_be_one_object() {
    for text in ["", "  ", "[1]", "null", "\"{}\"", "{}{}", "{} x", "{\"id\":1", "{\"id\":01}", "{'id':1}"] {
        let tree = said(Side::Client, &json_message(5, text.as_bytes()), Cut::No);
        assert!(tree.contains("! broken pipboy.error.json"), "{text} gives {tree}");
    }
    for text in ["{}", " {\"id\" : 1 }\r\n", "{\"new\":null}"] {
        let tree = said(Side::Client, &json_message(5, text.as_bytes()), Cut::No);
        assert!(!tree.contains('!'), "{text} gives {tree}");
    }
}

#[test]
fn json_nests_32_deep_and_no_deeper() {
    let nested = |depth: usize| format!("{{\"args\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let at_most = said(Side::Client, &json_message(5, nested(32).as_bytes()), Cut::No);
    assert!(at_most.contains("pipboy.command.args") && !at_most.contains('!'));
    let too_deep = said(Side::Client, &json_message(5, nested(33).as_bytes()), Cut::No);
    assert!(too_deep.contains("! broken pipboy.error.json") && !too_deep.contains("pipboy.command.args"));
    said(Side::Client, &json_message(5, "[".repeat(60000).as_bytes()), Cut::No);
}

#[test]
fn brackets_inside_json_texts_do_not_nest() {
    let text = format!(r#"{{"message":"{}\"{}"}}"#, "[".repeat(40), "{".repeat(40));
    let tree = said(Side::Server, &json_message(6, text.as_bytes()), Cut::No);
    assert!(!tree.contains('!'), "{tree}");
}

#[test]
fn json_members_of_other_types_are_left_to_the_text() {
    insta::assert_snapshot!(said(Side::Client, &json_message(5, br#"{"type":"1","args":{},"id":1.5}"#), Cut::No), @r#"
    pipboy 0..36 | command
      0..4 pipboy.length = 31
      4..5 pipboy.type = 5 (command)
      5..36 pipboy.json = "{"type":"1","args":{},"id":1.5}"
    "#);
}

#[test]
fn json_member_that_comes_twice_is_shown_twice() {
    insta::assert_snapshot!(said(Side::Client, &json_message(5, br#"{"type":99,"id":-1,"id":2}"#), Cut::No), @r#"
    pipboy 0..31 | command | type 99 id 2
      0..4 pipboy.length = 26
      4..5 pipboy.type = 5 (command)
      5..31 pipboy.json = "{"type":99,"id":-1,"id":2}"
      13..15 pipboy.command.type = 99
      21..23 pipboy.command.id = -1
      29..30 pipboy.command.id = 2
    "#);
}

#[test]
fn escapes_in_json_texts_are_resolved() {
    let text = br#"{"allowed":false,"message":"\u00dcber\n\ud83d\ude00","success":false}"#;
    insta::assert_snapshot!(said(Side::Server, &json_message(6, text), Cut::No), @r#"
    pipboy 0..74 | command_result | refused, no success (Über\n😀)
      0..4 pipboy.length = 69
      4..5 pipboy.type = 6 (command_result)
      5..74 pipboy.json = "{"allowed":false,"message":"\\u00dcber\\n\\ud83d\\ude00","success":false}"
      16..21 pipboy.result.allowed = false
      33..56 pipboy.result.message = "Über\n😀"
      68..73 pipboy.result.success = false
    "#);
    let half = said(Side::Server, &json_message(6, br#"{"message":"\ud83d"}"#), Cut::No);
    assert!(half.contains(r#"pipboy.result.message = "\\ud83d""#), "{half}");
}

#[test]
fn json_that_is_not_utf8_is_read_around_the_bad_bytes() {
    insta::assert_snapshot!(said(Side::Server, &json_message(6, b"{\"message\":\"\xdcber\",\"id\":3}"), Cut::No), @r#"
    pipboy 0..30 | command_result | id 3 (�ber)
      0..4 pipboy.length = 25
      4..5 pipboy.type = 6 (command_result)
      5..30 pipboy.json = "{"message":"�ber","id":3}"
      17..21 pipboy.result.message = "�ber"
      28..29 pipboy.result.id = 3
    ! odd pipboy.note.utf8 at 5..30 pipboy.json: not UTF-8
    "#);
}

#[test]
fn update_cut_by_the_stream_keeps_its_entries() {
    let bytes = trial::bytes(THREE);
    insta::assert_snapshot!(said(Side::Server, &bytes[..30], Cut::Stream { want: 64 }), @"
    pipboy 0..30 | data_update | 2 entries
      0..4 pipboy.length = 59
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 3 (int32)
        6..10 pipboy.entry.id = 10
        10..14 pipboy.entry.int = 42
      14..29 pipboy.entry
        14..15 pipboy.entry.type = 7 (list)
        15..19 pipboy.entry.id = 11
        19..21 pipboy.entry.list.count = 2
        21..25 pipboy.entry.list.ref = 1
        25..29 pipboy.entry.list.ref = 2
      29..30 pipboy.entry
        29..30 pipboy.entry.type = 8 (dict)
      pipboy.entry_count = 2
    ! broken pipboy.truncated at 30..30 pipboy.entry_count: the stream ends after 30 of 64 bytes
    ");
}

#[test]
fn update_with_lost_bytes_is_noted_as_a_gap() {
    let bytes = trial::bytes(RADIO);
    insta::assert_snapshot!(said(Side::Server, &bytes[..33], Cut::Lost { want: 102, lost: 20 }), @"
    pipboy 0..33 | data_update | 3 entries
      0..4 pipboy.length = 97
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 22262
        10..14 pipboy.entry.float = 91
      14..20 pipboy.entry
        14..15 pipboy.entry.type = 0 (bool)
        15..19 pipboy.entry.id = 22264
        19..20 pipboy.entry.bool = true
      20..26 pipboy.entry
        20..21 pipboy.entry.type = 0 (bool)
        21..25 pipboy.entry.id = 22263
        25..26 pipboy.entry.bool = false
      26..31 pipboy.entry
        26..27 pipboy.entry.type = 6 (string)
        27..31 pipboy.entry.id = 22261
      pipboy.entry_count = 3
      31..33 pipboy.data = 436c
    ! broken pipboy.error.gap at 31..33 pipboy.entry_count: 20 bytes are missing from the capture after 33 of 102
    ");
}

#[test]
fn command_cut_inside_a_number_does_not_show_half_of_it() {
    let bytes = trial::bytes(CLEAR_IDLE);
    insta::assert_snapshot!(said(Side::Client, &bytes[..14], Cut::Stream { want: 33 }), @r#"
    pipboy 0..14 | command
      0..4 pipboy.length = 28
      4..5 pipboy.type = 5 (command)
      5..14 pipboy.json = "{"type":1"
    ! broken pipboy.truncated at 14..14 pipboy.json: the stream ends after 14 of 33 bytes
    "#);
}

/// The fields of a message that are not worked out from its length and hold a value.
fn leaves(bytes: &[u8], cut: Cut) -> Vec<(&'static str, Span, String)> {
    let mut tree = Tree::new(Want::EVERYTHING);
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, bytes, 0..bytes.len(), cut);
    let result = Session::default().message(Side::Server, &mut wire);
    PROTOCOL.conclude(&mut wire, result);
    let open_ended = [&JSON, &DATA, &MAP_PIXELS];
    let of = Dissection { tree: &tree, bytes };
    let nodes = (0..tree.here()).filter_map(|place| of.node(place));
    nodes
        .filter(|node| node.value() != Value::None && node.span().is_somewhere())
        .filter(|node| !open_ended.iter().any(|field| field.is(node.field())))
        .map(|node| {
            let mut value = String::new();
            node.write_value(&mut value).unwrap();
            (node.field().abbrev, node.span(), value)
        })
        .collect()
}

#[test]
fn any_prefix_of_a_message_gives_the_same_fields_up_to_the_cut() {
    let is_json = |name: &str| name.contains("accepted") || name.contains("result");
    for bytes in GOOD.iter().map(|hex| trial::bytes(hex)) {
        let whole = leaves(&bytes, Cut::No);
        for end in 0..bytes.len() {
            let cut = leaves(&bytes[..end], Cut::Stream { want: bytes.len() });
            let up_to_cut: Vec<_> = whole.iter().filter(|(_, span, _)| span.end as usize <= end).cloned().collect();
            if whole.iter().any(|(name, ..)| is_json(name)) {
                assert!(whole.starts_with(&cut), "{end} of {bytes:02x?}");
            } else {
                assert_eq!(cut, up_to_cut, "{end} of {bytes:02x?}");
            }
        }
    }
}

#[test]
fn a_cut_message_gets_no_note_but_the_cut() {
    for bytes in [THREE, NINE_TYPES, RADIO, MAP, GREETING, NOT_ALLOWED].map(trial::bytes) {
        for end in 0..bytes.len() {
            let tree = said(Side::Server, &bytes[..end], Cut::Stream { want: bytes.len() });
            assert_eq!(tree.matches('!').count(), 1, "{tree}");
            assert!(tree.contains("! broken pipboy.truncated"), "{tree}");
        }
    }
}

/// A reassembler: messages and unknown bytes as the conversation tells them apart, when bytes arrive in these pieces.
#[derive(Default)]
struct Stream {
    session: Session,
    waiting: Vec<u8>,
    asked_at: usize,
    messages: Vec<Vec<u8>>,
    unknown: Vec<u8>,
}

impl Stream {
    fn arrive(&mut self, from: Side, piece: &[u8]) {
        self.waiting.extend_from_slice(piece);
        while !self.waiting.is_empty() && self.waiting.len() >= self.asked_at {
            self.asked_at = 0;
            match self.session.extent(from, &self.waiting, true) {
                Extent::Message(length) => {
                    assert!(length > 0);
                    if length > self.waiting.len() {
                        self.asked_at = length;
                        continue;
                    }
                    self.messages.push(self.waiting.drain(..length).collect());
                }
                Extent::NeedMore(length) => {
                    assert!(length > self.waiting.len());
                    self.asked_at = length;
                }
                Extent::Unknown(length) => {
                    assert!(0 < length && length <= self.waiting.len());
                    self.unknown.extend(self.waiting.drain(..length));
                }
            }
        }
    }

    /// Nothing more comes: what waits is a message that was cut, or unknown.
    fn end(&mut self, from: Side) {
        while !self.waiting.is_empty() {
            let all = self.waiting.len();
            match self.session.extent(from, &self.waiting, false) {
                Extent::Message(length) | Extent::NeedMore(length) => {
                    self.messages.push(self.waiting.drain(..length.min(all)).collect());
                }
                Extent::Unknown(length) => self.unknown.extend(self.waiting.drain(..length.min(all))),
            }
        }
    }

    fn lose(&mut self, from: Side) {
        self.waiting.clear();
        self.asked_at = 0;
        self.session.gap(from, Missing { bytes: 1, in_step: false });
    }
}

fn arrived<'a>(from: Side, pieces: impl IntoIterator<Item = &'a [u8]>) -> Stream {
    let mut stream = Stream::default();
    pieces.into_iter().for_each(|piece| stream.arrive(from, piece));
    stream
}

#[test]
fn messages_are_the_same_in_any_pieces() {
    let bytes = joined(&[NINE_TYPES, HEARTBEATING, RADIO]);
    let want = [NINE_TYPES, HEARTBEATING, RADIO].map(trial::bytes);
    let radio = trial::bytes(NINE_TYPES).len() + 5;
    let (first, rest) = bytes.split_at(radio + 3);
    let (second, third) = rest.split_at(50);
    assert_eq!(arrived(Side::Server, [first, second, third]).messages, want);
    for size in 1..bytes.len() {
        let stream = arrived(Side::Server, bytes.chunks(size));
        assert_eq!(stream.messages, want, "in pieces of {size}");
        assert!(stream.unknown.is_empty() && stream.waiting.is_empty());
    }
}

#[test]
fn errors_inside_a_payload_never_lose_the_next_message() {
    let parts = [&[GREETING], MALFORMED, &[ONE_BOOL]].concat();
    let want: Vec<_> = parts.iter().map(|hex| trial::bytes(hex)).collect();
    let bytes = joined(&parts);
    for size in 1..bytes.len() {
        assert_eq!(arrived(Side::Server, bytes.chunks(size)).messages, want, "in pieces of {size}");
    }
}

#[test]
fn hostile_length_abandons_the_direction() {
    let bytes = joined(&[GREETING, HOSTILE_LENGTH, ONE_BOOL, GREETING]);
    for size in 1..bytes.len() {
        let mut stream = arrived(Side::Server, bytes.chunks(size));
        assert_eq!(stream.messages, [trial::bytes(GREETING), trial::bytes("ff ff ff ff 03")]);
        assert_eq!(stream.messages.concat().len() + stream.unknown.len(), bytes.len());
        stream.lose(Side::Server);
        stream.arrive(Side::Server, &trial::bytes(GREETING));
        assert_eq!(stream.messages.len(), 2);
    }
}

#[test]
fn length_that_only_json_cannot_have_stays_in_step() {
    let long = json_message(5, &[b' '; 70_000]);
    let bytes = [trial::bytes(CLEAR_IDLE), long.clone(), trial::bytes(DROP_ITEM)].concat();
    assert_eq!(arrived(Side::Client, bytes.chunks(1460)).messages, [trial::bytes(CLEAR_IDLE), long, trial::bytes(DROP_ITEM)]);
}

#[test]
fn malformed_message_alone_is_still_a_message() {
    for hex in [MALFORMED, &["02 00 00 00 07 01 02"]].concat() {
        assert_eq!(arrived(Side::Server, [&*trial::bytes(hex)]).messages, [trial::bytes(hex)], "{hex}");
    }
}

#[test]
fn hostile_length_alone_is_still_a_message() {
    let mut stream = arrived(Side::Server, [&*trial::bytes(HOSTILE_LENGTH)]);
    stream.end(Side::Server);
    assert_eq!(stream.messages, [trial::bytes("ff ff ff ff 03")]);
    assert_eq!(stream.unknown, [0, 0x0f]);
}

#[test]
fn greeting_may_begin_with_blanks() {
    let greeting = json_message(1, format!("{:80}{{\"lang\" : \"en\", \"version\" : \"1\"}}", "").as_bytes());
    assert_eq!(arrived(Side::Server, greeting.chunks(9)).messages, [greeting]);
}

#[test]
fn stream_that_begins_inside_a_message_is_joined_at_the_next() {
    let bytes = joined(&[RADIO, TWO_FLOATS, HEARTBEATING, ONE_BOOL]);
    let want = [TWO_FLOATS, HEARTBEATING, ONE_BOOL].map(trial::bytes);
    for start in 1..102 {
        for size in [1, 7, 64, 1460] {
            let mut stream = arrived(Side::Server, bytes[start..].chunks(size));
            stream.end(Side::Server);
            assert_eq!(stream.messages, want, "from {start} in pieces of {size}");
            assert_eq!(stream.unknown.len(), 102 - start);
        }
    }
}

#[test]
fn after_a_gap_the_next_message_that_fits_is_found() {
    for (from, parts) in
        [(Side::Server, [NINE_TYPES, HEARTBEATING]), (Side::Server, [ALLOWED, MAP]), (Side::Client, [DROP_ITEM, HEARTBEATING])]
    {
        let mut stream = Stream::default();
        stream.arrive(from, &trial::bytes(parts[0])[..20]);
        stream.lose(from);
        stream.arrive(from, &trial::bytes("61 00 00 00 03 01 02"));
        let bytes = joined(&parts);
        bytes.chunks(11).for_each(|piece| stream.arrive(from, piece));
        assert_eq!(stream.messages, parts.map(trial::bytes));
        assert_eq!(stream.unknown, trial::bytes("61 00 00 00 03 01 02"));
    }
}

#[test]
fn gap_inside_one_message_keeps_the_step() {
    let mut session = Session::default();
    session.extent(Side::Server, &trial::bytes(GREETING), true);
    session.gap(Side::Server, Missing { bytes: 9, in_step: true });
    assert_eq!(session.extent(Side::Server, &trial::bytes("02 00 00 00 00"), true), Extent::Message(7));
}

#[test]
fn zeros_are_not_enough_to_go_on_with() {
    let mut stream = Stream::default();
    stream.lose(Side::Server);
    stream.arrive(Side::Server, &[0; 1000]);
    assert!(stream.messages.is_empty());
    stream.arrive(Side::Server, &trial::bytes(RADIO));
    assert_eq!(stream.messages, [trial::bytes(RADIO)]);
}

#[test]
fn at_the_end_a_search_settles_for_what_has_begun() {
    let begun = &joined(&["61 00 00 00 03 01 02", RADIO])[..60];
    let mut session = Session::default();
    session.gap(Side::Server, Missing { bytes: 9, in_step: false });
    assert_eq!(session.extent(Side::Server, begun, true), Extent::Unknown(7));
    assert_eq!(session.extent(Side::Server, begun, false), Extent::Unknown(7));
    assert_eq!(session.extent(Side::Server, &begun[7..], false), Extent::Message(102));
    session.gap(Side::Server, Missing { bytes: 9, in_step: false });
    assert_eq!(session.extent(Side::Server, &[1, 2, 3], false), Extent::Unknown(3));
    assert_eq!(session.extent(Side::Server, &[0; 20], false), Extent::Unknown(20));
}

#[test]
fn directions_are_told_apart() {
    let mut session = Session::default();
    session.gap(Side::Server, Missing { bytes: 9, in_step: false });
    assert_eq!(session.extent(Side::Client, &trial::bytes(CLEAR_IDLE), true), Extent::Message(33));
    assert_eq!(session.extent(Side::Server, &trial::bytes(HEARTBEATING), true), Extent::Unknown(1));
}

#[test]
fn hostile_streams_are_searched_in_proportion_to_their_length() {
    // Each block is the header of a long update and the beginning of a text that the next header ends.
    let block = trial::bytes("00 00 0f 00 03 06 01 02 03 04 61 61 61 61 61 61");
    let bytes = block.repeat(1 << 16);
    for chunk in [1460, bytes.len()] {
        let mut stream = Stream::default();
        stream.lose(Side::Server);
        bytes.chunks(chunk).for_each(|piece| stream.arrive(Side::Server, piece));
        assert!(stream.messages.is_empty());
    }
    let mut zeros = Stream::default();
    zeros.arrive(Side::Server, &vec![0; 1 << 16]);
}

fn judge(look: fn(&Opening<'_>) -> Verdict, app: &[u8], game: &[u8], from_start: bool, complete: bool) -> Verdict {
    look(&Opening { said: [app, game], from_start: [from_start; 2], complete })
}

const LOOKS: [fn(&Opening<'_>) -> Verdict; 2] = [looks::on_port, looks::anywhere];

#[test]
fn greeting_is_recognised_anywhere_and_from_either_side() {
    let greeting = trial::bytes(GREETING);
    for look in LOOKS {
        assert_eq!(judge(look, &[], &greeting, true, false), Verdict::Yes(Side::Server));
        assert_eq!(judge(look, &greeting, &[], true, true), Verdict::Yes(Side::Client));
        assert_eq!(judge(look, &[0; 10], &greeting, false, false), Verdict::Yes(Side::Server));
        let spaced = json_message(1, br#"  { "lang": "de", "version": "1.2" }"#);
        assert_eq!(judge(look, &[], &spaced, true, true), Verdict::Yes(Side::Server));
        for end in 0..27 {
            assert_eq!(judge(look, &[], &greeting[..end], true, false), Verdict::Unsure, "{end} bytes");
            assert_eq!(judge(look, &[], &greeting[..end], true, true), Verdict::No, "{end} bytes");
        }
    }
}

#[test]
fn greeting_without_language_or_version_is_none() {
    for text in [&br#"{"lang":"en"}"#[..], br#"{"version":"1"}"#, br#"["lang","version"]"#, b"{}"] {
        for look in LOOKS {
            assert_eq!(judge(look, &[], &json_message(1, text), true, false), Verdict::No);
        }
    }
}

#[test]
fn refusal_is_recognised_on_the_port_only() {
    let refusal = trial::bytes(REFUSAL);
    assert_eq!(judge(looks::on_port, &[], &refusal, true, true), Verdict::Yes(Side::Server));
    assert_eq!(judge(looks::on_port, &refusal, &[], true, true), Verdict::Yes(Side::Client));
    assert_eq!(judge(looks::anywhere, &[], &refusal, true, true), Verdict::No);
}

#[test]
fn zeros_alone_are_waited_for_on_the_port_and_never_claimed() {
    for (app, game) in [(&[0_u8; 25][..], &[][..]), (&[], &[0; 25]), (&[0; 5], &[0; 50]), (&[0; 3], &[])] {
        assert_eq!(judge(looks::on_port, app, game, true, false), Verdict::Unsure);
        for look in LOOKS {
            for from_start in [true, false] {
                assert_eq!(judge(look, app, game, from_start, true), Verdict::No);
            }
        }
    }
    let commands = joined(&[HEARTBEATING, CLEAR_IDLE]);
    assert_eq!(judge(looks::on_port, &commands, &[], true, false), Verdict::Unsure);
}

#[test]
fn two_messages_in_a_row_are_recognised_on_the_port_midway() {
    let updates = joined(&[ONE_BOOL, TWO_FLOATS]);
    assert_eq!(judge(looks::on_port, &[], &updates, false, false), Verdict::Yes(Side::Server));
    assert_eq!(judge(looks::on_port, &updates, &[], false, false), Verdict::Yes(Side::Client));
    assert_eq!(judge(looks::anywhere, &[], &updates, false, false), Verdict::No);
    let commands = joined(&[HEARTBEATING, CLEAR_IDLE]);
    assert_eq!(judge(looks::on_port, &commands, &[], false, false), Verdict::Yes(Side::Server));
    assert_eq!(judge(looks::on_port, &[0; 5], &commands, false, false), Verdict::Yes(Side::Client));
    let midway = &joined(&[RADIO, TWO_FLOATS, HEARTBEATING])[40..];
    assert_eq!(judge(looks::on_port, &[], midway, false, false), Verdict::Yes(Side::Server));
    let mixed = joined(&[ONE_BOOL, CLEAR_IDLE]);
    assert_eq!(judge(looks::on_port, &[], &mixed, false, true), Verdict::No);
    assert_eq!(judge(looks::on_port, &[], &trial::bytes(ONE_BOOL), false, true), Verdict::No);
    assert_eq!(judge(looks::on_port, &[], &trial::bytes(ONE_BOOL), false, false), Verdict::Unsure);
}

#[test]
fn one_side_alone_of_a_session_is_recognised_on_the_port() {
    let commands = joined(&[HEARTBEATING, HEARTBEATING, CLEAR_IDLE, HEARTBEATING]);
    assert_eq!(judge(looks::on_port, &commands, &[], true, true), Verdict::Yes(Side::Server));
}

#[test]
fn other_protocols_are_not_claimed() {
    let others: [&[u8]; 10] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x16\x03\x01\x00\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST /lang HTTP/1.1\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        // A FlexNet licence client's greeting.
        b"\x68\x3e\x31\x31\x34\x31\x36\x00\x75\x73\x65\x72\x00\x00\x00\x00\x00\x00\x00\x00",
        b"\x2f\x24\x01\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        b"\x02\x00\x00\x00\x00\x01\x02",
        b"\x03\x00\x00\x00\x02abc",
        b"\x05\x00\x00\x00\x07hello",
    ];
    for look in LOOKS {
        for other in others {
            for (app, game) in [(other, &[][..]), (&[], other), (other, b"\x00\x00\x00\x00\x00")] {
                assert_eq!(judge(look, app, game, true, false), Verdict::No, "{other:02x?}");
                assert_eq!(judge(look, app, game, false, true), Verdict::No, "{other:02x?}");
            }
        }
    }
}

#[test]
fn discovery_is_one_object_with_the_right_members() {
    let long = format!(r#"{{"cmd":"autodiscover","x":"{}"}}"#, "x".repeat(2048));
    for other in [
        "",
        "{}",
        "autodiscover",
        r#"["cmd","autodiscover"]"#,
        r#"{"cmd":"reboot"}"#,
        r#"{"IsBusy":false}"#,
        r#"{"IsBusy":"false","MachineType":"PC"}"#,
        r#"{"IsBusy":true,"MachineType":1}"#,
        r#"{"cmd":"autodiscover"} x"#,
        r#"{"cmd":"autodiscover""#,
        &long,
    ] {
        assert!(!looks::is_discovery(other.as_bytes()), "{other}");
    }
    for ours in [" {\"cmd\": \"autodiscover\"}\r\n", r#"{"MachineType":"PC","IsBusy":true}"#] {
        assert!(looks::is_discovery(ours.as_bytes()), "{ours}");
    }
}

#[test]
fn folded_entries_say_what_they_hold() {
    let bytes = trial::bytes(THREE);
    let mut tree = Tree::new(Want::EVERYTHING);
    tree.begin(FrameInfo::default());
    let layer = tree.push_layer(PROTOCOL.this, Span::new(0, 0..bytes.len()), None, 0, true);
    let mut wire = Wire::new(&mut tree, layer, 0, &bytes, 0..bytes.len(), Cut::No);
    Session::default().message(Side::Server, &mut wire).unwrap();
    let of = Dissection { tree: &tree, bytes: &bytes };
    let folded: Vec<String> = (0..tree.here())
        .filter_map(|place| of.node(place))
        .filter(|node| node.field().kind == Kind::Group)
        .map(|node| {
            let (mut value, mut meaning) = (String::new(), String::new());
            node.write_value(&mut value).unwrap();
            node.write_meaning(&mut meaning).unwrap();
            format!("{value} | {meaning}")
        })
        .collect();
    assert_eq!(
        folded,
        ["42 | int32, id 10", "2 refs | list, id 11", "+2 -2 | dict, id 12", "\"foo\" | ref 5", "\"hello\" | ref 6"]
    );
}

/// Bytes that lead further than noise does: pieces of messages, and noise.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..20),
        proptest::sample::select([GOOD, MALFORMED].concat()).prop_map(trial::bytes),
        (proptest::sample::select([GOOD, MALFORMED].concat()), 0..50_usize).prop_map(|(hex, end)| {
            let bytes = trial::bytes(hex);
            bytes[..end.min(bytes.len())].to_vec()
        }),
        (0..12_u8, 0..20_u8).prop_map(|(kind, length)| vec![length, 0, 0, 0, kind]),
        Just(vec![0; 10]),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_bytes_upset_a_message(bytes in hostile(), from_game in any::<bool>(), is_cut in any::<bool>()) {
        let from = if from_game { Side::Server } else { Side::Client };
        said(from, &bytes, if is_cut { Cut::Stream { want: bytes.len() + 1 } } else { Cut::No });
        trial::read(&PROTOCOL, &bytes, Cut::No, discovery);
    }

    #[test]
    fn extents_always_get_on_and_drop_nothing(bytes in hostile(), size in 1..40_usize, lost in any::<bool>()) {
        let mut stream = Stream::default();
        if lost {
            stream.lose(Side::Server);
        }
        bytes.chunks(size).for_each(|piece| stream.arrive(Side::Server, piece));
        prop_assert_eq!(stream.messages.concat().len() + stream.unknown.len() + stream.waiting.len(), bytes.len());
        stream.end(Side::Server);
        prop_assert_eq!(stream.messages.concat().len() + stream.unknown.len(), bytes.len());
    }

    #[test]
    fn any_opening_is_judged(app in hostile(), game in hostile(), from_start: bool, complete: bool) {
        for look in LOOKS {
            let verdict = judge(look, &app, &game, from_start, complete);
            prop_assert!(!complete || verdict != Verdict::Unsure);
        }
        looks::is_discovery(&app);
    }
}
