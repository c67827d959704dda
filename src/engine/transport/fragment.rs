//! Fragments of IP datagrams: reassembly and display.

use crate::engine::{Engine, WaitsFor};
use crate::flow::defrag::{Fragment, Fragments, Joined};
use crate::input::Frame;
use crate::layers::ip::INCOMPLETE;
use crate::layers::{self, Bytes, FragmentPosition, HeaderPayload, Next, TransportSegment};
use crate::tree::{Address, Ends, Label, Span, Tree};
use crate::wire::notes::OVERLAP;
use std::net::IpAddr;

/// Identifies the fragments of a datagram: endpoints, identification, and the virtual networks that carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::engine) struct Key {
    src: IpAddr,
    dst: IpAddr,
    id: u32,
    /// IPv4 only: in IPv6, each fragment except the first may have another next header.
    protocol: Option<u8>,
    tag: u64,
}

impl Engine {
    /// Accepts a fragment. The last missing one completes the datagram.
    #[cold]
    pub(super) fn fragment(&mut self, frame: &Frame<'_>, bytes: Bytes<'_>, part: FragmentPosition, segment: &TransportSegment) {
        let Some(whole) = accept(&mut self.tree, &mut self.transports.fragments, frame, bytes, part, segment) else {
            self.current.waits_for = WaitsFor::Datagram;
            if let Some(below) = segment.below {
                self.tree.label(below, Label::Inside(layers::DATA.this.abbrev));
            }
            return;
        };
        let source = source(&mut self.tree, &whole);
        let joined = Bytes { source, all: &whole.bytes };
        let carried = HeaderPayload::new(Next::IpProtocol(part.protocol), 0..whole.bytes.len(), 0);
        let reached = layers::walk_on(&mut self.tree, carried, joined, segment.below, self.checks);
        self.transport(frame, joined, &reached);
    }
}

/// Accepts a fragment. Returns the datagram that it completes.
pub(in crate::engine) fn accept(
    tree: &mut Tree,
    fragments: &mut Fragments<Key>,
    frame: &Frame<'_>,
    bytes: Bytes<'_>,
    part: FragmentPosition,
    segment: &TransportSegment,
) -> Option<Joined> {
    let (src, dst) = (segment.src, segment.dst);
    let key = Key { src, dst, id: part.id, protocol: src.is_ipv4().then_some(part.protocol), tag: tree.outcome.tag };
    let fragment = Fragment {
        off: part.off,
        more: part.more,
        bytes: bytes.get(segment.range.clone()),
        frame: frame.number,
        at: u32::try_from(segment.range.start).unwrap_or(u32::MAX),
        time: frame.time,
    };
    let outcome = fragments.accept(key, &fragment);
    if outcome.differing > 0 {
        let node = tree.here().saturating_sub(1);
        let span = Span::new(bytes.source, segment.range.clone());
        tree.note(&OVERLAP, node, span, format_args!("{} bytes differ from those received earlier", outcome.differing));
    }
    outcome.whole
}

/// Adds the bytes of a datagram to the tree as a source.
pub(in crate::engine) fn source(tree: &mut Tree, joined: &Joined) -> u32 {
    let first = tree.pieces.len();
    tree.pieces.extend_from_slice(&joined.pieces);
    tree.push_derived("ip fragments", None, first, &joined.bytes)
}

/// Emits the received parts of a datagram that stays incomplete.
pub(in crate::engine) fn incomplete(tree: &mut Tree, key: &Key, joined: &Joined) {
    let [src, dst] = [key.src, key.dst].map(|ip| Some(Address::Ip(ip)));
    tree.push_ends(Ends { src, dst, ..Ends::default() });
    let source = source(tree, joined);
    let bytes = Bytes { source, all: &joined.bytes };
    layers::unexplained(tree, bytes, 0..joined.bytes.len(), None);
    let node = tree.here().saturating_sub(1);
    let missing = joined.missing;
    tree.note(&INCOMPLETE, node, Span::new(source, 0..joined.bytes.len()), format_args!("at least {missing} bytes are missing"));
}
