//! Pseudo-fields with Wireshark's names: columns and expert information.

use super::expert::{self, Group, Item, Severity};
use super::pseudo::PseudoValue;
use super::{Record, encapsulation, protocols, words_of};
use crate::tree::{Address, Dissection, Ends, Layer, Names, clean, clean_escaped};
use std::fmt;

/// Wireshark's severity levels and their numbers.
pub const SEVERITIES: Names =
    &[Severity::Comment.named(), Severity::Chat.named(), Severity::Note.named(), Severity::Warn.named(), Severity::Error.named()];

/// The summary of a record, like Wireshark's Info column.
#[derive(Clone, Copy)]
pub struct Summary<'t> {
    record: &'t Record<'t>,
    part: Words,
}

/// The part of a summary to display.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Both,
    Name,
    Info,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, info) = match self.record {
            Record::Message(message) => (message.name().into(), message.info()),
            Record::Packet(packet) => words_of(packet.of, packet.layers()),
            Record::Late(late) => words_of(late.of, late.layers.iter()),
            Record::Gap(_) => return Ok(()),
        };
        match self.part {
            Words::Name => return clean(&name, f),
            Words::Info => return clean_escaped(&info, f),
            Words::Both => {}
        }
        clean(&name, f)?;
        if !name.is_empty() && !info.is_empty() {
            f.write_str(", ")?;
        }
        clean_escaped(&info, f)
    }
}

/// Expert items of a record.
#[derive(Clone, Copy)]
pub struct ExpertItems<'t> {
    record: &'t Record<'t>,
    of: ExpertPart,
}

/// Property of an expert item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpertPart {
    Item,
    Message,
    Severity,
    Group,
    Malformed,
}

impl<'t> ExpertItems<'t> {
    /// Calls `take` for each expert item.
    fn items(&self, take: &mut dyn FnMut(Item<'t>)) {
        let nodes =
            |of: Dissection<'t>, layer: &Layer| layer.node..of.tree.nodes.get(layer.node as usize).map_or(0, |node| node.end);
        match self.record {
            Record::Message(message) => {
                let layers = message.carriers().into_iter().chain([message.layer]);
                layers.for_each(|layer| expert::of_range(message.of, nodes(message.of, layer), take));
            }
            Record::Packet(packet) => {
                expert::of_comments(packet.of, take);
                packet.layers().for_each(|layer| expert::of_range(packet.of, nodes(packet.of, layer), take));
            }
            Record::Late(late) => late.layers.iter().for_each(|layer| expert::of_range(late.of, nodes(late.of, layer), take)),
            Record::Gap(_) => {}
        }
    }

    /// Calls `visit` for each value until it fails.
    pub fn each<E>(&self, mut visit: impl FnMut(Shown<'t>) -> Result<(), E>) -> Result<(), E> {
        let mut items = Vec::new();
        self.items(&mut |item| items.push(item));
        if self.of == ExpertPart::Malformed {
            let malformed = items.iter().find(|item| item.group == Group::Malformed && item.severity == Severity::Error);
            let Some(item) = malformed else { return Ok(()) };
            return visit(Shown::Malformed(item.protocol)).and_then(|()| visit(Shown::Words("_ws.malformed")));
        }
        items.into_iter().try_for_each(|item| {
            visit(match self.of {
                ExpertPart::Severity => Shown::Number(item.severity.named().0),
                ExpertPart::Group => Shown::Number(item.group.named().0),
                ExpertPart::Message | ExpertPart::Malformed => Shown::Message(item),
                ExpertPart::Item => Shown::Item(item),
            })
        })
    }
}

impl fmt::Display for ExpertItems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        self.each(|shown| write!(f, "{}{shown}", std::mem::replace(&mut between, ",")))
    }
}

/// A displayed property of an expert item.
#[derive(Clone)]
pub enum Shown<'t> {
    /// The severity or the group, as a number.
    Number(u64),
    /// The text.
    Words(&'static str),
    /// The marker of a malformed message of this protocol.
    Malformed(&'static str),
    /// The message text.
    Message(Item<'t>),
    /// Severity, group and message text.
    Item(Item<'t>),
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Number(number) => write!(f, "{number}"),
            Shown::Words(words) => f.write_str(words),
            Shown::Malformed(protocol) => write!(f, "[Malformed Packet: {protocol}]"),
            Shown::Message(item) => clean_escaped(&item.message, f),
            Shown::Item(item) => {
                write!(f, "Expert Info ({}/{}): ", item.severity.named().1, item.group.named().1)?;
                clean_escaped(&item.message, f)
            }
        }
    }
}

/// The Protocol column.
pub(super) fn protocol<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    Some(protocols::column(record)).filter(|column| !column.is_empty()).map(PseudoValue::Words)
}

/// The Info column.
pub(super) fn info<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Summary(Summary { record, part: Words::Both }))
}

/// The summary without the type of the message.
pub(super) fn info_alone<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Summary(Summary { record, part: Words::Info }))
}

/// The type of the message.
pub(super) fn name<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Summary(Summary { record, part: Words::Name }))
}

fn address<'t>(address: Option<Address>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Address(match address? {
        Address::Socket(socket) => Address::Ip(socket.ip()),
        address => address,
    }))
}

/// The Source column.
pub(super) fn source<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    address(ends_of(record)?.src)
}

/// The Destination column.
pub(super) fn destination<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    address(ends_of(record)?.dst)
}

fn ends_of<'t>(record: &Record<'t>) -> Option<&'t Ends> {
    super::pseudo::ends(record)
}

/// The Time column: seconds since the first frame, in microseconds.
pub(super) fn time<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    match super::pseudo::relative(record)? {
        PseudoValue::Nanos(nanos) => Some(PseudoValue::Micros(nanos)),
        answer => Some(answer),
    }
}

/// The Length column: that of the frame or of the message.
pub(super) fn length<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    Some(PseudoValue::Number(match record {
        Record::Message(message) => message.node()?.span().len().into(),
        Record::Packet(packet) => packet.of.tree.frame.original.into(),
        Record::Late(late) => late.length(),
        Record::Gap(gap) => gap.len,
    }))
}

fn items<'t>(record: &'t Record<'t>, of: ExpertPart) -> Option<PseudoValue<'t>> {
    let items = ExpertItems { record, of };
    let has_any = items.each(|_| Err(())).is_err();
    has_any.then_some(PseudoValue::ExpertItems(items))
}

/// Expert items with severity and group.
pub(super) fn expert<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    items(record, ExpertPart::Item)
}

/// Texts of expert items.
pub(super) fn message<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    items(record, ExpertPart::Message)
}

/// Severities of expert items.
pub(super) fn severities<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    items(record, ExpertPart::Severity)
}

/// Groups of expert items.
pub(super) fn groups<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    items(record, ExpertPart::Group)
}

pub(super) fn malformed<'t>(record: &'t Record<'t>) -> Option<PseudoValue<'t>> {
    items(record, ExpertPart::Malformed)
}

fn is_of_frame(record: &Record<'_>) -> bool {
    matches!(record, Record::Message(_) | Record::Packet(_))
}

/// Wireshark's number of the link type.
pub(super) fn encap_type<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    let frame = super::pseudo::info(record)?;
    Some(PseudoValue::Number(frame.link.map_or(0, encapsulation::of_link)))
}

/// Always 0: only interactive users mark or ignore frames.
pub(super) fn no<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    is_of_frame(record).then_some(PseudoValue::Number(0))
}

/// Always 0: only interactive users shift times.
pub(super) fn no_time<'t>(record: &Record<'t>) -> Option<PseudoValue<'t>> {
    is_of_frame(record).then_some(PseudoValue::Nanos(0))
}

/// Value names of a pseudo-field.
#[must_use]
pub fn names_of(name: &str) -> Names {
    match name {
        "_ws.expert.severity" => SEVERITIES,
        "_ws.expert.group" => expert::GROUPS,
        _ => &[],
    }
}
