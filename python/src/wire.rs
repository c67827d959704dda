//! `Wire`: the cursor of a protocol in Python.
//!
//! Reads are recorded with their positions and replayed on the engine's cursor when the Python method has returned, so that
//! no Python object borrows the frame.

use crate::errors;
use crate::protocol::Own;
use proto_dissect::tree::{Kind, Level};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A value that was read or stated.
pub enum Recorded {
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Double(f64),
    Bool(bool),
    /// The bytes of the range, also those of addresses.
    Bytes,
    /// The text of the range, UTF-8.
    Text,
    /// Text in another encoding, or that is not on the wire.
    Made(String),
}

/// What a protocol did with its cursor.
pub enum Op {
    /// A field at a range; without one it is not on the wire.
    Value(&'static proto_dissect::tree::Field, Recorded, Option<Range<usize>>),
    /// A group over this range begins.
    Open(&'static proto_dissect::tree::Field, Range<usize>),
    /// The innermost group ends.
    Close,
    Note(Level, String),
    Name(String),
    Info(String),
    /// Bytes made of a range, with what was read from them.
    Inner(Range<usize>, Arc<[u8]>, Operations),
}

/// Operations of a cursor, in order.
#[derive(Clone, Default)]
pub struct Operations(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    all: Vec<Op>,
    /// Places of the groups that are open, the innermost last.
    open: Vec<usize>,
}

impl Operations {
    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds one.
    fn push(&self, op: Op) {
        self.with(|kept| kept.all.push(op));
    }

    /// Begins a group.
    fn open(&self, field: &'static proto_dissect::tree::Field, at: usize) {
        self.with(|kept| {
            kept.open.push(kept.all.len());
            kept.all.push(Op::Open(field, at..at));
        });
    }

    /// Ends the innermost group.
    fn close(&self, at: usize) {
        self.with(|kept| {
            let Some(place) = kept.open.pop() else { return };
            if let Some(Op::Open(_, range)) = kept.all.get_mut(place) {
                range.end = at;
            }
            kept.all.push(Op::Close);
        });
    }

    /// Takes all. Groups that are still open end at the last operation.
    pub fn take(&self) -> Vec<Op> {
        self.with(|kept| std::mem::take(kept).all)
    }
}

/// The cursor.
#[pyclass(module = "proto_dissect")]
pub struct Wire {
    own: &'static Own,
    bytes: Arc<[u8]>,
    at: usize,
    truncated: bool,
    operations: Operations,
}

/// A group, as a context manager.
#[pyclass(frozen, module = "proto_dissect")]
pub struct Group {
    wire: Py<Wire>,
}

#[pymethods]
impl Group {
    fn __enter__(&self, py: Python<'_>) -> Py<Wire> {
        self.wire.clone_ref(py)
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyTuple>) {
        let wire = self.wire.borrow(py);
        wire.operations.close(wire.at);
    }
}

/// Declares methods that read a number of fixed size.
macro_rules! numbers {
    ($($name:ident $type:ty, $size:literal, $from:ident, $kind:ident, $recorded:ident;)*) => {
        #[pymethods]
        impl Wire {
            $(
                #[doc = concat!("Reads a number: `", stringify!($name), "`.")]
                fn $name(&mut self, py: Python<'_>, name: &str) -> PyResult<$type> {
                    let range = self.next(py, $size)?;
                    let bytes = self.bytes.get(range.clone()).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
                    let number = <$type>::$from(bytes);
                    self.add(name, Kind::$kind, Recorded::$recorded(number.into()), Some(range))?;
                    Ok(number)
                }
            )*
        }
    };
}

numbers! {
    u8 u8, 1, from_le_bytes, Number, Unsigned;
    u16le u16, 2, from_le_bytes, Number, Unsigned;
    u16be u16, 2, from_be_bytes, Number, Unsigned;
    u32le u32, 4, from_le_bytes, Number, Unsigned;
    u32be u32, 4, from_be_bytes, Number, Unsigned;
    u64le u64, 8, from_le_bytes, Number, Unsigned;
    u64be u64, 8, from_be_bytes, Number, Unsigned;
    i8 i8, 1, from_le_bytes, Number, Signed;
    i16le i16, 2, from_le_bytes, Number, Signed;
    i16be i16, 2, from_be_bytes, Number, Signed;
    i32le i32, 4, from_le_bytes, Number, Signed;
    i32be i32, 4, from_be_bytes, Number, Signed;
    i64le i64, 8, from_le_bytes, Number, Signed;
    i64be i64, 8, from_be_bytes, Number, Signed;
    f32le f32, 4, from_le_bytes, Float, Single;
    f32be f32, 4, from_be_bytes, Float, Single;
    f64le f64, 8, from_le_bytes, Float, Double;
    f64be f64, 8, from_be_bytes, Float, Double;
}

#[pymethods]
impl Wire {
    /// Reads three bytes, the lowest first.
    fn u24le(&mut self, py: Python<'_>, name: &str) -> PyResult<u32> {
        self.u24(py, name, |[one, two, three]| u32::from_le_bytes([one, two, three, 0]))
    }

    /// Reads three bytes, the highest first.
    fn u24be(&mut self, py: Python<'_>, name: &str) -> PyResult<u32> {
        self.u24(py, name, |[one, two, three]| u32::from_be_bytes([0, one, two, three]))
    }

    /// Reads a number in LEB128: seven bits a byte, the lowest first.
    fn varint(&mut self, py: Python<'_>, name: &str) -> PyResult<u64> {
        let (start, mut number) = (self.at, 0_u64);
        for shift in (0..64).step_by(7) {
            let range = self.next(py, 1)?;
            let byte = self.bytes.get(range).and_then(<[u8]>::first).copied().unwrap_or_default();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                self.add(name, Kind::Number, Recorded::Unsigned(number), Some(start..self.at))?;
                return Ok(number);
            }
        }
        Err(PyValueError::new_err("the number has more than 64 bits"))
    }

    /// Reads a truth value: a byte that is not 0.
    fn bool(&mut self, py: Python<'_>, name: &str) -> PyResult<bool> {
        let range = self.next(py, 1)?;
        let truth = self.bytes.get(range.clone()).is_some_and(|bytes| bytes != [0]);
        self.add(name, Kind::Bool, Recorded::Bool(truth), Some(range))?;
        Ok(truth)
    }

    /// Reads bytes.
    fn bytes<'py>(&mut self, py: Python<'py>, name: &str, count: usize) -> PyResult<Bound<'py, PyBytes>> {
        let range = self.next(py, count)?;
        let bytes = PyBytes::new(py, self.bytes.get(range.clone()).unwrap_or_default());
        self.add(name, Kind::Bytes, Recorded::Bytes, Some(range))?;
        Ok(bytes)
    }

    /// Reads text of so many bytes.
    #[pyo3(signature = (name, count, encoding="utf-8"))]
    fn text<'py>(&mut self, py: Python<'py>, name: &str, count: usize, encoding: &str) -> PyResult<Bound<'py, PyAny>> {
        let range = self.next(py, count)?;
        self.decoded(py, name, range.clone(), range, encoding)
    }

    /// Reads text up to a byte 0, which belongs to it.
    #[pyo3(signature = (name, encoding="utf-8"))]
    fn text_nul<'py>(&mut self, py: Python<'py>, name: &str, encoding: &str) -> PyResult<Bound<'py, PyAny>> {
        let ahead = self.bytes.get(self.at..).unwrap_or_default();
        let count = ahead.iter().position(|byte| *byte == 0).unwrap_or(ahead.len());
        let range = self.next(py, count + 1)?;
        self.decoded(py, name, range.start..range.end - 1, range, encoding)
    }

    /// Reads an IPv4 address.
    fn ipv4(&mut self, py: Python<'_>, name: &str) -> PyResult<Ipv4Addr> {
        let range = self.next(py, 4)?;
        let bytes: [u8; 4] = self.bytes.get(range.clone()).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        self.add(name, Kind::Ipv4, Recorded::Bytes, Some(range))?;
        Ok(bytes.into())
    }

    /// Reads an IPv6 address.
    fn ipv6(&mut self, py: Python<'_>, name: &str) -> PyResult<Ipv6Addr> {
        let range = self.next(py, 16)?;
        let bytes: [u8; 16] = self.bytes.get(range.clone()).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        self.add(name, Kind::Ipv6, Recorded::Bytes, Some(range))?;
        Ok(bytes.into())
    }

    /// Reads all remaining bytes.
    fn rest<'py>(&mut self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        self.bytes(py, name, self.remaining())
    }

    /// Passes bytes without a field.
    fn skip(&mut self, py: Python<'_>, count: usize) -> PyResult<()> {
        self.next(py, count).map(drop)
    }

    /// The next bytes, which stay unread; fewer at the end.
    #[pyo3(signature = (count=None))]
    fn peek<'py>(&self, py: Python<'py>, count: Option<usize>) -> Bound<'py, PyBytes> {
        let ahead = self.bytes.get(self.at..).unwrap_or_default();
        PyBytes::new(py, count.and_then(|count| ahead.get(..count)).unwrap_or(ahead))
    }

    /// States a value that is not on the wire: an int, a float, a bool or text.
    fn value(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (kind, recorded) = if let Ok(truth) = value.cast::<pyo3::types::PyBool>() {
            (Kind::Bool, Recorded::Bool(truth.is_true()))
        } else if let Ok(number) = value.extract::<u64>() {
            (Kind::Number, Recorded::Unsigned(number))
        } else if let Ok(number) = value.extract::<i64>() {
            (Kind::Number, Recorded::Signed(number))
        } else if let Ok(number) = value.extract::<f64>() {
            (Kind::Float, Recorded::Double(number))
        } else {
            (Kind::Text, Recorded::Made(value.cast::<PyString>()?.to_string()))
        };
        self.add(name, kind, recorded, None)
    }

    /// A group of fields: `with wire.group("entry"): …`.
    fn group(this: Py<Wire>, py: Python<'_>, name: &str) -> PyResult<Group> {
        {
            let wire = this.borrow(py);
            let field = wire.own.field(name, Kind::Group)?;
            wire.operations.open(field, wire.at);
        }
        Ok(Group { wire: this })
    }

    /// A cursor over bytes that were made of the next `count` ones, such as decrypted or decompressed ones; by default of all.
    #[pyo3(signature = (data, count=None))]
    fn inner(&mut self, py: Python<'_>, data: &[u8], count: Option<usize>) -> PyResult<Wire> {
        let range = self.next(py, count.unwrap_or(self.remaining()))?;
        let (bytes, operations): (Arc<[u8]>, _) = (data.into(), Operations::default());
        self.operations.push(Op::Inner(range, Arc::clone(&bytes), operations.clone()));
        Ok(Wire { own: self.own, bytes, at: 0, truncated: false, operations })
    }

    /// Notes something: `info`, `odd` or `broken`.
    #[pyo3(signature = (text, level="odd"))]
    fn note(&self, text: String, level: &str) -> PyResult<()> {
        let level = [Level::Info, Level::Odd, Level::Broken].into_iter().find(|known| known.word() == level);
        let level = level.ok_or_else(|| PyValueError::new_err("level: expected info, odd or broken"))?;
        self.operations.push(Op::Note(level, text));
        Ok(())
    }

    /// Sets the name of the message.
    fn name(&self, name: String) {
        self.operations.push(Op::Name(name));
    }

    /// Sets the summary of the message.
    fn info(&self, info: String) {
        self.operations.push(Op::Info(info));
    }

    /// Offset of the next byte in the message.
    #[getter]
    fn at(&self) -> usize {
        self.at
    }

    /// Number of unread bytes.
    #[getter]
    fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Whether the capture lacks the end of the message.
    #[getter]
    fn truncated(&self) -> bool {
        self.truncated
    }
}

impl Wire {
    /// A cursor over a message.
    pub fn new(own: &'static Own, bytes: &[u8], truncated: bool) -> Wire {
        Wire { own, bytes: bytes.into(), at: 0, truncated, operations: Operations::default() }
    }

    /// What was read, and how far.
    pub fn finish(&self) -> (Vec<Op>, usize) {
        while self.operations.with(|kept| !kept.open.is_empty()) {
            self.operations.close(self.at);
        }
        (self.operations.take(), self.at)
    }

    /// The range of the next bytes, which are passed.
    fn next(&mut self, py: Python<'_>, count: usize) -> PyResult<Range<usize>> {
        let left = self.remaining();
        if count > left {
            let text = format!("{} more bytes are needed at offset {}", count - left, self.at);
            return Err(errors::raise(py, "Truncated", (text, count - left)));
        }
        self.at += count;
        Ok(self.at - count..self.at)
    }

    fn add(&self, name: &str, kind: Kind, value: Recorded, range: Option<Range<usize>>) -> PyResult<()> {
        self.operations.push(Op::Value(self.own.field(name, kind)?, value, range));
        Ok(())
    }

    fn u24(&mut self, py: Python<'_>, name: &str, number: fn([u8; 3]) -> u32) -> PyResult<u32> {
        let range = self.next(py, 3)?;
        let bytes = self.bytes.get(range.clone()).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        let number = number(bytes);
        self.add(name, Kind::Number, Recorded::Unsigned(number.into()), Some(range))?;
        Ok(number)
    }

    fn decoded<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        text: Range<usize>,
        whole: Range<usize>,
        encoding: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = PyBytes::new(py, self.bytes.get(text).unwrap_or_default());
        let decoded = bytes.call_method1("decode", (encoding, "replace"))?;
        let is_utf8 = matches!(encoding, "utf-8" | "utf8" | "ascii");
        let recorded = if is_utf8 { Recorded::Text } else { Recorded::Made(decoded.extract()?) };
        self.add(name, Kind::Text, recorded, Some(whole))?;
        Ok(decoded)
    }
}
