//! What came whole from one side to the other.

use super::{Field, Time};

/// Something that was asked for and has come whole: a file, as a rule.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// Who carried it.
    pub protocol: &'static Field,
    /// What things of its kind are called: `update file`.
    pub what: &'static str,
    /// Its bytes.
    pub bytes: u64,
    /// When it was asked for.
    pub asked: Time,
    /// When its last byte came.
    pub came: Time,
    /// The frame that brought that.
    pub frame: u64,
}
