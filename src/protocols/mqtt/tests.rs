//! MQTT 3.1.1 and 5 sessions.

use super::*;
use crate::protocols::lines::trees_of;
use crate::wire::trial;

#[test]
fn packets_of_version_3_1_1_are_dissected() {
    let trees = trees_of(
        &PROTOCOL,
        &mut Session::default(),
        &[
            (Side::Client, b"\x10\x22\0\x04MQTT\x04\xc6\0\x3c\0\x02pc\0\x01w\0\x02by\0\x04anna\0\x05mossy"),
            (Side::Server, b"\x20\x02\0\0"),
            (Side::Client, b"\x82\x09\0\x01\0\x04game\x01\xc0\0"),
            (Side::Server, b"\x90\x03\0\x01\x01\x33\x0f\0\x04game\0\x07{\"a\":1}\xd0\0"),
            (Side::Client, b"\x40\x02\0\x07\xe0\0"),
        ],
    );
    insta::assert_snapshot!(trees, @r#"
    mqtt 0..36 | connect | pc
      0..1 mqtt.msgtype = 1 (connect)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 34
      2..4 mqtt.proto_len = 4
      4..8 mqtt.protoname = "MQTT"
      8..9 mqtt.ver = 4 (3.1.1)
      9..10 mqtt.conflags = 0xc6
        9..10 mqtt.conflag.uname = true
        9..10 mqtt.conflag.passwd = true
        9..10 mqtt.conflag.retain = false
        9..10 mqtt.conflag.qos = 0
        9..10 mqtt.conflag.willflag = true
        9..10 mqtt.conflag.cleansess = true
      10..12 mqtt.kalive = 60
      12..14 mqtt.clientid_len = 2
      14..16 mqtt.clientid = "pc"
      16..18 mqtt.willtopic_len = 1
      18..19 mqtt.willtopic = "w"
      19..21 mqtt.willmsg_len = 2
      21..23 mqtt.willmsg = 6279
      23..25 mqtt.username_len = 4
      25..29 mqtt.username = "anna"
      29..31 mqtt.passwd_len = 5
      31..36 mqtt.passwd = "mossy"
    mqtt 0..4 | connack
      0..1 mqtt.msgtype = 2 (connack)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 2
      2..3 mqtt.conack.flags = 0x00
        2..3 mqtt.conack.flags.sp = false
      3..4 mqtt.conack.val = 0 (accepted)
    mqtt 0..11 | subscribe | game
      0..1 mqtt.msgtype = 8 (subscribe)
      0..1 mqtt.hdr_reserved = 2
      1..2 mqtt.len = 9
      2..4 mqtt.msgid = 1
      4..6 mqtt.topic_len = 4
      6..10 mqtt.topic = "game"
      10..11 mqtt.sub.qos = 1 (at least once)
    mqtt 0..2 | pingreq
      0..1 mqtt.msgtype = 12 (pingreq)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 0
    mqtt 0..5 | suback
      0..1 mqtt.msgtype = 9 (suback)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 3
      2..4 mqtt.msgid = 1
      4..5 mqtt.suback.qos = 1 (at least once)
    mqtt 0..17 | publish | game, 7 bytes
      0..1 mqtt.msgtype = 3 (publish)
      0..1 mqtt.dupflag = false
      0..1 mqtt.qos = 1 (at least once)
      0..1 mqtt.retain = true
      1..2 mqtt.len = 15
      2..4 mqtt.topic_len = 4
      4..8 mqtt.topic = "game"
      8..10 mqtt.msgid = 7
      10..17 mqtt.msg_text = "{"a":1}"
      10..17 json.object
        11..16 json.member
          12..13 json.key = "a"
          15..16 json.value.number = "1"
    mqtt 0..2 | pingresp
      0..1 mqtt.msgtype = 13 (pingresp)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 0
    mqtt 0..4 | puback
      0..1 mqtt.msgtype = 4 (puback)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 2
      2..4 mqtt.msgid = 7
    mqtt 0..2 | disconnect
      0..1 mqtt.msgtype = 14 (disconnect)
      0..1 mqtt.hdr_reserved = 0
      1..2 mqtt.len = 0
    "#);
}

/// Trees of packets in a session of version 5.
fn in_version_5(packets: &[(Side, &str)]) -> Vec<String> {
    let mut session = Session { level: VERSION_5, ..Session::default() };
    let of = |(from, hex): &(Side, &str)| trees_of(&PROTOCOL, &mut session, &[(*from, &trial::bytes(hex))]);
    packets.iter().map(of).collect()
}

/// Asserts that a tree has these lines in this order and no note.
fn has_lines(tree: &str, lines: &[&str]) {
    let mut rest = tree.lines();
    for line in lines {
        assert!(rest.any(|found| found.ends_with(line)), "{line} is missing or out of order:\n{tree}");
    }
    assert!(!tree.contains('!'), "{tree}");
}

#[test]
fn properties_of_version_5_have_typed_values() {
    let connect = "106900044d51545405c6003c28110000000a210014270001000022000a190117002600016b000176150005534352414d16000201020002\
        70631d18000000050101020000001e030004746578740800027265090002cafe000177000262790004616e6e6100056d6f737379";
    has_lines(
        &trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Client, &trial::bytes(connect))]),
        &[
            "mqtt.kalive = 60",
            "mqtt.properties",
            "mqtt.property_len = 40",
            "13..18 mqtt.property",
            "mqtt.property_id = 0x11 (session expiry interval)",
            "14..18 mqtt.prop_number = 10",
            "mqtt.property_id = 0x21 (receive maximum)",
            "mqtt.prop_number = 20",
            "mqtt.property_id = 0x27 (maximum packet size)",
            "mqtt.prop_number = 65536",
            "mqtt.property_id = 0x22 (topic alias maximum)",
            "mqtt.prop_number = 10",
            "mqtt.property_id = 0x19 (request response information)",
            "mqtt.prop_number = 1",
            "mqtt.property_id = 0x17 (request problem information)",
            "mqtt.prop_number = 0",
            "mqtt.property_id = 0x26 (user property)",
            "mqtt.prop_key_len = 1",
            "mqtt.prop_key = \"k\"",
            "mqtt.prop_value_len = 1",
            "mqtt.prop_value = \"v\"",
            "mqtt.property_id = 0x15 (authentication method)",
            "mqtt.prop_string_len = 5",
            "mqtt.prop_string = \"SCRAM\"",
            "mqtt.property_id = 0x16 (authentication data)",
            "mqtt.property.auth_data = 0102",
            "mqtt.clientid = \"pc\"",
            "mqtt.will_properties",
            "mqtt.property_len = 29",
            "mqtt.property_id = 0x18 (will delay interval)",
            "mqtt.prop_number = 5",
            "mqtt.property_id = 0x01 (payload format indicator)",
            "mqtt.prop_number = 1",
            "mqtt.property_id = 0x02 (message expiry interval)",
            "mqtt.prop_number = 30",
            "mqtt.property_id = 0x03 (content type)",
            "mqtt.property.content_type = \"text\"",
            "mqtt.property_id = 0x08 (response topic)",
            "mqtt.prop_string = \"re\"",
            "mqtt.property_id = 0x09 (correlation data)",
            "mqtt.property.correlation_data = cafe",
            "mqtt.willtopic = \"w\"",
            "mqtt.willmsg = 6279",
        ],
    );
    let connack = "202601002312000369643113001e24012501280129002a011a000272691c00037372761f00026f6b";
    let [connack, publish] = &in_version_5(&[(Side::Server, connack), (Side::Client, "3b0b0001740007032300036869")])[..] else {
        panic!()
    };
    has_lines(
        connack,
        &[
            "mqtt.conack.flags.sp = true",
            "mqtt.connack.reason_code = 0 (success)",
            "mqtt.property_len = 35",
            "mqtt.prop_string = \"id1\"",
            "mqtt.property_id = 0x24 (maximum qos)",
            "mqtt.property.max_qos = 1 (at least once)",
            "mqtt.property_id = 0x1a (response information)",
            "mqtt.property_id = 0x1c (server reference)",
            "mqtt.property_id = 0x1f (reason string)",
            "mqtt.prop_string = \"ok\"",
        ],
    );
    has_lines(publish, &["mqtt.msgid = 7", "mqtt.property.topic_alias = 3", "mqtt.msg_text = \"hi\""]);
}

#[test]
fn acknowledgements_of_version_5_have_reason_codes_and_properties() {
    let trees = in_version_5(&[
        (Side::Client, "820f0001030b8101000667616d652f232d"),
        (Side::Server, "9005000100018f"),
        (Side::Client, "a20b000200000667616d652f23"),
    ]);
    has_lines(
        &trees[0],
        &[
            "mqtt.property_id = 0x0b (subscription identifier)",
            "6..8 mqtt.prop_number = 129",
            "mqtt.topic = \"game/#\"",
            "mqtt.subscription_options = 0x2d",
            "mqtt.subscription_options_retain = 2 (do not send at the time of the subscribe)",
            "mqtt.subscription_options_rap = true",
            "mqtt.subscription_options_nl = true",
            "mqtt.subscription_options_qos = 1 (at least once)",
        ],
    );
    has_lines(
        &trees[1],
        &[
            "mqtt.property_len = 0",
            "mqtt.suback.reason_code = 1 (granted qos 1)",
            "mqtt.suback.reason_code = 143 (topic filter invalid)",
        ],
    );
    has_lines(&trees[2], &["mqtt.property_len = 0", "mqtt.topic = \"game/#\""]);
}

#[test]
fn unsuback_of_version_5_has_properties_before_reason_codes() {
    // One without properties, and one with a reason string.
    let trees = in_version_5(&[(Side::Server, "b00400010011"), (Side::Server, "b00a0001051f00026f6b0087")]);
    let none = ["mqtt.msgid = 1", "4..5 mqtt.property_len = 0", "5..6 mqtt.unsuback.reason_code = 17 (no subscription existed)"];
    has_lines(&trees[0], &none);
    let codes = ["10..11 mqtt.unsuback.reason_code = 0 (success)", "11..12 mqtt.unsuback.reason_code = 135 (not authorized)"];
    has_lines(&trees[1], &["4..5 mqtt.property_len = 5", "mqtt.prop_string = \"ok\"", codes[0], codes[1]]);
}

#[test]
fn reason_codes_are_named_by_packet_type() {
    let packets = [
        ("40020007", "mqtt.msgid = 7", "puback"),
        ("4003000710", "mqtt.puback.reason_code = 16 (no matching subscribers)", "puback | no matching subscribers"),
        ("500c000797081f000571756f7461", "mqtt.pubrec.reason_code = 151 (quota exceeded)", "pubrec | quota exceeded"),
        ("6203000792", "mqtt.pubrel.reason_code = 146 (packet identifier not found)", "pubrel | packet identifier not found"),
        ("700400079200", "mqtt.pubcomp.reason_code = 146 (packet identifier not found)", "pubcomp | packet identifier not found"),
        ("f00a1808150005534352414d", "mqtt.auth.reason_code = 24 (continue authentication)", "auth | continue authentication"),
        ("e0028b00", "mqtt.disconnect.reason_code = 139 (server shutting down)", "disconnect | server shutting down"),
        ("2003008700", "mqtt.connack.reason_code = 135 (not authorized)", "connack | not authorized"),
    ];
    for (hex, line, head) in packets {
        let trees = in_version_5(&[(Side::Server, hex)]);
        has_lines(&trees[0], &[head, line]);
        // These lengths identify version 5 in a stream joined midway.
        let midway = trees_of(&PROTOCOL, &mut Session::default(), &[(Side::Server, &trial::bytes(hex))]);
        assert_eq!(trees[0], midway);
    }
}

#[test]
fn dissection_of_properties_ends_at_an_unknown_one() {
    let trees = in_version_5(&[(Side::Server, "e0058b037e0102")]);
    let lines = ["mqtt.property_id = 0x7e", "5..7 mqtt.prop_unknown = 0102"];
    assert!(lines.iter().all(|line| trees[0].contains(line)) && trees[0].contains("! broken mqtt.unknown_property"), "{trees:?}");
}

#[test]
fn streams_are_recognized_by_the_protocol_name() {
    let judge = |client: &[u8], from_start, complete| {
        let opening = Opening { sent: [client, b""], from_start: [from_start; 2], complete };
        [recognize(&opening), on_port(&opening)]
    };
    let server = Verdict::Yes(Side::Server);
    assert_eq!(judge(b"\x10\x0e\0\x04MQTT\x04", true, false), [server, server]);
    assert_eq!(judge(b"\x10\x0e\0\x04MQTT\x84", true, false), [server, server], "a bridge");
    assert_eq!(judge(b"\x10\x0e\0\x04MQTT\x06", true, false), [Verdict::No, Verdict::No], "no such level");
    assert_eq!(judge(b"\x10\x0e\0\x06MQIsdp\x04", true, false), [Verdict::No, Verdict::No], "the level of another name");
    assert_eq!(judge(b"\x10\x0e\0\x04MQTT", true, false), [Verdict::Unsure, Verdict::Unsure]);
    assert_eq!(judge(b"\x10\x0e\0\x04MQ", true, false), [Verdict::Unsure, Verdict::Unsure]);
    assert_eq!(judge(b"\x10\x0e\0\x04MQ", true, true), [Verdict::No, Verdict::No]);
    assert_eq!(judge(b"\xc0\0\x30\x05\0\x01tab", false, false), [Verdict::No, server]);
    assert_eq!(judge(b"\xc1\0", false, true), [Verdict::No, Verdict::No]);
}

#[test]
fn a_remaining_length_of_five_bytes_is_invalid() {
    assert_eq!(Session::default().extent(Side::Client, b"\x30\xff\xff\xff\xff\x01", true), Extent::Unknown(6));
    assert_eq!(Session::default().extent(Side::Client, b"\x30\xff\xff\xff\x7f", true), Extent::Message(5));
}
