//! RTCP (RFC 3550): reports about the packets of RTP, and feedback of RFC 4585, RFC 5104, REMB and transport-wide congestion control.
//!
//! ```text
//! packet   version:2 bits | padding:1 | count, subtype or format:5 | packet type:1 | length:2 in words, minus one | content
//!   200 sender report      SSRC:4 | NTP timestamp:8 | RTP timestamp:4 | packets:4 | bytes:4 | report block × count
//!   201 receiver report    SSRC:4 | report block × count
//!   202 SDES               count × (SSRC:4 | items of type:1, length:1, text | zeros up to a word)
//!   203 BYE                SSRC:4 × count | length:1 | reason
//!   204 APP                SSRC:4 | name:4 | data
//!   205, 206 feedback      SSRC:4 | media SSRC:4 | control information
//!   207 extended report    SSRC:4 | blocks of type:1, specific:1, length:2 in words, content
//! block    SSRC:4 | fraction lost:1 | packets lost:3 | highest sequence number:4 | jitter:4 | last SR:4 | delay:4
//! ```
//! A datagram holds one packet or several, whose lengths add up to its own. RTP and RTCP may share a port (RFC 5761).
//!
//! Not covered: other blocks of extended reports than times and statistics, profile-specific extensions, Microsoft's feedback.

mod extended;
mod feedback;
mod reports;
pub mod srtcp;
#[cfg(test)]
mod tests;

use super::stun;
use crate::tree::{Field, Names, fields, name_of, title};
use crate::wire::{Heuristic, On, Protocol, Result, Wire};
use std::ops::RangeInclusive;

pub static PROTOCOL: Protocol = Protocol::new(&RTCP, FIELDS)
    .found(&[
        On::Over("rtp").datagram(Heuristic::Datagram(recognize), compound),
        On::Over(stun::RELAYED).datagram(Heuristic::Datagram(recognize), compound),
        On::AnyUdp.datagram(Heuristic::Datagram(recognize), compound),
    ])
    .rest(&REST);

fields! {
    RTCP = protocol("rtcp", "RTCP", "Real-time Transport Control Protocol")
        .covers("Reports, SDES, BYE and APP; times and statistics of extended reports; NACK, TMMBR, transport-wide congestion control, PLI, SLI, FIR and REMB")
        .leaves_open("Other blocks of extended reports, profile-specific extensions, and Microsoft's feedback");
    PACKET = group("rtcp.packet", "packet", "Part of a compound packet").titled(title::kind);
    VERSION = number("rtcp.version", "version", "2 in RFC 3550").mask(0xc0).once_per(&PACKET);
    PADDING_BIT = bool("rtcp.padding", "padding", "Set if padding follows the content").mask(0x20).once_per(&PACKET);
    REPORT_COUNT = number("rtcp.rc", "reception report count", "").mask(0x1f).once_per(&PACKET);
    SOURCE_COUNT = number("rtcp.sc", "source count", "").mask(0x1f).once_per(&PACKET);
    SUBTYPE = number("rtcp.app.subtype", "subtype", "Defined by the application").mask(0x1f).once_per(&PACKET);
    TRANSPORT_FORMAT = number("rtcp.rtpfb.fmt", "feedback message type", "FMT of transport layer feedback").names(feedback::TRANSPORT).mask(0x1f).once_per(&PACKET);
    PAYLOAD_FORMAT = number("rtcp.psfb.fmt", "feedback message type", "FMT of payload-specific feedback").names(feedback::PAYLOAD).mask(0x1f).once_per(&PACKET);
    PACKET_TYPE = number("rtcp.pt", "packet type", "").names(TYPES).once_per(&PACKET);
    LENGTH = number("rtcp.length", "length", "In units of 32 bits, minus one").once_per(&PACKET);
    SENDER = number("rtcp.senderssrc", "sender SSRC", "").hex(8).once_per(&PACKET);
    MEDIA = number("rtcp.mediassrc", "media source SSRC", "").hex(8).once_per(&PACKET);
    NTP_HIGH = number("rtcp.timestamp.ntp.msw", "timestamp, MSW", "Seconds since 1900").once_per(&PACKET);
    NTP_LOW = number("rtcp.timestamp.ntp.lsw", "timestamp, LSW", "In units of 1/2^32 second").once_per(&PACKET);
    NTP = text("rtcp.timestamp.ntp", "NTP timestamp", "Wall-clock time of the report").once_per(&PACKET);
    RTP_TIME = number("rtcp.timestamp.rtp", "RTP timestamp", "The same instant in units of the media clock").once_per(&PACKET);
    PACKETS = number("rtcp.sender.packetcount", "sender's packet count", "").once_per(&PACKET);
    OCTETS = number("rtcp.sender.octetcount", "sender's octet count", "Bytes of payload").once_per(&PACKET);

    REPORT = group("rtcp.report_block", "report block", "Reception of one source").titled(reports::source);
    SSRC = number("rtcp.ssrc.identifier", "SSRC", "Source that a report, description or goodbye is about").hex(8);
    FRACTION = number("rtcp.ssrc.fraction", "fraction lost", "Since the previous report, in units of 1/256").once_per(&REPORT);
    LOST = number("rtcp.ssrc.cum_nr", "cumulative number of packets lost", "").once_per(&REPORT);
    HIGHEST = number("rtcp.ssrc.ext_high", "extended highest sequence number received", "").once_per(&REPORT);
    CYCLES = number("rtcp.ssrc.high_cycles", "sequence number cycles count", "").mask(0xffff_0000).once_per(&REPORT);
    HIGHEST_SHORT = number("rtcp.ssrc.high_seq", "highest sequence number received", "").mask(0xffff).once_per(&REPORT);
    JITTER = number("rtcp.ssrc.jitter", "interarrival jitter", "In units of the media clock").once_per(&REPORT);
    LAST_REPORT = number("rtcp.ssrc.lsr", "last SR timestamp", "Middle 32 bits of the NTP timestamp of the last sender report").once_per(&REPORT);
    DELAY = number("rtcp.ssrc.dlsr", "delay since last SR timestamp", "In units of 1/65536 second").once_per(&REPORT);

    CHUNK = group("rtcp.sdes.chunk", "SDES chunk", "Description of one source").titled(reports::source);
    ITEM = group("rtcp.sdes.item", "SDES item", "").named(title::kind, title::last_value, title::nothing);
    ITEM_TYPE = number("rtcp.sdes.type", "type", "").names(reports::ITEMS);
    ITEM_LENGTH = number("rtcp.sdes.length", "length", "In bytes");
    TEXT = text("rtcp.sdes.text", "text", "Description of a source, or reason for leaving");
    PREFIX_LENGTH = number("rtcp.sdes.prefix.length", "prefix length", "In bytes");
    PREFIX = text("rtcp.sdes.prefix.string", "prefix string", "Kind of a private item");
    ALIGNMENT = bytes("rtcp.sdes.padding", "padding", "Zeros up to the next word");

    APP_NAME = text("rtcp.app.name", "name", "Application").once_per(&PACKET);
    APP_DATA = bytes("rtcp.app.data", "application specific data", "").once_per(&PACKET);

    NACK_ID = number("rtcp.rtpfb.nack_pid", "NACK PID", "Sequence number of a lost packet");
    NACK_MASK = number("rtcp.rtpfb.nack_blp", "NACK BLP", "Bit mask of following lost packets").hex(4);
    LIMIT_SSRC = number("rtcp.rtpfb.tmmbr.fci.ssrc", "SSRC", "Media sender whose bit rate is limited").hex(8);
    LIMIT_EXPONENT = number("rtcp.rtpfb.tmmbr.fci.exp", "MxTBR exponent", "").mask(0xfc00_0000);
    LIMIT_MANTISSA = number("rtcp.rtpfb.tmmbr.fci.mantissa", "MxTBR mantissa", "").mask(0x03ff_fe00);
    OVERHEAD = number("rtcp.rtpfb.tmmbr.fci.measuredoverhead", "measured overhead", "Bytes of headers per packet").mask(0x1ff);
    LIMIT = text("rtcp.rtpfb.tmmbr.fci.bitrate", "maximum total media bit rate", "In bits per second");
    BASE = number("rtcp.rtpfb.transportcc.baseseq", "base sequence number", "Transport-wide number of the first packet").once_per(&PACKET);
    STATUSES = number("rtcp.rtpfb.transportcc.statuscount", "packet status count", "").once_per(&PACKET);
    REFERENCE = number("rtcp.rtpfb.transportcc.reftime", "reference time", "In units of 64 milliseconds").once_per(&PACKET);
    FEEDBACKS = number("rtcp.rtpfb.transportcc.pktcount", "feedback packets count", "Counts packets of this format").once_per(&PACKET);
    STATUS_CHUNK = number("rtcp.rtpfb.transportcc.pktchunk", "packet chunk", "Status of up to 8191 packets");
    ARRIVAL = number("rtcp.rtpfb.transportcc.recv_delta", "receive delta", "Since the previous packet, in units of 250 microseconds").hex(2);
    ARRIVAL_PADDING = bytes("rtcp.rtpfb.transportcc.recv_delta.padding", "receive delta padding", "").once_per(&PACKET);
    SLICE_FIRST = number("rtcp.psfb.fir.sli.first", "first MB", "First lost macroblock").mask(0xfff8_0000);
    SLICE_NUMBER = number("rtcp.psfb.fir.sli.number", "number of MBs", "Lost macroblocks").mask(0x0007_ffc0);
    SLICE_PICTURE = number("rtcp.psfb.fir.sli.picture_id", "picture ID", "Last six bits of the picture number").mask(0x3f);
    FIR_SSRC = number("rtcp.psfb.fir.fci.ssrc", "SSRC", "Media sender that is to send a full intra picture").hex(8);
    FIR_NUMBER = number("rtcp.psfb.fir.fci.csn", "command sequence number", "Repeated requests have the same number");
    FIR_RESERVED = number("rtcp.psfb.fir.fci.reserved", "reserved", "");
    REMB = text("rtcp.psfb.remb.identifier", "unique identifier", "REMB").once_per(&PACKET);
    REMB_COUNT = number("rtcp.psfb.remb.fci.number_ssrcs", "number of SSRCs", "").once_per(&PACKET);
    REMB_EXPONENT = number("rtcp.psfb.remb.fci.br_exp", "BR exponent", "").mask(0x00fc_0000).once_per(&PACKET);
    REMB_MANTISSA = number("rtcp.psfb.remb.fci.br_mantissa", "BR mantissa", "").mask(0x0003_ffff).once_per(&PACKET);
    REMB_RATE = text("rtcp.psfb.remb.fci.bitrate", "maximum bit rate", "In bits per second").once_per(&PACKET);
    REMB_SSRC = number("rtcp.psfb.remb.fci.ssrc", "SSRC", "Media source that the bit rate applies to").hex(8);
    CONTROL = bytes("rtcp.fci", "feedback control information", "Without fields of its own").once_per(&PACKET);

    RESERVED = number("rtcp.xr.reserved", "reserved", "").mask(0x1f).once_per(&PACKET);
    XR_TYPE = number("rtcp.xr.bt", "block type", "").names(extended::BLOCKS);
    XR_SPECIFIC = number("rtcp.xr.bs", "type specific", "");
    XR_LENGTH = number("rtcp.xr.bl", "block length", "In units of 32 bits, without the block header");
    REFERENCE_TIME = text("rtcp.xr.timestamp", "timestamp", "Wall-clock time of the receiver");
    LAST_RR = number("rtcp.xr.lrr", "last RR timestamp", "Middle 32 bits of the NTP timestamp of the last receiver reference time");
    DELAY_RR = number("rtcp.xr.dlrr", "delay since last RR timestamp", "In units of 1/65536 second");
    LOSS_FLAG = bool("rtcp.xr.stats.lrflag", "loss report flag", "").mask(0x80);
    DUPLICATES_FLAG = bool("rtcp.xr.stats.dupflag", "duplicates report flag", "").mask(0x40);
    JITTER_FLAG = bool("rtcp.xr.stats.jitterflag", "jitter report flag", "").mask(0x20);
    HOPS_FLAG = number("rtcp.xr.stats.ttl", "TTL or hop limit flag", "").mask(0x18).names(&[(0, "none"), (1, "IPv4"), (2, "IPv6")]);
    BEGIN = number("rtcp.xr.beginseq", "begin sequence number", "");
    END = number("rtcp.xr.endseq", "end sequence number", "");
    LOST_PACKETS = number("rtcp.xr.stats.lost", "lost packets", "");
    DUPLICATES = number("rtcp.xr.stats.dups", "duplicate packets", "");
    LEAST_JITTER = number("rtcp.xr.stats.minjitter", "minimum jitter", "");
    MOST_JITTER = number("rtcp.xr.stats.maxjitter", "maximum jitter", "");
    MEAN_JITTER = number("rtcp.xr.stats.meanjitter", "mean jitter", "");
    JITTER_DEVIATION = number("rtcp.xr.stats.devjitter", "standard deviation of jitter", "");
    LEAST_HOPS = number("rtcp.xr.stats.minttl", "minimum TTL or hop limit", "");
    MOST_HOPS = number("rtcp.xr.stats.maxttl", "maximum TTL or hop limit", "");
    MEAN_HOPS = number("rtcp.xr.stats.meanttl", "mean TTL or hop limit", "");
    HOPS_DEVIATION = number("rtcp.xr.stats.devttl", "standard deviation of TTL", "");
    XR_CONTENT = bytes("rtcp.xr.content", "block contents", "");
    REST = bytes("rtcp.data", "data", "Undissected bytes");
    PADDING = bytes("rtcp.padding.data", "padding data", "").once_per(&PACKET);
    PADDING_COUNT = number("rtcp.padding.count", "padding count", "Bytes of padding, this one included").once_per(&PACKET);
}

/// Flags of a statistics summary.
const STATISTICS_FLAGS: &[&Field] = &[&LOSS_FLAG, &DUPLICATES_FLAG, &JITTER_FLAG, &HOPS_FLAG];
/// Its numbers after the SSRC, with their sizes in bytes.
const STATISTICS: &[(&Field, usize)] = &[
    (&BEGIN, 2),
    (&END, 2),
    (&LOST_PACKETS, 4),
    (&DUPLICATES, 4),
    (&LEAST_JITTER, 4),
    (&MOST_JITTER, 4),
    (&MEAN_JITTER, 4),
    (&JITTER_DEVIATION, 4),
    (&LEAST_HOPS, 1),
    (&MOST_HOPS, 1),
    (&MEAN_HOPS, 1),
    (&HOPS_DEVIATION, 1),
];

const TYPES: Names = &[
    (192, "FIR"),
    (193, "NACK"),
    (194, "SMPTETC"),
    (195, "IJ"),
    (SENDER_REPORT as u64, "sender report"),
    (RECEIVER_REPORT as u64, "receiver report"),
    (SDES as u64, "source description"),
    (BYE as u64, "goodbye"),
    (APP as u64, "application defined"),
    (TRANSPORT_FEEDBACK as u64, "transport feedback"),
    (PAYLOAD_FEEDBACK as u64, "payload-specific feedback"),
    (EXTENDED as u64, "extended report"),
    (208, "AVB"),
    (209, "receiver summary"),
    (210, "port mapping"),
    (211, "IDMS settings"),
];

const SENDER_REPORT: u8 = 200;
const RECEIVER_REPORT: u8 = 201;
const SDES: u8 = 202;
const BYE: u8 = 203;
const APP: u8 = 204;
const TRANSPORT_FEEDBACK: u8 = 205;
const PAYLOAD_FEEDBACK: u8 = 206;
const EXTENDED: u8 = 207;

/// Packet types that share a port with RTP without being taken for it (RFC 5761).
pub(super) const SHARED_TYPES: RangeInclusive<u8> = 192..=223;

/// Size of a packet header in bytes.
const HEADER: usize = 4;

/// Header of a packet.
#[derive(Debug, Clone, Copy)]
struct Header {
    kind: u8,
    count: u8,
    is_padded: bool,
    /// Size of the packet in bytes.
    size: usize,
}

impl Header {
    /// Parses a header; `None` if it is not plausible.
    fn of(bytes: &[u8]) -> Option<Header> {
        let &[first, kind, high, low] = bytes.first_chunk()?;
        let size = HEADER * (usize::from(u16::from_be_bytes([high, low])) + 1);
        let header = Header { kind, count: first & 0x1f, is_padded: first & 0x20 != 0, size };
        (first >> 6 == 2 && size >= header.least()).then_some(header)
    }

    /// The smallest size that a packet of this type may have.
    fn least(self) -> usize {
        const BLOCK: usize = 24;
        let count = usize::from(self.count);
        match self.kind {
            SENDER_REPORT => 28 + count * BLOCK,
            RECEIVER_REPORT => 8 + count * BLOCK,
            SDES => HEADER + count * 8,
            BYE => HEADER + count * 4,
            APP | TRANSPORT_FEEDBACK | PAYLOAD_FEEDBACK => 12,
            _ => HEADER,
        }
    }

    /// Whether a datagram may begin with it.
    fn may_begin(self) -> bool {
        (SENDER_REPORT..=EXTENDED).contains(&self.kind)
    }
}

/// Recognizes packets whose lengths add up to the datagram's.
pub(super) fn recognize(bytes: &[u8]) -> bool {
    if !Header::of(bytes).is_some_and(Header::may_begin) {
        return false;
    }
    let mut ahead = bytes;
    while let Some(behind) = Header::of(ahead).and_then(|header| ahead.get(header.size..)) {
        if behind.is_empty() {
            return true;
        }
        ahead = behind;
    }
    false
}

/// Dissects the packets of a datagram.
fn compound(wire: &mut Wire<'_>) -> Result {
    let (mut names, mut info) = (String::new(), String::new());
    let mut result = Ok(());
    while result.is_ok() && wire.remaining() > 0 {
        result = wire.group(&PACKET, |wire| packet(wire, &mut names, &mut info));
    }
    wire.name(&names);
    wire.info(format_args!("{info}"));
    result
}

/// Appends words to a list unless it has them.
fn list(to: &mut String, words: &str) {
    if !to.split(", ").any(|listed| listed == words) {
        to.push_str(if to.is_empty() { "" } else { ", " });
        to.push_str(words);
    }
}

/// Dissects the header of a packet. The type decides what its count stands for.
fn header(wire: &mut Wire<'_>) -> Result<Header> {
    let raw = wire.ahead().first_chunk().copied().unwrap_or_default();
    let [first, kind, high, low]: [u8; HEADER] = raw;
    let count: &'static Field = match kind {
        SDES | BYE => &SOURCE_COUNT,
        APP => &SUBTYPE,
        TRANSPORT_FEEDBACK => &TRANSPORT_FORMAT,
        PAYLOAD_FEEDBACK => &PAYLOAD_FORMAT,
        EXTENDED => &RESERVED,
        _ => &REPORT_COUNT,
    };
    wire.bits(1, &[&VERSION, &PADDING_BIT, count])?;
    wire.u8(&PACKET_TYPE)?;
    wire.u16_be(&LENGTH)?;
    let size = HEADER * (usize::from(u16::from_be_bytes([high, low])) + 1);
    Ok(Header { kind, count: first & 0x1f, is_padded: first & 0x20 != 0, size })
}

fn packet(wire: &mut Wire<'_>, names: &mut String, info: &mut String) -> Result {
    let header = header(wire)?;
    let name = match header.kind {
        TRANSPORT_FEEDBACK => name_of(feedback::TRANSPORT, header.count.into()),
        PAYLOAD_FEEDBACK if wire.ahead().get(8..12) == Some(b"REMB") => Some("REMB"),
        PAYLOAD_FEEDBACK => name_of(feedback::PAYLOAD, header.count.into()),
        _ => None,
    };
    list(names, name.or_else(|| name_of(TYPES, header.kind.into())).unwrap_or("unknown"));
    let length = header.size - HEADER;
    let padding = match wire.ahead().get(..length).and_then(<[u8]>::last) {
        Some(last) if header.is_padded => usize::from(*last).min(length),
        _ => 0,
    };
    wire.within(length - padding, &REST, |wire| content(wire, header, info))?;
    if padding > 1 {
        wire.bytes(&PADDING, padding - 1)?;
    }
    if padding > 0 { wire.u8(&PADDING_COUNT).map(drop) } else { Ok(()) }
}

fn content(wire: &mut Wire<'_>, header: Header, info: &mut String) -> Result {
    match header.kind {
        SENDER_REPORT | RECEIVER_REPORT => reports::report(wire, header, info),
        SDES => reports::descriptions(wire, header.count, info),
        BYE => reports::goodbye(wire, header.count, info),
        APP => reports::application(wire, info),
        TRANSPORT_FEEDBACK => feedback::transport(wire, header.count, info),
        PAYLOAD_FEEDBACK => feedback::payload(wire, header.count, info),
        EXTENDED => extended::report(wire, info),
        _ => wire.rest_is(&REST),
    }
}

/// Reads the SSRC of the sender, and lists it.
fn sender(wire: &mut Wire<'_>, info: &mut String) -> Result<u32> {
    let ssrc = wire.u32_be(&SENDER)?;
    list(info, &format!("SSRC {ssrc:#010x}"));
    Ok(ssrc)
}
