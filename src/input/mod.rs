//! Inputs: captures and hex text become frames, one at a time.
//!
//! The format is detected from the content. A frame borrows from a buffer that is reused for the next one, so memory does not
//! grow with the input. Independent of protocols and file names: formats of session logs are declared by their protocols, and
//! other logs are read as captures (`sniffs`).
//!
//! ```text
//! bytes ─► sniff ─► gzip, zstd, lz4? ─► pcap | pcapng | snoop | log | hex ─► Frame
//! ```

mod buffer;
mod common;
mod error;
mod format;
mod frame;
mod helper;
mod hex;
mod inner;
mod interface;
mod link;
mod log;
mod lz4;
mod names;
mod options;
mod order;
pub mod origin;
mod packed;
mod pcap;
mod pcapng;
mod raw;
mod sniff;
mod sniffs;
mod snoop;
mod text_packet;
mod utf16;

use std::io::{self, Read};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use buffer::Buffer;
use common::Input;
pub use error::{OpenError, ReadError};
pub use format::{Format, InputFormat, Options, Split, WordOrder};
pub use frame::{Frame, Link, OddFraction, Timestamp};
use helper::Helped;
pub use hex::dialects::{BYTES as DIALECT_BYTES, DIALECTS, Known as Dialect};
use interface::About;
pub use interface::{Extra, Interface, Section};
pub use link::{link_name, link_names, link_number};
pub use options::Comments;
pub use origin::{CUSTOM, Lookup, Origin};
use packed::Unpacked;
use sniff::Kind;
pub use sniffs::names as log_names;
pub use text_packet::TextPacket;
use utf16::Utf16;

use crate::tree::Side;

/// Maximum nesting of compression.
const COMPRESSION_DEPTH: usize = 3;

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
    /// A note that was not yet returned.
    remark: Option<String>,
    /// Name and description of the log whose packets these are.
    log: Option<(&'static str, Arc<str>)>,
}

enum Reader {
    Pcap(pcap::Reader),
    PcapNg(pcapng::Reader),
    Snoop(snoop::Reader),
    Log(log::Reader),
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
        let mut log = None;
        let reader = loop {
            if options.format == Some(InputFormat::Raw) {
                break Reader::Raw(raw::Reader::open(buffer, options.link.unwrap_or_default())?);
            }
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
            if log.is_none() && sniffs::may_begin(buffer.ahead()) && matches!(options.format, None | Some(InputFormat::Pcap)) {
                match sniffs::detect(buffer)? {
                    Ok(detected) => {
                        log = Some((detected.name, detected.description));
                        buffer = detected.capture;
                        continue;
                    }
                    Err(other) => buffer = other,
                }
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
                Ok(kind @ (Kind::Pcap | Kind::PcapNg | Kind::Snoop)) => break capture(kind, buffer, About::default())?,
                Ok(Kind::Log(format)) => break Reader::Log(log::Reader::open(buffer, format, options.settings)?),
                Err(OpenError::Unrecognised { .. }) if options.raw_otherwise => {
                    break Reader::Raw(raw::Reader::open(buffer, options.link.unwrap_or_default())?);
                }
                Err(error) => return Err(error),
            }
        };
        Ok(Capture { reader, count: 0, finished: false, read, packings, options, remark: None, log })
    }

    /// What the user should know of the input so far: a guess about hex text, or that another capture follows. Each is returned
    /// once.
    pub fn remark(&mut self) -> Option<String> {
        match &mut self.reader {
            Reader::Hex(reader) => reader.remark(),
            _ => self.remark.take(),
        }
    }

    /// Opens the next capture of an input that consists of several, as `cat a.pcap b.pcap` writes.
    fn open_another(&mut self) -> Result<(), ReadError> {
        let is_pcapng = matches!(self.reader, Reader::PcapNg(_));
        let Input { buffer, about, .. } = match &mut self.reader {
            Reader::Pcap(reader) => &mut reader.input,
            Reader::PcapNg(reader) => {
                reader.meet_packet()?;
                &mut reader.input
            }
            Reader::Snoop(reader) => &mut reader.input,
            Reader::Log(_) | Reader::Hex(_) | Reader::Raw(_) => return Ok(()),
        };
        let another = sniff::another(buffer, is_pcapng).map_err(|error| ReadError::from_read(buffer.offset(), &error))?;
        let Some(kind) = another else { return Ok(()) };
        let at = buffer.offset();
        let (buffer, mut about) = (std::mem::replace(buffer, Buffer::empty()), std::mem::take(about));
        if about.files == 0 {
            self.remark = Some(format!("another capture begins at byte {at}; its packets follow, and those of any after it"));
        }
        about.files += 1;
        about.section += 1;
        let open = capture(kind, buffer, about);
        self.reader = open.map_err(|error| ReadError::damaged(at, format!("another capture begins here: {error}")))?;
        Ok(())
    }

    /// One-line explanation of the detected format.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text: String = self.packings.iter().flat_map(|packing| [*packing, ", then "]).collect();
        text += &match &self.reader {
            _ if self.log.is_some() => self.log.iter().map(|(_, description)| description.to_string()).collect(),
            Reader::Pcap(reader) => reader.describe(),
            Reader::PcapNg(reader) => reader.describe(),
            Reader::Snoop(reader) => reader.describe(),
            Reader::Log(reader) => reader.describe(),
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
        if let Err(error) = self.open_another() {
            self.finished = true;
            return Err(error);
        }
        let mut next = match &mut self.reader {
            Reader::Pcap(reader) => reader.next(),
            Reader::PcapNg(reader) => reader.next(),
            Reader::Snoop(reader) => reader.next(),
            Reader::Log(reader) => reader.next(),
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
            other => {
                self.finished = true;
                // The offset would be that in the reconstructed capture; the text has the one in the log.
                if let (Err(error), Some(_)) = (other, &self.log) {
                    error.at = None;
                }
            }
        }
        next
    }

    /// The detected format, inside any compression.
    #[must_use]
    pub fn format(&self) -> Format {
        if let Some((name, _)) = self.log {
            return Format::Log(name);
        }
        match &self.reader {
            Reader::Pcap(_) => Format::Pcap,
            Reader::PcapNg(_) => Format::PcapNg,
            Reader::Snoop(_) => Format::Snoop,
            Reader::Log(reader) => Format::Log(reader.format()),
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
        self.input().map_or(&[], |input| &input.interfaces)
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
        self.input().map(|input| &input.about)
    }

    fn input(&self) -> Option<&Input> {
        match &self.reader {
            Reader::Pcap(reader) => Some(&reader.input),
            Reader::PcapNg(reader) => Some(&reader.input),
            Reader::Snoop(reader) => Some(&reader.input),
            Reader::Log(_) | Reader::Hex(_) | Reader::Raw(_) => None,
        }
    }

    /// Bytes read from the reader so far, before decompression.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Opens a capture; `about` is what captures before it in the same input stated.
fn capture(kind: Kind, buffer: Buffer, about: About) -> Result<Reader, OpenError> {
    Ok(match kind {
        Kind::PcapNg => Reader::PcapNg(pcapng::Reader::open(buffer, about)?),
        Kind::Snoop => Reader::Snoop(snoop::Reader::open(buffer, about)?),
        _ => Reader::Pcap(pcap::Reader::open(buffer, about)?),
    })
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
        (Some(InputFormat::Hex | InputFormat::Follow), Kind::Pcap | Kind::PcapNg | Kind::Snoop | Kind::Log(_)) => {
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
