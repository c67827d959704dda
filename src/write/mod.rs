//! Capture files of selected frames for Wireshark, with summaries of records as packet comments.
//!
//! ```text
//! every frame ─► Window ─► those that records need ─► CaptureFile: pcapng or pcap
//!                   ▲
//!                records
//! ```

pub mod block;
mod file;
mod window;

pub use file::{CaptureFile, FileForm};
pub use window::{Late, Window};

use crate::tree::{Side, Time};

/// Link type of packets of hex text without headers.
const USER_0: u16 = 147;

/// A frame to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFrame {
    /// Capture time, if known.
    pub time: Time,
    /// Capture interface.
    pub interface: Interface,
    /// Sender, if the input gives one.
    pub direction: Option<Side>,
    /// Whether it is payload of a single conversation, without headers.
    pub is_payload: bool,
    /// Bytes on the wire.
    pub original: u32,
    /// Captured bytes.
    pub bytes: Vec<u8>,
    pub comments: Vec<String>,
}

/// Capture interface: frames that share all of these properties share an interface in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interface {
    /// Index of the input.
    pub input: usize,
    /// Interface number in the input, if it has several.
    pub number: Option<u32>,
    /// Link type (tcpdump.org list).
    pub link: u16,
    /// Name; may be empty.
    pub name: String,
}
