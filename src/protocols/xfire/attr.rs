//! Attributes: keys and values of every type, and what they mean.

use super::facts::{Fact, Facts};
use super::fields::*;
use super::keys::{BYTE_MAP, DID, INT32, INT64, Key, LIST, SID_TYPE, STRING, STRING_MAP, UINT8, Within, meaning};
use super::packets::{FILE_DATA, Keys};
use super::scan::{DEEPEST, is_name, least};
use super::state::Users;
use crate::tree::{Field, Kind, Value};
use crate::wire::{Cut, Error, Result, Wire};
use std::fmt::{self, Write};
use std::ops::Range;

/// Values that are shown of one message.
const VALUES_MAX: usize = 1 << 16;

/// Lists of one packet that are put together to rows.
const LISTS_MAX: usize = 16;

/// A list right below the header.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub(super) means: Option<&'static Field>,
    pub(super) value_type: u8,
    pub(super) count: usize,
    /// Where its first element begins.
    pub(super) at: usize,
    /// Its elements.
    pub(super) end: usize,
}

/// The first lists of a packet.
pub(super) type Lists = [Option<List>; LISTS_MAX];

/// Reads the attributes of one message.
pub(super) struct Reader<'u, 'a> {
    kind: u16,
    users: &'u mut Users,
    /// Elements of lists get their meaning in rows.
    has_rows: bool,
    left: usize,
    /// The lists that were read.
    pub(super) lists: Lists,
    /// What was read.
    pub(super) facts: Facts<'a>,
}

/// A value: where it stands, and of what.
#[derive(Clone, Copy)]
struct Place<'k> {
    within: Within,
    key: Key<'k>,
    depth: usize,
    in_list: bool,
}

impl<'u, 'a> Reader<'u, 'a> {
    pub(super) fn new(kind: u16, users: &'u mut Users, has_rows: bool) -> Reader<'u, 'a> {
        Reader { kind, users, has_rows, left: VALUES_MAX, lists: [None; LISTS_MAX], facts: Facts::default() }
    }

    /// So many attributes of a packet.
    pub(super) fn attributes(&mut self, wire: &mut Wire<'a>, keys: Keys, count: usize) -> Result {
        let within = Within::Packet(self.kind);
        (0..count).try_for_each(|_| wire.group(&ATTR, |wire| self.attribute(wire, keys, within, 1)))
    }

    fn attribute(&mut self, wire: &mut Wire<'a>, keys: Keys, within: Within, depth: usize) -> Result {
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
                    return wire.malformed(&BAD_NAME, format_args!("a name of {len} bytes that no attribute has"));
                }
                Key::Name(name)
            }
            Keys::Numbered => {
                need(wire, 1)?;
                Key::Number(wire.u8(if within == Within::Preferences { &PREFERENCE } else { &KEY })?)
            }
        };
        need(wire, 1)?;
        let value_type = wire.u8(&VALUE_TYPE)?;
        self.value(wire, value_type, Place { within, key, depth, in_list: false })
    }

    fn value(&mut self, wire: &mut Wire<'a>, value_type: u8, place: Place<'_>) -> Result {
        let Some(left) = self.left.checked_sub(1) else {
            return wire.malformed(&TOO_MANY, format_args!("more than {VALUES_MAX} values"));
        };
        self.left = left;
        let means = meaning(place.within, place.key, value_type);
        match value_type {
            STRING => self.string(wire, means, place),
            INT32 => {
                need(wire, 4)?;
                let start = wire.at();
                let bytes = wire.ahead().first_chunk().copied().unwrap_or_default();
                wire.skip(4)?;
                self.number(wire, &VALUE_INT32, i32::from_le_bytes(bytes).into(), start, means, place);
                Ok(())
            }
            INT64 => {
                need(wire, 8)?;
                let start = wire.at();
                let bytes = wire.ahead().first_chunk().copied().unwrap_or_default();
                wire.skip(8)?;
                self.number(wire, &VALUE_INT64, i64::from_le_bytes(bytes), start, means, place);
                Ok(())
            }
            UINT8 => {
                need(wire, 1)?;
                let start = wire.at();
                let byte = wire.ahead().first().copied().unwrap_or_default();
                wire.skip(1)?;
                self.number(wire, &VALUE_UINT8, byte.into(), start, means, place);
                Ok(())
            }
            SID_TYPE => self.id(wire, &VALUE_SID, 16, means, place),
            DID => self.id(wire, &VALUE_DID, 21, means, place),
            LIST | STRING_MAP | BYTE_MAP if place.depth > DEEPEST => {
                wire.malformed(&TOO_DEEP, format_args!("more than {DEEPEST} lists or maps inside each other"))
            }
            LIST => wire.group(&LIST_GROUP, |wire| self.list(wire, place)),
            STRING_MAP => wire.group(&MAP, |wire| self.map(wire, Keys::Named, place)),
            BYTE_MAP => wire.group(&MAP, |wire| self.map(wire, Keys::Numbered, place)),
            _ => {
                wire.note(&UNKNOWN_VALUE_TYPE, format_args!("no value type {value_type} is known, nor its length"));
                Err(Error::Malformed)
            }
        }
    }

    /// Whether the meaning of a value is told beside it. Of lists that become rows it is told there.
    fn tells(&self, place: Place<'_>) -> bool {
        !(place.in_list && self.has_rows && matches!(place.within, Within::Packet(_)))
    }

    fn string(&mut self, wire: &mut Wire<'a>, means: Option<&'static Field>, place: Place<'_>) -> Result {
        need(wire, 2)?;
        let len = usize::from(wire.u16_le(&STRING_LEN)?);
        need(wire, len)?;
        let start = wire.at();
        let text = wire.ahead().get(..len).unwrap_or_default();
        wire.skip(len)?;
        let range = start..wire.at();
        match means.filter(|_| self.tells(place)) {
            // A secret is one wherever it stands: no other field holds it.
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
            wire.note(&BAD_UTF8, format_args!("not UTF-8"));
        }
        self.keep(means, Fact::Bytes(text), place);
        Ok(())
    }

    fn keep(&mut self, means: Option<&'static Field>, fact: Fact<'a>, place: Place<'_>) {
        if let (Some(field), false) = (means, place.in_list) {
            self.facts.keep(field, fact);
        }
    }

    fn number(
        &mut self,
        wire: &mut Wire<'a>,
        field: &'static Field,
        number: i64,
        start: usize,
        means: Option<&'static Field>,
        place: Place<'_>,
    ) {
        let range = start..wire.at();
        let value =
            if number < 0 || !field.is(&VALUE_UINT8) { Value::Signed(number) } else { Value::Unsigned(number.unsigned_abs()) };
        match means.filter(|_| self.tells(place)) {
            Some(means) => wire.put_over(field, value, Some(range.clone()), |wire| mean(wire, means, number, range, self.users)),
            None => {
                wire.put(field, value, range);
            }
        }
        self.keep(means, Fact::Number(number), place);
    }

    fn id(
        &mut self,
        wire: &mut Wire<'a>,
        field: &'static Field,
        len: usize,
        means: Option<&'static Field>,
        place: Place<'_>,
    ) -> Result {
        need(wire, len)?;
        let start = wire.at();
        let bytes = wire.ahead().get(..len).unwrap_or_default();
        wire.skip(len)?;
        let range = start..wire.at();
        if field.is(&VALUE_SID) {
            self.users.number(bytes);
        }
        match means.filter(|_| self.tells(place)) {
            Some(means) => wire.put_over(field, Value::Bytes, Some(range.clone()), |wire| {
                identify(wire, means, bytes, range, self.users);
            }),
            None => identify(wire, field, bytes, range, self.users),
        }
        self.keep(means, Fact::Bytes(bytes), place);
        Ok(())
    }

    fn list(&mut self, wire: &mut Wire<'a>, place: Place<'_>) -> Result {
        need(wire, 1)?;
        let value_type = wire.u8(&ELEM_TYPE)?;
        let Some(least) = least(value_type) else {
            return self.list_of_unknown(wire, value_type);
        };
        need(wire, 2)?;
        let count = usize::from(wire.u16_le(&LIST_COUNT)?);
        // A message whose end is missing shows the elements that are there.
        if wire.cut() == Cut::No {
            need(wire, count * least)?;
        }
        let at = wire.at();
        let is_file_data = self.kind == FILE_DATA && place.key == Key::Name(b"data");
        if value_type == UINT8 && (is_file_data || count > 16) {
            need(wire, count)?;
            let block = wire.bytes(&VALUE_BLOCK, count)?;
            if is_file_data {
                self.facts.keep(&VALUE_BLOCK, Fact::Bytes(block));
            }
        } else {
            let element = Place { depth: place.depth + 1, in_list: true, ..place };
            (0..count).try_for_each(|_| self.value(wire, value_type, element))?;
        }
        if place.depth == 1
            && let Some(slot) = self.lists.iter_mut().find(|slot| slot.is_none())
        {
            let means = match value_type {
                // What counts are the values in the inner lists.
                LIST => meaning(place.within, place.key, INT32),
                _ => meaning(place.within, place.key, value_type),
            };
            *slot = Some(List { means, value_type, count, at, end: wire.at() });
        }
        Ok(())
    }

    /// Only an empty list of an unknown type has a known length.
    fn list_of_unknown(&mut self, wire: &mut Wire<'a>, value_type: u8) -> Result {
        need(wire, 2)?;
        let count = wire.u16_le(&LIST_COUNT)?;
        if count > 0 {
            wire.note(&UNKNOWN_VALUE_TYPE, format_args!("no value type {value_type} is known, nor its length"));
            return Err(Error::Malformed);
        }
        wire.note(&EMPTY_OF_UNKNOWN, format_args!("no value type {value_type} is known"));
        Ok(())
    }

    fn map(&mut self, wire: &mut Wire<'a>, keys: Keys, place: Place<'_>) -> Result {
        need(wire, 1)?;
        let count = usize::from(wire.u8(&MAP_COUNT)?);
        let least = if keys == Keys::Named { 4 } else { 3 };
        if wire.cut() == Cut::No {
            need(wire, count * least)?;
        }
        let within = Within::below(place.key);
        (0..count).try_for_each(|_| wire.group(&ATTR, |wire| self.attribute(wire, keys, within, place.depth + 1)))
    }
}

/// Text in ISO-8859-1.
struct Latin1<'a>(&'a [u8]);

impl fmt::Display for Latin1<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| f.write_char((*byte).into()))
    }
}

/// So many bytes must follow.
pub(super) fn need(wire: &mut Wire<'_>, count: usize) -> Result {
    let missing = count.saturating_sub(wire.remaining());
    if missing == 0 {
        return Ok(());
    }
    match wire.cut() {
        Cut::No => wire.malformed(&ATTR_OVERRUN, format_args!("{count} bytes wanted, {} left in the message", wire.remaining())),
        _ => Err(Error::Short { needed: missing }),
    }
}

/// What a number means.
pub(super) fn mean(wire: &mut Wire<'_>, means: &'static Field, number: i64, range: Range<usize>, users: &Users) {
    // Ids and addresses use all 32 bits and have no sign.
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

/// Whether a field's numbers are ids of users.
fn is_user(field: &'static Field) -> bool {
    field.is(&USERID) || field.is(&COMMON_FRIEND)
}

/// Whom or what an id stands for.
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
