//! WireGuard: handshakes and encrypted packets of a tunnel.
//!
//! Numbers are little-endian.
//!
//! ```text
//! 1 initiation  1 | 0:3 | sender:4 | ephemeral key:32 | static key:48 | timestamp:28 | mac1:16 | mac2:16
//! 2 response    2 | 0:3 | sender:4 | receiver:4 | ephemeral key:32 | nothing:16 | mac1:16 | mac2:16
//! 3 cookie      3 | 0:3 | receiver:4 | nonce:24 | cookie:32
//! 4 data        4 | 0:3 | receiver:4 | counter:8 | packet, padded to 16 bytes, and a tag of 16
//! ```
//! Data packets are recognized by their handshake, and on UDP port 51820.
//! Not covered: decryption.

use crate::tree::{Names, Side, Value, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};
use data_encoding::BASE64;

pub static PROTOCOL: Protocol = Protocol::new(&WIREGUARD, FIELDS)
    .found(&[
        On::Udp(51820).exchange::<Peers>(Heuristic::Datagram(is_message)),
        On::AnyUdp.exchange::<Peers>(Heuristic::Datagram(is_evident)),
        On::Udp(51820).exchange::<Peers>(Heuristic::Datagram(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    WIREGUARD = protocol("wg", "WireGuard", "WireGuard protocol")
        .covers("All messages; responses matched with their initiations")
        .leaves_open("Decryption");
    TYPE = number("wg.type", "type", "").names(TYPES).once();
    RESERVED = bytes("wg.reserved", "reserved", "Zeros").once();
    SENDER = number("wg.sender", "sender", "Identifier that the sender chose").hex(8).once();
    RECEIVER = number("wg.receiver", "receiver", "Identifier that the receiver chose").hex(8).once();
    EPHEMERAL = text("wg.ephemeral", "ephemeral key", "Ephemeral public key of the sender, in base64").once();
    STATIC = bytes("wg.encrypted_static", "encrypted static key", "Public key of the sender").valueless().encrypted().once();
    TIMESTAMP = bytes("wg.encrypted_timestamp", "encrypted timestamp", "").valueless().encrypted().once();
    EMPTY = bytes("wg.encrypted_empty", "encrypted nothing", "Authenticates the response").valueless().encrypted().once();
    MAC1 = bytes("wg.mac1", "mac1", "Keyed with the public key of the receiver").once();
    MAC2 = bytes("wg.mac2", "mac2", "Keyed with a cookie; zeros without one").once();
    NONCE = bytes("wg.nonce", "nonce", "").once();
    COOKIE = bytes("wg.encrypted_cookie", "encrypted cookie", "").encrypted().once();
    COUNTER = number("wg.counter", "counter", "").once();
    PACKET = bytes("wg.encrypted_packet", "encrypted packet", "").valueless().encrypted().once();
    KEEPALIVE = bool("wg.keepalive", "keepalive", "The packet is empty").once();
    RESPONSE_TO = number("wg.response_to", "initiation in", "Frame of the initiation").once();
    TIME = float("wg.time", "time", "Seconds since the initiation").seconds().once();
    DATA = bytes("wg.data", "data", "Undissected bytes");
}

const TYPES: Names = &[(1, "Handshake Initiation"), (2, "Handshake Response"), (3, "Cookie Reply"), (4, "Transport Data")];

const INITIATION: u8 = 1;
const RESPONSE: u8 = 2;
const TRANSPORT: u8 = 4;
/// Size of each message in bytes by type; data messages are larger by multiples of 16.
const SIZES: [usize; 5] = [0, 148, 92, 64, 32];
const BLOCK: usize = 16;

fn is_handshake(bytes: &[u8]) -> bool {
    matches!(bytes, [kind @ 1..=3, 0, 0, 0, ..] if SIZES.get(usize::from(*kind)) == Some(&bytes.len()))
}

fn is_transport(bytes: &[u8]) -> bool {
    let least = SIZES.get(usize::from(TRANSPORT)).copied().unwrap_or_default();
    matches!(bytes, [TRANSPORT, 0, 0, 0, ..]) && bytes.len() >= least && bytes.len().is_multiple_of(BLOCK)
}

/// Whether a datagram on any port is WireGuard: a handshake, or encrypted data of a session whose beginning was not captured.
fn is_evident(bytes: &[u8]) -> bool {
    is_handshake(bytes) || is_transport(bytes) && is_encrypted(bytes)
}

/// Whether transport data has a receiver, a counter far below its limit, and random bytes.
fn is_encrypted(bytes: &[u8]) -> bool {
    const COUNTER: usize = 8;
    const DATA: usize = 16;
    let has_receiver = bytes.get(4..COUNTER) != Some(&[0; 4]);
    let counter = bytes.get(COUNTER..DATA).and_then(|counter| counter.first_chunk()).map(|counter| u64::from_le_bytes(*counter));
    let data = bytes.get(DATA..).unwrap_or_default();
    // Structured data repeats bytes; among 256 random ones a run of four has a chance below one in 60,000.
    let has_run = data
        .get(..data.len().min(256))
        .unwrap_or_default()
        .windows(4)
        .any(|run| run.iter().all(|byte| run.starts_with(&[*byte])));
    has_receiver && counter.is_some_and(|counter| counter < 1 << 40) && !has_run
}

/// Whether a datagram has a known type, and either the reserved zeros or the size of a message.
fn is_likely(bytes: &[u8]) -> bool {
    let Some(&[kind @ 1..=TRANSPORT, reserved @ ..]) = bytes.first_chunk::<4>() else { return false };
    let least = SIZES.get(usize::from(kind)).copied().unwrap_or_default();
    let fits = if kind == TRANSPORT { bytes.len() >= least } else { bytes.len() == least };
    fits || reserved == [0; 3] && bytes.len() >= 8
}

fn is_message(bytes: &[u8]) -> bool {
    is_handshake(bytes) || is_transport(bytes)
}

/// State of one conversation.
#[derive(Default)]
struct Peers {
    /// Initiations and responses by sender index.
    identifiers: Requests<u32>,
}

impl Exchange for Peers {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let kind = wire.u8(&TYPE)?;
        wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown type"));
        wire.bytes(&RESERVED, 3)?;
        match kind {
            INITIATION => {
                self.sender(wire)?;
                ephemeral(wire)?;
                wire.bytes(&STATIC, 48)?;
                wire.bytes(&TIMESTAMP, 28)?;
                macs(wire)?;
            }
            RESPONSE => {
                self.sender(wire)?;
                let receiver = wire.u32_le(&RECEIVER)?;
                ephemeral(wire)?;
                wire.bytes(&EMPTY, 16)?;
                macs(wire)?;
                if let Some(initiation) = self.identifiers.answer(&receiver) {
                    initiation.put(wire, &RESPONSE_TO, &TIME);
                }
            }
            TRANSPORT => {
                let receiver = wire.u32_le(&RECEIVER)?;
                let counter = wire.u64_le(&COUNTER)?;
                wire.info(format_args!("receiver {receiver:#010x}, counter {counter}"));
                if wire.remaining() == BLOCK {
                    wire.name("Keepalive");
                    wire.add(&KEEPALIVE, Value::Bool(true));
                }
                wire.rest(&PACKET);
            }
            3 => {
                let receiver = wire.u32_le(&RECEIVER)?;
                wire.info(format_args!("receiver {receiver:#010x}"));
                wire.bytes(&NONCE, 24)?;
                wire.bytes(&COOKIE, 32)?;
            }
            _ => {}
        }
        wire.rest_is(&DATA)
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let receiver = bytes.get(4..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_le_bytes(*word));
        is_transport(bytes) && receiver.is_some_and(|receiver| self.identifiers.has(&receiver))
    }
}

impl Peers {
    fn sender(&mut self, wire: &mut Wire<'_>) -> Result {
        let sender = wire.u32_le(&SENDER)?;
        wire.info(format_args!("sender {sender:#010x}"));
        self.identifiers.ask(sender, wire);
        Ok(())
    }
}

fn ephemeral(wire: &mut Wire<'_>) -> Result {
    const KEY: usize = 32;
    let (range, key) = (wire.at()..wire.at() + KEY, wire.ahead());
    wire.skip(KEY)?;
    if wire.wants(&[&EPHEMERAL]) {
        let text = BASE64.encode(key.get(..KEY).unwrap_or_default());
        wire.put_text(&EPHEMERAL, range, format_args!("{text}"));
    }
    Ok(())
}

fn macs(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&MAC1, 16)?;
    wire.bytes(&MAC2, 16).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn messages() -> [Vec<u8>; 5] {
        let message = |kind: u8, ids: &[u32], size: usize| {
            let mut bytes = vec![kind, 0, 0, 0];
            bytes.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
            bytes.extend((0_u8..=255).take(size - bytes.len()));
            bytes
        };
        [
            message(1, &[0x1111_2222], 148),
            message(2, &[0x3333_4444, 0x1111_2222], 92),
            message(4, &[0x3333_4444, 7, 0], 48),
            message(4, &[0x3333_4444, 8, 0], 32),
            message(3, &[0x1111_2222], 64),
        ]
    }

    #[test]
    fn messages_are_dissected() {
        let mut peers = Peers::default();
        let trees: String = messages()
            .iter()
            .map(|bytes| trial::read(&PROTOCOL, bytes, Cut::No, |wire| peers.message(Side::Client, wire)))
            .collect();
        insta::assert_snapshot!(trees, @r#"
        wg 0..148 | Handshake Initiation | sender 0x11112222
          0..1 wg.type = 1 (Handshake Initiation)
          1..4 wg.reserved = 000000
          4..8 wg.sender = 0x11112222
          8..40 wg.ephemeral = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
          40..88 wg.encrypted_static = 48 bytes
          88..116 wg.encrypted_timestamp = 28 bytes
          116..132 wg.mac1 = 6c6d6e6f707172737475767778797a7b
          132..148 wg.mac2 = 7c7d7e7f808182838485868788898a8b
        wg 0..92 | Handshake Response | sender 0x33334444
          0..1 wg.type = 2 (Handshake Response)
          1..4 wg.reserved = 000000
          4..8 wg.sender = 0x33334444
          8..12 wg.receiver = 0x11112222
          12..44 wg.ephemeral = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
          44..60 wg.encrypted_empty = 202122232425262728292a2b2c2d2e2f
          60..76 wg.mac1 = 303132333435363738393a3b3c3d3e3f
          76..92 wg.mac2 = 404142434445464748494a4b4c4d4e4f
          wg.response_to = 0
        wg 0..48 | Transport Data | receiver 0x33334444, counter 7
          0..1 wg.type = 4 (Transport Data)
          1..4 wg.reserved = 000000
          4..8 wg.receiver = 0x33334444
          8..16 wg.counter = 7
          16..48 wg.encrypted_packet = 32 bytes
        wg 0..32 | Keepalive | receiver 0x33334444, counter 8
          0..1 wg.type = 4 (Transport Data)
          1..4 wg.reserved = 000000
          4..8 wg.receiver = 0x33334444
          8..16 wg.counter = 8
          wg.keepalive = true
          16..32 wg.encrypted_packet = 000102030405060708090a0b0c0d0e0f
        wg 0..64 | Cookie Reply | receiver 0x11112222
          0..1 wg.type = 3 (Cookie Reply)
          1..4 wg.reserved = 000000
          4..8 wg.receiver = 0x11112222
          8..32 wg.nonce = 24 bytes
          32..64 wg.encrypted_cookie = 32 bytes
        "#);
    }

    #[test]
    fn handshakes_are_recognized_by_their_sizes_and_data_by_its_handshake() {
        let [initiation, response, data, ..] = messages();
        let mut peers = Peers::default();
        assert!(is_handshake(&initiation) && is_handshake(&response) && !is_handshake(&data) && is_message(&data));
        assert!(!is_handshake(&initiation[..147]) && !is_message(&data[..47]) && !is_message(&[]));
        assert!(!peers.claims(Side::Client, &data));
        trial::read(&PROTOCOL, &response, Cut::No, |wire| peers.message(Side::Server, wire));
        assert!(peers.claims(Side::Client, &data));
    }

    #[test]
    fn damaged_messages_are_dissected() {
        for bytes in messages() {
            trial::survives_damage(&PROTOCOL, &bytes, |wire| Peers::default().message(Side::Client, wire));
        }
    }
}
