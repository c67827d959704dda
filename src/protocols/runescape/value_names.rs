//! Value names, and summaries of groups.

use super::fields::*;
use crate::tree::{Field, Names, NodeRef, Value, are_sorted};
use std::fmt::{self, Write};

pub const SERVICES: Names = &[(14, "game login"), (15, "update"), (16, "login"), (17, "start-up files"), (18, "reconnect")];
pub const LOGINS: Names = &[(16, "new"), (18, "reconnect")];
pub const DETAIL: Names = &[(0, "high detail"), (1, "low detail")];
pub const RIGHT: Names = &[(0, "player"), (1, "player moderator"), (2, "administrator")];
pub const RESPONSES: Names = &[
    (0, "go on"),
    (1, "try again in 2 s"),
    (2, "logged in"),
    (3, "wrong name or password"),
    (4, "account disabled"),
    (5, "already logged in"),
    (6, "client out of date"),
    (7, "world full"),
    (8, "login server offline"),
    (9, "too many connections from this address"),
    (10, "bad session id"),
    (11, "login server rejected the session"),
    (12, "members account needed"),
    (13, "could not complete login"),
    (14, "server being updated"),
    (15, "reconnected"),
    (16, "too many attempts"),
    (17, "standing in a members area"),
    (18, "logged in as moderator, or account locked"),
    (19, "logged in as administrator, or full screen is for members"),
    (20, "wrong login server"),
    (21, "just left another world"),
    (22, "malformed login packet"),
    (23, "no reply from login server"),
    (24, "error loading profile"),
    (25, "unexpected login server reply"),
    (26, "address blocked"),
    (27, "service unavailable"),
    (29, "refused by script"),
    (30, "client for members only"),
    (69, "proof of work wanted"),
    (101, "switch world"),
];
pub const ARROWS: Names = &[
    (1, "NPC"),
    (2, "centre of a tile"),
    (3, "west of a tile"),
    (4, "east of a tile"),
    (5, "south of a tile"),
    (6, "north of a tile"),
    (10, "player"),
    (255, "none"),
];
pub const MOVES: Names = &[(0, "update only"), (1, "walk"), (2, "run"), (3, "teleport or remove")];
pub const DIRECTIONS: Names = &[
    (0, "north-west"),
    (1, "north"),
    (2, "north-east"),
    (3, "west"),
    (4, "east"),
    (5, "south-west"),
    (6, "south"),
    (7, "south-east"),
];
pub const NEAR_MOVES: Names = &[(0, "stays or leaves"), (1, "walks"), (2, "runs"), (3, "jumps")];
pub const FAR_MOVES: Names = &[(0, "appears"), (1, "changes level"), (2, "changes region"), (3, "changes region far")];
pub const NPC_MOVES: Names = &[(0, "update only"), (1, "walks"), (2, "runs or crawls"), (3, "is removed")];
pub const WALKS: Names = &[
    (0, "south-west"),
    (1, "south"),
    (2, "south-east"),
    (3, "west"),
    (4, "east"),
    (5, "north-west"),
    (6, "north"),
    (7, "north-east"),
];
pub const STORES: Names = &[(0, "models"), (1, "animations"), (2, "music"), (3, "maps")];
pub const PRIORITIES: Names = &[(0, "preload in game"), (1, "preload before login"), (2, "needed now"), (10, "keep-alive")];
pub const JS5_MESSAGES: Names =
    &[(0, "prefetch"), (1, "urgent"), (2, "logged in"), (3, "logged out"), (4, "key"), (6, "connected"), (7, "disconnect")];
pub const COMPRESSIONS: Names = &[(0, "none"), (1, "bzip2"), (2, "gzip"), (3, "lzma")];

const STATS: Names = &[
    (0, "attack"),
    (1, "defence"),
    (2, "strength"),
    (3, "hitpoints"),
    (4, "ranged"),
    (5, "prayer"),
    (6, "magic"),
    (7, "cooking"),
    (8, "woodcutting"),
    (9, "fletching"),
    (10, "fishing"),
    (11, "firemaking"),
    (12, "crafting"),
    (13, "smithing"),
    (14, "mining"),
    (15, "herblore"),
    (16, "agility"),
    (17, "thieving"),
    (18, "slayer"),
    (19, "farming"),
    (20, "runecraft"),
];
pub const CHAT_COLOURS: Names = &[
    (0, "yellow"),
    (1, "red"),
    (2, "green"),
    (3, "cyan"),
    (4, "purple"),
    (5, "white"),
    (6, "flash1"),
    (7, "flash2"),
    (8, "flash3"),
    (9, "glow1"),
    (10, "glow2"),
    (11, "glow3"),
];
pub const CHAT_EFFECTS: Names = &[(0, "none"), (1, "wave"), (2, "wave2"), (3, "shake"), (4, "scroll"), (5, "slide")];
const HITS: Names = &[(0, "blocked"), (1, "damage"), (2, "poison"), (3, "disease")];
const PUBLIC: Names = &[(0, "on"), (1, "friends"), (2, "off"), (3, "hide")];
const OTHER_CHAT: Names = &[(0, "on"), (1, "friends"), (2, "off")];
const FRIEND_LIST: Names = &[(0, "loading"), (1, "connecting"), (2, "ready")];
const MINIMAP: Names = &[(0, "normal"), (1, "no clicking"), (2, "blacked out")];
const STAFF: Names = &[(0, "player"), (1, "player moderator"), (2, "staff"), (3, "staff")];

/// Value names by packet and field.
const OF_PACKETS: &[(&str, Names)] = &[
    ("update_stat.stat", STATS),
    ("update_stat_v2.stat", STATS),
    ("message_public.colour", CHAT_COLOURS),
    ("message_public.effect", CHAT_EFFECTS),
    ("message_private.rights", STAFF),
    ("chat_filter_settings.public", PUBLIC),
    ("chat_filter_settings.private", OTHER_CHAT),
    ("chat_filter_settings.trade", OTHER_CHAT),
    ("chat_setmode.public", PUBLIC),
    ("chat_setmode.private", OTHER_CHAT),
    ("chat_setmode.trade", OTHER_CHAT),
    ("friendlist_loaded.status", FRIEND_LIST),
    ("minimap_toggle.state", MINIMAP),
    ("player_info.update.hit1.type", HITS),
    ("player_info.update.hit2.type", HITS),
    ("player_info.update.chat.rights", STAFF),
    ("player_info.update.chat.colour", CHAT_COLOURS),
    ("player_info.update.chat.effect", CHAT_EFFECTS),
    ("npc_info.update.hit1.type", HITS),
    ("npc_info.update.hit2.type", HITS),
];

const _: () = {
    let mut rest = OF_PACKETS;
    while let [(_, names), behind @ ..] = rest {
        assert!(are_sorted(names), "names are in the order of their numbers");
        rest = behind;
    }
};

/// Returns the value names of a packet field.
pub fn names_in(packet: &str, field: &str) -> Names {
    let fits = |name: &str| name.strip_prefix(packet).and_then(|rest| rest.strip_prefix('.')) == Some(field);
    OF_PACKETS.iter().find(|(name, _)| fits(name)).map_or(&[], |(_, names)| *names)
}

/// A value packed into another one.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Field of the value.
    pub field: &'static Field,
    /// Number of lower bits.
    pub shift: u8,
    /// Mask of the shifted value.
    pub mask: i64,
}

const fn part(field: &'static Field, shift: u8, mask: i64) -> Part {
    Part { field, shift, mask }
}

/// Packed values by the name of the containing field.
const PARTS: &[(&str, &[Part])] = &[
    ("coord", &[part(&IN_ZONE_X, 4, 7), part(&IN_ZONE_Y, 0, 7)]),
    ("coord_in_zone", &[part(&IN_ZONE_X, 4, 7), part(&IN_ZONE_Y, 0, 7)]),
    ("loc_info", &[part(&LOC_SHAPE, 2, 0x3f), part(&LOC_ANGLE, 0, 3)]),
    ("radius_loops", &[part(&RADIUS, 4, 15), part(&LOOPS, 0, 7)]),
    ("colour_effect", &[part(&CHAT_COLOUR, 8, 0xff), part(&CHAT_EFFECT, 0, 0xff)]),
    ("height_delay", &[part(&SPOT_HEIGHT, 16, 0xffff), part(&SPOT_DELAY, 0, 0xffff)]),
];

/// Red, green and blue of a component's color.
const RGB: &[Part] = &[part(&RED, 10, 31), part(&GREEN, 5, 31), part(&BLUE, 0, 31)];

/// Returns the values packed into a packet field.
pub fn parts(packet: &str, field: &str) -> &'static [Part] {
    if packet == "if_setcolour" && field == "colour" {
        return RGB;
    }
    PARTS.iter().find(|(name, _)| *name == field).map_or(&[], |(_, parts)| parts)
}

type Out<'o> = &'o mut dyn Write;

/// Writes the first two numbers of a group as a pair.
pub fn step_value(step: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let mut numbers = step.children().filter_map(|child| match child.value() {
        Value::Signed(number) => Some(number),
        _ => None,
    });
    match (numbers.next(), numbers.next()) {
        (Some(x), Some(y)) => write!(out, "{x:+}, {y:+}"),
        _ => Ok(()),
    }
}

pub fn move_value(step: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    if let (Some(x), Some(y)) = (step.child(&POINT_X), step.child(&POINT_Y)) {
        x.write_value(out)?;
        out.write_str(", ")?;
        return y.write_value(out);
    }
    if step.child(&MOVE_DX).is_none() {
        return out.write_str("outside");
    }
    step_value(step, out)
}

pub fn zone_value(zone: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let (Some(x), Some(y)) = (zone.child(&ZONE_X), zone.child(&ZONE_Y)) else { return Ok(()) };
    write!(out, "{}, {}", x.number().unwrap_or_default(), y.number().unwrap_or_default())
}

pub fn slot_value(slot: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    match slot.child(&SLOT_ITEM) {
        Some(item) => item.write_value(out),
        None => out.write_str("empty"),
    }
}

pub fn slot_meaning(slot: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let count = slot.child(&SLOT_MANY).or_else(|| slot.child(&SLOT_COUNT));
    let Some(count) = count.filter(|_| slot.child(&SLOT_ITEM).is_some()) else { return Ok(()) };
    out.write_str("× ")?;
    count.write_value(out)
}

/// Writes the player of a change: the name, or the index.
pub fn move_digest(change: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    match (change.child(&PLAYER_NAME), change.child(&PLAYER_INDEX)) {
        (Some(name), _) => write!(out, "{}", name.text()),
        (None, Some(index)) => index.write_value(out),
        (None, None) => Ok(()),
    }
}

/// Writes the change of a player, and the new tile.
pub fn move_meaning(change: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    let Some(kind) = change.child(&NEAR_MOVE).or_else(|| change.child(&FAR_MOVE)) else { return Ok(()) };
    kind.write_meaning(out)?;
    if let (Some(x), Some(y)) = (change.child(&WORLD_X), change.child(&WORLD_Y)) {
        out.write_str(" ")?;
        x.write_value(out)?;
        out.write_str(", ")?;
        y.write_value(out)?;
    }
    Ok(())
}

/// Writes the number of inactive players.
pub fn quiet_value(quiet: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    write!(out, "{}", quiet.child(&QUIET_COUNT).and_then(NodeRef::number).unwrap_or_default() + 1)
}

pub fn part_value(part: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    write!(out, "{}", part.number().unwrap_or_default())
}

pub fn part_meaning(part: NodeRef<'_>, out: Out<'_>) -> fmt::Result {
    match part.number().unwrap_or_default() {
        0 => out.write_str("nothing"),
        style @ 256..=511 => write!(out, "body style {}", style - 256),
        item @ 512.. => write!(out, "item {}", item - 512),
        _ => Ok(()),
    }
}
