//! `TreeItem`: items that scripts add to the tree.

use super::args::{Args, integer, text};
use super::buffer::{Bytes, Tvb, TvbRange};
use super::call::{self, Content, Item, Kind, Place};
use super::errors::{fail, no_member, type_of};
use super::expert::{self, ProtoExpert};
use super::field::{ProtoField, ScriptField};
use super::handle::{Class, Handle, Methods, Object};
use super::proto::Proto;
use super::{notes, value};
use mlua::{IntoLua, Lua, MultiValue, Result, Table, Value};

/// An item of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeItem {
    pub(super) call: u64,
    pub(super) item: u32,
}

/// What the first argument of `add` names.
#[derive(Clone, Copy)]
enum What {
    Field(&'static ScriptField),
    Protocol(Proto),
    Nothing,
}

fn what(value: &Value) -> What {
    if let Some(field) = ProtoField::of(value) {
        return What::Field(field.0);
    }
    let proto = value.as_userdata().and_then(|data| data.borrow::<Proto>().ok().map(|proto| *proto));
    proto.map_or(What::Nothing, What::Protocol)
}

/// The range of a `TvbRange` or a `Tvb`, with the buffer around it.
fn range(lua: &Lua, value: &Value) -> Result<Option<TvbRange>> {
    let found = match Bytes::of(value) {
        Some(Bytes::Range(range)) => range,
        Some(Bytes::Tvb(Tvb { call, place })) => TvbRange { call, place, outer: place },
        None => return Ok(None),
    };
    if call::with(|call| call.is(found.call)) { Ok(Some(found)) } else { fail(lua, "expired TvbRange") }
}

/// Labels of an item, joined with spaces. Wireshark skips what is neither a text nor a number.
fn label(values: &[Value]) -> Option<String> {
    let texts: Vec<String> = values.iter().filter_map(text).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// Whether a text that was read has other characters behind its first NUL.
fn is_stray(item: &Item) -> bool {
    let (Content::Text(text), Some(place)) = (&item.content, item.place) else { return false };
    let rest = Place { start: text.start + text.len, len: place.len.saturating_sub(text.len), ..place };
    text.start == place.start && call::with(|call| call.bytes(rest).iter().any(|byte| *byte != 0))
}

const INVALID: &str = "Tree item ProtoField/Protocol handle is invalid (ProtoField/Proto not registered?)";

/// The item that `add` adds, without its label. What it takes of the arguments is taken from `rest`.
fn made(lua: &Lua, named: What, rest: &mut &[Value], range: Option<&TvbRange>, is_little: bool) -> Result<Item> {
    let place = range.map(|range| range.place);
    let text = |rest: &mut &[Value]| {
        let text = label(std::mem::take(rest)).unwrap_or_default();
        Ok(Item::new(Kind::Other(&notes::TEXT), Content::Words(text), place))
    };
    match named {
        What::Field(field) if field.is_registered() => {
            let (content, place) = match (rest.split_first(), range) {
                (Some((given, behind)), _) => {
                    *rest = behind;
                    (value::given(lua, field, given)?, place)
                }
                (None, Some(range)) => value::read(lua, field, range, is_little)?,
                (None, None) => (value::given(lua, field, &Value::Nil)?, None),
            };
            Ok(Item::new(Kind::Field(field), content, place))
        }
        What::Protocol(proto) => Ok(Item::new(Kind::Protocol(proto.field(lua)?), Content::None, place)),
        What::Field(_) | What::Nothing if rest.is_empty() => fail(lua, INVALID),
        // As Wireshark does: what is left is a text, also behind a field of no protocol.
        What::Field(_) | What::Nothing => text(rest),
    }
}

impl IntoLua for TreeItem {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        Handle { class: Class::TreeItem, call: self.call, index: self.item }.into_lua(lua)
    }
}

impl Object for TreeItem {
    const NAME: &'static str = "TreeItem";

    fn of(value: &Value) -> Option<TreeItem> {
        let Handle { call, index: item, .. } = Handle::of(value).filter(|handle| handle.class == Class::TreeItem)?;
        Some(TreeItem { call, item })
    }
}

impl TreeItem {
    /// The text of the object.
    pub(super) fn shown(self) -> String {
        let is_alive = call::with(|call| call.is(self.call));
        format!("TreeItem: expired={}, has item=true, has subtree=true, they are the same", !is_alive)
    }

    /// The item, if its call still runs.
    pub(super) fn alive<T>(self, lua: &Lua, work: impl FnOnce(&mut Item) -> T) -> Result<T> {
        let result = call::with(|call| {
            let is_alive = call.is(self.call);
            call.items.get_mut(self.item as usize).filter(|_| is_alive).map(work)
        });
        result.map_or_else(|| fail(lua, "expired TreeItem"), Ok)
    }

    /// Adds an item below this one.
    fn add(self, lua: &Lua, values: &[Value], is_little: bool) -> Result<TreeItem> {
        self.alive(lua, |_| ())?;
        call::may_add(lua, self.item)?;
        let mut rest = values;
        let named = match rest.split_first() {
            Some((Value::Nil, _)) => return fail(lua, "first argument to TreeItem:add is nil!"),
            Some((first, behind)) => {
                let found = what(first);
                if !matches!(found, What::Nothing) {
                    rest = behind;
                }
                found
            }
            None => return fail(lua, INVALID),
        };
        let place = match rest.first() {
            Some(first) => range(lua, first)?,
            None => None,
        };
        if place.is_some() {
            rest = rest.get(1..).unwrap_or_default();
        }
        let item = made(lua, named, &mut rest, place.as_ref(), is_little)?;
        let label = label(rest);
        let is_stray = matches!(named, What::Field(field) if field.is_text()) && is_stray(&item);
        let mut item = Item { label, ..item };
        // The first label replaces the text of the item; behind another value, labels are appended.
        if rest.first().is_some_and(|first| text(first).is_none())
            && let Some(label) = item.label.take()
        {
            item.around[1] = format!(" {label}");
        }
        let added = self.put(item);
        if is_stray {
            let text = notes::STRAY.name.to_owned();
            call::with(|call| call.remark(added.item, &notes::STRAY, text, [expert::WARN, expert::UNDECODED]));
        }
        Ok(added)
    }

    /// Adds an item.
    pub(super) fn put(self, item: Item) -> TreeItem {
        TreeItem { call: self.call, item: call::with(|call| call.add(self.item, item)) }
    }

    fn add_packet_field(self, lua: &Lua, values: &[Value]) -> Result<TreeItem> {
        self.alive(lua, |_| ())?;
        call::may_add(lua, self.item)?;
        let Some(What::Field(field)) = values.first().map(what) else {
            return fail(lua, "TreeField:add_packet_field not passed a ProtoField");
        };
        if !field.is_registered() {
            let name = field.field.abbrev;
            return fail(lua, format_args!("ProtoField {name} unregistered (not added to a Proto.fields attribute)"));
        }
        let Some(range) = range(lua, values.get(1).unwrap_or(&Value::Nil))? else {
            return fail(lua, "TreeItem:add_packet_field without a range is not supported");
        };
        let encoding = values.get(2).and_then(integer).unwrap_or_default();
        const TEXT: i64 = 0x0100_0000 | 0x0200_0000;
        if encoding & TEXT != 0 {
            return fail(lua, "TreeItem:add_packet_field with a text encoding is not supported");
        }
        let (content, place) = value::read(lua, field, &range, encoding & 0x8000_0000 != 0)?;
        let mut item = Item::new(Kind::Field(field), content, place);
        if let Some(text) = label(values.get(3..).unwrap_or_default()) {
            item.around = [String::new(), format!(" {text}")];
        }
        Ok(self.put(item))
    }

    /// Adds an expert info to this item.
    fn remark(self, expert: &ProtoExpert, text: Option<String>) {
        let text = text.unwrap_or_else(|| expert.text.to_owned());
        call::with(|call| call.remark(self.item, expert.field, text, [expert.severity, expert.group]));
    }

    fn expert(args: &Args<'_>) -> Result<ProtoExpert> {
        let value = args.get(1);
        let found = value.as_userdata().and_then(|data| data.borrow::<ProtoExpert>().ok().map(|expert| *expert));
        found.map_or_else(|| super::errors::expected(args.lua, 1, args.function, "ProtoExpert", &value), Ok)
    }
}

/// Adds a method that returns its item.
fn add_method(
    lua: &Lua,
    methods: &Table,
    name: &'static str,
    work: impl Fn(&Lua, TreeItem, &Args<'_>) -> Result<()> + mlua::MaybeSend + 'static,
) -> Result<()> {
    let method = move |lua: &Lua, (this, values): (Value, MultiValue)| {
        let item = itself(lua, &this)?;
        item.alive(lua, |_| ())?;
        work(lua, item, &Args::new(lua, name, values))?;
        Ok(this)
    };
    methods.set(name, lua.create_function(method)?)
}

fn add_experts(lua: &Lua, methods: &Table) -> Result<()> {
    add_method(lua, methods, "add_proto_expert_info", |_, item, args| {
        item.remark(&TreeItem::expert(args)?, args.text_or_nil(2)?);
        Ok(())
    })?;
    add_method(lua, methods, "add_tvb_expert_info", |lua, item, args| {
        let expert = TreeItem::expert(args)?;
        let Some(range) = range(lua, &args.get(2))? else {
            return super::errors::expected(lua, 2, "add_tvb_expert_info", "Tvb", &args.get(2));
        };
        call::may_add(lua, item.item)?;
        let text = args.text_or_nil(3)?.unwrap_or_else(|| expert.text.to_owned());
        let own = item.put(Item::new(Kind::Other(&notes::EXPERT), Content::Words(text.clone()), Some(range.place)));
        own.remark(&expert, Some(text));
        Ok(())
    })?;
    add_method(lua, methods, "add_expert_info", |_, item, args| {
        let (group, severity) = (args.int_or(1, expert::DEBUG)?, args.int_or(2, expert::CHAT)?);
        let text = args.text_or_nil(3)?.unwrap_or_else(|| "Expert Info".to_owned());
        let code = notes::of_severity(severity);
        call::with(|call| call.remark(item.item, code, text, [severity, group]));
        Ok(())
    })
}

/// The object of a method, and its arguments. They are not copied, which takes as long as adding an item.
fn object(values: &mut MultiValue) -> (&Value, &[Value]) {
    values.make_contiguous().split_first().map_or((&Value::Nil, &[]), |(this, values)| (this, values))
}

/// The item of a method that may be called as a function.
fn itself(lua: &Lua, value: &Value) -> Result<TreeItem> {
    TreeItem::of(value).map_or_else(|| fail(lua, "not a TreeItem!"), Ok)
}

/// A change of an item.
type Change = fn(&mut Item, &Args<'_>, usize) -> Result<()>;

/// Changes that are methods and attributes.
const CHANGES: [(&str, Change); 4] = [
    ("text", |item, args, at| {
        item.label = Some(args.text(at)?);
        item.around = [String::new(), String::new()];
        Ok(())
    }),
    ("generated", |item, args, at| {
        item.generated = args.truth_or(at, true);
        Ok(())
    }),
    ("hidden", |item, args, at| {
        item.hidden = args.truth_or(at, true);
        Ok(())
    }),
    ("len", |item, args, at| {
        let len = u32::try_from(args.int(at)?).unwrap_or_default();
        if let Some(place) = &mut item.place {
            place.len = len;
        }
        Ok(())
    }),
];

fn add_changes(lua: &Lua, methods: &Table) -> Result<()> {
    let all: [(&'static str, Change); 6] = [
        ("set_text", CHANGES[0].1),
        ("set_generated", CHANGES[1].1),
        ("set_hidden", CHANGES[2].1),
        ("set_len", CHANGES[3].1),
        ("append_text", |item, args, at| {
            item.around[1] += &args.text(at)?;
            Ok(())
        }),
        ("prepend_text", |item, args, at| {
            item.around[0].insert_str(0, &args.text(at)?);
            Ok(())
        }),
    ];
    for (name, change) in all {
        add_method(lua, methods, name, move |lua, item, args| {
            super::budget::spend(lua, 8)?;
            item.alive(lua, |item| change(item, args, 1))?
        })?;
    }
    Ok(())
}

/// The value of an attribute.
pub(super) fn attribute(lua: &Lua, this: TreeItem, name: &Value) -> Result<Value> {
    let text = |text: String| lua.create_string(text).map(Value::String);
    match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
        Some("text") => {
            this.alive(lua, |_| ())?;
            text(call::with(|call| super::label::of(&call.items, &|place| call.bytes(place), this.item)))
        }
        Some("visible") => Ok(Value::Boolean(true)),
        Some("generated") => this.alive(lua, |item| Value::Boolean(item.generated)),
        Some("hidden") => this.alive(lua, |item| Value::Boolean(item.hidden)),
        Some("len") => this.alive(lua, |item| Value::Integer(item.place.map_or(0, |place: Place| i64::from(place.len)))),
        _ => no_member(lua, name, "TreeItem"),
    }
}

/// Changes an attribute.
pub(super) fn change(lua: &Lua, this: TreeItem, name: &Value, value: Value) -> Result<()> {
    let known = name.as_string().map(|name| name.to_string_lossy());
    let Some((_, change)) = CHANGES.iter().find(|(name, _)| known.as_deref() == Some(name)) else {
        return no_member(lua, name, "TreeItem");
    };
    let args = Args::new(lua, "__newindex", MultiValue::from_vec(vec![value]));
    this.alive(lua, |item| change(item, &args, 1))?
}

/// Adds the methods of items.
pub(super) fn add(all: &Methods<'_>) -> Result<()> {
    let (lua, methods) = (all.lua, &all.shared);
    for (name, is_little) in [("add", false), ("add_le", true)] {
        let add = move |lua: &Lua, mut values: MultiValue| {
            let (this, values) = object(&mut values);
            itself(lua, this)?.add(lua, values, is_little)
        };
        methods.set(name, lua.create_function(add)?)?;
    }
    let add_packet_field = |lua: &Lua, mut values: MultiValue| {
        let (this, values) = object(&mut values);
        itself(lua, this)?.add_packet_field(lua, values)
    };
    methods.set("add_packet_field", lua.create_function(add_packet_field)?)?;
    let referenced = |lua: &Lua, this: Value| itself(lua, &this)?.alive(lua, |_| true);
    methods.set("referenced", lua.create_function(referenced)?)?;
    add_changes(lua, methods)?;
    add_experts(lua, methods)
}

/// The error of a value of the wrong type.
pub(super) fn wrong_value<T>(lua: &Lua, wanted: &str, got: &Value) -> Result<T> {
    let got = if text(got).is_some() && !matches!(got, Value::String(_)) { "number" } else { type_of(got) };
    fail(lua, format_args!("calling 'add' on bad self ({wanted} expected, got {got})"))
}
