//! DTLS records and the state of an association.

use super::fragments::{Fragment, Fragments, Joined};
use super::unified::{self, Epochs};
use super::*;
use crate::limits;
use crate::protocols::tls::decryption::{DecryptionState, Outcome};
use crate::protocols::tls::handshake;
use crate::protocols::tls::hello::Hello;
use crate::protocols::tls::keys::EncryptedRecord;
use crate::protocols::tls::records::{alert, encrypted, heartbeat};
use crate::protocols::tls::shown_version::ShownVersion;
use crate::protocols::tls::summary::Summary;
use crate::protocols::tls::{ALERT_TYPE, APPLICATION_DATA, CHANGE_CIPHER_SPEC_TYPE, HANDSHAKE_RECORD, HEARTBEAT, RECORD_MAX};
use crate::tree::{BySide, NodeRef, Side, Value, name_of};
use crate::wire::{Exchange, Result, Wire};
use std::fmt::{self, Write};

/// Size of a record header in bytes.
const HEADER: usize = 13;

/// Type of a record with a connection ID (RFC 9146).
const CONNECTION_ID: u8 = 25;

/// Type of an ACK record, in DTLS 1.3 only.
const ACK: u8 = 26;

/// First bytes of encrypted records of DTLS 1.3.
const UNIFIED_HEADERS: std::ops::RangeInclusive<u8> = 0x20..=0x3f;

/// A record header.
#[derive(Debug, Clone, Copy)]
struct Header {
    kind: u8,
    version: [u8; 2],
    epoch: u16,
    /// Epoch and sequence number.
    number: u64,
    length: usize,
}

impl Header {
    /// Parses a header; `None` if it is not plausible.
    fn of(bytes: &[u8]) -> Option<Header> {
        let &[kind @ 20..=26, major, minor, n0, n1, n2, n3, n4, n5, n6, n7, high, low] = bytes.first_chunk::<HEADER>()? else {
            return None;
        };
        let number = u64::from_be_bytes([n0, n1, n2, n3, n4, n5, n6, n7]);
        let epoch = u16::from_be_bytes([n0, n1]);
        let length = usize::from(u16::from_be_bytes([high, low]));
        // OpenSSL 0.9.8 used another version number.
        let is_version = matches!([major, minor], [0xfe, 0xfc | 0xfd | 0xff] | [1, 0]);
        (is_version && length > 0 && length <= RECORD_MAX).then_some(Header {
            kind,
            version: [major, minor],
            epoch,
            number,
            length,
        })
    }
}

/// Recognizes a datagram that begins with a record. An IP fragment or a truncated datagram may lack the end of a record, which
/// only a handshake in clear identifies.
pub(in crate::protocols) fn recognize(bytes: &[u8]) -> bool {
    let Some(header) = Header::of(bytes) else { return false };
    let Some(behind) = bytes.get(HEADER + header.length..) else {
        let payload = bytes.get(HEADER..).unwrap_or_default();
        return header.kind == HANDSHAKE_RECORD && header.epoch == 0 && may_be_fragment(payload, header.length);
    };
    // The offset of the length after a connection ID is unknown.
    let has_id = behind.starts_with(&[CONNECTION_ID, 0xfe, 0xfd]);
    header.epoch < 1 << 8 && (behind.len() < HEADER || has_id || Header::of(behind).is_some() || is_unified(behind))
}

/// Whether the beginning of a record of this length may be a fragment of a handshake message.
fn may_be_fragment(payload: &[u8], record: usize) -> bool {
    const HEADER: usize = 12;
    let Some(&[kind, m2, m1, m0, _, _, o2, o1, o0, f2, f1, f0]) = payload.first_chunk::<HEADER>() else { return false };
    let number = |high, middle, low| u32::from_be_bytes([0, high, middle, low]);
    let (message, off, fragment) = (number(m2, m1, m0), number(o2, o1, o0), number(f2, f1, f0));
    off + fragment <= message && fragment as usize + HEADER <= record && name_of(handshake::TYPES, kind.into()).is_some()
}

fn is_unified(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| UNIFIED_HEADERS.contains(first))
}

/// State of an association.
pub(super) struct Session {
    pub(super) hello: Hello,
    pub(super) directions: BySide<Direction>,
    shown: ShownVersion,
    /// Whether a handshake message was seen: later datagrams need only begin with a record.
    has_handshake: bool,
}

/// State of one direction.
#[derive(Default)]
pub(super) struct Direction {
    decryption: DecryptionState,
    pub(super) epochs: Epochs,
    fragments: Fragments,
}

impl Default for Session {
    fn default() -> Self {
        Session { hello: Hello::of_dtls(), directions: BySide::default(), shown: ShownVersion::default(), has_handshake: false }
    }
}

/// Summary of the records of a datagram.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) summary: Summary,
    pub(super) records: usize,
    pub(super) bytes: usize,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let mut sum = Sum::default();
        let mut result = Ok(());
        while result.is_ok() && wire.remaining() > 0 {
            result = wire.group(&RECORD, |wire| {
                if is_unified(wire.ahead()) { self.unified(from, wire, &mut sum) } else { self.record(from, wire, &mut sum) }
            });
        }
        wire.column(self.column());
        wire.name(&sum.summary.names);
        if !sum.summary.info.is_empty() {
            wire.info(format_args!("{}", sum.summary.info))
        } else if sum.records > 1 {
            wire.info(format_args!("{} records, {} bytes", sum.records, sum.bytes))
        } else {
            wire.info(format_args!("{} bytes", sum.bytes))
        }
        result
    }

    fn claims(&self, from: Side, bytes: &[u8]) -> bool {
        let has_id = |kind: &u8| *kind == CONNECTION_ID && self.hello.connection_ids[from].is_some();
        let is_record = || self.has_handshake && Header::of(bytes).is_some();
        self.hello.is_1_3() && is_unified(bytes) || bytes.first().is_some_and(has_id) || is_record()
    }

    fn memory_usage(&self) -> usize {
        let direction = |direction: &Direction| {
            direction.decryption.memory_usage() + direction.epochs.memory_usage() + direction.fragments.memory_usage()
        };
        size_of_val(self) + self.directions.iter().map(direction).sum::<usize>()
    }
}

impl Session {
    /// Text of Wireshark's Protocol column.
    fn column(&self) -> &'static str {
        match (self.hello.version, self.shown.agreed()) {
            (0x0304.., _) => "DTLSv1.3",
            (0x0303, _) | (_, 0xfefd) => "DTLSv1.2",
            (0x0302, _) | (_, 0xfeff | 0x0100) => "DTLSv1.0",
            _ => "DTLS",
        }
    }

    fn record(&mut self, from: Side, wire: &mut Wire<'_>, sum: &mut Sum) -> Result {
        let header = Header::of(wire.ahead());
        let kind = wire.u8(&CONTENT_TYPE)?;
        let version = wire.u16_be(&RECORD_VERSION)?.to_be_bytes();
        let epoch = wire.u16_be(&EPOCH)?;
        let sequence = |[a, b, c, d, e, f]: [u8; 6]| u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
        let sequence = sequence(wire.number_with(&SEQUENCE_NUMBER, |bytes| Value::Unsigned(sequence(bytes)))?);
        let id = self.hello.connection_ids[from].filter(|id| kind == CONNECTION_ID && *id > 0);
        let id = id.map_or(Ok(&[][..]), |id| wire.bytes(&RECORD_ID, id.into()))?;
        let length = wire.u16_be(&RECORD_LENGTH)?;
        let number = u64::from(epoch) << 48 | sequence;
        let header = header.filter(|_| id.is_empty()).unwrap_or(Header { kind, version, epoch, number, length: length.into() });
        if header.length > RECORD_MAX {
            wire.note(&RECORD_TOO_LONG, format_args!("{length} bytes exceed the maximum of {RECORD_MAX}"));
        }
        sum.records += 1;
        sum.bytes += header.length;
        let [major, minor] = header.version;
        self.shown.record([kind, major, minor, 0, 0], if epoch == 0 { wire.ahead() } else { &[] });
        wire.within(header.length, &DATA, |wire| match kind {
            _ if epoch > 0 => self.encrypted_payload(from, (header, id), wire, &mut sum.summary),
            CHANGE_CIPHER_SPEC_TYPE => {
                sum.summary.name("change_cipher_spec");
                wire.rest_is(&CHANGE_CIPHER_SPEC)
            }
            ALERT_TYPE if header.length == 2 => wire.renamed(FIELDS, |wire| alert(wire, &mut sum.summary)).map(drop),
            HANDSHAKE_RECORD => self.handshakes(from, wire, &mut sum.summary),
            HEARTBEAT => wire.renamed(FIELDS, |wire| heartbeat(wire, &mut sum.summary)),
            ACK if self.hello.is_1_3() => unified::ack(wire, &mut sum.summary),
            _ => {
                sum.summary.name(encrypted(kind));
                wire.rest_is(if kind == APPLICATION_DATA { &APP_DATA } else { &DATA })
            }
        })
    }

    /// Dissects the payload of an encrypted record, decrypted if the secret is known.
    fn encrypted_payload(
        &mut self,
        from: Side,
        (header, connection_id): (Header, &[u8]),
        wire: &mut Wire<'_>,
        summary: &mut Summary,
    ) -> Result {
        let Header { kind, version: [major, minor], number, length, .. } = header;
        let has_id = kind == CONNECTION_ID;
        let outcome = if wire.remaining() == length && has_id != connection_id.is_empty() && !self.hello.is_1_3() {
            let record = EncryptedRecord { header: &[kind, major, minor], payload: wire.ahead(), number, connection_id };
            self.directions[from].decryption.decrypt_numbered(from, &self.hello, &record, wire)
        } else {
            Outcome::NoSecret
        };
        let field = if kind == APPLICATION_DATA { &APP_DATA } else { &ENCRYPTED };
        let Outcome::Decrypted(content) = outcome else {
            summary.name(encrypted(kind));
            match wire.remaining() {
                0 => {}
                left if self.hello.encrypts => drop(wire.bytes(field, left)?),
                _ => drop(wire.rest(field)),
            }
            if let Outcome::Failed = outcome {
                wire.note(&NOT_OPENED, format_args!("the configured secret does not decrypt it"));
            }
            return Ok(());
        };
        let (at, length) = (wire.at(), wire.remaining());
        wire.put(field, Value::Bytes, at..at + length);
        wire.deciphered("dtls", length, content.from, &content.bytes, |inner| {
            if has_id { self.typed_content(from, inner, summary) } else { self.content(from, kind, inner, summary) }
        })
    }

    /// Dissects decrypted content of this type.
    pub(super) fn content(&mut self, from: Side, kind: u8, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        match kind {
            ALERT_TYPE if wire.remaining() == 2 => wire.renamed(FIELDS, |wire| alert(wire, summary)).map(drop),
            HANDSHAKE_RECORD => self.handshakes(from, wire, summary),
            HEARTBEAT => wire.renamed(FIELDS, |wire| heartbeat(wire, summary)),
            ACK if self.hello.is_1_3() => unified::ack(wire, summary),
            _ => {
                summary.name(encrypted(kind));
                wire.offer("dtls", wire.at()..wire.at() + wire.remaining());
                wire.rest_is(&DECRYPTED)
            }
        }
    }

    /// Dissects the handshake messages of a record.
    fn handshakes(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        wire.groups(&HANDSHAKE, |wire| self.handshake(from, wire, summary))
    }

    /// Dissects a message, or a fragment and the message it completes.
    fn handshake(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        self.has_handshake = true;
        let kind = wire.u8(&HANDSHAKE_TYPE)?;
        let length = size(wire.u24_be(&HANDSHAKE_LENGTH)?);
        let number = wire.u16_be(&MESSAGE_NUMBER)?;
        let offset = size(wire.u24_be(&FRAGMENT_OFFSET)?);
        let part = size(wire.u24_be(&FRAGMENT_LENGTH)?);
        if offset.saturating_add(part) > length {
            return wire.malformed(&OUTSIDE, format_args!("{part} bytes at {offset} of {length}"));
        }
        if part == length {
            summary.name(name_of(handshake::TYPES, kind.into()).unwrap_or("unknown"));
            let body = |wire: &mut Wire<'_>| handshake::body(wire, kind, &mut self.hello, summary);
            return wire.within(length, &DATA, |wire| wire.renamed(FIELDS, body));
        }
        if length > limits::TLS_HANDSHAKE.get() {
            return wire.malformed(&TOO_LONG, format_args!("more than {} bytes", limits::TLS_HANDSHAKE.get()));
        }
        let at = wire.at();
        let is_whole = wire.remaining() >= part;
        let pieces = wire.pieces(at..at + part, offset as u64);
        let bytes = wire.within(part, &DATA, |wire| Ok(wire.rest(&FRAGMENT).to_vec()));
        let (joined, evicted) = match bytes {
            Ok(bytes) if is_whole && part > 0 => {
                self.directions[from].fragments.take(Fragment { message: (number, kind, length), offset, bytes, pieces })
            }
            other => {
                summary.name("handshake_part");
                return other.map(drop);
            }
        };
        if evicted {
            wire.note(&FULL, format_args!("too many fragments wait for others"));
        }
        let Some(Joined { bytes, pieces, frames }) = joined else {
            summary.name("handshake_part");
            return Ok(());
        };
        summary.name(name_of(handshake::TYPES, kind.into()).unwrap_or("unknown"));
        put_fragments(wire, &frames, bytes.len());
        wire.joined("fragments", &pieces, &bytes, |inner| {
            inner.renamed(FIELDS, |inner| {
                let count = inner.remaining();
                inner.within(count, &DATA, |inner| handshake::body(inner, kind, &mut self.hello, summary))
            })
        })
    }
}

/// The frames of the fragments of a message of this length.
fn put_fragments(wire: &mut Wire<'_>, frames: &[u64], length: usize) {
    for frame in frames {
        wire.put_over(&FRAGMENT_FRAME, Value::Unsigned(*frame), None, |_| {});
    }
    wire.put_over(&FRAGMENT_COUNT, Value::Unsigned(frames.len() as u64), None, |_| {});
    wire.put_over(&REASSEMBLED_LENGTH, Value::Unsigned(length as u64), None, |_| {});
}

/// Announces the connection ID of a sender to the engine, in the format of DTLS 1.2 and 1.3 records.
pub(in crate::protocols) fn announce(wire: &mut Wire<'_>, sender: Side, id: &[u8]) {
    const BEHIND_SEQUENCE_NUMBER: usize = 11;
    const IN_UNIFIED_HEADER: usize = 1;
    wire.issue_connection_id(sender, BEHIND_SEQUENCE_NUMBER, id);
    wire.issue_connection_id(sender, IN_UNIFIED_HEADER, id);
}

/// A 24-bit number as a size.
fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Adds the content type of a record.
pub(super) fn value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let kind = node.child(&CONTENT_TYPE).and_then(NodeRef::number);
    out.write_str(kind.map_or("encrypted", |kind| name_of(TYPES, kind).unwrap_or_default()))
}

/// Adds the length of a record.
pub(super) fn meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&RECORD_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
