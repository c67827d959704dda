//! Conversations whose endpoints change: datagrams that carry a connection ID issued between other endpoints.

use crate::flow::Pair;
use crate::limits;
use crate::tree::{ConnectionId, Side};
use std::collections::HashMap;

/// Connection IDs in use, with the conversation that issued each.
#[derive(Default)]
pub(in crate::engine) struct ConnectionIds {
    known: HashMap<Box<[u8]>, Issued, foldhash::fast::RandomState>,
    /// Offset and size of the IDs in datagrams, without duplicates.
    places: Vec<(usize, usize)>,
}

/// Origin of a connection ID.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Issued {
    /// Endpoints of the conversation that issued it.
    pub pair: Pair,
    /// The side that sends datagrams with this ID.
    pub sender: Side,
}

impl ConnectionIds {
    /// Smallest ID in bytes that identifies a conversation beyond its endpoints; a shorter one occurs by chance.
    const MIN: usize = 4;
    /// Most combinations of offset and size; QUIC has two offsets and 20 sizes.
    const PLACES: usize = 64;

    /// Stores an ID. All are evicted at the limit. Returns whether they were.
    pub(in crate::engine) fn insert(&mut self, id: ConnectionId, pair: Pair) -> bool {
        let ConnectionId { sender, offset, bytes } = id;
        let place = (offset, bytes.len());
        let is_place = self.places.contains(&place);
        if bytes.len() < Self::MIN || !is_place && self.places.len() >= Self::PLACES {
            return false;
        }
        let evicts = self.known.len() >= limits::ANNOUNCED.get();
        if evicts {
            self.known.clear();
        }
        if !is_place {
            self.places.push(place);
        }
        self.known.insert(bytes, Issued { pair, sender });
        evicts
    }

    /// The origin of the connection ID in a datagram. An ID may stand at several offsets, by the version of its protocol.
    pub(in crate::engine) fn find(&self, payload: &[u8]) -> Option<Issued> {
        self.places.iter().find_map(|&(offset, size)| {
            let id = payload.get(offset..)?.get(..size)?;
            self.known.get(id).copied()
        })
    }
}
