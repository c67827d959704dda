//! Inputs: captures and hex text become frames, one at a time.
//!
//! What the bytes are is found out from the bytes. A frame borrows from a buffer that is used again for the next one, so
//! memory does not grow with the input. What a frame's bytes mean is not known here, nor what a file is called.
//!
//! ```text
//! bytes ─► sniff ─► gzip, zstd, lz4? ─► pcap | pcapng | snoop | hex ─► Frame
//! ```

mod buffer;
#[cfg(test)]
mod cuts;
mod error;
mod frame;
mod hex;
mod interface;
mod link;
mod lz4;
mod options;
mod order;
mod packed;
mod pcap;
mod pcapng;
#[cfg(test)]
mod samples;
mod sniff;
mod snoop;

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use buffer::Buffer;
pub use error::{OpenError, ReadError};
pub use frame::{Frame, Link, Timestamp};
use interface::About;
pub use interface::{Extra, Interface, Section};
pub use link::{link_name, link_names, link_number};
pub use options::Comments;
use packed::Unpacked;
use sniff::Kind;

/// How deep compression inside compression is followed.
const COMPRESSION_DEPTH: usize = 3;

/// What an input was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The classic capture file.
    Pcap,
    /// Its successor.
    PcapNg,
    /// The capture file of Solaris.
    Snoop,
    /// Packets as text.
    Hex,
    /// Wireshark's hex dump of a conversation.
    FollowStream,
}

impl Format {
    /// `pcap`, `pcapng`, `snoop`, `hex` or `follow`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Pcap => "pcap",
            Format::PcapNg => "pcapng",
            Format::Snoop => "snoop",
            Format::Hex => "hex",
            Format::FollowStream => "follow",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An open input.
pub struct Capture {
    reader: Reader,
    /// Frames handed out.
    count: u64,
    finished: bool,
    read: Arc<AtomicU64>,
}

enum Reader {
    Pcap(pcap::Reader),
    PcapNg(pcapng::Reader),
    Snoop(snoop::Reader),
    Hex(hex::Reader),
}

impl Capture {
    /// Finds out from the bytes what the input is and gets ready to read frames.
    ///
    /// # Errors
    /// When the input is empty, is nothing that can be read as it is, or cannot be read at all.
    pub fn open(reader: Box<dyn Read + Send>) -> Result<Capture, OpenError> {
        let read = Arc::new(AtomicU64::new(0));
        let mut buffer = Buffer::new(Box::new(Counted { reader, read: Arc::clone(&read) }));
        for _ in 0..=COMPRESSION_DEPTH {
            buffer.need(sniff::LOOK).map_err(OpenError::from_read)?;
            let kind = match sniff::sniff(buffer.ahead()) {
                // A slow pipe may still owe the rest of a name.
                Err(OpenError::Unrecognised { .. }) => {
                    buffer.need(sniff::LONGEST).map_err(OpenError::from_read)?;
                    sniff::sniff(buffer.ahead())
                }
                known => known,
            };
            let reader = match kind? {
                Kind::Pcap => Reader::Pcap(pcap::Reader::open(buffer)?),
                Kind::PcapNg => Reader::PcapNg(pcapng::Reader::open(buffer)?),
                Kind::Snoop => Reader::Snoop(snoop::Reader::open(buffer)?),
                Kind::Text => Reader::Hex(hex::Reader::open(buffer)?),
                Kind::Packed(_) => {
                    buffer = Buffer::new(Box::new(Unpacked::new(buffer)));
                    continue;
                }
            };
            return Ok(Capture { reader, count: 0, finished: false, read });
        }
        let looks_like = format!("compressed more than {COMPRESSION_DEPTH} times over");
        Err(OpenError::Unrecognised { looks_like, advice: "decompress it first" })
    }

    /// The next frame, borrowed until the one after it is asked for; `None` at the end.
    ///
    /// # Errors
    /// Once, where the input breaks off or is damaged; after it there are no more frames.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if self.finished {
            return Ok(None);
        }
        let next = match &mut self.reader {
            Reader::Pcap(reader) => reader.next(),
            Reader::PcapNg(reader) => reader.next(),
            Reader::Snoop(reader) => reader.next(),
            Reader::Hex(reader) => reader.next(),
        };
        match next {
            Ok(Some(frame)) => {
                self.count += 1;
                Ok(Some(Frame { number: self.count, ..frame }))
            }
            end => {
                self.finished = true;
                end
            }
        }
    }

    /// What the input was found to be, inside any compression.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.reader {
            Reader::Pcap(_) => Format::Pcap,
            Reader::PcapNg(_) => Format::PcapNg,
            Reader::Snoop(_) => Format::Snoop,
            Reader::Hex(reader) => reader.format(),
        }
    }

    /// Link types known so far, each once, in order of appearance; none for hex text.
    #[must_use]
    pub fn links(&self) -> &[u16] {
        self.about().map_or(&[], |about| &about.links)
    }

    /// What is known of an interface of the section that is being read, by the number its frames have. Captures that
    /// cannot tell interfaces apart have one, number 0; hex text has none.
    #[must_use]
    pub fn interface(&self, number: u32) -> Option<&Interface> {
        self.interfaces().get(number as usize)
    }

    /// All interfaces of the section that is being read, as far as they are known.
    #[must_use]
    pub fn interfaces(&self) -> &[Interface] {
        match &self.reader {
            Reader::Pcap(reader) => std::slice::from_ref(reader.interface()),
            Reader::PcapNg(reader) => reader.interfaces(),
            Reader::Snoop(reader) => std::slice::from_ref(reader.interface()),
            Reader::Hex(_) => &[],
        }
    }

    /// The sections of a pcapng capture so far.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        self.about().map_or(&[], |about| &about.sections)
    }

    /// What a capture holds beside packets, and how much of each, as far as it was read.
    #[must_use]
    pub fn extras(&self) -> &[(Extra, u64)] {
        self.about().map_or(&[], |about| &about.extras)
    }

    /// Frames that the capturing program says it lost so far, in a snoop capture; 0 elsewhere.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.about().map_or(0, |about| about.dropped)
    }

    fn about(&self) -> Option<&About> {
        match &self.reader {
            Reader::Pcap(reader) => Some(reader.about()),
            Reader::PcapNg(reader) => Some(reader.about()),
            Reader::Snoop(reader) => Some(reader.about()),
            Reader::Hex(_) => None,
        }
    }

    /// Bytes taken from the reader so far, as they are stored: compressed ones count compressed.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Counts what passes through. The count is shared because the reader ends up inside a decoder.
struct Counted {
    reader: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(out)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::samples::{drain, drain_slowly, open};
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;

    fn pcap() -> Vec<u8> {
        let mut bytes = b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0".to_vec();
        for count in 0..40 {
            bytes.extend([count, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, b'a', count, 3, 4]);
        }
        bytes
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_is_seen_through_up_to_three_times() {
        let plain = drain(&pcap());
        let mut packed = pcap();
        for _ in 0..COMPRESSION_DEPTH {
            packed = gzip(&packed);
            assert_eq!(drain(&packed), plain);
            assert_eq!(drain_slowly(&packed), plain);
        }
        let error = open(&gzip(&packed)).err().unwrap();
        assert!(error.to_string().contains("compressed more than 3 times"), "{error}");
        let halves = [gzip(&pcap()[..100]), gzip(&pcap()[100..])].concat();
        assert_eq!(drain(&halves), plain);
    }

    #[test]
    fn cut_gzip_gives_the_frames_before_the_cut() {
        let packed = gzip(&pcap());
        for cut in 0..packed.len() {
            let Ok(_) = open(&packed[..cut]) else { continue };
            let (frames, error) = drain(&packed[..cut]);
            assert_eq!(frames, drain(&pcap()).0[..frames.len()]);
            assert_eq!(error.unwrap().code, "truncated", "cut at {cut}");
        }
        let mut damaged = packed.clone();
        let middle = packed.len() - 6;
        damaged[middle] ^= 0xff;
        let (frames, error) = drain(&damaged);
        assert_eq!((frames.len(), error.unwrap().code), (40, "damaged"));
    }

    #[test]
    fn nothing_at_all_is_empty() {
        for bytes in [&b""[..], b" \n\t\r\n", &gzip(b"")] {
            assert!(matches!(open(bytes), Err(OpenError::Empty)));
        }
    }

    #[test]
    fn a_failing_reader_is_an_input_error() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from(io::ErrorKind::PermissionDenied))
            }
        }
        assert!(matches!(Capture::open(Box::new(Broken)), Err(OpenError::Io(_))));
        let mut capture = Capture::open(Box::new(io::Cursor::new(pcap()).chain(Broken))).unwrap();
        for _ in 0..40 {
            assert!(capture.next_frame().unwrap().is_some());
        }
        assert_eq!(capture.next_frame().unwrap_err().code, "io");
        assert!(capture.next_frame().unwrap().is_none());
    }

    #[test]
    fn bytes_are_counted_as_they_are_stored() {
        let packed = gzip(&pcap());
        let mut capture = open(&packed).unwrap();
        while capture.next_frame().unwrap().is_some() {}
        assert_eq!(capture.bytes_read(), packed.len() as u64);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(start in 0_usize..6, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let magic: [&[u8]; 6] = [b"", &pcap()[..24], b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0", b"\x1f\x8b\x08", b"0000  ", b"{0x"];
            let bytes = [magic[start], &bytes].concat();
            if open(&bytes).is_ok() {
                prop_assert_eq!(drain(&bytes), drain_slowly(&bytes));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9a-f :x\\\\{},'\"*#|\n\tb=]{0,120}", start in 0_usize..5) {
            let text = [["", "0000  23 00\n", "00000000: 2300\n", "\\\\x23", "x[] = {0x23,"][start], &text].concat();
            if open(text.as_bytes()).is_ok() {
                prop_assert_eq!(drain(text.as_bytes()), drain_slowly(text.as_bytes()));
            }
        }
    }
}
