//! Converts the objects of a run to nodes of a tree, in the order of the file. Instances are evaluated on the way.

mod heading;

use super::after::{After, Element, Embedded};
use super::carried::Carried;
use super::failure::{EncodingNote, Failure, Outcome};
use super::value::{Blob, CONSTANTS, DERIVED, HEAP, INPUT, NOTHING, Object, Slot, State, Stream, V};
use super::{Context, Frame, Machine, Memory, Remark, SessionView, UnitPart};
use crate::ksy::compile::ShapeKind;
use crate::ksy::compile::program::{MemberCode, ObjectMark, Program, TypeCode};
use crate::ksy::fields::{Entry, FileFields, NO_CONTEXT, NO_NAMES};
use crate::ksy::notes;
use crate::limits;
use crate::tree::{Field, Span, Value};
use crate::wire::{Cut, Error, Result, Wire};
use heading::once_name;

/// A message to be read.
pub(in crate::ksy) struct Message<'a> {
    pub part: UnitPart<'a>,
    /// The context of the part; for an element, that of the object that contains it.
    pub place: u32,
    /// For an element, its slot in that object.
    pub slot: u32,
    pub context: Context,
    /// Whether missing bytes are no error of the message.
    pub is_cut: bool,
    /// What a note says about values that no case describes, if there is one.
    pub remark: Option<Remark>,
}

/// Dissects a message with a program.
pub(in crate::ksy) fn run(
    program: &Program,
    fields: &FileFields,
    message: &Message<'_>,
    memory: &mut Memory,
    view: SessionView<'_>,
    wire: &mut Wire<'_>,
) -> (Result, After) {
    let (bytes, range) = wire.whole();
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (start, end) = (narrow(range.start), narrow(range.end));
    let mut machine = Machine::new(program, bytes, view, memory);
    machine.context = message.context;
    machine.decompressible = wire.decompression_limit();
    let is_cut = message.is_cut || wire.cut() != Cut::No;
    machine.reads_cut = is_cut && !program.session.is_empty();
    let (subject, result) = machine.part(message.part, Stream { buffer: INPUT, start, end, at: start, bits_left: 0 });
    let read = machine.input_read().saturating_sub(start);
    let failed = machine.memory.observations.is_some().then(|| machine.failed_member(&result)).flatten();
    let source = wire.source();
    let place = wire.layer_node();
    let exports = wire.wants_objects();
    let result = match machine.cut_short.take() {
        Some(short) if result.is_ok() => Err(short),
        _ => result,
    };
    let notes = wire.note_count();
    let mut emitter = Emitter {
        machine,
        wire,
        fields,
        source,
        ancestors: Vec::new(),
        apart: Vec::new(),
        is_apart: false,
        exports,
        broken: (place, place),
        embedded: Embedded::default(),
    };
    emitter.subject(&subject, message, place);
    let has_remarked = emitter.remark(message.remark, place);
    emitter.encoding_notes(place);
    emitter.session();
    emitter.machine.observe(&subject, message.remark, (source, start), failed);
    let carried = emitter.carried(&subject);
    let result = emitter.conclude(result, is_cut);
    let (apart, embedded) = (emitter.apart, emitter.embedded);
    let after = After { carried, embedded, has_remarked, ..emitter.machine.after() };
    let decompressed = emitter.machine.memory.decompressed;
    wire.has_decompressed(decompressed);
    wire.settle_notes(notes);
    if let Err(short) = wire.skip(read as usize) {
        return (Err(short), after);
    }
    if result.is_ok() {
        leave_out(wire, fields, apart, message.place);
    }
    (result, after)
}

/// Excludes bytes read by instances from the undissected bytes after the last field of the root.
fn leave_out(wire: &mut Wire<'_>, fields: &FileFields, mut apart: Vec<(u32, u32)>, root: u32) {
    let (_, rest) = wire.whole();
    let Some(unparsed) = fields.unparsed(root).filter(|_| !apart.is_empty() && !rest.is_empty()) else { return };
    apart.sort_unstable();
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (mut at, end) = (narrow(rest.start), narrow(rest.end));
    let source = wire.source();
    for (first, behind) in apart.into_iter().chain([(end, end)]) {
        if first > at {
            wire.put_at(unparsed, Value::Bytes, Span { source, start: at, end: first.min(end) });
        }
        at = at.max(behind).min(end);
    }
    // This cannot fail: exactly the remaining bytes are skipped.
    let _ = wire.skip(rest.len());
}

struct Emitter<'m, 'p, 'w, 'a> {
    machine: Machine<'p, 'm>,
    wire: &'w mut Wire<'a>,
    fields: &'p FileFields,
    /// The source of the input.
    source: u32,
    /// The objects around the next one.
    ancestors: Vec<u32>,
    /// Bytes of the input read by instances.
    apart: Vec<(u32, u32)>,
    /// Whether nodes belong to an instance.
    is_apart: bool,
    /// Whether objects are exported.
    exports: bool,
    /// The innermost incomplete object, and its last node.
    broken: (u32, u32),
    embedded: Embedded,
}

impl<'p> Emitter<'_, 'p, '_, '_> {
    /// The fields of a message, directly below its layer.
    fn subject(&mut self, subject: &Slot, message: &Message<'_>, place: u32) {
        let entries = match message.part {
            UnitPart::Element(..) => self.fields.entries(message.place, message.slot),
            UnitPart::Whole(_) | UnitPart::Once(_) => &[],
        };
        let context = entries.get(subject.shape as usize).map_or(message.place, |entry| entry.context);
        match subject.value {
            V::Object(object) => {
                self.object(object, context, place);
                match message.part {
                    UnitPart::Once(run) => self.wire.name(once_name(self.machine.program, run)),
                    UnitPart::Whole(_) | UnitPart::Element(..) => self.heading(object),
                }
            }
            _ => self.value(subject, entries, false),
        }
    }

    /// Adds a note on the first value that no case describes.
    #[inline]
    fn remark(&mut self, remark: Option<Remark>, place: u32) -> bool {
        let remark = remark.filter(|_| !self.machine.memory.undescribed.is_empty());
        let Some((code, text)) = remark.and_then(|remark| self.machine.remark(remark)) else { return false };
        self.wire.note_at(code, place, Span::NONE, format_args!("{text}"));
        true
    }

    /// The elements that carry messages.
    #[inline]
    fn carried(&mut self, subject: &Slot) -> Vec<Element> {
        if self.machine.program.deliver.is_none() {
            return Vec::new();
        }
        let all = self.machine.carried(subject.value);
        let element = |carried: Carried| {
            let span = self.place(carried.data)?;
            let is_own = carried.data.buffer == INPUT;
            let bytes = (!is_own).then(|| self.machine.bytes(carried.data).to_vec());
            Some(Element { carried, span, bytes })
        };
        all.into_iter().filter_map(element).collect()
    }

    /// The values of session variables with which the message was read.
    #[inline]
    fn session(&mut self) {
        let used = self.machine.used;
        for (number, field) in (0..).zip(self.fields.session()) {
            let Some(field) = field.filter(|field| self.wire.keeps(field)) else { continue };
            let io = self.machine.object(0).io;
            let value = match self.machine.variable(&Frame::of(0, io), number) {
                Ok(V::Int(number)) => match (u64::try_from(number), i64::try_from(number)) {
                    (Ok(number), _) => Value::Unsigned(number),
                    (_, Ok(number)) => Value::Signed(number),
                    _ => continue,
                },
                Ok(V::Float(number)) => Value::Double(number),
                Ok(V::Bool(truth)) => Value::Bool(truth),
                Ok(V::Str(text)) => Value::Generated(self.wire.make(field, self.machine.text(text))),
                Ok(_) | Err(_) => continue,
            };
            self.wire.put_at(field, value, Span::NONE);
        }
        self.machine.used = used;
    }

    /// The members of an object, below the node at `place`.
    fn object(&mut self, number: u32, context: u32, place: u32) {
        let program: &'p Program = self.machine.program;
        let Object { of, slots, io, is_complete, .. } = self.machine.object(number);
        let Some(code) = program.types.get(of as usize) else { return };
        if self.machine.depth >= limits::KSY_RECURSION.get() {
            let limited: Outcome = self.machine.limited(io, &notes::RECURSION, &limits::KSY_RECURSION);
            return self.note(limited, place);
        }
        self.machine.depth += 1;
        self.ancestors.push(number);
        if is_complete {
            self.instances(number, slots, code, place);
        }
        let first_instance = code.first_instance();
        for slot in code.params..code.slot_count() {
            if slot >= first_instance && !is_complete {
                break;
            }
            let before = self.is_apart;
            self.is_apart |= slot >= first_instance;
            self.member(slots + slot, context, slot, slot >= first_instance);
            self.is_apart = before;
        }
        if !is_complete && !self.is_apart {
            let last = self.wire.next_place().saturating_sub(1);
            if self.broken.0 <= place {
                self.broken = (place, last.max(place));
            }
        }
        self.summary(number, code, context, place);
        self.ancestors.pop();
        self.machine.depth -= 1;
    }

    /// Evaluates instances of an object that no expression has used.
    fn instances(&mut self, number: u32, slots: u32, code: &TypeCode, place: u32) {
        for slot in code.first_instance()..code.slot_count() {
            if self.machine.slot(slots + slot).state == State::Unset {
                let result = self.machine.instance(number, slot);
                self.note(result, place);
            }
        }
    }

    /// The text of `to-string`.
    fn summary(&mut self, number: u32, code: &TypeCode, context: u32, place: u32) {
        let Some(summary) = code.summary.filter(|_| self.machine.object(number).is_complete) else { return };
        let is_root = self.ancestors.len() == 1;
        let Some(field) = self.fields.summary(context).filter(|field| is_root || self.wire.keeps(field)) else { return };
        let io = self.machine.object(number).io;
        match self.machine.eval(&Frame::of(number, io), summary) {
            Ok(V::Str(text)) if is_root => self.wire.info(format_args!("{}", self.machine.text(text))),
            Ok(V::Str(text)) => {
                let made = self.wire.make(field, self.machine.text(text));
                self.wire.put_at(field, Value::Generated(made), Span::NONE);
            }
            Ok(_) => {}
            Err(failure) => self.note(Err(failure), place),
        }
    }

    /// The nodes of the slot at `at`.
    fn member(&mut self, at: u32, context: u32, slot: u32, is_instance: bool) {
        let found = self.machine.slot(at);
        let entries = self.fields.entries(context, slot);
        let mark = if self.exports { self.mark(slot) } else { None };
        let payload = if self.machine.program.has_payloads { self.payload(slot) } else { None };
        let V::List(list) = found.value else {
            self.value(&found, entries, is_instance);
            self.hand_over(payload, &found);
            return self.export(mark, &found);
        };
        // Instances of elements may add to the memory of lists meanwhile.
        for index in 0..self.machine.elements(list).len() {
            let Some(element) = self.machine.elements(list).get(index).copied() else { break };
            let element = if found.buffer == NOTHING { Slot { buffer: NOTHING, ..element } } else { element };
            match element.value {
                V::List(_) => self.list(element, entries),
                _ => self.value(&element, entries, is_instance),
            }
            self.hand_over(payload, &element);
            self.export(mark, &element);
        }
    }

    /// The code of a slot of the current object.
    fn code(&self, slot: u32) -> Option<&'p MemberCode> {
        let program: &'p Program = self.machine.program;
        let Object { of, .. } = self.machine.object(*self.ancestors.last()?);
        let of = program.types.get(of as usize)?;
        let member = of.members.checked_add(slot.checked_sub(of.params)?)?;
        program.members.get(member as usize)
    }

    /// The export mark of a slot of the current object.
    fn mark(&self, slot: u32) -> Option<ObjectMark> {
        self.code(slot)?.object
    }

    /// The protocol of the bytes of a slot of the current object.
    fn payload(&self, slot: u32) -> Option<&'static str> {
        self.code(slot)?.payload
    }

    /// Lets another protocol read bytes; its fields follow.
    fn hand_over(&mut self, protocol: Option<&'static str>, slot: &Slot) {
        let (Some(protocol), V::Bytes(blob)) = (protocol, slot.value) else { return };
        if blob.len() == 0 {
            return;
        }
        if let Some(span) = self.place(blob) {
            if blob.buffer != INPUT && !self.embedded.buffers.iter().any(|(source, _)| *source == span.source) {
                self.embedded.buffers.push((span.source, self.machine.buffer(blob.buffer).to_vec()));
            }
            self.embedded.payloads.push((protocol, span));
        }
    }

    /// Offers bytes that the file marks as an object.
    fn export(&mut self, mark: Option<ObjectMark>, slot: &Slot) {
        let Some(ObjectMark { kind, file }) = mark else { return };
        let blob = match slot.value {
            V::Bytes(blob) | V::Str(blob) => blob,
            V::Object(_) => Blob { buffer: slot.buffer, start: slot.start, end: slot.end },
            _ => return,
        };
        self.wire.object(kind, file, || Some(self.machine.bytes(blob).to_vec()));
    }

    /// The elements of a list within a list, which only expressions create.
    fn list(&mut self, slot: Slot, entries: &[Entry]) {
        let mut pending = vec![slot];
        while let Some(slot) = pending.pop() {
            // Lists may share elements, so their number does not bound the output.
            if let Err(failure) = self.machine.burn(NOTHING, 1) {
                let last = self.wire.next_place().saturating_sub(1);
                return self.note(Err(failure), last);
            }
            let V::List(list) = slot.value else {
                self.value(&Slot { buffer: NOTHING, ..slot }, entries, true);
                continue;
            };
            pending.extend(self.machine.elements(list).iter().rev().copied());
        }
    }

    /// The node of a value.
    #[inline]
    fn value(&mut self, slot: &Slot, entries: &[Entry], is_instance: bool) {
        // Text and bytes of a processor lie in what it produced.
        if let V::Str(blob) | V::Bytes(blob) = slot.value
            && blob.buffer != slot.buffer
            && blob.buffer >= DERIVED
            && slot.buffer != NOTHING
        {
            let Blob { buffer, start, end } = blob;
            self.leave_apart(slot);
            return self.value_at(&Slot { buffer, start, end, ..*slot }, entries, is_instance);
        }
        self.value_at(slot, entries, is_instance);
        self.leave_apart(slot);
    }

    /// Records that an instance read these bytes.
    #[inline]
    fn leave_apart(&mut self, slot: &Slot) {
        let has_node = !matches!(slot.value, V::Null | V::List(_) | V::Io(_) | V::Table(..) | V::Object(_) | V::Opaque(_));
        if self.is_apart && slot.buffer == INPUT && has_node {
            self.apart.push((slot.start, slot.end));
        }
    }

    #[inline]
    fn value_at(&mut self, slot: &Slot, entries: &[Entry], is_instance: bool) {
        let entry = if slot.buffer == NOTHING {
            entries.iter().find(|entry| fits(entry.kind, slot.value))
        } else {
            entries.get(slot.shape as usize)
        };
        let Some(Entry { field: Some(field), context, is_single, kind, named }) = entry.copied() else { return };
        let field = if named == NO_NAMES { field } else { self.named(field, kind, named) };
        let value = match slot.value {
            V::Int(number) => match (u64::try_from(number), i64::try_from(number)) {
                (Ok(number), _) => Value::Unsigned(number),
                (_, Ok(number)) => Value::Signed(number),
                _ => return self.overflow(slot, field, number),
            },
            #[allow(clippy::cast_possible_truncation, reason = "it was read as a 32-bit number")]
            V::Float(number) if is_single => Value::Single(number as f32),
            V::Float(number) => Value::Double(number),
            V::Bool(truth) => Value::Bool(truth),
            V::Object(object) => return self.nested(slot, field, object, context, is_instance),
            V::Str(blob) => self.text(slot, field, blob),
            V::Bytes(blob) => self.bytes(slot, field, blob),
            V::Opaque(blob) => return self.opaque(slot, field, blob, context),
            V::Null | V::List(_) | V::Io(_) | V::Table(..) => return,
        };
        let span = self.span(slot);
        match slot.bits() {
            Some(bits) => self.wire.put_bits_at(field, value, span, bits),
            None => self.wire.put_at(field, value, span),
        };
    }

    fn nested(&mut self, slot: &Slot, field: &'static Field, object: u32, context: u32, is_instance: bool) {
        if context == NO_CONTEXT {
            return;
        }
        let own = self.machine.identity(object);
        if is_instance && self.ancestors.iter().any(|ancestor| self.machine.identity(*ancestor) == own) {
            return;
        }
        let span = self.span(slot);
        let place = self.wire.put_at(field, Value::None, span);
        self.object(object, context, place);
        self.unparsed(slot, object, context);
        self.wire.close_at(place, field, span.end);
    }

    /// Bytes that cannot be deciphered: an object without fields, or the bytes as they are.
    fn opaque(&mut self, slot: &Slot, field: &'static Field, blob: Blob, context: u32) {
        let span = self.span(slot);
        let unparsed = self.fields.unparsed(context);
        let place = self.wire.put_at(field, if unparsed.is_some() { Value::None } else { Value::Bytes }, span);
        if let Some(unparsed) = unparsed
            && let Some(inner) = self.place(blob)
        {
            self.wire.put_at(unparsed, Value::Bytes, inner);
            self.wire.close_at(place, field, span.end);
        }
    }

    /// Bytes of an object's own stream after its last field. In objects with instances, instances may read them.
    fn unparsed(&mut self, slot: &Slot, object: u32, context: u32) {
        let Object { of, io, buffer, end, is_complete, .. } = self.machine.object(object);
        let is_own = slot.buffer != buffer || slot.end > end;
        let code = self.machine.program.types.get(of as usize);
        let is_plain = code.is_some_and(|code| code.first_instance() == code.slot_count());
        let Some(field) = self.fields.unparsed(context).filter(|_| is_own && (is_plain || !is_complete)) else { return };
        let rest = Blob { buffer, start: end, end: self.machine.stream(io).end };
        if rest.len() > 0
            && let Some(span) = self.place(rest)
        {
            self.wire.put_at(field, Value::Bytes, span);
        }
    }

    fn span(&mut self, slot: &Slot) -> Span {
        let Slot { buffer, start, end, .. } = *slot;
        match buffer {
            INPUT => Span { source: self.source, start, end },
            NOTHING => Span::NONE,
            _ => self.place(Blob { buffer, start, end }).unwrap_or(Span::NONE),
        }
    }

    /// The span of bytes in the tree: in the input, or in a derived buffer.
    fn place(&mut self, Blob { buffer, start, end }: Blob) -> Option<Span> {
        if buffer == INPUT {
            return Some(Span { source: self.source, start, end });
        }
        if matches!(buffer, CONSTANTS | HEAP) {
            return None;
        }
        let number = (buffer - DERIVED) as usize;
        let derived = self.machine.memory.derived.get(number)?;
        if let Some(span) = derived.span {
            return Some(Span { source: span.source, start, end });
        }
        let from = derived.from;
        let from = self.place(from);
        let derived = self.machine.memory.derived.get_mut(number)?;
        let source = self.wire.derive(derived.method, from, &derived.bytes);
        derived.span = Some(Span::new(source, 0..derived.bytes.len()));
        Some(Span { source, start, end })
    }

    /// Text: its span, or a copy if it is not on the wire as such.
    fn text(&mut self, slot: &Slot, field: &'static Field, blob: Blob) -> Value {
        self.characters(slot);
        if blob.buffer == slot.buffer && blob.start == slot.start {
            let has_nul = |end| end > blob.start && self.machine.bytes(Blob { start: end - 1, end, ..blob }) == [0];
            // The reader of a span removes one trailing NUL.
            if blob.end == slot.end && !has_nul(slot.end) || blob.end + 1 == slot.end && has_nul(slot.end) {
                return Value::Text;
            }
        }
        match self.place(blob) {
            Some(span) => Value::At(span),
            None => Value::Generated(self.wire.make(field, self.machine.text(blob))),
        }
    }

    fn bytes(&mut self, slot: &Slot, field: &'static Field, blob: Blob) -> Value {
        if (blob.buffer, blob.start, blob.end) == (slot.buffer, slot.start, slot.end) {
            return Value::Bytes;
        }
        match self.place(blob) {
            Some(span) => Value::At(span),
            None if !self.wire.keeps(field) => Value::None,
            None => {
                let bytes = self.machine.bytes(blob);
                let source = self.wire.derive("computed", None, bytes);
                Value::At(Span::new(source, 0..bytes.len()))
            }
        }
    }

    #[cold]
    fn overflow(&mut self, slot: &Slot, field: &'static Field, number: i128) {
        let span = self.span(slot);
        let place = self.wire.put_at(field, Value::None, span);
        self.wire.note_at(&notes::OVERFLOW, place, span, format_args!("{number} exceeds 64 bits"));
    }

    /// Notes why an instance failed.
    fn note(&mut self, result: Outcome, place: u32) {
        if let Err(failure) = result {
            let Failure { code, text, buffer, start, end, .. } = *failure;
            self.note_one(code, &text, Blob { buffer, start, end }, place);
        }
    }

    fn note_one(&mut self, code: Option<&'static Field>, text: &str, blob: Blob, place: u32) {
        let span = if blob.buffer == NOTHING { None } else { self.place(blob) };
        if let Some(code) = code {
            self.wire.note_at(code, place, span.unwrap_or(Span::NONE), format_args!("{text}"));
        }
    }

    /// Adds notes on the text of a slot, before its node is added.
    #[inline]
    fn characters(&mut self, slot: &Slot) {
        if !self.machine.memory.encoding_notes.is_empty() {
            self.note_within(slot);
        }
    }

    #[cold]
    fn note_within(&mut self, slot: &Slot) {
        let Slot { buffer, start, end, .. } = *slot;
        let here = self.machine.memory.encoding_notes.range((buffer, start)..(buffer, end.max(start))).next();
        if let Some((key, encoding_note)) = here.map(|(key, encoding_note)| (*key, *encoding_note)) {
            self.machine.memory.encoding_notes.remove(&key);
            let node = self.wire.next_place();
            self.encoding_note(key, encoding_note, node);
        }
    }

    fn encoding_note(&mut self, (buffer, start): (u32, u32), EncodingNote { end }: EncodingNote, place: u32) {
        let text = format!("some of the {} bytes are no characters of the encoding", end.saturating_sub(start));
        self.note_one(Some(&notes::CHARACTERS), &text, Blob { buffer, start, end }, place);
    }

    /// Adds notes on texts that are no fields.
    fn encoding_notes(&mut self, place: u32) {
        for (key, encoding_note) in std::mem::take(&mut self.machine.memory.encoding_notes) {
            self.encoding_note(key, encoding_note, place);
        }
    }

    /// Notes why the message ended, unless it was truncated.
    fn conclude(&mut self, result: Outcome, is_cut: bool) -> Result {
        let Err(failure) = result else { return Ok(()) };
        if failure.is_unknown() {
            return Err(Error::Malformed);
        }
        if failure.needed > 0 && is_cut {
            return Err(Error::Short { needed: failure.needed });
        }
        let (object, last) = self.broken;
        let is_about_last = failure.code.is_some_and(|code| code.is(&notes::VALID));
        self.note(Err(failure), if is_about_last { last } else { object });
        Err(Error::Malformed)
    }
}

/// Whether a calculated value has this kind.
fn fits(kind: ShapeKind, value: V) -> bool {
    matches!(
        (kind, value),
        (ShapeKind::Int(_), V::Int(_))
            | (ShapeKind::Float, V::Float(_) | V::Int(_))
            | (ShapeKind::Bool, V::Bool(_))
            | (ShapeKind::Str, V::Str(_))
            | (ShapeKind::Bytes, V::Bytes(_))
    )
}
