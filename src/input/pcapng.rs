//! pcapng: sections of blocks. Each section has a byte order and interfaces of its own.
//!
//! ```text
//! block      type:4 | length:4 | body:length-12 | length:4
//! section    magic:4 | major:2 | minor:2 | section length:8 | options
//! interface  link:2 | ?:2 | snaplen:4 | options
//! enhanced   interface:4 | time:8 | captured:4 | original:4 | packet, padded to 4 | options
//! simple     original:4 | packet, padded to 4
//! obsolete   interface:2 | drops:2 | time:8 | captured:4 | original:4 | packet, padded to 4 | options
//! ```
//! All other blocks are passed over, custom ones too: they hold no packet anybody could name.
//!
//! `pcap-parser` cuts out the blocks. Their bodies are read here: it collects the options of each packet in a vector,
//! gives up a packet for a damaged option, and takes times of big-endian interfaces and resolutions of a power of two wrong.

use pcap_parser::{EPB_MAGIC, IDB_MAGIC, SHB_MAGIC, SPB_MAGIC, parse_unknownblock_be, parse_unknownblock_le};

use super::buffer::{Buffer, LARGEST, Supply};
use super::error::{OpenError, ReadError};
use super::frame::{Frame, Link, Timestamp};
use super::order::Order;

const OBSOLETE_PACKET: u32 = 2;
const BLOCK_HEADER: usize = 8;
const SECTION_BODY: usize = 16;
const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

pub(super) struct Reader {
    buffer: Buffer,
    order: Order,
    /// Those of this section.
    interfaces: Vec<Interface>,
    /// Link types of all sections so far.
    links: Vec<u16>,
    /// Found while looking ahead for interfaces; told when the frames before it have been.
    failure: Option<ReadError>,
}

struct Interface {
    link: u16,
    snap_len: u32,
    /// Units of a packet's time in a second; `None` if they are too many for any time to be other than zero.
    per_second: Option<u128>,
    /// Seconds to add to each time.
    offset: i64,
}

/// A packet found in the block ahead.
struct Packet {
    time: Option<Timestamp>,
    link: u16,
    /// Where its bytes begin in the block.
    from: usize,
    captured: usize,
    original: u32,
}

/// The block ahead, all of it in the buffer.
struct Block {
    kind: u32,
    len: usize,
}

impl Reader {
    /// Reads the section header and, as far as they are there without waiting, the interfaces.
    pub(super) fn open(buffer: Buffer) -> Result<Reader, OpenError> {
        let order = Order::Little;
        let mut reader = Reader { buffer, order, interfaces: Vec::new(), links: Vec::new(), failure: None };
        let damaged = |what: String| OpenError::Damaged { format: "pcapng", what };
        match reader.block() {
            Ok(Some(block)) => {
                let (major, minor) = reader.version().unwrap_or_default();
                if major != 1 {
                    return Err(OpenError::UnsupportedVersion { format: "pcapng", major, minor });
                }
                reader.buffer.pass(block.len);
            }
            Ok(None) => return Err(damaged("its section header is missing".to_owned())),
            Err(error) => return Err(damaged(error.text)),
        }
        reader.failure = reader.meet_interfaces().err();
        Ok(reader)
    }

    pub(super) fn links(&self) -> &[u16] {
        &self.links
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        while let Some(block) = self.block()? {
            if let Some(packet) = self.packet(&block)? {
                let (time, link, original_len) = (packet.time, Link::Type(packet.link), packet.original);
                let bytes = self.buffer.use_up(block.len).get(packet.from..).unwrap_or_default();
                let bytes = bytes.get(..packet.captured).unwrap_or_default();
                return Ok(Some(Frame { number: 0, time, link, bytes, original_len }));
            }
            self.other(&block)?;
        }
        Ok(None)
    }

    /// Reads the blocks before the first packet: waits for one interface, and takes others that have arrived with it.
    fn meet_interfaces(&mut self) -> Result<(), ReadError> {
        while self.interfaces.is_empty() || self.block_has_arrived() {
            let Some(block) = self.block()? else { break };
            if matches!(block.kind, EPB_MAGIC | SPB_MAGIC | OBSOLETE_PACKET) {
                break;
            }
            self.other(&block)?;
        }
        Ok(())
    }

    fn block_has_arrived(&self) -> bool {
        let ahead = self.buffer.ahead();
        self.order.u32(ahead, 4).is_some_and(|len| ahead.len() >= len as usize)
    }

    /// Waits for the next block; `None` at the end of the input.
    fn block(&mut self) -> Result<Option<Block>, ReadError> {
        if !self.have(BLOCK_HEADER)? {
            return Ok(None);
        }
        if self.order.u32(self.buffer.ahead(), 0) == Some(SHB_MAGIC) {
            self.have(BLOCK_HEADER + 4)?;
            self.order = self.section_order()?;
        }
        let ahead = self.buffer.ahead();
        let (kind, len) = (self.order.u32(ahead, 0).unwrap_or_default(), self.order.u32(ahead, 4).unwrap_or_default());
        let least = if kind == SHB_MAGIC { 12 + SECTION_BODY } else { 12 };
        let whole = len as usize;
        if whole < least || !whole.is_multiple_of(4) || whole > LARGEST {
            return Err(self.damaged(format!("a block that says it is {len} bytes long")));
        }
        self.have(whole)?;
        let ahead = self.buffer.ahead();
        let parsed = match self.order {
            Order::Little => parse_unknownblock_le(ahead),
            Order::Big => parse_unknownblock_be(ahead),
        };
        match parsed {
            Ok((_, block)) if block.block_len2 == len => Ok(Some(Block { kind, len: whole })),
            Ok((_, block)) => {
                Err(self.damaged(format!("a block that says {len} bytes at its start and {} at its end", block.block_len2)))
            }
            Err(_) => Err(self.damaged("a block that cannot be read".to_owned())),
        }
    }

    fn section_order(&self) -> Result<Order, ReadError> {
        match self.buffer.ahead().get(8..12) {
            Some([0x4d, 0x3c, 0x2b, 0x1a]) => Ok(Order::Little),
            Some([0x1a, 0x2b, 0x3c, 0x4d]) => Ok(Order::Big),
            _ => Err(self.damaged("a section header without its byte order mark 1a2b3c4d".to_owned())),
        }
    }

    /// Whether `count` bytes of a block are there; `false` only at the end of the last block.
    fn have(&mut self, count: usize) -> Result<bool, ReadError> {
        let at = self.buffer.offset();
        match self.buffer.need(count) {
            Ok(Supply::Enough) => Ok(true),
            Ok(Supply::Ended) if self.buffer.ahead().is_empty() => Ok(false),
            Ok(Supply::Ended) => {
                let there = self.buffer.ahead().len();
                let text = format!("the file ends in the middle of a block: {there} bytes of {count} are there");
                Err(ReadError::truncated(at, text))
            }
            Err(error) => Err(ReadError::from_read(at, &error)),
        }
    }

    /// Takes in a block that is no packet.
    fn other(&mut self, block: &Block) -> Result<(), ReadError> {
        match block.kind {
            SHB_MAGIC => match self.version() {
                Some((1, _)) => self.interfaces.clear(),
                version => {
                    let (major, minor) = version.unwrap_or_default();
                    return Err(self.damaged(format!("a section of version {major}.{minor}; expected 1.0")));
                }
            },
            IDB_MAGIC => {
                let Some(interface) = interface(self.order, self.body(block)) else {
                    return Err(self.damaged("an interface block too short for its link type".to_owned()));
                };
                if !self.links.contains(&interface.link) {
                    self.links.push(interface.link);
                }
                self.interfaces.push(interface);
            }
            _ => {}
        }
        self.buffer.pass(block.len);
        Ok(())
    }

    fn version(&self) -> Option<(u16, u16)> {
        let ahead = self.buffer.ahead();
        Some((self.order.u16(ahead, 12)?, self.order.u16(ahead, 14)?))
    }

    fn body(&self, block: &Block) -> &[u8] {
        self.buffer.ahead().get(BLOCK_HEADER..block.len - 4).unwrap_or_default()
    }

    /// The packet in a block; `None` if it is a block of another kind.
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
        let interface = self.interface(interface)?;
        let (Some(high), Some(low), Some(captured), Some(original)) = (word(4), word(8), word(12), word(16)) else {
            return Err(short());
        };
        let room = body.len() - 20;
        if captured as usize > room {
            return Err(self.damaged(format!("a packet of {captured} bytes in a block with room for {room}")));
        }
        let time = Some(interface.time(u64::from(high) << 32 | u64::from(low)));
        Ok(Some(Packet { time, link: interface.link, from: BLOCK_HEADER + 20, captured: captured as usize, original }))
    }

    /// A simple packet says neither its time nor how much of it was captured: as much as the first interface takes.
    fn simple(&self, body: &[u8], original: u32) -> Result<Packet, ReadError> {
        let interface = self.interface(0)?;
        let limit = if interface.snap_len == 0 { u32::MAX } else { interface.snap_len };
        let (captured, room) = (original.min(limit) as usize, body.len() - 4);
        if captured > room {
            return Err(self.damaged(format!("a packet of {captured} bytes in a block with room for {room}")));
        }
        Ok(Packet { time: None, link: interface.link, from: BLOCK_HEADER + 4, captured, original })
    }

    fn interface(&self, number: u32) -> Result<&Interface, ReadError> {
        self.interfaces.get(number as usize).ok_or_else(|| {
            let known = self.interfaces.len();
            self.damaged(format!("a packet of interface {number}, but its section has described {known}"))
        })
    }

    fn damaged(&self, text: String) -> ReadError {
        ReadError::damaged(self.buffer.offset(), text)
    }
}

impl Interface {
    fn time(&self, units: u64) -> Timestamp {
        let Some(per_second) = self.per_second else {
            return Timestamp { seconds: self.offset, nanos: 0 };
        };
        let units = u128::from(units);
        let seconds = i64::try_from(units / per_second).unwrap_or(i64::MAX);
        // The remainder is below 2^64 and below `per_second`, so this neither overflows nor reaches a second.
        let nanos = (units % per_second) * 1_000_000_000 / per_second;
        Timestamp { seconds: seconds.saturating_add(self.offset), nanos: u32::try_from(nanos).unwrap_or_default() }
    }
}

fn interface(order: Order, body: &[u8]) -> Option<Interface> {
    let mut interface =
        Interface { link: order.u16(body, 0)?, snap_len: order.u32(body, 4)?, per_second: Some(1_000_000), offset: 0 };
    let mut options = body.get(8..)?;
    // Damaged options end the list; what was read of them counts.
    while let Some((code, value, rest)) = option(order, options) {
        match code {
            IF_TSRESOL => interface.per_second = value.first().map_or(interface.per_second, |exponent| resolution(*exponent)),
            IF_TSOFFSET => interface.offset = order.i64(value, 0).unwrap_or_default(),
            _ => {}
        }
        options = rest;
    }
    Some(interface)
}

/// Code and value of the first option, and the options after it.
fn option(order: Order, options: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let (code, len) = (order.u16(options, 0)?, order.u16(options, 2)?);
    if code == 0 {
        return None;
    }
    let from = options.get(4..)?;
    let rest = from.get(usize::from(len).next_multiple_of(4)..).unwrap_or_default();
    Some((code, from.get(..usize::from(len))?, rest))
}

/// Units in a second: a power of ten, or of two with the highest bit set.
fn resolution(exponent: u8) -> Option<u128> {
    match exponent {
        0..0x80 => 10_u128.checked_pow(u32::from(exponent)),
        0x80.. => 2_u128.checked_pow(u32::from(exponent & 0x7f)),
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "lengths in tests are small, and halves of a time are meant")]
mod tests {
    use super::*;
    use crate::input::samples::{self, drain, drain_slowly};

    /// Writes blocks in one byte order.
    #[derive(Clone, Copy)]
    struct Writer(bool);

    impl Writer {
        fn w16(self, value: u16) -> Vec<u8> {
            if self.0 { value.to_be_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
        }

        fn w32(self, value: u32) -> Vec<u8> {
            if self.0 { value.to_be_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
        }

        fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
            let len = self.w32(body.len() as u32 + 12);
            [&self.w32(kind), &len, body, &len].concat()
        }

        fn section(self) -> Vec<u8> {
            self.block(SHB_MAGIC, &[self.w32(0x1a2b_3c4d), self.w16(1), self.w16(0), vec![0xff; 8]].concat())
        }

        fn interface(self, link: u16, snap_len: u32, options: &[u8]) -> Vec<u8> {
            self.block(IDB_MAGIC, &[&self.w16(link), &self.w16(0), &self.w32(snap_len), options].concat())
        }

        fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
            let mut padded = value.to_vec();
            padded.resize(value.len().next_multiple_of(4), 0);
            [self.w16(code), self.w16(value.len() as u16), padded].concat()
        }

        fn enhanced(self, interface: u32, time: u64, bytes: &[u8], options: &[u8]) -> Vec<u8> {
            let mut padded = bytes.to_vec();
            padded.resize(bytes.len().next_multiple_of(4), 0);
            let len = self.w32(bytes.len() as u32);
            let numbers = [self.w32(interface), self.w32((time >> 32) as u32), self.w32(time as u32), len, self.w32(99)].concat();
            self.block(EPB_MAGIC, &[&numbers, &padded[..], options].concat())
        }
    }

    const LITTLE: Writer = Writer(false);
    const BIG: Writer = Writer(true);

    fn time_of(writer: Writer, options: &[u8], units: u64) -> (i64, u32) {
        let bytes = [writer.section(), writer.interface(1, 0, options), writer.enhanced(0, units, b"a", &[])].concat();
        let time = drain(&bytes).0[0].time.unwrap();
        (time.seconds, time.nanos)
    }

    #[test]
    fn sections_have_their_own_byte_order_and_interfaces() {
        let first = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 1_000_002, b"abc", &[])].concat();
        let second =
            [BIG.section(), BIG.interface(101, 0, &[]), BIG.interface(1, 0, &[]), BIG.enhanced(0, 3, b"de", &[])].concat();
        let bytes = [first, second].concat();
        let (frames, error) = drain(&bytes);
        assert_eq!(error, None);
        assert_eq!(frames.iter().map(|frame| frame.link).collect::<Vec<_>>(), [Link::Type(1), Link::Type(101)]);
        assert_eq!(frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>(), [&b"abc"[..], b"de"]);
        assert_eq!(frames[0].time, Some(Timestamp { seconds: 1, nanos: 2000 }));
        assert_eq!(frames[0].original_len, 99);
        assert_eq!(drain_slowly(&bytes).0, frames);
        let mut capture = samples::open(&bytes).unwrap();
        assert_eq!(capture.links(), [1]);
        while capture.next_frame().unwrap().is_some() {}
        assert_eq!(capture.links(), [1, 101]);
    }

    #[test]
    fn times_have_any_resolution_and_an_offset() {
        for writer in [LITTLE, BIG] {
            let resolution = |exponent: u8| writer.option(IF_TSRESOL, &[exponent]);
            let offset =
                |seconds: i64| writer.option(IF_TSOFFSET, &if writer.0 { seconds.to_be_bytes() } else { seconds.to_le_bytes() });
            assert_eq!(time_of(writer, &[], 1_500_000), (1, 500_000_000));
            assert_eq!(time_of(writer, &resolution(9), 5_000_000_007), (5, 7));
            assert_eq!(time_of(writer, &resolution(0x88), 0x0132), (1, 195_312_500));
            assert_eq!(time_of(writer, &resolution(0), u64::MAX), (i64::MAX, 0));
            assert_eq!(time_of(writer, &resolution(19), u64::MAX), (1, 844_674_407));
            assert_eq!(time_of(writer, &resolution(0xff), u64::MAX), (0, 0));
            assert_eq!(time_of(writer, &resolution(100), u64::MAX), (0, 0));
            assert_eq!(time_of(writer, &offset(-5), 1_000_000), (-4, 0));
            assert_eq!(time_of(writer, &[resolution(0), offset(i64::MAX)].concat(), 9), (i64::MAX, 0));
        }
    }

    #[test]
    fn simple_and_obsolete_packets_are_frames_and_custom_blocks_are_not() {
        let simple = LITTLE.block(SPB_MAGIC, &[&LITTLE.w32(60)[..], b"abcdefgh"].concat());
        let times = [LITTLE.w32(0), LITTLE.w32(7), LITTLE.w32(3), LITTLE.w32(3)].concat();
        let obsolete = LITTLE.block(OBSOLETE_PACKET, &[&LITTLE.w16(0), &LITTLE.w16(1), &times[..], b"xyz\0"].concat());
        let custom = LITTLE.block(0xbad, b"\0\0\0\0abcd");
        let bytes = [LITTLE.section(), LITTLE.interface(1, 6, &[]), simple, custom, obsolete].concat();
        let (frames, error) = drain(&bytes);
        assert_eq!((frames.len(), error), (2, None));
        assert_eq!((frames[0].time, &frames[0].bytes[..], frames[0].original_len), (None, &b"abcdef"[..], 60));
        assert_eq!((frames[1].time.unwrap().nanos, &frames[1].bytes[..]), (7000, &b"xyz"[..]));
    }

    #[test]
    fn a_damaged_option_costs_no_packet() {
        let broken = [LITTLE.w16(1), LITTLE.w16(0x3030)].concat();
        let bytes = [LITTLE.section(), LITTLE.interface(1, 0, &broken), LITTLE.enhanced(0, 0, b"abc", &broken)].concat();
        assert_eq!(drain(&bytes).0[0].bytes, b"abc");
    }

    #[test]
    fn damage_is_told_with_its_place_after_the_frames_before_it() {
        let good = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 0, b"abc", &[])].concat();
        let at = good.len() as u64;
        let mut two_lengths = LITTLE.block(5, b"abcd");
        two_lengths[12] ^= 1;
        let mut packet_too_long = LITTLE.enhanced(0, 0, b"abc", &[]);
        packet_too_long[20] = 5;
        let huge = [LITTLE.w32(6), LITTLE.w32(!3)].concat();
        let tiny = [LITTLE.w32(6), LITTLE.w32(8)].concat();
        let odd = [LITTLE.w32(6), LITTLE.w32(33)].concat();
        let stranger = LITTLE.enhanced(1, 0, b"abc", &[]);
        let unmarked = LITTLE.block(SHB_MAGIC, &[7; 16]);
        for damage in [two_lengths, packet_too_long, huge, tiny, odd, stranger, unmarked] {
            let (frames, error) = drain(&[&good[..], &damage].concat());
            let error = error.unwrap();
            assert_eq!((frames.len(), error.code, error.at), (1, "damaged", Some(at)), "{error}");
        }
    }

    #[test]
    fn a_cut_anywhere_gives_the_frames_before_it() {
        let blocks = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 0, b"abc", &[]), BIG.section()];
        let mut ends = Vec::new();
        for block in &blocks {
            ends.push(ends.last().unwrap_or(&0) + block.len());
        }
        samples::every_cut_gives_a_prefix(&blocks.concat(), blocks[0].len(), &ends);
    }

    #[test]
    fn a_block_larger_than_the_buffer_is_read() {
        let large = vec![7; 700_000];
        let bytes = [LITTLE.section(), LITTLE.interface(1, 0, &[]), LITTLE.enhanced(0, 0, &large, &[])].concat();
        assert_eq!(drain(&bytes).0[0].bytes, large);
    }
}
