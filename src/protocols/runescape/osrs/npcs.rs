//! NPCs: the bits of `npc_info`.
//!
//! ```text
//! count:8 | for each known NPC: 0, or 1 type:2 … | new NPCs while 28 bits are left, up to index 65535
//! ```
//! Known NPCs beyond the count are gone. The fields of a new one depend on the revision.

use super::super::fields::*;
use super::super::reader::{Counts, Reader};
use super::super::tables::{Entity, NewRun};
use super::blocks::{self, used_up};
use super::{Tile, add};
use crate::wire::{BitWire, Result, Wire};
use std::collections::{HashMap, HashSet};

/// Minimum remaining bits for another NPC, and the index that ends the list.
const LEAST: usize = 28;
const END: u32 = 0xffff;

/// Maximum bit fields of a new NPC.
const MOST_RUNS: usize = 16;

/// Steps by direction, eastward and northward.
const STEPS: [(i64, i64); 8] = [(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)];

#[derive(Debug, Clone, Default)]
pub struct Npc {
    /// Type in the cache of the game.
    pub kind: u16,
    /// Tile, if the map is known.
    pub tile: Option<Tile>,
    /// Name, if the server changed it.
    pub name: Option<Box<str>>,
}

impl Npc {
    /// Adds its known properties to the tree.
    pub fn put(&self, wire: &mut Wire<'_>) {
        add(wire, &NPC_TYPE, self.kind);
        if let Some(name) = &self.name {
            wire.add_text(&NPC_NAME, format_args!("{name}"));
        }
        if let Some(tile) = self.tile {
            tile.put(wire);
        }
    }
}

/// State of an update.
struct Update<'r, 'g> {
    reader: &'r mut Reader<'g>,
    npcs: Vec<Option<u16>>,
    known: HashMap<u16, Npc>,
    /// Tile that new NPCs are counted from.
    origin: Option<(i64, i64)>,
    /// A new NPC had the index of a known one.
    has_twins: bool,
}

/// Reads `npc_info`, which must use up the payload.
pub fn info(reader: &mut Reader<'_>, wire: &mut Wire<'_>, is_large: bool) -> Result {
    let info = reader.table.info.clone();
    let Some(info) = info.filter(|info| info.new.iter().all(|runs| !runs.is_empty())) else {
        wire.note_ahead(&NO_TABLE, format_args!("the table has no rows about new NPCs, which the file of rs.table may hold"));
        return wire.rest_is(&PAYLOAD);
    };
    let [small, large] = &info.new;
    let osrs = &mut reader.game.osrs;
    osrs.updated.clear();
    let active = osrs.active();
    let world = osrs.world(active);
    let (before, known) = (std::mem::take(&mut world.npcs), std::mem::take(&mut world.known));
    let origin = world.corner.map(|(x, z)| (x + world.origin.0, z + world.origin.1));
    let mut update = Update { reader, npcs: Vec::new(), known, origin, has_twins: false };
    let result = wire.in_bits(|bits| {
        update.known(bits, &before)?;
        update.newcomers(bits, if is_large { large } else { small })?;
        if bits.padding(&PADDING) != 0 {
            bits.wire().note(&PAD_BITS, format_args!("padding is not zero"));
        }
        Ok(())
    });
    let Update { reader, npcs, known, .. } = update;
    let osrs = &mut reader.game.osrs;
    let updates = osrs.updated.len();
    reader.line.seen = Some(Counts { entity: Entity::Npc, others: npcs.len(), updates });
    let world = osrs.world(active);
    (world.npcs, world.known) = (npcs, known);
    let result = result.and_then(|()| blocks::read(reader, wire, Entity::Npc));
    used_up(wire, result)
}

impl Update<'_, '_> {
    fn known(&mut self, bits: &mut BitWire<'_, '_>, before: &[Option<u16>]) -> Result {
        let count = bits.number(&NPCS_COUNT, 8)? as usize;
        for place in 0..count {
            let index = before.get(place).copied().flatten();
            if bits.group(&NPCS_KNOWN, |bits| self.moved(bits, index))? {
                self.npcs.push(index);
            } else if let Some(index) = index {
                self.known.remove(&index);
            }
        }
        for index in before.iter().skip(count).flatten() {
            self.known.remove(index);
            add(bits.wire(), &NPC_DROPPED, *index);
        }
        Ok(())
    }

    /// Reads the movement of an NPC. Returns whether it stays.
    fn moved(&mut self, bits: &mut BitWire<'_, '_>, index: Option<u16>) -> Result<bool> {
        if let Some(index) = index {
            add(bits.wire(), &NPC_INDEX, index);
        }
        if bits.number(&MOVED, 1)? == 0 {
            return Ok(true);
        }
        if let Some(npc) = index.and_then(|index| self.known.get(&index)) {
            add(bits.wire(), &NPC_TYPE, npc.kind);
        }
        let mut way = (0, 0);
        let mut step = |bits: &mut BitWire<'_, '_>, field| -> Result {
            let (dx, dz) = STEPS.get(bits.number(field, 3)? as usize).copied().unwrap_or_default();
            way = (way.0 + dx, way.1 + dz);
            Ok(())
        };
        match bits.number(&NPC_MOVE, 2)? {
            0 => {
                self.reader.game.osrs.updated.push(index);
                return Ok(true);
            }
            1 => step(bits, &WALK)?,
            2 if bits.number(&NPC_RUNS, 1)? == 1 => {
                step(bits, &WALK)?;
                step(bits, &RUN)?;
            }
            2 => step(bits, &WALK)?,
            _ => return Ok(false),
        }
        if let Some(npc) = index.and_then(|index| self.known.get_mut(&index))
            && let Some(tile) = &mut npc.tile
        {
            *tile = tile.moved(0, way);
            tile.put(bits.wire());
        }
        if bits.number(&UPDATE, 1)? == 1 {
            self.reader.game.osrs.updated.push(index);
        }
        Ok(true)
    }

    fn newcomers(&mut self, bits: &mut BitWire<'_, '_>, runs: &[NewRun]) -> Result {
        let Some((first, others)) = runs.split_first() else { return Ok(()) };
        while bits.left() >= LEAST {
            if bits.peek(first.bits) == Some(END) {
                bits.number(&NPCS_END, first.bits)?;
                break;
            }
            bits.group(&NPCS_NEW, |bits| self.add(bits, first, others))?;
        }
        if self.has_twins {
            self.keep_last();
        }
        Ok(())
    }

    /// The last occurrence of a repeated index is used. Handled once for all of them, so that the work is proportional to the
    /// bytes.
    fn keep_last(&mut self) {
        let mut kept = HashSet::new();
        self.npcs.reverse();
        self.npcs.retain(|index| index.is_none_or(|index| kept.insert(index)));
        self.npcs.reverse();
    }

    fn add(&mut self, bits: &mut BitWire<'_, '_>, first: &NewRun, others: &[NewRun]) -> Result {
        let index = u16::try_from(bits.number(first.field, first.bits)?).unwrap_or_default();
        let mut found = Found::default();
        for run in others {
            if run.only_if.is_some_and(|name| found.number(name) != Some(1)) {
                continue;
            }
            let number = if run.signed {
                i64::from(bits.signed(run.field, run.bits)?)
            } else {
                i64::from(bits.number(run.field, run.bits)?)
            };
            found.keep(run.name, number);
        }
        let number = |name| found.number(name).unwrap_or_default();
        let tile = self.origin.map(|(x, z)| {
            let level = self.reader.game.osrs.level;
            Tile::at(level, x + number("dx"), z + number("dz"))
        });
        if let Some(tile) = tile {
            tile.put(bits.wire());
        }
        let npc = Npc { kind: u16::try_from(number("type")).unwrap_or_default(), tile, name: None };
        self.reader.line.event(format_args!("new NPC {}", npc.kind));
        self.npcs.push(Some(index));
        self.has_twins |= self.known.insert(index, npc).is_some();
        if number("update") == 1 {
            self.reader.game.osrs.updated.push(Some(index));
        }
        Ok(())
    }
}

/// Values of a new NPC by name.
#[derive(Default)]
struct Found {
    numbers: [(&'static str, i64); MOST_RUNS],
    count: usize,
}

impl Found {
    fn keep(&mut self, name: &'static str, number: i64) {
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = (name, number);
            self.count += 1;
        }
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.numbers.iter().take(self.count).find(|(known, _)| *known == name).map(|(_, number)| *number)
    }
}
