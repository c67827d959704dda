//! Blocks of players and NPCs, after the bits of an update.
//!
//! ```text
//! mask:1 | mask << 8:1 if announced | mask << 16:1 if announced | mask << 24:1 if announced | blocks in the order of the rows
//! ```

use super::super::fields::*;
use super::super::reader::Reader;
use super::super::tables::{Blocks, Entity};
use super::players;
use crate::tree::Field;
use crate::wire::{Error, Result, Wire};

/// Fields that differ between players and NPCs.
struct Named {
    update: &'static Field,
    masks: [&'static Field; 4],
}

const PLAYERS: Named = Named { update: &PLAYERS_UPDATE, masks: [&PLAYERS_MASK, &PLAYERS_MASK2, &PLAYERS_MASK3, &PLAYERS_MASK4] };
const NPCS: Named = Named { update: &NPCS_UPDATE, masks: [&NPCS_MASK, &NPCS_MASK2, &NPCS_MASK3, &NPCS_MASK4] };

/// Reads the blocks of every entity that the bits announced.
pub fn read(reader: &mut Reader<'_>, wire: &mut Wire<'_>, entity: Entity) -> Result {
    let updated = std::mem::take(&mut reader.game.osrs.updated);
    let result = all(reader, wire, entity, &updated);
    reader.game.osrs.updated = updated;
    result
}

fn all(reader: &mut Reader<'_>, wire: &mut Wire<'_>, entity: Entity, updated: &[Option<u16>]) -> Result {
    if updated.is_empty() {
        return Ok(());
    }
    let Some(info) = reader.table.info.clone() else {
        wire.note_ahead(&NO_TABLE, format_args!("the table has no rows about updates, which the file of rs.table may hold"));
        return wire.rest_is(&PAYLOAD);
    };
    let (blocks, named) = match entity {
        Entity::Player => (&info.players, &PLAYERS),
        Entity::Npc => (&info.npcs, &NPCS),
    };
    for index in updated {
        let done = wire.group(named.update, |wire| one(reader, wire, (blocks, named), entity, *index))?;
        if !done {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads the blocks of one entity. Returns false if the rest is opaque.
fn one(
    reader: &mut Reader<'_>,
    wire: &mut Wire<'_>,
    (blocks, named): (&Blocks, &Named),
    entity: Entity,
    index: Option<u16>,
) -> Result<bool> {
    let osrs = &reader.game.osrs;
    match (entity, index) {
        (Entity::Player, Some(index)) => players::identify(wire, osrs, index),
        (Entity::Npc, Some(index)) => {
            super::add(wire, &NPC_INDEX, index);
            if let Some(npc) = osrs.worlds.get(&osrs.active()).and_then(|world| world.known.get(&index)) {
                npc.put(wire);
            }
        }
        (_, None) => {}
    }
    let mut mask = 0;
    for (place, field) in named.masks.iter().enumerate() {
        let announced = match place.checked_sub(1) {
            None => true,
            Some(before) => blocks.extended.get(before).is_some_and(|bit| mask & bit != 0),
        };
        if announced {
            mask |= u32::from(wire.u8(field)?) << (8 * place);
        }
    }
    for block in blocks.blocks.iter().filter(|block| mask & block.mask != 0) {
        let Some(layout) = &block.layout else {
            wire.note_ahead(&RETIRED, format_args!("the layout of {} is unknown", block.name));
            wire.rest(&PAYLOAD);
            return Ok(false);
        };
        reader.line.block(block.field.name);
        reader.catch = match block.name {
            "appearance" => Some("name"),
            "chat" | "chat_old" | "say" | "name_change" => Some("text"),
            _ => None,
        };
        let result = wire.group(block.field, |wire| reader.inner(wire, layout));
        reader.catch = None;
        if let (Some(text), Some(index)) = (reader.caught.take(), index) {
            caught(reader, wire, (entity, index), block.name, &text);
        }
        result?;
    }
    Ok(true)
}

/// Stores the name or the chat text of an entity.
fn caught(reader: &mut Reader<'_>, wire: &mut Wire<'_>, (entity, index): (Entity, u16), block: &str, text: &str) {
    let osrs = &mut reader.game.osrs;
    match (entity, block) {
        (Entity::Player, "appearance") => {
            if osrs.name(index) != Some(text) {
                wire.add_text(&PLAYER_NAME, format_args!("{text}"));
                osrs.meet(index, text);
            }
        }
        (Entity::Npc, "name_change") => {
            let active = osrs.active();
            if let Some(npc) = osrs.world(active).known.get_mut(&index) {
                npc.name = Some(text.into());
            }
        }
        (Entity::Player, _) => {
            if wire.wants_objects() {
                let name = osrs.called(index).to_string();
                osrs.journal.say(wire.completed().1, "public", Some(&name), text);
            }
            let called = reader.game.osrs.called(index);
            reader.line.event(format_args!("{called}: \"{text}\""));
        }
        (Entity::Npc, _) => {
            if wire.wants_objects() {
                osrs.journal.say(wire.completed().1, "npc", Some(&format!("NPC {index}")), text);
            }
            reader.line.event(format_args!("NPC {index}: \"{text}\""));
        }
    }
}

/// The result of an update, which must use up the payload.
pub fn used_up(wire: &mut Wire<'_>, result: Result) -> Result {
    match result {
        Ok(()) if wire.remaining() > 0 => {
            let left = wire.remaining();
            wire.malformed(
                &MALFORMED,
                format_args!("{left} bytes remain: a bit width or block layout does not fit this revision"),
            )
        }
        Err(Error::Short { needed }) if wire.cut() == crate::wire::Cut::No => wire.malformed(
            &MALFORMED,
            format_args!("{needed} bytes missing: a bit width or block layout does not fit this revision"),
        ),
        other => other,
    }
}
