//! Measures message boundaries on a stream. Values that no expression uses are skipped.
//!
//! A read beyond the end states how many bytes are missing, exactly if all that follows has a fixed size. The search for a
//! terminator continues where it stopped. A message of many small parts is measured again after an eighth more bytes, so that the
//! total work is proportional to the bytes. After lost bytes, and if a capture begins late, [`Measure::All`] reads everything in
//! a message.

use super::failure::{Failure, Outcome, Wait};
use super::value::{Blob, CONSTANTS, DERIVED, Derived, INPUT, NOTHING, Object, Slot, State, Stream, V};
use super::variables::Cause;
use super::{After, Frame, Machine, Memory, SessionView};
use crate::ksy::compile::program::{BytesCode, MemberCode, NameCode, ObjectCode, Program, RunCode, SizeCode, TypeCode, UnitCode};
use crate::ksy::expr::Method;
use crate::ksy::notes;
use crate::limits;
use crate::tree::Side;

/// The part of the file that describes a message.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) enum UnitPart<'a> {
    /// An object of this type.
    Whole(u32),
    /// The attributes before a run of messages.
    Once(RunCode),
    /// A message of a run, with the bytes of the attributes before it, if it uses them.
    Element(RunCode, Option<&'a [u8]>),
}

impl<'a> UnitPart<'a> {
    /// A message of a stream.
    pub(in crate::ksy) fn message(unit: UnitCode, once: Option<&'a [u8]>) -> UnitPart<'a> {
        match unit {
            UnitCode::Whole(of) => UnitPart::Whole(of),
            UnitCode::Run(run) => UnitPart::Element(run, once.filter(|_| run.uses_once)),
        }
    }
}

/// The capture context of a message, for the parameters of its root.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::ksy) struct Context {
    /// `pd_dir`: 0 for the client, 1 for the server. An unknown side counts as the client.
    pub from: Option<Side>,
    /// `pd_src_port` and `pd_dst_port`; 0 if unknown.
    pub ports: [u16; 2],
    /// `pd_index`: number of earlier messages of the same side.
    pub index: u64,
    /// `pd_opcode`: the opcode that a log states; 0 if unknown.
    pub opcode: u64,
}

/// Parameters that a file may declare for its roots, with descriptions.
pub(in crate::ksy) const PARAMETERS: &[(&str, &str)] = &[
    ("pd_dir", "0 from the client, 1 from the server"),
    ("pd_src_port", "the port of the sender"),
    ("pd_dst_port", "the port of the receiver"),
    ("pd_index", "the number of messages of the same side before this one"),
    ("pd_opcode", "the opcode of the message that a log of another program states, else 0"),
];

impl Context {
    fn parameter(self, name: &str) -> Option<V> {
        let [src, dst] = self.ports;
        Some(V::Int(match name {
            "pd_dir" => i128::from(self.from == Some(Side::Server)),
            "pd_src_port" => src.into(),
            "pd_dst_port" => dst.into(),
            "pd_index" => self.index.into(),
            "pd_opcode" => self.opcode.into(),
            _ => return None,
        }))
    }
}

/// The end of a message, relative to its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Measured {
    /// After this many bytes, which are all available.
    Message(usize),
    /// After this many bytes, some of which are missing.
    Exactly(usize),
    /// Unknown; at least this many bytes are needed.
    Least(usize),
    /// Invalid after this many bytes.
    Broken(usize),
    /// Unknown, for want of a key, a state or a keystream.
    Unknown(Cause),
}

/// Number of bytes searched for a terminator without success, from the beginning of the message.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::ksy) struct Search {
    start: u32,
    end: u32,
}

/// How strictly a part is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ksy) enum Measure {
    /// Parts of known size are skipped.
    Ends,
    /// Everything must be readable to its last byte: the message boundary is uncertain.
    All,
}

/// State of reading a stream that has not ended.
#[derive(Debug, Default)]
pub(super) struct Progress<'p> {
    /// How the part is measured; `None` if it is read for its values.
    measure: Option<Measure>,
    /// The stream of the input.
    input: Option<u32>,
    /// Whether more bytes may follow.
    grows: bool,
    /// The member at which reading stops.
    run: Option<&'p MemberCode>,
    /// Whether attributes before that member are skipped.
    skips_once: bool,
    /// Position of that member.
    reached: Option<Frame>,
    search: Search,
}

/// The result of a measurement.
#[derive(Debug, Clone, Copy)]
pub(in crate::ksy) struct Result {
    pub end: Measured,
    /// Number of bytes read.
    pub read: usize,
    /// Whether some of it depends on what is unknown.
    pub has_unknown: bool,
    /// Whether its message type is a member of its enum, as far as known.
    pub is_named: Option<bool>,
    /// A value without a case after which the end of the message is unknown.
    pub undescribed: Option<i128>,
    /// Number of operations.
    pub work: usize,
}

/// Measures a part at the beginning of `input`. If `grows`, more bytes may follow.
pub(in crate::ksy) fn measure(
    program: &Program,
    part: UnitPart<'_>,
    input: &[u8],
    (measure, grows): (Measure, bool),
    (context, view): (Context, SessionView<'_>),
    search: &mut Search,
    memory: &mut Memory,
) -> Result {
    let mut machine = Machine::new(program, input, view, memory);
    machine.context = context;
    machine.progress = Progress { measure: Some(measure), grows, search: *search, ..Progress::default() };
    let end = u32::try_from(input.len()).unwrap_or(NOTHING);
    let (subject, result) = machine.part(part, Stream { buffer: INPUT, start: 0, end, at: 0, bits_left: 0 });
    let at = machine.input_read() as usize;
    *search = machine.progress.search;
    let work = limits::KSY_OPERATIONS.get().saturating_sub(machine.fuel);
    let is_named = if measure == Measure::All { machine.is_named(&subject) } else { None };
    let has_unknown = machine.used.unknown.is_some();
    let undescribed = machine.first_open();
    let beyond = |needed: u64| input.len().saturating_add(usize::try_from(needed).unwrap_or(usize::MAX));
    let end = match result {
        Ok(()) => Measured::Message(at),
        Err(failure) => match failure.wait {
            Wait::Exactly(needed) => Measured::Exactly(beyond(needed)),
            Wait::Least(needed) => Measured::Least(beyond(needed)),
            Wait::No if failure.is_unknown() => Measured::Unknown(machine.used.unknown.unwrap_or(Cause::Failed)),
            Wait::No if failure.buffer == INPUT => Measured::Broken(at.max(failure.end as usize)),
            Wait::No => Measured::Broken(at),
        },
    };
    memory.clear();
    Result { end, read: at, has_unknown, is_named, undescribed, work }
}

/// Reads all values of a message without output. Returns whether that succeeds, and what the message leaves.
pub(in crate::ksy) fn rehearse(
    program: &Program,
    part: UnitPart<'_>,
    input: &[u8],
    context: Context,
    view: SessionView<'_>,
    memory: &mut Memory,
) -> (bool, After) {
    let mut machine = Machine::new(program, input, view, memory);
    machine.context = context;
    let end = u32::try_from(input.len()).unwrap_or(NOTHING);
    let (_, result) = machine.part(part, Stream { buffer: INPUT, start: 0, end, at: 0, bits_left: 0 });
    let is_sound = result.is_ok();
    let after = machine.after();
    memory.clear();
    (is_sound, after)
}

impl<'p> Machine<'p, '_> {
    /// Reads a part from a stream of the input.
    pub(super) fn part(&mut self, part: UnitPart<'_>, input: Stream) -> (Slot, Outcome) {
        match part {
            UnitPart::Whole(of) => {
                self.progress.input = Some(self.next_stream());
                let (object, result) = self.root(of, input);
                (Slot { value: V::Object(object), ..Slot::default() }, result)
            }
            UnitPart::Once(run) => {
                self.progress.input = Some(self.next_stream());
                let (object, result) = self.up_to_run(run, input);
                (Slot { value: V::Object(object), ..Slot::default() }, result.map(|_| ()))
            }
            UnitPart::Element(run, once) => {
                self.progress.skips_once = once.is_none();
                let around = self.around(once.unwrap_or_default());
                let holder = match self.up_to_run(run, around) {
                    (_, Ok(holder)) => holder,
                    (_, Err(failure)) => return (Slot::default(), Err(failure)),
                };
                let io = match self.add_stream(input) {
                    Ok(io) => io,
                    Err(failure) => return (Slot::default(), Err(failure)),
                };
                self.progress.input = Some(io);
                self.run_element(&Frame { io, ..holder }, run)
            }
        }
    }

    /// Whether the type of a message is a member of its enum, as far as known.
    fn is_named(&mut self, subject: &Slot) -> Option<bool> {
        let program: &'p Program = self.program;
        let V::Object(object) = subject.value else { return None };
        let Object { of, io, .. } = self.object(object);
        let NameCode { code, names } = program.types.get(of as usize)?.naming?;
        let names = names?;
        match self.eval(&Frame::of(object, io), code) {
            Ok(V::Int(number)) => {
                self.find_version(names);
                Some(self.enum_name(names, number).is_some())
            }
            _ => None,
        }
    }

    /// How far the stream of the input was read, as an offset in its buffer.
    pub(super) fn input_read(&self) -> u32 {
        self.progress.input.map_or(0, |io| self.stream(io).at)
    }

    fn next_stream(&self) -> u32 {
        u32::try_from(self.memory.streams.len()).unwrap_or(NOTHING)
    }

    /// A stream of bytes that were read before.
    fn around(&mut self, once: &[u8]) -> Stream {
        let buffer = DERIVED + u32::try_from(self.memory.derived.len()).unwrap_or_default();
        let end = u32::try_from(once.len()).unwrap_or(NOTHING);
        let from = Blob { buffer: CONSTANTS, start: 0, end: 0 };
        self.memory.derived.push(Derived { bytes: once.to_vec(), from, method: "earlier", span: None });
        Stream { buffer, start: 0, end, at: 0, bits_left: 0 }
    }

    /// Reads the attributes before a run. Returns the root and the object that contains the run.
    fn up_to_run(&mut self, run: RunCode, stream: Stream) -> (u32, Outcome<Frame>) {
        let program: &'p Program = self.program;
        self.progress.run = program.members.get(run.member as usize);
        let (object, result) = self.root(run.root, stream);
        self.progress.run = None;
        let result = match (self.progress.reached.take(), result) {
            (Some(frame), _) => Ok(frame),
            (None, Err(failure)) => Err(failure),
            (None, Ok(())) => self.fail(0, &notes::VALUE, String::from("no message follows")),
        };
        (object, result)
    }

    /// Reads one element of a run.
    fn run_element(&mut self, holder: &Frame, run: RunCode) -> (Slot, Outcome) {
        let program: &'p Program = self.program;
        let Some(member) = program.members.get(run.member as usize) else { return (Slot::default(), Ok(())) };
        let index = u32::try_from(self.context.index).unwrap_or(NOTHING);
        let frame = Frame { index, is_private: false, ..*holder };
        let mut slot = Slot { buffer: INPUT, state: State::Done, ..Slot::default() };
        let result = self.data(&frame, member.data, &mut slot, NOTHING);
        let result = match (result, member.valid) {
            (Ok(()), Some(valid)) => self.validate(&frame, valid, &slot),
            (result, _) => result,
        };
        (slot, result)
    }

    /// Stops before the run.
    #[inline]
    pub(super) fn stop_at_run(&mut self, frame: &Frame, member: &'p MemberCode) -> Outcome {
        match self.progress.run {
            Some(run) if std::ptr::eq(run, member) => {
                self.progress.reached = Some(*frame);
                Self::failed_before()
            }
            _ => Ok(()),
        }
    }

    /// Whether attributes before the last one are skipped.
    #[inline]
    pub(super) fn skips_once(&self) -> bool {
        self.progress.skips_once && self.progress.run.is_some()
    }

    /// Whether it is the stream of the measured message.
    #[inline]
    pub(super) fn is_measured(&self, io: u32) -> bool {
        self.progress.measure.is_some() && self.progress.input == Some(io)
    }

    /// Whether it is the stream of the message.
    pub(super) fn is_input(&self, io: u32) -> bool {
        self.progress.input == Some(io)
    }

    /// Whether more bytes of a stream may follow.
    #[inline]
    pub(super) fn is_open(&self, io: u32) -> bool {
        self.progress.grows && self.is_measured(io)
    }

    /// Whether unused values are skipped.
    #[inline]
    pub(super) fn passes(&self, frame: &Frame) -> bool {
        frame.is_private && self.progress.measure == Some(Measure::Ends)
    }

    /// Whether a failure inside a part of known size is ignored.
    pub(super) fn is_lenient(&self) -> bool {
        self.progress.measure == Some(Measure::Ends)
    }

    /// Whether a part of known size must be read to its last byte.
    pub(super) fn is_strict(&self) -> bool {
        self.progress.measure == Some(Measure::All)
    }

    /// Whether an object of fixed size has exactly as many bytes, if that is required.
    pub(super) fn fits(&mut self, frame: &Frame, bytes: &BytesCode, object: &ObjectCode) -> Outcome {
        let (true, Some(fixed), SizeCode::Expr(size), None) = (self.is_strict(), object.fixed, bytes.size, &bytes.process) else {
            return Ok(());
        };
        match self.int(frame, size)? {
            size if size == i128::from(fixed) => Ok(()),
            size => self.fail(NOTHING, &notes::VALUE, format!("{size} bytes for an object of {fixed}")),
        }
    }

    /// How many of these bytes were searched for a terminator before.
    pub(super) fn searched(&self, io: u32, all: Blob) -> u32 {
        let Search { start, end } = self.progress.search;
        let is_same = self.is_measured(io) && start == all.start;
        if is_same && end <= all.end { end.saturating_sub(start) } else { 0 }
    }

    /// Stores that these bytes contain no terminator of this width.
    pub(super) fn remember_search(&mut self, io: u32, all: Blob, width: u32) {
        if self.is_open(io) {
            let whole = all.len() - all.len().checked_rem(width).unwrap_or_default();
            self.progress.search = Search { start: all.start, end: all.start + whole };
        }
    }

    /// Fails if a method needs the end of a stream that has not ended.
    #[cold]
    pub(super) fn end_unknown(&self, method: Method, io: u32) -> Outcome<V> {
        if method == Method::IoEof && !self.stream(io).is_at_end() {
            return Ok(V::Bool(false));
        }
        self.short(io, 1, 0).map_err(|mut failure: Box<Failure>| {
            failure.wait = failure.wait.and(None);
            failure
        })
    }

    /// Sets the known parameters of a root.
    pub(super) fn supply(&mut self, object: u32, code: &TypeCode) {
        let first = self.object(object).slots;
        let names = code.slots.iter().take(code.params as usize);
        for (slot, name) in (first..).zip(names) {
            if let Some(value) = self.context.parameter(name) {
                self.set_slot(slot, Slot { value, buffer: NOTHING, state: State::Done, ..Slot::default() });
            }
        }
        if !self.program.session.is_empty() {
            self.supply_variables(object, code, None);
        }
    }

    /// Sets the parameters of a root that are session variables, all of them or one.
    fn supply_variables(&mut self, object: u32, code: &TypeCode, only: Option<u32>) {
        let program: &'p Program = self.program;
        let Object { slots: first, io, .. } = self.object(object);
        let names = code.slots.iter().take(code.params as usize);
        for (slot, name) in (first..).zip(names) {
            let Some(number) = (0..).zip(&program.session).find(|(_, known)| known.name == *name).map(|(number, _)| number)
            else {
                continue;
            };
            if only.is_some_and(|only| only != number) {
                continue;
            }
            let value = self.variable(&Frame::of(object, io), number);
            let state = if value.is_ok() { State::Done } else { State::Failed };
            self.set_slot(slot, Slot { value: value.unwrap_or_default(), buffer: NOTHING, state, ..Slot::default() });
        }
    }

    /// Sets the parameters of the root for a variable that changed.
    pub(super) fn supply_again(&mut self, variable: u32) {
        let program: &'p Program = self.program;
        let Object { of, .. } = self.object(0);
        if let Some(code) = program.types.get(of as usize) {
            self.supply_variables(0, code, Some(variable));
        }
    }
}
