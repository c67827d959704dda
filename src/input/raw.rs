//! Raw bytes of a configured type, without detection and decompression.
//!
//! The payload of one side of a conversation is returned as it arrives, in frames of at most 64 KiB. Other input is one frame,
//! however long it takes to arrive; input above 16 MiB is split into frames of that length.

use super::buffer::{Buffer, Supply};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link};

const LARGEST_RUN: usize = 64 * 1024;
const LARGEST_FRAME: usize = 16 * 1024 * 1024;

pub(super) struct Reader {
    buffer: Buffer,
    link: Link,
    /// Reported after the bytes before it.
    failure: Option<ReadError>,
}

impl Reader {
    pub(super) fn open(mut buffer: Buffer, link: Link) -> Result<Reader, OpenError> {
        match buffer.need(1).map_err(OpenError::from_read)? {
            Supply::Enough => Ok(Reader { buffer, link, failure: None }),
            Supply::Ended => Err(OpenError::Empty),
        }
    }

    pub(super) fn describe(&self) -> &'static str {
        match self.link {
            Link::Stream(_) => "payload of one side, in frames of at most 64 KiB",
            _ => "one frame, cut after each 16 MiB",
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let (wanted, largest) = match self.link {
            Link::Stream(_) => (1, LARGEST_RUN),
            _ => (LARGEST_FRAME, LARGEST_FRAME),
        };
        let read = self.buffer.need(wanted);
        self.failure = read.err().map(|error| ReadError::from_read(self.buffer.offset(), &error));
        if self.buffer.ahead().is_empty() {
            return self.failure.take().map_or(Ok(None), Err);
        }
        let count = self.buffer.ahead().len().min(largest);
        let bytes = self.buffer.use_up(count);
        let original_len = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Some(Frame { link: self.link, bytes, original_len, ..Frame::default() }))
    }
}
