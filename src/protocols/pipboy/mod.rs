//! Pip-Boy: the protocol between the game Fallout 4 and its companion app, a phone that acts as the Pip-Boy device.
//!
//! The game is the server. It accepts the connection, sends its state as numbered values, and then sends changes. The app sends
//! commands. Numbers are little-endian, text is UTF-8.
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
//! The entries of all messages form a value tree, and each value is shown with its path in it.
//!
//! Not covered: discovery of the Xbox One version.

mod commands;
mod discovery;
mod entries;
mod entry;
mod framing;
mod heuristics;
mod json;
mod map;
#[cfg(test)]
mod tests;
mod update;
mod values;
mod world;

use crate::tree::{BySide, Field, Names, Object, Side, Time, Value, fields, name_of, title};
use crate::wire::{Conversation, Cut, Error, Extent, Heuristic, Missing, On, Protocol, Result, Wire};
use commands::Commands;
pub use entries::PROTOCOL as ENTRIES;
use framing::Framing;
use json::{JsonType, Member};
use std::fmt;
use values::Values;

pub static PROTOCOL: Protocol = Protocol::new(&PIPBOY, FIELDS)
    .found(&[
        On::Tcp(27000).stream::<Session>(Heuristic::Stream(heuristics::on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(heuristics::anywhere)),
        On::Udp(28000).exchange::<discovery::Discovery>(Heuristic::Datagram(heuristics::is_discovery)),
    ])
    .rest(&DATA)
    .truncated(&TRUNCATED)
    .gap(&ERROR_GAP);

fields! {
    PIPBOY = protocol("pipboy", "Pip-Boy", "Fallout 4 Pip-Boy companion app")
        .covers("All messages; every value with its path in the value tree, local maps, commands with their results, discovery")
        .leaves_open("Matching of discovery responses with several requests; discovery of the Xbox One version");
    LENGTH = number("pipboy.length", "length", "Bytes after the header").once();
    TYPE = number("pipboy.type", "type", "").names(TYPES).once();
    JSON = text("pipboy.json", "json", "Payload as sent").once();
    DATA = bytes("pipboy.data", "data", "Undecoded bytes").once();

    ACCEPTED_LANG = text("pipboy.accepted.lang", "lang", "Language code of the game").once();
    ACCEPTED_VERSION = text("pipboy.accepted.version", "version", "").once();

    ENTRY = group("pipboy.entry", "entry", "A value and its ID").collapsed(update::entry_value, update::entry_meaning).named(update::entry_title, update::entry_value, update::entry_change);
    ENTRY_TYPE = number("pipboy.entry.type", "type", "").names(ENTRY_TYPES).once_per(&ENTRY);
    ENTRY_ID = number("pipboy.entry.id", "id", "Value ID; 0 is the root").once_per(&ENTRY);
    ENTRY_PATH = text("pipboy.entry.path", "path", "Path of the value in the value tree; empty for the root").once_per(&ENTRY);
    ENTRY_BOOL = bool("pipboy.entry.bool", "bool", "").also("pipboy.entry.value").once_per(&ENTRY);
    ENTRY_INT = number("pipboy.entry.int", "int", "Signed integer value").also("pipboy.entry.value").once_per(&ENTRY);
    ENTRY_UINT = number("pipboy.entry.uint", "uint", "Unsigned integer value").also("pipboy.entry.value").once_per(&ENTRY);
    ENTRY_FLOAT = float("pipboy.entry.float", "float", "Single-precision value").also("pipboy.entry.value").once_per(&ENTRY);
    ENTRY_STRING = text("pipboy.entry.string", "string", "UTF-8 string value").also("pipboy.entry.value").once_per(&ENTRY);
    BEFORE_BOOL = bool("pipboy.entry.before.bool", "before", "Previous value, if it differs").also("pipboy.entry.before").once_per(&ENTRY);
    BEFORE_INT = number("pipboy.entry.before.int", "before", "Previous value, if it differs").also("pipboy.entry.before").once_per(&ENTRY);
    BEFORE_UINT = number("pipboy.entry.before.uint", "before", "Previous value, if it differs").also("pipboy.entry.before").once_per(&ENTRY);
    BEFORE_FLOAT = float("pipboy.entry.before.float", "before", "Previous value, if it differs").also("pipboy.entry.before").once_per(&ENTRY);
    BEFORE_STRING = text("pipboy.entry.before.string", "before", "Previous value, if it differs").also("pipboy.entry.before").once_per(&ENTRY);
    ENTRY_CHANGE = text("pipboy.entry.change", "change", "Number of children of a list or dict before and after, and which were added, replaced or removed").once_per(&ENTRY);
    ENTRY_NEW = bool("pipboy.entry.new", "new", "The value was not in the tree before; omitted in the initial update").once_per(&ENTRY);
    LIST_COUNT = number("pipboy.entry.list.count", "count", "").once_per(&ENTRY);
    LIST_REF = number("pipboy.entry.list.ref", "ref", "ID of the list element").collapsed(update::ref_value, update::ref_meaning).named(update::ref_meaning, update::ref_value, title::nothing);
    INSERT_COUNT = number("pipboy.entry.dict.insert_count", "insert count", "").once_per(&ENTRY);
    INSERT = group("pipboy.entry.dict.insert", "insert", "").collapsed(update::insert_value, update::insert_meaning).named(title::key, update::insert_id, title::nothing);
    INSERT_REF = number("pipboy.entry.dict.insert.ref", "ref", "ID of the member's value").once_per(&INSERT);
    INSERT_KEY = text("pipboy.entry.dict.insert.key", "key", "Name of the member").once_per(&INSERT);
    REMOVE_COUNT = number("pipboy.entry.dict.remove_count", "remove count", "Number of removed members").once_per(&ENTRY);
    REMOVE_REF = number("pipboy.entry.dict.remove.ref", "remove", "ID of a removed member");
    ENTRY_COUNT = number("pipboy.entry_count", "entry count", "Number of complete entries in the message").once();
    SUMMARY = group("pipboy.summary", "summary", "Entry counts of a long message").instead_of(&ENTRY).once();
    SUMMARY_BOOL = number("pipboy.summary.bool", "bool", "Number of bool entries").once();
    SUMMARY_INT8 = number("pipboy.summary.int8", "int8", "Number of int8 entries").once();
    SUMMARY_UINT8 = number("pipboy.summary.uint8", "uint8", "Number of uint8 entries").once();
    SUMMARY_INT32 = number("pipboy.summary.int32", "int32", "Number of int32 entries").once();
    SUMMARY_UINT32 = number("pipboy.summary.uint32", "uint32", "Number of uint32 entries").once();
    SUMMARY_FLOAT = number("pipboy.summary.float", "float", "Number of float entries").once();
    SUMMARY_STRING = number("pipboy.summary.string", "string", "Number of string entries").once();
    SUMMARY_LIST = number("pipboy.summary.list", "list", "Number of list entries").once();
    SUMMARY_DICT = number("pipboy.summary.dict", "dict", "Number of dict entries").once();
    SUMMARY_MEMBER = group("pipboy.summary.member", "member", "A member of the root with the number of entries below it").collapsed(update::top_value, update::top_meaning).named(title::key, update::top_meaning, title::nothing);
    SUMMARY_NAME = text("pipboy.summary.member.name", "name", "").once_per(&SUMMARY_MEMBER);
    SUMMARY_ENTRIES = number("pipboy.summary.member.entries", "entries", "Number of entries below the member").once_per(&SUMMARY_MEMBER);

    MAP_WIDTH = number("pipboy.map.width", "width", "In pixels").once();
    MAP_HEIGHT = number("pipboy.map.height", "height", "In pixels").once();
    MAP_NW_X = float("pipboy.map.nw.x", "nw x", "Northwest corner, world x coordinate").once();
    MAP_NW_Y = float("pipboy.map.nw.y", "nw y", "Northwest corner, world y coordinate").once();
    MAP_NE_X = float("pipboy.map.ne.x", "ne x", "Northeast corner, world x coordinate").once();
    MAP_NE_Y = float("pipboy.map.ne.y", "ne y", "Northeast corner, world y coordinate").once();
    MAP_SW_X = float("pipboy.map.sw.x", "sw x", "Southwest corner, world x coordinate").once();
    MAP_SW_Y = float("pipboy.map.sw.y", "sw y", "Southwest corner, world y coordinate").once();
    MAP_PIXELS = bytes("pipboy.map.pixels", "pixels", "8-bit grayscale pixels, row by row from the top; 0 is black").once();
    MAP_STRIDE = number("pipboy.map.stride", "stride", "Bytes per row").once();
    MAP_SE_X = float("pipboy.map.se.x", "se x", "Southeast corner, world x coordinate").once();
    MAP_SE_Y = float("pipboy.map.se.y", "se y", "Southeast corner, world y coordinate").once();

    COMMAND_TYPE = number("pipboy.command.type", "type", "").names(COMMANDS).once();
    COMMAND_ARGS = text("pipboy.command.args", "args", "Command arguments, a JSON array").once();
    COMMAND_ID = number("pipboy.command.id", "id", "Command ID, repeated by the result").once();
    COMMAND_TARGET = text("pipboy.command.target", "target", "Path of the value that the command refers to").once();
    RESULT_ID = number("pipboy.result.id", "id", "").once();
    RESULT_ALLOWED = bool("pipboy.result.allowed", "allowed", "The command was permitted").once();
    RESULT_SUCCESS = bool("pipboy.result.success", "success", "The command succeeded").once();
    RESULT_MESSAGE = text("pipboy.result.message", "message", "Error message in the language of the game").once();

    RESULT_COMMAND = number("pipboy.result.command", "command", "").names(COMMANDS).once();
    RESULT_COMMAND_FRAME = number("pipboy.result.command_frame", "command frame", "").once();
    RESULT_TIME = float("pipboy.result.time", "time", "Seconds since the command").once();

    DISCOVERY_JSON = text("pipboy.discovery.json", "json", "Datagram payload as sent").once();
    DISCOVERY_CMD = text("pipboy.discovery.cmd", "cmd", "").once();
    DISCOVERY_IS_BUSY = bool("pipboy.discovery.is_busy", "is busy", "An app is already connected").once();
    DISCOVERY_MACHINE_TYPE = text("pipboy.discovery.machine_type", "machine type", "Platform of the game, such as PC or PS4").once();
    DISCOVERY_ANSWER = number("pipboy.discovery.answer", "answer", "Sequence number of the response to this request").once();
    DISCOVERY_REQUEST_FRAME = number("pipboy.discovery.request_frame", "request frame", "").once();
    DISCOVERY_TIME = float("pipboy.discovery.time", "time", "Seconds since the request").once();
    DISCOVERY_NAME = text("pipboy.discovery.name", "name", "Name of the machine; sent only by emulators");

    TRUNCATED = broken("pipboy.truncated", "truncated", "The stream or the capture ends inside the message");
    ERROR_GAP = broken("pipboy.error.gap", "gap", "Bytes of the message are missing from the capture");
    ERROR_LENGTH = broken("pipboy.error.length", "bad length", "The length exceeds the maximum of the message type");
    ERROR_UNEXPECTED_PAYLOAD = broken("pipboy.error.unexpected_payload", "unexpected payload", "The message type has no payload");
    ERROR_UNKNOWN_TYPE = odd("pipboy.error.unknown_type", "unknown type", "Unassigned message type");
    ERROR_DIRECTION = odd("pipboy.error.direction", "wrong direction", "Only the other side sends this message type");
    ERROR_ENTRY_TYPE = broken("pipboy.error.entry_type", "bad entry type", "Unassigned entry type");
    ERROR_ENTRY_TRUNCATED = broken("pipboy.error.entry_truncated", "entry truncated", "The payload ends inside an entry");
    ERROR_STRING = broken("pipboy.error.string", "unterminated string", "The string has no terminating NUL");
    ERROR_COUNT = broken("pipboy.error.count", "bad count", "The count exceeds the elements that follow");
    ERROR_JSON = broken("pipboy.error.json", "bad JSON", "The payload is not a JSON object");
    MAP_TRUNCATED = broken("pipboy.map.truncated", "map truncated", "The payload ends before the pixels");
    MAP_BAD_SIZE = broken("pipboy.map.bad_size", "bad map size", "The number of pixel bytes does not match width and height");
    NOTE_UTF8 = odd("pipboy.note.utf8", "not UTF-8", "The text contains bytes that are not UTF-8");
    NOTE_BOOL = odd("pipboy.note.bool", "invalid bool", "A bool value other than 0 and 1");
    NOTE_FORGOTTEN = info("pipboy.note.forgotten", "values evicted", "The value tree was evicted to bound memory: later values have no path");
    NOTE_JOINED = info("pipboy.note.joined", "resynchronized", "An earlier message was a false match; the search for message headers was repeated");
    NOTE_TREE = odd("pipboy.note.tree", "inconsistent tree", "References between values that do not form a tree");
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
    Member { name: "lang", json_type: JsonType::Text, field: &ACCEPTED_LANG },
    Member { name: "version", json_type: JsonType::Text, field: &ACCEPTED_VERSION },
];

static COMMAND_MEMBERS: &[Member] = &[
    Member { name: "type", json_type: JsonType::Integer, field: &COMMAND_TYPE },
    Member { name: "args", json_type: JsonType::Array, field: &COMMAND_ARGS },
    Member { name: "id", json_type: JsonType::Integer, field: &COMMAND_ID },
];

static RESULT_MEMBERS: &[Member] = &[
    Member { name: "id", json_type: JsonType::Integer, field: &RESULT_ID },
    Member { name: "allowed", json_type: JsonType::Bool, field: &RESULT_ALLOWED },
    Member { name: "success", json_type: JsonType::Bool, field: &RESULT_SUCCESS },
    Member { name: "message", json_type: JsonType::Text, field: &RESULT_MESSAGE },
];

static DISCOVERY_MEMBERS: &[Member] = &[
    Member { name: "cmd", json_type: JsonType::Text, field: &DISCOVERY_CMD },
    Member { name: "IsBusy", json_type: JsonType::Bool, field: &DISCOVERY_IS_BUSY },
    Member { name: "MachineType", json_type: JsonType::Text, field: &DISCOVERY_MACHINE_TYPE },
    Member { name: "name", json_type: JsonType::Text, field: &DISCOVERY_NAME },
];

/// Bytes of the message header: length and type.
const HEADER: usize = 5;

/// Maximum payload length; a larger declared length is malformed.
const MESSAGE_MAX: usize = 16 << 20;

/// Maximum payload length parsed as JSON.
const JSON_MAX: usize = 1 << 16;

/// State of one connection.
#[derive(Default)]
struct Session {
    framing: BySide<Framing>,
    /// Values sent by the game.
    values: Values,
    /// The value tree was evicted, so updates are no longer added to it.
    is_evicted: bool,
    /// The next update carries a note about the eviction.
    must_note: bool,
    commands: Commands,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        self.framing[from].extent(from, ahead, more)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        message(self, from, wire)
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.values.memory_usage()
    }

    fn forget(&mut self) -> bool {
        self.values = Values::default();
        self.must_note |= !self.is_evicted;
        !std::mem::replace(&mut self.is_evicted, true)
    }

    fn objects(&self) -> Vec<Object> {
        let Some(bytes) = self.values.json() else { return Vec::new() };
        vec![Object { kind: "values", name: "values.json".to_owned(), bytes, marks: Vec::new() }]
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if !missing.in_step {
            self.framing[from].lose();
        }
    }
}

/// Returns the side that sends messages of this type; `None` for heartbeats, which both send, and for unknown types.
fn speaker(kind: u8) -> Option<Side> {
    match kind {
        COMMAND => Some(Side::Client),
        CONNECTION_ACCEPTED | CONNECTION_REFUSED | DATA_UPDATE | LOCAL_MAP_UPDATE | COMMAND_RESULT => Some(Side::Server),
        _ => None,
    }
}

/// Maximum payload length of a message type.
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
    if let Some(passed) = session.framing[from].take_passed() {
        wire.note_layer(&NOTE_JOINED, format_args!("the previous match was not a message: {passed} bytes skipped"));
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
        LOCAL_MAP_UPDATE => map::local_map_update(wire, &mut session.values),
        COMMAND => commands::command(wire, session),
        COMMAND_RESULT => commands::command_result(wire, &session.commands),
        _ => {
            wire.note(&ERROR_UNKNOWN_TYPE, format_args!("message type {kind} is unknown"));
            wire.info(format_args!("type {kind}, {length} bytes"));
            Err(Error::Malformed)
        }
    }
}

fn data_update(session: &mut Session, from: Side, wire: &mut Wire<'_>) -> Result {
    if std::mem::take(&mut session.must_note) {
        wire.note_layer(&NOTE_FORGOTTEN, format_args!("earlier values of this conversation were evicted to bound memory"));
    }
    let values = Some(&mut session.values).filter(|_| from == Side::Server && !session.is_evicted);
    if wire.defers() && framing::are_entries(wire.ahead()) {
        if let Some(values) = values.filter(|_| wire.may_be_inspected()) {
            values.enqueue(wire.ahead());
        }
        return wire.skip(wire.remaining());
    }
    update::data_update(wire, values.map(Values::world))
}

fn no_payload(wire: &mut Wire<'_>) -> Result {
    match wire.remaining() {
        0 => Ok(()),
        extra => wire.malformed(&ERROR_UNEXPECTED_PAYLOAD, format_args!("{extra} bytes, expected none")),
    }
}

fn connection_accepted(wire: &mut Wire<'_>) -> Result {
    let parsed = json::object(wire, &JSON, ACCEPTED_MEMBERS);
    let words = [parsed.of(&ACCEPTED_LANG), parsed.of(&ACCEPTED_VERSION)];
    wire.info(format_args!("{}", Line(&words)));
    Ok(())
}

/// Returns the seconds from `earlier` to the frame that completed the current bytes.
fn since(wire: &Wire<'_>, earlier: Time) -> Option<Value> {
    let (_, time) = wire.completed();
    #[allow(clippy::cast_precision_loss, reason = "seconds as a fraction")]
    let seconds = time?.since(earlier?) as f64 / 1e9;
    Some(Value::Double(seconds))
}

/// Joins the given words with blanks, each truncated to a bounded length.
struct Line<'a>(&'a [Option<&'a str>]);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WIDTH_MAX: usize = 100;
        for (place, words) in self.0.iter().flatten().enumerate() {
            let blank = if place > 0 { " " } else { "" };
            match words.char_indices().nth(WIDTH_MAX) {
                Some((end, _)) => write!(f, "{blank}{}…", words.get(..end).unwrap_or_default())?,
                None => write!(f, "{blank}{words}")?,
            }
        }
        Ok(())
    }
}

/// Stops because the bytes end early. If the capture truncated the bytes, only that is noted, because the sender made no mistake.
fn ends_early<T>(wire: &mut Wire<'_>, code: &'static Field, words: fmt::Arguments<'_>) -> Result<T> {
    match wire.cut() {
        Cut::No => wire.malformed(code, words),
        _ => Err(Error::Short { needed: 1 }),
    }
}
