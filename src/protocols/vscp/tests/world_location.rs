//! Requests and responses of a World Location Server.

use super::*;
use wls::PROTOCOL as WLS;

fn opened() -> Box<dyn Conversation> {
    let crate::wire::Dissector::Stream(open) = WLS.found[0].dissector else { unreachable!() };
    open(&Settings::new())
}

fn dissect_wls(from: Side, bytes: &[u8]) -> String {
    trial::message(&WLS, opened().as_mut(), from, bytes, Cut::No)
}

fn verdict(client: &[u8], server: &[u8], complete: bool) -> [Verdict; 2] {
    [0, 1].map(|place| match WLS.found[place].heuristic {
        Heuristic::Stream(look) => look(&Opening { sent: [client, server], from_start: [true; 2], complete }),
        _ => Verdict::No,
    })
}

#[test]
fn question_is_read() {
    insta::assert_snapshot!(dissect_wls(C, &trial::bytes(QUESTION)), @r#"
    vscp.wls 0..67 | question | SAPARi COAST MIL. at 85.000000 -71.610001 85.000000
      0..67 vscp.wls.text = "f,192.168.1.14,SAPARi COAST MIL.,85.000000,-71.610001,85.000000,,,"
      0..1 vscp.wls.type = "f"
      2..14 vscp.wls.client_ip = "192.168.1.14"
      15..32 vscp.wls.world = "SAPARi COAST MIL."
      33..42 vscp.wls.x = "85.000000"
      43..53 vscp.wls.y = "-71.610001"
      54..63 vscp.wls.z = "85.000000"
      64..64 vscp.wls.busy = ""
      65..65 vscp.wls.busy_host = ""
      66..66 vscp.wls.busy_port = ""
    "#);
    insta::assert_snapshot!(dissect_wls(C, b"f,10.0.0.2,PLAZA,1,2,3,1,busy.example,5126\0"), @r#"
    vscp.wls 0..43 | question | PLAZA at 1 2 3, busy.example is full
      0..43 vscp.wls.text = "f,10.0.0.2,PLAZA,1,2,3,1,busy.example,5126"
      0..1 vscp.wls.type = "f"
      2..10 vscp.wls.client_ip = "10.0.0.2"
      11..16 vscp.wls.world = "PLAZA"
      17..18 vscp.wls.x = "1"
      19..20 vscp.wls.y = "2"
      21..22 vscp.wls.z = "3"
      23..24 vscp.wls.busy = "1"
      25..37 vscp.wls.busy_host = "busy.example"
      38..42 vscp.wls.busy_port = "5126"
    "#);
}

#[test]
fn answers_are_read() {
    insta::assert_snapshot!(dissect_wls(S, &trial::bytes(BUREAU)), @r#"
    vscp.wls 0..21 | answer | bureau example.com:5126
      0..21 vscp.wls.text = "f,0,example.com,5126"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 0 (bureau)
      4..15 vscp.wls.host = "example.com"
      16..20 vscp.wls.port = 5126
    "#);
    insta::assert_snapshot!(dissect_wls(S, &trial::bytes("66 2c 39 00")), @r#"
    vscp.wls 0..4 | answer | error
      0..4 vscp.wls.text = "f,9"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 9 (error)
    "#);
    insta::assert_snapshot!(dissect_wls(S, &trial::bytes("66 2c 31 2c 65 78 61 6d 70 6c 65 2e 63 6f 6d 00")), @r#"
    vscp.wls 0..16 | answer | url example.com
      0..16 vscp.wls.text = "f,1,example.com"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 1 (url)
      4..15 vscp.wls.url = "example.com"
    "#);
    insta::assert_snapshot!(dissect_wls(S, b"f,1,http://example.com/a,b,c\0"), @r#"
    vscp.wls 0..29 | answer | url http://example.com/a,b,c
      0..29 vscp.wls.text = "f,1,http://example.com/a,b,c"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 1 (url)
      4..28 vscp.wls.url = "http://example.com/a,b,c"
    "#);
}

#[test]
fn error_may_end_without_its_nul() {
    let mut conversation = opened();
    assert_eq!(conversation.extent(S, b"f,9", true), Extent::NeedMore(4));
    assert_eq!(conversation.extent(S, b"f,9", false), Extent::Message(3));
    insta::assert_snapshot!(trial::message(&WLS, conversation.as_mut(), S, b"f,9", Cut::No), @r#"
    vscp.wls 0..3 | answer | error
      0..3 vscp.wls.text = "f,9"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 9 (error)
    "#);
    assert_eq!(conversation.extent(S, b"more", true), Extent::Unknown(4));
    assert_eq!(opened().extent(S, b"f,0,exam", false), Extent::NeedMore(9));
    insta::assert_snapshot!(trial::message(&WLS, opened().as_mut(), S, b"f,0,exam", Cut::Stream { needed: 9 }), @"
    vscp.wls 0..8 | answer
      0..8 vscp.wls.data = 662c302c6578616d
    ! broken vscp.wls.truncated at 0..8 vscp.wls: the stream ends after 8 of 9 bytes
    ");
}

#[test]
fn other_texts_are_shown_whole() {
    insta::assert_snapshot!(dissect_wls(S, b"f,7,what\0"), @r#"
    vscp.wls 0..9 | answer | f,7,what
      0..9 vscp.wls.text = "f,7,what"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 7
    ! odd vscp.wls.note.fields at 2..3 vscp.wls.ack: unknown response type or number of fields
    "#);
    insta::assert_snapshot!(dissect_wls(S, b"f,0,host\0"), @r#"
    vscp.wls 0..9 | answer | f,0,host
      0..9 vscp.wls.text = "f,0,host"
      0..1 vscp.wls.type = "f"
      2..3 vscp.wls.ack = 0 (bureau)
    ! odd vscp.wls.note.fields at 2..3 vscp.wls.ack: unknown response type or number of fields
    "#);
    insta::assert_snapshot!(dissect_wls(C, b"f,10.0.0.2,PLAZA\0"), @r#"
    vscp.wls 0..17 | question | f,10.0.0.2,PLAZA
      0..17 vscp.wls.text = "f,10.0.0.2,PLAZA"
      0..1 vscp.wls.type = "f"
      2..10 vscp.wls.client_ip = "10.0.0.2"
      11..16 vscp.wls.world = "PLAZA"
    ! odd vscp.wls.note.fields at 11..16 vscp.wls.world: 3 fields, a request has 9
    "#);
}

#[test]
fn question_is_recognised_on_any_port() {
    let question = trial::bytes(QUESTION);
    assert_eq!(verdict(&question, &[], false), [Verdict::Yes(S); 2]);
    assert_eq!(verdict(&question, &trial::bytes(BUREAU), true), [Verdict::Yes(S); 2]);
    assert_eq!(verdict(&[], &question, true), [Verdict::Yes(C); 2]);
    assert_eq!(verdict(&[], b"f,9", true), [Verdict::Yes(S), Verdict::No]);
    for end in 1..question.len() - 1 {
        assert_eq!(verdict(&question[..end], &[], false), [Verdict::Unsure; 2], "{end}");
        assert_eq!(verdict(&question[..end], &[], true), [Verdict::No; 2], "{end}");
    }
    let others: [&[u8]; 4] = [b"f,1,2\0", b"f,host,PLAZA,1,2,3,,,\0", b"f,10.0.0.2,PLAZA,1,2,3,,,,\0", b"for example\0"];
    for other in others {
        assert_eq!(verdict(other, &[], false), [Verdict::No; 2], "{other:02x?}");
    }
}

#[test]
fn endless_text_is_given_up() {
    let text = [&b"f,"[..], &[b'a'; 5000]].concat();
    assert_eq!(opened().extent(C, &text, true), Extent::Unknown(text.len()));
    assert_eq!(verdict(&text, &[], false), [Verdict::No; 2]);
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(bytes in "[f,019a.\\x00]{0,40}", from in side()) {
        dissect_wls(from, bytes.as_bytes());
        trial::message(&WLS, opened().as_mut(), from, bytes.as_bytes(), Cut::Stream { needed: 99 });
        verdict(bytes.as_bytes(), &[], false);
        opened().extent(from, bytes.as_bytes(), false);
    }
}
