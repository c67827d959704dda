//! Duration and rate of file transfers.

use crate::tree::{Field, Value};
use crate::wire::{Request, Wire};

const SECOND: u128 = 1_000_000_000;

/// Records the current message as a request.
pub fn ask(wire: &Wire<'_>) -> Request {
    let (frame, time) = wire.completed();
    Request { frame, time, answered: false }
}

/// Name of a transfer, and its fields: request frame, seconds since the request, and bytes per second.
pub struct Kind {
    pub what: &'static str,
    pub fields: [&'static Field; 3],
}

/// Completes a transfer of this many bytes, or of none if the file does not exist.
pub fn complete(wire: &mut Wire<'_>, asked: Request, size: usize, kind: &Kind) {
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
