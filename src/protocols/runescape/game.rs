//! Game packets: decrypted opcodes, sizes and fields from the tables.

use super::detect::Confidence;
use super::direction::{Direction, Head, Lost, MISFITS, Opcodes, body, note_lost};
use super::fields::*;
use super::login::{Cipher, Response};
use super::osrs::{self, Osrs};
use super::plain_opcodes::{Detection, Doubt, End, Trial, framed};
use super::reader::{Line, Reader};
use super::tables::{Entity, Revision, Row, Scopes, Size, Table, Updates};
use super::types::{Read, Smart};
use super::world::World;
use crate::tree::{BySide, Side, Value};
use crate::wire::{Cut, Error, Extent, Result, Wire};
use std::sync::Arc;

/// State of the game service of a connection.
#[derive(Default)]
pub struct Game {
    /// Configured bit width of NPC IDs.
    pub npc_bits: Option<u8>,
    /// Index of the local player, if it is given.
    pub player_index: Option<u16>,
    revision: Revision,
    table: Option<Arc<Table>>,
    pub(super) players: Option<Arc<Updates>>,
    pub(super) npcs: Option<Arc<Updates>>,
    directions: BySide<Direction>,
    doubt: Doubt,
    /// How the table was detected, for a note.
    pub detected: Option<Confidence>,
    /// Packets that match if opcodes are in clear, for a note.
    fitting: Option<usize>,
    /// Offset of the next record, in a log.
    log: Option<u64>,
    pub world: World,
    pub osrs: Osrs,
    line: Line,
    pub scopes: Scopes,
}

impl Game {
    /// Starts a session.
    pub fn begin(&mut self, revision: Revision, table: Option<Arc<Table>>, cipher: Cipher) {
        self.revision = revision;
        self.table = table;
        self.osrs = Osrs::new(self.player_index);
        let updates = |entity| Updates::of(revision.number, entity).filter(|_| !revision.is_osrs);
        self.players = updates(Entity::Player);
        self.npcs = updates(Entity::Npc).map(|updates| match self.npc_bits {
            Some(bits) => Arc::new(updates.with_type_bits(bits)),
            None => updates,
        });
        self.directions = BySide::new(|side| Direction::of(cipher.opcodes(side)));
        self.doubt = match cipher {
            Cipher::Unknown => Doubt::Trial(Trial::default()),
            Cipher::Seeded(_) => Doubt::Seeds,
            Cipher::Off => Doubt::None,
        };
    }

    /// Stores the session properties in a login response.
    pub fn logged_in(&mut self, Response { own, words, .. }: Response) {
        self.osrs.own = self.player_index.or(own);
        if let Opcodes::Under(isaac) = &mut self.directions[Side::Server].opcodes {
            for _ in 0..words {
                isaac.next_word();
            }
        }
    }

    /// Whether the packets of the session are known.
    pub fn has_table(&self) -> bool {
        self.table.is_some()
    }

    /// Packets of the session.
    pub fn table(&self) -> Option<Arc<Table>> {
        self.table.clone()
    }

    /// Resumes a session whose login was not captured.
    pub fn begin_midway(&mut self, table: Arc<Table>, cipher: Cipher) {
        if self.table.is_none() {
            self.begin(table.revision, Some(table), cipher);
        }
    }

    /// Starts a session log: opcodes are in clear, and a time precedes each packet. Its header had this many bytes.
    pub fn begin_log(&mut self, revision: Revision, table: Option<Arc<Table>>, own: u16, header: usize) {
        self.begin(revision, table, Cipher::Off);
        self.osrs.own = self.player_index.or(Some(own));
        self.log = u64::try_from(header).ok();
    }

    /// Records lost bytes of a side; the cipher position is unknown.
    pub fn lose(&mut self, from: Side, bytes: u64) {
        self.directions[from].lose(bytes);
    }

    /// Returns the end of the next packet.
    pub fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        if let Some(needed) = self.settle(from, ahead, more) {
            return Extent::NeedMore(needed);
        }
        if self.log.is_none() {
            return self.packet_extent(from, ahead, more);
        }
        match Smart::VarintBe.read(ahead) {
            Read::Number(_, used, _) => match self.packet_extent(from, ahead.get(used..).unwrap_or_default(), more) {
                Extent::Message(length) => Extent::Message(used + length),
                Extent::NeedMore(length) => Extent::NeedMore(used + length),
                Extent::Unknown(length) => Extent::Unknown(used + length),
                Extent::Segment => Extent::Segment,
            },
            Read::Short => Extent::NeedMore(ahead.len() + 1),
            Read::TooLong => Extent::Unknown(ahead.len()),
        }
    }

    /// Decides whether opcodes are in clear. Returns the number of bytes needed to decide.
    fn settle(&mut self, from: Side, ahead: &[u8], more: bool) -> Option<usize> {
        let table = self.table.clone()?;
        if matches!(self.doubt, Doubt::Seeds) {
            let mut direction = Direction::of(self.directions[from].opcodes.clone());
            let is_wrong = framed(&mut direction, &table, from, ahead).1 == End::Misfit;
            self.doubt = if is_wrong { Doubt::Trial(Trial::default()) } else { Doubt::None };
        }
        let is_keyless = matches!(self.directions[from].opcodes, Opcodes::Unknown);
        let Doubt::Trial(trial) = &mut self.doubt else { return None };
        match trial.examine(&table, from, ahead) {
            Detection::Unsure(needed) if more => return Some(needed),
            Detection::Clear(packets) => {
                self.fitting = Some(packets);
                self.directions.iter_mut().for_each(|direction| direction.opcodes = Opcodes::Clear);
            }
            Detection::Unsure(_) if is_keyless => self.fitting = Some(trial.packets()),
            Detection::Unsure(_) | Detection::No => {}
        }
        self.doubt = Doubt::None;
        None
    }

    fn packet_extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let Some(table) = self.table.clone() else { return Extent::Message(ahead.len()) };
        let direction = &mut self.directions[from];
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
            None => match direction.next(from, ahead, table.has_long_opcodes()) {
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
        if let Some(offset) = &mut self.log {
            wire.add(&LOG_OFFSET, Value::Unsigned(*offset));
            *offset += u64::try_from(wire.remaining()).unwrap_or_default();
            Smart::VarintBe.take(wire, &LOG_RECORD)?;
        }
        let direction = &mut self.directions[from];
        if let Some(lost) = direction.lost.filter(|_| !direction.is_noted) {
            direction.is_noted = true;
            return note_lost(wire, direction.head, lost);
        }
        let is_enciphered = matches!(direction.opcodes, Opcodes::Under(_));
        let is_unknown = matches!(direction.opcodes, Opcodes::Unknown);
        let head = direction.head.take();
        let Some(table) = self.table.clone() else {
            return data(wire, |wire, left| match self.revision {
                Revision { number: 0, .. } => {
                    wire.note_layer(&ENCIPHERED, format_args!("{left} bytes; unknown revision: -o rs.revision="))
                }
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
        self.note_inferences(from, wire);
        let Some(head) = head else { return Err(Error::Malformed) };
        let Some(row) = table.row(from, head.opcode) else { return Err(Error::Malformed) };
        let result = self.packet(from, wire, &table, row, head, is_enciphered);
        let direction = &mut self.directions[from];
        direction.misfits = if result.is_err() && wire.cut() == Cut::No { direction.misfits + 1 } else { 0 };
        if direction.misfits >= MISFITS && is_enciphered {
            direction.lost = Some(Lost::Layout);
        }
        result
    }

    /// Notes what was inferred instead of known.
    fn note_inferences(&mut self, from: Side, wire: &mut Wire<'_>) {
        if let Some(words) = self.directions[from].resumed.take() {
            wire.note_layer(&RESUMED, format_args!("opcodes lost before, inferred from the packets that follow: {words}"));
        }
        if let Some(confidence) = self.detected.take() {
            wire.note_layer(&DETECTED, format_args!("{confidence}"));
        }
        if let Some(packets) = self.fitting.take() {
            wire.note_layer(&IN_CLEAR, format_args!("{packets} packets fit without a cipher"));
        }
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
        let mut line = std::mem::take(&mut self.line);
        line.clear(wire.wants_summary() || wire.wants_objects());
        let read = wire.within(size, &TRAILING, |wire| {
            let Some(layout) = &row.layout else { return wire.rest_is(&PAYLOAD) };
            let result = Reader::new(self, table, row.name, &mut line).payload(wire, layout);
            self.world.take(row.name, &line);
            if table.revision.is_osrs {
                if let Some(corner) = self.osrs.take(table.revision.number, row.name, &line) {
                    self.world.move_to(corner);
                }
                osrs::spoken(&mut self.osrs, wire, (row.name, from), &mut line);
            }
            match result {
                Err(Error::Short { needed }) if wire.cut() == Cut::No => {
                    wire.malformed(&MALFORMED, format_args!("{needed} bytes too few for {}", row.name))
                }
                other => other,
            }
        });
        wire.info(format_args!("{line}"));
        self.line = line;
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
