//! A session log of OSRS 239, encoded from the column notation: two players meet, chat and fight an NPC.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the tables are the shipped ones")]

use super::log;
use super::notation::{Bits, Book, ValueRequest, Values, Writer, Written};
use super::people::{Change, People, Step, blocks, new_npc};
use crate::Result;

const PACKETS: &str = include_str!("../../../src/protocols/runescape/tables/osrs.tsv");
const INFO: &str = include_str!("../../../src/protocols/runescape/tables/osrs-info.tsv");

const REVISION: u16 = 239;

/// The local player, and another one.
const MAREN: usize = 1094;
const ODO: usize = 77;

/// Start tile of the local player.
const TILE: (i64, i64) = (3222, 3218);

/// An NPC and its type.
const GOBLIN: (i64, i64) = (5120, 3029);

/// Milliseconds of a tick.
const TICK: u64 = 600;

/// A value of the script.
enum ScriptValue<'s> {
    Number(i64),
    Text(&'s str),
    Turns(usize),
}

use ScriptValue::{Number, Text, Turns};

/// Names of blocks, and values of fields by name.
type Blocks<'s> = &'s [&'s str];
type Fields<'s> = Vec<(&'s str, ScriptValue<'s>)>;

/// Values by name, consecutive for a repeated field; zeros and empty texts by default.
struct Script<'s> {
    values: Vec<(&'s str, Vec<ScriptValue<'s>>)>,
    /// Bytes of a type that depends on the session.
    state: Vec<u8>,
}

impl<'s> Script<'s> {
    fn new(values: Vec<(&'s str, ScriptValue<'s>)>) -> Script<'s> {
        let mut script = Script { values: Vec::new(), state: Vec::new() };
        for (name, value) in values {
            match script.values.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.insert(0, value),
                None => script.values.push((name, vec![value])),
            }
        }
        script
    }

    /// The next value of a field; the last one repeats.
    fn next(&mut self, path: &str) -> Option<&ScriptValue<'s>> {
        let name = path.rsplit('.').next()?;
        let (_, values) = self.values.iter_mut().find(|(known, _)| *known == name)?;
        if values.len() > 1 {
            let last = values.pop()?;
            values.insert(0, last);
            return values.first();
        }
        values.first()
    }
}

impl Values for Script<'_> {
    fn number(&mut self, asked: &ValueRequest<'_>) -> i64 {
        match self.next(asked.path) {
            Some(Number(number)) => *number,
            _ => 0,
        }
    }

    fn text(&mut self, asked: &ValueRequest<'_>) -> String {
        match self.next(asked.path) {
            Some(Text(text)) => (*text).to_owned(),
            _ => String::new(),
        }
    }

    fn turns(&mut self, asked: &ValueRequest<'_>) -> usize {
        match self.next(asked.path) {
            Some(Turns(turns)) => *turns,
            _ => 0,
        }
    }

    fn bytes(&mut self, _: &ValueRequest<'_>, count: Option<usize>) -> Vec<u8> {
        vec![0; count.unwrap_or(0)]
    }

    fn state(&mut self, _: &ValueRequest<'_>) -> Written {
        Written { bytes: std::mem::take(&mut self.state), shown: Vec::new() }
    }
}

/// State of the session.
struct Play {
    book: Book,
    file: Vec<u8>,
    people: People,
    /// Milliseconds since the previous record.
    passed: u64,
}

impl Play {
    fn write_packet(&mut self, is_server: bool, name: &str, mut script: Script<'_>, is_long: bool) {
        let row = self.book.row(is_server, name);
        let mut writer = Writer::new(&self.book, &mut script);
        writer.is_long = is_long;
        let Written { bytes, .. } = writer.payload(&row);
        self.file.extend(log::number(self.passed << 1 | u64::from(is_server)));
        self.passed = 0;
        match row.opcode.to_be_bytes() {
            [high, low] if is_server && row.opcode > 127 => self.file.extend([high + 128, low]),
            [_, low] => self.file.push(low),
        }
        match row.size {
            -1 => self.file.push(u8::try_from(bytes.len()).unwrap()),
            -2 => self.file.extend(u16::try_from(bytes.len()).unwrap().to_be_bytes()),
            size => assert_eq!(usize::try_from(size).unwrap(), bytes.len(), "{name}"),
        }
        self.file.extend(bytes);
    }

    fn server(&mut self, name: &str, values: Vec<(&str, ScriptValue<'_>)>) {
        self.write_packet(true, name, Script::new(values), false);
    }

    fn client(&mut self, name: &str, values: Vec<(&str, ScriptValue<'_>)>) {
        self.write_packet(false, name, Script::new(values), false);
    }

    /// An update of players: changes, and blocks in order of index.
    fn players(&mut self, changes: &[(usize, Step)], with_blocks: &[(usize, Blocks<'_>, Fields<'_>)]) {
        let has = |index: usize| with_blocks.iter().any(|(known, ..)| *known == index);
        let changes: Vec<Change> =
            changes.iter().map(|(index, step)| Change { index: *index, step: *step, has_blocks: has(*index) }).collect();
        let (mut written, updated) = self.people.update(&changes);
        for index in updated {
            let (_, names, values) = with_blocks.iter().find(|(known, ..)| *known == index).unwrap();
            let values = values.iter().map(|(name, value)| (*name, value.clone())).collect();
            written.bytes.extend(blocks(&self.book, "player", names, &mut Script::new(values)).bytes);
        }
        let script = Script { values: Vec::new(), state: written.bytes };
        self.write_packet(true, "player_info", script, false);
    }

    fn npcs(&mut self, bits: Bits, with_blocks: &[(Blocks<'_>, Fields<'_>)]) {
        let mut bytes = bits.written().bytes;
        for (names, values) in with_blocks {
            let values = values.iter().map(|(name, value)| (*name, value.clone())).collect();
            bytes.extend(blocks(&self.book, "npc", names, &mut Script::new(values)).bytes);
        }
        self.write_packet(true, "npc_info_small_v5", Script { values: Vec::new(), state: bytes }, false);
    }

    fn tick(&mut self) {
        self.server("server_tick_end", Vec::new());
        self.passed = TICK;
    }
}

impl<'s> Clone for ScriptValue<'s> {
    fn clone(&self) -> ScriptValue<'s> {
        match self {
            Number(number) => Number(*number),
            Text(text) => Text(text),
            Turns(turns) => Turns(*turns),
        }
    }
}

/// Appearance of a player.
fn appearance(name: &str, level: i64) -> Vec<(&str, ScriptValue<'_>)> {
    vec![
        ("first", Number(0)),
        ("kit", Number(0x105)),
        ("ready_anim", Number(808)),
        ("turn_anim", Number(823)),
        ("walk_anim", Number(819)),
        ("run_anim", Number(824)),
        ("name", Text(name)),
        ("combat_level", Number(level)),
    ]
}

/// Public chat.
fn chat(text: &str) -> Vec<(&str, ScriptValue<'_>)> {
    vec![("text", Text(text)), ("colour_effects", Number(0))]
}

/// A hit of this many points.
fn hit(points: i64) -> Vec<(&'static str, ScriptValue<'static>)> {
    vec![("hit_count", Number(1)), ("type", Number(16)), ("value", Number(points))]
}

/// The bits of known NPCs: their number, and the change of each of the first ones.
fn known_npcs(count: i64, kinds: &[i64]) -> Bits {
    let mut bits = Bits::default();
    bits.put("rs.npc_info.count", count, 8);
    for kind in kinds {
        bits.flag("rs.move.moved", true);
        bits.put("rs.npc_info.type", *kind, 2);
    }
    bits
}

/// The log.
pub fn session() -> Result<Vec<u8>> {
    let book = Book::of(REVISION, PACKETS, INFO);
    let own = u16::try_from(MAREN)?;
    let file = log::header(REVISION.into(), own);
    let mut play = Play { book, file, people: People::new(MAREN), passed: 0 };

    // The map, the windows, the inventory: ten coins, a sword, bread, an empty slot.
    let mut script = Script::new(vec![("zone_x", Number(TILE.0 / 8)), ("zone_z", Number(TILE.1 / 8)), ("world_area", Number(1))]);
    script.state = People::init(0, TILE.0, TILE.1).bytes;
    play.write_packet(true, "rebuild_normal_v2", script, true);
    play.server("if_opentop", vec![("interface_id", Number(164))]);
    play.server("varp_small", vec![("id", Number(43)), ("value", Number(1))]);
    play.server("update_stat_v2", vec![("stat", Number(3)), ("current_level", Number(10)), ("experience", Number(1154))]);
    let items = [("obj", 996), ("count", 10), ("obj", 1278), ("count", 1), ("obj", 2310), ("count", 3), ("obj", 0), ("count", 0)];
    let mut values: Vec<(&str, ScriptValue<'_>)> = items.iter().map(|(name, number)| (*name, Number(*number))).collect();
    values.extend([("combined_id", Number(149 << 16)), ("inventory_id", Number(93)), ("capacity", Number(4))]);
    play.server("update_inv_full", values);
    play.server("message_game", vec![("type", Number(0)), ("message", Text("welcome. the bank is to the west."))]);
    play.players(&[(MAREN, Step::Still)], &[(MAREN, &["appearance"], appearance("Maren", 12))]);
    play.npcs(known_npcs(0, &[]), &[]);
    play.tick();

    // The local player walks; another player and an NPC appear.
    play.client("move_gameclick", vec![("x", Number(3225)), ("z", Number(3221))]);
    let region = (i64::from(3_228_u16) & 0x1fff, i64::from(3_220_u16) & 0x1fff);
    play.players(
        &[(MAREN, Step::Walk(7)), (ODO, Step::Appear(region.0, region.1))],
        &[(ODO, &["appearance"], appearance("Odo", 31))],
    );
    let mut bits = known_npcs(0, &[]);
    let value = |name: &str| match name {
        "index" => GOBLIN.0,
        "type" => GOBLIN.1,
        "dx" => 4,
        "dz" => 3,
        _ => 0,
    };
    play.server("set_npc_update_origin", vec![("origin_x", Number(48)), ("origin_z", Number(48))]);
    new_npc(&play.book, false, &value, &mut bits);
    play.npcs(bits, &[]);
    play.tick();

    play.players(&[(MAREN, Step::Walk(7)), (ODO, Step::Walk(3))], &[(ODO, &["chat"], chat("hello, where is the goblin?"))]);
    play.client("message_public", vec![("message", Text("it is behind you!"))]);
    play.tick();
    play.players(&[(MAREN, Step::Run(15))], &[(MAREN, &["chat"], chat("it is behind you!"))]);
    play.server(
        "message_private",
        vec![("sender", Text("Tilly")), ("world_id", Number(301)), ("message", Text("are you there?"))],
    );
    play.client("opnpc2_v2", vec![("index", Number(GOBLIN.0))]);
    play.tick();

    // The fight: the goblin turns, both hit, and an item is dropped.
    let struck = || {
        let mut bits = known_npcs(1, &[0]);
        bits.put("rs.npc_info.end", 0xffff, 16);
        bits
    };
    play.players(
        &[(MAREN, Step::Still)],
        &[(MAREN, &["sequence", "face_pathingentity"], vec![("id", Number(390)), ("index_low", Number(GOBLIN.0))])],
    );
    play.npcs(struck(), &[(&["hitmarks", "say"], [hit(3), vec![("text", Text("ouch!"))]].concat())]);
    play.tick();
    play.players(&[(MAREN, Step::Still)], &[(MAREN, &["hitmarks"], hit(1))]);
    play.npcs(struck(), &[(&["hitmarks", "sequence"], [hit(2), vec![("id", Number(309))]].concat())]);
    play.tick();
    play.players(&[], &[]);
    play.npcs(known_npcs(1, &[3]), &[]);
    play.server("update_zone_partial_follows", vec![("zone_x", Number(48)), ("zone_z", Number(48))]);
    play.server("loc_anim", vec![("id", Number(714)), ("coord_in_zone", Number(0x35))]);
    play.server(
        "obj_add_specific",
        vec![("id", Number(526)), ("quantity", Number(1)), ("coord_grid", Number(3226 << 14 | 3222)), ("op_flags", Number(31))],
    );
    play.server(
        "update_inv_partial",
        vec![
            ("combined_id", Number(149 << 16)),
            ("inventory_id", Number(93)),
            ("objs", Turns(1)),
            ("slot", Number(3)),
            ("obj", Number(527)),
            ("count", Number(1)),
        ],
    );
    play.server(
        "runclientscript",
        vec![
            ("types", Text("isW")),
            ("count", Number(2)),
            ("element", Number(7)),
            ("number", Number(1337)),
            ("text", Text("done")),
            ("id", Number(915)),
        ],
    );
    play.tick();
    play.players(&[(MAREN, Step::Walk(1)), (ODO, Step::Leave)], &[]);
    play.client("if_buttonx", vec![("combined_id", Number(182 << 16 | 8)), ("op", Number(1))]);
    play.tick();
    play.server("logout", Vec::new());
    Ok(play.file)
}
