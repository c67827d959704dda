//! Pseudo-fields with Wireshark's names: its columns, and notes as its expert items.

use super::pseudo::Answer;
use super::{Record, encapsulation, level_of, protocols, words_of};
use crate::tree::{Address, Dissection, Ends, Level, Names, Note, clean, clean_escaped};
use std::fmt;

/// Wireshark's severity levels and their numbers.
pub const SEVERITIES: Names = &[(0x0020_0000, "Chat"), (0x0040_0000, "Note"), (0x0060_0000, "Warning"), (0x0080_0000, "Error")];

/// The summary of a record, like Wireshark's Info column.
#[derive(Clone, Copy)]
pub struct Said<'t>(Record<'t>);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, info) = match self.0 {
            Record::Message(message) => (message.name().into(), message.info()),
            Record::Packet(packet) => words_of(packet.of, packet.layers()),
            Record::Late(late) => words_of(late.of, late.layers.iter()),
            Record::Gap(_) => return Ok(()),
        };
        clean(&name, f)?;
        if !name.is_empty() && !info.is_empty() {
            f.write_str(", ")?;
        }
        clean_escaped(&info, f)
    }
}

/// The notes on a record.
#[derive(Clone, Copy)]
pub struct Remarks<'t> {
    record: Record<'t>,
    of: Remark,
}

/// The property of a note to display.
#[derive(Clone, Copy)]
enum Remark {
    Item,
    Message,
    Severity,
    Malformed,
}

impl<'t> Remarks<'t> {
    /// The tree and its notes.
    fn notes(&self) -> (Option<Dissection<'t>>, Vec<&'t Note>) {
        match self.record {
            Record::Message(message) => (Some(message.of), message.notes().collect()),
            Record::Packet(packet) => (Some(packet.of), packet.notes().collect()),
            Record::Late(late) => (Some(late.of), late.notes().collect()),
            Record::Gap(_) => (None, Vec::new()),
        }
    }

    /// Calls `visit` for each value until it fails.
    ///
    /// # Errors
    /// Those of `visit`.
    pub fn each<E>(&self, mut visit: impl FnMut(Shown<'t>) -> Result<(), E>) -> Result<(), E> {
        let (Some(of), notes) = self.notes() else { return Ok(()) };
        match self.of {
            Remark::Malformed => match notes.iter().any(|note| level_of(note) == Level::Broken) {
                true => {
                    visit(Shown::Malformed(protocols::column(&self.record))).and_then(|()| visit(Shown::Words("_ws.malformed")))
                }
                false => Ok(()),
            },
            Remark::Severity => notes.iter().try_for_each(|note| visit(Shown::Severity(severity(note)))),
            Remark::Message => notes.iter().try_for_each(|note| visit(Shown::Message(of, note))),
            Remark::Item => notes.iter().try_for_each(|note| visit(Shown::Item(of, note))),
        }
    }
}

impl fmt::Display for Remarks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        self.each(|shown| write!(f, "{}{shown}", std::mem::replace(&mut between, ",")))
    }
}

/// A displayed property of a note.
#[derive(Clone, Copy)]
pub enum Shown<'t> {
    /// The severity, as a number.
    Severity(u64),
    /// The text.
    Words(&'static str),
    /// The marker of a malformed message of this protocol.
    Malformed(&'static str),
    /// The message text.
    Message(Dissection<'t>, &'t Note),
    /// Severity and message text.
    Item(Dissection<'t>, &'t Note),
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Severity(number) => write!(f, "{number}"),
            Shown::Words(words) => f.write_str(words),
            Shown::Malformed(protocol) => write!(f, "[Malformed Packet: {protocol}]"),
            Shown::Message(of, note) => match of.tree.made(note.text) {
                "" => f.write_str(note.code.name),
                text => clean(text, f),
            },
            Shown::Item(of, note) => {
                let severity = severity(note);
                let name = SEVERITIES.iter().find(|(number, _)| *number == severity).map_or("", |(_, name)| name);
                write!(f, "Expert Info ({name}): {}", Shown::Message(*of, note))
            }
        }
    }
}

fn severity(note: &Note) -> u64 {
    match level_of(note) {
        Level::Info => 0x0040_0000,
        Level::Odd => 0x0060_0000,
        Level::Broken => 0x0080_0000,
    }
}

/// The Protocol column.
pub(super) fn protocol<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    Some(protocols::column(record)).filter(|column| !column.is_empty()).map(Answer::Words)
}

/// The Info column.
pub(super) fn info<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    Some(Answer::Said(Said(*record)))
}

fn address<'t>(address: Option<Address>) -> Option<Answer<'t>> {
    Some(Answer::Address(match address? {
        Address::Socket(socket) => Address::Ip(socket.ip()),
        address => address,
    }))
}

/// The Source column.
pub(super) fn source<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    address(ends_of(record)?.src)
}

/// The Destination column.
pub(super) fn destination<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    address(ends_of(record)?.dst)
}

fn ends_of<'t>(record: &Record<'t>) -> Option<&'t Ends> {
    super::pseudo::ends(record)
}

/// The Time column: seconds since the first frame, in microseconds.
pub(super) fn time<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    match super::pseudo::relative(record)? {
        Answer::Nanos(nanos) => Some(Answer::Micros(nanos)),
        answer => Some(answer),
    }
}

/// The Length column: that of the frame or of the message.
pub(super) fn length<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    Some(Answer::Number(match record {
        Record::Message(message) => message.node()?.span().len().into(),
        Record::Packet(packet) => packet.of.tree.frame.original.into(),
        Record::Late(late) => late.length(),
        Record::Gap(gap) => gap.len,
    }))
}

fn remarks<'t>(record: &Record<'t>, of: Remark) -> Option<Answer<'t>> {
    let remarks = Remarks { record: *record, of };
    let is_malformed = |note: &&Note| level_of(note) == Level::Broken;
    let notes = remarks.notes().1;
    let has_any = match of {
        Remark::Malformed => notes.iter().any(is_malformed),
        _ => !notes.is_empty(),
    };
    has_any.then_some(Answer::Remarks(remarks))
}

/// Each note with its severity.
pub(super) fn expert<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    remarks(record, Remark::Item)
}

/// The text of each note.
pub(super) fn message<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    remarks(record, Remark::Message)
}

/// The severity of each note.
pub(super) fn severities<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    remarks(record, Remark::Severity)
}

/// Whether the record is malformed.
pub(super) fn malformed<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    remarks(record, Remark::Malformed)
}

fn is_of_frame(record: &Record<'_>) -> bool {
    matches!(record, Record::Message(_) | Record::Packet(_))
}

/// Wireshark's number of the link type.
pub(super) fn encap_type<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    let frame = super::pseudo::info(record)?;
    Some(Answer::Number(frame.link.map_or(0, encapsulation::of_link)))
}

/// Always 0: only interactive users mark or ignore frames.
pub(super) fn no<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    is_of_frame(record).then_some(Answer::Number(0))
}

/// Always 0: only interactive users shift times.
pub(super) fn no_time<'t>(record: &Record<'t>) -> Option<Answer<'t>> {
    is_of_frame(record).then_some(Answer::Nanos(0))
}

/// Value names of a pseudo-field.
#[must_use]
pub fn names_of(name: &str) -> Names {
    if name == "_ws.expert.severity" { SEVERITIES } else { &[] }
}
