//! Trial dissection: how well a reading fits the bytes.

use super::super::Engine;
use super::super::nested::{NestedContext, NestedMessage, States};
use super::{Guess, Verdict};
use crate::input::{Frame, Link};
use crate::layers::Bytes;
use crate::record::level_of;
use crate::registry::{Candidate, Registry};
use crate::tree::{FrameInfo, Level, Note, Side, Tree};
use crate::wire::Cut;

/// How well a protocol fits a datagram, and why.
pub(super) fn datagram(registry: Registry, candidate: Candidate, bytes: &[u8]) -> (Verdict, String) {
    let mut tree = Tree::complete();
    tree.begin(FrameInfo::default());
    let carried = NestedMessage { bytes: Bytes::of_frame(bytes), range: 0..bytes.len(), cut: Cut::No, below: None, ends: 0 };
    let mut nested = NestedContext { registry, context: None, side: Side::Client, states: &mut States::default(), owner: None };
    nested.message(&mut tree, candidate, &carried);
    let worst = tree.notes.iter().filter(|note| level_of(note) > Level::Info).max_by_key(|note| level_of(note));
    match worst {
        Some(note) if level_of(note) == Level::Broken => {
            (Verdict::Broken, format!("recognised, but malformed: {}", described(&tree, note)))
        }
        Some(note) => (Verdict::Odd, format!("recognised, with a warning: {}", described(&tree, note))),
        None if tree.outcome.undissected > 0 => {
            (Verdict::Odd, format!("recognised, but {} bytes are not dissected", tree.outcome.undissected))
        }
        None => (Verdict::Fits, "recognised, and all bytes are dissected".to_owned()),
    }
}

/// How well a stream protocol fits the bytes of one side, and why.
pub(super) fn stream(registry: Registry, candidate: Candidate, side: Side, bytes: &[u8]) -> (Verdict, String) {
    let mut engine = interpreted(registry, bytes, Guess::Stream(Some(candidate), side));
    if let Some(broken) = first_broken(&engine.tree) {
        return (Verdict::Broken, format!("recognised as a stream, but malformed: {broken}"));
    }
    // Some messages end with the stream.
    if std::iter::from_fn(|| engine.finish().map(first_broken)).flatten().next().is_some() {
        return (Verdict::Incomplete, "recognised as a stream, but the last message is incomplete".to_owned());
    }
    let sender = if side == Side::Client { "client" } else { "server" };
    (Verdict::Fits, format!("recognised as a stream, sent by the {sender}"))
}

/// Why bytes are malformed in this reading; `None` if they are not.
pub(super) fn broken(registry: Registry, bytes: &[u8], guess: Guess) -> Option<String> {
    first_broken(&interpreted(registry, bytes, guess).tree)
}

/// An engine after this reading, in which a message may wait for its end.
fn interpreted(registry: Registry, bytes: &[u8], guess: Guess) -> Engine {
    let original_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let frame = Frame { number: 1, link: Link::Unknown, bytes, original_len, ..Frame::default() };
    let mut engine = Engine::complete(registry);
    engine.transports.packetless.keeps_open = true;
    engine.begin(&frame);
    engine.interpret(&frame, guess);
    engine
}

fn first_broken(tree: &Tree) -> Option<String> {
    let note = tree.notes.iter().find(|note| level_of(note) == Level::Broken)?;
    Some(described(tree, note))
}

fn described(tree: &Tree, note: &Note) -> String {
    format!("{}: {}", note.code.name, tree.generated_text(note.text))
}
