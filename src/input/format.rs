//! What an input is, and how it is to be read.

use super::Link;
use crate::wire::Settings;
use std::fmt;

/// The detected format of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The classic libpcap format.
    Pcap,
    /// pcapng.
    PcapNg,
    /// The snoop format of Solaris.
    Snoop,
    /// A session log in a format of this name, which a protocol declares.
    Log(&'static str),
    /// Hex text.
    Hex,
    /// Wireshark's hex dump of a conversation.
    FollowStream,
    /// Raw bytes of a configured type.
    Raw,
}

impl Format {
    /// `pcap`, `pcapng`, `snoop`, the name of a log format, `hex`, `follow` or `raw`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Pcap => "pcap",
            Format::PcapNg => "pcapng",
            Format::Snoop => "snoop",
            Format::Log(name) => name,
            Format::Hex => "hex",
            Format::FollowStream => "follow",
            Format::Raw => "raw",
        }
    }

    /// Whether it is one of captures and session logs, not of text or raw bytes.
    #[must_use]
    pub const fn is_capture(self) -> bool {
        matches!(self, Format::Pcap | Format::PcapNg | Format::Snoop | Format::Log(_))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Requested format of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFormat {
    /// A capture: pcap, pcapng or snoop.
    Pcap,
    /// Packets as text. A Follow Stream dump is also read as a sequence of packets.
    Hex,
    /// Raw bytes, not decompressed. [`Options::link`] states their type.
    Raw,
    /// Wireshark's hex dump of a conversation, even if its columns are lost.
    Follow,
}

impl InputFormat {
    /// All formats.
    pub const ALL: [InputFormat; 4] = [InputFormat::Pcap, InputFormat::Hex, InputFormat::Raw, InputFormat::Follow];

    /// `pcap`, `hex`, `raw` or `follow`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            InputFormat::Pcap => "pcap",
            InputFormat::Hex => "hex",
            InputFormat::Raw => "raw",
            InputFormat::Follow => "follow",
        }
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where packets end in hex text without offsets, labels and direction marks. By default, blank lines and unequal widths of lines
/// separate packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Each line is a packet.
    Lines,
    /// Only blank lines separate packets.
    Blank,
    /// The text is one packet.
    None,
}

/// Order of the bytes in numbers of several bytes in hex text, such as `0x50495002` in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordOrder {
    /// The lowest byte first, as in the memory of most machines.
    Little,
    /// The highest byte first.
    Big,
}

/// Options of an input. By default, everything is detected from its content.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The format; disables detection.
    pub format: Option<InputFormat>,
    /// Link type of packets in hex text and of raw bytes. With [`Link::Stream`], raw bytes are the payload of that side of a
    /// conversation; otherwise they are one frame. Captures and Follow Stream dumps ignore it.
    pub link: Option<Link>,
    /// Where packets end in hex text.
    pub split: Option<Split>,
    /// Order of the bytes of numbers in hex text; little-endian by default.
    pub words: Option<WordOrder>,
    /// Treats binary data of unknown format as raw bytes.
    pub raw_otherwise: bool,
    /// Decompress large inputs on a separate thread, which reads slightly ahead.
    pub helped: bool,
    /// Options of protocols, which their session logs use.
    pub settings: &'static Settings,
}

impl Default for Options {
    fn default() -> Options {
        static NONE: Settings = Settings::new();
        let (format, link, split, words) = (None, None, None, None);
        Options { format, link, split, words, raw_otherwise: false, helped: false, settings: &NONE }
    }
}
