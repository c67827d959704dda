//! What a session has said of the world so far: where the map begins, who is who.

use super::game::Line;
use super::types::Name;
use std::collections::HashMap;

/// Tiles of a zone in a row, and zones between the corner of the map and its centre.
const ZONE: i64 = 8;
const TO_CENTRE: i64 = 6;

/// Indexes that players can have.
const MOST_PLAYERS: usize = 2048;

/// What is known.
#[derive(Default)]
pub struct World {
    /// The tile in the south-west of the map.
    corner: Option<(i64, i64)>,
    /// The zone that packets are about, from the corner.
    zone: Option<(i64, i64)>,
    /// The local player.
    pub own: Option<u16>,
    names: HashMap<u16, Name>,
    /// Players in the order in which they came into sight.
    pub players: Vec<u16>,
    /// NPCs likewise.
    pub npcs: Vec<u16>,
}

impl World {
    /// Remember what a packet says.
    pub fn take(&mut self, packet: &str, line: &Line<'_>) {
        let zone = || Some((line.number("zone_x")?, line.number("zone_y")?));
        match packet {
            "rebuild_normal" | "rebuild_region" => {
                self.corner = zone().map(|(x, y)| ((x - TO_CENTRE) * ZONE, (y - TO_CENTRE) * ZONE));
                self.zone = None;
            }
            "update_zone_full_follows" | "update_zone_partial_follows" => self.zone = zone(),
            "update_pid" => self.own = line.number("pid").and_then(|pid| u16::try_from(pid).ok()),
            _ => {}
        }
    }

    /// Packets are about this zone from here on.
    pub fn enter_zone(&mut self, zone: (Option<i64>, Option<i64>)) {
        self.zone = zone.0.zip(zone.1);
    }

    /// The tile of the world that `coord` says within the zone.
    pub fn tile(&self, coord: i64) -> Option<(i64, i64)> {
        let (x, y) = self.on_map(self.zone?)?;
        Some((x + (coord >> 4 & 7), y + (coord & 7)))
    }

    /// The tile of the world that lies so far from the corner of the map.
    pub fn on_map(&self, tile: (i64, i64)) -> Option<(i64, i64)> {
        let (x, y) = self.corner?;
        Some((x + tile.0, y + tile.1))
    }

    /// The name of a player, if an appearance said it.
    pub fn player(&self, index: i64) -> Option<Name> {
        self.names.get(&u16::try_from(index).ok()?).copied()
    }

    /// A player has this name.
    pub fn meet(&mut self, index: u16, name: Name) {
        if self.names.len() < MOST_PLAYERS || self.names.contains_key(&index) {
            self.names.insert(index, name);
        }
    }
}
