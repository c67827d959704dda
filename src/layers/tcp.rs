//! TCP (RFC 9293).
//!
//! ```text
//! source port:2 | destination port:2 | sequence:4 | acknowledgment:4
//! header length:4 reserved:3 flags:9 | window:2 | checksum:2 | urgent:2 | options | payload
//! option  kind:1 | length:1, itself and the kind counted | data
//! ```

mod generated;
mod joined;

use super::checksum::{self, STATUS};
use super::{ip, layer, seconds};
use crate::tree::{Demand, Field, Names, Span, Transport, Tree, Value, fields, name_of};
use crate::wire::{Error, Protocol, Result, Wire};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

/// TCP.
pub static PROTOCOL: Protocol = Protocol { settings: &[checksum::TCP], ..layer(&TCP, FIELDS) };

fields! {
    TCP = protocol("tcp", "TCP", "Transmission Control Protocol");
    SRCPORT = number("tcp.srcport", "Source port", "").also("tcp.port");
    DSTPORT = number("tcp.dstport", "Destination port", "").also("tcp.port");
    STREAM = number("tcp.stream", "Stream index", "");
    LEN = number("tcp.len", "Segment length", "Bytes of payload");
    SEQ = number("tcp.seq", "Sequence number", "Relative sequence number");
    SEQ_RAW = number("tcp.seq_raw", "Sequence number (raw)", "Absolute");
    NXTSEQ = number("tcp.nxtseq", "Next sequence number", "Sequence number after this segment");
    ACK = number("tcp.ack", "Acknowledgment number", "Relative acknowledgment number");
    ACK_RAW = number("tcp.ack_raw", "Acknowledgment number (raw)", "Absolute");
    HDR_LEN = number("tcp.hdr_len", "Header length", "Bytes of the header; on the wire in units of four").mask(0xf0);
    FLAGS = number("tcp.flags", "Flags", "").hex(4).mask(0x0fff);
    FLAG_RES = number("tcp.flags.res", "Reserved", "").mask(0x0e00);
    FLAG_AE = bool("tcp.flags.ae", "AE", "Accurate ECN").mask(0x0100);
    FLAG_CWR = bool("tcp.flags.cwr", "CWR", "Congestion window reduced").mask(0x0080);
    FLAG_ECE = bool("tcp.flags.ece", "ECE", "ECN-Echo").mask(0x0040);
    FLAG_URG = bool("tcp.flags.urg", "URG", "Urgent: the urgent pointer is valid").mask(0x0020);
    FLAG_ACK = bool("tcp.flags.ack", "ACK", "The acknowledgment number is valid").mask(0x0010);
    FLAG_PUSH = bool("tcp.flags.push", "PSH", "Push function").mask(0x0008);
    FLAG_RESET = bool("tcp.flags.reset", "RST", "Reset the connection").mask(0x0004);
    FLAG_SYN = bool("tcp.flags.syn", "SYN", "Synchronize sequence numbers").mask(0x0002);
    FLAG_FIN = bool("tcp.flags.fin", "FIN", "No more data from the sender").mask(0x0001);
    WINDOW = number("tcp.window_size_value", "Window", "Receive window, not scaled");
    WINDOW_SIZE = number("tcp.window_size", "Calculated window size", "Receive window, scaled");
    WINDOW_SCALE = number("tcp.window_size_scalefactor", "Window scale factor", "Multiplier of the window; -1 if the handshake is missing, -2 if no scaling is used");
    CHECKSUM = number("tcp.checksum", "Checksum", "Checksum of segment and pseudo-header").hex(4);
    CHECKSUM_STATUS = number("tcp.checksum.status", "Checksum status", "Result of the verification, if enabled").names(STATUS).generated(&[&CHECKSUM], checksum::unverified);
    BAD_CHECKSUM = odd("tcp.checksum.bad", "bad checksum", "The checksum does not match the data");
    URGENT = number("tcp.urgent_pointer", "Urgent pointer", "Offset of the end of urgent data");
    OPTIONS = group("tcp.options", "Options", "");
    OPTION = group("tcp.option", "Option", "");
    KIND = number("tcp.option_kind", "Kind", "").names(KINDS);
    OPTION_LEN = number("tcp.option_len", "Length", "Bytes of the option, kind and length included");
    MSS = number("tcp.options.mss_val", "Maximum segment size", "Largest segment that the sender can receive");
    WSCALE = number("tcp.options.wscale.shift", "Window scale", "Shift count");
    SACK_LE = number("tcp.options.sack_le", "Left edge", "First sequence number of a SACK block");
    SACK_RE = number("tcp.options.sack_re", "Right edge", "Sequence number after a SACK block");
    TSVAL = number("tcp.options.timestamp.tsval", "Timestamp value", "Clock of the sender");
    TSECR = number("tcp.options.timestamp.tsecr", "Timestamp echo reply", "Timestamp value of the peer");
    OPTION_DATA = bytes("tcp.options.data", "Data", "");
    PAYLOAD = bytes("tcp.payload", "Payload", "");
    ANALYSIS = group("tcp.analysis", "Analysis", "Sequence analysis relative to earlier segments, as in Wireshark");
    RETRANSMISSION = bool("tcp.analysis.retransmission", "retransmission", "Bytes sent before");
    FAST_RETRANSMISSION = bool("tcp.analysis.fast_retransmission", "fast retransmission", "Retransmitted after duplicate ACKs");
    SPURIOUS_RETRANSMISSION = bool("tcp.analysis.spurious_retransmission", "spurious retransmission", "Retransmitted although acknowledged");
    OUT_OF_ORDER = bool("tcp.analysis.out_of_order", "out of order", "Captured after segments with higher sequence numbers");
    LOST_SEGMENT = bool("tcp.analysis.lost_segment", "previous segment not captured", "The bytes before this segment are not captured so far");
    ACK_LOST_SEGMENT = bool("tcp.analysis.ack_lost_segment", "acknowledges an unseen segment", "The acknowledged bytes are not in the capture");
    DUPLICATE_ACK = bool("tcp.analysis.duplicate_ack", "duplicate ack", "Same acknowledgment number as the previous ACK");
    DUPLICATE_ACK_NUM = number("tcp.analysis.duplicate_ack_num", "Duplicate number", "Count of duplicates of this ACK");
    DUPLICATE_ACK_FRAME = number("tcp.analysis.duplicate_ack_frame", "Duplicate of frame", "Frame of the original ACK");
    ZERO_WINDOW = bool("tcp.analysis.zero_window", "zero window", "The sender advertises a window of zero");
    ZERO_WINDOW_PROBE = bool("tcp.analysis.zero_window_probe", "zero window probe", "One byte beyond a window of zero");
    ZERO_WINDOW_PROBE_ACK = bool("tcp.analysis.zero_window_probe_ack", "zero window probe ack", "ACK of a zero window probe");
    WINDOW_FULL = bool("tcp.analysis.window_full", "window full", "The segment fills the receive window of the peer");
    WINDOW_UPDATE = bool("tcp.analysis.window_update", "window update", "The ACK changes only the window");
    KEEP_ALIVE = bool("tcp.analysis.keep_alive", "keep-alive", "Probe of an idle connection");
    KEEP_ALIVE_ACK = bool("tcp.analysis.keep_alive_ack", "keep-alive ack", "ACK of a keep-alive");
    REUSED_PORTS = bool("tcp.analysis.reused_ports", "port numbers reused", "A new connection between the same endpoints");
    ACKS_FRAME = number("tcp.analysis.acks_frame", "Acknowledges frame", "Segment that this ACK acknowledges");
    ACK_RTT = float("tcp.analysis.ack_rtt", "RTT to acknowledge the segment", "Seconds").seconds();
    RTO_FRAME = number("tcp.analysis.rto_frame", "RTO based on frame", "Frame from which the retransmission timeout counts");
    RTO = float("tcp.analysis.rto", "RTO of this segment", "Retransmission timeout in seconds").seconds();
    ANALYSIS_FLAGS = bool("tcp.analysis.flags", "analysis flags", "The analysis marks the segment")
        .generated(&[&ANALYSIS], generated::has_marks)
        .needs(generated::MARKS);
    BYTES_IN_FLIGHT = number("tcp.analysis.bytes_in_flight", "bytes in flight", "Sent and unacknowledged bytes, this segment included");
    PUSH_BYTES_SENT = number("tcp.analysis.push_bytes_sent", "bytes since PSH", "Bytes sent since the last segment with PSH");
    INITIAL_RTT = float("tcp.analysis.initial_rtt", "initial round-trip time", "Seconds from the SYN to the end of the handshake").seconds();
    TIME_RELATIVE = float("tcp.time_relative", "time since first frame", "Seconds since the first frame of the connection").seconds();
    TIME_DELTA = float("tcp.time_delta", "time since previous frame", "Seconds since the previous frame of the connection").seconds();
    COMPLETENESS = number("tcp.completeness", "completeness", "Bitmap of connection phases seen before this frame: 1 SYN, 2 SYN-ACK, 4 ACK, 8 data, 16 FIN, 32 RST");
    FLAGS_STR = text("tcp.flags.str", "TCP flags", "The flags as letters").generated(&[&FLAGS], generated::flags_as_letters);
    CONNECTION_SYN = bool("tcp.connection.syn", "connection establish request", "A SYN without ACK").generated(&[&FLAGS], generated::syn);
    CONNECTION_SYNACK = bool("tcp.connection.synack", "connection establish acknowledge", "A SYN with ACK").generated(&[&FLAGS], generated::synack);
    CONNECTION_FIN = bool("tcp.connection.fin", "connection finish", "A FIN").generated(&[&FLAGS], generated::fin);
    CONNECTION_RST = bool("tcp.connection.rst", "connection reset", "An RST").generated(&[&FLAGS], generated::rst);
    FIN_ACTIVE = bool("tcp.connection.fin_active", "active close", "First FIN of the connection");
    FIN_PASSIVE = bool("tcp.connection.fin_passive", "passive close", "FIN after that of the peer");
    OPTIONS_EOL = bytes("tcp.options.eol", "end of options", "").generated(&[&OPTION], generated::option::<0>).needs(&[&KIND]);
    OPTIONS_NOP = bytes("tcp.options.nop", "no operation", "").generated(&[&OPTION], generated::option::<1>).needs(&[&KIND]);
    OPTIONS_MSS = bytes("tcp.options.mss", "maximum segment size option", "").generated(&[&OPTION], generated::option::<2>).needs(&[&KIND]);
    OPTIONS_WSCALE = bytes("tcp.options.wscale", "window scale option", "").generated(&[&OPTION], generated::option::<3>).needs(&[&KIND]);
    OPTIONS_SACK_PERM = bytes("tcp.options.sack_perm", "SACK permitted option", "").generated(&[&OPTION], generated::option::<4>).needs(&[&KIND]);
    OPTIONS_SACK = bytes("tcp.options.sack", "SACK option", "").generated(&[&OPTION], generated::option::<5>).needs(&[&KIND]);
    OPTIONS_TIMESTAMP = bytes("tcp.options.timestamp", "timestamps option", "").generated(&[&OPTION], generated::option::<8>).needs(&[&KIND]);
    WSCALE_MULTIPLIER = number("tcp.options.wscale.multiplier", "window scale multiplier", "Multiplier of windows").generated(&[&WSCALE], generated::multiplier);
    SEGMENTS = bool("tcp.segments", "reassembled segments", "The segment completes a message of several segments").generated(&[&PAYLOAD], joined::is_joined);
    SEGMENT = number("tcp.segment", "segment", "Frames of the segments of the completed message").generated(&[&PAYLOAD], joined::segments);
    SEGMENT_COUNT = number("tcp.segment.count", "segment count", "Number of segments of the completed message").generated(&[&PAYLOAD], joined::count);
    SEGMENT_DATA = bytes("tcp.segment_data", "segment data", "Part of the message in this segment")
        .generated(&[&PAYLOAD], joined::parts)
        .needs(joined::REPEATS);
    REASSEMBLED_LENGTH = number("tcp.reassembled.length", "reassembled length", "Bytes of the reassembled message").generated(&[&PAYLOAD], joined::length);
    REASSEMBLED_DATA = bytes("tcp.reassembled.data", "reassembled data", "Reassembled message").generated(&[&PAYLOAD], joined::data);
    REASSEMBLED_IN = number("tcp.reassembled_in", "reassembled in", "Needs a second pass over the capture; never present").generated(&[&PAYLOAD], joined::later);
    PDU_SIZE = number("tcp.pdu.size", "PDU size", "Bytes, as declared in the header of the PDU").generated(&[&PAYLOAD], joined::sizes);
    PDU_LAST_FRAME = number("tcp.pdu.last_frame", "last frame of the PDU", "Needs a second pass over the capture; never present").generated(&[&PAYLOAD], joined::later);
    PDU_TIME = float("tcp.pdu.time", "time until the last segment of the PDU", "Needs a second pass over the capture; never present").generated(&[&PAYLOAD], joined::later);
    BAD_HDR_LEN = broken("tcp.hdr_len.bad", "bad header length", "The header length is invalid");
    BAD_OPTION = odd("tcp.option_len.bad", "bad option length", "The length of an option is invalid");
}

const KINDS: Names = &[
    (0, "end of options"),
    (1, "no operation"),
    (2, "maximum segment size"),
    (3, "window scale"),
    (4, "SACK permitted"),
    (5, "SACK"),
    (8, "timestamps"),
    (19, "MD5 signature"),
    (28, "user timeout"),
    (29, "authentication"),
    (30, "multipath TCP"),
    (34, "fast open cookie"),
];

const MIN_HEADER: usize = 20;
const CHECKSUM_AT: usize = 16;
const FLAG_BITS: &[&Field] =
    &[&FLAG_RES, &FLAG_AE, &FLAG_CWR, &FLAG_ECE, &FLAG_URG, &FLAG_ACK, &FLAG_PUSH, &FLAG_RESET, &FLAG_SYN, &FLAG_FIN];

/// Fields that depend only on the segment, not on the connection.
pub(super) const OWN: [&Field; 18] = [
    &SRCPORT,
    &DSTPORT,
    &LEN,
    &SEQ_RAW,
    &ACK_RAW,
    &HDR_LEN,
    &FLAGS,
    &FLAG_CWR,
    &FLAG_ECE,
    &FLAG_URG,
    &FLAG_ACK,
    &FLAG_PUSH,
    &FLAG_RESET,
    &FLAG_SYN,
    &FLAG_FIN,
    &WINDOW,
    &CHECKSUM,
    &PAYLOAD,
];

/// Whether a field may depend on earlier segments.
pub(super) fn takes_analysis(field: &Field) -> bool {
    let is_one = |known: &&Field| known.is(field);
    field.generated.is_none() && FIELDS.iter().any(is_one) && !OWN.iter().chain(&[&STREAM]).any(is_one)
}

/// State of the connection at a segment.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpState<'a> {
    /// Stream index.
    pub stream: Option<u32>,
    /// Initial sequence number of this direction.
    pub seq_base: u32,
    /// Initial sequence number of the other direction.
    pub ack_base: u32,
    /// Window scale factor: -1 if the handshake is missing, -2 if no scaling is used.
    pub factor: Option<i64>,
    /// Endpoints of the pseudo-header, if the checksum is verified.
    pub verify: Option<[IpAddr; 2]>,
    /// The segment is a first fragment: its end is unknown.
    pub is_part: bool,
    /// Endpoints of a segment quoted in an ICMP error; its length is unknown.
    pub quoted: Option<[IpAddr; 2]>,
    /// Results of the sequence analysis.
    pub remarks: Remarks<'a>,
    /// Progress of the connection, if requested.
    pub progress: Option<Progress>,
}

/// Progress of a connection at a segment. Times are nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Since the first frame, and since the previous frame.
    pub times: Option<[i64; 2]>,
    /// Bitmap of connection phases before this segment.
    pub completeness: u8,
    /// Bytes sent and not acknowledged.
    pub in_flight: Option<u32>,
    /// Bytes sent since the last segment with PSH.
    pub pushed: Option<u32>,
    /// From the SYN to the end of the handshake.
    pub round_trip: Option<i64>,
    /// For a FIN: whether it is the first of the connection.
    pub ends_first: Option<bool>,
}

/// The fields of [`Progress`], in the order of its members.
const PROGRESS: [&Field; 8] =
    [&TIME_RELATIVE, &TIME_DELTA, &COMPLETENESS, &BYTES_IN_FLIGHT, &PUSH_BYTES_SENT, &INITIAL_RTT, &FIN_ACTIVE, &FIN_PASSIVE];

/// Whether a field of [`Progress`] is requested.
#[must_use]
pub fn asks_for_progress(demand: Demand) -> bool {
    PROGRESS.iter().any(|field| demand.asks(field))
}

impl Progress {
    fn put(&self, wire: &mut Wire<'_>) {
        let times = self.times.map(|times| times.map(seconds));
        let number = |number: Option<u32>| number.map(|number| Value::Unsigned(number.into()));
        let values = [
            times.map(|[relative, _]| relative),
            times.map(|[_, delta]| delta),
            Some(Value::Unsigned(self.completeness.into())),
            number(self.in_flight),
            number(self.pushed),
            self.round_trip.map(seconds),
            self.ends_first.filter(|first| *first).map(Value::Bool),
            self.ends_first.filter(|first| !first).map(|_| Value::Bool(true)),
        ];
        for (field, value) in PROGRESS.into_iter().zip(values) {
            if let Some(value) = value.filter(|_| wire.asks(field)) {
                wire.add(field, value);
            }
        }
    }
}

/// What the segments before one say of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Remarks<'a> {
    /// The marks it gets: fields of this module that are true or are not there.
    pub marks: &'a [&'static Field],
    /// Which duplicate of which frame's acknowledgement it is.
    pub duplicate: Option<(u32, u64)>,
    /// The frame it acknowledges, and the nanoseconds since.
    pub acks: Option<(u64, i64)>,
    /// Of a retransmission: the oldest frame that is not acknowledged, and the nanoseconds since.
    pub repeats: Option<(u64, i64)>,
}

/// What of a segment the engine needs: its numbers, its flags, and how long its payload was on the wire.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    /// Source port.
    pub src: u16,
    /// Destination port.
    pub dst: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number.
    pub ack: u32,
    /// Opens the connection.
    pub syn: bool,
    /// Ends it.
    pub fin: bool,
    /// Resets the connection.
    pub rst: bool,
    /// Acknowledges.
    pub acks: bool,
    /// To be handed over at once.
    pub push: bool,
    /// The window, not scaled.
    pub window: u16,
    /// The shift of its window scale option.
    pub scale: Option<u8>,
    /// Bytes of the header.
    pub header: usize,
    /// Whether the header is sound and all there.
    pub whole: bool,
    /// Whether it is, with no options but what most segments have.
    pub plain: bool,
    /// Whether nothing can be remarked on its options, and all are known.
    pub known: bool,
}

impl Numbers {
    /// Whether it opens a new connection where one with this first number was: a SYN with another number, as Wireshark has it.
    #[must_use]
    pub fn opens_anew(&self, base: Option<u32>) -> bool {
        self.syn && !self.acks && base.is_some_and(|base| base != self.seq)
    }
}

/// The numbers of a segment, if the part of its header that every segment has is there.
#[must_use]
pub fn numbers(bytes: &[u8]) -> Option<Numbers> {
    let fixed = bytes.first_chunk::<MIN_HEADER>()?;
    let [p0, p1, q0, q1, s0, s1, s2, s3, a0, a1, a2, a3, _, flags, w0, w1, _, _, _, _] = *fixed;
    let flag = |field: &Field| field.bits_of(flags.into()) != 0;
    let header = header_len(fixed);
    let plain = is_plain(header, bytes);
    let (scale, known) = if plain { (None, true) } else { look_over(bytes.get(MIN_HEADER..header).unwrap_or_default()) };
    Some(Numbers {
        src: u16::from_be_bytes([p0, p1]),
        dst: u16::from_be_bytes([q0, q1]),
        seq: u32::from_be_bytes([s0, s1, s2, s3]),
        ack: u32::from_be_bytes([a0, a1, a2, a3]),
        syn: flag(&FLAG_SYN),
        fin: flag(&FLAG_FIN),
        rst: flag(&FLAG_RESET),
        acks: flag(&FLAG_ACK),
        push: flag(&FLAG_PUSH),
        window: u16::from_be_bytes([w0, w1]),
        scale,
        header,
        whole: plain || etherparse::TcpSlice::from_slice(bytes).is_ok(),
        plain,
        known,
    })
}

/// Bytes of a header: its length counts words of four.
fn header_len(fixed: &[u8; MIN_HEADER]) -> usize {
    let [.., length, _, _, _, _, _, _, _] = *fixed;
    4 * usize::from(length >> 4)
}

/// Whether a segment has no options, or two fillers and time stamps, as most have.
fn is_plain(header: usize, segment: &[u8]) -> bool {
    const TIMES: [u8; 4] = [1, 1, 8, 10];
    const WITH_TIMES: usize = MIN_HEADER + 12;
    match header {
        MIN_HEADER => true,
        WITH_TIMES => segment.len() >= WITH_TIMES && segment.get(MIN_HEADER..).is_some_and(|options| options.starts_with(&TIMES)),
        _ => false,
    }
}

/// The shift of the last window scale option, and whether all options end where they should and are known.
fn look_over(options: &[u8]) -> (Option<u8>, bool) {
    const OPTION: usize = 3;
    let (mut left, mut scale, mut known) = (options, None, true);
    loop {
        left = match left {
            [] | [0, ..] => return (scale, known),
            [1, left @ ..] => left,
            [kind, length, behind @ ..] if *length >= 2 => {
                let Some((data, left)) = behind.split_at_checked(usize::from(*length) - 2) else { return (scale, false) };
                if let (3, [shift], OPTION) = (*kind, data, usize::from(*length)) {
                    scale = Some(*shift);
                }
                known &= name_of(KINDS, u64::from(*kind)).is_some();
                left
            }
            _ => return (scale, false),
        };
    }
}

/// A segment's header, and its payload as one field.
///
/// # Errors
/// When the header is not whole or not sound.
pub fn segment(wire: &mut Wire<'_>, tcp_state: TcpState<'_>, missing: usize) -> Result {
    let (start, captured) = (wire.at(), wire.remaining());
    let checked = tcp_state.verify.map(|ends| checksum::transport(ends, ip::TCP, wire.ahead(), CHECKSUM_AT, missing));
    let src = wire.u16_be(&SRCPORT)?;
    let dst = wire.u16_be(&DSTPORT)?;
    if let Some(stream) = tcp_state.stream {
        wire.add(&STREAM, Value::Unsigned(stream.into()));
    }
    if let Some([from, to]) = tcp_state.quoted {
        quote(wire, [SocketAddr::new(from, src), SocketAddr::new(to, dst)]);
    }
    let header_len = wire.ahead().get(8).map_or(0, |byte| 4 * usize::from(byte >> 4));
    let len = (captured + missing).checked_sub(header_len).filter(|_| header_len >= MIN_HEADER);
    let ends_here = !tcp_state.is_part && tcp_state.quoted.is_none();
    if let Some(len) = len.filter(|_| ends_here) {
        wire.add(&LEN, Value::Unsigned(len as u64));
    }
    let len = len.unwrap_or_default();
    let seq = sequence(wire, &SEQ, &SEQ_RAW, tcp_state.seq_base)?;
    let acks = wire.ahead().get(5).is_some_and(|flags| flags & 0x10 != 0);
    let taken = wire.ahead().get(5).map_or(0, |flags| u32::from(flags & 1) + u32::from(flags >> 1 & 1));
    let next = seq.wrapping_add(u32::try_from(len).unwrap_or(u32::MAX)).wrapping_add(taken);
    if ends_here {
        wire.add(&NXTSEQ, Value::Unsigned(next.into()));
    }
    let ack = sequence(wire, &ACK, &ACK_RAW, if acks { tcp_state.ack_base } else { 0 })?;
    let at = wire.at();
    if wire.remaining() == 0 {
        return Err(Error::Short { needed: 1 });
    }
    wire.put(&HDR_LEN, Value::Unsigned(header_len as u64), at..at + 1);
    if header_len < MIN_HEADER {
        wire.note(&BAD_HDR_LEN, format_args!("a header of {header_len} bytes; {MIN_HEADER} is the least"));
        return Err(Error::Malformed);
    }
    let flags = wire.flags(&FLAGS, 2, FLAG_BITS)?;
    let window = u64::from(wire.u16_be(&WINDOW)?);
    let factor = tcp_state.factor.map(|factor| (factor, FLAG_SYN.bits_of(flags) != 0));
    let window = factor.map_or(window, |(factor, opens)| window_size(wire, window, factor, opens));
    wire.u16_be(&CHECKSUM)?;
    if let Some(checked) = checked {
        checked.put(wire, &CHECKSUM_STATUS, &BAD_CHECKSUM);
    }
    wire.u16_be(&URGENT)?;
    let remarks = tcp_state.remarks;
    let numbers = [src.into(), dst.into(), flags, seq.into(), ack.into(), window, len as u64];
    match remarks.marks {
        [] => wire.lazy_summary(&numbers, summary),
        _ => wire.info(format_args!("{remarks}{}", Line(&numbers))),
    }
    options(wire, start + header_len)?;
    remarks.put(wire)?;
    if let Some(progress) = tcp_state.progress {
        progress.put(wire);
    }
    wire.rest(&PAYLOAD);
    Ok(())
}

/// Number the connection of a quoted segment, given what follows its ports. Like Wireshark, it takes all up to the window.
fn quote(wire: &mut Wire<'_>, ends: [SocketAddr; 2]) {
    const SYN: u8 = 0x02;
    const ACK: u8 = 0x10;
    let Some([s0, s1, s2, s3, _, _, _, _, _, flags, _, _]) = wire.ahead().first_chunk() else { return };
    let opens = (flags & (SYN | ACK) == SYN).then_some(u32::from_be_bytes([*s0, *s1, *s2, *s3]));
    wire.quote(&STREAM, Transport::Tcp, ends, opens);
}

/// Pass over the header of a segment if there is nothing to remark on it: no marks, and no options but what most segments have.
#[must_use]
pub fn pass(wire: &mut Wire<'_>, tcp_state: TcpState<'_>, missing: usize) -> Option<()> {
    let all = wire.ahead();
    let fixed = all.first_chunk::<MIN_HEADER>()?;
    let [s0, s1, d0, d1, q0, q1, q2, q3, a0, a1, a2, a3, f0, f1, w0, w1, ..] = *fixed;
    let header_len = header_len(fixed);
    let is_remarked = !tcp_state.remarks.marks.is_empty() || tcp_state.progress.is_some();
    let has_remarks = is_remarked || tcp_state.verify.is_some() || tcp_state.is_part;
    if !wire.passes_headers() || has_remarks || !is_plain(header_len, all) {
        return None;
    }
    let flags = u16::from_be_bytes([f0, f1]);
    let has = |flag: &Field| flag.bits_of(flags.into()) != 0;
    let seq = u32::from_be_bytes([q0, q1, q2, q3]).wrapping_sub(tcp_state.seq_base);
    let ack = u32::from_be_bytes([a0, a1, a2, a3]).wrapping_sub(if has(&FLAG_ACK) { tcp_state.ack_base } else { 0 });
    let window = u64::from(u16::from_be_bytes([w0, w1]));
    let factor = tcp_state.factor.map(|factor| (factor, has(&FLAG_SYN)));
    let window = factor.map_or(window, |(factor, opens)| window_size(wire, window, factor, opens));
    let (src, dst) = (u16::from_be_bytes([s0, s1]), u16::from_be_bytes([d0, d1]));
    let len = (all.len() + missing - header_len) as u64;
    let numbers = [src.into(), dst.into(), FLAGS.bits_of(flags.into()), seq.into(), ack.into(), window, len];
    wire.lazy_summary(&numbers, summary);
    let at = wire.at();
    wire.put(&SRCPORT, Value::Unsigned(src.into()), at..at + 2);
    wire.put(&DSTPORT, Value::Unsigned(dst.into()), at + 2..at + 4);
    if let Some(stream) = tcp_state.stream {
        wire.add(&STREAM, Value::Unsigned(stream.into()));
    }
    wire.add(&LEN, Value::Unsigned(len));
    wire.skip(header_len).ok()?;
    wire.rest(&PAYLOAD);
    Some(())
}

/// The fields that [`pass`] emits for a segment without a known connection.
pub(super) struct Given {
    ports: [u16; 2],
    /// Bytes of the header, and of what follows it.
    header: usize,
    len: usize,
}

impl Given {
    /// What it would put, if its header is there as a whole and has no options but what most have.
    pub(super) fn of(segment: &[u8]) -> Option<Given> {
        let fixed = segment.first_chunk::<MIN_HEADER>()?;
        let [s0, s1, d0, d1, ..] = *fixed;
        let header = header_len(fixed);
        let len = segment.len().checked_sub(header).filter(|_| is_plain(header, segment))?;
        Some(Given { ports: [[s0, s1], [d0, d1]].map(u16::from_be_bytes), header, len })
    }

    /// Put its fields; the segment lies here in the frame.
    pub(super) fn put_fields(&self, tree: &mut Tree, segment: Range<usize>) {
        let &Given { ports: [src, dst], header, len } = self;
        let at = |from: usize, to: usize| Span::new(0, segment.start + from..segment.start + to);
        tree.push(&SRCPORT, Value::Unsigned(src.into()), at(0, 2));
        tree.push(&DSTPORT, Value::Unsigned(dst.into()), at(2, 4));
        tree.push(&LEN, Value::Unsigned(len as u64), Span::NONE);
        if len > 0 {
            tree.push(&PAYLOAD, Value::Bytes, at(header, header + len));
        }
    }
}

/// The window as it is meant. That of a segment that opens the connection is never scaled.
fn window_size(wire: &mut Wire<'_>, window: u64, factor: i64, opens: bool) -> u64 {
    let size = if opens { window } else { window.saturating_mul(u64::try_from(factor).unwrap_or(1)) };
    wire.add(&WINDOW_SIZE, Value::Unsigned(size));
    if !opens {
        wire.add(&WINDOW_SCALE, Value::Signed(factor));
    }
    size
}

impl Remarks<'_> {
    fn put(&self, wire: &mut Wire<'_>) -> Result {
        if self.marks.is_empty() && self.acks.is_none() {
            return Ok(());
        }
        wire.group(&ANALYSIS, |wire| {
            since(wire, [&ACKS_FRAME, &ACK_RTT], self.acks);
            for mark in self.marks {
                wire.add(mark, Value::Bool(true));
            }
            since(wire, [&RTO_FRAME, &RTO], self.repeats);
            if let Some((number, frame)) = self.duplicate {
                wire.add(&DUPLICATE_ACK_NUM, Value::Unsigned(number.into()));
                wire.add(&DUPLICATE_ACK_FRAME, Value::Unsigned(frame));
            }
            Ok(())
        })
    }
}

/// An earlier frame and the seconds since.
fn since(wire: &mut Wire<'_>, [frame, time]: [&'static Field; 2], since: Option<(u64, i64)>) {
    #[allow(clippy::cast_precision_loss, reason = "seconds of a number this large have no use for nanoseconds")]
    if let Some((number, nanos)) = since {
        wire.add(frame, Value::Unsigned(number));
        if nanos != 0 {
            wire.add(time, Value::Double(nanos as f64 / 1e9));
        }
    }
}

/// The marks in brackets, for the line of a packet.
impl fmt::Display for Remarks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mark in self.marks {
            match self.duplicate.filter(|_| mark.is(&DUPLICATE_ACK)) {
                Some((number, _)) => write!(f, "[{} {number}] ", mark.name)?,
                None => write!(f, "[{}] ", mark.name)?,
            }
        }
        Ok(())
    }
}

/// A sequence number, counted from the start of the connection and as it stands.
fn sequence(wire: &mut Wire<'_>, relative: &'static Field, raw: &'static Field, base: u32) -> Result<u32> {
    let at = wire.at();
    let bytes = wire.ahead().first_chunk().ok_or(Error::Short { needed: 4_usize.saturating_sub(wire.remaining()) })?;
    let number = u32::from_be_bytes(*bytes).wrapping_sub(base);
    wire.put(relative, Value::Unsigned(number.into()), at..at + 4);
    wire.u32_be(raw)?;
    Ok(number)
}

/// Options up to the end of the header.
fn options(wire: &mut Wire<'_>, end: usize) -> Result {
    let length = end.saturating_sub(wire.at());
    if length == 0 {
        return Ok(());
    }
    wire.group(&OPTIONS, |wire| {
        wire.within(length, &OPTION_DATA, |wire| {
            while wire.remaining() > 0 {
                wire.group(&OPTION, option)?;
            }
            Ok(())
        })
    })
}

fn option(wire: &mut Wire<'_>) -> Result {
    const END: u8 = 0;
    const NOP: u8 = 1;
    let kind = wire.u8(&KIND)?;
    match kind {
        END => {
            // What lies behind the end of options only fills the header.
            wire.rest(&OPTION_DATA);
            return Ok(());
        }
        NOP => return Ok(()),
        _ => {}
    }
    let left = wire.remaining();
    let length = usize::from(wire.u8(&OPTION_LEN)?);
    if length < 2 || length > left + 1 {
        wire.note(&BAD_OPTION, format_args!("{length} bytes where {} are left", left + 1));
        wire.rest(&OPTION_DATA);
        return Ok(());
    }
    wire.within(length - 2, &OPTION_DATA, |wire| match (kind, length) {
        (2, 4) => wire.u16_be(&MSS).map(drop),
        (3, 3) => wire.u8(&WSCALE).map(drop),
        (5, _) if (length - 2) % 8 == 0 => {
            while wire.remaining() > 0 {
                wire.u32_be(&SACK_LE)?;
                wire.u32_be(&SACK_RE)?;
            }
            Ok(())
        }
        (8, 10) => {
            wire.u32_be(&TSVAL)?;
            wire.u32_be(&TSECR).map(drop)
        }
        _ => {
            wire.rest(&OPTION_DATA);
            Ok(())
        }
    })
}

fn summary(numbers: &[u64], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{}", Line(numbers))
}

/// The numbers of a segment in a line.
struct Line<'a>(&'a [u64]);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [src, dst, flags, seq, ack, window, len] = *self.0 else { return Ok(()) };
        write!(f, "{src} → {dst} [{}] seq {seq} ack {ack} win {window} len {len}", Flags(flags))
    }
}

/// The flags that are set, as Wireshark lists them.
struct Flags(u64);

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 9] = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR", "AE"];
        let mut between = "";
        for (bit, name) in NAMES.iter().enumerate() {
            if self.0 >> bit & 1 == 1 {
                write!(f, "{between}{name}")?;
                between = ", ";
            }
        }
        Ok(())
    }
}
