//! Functions of other versions of Lua: `bit`, `bit32`, and the parts of `string` that count their steps.

use super::args::{Args, integer};
use super::errors::expected;
use super::pattern;
use mlua::{Lua, MultiValue, Result, Table, Value};

/// The low 32 bits of an argument.
fn bits(args: &Args<'_>, number: usize) -> Result<u32> {
    let value = args.get(number);
    match integer(&value) {
        Some(integer) => Ok(u32::try_from(integer & 0xffff_ffff).unwrap_or_default()),
        None => expected(args.lua, number, args.function, "number", &value),
    }
}

/// A shift count from 0 to 31.
fn shift(args: &Args<'_>, number: usize) -> Result<u32> {
    Ok(bits(args, number)? & 31)
}

type Combine = fn(u32, u32) -> u32;
const COMBINE: [(&str, Combine); 3] = [("band", |a, b| a & b), ("bor", |a, b| a | b), ("bxor", |a, b| a ^ b)];

/// The combination of all arguments.
fn combined(args: &Args<'_>, combine: Combine) -> Result<u32> {
    let first = bits(args, 1)?;
    (2..=args.len()).try_fold(first, |all, number| Ok(combine(all, bits(args, number)?)))
}

/// Adds a function.
fn put<R: mlua::IntoLuaMulti>(
    lua: &Lua,
    table: &Table,
    name: &'static str,
    work: impl Fn(&Args<'_>) -> Result<R> + Send + 'static,
) -> Result<()> {
    table.set(name, lua.create_function(move |lua, values| work(&Args::new(lua, name, values)))?)
}

/// LuaBitOp: results are signed, and shifts count modulo 32.
fn bit(lua: &Lua) -> Result<Table> {
    let table = lua.create_table()?;
    for (name, combine) in COMBINE {
        put(lua, &table, name, move |args| combined(args, combine).map(u32::cast_signed))?;
    }
    put(lua, &table, "tobit", |args| bits(args, 1).map(u32::cast_signed))?;
    put(lua, &table, "bnot", |args| bits(args, 1).map(|bits| (!bits).cast_signed()))?;
    put(lua, &table, "bswap", |args| bits(args, 1).map(|bits| bits.swap_bytes().cast_signed()))?;
    type Shift = fn(u32, u32) -> u32;
    let shifts: [(&'static str, Shift); 5] = [
        ("lshift", |bits, by| bits << by),
        ("rshift", |bits, by| bits >> by),
        ("arshift", |bits, by| (bits.cast_signed() >> by).cast_unsigned()),
        ("rol", u32::rotate_left),
        ("ror", u32::rotate_right),
    ];
    for (name, work) in shifts {
        put(lua, &table, name, move |args| Ok(work(bits(args, 1)?, shift(args, 2)?).cast_signed()))?;
    }
    put(lua, &table, "tohex", |args| {
        let (bits, digits) = (bits(args, 1)?, args.int_or(2, 8)?);
        let width = usize::try_from(digits.unsigned_abs()).unwrap_or(8).min(8);
        let text = format!("{bits:08x}");
        let text = text.get(8 - width..).unwrap_or_default();
        Ok(if digits < 0 { text.to_uppercase() } else { text.to_owned() })
    })?;
    Ok(table)
}

/// Lua 5.2: results are unsigned, and shifts by 32 or more give 0.
fn bit32(lua: &Lua) -> Result<Table> {
    let table = lua.create_table()?;
    for (name, combine) in COMBINE {
        put(lua, &table, name, move |args| if args.len() == 0 { Ok(u32::MAX) } else { combined(args, combine) })?;
    }
    put(lua, &table, "bnot", |args| bits(args, 1).map(|bits| !bits))?;
    put(lua, &table, "btest", |args| combined(args, |a, b| a & b).map(|bits| bits != 0))?;
    put(lua, &table, "lshift", |args| Ok(shifted(bits(args, 1)?, args.int(2)?)))?;
    put(lua, &table, "rshift", |args| Ok(shifted(bits(args, 1)?, args.int(2)?.saturating_neg())))?;
    put(lua, &table, "arshift", |args| {
        let (bits, by) = (bits(args, 1)?, args.int(2)?);
        let by_right = u32::try_from(by.min(31)).unwrap_or_default();
        Ok(if by < 0 { shifted(bits, by.saturating_neg()) } else { (bits.cast_signed() >> by_right).cast_unsigned() })
    })?;
    put(lua, &table, "lrotate", |args| Ok(bits(args, 1)?.rotate_left(shift(args, 2)?)))?;
    put(lua, &table, "rrotate", |args| Ok(bits(args, 1)?.rotate_right(shift(args, 2)?)))?;
    put(lua, &table, "extract", |args| {
        let (bits, (first, mask)) = (bits(args, 1)?, field(args, 2)?);
        Ok(bits >> first & mask)
    })?;
    put(lua, &table, "replace", |args| {
        let (all, part, (first, mask)) = (bits(args, 1)?, bits(args, 2)?, field(args, 3)?);
        Ok(all & !(mask << first) | (part & mask) << first)
    })?;
    Ok(table)
}

/// The first bit and the mask of a field.
fn field(args: &Args<'_>, number: usize) -> Result<(u32, u32)> {
    let (first, width) = (args.int(number)?, args.int_or(number + 1, 1)?);
    match (u32::try_from(first), u32::try_from(width)) {
        (Ok(first), Ok(width)) if width > 0 && first.checked_add(width).is_some_and(|end| end <= 32) => {
            Ok((first, u32::MAX >> (32 - width)))
        }
        _ => args.wrong(number, "trying to access non-existent bits"),
    }
}

/// Bits shifted to the left; to the right if `by` is negative.
fn shifted(bits: u32, by: i64) -> u32 {
    let count = u32::try_from(by.unsigned_abs()).unwrap_or(u32::MAX);
    if by < 0 { bits.checked_shr(count) } else { bits.checked_shl(count) }.unwrap_or_default()
}

/// Fraction and exponent of a float.
fn frexp(number: f64) -> (f64, i64) {
    if number == 0.0 || !number.is_finite() {
        return (number, 0);
    }
    let mut exponent = 0;
    let mut fraction = number;
    while fraction.abs() >= 1.0 {
        fraction /= 2.0;
        exponent += 1;
    }
    while fraction.abs() < 0.5 {
        fraction *= 2.0;
        exponent -= 1;
    }
    (fraction, exponent)
}

/// Arguments of `string.format`: where an integer is wanted, fractions are cut as in Lua 5.2.
pub(super) fn format_arguments(mut values: MultiValue) -> MultiValue {
    let format = values.front().and_then(|value| value.as_string().map(|text| text.as_bytes().to_vec())).unwrap_or_default();
    let mut number = 0;
    let mut rest = format.iter();
    while let Some(byte) = rest.next() {
        if *byte != b'%' {
            continue;
        }
        let Some(kind) = rest.find(|byte| byte.is_ascii_alphabetic() || **byte == b'%') else { break };
        if *kind == b'%' {
            continue;
        }
        number += 1;
        if matches!(kind, b'd' | b'i' | b'u' | b'c' | b'x' | b'X' | b'o')
            && let Some(value) = values.get_mut(number)
            && let Value::Number(float) = value
        {
            *value = Value::Integer(super::args::cut(*float));
        }
    }
    values
}

/// Adds the tables to the globals, and functions for the prelude.
pub(super) fn add(lua: &Lua, globals: &Table, own: &Table) -> Result<()> {
    globals.set("bit", bit(lua)?)?;
    globals.set("bit32", bit32(lua)?)?;
    own.set("frexp", lua.create_function(|_, number: f64| Ok(frexp(number)))?)?;
    own.set("string", pattern::functions(lua)?)
}
