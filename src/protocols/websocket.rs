//! WebSocket (RFC 6455, RFC 7692): messages in frames over a connection that HTTP upgraded.
//!
//! ```text
//! frame       fin:1 bit | rsv:3 | opcode:4 | mask:1 | length:7 | length:2 or 8 | key:4 | payload
//! length      126: 2 more bytes; 127: 8 more bytes
//! key         masking key, from clients only: XORed with the payload
//! message     frame without FIN | continuation … continuation with FIN; or one frame with FIN
//! ```
//! With `permessage-deflate`, RSV1 of the first frame marks compressed messages. A frame above 16 MiB is dissected in parts, its
//! header first.
//!
//! Not covered: other extensions.

use super::json;
use crate::limits;
use crate::tree::{BySide, Names, Piece, Side, Value, fields, name_of};
use crate::wire::{Conversation, Extent, Heuristic, Missing, On, Protocol, Result, Wire};
use flate2::{Decompress, FlushDecompress, Status};

pub static PROTOCOL: Protocol = Protocol::new(&WEBSOCKET, FIELDS)
    .found(&[On::Over("websocket").stream_with(Heuristic::Anything, |_| negotiated(b""))])
    .rest(&PAYLOAD);

fields! {
    WEBSOCKET = protocol("websocket", "WebSocket", "WebSocket protocol, RFC 6455")
        .covers("Messages reassembled from their frames, unmasked and decompressed");
    FIN = bool("websocket.fin", "FIN", "Final frame of a message").mask(0x80).once();
    RSV = number("websocket.rsv", "RSV", "Reserved bits, defined by extensions").hex(2).mask(0x70).once();
    PMC = bool("websocket.pmc", "per-message compressed", "RSV1: the message is compressed, RFC 7692").mask(0x40).once();
    OPCODE = number("websocket.opcode", "opcode", "Frame type").names(OPCODES).mask(0x0f).once();
    MASK = bool("websocket.mask", "mask", "Whether the payload is masked").mask(0x80).once();
    LENGTH = number("websocket.payload_length", "payload length", "In bytes; 126 and 127 announce an extended length").mask(0x7f).once();
    LENGTH_16 = number("websocket.payload_length_ext_16", "extended payload length (16 bits)", "In bytes").once();
    LENGTH_64 = number("websocket.payload_length_ext_64", "extended payload length (64 bits)", "In bytes");
    KEY = bytes("websocket.masking_key", "masking key", "XORed with the payload").once();
    MASKED = bytes("websocket.masked_payload", "masked payload", "Payload as transmitted").once();
    PAYLOAD = bytes("websocket.payload", "payload", "").once();
    CONTINUE = bytes("websocket.payload.continue", "continuation", "Payload of a fragment").once();
    TEXT = text("websocket.payload.text", "text", "").once();
    STATUS = number("websocket.payload.close.status_code", "status code", "Reason for the closure, RFC 6455 section 7.4").names(STATUSES).once();
    REASON = text("websocket.payload.close.reason", "reason", "Reason for the closure as text");
    PING = bytes("websocket.payload.ping", "ping", "To be returned in a pong");
    PONG = bytes("websocket.payload.pong", "pong", "Copied from the ping");
    REASSEMBLED = number("websocket.reassembled.length", "reassembled length", "Bytes of the message").once();
    DECOMPRESSION_FAILED = odd("websocket.decompression_failed", "decompression failed", "Invalid compressed data");
    OPCODE_UNKNOWN = odd("websocket.payload.unknown", "unknown opcode", "Opcode that is not assigned");
    NOT_JOINED = info("websocket.not_joined", "not reassembled", "The message exceeds the reassembly limit");
    NO_START = odd("websocket.no_start", "no start", "Continuation frame without an initial frame");
    DECOMPRESSION_LIMIT = odd("websocket.decompression_limit", "decompression limit", "The decompressed message exceeds the limit");
    IN_PARTS = info("websocket.in_parts", "in parts", "The payload is dissected in parts because of its length");
}

const CONTINUATION: u8 = 0;
const TEXT_FRAME: u8 = 1;
const CLOSE: u8 = 8;
const PING_FRAME: u8 = 9;
const PONG_FRAME: u8 = 10;

const OPCODES: Names = &[(0, "continuation"), (1, "text"), (2, "binary"), (8, "close"), (9, "ping"), (10, "pong")];

const STATUSES: Names = &[
    (1000, "normal closure"),
    (1001, "going away"),
    (1002, "protocol error"),
    (1003, "unsupported data"),
    (1005, "no status"),
    (1006, "abnormal closure"),
    (1007, "invalid payload"),
    (1008, "policy violation"),
    (1009, "message too big"),
    (1010, "extension missing"),
    (1011, "internal error"),
    (1012, "service restart"),
    (1013, "try again later"),
    (1015, "TLS handshake"),
];

/// Size in bytes of the parts of a long payload.
const PART_SIZE: usize = 256 << 10;

/// Characters of a text message shown in the heading.
const HEADING_CHARS: usize = 80;

/// Approximate memory of one decompressor in bytes: 32 KiB of window, and tables.
const INFLATE: usize = 48 << 10;

/// State of a connection.
struct Session {
    directions: BySide<Direction>,
}

/// State of one direction.
#[derive(Default)]
struct Direction {
    /// Remaining bytes of a payload dissected in parts.
    rest: u64,
    /// Fragmented message whose final frame is missing.
    incomplete: Option<Incomplete>,
    deflate: Option<Deflate>,
    /// After a gap, frame boundaries are unknown.
    out_of_sync: bool,
}

/// Fragmented message.
struct Incomplete {
    opcode: u8,
    compressed: bool,
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    /// The message exceeds the reassembly limit.
    exceeds_limit: bool,
}

/// Decompression of one direction.
struct Deflate {
    inflate: Decompress,
    /// No context takeover: each message is compressed separately.
    no_context_takeover: bool,
}

/// Frame header.
struct Header {
    fin: bool,
    compressed: bool,
    opcode: u8,
    key: Option<[u8; 4]>,
    length: u64,
    /// Size of the header in bytes.
    size: usize,
}

/// Connection with these negotiated extensions.
pub(super) fn negotiated(extensions: &[u8]) -> Box<dyn Conversation> {
    let extensions = String::from_utf8_lossy(extensions).to_ascii_lowercase();
    let agreed = extensions.contains("permessage-deflate");
    let direction = |no_context_takeover: &str| Direction {
        deflate: agreed
            .then(|| Deflate { inflate: Decompress::new(false), no_context_takeover: extensions.contains(no_context_takeover) }),
        ..Direction::default()
    };
    let (client, server) = (direction("client_no_context_takeover"), direction("server_no_context_takeover"));
    Box::new(Session { directions: BySide { client, server } })
}

impl Header {
    /// Parses a complete header.
    fn of(bytes: &[u8]) -> Option<Header> {
        let (&[first, second], rest) = bytes.split_first_chunk()?;
        let (length, rest) = match second & 0x7f {
            126 => rest.split_first_chunk().map(|(length, rest)| (u16::from_be_bytes(*length).into(), rest))?,
            127 => rest.split_first_chunk().map(|(length, rest)| (u64::from_be_bytes(*length), rest))?,
            short => (short.into(), rest),
        };
        let (key, rest) = match second & 0x80 {
            0 => (None, rest),
            _ => rest.split_first_chunk().map(|(key, rest)| (Some(*key), rest))?,
        };
        let size = bytes.len() - rest.len();
        Some(Header { fin: first & 0x80 != 0, compressed: first & 0x40 != 0, opcode: first & 0x0f, key, length, size })
    }

    /// Size of the frame, unless it is dissected in parts.
    fn frame_len(&self) -> Option<usize> {
        let whole = usize::try_from(self.length).ok()?.checked_add(self.size)?;
        Some(whole).filter(|whole| *whole <= limits::WEBSOCKET_MESSAGE.get())
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let direction = &mut self.directions[from];
        if direction.out_of_sync {
            return Extent::Unknown(ahead.len());
        }
        if direction.rest > 0 {
            let run = PART_SIZE.min(usize::try_from(direction.rest).unwrap_or(usize::MAX));
            return if more && ahead.len() < run { Extent::NeedMore(run) } else { Extent::Message(run.min(ahead.len())) };
        }
        match Header::of(ahead) {
            None => Extent::NeedMore(ahead.len() + 1),
            Some(header) => Extent::Message(header.frame_len().unwrap_or(header.size)),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let direction = &mut self.directions[from];
        if direction.rest > 0 {
            let have = wire.remaining();
            direction.rest = direction.rest.saturating_sub(have as u64);
            wire.name("payload");
            wire.info(format_args!("{have} bytes, {} to come", direction.rest));
            return wire.bytes(&PAYLOAD, have).map(drop);
        }
        direction.frame(wire)
    }

    fn memory_usage(&self) -> usize {
        let incomplete =
            |incomplete: &Incomplete| incomplete.bytes.capacity() + incomplete.pieces.capacity() * size_of::<Piece>();
        let direction = |direction: &Direction| {
            direction.incomplete.as_ref().map_or(0, incomplete) + direction.deflate.as_ref().map_or(0, |_| INFLATE)
        };
        size_of_val(self) + self.directions.iter().map(direction).sum::<usize>()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let direction = &mut self.directions[from];
        direction.out_of_sync |= !missing.in_step;
        direction.rest = 0;
        direction.incomplete = None;
        // The compression context depends on the lost bytes.
        direction.deflate = direction.deflate.take().filter(|deflate| deflate.no_context_takeover);
    }
}

impl Incomplete {
    /// Approximate heap memory use in bytes.
    fn memory_usage(&self) -> usize {
        self.bytes.len() + size_of_val(self.pieces.as_slice())
    }
}

impl Direction {
    fn frame(&mut self, wire: &mut Wire<'_>) -> Result {
        let header = Header::of(wire.ahead());
        wire.bits(1, &[&FIN, &RSV, &PMC, &OPCODE])?;
        match wire.bits(1, &[&MASK, &LENGTH])? & 0x7f {
            126 => drop(wire.u16_be(&LENGTH_16)?),
            127 => drop(wire.u64_be(&LENGTH_64)?),
            _ => {}
        }
        let Some(header) = header else { return wire.bytes(&KEY, 4).map(drop) };
        if header.key.is_some() {
            wire.bytes(&KEY, 4)?;
        }
        wire.name(name_of(OPCODES, header.opcode.into()).unwrap_or("unknown"));
        wire.info(format_args!("{} bytes{}", header.length, if header.fin { "" } else { ", to be continued" }));
        let Some(whole) = header.frame_len() else {
            wire.note_ahead(&IN_PARTS, format_args!("the payload follows in parts"));
            self.rest = header.length;
            return Ok(());
        };
        let count = whole - header.size;
        let ahead = wire.ahead();
        let Some(payload) = ahead.get(..count) else {
            let field = if header.key.is_some() { &MASKED } else { &PAYLOAD };
            return wire.bytes(field, count).map(drop);
        };
        let at = wire.at();
        let pieces = if header.fin && self.incomplete.is_none() { Vec::new() } else { wire.pieces(at..at + count, 0) };
        let Some(key) = header.key else { return self.payload(wire, &header, payload, &pieces) };
        let unmasked: Vec<u8> = payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
        if count == 0 {
            return self.payload(wire, &header, &unmasked, &pieces);
        }
        wire.put(&MASKED, Value::Bytes, at..at + count);
        wire.derived("unmasked", count, &unmasked, |inner| self.payload(inner, &header, &unmasked, &pieces))
    }

    /// Dissects the unmasked payload of a frame: all that `wire` has, from these pieces of the capture.
    fn payload(&mut self, wire: &mut Wire<'_>, header: &Header, payload: &[u8], pieces: &[Piece]) -> Result {
        match header.opcode {
            CLOSE if payload.len() >= 2 => {
                wire.u16_be(&STATUS)?;
                wire.rest_is(&REASON)
            }
            PING_FRAME => wire.rest_is(&PING),
            PONG_FRAME => wire.rest_is(&PONG),
            CONTINUATION => self.part(wire, header, payload, pieces),
            1 | 2 if header.fin => self.content(wire, header.opcode, header.compressed, payload),
            1 | 2 => {
                self.incomplete = Some(Incomplete {
                    opcode: header.opcode,
                    compressed: header.compressed,
                    bytes: Vec::new(),
                    pieces: Vec::new(),
                    exceeds_limit: false,
                });
                self.part(wire, header, payload, pieces)
            }
            _ => {
                wire.rest_is(&PAYLOAD)?;
                wire.note(&OPCODE_UNKNOWN, format_args!("opcode {}", header.opcode));
                Ok(())
            }
        }
    }

    /// Adds a fragment to its message, which is dissected with the final fragment.
    fn part(&mut self, wire: &mut Wire<'_>, header: &Header, payload: &[u8], pieces: &[Piece]) -> Result {
        wire.rest_is(&CONTINUE)?;
        let Some(mut incomplete) = self.incomplete.take() else {
            wire.note(&NO_START, format_args!("the message has no initial frame"));
            return Ok(());
        };
        incomplete.exceeds_limit |=
            incomplete.memory_usage() + payload.len() + size_of_val(pieces) > limits::WEBSOCKET_KEPT.get();
        if incomplete.exceeds_limit {
            (incomplete.bytes, incomplete.pieces) = (Vec::new(), Vec::new());
        } else {
            let off = incomplete.bytes.len() as u64;
            incomplete.pieces.extend(pieces.iter().map(|piece| Piece { off: off + piece.off, ..*piece }));
            incomplete.bytes.extend_from_slice(payload);
        }
        if !header.fin {
            self.incomplete = Some(incomplete);
            return Ok(());
        }
        if incomplete.exceeds_limit {
            wire.note(&NOT_JOINED, format_args!("more than {} bytes", limits::WEBSOCKET_KEPT.get()));
            self.deflate = self.deflate.take().filter(|deflate| deflate.no_context_takeover);
            return Ok(());
        }
        wire.add(&REASSEMBLED, Value::Unsigned(incomplete.bytes.len() as u64));
        wire.joined("frames", &incomplete.pieces, &incomplete.bytes, |inner| {
            self.content(inner, incomplete.opcode, incomplete.compressed, &incomplete.bytes)
        })
    }

    /// Dissects a whole message: all that `wire` has.
    fn content(&mut self, wire: &mut Wire<'_>, opcode: u8, compressed: bool, payload: &[u8]) -> Result {
        let Some(deflate) = self.deflate.as_mut().filter(|_| compressed) else { return message_data(wire, opcode) };
        let most = wire.decompression_limit().min(limits::WEBSOCKET_MESSAGE.get());
        if most == 0 {
            wire.rest_is(&PAYLOAD)?;
            wire.note(&DECOMPRESSION_LIMIT, format_args!("the decompressed data of this capture has reached its limit"));
            // The compression context depends on the skipped message.
            self.deflate = self.deflate.take().filter(|deflate| deflate.no_context_takeover);
            return Ok(());
        }
        match deflate.message(payload, most) {
            Ok(bytes) if payload.is_empty() => drop(bytes),
            Ok(bytes) => {
                wire.has_decompressed(bytes.len());
                wire.put(&PAYLOAD, Value::Bytes, wire.at()..wire.at() + payload.len());
                return wire.derived("permessage-deflate", payload.len(), &bytes, |inner| message_data(inner, opcode));
            }
            Err(Failed::TooLong) => {
                wire.has_decompressed(most);
                wire.rest_is(&PAYLOAD)?;
                wire.note(&DECOMPRESSION_LIMIT, format_args!("more than {most} bytes"));
                self.deflate = None;
            }
            Err(Failed::Damaged) => {
                wire.rest_is(&PAYLOAD)?;
                wire.note(&DECOMPRESSION_FAILED, format_args!("not a deflate stream"));
                self.deflate = None;
            }
        }
        Ok(())
    }
}

/// Reason why decompression failed.
enum Failed {
    Damaged,
    TooLong,
}

impl Deflate {
    /// Decompresses a message up to a limit.
    fn message(&mut self, payload: &[u8], most: usize) -> std::result::Result<Vec<u8>, Failed> {
        // RFC 7692 section 7.2.1: senders remove these bytes.
        const DEFLATE_TAIL: [u8; 4] = [0, 0, 0xff, 0xff];
        let mut out = Vec::with_capacity(4096);
        for part in [payload, &DEFLATE_TAIL] {
            let before = self.inflate.total_in();
            loop {
                let done = usize::try_from(self.inflate.total_in() - before).unwrap_or(usize::MAX);
                let (used, made) = (self.inflate.total_in(), self.inflate.total_out());
                let ahead = part.get(done..).unwrap_or_default();
                let inflated = self.inflate.decompress_vec(ahead, &mut out, FlushDecompress::Sync);
                let status = inflated.map_err(|_| Failed::Damaged)?;
                let is_stuck = used == self.inflate.total_in() && made == self.inflate.total_out();
                if status == Status::StreamEnd {
                    self.inflate.reset(false);
                    break;
                }
                if out.len() < out.capacity() || (is_stuck && done > 0 && part.len() == done) {
                    break;
                }
                if out.len() >= most {
                    return Err(Failed::TooLong);
                }
                out.reserve(out.len());
            }
        }
        if self.no_context_takeover {
            self.inflate.reset(false);
        }
        Ok(out)
    }
}

/// Dissects the data of a whole message: all that `wire` has.
fn message_data(wire: &mut Wire<'_>, opcode: u8) -> Result {
    let all = wire.ahead();
    wire.offer_loaded("websocket", wire.at()..wire.at() + all.len());
    if opcode != TEXT_FRAME {
        wire.embeds("data");
        return wire.rest_is(&PAYLOAD);
    }
    let text = String::from_utf8_lossy(all.get(..all.len().min(4 * HEADING_CHARS)).unwrap_or_default());
    let end = text.char_indices().nth(HEADING_CHARS).map(|(end, _)| end);
    wire.hide_credentials(wire.at()..wire.at() + all.len());
    let text = wire.masked(&text).into_owned();
    match end.and_then(|end| text.get(..end)) {
        Some(cut) => wire.info(format_args!("{cut}…")),
        None => wire.info(format_args!("{text}")),
    }
    if all.is_empty() {
        return Ok(());
    }
    wire.embeds("data-text-lines");
    wire.put(&TEXT, Value::Text, wire.at()..wire.at() + all.len());
    if json::is_likely(all) {
        json::text(wire);
    }
    wire.skip(wire.remaining())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Cut, trial};

    fn one(extensions: &str, frames: &[(Side, &str)]) -> String {
        let mut session = negotiated(extensions.as_bytes());
        let trees = frames.iter().map(|(from, hex)| trial::message(&PROTOCOL, &mut *session, *from, &trial::bytes(hex), Cut::No));
        trees.collect()
    }

    #[test]
    fn the_examples_of_rfc_6455_are_dissected() {
        let tree = one(
            "",
            &[
                (Side::Server, "81 05 48 65 6c 6c 6f"),
                (Side::Client, "81 85 37 fa 21 3d 7f 9f 4d 51 58"),
                (Side::Server, "01 03 48 65 6c"),
                (Side::Server, "80 02 6c 6f"),
                (Side::Server, "89 05 48 65 6c 6c 6f"),
                (Side::Client, "8a 85 37 fa 21 3d 7f 9f 4d 51 58"),
                (Side::Server, "88 04 03 e8 6f 6b"),
            ],
        );
        insta::assert_snapshot!(tree, @r#"
        websocket 0..7 | text | Hello
          0..1 websocket.fin = true
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 1 (text)
          1..2 websocket.mask = false
          1..2 websocket.payload_length = 5
          2..7 websocket.payload.text = "Hello"
        websocket 0..11 | text | Hello
          0..1 websocket.fin = true
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 1 (text)
          1..2 websocket.mask = true
          1..2 websocket.payload_length = 5
          2..6 websocket.masking_key = 37fa213d
          6..11 websocket.masked_payload = 7f9f4d5158
          0..5 websocket.payload.text = "Hello"
        websocket 0..5 | text | 3 bytes, to be continued
          0..1 websocket.fin = false
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 1 (text)
          1..2 websocket.mask = false
          1..2 websocket.payload_length = 3
          2..5 websocket.payload.continue = 48656c
        websocket 0..4 | continuation | Hello
          0..1 websocket.fin = true
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 0 (continuation)
          1..2 websocket.mask = false
          1..2 websocket.payload_length = 2
          2..4 websocket.payload.continue = 6c6f
          websocket.reassembled.length = 5
          0..5 websocket.payload.text = "Hello"
        websocket 0..7 | ping | 5 bytes
          0..1 websocket.fin = true
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 9 (ping)
          1..2 websocket.mask = false
          1..2 websocket.payload_length = 5
          2..7 websocket.payload.ping = 48656c6c6f
        websocket 0..11 | pong | 5 bytes
          0..1 websocket.fin = true
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 10 (pong)
          1..2 websocket.mask = true
          1..2 websocket.payload_length = 5
          2..6 websocket.masking_key = 37fa213d
          6..11 websocket.masked_payload = 7f9f4d5158
          0..5 websocket.payload.pong = 48656c6c6f
        websocket 0..6 | close | 4 bytes
          0..1 websocket.fin = true
          0..1 websocket.rsv = 0x00
          0..1 websocket.pmc = false
          0..1 websocket.opcode = 8 (close)
          1..2 websocket.mask = false
          1..2 websocket.payload_length = 4
          2..4 websocket.payload.close.status_code = 1000 (normal closure)
          4..6 websocket.payload.close.reason = "ok"
        "#);
    }

    #[test]
    fn the_examples_of_rfc_7692_are_decompressed() {
        let tree = one(
            "permessage-deflate",
            &[
                (Side::Server, "c1 07 f2 48 cd c9 c9 07 00"),
                (Side::Server, "c1 05 f2 00 11 00 00"),
                (Side::Client, "41 03 f2 48 cd"),
                (Side::Client, "80 04 c9 c9 07 00"),
                (Side::Client, "c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00"),
            ],
        );
        assert_eq!(tree.matches("websocket.payload.text = \"Hello\"").count(), 4, "{tree}");
        let alone = one(
            "permessage-deflate; server_no_context_takeover",
            &[(Side::Server, "c1 07 f2 48 cd c9 c9 07 00"), (Side::Server, "c1 05 f2 00 11 00 00")],
        );
        assert_eq!(alone.matches("websocket.payload.text = \"Hello\"").count(), 1, "{alone}");
    }

    #[test]
    fn data_that_cannot_be_decompressed_is_shown_as_transmitted() {
        let tree = one("", &[(Side::Server, "c1 07 f2 48 cd c9 c9 07 00")]);
        assert!(tree.contains("websocket.payload.text"), "{tree}");
        let tree = one("permessage-deflate", &[(Side::Server, "c1 03 ff ff ff")]);
        assert!(tree.contains("! odd websocket.decompression_failed"), "{tree}");
        assert!(one("", &[(Side::Server, "80 01 61")]).contains("! odd websocket.no_start"));
    }

    #[test]
    fn decompression_is_limited() {
        use std::io::Write as _;
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&[b'a'; 100_000]).unwrap();
        let packed = encoder.finish().unwrap();
        let mut deflate = Deflate { inflate: Decompress::new(false), no_context_takeover: false };
        assert!(matches!(deflate.message(&packed, 50_000), Err(Failed::TooLong)));
    }

    #[test]
    fn a_long_frame_is_dissected_in_parts() {
        let mut session = negotiated(b"");
        let head = trial::bytes("82 7f 00 00 00 00 40 00 00 00");
        assert_eq!(session.extent(Side::Server, &head, true), Extent::Message(10));
        trial::message(&PROTOCOL, &mut *session, Side::Server, &head, Cut::No);
        assert_eq!(session.extent(Side::Server, &[0; 5], true), Extent::NeedMore(PART_SIZE));
        assert_eq!(session.extent(Side::Server, &vec![0; PART_SIZE + 1], true), Extent::Message(PART_SIZE));
        let part = trial::message(&PROTOCOL, &mut *session, Side::Server, &[0; 5], Cut::No);
        assert!(part.starts_with(&format!("websocket 0..5 | payload | 5 bytes, {} to come", (1 << 30) - 5)), "{part}");
        assert_eq!(session.extent(Side::Client, &head, true), Extent::Message(10));
    }
}
