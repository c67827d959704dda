//! HTTP/3 (RFC 9114) on decrypted QUIC, with header fields compressed with QPACK (RFC 9204).
//!
//! ```text
//! unidirectional stream   type | frames (control), push ID and frames (push), or instructions of QPACK
//! bidirectional stream    frames of a request, or of its response
//! frame                   type | length | payload:length
//!
//! DATA            data
//! HEADERS         field section
//! CANCEL_PUSH     push ID
//! SETTINGS        identifier | value, repeated
//! PUSH_PROMISE    push ID | field section
//! GOAWAY          stream ID or push ID
//! MAX_PUSH_ID     push ID
//! PRIORITY_UPDATE element ID | value of a Priority header (RFC 9218)
//!
//! types, lengths, identifiers, values and IDs are variable-length integers (RFC 9000)
//! ```
//! Each frame and each instruction is a message. A field section that refers to entries of the dynamic table that have not
//! arrived is dissected with the instruction that inserts the last of them.
//!
//! Not covered: extensions such as WebTransport and datagrams; content codings other than gzip and deflate.

mod framing;
mod known;
mod qpack;
mod session;
#[cfg(test)]
mod tests;

use crate::protocols::http2;
use crate::tree::{Names, fields, title};
use crate::wire::{Heuristic, On, Protocol};
pub(super) use framing::Framing;

/// Name of the handover of stream data.
pub(super) const PLACE: &str = "h3";

pub static PROTOCOL: Protocol = Protocol::new(&HTTP3, FIELDS)
    .found(&[On::Over(PLACE).exchange::<session::Session>(Heuristic::Anything)])
    .rest(&UNKNOWN)
    .tables(|| known::FIELDS.to_vec());

fields! {
    HTTP3 = protocol("http3", "HTTP3", "Hypertext Transfer Protocol, version 3")
        .covers("All frames, header fields decompressed with QPACK, and bodies of each stream: JSON, DNS and gRPC; in QUIC that a key log decrypts")
        .leaves_open("WebTransport, datagrams, and content codings other than gzip and deflate");
    STREAM_TYPE = number("http3.stream_uni_type", "stream type", "Type of a unidirectional stream").names(STREAM_TYPES).also("http3.stream_type").once();
    PUSH_ID = number("http3.push_id", "push ID", "Number of a promised response").once();
    FRAME_TYPE = number("http3.frame_type", "frame type", "").names(TYPES);
    FRAME_LENGTH = number("http3.frame_length", "frame length", "Payload without type and length, in bytes");
    PAYLOAD = bytes("http3.frame_payload", "frame payload", "").on_request();
    DATA = bytes("http3.data", "data", "Application data").body().twin(&http2::DATA);
    REASSEMBLED = number("http3.body.reassembled.length", "reassembled body length", "Bytes of a body that several frames transport").twin(&http2::REASSEMBLED);
    BODY = bytes("http3.body.reassembled.data", "reassembled body data", "Body that several frames transport").body().twin(&http2::BODY);
    ENCODED = bytes("http3.body.encoded", "content-encoded body", "Body before decompression").body().twin(&http2::ENCODED);
    TEXT = text("http3.body.text", "body", "Body that is text").body().twin(&http2::TEXT);
    DECODED = bytes("http3.body.decoded", "decompressed body", "Decompressed body that is not text").body().twin(&http2::DECODED);

    SECTION = bytes("http3.headers", "field section", "Header fields compressed with QPACK");
    HEADER_COUNT = number("http3.headers.count", "header count", "");
    HEADER = group("http3.headers.header", "header", "Header field").collapsed(http2::header_line, title::nothing).named(http2::header_title, http2::header_text, title::nothing).twin(&http2::HEADER);
    HEADER_NAME_LENGTH = number("http3.headers.header.name.length", "name length", "In bytes").on_request().once_per(&HEADER).twin(&http2::HEADER_NAME_LENGTH);
    HEADER_NAME = text("http3.headers.header.name", "name", "").transformed().also("http3.header.header.name").once_per(&HEADER).twin(&http2::HEADER_NAME);
    HEADER_VALUE_LENGTH = number("http3.headers.header.value.length", "value length", "In bytes").on_request().once_per(&HEADER).twin(&http2::HEADER_VALUE_LENGTH);
    HEADER_VALUE = text("http3.headers.header.value", "value", "").transformed().once_per(&HEADER).twin(&http2::HEADER_VALUE);
    HEADER_FORM = text("http3.headers.header.repr", "representation", "QPACK representation").once_per(&HEADER).twin(&http2::HEADER_FORM);
    HEADER_INDEX = number("http3.headers.header.index", "index", "Of the static table, or absolute in the dynamic table").once_per(&HEADER).twin(&http2::HEADER_INDEX);
    UNDECODED = bytes("http3.headers.undecoded", "undecoded fields", "Part of a field section that is not decoded").twin(&http2::UNDECODED);
    FULL_URI = text("http3.request.full_uri", "full request URI", "").twin(&http2::FULL_URI);
    RESPONSE_TO = text("http3.response_for.uri", "response for", "URI of the request").twin(&http2::RESPONSE_TO);
    REQUIRED = number("http3.header.qpack.blocked.rcint", "required insert count", "Entries of the dynamic table that a blocked section needs");
    AVAILABLE = number("http3.header.qpack.blocked.wcint", "available insert count", "Entries that have been inserted");

    SETTING = group("http3.settings", "settings", "").collapsed(title::last_value, title::nothing).named(title::kind, title::last_value, title::nothing);
    SETTING_ID = number("http3.settings.id", "settings identifier", "").names(SETTINGS).once_per(&SETTING);
    SETTING_VALUE = number("http3.settings.value", "settings value", "").once_per(&SETTING);
    TABLE_CAPACITY = number("http3.settings.qpack.max_table_capacity", "max table capacity", "Of the dynamic table of the peer, in bytes").once_per(&SETTING);
    MAX_SECTION = number("http3.settings.max_field_section_size", "max field section size", "Decompressed, in bytes").once_per(&SETTING);
    BLOCKED_STREAMS = number("http3.settings.qpack.blocked_streams", "blocked streams", "Streams that may wait for entries").once_per(&SETTING);
    EXTENDED_CONNECT = number("http3.settings.extended_connect", "extended CONNECT", "RFC 9220").once_per(&SETTING);
    H3_DATAGRAM = number("http3.settings.h3_datagram", "H3 datagram", "RFC 9297").once_per(&SETTING);
    GOAWAY_ID = number("http3.goaway.id", "GOAWAY ID", "First stream ID or push ID that the sender will not process");
    ELEMENT_ID = number("http3.priority_update_element_id", "priority update element ID", "Stream ID or push ID");
    PRIORITY = text("http3.priority_update_field_value", "priority update field value", "Value of a Priority header");

    ENCODER = bytes("http3.qpack.encoder", "QPACK encoder instruction", "");
    INSERT_INDEXED = bytes("http3.qpack.encoder.opcode.insert_indexed", "insert with name reference", "").once();
    INSERT_REF = bytes("http3.qpack.encoder.opcode.insert_indexed.ref", "name reference", "").once();
    INSERT_INDEXED_VALUE = bytes("http3.qpack.encoder.opcode.insert_indexed.val", "value", "As encoded").once();
    INSERT = bytes("http3.qpack.encoder.opcode.insert", "insert with literal name", "").once();
    INSERT_NAME = bytes("http3.qpack.encoder.opcode.insert.name", "literal name", "As encoded").once();
    INSERT_VALUE = bytes("http3.qpack.encoder.opcode.insert.val", "value", "As encoded").once();
    DUPLICATE = number("http3.qpack.encoder.opcode.duplicate", "duplicate", "Relative index").once();
    CAPACITY = number("http3.qpack.encoder.opcode.dtable_cap.val", "capacity", "Of the dynamic table, in bytes").once();
    INSERTED_NAME = text("http3.qpack.encoder.name", "name", "Name of the inserted entry").transformed().once();
    INSERTED_VALUE = text("http3.qpack.encoder.value", "value", "Value of the inserted entry").transformed().once();
    INSERT_COUNT = number("http3.qpack.encoder.icnt", "insert count", "Entries that have been inserted").once();
    ACKNOWLEDGED = number("http3.qpack.decoder.section_ack", "section acknowledgment", "Stream of a field section that was decoded").once();
    CANCELLED = number("http3.qpack.decoder.stream_cancel", "stream cancellation", "Stream that is not read any more").once();
    INCREMENT = number("http3.qpack.decoder.insert_count_inc", "insert count increment", "Entries received since").once();
    UNKNOWN = bytes("http3.unknown", "unknown", "Undissected bytes");

    UNKNOWN_TYPE = info("http3.unknown_stream_type", "unknown stream type", "Type of a unidirectional stream without a meaning");
    BLOCKED = info("http3.header.qpack.blocked", "blocked", "The field section needs entries that have not arrived");
    BAD_INSTRUCTION = broken("http3.qpack_enc_failed", "invalid instruction", "Instruction that QPACK does not permit");
    BAD_SECTION = broken("http3.headers.invalid", "invalid field section", "Field section that QPACK does not permit").twin(&http2::BAD_BLOCK);
    UNKNOWN_INDEX = info("http3.headers.unknown_index", "unknown index", "Index of an entry in bytes that are not in the capture").twin(&http2::UNKNOWN_INDEX);
    BAD_INDEX = odd("http3.headers.invalid_index", "invalid index", "Index of an entry that does not exist").twin(&http2::BAD_INDEX);
    TOO_MANY = odd("http3.header_size_exceeded", "too many header fields", "The decompressed header fields exceed the limit").twin(&http2::TOO_MANY);
    NOT_JOINED = info("http3.body.not_joined", "not reassembled", "The body is not reassembled").twin(&http2::NOT_JOINED);
    DECOMPRESSION_FAILED = odd("http3.body_decompression_failed", "decompression failed", "The body does not match its content coding").twin(&http2::DECOMPRESSION_FAILED);
    DECOMPRESSION_LIMIT = odd("http3.decompression_limit", "decompression limit", "The decompressed body exceeds the limit").twin(&http2::DECOMPRESSION_LIMIT);
}

const STREAM_TYPES: Names = &[(0, "control"), (1, "push"), (2, "QPACK encoder"), (3, "QPACK decoder"), (0x54, "WebTransport")];

const TYPES: Names = &[
    (0, "DATA"),
    (1, "HEADERS"),
    (3, "CANCEL_PUSH"),
    (4, "SETTINGS"),
    (5, "PUSH_PROMISE"),
    (7, "GOAWAY"),
    (0x0d, "MAX_PUSH_ID"),
    (0xf_0700, "PRIORITY_UPDATE"),
    (0xf_0701, "PRIORITY_UPDATE"),
];

const SETTINGS: Names = &[
    (1, "max table capacity"),
    (6, "max field section size"),
    (7, "blocked streams"),
    (8, "extended CONNECT"),
    (0x33, "H3 datagram"),
];

/// Detail of a message from the carrier: the stream, and whether the stream ends with it.
pub(super) fn detail(stream: u64, is_last: bool) -> u64 {
    stream << 1 | u64::from(is_last)
}
