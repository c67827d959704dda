//! Values that conversations leave for later ones of the same client, or of the same two hosts.

use std::any::Any;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

/// Maximum number of owners. A capture of a server has as many as clients log in at about the same time.
const OWNERS: usize = 1024;

/// Maximum number of bytes of all values.
const BYTES: usize = 16 << 20;

/// Hosts whose conversations have a value together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sharers {
    /// The conversations of a client.
    Client(IpAddr),
    /// Those between two hosts, client and server.
    Pair([IpAddr; 2]),
}

/// A value that a conversation left.
#[derive(Debug, Clone)]
pub struct SharedValue {
    /// The variable, numbered by its protocol.
    pub variable: u32,
    /// The frame that completed the message which set it.
    pub frame: u64,
    /// The value, which only the protocol knows.
    pub value: Arc<dyn Any + Send + Sync>,
    /// Its bytes of memory.
    pub size: usize,
}

/// Shared values by protocol and owner.
#[derive(Debug, Default)]
pub struct SharedValues {
    owners: HashMap<(&'static str, Sharers), Values, foldhash::fast::RandomState>,
    /// Number of values set so far.
    clock: u64,
    /// Bytes of all values.
    size: usize,
}

/// The values of an owner.
#[derive(Debug, Default)]
struct Values {
    /// When the last one was set.
    clock: u64,
    values: Vec<SharedValue>,
}

impl SharedValues {
    /// Sets a value. Returns the number of owners, those without a new value for longest, that were evicted for it.
    pub fn set(&mut self, protocol: &'static str, sharers: Sharers, value: SharedValue) -> usize {
        self.clock += 1;
        self.size += value.size;
        let owner = self.owners.entry((protocol, sharers)).or_default();
        owner.clock = self.clock;
        match owner.values.iter_mut().find(|known| known.variable == value.variable) {
            Some(known) => self.size -= std::mem::replace(known, value).size,
            None => owner.values.push(value),
        }
        let mut evicted = 0;
        while self.owners.len() > OWNERS || self.size > BYTES && self.owners.len() > 1 {
            let oldest = self.owners.iter().min_by_key(|(_, values)| values.clock).map(|(owner, _)| *owner);
            let Some(values) = oldest.and_then(|owner| self.owners.remove(&owner)) else { break };
            self.size -= values.values.iter().map(|value| value.size).sum::<usize>();
            evicted += 1;
        }
        evicted
    }

    /// The value of a variable for a conversation whose first frame is this one: one that was set before.
    #[must_use]
    pub fn get(&self, protocol: &'static str, sharers: Sharers, variable: u32, first: u64) -> Option<&SharedValue> {
        let values = &self.owners.get(&(protocol, sharers))?.values;
        values.iter().find(|value| value.variable == variable && value.frame < first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn client(number: u32) -> Sharers {
        Sharers::Client(Ipv4Addr::from(number).into())
    }

    fn value(variable: u32, frame: u64, size: usize) -> SharedValue {
        SharedValue { variable, frame, value: Arc::new(frame), size }
    }

    #[test]
    fn the_owner_whose_values_are_oldest_is_evicted() {
        let mut shared = SharedValues::default();
        for owner in 0..1024 {
            assert_eq!(shared.set("a", client(owner), value(0, 1, 10)), 0);
        }
        assert_eq!(shared.set("a", client(0), value(1, 2, 10)), 0);
        assert_eq!(shared.set("b", client(0), value(0, 3, 10)), 1);
        let is_there = |protocol, owner| shared.get(protocol, client(owner), 0, 9).is_some();
        assert!(is_there("a", 0) && !is_there("a", 1) && is_there("a", 2) && is_there("b", 0));
        assert_eq!(shared.size, 1025 * 10);
    }

    #[test]
    fn the_memory_of_values_is_bounded() {
        let mut shared = SharedValues::default();
        for owner in 0..300 {
            shared.set("a", client(owner), value(0, 1, 1 << 16));
            shared.set("a", client(owner), value(0, 1, 1 << 16));
            assert!(shared.size <= BYTES);
        }
        assert_eq!(shared.owners.len(), 256);
    }

    #[test]
    fn a_conversation_gets_what_was_set_before_it_began() {
        let mut shared = SharedValues::default();
        let pair = Sharers::Pair([Ipv4Addr::from(1).into(), Ipv4Addr::from(2).into()]);
        shared.set("a", pair, value(3, 7, 1));
        let get = |sharers, variable, first| shared.get("a", sharers, variable, first).map(|value| value.frame);
        assert_eq!([get(pair, 3, 8), get(pair, 3, 7), get(pair, 2, 8), get(client(1), 3, 8)], [Some(7), None, None, None]);
    }
}
