//! Protocols in Python: classes that the engine calls like built-in dissectors.

use crate::wire::{Op, Recorded, Wire as Recording};
use proto_dissect::dissect::{
    Conversation, Cut, Error, Exchange, Extent, Found, Heuristic, On, Opening, Protocol, Result, Settings, Side, Verdict, Wire,
};
use proto_dissect::tree::{Field, Kind, Level, Names, Value};
use proto_dissect::wire::{Described, Dissector};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Field names of a protocol. More are a mistake: a name must not depend on the data.
const MOST_FIELDS: usize = 4096;

/// Bytes that `extent` gets at first; more if it returns `None`.
const WINDOW: usize = 4096;

/// A protocol. Protocols and fields live as long as the process.
pub struct Own {
    id: &'static str,
    class: Py<PyType>,
    recognizes: bool,
    names: HashMap<String, Names>,
    fields: Mutex<HashMap<(String, Kind), &'static Field>>,
    /// Notes of the levels, and of an exception.
    notes: [&'static Field; 3],
    exception: &'static Field,
    is_stream: bool,
}

/// The registered protocols by name, and how often that changed.
static PROTOCOLS: Mutex<(BTreeMap<String, &'static Protocol>, u64)> = Mutex::new((BTreeMap::new(), 0));

/// Fields that were not declared, in the order of their first use.
static UNDECLARED: Mutex<Vec<&'static Field>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The registered protocols, and a number that changes with them.
pub fn registered() -> (Vec<&'static Protocol>, u64) {
    let protocols = locked(&PROTOCOLS);
    (protocols.0.values().copied().collect(), protocols.1)
}

fn undeclared() -> Vec<&'static Field> {
    locked(&UNDECLARED).clone()
}

fn leak(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

impl Own {
    /// The field of a name and a kind. A new name is known to filters and lookups from then on.
    pub fn field(&self, name: &str, kind: Kind) -> PyResult<&'static Field> {
        let mut fields = locked(&self.fields);
        if let Some(field) = fields.get(&(name.to_owned(), kind)) {
            return Ok(field);
        }
        if fields.len() >= MOST_FIELDS {
            let text = format!("{}: more than {MOST_FIELDS} field names; a name must not depend on the data", self.id);
            return Err(PyValueError::new_err(text));
        }
        let field = made(self.id, name, kind, self.names.get(name).copied().unwrap_or_default())?;
        locked(&UNDECLARED).push(field);
        fields.insert((name.to_owned(), kind), field);
        Ok(field)
    }
}

/// Makes a field of a protocol.
fn made(id: &str, name: &str, kind: Kind, names: Names) -> PyResult<&'static Field> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.');
    if name.is_empty() || !name.bytes().all(is_letter) || name.starts_with('.') || name.ends_with('.') {
        return Err(PyValueError::new_err(format!("{name:?}: a field name has small letters, digits, `_` and `.`")));
    }
    let abbrev = leak(&format!("{id}.{name}"));
    let label = leak(&name.rsplit('.').next().unwrap_or(name).replace('_', " "));
    let field = match kind {
        Kind::Group => Field::group(abbrev, label, ""),
        Kind::Number => Field::number(abbrev, label, "").names(names),
        Kind::Float => Field::float(abbrev, label, ""),
        Kind::Bool => Field::bool(abbrev, label, ""),
        Kind::Text => Field::text(abbrev, label, ""),
        Kind::Ipv4 => Field::ipv4(abbrev, label, ""),
        Kind::Ipv6 => Field::ipv6(abbrev, label, ""),
        Kind::Bytes | Kind::Mac | Kind::Protocol | Kind::Note(_) => Field::bytes(abbrev, label, ""),
    };
    Ok(Box::leak(Box::new(field)))
}

fn kind_named(name: &str) -> Option<Kind> {
    Some(match name {
        "number" => Kind::Number,
        "float" => Kind::Float,
        "bool" => Kind::Bool,
        "text" => Kind::Text,
        "bytes" => Kind::Bytes,
        "ipv4" => Kind::Ipv4,
        "ipv6" => Kind::Ipv6,
        "group" => Kind::Group,
        _ => return None,
    })
}

/// Registers a class as a protocol. One of the same name is replaced, for readers that are opened later.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the arguments of the decorator")]
pub fn register(
    id: &str,
    title: &str,
    class: Bound<'_, PyType>,
    tcp: Vec<u16>,
    udp: Vec<u16>,
    fields: Vec<(String, String)>,
    names: HashMap<String, BTreeMap<u64, String>>,
) -> PyResult<()> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if !id.starts_with(|first: char| first.is_ascii_lowercase()) || !id.bytes().all(is_letter) {
        return Err(PyValueError::new_err(format!("{id:?}: a protocol's name has small letters, digits and `_`")));
    }
    let is_stream = class.hasattr("extent")?;
    if !class.hasattr("message")? || !tcp.is_empty() && !is_stream {
        let method = if is_stream { "message(self, side, wire)" } else { "extent(self, side, data, more)" };
        return Err(PyTypeError::new_err(format!("{id}: the class needs a method {method}")));
    }
    let id = leak(id);
    let table = |table: &BTreeMap<u64, String>| -> Names {
        Vec::leak(table.iter().map(|(number, name)| (*number, leak(name))).collect())
    };
    let names: HashMap<String, Names> = names.iter().map(|(name, of)| (name.clone(), table(of))).collect();
    let mut known = HashMap::new();
    for (name, kind) in fields {
        let kind = kind_named(&kind).ok_or_else(|| {
            PyValueError::new_err(format!(
                "{name}: {kind:?} is no kind; expected number, float, bool, text, bytes, ipv4, ipv6 or group"
            ))
        })?;
        let field = made(id, &name, kind, names.get(&name).copied().unwrap_or_default())?;
        known.insert((name, kind), field);
    }
    let note = |field: Field| -> &'static Field { Box::leak(Box::new(field)) };
    let notes = [
        note(Field::info(leak(&format!("{id}.info")), "info", "A remark of the protocol's class")),
        note(Field::odd(leak(&format!("{id}.odd")), "odd", "Something unusual, as the protocol's class states")),
        note(Field::broken(leak(&format!("{id}.broken")), "broken", "Something wrong, as the protocol's class states")),
    ];
    let exception = note(Field::broken(leak(&format!("{id}.exception")), "exception", "An exception in the protocol's class"));
    let rest = note(Field::bytes(leak(&format!("{id}.undissected")), "data", "Undissected bytes"));
    let this = note(Field::protocol(id, id, leak(title)).covers("As its class in Python reads it"));
    let mut declared: Vec<&'static Field> = known.values().copied().collect();
    declared.sort_by_key(|field| field.abbrev);
    let all: Vec<&'static Field> = [this].into_iter().chain(declared).chain(notes).chain([exception, rest]).collect();
    let recognizes = class.hasattr("recognize")?;
    let class = class.unbind();
    let own: &'static Own =
        Box::leak(Box::new(Own { id, class, recognizes, names, fields: Mutex::new(known), notes, exception, is_stream }));
    let protocol = Protocol::new(this, Vec::leak(all)).found(Vec::leak(found(own, &tcp, &udp))).rest(rest).tables(undeclared);
    let mut protocols = locked(&PROTOCOLS);
    protocols.0.insert(id.to_owned(), Box::leak(Box::new(protocol)));
    protocols.1 += 1;
    Ok(())
}

/// Removes a protocol, for readers that are opened later. Returns whether there was one.
#[pyfunction]
pub fn forget(id: &str) -> bool {
    let mut protocols = locked(&PROTOCOLS);
    protocols.1 += 1;
    protocols.0.remove(id).is_some()
}

/// Where a protocol is found.
fn found(own: &'static Own, tcp: &[u16], udp: &[u16]) -> Vec<Found> {
    let (streams, datagrams) = (Dissector::DescribedStream(own), Dissector::Described(own));
    let at = |on, heuristic, dissector| Found { on, heuristic, dissector, later: None, by_port: false };
    let mut found: Vec<Found> = tcp.iter().map(|port| at(On::Tcp(*port), Heuristic::Anything, streams)).collect();
    found.extend(udp.iter().map(|port| at(On::Udp(*port), Heuristic::Anything, datagrams)));
    if own.recognizes {
        let heuristic = Heuristic::Described(own);
        found.push(if own.is_stream { at(On::AnyTcp, heuristic, streams) } else { at(On::AnyUdp, heuristic, datagrams) });
    }
    found.push(at(On::Chosen, Heuristic::Anything, datagrams));
    if own.is_stream {
        found.push(at(On::Chosen, Heuristic::Anything, streams));
    }
    found
}

impl Described for Own {
    fn message(&self, _: &mut Wire<'_>) -> Result {
        Ok(())
    }

    fn exchange(&'static self, _: &Settings) -> Option<Box<dyn Exchange>> {
        Some(Box::new(State::new(self)))
    }

    fn conversation(&'static self, _: &Settings, _: [bool; 2]) -> Box<dyn Conversation> {
        Box::new(State::new(self))
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        let asked = |py: Python<'_>| self.class.call_method1(py, "recognize", (PyBytes::new(py, bytes),))?.is_truthy(py);
        // An exception is no recognition; a message of the protocol would show it.
        Python::attach(asked).unwrap_or(false)
    }

    fn recognizes_stream(&self, opening: &Opening<'_>) -> Verdict {
        for side in [Side::Client, Side::Server] {
            let sent = opening.of(side);
            if opening.starts(side) && !sent.is_empty() && self.recognizes(sent) {
                return Verdict::Yes(Side::Server);
            }
        }
        Verdict::No
    }

    fn without_streams(&self) -> Option<&str> {
        (!self.is_stream).then_some("the class has no method extent(self, side, data, more)")
    }

    fn relates(&self) -> bool {
        false
    }
}

/// The state of a conversation: an object of the class.
struct State {
    own: &'static Own,
    object: Option<Py<PyAny>>,
    /// An exception that no message has shown yet.
    failed: Option<String>,
}

/// What `extent` answered.
enum Answer {
    Message(usize),
    NeedMore,
    Skip(usize),
}

impl State {
    fn new(own: &'static Own) -> State {
        State { own, object: None, failed: None }
    }

    /// The object, made at first use.
    fn object<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(object) = &self.object {
            return Ok(object.bind(py).clone());
        }
        let object = self.own.class.bind(py).call0()?;
        self.object = Some(object.clone().unbind());
        Ok(object)
    }

    fn ask(&mut self, py: Python<'_>, from: Side, ahead: &[u8], more: bool) -> PyResult<Answer> {
        let object = self.object(py)?;
        let mut window = WINDOW;
        loop {
            let seen = ahead.get(..window).unwrap_or(ahead);
            let is_all = seen.len() == ahead.len();
            let answer = object.call_method1("extent", (from.direction(), PyBytes::new(py, seen), more || !is_all))?;
            if answer.is_none() {
                if is_all {
                    return Ok(Answer::NeedMore);
                }
                window = window.saturating_mul(4);
                continue;
            }
            if let Ok(count) = answer.getattr("skipped") {
                return Ok(Answer::Skip(count.extract()?));
            }
            return match answer.extract::<usize>() {
                Ok(0) | Err(_) => {
                    let text = format!("extent() returned {answer}; expected a number of bytes from 1, None or Skip(n)");
                    Err(PyValueError::new_err(text))
                }
                Ok(count) => Ok(Answer::Message(count)),
            };
        }
    }

    fn read(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if let Some(failed) = self.failed.take() {
            wire.note(self.own.exception, format_args!("{failed}"));
            return Err(Error::Malformed);
        }
        let own = self.own;
        let start = wire.at();
        let (operations, end, error) = Python::attach(|py| {
            let recording = Recording::new(own, wire.ahead(), wire.cut() != Cut::No);
            let run = || {
                let recording = Py::new(py, recording)?;
                let object = self.object(py)?;
                let done = object.call_method1("message", (from.direction(), recording.clone_ref(py)));
                let (operations, end) = recording.borrow(py).finish();
                Ok::<_, PyErr>((operations, end, done.err()))
            };
            let (operations, end, error) = run().unwrap_or_else(|error| (Vec::new(), 0, Some(error)));
            (operations, end, error.map(|error| failure(py, &error)))
        });
        replay(own, &mut operations.into_iter(), start, wire);
        wire.skip((start + end).saturating_sub(wire.at()))?;
        match error {
            None => Ok(()),
            Some((_, Some(needed))) => Err(Error::Short { needed }),
            Some((text, None)) => wire.malformed(own.exception, format_args!("{text}")),
        }
    }
}

/// The text of an exception with its line, and the number of missing bytes if it is `Truncated`.
fn failure(py: Python<'_>, error: &PyErr) -> (String, Option<usize>) {
    let needed = error.value(py).getattr("needed").ok().and_then(|needed| needed.extract().ok());
    let line = || -> PyResult<u32> {
        // The outermost one is in the class.
        error.traceback(py).ok_or_else(|| PyValueError::new_err(""))?.getattr("tb_lineno")?.extract()
    };
    let text = error.to_string();
    (line().map_or_else(|_| text.clone(), |line| format!("{text} (line {line})")), needed)
}

impl Conversation for State {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        match Python::attach(|py| self.ask(py, from, ahead, more).map_err(|error| failure(py, &error).0)) {
            Ok(Answer::Message(count)) => Extent::Message(count),
            // Asked again behind a quarter more, so that the work stays linear.
            Ok(Answer::NeedMore) if more => {
                Extent::NeedMore(ahead.len() + 1 + if ahead.len() > WINDOW { ahead.len() / 4 } else { 0 })
            }
            Ok(Answer::NeedMore) => Extent::Unknown(ahead.len()),
            Ok(Answer::Skip(count)) => Extent::Unknown(count.max(1)),
            Err(text) => {
                self.failed = Some(text);
                Extent::Message(ahead.len())
            }
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.read(from, wire)
    }
}

impl Exchange for State {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        self.read(from, wire)
    }
}

/// Recorded operations that are not repeated yet.
type Operations = std::vec::IntoIter<Op>;

/// Repeats on the engine's cursor what was recorded up to the end of a group; positions count from `start`.
fn replay(own: &'static Own, operations: &mut Operations, start: usize, wire: &mut Wire<'_>) {
    while let Some(operation) = operations.next() {
        match operation {
            Op::Value(field, value, range) => put(field, value, range.map(|range| start + range.start..start + range.end), wire),
            Op::Open(field, range) => {
                let range = start + range.start..start + range.end;
                wire.put_over(field, Value::None, Some(range), |wire| replay(own, operations, start, wire));
            }
            Op::Close => return,
            Op::Note(level, text) => {
                let [info, odd, broken] = own.notes;
                let code = match level {
                    Level::Info => info,
                    Level::Odd => odd,
                    Level::Broken => broken,
                };
                wire.note(code, format_args!("{text}"));
            }
            Op::Name(name) => wire.name(&name),
            Op::Info(info) => wire.info(format_args!("{info}")),
            Op::Inner(range, bytes, inner) => {
                let mut inner = inner.take().into_iter();
                // Ranges follow each other, so the engine's cursor never moves back.
                let before = (start + range.start).saturating_sub(wire.at());
                let read = |wire: &mut Wire<'_>| {
                    let start = wire.at();
                    replay(own, &mut inner, start, wire);
                    wire.skip(wire.remaining())
                };
                // The recorded cursor has read these bytes, so the engine's has them, too.
                let _ = wire.skip(before).and_then(|()| wire.derived("python", range.len(), &bytes, read));
            }
        }
    }
}

/// Adds a field.
fn put(field: &'static Field, value: Recorded, range: Option<Range<usize>>, wire: &mut Wire<'_>) {
    let value = match (value, &range) {
        (Recorded::Unsigned(number), _) => Value::Unsigned(number),
        (Recorded::Signed(number), _) => Value::Signed(number),
        (Recorded::Single(number), _) => Value::Single(number),
        (Recorded::Double(number), _) => Value::Double(number),
        (Recorded::Bool(truth), _) => Value::Bool(truth),
        (Recorded::Bytes, _) => Value::Bytes,
        (Recorded::Text, _) => Value::Text,
        (Recorded::Made(text), Some(range)) => {
            wire.put_text(field, range.clone(), format_args!("{text}"));
            return;
        }
        (Recorded::Made(text), None) => {
            wire.add_text(field, format_args!("{text}"));
            return;
        }
    };
    match range {
        Some(range) => wire.put(field, value, range),
        None => wire.add(field, value),
    };
}
