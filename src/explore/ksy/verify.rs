//! Runs a generated file on the bytes of the capture, and compares its messages with those of the framing.

use crate::explore::messages::Message;
use crate::explore::{Explored, Side};
use crate::ksy;
use crate::tree::{FrameInfo, Span, Tree};
use crate::wire::{Conversation, Cut, Described, Dissector, Extent, Protocol, Result as WireResult, Settings, Wire};
use std::path::Path;

/// Maximum number of messages per side that are dissected. The boundaries of further ones are measured.
const DISSECTED: usize = 20_000;

/// Runs the file on all sides: the messages must be those of the framing.
///
/// # Errors
/// Where the file disagrees.
pub(super) fn verify(explored: &Explored<'_>, text: &str) -> Result<(), String> {
    let loaded = ksy::load_text(Path::new("generated.ksy"), text);
    let Some(spec) = loaded.spec else {
        let why: Vec<String> = loaded.diagnostics.iter().take(2).map(ToString::to_string).collect();
        return Err(format!("the generated .ksy cannot be loaded: {}", why.join("; ")));
    };
    let Some(top) = spec.roots.first().copied() else { return Err("the generated .ksy has no type".into()) };
    let protocol = ksy::protocol(&spec, top, None, false);
    let described = protocol.found.iter().find_map(|found| match found.dissector {
        Dissector::Described(described) | Dissector::DescribedStream(described) => Some(described),
        _ => None,
    });
    let Some(described) = described else {
        return Err("the generated .ksy describes no protocol".into());
    };
    let mut run = Run { explored, protocol, tree: Tree::discarded() };
    if explored.sides.iter().all(|side| side.is_datagrams) { run.datagrams(described) } else { run.streams(described) }
}

/// A file that is run.
struct Run<'e, 'a> {
    explored: &'e Explored<'a>,
    protocol: &'static Protocol,
    tree: Tree,
}

impl Run<'_, '_> {
    /// Dissects bytes with `read`; returns whether it succeeded, and how many bytes it read.
    fn dissect(&mut self, bytes: &[u8], read: impl FnOnce(&mut Wire<'_>) -> WireResult) -> (bool, usize) {
        self.tree.begin(FrameInfo::default());
        let layer = self.tree.push_layer(self.protocol.this, Span::new(0, 0..bytes.len()), None, 0, true);
        let mut wire = Wire::new(&mut self.tree, layer, 0, bytes, 0..bytes.len(), Cut::No);
        let is_fine = read(&mut wire).is_ok();
        (is_fine, bytes.len() - wire.remaining())
    }

    /// Each datagram must be read to its end.
    fn datagrams(&mut self, described: &dyn Described) -> Result<(), String> {
        for own in self.explored.messages.chunk_by(|one, next| one.side == next.side) {
            let Some(side) = own.first().and_then(|first| self.explored.sides.get(first.side)) else { continue };
            for message in own.iter().filter(|message| message.is_whole).take(DISSECTED) {
                let length = message.bytes.len();
                let (is_fine, used) = self.dissect(message.bytes, |wire| described.message(wire));
                if !is_fine || used != length {
                    return Err(ends_elsewhere(side, message.start, (used, length)));
                }
            }
        }
        Ok(())
    }

    /// Each side must have the same message starts, from the preamble on up to the first gap.
    fn streams(&mut self, described: &'static dyn Described) -> Result<(), String> {
        for own in self.explored.messages.chunk_by(|one, next| one.side == next.side) {
            let Some(side) = own.first().and_then(|first| self.explored.sides.get(first.side)) else { continue };
            let mut conversation = described.conversation(&Settings::default(), [true; 2]);
            self.side(&mut *conversation, side, own)?;
        }
        Ok(())
    }

    fn side(&mut self, conversation: &mut dyn Conversation, side: &Side, own: &[Message<'_>]) -> Result<(), String> {
        let barrier = side.holes.iter().map(|(at, _)| *at).find(|at| *at > 0).unwrap_or(side.bytes.len());
        let more = barrier < side.bytes.len() || side.sent > side.bytes.len() as u64;
        let mut expected = own.iter().filter(|message| message.is_whole && message.start < barrier).peekable();
        let first = expected.peek().map_or(0, |message| message.start);
        let (mut at, mut count) = (0, 0);
        while let Some(next) = expected.peek() {
            let ahead = side.bytes.get(at..barrier).unwrap_or_default();
            let size = match conversation.extent(side.dir, ahead, more) {
                Extent::Message(size) if size > 0 => size,
                _ => return Err(misses(side, next.start, at)),
            };
            if at >= first {
                if at != next.start {
                    return Err(misses(side, next.start, at));
                }
                // A message that the gap cuts ends behind it.
                let is_cut = at + next.bytes.len() >= barrier && more;
                if size != next.bytes.len() && !is_cut {
                    return Err(ends_elsewhere(side, at, (size, next.bytes.len())));
                }
                expected.next();
            }
            let bytes = ahead.get(..size).unwrap_or(ahead);
            if count < DISSECTED && bytes.len() == size {
                let (is_fine, used) = self.dissect(bytes, |wire| conversation.message(side.dir, wire));
                if !is_fine || used != size {
                    return Err(ends_elsewhere(side, at, (used, size)));
                }
            }
            count += 1;
            at += size;
        }
        Ok(())
    }
}

fn misses(side: &Side, start: usize, at: usize) -> String {
    let (start, at) = (side.offset(start), side.offset(at));
    format!("the generated .ksy misses the message at {} {start}: its own one begins at {at}", side.buffer())
}

fn ends_elsewhere(side: &Side, start: usize, (used, length): (usize, usize)) -> String {
    let start = side.offset(start);
    format!("the generated .ksy ends the message at {} {start} after {used} of {length} bytes", side.buffer())
}
