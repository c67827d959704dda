//! pcapng: sections of blocks. Each section has its own byte order and interfaces.
//!
//! ```text
//! block      type:4 | length:4 | body:length-12 | length:4
//! section    magic:4 | major:2 | minor:2 | section length:8 | options
//! interface  link:2 | ?:2 | snaplen:4 | options
//! enhanced   interface:4 | time:8 | captured:4 | original:4 | packet, padded to 4 | options
//! simple     original:4 | packet, padded to 4
//! secrets    kind:4 | length:4 | secrets, padded to 4 | options
//! obsolete   interface:2 | drops:2 | time:8 | captured:4 | original:4 | packet, padded to 4 | options
//! ```
//! TLS key logs are attached to the next packet. All other blocks, including custom ones, are counted and skipped.
//!
//! `pcap-parser` identifies the blocks. They are parsed here: it collects the options of each packet in a vector, and rejects a
//! packet for a malformed option. It also misreads times of big-endian interfaces and resolutions that are powers of two.

#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod clock;

use pcap_parser::{
    CB_MAGIC, DCB_MAGIC, DSB_MAGIC, EPB_MAGIC, IDB_MAGIC, ISB_MAGIC, NRB_MAGIC, PIB_MAGIC, SHB_MAGIC, SJE_MAGIC, SPB_MAGIC,
};

use super::buffer::{Buffer, LARGEST};
use super::common::Input;
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, Timestamp};
use super::interface::{About, Extra};
use super::options::{Comments, OptionList};
use super::order::Order;
use super::origin::{self, Origin};
use super::sniff;
use super::text_packet::TextPacket;
use crate::tree::{Side, Time};
use clock::Clock;

const OBSOLETE_PACKET: u32 = 2;
const BLOCK_HEADER: usize = 8;
const LENGTH: usize = 4;
const PACKET_HEADER: usize = 20;
const SECTION_BODY: usize = 16;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// Type of secrets: a TLS key log.
const TLS_KEY_LOG: u32 = 0x544c_534b;

/// Maximum size of key logs between two packets.
const SECRETS: usize = 16 << 20;

/// Maximum number of interfaces per section.
const INTERFACES: usize = 65_536;

pub(super) struct Reader {
    pub(super) input: Input,
    order: Order,
    /// The time of the first frame of the whole capture, if this is a part.
    start: Time,
    /// Byte order of the first section.
    first: Order,
    /// Interface properties that each packet needs.
    sources: Vec<Source>,
    /// Key logs since the last packet, and whether that packet has returned them.
    secrets: Vec<u8>,
    returned: bool,
    /// Error found while reading ahead for interfaces; returned after the frames before it.
    failure: Option<ReadError>,
}

/// An interface as a source of packets.
#[derive(Clone, Copy)]
struct Source {
    link: u16,
    snap_len: u32,
    clock: Clock,
}

/// A packet in the next block.
struct Packet {
    time: Option<Timestamp>,
    interface: u32,
    link: u16,
    /// Offset of its bytes in the block.
    from: usize,
    captured: usize,
    original: u32,
    /// Whether options may follow.
    options: bool,
}

/// The next block, completely buffered.
struct Block {
    kind: u32,
    len: usize,
}

impl Block {
    /// Where its body is, between the header and the length at the end.
    const fn body(&self) -> std::ops::Range<usize> {
        BLOCK_HEADER..self.len.saturating_sub(LENGTH)
    }
}

impl Reader {
    /// Reads the section header and those interfaces that are available without waiting.
    pub(super) fn open(buffer: Buffer, about: About) -> Result<Reader, OpenError> {
        let order = Order::Little;
        let mut reader = Reader {
            input: Input { buffer, interfaces: Vec::new(), about },
            order,
            first: order,
            start: None,
            sources: Vec::new(),
            secrets: Vec::new(),
            returned: false,
            failure: None,
        };
        let damaged = |what: String| OpenError::Damaged { format: "pcapng", what };
        match reader.block() {
            Ok(Some(block)) => {
                let (major, minor) = reader.version().unwrap_or_default();
                if major != 1 {
                    return Err(OpenError::UnsupportedVersion { format: "pcapng", major, minor });
                }
                reader.section(&block);
                reader.input.buffer.pass(block.len);
            }
            Ok(None) => return Err(damaged("its section header is missing".to_owned())),
            Err(error) => return Err(damaged(error.text)),
        }
        reader.first = reader.order;
        reader.failure = reader.meet_interfaces().err();
        Ok(reader)
    }

    pub(super) fn describe(&self) -> String {
        format!("pcapng, known by its first bytes (first section {})", self.first.as_str())
    }

    /// Handles blocks up to the next packet, the end of the input or another capture.
    pub(super) fn meet_packet(&mut self) -> Result<(), ReadError> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        if std::mem::take(&mut self.returned) {
            self.secrets = Vec::new();
        }
        while self.input.buffer.have(BLOCK_HEADER, "block")? {
            let is_packet = matches!(self.order.u32(self.input.buffer.ahead(), 0), Some(EPB_MAGIC | SPB_MAGIC | OBSOLETE_PACKET));
            if is_packet || self.is_over()? {
                break;
            }
            let Some(block) = self.block()? else { break };
            self.other(&block)?;
        }
        Ok(())
    }

    /// Whether another capture begins here.
    fn is_over(&mut self) -> Result<bool, ReadError> {
        let another = sniff::another(&mut self.input.buffer, true);
        another.map(|kind| kind.is_some()).map_err(|error| ReadError::from_read(self.input.buffer.offset(), &error))
    }

    /// The next packet, after [`Reader::meet_packet`].
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        let Some(block) = self.block()? else { return Ok(None) };
        let Some(packet) = self.packet(&block)? else { return Ok(None) };
        self.returned = true;
        let interface_name = self.input.interfaces.get(packet.interface as usize).and_then(|known| known.name.as_deref());
        let block = self.input.buffer.use_up(block.len);
        let end = packet.from.saturating_add(packet.captured);
        let bytes =
            block.get(end.next_multiple_of(4)..block.len().saturating_sub(LENGTH)).filter(|_| packet.options).unwrap_or_default();
        let options = OptionList { order: self.order, bytes };
        let (origin, time) = Origin::find(options, self.start).unzip();
        let (of_text, direction) = TextPacket::find(options);
        Ok(Some(Frame {
            time: time.flatten().unwrap_or(packet.time.filter(|_| !of_text.has_no_time)),
            origin,
            interfaces: &self.input.interfaces,
            section: self.input.about.section,
            link: if of_text.is_payload { Link::Stream(direction.unwrap_or(Side::Client)) } else { Link::Type(packet.link) },
            direction,
            bytes: block.get(packet.from..end).unwrap_or_default(),
            original_len: packet.original,
            interface: Some(packet.interface).filter(|_| origin.is_none_or(|origin| origin.has_interface)),
            interface_name,
            comments: Comments::new(options),
            secrets: &self.secrets,
            ..Frame::default()
        }))
    }

    /// Reads the blocks before the first packet: waits for one interface, and reads others that have already arrived.
    fn meet_interfaces(&mut self) -> Result<(), ReadError> {
        while self.sources.is_empty() || self.block_has_arrived() {
            if self.is_over()? {
                break;
            }
            let Some(block) = self.block()? else { break };
            if matches!(block.kind, EPB_MAGIC | SPB_MAGIC | OBSOLETE_PACKET) {
                break;
            }
            self.other(&block)?;
        }
        Ok(())
    }

    fn block_has_arrived(&self) -> bool {
        let ahead = self.input.buffer.ahead();
        self.order.u32(ahead, 4).is_some_and(|len| ahead.len() >= len as usize)
    }

    /// Waits for the next block; `None` at the end of the input.
    fn block(&mut self) -> Result<Option<Block>, ReadError> {
        if !self.input.buffer.have(BLOCK_HEADER, "block")? {
            return Ok(None);
        }
        if self.order.u32(self.input.buffer.ahead(), 0) == Some(SHB_MAGIC) {
            self.input.buffer.have(BLOCK_HEADER + 4, "block")?;
            self.order = self.section_order()?;
        }
        let ahead = self.input.buffer.ahead();
        let (kind, len) = (self.order.u32(ahead, 0).unwrap_or_default(), self.order.u32(ahead, 4).unwrap_or_default());
        let least = if kind == SHB_MAGIC { 12 + SECTION_BODY } else { 12 };
        let whole = len as usize;
        if whole < least || !whole.is_multiple_of(4) || whole > LARGEST {
            return Err(self.damaged(format!("a block that says it is {len} bytes long")));
        }
        self.input.buffer.have(whole, "block")?;
        match self.order.u32(self.input.buffer.ahead(), whole.saturating_sub(LENGTH)) {
            Some(end) if end == len => Ok(Some(Block { kind, len: whole })),
            end => {
                let end = end.unwrap_or_default();
                Err(self.damaged(format!("a block that says {len} bytes at its start and {end} at its end")))
            }
        }
    }

    fn section_order(&self) -> Result<Order, ReadError> {
        match self.input.buffer.ahead().get(8..12) {
            Some([0x4d, 0x3c, 0x2b, 0x1a]) => Ok(Order::Little),
            Some([0x1a, 0x2b, 0x3c, 0x4d]) => Ok(Order::Big),
            _ => Err(self.damaged("a section header without its byte order mark 1a2b3c4d".to_owned())),
        }
    }

    /// Handles a block that is no packet.
    fn other(&mut self, block: &Block) -> Result<(), ReadError> {
        match block.kind {
            SHB_MAGIC => match self.version() {
                Some((1, _)) => self.section(block),
                version => {
                    let (major, minor) = version.unwrap_or_default();
                    return Err(self.damaged(format!("a section of version {major}.{minor}; expected 1.0")));
                }
            },
            IDB_MAGIC if self.sources.len() >= INTERFACES => {
                return Err(self.damaged(format!("a section with more than {INTERFACES} interfaces")));
            }
            IDB_MAGIC => {
                if self.interface_described(block).is_none() {
                    return Err(self.damaged("an interface block too short for its link type".to_owned()));
                }
            }
            kind => {
                let first = self.order.u32(self.body(block), 0).unwrap_or_default();
                if kind == DSB_MAGIC && first == TLS_KEY_LOG {
                    self.learn(block);
                }
                if kind == NRB_MAGIC {
                    let body = self.input.buffer.ahead().get(block.body()).unwrap_or_default();
                    self.input.about.names.block(self.order, body);
                }
                self.input.about.extra(match kind {
                    NRB_MAGIC => Extra::Names,
                    DSB_MAGIC => Extra::Secrets(first),
                    ISB_MAGIC => Extra::Statistics,
                    SJE_MAGIC => Extra::Journal,
                    PIB_MAGIC => Extra::Processes,
                    CB_MAGIC | DCB_MAGIC => Extra::Custom(first),
                    _ => Extra::Block(kind),
                });
            }
        }
        self.input.buffer.pass(block.len);
        Ok(())
    }

    /// Stores a key log for the next packet.
    fn learn(&mut self, block: &Block) {
        let body = self.input.buffer.ahead().get(block.body()).unwrap_or_default();
        let length = self.order.u32(body, 4).unwrap_or_default() as usize;
        let text = body.get(8..).unwrap_or_default();
        let text = text.get(..length).unwrap_or(text);
        if self.secrets.len().saturating_add(text.len()) < SECRETS {
            self.secrets.extend_from_slice(text);
            self.secrets.push(b'\n');
        }
    }

    fn section(&mut self, block: &Block) {
        self.input.interfaces.clear();
        self.sources.clear();
        let bytes = self.input.buffer.ahead().get(block.body()).unwrap_or_default();
        let options = OptionList { order: self.order, bytes: bytes.get(SECTION_BODY..).unwrap_or_default() };
        self.start = origin::start(options);
        self.input.about.section(options);
    }

    fn interface_described(&mut self, block: &Block) -> Option<()> {
        let body = self.input.buffer.ahead().get(block.body())?;
        let (link, snap_len) = (self.order.u16(body, 0)?, self.order.u32(body, 4)?);
        let options = OptionList { order: self.order, bytes: body.get(8..)? };
        let mut clock = Clock::default();
        for (code, value) in options {
            match (code, value) {
                (IF_TSRESOL, [exponent, ..]) => clock.set_resolution(*exponent),
                (IF_TSOFFSET, _) => clock.offset = self.order.i64(value, 0).unwrap_or_default(),
                _ => {}
            }
        }
        self.input.interfaces.push(self.input.about.interface(Some(link), snap_len, options));
        self.sources.push(Source { link, snap_len, clock });
        Some(())
    }

    fn version(&self) -> Option<(u16, u16)> {
        let ahead = self.input.buffer.ahead();
        Some((self.order.u16(ahead, 12)?, self.order.u16(ahead, 14)?))
    }

    fn body(&self, block: &Block) -> &[u8] {
        self.input.buffer.ahead().get(block.body()).unwrap_or_default()
    }

    /// The packet in a block; `None` for a block of another type.
    fn packet(&self, block: &Block) -> Result<Option<Packet>, ReadError> {
        let body = self.body(block);
        let word = |at| self.order.u32(body, at);
        let short = || self.damaged("a packet block too short for its header".to_owned());
        let interface = match block.kind {
            EPB_MAGIC => word(0).ok_or_else(short)?,
            OBSOLETE_PACKET => u32::from(self.order.u16(body, 0).ok_or_else(short)?),
            SPB_MAGIC => return self.simple(body, word(0).ok_or_else(short)?).map(Some),
            _ => return Ok(None),
        };
        let source = self.source(interface)?;
        let (Some(high), Some(low), Some(captured), Some(original)) = (word(4), word(8), word(12), word(16)) else {
            return Err(short());
        };
        let available = body.len().saturating_sub(PACKET_HEADER);
        if captured as usize > available {
            return Err(self.damaged(format!("a packet of {captured} bytes in a block with space for {available}")));
        }
        let time = Some(source.clock.time(u64::from(high) << 32 | u64::from(low)));
        let (from, captured) = (BLOCK_HEADER + PACKET_HEADER, captured as usize);
        Ok(Some(Packet { time, interface, link: source.link, from, captured, original, options: true }))
    }

    /// A simple packet has neither a time nor a captured length, which is limited by the snap length of the first interface.
    fn simple(&self, body: &[u8], original: u32) -> Result<Packet, ReadError> {
        let source = self.source(0)?;
        let limit = if source.snap_len == 0 { u32::MAX } else { source.snap_len };
        let (captured, available) = (original.min(limit) as usize, body.len().saturating_sub(LENGTH));
        if captured > available {
            return Err(self.damaged(format!("a packet of {captured} bytes in a block with space for {available}")));
        }
        let (link, from) = (source.link, BLOCK_HEADER + 4);
        Ok(Packet { time: None, interface: 0, link, from, captured, original, options: false })
    }

    fn source(&self, number: u32) -> Result<&Source, ReadError> {
        self.sources.get(number as usize).ok_or_else(|| {
            let known = self.sources.len();
            self.damaged(format!("a packet of interface {number}, but its section has described {known}"))
        })
    }

    fn damaged(&self, text: String) -> ReadError {
        ReadError::damaged(self.input.buffer.offset(), text)
    }
}
