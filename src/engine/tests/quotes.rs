//! The payload of packets that ICMP errors quote.

use super::headers::{ipv4, lines_of, quoting};
use crate::wire::trial::bytes;

/// A UDP datagram to this port, with this many more bytes in its length than it has.
fn udp(port: u16, payload: &[u8], more: u16) -> Vec<u8> {
    let length = u16::try_from(8 + payload.len()).unwrap() + more;
    let mut datagram = [40_000_u16, port, length, 0].map(u16::to_be_bytes).concat();
    datagram.extend_from_slice(payload);
    datagram
}

/// A TCP segment to this port.
fn tcp(port: u16, payload: &[u8]) -> Vec<u8> {
    let [high, low] = port.to_be_bytes();
    let mut segment = vec![0x9c, 0x40, high, low, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 3, 0xe8, 0, 0, 0, 0];
    segment.extend_from_slice(payload);
    segment
}

const QUERY: &str = "1234 0100 0001 0000 0000 0000 03777777 076578616d706c65 036f7267 00 0001 0001";
const ANSWER: &str = "1234 8180 0001 0000 0000 0000 03777777 076578616d706c65 036f7267 00 0001 0001";

#[test]
fn a_quoted_datagram_is_dissected_by_its_port() {
    let dns = quoting(&ipv4(17, 0, &udp(53, &bytes(QUERY), 0)));
    let ntp = quoting(&ipv4(17, 0, &udp(123, &bytes(&("23 00 06 ec".to_owned() + &"00".repeat(44))), 0)));
    let sip =
        quoting(&ipv4(17, 0, &udp(5060, b"OPTIONS sip:a@example.org SIP/2.0\r\nCall-ID: x7\r\nCSeq: 1 OPTIONS\r\n\r\n", 0)));
    let names = ["dns.qry.name", "ntp.flags.mode", "sip.Method", "sip.Call-ID", "udp.payload"];
    assert_eq!(
        lines_of(&[dns, ntp, sip], 0, &names),
        [
            "56..89 udp.payload = 33 bytes",
            "68..85 dns.qry.name = \"www.example.org\"",
            "dns.qry.name.len = 15",
            "56..104 udp.payload = 48 bytes",
            "56..57 ntp.flags.mode = 3 (client)",
            "56..123 udp.payload = 67 bytes",
            "56..64 sip.Method = \"OPTIONS\"",
            "91..104 sip.Call-ID = \"x7\""
        ]
    );
}

#[test]
fn a_quoted_segment_is_dissected_by_its_port() {
    let smtp = quoting(&ipv4(6, 0, &tcp(25, b"MAIL FROM:<a@example.org>\r\n")));
    let unknown = quoting(&ipv4(6, 0, &tcp(4444, b"MAIL FROM:<a@example.org>\r\n")));
    assert_eq!(
        lines_of(&[smtp, unknown], 0, &["smtp.req", "ftp", "data"]),
        ["smtp.req = true", "68..73 smtp.req.command = \"MAIL\"", "73..95 smtp.req.parameter = \"FROM:<a@example.org>\""]
    );
}

#[test]
fn a_quote_is_no_message_and_changes_no_conversation() {
    let response = |at: usize| {
        let mut packet = ipv4(17, 0, &[&[0, 53, 0x9c, 0x40], &udp(53, &bytes(ANSWER), 0)[4..]].concat());
        packet[12..20].copy_from_slice(&[10, 0, 0, 2, 10, 0, 0, 1]);
        packet[10] = u8::try_from(at).unwrap();
        packet
    };
    let query = ipv4(17, 0, &udp(53, &bytes(QUERY), 0));
    let found = lines_of(&[quoting(&query), response(1), query, response(2)], 0, &["icmp", "dns", "dns.response_to"]);
    let found: Vec<&String> = found.iter().filter(|line| line.contains(" | ") || line.contains("response_to")).collect();
    let expected = [
        "icmp 20..89 | destination unreachable | host",
        "dns 28..61 | response | A www.example.org",
        "dns 28..61 | query | A www.example.org",
        "dns 28..61 | response | A www.example.org",
        "dns.response_to = 3",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_quote_that_ends_early_has_no_note_of_its_payload() {
    let whole = udp(53, &bytes(QUERY), 0);
    for end in 8..whole.len() {
        let cut = quoting(&ipv4(17, 0, &whole[..end]));
        assert_eq!(lines_of(&[cut], 0, &["!"]), Vec::<String>::new(), "{end}");
    }
}

#[test]
fn content_alone_names_no_quoted_payload() {
    // A query of a game server, which is recognized at any port.
    let query = [&b"\xff\xff\xff\xffTSource Engine Query"[..], &[0]].concat();
    let lone = ipv4(17, 0, &udp(40_001, &query, 0));
    assert!(!lines_of(std::slice::from_ref(&lone), 0, &["a2s"]).is_empty());
    assert!(lines_of(&[quoting(&lone)], 0, &["a2s"]).is_empty());
}
