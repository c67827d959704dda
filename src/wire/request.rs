//! A request without a response yet.

use crate::tree::Time;

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Number of the frame that completed it.
    pub frame: u64,
    /// Capture time of that frame.
    pub time: Time,
    /// Whether a response was seen.
    pub answered: bool,
}
