//! A capture written as text: its bytes in hex, base64 or any other dialect.

use super::buffer::Buffer;
use super::hex;
use super::packed::Unpacked;
use super::sniff::{self, Kind};
use std::io::{self, Cursor, Read};

/// Length of the file header of a pcap, the shortest one of a capture.
const HEADER: usize = 24;

/// Whether the first packet of a text is the beginning of a capture, or of a compressed one.
pub(super) fn is_capture(packet: &[u8]) -> bool {
    match sniff::sniff(packet) {
        Ok(Kind::Packed(_)) => {
            let mut plain = Buffer::new(Box::new(Unpacked::new(Buffer::new(Box::new(Cursor::new(packet.to_vec()))))));
            // A damaged end does not matter here.
            let _ = plain.need(HEADER);
            is_header(plain.ahead())
        }
        _ => is_header(packet),
    }
}

fn is_header(bytes: &[u8]) -> bool {
    bytes.len() >= HEADER && matches!(sniff::sniff(bytes), Ok(Kind::Pcap | Kind::PcapNg | Kind::Snoop))
}

/// The bytes of all packets of a text, one after another.
pub(super) struct Bytes {
    text: hex::Reader,
    /// Bytes of the last packet.
    ready: Cursor<Vec<u8>>,
}

impl Bytes {
    pub(super) fn new(text: hex::Reader) -> Bytes {
        Bytes { text, ready: Cursor::default() }
    }
}

impl Read for Bytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.ready.position() >= self.ready.get_ref().len() as u64 {
            self.ready.set_position(0);
            self.ready.get_mut().clear();
            let next = self.text.next().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.ready.get_mut().extend(next.map(|frame| frame.bytes).unwrap_or_default());
        }
        self.ready.read(out)
    }
}
