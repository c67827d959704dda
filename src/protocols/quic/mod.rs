//! QUIC version 1 (RFC 9000, RFC 9001), version 2 (RFC 9369), drafts 22 to 34, mvfst and Google's T050 and T051:
//! headers, and what the first packets say.
//!
//! ```text
//! long header   1:1 bit | fixed:1 | type:2 | reserved:2 | number length:2 | version:4 | id length:1 | id | id length:1 | id
//!   initial     token length | token | length | number | frames
//!   0-rtt, handshake           length | number | frames
//!   retry       token | tag:16
//! short header  0:1 bit | fixed:1 | … | id | number | frames
//! ```
//! A datagram may hold several packets. The keys of initial packets follow from an id that is sent with them, so these are
//! opened: the hello inside tells the server's name and the protocol, as over TCP.
//!
//! The fixed bit tells QUIC from other protocols only at the start of a connection: RFC 9287 lets both sides send it as 0.
//! Once a connection is known, all packets between its ends are read, whatever their connection ID.
//!
//! Not covered: everything behind initial packets, for which keys are needed that are not sent; Google's versions without TLS.

mod frames;
mod keys;
mod packets;
#[cfg(test)]
mod tests;
mod versions;

use crate::tree::{Names, fields};
use crate::wire::{Exchange, Looks, On, Protocol, Settings};

/// QUIC.
pub static PROTOCOL: Protocol = Protocol {
    this: &QUIC,
    fields: FIELDS,
    found: &[On::AnyUdp.exchange(Looks::Datagram(packets::looks), open)],
    rest: Some(&REMAINING),
    truncated: None,
    gap: None,
    tables: None,
    settings: &[],
};

fields! {
    QUIC = protocol("quic", "QUIC", "A transport over UDP with TLS inside")
        .covers("Headers of versions 1 and 2, drafts 22 to 34, mvfst, Google's T050 and T051; Initial packets decrypted, with the hello inside")
        .leaves_open("Everything behind the first packets, whose keys are not sent; Google's versions without TLS");
    PACKET = group("quic.packet", "packet", "A packet").digest(packets::packet_value, packets::packet_meaning);
    PACKET_LENGTH = number("quic.packet_length", "packet length", "Bytes of the packet");
    FORM = number("quic.header_form", "header form", "Which header it has").names(&[(0, "short"), (1, "long")]).mask(0x80);
    FIXED = bool("quic.fixed_bit", "fixed bit", "True in QUIC").mask(0x40);
    TYPE = number("quic.long.packet_type", "type", "What the packet is").names(TYPES).mask(0x30);
    TYPE_V2 = number("quic.long.packet_type_v2", "type", "What the packet is").names(TYPES_V2).mask(0x30);
    PROTECTED_BITS = number("quic.protected_bits", "protected bits", "Bits that are masked").hex(2).mask(0x0f);
    SHORT_BITS = number("quic.short.protected_bits", "protected bits", "Bits that are masked, but for the first").hex(2).mask(0x3f);
    RESERVED = number("quic.long.reserved", "reserved", "Zero").mask(0x0c);
    NUMBER_LENGTH = number("quic.packet_number_length", "number length", "Bytes of the packet's number less one").mask(0x03);
    VERSION = number("quic.version", "version", "Version").hex(8).names(versions::NAMES);
    SUPPORTED = number("quic.supported_version", "supported version", "A version that the server speaks").hex(8).names(versions::NAMES);
    DCIL = number("quic.dcil", "destination id length", "Bytes of the id");
    DCID = bytes("quic.dcid", "destination id", "The connection, as the receiver calls it");
    SCIL = number("quic.scil", "source id length", "Bytes of the id");
    SCID = bytes("quic.scid", "source id", "The connection, as the sender calls it");
    TOKEN_LENGTH = number("quic.token_length", "token length", "Bytes of the token");
    TOKEN = bytes("quic.token", "token", "Proof that the client was here before");
    LENGTH = number("quic.length", "length", "Bytes of the number and the frames");
    NUMBER = number("quic.packet_number", "packet number", "Number of the packet");
    PROTECTED = bytes("quic.protected_payload", "protected payload", "The number and the frames, encrypted");
    REMAINING = bytes("quic.remaining_payload", "remaining payload", "Bytes that are not understood");
    RETRY_TOKEN = bytes("quic.retry_token", "retry token", "What the client shall send back");
    RETRY_TAG = bytes("quic.retry_integrity_tag", "retry tag", "Seal of the packet");

    FRAME = group("quic.frame", "frame", "A frame").digest(frames::frame_value, frames::frame_meaning);
    FRAME_TYPE = number("quic.frame_type", "type", "What the frame is").names(frames::TYPES);
    PADDING = bytes("quic.padding", "padding", "Frames that say nothing");
    LARGEST = number("quic.ack.largest_acknowledged", "largest", "The last packet that came");
    DELAY = number("quic.ack.ack_delay", "delay", "For how long it was not told");
    RANGES = number("quic.ack.ack_range_count", "ranges", "Ranges of packets that came");
    FIRST_RANGE = number("quic.ack.first_ack_range", "first range", "Packets before the last that came");
    GAP = number("quic.ack.gap", "gap", "Packets that did not come");
    RANGE = number("quic.ack.ack_range", "range", "Packets that came");
    ECT0 = number("quic.ack.ect0_count", "ect0", "Packets with this mark");
    ECT1 = number("quic.ack.ect1_count", "ect1", "Packets with this mark");
    CE = number("quic.ack.ecn_ce_count", "ce", "Packets with this mark");
    OFFSET = number("quic.crypto.offset", "offset", "Place of the bytes in the handshake");
    CRYPTO_LENGTH = number("quic.crypto.length", "length", "Bytes of the handshake");
    CRYPTO = bytes("quic.crypto.crypto_data", "handshake data", "Bytes of the handshake");
    ERROR_CODE = number("quic.cc.error_code", "error code", "Why the connection is closed").names(ERRORS);
    ERROR_FRAME = number("quic.cc.frame_type", "frame type", "The frame that led to it").names(frames::TYPES);
    REASON_LENGTH = number("quic.cc.reason_phrase.length", "reason length", "Bytes of the reason");
    REASON = text("quic.cc.reason_phrase", "reason", "Why the connection is closed, in words");

    RESERVED_VERSION = info("quic.reserved_version", "reserved version", "A version 0x?a?a?a?a, which exercises version negotiation");
    NOT_OPENED = info("quic.not_opened", "not opened", "An initial packet that its keys do not open");
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

/// The longest connection id.
const ID_MAX: usize = 20;

fn open(_: &Settings) -> Box<dyn Exchange> {
    Box::<packets::Session>::default()
}
