//! UTF-16 text with a byte order mark, as PowerShell's `>` writes it, decoded while it is read.

use super::buffer::Buffer;
use encoding_rs::{Decoder, UTF_16BE, UTF_16LE};
use std::io::{self, BufRead, Cursor, Read};

/// Size of the decoded bytes that wait.
const BLOCK: usize = 16 * 1024;

/// Text as UTF-8.
pub(super) struct Utf16 {
    source: Buffer,
    decoder: Decoder,
    /// The last decoded bytes.
    ready: Cursor<Vec<u8>>,
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
        Utf16 { source, decoder: encoding.new_decoder_with_bom_removal(), ready: Cursor::default(), ended: false }
    }
}

impl Read for Utf16 {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.ready.position() >= self.ready.get_ref().len() as u64 && !self.ended {
            let input = self.source.fill_buf()?;
            self.ended = input.is_empty();
            let ready = self.ready.get_mut();
            ready.resize(BLOCK, 0);
            let (_, read, written, _) = self.decoder.decode_to_utf8(input, ready, self.ended);
            ready.truncate(written);
            self.ready.set_position(0);
            self.source.consume(read);
        }
        self.ready.read(out)
    }
}
