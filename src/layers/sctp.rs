//! SCTP, the Stream Control Transmission Protocol (RFC 9260), with extensions of RFC 3758, 4820, 4895, 5061, 6525 and 8260,
//! also inside UDP (RFC 6951).
//!
//! ```text
//! source port:2 | destination port:2 | verification tag:4 | checksum:4 | chunks
//! chunk      type:1 | flags:1 | length:2 | value | padding to a multiple of four bytes
//! DATA       TSN:4 | stream identifier:2 | stream sequence number:2 | payload protocol identifier:4 | payload
//! parameter  type:2 | length:2 | value | padding
//! cause      code:2 | length:2 | information | padding
//! ```
//!
//! Lengths count their header, and no padding. Not covered: verifying the checksum, and joining I-DATA chunks.

use super::layer;
use crate::tree::{Field, Names, Value, fields, name_of, title};
use crate::wire::{Protocol, Result, Wire};
use std::ops::Range;

pub static PROTOCOL: Protocol = layer(&SCTP, FIELDS);

fields! {
    SCTP = protocol("sctp", "SCTP", "Stream Control Transmission Protocol");
    SRCPORT = number("sctp.srcport", "Source port", "").also("sctp.port").once();
    DSTPORT = number("sctp.dstport", "Destination port", "").also("sctp.port").once();
    VERIFICATION_TAG = number("sctp.verification_tag", "Verification tag", "Initiate tag of the receiver").hex(8).once();
    CHECKSUM = number("sctp.checksum", "Checksum", "CRC32c of the packet").hex(8).once();
    CHUNK = group("sctp.chunk", "Chunk", "").titled(title::kind);
    CHUNK_TYPE = number("sctp.chunk_type", "Chunk type", "").names(CHUNKS);
    CHUNK_FLAGS = number("sctp.chunk_flags", "Chunk flags", "").hex(2);
    CHUNK_LENGTH = number("sctp.chunk_length", "Chunk length", "Bytes of the chunk without padding");
    CHUNK_VALUE = bytes("sctp.chunk_value", "Chunk value", "Value of an unknown chunk type");
    CHUNK_PADDING = bytes("sctp.chunk_padding", "Chunk padding", "Up to a multiple of four bytes");
    E_BIT = bool("sctp.data_e_bit", "E-bit", "Last fragment of a message").mask(0x01);
    B_BIT = bool("sctp.data_b_bit", "B-bit", "First fragment of a message").mask(0x02);
    U_BIT = bool("sctp.data_u_bit", "U-bit", "Unordered delivery").mask(0x04);
    I_BIT = bool("sctp.data_i_bit", "I-bit", "The SACK must not be delayed").mask(0x08);
    DATA_TSN = number("sctp.data_tsn", "TSN (relative)", "");
    DATA_TSN_RAW = number("sctp.data_tsn_raw", "TSN (absolute)", "Transmission sequence number");
    DATA_SID = number("sctp.data_sid", "Stream identifier", "").hex(4);
    DATA_SSN = number("sctp.data_ssn", "Stream sequence number", "");
    DATA_PPID = number("sctp.data_payload_proto_id", "Payload protocol identifier", "Set by the application").names(PAYLOADS);
    DATA_RESERVED = number("sctp.data_reserved", "Reserved", "");
    DATA_MID = number("sctp.data_mid", "Message identifier", "Counts messages of the stream");
    DATA_FSN = number("sctp.data_fsn", "Fragment sequence number", "Counts fragments of the message");
    DATA_PAYLOAD = bytes("sctp.data_payload", "Payload", "Message or fragment of a message");
    INIT_TAG = number("sctp.init_initiate_tag", "Initiate tag", "Verification tag of packets to the sender").hex(8);
    INIT_CREDIT = number("sctp.init_credit", "a_rwnd", "Advertised receiver window credit");
    INIT_OUT = number("sctp.init_nr_out_streams", "Number of outbound streams", "");
    INIT_IN = number("sctp.init_nr_in_streams", "Number of inbound streams", "Maximum");
    INIT_TSN = number("sctp.init_initial_tsn", "Initial TSN", "TSN of the first DATA chunk");
    INITACK_TAG = number("sctp.initack_initiate_tag", "Initiate tag", "Verification tag of packets to the sender").hex(8);
    INITACK_CREDIT = number("sctp.initack_credit", "a_rwnd", "Advertised receiver window credit");
    INITACK_OUT = number("sctp.initack_nr_out_streams", "Number of outbound streams", "");
    INITACK_IN = number("sctp.initack_nr_in_streams", "Number of inbound streams", "Maximum");
    INITACK_TSN = number("sctp.initack_initial_tsn", "Initial TSN", "TSN of the first DATA chunk");
    SACK_TSN = number("sctp.sack_cumulative_tsn_ack", "Cumulative TSN ack (relative)", "Relative to the initial TSN");
    SACK_TSN_RAW = number("sctp.sack_cumulative_tsn_ack_raw", "Cumulative TSN ack (absolute)", "Every TSN up to this one was received");
    SACK_CREDIT = number("sctp.sack_a_rwnd", "a_rwnd", "Advertised receiver window credit");
    SACK_GAPS = number("sctp.sack_number_of_gap_blocks", "Number of gap ack blocks", "");
    SACK_DUPLICATES = number("sctp.sack_number_of_duplicated_tsns", "Number of duplicate TSNs", "");
    GAP_START = number("sctp.sack_gap_block_start", "Start", "Offset from the cumulative TSN ack");
    GAP_END = number("sctp.sack_gap_block_end", "End", "Offset from the cumulative TSN ack");
    DUPLICATE_TSN = number("sctp.sack_duplicate_tsn", "Duplicate TSN", "");
    SHUTDOWN_TSN = number("sctp.shutdown_cumulative_tsn_ack", "Cumulative TSN ack", "Every TSN up to this one was received");
    COOKIE = bytes("sctp.cookie", "Cookie", "State cookie of the INIT ACK");
    ECNE_TSN = number("sctp.ecne_lowest_tsn", "Lowest TSN", "TSN of the packet with the CE mark");
    CWR_TSN = number("sctp.cwr_lowest_tsn", "Lowest TSN", "TSN of the ECNE chunk");
    ABORT_T = bool("sctp.abort_t_bit", "T-bit", "The verification tag is the sender's").mask(0x01);
    COMPLETE_T = bool("sctp.shutdown_complete_t_bit", "T-bit", "The verification tag is the sender's").mask(0x01);
    FORWARD_TSN = number("sctp.forward_tsn_tsn", "New cumulative TSN", "TSNs up to this are abandoned");
    FORWARD_SID = number("sctp.forward_tsn_sid", "Stream identifier", "Stream with abandoned messages");
    FORWARD_SSN = number("sctp.forward_tsn_ssn", "Stream sequence number", "Last one abandoned in the stream");
    SHARED_KEY = number("sctp.shared_key_id", "Shared key identifier", "Shared key of the HMAC");
    HMAC_ID = number("sctp.hmac_id", "HMAC identifier", "").names(HMACS);
    HMAC = bytes("sctp.hmac", "HMAC", "HMAC of the chunks after this one");
    ASCONF_SEQ = number("sctp.asconf_seq_nr_number", "Sequence number", "").hex(8);
    ASCONF_ACK_SEQ = number("sctp.asconf_ack_seq_nr_number", "Sequence number", "Of the acknowledged ASCONF chunk").hex(8);
    PADDING_DATA = bytes("sctp.padding_data", "Padding data", "PAD chunk");
    PARAMETER = group("sctp.parameter", "Parameter", "").titled(title::kind);
    PARAMETER_TYPE = number("sctp.parameter_type", "Parameter type", "").hex(4).names(PARAMETERS);
    PARAMETER_LENGTH = number("sctp.parameter_length", "Parameter length", "Bytes of the parameter without padding");
    PARAMETER_VALUE = bytes("sctp.parameter_value", "Parameter value", "Value of an unknown parameter type");
    PARAMETER_PADDING = bytes("sctp.parameter_padding", "Parameter padding", "Up to a multiple of four bytes");
    IPV4_ADDRESS = ipv4("sctp.parameter_ipv4_address", "IPv4 address", "");
    IPV6_ADDRESS = ipv6("sctp.parameter_ipv6_address", "IPv6 address", "");
    HEARTBEAT = bytes("sctp.parameter_heartbeat_information", "Heartbeat information", "Returned unchanged");
    STATE_COOKIE = bytes("sctp.parameter_state_cookie", "State cookie", "Returned in the COOKIE ECHO");
    ADDRESS_TYPE = number("sctp.parameter_supported_address_type", "Supported address type", "As a parameter type").names(PARAMETERS);
    CAUSE = group("sctp.cause", "Error cause", "").titled(title::kind);
    CAUSE_CODE = number("sctp.cause_code", "Cause code", "").hex(4).names(CAUSES);
    CAUSE_LENGTH = number("sctp.cause_length", "Cause length", "Bytes of the cause without padding");
    CAUSE_INFORMATION = bytes("sctp.cause_information", "Cause information", "");
    CAUSE_PADDING = bytes("sctp.cause_padding", "Cause padding", "Up to a multiple of four bytes");
    BAD_LENGTH = broken("sctp.chunk_length.bad", "bad length", "A length is less than its header");
}

const CHUNKS: Names = &[
    (0, "DATA"),
    (1, "INIT"),
    (2, "INIT_ACK"),
    (3, "SACK"),
    (4, "HEARTBEAT"),
    (5, "HEARTBEAT_ACK"),
    (6, "ABORT"),
    (7, "SHUTDOWN"),
    (8, "SHUTDOWN_ACK"),
    (9, "ERROR"),
    (10, "COOKIE_ECHO"),
    (11, "COOKIE_ACK"),
    (12, "ECNE"),
    (13, "CWR"),
    (14, "SHUTDOWN_COMPLETE"),
    (15, "AUTH"),
    (16, "NR_SACK"),
    (64, "I_DATA"),
    (128, "ASCONF_ACK"),
    (129, "PKTDROP"),
    (130, "RE_CONFIG"),
    (132, "PAD"),
    (192, "FORWARD_TSN"),
    (193, "ASCONF"),
    (194, "I_FORWARD_TSN"),
];
const PAYLOADS: Names = &[
    (0, "not specified"),
    (2, "M2UA"),
    (3, "M3UA"),
    (4, "SUA"),
    (5, "M2PA"),
    (7, "H.248/MEGACO"),
    (18, "S1AP"),
    (27, "X2AP"),
    (45, "SSH"),
    (46, "Diameter"),
    (47, "Diameter over DTLS"),
    (50, "WebRTC Control"),
    (51, "WebRTC String"),
    (52, "WebRTC Binary Partial"),
    (53, "WebRTC Binary"),
    (54, "WebRTC String Partial"),
    (56, "WebRTC String Empty"),
    (57, "WebRTC Binary Empty"),
    (60, "NGAP"),
    (61, "XnAP"),
];
const HMACS: Names = &[(1, "SHA-1"), (3, "SHA-256")];
const PARAMETERS: Names = &[
    (0x0001, "Heartbeat info"),
    (0x0005, "IPv4 address"),
    (0x0006, "IPv6 address"),
    (0x0007, "State cookie"),
    (0x0008, "Unrecognized parameter"),
    (0x0009, "Cookie preservative"),
    (0x000b, "Hostname address"),
    (0x000c, "Supported address types"),
    (0x000d, "Outgoing SSN reset request"),
    (0x000e, "Incoming SSN reset request"),
    (0x000f, "SSN/TSN reset request"),
    (0x0010, "Re-configuration response"),
    (0x0011, "Add outgoing streams request"),
    (0x0012, "Add incoming streams request"),
    (0x8000, "ECN"),
    (0x8002, "Random"),
    (0x8003, "Authentication chunk list"),
    (0x8004, "Requested HMAC algorithm"),
    (0x8008, "Supported extensions"),
    (0xc000, "Forward TSN supported"),
    (0xc001, "Add IP address"),
    (0xc002, "Delete IP address"),
    (0xc004, "Set primary address"),
    (0xc006, "Adaptation layer indication"),
];
const CAUSES: Names = &[
    (1, "Invalid stream identifier"),
    (2, "Missing mandatory parameter"),
    (3, "Stale cookie error"),
    (4, "Out of resource"),
    (5, "Unresolvable address"),
    (6, "Unrecognized chunk type"),
    (7, "Invalid mandatory parameter"),
    (8, "Unrecognized parameters"),
    (9, "No user data"),
    (10, "Cookie received while shutting down"),
    (11, "Restart of an association with new addresses"),
    (12, "User initiated ABORT"),
    (13, "Protocol violation"),
];

/// Bytes of the common header, and of that of a chunk, a parameter or a cause.
const HEADER: usize = 12;
const SUBHEADER: usize = 4;

/// A DATA chunk.
#[derive(Debug, Clone)]
pub struct Data {
    /// The transmission sequence number.
    pub tsn: u32,
    /// The stream identifier.
    pub sid: u16,
    /// The stream sequence number.
    pub ssn: u16,
    /// Whether it is delivered without regard to that number.
    pub unordered: bool,
    /// Whether it is the first fragment of a message.
    pub begins: bool,
    /// Whether it is the last fragment.
    pub ends: bool,
    /// The payload protocol identifier.
    pub ppid: u32,
    /// The range of the payload.
    pub range: Range<usize>,
}

/// The ports of a packet, if its header is complete.
pub fn ports(packet: &[u8]) -> Option<[u16; 2]> {
    let [s0, s1, d0, d1, ..] = packet.first_chunk::<HEADER>()?;
    Some([u16::from_be_bytes([*s0, *s1]), u16::from_be_bytes([*d0, *d1])])
}

/// Whether bytes may begin a packet: a known chunk follows the header.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    let is_chunk = |[kind, _, high, low]: &[u8; SUBHEADER]| {
        name_of(CHUNKS, (*kind).into()).is_some() && usize::from(u16::from_be_bytes([*high, *low])) >= SUBHEADER
    };
    ports(bytes).is_some_and(|ports| !ports.contains(&0))
        && bytes.get(HEADER..).and_then(<[u8]>::first_chunk).is_some_and(is_chunk)
}

/// Whether bytes are a whole packet, by its checksum.
pub fn is_packet(bytes: &[u8]) -> bool {
    const CHECKSUM_AT: usize = 8;
    let Some((header, chunks)) = bytes.split_at_checked(HEADER) else { return false };
    let (before, checksum) = header.split_at_checked(CHECKSUM_AT).unwrap_or_default();
    let counted = [before, &[0; 4], chunks].into_iter().flatten().fold(u32::MAX, |crc, byte| crc32c(crc ^ u32::from(*byte)));
    !chunks.is_empty() && checksum == (!counted).to_le_bytes()
}

/// Eight steps of CRC32c.
fn crc32c(crc: u32) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    (0..8).fold(crc, |crc, _| if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ POLYNOMIAL })
}

/// The initial TSN of a packet, and whether it begins a new association.
pub fn first_tsn(packet: &[u8]) -> Option<(u32, bool)> {
    const INITIAL_TSN: usize = 16;
    let mut chunks = packet.get(HEADER..)?;
    loop {
        let [kind, _, high, low] = *chunks.first_chunk()?;
        let at = |offset: usize| Some(u32::from_be_bytes(*chunks.get(offset..)?.first_chunk()?));
        match kind {
            0 => return Some((at(SUBHEADER)?, false)),
            1 | 2 => return Some((at(INITIAL_TSN)?, true)),
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes([high, low])).next_multiple_of(SUBHEADER);
        chunks = chunks.get(length.max(SUBHEADER)..)?;
    }
}

/// Dissects a packet; `bases` are the first TSNs of its sender and of its receiver. Complete DATA chunks are added to `data`.
///
/// # Errors
/// If a header or chunk is truncated, or has an invalid length.
pub fn packet(wire: &mut Wire<'_>, bases: [Option<u32>; 2], data: &mut dyn FnMut(Data)) -> Result {
    let src = wire.u16_be(&SRCPORT)?;
    let dst = wire.u16_be(&DSTPORT)?;
    wire.u32_be(&VERIFICATION_TAG)?;
    wire.u32_be(&CHECKSUM)?;
    let first = wire.ahead().first().and_then(|kind| name_of(CHUNKS, (*kind).into()));
    wire.name(first.unwrap_or_default());
    wire.info(format_args!("{src} → {dst}"));
    wire.groups(&CHUNK, |wire| chunk(wire, bases, data))
}

fn chunk(wire: &mut Wire<'_>, bases: [Option<u32>; 2], data: &mut dyn FnMut(Data)) -> Result {
    let kind = wire.u8(&CHUNK_TYPE)?;
    let bits: &[&Field] = match kind {
        0 | 64 => &[&I_BIT, &U_BIT, &B_BIT, &E_BIT],
        6 => &[&ABORT_T],
        14 => &[&COMPLETE_T],
        _ => &[],
    };
    let flags = wire.flags(&CHUNK_FLAGS, 1, bits)?;
    let length = length(wire, &CHUNK_LENGTH)?;
    wire.within(length - SUBHEADER, &CHUNK_VALUE, |wire| {
        let is_whole = wire.remaining() == length - SUBHEADER;
        match kind {
            0 => payload(wire, flags, bases, &mut |chunk| {
                if is_whole {
                    data(chunk)
                }
            }),
            1 => init(wire, [&INIT_TAG, &INIT_CREDIT, &INIT_OUT, &INIT_IN, &INIT_TSN]),
            2 => init(wire, [&INITACK_TAG, &INITACK_CREDIT, &INITACK_OUT, &INITACK_IN, &INITACK_TSN]),
            3 => sack(wire, bases),
            64 => interleaved(wire, flags),
            15 => {
                wire.u16_be(&SHARED_KEY)?;
                wire.u16_be(&HMAC_ID)?;
                wire.rest_is(&HMAC)
            }
            192 => {
                wire.u32_be(&FORWARD_TSN)?;
                wire.each(|wire| {
                    wire.u16_be(&FORWARD_SID)?;
                    wire.u16_be(&FORWARD_SSN)
                })
            }
            _ => simple(wire, kind),
        }
    })?;
    pad(wire, &CHUNK_PADDING, length)
}

/// Chunks with a single field, or with parameters or causes only.
fn simple(wire: &mut Wire<'_>, kind: u8) -> Result {
    match kind {
        4 | 5 | 130 => return parameters(wire),
        6 | 9 => wire.groups(&CAUSE, cause)?,
        7 => wire.u32_be(&SHUTDOWN_TSN).map(drop)?,
        10 => drop(wire.rest(&COOKIE)),
        12 => wire.u32_be(&ECNE_TSN).map(drop)?,
        13 => wire.u32_be(&CWR_TSN).map(drop)?,
        128 => {
            wire.u32_be(&ASCONF_ACK_SEQ)?;
            return parameters(wire);
        }
        132 => drop(wire.rest(&PADDING_DATA)),
        193 => {
            wire.u32_be(&ASCONF_SEQ)?;
            return parameters(wire);
        }
        _ => drop(wire.rest(&CHUNK_VALUE)),
    }
    Ok(())
}

fn payload(wire: &mut Wire<'_>, flags: u64, [base, _]: [Option<u32>; 2], data: &mut dyn FnMut(Data)) -> Result {
    let tsn = tsn(wire, &DATA_TSN, &DATA_TSN_RAW, base)?;
    let sid = wire.u16_be(&DATA_SID)?;
    let ssn = wire.u16_be(&DATA_SSN)?;
    let ppid = wire.u32_be(&DATA_PPID)?;
    let range = wire.at()..wire.at() + wire.remaining();
    wire.rest(&DATA_PAYLOAD);
    let has = |flag: &Field| flag.bits_of(flags) != 0;
    data(Data { tsn, sid, ssn, ppid, unordered: has(&U_BIT), begins: has(&B_BIT), ends: has(&E_BIT), range });
    Ok(())
}

fn interleaved(wire: &mut Wire<'_>, flags: u64) -> Result {
    wire.u32_be(&DATA_TSN_RAW)?;
    wire.u16_be(&DATA_SID)?;
    wire.u16_be(&DATA_RESERVED)?;
    wire.u32_be(&DATA_MID)?;
    wire.u32_be(if B_BIT.bits_of(flags) != 0 { &DATA_PPID } else { &DATA_FSN })?;
    wire.rest_is(&DATA_PAYLOAD)
}

fn init(wire: &mut Wire<'_>, [tag, credit, out, inbound, initial]: [&'static Field; 5]) -> Result {
    wire.u32_be(tag)?;
    wire.u32_be(credit)?;
    wire.u16_be(out)?;
    wire.u16_be(inbound)?;
    wire.u32_be(initial)?;
    parameters(wire)
}

fn sack(wire: &mut Wire<'_>, [_, base]: [Option<u32>; 2]) -> Result {
    tsn(wire, &SACK_TSN, &SACK_TSN_RAW, base)?;
    wire.u32_be(&SACK_CREDIT)?;
    let gaps = wire.u16_be(&SACK_GAPS)?;
    let duplicates = wire.u16_be(&SACK_DUPLICATES)?;
    for _ in 0..gaps {
        wire.u16_be(&GAP_START)?;
        wire.u16_be(&GAP_END)?;
    }
    for _ in 0..duplicates {
        wire.u32_be(&DUPLICATE_TSN)?;
    }
    Ok(())
}

/// A TSN, relative to the first one if that is known, and absolute.
fn tsn(wire: &mut Wire<'_>, relative: &'static Field, raw: &'static Field, base: Option<u32>) -> Result<u32> {
    let at = wire.at();
    if let (Some(base), Some(tsn)) = (base, wire.ahead().first_chunk()) {
        let tsn = u32::from_be_bytes(*tsn).wrapping_sub(base);
        wire.put(relative, Value::Unsigned(tsn.into()), at..at + 4);
    }
    wire.u32_be(raw)
}

fn parameters(wire: &mut Wire<'_>) -> Result {
    wire.groups(&PARAMETER, parameter)
}

fn parameter(wire: &mut Wire<'_>) -> Result {
    let kind = wire.u16_be(&PARAMETER_TYPE)?;
    let length = length(wire, &PARAMETER_LENGTH)?;
    wire.within(length - SUBHEADER, &PARAMETER_VALUE, |wire| {
        match (kind, wire.remaining()) {
            (1, _) => drop(wire.rest(&HEARTBEAT)),
            (5, 4) => drop(wire.bytes(&IPV4_ADDRESS, 4)?),
            (6, 16) => drop(wire.bytes(&IPV6_ADDRESS, 16)?),
            (7, _) => drop(wire.rest(&STATE_COOKIE)),
            (12, _) => wire.each(|wire| wire.u16_be(&ADDRESS_TYPE))?,
            (0x8004, _) => wire.each(|wire| wire.u16_be(&HMAC_ID))?,
            _ => drop(wire.rest(&PARAMETER_VALUE)),
        }
        Ok(())
    })?;
    pad(wire, &PARAMETER_PADDING, length)
}

fn cause(wire: &mut Wire<'_>) -> Result {
    wire.u16_be(&CAUSE_CODE)?;
    let length = length(wire, &CAUSE_LENGTH)?;
    wire.within(length - SUBHEADER, &CAUSE_INFORMATION, |wire| wire.rest_is(&CAUSE_INFORMATION))?;
    pad(wire, &CAUSE_PADDING, length)
}

/// A length that includes its own header of four bytes.
fn length(wire: &mut Wire<'_>, field: &'static Field) -> Result<usize> {
    let length = usize::from(wire.u16_be(field)?);
    if length < SUBHEADER {
        return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes; {SUBHEADER} are the least"));
    }
    Ok(length)
}

/// Padding after this length. The last one of a chunk may be omitted.
fn pad(wire: &mut Wire<'_>, field: &'static Field, length: usize) -> Result {
    let padding = (length.next_multiple_of(SUBHEADER) - length).min(wire.remaining());
    wire.optional(field, padding).map(drop)
}
