//! Updates of players and NPCs, encoded change by change, with the same lists as the client.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "indices are checked")]

use super::notation::{Bits, Book, Values, Writer, Written};

const PLAYERS: usize = 2048;

/// Flags: unchanged in the previous packet, and in this one.
const WAS_QUIET: u8 = 1;
const IS_QUIET: u8 = 2;

/// A change of a player.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Still,
    Walk(u8),
    Run(u8),
    /// Levels up, tiles eastward and northward; long distances take more bits.
    Jump(i64, i64, i64),
    Leave,
    /// Appears at this tile of its region.
    Appear(i64, i64),
}

/// The update of a player.
#[derive(Clone, Copy)]
pub struct Change {
    pub index: usize,
    pub step: Step,
    pub has_blocks: bool,
}

/// Players of a session.
pub struct People {
    own: usize,
    near: Vec<bool>,
    flags: Vec<u8>,
}

impl People {
    /// Only the local player is nearby.
    pub fn new(own: usize) -> People {
        let mut near = vec![false; PLAYERS];
        near[own] = true;
        People { own, near, flags: vec![0; PLAYERS] }
    }

    /// Players nearby.
    pub fn near(&self) -> Vec<usize> {
        (1..PLAYERS).filter(|index| self.near[*index]).collect()
    }

    /// `gpi_init` for a local player at this tile, without other players.
    pub fn init(level: i64, x: i64, z: i64) -> Written {
        let mut bits = Bits::default();
        for (name, value, width) in [("level", level, 2), ("x", x, 14), ("z", z, 14)] {
            bits.put(&format!("rs.gpi_init.{name}"), value, width);
        }
        bits.text.push_str(&"0".repeat(18 * (PLAYERS - 2)));
        bits.written()
    }

    /// The bits of an update, their values, and the players with blocks in order.
    pub fn update(&mut self, changes: &[Change]) -> (Written, Vec<usize>) {
        let of = |index: usize| changes.iter().find(|change| change.index == index);
        let near = self.near.clone();
        let (mut bits, mut updated) = (Bits::default(), Vec::new());
        for (is_near, flag) in [(true, 0), (true, WAS_QUIET), (false, WAS_QUIET), (false, 0)] {
            let members: Vec<usize> =
                (1..PLAYERS).filter(|index| near[*index] == is_near && self.flags[*index] & WAS_QUIET == flag).collect();
            let mut at = 0;
            while at < members.len() {
                let run = members[at..].iter().take_while(|index| of(**index).is_none()).count();
                if run > 0 {
                    quiet(&mut bits, run - 1);
                    members[at..at + run].iter().for_each(|index| self.flags[*index] |= IS_QUIET);
                    at += run;
                    continue;
                }
                let change = of(members[at]).unwrap();
                self.change(&mut bits, change);
                if change.has_blocks {
                    updated.push(change.index);
                }
                at += 1;
            }
            bits.align();
        }
        self.flags.iter_mut().for_each(|flags| *flags >>= 1);
        (bits.written(), updated)
    }

    fn change(&mut self, bits: &mut Bits, change: &Change) {
        let Change { index, step, has_blocks } = *change;
        bits.flag("rs.move.moved", true);
        if let Step::Appear(x, z) = step {
            assert!(!self.near[index], "player {index} is there");
            bits.put("rs.player_info.far.type", 0, 2);
            bits.flag("rs.player_info.far.changes", false);
            bits.put("rs.player_info.new.x", x, 13);
            bits.put("rs.player_info.new.z", z, 13);
            bits.flag("rs.move.update", has_blocks);
            self.near[index] = true;
            self.flags[index] |= IS_QUIET;
            return;
        }
        assert!(self.near[index] && (index != self.own || step != Step::Leave), "player {index}");
        bits.flag("rs.move.update", has_blocks);
        let kind = match step {
            Step::Still | Step::Leave | Step::Appear(..) => 0,
            Step::Walk(_) => 1,
            Step::Run(_) => 2,
            Step::Jump(..) => 3,
        };
        bits.put("rs.player_info.near.type", kind, 2);
        match step {
            Step::Walk(direction) => bits.put("rs.player_info.walk", direction.into(), 3),
            Step::Run(direction) => bits.put("rs.player_info.run", direction.into(), 4),
            Step::Jump(level, dx, dz) => {
                let is_far = !(-16..16).contains(&dx) || !(-16..16).contains(&dz);
                bits.flag("rs.player_info.jump.far", is_far);
                bits.put("rs.player_info.jump.level", level & 3, 2);
                let width = if is_far { 14 } else { -5 };
                bits.put("rs.player_info.jump.dx", dx, width);
                bits.put("rs.player_info.jump.dz", dz, width);
            }
            Step::Leave => {
                bits.flag("rs.player_info.far.changes", false);
                self.near[index] = false;
            }
            Step::Still | Step::Appear(..) => {}
        }
    }
}

/// Number of further unchanged players in a pass.
fn quiet(bits: &mut Bits, more: usize) {
    bits.flag("rs.move.moved", false);
    let (kind, width) = match more {
        0 => (0, 0),
        1..32 => (1, 5),
        32..256 => (2, 8),
        _ => (3, 11),
    };
    bits.put("rs.player_info.quiet.width", kind, 2);
    if width > 0 {
        bits.put("rs.player_info.quiet.count", i64::try_from(more).unwrap(), width);
    }
}

/// The mask and the blocks of an entity.
pub fn blocks(book: &Book, entity: &str, names: &[&str], values: &mut dyn Values) -> Written {
    let chosen = book.blocks(entity).into_iter().filter(|row| names.contains(&row.name));
    let mut mask = chosen.fold(0, |mask, row| mask | row.mask);
    // A further byte of the mask is announced by a bit of the previous one.
    let last = (0..4).rev().find(|byte| mask >> (8 * byte) > 0).unwrap_or(0);
    for byte in 1..=last {
        mask |= book.announced(entity, byte);
    }
    masked(book, entity, mask, values)
}

/// A mask and its blocks.
pub fn masked(book: &Book, entity: &str, mask: u32, values: &mut dyn Values) -> Written {
    let prefix = format!("rs.{entity}_info.update");
    let mut out = Written::default();
    for (byte, name) in ["mask", "mask2", "mask3", "mask4"].iter().enumerate() {
        if byte > 0 && mask & book.announced(entity, byte) == 0 {
            break;
        }
        let low = mask >> (8 * byte) & 0xff;
        out.put(&format!("{prefix}.{name}"), format!("{low:#04x}"), [u8::try_from(low).unwrap()]);
    }
    for row in book.blocks(entity).iter().filter(|row| row.mask & mask != 0) {
        out.append(Writer::new(book, values).block(&prefix, row));
    }
    out
}

/// A new NPC: values of its bit fields by name.
pub fn new_npc(book: &Book, is_large: bool, value: &dyn Fn(&str) -> i64, bits: &mut Bits) {
    let what = if is_large { "new_large" } else { "new_small" };
    let row = book.info.iter().find(|row| row.what == what).unwrap();
    for run in row.fields.split(' ') {
        let (run, only_if) = run.split_once('@').map_or((run, None), |(run, name)| (run, Some(name)));
        if only_if.is_some_and(|name| value(name) & 1 == 0) {
            continue;
        }
        let (name, width) = run.split_once(':').unwrap();
        bits.put(&format!("rs.npc_info.new.{name}"), value(name), width.parse().unwrap());
    }
}
