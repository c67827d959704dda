//! Random player and NPC updates: movement, added entities and all blocks of extended information.

use super::random_packets::{Bits, Maker, columns};

/// Maximum tracked and added entities.
const KNOWN: usize = 12;
const NEW: usize = 6;

/// Blocks by mask bit, and the bit of a two-byte mask.
struct Blocks {
    all: Vec<(u64, &'static str, &'static str)>,
    extended: u64,
}

impl Maker<'_> {
    /// A row of the update table.
    fn row(&self, entity: &str, what: &str) -> &'static str {
        self.book.updates.iter().find(|line| line[0] == entity && line[1] == what).map_or("", |line| line[3])
    }

    fn blocks(&self, entity: &str) -> Blocks {
        let mask = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        let own = self.book.updates.iter().filter(|line| line[0] == entity);
        Blocks {
            all: own.filter_map(|line| Some((mask(line[1])?, line[2], line[3]))).collect(),
            extended: mask(self.row(entity, "extended")).unwrap_or_default(),
        }
    }

    /// A whole `player_info` or `npc_info`.
    pub fn info(&mut self, entity: &str) {
        let path = format!("rs.{entity}_info");
        let mut bits = Bits::default();
        // Indexes of the blocks; those of entities tracked before the packet are unknown.
        let mut updates: Vec<Option<u64>> = Vec::new();
        if entity == "player" && self.moved(&mut bits, true) {
            updates.push(None);
        }
        let known = self.dice.up_to(KNOWN);
        bits.put(known as u64, 8);
        self.record(&format!("{path}.count"), known);
        for _ in 0..known {
            if self.moved(&mut bits, false) {
                updates.push(None);
            }
        }
        let runs = runs(self.row(entity, "new"));
        let last_index = (1 << runs[0].1) - 1;
        for _ in 0..self.dice.up_to(NEW) {
            let fields = self.runs(&mut bits, &format!("{path}.new"), &runs, last_index);
            if fields.iter().any(|(name, value)| *name == "update" && *value == 1) {
                updates.push(Some(fields[0].1));
            }
        }
        // Blocks require an end marker; it is optional for players without blocks.
        if !updates.is_empty() || entity == "player" && self.dice.up_to(1) == 1 {
            bits.put(last_index, runs[0].1);
            self.record(&format!("{path}.end"), last_index);
        }
        self.bytes.extend(bits.bytes());
        updates.into_iter().for_each(|index| self.update(entity, &path, index));
    }

    /// Movement of an entity. Returns whether extended information follows.
    fn moved(&mut self, bits: &mut Bits, is_own: bool) -> bool {
        let moved = self.dice.up_to(3) > 0;
        bits.put(moved.into(), 1);
        self.record("rs.move.moved", moved);
        if !moved {
            return false;
        }
        let kind = self.dice.up_to(3);
        bits.put(kind as u64, 2);
        self.record("rs.move.type", kind);
        match kind {
            0 => return true,
            1 | 2 => {
                for path in ["rs.move.direction", "rs.move.direction2"].iter().take(kind) {
                    let direction = self.dice.up_to(7);
                    bits.put(direction as u64, 3);
                    self.record(path, direction);
                }
            }
            _ if is_own => {
                let fields = self.runs(bits, "rs.player_info.teleport", &runs(self.row("player", "teleport")), u64::MAX);
                return fields.contains(&("update", 1));
            }
            _ => return false,
        }
        let update = self.dice.up_to(1) == 1;
        bits.put(update.into(), 1);
        self.record("rs.move.update", update);
        update
    }

    /// Random bit fields, none equal to `never`. Returns their names and bits.
    fn runs(
        &mut self,
        bits: &mut Bits,
        path: &str,
        runs: &[(&'static str, usize, bool)],
        never: u64,
    ) -> Vec<(&'static str, u64)> {
        let mut fields = Vec::new();
        for (name, width, signed) in runs {
            let raw = self.dice.roll() % (1 << width);
            let raw = if raw == never { 0 } else { raw };
            bits.put(raw, *width);
            let shift = 64 - width;
            let value = if *signed { (raw << shift).cast_signed() >> shift } else { raw.cast_signed() };
            self.record(&format!("{path}.{name}"), value);
            fields.push((*name, raw));
        }
        fields
    }

    /// Extended information with at least one block.
    fn update(&mut self, entity: &str, path: &str, index: Option<u64>) {
        let path = format!("{path}.update");
        if let Some(index) = index {
            self.record(&format!("{path}.index"), index);
        }
        let Blocks { all, extended } = self.blocks(entity);
        let some = self.dice.roll();
        let first = all[self.dice.up_to(all.len() - 1)].0;
        let mask = all.iter().fold(first, |mask, (bit, ..)| mask | bit & some);
        let is_long = mask > 0xff || extended > 0 && self.dice.up_to(3) == 0;
        let low = mask & 0xff | if is_long { extended } else { 0 };
        self.bytes.push(u8::try_from(low).unwrap());
        self.record(&format!("{path}.mask"), format_args!("{low:#04x}"));
        if is_long {
            self.bytes.push(u8::try_from(mask >> 8).unwrap());
            self.record(&format!("{path}.mask2"), format_args!("{:#04x}", mask >> 8));
        }
        for (_, name, fields) in all.into_iter().filter(|(bit, ..)| mask & bit != 0) {
            self.block(&format!("{path}.{name}"), fields);
        }
    }

    fn block(&mut self, path: &str, fields: &str) {
        let columns = columns(fields);
        for (at, (name, kind)) in columns.iter().enumerate() {
            if *name == "length" {
                self.measured(path, kind, columns[at + 1]);
            } else if at == 0 || columns[at - 1].0 != "length" {
                self.value(&format!("{path}.{name}"), kind, 80);
            }
        }
    }

    /// A length of this type, and a value of that length.
    fn measured(&mut self, path: &str, length: &str, (name, kind): (&str, &str)) {
        let (before, shown) = (self.bytes.split_off(0), self.shown.split_off(0));
        match kind {
            "appearance" | "appearance_377" => self.appearance(kind == "appearance_377"),
            _ => {
                let (packed, text) = self.chat(50);
                self.bytes = packed;
                self.record(&format!("{path}.{name}"), text);
            }
        }
        match kind {
            "packed_text_rev" | "appearance_377" => self.bytes.reverse(),
            "packed_text_add" => self.bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(128)),
            _ => {}
        }
        let (body, of_body) = (std::mem::replace(&mut self.bytes, before), std::mem::replace(&mut self.shown, shown));
        self.exactly(&format!("{path}.length"), length, body.len() as u64);
        self.bytes.extend(body);
        self.shown.extend(of_body);
    }

    /// Appearance of a player; not as an NPC in early revisions.
    fn appearance(&mut self, has_skull: bool) {
        let number: u16 = self.book.revision.parse().unwrap();
        self.number("rs.appearance.gender", "u8");
        if has_skull {
            self.number("rs.appearance.skull", "i8");
        }
        self.number("rs.appearance.head_icon", if has_skull { "i8" } else { "u8" });
        if number >= 317 && self.dice.up_to(3) == 0 {
            self.exactly("rs.appearance.as_npc", "u16", 0xffff);
            self.number("rs.appearance.npc", "u16");
        } else {
            for _ in 0..12 {
                match self.dice.up_to(2) {
                    0 => self.exactly("rs.appearance.part", "u8", 0),
                    _ => {
                        let part = 256 + self.dice.up_to(9000) as u64;
                        self.exactly("rs.appearance.part", "u16", part);
                    }
                }
            }
        }
        (0..5).for_each(|_| self.number("rs.appearance.colour", "u8"));
        (0..7).for_each(|_| self.number("rs.appearance.seq", "u16"));
        self.name("rs.appearance.name");
        self.number("rs.appearance.combat_level", "u8");
        if number >= 274 {
            self.number("rs.appearance.skill_level", "u16");
        }
    }
}

/// `dx:-5`: name, bit width and signedness.
fn runs(list: &'static str) -> Vec<(&'static str, usize, bool)> {
    let run = |(name, bits): (&'static str, &str)| {
        let bits: i8 = bits.parse().unwrap();
        (name, usize::from(bits.unsigned_abs()), bits < 0)
    };
    columns(list).into_iter().map(run).collect()
}
