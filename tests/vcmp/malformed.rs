//! Malformed datagrams.

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
    ! broken raknet.expert.bad_split at 24..72: split index 2 of 2, counted from 0
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
fn acknowledgement_with_a_count_too_large() {
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

/// Notes on the last of these, except on assumed releases.
fn notes(sent: &[Sent]) -> Vec<String> {
    let tree = last(sent);
    let lines = tree.lines().filter(|line| line.starts_with('!') && !line.contains("version_assumed"));
    lines.map(str::to_owned).collect()
}

#[test]
fn frames_that_cannot_be() {
    for (hex, expected) in [
        ("84 00 00 00 a0 00 08 b6", "! broken raknet.expert.bad_reliability at 4..5: reliability 5 is never sent"),
        ("84 00 00 00 00 00 00 b6", "! broken raknet.expert.frame_overrun at 7..8: 0 bytes declared, 1 left"),
        ("84 00 00 00 20 00 08 00 00 00 00 00 00 20 b6", "! odd raknet.expert.bad_channel at 13..14: channel 32 of 32"),
        (
            "84 00 00 00 50 00 08 00 00 00 00 00 00 00 00 01 00 00 00 00 b6",
            "! broken raknet.expert.bad_split at 20..21: split index 0 of 0, counted from 0",
        ),
        ("c0 00 01 01 00 00 00 00", "! broken raknet.expert.ack_mismatch at 7..8: 1 declared, 1 present, 1 bytes left"),
    ] {
        assert_eq!(notes(&[by_client(R10), by_server(hex)]), [expected]);
    }
}

#[test]
fn a_message_of_too_many_parts_is_not_joined() {
    let part = "84 00 00 00 50 00 08 00 00 00 00 00 20 01 00 01 00 00 00 00 b6";
    assert_eq!(
        notes(&[by_client(R10), by_server(part)]),
        ["! broken raknet.expert.bad_split at 20..21: split index 0 of 8193, counted from 0"]
    );
}

#[test]
fn messages_outside_of_connections_of_other_lengths() {
    assert_eq!(notes(&[by_server(&format!("{R9} 00"))]), ["! broken raknet.expert.bad_length at 26..28: 29 bytes, not 28"]);
    let short = R11.rsplitn(2, ' ').last().unwrap();
    assert_eq!(notes(&[by_server(short)]), ["! broken dissect.short at 34..34: 1 more bytes needed, 0 left"]);
}

#[test]
fn bytes_after_script_data() {
    let longer = "cf 00 00 00 02 68 69 00 00";
    assert_eq!(
        notes(&[by_server(&frame_of(longer))]),
        ["! odd vcmp.expert.trailing_bytes at 14..16: 2 after the data; the receiver ignores them"]
    );
}

#[test]
fn responses_to_queries_with_wrong_counts() {
    let long = Q2.replacen("30 00 00 00", "ff 00 00 00", 1);
    assert_eq!(notes(&[by_server(&long)]), ["! broken vcmp.expert.truncated at 32..112: 255 bytes declared, 80 left"]);
    let many = Q3.replacen("03 00", "04 00", 1);
    assert_eq!(notes(&[by_server(&many)]), ["! odd vcmp.expert.count_mismatch at 47..47: 4 names declared, 3 present"]);
}

#[test]
fn blocks_that_cannot_be_decompressed() {
    // As R16, with another length, and with a byte of the stream changed.
    let longer = R16.replacen("00 00 00 15 80", "00 00 00 16 00", 1);
    assert_eq!(
        notes(&[by_server(&longer)]),
        ["! broken vcmp.expert.bad_compression at 8..57: the length differs from the declared one"]
    );
    let broken = R16.replacen("d8 59 58", "d8 ff 58", 1);
    assert!(notes(&[by_server(&broken)])[0].starts_with("! broken vcmp.expert.bad_compression at 8..57: "));
}
