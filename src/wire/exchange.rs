//! What a protocol answers that speaks in datagrams and remembers.

use super::{Result, Wire};
use crate::tree::{Field, Object, Piece, Side};

/// Bytes that waited for others when a conversation ended.
pub struct Unfinished {
    /// Who said them.
    pub from: Side,
    /// The bytes, and where they were captured; offsets count in `bytes`.
    pub bytes: Vec<u8>,
    /// Where they were captured.
    pub pieces: Vec<Piece>,
    /// How they would have been put together.
    pub how: &'static str,
    /// The note that says so.
    pub code: &'static Field,
    /// What the note says.
    pub words: String,
}

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

    /// Another conversation announced this one and said this of it ([`Wire::expect_with`]). Asked once, before anything else.
    fn announced(&mut self, told: &[u8]) {
        let _ = told;
    }

    /// Bytes of memory that it holds, about. Asked after each datagram.
    fn held(&self) -> usize {
        size_of_val(self)
    }

    /// What it has gathered so far that can be saved.
    fn objects(&self) -> Vec<Object> {
        Vec::new()
    }

    /// What still waits for others, now that nothing follows.
    fn unfinished(&mut self) -> Vec<Unfinished> {
        Vec::new()
    }
}
