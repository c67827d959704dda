//! HTTP/2 (RFC 9113) on any TCP port, inside decrypted TLS, and after an upgrade from HTTP/1.1.
//!
//! ```text
//! preface     "PRI * HTTP/2.0" CRLF CRLF "SM" CRLF CRLF, from the client
//! frame       length:3 | type:1 | flags:1 | reserved:1 bit | stream:31 bits | payload:length
//!
//! DATA            (pad length:1) | data | padding
//! HEADERS         (pad length:1) | (exclusive:1 bit | dependency:31 bits | weight:1) | header block | padding
//! PRIORITY        exclusive:1 bit | dependency:31 bits | weight:1
//! RST_STREAM      error:4
//! SETTINGS        identifier:2 | value:4, repeated
//! PUSH_PROMISE    (pad length:1) | reserved:1 bit | promised stream:31 bits | header block | padding
//! PING            8 bytes
//! GOAWAY          reserved:1 bit | last stream:31 bits | error:4 | debug data
//! WINDOW_UPDATE   reserved:1 bit | increment:31 bits
//! CONTINUATION    header block, continued
//! ALTSVC, ORIGIN, PRIORITY_UPDATE    RFC 7838, 8336 and 9218
//! ```
//! Each frame is a message. A header block in several frames is dissected with the last one, and a body in several DATA frames
//! with its last one. Header blocks are compressed with HPACK (RFC 7541), which needs all earlier blocks of the direction.
//!
//! Not covered: content codings other than gzip and deflate; detection of connections without their preface.

pub(super) mod body;
mod flags;
mod frames;
mod grpc;
pub(super) mod headers;
mod heuristics;
pub(super) mod hpack;
pub(super) mod known;
mod names;
pub(super) mod section;
mod session;
pub(super) mod streams;
#[cfg(test)]
mod tests;

use crate::tree::{Computed, NodeRef, fields, title};
use crate::wire::{Heuristic, On, Protocol};
pub use grpc::PROTOCOL as GRPC;
use names::{ERRORS, SETTINGS_NAMES, TYPES};
pub(super) use session::upgraded;

pub static PROTOCOL: Protocol = Protocol::new(&HTTP2, FIELDS)
    .found(&[On::AnyTcp.stream::<session::Session>(Heuristic::Stream(heuristics::recognize))])
    .rest(&UNKNOWN)
    .tables(|| known::FIELDS.to_vec());

fields! {
    HTTP2 = protocol("http2", "HTTP2", "Hypertext Transfer Protocol, version 2")
        .covers("All frames, header fields decompressed with HPACK, and bodies of each stream: JSON, DNS and gRPC; cleartext, after an upgrade, and in decrypted TLS")
        .leaves_open("Content codings other than gzip and deflate, and connections without their preface");
    MAGIC = text("http2.magic", "magic", "Connection preface of the client").once();
    LENGTH = number("http2.length", "length", "Payload without the frame header, in bytes").once();
    TYPE = number("http2.type", "type", "Frame type").names(TYPES).once();
    FLAGS = number("http2.flags", "flags", "Their meaning depends on the frame type").hex(2).once();
    END_STREAM = bool("http2.flags.end_stream", "end stream", "Last frame with data or headers of this side of the stream").mask(0x01).once();
    END_HEADERS = bool("http2.flags.eh", "end headers", "No CONTINUATION frame follows").mask(0x04).once();
    PADDED = bool("http2.flags.padded", "padded", "A pad length and padding are present").mask(0x08).once();
    PRIORITY = bool("http2.flags.priority", "priority", "Stream dependency and weight are present").mask(0x20).once();
    ACK_SETTINGS = bool("http2.flags.ack.settings", "ACK", "Acknowledges the settings of the peer").mask(0x01).once();
    ACK_PING = bool("http2.flags.ack.ping", "ACK", "Response to a PING").mask(0x01).once();
    UNUSED = number("http2.flags.unused", "unused", "Must be zero").hex(2).mask(0xff).once();
    UNUSED_SETTINGS = number("http2.flags.unused_settings", "unused", "Must be zero").hex(2).mask(0xfe).once();
    UNUSED_PING = number("http2.flags.unused_ping", "unused", "Must be zero").hex(2).mask(0xfe).once();
    UNUSED_CONTINUATION = number("http2.flags.unused_continuation", "unused", "Must be zero").hex(2).mask(0xfb).once();
    UNUSED_PUSH_PROMISE = number("http2.flags.unused_push_promise", "unused", "Must be zero").hex(2).mask(0xf3).once();
    UNUSED_DATA = number("http2.flags.unused_data", "unused", "Must be zero").hex(2).mask(0xf6).once();
    UNUSED_HEADERS = number("http2.flags.unused_headers", "unused", "Must be zero").hex(2).mask(0xd2).once();
    RESERVED = number("http2.r", "reserved", "Must be zero").hex(8).mask(0x8000_0000).once();
    STREAM_ID = number("http2.streamid", "stream identifier", "0 is the connection as a whole").mask(0x7fff_ffff).once();
    PADDING = number("http2.padding", "pad length", "In bytes").hex(2).once();
    PAD_LENGTH = number("http2.pad_length", "pad length", "In bytes; 0 without padding").on_request().once();

    EXCLUSIVE = bool("http2.exclusive", "exclusive", "The stream becomes the only dependency of its parent").mask(0x8000_0000).once();
    DEPENDENCY = number("http2.stream_dependency", "stream dependency", "Stream on which this stream depends").mask(0x7fff_ffff).once();
    WEIGHT = number("http2.headers.weight", "weight", "Weight of the stream minus 1").once();
    WEIGHT_REAL = number("http2.headers.weight_real", "real weight", "1 to 256").generated(&[&WEIGHT], real_weight);

    DATA = bytes("http2.data.data", "data", "Application data").body().once();
    DATA_PADDING = bytes("http2.data.padding", "padding", "").once();
    REASSEMBLED = number("http2.body.reassembled.length", "reassembled body length", "Bytes of a body that several frames transport").once();
    BODY = bytes("http2.body.reassembled.data", "reassembled body data", "Body that several frames transport").body().once();
    ENCODED = bytes("http2.body.encoded", "content-encoded body", "Body before decompression").body().once();
    TEXT = text("http2.body.text", "body", "Body that is text").body().once();
    DECODED = bytes("http2.body.decoded", "decompressed body", "Decompressed body that is not text").body().once();

    BLOCK = bytes("http2.headers", "header block fragment", "Header fields compressed with HPACK").once();
    PROMISE_BLOCK = bytes("http2.push_promise.header", "header block fragment", "Header fields of the promised request").once();
    CONTINUED_BLOCK = bytes("http2.continuation.header", "continuation header", "Continued header block").once();
    HEADERS_PADDING = bytes("http2.headers.padding", "padding", "").once();
    PROMISE_PADDING = bytes("http2.push_promise.padding", "padding", "").once();
    HEADER_LENGTH = number("http2.header.length", "header length", "Decompressed names and values with their lengths, of 4 bytes each").once();
    HEADER_COUNT = number("http2.header.count", "header count", "Header fields and table size updates").once();
    HEADER = group("http2.header", "header", "Header field").collapsed(header_line, title::nothing).named(header_title, header_text, title::nothing);
    HEADER_NAME_LENGTH = number("http2.header.name.length", "name length", "In bytes").on_request().once_per(&HEADER);
    HEADER_NAME = text("http2.header.name", "name", "").transformed().once_per(&HEADER);
    HEADER_VALUE_LENGTH = number("http2.header.value.length", "value length", "In bytes").on_request().once_per(&HEADER);
    HEADER_VALUE = text("http2.header.value", "value", "").transformed().once_per(&HEADER);
    HEADER_FORM = text("http2.header.repr", "representation", "HPACK representation").once_per(&HEADER);
    HEADER_INDEX = number("http2.header.index", "index", "1 to 61: static table; from 62: dynamic table").once_per(&HEADER);
    RESIZE = group("http2.header_table_size_update", "header table size update", "").collapsed(title::last_value, title::nothing);
    RESIZE_TO = number("http2.header_table_size_update.header_table_size", "header table size", "In bytes").once_per(&RESIZE);
    UNDECODED = bytes("http2.header.undecoded", "undecoded fields", "Part of a header block that is not decoded").once();
    FULL_URI = text("http2.request.full_uri", "full request URI", "").once();
    RESPONSE_TO = text("http2.response_for.uri", "response for", "URI of the request").once();

    ERROR = number("http2.rst_stream.error", "error", "Why the stream is terminated").names(ERRORS).once();
    SETTING = group("http2.settings", "settings", "").collapsed(title::last_value, title::nothing).named(title::kind, title::last_value, title::nothing);
    SETTING_ID = number("http2.settings.id", "settings identifier", "").names(SETTINGS_NAMES).once_per(&SETTING);
    TABLE_SIZE = number("http2.settings.header_table_size", "header table size", "Maximum size of the dynamic table of the peer, in bytes").once_per(&SETTING);
    ENABLE_PUSH = number("http2.settings.enable_push", "enable push", "Whether the server may push").once_per(&SETTING);
    MAX_STREAMS = number("http2.settings.max_concurrent_streams", "max concurrent streams", "Streams that the peer may have open").once_per(&SETTING);
    WINDOW_SIZE = number("http2.settings.initial_window_size", "initial window size", "Flow-control window of new streams, in bytes").once_per(&SETTING);
    MAX_FRAME = number("http2.settings.max_frame_size", "max frame size", "Largest payload of a frame, in bytes").once_per(&SETTING);
    MAX_LIST = number("http2.settings.max_header_list_size", "max header list size", "Largest decompressed header section, in bytes").once_per(&SETTING);
    EXTENDED_CONNECT = number("http2.settings.extended_connect", "extended CONNECT", "RFC 8441").once_per(&SETTING);
    UNKNOWN_SETTING = number("http2.settings.unknown", "unknown setting", "").once_per(&SETTING);
    PROMISE_RESERVED = number("http2.push_promise.r", "reserved", "Must be zero").hex(8).mask(0x8000_0000).once();
    PROMISED = number("http2.push_promise.promised_stream_id", "promised stream ID", "Stream of the response to the promised request").mask(0x7fff_ffff).once();
    PING = bytes("http2.ping", "ping", "To be returned").once();
    PONG = bytes("http2.pong", "pong", "Copied from the ping").once();
    GOAWAY_RESERVED = number("http2.goway.r", "reserved", "Must be zero").hex(8).mask(0x8000_0000).once();
    LAST_STREAM = number("http2.goaway.last_stream_id", "last stream ID", "Highest stream that the sender may have processed").mask(0x7fff_ffff).once();
    GOAWAY_ERROR = number("http2.goaway.error", "error", "Why the connection is closed").names(ERRORS).once();
    DEBUG_DATA = bytes("http2.goaway.addata", "additional debug data", "").once();
    WINDOW_RESERVED = number("http2.window_update.r", "reserved", "Must be zero").hex(8).mask(0x8000_0000).once();
    INCREMENT = number("http2.window_update.window_size_increment", "window size increment", "Bytes that the peer may send in addition").mask(0x7fff_ffff).once();
    ALTSVC_ORIGIN_LENGTH = number("http2.altsvc.origin.len", "origin length", "In bytes").once();
    ALTSVC_ORIGIN = text("http2.altsvc.origin", "origin", "Origin with an alternative service").once();
    ALTSVC_VALUE = text("http2.altsvc.field_value", "field value", "Value of an Alt-Svc header").once();
    ORIGIN = group("http2.origin", "origin", "").collapsed(title::last_value, title::nothing);
    ORIGIN_LENGTH = number("http2.origin.origin_len", "origin length", "In bytes").once_per(&ORIGIN);
    ORIGIN_TEXT = text("http2.origin.origin", "origin", "Origin for which the server is authoritative").once_per(&ORIGIN);
    UPDATED_STREAM = number("http2.priority_update_stream_id", "priority update stream ID", "").mask(0x7fff_ffff).once();
    UPDATED_VALUE = text("http2.priority_update_field_value", "priority update field value", "Value of a Priority header").once();
    UNKNOWN = bytes("http2.unknown", "unknown", "Undissected bytes");

    BAD_PADDING = broken("http2.padding.invalid", "padding too long", "The padding exceeds the payload");
    BAD_BLOCK = broken("http2.header.invalid", "invalid header block", "Header block that HPACK does not permit");
    UNKNOWN_INDEX = info("http2.header.unknown_index", "unknown index", "Index of an entry that was added before the capture or in lost bytes");
    BAD_INDEX = odd("http2.header.invalid_index", "invalid index", "Index of an entry that does not exist");
    TOO_MANY = odd("http2.header_size_exceeded", "too many header fields", "The decompressed header fields exceed the limit");
    NO_START = odd("http2.continuation.no_start", "no start", "CONTINUATION without the frame that begins the header block");
    INTERRUPTED = odd("http2.continuation.interrupted", "interrupted header block", "Another frame inside a header block");
    NOT_JOINED = info("http2.body.not_joined", "not reassembled", "The body is not reassembled");
    DECOMPRESSION_FAILED = odd("http2.body_decompression_failed", "decompression failed", "The body does not match its content coding");
    DECOMPRESSION_LIMIT = odd("http2.decompression_limit", "decompression limit", "The decompressed body exceeds the limit");
    NO_INCREMENT = odd("http2.window_update.zero", "no increment", "WINDOW_UPDATE of 0, which RFC 9113 section 6.9 forbids");
}

fn real_weight(weight: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let Some(weight) = weight.number() {
        take(Computed::Number(weight + 1));
    }
}

pub(super) fn header_title(node: NodeRef<'_>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    title::key(node, out)
}

pub(super) fn header_text(node: NodeRef<'_>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    node.child(&HEADER_VALUE).map_or(Ok(()), |value| value.write_value(out))
}

pub(super) fn header_line(node: NodeRef<'_>, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
    header_title(node, out)?;
    out.write_str(": ")?;
    header_text(node, out)
}
