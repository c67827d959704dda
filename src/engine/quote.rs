//! Packets quoted by ICMP errors: their conversations, numbered as in Wireshark (a quote may start one), their payload, and
//! their secrets.

use super::message::Out;
use super::stream::Connection;
use super::transport::tcp::close_old;
use super::{Engine, bug};
use crate::flow::Pair;
use crate::input::{Frame, Link};
use crate::layers::{tcp, udp};
use crate::registry::{Candidate, FlowContext, Registry};
use crate::tree::{EmbeddedPayload, Field, Quote, QuoteReader, QuotedPayload, Side, Span, StreamId, Transport, Tree, Value};
use crate::wire::{Cut, Dissector, Extent, On, Result, Wire, data};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

impl Engine {
    /// Sets the stream numbers of quoted packets.
    #[cold]
    pub(super) fn number_quotes(&mut self, frame: &Frame<'_>) {
        for quote in self.tree.handover.take_quotes() {
            self.relations.quoted = Some((Pair::new(quote.src, quote.dst), quote.transport));
            let (field, number): (&Field, u32) = match quote.transport {
                Transport::Udp => {
                    (&udp::STREAM, self.transports.exchanges.number(self.registry, frame.number, quote.src, quote.dst))
                }
                Transport::Tcp if self.tree.demand().streams() => (&tcp::STREAM, self.connection_of(&quote, frame)),
                Transport::Tcp | Transport::Sctp | Transport::Usb => continue,
            };
            let node = self.tree.nodes.get_mut(quote.node as usize);
            if let Some(node) = node.filter(|node| node.field.is(field)) {
                node.value = Value::Unsigned(number.into());
            }
        }
    }

    /// Masks secrets in quoted packets, as if each were a frame.
    #[cold]
    pub(super) fn hide_quoted(&mut self, frame: &Frame<'_>) {
        for span in self.tree.handover.take_packets() {
            let bytes = frame.bytes.get(span.start as usize..span.end as usize);
            // Quotes inside quotes are ignored.
            if let Some(bytes) = bytes.filter(|_| span.source == 0 && !self.current.is_of_quote) {
                for (start, end) in secrets_of(self.registry, bytes) {
                    self.tree.hide(Span::new(0, (span.start + start) as usize..(span.start + end) as usize));
                }
            }
        }
    }

    /// The number of the connection of a quoted segment.
    fn connection_of(&mut self, quote: &Quote, frame: &Frame<'_>) -> u32 {
        let Quote { src, dst, opens, .. } = *quote;
        let (pair, from_low) = Pair::between((src.ip(), src.port()), (dst.ip(), dst.port()));
        let goes_on = |known: &mut Connection| {
            let base = known.base(from_low);
            opens.is_none_or(|seq| base.is_none_or(|base| base == seq))
        };
        let (number, _, old) = self.transports.streams.get_or_begin(pair, frame.number, goes_on, Connection::Quoted);
        if let Some(old) = old {
            close_old(*old, &mut self.bounds.held, &mut Out::new(&mut self.tree, self.registry, frame.bytes, None));
        }
        number
    }
}

/// Dissects the payload of quoted packets by their ports.
struct PortReader(Registry);

/// The reader of quoted payloads, unless the registry dissects no payload.
pub(super) fn reader(registry: Registry) -> Option<Arc<dyn QuoteReader>> {
    (!registry.is_blind()).then(|| Arc::new(PortReader(registry)) as Arc<dyn QuoteReader>)
}

impl fmt::Debug for PortReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
}

impl QuoteReader for PortReader {
    fn read(&self, tree: &mut Tree, payload: &QuotedPayload<'_>) -> Option<&'static Field> {
        let QuotedPayload { layer, source, bytes, ref range, is_cut, transport, ends } = *payload;
        let (PortReader(registry), content) = (self, bytes.get(range.clone()).unwrap_or_default());
        let is_home = |socket: SocketAddr| {
            let port = socket.port();
            registry.is_home(if transport == Transport::Udp { On::Udp(port) } else { On::Tcp(port) })
        };
        let [src, dst] = ends;
        let side = if is_home(src) && !is_home(dst) { Side::Server } else { Side::Client };
        // No choice by stream number applies.
        let stream = StreamId { transport, number: u32::MAX };
        let context = FlowContext { stream, sockets: Some(ends), over: None, inside: false, carrier: None };
        let candidate = registry.quoted_owner(&context, side, content)?;
        let protocol = candidate.protocol;
        let cut = if is_cut { Cut::Capture } else { Cut::No };
        let mut wire = Wire::new(tree, layer, source, bytes, range.clone(), cut);
        // Readers stop where the quote does.
        let _ = bug::reading(&mut wire, range.end, protocol, |wire| {
            wire.group(protocol.this, |wire| message(wire, candidate, *registry, side))
        });
        Some(protocol.this)
    }

    fn read_embedded(&self, tree: &mut Tree, payload: &EmbeddedPayload<'_>) {
        let EmbeddedPayload { layer, source, bytes, ref range, protocol } = *payload;
        let PortReader(registry) = self;
        let Some(candidate) = registry.reader(protocol).or_else(|| registry.stream_reader(protocol)) else { return };
        let mut wire = Wire::new(tree, layer, source, bytes, range.clone(), Cut::No);
        let _ = bug::reading(&mut wire, range.end, candidate.protocol, |wire| {
            wire.group(candidate.protocol.this, |wire| {
                let result = message(wire, candidate, *registry, Side::Client);
                candidate.protocol.conclude(wire, result);
                Ok(())
            })
        });
    }
}

/// Dissects a datagram, or the first message of a segment, as the first one of its conversation.
fn message(wire: &mut Wire<'_>, candidate: Candidate, registry: Registry, side: Side) -> Result {
    let (dissector, settings) = (candidate.found.dissector, registry.settings());
    if let Some(mut state) = dissector.exchange(settings) {
        return state.message(side, wire);
    }
    if let Some(mut state) = dissector.conversation(settings, [false; 2]) {
        let count = match state.extent(side, wire.ahead(), false) {
            Extent::Message(count) => count.min(wire.remaining()),
            Extent::NeedMore(_) => wire.remaining(),
            Extent::Unknown(_) | Extent::Segment => return Ok(()),
        };
        return wire.within(count, &data::BYTES, |wire| state.message(side, wire));
    }
    match dissector {
        Dissector::Datagram(read) => read(wire),
        Dissector::Described(described) => described.message(wire),
        _ => Ok(()),
    }
}

/// Spans of secrets in a packet, dissected as the first of its conversation.
fn secrets_of(registry: Registry, bytes: &[u8]) -> Vec<(u32, u32)> {
    const RAW_IP: u16 = 101;
    let mut engine = Engine::complete(registry);
    engine.current.is_of_quote = true;
    // An ICMP error quotes the beginning of a packet.
    let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX).max(ip_length(bytes));
    let tree = engine.dissect(&Frame { number: 1, link: Link::Type(RAW_IP), bytes, original_len, ..Frame::default() });
    let mut found = tree.secrets_in_frame(1);
    while let Some(tree) = engine.finish() {
        found.extend(tree.secrets_in_frame(1));
    }
    found
}

/// The packet length in its IP header.
fn ip_length(bytes: &[u8]) -> u32 {
    const HEADER_6: u32 = 40;
    match *bytes {
        [first, _, high, low, ..] if first >> 4 == 4 => u16::from_be_bytes([high, low]).into(),
        [first, _, _, _, high, low, ..] if first >> 4 == 6 => HEADER_6 + u32::from(u16::from_be_bytes([high, low])),
        _ => 0,
    }
}
