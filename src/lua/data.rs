//! Dissectors of this program, called by scripts.

use super::buffer::Tvb;
use super::call::{Content, Item, Kind};
use super::errors::expected;
use super::handle::Object;
use super::item::TreeItem;
use super::world::World;
use crate::wire::data::{BYTES, DATA};
use mlua::{Lua, Result, Value};

/// Adds the bytes of a buffer, which a dissector of this program reads. Returns their number.
pub(super) fn embed(lua: &Lua, name: &'static str, tvb: Tvb, tree: &Value) -> Result<i64> {
    let is_header = lua.app_data_ref::<World>().is_some_and(|world| (world.surroundings.is_header)(name));
    if is_header {
        super::world::remark(lua, format!("the dissector of {name} is not called from scripts; its bytes are data"));
        return add(lua, tvb, tree);
    }
    let Some(item) = TreeItem::of(tree) else { return expected(lua, 3, "call", "TreeItem", tree) };
    item.alive(lua, |_| ())?;
    super::call::may_add(lua, item.item)?;
    super::budget::spend(lua, 1000 + tvb.place.len as usize)?;
    item.put(Item::new(Kind::Embedded(name), Content::None, Some(tvb.place)));
    Ok(i64::from(tvb.place.len))
}

/// Adds the bytes of a buffer as data. Returns their number.
pub(super) fn add(lua: &Lua, tvb: Tvb, tree: &Value) -> Result<i64> {
    let Some(item) = TreeItem::of(tree) else { return expected(lua, 3, "call", "TreeItem", tree) };
    item.alive(lua, |_| ())?;
    super::call::may_add(lua, item.item)?;
    let layer = item.put(Item::new(Kind::Protocol(&DATA), Content::None, Some(tvb.place)));
    layer.put(Item::new(Kind::Other(&BYTES), Content::Bytes(tvb.place), Some(tvb.place)));
    Ok(i64::from(tvb.place.len))
}
