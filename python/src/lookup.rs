//! Values by field name: of a message with its carriers, or of a part of it.

use crate::errors;
use crate::reader::Kept;
use crate::value;
use proto_dissect::cli::embedded;
use proto_dissect::filter;
use proto_dissect::record::pseudo::PseudoValue;
use proto_dissect::record::{Keyed, Record, Remembered, RememberedValue};
use proto_dissect::registry::Registry;
use proto_dissect::render::Values;
use proto_dissect::tree::{Field, Kind, NodeRef};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A name that was looked up before.
pub struct Known {
    of: Values,
    /// Whether fields of several types share the name, so that values are text.
    is_joint: bool,
    is_generated: bool,
    is_noted: bool,
}

/// The names that a reader's program uses.
pub struct Names {
    /// The protocols.
    pub registry: Registry,
    known: Mutex<HashMap<Box<str>, Arc<Known>>>,
}

/// Names kept; more are looked up each time.
const MOST: usize = 4096;

impl Names {
    /// Without names.
    pub fn new(registry: Registry) -> Names {
        Names { registry, known: Mutex::default() }
    }

    /// The meaning of a name.
    pub fn known(&self, py: Python<'_>, name: &str) -> PyResult<Arc<Known>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name) {
            return Ok(Arc::clone(known));
        }
        let of = filter::column(name, self.registry).map_err(|mistake| {
            let words = if filter::is_name(name) { embedded::unknown_field(name) } else { mistake.to_string() };
            errors::raise(py, "UnknownField", (words,))
        })?;
        let fields: &[&'static Field] = if let Values::Fields(fields) = &of.of { fields } else { &[] };
        let found = Arc::new(Known {
            is_joint: fields.iter().any(|field| Keyed::of(field).joint == Some(name)),
            is_generated: fields.iter().any(|field| field.generated.is_some()),
            is_noted: fields.iter().any(|field| matches!(field.kind, Kind::Note(_))),
            of: of.of,
        });
        if known.len() < MOST {
            known.insert(name.into(), Arc::clone(&found));
        }
        Ok(found)
    }
}

/// Receives values until it returns false.
type Take<'a, 'py> = dyn FnMut(Bound<'py, PyAny>) -> bool + 'a;

/// What values are looked up in.
pub struct Subject<'t, 'py> {
    /// The interpreter.
    pub py: Python<'py>,
    /// The frame.
    pub kept: &'t Arc<Kept>,
    /// Names, for groups that are values.
    pub names: &'t Arc<Names>,
}

impl<'t, 'py> Subject<'t, 'py> {
    /// Passes on the values of a record.
    pub fn of_record(&self, record: &'t Record<'t>, known: &Known, take: &mut Take<'_, 'py>) -> PyResult<()> {
        match &known.of {
            Values::Fields(fields) => {
                let mut any = false;
                let mut counted = |value| {
                    any = true;
                    take(value)
                };
                if !self.of_nodes(record.nodes(), fields, known, &mut counted)? {
                    return Ok(());
                }
                if known.is_noted {
                    let notes: Vec<_> = match record {
                        Record::Message(message) => message.notes().collect(),
                        Record::Packet(packet) => packet.notes().collect(),
                        Record::Late(late) => late.notes().collect(),
                        Record::Gap(_) => Vec::new(),
                    };
                    for _ in notes.iter().filter(|note| fields.iter().any(|field| field.is(note.code))) {
                        if !counted(value::truth(self.py, true)) {
                            return Ok(());
                        }
                    }
                }
                if !any && let Some(remembered) = Remembered::of(record) {
                    for known in fields.iter().filter_map(|field| remembered.value(field)) {
                        let value = match known {
                            RememberedValue::Number(number) => value::number(self.py, number)?,
                            RememberedValue::Ip(address) => address.into_pyobject(self.py)?.into_any(),
                        };
                        if !take(value) {
                            return Ok(());
                        }
                    }
                }
                Ok(())
            }
            Values::Pseudo(pseudo) => match (pseudo.of)(record) {
                Some(answer) => self.of_pseudo(&answer, take),
                None => Ok(()),
            },
            Values::Computed(computation) => {
                let mut goes_on = true;
                (computation.each)(record, &mut |text| {
                    if goes_on {
                        goes_on = take(value::text(self.py, text));
                    }
                });
                Ok(())
            }
        }
    }

    /// Passes on values of nodes. Returns false if the receiver has enough.
    pub fn of_nodes(
        &self,
        nodes: impl Iterator<Item = NodeRef<'t>>,
        fields: &[&'static Field],
        known: &Known,
        take: &mut Take<'_, 'py>,
    ) -> PyResult<bool> {
        for node in nodes {
            for field in fields {
                if field.is(node.field()) {
                    let value = if known.is_joint { value::joint(self.py, node) } else { value::of(self.py, node)? };
                    let value = match value {
                        Some(value) => value,
                        None if node.has_children() || matches!(node.field().kind, Kind::Group | Kind::Protocol) => {
                            self.field(node)?
                        }
                        None => self.py.None().into_bound(self.py),
                    };
                    if !take(value) {
                        return Ok(false);
                    }
                }
                if known.is_generated && field.generated.is_some() {
                    let (mut goes_on, mut failed) = (true, None);
                    field.compute(node, &mut |computed| {
                        if goes_on && failed.is_none() {
                            match value::computed(self.py, field, &computed) {
                                Ok(value) => goes_on = take(value),
                                Err(error) => failed = Some(error),
                            }
                        }
                    });
                    if let Some(error) = failed {
                        return Err(error);
                    }
                    if !goes_on {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Passes on values of these nodes by name.
    pub fn within(&self, nodes: impl Iterator<Item = NodeRef<'t>>, known: &Known, take: &mut Take<'_, 'py>) -> PyResult<()> {
        match &known.of {
            Values::Fields(fields) => self.of_nodes(nodes, fields, known, take).map(drop),
            Values::Pseudo(_) | Values::Computed(_) => Ok(()),
        }
    }

    fn field(&self, node: NodeRef<'_>) -> PyResult<Bound<'py, PyAny>> {
        let field = crate::field::Field::new(self.kept, node, self.names);
        Ok(Bound::new(self.py, field)?.into_any())
    }

    fn of_pseudo(&self, answer: &PseudoValue<'_>, take: &mut Take<'_, 'py>) -> PyResult<()> {
        let py = self.py;
        let value = match answer {
            PseudoValue::Number(number) => value::number(py, *number)?,
            PseudoValue::Nanos(nanos) | PseudoValue::Micros(nanos) => value::seconds(py, *nanos)?,
            PseudoValue::Time(time) | PseudoValue::Date(time) => value::datetime(py, *time)?,
            PseudoValue::Lines(lines) => {
                let _ = lines.lines().all(|line| take(value::text(py, line)));
                return Ok(());
            }
            PseudoValue::ExpertItems(items) => {
                // The receiver does not fail.
                let _ = items.each(|one| {
                    let text = one.to_string();
                    let value = text.parse::<u64>().ok().map(|number| value::number(py, number));
                    let value = value.transpose().ok().flatten().unwrap_or_else(|| value::text(py, &text));
                    if take(value) { Ok(()) } else { Err(std::fmt::Error) }
                });
                return Ok(());
            }
            answer => value::text(py, &answer.to_string()),
        };
        take(value);
        Ok(())
    }
}
