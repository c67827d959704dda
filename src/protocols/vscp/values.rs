//! Shared value types: texts, fixed-point numbers and user IDs, and their display.

use super::charset::{Charset, Decoded};
use super::users::KnownUser;
use super::{ERROR_SHORT_CONTENT, NO_OBJECT, NOTE_CHARSET, RECEIVERS, USER_AVATAR, USER_IS_MASTER, USER_NAME, WARN_UNTERMINATED};
use crate::tree::{Field, NodeRef, Value, clean};
use crate::wire::{Cut, Error, Result, Wire};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Fixed-point unit.
const ONE: f64 = 65_535.0;

/// Maximum characters of a text in a heading.
const BRIEF: usize = 100;

/// Reads a fixed-point number, with the raw value below it.
pub(super) fn real(wire: &mut Wire<'_>, field: &'static Field, raw: &'static Field) -> Result<f64> {
    let Some(bytes) = wire.ahead().first_chunk() else { return short(wire, 4) };
    let value = f64::from(i32::from_be_bytes(*bytes)) / ONE;
    wire.parent(field, Value::Double(value), |wire| wire.i32_be(raw).map(|_| value))
}

/// Reads an ID, with its user below it.
pub(super) fn id<'u>(wire: &mut Wire<'_>, field: &'static Field, user: impl FnOnce(i32) -> Option<KnownUser<'u>>) -> Result<i32> {
    let Some(bytes) = wire.ahead().first_chunk() else { return wire.i32_be(field) };
    let id = i32::from_be_bytes(*bytes);
    let Some(KnownUser { user, is_master }) = user(id) else { return wire.i32_be(field) };
    wire.parent(field, Value::Signed(id.into()), |wire| {
        let range = wire.at()..wire.at() + bytes.len();
        wire.skip(bytes.len())?;
        wire.put_text(&USER_NAME, range.clone(), format_args!("{}", user.name));
        if !user.avatar.is_empty() {
            wire.put_text(&USER_AVATAR, range.clone(), format_args!("{}", user.avatar));
        }
        if is_master {
            wire.put(&USER_IS_MASTER, Value::Bool(true), range);
        }
        Ok(id)
    })
}

/// Reads a NUL-terminated text. Without a NUL it extends to the end of the content and is noted. The result is UTF-8 unless the
/// character set is unknown.
pub(super) fn text<'a>(wire: &mut Wire<'a>, field: &'static Field, charset: Charset) -> Result<Cow<'a, [u8]>> {
    let ahead = wire.ahead();
    let end = memchr::memchr(0, ahead);
    let bytes = ahead.get(..end.unwrap_or(ahead.len())).unwrap_or_default();
    let is_open = end.is_none() && wire.cut() == Cut::No && !bytes.is_empty();
    let text = match charset.decode(bytes).filter(|_| end.is_some() || is_open) {
        Some(Decoded { text, is_detected }) => {
            let start = wire.at();
            wire.skip(bytes.len() + usize::from(end.is_some()))?;
            wire.put_text(field, start..wire.at(), format_args!("{text}"));
            if is_detected {
                wire.note(&NOTE_CHARSET, format_args!("detected as Shift_JIS"));
            }
            Cow::Owned(text.into_owned().into_bytes())
        }
        None if is_open => Cow::Borrowed(wire.rest(field)),
        None => Cow::Borrowed(wire.text_nul(field)?),
    };
    if is_open {
        wire.note(&WARN_UNTERMINATED, format_args!("no NUL after the text"));
    }
    Ok(text)
}

/// Reads content with a minimum size and notes a shorter one. After a cut, only the cut is noted.
pub(super) fn at_least<T>(wire: &mut Wire<'_>, least: usize, read: impl FnOnce(&mut Wire<'_>) -> Result<T>) -> Result<T> {
    let have = wire.remaining();
    match (read(wire), wire.cut()) {
        (Err(Error::Short { .. }), Cut::No) if have < least => {
            wire.malformed(&ERROR_SHORT_CONTENT, format_args!("{have} of {least} bytes"))
        }
        (Err(Error::Short { .. }), Cut::No) => {
            wire.malformed(&ERROR_SHORT_CONTENT, format_args!("{} remain for the next field", Bytes(wire.remaining())))
        }
        (result, _) => result,
    }
}

fn short<T>(wire: &Wire<'_>, wanted: usize) -> Result<T> {
    Err(Error::Short { needed: wanted.saturating_sub(wire.remaining()) })
}

/// Big-endian number at an offset ahead.
pub(super) fn peek(wire: &Wire<'_>, at: usize) -> Option<u32> {
    wire.ahead().get(at..)?.first_chunk().copied().map(u32::from_be_bytes)
}

/// Byte count with its unit.
pub(super) struct Bytes(pub(super) usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "byte" } else { "bytes" })
    }
}

/// Text for a heading, truncated. If it is not UTF-8, only its ASCII characters are shown.
pub(super) struct Brief<'a>(pub(super) &'a [u8]);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(self.0) {
            Ok(text) => brief(text.chars(), f),
            Err(_) => {
                brief(self.0.iter().map(|byte| if byte.is_ascii() { (*byte).into() } else { char::REPLACEMENT_CHARACTER }), f)
            }
        }
    }
}

fn brief(characters: impl Iterator<Item = char>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (place, character) in characters.enumerate() {
        if place == BRIEF {
            return f.write_char('…');
        }
        f.write_char(character)?;
    }
    Ok(())
}

/// Quoted text. Without a known character set, non-ASCII bytes are escaped.
pub(super) fn text_value(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let bytes = node.text_bytes();
    out.write_char('"')?;
    match std::str::from_utf8(bytes) {
        _ if matches!(node.value(), Value::Generated(_)) => clean(&node.text(), out)?,
        Ok(text) => clean(text, out)?,
        Err(_) => bytes.iter().try_for_each(|byte| match byte {
            b' '..=b'~' => out.write_char((*byte).into()),
            _ => write!(out, "\\x{byte:02x}"),
        })?,
    }
    out.write_char('"')
}

/// Number of body parts in a text, two characters each.
pub(super) fn parts(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match node.text_bytes().len() {
        2 => out.write_str("1 part"),
        length if length % 2 == 0 => write!(out, "{} parts", length / 2),
        _ => Ok(()),
    }
}

pub(super) fn real_value(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match node.value() {
        Value::Double(number) => write!(out, "{number:.6}"),
        _ => Ok(()),
    }
}

pub(super) fn angle(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match node.value() {
        Value::Double(number) => write!(out, "{number:.2}°"),
        _ => Ok(()),
    }
}

pub(super) fn id_value(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match node.value() {
        Value::Signed(id) => write!(out, "{id}"),
        _ => Ok(()),
    }
}

/// User of an ID.
pub(super) fn id_meaning(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    if node.value() == Value::Signed(NO_OBJECT.into()) {
        return out.write_str("no particular object");
    }
    let Some(name) = node.child(&USER_NAME) else { return Ok(()) };
    clean(&name.text(), out)?;
    if let Some(avatar) = node.child(&USER_AVATAR) {
        let path = avatar.text();
        let blank = if name.text().is_empty() { "" } else { " " };
        out.write_str(blank)?;
        out.write_char('(')?;
        clean(path.rsplit(['/', '\\']).next().unwrap_or_default(), out)?;
        out.write_char(')')?;
    }
    if node.child(&USER_IS_MASTER).is_some() { out.write_str(", master") } else { Ok(()) }
}

pub(super) fn strategy_value(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    node.number().map_or(Ok(()), |number| write!(out, "{number}"))
}

/// Name of a strategy, and the receivers.
pub(super) fn receivers(node: NodeRef<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(node.name().unwrap_or_default())?;
    match node.child(&RECEIVERS) {
        Some(receivers) => {
            out.write_str(": ")?;
            clean(&receivers.text(), out)
        }
        None => Ok(()),
    }
}
