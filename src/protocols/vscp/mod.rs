//! VSCP, the Virtual Society Client Protocol: shared 3D worlds of Sony's Community Place, 1996 to 2000.
//!
//! A browser connects to the server of a world, the Bureau, with a hello; then both sides send consecutive sections. Numbers are
//! big-endian, texts are NUL-terminated.
//!
//! ```text
//! hello          word:5 | version:2                                            first of the client
//! hello reply    "hello" | pad:1 | ?:4 | connection id:4                       first of the server
//!                "reject" | unused:8
//!
//! 0 general      0 | id1:4 | id2:4 | opcode:4 | size:4 | content:size
//! 1 sys1         1 | ?:14
//! 2 position     2 | connection id:4 | client id:4 | broadcast id:4 | x:4 | y:4 | z:4 | ?:2
//!
//! content of opcode
//!   0 new_user      username | avatar                   6 common        id:4 | type:4 | strategy:1 | by type
//!   1 client_id     id:4                                7 state_change  state:1
//!   2 user_joined   id:4 | ?:4 | avatar | username      8 set_master    is master:1
//!   3 user_left     id:4                               11 user_count    ?:1 | count:4
//!   4 broadcast_id  id:4
//! ```
//! A broadcast ID identifies a user to the others; names are remembered from earlier messages and shown with every
//! later ID.
//! Not covered: the contents of `sys1` and voice chat, which are undocumented. The protocol that finds a Bureau for a
//! position
//! in a world is in `wls`.

mod charset;
mod common;
mod framing;
mod general;
mod heuristics;
#[cfg(test)]
mod tests;
mod users;
mod values;
mod wls;

use crate::tree::title::nothing;
use crate::tree::{BySide, Names, Side, fields, name_of};
use crate::wire::{
    Conversation, Cut, Error, Extent, Heuristic, Missing, On, Protocol, Result, Setting, Settings, ValueKind, Wire,
};
use framing::Step;
use users::Users;
use values::{angle, id_meaning, id_value, parts, real_value, receivers, strategy_value, text_value};

pub use wls::PROTOCOL as WORLD_LOCATION;

pub static PROTOCOL: Protocol = Protocol::new(&VSCP, FIELDS)
    .found(&[
        On::TcpRun(5126, 5158).stream_with(Heuristic::Stream(heuristics::on_port), open),
        On::AnyTcp.stream_with(Heuristic::Stream(heuristics::anywhere), open),
    ])
    .rest(&DATA)
    .truncated(&TRUNCATED)
    .gap(&ERROR_GAP)
    .settings(&[Setting {
        name: charset::SETTING,
        about: "Character set of texts, such as shift_jis; by default UTF-8, or Shift_JIS where it is unambiguous",
        takes: ValueKind::Checked(charset::check),
    }]);

fields! {
    VSCP = protocol("vscp", "VSCP", "Virtual Society Client Protocol (Community Place)")
        .covers("Hello and reply, general messages of every known opcode, positions; each ID with the user it identifies, private chats")
        .leaves_open("Contents of sys1 and voice chat, which are undocumented");
    HELLO_WORD = text("vscp.hello.word", "word", "Type of the client").collapsed(text_value, nothing).once();
    VERSION_MAJOR = number("vscp.hello.version_major", "version major", "").once();
    VERSION_MINOR = number("vscp.hello.version_minor", "version minor", "").once();
    REPLY_STATUS = text("vscp.hello_reply.status", "status", "Acceptance or rejection").collapsed(text_value, nothing).once();
    REPLY_PAD = number("vscp.hello_reply.pad", "pad", "Padding").hex(2).once();
    REPLY_UNKNOWN = number("vscp.hello_reply.unknown", "unknown", "Unknown; some servers repeat the connection ID").once();
    REPLY_CONNECTION_ID = number("vscp.hello_reply.connection_id", "connection id", "Assigned by the server").once();
    REPLY_UNUSED = bytes("vscp.hello_reply.unused", "unused", "Unused after a rejection").once();

    SECTION_TYPE = number("vscp.section_type", "section type", "Layout of the section").names(SECTIONS).once();
    ID1 = number("vscp.id1", "id 1", "Connection ID if sent by a client; unreliable if sent by a server").collapsed(id_value, id_meaning).once();
    ID2 = number("vscp.id2", "id 2", "Client ID if sent by a client; unreliable if sent by a server").collapsed(id_value, id_meaning).once();
    OPCODE = number("vscp.opcode", "opcode", "Type of the content").names(OPCODES).once();
    CONTENT_SIZE = number("vscp.content_size", "content size", "In bytes").once();
    DATA = bytes("vscp.data", "data", "Undecoded bytes");
    TRAILING = bytes("vscp.trailing", "trailing", "Bytes after the last field");
    SYS1_DATA = bytes("vscp.sys1.data", "data", "Undocumented, possibly body movements").once();

    NEW_USER_NAME = text("vscp.new_user.username", "username", "").collapsed(text_value, nothing).once();
    NEW_USER_AVATAR = text("vscp.new_user.avatar", "avatar", "Path of the avatar model").collapsed(text_value, nothing).once();
    CLIENT_ID = number("vscp.client_id", "client id", "Assigned to the client").collapsed(id_value, id_meaning).once();
    JOINED_BROADCAST_ID = number("vscp.user_joined.broadcast_id", "broadcast id", "User who became visible").collapsed(id_value, id_meaning).once();
    JOINED_UNKNOWN_ID = number("vscp.user_joined.unknown_id", "unknown id", "Unknown; servers repeat the broadcast ID").collapsed(id_value, id_meaning).once();
    JOINED_AVATAR = text("vscp.user_joined.avatar", "avatar", "Path of the avatar model").collapsed(text_value, nothing).once();
    JOINED_NAME = text("vscp.user_joined.username", "username", "").collapsed(text_value, nothing).once();
    LEFT_BROADCAST_ID = number("vscp.user_left.broadcast_id", "broadcast id", "User who is no longer visible").collapsed(id_value, id_meaning).once();
    BROADCAST_ID = number("vscp.broadcast_id", "broadcast id", "Identifies the client's user to other users").collapsed(id_value, id_meaning).once();
    STATE = number("vscp.state", "state", "").names(STATES).once();
    IS_MASTER = number("vscp.set_master.is_master", "is master", "The client executes the scripts of the world").names(MASTERS).once();
    COUNT_UNKNOWN = number("vscp.user_count.unknown", "unknown", "Unknown, always 1").once();
    COUNT = number("vscp.user_count.count", "count", "Number of users in the world").once();

    COMMON_ID = number("vscp.common.id", "id", "ID of the sender, the receiver, or an object").collapsed(id_value, id_meaning).once();
    COMMON_TYPE = number("vscp.common.type", "type", "").names(TYPES).once();
    STRATEGY = number("vscp.common.strategy", "strategy", "Set of receivers of the relayed message").names(STRATEGIES).collapsed(strategy_value, receivers).once();
    RECEIVERS = text("vscp.common.receivers", "receivers", "Receivers of the relayed message").once();
    CHAT_MESSAGE = text("vscp.chat.message", "message", "User name, colon and text").collapsed(text_value, nothing).once();
    NAME = text("vscp.name_change.name", "name", "New name of the user").collapsed(text_value, nothing).once();
    AVATAR = text("vscp.avatar_change.avatar", "avatar", "Path of the new avatar model").collapsed(text_value, nothing).once();
    PRIVATE_FROM = number("vscp.private_chat.from", "from", "").collapsed(id_value, id_meaning).once();
    PRIVATE_MESSAGE = text("vscp.private_chat.message", "message", "Text or control word").collapsed(text_value, nothing).once();
    PRIVATE_CONTROL = text("vscp.private_chat.control", "control", "Meaning of the control word").once();
    PRIVATE_STATE = text("vscp.private_chat.state", "state", "State of the private chat after this message").once();
    VOICE_UNKNOWN1 = number("vscp.voice.unknown1", "unknown 1", "Unknown, always 1").once();
    VOICE_UNKNOWN2 = number("vscp.voice.unknown2", "unknown 2", "Unknown, always 1").once();
    VOICE_STATE = number("vscp.voice.state", "state", "Voice chat state of the user").names(VOICE_STATES).once();
    APPL_UNKNOWN = number("vscp.appl.unknown", "unknown", "Unknown, always 2").once();
    APPL_METHOD = text("vscp.appl.method", "method", "Script event").collapsed(text_value, nothing).once();
    APPL_STR_ARG = text("vscp.appl.str_arg", "str arg", "String argument of the call").collapsed(text_value, nothing).once();
    APPL_INT_ARG = number("vscp.appl.int_arg", "int arg", "Integer argument of the call, often the broadcast ID of the sender").collapsed(id_value, id_meaning).once();

    CHARACTER_DATA = text("vscp.character.data", "data", "Avatar state as sent").collapsed(text_value, nothing).once();
    SLEEP = number("vscp.character.sleep", "sleep", "The user is away").names(SLEEPS).once();
    AVATAR_NUMBER = number("vscp.character.avatar_number", "avatar number", "").once();
    BODY = text("vscp.character.body", "body", "Color and scale of each body part").collapsed(text_value, parts).once();
    MINUTES = number("vscp.character.minutes", "minutes", "Minutes spent with this avatar").once();
    MEDAL = number("vscp.character.medal", "medal", "").names(MEDALS).once();

    M11 = float("vscp.transform.m11", "m11", "Rotation matrix, row 1").collapsed(real_value, nothing).once();
    M12 = float("vscp.transform.m12", "m12", "Rotation matrix, row 1").collapsed(real_value, nothing).once();
    M13 = float("vscp.transform.m13", "m13", "Rotation matrix, row 1").collapsed(real_value, nothing).once();
    M21 = float("vscp.transform.m21", "m21", "Rotation matrix, row 2").collapsed(real_value, nothing).once();
    M22 = float("vscp.transform.m22", "m22", "Rotation matrix, row 2").collapsed(real_value, nothing).once();
    M23 = float("vscp.transform.m23", "m23", "Rotation matrix, row 2").collapsed(real_value, nothing).once();
    M31 = float("vscp.transform.m31", "m31", "Rotation matrix, row 3").collapsed(real_value, nothing).once();
    M32 = float("vscp.transform.m32", "m32", "Rotation matrix, row 3").collapsed(real_value, nothing).once();
    M33 = float("vscp.transform.m33", "m33", "Rotation matrix, row 3").collapsed(real_value, nothing).once();
    TRANSFORM_X = float("vscp.transform.x", "x", "").collapsed(real_value, nothing).once();
    TRANSFORM_Y = float("vscp.transform.y", "y", "Y coordinate, upward").collapsed(real_value, nothing).once();
    TRANSFORM_Z = float("vscp.transform.z", "z", "").collapsed(real_value, nothing).once();
    M11_RAW = number("vscp.transform.m11.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M12_RAW = number("vscp.transform.m12.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M13_RAW = number("vscp.transform.m13.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M21_RAW = number("vscp.transform.m21.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M22_RAW = number("vscp.transform.m22.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M23_RAW = number("vscp.transform.m23.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M31_RAW = number("vscp.transform.m31.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M32_RAW = number("vscp.transform.m32.raw", "raw", "Fixed-point number as sent, times 65535").once();
    M33_RAW = number("vscp.transform.m33.raw", "raw", "Fixed-point number as sent, times 65535").once();
    TRANSFORM_X_RAW = number("vscp.transform.x.raw", "raw", "Fixed-point number as sent, times 65535").once();
    TRANSFORM_Y_RAW = number("vscp.transform.y.raw", "raw", "Fixed-point number as sent, times 65535").once();
    TRANSFORM_Z_RAW = number("vscp.transform.z.raw", "raw", "Fixed-point number as sent, times 65535").once();
    ROT_X = float("vscp.transform.rot_x", "rot x", "Rotation about x in degrees, derived from the matrix").collapsed(angle, nothing).once();
    ROT_Y = float("vscp.transform.rot_y", "rot y", "Rotation about y in degrees, derived from the matrix").collapsed(angle, nothing).once();
    ROT_Z = float("vscp.transform.rot_z", "rot z", "Rotation about z in degrees, derived from the matrix").collapsed(angle, nothing).once();

    POSITION_CONNECTION_ID = number("vscp.position.connection_id", "connection id", "Same as id 1").collapsed(id_value, id_meaning).once();
    POSITION_CLIENT_ID = number("vscp.position.client_id", "client id", "Same as id 2").collapsed(id_value, id_meaning).once();
    POSITION_BROADCAST_ID = number("vscp.position.broadcast_id", "broadcast id", "User whose position it is").collapsed(id_value, id_meaning).once();
    POSITION_X = float("vscp.position.x", "x", "").collapsed(real_value, nothing).once();
    POSITION_Y = float("vscp.position.y", "y", "Y coordinate, upward").collapsed(real_value, nothing).once();
    POSITION_Z = float("vscp.position.z", "z", "").collapsed(real_value, nothing).once();
    POSITION_X_RAW = number("vscp.position.x.raw", "raw", "Fixed-point number as sent, times 65535").once();
    POSITION_Y_RAW = number("vscp.position.y.raw", "raw", "Fixed-point number as sent, times 65535").once();
    POSITION_Z_RAW = number("vscp.position.z.raw", "raw", "Fixed-point number as sent, times 65535").once();
    POSITION_UNKNOWN = number("vscp.position.unknown", "unknown", "Unknown; servers differ in its byte order").hex(4).once();

    USER_NAME = text("vscp.user.name", "user", "Name of the user with this ID, from earlier messages");
    USER_AVATAR = text("vscp.user.avatar", "avatar", "Avatar of the user with this ID, from earlier messages");
    USER_IS_MASTER = bool("vscp.user.is_master", "is master", "The user's client is the master");

    TRUNCATED = broken("vscp.truncated", "truncated", "The stream or the capture ends inside the section");
    ERROR_GAP = broken("vscp.error.gap", "gap", "Bytes of the section are missing from the capture");
    ERROR_HELLO = broken("vscp.error.hello", "bad hello", "The first bytes are not a hello");
    ERROR_SECTION_TYPE = broken("vscp.error.section_type", "bad section type", "Unknown section type, so its length is unknown");
    ERROR_CONTENT_SIZE = broken("vscp.error.content_size", "bad content size", "The content size exceeds the maximum");
    ERROR_SHORT_CONTENT = broken("vscp.error.short_content", "short content", "The content ends before a required field");
    WARN_LARGE_CONTENT = odd("vscp.warn.large_content", "large content", "The content exceeds the size that servers accept");
    WARN_UNTERMINATED = odd("vscp.warn.unterminated", "unterminated text", "The content ends before the terminating NUL");
    NOTE_EMPTY_CONTENT = odd("vscp.note.empty_content", "empty content", "Servers reject sections without content");
    NOTE_TRAILING = odd("vscp.note.trailing", "trailing bytes", "The content is longer than its fields");
    NOTE_UNKNOWN_OPCODE = odd("vscp.note.unknown_opcode", "unknown opcode", "Unassigned opcode");
    NOTE_DIRECTION = odd("vscp.note.direction", "wrong direction", "Only the other side sends this message");
    NOTE_VALUE = odd("vscp.note.value", "invalid value", "Unassigned value");
    NOTE_CHARSET = info("vscp.note.charset", "character set", "The character set of the text was detected");
    NOTE_REPLY_SIZE = odd("vscp.note.reply_size", "hello reply of 13 bytes", "The pad byte after the word is missing");
    NOTE_SYS1_SIZE = odd("vscp.note.sys1_size", "sys1 of 14 bytes", "The section appears one byte shorter than usual");
}

const GENERAL: u8 = 0;
const SYS1: u8 = 1;
const POSITION_UPDATE: u8 = 2;

const SECTIONS: Names = &[(0, "general"), (1, "sys1"), (2, "position_update")];

const NEW_USER: u32 = 0;
const CLIENT_ID_GIVEN: u32 = 1;
const USER_JOINED: u32 = 2;
const USER_LEFT: u32 = 3;
const BROADCAST_ID_GIVEN: u32 = 4;
const COMMON: u32 = 6;
const STATE_CHANGE: u32 = 7;
const SET_MASTER: u32 = 8;
const USER_COUNT: u32 = 11;

const OPCODES: Names = &[
    (0, "new_user"),
    (1, "client_id"),
    (2, "user_joined"),
    (3, "user_left"),
    (4, "broadcast_id"),
    (6, "common"),
    (7, "state_change"),
    (8, "set_master"),
    (11, "user_count"),
];

const STATES: Names =
    &[(0, "not_connected"), (1, "connecting"), (2, "connected"), (3, "disconnecting"), (4, "active"), (5, "sleep")];

const MASTERS: Names = &[(0, "not the master"), (1, "master")];

const TYPES: Names = &[
    (2, "transform_update"),
    (9, "chat_send"),
    (12, "character_update"),
    (13, "name_change"),
    (14, "avatar_change"),
    (15, "private_chat"),
    (16, "vc_register"),
    (18, "voice_state"),
    (10_000, "appl_specific"),
];

const STRATEGIES: Names =
    &[(0, "aura"), (1, "aura_others"), (2, "specific"), (3, "all"), (4, "all_others"), (5, "unknown5"), (6, "unknown6")];

const VOICE_STATES: Names = &[(1, "enabled (alt)"), (2, "disabled"), (3, "enabled")];

const SLEEPS: Names = &[(0, "awake"), (1, "asleep")];

const MEDALS: Names = &[(0, "none"), (1, "happy"), (2, "lucky"), (3, "lovely")];

/// First words of clients; only the protocol after `hello` is documented.
const WORDS: [&[u8]; 4] = [b"hello", b"hella", b"admin", b"vchat"];
const ACCEPTED: &[u8] = b"hello";
const REFUSED: &[u8] = b"reject";

/// Length of the client's hello and of the server's reply.
const HELLO_LEN: usize = 7;
const REPLY_LEN: usize = 14;

/// Length of a hello reply without the pad byte, as in the oldest description.
const SHORT_REPLY_LEN: usize = 13;

const GENERAL_HEADER: usize = 17;
const SYS1_LEN: usize = 15;
const POSITION_LEN: usize = 27;

/// Maximum content size.
const CONTENT_MAX: u32 = 65_536;

/// Value for no object.
const NO_OBJECT: i32 = -9999;

/// State of one connection.
#[derive(Default)]
struct Session {
    steps: BySide<Step>,
    /// The client sent a hello, so the server's first bytes are the reply.
    greeted: bool,
    /// Sections of this client type are undocumented.
    opaque: bool,
    users: Users,
}

fn open(settings: &Settings) -> Box<dyn Conversation> {
    Box::new(Session { users: Users::new(charset::Charset::new(settings)), ..Session::default() })
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        let must_greet = from == Side::Server && self.greeted;
        if self.opaque && must_greet && !framing::may_be_hello(from, ahead) {
            self.steps.server = Step::Stopped;
        }
        self.steps[from].extent(from, ahead, more, must_greet)
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        let is_first = self.steps[from] == Step::Fresh;
        let is_hello = is_first && wire.ahead().first().is_none_or(|byte| *byte > POSITION_UPDATE);
        match (is_hello, from) {
            (true, Side::Client) => self.hello(wire),
            (true, Side::Server) => self.hello_reply(wire),
            (false, _) => section(wire, from, &mut self.users),
        }
    }

    fn memory_usage(&self) -> usize {
        size_of_val(self) + self.users.memory_usage()
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        if !missing.in_step {
            self.steps[from].lose();
        }
    }
}

impl Session {
    fn hello(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("hello");
        self.steps.client = Step::Stopped;
        let word = wire.text(&HELLO_WORD, ACCEPTED.len())?;
        if !WORDS.contains(&word) {
            wire.note(&ERROR_HELLO, format_args!("unknown client word"));
            return Err(Error::Malformed);
        }
        self.greeted = true;
        let major = wire.i8(&VERSION_MAJOR)?;
        let minor = wire.i8(&VERSION_MINOR)?;
        let kind = match word {
            b"hella" => "application object, ",
            b"admin" => "admin console, ",
            b"vchat" => "voice chat, ",
            _ => "",
        };
        wire.info(format_args!("{kind}version {major}.{minor}"));
        if word == ACCEPTED {
            self.steps.client = Step::Steady;
        } else {
            self.opaque = true;
        }
        Ok(())
    }

    fn hello_reply(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("hello_reply");
        self.steps.server = Step::Stopped;
        if REFUSED.starts_with(wire.ahead().get(..REFUSED.len()).unwrap_or(wire.ahead())) {
            wire.text(&REPLY_STATUS, REFUSED.len())?;
            wire.info(format_args!("refused"));
            return wire.bytes(&REPLY_UNUSED, REPLY_LEN - REFUSED.len()).map(drop);
        }
        let status = wire.text(&REPLY_STATUS, ACCEPTED.len())?;
        if status != ACCEPTED {
            wire.note(&ERROR_HELLO, format_args!("unknown reply word"));
            return Err(Error::Malformed);
        }
        if wire.cut() == Cut::No && wire.remaining() == SHORT_REPLY_LEN - ACCEPTED.len() {
            wire.note(&NOTE_REPLY_SIZE, format_args!("{SHORT_REPLY_LEN} bytes, not {REPLY_LEN}"));
        } else {
            wire.u8(&REPLY_PAD)?;
        }
        wire.i32_be(&REPLY_UNKNOWN)?;
        let connection = wire.i32_be(&REPLY_CONNECTION_ID)?;
        wire.info(format_args!("connection id {connection}"));
        self.users.connected(connection);
        if !self.opaque {
            self.steps.server = Step::Steady;
        }
        Ok(())
    }
}

fn section(wire: &mut Wire<'_>, from: Side, users: &mut Users) -> Result {
    let kind = wire.u8(&SECTION_TYPE)?;
    wire.name(name_of(SECTIONS, kind.into()).unwrap_or("unknown"));
    match kind {
        GENERAL => general::general(wire, from, users),
        SYS1 => sys1(wire),
        POSITION_UPDATE => general::position_update(wire, from, users),
        _ => {
            wire.note(&ERROR_SECTION_TYPE, format_args!("section type {kind} is unknown"));
            Err(Error::Malformed)
        }
    }
}

fn sys1(wire: &mut Wire<'_>) -> Result {
    let data = wire.rest(&SYS1_DATA);
    wire.info(format_args!("{}", values::Bytes(data.len())));
    if wire.cut() == Cut::No && data.len() + 1 < SYS1_LEN {
        wire.note(&NOTE_SYS1_SIZE, format_args!("{} bytes, not {SYS1_LEN}", data.len() + 1));
    }
    Ok(())
}
