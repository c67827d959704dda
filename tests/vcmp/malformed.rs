//! Datagrams that are wrong somewhere.

use super::*;

#[test]
fn frame_longer_than_the_datagram() {
    insta::assert_snapshot!(last(&[by_server(R6), by_server(M11)]), @r#"
    raknet 0..43 | data | #5
      0..1 raknet.flags = 0x84
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = false
        0..1 raknet.flags.nak = false
        0..1 raknet.flags.packet_pair = false
        0..1 raknet.flags.continuous_send = false
        0..1 raknet.flags.needs_b_and_as = true
      1..4 raknet.datagram_number = 5
      4..14 raknet.frame
        4..5 raknet.frame.flags = 0x60
          4..5 raknet.frame.reliability = 3 (reliable_ordered)
          4..5 raknet.frame.has_split = false
        5..7 raknet.frame.bit_length = 65535
        7..10 raknet.frame.message_number = 7
        10..13 raknet.frame.ordering_index = 3
        13..14 raknet.frame.ordering_channel = 0
      14..43 raknet.unparsed = 29 bytes
    ! broken raknet.expert.frame_overrun at 14..43: 8192 bytes declared, 29 left
    "#);
}

#[test]
fn part_that_its_message_cannot_have() {
    insta::assert_snapshot!(last(&[by_server(R6), by_server(M12)]), @r#"
    raknet 0..72 | data | #6, part 3 of 2 of message 1
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
        20..24 raknet.frame.split_index = 2
        24..72 raknet.frame.fragment = 48 bytes
    ! broken raknet.expert.bad_split at 24..72: part 2 of 2, counted from 0
    "#);
}

#[test]
fn script_data_longer_than_the_message() {
    insta::assert_snapshot!(last(&[by_server(R6), by_server(M13)]), @r#"
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
    vcmp 14..43 | server_data | 100 bytes
      14..15 vcmp.message_id = 0xcf
      vcmp.version = "rel006"
      15..19 vcmp.server_data.length = 100
      19..43 vcmp.server_data.data = 24 bytes
    ! info vcmp.version_assumed at 14..15: taken for rel006
    ! broken vcmp.expert.server_data_overrun at 19..43: 100 bytes declared, 24 left
    "#);
}

#[test]
fn acknowledgement_of_fewer_than_it_says() {
    insta::assert_snapshot!(last(&[by_server(R6), by_server(M14)]), @r#"
    raknet 0..7 | ack | #1
      0..1 raknet.flags = 0xc0
        0..1 raknet.flags.valid = true
        0..1 raknet.flags.ack = true
        0..1 raknet.flags.bandwidth = false
      1..3 raknet.ack.record_count = 5
      3..7 raknet.ack.record = 1
        3..4 raknet.ack.single = 1 (a single number)
        4..7 raknet.ack.number = 1
    ! broken raknet.expert.ack_mismatch at 7..7: 5 declared, 1 present, 0 bytes left
    "#);
}
