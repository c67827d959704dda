//! COTP (ISO 8073, X.224): connections and data of the ISO transport protocol.
//!
//! Numbers are big-endian.
//!
//! ```text
//! TPDU        length:1, of the header behind it | type:4 bits | credit:4 bits | … | user data
//!   CR, CC    destination:2 | source:2 | class:4 bits | options:4 bits | parameters, or RDP's negotiation
//!   DR        destination:2 | source:2 | cause:1 | parameters
//!   DC        destination:2 | source:2 | parameters
//!   DT        last:1 bit | number:7 bits
//!   DT, ED    destination:2 | last:1 bit | number:7 or 31 bits | parameters
//!   AK, EA    destination:2 | number:1, or 4 and a credit:2 | parameters
//!   RJ        as AK
//!   ER        destination:2 | cause:1 | parameters
//! ```
//! User data is joined up to the last segment, and handed over.
//!
//! Not covered: references that Wireshark generates for class 0, and checks of checksums.

use super::fields::*;
use super::{PLACE, parameters, rdp};
use crate::limits;
use crate::tree::{BySide, Piece, Side, Value, name_of};
use crate::wire::{Cut, Exchange, Heuristic, On, Protocol, Result, Wire};

pub static PROTOCOL: Protocol = Protocol::new(&COTP, FIELDS).found(&[On::Over(PLACE).exchange::<Session>(Heuristic::Anything)]);

pub(super) const REQUEST: u8 = 0xe0;
pub(super) const CONFIRMATION: u8 = 0xd0;

/// Smallest header of each type, behind its length.
fn least(kind: u8) -> Option<u8> {
    Some(match kind >> 4 {
        0xe | 0xd | 0x8 => 6,
        0xc => 5,
        0xf => 2,
        0x1 | 0x2 | 0x5 | 0x6 | 0x7 => 4,
        _ => return None,
    })
}

/// Whether a TPDU of this size may begin with this length and type.
pub(super) fn begins(length: u8, kind: u8, size: usize) -> bool {
    least(kind).is_some_and(|least| length >= least) && usize::from(length) < size
}

/// Whether these bytes are a request or a confirmation of a connection whose lengths all agree.
pub(super) fn is_connection(tpdu: &[u8], kind: u8) -> bool {
    let &[length, its_kind, d0, d1, _, _, class, ..] = tpdu else { return false };
    let Some(variable) = tpdu.get(7..) else { return false };
    let is_whole = usize::from(length) + 1 == tpdu.len() && its_kind == kind;
    // A request has no destination yet.
    let has_references = kind == CONFIRMATION && !variable.is_empty() || (d0, d1) == (0, 0);
    is_whole
        && has_references
        && class >> 4 <= 4
        && class & 0x0c == 0
        && (parameters::are_parameters(variable) || rdp::recognize(variable))
}

/// Segments of a message that is not complete.
#[derive(Default)]
struct Incomplete {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    segments: u64,
    /// How often bytes had been lost before.
    losses: u64,
    exceeds_limit: bool,
    is_cut: bool,
}

/// State of a connection.
#[derive(Default)]
pub(super) struct Session {
    incomplete: BySide<Option<Incomplete>>,
}

impl Exchange for Session {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let losses = wire.detail();
        self.packet(from, losses, wire)
    }

    fn memory_usage(&self) -> usize {
        let of = |incomplete: &Option<Incomplete>| incomplete.as_ref().map_or(0, Incomplete::memory_usage);
        size_of_val(self) + self.incomplete.iter().map(of).sum::<usize>()
    }
}

impl Session {
    /// Reads all TPDUs of a packet, before which bytes of this side were lost so often.
    pub(super) fn packet(&mut self, from: Side, losses: u64, wire: &mut Wire<'_>) -> Result {
        let incomplete = &mut self.incomplete[from];
        tpdu(incomplete, losses, wire)?;
        if wire.remaining() > 0 {
            wire.note(&MULTIPLE, format_args!("{} more bytes", wire.remaining()));
        }
        wire.each(|wire| tpdu(incomplete, losses, wire))
    }
}

impl Incomplete {
    fn memory_usage(&self) -> usize {
        self.bytes.capacity() + self.pieces.capacity() * size_of::<Piece>()
    }

    fn add(&mut self, wire: &Wire<'_>, count: usize) {
        let ahead = wire.ahead().get(..count).unwrap_or_default();
        self.segments += 1;
        self.is_cut |= wire.cut() != Cut::No;
        self.exceeds_limit |= self.bytes.len() + ahead.len() > limits::STREAM_MESSAGE.get();
        if self.exceeds_limit {
            (self.bytes, self.pieces) = (Vec::new(), Vec::new());
            return;
        }
        let off = self.bytes.len() as u64;
        self.pieces.extend(wire.pieces(wire.at()..wire.at() + ahead.len(), off));
        self.bytes.extend_from_slice(ahead);
    }
}

/// Reads one TPDU with its user data.
fn tpdu(incomplete: &mut Option<Incomplete>, losses: u64, wire: &mut Wire<'_>) -> Result {
    let length = wire.u8(&LENGTH)?;
    let Some(&kind) = wire.ahead().first() else {
        return wire.malformed(&BAD_LENGTH, format_args!("nothing follows"));
    };
    let at = wire.at();
    wire.put(&TYPE, Value::Unsigned((kind >> 4).into()), at..at + 1);
    if least(kind).is_some_and(|least| length < least) || length == 0 || length == u8::MAX {
        return wire.malformed(&BAD_LENGTH, format_args!("{length} bytes"));
    }
    let header = usize::from(length);
    match kind >> 4 {
        0xe | 0xd => wire.within(header, &PARAMETER_VALUE, |wire| connect(wire, kind))?,
        0x8 => wire.within(header, &PARAMETER_VALUE, |wire| disconnect(wire, true))?,
        0xc => wire.within(header, &PARAMETER_VALUE, |wire| disconnect(wire, false))?,
        0xf => {
            let is_last = wire.within(header, &PARAMETER_VALUE, |wire| data(wire, length))?;
            return segment(incomplete, losses, wire, is_last);
        }
        0x1 => {
            wire.within(header, &PARAMETER_VALUE, |wire| data(wire, length))?;
        }
        0x2 | 0x5 | 0x6 => return wire.within(header, &PARAMETER_VALUE, |wire| acknowledge(wire, kind, length)),
        0x7 => return wire.within(header, &PARAMETER_VALUE, error),
        _ => {
            wire.note(&BAD_TYPE, format_args!("{:#x}", kind >> 4));
            wire.skip(1)?;
            wire.bytes(&PARAMETER_VALUE, header.saturating_sub(1))?;
        }
    }
    user_data(wire);
    wire.skip(wire.remaining())
}

/// Hands user data over, if there is any.
fn user_data(wire: &mut Wire<'_>) {
    let range = wire.at()..wire.at() + wire.remaining();
    if !range.is_empty() {
        wire.hand_over("cotp", range);
    }
}

fn connect(wire: &mut Wire<'_>, kind: u8) -> Result {
    wire.skip(1)?;
    let destination = wire.u16_be(&DESTINATION)?;
    let source = wire.u16_be(&SOURCE)?;
    let class = wire.bits(1, &[&CLASS, &EXTENDED_FORMATS, &NO_FLOW_CONTROL])? >> 4;
    wire.name(if kind & 0xf0 == REQUEST { "CR" } else { "CC" });
    wire.info(format_args!("source {source:#06x}, destination {destination:#06x}, class {class}"));
    if rdp::recognize(wire.ahead()) {
        let at = wire.at();
        wire.hand_over(rdp::PLACE, at..at + wire.remaining());
        return wire.skip(wire.remaining());
    }
    parameters::read(wire, u8::try_from(class).unwrap_or(0))
}

fn disconnect(wire: &mut Wire<'_>, is_request: bool) -> Result {
    wire.skip(1)?;
    let destination = wire.u16_be(&DESTINATION)?;
    let source = wire.u16_be(&SOURCE)?;
    wire.name(if is_request { "DR" } else { "DC" });
    if is_request {
        let cause = wire.u8(&CAUSE)?;
        match name_of(CAUSES, cause.into()) {
            Some(cause) => wire.info(format_args!("{cause}")),
            None => wire.info(format_args!("cause {cause}")),
        }
    } else {
        wire.info(format_args!("source {source:#06x}, destination {destination:#06x}"));
    }
    parameters::read(wire, 4)
}

/// Reads a header of data. Returns whether the segment is the last one of its message.
fn data(wire: &mut Wire<'_>, length: u8) -> Result<bool> {
    let is_expedited = wire.ahead().first().is_some_and(|kind| kind >> 4 == 1);
    wire.skip(1)?;
    // Classes 0 and 1 have no reference. A checksum takes four bytes more.
    let has_reference = length >= 4;
    if has_reference {
        wire.u16_be(&DESTINATION)?;
    }
    let at = wire.at();
    let (number, is_last, size) = match (matches!(length, 7 | 11), wire.ahead()) {
        (true, &[a, b, c, d, ..]) => (u32::from_be_bytes([a & 0x7f, b, c, d]), a & 0x80 != 0, 4),
        (_, &[number, ..]) => (u32::from(number & 0x7f), number & 0x80 != 0, 1),
        (_, []) => return wire.skip(1).map(|()| false),
    };
    wire.put(&NUMBER, Value::Unsigned(number.into()), at..at + size);
    if !is_expedited {
        wire.put(&LAST, Value::Bool(is_last), at..at + size);
    }
    wire.skip(size)?;
    wire.name(if is_expedited { "ED" } else { "DT" });
    wire.info(format_args!("number {number}{}", if is_last { ", last" } else { "" }));
    parameters::read(wire, 4).map(|()| is_last)
}

fn acknowledge(wire: &mut Wire<'_>, kind: u8, length: u8) -> Result {
    // The longer formats end in a credit of their own.
    let is_extended = match kind >> 4 {
        5 => length == 9,
        6 => length % 2 == 1 && length >= 9,
        _ => matches!(length, 7 | 11),
    };
    let has_credit = kind >> 4 != 2;
    let at = wire.at();
    if has_credit && !is_extended {
        wire.put(&CREDIT, Value::Unsigned((kind & 0x0f).into()), at..at + 1);
    }
    wire.skip(1)?;
    let destination = wire.u16_be(&DESTINATION)?;
    let number = if is_extended { wire.u32_be(&NEXT_NUMBER)? } else { wire.u8(&NEXT_NUMBER)?.into() };
    if is_extended && has_credit {
        wire.u16_be(&CREDIT)?;
    }
    wire.name(match kind >> 4 {
        2 => "EA",
        5 => "RJ",
        _ => "AK",
    });
    wire.info(format_args!("next number {number}, destination {destination:#06x}"));
    parameters::read(wire, 4)
}

fn error(wire: &mut Wire<'_>) -> Result {
    wire.skip(1)?;
    wire.u16_be(&DESTINATION)?;
    let cause = wire.u8(&REJECT_CAUSE)?;
    wire.name("ER");
    match name_of(REJECT_CAUSES, cause.into()) {
        Some(cause) => wire.info(format_args!("{cause}")),
        None => wire.info(format_args!("cause {cause}")),
    }
    parameters::read(wire, 4)
}

/// Adds user data to its message, which is handed over with the last segment.
fn segment(incomplete: &mut Option<Incomplete>, losses: u64, wire: &mut Wire<'_>, is_last: bool) -> Result {
    let count = wire.remaining();
    if incomplete.as_ref().is_some_and(|waiting| waiting.losses != losses) {
        *incomplete = None;
        wire.note(&NOT_JOINED, format_args!("bytes are missing before this segment"));
    }
    if is_last && incomplete.is_none() {
        user_data(wire);
        return wire.skip(count);
    }
    let mut waiting = incomplete.take().unwrap_or(Incomplete { losses, ..Incomplete::default() });
    waiting.add(wire, count);
    wire.optional(&SEGMENT_DATA, count)?;
    if !is_last {
        *incomplete = Some(waiting);
        return Ok(());
    }
    wire.add(&SEGMENT_COUNT, Value::Unsigned(waiting.segments));
    if waiting.exceeds_limit {
        wire.note(&NOT_JOINED, format_args!("more than {} bytes", limits::STREAM_MESSAGE.get()));
        return Ok(());
    }
    if waiting.is_cut {
        wire.note(&NOT_JOINED, format_args!("a segment is cut"));
        return Ok(());
    }
    wire.add(&REASSEMBLED_LENGTH, Value::Unsigned(waiting.bytes.len() as u64));
    wire.joined("segments", &waiting.pieces, &waiting.bytes, user_data);
    Ok(())
}
