//! Frames written down again: a capture file that Wireshark reads, with what records say as comments on their frames.
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

use crate::tree::Time;

/// A frame to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Capture time, if known.
    pub time: Time,
    /// Capture interface.
    pub interface: Interface,
    /// Bytes on the wire.
    pub original: u32,
    /// Captured bytes.
    pub bytes: Vec<u8>,
    /// Comments.
    pub comments: Vec<String>,
}

/// Capture interface: frames that share all of these properties share an interface in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interface {
    /// Which input, counted from 0.
    pub input: usize,
    /// Its number there, if the input has several.
    pub number: Option<u32>,
    /// How its frames begin: a number of the tcpdump.org list of link types.
    pub link: u16,
    /// What it is called; may be empty.
    pub name: String,
}
