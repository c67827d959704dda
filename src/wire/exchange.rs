//! What a protocol answers that speaks in datagrams and remembers.

use super::{Result, Wire};
use crate::tree::Side;

/// The state of one conversation of datagrams. Ends that answer a broadcast share the state of whoever asked.
pub trait Exchange: Send {
    /// What does this datagram say?
    ///
    /// # Errors
    /// Where reading had to stop; what was read stays.
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result;

    /// Whether these bytes are this protocol's because of what was said before. Asked before ports and looks.
    fn claims(&self, from: Side, bytes: &[u8]) -> bool {
        let _ = (from, bytes);
        false
    }
}
