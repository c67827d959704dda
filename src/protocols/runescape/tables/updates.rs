//! Layouts of player and NPC updates by revision: bit fields and blocks.

use super::{Layout, interner, parse};
use crate::tree::Field;
use std::sync::{Arc, LazyLock};

const TEXT: &str = include_str!("updates.tsv");

/// Kind of entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entity {
    /// Players.
    Player,
    /// NPCs.
    Npc,
}

/// A bit field.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Name in the table.
    pub name: &'static str,
    /// Field in dissection trees.
    pub field: &'static Field,
    /// Bit width.
    pub bits: u8,
    /// Two's complement.
    pub signed: bool,
}

/// A block of extended information.
#[derive(Debug, Clone)]
pub struct Block {
    /// Mask bit of the block.
    pub mask: u16,
    /// Group in dissection trees.
    pub field: &'static Field,
    /// Layout of the block.
    pub layout: Arc<Layout>,
}

/// Update layout of one revision for players or NPCs.
#[derive(Debug, Clone, Default)]
pub struct Updates {
    /// Teleport of the local player.
    pub teleport: Vec<Run>,
    /// Added entity; the first field is the index.
    pub new: Vec<Run>,
    /// Mask bit that announces a two-byte mask.
    pub extended: u16,
    /// Blocks in order.
    pub blocks: Vec<Block>,
}

type Known = (u16, Entity, Arc<Updates>);

static UPDATES: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut all: Vec<(u16, Entity, Updates)> = Vec::new();
    for line in TEXT.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [revisions, entity, what, name, list] = cells[..] else { continue };
        let entity = if entity == "player" { Entity::Player } else { Entity::Npc };
        for revision in revisions.split(',').filter_map(|revision| revision.parse().ok()) {
            let place = all.iter().position(|(known, kind, _)| *known == revision && *kind == entity);
            let place = place.unwrap_or_else(|| {
                all.push((revision, entity, Updates::default()));
                all.len() - 1
            });
            if let Some((.., updates)) = all.get_mut(place) {
                updates.take(entity, what, name, list);
            }
        }
    }
    all.into_iter().map(|(revision, entity, updates)| (revision, entity, Arc::new(updates))).collect()
});

impl Updates {
    /// Returns the layout for a revision, if known.
    pub fn of(revision: u16, entity: Entity) -> Option<Arc<Updates>> {
        Updates::all()
            .iter()
            .find(|(known, kind, _)| *known == revision && *kind == entity)
            .map(|(.., updates)| Arc::clone(updates))
    }

    /// All known layouts.
    pub fn all() -> &'static [Known] {
        &UPDATES
    }

    /// Returns the layout with another width of NPC IDs.
    pub fn with_type_bits(&self, bits: u8) -> Updates {
        let mut updates = self.clone();
        for run in updates.new.iter_mut().filter(|run| run.name == "type") {
            run.bits = bits;
        }
        updates
    }

    fn take(&mut self, entity: Entity, what: &str, name: &str, list: &str) {
        let packet = if entity == Entity::Player { "player_info" } else { "npc_info" };
        let runs = || list.split(' ').filter_map(|word| run(packet, name, word)).collect();
        match what {
            "teleport" => self.teleport = runs(),
            "new" => self.new = runs(),
            "extended" => self.extended = hexadecimal(list).unwrap_or_default(),
            _ => {
                let within = format!("{packet}.update.{name}");
                let (Some(mask), Ok(layout)) = (hexadecimal(what), parse(&format!("rs.{within}"), &within, list, &[])) else {
                    return;
                };
                let field = interner::group(&format!("rs.{packet}.update"), name, packet);
                self.blocks.push(Block { mask, field, layout });
            }
        }
    }
}

fn hexadecimal(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Parses `level:2`, or `dx:-5` for five bits in two's complement.
fn run(packet: &str, within: &str, word: &str) -> Option<Run> {
    let (name, bits) = word.split_once(':')?;
    let bits: i8 = bits.parse().ok()?;
    let field = interner::number(&format!("rs.{packet}.{within}"), name, packet);
    Some(Run { name: interner::leak(name), field, bits: bits.unsigned_abs(), signed: bits < 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_parsed() {
        let blocks = |revision, entity| Updates::of(revision, entity).unwrap().blocks.len();
        assert_eq!(
            [225, 244, 245, 254, 274, 317, 377].map(|revision| blocks(revision, Entity::Player)),
            [9, 10, 10, 10, 10, 10, 10]
        );
        assert_eq!([225, 244, 245, 254, 274, 317, 377].map(|revision| blocks(revision, Entity::Npc)), [7, 8, 8, 8, 8, 8, 8]);
        for (revision, entity, updates) in Updates::all() {
            let masks = updates.blocks.iter().fold(0, |masks, block| {
                assert_eq!(masks & block.mask, 0, "{revision} {entity:?} {:?}", block.field);
                masks | block.mask
            });
            assert_eq!(masks & updates.extended, 0, "{revision} {entity:?}");
            assert_eq!(updates.new.first().map(|run| run.name), Some("index"), "{revision} {entity:?}");
            assert_eq!(updates.teleport.is_empty(), *entity == Entity::Npc);
        }
        assert!(Updates::of(550, Entity::Player).is_none());
    }
}
