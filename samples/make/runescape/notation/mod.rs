//! Packets of Old School RuneScape, encoded from the column notation. This module does not use the dissector;
//! the dissector's tests encode random packets with it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "the tables are the shipped ones")]

pub mod encode;
mod items;

pub use encode::{Bits, Written, encoded};
use encode::{CODES, bytes_of, latin, letters};
use items::{Item, condition, expression, hints, items, number};

/// A group that is a type in every revision.
const FINE_MOVE: &str = "parts:u8 dx:i8@parts&3=1 dx:i16@parts&3=2 dx:i32@parts&3=3 dy:i8@parts>>2&3=1 dy:i16@parts>>2&3=2 \
    dy:i32@parts>>2&3=3 dz:i8@parts>>4&3=1 dz:i16@parts>>4&3=2 dz:i32@parts>>4&3=3 angle:i8@parts>>6&3=1 angle:i16@parts>>6&3=2 \
    angle:i32@parts>>6&3=3";

/// A row of packets.
#[derive(Clone, Copy)]
pub struct Row {
    pub is_server: bool,
    pub opcode: u16,
    pub size: i32,
    pub name: &'static str,
    pub fields: &'static str,
}

/// A row of updates: a block, a group, a packet of zones.
#[derive(Clone, Copy)]
pub struct InfoRow {
    pub entity: &'static str,
    pub what: &'static str,
    pub name: &'static str,
    pub fields: &'static str,
    pub mask: u32,
    order: u32,
}

/// Rows of a revision.
pub struct Book {
    revision: u16,
    pub rows: Vec<Row>,
    pub info: Vec<InfoRow>,
}

impl Book {
    /// The rows of a revision from texts in the format of `osrs.tsv` and `osrs-info.tsv`.
    pub fn of(revision: u16, packets: &'static str, info: &'static str) -> Book {
        let entry = |list: &'static str| {
            list.split(' ').find_map(|entry| {
                let (number, rest) = entry.split_once(':').unwrap_or((entry, ""));
                (number == revision.to_string()).then_some(rest)
            })
        };
        let rows = packets.lines().filter_map(|line| {
            let cells: Vec<&'static str> = line.split('\t').collect();
            let opcode = entry(cells[4])?.parse().unwrap();
            Some(Row { is_server: cells[0] == "s2c", opcode, size: cells[1].parse().unwrap(), name: cells[2], fields: cells[3] })
        });
        let mut info: Vec<InfoRow> = info
            .lines()
            .filter_map(|line| {
                let cells: Vec<&'static str> = line.split('\t').collect();
                let (first, order) = entry(cells[4]).map(|entry| entry.split_once(':').unwrap_or((entry, "0")))?;
                let mask = u32::from_str_radix(first, 16).unwrap_or_default();
                let what = if cells[1].is_empty() { first } else { cells[1] };
                Some(InfoRow { entity: cells[0], what, name: cells[2], fields: cells[3], mask, order: order.parse().unwrap() })
            })
            .collect();
        info.sort_by_key(|row| row.order);
        Book { revision, rows: rows.collect(), info }
    }

    /// The packet of this name.
    pub fn row(&self, is_server: bool, name: &str) -> Row {
        let found = self.rows.iter().find(|row| row.is_server == is_server && row.name == name);
        *found.unwrap_or_else(|| panic!("revision {} has no {name}", self.revision))
    }

    fn group(&self, name: &str) -> Option<&'static str> {
        if name == "fine_move" {
            return Some(FINE_MOVE);
        }
        self.info.iter().find(|row| row.entity == "type" && row.what == name).map(|row| row.fields)
    }

    /// Blocks of players or of NPCs with a known layout, in order.
    pub fn blocks(&self, entity: &str) -> Vec<InfoRow> {
        self.info.iter().filter(|row| row.entity == entity && row.order > 0 && row.fields != "-").copied().collect()
    }

    /// The bit that announces another byte of the mask; 0 if none.
    pub fn announced(&self, entity: &str, byte: usize) -> u32 {
        let what = format!("mask{}", byte + 1);
        self.info.iter().find(|row| row.entity == entity && row.what == what).map_or(0, |row| row.mask)
    }
}

/// A request for a value.
pub struct ValueRequest<'a> {
    /// Name of the field in trees.
    pub path: &'a str,
    /// Type of the value.
    pub kind: &'a str,
    /// Numbers that conditions compare it with.
    pub hints: &'a [i64],
    /// Whether it is a number of turns.
    pub is_count: bool,
}

/// A source of values.
pub trait Values {
    /// A number; only the bits of its type count.
    fn number(&mut self, asked: &ValueRequest<'_>) -> i64;
    /// Text: letters, spaces and punctuation of chat.
    fn text(&mut self, asked: &ValueRequest<'_>) -> String;
    /// Number of occurrences of a field without count, or presence of an optional one.
    fn turns(&mut self, asked: &ValueRequest<'_>) -> usize;
    /// Bytes to the end, or as many as requested.
    fn bytes(&mut self, asked: &ValueRequest<'_>, count: Option<usize>) -> Vec<u8>;
    /// A type that depends on the session: its bytes and its values.
    fn state(&mut self, asked: &ValueRequest<'_>) -> Written;
}

/// A writer of fields.
pub struct Writer<'b, 'v> {
    pub book: &'b Book,
    pub values: &'v mut dyn Values,
    pub out: Written,
    scopes: Vec<Vec<(String, i64)>>,
    texts: Vec<(String, String)>,
    /// Whether bytes to the end were written.
    is_full: bool,
    /// Whether the packet has the fields that exist only for a large `$size`.
    pub is_long: bool,
}

impl<'b, 'v> Writer<'b, 'v> {
    pub fn new(book: &'b Book, values: &'v mut dyn Values) -> Self {
        Writer { book, values, out: Written::default(), scopes: Vec::new(), texts: Vec::new(), is_full: false, is_long: false }
    }

    /// Writes the payload of a packet.
    pub fn payload(mut self, row: &Row) -> Written {
        if row.fields == "-" {
            return self.out;
        }
        self.layout(&format!("rs.{}", row.name), row.fields);
        self.out
    }

    /// Writes a block of an update.
    pub fn block(mut self, prefix: &str, row: &InfoRow) -> Written {
        self.layout(&format!("{prefix}.{}", row.name), row.fields);
        self.out
    }

    fn layout(&mut self, prefix: &str, list: &str) {
        self.scopes.push(Vec::new());
        self.fields(prefix, list);
        self.scopes.pop();
    }

    fn fields(&mut self, prefix: &str, list: &str) {
        let all = items(list);
        for (at, item) in all.iter().enumerate() {
            if !item.conds.iter().all(|cond| self.holds(cond)) {
                continue;
            }
            let path = format!("{prefix}.{}", item.name);
            let next = all.get(at + 1).filter(|next| next.cut == Some(item.name));
            match next {
                // The length is known only after the content is written.
                Some(next) => {
                    let before = std::mem::take(&mut self.out);
                    self.item(&format!("{prefix}.{}", next.name), next, list);
                    let body = std::mem::replace(&mut self.out, before);
                    self.put(&path, item.kind, i64::try_from(body.bytes.len()).unwrap());
                    self.bind(item.name, i64::try_from(body.bytes.len()).unwrap());
                    self.out.append(body);
                }
                None if item.cut.is_some() && at > 0 && item.cut == Some(all[at - 1].name) => {}
                None => self.item(&path, item, list),
            }
        }
    }

    fn bind(&mut self, name: &str, value: i64) {
        let scope = self.scopes.last_mut().unwrap();
        scope.retain(|(known, _)| known != name);
        scope.push((name.to_owned(), value));
    }

    fn value(&self, expr: &str) -> Option<i64> {
        let (first, steps) = expression(expr);
        let start = match first {
            "$size" => Some(if self.is_long { i64::MAX } else { 0 }),
            first if first.starts_with('$') => Some(0),
            first if first.starts_with(|c: char| c.is_ascii_digit()) => Some(number(first)),
            first => self.scopes.iter().rev().flatten().find(|(known, _)| known == first).map(|(_, value)| *value),
        }?;
        Some(steps.iter().fold(start, |value, (operator, by)| match *operator {
            ">>" if value < 0 => (value & 0xffff_ffff) >> by,
            ">>" => value >> by,
            "&" => value & by,
            "+" => value + by,
            _ => value - by,
        }))
    }

    fn holds(&self, cond: &str) -> bool {
        let (expr, operator, values) = condition(cond);
        let Some(value) = self.value(expr) else { return false };
        let is_one = |values: &str| {
            values.split('|').any(|range| {
                let (least, most) = range.split_once("..").unwrap_or((range, range));
                (number(least)..=number(most)).contains(&value)
            })
        };
        match operator {
            "" => value != 0,
            "=" => is_one(values),
            "!=" => !is_one(values),
            "<" => value < number(values),
            ">" => value > number(values),
            "<=" => value <= number(values),
            ">=" => value >= number(values),
            _ => value & number(values) == 0,
        }
    }

    fn item(&mut self, path: &str, item: &Item<'_>, list: &str) {
        let asked = ValueRequest { path, kind: item.kind, hints: &[], is_count: true };
        if item.optional && self.values.turns(&asked) == 0 {
            return;
        }
        if let Some(expr) =
            item.repeat.and_then(|repeat| repeat.strip_prefix("until(")).and_then(|repeat| repeat.strip_suffix(')'))
        {
            let most = self.values.turns(&asked).max(1);
            for turn in 1.. {
                self.scopes.push(Vec::new());
                self.fields(path, item.group.unwrap());
                let is_last = self.holds(expr);
                self.scopes.pop();
                if is_last || turn > 10_000 {
                    break;
                }
                // The value that ends the list must occur eventually.
                self.values.turns(&ValueRequest { path: "rs.until", kind: "", hints: &[], is_count: turn >= most });
            }
            return;
        }
        let turns = match item.repeat {
            None => 1,
            Some("") => self.values.turns(&asked),
            Some(expr) => usize::try_from(self.value(expr).unwrap_or(0)).unwrap_or(0),
        };
        for _ in 0..turns {
            let before = std::mem::take(&mut self.out);
            self.once(path, item, list);
            let mut written = std::mem::replace(&mut self.out, before);
            if item.turn.starts_with("rev") {
                written.bytes.reverse();
            }
            if item.turn.ends_with("add") {
                written.bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(128));
            }
            if !item.turn.is_empty() {
                written.shown.iter_mut().for_each(|shown| shown.is_changed = true);
            }
            self.out.append(written);
            if self.is_full {
                break;
            }
        }
    }

    fn once(&mut self, path: &str, item: &Item<'_>, list: &str) {
        if let Some(group) = item.group {
            self.layout(path, group);
            return self.bind(item.name, 1);
        }
        let (kind, count) = match item.kind.strip_suffix(']').and_then(|kind| kind.split_once('[')) {
            Some((kind, count)) => (kind, Some(count.parse::<usize>().unwrap())),
            None => (item.kind, None),
        };
        let hints = hints(item.name, list);
        let is_count = list
            .split([' ', '{', '}', '@'])
            .any(|other| other.rsplit_once('*').is_some_and(|(_, expr)| expression(expr).0 == item.name));
        let asked = ValueRequest { path, kind, hints: &hints, is_count };
        if let Some(group) = self.book.group(kind) {
            (0..count.unwrap_or(1)).for_each(|_| self.layout(&format!("rs.{kind}"), group));
            return self.bind(item.name, 1);
        }
        match (kind, count) {
            ("u8", Some(_)) | ("bytes" | "opaque", _) => {
                let bytes = self.values.bytes(&asked, count);
                self.raw(path, &bytes);
                self.is_full |= count.is_none() && item.cut.is_none();
            }
            ("part", Some(count)) => {
                for _ in 0..count {
                    self.number(path, &asked);
                }
            }
            (_, Some(count)) => {
                let asked = ValueRequest { path: "rs.element", ..asked };
                for _ in 0..count {
                    self.number("rs.element", &asked);
                }
            }
            ("jstr0" | "jstrnull", None) => {
                let text = self.values.text(&asked);
                let is_null = kind == "jstrnull" && text.is_empty();
                self.out.put(path, if is_null { String::new() } else { format!("{text:?}") }, latin(&text).chain([0]));
                self.texts.push((item.name.to_owned(), text));
                if !is_null {
                    self.bind(item.name, 1);
                }
            }
            ("packed_text_huffman", None) => {
                let text = self.values.text(&asked);
                let mut bytes = Vec::new();
                encoded("usmart", i64::try_from(text.len()).unwrap(), &mut bytes);
                let code = |letter| CODES.iter().find(|(known, _)| *known == letter).unwrap().1;
                let bits: String = text.chars().map(code).collect();
                bytes.extend(bytes_of(&bits));
                self.out.put(path, format!("{text:?}"), bytes);
            }
            ("name37", None) => {
                let number = self.values.number(&asked);
                self.out.put(path, format!("{:?}", letters(number)), number.to_be_bytes());
            }
            ("script_args_223" | "script_args_231" | "script_args_237", None) => self.script(kind, item.argument),
            ("zone_packets", None) => self.zone_packets(&asked),
            ("reflection_results", None) => {
                // Without the request the results are opaque.
                let bytes = self.values.bytes(&asked, None);
                self.out.bytes.extend(bytes);
            }
            (
                "palette" | "palette_entity" | "gpi_init" | "player_info_osrs" | "npc_info_small_osrs" | "npc_info_large_osrs",
                None,
            ) => {
                let written = self.values.state(&asked);
                self.out.append(written);
            }
            _ => {
                let value = self.number(path, &asked);
                self.bind(item.name, value);
            }
        }
    }

    fn script(&mut self, kind: &str, name: &str) {
        let types = self.texts.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.clone()).unwrap();
        let asked = |path| ValueRequest { path, kind: "i32", hints: &[], is_count: false };
        for of in types.chars().rev() {
            match of {
                's' => {
                    let text = self.values.text(&asked("rs.script.text"));
                    self.out.put("rs.script.text", format!("{text:?}"), latin(&text).chain([0]));
                }
                'W' | 'X' if kind != "script_args_223" => {
                    let count = self.values.turns(&ValueRequest { is_count: true, ..asked("rs.script.count") });
                    self.put("rs.script.count", "varint_le", i64::try_from(count).unwrap());
                    for _ in 0..count {
                        if of == 'W' {
                            self.number("rs.element", &ValueRequest { kind: "varint_le_signed", ..asked("rs.element") });
                        } else {
                            let text = self.values.text(&asked("rs.element_name"));
                            self.out.put("rs.element_name", format!("{text:?}"), latin(&text).chain([0]));
                        }
                    }
                }
                _ => {
                    let kind = if of == 'Ï' && kind == "script_args_237" { "i64" } else { "i32" };
                    self.number("rs.script.number", &ValueRequest { kind, ..asked("rs.script.number") });
                }
            }
        }
    }

    fn zone_packets(&mut self, asked: &ValueRequest<'_>) {
        let zones: Vec<InfoRow> = self.book.info.iter().filter(|row| row.entity == "zone").copied().collect();
        for _ in 0..self.values.turns(&ValueRequest { is_count: true, ..*asked }) {
            let pick = self.values.number(&ValueRequest { path: "rs.zone_packet", kind: "u8", hints: &[], is_count: false });
            let row = zones[usize::try_from(pick.unsigned_abs()).unwrap() % zones.len()];
            self.put("rs.zone_packet.number", "u8", number(row.what));
            self.layout(&format!("rs.{}", row.name), row.fields);
        }
    }

    fn raw(&mut self, path: &str, bytes: &[u8]) {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match bytes.len() {
            0 => {}
            1..=16 => self.out.put(path, hex, bytes.iter().copied()),
            count => self.out.put(path, format!("{count} bytes"), bytes.iter().copied()),
        }
    }

    /// Requests a number of this type and writes it.
    fn number(&mut self, path: &str, asked: &ValueRequest<'_>) -> i64 {
        let value = self.values.number(asked);
        self.put(path, asked.kind, value)
    }

    /// Writes a number; only the bits of its type count. Returns its value as it is read back.
    fn put(&mut self, path: &str, kind: &str, value: i64) -> i64 {
        let mut bytes = Vec::new();
        let value = encoded(kind, value, &mut bytes);
        self.out.put(path, value.to_string(), bytes);
        value
    }
}
