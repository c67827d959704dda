//! Conversations and endpoints: who speaks with whom, and how much.

use super::parts::Over;
use super::traffic::Count;
use crate::tree::{Address, Dissection, Time};
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Conversations that are remembered, all kinds together.
const MOST: usize = 1_000_000;

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
    /// Nanoseconds from the first frame of the capture to the first and to the last of the conversation.
    pub times: Option<(i64, i64)>,
}

impl Talk {
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

    /// Count the layers of a frame that belong to conversations of this kind. Returns how many new ones there are.
    pub(super) fn frame(&mut self, of: Dissection<'_>, start: Time, remembered: usize) -> usize {
        let tree = of.tree;
        let time = tree.frame.time.zip(start);
        let time = time.map(|(time, start)| i64::try_from(time.since(start)).unwrap_or(i64::MAX));
        let before = self.talks.len();
        for layer in &tree.layers {
            if of.layer_node(layer).is_none_or(|node| node.field().abbrev != self.over.layer()) {
                continue;
            }
            let Some(ends) = tree.ends.get(layer.ends as usize) else { continue };
            let (Some(src), Some(dst)) = (ends.src.map(End::of), ends.dst.map(End::of)) else { continue };
            if !src.fits(self.over) || !dst.fits(self.over) {
                continue;
            }
            let has_room = remembered + (self.talks.len() - before) < MOST;
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
                let (first, last) = talk.times.unwrap_or((time, time));
                talk.times = Some((first.min(time), last.max(time)));
            }
        }
        self.talks.len() - before
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
    pub fn endpoints(&self) -> Vec<(End, Shares)> {
        let mut shares: HashMap<End, Shares, foldhash::fast::RandomState> = HashMap::default();
        for talk in &self.talks {
            let ([a, b], [sent, answered]) = (talk.ends, talk.sent);
            for (end, sent, got) in [(a, sent, answered), (b, answered, sent)] {
                let share = shares.entry(end).or_default();
                share.sent.join(sent);
                share.got.join(got);
            }
        }
        let mut ends: Vec<(End, Shares)> = shares.into_iter().collect();
        ends.sort_unstable_by_key(|(end, share)| (std::cmp::Reverse(share.sent.bytes + share.got.bytes), *end));
        ends
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
    talks.push(Talk { ends: [src, dst], sent: [Count::default(); 2], times: None });
    known.insert(key, place);
    Some(place)
}
