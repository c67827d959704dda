//! Reads the fields of a packet as its table lays them out.

mod line;

use super::fields::*;
use super::game::Game;
use super::osrs;
use super::tables::{Body, Column, Cond, Entity, Layout, Manner, Repeat, Scopes, Table};
use super::types::{Cp1252, Decoded, Ending, Name, Turn, Type, ValueContext};
use super::update;
use crate::tree::{Side, Value};
use crate::wire::{Error, Result, Wire};
pub use line::{Counts, Line};
use std::sync::Arc;

/// Packets about a tile of a zone, of the older engines.
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

/// A revision and the number of settings of its clients.
const VARPS: (u16, i64) = (317, 2000);

/// Maximum turns of a packet that take no bytes.
const MOST_EMPTY: usize = 1 << 12;

/// Reader of packet fields.
pub struct Reader<'r> {
    /// The session.
    pub game: &'r mut Game,
    /// Packets of the revision.
    pub table: &'r Table,
    /// Name of the packet.
    pub packet: &'static str,
    /// Values for the summary.
    pub line: &'r mut Line,
    /// Name in the last appearance of the older engines.
    pub met: Option<Name>,
    /// The text field of this name is caught.
    pub catch: Option<&'static str>,
    /// The text that was caught.
    pub caught: Option<String>,
    /// Values of the fields read so far.
    scopes: Scopes,
    depth: u8,
    empty: usize,
    /// A number of the layout is not in the packet: the rest is opaque.
    is_stopped: bool,
}

/// State of one turn of a layout.
#[derive(Default)]
struct Here<'w> {
    place: ValueContext,
    /// The last text, and the place of its name.
    text: Option<(usize, &'w [u8])>,
}

impl<'r> Reader<'r> {
    pub fn new(game: &'r mut Game, table: &'r Table, packet: &'static str, line: &'r mut Line) -> Reader<'r> {
        let scopes = std::mem::take(&mut game.scopes);
        let (met, catch, caught) = (None, None, None);
        Reader { game, table, packet, line, met, catch, caught, scopes, depth: 0, empty: 0, is_stopped: false }
    }

    /// Reads the payload of the packet.
    pub fn payload(mut self, wire: &mut Wire<'_>, layout: &Layout) -> Result {
        self.scopes.clear(wire.remaining());
        let result = self.layout(wire, layout);
        self.game.scopes = std::mem::take(&mut self.scopes);
        if self.is_stopped { Ok(()) } else { result }
    }

    /// Reads fields in order, in a new scope.
    pub fn layout(&mut self, wire: &mut Wire<'_>, layout: &Layout) -> Result {
        self.scopes.open(layout.slots);
        let result = self.columns(wire, layout);
        self.scopes.close();
        result
    }

    /// Reads a nested layout, whose values are not those of the packet.
    pub fn inner(&mut self, wire: &mut Wire<'_>, layout: &Layout) -> Result {
        self.depth += 1;
        let result = self.layout(wire, layout);
        self.depth -= 1;
        result
    }

    fn columns<'w>(&mut self, wire: &mut Wire<'w>, layout: &Layout) -> Result {
        let mut here = Here::default();
        for column in &layout.columns {
            match &column.manner {
                None => self.value(wire, column, &mut here)?,
                Some(manner) => self.manner(wire, column, manner, &mut here)?,
            }
        }
        Ok(())
    }

    /// Whether all conditions hold.
    fn holds(&mut self, wire: &mut Wire<'_>, conds: &[Cond]) -> Result<bool> {
        for cond in conds {
            match cond.holds(&self.scopes, wire.remaining()) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(name) => return self.stop(wire, name),
            }
        }
        Ok(true)
    }

    /// Ends reading because a number is not in the packet.
    fn stop<T>(&mut self, wire: &mut Wire<'_>, name: &str) -> Result<T> {
        wire.note_ahead(&NEEDS_CACHE, format_args!("the number of {name} is in the cache of the game"));
        wire.rest(&PAYLOAD);
        self.is_stopped = true;
        Err(Error::Malformed)
    }

    fn manner<'w>(&mut self, wire: &mut Wire<'w>, column: &Column, manner: &Manner, here: &mut Here<'w>) -> Result {
        if !self.holds(wire, &manner.conds)? || manner.optional && wire.remaining() == 0 {
            return Ok(());
        }
        let (turns, until) = match &manner.repeat {
            None => return self.cut(wire, column, manner, here),
            Some(Repeat::Rest) => (usize::MAX, None),
            Some(Repeat::Until(cond)) => (usize::MAX, Some(cond)),
            Some(Repeat::Times(count)) => match count.count(&self.scopes, wire.remaining()) {
                Ok(count) => (count, None),
                Err(name) => return self.stop(wire, name),
            },
        };
        let is_open = matches!(manner.repeat, Some(Repeat::Rest | Repeat::Until(_)));
        let mut count = 0;
        while count < turns && !(is_open && wire.remaining() == 0) {
            count += 1;
            let start = wire.at();
            let is_last = self.turn(wire, column, manner, here, until)?;
            if wire.at() == start {
                self.empty += 1;
                if self.empty > MOST_EMPTY || is_open {
                    return wire.malformed(&MALFORMED, format_args!("{count} turns of {} take no bytes", column.name));
                }
            }
            if is_last {
                break;
            }
        }
        if self.depth == 0 && matches!(column.body, Body::Group(_)) {
            self.line.keep_turns(column.name, count);
        }
        Ok(())
    }

    /// Reads one element. Returns whether the condition makes it the last one.
    fn turn<'w>(
        &mut self,
        wire: &mut Wire<'w>,
        column: &Column,
        manner: &Manner,
        here: &mut Here<'w>,
        until: Option<&Cond>,
    ) -> Result<bool> {
        let Body::Group(layout) = &column.body else {
            self.cut(wire, column, manner, here)?;
            return match until {
                Some(cond) => self.holds(wire, std::slice::from_ref(cond)),
                None => Ok(false),
            };
        };
        if manner.cut.is_some() {
            return self.cut(wire, column, manner, here).map(|()| false);
        }
        let layout = Arc::clone(layout);
        self.scopes.open(layout.slots);
        let result = self.group(wire, column, &layout);
        let result = match (result, until) {
            (Ok(()), Some(cond)) => self.holds(wire, std::slice::from_ref(cond)),
            (Ok(()), None) => Ok(false),
            (Err(error), _) => Err(error),
        };
        if result.is_ok() {
            osrs::after_turn(self, column.name, &layout);
        }
        self.scopes.close();
        result
    }

    /// Reads a group, whose scope is open.
    fn group(&mut self, wire: &mut Wire<'_>, column: &Column, layout: &Layout) -> Result {
        self.depth += 1;
        let result = wire.group(column.field, |wire| self.columns(wire, layout));
        self.depth -= 1;
        result
    }

    /// Reads a field within the bytes that are cut out for it.
    fn cut<'w>(&mut self, wire: &mut Wire<'w>, column: &Column, manner: &Manner, here: &mut Here<'w>) -> Result {
        let count = match &manner.cut {
            None if manner.turn == Turn::No => return self.value(wire, column, here),
            None => wire.remaining(),
            Some(count) => match count.count(&self.scopes, wire.remaining()) {
                Ok(count) => count,
                Err(name) => return self.stop(wire, name),
            },
        };
        if manner.turn == Turn::No {
            return wire.within(count, &TRAILING, |wire| self.value(wire, column, here));
        }
        let Some(bytes) = wire.ahead().get(..count) else {
            return Err(Error::Short { needed: count.saturating_sub(wire.remaining()) });
        };
        let (turned, method) = (manner.turn.undo(bytes), manner.turn.name());
        let start = wire.at();
        wire.put(&AS_SENT, Value::Bytes, start..start + count);
        let read = |wire: &mut Wire<'_>| {
            let result = self.value(wire, column, &mut Here::default());
            wire.rest(&TRAILING);
            result
        };
        match manner.turn {
            Turn::Added => wire.deciphered(method, count, 0, &turned, read),
            _ => wire.derived(method, count, &turned, read),
        }
    }

    /// Reads one value, and binds its name.
    fn value<'w>(&mut self, wire: &mut Wire<'w>, column: &Column, here: &mut Here<'w>) -> Result {
        let bound = match &column.body {
            Body::Type(of) => self.typed(wire, column, *of, here)?,
            Body::Group(layout) => {
                self.scopes.open(layout.slots);
                let result = self.group(wire, column, layout);
                self.scopes.close();
                result?;
                Some(1)
            }
            Body::Script(script, slot) => {
                let types = here.text.filter(|(place, _)| place == slot).map_or(&[][..], |(_, types)| types);
                script.read(wire, column.field, types)?;
                Some(1)
            }
        };
        if let Some(number) = bound {
            self.scopes.bind(column.slot, number);
        }
        Ok(())
    }

    /// Reads a value of a type. Returns the value bound to its name.
    fn typed<'w>(&mut self, wire: &mut Wire<'w>, column: &Column, of: Type, here: &mut Here<'w>) -> Result<Option<i64>> {
        here.place.after = column.after;
        let start = wire.at();
        let decoded = match of {
            Type::PlayerInfo => self.info(wire, Entity::Player)?,
            Type::NpcInfo => self.info(wire, Entity::Npc)?,
            Type::ZonePackets => {
                wire.group(column.field, |wire| {
                    if self.table.revision.is_osrs { osrs::zone_packets(self, wire) } else { self.zone_packets(wire) }
                })?;
                Decoded::Unsummarized
            }
            Type::PlayerInfoOsrs | Type::NpcInfoOsrs(_) | Type::PlayersInit | Type::EntityPalette | Type::Reflection => {
                osrs::read(self, wire, column.field, of)?;
                Decoded::Unsummarized
            }
            of => of.read(wire, column.field, here.place)?,
        };
        let bound = match &decoded {
            Decoded::Number(number) | Decoded::Component(number) => {
                if let Decoded::Number(number) = decoded {
                    self.number(wire, column, number, start, here);
                }
                Some(*number)
            }
            Decoded::Text(Cp1252(text)) => {
                here.text = Some((column.slot, text));
                (!text.is_empty() || of != Type::Text(Ending::OrNull)).then_some(1)
            }
            Decoded::Name(name) => {
                if let Type::Appearance(_) = of {
                    self.met = Some(*name);
                }
                Some(1)
            }
            _ => Some(1),
        };
        if self.depth == 0 {
            self.line.keep(column.name, &decoded);
        } else if self.catch == Some(column.name) {
            self.caught = Some(format!("{decoded:#}"));
        }
        Ok(bound)
    }

    /// Adds derived fields of a number, and stores it for later fields.
    fn number(&mut self, wire: &mut Wire<'_>, column: &Column, number: i64, start: usize, here: &mut Here<'_>) {
        if column.name == "varp" && self.table.revision.number == VARPS.0 && number >= VARPS.1 {
            wire.note(&ODD, format_args!("{number}; clients of {} have {}, from 0", VARPS.0, VARPS.1));
        }
        match column.name {
            "capacity" => here.place.capacity = Some(number),
            "length" => here.place.length = usize::try_from(number).ok(),
            _ => {}
        }
        for part in column.parts {
            wire.put(part.field, Value::Signed(number >> part.shift & part.mask), start..wire.at());
        }
        if !wire.wants(&[&WORLD_X, &WORLD_Y, &PLAYER_NAME, &NPC_TYPE]) {
            return;
        }
        if column.name.starts_with("coord")
            && let Some((x, y)) = self.game.world.tile(number)
        {
            wire.add(&WORLD_X, Value::Signed(x));
            wire.add(&WORLD_Y, Value::Signed(y));
        }
        if self.table.revision.is_osrs {
            osrs::explain(self, wire, column.name, number);
        } else if PLAYERS.contains(&column.name)
            && let Some(name) = self.game.world.player(number)
        {
            wire.add_text(&PLAYER_NAME, format_args!("{name}"));
        }
    }

    /// The number of a field of the innermost scope.
    pub fn named(&self, layout: &Layout, name: &str) -> Option<i64> {
        let column = layout.columns.iter().find(|column| column.name == name)?;
        self.scopes.named(column.slot)
    }

    /// Whether the fields are those of the packet itself, or of a group of it.
    pub fn is_outermost(&self) -> bool {
        self.depth <= 1
    }

    fn info<'w>(&mut self, wire: &mut Wire<'_>, entity: Entity) -> Result<Decoded<'w>> {
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
    fn zone_packets(&mut self, wire: &mut Wire<'_>) -> Result {
        let zone = (self.line.number("zone_x"), self.line.number("zone_y"));
        self.game.world.enter_zone(zone);
        while let Some(opcode) = wire.ahead().first() {
            let row = self.table.row(Side::Server, u16::from(*opcode)).filter(|row| OF_ZONES.contains(&row.name));
            let Some((row, layout)) = row.and_then(|row| Some((row, row.layout.clone()?))) else {
                wire.note_ahead(&MALFORMED, format_args!("opcode {opcode} is not a zone packet"));
                return wire.rest_is(&PAYLOAD);
            };
            wire.group(&INNER, |wire| {
                wire.u8(&OPCODE)?;
                wire.add_text(&PACKET, format_args!("{}", row.name));
                self.inner(wire, &layout)
            })?;
        }
        Ok(())
    }
}
