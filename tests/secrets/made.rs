//! Captures that contain a secret.

use super::SECRET;
use etherparse::PacketBuilder;
use std::fs;
use std::path::PathBuf;

/// A capture of raw IP packets that is removed at the end.
pub struct Capture {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// Ports for segmentations.
    pub ports: std::ops::RangeFrom<u16>,
}

impl Capture {
    pub fn new(name: &str) -> Capture {
        let path = std::env::temp_dir().join(format!("proto-dissect-secrets-{}-{name}.pcap", std::process::id()));
        Capture { path, bytes: b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\x65\0\0\0".to_vec(), ports: 20_000.. }
    }

    pub fn packet(&mut self, packet: &[u8]) {
        self.cut_packet(packet, packet.len());
    }

    /// A truncated packet.
    pub fn cut_packet(&mut self, packet: &[u8], captured: usize) {
        let lengths = [captured as u32, packet.len() as u32].map(u32::to_le_bytes).concat();
        self.bytes.extend([&[0; 8], &lengths[..], &packet[..captured]].concat());
    }

    /// Two sides of a connection; the client's last message is in these segments.
    pub fn connection(&mut self, ports: (u16, u16), before: &[(bool, &[u8])], last: &[&[u8]], ends: bool) {
        let mut seq = [100, 500];
        let mut send = |from_client: bool, flags: &str, payload: &[u8]| {
            let (own, other) = if from_client { (0, 1) } else { (1, 0) };
            let ends = if from_client { ([10, 0, 0, 1], [10, 0, 0, 2]) } else { ([10, 0, 0, 2], [10, 0, 0, 1]) };
            let (source, target) = if from_client { ports } else { (ports.1, ports.0) };
            let builder = PacketBuilder::ipv4(ends.0, ends.1, 64).tcp(source, target, seq[own], 1000);
            let builder = match flags {
                "S" => builder.syn(),
                "SA" => builder.syn().ack(seq[other]),
                "F" => builder.fin().ack(seq[other]),
                _ => builder.ack(seq[other]),
            };
            let mut packet = Vec::new();
            builder.write(&mut packet, payload).unwrap();
            self.packet(&packet);
            seq[own] += payload.len() as u32 + u32::from(flags.contains('S')) + u32::from(flags == "F");
        };
        send(true, "S", b"");
        send(false, "SA", b"");
        before.iter().for_each(|(from_client, payload)| send(*from_client, "", payload));
        last.iter().for_each(|payload| send(true, "", payload));
        if ends {
            send(true, "F", b"");
            send(false, "F", b"");
        }
    }

    /// Exchanges the last two packets, with these payloads.
    pub fn swap_last(&mut self, first: &[u8], second: &[u8]) {
        let [first, second] = [first, second].map(|payload| 16 + 40 + payload.len());
        let begin = self.bytes.len() - first - second;
        self.bytes[begin..].rotate_left(first);
    }

    /// Removes the packet with this payload, before the last one with a payload and the two that end the connection.
    pub fn lose(&mut self, lost: &[u8], last: &[u8]) {
        let [lost, last, end] = [lost, last, b""].map(|payload| 16 + 40 + payload.len());
        let begin = self.bytes.len() - 2 * end - last - lost;
        self.bytes.drain(begin..begin + lost);
    }

    pub fn file(&self) -> &str {
        fs::write(&self.path, &self.bytes).unwrap();
        self.path.to_str().unwrap()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

pub fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(5000, port).write(&mut packet, payload).unwrap();
    packet
}

/// A packet of a protocol directly above IP.
pub fn ip(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).write(&mut packet, etherparse::IpNumber(protocol), payload).unwrap();
    packet
}

/// An OSPF Hello with a simple password of eight bytes.
pub fn ospf(password: &[u8; 8]) -> Vec<u8> {
    let header = b"\x02\x01\0\x2c\xc0\0\x02\x01\0\0\0\0\xba\xac\0\x01";
    let hello = b"\xff\xff\xff\0\0\x0a\x02\x01\0\0\0\x28\0\0\0\0\0\0\0\0";
    ip(89, &[&header[..], password, hello].concat())
}

/// A VRRP advertisement with a password of eight bytes.
pub fn vrrp(password: &[u8; 8]) -> Vec<u8> {
    ip(112, &[b"\x21\x07\x64\x01\x01\x01\xba\xac\xc0\0\x02\x01", &password[..]].concat())
}

/// A response of classic STUN with the secret as password.
pub fn classicstun() -> Vec<u8> {
    let attribute = |kind: u8, value: &[u8]| [&[0, kind, 0, value.len() as u8], value].concat();
    let attributes = [attribute(6, b"user"), attribute(7, SECRET.as_bytes()), attribute(8, &[0xa5; 20])].concat();
    [&[1, 2, 0, attributes.len() as u8], &[0xa5; 16][..], &attributes].concat()
}

/// A command for the remote console of SA-MP.
pub fn samp() -> Vec<u8> {
    let secret = SECRET.as_bytes();
    [b"SAMP\xc0\0\x02\x01\x61\x1ex", &[secret.len() as u8, 0][..], secret, b"\x04\0help"].concat()
}

/// A RADIUS request with the secret in each password attribute.
pub fn radius() -> Vec<u8> {
    let secret = SECRET.as_bytes();
    let password = [secret, &[0; 3]].concat();
    let attribute = |kind: u8, value: &[u8]| [&[kind, value.len() as u8 + 2], value].concat();
    let attributes = [
        attribute(1, b"a"),
        attribute(2, &password),
        attribute(3, &[&[7], &password[..]].concat()),
        attribute(69, &[&[0, 0x80, 1], &password[..]].concat()),
    ]
    .concat();
    [&[1, 5, 0, 20 + attributes.len() as u8], &[0xa5; 16][..], &attributes].concat()
}

/// A BER element.
fn ber(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, content.len() as u8], content].concat()
}

/// LDAP requests with the secret: two binds, an added entry, an extended operation.
pub fn ldap() -> [Vec<u8>; 4] {
    let secret = SECRET.as_bytes();
    let bind = |how: Vec<u8>| ber(0x60, &[&ber(2, &[3])[..], &ber(4, b"cn=a"), &how].concat());
    let sasl = ber(0xa3, &[ber(4, b"PLAIN"), ber(4, secret)].concat());
    let attribute = ber(0x30, &[ber(4, b"userPassword"), ber(0x31, &ber(4, secret))].concat());
    let add = ber(0x68, &[ber(4, b"cn=b"), ber(0x30, &attribute)].concat());
    let extended = ber(0x77, &[ber(0x80, b"1.3.6.1.4.1.4203.1.11.1"), ber(0x81, secret)].concat());
    let message = |operation: Vec<u8>| ber(0x30, &[ber(2, &[9]), operation].concat());
    [bind(ber(0x80, secret)), bind(sasl), add, extended].map(message)
}

/// Messages before a PostgreSQL password.
pub const POSTGRESQL: &[(bool, &[u8])] = &[(true, b"\0\0\0\x10\0\x03\0\0user\0a\0\0"), (false, b"R\0\0\0\x08\0\0\0\x03")];

/// A PostgreSQL password.
pub fn postgresql() -> Vec<u8> {
    [&[b'p', 0, 0, 0, SECRET.len() as u8 + 5], SECRET.as_bytes(), &[0]].concat()
}

/// An ICMP error that quotes a packet.
pub fn quoted(packet: &[u8]) -> Vec<u8> {
    let body = [&[3, 3, 0, 0, 0, 0, 0, 0], packet].concat();
    let mut outer = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).write(&mut outer, etherparse::IpNumber::ICMP, &body).unwrap();
    outer
}

/// SNMP version 2c: a request with the secret as its community.
pub fn snmp() -> Vec<u8> {
    let pdu = b"\xa0\x19\x02\x01\x01\x02\x01\0\x02\x01\0\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x01\0\x05\0";
    let length = 3 + 2 + SECRET.len() + pdu.len();
    [&[0x30, length as u8, 2, 1, 1, 4, SECRET.len() as u8], SECRET.as_bytes(), pdu].concat()
}

/// A text after its two-byte length.
pub fn counted(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

/// MQTT: a CONNECT of version 5 with the secret as password and authentication data.
pub fn mqtt() -> Vec<u8> {
    let properties = [&[0x15][..], &counted("m"), &[0x16], &counted(SECRET)].concat();
    let body = [
        &counted("MQTT"),
        &[5, 0xc2, 0, 60, properties.len() as u8][..],
        &properties,
        &counted("c"),
        &counted("u"),
        &counted(SECRET),
    ]
    .concat();
    [&[0x10, body.len() as u8][..], &body].concat()
}

/// HTTP/2: the connection preface.
pub const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn http2_frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream], payload].concat()
}

/// HTTP/2: a request with the secret in headers and in its path, plain and Huffman-encoded.
fn http2_block() -> Vec<u8> {
    let literal = |prefix: &[u8], value: &str| [prefix, &[value.len() as u8], value.as_bytes()].concat();
    let own = |name: &str| [&[0x40, name.len() as u8][..], name.as_bytes()].concat();
    [
        &b"\x83\x86"[..],
        &literal(b"\x44", &format!("/?token={SECRET}")),
        &literal(b"\x1f\x08", &format!("Bearer {SECRET}")),
        &literal(b"\x1f\x22", SECRET),
        &literal(b"\x60", &format!("a={SECRET}")),
        &literal(b"\x77", SECRET),
        &literal(&own("x-api-token"), SECRET),
        // A cookie in the Huffman code.
        b"\x60\x89\xc7\x6d\x49\x2d\x82\x41\x49\x61\x53",
    ]
    .concat()
}

/// HTTP/2: this request in one frame.
pub fn http2_request() -> Vec<u8> {
    http2_frame(1, 5, 1, &http2_block())
}

/// HTTP/2: the same in two frames, a body with the secret, and requests with the secret by index and in a malformed block.
pub fn http2() -> Vec<u8> {
    let block = http2_block();
    let (begin, rest) = block.split_at(10);
    let body = format!("{{\"password\": \"{SECRET}\"}}");
    [
        http2_frame(1, 0, 1, begin),
        http2_frame(9, 4, 1, rest),
        http2_frame(0, 1, 1, body.as_bytes()),
        // The newest entries of the dynamic table.
        http2_frame(1, 5, 3, b"\x82\x86\x84\xbe\xbf\xc0\xc1"),
        // A block truncated by the end of its frame.
        http2_frame(1, 5, 5, &[&b"\x82\x60\x70"[..], SECRET.as_bytes()].concat()),
    ]
    .concat()
}

/// A login of RuneScape: its block is unencrypted, with the secret as its password and after it, or it is the secret.
pub fn runescape(in_clear: bool) -> Vec<u8> {
    let clear = [&[10; 1][..], &[7; 20], b"maren\n", SECRET.as_bytes(), b"\n", SECRET.as_bytes()].concat();
    let block = if in_clear { clear } else { SECRET.as_bytes().to_vec() };
    let rest = [&[225, 0][..], &[9; 36], &[block.len() as u8], &block].concat();
    [&[16, rest.len() as u8][..], &rest].concat()
}

/// RakNet: a connection request with the secret as its password, in a datagram with one unreliable message.
pub fn raknet() -> Vec<u8> {
    let request = [&[9; 1][..], &[1; 8], &[0; 9], SECRET.as_bytes()].concat();
    [&[0x84, 0, 0, 0, 0][..], &(request.len() as u16 * 8).to_be_bytes(), &request].concat()
}

/// Bedrock: a login with the secret among its signed tokens, in a RakNet datagram with one unreliable message.
pub fn bedrock() -> Vec<u8> {
    let chain = format!("{{\"chain\":[\"{SECRET}.{}\"]}}", "x".repeat(60));
    let text = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let texts = [text(&chain), text("a.b.c")].concat();
    let login = [&[1, 0, 0, 2, 0x89, texts.len() as u8][..], &texts].concat();
    assert!(login.len() < 128, "lengths are a byte each");
    let message = [&[0xfe, login.len() as u8][..], &login].concat();
    [&[0x84, 1, 0, 0, 0][..], &(message.len() as u16 * 8).to_be_bytes(), &message].concat()
}

/// An Xfire text attribute.
pub fn attribute(name: &str, text: &str) -> Vec<u8> {
    [&[name.len() as u8], name.as_bytes(), &[1, text.len() as u8, 0], text.as_bytes()].concat()
}

/// Xfire: a login with the secret as its digest.
pub fn xfire() -> Vec<u8> {
    let body = [attribute("name", "u"), attribute("password", SECRET)].concat();
    [&(body.len() as u16 + 5).to_le_bytes()[..], &[1, 0, 2], &body].concat()
}

/// A SIP request with this body.
pub fn sip(headers: &str, body: &str) -> Vec<u8> {
    let body = body.replace("SECRET", SECRET);
    let length = body.len();
    let head = format!("INVITE sip:a@h SIP/2.0\r\nVia: SIP/2.0/UDP h\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    head.replace("SECRET", SECRET).into_bytes()
}

/// Media keys in every SDP format.
pub const KEYS: &str = "v=0\r\no=- 1 1 IN IP4 h\r\ns=-\r\nc=IN IP4 1.2.3.4\r\nt=0 0\r\nk=clear:SECRET\r\nm=audio 9 RTP/SAVP 0\r\n\
                    a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:SECRET|2^20\r\na=ice-pwd:SECRET\r\n";
pub const DIGEST: &str =
    "Authorization: Digest username=\"a\", response=\"SECRET\"\r\nProxy-Authorization: Digest response=\"SECRET\"\r\n";

/// A MySQL login with the secret in clear.
pub fn mysql() -> [(bool, Vec<u8>); 2] {
    let mut greeting = b"\x32\0\0\0\x0a5.5.40-test\0\x07\0\0\0saltsalt\0".to_vec();
    greeting.resize(54, 1);
    let password = [&[SECRET.len() as u8 + 1][..], SECRET.as_bytes(), b"\0mysql_clear_password\0"].concat();
    let login = [&b"\x05\xa6\x0f\0\0\0\0\x01\x21"[..], &[0; 23], b"root\0", &password].concat();
    [(false, greeting), (true, [&[login.len() as u8, 0, 0, 1], &login[..]].concat())]
}

/// A WebSocket frame with this text; client frames are masked.
pub fn websocket(opcode: u8, text: &str, from_client: bool) -> Vec<u8> {
    let key = [1, 2, 3, 4];
    let length = text.len() as u8;
    match from_client {
        true => {
            let masked = text.bytes().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key);
            [&[0x80 | opcode, 0x80 | length][..], &key, &masked.collect::<Vec<_>>()].concat()
        }
        false => [&[0x80 | opcode, length][..], text.as_bytes()].concat(),
    }
}

/// The upgrade to WebSocket.
pub const UPGRADE: [(bool, &[u8]); 2] = [
    (
        true,
        b"GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \
             dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ),
    (
        false,
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \
              s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
    ),
];

/// A datagram in two fragments, the first with this many bytes.
pub fn fragments(datagram: &[u8], first: usize) -> [Vec<u8>; 2] {
    let (header, payload) = datagram.split_at(20);
    [(0x2000, &payload[..first]), (first as u16 / 8, &payload[first..])].map(|(place, part)| {
        let mut packet = [header, part].concat();
        packet[2..4].copy_from_slice(&(20 + part.len() as u16).to_be_bytes());
        packet[6..8].copy_from_slice(&place.to_be_bytes());
        packet
    })
}

/// An A2S response with a rule that has the secret as its value.
pub fn rules() -> Vec<u8> {
    [b"\xff\xff\xff\xffE\x01\0rcon_password\0", SECRET.as_bytes(), b"\0"].concat()
}

/// A session of OpenSSL (TLS 1.2, PSK-AES128-GCM-SHA256): whether the client is the sender, and the bytes. It contains a request
/// and a response with the secret in the URL, Authorization, Cookie, Set-Cookie and JSON.
pub const TLS: [(bool, &str); 6] = [
    (
        true,
        "1603010067010000630303e89d5b6382ac8338eb8d5d7bad57bdaf20e2040463c2efabd04b3ca4fc55f08000000400a800ff0100003600\
     16000000170000000d002a0028040305030603080708080809080a080b080408050806040105010601030303010302040205020602",
    ),
    (
        false,
        "1603030055020000510303b86b224ea292e3616015784d462baa63217b4fdb92da1368b8c76205e89339052009d16ed28d6d39c3a309d1\
     a2f4eef4827a88c8ac44945010dbddc94cef6c515800a8000009ff010001000017000016030300070c00000300016816030300040e0000\
     00",
    ),
    (
        true,
        "160303001510000011000f436c69656e745f6964656e7469747914030300010116030300289d6813c9dd3f09a97fa6a455b0dec2e61f33\
     a8fd404c4c29ad7fde3f328ce603c3155b07ceff77c5",
    ),
    (false, "14030300010116030300285933b3a4009640a16cc0857e7e0b60377df1ed4b72584add35b92b8634fe187d09ab81367dda4c26"),
    (
        true,
        "17030300939d6813c9dd3f09aa247e553726cb8c6848b4cb9e73b9fb0c52d2d43da95639df10296110e4c0080ae6d6bc50ad27487f2ac0\
     bab2a69caff54e5f3a657d3c70b25b29f25085d5821f292cf381600d3c3e5e04363e3c055835d0c2e30df8b5754c8558a154af236c3af5\
     ab5979579cb2180cd91e22fc5e0d63a9a65c5fe26d54d553e5211956e555665c4014eef746f7e9755658",
    ),
    (
        false,
        "17030300995933b3a4009640a28490516850bb8b3b6311ee2c01a9e4c730f8a4fdf94dbd562ca7f8662c337503b0fe353900a00f5ff1a9\
     f6b393c6acbafc298b4944e99994b5255e25c19d80713127b33563161be5332d2a94ddc6b0712be16a6a2e27a5ed7e76fc0d5e99abbdc2\
     43060e977c212438089f1f950e593013a33db20d4271c08b5fdbb92b9051b40ea748d5538c8b0969feb9d98f779623df",
    ),
];

/// The line of the key log that decrypts it.
pub const KEY_LOG: &str = "CLIENT_RANDOM e89d5b6382ac8338eb8d5d7bad57bdaf20e2040463c2efabd04b3ca4fc55f080 \
     b7d7dd28141efd35a163356d479b660d209d811c5df8f0de0dc8ea402ac0253e3fa0b54edf20d268cde1bb45781e3795";

/// AMQP: a SASL response to the start of a connection.
pub fn amqp() -> Vec<u8> {
    let arguments = [&b"\0\x0a\0\x0b\0\0\0\0\x05PLAIN\0\0\0\x0d"[..], SECRET.as_bytes(), b"\x05en_US"].concat();
    [&[1, 0, 0, 0, 0, 0, arguments.len() as u8][..], &arguments, &[0xce]].concat()
}

/// Kafka: a SASL login.
pub fn kafka() -> Vec<u8> {
    let request = [&b"\0\x24\0\0\0\0\0\x09\0\x04anna\0\0\0\x0d"[..], SECRET.as_bytes()].concat();
    [&[0, 0, 0, request.len() as u8][..], &request].concat()
}

/// MongoDB: a SASL login, and a new user.
pub fn mongodb() -> Vec<u8> {
    let message = |elements: &[u8]| {
        let document = [&[elements.len() as u8 + 5, 0, 0, 0][..], elements, &[0]].concat();
        let head = [document.len() as u8 + 21, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xdd, 7, 0, 0, 0, 0, 0, 0, 0];
        [&head[..], &document].concat()
    };
    let login = [&b"\x10saslStart\0\x01\0\0\0\x05payload\0\x0d\0\0\0\0"[..], SECRET.as_bytes()].concat();
    let user = [&b"\x02createUser\0\x02\0\0\0a\0\x02pwd\0\x0e\0\0\0"[..], SECRET.as_bytes(), b"\0"].concat();
    [message(&login), message(&user)].concat()
}

/// SMB 2: a session setup, in a session message.
pub fn smb2() -> Vec<u8> {
    let head = [&b"\xfeSMB\x40\0\x01\0\0\0\0\0\x01\0\x01\0"[..], &[0; 48]].concat();
    let body = [&b"\x19\0\0\x01\0\0\0\0\0\0\0\0\x58\0\x0d\0\0\0\0\0\0\0\0\0"[..], SECRET.as_bytes()].concat();
    [&[0, 0, 0, (head.len() + body.len()) as u8][..], &head, &body].concat()
}

/// SMB 1: a session setup, in a session message.
pub fn smb1() -> Vec<u8> {
    let head = [&b"\xffSMB\x73\0\0\0\0\x18\x01\0"[..], &[0; 20]].concat();
    let words = [&b"\x0d\xff\0\0\0\0\x04\x02\0\x01\0\0\0\0\0\x0d\0\x0d\0"[..], &[0; 8]].concat();
    let data = [SECRET.as_bytes(), SECRET.as_bytes(), b"anna\0"].concat();
    let length = (head.len() + words.len() + 2 + data.len()) as u8;
    [&[0, 0, 0, length][..], &head, &words, &[data.len() as u8, 0], &data].concat()
}

/// SMB 1: a session setup with a blob, and a connection to a share with a password.
pub fn smb1_others() -> Vec<u8> {
    let message = |command: u8, words: &[u8], data: &[u8]| {
        let head = [&b"\xffSMB"[..], &[command], b"\0\0\0\0\x18\x01\0", &[0; 20]].concat();
        let length = (head.len() + 1 + words.len() + 2 + data.len()) as u8;
        [&[0, 0, 0, length][..], &head, &[words.len() as u8 / 2], words, &[data.len() as u8, 0], data].concat()
    };
    let setup = [&b"\xff\0\0\0\0\x04\x02\0\x01\0\0\0\0\0\x0d\0"[..], &[0; 8]].concat();
    let connection = [SECRET.as_bytes(), b"\\\\a\\b\0IPC\0"].concat();
    [message(0x73, &setup, SECRET.as_bytes()), message(0x75, b"\xff\0\0\0\0\0\x0d\0", &connection)].concat()
}

/// HSRP: messages of both versions. Passwords have at most eight letters.
pub fn hsrp() -> [Vec<u8>; 2] {
    let first = b"\0\0\x10\x03\x0a\x78\x01\0password\xc0\0\x02\x01".to_vec();
    let group = [&b"\x01\x28\x02\0\x06\x04"[..], &[0; 36]].concat();
    [first, [&group[..], b"\x03\x08password"].concat()]
}

/// DCE/RPC: a bind with a verifier.
pub fn dcerpc() -> Vec<u8> {
    let body = [&b"\xd0\x16\xd0\x16\0\0\0\0\0\0\0\0\x0a\x02\0\0\x01\0\0\0"[..], SECRET.as_bytes()].concat();
    [&[5, 0, 11, 3, 0x10, 0, 0, 0, body.len() as u8 + 16, 0, SECRET.len() as u8, 0, 1, 0, 0, 0][..], &body].concat()
}

/// What a World of Warcraft log states of itself, with a session key.
pub fn log_header() -> Vec<u8> {
    let key = [SECRET.as_bytes(), &[0xee; 27]].concat();
    let rest = [&b"\0\0\0\0\x01\x03\x34\x30\0\0enUST"[..], &[key.len() as u8], &key, b"\0"].concat();
    [&b"log\x02"[..], &(rest.len() as u32).to_le_bytes(), &rest].concat()
}
