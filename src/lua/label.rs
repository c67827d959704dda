//! Labels of items, as Wireshark writes them.

use super::call::{Content, Item, Kind, Place};
use super::field::{ScriptField, Type};
use crate::tree::digits::general;
use crate::tree::name_of;
use std::borrow::Cow;

/// Where the bytes of places are.
pub(super) type BytesOf<'b> = &'b dyn Fn(Place) -> &'b [u8];

/// The label of an item.
pub(super) fn of(items: &[Item], bytes: BytesOf<'_>, item: u32) -> String {
    let Some(item) = items.get(item as usize) else { return String::new() };
    let [before, behind] = &item.around;
    let own = match (&item.label, item.kind) {
        (Some(label), _) => Cow::Borrowed(label.as_str()),
        (None, Kind::Root) => Cow::Borrowed(""),
        (None, Kind::Protocol(field)) => Cow::Borrowed(field.about),
        (None, Kind::Other(_)) => words(&item.content),
        (None, Kind::Embedded(name)) => Cow::Borrowed(name),
        (None, Kind::Field(field)) => Cow::Owned(of_field(bytes, field, item)),
    };
    format!("{before}{own}{behind}")
}

fn words(content: &Content) -> Cow<'_, str> {
    match content {
        Content::Words(words) => Cow::Borrowed(words),
        _ => Cow::Borrowed(""),
    }
}

/// `.... ..1. = Name: value`.
fn of_field(bytes: BytesOf<'_>, field: &ScriptField, item: &Item) -> String {
    let name = field.field.name;
    let value = value_of(bytes, field, item);
    let bits = bits_of(field, item).unwrap_or_default();
    if value.is_empty() && matches!(item.content, Content::None) {
        format!("{bits}{name}")
    } else {
        format!("{bits}{name}: {value}")
    }
}

/// The bits of a masked field within its bytes.
fn bits_of(field: &ScriptField, item: &Item) -> Option<String> {
    let mask = field.field.mask;
    if mask == 0 {
        return None;
    }
    let raw = match item.content {
        Content::Unsigned(number) => number,
        Content::Signed(number) => number.cast_unsigned(),
        Content::Bool(truth) => u64::from(truth),
        _ => return None,
    };
    let width = match field.of {
        Type::Unsigned(size) | Type::Signed(size) => 8 * u32::from(size),
        Type::Bool => u32::try_from(field.base()).unwrap_or(8).clamp(1, 64),
        _ => 8,
    };
    let shifted = raw << mask.trailing_zeros();
    let mut text = String::new();
    for bit in (0..width).rev() {
        text.push(match (mask >> bit & 1, shifted >> bit & 1) {
            (0, _) => '.',
            (_, 0) => '0',
            _ => '1',
        });
        if bit % 4 == 0 && bit > 0 {
            text.push(' ');
        }
    }
    Some(text + " = ")
}

/// The value of a field as in its label.
pub(super) fn value_of(bytes: BytesOf<'_>, field: &ScriptField, item: &Item) -> String {
    let number = |number: u64| number_text(field, number, i128::from(number));
    match &item.content {
        Content::None => String::new(),
        Content::Unsigned(value) if field.of == Type::Char => char_text(*value),
        Content::Unsigned(value) => number(*value),
        Content::Signed(value) => number_text(field, value.cast_unsigned(), i128::from(*value)),
        Content::Single(value) => with_unit(field, general(f64::from(*value), 6), false),
        Content::Double(value) if field.of == Type::RelativeTime => format!("{value:.9} seconds"),
        Content::Double(value) => with_unit(field, general(*value, 15), false),
        Content::Bool(truth) => match &field.truths {
            Some([yes, no]) => if *truth { yes } else { no }.clone(),
            None => if *truth { "True" } else { "False" }.to_owned(),
        },
        Content::Text(place) => String::from_utf8_lossy(bytes(*place)).into_owned(),
        Content::Words(words) => words.clone(),
        Content::Bytes(place) => octets(field, bytes(*place)),
        Content::Own(own) => octets(field, own),
    }
}

fn char_text(value: u64) -> String {
    match u8::try_from(value) {
        Ok(byte @ b' '..=b'~') => format!("'{}'", char::from(byte)),
        _ => format!("'\\x{value:02x}'"),
    }
}

/// A number with its name or unit.
fn number_text(field: &ScriptField, bits: u64, value: i128) -> String {
    let digits = match field.of {
        // Masked numbers are as wide as their mask.
        _ if field.field.mask != 0 => field.field.mask.count_ones().div_ceil(4) as usize,
        Type::Unsigned(size) | Type::Signed(size) => 2 * usize::from(size),
        _ => 2,
    };
    let hex = format!("0x{bits:0digits$x}");
    let plain = match field.base() {
        2 => hex.clone(),
        3 if bits == 0 => "0".to_owned(),
        3 => format!("0{bits:o}"),
        4 => format!("{value} ({hex})"),
        5 => format!("{hex} ({value})"),
        _ => value.to_string(),
    };
    if field.unit.is_some() {
        return with_unit(field, plain, value == 1);
    }
    if field.field.names.is_empty() {
        return plain;
    }
    // A name has one number behind it.
    let number = if matches!(field.base(), 2 | 5) { hex } else { value.to_string() };
    format!("{} ({number})", name_of(field.field.names, bits).unwrap_or("Unknown"))
}

fn with_unit(field: &ScriptField, text: String, is_one: bool) -> String {
    match &field.unit {
        Some([one, many]) => text + if is_one { one } else { many },
        None => text,
    }
}

fn octets(field: &ScriptField, bytes: &[u8]) -> String {
    match (field.of, bytes) {
        (Type::Ipv4, [a, b, c, d]) => return format!("{a}.{b}.{c}.{d}"),
        (Type::Ipv6, _) if let Ok(octets) = <[u8; 16]>::try_from(bytes) => return std::net::Ipv6Addr::from(octets).to_string(),
        _ => {}
    }
    let separator = match (field.of, field.base()) {
        (Type::Ether, _) | (_, 10) => ":",
        (_, 8) => ".",
        (_, 9) => "-",
        (_, 11) => " ",
        _ => "",
    };
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator)
}
