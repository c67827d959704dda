//! Attributes: keys, values of all types, and their meanings.

use super::fields::*;
use super::keys::{BYTE_MAP, Container, DID, INT32, INT64, Key, LIST, SID_TYPE, STRING, STRING_MAP, UINT8, meaning};
use super::packets::{FILE_DATA, Keys};
use super::scan::{DEEPEST, is_name, minimum_size};
use super::state::Users;
use super::values::{KnownValue, Values};
use crate::tree::{Field, Kind, Value};
use crate::wire::{Cut, Error, Result, Wire};
use std::fmt::{self, Write};
use std::ops::Range;

/// Largest number of values dissected in one message.
const VALUES_MAX: usize = 1 << 16;

/// Largest number of lists in one packet that form rows.
const LISTS_MAX: usize = 16;

/// List at the top level of a packet.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub(super) means: Option<&'static Field>,
    pub(super) value_type: u8,
    pub(super) count: usize,
    /// Offset of its first element.
    pub(super) at: usize,
    /// Number of elements.
    pub(super) end: usize,
}

/// First lists of a packet.
pub(super) type Lists = [Option<List>; LISTS_MAX];

/// Dissects the attributes of one message.
pub(super) struct Reader<'u, 'a> {
    kind: u16,
    users: &'u mut Users,
    /// The meanings of list elements are added in rows.
    has_rows: bool,
    left: usize,
    /// Dissected lists.
    pub(super) lists: Lists,
    /// Values for the summary and for the state.
    pub(super) values: Values<'a>,
}

/// Position of a value in the message.
#[derive(Clone, Copy)]
struct Position<'k> {
    container: Container,
    key: Key<'k>,
    depth: usize,
    in_list: bool,
}

impl<'u, 'a> Reader<'u, 'a> {
    pub(super) fn new(kind: u16, users: &'u mut Users, has_rows: bool) -> Reader<'u, 'a> {
        Reader { kind, users, has_rows, left: VALUES_MAX, lists: [None; LISTS_MAX], values: Values::default() }
    }

    /// Dissects this many attributes of a packet.
    pub(super) fn attributes(&mut self, wire: &mut Wire<'a>, keys: Keys, count: usize) -> Result {
        let container = Container::Packet(self.kind);
        (0..count).try_for_each(|_| wire.group(&ATTR, |wire| self.attribute(wire, keys, container, 1)))
    }

    fn attribute(&mut self, wire: &mut Wire<'a>, keys: Keys, container: Container, depth: usize) -> Result {
        let key = match keys {
            Keys::Named => {
                need(wire, 1)?;
                let len = usize::from(wire.u8(&NAME_LEN)?);
                need(wire, len)?;
                let start = wire.at();
                let name = wire.ahead().get(..len).unwrap_or_default();
                wire.skip(len)?;
                if name.is_ascii() {
                    wire.put(&ATTR_NAME, Value::Text, start..wire.at());
                } else {
                    wire.put_text(&ATTR_NAME, start..wire.at(), format_args!("{}", Latin1(name)));
                }
                if !is_name(name) {
                    return wire.malformed(&BAD_NAME, format_args!("a name of {len} bytes is invalid"));
                }
                Key::Name(name)
            }
            Keys::Numbered => {
                need(wire, 1)?;
                Key::Number(wire.u8(if container == Container::Preferences { &PREFERENCE } else { &KEY })?)
            }
        };
        need(wire, 1)?;
        let value_type = wire.u8(&VALUE_TYPE)?;
        self.value(wire, value_type, Position { container, key, depth, in_list: false })
    }

    fn value(&mut self, wire: &mut Wire<'a>, value_type: u8, position: Position<'_>) -> Result {
        let Some(left) = self.left.checked_sub(1) else {
            return wire.malformed(&TOO_MANY, format_args!("more than {VALUES_MAX} values"));
        };
        self.left = left;
        let means = meaning(position.container, position.key, value_type);
        match value_type {
            STRING => self.string(wire, means, position),
            INT32 => {
                need(wire, 4)?;
                let start = wire.at();
                let bytes = wire.ahead().first_chunk().copied().unwrap_or_default();
                wire.skip(4)?;
                self.number(wire, &VALUE_INT32, i32::from_le_bytes(bytes).into(), start, means, position);
                Ok(())
            }
            INT64 => {
                need(wire, 8)?;
                let start = wire.at();
                let bytes = wire.ahead().first_chunk().copied().unwrap_or_default();
                wire.skip(8)?;
                self.number(wire, &VALUE_INT64, i64::from_le_bytes(bytes), start, means, position);
                Ok(())
            }
            UINT8 => {
                need(wire, 1)?;
                let start = wire.at();
                let byte = wire.peek_u8().unwrap_or_default();
                wire.skip(1)?;
                self.number(wire, &VALUE_UINT8, byte.into(), start, means, position);
                Ok(())
            }
            SID_TYPE => self.id(wire, &VALUE_SID, 16, means, position),
            DID => self.id(wire, &VALUE_DID, 21, means, position),
            LIST | STRING_MAP | BYTE_MAP if position.depth > DEEPEST => {
                wire.malformed(&TOO_DEEP, format_args!("more than {DEEPEST} nested lists or maps"))
            }
            LIST => wire.group(&LIST_GROUP, |wire| self.list(wire, position)),
            STRING_MAP => wire.group(&MAP, |wire| self.map(wire, Keys::Named, position)),
            BYTE_MAP => wire.group(&MAP, |wire| self.map(wire, Keys::Numbered, position)),
            _ => {
                wire.note(&UNKNOWN_VALUE_TYPE, format_args!("the value type {value_type} is unknown, and so is its length"));
                Err(Error::Malformed)
            }
        }
    }

    /// Whether the meaning of a value is a separate node. Those of lists in rows are in the rows.
    fn shows_meaning(&self, position: Position<'_>) -> bool {
        !(position.in_list && self.has_rows && matches!(position.container, Container::Packet(_)))
    }

    fn string(&mut self, wire: &mut Wire<'a>, means: Option<&'static Field>, position: Position<'_>) -> Result {
        need(wire, 2)?;
        let len = usize::from(wire.u16_le(&STRING_LEN)?);
        need(wire, len)?;
        let start = wire.at();
        let text = wire.ahead().get(..len).unwrap_or_default();
        wire.skip(len)?;
        let range = start..wire.at();
        match means.filter(|_| self.shows_meaning(position)) {
            // A secret has no second field.
            Some(field) if field.secret => {
                wire.put(field, Value::Text, range);
            }
            Some(field) => wire.put_over(&VALUE_STRING, Value::Text, Some(range.clone()), |wire| {
                wire.put(field, Value::Text, range);
            }),
            None => {
                wire.put(&VALUE_STRING, Value::Text, range);
            }
        }
        if std::str::from_utf8(text).is_err() {
            wire.note(&BAD_UTF8, format_args!("the text is not valid UTF-8"));
        }
        self.keep(means, KnownValue::Bytes(text), position);
        Ok(())
    }

    fn keep(&mut self, means: Option<&'static Field>, fact: KnownValue<'a>, position: Position<'_>) {
        if let Some(field) = means
            && !position.in_list
        {
            self.values.keep(field, fact);
        }
    }

    fn number(
        &mut self,
        wire: &mut Wire<'a>,
        field: &'static Field,
        number: i64,
        start: usize,
        means: Option<&'static Field>,
        position: Position<'_>,
    ) {
        let range = start..wire.at();
        let value =
            if number < 0 || !field.is(&VALUE_UINT8) { Value::Signed(number) } else { Value::Unsigned(number.unsigned_abs()) };
        match means.filter(|_| self.shows_meaning(position)) {
            Some(means) => wire.put_over(field, value, Some(range.clone()), |wire| mean(wire, means, number, range, self.users)),
            None => {
                wire.put(field, value, range);
            }
        }
        self.keep(means, KnownValue::Number(number), position);
    }

    fn id(
        &mut self,
        wire: &mut Wire<'a>,
        field: &'static Field,
        len: usize,
        means: Option<&'static Field>,
        position: Position<'_>,
    ) -> Result {
        need(wire, len)?;
        let start = wire.at();
        let bytes = wire.ahead().get(..len).unwrap_or_default();
        wire.skip(len)?;
        let range = start..wire.at();
        if field.is(&VALUE_SID) {
            self.users.number(bytes);
        }
        match means.filter(|_| self.shows_meaning(position)) {
            Some(means) => wire.put_over(field, Value::Bytes, Some(range.clone()), |wire| {
                identify(wire, means, bytes, range, self.users);
            }),
            None => identify(wire, field, bytes, range, self.users),
        }
        self.keep(means, KnownValue::Bytes(bytes), position);
        Ok(())
    }

    fn list(&mut self, wire: &mut Wire<'a>, position: Position<'_>) -> Result {
        need(wire, 1)?;
        let value_type = wire.u8(&ELEM_TYPE)?;
        let Some(minimum_size) = minimum_size(value_type) else {
            return self.list_of_unknown(wire, value_type);
        };
        need(wire, 2)?;
        let count = usize::from(wire.u16_le(&LIST_COUNT)?);
        // A truncated message shows the available elements.
        if wire.cut() == Cut::No {
            need(wire, count * minimum_size)?;
        }
        let at = wire.at();
        let is_file_data = self.kind == FILE_DATA && position.key == Key::Name(b"data");
        if value_type == UINT8 && (is_file_data || count > 16) {
            need(wire, count)?;
            let block = wire.bytes(&VALUE_BLOCK, count)?;
            if is_file_data {
                self.values.keep(&VALUE_BLOCK, KnownValue::Bytes(block));
            }
        } else {
            let element = Position { depth: position.depth + 1, in_list: true, ..position };
            (0..count).try_for_each(|_| self.value(wire, value_type, element))?;
        }
        if position.depth == 1
            && let Some(slot) = self.lists.iter_mut().find(|slot| slot.is_none())
        {
            let means = match value_type {
                // The meaning belongs to the values of the inner lists.
                LIST => meaning(position.container, position.key, INT32),
                _ => meaning(position.container, position.key, value_type),
            };
            *slot = Some(List { means, value_type, count, at, end: wire.at() });
        }
        Ok(())
    }

    /// Dissects a list of unknown type, whose length is known only if it is empty.
    fn list_of_unknown(&mut self, wire: &mut Wire<'a>, value_type: u8) -> Result {
        need(wire, 2)?;
        let count = wire.u16_le(&LIST_COUNT)?;
        if count > 0 {
            wire.note(&UNKNOWN_VALUE_TYPE, format_args!("the value type {value_type} is unknown, and so is its length"));
            return Err(Error::Malformed);
        }
        wire.note(&EMPTY_OF_UNKNOWN, format_args!("the value type {value_type} is unknown"));
        Ok(())
    }

    fn map(&mut self, wire: &mut Wire<'a>, keys: Keys, position: Position<'_>) -> Result {
        need(wire, 1)?;
        let count = usize::from(wire.u8(&MAP_COUNT)?);
        let minimum_size = if keys == Keys::Named { 4 } else { 3 };
        if wire.cut() == Cut::No {
            need(wire, count * minimum_size)?;
        }
        let container = Container::below(position.key);
        (0..count).try_for_each(|_| wire.group(&ATTR, |wire| self.attribute(wire, keys, container, position.depth + 1)))
    }
}

struct Latin1<'a>(&'a [u8]);

impl fmt::Display for Latin1<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| f.write_char((*byte).into()))
    }
}

/// Requires this many bytes.
pub(super) fn need(wire: &mut Wire<'_>, count: usize) -> Result {
    let missing = count.saturating_sub(wire.remaining());
    if missing == 0 {
        return Ok(());
    }
    match wire.cut() {
        Cut::No => {
            wire.malformed(&ATTR_OVERRUN, format_args!("{count} bytes required, {} left in the message", wire.remaining()))
        }
        _ => Err(Error::Short { needed: missing }),
    }
}

/// Adds the meaning of a number.
pub(super) fn mean(wire: &mut Wire<'_>, means: &'static Field, number: i64, range: Range<usize>, users: &Users) {
    // IDs and addresses are unsigned 32-bit integers.
    let raw = number.cast_unsigned();
    let raw = if range.len() == 4 { raw & 0xffff_ffff } else { raw };
    if means.is(&PORT) {
        wire.put(&PORT, Value::Unsigned(raw & 0xffff), range.clone());
        if raw >> 16 > 0 {
            wire.put(&PORT_HIGH, Value::Unsigned(raw >> 16), range);
        }
    } else if let Some(user) = u32::try_from(raw).ok().filter(|_| is_user(means)).and_then(|id| users.by_id(id)) {
        wire.put_over(means, Value::Unsigned(raw), Some(range.clone()), |wire| {
            wire.put_text(&USER, range, format_args!("{user}"));
        });
    } else {
        let value = if means.kind == Kind::Bool { Value::Bool(raw != 0) } else { Value::Unsigned(raw) };
        wire.put(means, value, range);
    }
}

/// Whether the values of a field are user IDs.
fn is_user(field: &'static Field) -> bool {
    field.is(&USERID) || field.is(&COMMON_FRIEND)
}

/// Adds the user or session of an ID.
pub(super) fn identify(wire: &mut Wire<'_>, means: &'static Field, id: &[u8], range: Range<usize>, users: &Users) {
    let alias = users.alias(id).filter(|_| means.is(&SID) || means.is(&VALUE_SID));
    let user = users.by_sid(id).filter(|_| means.is(&SID));
    if alias.is_none() && user.is_none() {
        wire.put(means, Value::Bytes, range);
        return;
    }
    wire.put_over(means, Value::Bytes, Some(range.clone()), |wire| {
        if let Some(alias) = alias {
            wire.put(&SESSION, Value::Unsigned(alias.into()), range.clone());
        }
        if let Some(user) = user {
            wire.put_text(&USER, range, format_args!("{user}"));
        }
    });
}
