//! Instances, which are evaluated on demand, each at its own position.

use super::failure::{Failure, Outcome};
use super::value::{Object, Slot, State, Stream, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{MemberCode, Program};
use crate::ksy::notes;

impl<'p> Machine<'p, '_> {
    /// The value of a slot of an object. Evaluates an instance at the first use.
    #[inline]
    pub(super) fn field(&mut self, frame: &Frame, object: u32, slot: u32) -> Outcome<V> {
        let at = self.object(object).slots.saturating_add(slot);
        let found = self.slot(at);
        if found.state == State::Done { Ok(found.value) } else { self.unready(frame, object, slot, found) }
    }

    fn unready(&mut self, frame: &Frame, object: u32, slot: u32, found: Slot) -> Outcome<V> {
        let Object { of, slots, .. } = self.object(object);
        let Some(code) = self.program.types.get(of as usize) else {
            return self.fail(frame.io, &notes::VALUE, "no object".into());
        };
        let name = code.slots.get(slot as usize).copied().unwrap_or_default();
        match (found.state, found.value) {
            (State::Unset, _) if slot >= code.first_instance() => {
                self.instance(object, slot)?;
                Ok(self.slot(slots.saturating_add(slot)).value)
            }
            // An invalid value, and the elements read so far of an object or list.
            (State::Open | State::Failed, V::Object(_) | V::List(_)) => Ok(found.value),
            (State::Failed, _) => Self::failed_before(),
            (State::Open, _) => self.fail(frame.io, &notes::RECURSION, format!("the value of {name} depends on itself")),
            _ => self.fail(frame.io, &notes::VALUE, format!("{name} is used before it is read")),
        }
    }

    /// Evaluates an instance that was not evaluated yet.
    pub(super) fn instance(&mut self, object: u32, slot: u32) -> Outcome {
        let Object { of, slots, io, .. } = self.object(object);
        let program: &'p Program = self.program;
        let Some(code) = program.types.get(of as usize) else { return Ok(()) };
        let place = slot.checked_sub(code.params).and_then(|place| place.checked_add(code.members));
        let Some(member) = place.and_then(|place| program.members.get(place as usize)) else { return Ok(()) };
        let at = slots.saturating_add(slot);
        self.set_state(at, State::Open);
        let frame = Frame::of(object, io);
        let result = self.deeper(io, |machine| machine.positional(&frame, at, member));
        if result.is_err() {
            // Bytes that could not be converted are those of other members, too.
            if let Slot { state: State::Failed, value: V::Bytes(_), .. } = self.slot(at) {
                self.set_slot(at, Slot::default());
            }
            self.set_state(at, State::Failed);
        }
        result
    }

    /// Reads a member at its own position and stream, if it has those.
    fn positional(&mut self, frame: &Frame, at: u32, member: &'p MemberCode) -> Outcome {
        if member.pos.is_none() && member.io.is_none() {
            return self.member(frame, at, member);
        }
        // The stream of an absent instance may not exist.
        if let Some(condition) = member.condition
            && !self.bool(frame, condition)?
        {
            self.set_state(at, State::Done);
            return Ok(());
        }
        let io = match member.io {
            Some(io) => match self.eval(frame, io)? {
                V::Io(io) => io,
                other => return self.wrong_kind(frame, "a stream", other),
            },
            None => frame.io,
        };
        let frame = Frame { io, ..*frame };
        let Some(pos) = member.pos else { return self.member(&frame, at, member) };
        let pos = self.int(&frame, pos)?;
        let before = self.stream(io);
        let target = u32::try_from(pos).ok().and_then(|pos| before.start.checked_add(pos));
        let Some(target) = target.filter(|target| *target <= before.end) else {
            let size = before.end - before.start;
            if pos > i128::from(size) && self.is_measured(io) {
                let wanted = u64::try_from(pos).unwrap_or(u64::MAX);
                return self.short(io, wanted, size).map_err(|mut failure: Box<Failure>| {
                    failure.wait = failure.wait.and(None);
                    failure
                });
            }
            return self.fail(io, if pos < 0 { &notes::RANGE } else { &notes::EOF }, format!("position {pos} of {size} bytes"));
        };
        self.set_stream(io, Stream { at: target, bits_left: 0, ..before });
        let result = self.member(&frame, at, member);
        self.set_stream(io, before);
        result
    }
}
