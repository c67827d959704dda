//! Messages of gRPC in bodies.

use super::*;

#[test]
fn messages_of_grpc_are_decompressed() {
    let head = trial::bytes("83 86 44 05 2f612e42 2f 5f 10 6170706c 69636174 696f6e2f 67727063");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut gzip, &trial::bytes("0804 120374776f")).unwrap();
    let compressed = gzip.finish().unwrap();
    let length = u32::try_from(compressed.len()).unwrap().to_be_bytes();
    let message = [&[1][..], &length, &compressed].concat();
    let broken = [&[1][..], &length, &compressed[..15], &vec![0xff; compressed.len() - 15]].concat();
    let tree = all(
        &mut started(),
        &[
            (Side::Client, frame(1, 4, 1, &head)),
            (Side::Client, frame(0, 0, 1, &message)),
            (Side::Client, frame(0, 0, 1, &message[..9])),
            (Side::Client, frame(0, 0, 1, &message[9..])),
            (Side::Client, frame(0, 1, 1, &broken)),
        ],
    );
    insta::assert_snapshot!(trial::below(&tree, &["grpc.message"]), @r#"
    http2 0..36 | POST | /a.B/, stream 1
    http2 0..44 | DATA | 1 gRPC message, /a.B/, stream 1
      9..44 grpc.message
        9..10 grpc.frame_type = 0
        9..10 grpc.compressed_flag = 1
        10..14 grpc.message_length = 30
        14..44 grpc.encoded_data = 30 bytes
        0..7 grpc.message_data = 0804120374776f
        0..2 protobuf.field
          0..1 protobuf.field.number = 1
          0..1 protobuf.field.wiretype = 0 (varint)
          1..2 protobuf.field.value = 04
          1..2 protobuf.field.value.uint32 = 4
        2..7 protobuf.field
          2..3 protobuf.field.number = 2
          2..3 protobuf.field.wiretype = 2 (length-delimited)
          3..4 protobuf.field.value.length = 3
          4..7 protobuf.field.value = 74776f
          4..7 protobuf.field.value.string = "two"
    http2 0..18 | DATA | stream 1, 9 bytes
    http2 0..35 | DATA | 1 gRPC message, /a.B/, stream 1
      0..35 grpc.message
        0..1 grpc.frame_type = 0
        0..1 grpc.compressed_flag = 1
        1..5 grpc.message_length = 30
        5..35 grpc.encoded_data = 30 bytes
        0..7 grpc.message_data = 0804120374776f
        0..2 protobuf.field
          0..1 protobuf.field.number = 1
          0..1 protobuf.field.wiretype = 0 (varint)
          1..2 protobuf.field.value = 04
          1..2 protobuf.field.value.uint32 = 4
        2..7 protobuf.field
          2..3 protobuf.field.number = 2
          2..3 protobuf.field.wiretype = 2 (length-delimited)
          3..4 protobuf.field.value.length = 3
          4..7 protobuf.field.value = 74776f
          4..7 protobuf.field.value.string = "two"
    http2 0..44 | DATA | 1 gRPC message, /a.B/, stream 1
      9..44 grpc.message
        9..10 grpc.frame_type = 0
        9..10 grpc.compressed_flag = 1
        10..14 grpc.message_length = 30
        14..44 grpc.message_data = 30 bytes
    ! odd http2.body_decompression_failed at 14..44 grpc.message_data: corrupt gzip stream does not have a matching checksum
    "#);
    assert_eq!(tree.matches("http2.body_decompression_failed").count(), 1, "{tree}");
}

#[test]
fn messages_of_grpc_are_dissected_when_they_are_complete() {
    let head = trial::bytes("83 86 44 05 2f612e42 2f 5f 10 6170706c 69636174 696f6e2f 67727063");
    let message = trial::bytes("00 00000007 0804 120374776f");
    let (first, rest) = message.split_at(3);
    let (second, third) = rest.split_at(5);
    let tree = all(
        &mut started(),
        &[
            (Side::Client, frame(1, 4, 1, &head)),
            (Side::Client, frame(0, 0, 1, &[&message[..], first].concat())),
            (Side::Client, frame(0, 0, 1, second)),
            (Side::Client, frame(0, 1, 1, &[third, b"\x01\0\0\0\x01z\0\0\0\0\0"].concat())),
        ],
    );
    insta::assert_snapshot!(trial::below(&tree, &["grpc.message", "http2.data.data"]), @r#"
    http2 0..36 | POST | /a.B/, stream 1
    http2 0..24 | DATA | 1 gRPC message, /a.B/, stream 1
      9..24 http2.data.data = 00000000070804120374776f000000
      9..21 grpc.message
        9..10 grpc.frame_type = 0
        9..10 grpc.compressed_flag = 0
        10..14 grpc.message_length = 7
        14..21 grpc.message_data = 0804120374776f
        14..16 protobuf.field
          14..15 protobuf.field.number = 1
          14..15 protobuf.field.wiretype = 0 (varint)
          15..16 protobuf.field.value = 04
          15..16 protobuf.field.value.uint32 = 4
        16..21 protobuf.field
          16..17 protobuf.field.number = 2
          16..17 protobuf.field.wiretype = 2 (length-delimited)
          17..18 protobuf.field.value.length = 3
          18..21 protobuf.field.value = 74776f
          18..21 protobuf.field.value.string = "two"
    http2 0..14 | DATA | stream 1, 5 bytes
      9..14 http2.data.data = 0007080412
    http2 0..24 | DATA | 3 gRPC messages, /a.B/, stream 1
      9..24 http2.data.data = 0374776f01000000017a0000000000
      0..12 grpc.message
        0..1 grpc.frame_type = 0
        0..1 grpc.compressed_flag = 0
        1..5 grpc.message_length = 7
        5..12 grpc.message_data = 0804120374776f
        5..7 protobuf.field
          5..6 protobuf.field.number = 1
          5..6 protobuf.field.wiretype = 0 (varint)
          6..7 protobuf.field.value = 04
          6..7 protobuf.field.value.uint32 = 4
        7..12 protobuf.field
          7..8 protobuf.field.number = 2
          7..8 protobuf.field.wiretype = 2 (length-delimited)
          8..9 protobuf.field.value.length = 3
          9..12 protobuf.field.value = 74776f
          9..12 protobuf.field.value.string = "two"
      13..19 grpc.message
        13..14 grpc.frame_type = 0
        13..14 grpc.compressed_flag = 1
        14..18 grpc.message_length = 1
        18..19 grpc.message_data = 7a
      19..24 grpc.message
        19..20 grpc.frame_type = 0
        19..20 grpc.compressed_flag = 0
        20..24 grpc.message_length = 0
    "#);
}
