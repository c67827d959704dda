//! `ProtoExpert`: notes that scripts declare.

use super::args::Args;
use super::constants::{is_group, is_severity};
use super::field::leak;
use super::world::World;
use crate::tree::Field;
use mlua::{Lua, MetaMethod, Result, Table, UserData, UserDataMethods};

pub(super) const DEBUG: i64 = 0x0800_0000;
pub(super) const MALFORMED: i64 = 0x0700_0000;
pub(super) const UNDECODED: i64 = 0x0500_0000;
pub(super) const CHAT: i64 = 0x20_0000;
pub(super) const NOTE: i64 = 0x40_0000;
pub(super) const WARN: i64 = 0x60_0000;
pub(super) const ERROR: i64 = 0x80_0000;

/// Maximum number of declarations: they are never freed.
const MOST: usize = 16_384;

/// A declared note.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProtoExpert {
    pub(super) field: &'static Field,
    pub(super) text: &'static str,
    pub(super) group: i64,
    pub(super) severity: i64,
}

impl UserData for ProtoExpert {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| {
            let (abbr, text, group, severity) = (this.field.abbrev, this.text, this.group, this.severity);
            Ok(format!("ProtoExpert: ei=-1, hf=-2, abbr={abbr}, text={text}, group={group}, severity={severity}"))
        });
    }
}

/// Adds the class.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("new", lua.create_function(|lua, values| new(&Args::new(lua, "new", values)))?)?;
    super::sandbox::guard_class(lua, &class, "ProtoExpert")?;
    globals.set("ProtoExpert", class)
}

fn new(args: &Args<'_>) -> Result<ProtoExpert> {
    let (abbrev, text, group, severity) = (args.text(1)?, args.text(2)?, args.int(3)?, args.int(4)?);
    if abbrev.is_empty() {
        return args.wrong(1, "Empty field name abbrev");
    }
    if !abbrev.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')) {
        return args.wrong(1, "Invalid char in abbrev");
    }
    if !is_group(group) {
        return args.wrong(3, "Group must be one of expert.group.*");
    }
    if !is_severity(severity) {
        return args.wrong(4, "Severity must be one of expert.severity.*");
    }
    let too_many = |mut world: mlua::AppDataRefMut<'_, World>| {
        world.experts += 1;
        world.experts > MOST
    };
    if args.lua.app_data_mut::<World>().is_none_or(too_many) {
        return super::errors::fail(args.lua, format_args!("more than {MOST} expert infos"));
    }
    let (abbrev, text) = (leak(&abbrev), leak(&text));
    let make = match severity {
        ERROR => Field::broken,
        WARN | NOTE => Field::odd,
        _ => Field::info,
    };
    let field = Box::leak(Box::new(make(abbrev, text, text)));
    Ok(ProtoExpert { field, text, group, severity })
}

/// The note of an argument that is a declaration, for the list of a protocol.
pub(super) fn field_of(value: &mlua::Value) -> Option<&'static Field> {
    value.as_userdata()?.borrow::<ProtoExpert>().ok().map(|expert| expert.field)
}
