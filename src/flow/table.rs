//! A table of conversations by endpoints.

use super::numbers::Numbers;
use crate::limits;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::net::{IpAddr, SocketAddr};

/// Number of conversations evicted at once: finding the oldest ones takes a pass over all.
fn evicted_at_once() -> usize {
    limits::CONVERSATIONS.get() / 16
}

/// The two endpoints of a conversation, in an order that does not depend on the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    low: End,
    high: End,
}

/// The two halves of an address, and a port with a flag for IPv6: smaller than a [`SocketAddr`], and faster to compare and hash.
type End = (u64, u64, u32);

impl Pair {
    /// The conversation of a packet from `src` to `dst`.
    pub fn new(src: SocketAddr, dst: SocketAddr) -> Pair {
        Pair::between(parts(src), parts(dst)).0
    }

    /// The conversation of an endpoint of a USB device with its host.
    pub fn usb(bus: u16, device: u16, endpoint: u8) -> Pair {
        Pair { low: (0, 0, 0), high: (1, u64::from(bus) << u16::BITS | u64::from(device), endpoint.into()) }
    }

    /// Address bits and ports of both endpoints, the lower endpoint first.
    pub fn bits(&self) -> [([u64; 2], u32); 2] {
        [self.low, self.high].map(|(high, low, port)| ([high, low], port))
    }

    /// Both endpoints, the lower one first.
    pub fn sockets(&self) -> [SocketAddr; 2] {
        [self.low, self.high].map(socket)
    }

    /// Whether the sender is the lower endpoint; true if both are equal.
    pub fn from_low(src: SocketAddr, dst: SocketAddr) -> bool {
        Pair::between(parts(src), parts(dst)).1
    }

    /// The pair of two endpoints, and whether `src` is the lower one or both are equal.
    pub fn between(src: (IpAddr, u16), dst: (IpAddr, u16)) -> (Pair, bool) {
        let (src, dst) = (end(src), end(dst));
        let from_low = src <= dst;
        let (low, high) = if from_low { (src, dst) } else { (dst, src) };
        (Pair { low, high }, from_low)
    }
}

fn parts(socket: SocketAddr) -> (IpAddr, u16) {
    (socket.ip(), socket.port())
}

fn end((ip, port): (IpAddr, u16)) -> End {
    const V6: u32 = 1 << u16::BITS;
    let port = u32::from(port);
    match ip {
        IpAddr::V4(ip) => (0, ip.to_bits().into(), port),
        IpAddr::V6(ip) => {
            let [a, b, c, d, e, f, g, h, low @ ..] = ip.octets();
            (u64::from_be_bytes([a, b, c, d, e, f, g, h]), u64::from_be_bytes(low), V6 | port)
        }
    }
}

/// An endpoint as a socket address.
fn socket((high, low, port): End) -> SocketAddr {
    let port_number = u16::try_from(port & u32::from(u16::MAX)).unwrap_or_default();
    if port >> u16::BITS == 0 {
        let ip = u32::try_from(low).unwrap_or_default();
        SocketAddr::from((ip.to_be_bytes(), port_number))
    } else {
        let ip = u128::from(high) << u64::BITS | u128::from(low);
        SocketAddr::from((ip.to_be_bytes(), port_number))
    }
}

/// The newest conversation between each pair of endpoints, numbered in the order in which they began.
#[derive(Debug)]
pub struct Table<T> {
    /// Boxed, because the map reserves up to twice its entries in place.
    open: HashMap<Pair, Box<Entry<T>>, foldhash::fast::RandomState>,
    /// Assigns the stream numbers.
    pub numbers: Numbers,
}

/// A conversation in a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<T> {
    number: u32,
    last_frame: u64,
    pub state: T,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { open: HashMap::default(), numbers: Numbers::default() }
    }
}

impl<T> Table<T> {
    /// The conversation between these endpoints, with its number.
    pub fn get(&mut self, pair: &Pair, frame: u64) -> Option<(u32, &mut T)> {
        let entry = self.open.get_mut(pair)?;
        entry.last_frame = frame;
        Some((entry.number, &mut entry.state))
    }

    /// The conversation with this number, if it is the newest between its endpoints. This does not count as use.
    pub fn look(&mut self, pair: &Pair, number: u32) -> Option<&mut T> {
        self.open.get_mut(pair).filter(|entry| entry.number == number).map(|entry| &mut entry.state)
    }

    /// The conversation with this number, without its endpoints: a pass over all conversations.
    #[cold]
    pub fn find(&mut self, number: u32) -> Option<&mut T> {
        self.open.values_mut().find(|entry| entry.number == number).map(|entry| &mut entry.state)
    }

    /// The conversation between these endpoints if it continues, else a new one. Returns it with its number, and the one it
    /// replaces, which stays boxed because it may be large.
    pub fn get_or_begin(
        &mut self,
        pair: Pair,
        frame: u64,
        goes_on: impl FnOnce(&mut T) -> bool,
        open: impl FnOnce(u32) -> T,
    ) -> (u32, &mut T, Option<Box<Entry<T>>>) {
        let begun = |number| Box::new(Entry { number, last_frame: frame, state: open(number) });
        let (entry, old) = match self.open.entry(pair) {
            Place::Occupied(known) => {
                let entry = known.into_mut();
                entry.last_frame = frame;
                if self.numbers.may_be(entry.number) && goes_on(&mut entry.state) {
                    self.numbers.pass(entry.number, false);
                    return (entry.number, &mut entry.state, None);
                }
                let old = std::mem::replace(entry, begun(self.numbers.next()));
                (entry, Some(old))
            }
            Place::Vacant(place) => (place.insert(begun(self.numbers.next())), None),
        };
        self.numbers.pass(entry.number, true);
        (entry.number, &mut entry.state, old)
    }

    /// Begins a new conversation between these endpoints. Returns the one it replaces.
    pub fn begin(&mut self, pair: Pair, frame: u64, open: impl FnOnce(u32) -> T) -> Option<(u32, T)> {
        let (.., old) = self.get_or_begin(pair, frame, |_| false, open);
        old.map(|old| (old.number, old.state))
    }

    /// Whether there are as many conversations as the limit allows.
    pub fn is_crowded(&self) -> bool {
        self.open.len() >= limits::CONVERSATIONS.get()
    }

    /// Evicts the conversations idle longest, if there are too many. Returns them in the order they began.
    pub fn evict(&mut self) -> RemovedConversations<T> {
        if !self.is_crowded() {
            return RemovedConversations::default();
        }
        let mut frames: Vec<u64> = self.open.values().map(|entry| entry.last_frame).collect();
        let last = frames.len().saturating_sub(1);
        let (_, &mut limit, _) = frames.select_nth_unstable(evicted_at_once().min(last));
        RemovedConversations::new(self.open.extract_if(|_, entry| entry.last_frame <= limit))
    }

    /// Removes all conversations. Returns them in the order they began.
    pub fn drain(&mut self) -> RemovedConversations<T> {
        RemovedConversations::new(self.open.drain())
    }

    /// States of the conversations whose last frame satisfies the condition.
    pub fn states(&mut self, is_meant: impl Fn(u64) -> bool) -> impl Iterator<Item = &mut T> {
        self.open.values_mut().filter(move |entry| is_meant(entry.last_frame)).map(|entry| &mut entry.state)
    }

    /// The conversations in the order they began: number, last frame, state.
    pub fn numbered(&self) -> Vec<(u32, u64, &T)> {
        let mut all: Vec<_> = self.open.values().map(|entry| (entry.number, entry.last_frame, &entry.state)).collect();
        all.sort_unstable_by_key(|(number, ..)| *number);
        all
    }

    /// The conversations that satisfy the condition with their last frames, the one idle longest first.
    pub fn quietest(&self, is_meant: impl Fn(&T) -> bool) -> Vec<(Pair, u32, u64)> {
        let meant = self.open.iter().filter(|(_, entry)| is_meant(&entry.state));
        let mut all: Vec<_> = meant.map(|(pair, entry)| (entry.last_frame, entry.number, *pair)).collect();
        all.sort_unstable_by_key(|(last_frame, number, _)| (*last_frame, *number));
        all.into_iter().map(|(last_frame, number, pair)| (pair, number, last_frame)).collect()
    }
}

/// Conversations removed from the table, with their numbers, in the order they began.
///
/// Each stays boxed until it is taken: copies in a second list would double the memory.
#[derive(Debug)]
pub struct RemovedConversations<T>(std::vec::IntoIter<Box<Entry<T>>>);

impl<T> Default for RemovedConversations<T> {
    fn default() -> Self {
        RemovedConversations(Vec::new().into_iter())
    }
}

impl<T> RemovedConversations<T> {
    fn new(entries: impl Iterator<Item = (Pair, Box<Entry<T>>)>) -> RemovedConversations<T> {
        let mut entries: Vec<Box<Entry<T>>> = entries.map(|(_, entry)| entry).collect();
        entries.sort_unstable_by_key(|entry| entry.number);
        RemovedConversations(entries.into_iter())
    }
}

impl<T> Iterator for RemovedConversations<T> {
    type Item = (u32, T);

    fn next(&mut self) -> Option<(u32, T)> {
        self.0.next().map(|entry| (entry.number, entry.state))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for RemovedConversations<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    #[test]
    fn both_directions_are_one_conversation() {
        assert_eq!(Pair::new(socket(1), socket(2)), Pair::new(socket(2), socket(1)));
        assert_ne!(Pair::new(socket(1), socket(2)), Pair::new(socket(1), socket(3)));
        for pair in [[socket(7), socket(1)], ["[fe80::1]:9", "[::2]:65535"].map(|text| text.parse().unwrap())] {
            let mut sockets = Pair::new(pair[0], pair[1]).sockets();
            sockets.sort();
            assert_eq!(sockets, {
                let mut pair = pair;
                pair.sort();
                pair
            });
        }
        let [v4, v6] = ["0.0.0.1:7", "[::1]:7"].map(|socket| socket.parse().unwrap());
        assert_ne!(Pair::new(v4, v4), Pair::new(v4, v6));
    }

    #[test]
    fn a_new_conversation_takes_the_place_of_the_old_one() {
        let mut table = Table::default();
        let pair = Pair::new(socket(1), socket(2));
        assert!(table.begin(pair, 1, |number| number).is_none());
        assert_eq!(table.begin(pair, 2, |number| number), Some((0, 0)));
        assert_eq!(table.get(&pair, 3), Some((1, &mut 1)));
        assert_eq!(table.get_or_begin(pair, 4, |_| true, |number| number), (1, &mut 1, None));
        let old = Box::new(Entry { number: 1, last_frame: 5, state: 1 });
        assert_eq!(table.get_or_begin(pair, 5, |_| false, |number| number), (2, &mut 2, Some(old)));
    }

    #[test]
    fn only_states_of_selected_frames_are_visited() {
        let mut table = Table::default();
        for port in 0..100 {
            table.begin(Pair::new(socket(port), socket(1000)), port.into(), |number| number);
        }
        table.get(&Pair::new(socket(7), socket(1000)), 200);
        let mut visited: Vec<u32> = table.states(|last_frame| last_frame >= 98).map(|state| *state).collect();
        visited.sort_unstable();
        assert_eq!(visited, [7, 98, 99]);
    }

    #[test]
    fn the_quietest_conversations_are_forgotten_first() {
        let mut table = Table::default();
        for number in 0..limits::CONVERSATIONS.get() {
            let ip = u32::try_from(number).unwrap().to_be_bytes();
            let pair = Pair::new(SocketAddr::from((ip, 9)), socket(1));
            table.begin(pair, number as u64, |number| number);
        }
        let mut quiet = table.evict();
        assert_eq!(quiet.len(), evicted_at_once() + 1);
        assert_eq!(quiet.next(), Some((0, 0)));
        assert_eq!(table.evict().len(), 0);
    }
}
