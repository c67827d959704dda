//! Datagrams of connections: frames, and acknowledgements.

use super::fields::*;
use super::heuristics::{CHANNELS, MAX_RELIABILITY, ORDERED, has_order, is_reliable, is_sequenced};
use super::ids::Ids;
use super::system::{MESSAGE_ID, STOCK};
use super::{PARTS, PLACE, RENUMBERED, Session};
use crate::flow::delivery::{Added, COUNT_MAX, Counter, EvictedMessage, Part, ReassemblyTable, Seen};
use crate::limits;
use crate::tree::{Side, Time, Value};
use crate::wire::{Cut, Error, Result, Wire};
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum unacknowledged datagrams that are remembered.
const MAX_SENT: usize = 256;

/// Maximum frames listed for an ACK record.
const FRAMES_MAX: usize = 16;

/// State of one sender.
pub(super) struct Sender {
    /// Received datagrams and reliable messages.
    datagrams: Seen<24>,
    messages: Seen<24>,
    /// The capture includes the start of the connection.
    from_start: bool,
    channels: BTreeMap<u8, Channel>,
    splits: ReassemblyTable,
    sent: Sent,
}

impl Default for Sender {
    fn default() -> Sender {
        Sender {
            datagrams: Seen::default(),
            messages: Seen::default(),
            from_start: false,
            channels: BTreeMap::new(),
            splits: ReassemblyTable::limited(&limits::RAKNET_MESSAGES, &limits::RAKNET_PARTS),
            sent: Sent::default(),
        }
    }
}

impl Sender {
    /// A sender at the start of its connection.
    pub(super) fn fresh() -> Sender {
        Sender { from_start: true, ..Sender::default() }
    }

    /// Whether the sender has sent any bytes.
    pub(super) fn has_spoken(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Approximate heap memory in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        let maps = self.channels.len() * size_of::<Channel>() + self.sent.frames.len() * size_of::<(u64, u64, Time)>();
        self.datagrams.memory_usage() + self.messages.memory_usage() + self.splits.memory_usage() + maps
    }

    /// Incomplete split messages.
    pub(super) fn splits(&mut self) -> &mut ReassemblyTable {
        &mut self.splits
    }
}

/// Sequence of ordered messages.
#[derive(Default)]
struct Channel {
    counter: Counter<24>,
    next: Option<u64>,
}

impl Channel {
    /// Whether earlier messages are missing.
    fn skips(&mut self, index: u32, from_start: bool) -> bool {
        let place = self.counter.place(index);
        self.counter.reach(place);
        let skips = match self.next {
            Some(next) => place > next,
            None => from_start && index > 0,
        };
        self.next = self.next.max(Some(place + 1));
        skips
    }
}

/// Frames of sent datagrams by number.
#[derive(Default)]
struct Sent {
    counter: Counter<24>,
    frames: BTreeMap<u64, (u64, Time)>,
}

impl Sent {
    fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    fn insert(&mut self, number: u32, frame: (u64, Time)) {
        let place = self.counter.place(number);
        self.counter.reach(place);
        self.frames.insert(place, frame);
        if self.frames.len() > MAX_SENT {
            self.frames.pop_first();
        }
    }

    /// Remembered datagrams in a range.
    fn within(&self, first: u32, last: u32) -> Vec<(u64, u64, Time)> {
        let start = self.counter.place(first);
        let end = start + u64::from(last.saturating_sub(first));
        self.frames.range(start..=end).map(|(place, (frame, time))| (*place, *frame, *time)).collect()
    }

    fn remove(&mut self, found: &[(u64, u64, Time)]) {
        for (place, ..) in found {
            self.frames.remove(place);
        }
    }
}

/// Header of a frame.
struct Head {
    reliability: u8,
    order: Option<(u32, u8)>,
    /// Count, ID and index of a split.
    split: Option<(u32, u16, u32)>,
    is_new: bool,
    payload: usize,
}

impl Session {
    pub(super) fn datagram(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let flags = wire.peek_u8().unwrap_or_default();
        match flags & 0x60 {
            0x40 | 0x60 => self.acknowledgements(from, wire, true),
            0x20 => self.acknowledgements(from, wire, false),
            _ => self.data(from, wire),
        }
    }

    /// Reads acknowledged or missing datagrams.
    fn acknowledgements(&mut self, from: Side, wire: &mut Wire<'_>, arrived: bool) -> Result {
        if arrived {
            wire.name("ack");
            let flags = wire.flags(&FLAGS, 1, &[&FLAG_VALID, &FLAG_ACK, &FLAG_BANDWIDTH])?;
            if FLAG_BANDWIDTH.bits_of(flags) != 0 {
                wire.f32_be(&BANDWIDTH)?;
            }
        } else {
            wire.name("nak");
            wire.flags(&FLAGS, 1, &[&FLAG_VALID, &FLAG_ACK, &FLAG_NAK])?;
        }
        let count = wire.u16_be(&RECORD_COUNT)?;
        let sent = &mut self.senders[from.other()].sent;
        let mut read = 0;
        let mut first_range = None;
        while read < count && wire.remaining() >= record_len(wire.ahead()) {
            let range = wire.group(&RECORD, |wire| record(wire, sent, arrived))?;
            first_range.get_or_insert(range);
            read += 1;
        }
        if let Some((first, last)) = first_range {
            let more = if read > 1 { ", …" } else { "" };
            if first == last {
                wire.info(format_args!("#{first}{more}"))
            } else {
                wire.info(format_args!("#{first} to #{last}{more}"))
            }
        }
        if (read != count || wire.remaining() > 0) && wire.cut() == Cut::No {
            let left = wire.remaining();
            return wire.malformed(&ACK_MISMATCH, format_args!("{count} declared, {read} present, {left} bytes left"));
        }
        if read < count { Err(Error::Short { needed: 1 }) } else { Ok(()) }
    }

    /// Reads frames up to the end.
    fn data(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        wire.name("data");
        wire.flags(&FLAGS, 1, &[&FLAG_VALID, &FLAG_ACK, &FLAG_NAK, &FLAG_PAIR, &FLAG_CONTINUOUS, &FLAG_NEEDS])?;
        let number = wire.u24_le(&DATAGRAM_NUMBER)?;
        let (frame, time) = wire.completed();
        let ids = self.ids.clone();
        let sender = &mut self.senders[from];
        sender.sent.insert(number, (frame, time));
        let is_new = sender.datagrams.insert(number);
        if !is_new {
            wire.add(&RETRANSMISSION, Value::Bool(true));
        }
        wire.info(format_args!("#{number}{}", if is_new { "" } else { ", a repetition" }));
        sender.splits.expire(time, |evicted, _| incomplete(wire, evicted));
        let mut count = 0_u32;
        wire.each(|wire| {
            let only = wire.group(&FRAME, |wire| frame_of(sender, &ids, wire, is_new))?;
            count += 1;
            match only {
                Some(words) if count == 1 && wire.remaining() == 0 => wire.info(format_args!("#{number}, {words}")),
                _ => wire.info(format_args!("#{number}, {count} {}", if count == 1 { "frame" } else { "frames" })),
            }
            Ok(())
        })
    }
}

/// Notes an incomplete split message.
fn incomplete(wire: &mut Wire<'_>, EvictedMessage { id, received, count, .. }: EvictedMessage) {
    wire.note_layer(&INCOMPLETE_SPLIT, format_args!("{received} of {count} parts of message {id} received"));
}

/// Length of the next record.
fn record_len(ahead: &[u8]) -> usize {
    match ahead.first() {
        Some(0) => 7,
        Some(_) => 4,
        None => 1,
    }
}

/// Reads a number or range, and adds the frames of its datagrams.
fn record(wire: &mut Wire<'_>, sent: &mut Sent, arrived: bool) -> Result<(u32, u32)> {
    let (first, last) = if wire.u8(&SINGLE)? == 0 {
        let first = wire.u24_le(&FIRST)?;
        let last = wire.u24_le(&LAST)?;
        if first > last {
            wire.note(&BAD_RANGE, format_args!("{first} comes before {last}"));
        }
        (first, last)
    } else {
        let number = wire.u24_le(&NUMBER)?;
        (number, number)
    };
    let found = sent.within(first, last);
    for (_, frame, _) in found.iter().take(FRAMES_MAX) {
        wire.add(if arrived { &ACK_OF } else { &NAK_OF }, Value::Unsigned(*frame));
    }
    if arrived {
        if let (Some((_, _, Some(then))), Some(now)) = (found.last(), wire.completed().1) {
            wire.add(&ACK_TIME, Value::Double(now.since(*then) as f64 / 1e9));
        }
        sent.remove(&found);
    }
    Ok((first, last))
}

/// Reads a frame. Returns a short description of a split or a retransmission.
fn frame_of(sender: &mut Sender, ids: &Ids, wire: &mut Wire<'_>, is_new_datagram: bool) -> Result<Option<String>> {
    let head = head(sender, wire)?;
    let is_new = head.is_new && is_new_datagram;
    let (range, bytes) = payload(wire, &head)?;
    let Some((count, id, index)) = head.split else {
        if !is_new {
            // Only dissectors of messages find their secrets, and this one is not dissected again.
            wire.hide(range.start + 1..range.end);
            return Ok(Some("sent before".to_owned()));
        }
        sender.order(wire, &head);
        dispatch(wire, ids, range, bytes);
        return Ok(None);
    };
    if index >= count || count > COUNT_MAX {
        wire.note(&BAD_SPLIT, format_args!("split index {index} of {count}, counted from 0"));
    } else if is_new || sender.splits.waits_for(id.into(), count) {
        let pieces = wire.pieces(range, 0);
        sender.part(wire, &head, ids, Part { id: id.into(), count, index, bytes, pieces: &pieces });
    } else {
        wire.hide(range);
    }
    Ok(Some(format!("part {} of {count} of message {id}", u64::from(index) + 1)))
}

/// Hands over a message, with its stock ID if the game numbers it anew.
fn dispatch(wire: &mut Wire<'_>, ids: &Ids, range: Range<usize>, message: &[u8]) {
    match message.first().and_then(|id| ids.stock(*id)) {
        Some(stock) => wire.hand_over_with(RENUMBERED, range, STOCK + u64::from(stock)),
        None => wire.hand_over(PLACE, range),
    }
}

/// Reads the payload of a frame and its range.
fn payload<'a>(wire: &mut Wire<'a>, head: &Head) -> Result<(Range<usize>, &'a [u8])> {
    let (start, left, wanted) = (wire.at(), wire.remaining(), head.payload);
    if wanted == 0 || (wanted > left && wire.cut() == Cut::No) {
        return wire.malformed(&FRAME_OVERRUN, format_args!("{wanted} bytes declared, {left} left"));
    }
    let there = wanted.min(left);
    let range = start..start + there;
    if head.split.is_some() {
        let bytes = wire.bytes(&FRAGMENT, there)?;
        return if there < wanted { Err(Error::Short { needed: wanted - there }) } else { Ok((range, bytes)) };
    }
    if let Some(id) = wire.ahead().first() {
        wire.put(&MESSAGE_ID, Value::Unsigned((*id).into()), start..start + 1);
    }
    let bytes = wire.bytes(&PAYLOAD, there)?;
    if there < wanted {
        wire.hand_over(PLACE, range);
        return Err(Error::Short { needed: wanted - there });
    }
    Ok((range, bytes))
}

impl Sender {
    /// Marks a message that arrives out of order.
    fn order(&mut self, wire: &mut Wire<'_>, head: &Head) {
        let Some((index, channel)) = head.order.filter(|_| head.reliability == ORDERED) else { return };
        if self.channels.entry(channel).or_default().skips(index, self.from_start) {
            wire.add(&OUT_OF_ORDER, Value::Bool(true));
        }
    }

    /// Adds a split, and dispatches the message that it completes.
    fn part(&mut self, wire: &mut Wire<'_>, head: &Head, ids: &Ids, part: Part<'_>) {
        match self.splits.add(part, |evicted, _| incomplete(wire, evicted)) {
            Added::Incomplete | Added::Duplicate => {}
            Added::Conflict => {
                wire.note(&SPLIT_CONFLICT, format_args!("part {} was received before with other bytes", part.index));
            }
            Added::Complete(joined) => {
                wire.add(&COMPLETES, Value::Unsigned(part.count.into()));
                self.order(wire, head);
                let len = joined.bytes.len();
                wire.joined(PARTS, &joined.pieces, &joined.bytes, |inner| dispatch(inner, ids, 0..len, &joined.bytes));
            }
        }
    }
}

fn head(sender: &mut Sender, wire: &mut Wire<'_>) -> Result<Head> {
    let flags = wire.flags(&FRAME_FLAGS, 1, &[&RELIABILITY, &HAS_SPLIT])?;
    let reliability = u8::try_from(RELIABILITY.bits_of(flags)).unwrap_or(u8::MAX);
    if reliability > MAX_RELIABILITY {
        wire.note(&BAD_RELIABILITY, format_args!("reliability {reliability} is never sent"));
        return Err(Error::Malformed);
    }
    let bits = wire.u16_be(&BIT_LENGTH)?;
    let mut head = Head { reliability, order: None, split: None, is_new: true, payload: usize::from(bits).div_ceil(8) };
    if is_reliable(reliability) {
        let number = wire.u24_le(&MESSAGE_NUMBER)?;
        head.is_new = sender.messages.insert(number);
        if !head.is_new {
            wire.add(&RETRANSMISSION, Value::Bool(true));
        }
    }
    if is_sequenced(reliability) {
        wire.u24_le(&SEQUENCING_INDEX)?;
    }
    if has_order(reliability) {
        let index = wire.u24_le(&ORDERING_INDEX)?;
        let channel = wire.u8(&ORDERING_CHANNEL)?;
        if channel >= CHANNELS {
            wire.note(&BAD_CHANNEL, format_args!("channel {channel} of {CHANNELS}"));
        }
        head.order = Some((index, channel));
    }
    if HAS_SPLIT.bits_of(flags) != 0 {
        let count = wire.u32_be(&SPLIT_COUNT)?;
        let id = wire.u16_be(&SPLIT_ID)?;
        head.split = Some((count, id, wire.u32_be(&SPLIT_INDEX)?));
    }
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_skips_messages_that_never_arrived() {
        let mut channel = Channel::default();
        let skips = [0, 1, 1, 3, 2, 4, 6].map(|index| channel.skips(index, true));
        assert_eq!(skips, [false, false, false, true, false, false, true]);
        assert!(Channel::default().skips(2, true) && !Channel::default().skips(2, false));
    }
}
