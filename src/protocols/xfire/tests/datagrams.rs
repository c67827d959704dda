//! Datagrams between clients and NAT probes.

use super::*;

#[test]
fn file_request_with_a_long_header() {
    insta::assert_snapshot!(file_message(X17), @r#"
    xfire 0..72 | file_request | file 0x80000001 "5.98.jpg"
      0..4 xfire.dl.length = 72
      4..6 xfire.type = 16007 (file_request)
      6..7 xfire.attr_count = 5
      xfire.key_mode = "string"
      7..19 xfire.attr
        7..8 xfire.attr.name_len = 6
        8..14 xfire.attr.name = "fileid"
        14..15 xfire.attr.type = 2 (int32)
        15..19 xfire.value.int32 = -2147483647
          15..19 xfire.file_id = 0x80000001
      19..39 xfire.attr
        19..20 xfire.attr.name_len = 8
        20..28 xfire.attr.name = "filename"
        28..29 xfire.attr.type = 1 (string)
        29..31 xfire.value.string_len = 8
        31..39 xfire.value.string = "5.98.jpg"
          31..39 xfire.file_name = "5.98.jpg"
      39..47 xfire.attr
        39..40 xfire.attr.name_len = 4
        40..44 xfire.attr.name = "desc"
        44..45 xfire.attr.type = 1 (string)
        45..47 xfire.value.string_len = 0
        47..47 xfire.value.string = ""
      47..61 xfire.attr
        47..48 xfire.attr.name_len = 4
        48..52 xfire.attr.name = "size"
        52..53 xfire.attr.type = 7 (int64)
        53..61 xfire.value.int64 = 205457
          53..61 xfire.file_size = 205457
      61..72 xfire.attr
        61..62 xfire.attr.name_len = 5
        62..67 xfire.attr.name = "mtime"
        67..68 xfire.attr.type = 2 (int32)
        68..72 xfire.value.int32 = 1297791850
          68..72 xfire.time = 1297791850
    "#);
}

#[test]
fn datagram_without_data() {
    insta::assert_snapshot!(datagram(X19), @"
    xfire 0..44 | ping | #1
      0..1 xfire.p2p.encoding = 0x00
      1..4 xfire.p2p.reserved = 000000
      4..24 xfire.p2p.moniker = 4742d44b8dc751fa420547927da91678d874c119
      24..28 xfire.p2p.type = 0x0010 (ping)
      28..32 xfire.p2p.msgid = 1
      32..36 xfire.p2p.seqid = 0
      36..40 xfire.p2p.data_len = 0
      40..44 xfire.p2p.reserved = 00000000
    ");
}

#[test]
fn datagram_with_a_message() {
    insta::assert_snapshot!(datagram(X20), @r#"
    xfire 0..142 | peer_message | typing to sid #1
      0..1 xfire.p2p.encoding = 0x00
      1..4 xfire.p2p.reserved = 000000
      4..24 xfire.p2p.moniker = 4742d44b8dc751fa420547927da91678d874c119
      24..28 xfire.p2p.type = 0x0300 (data16)
      28..32 xfire.p2p.msgid = 2
      32..36 xfire.p2p.seqid = 0
      36..40 xfire.p2p.data_len = 74
      40..44 xfire.p2p.reserved = 00000000
      44..48 xfire.p2p.unknown = 00000000
      48..122 xfire.p2p.data
        48..50 xfire.length = 74
        50..52 xfire.type = 2 (peer_message)
        52..53 xfire.attr_count = 2
        xfire.key_mode = "string"
        53..74 xfire.attr
          53..54 xfire.attr.name_len = 3
          54..57 xfire.attr.name = "sid"
          57..58 xfire.attr.type = 3 (sid)
          58..74 xfire.value.sid = 0cf00615e44895c5716a061ccc46eed1
            58..74 xfire.sid = 0cf00615e44895c5716a061ccc46eed1
              58..74 xfire.session = 1
        74..122 xfire.attr
          74..75 xfire.attr.name_len = 7
          75..82 xfire.attr.name = "peermsg"
          82..83 xfire.attr.type = 5 (string_map)
          83..122 xfire.map
            83..84 xfire.map.count = 3
            84..97 xfire.attr
              84..85 xfire.attr.name_len = 7
              85..92 xfire.attr.name = "msgtype"
              92..93 xfire.attr.type = 2 (int32)
              93..97 xfire.value.int32 = 3
                93..97 xfire.peermsg.msgtype = 3 (typing)
            97..110 xfire.attr
              97..98 xfire.attr.name_len = 7
              98..105 xfire.attr.name = "imindex"
              105..106 xfire.attr.type = 2 (int32)
              106..110 xfire.value.int32 = 1
                106..110 xfire.peermsg.imindex = 1
            110..122 xfire.attr
              110..111 xfire.attr.name_len = 6
              111..117 xfire.attr.name = "typing"
              117..118 xfire.attr.type = 2 (int32)
              118..122 xfire.value.int32 = 1
                118..122 xfire.peermsg.typing = true
      122..124 xfire.p2p.category = "IM"
      124..138 xfire.p2p.padding = 0000000000000000000000000000
      138..142 xfire.p2p.crc32 = 0x72ad6f5a
    "#);
}

#[test]
fn encoded_datagram_equals_the_plain_one() {
    insta::assert_snapshot!(datagram(X21), @r#"
    xfire 0..142 | peer_message | typing to sid #1
      0..1 xfire.p2p.encoding = 0x33
      1..4 xfire.p2p.reserved = 000000
      4..24 xfire.p2p.moniker = 4742d44b8dc751fa420547927da91678d874c119
      24..28 xfire.p2p.type = 0x0300 (data16)
      28..32 xfire.p2p.msgid = 2
      32..36 xfire.p2p.seqid = 0
      36..40 xfire.p2p.data_len = 74
      40..44 xfire.p2p.reserved = 00000000
      44..142 xfire.p2p.encoded = 98 bytes
      0..4 xfire.p2p.unknown = 00000000
      4..78 xfire.p2p.data
        4..6 xfire.length = 74
        6..8 xfire.type = 2 (peer_message)
        8..9 xfire.attr_count = 2
        xfire.key_mode = "string"
        9..30 xfire.attr
          9..10 xfire.attr.name_len = 3
          10..13 xfire.attr.name = "sid"
          13..14 xfire.attr.type = 3 (sid)
          14..30 xfire.value.sid = 0cf00615e44895c5716a061ccc46eed1
            14..30 xfire.sid = 0cf00615e44895c5716a061ccc46eed1
              14..30 xfire.session = 1
        30..78 xfire.attr
          30..31 xfire.attr.name_len = 7
          31..38 xfire.attr.name = "peermsg"
          38..39 xfire.attr.type = 5 (string_map)
          39..78 xfire.map
            39..40 xfire.map.count = 3
            40..53 xfire.attr
              40..41 xfire.attr.name_len = 7
              41..48 xfire.attr.name = "msgtype"
              48..49 xfire.attr.type = 2 (int32)
              49..53 xfire.value.int32 = 3
                49..53 xfire.peermsg.msgtype = 3 (typing)
            53..66 xfire.attr
              53..54 xfire.attr.name_len = 7
              54..61 xfire.attr.name = "imindex"
              61..62 xfire.attr.type = 2 (int32)
              62..66 xfire.value.int32 = 1
                62..66 xfire.peermsg.imindex = 1
            66..78 xfire.attr
              66..67 xfire.attr.name_len = 6
              67..73 xfire.attr.name = "typing"
              73..74 xfire.attr.type = 2 (int32)
              74..78 xfire.value.int32 = 1
                74..78 xfire.peermsg.typing = true
      78..80 xfire.p2p.category = "IM"
      80..94 xfire.p2p.padding = 0000000000000000000000000000
      94..98 xfire.p2p.crc32 = 0x72ad6f5a
    "#);
}

#[test]
fn datagram_with_a_file_message() {
    insta::assert_snapshot!(datagram(X22), @r#"
    xfire 0..87 | file_complete | file 0x80000000
      0..1 xfire.p2p.encoding = 0x00
      1..4 xfire.p2p.reserved = 000000
      4..24 xfire.p2p.moniker = 4742d44b8dc751fa420547927da91678d874c119
      24..28 xfire.p2p.type = 0x0000 (data32)
      28..32 xfire.p2p.msgid = 7
      32..36 xfire.p2p.seqid = 0
      36..40 xfire.p2p.data_len = 19
      40..44 xfire.p2p.reserved = 00000000
      44..48 xfire.p2p.unknown = 00000000
      48..67 xfire.p2p.data
        48..52 xfire.dl.length = 19
        52..54 xfire.type = 16013 (file_complete)
        54..55 xfire.attr_count = 1
        xfire.key_mode = "string"
        55..67 xfire.attr
          55..56 xfire.attr.name_len = 6
          56..62 xfire.attr.name = "fileid"
          62..63 xfire.attr.type = 2 (int32)
          63..67 xfire.value.int32 = -2147483648
            63..67 xfire.file_id = 0x80000000
      67..69 xfire.p2p.category = "DL"
      69..83 xfire.p2p.padding = 0000000000000000000000000000
      83..87 xfire.p2p.crc32 = 0x403f0686
    "#);
}

#[test]
fn probe() {
    insta::assert_snapshot!(nat(X23), @r#"
    xfire 0..18 | nat_probe | stage 1 from port 40000
      0..4 xfire.nat.magic = "SC01"
      4..12 xfire.nat.constant = 045acb0001000000
      12..16 xfire.nat.stage = 1
      16..18 xfire.nat.local_port = 40000
    "#);
}

#[test]
fn probe_reply() {
    insta::assert_snapshot!(nat(X24), @r#"
    xfire 0..10 | nat_reply | 198.51.100.7:40000
      0..4 xfire.nat.magic = "CK01"
      4..8 xfire.nat.ip = 198.51.100.7
      8..10 xfire.nat.port = 40000
    "#);
}

#[test]
fn flipped_bit_is_detected() {
    insta::assert_snapshot!(trial::below(&datagram(M10), &["xfire.value.sid", "xfire.p2p.crc32"]), @"
    xfire 0..142 | peer_message | typing to sid #1
          14..30 xfire.value.sid = 0cf00715e44895c5716a061ccc46eed1
            14..30 xfire.sid = 0cf00715e44895c5716a061ccc46eed1
              14..30 xfire.session = 1
      94..98 xfire.p2p.crc32 = 0x72ad6f5a
    ! odd xfire.expert.bad_crc at 94..98 xfire.p2p.crc32: the expected checksum is 0x8f0e797f
    ");
}
