//! `Field`: a field of a message, with its children.

use crate::errors;
use crate::lookup::{Names, Subject};
use crate::reader::Kept;
use crate::value;
use proto_dissect::record::location_of;
use proto_dissect::tree::{NodeRef, Value};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A field. It refers to the message's frame, which stays in memory with it.
#[pyclass(frozen, module = "proto_dissect")]
pub struct Field {
    kept: Arc<Kept>,
    place: u32,
    parent: Option<u32>,
    names: Arc<Names>,
}

impl Field {
    /// The field of a node.
    pub fn new(kept: &Arc<Kept>, node: NodeRef<'_>, names: &Arc<Names>) -> Field {
        let parent = node.parent().map(NodeRef::place);
        Field { kept: Arc::clone(kept), place: node.place(), parent, names: Arc::clone(names) }
    }

    fn node(&self) -> PyResult<NodeRef<'_>> {
        self.kept
            .of()
            .node_below(self.place, self.parent)
            .ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("the field is gone"))
    }

    fn values<'py>(&self, py: Python<'py>, name: &str, most: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let known = self.names.known(py, name)?;
        let subject = Subject { py, kept: &self.kept, names: &self.names };
        let (mut values, node) = (Vec::new(), self.node()?);
        let below = (self.place..=node.last()).filter_map(|place| self.kept.of().node(place));
        subject.within(below, &known, &mut |value| {
            values.push(value);
            values.len() < most
        })?;
        Ok(values)
    }
}

#[pymethods]
impl Field {
    /// Filter name.
    #[getter]
    fn name(&self) -> PyResult<&'static str> {
        self.node().map(|node| node.field().abbrev)
    }

    /// Label, as in tables.
    #[getter]
    fn label(&self) -> PyResult<String> {
        let node = self.node()?;
        Ok(node.own_label().unwrap_or(node.field().name).to_owned())
    }

    /// Value: int, float, bool, str, bytes or an IP address; `None` for groups and masked numbers.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        value::of(py, self.node()?)
    }

    /// Meaning of the value, such as the name of a number; `None` without one.
    #[getter]
    fn text(&self) -> PyResult<Option<String>> {
        let node = self.node()?;
        let mut words = String::new();
        if node.write_meaning(&mut words).is_err() || words.is_empty() { Ok(None) } else { Ok(Some(words)) }
    }

    /// Offset in its buffer; `None` for a generated value.
    #[getter]
    fn offset(&self) -> PyResult<Option<u64>> {
        let span = self.node()?.span();
        Ok(span.is_somewhere().then(|| location_of(self.kept.of(), span).base + u64::from(span.start)))
    }

    /// Number of bytes; `None` for a generated value.
    #[getter]
    fn length(&self) -> PyResult<Option<u32>> {
        let span = self.node()?.span();
        Ok(span.is_somewhere().then(|| span.len()))
    }

    /// The buffer that the offset refers to: `frame/3`, `tcp/0/c2s`, `derived/0`.
    #[getter]
    fn buffer(&self) -> PyResult<String> {
        Ok(location_of(self.kept.of(), self.node()?.span()).buffer.to_string())
    }

    /// First bit and number of bits within the bytes, if the field is not all of them.
    #[getter]
    fn bits(&self) -> PyResult<Option<(u8, u8)>> {
        Ok(self.node()?.bits().map(|bits| (bits.first, bits.count)))
    }

    /// Its bytes; secrets are masked with asterisks.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.node()?.masked_bytes()))
    }

    /// Whether the value or a part of it is masked.
    #[getter]
    fn masked(&self) -> PyResult<bool> {
        let node = self.node()?;
        Ok(match node.value() {
            Value::None => false,
            _ if node.is_secret() => true,
            Value::Bytes => node.has_masked_bytes(),
            Value::Text | Value::Generated(_) => node.has_masked_bytes() && !node.field().public,
            _ => false,
        })
    }

    /// The fields inside.
    #[getter]
    fn fields(&self) -> PyResult<Vec<Field>> {
        Ok(self.node()?.children().map(|child| Field::new(&self.kept, child, &self.names)).collect())
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let fields = self.fields()?.into_pyobject(py)?;
        Ok(fields.try_iter()?.into_any().unbind())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.node()?.children().count())
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The first value of a name in it.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let missing = || errors::raise(py, "MissingField", (name.to_owned(),));
        self.values(py, name, 1)?.into_iter().next().ok_or_else(missing)
    }

    /// The first value of a name in it, or the default.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(&self, py: Python<'py>, name: &str, default: Option<Bound<'py, PyAny>>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.values(py, name, 1)?.into_iter().next().or(default))
    }

    /// All values of a name in it.
    fn all<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.values(py, name, usize::MAX)
    }

    fn __contains__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(!self.values(py, name, 1)?.is_empty())
    }

    fn __str__(&self) -> PyResult<String> {
        let node = self.node()?;
        let (mut shown, mut meaning) = (String::new(), String::new());
        // Writing to memory does not fail.
        let _ = node.write_value(&mut shown);
        let _ = node.write_meaning(&mut meaning);
        let label = node.own_label().unwrap_or(node.field().name);
        Ok(match (&*shown, &*meaning) {
            ("", "") => label.to_owned(),
            ("", only) | (only, "") => format!("{label}: {only}"),
            (shown, meaning) => format!("{label}: {shown} ({meaning})"),
        })
    }

    /// The fields, for a notebook.
    fn _repr_html_(this: Bound<'_, Field>) -> PyResult<Bound<'_, PyAny>> {
        this.py().import("proto_dissect._html")?.call_method1("of", (this,))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Field {} {}>", self.name()?, self.__str__()?))
    }
}
