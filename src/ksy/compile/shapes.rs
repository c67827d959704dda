//! The shapes of a member: the kinds of value that it may have, each with a separate field.

use crate::ksy::model::{Data, EnumId, Member, Ty, TypeId, ValueSource};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A shape of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::ksy) struct Shape {
    pub kind: ShapeKind,
    /// Whether it is a floating-point number of 32 bits.
    pub is_single: bool,
    /// Whether it is an object with a separate stream.
    pub has_stream: bool,
}

/// A kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::ksy) enum ShapeKind {
    /// An integer, and the enum that names its values.
    Int(Option<EnumId>),
    /// A floating-point number.
    Float,
    /// A boolean.
    Bool,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// An object.
    Object(TypeId),
    /// A reference to an object or a stream by an expression; it has no field.
    Reference,
}

/// The shapes of a member without duplicates, in the order of the file.
#[derive(Debug, Default)]
pub(in crate::ksy) struct Shapes {
    all: Vec<Shape>,
    places: HashMap<Shape, u16>,
}

impl Shapes {
    /// The shapes of a member. There are fewer than 65,536, as a switch has few cases.
    pub(in crate::ksy) fn of(member: &Member) -> Shapes {
        let mut shapes = Shapes::default();
        match &member.source {
            ValueSource::Value(value) => shapes.add_type(&value.ty),
            ValueSource::Read(read) => shapes.add(&read.data),
        }
        shapes
    }

    pub(in crate::ksy) fn all(&self) -> &[Shape] {
        &self.all
    }

    /// The index of the shape of some data. A switch has no shape itself.
    pub(super) fn position(&self, data: &Data) -> u16 {
        shape(data).and_then(|shape| self.places.get(&shape)).copied().unwrap_or_default()
    }

    fn add(&mut self, data: &Data) {
        if let Data::Switch(switch) = data {
            switch.cases.iter().map(|(_, data)| data).chain(&switch.otherwise).for_each(|data| self.add(data));
        }
        if let Some(shape) = shape(data) {
            self.push(shape);
        }
    }

    fn push(&mut self, shape: Shape) {
        let next = u16::try_from(self.all.len()).unwrap_or(u16::MAX);
        if let Entry::Vacant(place) = self.places.entry(shape) {
            place.insert(next);
            self.all.push(shape);
        }
    }

    fn add_type(&mut self, ty: &Ty) {
        let kinds: &[ShapeKind] = match ty {
            Ty::Int => &[ShapeKind::Int(None)],
            Ty::Float => &[ShapeKind::Float],
            Ty::Bool => &[ShapeKind::Bool],
            Ty::Str => &[ShapeKind::Str],
            Ty::Bytes => &[ShapeKind::Bytes],
            Ty::Enum(id) => return self.push(plain(ShapeKind::Int(Some(*id)))),
            Ty::Struct(_) | Ty::Io => &[ShapeKind::Reference],
            Ty::Array(element) => return self.add_type(element),
            Ty::Any => {
                &[ShapeKind::Int(None), ShapeKind::Float, ShapeKind::Bool, ShapeKind::Str, ShapeKind::Bytes, ShapeKind::Reference]
            }
        };
        kinds.iter().for_each(|kind| self.push(plain(*kind)));
    }
}

fn shape(data: &Data) -> Option<Shape> {
    Some(match data {
        Data::Int { names, .. } => plain(ShapeKind::Int(*names)),
        Data::Float { bytes, .. } => Shape { is_single: *bytes == 4, ..plain(ShapeKind::Float) },
        Data::Bits { bool: true, .. } => plain(ShapeKind::Bool),
        Data::Bits { names, .. } => plain(ShapeKind::Int(*names)),
        Data::Bytes(_) => plain(ShapeKind::Bytes),
        Data::Str(..) => plain(ShapeKind::Str),
        Data::Object(object) => Shape { has_stream: object.bytes.is_some(), ..plain(ShapeKind::Object(object.of)) },
        Data::Switch(_) => return None,
    })
}

const fn plain(kind: ShapeKind) -> Shape {
    Shape { kind, is_single: false, has_stream: false }
}
