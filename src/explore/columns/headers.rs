//! Numbers of transport that all messages of a direction have: conversation ids, sequence numbers, acknowledgements.

use super::super::rule::Number;
use super::Label;
use super::claims::{Claim, Claims, Shape};
use super::table::{Table, pairs};
use std::collections::HashMap;

/// Fewest conversations, and messages of each, that show an id.
const CONVERSATIONS: usize = 2;
const MESSAGES: usize = 3;

/// Claims numbers that are constant within each conversation and differ between conversations.
pub(super) fn conversations(table: &Table<'_>, claims: &mut Claims, endian: super::Endian) {
    let sides: Vec<&[&super::Message<'_>]> =
        table.rows.chunk_by(|one, next| one.side == next.side).filter(|rows| rows.len() >= MESSAGES).collect();
    if sides.len() < CONVERSATIONS {
        return;
    }
    // Whether a byte is constant within sides, and whether it differs between them.
    let byte = |row: &super::Message<'_>, place: usize| row.bytes.get(place).copied();
    let is_same = |place: usize| sides.iter().all(|rows| pairs(rows).all(|(one, next)| byte(one, place) == byte(next, place)));
    let differs = |place: usize| {
        let mut firsts = sides.iter().filter_map(|rows| byte(rows.first()?, place));
        firsts.next().is_some_and(|first| firsts.any(|other| other != first))
    };
    let is_id: Vec<bool> =
        (0..table.width.min(64)).map(|place| claims.is_free(place, 1) && is_same(place) && differs(place)).collect();
    let mut start = 0;
    for run in is_id.chunk_by(|one, next| one == next) {
        let width = run.len();
        if run.first() == Some(&true) && matches!(width, 1 | 2 | 4 | 8) {
            let why = format!("constant within each of {} conversations, which differ", sides.len());
            let (offset, shape, label) = (start, Shape::Number(endian), Label::ConversationId);
            claims.take(Claim { offset, width, shape, label, confidence: 0.85, why });
        }
        start += width;
    }
}

/// Names counters of datagrams, and numbers that the other side has sent as counters before.
pub(super) fn sequences(tables: &[Option<Table<'_>>; 2], headers: &mut [Vec<Claim>; 2]) {
    let mut known: [HashMap<(u32, u64), usize>; 2] = Default::default();
    for ((table, claims), known) in tables.iter().zip(&*headers).zip(&mut known) {
        let Some(table) = table else { continue };
        for claim in claims.iter().filter(|claim| claim.label == Label::Counter) {
            for (stream, order, value) in values(table, claim) {
                known.entry((stream, value)).or_insert(order);
            }
        }
    }
    let [client, server] = &known;
    for ((table, claims), others) in tables.iter().zip(headers).zip([server, client]) {
        let Some(table) = table else { continue };
        for claim in claims.iter_mut().filter(|claim| matches!(claim.label, Label::Counter | Label::Id)) {
            let values = values(table, claim);
            let fits =
                |(stream, order, value): &(u32, usize, u64)| others.get(&(*stream, *value)).is_some_and(|sent| sent < order);
            if values.iter().filter(|value| fits(value)).count() * 10 >= values.len() * 9 && !values.is_empty() {
                claim.label = Label::Acknowledges;
                claim.why = String::from("a sequence number of the other side");
            } else if claim.label == Label::Counter && claim.why == "rises by 1" {
                claim.label = Label::Sequence;
            }
        }
    }
}

/// The values of a number, with their conversations and places in them.
fn values(table: &Table<'_>, claim: &Claim) -> Vec<(u32, usize, u64)> {
    let Shape::Number(endian) = claim.shape else { return Vec::new() };
    let at = Number { offset: claim.offset, width: claim.width, endian };
    table.rows.iter().filter_map(|row| Some((row.stream, row.order, at.read(row.bytes)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::side::{Segment, Side};
    use super::super::super::{Explored, Options, explore};
    use super::*;
    use crate::tree::{self, StreamId, Transport};

    /// Datagrams of three conversations: id, sequence number, that of the other side, and a byte without order.
    fn sides() -> Vec<Side> {
        let mut sides = Vec::new();
        for number in 0..3_u16 {
            let id = [0x51d3_u16, 0x2e88, 0x9037][usize::from(number)];
            let mut own =
                tree::Side::BOTH.map(|dir| Side::new(StreamId { transport: Transport::Udp, number: number.into() }, dir));
            for at in 0..40_u16 {
                for (place, side) in own.iter_mut().enumerate() {
                    let (sequence, other) = if place == 0 { (240 + at, 1000 + at - 1) } else { (1000 + at, 240 + at) };
                    let [_, noise, ..] = u32::from(at * 2 + number).wrapping_mul(0x9e37_79b1).to_le_bytes();
                    let order = usize::from(at) * 2 + place;
                    let time = i64::from(at) * 7;
                    let (is_turn, is_pushed, frame) = (true, false, 1);
                    side.segments.push(Segment { at: side.bytes.len(), is_turn, is_pushed, time, order, frame });
                    side.bytes
                        .extend([id.to_be_bytes(), sequence.to_be_bytes(), other.to_be_bytes(), [noise % 5, noise]].concat());
                }
            }
            sides.extend(own);
        }
        sides
    }

    fn label(explored: &Explored<'_>, offset: i64) -> Vec<(Label, usize)> {
        let mut all: Vec<(Label, usize)> = explored
            .columns
            .iter()
            .flatten()
            .filter(|column| column.offset == offset)
            .map(|column| (column.label, column.width))
            .collect();
        all.dedup();
        all
    }

    #[test]
    fn numbers_of_transport_have_their_labels() {
        let sides = sides();
        let explored = explore(&sides, &Options::default());
        assert_eq!(label(&explored, 0), [(Label::ConversationId, 2)]);
        assert_eq!(label(&explored, 2), [(Label::Sequence, 2)]);
        assert_eq!(label(&explored, 4), [(Label::Acknowledges, 2)]);
    }
}
