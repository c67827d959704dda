//! Updates of Old School RuneScape by revision: blocks of players and NPCs, bit fields of new NPCs, packets of zones.
//!
//! ```text
//! who              what                  name        fields
//! player, npc      mask2, mask3, mask4   mask bit    the bit that announces another mask byte, hexadecimal
//! player, npc      mask bit              the block   its layout; `-` if it is unknown
//! npc              new_small, new_large  new         bit fields: `name:bits`, negative if signed, `@name` if that field is 1
//! type             name                  name        a group that other rows name as a type
//! zone             number                the packet  its layout
//! ```

use super::notation::{Groups, ParseError, parse};
use super::{Cells, Layout, interner, invalid};
use crate::tree::Field;
use crate::wire::InvalidValue;
use std::sync::Arc;

/// Maximum number of a packet of zones.
const MOST_ZONE: usize = 255;

#[derive(Debug, Clone, Copy)]
pub struct InfoRow<'t> {
    /// Revision of the row.
    pub revision: u16,
    /// Kind of the row.
    pub who: &'t str,
    /// Mask bit, number or name.
    pub what: &'t str,
    /// Name of the block or packet.
    pub name: &'t str,
    /// Its fields.
    pub list: &'t str,
    /// Line of the row, from 1.
    pub line: usize,
    /// Place of the fields in the line.
    pub at: usize,
}

impl<'t> InfoRow<'t> {
    pub(super) fn read(cells: &mut Cells<'t>, line: usize) -> Result<InfoRow<'t>, ParseError> {
        let mut cell = |what| cells.next(what, "revision, who, what, name and fields");
        let (revision, at) = cell("the revision")?;
        let revision =
            revision.parse().map_err(|_| ParseError { at, words: format!("the revision is {revision:?}; expected a number") })?;
        let (who, at) = cell("who")?;
        if !["player", "npc", "type", "zone"].contains(&who) {
            return Err(ParseError { at, words: format!("who is {who:?}; expected player, npc, type or zone") });
        }
        let ((what, _), (name, _), (list, at)) = (cell("what")?, cell("the name")?, cell("the list of fields")?);
        Ok(InfoRow { revision, who, what, name, list, line, at })
    }

    fn wrong<T>(&self, words: String) -> Result<T, InvalidValue> {
        Err(invalid(self.line, self.at, ParseError { at: 0, words }))
    }

    fn layout(&self, prefix: &str, packet: &str, groups: Groups<'_>) -> Result<Option<Arc<Layout>>, InvalidValue> {
        if self.list == "-" {
            return Ok(None);
        }
        parse(prefix, packet, self.list, groups).map(Some).map_err(|mistake| invalid(self.line, self.at, mistake))
    }
}

/// A bit field.
#[derive(Debug, Clone, Copy)]
pub struct NewRun {
    /// Name in the table.
    pub name: &'static str,
    /// Field in dissection trees.
    pub field: &'static Field,
    /// Bit width.
    pub bits: u8,
    /// Two's complement.
    pub signed: bool,
    /// Present only if the field of this name is 1.
    pub only_if: Option<&'static str>,
}

/// A block of a player or NPC.
#[derive(Debug, Clone)]
pub struct InfoBlock {
    /// Mask bits of the block.
    pub mask: u32,
    /// Name in the table.
    pub name: &'static str,
    /// Group in dissection trees.
    pub field: &'static Field,
    /// Layout, if known.
    pub layout: Option<Arc<Layout>>,
}

/// Blocks of players or of NPCs.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    /// Bits that announce the second, third and fourth byte of the mask.
    pub extended: [u32; 3],
    /// Blocks in order.
    pub blocks: Vec<InfoBlock>,
}

/// A packet about a tile of a zone.
#[derive(Debug, Clone)]
pub struct ZoneRow {
    pub name: &'static str,
    /// Its fields.
    pub layout: Arc<Layout>,
}

/// Updates of one revision.
#[derive(Debug, Clone, Default)]
pub struct Info {
    pub players: Blocks,
    pub npcs: Blocks,
    /// Bit fields of new NPCs, near ones and far ones; the first is the index.
    pub new: [Vec<NewRun>; 2],
    /// Packets about zones by number.
    pub zones: Vec<Option<ZoneRow>>,
}

impl Info {
    /// Parses rows.
    ///
    /// # Errors
    /// The invalid line, and what was expected.
    pub(super) fn of(rows: &[InfoRow<'_>]) -> Result<Info, InvalidValue> {
        let groups: Vec<(&str, &str)> = rows.iter().filter(|row| row.who == "type").map(|row| (row.what, row.list)).collect();
        let mut info = Info::default();
        for row in rows {
            match row.who {
                "player" => info.players.take(row, "player_info", &groups)?,
                "npc" if row.what.starts_with("new_") => {
                    let [small, large] = &mut info.new;
                    let runs = if row.what == "new_small" { small } else { large };
                    *runs = row.list.split(' ').map(|word| run(row, word)).collect::<Result<_, _>>()?;
                }
                "npc" => info.npcs.take(row, "npc_info", &groups)?,
                "zone" => info.zone(row, &groups)?,
                _ => {
                    row.layout(&format!("rs.{}", row.what), row.what, &groups)?;
                }
            }
        }
        Ok(info)
    }

    fn zone(&mut self, row: &InfoRow<'_>, groups: Groups<'_>) -> Result<(), InvalidValue> {
        let Some(number) = row.what.parse().ok().filter(|number: &usize| *number <= MOST_ZONE) else {
            return row.wrong(format!("the number is {:?}; expected 0 to {MOST_ZONE}", row.what));
        };
        let Some(layout) = row.layout(&format!("rs.{}", row.name), row.name, groups)? else { return Ok(()) };
        if self.zones.len() <= number {
            self.zones.resize(number + 1, None);
        }
        if let Some(place) = self.zones.get_mut(number) {
            *place = Some(ZoneRow { name: interner::leak(row.name), layout });
        }
        Ok(())
    }
}

impl Blocks {
    fn take(&mut self, row: &InfoRow<'_>, packet: &str, groups: Groups<'_>) -> Result<(), InvalidValue> {
        if let Some(byte) = row.what.strip_prefix("mask") {
            let bit = hexadecimal(row.name);
            let place = byte.parse::<usize>().ok().and_then(|byte| self.extended.get_mut(byte.checked_sub(2)?));
            let (Some(bit), Some(place)) = (bit, place) else {
                return row.wrong(format!("{} is {:?}; expected mask2, mask3 or mask4 and a bit as 0x8", row.what, row.name));
            };
            *place = bit;
            return Ok(());
        }
        let Some(mask) = hexadecimal(row.what) else {
            return row.wrong(format!("the mask bit is {:?}; expected such as 0x20", row.what));
        };
        let within = format!("{packet}.update.{}", row.name);
        let layout = row.layout(&format!("rs.{within}"), &within, groups)?;
        let field = interner::group(&format!("rs.{packet}.update"), row.name, packet);
        self.blocks.push(InfoBlock { mask, name: interner::leak(row.name), field, layout });
        Ok(())
    }
}

fn hexadecimal(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// Parses `level:2`, `dx:-5` or `spawn_cycle:32@has_spawn_cycle`.
fn run(row: &InfoRow<'_>, word: &str) -> Result<NewRun, InvalidValue> {
    let (word, only_if) = word.split_once('@').map_or((word, None), |(word, name)| (word, Some(interner::leak(name))));
    let parsed = word.split_once(':').and_then(|(name, bits)| Some((name, bits.parse::<i8>().ok()?)));
    match parsed {
        Some((name, bits)) if (1..=32).contains(&bits.unsigned_abs()) => {
            let field = interner::number("rs.npc_info.new", name, "npc_info");
            Ok(NewRun { name: interner::leak(name), field, bits: bits.unsigned_abs(), signed: bits < 0, only_if })
        }
        _ => row.wrong(format!("the bit field is {word:?}; expected such as dx:-5")),
    }
}
