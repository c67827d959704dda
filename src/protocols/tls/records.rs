//! TLS records and the state of a connection.

use super::decryption::{DecryptionState, Outcome};
use super::handshake;
use super::hello::Hello;
use super::heuristics::is_clear_hello;
use super::shown_version::ShownVersion;
use super::ssl2::{self, Ssl2};
use super::summary::Summary;
use super::*;
use crate::limits;
use crate::protocols::prefixed::odd_extent;
use crate::tree::{BySide, NodeRef, Partial, Piece, Side, Unended, Value, name_of};
use crate::wire::{Conversation, Error, Extent, Missing, Result, Wire};
use std::fmt::{self, Write};

/// Maximum number of application data records in one message.
const MAX_RECORDS: usize = 512;

const CLOSE_NOTIFY: u8 = 0;

/// Record header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) kind: u8,
    pub(super) length: usize,
}

impl Header {
    /// Parses a header; `None` if it is not plausible.
    pub(super) fn of(bytes: &[u8]) -> Option<Header> {
        match *bytes.first_chunk::<HEADER>()? {
            [kind @ 20..=24, 3, 0..=4, high, low] => {
                let length = usize::from(u16::from_be_bytes([high, low]));
                Some(Header { kind, length }).filter(|header| header.length <= RECORD_MAX)
            }
            _ => None,
        }
    }

    /// Parses a header that may have another type or version.
    pub(super) fn of_odd(bytes: &[u8]) -> Option<Header> {
        let &[kind, major, minor, high, low] = bytes.first_chunk::<HEADER>()?;
        let wrong = [!(20..=24).contains(&kind), major != 3 || minor > 4].iter().filter(|wrong| **wrong).count();
        let length = usize::from(u16::from_be_bytes([high, low]));
        (wrong <= 1 && length <= RECORD_MAX).then_some(Header { kind, length })
    }

    pub(super) fn record_size(self) -> usize {
        HEADER + self.length
    }
}

/// Size of the record that begins here, if all of it is there.
pub(in crate::protocols) fn whole_record(bytes: &[u8]) -> Option<usize> {
    Header::of(bytes).map(Header::record_size).filter(|size| *size <= bytes.len())
}

/// Whether a record may begin here.
pub(in crate::protocols) fn may_begin(bytes: &[u8]) -> bool {
    bytes.len() < HEADER || Header::of(bytes).is_some()
}

/// Whether the bytes are a record.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    whole_record(bytes).is_some()
}

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    pub(super) hello: Hello,
    directions: BySide<Direction>,
    shown: ShownVersion,
    /// Only the port showed the protocol, because the first record has a wrong field.
    is_odd: bool,
}

/// State of one direction.
#[derive(Default)]
struct Direction {
    /// Whether following records are encrypted.
    encrypts: bool,
    decryption: DecryptionState,
    /// Whether application data before the next record was not decrypted.
    follows_gap: bool,
    /// Incomplete handshake message, continued by the next record, and its pieces of the capture.
    incomplete: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Direction {
    /// Returns to plaintext: the second ClientHello of TLS 1.3 follows a change_cipher_spec, and a connection whose end the
    /// capture missed may begin again.
    fn restart(&mut self) {
        if self.encrypts {
            (self.encrypts, self.decryption) = (false, DecryptionState::default());
        }
    }
}

/// Summary of the records of one message.
#[derive(Default)]
struct MessageSummary {
    summary: Summary,
    records: usize,
    bytes: usize,
}

impl Session {
    /// A connection whose first record has a wrong field.
    pub(super) fn of_odd() -> Session {
        Session { is_odd: true, ..Session::default() }
    }

    fn record(&mut self, from: Side, wire: &mut Wire<'_>, sum: &mut MessageSummary) -> Result {
        let header: [u8; HEADER] = wire.ahead().first_chunk().copied().unwrap_or_default();
        let [kind, ..] = header;
        let is_opaque = kind == APPLICATION_DATA && self.hello.is_1_3();
        wire.u8(if is_opaque { &OPAQUE_TYPE } else { &CONTENT_TYPE })?;
        wire.u16_be(&RECORD_VERSION)?;
        let length = usize::from(wire.u16_be(&RECORD_LENGTH)?);
        if length > RECORD_MAX {
            wire.note(&RECORD_TOO_LONG, format_args!("{length} bytes exceed the maximum of {RECORD_MAX}"));
        }
        sum.records += 1;
        sum.bytes += length;
        self.shown.record(header, wire.ahead());
        if kind == HANDSHAKE_RECORD && wire.ahead().get(..length).is_some_and(is_clear_hello) {
            self.directions[from].restart();
        }
        let is_encrypted = self.directions[from].encrypts || is_opaque;
        wire.within(length, &DATA, |wire| match kind {
            CHANGE_CIPHER_SPEC_TYPE => {
                if !self.hello.is_1_3() {
                    let direction = &mut self.directions[from];
                    direction.encrypts = true;
                    direction.decryption.change();
                }
                sum.summary.name("change_cipher_spec");
                wire.rest_is(&CHANGE_CIPHER_SPEC)
            }
            _ if is_encrypted && wire.remaining() == length => self.encrypted_payload(from, header, wire, &mut sum.summary),
            _ if is_encrypted => {
                let direction = &mut self.directions[from];
                direction.decryption.skip_record();
                direction.follows_gap = true;
                self.undecrypted(kind, true, wire, &mut sum.summary)
            }
            _ if name_of(TYPES, kind.into()).is_none() => {
                sum.summary.name("unknown record");
                wire.rest_is(&DATA)
            }
            ALERT_TYPE if length == 2 => alert(wire, &mut sum.summary).map(drop),
            HANDSHAKE_RECORD => self.handshakes(from, wire, &mut sum.summary),
            HEARTBEAT => heartbeat(wire, &mut sum.summary),
            _ => self.undecrypted(kind, false, wire, &mut sum.summary),
        })
    }

    /// Dissects the payload of an encrypted record, decrypted if the secret is known.
    fn encrypted_payload(&mut self, from: Side, header: [u8; HEADER], wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        let [kind, ..] = header;
        if let Some(mac) = suites::size_of_mac_alone(self.hello.suite).filter(|mac| *mac <= wire.remaining()) {
            wire.within(wire.remaining() - mac, &DATA, |wire| self.decrypted(from, kind, wire, summary))?;
            return wire.bytes(&MAC, mac).map(drop);
        }
        let direction = &mut self.directions[from];
        let content = match direction.decryption.decrypt(from, &self.hello, header, wire) {
            Outcome::Decrypted(content) => content,
            outcome => {
                direction.follows_gap = true;
                self.undecrypted(kind, true, wire, summary)?;
                if let Outcome::Failed = outcome {
                    wire.note(&NOT_OPENED, format_args!("the configured secret does not decrypt it"));
                }
                return Ok(());
            }
        };
        let (at, length) = (wire.at(), wire.remaining());
        wire.put(if kind == APPLICATION_DATA { &APP_DATA } else { &ENCRYPTED }, Value::Bytes, at..at + length);
        wire.deciphered("tls", length, content.from, &content.bytes, |inner| {
            if !self.hello.is_1_3() {
                return self.decrypted(from, kind, inner, summary);
            }
            let Some(end) = content.bytes.iter().rposition(|byte| *byte != 0) else {
                return inner.malformed(&NO_TYPE, format_args!("the plaintext consists of zeros"));
            };
            let kind = content.bytes.get(end).copied().unwrap_or_default();
            inner.within(end, &DATA, |inner| self.decrypted(from, kind, inner, summary))?;
            inner.u8(&CONTENT_TYPE)?;
            inner.rest_is(&PADDING)
        })
    }

    /// Adds the payload of a record as bytes. Only ciphertext needs no search for credentials: some suites do not encrypt.
    fn undecrypted(&self, kind: u8, is_encrypted: bool, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        summary.name(encrypted(kind));
        let field = if kind == APPLICATION_DATA { &APP_DATA } else { &ENCRYPTED };
        match wire.remaining() {
            0 => {}
            length if is_encrypted && self.hello.encrypts => drop(wire.bytes(field, length)?),
            _ => drop(wire.rest(field)),
        }
        Ok(())
    }

    /// Dissects a decrypted record.
    fn decrypted(&mut self, from: Side, kind: u8, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        match kind {
            ALERT_TYPE if wire.remaining() == 2 => {
                if alert(wire, summary)? == CLOSE_NOTIFY {
                    wire.end_inner("tls");
                }
                Ok(())
            }
            HANDSHAKE_RECORD => {
                self.handshakes(from, wire, summary)?;
                self.switch_keys(from);
                Ok(())
            }
            HEARTBEAT => heartbeat(wire, summary),
            APPLICATION_DATA => {
                summary.name("application_data");
                let follows_gap = std::mem::take(&mut self.directions[from].follows_gap);
                match wire.remaining() {
                    0 => Ok(()),
                    count => wire.add_inner(&DECRYPTED, count, "tls", follows_gap),
                }
            }
            _ => {
                summary.name("unknown");
                wire.rest_is(&DATA)
            }
        }
    }

    /// Switches keys after Finished or KeyUpdate.
    fn switch_keys(&mut self, from: Side) {
        let (finished, updated) = (std::mem::take(&mut self.hello.finished), std::mem::take(&mut self.hello.updated));
        let (is_1_3, suite) = (self.hello.is_1_3(), self.hello.suite);
        let decryption = &mut self.directions[from].decryption;
        match (is_1_3 && finished, is_1_3 && updated) {
            (true, _) => decryption.establish(),
            (_, true) => decryption.update(suite),
            _ => {}
        }
    }

    /// Dissects the handshake messages of a record.
    fn handshakes(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        if !self.directions[from].incomplete.is_empty() {
            return self.continue_message(from, wire, summary);
        }
        if !handshake::may_begin(wire.ahead()) {
            summary.name(encrypted(HANDSHAKE_RECORD));
            return wire.rest_is(&ENCRYPTED);
        }
        while handshake::message_size(wire.ahead()).is_some_and(|whole| whole <= wire.remaining()) {
            handshake::message(wire, &mut self.hello, summary)?;
        }
        self.keep_incomplete(from, wire, summary)
    }

    /// Stores an incomplete message for the next record.
    fn keep_incomplete(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        let (at, left) = (wire.at(), wire.remaining());
        if left == 0 {
            return Ok(());
        }
        if handshake::message_size(wire.ahead()).is_some_and(|whole| whole > limits::TLS_HANDSHAKE.get()) {
            return wire.malformed(&TOO_LONG, format_args!("more than {} bytes", limits::TLS_HANDSHAKE.get()));
        }
        summary.name("handshake_part");
        let pieces = wire.pieces(at..at + left, 0);
        let bytes = wire.bytes(&SEGMENT, left)?;
        let direction = &mut self.directions[from];
        direction.incomplete = bytes.to_vec();
        direction.pieces = pieces;
        Ok(())
    }

    /// Continues the incomplete message of the previous record.
    fn continue_message(&mut self, from: Side, wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
        let direction = &mut self.directions[from];
        let (mut bytes, mut pieces) = (std::mem::take(&mut direction.incomplete), std::mem::take(&mut direction.pieces));
        let (at, left) = (wire.at(), wire.remaining());
        pieces.extend(wire.pieces(at..at + left, bytes.len() as u64));
        bytes.extend_from_slice(wire.bytes(&SEGMENT, left)?);
        let is_whole = handshake::message_size(&bytes).is_some_and(|whole| whole <= bytes.len());
        if !is_whole {
            summary.name("handshake_part");
            let direction = &mut self.directions[from];
            (direction.incomplete, direction.pieces) = (bytes, pieces);
            return Ok(());
        }
        wire.joined("records", &pieces, &bytes, |inner| {
            while handshake::message_size(inner.ahead()).is_some_and(|whole| whole <= inner.remaining()) {
                handshake::message(inner, &mut self.hello, summary)?;
            }
            self.keep_incomplete(from, inner, summary)
        })
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(first) = Header::of(ahead) else {
            if self.is_odd
                && let Some(odd) = Header::of_odd(ahead)
                && let Some(extent) = odd_extent(odd.record_size(), ahead, more, |_| true)
            {
                return extent;
            }
            match if from == Side::Client { ssl2::recognize(ahead) } else { Ssl2::No } {
                Ssl2::Hello(whole) => return Extent::Message(whole),
                Ssl2::Unfinished if more => return Extent::NeedMore(ahead.len() + 1),
                _ => {}
            }
            let is_short = ahead.len() < HEADER && matches!(ahead, [20..=24] | [20..=24, 3, ..]);
            return if is_short && more { Extent::NeedMore(HEADER) } else { Extent::Unknown(next_record(ahead)) };
        };
        let (mut end, mut records) = (first.record_size(), 1);
        while first.kind == APPLICATION_DATA
            && records < MAX_RECORDS
            && let Some(next) = ahead.get(end..).and_then(Header::of)
            && next.kind == APPLICATION_DATA
            && end + next.record_size() <= ahead.len()
        {
            end += next.record_size();
            records += 1;
        }
        Extent::Message(end)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let mut sum = MessageSummary::default();
        let mut result = Ok(());
        if from == Side::Client && matches!(ssl2::recognize(wire.ahead()), Ssl2::Hello(_)) {
            result = wire.group(&RECORD, |wire| ssl2::hello(wire, &mut self.hello, &mut sum.summary));
        }
        while result.is_ok() && wire.remaining() > 0 {
            if sum.records == 1 && wire.spans_frames() {
                // Wireshark dissects a record of several segments separately.
                wire.embeds("tls");
            }
            result = wire.group(&RECORD, |wire| self.record(from, wire, &mut sum));
        }
        wire.column(self.shown.column(self.hello.version));
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

    fn memory_usage(&self) -> usize {
        let direction = |direction: &Direction| {
            direction.decryption.memory_usage()
                + direction.incomplete.capacity()
                + direction.pieces.capacity() * size_of::<Piece>()
        };
        size_of_val(self) + self.directions.iter().map(direction).sum::<usize>()
    }

    fn partial(&self, _from: Side, unended: Unended<'_>) -> Option<Partial> {
        let bytes = match unended {
            Unended::Continues => return None,
            Unended::Begins => return Some(Partial::default()),
            Unended::AfterGap(bytes) => bytes,
        };
        let is_record = matches!(bytes, [20..=24, ..]);
        if is_record && Header::of(bytes).is_none_or(|header| header.record_size() > bytes.len()) {
            return Some(Partial::default());
        }
        let column = self.shown.column(self.hello.version);
        // TLS 1.0 to 1.2 ignore records of unknown type (RFC 2246).
        let ignored = !is_record && ["TLSv1", "TLSv1.1", "TLSv1.2"].contains(&column);
        Some(Partial { column, inside: "", ignored })
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let direction = &mut self.directions[from];
        if !missing.in_step {
            direction.decryption.mark_gap();
        }
        direction.follows_gap = true;
        direction.incomplete.clear();
        direction.pieces.clear();
    }
}

/// Number of bytes before the next plausible record: a header, followed by another one if enough bytes are available.
pub(super) fn next_record(ahead: &[u8]) -> usize {
    let is_record = |at: &usize| {
        let here = ahead.get(*at..).unwrap_or_default();
        Header::of(here).is_some_and(|header| {
            header.length > 0
                && here.get(header.record_size()..).is_some_and(|behind| behind.len() >= HEADER && Header::of(behind).is_some())
        })
    };
    (1..ahead.len()).find(is_record).unwrap_or(ahead.len())
}

pub(in crate::protocols) fn encrypted(kind: u8) -> &'static str {
    match kind {
        APPLICATION_DATA => "application_data",
        ALERT_TYPE => "encrypted_alert",
        HANDSHAKE_RECORD => "encrypted_handshake",
        _ => "encrypted",
    }
}

/// Dissects an alert. Returns its description.
pub(in crate::protocols) fn alert(wire: &mut Wire<'_>, summary: &mut Summary) -> Result<u8> {
    summary.name("alert");
    let level = wire.u8(&ALERT_LEVEL)?;
    let about = wire.u8(&ALERT)?;
    let level = name_of(super::LEVELS, level.into()).unwrap_or("unknown");
    summary.info = format!("{level} {}", name_of(names::ALERTS, about.into()).unwrap_or("unknown"));
    Ok(about)
}

pub(in crate::protocols) fn heartbeat(wire: &mut Wire<'_>, summary: &mut Summary) -> Result {
    summary.name("heartbeat");
    wire.u8(&HEARTBEAT_TYPE)?;
    let declared = usize::from(wire.u16_be(&HEARTBEAT_LENGTH)?);
    let missing = declared.saturating_sub(wire.remaining());
    wire.rest(&HEARTBEAT_PAYLOAD);
    if missing > 0 { Err(Error::Short { needed: missing }) } else { Ok(()) }
}

pub(in crate::protocols) fn record_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let kind = node.child(&CONTENT_TYPE).or_else(|| node.child(&OPAQUE_TYPE)).and_then(NodeRef::number);
    out.write_str(kind.and_then(|kind| name_of(TYPES, kind)).unwrap_or_default())
}

pub(in crate::protocols) fn record_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&RECORD_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
