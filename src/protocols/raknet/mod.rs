//! RakNet 4: reliable messages over UDP, used by many games. Numbers are big-endian except 24-bit ones.
//!
//! Discovery and connection setup use offline messages with 16 magic bytes. After that every datagram contains frames with
//! messages or parts of them, or acknowledges datagrams.
//!
//! ```text
//! datagram   flags:1 | number:3 | frames
//! frame      reliability:3 bits, split:1, 0:4 | bits:2 | message number:3   if reliable
//!                                                      | sequencing index:3 if sequenced
//!                                                      | ordering index:3 | channel:1   if sequenced or ordered
//!                                                      | count:4 | id:2 | index:4       if split
//!                                                      | payload
//! ACK        flags:1 | bandwidth:4 (if flag 0x20) | count:2 | records
//! NAK        flags:1 | count:2 | records
//! record     1 | number:3            0 | first:3 | last:3
//! ```
//! Complete messages are dispatched under the name `raknet`: internal ones are in `system`, the others belong to the
//! game. Games may number messages anew: see `ids`. Without offline messages, a connection is recognized by an internal message, or
//! by several datagrams in order.
//! Not covered: encryption, and RakNet's file transfers.

mod datagram;
mod fields;
mod heuristics;
mod ids;
mod offline;
mod system;

use crate::flow::delivery::{EvictedMessage, Joined};
use crate::tree::{BySide, Side, Time};
use crate::wire::{Exchange, Heuristic, On, Protocol, Rest, Result, Setting, Settings, Unfinished, ValueKind, Wire};
use datagram::Sender;
use fields::*;
use ids::Ids;

pub use system::PROTOCOL as MESSAGE;

pub static PROTOCOL: Protocol = Protocol::new(&RAKNET, FIELDS)
    .found(&[
        On::AnyUdp.exchange_with(Heuristic::Datagram(heuristics::is_offline), open),
        On::AnyUdp.exchange_with(Heuristic::Datagram(heuristics::is_evident), open),
        On::Udp(8192).exchange_with(Heuristic::Datagram(heuristics::is_sound), open),
        On::Over("vcmp.z").exchange_with(Heuristic::Datagram(heuristics::is_of_connection), open),
        On::AnyUdp.exchange_with(Heuristic::Series(heuristics::SERIES), open),
    ])
    .rest(&UNPARSED)
    .settings(&[Setting {
        name: IDS,
        about: "Message IDs that a game numbers anew, each with its stock ID in hexadecimal: 7b=05,7e=06.",
        takes: ValueKind::Checked(|text| Ids::parse(text).map(drop)),
    }]);

/// Name of the option for IDs.
const IDS: &str = "raknet.ids";

fn open(settings: &Settings) -> Box<dyn Exchange> {
    let ids = settings.get(IDS).and_then(|text| Ids::parse(text).ok()).unwrap_or_default();
    Box::new(Session { ids, ..Session::default() })
}

/// Dispatch name of messages.
const PLACE: &str = "raknet";

/// The same for messages with another ID than the stock one.
const RENUMBERED: &str = "raknet.renumbered";

/// Name of the source of reassembled messages.
const PARTS: &str = "raknet parts";

/// State of one connection.
#[derive(Default)]
struct Session {
    senders: BySide<Sender>,
    /// A message of a connection was captured.
    is_open: bool,
    /// Last offline ping: sender, its timestamp, frame and capture time.
    ping: Option<(Side, u64, u64, Time)>,
    ids: Ids,
    /// The setup has other message IDs. Such games may encrypt what follows.
    is_renumbered: bool,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if heuristics::is_offline(wire.ahead()) {
            return self.offline(from, wire);
        }
        if !heuristics::is_of_connection(wire.ahead()) {
            wire.name("unknown");
            return wire.malformed(&UNKNOWN_DATAGRAM, format_args!("bit 7 of the first byte is not set"));
        }
        self.is_open = true;
        self.datagram(from, wire)
    }

    fn claims(&self, _: Side, bytes: &[u8]) -> bool {
        let is_right = if self.is_renumbered { heuristics::is_sound } else { heuristics::is_of_connection };
        self.is_open && is_right(bytes)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.senders.iter().map(Sender::memory_usage).sum::<usize>()
    }

    fn unfinished(&mut self) -> Vec<Unfinished> {
        let mut all = Vec::new();
        for from in Side::BOTH {
            for (EvictedMessage { id, received, count }, Joined { bytes, pieces }) in self.senders[from].splits().drain() {
                let words = format!("{received} of {count} parts of message {id} received");
                all.push(Unfinished {
                    from,
                    bytes,
                    pieces,
                    method: PARTS,
                    lost: Vec::new(),
                    rest: Rest::Incomplete { code: &INCOMPLETE_SPLIT, words },
                });
            }
        }
        all
    }
}

impl Session {
    fn offline(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let (frame, when) = wire.completed();
        let offline = offline::message(wire, &self.ids)?;
        self.is_renumbered |= offline.is_renumbered;
        match (offline.id, offline.time) {
            (offline::PING | offline::PING_OPEN, Some(time)) => self.ping = Some((from, time, frame, when)),
            (offline::PONG, Some(echoed)) => {
                if let Some((_, _, frame, then)) = self.ping.filter(|(side, time, ..)| *side != from && *time == echoed) {
                    system::round_trip(wire, frame, then);
                }
            }
            (offline::REQUEST_2, _) if self.senders.iter().any(Sender::has_spoken) => self.begin(),
            (offline::REQUEST_1 | offline::REPLY_1 | offline::REQUEST_2 | offline::REPLY_2, _) if !self.is_open => self.begin(),
            _ => {}
        }
        Ok(())
    }

    /// Resets the state for a new connection.
    fn begin(&mut self) {
        self.is_open = true;
        self.senders = BySide::new(|_| Sender::fresh());
    }
}
