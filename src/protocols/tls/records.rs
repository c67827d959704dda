//! Records, and a connection of them.

use super::handshake::{self, Hello, Told};
use super::seal::{Outcome, Seal};
use super::ssl2::{self, Old};
use super::{
    ALERT, ALERT_LEVEL, ALERT_TYPE, APP_DATA, APPLICATION_DATA, CHANGE_CIPHER_SPEC, CHANGE_CIPHER_SPEC_TYPE, CONTENT_TYPE, DATA,
    DECRYPTED, ENCRYPTED, HANDSHAKE_RECORD, HEADER, HEARTBEAT, HEARTBEAT_LENGTH, HEARTBEAT_PAYLOAD, HEARTBEAT_TYPE, NO_TYPE,
    NOT_OPENED, OPAQUE_TYPE, PADDING, RECORD, RECORD_LENGTH, RECORD_MAX, RECORD_TOO_LONG, RECORD_VERSION, SEGMENT, TOO_LONG,
    TYPES, names,
};
use crate::limits;
use crate::tree::{NodeRef, Piece, Side, Value, name_of};
use crate::wire::{Conversation, Error, Extent, Missing, Result, Wire};
use std::fmt::{self, Write};

/// Records with data of the application that are one message at most.
const TOGETHER: usize = 512;

/// The alert that nothing follows.
const CLOSE_NOTIFY: u8 = 0;

/// A record's header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) kind: u8,
    pub(super) length: usize,
}

impl Header {
    /// The header in front of these bytes; nothing if it cannot be one.
    pub(super) fn of(bytes: &[u8]) -> Option<Header> {
        match *bytes.first_chunk::<HEADER>()? {
            [kind @ 20..=24, 3, 0..=4, high, low] => {
                let length = usize::from(u16::from_be_bytes([high, low]));
                Some(Header { kind, length }).filter(|header| header.length <= RECORD_MAX)
            }
            _ => None,
        }
    }

    pub(super) fn whole(self) -> usize {
        HEADER + self.length
    }
}

/// What one connection has to remember.
#[derive(Default)]
pub(super) struct Session {
    pub(super) hello: Hello,
    client: Half,
    server: Half,
}

/// What one direction has to remember.
#[derive(Default)]
struct Half {
    /// What follows is encrypted.
    encrypts: bool,
    seal: Seal,
    /// Something that the application said before was not read.
    is_behind_gap: bool,
    /// The beginning of a handshake message that goes on in the next record, and where it was captured.
    begun: Vec<u8>,
    pieces: Vec<Piece>,
}

/// What the records of one message say together.
#[derive(Default)]
struct Sum {
    told: Told,
    records: usize,
    bytes: usize,
}

impl Session {
    fn half(&mut self, from: Side) -> &mut Half {
        match from {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    fn record(&mut self, from: Side, wire: &mut Wire<'_>, sum: &mut Sum) -> Result {
        let header: [u8; HEADER] = wire.ahead().first_chunk().copied().unwrap_or_default();
        let [kind, ..] = header;
        let is_opaque = kind == APPLICATION_DATA && self.hello.is_1_3();
        wire.u8(if is_opaque { &OPAQUE_TYPE } else { &CONTENT_TYPE })?;
        wire.u16_be(&RECORD_VERSION)?;
        let length = usize::from(wire.u16_be(&RECORD_LENGTH)?);
        if length > RECORD_MAX {
            wire.note(&RECORD_TOO_LONG, format_args!("{length} bytes, {RECORD_MAX} is the most"));
        }
        sum.records += 1;
        sum.bytes += length;
        let is_sealed = self.half(from).encrypts || is_opaque;
        wire.within(length, &DATA, |wire| match kind {
            CHANGE_CIPHER_SPEC_TYPE => {
                if !self.hello.is_1_3() {
                    let half = self.half(from);
                    half.encrypts = true;
                    half.seal.change();
                }
                sum.told.name("change_cipher_spec");
                wire.rest(&CHANGE_CIPHER_SPEC);
                Ok(())
            }
            _ if is_sealed && wire.remaining() == length => self.sealed(from, header, wire, &mut sum.told),
            _ if is_sealed => {
                let half = self.half(from);
                half.seal.pass();
                half.is_behind_gap = true;
                unopened(kind, wire, &mut sum.told)
            }
            ALERT_TYPE if length == 2 => alert(wire, &mut sum.told).map(drop),
            HANDSHAKE_RECORD => self.handshakes(from, wire, &mut sum.told),
            HEARTBEAT => heartbeat(wire, &mut sum.told),
            _ => unopened(kind, wire, &mut sum.told),
        })
    }

    /// The payload of a sealed record: what is in it, if somebody told the secret.
    fn sealed(&mut self, from: Side, header: [u8; HEADER], wire: &mut Wire<'_>, told: &mut Told) -> Result {
        let [kind, ..] = header;
        let half = if from == Side::Client { &mut self.client } else { &mut self.server };
        let content = match half.seal.open(from, &self.hello, header, wire) {
            Outcome::Opened(content) => content,
            outcome => {
                half.is_behind_gap = true;
                unopened(kind, wire, told)?;
                if let Outcome::Broken = outcome {
                    wire.note(&NOT_OPENED, format_args!("the secret that was told does not open it"));
                }
                return Ok(());
            }
        };
        let (at, length) = (wire.at(), wire.remaining());
        wire.put(if kind == APPLICATION_DATA { &APP_DATA } else { &ENCRYPTED }, Value::Bytes, at..at + length);
        wire.deciphered("tls", length, content.from, &content.bytes, |inner| {
            if !self.hello.is_1_3() {
                return self.opened(from, kind, inner, told);
            }
            let Some(end) = content.bytes.iter().rposition(|byte| *byte != 0) else {
                return inner.malformed(&NO_TYPE, format_args!("nothing but zeros"));
            };
            let kind = content.bytes.get(end).copied().unwrap_or_default();
            inner.within(end, &DATA, |inner| self.opened(from, kind, inner, told))?;
            inner.u8(&CONTENT_TYPE)?;
            inner.rest(&PADDING);
            Ok(())
        })
    }

    /// What was in a sealed record.
    fn opened(&mut self, from: Side, kind: u8, wire: &mut Wire<'_>, told: &mut Told) -> Result {
        match kind {
            ALERT_TYPE if wire.remaining() == 2 => {
                if alert(wire, told)? == CLOSE_NOTIFY {
                    wire.end_inside("tls");
                }
                Ok(())
            }
            HANDSHAKE_RECORD => {
                self.handshakes(from, wire, told)?;
                self.turn_keys(from);
                Ok(())
            }
            HEARTBEAT => heartbeat(wire, told),
            APPLICATION_DATA => {
                told.name("application_data");
                let is_behind_gap = std::mem::take(&mut self.half(from).is_behind_gap);
                match wire.remaining() {
                    0 => Ok(()),
                    count => wire.say_inside(&DECRYPTED, count, "tls", is_behind_gap),
                }
            }
            _ => {
                told.name("unknown");
                wire.rest(&DATA);
                Ok(())
            }
        }
    }

    /// Go on with other keys if the messages just read say so.
    fn turn_keys(&mut self, from: Side) {
        let (finished, updated) = (std::mem::take(&mut self.hello.finished), std::mem::take(&mut self.hello.updated));
        let (is_1_3, suite) = (self.hello.is_1_3(), self.hello.suite);
        let seal = &mut self.half(from).seal;
        match (is_1_3 && finished, is_1_3 && updated) {
            (true, _) => seal.establish(),
            (_, true) => seal.update(suite),
            _ => {}
        }
    }

    /// The handshake messages of a record.
    fn handshakes(&mut self, from: Side, wire: &mut Wire<'_>, told: &mut Told) -> Result {
        if !self.half(from).begun.is_empty() {
            return self.go_on(from, wire, told);
        }
        if !handshake::may_begin(wire.ahead()) {
            told.name(encrypted(HANDSHAKE_RECORD));
            wire.rest(&ENCRYPTED);
            return Ok(());
        }
        while handshake::whole(wire.ahead()).is_some_and(|whole| whole <= wire.remaining()) {
            handshake::message(wire, &mut self.hello, told)?;
        }
        self.begin(from, wire, told)
    }

    /// Keep what is left for the next record.
    fn begin(&mut self, from: Side, wire: &mut Wire<'_>, told: &mut Told) -> Result {
        let (at, left) = (wire.at(), wire.remaining());
        if left == 0 {
            return Ok(());
        }
        if handshake::whole(wire.ahead()).is_some_and(|whole| whole > limits::TLS_HANDSHAKE.get()) {
            return wire.malformed(&TOO_LONG, format_args!("more than {} bytes", limits::TLS_HANDSHAKE.get()));
        }
        told.name("handshake_part");
        let pieces = wire.pieces(at..at + left, 0);
        let bytes = wire.bytes(&SEGMENT, left)?;
        let half = self.half(from);
        half.begun = bytes.to_vec();
        half.pieces = pieces;
        Ok(())
    }

    /// A record that goes on with a message of the one before.
    fn go_on(&mut self, from: Side, wire: &mut Wire<'_>, told: &mut Told) -> Result {
        let half = self.half(from);
        let (mut bytes, mut pieces) = (std::mem::take(&mut half.begun), std::mem::take(&mut half.pieces));
        let (at, left) = (wire.at(), wire.remaining());
        pieces.extend(wire.pieces(at..at + left, bytes.len() as u64));
        bytes.extend_from_slice(wire.bytes(&SEGMENT, left)?);
        let is_whole = handshake::whole(&bytes).is_some_and(|whole| whole <= bytes.len());
        if !is_whole {
            told.name("handshake_part");
            let half = self.half(from);
            (half.begun, half.pieces) = (bytes, pieces);
            return Ok(());
        }
        wire.joined("records", &pieces, &bytes, |inner| {
            while handshake::whole(inner.ahead()).is_some_and(|whole| whole <= inner.remaining()) {
                handshake::message(inner, &mut self.hello, told)?;
            }
            self.begin(from, inner, told)
        })
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(first) = Header::of(ahead) else {
            match if from == Side::Client { ssl2::judge(ahead) } else { Old::No } {
                Old::Hello(whole) => return Extent::Message(whole),
                Old::Unfinished if more => return Extent::NeedMore(ahead.len() + 1),
                _ => {}
            }
            let is_short = ahead.len() < HEADER && matches!(ahead, [20..=24] | [20..=24, 3, ..]);
            return if is_short && more { Extent::NeedMore(HEADER) } else { Extent::Unknown(next_record(ahead)) };
        };
        let (mut end, mut records) = (first.whole(), 1);
        while first.kind == APPLICATION_DATA
            && records < TOGETHER
            && let Some(next) = ahead.get(end..).and_then(Header::of)
            && next.kind == APPLICATION_DATA
            && end + next.whole() <= ahead.len()
        {
            end += next.whole();
            records += 1;
        }
        Extent::Message(end)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let mut sum = Sum::default();
        let mut result = Ok(());
        if from == Side::Client && matches!(ssl2::judge(wire.ahead()), Old::Hello(_)) {
            result = wire.group(&RECORD, |wire| ssl2::hello(wire, &mut self.hello, &mut sum.told));
        }
        while result.is_ok() && wire.remaining() > 0 {
            result = wire.group(&RECORD, |wire| self.record(from, wire, &mut sum));
        }
        wire.name(&sum.told.names);
        match sum.told.info.is_empty() {
            false => wire.info(format_args!("{}", sum.told.info)),
            true if sum.records > 1 => wire.info(format_args!("{} records, {} bytes", sum.records, sum.bytes)),
            true => wire.info(format_args!("{} bytes", sum.bytes)),
        }
        result
    }

    fn held(&self) -> usize {
        let half = |half: &Half| half.seal.held() + half.begun.capacity() + half.pieces.capacity() * size_of::<Piece>();
        size_of_val(self) + half(&self.client) + half(&self.server)
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        let half = self.half(from);
        if !missing.in_step {
            half.seal.lose();
        }
        half.is_behind_gap = true;
        half.begun.clear();
        half.pieces.clear();
    }
}

/// Bytes before the next that may be a record: a header, and another one behind it as far as there are bytes.
pub(super) fn next_record(ahead: &[u8]) -> usize {
    let is_record = |at: &usize| {
        let here = ahead.get(*at..).unwrap_or_default();
        Header::of(here).is_some_and(|header| {
            header.length > 0
                && here.get(header.whole()..).is_some_and(|behind| behind.len() >= HEADER && Header::of(behind).is_some())
        })
    };
    (1..ahead.len()).find(is_record).unwrap_or(ahead.len())
}

/// A payload that stays as it is.
fn unopened(kind: u8, wire: &mut Wire<'_>, told: &mut Told) -> Result {
    told.name(encrypted(kind));
    wire.rest(if kind == APPLICATION_DATA { &APP_DATA } else { &ENCRYPTED });
    Ok(())
}

fn encrypted(kind: u8) -> &'static str {
    match kind {
        APPLICATION_DATA => "application_data",
        ALERT_TYPE => "encrypted_alert",
        HANDSHAKE_RECORD => "encrypted_handshake",
        _ => "encrypted",
    }
}

/// An alert. Returns what it is about.
fn alert(wire: &mut Wire<'_>, told: &mut Told) -> Result<u8> {
    told.name("alert");
    let level = wire.u8(&ALERT_LEVEL)?;
    let about = wire.u8(&ALERT)?;
    let level = name_of(super::LEVELS, level.into()).unwrap_or("unknown");
    told.info = format!("{level} {}", name_of(names::ALERTS, about.into()).unwrap_or("unknown"));
    Ok(about)
}

fn heartbeat(wire: &mut Wire<'_>, told: &mut Told) -> Result {
    told.name("heartbeat");
    wire.u8(&HEARTBEAT_TYPE)?;
    let claims = usize::from(wire.u16_be(&HEARTBEAT_LENGTH)?);
    let missing = claims.saturating_sub(wire.remaining());
    wire.rest(&HEARTBEAT_PAYLOAD);
    if missing > 0 { Err(Error::Short { needed: missing }) } else { Ok(()) }
}

pub(super) fn record_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let kind = node.child(&CONTENT_TYPE).or_else(|| node.child(&OPAQUE_TYPE)).and_then(NodeRef::number);
    out.write_str(kind.and_then(|kind| name_of(TYPES, kind)).unwrap_or_default())
}

pub(super) fn record_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let length = node.child(&RECORD_LENGTH).and_then(NodeRef::number);
    length.map_or(Ok(()), |length| write!(out, "{length} bytes"))
}
