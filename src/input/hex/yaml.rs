//! A conversation as YAML, as in `follow -T yaml` and Wireshark: peers, then packets in base64. Peer 0 is the client.
//!
//! ```text
//! packets:
//!   - packet: 5
//!     peer: 1
//!     timestamp: 1448400000.005992000
//!     data: !!binary |
//!       IwAAAAE=
//! ```

use super::base64::Base64;
use super::marks::{Marks, since_1970};
use super::scan::{indent, words};
use super::{Dialect, Fault, Fed, Feed, Packet, fault};
use crate::tree::Side;

#[derive(Default)]
pub(super) struct Yaml {
    /// Whether the position is below `packets:`.
    packets: bool,
    /// The sender of the current packet.
    side: Option<Side>,
    /// Its data, and the indentation of their key.
    data: Option<(Base64, usize)>,
    /// Whether a packet has no data yet.
    waits: bool,
}

/// Whether a line begins such a text.
pub(super) fn fits(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end(), b"peers:" | b"packets:")
}

impl Dialect for Yaml {
    fn side(&self) -> Option<Side> {
        self.side.or(Some(Side::Client))
    }

    fn feed(&mut self, line: &[u8], packet: &mut Packet) -> Feed {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.iter().all(|byte| *byte == b'=') {
            return Ok(Fed::Taken);
        }
        let indent = indent(line);
        if let Some((base64, key)) = &mut self.data {
            if indent > *key {
                return base64.feed(line, packet);
            }
            base64.is_whole()?;
            self.data = None;
            if !packet.bytes.is_empty() {
                return Ok(Fed::Complete(0));
            }
        }
        let entry = text.strip_prefix(b"- ").map_or(text, <[u8]>::trim_ascii_start);
        let at = line.len() - line.trim_ascii_end().len();
        let Some((key, value)) = split(entry) else {
            return fault(indent, "expected a key and a colon, such as `data:`");
        };
        self.entry(key, value, indent, line.len() - at - value.len(), packet)?;
        Ok(Fed::Taken)
    }

    fn end(&mut self, _: &mut Packet) -> Result<(), Fault> {
        self.missing(0)?;
        self.data.as_ref().map_or(Ok(()), |(base64, _)| base64.is_whole())
    }
}

impl Yaml {
    fn entry(&mut self, key: &[u8], value: &[u8], indent: usize, at: usize, packet: &mut Packet) -> Result<(), Fault> {
        match key {
            b"packets" => self.packets = true,
            b"packet" => {
                self.missing(indent)?;
                self.waits = true;
                packet.marks = Marks::default();
            }
            b"peer" if self.packets => {
                self.side = Some(match value {
                    b"0" => Side::Client,
                    b"1" => Side::Server,
                    _ => return fault(at, "expected peer 0, the client, or 1, the server"),
                });
            }
            b"timestamp" => packet.marks.time = std::str::from_utf8(value).ok().and_then(since_1970),
            b"data" => {
                let Some(rest) = value.strip_prefix(b"!!binary") else {
                    return fault(at, "expected `!!binary |` and base64 below it");
                };
                self.waits = false;
                let (rest, mut base64) = (rest.trim_ascii(), Base64::default());
                if !matches!(rest, b"|" | b">" | b"|-" | b"") {
                    base64.feed(rest.trim_ascii(), packet)?;
                }
                self.data = Some((base64, indent));
            }
            _ => {}
        }
        Ok(())
    }

    fn missing(&self, at: usize) -> Result<(), Fault> {
        if self.waits { fault(at, "the packet above has no data") } else { Ok(()) }
    }
}

/// Key and value.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let word = words(text, 0).next()?.text;
    let key = word.strip_suffix(b":")?;
    Some((key, text.get(word.len()..)?.trim_ascii()))
}
