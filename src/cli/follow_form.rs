//! Output formats and directions of `follow`.

use crate::tree::Side;
use clap::ValueEnum;

/// Output formats of `follow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FollowForm {
    /// Hex dump as Wireshark's Follow Stream, with message names; can be used as input
    Hex,
    /// Text, with dots for unprintable bytes
    Ascii,
    /// Raw bytes
    Raw,
    /// JSON array of all payloads
    Json,
    /// JSON Lines: one object per payload
    Ndjson,
    /// YAML as in Wireshark
    Yaml,
    /// C arrays, one per payload
    Carray,
}

/// A direction of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// Client to server
    C2s,
    /// Server to client
    S2c,
}

impl From<Direction> for Side {
    fn from(direction: Direction) -> Side {
        match direction {
            Direction::C2s => Side::Client,
            Direction::S2c => Side::Server,
        }
    }
}
