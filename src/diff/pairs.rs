//! Pairs the conversations of two captures.

use super::align::{Keys, Step, align};
use super::capture::{Capture, Conversation};
use crate::tree::Address;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// Number of first messages of conversations that are compared.
const COMPARED: usize = 8;

/// Keys by which conversations are paired, the strongest first.
const COMMON: [fn(&Conversation) -> String; 4] = [
    |of| format!("{:?} {:?} {:?}", of.transport, of.client, of.server),
    |of| format!("{:?} {:?}", of.transport, of.server),
    |of| format!("{:?} {:?}", of.transport, of.server.map(port)),
    |of| format!("{:?} {}", of.transport, of.protocol),
];

fn port(address: Address) -> Option<u16> {
    match address {
        Address::Socket(socket) => Some(socket.port()),
        Address::Ip(_) | Address::Mac(_) | Address::Usb(_) => None,
    }
}

/// Pairs of conversations in the order of the first capture, then those only in the second one.
///
/// Conversations between the same endpoints are paired first, then those with the same server, then with the same server port,
/// then with the same protocol. If each side has only one, these are a pair.
pub(super) fn pairs(a: &Capture, b: &Capture, as_pair: bool) -> Vec<(Option<usize>, Option<usize>)> {
    let mut partner: Vec<Option<usize>> = vec![None; a.conversations.len()];
    let mut is_taken = vec![false; b.conversations.len()];
    if as_pair || (partner.len(), is_taken.len()) == (1, 1) {
        return vec![(Some(0), Some(0))];
    }
    for common in COMMON {
        let mut groups: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (place, conversation) in a.conversations.iter().enumerate().filter(|(at, _)| partner.get(*at) == Some(&None)) {
            groups.entry(common(conversation)).or_default().0.push(place);
        }
        for (place, conversation) in b.conversations.iter().enumerate().filter(|(at, _)| is_taken.get(*at) == Some(&false)) {
            groups.entry(common(conversation)).or_default().1.push(place);
        }
        for (of_a, of_b) in groups.values() {
            for (at, other) in within(a, of_a, b, of_b) {
                if let (Some(partner), Some(is_taken)) = (partner.get_mut(at), is_taken.get_mut(other)) {
                    (*partner, *is_taken) = (Some(other), true);
                }
            }
        }
    }
    let alone = is_taken.iter().enumerate().filter(|(_, is_taken)| !**is_taken).map(|(other, _)| (None, Some(other)));
    partner.iter().enumerate().map(|(at, partner)| (Some(at), *partner)).chain(alone).collect()
}

/// Pairs conversations with equal keys.
fn within(a: &Capture, of_a: &[usize], b: &Capture, of_b: &[usize]) -> Vec<(usize, usize)> {
    let first = |capture: &Capture, place: Option<&usize>| -> Vec<Keys> {
        let members = capture.members(place.copied()).iter().take(COMPARED);
        members.filter_map(|at| capture.messages.get(*at)).map(|message| message.keys).collect()
    };
    let keys = |capture: &Capture, places: &[usize]| -> Vec<Keys> {
        let state = foldhash::fast::FixedState::default();
        let strong = |place: &usize| {
            let members = capture.members(Some(*place)).iter().filter_map(|at| capture.messages.get(*at));
            members.fold(0, |strong, message| state.hash_one((strong, message.keys.strong)))
        };
        places.iter().map(|place| Keys { strong: strong(place), weak: 0 }).collect()
    };
    let likeness = |at: usize, other: usize| {
        let (one, two) = (first(a, of_a.get(at)), first(b, of_b.get(other)));
        let equal = one.iter().zip(&two).map(|(one, two)| u32::from(one.strong == two.strong) + u32::from(one.weak == two.weak));
        1 + equal.sum::<u32>()
    };
    let steps = align(&keys(a, of_a), &keys(b, of_b), &likeness);
    let both = steps.iter().filter_map(|step| match step {
        Step::Both(at, other) => Some((*of_a.get(*at)?, *of_b.get(*other)?)),
        Step::A(_) | Step::B(_) => None,
    });
    both.collect()
}
