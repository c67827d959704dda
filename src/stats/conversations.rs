//! Statistics of conversations and endpoints.

use super::endpoint::{Conversation, End, Found, RowIndex, Seen, Shares, Sum};
use super::endpoint_cache::EndpointCache;
use super::index::Index;
use super::parts::ConversationLayer;
use super::recent_flows::{RecentFlows, Rows};
use super::rows::{Endpoint, Hosts, Row};
use super::traffic::Count;
use crate::layers;
use crate::limits;
use crate::tree::{Address, Dissection, Field, OmittedHeaders, Transport, Tree};
use std::cmp::Ordering;
use std::net::IpAddr;

/// Share of the limit reserved for each kind.
fn sure() -> usize {
    limits::STATS_CONVERSATIONS.get() / 16
}

/// Conversations of one kind.
#[derive(Debug)]
pub struct Conversations {
    /// The layer that distinguishes them.
    pub layer: ConversationLayer,
    /// The protocol of that layer.
    protocol: &'static Field,
    /// Conversations with stream numbers, indexed by number.
    numbered: Vec<Row>,
    /// Conversations without stream numbers, in order of their first frame.
    paired: Vec<Row>,
    pairs: Index,
    /// Cache of recent conversations.
    endpoint_cache: EndpointCache,
    hosts: Hosts,
    /// Stream numbers without frames.
    silent: usize,
    /// Traffic of conversations beyond the limit.
    pub left_out: Count,
}

impl Conversations {
    pub(super) fn new(layer: ConversationLayer) -> Conversations {
        let (numbered, paired, pairs, hosts) = (Vec::new(), Vec::new(), Index::default(), Hosts::default());
        let endpoint_cache = EndpointCache::default();
        let protocol = layer.protocol();
        Conversations { layer, protocol, numbered, paired, pairs, endpoint_cache, hosts, silent: 0, left_out: Count::default() }
    }

    /// Counts a layer of a frame between two endpoints, if it belongs to a conversation of this kind. At most `new_rows`
    /// conversations may be new. Returns the index.
    fn layer(&mut self, ends: [End; 2], number: Option<u32>, frame: Seen, new_rows: usize) -> Option<Found> {
        if !ends.iter().all(|end| end.fits(self.layer)) {
            return None;
        }
        let found = self.find(ends, number, self.rows_in_use() + new_rows);
        match found {
            Some(found) => self.add(found, &frame.into()),
            None => self.left_out.add(frame.bytes.into()),
        }
        found
    }

    /// Counts frames of one direction of a conversation.
    fn add(&mut self, found: Found, frames: &Sum) {
        if let Some(row) = self.at(found.place) {
            row.add(found.answers, frames);
        }
    }

    /// Index of a conversation. A new one is added within the limit.
    fn find(&mut self, ends: [End; 2], number: Option<u32>, most: usize) -> Option<Found> {
        let place = match number {
            Some(number) => self.numbered(ends, number as usize, most)?,
            None => self.paired(ends, most)?,
        };
        let ([src, _], [first, _]) = (ends, self.at(place)?.ends());
        Some(Found { place, answers: !first.is(src, &self.hosts) })
    }

    fn at(&mut self, place: RowIndex) -> Option<&mut Row> {
        match place {
            RowIndex::Numbered(place) => self.numbered.get_mut(place),
            RowIndex::Paired(place) => self.paired.get_mut(place),
        }
    }

    fn numbered(&mut self, ends: [End; 2], place: usize, most: usize) -> Option<RowIndex> {
        if self.numbered.get(place).is_none_or(Row::is_silent) {
            let new = (place + 1).saturating_sub(self.numbered.len());
            let has_room = self.rows_in_use() + new <= most;
            let spots = self.spots(ends, has_room).filter(|_| has_room)?;
            if new > 0 {
                self.numbered.resize(place + 1, Row::SILENT);
                self.silent += new;
            }
            self.numbered.get_mut(place)?.between(spots);
            self.silent -= 1;
        }
        Some(RowIndex::Numbered(place))
    }

    fn paired(&mut self, ends: [End; 2], most: usize) -> Option<RowIndex> {
        let endpoint_cache = self.endpoint_cache.get(ends);
        if self.paired.get(endpoint_cache as usize).is_some_and(|row| row.is_between(ends, &self.hosts)) {
            return Some(RowIndex::Paired(endpoint_cache as usize));
        }
        let place = self.among_all(ends, most)?;
        self.endpoint_cache.put(ends, place);
        Some(RowIndex::Paired(place as usize))
    }

    fn among_all(&mut self, ends: [End; 2], most: usize) -> Option<u32> {
        let has_room = self.rows_in_use() < most;
        let spots = self.spots(ends, has_room)?;
        let sorted = |[a, b]: [Endpoint; 2]| [a.min(b), a.max(b)];
        let key = sorted(spots);
        let paired = &self.paired;
        let known = |place: u32| paired.get(place as usize).map(Row::ends).map(sorted);
        if let Some(place) = self.pairs.find(&key, known) {
            return Some(place);
        }
        let place = u32::try_from(paired.len()).ok().filter(|_| has_room)?;
        self.pairs.put(place, &key, known);
        let mut row = Row::SILENT;
        row.between(spots);
        self.paired.push(row);
        Some(place)
    }

    fn spots(&mut self, ends: [End; 2], has_room: bool) -> Option<[Endpoint; 2]> {
        let [src, dst] = ends;
        let mut spot = |end: End| {
            let host = if has_room { self.hosts.place(end.host) } else { self.hosts.find(end.host) }?;
            Some(Endpoint { host, port: end.port.unwrap_or_default() })
        };
        Some([spot(src)?, spot(dst)?])
    }

    /// Number of rows in use.
    pub(super) fn rows_in_use(&self) -> usize {
        self.numbered.len() + self.paired.len() + self.hosts.len() / 2
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.numbered.iter().chain(&self.paired)
    }

    fn row(&self, place: u32) -> Option<&Row> {
        let place = place as usize;
        self.numbered.get(place).or_else(|| self.paired.get(place.checked_sub(self.numbered.len())?))
    }

    fn conversation(&self, place: u32) -> Option<Conversation> {
        let conversation = self.row(place).filter(|row| !row.is_silent())?.conversation(&self.hosts, self.has_ports())?;
        let stream = Some(place).filter(|place| (*place as usize) < self.numbered.len());
        Some(Conversation { stream, ..conversation })
    }

    fn has_ports(&self) -> bool {
        matches!(self.layer, ConversationLayer::Tcp | ConversationLayer::Udp)
    }

    /// Number of conversations.
    pub fn len(&self) -> usize {
        self.numbered.len() - self.silent + self.paired.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest conversations by bytes, at most `most`.
    pub fn largest(&self, most: usize) -> impl Iterator<Item = Conversation> {
        let bytes = |row: &Row| row.sent().iter().map(|count| count.bytes).sum();
        let sizes = (0..).zip(self.rows()).filter(|(_, row)| !row.is_silent()).map(|(place, row)| (bytes(row), place));
        // Ties are sorted by first frame.
        let largest = leading(sizes.collect(), most, |one, other| one.cmp(&other));
        largest.into_iter().filter_map(|(_, place)| self.conversation(place))
    }

    /// The endpoints, each once.
    pub fn endpoints(&self) -> Endpoints<'_> {
        let mut endpoints = Endpoints { conversations: self, all: Vec::with_capacity(self.hosts.len()) };
        let mut index = Index::default();
        let has_addresses = |row: &&Row| row.ends().iter().all(|end| end.end(&self.hosts, true).is_none_or(End::has_address));
        for row in self.rows().filter(|row| !row.is_silent()).filter(has_addresses) {
            let ([a, b], [sent, answered]) = (row.ends(), row.sent());
            endpoints.add(&mut index, a, sent, answered);
            endpoints.add(&mut index, b, answered, sent);
        }
        endpoints
    }
}

/// The largest items, at most `most`, of a list of sizes and indices. Ties are sorted by `order`.
fn leading(mut sizes: Vec<(u64, u32)>, most: usize, order: impl Fn(u32, u32) -> Ordering) -> Vec<(u64, u32)> {
    let order = |one: &(u64, u32), other: &(u64, u32)| other.0.cmp(&one.0).then_with(|| order(one.1, other.1));
    if most < sizes.len() {
        sizes.select_nth_unstable_by(most, order);
        sizes.truncate(most);
    }
    sizes.sort_unstable_by(order);
    sizes
}

/// Endpoints, computed on demand: there may be twice as many as conversations.
pub struct Endpoints<'a> {
    conversations: &'a Conversations,
    all: Vec<(Endpoint, Shares)>,
}

impl Endpoints<'_> {
    fn add(&mut self, index: &mut Index, spot: Endpoint, sent: Count, got: Count) {
        let at = |place: u32| self.all.get(place as usize).map(|(spot, _)| *spot);
        let place = match index.find(&spot, at) {
            Some(known) => known,
            None => {
                let new = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
                index.put(new, &spot, at);
                self.all.push((spot, Shares::default()));
                new
            }
        };
        if let Some((_, shares)) = self.all.get_mut(place as usize) {
            shares.sent.join(sent);
            shares.got.join(got);
        }
    }

    /// Number of endpoints.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The largest endpoints by bytes, at most `most`, with their traffic.
    pub fn largest(&self, most: usize) -> impl Iterator<Item = (End, Shares)> {
        let has_ports = self.conversations.has_ports();
        let end =
            move |place: u32| self.all.get(place as usize).and_then(|(spot, _)| spot.end(&self.conversations.hosts, has_ports));
        let sizes = (0..).zip(&self.all).map(|(place, (_, shares))| (shares.sent.bytes + shares.got.bytes, place));
        // Ties are sorted by address.
        let largest = leading(sizes.collect(), most, |one, other| end(one).cmp(&end(other)));
        largest.into_iter().filter_map(move |(_, place)| Some((end(place)?, self.all.get(place as usize)?.1)))
    }
}

/// Conversations of several kinds, which share one limit.
#[derive(Debug)]
pub(super) struct ConversationTables {
    pub(super) all: Vec<Conversations>,
    /// Unreserved part of the limit.
    free: usize,
    recent_flows: RecentFlows,
}

impl ConversationTables {
    pub(super) fn new(all: Vec<Conversations>) -> ConversationTables {
        let free = free(&all);
        ConversationTables { all, free, recent_flows: RecentFlows::default() }
    }

    /// Counts a frame in each kind of conversations. `after` is the time since the first frame.
    pub(super) fn frame(&mut self, of: Dissection<'_>, time: Option<i64>, counts: [bool; ConversationLayer::ALL.len()]) {
        let tree = of.tree;
        let frame = Seen { bytes: tree.frame.original, time };
        if let Some(omitted_headers) = &tree.outcome.omitted_headers {
            self.omitted_headers(omitted_headers, of.bytes, frame);
        }
        for layer in &tree.layers {
            let Some(kind) = tree.nodes.get(layer.node as usize).and_then(|node| self.kind(node.field)) else { continue };
            let place = self.all.get(kind).map(|conversations| conversations.layer as usize);
            if place.and_then(|place| counts.get(place)) != Some(&true) {
                continue;
            }
            let Some(ends) = tree.ends.get(layer.ends as usize) else { continue };
            let (Some(src), Some(dst)) = (ends.src, ends.dst) else { continue };
            self.layer(kind, [src, dst].map(End::of), ends.stream.map(|(id, _)| id.number), frame);
        }
        self.without_headers(tree, frame, counts);
    }

    /// Counts a frame in its conversation without headers, in hex text.
    fn without_headers(&mut self, tree: &Tree, frame: Seen, counts: [bool; ConversationLayer::ALL.len()]) {
        let bottom = tree.layers.iter().filter(|layer| layer.below.is_none());
        let ends = bottom.filter_map(|layer| tree.ends.get(layer.ends as usize)).filter(|ends| ends.src.is_none());
        let Some((id, side)) = ends.filter_map(|ends| ends.stream).next() else { return };
        let layer = match id.transport {
            Transport::Tcp => ConversationLayer::Tcp,
            Transport::Udp => ConversationLayer::Udp,
            Transport::Sctp | Transport::Usb => return,
        };
        if let (Some(kind), Some(true)) = (self.kind(layer.protocol()), counts.get(layer as usize)) {
            self.layer(kind, [side, side.other()].map(End::of_side), Some(id.number), frame);
        }
    }

    /// Kind of conversations of a protocol, if counted.
    fn kind(&self, of: &Field) -> Option<usize> {
        self.all.iter().position(|conversations| of.is(conversations.protocol))
    }

    /// Counts a fast-path segment, which has no tree.
    fn omitted_headers(&mut self, omitted_headers: &OmittedHeaders, bytes: &[u8], frame: Seen) {
        if !self.recent_flows.add(omitted_headers, bytes, frame) {
            self.put(omitted_headers, bytes, frame);
        }
    }

    /// Counts the first such segment of a direction.
    #[inline(never)]
    fn put(&mut self, omitted_headers: &OmittedHeaders, bytes: &[u8], frame: Seen) {
        let Some((link, sockets)) = layers::plain_ends(bytes) else { return };
        let net = sockets.map(|socket| socket.ip());
        let layer = if net.iter().all(IpAddr::is_ipv4) { ConversationLayer::Ip } else { ConversationLayer::Ipv6 };
        let headers = [
            (ConversationLayer::Eth, link.map(Address::Mac), None),
            (layer, net.map(Address::Ip), None),
            (ConversationLayer::Tcp, sockets.map(Address::Socket), Some(omitted_headers.stream.number)),
        ];
        let (mut rows, mut all_have_room) = (Rows::default(), true);
        for (layer, ends, number) in headers {
            if let Some(kind) = self.kind(layer.protocol()) {
                let found = self.layer(kind, ends.map(End::of), number, frame);
                rows.get_mut(kind).into_iter().for_each(|row| *row = found);
                all_have_room &= found.is_some();
            }
        }
        if all_have_room {
            let old = self.recent_flows.put(omitted_headers, bytes, rows);
            old.into_iter().for_each(|(rows, frames)| self.settle(&rows, &frames));
        }
    }

    /// Counts deferred traffic.
    fn settle(&mut self, rows: &Rows, frames: &Sum) {
        for (conversations, found) in self.all.iter_mut().zip(rows) {
            found.iter().for_each(|found| conversations.add(*found, frames));
        }
    }

    /// Counts all deferred traffic at the end of the input.
    pub(super) fn end(&mut self) {
        self.recent_flows.take().for_each(|(rows, frames)| self.settle(&rows, &frames));
    }

    /// Counts a layer in a kind. Returns the index.
    fn layer(&mut self, kind: usize, ends: [End; 2], number: Option<u32>, frame: Seen) -> Option<Found> {
        let conversations = self.all.get_mut(kind)?;
        let before = conversations.rows_in_use();
        let found = conversations.layer(ends, number, frame, self.free + sure().saturating_sub(before));
        if conversations.rows_in_use() != before {
            self.free = free(&self.all);
        }
        found
    }
}

/// Remaining unreserved part of the limit.
fn free(all: &[Conversations]) -> usize {
    let used: usize = all.iter().map(|conversations| conversations.rows_in_use().max(sure())).sum();
    limits::STATS_CONVERSATIONS.get().saturating_sub(used)
}

#[cfg(test)]
mod tests {
    use super::super::endpoint::Host;
    use super::*;

    fn end(ip: u32, port: u16) -> End {
        End { host: Host::V4(ip.to_be_bytes()), port: Some(port) }
    }

    fn say(conversations: &mut Conversations, ends: [End; 2], number: Option<u32>, most: usize) {
        match conversations.find(ends, number, most) {
            Some(found) => conversations.add(found, &Seen { bytes: 100, time: None }.into()),
            None => conversations.left_out.add(100),
        }
    }

    #[test]
    fn conversations_are_distinguished_by_number_or_by_ends_and_both_directions_are_one() {
        let mut conversations = Conversations::new(ConversationLayer::Tcp);
        let (a, b) = (end(1, 10), end(2, 20));
        // Numbers may be skipped and arrive late.
        for (ends, number) in [([a, b], Some(2)), ([b, a], Some(2)), ([b, a], Some(0)), ([a, b], None), ([b, a], None)] {
            say(&mut conversations, ends, number, limits::STATS_CONVERSATIONS.get());
        }
        let largest: Vec<_> = conversations
            .largest(limits::STATS_CONVERSATIONS.get())
            .map(|conversation| (conversation.ends, conversation.sent.map(|count| count.frames)))
            .collect();
        assert_eq!(largest, [([a, b], [1, 1]), ([a, b], [1, 1]), ([b, a], [1, 0])]);
        assert_eq!((conversations.len(), conversations.endpoints().len()), (3, 2));
    }

    #[test]
    fn conversations_above_the_limit_are_summed_up() {
        let mut conversations = Conversations::new(ConversationLayer::Tcp);
        for number in 0..100 {
            say(&mut conversations, [end(1, 10), end(2, 20)], Some(number), 50);
            say(&mut conversations, [end(1, 10), end(2, 20)], Some(0), 50);
        }
        assert!((45..=50).contains(&conversations.len()) && conversations.rows_in_use() <= 50);
        let sent: u64 =
            conversations.largest(limits::STATS_CONVERSATIONS.get()).map(|conversation| conversation.all().frames).sum();
        assert_eq!(sent + conversations.left_out.frames, 200);
        assert_eq!(conversations.left_out.bytes, conversations.left_out.frames * 100);
    }

    #[test]
    fn the_first_rows_are_those_of_the_whole_list() {
        let mut conversations = Conversations::new(ConversationLayer::Udp);
        for (at, frames) in [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 5, 1].into_iter().enumerate() {
            let at = u32::try_from(at).unwrap();
            let ends = [end(7 * at % 13, 10), end(5, 20 + u16::try_from(at % 3).unwrap())];
            (0..frames).for_each(|_| say(&mut conversations, ends, None, limits::STATS_CONVERSATIONS.get()));
        }
        let (all, endpoints) = (
            conversations.largest(limits::STATS_CONVERSATIONS.get()).map(|conversation| conversation.ends),
            conversations.endpoints(),
        );
        let (all, of_all): (Vec<_>, Vec<_>) =
            (all.collect(), endpoints.largest(limits::STATS_CONVERSATIONS.get()).map(|(end, _)| end).collect());
        let bytes: Vec<u64> = endpoints
            .largest(limits::STATS_CONVERSATIONS.get())
            .map(|(_, shares)| shares.sent.bytes + shares.got.bytes)
            .collect();
        assert!(bytes.is_sorted_by(|one, other| one >= other) && bytes.len() == 16);
        // Ties: conversations by first frame, endpoints by address.
        assert_eq!(all[2..6].iter().map(|[src, _]| *src).collect::<Vec<_>>(), [end(2, 10), end(4, 10), end(5, 10), end(12, 10)]);
        assert_eq!(of_all[5..9], [end(2, 10), end(4, 10), end(5, 10), end(12, 10)]);
        for most in 0..=16 {
            assert!(
                conversations.largest(most).map(|conversation| conversation.ends).eq(all.iter().copied().take(most)),
                "{most}"
            );
            assert!(endpoints.largest(most).map(|(end, _)| end).eq(of_all.iter().copied().take(most)), "{most}");
        }
    }

    #[test]
    fn each_table_has_a_minimum_size() {
        let (mut full, other) = (Conversations::new(ConversationLayer::Ip), Conversations::new(ConversationLayer::Tcp));
        assert_eq!(
            free(&[Conversations::new(ConversationLayer::Ip), Conversations::new(ConversationLayer::Tcp)]),
            limits::STATS_CONVERSATIONS.get() - 2 * sure()
        );
        full.paired = vec![Row::SILENT; limits::STATS_CONVERSATIONS.get() - sure()];
        assert_eq!(other.rows_in_use(), 0);
        assert_eq!(free(&[full, other]), 0);
    }
}
