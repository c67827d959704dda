//! QUIC version 1 (RFC 9000, RFC 9001), version 2 (RFC 9369), drafts 22 to 34, mvfst and Google's T050 and T051:
//! headers, and contents of Initial packets.
//!
//! ```text
//! long header   1:1 bit | fixed:1 | type:2 | reserved:2 | number length:2 | version:4 | id length:1 | id | id length:1 | id
//!   initial     token length | token | length | number | frames
//!   0-rtt, handshake           length | number | frames
//!   retry       token | tag:16
//! short header  0:1 bit | fixed:1 | … | id | number | frames
//! ```
//! A datagram may hold several packets. The keys of Initial packets derive from a transmitted connection ID, so these packets are
//! decrypted: the hello inside has the server name and the application protocol, as over TCP.
//!
//! The fixed bit identifies QUIC only at the start of a connection: RFC 9287 lets both sides clear it. All later packets between
//! the endpoints of a connection are dissected, whatever their connection ID, and packets between other endpoints whose
//! connection ID a long header announced.
//!
//! A key log decrypts the other packets. Streams are reassembled and handed over to HTTP/3 message by message.
//!
//! Not covered: application protocols other than HTTP/3; Google's versions without TLS.

mod crypto;
mod decryption;
mod frames;
mod ids;
mod keys;
mod packets;
mod reassembly;
mod streams;
#[cfg(test)]
mod tests;
mod versions;

use crate::tree::{Names, fields};
use crate::wire::{Heuristic, On, Protocol};

pub static PROTOCOL: Protocol = Protocol::new(&QUIC, FIELDS)
    .found(&[On::AnyUdp.exchange::<packets::Session>(Heuristic::Datagram(packets::recognize))])
    .rest(&REMAINING);

fields! {
    QUIC = protocol("quic", "QUIC", "QUIC: a multiplexed and secure transport over UDP")
        .covers("Headers of versions 1 and 2, drafts 22 to 34, mvfst, Google's T050 and T051; decrypted Initial packets with their hellos; with a key log all packets and frames, and HTTP/3 in them")
        .leaves_open("Application protocols other than HTTP/3; Google's versions without TLS");
    PACKET = group("quic.packet", "packet", "").collapsed(packets::packet_value, packets::packet_meaning);
    PACKET_LENGTH = number("quic.packet_length", "packet length", "In bytes").once_per(&PACKET);
    FORM = number("quic.header_form", "header form", "Long or short header").names(&[(0, "short"), (1, "long")]).mask(0x80).once_per(&PACKET);
    FIXED = bool("quic.fixed_bit", "fixed bit", "Set unless both sides support greasing, RFC 9287").mask(0x40).once_per(&PACKET);
    TYPE = number("quic.long.packet_type", "packet type", "").names(TYPES).mask(0x30).once_per(&PACKET);
    TYPE_V2 = number("quic.long.packet_type_v2", "packet type", "In version 2").names(TYPES_V2).mask(0x30).once_per(&PACKET);
    PROTECTED_BITS = number("quic.protected_bits", "protected bits", "Bits under header protection").hex(2).mask(0x0f).once_per(&PACKET);
    SHORT_BITS = number("quic.short.protected_bits", "protected bits", "Bits of a short header under header protection").hex(2).mask(0x1f).once_per(&PACKET);
    SPIN = bool("quic.spin_bit", "spin bit", "Lets observers measure the round-trip time").mask(0x20).once_per(&PACKET);
    SHORT_RESERVED = number("quic.short.reserved", "reserved", "Must be zero").mask(0x18).once_per(&PACKET);
    KEY_PHASE = bool("quic.key_phase", "key phase", "Changes with the keys").mask(0x04).once_per(&PACKET);
    RESERVED = number("quic.long.reserved", "reserved", "Must be zero").mask(0x0c).once_per(&PACKET);
    NUMBER_LENGTH = number("quic.packet_number_length", "packet number length", "In bytes, minus one").mask(0x03).once_per(&PACKET);
    VERSION = number("quic.version", "version", "").hex(8).names(versions::NAMES).once_per(&PACKET);
    SUPPORTED = number("quic.supported_version", "supported version", "Version supported by the server").hex(8).names(versions::NAMES);
    DCIL = number("quic.dcil", "destination connection ID length", "In bytes").once_per(&PACKET);
    DCID = bytes("quic.dcid", "destination connection ID", "Chosen by the receiver of the packet").once_per(&PACKET);
    SCIL = number("quic.scil", "source connection ID length", "In bytes").once_per(&PACKET);
    SCID = bytes("quic.scid", "source connection ID", "Chosen by the sender of the packet").once_per(&PACKET);
    TOKEN_LENGTH = number("quic.token_length", "token length", "In bytes").once_per(&PACKET);
    TOKEN = bytes("quic.token", "token", "Address validation token").once_per(&PACKET);
    LENGTH = number("quic.length", "length", "Bytes of the packet number and the payload").once_per(&PACKET);
    NUMBER = number("quic.packet_number", "packet number", "").once_per(&PACKET);
    PAYLOAD = bytes("quic.payload", "payload", "Encrypted payload behind a long header").encrypted().once_per(&PACKET);
    PROTECTED = bytes("quic.protected_payload", "protected payload", "Encrypted payload behind a short header").encrypted().once_per(&PACKET);
    REMAINING = bytes("quic.remaining_payload", "remaining payload", "Packet number and payload that were not decrypted, and undissected bytes").encrypted();
    RETRY_TOKEN = bytes("quic.retry_token", "retry token", "Returned by the client in its next Initial packet");
    RETRY_TAG = bytes("quic.retry_integrity_tag", "retry integrity tag", "AEAD tag of the Retry packet");

    FRAME = group("quic.frame", "frame", "").collapsed(frames::frame_value, frames::frame_meaning);
    FRAME_TYPE = number("quic.frame_type", "frame type", "").names(frames::TYPES);
    FRAME_TYPE_OF_GOOGLE = number("quic.frame_type.google", "frame type", "In Google's versions").names(frames::TYPES_OF_GOOGLE);
    PADDING = bytes("quic.padding", "padding", "PADDING frames");
    PADDING_LENGTH = number("quic.padding_length", "padding length", "In bytes").on_request();
    LARGEST = number("quic.ack.largest_acknowledged", "largest acknowledged", "Packet number");
    DELAY = number("quic.ack.ack_delay", "ACK delay", "In microseconds, shifted right by ack_delay_exponent");
    RANGES = number("quic.ack.ack_range_count", "ACK range count", "");
    FIRST_RANGE = number("quic.ack.first_ack_range", "first ACK range", "Contiguous packets before the largest acknowledged");
    GAP = number("quic.ack.gap", "gap", "Contiguous unacknowledged packets, minus one");
    RANGE = number("quic.ack.ack_range", "ACK range", "Contiguous acknowledged packets, minus one");
    ECT0 = number("quic.ack.ect0_count", "ECT(0) count", "Packets received with ECN codepoint ECT(0)");
    ECT1 = number("quic.ack.ect1_count", "ECT(1) count", "Packets received with ECN codepoint ECT(1)");
    CE = number("quic.ack.ecn_ce_count", "ECN-CE count", "Packets received with ECN codepoint CE");
    OFFSET = number("quic.crypto.offset", "offset", "Offset of the data in the crypto stream");
    CRYPTO_LENGTH = number("quic.crypto.length", "length", "In bytes");
    CRYPTO = bytes("quic.crypto.crypto_data", "crypto data", "TLS handshake data").valueless();
    ERROR_CODE = number("quic.cc.error_code", "error code", "").names(ERRORS);
    ERROR_FRAME = number("quic.cc.frame_type", "frame type", "Type of the frame that caused the error").names(frames::TYPES);
    REASON_LENGTH = number("quic.cc.reason_phrase.length", "reason phrase length", "In bytes");
    REASON = text("quic.cc.reason_phrase", "reason phrase", "");

    APP_ERROR_CODE = number("quic.cc.error_code.app", "application error code", "");
    RESET_STREAM = number("quic.rsts.stream_id", "stream ID", "Stream that the sender resets");
    RESET_ERROR = number("quic.rsts.application_error_code", "application error code", "");
    FINAL_SIZE = number("quic.rsts.final_size", "final size", "Bytes of the stream that the sender has sent");
    STOP_STREAM = number("quic.ss.stream_id", "stream ID", "Stream whose data is not wanted");
    STOP_ERROR = number("quic.ss.application_error_code", "application error code", "");
    NEW_TOKEN_LENGTH = number("quic.nt.length", "token length", "In bytes");
    NEW_TOKEN = bytes("quic.nt.token", "token", "For the next connection");
    FIN = bool("quic.stream.fin", "FIN", "End of the stream").mask(0x01);
    HAS_LENGTH = bool("quic.stream.len", "LEN", "A length is present").mask(0x02);
    HAS_OFFSET = bool("quic.stream.off", "OFF", "An offset is present").mask(0x04);
    STREAM_ID = number("quic.stream.stream_id", "stream ID", "");
    INITIATOR = number("quic.stream.initiator", "stream initiator", "").names(&[(0, "client-initiated"), (1, "server-initiated")]).mask(0x01);
    IS_UNI = number("quic.stream.direction", "stream direction", "").names(&[(0, "bidirectional"), (1, "unidirectional")]).mask(0x02);
    STREAM_OFFSET = number("quic.stream.offset", "offset", "Offset of the data in the stream");
    STREAM_LENGTH = number("quic.stream.length", "length", "In bytes");
    STREAM_DATA = bytes("quic.stream_data", "stream data", "");
    MAX_DATA = number("quic.md.maximum_data", "maximum data", "Bytes that the peer may send on the connection");
    MAX_STREAM_ID = number("quic.msd.stream_id", "stream ID", "");
    MAX_STREAM_DATA = number("quic.msd.maximum_stream_data", "maximum stream data", "Bytes that the peer may send on the stream");
    MAX_STREAMS = number("quic.ms.max_streams", "max streams", "Streams that the peer may open");
    CONNECTION_LIMIT = number("quic.sb.stream_data_limit", "data limit", "Limit of the connection that blocks the sender");
    BLOCKED_STREAM = number("quic.sdb.stream_id", "stream ID", "Stream whose limit blocks the sender");
    BLOCKED_STREAM_LIMIT = number("quic.sdb.stream_data_limit", "stream data limit", "Limit of the stream that blocks the sender");
    STREAM_LIMIT = number("quic.sib.stream_limit", "stream limit", "Number of streams that blocks the sender");
    NEW_ID_SEQUENCE = number("quic.nci.sequence", "sequence", "Number of the connection ID");
    RETIRE_PRIOR = number("quic.nci.retire_prior_to", "retire prior to", "Connection IDs with lower numbers are to be retired");
    NEW_ID_LENGTH = number("quic.nci.connection_id.length", "connection ID length", "In bytes");
    NEW_ID = bytes("quic.nci.connection_id", "connection ID", "Identifies the connection from now on as well");
    RESET_TOKEN = bytes("quic.nci.stateless_reset_token", "stateless reset token", "Ends a stateless reset of the connection");
    RETIRED = number("quic.rci.sequence", "sequence", "Number of the connection ID that is retired");
    CHALLENGE = bytes("quic.path_challenge.data", "data", "To be returned over the same path");
    RESPONSE = bytes("quic.path_response.data", "data", "Of the challenge");
    DATAGRAM_LENGTH = number("quic.dg.length", "datagram length", "In bytes");
    DATAGRAM = bytes("quic.dg", "datagram", "Unreliable data of the application, RFC 9221");

    FREQUENCY_SEQUENCE = number("quic.af.sequence_number", "sequence number", "Of ACK_FREQUENCY frames");
    FREQUENCY_THRESHOLD = number("quic.af.ack_eliciting_threshold", "ack-eliciting threshold", "Packets before an acknowledgment");
    FREQUENCY_DELAY = number("quic.af.request_max_ack_delay", "request max ack delay", "In microseconds");
    FREQUENCY_LAST = number("quic.af.last_byte", "last byte", "Whether order and congestion marks are ignored").hex(2);
    TIMESTAMP = number("quic.ts", "timestamp", "When the packet was sent, in units of the ACK delay");

    NOT_REASSEMBLED = info("quic.stream.not_reassembled", "not reassembled", "Stream data that no message was formed of");
    RESERVED_VERSION = info("quic.reserved_version", "reserved version", "Version 0x?a?a?a?a, which exercises version negotiation");
    NOT_OPENED = info("quic.not_opened", "not decrypted", "Packet that its keys do not decrypt");
}

const TYPES: Names = &[(0, "initial"), (1, "0-rtt"), (2, "handshake"), (3, "retry")];
const TYPES_V2: Names = &[(0, "retry"), (1, "initial"), (2, "0-rtt"), (3, "handshake")];

const ERRORS: Names = &[
    (0, "no error"),
    (1, "internal error"),
    (2, "connection refused"),
    (3, "flow control error"),
    (4, "stream limit error"),
    (5, "stream state error"),
    (6, "final size error"),
    (7, "frame encoding error"),
    (8, "transport parameter error"),
    (9, "connection id limit error"),
    (10, "protocol violation"),
    (11, "invalid token"),
    (12, "application error"),
    (13, "crypto buffer exceeded"),
    (14, "key update error"),
    (15, "aead limit reached"),
    (16, "no viable path"),
];

/// Largest connection ID in bytes.
const ID_MAX: usize = 20;
