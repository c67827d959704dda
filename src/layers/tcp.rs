//! TCP (RFC 9293).
//!
//! ```text
//! source port:2 | destination port:2 | sequence:4 | acknowledgment:4
//! header length:4 reserved:3 flags:9 | window:2 | checksum:2 | urgent:2 | options | payload
//! option  kind:1 | length:1, itself and the kind counted | data
//! ```

mod analysis;
mod generated;
mod header;
mod joined;
mod options;

pub use analysis::{AnalysisResults, Progress, flag_fields, requests_progress};
pub use header::Header;

use super::checksum::{self, STATUS};
use super::{ip, layer};
use crate::tree::{Field, Names, Span, Transport, Tree, Value, fields, title};
use crate::wire::{Error, InvalidValue, Protocol, Result, Setting, ValueKind, Wire};
use header::MIN_HEADER;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

/// tshark's preference that waits for missing segments, as streams here always do.
const ORDER: Setting = Setting {
    name: "tcp.reassemble_out_of_order",
    about: "Segments out of order wait for those before them; TRUE is the only value",
    takes: ValueKind::Checked(|value| match value.eq_ignore_ascii_case("true") {
        true => Ok(()),
        false => {
            let message = "FALSE is not supported: segments out of order wait for those before them".to_owned();
            Err(InvalidValue { line: None, message })
        }
    }),
};

pub static PROTOCOL: Protocol = Protocol { settings: &[checksum::TCP, ORDER], ..layer(&TCP, FIELDS) };

fields! {
    TCP = protocol("tcp", "TCP", "Transmission Control Protocol");
    SRCPORT = number("tcp.srcport", "Source port", "").also("tcp.port").once();
    DSTPORT = number("tcp.dstport", "Destination port", "").also("tcp.port").once();
    STREAM = number("tcp.stream", "Stream index", "").once();
    LEN = number("tcp.len", "Segment length", "In bytes").once();
    SEQ = number("tcp.seq", "Sequence number", "").once();
    SEQ_RAW = number("tcp.seq_raw", "Sequence number (raw)", "Absolute").once();
    NXTSEQ = number("tcp.nxtseq", "Next sequence number", "Sequence number after this segment").once();
    ACK = number("tcp.ack", "Acknowledgment number", "").once();
    ACK_RAW = number("tcp.ack_raw", "Acknowledgment number (raw)", "Absolute").once();
    HDR_LEN = number("tcp.hdr_len", "Header length", "Bytes of the header; on the wire in units of four").mask(0xf0).once();
    FLAGS = number("tcp.flags", "Flags", "").hex(4).mask(0x0fff).once();
    FLAG_RES = number("tcp.flags.res", "Reserved", "").mask(0x0e00).once();
    FLAG_AE = bool("tcp.flags.ae", "AE", "Accurate ECN").mask(0x0100).once();
    FLAG_CWR = bool("tcp.flags.cwr", "CWR", "Congestion window reduced").mask(0x0080).once();
    FLAG_ECE = bool("tcp.flags.ece", "ECE", "ECN-Echo").mask(0x0040).once();
    FLAG_URG = bool("tcp.flags.urg", "URG", "Urgent: the urgent pointer is valid").mask(0x0020).once();
    FLAG_ACK = bool("tcp.flags.ack", "ACK", "The acknowledgment number is valid").mask(0x0010).once();
    FLAG_PUSH = bool("tcp.flags.push", "PSH", "").mask(0x0008).once();
    FLAG_RESET = bool("tcp.flags.reset", "RST", "Reset the connection").mask(0x0004).once();
    FLAG_SYN = bool("tcp.flags.syn", "SYN", "Synchronize sequence numbers").mask(0x0002).once();
    FLAG_FIN = bool("tcp.flags.fin", "FIN", "No more data from the sender").mask(0x0001).once();
    WINDOW = number("tcp.window_size_value", "Window", "Receive window, not scaled").once();
    WINDOW_SIZE = number("tcp.window_size", "Calculated window size", "Receive window, scaled").once();
    WINDOW_SCALE = number("tcp.window_size_scalefactor", "Window scale factor", "Multiplier of the window; -1 if the handshake is missing, -2 if no scaling is used").once();
    CHECKSUM = number("tcp.checksum", "Checksum", "Checksum of segment and pseudo-header").hex(4).once();
    CHECKSUM_STATUS = number("tcp.checksum.status", "Checksum status", "Result of the verification, if enabled").names(STATUS).generated(&[&CHECKSUM], checksum::unverified);
    BAD_CHECKSUM = odd("tcp.checksum.bad", "bad checksum", "The checksum does not match the data");
    URGENT = number("tcp.urgent_pointer", "Urgent pointer", "Offset of the end of urgent data").once();
    OPTIONS = group("tcp.options", "Options", "").valued().once();
    OPTION = group("tcp.option", "Option", "").titled(title::kind);
    KIND = number("tcp.option_kind", "Kind", "").names(KINDS).once_per(&OPTION);
    OPTION_LEN = number("tcp.option_len", "Length", "Bytes of the option, kind and length included").once_per(&OPTION);
    MSS = number("tcp.options.mss_val", "Maximum segment size", "Largest segment that the sender can receive");
    WSCALE = number("tcp.options.wscale.shift", "Window scale", "Shift count");
    SACK_LE = number("tcp.options.sack_le", "Left edge", "First sequence number of a SACK block");
    SACK_RE = number("tcp.options.sack_re", "Right edge", "Sequence number after a SACK block");
    TSVAL = number("tcp.options.timestamp.tsval", "Timestamp value", "Clock of the sender");
    TSECR = number("tcp.options.timestamp.tsecr", "Timestamp echo reply", "Timestamp value of the peer");
    OPTION_DATA = bytes("tcp.options.data", "Data", "");
    PAYLOAD = bytes("tcp.payload", "Payload", "").once();
    ANALYSIS = group("tcp.analysis", "Analysis", "Sequence analysis relative to earlier segments, as in Wireshark").once();
    RETRANSMISSION = bool("tcp.analysis.retransmission", "retransmission", "Bytes sent before").once();
    FAST_RETRANSMISSION = bool("tcp.analysis.fast_retransmission", "fast retransmission", "Retransmitted after duplicate ACKs").once();
    SPURIOUS_RETRANSMISSION = bool("tcp.analysis.spurious_retransmission", "spurious retransmission", "Retransmitted although acknowledged").once();
    OUT_OF_ORDER = bool("tcp.analysis.out_of_order", "out of order", "Captured after segments with higher sequence numbers").once();
    LOST_SEGMENT = bool("tcp.analysis.lost_segment", "previous segment not captured", "The bytes before this segment are not captured so far").once();
    ACK_LOST_SEGMENT = bool("tcp.analysis.ack_lost_segment", "acknowledges an unseen segment", "The acknowledged bytes are not in the capture").once();
    DUPLICATE_ACK = bool("tcp.analysis.duplicate_ack", "duplicate ack", "Same acknowledgment number as the previous ACK").once();
    DUPLICATE_ACK_NUM = number("tcp.analysis.duplicate_ack_num", "Duplicate number", "Count of duplicates of this ACK").once();
    DUPLICATE_ACK_FRAME = number("tcp.analysis.duplicate_ack_frame", "Duplicate of frame", "Frame of the original ACK").once();
    ZERO_WINDOW = bool("tcp.analysis.zero_window", "zero window", "The sender advertises a window of zero").once();
    ZERO_WINDOW_PROBE = bool("tcp.analysis.zero_window_probe", "zero window probe", "One byte beyond a window of zero");
    ZERO_WINDOW_PROBE_ACK = bool("tcp.analysis.zero_window_probe_ack", "zero window probe ack", "");
    WINDOW_FULL = bool("tcp.analysis.window_full", "window full", "The segment fills the receive window of the peer").once();
    WINDOW_UPDATE = bool("tcp.analysis.window_update", "window update", "The ACK changes only the window").once();
    KEEP_ALIVE = bool("tcp.analysis.keep_alive", "keep-alive", "Probe of an idle connection").once();
    KEEP_ALIVE_ACK = bool("tcp.analysis.keep_alive_ack", "keep-alive ack", "").once();
    REUSED_PORTS = bool("tcp.analysis.reused_ports", "port numbers reused", "A new connection between the same endpoints").once();
    ACKS_FRAME = number("tcp.analysis.acks_frame", "Acknowledges frame", "Segment that this ACK acknowledges").once();
    ACK_RTT = float("tcp.analysis.ack_rtt", "RTT to acknowledge the segment", "Seconds").seconds().once();
    RTO_FRAME = number("tcp.analysis.rto_frame", "RTO based on frame", "Frame from which the retransmission timeout counts").once();
    RTO = float("tcp.analysis.rto", "RTO of this segment", "Retransmission timeout in seconds").seconds().once();
    ANALYSIS_FLAGS = bool("tcp.analysis.flags", "analysis flags", "The analysis marks the segment")
        .generated(&[&ANALYSIS], generated::has_flags)
        .needs(generated::ANALYSIS_FLAGS);
    BYTES_IN_FLIGHT = number("tcp.analysis.bytes_in_flight", "bytes in flight", "Sent and unacknowledged bytes, this segment included").on_request();
    PUSH_BYTES_SENT = number("tcp.analysis.push_bytes_sent", "bytes since PSH", "Bytes sent since the last segment with PSH").on_request();
    INITIAL_RTT = float("tcp.analysis.initial_rtt", "initial round-trip time", "Seconds from the SYN to the end of the handshake").seconds().on_request();
    TIME_RELATIVE = float("tcp.time_relative", "time since first frame", "Seconds since the first frame of the connection").seconds().on_request();
    TIME_DELTA = float("tcp.time_delta", "time since previous frame", "Seconds since the previous frame of the connection").seconds().on_request();
    COMPLETENESS = number("tcp.completeness", "completeness", "Bitmap of connection phases seen before this frame: 1 SYN, 2 SYN-ACK, 4 ACK, 8 data, 16 FIN, 32 RST").on_request();
    FLAGS_STR = text("tcp.flags.str", "TCP flags", "The flags as letters").generated(&[&FLAGS], generated::flags_as_letters);
    CONNECTION_SYN = bool("tcp.connection.syn", "connection establish request", "A SYN without ACK").generated(&[&FLAGS], generated::syn);
    CONNECTION_SYNACK = bool("tcp.connection.synack", "connection establish acknowledge", "A SYN with ACK").generated(&[&FLAGS], generated::synack);
    CONNECTION_FIN = bool("tcp.connection.fin", "connection finish", "").generated(&[&FLAGS], generated::fin);
    CONNECTION_RST = bool("tcp.connection.rst", "connection reset", "").generated(&[&FLAGS], generated::rst);
    FIN_ACTIVE = bool("tcp.connection.fin_active", "active close", "First FIN of the connection").on_request();
    FIN_PASSIVE = bool("tcp.connection.fin_passive", "passive close", "FIN after that of the peer").on_request();
    OPTIONS_EOL = bytes("tcp.options.eol", "end of options", "").generated(&[&OPTION], generated::option::<0>).needs(&[&KIND]);
    OPTIONS_NOP = bytes("tcp.options.nop", "no operation", "").generated(&[&OPTION], generated::option::<1>).needs(&[&KIND]);
    OPTIONS_MSS = bytes("tcp.options.mss", "maximum segment size option", "").generated(&[&OPTION], generated::option::<2>).needs(&[&KIND]);
    OPTIONS_WSCALE = bytes("tcp.options.wscale", "window scale option", "").generated(&[&OPTION], generated::option::<3>).needs(&[&KIND]);
    OPTIONS_SACK_PERM = bytes("tcp.options.sack_perm", "SACK permitted option", "").generated(&[&OPTION], generated::option::<4>).needs(&[&KIND]);
    OPTIONS_SACK = bytes("tcp.options.sack", "SACK option", "").generated(&[&OPTION], generated::option::<5>).needs(&[&KIND]);
    OPTIONS_TIMESTAMP = bytes("tcp.options.timestamp", "timestamps option", "").generated(&[&OPTION], generated::option::<8>).needs(&[&KIND]);
    WSCALE_MULTIPLIER = number("tcp.options.wscale.multiplier", "window scale multiplier", "").generated(&[&WSCALE], generated::multiplier);
    SEGMENTS = bool("tcp.segments", "reassembled segments", "The segment completes a message of several segments").generated(&[&PAYLOAD], joined::is_joined);
    SEGMENT = number("tcp.segment", "segment", "Frames of the segments of the completed message").generated(&[&PAYLOAD], joined::segments);
    SEGMENT_COUNT = number("tcp.segment.count", "segment count", "Number of segments of the completed message").generated(&[&PAYLOAD], joined::count);
    SEGMENT_DATA = bytes("tcp.segment_data", "segment data", "Part of the message in this segment")
        .generated(&[&PAYLOAD], joined::parts)
        .needs(joined::REPEATS);
    REASSEMBLED_LENGTH = number("tcp.reassembled.length", "reassembled length", "Bytes of the reassembled message").generated(&[&PAYLOAD], joined::length);
    REASSEMBLED_DATA = bytes("tcp.reassembled.data", "reassembled data", "").generated(&[&PAYLOAD], joined::data);
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
pub(super) fn needs_analysis(field: &Field) -> bool {
    let is_one = |known: &&Field| known.is(field);
    field.generated.is_none() && FIELDS.iter().any(is_one) && !OWN.iter().chain(&[&STREAM]).any(is_one)
}

/// State of the connection at a segment.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpState {
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
    pub analysis: AnalysisResults,
    /// Progress of the connection, if requested.
    pub progress: Option<Progress>,
}

/// The length of the header, which shares its byte with the first flags.
fn header_length(wire: &mut Wire<'_>, len: usize) -> Result {
    let at = wire.at();
    if wire.remaining() == 0 {
        return Err(Error::Short { needed: 1 });
    }
    wire.put(&HDR_LEN, Value::Unsigned(len as u64), at..at + 1);
    if len < MIN_HEADER {
        wire.note(&BAD_HDR_LEN, format_args!("a header of {len} bytes; {MIN_HEADER} is the least"));
        return Err(Error::Malformed);
    }
    Ok(())
}

/// Dissects the header, and adds the payload as one field.
///
/// # Errors
/// If the header is truncated or malformed.
pub fn segment(wire: &mut Wire<'_>, tcp_state: TcpState, missing: usize) -> Result {
    let (start, captured) = (wire.at(), wire.remaining());
    let header = Header::parse_cut(wire.ahead());
    let checked = tcp_state.verify.map(|ends| checksum::transport(ends, ip::TCP, wire.ahead(), CHECKSUM_AT, missing));
    wire.u16_be(&SRCPORT)?;
    wire.u16_be(&DSTPORT)?;
    if let Some(stream) = tcp_state.stream {
        wire.add(&STREAM, Value::Unsigned(stream.into()));
    }
    if let Some(ends) = tcp_state.quoted {
        quote(wire, &header, ends);
    }
    let ends_here = !tcp_state.is_part && tcp_state.quoted.is_none();
    let len = header.payload_len(captured + missing);
    if let Some(len) = len.filter(|_| ends_here) {
        wire.add(&LEN, Value::Unsigned(len as u64));
    }
    let len = len.unwrap_or_default();
    let [seq, ack] = header.relative(tcp_state.seq_base, tcp_state.ack_base);
    sequence(wire, &SEQ, seq, &SEQ_RAW)?;
    if ends_here {
        wire.add(&NXTSEQ, Value::Unsigned(seq.wrapping_add(header.occupied(len)).into()));
    }
    sequence(wire, &ACK, ack, &ACK_RAW)?;
    header_length(wire, header.len)?;
    wire.flags(&FLAGS, 2, FLAG_BITS)?;
    wire.u16_be(&WINDOW)?;
    let window = window_size(wire, &header, tcp_state.factor);
    wire.u16_be(&CHECKSUM)?;
    if let Some(checked) = checked {
        checked.put(wire, &CHECKSUM_STATUS, &BAD_CHECKSUM);
    }
    wire.u16_be(&URGENT)?;
    let analysis = tcp_state.analysis;
    let numbers = header.summary([seq, ack], window, len);
    if analysis.flags.is_empty() {
        wire.lazy_summary(&numbers, summary);
    } else {
        wire.info(format_args!("{analysis}{}", Line(&numbers)));
    }
    options::fields(wire, start + header.len)?;
    analysis.put(wire)?;
    if let Some(progress) = tcp_state.progress {
        progress.put(wire);
    }
    let payload = wire.at()..wire.at() + wire.remaining();
    wire.rest(&PAYLOAD);
    if let Some(ends) = tcp_state.quoted.filter(|_| !payload.is_empty()) {
        quoted_payload(wire, &header, ends, payload);
    }
    Ok(())
}

/// The payload of a quoted segment, which may be cut at any place.
#[cold]
fn quoted_payload(wire: &mut Wire<'_>, header: &Header, [from, to]: [IpAddr; 2], payload: Range<usize>) {
    let ends = [SocketAddr::new(from, header.src), SocketAddr::new(to, header.dst)];
    let _ = wire.quoted_payload(Transport::Tcp, ends, payload, true);
}

/// Adds the stream number of a quoted segment, given the bytes after its ports. Like Wireshark, it reads all fields up to the
/// window.
fn quote(wire: &mut Wire<'_>, header: &Header, [from, to]: [IpAddr; 2]) {
    const UP_TO_WINDOW: usize = 12;
    if wire.remaining() >= UP_TO_WINDOW {
        let opens = (header.syn() && !header.acks()).then_some(header.seq);
        wire.quote(&STREAM, Transport::Tcp, [SocketAddr::new(from, header.src), SocketAddr::new(to, header.dst)], opens);
    }
}

/// Emits only the fields of the fast path, if nothing has to be noted on the segment: no analysis flags, and a plain header.
pub fn brief(wire: &mut Wire<'_>, header: &Header, tcp_state: TcpState, missing: usize) -> Option<()> {
    let is_notable = !tcp_state.analysis.flags.is_empty() || tcp_state.progress.is_some();
    let has_more_fields = is_notable || tcp_state.verify.is_some() || tcp_state.is_part;
    if !wire.passes_headers() || has_more_fields || !header.is_plain {
        return None;
    }
    let window = window_size(wire, header, tcp_state.factor);
    let len = wire.remaining() + missing - header.len;
    let relative = header.relative(tcp_state.seq_base, tcp_state.ack_base);
    wire.lazy_summary(&header.summary(relative, window, len), summary);
    let (at, [src, dst]) = (wire.at(), header.ports());
    wire.put(&SRCPORT, src, at..at + 2);
    wire.put(&DSTPORT, dst, at + 2..at + 4);
    if let Some(stream) = tcp_state.stream {
        wire.add(&STREAM, Value::Unsigned(stream.into()));
    }
    wire.add(&LEN, Value::Unsigned(len as u64));
    wire.skip(header.len).ok()?;
    wire.rest(&PAYLOAD);
    Some(())
}

/// Emits the fields of [`brief`] for a plain header without a connection; the segment is at this range of the frame.
pub(super) fn put_fields(tree: &mut Tree, header: &Header, segment: Range<usize>) {
    let at = |from: usize, to: usize| Span::new(0, segment.start + from..segment.start + to);
    let (end, [src, dst]) = (segment.len(), header.ports());
    tree.push(&SRCPORT, src, at(0, 2));
    tree.push(&DSTPORT, dst, at(2, 4));
    tree.push(&LEN, Value::Unsigned((end - header.len) as u64), Span::NONE);
    if end > header.len {
        tree.push(&PAYLOAD, Value::Bytes, at(header.len, end));
    }
}

impl Header {
    fn ports(&self) -> [Value; 2] {
        [self.src, self.dst].map(|port| Value::Unsigned(port.into()))
    }

    /// The numbers of [`Line`].
    fn summary(&self, [seq, ack]: [u32; 2], window: u64, len: usize) -> [u64; 7] {
        [self.src.into(), self.dst.into(), self.flags.into(), seq.into(), ack.into(), window, len as u64]
    }
}

/// Emits the scaled window and returns it. The window of a SYN is never scaled.
fn window_size(wire: &mut Wire<'_>, header: &Header, factor: Option<i64>) -> u64 {
    let window = u64::from(header.window);
    let Some(factor) = factor else { return window };
    let size = if header.syn() { window } else { window.saturating_mul(u64::try_from(factor).unwrap_or(1)) };
    wire.add(&WINDOW_SIZE, Value::Unsigned(size));
    if !header.syn() {
        wire.add(&WINDOW_SCALE, Value::Signed(factor));
    }
    size
}

/// A sequence number: relative and absolute.
fn sequence(wire: &mut Wire<'_>, field: &'static Field, relative: u32, raw: &'static Field) -> Result {
    const SIZE: usize = 4;
    let (at, captured) = (wire.at(), wire.remaining());
    if captured < SIZE {
        return Err(Error::Short { needed: SIZE - captured });
    }
    wire.put(field, Value::Unsigned(relative.into()), at..at + SIZE);
    wire.u32_be(raw).map(drop)
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

/// The flags that are set, as Wireshark lists them: `SYN, ACK`.
pub fn flags_text(flags: u64) -> String {
    match Flags(flags).to_string() {
        none if none.is_empty() => "<None>".to_owned(),
        flags => flags,
    }
}

/// Whether the flag ACK is set.
pub const fn acknowledges(flags: u64) -> bool {
    flags & FLAG_ACK.mask != 0
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
