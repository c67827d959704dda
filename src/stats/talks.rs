//! Conversations and endpoints: who speaks with whom, and how much.

use super::parts::Over;
use super::traffic::Count;
use crate::tree::{Address, Dissection, Time};
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::Range;

/// Conversations that are remembered, all kinds together. One that is looked for by its ends takes the room of two.
const MOST: usize = 1 << 18;

/// One end of a conversation, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Host {
    Mac([u8; 6]),
    V4([u8; 4]),
    V6([u8; 16]),
}

/// Who speaks: an address, with a port where there are ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    host: Host,
    port: Option<u16>,
}

impl End {
    fn of(address: Address) -> End {
        let host = |ip| match ip {
            IpAddr::V4(ip) => Host::V4(ip.octets()),
            IpAddr::V6(ip) => Host::V6(ip.octets()),
        };
        match address {
            Address::Mac(mac) => End { host: Host::Mac(mac), port: None },
            Address::Ip(ip) => End { host: host(ip), port: None },
            Address::Socket(socket) => End { host: host(socket.ip()), port: Some(socket.port()) },
        }
    }

    fn fits(self, over: Over) -> bool {
        match over {
            Over::Eth => matches!(self.host, Host::Mac(_)),
            Over::Ip => matches!(self.host, Host::V4(_)),
            Over::Ipv6 => matches!(self.host, Host::V6(_)),
            Over::Tcp | Over::Udp => self.port.is_some(),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ip: IpAddr = match self.host {
            Host::Mac(mac) => return Address::Mac(mac).fmt(f),
            Host::V4(ip) => Ipv4Addr::from(ip).into(),
            Host::V6(ip) => Ipv6Addr::from(ip).into(),
        };
        match self.port {
            Some(port) => SocketAddr::new(ip, port).fmt(f),
            None => ip.fmt(f),
        }
    }
}

/// A conversation.
#[derive(Debug, Clone, Copy)]
pub struct Talk {
    /// Who spoke first, and with whom.
    pub ends: [End; 2],
    /// What each of them sent.
    pub sent: [Count; 2],
    /// See [`Talk::times`]; the first behind the last for none.
    first: i64,
    last: i64,
}

impl Talk {
    /// Nanoseconds from the first frame of the capture to the first and to the last of the conversation.
    #[must_use]
    pub fn times(&self) -> Option<(i64, i64)> {
        (self.first <= self.last).then_some((self.first, self.last))
    }

    /// What both sent.
    #[must_use]
    pub fn all(&self) -> Count {
        let [a, b] = self.sent;
        Count { frames: a.frames + b.frames, bytes: a.bytes + b.bytes }
    }
}

/// What an endpoint sent and got.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shares {
    /// What it sent.
    pub sent: Count,
    /// What it got.
    pub got: Count,
}

/// Conversations of one kind, in the order in which they began.
#[derive(Debug)]
pub struct Talks {
    /// What tells them apart.
    pub over: Over,
    talks: Vec<Talk>,
    by_ends: HashMap<[End; 2], u32, foldhash::fast::RandomState>,
    by_number: HashMap<u32, u32, foldhash::fast::RandomState>,
    /// Frames of conversations that are not remembered.
    pub left_out: u64,
}

impl Talks {
    pub(super) fn new(over: Over) -> Talks {
        Talks { over, talks: Vec::new(), by_ends: HashMap::default(), by_number: HashMap::default(), left_out: 0 }
    }

    /// Count the layers of a frame that belong to conversations of this kind. Returns how much room new ones take.
    pub(super) fn frame(&mut self, of: Dissection<'_>, start: Time, remembered: usize) -> usize {
        let tree = of.tree;
        let time = tree.frame.time.zip(start);
        let time = time.map(|(time, start)| i64::try_from(time.since(start)).unwrap_or(i64::MAX));
        let before = self.room();
        for layer in &tree.layers {
            if of.layer_node(layer).is_none_or(|node| node.field().abbrev != self.over.layer()) {
                continue;
            }
            let Some(ends) = tree.ends.get(layer.ends as usize) else { continue };
            let (Some(src), Some(dst)) = (ends.src.map(End::of), ends.dst.map(End::of)) else { continue };
            if !src.fits(self.over) || !dst.fits(self.over) {
                continue;
            }
            let has_room = remembered + (self.room() - before) < MOST;
            let place = match ends.stream {
                Some((id, _)) => find(&mut self.by_number, id.number, &mut self.talks, src, dst, has_room),
                None => find(&mut self.by_ends, [src.min(dst), src.max(dst)], &mut self.talks, src, dst, has_room),
            };
            let Some(talk) = place.and_then(|place| self.talks.get_mut(place as usize)) else {
                self.left_out += 1;
                continue;
            };
            let ([first, _], [sent, answered]) = (talk.ends, &mut talk.sent);
            (if first == src { sent } else { answered }).add(tree.frame.original.into());
            if let Some(time) = time {
                (talk.first, talk.last) = (talk.first.min(time), talk.last.max(time));
            }
        }
        self.room() - before
    }

    /// How much room those take that are remembered, in conversations.
    pub(super) fn room(&self) -> usize {
        self.talks.len() + self.by_ends.len()
    }

    /// How many are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.talks.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.talks.is_empty()
    }

    /// The conversations with the most bytes first.
    #[must_use]
    pub fn largest(&self) -> Vec<&Talk> {
        let mut talks: Vec<&Talk> = self.talks.iter().collect();
        // Those of one size stay in the order in which they began.
        talks.sort_by_key(|talk| std::cmp::Reverse(talk.all().bytes));
        talks
    }

    /// The endpoints with the most bytes first.
    #[must_use]
    pub fn endpoints(&self) -> Endpoints<'_> {
        let count = u32::try_from(self.talks.len()).unwrap_or(u32::MAX);
        let mut mentions: Vec<Mention> = (0..count).flat_map(|talk| [(talk, 0), (talk, 1)]).collect();
        mentions.sort_unstable_by_key(|mention| self.mentioned(*mention).map(|(end, _)| end));
        let mut endpoints = Endpoints { talks: self, mentions, largest: Vec::new() };
        let mut from = 0;
        let same = |one: &Mention, other: &Mention| {
            self.mentioned(*one).map(|(end, _)| end) == self.mentioned(*other).map(|(end, _)| end)
        };
        for mentions in endpoints.mentions.chunk_by(same) {
            let to = from + mentions.len();
            let shares = endpoints.shares(from..to);
            endpoints.largest.push((shares.sent.bytes + shares.got.bytes, from, to));
            from = to;
        }
        // Those of one size stay in the order of their addresses.
        endpoints.largest.sort_by_key(|(bytes, ..)| std::cmp::Reverse(*bytes));
        endpoints
    }

    fn mentioned(&self, (talk, side): Mention) -> Option<(End, Shares)> {
        let Talk { ends: [a, b], sent: [sent, answered], .. } = *self.talks.get(talk as usize)?;
        Some(match side {
            0 => (a, Shares { sent, got: answered }),
            _ => (b, Shares { sent: answered, got: sent }),
        })
    }
}

/// A conversation by its place, and one of its sides.
type Mention = (u32, u8);

/// Endpoints, put together when they are looked at: there may be twice as many as conversations.
pub struct Endpoints<'a> {
    talks: &'a Talks,
    /// Sorted by the endpoint.
    mentions: Vec<Mention>,
    /// Bytes, and from where to where an endpoint is mentioned.
    largest: Vec<(u64, usize, usize)>,
}

impl Endpoints<'_> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.largest.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.largest.is_empty()
    }

    /// Each with what it sent and got, the one with the most bytes first.
    pub fn iter(&self) -> impl Iterator<Item = (End, Shares)> {
        self.largest.iter().filter_map(|(_, from, to)| {
            let (end, _) = self.talks.mentioned(*self.mentions.get(*from)?)?;
            Some((end, self.shares(*from..*to)))
        })
    }

    fn shares(&self, mentions: Range<usize>) -> Shares {
        let mentions = self.mentions.get(mentions).unwrap_or_default();
        let parts = mentions.iter().filter_map(|mention| self.talks.mentioned(*mention));
        parts.fold(Shares::default(), |mut all, (_, part)| {
            all.sent.join(part.sent);
            all.got.join(part.got);
            all
        })
    }
}

/// The place of a conversation, put there if it is new and there is room.
fn find<K: Hash + Eq>(
    known: &mut HashMap<K, u32, foldhash::fast::RandomState>,
    key: K,
    talks: &mut Vec<Talk>,
    src: End,
    dst: End,
    has_room: bool,
) -> Option<u32> {
    if let Some(place) = known.get(&key) {
        return Some(*place);
    }
    let place = u32::try_from(talks.len()).ok().filter(|_| has_room)?;
    talks.push(Talk { ends: [src, dst], sent: [Count::default(); 2], first: i64::MAX, last: i64::MIN });
    known.insert(key, place);
    Some(place)
}
