//! Messages of the protocol description.

use super::*;

#[test]
fn client_opening_and_version() {
    insta::assert_snapshot!(stream(Side::Client, &trial::bytes(X1)), @r#"
    xfire 0..4 | hello
      0..4 xfire.magic = "UA01"
    xfire 0..18 | client_version | version 67
      0..2 xfire.length = 18
      2..4 xfire.type = 3 (client_version)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..18 xfire.attr
        5..6 xfire.attr.name_len = 7
        6..13 xfire.attr.name = "version"
        13..14 xfire.attr.type = 2 (int32)
        14..18 xfire.value.int32 = 67
          14..18 xfire.version = 67
    "#);
}

#[test]
fn login_salt() {
    insta::assert_snapshot!(by_server(X2), @r#"
    xfire 0..45 | login_salt | salt "4dc383ea21bf4bca83ea5040cb10da62"
      0..2 xfire.length = 45
      2..4 xfire.type = 128 (login_salt)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..45 xfire.attr
        5..6 xfire.attr.name_len = 4
        6..10 xfire.attr.name = "salt"
        10..11 xfire.attr.type = 1 (string)
        11..13 xfire.value.string_len = 32
        13..45 xfire.value.string = "4dc383ea21bf4bca83ea5040cb10da62"
          13..45 xfire.salt = "4dc383ea21bf4bca83ea5040cb10da62"
    "#);
}

#[test]
fn login_request_after_a_salt() {
    insta::assert_snapshot!(by_client(X3), @r#"
    xfire 0..84 | login_request | testuser
      0..2 xfire.length = 84
      2..4 xfire.type = 1 (login_request)
      4..5 xfire.attr_count = 3
      xfire.key_mode = "string"
      5..21 xfire.attr
        5..6 xfire.attr.name_len = 4
        6..10 xfire.attr.name = "name"
        10..11 xfire.attr.type = 1 (string)
        11..13 xfire.value.string_len = 8
        13..21 xfire.value.string = "testuser"
          13..21 xfire.name = "testuser"
      21..73 xfire.attr
        21..22 xfire.attr.name_len = 8
        22..30 xfire.attr.name = "password"
        30..31 xfire.attr.type = 1 (string)
        31..33 xfire.value.string_len = 40
        33..73 xfire.login.digest = "efbc7394c38acc95325060d8b78fde35e5a64283"
      73..84 xfire.attr
        73..74 xfire.attr.name_len = 5
        74..79 xfire.attr.name = "flags"
        79..80 xfire.attr.type = 2 (int32)
        80..84 xfire.value.int32 = 0
    "#);
}

#[test]
fn keepalive_with_an_empty_list() {
    insta::assert_snapshot!(by_client(X4), @r#"
    xfire 0..26 | keepalive
      0..2 xfire.length = 26
      2..4 xfire.type = 13 (keepalive)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "string"
      5..16 xfire.attr
        5..6 xfire.attr.name_len = 5
        6..11 xfire.attr.name = "value"
        11..12 xfire.attr.type = 2 (int32)
        12..16 xfire.value.int32 = 0
      16..26 xfire.attr
        16..17 xfire.attr.name_len = 5
        17..22 xfire.attr.name = "stats"
        22..23 xfire.attr.type = 4 (list)
        23..26 xfire.list
          23..24 xfire.list.elem_type = 2 (int32)
          24..26 xfire.list.count = 0
      xfire.keepalive.number = 1
    "#);
}

#[test]
fn chat_message() {
    insta::assert_snapshot!(by_client(X5), @r#"
    xfire 0..73 | peer_message | IM #4 to sid #1: "dude!"
      0..2 xfire.length = 73
      2..4 xfire.type = 2 (peer_message)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "string"
      5..26 xfire.attr
        5..6 xfire.attr.name_len = 3
        6..9 xfire.attr.name = "sid"
        9..10 xfire.attr.type = 3 (sid)
        10..26 xfire.value.sid = 0b8eeb3e81f8d94f6aed08548f96d393
          10..26 xfire.sid = 0b8eeb3e81f8d94f6aed08548f96d393
            10..26 xfire.session = 1
      26..73 xfire.attr
        26..27 xfire.attr.name_len = 7
        27..34 xfire.attr.name = "peermsg"
        34..35 xfire.attr.type = 5 (string_map)
        35..73 xfire.map
          35..36 xfire.map.count = 3
          36..49 xfire.attr
            36..37 xfire.attr.name_len = 7
            37..44 xfire.attr.name = "msgtype"
            44..45 xfire.attr.type = 2 (int32)
            45..49 xfire.value.int32 = 0
              45..49 xfire.peermsg.msgtype = 0 (im)
          49..62 xfire.attr
            49..50 xfire.attr.name_len = 7
            50..57 xfire.attr.name = "imindex"
            57..58 xfire.attr.type = 2 (int32)
            58..62 xfire.value.int32 = 4
              58..62 xfire.peermsg.imindex = 4
          62..73 xfire.attr
            62..63 xfire.attr.name_len = 2
            63..65 xfire.attr.name = "im"
            65..66 xfire.attr.type = 1 (string)
            66..68 xfire.value.string_len = 5
            68..73 xfire.value.string = "dude!"
              68..73 xfire.peermsg.im = "dude!"
    "#);
}

#[test]
fn address_of_a_peer() {
    insta::assert_snapshot!(by_server(X6), @r#"
    xfire 0..155 | peer_message | address from sid #1: 192.168.1.23, port 4711, 10.0.0.5, port 4711
      0..2 xfire.length = 155
      2..4 xfire.type = 133 (peer_message)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "string"
      5..26 xfire.attr
        5..6 xfire.attr.name_len = 3
        6..9 xfire.attr.name = "sid"
        9..10 xfire.attr.type = 3 (sid)
        10..26 xfire.value.sid = 0cf00615e44895c5716a061ccc46eed1
          10..26 xfire.sid = 0cf00615e44895c5716a061ccc46eed1
            10..26 xfire.session = 1
      26..155 xfire.attr
        26..27 xfire.attr.name_len = 7
        27..34 xfire.attr.name = "peermsg"
        34..35 xfire.attr.type = 5 (string_map)
        35..155 xfire.map
          35..36 xfire.map.count = 7
          36..49 xfire.attr
            36..37 xfire.attr.name_len = 7
            37..44 xfire.attr.name = "msgtype"
            44..45 xfire.attr.type = 2 (int32)
            45..49 xfire.value.int32 = 2
              45..49 xfire.peermsg.msgtype = 2 (p2p_info)
          49..57 xfire.attr
            49..50 xfire.attr.name_len = 2
            50..52 xfire.attr.name = "ip"
            52..53 xfire.attr.type = 2 (int32)
            53..57 xfire.value.int32 = -1062731497
              53..57 xfire.ip = 192.168.1.23
          57..67 xfire.attr
            57..58 xfire.attr.name_len = 4
            58..62 xfire.attr.name = "port"
            62..63 xfire.attr.type = 2 (int32)
            63..67 xfire.value.int32 = 4711
              63..67 xfire.port = 4711
          67..80 xfire.attr
            67..68 xfire.attr.name_len = 7
            68..75 xfire.attr.name = "localip"
            75..76 xfire.attr.type = 2 (int32)
            76..80 xfire.value.int32 = 167772165
              76..80 xfire.ip = 10.0.0.5
          80..95 xfire.attr
            80..81 xfire.attr.name_len = 9
            81..90 xfire.attr.name = "localport"
            90..91 xfire.attr.type = 2 (int32)
            91..95 xfire.value.int32 = 4711
              91..95 xfire.port = 4711
          95..107 xfire.attr
            95..96 xfire.attr.name_len = 6
            96..102 xfire.attr.name = "status"
            102..103 xfire.attr.type = 2 (int32)
            103..107 xfire.value.int32 = 4
              103..107 xfire.nat.type = 4 (port-restricted cone)
          107..155 xfire.attr
            107..108 xfire.attr.name_len = 4
            108..112 xfire.attr.name = "salt"
            112..113 xfire.attr.type = 1 (string)
            113..115 xfire.value.string_len = 40
            115..155 xfire.value.string = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
              115..155 xfire.salt = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
    "#);
}

#[test]
fn friend_list_in_rows() {
    insta::assert_snapshot!(by_server(X7), @r#"
    xfire 0..63 | friend_names | 2 rows: alice, bob
      0..2 xfire.length = 63
      2..4 xfire.type = 131 (friend_names)
      4..5 xfire.attr_count = 3
      xfire.key_mode = "string"
      5..29 xfire.attr
        5..6 xfire.attr.name_len = 7
        6..13 xfire.attr.name = "friends"
        13..14 xfire.attr.type = 4 (list)
        14..29 xfire.list
          14..15 xfire.list.elem_type = 1 (string)
          15..17 xfire.list.count = 2
          17..19 xfire.value.string_len = 5
          19..24 xfire.value.string = "alice"
          24..26 xfire.value.string_len = 3
          26..29 xfire.value.string = "bob"
      29..44 xfire.attr
        29..30 xfire.attr.name_len = 4
        30..34 xfire.attr.name = "nick"
        34..35 xfire.attr.type = 4 (list)
        35..44 xfire.list
          35..36 xfire.list.elem_type = 1 (string)
          36..38 xfire.list.count = 2
          38..40 xfire.value.string_len = 2
          40..42 xfire.value.string = "Al"
          42..44 xfire.value.string_len = 0
          44..44 xfire.value.string = ""
      44..63 xfire.attr
        44..45 xfire.attr.name_len = 6
        45..51 xfire.attr.name = "userid"
        51..52 xfire.attr.type = 4 (list)
        52..63 xfire.list
          52..53 xfire.list.elem_type = 2 (int32)
          53..55 xfire.list.count = 2
          55..59 xfire.value.int32 = 1001
          59..63 xfire.value.int32 = 1002
      xfire.row
        19..24 xfire.name = "alice"
        40..42 xfire.nick = "Al"
        55..59 xfire.userid = 1001
      xfire.row
        26..29 xfire.name = "bob"
        44..44 xfire.nick = ""
        59..63 xfire.userid = 1002
    "#);
}

#[test]
fn session_ids_with_numbered_keys() {
    insta::assert_snapshot!(by_server(X8), @r#"
    xfire 0..55 | session_ids | 2 rows
      0..2 xfire.length = 55
      2..4 xfire.type = 132 (session_ids)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "byte"
      5..18 xfire.attr
        5..6 xfire.attr.key = 0x01 (userid)
        6..7 xfire.attr.type = 4 (list)
        7..18 xfire.list
          7..8 xfire.list.elem_type = 2 (int32)
          8..10 xfire.list.count = 2
          10..14 xfire.value.int32 = 1001
          14..18 xfire.value.int32 = 1002
      18..55 xfire.attr
        18..19 xfire.attr.key = 0x03 (sid)
        19..20 xfire.attr.type = 4 (list)
        20..55 xfire.list
          20..21 xfire.list.elem_type = 3 (sid)
          21..23 xfire.list.count = 2
          23..39 xfire.value.sid = 0cf00615e44895c5716a061ccc46eed1
            23..39 xfire.session = 1
          39..55 xfire.value.sid = 00000000000000000000000000000000
      xfire.row
        10..14 xfire.userid = 1001
        23..39 xfire.sid = 0cf00615e44895c5716a061ccc46eed1
          23..39 xfire.session = 1
      xfire.row
        14..18 xfire.userid = 1002
        39..55 xfire.sid = 00000000000000000000000000000000
    "#);
}

#[test]
fn session_ids_with_named_keys() {
    insta::assert_snapshot!(trial::below(&by_server(X9), &["xfire.length", "xfire.key_mode", "xfire.attr"]), @r#"
    xfire 0..64 | session_ids | 2 rows
      0..2 xfire.length = 64
      xfire.key_mode = "string"
      5..24 xfire.attr
        5..6 xfire.attr.name_len = 6
        6..12 xfire.attr.name = "userid"
        12..13 xfire.attr.type = 4 (list)
        13..24 xfire.list
          13..14 xfire.list.elem_type = 2 (int32)
          14..16 xfire.list.count = 2
          16..20 xfire.value.int32 = 1001
          20..24 xfire.value.int32 = 1002
      24..64 xfire.attr
        24..25 xfire.attr.name_len = 3
        25..28 xfire.attr.name = "sid"
        28..29 xfire.attr.type = 4 (list)
        29..64 xfire.list
          29..30 xfire.list.elem_type = 3 (sid)
          30..32 xfire.list.count = 2
          32..48 xfire.value.sid = 0cf00615e44895c5716a061ccc46eed1
            32..48 xfire.session = 1
          48..64 xfire.value.sid = 00000000000000000000000000000000
    "#);
}

#[test]
fn preferences_by_number() {
    insta::assert_snapshot!(by_server(X10), @r#"
    xfire 0..23 | preferences
      0..2 xfire.length = 23
      2..4 xfire.type = 141 (preferences)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "byte"
      5..23 xfire.attr
        5..6 xfire.attr.key = 0x4c (preferences)
        6..7 xfire.attr.type = 9 (byte_map)
        7..23 xfire.map
          7..8 xfire.map.count = 3
          8..13 xfire.attr
            8..9 xfire.attr.preference = 1 (show game status to friends)
            9..10 xfire.attr.type = 1 (string)
            10..12 xfire.value.string_len = 1
            12..13 xfire.value.string = "0"
          13..18 xfire.attr
            13..14 xfire.attr.preference = 6 (timestamps in chat)
            14..15 xfire.attr.type = 1 (string)
            15..17 xfire.value.string_len = 1
            17..18 xfire.value.string = "1"
          18..23 xfire.attr
            18..19 xfire.attr.preference = 8 (show friends of friends)
            19..20 xfire.attr.type = 1 (string)
            20..22 xfire.value.string_len = 1
            22..23 xfire.value.string = "0"
    "#);
}

#[test]
fn groups_of_friends() {
    insta::assert_snapshot!(by_server(X11), @r#"
    xfire 0..39 | group_list | 2 rows: IRL, E-Friends
      0..2 xfire.length = 39
      2..4 xfire.type = 151 (group_list)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "byte"
      5..18 xfire.attr
        5..6 xfire.attr.key = 0x19 (group_id)
        6..7 xfire.attr.type = 4 (list)
        7..18 xfire.list
          7..8 xfire.list.elem_type = 2 (int32)
          8..10 xfire.list.count = 2
          10..14 xfire.value.int32 = 4153738
          14..18 xfire.value.int32 = 4153739
      18..39 xfire.attr
        18..19 xfire.attr.key = 0x1a (group_name)
        19..20 xfire.attr.type = 4 (list)
        20..39 xfire.list
          20..21 xfire.list.elem_type = 1 (string)
          21..23 xfire.list.count = 2
          23..25 xfire.value.string_len = 3
          25..28 xfire.value.string = "IRL"
          28..30 xfire.value.string_len = 9
          30..39 xfire.value.string = "E-Friends"
      xfire.row
        10..14 xfire.group_id = 4153738
        25..28 xfire.group_name = "IRL"
      xfire.row
        14..18 xfire.group_id = 4153739
        30..39 xfire.group_name = "E-Friends"
    "#);
}

#[test]
fn type_above_255() {
    insta::assert_snapshot!(by_server(X12), @r#"
    xfire 0..31 | did
      0..2 xfire.length = 31
      2..4 xfire.type = 400 (did)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..31 xfire.attr
        5..6 xfire.attr.name_len = 3
        6..9 xfire.attr.name = "did"
        9..10 xfire.attr.type = 6 (did)
        10..31 xfire.value.did = d1c2953384c4ccb231501f0e43c58930b2a70e4ab6
    "#);
}

#[test]
fn numbered_keys_inside_named_ones() {
    insta::assert_snapshot!(by_client(X13), @r#"
    xfire 0..56 | group_chat | message "hi all"
      0..2 xfire.length = 56
      2..4 xfire.type = 25 (group_chat)
      4..5 xfire.attr_count = 2
      xfire.key_mode = "string"
      5..17 xfire.attr
        5..6 xfire.attr.name_len = 6
        6..12 xfire.attr.name = "climsg"
        12..13 xfire.attr.type = 2 (int32)
        13..17 xfire.value.int32 = 19702
          13..17 xfire.climsg = 19702 (message)
      17..56 xfire.attr
        17..18 xfire.attr.name_len = 3
        18..21 xfire.attr.name = "msg"
        21..22 xfire.attr.type = 9 (byte_map)
        22..56 xfire.map
          22..23 xfire.map.count = 2
          23..46 xfire.attr
            23..24 xfire.attr.key = 0x04 (chat_id)
            24..25 xfire.attr.type = 6 (did)
            25..46 xfire.value.did = 00112233445566778899aabbccddeeff0011223344
              25..46 xfire.chat_id = 00112233445566778899aabbccddeeff0011223344
          46..56 xfire.attr
            46..47 xfire.attr.key = 0x2e (message)
            47..48 xfire.attr.type = 1 (string)
            48..50 xfire.value.string_len = 6
            50..56 xfire.value.string = "hi all"
              50..56 xfire.message = "hi all"
    "#);
}

#[test]
fn list_of_lists() {
    insta::assert_snapshot!(by_server(X14), @r#"
    xfire 0..96 | friends_of_friends | 1 row: carol
      0..2 xfire.length = 96
      2..4 xfire.type = 136 (friends_of_friends)
      4..5 xfire.attr_count = 5
      xfire.key_mode = "string"
      5..31 xfire.attr
        5..6 xfire.attr.name_len = 5
        6..11 xfire.attr.name = "fnsid"
        11..12 xfire.attr.type = 4 (list)
        12..31 xfire.list
          12..13 xfire.list.elem_type = 3 (sid)
          13..15 xfire.list.count = 1
          15..31 xfire.value.sid = 0cf00615e44895c5716a061ccc46eed1
            15..31 xfire.session = 1
      31..46 xfire.attr
        31..32 xfire.attr.name_len = 6
        32..38 xfire.attr.name = "userid"
        38..39 xfire.attr.type = 4 (list)
        39..46 xfire.list
          39..40 xfire.list.elem_type = 2 (int32)
          40..42 xfire.list.count = 1
          42..46 xfire.value.int32 = 2001
      46..62 xfire.attr
        46..47 xfire.attr.name_len = 4
        47..51 xfire.attr.name = "name"
        51..52 xfire.attr.type = 4 (list)
        52..62 xfire.list
          52..53 xfire.list.elem_type = 1 (string)
          53..55 xfire.list.count = 1
          55..57 xfire.value.string_len = 5
          57..62 xfire.value.string = "carol"
      62..73 xfire.attr
        62..63 xfire.attr.name_len = 4
        63..67 xfire.attr.name = "nick"
        67..68 xfire.attr.type = 4 (list)
        68..73 xfire.list
          68..69 xfire.list.elem_type = 1 (string)
          69..71 xfire.list.count = 1
          71..73 xfire.value.string_len = 0
          73..73 xfire.value.string = ""
      73..96 xfire.attr
        73..74 xfire.attr.name_len = 7
        74..81 xfire.attr.name = "friends"
        81..82 xfire.attr.type = 4 (list)
        82..96 xfire.list
          82..83 xfire.list.elem_type = 4 (list)
          83..85 xfire.list.count = 1
          85..96 xfire.list
            85..86 xfire.list.elem_type = 2 (int32)
            86..88 xfire.list.count = 2
            88..92 xfire.value.int32 = 1001
            92..96 xfire.value.int32 = 1002
      xfire.row
        15..31 xfire.sid = 0cf00615e44895c5716a061ccc46eed1
          15..31 xfire.session = 1
        42..46 xfire.userid = 2001
        57..62 xfire.name = "carol"
        73..73 xfire.nick = ""
        88..92 xfire.common_friend = 1001
        92..96 xfire.common_friend = 1002
    "#);
}

#[test]
fn disconnect_notice() {
    insta::assert_snapshot!(by_server(X15), @r#"
    xfire 0..17 | disconnect_notice | reason logged in elsewhere
      0..2 xfire.length = 17
      2..4 xfire.type = 145 (disconnect_notice)
      4..5 xfire.attr_count = 1
      xfire.key_mode = "string"
      5..17 xfire.attr
        5..6 xfire.attr.name_len = 6
        6..12 xfire.attr.name = "reason"
        12..13 xfire.attr.type = 2 (int32)
        13..17 xfire.value.int32 = 1
          13..17 xfire.reason = 1 (logged in elsewhere)
    "#);
}

#[test]
fn voice_servers_of_friends() {
    insta::assert_snapshot!(by_server(X16), @r#"
    xfire 0..67 | friends_voip | 1 row
      0..2 xfire.length = 67
      2..4 xfire.type = 147 (friends_voip)
      4..5 xfire.attr_count = 4
      xfire.key_mode = "string"
      5..29 xfire.attr
        5..6 xfire.attr.name_len = 3
        6..9 xfire.attr.name = "sid"
        9..10 xfire.attr.type = 4 (list)
        10..29 xfire.list
          10..11 xfire.list.elem_type = 3 (sid)
          11..13 xfire.list.count = 1
          13..29 xfire.value.sid = 0d17098578ac5881f8d17774fd3cd80a
            13..29 xfire.session = 1
      29..41 xfire.attr
        29..30 xfire.attr.name_len = 3
        30..33 xfire.attr.name = "vid"
        33..34 xfire.attr.type = 4 (list)
        34..41 xfire.list
          34..35 xfire.list.elem_type = 2 (int32)
          35..37 xfire.list.count = 1
          37..41 xfire.value.int32 = 35
      41..53 xfire.attr
        41..42 xfire.attr.name_len = 3
        42..45 xfire.attr.name = "vip"
        45..46 xfire.attr.type = 4 (list)
        46..53 xfire.list
          46..47 xfire.list.elem_type = 2 (int32)
          47..49 xfire.list.count = 1
          49..53 xfire.value.int32 = 1317126658
      53..67 xfire.attr
        53..54 xfire.attr.name_len = 5
        54..59 xfire.attr.name = "vport"
        59..60 xfire.attr.type = 4 (list)
        60..67 xfire.list
          60..61 xfire.list.elem_type = 2 (int32)
          61..63 xfire.list.count = 1
          63..67 xfire.value.int32 = 9065
      xfire.row
        13..29 xfire.sid = 0d17098578ac5881f8d17774fd3cd80a
          13..29 xfire.session = 1
        37..41 xfire.voice = 35
        49..53 xfire.ip = 78.129.194.2
        63..67 xfire.port = 9065
    "#);
}

#[test]
fn smallest_message() {
    insta::assert_snapshot!(by_server(X18), @r#"
    xfire 0..5 | new_server_ip
      0..2 xfire.length = 5
      2..4 xfire.type = 175 (new_server_ip)
      4..5 xfire.attr_count = 0
      xfire.key_mode = "byte"
    "#);
}
