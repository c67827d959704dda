//! World state of a session: map origin, players and NPCs.

use super::reader::Line;
use super::types::Name;
use std::collections::HashMap;

/// Tiles per zone side, and zones from the map corner to its center.
const ZONE: i64 = 8;
const TO_CENTRE: i64 = 6;

/// Maximum number of player indices.
const MOST_PLAYERS: usize = 2048;

/// World state.
#[derive(Default)]
pub struct World {
    /// Southwest tile of the map.
    corner: Option<(i64, i64)>,
    /// Current zone, relative to the corner.
    zone: Option<(i64, i64)>,
    /// Index of the local player.
    pub own: Option<u16>,
    names: HashMap<u16, Name>,
    /// Tracked players in order of addition.
    pub players: Vec<u16>,
    /// Tracked NPCs in order of addition.
    pub npcs: Vec<u16>,
}

impl World {
    /// Updates the state from a packet.
    pub fn take(&mut self, packet: &str, line: &Line) {
        let zone = || Some((line.number("zone_x")?, line.number("zone_y").or_else(|| line.number("zone_z"))?));
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

    /// Sets the southwest tile of the map.
    pub fn move_to(&mut self, corner: (i64, i64)) {
        if self.corner != Some(corner) {
            (self.corner, self.zone) = (Some(corner), None);
        }
    }

    /// Sets the current zone.
    pub fn enter_zone(&mut self, zone: (Option<i64>, Option<i64>)) {
        self.zone = zone.0.zip(zone.1);
    }

    /// Absolute tile of a `coord` within the zone.
    pub fn tile(&self, coord: i64) -> Option<(i64, i64)> {
        let (x, y) = self.on_map(self.zone?)?;
        Some((x + (coord >> 4 & 7), y + (coord & 7)))
    }

    /// Absolute tile of an offset from the map corner.
    pub fn on_map(&self, tile: (i64, i64)) -> Option<(i64, i64)> {
        let (x, y) = self.corner?;
        Some((x + tile.0, y + tile.1))
    }

    /// Name of a player, from an earlier appearance.
    pub fn player(&self, index: i64) -> Option<Name> {
        self.names.get(&u16::try_from(index).ok()?).copied()
    }

    /// Records the name of a player.
    pub fn meet(&mut self, index: u16, name: Name) {
        if self.names.len() < MOST_PLAYERS || self.names.contains_key(&index) {
            self.names.insert(index, name);
        }
    }
}
