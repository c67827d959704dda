//! Messages that a reliability layer delivers, at once or at the end of its conversation.

use crate::flow::delivery::{Delivery, Event};
use crate::tree::{Field, Lost, Receiver, Side};
use crate::wire::{Rest, Unfinished, Wire};

/// What becomes of the messages of a protocol.
pub(super) struct Delivered {
    /// Who reads them.
    pub receiver: Receiver,
    /// Reassembly method, as shown to the user.
    pub method: &'static str,
    /// The note for elements that never came.
    pub missing: &'static Field,
}

/// The detail of a message whose first fragments may be missing, as in [`Wire::detail`].
pub(super) const UNCERTAIN: u64 = 1;

impl Delivered {
    /// Delivers what an element completes.
    pub(super) fn hand_on(&self, wire: &mut Wire<'_>, events: Vec<Event>) {
        let mut lost = Vec::new();
        for event in events {
            match event {
                Event::Missing { stream, first, count } => lost.push(Lost { stream, first, count }),
                Event::Incomplete { received, .. } => wire.note_layer(self.missing, format_args!("{}", Received(received))),
                Event::Message { bytes, pieces, is_whole } => {
                    let (lost, detail, end) = (std::mem::take(&mut lost), detail(is_whole), bytes.len());
                    wire.joined(self.method, &pieces, &bytes, |inner| inner.deliver(self.receiver, 0..end, detail, lost));
                }
            }
        }
        wire.lose(lost);
    }

    /// What a direction still holds at the end.
    pub(super) fn unfinished(&self, from: Side, delivery: &mut Delivery) -> Vec<Unfinished> {
        let (mut events, mut lost) = (Vec::new(), Vec::new());
        delivery.finish(&mut events);
        let one = |event| {
            let (bytes, pieces, rest) = match event {
                Event::Missing { stream, first, count } => {
                    lost.push(Lost { stream, first, count });
                    return None;
                }
                Event::Incomplete { bytes, pieces, received } => {
                    (bytes, pieces, Rest::Incomplete { code: self.missing, words: Received(received).to_string() })
                }
                Event::Message { bytes, pieces, is_whole } => {
                    (bytes, pieces, Rest::Message { receiver: self.receiver, detail: detail(is_whole) })
                }
            };
            Some(Unfinished { from, bytes, pieces, method: self.method, lost: std::mem::take(&mut lost), rest })
        };
        events.into_iter().filter_map(one).collect()
    }
}

/// What [`Wire::detail`] is for a message.
pub(super) fn detail(is_whole: bool) -> u64 {
    if is_whole { 0 } else { UNCERTAIN }
}

/// The words of a note.
struct Received(u64);

impl std::fmt::Display for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} fragment{} of a message received", self.0, if self.0 == 1 { "" } else { "s" })
    }
}
