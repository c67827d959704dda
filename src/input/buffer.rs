//! A refillable window on the input, from which readers parse and frames borrow.
//!
//! It reads in large blocks but never waits for more than was requested. A slow pipe delivers each record as soon as its bytes
//! have arrived. It grows only as bytes arrive: a length in the input allocates nothing by itself. Independent of formats.

use std::io::{self, BufRead, ErrorKind, Read};

use super::error::ReadError;

/// Size of one read. Large enough that the cost of the system call is negligible.
const READ_SIZE: usize = 256 * 1024;

const PAGE: usize = 4096;

/// Maximum number of buffered bytes: one block of a capture, one line of hex text.
pub(super) const LARGEST: usize = 64 * 1024 * 1024;

// Spans count the bytes of a frame in 32 bits.
const _: () = assert!(LARGEST < u32::MAX as usize);

/// The result of requesting bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Supply {
    /// All requested bytes are available.
    Enough,
    /// The input ends before.
    Ended,
}

/// Buffered bytes of the input, from the first unused one.
pub(super) struct Buffer {
    source: Box<dyn Read + Send>,
    data: Vec<u8>,
    /// `data[start..end]` are the unused bytes.
    start: usize,
    end: usize,
    /// Offset in the input of `data[start]`.
    offset: u64,
    /// Number of unused bytes known to contain no line end, so that a long line is searched once.
    searched: usize,
    ended: bool,
}

impl Buffer {
    pub(super) fn new(source: Box<dyn Read + Send>) -> Buffer {
        Buffer { source, data: Vec::new(), start: 0, end: 0, offset: 0, searched: 0, ended: false }
    }

    /// A buffer without bytes.
    pub(super) fn empty() -> Buffer {
        Buffer::new(Box::new(io::empty()))
    }

    /// The unused bytes.
    pub(super) fn ahead(&self) -> &[u8] {
        self.data.get(self.start..self.end).unwrap_or_default()
    }

    /// Offset in the input of the first unused byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads until `count` bytes are available, and not one read more.
    ///
    /// Returns an error only if the bytes before it do not suffice.
    #[inline]
    pub(super) fn need(&mut self, count: usize) -> io::Result<Supply> {
        if self.end - self.start >= count { Ok(Supply::Enough) } else { self.read_until(count) }
    }

    fn read_until(&mut self, count: usize) -> io::Result<Supply> {
        while self.end - self.start < count {
            if self.ended {
                return Ok(Supply::Ended);
            }
            if count > LARGEST {
                return Err(io::Error::new(ErrorKind::InvalidData, "longer than this program holds at once"));
            }
            self.read_once()?;
        }
        Ok(Supply::Enough)
    }

    /// Whether `count` bytes of a part are available; `false` only if the input ends before its first one.
    #[inline]
    pub(super) fn have(&mut self, count: usize, part: &str) -> Result<bool, ReadError> {
        if self.end - self.start >= count { Ok(true) } else { self.read_part(count, part) }
    }

    fn read_part(&mut self, count: usize, part: &str) -> Result<bool, ReadError> {
        match self.need(count) {
            Ok(Supply::Enough) => Ok(true),
            Ok(Supply::Ended) if self.ahead().is_empty() => Ok(false),
            Ok(Supply::Ended) => {
                let there = self.ahead().len();
                let text = format!("the file ends in the middle of a {part}: {there} bytes of {count} are there");
                Err(ReadError::truncated(self.offset, text))
            }
            Err(error) => Err(ReadError::from_read(self.offset, &error)),
        }
    }

    /// Consumes `count` bytes and returns them; fewer if fewer are available.
    pub(super) fn use_up(&mut self, count: usize) -> &[u8] {
        let from = self.start;
        self.pass(count);
        self.data.get(from..self.start).unwrap_or_default()
    }

    /// Consumes `count` bytes.
    pub(super) fn pass(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
        self.searched = self.searched.saturating_sub(count);
    }

    /// Length of the next line with its line end, or of the rest of the input; `None` at the end of the input.
    pub(super) fn line_len(&mut self) -> io::Result<Option<usize>> {
        self.line_end(0)
    }

    /// End of the line that begins `from` bytes ahead, with its line end; `None` if the input ends before.
    pub(super) fn line_end(&mut self, from: usize) -> io::Result<Option<usize>> {
        let mut searched = from.max(self.searched);
        loop {
            let unseen = self.ahead().get(searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', unseen) {
                return Ok(Some(searched + at + 1));
            }
            let held = self.end - self.start;
            searched = held.max(from);
            self.searched = if from > 0 { self.searched } else { held };
            if self.need(held + 1)? == Supply::Ended {
                return Ok((held > from).then_some(held));
            }
        }
    }

    fn read_once(&mut self) -> io::Result<()> {
        self.make_room();
        let free = self.data.get_mut(self.end..).unwrap_or_default();
        let count = free.len().min(READ_SIZE);
        match self.source.read(free.get_mut(..count).unwrap_or_default()) {
            Ok(0) => self.ended = true,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Makes space for at least one byte after `end`. Unless the last read was short, `end` is at the start of a page, so that
    /// whole pages are copied. An unaligned copy between pages takes nearly three times as long.
    fn make_room(&mut self) {
        let (held, free) = (self.end - self.start, self.data.len() - self.end);
        if held > 0 && free >= READ_SIZE / 2 {
            return;
        }
        let end = behind(&self.data, held);
        // Moving must free a large part, or a full buffer would be moved for each read.
        let is_worth_it = end <= self.data.len() / 2;
        if held > 0 && free > 0 && !is_worth_it {
            return;
        }
        if is_worth_it {
            self.data.copy_within(self.start..self.end, end - held);
            (self.start, self.end) = (end - held, end);
            return;
        }
        // Freshly allocated memory is zeroed already, unlike the end of a grown buffer.
        let mut larger = vec![0; (self.data.len() * 2).max(READ_SIZE + 2 * PAGE)];
        let end = behind(&larger, held);
        if let (Some(new), Some(old)) = (larger.get_mut(end - held..end), self.data.get(self.start..self.end)) {
            new.copy_from_slice(old);
        }
        self.data = larger;
        (self.start, self.end) = (end - held, end);
    }
}

/// The first position in `data` at the start of a page with this many bytes before it.
fn behind(data: &[u8], held: usize) -> usize {
    let first = data.as_ptr().align_offset(PAGE).min(PAGE);
    first + held.saturating_sub(first).next_multiple_of(PAGE)
}

impl Read for Buffer {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut ahead = self.fill_buf()?;
        let count = ahead.read(out)?;
        self.pass(count);
        Ok(count)
    }
}

impl BufRead for Buffer {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.need(1)?;
        Ok(self.ahead())
    }

    fn consume(&mut self, count: usize) {
        self.pass(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte per read.
    struct Drip(Vec<u8>, usize);

    impl Read for Drip {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let Some(byte) = self.0.get(self.1) else { return Ok(0) };
            out[0] = *byte;
            self.1 += 1;
            Ok(1)
        }
    }

    #[test]
    fn it_is_read_by_lines_and_to_its_end() {
        let mut buffer = Buffer::new(Box::new(Drip(b"ab\ncdef".to_vec(), 0)));
        let (mut line, mut rest, mut two) = (String::new(), String::new(), [0; 2]);
        buffer.read_line(&mut line).unwrap();
        buffer.read_exact(&mut two).unwrap();
        assert_eq!((line.as_str(), &two, buffer.offset()), ("ab\n", b"cd", 5));
        buffer.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), buffer.offset()), ("ef", 7));
    }

    #[test]
    fn no_more_than_the_requested_bytes_are_read() {
        let mut buffer = Buffer::new(Box::new(Drip(b"abcdef".to_vec(), 0)));
        assert_eq!(buffer.need(3).unwrap(), Supply::Enough);
        assert_eq!(buffer.ahead(), b"abc");
        assert_eq!(buffer.use_up(2), b"ab");
        assert_eq!(buffer.offset(), 2);
        assert_eq!(buffer.need(9).unwrap(), Supply::Ended);
        assert_eq!(buffer.ahead(), b"cdef");
    }

    #[test]
    fn a_block_larger_than_a_read_is_held_whole() {
        let bytes: Vec<u8> = (0..=250).cycle().take(READ_SIZE * 3).collect();
        let mut buffer = Buffer::new(Box::new(io::Cursor::new(bytes.clone())));
        buffer.need(5).unwrap();
        buffer.pass(5);
        assert_eq!(buffer.need(READ_SIZE * 2).unwrap(), Supply::Enough);
        assert_eq!(&buffer.ahead()[..READ_SIZE * 2], &bytes[5..5 + READ_SIZE * 2]);
    }

    #[test]
    fn an_absurd_length_allocates_only_what_arrives() {
        let mut buffer = Buffer::new(Box::new(io::Cursor::new(vec![0; 100])));
        assert_eq!(buffer.need(LARGEST).unwrap(), Supply::Ended);
        assert!(buffer.data.len() <= READ_SIZE + 2 * PAGE);
        let mut endless = Buffer::new(Box::new(io::repeat(0)));
        assert!(endless.need(LARGEST + 1).is_err());
    }

    #[test]
    fn a_buffer_is_filled_before_it_grows() {
        let mut buffer = Buffer::new(Box::new(Drip(vec![7; READ_SIZE + 3 * PAGE], 0)));
        assert_eq!(buffer.need(READ_SIZE).unwrap(), Supply::Enough);
        assert_eq!(buffer.data.len(), READ_SIZE + 2 * PAGE);
        assert_eq!(buffer.need(READ_SIZE + 3 * PAGE).unwrap(), Supply::Enough);
        assert_eq!(buffer.data.len(), 2 * (READ_SIZE + 2 * PAGE));
    }

    /// Records the page offsets of reads.
    struct Pages(std::sync::Arc<std::sync::Mutex<Vec<usize>>>);

    impl Read for Pages {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(out.as_ptr().addr() % PAGE);
            Ok(out.len())
        }
    }

    #[test]
    fn reads_are_page_aligned() {
        let places = std::sync::Arc::default();
        let mut buffer = Buffer::new(Box::new(Pages(std::sync::Arc::clone(&places))));
        for count in [24, 16, 1500, READ_SIZE / 2, READ_SIZE * 2, 16, 66, READ_SIZE - 100, 1500].into_iter().cycle().take(180) {
            assert_eq!(buffer.need(count).unwrap(), Supply::Enough);
            assert_eq!(buffer.use_up(count).len(), count);
        }
        let places = places.lock().unwrap();
        assert!(places.len() > 40 && places.iter().all(|place| *place == 0), "{places:?}");
    }

    #[test]
    fn lines_end_at_a_line_feed_or_at_the_end() {
        let mut buffer = Buffer::new(Box::new(Drip(b"one\n\ntwo".to_vec(), 0)));
        let mut lines = Vec::new();
        while let Some(len) = buffer.line_len().unwrap() {
            lines.push(buffer.use_up(len).to_vec());
        }
        assert_eq!(lines, [b"one\n".to_vec(), b"\n".to_vec(), b"two".to_vec()]);
    }
}
