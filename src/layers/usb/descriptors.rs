//! Standard descriptors, and other data of standard requests.

use super::fields::*;
use super::setup::{GET_CONFIGURATION, GET_DESCRIPTOR, GET_INTERFACE, GET_STATUS, Setup};
use crate::tree::Field;
use crate::wire::{Result, Wire};

const DEVICE_DESCRIPTOR: u8 = 1;
const CONFIGURATION: u8 = 2;
const STRING_DESCRIPTOR: u8 = 3;
const INTERFACE_DESCRIPTOR: u8 = 4;
const ENDPOINT_DESCRIPTOR: u8 = 5;
const QUALIFIER: u8 = 6;
const OTHER_SPEED: u8 = 7;
const ASSOCIATION: u8 = 11;
const BOS: u8 = 15;

/// Length and type of a descriptor.
const HEAD: usize = 2;

/// The data of a standard request that the device answers. Other data is left.
pub(super) fn response(wire: &mut Wire<'_>, setup: &Setup) -> Result {
    if wire.remaining() == 0 || !setup.is_in() {
        return Ok(());
    }
    match setup.standard_request() {
        Some(GET_DESCRIPTOR) => requested(wire, setup),
        Some(GET_STATUS) => wire.u16_le(&STATUS_WORD).map(drop),
        Some(GET_CONFIGURATION) => wire.u8(&CONFIGURATION_VALUE).map(drop),
        Some(GET_INTERFACE) => wire.u8(&ALTERNATE_SETTING).map(drop),
        _ => Ok(()),
    }
}

/// The descriptors that a request sends to the device.
pub(super) fn sent(wire: &mut Wire<'_>, setup: &Setup) -> Result {
    if setup.is_in() || setup.descriptor().is_none() || wire.remaining() == 0 { Ok(()) } else { requested(wire, setup) }
}

fn requested(wire: &mut Wire<'_>, setup: &Setup) -> Result {
    const STANDARD: [u8; 6] = [DEVICE_DESCRIPTOR, CONFIGURATION, STRING_DESCRIPTOR, QUALIFIER, OTHER_SPEED, BOS];
    if setup.descriptor().is_some_and(|kind| STANDARD.contains(&kind)) {
        while wire.remaining() >= HEAD {
            descriptor(wire, setup)?;
        }
    }
    wire.rest_is(&DESCRIPTOR_RESPONSE)
}

/// One descriptor. Its length is cut where the data ends: hosts often ask for the first bytes only.
fn descriptor(wire: &mut Wire<'_>, setup: &Setup) -> Result {
    let length = usize::from(wire.peek_u8().unwrap_or_default()).clamp(HEAD, wire.remaining().max(HEAD));
    wire.group(&DESCRIPTOR, |wire| {
        wire.within(length, &DESCRIPTOR_REST, |wire| {
            wire.u8(&DESCRIPTOR_LENGTH)?;
            let fields: &[DescriptorField] = match wire.u8(&DESCRIPTOR_TYPE)? {
                DEVICE_DESCRIPTOR => DEVICE_PARTS,
                CONFIGURATION | OTHER_SPEED => CONFIGURATION_PARTS,
                STRING_DESCRIPTOR => return string(wire, setup.index() == 0),
                INTERFACE_DESCRIPTOR => INTERFACE_PARTS,
                ENDPOINT_DESCRIPTOR => ENDPOINT_PARTS,
                QUALIFIER => QUALIFIER_PARTS,
                ASSOCIATION => ASSOCIATION_PARTS,
                _ => &[],
            };
            parts(wire, fields)
        })
    })
}

enum DescriptorField {
    Byte(&'static Field),
    Word(&'static Field),
    /// A number of this many bytes above the fields of its bits.
    Bits(&'static Field, usize, &'static [&'static Field]),
}

use DescriptorField::{Bits, Byte, Word};

const DEVICE_PARTS: &[DescriptorField] = &[
    Word(&USB_VERSION),
    Byte(&DEVICE_CLASS),
    Byte(&DEVICE_SUBCLASS),
    Byte(&DEVICE_PROTOCOL),
    Byte(&MAX_PACKET_SIZE_0),
    Word(&VENDOR),
    Word(&PRODUCT),
    Word(&DEVICE_VERSION),
    Byte(&MANUFACTURER_STRING),
    Byte(&PRODUCT_STRING),
    Byte(&SERIAL_STRING),
    Byte(&CONFIGURATIONS),
];
const QUALIFIER_PARTS: &[DescriptorField] = &[
    Word(&USB_VERSION),
    Byte(&DEVICE_CLASS),
    Byte(&DEVICE_SUBCLASS),
    Byte(&DEVICE_PROTOCOL),
    Byte(&MAX_PACKET_SIZE_0),
    Byte(&CONFIGURATIONS),
    Byte(&RESERVED),
];
const CONFIGURATION_PARTS: &[DescriptorField] = &[
    Word(&TOTAL_LENGTH),
    Byte(&INTERFACES),
    Byte(&CONFIGURATION_VALUE),
    Byte(&CONFIGURATION_STRING),
    Bits(&CONFIGURATION_ATTRIBUTES, 1, &[&BUS_POWERED, &SELF_POWERED, &REMOTE_WAKEUP]),
    Byte(&MAX_POWER),
];
const INTERFACE_PARTS: &[DescriptorField] = &[
    Byte(&INTERFACE_NUMBER),
    Byte(&ALTERNATE_SETTING),
    Byte(&ENDPOINTS),
    Byte(&INTERFACE_CLASS),
    Byte(&INTERFACE_SUBCLASS),
    Byte(&INTERFACE_PROTOCOL),
    Byte(&INTERFACE_STRING),
];
const ENDPOINT_PARTS: &[DescriptorField] = &[
    Bits(&ENDPOINT_ADDRESS, 1, &[&ENDPOINT_ADDRESS_DIRECTION, &ENDPOINT_ADDRESS_NUMBER]),
    Bits(&ENDPOINT_ATTRIBUTES, 1, &[&ENDPOINT_TRANSFER, &ENDPOINT_SYNC, &ENDPOINT_BEHAVIOUR]),
    Bits(&MAX_PACKET_SIZE, 2, &[&PACKET_SLOTS, &PACKET_SIZE]),
    Byte(&ENDPOINT_INTERVAL),
];
const ASSOCIATION_PARTS: &[DescriptorField] = &[
    Byte(&FIRST_INTERFACE),
    Byte(&INTERFACE_COUNT),
    Byte(&FUNCTION_CLASS),
    Byte(&FUNCTION_SUBCLASS),
    Byte(&FUNCTION_PROTOCOL),
    Byte(&FUNCTION_STRING),
];

/// The fields that a descriptor is long enough for.
fn parts(wire: &mut Wire<'_>, parts: &[DescriptorField]) -> Result {
    for part in parts {
        let size = match part {
            Byte(_) => 1,
            Word(_) => 2,
            Bits(_, size, _) => *size,
        };
        if wire.remaining() < size {
            return Ok(());
        }
        match part {
            Byte(field) => wire.u8(field).map(drop)?,
            Word(field) => wire.u16_le(field).map(drop)?,
            Bits(field, size, bits) => wire.flags_le(field, *size, bits).map(drop)?,
        }
    }
    Ok(())
}

/// A string in UTF-16, or the languages of strings.
fn string(wire: &mut Wire<'_>, has_languages: bool) -> Result {
    if has_languages {
        while wire.remaining() >= size_of::<u16>() {
            wire.u16_le(&LANGUAGE_ID)?;
        }
        return Ok(());
    }
    let bytes = wire.ahead();
    let units = bytes.as_chunks::<2>().0;
    let text: String = char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit)))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    let range = wire.at()..wire.at() + size_of_val(units);
    wire.put_text(&STRING, range.clone(), format_args!("{text}"));
    wire.skip(range.len())
}
