//! Logins, stanzas, framing and recognition.

use super::*;
use crate::protocols::lines::{survives_damage, trees_of};

const C: Side = Side::Client;
const S: Side = Side::Server;

const LOGIN: &[(Side, &[u8])] = &[
    (C, b"<?xml version='1.0'?><stream:stream to='moor.example' xmlns='jabber:client' version='1.0'>"),
    (S, b"<stream:stream from='moor.example' id='7' version='1.0'><stream:features><starttls/></stream:features>"),
    (C, b"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGZhbGsAbW9zcw==</auth>"),
    (S, b"<success/>"),
];

const CHAT: &[(Side, &[u8])] = &[
    (C, b"<iq type='get' id='a1'><query xmlns='jabber:iq:roster'/></iq>"),
    (S, b"<iq type='result' id='a1'><query xmlns='jabber:iq:roster'><item jid='a@moor.example'/></query></iq>"),
    (C, b"<message to='a@moor.example' type='chat'><body>well &amp; good</body></message> "),
    (S, b"<presence from='a@moor.example'><show>away</show></presence></stream:stream>"),
];

#[test]
fn a_login_is_masked() {
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), LOGIN), @r#"
    xmpp 0..21 | declaration
      0..21 xmpp.xml_header_version = "1.0"
    xmpp 0..69 | stream | moor.example
      0..69 xmpp.stream
        0..15 xmpp.tag = "stream:stream"
        15..33 xmpp.to = "moor.example"
        33..55 xmpp.xmlns = "jabber:client"
        55..69 xmpp.attribute = "version='1.0'"
    xmpp 0..56 | stream | moor.example
      0..56 xmpp.stream
        0..15 xmpp.tag = "stream:stream"
        15..35 xmpp.from = "moor.example"
        35..42 xmpp.id = "7"
        42..56 xmpp.attribute = "version='1.0'"
    xmpp 0..46 | features
      0..46 xmpp.features
        0..17 xmpp.tag = "stream:features"
        17..28 xmpp.starttls
          17..28 xmpp.tag = "starttls"
        28..46 xmpp.end_tag = "stream:features"
    xmpp 0..88 | auth | PLAIN
      0..88 xmpp.auth
        0..6 xmpp.tag = "auth"
        6..47 xmpp.xmlns = "urn:ietf:params:xml:ns:xmpp-sasl"
        47..65 xmpp.attribute = "mechanism='PLAIN'"
        65..81 xmpp.secret = "AGZhbGsAbW9zcw=="
        81..88 xmpp.end_tag = "auth"
    xmpp 0..10 | success
      0..10 xmpp.success
        0..10 xmpp.tag = "success"
    "#);
}

#[test]
fn stanzas_have_their_elements() {
    insta::assert_snapshot!(trees_of(&PROTOCOL, &mut Session::default(), CHAT), @r#"
    xmpp 0..61 | iq | get query
      0..61 xmpp.iq
        0..4 xmpp.tag = "iq"
        4..15 xmpp.type = "get"
        15..23 xmpp.id = "a1"
        23..56 xmpp.query
          23..30 xmpp.tag = "query"
          30..56 xmpp.xmlns = "jabber:iq:roster"
        56..61 xmpp.end_tag = "iq"
    xmpp 0..99 | iq | result query
      xmpp.response_to = 0
      0..99 xmpp.iq
        0..4 xmpp.tag = "iq"
        4..18 xmpp.type = "result"
        18..26 xmpp.id = "a1"
        26..94 xmpp.query
          26..33 xmpp.tag = "query"
          33..58 xmpp.xmlns = "jabber:iq:roster"
          58..86 xmpp.query.item
            58..64 xmpp.tag = "item"
            64..86 xmpp.attribute = "jid='a@moor.example'"
          86..94 xmpp.end_tag = "query"
        94..99 xmpp.end_tag = "iq"
    xmpp 0..79 | message | chat
      0..79 xmpp.message
        0..9 xmpp.tag = "message"
        9..29 xmpp.to = "a@moor.example"
        29..41 xmpp.type = "chat"
        41..69 xmpp.message.body
          41..47 xmpp.tag = "body"
          47..62 xmpp.cdata = "well &amp; good"
          62..69 xmpp.end_tag = "body"
        69..79 xmpp.end_tag = "message"
    xmpp 0..1 | keep-alive
      0..1 xmpp.keep_alive = 20
    xmpp 0..60 | presence
      0..60 xmpp.presence
        0..10 xmpp.tag = "presence"
        10..32 xmpp.from = "a@moor.example"
        32..49 xmpp.presence.show
          32..38 xmpp.tag = "show"
          38..42 xmpp.cdata = "away"
          42..49 xmpp.end_tag = "show"
        49..60 xmpp.end_tag = "presence"
    xmpp 0..16 | stream end
      0..16 xmpp.stream_end = "stream:stream"
    "#);
}

#[test]
fn tls_begins_after_proceed() {
    let mut session = Session::default();
    trees_of(&PROTOCOL, &mut session, &[(C, b"<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")]);
    assert_eq!(session.extent(C, &[0x16, 3, 1], true), Extent::NeedMore(4));
    trees_of(&PROTOCOL, &mut session, &[(S, b"<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")]);
    assert!(matches!(session.next(), Some(Next::Detect)));
}

#[test]
fn elements_end_at_the_same_place_however_they_arrive() {
    let stanza = b"<iq id='>'><a><!-- <x> --><b/>text</a></iq>";
    for cut in 1..stanza.len() {
        let mut session = Session::default();
        assert_eq!(session.extent(C, &stanza[..cut], true), Extent::NeedMore(cut + 1), "{cut}");
        assert_eq!(session.extent(C, stanza, true), Extent::Message(stanza.len()), "{cut}");
    }
}

#[test]
fn after_lost_bytes_a_stanza_is_found_again() {
    let mut session = Session::default();
    session.gap(C, Missing { bytes: 5, in_step: false });
    assert_eq!(session.extent(C, b"secret</auth><iq id='1'/>", true), Extent::Unknown(13));
    assert_eq!(session.extent(C, b"<iq id='1'/>", true), Extent::Message(12));
}

#[test]
fn a_stream_is_recognized_by_its_opening_tag() {
    let judge = |recognize: fn(&Opening<'_>) -> Verdict, client: &[u8], server: &[u8], complete| {
        recognize(&Opening { sent: [client, server], from_start: [true; 2], complete })
    };
    assert_eq!(judge(anywhere, LOGIN[0].1, b"", false), Verdict::Yes(S));
    assert_eq!(judge(anywhere, b"", LOGIN[1].1, false), Verdict::Yes(S));
    assert_eq!(judge(anywhere, LOGIN[1].1, b"", false), Verdict::Yes(C));
    assert_eq!(judge(anywhere, &LOGIN[0].1[..30], b"", false), Verdict::Unsure);
    assert_eq!(judge(anywhere, &LOGIN[0].1[..30], b"", true), Verdict::No);
    assert_eq!(judge(anywhere, b"<?xml version='1.0'?><soap>", b"", false), Verdict::No);
    assert_eq!(judge(on_port, CHAT[0].1, b"", false), Verdict::Yes(S));
    assert_eq!(judge(on_port, b"<html>", b"", true), Verdict::No);
}

#[test]
fn an_incomplete_element_may_hold_a_secret() {
    let session = Session::default();
    for begun in [&b""[..], b"<", b"<au", b"<auth mech", b"<iq><query><password>a"] {
        assert!(session.may_hold_secret(C, begun), "{}", begun.escape_ascii());
    }
    for begun in [&b"<iq "[..], b"<message><body>a", b"<mess"] {
        assert!(!session.may_hold_secret(C, begun), "{}", begun.escape_ascii());
    }
}

#[test]
fn damaged_streams_are_read_up_to_the_error() {
    survives_damage(&PROTOCOL, Session::default, LOGIN);
    survives_damage(&PROTOCOL, Session::default, CHAT);
}
