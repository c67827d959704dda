//! `Tvb` and `TvbRange`: bytes of a call.

use super::args::Args;
use super::bytes::ByteArray;
use super::call::{self, Call, Place};
use super::errors::fail;
use super::handle::{Class, Handle, Methods, Object};
use super::numbers::{Int64, UInt64};
use super::{address, budget, inflate, time};
use mlua::{IntoLua, IntoLuaMulti, Lua, LuaString, MultiValue, Result, Value};

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

/// A buffer or a range.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bytes {
    Tvb(Tvb),
    Range(TvbRange),
}

impl Object for Tvb {
    const NAME: &'static str = "Tvb";

    fn of(value: &Value) -> Option<Tvb> {
        let handle = Handle::of(value).filter(|handle| handle.class == Class::Tvb)?;
        let [place, _] = call::with(|call| call.range(handle));
        Some(Tvb { call: handle.call, place })
    }

    fn check(&self, lua: &Lua) -> Result<()> {
        alive(lua, self.call, "tvb", |_| ())
    }
}

impl Object for TvbRange {
    const NAME: &'static str = "TvbRange";

    fn of(value: &Value) -> Option<TvbRange> {
        let handle = Handle::of(value).filter(|handle| handle.class == Class::TvbRange)?;
        let [place, outer] = call::with(|call| call.range(handle));
        Some(TvbRange { call: handle.call, place, outer })
    }

    fn check(&self, lua: &Lua) -> Result<()> {
        alive(lua, self.call, "TvbRange", |_| ())
    }
}

impl Object for Bytes {
    const NAME: &'static str = "TvbRange";

    fn of(value: &Value) -> Option<Bytes> {
        let range = || TvbRange::of(value).map(Bytes::Range);
        Tvb::of(value).map(Bytes::Tvb).or_else(range)
    }

    fn check(&self, lua: &Lua) -> Result<()> {
        match self {
            Bytes::Tvb(tvb) => tvb.check(lua),
            Bytes::Range(range) => range.check(lua),
        }
    }
}

impl IntoLua for Tvb {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        call::handle(lua, Class::Tvb, self.call, [self.place; 2])?.into_lua(lua)
    }
}

impl IntoLua for TvbRange {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        call::handle(lua, Class::TvbRange, self.call, [self.place, self.outer])?.into_lua(lua)
    }
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
    fn raw(self, lua: &Lua, values: MultiValue) -> Result<LuaString> {
        let args = Args::new(lua, "raw", values);
        let (offset, len) = (args.int_or(1, 0)?, args.int_or(2, -1)?);
        if offset > i64::from(self.place.len) {
            return args.wrong(1, "Tvb_raw: offset beyond end of Tvb");
        }
        lua.create_string(copied(lua, self.call, "tvb", part(lua, self.place, offset, len)?)?)
    }
}

impl Bytes {
    /// A part: offset and length as scripts give them.
    pub(super) fn range(self, lua: &Lua, (offset, len): (Value, Value)) -> Result<TvbRange> {
        self.len(lua)?;
        let (offset, len) = match (&offset, &len) {
            (Value::Integer(offset), Value::Integer(len)) => (*offset, *len),
            _ => {
                let args = Args::new(lua, "range", MultiValue::from_vec(vec![offset, len]));
                (args.int_or(1, 0)?, args.int_or(2, -1)?)
            }
        };
        match self {
            Bytes::Tvb(Tvb { call, place }) => Ok(TvbRange { call, place: part(lua, place, offset, len)?, outer: place }),
            Bytes::Range(range) => range.sub(lua, offset, len),
        }
    }

    fn raw(self, lua: &Lua, values: MultiValue) -> Result<LuaString> {
        match self {
            Bytes::Tvb(tvb) => tvb.raw(lua, values),
            Bytes::Range(range) => range.raw(lua, values),
        }
    }

    /// The offset in its source or its buffer.
    fn offset(self, lua: &Lua) -> Result<u32> {
        match self {
            Bytes::Tvb(Tvb { call, place }) => {
                let base = |call: &mut Call| if place.buffer == 0 { call.base } else { 0 };
                alive(lua, call, "tvb", |call| base(call) + place.start)
            }
            Bytes::Range(TvbRange { call, place, outer }) => {
                alive(lua, call, "TvbRange", |_| place.start.saturating_sub(outer.start))
            }
        }
    }

    /// A copy of the bytes. That of a range comes with its length.
    fn bytes(self, lua: &Lua, values: MultiValue) -> Result<(ByteArray, Option<u32>)> {
        let args = Args::new(lua, "bytes", values);
        let (number, class, place) = match self {
            Bytes::Tvb(tvb) => (tvb.call, "tvb", part(lua, tvb.place, args.int_or(1, 0)?, args.int_or(2, -1)?)?),
            Bytes::Range(_) if !args.is_nil(1) => return fail(lua, "TvbRange:bytes(encoding) is not supported"),
            Bytes::Range(range) => (range.call, "TvbRange", range.place),
        };
        let bytes = ByteArray::of(lua, copied(lua, number, class, place)?, Some((number, place)))?;
        Ok((bytes, matches!(self, Bytes::Range(_)).then_some(place.len)))
    }

    /// The number of bytes.
    fn len(self, lua: &Lua) -> Result<u32> {
        match self {
            Bytes::Tvb(Tvb { call, place }) => alive(lua, call, "tvb", |_| place.len),
            Bytes::Range(TvbRange { call, place, .. }) => alive(lua, call, "TvbRange", |_| place.len),
        }
    }

    /// The text of the object.
    pub(super) fn text(self, lua: &Lua) -> Result<String> {
        match self {
            Bytes::Tvb(Tvb { call, place }) => {
                alive(lua, call, "tvb", |call| format!("TVB({}) : {}", place.len, shown(call.bytes(place))))
            }
            Bytes::Range(TvbRange { call, place, .. }) => alive(lua, call, "TvbRange", |call| shown(call.bytes(place))),
        }
    }
}

/// Whether both are buffers, or ranges, of the same bytes.
pub(super) fn are_equal(lua: &Lua, one: &Value, other: &Value) -> Result<bool> {
    let same = |number, class, [one, other]: [Place; 2]| alive(lua, number, class, |call| call.bytes(one) == call.bytes(other));
    match (Bytes::of(one), Bytes::of(other)) {
        (Some(Bytes::Tvb(one)), Some(Bytes::Tvb(other))) => {
            alive(lua, other.call, "tvb", |_| ())?;
            same(one.call, "tvb", [one.place, other.place])
        }
        (Some(Bytes::Range(one)), Some(Bytes::Range(other))) => {
            alive(lua, other.call, "TvbRange", |_| ())?;
            same(one.call, "TvbRange", [one.place, other.place])
        }
        _ => Ok(false),
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

    fn sub(&self, lua: &Lua, offset: i64, len: i64) -> Result<TvbRange> {
        if offset >= i64::from(self.place.len) && !(offset == 0 && len <= 0) {
            return fail(lua, "Range is out of bounds");
        }
        Ok(TvbRange { place: part(lua, self.place, offset, len)?, ..*self })
    }

    fn raw(&self, lua: &Lua, values: MultiValue) -> Result<LuaString> {
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
fn add_numbers(methods: &Methods<'_>) -> Result<()> {
    for (name, is_little) in [("uint", false), ("le_uint", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| this.number(lua, (name, is_little), 4).map(|(number, _)| number))?;
    }
    for (name, is_little) in [("int", false), ("le_int", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| {
            this.number(lua, (name, is_little), 4).map(|(number, len)| signed(number, len))
        })?;
    }
    for (name, is_little) in [("uint64", false), ("le_uint64", true)] {
        methods
            .add(name, move |lua, this: TvbRange, ()| this.number(lua, (name, is_little), 8).map(|(number, _)| UInt64(number)))?;
    }
    for (name, is_little) in [("int64", false), ("le_int64", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| {
            this.number(lua, (name, is_little), 8).map(|(number, len)| Int64(signed(number, len)))
        })?;
    }
    for (name, is_little) in [("float", false), ("le_float", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| this.float(lua, name, is_little))?;
    }
    methods.add("bitfield", |lua, this: TvbRange, values| this.bitfield(lua, values))
}

/// Methods that read texts.
fn add_texts(methods: &Methods<'_>) -> Result<()> {
    methods.add("string", |lua, this: TvbRange, values: MultiValue| {
        let encoding = Args::new(lua, "string", values).int_or(1, 0)?;
        lua.create_string(time::decoded(&this.bytes(lua)?, encoding))
    })?;
    for (name, is_little) in [("ustring", false), ("le_ustring", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| lua.create_string(time::utf16(&this.bytes(lua)?, is_little)))?;
    }
    for (name, is_little) in [("ustringz", false), ("le_ustringz", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| {
            let (bytes, len) = this.terminated(lua, 2)?;
            Ok((lua.create_string(time::utf16(&bytes, is_little))?, len))
        })?;
    }
    methods.add("stringz", |lua, this: TvbRange, values: MultiValue| {
        let encoding = Args::new(lua, "stringz", values).int_or(1, 0)?;
        lua.create_string(time::decoded(&this.terminated(lua, 1)?.0, encoding))
    })?;
    methods.add("strsize", |lua, this: TvbRange, _: MultiValue| Ok(this.terminated(lua, 1)?.1))
}

/// Methods that read addresses and times.
fn add_others(methods: &Methods<'_>) -> Result<()> {
    for (name, is_little) in [("ipv4", false), ("le_ipv4", true)] {
        methods.add(name, move |lua, this: TvbRange, ()| match this.place.len {
            4 => Ok(address::ipv4(number(&this.bytes(lua)?, is_little))),
            _ => fail(lua, "TvbRange_ipv4: The range must be 4 octets long"),
        })?;
    }
    methods.add("ipv6", |lua, this: TvbRange, ()| match <[u8; 16]>::try_from(this.bytes(lua)?) {
        Ok(octets) => Ok(address::ipv6(octets)),
        Err(_) => fail(lua, "TvbRange_ipv6: The range must be 16 octets long"),
    })?;
    methods.add("ether", |lua, this: TvbRange, ()| match <[u8; 6]>::try_from(this.bytes(lua)?) {
        Ok(octets) => Ok(address::ether(octets)),
        Err(_) => fail(lua, "TvbRange_ether: The range must be 6 bytes long"),
    })?;
    methods.add("nstime", |lua, this: TvbRange, values: MultiValue| {
        if !Args::new(lua, "nstime", values).is_nil(1) {
            return fail(lua, "TvbRange:nstime(encoding) is not supported");
        }
        match time::in_bytes(&this.bytes(lua)?, false) {
            Some(time) => Ok((time, this.place.len)),
            None => fail(lua, "TvbRange_nstime: The range must be 4 or 8 bytes long"),
        }
    })?;
    methods.add("le_nstime", |lua, this: TvbRange, ()| match time::in_bytes(&this.bytes(lua)?, true) {
        Some(time) => Ok(time),
        None => fail(lua, "TvbRange_nstime: The range must be 4 or 8 bytes long"),
    })?;
    methods.add("tvb", |lua, this: TvbRange, ()| this.tvb(lua))?;
    for name in ["uncompress", "uncompress_zlib"] {
        methods.add(name, |lua, this: TvbRange, _: MultiValue| match inflate::inflated(&this.bytes(lua)?) {
            Some(bytes) => {
                let place = call::derive(lua, bytes, Some(this.place), "zlib")?;
                (TvbRange { call: this.call, place, outer: place },).into_lua_multi(lua)
            }
            None => Ok(MultiValue::new()),
        })?;
    }
    Ok(())
}

/// Adds the methods of buffers and ranges.
pub(super) fn add(methods: &Methods<'_>) -> Result<()> {
    add_numbers(methods)?;
    add_texts(methods)?;
    add_others(methods)?;
    methods.add("range", |lua, this: Bytes, values| this.range(lua, values))?;
    methods.add("raw", |lua, this: Bytes, values| this.raw(lua, values))?;
    methods.add("offset", |lua, this: Bytes, ()| this.offset(lua))?;
    methods.add("bytes", |lua, this: Bytes, values| match this.bytes(lua, values)? {
        (bytes, Some(len)) => (bytes, len).into_lua_multi(lua),
        (bytes, None) => (bytes,).into_lua_multi(lua),
    })?;
    // Items have an attribute of this name.
    methods.apart("len", |lua, this: Bytes, ()| this.len(lua))?;
    for name in ["captured_len", "reported_len"] {
        methods.add(name, |lua, this: Tvb, ()| Bytes::Tvb(this).len(lua))?;
    }
    methods.add("reported_length_remaining", |lua, this: Tvb, values: MultiValue| {
        let offset = Args::new(lua, "reported_length_remaining", values).int_or(1, 0)?;
        alive(lua, this.call, "tvb", |_| (i64::from(this.place.len) - offset).max(0))
    })
}
