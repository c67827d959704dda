//! Whole messages.

use super::*;

#[test]
fn print_of_a_string() {
    insta::assert_snapshot!(dissect(L1), @r#"
    librpc 0..24 | call | print("Hello")
      0..4 librpc.identifier = 0x40000000 (up to v1.7 beta 2)
      librpc.call = print("Hello")
      4..24 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 15
        librpc.depth = 1
        9..11 librpc.function.len = 5
        11..16 librpc.function = "print"
        16..24 librpc.arg
          16..17 librpc.value.type = 0x73 (string)
          17..19 librpc.value.len = 5
          19..24 librpc.value.string = "Hello"
        librpc.arg_count = 1
    "#);
}

#[test]
fn every_type_of_value() {
    insta::assert_snapshot!(dissect(L2), @r#"
    librpc 0..85 | call | demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])
      4..85 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 76
        librpc.depth = 1
        9..11 librpc.function.len = 4
        11..15 librpc.function = "demo"
        15..20 librpc.arg
          15..16 librpc.value.type = 0x73 (string)
          16..18 librpc.value.len = 2
          18..20 librpc.value.string = "hi"
        20..25 librpc.arg
          20..21 librpc.value.type = 0x69 (integer)
          21..25 librpc.value.integer = -2
        25..30 librpc.arg
          25..26 librpc.value.type = 0x66 (float)
          26..30 librpc.value.float = 1.5
        30..31 librpc.arg
          30..31 librpc.value.type = 0x6f (null)
        31..33 librpc.arg
          31..32 librpc.value.type = 0x62 (bool)
          32..33 librpc.value.bool = true
        33..46 librpc.arg
          33..34 librpc.value.type = 0x76 (vector)
          34..38 librpc.value.x = 1
          38..42 librpc.value.y = 2
          42..46 librpc.value.z = 3
        46..63 librpc.arg
          46..47 librpc.value.type = 0x71 (quaternion)
          47..51 librpc.value.x = 0
          51..55 librpc.value.y = 0
          55..59 librpc.value.z = 0
          59..63 librpc.value.w = 1
        63..85 librpc.arg
          63..64 librpc.value.type = 0x61 (array)
          64..68 librpc.array.size = 17
          librpc.depth = 2
          68..73 librpc.element
            68..69 librpc.value.type = 0x69 (integer)
            69..73 librpc.value.integer = 1
          73..77 librpc.element
            73..74 librpc.value.type = 0x73 (string)
            74..76 librpc.value.len = 1
            76..77 librpc.value.string = "a"
          77..84 librpc.element
            77..78 librpc.value.type = 0x61 (array)
            78..82 librpc.array.size = 2
            librpc.depth = 3
            82..84 librpc.element
              82..83 librpc.value.type = 0x62 (bool)
              83..84 librpc.value.bool = false
            librpc.array.count = 1
          84..85 librpc.element
            84..85 librpc.value.type = 0x6f (null)
          librpc.array.count = 4
        librpc.arg_count = 8
    "#);
}

#[test]
fn a_call_result_is_called() {
    insta::assert_snapshot!(dissect(L3), @r#"
    librpc 0..30 | call_result | getfn(7)("x")
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = getfn(7)("x")
      4..30 librpc.node
        4..5 librpc.node.tag = "G"
        librpc.node.name = "call_result"
        5..9 librpc.node.size = 21
        librpc.depth = 1
        9..26 librpc.callee
          9..10 librpc.node.tag = "F"
          librpc.node.name = "call"
          10..14 librpc.node.size = 12
          librpc.depth = 2
          14..16 librpc.function.len = 5
          16..21 librpc.function = "getfn"
          21..26 librpc.arg
            21..22 librpc.value.type = 0x69 (integer)
            22..26 librpc.value.integer = 7
          librpc.arg_count = 1
        26..30 librpc.arg
          26..27 librpc.value.type = 0x73 (string)
          27..29 librpc.value.len = 1
          29..30 librpc.value.string = "x"
        librpc.arg_count = 1
    "#);
}

#[test]
fn call_as_an_argument() {
    insta::assert_snapshot!(dissect(L4), @r#"
    librpc 0..39 | call | Message(concat("a", "b"))
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = Message(concat("a", "b"))
      4..39 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 30
        librpc.depth = 1
        9..11 librpc.function.len = 7
        11..18 librpc.function = "Message"
        18..39 librpc.arg
          18..19 librpc.node.tag = "F"
          librpc.node.name = "call"
          19..23 librpc.node.size = 16
          librpc.depth = 2
          23..25 librpc.function.len = 6
          25..31 librpc.function = "concat"
          31..35 librpc.arg
            31..32 librpc.value.type = 0x73 (string)
            32..34 librpc.value.len = 1
            34..35 librpc.value.string = "a"
          35..39 librpc.arg
            35..36 librpc.value.type = 0x73 (string)
            36..38 librpc.value.len = 1
            38..39 librpc.value.string = "b"
          librpc.arg_count = 2
        librpc.arg_count = 1
    "#);
}

#[test]
fn raw_call_upon_an_object() {
    insta::assert_snapshot!(dissect(L5), @r#"
    librpc 0..52 | raw_call | FindPlayer(3).SetPos(Vector(-1, 2.5, 10))
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = FindPlayer(3).SetPos(Vector(-1, 2.5, 10))
      4..52 librpc.node
        4..5 librpc.node.tag = "E"
        librpc.node.name = "raw_call"
        5..9 librpc.node.size = 43
        librpc.depth = 1
        9..11 librpc.function.len = 6
        11..17 librpc.function = "SetPos"
        17..39 librpc.arg
          17..18 librpc.node.tag = "F"
          librpc.node.name = "call"
          18..22 librpc.node.size = 17
          librpc.depth = 2
          22..24 librpc.function.len = 10
          24..34 librpc.function = "FindPlayer"
          34..39 librpc.arg
            34..35 librpc.value.type = 0x69 (integer)
            35..39 librpc.value.integer = 3
          librpc.arg_count = 1
        39..52 librpc.arg
          39..40 librpc.value.type = 0x76 (vector)
          40..44 librpc.value.x = -1
          44..48 librpc.value.y = 2.5
          48..52 librpc.value.z = 10
        librpc.arg_count = 2
    "#);
}

#[test]
fn a_get_result_is_called_raw() {
    insta::assert_snapshot!(dissect(L6), @r#"
    librpc 0..31 | raw_call_result | player.Kick.call(null)
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = player.Kick.call(null)
      4..31 librpc.node
        4..5 librpc.node.tag = "D"
        librpc.node.name = "raw_call_result"
        5..9 librpc.node.size = 22
        librpc.depth = 1
        9..30 librpc.callee
          9..10 librpc.node.tag = "g"
          librpc.node.name = "get"
          10..14 librpc.node.size = 16
          librpc.depth = 2
          14..23 librpc.first
            14..15 librpc.value.type = 0x73 (string)
            15..17 librpc.value.len = 6
            17..23 librpc.value.string = "player"
          23..30 librpc.key
            23..24 librpc.value.type = 0x73 (string)
            24..26 librpc.value.len = 4
            26..30 librpc.value.string = "Kick"
        30..31 librpc.arg
          30..31 librpc.value.type = 0x6f (null)
        librpc.arg_count = 1
    "#);
}

#[test]
fn get_as_an_argument() {
    let tree = dissect(L7);
    let groups = ["librpc.call", "librpc.node.size", "librpc.value.integer", "librpc.value.string"];
    insta::assert_snapshot!(trial::below(&tree, &groups), @r#"
    librpc 0..42 | call | print(config.motd[0])
      librpc.call = print(config.motd[0])
        5..9 librpc.node.size = 33
          17..21 librpc.node.size = 21
            24..30 librpc.value.string = "config"
            33..37 librpc.value.string = "motd"
            38..42 librpc.value.integer = 0
    "#);
}

#[test]
fn slot_of_the_root_table_is_set() {
    insta::assert_snapshot!(dissect(L8), @r#"
    librpc 0..22 | set | score = 10
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = score = 10
      4..22 librpc.node
        4..5 librpc.node.tag = "h"
        librpc.node.name = "set"
        5..9 librpc.node.size = 13
        librpc.depth = 1
        9..17 librpc.first
          9..10 librpc.value.type = 0x73 (string)
          10..12 librpc.value.len = 5
          12..17 librpc.value.string = "score"
        17..22 librpc.arg
          17..18 librpc.value.type = 0x69 (integer)
          18..22 librpc.value.integer = 10
    "#);
}

#[test]
fn member_is_set() {
    insta::assert_snapshot!(trial::below(&dissect(L9), &["librpc.call", "librpc.node.size", "librpc.value.string"]), @r#"
    librpc 0..32 | set | config.open = true
      librpc.call = config.open = true
        5..9 librpc.node.size = 23
          10..14 librpc.node.size = 9
            17..23 librpc.value.string = "config"
          26..30 librpc.value.string = "open"
    "#);
}

/// The call in the heading, after the message type.
fn call(hex: &str) -> String {
    dissect(hex).lines().next().unwrap().splitn(3, " | ").nth(2).unwrap().to_owned()
}

#[test]
fn calls_have_their_script_form() {
    let calls = [
        (L1, r#"print("Hello")"#),
        (L2, r#"demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])"#),
        (L3, r#"getfn(7)("x")"#),
        (L4, r#"Message(concat("a", "b"))"#),
        (L5, "FindPlayer(3).SetPos(Vector(-1, 2.5, 10))"),
        (L6, "player.Kick.call(null)"),
        (L7, "print(config.motd[0])"),
        (L8, "score = 10"),
        (L9, "config.open = true"),
    ];
    for (hex, expected) in calls {
        assert_eq!(call(hex), expected);
    }
}
