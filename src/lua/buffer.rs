//! `Tvb` and `TvbRange`: bytes of a call.

use super::args::Args;
use super::bytes::ByteArray;
use super::call::{self, Call, Place};
use super::errors::{fail, no_member};
use super::numbers::{Int64, UInt64};
use super::{address, budget, inflate, time};
use mlua::{Lua, MetaMethod, MultiValue, Result, UserData, UserDataMethods, UserDataRef, Value};

/// A buffer given to a dissector, or a part of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tvb {
    pub(super) call: u64,
    pub(super) place: Place,
}

/// A range of a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct TvbRange {
    pub(super) call: u64,
    pub(super) place: Place,
    /// Where its buffer begins and ends.
    pub(super) outer: Place,
}

/// Uses the bytes of a place, if its call still runs.
fn alive<T>(lua: &Lua, number: u64, class: &str, work: impl FnOnce(&mut Call) -> T) -> Result<T> {
    match call::with(|call| call.is(number).then(|| work(call))) {
        Some(value) => Ok(value),
        None => fail(lua, format_args!("expired {class}")),
    }
}

/// A copy of the bytes of a place.
fn copied(lua: &Lua, number: u64, class: &str, place: Place) -> Result<Vec<u8>> {
    budget::fits(lua, place.len as usize)?;
    alive(lua, number, class, |call| call.bytes(place).to_vec())
}

/// A part of a place: offset and length as scripts give them.
fn part(lua: &Lua, outer: Place, offset: i64, len: i64) -> Result<Place> {
    budget::spend(lua, 20)?;
    let whole = i64::from(outer.len);
    let offset = if offset < 0 { offset + whole } else { offset };
    // tshark 4.0 gives an empty range for any offset behind the end.
    if len == -1 && offset > whole {
        return Ok(Place { start: outer.start + outer.len, len: 0, ..outer });
    }
    let len = if len == -1 { whole - offset } else { len };
    let fits = offset >= 0 && len >= 0 && offset.checked_add(len).is_some_and(|end| end <= whole);
    match (u32::try_from(offset), u32::try_from(len)) {
        (Ok(offset), Ok(len)) if fits => Ok(Place { start: outer.start + offset, len, ..outer }),
        _ => fail(lua, "Range is out of bounds"),
    }
}

impl Tvb {
    fn range(self, args: &Args<'_>) -> Result<TvbRange> {
        alive(args.lua, self.call, "tvb", |_| ())?;
        let place = part(args.lua, self.place, args.int_or(1, 0)?, args.int_or(2, -1)?)?;
        Ok(TvbRange { call: self.call, place, outer: self.place })
    }

    fn raw(self, lua: &Lua, values: MultiValue) -> Result<mlua::LuaString> {
        let args = Args::new(lua, "raw", values);
        let (offset, len) = (args.int_or(1, 0)?, args.int_or(2, -1)?);
        if offset > i64::from(self.place.len) {
            return args.wrong(1, "Tvb_raw: offset beyond end of Tvb");
        }
        lua.create_string(copied(lua, self.call, "tvb", part(lua, self.place, offset, len)?)?)
    }
}

impl UserData for Tvb {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Call, |lua, this, values| this.range(&Args::new(lua, "range", values)));
        methods.add_method("range", |lua, this, values| this.range(&Args::new(lua, "range", values)));
        for name in ["len", "captured_len", "reported_len"] {
            methods.add_method(name, |lua, this, ()| alive(lua, this.call, "tvb", |_| this.place.len));
        }
        methods.add_method("reported_length_remaining", |lua, this, values: MultiValue| {
            let offset = Args::new(lua, "reported_length_remaining", values).int_or(1, 0)?;
            alive(lua, this.call, "tvb", |_| (i64::from(this.place.len) - offset).max(0))
        });
        methods.add_method("offset", |lua, this, ()| {
            let base = |call: &mut Call| if this.place.buffer == 0 { call.base } else { 0 };
            alive(lua, this.call, "tvb", |call| base(call) + this.place.start)
        });
        methods.add_method("raw", |lua, this, values| this.raw(lua, values));
        methods.add_method("bytes", |lua, this, values: MultiValue| {
            let args = Args::new(lua, "bytes", values);
            let place = part(lua, this.place, args.int_or(1, 0)?, args.int_or(2, -1)?)?;
            ByteArray::of(lua, copied(lua, this.call, "tvb", place)?, Some((this.call, place)))
        });
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            let len = this.place.len;
            alive(lua, this.call, "tvb", |call| format!("TVB({len}) : {}", shown(call.bytes(this.place))))
        });
        methods.add_meta_function(MetaMethod::Eq, |lua, (one, other): (UserDataRef<Tvb>, UserDataRef<Tvb>)| {
            alive(lua, one.call, "tvb", |call| call.bytes(one.place) == call.bytes(other.place))
        });
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "Tvb"));
        methods.add_meta_method(MetaMethod::NewIndex, |lua, _, (name, _): (Value, Value)| no_member::<()>(lua, &name, "Tvb"));
    }
}

/// The first bytes in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    const SHOWN: usize = 36;
    if bytes.is_empty() {
        return "<EMPTY>".to_owned();
    }
    let mut text = data_encoding::HEXLOWER.encode(bytes.get(..SHOWN).unwrap_or(bytes));
    if bytes.len() > SHOWN {
        text.push('…');
    }
    text
}

/// A big-endian number of at most 8 bytes.
pub(super) fn number(bytes: &[u8], is_little: bool) -> u64 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if is_little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) }
}

/// The sign of a number of this many bytes extended to 64 bits.
pub(super) fn signed(number: u64, len: usize) -> i64 {
    let unused = 64 - 8 * u32::try_from(len.clamp(1, 8)).unwrap_or(8);
    number.cast_signed() << unused >> unused
}

impl TvbRange {
    /// The bytes as a number of one of these lengths.
    fn number(&self, lua: &Lua, (name, is_little): (&str, bool), most: u32) -> Result<(u64, usize)> {
        let len = self.place.len;
        if !(1..=most).contains(&len) {
            return fail(lua, format_args!("TvbRange:{name}() does not handle {len} byte integers"));
        }
        alive(lua, self.call, "TvbRange", |call| (number(call.bytes(self.place), is_little), len as usize))
    }

    fn float(&self, lua: &Lua, name: &str, is_little: bool) -> Result<f64> {
        let bits = alive(lua, self.call, "TvbRange", |call| number(call.bytes(self.place), is_little))?;
        match self.place.len {
            4 => Ok(f64::from(f32::from_bits(u32::try_from(bits).unwrap_or_default()))),
            8 => Ok(f64::from_bits(bits)),
            len => fail(lua, format_args!("TvbRange:{name}() does not handle {len} byte floating numbers")),
        }
    }

    fn sub(&self, args: &Args<'_>) -> Result<TvbRange> {
        alive(args.lua, self.call, "TvbRange", |_| ())?;
        let offset = args.int_or(1, 0)?;
        let len = args.int_or(2, -1)?;
        if offset >= i64::from(self.place.len) && !(offset == 0 && len <= 0) {
            return fail(args.lua, "Range is out of bounds");
        }
        let place = part(args.lua, self.place, offset, len)?;
        Ok(TvbRange { place, ..*self })
    }

    fn raw(&self, lua: &Lua, values: MultiValue) -> Result<mlua::LuaString> {
        let args = Args::new(lua, "raw", values);
        let (offset, len) = (args.int_or(1, 0)?, args.int_or(2, -1)?);
        if offset > i64::from(self.place.len) {
            return args.wrong(1, "TvbRange_raw: offset beyond end of Tvb");
        }
        lua.create_string(copied(lua, self.call, "TvbRange", part(lua, self.place, offset, len)?)?)
    }

    fn bytes(&self, lua: &Lua) -> Result<Vec<u8>> {
        copied(lua, self.call, "TvbRange", self.place)
    }

    /// The text up to a NUL that may lie behind the range. Returns it with its length in bytes.
    pub(super) fn terminated(&self, lua: &Lua, width: usize) -> Result<(Vec<u8>, usize)> {
        let end = self.outer.start + self.outer.len;
        let onward = Place { len: end.saturating_sub(self.place.start), ..self.place };
        let bytes = copied(lua, self.call, "TvbRange", onward)?;
        let found = bytes.chunks_exact(width).position(|unit| unit.iter().all(|byte| *byte == 0));
        let Some(units) = found else { return fail(lua, "out of bounds") };
        Ok((bytes.get(..units * width).unwrap_or_default().to_vec(), (units + 1) * width))
    }

    fn bitfield(&self, lua: &Lua, values: MultiValue) -> Result<Value> {
        let args = Args::new(lua, "bitfield", values);
        let (first, count) = (args.int_or(1, 0)?, args.int_or(2, 1)?);
        let whole = i64::from(self.place.len) * 8;
        if first < 0 || count < 0 || first.saturating_add(count) > whole {
            return fail(lua, "Requested bitfield out of range");
        }
        if count > 64 {
            return fail(lua, format_args!("TvbRange:bitfield() does not handle {count} bits"));
        }
        let bits = alive(lua, self.call, "TvbRange", |call| {
            let bytes = call.bytes(self.place);
            (first..first + count).fold(0_u64, |bits, at| {
                let byte = usize::try_from(at / 8).ok().and_then(|at| bytes.get(at)).copied().unwrap_or_default();
                bits << 1 | u64::from(byte >> (7 - at % 8) & 1)
            })
        })?;
        if count <= 32 {
            return Ok(Value::Integer(bits.cast_signed()));
        }
        lua.create_userdata(UInt64(bits)).map(Value::UserData)
    }

    fn tvb(&self, lua: &Lua) -> Result<Tvb> {
        alive(lua, self.call, "TvbRange", |_| ())?;
        if self.place.len == 0 {
            return fail(lua, "Out Of Bounds");
        }
        Ok(Tvb { call: self.call, place: self.place })
    }
}

/// Methods that read numbers.
fn add_numbers<M: UserDataMethods<TvbRange>>(methods: &mut M) {
    for (name, is_little) in [("uint", false), ("le_uint", true)] {
        methods.add_method(name, move |lua, this, ()| this.number(lua, (name, is_little), 4).map(|(number, _)| number));
    }
    for (name, is_little) in [("int", false), ("le_int", true)] {
        methods.add_method(name, move |lua, this, ()| {
            this.number(lua, (name, is_little), 4).map(|(number, len)| signed(number, len))
        });
    }
    for (name, is_little) in [("uint64", false), ("le_uint64", true)] {
        methods.add_method(name, move |lua, this, ()| this.number(lua, (name, is_little), 8).map(|(number, _)| UInt64(number)));
    }
    for (name, is_little) in [("int64", false), ("le_int64", true)] {
        methods.add_method(name, move |lua, this, ()| {
            this.number(lua, (name, is_little), 8).map(|(number, len)| Int64(signed(number, len)))
        });
    }
    for (name, is_little) in [("float", false), ("le_float", true)] {
        methods.add_method(name, move |lua, this, ()| this.float(lua, name, is_little));
    }
    methods.add_method("bitfield", |lua, this, values| this.bitfield(lua, values));
}

/// Methods that read texts.
fn add_texts<M: UserDataMethods<TvbRange>>(methods: &mut M) {
    methods.add_method("string", |lua, this, values: MultiValue| {
        let encoding = Args::new(lua, "string", values).int_or(1, 0)?;
        lua.create_string(time::decoded(&this.bytes(lua)?, encoding))
    });
    for (name, is_little) in [("ustring", false), ("le_ustring", true)] {
        methods.add_method(name, move |lua, this, ()| lua.create_string(time::utf16(&this.bytes(lua)?, is_little)));
    }
    for (name, is_little) in [("ustringz", false), ("le_ustringz", true)] {
        methods.add_method(name, move |lua, this, ()| {
            let (bytes, len) = this.terminated(lua, 2)?;
            Ok((lua.create_string(time::utf16(&bytes, is_little))?, len))
        });
    }
    methods.add_method("stringz", |lua, this, values: MultiValue| {
        let encoding = Args::new(lua, "stringz", values).int_or(1, 0)?;
        lua.create_string(time::decoded(&this.terminated(lua, 1)?.0, encoding))
    });
    methods.add_method("strsize", |lua, this, _: MultiValue| Ok(this.terminated(lua, 1)?.1));
    methods.add_method("raw", |lua, this, values| this.raw(lua, values));
    methods.add_method("bytes", |lua, this, values: MultiValue| {
        if !Args::new(lua, "bytes", values).is_nil(1) {
            return fail(lua, "TvbRange:bytes(encoding) is not supported");
        }
        let bytes = ByteArray::of(lua, this.bytes(lua)?, Some((this.call, this.place)))?;
        Ok((bytes, this.place.len))
    });
}

/// Methods that read addresses and times.
fn add_others<M: UserDataMethods<TvbRange>>(methods: &mut M) {
    for (name, is_little) in [("ipv4", false), ("le_ipv4", true)] {
        methods.add_method(name, move |lua, this, ()| match this.place.len {
            4 => Ok(address::ipv4(number(&this.bytes(lua)?, is_little))),
            _ => fail(lua, "TvbRange_ipv4: The range must be 4 octets long"),
        });
    }
    methods.add_method("ipv6", |lua, this, ()| match <[u8; 16]>::try_from(this.bytes(lua)?) {
        Ok(octets) => Ok(address::ipv6(octets)),
        Err(_) => fail(lua, "TvbRange_ipv6: The range must be 16 octets long"),
    });
    methods.add_method("ether", |lua, this, ()| match <[u8; 6]>::try_from(this.bytes(lua)?) {
        Ok(octets) => Ok(address::ether(octets)),
        Err(_) => fail(lua, "TvbRange_ether: The range must be 6 bytes long"),
    });
    methods.add_method("nstime", |lua, this, values: MultiValue| {
        if !Args::new(lua, "nstime", values).is_nil(1) {
            return fail(lua, "TvbRange:nstime(encoding) is not supported");
        }
        match time::in_bytes(&this.bytes(lua)?, false) {
            Some(time) => Ok((time, this.place.len)),
            None => fail(lua, "TvbRange_nstime: The range must be 4 or 8 bytes long"),
        }
    });
    methods.add_method("le_nstime", |lua, this, ()| match time::in_bytes(&this.bytes(lua)?, true) {
        Some(time) => Ok(time),
        None => fail(lua, "TvbRange_nstime: The range must be 4 or 8 bytes long"),
    });
}

impl UserData for TvbRange {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        add_numbers(methods);
        add_texts(methods);
        add_others(methods);
        methods.add_meta_method(MetaMethod::Call, |lua, this, values| this.sub(&Args::new(lua, "range", values)));
        methods.add_method("range", |lua, this, values| this.sub(&Args::new(lua, "range", values)));
        methods.add_method("len", |lua, this, ()| alive(lua, this.call, "TvbRange", |_| this.place.len));
        methods.add_method("offset", |lua, this, ()| {
            alive(lua, this.call, "TvbRange", |_| this.place.start.saturating_sub(this.outer.start))
        });
        methods.add_method("tvb", |lua, this, ()| this.tvb(lua));
        for name in ["uncompress", "uncompress_zlib"] {
            methods.add_method(name, |lua, this, _: MultiValue| match inflate::inflated(&this.bytes(lua)?) {
                Some(bytes) => {
                    let place = call::derive(lua, bytes, Some(this.place), "zlib")?;
                    Ok(MultiValue::from_vec(vec![Value::UserData(lua.create_userdata(TvbRange {
                        call: this.call,
                        place,
                        outer: place,
                    })?)]))
                }
                None => Ok(MultiValue::new()),
            });
        }
        methods.add_meta_method(MetaMethod::ToString, |lua, this, ()| {
            alive(lua, this.call, "TvbRange", |call| shown(call.bytes(this.place)))
        });
        methods.add_meta_function(MetaMethod::Concat, |lua, (one, other): (Value, Value)| {
            let (one, other) = (super::sandbox::as_text(lua, &one)?, super::sandbox::as_text(lua, &other)?);
            lua.create_string([one, other].concat())
        });
        methods.add_meta_function(MetaMethod::Eq, |lua, (one, other): (UserDataRef<TvbRange>, UserDataRef<TvbRange>)| {
            alive(lua, one.call, "TvbRange", |call| call.bytes(one.place) == call.bytes(other.place))
        });
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| {
            match name.as_string().map(|name| name.to_string_lossy()) {
                Some(name) if super::check::METHODS.contains(&name.as_str()) => {
                    fail(lua, format_args!("TvbRange:{name} is not supported"))
                }
                _ => no_member::<()>(lua, &name, "TvbRange"),
            }
        });
        methods
            .add_meta_method(MetaMethod::NewIndex, |lua, _, (name, _): (Value, Value)| no_member::<()>(lua, &name, "TvbRange"));
    }
}
