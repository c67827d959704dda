//! Tiles of the world.

use super::super::fields::{WORLD_LEVEL, WORLD_X, WORLD_Y};
use super::add;
use crate::wire::Wire;
use std::fmt;

/// Tiles per zone side, and zones from the corner of the map to its center.
const ZONE: i64 = 8;
const TO_CENTRE: i64 = 6;

/// Tiles per side of the world.
const SIDE: i64 = 1 << 14;

/// The tile of the southwest corner of a map around a zone.
pub fn corner(zone: i64) -> i64 {
    (zone - TO_CENTRE) * ZONE
}

/// A tile. It wraps at the ends of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tile {
    /// Level, 0 to 3.
    pub level: u8,
    /// Tiles eastward.
    pub x: u16,
    /// Tiles northward.
    pub z: u16,
}

impl Tile {
    /// The tile at these coordinates.
    pub fn at(level: i64, x: i64, z: i64) -> Tile {
        let within = |number: i64, side: i64| u16::try_from(number.rem_euclid(side)).unwrap_or_default();
        Tile { level: u8::try_from(level.rem_euclid(4)).unwrap_or_default(), x: within(x, SIDE), z: within(z, SIDE) }
    }

    /// The tile of a number with the level in bits 28 and 29, x in bits 14 to 27 and z below.
    pub fn unpacked(number: i64) -> Tile {
        Tile::at(number >> 28, number >> 14, number)
    }

    /// The tile so far away.
    pub fn moved(self, levels: i64, (dx, dz): (i64, i64)) -> Tile {
        Tile::at(i64::from(self.level) + levels, i64::from(self.x) + dx, i64::from(self.z) + dz)
    }

    /// Adds its coordinates to the tree.
    pub fn put(self, wire: &mut Wire<'_>) {
        add(wire, &WORLD_X, self.x);
        add(wire, &WORLD_Y, self.z);
        add(wire, &WORLD_LEVEL, self.level);
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.z)?;
        if self.level > 0 { write!(f, " level {}", self.level) } else { Ok(()) }
    }
}
