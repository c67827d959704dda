//! One call of a dissector: its buffers, tree items, packet and columns.
//!
//! Objects of a call refer to it by its number and expire when it ends.

use super::budget;
use super::extract::Found;
use super::field::ScriptField;
use super::handle::{self, Class, Handle, short};
use crate::tree::{Address, Field, StreamId, Time};
use mlua::{Lua, Result};
use std::cell::RefCell;

/// The index of no item.
pub(super) const NONE: u32 = u32::MAX;
/// The item of the tree given to a dissector.
pub(super) const ROOT: u32 = 0;

/// A range of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) buffer: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// What an item shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// The tree itself.
    Root,
    /// A protocol: as the layer, and as an item inside one.
    Protocol(&'static Field),
    /// A field.
    Field(&'static ScriptField),
    /// A field of this program.
    Other(&'static Field),
    /// Bytes that a dissector of this program reads, by its filter name.
    Embedded(&'static str),
}

/// The value of an item.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// None.
    None,
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A 32-bit float.
    Single(f32),
    /// A 64-bit float.
    Double(f64),
    /// A boolean.
    Bool(bool),
    /// The bytes of a place.
    Bytes(Place),
    /// The text of a place.
    Text(Place),
    /// Bytes that are nowhere.
    Own(Vec<u8>),
    /// Text that is nowhere.
    Words(String),
}

/// A tree item.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) content: Content,
    pub(super) place: Option<Place>,
    /// The whole label, if the script set it.
    pub(super) label: Option<String>,
    /// Text in front of the label and behind it.
    pub(super) around: [String; 2],
    pub(super) generated: bool,
    pub(super) hidden: bool,
    pub(super) depth: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) next: u32,
}

impl Item {
    pub(super) fn new(kind: Kind, content: Content, place: Option<Place>) -> Item {
        let around = [String::new(), String::new()];
        let (first, last, next) = (NONE, NONE, NONE);
        Item { kind, content, place, label: None, around, generated: false, hidden: false, depth: 0, first, last, next }
    }
}

/// A note on an item.
#[derive(Debug, Clone)]
pub(super) struct Remark {
    pub(super) item: u32,
    /// The last child of the item so far.
    pub(super) after: u32,
    pub(super) code: &'static Field,
    pub(super) text: String,
    /// Wireshark's severity and group.
    pub(super) rank: [u32; 2],
}

/// What a dissector may read of its packet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Packet {
    pub(super) number: u64,
    pub(super) time: Time,
    /// Times of the first frame, and of the frame before.
    pub(super) first: Time,
    pub(super) before: Time,
    pub(super) len: u32,
    pub(super) captured: u32,
    pub(super) src: Option<Address>,
    pub(super) dst: Option<Address>,
    /// The link-layer addresses of the frame, if known.
    pub(super) links: [Option<Address>; 2],
    /// 2 for TCP, 3 for UDP, 0 for neither.
    pub(super) port_type: i64,
    /// The port that the table matched.
    pub(super) matched: u16,
    pub(super) can_desegment: bool,
    pub(super) stream: Option<StreamId>,
}

/// The summary column: what is fixed, and what may be replaced.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    pub(super) text: String,
    pub(super) fence: usize,
    pub(super) is_written: bool,
}

/// Bytes that items point into.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// The bytes they were made from, if known.
    pub(super) from: Option<Place>,
    /// How they were made.
    pub(super) method: &'static str,
}

/// A call.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// Its number; objects of another one are expired.
    pub(super) number: u64,
    pub(super) is_running: bool,
    pub(super) packet: Packet,
    /// The bytes of the message, and derived buffers.
    pub(super) buffers: Vec<Buffer>,
    /// Places of buffers and ranges that scripts have, each with the buffer around it.
    ranges: Vec<[Place; 2]>,
    /// Values of layers below for which scripts asked.
    pub(super) found: Vec<Found>,
    /// Where the first buffer lies in its source.
    pub(super) base: u32,
    pub(super) items: Vec<Item>,
    /// The number of items of the call before.
    pub(super) usual: usize,
    pub(super) remarks: Vec<Remark>,
    pub(super) errors: Vec<String>,
    pub(super) info: Column,
    pub(super) protocol: Column,
    pub(super) desegment_offset: i64,
    pub(super) desegment_len: i64,
    /// The short names of the protocols that run, the innermost last.
    pub(super) running: Vec<&'static str>,
    /// The protocol that the conversation is bound to from now on.
    pub(super) bound: Option<usize>,
    /// Whether `dissect_tcp_pdus` ended the buffer.
    pub(super) is_ended: bool,
}

thread_local! {
    static CALL: RefCell<Call> = RefCell::default();
}

/// Uses the call of this thread. It must not run a script.
pub(super) fn with<T>(work: impl FnOnce(&mut Call) -> T) -> T {
    CALL.with_borrow_mut(work)
}

/// The frame of the call in words, empty while scripts are loaded.
pub(super) fn place() -> String {
    with(|call| if call.is_running { format!(" in frame {}", call.packet.number) } else { String::new() })
}

impl Call {
    /// Items for which there is room from the start, at most.
    const USUAL: usize = 256;

    /// Begins a call on these bytes.
    pub(super) fn begin(&mut self, packet: Packet, bytes: &[u8], base: u32) {
        self.number += 1;
        self.is_running = true;
        // Messages that share a frame share its columns, as in Wireshark.
        if self.packet.number != packet.number {
            self.info = Column::default();
            self.protocol = Column::default();
        }
        self.packet = packet;
        self.base = base;
        self.buffers.truncate(1);
        if self.buffers.is_empty() {
            self.buffers.push(Buffer::default());
        }
        if let Some(first) = self.buffers.first_mut() {
            first.bytes.clear();
            first.bytes.extend_from_slice(bytes);
        }
        // A message mostly has as many items as the one before.
        self.items = Vec::with_capacity(self.usual.min(Call::USUAL));
        self.items.push(Item::new(Kind::Root, Content::None, None));
        self.ranges.clear();
        self.remarks.clear();
        self.errors.clear();
        self.desegment_offset = 0;
        self.desegment_len = 0;
        self.running.clear();
        self.bound = None;
        self.is_ended = false;
    }

    /// The bytes of a place.
    pub(super) fn bytes(&self, place: Place) -> &[u8] {
        let buffer = self.buffers.get(place.buffer as usize).map(|buffer| buffer.bytes.as_slice()).unwrap_or_default();
        let start = place.start as usize;
        buffer.get(start..start + place.len as usize).unwrap_or_default()
    }

    /// The length of a buffer.
    pub(super) fn len_of(&self, buffer: u32) -> u32 {
        u32::try_from(self.buffers.get(buffer as usize).map_or(0, |buffer| buffer.bytes.len())).unwrap_or(u32::MAX)
    }

    /// The place of an object and the buffer around it; empty if its call is over.
    pub(super) fn range(&self, handle: Handle) -> [Place; 2] {
        let known = self.ranges.get(handle.index as usize).copied();
        known.filter(|_| self.is(handle.call)).unwrap_or_default()
    }

    /// Whether objects of this call are alive.
    pub(super) fn is(&self, number: u64) -> bool {
        self.is_running && short(self.number) == short(number)
    }

    /// Adds a note on an item.
    pub(super) fn remark(&mut self, item: u32, code: &'static Field, text: String, rank: [i64; 2]) {
        let after = self.items.get(item as usize).map_or(NONE, |item| item.last);
        let rank = rank.map(|number| u32::try_from(number).unwrap_or_default());
        self.remarks.push(Remark { item, after, code, text, rank });
    }

    /// Adds an item below another one.
    pub(super) fn add(&mut self, parent: u32, item: Item) -> u32 {
        let place = u32::try_from(self.items.len()).unwrap_or(NONE);
        let depth = self.items.get(parent as usize).map_or(0, |parent| parent.depth) + 1;
        self.items.push(Item { depth, ..item });
        let Some(last) = self.items.get_mut(parent as usize).map(|parent| std::mem::replace(&mut parent.last, place)) else {
            return place;
        };
        let before = if last == NONE {
            self.items.get_mut(parent as usize).map(|parent| &mut parent.first)
        } else {
            self.items.get_mut(last as usize).map(|last| &mut last.next)
        };
        if let Some(before) = before {
            *before = place;
        }
        place
    }
}

/// A new object for a place and the buffer around it.
pub(super) fn handle(lua: &Lua, class: Class, number: u64, range: [Place; 2]) -> Result<Handle> {
    let index = with(|call| {
        call.ranges.push(range);
        call.ranges.len() - 1
    });
    let held = index.saturating_mul(size_of::<[Place; 2]>());
    match u32::try_from(index).ok().filter(|_| index < handle::MOST && held <= budget::limits().memory) {
        Some(index) => Ok(Handle { class, call: number, index }),
        None => Err(budget::out_of_memory(lua, 1)),
    }
}

/// Whether one more item may be added below this one.
pub(super) fn may_add(lua: &Lua, parent: u32) -> Result<()> {
    let most = budget::limits().items.min(handle::MOST - 2);
    let (count, depth) = with(|call| (call.items.len(), call.items.get(parent as usize).map_or(0, |item| item.depth)));
    if count > most {
        let text = format!("stopped after {} tree items", budget::grouped(most as u64));
        return Err(budget::stop(lua, 1, &text, " (--lua-items)"));
    }
    if depth >= budget::DEPTH {
        return Err(budget::stop(lua, 1, &format!("tree items deeper than {}", budget::DEPTH), ""));
    }
    budget::spend(lua, 20)
}

/// Adds a derived buffer. Returns its place.
pub(super) fn derive(lua: &Lua, bytes: Vec<u8>, from: Option<Place>, method: &'static str) -> Result<Place> {
    let held = with(|call| call.buffers.iter().skip(1).map(|buffer| buffer.bytes.len()).sum::<usize>());
    let most = budget::limits().buffer;
    if held.saturating_add(bytes.len()) > most {
        return Err(budget::stop(lua, 1, &format!("buffers of more than {} MiB", most >> 20), " (--lua-buffer)"));
    }
    budget::spend(lua, 20 + bytes.len() / 16)?;
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    Ok(with(|call| {
        let buffer = u32::try_from(call.buffers.len()).unwrap_or(u32::MAX);
        call.buffers.push(Buffer { bytes, from, method });
        Place { buffer, start: 0, len }
    }))
}
