//! `Pinfo` and its columns.

use super::address::Address;
use super::args::{integer, text};
use super::call::{self, Call, Column as ColumnText};
use super::errors::{bad_argument, fail, no_member};
use super::handle::{Class, Handle, Object};
use crate::tree::{Address as TreeAddress, Time};
use mlua::{IntoLua, Lua, MultiValue, Result, Table, Value};

/// The packet of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pinfo(pub(super) u64);

/// The columns of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns(pub(super) u64);

/// A column of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column(u64, u32);

/// Names of columns. Only `protocol` and `info` are kept.
const COLUMNS: [&str; 54] = [
    "number",
    "abs_time",
    "utc_time",
    "cls_time",
    "rel_time",
    "date",
    "date_doy",
    "utc_date",
    "utc_date_doy",
    "delta_time",
    "delta_time_displayed",
    "src",
    "src_res",
    "src_unres",
    "dl_src",
    "dl_src_res",
    "dl_src_unres",
    "net_src",
    "net_src_res",
    "net_src_unres",
    "dst",
    "dst_res",
    "dst_unres",
    "dl_dst",
    "dl_dst_res",
    "dl_dst_unres",
    "net_dst",
    "net_dst_res",
    "net_dst_unres",
    "src_port",
    "src_port_res",
    "src_port_unres",
    "dst_port",
    "dst_port_res",
    "dst_port_unres",
    "protocol",
    "info",
    "packet_len",
    "cumulative_bytes",
    "direction",
    "vsan",
    "tx_rate",
    "rssi",
    "dce_call",
    "cos_vlan_id",
    "freq_chan",
    "circuit_id",
    "hpux_subsys",
    "hpux_devid",
    "fr_dlci",
    "bssgp_tlli",
    "expert",
    "dscp",
    "if_dir",
];

fn alive<T>(lua: &Lua, number: u64, class: &str, work: impl FnOnce(&mut Call) -> T) -> Result<T> {
    match call::with(|call| call.is(number).then(|| work(call))) {
        Some(value) => Ok(value),
        None => fail(lua, format_args!("expired {class}")),
    }
}

/// Seconds of a time since another one.
#[expect(clippy::cast_precision_loss, reason = "scripts get a float")]
fn since(time: Time, earlier: Time) -> f64 {
    time.zip(earlier).map_or(0.0, |(time, earlier)| time.since(earlier) as f64 / 1e9)
}

#[expect(clippy::cast_precision_loss, reason = "scripts get a float")]
fn absolute(time: Time) -> f64 {
    time.map_or(0.0, |time| time.seconds as f64 + f64::from(time.nanos) / 1e9)
}

fn port(end: Option<TreeAddress>) -> Value {
    match end {
        Some(TreeAddress::Socket(socket)) => Value::Integer(i64::from(socket.port())),
        _ => Value::Integer(0),
    }
}

impl Object for Pinfo {
    const NAME: &'static str = "Pinfo";

    fn of(value: &Value) -> Option<Pinfo> {
        Handle::of(value).filter(|handle| handle.class == Class::Pinfo).map(|handle| Pinfo(handle.call))
    }
}

impl IntoLua for Pinfo {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        Handle { class: Class::Pinfo, call: self.0, index: 0 }.into_lua(lua)
    }
}

impl Pinfo {
    pub(super) fn get(self, lua: &Lua, name: &Value) -> Result<Value> {
        let known = name.as_string().map(|name| name.to_string_lossy());
        let packet = alive(lua, self.0, "Pinfo", |call| call.packet)?;
        let address = |end: Option<TreeAddress>| match end {
            Some(end) => lua.create_userdata(Address::of(end)).map(Value::UserData),
            None => Ok(Value::Nil),
        };
        let ends = || {
            let order = |end: Option<TreeAddress>| end.map(|end| Address::of(end).octets());
            if order(packet.src) <= order(packet.dst) { (packet.src, packet.dst) } else { (packet.dst, packet.src) }
        };
        Ok(match known.as_deref().unwrap_or_default() {
            "number" => Value::Integer(packet.number.cast_signed()),
            "len" => Value::Integer(packet.len.into()),
            "caplen" => Value::Integer(packet.captured.into()),
            "abs_ts" => Value::Number(absolute(packet.time)),
            "rel_ts" => Value::Number(since(packet.time, packet.first)),
            "delta_ts" | "delta_dis_ts" => Value::Number(since(packet.time, packet.before)),
            "visited" | "fragmented" | "in_error_pkt" => Value::Boolean(false),
            "src" | "net_src" => return address(packet.src),
            "dst" | "net_dst" => return address(packet.dst),
            "lo" => return address(ends().0),
            "hi" => return address(ends().1),
            "dl_src" => return address(packet.links[0]),
            "dl_dst" => return address(packet.links[1]),
            "src_port" => port(packet.src),
            "dst_port" => port(packet.dst),
            "port_type" => Value::Integer(packet.port_type),
            "match" | "match_uint" => Value::Integer(packet.matched.into()),
            "match_string" => Value::Nil,
            "curr_proto" => {
                let name = call::with(|call| call.running.last().copied().unwrap_or_default());
                Value::String(lua.create_string(name)?)
            }
            "can_desegment" => {
                let can = call::with(|call| call.packet.can_desegment && call.running.len() < 2);
                Value::Integer(i64::from(can))
            }
            "desegment_len" => Value::Integer(call::with(|call| call.desegment_len)),
            "desegment_offset" => Value::Integer(call::with(|call| call.desegment_offset)),
            "p2p_dir" => Value::Integer(-1),
            "cols" | "columns" => return Handle { class: Class::Columns, call: self.0, index: 0 }.into_lua(lua),
            "conversation" => return super::conversation::of_call(lua, true),
            "private" => Value::Table(super::private::table(lua)?),
            _ => return no_member(lua, name, "Pinfo"),
        })
    }

    pub(super) fn set(self, lua: &Lua, name: &Value, value: &Value) -> Result<()> {
        alive(lua, self.0, "Pinfo", |_| ())?;
        let number = || match integer(value) {
            Some(number) => Ok(number),
            None => super::errors::expected(lua, 2, "__newindex", "number", value),
        };
        match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
            Some("desegment_len") => {
                let len = number()?;
                call::with(|call| call.desegment_len = len);
            }
            Some("desegment_offset") => {
                let offset = number()?;
                call::with(|call| call.desegment_offset = offset);
            }
            Some(
                "can_desegment" | "p2p_dir" | "src_port" | "dst_port" | "src" | "dst" | "net_src" | "net_dst" | "dl_src"
                | "dl_dst",
            ) => {
                let name = text(name).unwrap_or_default();
                return fail(lua, format_args!("setting pinfo.{name} is not supported"));
            }
            Some("conversation") => {
                let bound = super::dissector::bound(lua, value)?;
                call::with(|call| call.bound = Some(bound));
            }
            _ => return no_member(lua, name, "Pinfo"),
        }
        Ok(())
    }
}

impl Columns {
    pub(super) fn get(self, lua: &Lua, name: &Value) -> Result<Value> {
        alive(lua, self.0, "Columns", |_| ())?;
        match Column::named(self.0, name) {
            Some(Column(call, index)) => Handle { class: Class::Column, call, index }.into_lua(lua),
            None => Ok(Value::Nil),
        }
    }

    pub(super) fn set(self, lua: &Lua, name: &Value, value: &Value) -> Result<()> {
        match Column::named(self.0, name) {
            Some(column) => column.change(lua, value, ColumnText::set),
            None => bad_argument(lua, 2, "__newindex", "Columns__newindex: the column name must be a valid column"),
        }
    }
}

impl ColumnText {
    /// Replaces what is behind the fence.
    fn set(&mut self, text: &str) {
        self.text.truncate(self.fence);
        self.text += text;
    }

    fn append(&mut self, text: &str) {
        self.text += text;
    }

    fn prepend(&mut self, text: &str) {
        self.text.insert_str(0, text);
        if self.fence > 0 {
            self.fence += text.len();
        }
    }
}

/// Maximum length of a column.
const LONGEST: usize = 4096;

impl Column {
    fn named(call: u64, name: &Value) -> Option<Column> {
        let place = match name {
            Value::String(name) => {
                let name: &[u8] = &name.as_bytes();
                COLUMNS.iter().position(|known| name == known.as_bytes())
            }
            name => text(name).and_then(|name| COLUMNS.iter().position(|known| *known == name)),
        };
        place.and_then(|place| u32::try_from(place).ok()).map(|place| Column(call, place))
    }

    /// The column of a handle.
    pub(super) fn of(handle: Handle) -> Column {
        Column(handle.call, handle.index)
    }

    fn name(self) -> &'static str {
        COLUMNS.get(self.1 as usize).copied().unwrap_or_default()
    }

    /// The text that a script reads.
    pub(super) fn shown(self, lua: &Lua) -> Result<String> {
        let written = self.with(lua, |column| column.is_written.then(|| column.text.clone()))?.flatten();
        Ok(written.unwrap_or_else(|| format!("({})", self.name())))
    }

    /// The text of the column, if it is kept.
    fn with<T>(self, lua: &Lua, work: impl FnOnce(&mut ColumnText) -> T) -> Result<Option<T>> {
        alive(lua, self.0, "Column", |call| match self.name() {
            "info" => Some(work(&mut call.info)),
            "protocol" => Some(work(&mut call.protocol)),
            _ => None,
        })
    }

    fn change(self, lua: &Lua, value: &Value, change: fn(&mut ColumnText, &str)) -> Result<()> {
        let words = super::sandbox::as_text(lua, value)?;
        super::budget::spend(lua, 1 + words.len() / 16)?;
        let words = String::from_utf8_lossy(&words).into_owned();
        self.with(lua, |column| {
            let room = LONGEST.saturating_sub(column.text.len());
            let end = (0..=room.min(words.len())).rev().find(|end| words.is_char_boundary(*end)).unwrap_or_default();
            change(column, words.get(..end).unwrap_or_default());
            column.is_written = true;
        })?;
        Ok(())
    }
}

/// The column that a method belongs to.
fn itself(lua: &Lua, value: &Value) -> Result<Column> {
    match Handle::of(value) {
        Some(handle) if handle.class == Class::Column => Ok(Column::of(handle)),
        _ => fail(lua, "not a Column!"),
    }
}

/// The methods of columns.
pub(super) fn column_methods(lua: &Lua) -> Result<Table> {
    type Change = fn(&mut ColumnText, &str);
    let changes: [(&str, Change); 4] = [
        ("set", ColumnText::set),
        ("append", ColumnText::append),
        ("prepend", ColumnText::prepend),
        ("preppend", ColumnText::prepend),
    ];
    let methods = lua.create_table()?;
    for (name, change) in changes {
        let method = move |lua: &Lua, (this, value): (Value, Value)| itself(lua, &this)?.change(lua, &value, change);
        methods.set(name, lua.create_function(method)?)?;
    }
    type Fence = (&'static str, fn(&mut ColumnText));
    let fences: [Fence; 3] = [
        ("clear", |column| column.set("")),
        ("fence", |column| column.fence = column.text.len()),
        ("clear_fence", |column| column.fence = 0),
    ];
    for (name, change) in fences {
        let method = move |lua: &Lua, (this, _): (Value, MultiValue)| itself(lua, &this)?.with(lua, change).map(drop);
        methods.set(name, lua.create_function(method)?)?;
    }
    Ok(methods)
}
