//! Runs dissectors of scripts.

use super::budget::{self, Limits};
use super::buffer::Tvb;
use super::call::{self, Buffer, Call, Item, Packet, Place, ROOT, Remark};
use super::errors::words;
use super::extract::{self, Found, Wanted};
use super::heuristic::Heuristic;
use super::item::TreeItem;
use super::pass::{self, Tapes};
use super::pinfo::Pinfo;
use super::proto::Proto;
use super::world::World;
use crate::tree::{Dissection, Time};
use mlua::{Function, Lua, MultiValue, Result, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// All loaded scripts: one Lua state, used by one thread at a time.
pub(super) struct Engine {
    state: Mutex<State>,
    /// The names of values for which scripts asked.
    pub(super) wanted: Vec<Wanted>,
    /// Results that later passes show.
    pub(super) tapes: Tapes,
}

struct State {
    lua: Lua,
    /// Lua's own `pcall`.
    protected: Function,
    limits: Limits,
    /// Times of the first frame, and of the last one.
    first: Time,
    last: (u64, Time),
    before: Time,
    /// Number of stops at limits.
    stops: u32,
}

/// Which function of a script is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The dissector of a protocol.
    Dissector(usize),
    /// A heuristic, by its place among those of all lists.
    Heuristic(usize),
}

/// What a dissector says of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They are its own.
    Accepted,
    /// They belong to another protocol.
    Rejected,
    /// The bytes from this offset on are needed again, with so many more; `None` for one more segment.
    Wants(usize, Option<usize>),
}

/// The result of a call.
pub(super) struct Dissected {
    pub(super) verdict: Verdict,
    pub(super) items: Vec<Item>,
    /// Derived buffers, in the order of their numbers from 1.
    pub(super) derived: Vec<Buffer>,
    pub(super) remarks: Vec<Remark>,
    pub(super) errors: Vec<String>,
    /// The summary, and the name of the protocol in lists, if the script set them.
    pub(super) info: Option<String>,
    pub(super) protocol: Option<String>,
    /// The protocol to which the conversation is bound from now on.
    pub(super) bound: Option<usize>,
}

/// Number of stops after which scripts are switched off.
const STOPS: u32 = 100;
/// Bytes that are needed until the next segment, as scripts say.
pub(super) const ONE_MORE_SEGMENT: i64 = 0x0fff_ffff;

impl Engine {
    pub(super) fn new(lua: Lua, protected: Function, limits: Limits, wanted: Vec<Wanted>) -> Engine {
        let state = State { lua, protected, limits, first: None, last: (0, None), before: None, stops: 0 };
        Engine { state: Mutex::new(state), wanted, tapes: Tapes::default() }
    }

    fn locked<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls a function of a script on these bytes, which lie at `base` in their source.
    pub(super) fn dissect(&self, who: Who, packet: Packet, found: Vec<Found>, bytes: &[u8], base: u32) -> Arc<Dissected> {
        let result = pass::next(|| {
            self.locked(|state| {
                call::with(|call| call.found = found);
                state.dissect(who, packet, bytes, base)
            })
        });
        if let (Some(protocol), Some(stream)) = (result.bound, packet.stream) {
            pass::with(|pass| pass.bind(stream, protocol));
        }
        result
    }

    /// What is registered now.
    pub(super) fn world<T: Default>(&self, work: impl FnOnce(&World) -> T) -> T {
        self.locked(|state| state.lua.app_data_ref::<World>().map(|world| work(&world)).unwrap_or_default())
    }

    /// Prints no more lines of scripts.
    pub(super) fn silence(&self) {
        self.locked(|state| {
            if let Some(mut world) = state.lua.app_data_mut::<World>() {
                world.is_silent = true;
            }
        });
    }

    /// The heuristics of a list in the order in which they are asked: their places among all, and their protocols.
    pub(super) fn heuristics(&self, list: &'static str) -> Vec<(usize, usize)> {
        self.locked(|state| {
            let Some(world) = state.lua.app_data_ref::<World>() else { return Vec::new() };
            // The last one that was registered is asked first.
            let all = || world.heuristics.iter().enumerate().rev().filter(|(_, known)| known.list == list).map(|(at, _)| at);
            pass::with(|pass| {
                let order = pass.heuristics.entry(list).or_insert_with(|| all().collect());
                order.iter().filter_map(|at| Some((*at, world.heuristics.get(*at)?.protocol))).collect()
            })
        })
    }

    /// Begins a pass over an input. Returns errors of `init`.
    pub(super) fn begin(&self, name: &str) -> Vec<String> {
        if self.tapes.begin(name) { self.initialize(true) } else { Vec::new() }
    }

    /// Ends a pass over an input. Returns errors of `init`.
    pub(super) fn end(&self) -> Vec<String> {
        if pass::end() { self.initialize(false) } else { Vec::new() }
    }

    /// The values of the frame so far for which scripts asked.
    pub(super) fn values(&self, of: Dissection<'_>) -> Vec<Found> {
        if self.wanted.is_empty() {
            return Vec::new();
        }
        let first = self.locked(|state| state.first);
        extract::values(&self.wanted, of, first.or(of.tree.frame.time))
    }

    /// Calls `init` of all protocols, before the first frame of an input and after its last one.
    fn initialize(&self, is_begin: bool) -> Vec<String> {
        self.locked(|state| {
            if is_begin {
                (state.first, state.last, state.before) = (None, (0, None), None);
                super::conversation::forget(&state.lua);
            }
            state.initialize()
        })
    }
}

impl State {
    /// Calls a function, and returns its results or the words of its error.
    fn protected(&self, function: Function, arguments: impl mlua::IntoLuaMulti) -> std::result::Result<MultiValue, String> {
        let mut all = arguments.into_lua_multi(&self.lua).map_err(|error| words(&error))?;
        all.push_front(Value::Function(function));
        protected(&self.lua, &self.protected, all)
    }

    fn initialize(&mut self) -> Vec<String> {
        let all: Vec<Function> = self
            .lua
            .app_data_ref::<World>()
            .map_or_else(Vec::new, |world| world.protocols.iter().filter_map(|protocol| protocol.init.clone()).collect());
        let call = |function| {
            budget::begin(self.limits, false);
            self.protected(function, ()).err()
        };
        all.into_iter().filter_map(call).collect()
    }

    /// Completes a packet with the times of other frames.
    fn timed(&mut self, packet: Packet) -> Packet {
        self.first = self.first.or(packet.time);
        if self.last.0 != packet.number {
            self.before = self.last.1.or(packet.time);
            self.last = (packet.number, packet.time);
        }
        Packet { first: self.first, before: self.before, ..packet }
    }

    fn dissect(&mut self, who: Who, packet: Packet, bytes: &[u8], base: u32) -> Dissected {
        let packet = self.timed(packet);
        budget::begin(self.limits, false);
        let number = call::with(|call| {
            call.begin(packet, bytes, base);
            call.number
        });
        let place = Place { buffer: 0, start: 0, len: u32::try_from(bytes.len()).unwrap_or(u32::MAX) };
        let result = if self.stops >= STOPS { Ok(Value::Integer(0)) } else { self.run(who, number, place) };
        let stopped = budget::stopped();
        if stopped.is_some() {
            self.stops += 1;
            // Objects of the stopped call may fill the memory.
            let _ = self.lua.gc_collect();
        }
        let returned = match (result, stopped) {
            (_, Some(stopped)) => Err(stopped),
            (Ok(value), None) => Ok(value),
            (Err(words), None) => Err(words),
        };
        call::with(|call| {
            call.is_running = false;
            taken(call, who, returned, bytes.len())
        })
    }

    fn run(&self, who: Who, number: u64, place: Place) -> std::result::Result<Value, String> {
        let failed = |error: mlua::Error| words(&error);
        let function = match who {
            Who::Dissector(proto) => begin(&self.lua, Proto(proto)).map_err(failed)?,
            Who::Heuristic(place) => {
                let known = self.lua.app_data_ref::<World>().and_then(|world| world.heuristics.get(place).cloned());
                let Some(Heuristic { protocol, function, .. }) = known else { return Ok(Value::Integer(0)) };
                let dissector = begin(&self.lua, Proto(protocol)).map_err(failed)?;
                function.or(dissector)
            }
        };
        let Some(function) = function else { return Ok(Value::Integer(0)) };
        let arguments = (Tvb { call: number, place }, Pinfo(number), TreeItem { call: number, item: ROOT });
        let results = self.protected(function, arguments)?;
        Ok(results.into_iter().next().unwrap_or(Value::Nil))
    }
}

/// Calls a function with Lua's own `pcall`.
fn protected(lua: &Lua, pcall: &Function, all: MultiValue) -> std::result::Result<MultiValue, String> {
    let mut results = pcall.call::<MultiValue>(all).map_err(|error| words(&error))?;
    match results.pop_front() {
        Some(Value::Boolean(true)) => Ok(results),
        _ => Err(error_text(lua, results.pop_front().unwrap_or(Value::Nil))),
    }
}

/// The words of an error value.
pub(super) fn error_text(lua: &Lua, error: Value) -> String {
    match error {
        Value::Error(error) => words(&error),
        Value::String(text) if text.as_bytes() == b"not enough memory" => words(&budget::out_of_memory(lua, 1)),
        Value::String(text) => text.to_string_lossy(),
        other => super::args::text(&other).unwrap_or_else(|| "(null)".to_owned()),
    }
}

/// The dissector of a protocol, which begins to run.
fn begin(lua: &Lua, proto: Proto) -> Result<Option<Function>> {
    let (name, function) = proto.with(lua, |protocol| (protocol.name, protocol.dissector.clone()))?;
    call::with(|call| call.running.push(name));
    Ok(function)
}

/// Calls the dissector of a script from another one. Returns the bytes it took.
pub(super) fn inner(lua: &Lua, proto: Proto, tvb: Tvb, pinfo: Value, tree: Value) -> Result<i64> {
    const NESTED: usize = 40;
    if call::with(|call| call.running.len()) >= NESTED {
        return super::errors::fail(lua, "C stack overflow");
    }
    let pcall: Function = lua.named_registry_value(super::sandbox::PCALL)?;
    let len = i64::from(tvb.place.len);
    let function = begin(lua, proto)?;
    let result = match function {
        Some(function) => {
            let all = (function, tvb, pinfo, tree);
            protected(lua, &pcall, mlua::IntoLuaMulti::into_lua_multi(all, lua)?)
        }
        None => Ok(MultiValue::new()),
    };
    call::with(|call| call.running.pop());
    if let Some(stopped) = budget::stopped() {
        return Err(mlua::Error::RuntimeError(stopped));
    }
    match result {
        Ok(results) => match results.front() {
            Some(value) => Ok(super::args::integer(value).unwrap_or(len)),
            None => Ok(len),
        },
        // Wireshark shows the error, and the outer dissector goes on.
        Err(words) => {
            call::with(|call| call.errors.push(words));
            Ok(len)
        }
    }
}

/// Takes the result of a call.
fn taken(call: &mut Call, who: Who, returned: std::result::Result<Value, String>, len: usize) -> Dissected {
    let is_heuristic = matches!(who, Who::Heuristic(_));
    let value = match returned {
        // What a heuristic does not accept is not its own.
        Ok(Value::Nil | Value::Boolean(false)) if is_heuristic => Value::Integer(0),
        Ok(value) => value,
        Err(words) => {
            call.errors.push(words);
            if is_heuristic { Value::Integer(0) } else { Value::Nil }
        }
    };
    let offset = usize::try_from(call.desegment_offset).unwrap_or_default();
    let wants = call.packet.can_desegment && call.desegment_len > 0 && offset < len && call.errors.is_empty();
    let number = match value {
        Value::Nil => None,
        ref other => super::args::integer(other),
    };
    let verdict = if wants {
        let more = usize::try_from(call.desegment_len).ok().filter(|_| call.desegment_len != ONE_MORE_SEGMENT);
        Verdict::Wants(offset, more)
    } else if number == Some(0) {
        Verdict::Rejected
    } else {
        Verdict::Accepted
    };
    call.usual = call.items.len();
    let text = |column: &call::Column| column.is_written.then(|| column.text.clone());
    Dissected {
        verdict,
        items: std::mem::take(&mut call.items),
        derived: call.buffers.split_off(1.min(call.buffers.len())),
        remarks: std::mem::take(&mut call.remarks),
        errors: std::mem::take(&mut call.errors),
        info: text(&call.info),
        protocol: text(&call.protocol),
        bound: call.bound.take(),
    }
}
