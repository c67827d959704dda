//! The shapes of a member: the kinds of value that it may have, each with a field of its own.

use crate::ksy::model::{Data, EnumId, How, Member, Ty, TypeId};

/// A shape of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ksy) struct Shape {
    pub kind: ShapeKind,
    /// Whether it is a floating-point number of 32 bits.
    pub is_single: bool,
    /// Whether it is an object with a stream of its own.
    pub has_stream: bool,
}

/// A kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// An object or a stream that an expression refers to; it has no field.
    Reference,
}

/// The shapes of a member, each once, in the order of the file.
pub(in crate::ksy) fn shapes_of(member: &Member) -> Vec<Shape> {
    let mut shapes = Vec::new();
    match &member.how {
        How::Value(value) => add_type(&value.ty, &mut shapes),
        How::Read(read) => add(&read.data, &mut shapes),
    }
    shapes
}

/// The position of what is read among the shapes of its member. A switch has none itself.
pub(super) fn position(shapes: &[Shape], data: &Data) -> u16 {
    let place = shape(data).and_then(|own| shapes.iter().position(|known| *known == own));
    place.and_then(|place| u16::try_from(place).ok()).unwrap_or_default()
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

fn add(data: &Data, shapes: &mut Vec<Shape>) {
    if let Data::Switch(switch) = data {
        switch.cases.iter().for_each(|(_, data)| add(data, shapes));
        switch.otherwise.iter().for_each(|data| add(data, shapes));
    }
    if let Some(shape) = shape(data).filter(|shape| !shapes.contains(shape)) {
        shapes.push(shape);
    }
}

fn add_type(ty: &Ty, shapes: &mut Vec<Shape>) {
    let kinds: &[ShapeKind] = match ty {
        Ty::Int => &[ShapeKind::Int(None)],
        Ty::Float => &[ShapeKind::Float],
        Ty::Bool => &[ShapeKind::Bool],
        Ty::Str => &[ShapeKind::Str],
        Ty::Bytes => &[ShapeKind::Bytes],
        Ty::Enum(id) => return shapes.push(plain(ShapeKind::Int(Some(*id)))),
        Ty::Struct(_) | Ty::Io => &[ShapeKind::Reference],
        Ty::Array(element) => return add_type(element, shapes),
        Ty::Any => {
            &[ShapeKind::Int(None), ShapeKind::Float, ShapeKind::Bool, ShapeKind::Str, ShapeKind::Bytes, ShapeKind::Reference]
        }
    };
    shapes.extend(kinds.iter().map(|kind| plain(*kind)));
}
