//! `ByteArray`: bytes that scripts change.

use super::args::Args;
use super::buffer::Tvb;
use super::call::Place;
use super::errors::{fail, no_member};
use super::numbers::{Int64, UInt64};
use super::{budget, call};
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, UserDataRef, Value};

/// Bytes, and where they were read from.
#[derive(Debug, Clone)]
pub(super) struct ByteArray {
    pub(super) bytes: Vec<u8>,
    /// The call and the place of the bytes that it was made from.
    from: Option<(u64, Place)>,
}

impl ByteArray {
    /// Bytes of a place.
    pub(super) fn of(lua: &Lua, bytes: Vec<u8>, from: Option<(u64, Place)>) -> Result<ByteArray> {
        budget::fits(lua, bytes.len())?;
        // Its object takes as long as some dozens of instructions, and so does its end.
        budget::spend(lua, 100)?;
        Ok(ByteArray { bytes, from })
    }

    fn new(lua: &Lua, values: MultiValue) -> Result<ByteArray> {
        let args = Args::new(lua, "new", values);
        if args.is_nil(1) {
            return Ok(ByteArray { bytes: Vec::new(), from: None });
        }
        let given = args.bytes(1)?;
        budget::fits(lua, given.len())?;
        if let Value::Boolean(true) = args.get(2) {
            return Ok(ByteArray { bytes: given, from: None });
        }
        Ok(ByteArray { bytes: from_hex(&given), from: None })
    }

    fn place_of(&self, lua: &Lua, values: MultiValue, function: &str) -> Result<ByteArray> {
        let args = Args::new(lua, function, values);
        let (offset, len) = (args.int(1)?, args.int(2)?);
        let range = usize::try_from(offset).ok().zip(usize::try_from(len).ok().filter(|len| *len > 0));
        let found = range.and_then(|(offset, len)| self.bytes.get(offset..offset.checked_add(len)?));
        match found {
            Some(bytes) => ByteArray::of(lua, bytes.to_vec(), None),
            None => fail(lua, "Out Of Bounds"),
        }
    }

    fn raw(&self, lua: &Lua, values: MultiValue) -> Result<mlua::LuaString> {
        let args = Args::new(lua, "raw", values);
        let offset = usize::try_from(args.int_or(1, 0)?).unwrap_or(usize::MAX);
        let Some(onward) = self.bytes.get(offset..) else {
            return args.wrong(1, "ByteArray_raw: offset beyond end of byte array");
        };
        let len = usize::try_from(args.int_or(2, -1)?).unwrap_or(usize::MAX);
        budget::fits(lua, onward.len())?;
        lua.create_string(onward.get(..len).unwrap_or(onward))
    }

    fn hex(&self, lua: &Lua, values: MultiValue) -> Result<String> {
        let args = Args::new(lua, "tohex", values);
        let (is_lower, separator) = (args.truth_or(1, false), args.text_or_nil(2)?.unwrap_or_default());
        budget::fits(lua, self.bytes.len().saturating_mul(2 + separator.len()))?;
        let digits = if is_lower { data_encoding::HEXLOWER } else { data_encoding::HEXUPPER };
        if separator.is_empty() {
            return Ok(digits.encode(&self.bytes));
        }
        let pairs: Vec<String> = self.bytes.iter().map(|byte| digits.encode(&[*byte])).collect();
        Ok(pairs.join(&separator))
    }

    /// A new buffer with these bytes.
    fn tvb(&self, lua: &Lua) -> Result<Tvb> {
        let Some(number) = call::with(|call| call.is_running.then_some(call.number)) else {
            return fail(lua, "Tvbs can only be created and used in dissectors");
        };
        let is_alike = |(of, place): &(u64, Place)| *of == number && place.len as usize == self.bytes.len();
        let from = self.from.filter(is_alike).map(|(_, place)| place);
        Ok(Tvb { call: number, place: call::derive(lua, self.bytes.clone(), from, "lua")? })
    }

    fn add(&mut self, lua: &Lua, other: Vec<u8>, in_front: bool) -> Result<()> {
        budget::fits(lua, self.bytes.len().saturating_add(other.len()))?;
        if in_front {
            self.bytes.splice(0..0, other);
        } else {
            self.bytes.extend(other);
        }
        Ok(())
    }
}

/// The number in a part of an array: `uint([off=0], [len])` and its relatives.
fn number_in(args: &Args<'_>, bytes: &[u8], [most, is_little]: [usize; 2]) -> Result<(u64, usize)> {
    let off = usize::try_from(args.int_or(1, 0)?).unwrap_or(usize::MAX);
    let rest = bytes.len().saturating_sub(off);
    let len = if args.is_nil(2) { rest } else { usize::try_from(args.int(2)?).unwrap_or(usize::MAX) };
    let Some(part) = off.checked_add(len).and_then(|end| bytes.get(off..end)).filter(|part| !part.is_empty()) else {
        return fail(args.lua, format_args!("ByteArray_{}: offset beyond end of byte array", args.function));
    };
    if len > most {
        return fail(args.lua, format_args!("ByteArray:{}() does not handle {len} byte integers", args.function));
    }
    Ok((super::buffer::number(part, is_little != 0), len))
}

fn add_numbers<M: UserDataMethods<ByteArray>>(methods: &mut M) {
    for (name, is_little) in [("uint", 0), ("le_uint", 1)] {
        methods.add_method(name, move |lua, this, values: MultiValue| {
            let (bits, _) = number_in(&Args::new(lua, name, values), &this.bytes, [4, is_little])?;
            Ok(bits.cast_signed())
        });
    }
    for (name, is_little) in [("int", 0), ("le_int", 1)] {
        methods.add_method(name, move |lua, this, values: MultiValue| {
            let (bits, len) = number_in(&Args::new(lua, name, values), &this.bytes, [4, is_little])?;
            Ok(super::buffer::signed(bits, len))
        });
    }
    for (name, is_little) in [("uint64", 0), ("le_uint64", 1)] {
        methods.add_method(name, move |lua, this, values: MultiValue| {
            number_in(&Args::new(lua, name, values), &this.bytes, [8, is_little]).map(|(bits, _)| UInt64(bits))
        });
    }
    for (name, is_little) in [("int64", 0), ("le_int64", 1)] {
        methods.add_method(name, move |lua, this, values: MultiValue| {
            let (bits, len) = number_in(&Args::new(lua, name, values), &this.bytes, [8, is_little])?;
            Ok(Int64(super::buffer::signed(bits, len)))
        });
    }
}

/// Bytes of hexadecimal digits. Other characters are skipped, and so is an odd last digit.
pub(super) fn from_hex(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        text.iter().filter_map(|byte| char::from(*byte).to_digit(16)).filter_map(|digit| u8::try_from(digit).ok()).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// The bytes of an argument that may be the object itself.
fn other(lua: &Lua, this: &ByteArray, value: &Value, function: &str) -> Result<Vec<u8>> {
    let Value::UserData(data) = value else { return super::errors::expected(lua, 1, function, "ByteArray", value) };
    budget::fits(lua, this.bytes.len())?;
    match data.borrow::<ByteArray>() {
        Ok(array) => Ok(array.bytes.clone()),
        // The object itself is in use.
        Err(mlua::Error::UserDataBorrowError) => Ok(this.bytes.clone()),
        Err(_) => super::errors::expected(lua, 1, function, "ByteArray", value),
    }
}

fn add_changes<M: UserDataMethods<ByteArray>>(methods: &mut M) {
    methods.add_method_mut("append", |lua, this, value: Value| {
        let bytes = other(lua, this, &value, "append")?;
        this.add(lua, bytes, false)
    });
    methods.add_method_mut("prepend", |lua, this, value: Value| {
        let bytes = other(lua, this, &value, "prepend")?;
        this.add(lua, bytes, true)
    });
    methods.add_method_mut("set_size", |lua, this, values: MultiValue| {
        let size = Args::new(lua, "set_size", values).int(1)?;
        let Ok(size) = usize::try_from(size) else { return fail(lua, "ByteArray_set_size: ByteArray size must be non-negative") };
        budget::fits(lua, size)?;
        this.bytes.resize(size, 0);
        Ok(())
    });
    methods.add_method_mut("set_index", |lua, this, values: MultiValue| {
        let args = Args::new(lua, "set_index", values);
        let (at, byte) = (args.int(1)?, args.int(2)?);
        let Some(place) = usize::try_from(at).ok().and_then(|at| this.bytes.get_mut(at)) else {
            return args.wrong(1, "index out of range");
        };
        let Ok(byte) = u8::try_from(byte) else { return args.wrong(2, "Byte out of range") };
        *place = byte;
        Ok(())
    });
}

impl UserData for ByteArray {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        add_changes(methods);
        add_numbers(methods);
        methods.add_method("len", |_, this, ()| Ok(this.bytes.len()));
        methods.add_method("get_index", |lua, this, values: MultiValue| {
            let args = Args::new(lua, "get_index", values);
            let found = usize::try_from(args.int(1)?).ok().and_then(|at| this.bytes.get(at));
            found.copied().map_or_else(|| args.wrong(1, "index out of range"), Ok)
        });
        methods.add_method("subset", |lua, this, values| this.place_of(lua, values, "subset"));
        methods.add_meta_method(MetaMethod::Call, |lua, this, values| this.place_of(lua, values, "subset"));
        methods.add_method("raw", |lua, this, values| this.raw(lua, values));
        methods.add_method("tohex", |lua, this, values| this.hex(lua, values));
        methods.add_method("base64_decode", |lua, this, ()| {
            let text: Vec<u8> = this.bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').collect();
            let bytes = data_encoding::BASE64_NOPAD.decode(&text).unwrap_or_default();
            ByteArray::of(lua, bytes, None)
        });
        methods.add_method("tvb", |lua, this, _: MultiValue| this.tvb(lua));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(data_encoding::HEXUPPER.encode(&this.bytes)));
        methods.add_meta_function(MetaMethod::Concat, |lua, (one, two): (UserDataRef<ByteArray>, UserDataRef<ByteArray>)| {
            ByteArray::of(lua, [one.bytes.as_slice(), &two.bytes].concat(), None)
        });
        methods.add_meta_function(MetaMethod::Eq, |_, (one, two): (UserDataRef<ByteArray>, UserDataRef<ByteArray>)| {
            Ok(one.bytes == two.bytes)
        });
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "ByteArray"));
    }
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("new", lua.create_function(ByteArray::new)?)?;
    let call = lua.create_function(|lua, mut values: MultiValue| {
        values.pop_front();
        ByteArray::new(lua, values)
    })?;
    super::sandbox::callable(lua, &class, "ByteArray", call)?;
    globals.set("ByteArray", class)
}
