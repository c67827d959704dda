//! gRPC over HTTP/2: length-prefixed messages in the body of a request or response.
//!
//! ```text
//! message     frame type:1 bit | reserved:6 | compressed:1 | length:4 | data
//! ```
//! A call may be long-lived, so each message is dissected when it is complete.
//!
//! Messages compressed with gzip are decompressed. Not covered: other compression; gRPC-Web encoded in Base64.

use super::streams::Streams;
use super::{DECOMPRESSION_FAILED, DECOMPRESSION_LIMIT, NOT_JOINED};
use crate::limits;
use crate::protocols::http::Coding;
use crate::protocols::http::body::decoded;
use crate::protocols::protobuf;
use crate::tree::{NodeRef, Side, Value, fields, title};
use crate::wire::{Protocol, Result, Wire};
use std::fmt::{self, Write};

pub static PROTOCOL: Protocol = Protocol::new(&GRPC, FIELDS);

fields! {
    GRPC = protocol("grpc", "gRPC", "Remote procedure calls over HTTP/2")
        .covers("Messages in bodies of HTTP/2, and the fields of Protocol Buffers in them")
        .leaves_open("Messages not compressed with gzip, and gRPC-Web in Base64");
    MESSAGE = group("grpc.message", "message", "").collapsed(title::last_value, title::nothing).named(message_title, message_size, title::nothing);
    FRAME_TYPE = number("grpc.frame_type", "frame type", "0 is data; 1 is trailers of gRPC-Web").mask(0x80).once_per(&MESSAGE);
    COMPRESSED = number("grpc.compressed_flag", "compressed flag", "Whether the message is compressed").mask(0x01).once_per(&MESSAGE);
    LENGTH = number("grpc.message_length", "message length", "In bytes").once_per(&MESSAGE);
    ENCODED = bytes("grpc.encoded_data", "encoded data", "Compressed message").body().once_per(&MESSAGE);
    MESSAGE_DATA = bytes("grpc.message_data", "message data", "").body().once_per(&MESSAGE);
}

/// Size of the prefix of a message in bytes.
const PREFIX: usize = 5;

/// Start of a message compressed with gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

pub(super) fn is_grpc(media_type: &[u8]) -> bool {
    media_type.strip_prefix(b"application/grpc").is_some_and(|rest| matches!(rest.first(), None | Some(b'+')))
        || media_type == b"application/grpc-web"
        || media_type == b"application/grpc-web+proto"
}

/// Size of the first message, if its prefix is complete.
fn size(bytes: &[u8]) -> Option<usize> {
    let (_, rest) = bytes.split_first()?;
    let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
    length.checked_add(PREFIX)
}

/// Dissects the next `count` bytes of a stream as messages. The first one may continue from earlier frames.
/// Returns the number of complete messages.
pub(super) fn data(wire: &mut Wire<'_>, streams: &mut Streams, id: u64, from: Side, count: usize) -> Result<usize> {
    let end = wire.at() + count;
    let mut complete = 0;
    let mut kept = streams.take(id, from);
    if let Some(why) = kept.lacks {
        // The start of the next message is unknown.
        streams.give_up(id, from, why);
        wire.note(&NOT_JOINED, format_args!("{why}"));
        return wire.skip(count).map(|()| 0);
    }
    while !kept.bytes.is_empty() && wire.at() < end {
        let needed = size(&kept.bytes).unwrap_or(PREFIX).saturating_sub(kept.bytes.len());
        let taken = needed.min(end - wire.at());
        kept.pieces.extend(wire.pieces(wire.at()..wire.at() + taken, kept.bytes.len() as u64));
        kept.bytes.extend_from_slice(wire.ahead().get(..taken).unwrap_or_default());
        wire.skip(taken)?;
        if size(&kept.bytes) == Some(kept.bytes.len()) {
            let whole = kept.bytes.len();
            wire.joined("frames", &kept.pieces, &kept.bytes, |inner| message(inner, whole))?;
            complete += 1;
            (kept.bytes, kept.pieces) = (Vec::new(), Vec::new());
        }
    }
    streams.put_back(id, from, kept);
    while let Some(whole) =
        size(wire.ahead().get(..end - wire.at()).unwrap_or_default()).filter(|whole| *whole <= end - wire.at())
    {
        message(wire, whole)?;
        complete += 1;
    }
    let left = end - wire.at();
    let ahead = wire.ahead().get(..left).unwrap_or_default();
    if left > 0 && size(ahead).is_some_and(|whole| whole > limits::HTTP2_KEPT.get()) {
        streams.give_up(id, from, "the message exceeds the limit");
    } else if left > 0 {
        let at = wire.at();
        streams.keep(id, from, ahead, |off| wire.pieces(at..at + left, off));
    }
    wire.skip(left)?;
    Ok(complete)
}

/// Dissects the next `whole` bytes as a complete message.
fn message(wire: &mut Wire<'_>, whole: usize) -> Result {
    wire.group(&MESSAGE, |wire| {
        let flags = wire.bits(1, &[&FRAME_TYPE, &COMPRESSED])?;
        wire.u32_be(&LENGTH)?;
        let count = whole - PREFIX;
        let bytes = wire.ahead().get(..count).unwrap_or_default();
        if count == 0 {
            return Ok(());
        }
        match flags {
            0 => content(wire, count),
            _ if bytes.starts_with(&GZIP) && (wire.reads_bodies() || wire.searches_secrets()) => decompress(wire, count),
            _ => wire.bytes(&MESSAGE_DATA, count).map(drop),
        }
    })
}

/// Dissects the next `count` bytes: a message compressed with gzip.
fn decompress(wire: &mut Wire<'_>, count: usize) -> Result {
    let raw = wire.ahead().get(..count).unwrap_or_default();
    let most = wire.decompression_limit().min(limits::HTTP_BODY.get());
    let bytes = match decoded(Coding::Gzip, raw, most) {
        Ok(bytes) => bytes,
        Err(why) => {
            wire.bytes(&MESSAGE_DATA, count)?;
            wire.note(&DECOMPRESSION_FAILED, format_args!("{why}"));
            return Ok(());
        }
    };
    wire.has_decompressed(bytes.len());
    wire.put(&ENCODED, Value::Bytes, wire.at()..wire.at() + count);
    if bytes.len() >= most {
        wire.note(&DECOMPRESSION_LIMIT, format_args!("more than {most} bytes"));
    }
    wire.derived("gzip", count, &bytes, |inner| content(inner, bytes.len()))
}

/// Dissects the next `count` bytes: a message without compression.
fn content(wire: &mut Wire<'_>, count: usize) -> Result {
    let bytes = wire.ahead().get(..count).unwrap_or_default();
    wire.put(&MESSAGE_DATA, Value::Bytes, wire.at()..wire.at() + count);
    wire.hide_credentials(wire.at()..wire.at() + count);
    if wire.reads_bodies() && protobuf::is_message(bytes) {
        wire.embeds("protobuf");
        return protobuf::message(wire, count);
    }
    wire.skip(count)
}

fn message_title(_: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str("gRPC message")
}

fn message_size(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
