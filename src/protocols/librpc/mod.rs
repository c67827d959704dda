//! LibRPC: script function calls between a Vice City: Multiplayer server and its computer-driven players, since v1.6.
//!
//! A message is one node; its operands are values, and nodes are values too. Sizes and lengths are big-endian, numbers
//! little-endian.
//!
//! ```text
//! message     identifier:4 (little-endian) | node
//!
//! node        tag:1 | size:4 | body:size
//!   F call               name | arguments             name(…)
//!   E raw call           name | arguments             of the first argument: first.name(…)
//!   G call of a result   node | arguments             node(…)
//!   D the same, raw      node | arguments             node.call(…)
//!   g get                value | keys                 value.key[key]
//!   h set                name | value                 name = value
//!                        value | key | value          value.key = value
//! name        length:2 | text
//!
//! value       tag:1 and
//!   s string  length:2 | text        o null    nothing             v vector      x:4 | y:4 | z:4
//!   i integer :4                     b bool    :1                  q quaternion  x:4 | y:4 | z:4 | w:4
//!   f float   :4                     a array   size:4 | values     F G E D g     as a node
//! ```
//! There are no responses: a return value is discarded unless an enclosing node uses it.

mod fields;
mod script;
#[cfg(test)]
mod tests;

use crate::limits;
use crate::tree::{Field, Side, Value, name_of};
use crate::wire::{Cut, Error, Exchange, Heuristic, On, Protocol, Result, Wire};
use fields::*;
use script::{Form, Script};
use std::fmt;

pub static PROTOCOL: Protocol = Protocol::new(&LIBRPC, FIELDS)
    .found(&[
        On::AnyUdp.datagram(Heuristic::Datagram(is_exact), bare),
        On::Over("vcmp").exchange::<ScriptData>(Heuristic::Datagram(begins)),
    ])
    .rest(&UNPARSED);

/// Bytes of the identifier.
const IDENTIFIER_LEN: usize = 4;

const CALL: u8 = b'F';
const RAW_CALL: u8 = b'E';
const CALL_RESULT: u8 = b'G';
const RAW_CALL_RESULT: u8 = b'D';
const GET: u8 = b'g';
const SET: u8 = b'h';
const STRING: u8 = b's';
const INTEGER: u8 = b'i';
const FLOAT: u8 = b'f';
const NULL: u8 = b'o';
const BOOL: u8 = b'b';
const VECTOR: u8 = b'v';
const QUATERNION: u8 = b'q';
const ARRAY: u8 = b'a';

/// Bytes of a name's length.
const NAME_HEAD: usize = 2;

/// Bytes of the tag and size of a node or array.
const HEAD: usize = 5;

/// Maximum nesting of nodes and arrays.
const MAX_LEVEL: u64 = 32;

/// Maximum size that the original receiver handles.
const MAX_SIZE: usize = 0xffff;

fn node_name(tag: u8) -> Option<&'static str> {
    Some(match tag {
        CALL => "call",
        RAW_CALL => "raw_call",
        CALL_RESULT => "call_result",
        RAW_CALL_RESULT => "raw_call_result",
        GET => "get",
        SET => "set",
        _ => return None,
    })
}

/// Whether the bytes start like a message: the identifier, and a node tag if any bytes follow.
pub(super) fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [0 | 1, 0, 0, 0x40, rest @ ..] if rest.first().is_none_or(|tag| node_name(*tag).is_some()))
}

/// Whether the bytes are exactly one message.
pub(super) fn is_exact(bytes: &[u8]) -> bool {
    begins(bytes) && size_at(bytes, IDENTIFIER_LEN + 1).is_some_and(|size| bytes.len() - IDENTIFIER_LEN - HEAD == size)
}

/// VC:MP script data, whose sender is known.
#[derive(Default)]
struct ScriptData;

impl Exchange for ScriptData {
    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        message(wire, Some(from))
    }
}

fn bare(wire: &mut Wire<'_>) -> Result {
    message(wire, None)
}

/// Reads a message from this side, if known.
fn message(wire: &mut Wire<'_>, from: Option<Side>) -> Result {
    let script = if wire.wants(&[&CALL_TEXT]) || wire.wants_summary() { Script::default() } else { Script::unwanted() };
    Reader { from, nested: 0, script }.message(wire)
}

/// Reader of nodes and values, which also builds the script form.
struct Reader {
    from: Option<Side>,
    /// Number of nodes and arrays so far.
    nested: usize,
    script: Script,
}

impl Reader {
    fn message(&mut self, wire: &mut Wire<'_>) -> Result {
        let identifier = wire.u32_le(&IDENTIFIER)?;
        if name_of(IDENTIFIERS, identifier.into()).is_none() {
            wire.note(&BAD_IDENTIFIER, format_args!("unknown identifier"));
        }
        let left = wire.remaining();
        if left < HEAD {
            wire.name("truncated");
            return stop(wire, &TRUNCATED, HEAD, format_args!("{left} bytes after the identifier, a node header has {HEAD}"));
        }
        let tag = wire.peek_u8().unwrap_or_default();
        let Some(name) = node_name(tag) else {
            return wire.malformed(&UNKNOWN_TAG, format_args!("unknown node tag {tag:#04x}"));
        };
        wire.name(name);
        if tag == GET {
            wire.note_ahead(&BAD_PLACEMENT, format_args!("get stands only for a value"));
        }
        let place = wire.add(&CALL_TEXT, Value::None);
        let result = wire.group(&NODE, |wire| self.node(wire, tag, 1));
        let script = self.script.text();
        wire.set_text(place, &CALL_TEXT, |out| write!(out, "{script}"));
        let (shown, dots) = self.script.brief();
        wire.info(format_args!("{shown}{dots}"));
        result?;
        let left = wire.remaining();
        if left > 0 && wire.cut() == Cut::No {
            wire.note_ahead(&TRAILING_BYTES, format_args!("{left} after the node; the receiver reads them as further arguments"));
            while wire.remaining() > 0 && self.value(wire, &ARG, Form::Value, 1).is_ok() {}
            wire.rest(&UNPARSED);
        }
        Ok(())
    }

    /// Reads a value in the group of its role in the enclosing node or array, which has this nesting level.
    fn value(&mut self, wire: &mut Wire<'_>, role: &'static Field, form: Form, level: u64) -> Result {
        let tag = wire.peek_u8().unwrap_or_default();
        let is_nested = tag == ARRAY || node_name(tag).is_some();
        let result = if !is_nested && name_of(TYPES, tag.into()).is_none() {
            wire.malformed(&UNKNOWN_TAG, format_args!("unknown value tag {tag:#04x}"))
        } else {
            let (wanted, left) = (width(wire.ahead()), wire.remaining());
            if wanted > left && wire.cut() == Cut::No {
                wire.note_ahead(&VALUE_OVERRUN, format_args!("{wanted} bytes wanted, {left} left"));
            }
            if is_nested && wanted <= left {
                self.nested(wire, role, form, level + 1)
            } else {
                wire.group(role, |wire| self.scalar(wire, form))
            }
        };
        if result.is_err() {
            self.script.push("…");
        }
        match result {
            Err(Error::Short { .. }) if wire.cut() == Cut::No => Err(Error::Malformed),
            result => result,
        }
    }

    fn scalar(&mut self, wire: &mut Wire<'_>, form: Form) -> Result {
        let tag = wire.u8(&VALUE_TYPE)?;
        if form == Form::Key && tag != STRING {
            self.script.push("[");
        }
        match tag {
            STRING => {
                let len = wire.u16_be(&STRING_LEN)?;
                let text = wire.text(&STRING_VALUE, len.into())?;
                self.script.string(text, form);
            }
            INTEGER => {
                let number = wire.i32_le(&INTEGER_VALUE)?;
                self.script.write(format_args!("{number}"));
            }
            FLOAT => {
                let number = wire.f32_le(&FLOAT_VALUE)?;
                self.script.write(format_args!("{number}"));
            }
            NULL => self.script.push("null"),
            BOOL => {
                let truth = wire.bool(&BOOL_VALUE)?;
                if truth > 1 {
                    wire.note(&BAD_BOOL, format_args!("{truth} is neither 0 nor 1"));
                }
                self.script.push(if truth == 0 { "false" } else { "true" });
            }
            VECTOR => self.reals(wire, "Vector", &[&X, &Y, &Z])?,
            QUATERNION => self.reals(wire, "Quaternion", &[&X, &Y, &Z, &W])?,
            // An array or a node that ends inside its header.
            _ => return Err(Error::Short { needed: HEAD }),
        }
        if form == Form::Key && tag != STRING {
            self.script.push("]");
        }
        Ok(())
    }

    fn reals(&mut self, wire: &mut Wire<'_>, name: &str, fields: &[&'static Field]) -> Result {
        self.script.push(name);
        let mut before = "(";
        for field in fields {
            let number = wire.f32_le(field)?;
            self.script.write(format_args!("{before}{number}"));
            before = ", ";
        }
        self.script.push(")");
        Ok(())
    }

    /// Reads an array, or a node used as a value.
    fn nested(&mut self, wire: &mut Wire<'_>, role: &'static Field, form: Form, level: u64) -> Result {
        self.nested += 1;
        let size = size_at(wire.ahead(), 1).unwrap_or_default();
        if level > MAX_LEVEL || self.nested > limits::LIBRPC_NESTED.get() {
            let (code, words) = if level > MAX_LEVEL {
                (&TOO_DEEP, format_args!("more than {MAX_LEVEL} levels"))
            } else {
                (&TOO_MANY, format_args!("more than {} nodes and arrays", limits::LIBRPC_NESTED.get()))
            };
            wire.note_ahead(code, words);
            self.script.push("…");
            return wire.bytes(&UNPARSED, size.saturating_add(HEAD).min(wire.remaining())).map(drop);
        }
        let tag = wire.peek_u8().unwrap_or_default();
        if tag == SET {
            wire.note_ahead(&BAD_PLACEMENT, format_args!("set stands only by itself"));
        }
        if size > MAX_SIZE {
            wire.note_ahead(&SIZE_OVER, format_args!("{size} bytes, of which the genuine reader keeps 16 bits"));
        }
        if form == Form::Key {
            self.script.push("[");
        }
        wire.group(role, |wire| match tag {
            ARRAY => self.array(wire, level),
            _ => self.node(wire, tag, level),
        })?;
        if form == Form::Key {
            self.script.push("]");
        }
        Ok(())
    }

    fn array(&mut self, wire: &mut Wire<'_>, level: u64) -> Result {
        check_size(wire, &ARRAY_OVERRUN);
        wire.u8(&VALUE_TYPE)?;
        let size = wire.u32_be(&ARRAY_SIZE)? as usize;
        wire.add(&DEPTH, Value::Unsigned(level));
        self.script.push("[");
        inside(wire, size, |wire| {
            let mut count = 0;
            let result = self.list(wire, &ELEMENT, level, &mut count);
            wire.add(&ARRAY_COUNT, Value::Unsigned(count));
            result
        })?;
        self.script.push("]");
        Ok(())
    }

    fn node(&mut self, wire: &mut Wire<'_>, tag: u8, level: u64) -> Result {
        if matches!(tag, GET | SET) && self.from == Some(Side::Server) {
            wire.note_ahead(&BAD_PLACEMENT, format_args!("servers send neither get nor set"));
        }
        check_size(wire, &NODE_OVERRUN);
        wire.text(&NODE_TAG, 1)?;
        wire.add_text(&NODE_NAME, format_args!("{}", node_name(tag).unwrap_or_default()));
        let size = wire.u32_be(&NODE_SIZE)? as usize;
        wire.add(&DEPTH, Value::Unsigned(level));
        inside(wire, size, |wire| match tag {
            CALL | RAW_CALL => self.call(wire, tag, level),
            CALL_RESULT | RAW_CALL_RESULT => self.call_result(wire, tag, level),
            GET => self.get(wire, level),
            _ => self.set(wire, level),
        })
    }

    /// Function by name. A raw call looks it up in its first argument.
    fn call(&mut self, wire: &mut Wire<'_>, tag: u8, level: u64) -> Result {
        let name = match function(wire) {
            Ok(name) => name,
            Err(error) => {
                self.script.push("…");
                return Err(error);
            }
        };
        let mut count = 0;
        let mut result = Ok(());
        if tag == RAW_CALL {
            if wire.remaining() > 0 {
                count = 1;
                result = self.value(wire, &ARG, Form::Value, level);
            } else if wire.cut() == Cut::No {
                wire.note(&MISSING_ENVIRONMENT, format_args!("no argument to look the function up in"));
            }
            self.script.push(".");
        }
        self.script.string(name, Form::Name);
        result?;
        self.arguments(wire, level, count)
    }

    /// Function returned by another node.
    fn call_result(&mut self, wire: &mut Wire<'_>, tag: u8, level: u64) -> Result {
        let callee = wire.peek_u8();
        if callee.map_or(wire.cut() == Cut::No, |tag| node_name(tag).is_none()) {
            wire.note_ahead(&BAD_CALLEE, format_args!("the callee is not a node"));
        }
        if callee.is_some() {
            self.value(wire, &CALLEE, Form::Value, level)?;
        }
        if tag == RAW_CALL_RESULT {
            self.script.push(".call");
        }
        self.arguments(wire, level, 0)
    }

    /// Reads arguments up to the end, after this many operands.
    fn arguments(&mut self, wire: &mut Wire<'_>, level: u64, before: u64) -> Result {
        let mut count = before;
        self.script.push("(");
        let result = self.list(wire, &ARG, level, &mut count);
        self.script.push(")");
        wire.add(&ARG_COUNT, Value::Unsigned(count));
        result
    }

    fn list(&mut self, wire: &mut Wire<'_>, role: &'static Field, level: u64, count: &mut u64) -> Result {
        let mut between = "";
        wire.each(|wire| {
            self.script.push(between);
            self.value(wire, role, Form::Value, level)?;
            *count += 1;
            between = ", ";
            Ok(())
        })
    }

    /// Member access.
    fn get(&mut self, wire: &mut Wire<'_>, level: u64) -> Result {
        let (mut role, mut form) = (&FIRST, Form::Name);
        wire.each(|wire| {
            self.value(wire, role, form, level)?;
            (role, form) = (&KEY, Form::Key);
            Ok(())
        })
    }

    /// Assignment to a slot of the root table or of an object.
    fn set(&mut self, wire: &mut Wire<'_>, level: u64) -> Result {
        let is_slot = wire.peek_u8() == Some(STRING);
        let wanted = if is_slot { 2 } else { 3 };
        let mut count = 0;
        while wire.remaining() > 0 {
            let (role, form) = match count {
                0 => (&FIRST, Form::Name),
                1 if !is_slot => (&ARG, Form::Key),
                _ => (&ARG, Form::Value),
            };
            count += 1;
            self.script.push(if count < wanted {
                ""
            } else if count == wanted {
                " = "
            } else {
                ", "
            });
            self.value(wire, role, form, level)?;
        }
        if count != wanted && wire.cut() == Cut::No {
            wire.note(&BAD_SET, format_args!("{count} values, not {wanted}"));
        }
        Ok(())
    }
}

/// Function name.
fn function<'a>(wire: &mut Wire<'a>) -> Result<&'a [u8]> {
    let left = wire.remaining();
    let len = wire.ahead().first_chunk().map(|len| u16::from_be_bytes(*len));
    let Some(len) = len.filter(|len| NAME_HEAD + usize::from(*len) <= left) else {
        let wanted = len.map_or(NAME_HEAD, |len| NAME_HEAD + usize::from(len));
        if len.is_none() {
            return stop(wire, &NAME_OVERRUN, wanted, format_args!("{left} of the {NAME_HEAD} bytes of a length"));
        }
        let len = wire.u16_be(&FUNCTION_LEN)?;
        let left = wire.remaining();
        return stop(wire, &NAME_OVERRUN, len.into(), format_args!("{len} bytes declared, {left} left"));
    };
    wire.u16_be(&FUNCTION_LEN)?;
    wire.text(&FUNCTION, len.into())
}

/// Reads at most `size` bytes. Unread bytes are kept as data, and reading continues after them.
fn inside(wire: &mut Wire<'_>, size: usize, read: impl FnOnce(&mut Wire<'_>) -> Result) -> Result {
    let size = if wire.cut() == Cut::No { size.min(wire.remaining()) } else { size };
    wire.within(size, &UNPARSED, |wire| match read(wire) {
        Err(Error::Malformed) => wire.rest_is(&UNPARSED),
        result => result,
    })
}

/// Notes a node or array whose declared size exceeds the remaining bytes.
fn check_size(wire: &mut Wire<'_>, code: &'static Field) {
    let left = wire.remaining().saturating_sub(HEAD);
    if let Some(size) = size_at(wire.ahead(), 1)
        && size > left
        && wire.cut() == Cut::No
    {
        wire.note_ahead(code, format_args!("{size} bytes declared, {left} left"));
    }
}

/// Stops reading. After a cut, only the cut is noted.
fn stop<T>(wire: &mut Wire<'_>, code: &'static Field, wanted: usize, words: fmt::Arguments<'_>) -> Result<T> {
    if wire.cut() == Cut::No {
        return wire.malformed(code, words);
    }
    Err(Error::Short { needed: wanted.saturating_sub(wire.remaining()) })
}

/// Bytes of a value according to its header; for a node or an array, those of the header.
fn width(value: &[u8]) -> usize {
    match value {
        [STRING, high, low, ..] => 3 + usize::from(u16::from_be_bytes([*high, *low])),
        [STRING, ..] => 3,
        [INTEGER | FLOAT, ..] => 5,
        [BOOL, ..] => 2,
        [VECTOR, ..] => 13,
        [QUATERNION, ..] => 17,
        [NULL, ..] => 1,
        _ => HEAD,
    }
}

fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    let size = bytes.get(at..)?.first_chunk().copied()?;
    Some(u32::from_be_bytes(size) as usize)
}
