//! Completed transfers.

use super::{Field, Time};

/// A requested object that was transferred completely, usually a file.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The protocol.
    pub protocol: &'static Field,
    /// The kind of object: `update file`.
    pub what: &'static str,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the request.
    pub requested: Time,
    /// Time of the last byte.
    pub completed: Time,
    /// The frame with the last byte.
    pub frame: u64,
}
