//! UDP trackers of BitTorrent (BEP 15, BEP 41): lists of the peers of a torrent.
//!
//! Numbers are big-endian.
//!
//! ```text
//! request     connection ID:8 | action:4 | transaction:4 | body
//!   0 connect     none; the connection ID is 0x41727101980
//!   1 announce    info hash:20 | peer ID:20 | downloaded:8 | left:8 | uploaded:8 | event:4 | address:4 | key:4 | wanted:4 | port:2 | options
//!   2 scrape      info hash:20 …
//! response    action:4 | transaction:4 | body
//!   0 connect     connection ID:8
//!   1 announce    interval:4 | leechers:4 | seeders:4 | (address:4 or 16 | port:2) …
//!   2 scrape      (seeders:4 | completed:4 | leechers:4) …
//!   3 error       text
//! option      type:1, for types from 2 on length:1 | data
//! ```
//! A response is recognized by its request only.

use crate::tree::{Names, Side, fields, name_of};
use crate::wire::{Exchange, Heuristic, On, Protocol, Requests, Result, Wire};

pub static PROTOCOL: Protocol =
    Protocol::new(&TRACKER, FIELDS).found(&[On::AnyUdp.exchange::<Pending>(Heuristic::Datagram(recognize))]).rest(&DATA);

fields! {
    TRACKER = protocol("bt-tracker", "BT-Tracker", "BitTorrent tracker over UDP")
        .covers("Connect, announce and scrape with their responses and errors");
    PROTOCOL_ID = number("bt-tracker.proto_id", "protocol", "Magic number").hex(16).once();
    CONNECTION_ID = number("bt-tracker.connection_id", "connection ID", "Given by the tracker").once();
    ACTION = number("bt-tracker.action", "action", "").names(ACTIONS).once();
    TRANSACTION = number("bt-tracker.transaction_id", "transaction ID", "Copied into the response").once();
    INFO_HASH = bytes("bt-tracker.info_hash", "info hash", "Identifies the torrent");
    PEER_ID = bytes("bt-tracker.peer_id", "peer ID", "").once();
    DOWNLOADED = number("bt-tracker.downloaded", "downloaded", "In bytes").once();
    LEFT = number("bt-tracker.left", "left", "In bytes").once();
    UPLOADED = number("bt-tracker.uploaded", "uploaded", "In bytes").once();
    EVENT = number("bt-tracker.event", "event", "").names(EVENTS).once();
    ADDRESS = ipv4("bt-tracker.ip_address", "IP address", "0.0.0.0 for the sender").once();
    KEY = number("bt-tracker.key", "key", "Identifies the client when its address changes").once();
    WANTED = number("bt-tracker.num_want", "peers wanted", "-1 for the default").once();
    PORT = number("bt-tracker.port", "port", "TCP port of the client").once();
    INTERVAL = number("bt-tracker.interval", "interval", "Seconds until the next announcement").once();
    LEECHERS = number("bt-tracker.leechers", "leechers", "");
    SEEDERS = number("bt-tracker.seeders", "seeders", "");
    COMPLETED = number("bt-tracker.completed", "completed", "Downloads so far");
    PEER = group("bt-tracker.tracker", "peer", "");
    PEER_IP = ipv4("bt-tracker.tracker.ip", "IP", "").once_per(&PEER);
    PEER_IP6 = ipv6("bt-tracker.tracker.ip6", "IPv6", "").once_per(&PEER);
    PEER_PORT = number("bt-tracker.tracker.port", "port", "").once_per(&PEER);
    ERROR = text("bt-tracker.error_msg", "error message", "").once();
    OPTION = number("bt-tracker.extension_type", "option", "").names(OPTIONS);
    OPTION_LENGTH = number("bt-tracker.extension_len", "option length", "In bytes");
    OPTION_PATH = text("bt-tracker.extension.urldata", "URL data", "Path and query of the tracker's URL");
    OPTION_DATA = bytes("bt-tracker.extension_unknown", "option data", "");
    DATA = bytes("bt-tracker.data", "data", "Undissected bytes");
    RESPONSE_TO = number("bt-tracker.response_to", "request in", "Frame of the request").once();
    TIME = float("bt-tracker.time", "time", "Seconds since the request").seconds().once();
}

const ACTIONS: Names = &[(0, "Connect"), (1, "Announce"), (2, "Scrape"), (3, "Error")];
const EVENTS: Names = &[(0, "None"), (1, "Completed"), (2, "Started"), (3, "Stopped")];
const OPTIONS: Names = &[(0, "End of options"), (1, "No operation"), (2, "URL data")];

const MAGIC: u64 = 0x0417_2710_1980;
const CONNECT: u32 = 0;
const ANNOUNCE: u32 = 1;
const SCRAPE: u32 = 2;
const FAILED: u32 = 3;
/// Size of connect requests and responses.
const CONNECT_SIZE: usize = 16;
/// Size of an announce request without options.
const ANNOUNCE_SIZE: usize = 98;
const HASH_SIZE: usize = 20;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
}

fn is_connect(bytes: &[u8]) -> bool {
    bytes.len() == CONNECT_SIZE && bytes.starts_with(&MAGIC.to_be_bytes()) && word(bytes, 8) == Some(CONNECT)
}

/// An announce request without its connect request is recognized by the usual format of peer IDs, `-AB1234-`, and its event.
fn is_announcement(bytes: &[u8]) -> bool {
    let is_usual = |peer: &[u8]| peer.first() == Some(&b'-') && peer.get(7) == Some(&b'-');
    bytes.len() >= ANNOUNCE_SIZE
        && word(bytes, 8) == Some(ANNOUNCE)
        && bytes.get(36..56).is_some_and(is_usual)
        && word(bytes, 80).is_some_and(|event| event <= 3)
}

fn recognize(bytes: &[u8]) -> bool {
    is_connect(bytes) || is_announcement(bytes)
}

/// Pending requests of one conversation by transaction.
#[derive(Default)]
struct Pending {
    requests: Requests<u32>,
    connection: Option<[u8; 8]>,
}

impl Exchange for Pending {
    fn message(&mut self, _: Side, wire: &mut Wire<'_>) -> Result {
        let ahead = wire.ahead();
        if self.is_request(ahead) { self.request(wire) } else { self.response(wire) }
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        self.is_request(bytes) || self.is_response(bytes)
    }
}

impl Pending {
    fn is_request(&self, bytes: &[u8]) -> bool {
        let is_connected = self.connection.is_some_and(|id| bytes.starts_with(&id)) && bytes.len() >= CONNECT_SIZE + HASH_SIZE;
        recognize(bytes) || is_connected && matches!(word(bytes, 8), Some(ANNOUNCE | SCRAPE))
    }

    fn is_response(&self, bytes: &[u8]) -> bool {
        let is_asked = word(bytes, 4).is_some_and(|transaction| self.requests.has(&transaction));
        is_asked && word(bytes, 0).is_some_and(|action| action <= FAILED)
    }

    fn request(&mut self, wire: &mut Wire<'_>) -> Result {
        if wire.ahead().starts_with(&MAGIC.to_be_bytes()) {
            wire.u64_be(&PROTOCOL_ID)?;
        } else {
            let id = wire.u64_be(&CONNECTION_ID)?;
            self.connection = Some(id.to_be_bytes());
        }
        let action = wire.u32_be(&ACTION)?;
        let transaction = wire.u32_be(&TRANSACTION)?;
        self.requests.ask(transaction, wire);
        wire.name(name_of(ACTIONS, action.into()).unwrap_or("unknown action"));
        match action {
            ANNOUNCE => announce(wire)?,
            SCRAPE => wire.each(|wire| wire.bytes(&INFO_HASH, HASH_SIZE))?,
            _ => {}
        }
        wire.rest_is(&DATA)
    }

    fn response(&mut self, wire: &mut Wire<'_>) -> Result {
        let action = wire.u32_be(&ACTION)?;
        let transaction = wire.u32_be(&TRANSACTION)?;
        match action {
            CONNECT => {
                wire.name("Connect response");
                let id = wire.u64_be(&CONNECTION_ID)?;
                self.connection = Some(id.to_be_bytes());
            }
            ANNOUNCE => peers(wire)?,
            SCRAPE => {
                wire.name("Scrape response");
                while wire.remaining() > 0 {
                    for field in [&SEEDERS, &COMPLETED, &LEECHERS] {
                        wire.u32_be(field)?;
                    }
                }
            }
            _ => {
                wire.name("Error");
                let text = String::from_utf8_lossy(wire.rest(&ERROR));
                wire.info(format_args!("{text}"));
            }
        }
        if let Some(request) = self.requests.answer(&transaction) {
            request.put(wire, &RESPONSE_TO, &TIME);
        }
        wire.rest_is(&DATA)
    }
}

fn announce(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&INFO_HASH, HASH_SIZE)?;
    wire.bytes(&PEER_ID, 20)?;
    wire.u64_be(&DOWNLOADED)?;
    let left = wire.u64_be(&LEFT)?;
    wire.u64_be(&UPLOADED)?;
    let event = wire.u32_be(&EVENT)?;
    wire.bytes(&ADDRESS, 4)?;
    wire.u32_be(&KEY)?;
    wire.i32_be(&WANTED)?;
    wire.u16_be(&PORT)?;
    let event = name_of(EVENTS, event.into()).unwrap_or("unknown event");
    wire.info(format_args!("{event}, {left} bytes left"));
    options(wire)
}

fn options(wire: &mut Wire<'_>) -> Result {
    const NO_OPERATION: u8 = 1;
    const URL_DATA: u8 = 2;
    while wire.remaining() > 0 {
        match wire.u8(&OPTION)? {
            0 => break,
            NO_OPERATION => {}
            kind => {
                let length = usize::from(wire.u8(&OPTION_LENGTH)?);
                match kind {
                    _ if length == 0 => {}
                    URL_DATA => drop(wire.text(&OPTION_PATH, length)?),
                    _ => drop(wire.bytes(&OPTION_DATA, length)?),
                }
            }
        }
    }
    Ok(())
}

/// Dissects an announce response. Its addresses are of the same family as those of the datagram.
fn peers(wire: &mut Wire<'_>) -> Result {
    wire.name("Announce response");
    wire.u32_be(&INTERVAL)?;
    let leechers = wire.u32_be(&LEECHERS)?;
    let seeders = wire.u32_be(&SEEDERS)?;
    wire.info(format_args!("seeders {seeders}, leechers {leechers}"));
    let is_ipv6 = wire.addresses().is_some_and(|[source, _]| source.is_ipv6());
    wire.groups(&PEER, |wire| {
        if is_ipv6 {
            wire.bytes(&PEER_IP6, 16)?
        } else {
            wire.bytes(&PEER_IP, 4)?
        };
        wire.u16_be(&PEER_PORT).map(drop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    const CONNECT: &[&str] = &["0000041727101980 00000000 0000abcd", "00000000 0000abcd 1122334455667788"];

    fn announcement() -> Vec<u8> {
        let numbers = "0000000000000000 0000000000100000 0000000000000000 00000002 00000000 00c0ffee ffffffff 1ae1";
        let head = trial::bytes("1122334455667788 00000001 0000abce");
        [&head, &[0xaa; 20][..], b"-PD0100-abcdefghijkl", &trial::bytes(numbers), b"\x02\x05/ann?\x01\0"].concat()
    }

    fn messages() -> Vec<Vec<u8>> {
        let mut messages: Vec<Vec<u8>> = CONNECT.iter().map(|hex| trial::bytes(hex)).collect();
        messages.push(announcement());
        messages.push(trial::bytes("00000001 0000abce 00000708 00000002 00000001 c0000207 1ae1"));
        messages.push([trial::bytes("1122334455667788 00000002 0000abcf"), vec![0xaa; 20]].concat());
        messages.push(trial::bytes("00000002 0000abcf 00000001 00000009 00000002"));
        messages.push([&trial::bytes("00000003 0000abcf")[..], b"no such torrent"].concat());
        messages
    }

    #[test]
    fn requests_and_their_responses_are_dissected() {
        let mut pending = Pending::default();
        let mut trees = String::new();
        for (place, bytes) in messages().iter().enumerate() {
            assert!(recognize(bytes) == [0, 2].contains(&place), "{bytes:?}");
            assert!(pending.claims(Side::Server, bytes), "{bytes:?}");
            trees += &trial::read(&PROTOCOL, bytes, Cut::No, |wire| pending.message(Side::Client, wire));
        }
        insta::assert_snapshot!(trees, @r#"
        bt-tracker 0..16 | Connect
          0..8 bt-tracker.proto_id = 0x0000041727101980
          8..12 bt-tracker.action = 0 (Connect)
          12..16 bt-tracker.transaction_id = 43981
        bt-tracker 0..16 | Connect response
          0..4 bt-tracker.action = 0 (Connect)
          4..8 bt-tracker.transaction_id = 43981
          8..16 bt-tracker.connection_id = 1234605616436508552
          bt-tracker.response_to = 0
        bt-tracker 0..107 | Announce | Started, 1048576 bytes left
          0..8 bt-tracker.connection_id = 1234605616436508552
          8..12 bt-tracker.action = 1 (Announce)
          12..16 bt-tracker.transaction_id = 43982
          16..36 bt-tracker.info_hash = 20 bytes
          36..56 bt-tracker.peer_id = 20 bytes
          56..64 bt-tracker.downloaded = 0
          64..72 bt-tracker.left = 1048576
          72..80 bt-tracker.uploaded = 0
          80..84 bt-tracker.event = 2 (Started)
          84..88 bt-tracker.ip_address = 0.0.0.0
          88..92 bt-tracker.key = 12648430
          92..96 bt-tracker.num_want = -1
          96..98 bt-tracker.port = 6881
          98..99 bt-tracker.extension_type = 2 (URL data)
          99..100 bt-tracker.extension_len = 5
          100..105 bt-tracker.extension.urldata = "/ann?"
          105..106 bt-tracker.extension_type = 1 (No operation)
          106..107 bt-tracker.extension_type = 0 (End of options)
        bt-tracker 0..26 | Announce response | seeders 1, leechers 2
          0..4 bt-tracker.action = 1 (Announce)
          4..8 bt-tracker.transaction_id = 43982
          8..12 bt-tracker.interval = 1800
          12..16 bt-tracker.leechers = 2
          16..20 bt-tracker.seeders = 1
          20..26 bt-tracker.tracker
            20..24 bt-tracker.tracker.ip = 192.0.2.7
            24..26 bt-tracker.tracker.port = 6881
          bt-tracker.response_to = 0
        bt-tracker 0..36 | Scrape
          0..8 bt-tracker.connection_id = 1234605616436508552
          8..12 bt-tracker.action = 2 (Scrape)
          12..16 bt-tracker.transaction_id = 43983
          16..36 bt-tracker.info_hash = 20 bytes
        bt-tracker 0..20 | Scrape response
          0..4 bt-tracker.action = 2 (Scrape)
          4..8 bt-tracker.transaction_id = 43983
          8..12 bt-tracker.seeders = 1
          12..16 bt-tracker.completed = 9
          16..20 bt-tracker.leechers = 2
          bt-tracker.response_to = 0
        bt-tracker 0..23 | Error | no such torrent
          0..4 bt-tracker.action = 3 (Error)
          4..8 bt-tracker.transaction_id = 43983
          8..23 bt-tracker.error_msg = "no such torrent"
          bt-tracker.response_to = 0
        "#);
    }

    #[test]
    fn responses_without_a_request_are_not_claimed() {
        let pending = Pending::default();
        for bytes in messages().iter().skip(1).filter(|bytes| !is_announcement(bytes)) {
            assert!(!recognize(bytes) && !pending.claims(Side::Server, bytes));
        }
    }

    #[test]
    fn damaged_messages_are_dissected() {
        for bytes in messages() {
            trial::survives_damage(&PROTOCOL, &bytes, |wire| Pending::default().message(Side::Client, wire));
        }
    }
}
