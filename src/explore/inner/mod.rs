//! Messages inside datagrams and frames: elements that each state their length, and fragments.

mod fragments;
mod run;
#[cfg(test)]
mod tests;

pub use fragments::Fragments;
pub use run::Inner;

use super::framing::Hypothesis;
use super::messages::Message;
use super::rule::Rule;
use super::side::Side;

/// Confidence of a framing inside which elements are sought.
const FRAMED: f64 = 0.5;

/// Bytes that may contain elements: a datagram, or a frame behind a length of variable width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Index of the side.
    pub side: usize,
    /// Offsets in the bytes of the side.
    pub start: usize,
    pub end: usize,
}

/// What is inside datagrams or frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inside {
    /// Elements that state their lengths.
    Run(Inner),
    /// Parts of larger messages.
    Fragments(Fragments),
}

impl Inside {
    /// Finds what is inside these messages.
    #[must_use]
    pub fn find(sides: &[Side], best: &Hypothesis, messages: &[Message<'_>]) -> Option<Inside> {
        let are_datagrams = !sides.is_empty() && sides.iter().all(|side| side.is_datagrams);
        let is_counted = |rule: &Rule| matches!(rule, Rule::Length { .. } | Rule::Varint { .. } | Rule::Table { .. });
        let is_framed = best.confidence >= FRAMED && best.rule().is_some_and(is_counted);
        if !are_datagrams && !is_framed {
            return None;
        }
        let blocks = blocks(messages);
        let found = run::find(sides, &blocks, !are_datagrams).map(Inside::Run);
        found.or_else(|| fragments::find(sides, &blocks).filter(|_| are_datagrams).map(Inside::Fragments))
    }

    /// The run, if it is one of datagrams.
    #[must_use]
    pub fn run(&self) -> Option<&Inner> {
        match self {
            Inside::Run(run) if !run.in_frames => Some(run),
            _ => None,
        }
    }

    /// The messages inside, in the order of the messages that contain them.
    #[must_use]
    pub fn messages<'a>(&self, sides: &'a [Side], outer: &[Message<'a>]) -> Vec<Message<'a>> {
        let mut all = Vec::new();
        let mut add = |message: &Message<'a>, start: usize, end: usize| {
            let Some(bytes) = sides.get(message.side).and_then(|side| side.bytes.get(start..end)) else { return };
            all.push(Message { start, bytes, header: 0, ..*message });
        };
        for message in outer.iter().filter(|message| message.is_whole) {
            let block = block(message);
            match self {
                Inside::Run(run) => run.elements(sides, block, |start, end| add(message, start, end)),
                Inside::Fragments(fragments) => {
                    if let Some(start) = fragments.first(sides, block) {
                        add(message, start, block.end);
                    }
                }
            }
        }
        all
    }

    /// The starts of messages inside a side, as offsets in its bytes.
    #[must_use]
    pub fn starts(&self, sides: &[Side], side: usize, outer: &[Message<'_>]) -> Vec<usize> {
        let own: Vec<Message<'_>> = outer.iter().filter(|message| message.side == side).copied().collect();
        self.messages(sides, &own).iter().map(|message| message.start).collect()
    }
}

fn blocks(messages: &[Message<'_>]) -> Vec<Block> {
    messages.iter().filter(|message| message.is_whole && !message.bytes.is_empty()).map(block).collect()
}

fn block(message: &Message<'_>) -> Block {
    Block { side: message.side, start: message.start + message.header, end: message.start + message.bytes.len() }
}

/// The bytes of a block.
fn bytes_of(sides: &[Side], block: Block) -> &[u8] {
    sides.get(block.side).and_then(|side| side.bytes.get(block.start..block.end)).unwrap_or_default()
}
