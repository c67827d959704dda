//! Fast path for plain frames: Ethernet with or without VLAN tags, IP without options or extension headers, TCP or UDP.
//!
//! Plain frames are complete and have no notes. If no header field is requested, their headers are read in one step,
//! and the tree gets little more than the addresses. Tagged frames take this path only if no layer is emitted at all.

use super::{Checks, Reached, TransportSegment, ethernet, ip, ipv6, tcp};
use crate::input::Link;
use crate::tree::{Address, Carriers, Ends, Field, LayerId, Only, Span, SummaryFn, Tree, Value};
use crate::wire::{Cut, Wire};
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

const ETHERNET: Link = Link::Type(1);

/// Header fields that the fast path emits.
const FAST_FIELDS: [&Field; 13] = [
    &ethernet::DST,
    &ethernet::SRC,
    &ip::PROTO,
    &ip::SRC,
    &ip::DST,
    &ipv6::NXT,
    &ipv6::SRC,
    &ipv6::DST,
    &tcp::SRCPORT,
    &tcp::DSTPORT,
    &tcp::STREAM,
    &tcp::LEN,
    &tcp::PAYLOAD,
];

/// Whether the fast path omits this field.
pub(super) fn omits(field: &Field) -> bool {
    let passed = [&ethernet::PROTOCOL, &ip::PROTOCOL, &ipv6::PROTOCOL, &tcp::PROTOCOL];
    let is_one = |known: &&Field| known.is(field);
    passed.iter().flat_map(|protocol| protocol.fields).any(is_one) && !FAST_FIELDS.iter().any(is_one)
}

/// Takes the fast path if the frame is plain and no other header field is requested.
pub(super) fn walk(tree: &mut Tree, link: Link, frame: &[u8], missing: usize, checks: Checks) -> Option<Reached> {
    if !tree.demand().passes_headers() {
        return None;
    }
    let plain = FastHeaders::of(link, frame, missing, checks).filter(|plain| plain.tags == 0)?;
    Some(plain.put(tree, frame))
}

/// Emits only the requested fields of a plain frame with a TCP segment.
pub(crate) fn loose(tree: &mut Tree, link: Link, frame: &[u8], missing: usize, checks: Checks) -> Option<Reached> {
    let only = tree.demand().fields.only().filter(|_| tree.demand().carriers == Carriers::FieldsOnly)?;
    let plain = FastHeaders::of(link, frame, missing, checks).filter(|plain| plain.has_segment() && plain.covers(only))?;
    let segment = plain.packet.carried();
    let header = tcp::Header::parse(frame.get(segment.clone())?).filter(|header| header.is_plain)?;
    plain.put_fields(tree);
    plain.packet.put_fields(tree);
    tcp::put_fields(tree, &header, segment);
    Some(Reached::End)
}

/// Maximum number of VLAN tags of a plain frame.
const TAGS: usize = 2;

/// Bytes of a tag control field and the EtherType after it.
const TAG: usize = 4;

/// Layer paths of plain frames with a segment, by number of tags, for IPv4 and IPv6.
const PATHS: [[&str; 2]; TAGS + 1] = [
    ["eth:ip:tcp", "eth:ipv6:tcp"],
    ["eth:vlan:ip:tcp", "eth:vlan:ipv6:tcp"],
    ["eth:vlan:vlan:ip:tcp", "eth:vlan:vlan:ipv6:tcp"],
];

/// Link-layer addresses and socket addresses of a plain frame: source, then destination.
pub fn ends(frame: &[u8]) -> Option<([[u8; 6]; 2], [SocketAddr; 2])> {
    let FastHeaders { src, dst, packet, .. } = FastHeaders::of(ETHERNET, frame, 0, Checks::default())?;
    let [p0, p1, q0, q1] = *frame.get(packet.carried())?.first_chunk()?;
    let [from, to] = [[p0, p1], [q0, q1]].map(u16::from_be_bytes);
    Some(([src, dst], [SocketAddr::new(packet.src, from), SocketAddr::new(packet.dst, to)]))
}

/// Parsed headers of a plain frame.
pub struct FastHeaders {
    src: [u8; 6],
    dst: [u8; 6],
    tags: usize,
    packet: Packet,
}

/// Header values that [`FastHeaders`] exposes: equal for most frames of a conversation in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowKey {
    link: [[u8; 6]; 2],
    tags: usize,
    net: [IpAddr; 2],
    protocol: u8,
}

impl FlowKey {
    /// Hash of the network addresses.
    pub fn spread(&self) -> u32 {
        /// The golden ratio, as a fraction of 32 bits.
        const SPREAD: u32 = 0x9e37_79b9;
        let [src, dst] = self.net.map(|address| match address {
            IpAddr::V4(address) => address.to_bits(),
            IpAddr::V6(address) => address.octets().last_chunk().copied().map_or(0, u32::from_be_bytes),
        });
        src.wrapping_mul(SPREAD).wrapping_add(dst).wrapping_mul(SPREAD)
    }
}

/// Value of a field of plain headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderValue<'a> {
    /// Link-layer address.
    Mac(&'a [u8; 6]),
    /// Network address.
    Ip(IpAddr),
    /// IP protocol number.
    Number(u8),
}

impl FastHeaders {
    /// Parses the headers of a frame; `None` if it is not plain.
    pub fn of(link: Link, frame: &[u8], missing: usize, checks: Checks) -> Option<FastHeaders> {
        if link != ETHERNET || missing > 0 || checks.ip {
            return None;
        }
        let (ethernet::Header { src, dst, mut kind }, mut behind) = ethernet::Header::parse(frame)?;
        let mut tags = 0;
        while tags < TAGS && !matches!(kind, ethernet::IPV4 | ethernet::IPV6) && ethernet::VLAN_TYPES.contains(&kind) {
            let ([_, _, high, low], carried) = behind.split_first_chunk::<TAG>()?;
            (kind, behind, tags) = (u16::from_be_bytes([*high, *low]), carried, tags + 1);
        }
        let start = ethernet::Header::LEN + tags * TAG;
        let packet = match kind {
            ethernet::IPV4 => Packet::v4(start, behind)?,
            ethernet::IPV6 => Packet::v6(start, behind)?,
            _ => return None,
        };
        Some(FastHeaders { src, dst, tags, packet })
    }

    /// Whether [`FastHeaders::get`] covers all of these fields.
    pub fn covers(&self, of: Only) -> bool {
        of.passes() && (self.tags == 0 || !ethernet::VLAN_PROTOCOL.fields.iter().any(|field| of.has(field)))
    }

    /// Whether it carries a TCP segment.
    pub fn has_segment(&self) -> bool {
        self.packet.protocol == ip::TCP
    }

    /// The carried segment, without layers in the tree.
    pub fn segment(&self) -> TransportSegment {
        let Packet { src, dst, .. } = self.packet;
        let [v4, v6] = PATHS.get(self.tags).copied().unwrap_or_default();
        let path = if src.is_ipv4() { v4 } else { v6 };
        TransportSegment { range: self.packet.carried(), missing: 0, is_part: false, src, dst, below: None, path }
    }

    /// Everything that [`FastHeaders::has`] and [`FastHeaders::get`] depend on.
    pub fn flow_key(&self) -> FlowKey {
        let Packet { src, dst, protocol, .. } = self.packet;
        FlowKey { link: [self.src, self.dst], tags: self.tags, net: [src, dst], protocol }
    }

    /// Whether one of the headers, except tags, has this protocol.
    pub fn has(&self, protocol: &Field) -> bool {
        protocol.is(&ethernet::ETH) || protocol.is(self.packet.this())
    }

    /// Value of an exposed field.
    pub fn get(&self, field: &Field) -> Option<HeaderValue<'_>> {
        let Packet { src, dst, protocol, .. } = self.packet;
        let of_packet = if src.is_ipv4() { [&ip::SRC, &ip::DST, &ip::PROTO] } else { [&ipv6::SRC, &ipv6::DST, &ipv6::NXT] };
        match of_packet.map(|known| field.is(known)) {
            [true, ..] => Some(HeaderValue::Ip(src)),
            [_, true, _] => Some(HeaderValue::Ip(dst)),
            [.., true] => Some(HeaderValue::Number(protocol)),
            _ if field.is(&ethernet::SRC) => Some(HeaderValue::Mac(&self.src)),
            _ if field.is(&ethernet::DST) => Some(HeaderValue::Mac(&self.dst)),
            _ => None,
        }
    }

    fn put_fields(&self, tree: &mut Tree) {
        tree.push(&ethernet::DST, Value::Bytes, Span::new(0, 0..6));
        tree.push(&ethernet::SRC, Value::Bytes, Span::new(0, 6..12));
    }

    fn put(&self, tree: &mut Tree, frame: &[u8]) -> Reached {
        let ends = [Address::Mac(self.src), Address::Mac(self.dst)];
        // Bytes after the packet belong to the link layer.
        let end = if self.packet.carried().end < frame.len() { frame.len() } else { ethernet::Header::LEN };
        let link = Layer { this: &ethernet::ETH, range: 0..end, ends, fields: |tree: &mut Tree| self.put_fields(tree) };
        let below = link.put(tree, frame, None, &ends.map(ethernet::packed), ethernet::summary);
        self.packet.put(tree, frame, below)
    }
}

/// A plain IP packet: no options, extension headers or fragmentation.
struct Packet {
    src: IpAddr,
    dst: IpAddr,
    protocol: u8,
    /// Offset in the frame.
    start: usize,
    /// Bytes of the header, and of the whole packet.
    header: usize,
    len: usize,
}

impl Packet {
    fn v4(start: usize, bytes: &[u8]) -> Option<Packet> {
        let header = ip::Header::parse(bytes).filter(|header| header.is_plain(bytes.len()))?;
        let ip::Header { src, dst, protocol, len, total, .. } = header;
        let packet = Packet { src: src.into(), dst: dst.into(), protocol, start, header: len, len: total };
        packet.has_transport().then_some(packet)
    }

    fn v6(start: usize, bytes: &[u8]) -> Option<Packet> {
        let header = ipv6::Header::parse(bytes).filter(|header| header.is_plain(bytes.len()))?;
        let (ipv6::Header { src, dst, next, .. }, len) = (header, header.total());
        let packet = Packet { src: src.into(), dst: dst.into(), protocol: next, start, header: ipv6::Header::LEN, len };
        packet.has_transport().then_some(packet)
    }

    fn has_transport(&self) -> bool {
        matches!(self.protocol, ip::TCP | ip::UDP)
    }

    fn this(&self) -> &'static Field {
        if self.src.is_ipv4() { &ip::IP } else { &ipv6::IPV6 }
    }

    /// Range of the header in the frame.
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.header
    }

    /// Range of the payload in the frame.
    fn carried(&self) -> Range<usize> {
        self.start + self.header..self.start + self.len
    }

    fn put_fields(&self, tree: &mut Tree) {
        let at = |from: usize, to: usize| Span::new(0, self.start + from..self.start + to);
        let carries = Value::Unsigned(self.protocol.into());
        if self.src.is_ipv4() {
            tree.push(&ip::PROTO, carries, at(9, 10));
            tree.push(&ip::SRC, Value::Bytes, at(12, 16));
            tree.push(&ip::DST, Value::Bytes, at(16, 20));
        } else {
            tree.push(&ipv6::NXT, carries, at(6, 7));
            tree.push(&ipv6::SRC, Value::Bytes, at(8, 24));
            tree.push(&ipv6::DST, Value::Bytes, at(24, 40));
        }
    }

    fn put(&self, tree: &mut Tree, frame: &[u8], link: LayerId) -> Reached {
        let &Packet { src, dst, protocol, .. } = self;
        let ends = [Address::Ip(src), Address::Ip(dst)];
        let layer = Layer { this: self.this(), range: self.range(), ends, fields: |tree: &mut Tree| self.put_fields(tree) };
        let below = if src.is_ipv4() {
            let numbers = [ip::packed(ends[0]), ip::packed(ends[1]), protocol.into()];
            layer.put(tree, frame, Some(link), &numbers, ip::summary)
        } else {
            let ([a, b], [c, d]) = (ipv6::halves(ends[0]), ipv6::halves(ends[1]));
            layer.put(tree, frame, Some(link), &[a, b, c, d, protocol.into()], ipv6::summary)
        };
        let segment =
            TransportSegment { range: self.carried(), missing: 0, is_part: false, src, dst, below: Some(below), path: "" };
        if protocol == ip::TCP { Reached::Tcp(segment) } else { Reached::Udp(segment) }
    }
}

/// A header as a layer.
struct Layer<F> {
    this: &'static Field,
    range: Range<usize>,
    /// Source and destination.
    ends: [Address; 2],
    /// Emits the fields, in the order of the bytes.
    fields: F,
}

impl<F: FnOnce(&mut Tree)> Layer<F> {
    fn put(self, tree: &mut Tree, frame: &[u8], below: Option<LayerId>, numbers: &[u64], summary: SummaryFn) -> LayerId {
        let Layer { this, range, ends: [src, dst], fields } = self;
        let ends = tree.push_ends(Ends { src: Some(src), dst: Some(dst), ..Ends::default() });
        let layer = tree.push_layer(this, Span::new(0, range.clone()), below, ends, false);
        let node = tree.here().saturating_sub(1);
        fields(tree);
        let mut wire = Wire::new(tree, layer, 0, frame, range.clone(), Cut::No);
        wire.lazy_summary(numbers, summary);
        tree.close(node, this, range.end);
        layer
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HeaderPayload, Next, cut, tcp};
    use super::*;
    use crate::layers::{self, Bytes};
    use crate::tree::{Demand, Fields, FrameInfo, Only};
    use crate::wire::trial::bytes;
    use proptest::prelude::*;

    /// TCP with timestamps and with padding, UDP over IPv6, and frames that are not plain or have tags: options, a fragment,
    /// ICMP, a datagram with a tag, segments with one and with two.
    const FRAMES: [&str; 9] = [
        "020000000002 020000000001 0800 45000038 00014000 40060000 0a000001 0a000002 \
         c0000050 00000001 00000002 8018ffff 00000000 0101080a 0000000100000002 70617961",
        "020000000002 020000000001 0800 45000028 00010000 40060000 0a000001 0a000002 \
         c0000050 00000001 00000002 5012ffff 00000000 000000000000",
        "020000000002 020000000001 86dd 6000000000 0a 1140 20010db8000000000000000000000001 20010db8000000000000000000000002 \
         c0000035 000a0000 0102",
        "020000000002 020000000001 0800 4600002c 00010000 40060000 0a000001 0a000002 94040000 \
         c0000050 00000001 00000002 6002ffff 00000000 020405b4",
        "020000000002 020000000001 0800 4500001c 00012001 40110000 0a000001 0a000002 c0000035 00080000",
        "020000000002 020000000001 0800 4500001c 00010000 40010000 0a000001 0a000002 0800f7ff 00000000",
        "020000000002 020000000001 8100 0001 0800 4500001c 00010000 40110000 0a000001 0a000002 c0000035 00080000",
        "020000000002 020000000001 8100 6005 0800 4500002a 00010000 40060000 0a000001 0a000002 \
         c0000050 00000001 00000002 5018ffff 00000000 7061 0000",
        "020000000002 020000000001 88a8 0001 8100 0002 86dd 60000000001406 40 20010db8000000000000000000000001 \
         20010db8000000000000000000000002 c0000050 00000001 00000002 5010ffff 00000000",
    ];

    /// Debug text of the emitted tree and of the payload reached.
    fn tree_text(
        demand: Demand,
        missing: usize,
        frame: &[u8],
        walk: impl FnOnce(&mut Tree) -> Option<Reached>,
    ) -> Option<String> {
        let mut tree = Tree::new(demand);
        let original = u32::try_from(frame.len() + missing).unwrap();
        tree.begin(FrameInfo { captured: original, original, ..FrameInfo::default() });
        let reached = walk(&mut tree)?;
        let infos: Vec<_> = tree.layers.iter().map(|layer| (tree.info(layer), layer.node, layer.below, layer.ends)).collect();
        let nodes: Vec<_> = tree.nodes.iter().map(|node| (node.field.abbrev, node.value, node.span, node.end)).collect();
        Some(format!("{reached:?}\n{infos:?}\n{nodes:?}\n{:?}\n{:?}", tree.ends, tree.notes))
    }

    fn wants() -> [Demand; 3] {
        let given = layers::classified(Only::these(FAST_FIELDS));
        [Demand::LAYERS, Demand::HEADINGS, Demand { fields: Fields::Only(given), ..Demand::HEADINGS }]
    }

    fn passes_well(frame: &[u8], missing: usize) -> bool {
        let mut passed = false;
        for demand in wants() {
            let checks = Checks::default();
            let slowly = tree_text(demand, missing, frame, |tree| {
                let carried = HeaderPayload::new(Next::Link(1), 0..frame.len(), missing);
                Some(super::super::walk_on(tree, carried, Bytes::of_frame(frame), None, checks))
            });
            if let Some(fast) = tree_text(demand, missing, frame, |tree| walk(tree, ETHERNET, frame, missing, checks)) {
                assert_eq!(Some(fast), slowly);
                passed = true;
            }
        }
        if let Some(plain) = FastHeaders::of(ETHERNET, frame, missing, Checks::default()) {
            answers_as_a_tree(&plain, frame);
        }
        by_themselves(frame, missing);
        passed
    }

    /// Fields emitted without layers equal those of a tree with layers.
    fn by_themselves(frame: &[u8], missing: usize) -> bool {
        let only = FAST_FIELDS.into_iter().filter(|field| !field.is(&tcp::STREAM));
        let demand = Demand { carriers: Carriers::FieldsOnly, ..Demand::of_fields(layers::classified(Only::these(only))) };
        let (mut tree, mut whole) = (Tree::new(demand), Tree::new(Demand { carriers: Carriers::Full, ..demand }));
        tree.begin(FrameInfo::default());
        whole.begin(FrameInfo::default());
        let checks = Checks::default();
        if loose(&mut tree, ETHERNET, frame, missing, checks).is_none() {
            assert!(tree.nodes.is_empty());
            return false;
        }
        let carried = HeaderPayload::new(Next::Link(1), 0..frame.len(), missing);
        let Reached::Tcp(segment) = layers::walk_on(&mut whole, carried, Bytes::of_frame(frame), None, checks) else {
            panic!("no segment")
        };
        let mut wire = Wire::new(&mut whole, 0, 0, frame, segment.range, cut(missing));
        tcp::segment(&mut wire, tcp::TcpState::default(), missing).unwrap();
        assert!(whole.notes.is_empty() && tree.layers.is_empty());
        let fields = |tree: &Tree| -> Vec<_> {
            let nodes = tree.nodes.iter().filter(|node| node.field.kind != crate::tree::Kind::Protocol);
            nodes.map(|node| (node.field.abbrev, node.value, node.span)).collect()
        };
        assert_eq!(fields(&tree), fields(&whole));
        true
    }

    /// [`FastHeaders::has`] and [`FastHeaders::get`] agree with the tree of the frame.
    fn answers_as_a_tree(plain: &FastHeaders, frame: &[u8]) {
        let mut tree = Tree::complete();
        tree.begin(FrameInfo::default());
        let reached = layers::walk_from(&mut tree, Next::Link(1), frame, 0, Checks::default());
        let is_tcp = matches!(reached, Reached::Tcp(_));
        assert_eq!(plain.has_segment(), is_tcp);
        let (Reached::Tcp(segment) | Reached::Udp(segment)) = reached else { panic!("{reached:?}") };
        let names = tree.layers.iter().map(|layer| tree.nodes[layer.node as usize].field.abbrev).chain(["tcp"]);
        let found = plain.segment();
        assert!(!is_tcp || found.path == names.collect::<Vec<_>>().join(":"), "{}", found.path);
        assert_eq!(format!("{found:?}"), format!("{:?}", TransportSegment { below: None, path: found.path, ..segment }));
        for field in FAST_FIELDS.iter().chain(&[&ethernet::ETH, &ip::IP, &ipv6::IPV6]) {
            let node = tree.nodes.iter().find(|node| node.field.is(field));
            let bytes = |node: &crate::tree::Node| frame[node.span.start as usize..node.span.end as usize].to_vec();
            let is_protocol = field.kind == crate::tree::Kind::Protocol;
            let value = plain.get(field).map(|value| match value {
                HeaderValue::Mac(address) => address.to_vec(),
                HeaderValue::Ip(IpAddr::V4(address)) => address.octets().to_vec(),
                HeaderValue::Ip(IpAddr::V6(address)) => address.octets().to_vec(),
                HeaderValue::Number(number) => vec![number],
            });
            assert_eq!(
                (plain.has(field), value),
                (is_protocol && node.is_some(), node.filter(|_| !is_protocol).map(bytes)),
                "{field:?}"
            );
        }
    }

    /// The summary of the TCP layer of a frame, and its requested fields.
    fn heading(demand: Demand, segment: &[u8], missing: usize, tcp_state: tcp::TcpState) -> (String, String, bool) {
        let mut tree = Tree::new(demand);
        tree.begin(FrameInfo::default());
        let layer = tree.push_layer(&tcp::TCP, Span::new(0, 0..segment.len()), None, 0, false);
        let mut wire = Wire::new(&mut tree, layer, 0, segment, 0..segment.len(), cut(missing));
        let header = tcp::Header::parse(segment);
        let brief = header.and_then(|header| tcp::brief(&mut wire, &header, tcp_state, missing));
        let is_whole = brief.is_some() || tcp::segment(&mut wire, tcp_state, missing).is_ok();
        let given = tree.nodes.iter().filter(|node| FAST_FIELDS.iter().any(|given| given.is(node.field)));
        let given: Vec<_> = given.map(|node| (node.field.abbrev, node.value, node.span)).collect();
        (tree.info(&tree.layers[0]).into_owned(), format!("{given:?}"), is_whole && tree.notes.is_empty())
    }

    #[test]
    fn only_plain_frames_are_passed_over() {
        let passed = FRAMES.map(|frame| passes_well(&bytes(frame), 0));
        assert_eq!(passed, [true, true, true, false, false, false, false, false, false]);
        assert!(!passes_well(&bytes(FRAMES[0]), 1));
        let [demand, ..] = wants();
        let everything = Demand { fields: Fields::All, ..demand };
        assert!(tree_text(everything, 0, &[], |tree| walk(tree, ETHERNET, &bytes(FRAMES[0]), 0, Checks::default())).is_none());
    }

    #[test]
    fn fields_are_found_by_themselves_where_there_is_a_segment() {
        let found = FRAMES.map(|frame| by_themselves(&bytes(frame), 0));
        assert_eq!(found, [true, true, false, false, false, false, false, true, true]);
    }

    #[test]
    fn fields_that_plain_headers_do_not_give_are_not_found_by_themselves() {
        let found = |name: &str, frame: &str| {
            let mut fields = ethernet::VLAN_PROTOCOL.fields.iter().chain(ip::PROTOCOL.fields);
            let only = Only::these([*fields.find(|field| field.abbrev == name).unwrap()]);
            let demand = Demand { carriers: Carriers::FieldsOnly, ..Demand::of_fields(layers::classified(only)) };
            loose(&mut Tree::new(demand), ETHERNET, &bytes(frame), 0, Checks::default()).is_some()
        };
        let [plain, .., tagged, _] = FRAMES;
        assert_eq!(["ip.src", "ip.ttl", "vlan.id"].map(|name| found(name, plain)), [true, false, true]);
        assert_eq!(["ip.src", "ip.ttl", "vlan.id"].map(|name| found(name, tagged)), [true, false, false]);
    }

    #[test]
    fn tagged_frames_take_the_fast_path_unless_tags_are_requested() {
        let plain = |frame: &str| FastHeaders::of(ETHERNET, &bytes(frame), 0, Checks::default());
        let [.., one, two] = FRAMES.map(plain);
        let (one, two) = (one.unwrap(), two.unwrap());
        assert_eq!([one.segment().path, two.segment().path], ["eth:vlan:ip:tcp", "eth:vlan:vlan:ipv6:tcp"]);
        let only = |name: &str| {
            let field = ethernet::VLAN_PROTOCOL.fields.iter().chain(&FAST_FIELDS).find(|field| field.abbrev == name).unwrap();
            layers::classified(Only::these([*field]))
        };
        let covered = |plain: &FastHeaders| ["ip.src", "vlan.id", "vlan"].map(|name| plain.covers(only(name)));
        assert_eq!((covered(&one), covered(&plain(FRAMES[0]).unwrap())), ([true, false, false], [true; 3]));
    }

    fn both_paths_are_equal(frame: &[u8], missing: usize, factor: Option<i64>) {
        passes_well(frame, missing);
        let segment = frame.get(34..).unwrap_or_default();
        let tcp_state = tcp::TcpState { stream: Some(7), seq_base: 3, ack_base: 4, factor, ..tcp::TcpState::default() };
        let [_, _, given] = wants();
        assert_eq!(heading(given, segment, missing, tcp_state), heading(Demand::EVERYTHING, segment, missing, tcp_state));
    }

    #[test]
    fn unchanged_frames_without_a_window_factor_are_equal_on_both_paths() {
        for frame in FRAMES {
            both_paths_are_equal(&bytes(frame), 0, None);
        }
    }

    proptest! {
        #[test]
        fn the_fast_path_is_equal_to_the_full_path(
            frame in 0..FRAMES.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
            end in any::<prop::sample::Index>(),
            is_cut: bool,
            missing in 0_usize..3,
            factor in prop::option::of(-2_i64..8),
        ) {
            let mut frame = bytes(FRAMES[frame]);
            for (at, byte) in changes {
                let at = at.index(frame.len());
                frame[at] = byte;
            }
            if is_cut {
                frame.truncate(end.index(frame.len()));
            }
            both_paths_are_equal(&frame, missing, factor);
        }
    }
}
