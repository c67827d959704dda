//! Wire types: name, width and decoder.
//!
//! One list for all revisions; [`super::tables`] define where each is used.

mod appearance;
mod composite;
mod encodings;
mod number;
mod read;
mod script;
mod smart;
#[cfg(test)]
mod tests;

use crate::tree::{Field, Kind, NodeRef, Value};
pub use composite::{Look, Slots, Steps, palette};
pub use encodings::{Cp1252, Name, Packed, Turn};
use number::{I32, NUMBERS, Number, U8};
pub use read::{Decoded, ValueContext, text};
pub use script::Script;
pub use smart::{Read, SMARTS, Smart};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// String terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Line feed.
    LineFeed,
    /// NUL.
    Nul,
    /// NUL, with another NUL in front as version.
    Versioned,
    /// NUL; a single NUL is null.
    OrNull,
    /// Two-byte length prefix.
    Counted,
}

/// Wire type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Fixed-width integer.
    Number(Number),
    /// Component ID: the interface in the upper half.
    Component(Number),
    /// Variable-width integer.
    Smart(Smart),
    /// Big-endian single-precision number.
    Float,
    /// Base-37 name.
    Name,
    /// String.
    Text(Ending),
    /// Remaining bytes.
    Bytes,
    /// Remaining bytes as nibble-packed chat text.
    Packed(Turn),
    /// Huffman-coded chat text.
    Coded,
    /// Array of numbers, up to the end without a count.
    Row(Number, Option<usize>),
    /// Array of names, up to the end.
    Names,
    /// Walk steps.
    Steps(Steps),
    /// Click on the minimap.
    MinimapClick,
    /// Mouse click.
    MouseClick,
    /// Mouse movements.
    MouseMoves,
    /// Hint arrow.
    HintArrow,
    /// Source zones of a constructed region.
    Palette,
    /// CRCs of map files.
    RegionCrcs,
    /// Packets about one zone.
    ZonePackets,
    /// Inventory slots.
    Slots(Slots),
    /// Player appearance.
    Appearance(Look),
    /// Player update.
    PlayerInfo,
    /// NPC update.
    NpcInfo,
    /// Position of the local player, and regions of all others.
    PlayersInit,
    /// Source zones of a world entity, whose size is in an earlier packet.
    EntityPalette,
    /// Results of a reflection check: all but the last four bytes.
    Reflection,
    /// Player update of Old School RuneScape.
    PlayerInfoOsrs,
    /// NPC update of Old School RuneScape, of near NPCs or of far ones.
    NpcInfoOsrs(Reach),
}

/// Maximum distance of new NPCs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Near.
    Small,
    /// Far.
    Large,
}

/// Types other than numbers and smarts, by name.
const OTHERS: &[(&str, Type)] = &[
    ("f32", Type::Float),
    ("name37", Type::Name),
    ("com32", Type::Component(I32)),
    ("jstr", Type::Text(Ending::LineFeed)),
    ("jstr0", Type::Text(Ending::Nul)),
    ("jstr2", Type::Text(Ending::Versioned)),
    ("jstrnull", Type::Text(Ending::OrNull)),
    ("strraw", Type::Text(Ending::Counted)),
    ("bytes", Type::Bytes),
    ("opaque", Type::Bytes),
    ("packed_text", Type::Packed(Turn::No)),
    ("packed_text_rev", Type::Packed(Turn::Reversed)),
    ("packed_text_add", Type::Packed(Turn::Added)),
    ("packed_text_rev_add", Type::Packed(Turn::ReversedAdded)),
    ("packed_text_huffman", Type::Coded),
    ("name37[]", Type::Names),
    ("steps", Type::Steps(Steps { negated: false })),
    ("steps_377", Type::Steps(Steps { negated: true })),
    ("minimap_click", Type::MinimapClick),
    ("mouse_click", Type::MouseClick),
    ("mouse_moves", Type::MouseMoves),
    ("hint_arrow", Type::HintArrow),
    ("palette", Type::Palette),
    ("region_crcs", Type::RegionCrcs),
    ("zone_packets", Type::ZonePackets),
    ("inv_full_225", Type::Slots(Slots::Full225)),
    ("inv_partial_225", Type::Slots(Slots::Partial225)),
    ("inv_full_317", Type::Slots(Slots::Full317)),
    ("inv_partial_317", Type::Slots(Slots::Partial317)),
    ("inv_full_377", Type::Slots(Slots::Full377)),
    ("inv_partial_377", Type::Slots(Slots::Partial317)),
    ("appearance", Type::Appearance(Look { reversed: false, skull: false })),
    ("appearance_377", Type::Appearance(Look { reversed: true, skull: true })),
    ("player_info", Type::PlayerInfo),
    ("npc_info", Type::NpcInfo),
    ("gpi_init", Type::PlayersInit),
    ("palette_entity", Type::EntityPalette),
    ("reflection_results", Type::Reflection),
    ("player_info_osrs", Type::PlayerInfoOsrs),
    ("npc_info_small_osrs", Type::NpcInfoOsrs(Reach::Small)),
    ("npc_info_large_osrs", Type::NpcInfoOsrs(Reach::Large)),
];

/// Alternative type names, in lower case.
const ALIASES: &[(&str, &str)] = &[
    ("byte", "u8"),
    ("word", "u16"),
    ("short", "i16"),
    ("tribyte", "u24"),
    ("3byte", "u24"),
    ("int3", "u24"),
    ("medium", "u24"),
    ("rgbcolour", "u24"),
    ("dword", "i32"),
    ("int", "i32"),
    ("int32", "i32"),
    ("qword", "i64"),
    ("long", "i64"),
    ("int64", "i64"),
    ("special_a", "u8_add"),
    ("special_c", "u8_neg"),
    ("special_s", "u8_sub"),
    ("middle_endian_small_int", "i32_me"),
    ("middle_endian_big_int", "i32_ime"),
    ("smarts", "usmart"),
    ("spacesavera", "usmart"),
    ("spacesaverb", "ssmart"),
    ("string", "jstr"),
    ("str", "jstr"),
    ("strbyte", "jstr"),
    ("rs_string", "jstr"),
    ("java_string", "strraw"),
];

/// Alternative byte orders of component IDs.
const COMPONENTS: &[(&str, &str)] = &[("com32_le", "i32_le"), ("com32_me", "i32_me"), ("com32_ime", "i32_ime")];

impl Type {
    /// Canonical name of a type: `u16` for `word`.
    pub fn usual_name(name: &str) -> Cow<'_, str> {
        let usual = |name: &str| ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map(|(_, usual)| *usual);
        if let Some(usual) = usual(name) {
            return usual.into();
        }
        match name.split_once('[').and_then(|(each, count)| Some((usual(each)?, count))) {
            Some((each, count)) => format!("{each}[{count}").into(),
            None => name.into(),
        }
    }

    /// All alternative type names.
    pub fn aliases() -> impl Iterator<Item = &'static str> {
        ALIASES.iter().map(|(alias, _)| *alias)
    }

    /// Returns the type of a name: `u16_add`, `jstr`, `u8[7]`.
    pub fn named(name: &str) -> Option<Type> {
        let number = |name: &str| NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        if let Some(number) = number(name) {
            return Some(Type::Number(number));
        }
        if let Some((_, smart)) = SMARTS.iter().find(|(known, _)| *known == name) {
            return Some(Type::Smart(*smart));
        }
        if let Some((_, other)) = OTHERS.iter().find(|(known, _)| *known == name) {
            return Some(*other);
        }
        if let Some((_, order)) = COMPONENTS.iter().find(|(known, _)| *known == name) {
            return number(order).map(Type::Component);
        }
        let (each, count) = name.strip_suffix(']')?.split_once('[')?;
        let count = if count.is_empty() { None } else { Some(count.parse().ok().filter(|count| *count > 0)?) };
        Some(Type::Row(number(each)?, count))
    }

    /// All type names except arrays.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let numbers = NUMBERS.iter().map(|(name, _)| *name);
        let smarts = SMARTS.iter().map(|(name, _)| *name);
        let others = OTHERS.iter().map(|(name, _)| *name);
        numbers.chain(smarts).chain(others).chain(COMPONENTS.iter().map(|(name, _)| *name))
    }

    /// Width in bytes, if fixed.
    pub fn width(self) -> Option<usize> {
        Some(match self {
            Type::Number(number) | Type::Component(number) => number.width(),
            Type::Float | Type::MouseClick => 4,
            Type::Name => 8,
            Type::Row(number, Some(count)) => number.width().saturating_mul(count),
            Type::MinimapClick => 14,
            Type::HintArrow => 6,
            _ => return None,
        })
    }

    /// Kind of the field's values.
    pub fn kind(self) -> Kind {
        match self {
            Type::Number(_) | Type::Component(_) | Type::Smart(_) => Kind::Number,
            Type::Float => Kind::Float,
            Type::Name | Type::Text(_) | Type::Packed(_) | Type::Coded => Kind::Text,
            Type::Bytes => Kind::Bytes,
            Type::Row(number, Some(_)) if number == U8 => Kind::Bytes,
            _ => Kind::Group,
        }
    }

    /// Creates a field for values of this type.
    pub fn field(self, abbrev: &'static str, name: &'static str, about: &'static str) -> Field {
        let field = match self.kind() {
            Kind::Float => Field::float(abbrev, name, about),
            Kind::Text => Field::text(abbrev, name, about),
            Kind::Bytes => Field::bytes(abbrev, name, about),
            Kind::Group => Field::group(abbrev, name, about),
            _ => Field::number(abbrev, name, about),
        };
        match self {
            Type::Number(number) if number.is_plain() => field,
            Type::Component(number) if number.is_plain() => field.collapsed(plain_value, component_meaning),
            Type::Component(_) => field.transformed().collapsed(plain_value, component_meaning),
            Type::Number(_) | Type::Smart(_) | Type::Name | Type::Packed(_) | Type::Coded => field.transformed(),
            _ => field,
        }
    }
}

fn plain_value(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.value() {
        Value::Signed(number) => write!(out, "{number}"),
        Value::Unsigned(number) => write!(out, "{number}"),
        _ => Ok(()),
    }
}

/// Writes a component ID as interface and index.
fn component_meaning(node: NodeRef<'_>, out: &mut dyn Write) -> fmt::Result {
    match node.value() {
        Value::Signed(number) => write!(out, "{}:{}", number >> 16 & 0xffff, number & 0xffff),
        _ => Ok(()),
    }
}
