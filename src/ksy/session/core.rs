//! What both directions of a conversation know, apart from keys.

use super::half::{Half, Phase, Reading};
use super::keys::Keys;
use super::notices::Notices;
use super::staged::Staged;
use crate::ksy::protocol::{File, ports};
use crate::ksy::registration::Shared;
use crate::ksy::run::measure::{Search, rehearse};
use crate::ksy::run::running::{Pipeline, StageCall};
use crate::ksy::run::variables::{Cause, Held, Plain, wrap};
use crate::ksy::run::{After, Context, Element, Message, Remark, SessionView, UnitPart};
use crate::tree::{BySide, Side};
use crate::wire::{Extent, Missing, Result, Wire};

/// Both directions.
pub(super) struct Core {
    pub(super) file: &'static File,
    pub(super) sides: BySide<Lane>,
    /// Variables whose keys stages began to use, as bits.
    began: u64,
    /// Values that the last message set for later conversations.
    left: Vec<(u32, Held)>,
}

/// A direction with its stages.
#[derive(Default)]
pub(super) struct Lane {
    pub(super) half: Half,
    pub(super) staged: Staged,
    /// Why its bytes are unknown, if they are.
    pub(super) opaque: Option<Cause>,
    /// Whether a message has begun and is incomplete.
    is_pending: bool,
    /// What the other side changed meanwhile.
    later: Vec<Change>,
}

/// A change by a message.
#[derive(Clone)]
pub(super) enum Change {
    Set(u32, Held),
    Stages(std::result::Result<Vec<StageCall>, Cause>),
}

impl Change {
    /// Whether both change the same.
    fn concerns(&self, other: &Change) -> bool {
        match (self, other) {
            (Change::Set(one, _), Change::Set(other, _)) => one == other,
            (Change::Stages(_), Change::Stages(_)) => true,
            _ => false,
        }
    }
}

impl Lane {
    fn fork(&self) -> Lane {
        Lane {
            half: self.half.fork(),
            staged: self.staged.fork(),
            opaque: self.opaque,
            is_pending: self.is_pending,
            later: self.later.clone(),
        }
    }

    /// Takes a change now, or after the message that has begun.
    fn change(&mut self, change: Change, is_own: bool) {
        if self.is_pending && !is_own {
            // A later change of the same variable replaces it.
            self.later.retain(|known| !known.concerns(&change));
            self.later.push(change);
        } else {
            self.take(change);
        }
    }

    fn take(&mut self, change: Change) {
        match change {
            Change::Set(variable, held) => {
                if let Some(place) = self.half.held.get_mut(variable as usize) {
                    *place = held;
                }
            }
            Change::Stages(Err(cause)) => self.opaque = Some(cause),
            Change::Stages(Ok(calls)) => {
                self.half.search = Search::default();
                if self.opaque.take().is_some() {
                    self.half.reopen();
                }
                match Pipeline::start(calls) {
                    Ok(pipeline) => self.staged = Staged::new(pipeline),
                    Err(_) => self.opaque = Some(Cause::Failed),
                }
            }
        }
    }

    /// Ends a message, after which changes of the other side count.
    fn complete(&mut self) {
        self.is_pending = false;
        for change in std::mem::take(&mut self.later) {
            self.take(change);
        }
    }
}

impl Core {
    pub(super) fn new(file: &'static File, [client, server]: [bool; 2], keys: &Keys) -> Core {
        let is_midway = !(client && server);
        let lane = |side: Side, from_start: bool| {
            let mut half = Half::new(&file.sides[side], from_start);
            let mut opaque = None;
            half.held = keys.first_values(is_midway);
            if is_midway {
                half.running.unknown = Some(Cause::Midway);
                opaque = file.stages(side).then_some(Cause::Midway);
            }
            Lane { half, opaque, ..Lane::default() }
        };
        let sides = BySide { client: lane(Side::Client, client), server: lane(Side::Server, server) };
        Core { file, sides, began: 0, left: Vec::new() }
    }

    pub(super) fn fork(&self) -> Core {
        let BySide { client, server } = &self.sides;
        Core { file: self.file, sides: BySide { client: client.fork(), server: server.fork() }, began: 0, left: Vec::new() }
    }

    /// The bytes of a direction, after its stages.
    pub(super) fn reading(&mut self, from: Side) -> Reading<'_> {
        Reading { file: self.file, direction: &self.file.sides[from], half: &mut self.sides[from].half, from }
    }

    /// Variables whose keys stages began to use since the last call, as bits.
    pub(super) fn new_keys(&mut self) -> u64 {
        std::mem::take(&mut self.began)
    }

    /// The boundary of the next message. Bytes of no message end one that has begun.
    pub(super) fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.sides[from].is_pending = !ahead.is_empty();
        let extent = self.boundary(from, ahead, more);
        if matches!(extent, Extent::Unknown(_) | Extent::Segment) {
            self.sides[from].complete();
        }
        extent
    }

    fn boundary(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let lane = &mut self.sides[from];
        if let Some(cause) = lane.opaque {
            return lane.half.unknown(cause, ahead.len());
        }
        if lane.staged.is_empty() {
            return self.reading(from).extent(ahead, more);
        }
        let mut staged = std::mem::take(&mut lane.staged);
        let mut reading = self.reading(from);
        let extent = staged.extent(ahead, more, &mut reading);
        let lane = &mut self.sides[from];
        lane.staged = staged;
        match extent {
            Ok(extent) => extent,
            Err(cause) => {
                lane.opaque = Some(cause);
                lane.half.unknown(cause, ahead.len())
            }
        }
    }

    /// Dissects a message, and applies what it changes.
    pub(super) fn message(
        &mut self,
        from: Side,
        wire: &mut Wire<'_>,
        notices: &mut Notices,
        keys: &Keys,
    ) -> (Result, Vec<Element>) {
        if let Some(cause) = self.sides[from].half.next_unknown() {
            notices.unknown(cause, self.file, keys, wire);
            self.sides[from].opaque = Some(cause);
            self.sides[from].complete();
            wire.name("opaque");
            let unparsed = self.file.fields.unparsed(self.file.sides[from].root.1);
            if let Some(unparsed) = unparsed {
                wire.rest(unparsed);
            }
            return (Ok(()), Vec::new());
        }
        let mut staged = std::mem::take(&mut self.sides[from].staged);
        let is_cut = wire.cut() != crate::wire::Cut::No;
        let mut reading = self.reading(from);
        let (result, mut after) = if staged.is_empty() { reading.dissect(wire) } else { staged.dissect(&mut reading, wire) };
        self.sides[from].staged = staged;
        let carried = std::mem::take(&mut after.carried);
        if let Some(cause) = after.used.unknown {
            notices.unknown(cause, self.file, keys, wire);
        }
        self.apply(from, after, is_cut);
        (result, carried)
    }

    /// Whether the bytes of the last message contain another one.
    pub(super) fn repeats(&mut self, from: Side) -> bool {
        let lane = &mut self.sides[from];
        if lane.opaque.is_some() || lane.staged.is_empty() {
            return false;
        }
        let mut staged = std::mem::take(&mut lane.staged);
        let mut reading = self.reading(from);
        let repeats = staged.repeats(&mut reading);
        self.sides[from].staged = staged;
        repeats
    }

    /// Dissects a datagram, or a message that others carried. Returns the elements of it that carry messages.
    pub(super) fn datagram(
        &mut self,
        (from, index): (Side, u64),
        (part, place): (UnitPart<'static>, u32),
        wire: &mut Wire<'_>,
        notices: &mut Notices,
        keys: &mut Keys,
    ) -> (Result, Vec<Element>) {
        let context = Context { from: Some(from), index, ports: ports(wire), opcode: wire.detail() };
        let uncertain = keys.uncertain();
        if uncertain != 0 {
            let half = &self.sides[from].half;
            let view = SessionView { held: &half.held, running: half.running.fork(), ahead: None };
            let program = &self.file.program;
            let bytes = wire.ahead();
            let (is_sound, after) = File::with_memory(|memory| rehearse(program, part, bytes, context, view, memory));
            let used = after.used.keys & uncertain;
            if used != 0 && !is_sound {
                keys.reject(used);
                self.reject(used);
            } else if used != 0 {
                keys.count(used, bytes.len());
            }
        }
        let half = &mut self.sides[from].half;
        let view = SessionView { held: &half.held, running: std::mem::take(&mut half.running), ahead: None };
        let message = Message { part, place, slot: 0, context, is_cut: false, remark: Some(Remark::Rest) };
        let (result, mut after) = self.file.dissect(&message, view, wire);
        half.running = std::mem::take(&mut after.running);
        if let Some(cause) = after.used.unknown {
            notices.unknown(cause, self.file, keys, wire);
        }
        let carried = std::mem::take(&mut after.carried);
        self.apply(from, after, false);
        (result, carried)
    }

    /// Whether a message can be read without a fault.
    pub(super) fn is_sound(&self, from: Side, (part, _): (UnitPart<'static>, u32), wire: &Wire<'_>) -> bool {
        let context = Context { from: Some(from), index: 0, ports: ports(wire), opcode: wire.detail() };
        let half = &self.sides[from].half;
        let view = SessionView { held: &half.held, running: half.running.fork(), ahead: None };
        let program = &self.file.program;
        File::with_memory(|memory| rehearse(program, part, wire.ahead(), context, view, memory)).0
    }

    /// Reads a message without output. Returns whether it is sound, and the variables whose keys it used, as bits.
    pub(super) fn rehearse(&mut self, from: Side, bytes: &[u8]) -> (bool, u64) {
        if self.sides[from].half.next_unknown().is_some() {
            return (false, 0);
        }
        let mut staged = std::mem::take(&mut self.sides[from].staged);
        let mut reading = self.reading(from);
        let (is_sound, after) =
            if staged.is_empty() { reading.rehearse(bytes) } else { staged.rehearse(&mut reading, bytes.len()) };
        let keys = after.used.keys | staged.keys();
        self.sides[from].staged = staged;
        self.apply(from, after, false);
        (is_sound, keys)
    }

    /// Applies what a message changes, in both directions.
    fn apply(&mut self, from: Side, after: After, is_cut: bool) {
        let After { changes, continued, .. } = after;
        let file = self.file;
        let lane = &mut self.sides[from];
        if is_cut {
            lane.half.running.lose(|name| continued & (1 << name.min(63)) != 0);
        }
        lane.complete();
        self.left.clear();
        for (variable, held) in changes.sets {
            if file.shared(variable) != Shared::No {
                self.left.push((variable, held.clone()));
            }
            let is_own = file.program.session.get(variable as usize).is_some_and(|variable| variable.is_per_direction);
            for side in Side::BOTH.into_iter().filter(|side| *side == from || !is_own) {
                self.sides[side].change(Change::Set(variable, held.clone()), side == from);
            }
        }
        for (side, stages) in Side::BOTH.into_iter().zip(changes.stages) {
            if let Some(stages) = stages {
                self.began |= stages.iter().flatten().fold(0, |keys, call| keys | call.keys);
                self.sides[side].change(Change::Stages(stages), side == from);
            }
        }
        self.increment(from);
    }

    /// Whether the conversation begins before the capture.
    pub(super) fn is_midway(&self) -> bool {
        self.sides.iter().any(|lane| lane.half.running.unknown.is_some())
    }

    /// Takes what the last message set for later conversations.
    pub(super) fn take_left(&mut self) -> Vec<(u32, Held)> {
        std::mem::take(&mut self.left)
    }

    /// Gives variables the values that earlier conversations left.
    pub(super) fn inherit(&mut self, values: &[(u32, Held)]) {
        for lane in self.sides.iter_mut() {
            for (variable, held) in values {
                lane.take(Change::Set(*variable, held.clone()));
            }
        }
    }

    /// Counts the message in variables that count messages.
    fn increment(&mut self, from: Side) {
        for (at, variable) in self.file.program.session.iter().enumerate().filter(|(_, variable)| variable.increments) {
            for side in Side::BOTH.into_iter().filter(|side| *side == from || !variable.is_per_direction) {
                if let Some(Held::Known(Plain::Int(number), _)) = self.sides[side].half.held.get_mut(at) {
                    *number = wrap(*number + 1, variable.width);
                }
            }
        }
    }

    /// Bytes of a message behind a gap in it.
    pub(super) fn rest(&mut self, from: Side, bytes: &[u8]) {
        let lane = &mut self.sides[from];
        if lane.staged.rest(bytes).is_none() {
            lane.opaque = lane.opaque.or(Some(Cause::Lost));
        }
    }

    pub(super) fn gap(&mut self, from: Side, missing: Missing) {
        let lane = &mut self.sides[from];
        let half = &mut lane.half;
        half.gap(missing, Phase::BehindGap);
        lane.is_pending = false;
        if !missing.in_step {
            half.running.lose(|_| false);
        }
        if !lane.staged.is_empty() && !lane.staged.gap(missing) {
            lane.opaque = lane.opaque.or(Some(Cause::Lost));
        }
        if !missing.in_step {
            self.lose_messages(from);
        }
    }

    /// Messages of a direction are missing: what each of them changes is unknown, and variables that begin anew do so.
    fn lose_messages(&mut self, from: Side) {
        let accumulated = self.file.accumulated[from];
        for (at, variable) in self.file.program.session.iter().enumerate() {
            let lost = match (variable.resets, accumulated & 1 << at.min(63) != 0) {
                (true, _) => self.file.first_value(at),
                (false, true) => Held::Unknown(Cause::Lost),
                (false, false) => continue,
            };
            for side in Side::BOTH.into_iter().filter(|side| *side == from || !variable.is_per_direction) {
                if let Some(held) = self.sides[side].half.held.get_mut(at) {
                    *held = lost.clone();
                }
            }
        }
    }

    /// Drops what was made from keys that do not fit.
    pub(super) fn reject(&mut self, keys: u64) {
        let cause = Cause::WrongKey(keys.trailing_zeros());
        for lane in self.sides.iter_mut() {
            for held in &mut lane.half.held {
                if held.is_from(keys) {
                    *held = Held::Unknown(cause);
                }
            }
            lane.half.running.reject(keys);
            if lane.staged.keys() & keys != 0 {
                lane.opaque = Some(cause);
                lane.staged = Staged::default();
            }
            for change in &mut lane.later {
                match change {
                    Change::Set(_, held) if held.is_from(keys) => *held = Held::Unknown(cause),
                    Change::Stages(stages) if stages.iter().flatten().any(|call| call.keys & keys != 0) => *stages = Err(cause),
                    _ => {}
                }
            }
        }
    }

    /// Gives variables keys that were found.
    pub(super) fn take_keys(&mut self, keys: &Keys) {
        for lane in self.sides.iter_mut() {
            keys.fill(&mut lane.half.held);
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.sides.iter().map(|lane| size_of::<Lane>() + lane.half.memory() + lane.staged.memory()).sum()
    }
}
