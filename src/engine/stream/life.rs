//! When a connection was seen, and how it ended.

use crate::input::Frame;
use crate::tree::Time;

/// When a connection was first and last seen, and how it ended.
#[derive(Default)]
pub(super) struct Life {
    pub(super) last_frame: u64,
    pub(super) last_time: Time,
    pub(super) first_time: Time,
    pub(super) first_frame: u64,
    /// Whether a side reset the connection.
    pub(super) reset: bool,
    /// Whether the end of the stream was reported.
    pub(super) end_reported: bool,
}

impl Life {
    /// Records the first frame.
    pub(super) fn begin(&mut self, frame: &Frame<'_>) {
        self.first_time = self.first_time.or(frame.time);
        if self.first_frame == 0 {
            self.first_frame = frame.number;
        }
    }
}
