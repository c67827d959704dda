//! SNMP messages, valid and malformed.

use super::*;
use crate::wire::{Cut, trial};

const GET: &str = "303602010104067075626c6963a029020312d687020100020100301c300c06082b060102010103000500300c06082b0601020101 \
    05000500";
const ANSWER: &str = "30819902010104067075626c6963a2818b020312d687020100020100307e300e06082b060102010103004302012c301106082b06 \
    0102010105000405636f7563683013060a2b060102010202010a01410500ffffffff301106092b06010201041401014004c00002 \
    09300d06082b06010401bf08010201fe301606082b06010201010200060a2b06010401bf0803020a300a06062b06010201638000";
const TRAP_1: &str = "303902010004067075626c6963a42c060a2b06010401bf0803020a4004c0000201020106020111430164300f300d06082b060102 \
    01010300430164";
const VERSION_3: &str = "305b02010330100204207b2f720202400004010402010304233021040d80001f8880a9498e5e3a2c3043020200dd020210680404 \
    66616c6b04000400301f04000400a51902010702010002010a300e300c06082b060102010103000500";

fn read(asked: &mut OpenRequests, hex: &str) -> String {
    trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| asked.message(Side::Client, wire))
}

fn alone(hex: &str) -> String {
    read(&mut OpenRequests::default(), hex)
}

#[test]
fn a_get_request_is_dissected() {
    insta::assert_snapshot!(alone(GET), @r#"
    snmp 0..56 | get request | version 2c
      0..2 snmp.element = 3036
      2..5 snmp.version = 1 (version 2c)
      5..7 snmp.element = 0406
      7..13 snmp.community = "public"
      13..56 snmp.data = 0 (get request)
        13..15 snmp.element = a029
        15..20 snmp.request_id = 1234567
        20..23 snmp.error_status = 0 (no error)
        23..26 snmp.error_index = 0
        26..56 snmp.variable_bindings = 2
          26..28 snmp.element = 301c
          28..42 snmp.VarBind_element
            28..30 snmp.element = 300c
            30..40 snmp.name = "1.3.6.1.2.1.1.3.0"
            40..42 snmp.value.null = 0500
          42..56 snmp.VarBind_element
            42..44 snmp.element = 300c
            44..54 snmp.name = "1.3.6.1.2.1.1.5.0"
            54..56 snmp.value.null = 0500
    "#);
}

#[test]
fn a_response_is_matched_with_its_request() {
    let mut asked = OpenRequests::default();
    read(&mut asked, GET);
    insta::assert_snapshot!(read(&mut asked, ANSWER), @r#"
    snmp 0..156 | response | version 2c
      0..3 snmp.element = 308199
      3..6 snmp.version = 1 (version 2c)
      6..8 snmp.element = 0406
      8..14 snmp.community = "public"
      14..156 snmp.data = 2 (response)
        14..17 snmp.element = a2818b
        17..22 snmp.request_id = 1234567
        22..25 snmp.error_status = 0 (no error)
        25..28 snmp.error_index = 0
        snmp.response_to = 0
        28..156 snmp.variable_bindings = 7
          28..30 snmp.element = 307e
          30..46 snmp.VarBind_element
            30..32 snmp.element = 300e
            32..42 snmp.name = "1.3.6.1.2.1.1.3.0"
            42..46 snmp.value.timeticks = 300
          46..65 snmp.VarBind_element
            46..48 snmp.element = 3011
            48..58 snmp.name = "1.3.6.1.2.1.1.5.0"
            58..60 snmp.element = 0405
            60..65 snmp.value.octets = 636f756368
          65..86 snmp.VarBind_element
            65..67 snmp.element = 3013
            67..79 snmp.name = "1.3.6.1.2.1.2.2.1.10.1"
            79..86 snmp.value.counter = 4294967295
          86..105 snmp.VarBind_element
            86..88 snmp.element = 3011
            88..99 snmp.name = "1.3.6.1.2.1.4.20.1.1"
            99..101 snmp.element = 4004
            101..105 snmp.value.ipv4 = 192.0.2.9
          105..120 snmp.VarBind_element
            105..107 snmp.element = 300d
            107..117 snmp.name = "1.3.6.1.4.1.8072.1"
            117..120 snmp.value.int = -2
          120..144 snmp.VarBind_element
            120..122 snmp.element = 3016
            122..132 snmp.name = "1.3.6.1.2.1.1.2.0"
            132..144 snmp.value.oid = "1.3.6.1.4.1.8072.3.2.10"
          144..156 snmp.VarBind_element
            144..146 snmp.element = 300a
            146..154 snmp.name = "1.3.6.1.2.1.99"
            154..156 snmp.noSuchObject = 8000
    "#);
}

#[test]
fn a_version_1_trap_is_dissected() {
    insta::assert_snapshot!(alone(TRAP_1), @r#"
    snmp 0..59 | trap | version 1
      0..2 snmp.element = 3039
      2..5 snmp.version = 0 (version 1)
      5..7 snmp.element = 0406
      7..13 snmp.community = "public"
      13..59 snmp.data = 4 (trap)
        13..15 snmp.element = a42c
        15..27 snmp.enterprise = "1.3.6.1.4.1.8072.3.2.10"
        27..29 snmp.element = 4004
        29..33 snmp.agent_addr = 192.0.2.1
        33..36 snmp.generic_trap = 6 (enterprise specific)
        36..39 snmp.specific_trap = 17
        39..42 snmp.time_stamp = 100
        42..59 snmp.variable_bindings = 1
          42..44 snmp.element = 300f
          44..59 snmp.VarBind_element
            44..46 snmp.element = 300d
            46..56 snmp.name = "1.3.6.1.2.1.1.3.0"
            56..59 snmp.value.timeticks = 100
    "#);
}

#[test]
fn a_version_3_message_has_security_parameters() {
    insta::assert_snapshot!(alone(VERSION_3), @r#"
    snmp 0..93 | get bulk request | version 3
      0..2 snmp.element = 305b
      2..5 snmp.msgVersion = 3 (version 3)
      5..23 snmp.msgGlobalData_element
        5..7 snmp.element = 3010
        7..13 snmp.msgID = 544943986
        13..17 snmp.msgMaxSize = 16384
        17..19 snmp.element = 0401
        19..20 snmp.msgFlags = 0x04
          19..20 snmp.v3.flags.report = true
          19..20 snmp.v3.flags.crypt = false
          19..20 snmp.v3.flags.auth = false
        20..23 snmp.msgSecurityModel = 3 (user-based)
      23..60 snmp.msgSecurityParameters
        23..25 snmp.element = 0423
        25..27 snmp.element = 3021
        27..29 snmp.element = 040d
        29..42 snmp.msgAuthoritativeEngineID = 80001f8880a9498e5e3a2c3043
        42..46 snmp.msgAuthoritativeEngineBoots = 221
        46..50 snmp.msgAuthoritativeEngineTime = 4200
        50..52 snmp.element = 0404
        52..56 snmp.msgUserName = "falk"
        56..58 snmp.element = 0400
        58..60 snmp.element = 0400
      60..93 snmp.plaintext_element
        60..62 snmp.element = 301f
        62..64 snmp.element = 0400
        64..66 snmp.element = 0400
        66..93 snmp.data = 5 (get bulk request)
          66..68 snmp.element = a519
          68..71 snmp.request_id = 7
          71..74 snmp.non_repeaters = 0
          74..77 snmp.max_repetitions = 10
          77..93 snmp.variable_bindings = 1
            77..79 snmp.element = 300e
            79..93 snmp.VarBind_element
              79..81 snmp.element = 300c
              81..91 snmp.name = "1.3.6.1.2.1.1.3.0"
              91..93 snmp.value.null = 0500
    "#);
}

#[test]
fn an_unexpected_element_type_is_noted() {
    let hex = "300c 020101 0406 7075626c6963 0500";
    let dump = alone(hex);
    assert!(dump.contains("! broken snmp.note.element"), "{dump}");
}

#[test]
fn the_heuristic_requires_a_version() {
    assert!([GET, ANSWER, TRAP_1, VERSION_3].iter().all(|hex| is_whole(&trial::bytes(hex))));
    assert!(!is_whole(&trial::bytes(GET)[..30]) && recognize(&trial::bytes(GET)[..30]));
    assert!(!recognize(&trial::bytes("3003 020107")) && !recognize(&[]));
}

#[test]
fn a_malformed_message_keeps_the_valid_fields() {
    let bytes = trial::bytes(VERSION_3);
    for cut in 0..bytes.len() {
        let dump = trial::read(&PROTOCOL, &bytes[..cut], Cut::No, |wire| OpenRequests::default().message(Side::Client, wire));
        assert!(dump.contains("! broken"), "{dump}");
    }
    for (place, byte) in (0..bytes.len()).flat_map(|place| [0, 0x7f, 0x84, 0xff].map(|byte| (place, byte))) {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        trial::read(&PROTOCOL, &bytes, Cut::No, |wire| OpenRequests::default().message(Side::Client, wire));
    }
}
