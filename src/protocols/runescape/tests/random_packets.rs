//! Random packets written from the reference, independent of the decoder.

use super::*;
use std::fmt::Write;

/// The shipped tables: revision and text.
const TABLES: [(&str, &str); 8] = [
    ("225", include_str!("../tables/225.tsv")),
    ("244", include_str!("../tables/244.tsv")),
    ("245", include_str!("../tables/245.2.tsv")),
    ("254", include_str!("../tables/254.tsv")),
    ("274", include_str!("../tables/274.tsv")),
    ("317", include_str!("../tables/317.tsv")),
    ("377", include_str!("../tables/377.tsv")),
    ("550", include_str!("../tables/550.tsv")),
];

/// The update table.
const UPDATES: &str = include_str!("../tables/updates.tsv");

/// Maximum payload with a one-byte length, and of generated packets with a two-byte length.
const BYTE: usize = 255;
const SHORT: usize = 5000;

/// Packets allowed in a zone batch.
const OF_ZONES: [&str; 11] = [
    "obj_add",
    "obj_reveal",
    "obj_count",
    "obj_del",
    "loc_add_change",
    "loc_anim",
    "loc_del",
    "loc_merge",
    "map_anim",
    "map_projanim",
    "sound_area",
];

/// Deterministic random numbers.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16 ^ self.0 >> 40
    }

    pub fn up_to(&mut self, most: usize) -> usize {
        usize::try_from(self.roll() % (most as u64 + 1)).unwrap()
    }

    /// A random count: usually small, sometimes the maximum.
    pub fn many(&mut self, most: usize) -> usize {
        match self.up_to(7) {
            0 => most,
            1 => self.up_to(most),
            _ => self.up_to(most.min(12)),
        }
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| u8::try_from(self.up_to(255)).unwrap()).collect()
    }
}

/// A row of a table.
pub struct Line {
    pub side: Side,
    pub opcode: u16,
    pub size: i32,
    pub name: &'static str,
    fields: &'static str,
}

/// Reference of a revision: packets and update layouts.
pub struct Book {
    pub revision: &'static str,
    pub lines: Vec<Line>,
    /// Entity kind, section, name and fields.
    pub updates: Vec<[&'static str; 4]>,
}

impl Book {
    pub fn all() -> impl Iterator<Item = Book> {
        TABLES.iter().map(|(revision, _)| Book::of(revision))
    }

    pub fn of(revision: &str) -> Book {
        let (revision, table) = TABLES.iter().find(|(known, _)| *known == revision).unwrap();
        let lines = table.lines().skip(1).map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let side = if cells[0] == "s2c" { SERVER } else { CLIENT };
            Line { side, opcode: cells[1].parse().unwrap(), size: cells[2].parse().unwrap(), name: cells[3], fields: cells[4] }
        });
        let updates = UPDATES.lines().skip(1).filter_map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            cells[0].split(',').any(|known| known == *revision).then(|| [cells[1], cells[2], cells[3], cells[4]])
        });
        Book { revision, lines: lines.collect(), updates: updates.collect() }
    }
}

/// Fields of a packet of the server of a revision of Old School RuneScape.
pub fn osrs_row(revision: u16, name: &str) -> &'static str {
    let rows = include_str!("../tables/osrs.tsv").lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let has = |list: &str| list.split(' ').any(|entry| entry.split(':').next() == Some(&*revision.to_string()));
    rows.into_iter().find(|cells| cells[0] == "s2c" && cells[2] == name && has(cells[4])).unwrap()[3]
}

/// Splits a field list into names and types.
pub fn columns(fields: &str) -> Vec<(&str, &str)> {
    fields.split(' ').filter(|field| !field.is_empty()).map(|field| field.split_once(':').unwrap()).collect()
}

/// Width of fixed-width types.
fn width(kind: &str) -> Option<usize> {
    match kind {
        "mouse_click" => return Some(4),
        "hint_arrow" => return Some(6),
        "name37" => return Some(8),
        "minimap_click" => return Some(14),
        _ => {}
    }
    if let Some((each, count)) = kind.strip_suffix(']').and_then(|kind| kind.split_once('[')) {
        return Some(width(each)? * count.parse::<usize>().ok()?);
    }
    let number = kind.strip_prefix("com").or(kind.strip_prefix('u')).or(kind.strip_prefix('i'))?;
    number.split('_').next()?.parse::<usize>().ok().map(|bits| bits / 8)
}

/// Writes a number of this type. Returns it as shown, or `None` for other types.
pub fn write(kind: &str, raw: u64, out: &mut Vec<u8>) -> Option<String> {
    let (signed, rest) = (kind.starts_with('i'), kind.get(1..)?);
    let (width, how) = rest.split_once('_').unwrap_or((rest, ""));
    let bits: u32 = width.parse().ok()?;
    let bytes = usize::try_from(bits / 8).ok()?;
    let raw = raw & (u64::MAX >> (64 - bits));
    let big: Vec<u8> = raw.to_be_bytes()[8 - bytes..].to_vec();
    let low = big[bytes - 1];
    let with = |low: u8| [&big[..bytes - 1], &[low]].concat();
    let at = |order: &[usize]| order.iter().map(|place| big[*place]).collect::<Vec<u8>>();
    out.extend(match (bytes, how) {
        (_, "") => big.clone(),
        (_, "le") => big.iter().rev().copied().collect(),
        (1, "neg") => with(low.wrapping_neg()),
        (1, "sub") => with(128_u8.wrapping_sub(low)),
        (_, "add") => with(low.wrapping_add(128)),
        (2, "add_le") => with(low.wrapping_add(128)).into_iter().rev().collect(),
        // Byte orders of the reference: hi lo mid, mid hi lo; bits 8-15, 0-7, 24-31, 16-23; 16-23, 24-31, 0-7, 8-15.
        (3, "alt2") => at(&[0, 2, 1]),
        (3, "alt3") => at(&[1, 0, 2]),
        (4, "me") => at(&[2, 3, 0, 1]),
        (4, "ime") => at(&[1, 0, 3, 2]),
        _ => return None,
    });
    let shift = 64 - bits;
    Some(if signed { ((raw << shift).cast_signed() >> shift).to_string() } else { raw.to_string() })
}

/// Bits in writing order, most significant first.
#[derive(Default)]
pub struct Bits(String);

impl Bits {
    pub fn put(&mut self, value: u64, width: usize) {
        let _ = write!(self.0, "{value:0width$b}");
    }

    pub fn bytes(&self) -> Vec<u8> {
        super::packets::bits(&self.0)
    }
}

/// A payload, and its shown values in order: `path = value`.
pub struct Maker<'b> {
    pub book: &'b Book,
    pub dice: Dice,
    pub bytes: Vec<u8>,
    pub shown: Vec<String>,
    /// Number of slots, if declared.
    slots: Option<usize>,
}

impl Maker<'_> {
    pub fn new(book: &Book, seed: u64) -> Maker<'_> {
        Maker { book, dice: Dice(seed), bytes: Vec::new(), shown: Vec::new(), slots: None }
    }

    /// A random packet of this row.
    pub fn packet(mut self, line: &Line) -> Self {
        // Each row has its own random numbers.
        self.dice.0 ^= u64::from(line.opcode).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.dice.roll();
        let room = match line.size {
            -1 => BYTE,
            -2 => SHORT,
            size => usize::try_from(size).unwrap(),
        };
        match line.fields {
            "-" => {
                let count = if line.size < 0 { self.dice.many(room) } else { room };
                self.bytes = self.dice.bytes(count);
            }
            _ => self.fields(line, room),
        }
        self
    }

    fn fields(&mut self, line: &Line, room: usize) {
        let columns = columns(line.fields);
        let fixed: usize = columns.iter().filter_map(|(_, kind)| width(kind)).sum();
        let open = columns.iter().filter(|(_, kind)| width(kind).is_none()).count();
        // Variable-width fields share the remaining space.
        let most = (room - fixed).checked_div(open).unwrap_or_default();
        for (name, kind) in columns {
            let path = format!("rs.{}.{name}", line.name);
            if name == "capacity" {
                let slots = self.dice.many(most / 9).min(if kind == "u8" { 255 } else { usize::MAX });
                self.slots = Some(slots);
                self.exactly(&path, kind, slots as u64);
            } else {
                self.value(&path, kind, most);
            }
        }
    }

    pub fn record(&mut self, path: &str, value: impl std::fmt::Display) {
        self.shown.push(format!("{path} = {value}"));
    }

    /// Writes a number.
    pub fn exactly(&mut self, path: &str, kind: &str, raw: u64) {
        let shown = write(kind, raw, &mut self.bytes).unwrap();
        self.record(path, shown);
    }

    /// Writes a random number.
    pub fn number(&mut self, path: &str, kind: &str) {
        let raw = self.dice.roll();
        self.exactly(path, kind, raw);
    }

    fn raw(&mut self, path: &str, count: usize) {
        let bytes = self.dice.bytes(count);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match count {
            0 => {}
            1..=16 => self.record(path, hex),
            _ => self.record(path, format_args!("{count} bytes")),
        }
        self.bytes.extend(bytes);
    }

    fn word(&mut self, most: usize) -> String {
        (0..self.dice.many(most)).map(|_| char::from(b'a' + u8::try_from(self.dice.up_to(25)).unwrap())).collect()
    }

    /// A base-37 name without trailing underscore.
    pub fn name(&mut self, path: &str) {
        let name = self.word(11) + "z";
        let number = name.bytes().fold(0, |number, letter| number * 37 + u64::from(letter - b'a' + 1));
        self.bytes.extend(number.to_be_bytes());
        self.record(path, format_args!("{name:?}"));
    }

    /// Chat text of one-nibble letters, of even length.
    pub fn chat(&mut self, most: usize) -> (Vec<u8>, String) {
        const LETTERS: &[u8; 13] = b" etaoihnsrdlu";
        let nibbles: Vec<u8> = (0..2 * self.dice.many(most)).map(|_| u8::try_from(self.dice.up_to(12)).unwrap()).collect();
        let text: String = nibbles.iter().map(|nibble| char::from(LETTERS[usize::from(*nibble)])).collect();
        (nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect(), format!("{text:?}"))
    }

    /// A random value of this type, of at most `most` bytes.
    pub fn value(&mut self, path: &str, kind: &str, most: usize) {
        match kind {
            "name37" => self.name(path),
            "name37[]" => (0..self.dice.many(most / 8)).for_each(|_| self.name("rs.element_name")),
            "jstr" | "jstr0" => {
                let word = self.word(most - 1);
                self.bytes.extend(word.bytes());
                self.bytes.push(if kind == "jstr" { 10 } else { 0 });
                self.record(path, format_args!("{word:?}"));
            }
            "packed_text" => {
                let (packed, text) = self.chat(most);
                self.bytes.extend(packed);
                self.record(path, text);
            }
            "packed_text_rev_add" => {
                let (packed, text) = self.chat(most);
                self.bytes.extend(packed.iter().rev().map(|byte| byte.wrapping_add(128)));
                self.record(path, text);
            }
            "bytes" | "opaque" => {
                let count = self.dice.many(most);
                self.raw(path, count);
            }
            "steps" | "steps_377" => {
                for _ in 0..self.dice.many(most / 2) {
                    self.number("rs.steps.dx", "i8");
                    self.number("rs.steps.dy", if kind == "steps" { "i8" } else { "i8_sub" });
                }
            }
            "minimap_click" => self.minimap_click(),
            "mouse_click" => self.mouse_click(),
            "mouse_moves" => (0..self.dice.many(most / 4)).for_each(|_| self.mouse_move()),
            "hint_arrow" => self.hint_arrow(),
            "palette" => self.palette(),
            "region_crcs" => (0..self.dice.many(most / 10)).for_each(|_| self.map_file()),
            "zone_packets" => self.zone_packets(most),
            "player_info" | "npc_info" => self.info(kind.strip_suffix("_info").unwrap()),
            _ if kind.starts_with("inv_") => self.inventory(kind, most),
            _ => match kind.strip_suffix(']').and_then(|kind| kind.split_once('[')) {
                Some(("u8", count)) => self.raw(path, count.parse().unwrap()),
                Some((each, _)) => {
                    (0..self.dice.many(most / width(each).unwrap())).for_each(|_| self.number("rs.element", each));
                }
                None => self.number(path, &kind.replace("com", "i")),
            },
        }
    }

    fn minimap_click(&mut self) {
        let parts = [
            ("click_x", "i8", None),
            ("click_y", "i8", None),
            ("yaw", "u16", None),
            ("const57", "u8", Some(57)),
            ("minimap_angle", "u8", None),
            ("minimap_zoom", "u8", None),
            ("const89", "u8", Some(89)),
            ("fine_x", "u16", None),
            ("fine_y", "u16", None),
            ("nearest", "u8", None),
            ("const63", "u8", Some(63)),
        ];
        for (name, kind, constant) in parts {
            let raw = constant.unwrap_or_else(|| self.dice.roll());
            self.exactly(&format!("rs.minimap_click.{name}"), kind, raw);
        }
    }

    fn mouse_click(&mut self) {
        let (age, right, point) = (self.dice.up_to(4095), self.dice.up_to(1), self.dice.up_to(384_794));
        self.bytes.extend(u32::try_from(age << 20 | right << 19 | point).unwrap().to_be_bytes());
        self.record("rs.mouse_click.age", age);
        self.record("rs.mouse_click.right", right == 1);
        self.record("rs.mouse_click.point", point);
    }

    fn mouse_move(&mut self) {
        let mut bits = Bits::default();
        let (kind, idle) = [(0, 3), (2, 3), (3, 11)][self.dice.up_to(2)];
        bits.put(kind, if kind == 0 { 1 } else { 2 });
        self.record("rs.mouse_moves.kind", kind);
        let samples = self.dice.roll() % (1 << idle);
        bits.put(samples, idle);
        self.record("rs.mouse_moves.idle", samples);
        if kind == 0 {
            for path in ["rs.mouse_moves.dx", "rs.mouse_moves.dy"] {
                let moved = self.dice.up_to(63);
                bits.put(moved as u64, 6);
                self.record(path, moved as i64 - 32);
            }
        } else {
            let point = self.dice.roll() % (1 << 19);
            bits.put(point, 19);
            self.record("rs.mouse_moves.point", point);
        }
        self.bytes.extend(bits.bytes());
    }

    fn hint_arrow(&mut self) {
        let kind = [1, 2, 3, 4, 5, 6, 10, 255][self.dice.up_to(7)];
        self.exactly("rs.hint_arrow.type", "u8", kind);
        let unused = match kind {
            1 | 10 => {
                self.number(if kind == 1 { "rs.hint_arrow.npc" } else { "rs.hint_arrow.player" }, "u16");
                3
            }
            255 => 5,
            _ => {
                self.number("rs.hint_arrow.x", "u16");
                self.number("rs.hint_arrow.y", "u16");
                self.number("rs.hint_arrow.height", "u8");
                0
            }
        };
        let unused = self.dice.bytes(unused);
        self.bytes.extend(unused);
    }

    fn palette(&mut self) {
        let mut bits = Bits::default();
        for _ in 0..4 * 13 * 13 {
            if self.dice.up_to(9) > 0 {
                bits.put(0, 1);
                continue;
            }
            bits.put(1, 1);
            self.record("rs.palette.present", true);
            for (name, width) in [("level", 2), ("zone_x", 10), ("zone_y", 11), ("rotation", 2), ("unused", 1)] {
                let value = self.dice.roll() % (1 << width);
                bits.put(value, width);
                self.record(&format!("rs.palette.{name}"), value);
            }
        }
        self.bytes.extend(bits.bytes());
    }

    fn map_file(&mut self) {
        self.number("rs.region_crcs.map_x", "u8");
        self.number("rs.region_crcs.map_y", "u8");
        for path in ["rs.region_crcs.land_crc", "rs.region_crcs.loc_crc"] {
            let crc = u32::try_from(self.dice.roll() & 0xffff_ffff).unwrap();
            self.bytes.extend(crc.to_be_bytes());
            self.record(path, format_args!("{crc:#010x}"));
        }
    }

    /// Packets with opcodes in clear, as long as they fit.
    fn zone_packets(&mut self, most: usize) {
        let book = self.book;
        let round_trip: Vec<&Line> = book.lines.iter().filter(|line| OF_ZONES.contains(&line.name)).collect();
        let end = self.bytes.len() + 8 * self.dice.many(most / 8);
        loop {
            let line = round_trip[self.dice.up_to(round_trip.len() - 1)];
            let size = usize::try_from(line.size).unwrap();
            if self.bytes.len() + 1 + size > end {
                return;
            }
            self.bytes.push(u8::try_from(line.opcode).unwrap());
            self.fields(line, size);
        }
    }

    fn inventory(&mut self, kind: &str, most: usize) {
        // A slot takes at most nine bytes.
        let slots = self.slots.take().unwrap_or_else(|| self.dice.many(most / 9));
        for _ in 0..slots {
            let many = self.dice.up_to(3) == 0;
            let few = if many { 255 } else { self.dice.up_to(254) as u64 };
            if kind == "inv_partial_225" {
                self.number("rs.slots.number", "u8");
            } else if kind.contains("partial") {
                let slot = self.dice.up_to(300);
                let (kind, raw) = if slot < 128 { ("u8", slot) } else { ("u16", slot + 32768) };
                write(kind, raw as u64, &mut self.bytes);
                self.record("rs.slots.number", slot);
            }
            let (obj, count, amount) = match kind {
                "inv_full_317" => ("u16_add_le", "u8", "i32_ime"),
                "inv_full_377" => ("u16_add_le", "u8_neg", "i32_le"),
                _ => ("u16", "u8", "i32"),
            };
            if kind != "inv_full_317" {
                self.number("rs.slots.obj", obj);
            }
            self.exactly("rs.slots.count", count, few);
            if many {
                self.number("rs.slots.many", amount);
            }
            if kind == "inv_full_317" {
                self.number("rs.slots.obj", obj);
            }
        }
    }
}
