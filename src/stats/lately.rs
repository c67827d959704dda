//! Where segments of connections that spoke lately are counted: most come like one before.

use super::parts::Over;
use super::talks::Found;
use crate::tree::Passed;
use std::net::SocketAddr;

/// How many directions of connections are remembered: a power of two.
const SLOTS: usize = 64;

/// The rows of a segment, by the kinds that are counted, in their order.
pub(super) type Rows = [Option<Found>; Over::ALL.len()];

/// A direction of a connection.
#[derive(Debug, Clone, Copy)]
struct Known {
    number: u32,
    src: SocketAddr,
    /// The addresses of the link.
    link: [[u8; 6]; 2],
    rows: Rows,
}

/// Those that spoke lately.
#[derive(Debug)]
pub(super) struct Lately([Option<Known>; SLOTS]);

impl Default for Lately {
    fn default() -> Lately {
        Lately([None; SLOTS])
    }
}

impl Lately {
    /// Where a segment is counted, if one went the same way lately.
    pub(super) fn get(&self, passed: &Passed, link: [[u8; 6]; 2]) -> Option<&Rows> {
        let known = self.0.get(slot(passed))?.as_ref()?;
        let [src, _] = passed.sockets;
        // The number stands for both ends.
        (known.number == passed.stream.number && known.src == src && known.link == link).then_some(&known.rows)
    }

    /// It is counted there.
    pub(super) fn put(&mut self, passed: &Passed, link: [[u8; 6]; 2], rows: Rows) {
        let [src, _] = passed.sockets;
        if let Some(slot) = self.0.get_mut(slot(passed)) {
            *slot = Some(Known { number: passed.stream.number, src, link, rows });
        }
    }
}

/// Another one for each direction.
fn slot(passed: &Passed) -> usize {
    let [src, dst] = passed.sockets;
    (passed.stream.number as usize * 2 + usize::from(src.port() < dst.port())) % SLOTS
}
