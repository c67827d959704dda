//! Malformed, inconsistent and truncated messages.

use super::*;

#[test]
fn string_without_its_nul_is_noted() {
    insta::assert_snapshot!(trial::below(&by_game(NO_NUL), &["pipboy.data"]), @"
    pipboy 0..16 | data_update | 0 entries
      10..16 pipboy.data = 436170733a20
    ! broken pipboy.error.string at 10..16 pipboy.entry.id: no NUL in the remaining 6 bytes
    ");
}

#[test]
fn list_shows_the_refs_that_fit() {
    insta::assert_snapshot!(by_game(LONG_LIST), @r##"
    pipboy 0..16 | data_update | 0 entries
      0..4 pipboy.length = 11
      4..5 pipboy.type = 3 (data_update)
      5..16 pipboy.entry
        5..6 pipboy.entry.type = 7 (list)
        6..10 pipboy.entry.id = 9
        pipboy.entry.path = "#9"
        10..12 pipboy.entry.list.count = 65535
        12..16 pipboy.entry.list.ref = 1
      pipboy.entry_count = 0
    ! broken pipboy.error.count at 16..16 pipboy.entry.list.ref: ref 2 of 65535 does not fit into the remaining 0 bytes
    "##);
}

#[test]
fn unknown_entry_type_ends_the_entries() {
    insta::assert_snapshot!(by_game(TYPE_NINE), @r##"
    pipboy 0..17 | data_update | 1 entry
      0..4 pipboy.length = 12
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        pipboy.entry.path = "#15"
        10..11 pipboy.entry.bool = true
      pipboy.entry_count = 1
      11..17 pipboy.data = 091000000001
    ! broken pipboy.error.entry_type at 11..17 pipboy.entry.bool: entry type 9 and its width are unknown
    "##);
}

#[test]
fn heartbeat_with_a_payload_is_noted() {
    insta::assert_snapshot!(by_game(HEAVY_HEARTBEAT), @"
    pipboy 0..7 | heartbeat
      0..4 pipboy.length = 2
      4..5 pipboy.type = 0 (heartbeat)
      5..7 pipboy.data = 0102
    ! broken pipboy.error.unexpected_payload at 5..7 pipboy.type: 2 bytes, expected none
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
    insta::assert_snapshot!(by_game(SHORT_DICT), @r##"
    pipboy 0..22 | data_update | 0 entries
      0..4 pipboy.length = 17
      4..5 pipboy.type = 3 (data_update)
      5..20 pipboy.entry
        5..6 pipboy.entry.type = 8 (dict)
        6..10 pipboy.entry.id = 12
        pipboy.entry.path = "#12"
        10..12 pipboy.entry.dict.insert_count = 2
        12..20 pipboy.entry.dict.insert
          12..16 pipboy.entry.dict.insert.ref = 5
          16..20 pipboy.entry.dict.insert.key = "foo"
      pipboy.entry_count = 0
      20..22 pipboy.data = 0000
    ! broken pipboy.error.count at 20..22 pipboy.entry.dict.insert.key: insertion 2 of 2 does not fit into the remaining 2 bytes
    "##);
}

#[test]
fn map_whose_pixels_fill_no_rows_is_noted() {
    insta::assert_snapshot!(trial::below(&by_game(RAGGED_MAP), &["pipboy.map.pixels"]), @"
    pipboy 0..44 | local_map_update | 3 x 2
      37..44 pipboy.map.pixels = 01020304050607
    ! broken pipboy.map.bad_size at 37..44 pipboy.map.pixels: 7 bytes of pixels for 3 x 2
    ");
}

#[test]
fn odd_bool_is_true_and_stray_bytes_are_noted() {
    insta::assert_snapshot!(by_game(STRAY_BYTES), @r##"
    pipboy 0..13 | data_update | 1 entry
      0..4 pipboy.length = 8
      4..5 pipboy.type = 3 (data_update)
      5..11 pipboy.entry
        5..6 pipboy.entry.type = 0 (bool)
        6..10 pipboy.entry.id = 15
        pipboy.entry.path = "#15"
        10..11 pipboy.entry.bool = true
      pipboy.entry_count = 1
      11..13 pipboy.data = 0516
    ! odd pipboy.note.bool at 10..11 pipboy.entry.bool: 2 taken as true
    ! broken pipboy.error.entry_truncated at 11..13 pipboy.entry.bool: 2 bytes left, an entry begins with 5
    "##);
}

#[test]
fn value_that_runs_over_the_end_is_noted() {
    insta::assert_snapshot!(trial::below(&by_game("08 00 00 00 03 03 0a 00 00 00 2a 00 00"), &["pipboy.data"]), @"
    pipboy 0..13 | data_update | 0 entries
      10..13 pipboy.data = 2a0000
    ! broken pipboy.error.entry_truncated at 10..13 pipboy.entry.id: bytes missing from the value: 1
    ");
}

#[test]
fn dict_without_its_number_of_removals_is_noted() {
    insta::assert_snapshot!(trial::below(&by_game("08 00 00 00 03 08 0c 00 00 00 00 00 01"), &["pipboy.data"]), @"
    pipboy 0..13 | data_update | 0 entries
      12..13 pipboy.data = 01
    ! broken pipboy.error.count at 12..13 pipboy.entry.dict.insert_count: the removal count is missing
    ");
}

#[test]
fn key_without_its_nul_is_noted() {
    insta::assert_snapshot!(trial::below(&by_game("0d 00 00 00 03 08 0c 00 00 00 01 00 05 00 00 00 66 6f"), &["pipboy.data"]), @"
    pipboy 0..18 | data_update | 0 entries
      16..18 pipboy.data = 666f
    ! broken pipboy.error.string at 16..18 pipboy.entry.dict.insert.ref: no NUL in the remaining 2 bytes
    ");
}

#[test]
fn text_that_is_not_utf8_is_noted() {
    insta::assert_snapshot!(by_game("08 00 00 00 03 06 01 00 00 00 41 e9 00"), @r##"
    pipboy 0..13 | data_update | 1 entry
      0..4 pipboy.length = 8
      4..5 pipboy.type = 3 (data_update)
      5..13 pipboy.entry
        5..6 pipboy.entry.type = 6 (string)
        6..10 pipboy.entry.id = 1
        pipboy.entry.path = "#1"
        10..13 pipboy.entry.string = "A�"
      pipboy.entry_count = 1
    ! odd pipboy.note.utf8 at 10..13 pipboy.entry.string: not UTF-8
    "##);
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
    ! odd pipboy.error.unknown_type at 4..5 pipboy.type: message type 7 is unknown
    ");
}

#[test]
fn wrong_direction_is_odd_but_read() {
    insta::assert_snapshot!(trial::below(&by_app(ONE_BOOL), &["pipboy.type"]), @"
    pipboy 0..11 | data_update | 1 entry
      4..5 pipboy.type = 3 (data_update)
    ! odd pipboy.error.direction at 4..5 pipboy.type: not expected c2s
    ");
    assert!(by_game(CLEAR_IDLE).contains("! odd pipboy.error.direction"));
}

#[test]
fn long_json_is_not_read() {
    let text = format!("{{\"lang\":\"{}\"}}", "x".repeat(65536));
    insta::assert_snapshot!(dissect(Side::Server, &json_message(1, text.as_bytes()), Cut::No), @"
    pipboy 0..65552 | connection_accepted
      0..4 pipboy.length = 65547
      4..5 pipboy.type = 1 (connection_accepted)
      5..65552 pipboy.data = 65547 bytes
    ! broken pipboy.error.length at 0..4 pipboy.length: 65547 bytes, at most 65536 are read
    ");
}

#[test]
fn broken_json_keeps_the_members_before() {
    insta::assert_snapshot!(dissect(Side::Client, &json_message(5, br#"{"type":9,"args":[5],"id"]"#), Cut::No), @r##"
    pipboy 0..31 | command | fast_travel [5] #5
      0..4 pipboy.length = 26
      4..5 pipboy.type = 5 (command)
      5..31 pipboy.json = "{"type":9,"args":[5],"id"]"
      13..14 pipboy.command.type = 9 (fast_travel)
      22..25 pipboy.command.args = "[5]"
      pipboy.command.target = "#5"
    ! broken pipboy.error.json at 5..31 pipboy.json: expected `:` at line 1 column 26
    "##);
}

#[test]
fn json_must_be_one_object() {
    for text in ["", "  ", "[1]", "null", "\"{}\"", "{}{}", "{} x", "{\"id\":1", "{\"id\":01}", "{'id':1}"] {
        let tree = dissect(Side::Client, &json_message(5, text.as_bytes()), Cut::No);
        assert!(tree.contains("! broken pipboy.error.json"), "{text} gives {tree}");
    }
    for text in ["{}", " {\"id\" : 1 }\r\n", "{\"new\":null}"] {
        let tree = dissect(Side::Client, &json_message(5, text.as_bytes()), Cut::No);
        assert!(!tree.contains('!'), "{text} gives {tree}");
    }
}

#[test]
fn json_nests_32_deep_and_no_deeper() {
    let nested = |depth: usize| format!("{{\"args\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let at_most = dissect(Side::Client, &json_message(5, nested(32).as_bytes()), Cut::No);
    assert!(at_most.contains("pipboy.command.args") && !at_most.contains('!'));
    let too_deep = dissect(Side::Client, &json_message(5, nested(33).as_bytes()), Cut::No);
    assert!(too_deep.contains("! broken pipboy.error.json") && !too_deep.contains("pipboy.command.args"));
    dissect(Side::Client, &json_message(5, "[".repeat(60000).as_bytes()), Cut::No);
}

#[test]
fn brackets_inside_json_texts_do_not_nest() {
    let text = format!(r#"{{"message":"{}\"{}"}}"#, "[".repeat(40), "{".repeat(40));
    let tree = dissect(Side::Server, &json_message(6, text.as_bytes()), Cut::No);
    assert!(!tree.contains('!'), "{tree}");
}

#[test]
fn json_members_of_other_types_are_left_to_the_text() {
    insta::assert_snapshot!(dissect(Side::Client, &json_message(5, br#"{"type":"1","args":{},"id":1.5}"#), Cut::No), @r#"
    pipboy 0..36 | command
      0..4 pipboy.length = 31
      4..5 pipboy.type = 5 (command)
      5..36 pipboy.json = "{"type":"1","args":{},"id":1.5}"
    "#);
}

#[test]
fn repeated_json_member_is_shown_twice() {
    insta::assert_snapshot!(dissect(Side::Client, &json_message(5, br#"{"type":99,"id":-1,"id":2}"#), Cut::No), @r#"
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
    insta::assert_snapshot!(dissect(Side::Server, &json_message(6, text), Cut::No), @r#"
    pipboy 0..74 | command_result | refused, no success (Über\n😀)
      0..4 pipboy.length = 69
      4..5 pipboy.type = 6 (command_result)
      5..74 pipboy.json = "{"allowed":false,"message":"\\u00dcber\\n\\ud83d\\ude00","success":false}"
      16..21 pipboy.result.allowed = false
      33..56 pipboy.result.message = "Über\n😀"
      68..73 pipboy.result.success = false
    "#);
    let half = dissect(Side::Server, &json_message(6, br#"{"message":"\ud83d"}"#), Cut::No);
    assert!(half.contains(r#"pipboy.result.message = "\\ud83d""#), "{half}");
}

#[test]
fn json_that_is_not_utf8_is_read_around_the_bad_bytes() {
    insta::assert_snapshot!(dissect(Side::Server, &json_message(6, b"{\"message\":\"\xdcber\",\"id\":3}"), Cut::No), @r#"
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
    insta::assert_snapshot!(dissect(Side::Server, &bytes[..30], Cut::Stream { needed: 64 }), @r##"
    pipboy 0..30 | data_update | 2 entries
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
      29..30 pipboy.entry
        29..30 pipboy.entry.type = 8 (dict)
      pipboy.entry_count = 2
    ! odd pipboy.note.tree at 25..29 pipboy.entry.list.ref: #1 and 1 more never sent
    ! broken pipboy.truncated at 30..30 pipboy: the stream ends after 30 of 64 bytes
    "##);
}

#[test]
fn update_with_lost_bytes_is_noted_as_a_gap() {
    let bytes = trial::bytes(RADIO);
    insta::assert_snapshot!(trial::below(&dissect(Side::Server, &bytes[..33], Cut::Lost { needed: 102, lost: 20 }), &["pipboy.data"]), @"
    pipboy 0..33 | data_update | 3 entries
      31..33 pipboy.data = 436c
    ! broken pipboy.error.gap at 31..33 pipboy: 20 bytes are missing from the capture after 33 of 102
    ");
}

#[test]
fn command_cut_inside_a_number_does_not_show_half_of_it() {
    let bytes = trial::bytes(CLEAR_IDLE);
    insta::assert_snapshot!(dissect(Side::Client, &bytes[..14], Cut::Stream { needed: 33 }), @r#"
    pipboy 0..14 | command
      0..4 pipboy.length = 28
      4..5 pipboy.type = 5 (command)
      5..14 pipboy.json = "{"type":1"
    ! broken pipboy.truncated at 14..14 pipboy: the stream ends after 14 of 33 bytes
    "#);
}
