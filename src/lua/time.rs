//! `NSTime`, and texts in encodings.

use super::args::{Args, cut};
use super::errors::{fail, no_member};
use crate::tree::Timestamp;
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, UserDataRef, Value};

/// Seconds and nanoseconds; both have the same sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NsTime {
    pub(super) seconds: i64,
    pub(super) nanos: i64,
}

const BILLION: i64 = 1_000_000_000;

impl NsTime {
    /// Carries nanoseconds of a second or more.
    fn carried(seconds: i64, nanos: i64) -> NsTime {
        let mut time = NsTime { seconds: seconds.wrapping_add(nanos / BILLION), nanos: nanos % BILLION };
        if time.nanos < 0 && time.seconds > 0 {
            time = NsTime { seconds: time.seconds - 1, nanos: time.nanos + BILLION };
        } else if time.nanos > 0 && time.seconds < 0 {
            time = NsTime { seconds: time.seconds + 1, nanos: time.nanos - BILLION };
        }
        time
    }

    /// As seconds with nine decimals.
    pub(super) fn text(self) -> String {
        let sign = if self.seconds < 0 || self.nanos < 0 { "-" } else { "" };
        format!("{sign}{}.{:09}", self.seconds.unsigned_abs(), self.nanos.unsigned_abs())
    }

    /// Seconds as a float.
    #[expect(clippy::cast_precision_loss, reason = "scripts get a float")]
    pub(super) fn float(self) -> f64 {
        self.seconds as f64 + self.nanos as f64 / 1e9
    }

    /// As a time of day in UTC.
    pub(super) fn absolute(self) -> String {
        let (seconds, nanos) = (self.seconds + self.nanos.div_euclid(BILLION), self.nanos.rem_euclid(BILLION));
        Timestamp { seconds, nanos: u32::try_from(nanos).unwrap_or_default() }.to_string()
    }
}

/// The time in 4 bytes of seconds, or 8 bytes of seconds and nanoseconds.
pub(super) fn in_bytes(bytes: &[u8], is_little: bool) -> Option<NsTime> {
    let number = |bytes: &[u8]| super::buffer::number(bytes, is_little).cast_signed();
    match bytes.len() {
        4 => Some(NsTime { seconds: number(bytes), nanos: 0 }),
        8 => bytes.split_at_checked(4).map(|(seconds, nanos)| NsTime { seconds: number(seconds), nanos: number(nanos) }),
        _ => None,
    }
}

impl UserData for NsTime {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("tonumber", |_, this, ()| Ok(this.float()));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.text()));
        methods.add_meta_function(MetaMethod::Add, |_, (one, other): (UserDataRef<NsTime>, UserDataRef<NsTime>)| {
            Ok(NsTime::carried(one.seconds.wrapping_add(other.seconds), one.nanos + other.nanos))
        });
        methods.add_meta_function(MetaMethod::Sub, |_, (one, other): (UserDataRef<NsTime>, UserDataRef<NsTime>)| {
            Ok(NsTime::carried(one.seconds.wrapping_sub(other.seconds), one.nanos - other.nanos))
        });
        methods.add_meta_method(MetaMethod::Unm, |_, this, _: MultiValue| {
            Ok(NsTime { seconds: this.seconds.wrapping_neg(), nanos: -this.nanos })
        });
        methods
            .add_meta_function(MetaMethod::Eq, |_, (one, other): (UserDataRef<NsTime>, UserDataRef<NsTime>)| Ok(*one == *other));
        methods
            .add_meta_function(MetaMethod::Lt, |_, (one, other): (UserDataRef<NsTime>, UserDataRef<NsTime>)| Ok(*one < *other));
        methods
            .add_meta_function(MetaMethod::Le, |_, (one, other): (UserDataRef<NsTime>, UserDataRef<NsTime>)| Ok(*one <= *other));
        methods.add_meta_method(MetaMethod::Index, |lua, this, name: Value| {
            match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
                Some("secs") => Ok(this.seconds),
                Some("nsecs") => Ok(this.nanos),
                _ => no_member(lua, &name, "NSTime"),
            }
        });
        methods.add_meta_method_mut(MetaMethod::NewIndex, |lua, this, (name, value): (Value, Value)| {
            let Some(number) = super::args::integer(&value) else { return fail(lua, "number expected") };
            match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
                Some("secs") => this.seconds = number,
                Some("nsecs") => this.nanos = number,
                _ => return no_member(lua, &name, "NSTime"),
            }
            Ok(())
        });
    }
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let new = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "new", values);
        Ok(NsTime { seconds: args.int_or(1, 0)?, nanos: args.int_or(2, 0)? })
    };
    let class = lua.create_table()?;
    class.set("new", lua.create_function(new)?)?;
    super::sandbox::callable(
        lua,
        &class,
        "NSTime",
        lua.create_function(move |lua, mut values: MultiValue| {
            values.pop_front();
            new(lua, values)
        })?,
    )?;
    globals.set("NSTime", class)?;
    let date = |lua: &Lua, values: MultiValue| {
        let args = Args::new(lua, "format_date", values);
        let seconds = float(&args, 1)?;
        Ok(fraction(seconds).absolute())
    };
    globals.set("format_date", lua.create_function(date)?)?;
    let time = |lua: &Lua, values: MultiValue| Ok(span(fraction(float(&Args::new(lua, "format_time", values), 1)?)));
    globals.set("format_time", lua.create_function(time)?)
}

#[expect(clippy::cast_precision_loss, reason = "scripts give a float")]
fn float(args: &Args<'_>, number: usize) -> Result<f64> {
    match args.get(number) {
        Value::Number(number) => Ok(number),
        _ => args.int(number).map(|integer| integer as f64),
    }
}

fn fraction(seconds: f64) -> NsTime {
    NsTime { seconds: cut(seconds.trunc()), nanos: cut((seconds.fract() * 1e9).round()) }
}

/// A duration in words: `1 hour, 1 minute, 1.500000000 seconds`.
fn span(time: NsTime) -> String {
    let sign = if time.seconds < 0 || time.nanos < 0 { "-" } else { "" };
    let (seconds, nanos) = (time.seconds.unsigned_abs(), time.nanos.unsigned_abs());
    let parts = [(seconds / 86_400, "day"), (seconds / 3600 % 24, "hour"), (seconds / 60 % 60, "minute")];
    let mut words: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    words.push(format!("{}.{nanos:09} seconds", seconds % 60));
    format!("{sign}{}", words.join(", "))
}

/// Bytes in an encoding as UTF-8: invalid bytes become U+FFFD.
pub(super) fn decoded(bytes: &[u8], encoding: i64) -> String {
    const UTF_8: i64 = 2;
    const UTF_16: [i64; 2] = [4, 6];
    const LITTLE: i64 = 0x8000_0000;
    const ISO_8859_1: i64 = 10;
    match encoding & 0xfffe {
        UTF_8 => String::from_utf8_lossy(bytes).into_owned(),
        wide if UTF_16.contains(&wide) => utf16(bytes, encoding & LITTLE != 0),
        ISO_8859_1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
        _ => bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { char::REPLACEMENT_CHARACTER }).collect(),
    }
}

/// UTF-16 as UTF-8.
pub(super) fn utf16(bytes: &[u8], is_little: bool) -> String {
    let unit = |pair: &[u8; 2]| if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(unit).collect();
    String::from_utf16_lossy(&units)
}
