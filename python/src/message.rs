//! `Message`: a record, which is a message, a packet, or a gap.

use crate::errors;
use crate::field::Field;
use crate::lookup::{Names, Subject};
use crate::reader::Kept;
use crate::value;
use proto_dissect::record::{Record, RecordPlace, level_of, words_of};
use proto_dissect::tree::{self, Ends, Gap, Layer, Level, Span};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A record. It owns a share of its frame's tree and stays valid when reading goes on.
#[pyclass(frozen, module = "proto_dissect")]
pub struct Message {
    kept: Arc<Kept>,
    place: RecordPlace,
    names: Arc<Names>,
}

/// A note: something that a dissector found unusual or wrong.
#[pyclass(frozen, get_all, module = "proto_dissect")]
pub struct Note {
    /// `info`, `odd` or `broken`.
    level: &'static str,
    /// Filter name of the note.
    code: &'static str,
    /// Explanation.
    text: String,
}

#[pymethods]
impl Note {
    fn __str__(&self) -> String {
        format!("{}: {}", self.level, if self.text.is_empty() { self.code } else { &self.text })
    }

    fn __repr__(&self) -> String {
        format!("<Note {} {}>", self.code, self.__str__())
    }
}

impl Message {
    /// The record at a place of a tree.
    pub fn new(kept: Arc<Kept>, place: RecordPlace, names: Arc<Names>) -> Message {
        Message { kept, place, names }
    }

    fn record(&self) -> PyResult<Record<'_>> {
        let record = self.place.clone().record(self.kept.of(), None);
        record.ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("the record is gone"))
    }

    fn ends(&self) -> PyResult<Option<&Ends>> {
        Ok(match self.record()? {
            Record::Message(message) => message.ends(),
            Record::Packet(packet) => packet.ends(),
            Record::Late(late) => late.ends(),
            Record::Gap(_) => None,
        })
    }

    fn gap(&self) -> PyResult<Option<&Gap>> {
        Ok(match self.record()? {
            Record::Gap(gap) => Some(gap),
            _ => None,
        })
    }

    /// Layers, outermost first.
    fn all_layers(&self) -> PyResult<Vec<&Layer>> {
        Ok(match self.record()? {
            Record::Message(message) => {
                let mut layers = message.carriers();
                layers.push(message.layer);
                layers
            }
            Record::Packet(packet) => packet.layers().collect(),
            Record::Late(late) => late.layers.iter().collect(),
            Record::Gap(_) => Vec::new(),
        })
    }

    /// Name and summary.
    fn words(&self) -> PyResult<(String, String)> {
        let of = self.kept.of();
        Ok(match self.record()? {
            Record::Message(message) => (message.name().to_owned(), message.info().into_owned()),
            Record::Packet(packet) => {
                let (name, info) = words_of(of, packet.layers());
                (name.into_owned(), info.into_owned())
            }
            Record::Late(late) => {
                let (name, info) = words_of(of, late.layers.iter());
                (name.into_owned(), info.into_owned())
            }
            Record::Gap(gap) => ("gap".to_owned(), format!("{} bytes missing", gap.len)),
        })
    }

    fn values<'py>(&self, py: Python<'py>, name: &str, most: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let known = self.names.known(py, name)?;
        let (record, mut values) = (self.record()?, Vec::new());
        Subject { py, kept: &self.kept, names: &self.names }.of_record(&record, &known, &mut |value| {
            values.push(value);
            values.len() < most
        })?;
        Ok(values)
    }

    fn fields_of(&self, layers: &[&Layer]) -> Vec<Field> {
        let nodes = layers.iter().filter_map(|layer| self.kept.of().layer_node(layer));
        nodes.map(|node| Field::new(&self.kept, node, &self.names)).collect()
    }

    fn timestamp(&self) -> PyResult<tree::Time> {
        Ok(match self.record()? {
            Record::Message(message) => message.time(),
            Record::Packet(packet) => packet.of.tree.frame.time,
            Record::Late(late) => late.times.time,
            Record::Gap(_) => self.kept.of().tree.frame.time,
        })
    }
}

#[pymethods]
impl Message {
    /// `message`, `packet`, `late` (messages that a frame completed and that were dissected later) or `gap`.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        Ok(match self.record()? {
            Record::Message(_) => "message",
            Record::Packet(_) => "packet",
            Record::Late(_) => "late",
            Record::Gap(_) => "gap",
        })
    }

    /// Number of the message, from 1; of a packet, that of its frame.
    #[getter]
    fn number(&self) -> PyResult<u64> {
        Ok(match self.record()? {
            Record::Message(message) => message.n,
            Record::Packet(packet) => packet.of.tree.frame.number,
            Record::Late(late) => late.frame(),
            Record::Gap(gap) => gap.frame,
        })
    }

    /// Capture time in UTC, with microseconds; `None` without one, or beyond the year 9999.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.timestamp()?.map(|time| value::datetime(py, time)).transpose()
    }

    /// Capture time in nanoseconds since 1970.
    #[getter]
    fn time_ns(&self) -> PyResult<Option<i128>> {
        Ok(self.timestamp()?.map(value::nanos))
    }

    /// Filter name of the protocol; of a packet, of its innermost one.
    #[getter]
    fn protocol(&self) -> PyResult<Option<&'static str>> {
        let of = self.kept.of();
        let layer = match self.record()? {
            Record::Message(message) => Some(message.layer),
            Record::Packet(packet) => packet.innermost(),
            Record::Late(late) => late.innermost(),
            Record::Gap(_) => None,
        };
        Ok(layer.and_then(|layer| of.layer_node(layer)).map(|node| node.field().abbrev))
    }

    /// Protocols from the outermost to its own: `eth:ip:tcp:xfire`.
    #[getter]
    fn path(&self) -> PyResult<String> {
        let path = match self.record()? {
            Record::Message(message) => Some(message.path()),
            Record::Packet(packet) => packet.path(),
            Record::Late(late) => late.path(),
            Record::Gap(_) => None,
        };
        Ok(path.map(|path| path.to_string()).unwrap_or_default())
    }

    /// Name of the type of message; may be empty.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.words().map(|(name, _)| name)
    }

    /// Summary; may be empty.
    #[getter]
    fn info(&self) -> PyResult<String> {
        self.words().map(|(_, info)| info)
    }

    /// `c2s` or `s2c`; `None` if unknown.
    #[getter]
    fn direction(&self) -> PyResult<Option<&'static str>> {
        if let Some(gap) = self.gap()? {
            return Ok(Some(gap.side.direction()));
        }
        Ok(self.ends()?.and_then(Ends::direction).map(|side| side.direction()))
    }

    /// Sender, such as `192.0.2.1:80`.
    #[getter]
    fn source(&self) -> PyResult<Option<String>> {
        Ok(self.ends()?.and_then(|ends| ends.src).map(|end| end.to_string()))
    }

    /// Receiver.
    #[getter]
    fn destination(&self) -> PyResult<Option<String>> {
        Ok(self.ends()?.and_then(|ends| ends.dst).map(|end| end.to_string()))
    }

    /// Conversation, such as `tcp/0`.
    #[getter]
    fn stream(&self) -> PyResult<Option<String>> {
        if let Some(gap) = self.gap()? {
            return Ok(Some(gap.stream.to_string()));
        }
        Ok(self.ends()?.and_then(|ends| ends.stream).map(|(stream, _)| stream.to_string()))
    }

    /// Numbers of the frames that carry it.
    #[getter]
    fn frames(&self) -> PyResult<Vec<u64>> {
        Ok(match self.record()? {
            Record::Message(message) => message.frames(),
            Record::Packet(packet) => vec![packet.of.tree.frame.number],
            Record::Late(late) => late.frames(),
            Record::Gap(gap) => vec![gap.frame],
        })
    }

    /// Name of the input.
    #[getter]
    fn file(&self) -> &str {
        &self.kept.file
    }

    /// The bytes of the message, or of the whole frame; secrets are masked with asterisks.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(match self.record()? {
            Record::Message(message) => match message.node().filter(|node| node.span().is_somewhere()) {
                Some(node) => PyBytes::new(py, &node.masked_bytes()),
                None => PyBytes::new(py, b""),
            },
            Record::Packet(packet) => PyBytes::new(py, &packet.of.masked_frame()),
            Record::Late(_) | Record::Gap(_) => PyBytes::new(py, b""),
        })
    }

    /// Offset of its bytes in their buffer.
    #[getter]
    fn offset(&self) -> PyResult<Option<u64>> {
        Ok(match self.record()? {
            Record::Message(message) => message
                .node()
                .map(|node| node.span())
                .filter(|span| span.is_somewhere())
                .map(|span| proto_dissect::record::location_of(self.kept.of(), span).base + u64::from(span.start)),
            Record::Gap(gap) => Some(gap.off),
            Record::Packet(_) => Some(0),
            Record::Late(_) => None,
        })
    }

    /// The buffer of its bytes: `frame/3`, or a direction of a stream, `tcp/0/c2s`.
    #[getter]
    fn buffer(&self) -> PyResult<Option<String>> {
        let buffer = |span: Span| proto_dissect::record::location_of(self.kept.of(), span).buffer.to_string();
        Ok(match self.record()? {
            Record::Message(message) => message.node().map(|node| buffer(node.span())),
            Record::Packet(packet) => Some(format!("frame/{}", packet.of.tree.frame.number)),
            Record::Gap(gap) => Some(format!("{}/{}", gap.stream, gap.side)),
            Record::Late(_) => None,
        })
    }

    /// Number of its bytes; of a gap, of those missing.
    fn __len__(&self) -> PyResult<usize> {
        Ok(match self.record()? {
            Record::Message(message) => message.node().map_or(0, |node| node.span().len() as usize),
            Record::Packet(packet) => packet.of.bytes.len(),
            Record::Late(_) => 0,
            Record::Gap(gap) => usize::try_from(gap.len).unwrap_or(usize::MAX),
        })
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// The fields of the message; of a packet, its layers.
    #[getter]
    fn fields(&self) -> PyResult<Vec<Field>> {
        Ok(match self.record()? {
            Record::Message(message) => {
                let node = message.node().into_iter().flat_map(|node| node.children());
                node.map(|child| Field::new(&self.kept, child, &self.names)).collect()
            }
            _ => self.layers()?,
        })
    }

    /// The layers, outermost first: headers, then the message.
    #[getter]
    fn layers(&self) -> PyResult<Vec<Field>> {
        Ok(self.fields_of(&self.all_layers()?))
    }

    /// What dissectors found unusual or wrong.
    #[getter]
    fn notes(&self) -> PyResult<Vec<Note>> {
        let notes: Vec<&tree::Note> = match self.record()? {
            Record::Message(message) => message.notes().collect(),
            Record::Packet(packet) => packet.notes().collect(),
            Record::Late(late) => late.notes().collect(),
            Record::Gap(_) => Vec::new(),
        };
        let text = |note: &tree::Note| self.kept.of().tree.generated_text(note.text).to_owned();
        Ok(notes
            .into_iter()
            .map(|note| Note { level: level_of(note).word(), code: note.code.abbrev, text: text(note) })
            .collect())
    }

    /// Whether a note is of the level `broken`.
    #[getter]
    fn malformed(&self) -> PyResult<bool> {
        Ok(match self.record()? {
            Record::Message(message) => message.is_malformed(),
            Record::Packet(packet) => packet.notes().any(|note| level_of(note) == Level::Broken),
            Record::Late(late) => late.notes().any(|note| level_of(note) == Level::Broken),
            Record::Gap(_) => false,
        })
    }

    /// The first value of a name.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let missing = || errors::raise(py, "MissingField", (name.to_owned(),));
        self.values(py, name, 1)?.into_iter().next().ok_or_else(missing)
    }

    /// The first value of a name, or the default. A name that no protocol has is an error.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(&self, py: Python<'py>, name: &str, default: Option<Bound<'py, PyAny>>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.values(py, name, 1)?.into_iter().next().or(default))
    }

    /// All values of a name.
    fn all<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.values(py, name, usize::MAX)
    }

    fn __contains__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(!self.values(py, name, 1)?.is_empty())
    }

    /// The table of the command line.
    fn __str__(&self) -> PyResult<String> {
        let record = self.record()?;
        proto_dissect::cli::embedded::table_of(&record)
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }

    /// The fields, for a notebook.
    fn _repr_html_(this: Bound<'_, Message>) -> PyResult<Bound<'_, PyAny>> {
        this.py().import("proto_dissect._html")?.call_method1("of", (this,))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!(
            "<{} {}: {}>",
            match self.kind()? {
                "message" => "Message",
                "packet" => "Packet",
                "late" => "Late",
                _ => "Gap",
            },
            self.number()?,
            self.record()?
        ))
    }
}
