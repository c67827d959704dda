//! UTF-16 text with a byte order mark, as PowerShell's `>` writes it, decoded while it is read.

use super::buffer::Buffer;
use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};
use std::io::{self, BufRead, Read};

/// Size of the decoded bytes that wait.
const BLOCK: usize = 16 * 1024;

/// Text as UTF-8.
pub(super) struct Utf16 {
    source: Buffer,
    decoder: Decoder,
    /// Decoded bytes that were not yet read.
    ready: Vec<u8>,
    start: usize,
    ended: bool,
}

impl Utf16 {
    /// Whether these bytes are a byte order mark of UTF-16 and characters of ASCII.
    pub(super) fn begins(bytes: &[u8]) -> bool {
        let high = match bytes {
            [0xff, 0xfe, _, _, ..] => 1,
            [0xfe, 0xff, _, _, ..] => 0,
            _ => return false,
        };
        bytes.chunks_exact(2).skip(1).all(|unit| unit.get(high) == Some(&0))
    }

    /// Decodes the bytes of a buffer, of which the byte order mark is available.
    pub(super) fn new(source: Buffer) -> Utf16 {
        let encoding = if source.ahead().starts_with(b"\xfe\xff") { UTF_16BE } else { UTF_16LE };
        Utf16 { source, decoder: encoding.new_decoder_with_bom_removal(), ready: Vec::new(), start: 0, ended: false }
    }
}

impl Read for Utf16 {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.start >= self.ready.len() && !self.ended {
            let input = self.source.fill_buf()?;
            self.ended = input.is_empty();
            self.ready.resize(BLOCK, 0);
            let (_, read, written, _) = self.decoder.decode_to_utf8(input, &mut self.ready, self.ended);
            self.source.consume(read);
            self.ready.truncate(written);
            self.start = 0;
        }
        let mut ahead = self.ready.get(self.start..).unwrap_or_default();
        let count = ahead.read(out)?;
        self.start += count;
        Ok(count)
    }
}
