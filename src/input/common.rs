//! What readers of captures have in common.

use std::ops::Range;

use super::buffer::{Buffer, Supply};
use super::error::{OpenError, ReadError};
use super::frame::Frame;
use super::interface::{About, Interface};

/// The bytes of a capture, and what is known of it so far.
pub(super) struct Input {
    pub(super) buffer: Buffer,
    /// Interfaces of the current section.
    pub(super) interfaces: Vec<Interface>,
    pub(super) about: About,
}

impl Input {
    /// Consumes the header of a file of this format.
    pub(super) fn file_header(&mut self, format: &'static str, len: usize) -> Result<&[u8], OpenError> {
        let supply = self.buffer.need(len).map_err(OpenError::from_read)?;
        let header = self.buffer.use_up(len);
        if supply == Supply::Ended {
            let what = format!("ends after {} bytes of its {len}-byte header", header.len());
            return Err(OpenError::Damaged { format, what });
        }
        Ok(header)
    }

    /// Checks the size of a packet, before its bytes are waited for.
    pub(super) fn check_size(&self, captured: u32, largest: u32) -> Result<(), ReadError> {
        if captured <= largest {
            return Ok(());
        }
        let text = format!("a packet of {captured} bytes; a capture holds at most {largest} of one");
        Err(ReadError::damaged(self.buffer.offset(), text))
    }

    /// Consumes a record of this length with a packet in it.
    #[inline]
    pub(super) fn record(&mut self, len: usize, packet: Range<usize>) -> Frame<'_> {
        let bytes = self.buffer.use_up(len).get(packet).unwrap_or_default();
        Frame { bytes, interfaces: &self.interfaces, section: self.about.section, ..Frame::default() }
    }
}
