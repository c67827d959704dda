//! Properties of MQTT 5: an identifier and a value of the type that it implies.

use super::*;
use crate::tree::{Field, NodeRef};
use crate::wire::{Result, Wire};
use std::fmt::{self, Write};

/// Dissects all properties with their length, as a group of this field.
pub(super) fn all(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    wire.group(field, |wire| {
        let length = varint(wire, &PROPERTIES_LENGTH)?;
        wire.within(usize::try_from(length).unwrap_or(usize::MAX), &DATA, |wire| wire.groups(&PROPERTY, property))
    })
}

fn property(wire: &mut Wire<'_>) -> Result {
    match varint(wire, &PROPERTY_ID)? {
        0x01 | 0x17 | 0x19 | 0x25 | 0x28..=0x2a => wire.u8(&PROPERTY_NUMBER).map(drop),
        0x24 => wire.u8(&MAX_QOS).map(drop),
        0x13 | 0x21 | 0x22 => wire.u16_be(&PROPERTY_NUMBER).map(drop),
        0x23 => wire.u16_be(&TOPIC_ALIAS).map(drop),
        0x02 | 0x11 | 0x18 | 0x27 => wire.u32_be(&PROPERTY_NUMBER).map(drop),
        0x0b => varint(wire, &PROPERTY_NUMBER).map(drop),
        0x03 => string(wire, &CONTENT_TYPE_LENGTH, &CONTENT_TYPE).map(drop),
        0x08 | 0x12 | 0x15 | 0x1a | 0x1c | 0x1f => string(wire, &PROPERTY_LENGTH, &PROPERTY_STRING).map(drop),
        0x09 => binary(wire, &CORRELATION_DATA),
        0x16 => binary(wire, &AUTH_DATA),
        0x26 => {
            string(wire, &PROPERTY_KEY_LENGTH, &PROPERTY_KEY)?;
            string(wire, &PROPERTY_VALUE_LENGTH, &PROPERTY_VALUE).map(drop)
        }
        id => {
            // The type and thus the size of the value are unknown.
            wire.note(
                &UNKNOWN_PROPERTY,
                format_args!("property {id:#04x} is unknown; it and later properties are not dissected"),
            );
            wire.rest_is(&PROPERTY_UNKNOWN)
        }
    }
}

fn binary(wire: &mut Wire<'_>, field: &'static Field) -> Result {
    wire.counted(Wire::u16_be, &PROPERTY_LENGTH, field).map(drop)
}

pub(super) fn property_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str(node.child(&PROPERTY_ID).and_then(NodeRef::name).unwrap_or("unknown"))
}

/// Value of a property, or key and value of a user property.
pub(super) fn property_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    let is_length = |field: &Field| {
        [&PROPERTY_ID, &PROPERTY_LENGTH, &CONTENT_TYPE_LENGTH, &PROPERTY_KEY_LENGTH, &PROPERTY_VALUE_LENGTH]
            .iter()
            .any(|length| field.is(length))
    };
    let mut between = "";
    for child in node.children().filter(|child| !is_length(child.field())) {
        out.write_str(between)?;
        child.write_value(out)?;
        between = ": ";
    }
    Ok(())
}
