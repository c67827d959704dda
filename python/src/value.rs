//! Python values of fields: the same type for all values of a name.

use proto_dissect::record::JsonType;
use proto_dissect::tree::{Computed, Field, Kind, NodeRef, Timestamp, Value};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};
use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

/// A truth value.
pub fn truth(py: Python<'_>, truth: bool) -> Bound<'_, PyAny> {
    PyBool::new(py, truth).to_owned().into_any()
}

/// An integer.
pub fn number(py: Python<'_>, number: u64) -> PyResult<Bound<'_, PyAny>> {
    Ok(number.into_pyobject(py)?.into_any())
}

/// Text.
pub fn text<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyAny> {
    PyString::new(py, text).into_any()
}

/// Seconds of nanoseconds.
pub fn seconds(py: Python<'_>, nanos: i128) -> PyResult<Bound<'_, PyAny>> {
    // The difference of two times; a float has the precision of JSON.
    Ok(PyFloat::new(py, nanos as f64 / 1e9).into_any())
}

/// The value of a node; `None` for groups, and for numbers that are masked.
pub fn of<'py>(py: Python<'py>, node: NodeRef<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let kind = node.field().kind;
    Ok(Some(match node.value() {
        Value::None => return Ok(None),
        _ if node.is_secret() && !matches!(kind, Kind::Text | Kind::Mac | Kind::Bytes) => return Ok(None),
        Value::Unsigned(number) => match kind {
            Kind::Ipv4 => match u32::try_from(number) {
                Ok(number) => Ipv4Addr::from(number).into_pyobject(py)?.into_any(),
                Err(_) => return Ok(None),
            },
            Kind::Bool => truth(py, number != 0),
            Kind::Float => PyFloat::new(py, number as f64).into_any(),
            _ => PyInt::new(py, number).into_any(),
        },
        Value::Signed(number) => match kind {
            Kind::Float => PyFloat::new(py, number as f64).into_any(),
            _ => PyInt::new(py, number).into_any(),
        },
        Value::Single(number) => PyFloat::new(py, shortest(number)).into_any(),
        Value::Double(number) => PyFloat::new(py, number).into_any(),
        Value::Bool(value) => match kind {
            Kind::Number => PyInt::new(py, u8::from(value)).into_any(),
            _ => truth(py, value),
        },
        Value::Bytes => match kind {
            Kind::Mac => plain(py, node),
            Kind::Ipv4 => match <[u8; 4]>::try_from(node.value_bytes()) {
                Ok(bytes) => Ipv4Addr::from(bytes).into_pyobject(py)?.into_any(),
                Err(_) => plain(py, node),
            },
            Kind::Ipv6 => match <[u8; 16]>::try_from(node.value_bytes()) {
                Ok(bytes) => Ipv6Addr::from(bytes).into_pyobject(py)?.into_any(),
                Err(_) => plain(py, node),
            },
            _ => PyBytes::new(py, &masked_bytes(node)).into_any(),
        },
        Value::Text | Value::Generated(_) | Value::At(_) => text(py, &node.text()),
    }))
}

/// The bytes of a value; secret ones are asterisks.
fn masked_bytes(node: NodeRef<'_>) -> Cow<'_, [u8]> {
    if !node.has_masked_bytes() && !node.is_secret() {
        return Cow::Borrowed(node.value_bytes());
    }
    let tree = node.dissection().tree;
    let span = match tree.nodes.get(node.place() as usize).map(|node| node.value) {
        Some(Value::At(span)) => span,
        _ => node.span(),
    };
    tree.masked(span, node.value_bytes())
}

/// A 32-bit float as the double of its shortest decimal form: 0.1, not 0.10000000149.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| number.into())
}

fn plain<'py>(py: Python<'py>, node: NodeRef<'_>) -> Bound<'py, PyAny> {
    let mut plain = String::new();
    // Writing to memory does not fail.
    let _ = node.write_plain(&mut plain);
    text(py, &plain)
}

/// The value of a name that fields of several types share, as text.
pub fn joint<'py>(py: Python<'py>, node: NodeRef<'_>) -> Option<Bound<'py, PyAny>> {
    Some(match node.value() {
        Value::None => return None,
        _ if node.is_secret() => text(py, proto_dissect::tree::MASKED_TEXT),
        Value::Bool(value) => text(py, if value { "true" } else { "false" }),
        Value::Unsigned(number) if JsonType::of(node.field().kind) == JsonType::Number => text(py, &number.to_string()),
        Value::Text | Value::Generated(_) => text(py, &node.text()),
        _ => plain(py, node),
    })
}

/// The value of a generated field.
pub fn computed<'py>(py: Python<'py>, field: &Field, computed: &Computed<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match computed {
        Computed::Number(number) if field.kind == Kind::Bool => truth(py, *number != 0),
        Computed::Number(number) if matches!(field.kind, Kind::Number | Kind::Float) => self::number(py, *number)?,
        Computed::Number(number) => text(py, &number.to_string()),
        Computed::Bool(value) if field.kind == Kind::Number => number(py, (*value).into())?,
        Computed::Bool(value) => truth(py, *value),
        Computed::Text(bytes) => text(py, &String::from_utf8_lossy(bytes)),
        Computed::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
    })
}

/// A time in UTC, with microseconds; the text of its seconds if it is beyond the calendar.
pub fn datetime(py: Python<'_>, time: Timestamp) -> PyResult<Bound<'_, PyAny>> {
    static MAKERS: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();
    let (epoch, delta) = MAKERS.get_or_try_init(py, || {
        let module = py.import("datetime")?;
        let utc = module.getattr("timezone")?.getattr("utc")?;
        let epoch = module.getattr("datetime")?.call_method1("fromtimestamp", (0, utc))?;
        Ok::<_, PyErr>((epoch.unbind(), module.getattr("timedelta")?.unbind()))
    })?;
    let delta = delta.bind(py).call1((0, time.seconds, time.nanos / 1000));
    match delta.and_then(|delta| epoch.bind(py).call_method1("__add__", (delta,))) {
        Ok(time) => Ok(time),
        Err(_) => Ok(py.None().into_bound(py)),
    }
}

/// Nanoseconds since 1970.
pub fn nanos(time: Timestamp) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos)
}
