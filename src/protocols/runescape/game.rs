//! Game packets: decrypted opcodes, sizes and fields from the tables.

use super::direction::{Direction, Head, Lost, MISFITS, Opcodes, body, note_lost};
use super::fields::*;
use super::login::Cipher;
use super::plain_opcodes::{Detection, Doubt, End, Trial, framed};
use super::tables::{Column, Entity, Row, Size, Table, Updates};
use super::types::{Decoded, Name, Place, Read, Smart, Type};
use super::update;
use super::world::World;
use crate::tree::{Side, Value};
use crate::wire::{Cut, Error, Extent, Result, Wire};
use std::fmt;
use std::sync::Arc;

/// Packets about a tile of a zone.
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

/// Fields that hold a player index.
const PLAYERS: [&str; 3] = ["player", "pid", "owner"];

/// State of the game service of a connection.
#[derive(Default)]
pub struct Game {
    /// Configured bit width of NPC IDs.
    pub npc_bits: Option<u8>,
    revision: u16,
    table: Option<Arc<Table>>,
    players: Option<Arc<Updates>>,
    npcs: Option<Arc<Updates>>,
    halves: [Direction; 2],
    doubt: Doubt,
    /// Packets that match if opcodes are in clear, for a note.
    fitting: Option<usize>,
    is_log: bool,
    pub world: World,
}

impl Game {
    /// Starts a session.
    pub fn begin(&mut self, revision: u16, table: Option<Arc<Table>>, cipher: Cipher) {
        self.revision = revision;
        self.table = table;
        self.players = Updates::of(revision, Entity::Player);
        self.npcs = Updates::of(revision, Entity::Npc).map(|updates| match self.npc_bits {
            Some(bits) => Arc::new(updates.with_type_bits(bits)),
            None => updates,
        });
        self.halves = Side::BOTH.map(|side| Direction::of(cipher.opcodes(side)));
        self.doubt = match cipher {
            Cipher::Unknown => Doubt::Trial(Trial::default()),
            Cipher::Seeded(_) => Doubt::Seeds,
            Cipher::Off => Doubt::None,
        };
    }

    /// Resumes a session whose login was not captured.
    pub fn begin_midway(&mut self, table: Arc<Table>, cipher: Cipher) {
        if self.table.is_none() {
            self.begin(table.revision, Some(table), cipher);
        }
    }

    /// Starts a session log: opcodes are in clear, and a time precedes each packet.
    pub fn begin_log(&mut self, revision: u16, table: Option<Arc<Table>>) {
        self.begin(revision, table, Cipher::Off);
        self.is_log = true;
    }

    /// Records lost bytes of a side; the cipher position is unknown.
    pub fn lose(&mut self, from: Side, bytes: u64) {
        self.direction(from).lose(bytes);
    }

    fn direction(&mut self, from: Side) -> &mut Direction {
        let [client, server] = &mut self.halves;
        match from {
            Side::Client => client,
            Side::Server => server,
        }
    }

    /// Returns where the next packet ends.
    pub fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if let Some(needed) = self.settle(from, ahead, more) {
            return Extent::NeedMore(needed);
        }
        if !self.is_log {
            return self.packet_extent(from, ahead, more);
        }
        match Smart::VarintBe.read(ahead) {
            Read::Number(_, used, _) => match self.packet_extent(from, ahead.get(used..).unwrap_or_default(), more) {
                Extent::Message(length) => Extent::Message(used + length),
                Extent::NeedMore(length) => Extent::NeedMore(used + length),
                Extent::Unknown(length) => Extent::Unknown(used + length),
            },
            Read::Short => Extent::NeedMore(ahead.len() + 1),
            Read::TooLong => Extent::Unknown(ahead.len()),
        }
    }

    /// Decides whether opcodes are in clear. Returns the number of bytes needed to decide.
    fn settle(&mut self, from: Side, ahead: &[u8], more: bool) -> Option<usize> {
        let table = self.table.clone()?;
        if matches!(self.doubt, Doubt::Seeds) {
            let mut direction = Direction::of(self.direction(from).opcodes.clone());
            let is_wrong = framed(&mut direction, &table, from, ahead).1 == End::Misfit;
            self.doubt = if is_wrong { Doubt::Trial(Trial::default()) } else { Doubt::None };
        }
        let is_keyless = matches!(self.direction(from).opcodes, Opcodes::Unknown);
        let Doubt::Trial(trial) = &mut self.doubt else { return None };
        match trial.examine(&table, from, ahead) {
            Detection::Unsure(needed) if more => return Some(needed),
            Detection::Clear(packets) => {
                self.fitting = Some(packets);
                self.halves.iter_mut().for_each(|direction| direction.opcodes = Opcodes::Clear);
            }
            Detection::Unsure(_) if is_keyless => self.fitting = Some(trial.packets()),
            Detection::Unsure(_) | Detection::No => {}
        }
        self.doubt = Doubt::None;
        None
    }

    fn packet_extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(table) = self.table.clone() else { return Extent::Message(ahead.len()) };
        let direction = self.direction(from);
        if let Some(extent) = direction.resume(&table, from, ahead, more) {
            return extent;
        }
        match direction.lost {
            Some(Lost::Gap) if !direction.is_noted => return Extent::Message(ahead.len()),
            Some(_) if direction.is_noted => return Extent::Unknown(ahead.len()),
            Some(_) => return Extent::Message(ahead.len()),
            None => {}
        }
        let head = match direction.head {
            Some(head) => head,
            None => match direction.next(from, ahead, table.has_long_opcodes) {
                Ok(head) => head,
                Err(extent) => return extent,
            },
        };
        direction.head = Some(head);
        let Some(row) = table.row(from, head.opcode) else {
            direction.lost = Some(Lost::Opcode(head.opcode));
            return Extent::Message(ahead.len());
        };
        let (prefix, length) = match body(row.size, ahead.get(head.width..).unwrap_or_default()) {
            Ok(body) => body,
            Err(needed) => return Extent::NeedMore(head.width + needed),
        };
        let is_enciphered = matches!(direction.opcodes, Opcodes::Under(_));
        if is_enciphered && table.longest().is_some_and(|longest| length > longest) {
            direction.lost = Some(Lost::Length(head.opcode, length));
            return Extent::Message(ahead.len());
        }
        Extent::Message(head.width + prefix + length)
    }

    /// Reads a packet, or notes why it cannot be read.
    ///
    /// # Errors
    /// If the payload does not fit its layout.
    pub fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        if self.is_log {
            Smart::VarintBe.take(wire, &LOG_RECORD)?;
        }
        let direction = self.direction(from);
        if let Some(lost) = direction.lost.filter(|_| !direction.is_noted) {
            direction.is_noted = true;
            return note_lost(wire, direction.head, lost);
        }
        let is_enciphered = matches!(direction.opcodes, Opcodes::Under(_));
        let is_unknown = matches!(direction.opcodes, Opcodes::Unknown);
        let head = direction.head.take();
        let Some(table) = self.table.clone() else {
            return data(wire, |wire, left| match self.revision {
                0 => wire.note_layer(&ENCIPHERED, format_args!("{left} bytes; unknown revision: -o rs.revision=")),
                revision => {
                    wire.note_layer(&NO_TABLE, format_args!("{left} bytes; revision {revision} has no table: -o rs.table=FILE"))
                }
            });
        };
        if is_unknown {
            let fitting = self.fitting.take().filter(|packets| *packets > 0);
            return data(wire, |wire, left| {
                let keys = "-o rs.rsa_key=FILE, rs.keys=FILE, rs.isaac=SEEDS or rs.isaac=off";
                wire.note_layer(&ENCIPHERED, format_args!("{left} bytes of game packets, but no key: {keys}"));
                if let Some(packets) = fitting {
                    wire.note_layer(&MAY_BE_CLEAR, format_args!("{packets} fit; that may be chance: -o rs.isaac=off"));
                }
            });
        }
        if let Some(words) = self.direction(from).resumed.take() {
            wire.note_layer(&RESUMED, format_args!("opcodes lost before, inferred from the packets that follow: {words}"));
        }
        if let Some(packets) = self.fitting.take() {
            wire.note_layer(&IN_CLEAR, format_args!("{packets} packets fit without a cipher"));
        }
        let Some(head) = head else { return Err(Error::Malformed) };
        let Some(row) = table.row(from, head.opcode) else { return Err(Error::Malformed) };
        let result = self.packet(from, wire, &table, row, head, is_enciphered);
        let direction = self.direction(from);
        direction.misfits = if result.is_err() && wire.cut() == Cut::No { direction.misfits + 1 } else { 0 };
        if direction.misfits >= MISFITS && is_enciphered {
            direction.lost = Some(Lost::Layout);
        }
        result
    }

    fn packet(&mut self, from: Side, wire: &mut Wire<'_>, table: &Table, row: &Row, head: Head, is_enciphered: bool) -> Result {
        wire.name(row.name);
        if is_enciphered {
            let sent = wire.ahead().iter().take(head.width).fold(0, |sent, byte| sent << 8 | u64::from(*byte));
            let start = wire.at();
            wire.put(&OPCODE_WIRE, Value::Unsigned(sent), start..start + head.width);
        }
        let start = wire.at();
        wire.skip(head.width)?;
        wire.put(&OPCODE, Value::Unsigned(head.opcode.into()), start..wire.at());
        wire.add_text(&PACKET, format_args!("{}", row.name));
        wire.add_text(&DIRECTION, format_args!("{from}"));
        let size = match row.size {
            Size::Fixed(size) => size.into(),
            Size::Byte => usize::from(wire.u8(&SIZE)?),
            Size::Short => usize::from(wire.u16_be(&SIZE)?),
        };
        let mut line = Line::default();
        let read = wire.within(size, &TRAILING, |wire| {
            let Some(columns) = &row.columns else {
                wire.rest(&PAYLOAD);
                return Ok(());
            };
            let mut reader = Reader { game: self, table, line: &mut line, met: None, depth: 0 };
            let result = reader.columns(wire, columns);
            self.world.take(row.name, &line);
            match result {
                Err(Error::Short { needed }) if wire.cut() == Cut::No => {
                    wire.malformed(&MALFORMED, format_args!("{needed} bytes too few for {}", row.name))
                }
                other => other,
            }
        });
        wire.info(format_args!("{line}"));
        read
    }
}

/// Adds undecoded bytes, with a note.
fn data(wire: &mut Wire<'_>, why: impl FnOnce(&mut Wire<'_>, usize)) -> Result {
    wire.name("data");
    let left = wire.remaining();
    wire.info(format_args!("{left} bytes"));
    why(wire, left);
    Err(Error::Malformed)
}

/// Maximum values in the summary line.
const SUMMARY_VALUES: usize = 4;

/// Maximum values kept of a packet.
const KEPT: usize = 8;

/// Values of a packet, for the summary and the world state.
#[derive(Default)]
pub struct Line<'a> {
    kept: [Option<(&'static str, Decoded<'a>)>; KEPT],
    /// Counts shown in place of the values.
    pub seen: Option<Counts>,
}

/// Number of tracked entities and of updates.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Players or NPCs.
    pub entity: Entity,
    /// Number of other entities tracked.
    pub others: usize,
    /// Number of entities with extended information.
    pub updates: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { entity, others, updates } = *self;
        let (one, many) = if entity == Entity::Player { ("other player", "other players") } else { ("NPC", "NPCs") };
        let ending = if updates == 1 { "" } else { "s" };
        write!(f, "{others} {}, {updates} update{ending}", if others == 1 { one } else { many })
    }
}

impl<'a> Line<'a> {
    fn keep(&mut self, name: &'static str, decoded: Decoded<'a>) {
        if let Some(slot) = self.kept.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some((name, decoded));
        }
    }

    /// Returns the number in a field.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.kept.iter().flatten().find(|(known, _)| *known == name)?.1 {
            Decoded::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seen) = &self.seen {
            return seen.fmt(f);
        }
        let shown = self.kept.iter().flatten().filter(|(_, decoded)| !matches!(decoded, Decoded::Unsummarized));
        for (at, (name, decoded)) in shown.take(SUMMARY_VALUES).enumerate() {
            let between = if at > 0 { ", " } else { "" };
            match decoded {
                Decoded::Text(_) | Decoded::Packed(_) | Decoded::Coded(_) => write!(f, "{between}{decoded}")?,
                _ => write!(f, "{between}{} {decoded}", Words(name))?,
            }
        }
        Ok(())
    }
}

/// A name with spaces.
struct Words(&'static str);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.split('_').enumerate().try_for_each(|(at, word)| write!(f, "{}{word}", if at > 0 { " " } else { "" }))
    }
}

/// A revision and the number of settings of its clients.
const VARPS: (u16, i64) = (317, 2000);

/// Reader of packet fields.
pub struct Reader<'r, 'a> {
    pub game: &'r mut Game,
    table: &'r Table,
    pub line: &'r mut Line<'a>,
    /// Name in the last appearance.
    pub met: Option<Name>,
    depth: u8,
}

impl<'a> Reader<'_, 'a> {
    /// Reads fields in order.
    ///
    /// # Errors
    /// If the bytes end inside a field or are invalid.
    pub fn columns(&mut self, wire: &mut Wire<'a>, columns: &[Column]) -> Result {
        let mut place = Place::default();
        for column in columns {
            place.after = column.after;
            let decoded = match column.of {
                Type::PlayerInfo => self.info(wire, Entity::Player)?,
                Type::NpcInfo => self.info(wire, Entity::Npc)?,
                Type::ZonePackets => wire.group(column.field, |wire| self.zone_packets(wire))?,
                of => {
                    let start = wire.at();
                    let decoded = of.read(wire, column.field, place)?;
                    if let Decoded::Number(number) = decoded {
                        if column.name == "varp" && self.table.revision == VARPS.0 && number >= VARPS.1 {
                            wire.note(&ODD, format_args!("{number}; clients of {} have {}, from 0", VARPS.0, VARPS.1));
                        }
                        self.explain(wire, column, number, start);
                        match column.name {
                            "capacity" => place.capacity = Some(number),
                            "length" => place.length = usize::try_from(number).ok(),
                            _ => {}
                        }
                    }
                    if let (Type::Appearance(_), Decoded::Name(name)) = (of, decoded) {
                        self.met = Some(name);
                    }
                    decoded
                }
            };
            if self.depth == 0 {
                self.line.keep(column.name, decoded);
            }
        }
        Ok(())
    }

    /// Adds derived fields of a number.
    fn explain(&mut self, wire: &mut Wire<'a>, column: &Column, number: i64, start: usize) {
        for part in column.parts {
            wire.put(part.field, Value::Signed(number >> part.shift & part.mask), start..wire.at());
        }
        if !wire.wants(&[&WORLD_X, &WORLD_Y, &PLAYER_NAME]) {
            return;
        }
        if column.name.starts_with("coord")
            && let Some((x, y)) = self.game.world.tile(number)
        {
            wire.add(&WORLD_X, Value::Signed(x));
            wire.add(&WORLD_Y, Value::Signed(y));
        }
        if PLAYERS.contains(&column.name)
            && let Some(name) = self.game.world.player(number)
        {
            wire.add_text(&PLAYER_NAME, format_args!("{name}"));
        }
    }

    fn info(&mut self, wire: &mut Wire<'a>, entity: Entity) -> Result<Decoded<'a>> {
        let updates = if entity == Entity::Player { self.game.players.clone() } else { self.game.npcs.clone() };
        match updates {
            Some(updates) => {
                self.depth += 1;
                let result = update::info(self, wire, &updates, entity);
                self.depth -= 1;
                result?;
            }
            None => {
                wire.rest(&PAYLOAD);
            }
        }
        Ok(Decoded::Unsummarized)
    }

    /// Packets about tiles of one zone, with opcodes in clear.
    fn zone_packets(&mut self, wire: &mut Wire<'a>) -> Result<Decoded<'a>> {
        let zone = (self.line.number("zone_x"), self.line.number("zone_y"));
        self.game.world.enter_zone(zone);
        while let Some(opcode) = wire.ahead().first() {
            let row = self.table.row(Side::Server, u16::from(*opcode)).filter(|row| OF_ZONES.contains(&row.name));
            let Some((row, columns)) = row.and_then(|row| Some((row, row.columns.clone()?))) else {
                wire.note_ahead(&MALFORMED, format_args!("opcode {opcode} is not a zone packet"));
                wire.rest(&PAYLOAD);
                return Ok(Decoded::Unsummarized);
            };
            wire.group(&INNER, |wire| {
                wire.u8(&OPCODE)?;
                wire.add_text(&PACKET, format_args!("{}", row.name));
                self.depth += 1;
                let result = self.columns(wire, &columns);
                self.depth -= 1;
                result
            })?;
        }
        Ok(Decoded::Unsummarized)
    }
}
