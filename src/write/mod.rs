//! Frames written down again: a capture file that Wireshark reads, with what records say as comments on their frames.
//!
//! ```text
//! every frame ─► Window ─► those that records need ─► CaptureFile: pcapng or pcap
//!                   ▲
//!                records
//! ```

mod file;
mod window;

pub use file::{CaptureFile, FileForm};
pub use window::{Late, Window};

use crate::tree::Time;

/// A frame on its way into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// When it was captured, if anybody knows.
    pub time: Time,
    /// Where it was captured.
    pub interface: Interface,
    /// Bytes it had on the wire.
    pub original: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What is said of it.
    pub comments: Vec<String>,
}

/// Where frames were captured: those that share all of this share an interface in the file.
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
