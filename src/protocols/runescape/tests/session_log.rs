//! RSProx session logs of every revision, with every packet of its table.

use super::game::Game;
use super::log_writer::{INFO, Log, Logged, OWN, PACKETS, TILE, opened};
use super::notation::{Bits, Book, Row, ValueRequest, Values, Writer, Written, encoded};
use super::people::{Change, People, Step, blocks, new_npc};
use super::places::compare;
use super::random_packets::Dice;
use super::*;
use crate::input::{Capture, Options};
use crate::tree::dump;
use crate::wire::trial;
use proptest::prelude::*;
use std::io::Cursor;

/// Zones of the world entity that is active.
const ENTITY: [i64; 2] = [2, 3];

/// Letters of types that scripts take.
const SCRIPT: &str = "isWXÏ";

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
    fn some_blocks(&mut self, entity: &str) -> Vec<&'static str> {
        let all = self.book.blocks(entity);
        let first = all[self.dice.up_to(all.len() - 1)].name;
        let others: Vec<&str> = all.iter().map(|row| row.name).filter(|_| self.dice.up_to(5) == 0).collect();
        [vec![first], others].concat()
    }

    fn blocks(&mut self, entity: &str, out: &mut Written) {
        let (book, names) = (self.book, self.some_blocks(entity));
        out.append(blocks(book, entity, &names, self));
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
        let mut bits = Bits::default();
        let count = self.dice.up_to(self.npcs);
        bits.put("rs.npc_info.count", i64::try_from(count).unwrap(), 8);
        let (mut stay, mut updates) = (0, 0);
        for _ in 0..count {
            let kind = self.dice.up_to(4);
            bits.flag("rs.move.moved", kind > 0);
            let Some(kind) = kind.checked_sub(1) else {
                stay += 1;
                continue;
            };
            bits.put("rs.npc_info.type", i64::try_from(kind).unwrap(), 2);
            let mut direction = |bits: &mut Bits, name: &str| {
                bits.put(&format!("rs.move.{name}"), i64::try_from(self.dice.up_to(7)).unwrap(), 3);
            };
            match kind {
                0 => updates += 1,
                1 => direction(&mut bits, "direction"),
                2 => {
                    let runs = self.npcs.is_multiple_of(2);
                    bits.flag("rs.npc_info.runs", runs);
                    direction(&mut bits, "direction");
                    if runs {
                        direction(&mut bits, "direction2");
                    }
                }
                _ => continue,
            }
            stay += 1;
            if kind > 0 {
                let update = self.bit();
                bits.flag("rs.move.update", update);
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
            new_npc(self.book, is_large, &value, &mut bits);
            updates += usize::from(value("update") & 1 == 1);
            stay += 1;
        }
        self.npcs = stay;
        if updates > 0 {
            bits.put("rs.npc_info.end", 0xffff, 16);
        }
        let mut out = bits.written();
        (0..updates).for_each(|_| self.blocks("npc", &mut out));
        out
    }

    fn palette(&mut self, width: i64, length: i64) -> Written {
        let mut bits = Bits::default();
        for _ in 0..4 * width * length {
            if self.dice.up_to(5) > 0 {
                bits.text.push('0');
                continue;
            }
            let values = [(); 5].map(|()| self.dice.roll().cast_signed());
            zone(&mut bits, values);
        }
        bits.written()
    }
}

/// Writes a zone that is there: level, zone, rotation and the unused bit.
pub fn zone(bits: &mut Bits, values: [i64; 5]) {
    bits.flag("rs.palette.present", true);
    let widths = [("level", 2), ("zone_x", 10), ("zone_y", 11), ("rotation", 2), ("unused", 1)];
    for ((name, width), value) in widths.into_iter().zip(values) {
        bits.put(&format!("rs.palette.{name}"), value, width);
    }
}

/// A number within the range of a type, from a random one.
fn within(kind: &str, number: i64) -> i64 {
    match kind {
        "usmart_null" if number != -1 => (number & 0x7fff) - 1,
        "bigsmart_null" if number & 7 == 7 => -1,
        "bigsmart_null" => number & 0x7fff_ffff,
        "part" if number & 1 == 0 => 0,
        "part" => number & 0x7fff | 256,
        "i64_ff" if number & 1 == 0 => -1,
        "i64_ff" => number & i64::MAX,
        // Eight letters or digits.
        "name37" => number.unsigned_abs().to_be_bytes().iter().fold(0, |name, byte| 37 * name + i64::from(byte % 36) + 1),
        _ => number,
    }
}

impl Values for Random<'_> {
    fn number(&mut self, asked: &ValueRequest<'_>) -> i64 {
        if asked.is_count {
            return i64::try_from(self.dice.up_to(self.most.min(6))).unwrap();
        }
        if self.is_ending && asked.path.ends_with(".op") {
            return 0;
        }
        let random = self.dice.roll().cast_signed() ^ self.dice.roll().cast_signed() << 31;
        let number = match asked.hints {
            hints @ [_, ..] if self.dice.up_to(3) > 0 => {
                let hint = hints[self.dice.up_to(hints.len() - 1)];
                // Without a cache, lists whose length is in it cannot be read.
                let is_of_cache = asked.path.contains("_customisation") && !asked.path.contains("_v3");
                let hint = hint | if self.bit() { hints[0] } else { 0 };
                if is_of_cache { hint & !12 } else { hint }
            }
            _ if asked.path.contains("_customisation") => random & !12,
            _ => random,
        };
        within(asked.kind, number)
    }

    fn text(&mut self, asked: &ValueRequest<'_>) -> String {
        let letters = if asked.path.ends_with(".types") { SCRIPT } else { "abc defghijk lmnopqrs tuvwxyz,.!?'" };
        let letters: Vec<char> = letters.chars().collect();
        (0..self.dice.up_to(self.most.min(12))).map(|_| letters[self.dice.up_to(letters.len() - 1)]).collect()
    }

    fn turns(&mut self, asked: &ValueRequest<'_>) -> usize {
        self.is_ending = asked.path == "rs.until" && asked.is_count;
        self.dice.up_to(self.most.min(4))
    }

    fn bytes(&mut self, _: &ValueRequest<'_>, count: Option<usize>) -> Vec<u8> {
        let count = count.unwrap_or_else(|| self.dice.up_to(self.most));
        self.dice.bytes(count)
    }

    fn state(&mut self, asked: &ValueRequest<'_>) -> Written {
        match asked.kind {
            "gpi_init" => {
                self.people = People::new(OWN);
                People::init(0, TILE.0, TILE.1)
            }
            "player_info_osrs" => self.player_info(),
            "palette" => self.palette(13, 13),
            "palette_entity" => self.palette(ENTITY[0], ENTITY[1]),
            kind => self.npc_info(kind.contains("large")),
        }
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
    let mut log = Log::new(revision, OWN);
    let mut random = Random { book: &book, dice: Dice(seed), most: 40, is_ending: false, people: People::new(OWN), npcs: 0 };
    log.scripted(&book, "rebuild_normal", &[("zone_x", 400), ("zone_z", 401), ("key_count", 4)], true);
    for row in &book.rows {
        if row.fields.contains("_osrs") {
            log.scripted(&book, "set_active_world", &[("index", -1)], false);
        }
        if row.fields.contains("palette_entity") {
            log.enter_entity(&book, ENTITY);
        }
        let payload = payload(row, &mut random);
        let passed = u64::try_from(random.dice.up_to(20_000)).unwrap();
        log.packet(row, payload, passed);
    }
    log
}

/// Reads a log and compares every record.
fn check(revision: u16, seed: u64) -> Result<(), String> {
    log(revision, seed).read(|logged, of| {
        let Logged { side, name, offset, length, shown } = logged;
        let layers = of.tree.layers.iter().filter(|layer| layer.message);
        let speakers: Vec<Side> = layers.map(|layer| of.tree.ends[layer.ends as usize].stream.unwrap().1).collect();
        assert_eq!(speakers, [*side], "{name}");
        compare(of, name, *length, shown).map_err(|why| format!("osrs-{revision}: {why}"))?;
        if dump(of).contains(&format!("rs.log.offset = {offset}\n")) {
            Ok(())
        } else {
            Err(format!("{name} is not at {offset}: {}", dump(of)))
        }
    })
}

/// Two tests check a half of the revisions each, at the same time.
fn check_all(mut revisions: std::ops::Range<u16>, seed: u64) -> Result<(), TestCaseError> {
    revisions.try_for_each(|revision| check(revision, seed)).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(trial::share_of(8)))]

    #[test]
    fn a_session_log_holds_every_packet_of_an_earlier_revision(seed in any::<u64>()) {
        check_all(223..232, seed)?;
    }

    #[test]
    fn a_session_log_holds_every_packet_of_a_later_revision(seed in any::<u64>()) {
        check_all(232..240, seed)?;
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

/// A log of a revision without a table shows its header, and the error names both ways to read the records.
#[test]
fn a_log_of_an_unknown_revision_asks_for_a_table() {
    let Log { mut file, .. } = log(239, 1);
    file[7] = 240;
    let mut capture = opened(&file).unwrap();
    assert!(capture.next_frame().unwrap().is_some());
    let error = capture.next_frame().unwrap_err().to_string();
    assert!(error.contains("revision 240") && error.contains("rs.table") && error.contains("rs.revision"), "{error}");
}

/// The time before a packet counts to each extent.
#[test]
fn records_without_a_known_packet_have_extents_with_their_time() {
    let revision = Table::revisions().find(|revision| revision.is_osrs).unwrap();
    let mut game = Game::default();
    game.begin_log(revision, Table::of(revision), 1, 40);
    game.lose(Side::Server, 3);
    let record = [0x83, 0x02, 1, 2, 3];
    assert_eq!(game.extent(Side::Server, &record, true), Extent::Message(5));
    let tree = trial::read(&PROTOCOL, &record, Cut::No, |wire| game.message(Side::Server, wire));
    assert!(tree.contains("rs.log.offset = 40") && tree.contains("0..2 rs.log.record"), "{tree}");
    assert_eq!(game.extent(Side::Server, &record, true), Extent::Unknown(5));
    assert_eq!(game.extent(Side::Server, &record[..1], true), Extent::NeedMore(2));
    assert_eq!(game.extent(Side::Server, &[0xff; 20], true), Extent::Unknown(20));
}

#[test]
fn a_given_revision_overrides_that_of_the_log() {
    let Log { mut file, records } = log(239, 1);
    file[7] = 240;
    let mut settings = Settings::new();
    settings.set(PROTOCOL.settings.iter().find(|setting| setting.name == "rs.revision").unwrap(), "osrs-239".into());
    let options = Options { settings: Box::leak(Box::new(settings)), ..Options::default() };
    let mut capture = Capture::open_with(Box::new(Cursor::new(file)), options).unwrap();
    let mut frames = 0;
    while capture.next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert_eq!(frames, 1 + records.len());
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
