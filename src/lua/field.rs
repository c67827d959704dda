//! `ProtoField`: fields that scripts declare.

use super::args::{Args, integer, text};
use super::constants::{base_name, type_name};
use super::errors::fail;
use super::handle::{self, Class, Handle, Object};
use super::numbers::{Int64, UInt64};
use super::world::World;
use crate::tree::{Field, Layout};
use mlua::{IntoLua, Lua, MultiValue, Result, Table, Value};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

/// Maximum number of fields: they are never freed.
const MOST: usize = 65_536;
/// Maximum number of numbers that one range of a value table names.
const RANGE: i64 = 4096;

pub(super) const RANGE_STRING: i64 = 256;
pub(super) const UNIT_STRING: i64 = 4096;

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    None,
    Protocol,
    Bool,
    Char,
    Unsigned(u8),
    Signed(u8),
    Float,
    Double,
    AbsoluteTime,
    RelativeTime,
    String,
    Stringz,
    Bytes,
    CountedBytes,
    Ipv4,
    Ipv6,
    Ipx,
    Ether,
    FrameNumber,
    Guid,
    Oid,
    RelOid,
    SystemId,
    Eui64,
}

/// Names of constructors, numbers in `ftypes`, types.
const TYPES: &[(&str, i64, Type)] = &[
    ("none", 0, Type::None),
    ("protocol", 1, Type::Protocol),
    ("bool", 2, Type::Bool),
    ("char", 3, Type::Char),
    ("uint8", 4, Type::Unsigned(1)),
    ("uint16", 5, Type::Unsigned(2)),
    ("uint24", 6, Type::Unsigned(3)),
    ("uint32", 7, Type::Unsigned(4)),
    ("uint64", 11, Type::Unsigned(8)),
    ("int8", 12, Type::Signed(1)),
    ("int16", 13, Type::Signed(2)),
    ("int24", 14, Type::Signed(3)),
    ("int32", 15, Type::Signed(4)),
    ("int64", 19, Type::Signed(8)),
    ("float", 22, Type::Float),
    ("double", 23, Type::Double),
    ("absolute_time", 24, Type::AbsoluteTime),
    ("relative_time", 25, Type::RelativeTime),
    ("string", 26, Type::String),
    ("stringz", 27, Type::Stringz),
    ("ether", 29, Type::Ether),
    ("bytes", 30, Type::Bytes),
    ("ubytes", 31, Type::CountedBytes),
    ("ipv4", 32, Type::Ipv4),
    ("ipv6", 33, Type::Ipv6),
    ("ipx", 34, Type::Ipx),
    ("framenum", 35, Type::FrameNumber),
    ("guid", 36, Type::Guid),
    ("oid", 37, Type::Oid),
    ("eui64", 38, Type::Eui64),
    ("rel_oid", 41, Type::RelOid),
    ("systemid", 42, Type::SystemId),
];

/// A declared field.
#[derive(Debug)]
pub(super) struct ScriptField {
    /// Its number among those of all states.
    handle: u32,
    /// Its number, in the order of declarations.
    pub(super) id: usize,
    pub(super) of: Type,
    number: i64,
    base: i64,
    pub(super) field: &'static Field,
    /// Singular and plural of the unit.
    pub(super) unit: Option<[String; 2]>,
    /// What true and false are called.
    pub(super) truths: Option<[String; 2]>,
    /// The number of its protocol, from 1; 0 for none.
    owner: AtomicUsize,
}

impl ScriptField {
    /// Makes it a field of a protocol, unless it is one of another.
    pub(super) fn register(&self, protocol: usize) {
        let _ = self.owner.compare_exchange(0, protocol + 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The number of its protocol.
    pub(super) fn owner(&self) -> Option<usize> {
        self.owner.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Whether it belongs to a protocol.
    pub(super) fn is_registered(&self) -> bool {
        self.owner().is_some()
    }

    /// Whether its values are texts of a given length.
    pub(super) fn is_text(&self) -> bool {
        self.of == Type::String
    }

    /// The name of its type, as that of its constructor.
    pub(super) fn type_name(&self) -> &'static str {
        TYPES.iter().find(|(_, number, _)| *number == self.number).map_or("none", |(name, ..)| name)
    }

    /// How numbers are displayed.
    pub(super) fn base(&self) -> i64 {
        self.base & 0xff
    }
}

/// A field as an object.
#[derive(Clone, Copy)]
pub(super) struct ProtoField(pub(super) &'static ScriptField);

/// All fields of all scripts, in the order of their handles.
static FIELDS: RwLock<Vec<&'static ScriptField>> = RwLock::new(Vec::new());

impl Object for ProtoField {
    const NAME: &'static str = "ProtoField";

    fn of(value: &Value) -> Option<ProtoField> {
        let handle = Handle::of(value).filter(|handle| handle.class == Class::ProtoField)?;
        ProtoField::at(handle.index)
    }
}

impl IntoLua for ProtoField {
    fn into_lua(self, lua: &Lua) -> Result<Value> {
        Handle { class: Class::ProtoField, call: 0, index: self.0.handle }.into_lua(lua)
    }
}

impl ProtoField {
    /// The field of a handle.
    pub(super) fn at(index: u32) -> Option<ProtoField> {
        FIELDS.read().unwrap_or_else(PoisonError::into_inner).get(index as usize).copied().map(ProtoField)
    }

    /// The text of the object.
    pub(super) fn shown(self) -> String {
        let ProtoField(of) = self;
        let field = of.field;
        let about = if field.about.is_empty() { "(null)" } else { field.about };
        let names = if field.names.is_empty() { "(nil)" } else { "(table)" };
        let (of_type, base) = (type_name(of.number), base_name(of.base));
        let id = if of.is_registered() { i64::try_from(of.id).unwrap_or_default() } else { -2 };
        let (name, abbrev, mask) = (field.name, field.abbrev, field.mask);
        format!("ProtoField({id}): {name} {abbrev} ftypes.{of_type} base.{base} {names} {mask:08x} {about}")
    }

    /// The value of an attribute.
    pub(super) fn get(self, lua: &Lua, name: &Value) -> Result<Value> {
        let of = self.0;
        match name.as_string().map(|name| name.to_string_lossy()).as_deref() {
            Some("abbr") => lua.create_string(of.field.abbrev).map(Value::String),
            Some("name") => lua.create_string(of.field.name).map(Value::String),
            Some("description") => lua.create_string(of.field.about).map(Value::String),
            Some("type") => Ok(Value::Integer(of.number)),
            Some("base") => Ok(Value::Integer(of.base)),
            Some("mask") => Ok(Value::Integer(of.field.mask.cast_signed())),
            _ => super::errors::no_member(lua, name, "ProtoField"),
        }
    }
}

/// What a constructor was given.
struct Declared {
    abbrev: String,
    name: String,
    about: String,
    of: Type,
    number: i64,
    base: i64,
    mask: u64,
}

/// What a table of values says.
#[derive(Default)]
struct Meanings {
    names: Vec<(u64, String)>,
    unit: Option<[String; 2]>,
    truths: Option<[String; 2]>,
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    for (name, number, of) in TYPES {
        let declare = move |lua: &Lua, values: MultiValue| declare(&Args::new(lua, name, values), *of, *number);
        class.set(*name, lua.create_function(declare)?)?;
    }
    class.set("new", lua.create_function(|lua, values| anew(&Args::new(lua, "new", values)))?)?;
    class.set("__typeof", "ProtoField")?;
    super::sandbox::guard_class(lua, &class, "ProtoField")?;
    globals.set("ProtoField", class)
}

/// A constructor of one type.
fn declare(args: &Args<'_>, of: Type, number: i64) -> Result<ProtoField> {
    let has_base = match of {
        Type::Unsigned(_) | Type::Signed(_) | Type::Char | Type::FrameNumber | Type::Bool => true,
        Type::Float | Type::Double | Type::AbsoluteTime | Type::String | Type::Stringz | Type::Bytes | Type::CountedBytes => {
            false
        }
        _ => return finish(args, declared(args, of, number, 0, 0, args.text_or_nil(3)?)?, Meanings::default()),
    };
    if has_base {
        let base = base(args, 3, of)?;
        let mask = mask(args, 5)?;
        let meanings = meanings(args, 4, of, base, mask)?;
        return finish(args, declared(args, of, number, base, mask, args.text_or_nil(6)?)?, meanings);
    }
    if matches!(of, Type::Float | Type::Double) {
        let is_unit = matches!(args.get(3), Value::Table(_));
        let meanings = if is_unit { Meanings { unit: Some(unit(args, 3)?), ..Meanings::default() } } else { Meanings::default() };
        let (base, about) = if is_unit || args.is_nil(3) {
            (0, args.text_or_nil(4)?)
        } else {
            let described = matches!(args.get(3), Value::String(_));
            if described { (0, args.text_or_nil(3)?) } else { (args.int(3)?, args.text_or_nil(4)?) }
        };
        return finish(args, declared(args, of, number, base, 0, about)?, meanings);
    }
    // Wireshark ignores a description in place of the display.
    let is_described = matches!(args.get(3), Value::String(_)) && integer(&args.get(3)).is_none();
    if is_described && constant(args, 3, "base").is_err() {
        return finish(args, declared(args, of, number, 0, 0, args.text_or_nil(3)?)?, Meanings::default());
    }
    let base = display(args, 3, of)?;
    finish(args, declared(args, of, number, base, 0, args.text_or_nil(4)?)?, Meanings::default())
}

/// The mask of an argument: a number or a 64-bit object.
fn mask(args: &Args<'_>, number: usize) -> Result<u64> {
    let value = args.get(number);
    if let Some(data) = value.as_userdata() {
        if let Ok(bits) = data.borrow::<UInt64>() {
            return Ok(bits.0);
        }
        if let Ok(bits) = data.borrow::<Int64>() {
            return Ok(bits.0.cast_unsigned());
        }
    }
    if value.is_nil() { Ok(0) } else { args.int(number).map(i64::cast_unsigned) }
}

/// `ProtoField.new(name, abbr, type, [values], [base], [mask], [description])`.
fn anew(args: &Args<'_>) -> Result<ProtoField> {
    let asked = constant(args, 3, "ftypes")?;
    let Some((_, number, of)) = TYPES.iter().find(|(_, number, _)| *number == asked) else {
        let unsupported = (0..=44).contains(&asked);
        let text = if unsupported { "Unsupported ProtoField field type" } else { "Invalid ProtoField field type" };
        return args.wrong(3, &format!("ProtoField_new: {text}"));
    };
    let of = *of;
    let mask = mask(args, 6)?;
    let base = match of {
        Type::Unsigned(_) | Type::Signed(_) | Type::Char | Type::FrameNumber | Type::Bool => base(args, 5, of)?,
        Type::AbsoluteTime | Type::String | Type::Stringz | Type::Bytes | Type::CountedBytes => display(args, 5, of)?,
        _ => 0,
    };
    let meanings = match of {
        Type::Unsigned(_) | Type::Signed(_) | Type::Char | Type::Bool => meanings(args, 4, of, base, mask)?,
        _ => Meanings::default(),
    };
    let (name, abbrev) = (args.text(1)?, args.text(2)?);
    let about = args.text_or_nil(7)?.unwrap_or_default();
    finish(args, checked(args, Declared { abbrev, name, about, of, number: *number, base, mask }, [2, 1])?, meanings)
}

/// A number, or its name with the table as prefix.
fn constant(args: &Args<'_>, number: usize, table: &str) -> Result<i64> {
    if let Value::String(name) = args.get(number)
        && let name = name.to_string_lossy()
        && let Some(name) = name.strip_prefix(table).and_then(|name| name.strip_prefix('.'))
        && let Ok(table) = args.lua.globals().get::<Table>(table)
        && let Ok(found) = table.get::<i64>(name)
    {
        return Ok(found);
    }
    args.int(number)
}

fn declared(args: &Args<'_>, of: Type, number: i64, base: i64, mask: u64, about: Option<String>) -> Result<Declared> {
    let abbrev = args.text(1)?;
    let name = args.text_or_nil(2)?.unwrap_or_else(|| abbrev.clone());
    checked(args, Declared { abbrev, name, about: about.unwrap_or_default(), of, number, base, mask }, [1, 2])
}

/// Checks names, which are these arguments.
fn checked(args: &Args<'_>, declared: Declared, [abbrev, name]: [usize; 2]) -> Result<Declared> {
    let is_valid = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    if declared.abbrev.is_empty() {
        return args.wrong(abbrev, "Empty field name abbreviation");
    }
    if !declared.abbrev.chars().all(is_valid) {
        return args.wrong(abbrev, "Invalid char in abbrev");
    }
    if declared.name.is_empty() {
        return args.wrong(name, "cannot be an empty string");
    }
    let of = declared.of;
    let takes_mask = matches!(of, Type::Unsigned(_) | Type::Signed(_) | Type::Bool | Type::Char);
    if declared.mask != 0 && of == Type::FrameNumber {
        return args.wrong(5, "FRAMENUM can not have a bitmask");
    }
    if declared.mask != 0 && !takes_mask {
        return args.wrong(6, "This type can not have a bitmask");
    }
    Ok(declared)
}

/// The base of a number.
fn base(args: &Args<'_>, number: usize, of: Type) -> Result<i64> {
    let default = match of {
        Type::Char => 3,
        Type::FrameNumber | Type::Bool => 0,
        _ => 1,
    };
    let given = if args.is_nil(number) { default } else { constant(args, number, "base")? };
    let (shown, extra) = (given & 0xff, given & !0xff);
    if extra & RANGE_STRING != 0 && extra & UNIT_STRING != 0 {
        return args.wrong(number, "Only one of base.RANGE_STRING and base.UNIT_STRING can be specified");
    }
    let shown = if shown == 0 && extra != 0 && of != Type::Char { 1 } else { shown };
    match of {
        Type::Unsigned(_) if !(1..=5).contains(&shown) => {
            args.wrong(number, "Base must be either base.DEC, base.HEX, base.OCT, base.DEC_HEX, base.HEX_DEC or base.UNIT_STRING")
        }
        Type::Signed(_) if shown != 1 => args.wrong(number, "Base must be either base.DEC or base.UNIT_STRING"),
        Type::Char if extra & UNIT_STRING != 0 => args.wrong(number, "Character type can not use base.UNIT_STRING"),
        Type::Char if !matches!(shown, 0 | 2 | 3) => args.wrong(number, "Base must be either base.NONE, base.HEX or base.OCT"),
        Type::FrameNumber if given != 0 => args.wrong(number, "FRAMENUM must use base.NONE"),
        Type::Bool => {
            let is_masked = mask(args, if number == 3 { 5 } else { 6 })? != 0;
            match (given, is_masked) {
                (0, false) | (1..=64, true) => Ok(given),
                (_, false) => args.wrong(number, "Fieldbase (fielddisplay) must be base.NONE if bitmask is zero."),
                (_, true) => args.wrong(number, "Fieldbase (fielddisplay) must be between 1 and 64 if bitmask is non-zero."),
            }
        }
        _ => Ok(shown | extra),
    }
}

/// How times, texts and bytes are displayed.
fn display(args: &Args<'_>, number: usize, of: Type) -> Result<i64> {
    if args.is_nil(number) {
        return Ok(if of == Type::AbsoluteTime { 18 } else { 0 });
    }
    let given = constant(args, number, "base")?;
    match of {
        Type::AbsoluteTime if !matches!(given, 18..=22) => {
            args.wrong(number, "Base must be either base.LOCAL, base.UTC, or base.DOY_UTC")
        }
        Type::String | Type::Stringz if given != 0 => args.wrong(number, "Display must be base.NONE"),
        Type::Bytes | Type::CountedBytes if !matches!(given, 0 | 8..=11) => {
            args.wrong(number, "Display must be either base.NONE, base.DOT, base.DASH, base.COLON or base.SPACE")
        }
        _ => Ok(given),
    }
}

/// The table of values.
fn meanings(args: &Args<'_>, number: usize, of: Type, base: i64, mask: u64) -> Result<Meanings> {
    if of == Type::FrameNumber {
        return Ok(Meanings::default());
    }
    if args.is_nil(number) {
        return match () {
            () if base & UNIT_STRING != 0 => args.wrong(number, "Base contains base.UNIT_STRING but no table was given"),
            () if base & RANGE_STRING != 0 => args.wrong(number, "Base contains base.RANGE_STRING but no table was given"),
            () if of == Type::Char && base == 0 => args.wrong(number, "Base base.NONE must be used with a valuestring"),
            () => Ok(Meanings::default()),
        };
    }
    let Value::Table(values) = args.get(number) else { return args.wrong(number, "must be a table") };
    let mut meanings = Meanings::default();
    if of == Type::Bool {
        meanings.truths = Some(pair(args, number, &values, "true_false_string")?);
    } else if base & UNIT_STRING != 0 {
        meanings.unit = Some(unit(args, number)?);
    } else if base & RANGE_STRING != 0 {
        meanings.names = ranges(args, number, &values)?;
    } else {
        let words = if of == Type::Unsigned(8) || of == Type::Signed(8) { "value string" } else { "value_string" };
        for entry in values.pairs::<Value, Value>() {
            let (key, value) = entry?;
            let Value::Integer(key) = key else {
                return args.wrong(number, &format!("All keys of a table used as {words} must be integers"));
            };
            let Some(name) = text(&value) else {
                return args.wrong(number, &format!("All values of a table used as {words} must be strings"));
            };
            meanings.names.push((narrow(key, of, mask), name));
        }
    }
    meanings.names.sort_by_key(|(value, _)| *value);
    meanings.names.dedup_by_key(|(value, _)| *value);
    Ok(meanings)
}

/// A key of a table as the value of a field: unsigned ones are as wide as the field.
fn narrow(key: i64, of: Type, mask: u64) -> u64 {
    match of {
        Type::Unsigned(size @ 1..8) if mask == 0 => key.cast_unsigned() & ((1 << (8 * u32::from(size))) - 1),
        _ => key.cast_unsigned(),
    }
}

/// The first two entries of a table.
fn pair(args: &Args<'_>, number: usize, values: &Table, words: &str) -> Result<[String; 2]> {
    let mut found = [String::new(), String::new()];
    for entry in values.pairs::<Value, Value>() {
        let (key, value) = entry?;
        let Value::Integer(key) = key else {
            return args.wrong(number, &format!("All keys of a table used as {words} must be integers"));
        };
        let Some(place) = usize::try_from(key).ok().and_then(|key| found.get_mut(key.wrapping_sub(1))) else {
            let text = format!("The {words} table can have maximum two strings with key value 1 and 2");
            return args.wrong(number, &text);
        };
        let Some(value) = text(&value) else {
            return args.wrong(number, &format!("All values of a table used as {words} must be strings"));
        };
        *place = value;
    }
    Ok(found)
}

fn unit(args: &Args<'_>, number: usize) -> Result<[String; 2]> {
    let Value::Table(values) = args.get(number) else { return args.wrong(number, "must be a table") };
    let [one, many] = pair(args, number, &values, "unit name")?;
    if one.is_empty() {
        return args.wrong(number, "The unit name table must have a singular entry (key value 1)");
    }
    let many = if many.is_empty() { one.clone() } else { many };
    Ok([one, many])
}

/// Names of ranges, for each number in them.
fn ranges(args: &Args<'_>, number: usize, values: &Table) -> Result<Vec<(u64, String)>> {
    let mut names = Vec::new();
    for entry in values.pairs::<Value, Value>() {
        let Value::Table(range) = entry?.1 else {
            return args.wrong(number, "All values of a table used as a range_string must be tables");
        };
        let [first, last, name] = [1, 2, 3].map(|at| range.get::<Value>(at).unwrap_or(Value::Nil));
        let (Some(first), Some(last)) = (integer(&first), integer(&last)) else {
            return args.wrong(number, "First two elements of a range string value must be integers");
        };
        let Some(name) = text(&name) else {
            return args.wrong(number, "Third element of a range string value must be a string");
        };
        // Longer ranges are named at their ends.
        let last_listed = if last.saturating_sub(first) < RANGE { last } else { first };
        names.extend((first..=last_listed).map(|value| (value.cast_unsigned(), name.clone())));
        if last_listed < last {
            names.push((last.cast_unsigned(), name));
        }
    }
    Ok(names)
}

/// Registers a field.
fn finish(args: &Args<'_>, declared: Declared, meanings: Meanings) -> Result<ProtoField> {
    let Some(mut world) = args.lua.app_data_mut::<World>() else { return fail(args.lua, "no script is loaded") };
    let id = world.fields.len();
    if id >= MOST {
        return fail(args.lua, format_args!("more than {MOST} fields"));
    }
    if world.clashes(&declared.abbrev, declared.of) {
        return args.wrong(1, "A field of an incompatible ftype with this abbrev already exists");
    }
    let about = if declared.about == declared.name { String::new() } else { declared.about.clone() };
    let field = tree_field(&declared, leak(&about), meanings.names);
    let Declared { of, number, base, .. } = declared;
    let Meanings { unit, truths, .. } = meanings;
    let owner = AtomicUsize::new(0);
    let mut all = FIELDS.write().unwrap_or_else(PoisonError::into_inner);
    let Some(handle) = u32::try_from(all.len()).ok().filter(|_| all.len() < handle::MOST) else {
        return fail(args.lua, "too many fields");
    };
    let made: &ScriptField = Box::leak(Box::new(ScriptField { id, handle, of, number, base, field, unit, truths, owner }));
    all.push(made);
    world.fields.push(made);
    Ok(ProtoField(made))
}

/// The field in trees.
fn tree_field(declared: &Declared, about: &'static str, names: Vec<(u64, String)>) -> &'static Field {
    let (abbrev, name, base) = (leak(&declared.abbrev), leak(&declared.name), declared.base & 0xff);
    let field = match declared.of {
        Type::None | Type::Protocol => Field::group(abbrev, name, about),
        Type::Bool => Field::bool(abbrev, name, about),
        Type::Char => Field::number(abbrev, name, about).character(),
        Type::Unsigned(size) if matches!(base, 2 | 5) => Field::number(abbrev, name, about).hex(2 * size),
        Type::Unsigned(_) | Type::Signed(_) | Type::FrameNumber => Field::number(abbrev, name, about),
        Type::Float | Type::Double => Field::float(abbrev, name, about),
        Type::RelativeTime => Field::float(abbrev, name, about).seconds(),
        Type::AbsoluteTime | Type::String | Type::Stringz | Type::Guid | Type::Oid | Type::RelOid => {
            Field::text(abbrev, name, about)
        }
        Type::Bytes | Type::CountedBytes | Type::Ipx | Type::SystemId | Type::Eui64 => Field::bytes(abbrev, name, about),
        Type::Ipv4 => Field::ipv4(abbrev, name, about),
        Type::Ipv6 => Field::ipv6(abbrev, name, about),
        Type::Ether => Field::mac(abbrev, name, about),
    };
    let layout = match (declared.of, base) {
        (Type::Unsigned(1..), 2 | 5) => Layout::Narrow,
        (Type::Float, _) => Layout::Digits(6),
        (Type::Double, _) => Layout::Digits(15),
        (Type::Bytes | Type::CountedBytes, 8) => Layout::Separated('.'),
        (Type::Bytes | Type::CountedBytes, 9) => Layout::Separated('-'),
        (Type::Bytes | Type::CountedBytes, 10) => Layout::Separated(':'),
        (Type::Bytes | Type::CountedBytes, 11) => Layout::Separated(' '),
        _ => Layout::Usual,
    };
    let names: Vec<(u64, &'static str)> = names.iter().map(|(value, name)| (*value, leak(name))).collect();
    Box::leak(Box::new(Field { names: Vec::leak(names), mask: declared.mask, layout, ..field }))
}

/// A text that lives as long as the program, as the fields that refer to it.
pub(super) fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl Type {
    /// The kind of values in trees.
    pub(super) fn kind(self) -> crate::tree::Kind {
        use crate::tree::Kind;
        match self {
            Type::None | Type::Protocol => Kind::Group,
            Type::Bool => Kind::Bool,
            Type::Char | Type::Unsigned(_) | Type::Signed(_) | Type::FrameNumber => Kind::Number,
            Type::Float | Type::Double | Type::RelativeTime => Kind::Float,
            Type::AbsoluteTime | Type::String | Type::Stringz | Type::Guid | Type::Oid | Type::RelOid => Kind::Text,
            Type::Bytes | Type::CountedBytes | Type::Ipx | Type::SystemId | Type::Eui64 => Kind::Bytes,
            Type::Ipv4 => Kind::Ipv4,
            Type::Ipv6 => Kind::Ipv6,
            Type::Ether => Kind::Mac,
        }
    }
}
