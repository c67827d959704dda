//! Fields computed from the header, Wireshark's hidden items.

use super::*;
use crate::tree::{Computed, Field, NodeRef};
use std::borrow::Cow;

/// Flags of the sequence analysis.
pub static ANALYSIS_FLAGS: &[&Field] = &[
    &ACK_LOST_SEGMENT,
    &DUPLICATE_ACK,
    &FAST_RETRANSMISSION,
    &KEEP_ALIVE,
    &KEEP_ALIVE_ACK,
    &LOST_SEGMENT,
    &OUT_OF_ORDER,
    &RETRANSMISSION,
    &REUSED_PORTS,
    &SPURIOUS_RETRANSMISSION,
    &WINDOW_FULL,
    &WINDOW_UPDATE,
    &ZERO_WINDOW,
    &ZERO_WINDOW_PROBE,
    &ZERO_WINDOW_PROBE_ACK,
];

pub(super) fn has_flags(analysis: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    let is_flag = |field: &Field| ANALYSIS_FLAGS.iter().any(|flag| flag.is(field));
    if analysis.children().any(|child| is_flag(child.field())) {
        take(Computed::Bool(true));
    }
}

/// Twelve letters, a middle dot for each flag that is not set.
pub(super) fn flags_as_letters(flags: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    const LETTERS: &str = "RRRACEUAPRSF";
    let set = flags.number().unwrap_or_default();
    let last = LETTERS.len() - 1;
    let letter = |(at, letter)| if set >> (last - at) & 1 == 1 { letter } else { '·' };
    take(Computed::made(LETTERS.chars().enumerate().map(letter).collect::<String>()));
}

fn is_set(flags: NodeRef<'_>, flag: &Field) -> bool {
    flag.bits_of(flags.number().unwrap_or_default()) != 0
}

fn if_so(is_so: bool, take: &mut dyn FnMut(Computed<'_>)) {
    if is_so {
        take(Computed::Bool(true));
    }
}

pub(super) fn syn(flags: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if_so(is_set(flags, &FLAG_SYN) && !is_set(flags, &FLAG_ACK), take);
}

pub(super) fn synack(flags: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if_so(is_set(flags, &FLAG_SYN) && is_set(flags, &FLAG_ACK), take);
}

pub(super) fn fin(flags: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if_so(is_set(flags, &FLAG_FIN), take);
}

pub(super) fn rst(flags: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if_so(is_set(flags, &FLAG_RESET), take);
}

/// The bytes of an option of this kind.
pub(super) fn option<const WANTED: u64>(option: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    const END: u64 = 0;
    if option.child(&KIND).and_then(NodeRef::number) != Some(WANTED) {
        return;
    }
    let bytes = option.bytes();
    match WANTED {
        // Bytes after the end of options are padding of the header.
        END => bytes
            .iter()
            .filter(|byte| **byte == 0)
            .for_each(|byte| take(Computed::Bytes(Cow::Borrowed(std::slice::from_ref(byte))))),
        _ => take(Computed::Bytes(Cow::Borrowed(bytes))),
    }
}

pub(super) fn multiplier(shift: NodeRef<'_>, take: &mut dyn FnMut(Computed<'_>)) {
    if let Some(shift) = shift.number().and_then(|shift| u32::try_from(shift).ok()) {
        take(Computed::Number(1_u64.checked_shl(shift).unwrap_or(0)));
    }
}
