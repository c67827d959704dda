//! Fragments of IP datagrams: which belong together, and what is shown of them.

use crate::flow::defrag::{Fragment, Fragments, Joined};
use crate::input::Frame;
use crate::layers::ip::INCOMPLETE;
use crate::layers::{self, Bytes, Part, Segment};
use crate::tree::{Address, Ends, Span, Tree};
use crate::wire::notes::OVERLAP;
use std::net::IpAddr;

/// What ties fragments together: who speaks to whom, the number of the datagram, and the virtual networks it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    src: IpAddr,
    dst: IpAddr,
    id: u32,
    /// Of IPv4 only: in IPv6 each fragment but the first may name another header.
    protocol: Option<u8>,
    tag: u64,
}

/// Take a fragment. Returns the datagram that it completes.
pub(super) fn accept(
    tree: &mut Tree,
    fragments: &mut Fragments<Key>,
    frame: &Frame<'_>,
    bytes: Bytes<'_>,
    part: Part,
    segment: &Segment,
) -> Option<Joined> {
    let (src, dst) = (segment.src, segment.dst);
    let key = Key { src, dst, id: part.id, protocol: src.is_ipv4().then_some(part.protocol), tag: tree.tag };
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
        tree.note(&OVERLAP, node, span, format_args!("{} bytes that came before were others", outcome.differing));
    }
    outcome.whole
}

/// The bytes of a datagram as a source of the tree.
pub(super) fn source(tree: &mut Tree, joined: &Joined) -> u32 {
    let first = tree.pieces.len();
    tree.pieces.extend_from_slice(&joined.pieces);
    tree.push_derived("ip fragments", None, first, &joined.bytes)
}

/// What there is of a datagram that will not be completed.
pub(super) fn incomplete(tree: &mut Tree, key: &Key, joined: &Joined) {
    let [src, dst] = [key.src, key.dst].map(|ip| Some(Address::Ip(ip)));
    tree.push_ends(Ends { src, dst, ..Ends::default() });
    let source = source(tree, joined);
    let bytes = Bytes { source, all: &joined.bytes };
    layers::unexplained(tree, bytes, 0..joined.bytes.len(), None);
    let node = tree.here().saturating_sub(1);
    let missing = joined.missing;
    tree.note(&INCOMPLETE, node, Span::new(source, 0..joined.bytes.len()), format_args!("at least {missing} bytes are missing"));
}
