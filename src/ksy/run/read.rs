//! Reads objects, their members, and single values.

use super::bytes::BYTES_PER_OPERATION;
use super::failure::{EncodingNote, Outcome};
use super::value::{Blob, List, NOTHING, Object, Slot, State, Stream, V};
use super::{Frame, Machine};
use crate::ksy::compile::program::{
    CharsetCode, DataCode, DataKind, EndianKind, MemberCode, ObjectCode, ParentCode, Program, RepeatCode, SwitchCode, TypeCode,
};
use crate::ksy::notes;
use crate::limits;
use std::cmp::Ordering;

impl<'p> Machine<'p, '_> {
    /// Reads the root object from all of a stream. Returns its number, also after a failure.
    pub(super) fn root(&mut self, of: u32, stream: Stream) -> (u32, Outcome) {
        let number = u32::try_from(self.memory.objects.len()).unwrap_or(NOTHING);
        let io = match self.add_stream(stream) {
            Ok(io) => io,
            Err(failure) => return (NOTHING, Err(failure)),
        };
        let Stream { buffer, start, .. } = stream;
        let object = Object {
            of,
            slots: 0,
            parent: NOTHING,
            root: NOTHING,
            io,
            buffer,
            start,
            end: start,
            is_little: None,
            is_complete: false,
        };
        let Some(code) = self.program.types.get(of as usize) else { return (NOTHING, Ok(())) };
        let result = self.add(object, code).and_then(|root| {
            self.supply(root, code);
            self.fill(root, code)
        });
        (number, result)
    }

    /// Counts values, objects, lists and streams that are kept to the end of the run.
    #[inline]
    pub(super) fn keep(&mut self, io: u32, count: usize) -> Outcome {
        self.memory.kept += count;
        if self.memory.kept > limits::KSY_VALUES.get() { self.limited(io, &notes::VALUES, &limits::KSY_VALUES) } else { Ok(()) }
    }

    /// Adds a stream. Returns its number.
    pub(super) fn add_stream(&mut self, stream: Stream) -> Outcome<u32> {
        let number = u32::try_from(self.memory.streams.len()).unwrap_or(NOTHING);
        self.keep(number.saturating_sub(1), 1)?;
        self.memory.streams.push(stream);
        Ok(number)
    }

    /// Adds an object with unset slots.
    fn add(&mut self, object: Object, code: &TypeCode) -> Outcome<u32> {
        self.keep(object.io, 1 + code.slots.len())?;
        let count = self.memory.slots.len() + code.slots.len();
        let slots = u32::try_from(self.memory.slots.len()).unwrap_or(NOTHING);
        let number = u32::try_from(self.memory.objects.len()).unwrap_or(NOTHING);
        let root = if object.root == NOTHING { number } else { object.root };
        self.memory.slots.resize(count, Slot::default());
        self.memory.objects.push(Object { slots, root, ..object });
        Ok(number)
    }

    /// Reads `seq` of an object.
    fn fill(&mut self, number: u32, code: &'p TypeCode) -> Outcome {
        let Object { slots, io, .. } = self.object(number);
        let frame = Frame::of(number, io);
        let result = self.decide_endian(&frame, code).and_then(|()| self.seq(&frame, slots, code));
        let end = self.stream(io).at;
        if let Some(object) = self.memory.objects.get_mut(number as usize) {
            object.end = end;
            object.is_complete = result.is_ok();
        }
        if let Some(effect) = code.effect.filter(|_| result.is_ok()) {
            self.reach(&frame, effect);
        }
        result
    }

    fn seq(&mut self, frame: &Frame, slots: u32, code: &'p TypeCode) -> Outcome {
        let first = code.members as usize;
        let members = self.program.members.get(first..first + code.seq as usize).unwrap_or_default();
        let skipped = if self.skips_once() { members.len().saturating_sub(1) } else { 0 };
        members.iter().skip(skipped).try_for_each(|member| {
            self.member(frame, slots + member.slot, member).map_err(|mut failure| {
                failure.wait = failure.wait.and(member.tail);
                failure
            })
        })
    }

    fn decide_endian(&mut self, frame: &Frame, code: &'p TypeCode) -> Outcome {
        let Some(endian) = &code.endian else { return Ok(()) };
        let on = self.eval(frame, endian.on)?;
        let mut decided = endian.otherwise;
        for (value, is_little) in &endian.cases {
            let value = self.eval(frame, *value)?;
            if self.order(frame, on, value)? == Ordering::Equal {
                decided = Some(*is_little);
                break;
            }
        }
        if let Some(object) = self.memory.objects.get_mut(frame.object as usize) {
            object.is_little = decided;
        }
        match decided {
            Some(_) => Ok(()),
            None => self.fail(frame.io, &notes::ENDIAN, format!("no case of the byte order of {} matches", code.name)),
        }
    }

    /// Counts operations.
    #[inline]
    pub(super) fn burn(&mut self, io: u32, operations: usize) -> Outcome {
        match self.fuel.checked_sub(operations) {
            Some(fuel) => {
                self.fuel = fuel;
                Ok(())
            }
            None => self.limited(io, &notes::OPERATIONS, &limits::KSY_OPERATIONS),
        }
    }

    /// Enters one level of nesting.
    pub(super) fn deeper<T>(&mut self, io: u32, go: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth >= limits::KSY_RECURSION.get() {
            return self.limited(io, &notes::RECURSION, &limits::KSY_RECURSION);
        }
        self.depth += 1;
        let result = go(self);
        self.depth -= 1;
        result
    }

    /// Reads a member of an object into the slot at `at`.
    pub(super) fn member(&mut self, frame: &Frame, at: u32, member: &'p MemberCode) -> Outcome {
        self.burn(frame.io, 1)?;
        if let Some(condition) = member.condition
            && !self.bool(frame, condition)?
        {
            self.set_state(at, State::Done);
            return Ok(());
        }
        let mut slot = Slot { buffer: self.stream(frame.io).buffer, state: State::Done, ..Slot::default() };
        let frame = &Frame { is_private: member.is_private, ..*frame };
        if !matches!(member.repeat, RepeatCode::No) {
            self.stop_at_run(frame, member)?;
            self.repeat(frame, at, member, slot)?;
        } else {
            let result = self.data(frame, member.data, &mut slot, at);
            if result.is_err() {
                slot.state = State::Failed;
            }
            self.set_slot(at, slot);
            result?;
            if let Some(valid) = member.valid.filter(|_| !matches!(slot.value, V::Opaque(_))) {
                self.validate(frame, valid, &slot)?;
            }
        }
        if let Some(effect) = member.effect {
            self.reach(frame, effect);
        }
        Ok(())
    }

    /// Reads one value. An object is stored in the slot at `at` as soon as it exists.
    #[inline]
    pub(super) fn data(&mut self, frame: &Frame, data: DataCode, slot: &mut Slot, at: u32) -> Outcome {
        slot.shape = data.shape;
        match data.kind {
            DataKind::U1 => {
                let [byte] = self.array(frame.io, slot)?;
                slot.value = V::Int(byte.into());
                Ok(())
            }
            DataKind::Int { bytes, signed, endian } => self.integer(frame, bytes, signed, endian, slot),
            DataKind::Float { bytes, endian } => self.float(frame, bytes, endian, slot),
            DataKind::Bits { width, is_little, is_bool } => self.bits(frame.io, width, is_little, is_bool, slot),
            DataKind::Bytes(bytes) => {
                let Some(code) = self.program.bytes.get(bytes as usize) else { return Ok(()) };
                if self.passes(frame) {
                    return self.raw(frame, code, slot).map(|_| ());
                }
                if let Some(taken) = self.take(frame, code, slot)? {
                    slot.value = V::Bytes(taken);
                }
                Ok(())
            }
            DataKind::Str { bytes, charset } => {
                let Some(code) = self.program.bytes.get(bytes as usize) else { return Ok(()) };
                if self.passes(frame) {
                    return self.raw(frame, code, slot).map(|_| ());
                }
                if let Some(taken) = self.take(frame, code, slot)? {
                    slot.value = V::Str(self.decode(frame, charset, taken)?);
                }
                Ok(())
            }
            DataKind::Object(object) => {
                let Some(code) = self.program.objects.get(object as usize) else { return Ok(()) };
                self.deeper(frame.io, |machine| machine.nested(frame, code, slot, at))
            }
            DataKind::Switch(switch) => self.switch(frame, switch, slot, at),
            DataKind::Value(code) => {
                slot.buffer = NOTHING;
                slot.value = self.eval(frame, code)?;
                Ok(())
            }
            DataKind::Nothing => Ok(()),
        }
    }

    /// Reads bytes of a known length, with their span.
    #[inline]
    fn array<const N: usize>(&mut self, io: u32, slot: &mut Slot) -> Outcome<[u8; N]> {
        let Some(stream) = self.memory.streams.get_mut(io as usize) else { return Self::failed_before() };
        #[allow(clippy::cast_possible_truncation, reason = "at most 8")]
        let (start, end) = (stream.at, stream.at.saturating_add(N as u32));
        stream.bits_left = 0;
        if end > stream.end {
            let left = stream.remaining();
            return self.short(io, N as u64, left);
        }
        stream.at = end;
        let buffer = stream.buffer;
        (slot.start, slot.end) = (start, end);
        let bytes = if buffer == super::INPUT {
            self.input.get(start as usize..).and_then(<[u8]>::first_chunk)
        } else {
            self.bytes(Blob { buffer, start, end }).first_chunk()
        };
        Ok(bytes.copied().unwrap_or([0; N]))
    }

    fn integer(&mut self, frame: &Frame, bytes: u8, signed: bool, endian: EndianKind, slot: &mut Slot) -> Outcome {
        let is_little = self.is_little(frame, endian)?;
        macro_rules! number {
            ($unsigned:ty, $signed:ty) => {{
                let bytes = self.array(frame.io, slot)?;
                let number = if is_little { <$unsigned>::from_le_bytes(bytes) } else { <$unsigned>::from_be_bytes(bytes) };
                if signed { i128::from(number.cast_signed()) } else { i128::from(number) }
            }};
        }
        slot.value = V::Int(match bytes {
            1 => number!(u8, i8),
            2 => number!(u16, i16),
            4 => number!(u32, i32),
            _ => number!(u64, i64),
        });
        Ok(())
    }

    fn float(&mut self, frame: &Frame, bytes: u8, endian: EndianKind, slot: &mut Slot) -> Outcome {
        let is_little = self.is_little(frame, endian)?;
        slot.value = V::Float(if bytes == 4 {
            let bytes = self.array(frame.io, slot)?;
            f64::from(if is_little { f32::from_le_bytes(bytes) } else { f32::from_be_bytes(bytes) })
        } else {
            let bytes = self.array(frame.io, slot)?;
            if is_little { f64::from_le_bytes(bytes) } else { f64::from_be_bytes(bytes) }
        });
        Ok(())
    }

    #[inline]
    fn is_little(&self, frame: &Frame, endian: EndianKind) -> Outcome<bool> {
        match endian {
            EndianKind::Little => Ok(true),
            EndianKind::Big => Ok(false),
            EndianKind::RunTime => match self.object(frame.object).is_little {
                Some(is_little) => Ok(is_little),
                None => self.fail(frame.io, &notes::ENDIAN, String::from("the byte order of the object is not decided")),
            },
        }
    }

    fn switch(&mut self, frame: &Frame, switch: u32, slot: &mut Slot, at: u32) -> Outcome {
        let program: &'p Program = self.program;
        let Some(code) = program.switches.get(switch as usize) else { return Ok(()) };
        let on = self.eval(frame, code.on)?;
        let data = match (on, &code.table) {
            (V::Int(value), Some(table)) => {
                let place = table.binary_search_by_key(&value, |(known, _)| *known);
                place.ok().and_then(|place| table.get(place)).map(|(_, data)| *data)
            }
            _ => self.case(frame, code, on)?,
        };
        if data.is_none() && code.is_partial {
            self.undescribed(frame, switch, on, at);
        }
        self.data(frame, data.unwrap_or(code.otherwise), slot, at)
    }

    fn case(&mut self, frame: &Frame, code: &SwitchCode, on: V) -> Outcome<Option<DataCode>> {
        for (value, data) in &code.cases {
            let value = self.eval(frame, *value)?;
            if self.is_equal(frame, on, value)? {
                return Ok(Some(*data));
            }
        }
        Ok(None)
    }

    /// The parent of an object that is read.
    fn parent(&mut self, frame: &Frame, code: ParentCode) -> Outcome<u32> {
        match code {
            ParentCode::Reader => Ok(frame.object),
            ParentCode::Nothing => Ok(NOTHING),
            ParentCode::Expr(parent) => match self.eval(frame, parent)? {
                V::Object(parent) => Ok(parent),
                other => self.wrong_kind(frame, "an object", other),
            },
        }
    }

    /// An object of which nothing is read, at the position of its stream.
    fn unread(&self, frame: &Frame, code: &ObjectCode, of: &TypeCode, parent: u32, io: u32) -> Object {
        let (reader, stream) = (self.object(frame.object), self.stream(io));
        Object {
            of: code.of,
            slots: 0,
            parent,
            root: if code.external { NOTHING } else { reader.root },
            io,
            buffer: stream.buffer,
            start: stream.byte(),
            end: stream.at,
            is_little: reader.is_little.filter(|_| of.inherits_endian),
            is_complete: false,
        }
    }

    /// Reads an object of another type.
    fn nested(&mut self, frame: &Frame, code: &'p ObjectCode, slot: &mut Slot, at: u32) -> Outcome {
        let own = match code.bytes.and_then(|bytes| self.program.bytes.get(bytes as usize)) {
            Some(bytes) if self.passes(frame) => return self.raw(frame, bytes, slot).map(|_| ()),
            Some(bytes) => {
                self.fits(frame, bytes, code)?;
                match self.take(frame, bytes, slot)? {
                    Some(taken) => Some(taken),
                    None => return Ok(()),
                }
            }
            None => None,
        };
        let parent = self.parent(frame, code.parent)?;
        let io = match own {
            Some(Blob { buffer, start, end }) => self.add_stream(Stream { buffer, start, end, at: start, bits_left: 0 })?,
            None => frame.io,
        };
        let Some(of) = self.program.types.get(code.of as usize) else { return Ok(()) };
        let stream = self.stream(io);
        let object = self.unread(frame, code, of, parent, io);
        let number = self.add(object, of)?;
        let first = self.object(number).slots;
        for (param, arg) in (first..).zip(&code.args) {
            let value = self.eval(frame, *arg)?;
            self.set_slot(param, Slot { value, buffer: NOTHING, state: State::Done, ..Slot::default() });
        }
        slot.value = V::Object(number);
        if own.is_none() {
            (slot.start, slot.end) = (object.start, object.start);
        }
        if at != NOTHING {
            self.set_slot(at, Slot { state: State::Open, ..*slot });
        }
        let mut result = self.fill(number, of);
        let is_unknown = result.as_ref().is_err_and(|failure| failure.is_unknown());
        if own.is_some() && (self.is_lenient() || self.cut_short.is_some() || is_unknown) {
            // The bytes after it are known nevertheless.
            result = Ok(());
        }
        if own.is_some() && result.is_ok() && !is_unknown && self.is_strict() && self.stream(io).remaining() > 0 {
            result = self.fail(io, &notes::VALUE, String::from("bytes are left over"));
        }
        if own.is_none() {
            slot.end = self.stream(io).at.max(slot.start);
            if stream.bits_left > 0 {
                slot.start = self.first_byte(number, stream);
            }
        }
        result
    }

    /// The start of an object that begins inside a byte: its first read may begin after that byte.
    fn first_byte(&self, number: u32, before: Stream) -> u32 {
        let Object { of, slots, .. } = self.object(number);
        let Some(code) = self.program.types.get(of as usize) else { return before.at };
        let seq = (slots + code.params..slots + code.first_instance()).map(|at| self.slot(at));
        let mut read = seq.filter(|slot| slot.buffer == before.buffer && slot.end > slot.start);
        read.next().map_or(before.at, |slot| slot.start)
    }

    /// Reads the elements of a member.
    fn repeat(&mut self, frame: &Frame, at: u32, member: &'p MemberCode, mut whole: Slot) -> Outcome {
        let count = match member.repeat {
            RepeatCode::Count(count) => Some(self.int(frame, count)?),
            _ => None,
        };
        self.keep(frame.io, 1)?;
        let list = u32::try_from(self.memory.lists.len()).unwrap_or(NOTHING);
        let first = self.memory.open.len();
        self.memory.lists.push(List { start: u32::try_from(first).unwrap_or(NOTHING), len: 0, is_open: true });
        whole.value = V::List(list);
        whole.start = self.stream(frame.io).byte();
        self.set_slot(at, Slot { state: State::Open, ..whole });
        let result = self.all_elements(frame, member, list, count);
        let start = u32::try_from(self.memory.elements.len()).unwrap_or(NOTHING);
        self.memory.elements.extend(self.memory.open.drain(first..));
        if let Some(list) = self.memory.lists.get_mut(list as usize) {
            *list = List { start, is_open: false, ..*list };
        }
        whole.end = self.stream(frame.io).at.max(whole.start);
        whole.state = if result.is_ok() { State::Done } else { State::Failed };
        self.set_slot(at, whole);
        result
    }

    fn all_elements(&mut self, frame: &Frame, member: &'p MemberCode, list: u32, count: Option<i128>) -> Outcome {
        let buffer = self.stream(frame.io).buffer;
        let mut idle = 0;
        for index in 0.. {
            let before = self.stream(frame.io);
            let is_over = match member.repeat {
                RepeatCode::Eos => before.is_at_end(),
                RepeatCode::Count(_) => count.is_none_or(|count| i128::from(index) >= count),
                RepeatCode::Until(_) | RepeatCode::No => false,
            };
            if is_over {
                break;
            }
            self.burn(frame.io, 1)?;
            let mut slot = Slot { buffer, state: State::Done, ..Slot::default() };
            let frame = Frame { index, ..*frame };
            let mut result = self.data(&frame, member.data, &mut slot, NOTHING);
            if let Err(failure) = &mut result {
                slot.state = State::Failed;
                let is_last = count == Some(i128::from(index) + 1);
                failure.wait = failure.wait.and(is_last.then_some(0));
            }
            self.push_element(&frame, list, slot)?;
            result?;
            let frame = Frame { item: slot.value, ..frame };
            if let Some(valid) = member.valid {
                self.validate(&frame, valid, &slot)?;
            }
            if let RepeatCode::Until(condition) = member.repeat
                && self.bool(&frame, condition)?
            {
                break;
            }
            let after = self.stream(frame.io);
            idle = if (after.at, after.bits_left) == (before.at, before.bits_left) { idle + 1 } else { 0 };
            let is_endless = matches!(member.repeat, RepeatCode::Eos) && idle > 0;
            if is_endless || idle > limits::KSY_IDLE.get() {
                return self.fail(frame.io, &notes::IDLE, format!("element {index} of the repetition takes no byte"));
            }
        }
        Ok(())
    }

    fn push_element(&mut self, frame: &Frame, list: u32, slot: Slot) -> Outcome {
        self.keep(frame.io, 1)?;
        self.memory.open.push(slot);
        if let Some(list) = self.memory.lists.get_mut(list as usize) {
            list.len += 1;
        }
        Ok(())
    }

    /// Decodes text.
    pub(super) fn decode(&mut self, frame: &Frame, charset: u32, bytes: Blob) -> Outcome<Blob> {
        let program: &'p Program = self.program;
        let charset = match program.charsets.get(charset as usize) {
            Some(CharsetCode::Known(charset)) => *charset,
            Some(CharsetCode::Unknown(name)) => {
                return self.fail(frame.io, &notes::ENCODING, format!("no encoding is called {name}"));
            }
            None => return Ok(bytes),
        };
        self.burn(frame.io, bytes.len() as usize / BYTES_PER_OPERATION)?;
        let (text, is_wrong) = charset.decode(self.bytes(bytes));
        let text = match text {
            std::borrow::Cow::Borrowed(_) if !is_wrong => return Ok(bytes),
            text => text.into_owned(),
        };
        if is_wrong {
            self.memory.encoding_notes.entry((bytes.buffer, bytes.start)).or_insert(EncodingNote { end: bytes.end });
        }
        self.push_heap(frame, text.as_bytes())
    }
}
