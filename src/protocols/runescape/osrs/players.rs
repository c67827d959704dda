//! Players: `gpi_init` and the bits of `player_info`.
//!
//! ```text
//! gpi_init   own level:2 x:14 z:14 | for every other index, from 1: level:2 x:8 z:8 in units of 8192 tiles
//! pass       for each member that the pass before left: quiet 0 | how many more are quiet, or 1 | change
//! change     near: update:1 type:2 …     far: type:2 …
//! ```
//! The four passes are near players that were active in the previous packet, near inactive ones, far inactive ones, and far
//! active ones. Each pass starts at a byte.

use super::super::fields::*;
use super::super::reader::{Counts, Reader};
use super::super::tables::Entity;
use super::blocks::{self, used_up};
use super::{MOST_PLAYERS, Osrs, Tile, add};
use crate::tree::Field;
use crate::wire::{BitWire, Result, Wire};

/// Bits of a far player in `gpi_init`.
const FAR_BITS: usize = 18;

/// Flags: quiet in the last packet, and in this one.
const WAS_QUIET: u8 = 1;
const IS_QUIET: u8 = 2;

/// Exponent of the unit of far positions.
const UNIT: u32 = 13;

/// Steps of a walk and of a run by direction, eastward and northward.
const WALK: [(i64, i64); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
const RUN: [(i64, i64); 16] = [
    (-2, -2),
    (-1, -2),
    (0, -2),
    (1, -2),
    (2, -2),
    (-2, -1),
    (2, -1),
    (-2, 0),
    (2, 0),
    (-2, 1),
    (2, 1),
    (-2, 2),
    (-1, 2),
    (0, 2),
    (1, 2),
    (2, 2),
];

/// A player: near with a tile, or far with units of 8192 tiles in place of them.
#[derive(Debug, Clone, Copy, Default)]
struct Player {
    tile: Tile,
    is_near: bool,
    flags: u8,
}

/// Bytes of a player.
pub const SIZE: usize = size_of::<Player>() + 4;

/// All players of a world.
pub struct Players {
    all: Vec<Player>,
    near: Vec<u16>,
    far: Vec<u16>,
}

impl Players {
    /// The tile of a player that is near.
    pub fn tile(&self, index: u16) -> Option<Tile> {
        self.all.get(usize::from(index)).filter(|player| player.is_near).map(|player| player.tile)
    }

    fn get(&self, index: u16) -> Player {
        self.all.get(usize::from(index)).copied().unwrap_or_default()
    }

    fn set(&mut self, index: u16, change: impl FnOnce(&mut Player)) {
        if let Some(player) = self.all.get_mut(usize::from(index)) {
            change(player);
        }
    }

    fn quiet(&mut self, index: u16) {
        self.set(index, |player| player.flags |= IS_QUIET);
    }

    /// Rebuilds the lists.
    fn sort(&mut self) {
        self.near.clear();
        self.far.clear();
        for (index, player) in (0..).zip(&mut self.all).skip(1) {
            player.flags >>= 1;
            let list = if player.is_near { &mut self.near } else { &mut self.far };
            list.push(index);
        }
    }
}

/// Reads `gpi_init`. Without the index of the local player, all players are unknown.
pub fn begin(wire: &mut Wire<'_>, own: Option<u16>) -> Result<Option<Players>> {
    let mut all = vec![Player::default(); MOST_PLAYERS];
    wire.in_bits(|bits| {
        let (level, x, z) = (bits.number(&OWN_LEVEL, 2)?, bits.number(&OWN_X, 14)?, bits.number(&OWN_Z, 14)?);
        if let Some(player) = all.get_mut(usize::from(own.unwrap_or(0))) {
            *player = Player { tile: Tile::at(level.into(), x.into(), z.into()), is_near: true, flags: 0 };
        }
        let mut index = 1;
        let mut left = MOST_PLAYERS - 2;
        while left > 0 {
            let absent = bits.zeros(left * FAR_BITS) / FAR_BITS;
            if absent > 0 {
                bits.run(&ABSENT_PLAYERS, absent * FAR_BITS)?;
            }
            // Positions of absent players stay zero.
            for _ in 0..absent {
                index = following(index, own);
            }
            left -= absent;
            if left == 0 {
                break;
            }
            index = skipped(index, own);
            bits.group(&FAR_PLAYER, |bits| {
                add(bits.wire(), &PLAYER_INDEX, index);
                let (level, x, z) = (bits.number(&FAR_LEVEL, 2)?, bits.number(&FAR_X, 8)?, bits.number(&FAR_Z, 8)?);
                if let Some(player) = all.get_mut(usize::from(index)) {
                    player.tile = Tile::at(level.into(), x.into(), z.into());
                }
                Ok(())
            })?;
            index = following(index, own);
            left -= 1;
        }
        if bits.padding(&PADDING) != 0 {
            bits.wire().note(&PAD_BITS, format_args!("padding is not zero"));
        }
        Ok(())
    })?;
    if own.is_none() {
        wire.note(&NO_PLAYERS, format_args!("the index of the local player is unknown: -o rs.player_index=INDEX"));
        return Ok(None);
    }
    let mut players = Players { all, near: Vec::new(), far: Vec::new() };
    players.sort();
    Ok(Some(players))
}

/// The index itself, or the next one if it is the local player's.
fn skipped(index: u16, own: Option<u16>) -> u16 {
    if own == Some(index) { index + 1 } else { index }
}

/// The index after one.
fn following(index: u16, own: Option<u16>) -> u16 {
    skipped(index, own).saturating_add(1)
}

/// Parts of an update for the summary.
struct Update<'r, 'g> {
    reader: &'r mut Reader<'g>,
    players: Players,
}

/// Reads `player_info`, which must use up the payload.
///
/// # Errors
/// If the bytes end early or do not fit the players that are known.
pub fn info(reader: &mut Reader<'_>, wire: &mut Wire<'_>) -> Result {
    let revision = reader.table.revision.number;
    let world = reader.game.osrs.world_of_players(revision);
    let Some(players) = reader.game.osrs.players.remove(&world) else {
        wire.note_ahead(&NO_PLAYERS, format_args!("the players were sent before the capture, or bytes are missing"));
        return wire.rest_is(&PAYLOAD);
    };
    reader.game.osrs.updated.clear();
    reader.game.osrs.moves.clear();
    let mut update = Update { reader, players };
    // If a pass fails, the players are unknown afterwards.
    update.passes(wire)?;
    let Update { reader, mut players } = update;
    players.sort();
    let others = players.near.len().saturating_sub(1);
    reader.game.osrs.players.insert(world, players);
    let updates = reader.game.osrs.updated.len();
    reader.line.seen = Some(Counts { entity: Entity::Player, others, updates });
    let result = blocks::read(reader, wire, Entity::Player);
    // Blocks may contain names.
    let osrs = &reader.game.osrs;
    for (index, kind, tile) in &osrs.moves {
        let called = osrs.called(*index);
        match tile {
            Some(tile) => reader.line.event(format_args!("{called} {kind} {tile}")),
            None => reader.line.event(format_args!("{called} {kind}")),
        }
    }
    used_up(wire, result)
}

impl Update<'_, '_> {
    fn passes(&mut self, wire: &mut Wire<'_>) -> Result {
        let (near, far) = (std::mem::take(&mut self.players.near), std::mem::take(&mut self.players.far));
        self.pass(wire, &near, 0, Update::near)?;
        self.pass(wire, &near, WAS_QUIET, Update::near)?;
        self.pass(wire, &far, WAS_QUIET, Update::far)?;
        self.pass(wire, &far, 0, Update::far)?;
        (self.players.near, self.players.far) = (near, far);
        Ok(())
    }

    /// One pass over the members of a list with this flag.
    fn pass(
        &mut self,
        wire: &mut Wire<'_>,
        list: &[u16],
        flag: u8,
        change: fn(&mut Self, &mut BitWire<'_, '_>, u16) -> Result,
    ) -> Result {
        let skip = wire.in_bits(|bits| {
            let mut skip = 0;
            for index in list.iter().copied() {
                if self.players.get(index).flags & WAS_QUIET != flag {
                    continue;
                }
                if skip > 0 {
                    skip -= 1;
                    self.players.quiet(index);
                } else if bits.peek(1) == Some(0) {
                    skip = bits.group(&QUIET, quiet)?;
                    self.players.quiet(index);
                } else {
                    change(self, bits, index)?;
                }
            }
            if bits.padding(&PADDING) != 0 {
                bits.wire().note(&PAD_BITS, format_args!("padding is not zero"));
            }
            Ok(skip)
        })?;
        if skip > 0 {
            return wire.malformed(&MALFORMED, format_args!("{skip} more quiet players than the pass has"));
        }
        Ok(())
    }

    /// Names a player in the tree.
    fn identify(&self, bits: &mut BitWire<'_, '_>, index: u16) {
        identify(bits.wire(), &self.reader.game.osrs, index);
    }

    /// Adds the tile of a near player, and records it.
    fn arrive(&mut self, bits: &mut BitWire<'_, '_>, index: u16, kind: &'static str) {
        let tile = self.players.get(index).tile;
        tile.put(bits.wire());
        let (time, keeps) = (bits.wire().completed().1, bits.wire().wants_objects());
        let osrs = &mut self.reader.game.osrs;
        if keeps {
            osrs.journal.record_position(time, index, tile);
        }
        osrs.moves.push((index, kind, Some(tile)));
    }

    fn near(&mut self, bits: &mut BitWire<'_, '_>, index: u16) -> Result {
        bits.group(&NEAR_PLAYER, |bits| {
            self.identify(bits, index);
            bits.number(&MOVED, 1)?;
            let update = bits.number(&UPDATE, 1)? == 1;
            let kind = bits.number(&NEAR_MOVE, 2)?;
            if update {
                self.reader.game.osrs.updated.push(Some(index));
            }
            match kind {
                0 if update => {}
                0 => return self.leave(bits, index),
                1 => {
                    let step = WALK.get(bits.number(&WALK_OSRS, 3)? as usize).copied().unwrap_or_default();
                    self.players.set(index, |player| player.tile = player.tile.moved(0, step));
                    self.arrive(bits, index, "walks to");
                }
                2 => {
                    let step = RUN.get(bits.number(&RUN_OSRS, 4)? as usize).copied().unwrap_or_default();
                    self.players.set(index, |player| player.tile = player.tile.moved(0, step));
                    self.arrive(bits, index, "runs to");
                }
                _ => {
                    let is_far = bits.number(&JUMP_FAR, 1)? == 1;
                    let level = bits.number(&JUMP_LEVEL, 2)?;
                    let (dx, dz) = if is_far {
                        (bits.number(&JUMP_DX, 14)?.into(), bits.number(&JUMP_DZ, 14)?.into())
                    } else {
                        (bits.signed(&JUMP_DX, 5)?.into(), bits.signed(&JUMP_DZ, 5)?.into())
                    };
                    self.players.set(index, |player| player.tile = player.tile.moved(level.into(), (dx, dz)));
                    self.arrive(bits, index, "jumps to");
                }
            }
            Ok(())
        })
    }

    /// A near player becomes a far one.
    fn leave(&mut self, bits: &mut BitWire<'_, '_>, index: u16) -> Result {
        if self.reader.game.osrs.own == Some(index) {
            return bits.wire().malformed(&MALFORMED, format_args!("the local player is removed"));
        }
        self.players.set(index, |player| {
            let Tile { level, x, z } = player.tile;
            (player.tile, player.is_near) = (Tile { level, x: x >> UNIT, z: z >> UNIT }, false);
        });
        self.reader.game.osrs.moves.push((index, "leaves", None));
        if bits.number(&FAR_CHANGES, 1)? == 1 {
            let kind = bits.number(&FAR_MOVE, 2)?;
            self.change(bits, index, kind)?;
        }
        Ok(())
    }

    fn far(&mut self, bits: &mut BitWire<'_, '_>, index: u16) -> Result {
        bits.group(&FAR_PLAYER, |bits| {
            self.identify(bits, index);
            bits.number(&MOVED, 1)?;
            let kind = bits.number(&FAR_MOVE, 2)?;
            if kind > 0 {
                return self.change(bits, index, kind);
            }
            if bits.number(&FAR_CHANGES, 1)? == 1 {
                let kind = bits.number(&FAR_MOVE, 2)?;
                self.change(bits, index, kind)?;
            }
            let (x, z) = (bits.number(&NEW_X, 13)?, bits.number(&NEW_Z, 13)?);
            if bits.number(&UPDATE, 1)? == 1 {
                self.reader.game.osrs.updated.push(Some(index));
            }
            self.players.set(index, |player| {
                let Tile { level, x: far_x, z: far_z } = player.tile;
                let whole = |far: u16, near: u32| (i64::from(far) << UNIT) + i64::from(near);
                player.tile = Tile::at(level.into(), whole(far_x, x), whole(far_z, z));
                player.is_near = true;
                player.flags |= IS_QUIET;
            });
            self.arrive(bits, index, "appears at");
            Ok(())
        })
    }

    /// The region of a far player changes.
    fn change(&mut self, bits: &mut BitWire<'_, '_>, index: u16, kind: u32) -> Result {
        if kind == 0 {
            return bits.wire().malformed(&MALFORMED, format_args!("a change of region inside of another"));
        }
        let level = bits.number(&FAR_LEVEL, 2)?;
        let step: (i64, i64) = match kind {
            1 => (0, 0),
            2 => WALK.get(bits.number(&WALK_OSRS, 3)? as usize).copied().unwrap_or_default(),
            _ => (bits.number(&FAR_X, 8)?.into(), bits.number(&FAR_Z, 8)?.into()),
        };
        self.players.set(index, |player| {
            let Tile { level: old, x, z } = player.tile;
            let within = |far: u16, step: i64| u16::try_from((i64::from(far) + step) & 0xff).unwrap_or_default();
            let level = u8::try_from((u32::from(old) + level) & 3).unwrap_or_default();
            player.tile = Tile { level, x: within(x, step.0), z: within(z, step.1) };
        });
        let Tile { level, x, z } = self.players.get(index).tile;
        for (field, number) in [(&REGION_LEVEL, level.into()), (&REGION_X, x), (&REGION_Z, z)] {
            add(bits.wire(), field, number);
        }
        Ok(())
    }
}

/// Reads the number of further inactive players.
fn quiet(bits: &mut BitWire<'_, '_>) -> Result<u32> {
    bits.number(&MOVED, 1)?;
    let width = match bits.number(&QUIET_WIDTH, 2)? {
        0 => return Ok(0),
        1 => 5,
        2 => 8,
        _ => 11,
    };
    bits.number(&QUIET_COUNT, width)
}

/// Names a player in the tree.
pub fn identify(wire: &mut Wire<'_>, osrs: &Osrs, index: u16) {
    let field: &'static Field = &PLAYER_INDEX;
    add(wire, field, index);
    if let Some(name) = osrs.name(index) {
        wire.add_text(&PLAYER_NAME, format_args!("{name}"));
    }
}
