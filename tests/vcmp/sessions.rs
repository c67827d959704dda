//! Messages that come in parts, in any order.

use super::*;

#[test]
fn parts_in_order() {
    insta::assert_snapshot!(trees(&[by_server(R3A), by_server(R3B)]).join("--\n"), @r#"
    raknet 0..72 | data | #6, part 1 of 2 of message 1
      0..1 raknet.flags = 0x8c
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = true
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 6
      4..72 raknet.frame
        4..5 raknet.frame.flags = 0x70
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = true
        5..7 raknet.frame.bit_length = 384
        7..10 raknet.frame.message_number = 8
        10..13 raknet.frame.ordering_index = 4
        13..14 raknet.frame.ordering_channel = 0
        14..18 raknet.frame.split_count = 2
        18..20 raknet.frame.split_id = 1
        20..24 raknet.frame.split_index = 0
        24..72 raknet.frame.fragment = 48 bytes
    --
    raknet 0..66 | data | #7, part 2 of 2 of message 1 (carries)
      0..1 raknet.flags = 0x8c
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = true
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 7
      4..66 raknet.frame
        4..5 raknet.frame.flags = 0x70
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = true
        5..7 raknet.frame.bit_length = 336
        7..10 raknet.frame.message_number = 9
        10..13 raknet.frame.ordering_index = 4
        13..14 raknet.frame.ordering_channel = 0
        14..18 raknet.frame.split_count = 2
        18..20 raknet.frame.split_id = 1
        20..24 raknet.frame.split_index = 1
        24..66 raknet.frame.fragment = 42 bytes
        raknet.completes = 2
    vcmp 0..90 of "raknet parts" | server_data | 85 bytes (carries)
      0..1 vcmp.message_id = 0xcf
      vcmp.version = "rel006"
      1..5 vcmp.server_data.length = 85
      5..90 vcmp.server_data.data = 85 bytes
    librpc 5..90 of "raknet parts" | call | demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])
      5..9 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])
      9..90 librpc.node
        9..10 librpc.node.tag = "F"
        librpc.node.name = "call"
        10..14 librpc.node.size = 76
        librpc.depth = 1
        14..16 librpc.function.len = 4
        16..20 librpc.function = "demo"
        20..25 librpc.arg = "hi"
          20..21 librpc.value.type = 0x73 (string)
          21..23 librpc.value.len = 2
          23..25 librpc.value.string = "hi"
        25..30 librpc.arg = -2
          25..26 librpc.value.type = 0x69 (integer)
          26..30 librpc.value.integer = -2
        30..35 librpc.arg = 1.5
          30..31 librpc.value.type = 0x66 (float)
          31..35 librpc.value.float = 1.5
        35..36 librpc.arg
          35..36 librpc.value.type = 0x6f (null)
        36..38 librpc.arg = true
          36..37 librpc.value.type = 0x62 (bool)
          37..38 librpc.value.bool = true
        38..51 librpc.arg = (1, 2, 3)
          38..39 librpc.value.type = 0x76 (vector)
          39..43 librpc.value.x = 1
          43..47 librpc.value.y = 2
          47..51 librpc.value.z = 3
        51..68 librpc.arg = (0, 0, 0, 1)
          51..52 librpc.value.type = 0x71 (quaternion)
          52..56 librpc.value.x = 0
          56..60 librpc.value.y = 0
          60..64 librpc.value.z = 0
          64..68 librpc.value.w = 1
        68..90 librpc.arg = 4 elements
          68..69 librpc.value.type = 0x61 (array)
          69..73 librpc.array.size = 17
          librpc.depth = 2
          73..78 librpc.element = 1
            73..74 librpc.value.type = 0x69 (integer)
            74..78 librpc.value.integer = 1
          78..82 librpc.element = "a"
            78..79 librpc.value.type = 0x73 (string)
            79..81 librpc.value.len = 1
            81..82 librpc.value.string = "a"
          82..89 librpc.element = 1 element
            82..83 librpc.value.type = 0x61 (array)
            83..87 librpc.array.size = 2
            librpc.depth = 3
            87..89 librpc.element = false
              87..88 librpc.value.type = 0x62 (bool)
              88..89 librpc.value.bool = false
            librpc.array.count = 1
          89..90 librpc.element
            89..90 librpc.value.type = 0x6f (null)
          librpc.array.count = 4
        librpc.arg_count = 8
    ! info vcmp.version_assumed at 0..1: taken for rel006
    "#);
}

#[test]
fn parts_in_another_order() {
    insta::assert_snapshot!(last(&[by_server(R3B), by_server(R3A)]), @r#"
    raknet 0..72 | data | #6, part 1 of 2 of message 1 (carries)
      0..1 raknet.flags = 0x8c
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = true
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 6
      4..72 raknet.frame
        4..5 raknet.frame.flags = 0x70
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = true
        5..7 raknet.frame.bit_length = 384
        7..10 raknet.frame.message_number = 8
        10..13 raknet.frame.ordering_index = 4
        13..14 raknet.frame.ordering_channel = 0
        14..18 raknet.frame.split_count = 2
        18..20 raknet.frame.split_id = 1
        20..24 raknet.frame.split_index = 0
        24..72 raknet.frame.fragment = 48 bytes
        raknet.completes = 2
    vcmp 0..90 of "raknet parts" | server_data | 85 bytes (carries)
      0..1 vcmp.message_id = 0xcf
      vcmp.version = "rel006"
      1..5 vcmp.server_data.length = 85
      5..90 vcmp.server_data.data = 85 bytes
    librpc 5..90 of "raknet parts" | call | demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])
      5..9 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = demo("hi", -2, 1.5, null, true, Vector(1, 2, 3), Quaternion(0, 0, 0, 1), [1, "a", [false], null])
      9..90 librpc.node
        9..10 librpc.node.tag = "F"
        librpc.node.name = "call"
        10..14 librpc.node.size = 76
        librpc.depth = 1
        14..16 librpc.function.len = 4
        16..20 librpc.function = "demo"
        20..25 librpc.arg = "hi"
          20..21 librpc.value.type = 0x73 (string)
          21..23 librpc.value.len = 2
          23..25 librpc.value.string = "hi"
        25..30 librpc.arg = -2
          25..26 librpc.value.type = 0x69 (integer)
          26..30 librpc.value.integer = -2
        30..35 librpc.arg = 1.5
          30..31 librpc.value.type = 0x66 (float)
          31..35 librpc.value.float = 1.5
        35..36 librpc.arg
          35..36 librpc.value.type = 0x6f (null)
        36..38 librpc.arg = true
          36..37 librpc.value.type = 0x62 (bool)
          37..38 librpc.value.bool = true
        38..51 librpc.arg = (1, 2, 3)
          38..39 librpc.value.type = 0x76 (vector)
          39..43 librpc.value.x = 1
          43..47 librpc.value.y = 2
          47..51 librpc.value.z = 3
        51..68 librpc.arg = (0, 0, 0, 1)
          51..52 librpc.value.type = 0x71 (quaternion)
          52..56 librpc.value.x = 0
          56..60 librpc.value.y = 0
          60..64 librpc.value.z = 0
          64..68 librpc.value.w = 1
        68..90 librpc.arg = 4 elements
          68..69 librpc.value.type = 0x61 (array)
          69..73 librpc.array.size = 17
          librpc.depth = 2
          73..78 librpc.element = 1
            73..74 librpc.value.type = 0x69 (integer)
            74..78 librpc.value.integer = 1
          78..82 librpc.element = "a"
            78..79 librpc.value.type = 0x73 (string)
            79..81 librpc.value.len = 1
            81..82 librpc.value.string = "a"
          82..89 librpc.element = 1 element
            82..83 librpc.value.type = 0x61 (array)
            83..87 librpc.array.size = 2
            librpc.depth = 3
            87..89 librpc.element = false
              87..88 librpc.value.type = 0x62 (bool)
              88..89 librpc.value.bool = false
            librpc.array.count = 1
          89..90 librpc.element
            89..90 librpc.value.type = 0x6f (null)
          librpc.array.count = 4
        librpc.arg_count = 8
    ! info vcmp.version_assumed at 0..1: taken for rel006
    "#);
}

#[test]
fn parts_that_never_come() {
    insta::assert_snapshot!(last(&[by_server(R3B)]), @r#"
    raknet 0..42 of "raknet parts" | unfinished
      0..42 raknet.unparsed = 42 bytes
    ! broken raknet.expert.incomplete_split at 0..42: 1 of 2 parts of message 1 came
    "#);
}
