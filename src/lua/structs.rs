//! `Struct`: numbers and texts packed into strings.

use super::args::{Args, integer};
use super::budget;
use super::errors::type_of;
use super::numbers::{Int64, UInt64};
use mlua::{Lua, MultiValue, Result, Table, Value};

/// Longest integer, and padding, in bytes.
const LONGEST: usize = 32;

/// An element of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Unsigned(usize),
    Signed(usize),
    UnsignedObject,
    SignedObject,
    Single,
    Double,
    /// Text with a NUL.
    Terminated,
    /// So many characters; `None` for as many as there are, or as the number before says.
    Characters(Option<usize>),
    Padding(usize),
    Align(usize),
    /// Values between parentheses are read and dropped.
    Skip(bool),
    Position,
}

/// A format that is read element by element.
struct Format<'a> {
    args: &'a Args<'a>,
    text: Vec<u8>,
    at: usize,
    is_big: bool,
    align: usize,
}

impl<'a> Format<'a> {
    fn new(args: &'a Args<'a>) -> Result<Format<'a>> {
        Ok(Format { args, text: args.bytes(1)?, at: 0, is_big: false, align: 1 })
    }

    /// The number behind an element, or a default.
    fn number(&mut self, default: usize) -> usize {
        let digits = self.text.get(self.at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = self.text.get(self.at..self.at + digits).and_then(|digits| str::from_utf8(digits).ok()).unwrap_or_default();
        self.at += digits;
        if digits == 0 { default } else { text.parse().unwrap_or(usize::MAX) }
    }

    fn size(&mut self, default: usize) -> Result<usize> {
        match self.number(default) {
            size @ 1..=LONGEST => Ok(size),
            size => self.args.wrong(1, &format!("integral size {size} is larger than limit of {LONGEST}")),
        }
    }

    fn next(&mut self) -> Result<Option<Element>> {
        loop {
            let Some(byte) = self.text.get(self.at).copied() else { return Ok(None) };
            self.at += 1;
            budget::spend(self.args.lua, 1)?;
            return Ok(Some(match byte {
                b' ' => continue,
                b'<' | b'>' => {
                    self.is_big = byte == b'>';
                    continue;
                }
                b'!' => {
                    let align = self.number(8);
                    if !align.is_power_of_two() {
                        return self.args.wrong(1, &format!("alignment {align} is not a power of 2"));
                    }
                    self.align = align;
                    continue;
                }
                b'b' => Element::Signed(1),
                b'B' => Element::Unsigned(1),
                b'h' => Element::Signed(2),
                b'H' => Element::Unsigned(2),
                b'l' => Element::Signed(8),
                b'L' | b'T' => Element::Unsigned(8),
                b'i' => Element::Signed(self.size(4)?),
                b'I' => Element::Unsigned(self.size(4)?),
                b'e' => Element::SignedObject,
                b'E' => Element::UnsignedObject,
                b'f' => Element::Single,
                b'd' => Element::Double,
                b's' => Element::Terminated,
                b'c' => match self.number(1) {
                    0 => Element::Characters(None),
                    count => Element::Characters(Some(count)),
                },
                b'x' => Element::Padding(self.number(1)),
                b'X' => Element::Align(self.number(self.align)),
                b'(' | b')' => Element::Skip(byte == b'('),
                b'=' => Element::Position,
                other => return self.args.wrong(1, &format!("invalid format option [{}]", char::from(other))),
            }));
        }
    }

    /// Number of bytes of an element, if it is fixed.
    fn fixed(element: Element) -> Option<usize> {
        match element {
            Element::Unsigned(size) | Element::Signed(size) | Element::Padding(size) => Some(size),
            Element::UnsignedObject | Element::SignedObject | Element::Double => Some(8),
            Element::Single => Some(4),
            Element::Characters(count) => count,
            Element::Skip(_) | Element::Position | Element::Align(_) => Some(0),
            Element::Terminated => None,
        }
    }

    /// Number of padding bytes in front of an element at this offset.
    fn padding(&self, element: Element, at: usize) -> usize {
        let unit = match element {
            Element::Align(unit) => unit,
            Element::Unsigned(_)
            | Element::Signed(_)
            | Element::UnsignedObject
            | Element::SignedObject
            | Element::Single
            | Element::Double => Format::fixed(element).unwrap_or(1).min(self.align),
            _ => 1,
        };
        if unit.is_power_of_two() { at.next_multiple_of(unit) - at } else { 0 }
    }

    /// The low bytes of a number in this order.
    fn bytes_of(&self, number: u64, size: usize, is_negative: bool) -> Vec<u8> {
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.resize(size, if is_negative { 0xff } else { 0 });
        if self.is_big {
            bytes.reverse();
        }
        bytes
    }

    fn number_of(&self, bytes: &[u8]) -> u64 {
        super::buffer::number(bytes, !self.is_big)
    }
}

/// The 64 bits of a number or of a 64-bit object.
fn whole(args: &Args<'_>, number: usize) -> Result<i64> {
    let value = args.get(number);
    if let Value::UserData(data) = &value {
        if let Ok(own) = data.borrow::<UInt64>() {
            return Ok(own.0.cast_signed());
        }
        if let Ok(own) = data.borrow::<Int64>() {
            return Ok(own.0);
        }
    }
    match integer(&value) {
        Some(integer) => Ok(integer),
        None => args.wrong(number, &format!("number expected, got {}", type_of(&value))),
    }
}

fn float(args: &Args<'_>, number: usize) -> Result<f64> {
    match args.get(number) {
        Value::Number(number) => Ok(number),
        #[expect(clippy::cast_precision_loss, reason = "the element is a float")]
        _ => whole(args, number).map(|integer| integer as f64),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the element has 32 bits")]
fn single(number: f64) -> f32 {
    number as f32
}

fn pack(args: &Args<'_>) -> Result<MultiValue> {
    let mut format = Format::new(args)?;
    let (mut out, mut next, mut positions): (Vec<u8>, usize, Vec<Value>) = (Vec::new(), 2, Vec::new());
    while let Some(element) = format.next()? {
        let padding = format.padding(element, out.len());
        budget::fits(args.lua, padding)?;
        out.resize(out.len() + padding, 0);
        match element {
            Element::Unsigned(size) | Element::Signed(size) => {
                let number = whole(args, next)?;
                out.extend(format.bytes_of(number.cast_unsigned(), size, number < 0));
            }
            Element::UnsignedObject | Element::SignedObject => {
                out.extend(format.bytes_of(whole(args, next)?.cast_unsigned(), 8, false));
            }
            Element::Single => {
                let bits = single(float(args, next)?).to_bits();
                out.extend(format.bytes_of(bits.into(), 4, false));
            }
            Element::Double => out.extend(format.bytes_of(float(args, next)?.to_bits(), 8, false)),
            Element::Terminated | Element::Characters(None) => {
                out.extend(args.bytes(next)?);
                if element == Element::Terminated {
                    out.push(0);
                }
            }
            Element::Characters(Some(count)) => {
                let text = args.bytes(next)?;
                match text.get(..count) {
                    Some(text) => out.extend(text),
                    None => return args.wrong(next, "string too short"),
                }
            }
            Element::Padding(count) => {
                budget::fits(args.lua, count)?;
                out.resize(out.len() + count, 0);
            }
            Element::Position => positions.push(Value::Integer(i64::try_from(out.len() + 1).unwrap_or(i64::MAX))),
            Element::Align(_) | Element::Skip(_) => {}
        }
        if !matches!(element, Element::Padding(_) | Element::Align(_) | Element::Skip(_) | Element::Position) {
            next += 1;
        }
    }
    budget::fits(args.lua, out.len())?;
    let mut values = vec![Value::String(args.lua.create_string(&out)?)];
    values.append(&mut positions);
    Ok(MultiValue::from_vec(values))
}

fn unpack(args: &Args<'_>) -> Result<MultiValue> {
    let mut format = Format::new(args)?;
    let bytes = args.bytes(2)?;
    let mut at = usize::try_from(args.int_or(3, 1)? - 1).unwrap_or(usize::MAX);
    let (mut values, mut skips): (Vec<Value>, bool) = (Vec::new(), false);
    while let Some(element) = format.next()? {
        at = at.saturating_add(format.padding(element, at));
        let short = || args.wrong(2, "data string too short");
        let len = match (element, values.last().and_then(integer)) {
            (Element::Terminated, _) => match bytes.get(at..).and_then(|ahead| memchr::memchr(0, ahead)) {
                Some(len) => len,
                None => return args.wrong(2, "unfinished string in data"),
            },
            (Element::Characters(None), Some(count)) => {
                values.pop();
                usize::try_from(count).unwrap_or(usize::MAX)
            }
            (Element::Characters(None), None) => return args.wrong(1, "format 'c0' needs a previous size"),
            (element, _) => Format::fixed(element).unwrap_or_default(),
        };
        let Some(own) = at.checked_add(len).and_then(|end| bytes.get(at..end)) else { return short() };
        budget::spend(args.lua, 1 + len / 16)?;
        at += len;
        let value = match element {
            Element::Unsigned(_) => Value::Integer(format.number_of(own).cast_signed()),
            Element::Signed(_) => Value::Integer(super::buffer::signed(format.number_of(own), len)),
            Element::UnsignedObject => Value::UserData(args.lua.create_userdata(UInt64(format.number_of(own)))?),
            Element::SignedObject => Value::UserData(args.lua.create_userdata(Int64(format.number_of(own).cast_signed()))?),
            Element::Single => {
                let bits = u32::try_from(format.number_of(own)).unwrap_or_default();
                Value::Number(f32::from_bits(bits).into())
            }
            Element::Double => Value::Number(f64::from_bits(format.number_of(own))),
            Element::Terminated => {
                at += 1;
                Value::String(args.lua.create_string(own)?)
            }
            Element::Characters(_) => Value::String(args.lua.create_string(own)?),
            Element::Position => Value::Integer(i64::try_from(at + 1).unwrap_or(i64::MAX)),
            Element::Skip(begins) => {
                skips = begins;
                continue;
            }
            Element::Padding(_) | Element::Align(_) => continue,
        };
        if !skips {
            values.push(value);
        }
    }
    values.push(Value::Integer(i64::try_from(at + 1).unwrap_or(i64::MAX)));
    Ok(MultiValue::from_vec(values))
}

fn size(args: &Args<'_>) -> Result<usize> {
    let mut format = Format::new(args)?;
    let mut total = 0_usize;
    while let Some(element) = format.next()? {
        total = total.saturating_add(format.padding(element, total));
        match (Format::fixed(element), element) {
            (Some(size), _) => total = total.saturating_add(size),
            (None, Element::Terminated) => return args.wrong(1, "option 's' has no fixed size"),
            (None, _) => return args.wrong(1, "option 'c0' has no fixed size"),
        }
    }
    Ok(total)
}

fn count(args: &Args<'_>) -> Result<usize> {
    let mut format = Format::new(args)?;
    let (mut total, mut skips) = (0, false);
    while let Some(element) = format.next()? {
        match element {
            Element::Skip(begins) => skips = begins,
            Element::Padding(_) | Element::Align(_) => {}
            _ => total += usize::from(!skips),
        }
    }
    Ok(total)
}

fn to_hex(args: &Args<'_>) -> Result<String> {
    let (bytes, is_lower, separator) = (args.bytes(1)?, args.truth_or(2, false), args.text_or_nil(3)?.unwrap_or_default());
    budget::fits(args.lua, bytes.len().saturating_mul(2 + separator.len()))?;
    let digits = if is_lower { data_encoding::HEXLOWER } else { data_encoding::HEXUPPER };
    Ok(bytes.iter().map(|byte| digits.encode(&[*byte])).collect::<Vec<_>>().join(&separator))
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("pack", lua.create_function(|lua, values| pack(&Args::new(lua, "pack", values)))?)?;
    class.set("unpack", lua.create_function(|lua, values| unpack(&Args::new(lua, "unpack", values)))?)?;
    class.set("size", lua.create_function(|lua, values| size(&Args::new(lua, "size", values)))?)?;
    class.set("values", lua.create_function(|lua, values| count(&Args::new(lua, "values", values)))?)?;
    class.set("tohex", lua.create_function(|lua, values| to_hex(&Args::new(lua, "tohex", values)))?)?;
    let from_hex = |lua: &Lua, values: MultiValue| {
        let text = Args::new(lua, "fromhex", values).bytes(1)?;
        lua.create_string(super::bytes::from_hex(&text))
    };
    class.set("fromhex", lua.create_function(from_hex)?)?;
    super::sandbox::guard_class(lua, &class, "Struct")?;
    globals.set("Struct", class)
}
