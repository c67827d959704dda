//! The two sides of a conversation.

use std::fmt;

/// A side of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The endpoint that opened the conversation.
    Client,
    /// The other endpoint.
    Server,
}

impl Side {
    /// Both sides, the client first.
    pub const BOTH: [Side; 2] = [Side::Client, Side::Server];

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }

    /// 0 for the client, 1 for the server: an index into an array of two.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Side::Client => 0,
            Side::Server => 1,
        }
    }

    /// The direction of bytes from this side: `c2s` or `s2c`.
    #[must_use]
    pub const fn direction(self) -> &'static str {
        match self {
            Side::Client => "c2s",
            Side::Server => "s2c",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.direction())
    }
}
