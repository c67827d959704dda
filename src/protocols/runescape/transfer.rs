//! How long a file takes from its request to its last byte, and how fast that is.

use crate::tree::{Field, Value};
use crate::wire::{Question, Wire};

const SECOND: u128 = 1_000_000_000;

/// The request being read.
pub fn ask(wire: &Wire<'_>) -> Question {
    let (frame, time) = wire.completed();
    Question { frame, time, answered: false }
}

/// What may be transferred, and the fields that say how it came: the frame with its request, the seconds since, and how many
/// of its bytes came in each.
pub struct Kind {
    pub what: &'static str,
    pub fields: [&'static Field; 3],
}

/// The message being read completes something of so many bytes; of none when there is no such thing.
pub fn tell(wire: &mut Wire<'_>, asked: Question, size: usize, kind: &Kind) {
    let [frame, seconds, rate] = kind.fields;
    asked.put(wire, frame, seconds);
    if size == 0 {
        return;
    }
    wire.transferred(kind.what, size, asked);
    let (Some(from), (_, Some(to))) = (asked.time, wire.completed()) else { return };
    let bytes = u128::try_from(size).unwrap_or_default().saturating_mul(SECOND);
    let each = u128::try_from(to.since(from)).ok().and_then(|nanos| bytes.checked_div(nanos));
    if let Some(each) = each.and_then(|each| u64::try_from(each).ok()) {
        wire.add(rate, Value::Unsigned(each));
    }
}
