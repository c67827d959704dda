//! `os.time` and `os.date`: only of times that scripts give, or of the frame.

use super::args::{Args, integer};
use super::call;
use super::errors::fail;
use mlua::{Lua, MultiValue, Result, Table, Value};

/// The time of the frame, or an error while scripts are loaded.
fn now(lua: &Lua, function: &str) -> Result<i64> {
    match call::with(|call| call.is_running.then(|| call.packet.time.map_or(0, |time| time.seconds))) {
        Some(seconds) => Ok(seconds),
        None => fail(lua, format_args!("os.{function} without a time is not given to scripts (sandbox)")),
    }
}

/// Seconds since 1970 of a table with year, month, day, hour, min and sec.
fn seconds_of(lua: &Lua, table: &Table) -> Result<i64> {
    let part = |name: &str, default: Option<i64>| -> Result<i64> {
        let value = table.get::<Value>(name)?;
        match integer(&value).or(default.filter(|_| value.is_nil())) {
            Some(number) => Ok(number),
            None => fail(lua, format_args!("field '{name}' missing in date table")),
        }
    };
    let (year, month, day) = (part("year", None)?, part("month", None)?, part("day", None)?);
    let (hour, minute, second) = (part("hour", Some(12))?, part("min", Some(0))?, part("sec", Some(0))?);
    let months = year.saturating_mul(12).saturating_add(month - 1);
    let date = i16::try_from(months.div_euclid(12)).ok().zip(i8::try_from(months.rem_euclid(12) + 1).ok());
    let midnight = date.and_then(|(year, month)| jiff::civil::Date::new(year, month, 1).ok());
    let midnight = midnight.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let Some(midnight) = midnight else { return fail(lua, "time result cannot be represented in this installation") };
    let days = midnight.timestamp().as_second() + (day - 1).saturating_mul(86_400);
    Ok(days.saturating_add(hour.saturating_mul(3600)).saturating_add(minute.saturating_mul(60)).saturating_add(second))
}

fn date(lua: &Lua, values: MultiValue) -> Result<Value> {
    let args = Args::new(lua, "date", values);
    let format = args.text_or_nil(1)?.unwrap_or_else(|| "%c".to_owned());
    let seconds = if args.is_nil(2) { now(lua, "date")? } else { args.int(2)? };
    let format = format.strip_prefix('!').unwrap_or(&format);
    let Ok(time) = jiff::Timestamp::from_second(seconds) else {
        return fail(lua, "date result cannot be represented in this installation");
    };
    let time = time.to_zoned(jiff::tz::TimeZone::UTC);
    if format.starts_with("*t") {
        let table = lua.create_table()?;
        table.set("year", time.year())?;
        table.set("month", time.month())?;
        table.set("day", time.day())?;
        table.set("hour", time.hour())?;
        table.set("min", time.minute())?;
        table.set("sec", time.second())?;
        table.set("wday", time.weekday().to_sunday_one_offset())?;
        table.set("yday", time.day_of_year())?;
        table.set("isdst", false)?;
        return Ok(Value::Table(table));
    }
    let format = format.replace("%c", "%a %b %e %H:%M:%S %Y").replace("%x", "%m/%d/%y").replace("%X", "%H:%M:%S");
    let mut text = String::new();
    use std::fmt::Write as _;
    if write!(text, "{}", time.strftime(&format)).is_err() {
        return args.wrong(1, "invalid conversion specifier");
    }
    lua.create_string(text).map(Value::String)
}

/// Adds the functions.
pub(super) fn add(lua: &Lua, os: &Table) -> Result<()> {
    let time = |lua: &Lua, values: MultiValue| match Args::new(lua, "time", values).get(1) {
        Value::Table(table) => seconds_of(lua, &table),
        _ => now(lua, "time"),
    };
    os.set("time", lua.create_function(time)?)?;
    os.set("date", lua.create_function(date)?)
}
