//! UDP: conversations, and whose message a datagram is.

use crate::flow::{Pair, Table};
use crate::layers::{self, Bytes, Carried, Checks, Segment, udp};
use crate::registry::{Candidate, Registry, Venue};
use crate::tree::{Address, Ends, LayerId, Side, Span, StreamId, Transport, Tree};
use crate::wire::{Cut, How, On, Wire};
use std::net::SocketAddr;
use std::ops::Range;

/// What is remembered of two ends that exchange datagrams.
pub(super) struct Exchange {
    client: SocketAddr,
}

/// A UDP header and the message behind it. Where that is a packet of its own, it is handed back with the layer that carries it.
pub(super) fn datagram(
    (registry, checks): (Registry, Checks),
    tree: &mut Tree,
    exchanges: &mut Table<Exchange>,
    number: u64,
    bytes: Bytes<'_>,
    segment: &Segment,
) -> Option<(Carried, LayerId)> {
    let sockets = sockets(bytes, segment);
    let venue = sockets.map(|[src, dst]| conversation(registry, exchanges, number, src, dst));
    let [src, dst] = match sockets {
        Some(sockets) => sockets.map(Address::Socket),
        None => [segment.src, segment.dst].map(Address::Ip),
    };
    let stream = venue.map(|(venue, side)| (venue.stream, side));
    let ends = tree.push_ends(Ends { src: Some(src), dst: Some(dst), stream, path: None });
    let layer = tree.push_layer(&udp::UDP, Span::new(bytes.source, segment.range.clone()), segment.below, ends, false);
    let mut wire = Wire::new(tree, layer, bytes.source, bytes.all, segment.range.clone(), layers::cut(segment.missing));
    let verify = checks.udp.then_some([segment.src, segment.dst]);
    let result = udp::datagram(&mut wire, stream.map(|(stream, _)| stream.number), verify, segment.missing);
    let (payload, missing) = match result {
        Ok(payload) => payload,
        Err(error) => {
            let left = udp::PROTOCOL.conclude(&mut wire, Err(error));
            tree.undissected += left as u64;
            layers::finish(tree, layer, segment.range.end);
            return None;
        }
    };
    layers::finish(tree, layer, payload.start);
    if payload.is_empty() {
        return None;
    }
    let said = bytes.get(payload.clone());
    let owner = venue.and_then(|(venue, _)| registry.datagram_owner(&venue, said));
    let chosen = venue.is_some_and(|(venue, _)| registry.is_chosen(&venue));
    // The port of a tunnel says more than looks do, and less than the port of a protocol that looked at the bytes.
    let tunnel = sockets.and_then(|sockets| udp::tunnel(sockets.map(|socket| socket.port()), said));
    if let Some(next) = tunnel.filter(|_| !chosen && owner.is_none_or(|owner| owner.found.on == On::AnyUdp)) {
        return Some((Carried::new(next, payload, missing), layer));
    }
    match owner {
        Some(candidate) => message(tree, candidate, bytes, payload, missing, Some(layer)),
        None => {
            layers::unexplained(tree, bytes, payload, Some(layer));
        }
    }
    None
}

/// A datagram's payload as a protocol's message.
pub(super) fn message(
    tree: &mut Tree,
    candidate: Candidate,
    bytes: Bytes<'_>,
    range: Range<usize>,
    missing: usize,
    below: Option<LayerId>,
) {
    let How::Datagram(read) = candidate.found.how else { return };
    let protocol = candidate.protocol;
    let ends = below.and_then(|below| tree.layers.get(below as usize)).map_or(0, |layer| layer.ends);
    let layer = tree.push_layer(protocol.this, Span::new(bytes.source, range.clone()), below, ends, true);
    let mut wire =
        Wire::new(tree, layer, bytes.source, bytes.all, range.clone(), if missing > 0 { Cut::Capture } else { Cut::No });
    let result = read(&mut wire);
    let left = protocol.conclude(&mut wire, result);
    layers::finish(tree, layer, range.end);
    tree.undissected += left as u64;
}

/// Who sends a datagram and who gets it, if its header says so.
fn sockets(bytes: Bytes<'_>, segment: &Segment) -> Option<[SocketAddr; 2]> {
    let udp = etherparse::UdpHeaderSlice::from_slice(bytes.get(segment.range.clone())).ok()?;
    Some([SocketAddr::new(segment.src, udp.source_port()), SocketAddr::new(segment.dst, udp.destination_port())])
}

/// The conversation of two ends, and which of its sides speaks.
fn conversation(
    registry: Registry,
    exchanges: &mut Table<Exchange>,
    frame: u64,
    src: SocketAddr,
    dst: SocketAddr,
) -> (Venue, Side) {
    let pair = Pair::new(src, dst);
    if exchanges.get(&pair, frame).is_none() {
        let home = |socket: SocketAddr| registry.is_home(On::Udp(socket.port()));
        let client = if home(src) && !home(dst) { dst } else { src };
        exchanges.begin(pair, frame, |_| Exchange { client });
    }
    let (number, client) = exchanges.get(&pair, frame).map_or((0, src), |(number, exchange)| (number, exchange.client));
    let stream = StreamId { transport: Transport::Udp, number };
    if client == src {
        (Venue { stream, sockets: Some([src, dst]) }, Side::Client)
    } else {
        (Venue { stream, sockets: Some([dst, src]) }, Side::Server)
    }
}
