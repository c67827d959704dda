//! Values of all types as trees: spans, bits and notes.

use super::super::single_values;
use crate::tree::Side;
use crate::wire::{Cut, Dissector, Settings, trial};

/// Dissects values of these types.
fn read(types: &str, hex: &str) -> String {
    let mut settings = Settings::new();
    settings.set(&single_values::PROTOCOL.settings[0], types.to_owned());
    let Dissector::Stream(open) = single_values::PROTOCOL.found[0].dissector else { panic!("no stream") };
    trial::message(&single_values::PROTOCOL, open(&settings).as_mut(), Side::Client, &trial::bytes(hex), Cut::No)
}

#[test]
fn v1_to_v4_are_read_as_single_values() {
    insta::assert_snapshot!(read(
        "u8 u8_add u8_neg u8_sub u16 u16_le u16_add u16_add_le i32_me i32_ime",
        "5A DA A6 26 12 34 34 12 12 B4 B4 12 56 78 12 34 34 12 78 56"
    ), @r#"
    rs.type 0..20 | 90, 90, 90, 90, 4660, 4660, 4660, 4660, 305419896, 305419896
      0..1 rs.type.u8 = 90
      1..2 rs.type.u8_add = 90
      2..3 rs.type.u8_neg = 90
      3..4 rs.type.u8_sub = 90
      4..6 rs.type.u16 = 4660
      6..8 rs.type.u16_le = 4660
      8..10 rs.type.u16_add = 4660
      10..12 rs.type.u16_add_le = 4660
      12..16 rs.type.i32_me = 305419896
      16..20 rs.type.i32_ime = 305419896
    "#);
    insta::assert_snapshot!(read("i8 i8_add i8_neg i8_sub i16_le i16_add_le", "80 80 80 80 FF 7F 7F FF"), @r#"
    rs.type 0..8 | -128, 0, -128, 0, 32767, -1
      0..1 rs.type.i8 = -128
      1..2 rs.type.i8_add = 0
      2..3 rs.type.i8_neg = -128
      3..4 rs.type.i8_sub = 0
      4..6 rs.type.i16_le = 32767
      6..8 rs.type.i16_add_le = -1
    "#);
    insta::assert_snapshot!(read("usmart usmart usmart usmart ssmart ssmart ssmart ssmart ssmart usmart",
        "7F 80 80 80 C8 FF FF 00 3F 40 BF BF 80 00 80 05"), @r#"
    rs.type 0..16 | 127, 128, 200, 32767, -64, -1, 0, -65, -16384, 5
      0..1 rs.type.usmart = 127
      1..3 rs.type.usmart = 128
      3..5 rs.type.usmart = 200
      5..7 rs.type.usmart = 32767
      7..8 rs.type.ssmart = -64
      8..9 rs.type.ssmart = -1
      9..10 rs.type.ssmart = 0
      10..12 rs.type.ssmart = -65
      12..14 rs.type.ssmart = -16384
      14..16 rs.type.usmart = 5
    ! info rs.not_minimal at 14..16 rs.type.usmart: 2 bytes for 5
    "#);
    insta::assert_snapshot!(read("name37 name37 name37 name37",
        "00 00 00 00 6C 1A 00 CC 00 29 1E 31 6D 31 71 54 00 00 00 00 00 00 00 25 00 00 00 00 00 00 00 00"), @r#"
    rs.type 0..32 | zezima, bob_the_cat, invalid_name, invalid_name
      0..8 rs.type.name37 = "zezima"
      8..16 rs.type.name37 = "bob_the_cat"
      16..24 rs.type.name37 = "invalid_name"
      24..32 rs.type.name37 = "invalid_name"
    "#);
}

#[test]
fn v5_and_v6_are_chat_texts() {
    insta::assert_snapshot!(read("packed_text", "65 EB 06 4D 10 39 10 D3 4C EA"), @r#"
    rs.type 0..10 | "hi. how are you?"
      0..10 rs.type.packed_text = "hi. how are you?"
    "#);
    insta::assert_snapshot!(read("packed_text", "1D"), @r#"
    rs.type 0..1 | "e"
      0..1 rs.type.packed_text = "e"
    ! broken rs.malformed at 0..1 rs.type.packed_text: half a character at the end
    "#);
    insta::assert_snapshot!(read("packed_text_huffman u8", "05 83 8C 70 2A"), @r#"
    rs.type 0..5 | "hello", 42
      0..4 rs.type.packed_text_huffman = "hello"
      4..5 rs.type.u8 = 42
    "#);
    insta::assert_snapshot!(read("packed_text_huffman", "05 83"), @r#"
    rs.type 0..2
      0..2 rs.trailing = 0583
    ! broken rs.malformed at 0..2 rs.type: fewer than 5 characters
    "#);
}

#[test]
fn strings_have_the_terminator_of_their_engine() {
    insta::assert_snapshot!(read("jstr jstr0 jstr2 jstrnull jstrnull", "41 A3 0A 42 00 00 43 00 00 44 00"), @r#"
    rs.type 0..11 | "A£", "B", "C", "", "D"
      0..3 rs.type.jstr = "A£"
      3..5 rs.type.jstr0 = "B"
      5..8 rs.type.jstr2 = "C"
      8..9 rs.type.jstrnull = 
      9..11 rs.type.jstrnull = "D"
    "#);
    insta::assert_snapshot!(read("jstr", "41 42 43"), @r#"
    rs.type 0..3
      0..3 rs.type.jstr = "ABC"
    ! broken rs.malformed at 0..3 rs.type.jstr: the string has no terminator
    "#);
    insta::assert_snapshot!(read("jstr2", "01 42 00"), @r#"
    rs.type 0..3
      0..3 rs.trailing = 014200
    ! broken rs.malformed at 0..3 rs.type: string version other than 0
    "#);
}

#[test]
fn v15_is_a_run_of_pointer_moves() {
    insta::assert_snapshot!(read("mouse_moves", "39 5E 91 2B 06 C9 67 FF FF"), @r#"
    rs.type 0..9
      0..9 rs.type.mouse_moves
        0..2 rs.mouse_moves.move
          0..1 rs.mouse_moves.kind = 0
          0..1 rs.mouse_moves.idle = 3
          0..2 rs.mouse_moves.dx = 5
          1..2 rs.mouse_moves.dy = -2
        2..5 rs.mouse_moves.move
          2..3 rs.mouse_moves.kind = 2
          2..3 rs.mouse_moves.idle = 2
          2..5 rs.mouse_moves.point = 76550
          2..5 rs.point.x = 50
          2..5 rs.point.y = 100
        5..9 rs.mouse_moves.move
          5..6 rs.mouse_moves.kind = 3
          5..7 rs.mouse_moves.idle = 300
          6..9 rs.mouse_moves.point = 524287
    "#);
}

#[test]
fn v16_is_a_region_with_two_zones() {
    let hex = format!("01 12 AC 81 8F 80 {} 01 93", "00 ".repeat(84));
    insta::assert_snapshot!(read("u16_add palette u16", &hex), @r#"
    rs.type 0..92 | 402, 403
      0..2 rs.type.u16_add = 402
      2..90 rs.type.palette
        2..6 rs.palette.zone
          2..3 rs.palette.present = true
          2..3 rs.palette.level = 1
          2..4 rs.palette.zone_x = 400
          3..5 rs.palette.zone_y = 399
          5..6 rs.palette.rotation = 2
          5..6 rs.palette.unused = 0
        5..90 rs.palette.absent = 675
        89..90 rs.padding = 0
      90..92 rs.type.u16 = 403
    "#);
}

#[test]
fn arrows_clicks_rows_and_floats_are_read() {
    insta::assert_snapshot!(read("hint_arrow hint_arrow hint_arrow mouse_click", "01 00 05 00 00 00 02 0C 96 0C 92 32 FF 00 00 00 00 00 01 4A EC A2"), @r#"
    rs.type 0..22
      0..6 rs.type.hint_arrow
        0..1 rs.hint_arrow.type = 1 (NPC)
        1..3 rs.hint_arrow.npc = 5
        3..6 rs.hint_arrow.unused = 000000
      6..12 rs.type.hint_arrow
        6..7 rs.hint_arrow.type = 2 (centre of a tile)
        7..9 rs.hint_arrow.x = 3222
        9..11 rs.hint_arrow.y = 3218
        11..12 rs.hint_arrow.height = 50
      12..18 rs.type.hint_arrow
        12..13 rs.hint_arrow.type = 255 (none)
        13..18 rs.hint_arrow.unused = 0000000000
      18..22 rs.type.mouse_click
        18..22 rs.mouse_click.age = 20
        18..22 rs.mouse_click.right = true
        18..22 rs.mouse_click.point = 191650
        18..22 rs.point.x = 400
        18..22 rs.point.y = 250
    "#);
    insta::assert_snapshot!(read("f32 com32 com32_le u8[2] u16[2] u24[]", "3F 80 00 00 00 5A 00 32 32 00 5A 00 01 02 00 03 00 04 00 00 05"), @r#"
    rs.type 0..21 | 90:50, 90:50
      0..4 rs.type.f32 = 1
      4..8 rs.type.com32 = 5898290
      8..12 rs.type.com32_le = 5898290
      12..14 rs.type.u8_row = 0102
      14..18 rs.type.u16_row
        14..16 rs.element = 3
        16..18 rs.element = 4
      18..21 rs.type.u24_row
        18..21 rs.element = 5
    "#);
    insta::assert_snapshot!(read("u16 inv_full_317", "00 02 01 B8 10 FF 0F 00 40 42 64 03"), @r#"
    rs.type 0..12 | 2
      0..2 rs.type.u16 = 2
      2..12 rs.type.inv_full_317
        2..5 rs.slots.slot
          2..3 rs.slots.count = 1
          3..5 rs.slots.obj = 4152
          3..5 rs.slots.item = 4151
        5..12 rs.slots.slot
          5..6 rs.slots.count = 255
          6..10 rs.slots.many = 1000000
          10..12 rs.slots.obj = 996
          10..12 rs.slots.item = 995
    "#);
    insta::assert_snapshot!(read("u16 inv_full_317", "00 02 01 B8 10"), @r#"
    rs.type 0..5 | 2
      0..2 rs.type.u16 = 2
      2..5 rs.type.inv_full_317
        2..5 rs.slots.slot
          2..3 rs.slots.count = 1
          3..5 rs.slots.obj = 4152
          3..5 rs.slots.item = 4151
    ! broken rs.malformed at 5..5 rs.slots.item: 1 slots are missing
    "#);
}

#[test]
fn truncated_values_are_noted() {
    insta::assert_snapshot!(read("u8 u16", "01 02"), @r#"
    rs.type 0..2 | 1
      0..1 rs.type.u8 = 1
      1..2 rs.trailing = 02
    ! broken dissect.short at 1..2 rs.type: 1 more bytes needed, 1 left
    "#);
    insta::assert_snapshot!(read("varint_le", "FF FF FF FF FF 01"), @r#"
    rs.type 0..6
      0..6 rs.trailing = ffffffffff01
    ! broken rs.malformed at 0..6 rs.type: a number of more than five bytes
    "#);
}
