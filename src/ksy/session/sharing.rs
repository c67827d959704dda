//! Values that a conversation leaves for later ones of the same client, or of the same two hosts.

use super::core::Core;
use super::keys::Keys;
use crate::ksy::protocol::File;
use crate::ksy::registration::Shared;
use crate::ksy::run::variables::{Cause, Held, Plain};
use crate::tree::{SharedValue, SharedValues, Sharers};
use crate::wire::Wire;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// The hosts that have a variable together.
fn sharers(shared: Shared, ends: [SocketAddr; 2]) -> Option<Sharers> {
    let [client, server] = ends.map(|end| end.ip());
    match shared {
        Shared::No => None,
        Shared::Client => Some(Sharers::Client(client)),
        Shared::Pair => Some(Sharers::Pair([client, server])),
    }
}

/// Gives a conversation the values that earlier ones left. One that begins before the capture may have changed them.
pub(super) fn inherit(file: &File, core: &mut Core, keys: &mut Keys, shared: &SharedValues) {
    let Some((ends, first)) = keys.place_of_conversation().filter(|_| file.shares() && !core.is_midway()) else { return };
    let mut values = Vec::new();
    for (number, variable) in (0..).zip(&file.program.session) {
        let found = sharers(variable.shared, ends).and_then(|sharers| shared.get(file.id, sharers, number, first));
        if let Some(held) = found.and_then(|found| found.value.downcast_ref::<Held>()) {
            if let Held::Known(_, from) = held {
                keys.inherit(*from);
            }
            values.push((number, held.clone()));
        }
    }
    core.inherit(&values);
}

/// Leaves what the message in a range of the source set for later conversations.
pub(super) fn leave(file: &File, core: &mut Core, keys: &Keys, (wire, range): (&mut Wire<'_>, Range<usize>)) {
    let Some((ends, _)) = keys.place_of_conversation() else { return };
    let related = [Shared::Client, Shared::Pair];
    for shared in related.into_iter().filter(|shared| file.program.session.iter().any(|variable| variable.shared == *shared)) {
        sharers(shared, ends).into_iter().for_each(|hosts| wire.relate(hosts));
    }
    let mut evicted = 0;
    for (number, held) in core.take_left() {
        let Some(sharers) = sharers(file.shared(number), ends) else { continue };
        let held = match held {
            Held::Known(value, from) => Held::Known(value, from & !keys.proven()),
            _ => Held::Unknown(Cause::Earlier),
        };
        let (frame, size) = (wire.last_frame(range.clone()), size_of::<Held>() + size(&held));
        let value = SharedValue { variable: number, frame, value: Arc::new(held), size };
        evicted += wire.share(file.id, sharers, value);
    }
    if evicted > 0 {
        wire.evicted(format_args!("values that {evicted} owners shared with later conversations were dropped at a limit"));
    }
}

/// The bytes of a value on the heap.
fn size(held: &Held) -> usize {
    match held {
        Held::Known(Plain::Bytes(bytes), _) => bytes.len(),
        Held::Known(Plain::Text(text), _) => text.len(),
        _ => 0,
    }
}
