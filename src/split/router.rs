//! Assigns frames to parts.

use crate::engine::Route;
use crate::flow::Pair;
use crate::tree::{Address, Dissection, Sharers, Time, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::SocketAddr;

/// Number of entries after which a table evicts those that were not used since as many were added.
const RECENT_MOST: usize = 1 << 19;

/// Fragment timeout in seconds. Later fragments belong to another datagram.
const FRAGMENT_TIMEOUT: i64 = 60;

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(pub u64);

/// Criterion by which a capture is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By pair of hosts, into this number of parts.
    Pair(u64),
    /// By conversation, into this number of parts.
    Flow(u64),
    /// By start time of conversations, with a part per time span.
    Time(TimeSpan),
}

/// Source and destination of a frame, if known.
pub(super) type Ends = Option<[Address; 2]>;

/// Finds the part of each frame.
pub(super) struct Router {
    by: By,
    /// Parts of conversations, where they differ from those of their endpoints.
    part_overrides: Recent<Pair, u64>,
    /// Endpoints of announced conversations, with the parts of their announcements.
    announced: Recent<SocketAddr, u64>,
    /// Hosts whose later conversations may depend on one, with the part of that one.
    related: Recent<Sharers, u64>,
    /// Part and time of the last fragment of an incomplete datagram, by pair of hosts.
    fragments: Recent<[End; 2], (u64, Timestamp)>,
    /// The first timestamp, and the time span of the latest frame with a timestamp.
    first: Time,
    now: u64,
}

impl Router {
    pub(super) fn new(by: By) -> Router {
        Router {
            by,
            part_overrides: Recent::default(),
            announced: Recent::default(),
            related: Recent::default(),
            fragments: Recent::default(),
            first: None,
            now: 0,
        }
    }

    /// The part of a frame.
    pub(super) fn part(&mut self, route: &Route, ends: Ends, time: Time) -> u64 {
        self.advance_time(time);
        let part = match route.conversation {
            Some(pair) => self.of_conversation(pair, route),
            None if route.waits => self.of_fragment(ends.map(hosts_of), time),
            None => self.default_part(ends.map(hosts_of)),
        };
        for end in &route.announced {
            self.announced.insert(*end, part);
        }
        for hosts in &route.related {
            self.related.insert(*hosts, part);
        }
        part
    }

    fn of_conversation(&mut self, pair: Pair, route: &Route) -> u64 {
        let default_part = self.default_part(Some(match self.by {
            By::Pair(_) => pair.bits().map(|(host, _)| (host, 0)),
            By::Flow(_) | By::Time(_) => pair.bits(),
        }));
        if route.begins {
            let shared = route.shares.map(|shared| self.of_conversation(shared, &Route::default()));
            let bound = shared.or_else(|| self.announced_to(pair)).or_else(|| self.related_to(pair));
            // A connection that reuses the ports of an earlier one is in the part of that connection.
            let earlier =
                if matches!(self.by, By::Time(_)) { self.part_overrides.get(&pair).or(Some(default_part)) } else { None };
            let part_overrides = bound.or(earlier);
            match part_overrides {
                Some(part) => self.part_overrides.insert(pair, part),
                None => self.part_overrides.remove(&pair),
            }
        }
        self.part_overrides.get(&pair).unwrap_or(default_part)
    }

    /// The part of a fragment whose datagram stays incomplete: that of the previous fragment, possibly of the same datagram.
    fn of_fragment(&mut self, hosts: Option<[End; 2]>, time: Time) -> u64 {
        let default_part = self.default_part(hosts);
        let (By::Time(_), Some(hosts), Some(now)) = (self.by, hosts, time) else { return default_part };
        let before = self.fragments.get(&hosts).filter(|(_, then)| now.seconds.saturating_sub(then.seconds) <= FRAGMENT_TIMEOUT);
        let part = before.map_or(default_part, |(part, _)| part);
        self.fragments.insert(hosts, (part, now));
        part
    }

    /// The part of the conversation that announced one of these endpoints.
    fn announced_to(&mut self, pair: Pair) -> Option<u64> {
        if self.announced.is_empty() {
            return None;
        }
        pair.sockets().into_iter().find_map(|end| self.announced.get(&end))
    }

    /// The part of an earlier conversation on which this one may depend.
    fn related_to(&mut self, pair: Pair) -> Option<u64> {
        if self.related.is_empty() {
            return None;
        }
        let [one, other] = pair.sockets().map(|end| end.ip());
        let hosts = [Sharers::Client(one), Sharers::Client(other), Sharers::Pair([one, other]), Sharers::Pair([other, one])];
        hosts.into_iter().find_map(|hosts| self.related.get(&hosts))
    }

    /// The default part of these endpoints.
    fn default_part(&self, ends: Option<[End; 2]>) -> u64 {
        match self.by {
            By::Time(_) => self.now,
            By::Pair(parts) | By::Flow(parts) => ends.map_or(0, |ends| hash_endpoints(ends) % parts.max(1)),
        }
    }

    fn advance_time(&mut self, time: Time) {
        if let (By::Time(TimeSpan(span)), Some(time)) = (self.by, time) {
            let since = time.since(*self.first.get_or_insert(time));
            self.now = u64::try_from(since / i128::from(span.max(1))).unwrap_or(0);
        }
    }
}

/// Bits of an address, and a port.
type End = ([u64; 2], u32);

/// The hosts of a frame without a conversation, in an order that is independent of the direction.
fn hosts_of(ends: [Address; 2]) -> [End; 2] {
    let [src, dst] = ends.map(|end| match end {
        Address::Mac([a, b, c, d, e, f]) => (u64::from_be_bytes([0, 0, a, b, c, d, e, f]), true),
        Address::Ip(_) | Address::Socket(_) | Address::Usb(_) => (0, false),
    });
    if let ((src, true), (dst, true)) = (src, dst) {
        return [([0, src.min(dst)], u32::MAX), ([0, src.max(dst)], u32::MAX)];
    }
    let [src, dst] = ends.map(|end| match end {
        Address::Ip(ip) => SocketAddr::new(ip, 0),
        Address::Socket(socket) => SocketAddr::new(socket.ip(), 0),
        Address::Mac(_) | Address::Usb(_) => SocketAddr::from(([0; 4], 0)),
    });
    Pair::new(src, dst).bits().map(|(host, _)| (host, 0))
}

/// Source and destination of the innermost layer that has both.
pub(super) fn ends(of: Dissection<'_>) -> Ends {
    of.tree.ends.iter().rev().find_map(|ends| Some([ends.src?, ends.dst?]))
}

/// A uniformly distributed hash that is the same on each machine.
fn hash_endpoints([low, high]: [End; 2]) -> u64 {
    // The first digits of pi; any numbers without a pattern are suitable.
    const KEYS: [u64; 4] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7345, 0xa409_3822_299f_31d1, 0x082e_fa98_ec4e_6c89];
    let [a, b, c, d] = KEYS;
    let of_end = |([left, right], port): End| folded_multiply(left ^ a ^ u64::from(port) << 40, right ^ b);
    folded_multiply(of_end(low) ^ c, of_end(high).rotate_left(32) ^ d)
}

/// XOR of both halves of a product. Each bit depends on most bits of the factors.
fn folded_multiply(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    let [high, low] = [product >> 64, product & u128::from(u64::MAX)].map(|half| u64::try_from(half).unwrap_or_default());
    high ^ low
}

/// A table that evicts entries which were not used for long.
struct Recent<K, V> {
    current: HashMap<K, V, foldhash::fast::RandomState>,
    previous: HashMap<K, V, foldhash::fast::RandomState>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent { current: HashMap::default(), previous: HashMap::default() }
    }
}

impl<K: Hash + Eq, V: Copy> Recent<K, V> {
    fn is_empty(&self) -> bool {
        self.current.is_empty() && self.previous.is_empty()
    }

    fn insert(&mut self, key: K, value: V) {
        if self.current.len() >= RECENT_MOST {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(key, value);
    }

    fn remove(&mut self, key: &K) {
        if !self.is_empty() {
            self.current.remove(key);
            self.previous.remove(key);
        }
    }

    fn get(&mut self, key: &K) -> Option<V>
    where
        K: Copy,
    {
        if let Some(value) = self.current.get(key) {
            return Some(*value);
        }
        if self.previous.is_empty() {
            return None;
        }
        let value = self.previous.remove(key)?;
        self.insert(*key, value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn begins(src: &str, dst: &str) -> Route {
        Route { conversation: Some(Pair::new(socket(src), socket(dst))), begins: true, ..Route::default() }
    }

    #[test]
    fn pairs_and_conversations_are_spread_evenly_and_alike_in_both_directions() {
        for by in [By::Pair(8), By::Flow(8)] {
            let mut router = Router::new(by);
            let mut counts = [0_u32; 8];
            for host in 0..4000_u32 {
                let [_, b, c, d] = host.to_be_bytes();
                let there = (format!("10.{b}.{c}.{d}:1000"), "192.0.2.1:80");
                let part = router.part(&begins(&there.0, there.1), None, None);
                assert_eq!(router.part(&begins(there.1, &there.0), None, None), part);
                counts[usize::try_from(part).unwrap()] += 1;
            }
            assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
        }
    }

    #[test]
    fn packets_without_a_conversation_go_with_their_pair() {
        let mut router = Router::new(By::Pair(1000));
        let part = router.part(&begins("10.0.0.1:5", "10.0.0.2:80"), None, None);
        let ends = ["10.0.0.2", "10.0.0.1"].map(|ip| Address::Ip(ip.parse().unwrap()));
        assert_eq!(router.part(&Route::default(), Some(ends), None), part);
        let [a, b] = ends;
        assert_eq!(router.part(&Route::default(), Some([b, a]), None), part);
    }

    #[test]
    fn announced_and_related_conversations_share_a_part() {
        for by in [By::Pair(1000), By::Flow(1000)] {
            let mut router = Router::new(by);
            let mut call = begins("10.0.0.1:5060", "10.0.0.2:5060");
            call.announced = vec![socket("10.0.0.9:4000")];
            let part = router.part(&call, None, None);
            let media = begins("10.0.0.1:3000", "10.0.0.9:4000");
            assert_eq!(router.part(&media, None, None), part);
            let mut moved = begins("10.0.0.77:9", "10.0.0.9:4000");
            moved.shares = media.conversation;
            assert_eq!(router.part(&moved, None, None), part);
            assert_ne!(router.part(&begins("10.0.0.1:3001", "10.0.0.8:4000"), None, None), part);
        }
    }

    #[test]
    fn later_conversations_of_a_client_go_with_the_one_that_left_values() {
        for by in [By::Pair(1000), By::Flow(1000), By::Time(TimeSpan(1_000_000_000))] {
            let mut router = Router::new(by);
            let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
            let mut login = begins("10.0.0.1:5060", "10.0.0.2:2106");
            login.related = vec![Sharers::Client("10.0.0.1".parse().unwrap())];
            let part = router.part(&login, None, at(100));
            assert_eq!(router.part(&begins("10.0.0.1:5061", "10.0.0.3:7777"), None, at(200)), part);
            assert_eq!(router.part(&begins("10.0.0.3:7777", "10.0.0.1:5062"), None, at(200)), part);
            assert_ne!(router.part(&begins("10.0.0.4:5061", "10.0.0.3:7777"), None, at(200)), part);
        }
    }

    #[test]
    fn a_conversation_stays_in_the_span_in_which_it_began() {
        let mut router = Router::new(By::Time(TimeSpan(1_000_000_000)));
        let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
        let flow = begins("10.0.0.1:1", "10.0.0.2:2");
        assert_eq!(router.part(&flow, None, at(100)), 0);
        assert_eq!(router.part(&Route { begins: false, ..begins("10.0.0.1:1", "10.0.0.2:2") }, None, at(105)), 0);
        assert_eq!(router.part(&Route::default(), None, at(105)), 5);
        assert_eq!(router.part(&Route::default(), None, None), 5);
        assert_eq!(router.part(&Route::default(), None, at(3)), 0);
        assert_eq!(router.part(&begins("10.0.0.1:1", "10.0.0.2:2"), None, at(107)), 0);
        assert_eq!(router.part(&begins("10.0.0.1:3", "10.0.0.2:2"), None, at(107)), 7);
    }

    #[test]
    fn tables_stay_small() {
        let mut recent = Recent::default();
        for key in 0..3 * RECENT_MOST as u64 {
            recent.insert(key, key);
            assert_eq!(recent.get(&0), Some(0));
        }
        assert!(recent.current.len() + recent.previous.len() <= 2 * RECENT_MOST);
    }
}
