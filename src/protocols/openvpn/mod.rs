//! OpenVPN: headers of control and data packets, over UDP and TCP.
//!
//! Numbers are big-endian.
//!
//! ```text
//! over TCP    length:2 | packet
//! packet      opcode:5 bits | key ID:3 | body
//! control     session ID:8 | HMAC | packet ID:4 | time:4, with tls-auth | count:1 | acknowledged:4 … | remote session ID:8, if any
//!             | message ID:4, unless it only acknowledges | TLS
//! tls-crypt   session ID:8 | packet ID:4 | time:4 | HMAC:32 | encrypted
//! data        peer ID:3, version 2 | encrypted
//! ```
//! Whether a session has tls-auth or tls-crypt is known from the size of the packet that opens it.
//! `control` puts the TLS records inside together.
//! Not covered: decryption.

mod control;

use super::prefixed::odd_messages;
use crate::tree::{BySide, Names, Side, Timestamp, fields, name_of};
use crate::wire::{
    Conversation, Cut, DatagramContext, Exchange, Extent, Heuristic, Missing, On, Opening, Protocol, Result, Verdict, Wire,
};

pub static PROTOCOL: Protocol = Protocol::new(&OPENVPN, FIELDS)
    .found(&[
        On::Udp(PORT).exchange::<Session>(Heuristic::InContext(on_port)),
        On::AnyUdp.exchange::<Session>(Heuristic::Datagram(opens_plainly)),
        On::Tcp(PORT).stream::<Session>(Heuristic::Stream(recognize)),
        On::Tcp(PORT).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    OPENVPN = protocol("openvpn", "OpenVPN", "OpenVPN protocol")
        .covers("Headers of control and data packets, with tls-auth and tls-crypt; TLS in control packets without tls-crypt")
        .leaves_open("Decryption");
    LENGTH = number("openvpn.plen", "packet length", "In bytes, over TCP").once();
    TYPE = number("openvpn.type", "type", "").hex(2).once();
    OPCODE = number("openvpn.opcode", "opcode", "").hex(2).names(OPCODES).mask(0xf8).once();
    KEY_ID = number("openvpn.keyid", "key ID", "").mask(0x07).once();
    PEER_ID = number("openvpn.peerid", "peer ID", "").once();
    SESSION_ID = number("openvpn.sessionid", "session ID", "").once();
    HMAC = bytes("openvpn.hmac", "HMAC", "").once();
    PACKET_ID = number("openvpn.pid", "replay packet ID", "").once();
    NET_TIME = text("openvpn.net_time", "net time", "When the packet was sent").once();
    ACK_COUNT = number("openvpn.mpidarraylength", "message packet ID array length", "").once();
    ACK = number("openvpn.mpidarrayelement", "message packet ID array element", "Message that is acknowledged");
    REMOTE_SESSION_ID = number("openvpn.rsessionid", "remote session ID", "").once();
    MESSAGE_ID = number("openvpn.mpid", "message packet ID", "").once();
    DATA = bytes("openvpn.data", "data", "TLS, or encrypted").encrypted().once();
}

const OPCODES: Names = &[
    (1, "P_CONTROL_HARD_RESET_CLIENT_V1"),
    (2, "P_CONTROL_HARD_RESET_SERVER_V1"),
    (3, "P_CONTROL_SOFT_RESET_V1"),
    (4, "P_CONTROL_V1"),
    (5, "P_ACK_V1"),
    (6, "P_DATA_V1"),
    (7, "P_CONTROL_HARD_RESET_CLIENT_V2"),
    (8, "P_CONTROL_HARD_RESET_SERVER_V2"),
    (9, "P_DATA_V2"),
    (10, "P_CONTROL_HARD_RESET_CLIENT_V3"),
    (11, "P_CONTROL_WKC_V1"),
];

const CONTROL: u8 = 4;
const ACKNOWLEDGE: u8 = 5;
const DATA_V1: u8 = 6;
const CLIENT_RESET: u8 = 7;
const SERVER_RESET: u8 = 8;
const DATA_V2: u8 = 9;
const CLIENT_RESET_V3: u8 = 10;
const WRAPPED: u8 = 11;

const PORT: u16 = 1194;

/// Size of a client's opening packet without protection in bytes.
const OPENING: usize = 14;
/// Bytes of opcode and session ID.
const HEADER: usize = 9;
/// Packet ID and time.
const REPLAY: usize = 8;
/// Sizes of HMACs: MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512.
const HMACS: [usize; 6] = [16, 20, 28, 32, 48, 64];
const CRYPT_HMAC: usize = 32;

/// Protection of control packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protection {
    None,
    /// tls-auth with an HMAC of this size.
    Auth(usize),
    Crypt,
}

/// The protection of a session, if a packet opens one.
fn protection(packet: &[u8]) -> Option<Protection> {
    let opcode = packet.first()? >> 3;
    match opcode {
        CLIENT_RESET if packet.len() == OPENING => Some(Protection::None),
        SERVER_RESET if matches!(packet.get(HEADER), Some(1)) && packet.len() == OPENING + 4 + 8 => Some(Protection::None),
        WRAPPED => Some(Protection::Crypt),
        // The packet ID of tls-crypt comes first, and counts from 1.
        CLIENT_RESET | SERVER_RESET | CLIENT_RESET_V3
            if packet.get(HEADER..HEADER + 3)? == [0; 3] || packet.get(HEADER)? == &0x0f =>
        {
            Some(Protection::Crypt)
        }
        CLIENT_RESET => HMACS.into_iter().find(|hmac| packet.len() == OPENING + REPLAY + hmac).map(Protection::Auth),
        SERVER_RESET => HMACS.into_iter().find(|hmac| packet.len() == OPENING + 12 + REPLAY + hmac).map(Protection::Auth),
        _ => None,
    }
}

/// Whether an opcode and a size fit.
fn is_packet(bytes: &[u8]) -> bool {
    let least = match bytes.first().map(|first| first >> 3) {
        Some(DATA_V1) => 17,
        Some(DATA_V2) => 20,
        Some(1..=WRAPPED) => OPENING,
        _ => return false,
    };
    bytes.len() >= least
}

/// On the registered port, any packet is accepted if ports are known.
fn on_port(bytes: &[u8], context: &DatagramContext) -> bool {
    context.has_port(PORT) && is_packet(bytes)
}

/// An unprotected session reset of a client: no acknowledgments, message 0.
fn opens_plainly(bytes: &[u8]) -> bool {
    bytes.len() == OPENING && bytes.first() == Some(&(CLIENT_RESET << 3)) && bytes.get(HEADER..) == Some(&[0; 5])
}

/// The packet at the start of a stream, if its length is plausible.
fn in_stream(bytes: &[u8]) -> Option<usize> {
    let length = usize::from(u16::from_be_bytes(*bytes.first_chunk()?));
    let opcode = bytes.get(2)? >> 3;
    let packet = bytes.get(2..).unwrap_or_default();
    let is_whole = packet.len() < length || packet.get(..length).is_some_and(is_packet);
    ((1..=WRAPPED).contains(&opcode) && length >= OPENING && is_whole).then_some(length + 2)
}

/// Recognizes two packets in a row, or one that opens a session.
fn recognize(opening: &Opening<'_>) -> Verdict {
    for side in Side::BOTH {
        let bytes = opening.of(side);
        let Some(size) = in_stream(bytes) else { continue };
        let is_reset = |packet: &[u8]| matches!(packet, [first, ..] if first & 7 == 0 && matches!(first >> 3, 7 | 8 | 10));
        let opens = bytes.get(2..size).is_some_and(|packet| is_reset(packet) && protection(packet).is_some());
        let follows = bytes.get(size..).is_some_and(|rest| in_stream(rest).is_some());
        if opens || follows {
            return Verdict::Yes(Side::Server);
        } else if bytes.len() < size && !opening.complete {
            return Verdict::Unsure;
        }
    }
    Verdict::No
}

/// Recognizes complete packets, also with an unknown opcode.
fn is_likely(opening: &Opening<'_>) -> Verdict {
    odd_messages(
        opening,
        |_| Side::Server,
        |bytes| {
            let Some(length) = bytes.first_chunk() else { return Some(2) };
            Some(usize::from(u16::from_be_bytes(*length))).filter(|length| *length >= OPENING).map(|length| length + 2)
        },
    )
}

/// State of a session.
#[derive(Default)]
struct Session {
    protection: Option<Protection>,
    channels: BySide<control::Channel>,
    /// Bytes of a stream were lost.
    lost: BySide<bool>,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.packet(from, wire)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.channels.iter().map(control::Channel::memory_usage).sum::<usize>()
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.protection.is_some() && is_packet(bytes)
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], _more: bool) -> Extent {
        if self.lost[from] {
            let is_start = |at: &usize| {
                let rest = ahead.get(*at..).unwrap_or_default();
                let next = in_stream(rest).and_then(|size| rest.get(size..));
                next.is_some_and(|next| next.is_empty() || in_stream(next).is_some())
            };
            match (0..ahead.len()).find(is_start) {
                Some(0) => self.lost[from] = false,
                unknown => return Extent::Unknown(unknown.unwrap_or(ahead.len())),
            }
        }
        match ahead.first_chunk::<2>().map(|length| u16::from_be_bytes(*length)) {
            None => Extent::NeedMore(2),
            Some(0) => Extent::Unknown(2),
            Some(length) => Extent::Message(2 + usize::from(length)),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        wire.u16_be(&LENGTH)?;
        self.packet(from, wire)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.channels.iter().map(control::Channel::memory_usage).sum::<usize>()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost[from] |= !missing.in_step;
    }
}

impl Session {
    fn packet(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.protection = protection(wire.ahead()).or(self.protection);
        let first = wire.flags(&TYPE, 1, &[&OPCODE, &KEY_ID])?;
        let opcode = OPCODE.bits_of(first);
        wire.name(name_of(OPCODES, opcode).unwrap_or("unknown opcode"));
        match u8::try_from(opcode).unwrap_or_default() {
            DATA_V1 => {}
            DATA_V2 => drop(wire.u24_be(&PEER_ID)?),
            opcode @ 1..=WRAPPED => self.control(opcode, KEY_ID.bits_of(first), from, wire)?,
            _ => {}
        }
        wire.rest_is(&DATA)
    }

    fn control(&mut self, opcode: u8, key: u64, from: Side, wire: &mut Wire<'_>) -> Result {
        let session = wire.u64_be(&SESSION_ID)?;
        wire.info(format_args!("session {session:016x}"));
        match self.protection {
            Some(Protection::Crypt) => {
                replay(wire)?;
                return wire.bytes(&HMAC, CRYPT_HMAC).map(drop);
            }
            Some(Protection::Auth(size)) => {
                wire.bytes(&HMAC, size)?;
                replay(wire)?;
            }
            Some(Protection::None) => {}
            // The fields that follow are unknown, unless few messages are acknowledged and the rest fits.
            None if wire.peek_u8().is_none_or(|count| count > 8) => return Ok(()),
            None => {}
        }
        let count = wire.u8(&ACK_COUNT)?;
        for _ in 0..count {
            wire.u32_be(&ACK)?;
        }
        if count > 0 {
            wire.u64_be(&REMOTE_SESSION_ID)?;
        }
        if opcode == ACKNOWLEDGE {
            return Ok(());
        }
        let number = wire.u32_be(&MESSAGE_ID)?;
        let payload = wire.at()..wire.at() + wire.remaining();
        match opcode {
            CONTROL if !payload.is_empty() && wire.cut() == Cut::No => {
                wire.rest(&DATA);
                self.channels[from].accept(key, number, payload, wire)
            }
            CONTROL => Ok(()),
            _ => {
                self.channels[from].begin(key, number);
                Ok(())
            }
        }
    }
}

fn replay(wire: &mut Wire<'_>) -> Result {
    wire.u32_be(&PACKET_ID)?;
    let (start, time) = (wire.at(), wire.ahead());
    wire.skip(4)?;
    let seconds = time.first_chunk().map_or(0, |time| u32::from_be_bytes(*time)).into();
    wire.put_text(&NET_TIME, start..start + 4, format_args!("{}", Timestamp { seconds, nanos: 0 }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::lines::{survives_damage, trees_of};
    use crate::wire::trial;

    const OPENS: &str = "38 0102030405060708 00 00000000";
    const ACCEPTS: &str = "40 1112131415161718 01 00000000 0102030405060708 00000000";
    const TLS: &str = "20 0102030405060708 01 00000000 1112131415161718 00000001 160301";
    const ACKS: &str = "28 1112131415161718 02 00000001 00000002 0102030405060708";
    const PAYLOAD: &str = "48 000007 00000001 a1a2a3a4a5a6a7a8a9aaabacadaeafb0";
    const AUTH: &str = "38 0102030405060708 a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3 00000001 5654d340 00 00000000";
    const CRYPT: &str = "38 0102030405060708 00000001 5654d340 \
        a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf 0102030405";

    fn read(session: &mut Session, hex: &str) -> String {
        trial::read(&PROTOCOL, &trial::bytes(hex), Cut::No, |wire| session.packet(Side::Client, wire))
    }

    #[test]
    fn packets_are_dissected() {
        let mut session = Session::default();
        insta::assert_snapshot!([OPENS, ACCEPTS, TLS, ACKS, PAYLOAD].map(|hex| read(&mut session, hex)).concat(), @"
        openvpn 0..14 | P_CONTROL_HARD_RESET_CLIENT_V2 | session 0102030405060708
          0..1 openvpn.type = 0x38
            0..1 openvpn.opcode = 0x07 (P_CONTROL_HARD_RESET_CLIENT_V2)
            0..1 openvpn.keyid = 0
          1..9 openvpn.sessionid = 72623859790382856
          9..10 openvpn.mpidarraylength = 0
          10..14 openvpn.mpid = 0
        openvpn 0..26 | P_CONTROL_HARD_RESET_SERVER_V2 | session 1112131415161718
          0..1 openvpn.type = 0x40
            0..1 openvpn.opcode = 0x08 (P_CONTROL_HARD_RESET_SERVER_V2)
            0..1 openvpn.keyid = 0
          1..9 openvpn.sessionid = 1230066625199609624
          9..10 openvpn.mpidarraylength = 1
          10..14 openvpn.mpidarrayelement = 0
          14..22 openvpn.rsessionid = 72623859790382856
          22..26 openvpn.mpid = 0
        openvpn 0..29 | P_CONTROL_V1 | session 0102030405060708
          0..1 openvpn.type = 0x20
            0..1 openvpn.opcode = 0x04 (P_CONTROL_V1)
            0..1 openvpn.keyid = 0
          1..9 openvpn.sessionid = 72623859790382856
          9..10 openvpn.mpidarraylength = 1
          10..14 openvpn.mpidarrayelement = 0
          14..22 openvpn.rsessionid = 1230066625199609624
          22..26 openvpn.mpid = 1
          26..29 openvpn.data = 160301
        openvpn 0..26 | P_ACK_V1 | session 1112131415161718
          0..1 openvpn.type = 0x28
            0..1 openvpn.opcode = 0x05 (P_ACK_V1)
            0..1 openvpn.keyid = 0
          1..9 openvpn.sessionid = 1230066625199609624
          9..10 openvpn.mpidarraylength = 2
          10..14 openvpn.mpidarrayelement = 1
          14..18 openvpn.mpidarrayelement = 2
          18..26 openvpn.rsessionid = 72623859790382856
        openvpn 0..24 | P_DATA_V2
          0..1 openvpn.type = 0x48
            0..1 openvpn.opcode = 0x09 (P_DATA_V2)
            0..1 openvpn.keyid = 0
          1..4 openvpn.peerid = 7
          4..24 openvpn.data = 20 bytes
        ");
        assert!(session.claims(Side::Client, &trial::bytes(PAYLOAD)));
    }

    #[test]
    fn protection_is_known_from_the_packet_that_opens_a_session() {
        let mut session = Session::default();
        insta::assert_snapshot!([AUTH, CRYPT].map(|hex| read(&mut session, hex)).concat(), @r#"
        openvpn 0..42 | P_CONTROL_HARD_RESET_CLIENT_V2 | session 0102030405060708
          0..1 openvpn.type = 0x38
            0..1 openvpn.opcode = 0x07 (P_CONTROL_HARD_RESET_CLIENT_V2)
            0..1 openvpn.keyid = 0
          1..9 openvpn.sessionid = 72623859790382856
          9..29 openvpn.hmac = 20 bytes
          29..33 openvpn.pid = 1
          33..37 openvpn.net_time = "Nov 24, 2015 21:14:40.000000000 UTC"
          37..38 openvpn.mpidarraylength = 0
          38..42 openvpn.mpid = 0
        openvpn 0..54 | P_CONTROL_HARD_RESET_CLIENT_V2 | session 0102030405060708
          0..1 openvpn.type = 0x38
            0..1 openvpn.opcode = 0x07 (P_CONTROL_HARD_RESET_CLIENT_V2)
            0..1 openvpn.keyid = 0
          1..9 openvpn.sessionid = 72623859790382856
          9..13 openvpn.pid = 1
          13..17 openvpn.net_time = "Nov 24, 2015 21:14:40.000000000 UTC"
          17..49 openvpn.hmac = 32 bytes
          49..54 openvpn.data = 0102030405
        "#);
        for (hex, expected) in
            [(OPENS, Protection::None), (ACCEPTS, Protection::None), (AUTH, Protection::Auth(20)), (CRYPT, Protection::Crypt)]
        {
            assert_eq!(protection(&trial::bytes(hex)), Some(expected));
        }
        assert_eq!(protection(&trial::bytes(TLS)), None);
    }

    #[test]
    fn the_size_of_an_opening_is_that_of_its_hmac() {
        for (opcode, plain) in [(CLIENT_RESET, 14), (SERVER_RESET, 26)] {
            for hmac in [16, 20, 28, 32, 48, 64] {
                // An HMAC, and the packet ID and time of 8 bytes, precede what an unprotected packet has after its session.
                let mut packet = vec![0xa5; plain + hmac + 8];
                packet[0] = opcode << 3;
                assert_eq!(protection(&packet), Some(Protection::Auth(hmac)), "{opcode} {hmac}");
                packet.push(0);
                assert_eq!(protection(&packet), None, "{opcode} {hmac}");
            }
        }
    }

    #[test]
    fn only_a_plain_opening_is_recognized_on_any_port() {
        assert!(opens_plainly(&trial::bytes(OPENS)));
        for hex in [ACCEPTS, TLS, ACKS, PAYLOAD, AUTH, CRYPT] {
            assert!(!opens_plainly(&trial::bytes(hex)) && is_packet(&trial::bytes(hex)), "{hex}");
        }
        assert!(!is_packet(b"\0hello hello hello") && !is_packet(b"\x38abc") && !is_packet(b""));
    }

    /// A control packet of the client with this number and payload.
    fn control(number: u32, payload: &[u8]) -> Vec<u8> {
        [&trial::bytes("20 0102030405060708 00")[..], &number.to_be_bytes(), payload].concat()
    }

    /// Trees of packets in this order, after the one that opens the session.
    fn in_order(packets: &[Vec<u8>]) -> Vec<usize> {
        let mut session = Session::default();
        read(&mut session, OPENS);
        let mut channel = |packet: &Vec<u8>| {
            let mut tree = crate::tree::Tree::complete();
            tree.begin(crate::tree::FrameInfo::default());
            let layer = tree.push_layer(&OPENVPN, crate::tree::Span::new(0, 0..packet.len()), None, 0, true);
            let mut wire = Wire::new(&mut tree, layer, 0, packet, 0..packet.len(), Cut::No);
            session.packet(Side::Client, &mut wire).unwrap();
            tree.handover.take_payloads().len()
        };
        packets.iter().map(&mut channel).collect()
    }

    #[test]
    fn records_are_put_together_in_the_order_of_their_messages() {
        let record = trial::bytes("16 0301 0004 00000000");
        let (first, second) = record.split_at(3);
        let [one, two, three] = [control(1, first), control(2, second), control(3, &[&record[..], &record].concat())];
        assert_eq!(in_order(&[one.clone(), two.clone(), three.clone()]), [0, 1, 2]);
        assert_eq!(in_order(&[two.clone(), one.clone(), three.clone()]), [0, 1, 2]);
        assert_eq!(in_order(&[three, two, one.clone(), one.clone()]), [0, 0, 3, 0]);
        assert_eq!(in_order(&[one, control(2, &[0xff; 9]), control(3, &record)]), [0, 0, 1]);
    }

    #[test]
    fn packets_in_a_stream_have_a_length() {
        let packet = |hex: &str| {
            let bytes = trial::bytes(hex);
            [&u16::try_from(bytes.len()).unwrap().to_be_bytes()[..], &bytes].concat()
        };
        let (client, server) = ([packet(OPENS), packet(TLS)].concat(), packet(ACCEPTS));
        let messages = [(Side::Client, &client[..]), (Side::Server, &server[..])];
        let mut session = Session::default();
        let trees = trees_of(&PROTOCOL, &mut session, &messages);
        assert_eq!((trees.matches("openvpn 0..").count(), trees.matches("openvpn.plen").count()), (3, 3));
        survives_damage(&PROTOCOL, Session::default, &messages);

        let judge = |client: &[u8], complete| recognize(&Opening { sent: [client, b""], from_start: [true; 2], complete });
        assert_eq!(judge(&client, false), Verdict::Yes(Side::Server));
        assert_eq!(judge(&client[..9], false), Verdict::Unsure);
        assert_eq!(judge(b"GET / HTTP/1.1\r\n", true), Verdict::No);
        // After lost bytes a packet is found again.
        session.gap(Side::Client, Missing { bytes: 1, in_step: false });
        let rest = [&[0xff; 3][..], &client].concat();
        assert_eq!(session.extent(Side::Client, &rest, true), Extent::Unknown(3));
        assert_eq!(session.extent(Side::Client, &client, true), Extent::Message(16));
    }
}
