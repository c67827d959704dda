//! Malformed messages.

use super::*;

#[test]
fn node_longer_than_the_message() {
    insta::assert_snapshot!(dissect(M1), @r#"
    librpc 0..16 | call | print()
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = print()
      4..16 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 200
        librpc.depth = 1
        9..11 librpc.function.len = 5
        11..16 librpc.function = "print"
        librpc.arg_count = 0
    ! broken librpc.expert.node_overrun at 4..16 librpc.node: 200 bytes declared, 7 left
    "#);
}

#[test]
fn bool_that_is_neither() {
    insta::assert_snapshot!(dissect(M2), @r#"
    librpc 0..14 | call | f(true)
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = f(true)
      4..14 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 5
        librpc.depth = 1
        9..11 librpc.function.len = 1
        11..12 librpc.function = "f"
        12..14 librpc.arg
          12..13 librpc.value.type = 0x62 (bool)
          13..14 librpc.value.bool = true
        librpc.arg_count = 1
    ! odd librpc.expert.bad_bool at 13..14 librpc.value.bool: 2 is neither 0 nor 1
    "#);
}

#[test]
fn unknown_tag_ends_its_node() {
    insta::assert_snapshot!(dissect(M3), @r#"
    librpc 0..13 | call | f(…)
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = f(…)
      4..13 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 4
        librpc.depth = 1
        9..11 librpc.function.len = 1
        11..12 librpc.function = "f"
        librpc.arg_count = 0
        12..13 librpc.unparsed = 7a
    ! broken librpc.expert.unknown_tag at 12..13 librpc.function: unknown value tag 0x7a
    "#);
}

#[test]
fn array_longer_than_its_node() {
    insta::assert_snapshot!(dissect(M4), @r#"
    librpc 0..22 | call | f([1])
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = f([1])
      4..22 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 13
        librpc.depth = 1
        9..11 librpc.function.len = 1
        11..12 librpc.function = "f"
        12..22 librpc.arg
          12..13 librpc.value.type = 0x61 (array)
          13..17 librpc.array.size = 9
          librpc.depth = 2
          17..22 librpc.element
            17..18 librpc.value.type = 0x69 (integer)
            18..22 librpc.value.integer = 1
          librpc.array.count = 1
        librpc.arg_count = 1
    ! broken librpc.expert.array_overrun at 12..22 librpc.arg: 9 bytes declared, 5 left
    "#);
}

#[test]
fn string_longer_than_its_array() {
    insta::assert_snapshot!(dissect(M5), @r#"
    librpc 0..22 | call | f([…], …)
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = f([…], …)
      4..22 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 13
        librpc.depth = 1
        9..11 librpc.function.len = 1
        11..12 librpc.function = "f"
        12..20 librpc.arg
          12..13 librpc.value.type = 0x61 (array)
          13..17 librpc.array.size = 3
          librpc.depth = 2
          17..20 librpc.element
            17..18 librpc.value.type = 0x73 (string)
            18..20 librpc.value.len = 5
          librpc.array.count = 0
        20..21 librpc.arg
          20..21 librpc.value.type = 0x61 (array)
        librpc.arg_count = 1
        21..22 librpc.unparsed = 62
    ! broken librpc.expert.value_overrun at 17..20 librpc.array.size: 8 bytes wanted, 3 left
    ! broken librpc.expert.value_overrun at 20..22 librpc.value.len: 5 bytes wanted, 2 left
    "#);
}

#[test]
fn bytes_after_the_node() {
    insta::assert_snapshot!(trial::below(&dissect(M6), &["librpc.arg"]), @r#"
    librpc 0..16 | call | f()
      12..16 librpc.arg
        12..13 librpc.value.type = 0x73 (string)
        13..15 librpc.value.len = 1
        15..16 librpc.value.string = "x"
    ! odd librpc.expert.trailing_bytes at 12..16 librpc.function: 4 after the node; the receiver reads them as further arguments
    "#);
}

#[test]
fn set_inside_a_call() {
    insta::assert_snapshot!(dissect(M7), @r#"
    librpc 0..26 | call | f(a = 1)
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = f(a = 1)
      4..26 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 17
        librpc.depth = 1
        9..11 librpc.function.len = 1
        11..12 librpc.function = "f"
        12..26 librpc.arg
          12..13 librpc.node.tag = "h"
          librpc.node.name = "set"
          13..17 librpc.node.size = 9
          librpc.depth = 2
          17..21 librpc.first
            17..18 librpc.value.type = 0x73 (string)
            18..20 librpc.value.len = 1
            20..21 librpc.value.string = "a"
          21..26 librpc.arg
            21..22 librpc.value.type = 0x69 (integer)
            22..26 librpc.value.integer = 1
        librpc.arg_count = 1
    ! odd librpc.expert.bad_placement at 12..26 librpc.function: set stands only by itself
    "#);
}

#[test]
fn identifier_alone() {
    insta::assert_snapshot!(dissect(M8), @r#"
    librpc 0..4 | truncated
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
    ! broken librpc.expert.truncated at 4..4 librpc.identifier: 0 bytes after the identifier, a node header has 5
    "#);
}

#[test]
fn name_longer_than_its_node() {
    insta::assert_snapshot!(dissect(M9), @r#"
    librpc 0..14 | call | …
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = …
      4..14 librpc.node
        4..5 librpc.node.tag = "F"
        librpc.node.name = "call"
        5..9 librpc.node.size = 5
        librpc.depth = 1
        9..11 librpc.function.len = 9
        11..14 librpc.unparsed = 616263
    ! broken librpc.expert.name_overrun at 11..14 librpc.function.len: 9 bytes declared, 3 left
    "#);
}

#[test]
fn raw_call_upon_nothing() {
    insta::assert_snapshot!(dissect(M10), @r#"
    librpc 0..12 | raw_call | .f()
      0..4 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = .f()
      4..12 librpc.node
        4..5 librpc.node.tag = "E"
        librpc.node.name = "raw_call"
        5..9 librpc.node.size = 3
        librpc.depth = 1
        9..11 librpc.function.len = 1
        11..12 librpc.function = "f"
        librpc.arg_count = 0
    ! odd librpc.expert.missing_environment at 11..12 librpc.function: no argument to look the function up in
    "#);
}

#[test]
fn arrays_nested_too_deep() {
    let tree = dissect(M15);
    let groups = ["librpc.array.size", "librpc.call", "librpc.depth", "librpc.node.size", "librpc.unparsed"];
    insta::assert_snapshot!(trial::below(&tree, &groups), @"
    librpc 0..213 | call | f([[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]])
      librpc.call = f([[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]])
        5..9 librpc.node.size = 204
        librpc.depth = 1
          13..17 librpc.array.size = 196
          librpc.depth = 2
            18..22 librpc.array.size = 191
            librpc.depth = 3
              23..27 librpc.array.size = 186
              librpc.depth = 4
                28..32 librpc.array.size = 181
                librpc.depth = 5
                  33..37 librpc.array.size = 176
                  librpc.depth = 6
                    38..42 librpc.array.size = 171
                    librpc.depth = 7
                      43..47 librpc.array.size = 166
                      librpc.depth = 8
                        48..52 librpc.array.size = 161
                        librpc.depth = 9
                          53..57 librpc.array.size = 156
                          librpc.depth = 10
                            58..62 librpc.array.size = 151
                            librpc.depth = 11
                              63..67 librpc.array.size = 146
                              librpc.depth = 12
                                68..72 librpc.array.size = 141
                                librpc.depth = 13
                                  73..77 librpc.array.size = 136
                                  librpc.depth = 14
                                    78..82 librpc.array.size = 131
                                    librpc.depth = 15
                                      83..87 librpc.array.size = 126
                                      librpc.depth = 16
                                        88..92 librpc.array.size = 121
                                        librpc.depth = 17
                                          93..97 librpc.array.size = 116
                                          librpc.depth = 18
                                            98..102 librpc.array.size = 111
                                            librpc.depth = 19
                                              103..107 librpc.array.size = 106
                                              librpc.depth = 20
                                                108..112 librpc.array.size = 101
                                                librpc.depth = 21
                                                  113..117 librpc.array.size = 96
                                                  librpc.depth = 22
                                                    118..122 librpc.array.size = 91
                                                    librpc.depth = 23
                                                      123..127 librpc.array.size = 86
                                                      librpc.depth = 24
                                                        128..132 librpc.array.size = 81
                                                        librpc.depth = 25
                                                          133..137 librpc.array.size = 76
                                                          librpc.depth = 26
                                                            138..142 librpc.array.size = 71
                                                            librpc.depth = 27
                                                              143..147 librpc.array.size = 66
                                                              librpc.depth = 28
                                                                148..152 librpc.array.size = 61
                                                                librpc.depth = 29
                                                                  153..157 librpc.array.size = 56
                                                                  librpc.depth = 30
                                                                    158..162 librpc.array.size = 51
                                                                    librpc.depth = 31
                                                                      163..167 librpc.array.size = 46
                                                                      librpc.depth = 32
                                                                      167..213 librpc.unparsed = 46 bytes
    ! broken librpc.expert.too_deep at 167..213 librpc.array.size: more than 32 levels
    ");
}

/// Codes and spans of a message's notes.
fn notes(from: Option<Side>, bytes: &[u8]) -> Vec<String> {
    let tree = by(from, bytes, Cut::No);
    let notes = tree.lines().filter(|line| line.starts_with("! "));
    notes.map(|note| note.split(' ').skip(1).take(4).collect::<Vec<_>>().join(" ")).collect()
}

/// A node around a body.
fn node(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &u32::try_from(body.len()).unwrap().to_be_bytes(), body].concat()
}

fn message_of(node: &[u8]) -> Vec<u8> {
    [&[1, 0, 0, 0x40][..], node].concat()
}

#[test]
fn servers_send_neither_get_nor_set() {
    for hex in [L8, L9] {
        assert_eq!(notes(Some(Side::Client), &trial::bytes(hex)), [""; 0]);
    }
    assert_eq!(notes(Some(Side::Server), &trial::bytes(L8)), ["odd librpc.expert.bad_placement at 4..22"]);
    assert_eq!(notes(Some(Side::Server), &trial::bytes(L7)), ["odd librpc.expert.bad_placement at 16..42"]);
    assert_eq!(notes(Some(Side::Client), &trial::bytes(L7)), [""; 0]);
}

#[test]
fn get_is_not_a_statement() {
    let message = message_of(&node(GET, b"s\0\x01a"));
    assert_eq!(notes(Some(Side::Client), &message), ["odd librpc.expert.bad_placement at 4..13"]);
}

#[test]
fn set_requires_a_target_and_a_value() {
    for (body, is_bad) in [
        (&b"s\0\x01a"[..], true),
        (b"s\0\x01ao", false),
        (b"s\0\x01aoo", true),
        (b"oo", true),
        (b"oi\0\0\0\0o", false),
        (b"oooo", true),
        (b"", true),
    ] {
        let found = notes(Some(Side::Client), &message_of(&node(SET, body)));
        assert_eq!(found.iter().any(|note| note.starts_with("odd librpc.expert.bad_set")), is_bad, "{body:?}");
    }
}

#[test]
fn only_nodes_are_called() {
    for tag in [CALL_RESULT, RAW_CALL_RESULT] {
        assert_eq!(notes(None, &message_of(&node(tag, b"oo"))), ["odd librpc.expert.bad_callee at 9..11"]);
        assert_eq!(notes(None, &message_of(&node(tag, b""))), ["odd librpc.expert.bad_callee at 9..9"]);
    }
}

#[test]
fn sizes_over_16_bits_are_noted_and_read() {
    let text = [&b"s\xff\xff"[..], &[b'a'; 0xffff]].concat();
    let long = message_of(&node(CALL, &[&b"\0\x01f"[..], &node(ARRAY, &text), b"o"].concat()));
    assert_eq!(notes(None, &long), [format!("odd librpc.expert.size_over_65535 at 12..{}", long.len())]);
    assert!(by(None, &long, Cut::No).contains("librpc.arg_count = 2"));
    let longest = message_of(&node(CALL, &[&b"\0\x01f"[..], &node(ARRAY, &[b'o'; 0xffff])].concat()));
    assert_eq!(notes(None, &longest), [""; 0]);
}

#[test]
fn nodes_beyond_the_limit_are_bytes() {
    let body = [&b"\0\x01f"[..], &node(ARRAY, b"").repeat(crate::limits::LIBRPC_NESTED.get() + 2)].concat();
    let message = message_of(&node(CALL, &body));
    let codes: Vec<String> = notes(None, &message).iter().map(|note| note.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(codes, ["librpc.expert.too_many"; 2]);
}

#[test]
fn a_cut_message_is_only_cut() {
    let bytes = trial::bytes(L5);
    for end in 0..bytes.len() {
        let tree = by(None, &bytes[..end], Cut::Capture);
        let notes: Vec<&str> = tree.lines().filter(|line| line.starts_with('!')).collect();
        assert!(notes.len() <= 1 && notes.iter().all(|note| note.starts_with("! broken dissect.cut")), "{end}: {tree}");
    }
}

#[test]
fn long_scripts_end_in_dots() {
    let text = [&b"s\xff\xff"[..], &[b'a'; 0xffff]].concat();
    let message = message_of(&node(CALL, &[&b"\0\x01f"[..], &text, &text].concat()));
    let tree = by(None, &message, Cut::No);
    let call = tree.lines().find(|line| line.contains("librpc.call")).unwrap();
    assert!(call.ends_with("a…") && (1 << 16..(1 << 16) + 100).contains(&call.len()));
    let heading = tree.lines().next().unwrap();
    assert!(heading.ends_with("a…") && heading.len() < 300);
}
