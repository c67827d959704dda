//! Bodies: reassembly of DATA frames, content codings and content types.

use super::grpc;
use super::streams::Streams;
use super::{BODY, DATA, DECODED, DECOMPRESSION_FAILED, DECOMPRESSION_LIMIT, ENCODED, NOT_JOINED, REASSEMBLED, TEXT};
use crate::limits;
use crate::protocols::http::Coding;
use crate::protocols::http::body::{decoded, file_name, is_likely_text, named};
use crate::protocols::http::media::layer_of;
use crate::protocols::{dns, json};
use crate::tree::{Side, Value};
use crate::wire::{Result, Wire};

/// Content type and coding of a body, and the request target.
#[derive(Default)]
struct Content {
    kind: Vec<u8>,
    coding: Coding,
    path: String,
}

impl Content {
    fn of(streams: &Streams, id: u64, from: Side) -> Content {
        let Some(stream) = streams.get(id) else { return Content::default() };
        let half = stream.side(from);
        Content { kind: half.kind.clone(), coding: half.coding, path: stream.path().to_owned() }
    }

    /// Media type without parameters, in lower case.
    fn media_type(&self) -> Vec<u8> {
        self.kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase()
    }
}

/// Dissects the next `count` bytes, the data of a frame. The body is dissected with its last frame.
pub(in crate::protocols) fn data(
    wire: &mut Wire<'_>,
    streams: &mut Streams,
    id: u64,
    from: Side,
    count: usize,
    ends: bool,
) -> Result {
    let Some(bytes) = wire.ahead().get(..count) else {
        streams.give_up(id, from, "bytes of the stream were lost");
        return wire.bytes(&DATA, count).map(drop);
    };
    let at = wire.at();
    if count > 0 {
        wire.put(&DATA, Value::Bytes, at..at + count);
        if is_likely_text(bytes) {
            wire.hide_credentials(at..at + count);
        }
    }
    let content = Content::of(streams, id, from);
    if grpc::is_grpc(&content.media_type()) && wire.may_be_inspected() {
        wire.embeds("grpc");
        let complete = grpc::data(wire, streams, id, from, count)?;
        if complete > 0 {
            let plural = if complete == 1 { "" } else { "s" };
            let path = wire.masked(&content.path).into_owned();
            wire.info(format_args!("{complete} gRPC message{plural}, {path}, stream {id}"));
        }
        // The remaining bytes are no complete message.
        return if ends { finish(wire, streams, id, from) } else { Ok(()) };
    }
    let is_alone = ends && !streams.of(id).half(from).body().has_begun();
    if is_alone {
        return content.read(wire, count);
    }
    if !wire.may_be_inspected() {
        return wire.skip(count);
    }
    streams.keep(id, from, bytes, |off| wire.pieces(at..at + count, off));
    wire.skip(count)?;
    if ends { finish(wire, streams, id, from) } else { Ok(()) }
}

/// Dissects a body that is reassembled from several frames.
pub(in crate::protocols) fn finish(wire: &mut Wire<'_>, streams: &mut Streams, id: u64, from: Side) -> Result {
    let body = streams.take(id, from);
    if let Some(why) = body.lacks {
        wire.note(&NOT_JOINED, format_args!("{why}"));
        return Ok(());
    }
    let count = body.bytes.len();
    if count == 0 {
        return Ok(());
    }
    wire.add(&REASSEMBLED, Value::Unsigned(count as u64));
    let content = Content::of(streams, id, from);
    wire.joined("frames", &body.pieces, &body.bytes, |inner| {
        inner.put(&BODY, Value::Bytes, 0..count);
        // As in Wireshark, whose field name also selects the body.
        inner.put(&DATA, Value::Bytes, 0..count);
        content.read(inner, count)
    })
}

impl Content {
    /// Dissects the next `count` bytes as a complete body.
    fn read(&self, wire: &mut Wire<'_>, count: usize) -> Result {
        if count == 0 {
            return Ok(());
        }
        let raw = wire.ahead().get(..count).unwrap_or_default();
        if wire.wants_objects() {
            wire.object("body", &named(file_name(&self.path), &self.kind), || {
                Some(decoded(self.coding, raw, limits::HTTP_BODY.get()).unwrap_or_else(|_| raw.to_vec()))
            });
        }
        if self.coding == Coding::Plain || !wire.reads_bodies() && !wire.searches_secrets() {
            return self.show(wire, count);
        }
        let most = wire.decompression_limit().min(limits::HTTP_BODY.get());
        match decoded(self.coding, raw, most) {
            Ok(bytes) => {
                wire.has_decompressed(bytes.len());
                wire.put(&ENCODED, Value::Bytes, wire.at()..wire.at() + count);
                if bytes.len() >= most {
                    wire.note(&DECOMPRESSION_LIMIT, format_args!("more than {most} bytes"));
                }
                let method = if self.coding == Coding::Gzip { "gzip" } else { "deflate" };
                wire.derived(method, count, &bytes, |inner| {
                    if !is_text(&bytes) {
                        inner.put(&DECODED, Value::Bytes, 0..bytes.len());
                    }
                    self.show(inner, bytes.len())
                })
            }
            Err(why) => {
                wire.skip(count)?;
                wire.note(&DECOMPRESSION_FAILED, format_args!("{why}"));
                Ok(())
            }
        }
    }

    /// Dissects a decoded body by its content type.
    fn show(&self, wire: &mut Wire<'_>, count: usize) -> Result {
        let bytes = wire.ahead().get(..count).unwrap_or_default();
        let range = wire.at()..wire.at() + count;
        let media_type = self.media_type();
        if media_type == b"application/dns-message" {
            wire.hand_over(dns::OVER_HTTPS, range);
            return wire.skip(count);
        }
        wire.embeds(layer_of(&self.kind));
        if is_likely_text(bytes) {
            wire.hide_credentials(range.clone());
        }
        let is_json = media_type.ends_with(b"json") || json::is_likely(bytes);
        if wire.reads_bodies() && (is_json || wire.wants(&[&TEXT])) && is_text(bytes) {
            wire.put(&TEXT, Value::Text, range);
            if is_json {
                json::text(wire);
            }
        }
        wire.skip(count.min(wire.remaining()))
    }
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.is_empty() && memchr::memchr(0, bytes).is_none() && std::str::from_utf8(bytes).is_ok()
}
