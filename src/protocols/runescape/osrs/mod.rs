//! Old School RuneScape: worlds, players and NPCs over time, and the packets that need them.
//!
//! Players have an index for the whole session, NPCs one for each world. Updates contain changes only, so the state is kept here:
//! positions and names. World -1 is the ground, the others are world entities (ships).

mod blocks;
pub mod journal;
mod npcs;
mod players;
mod reflection;
mod tiles;

use super::fields::*;
use super::reader::{Line, Reader};
use super::tables::{Entity, Layout};
use super::types::{Reach, Type, palette};
use crate::tree::{Field, Side, Value};
use crate::wire::{Result, Wire};
use journal::Journal;
use npcs::Npc;
use players::Players;
use reflection::Checks;
use std::collections::HashMap;
use std::fmt;
pub use tiles::Tile;

/// The ground.
const ROOT: i64 = -1;

/// Maximum number of worlds, and of players.
const MOST_WORLDS: usize = 4096;
const MOST_PLAYERS: usize = 2048;

/// Maximum number of lists of players: one for the ground and one for each of 25 entities in sight, and some to spare.
const MOST_LISTS: usize = 32;

/// Maximum characters kept of a name.
const MOST_NAME: usize = 64;

/// Last revision in which each world has separate players.
const PLAYERS_BY_WORLD: u16 = 224;

/// First revision in which entities count from 1 and 0 is the ground.
const FROM_ONE: u16 = 237;

/// Bytes of a key of a map, in packets whose zones come before the keys.
const KEY: i64 = 16;

/// State of a world.
#[derive(Default)]
struct World {
    /// Southwest tile of the map.
    corner: Option<(i64, i64)>,
    /// Tile that new NPCs are counted from, relative to the corner.
    origin: (i64, i64),
    /// Size in zones, of a world entity.
    zones: Option<(usize, usize)>,
    /// Indices of known NPCs in order of addition; `None` if they were added before the capture.
    npcs: Vec<Option<u16>>,
    known: HashMap<u16, Npc>,
}

/// State of a session.
#[derive(Default)]
pub struct Osrs {
    /// Index of the local player.
    pub own: Option<u16>,
    active: Option<i64>,
    /// Level of the active world.
    level: i64,
    worlds: HashMap<i64, World>,
    players: HashMap<i64, Players>,
    /// Players of the packet that is read.
    begun: Option<Players>,
    names: HashMap<u16, Box<str>>,
    /// Movements for the summary: player, kind, destination.
    moves: Vec<(u16, &'static str, Option<Tile>)>,
    /// Entities with extended information, in order.
    updated: Vec<Option<u16>>,
    checks: Checks,
    /// Exportable objects of the session.
    pub journal: Journal,
}

impl Osrs {
    /// Starts a session in which the local player has this index, if known.
    pub fn new(own: Option<u16>) -> Osrs {
        Osrs { own, ..Osrs::default() }
    }

    /// Approximate heap size in bytes.
    pub fn memory_usage(&self) -> usize {
        let npcs: usize =
            self.worlds.values().map(|world| world.npcs.capacity() * 4 + world.known.capacity() * size_of::<Npc>()).sum();
        self.players.len() * MOST_PLAYERS * players::SIZE + self.names.len() * MOST_NAME + npcs + self.journal.memory_usage()
    }

    fn active(&self) -> i64 {
        self.active.unwrap_or(ROOT)
    }

    fn world(&mut self, index: i64) -> &mut World {
        if self.worlds.len() >= MOST_WORLDS && !self.worlds.contains_key(&index) {
            self.worlds.clear();
        }
        self.worlds.entry(index).or_default()
    }

    /// The world whose players an update changes.
    fn world_of_players(&self, revision: u16) -> i64 {
        if revision <= PLAYERS_BY_WORLD { self.active() } else { ROOT }
    }

    /// The name of a player, from an earlier appearance.
    pub fn name(&self, index: u16) -> Option<&str> {
        self.names.get(&index).map(AsRef::as_ref)
    }

    /// Records the name of a player.
    fn meet(&mut self, index: u16, name: &str) {
        if usize::from(index) >= MOST_PLAYERS || self.name(index) == Some(name) {
            return;
        }
        self.names.insert(index, name.chars().take(MOST_NAME).collect::<String>().into());
    }

    /// The tile of a player, if it is near.
    fn player_tile(&self, revision: u16, index: u16) -> Option<Tile> {
        self.players.get(&self.world_of_players(revision))?.tile(index)
    }

    /// Name of a player for summaries.
    fn called(&self, index: u16) -> Called<'_> {
        Called { name: self.name(index), index }
    }

    /// Updates the state from a packet. Returns the corner of the active map, if it may have changed.
    pub fn take(&mut self, revision: u16, packet: &str, line: &Line) -> Option<(i64, i64)> {
        let number = |name| line.number(name);
        let base = |packet: &str| packet.rsplit_once("_v").map_or(packet.len(), |(name, _)| name.len());
        let begun = self.begun.take();
        match packet.get(..base(packet)).unwrap_or(packet) {
            "rebuild_normal" | "rebuild_region" | "reconnect" => {
                if let Some(players) = begun {
                    self.players.insert(ROOT, players);
                }
                if let (Some(x), Some(z)) = (number("zone_x"), number("zone_z")) {
                    self.world(ROOT).corner = Some((tiles::corner(x), tiles::corner(z)));
                }
            }
            "rebuild_worldentity" => {
                let index = number("index").unwrap_or(self.active());
                if let Some(players) = begun
                    && (self.players.len() < MOST_LISTS || self.players.contains_key(&index))
                {
                    self.players.insert(index, players);
                }
                if let (Some(x), Some(z)) = (number("base_x"), number("base_z")) {
                    let is_zone = packet.ends_with("_v1") || packet.ends_with("_v2");
                    let corner = if is_zone { (tiles::corner(x), tiles::corner(z)) } else { (x, z) };
                    self.world(index).corner = Some(corner);
                }
            }
            "set_active_world" => {
                let index = number("index").unwrap_or(ROOT);
                let is_root = number("type") == Some(0) || revision >= FROM_ONE && index == 0;
                self.active = Some(if is_root { ROOT } else { index });
                self.level = number("active_level").unwrap_or_default();
            }
            "reflection_checker" => self.checks.ask(number("id").unwrap_or_default()),
            "set_npc_update_origin" => {
                if let (Some(x), Some(z)) = (number("origin_x"), number("origin_z")) {
                    let active = self.active();
                    self.world(active).origin = (x, z);
                }
            }
            _ => return None,
        }
        self.worlds.get(&self.active())?.corner
    }
}

/// A player in a summary: its name, or its index.
struct Called<'n> {
    name: Option<&'n str>,
    index: u16,
}

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.write_str(name),
            None => write!(f, "player {}", self.index),
        }
    }
}

/// Reads a value that needs the state of the session.
///
/// # Errors
/// If the bytes end early or do not fit the state.
pub fn read(reader: &mut Reader<'_>, wire: &mut Wire<'_>, field: &'static Field, of: Type) -> Result {
    match of {
        Type::PlayerInfoOsrs => players::info(reader, wire),
        Type::NpcInfoOsrs(reach) => npcs::info(reader, wire, reach == Reach::Large),
        Type::Reflection => {
            let id = reader.line.number("id");
            reader.game.osrs.checks.results(wire, field, id)
        }
        Type::PlayersInit => {
            let own = reader.game.osrs.own;
            let players = wire.group(field, |wire| players::begin(wire, own))?;
            let tile = own.zip(players.as_ref()).and_then(|(own, players)| Some((own, players.tile(own)?)));
            if let Some((own, tile)) = tile
                && wire.wants_objects()
            {
                reader.game.osrs.journal.record_position(wire.completed().1, own, tile);
            }
            reader.game.osrs.begun = players;
            Ok(())
        }
        _ => {
            let osrs = &mut reader.game.osrs;
            let active = osrs.active();
            match osrs.world(active).zones {
                Some((width, length)) => wire.group(field, |wire| palette(wire, width, length)),
                None => {
                    let keys = reader.line.number("key_count").unwrap_or_default().saturating_mul(KEY);
                    let keys = usize::try_from(keys).unwrap_or_default();
                    wire.note_ahead(&NEEDS_SIZE, format_args!("the size of the world entity was sent before the capture"));
                    wire.bytes(&PAYLOAD, wire.remaining().saturating_sub(keys)).map(drop)
                }
            }
        }
    }
}

/// Packets about tiles of one zone, each with its own number.
pub fn zone_packets(reader: &mut Reader<'_>, wire: &mut Wire<'_>) -> Result {
    let zone = (reader.line.number("zone_x"), reader.line.number("zone_z"));
    reader.game.world.enter_zone(zone);
    let info = reader.table.info.clone();
    while let Some(number) = wire.ahead().first() {
        let row = info.as_ref().and_then(|info| info.zones.get(usize::from(*number))?.clone());
        let Some(row) = row else {
            wire.note_ahead(&MALFORMED, format_args!("no zone packet has the number {number}"));
            return wire.rest_is(&PAYLOAD);
        };
        wire.group(&INNER, |wire| {
            wire.u8(&ZONE_NUMBER)?;
            wire.add_text(&PACKET, format_args!("{}", row.name));
            reader.inner(wire, &row.layout)
        })?;
        reader.line.event(format_args!("{}", row.name));
    }
    Ok(())
}

/// Stores the values of one element of a repeated group, whose scope is still open.
pub fn after_turn(reader: &mut Reader<'_>, name: &str, layout: &Layout) {
    if !reader.is_outermost() {
        return;
    }
    match name {
        "objs" if reader.line.wants_texts => {
            let number = |name| reader.named(layout, name);
            let Some(item) = number("obj").filter(|obj| *obj > 0).map(|obj| obj - 1) else { return };
            let count = number("count_long").or(number("count")).unwrap_or(1);
            match number("slot") {
                Some(slot) => reader.line.event(format_args!("slot {slot}: {count} × {item}")),
                None => reader.line.event(format_args!("{count} × {item}")),
            }
        }
        "checks" if reader.packet == "reflection_checker" => {
            if let Some(kind) = reader.named(layout, "type") {
                reader.game.osrs.checks.add(kind);
            }
        }
        "new" if reader.packet.starts_with("worldentity_info") => {
            let number = |name| reader.named(layout, name);
            let narrow = |number: i64| usize::try_from(number).ok();
            let size = match number("size") {
                Some(size) => Some((size >> 4, size & 15)),
                None => number("size_x").zip(number("size_z")),
            };
            let size = size.and_then(|(x, z)| Some((narrow(x)?, narrow(z)?)));
            if let (Some(index), Some(size)) = (number("index"), size) {
                reader.game.osrs.world(index).zones = Some(size);
            }
        }
        _ => {}
    }
}

/// Adds known properties of the player, NPC or tile with this number.
pub fn explain(reader: &mut Reader<'_>, wire: &mut Wire<'_>, name: &str, number: i64) {
    let (osrs, revision) = (&reader.game.osrs, reader.table.revision.number);
    match (name, entity(reader.packet)) {
        ("coord_grid", _) if number >= 0 => Tile::unpacked(number).put(wire),
        ("index", Some(Entity::Player)) => {
            let Ok(index) = u16::try_from(number) else { return };
            if let Some(name) = osrs.name(index) {
                wire.add_text(&PLAYER_NAME, format_args!("{name}"));
            }
            if let Some(tile) = osrs.player_tile(revision, index) {
                tile.put(wire);
            }
        }
        ("index", Some(Entity::Npc)) => {
            let Ok(index) = u16::try_from(number) else { return };
            if let Some(npc) = osrs.worlds.get(&osrs.active()).and_then(|world| world.known.get(&index)) {
                npc.put(wire);
            }
        }
        _ => {}
    }
}

/// The kind of entity that an index in this packet identifies.
fn entity(packet: &str) -> Option<Entity> {
    let starts = |heads: &[&str]| heads.iter().any(|head| packet.starts_with(head));
    if starts(&["opplayer", "player_"]) {
        Some(Entity::Player)
    } else if starts(&["opnpc", "npc_", "if_setnpchead_active"]) {
        Some(Entity::Npc)
    } else {
        None
    }
}

/// Adds the name of the local player to a message that its client sends, and records messages.
pub fn spoken(osrs: &mut Osrs, wire: &mut Wire<'_>, (packet, from): (&str, Side), line: &mut Line) {
    if !packet.starts_with("message_") {
        return;
    }
    let own = osrs.own.filter(|_| from == Side::Client && packet == "message_public");
    if let Some(name) = own.and_then(|own| osrs.name(own)) {
        wire.add_text(&PLAYER_NAME, format_args!("{name}"));
        line.speak(name);
    }
    if !wire.wants_objects() {
        return;
    }
    let Some(message) = line.text("message") else { return };
    let speaker = ["sender", "name", "recipient"].into_iter().find_map(|name| line.text(name));
    let speaker = speaker.or_else(|| osrs.names.get(&own?).map(AsRef::as_ref));
    let channel = packet.trim_start_matches("message_");
    osrs.journal.say(wire.completed().1, channel, speaker, message);
}

/// Adds the number of a tile, a player or an NPC.
fn add(wire: &mut Wire<'_>, field: &'static Field, number: impl Into<i64>) {
    wire.add(field, Value::Signed(number.into()));
}
