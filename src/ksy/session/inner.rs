//! Messages inside messages: what elements of a list carry, in order and joined.

use crate::flow::delivery::{Delivery, Element, Event, Fate};
use crate::ksy::notes;
use crate::ksy::protocol::File;
use crate::ksy::run::{Element as Carried, UnitPart};
use crate::tree::{BySide, Lost, Piece, Receiver, Side, Value};
use crate::wire::{Rest, Unfinished, Wire};
use std::collections::HashSet;

/// Of a message that is whole.
const WHOLE: u64 = 0;
/// Of one whose first fragments may be missing.
const UNCERTAIN: u64 = 1;
/// Of parts whose other parts never came.
const INCOMPLETE: u64 = 2;

/// The first byte of a piece.
fn place(piece: &Piece) -> (u64, u32) {
    (piece.frame, piece.at)
}

/// What [`Wire::detail`] is for a message.
fn detail(is_whole: bool) -> u64 {
    if is_whole { WHOLE } else { UNCERTAIN }
}

/// The elements of both directions.
pub(super) struct Inner {
    sides: BySide<Delivery>,
    receiver: Receiver,
    /// Whether bytes of elements that are no message yet are masked: only a dissected message shows its secrets.
    hides: bool,
    /// Whether bytes of elements were deciphered.
    is_deciphered: bool,
    /// Number of messages delivered so far.
    index: BySide<u64>,
}

/// A type with its context.
type Root = (UnitPart<'static>, u32);

impl Inner {
    /// The state of a conversation, if messages of the file carry others.
    pub(super) fn new(file: &File) -> Option<Box<Inner>> {
        let deliver = file.program.deliver.as_ref()?;
        let side = || Delivery::new(deliver.width);
        Some(Box::new(Inner {
            sides: BySide { client: side(), server: side() },
            receiver: deliver.receiver,
            hides: file.has_secrets || deliver.receiver != Receiver::Own,
            is_deciphered: false,
            index: BySide::default(),
        }))
    }

    /// Takes the elements of a message that was dissected, and delivers what they complete.
    pub(super) fn feed(&mut self, file: &File, from: Side, carried: Vec<Carried>, wire: &mut Wire<'_>) {
        let (mut events, mut lost, mut waiting, mut repeated) = (Vec::new(), Vec::new(), 0, 0);
        let (mut silent, mut delivered) = (Vec::new(), HashSet::new());
        let payloads = wire.handed_over();
        for Carried { carried, span, bytes } in carried {
            let range = span.start as usize..span.end as usize;
            let own = wire.source_bytes(range.clone());
            let (bytes, pieces) = match &bytes {
                None => (own, wire.pieces(range.clone(), 0)),
                Some(bytes) => {
                    self.is_deciphered = true;
                    (bytes.as_slice(), wire.origin_of(span))
                }
            };
            let element = Element {
                stream: carried.stream,
                order: carried.order,
                fragment: carried.fragment,
                once: carried.once,
                bytes,
                pieces: &pieces,
            };
            let fate = self.sides[from].accept(&element, &mut events);
            if self.hides && !matches!(fate, Fate::Now { is_whole: true }) {
                silent.push((span, pieces.first().map(place)));
            }
            match fate {
                Fate::Now { is_whole } => {
                    let detail = detail(is_whole);
                    if span.source == wire.source() {
                        wire.deliver(self.receiver_of(detail), range, detail, Vec::new());
                    } else {
                        self.deliver(file, (bytes, &pieces), detail, Vec::new(), wire);
                    }
                }
                Fate::Taken => waiting += 1,
                Fate::Repeated => {
                    repeated += 1;
                    if let Some(field) = file.fields.repeated() {
                        wire.put_at(field, Value::Bool(true), span);
                    }
                }
                Fate::Conflict => wire.note_layer(&notes::CONFLICT, format_args!("{}", Place(&element))),
                Fate::Wrong => wire.note_layer(&notes::FRAGMENT, format_args!("{}", Place(&element))),
            }
            for event in events.drain(..) {
                let (bytes, pieces, detail) = match event {
                    Event::Missing { stream, first, count } => {
                        lost.push(Lost { stream, first, count });
                        continue;
                    }
                    Event::Message { bytes, pieces, is_whole } => (bytes, pieces, detail(is_whole)),
                    Event::Incomplete { bytes, pieces, .. } => (bytes, pieces, INCOMPLETE),
                };
                if self.hides && detail == WHOLE {
                    delivered.extend(pieces.iter().map(place));
                }
                self.deliver(file, (&bytes, &pieces), detail, std::mem::take(&mut lost), wire);
            }
        }
        wire.lose(lost);
        // What is a part of a message now has the secrets of the message.
        for (span, place) in silent {
            if place.is_none_or(|place| !delivered.contains(&place)) {
                wire.hide_at(span);
            }
        }
        // What delivers nothing stays a record.
        if wire.handed_over() == payloads && !wire.has_info() {
            match (waiting, repeated) {
                (0, 0) => {}
                (waiting, 0) => wire.info(format_args!("{waiting} waiting")),
                (0, repeated) => wire.info(format_args!("{repeated} received before")),
                (waiting, repeated) => wire.info(format_args!("{waiting} waiting, {repeated} received before")),
            }
        }
    }

    fn deliver(&self, file: &File, (bytes, pieces): (&[u8], &[Piece]), detail: u64, lost: Vec<Lost>, wire: &mut Wire<'_>) {
        let receiver = self.receiver_of(detail);
        let go = |inner: &mut Wire<'_>| inner.deliver(receiver, 0..bytes.len(), detail, lost);
        if self.is_deciphered {
            wire.joined_deciphered(file.elements, pieces, bytes, go);
        } else {
            wire.joined(file.elements, pieces, bytes, go);
        }
    }

    /// Another protocol gets whole messages only.
    fn receiver_of(&self, detail: u64) -> Receiver {
        if detail == WHOLE { self.receiver } else { Receiver::Own }
    }

    /// Begins a message that was delivered: its number and type. `None` after its bytes were shown, if they are no message.
    pub(super) fn begin(
        &mut self,
        file: &File,
        from: Side,
        wire: &mut Wire<'_>,
        is_sound: impl FnOnce(Root, &Wire<'_>) -> bool,
    ) -> Option<(u64, Root)> {
        let root = root(file).filter(|root| match wire.detail() {
            WHOLE => true,
            UNCERTAIN => is_sound(*root, wire),
            _ => false,
        });
        let Some(root) = root else {
            self.data(file, wire);
            return None;
        };
        let index = self.index[from];
        self.index[from] += 1;
        Some((index, root))
    }

    /// Shows bytes that are no whole message.
    fn data(&self, file: &File, wire: &mut Wire<'_>) {
        if wire.detail() == INCOMPLETE {
            wire.name("incomplete");
            wire.note_layer(&notes::INCOMPLETE, format_args!("the other parts of the message are missing"));
        } else {
            wire.name("opaque");
            wire.note_layer(&notes::INCOMPLETE, format_args!("it may be the end of a message whose beginning is missing"));
        }
        if self.hides {
            wire.hide(wire.at()..wire.at() + wire.remaining());
        }
        if let Some(unparsed) = file.fields.unparsed(file.delivered).or_else(|| file.fields.unparsed(0)) {
            wire.rest(unparsed);
        }
    }

    /// What is left at the end: messages that waited for others, and parts of messages.
    pub(super) fn unfinished(&mut self, file: &File) -> Vec<Unfinished> {
        let mut all = Vec::new();
        for from in Side::BOTH {
            let (mut events, mut lost) = (Vec::new(), Vec::new());
            self.sides[from].finish(&mut events);
            for event in events {
                let (bytes, pieces, detail) = match event {
                    Event::Missing { stream, first, count } => {
                        lost.push(Lost { stream, first, count });
                        continue;
                    }
                    Event::Message { bytes, pieces, is_whole } => (bytes, pieces, detail(is_whole)),
                    Event::Incomplete { bytes, pieces, .. } => (bytes, pieces, INCOMPLETE),
                };
                let (lost, rest) = (std::mem::take(&mut lost), Rest::Message { receiver: self.receiver_of(detail), detail });
                all.push(Unfinished { from, bytes, pieces, method: file.elements, lost, rest });
            }
        }
        // Both sides as they were captured; the order of each side stays.
        let mut latest = BySide::<u64>::default();
        let mut keyed = Vec::with_capacity(all.len());
        for left in all {
            let frame = left.pieces.iter().map(|piece| piece.frame).max().unwrap_or_default();
            latest[left.from] = latest[left.from].max(frame);
            keyed.push((latest[left.from], left));
        }
        keyed.sort_by_key(|(frame, _)| *frame);
        keyed.into_iter().map(|(_, left)| left).collect()
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.sides.iter().any(Delivery::is_waiting)
    }

    pub(super) fn memory(&self) -> usize {
        size_of::<Inner>() + self.sides.iter().map(Delivery::memory_usage).sum::<usize>()
    }
}

/// The type of delivered messages with its context.
fn root(file: &File) -> Option<Root> {
    let of = file.program.deliver.as_ref()?.of?;
    Some((UnitPart::Whole(of), file.delivered))
}

/// Where an element belongs, for notes.
struct Place<'a>(&'a Element<'a>);

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::flow::delivery::Fragment;
        let element = self.0;
        write!(f, "stream {}", element.stream)?;
        if let Some(order) = element.order {
            write!(f, ", number {order}")?;
        }
        match element.fragment {
            Fragment::Whole => Ok(()),
            Fragment::Left(left) => write!(f, ", {left} parts follow"),
            Fragment::Part { id, index, count } => write!(f, ", part {index} of {count} of message {id}, counted from 0"),
            Fragment::At { id, offset, total } => write!(f, ", offset {offset} of {total} bytes of message {id}"),
        }
    }
}
