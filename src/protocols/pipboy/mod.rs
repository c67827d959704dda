//! Pip-Boy: how the game Fallout 4 talks to its companion app, a phone that stands for the computer on the hero's arm.
//!
//! The game is the server. It greets, sends all it knows of the hero as numbered values, and then what changes; the app
//! sends commands. Numbers are little-endian, text is UTF-8.
//!
//! ```text
//! message                    length:4 | type:1 | payload:length
//!   0 heartbeat              nothing
//!   1 connection_accepted    {"lang", "version"}                        game to app
//!   2 connection_refused     nothing                                    game to app
//!   3 data_update            entry, entry …                             game to app
//!   4 local_map_update       width:4 | height:4 | nw:8 | ne:8 | sw:8 | pixels
//!   5 command                {"type", "args", "id"}                     app to game
//!   6 command_result         {"id", "allowed", "success", "message"}    game to app
//!
//! entry                      type:1 | id:4 | value
//!   0 bool:1   1 int8:1   2 uint8:1   3 int32:4   4 uint32:4   5 float:4   6 string, NUL
//!   7 list                   count:2 | count × ref:4
//!   8 dict                   count:2 | count × (ref:4 | key, NUL) | count:2 | count × ref:4
//!
//! datagram                   {"cmd"} or {"IsBusy", "MachineType"}
//! ```
//! What the entries of all messages say together is kept as a tree, and each value is told with its path in it.
//!
//! Not covered: how the Xbox One version is found.

mod calls;
mod discovery;
mod entries;
mod json;
mod known;
mod looks;
mod map;
mod skim;
mod step;
#[cfg(test)]
mod tests;
mod update;
mod world;

use crate::tree::{Field, Names, Object, Side, Time, Value, fields, name_of};
use crate::wire::{Conversation, Cut, Error, Extent, Looks, Missing, On, Protocol, Result, Settings, Wire};
use calls::Calls;
pub use entries::PROTOCOL as ENTRIES;
use json::{Is, Member};
use known::Known;
use std::fmt;
use step::Step;

/// Fallout 4 Pip-Boy.
pub static PROTOCOL: Protocol = Protocol {
    this: &PIPBOY,
    fields: FIELDS,
    found: &[
        On::Tcp(27000).stream(Looks::Stream(looks::on_port), open),
        On::AnyTcp.stream(Looks::Stream(looks::anywhere), open),
        On::Udp(28000).exchange(Looks::Datagram(looks::is_discovery), discovery::open),
    ],
    rest: Some(&DATA),
    truncated: Some(&TRUNCATED),
    gap: Some(&ERROR_GAP),
    tables: None,
    settings: &[],
};

fields! {
    PIPBOY = protocol("pipboy", "Pip-Boy", "Fallout 4 Pip-Boy companion app")
        .covers("All messages; every value with its path in the tree of all values, local maps, commands with their results, discovery")
        .leaves_open("Which answers belong to which discovery request; how the Xbox One version is found");
    LENGTH = number("pipboy.length", "length", "Bytes behind the header");
    TYPE = number("pipboy.type", "type", "What kind of message it is").names(TYPES);
    JSON = text("pipboy.json", "json", "The payload as it was sent");
    DATA = bytes("pipboy.data", "data", "Bytes that are not understood");

    ACCEPTED_LANG = text("pipboy.accepted.lang", "lang", "Language of the game");
    ACCEPTED_VERSION = text("pipboy.accepted.version", "version", "Version of the game");

    ENTRY = group("pipboy.entry", "entry", "A value with its number").digest(update::entry_value, update::entry_meaning);
    ENTRY_TYPE = number("pipboy.entry.type", "type", "What kind of value it is").names(ENTRY_TYPES);
    ENTRY_ID = number("pipboy.entry.id", "id", "Number of the value; 0 is the root");
    ENTRY_PATH = text("pipboy.entry.path", "path", "Place of the value in the tree of all values; empty for the root");
    ENTRY_BOOL = bool("pipboy.entry.bool", "bool", "The value, true or false");
    ENTRY_INT = number("pipboy.entry.int", "int", "The value, a number that may be negative");
    ENTRY_UINT = number("pipboy.entry.uint", "uint", "The value, a number that is never negative");
    ENTRY_FLOAT = float("pipboy.entry.float", "float", "The value, a floating-point number");
    ENTRY_STRING = text("pipboy.entry.string", "string", "The value, a text");
    BEFORE_BOOL = bool("pipboy.entry.before.bool", "before", "The value before, where it was another").also("pipboy.entry.before");
    BEFORE_INT = number("pipboy.entry.before.int", "before", "The value before, where it was another").also("pipboy.entry.before");
    BEFORE_UINT = number("pipboy.entry.before.uint", "before", "The value before, where it was another").also("pipboy.entry.before");
    BEFORE_FLOAT = float("pipboy.entry.before.float", "before", "The value before, where it was another").also("pipboy.entry.before");
    BEFORE_STRING = text("pipboy.entry.before.string", "before", "The value before, where it was another").also("pipboy.entry.before");
    ENTRY_CHANGE = text("pipboy.entry.change", "change", "How many children a list or a dict had and has now, and which of them came, went or are others");
    ENTRY_NEW = bool("pipboy.entry.new", "new", "True where the value was not there before; not told of the first values of all");
    LIST_COUNT = number("pipboy.entry.list.count", "count", "Elements of the list");
    LIST_REF = number("pipboy.entry.list.ref", "ref", "Number of the value at this place of the list").digest(update::ref_value, update::ref_meaning);
    INSERT_COUNT = number("pipboy.entry.dict.insert_count", "insert count", "Members that are set");
    INSERT = group("pipboy.entry.dict.insert", "insert", "A member that is set").digest(update::insert_value, update::insert_meaning);
    INSERT_REF = number("pipboy.entry.dict.insert.ref", "ref", "Number of the member's value");
    INSERT_KEY = text("pipboy.entry.dict.insert.key", "key", "Name of the member");
    REMOVE_COUNT = number("pipboy.entry.dict.remove_count", "remove count", "Members that are taken out");
    REMOVE_REF = number("pipboy.entry.dict.remove.ref", "remove", "Number of a value that is taken out");
    ENTRY_COUNT = number("pipboy.entry_count", "entry count", "Whole entries in the message");
    SUMMARY = group("pipboy.summary", "summary", "What the entries of a long message are").instead_of(&ENTRY);
    SUMMARY_BOOL = number("pipboy.summary.bool", "bool", "Entries that are true or false");
    SUMMARY_INT8 = number("pipboy.summary.int8", "int8", "Entries that are signed bytes");
    SUMMARY_UINT8 = number("pipboy.summary.uint8", "uint8", "Entries that are bytes");
    SUMMARY_INT32 = number("pipboy.summary.int32", "int32", "Entries that are signed numbers");
    SUMMARY_UINT32 = number("pipboy.summary.uint32", "uint32", "Entries that are unsigned numbers");
    SUMMARY_FLOAT = number("pipboy.summary.float", "float", "Entries that are floating-point numbers");
    SUMMARY_STRING = number("pipboy.summary.string", "string", "Entries that are texts");
    SUMMARY_LIST = number("pipboy.summary.list", "list", "Entries that are lists");
    SUMMARY_DICT = number("pipboy.summary.dict", "dict", "Entries that change members");
    SUMMARY_MEMBER = group("pipboy.summary.member", "member", "A member of the root that entries lie in").digest(update::top_value, update::top_meaning);
    SUMMARY_NAME = text("pipboy.summary.member.name", "name", "Name of the member");
    SUMMARY_ENTRIES = number("pipboy.summary.member.entries", "entries", "Entries that lie in it");

    MAP_WIDTH = number("pipboy.map.width", "width", "Pixels in a row of the picture");
    MAP_HEIGHT = number("pipboy.map.height", "height", "Rows of the picture");
    MAP_NW_X = float("pipboy.map.nw.x", "nw x", "Top left corner in the world, eastward");
    MAP_NW_Y = float("pipboy.map.nw.y", "nw y", "Top left corner in the world, northward");
    MAP_NE_X = float("pipboy.map.ne.x", "ne x", "Top right corner in the world, eastward");
    MAP_NE_Y = float("pipboy.map.ne.y", "ne y", "Top right corner in the world, northward");
    MAP_SW_X = float("pipboy.map.sw.x", "sw x", "Bottom left corner in the world, eastward");
    MAP_SW_Y = float("pipboy.map.sw.y", "sw y", "Bottom left corner in the world, northward");
    MAP_PIXELS = bytes("pipboy.map.pixels", "pixels", "A byte for each pixel, 0 is dark, row by row from the top");
    MAP_STRIDE = number("pipboy.map.stride", "stride", "Bytes from one row to the next");
    MAP_SE_X = float("pipboy.map.se.x", "se x", "Bottom right corner in the world, eastward");
    MAP_SE_Y = float("pipboy.map.se.y", "se y", "Bottom right corner in the world, northward");

    COMMAND_TYPE = number("pipboy.command.type", "type", "What is to be done").names(COMMANDS);
    COMMAND_ARGS = text("pipboy.command.args", "args", "With what it is to be done");
    COMMAND_ID = number("pipboy.command.id", "id", "Number of the command, which its result repeats");
    COMMAND_TARGET = text("pipboy.command.target", "target", "Place of the value that is meant in the tree of all values");
    RESULT_ID = number("pipboy.result.id", "id", "Number of the command that is answered");
    RESULT_ALLOWED = bool("pipboy.result.allowed", "allowed", "Whether the command was permitted");
    RESULT_SUCCESS = bool("pipboy.result.success", "success", "Whether the command was carried out");
    RESULT_MESSAGE = text("pipboy.result.message", "message", "Why not, in the language of the game");

    RESULT_COMMAND = number("pipboy.result.command", "command", "What was to be done").names(COMMANDS);
    RESULT_COMMAND_FRAME = number("pipboy.result.command_frame", "command frame", "Number of the frame that brought the command");
    RESULT_TIME = float("pipboy.result.time", "time", "Seconds since the command");

    DISCOVERY_JSON = text("pipboy.discovery.json", "json", "The datagram as it was sent");
    DISCOVERY_CMD = text("pipboy.discovery.cmd", "cmd", "What is asked for");
    DISCOVERY_IS_BUSY = bool("pipboy.discovery.is_busy", "is busy", "Whether the game has an app already");
    DISCOVERY_MACHINE_TYPE = text("pipboy.discovery.machine_type", "machine type", "What the game runs on");
    DISCOVERY_ANSWER = number("pipboy.discovery.answer", "answer", "Which answer to the question it is");
    DISCOVERY_REQUEST_FRAME = number("pipboy.discovery.request_frame", "request frame", "Number of the frame that asked");
    DISCOVERY_TIME = float("pipboy.discovery.time", "time", "Seconds since the question");
    DISCOVERY_NAME = text("pipboy.discovery.name", "name", "Name of the machine; only emulators tell it");

    TRUNCATED = broken("pipboy.truncated", "truncated", "The stream or the capture ends inside the message");
    ERROR_GAP = broken("pipboy.error.gap", "gap", "Bytes of the message are not in the capture");
    ERROR_LENGTH = broken("pipboy.error.length", "bad length", "The message is longer than its type may be");
    ERROR_UNEXPECTED_PAYLOAD = broken("pipboy.error.unexpected_payload", "unexpected payload", "A payload where none belongs");
    ERROR_UNKNOWN_TYPE = odd("pipboy.error.unknown_type", "unknown type", "A message type that is not assigned");
    ERROR_DIRECTION = odd("pipboy.error.direction", "wrong direction", "The other side sends messages of this type");
    ERROR_ENTRY_TYPE = broken("pipboy.error.entry_type", "bad entry type", "An entry type that is not assigned");
    ERROR_ENTRY_TRUNCATED = broken("pipboy.error.entry_truncated", "entry truncated", "The payload ends inside an entry");
    ERROR_STRING = broken("pipboy.error.string", "endless string", "A text without its NUL");
    ERROR_COUNT = broken("pipboy.error.count", "bad count", "More elements are promised than follow");
    ERROR_JSON = broken("pipboy.error.json", "bad JSON", "The text is not a JSON object");
    MAP_TRUNCATED = broken("pipboy.map.truncated", "map truncated", "The payload ends before the pixels");
    MAP_BAD_SIZE = broken("pipboy.map.bad_size", "bad map size", "The pixels do not fill the picture");
    NOTE_UTF8 = odd("pipboy.note.utf8", "not UTF-8", "Bytes of a text are not UTF-8");
    NOTE_BOOL = odd("pipboy.note.bool", "odd bool", "A truth value other than 0 and 1");
    NOTE_FORGOTTEN = info("pipboy.note.forgotten", "forgotten", "Former values were forgotten to bound memory: from here on there are no paths");
    NOTE_JOINED = info("pipboy.note.joined", "joined again", "What was taken for a message before was none: messages were searched for again");
    NOTE_TREE = odd("pipboy.note.tree", "odd tree", "Values that name each other as no tree does");
}

const HEARTBEAT: u8 = 0;
const CONNECTION_ACCEPTED: u8 = 1;
const CONNECTION_REFUSED: u8 = 2;
const DATA_UPDATE: u8 = 3;
const LOCAL_MAP_UPDATE: u8 = 4;
const COMMAND: u8 = 5;
const COMMAND_RESULT: u8 = 6;

const TYPES: Names = &[
    (0, "heartbeat"),
    (1, "connection_accepted"),
    (2, "connection_refused"),
    (3, "data_update"),
    (4, "local_map_update"),
    (5, "command"),
    (6, "command_result"),
];

const ENTRY_TYPES: Names =
    &[(0, "bool"), (1, "int8"), (2, "uint8"), (3, "int32"), (4, "uint32"), (5, "float"), (6, "string"), (7, "list"), (8, "dict")];

const COMMANDS: Names = &[
    (0, "use_item"),
    (1, "drop_item"),
    (2, "set_favorite"),
    (3, "toggle_component_favorite"),
    (4, "sort_inventory"),
    (5, "toggle_quest_active"),
    (6, "set_custom_map_marker"),
    (7, "remove_custom_map_marker"),
    (8, "check_fast_travel"),
    (9, "fast_travel"),
    (10, "move_local_map"),
    (11, "zoom_local_map"),
    (12, "toggle_radio_station"),
    (13, "request_local_map_snapshot"),
    (14, "clear_idle"),
];

static ACCEPTED_MEMBERS: &[Member] = &[
    Member { name: "lang", is: Is::Text, field: &ACCEPTED_LANG },
    Member { name: "version", is: Is::Text, field: &ACCEPTED_VERSION },
];

static COMMAND_MEMBERS: &[Member] = &[
    Member { name: "type", is: Is::Integer, field: &COMMAND_TYPE },
    Member { name: "args", is: Is::Array, field: &COMMAND_ARGS },
    Member { name: "id", is: Is::Integer, field: &COMMAND_ID },
];

static RESULT_MEMBERS: &[Member] = &[
    Member { name: "id", is: Is::Integer, field: &RESULT_ID },
    Member { name: "allowed", is: Is::Bool, field: &RESULT_ALLOWED },
    Member { name: "success", is: Is::Bool, field: &RESULT_SUCCESS },
    Member { name: "message", is: Is::Text, field: &RESULT_MESSAGE },
];

static DISCOVERY_MEMBERS: &[Member] = &[
    Member { name: "cmd", is: Is::Text, field: &DISCOVERY_CMD },
    Member { name: "IsBusy", is: Is::Bool, field: &DISCOVERY_IS_BUSY },
    Member { name: "MachineType", is: Is::Text, field: &DISCOVERY_MACHINE_TYPE },
    Member { name: "name", is: Is::Text, field: &DISCOVERY_NAME },
];

/// Bytes of a message's length and type.
const HEADER: usize = 5;

/// The longest payload of any message; a header that promises more is not one.
const MESSAGE_MAX: usize = 16 << 20;

/// The longest payload that is read as JSON.
const JSON_MAX: usize = 1 << 16;

/// What one connection has to remember.
#[derive(Default)]
struct Session {
    app: Step,
    game: Step,
    /// What the game has told.
    known: Known,
    /// There is no memory for that.
    forgets: bool,
    /// And that is told with the next of it.
    tells: bool,
    calls: Calls,
}

fn open(_: &Settings) -> Box<dyn Conversation> {
    Box::<Session>::default()
}

impl Session {
    fn step(&mut self, from: Side) -> &mut Step {
        match from {
            Side::Client => &mut self.app,
            Side::Server => &mut self.game,
        }
    }
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.step(from).extent(from, ahead, more)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        message(self, from, wire)
    }

    fn held(&self) -> usize {
        size_of_val(self) + self.known.held()
    }

    fn forget(&mut self) -> bool {
        self.known = Known::default();
        self.tells |= !self.forgets;
        !std::mem::replace(&mut self.forgets, true)
    }

    fn objects(&self) -> Vec<Object> {
        let Some(bytes) = self.known.json() else { return Vec::new() };
        vec![Object { kind: "values", name: "values.json".to_owned(), bytes }]
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if !missing.in_step {
            self.step(from).lose();
        }
    }
}

/// Who sends messages of this type; nobody in particular sends heartbeats and unknown ones.
fn speaker(kind: u8) -> Option<Side> {
    match kind {
        COMMAND => Some(Side::Client),
        CONNECTION_ACCEPTED | CONNECTION_REFUSED | DATA_UPDATE | LOCAL_MAP_UPDATE | COMMAND_RESULT => Some(Side::Server),
        _ => None,
    }
}

/// The longest payload of a type, beyond which it is not read.
fn longest(kind: u8) -> usize {
    match kind {
        CONNECTION_ACCEPTED | COMMAND | COMMAND_RESULT => JSON_MAX,
        _ => MESSAGE_MAX,
    }
}

fn message(session: &mut Session, from: Side, wire: &mut Wire<'_>) -> Result {
    let most = wire.ahead().get(HEADER - 1).map_or(MESSAGE_MAX, |kind| longest(*kind));
    let length = wire.u32_le(&LENGTH)?;
    let is_too_long = length as usize > most;
    if is_too_long {
        wire.note(&ERROR_LENGTH, format_args!("{length} bytes, at most {most} are read"));
    }
    let kind = wire.u8(&TYPE)?;
    if let Some(passed) = session.step(from).take_passed() {
        wire.note_layer(&NOTE_JOINED, format_args!("what was found before was no message: {passed} bytes were passed over"));
    }
    wire.name(name_of(TYPES, kind.into()).unwrap_or("unknown"));
    if speaker(kind).is_some_and(|side| side != from) {
        wire.note(&ERROR_DIRECTION, format_args!("not expected {}", from.direction()));
    }
    if is_too_long {
        return Err(Error::Malformed);
    }
    match kind {
        HEARTBEAT | CONNECTION_REFUSED => no_payload(wire),
        CONNECTION_ACCEPTED => connection_accepted(wire),
        DATA_UPDATE => data_update(session, from, wire),
        LOCAL_MAP_UPDATE => map::local_map_update(wire),
        COMMAND => calls::command(wire, session),
        COMMAND_RESULT => calls::command_result(wire, &session.calls),
        _ => {
            wire.note(&ERROR_UNKNOWN_TYPE, format_args!("no message type {kind} is known"));
            wire.info(format_args!("type {kind}, {length} bytes"));
            Err(Error::Malformed)
        }
    }
}

fn data_update(session: &mut Session, from: Side, wire: &mut Wire<'_>) -> Result {
    if std::mem::take(&mut session.tells) {
        wire.note_layer(&NOTE_FORGOTTEN, format_args!("what this conversation told before was forgotten to bound memory"));
    }
    let known = Some(&mut session.known).filter(|_| from == Side::Server && !session.forgets);
    if !wire.is_looked_at() && step::are_entries(wire.ahead()) {
        if let Some(known) = known.filter(|_| wire.may_be_looked_at()) {
            known.later(wire.ahead());
        }
        return wire.skip(wire.remaining());
    }
    update::data_update(wire, known.map(Known::world))
}

fn no_payload(wire: &mut Wire<'_>) -> Result {
    match wire.remaining() {
        0 => Ok(()),
        extra => wire.malformed(&ERROR_UNEXPECTED_PAYLOAD, format_args!("{extra} bytes where none belong")),
    }
}

fn connection_accepted(wire: &mut Wire<'_>) -> Result {
    let said = json::object(wire, &JSON, ACCEPTED_MEMBERS);
    let words = [said.of(&ACCEPTED_LANG), said.of(&ACCEPTED_VERSION)];
    wire.info(format_args!("{}", Line(&words)));
    Ok(())
}

/// Seconds from an earlier time to the frame that completed the bytes at hand.
fn since(wire: &Wire<'_>, earlier: Time) -> Option<Value> {
    let (_, time) = wire.completed();
    #[allow(clippy::cast_precision_loss, reason = "seconds as a fraction")]
    let seconds = time?.since(earlier?) as f64 / 1e9;
    Some(Value::Double(seconds))
}

/// The words that there are, with a blank between two, each cut to what a line can bear.
struct Line<'a>(&'a [Option<&'a str>]);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 100;
        for (place, words) in self.0.iter().flatten().enumerate() {
            let blank = if place > 0 { " " } else { "" };
            match words.char_indices().nth(MOST) {
                Some((end, _)) => write!(f, "{blank}{}…", words.get(..end).unwrap_or_default())?,
                None => write!(f, "{blank}{words}")?,
            }
        }
        Ok(())
    }
}

/// Stop because the bytes end too early. Where a cut is why, the code would blame the sender, so only the cut is noted.
fn ends_early<T>(wire: &mut Wire<'_>, code: &'static Field, words: fmt::Arguments<'_>) -> Result<T> {
    match wire.cut() {
        Cut::No => wire.malformed(code, words),
        _ => Err(Error::Short { needed: 1 }),
    }
}
