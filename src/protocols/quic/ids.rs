//! Connection IDs issued by a side, which the peer uses as destination.

use crate::tree::Side;
use crate::wire::Wire;
use std::collections::VecDeque;

/// Maximum number of IDs of one side. Above it, the oldest one of a NEW_CONNECTION_ID frame is evicted.
const MAX: usize = 64;

/// Connection IDs of one side.
#[derive(Default)]
pub(super) struct Ids {
    /// Source connection ID of its long headers.
    pub(super) own: Option<Vec<u8>>,
    /// IDs of its NEW_CONNECTION_ID frames.
    issued: VecDeque<Box<[u8]>>,
}

impl Ids {
    /// Learns the source connection ID of a long header. `sender` sends packets with it.
    pub(super) fn learn(&mut self, wire: &mut Wire<'_>, sender: Side, id: &[u8]) {
        if self.own.as_deref() != Some(id) {
            announce(wire, sender, id);
            self.own = Some(id.to_vec());
        }
    }

    /// Learns the ID of a NEW_CONNECTION_ID frame.
    pub(super) fn issue(&mut self, wire: &mut Wire<'_>, sender: Side, id: &[u8]) {
        if id.is_empty() || self.issued.iter().any(|known| **known == *id) {
            return;
        }
        if self.issued.len() >= MAX {
            self.issued.pop_front();
            wire.evicted(format_args!("the oldest of more than {MAX} connection IDs"));
        }
        self.issued.push_back(id.into());
        announce(wire, sender, id);
    }

    /// Size of the known ID at the start of these bytes.
    pub(super) fn known(&self, bytes: &[u8]) -> Option<usize> {
        let own = self.own.as_deref().filter(|id| bytes.starts_with(id)).map(<[u8]>::len);
        let issued = || self.issued.iter().find(|id| bytes.starts_with(id)).map(|id| id.len());
        own.filter(|own| *own > 0).or_else(issued).or(own)
    }

    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        let issued = self.issued.iter().map(|id| size_of_val(id) + id.len());
        self.own.as_ref().map_or(0, Vec::capacity) + issued.sum::<usize>()
    }
}

/// Announces a connection ID to the engine, in the format of short and of long headers.
fn announce(wire: &mut Wire<'_>, sender: Side, id: &[u8]) {
    const IN_SHORT_HEADER: usize = 1;
    const LENGTH_IN_LONG_HEADER: usize = 5;
    wire.issue_connection_id(sender, IN_SHORT_HEADER, id);
    let length = u8::try_from(id.len()).unwrap_or_default();
    wire.issue_connection_id(sender, LENGTH_IN_LONG_HEADER, &[&[length], id].concat());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    #[test]
    fn a_forgotten_connection_id_is_noted() {
        let mut ids = Ids::default();
        let mut issue = |number: usize| {
            trial::read(&super::super::PROTOCOL, &[], Cut::No, |wire| {
                ids.issue(wire, Side::Client, &number.to_be_bytes());
                Ok(())
            })
        };
        assert!((0..MAX).all(|number| !issue(number).contains("dissect.evicted")));
        assert!(issue(MAX).contains("! info dissect.evicted"));
        assert!(!issue(MAX).contains("dissect.evicted"));
    }
}
