//! The machine that runs a program over bytes: first all of `seq`, then instances while the tree is written.

mod after;
mod bits;
mod bytes;
mod carried;
mod emit;
pub(in crate::ksy) mod encoding;
mod eval;
mod failure;
mod instance;
pub(in crate::ksy) mod measure;
mod methods;
mod names;
pub(in crate::ksy) mod observed;
pub(in crate::ksy) mod process;
mod read;
pub(in crate::ksy) mod running;
mod undescribed;
mod valid;
pub(in crate::ksy) mod value;
pub(in crate::ksy) mod variables;

pub(in crate::ksy) use after::{After, Element, Embedded};
pub(in crate::ksy) use emit::{Message, run};
pub(in crate::ksy) use measure::{Context, PARAMETERS, UnitPart};
pub(in crate::ksy) use undescribed::Remark;

use super::compile::program::Program;
use crate::limits;
use failure::{EncodingNote, Failure};
use measure::Progress;
use observed::Observation;
use running::Running;
use std::borrow::Cow;
use std::collections::BTreeMap;
use undescribed::Undescribed;
use value::{Blob, CONSTANTS, DERIVED, Derived, HEAP, INPUT, List, NOTHING, Object, Slot, State, Stream, V};
use variables::{Held, Reached, Used};

/// Memory of a run, reused for the next one.
#[derive(Debug, Default)]
pub(in crate::ksy) struct Memory {
    objects: Vec<Object>,
    /// Slots of objects.
    slots: Vec<Slot>,
    lists: Vec<List>,
    /// Elements of incomplete lists, the innermost list last.
    open: Vec<Slot>,
    /// Elements of other lists.
    elements: Vec<Slot>,
    streams: Vec<Stream>,
    /// Texts and bytes that expressions created.
    heap: Vec<u8>,
    derived: Vec<Derived>,
    /// Size of `derived` in bytes.
    derived_bytes: usize,
    /// Values of expressions.
    stack: Vec<V>,
    /// Number of slots, elements, objects, lists and streams.
    kept: usize,
    /// By buffer and first byte.
    encoding_notes: BTreeMap<(u32, u32), EncodingNote>,
    /// Session variables that were read, each with the variables whose keys it was made from.
    variables: Vec<Option<(V, u64)>>,
    /// Tables with the version that the message used last; `NOTHING` for one that they have not.
    versions: Vec<(u32, u32)>,
    /// Effects on the session that were reached.
    reached: Vec<Reached>,
    /// Names under which processors went on in this message, as bits.
    continued: u64,
    /// Bytes that decompressors produced.
    decompressed: usize,
    /// Values that no case of a switch describes.
    undescribed: Vec<Undescribed>,
    /// Observations of runs, if enabled.
    pub(in crate::ksy) observations: Option<Vec<Observation>>,
}

impl Memory {
    /// Clears the last run, and keeps a little memory for the next one.
    pub(in crate::ksy) fn clear(&mut self) {
        /// Maximum capacity of each list that is kept.
        const KEPT: usize = 1 << 16;
        fn empty<T>(list: &mut Vec<T>) {
            list.clear();
            list.shrink_to(KEPT);
        }
        empty(&mut self.objects);
        empty(&mut self.slots);
        empty(&mut self.lists);
        empty(&mut self.open);
        empty(&mut self.elements);
        empty(&mut self.streams);
        empty(&mut self.heap);
        empty(&mut self.stack);
        self.derived.clear();
        self.derived_bytes = 0;
        self.kept = 0;
        self.encoding_notes.clear();
        self.variables.clear();
        self.versions.clear();
        self.reached.clear();
        self.continued = 0;
        self.decompressed = 0;
        self.undescribed.clear();
    }
}

/// A run of a program over some bytes.
struct Machine<'p, 'w> {
    program: &'p Program,
    input: &'w [u8],
    memory: &'p mut Memory,
    /// Operations left.
    fuel: usize,
    /// Nesting of objects and instances.
    depth: usize,
    /// The context for parameters of the root.
    context: Context,
    /// State of streams that have not ended.
    progress: Progress<'p>,
    /// The session variables.
    held: Cow<'w, [Held]>,
    /// The processors that go on from earlier messages; those that only `ahead` has are copied when they are needed.
    running: Running,
    ahead: Option<&'w Running>,
    /// Whether the value of an expression deciphers bytes.
    deciphers: bool,
    /// Variables whose keys the current expression used, as bits.
    keys: u64,
    used: Used,
    /// Number of bytes that decompressors may produce.
    decompressible: usize,
    /// Whether the message is cut, and its state matters: what is there of bytes with a size is read.
    reads_cut: bool,
    /// The first of these bytes.
    cut_short: Option<Box<Failure>>,
}

/// What earlier messages left.
#[derive(Default)]
pub(in crate::ksy) struct SessionView<'w> {
    pub held: &'w [Held],
    /// The continued processors of the direction.
    pub running: Running,
    /// The same if they must not change.
    pub ahead: Option<&'w Running>,
}

/// The environment of an expression.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The object that contains it.
    object: u32,
    /// The current stream.
    io: u32,
    /// `_index`.
    index: u32,
    /// `_`.
    item: V,
    /// Whether no expression uses the current member.
    is_private: bool,
}

impl Frame {
    /// The environment of expressions of an object as a whole.
    const fn of(object: u32, io: u32) -> Frame {
        Frame { object, io, index: 0, item: V::Null, is_private: false }
    }
}

impl<'p, 'w> Machine<'p, 'w> {
    fn new(program: &'p Program, input: &'w [u8], view: SessionView<'w>, memory: &'p mut Memory) -> Machine<'p, 'w> {
        // A run that panicked may have left data.
        memory.clear();
        Machine {
            program,
            input,
            memory,
            fuel: limits::KSY_OPERATIONS.get(),
            depth: 0,
            context: Context::default(),
            progress: Progress::default(),
            held: Cow::Borrowed(view.held),
            running: view.running,
            ahead: view.ahead,
            deciphers: false,
            keys: 0,
            used: Used::default(),
            decompressible: limits::KSY_PROCESSED.get(),
            reads_cut: false,
            cut_short: None,
        }
    }

    /// The bytes of a blob.
    fn bytes(&self, blob: Blob) -> &[u8] {
        self.buffer(blob.buffer).get(blob.start as usize..blob.end as usize).unwrap_or_default()
    }

    /// The bytes of a buffer.
    fn buffer(&self, buffer: u32) -> &[u8] {
        match buffer {
            INPUT => self.input,
            CONSTANTS => &self.program.constants,
            HEAP => &self.memory.heap,
            derived => self.memory.derived.get((derived - DERIVED) as usize).map_or(&[][..], |derived| &derived.bytes),
        }
    }

    /// The text of a blob that is valid UTF-8.
    fn text(&self, blob: Blob) -> &str {
        std::str::from_utf8(self.bytes(blob)).unwrap_or_default()
    }

    fn object(&self, object: u32) -> Object {
        const NONE: Object = Object {
            of: NOTHING,
            slots: NOTHING,
            parent: NOTHING,
            root: NOTHING,
            io: NOTHING,
            buffer: NOTHING,
            start: 0,
            end: 0,
            is_little: None,
            is_complete: false,
        };
        self.memory.objects.get(object as usize).copied().unwrap_or(NONE)
    }

    fn slot(&self, at: u32) -> Slot {
        self.memory.slots.get(at as usize).copied().unwrap_or_default()
    }

    #[inline]
    fn set_slot(&mut self, at: u32, slot: Slot) {
        if let Some(place) = self.memory.slots.get_mut(at as usize) {
            *place = slot;
        }
    }

    fn set_state(&mut self, at: u32, state: State) {
        if let Some(place) = self.memory.slots.get_mut(at as usize) {
            place.state = state;
        }
    }

    #[inline]
    fn stream(&self, io: u32) -> Stream {
        const NONE: Stream = Stream { buffer: INPUT, start: 0, end: 0, at: 0, bits_left: 0 };
        self.memory.streams.get(io as usize).copied().unwrap_or(NONE)
    }

    #[inline]
    fn set_stream(&mut self, io: u32, stream: Stream) {
        if let Some(place) = self.memory.streams.get_mut(io as usize) {
            *place = stream;
        }
    }

    /// The elements of a list.
    fn elements(&self, list: u32) -> &[Slot] {
        let Some(list) = self.memory.lists.get(list as usize) else { return &[] };
        let all = if list.is_open { &self.memory.open } else { &self.memory.elements };
        let start = list.start as usize;
        all.get(start..start + list.len as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
