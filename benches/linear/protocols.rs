//! Attacks on each protocol: its smallest messages, very many notes, deep nesting, and much open state.

use super::load::{C, LARGE, Load, S, Session, Speaker, half, word};
use super::pipboy::GREETING;
use super::{Attack, Kind, Writer};
use proto_dissect::input::{Capture, Link};
use std::io::{self, Cursor};

/// A stream: its port, its first bytes, and its repeated bytes.
struct Stream {
    name: &'static str,
    shows: &'static str,
    port: u16,
    before: &'static [(Speaker, &'static [u8])],
    unit: (Speaker, &'static [u8]),
}

const fn stream(
    name: &'static str,
    shows: &'static str,
    port: u16,
    before: &'static [(Speaker, &'static [u8])],
    unit: (Speaker, &'static [u8]),
) -> Stream {
    Stream { name, shows, port, before, unit }
}

const UPGRADE: &[(Speaker, &[u8])] = &[
    (
        C,
        b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ),
    (
        S,
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
          Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
    ),
];
const PREFACE: &[(Speaker, &[u8])] = &[(C, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")];
const OPEN_BLOCK: &[(Speaker, &[u8])] = &[(C, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x01\x01\0\0\0\0\x01\x82")];
const CALL: &[(Speaker, &[u8])] =
    &[(C, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x13\x01\x04\0\0\0\x01\x83\x5f\x10application/grpc")];
const CONNECT: &[(Speaker, &[u8])] = &[(C, b"\x10\x0c\0\x04MQTT\x04\0\0\0\0\0")];
const CHUNKED: &[(Speaker, &[u8])] =
    &[(C, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), (S, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")];
const UNTIL_CLOSED: &[(Speaker, &[u8])] =
    &[(C, b"GET / HTTP/1.0\r\n\r\n"), (S, b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n")];
const MAIL: &[(Speaker, &[u8])] =
    &[(S, b"220 a ESMTP\r\n"), (C, b"EHLO a\r\n"), (S, b"250 a\r\n"), (C, b"DATA\r\n"), (S, b"354 go\r\n")];

const DATABASE: &[(Speaker, &[u8])] = &[
    (S, b"\x2e\0\0\0\x0a5.7.1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    (C, b"\x20\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    (S, b"\x07\0\0\x02\0\0\0\x02\0\0\0"),
];
const TORRENT: &[(Speaker, &[u8])] = &[(C, b"\x13BitTorrent protocol\0\0\0\0\0\0\0\0aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbb")];
const SHELL: &[(Speaker, &[u8])] = &[(S, b"SSH-2.0-a\r\n"), (C, b"SSH-2.0-b\r\n")];

/// Smallest messages, and malformed ones.
const STREAMS: &[Stream] = &[
    stream("http requests", "http", 80, &[], (C, b"GET / HTTP/1.0\r\n\r\n")),
    stream("http secrets of JSON", "http", 80, UNTIL_CLOSED, (S, b"\"pw\":a")),
    stream("http secrets of JSON lists", "http", 80, UNTIL_CLOSED, (S, b"\"pw\":[")),
    stream("http secrets of XML", "http", 80, UNTIL_CLOSED, (S, b"<pw>")),
    stream("http secrets of forms", "http", 80, UNTIL_CLOSED, (S, b"pass=")),
    stream("http chunks", "http", 80, CHUNKED, (S, b"1\r\na\r\n")),
    stream("http headers", "http", 80, &[(C, b"GET / HTTP/1.1\r\n")], (C, b"A: b\r\n")),
    stream("http without lines", "http", 80, &[(C, b"GET / HTTP/1.1\r\nX: ")], (C, b"a")),
    stream("http2 pings", "http2", 8080, PREFACE, (C, b"\0\0\x08\x06\0\0\0\0\0abcdefgh")),
    stream("http2 headers", "http2", 8080, PREFACE, (C, b"\0\0\x08\x01\x04\0\0\0\x01\x82\x86\x84\x40\x01a\x01b")),
    stream("http2 indexes", "http2", 8080, PREFACE, (C, b"\0\0\x08\x01\x04\0\0\0\x01\xbe\xbe\xbe\xbe\xbe\xbe\xbe\xbe")),
    stream("http2 continuations", "http2", 8080, OPEN_BLOCK, (C, b"\0\0\x01\x09\0\0\0\0\x01\x82")),
    stream("http2 bodies", "http2", 8080, PREFACE, (C, b"\0\0\x01\0\0\0\0\0\x01a")),
    stream("grpc messages", "http2", 8080, CALL, (C, b"\0\0\x07\0\0\0\0\0\x01\0\0\0\0\x02\x08\x01")),
    stream("websocket pings", "websocket", 80, UPGRADE, (S, b"\x89\0")),
    stream("websocket fragments", "websocket", 80, UPGRADE, (S, b"\x01\x01a\0\0\x80\0")),
    stream("websocket reserved bits", "websocket", 80, UPGRADE, (S, b"\xb3\0")),
    stream("tls records", "tls", 443, &[], (C, b"\x17\x03\x03\0\x01a")),
    stream(
        "tls handshake bytes",
        "tls",
        443,
        &[(C, b"\x16\x03\x01\0\x01\x01\x16\x03\x01\0\x01\x03\x16\x03\x01\0\x01\0")],
        (C, b"\x16\x03\x01\0\x01\0"),
    ),
    stream("mqtt pings", "mqtt", 1883, CONNECT, (C, b"\xc0\0")),
    stream("mqtt wrong", "mqtt", 1883, CONNECT, (C, b"\xc1\x01a")),
    stream("irc lines", "irc", 6667, &[(C, b"NICK a\r\nUSER a b c d\r\n")], (C, b"A\n")),
    stream("smtp replies", "smtp", 25, &[(S, b"220 a\r\n"), (C, b"EHLO a\r\n")], (S, b"250-a\r\n")),
    stream("smtp mail", "smtp", 25, MAIL, (C, b".\r")),
    stream("ftp addresses", "ftp", 21, &[(S, b"220 a\r\n")], (S, b"227 Entering Passive Mode (10,1,2,3,4,5)\r\n")),
    stream("ftp replies", "ftp", 21, &[(S, b"220 a\r\n")], (S, b"2\r\n")),
    stream("sip headers", "sip", 5060, &[(C, b"INVITE sip:a@b SIP/2.0\r\n")], (C, b"Via: x\r\n")),
    stream("dns questions", "dns", 53, &[], (C, b"\0\x0c\0\x01\x01\0\0\0\0\0\0\0\0\0")),
    stream("mysql packets", "mysql", 3306, DATABASE, (C, b"\x01\0\0\0\x0e")),
    stream("ssh packets", "ssh", 22, SHELL, (C, b"\0\0\0\x0c\x06\x02\0\0\0\0\0\0\0\0\0\0")),
    stream("pipboy keep-alives", "pipboy", 27000, GREETING, (S, b"\0\0\0\0\0")),
    stream("pipboy unknown types", "pipboy", 27000, GREETING, (S, b"\0\0\0\0\x7f")),
    stream("pipboy wrong flags", "pipboy", 27000, GREETING, (S, b"\x06\0\0\0\x03\0\x01\0\0\0\x07")),
    stream("xfire packets", "xfire", 25999, &[(C, b"UA01")], (C, b"\x05\0\x01\0\0")),
    stream("minecraft packets", "minecraft", 25565, &[(C, b"\x07\0\x47\x01a\0\x50\x01")], (C, b"\x01\0")),
    stream("vscp heads", "vscp", 5126, &[(C, b"hello\0\x06\x01")], (C, b"\0\0\0\x01\0\0\0\x01\0\0\0\x0c\0\0\0\0")),
    stream("socks logins", "socks", 1080, &[(C, b"\x05\x01\x02"), (S, b"\x05\x02")], (C, b"\x01\x01a\x01b")),
    stream("bittorrent keep-alives", "bittorrent", 6881, TORRENT, (C, b"\0\0\0\0")),
    stream("bittorrent dictionaries", "bittorrent", 6881, TORRENT, (C, b"\0\0\0\x0c\x14\x01d1:ali1eee")),
    stream("bncs pings", "bncs", 6112, &[(C, b"\x01\xff\x25\x08\0abcd")], (C, b"\xff\x25\x08\0abcd")),
    stream("terraria messages", "terraria", 7777, &[(C, b"\x0f\0\x01\x0bTerraria279")], (C, b"\x03\0\x06")),
    stream("openvpn packets", "openvpn", 1194, &[], (C, b"\0\x0e\x38abcdefgh\0\0\0\0\0")),
    stream("amqp heartbeats", "amqp", 5672, &[(C, b"AMQP\0\0\x09\x01")], (C, b"\x08\0\0\0\0\0\0\xce")),
    stream(
        "bgp keep-alives",
        "bgp",
        179,
        &[],
        (C, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\x13\x04"),
    ),
    stream("dcerpc fragments", "dcerpc", 135, &[], (C, b"\x05\0\0\0\x10\0\0\0\x18\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0")),
    stream("imap commands", "imap", 143, &[(S, b"* OK IMAP4rev1 ready\r\n")], (C, b"a NOOP\r\n")),
    stream("imap literals", "imap", 143, &[(S, b"* OK IMAP4rev1 ready\r\n")], (C, b"a {1+}\r\nb\r\n")),
    stream("kafka requests", "dissect.evicted", 9092, &[], (C, b"\0\0\0\x0a\0\x12\0\0\0\0\0\x07\xff\xff")),
    stream("ldap abandons", "ldap", 389, &[], (C, b"0\x06\x02\x01\x01P\x01\x01")),
    stream("mongodb commands", "mongo", 27_017, &[], (C, b"\x1a\0\0\0\x01\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0\x05\0\0\0\0")),
    stream("nats pings", "nats", 4222, &[(S, b"INFO {\"server_id\":\"N1\"}\r\n")], (C, b"PING\r\n")),
    stream("netbios keep-alives", "nbss", 139, &[], (C, b"\x85\0\0\0")),
    stream("pop3 commands", "dissect.evicted", 110, &[(S, b"+OK POP3 ready\r\n")], (C, b"NOOP\r\n")),
    stream("postgresql syncs", "pgsql", 5432, &[(C, b"\0\0\0\x10\0\x03\0\0user\0a\0\0")], (C, b"S\0\0\0\x04")),
    stream("xmpp text", "data", 5222, &[(C, b"<stream:stream to='a' xmlns='jabber:client'>")], (C, b"<a")),
    stream("redis counts", "data", 6379, &[(C, b"*1\r\n$4\r\nPING\r\n")], (C, b"*a\n")),
    stream("redis arrays", "resp", 6379, &[(C, b"*1\r\n$4\r\nPING\r\n")], (S, b"*1\r\n")),
    stream("redis replies", "resp", 6379, &[(C, b"*1\r\n$4\r\nPING\r\n")], (S, b"+OK\r\n")),
    stream("rtsp requests", "rtsp", 554, &[], (C, b"OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n")),
    stream("telnet options", "telnet", 23, &[], (S, b"\xff\xfb\x01")),
    stream("unknown bytes", "data", 9999, &[], (C, b"\0")),
];

/// Streams that are dissected again after a hole. Others become data there.
const RESUMED: &[&str] = &[
    "http requests",
    "tls records",
    "tls handshake bytes",
    "mqtt pings",
    "mqtt wrong",
    "irc lines",
    "xmpp text",
    "redis counts",
    "smtp replies",
    "smtp mail",
    "ftp addresses",
    "ftp replies",
    "dns questions",
    "bittorrent dictionaries",
    "bncs pings",
    "openvpn packets",
    "unknown bytes",
];

/// Those of them in which no message is certain: the bytes behind a hole may be a secret, so they are masked data.
const MASKED: &[&str] = &["mqtt wrong", "irc lines"];

/// Datagrams from one host, and from very many.
const DATAGRAMS: &[(&str, &str, u16, &[u8])] = &[
    ("dns questions", "dns", 53, b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\x03www\x07example\x03com\0\0\x01\0\x01"),
    ("dhcp", "dhcp", 67, b"\x01\x01\x06\0"),
    ("snmp", "snmp", 161, b"0\x03\x02\x01\0"),
    ("ntp", "ntp", 123, b"\x23\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    ("stun", "stun", 3478, b"\0\x01\0\0\x21\x12\xa4\x42abcdefghijkl"),
    ("tftp", "tftp", 69, b"\0\x03\0\x01abcdefgh"),
    ("a2s", "a2s", 27015, b"\xff\xff\xff\xffTSource Engine Query\0"),
    ("raknet", "raknet", 8192, b"\x84\0\0\0\0\0\x08a"),
    ("syslog", "syslog", 514, b"<1>a"),
    ("vcmp", "vcmp.query", 5192, b"VCMP\x0a\0\0\x01\x20\x14i"),
    ("bt-dht", "bt-dht", 6881, b"d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe"),
    ("bt-utp", "bt-utp", 6881, b"\x41\0abcdef\0\0\0\0\0\x10\0\0\0\x01\0\0"),
    ("wg", "wg", 51820, b"\x04\0\0\0abcdefghijklmnopqrstuvwxyz01"),
    ("quake", "quake", 26000, b"\x80\0\0\x0c\x02QUAKE\0\x03"),
    ("sip", "sip", 5060, b"OPTIONS sip:a SIP/2.0\r\nCSeq: 1 OPTIONS\r\n\r\n"),
];

/// Sessions whose copies stay open, with other addresses, and the same with truncated frames.
const SAMPLES: &[(&str, &str, &[u8])] = &[
    ("accounts", "imap", include_bytes!("../../samples/accounts.pcap")),
    ("games", "unreal", include_bytes!("../../samples/games.pcap")),
    ("gateways", "isakmp", include_bytes!("../../samples/gateways.pcap")),
    ("http", "http", include_bytes!("../../samples/http.pcap")),
    ("http2", "http2", include_bytes!("../../samples/http2.pcap")),
    ("neighbours", "tcp", include_bytes!("../../samples/neighbours.pcap")),
    ("pipboy", "pipboy", include_bytes!("../../samples/pipboy.pcap")),
    ("proxies", "socks", include_bytes!("../../samples/proxies.pcap")),
    ("queries", "raknet", include_bytes!("../../samples/queries.pcap")),
    ("quic", "quic", include_bytes!("../../samples/quic.pcap")),
    ("runescape", "rs", include_bytes!("../../samples/runescape.pcap")),
    ("runescape cache", "rs", include_bytes!("../../samples/runescape-cache.pcap")),
    ("servers", "amqp", include_bytes!("../../samples/servers.pcap")),
    ("talk", "dns", include_bytes!("../../samples/talk.pcap")),
    ("tls", "tls", include_bytes!("../../samples/tls.pcap")),
    ("torrents", "bittorrent", include_bytes!("../../samples/torrents.pcap")),
    ("vcmp", "vcmp", include_bytes!("../../samples/vcmp-rel006.pcap")),
    ("vcmp 0.4.7.1", "vcmp", include_bytes!("../../samples/vcmp-0471.pcap")),
    ("webrtc", "dtls", include_bytes!("../../samples/webrtc.pcapng")),
    ("windows", "smb2", include_bytes!("../../samples/windows.pcap")),
    ("vscp", "vscp", include_bytes!("../../samples/vscp.pcap")),
    ("xfire", "xfire", include_bytes!("../../samples/xfire-packets.pcap")),
];

type Write = fn(&mut Load) -> io::Result<()>;

const NESTED: &[(&str, &str, Write)] = &[
    ("dns pointers", "dns", dns_pointers),
    ("snmp sequences", "snmp", snmp_sequences),
    ("dhcp options", "dhcp", dhcp_options),
    ("librpc arrays", "librpc", librpc_arrays),
    ("json arrays", "http", json_arrays),
    ("json members", "http", json_members),
    ("raknet parts", "raknet", raknet_parts),
];

pub fn all() -> Vec<Attack> {
    let mut all = Vec::new();
    let mut add = |name: String, shows, write: Box<Writer>| {
        all.push(Attack { name, shows, kind: Kind::Frames(101), views: super::VIEWS, write })
    };
    for stream in STREAMS {
        add(stream.name.to_owned(), stream.shows, Box::new(|load| in_large_segments(stream, load)));
        if RESUMED.contains(&stream.name) {
            let shows = if MASKED.contains(&stream.name) { "data" } else { stream.shows };
            add(format!("{}, a hole", stream.name), shows, Box::new(|load| after_gaps(stream, load)));
        }
    }
    for (name, shows, port, bytes) in DATAGRAMS {
        add(format!("{name}, one host"), shows, Box::new(|load| datagrams(load, *port, bytes, false)));
        add(format!("{name}, many hosts"), shows, Box::new(|load| datagrams(load, *port, bytes, true)));
    }
    for (name, shows, bytes) in SAMPLES {
        add(format!("sample {name}"), shows, Box::new(|load| copies(load, bytes, false)));
        add(format!("sample {name}, cut"), "ip", Box::new(|load| copies(load, bytes, true)));
    }
    for (name, shows, write) in NESTED {
        add((*name).to_owned(), shows, Box::new(*write));
    }
    all
}

fn begun<'l>(stream: &Stream, load: &'l mut Load, number: u32) -> io::Result<Session<'l>> {
    let mut talk = Session::number(load, number, stream.port)?;
    for (from, bytes) in stream.before {
        talk.say(*from, bytes)?;
    }
    Ok(talk)
}

fn in_large_segments(stream: &Stream, load: &mut Load) -> io::Result<()> {
    begun(stream, load, 0)?.repeat(stream.unit.0, LARGE, stream.unit.1)
}

/// As many bytes after each hole as are buffered there.
fn after_gaps(stream: &Stream, load: &mut Load) -> io::Result<()> {
    let mut number = 0;
    while load.is_within_limit() {
        begun(stream, load, number)?.after_gap(stream.unit.0, stream.unit.1)?;
        number += 1;
    }
    Ok(())
}

fn datagrams(load: &mut Load, port: u16, bytes: &[u8], many: bool) -> io::Result<()> {
    while load.is_within_limit() {
        let own = half(1024 + load.next() as usize % 60_000);
        if many { load.udp_from(load.next(), [own, port], bytes)? } else { load.udp([1024, port], bytes)? }
    }
    Ok(())
}

/// The first two thirds of a session repeatedly, each time between other hosts.
fn copies(load: &mut Load, capture: &[u8], cut: bool) -> io::Result<()> {
    const ETHERNET: usize = 14;
    let mut input = Capture::open(Box::new(Cursor::new(capture.to_vec()))).map_err(io::Error::other)?;
    let mut packets: Vec<Vec<u8>> = Vec::new();
    while let Ok(Some(frame)) = input.next_frame() {
        let packet = frame.bytes.get(ETHERNET..).unwrap_or_default();
        if frame.link == Link::Type(1) && packet.first() == Some(&0x45) {
            packets.push(packet.to_vec());
        }
    }
    packets.truncate(packets.len() * 2 / 3 + 1);
    let mut round: u32 = 0;
    while load.is_within_limit() && !packets.is_empty() {
        let [_, high, low, _] = (round << 8).to_be_bytes();
        for packet in &packets {
            let mut packet = packet.clone();
            for byte in [12, 16] {
                if let Some([first, second]) = packet.get_mut(byte..byte + 2) {
                    (*first, *second) = (*first ^ high, *second ^ low);
                }
            }
            load.cut(&packet, if cut { packet.len() * 2 / 3 } else { packet.len() })?;
        }
        round += 1;
    }
    Ok(())
}

/// Names with pointers to names, each through the maximum number.
fn dns_pointers(load: &mut Load) -> io::Result<()> {
    const FIRST: u16 = 12;
    let mut body = b"\x01a\0\0\x01\0\x01\xc0\x0c\0\x10\0\x01\0\0\0\0".to_vec();
    let (mut chain, mut before) = (Vec::new(), FIRST);
    let start = 12 + body.len() + 2;
    while chain.len() < 508 {
        let at = half(start + chain.len());
        chain.extend(b"\x01b");
        chain.extend((0xc000 | before).to_be_bytes());
        before = at;
    }
    body.extend(half(chain.len()).to_be_bytes());
    body.extend(&chain);
    let pointer = (0xc000 | before).to_be_bytes();
    let mut records = 1;
    while body.len() < LARGE {
        body.extend(pointer);
        body.extend(b"\0\x05\0\x01\0\0\0\0\0\x02");
        body.extend(pointer);
        records += 1;
    }
    let mut message = vec![0, 1, 0x81, 0x80, 0, 1];
    message.extend(half(records).to_be_bytes());
    message.extend([0; 4]);
    message.extend(body);
    while load.is_within_limit() {
        load.udp([53, 4000], &message)?;
    }
    Ok(())
}

/// A BER value with a length of three bytes.
fn ber(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut value = vec![tag, 0x82];
    value.extend(half(content.len()).to_be_bytes());
    value.extend(content);
    value
}

fn snmp_sequences(load: &mut Load) -> io::Result<()> {
    let one = ber(0x30, &[ber(6, b"\x2b\x06\x01\x02\x01"), ber(5, b"")].concat());
    let bindings = ber(0x30, &one.repeat(3000));
    let pdu = ber(0xa0, &[ber(2, b"\x01"), ber(2, b"\0"), ber(2, b"\0"), bindings].concat());
    let message = ber(0x30, &[b"\x02\x01\x01".to_vec(), ber(4, b"public"), pdu].concat());
    while load.is_within_limit() {
        load.udp([4000, 161], &message)?;
    }
    Ok(())
}

fn dhcp_options(load: &mut Load) -> io::Result<()> {
    let mut message = b"\x01\x01\x06\0".to_vec();
    message.resize(236, 0);
    message.extend(b"\x63\x82\x53\x63\x35\x01\x01");
    message.extend(b"\x0c\x01a".repeat(20_000));
    while load.is_within_limit() {
        load.udp([68, 67], &message)?;
    }
    Ok(())
}

fn librpc_arrays(load: &mut Load) -> io::Result<()> {
    let mut value = b"o".to_vec();
    while value.len() < LARGE {
        let len = word(value.len()).to_be_bytes();
        value.splice(0..0, [b'a', len[0], len[1], len[2], len[3]]);
    }
    let body = [b"\0\x01f".as_slice(), &value].concat();
    let message = [b"\0\0\0\x40F".as_slice(), &word(body.len()).to_be_bytes(), &body].concat();
    while load.is_within_limit() {
        load.udp([1, 2], &message)?;
    }
    Ok(())
}

fn json_body(load: &mut Load, body: &[u8]) -> io::Result<()> {
    let mut number = 0;
    while load.is_within_limit() {
        let mut talk = Session::number(load, number, 80)?;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        talk.say(S, head.as_bytes())?;
        talk.say(S, body)?;
        number += 1;
    }
    Ok(())
}

fn json_arrays(load: &mut Load) -> io::Result<()> {
    json_body(load, &b"[".repeat(200_000))
}

fn json_members(load: &mut Load) -> io::Result<()> {
    json_body(load, &[b"{".as_slice(), &b"\"k\":1,".repeat(30_000), b"\"k\":1}"].concat())
}

fn raknet_parts(load: &mut Load) -> io::Result<()> {
    while load.is_within_limit() {
        let number = load.next();
        let mut datagram = vec![0x84];
        datagram.extend(number.to_le_bytes().iter().take(3));
        for part in 0..20 {
            let id = number * 20 + part;
            datagram.extend([0x50, 0, 80]);
            datagram.extend(id.to_le_bytes().iter().take(3));
            datagram.extend((1_u32 << 13).to_be_bytes());
            datagram.extend(half(id as usize & 0xffff).to_be_bytes());
            datagram.extend([0; 4]);
            datagram.extend([0xfe; 10]);
        }
        load.udp_from(number, [50_000, 8192], &datagram)?;
    }
    Ok(())
}
