//! Player and NPC updates: movement bits for all entities, then blocks for those with extended information.

use super::fields::*;
use super::reader::{Counts, Reader};
use super::tables::{Entity, Run, Updates};
use crate::tree::{Field, Value};
use crate::wire::{BitWire, Error, Result, Wire};

/// Minimum remaining bits for another added entity.
const LEFT_PLAYER: usize = 10;
const LEFT_NPC: usize = 21;

/// Fields that differ between players and NPCs.
struct Named {
    count: &'static Field,
    known: &'static Field,
    new: &'static Field,
    end: &'static Field,
    update: &'static Field,
    index: &'static Field,
    mask: &'static Field,
}

const PLAYERS: Named = Named {
    count: &PLAYERS_COUNT,
    known: &PLAYERS_KNOWN,
    new: &PLAYERS_NEW,
    end: &PLAYERS_END,
    update: &PLAYERS_UPDATE,
    index: &PLAYERS_INDEX,
    mask: &PLAYERS_MASK,
};

const NPCS: Named = Named {
    count: &NPCS_COUNT,
    known: &NPCS_KNOWN,
    new: &NPCS_NEW,
    end: &NPCS_END,
    update: &NPCS_UPDATE,
    index: &NPCS_INDEX,
    mask: &NPCS_MASK,
};

/// Tracked entities, and those with extended information.
#[derive(Default)]
struct Seen {
    list: Vec<u16>,
    /// Indices of the blocks in order; `None` if unknown.
    updates: Vec<Option<u16>>,
    /// The list is incomplete: the capture started later.
    is_patchy: bool,
}

/// Movement of an entity.
enum Moved {
    No,
    Still(bool),
    Gone,
}

/// Reads a whole update, which must use up the payload.
pub fn info(reader: &mut Reader<'_>, wire: &mut Wire<'_>, updates: &Updates, entity: Entity) -> Result {
    let named = if entity == Entity::Player { &PLAYERS } else { &NPCS };
    let mut seen = Seen::default();
    let result = bits(reader, wire, updates, entity, named, &mut seen).and_then(|()| {
        seen.updates
            .iter()
            .try_for_each(|index| wire.group(named.update, |wire| block(reader, wire, updates, entity, named, *index)))
    });
    reader.line.seen = Some(Counts { entity, others: seen.list.len(), updates: seen.updates.len() });
    let list = if seen.is_patchy { Vec::new() } else { seen.list };
    match entity {
        Entity::Player => reader.game.world.players = list,
        Entity::Npc => reader.game.world.npcs = list,
    }
    match result {
        Ok(()) if wire.remaining() > 0 => {
            let left = wire.remaining();
            wire.malformed(
                &MALFORMED,
                format_args!("{left} bytes remain: a bit width or block layout does not fit this revision"),
            )
        }
        Err(Error::Short { needed }) => wire.malformed(
            &MALFORMED,
            format_args!("{needed} bytes missing: a bit width or block layout does not fit this revision"),
        ),
        other => other,
    }
}

fn bits(
    reader: &mut Reader<'_>,
    wire: &mut Wire<'_>,
    updates: &Updates,
    entity: Entity,
    named: &Named,
    seen: &mut Seen,
) -> Result {
    let before = match entity {
        Entity::Player => std::mem::take(&mut reader.game.world.players),
        Entity::Npc => std::mem::take(&mut reader.game.world.npcs),
    };
    wire.in_bits(|bits| {
        if entity == Entity::Player {
            let own = reader.game.world.own;
            let moved = bits.group(&PLAYERS_LOCAL, |bits| moved(reader, bits, Some(&updates.teleport)))?;
            if let Moved::Still(true) = moved {
                seen.updates.push(own);
            }
        }
        let count = bits.number(named.count, 8)?;
        for at in 0..count as usize {
            let index = before.get(at).copied();
            match bits.group(named.known, |bits| moved(reader, bits, None))? {
                Moved::Gone => continue,
                Moved::Still(true) => seen.updates.push(index),
                Moved::Still(false) | Moved::No => {}
            }
            seen.is_patchy |= index.is_none();
            seen.list.push(index.unwrap_or(u16::MAX));
        }
        newcomers(bits, updates, entity, named, seen)?;
        if bits.padding(&PADDING) != 0 {
            bits.wire().note(&PAD_BITS, format_args!("padding is not zero"));
        }
        Ok(())
    })
}

/// Reads the movement of a tracked entity; `teleport` is the layout for the local player.
fn moved(reader: &Reader<'_>, bits: &mut BitWire<'_, '_>, teleport: Option<&[Run]>) -> Result<Moved> {
    if bits.number(&MOVED, 1)? == 0 {
        return Ok(Moved::No);
    }
    match (bits.number(&MOVE_TYPE, 2)?, teleport) {
        (0, _) => return Ok(Moved::Still(true)),
        (1, _) => bits.number(&WALK, 3).map(drop)?,
        (2, _) => {
            bits.number(&WALK, 3)?;
            bits.number(&RUN, 3)?;
        }
        (_, Some(runs)) => {
            let found = run_all(bits, runs)?;
            let of = |name: &str| found.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
            if let (Some(x), Some(y)) = (of("x"), of("y"))
                && let Some((x, y)) = reader.game.world.on_map((x, y))
            {
                bits.wire().add(&WORLD_X, Value::Signed(x));
                bits.wire().add(&WORLD_Y, Value::Signed(y));
            }
            return Ok(Moved::Still(of("update") == Some(1)));
        }
        (_, None) => return Ok(Moved::Gone),
    }
    Ok(Moved::Still(bits.number(&UPDATE, 1)? == 1))
}

fn run_all(bits: &mut BitWire<'_, '_>, runs: &[Run]) -> Result<Vec<(&'static str, i64)>> {
    let one = |run: &Run| {
        let number = if run.signed { bits.signed(run.field, run.bits)?.into() } else { bits.number(run.field, run.bits)?.into() };
        Ok((run.name, number))
    };
    runs.iter().map(one).collect()
}

/// Reads added entities, up to the maximum index.
fn newcomers(bits: &mut BitWire<'_, '_>, updates: &Updates, entity: Entity, named: &Named, seen: &mut Seen) -> Result {
    let least = if entity == Entity::Player { LEFT_PLAYER } else { LEFT_NPC };
    let Some((index, others)) = updates.new.split_first() else { return Ok(()) };
    let last_index = (1_u32 << index.bits) - 1;
    while bits.left() > least {
        if bits.peek(index.bits) == Some(last_index) {
            bits.number(named.end, index.bits)?;
            break;
        }
        bits.group(named.new, |bits| {
            let index = u16::try_from(bits.number(index.field, index.bits)?).unwrap_or(u16::MAX);
            let found = run_all(bits, others)?;
            seen.list.push(index);
            if found.iter().any(|(name, number)| *name == "update" && *number == 1) {
                seen.updates.push(Some(index));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Reads the extended information of an entity.
fn block(
    reader: &mut Reader<'_>,
    wire: &mut Wire<'_>,
    updates: &Updates,
    entity: Entity,
    named: &Named,
    index: Option<u16>,
) -> Result {
    if let Some(index) = index {
        wire.add(named.index, Value::Unsigned(index.into()));
        if let (Entity::Player, Some(name)) = (entity, reader.game.world.player(index.into())) {
            wire.add_text(&PLAYER_NAME, format_args!("{name}"));
        }
    }
    let mut mask = u16::from(wire.u8(named.mask)?);
    if entity == Entity::Player && mask & updates.extended != 0 {
        mask |= u16::from(wire.u8(&PLAYERS_MASK2)?) << 8;
    }
    let known = updates.blocks.iter().fold(updates.extended, |known, block| known | block.mask);
    if mask & !known != 0 {
        return wire.malformed(&MALFORMED, format_args!("mask bits {:#x} are unknown", mask & !known));
    }
    for block in updates.blocks.iter().filter(|block| mask & block.mask != 0) {
        reader.line.block(block.field.name);
        wire.group(block.field, |wire| reader.layout(wire, &block.layout))?;
        if let (Some(name), Some(index)) = (reader.met.take(), index) {
            reader.game.world.meet(index, name);
        }
    }
    Ok(())
}
