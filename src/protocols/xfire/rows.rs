//! Rows: corresponding elements of parallel lists.

use super::attr::{List, Lists, identify, mean};
use super::fields::*;
use super::keys::{DID, INT32, INT64, LIST, SID_TYPE, STRING, UINT8};
use super::scan::value_len;
use super::state::Users;
use super::values::Text;
use crate::limits;
use crate::tree::{Field, Value};
use crate::wire::Wire;
use std::borrow::Cow;
use std::fmt;

/// Number of rows whose names are shown in a summary.
const SHOWN: usize = 3;

/// Summary of rows.
#[derive(Default)]
pub(super) struct Rows<'a> {
    pub(super) count: usize,
    names: [Option<Cow<'a, [u8]>>; SHOWN],
}

impl fmt::Display for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, if self.count == 1 { "row" } else { "rows" })?;
        let mut between = ": ";
        for name in self.names.iter().flatten() {
            write!(f, "{between}{}", Text(name))?;
            between = ", ";
        }
        let shown = self.names.iter().flatten().count();
        if shown > 0 && shown < self.count { f.write_str(", …") } else { Ok(()) }
    }
}

/// Values of a row about a user.
#[derive(Default, Clone, Copy)]
struct RowUser<'a> {
    id: Option<u32>,
    sid: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
    nick: Option<&'a [u8]>,
    title: Option<&'a [u8]>,
}

/// Adds the rows of a message. The lists refer to the source at offset `base`, whose bytes are `bytes`.
pub(super) fn rows<'a>(wire: &mut Wire<'a>, mut lists: Lists, bytes: &'a [u8], base: usize, users: &mut Users) -> Rows<'a> {
    let counts = || lists.iter().flatten().map(|list| list.count);
    let (most, fewest) = (counts().max().unwrap_or_default(), counts().min().unwrap_or_default());
    if most != fewest {
        wire.note_layer(&LIST_COUNT_MISMATCH, format_args!("parallel lists have between {fewest} and {most} elements"));
    }
    let mut rows = Rows::default();
    for _ in 0..most.min(limits::XFIRE_ROWS.get()) {
        let mut who = RowUser::default();
        wire.put_over(&ROW, Value::None, None, |wire| {
            for list in lists.iter_mut().flatten() {
                cell(wire, list, bytes, base, users, &mut who);
            }
        });
        if let Some(slot) = rows.names.get_mut(rows.count) {
            let known = || who.id.and_then(|id| users.by_id(id)).or_else(|| users.by_sid(who.sid?));
            let known = || known().map(|user| Cow::Owned(user.as_bytes().to_vec()));
            *slot = who.name.or(who.title).map(Cow::Borrowed).or_else(known);
        }
        users.learn(who.id, who.sid, who.name, who.nick);
        rows.count += 1;
    }
    rows
}

fn cell<'a>(wire: &mut Wire<'a>, list: &mut List, bytes: &'a [u8], base: usize, users: &Users, who: &mut RowUser<'a>) {
    let Some(left) = list.count.checked_sub(1) else { return };
    let Some(ahead) = list.at.checked_sub(base).and_then(|at| bytes.get(at..list.end.checked_sub(base)?)) else { return };
    let Some(len) = value_len(ahead, list.value_type) else { return };
    let value = ahead.get(..len).unwrap_or_default();
    let (start, end) = (list.at, list.at + len);
    list.count = left;
    list.at = end;
    match list.value_type {
        STRING => {
            let text = value.get(2..).unwrap_or_default();
            let field = list.means.unwrap_or(&VALUE_STRING);
            wire.put(field, Value::Text, start + 2..end);
            match field {
                field if field.is(&NAME) => who.name = Some(text),
                field if field.is(&NICK) => who.nick = Some(text),
                field if field.is(&GROUP_NAME) || field.is(&ROOM_NAME) => who.title = Some(text),
                _ => {}
            }
        }
        INT32 => {
            let raw = value.first_chunk().copied().map(u32::from_le_bytes).unwrap_or_default();
            number(wire, list.means, raw.cast_signed().into(), &VALUE_INT32, start..end, users);
            if list.means.is_some_and(|field| field.is(&USERID)) {
                who.id = Some(raw);
            }
        }
        INT64 => {
            let number_64 = value.first_chunk().copied().map(i64::from_le_bytes).unwrap_or_default();
            number(wire, list.means, number_64, &VALUE_INT64, start..end, users);
        }
        UINT8 => number(wire, list.means, value.first().copied().unwrap_or_default().into(), &VALUE_UINT8, start..end, users),
        SID_TYPE => {
            identify(wire, list.means.unwrap_or(&VALUE_SID), value, start..end, users);
            who.sid = Some(value);
        }
        DID => identify(wire, list.means.unwrap_or(&VALUE_DID), value, start..end, users),
        // Common friends: a list of IDs in each row.
        LIST if value.first() == Some(&INT32) => {
            for (at, id) in value.get(3..).unwrap_or_default().chunks_exact(4).enumerate() {
                let raw = id.first_chunk().copied().map(u32::from_le_bytes).unwrap_or_default();
                let start = start + 3 + 4 * at;
                number(wire, list.means, raw.cast_signed().into(), &VALUE_INT32, start..start + 4, users);
            }
        }
        _ => {}
    }
}

fn number(
    wire: &mut Wire<'_>,
    means: Option<&'static Field>,
    number: i64,
    plain: &'static Field,
    range: std::ops::Range<usize>,
    users: &Users,
) {
    match means {
        Some(means) => mean(wire, means, number, range, users),
        None => {
            wire.put(plain, Value::Signed(number), range);
        }
    }
}
