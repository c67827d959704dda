//! Metadata of a capture: its interfaces, its sections, and blocks other than packets.
//!
//! Text and the number of block kinds are limited: nothing here grows with the input.

use std::fmt;

use super::names::Names;
use super::options::{OptionList, text};

/// Maximum number of bytes of names and comments; further ones are dropped.
const TEXT: usize = 1 << 20;

/// Maximum number of sections kept.
const SECTIONS: usize = 1000;

/// Maximum number of kinds of blocks that are counted separately.
const KINDS: usize = 100;

/// A capture interface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Interface {
    /// Link type, a number of the tcpdump.org list; `None` if unknown.
    pub link: Option<u16>,
    /// Snapshot length: captured bytes per frame; 0 is no limit.
    pub snap_len: u32,
    /// Name of the interface in the system (`if_name`).
    pub name: Option<String>,
    /// Description (`if_description`).
    pub description: Option<String>,
    /// Comments (`opt_comment`).
    pub comments: Vec<String>,
}

/// A section of a pcapng capture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Section {
    /// Hardware of the capturing host.
    pub hardware: Option<String>,
    /// Its operating system.
    pub os: Option<String>,
    /// The program that captured it.
    pub application: Option<String>,
    /// Comments (`opt_comment`).
    pub comments: Vec<String>,
}

/// A kind of block other than packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Name resolution.
    Names,
    /// Decryption secrets of this type: four letters, the first one in the highest byte.
    Secrets(u32),
    /// Interface statistics.
    Statistics,
    /// systemd journal entries.
    Journal,
    /// Process information of macOS.
    Processes,
    /// A custom block of this private enterprise number.
    Custom(u32),
    /// A block of unknown type.
    Block(u32),
    /// Kinds beyond the limit.
    More,
}

impl fmt::Display for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extra::Names => f.write_str("name resolution"),
            Extra::Secrets(kind) => {
                let what = match &kind.to_be_bytes() {
                    b"TLSK" => "TLS key log",
                    b"SSHK" => "SSH key log",
                    b"WGKL" => "WireGuard key log",
                    b"ZNWK" => "Zigbee network key",
                    b"ZAPS" => "Zigbee application key",
                    b"OPCU" => "OPC UA key log",
                    _ => return write!(f, "decryption secrets of type {kind:#010x}"),
                };
                write!(f, "decryption secrets: {what}")
            }
            Extra::Statistics => f.write_str("interface statistics"),
            Extra::Journal => f.write_str("systemd journal"),
            Extra::Processes => f.write_str("process information"),
            Extra::Custom(number) => write!(f, "custom block of enterprise {number}"),
            Extra::Block(kind) => write!(f, "block of type {kind:#010x}"),
            Extra::More => f.write_str("blocks of more types"),
        }
    }
}

/// Metadata of the capture read so far.
#[derive(Debug, Default)]
pub(super) struct About {
    /// Link types, each once, in order of appearance.
    pub(super) links: Vec<u16>,
    pub(super) sections: Vec<Section>,
    /// Number of sections so far.
    pub(super) section: u64,
    pub(super) extras: Vec<(Extra, u64)>,
    pub(super) names: Names,
    /// Frames lost by the capturing program, as it reports.
    pub(super) dropped: u64,
    /// Number of captures before the current one in the same input.
    pub(super) files: u64,
    /// Bytes of stored text.
    text: usize,
}

/// Codes of section and interface options.
mod option {
    pub(super) const COMMENT: u16 = 1;
    pub(super) const HARDWARE: u16 = 2;
    pub(super) const OS: u16 = 3;
    pub(super) const APPLICATION: u16 = 4;
    pub(super) const NAME: u16 = 2;
    pub(super) const DESCRIPTION: u16 = 3;
}

impl About {
    pub(super) fn link(&mut self, link: u16) {
        if !self.links.contains(&link) {
            self.links.push(link);
        }
    }

    pub(super) fn section(&mut self, options: OptionList<'_>) {
        self.section += 1;
        if self.sections.len() >= SECTIONS {
            return;
        }
        let mut section = Section::default();
        for (code, value) in options {
            match code {
                option::COMMENT => section.comments.extend(self.keep(value)),
                option::HARDWARE => section.hardware = self.keep(value),
                option::OS => section.os = self.keep(value),
                option::APPLICATION => section.application = self.keep(value),
                _ => {}
            }
        }
        self.sections.push(section);
    }

    pub(super) fn interface(&mut self, link: Option<u16>, snap_len: u32, options: OptionList<'_>) -> Interface {
        if let Some(link) = link {
            self.link(link);
        }
        let mut interface = Interface { link, snap_len, ..Interface::default() };
        for (code, value) in options {
            match code {
                option::COMMENT => interface.comments.extend(self.keep(value)),
                option::NAME => interface.name = self.keep(value),
                option::DESCRIPTION => interface.description = self.keep(value),
                _ => {}
            }
        }
        interface
    }

    pub(super) fn extra(&mut self, extra: Extra) {
        if let Some((_, count)) = self.extras.iter_mut().find(|(known, _)| *known == extra) {
            *count += 1;
        } else if self.extras.len() < KINDS {
            self.extras.push((extra, 1));
        } else if extra != Extra::More {
            // One entry is reserved for this, see the limit above.
            match self.extras.last_mut() {
                Some((Extra::More, count)) => *count += 1,
                _ => self.extras.push((Extra::More, 1)),
            }
        }
    }

    fn keep(&mut self, value: &[u8]) -> Option<String> {
        let value = text(value);
        if self.text + value.len() > TEXT {
            return None;
        }
        self.text += value.len();
        Some(String::from_utf8_lossy(value).into_owned())
    }
}
