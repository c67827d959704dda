//! RSProx session logs of every revision, with every packet of its table.

use super::notation::{Asked, Bits, Book, Row, Values, Writer, Written, encoded};
use super::people::{Change, People, Step, blocks, new_npc};
use super::random_packets::Dice;
use super::round_trip::compare;
use super::*;
use crate::engine::Engine;
use crate::input::{Capture, Format};
use crate::registry::Registry;
use crate::tree::{Demand, Dissection, Ends, dump};
use proptest::prelude::*;
use std::io::Cursor;

const PACKETS: &str = include_str!("../tables/osrs.tsv");
const INFO: &str = include_str!("../tables/osrs-info.tsv");

/// Index of the local player, and its tile.
const OWN: usize = 9;
const TILE: (i64, i64) = (3200, 3210);

/// Zones of the world entity that is active.
const ENTITY: [i64; 2] = [2, 3];

/// Letters of types that scripts take.
const SCRIPT: &[u8; 4] = b"isWX";

/// Random values, and the state that updates change.
struct Random<'b> {
    book: &'b Book,
    dice: Dice,
    most: usize,
    is_ending: bool,
    people: People,
    npcs: usize,
}

impl Random<'_> {
    fn bit(&mut self) -> bool {
        self.dice.up_to(1) == 1
    }

    /// Names of some blocks.
    fn some_blocks(&mut self, who: &str) -> Vec<&'static str> {
        let all = self.book.blocks(who);
        let first = all[self.dice.up_to(all.len() - 1)].name;
        let others: Vec<&str> = all.iter().map(|row| row.name).filter(|_| self.dice.up_to(5) == 0).collect();
        [vec![first], others].concat()
    }

    fn blocks(&mut self, who: &str, out: &mut Written) {
        let (book, names) = (self.book, self.some_blocks(who));
        let written = blocks(book, who, &names, self);
        out.bytes.extend(written.bytes);
        out.shown.extend(written.shown);
    }

    fn player_info(&mut self) -> Written {
        let mut changes = Vec::new();
        for index in self.people.near() {
            if self.dice.up_to(3) == 0 {
                continue;
            }
            let mut tiles = || i64::try_from(self.dice.up_to(80)).unwrap() - 40;
            let (dx, dz) = (tiles(), tiles());
            let (walk, run) = (self.dice.up_to(7), self.dice.up_to(15));
            let step = match self.dice.up_to(if index == OWN { 3 } else { 4 }) {
                0 => Step::Still,
                1 => Step::Walk(u8::try_from(walk).unwrap()),
                2 => Step::Run(u8::try_from(run).unwrap()),
                3 => Step::Jump(1, dx, dz),
                _ => Step::Leave,
            };
            let has_blocks = step != Step::Leave && (step == Step::Still || self.bit());
            changes.push(Change { index, step, has_blocks });
        }
        for _ in 0..self.dice.up_to(2) {
            let index = 1 + self.dice.up_to(2046);
            if index != OWN && !self.people.near().contains(&index) && !changes.iter().any(|change| change.index == index) {
                let has_blocks = self.bit();
                changes.push(Change { index, step: Step::Appear(100, 200), has_blocks });
            }
        }
        let (mut out, updated) = self.people.update(&changes);
        updated.iter().for_each(|_| self.blocks("player", &mut out));
        out
    }

    fn npc_info(&mut self, is_large: bool) -> Written {
        let (mut bits, mut out) = (Bits::default(), Written::default());
        let count = self.dice.up_to(self.npcs);
        bits.put(i64::try_from(count).unwrap(), 8);
        out.shown.push(format!("rs.npc_info.count = {count}"));
        let (mut stay, mut updates) = (0, 0);
        for _ in 0..count {
            let kind = self.dice.up_to(4);
            bits.put(i64::from(kind > 0), 1);
            out.shown.push(format!("rs.move.moved = {}", kind > 0));
            let Some(kind) = kind.checked_sub(1) else {
                stay += 1;
                continue;
            };
            bits.put(i64::try_from(kind).unwrap(), 2);
            out.shown.push(format!("rs.npc_info.type = {kind}"));
            let mut direction = |bits: &mut Bits, out: &mut Written, name: &str| {
                let direction = self.dice.up_to(7);
                bits.put(i64::try_from(direction).unwrap(), 3);
                out.shown.push(format!("rs.move.{name} = {direction}"));
            };
            match kind {
                0 => updates += 1,
                1 => direction(&mut bits, &mut out, "direction"),
                2 => {
                    bits.put(1, 1);
                    out.shown.push("rs.npc_info.runs = true".to_owned());
                    direction(&mut bits, &mut out, "direction");
                    direction(&mut bits, &mut out, "direction2");
                }
                _ => continue,
            }
            stay += 1;
            if kind > 0 {
                let update = self.bit();
                bits.put(update.into(), 1);
                out.shown.push(format!("rs.move.update = {update}"));
                updates += usize::from(update);
            }
        }
        for _ in 0..self.dice.up_to(3) {
            let seed = self.dice.roll();
            let index = i64::try_from(self.dice.up_to(60_000)).unwrap();
            let value = |name: &str| match name {
                "index" => index,
                _ => name.bytes().fold(seed, |seed, byte| seed.rotate_left(7) ^ u64::from(byte)).cast_signed() >> 9,
            };
            new_npc(self.book, is_large, &value, &mut bits, &mut out.shown);
            updates += usize::from(value("update") & 1 == 1);
            stay += 1;
        }
        self.npcs = stay;
        if updates > 0 {
            bits.put(0xffff, 16);
            out.shown.push("rs.npc_info.end = 65535".to_owned());
        }
        out.bytes = bits.bytes();
        (0..updates).for_each(|_| self.blocks("npc", &mut out));
        out
    }

    fn palette(&mut self, width: i64, length: i64) -> Written {
        let (mut bits, mut out) = (Bits::default(), Written::default());
        for _ in 0..4 * width * length {
            let is_there = self.dice.up_to(5) == 0;
            bits.put(is_there.into(), 1);
            if is_there {
                out.shown.push("rs.palette.present = true".to_owned());
                for (name, width) in [("level", 2), ("zone_x", 10), ("zone_y", 11), ("rotation", 2), ("unused", 1)] {
                    let value = self.dice.roll() % (1 << width);
                    bits.put(value.cast_signed(), width);
                    out.shown.push(format!("rs.palette.{name} = {value}"));
                }
            }
        }
        out.bytes = bits.bytes();
        out
    }
}

impl Values for Random<'_> {
    fn number(&mut self, asked: &Asked<'_>) -> i64 {
        if asked.is_count {
            return i64::try_from(self.dice.up_to(self.most.min(6))).unwrap();
        }
        if self.is_ending && asked.path.ends_with(".op") {
            return 0;
        }
        let random = self.dice.roll().cast_signed() ^ self.dice.roll().cast_signed() << 31;
        match asked.hints {
            hints @ [_, ..] if self.dice.up_to(3) > 0 => {
                let hint = hints[self.dice.up_to(hints.len() - 1)];
                // Without a cache, lists whose length it holds cannot be read.
                let is_of_cache = asked.path.contains("_customisation") && !asked.path.contains("_v3");
                let hint = hint | if self.bit() { hints[0] } else { 0 };
                if is_of_cache { hint & !12 } else { hint }
            }
            _ if asked.path.contains("_customisation") => random & !12,
            _ => random,
        }
    }

    fn text(&mut self, asked: &Asked<'_>) -> String {
        let letters: &[u8] = if asked.path.ends_with(".types") { SCRIPT } else { b"abc defghijk lmnopqrs tuvwxyz,.!?'" };
        (0..self.dice.up_to(self.most.min(12))).map(|_| char::from(letters[self.dice.up_to(letters.len() - 1)])).collect()
    }

    fn turns(&mut self, asked: &Asked<'_>) -> usize {
        self.is_ending = asked.path == "rs.until" && asked.is_count;
        self.dice.up_to(self.most.min(4))
    }

    fn bytes(&mut self, _: &Asked<'_>, count: Option<usize>) -> Vec<u8> {
        let count = count.unwrap_or_else(|| self.dice.up_to(self.most));
        self.dice.bytes(count)
    }

    fn state(&mut self, asked: &Asked<'_>) -> (Vec<u8>, Vec<String>) {
        let written = match asked.kind {
            "gpi_init" => {
                self.people = People::new(OWN);
                return People::init(0, TILE.0, TILE.1);
            }
            "player_info_osrs" => self.player_info(),
            "palette" => self.palette(13, 13),
            "palette_entity" => self.palette(ENTITY[0], ENTITY[1]),
            kind => self.npc_info(kind.contains("large")),
        };
        (written.bytes, written.shown)
    }
}

/// The given numbers, else 0, and one turn of each group.
struct Scripted<'n>(&'n [(&'n str, i64)]);

impl Values for Scripted<'_> {
    fn number(&mut self, asked: &Asked<'_>) -> i64 {
        let name = asked.path.rsplit('.').next().unwrap();
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |(_, number)| *number)
    }

    fn text(&mut self, _: &Asked<'_>) -> String {
        String::new()
    }

    fn turns(&mut self, _: &Asked<'_>) -> usize {
        1
    }

    fn bytes(&mut self, _: &Asked<'_>, count: Option<usize>) -> Vec<u8> {
        vec![0; count.unwrap_or(0)]
    }

    fn state(&mut self, _: &Asked<'_>) -> (Vec<u8>, Vec<String>) {
        People::init(0, TILE.0, TILE.1)
    }
}

/// A logged packet: side, name, offset and length of the record, shown values.
struct Logged {
    side: Side,
    name: &'static str,
    offset: usize,
    length: usize,
    shown: Vec<String>,
}

/// A log as it is written.
struct Log {
    file: Vec<u8>,
    records: Vec<Logged>,
}

impl Log {
    fn new(revision: u16) -> Log {
        let mut file = [1_u32, revision.into(), 1].map(u32::to_be_bytes).concat();
        file.extend([5, 1]);
        file.extend(1_720_000_000_000_u64.to_be_bytes());
        file.extend([1, 45, 0, 0, 0, 3, 7]);
        file.extend(b"world.example\0-\0");
        file.extend(u16::try_from(OWN).unwrap().to_be_bytes());
        file.extend([0, 4, 1, 2, 3, 4]);
        file.extend(b"client\0");
        file.extend([0, 0, 0, 2, 0xaa, 0xbb]);
        Log { file, records: Vec::new() }
    }

    fn packet(&mut self, row: &Row, payload: Written, passed: u64) {
        let start = self.file.len();
        let number = passed << 1 | u64::from(row.is_server);
        let groups = [14, 7, 0].map(|shift| u8::try_from(number >> shift & 0x7f).unwrap());
        let first = groups.iter().position(|group| *group != 0).unwrap_or(2);
        self.file.extend(groups.iter().enumerate().skip(first).map(|(at, group)| if at < 2 { group | 0x80 } else { *group }));
        match row.opcode.to_be_bytes() {
            [high, low] if row.is_server && row.opcode > 127 => self.file.extend([high + 128, low]),
            [_, low] => self.file.push(low),
        }
        let count = payload.bytes.len();
        match row.size {
            -1 => self.file.push(u8::try_from(count).unwrap()),
            -2 => self.file.extend(u16::try_from(count).unwrap().to_be_bytes()),
            size => assert_eq!(count, usize::try_from(size).unwrap(), "{}", row.name),
        }
        self.file.extend(&payload.bytes);
        let side = if row.is_server { SERVER } else { CLIENT };
        let length = self.file.len() - start;
        self.records.push(Logged { side, name: row.name, offset: start, length, shown: payload.shown });
    }

    fn scripted(&mut self, book: &Book, name: &str, numbers: &[(&str, i64)], is_long: bool) {
        let known = |row: &&Row| row.is_server && row.name.starts_with(name) && row.fields != "payload:opaque";
        let row = book.row(true, book.rows.iter().find(known).unwrap().name);
        let mut values = Scripted(numbers);
        let mut writer = Writer::new(book, &mut values);
        writer.is_long = is_long;
        let payload = writer.payload(&row);
        self.packet(&row, payload, 0);
    }
}

/// A random payload of a row that fits its size.
fn payload(row: &Row, random: &mut Random<'_>) -> Written {
    let is_state = row.fields.contains("_osrs");
    let least = row.fields.split_once("$size>=").map_or(0, |(_, rest)| rest.split(' ').next().unwrap().parse().unwrap());
    for attempt in 0..400 {
        random.most = if attempt > 20 { 2 } else { 40 };
        let mut writer = Writer::new(random.book, &mut *random);
        writer.is_long = least > 0 && attempt % 3 < 2;
        let is_long = writer.is_long;
        let written = writer.payload(row);
        let count = written.bytes.len();
        let fits = match row.size {
            -1 => count <= 255,
            -2 => count <= 65_535 && (least == 0 || is_long == (count >= least)),
            size => usize::try_from(size) == Ok(count),
        };
        if fits {
            return written;
        }
        assert!(!is_state, "{} is written once", row.name);
    }
    panic!("{} does not fit", row.name);
}

/// A log of a revision with every packet of its table.
fn log(revision: u16, seed: u64) -> Log {
    let book = Book::of(revision, PACKETS, INFO);
    let mut log = Log::new(revision);
    let mut random = Random { book: &book, dice: Dice(seed), most: 40, is_ending: false, people: People::new(OWN), npcs: 0 };
    log.scripted(&book, "rebuild_normal", &[("zone_x", 400), ("zone_z", 401), ("key_count", 4)], true);
    for row in &book.rows {
        if row.fields.contains("_osrs") {
            log.scripted(&book, "set_active_world", &[("index", -1)], false);
        }
        if row.fields.contains("palette_entity") {
            let size = [("index", 1), ("size_x", ENTITY[0]), ("size_z", ENTITY[1]), ("size", ENTITY[0] << 4 | ENTITY[1])];
            log.scripted(&book, "set_active_world", &[("index", -1)], false);
            log.scripted(&book, "worldentity_info", &size, false);
            log.scripted(&book, "set_active_world", &[("type", 1), ("index", 1)], false);
        }
        let payload = payload(row, &mut random);
        let passed = u64::try_from(random.dice.up_to(20_000)).unwrap();
        log.packet(row, payload, passed);
    }
    log
}

fn opened(file: &[u8]) -> Result<Capture, String> {
    Capture::open(Box::new(Cursor::new(file.to_vec()))).map_err(|error| error.to_string())
}

fn speaker(ends: &Ends) -> Side {
    ends.stream.unwrap().1
}

/// Reads a log and compares every record.
fn check(revision: u16, seed: u64) -> Result<(), String> {
    let Log { file, records } = log(revision, seed);
    let mut capture = opened(&file)?;
    assert_eq!(capture.format(), Format::RsProx);
    let mut engine = Engine::new(Registry::default(), Demand::EVERYTHING);
    let header = capture.next_frame().unwrap().unwrap();
    let tree = engine.dissect(&header);
    assert!(dump(Dissection { tree, bytes: header.bytes }).contains("rs.log.host = \"world.example\""));
    for Logged { side, name, offset, length, shown } in records {
        let frame = capture.next_frame().unwrap().unwrap();
        let tree = engine.dissect(&frame);
        let speakers: Vec<Side> =
            tree.layers.iter().filter(|layer| layer.message).map(|layer| speaker(&tree.ends[layer.ends as usize])).collect();
        assert_eq!(speakers, [side], "{name}");
        let words = dump(Dissection { tree, bytes: frame.bytes });
        compare(&words, name, length, &shown).map_err(|why| format!("osrs-{revision}: {why}"))?;
        if !words.contains(&format!("rs.log.offset = {offset}\n")) {
            return Err(format!("{name} is not at {offset}: {words}"));
        }
    }
    assert!(capture.next_frame().unwrap().is_none());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn a_session_log_holds_every_packet_of_its_revision(seed in any::<u64>()) {
        for revision in 223..240 {
            if let Err(why) = check(revision, seed) {
                prop_assert!(false, "{}", why);
            }
        }
    }
}

#[test]
fn a_truncated_header_or_record_is_noted() {
    let Log { file, .. } = log(239, 223);
    for cut in [30, 60, file.len() - 1] {
        let tree = opened(&file[..cut]).and_then(|mut capture| {
            loop {
                match capture.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error.to_string()),
                }
            }
        });
        assert!(tree.is_err(), "{cut}");
    }
}

/// A log of a revision without a table shows its header, and says how to read the records.
#[test]
fn a_log_of_an_unknown_revision_asks_for_a_table() {
    let Log { mut file, .. } = log(239, 1);
    file[7] = 240;
    let mut capture = opened(&file).unwrap();
    assert!(capture.next_frame().unwrap().is_some());
    let error = capture.next_frame().unwrap_err().to_string();
    assert!(error.contains("revision 240") && error.contains("rs.table"), "{error}");
}

#[test]
fn numbers_are_written_as_the_reference_has_them() {
    for (kind, value, hex) in [
        ("u16_add_le", 0x1234, "B4 12"),
        ("i32_me", 0x1234_5678, "56 78 12 34"),
        ("i24_alt3", 0x12_3456, "34 12 56"),
        ("usmart", 200, "80 C8"),
        ("varint_le", 300, "AC 02"),
        ("varint_le_signed", -2, "03"),
    ] {
        let mut bytes = Vec::new();
        assert_eq!(encoded(kind, value, &mut bytes), value);
        assert_eq!(bytes, trial::bytes(hex), "{kind}");
    }
}
