//! On its registered port, a message with one wrong field keeps the name of its protocol and gets a note. Names are those of
//! Wireshark for the same packets, except where a comment says otherwise.

use crate::common::{Scratch, run};
use etherparse::PacketBuilder;
use serde_json::Value;

const UNKNOWN_PORT: u16 = 20_321;

/// Link type of raw IP packets.
const RAW: u32 = 101;

/// Port, protocol, and a datagram with one wrong field.
const DATAGRAMS: &[(u16, &str, &str)] = &[
    // An attribute without a length, an unknown code.
    (1812, "radius", "012a0018000102030405060708090a0b0c0d0e0f 0100616e 616e616e"),
    (1813, "radius", "632a001a000102030405060708090a0b0c0d0e0f 0106616e6e61"),
    // Version 3, exchange 99.
    (500, "isakmp", "0102030405060708 0000000000000000 01300200 00000000 00000024 0d000008 deadbeef"),
    (500, "isakmp", "0102030405060708 0000000000000000 01106300 00000000 00000024 0d000008 deadbeef"),
    // Operation 7.
    (53, "dns", "1234 3900 0001 0000 0000 0000 01610000010001"),
    (5353, "mdns", "1234 3900 0001 0000 0000 0000 01610000010001"),
    (5355, "llmnr", "1234 3900 0001 0000 0000 0000 01610000010001"),
    // Version 7, and a message that is too short.
    (123, "ntp", "3b020a00 0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000 00000000"),
    (123, "ntp", "23020a00 0000000000000000 0000000000000000"),
    // Version 9.
    (161, "snmp", "302602010904067075626c6963a019020101020100020100300e300c06082b060102010101000500"),
    // Type 99, operation 9.
    (547, "dhcpv6", "63112233 0001000a00030001020000000001"),
    (69, "tftp", "0009 612e747874 00 6f63746574 00"),
    // No priority.
    (514, "syslog", "4e6f7620323720686f7374206170703a2068656c6c6f"),
    // Command 9, metric 99.
    (520, "rip", "09020000 0002 0000 0a000000 ff000000 00000000 00000001"),
    (520, "rip", "02020000 0002 0000 0a000000 ff000000 00000000 00000063"),
    (521, "ripng", "09010000 20010000000000000000000000000000 0000 40 01"),
    // HTTP/2.0 in a datagram.
    (1900, "ssdp", "485454502f322e3020323030204f4b0d0a53543a20780d0a0d0a"),
    // Version 9, operation 30.
    (389, "ldap", "300c 020101 6007 020109 0400 8000"),
    (389, "ldap", "3006 020101 7e01 00"),
    // A method in small letters.
    // Type 9.
    (88, "kerberos", "6907 3005 a003 020105"),
    (5060, "sip", "6f7074696f6e73207369703a614062205349502f322e300d0a5669613a20780d0a0d0a"),
];

/// Port, protocol, and what a client sends and is answered.
const STREAMS: &[(u16, &str, &[u8], &[u8])] = &[
    (25, "smtp", b"EHLO\n", b"250\n"),
    (587, "smtp", b"", b"421 busy\r\n"),
    (21, "ftp", b"", b"530 too many\r\n"),
    (6667, "irc", b"", b"ERROR :closing\r\n"),
    (80, "http", b"GET / HTTP/2.1\r\nHost: a\r\n\r\n", b"HTTP/2.1 400 Bad\r\nContent-Length: 0\r\n\r\n"),
    (554, "rtsp", b"OPTIONS rtsp://a/ RTSP/9.9\r\nCSeq: 1\r\n\r\n", b""),
    (22, "ssh", b"SSH-9.9-a\r\n", b"SSH-9.9-b\r\n"),
    // Version 9, type 9.
    (
        179,
        "bgp",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\x1d\x01\x09\xfd\xe8\0\xb4\x0a\0\0\x01\0",
        b"",
    ),
    (179, "bgp", b"", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\x13\x09"),
    // Level 9, other flags, another name.
    (1883, "mqtt", b"\x10\x10\0\x04MQTT\x09\x02\0\x3c\0\x04abcd", b""),
    (1883, "mqtt", b"\x11\x10\0\x04MQTT\x04\x02\0\x3c\0\x04abcd", b""),
    (1883, "mqtt", b"\x10\x10\0\x04MQTX\x04\x02\0\x3c\0\x04abcd", b""),
    // Operation 7.
    (53, "dns", b"\0\x13\x12\x34\x39\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01", b""),
    // Operation 30, version 9.
    (389, "ldap", b"\x30\x06\x02\x01\x01\x7e\x01\0", b""),
    (3268, "ldap", b"\x30\x0c\x02\x01\x01\x60\x07\x02\x01\x09\x04\0\x80\0", b""),
    // Version 4, reserved byte 7.
    (102, "cotp", b"\x04\0\0\x0b\x06\xe0\0\0\0\x01\0", b""),
    (3389, "cotp", b"\x03\x07\0\x0b\x06\xe0\0\0\0\x01\0", b""),
    (3306, "mysql", b"", b"\x0a\0\0\0\xff\x69\x04blocked"),
    (5060, "sip", b"OPTIONS sip:a@b SIP/3.0\r\nVia: x\r\n\r\n", b""),
    // Versions 2.0 and 3.9, unknown types of both sides.
    (5432, "pgsql", b"\0\0\0\x10\0\x02\0\0user\0a\0\0", b""),
    (5432, "pgsql", b"\0\0\0\x10\0\x03\0\x09user\0a\0\0", b"E\0\0\0\x07Mx\0"),
    (5432, "pgsql", b"~\0\0\0\x06ab", b""),
    (5432, "pgsql", b"", b"y\0\0\0\x06abZ\0\0\0\x05I"),
    // Version 0-8-0, type 9.
    (5672, "amqp", b"AMQP\x01\x01\x08\0", b""),
    (5672, "amqp", b"AMQP\0\0\x09\x02", b""),
    (5672, "amqp", b"\x09\0\0\0\0\0\x02ab\xce", b""),
    (5672, "amqp", b"", b"\x09\0\x01\0\0\0\0\xce\x08\0\0\0\0\0\0\xce"),
    // APIs 999 and -2, version 99.
    (9092, "kafka", b"\0\0\0\x0f\x03\xe7\0\x01\0\0\0\x07\0\x05admin", b""),
    (9092, "kafka", b"\0\0\0\x0a\xff\xfe\0\x01\0\0\0\x07\xff\xff", b""),
    (9092, "kafka", b"\0\0\0\x0f\0\x12\0\x63\0\0\0\x07\0\x05admin", b""),
    // Opcodes 9999 and 2.
    (27017, "mongo", b"\x14\0\0\0\x01\0\0\0\0\0\0\0\x0f\x27\0\0abcd", b""),
    (27017, "mongo", b"", b"\x10\0\0\0\x01\0\0\0\x05\0\0\0\x02\0\0\0"),
    // Type 9, version 9.
    (88, "kerberos", b"\0\0\0\x09\x69\x07\x30\x05\xa0\x03\x02\x01\x05", b""),
    (88, "kerberos", b"\0\0\0\x09\x6a\x07\x30\x05\xa1\x03\x02\x01\x09", b""),
    // Versions 3.9 and 4.1, type 99, also without a hello.
    (443, "tls", b"\x16\x03\x09\0\x0c\x01\0\0\x08\x03\x03abcdef", b""),
    (853, "tls", b"\x16\x04\x01\0\x0c\x01\0\0\x08\x03\x03abcdef", b""),
    (993, "tls", b"\x63\x03\x01\0\x0c\x01\0\0\x08\x03\x03abcdef", b""),
    (8443, "tls", b"", b"\x63\x03\x03\0\x02ab\x17\x03\x03\0\x01a"),
    (636, "tls", b"\x17\x03\x09\0\x03abc", b""),
    // Types 9 and 7, a length that does not fit its type.
    (139, "nbss", b"\x09\0\0\x02ab", b""),
    (139, "nbss", b"", b"\x82\0\0\x01a"),
    (445, "nbss", b"", b"\x07\0\0\x01a\x85\0\0\0"),
    // Versions 4.0 and 5.9, type 99, order 2.
    (135, "dcerpc", b"\x04\0\x05\x03\x10\0\0\0\x10\0\0\0\x01\0\0\0", b""),
    (135, "dcerpc", b"\x05\x09\x05\x03\x10\0\0\0\x10\0\0\0\x01\0\0\0", b""),
    (135, "dcerpc", b"\x05\0\x63\x03\x10\0\0\0\x10\0\0\0\x01\0\0\0", b""),
    (135, "dcerpc", b"\x05\0\x05\x03\x30\0\0\0\x10\0\0\0\x01\0\0\0", b""),
    // Command 9 of both versions, method 0x50.
    (1080, "socks", b"\x05\x01\0\x05\x09\0\x01\x0a\0\0\x01\0\x50", b""),
    (1080, "socks", b"\x04\x09\0\x50\x0a\0\0\x01me\0", b""),
    (1080, "socks", b"\x05\x01\x50", b""),
    (3306, "mysql", b"", b"\x16\0\0\0\x095.5.40\0\x07\0\0\0abcdefgh\0\0"),
    (4222, "nats", b"FOO bar\r\n", b""),
    (4222, "nats", b"", b"+WAIT\r\n"),
    // An unknown command, type and value.
    (6379, "resp", b"FLY away\r\n", b""),
    (6379, "resp", b"", b"@7\r\n"),
    // Option 200, a command alone.
    (23, "telnet", b"\xff\xfb\xc8", b""),
    (23, "telnet", b"", b"\xff\xf1"),
    // Opcodes 0 and 31.
    (1194, "openvpn", b"\0\x0e\x00abcdefgh\0\0\0\0\0", b""),
    (1194, "openvpn", b"\0\x0f\xf8abcdefghijklmn", b""),
];

/// Port, protocol, what a client sends first, and a message of an unknown type behind it.
const LATER: &[(u16, &str, &[u8], &[u8])] = &[
    (5432, "pgsql", b"\0\0\0\x10\0\x03\0\0user\0a\0\0", b"~\0\0\0\x06ab"),
    (5672, "amqp", b"AMQP\0\0\x09\x01", b"\x09\0\0\0\0\0\x02ab\xce"),
    (9092, "kafka", b"\0\0\0\x0f\0\x12\0\x01\0\0\0\x07\0\x05admin", b"\0\0\0\x0f\x03\xe7\0\x01\0\0\0\x08\0\x05admin"),
    (139, "nbss", b"\x85\0\0\0", b"\x09\0\0\x02ab"),
    (135, "dcerpc", b"\x05\0\x05\x03\x10\0\0\0\x10\0\0\0\x01\0\0\0", b"\x05\0\x63\x03\x10\0\0\0\x10\0\0\0\x01\0\0\0"),
    (4222, "nats", b"PING\r\n", b"FOO bar\r\n"),
    (6379, "resp", b"PING\r\n", b"@7\r\n"),
    (27017, "mongo", b"\x10\0\0\0\x01\0\0\0\0\0\0\0\xdd\x07\0\0", b"\x10\0\0\0\x02\0\0\0\0\0\0\0\x0f\x27\0\0"),
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| byte.is_ascii_hexdigit()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A capture of raw IP packets.
fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, RAW].map(u32::to_le_bytes).concat();
    for packet in packets {
        let size = u32::try_from(packet.len()).unwrap();
        file.extend([0, 0, size, size].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    file
}

fn datagram(number: usize, port: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    let own = 40_000 + u16::try_from(number).unwrap();
    PacketBuilder::ipv4([192, 0, 2, 1], [192, 0, 2, 2], 64).udp(own, port).write(&mut packet, payload).unwrap();
    packet
}

/// A connection with segments of the client, then one of the server.
fn connection(number: usize, port: u16, client: &[&[u8]], server: &[u8]) -> Vec<Vec<u8>> {
    let own = 40_000 + u16::try_from(number).unwrap();
    let segment = |from_client: bool, seq: u32, ack: u32, syn: bool, payload: &[u8]| {
        let (src, dst) = if from_client { ([192, 0, 2, 1], [192, 0, 2, 2]) } else { ([192, 0, 2, 2], [192, 0, 2, 1]) };
        let [from, to] = if from_client { [own, port] } else { [port, own] };
        let builder = PacketBuilder::ipv4(src, dst, 64).tcp(from, to, seq, 8192);
        let builder = if syn { builder.syn() } else { builder };
        let builder = if syn && from_client { builder } else { builder.ack(ack) };
        let mut packet = Vec::new();
        builder.write(&mut packet, payload).unwrap();
        packet
    };
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap();
    let mut packets = vec![segment(true, 100, 0, true, b""), segment(false, 500, 101, true, b"")];
    let mut next = 101;
    for bytes in client {
        packets.push(segment(true, next, 501, false, bytes));
        next += length(bytes);
    }
    packets.push(segment(false, 501, next, false, server));
    packets
}

/// The first message of each conversation.
fn first_messages(name: &str, packets: &[Vec<u8>]) -> Vec<Value> {
    let file = Scratch::new(name, &capture(packets));
    let out = run(&["--json", file.path()]).out;
    let mut first: Vec<Value> = Vec::new();
    for record in out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if record["type"] == "message" && first.iter().all(|known| known["stream"] != record["stream"]) {
            first.push(record);
        }
    }
    // A message may wait for more bytes.
    let number = |record: &Value| record["stream"].as_str().and_then(|stream| stream.split_once('/')?.1.parse::<u32>().ok());
    first.sort_by_key(number);
    first
}

fn has_note(message: &Value) -> bool {
    message.to_string().contains("dissect.unusual")
}

#[test]
fn a_datagram_with_one_wrong_field_keeps_the_name_of_its_protocol() {
    let all = |port: fn(u16) -> u16| -> Vec<Vec<u8>> {
        DATAGRAMS.iter().enumerate().map(|(number, (own, _, hex))| datagram(number, port(*own), &bytes(hex))).collect()
    };
    let messages = first_messages("own-port.pcap", &all(|own| own));
    assert_eq!(messages.len(), DATAGRAMS.len());
    for ((port, name, _), message) in DATAGRAMS.iter().zip(&messages) {
        assert_eq!(message["protocol"], *name, "{port}: {message}");
        assert!(has_note(message), "{port}: {message}");
    }
    for message in first_messages("other-port.pcap", &all(|_| UNKNOWN_PORT)) {
        assert_eq!(message["protocol"], "data", "{message}");
    }
}

#[test]
fn a_stream_with_one_wrong_field_keeps_the_name_of_its_protocol() {
    let all = |port: fn(u16) -> u16| -> Vec<Vec<u8>> {
        let streams = STREAMS.iter().enumerate();
        streams.flat_map(|(number, (own, _, client, server))| connection(number, port(*own), &[*client], server)).collect()
    };
    let messages = first_messages("own-streams.pcap", &all(|own| own));
    assert_eq!(messages.len(), STREAMS.len());
    for ((port, name, ..), message) in STREAMS.iter().zip(&messages) {
        assert_eq!(message["protocol"], *name, "{port}: {message}");
        assert!(has_note(message), "{port}: {message}");
    }
    for message in first_messages("other-streams.pcap", &all(|_| UNKNOWN_PORT)) {
        assert_eq!(message["protocol"], "data", "{message}");
    }
}

#[test]
fn a_message_of_unknown_type_behind_known_ones_keeps_the_name_of_its_protocol() {
    for (port, name, first, odd) in LATER {
        let file = Scratch::new(&format!("later-{port}.pcap"), &capture(&connection(0, *port, &[*first, *odd], b"")));
        let out = run(&["--json", file.path()]).out;
        let records = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let messages: Vec<_> = records.filter(|record| record["type"] == "message").collect();
        assert_eq!(messages.len(), 2, "{port}: {messages:?}");
        assert!(messages.iter().all(|message| message["protocol"] == *name), "{port}: {messages:?}");
        assert_eq!(messages.iter().map(has_note).collect::<Vec<_>>(), [false, true], "{port}: {messages:?}");
    }
}

/// All messages of a capture: protocol, name and whether they have the note.
fn messages_of(name: &str, packets: &[Vec<u8>]) -> Vec<(String, String, bool)> {
    let file = Scratch::new(name, &capture(packets));
    let out = run(&["--json", file.path()]).out;
    let records = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages = records.filter(|record| record["type"] == "message");
    messages.map(|message| (message["protocol"].to_string(), message["name"].to_string(), has_note(&message))).collect()
}

#[test]
fn messages_with_a_wrong_field_do_not_depend_on_segments() {
    for (number, (port, name, first, odd)) in LATER.iter().enumerate() {
        let whole = messages_of(&format!("whole-{number}.pcap"), &connection(0, *port, &[*first, *odd, *first, *odd], b""));
        assert_eq!(whole.iter().filter(|(.., note)| *note).count(), 2, "{name}: {whole:?}");
        let bytes = [*first, *odd, *first, *odd].concat();
        for step in [1, 3, 7, bytes.len()] {
            let cut: Vec<&[u8]> = bytes.chunks(step).collect();
            let cut = messages_of(&format!("cut-{number}-{step}.pcap"), &connection(0, *port, &cut, b""));
            // Whether the port alone shows the protocol is decided by what arrives first.
            let [cut, whole] =
                [&cut, &whole].map(|all| all.iter().enumerate().map(|(at, (path, name, note))| (path, name, *note || at == 0)));
            assert!(cut.eq(whole), "{name} in segments of {step} bytes");
        }
    }
}

/// Protocols whose messages have a length, recognized by a wrong one on their port.
const FRAMED: [&str; 9] = ["bgp", "pgsql", "amqp", "kafka", "mongo", "kerberos", "tls", "nbss", "dcerpc"];

#[test]
fn a_stream_with_one_wrong_field_keeps_its_name_however_it_is_cut() {
    let framed = || STREAMS.iter().filter(|(_, name, ..)| FRAMED.contains(name));
    for (number, (port, name, client, server)) in framed().enumerate() {
        // The answer of a server alone is that of a client here: segments matter, not sides.
        let bytes = if client.is_empty() { server } else { client };
        let segments: Vec<&[u8]> = bytes.chunks(5).collect();
        let messages = messages_of(&format!("odd-{number}.pcap"), &connection(0, *port, &segments, b""));
        // Five bytes of a header may show the protocol before the wrong field arrives, which leaves out the note.
        assert_eq!(messages.first().map(|(protocol, ..)| protocol.trim_matches('"')), Some(*name), "{port}: {messages:?}");
    }
}

#[test]
fn contents_of_the_session_service_other_than_smb_are_data_inside_it() {
    let contents: [(u16, &[u8]); 2] = [(139, b"\0\0\0\x06abcdef"), (445, b"\0\0\0\x06\xf0SMBxy")];
    for (port, bytes) in contents {
        let messages = first_messages(&format!("contents-{port}.pcap"), &connection(0, port, &[bytes], b""));
        assert!(messages.iter().all(|message| message["path"] == "ip:tcp:nbss:data" && has_note(message)), "{messages:?}");
        assert_eq!(messages.len(), 1, "{port}");
    }
}

/// Wireshark shows them as data.
#[test]
fn keep_alives_of_sip_are_named() {
    let keep_alives: [&[u8]; 4] = [b"\r\n\r\n", b"\r\n", &[0; 4], b"jaK\0"];
    let packets: Vec<Vec<u8>> = keep_alives.iter().enumerate().map(|(number, bytes)| datagram(number, 5060, bytes)).collect();
    let messages = first_messages("keep-alives.pcap", &packets);
    assert_eq!(messages.iter().filter(|message| message["name"] == "keep_alive").count(), keep_alives.len());
    assert!(!messages.iter().any(has_note));
}
