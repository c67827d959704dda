//! AMQP frames, valid and malformed.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::trial;

fn size(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or_default().to_be_bytes()
}

/// A frame of this type.
fn frame(kind: u8, channel: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    [&[kind, 0, channel][..], &length, payload, &[FRAME_END]].concat()
}

fn method(channel: u8, class: u8, method: u8, arguments: &[u8]) -> Vec<u8> {
    frame(1, channel, &[&[0, class, 0, method][..], arguments].concat())
}

/// Every type of a value in a table.
const VALUES: &[u8] = b"\x01at\x01\x01bb\xff\x01cB\x01\x01ds\xff\xff\x01eu\0\x01\x01fI\xff\xff\xff\xff\x01gi\0\0\0\x01\x01hl\0\0\0\0\0\0\0\x01\
    \x01iT\0\0\0\0\0\0\0\x01\x01jf\x3f\x80\0\0\x01kd\x3f\xf0\0\0\0\0\0\0\x01lD\x02\0\0\0\x01\x01mS\0\0\0\x02hi\x01nx\0\0\0\x01\x09\
    \x01oF\0\0\0\x03\x01aV\x01pA\0\0\0\x02t\x01";

fn talk() -> Vec<(Side, Vec<u8>)> {
    let properties = [&size(VALUES.len())[..], VALUES].concat();
    let started = [&b"\0\x09"[..], &properties, b"\0\0\0\x05PLAIN\0\0\0\x05en_US"].concat();
    let header = [
        &b"\0\x3c\0\0\0\0\0\0\0\0\0\x05\xff\xfc\x01a\x01b"[..],
        b"\0\0\0\0\x02\x05\x01c\x01d\x01e\x01f\0\0\0\0\0\0\0\x07\x01g\x01h\x01i\x01j",
    ]
    .concat();
    vec![
        (Side::Client, b"AMQP\0\0\x09\x01".to_vec()),
        (Side::Server, method(0, 10, 10, &started)),
        (Side::Client, method(0, 10, 11, b"\0\0\0\0\x05PLAIN\0\0\0\x07\0anna\0p\x05en_US")),
        (Side::Server, method(0, 10, 30, b"\x07\xff\0\x02\0\0\0\x3c")),
        (Side::Client, method(1, 50, 10, b"\0\0\x04news\x02\0\0\0\0")),
        (Side::Client, method(1, 60, 40, b"\0\0\0\x04news\x01")),
        (Side::Client, frame(2, 1, &header)),
        (Side::Client, frame(3, 1, b"hello")),
        (Side::Server, frame(8, 0, b"")),
        (Side::Server, method(1, 99, 1, b"x")),
    ]
}

#[test]
fn frames_are_dissected() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    let trees = trees_of(&PROTOCOL, &mut Session::default(), &lines);
    assert!(!trees.contains("\n! "), "{trees}");
    insta::assert_snapshot!(trees, @r#"
    amqp 0..8 | Protocol header | 0-9-1
      0..4 amqp.init.protocol = "AMQP"
      4..5 amqp.init.id = 0
      5..6 amqp.init.version_major = 0
      6..7 amqp.init.version_minor = 9
      7..8 amqp.init.version_revision = 1
    amqp 0..156 | Connection.Start | channel 0
      0..1 amqp.type = 1 (Method)
      1..3 amqp.channel = 0
      3..7 amqp.length = 148
      7..9 amqp.method.class = 10 (Connection)
      9..11 amqp.method.method = 10
      11..12 amqp.method.arguments.version_major = 0
      12..13 amqp.method.arguments.version_minor = 9
      13..137 amqp.method.arguments.server_properties
        13..17 amqp.table.length = 120
        17..21 amqp.table.entry
          17..18 amqp.table.key_length = 1
          18..19 amqp.table.key = "a"
          19..20 amqp.table.type = "t"
          20..21 amqp.table.bool = true
        21..25 amqp.table.entry
          21..22 amqp.table.key_length = 1
          22..23 amqp.table.key = "b"
          23..24 amqp.table.type = "b"
          24..25 amqp.table.number = -1
        25..29 amqp.table.entry
          25..26 amqp.table.key_length = 1
          26..27 amqp.table.key = "c"
          27..28 amqp.table.type = "B"
          28..29 amqp.table.number = 1
        29..34 amqp.table.entry
          29..30 amqp.table.key_length = 1
          30..31 amqp.table.key = "d"
          31..32 amqp.table.type = "s"
          32..34 amqp.table.number = -1
        34..39 amqp.table.entry
          34..35 amqp.table.key_length = 1
          35..36 amqp.table.key = "e"
          36..37 amqp.table.type = "u"
          37..39 amqp.table.number = 1
        39..46 amqp.table.entry
          39..40 amqp.table.key_length = 1
          40..41 amqp.table.key = "f"
          41..42 amqp.table.type = "I"
          42..46 amqp.table.number = -1
        46..53 amqp.table.entry
          46..47 amqp.table.key_length = 1
          47..48 amqp.table.key = "g"
          48..49 amqp.table.type = "i"
          49..53 amqp.table.number = 1
        53..64 amqp.table.entry
          53..54 amqp.table.key_length = 1
          54..55 amqp.table.key = "h"
          55..56 amqp.table.type = "l"
          56..64 amqp.table.number = 1
        64..75 amqp.table.entry
          64..65 amqp.table.key_length = 1
          65..66 amqp.table.key = "i"
          66..67 amqp.table.type = "T"
          67..75 amqp.table.number = 1
        75..82 amqp.table.entry
          75..76 amqp.table.key_length = 1
          76..77 amqp.table.key = "j"
          77..78 amqp.table.type = "f"
          78..82 amqp.table.float = 1
        82..93 amqp.table.entry
          82..83 amqp.table.key_length = 1
          83..84 amqp.table.key = "k"
          84..85 amqp.table.type = "d"
          85..93 amqp.table.float = 1
        93..101 amqp.table.entry
          93..94 amqp.table.key_length = 1
          94..95 amqp.table.key = "l"
          95..96 amqp.table.type = "D"
          96..97 amqp.table.scale = 2
          97..101 amqp.table.number = 1
        101..110 amqp.table.entry
          101..102 amqp.table.key_length = 1
          102..103 amqp.table.key = "m"
          103..104 amqp.table.type = "S"
          104..108 amqp.string_length = 2
          108..110 amqp.table.text = "hi"
        110..118 amqp.table.entry
          110..111 amqp.table.key_length = 1
          111..112 amqp.table.key = "n"
          112..113 amqp.table.type = "x"
          113..117 amqp.string_length = 1
          117..118 amqp.table.bytes = 09
        118..128 amqp.table.entry
          118..119 amqp.table.key_length = 1
          119..120 amqp.table.key = "o"
          120..121 amqp.table.type = "F"
          121..128 amqp.table
            121..125 amqp.table.length = 3
            125..128 amqp.table.entry
              125..126 amqp.table.key_length = 1
              126..127 amqp.table.key = "a"
              127..128 amqp.table.type = "V"
        128..137 amqp.table.entry
          128..129 amqp.table.key_length = 1
          129..130 amqp.table.key = "p"
          130..131 amqp.table.type = "A"
          131..137 amqp.table
            131..135 amqp.table.length = 2
            135..136 amqp.table.type = "t"
            136..137 amqp.table.bool = true
      137..141 amqp.string_length = 5
      141..146 amqp.method.arguments.mechanisms = 504c41494e
      146..150 amqp.string_length = 5
      150..155 amqp.method.arguments.locales = 656e5f5553
      155..156 amqp.end = 0xce
    amqp 0..39 | Connection.Start-Ok | channel 0, PLAIN, en_US
      0..1 amqp.type = 1 (Method)
      1..3 amqp.channel = 0
      3..7 amqp.length = 31
      7..9 amqp.method.class = 10 (Connection)
      9..11 amqp.method.method = 11
      11..15 amqp.method.arguments.client_properties
        11..15 amqp.table.length = 0
      15..16 amqp.string_length = 5
      16..21 amqp.method.arguments.mechanism = "PLAIN"
      21..25 amqp.string_length = 7
      25..32 amqp.method.arguments.response = 00616e6e610070
      32..33 amqp.string_length = 5
      33..38 amqp.method.arguments.locale = "en_US"
      38..39 amqp.end = 0xce
    amqp 0..20 | Connection.Tune | channel 0
      0..1 amqp.type = 1 (Method)
      1..3 amqp.channel = 0
      3..7 amqp.length = 12
      7..9 amqp.method.class = 10 (Connection)
      9..11 amqp.method.method = 30
      11..13 amqp.method.arguments.channel_max = 2047
      13..17 amqp.method.arguments.frame_max = 131072
      17..19 amqp.method.arguments.heartbeat = 60
      19..20 amqp.end = 0xce
    amqp 0..24 | Queue.Declare | channel 1, news
      0..1 amqp.type = 1 (Method)
      1..3 amqp.channel = 1
      3..7 amqp.length = 16
      7..9 amqp.method.class = 50 (Queue)
      9..11 amqp.method.method = 10
      11..13 amqp.method.arguments.ticket = 0
      13..14 amqp.string_length = 4
      14..18 amqp.method.arguments.queue = "news"
      18..19 amqp.method.arguments.passive = false
      18..19 amqp.method.arguments.durable = true
      18..19 amqp.method.arguments.exclusive = false
      18..19 amqp.method.arguments.auto_delete = false
      18..19 amqp.method.arguments.nowait = false
      19..23 amqp.method.arguments.arguments
        19..23 amqp.table.length = 0
      23..24 amqp.end = 0xce
    amqp 0..21 | Basic.Publish | channel 1, news
      0..1 amqp.type = 1 (Method)
      1..3 amqp.channel = 1
      3..7 amqp.length = 13
      7..9 amqp.method.class = 60 (Basic)
      9..11 amqp.method.method = 40
      11..13 amqp.method.arguments.ticket = 0
      13..14 amqp.string_length = 0
      14..15 amqp.string_length = 4
      15..19 amqp.method.arguments.routing_key = "news"
      19..20 amqp.method.arguments.mandatory = true
      19..20 amqp.method.arguments.immediate = false
      20..21 amqp.end = 0xce
    amqp 0..56 | Content header | channel 1, 5 bytes, a, b, c, d
      0..1 amqp.type = 2 (Content header)
      1..3 amqp.channel = 1
      3..7 amqp.length = 48
      7..9 amqp.header.class = 60 (Basic)
      9..11 amqp.header.weight = 0
      11..19 amqp.header.body-size = 5
      19..21 amqp.header.property-flags = 0xfffc
      21..22 amqp.string_length = 1
      22..23 amqp.method.properties.content_type = "a"
      23..24 amqp.string_length = 1
      24..25 amqp.method.properties.content_encoding = "b"
      25..29 amqp.method.properties.headers
        25..29 amqp.table.length = 0
      29..30 amqp.method.properties.delivery_mode = 2 (persistent)
      30..31 amqp.method.properties.priority = 5
      31..32 amqp.string_length = 1
      32..33 amqp.method.properties.correlation_id = "c"
      33..34 amqp.string_length = 1
      34..35 amqp.method.properties.reply_to = "d"
      35..36 amqp.string_length = 1
      36..37 amqp.method.properties.expiration = "e"
      37..38 amqp.string_length = 1
      38..39 amqp.method.properties.message_id = "f"
      39..47 amqp.method.properties.timestamp_seconds = 7
      47..48 amqp.string_length = 1
      48..49 amqp.method.properties.type = "g"
      49..50 amqp.string_length = 1
      50..51 amqp.method.properties.user_id = "h"
      51..52 amqp.string_length = 1
      52..53 amqp.method.properties.app_id = "i"
      53..54 amqp.string_length = 1
      54..55 amqp.method.properties.cluster_id = "j"
      55..56 amqp.end = 0xce
    amqp 0..13 | Content body | channel 1, 5 bytes
      0..1 amqp.type = 3 (Content body)
      1..3 amqp.channel = 1
      3..7 amqp.length = 5
      7..12 amqp.payload = 68656c6c6f
      12..13 amqp.end = 0xce
    amqp 0..8 | Heartbeat
      0..1 amqp.type = 8 (Heartbeat)
      1..3 amqp.channel = 0
      3..7 amqp.length = 0
      7..8 amqp.end = 0xce
    amqp 0..13 | unknown method
      0..1 amqp.type = 1 (Method)
      1..3 amqp.channel = 1
      3..7 amqp.length = 5
      7..9 amqp.method.class = 99
      9..11 amqp.method.method = 1
      11..12 amqp.data = 78
      12..13 amqp.end = 0xce
    "#);
}

#[test]
fn damaged_frames_are_survived() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    survives_damage(&PROTOCOL, Session::default, &lines);
}

#[test]
fn tables_inside_each_other_end_at_a_depth() {
    let mut inner = Vec::new();
    for _ in 0..400 {
        inner = [&b"\x01aF"[..], &size(inner.len()), &inner].concat();
    }
    let arguments = [&b"\0\x09"[..], &size(inner.len()), &inner].concat();
    let bytes = method(0, 10, 10, &arguments);
    let tree = trial::message(&PROTOCOL, &mut Session::default(), Side::Server, &bytes, crate::wire::Cut::No);
    assert!(tree.contains("levels"), "{tree}");
}

#[test]
fn streams_are_recognized_by_their_start() {
    let judge = |client: &[u8], complete| {
        let opening = Opening { sent: [client, b""], from_start: [true; 2], complete };
        (anywhere(&opening), on_port(&opening))
    };
    let (yes, no) = (Verdict::Yes(Side::Server), Verdict::No);
    assert_eq!(judge(b"AMQP\0\0\x09\x01", true), (yes, yes));
    assert_eq!(judge(b"AMQP\0\x01\0\0", true), (yes, yes), "1.0");
    assert_eq!(judge(b"AMQP\0\x07\x09\x01", true), (no, no), "no such version");
    assert_eq!(judge(&frame(8, 0, b""), true), (no, yes));
    assert_eq!(judge(b"AM", false), (no, Verdict::Unsure));
    assert_eq!(judge(b"GET / HTTP/1.1\r\n\r\n", true), (no, no));
}
