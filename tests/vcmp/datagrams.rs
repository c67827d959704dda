//! Datagrams inside and outside of connections, and of the server query.

use super::*;

#[test]
fn call_in_a_datagram() {
    insta::assert_snapshot!(last(&[by_server(R1)]), @r#"
    raknet 0..43 | data | #5, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 5
      4..43 raknet.frame
        4..5 raknet.frame.flags = 0x60
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 232
        7..10 raknet.frame.message_number = 7
        10..13 raknet.frame.ordering_index = 3
        13..14 raknet.frame.ordering_channel = 0
        14..15 raknet.message.id = 0xcf
        14..43 raknet.frame.payload = 29 bytes
    vcmp 14..43 | server_data | 24 bytes (carries)
      14..15 vcmp.message_id = 0xcf
      vcmp.version = "rel006"
      15..19 vcmp.server_data.length = 24
      19..43 vcmp.server_data.data = 24 bytes
    librpc 19..43 | call | print("Hello")
      19..23 librpc.identifier = 0x40000000 (up to v1.7 beta 2)
      librpc.call = print("Hello")
      23..43 librpc.node
        23..24 librpc.node.tag = "F"
        librpc.node.name = "call"
        24..28 librpc.node.size = 15
        librpc.depth = 1
        28..30 librpc.function.len = 5
        30..35 librpc.function = "print"
        35..43 librpc.arg = "Hello"
          35..36 librpc.value.type = 0x73 (string)
          36..38 librpc.value.len = 5
          38..43 librpc.value.string = "Hello"
        librpc.arg_count = 1
    ! info vcmp.version_assumed at 14..15: taken for rel006
    "#);
}

#[test]
fn set_in_a_datagram() {
    insta::assert_snapshot!(last(&[by_client(R2)]), @r#"
    raknet 0..41 | data | #9, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 9
      4..41 raknet.frame
        4..5 raknet.frame.flags = 0x60
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 216
        7..10 raknet.frame.message_number = 12
        10..13 raknet.frame.ordering_index = 4
        13..14 raknet.frame.ordering_channel = 0
        14..15 raknet.message.id = 0xbd
        14..41 raknet.frame.payload = 27 bytes
    vcmp 14..41 | server_data | 22 bytes (carries)
      14..15 vcmp.message_id = 0xbd
      vcmp.version = "rel006"
      15..19 vcmp.server_data.length = 22
      19..41 vcmp.server_data.data = 22 bytes
    librpc 19..41 | set | score = 10
      19..23 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = score = 10
      23..41 librpc.node
        23..24 librpc.node.tag = "h"
        librpc.node.name = "set"
        24..28 librpc.node.size = 13
        librpc.depth = 1
        28..36 librpc.first = "score"
          28..29 librpc.value.type = 0x73 (string)
          29..31 librpc.value.len = 5
          31..36 librpc.value.string = "score"
        36..41 librpc.arg = 10
          36..37 librpc.value.type = 0x69 (integer)
          37..41 librpc.value.integer = 10
    "#);
}

#[test]
fn acknowledgement_of_a_number_and_a_range() {
    insta::assert_snapshot!(last(&[by_client(R4)]), @r#"
    raknet 0..14 | ack | #5, …
      0..1 raknet.flags = 0xc0
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = true
        0..1 raknet.flags.bandwidth = false
      1..3 raknet.ack.record_count = 2
      3..7 raknet.ack.record = 5
        3..4 raknet.ack.single = 1 (a single number)
        4..7 raknet.ack.number = 5
      7..14 raknet.ack.record = 6 to 7
        7..8 raknet.ack.single = 0 (a range)
        8..11 raknet.ack.first = 6
        11..14 raknet.ack.last = 7
    "#);
}

#[test]
fn missing_datagram() {
    insta::assert_snapshot!(last(&[by_client(R5)]), @r#"
    raknet 0..7 | nak | #6
      0..1 raknet.flags = 0xa0
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = true
      1..3 raknet.ack.record_count = 1
      3..7 raknet.ack.record = 6
        3..4 raknet.ack.single = 1 (a single number)
        4..7 raknet.ack.number = 6
    "#);
}

#[test]
fn two_messages_in_a_datagram() {
    insta::assert_snapshot!(last(&[by_server(R6)]), @r#"
    raknet 0..27 | data | #10, 2 frames (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 10
      4..16 raknet.frame
        4..5 raknet.frame.flags = 0x40
          4..5 raknet.frame.reliability = 2 (reliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 48
        7..10 raknet.frame.message_number = 20
        10..11 raknet.message.id = 0xab
        10..16 raknet.frame.payload = ab00011e0c04
      16..27 raknet.frame
        16..17 raknet.frame.flags = 0x40
          16..17 raknet.frame.reliability = 2 (reliable)
          16..17 raknet.frame.has_split = false
        17..19 raknet.frame.bit_length = 40
        19..22 raknet.frame.message_number = 21
        22..23 raknet.message.id = 0xad
        22..27 raknet.frame.payload = ad0001e240
    vcmp 10..16 | time_weather | time rate 1, minute 30, hour 12, weather 4
      10..11 vcmp.message_id = 0xab
      vcmp.version = "rel006"
      11..13 vcmp.time_rate = 1
      13..14 vcmp.minute = 30
      14..15 vcmp.hour = 12
      15..16 vcmp.weather = 4
    vcmp 22..27 | tick | tick count 123456
      22..23 vcmp.message_id = 0xad
      vcmp.version = "rel006"
      23..27 vcmp.tick_count = 123456
    ! info vcmp.version_assumed at 10..11: taken for rel006
    ! info vcmp.version_assumed at 22..23: taken for rel006
    "#);
}

#[test]
fn sequenced_message() {
    insta::assert_snapshot!(last(&[by_client(R7)]), @r#"
    raknet 0..25 | data | #11, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 11
      4..25 raknet.frame
        4..5 raknet.frame.flags = 0x80
          4..5 raknet.frame.reliability = 4 (reliable_sequenced)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 64
        7..10 raknet.frame.message_number = 22
        10..13 raknet.frame.sequencing_index = 2
        13..16 raknet.frame.ordering_index = 0
        16..17 raknet.frame.ordering_channel = 3
        17..18 raknet.message.id = 0xa2
        17..25 raknet.frame.payload = a2000568656c6c6f
    vcmp 17..25 | chat | "hello"
      17..18 vcmp.message_id = 0xa2
      vcmp.version = "rel006"
      18..20 vcmp.text_len = 5
      20..25 vcmp.text = "hello"
    ! info vcmp.version_assumed at 17..18: taken for rel006
    "#);
}

#[test]
fn request_to_open() {
    insta::assert_snapshot!(last(&[elsewhere(by_client(R8))]), @r#"
    raknet 0..46 | open_connection_request_1 | protocol 6, MTU 74
      0..1 raknet.offline.id = 0x05 (open_connection_request_1)
      1..17 raknet.magic = 00ffff00fefefefefdfdfdfd12345678
      17..18 raknet.protocol = 6
      18..46 raknet.padding = 28 bytes
      raknet.mtu_probe = 74
    "#);
}

#[test]
fn reply_to_the_request_to_open() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(R9))]), @r#"
    raknet 0..28 | open_connection_reply_1 | MTU 1492
      0..1 raknet.offline.id = 0x06 (open_connection_reply_1)
      1..17 raknet.magic = 00ffff00fefefefefdfdfdfd12345678
      17..25 raknet.guid = 0x000591a536052220
      25..26 raknet.security = 0
      26..28 raknet.mtu = 1492
    "#);
}

#[test]
fn second_request_to_open() {
    insta::assert_snapshot!(last(&[elsewhere(by_client(R10))]), @r#"
    raknet 0..34 | open_connection_request_2 | MTU 576
      0..1 raknet.offline.id = 0x07 (open_connection_request_2)
      1..17 raknet.magic = 00ffff00fefefefefdfdfdfd12345678
      17..24 raknet.server_address = 148.153.35.205:60030
        17..18 raknet.address.version = 4
        18..22 raknet.address.ip = 148.153.35.205
        22..24 raknet.address.port = 60030
      24..26 raknet.mtu = 576
      26..34 raknet.guid = 0x00000000490f027c
    "#);
}

#[test]
fn reply_to_the_second_request() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(R11))]), @r#"
    raknet 0..35 | open_connection_reply_2 | MTU 576
      0..1 raknet.offline.id = 0x08 (open_connection_reply_2)
      1..17 raknet.magic = 00ffff00fefefefefdfdfdfd12345678
      17..25 raknet.guid = 0x000591a536052220
      25..32 raknet.client_address = 90.186.132.133:44501
        25..26 raknet.address.version = 4
        26..30 raknet.address.ip = 90.186.132.133
        30..32 raknet.address.port = 44501
      32..34 raknet.mtu = 576
      34..35 raknet.security = 0
    "#);
}

#[test]
fn connection_request() {
    insta::assert_snapshot!(last(&[elsewhere(by_client(R12))]), @r#"
    raknet 0..28 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..28 raknet.frame
        4..5 raknet.frame.flags = 0x40
          4..5 raknet.frame.reliability = 2 (reliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 144
        7..10 raknet.frame.message_number = 0
        10..11 raknet.message.id = 0x09 (connection_request)
        10..28 raknet.frame.payload = 18 bytes
    raknet.message 10..28 | connection_request
      10..11 raknet.message.id = 0x09 (connection_request)
      11..19 raknet.guid = 0x00000000490f027c
      19..27 raknet.time = 12024
      27..28 raknet.security = 0
    "#);
}

#[test]
fn connection_request_accepted() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(R13))]), @r#"
    raknet 0..110 | data | #0, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 0
      4..110 raknet.frame
        4..5 raknet.frame.flags = 0x60
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 768
        7..10 raknet.frame.message_number = 0
        10..13 raknet.frame.ordering_index = 0
        13..14 raknet.frame.ordering_channel = 0
        14..15 raknet.message.id = 0x10 (connection_request_accepted)
        14..110 raknet.frame.payload = 96 bytes
    raknet.message 14..110 | connection_request_accepted
      14..15 raknet.message.id = 0x10 (connection_request_accepted)
      15..22 raknet.client_address = 90.186.132.133:44501
        15..16 raknet.address.version = 4
        16..20 raknet.address.ip = 90.186.132.133
        20..22 raknet.address.port = 44501
      22..24 raknet.system_index = 93
      24..31 raknet.address = 10.240.12.4:60030
        24..25 raknet.address.version = 4
        25..29 raknet.address.ip = 10.240.12.4
        29..31 raknet.address.port = 60030
      31..38 raknet.address = 148.153.35.205:60030
        31..32 raknet.address.version = 4
        32..36 raknet.address.ip = 148.153.35.205
        36..38 raknet.address.port = 60030
      38..45 raknet.address = 0.0.0.0:0
        38..39 raknet.address.version = 4
        39..43 raknet.address.ip = 0.0.0.0
        43..45 raknet.address.port = 0
      45..52 raknet.address = 0.0.0.0:0
        45..46 raknet.address.version = 4
        46..50 raknet.address.ip = 0.0.0.0
        50..52 raknet.address.port = 0
      52..59 raknet.address = 0.0.0.0:0
        52..53 raknet.address.version = 4
        53..57 raknet.address.ip = 0.0.0.0
        57..59 raknet.address.port = 0
      59..66 raknet.address = 0.0.0.0:0
        59..60 raknet.address.version = 4
        60..64 raknet.address.ip = 0.0.0.0
        64..66 raknet.address.port = 0
      66..73 raknet.address = 0.0.0.0:0
        66..67 raknet.address.version = 4
        67..71 raknet.address.ip = 0.0.0.0
        71..73 raknet.address.port = 0
      73..80 raknet.address = 0.0.0.0:0
        73..74 raknet.address.version = 4
        74..78 raknet.address.ip = 0.0.0.0
        78..80 raknet.address.port = 0
      80..87 raknet.address = 0.0.0.0:0
        80..81 raknet.address.version = 4
        81..85 raknet.address.ip = 0.0.0.0
        85..87 raknet.address.port = 0
      87..94 raknet.address = 0.0.0.0:0
        87..88 raknet.address.version = 4
        88..92 raknet.address.ip = 0.0.0.0
        92..94 raknet.address.port = 0
      94..102 raknet.request_time = 12024
      102..110 raknet.reply_time = 81806383830
    "#);
}

#[test]
fn ping_and_pong() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(R14))]), @r#"
    raknet 0..36 | data | #1, 2 frames (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 1
      4..16 raknet.frame
        4..5 raknet.frame.flags = 0x00
          4..5 raknet.frame.reliability = 0 (unreliable)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 72
        7..8 raknet.message.id = 0x00 (connected_ping)
        7..16 raknet.frame.payload = 00000000130c0a5b00
      16..36 raknet.frame
        16..17 raknet.frame.flags = 0x00
          16..17 raknet.frame.reliability = 0 (unreliable)
          16..17 raknet.frame.has_split = false
        17..19 raknet.frame.bit_length = 136
        19..20 raknet.message.id = 0x03 (connected_pong)
        19..36 raknet.frame.payload = 17 bytes
    raknet.message 7..16 | connected_ping
      7..8 raknet.message.id = 0x00 (connected_ping)
      8..16 raknet.time = 81806383872
    raknet.message 19..36 | connected_pong
      19..20 raknet.message.id = 0x03 (connected_pong)
      20..28 raknet.echoed_time = 12057
      28..36 raknet.time = 81806383872
    "#);
}

#[test]
fn acknowledgement_of_a_range() {
    insta::assert_snapshot!(last(&[elsewhere(by_client(R15))]), @r#"
    raknet 0..10 | ack | #1 to #2
      0..1 raknet.flags = 0xc0
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = true
        0..1 raknet.flags.bandwidth = false
      1..3 raknet.ack.record_count = 1
      3..10 raknet.ack.record = 1 to 2
        3..4 raknet.ack.single = 0 (a range)
        4..7 raknet.ack.first = 1
        7..10 raknet.ack.last = 2
    "#);
}

#[test]
fn compressed_datagram() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(R16))]), @r#"
    vcmp.z 0..57 | compressed | 43 bytes (carries)
      0..1 vcmp.z.zero = 0
      0..5 vcmp.z.original_length = 43
      4..5 vcmp.z.zero = 0
      4..9 vcmp.z.compressed_length = 48
      8..57 vcmp.z.data = 49 bytes
    raknet 0..43 of "zlib" | data | #5, 1 frame (carries)
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 5
      4..43 raknet.frame
        4..5 raknet.frame.flags = 0x60
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 232
        7..10 raknet.frame.message_number = 7
        10..13 raknet.frame.ordering_index = 3
        13..14 raknet.frame.ordering_channel = 0
        14..15 raknet.message.id = 0x6f
        14..43 raknet.frame.payload = 29 bytes
    vcmp 14..43 of "zlib" | server_data | 24 bytes (carries)
      14..15 vcmp.message_id = 0x6f
      vcmp.version = "0.4.7.0"
      15..19 vcmp.server_data.length = 24
      19..43 vcmp.server_data.data = 24 bytes
    librpc 19..43 of "zlib" | call | print("Hello")
      19..23 librpc.identifier = 0x40000001 (since v1.7 beta 3)
      librpc.call = print("Hello")
      23..43 librpc.node
        23..24 librpc.node.tag = "F"
        librpc.node.name = "call"
        24..28 librpc.node.size = 15
        librpc.depth = 1
        28..30 librpc.function.len = 5
        30..35 librpc.function = "print"
        35..43 librpc.arg = "Hello"
          35..36 librpc.value.type = 0x73 (string)
          36..38 librpc.value.len = 5
          38..43 librpc.value.string = "Hello"
        librpc.arg_count = 1
    "#);
}

#[test]
fn question_for_a_server() {
    insta::assert_snapshot!(last(&[elsewhere(by_client(Q1))]), @r#"
    vcmp.query 0..11 | info_request
      0..4 vcmp.query.magic = "VCMP"
      4..8 vcmp.query.ip = 192.168.200.103
      8..10 vcmp.query.port = 5192
      10..11 vcmp.query.opcode = "i"
    "#);
}

#[test]
fn answer_of_a_server() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(Q2))]), @r#"
    vcmp.query 0..112 | info_reply | "[0.4] Vice Paradise - Roleplay - OneVice Hosting", 16 of 30 players
      0..4 vcmp.query.magic = "MP04"
      4..8 vcmp.query.ip = 192.168.200.103
      8..10 vcmp.query.port = 5192
      10..11 vcmp.query.opcode = "i"
      11..23 vcmp.query.version = "04rel006"
      23..24 vcmp.query.password = true
      24..26 vcmp.query.players = 16
      26..28 vcmp.query.max_players = 30
      28..32 vcmp.query.len = 48
      32..80 vcmp.query.hostname = "[0.4] Vice Paradise - Roleplay - OneVice Hosting"
      80..84 vcmp.query.len = 15
      84..99 vcmp.query.gamemode = "Roleplay EN/SPA"
      99..103 vcmp.query.len = 9
      103..112 vcmp.query.map_name = "Vice City"
    "#);
}

#[test]
fn players_of_a_server() {
    insta::assert_snapshot!(last(&[elsewhere(by_server(Q3))]), @r#"
    vcmp.query 0..47 | clients_reply | 3 players
      0..4 vcmp.query.magic = "MP04"
      4..8 vcmp.query.ip = 192.168.200.103
      8..10 vcmp.query.port = 5192
      10..11 vcmp.query.opcode = "c"
      11..13 vcmp.query.player_count = 3
      13..14 vcmp.query.len = 11
      14..25 vcmp.query.player_name = "Aitor_Tilla"
      25..26 vcmp.query.len = 10
      26..36 vcmp.query.player_name = "Elena_Nito"
      36..37 vcmp.query.len = 10
      37..47 vcmp.query.player_name = "Lola_Mento"
    "#);
}
