//! Ports and payload of a UDP datagram before its header is dissected.

use crate::layers::{Bytes, TransportSegment, udp};
use std::net::SocketAddr;

/// The payload of a datagram before its header is dissected.
pub(in crate::engine) fn peek_payload<'a>(bytes: Bytes<'a>, segment: &TransportSegment) -> &'a [u8] {
    const HEADER: usize = 8;
    bytes.get(segment.range.clone()).get(HEADER..).unwrap_or_default()
}

/// Whether a datagram is a tunnel packet, judging by its ports and first bytes.
pub(in crate::engine) fn is_tunnel(bytes: Bytes<'_>, segment: &TransportSegment) -> bool {
    let content = peek_payload(bytes, segment);
    sockets(bytes, segment).is_some_and(|sockets| udp::tunnel(sockets.map(|socket| socket.port()), content).is_some())
}

/// Source and destination of a datagram, if its header is complete.
pub(in crate::engine) fn sockets(bytes: Bytes<'_>, segment: &TransportSegment) -> Option<[SocketAddr; 2]> {
    let udp = etherparse::UdpHeaderSlice::from_slice(bytes.get(segment.range.clone())).ok()?;
    Some([SocketAddr::new(segment.src, udp.source_port()), SocketAddr::new(segment.dst, udp.destination_port())])
}
