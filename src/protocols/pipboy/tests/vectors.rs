//! Well-formed messages, field by field.

use super::*;

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
fn emulator_sends_its_name() {
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
    insta::assert_snapshot!(by_game(ONE_BOOL), @r##"
    pipboy 0..11 | data_update | 1 entry
      0..4 pipboy.length = 6
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        pipboy.entry.path = "#15"
        10..11 pipboy.entry.bool = false
      pipboy.entry_count = 1
    "##);
}

#[test]
fn update_of_two_floats_is_read() {
    insta::assert_snapshot!(by_game(TWO_FLOATS), @r##"
    pipboy 0..23 | data_update | 2 entries
      0..4 pipboy.length = 18
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 23164
        pipboy.entry.path = "#23164"
        10..14 pipboy.entry.float = 260.45554
      14..23 pipboy.entry
        14..15 pipboy.entry.type = 5 (float)
        15..19 pipboy.entry.id = 23160
        pipboy.entry.path = "#23160"
        19..23 pipboy.entry.float = 260.45554
      pipboy.entry_count = 2
    "##);
}

#[test]
fn update_of_eight_floats_is_read() {
    insta::assert_snapshot!(by_game(EIGHT_FLOATS), @r##"
    pipboy 0..77 | data_update | 8 entries
      0..4 pipboy.length = 72
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 23088
        pipboy.entry.path = "#23088"
        10..14 pipboy.entry.float = 232.24811
      14..23 pipboy.entry
        14..15 pipboy.entry.type = 5 (float)
        15..19 pipboy.entry.id = 23117
        pipboy.entry.path = "#23117"
        19..23 pipboy.entry.float = -80701.77
      23..32 pipboy.entry
        23..24 pipboy.entry.type = 5 (float)
        24..28 pipboy.entry.id = 23120
        pipboy.entry.path = "#23120"
        28..32 pipboy.entry.float = 92006.37
      32..41 pipboy.entry
        32..33 pipboy.entry.type = 5 (float)
        33..37 pipboy.entry.id = 23119
        pipboy.entry.path = "#23119"
        37..41 pipboy.entry.float = -74557.77
      41..50 pipboy.entry
        41..42 pipboy.entry.type = 5 (float)
        42..46 pipboy.entry.id = 23122
        pipboy.entry.path = "#23122"
        46..50 pipboy.entry.float = 88550.37
      50..59 pipboy.entry
        50..51 pipboy.entry.type = 5 (float)
        51..55 pipboy.entry.id = 23121
        pipboy.entry.path = "#23121"
        55..59 pipboy.entry.float = -80701.77
      59..68 pipboy.entry
        59..60 pipboy.entry.type = 5 (float)
        60..64 pipboy.entry.id = 23118
        pipboy.entry.path = "#23118"
        64..68 pipboy.entry.float = 92006.37
      68..77 pipboy.entry
        68..69 pipboy.entry.type = 5 (float)
        69..73 pipboy.entry.id = 23084
        pipboy.entry.path = "#23084"
        73..77 pipboy.entry.float = 232.24811
      pipboy.entry_count = 8
    "##);
}

#[test]
fn update_of_one_float_is_read() {
    insta::assert_snapshot!(by_game(ONE_FLOAT), @r##"
    pipboy 0..14 | data_update | 1 entry
      0..4 pipboy.length = 9
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 24956
        pipboy.entry.path = "#24956"
        10..14 pipboy.entry.float = 18.350029
      pipboy.entry_count = 1
    "##);
}

#[test]
fn start_of_a_first_update_is_read() {
    insta::assert_snapshot!(by_game(RADIO), @r##"
    pipboy 0..102 | data_update | 5 entries
      0..4 pipboy.length = 97
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 5 (float)
        6..10 pipboy.entry.id = 22262
        pipboy.entry.path = "#22260.frequency"
        10..14 pipboy.entry.float = 91
      14..20 pipboy.entry
        14..15 pipboy.entry.type = 0 (bool)
        15..19 pipboy.entry.id = 22264
        pipboy.entry.path = "#22260.inRange"
        19..20 pipboy.entry.bool = true
      20..26 pipboy.entry
        20..21 pipboy.entry.type = 0 (bool)
        21..25 pipboy.entry.id = 22263
        pipboy.entry.path = "#22260.active"
        25..26 pipboy.entry.bool = false
      26..47 pipboy.entry
        26..27 pipboy.entry.type = 6 (string)
        27..31 pipboy.entry.id = 22261
        pipboy.entry.path = "#22260.text"
        31..47 pipboy.entry.string = "Classical Radio"
      47..102 pipboy.entry
        47..48 pipboy.entry.type = 8 (dict)
        48..52 pipboy.entry.id = 22260
        pipboy.entry.path = "#22260"
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
    "##);
}

#[test]
fn removals_are_ids_without_names() {
    insta::assert_snapshot!(by_game(REMOVAL), @r##"
    pipboy 0..39 | data_update | 1 entry
      0..4 pipboy.length = 34
      4..5 pipboy.type = 3 (data_update)
      5..39 pipboy.entry
        5..6 pipboy.entry.type = 8 (dict)
        6..10 pipboy.entry.id = 22329
        pipboy.entry.path = "#22329"
        10..12 pipboy.entry.dict.insert_count = 1
        12..33 pipboy.entry.dict.insert
          12..16 pipboy.entry.dict.insert.ref = 39249
          16..33 pipboy.entry.dict.insert.key = "itemCardInfoList"
        33..35 pipboy.entry.dict.remove_count = 1
        35..39 pipboy.entry.dict.remove.ref = 22344
      pipboy.entry_count = 1
    ! odd pipboy.note.tree at 35..39 pipboy.entry.dict.remove.ref: #22344 and 1 more never sent
    "##);
}

#[test]
fn insertions_come_before_removals() {
    insta::assert_snapshot!(by_game(THREE), @r##"
    pipboy 0..64 | data_update | 3 entries
      0..4 pipboy.length = 59
      4..5 pipboy.type = 3 (data_update)
      5..14 pipboy.entry
        5..6 pipboy.entry.type = 3 (int32)
        6..10 pipboy.entry.id = 10
        pipboy.entry.path = "#10"
        10..14 pipboy.entry.int = 42
      14..29 pipboy.entry
        14..15 pipboy.entry.type = 7 (list)
        15..19 pipboy.entry.id = 11
        pipboy.entry.path = "#11"
        19..21 pipboy.entry.list.count = 2
        21..25 pipboy.entry.list.ref = 1
        25..29 pipboy.entry.list.ref = 2
      29..64 pipboy.entry
        29..30 pipboy.entry.type = 8 (dict)
        30..34 pipboy.entry.id = 12
        pipboy.entry.path = "#12"
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
    ! odd pipboy.note.tree at 25..29 pipboy.entry.list.ref: #1 and 1 more never sent
    ! odd pipboy.note.tree at 60..64 pipboy.entry.dict.remove.ref: #3 and 3 more never sent
    "##);
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
        pipboy.entry.path = "list[0]"
        10..11 pipboy.entry.bool = true
      11..17 pipboy.entry
        11..12 pipboy.entry.type = 1 (int8)
        12..16 pipboy.entry.id = 2
        pipboy.entry.path = "list[1]"
        16..17 pipboy.entry.int = -2
      17..23 pipboy.entry
        17..18 pipboy.entry.type = 2 (uint8)
        18..22 pipboy.entry.id = 3
        pipboy.entry.path = "list[2]"
        22..23 pipboy.entry.uint = 254
      23..32 pipboy.entry
        23..24 pipboy.entry.type = 3 (int32)
        24..28 pipboy.entry.id = 4
        pipboy.entry.path = "obj.a"
        28..32 pipboy.entry.int = -2147483648
      32..41 pipboy.entry
        32..33 pipboy.entry.type = 4 (uint32)
        33..37 pipboy.entry.id = 5
        pipboy.entry.path = "max"
        37..41 pipboy.entry.uint = 4294967295
      41..50 pipboy.entry
        41..42 pipboy.entry.type = 5 (float)
        42..46 pipboy.entry.id = 6
        pipboy.entry.path = "f"
        46..50 pipboy.entry.float = -0.5
      50..68 pipboy.entry
        50..51 pipboy.entry.type = 6 (string)
        51..55 pipboy.entry.id = 7
        pipboy.entry.path = "obj.name"
        55..68 pipboy.entry.string = "Vault 111 é"
      68..74 pipboy.entry
        68..69 pipboy.entry.type = 6 (string)
        69..73 pipboy.entry.id = 8
        pipboy.entry.path = "s"
        73..74 pipboy.entry.string = ""
      74..93 pipboy.entry
        74..75 pipboy.entry.type = 7 (list)
        75..79 pipboy.entry.id = 9
        pipboy.entry.path = "list"
        79..81 pipboy.entry.list.count = 3
        81..85 pipboy.entry.list.ref = 1
        85..89 pipboy.entry.list.ref = 2
        89..93 pipboy.entry.list.ref = 3
      93..100 pipboy.entry
        93..94 pipboy.entry.type = 7 (list)
        94..98 pipboy.entry.id = 10
        pipboy.entry.path = "empty"
        98..100 pipboy.entry.list.count = 0
      100..124 pipboy.entry
        100..101 pipboy.entry.type = 8 (dict)
        101..105 pipboy.entry.id = 11
        pipboy.entry.path = "obj"
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
        pipboy.entry.path = ""
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
    let tree = by_game(PADDED_MAP);
    insta::assert_snapshot!(trial::below(&tree, &["pipboy.map.width", "pipboy.map.pixels", "pipboy.map.stride"]), @"
    pipboy 0..45 | local_map_update | 3 x 2
      5..9 pipboy.map.width = 3
      37..45 pipboy.map.pixels = 102030ee405060ee
      pipboy.map.stride = 4
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
fn refused_command_has_a_message() {
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
