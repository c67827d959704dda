//! MongoDB messages, valid and malformed.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::trial;

/// A message with these IDs, this opcode and body.
fn message(id: u8, response: u8, opcode: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(HEADER + body.len()).unwrap_or_default().to_le_bytes();
    [&length[..], &[id, 0, 0, 0, response, 0, 0, 0], &opcode.to_le_bytes(), body].concat()
}

/// A document with these elements.
fn document(elements: &[u8]) -> Vec<u8> {
    let length = u32::try_from(elements.len() + 5).unwrap_or_default().to_le_bytes();
    [&length[..], elements, &[0]].concat()
}

fn talk() -> Vec<(Side, Vec<u8>)> {
    let values = [
        &b"\x01d\0\0\0\0\0\0\0\xf0\x3f\x04a\0\x0c\0\0\0\x100\0\x01\0\0\0\0\x05b\0\x02\0\0\0\0xy\x07o\0abcdefabcdef\x08t\0\x01"[..],
        b"\x09w\0\x01\0\0\0\0\0\0\0\x0an\0\x0br\0a.b\0i\0\x0cp\0\x02\0\0\0c\0abcdefabcdef\x0fj\0\x10\0\0\0\x02\0\0\0x\0\x05\0\0\0\0",
        b"\x11s\0\x01\0\0\0\0\0\0\0\x12l\0\x01\0\0\0\0\0\0\0\x13m\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ];
    let find = document(b"\x02find\0\x06\0\0\0users\0\x02$db\0\x05\0\0\0shop\0");
    let login = document(b"\x10saslStart\0\x01\0\0\0\x05payload\0\x04\0\0\0\0anna\x02pwd\0\x02\0\0\0p\0");
    let section = [&b"\x01\x13\0\0\0documents\0"[..], &document(b"")].concat();
    vec![
        (Side::Client, message(1, 0, 2013, &[&b"\0\0\0\0\0"[..], &find].concat())),
        (Side::Server, message(9, 1, 2013, &[&b"\x01\0\0\0\0"[..], &document(&values.concat()), b"\x01\x02\x03\x04"].concat())),
        (Side::Client, message(2, 0, 2013, &[&b"\0\0\0\0\0"[..], &login].concat())),
        (
            Side::Client,
            message(
                3,
                0,
                2004,
                &[&b"\x04\0\0\0admin.$cmd\0\0\0\0\0\xff\xff\xff\xff"[..], &document(b"\x10isMaster\0\x01\0\0\0")].concat(),
            ),
        ),
        (
            Side::Server,
            message(10, 3, 1, &[&b"\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0"[..], &document(b"\x08ok\0\x01")].concat()),
        ),
        (Side::Client, message(4, 0, 2013, &[&b"\0\0\0\0"[..], &section].concat())),
        (Side::Client, message(5, 0, 2001, &[&b"\0\0\0\0a.b\0\0\0\0\0"[..], &document(b""), &document(b"")].concat())),
        (Side::Client, message(6, 0, 2002, &[&b"\0\0\0\0a.b\0"[..], &document(b"")].concat())),
        (Side::Client, message(7, 0, 2005, b"\0\0\0\0a.b\0\x01\0\0\0\x02\0\0\0\0\0\0\0")),
        (Side::Client, message(8, 0, 2007, b"\0\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0")),
        (Side::Client, message(9, 0, 2012, b"\xdd\x07\0\0\x10\0\0\0\x02abc")),
    ]
}

#[test]
fn all_messages_are_dissected() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), &lines), @r#"
    mongo 0..56 | Extensible Message Format | find users shop
      0..4 mongo.message_length = 56
      4..8 mongo.request_id = 0x00000001
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2013 (Extensible Message Format)
      16..20 mongo.msg.flags = 0x00000000
        16..20 mongo.msg.flags.checksumpresent = false
        16..20 mongo.msg.flags.moretocome = false
        16..20 mongo.msg.flags.exhaustallowed = false
      20..56 mongo.msg.sections.section
        20..21 mongo.msg.sections.section.kind = 0 (Body)
        21..56 mongo.document
          21..25 mongo.document.length = 35
          25..41 mongo.element
            25..26 mongo.element.type = 0x02 (String)
            26..31 mongo.element.name = "find"
            31..35 mongo.element.value.length = 6
            35..41 mongo.element.value.string = "users"
          41..55 mongo.element
            41..42 mongo.element.type = 0x02 (String)
            42..46 mongo.element.name = "$db"
            46..50 mongo.element.value.length = 5
            50..55 mongo.element.value.string = "shop"
          55..56 mongo.document.end = 00
    mongo 0..188 | Extensible Message Format | d
      0..4 mongo.message_length = 188
      4..8 mongo.request_id = 0x00000009
      8..12 mongo.response_to = 0x00000001
      12..16 mongo.opcode = 2013 (Extensible Message Format)
      mongo.request_frame = 0
      16..20 mongo.msg.flags = 0x00000001
        16..20 mongo.msg.flags.checksumpresent = true
        16..20 mongo.msg.flags.moretocome = false
        16..20 mongo.msg.flags.exhaustallowed = false
      20..184 mongo.msg.sections.section
        20..21 mongo.msg.sections.section.kind = 0 (Body)
        21..184 mongo.document
          21..25 mongo.document.length = 163
          25..36 mongo.element
            25..26 mongo.element.type = 0x01 (Double)
            26..28 mongo.element.name = "d"
            28..36 mongo.element.value.double = 1
          36..51 mongo.element
            36..37 mongo.element.type = 0x04 (Array)
            37..39 mongo.element.name = "a"
            39..51 mongo.document
              39..43 mongo.document.length = 12
              43..50 mongo.element
                43..44 mongo.element.type = 0x10 (Int32)
                44..46 mongo.element.name = "0"
                46..50 mongo.element.value.int = 1
              50..51 mongo.document.end = 00
          51..61 mongo.element
            51..52 mongo.element.type = 0x05 (Binary)
            52..54 mongo.element.name = "b"
            54..58 mongo.element.value.length = 2
            58..59 mongo.element.subtype = 0x00
            59..61 mongo.element.value.bytes = 7879
          61..76 mongo.element
            61..62 mongo.element.type = 0x07 (Object ID)
            62..64 mongo.element.name = "o"
            64..76 mongo.element.value.objectid = 616263646566616263646566
          76..80 mongo.element
            76..77 mongo.element.type = 0x08 (Boolean)
            77..79 mongo.element.name = "t"
            79..80 mongo.element.value.bool = true
          80..91 mongo.element
            80..81 mongo.element.type = 0x09 (Datetime)
            81..83 mongo.element.name = "w"
            83..91 mongo.element.value.int64 = 1
          91..94 mongo.element
            91..92 mongo.element.type = 0x0a (NULL)
            92..94 mongo.element.name = "n"
          94..103 mongo.element
            94..95 mongo.element.type = 0x0b (Regular Expression)
            95..97 mongo.element.name = "r"
            97..101 mongo.element.value.regex.pattern = "a.b"
            101..103 mongo.element.value.regex.options = "i"
          103..124 mongo.element
            103..104 mongo.element.type = 0x0c (DBPointer)
            104..106 mongo.element.name = "p"
            106..110 mongo.element.value.length = 2
            110..112 mongo.element.value.string = "c"
            112..124 mongo.element.value.db_ptr = 616263646566616263646566
          124..142 mongo.element
            124..125 mongo.element.type = 0x0f (JavaScript Code w/Scope)
            125..127 mongo.element.name = "j"
            127..131 mongo.element.length = 16
            131..135 mongo.element.value.length = 2
            135..137 mongo.element.value.string = "x"
            137..142 mongo.document
              137..141 mongo.document.length = 5
              141..142 mongo.document.end = 00
          142..153 mongo.element
            142..143 mongo.element.type = 0x11 (Timestamp)
            143..145 mongo.element.name = "s"
            145..153 mongo.element.value.int64 = 1
          153..164 mongo.element
            153..154 mongo.element.type = 0x12 (Int64)
            154..156 mongo.element.name = "l"
            156..164 mongo.element.value.int64 = 1
          164..183 mongo.element
            164..165 mongo.element.type = 0x13 (Decimal128)
            165..167 mongo.element.name = "m"
            167..183 mongo.element.value.bytes = 00000000000000000000000000000000
          183..184 mongo.document.end = 00
      184..188 mongo.msg.checksum = 0x04030201
    mongo 0..70 | Extensible Message Format | saslStart
      0..4 mongo.message_length = 70
      4..8 mongo.request_id = 0x00000002
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2013 (Extensible Message Format)
      16..20 mongo.msg.flags = 0x00000000
        16..20 mongo.msg.flags.checksumpresent = false
        16..20 mongo.msg.flags.moretocome = false
        16..20 mongo.msg.flags.exhaustallowed = false
      20..70 mongo.msg.sections.section
        20..21 mongo.msg.sections.section.kind = 0 (Body)
        21..70 mongo.document
          21..25 mongo.document.length = 49
          25..40 mongo.element
            25..26 mongo.element.type = 0x10 (Int32)
            26..36 mongo.element.name = "saslStart"
            36..40 mongo.element.value.int = 1
          40..58 mongo.element
            40..41 mongo.element.type = 0x05 (Binary)
            41..49 mongo.element.name = "payload"
            49..53 mongo.element.value.length = 4
            53..54 mongo.element.subtype = 0x00
            54..58 mongo.element.value.bytes = 616e6e61
          58..69 mongo.element
            58..59 mongo.element.type = 0x02 (String)
            59..63 mongo.element.name = "pwd"
            63..67 mongo.element.value.length = 2
            67..69 mongo.element.value.string = "p"
          69..70 mongo.document.end = 00
    mongo 0..58 | Query | admin.$cmd isMaster
      0..4 mongo.message_length = 58
      4..8 mongo.request_id = 0x00000003
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2004 (Query)
      16..20 mongo.query.flags = 0x00000004
        16..20 mongo.query.flags.tailable_cursor = false
        16..20 mongo.query.flags.slave_ok = true
        16..20 mongo.query.flags.op_log_reply = false
        16..20 mongo.query.flags.no_cursor_timeout = false
        16..20 mongo.query.flags.awaitdata = false
        16..20 mongo.query.flags.exhaust = false
        16..20 mongo.query.flags.partial = false
      20..31 mongo.full_collection_name = "admin.$cmd"
      20..25 mongo.database_name = "admin"
      26..30 mongo.collection_name = "$cmd"
      31..35 mongo.number_to_skip = 0
      35..39 mongo.number_to_return = -1
      39..58 mongo.document
        39..43 mongo.document.length = 19
        43..57 mongo.element
          43..44 mongo.element.type = 0x10 (Int32)
          44..53 mongo.element.name = "isMaster"
          53..57 mongo.element.value.int = 1
        57..58 mongo.document.end = 00
    mongo 0..46 | Reply | ok
      0..4 mongo.message_length = 46
      4..8 mongo.request_id = 0x0000000a
      8..12 mongo.response_to = 0x00000003
      12..16 mongo.opcode = 1 (Reply)
      mongo.request_frame = 0
      16..20 mongo.reply.flags = 0x00000008
        16..20 mongo.reply.flags.cursornotfound = false
        16..20 mongo.reply.flags.queryfailure = false
        16..20 mongo.reply.flags.sharedconfigstale = false
        16..20 mongo.reply.flags.awaitcapable = true
      20..28 mongo.cursor_id = 0
      28..32 mongo.starting_from = 0
      32..36 mongo.number_returned = 1
      36..46 mongo.document
        36..40 mongo.document.length = 10
        40..45 mongo.element
          40..41 mongo.element.type = 0x08 (Boolean)
          41..44 mongo.element.name = "ok"
          44..45 mongo.element.value.bool = true
        45..46 mongo.document.end = 00
    mongo 0..40 | Extensible Message Format
      0..4 mongo.message_length = 40
      4..8 mongo.request_id = 0x00000004
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2013 (Extensible Message Format)
      16..20 mongo.msg.flags = 0x00000000
        16..20 mongo.msg.flags.checksumpresent = false
        16..20 mongo.msg.flags.moretocome = false
        16..20 mongo.msg.flags.exhaustallowed = false
      20..40 mongo.msg.sections.section
        20..21 mongo.msg.sections.section.kind = 1 (Document Sequence)
        21..25 mongo.msg.sections.section.size = 19
        25..35 mongo.msg.sections.section.doc_sequence_id = "documents"
        35..40 mongo.document
          35..39 mongo.document.length = 5
          39..40 mongo.document.end = 00
    mongo 0..38 | Update document | a.b
      0..4 mongo.message_length = 38
      4..8 mongo.request_id = 0x00000005
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2001 (Update document)
      16..20 mongo.document.zero = 00000000
      20..24 mongo.full_collection_name = "a.b"
      20..21 mongo.database_name = "a"
      22..23 mongo.collection_name = "b"
      24..28 mongo.write.flags = 0x00000000
      28..33 mongo.document
        28..32 mongo.document.length = 5
        32..33 mongo.document.end = 00
      33..38 mongo.document
        33..37 mongo.document.length = 5
        37..38 mongo.document.end = 00
    mongo 0..29 | Insert document | a.b
      0..4 mongo.message_length = 29
      4..8 mongo.request_id = 0x00000006
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2002 (Insert document)
      16..20 mongo.write.flags = 0x00000000
      20..24 mongo.full_collection_name = "a.b"
      20..21 mongo.database_name = "a"
      22..23 mongo.collection_name = "b"
      24..29 mongo.document
        24..28 mongo.document.length = 5
        28..29 mongo.document.end = 00
    mongo 0..36 | Get More | a.b
      0..4 mongo.message_length = 36
      4..8 mongo.request_id = 0x00000007
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2005 (Get More)
      16..20 mongo.document.zero = 00000000
      20..24 mongo.full_collection_name = "a.b"
      20..21 mongo.database_name = "a"
      22..23 mongo.collection_name = "b"
      24..28 mongo.number_to_return = 1
      28..36 mongo.cursor_id = 2
    mongo 0..32 | Kill Cursors
      0..4 mongo.message_length = 32
      4..8 mongo.request_id = 0x00000008
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2007 (Kill Cursors)
      16..20 mongo.document.zero = 00000000
      20..24 mongo.number_to_cursor_ids = 1
      24..32 mongo.cursor_id = 2
    mongo 0..28 | Compressed Data
      0..4 mongo.message_length = 28
      4..8 mongo.request_id = 0x00000009
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2012 (Compressed Data)
      16..20 mongo.compression.original_opcode = 2013 (Extensible Message Format)
      20..24 mongo.compression.original_size = 16
      24..25 mongo.compression.compressor = 2 (Zlib)
      25..28 mongo.compression.compressed_data = 616263
    ! odd mongo.note.compression at 25..28 mongo.compression.compressed_data: no valid data of 16 bytes
    "#);
}

#[test]
fn compressed_messages_are_decompressed() {
    let body = [&b"\0\0\0\0\0"[..], &document(b"\x10ping\0\x01\0\0\0")].concat();
    let mut encoder = flate2::read::ZlibEncoder::new(body.as_slice(), flate2::Compression::fast());
    let mut zlib = Vec::new();
    std::io::Read::read_to_end(&mut encoder, &mut zlib).unwrap();
    let snappy = [&[20, 19 << 2][..], &body].concat();
    let of = |compressor: u8, size: u8, data: &[u8]| {
        message(1, 0, 2012, &[&b"\xdd\x07\0\0"[..], &[size, 0, 0, 0, compressor], data].concat())
    };
    let plain = trial::message(&PROTOCOL, &mut Session::default(), Side::Client, &of(1, 20, &snappy), crate::wire::Cut::No);
    insta::assert_snapshot!(plain, @r#"
    mongo 0..47 | Compressed Data | ping
      0..4 mongo.message_length = 47
      4..8 mongo.request_id = 0x00000001
      8..12 mongo.response_to = 0x00000000
      12..16 mongo.opcode = 2012 (Compressed Data)
      16..20 mongo.compression.original_opcode = 2013 (Extensible Message Format)
      20..24 mongo.compression.original_size = 20
      24..25 mongo.compression.compressor = 1 (Snappy)
      25..47 mongo.compression.compressed_data = 22 bytes
      0..4 mongo.msg.flags = 0x00000000
        0..4 mongo.msg.flags.checksumpresent = false
        0..4 mongo.msg.flags.moretocome = false
        0..4 mongo.msg.flags.exhaustallowed = false
      4..20 mongo.msg.sections.section
        4..5 mongo.msg.sections.section.kind = 0 (Body)
        5..20 mongo.document
          5..9 mongo.document.length = 15
          9..19 mongo.element
            9..10 mongo.element.type = 0x10 (Int32)
            10..15 mongo.element.name = "ping"
            15..19 mongo.element.value.int = 1
          19..20 mongo.document.end = 00
    "#);
    let by_zlib = trial::message(&PROTOCOL, &mut Session::default(), Side::Client, &of(2, 20, &zlib), crate::wire::Cut::No);
    assert!(by_zlib.contains("mongo.element.name = \"ping\""), "{by_zlib}");
    let zstd = ruzstd::encoding::compress_to_vec(body.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
    let by_zstd = trial::message(&PROTOCOL, &mut Session::default(), Side::Client, &of(3, 20, &zstd), crate::wire::Cut::No);
    assert!(by_zstd.contains("mongo.element.name = \"ping\""), "{by_zstd}");
    let too_long = trial::message(&PROTOCOL, &mut Session::default(), Side::Client, &of(2, 19, &zlib), crate::wire::Cut::No);
    assert!(too_long.contains("mongo.note.compression"), "{too_long}");
}

#[test]
fn damaged_messages_are_survived() {
    let talk = talk();
    let lines: Vec<_> = talk.iter().map(|(side, bytes)| (*side, bytes.as_slice())).collect();
    survives_damage(&PROTOCOL, Session::default, &lines);
}

#[test]
fn documents_inside_each_other_end_at_a_depth() {
    let mut inner = document(b"");
    for _ in 0..400 {
        inner = document(&[&b"\x03d\0"[..], &inner].concat());
    }
    let bytes = message(1, 0, 2013, &[&b"\0\0\0\0\0"[..], &inner].concat());
    let tree = trial::message(&PROTOCOL, &mut Session::default(), Side::Client, &bytes, crate::wire::Cut::No);
    assert!(tree.contains("levels"), "{tree}");
}

#[test]
fn streams_are_recognized_by_a_header() {
    let judge =
        |client: &[u8], server: &[u8], complete| on_port(&Opening { sent: [client, server], from_start: [true; 2], complete });
    let talk = talk();
    let (request, response) = (&talk[0].1, &talk[1].1);
    assert_eq!(judge(request, b"", true), Verdict::Yes(Side::Server));
    assert_eq!(judge(response, b"", true), Verdict::Yes(Side::Client));
    assert_eq!(judge(&request[..10], b"", false), Verdict::Unsure);
    assert_eq!(judge(b"GET / HTTP/1.1\r\n\r\n", b"", true), Verdict::No);
    // An OP_REPLY: its length, two numbers, opcode 1, flags, cursor, number of documents, length of the first one.
    let reply = |length: u8, flags: u8, documents: u8, first: u8| {
        let numbers = [length, 7, 8, 1, flags, 0, 0, 0, documents, first].map(|number| u32::from(number).to_le_bytes());
        let mut bytes = numbers.concat();
        bytes.resize(usize::from(length), 0);
        judge(b"", &bytes, true)
    };
    assert_eq!(reply(41, 8, 1, 5), Verdict::Yes(Side::Server));
    assert_eq!(reply(36, 0, 0, 0), Verdict::Yes(Side::Server));
    for [length, flags, documents, first] in
        [[40, 8, 1, 5], [41, 16, 1, 5], [41, 8, 1, 4], [41, 8, 1, 6], [41, 8, 0, 5], [35, 0, 0, 0]]
    {
        assert_eq!(reply(length, flags, documents, first), Verdict::No, "{length} {flags} {documents} {first}");
    }
    assert_eq!(judge(b"", &[&response[..4], &[1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0], &[8; 4]].concat(), false), Verdict::Unsure);
}
