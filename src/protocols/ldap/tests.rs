//! A session of LDAP, message by message.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};
use crate::wire::{Cut, Opening, Verdict, trial};

/// An element of this type with these parts as its value.
fn element(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    [&[kind, u8::try_from(value.len()).unwrap()], &value[..]].concat()
}

fn text(text: &str) -> Vec<u8> {
    element(OCTET_STRING, &[text.as_bytes()])
}

fn message(id: u8, operation: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[&[INTEGER, 1, id], operation])
}

fn result(kind: u8, code: u8) -> Vec<u8> {
    element(kind, &[&[ENUMERATED, 1, code], &text(""), &text("")])
}

fn talk() -> Vec<(Side, Vec<u8>)> {
    let (base, cn) = (text("dc=example"), text("cn"));
    let equal = element(0xa3, &[&cn, &text("anna")]);
    let part = element(0xa4, &[&cn, &element(SEQUENCE, &[b"\x80\x01a", b"\x81\x01n", b"\x82\x01z"])]);
    let rule = element(0xa9, &[b"\x82\x02cn", b"\x83\x01x", b"\x84\x01\xff"]);
    let either = element(0xa1, &[&equal, &part]);
    let filter = element(0xa0, &[b"\x87\x02sn", &either, &element(0xa2, &[&rule])]);
    let head = [&base[..], b"\x0a\x01\x02\x0a\x01\0\x02\x01\0\x02\x01\0\x01\x01\0"].concat();
    let search = element(0x63, &[&head, &filter, &element(SEQUENCE, &[&cn])]);
    let values = |name: &str, value: &str| element(SEQUENCE, &[&text(name), &element(SET, &[&text(value)])]);
    let attributes = element(SEQUENCE, &[&values("cn", "anna"), &values("userPassword", "pw")]);
    let change = element(SEQUENCE, &[b"\x0a\x01\x02", &values("sn", "Moss")]);
    let control = element(0xa0, &[&element(SEQUENCE, &[&text("1.2"), b"\x01\x01\xff"])]);
    let start_tls = element(0x77, &[&element(0x80, &[START_TLS])]);
    vec![
        (Side::Client, message(1, &element(0x60, &[b"\x02\x01\x03", &text("cn=a"), b"\x80\x02pw"]))),
        (Side::Server, message(1, &self::result(0x61, 49))),
        (Side::Client, message(2, &element(0x60, &[b"\x02\x01\x03", &text(""), &element(0xa3, &[&text("PLAIN"), &text("x")])]))),
        (Side::Client, message(3, &[search, control].concat())),
        (Side::Server, message(3, &element(0x64, &[&text("cn=anna"), &attributes]))),
        (Side::Server, message(3, &self::result(0x65, 0))),
        (Side::Client, message(4, &element(0x66, &[&text("cn=anna"), &element(SEQUENCE, &[&change])]))),
        (Side::Client, message(5, &element(0x6c, &[&text("cn=anna"), &text("cn=b"), b"\x01\x01\xff"]))),
        (Side::Client, message(6, &element(0x6e, &[&text("cn=b"), &element(SEQUENCE, &[&cn, &text("b")])]))),
        (Side::Client, message(7, &element(0x4a, &[b"cn=b"]))),
        (Side::Client, message(8, b"\x50\x01\x07")),
        (Side::Client, message(9, &start_tls)),
        (Side::Server, message(9, &self::result(0x78, 0))),
        (Side::Client, b"\0\0\0\x02ab".to_vec()),
        (Side::Client, message(10, b"\x42\0")),
    ]
}

fn lines(talk: &[(Side, Vec<u8>)]) -> Vec<(Side, &[u8])> {
    talk.iter().map(|(side, bytes)| (*side, &bytes[..])).collect()
}

#[test]
fn a_session_is_dissected() {
    let mut session = Session::default();
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut session, &lines(&talk())), @r#"
    ldap 0..20 | bindRequest | cn=a
      0..20 ldap.LDAPMessage_element
        0..2 ldap.element = 3012
        2..5 ldap.messageID = 1
        5..20 ldap.protocolOp = 0 (bindRequest)
          5..7 ldap.element = 600d
          7..10 ldap.version = 3
          10..12 ldap.element = 0404
          12..16 ldap.name = "cn=a"
          16..20 ldap.authentication = 0 (simple)
            16..18 ldap.element = 8002
            18..20 ldap.simple = "pw"
    ldap 0..14 | bindResponse | invalidCredentials
      0..14 ldap.LDAPMessage_element
        0..2 ldap.element = 300c
        2..5 ldap.messageID = 1
        5..14 ldap.protocolOp = 1 (bindResponse)
          ldap.response_to = 0
          5..7 ldap.element = 6107
          7..10 ldap.resultCode = 49 (invalidCredentials)
          10..12 ldap.element = 0400
          12..14 ldap.element = 0400
    ldap 0..24 | bindRequest
      0..24 ldap.LDAPMessage_element
        0..2 ldap.element = 3016
        2..5 ldap.messageID = 2
        5..24 ldap.protocolOp = 0 (bindRequest)
          5..7 ldap.element = 6011
          7..10 ldap.version = 3
          10..12 ldap.element = 0400
          12..24 ldap.authentication = 3 (sasl)
            12..14 ldap.element = a30a
            14..16 ldap.element = 0405
            16..21 ldap.mechanism = "PLAIN"
            21..23 ldap.element = 0401
            23..24 ldap.credentials = 78
    ldap 0..103 | searchRequest | dc=example wholeSubtree (&(sn=*)(|(cn=anna)(cn=a*n*z))(!(cn:=x)))
      0..103 ldap.LDAPMessage_element
        0..2 ldap.element = 3065
        2..5 ldap.messageID = 3
        5..91 ldap.protocolOp = 3 (searchRequest)
          5..7 ldap.element = 6354
          7..9 ldap.element = 040a
          9..19 ldap.baseObject = "dc=example"
          19..22 ldap.scope = 2 (wholeSubtree)
          22..25 ldap.derefAliases = 0 (neverDerefAliases)
          25..28 ldap.sizeLimit = 0
          28..31 ldap.timeLimit = 0
          31..34 ldap.typesOnly = false
          34..85 ldap.filter = 0 (and)
            34..85 ldap.and = 3
              34..36 ldap.element = a031
              36..40 ldap.and_item = 7 (present)
                36..38 ldap.element = 8702
                38..40 ldap.present = "sn"
              40..71 ldap.and_item = 1 (or)
                40..71 ldap.or = 2
                  40..42 ldap.element = a11d
                  42..54 ldap.or_item = 3 (equalityMatch)
                    42..44 ldap.element = a30a
                    44..46 ldap.element = 0402
                    46..48 ldap.attributeDesc = "cn"
                    48..50 ldap.element = 0404
                    50..54 ldap.assertionValue = "anna"
                  54..71 ldap.or_item = 4 (substrings)
                    54..56 ldap.element = a40f
                    56..58 ldap.element = 0402
                    58..60 ldap.type = "cn"
                    60..62 ldap.element = 3009
                    62..64 ldap.element = 8001
                    64..65 ldap.initial = "a"
                    65..67 ldap.element = 8101
                    67..68 ldap.any = "n"
                    68..70 ldap.element = 8201
                    70..71 ldap.final = "z"
              71..85 ldap.and_item = 2 (not)
                71..73 ldap.element = a20c
                73..85 ldap.not = 9 (extensibleMatch)
                  73..75 ldap.element = a90a
                  75..77 ldap.element = 8202
                  77..79 ldap.type = "cn"
                  79..81 ldap.element = 8301
                  81..82 ldap.matchValue = "x"
                  82..85 ldap.dnAttributes = true
          85..91 ldap.attributes = 1
            85..87 ldap.element = 3004
            87..89 ldap.element = 0402
            89..91 ldap.AttributeDescription = "cn"
        91..93 ldap.element = a00a
        93..103 ldap.Control_element
          93..95 ldap.element = 3008
          95..97 ldap.element = 0403
          97..100 ldap.controlType = "1.2"
          100..103 ldap.criticality = true
    ldap 0..54 | searchResEntry | cn=anna
      0..54 ldap.LDAPMessage_element
        0..2 ldap.element = 3034
        2..5 ldap.messageID = 3
        5..54 ldap.protocolOp = 4 (searchResEntry)
          ldap.response_to = 0
          5..7 ldap.element = 642f
          7..9 ldap.element = 0407
          9..16 ldap.objectName = "cn=anna"
          16..54 ldap.attributes = 2
            16..18 ldap.element = 3024
            18..32 ldap.PartialAttributeList_item_element
              18..20 ldap.element = 300c
              20..22 ldap.element = 0402
              22..24 ldap.type = "cn"
              24..32 ldap.vals = 1
                24..26 ldap.element = 3106
                26..28 ldap.element = 0404
                28..32 ldap.AttributeValue = 616e6e61
            32..54 ldap.PartialAttributeList_item_element
              32..34 ldap.element = 3014
              34..36 ldap.element = 040c
              36..48 ldap.type = "userPassword"
              48..54 ldap.vals = 1
                48..50 ldap.element = 3104
                50..52 ldap.element = 0402
                52..54 ldap.AttributeValue.password = 7077
    ldap 0..14 | searchResDone | success
      0..14 ldap.LDAPMessage_element
        0..2 ldap.element = 300c
        2..5 ldap.messageID = 3
        5..14 ldap.protocolOp = 5 (searchResDone)
          ldap.response_to = 0
          5..7 ldap.element = 6507
          7..10 ldap.resultCode = 0 (success)
          10..12 ldap.element = 0400
          12..14 ldap.element = 0400
    ldap 0..37 | modifyRequest | cn=anna
      0..37 ldap.LDAPMessage_element
        0..2 ldap.element = 3023
        2..5 ldap.messageID = 4
        5..37 ldap.protocolOp = 6 (modifyRequest)
          5..7 ldap.element = 661e
          7..9 ldap.element = 0407
          9..16 ldap.object = "cn=anna"
          16..18 ldap.element = 3013
          18..37 ldap.modification_item_element
            18..20 ldap.element = 3011
            20..23 ldap.operation = 2 (replace)
            23..25 ldap.element = 300c
            25..27 ldap.element = 0402
            27..29 ldap.type = "sn"
            29..37 ldap.vals = 1
              29..31 ldap.element = 3106
              31..33 ldap.element = 0404
              33..37 ldap.AttributeValue = 4d6f7373
    ldap 0..25 | modDNRequest | cn=anna
      0..25 ldap.LDAPMessage_element
        0..2 ldap.element = 3017
        2..5 ldap.messageID = 5
        5..25 ldap.protocolOp = 12 (modDNRequest)
          5..7 ldap.element = 6c12
          7..9 ldap.element = 0407
          9..16 ldap.entry = "cn=anna"
          16..18 ldap.element = 0404
          18..22 ldap.newrdn = "cn=b"
          22..25 ldap.deleteoldrdn = true
    ldap 0..22 | compareRequest | cn=b
      0..22 ldap.LDAPMessage_element
        0..2 ldap.element = 3014
        2..5 ldap.messageID = 6
        5..22 ldap.protocolOp = 14 (compareRequest)
          5..7 ldap.element = 6e0f
          7..9 ldap.element = 0404
          9..13 ldap.entry = "cn=b"
          13..15 ldap.element = 3007
          15..17 ldap.element = 0402
          17..19 ldap.attributeDesc = "cn"
          19..21 ldap.element = 0401
          21..22 ldap.assertionValue = "b"
    ldap 0..11 | delRequest | cn=b
      0..11 ldap.LDAPMessage_element
        0..2 ldap.element = 3009
        2..5 ldap.messageID = 7
        5..11 ldap.protocolOp = 10 (delRequest)
          5..7 ldap.element = 4a04
          7..11 ldap.delRequest = "cn=b"
    ldap 0..8 | abandonRequest
      0..8 ldap.LDAPMessage_element
        0..2 ldap.element = 3006
        2..5 ldap.messageID = 8
        5..8 ldap.protocolOp = 16 (abandonRequest)
          5..8 ldap.abandonRequest = 7
    ldap 0..31 | extendedReq | 1.3.6.1.4.1.1466.20037
      0..31 ldap.LDAPMessage_element
        0..2 ldap.element = 301d
        2..5 ldap.messageID = 9
        5..31 ldap.protocolOp = 23 (extendedReq)
          5..7 ldap.element = 7718
          7..9 ldap.element = 8016
          9..31 ldap.requestName = "1.3.6.1.4.1.1466.20037"
    ldap 0..14 | extendedResp | success
      0..14 ldap.LDAPMessage_element
        0..2 ldap.element = 300c
        2..5 ldap.messageID = 9
        5..14 ldap.protocolOp = 24 (extendedResp)
          ldap.response_to = 0
          5..7 ldap.element = 7807
          7..10 ldap.resultCode = 0 (success)
          10..12 ldap.element = 0400
          12..14 ldap.element = 0400
    ldap 0..6 | SASL | 6 bytes
      0..6 ldap.sasl_buffer = 000000026162
    ldap 0..7 | unbindRequest
      0..7 ldap.LDAPMessage_element
        0..2 ldap.element = 3005
        2..5 ldap.messageID = 10
        5..7 ldap.protocolOp = 2 (unbindRequest)
          5..7 ldap.element = 4200
    "#);
    assert!(matches!(session.next(), Some(Next::Detect)));
}

#[test]
fn damaged_messages_are_survived() {
    let talk = talk();
    survives_damage(&PROTOCOL, Session::default, &lines(&talk));
    trial::survives_damage(&PROTOCOL, &talk[3].1, |wire| Session::default().dissect(wire));
}

#[test]
fn filters_nest_to_a_limit() {
    let mut filter = vec![0x87, 1, b'a'];
    for _ in 0..100 {
        let length = u16::try_from(filter.len()).unwrap().to_be_bytes();
        filter = [&[0xa2, 0x82][..], &length, &filter].concat();
    }
    let dump = trial::read(&PROTOCOL, &filter, Cut::No, |wire| super::filter(wire, &FILTER, &mut String::new()));
    assert!(dump.contains("dissect.deep"), "{dump}");
}

#[test]
fn connections_are_recognized_by_a_message() {
    let judge = |bytes: &[u8], complete| recognize(&Opening { sent: [bytes, b""], from_start: [true; 2], complete });
    assert_eq!(judge(&talk()[0].1, true), Verdict::Yes(Side::Server));
    assert_eq!(judge(b"\x30\x0c\x02", false), Verdict::Unsure);
    assert_eq!(judge(b"\x30\x0c\x02\x01\x01\x04\0", true), Verdict::No);
    let bind = |version: u8| is_message(&[0x30, 12, 2, 1, 1, 0x60, 7, 2, 1, version, 4, 0, 0x80, 0]);
    assert_eq!([1, 2, 3, 4].map(bind), [false, true, true, false]);
    assert!(!is_message(b"\x30\x26\x02\x01\x01\x04\x06public"));
}
