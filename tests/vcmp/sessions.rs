//! Split messages, in any order.

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
fn parts_that_never_arrive() {
    insta::assert_snapshot!(last(&[by_server(R3B)]), @r#"
    raknet 0..42 of "raknet parts" | unfinished
      0..42 raknet.unparsed = 42 bytes
    ! broken raknet.expert.incomplete_split at 0..42: 1 of 2 parts of message 1 received
    "#);
}

/// The summaries of the layers above UDP.
fn headings(sent: &[Sent]) -> Vec<String> {
    let is_heading = |line: &&str| !line.starts_with([' ', '!']);
    trees(sent).iter().flat_map(|tree| tree.lines().filter(is_heading).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The notes, without those on assumed releases.
fn notes(sent: &[Sent]) -> Vec<String> {
    let is_note = |line: &&str| line.starts_with('!') && !line.contains("version_assumed");
    trees(sent).iter().flat_map(|tree| tree.lines().filter(is_note).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Lines of these fields.
fn values(sent: &[Sent], fields: &[&str]) -> Vec<String> {
    let names = |line: &&str| fields.iter().any(|field| line.contains(&format!("{field} = ")));
    let of = |tree: &String| tree.lines().filter(names).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    trees(sent).iter().flat_map(of).collect()
}

const OPEN: &str = R10;

#[test]
fn a_repeated_datagram_does_not_count_again() {
    let twice = [by_server(R1), by_server(R1)];
    assert_eq!(
        values(&twice, &["raknet.retransmission", "librpc.call"]),
        [r#"librpc.call = print("Hello")"#, "raknet.retransmission = true", "raknet.retransmission = true"]
    );
    assert_eq!(headings(&twice)[3], "raknet 0..43 | data | #5, sent before");
}

#[test]
fn a_message_sent_again_in_another_datagram_does_not_count_again() {
    let again = R1.replacen("84 05", "84 06", 1);
    let twice = [by_server(R1), by_server(&again)];
    assert_eq!(
        values(&twice, &["raknet.retransmission", "librpc.call"]),
        [r#"librpc.call = print("Hello")"#, "raknet.retransmission = true"]
    );
}

#[test]
fn acknowledgements_name_their_frames() {
    let sent = [by_server(R3A), by_server(R3B), by_client("c0 00 01 00 06 00 00 07 00 00"), by_client("c0 00 01 01 07 00 00")];
    assert_eq!(
        values(&sent, &["raknet.ack_of", "raknet.ack_time"]),
        ["raknet.ack_of = 1", "raknet.ack_of = 2", "raknet.ack_time = 1"]
    );
    let missing = [by_server(R3A), by_client("a0 00 01 01 06 00 00"), by_client("a0 00 01 01 06 00 00")];
    assert_eq!(values(&missing, &["raknet.nak_of"]), ["raknet.nak_of = 1"; 2]);
}

#[test]
fn a_range_of_sixteen_million_is_nothing_special() {
    let sent = [by_server(R6), by_client("c0 00 01 00 00 00 00 ff ff ff")];
    assert_eq!(values(&sent, &["raknet.ack_of"]), ["raknet.ack_of = 1"]);
    assert_eq!(
        notes(&[by_server(R6), by_client("c0 00 01 00 05 00 00 04 00 00")]),
        ["! odd raknet.expert.bad_range at 7..10: 5 comes before 4"]
    );
}

#[test]
fn pongs_give_the_round_trip_time() {
    let pong = "84 01 00 00 00 00 88 03 00 00 00 00 00 00 2f 19 00 00 00 13 0c 0a 5b 00";
    let sent = [elsewhere(by_client(&frame_of("00 00 00 00 00 00 00 2f 19"))), elsewhere(by_server(pong))];
    assert_eq!(values(&sent, &["raknet.pong_of", "raknet.rtt"]), ["raknet.pong_of = 1", "raknet.rtt = 1"]);
    let magic = "00 ff ff 00 fe fe fe fe fd fd fd fd 12 34 56 78";
    let ping = format!("01 00 00 00 00 00 00 00 09 {magic} 00 00 00 00 00 00 00 01");
    let pong = format!("1c 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 02 {magic} 68 69");
    let sent = [elsewhere(by_client(&ping)), elsewhere(by_server(&pong))];
    assert_eq!(
        values(&sent, &["raknet.pong_of", "raknet.rtt", "raknet.offline.data"]),
        ["33..35 raknet.offline.data = 6869", "raknet.pong_of = 1", "raknet.rtt = 1"]
    );
}

#[test]
fn replies_name_their_requests() {
    let sent = [by_client(Q1), by_server(Q3), by_server(Q2), by_server(Q2)];
    assert_eq!(
        values(&sent, &["vcmp.query.request_in", "vcmp.query.time"]),
        ["vcmp.query.request_in = 1", "vcmp.query.time = 2"]
    );
}

#[test]
fn other_games_are_plain_raknet() {
    let sent = [elsewhere(by_client(OPEN)), elsewhere(by_server(R6))];
    assert_eq!(
        headings(&sent),
        [
            "raknet 0..34 | open_connection_request_2 | MTU 576",
            "raknet 0..27 | data | #10, 2 frames (carries)",
            "data 10..16 | 6 bytes",
            "data 22..27 | 5 bytes",
        ]
    );
    // Nor does a datagram of an unknown conversation match RakNet.
    assert_eq!(headings(&[elsewhere(by_server(R6))]), ["data 0..27 | 27 bytes"]);
}

#[test]
fn a_server_queried_by_a_list_is_recognized() {
    let (list, server) = (([192, 0, 2, 9], 1000), ([192, 0, 2, 20], 40_000));
    let sent = [(list, server, bytes(Q1)), elsewhere(by_client(OPEN)), elsewhere(by_server(R6))];
    assert_eq!(
        headings(&sent)[3..],
        ["vcmp 10..16 | time_weather | time rate 1, minute 30, hour 12, weather 4", "vcmp 22..27 | tick | tick count 123456"]
    );
}

#[test]
fn a_call_determines_the_game_and_the_sender() {
    // The very first datagram is from the server.
    let sent = [elsewhere(by_server(OPEN)), elsewhere(by_server(R1)), elsewhere(by_server(&frame_of(R18)))];
    let shown = headings(&sent);
    assert_eq!(shown[2], "vcmp 14..43 | server_data | 24 bytes (carries)");
    assert_eq!(shown[5], r#"vcmp 7..23 | client_message | red 255, green 128, blue 0, "Welcome""#);
}

#[test]
fn clients_state_their_release() {
    let hash = "94 18 18";
    let bytewise = |id: &str, version: &str| format!("{id} 03 0d c5 32 {version} 04 42 6f 74 31 {hash}");
    // A zero bit, 67710, a zero bit, the build.
    let packed = "35 00 00 84 3f 0c d9 58 3c 40 00";
    for (message, release, id) in [
        (bytewise("98", "00 01 05 b8"), "rel004", "bc"),
        (bytewise("98", "00 01 07 48"), "rel006", "bd"),
        (bytewise("35", "00 01 08 74"), "0.4.7.0", "3d"),
        (packed.to_owned(), "0.4.7.1", "3e"),
    ] {
        let data = R2.replacen("bd", id, 1);
        let sent = [elsewhere(by_client(OPEN)), elsewhere(by_client(&frame_of(&message))), elsewhere(by_client(&data))];
        let shown = headings(&sent);
        assert!(
            shown[2].starts_with(&format!("vcmp 7..{} | client_connect | {release}", 7 + bytes(&message).len())),
            "{}",
            shown[2]
        );
        assert_eq!(shown[4], "vcmp 14..41 | server_data | 22 bytes (carries)");
        assert_eq!(
            values(&sent, &["vcmp.version"]),
            [format!("vcmp.version = {release:?}"), format!("vcmp.version = {release:?}")]
        );
        assert_eq!(notes(&sent), [""; 0]);
    }
}

#[test]
fn releases_joined_late_are_taken_for_one() {
    let version = |sent: &[Sent]| values(sent, &["vcmp.version"]);
    assert_eq!(version(&[by_server(&frame_of("ad 00 00 00 01"))]), [r#"vcmp.version = "rel006""#]);
    assert_eq!(version(&[by_server(&frame_of("4a 00 00 00 01"))]), [r#"vcmp.version = "0.4.7.1""#]);
    assert!(
        trees(&[by_server(&frame_of("4a 00 00 00 01"))])[0].contains("! info vcmp.version_assumed at 7..8: taken for 0.4.7.1")
    );
}

#[test]
fn the_handshake_and_the_list_determine_the_release() {
    // 9A is a name in rel006 and an explosion in 0.4.7.1.
    let opens = |protocol: &str| by_client(&R8.replacen("78 06", &format!("78 {protocol}"), 1));
    let last = |sent: &[Sent]| headings(sent).pop().unwrap();
    let message = frame_of("9a 00 00 01 07 02 68 69");
    assert_eq!(last(&[opens("06"), by_server(&message)]), r#"vcmp 7..15 | player_name_change | player id 7, "hi""#);
    assert_eq!(last(&[opens("2f"), by_server(&message)]), "vcmp 7..15 | vehicle_explode");
    assert!(trees(&[opens("2f"), by_server(&message)])[1].contains("version_assumed"));

    let answer = |version: &str| by_server(&Q2.replacen("6c 30 30 36", version, 1));
    for (version, name) in [("6c 30 30 36", "rel006"), ("6c 30 30 34", "rel004")] {
        let sent = [answer(version), by_server(&message)];
        assert_eq!(values(&sent, &["vcmp.version"]), [format!("vcmp.version = {name:?}")]);
        assert!(!trees(&sent)[1].contains("version_assumed"));
    }
}

#[test]
fn parts_that_differ_keep_the_first() {
    let again = R3A.replacen("8c 06", "8c 08", 1).replacen("08 00 00 04", "0a 00 00 04", 1);
    let changed = again.replacen("cf 00 00 00 55", "cf 00 00 00 54", 1);
    let sent = [by_server(R3A), by_server(&changed), by_server(R3B)];
    assert_eq!(notes(&sent), ["! odd raknet.expert.split_conflict at 24..72: part 0 was received before with other bytes"]);
    assert!(headings(&sent).last().unwrap().contains(r#"| call | demo("hi""#));
}

#[test]
fn another_count_begins_another_message() {
    let three = R3B.replacen("00 00 00 02", "00 00 00 03", 1).replacen("8c 07", "8c 08", 1).replacen("09 00 00", "0a 00 00", 1);
    let sent = [by_server(R3A), by_server(&three)];
    let notes = notes(&sent);
    assert!(notes[0].starts_with("! broken raknet.expert.incomplete_split"), "{notes:?}");
    assert!(notes[0].ends_with("1 of 2 parts of message 1 received"));
    assert!(notes[1].ends_with("1 of 3 parts of message 1 received"));
}

#[test]
fn parts_are_not_waited_for_for_ever() {
    let mut sent = vec![by_server(R3A)];
    sent.extend(
        (0..62_u8)
            .map(|number| by_server(&format!("84 {:02x} 00 00 00 00 48 00 00 00 00 00 00 00 00 {number:02x}", number + 0x20))),
    );
    sent.push(by_server(R3B));
    assert_eq!(notes(&sent).iter().filter(|note| note.contains("incomplete_split")).count(), 2);
}

#[test]
fn messages_before_their_turn_are_marked() {
    let at =
        |index: u8, number: u8| by_server(&format!("84 {number:02x} 00 00 60 00 08 {number:02x} 00 00 {index:02x} 00 00 05 b6"));
    assert_eq!(
        values(&[by_client(OPEN), at(0, 0), at(1, 1), at(3, 2), at(2, 3), at(4, 4)], &["raknet.out_of_order"]),
        ["raknet.out_of_order = true"]
    );
    // A connection whose start was captured begins at 0, others anywhere.
    assert_eq!(values(&[by_client(OPEN), at(3, 2)], &["raknet.out_of_order"]).len(), 1);
    assert_eq!(values(&[at(3, 2)], &["raknet.out_of_order"]).len(), 0);
}

#[test]
fn numbers_start_anew_with_a_connection() {
    let sent = [by_client(OPEN), by_server(R1), by_client(OPEN), by_server(R1)];
    assert_eq!(values(&sent, &["raknet.retransmission"]), [""; 0]);
    assert_eq!(values(&sent, &["librpc.call"]).len(), 2);
}

#[test]
fn a_timestamp_precedes_another_message() {
    let sent = [by_server(&frame_of("1b 00 00 00 00 00 00 00 07 ad 00 01 e2 40"))];
    assert_eq!(headings(&sent)[1..], ["raknet.message 7..21 | timestamp (carries)", "vcmp 16..21 | tick | tick count 123456"]);
}
