//! `Int64` and `UInt64`, and floats as C writes them.

use super::args::{Args, cut};
use super::errors::{fail, no_member};
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, UserDataRegistry, Value};

/// A signed 64-bit number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Int64(pub(super) i64);

/// An unsigned 64-bit number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UInt64(pub(super) u64);

/// The bits of an argument.
fn bits(lua: &Lua, value: &Value, class: &str) -> Result<u64> {
    match value {
        Value::UserData(data) => {
            if let Ok(number) = data.borrow::<UInt64>() {
                return Ok(number.0);
            }
            match data.borrow::<Int64>() {
                Ok(number) => Ok(number.0.cast_unsigned()),
                Err(_) => fail(lua, format_args!("bad argument ({class} expected, got userdata)")),
            }
        }
        Value::Integer(integer) => Ok(integer.cast_unsigned()),
        Value::Number(number) => Ok(cut(*number).cast_unsigned()),
        Value::String(text) => Ok(leading(&text.to_string_lossy())),
        other => fail(lua, format_args!("bad argument ({class} expected, got {})", super::errors::type_of(other))),
    }
}

/// The number in the leading digits of a text.
fn leading(text: &str) -> u64 {
    let text = text.trim_start();
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let number = digits.bytes().map_while(|digit| digit.is_ascii_digit().then_some(u64::from(digit - b'0')));
    let number = number.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(digit));
    if is_negative { number.wrapping_neg() } else { number }
}

/// What both classes share: 64 bits with a sign or without.
trait Wide: UserData + Copy + Send + Sync + 'static {
    const CLASS: &'static str;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn text(self) -> String;
    fn divide(self, by: Self) -> Self;
    fn modulo(self, by: Self) -> Self;
    fn power(self, by: Self) -> Self;
    fn arithmetic_shift(self, by: u32) -> Self;
    fn is_less(self, than: Self) -> bool;
    fn float(self) -> f64;
}

impl Wide for Int64 {
    const CLASS: &'static str = "Int64";
    fn of(bits: u64) -> Self {
        Int64(bits.cast_signed())
    }
    fn bits(self) -> u64 {
        self.0.cast_unsigned()
    }
    fn text(self) -> String {
        self.0.to_string()
    }
    fn divide(self, by: Self) -> Self {
        Int64(self.0.wrapping_div(by.0))
    }
    fn modulo(self, by: Self) -> Self {
        Int64(self.0.wrapping_rem(by.0))
    }
    fn power(self, by: Self) -> Self {
        Int64(u32::try_from(by.0).map_or(0, |by| self.0.wrapping_pow(by)))
    }
    fn arithmetic_shift(self, by: u32) -> Self {
        Int64(self.0 >> by.min(63))
    }
    fn is_less(self, than: Self) -> bool {
        self.0 < than.0
    }
    #[expect(clippy::cast_precision_loss, reason = "scripts get a float")]
    fn float(self) -> f64 {
        self.0 as f64
    }
}

impl Wide for UInt64 {
    const CLASS: &'static str = "UInt64";
    fn of(bits: u64) -> Self {
        UInt64(bits)
    }
    fn bits(self) -> u64 {
        self.0
    }
    fn text(self) -> String {
        self.0.to_string()
    }
    fn divide(self, by: Self) -> Self {
        UInt64(self.0 / by.0.max(1))
    }
    fn modulo(self, by: Self) -> Self {
        UInt64(self.0 % by.0.max(1))
    }
    fn power(self, by: Self) -> Self {
        UInt64(u32::try_from(by.0).map_or(0, |by| self.0.wrapping_pow(by)))
    }
    fn arithmetic_shift(self, by: u32) -> Self {
        UInt64((self.0.cast_signed() >> by.min(63)).cast_unsigned())
    }
    fn is_less(self, than: Self) -> bool {
        self.0 < than.0
    }
    #[expect(clippy::cast_precision_loss, reason = "scripts get a float")]
    fn float(self) -> f64 {
        self.0 as f64
    }
}

impl UserData for Int64 {
    fn register(registry: &mut UserDataRegistry<Self>) {
        add_methods(registry);
    }
}

impl UserData for UInt64 {
    fn register(registry: &mut UserDataRegistry<Self>) {
        add_methods(registry);
    }
}

/// Both operands of an operator.
fn both<T: Wide>(lua: &Lua, (one, other): &(Value, Value)) -> Result<(T, T)> {
    Ok((T::of(bits(lua, one, T::CLASS)?), T::of(bits(lua, other, T::CLASS)?)))
}

fn add_operators<T: Wide>(methods: &mut impl UserDataMethods<T>) {
    type Pair = (Value, Value);
    methods.add_meta_function(MetaMethod::Add, |lua, pair: Pair| {
        both::<T>(lua, &pair).map(|(one, other)| T::of(one.bits().wrapping_add(other.bits())))
    });
    methods.add_meta_function(MetaMethod::Sub, |lua, pair: Pair| {
        both::<T>(lua, &pair).map(|(one, other)| T::of(one.bits().wrapping_sub(other.bits())))
    });
    methods.add_meta_function(MetaMethod::Mul, |lua, pair: Pair| {
        both::<T>(lua, &pair).map(|(one, other)| T::of(one.bits().wrapping_mul(other.bits())))
    });
    methods.add_meta_function(MetaMethod::Div, |lua, pair: Pair| match both::<T>(lua, &pair)? {
        (_, zero) if zero.bits() == 0 => fail(lua, format_args!("Trying to divide {} by zero", T::CLASS)),
        (one, other) => Ok(one.divide(other)),
    });
    methods.add_meta_function(MetaMethod::Mod, |lua, pair: Pair| match both::<T>(lua, &pair)? {
        (_, zero) if zero.bits() == 0 => fail(lua, format_args!("Trying to modulo {} by zero", T::CLASS)),
        (one, other) => Ok(one.modulo(other)),
    });
    methods.add_meta_function(MetaMethod::Pow, |lua, pair: Pair| both::<T>(lua, &pair).map(|(one, other)| one.power(other)));
    methods.add_meta_method(MetaMethod::Unm, |_, this, _: MultiValue| {
        // Negation of an unsigned number changes nothing in Wireshark.
        Ok(if T::CLASS == "UInt64" { *this } else { T::of(this.bits().wrapping_neg()) })
    });
    methods.add_meta_function(MetaMethod::Eq, |lua, pair: Pair| {
        both::<T>(lua, &pair).map(|(one, other)| one.bits() == other.bits())
    });
    methods.add_meta_function(MetaMethod::Lt, |lua, pair: Pair| both::<T>(lua, &pair).map(|(one, other)| one.is_less(other)));
    methods.add_meta_function(MetaMethod::Le, |lua, pair: Pair| both::<T>(lua, &pair).map(|(one, other)| !other.is_less(one)));
    methods.add_meta_function(MetaMethod::Concat, |lua, (one, other): Pair| {
        let (one, other) = (super::sandbox::as_text(lua, &one)?, super::sandbox::as_text(lua, &other)?);
        lua.create_string([one, other].concat())
    });
}

fn add_methods<T: Wide>(methods: &mut impl UserDataMethods<T>) {
    add_operators(methods);
    methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.text()));
    methods.add_method("tonumber", |_, this, ()| {
        // An integer where Lua's integers can hold it.
        Ok(match i64::try_from(this.bits()) {
            Ok(integer) => Value::Integer(integer),
            Err(_) if T::CLASS == "Int64" => Value::Integer(this.bits().cast_signed()),
            Err(_) => Value::Number(this.float()),
        })
    });
    methods.add_method("tohex", |lua, this, values: MultiValue| {
        let digits = Args::new(lua, "tohex", values).int_or(1, 16)?;
        let width = usize::try_from(digits.unsigned_abs()).unwrap_or(16).min(16);
        let text = format!("{:016x}", this.bits());
        let text = text.get(16 - width..).unwrap_or_default().to_owned();
        Ok(if digits < 0 { text.to_uppercase() } else { text })
    });
    methods.add_method("lower", |_, this, ()| Ok(this.bits() & 0xffff_ffff));
    methods.add_method("higher", |_, this, ()| Ok(this.bits() >> 32));
    methods.add_method("encode", |lua, this, values: MultiValue| {
        let is_little = Args::new(lua, "encode", values).truth_or(1, true);
        lua.create_string(if is_little { this.bits().to_le_bytes() } else { this.bits().to_be_bytes() })
    });
    type Combine = fn(u64, u64) -> u64;
    for (name, combine) in [("band", (|a, b| a & b) as Combine), ("bor", |a, b| a | b), ("bxor", |a, b| a ^ b)] {
        methods.add_method(name, move |lua, this, values: MultiValue| {
            values.iter().try_fold(*this, |number, value| Ok(T::of(combine(number.bits(), bits(lua, value, T::CLASS)?))))
        });
    }
    methods.add_method("bnot", |_, this, ()| Ok(T::of(!this.bits())));
    methods.add_method("bswap", |_, this, ()| Ok(T::of(this.bits().swap_bytes())));
    type Shift = fn(u64, u32) -> u64;
    for (name, shift) in [
        ("lshift", (|bits, by| bits.checked_shl(by).unwrap_or_default()) as Shift),
        ("rshift", |bits, by| bits.checked_shr(by).unwrap_or_default()),
        ("rol", |bits, by| bits.rotate_left(by % 64)),
        ("ror", |bits, by| bits.rotate_right(by % 64)),
    ] {
        methods.add_method(name, move |lua, this, values: MultiValue| {
            let by = u32::try_from(Args::new(lua, name, values).int(1)? & 0x3f).unwrap_or_default();
            Ok(T::of(shift(this.bits(), by)))
        });
    }
    methods.add_method("arshift", |lua, this, values: MultiValue| {
        let by = u32::try_from(Args::new(lua, "arshift", values).int(1)? & 0x3f).unwrap_or_default();
        Ok(this.arithmetic_shift(by))
    });
    methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, T::CLASS));
}

/// Adds both classes.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    add_class::<Int64>(lua, globals, [i64::MIN.cast_unsigned(), i64::MAX.cast_unsigned()])?;
    add_class::<UInt64>(lua, globals, [0, u64::MAX])
}

fn new<T: Wide>(lua: &Lua, values: MultiValue) -> Result<T> {
    let args = Args::new(lua, "new", values);
    if args.is_nil(1) {
        return Ok(T::of(0));
    }
    let low = bits(lua, &args.get(1), T::CLASS)?;
    if args.is_nil(2) {
        return Ok(T::of(low));
    }
    Ok(T::of(low & 0xffff_ffff | args.int(2)?.cast_unsigned() << 32))
}

fn add_class<T: Wide>(lua: &Lua, globals: &Table, [least, most]: [u64; 2]) -> Result<()> {
    let class = lua.create_table()?;
    class.set("new", lua.create_function(|lua, values| new::<T>(lua, values))?)?;
    class.set("max", lua.create_function(move |_, ()| Ok(T::of(most)))?)?;
    class.set("min", lua.create_function(move |_, ()| Ok(T::of(least)))?)?;
    let from_hex = |lua: &Lua, values: MultiValue| {
        let text = Args::new(lua, "fromhex", values).text(1)?;
        Ok(T::of(u64::from_str_radix(text.trim(), 16).unwrap_or_default()))
    };
    class.set("fromhex", lua.create_function(from_hex)?)?;
    let decode = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "decode", values);
        let (bytes, is_little) = (args.bytes(1)?, args.truth_or(2, true));
        let decoded = |bytes| if is_little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) };
        Ok(<[u8; 8]>::try_from(bytes).ok().map(|bytes| T::of(decoded(bytes))))
    };
    class.set("decode", lua.create_function(decode)?)?;
    let call = lua.create_function(|lua, mut values: MultiValue| {
        values.pop_front();
        new::<T>(lua, values)
    })?;
    super::sandbox::callable(lua, &class, T::CLASS, call)?;
    globals.set(T::CLASS, class)
}
