//! Inputs: captures and hex text become frames, one at a time.
//!
//! The format is detected from the content. A frame borrows from a buffer that is reused for the next one, so memory does not
//! grow with the input. Independent of protocols and file names.
//!
//! ```text
//! bytes ─► sniff ─► gzip, zstd, lz4? ─► pcap | pcapng | snoop | rsprox | hex ─► Frame
//! ```

mod buffer;
#[cfg(test)]
mod cuts;
mod error;
mod frame;
mod helper;
mod hex;
mod inner;
mod interface;
mod link;
mod lz4;
mod names;
mod options;
mod order;
pub mod origin;
mod packed;
mod pcap;
mod pcapng;
mod raw;
mod rsprox;
#[cfg(test)]
mod samples;
mod sniff;
mod snoop;
mod text_packet;
mod utf16;

use std::fmt;
use std::io::{self, Read};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use buffer::Buffer;
pub use error::{OpenError, ReadError};
pub use frame::{Frame, Link, OddFraction, Timestamp};
use helper::Helped;
pub use hex::dialects::{BYTES as DIALECT_BYTES, DIALECTS, Known as Dialect};
use interface::About;
pub use interface::{Extra, Interface, Section};
pub use link::{link_name, link_names, link_number};
pub use options::Comments;
pub use origin::{CUSTOM, Origin};
use packed::Unpacked;
use sniff::Kind;
pub use text_packet::TextPacket;
use utf16::Utf16;

use crate::tree::Side;

/// Maximum nesting of compression.
const COMPRESSION_DEPTH: usize = 3;

/// The detected format of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The classic libpcap format.
    Pcap,
    /// pcapng.
    PcapNg,
    /// The snoop format of Solaris.
    Snoop,
    /// A session log of RSProx.
    RsProx,
    /// Hex text.
    Hex,
    /// Wireshark's hex dump of a conversation.
    FollowStream,
    /// Raw bytes of a configured type.
    Raw,
}

impl Format {
    /// `pcap`, `pcapng`, `snoop`, `rsprox`, `hex`, `follow` or `raw`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Pcap => "pcap",
            Format::PcapNg => "pcapng",
            Format::Snoop => "snoop",
            Format::RsProx => "rsprox",
            Format::Hex => "hex",
            Format::FollowStream => "follow",
            Format::Raw => "raw",
        }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// RuneScape packet rows for session logs of revisions without built-in rows.
    pub rows: Option<&'static str>,
    /// RuneScape revision whose rows are used for a session log, instead of the one in its header: `osrs-239`, `239`.
    pub revision: Option<&'static str>,
}

/// An open input.
pub struct Capture {
    reader: Reader,
    /// Number of the last frame.
    count: u64,
    finished: bool,
    read: Arc<AtomicU64>,
    /// Compression formats, outermost first.
    packings: Vec<&'static str>,
    options: Options,
}

enum Reader {
    Pcap(pcap::Reader),
    PcapNg(pcapng::Reader),
    Snoop(snoop::Reader),
    RsProx(rsprox::Reader),
    Hex(Box<hex::Reader>),
    Raw(raw::Reader),
}

impl Capture {
    /// Detects the format of an input and prepares to read frames.
    ///
    /// # Errors
    /// If the input is empty, of an unsupported format, or cannot be read.
    pub fn open(reader: Box<dyn Read + Send>) -> Result<Capture, OpenError> {
        Capture::open_with(reader, Options::default())
    }

    /// Opens an input with options.
    ///
    /// # Errors
    /// Those of [`Capture::open`], and if the content differs from the requested format.
    pub fn open_with(reader: Box<dyn Read + Send>, options: Options) -> Result<Capture, OpenError> {
        let read = Arc::new(AtomicU64::new(0));
        let mut buffer = Buffer::new(Box::new(Counted { reader, read: Arc::clone(&read) }));
        let mut packings = Vec::new();
        if options.format == Some(InputFormat::Raw) {
            let reader = Reader::Raw(raw::Reader::open(buffer, options.link.unwrap_or_default())?);
            return Ok(Capture { reader, count: 0, finished: false, read, packings, options });
        }
        let reader = loop {
            if packings.len() > COMPRESSION_DEPTH {
                let looks_like = format!("compressed more than {COMPRESSION_DEPTH} times over");
                return Err(OpenError::Unrecognised { looks_like, advice: "decompress it first" });
            }
            buffer.need(sniff::MAGIC_LEN).map_err(OpenError::from_read)?;
            if Utf16::begins(buffer.ahead().get(..sniff::MAGIC_LEN).unwrap_or(buffer.ahead())) {
                packings.push("UTF-16");
                buffer = Buffer::new(Box::new(Utf16::new(buffer)));
                continue;
            }
            match look(&mut buffer, options.format) {
                Ok(Kind::Packed(packing)) => {
                    packings.push(packing.as_str());
                    let plain = Box::new(Unpacked::new(buffer));
                    buffer = Buffer::new(if options.helped { Box::new(Helped::new(plain)) } else { plain });
                }
                Ok(Kind::Text) => {
                    let text = hex::Reader::open(buffer, options)?;
                    if options.format.is_some() || !inner::is_capture(text.first_packet()) {
                        break Reader::Hex(Box::new(text));
                    }
                    packings.push("text");
                    buffer = Buffer::new(Box::new(inner::Bytes::new(text)));
                }
                Ok(Kind::Pcap) => break Reader::Pcap(pcap::Reader::open(buffer)?),
                Ok(Kind::PcapNg) => break Reader::PcapNg(pcapng::Reader::open(buffer)?),
                Ok(Kind::Snoop) => break Reader::Snoop(snoop::Reader::open(buffer)?),
                Ok(Kind::RsProx) => break Reader::RsProx(rsprox::Reader::open(buffer, options.rows, options.revision)?),
                Err(OpenError::Unrecognised { .. }) if options.raw_otherwise => {
                    break Reader::Raw(raw::Reader::open(buffer, options.link.unwrap_or_default())?);
                }
                Err(error) => return Err(error),
            }
        };
        Ok(Capture { reader, count: 0, finished: false, read, packings, options })
    }

    /// A guess about the last frame of hex text that the user should know; each is returned once.
    pub fn remark(&mut self) -> Option<String> {
        match &mut self.reader {
            Reader::Hex(reader) => reader.remark(),
            _ => None,
        }
    }

    /// One-line explanation of the detected format.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text: String = self.packings.iter().flat_map(|packing| [*packing, ", then "]).collect();
        text += &match &self.reader {
            Reader::Pcap(reader) => reader.describe(),
            Reader::PcapNg(reader) => reader.describe(),
            Reader::Snoop(reader) => reader.describe(),
            Reader::RsProx(reader) => reader.describe(),
            Reader::Hex(reader) => format!("text: {}", reader.describe()),
            Reader::Raw(reader) => format!("raw bytes: {}", reader.describe()),
        };
        if let Some(format) = self.options.format {
            text += &format!("; read as {format}, as requested");
        }
        match (&self.reader, self.options.link) {
            (Reader::Hex(_) | Reader::Raw(_), Some(Link::Type(link))) => {
                text += &format!("; frames of link type {}, as requested", link_words(link));
            }
            (Reader::Raw(_), Some(Link::Stream(side))) => {
                let side = match side {
                    Side::Client => "client",
                    Side::Server => "server",
                };
                text += &format!("; sent by the {side}, as requested");
            }
            _ => {}
        }
        text
    }

    /// Returns the next frame, valid until the next call; `None` at the end.
    ///
    /// # Errors
    /// Once, if the input is truncated or malformed; afterwards there are no more frames.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if self.finished { Ok(None) } else { self.read_frame() }
    }

    /// Reads the next frame into the place of the result: a frame is large.
    #[inline]
    fn read_frame(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        let mut next = match &mut self.reader {
            Reader::Pcap(reader) => reader.next(),
            Reader::PcapNg(reader) => reader.next(),
            Reader::Snoop(reader) => reader.next(),
            Reader::RsProx(reader) => reader.next(),
            Reader::Hex(reader) => reader.next(),
            Reader::Raw(reader) => reader.next(),
        };
        match &mut next {
            Ok(Some(frame)) => {
                self.count += 1;
                if let Some(origin) = frame.origin {
                    // Frame numbers of a split capture are used as long as they increase.
                    if origin.number >= self.count {
                        self.count = origin.number;
                    } else {
                        frame.origin = None;
                    }
                }
                frame.number = self.count;
            }
            _ => self.finished = true,
        }
        next
    }

    /// The detected format, inside any compression.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.reader {
            Reader::Pcap(_) => Format::Pcap,
            Reader::PcapNg(_) => Format::PcapNg,
            Reader::Snoop(_) => Format::Snoop,
            Reader::RsProx(_) => Format::RsProx,
            Reader::Hex(reader) => reader.format(),
            Reader::Raw(_) => Format::Raw,
        }
    }

    /// Link types so far, each once, in order of appearance; none for hex text and raw bytes.
    #[must_use]
    pub fn links(&self) -> &[u16] {
        self.about().map_or(&[], |about| &about.links)
    }

    /// An interface of the current section by the index in its frames. Captures that do not distinguish interfaces have one,
    /// number 0; hex text has none.
    #[must_use]
    pub fn interface(&self, number: u32) -> Option<&Interface> {
        self.interfaces().get(number as usize)
    }

    /// All interfaces of the current section so far.
    #[must_use]
    pub fn interfaces(&self) -> &[Interface] {
        match &self.reader {
            Reader::Pcap(reader) => std::slice::from_ref(reader.interface()),
            Reader::PcapNg(reader) => reader.interfaces(),
            Reader::Snoop(reader) => std::slice::from_ref(reader.interface()),
            Reader::RsProx(_) | Reader::Hex(_) | Reader::Raw(_) => &[],
        }
    }

    /// The sections of a pcapng capture so far.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        self.about().map_or(&[], |about| &about.sections)
    }

    /// Blocks other than packets so far, by kind and count.
    #[must_use]
    pub fn extras(&self) -> &[(Extra, u64)] {
        self.about().map_or(&[], |about| &about.extras)
    }

    /// Names of addresses in name resolution blocks of a pcapng capture so far.
    #[must_use]
    pub fn names(&self) -> &[(IpAddr, String)] {
        self.about().map_or(&[], |about| about.names.all())
    }

    /// Frames lost so far according to a snoop capture; 0 for other formats.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.about().map_or(0, |about| about.dropped)
    }

    fn about(&self) -> Option<&About> {
        match &self.reader {
            Reader::Pcap(reader) => Some(reader.about()),
            Reader::PcapNg(reader) => Some(reader.about()),
            Reader::Snoop(reader) => Some(reader.about()),
            Reader::RsProx(_) | Reader::Hex(_) | Reader::Raw(_) => None,
        }
    }

    /// Bytes read from the reader so far, before decompression.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Detects the format of the next bytes, or checks the requested one. Compression is always detected.
fn look(buffer: &mut Buffer, wanted: Option<InputFormat>) -> Result<Kind, OpenError> {
    buffer.need(sniff::MAGIC_LEN).map_err(OpenError::from_read)?;
    let kind = match sniff::sniff(buffer.ahead()) {
        // The rest of a magic may not have arrived from a slow pipe.
        Err(OpenError::Unrecognised { .. }) => {
            buffer.need(sniff::LONGEST).map_err(OpenError::from_read)?;
            sniff::sniff(buffer.ahead())
        }
        known => known,
    }?;
    match (wanted, kind) {
        (Some(InputFormat::Pcap), Kind::Text) => Err(OpenError::NotAs { wanted: InputFormat::Pcap, found: "text" }),
        (Some(InputFormat::Hex | InputFormat::Follow), Kind::Pcap | Kind::PcapNg | Kind::Snoop | Kind::RsProx) => {
            Err(OpenError::NotAs { wanted: wanted.unwrap_or(InputFormat::Hex), found: "a capture" })
        }
        (_, kind) => Ok(kind),
    }
}

/// Number and name of a link type.
fn link_words(link: u16) -> String {
    link_name(link).map_or_else(|| link.to_string(), |name| format!("{link} ({name})"))
}

/// Counts bytes read. The count is shared because the reader is moved into a decoder.
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
    fn an_input_without_bytes_is_empty() {
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

    fn open_as(bytes: &[u8], format: InputFormat, link: Option<Link>) -> Result<Capture, OpenError> {
        Capture::open_with(
            Box::new(io::Cursor::new(bytes.to_vec())),
            Options { format: Some(format), link, helped: true, ..Options::default() },
        )
    }

    #[test]
    fn a_chosen_format_is_not_guessed() {
        let text = b"00000000  31 32                                            12\n";
        assert_eq!(open(text).unwrap().format(), Format::FollowStream);
        let mut hex = open_as(text, InputFormat::Hex, Some(Link::Type(101))).unwrap();
        assert_eq!(hex.format(), Format::Hex);
        assert_eq!(hex.next_frame().unwrap().unwrap().link, Link::Type(101));
        let squeezed = b"a note\n00000000  31 32 12\n  00000000  33 3\n";
        let mut follow = open_as(squeezed, InputFormat::Follow, None).unwrap();
        assert_eq!(follow.next_frame().unwrap().unwrap().link, Link::Stream(Side::Client));
        assert_eq!(open_as(&gzip(&pcap()), InputFormat::Pcap, None).unwrap().format(), Format::Pcap);
        for (bytes, format, wanted) in [
            (&text[..], InputFormat::Pcap, "this is text, but --input-format is pcap"),
            (&pcap(), InputFormat::Hex, "this is a capture, but --input-format is hex"),
            (&gzip(&pcap()), InputFormat::Follow, "this is a capture, but --input-format is follow"),
            (b"2300", InputFormat::Follow, "this is plain text without hex"),
            (b"", InputFormat::Raw, "the input is empty"),
        ] {
            let error = open_as(bytes, format, None).err().unwrap().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
    }

    #[test]
    fn raw_bytes_have_the_chosen_format() {
        let bytes: Vec<u8> = (0..=255).cycle().take(200_000).collect();
        let frames = |link| {
            let mut capture = open_as(&bytes, InputFormat::Raw, link).unwrap();
            assert_eq!((capture.format(), capture.links()), (Format::Raw, &[][..]));
            let mut frames = Vec::new();
            while let Some(frame) = capture.next_frame().unwrap() {
                frames.push((frame.link, frame.bytes.to_vec()));
            }
            frames
        };
        assert_eq!(frames(None), [(Link::Unknown, bytes.clone())]);
        assert_eq!(frames(Some(Link::Type(1))), [(Link::Type(1), bytes.clone())]);
        let payload = frames(Some(Link::Stream(Side::Server)));
        assert_eq!(payload.iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>(), [65536, 65536, 65536, 3392]);
        assert!(payload.iter().all(|(link, _)| *link == Link::Stream(Side::Server)));
        assert_eq!(payload.into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<_>>(), bytes);
        let mut packed = open_as(&gzip(&pcap()), InputFormat::Raw, None).unwrap();
        assert_eq!(packed.next_frame().unwrap().unwrap().bytes, gzip(&pcap()));
    }

    #[test]
    fn decisions_are_explained() {
        let explained = |bytes: &[u8]| open(bytes).unwrap().explain();
        assert_eq!(
            explained(&gzip(&pcap())),
            "gzip, then pcap, known by its first bytes (little-endian, times in microseconds, link type 1 (ethernet))"
        );
        assert_eq!(
            explained(&gzip(b"a note\n00000000: 2300\n")),
            "gzip, then text: a dump as of xxd (offset, colon, groups of bytes), from line 2 on"
        );
        let raw = open_as(b"x", InputFormat::Raw, Some(Link::Stream(Side::Client))).unwrap().explain();
        assert_eq!(
            raw,
            "raw bytes: payload of one side, in frames of at most 64 KiB; read as raw, as requested; \
             sent by the client, as requested"
        );
        let hex = open_as(b"2300", InputFormat::Hex, Some(Link::Type(1))).unwrap().explain();
        assert_eq!(
            hex,
            "text: bare hex digits with any separators (`xxd -p`, hex streams), from line 1 on; read as hex, as requested; \
             frames of link type 1 (ethernet), as requested"
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(start in 0_usize..9, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let zstd = b"\x28\xb5\x2f\xfd\x04\x58";
            let lz4 = b"\x04\x22\x4d\x18\x60\x40\x82";
            let snoop = b"snoop\0\0\0\0\0\0\x02\0\0\0\x04";
            let magic: [&[u8]; 9] = [zstd, lz4, snoop, b"", &pcap()[..24], b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0", b"\x1f\x8b\x08", b"0000  ", b"{0x"];
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
