//! PostgreSQL: the frontend and backend protocol, version 3.
//!
//! ```text
//! message     type:1 | length:4, itself included | contents
//! startup     length:4 | version:4 or request code:4 | name NUL value NUL … NUL
//! ```
//! A client may first request TLS, which the server answers with one byte. Source: chapter "Frontend/Backend Protocol" of
//! the documentation of PostgreSQL.
//!
//! Not covered: values by the type of their column; contents of replication.

mod recognition;

use super::prefixed::{Lost, Prefix};
use crate::tree::{Names, Side, Value, fields};
use crate::wire::{Conversation, Error, Extent, Heuristic, Missing, Next, On, Protocol, Result, Resumption, Wire};
use memchr::memmem;
use recognition::{anywhere, is_likely, is_startup, is_typed, on_port};

pub static PROTOCOL: Protocol = Protocol::new(&PGSQL, FIELDS)
    .found(&[
        On::Tcp(5432).stream::<Session>(Heuristic::Stream(on_port)),
        On::AnyTcp.stream::<Session>(Heuristic::Stream(anywhere)),
        On::Tcp(5432).stream::<Session>(Heuristic::Stream(is_likely)).by_port(),
    ])
    .rest(&DATA);

fields! {
    PGSQL = protocol("pgsql", "PostgreSQL", "PostgreSQL frontend and backend protocol")
        .covers("All messages of version 3; switch to TLS after SSLRequest")
        .leaves_open("Values by the type of their column");
    FRONTEND = bool("pgsql.frontend", "frontend", "True in messages of the client").once();
    TYPE = text("pgsql.type", "type", "").once();
    LENGTH = number("pgsql.length", "length", "Without the type, in bytes").once();
    MAJOR = number("pgsql.version_major", "protocol major version", "").once();
    MINOR = number("pgsql.version_minor", "protocol minor version", "").once();
    CODE_REQUESTED = number("pgsql.request_code", "request code", "Code instead of a version").once();
    SUPPORTED_MINOR = number("pgsql.version_supported_minor", "supported minor version", "Newest minor version of the server").once();
    UNSUPPORTED_COUNT = number("pgsql.number_nonsupported_options", "number nonsupported options", "").once();
    UNSUPPORTED = text("pgsql.nonsupported_option", "nonsupported option", "");
    NAME = text("pgsql.parameter_name", "parameter name", "");
    VALUE = text("pgsql.parameter_value", "parameter value", "");
    END = bytes("pgsql.end", "end", "Zero that ends a list");
    QUERY = text("pgsql.query", "query", "").once();
    PASSWORD = text("pgsql.password", "password", "Password, or a digest of it").secret().once();
    AUTH_TYPE = number("pgsql.authtype", "authentication type", "").names(AUTH_TYPES).once();
    SALT = bytes("pgsql.salt", "salt value", "").once();
    GSS = bytes("pgsql.auth.gssapi_sspi.data", "GSSAPI or SSPI data", "").once();
    MECHANISM = text("pgsql.auth.sasl.mech", "SASL authentication mechanism", "");
    SASL_LENGTH = number("pgsql.auth.sasl.data.length", "SASL authentication data length", "In bytes; -1 if there is none").once();
    SASL_DATA = bytes("pgsql.auth.sasl.data", "SASL authentication data", "").once();
    STATEMENT = text("pgsql.statement", "statement", "Name of a prepared statement").once();
    PORTAL = text("pgsql.portal", "portal", "Name of a statement with its parameters").once();
    TARGET = text("pgsql.target", "target", "S: statement, P: portal").once();
    RETURNS = number("pgsql.returns", "returns", "Maximum number of rows; 0 for all").once();
    TAG = text("pgsql.tag", "tag", "Completed command, often with a count of rows").once();
    STATUS = number("pgsql.status", "status", "").names(STATUSES).once();
    COPY = bytes("pgsql.copydata", "copy data", "").body().once();
    ERROR = text("pgsql.error", "error", "").once();
    PID = number("pgsql.pid", "PID", "Process of the backend").once();
    KEY = number("pgsql.key", "key", "Cancels queries of the backend").once();
    CONDITION = text("pgsql.condition", "condition", "Channel of a notification").once();
    TEXT = text("pgsql.text", "text", "Payload of a notification").once();
    TABLE = number("pgsql.oid.table", "table OID", "");
    TYPE_OID = number("pgsql.oid.type", "type OID", "");
    OID = number("pgsql.oid", "OID", "Called function").once();
    FORMAT = number("pgsql.format", "format", "").names(FORMATS);
    COUNT = number("pgsql.field.count", "field count", "").once();
    ENTRIES = number("pgsql.entries", "entries", "Number of entries of the next list");
    COLUMN = text("pgsql.col.name", "column name", "");
    INDEX = number("pgsql.col.index", "column index", "Attribute number of the column in its table");
    MODIFIER = number("pgsql.col.typemod", "type modifier", "");
    VALUE_LENGTH = number("pgsql.val.length", "column length", "In bytes; -1 is NULL, or a variable size");
    VALUE_DATA = bytes("pgsql.val.data", "data", "");
    SEVERITY = text("pgsql.severity", "severity", "");
    CODE = text("pgsql.code", "code", "SQLSTATE").once();
    MESSAGE = text("pgsql.message", "message", "").once();
    DETAIL = text("pgsql.detail", "detail", "").once();
    HINT = text("pgsql.hint", "hint", "").once();
    POSITION = text("pgsql.position", "position", "Character of the query, from 1").once();
    INNER_POSITION = text("pgsql.internal_position", "position (internal)", "Character of the internal query, from 1").once();
    INNER_QUERY = text("pgsql.internal_query", "query (internal)", "").once();
    WHERE = text("pgsql.where", "context", "").once();
    SCHEMA = text("pgsql.schema_name", "schema", "").once();
    TABLE_NAME = text("pgsql.table_name", "table", "").once();
    COLUMN_NAME = text("pgsql.column_name", "column", "").once();
    TYPE_NAME = text("pgsql.type_name", "type", "").once();
    CONSTRAINT = text("pgsql.constraint_name", "constraint", "").once();
    FILE = text("pgsql.file", "file", "Source file of the server").once();
    LINE = text("pgsql.line", "line", "Line of the source file").once();
    ROUTINE = text("pgsql.routine", "routine", "").once();
    OTHER = text("pgsql.other", "field", "Field of an error with another code");
    DATA = bytes("pgsql.data", "data", "Undissected bytes");
    BAD = broken("pgsql.note.value", "bad value", "Invalid length");
}

const AUTH_TYPES: Names = &[
    (0, "Success"),
    (1, "Kerberos V4"),
    (2, "Kerberos V5"),
    (3, "Plaintext password"),
    (4, "crypt()ed password"),
    (5, "MD5 password"),
    (6, "SCM credentials"),
    (7, "GSSAPI"),
    (8, "GSSAPI/SSPI continue"),
    (9, "SSPI"),
    (10, "SASL"),
    (11, "SASL continue"),
    (12, "SASL complete"),
];
const STATUSES: Names = &[(0x45, "In a failed transaction"), (0x49, "Idle"), (0x54, "In a transaction")];
const FORMATS: Names = &[(0, "Text"), (1, "Binary")];

const REQUESTS: Names = &[
    (0x42, "Bind"),
    (0x43, "Close"),
    (0x44, "Describe"),
    (0x45, "Execute"),
    (0x46, "Function call"),
    (0x48, "Flush"),
    (0x50, "Parse"),
    (0x51, "Simple query"),
    (0x53, "Sync"),
    (0x58, "Termination"),
    (0x63, "Copy completion"),
    (0x64, "Copy data"),
    (0x66, "Copy failure"),
    (0x70, "Password message"),
];
const RESPONSES: Names = &[
    (0x31, "Parse completion"),
    (0x32, "Bind completion"),
    (0x33, "Close completion"),
    (0x41, "Notification"),
    (0x43, "Command completion"),
    (0x44, "Data row"),
    (0x45, "Error"),
    (0x47, "CopyIn response"),
    (0x48, "CopyOut response"),
    (0x49, "Empty query"),
    (0x4b, "Backend key data"),
    (0x4e, "Notice"),
    (0x52, "Authentication request"),
    (0x53, "Parameter status"),
    (0x54, "Row description"),
    (0x56, "Function call response"),
    (0x57, "CopyBoth response"),
    (0x5a, "Ready for query"),
    (0x63, "Copy completion"),
    (0x64, "Copy data"),
    (0x6e, "No data"),
    (0x73, "Portal suspended"),
    (0x74, "Parameter description"),
    (0x76, "Negotiate protocol version"),
];

/// Fields of errors and notices by their codes.
const ERROR_FIELDS: &[(u8, &crate::tree::Field)] = &[
    (b'S', &SEVERITY),
    (b'V', &SEVERITY),
    (b'C', &CODE),
    (b'M', &MESSAGE),
    (b'D', &DETAIL),
    (b'H', &HINT),
    (b'P', &POSITION),
    (b'p', &INNER_POSITION),
    (b'q', &INNER_QUERY),
    (b'W', &WHERE),
    (b's', &SCHEMA),
    (b't', &TABLE_NAME),
    (b'c', &COLUMN_NAME),
    (b'd', &TYPE_NAME),
    (b'n', &CONSTRAINT),
    (b'F', &FILE),
    (b'L', &LINE),
    (b'R', &ROUTINE),
];

/// Codes in place of a version: the upper half is 1234.
const CANCEL: u32 = 80_877_102;
const TLS_REQUEST: u32 = 80_877_103;
const GSS_REQUEST: u32 = 80_877_104;
const VERSION_3: [u8; 2] = [0, 3];
/// Minor versions of version 3: 0, and 2 from PostgreSQL 18; 1 is reserved.
const MINOR_VERSIONS: std::ops::RangeInclusive<u16> = 0..=2;

const STARTUP: Prefix = Prefix { at: 0, little_endian: false, uncounted: 0, least: 8, is_header: |_| true, may_be_odd: |_| true };
const TYPED: Prefix = Prefix {
    at: 1,
    little_endian: false,
    uncounted: 1,
    least: 5,
    is_header: is_typed,
    may_be_odd: |whole| whole.first().is_some_and(u8::is_ascii_graphic),
};

/// Expected content of the next message of type `p`.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Awaits {
    #[default]
    Password,
    Gss,
    SaslStart,
    Sasl,
}

/// State of a connection.
#[derive(Default)]
struct Session {
    awaits: Awaits,
    /// TLS or GSSAPI encryption was requested; the server answers with one byte.
    asks: bool,
    lost: Lost,
    next: Option<Next>,
}

impl Conversation for Session {
    fn extent(&mut self, from: Side, ahead: &[u8], more: bool) -> Extent {
        match (from, ahead.first()) {
            (Side::Server, Some(b'S' | b'N' | b'G')) if self.asks => Extent::Message(1),
            (Side::Client, Some(0)) => STARTUP.extent(ahead, more),
            _ => self.lost.extent(from, ahead, more, &TYPED),
        }
    }

    fn message(&mut self, from: Side, wire: &mut Wire<'_>) -> Result {
        wire.add(&FRONTEND, Value::Bool(from == Side::Client));
        match (from, wire.peek_u8()) {
            (Side::Server, Some(answer)) if std::mem::take(&mut self.asks) => return self.answer(wire, answer),
            (Side::Client, Some(0)) => return self.startup(wire),
            _ => {}
        }
        TYPED.note_odd(wire);
        let (start, kind) = (wire.at(), wire.peek_u8().unwrap_or_default());
        let names = if from == Side::Client { REQUESTS } else { RESPONSES };
        let name = match (from, kind, self.awaits) {
            (Side::Client, b'p', Awaits::Gss) => "GSSResponse message",
            (Side::Client, b'p', Awaits::SaslStart) => "SASLInitialResponse message",
            (Side::Client, b'p', Awaits::Sasl) => "SASLResponse message",
            _ => crate::tree::name_of(names, kind.into()).unwrap_or("Unknown"),
        };
        wire.put_text(&TYPE, start..start + 1, format_args!("{name}"));
        wire.skip(1)?;
        wire.u32_be(&LENGTH)?;
        wire.name(name);
        match from {
            Side::Client => self.request(wire, kind),
            Side::Server => self.response(wire, kind),
        }
    }

    fn gap(&mut self, from: Side, missing: Missing) {
        self.lost.note(from, missing);
    }

    fn next(&mut self) -> Option<Next> {
        self.next.take()
    }

    fn resumes(&self, from: Side, ahead: &[u8]) -> Resumption {
        match from {
            Side::Client if is_startup(ahead) => Resumption::At(0),
            Side::Client => TYPED.resumes(ahead),
            Side::Server => Resumption::Anywhere,
        }
    }

    fn may_hold_secret(&self, from: Side, ahead: &[u8]) -> bool {
        // A password, or a query that sets one.
        from == Side::Client && matches!(ahead.first(), None | Some(b'p' | b'Q' | b'P'))
    }
}

impl Session {
    /// Dissects the answer to a request for encryption.
    fn answer(&mut self, wire: &mut Wire<'_>, answer: u8) -> Result {
        let name = match answer {
            b'S' => "SSL response",
            b'G' => "GSS encrypt response",
            _ => "Encryption refused",
        };
        wire.name(name);
        wire.put_text(&TYPE, wire.at()..wire.at() + 1, format_args!("{name}"));
        if answer == b'S' {
            self.next = Some(Next::Detect);
        }
        wire.skip(1)
    }

    /// Dissects a message without a type.
    fn startup(&mut self, wire: &mut Wire<'_>) -> Result {
        let code = wire.ahead().get(4..).and_then(|code| code.first_chunk()).map_or(0, |code| u32::from_be_bytes(*code));
        let name = match code {
            CANCEL => "Cancel request",
            TLS_REQUEST => "SSL request",
            GSS_REQUEST => "GSS encrypt request",
            _ => "Startup message",
        };
        wire.name(name);
        wire.put_text(&TYPE, wire.at()..wire.at(), format_args!("{name}"));
        wire.u32_be(&LENGTH)?;
        match code {
            CANCEL => {
                wire.u32_be(&CODE_REQUESTED)?;
                wire.u32_be(&PID)?;
                wire.u32_be(&KEY)?;
            }
            TLS_REQUEST | GSS_REQUEST => {
                self.asks = true;
                wire.u32_be(&CODE_REQUESTED)?;
            }
            _ => {
                wire.u16_be(&MAJOR)?;
                wire.u16_be(&MINOR)?;
                let mut words = Vec::new();
                while !matches!(wire.peek_u8(), None | Some(0)) {
                    let name = String::from_utf8_lossy(wire.text_nul(&NAME)?);
                    let value = String::from_utf8_lossy(wire.text_nul(&VALUE)?);
                    if matches!(&*name, "user" | "database") {
                        words.push(format!("{name} {value}"));
                    }
                }
                wire.info(format_args!("{}", words.join(", ")));
                wire.bytes(&END, 1)?;
            }
        }
        Ok(())
    }

    fn request(&mut self, wire: &mut Wire<'_>, kind: u8) -> Result {
        match kind {
            b'p' => return self.credentials(wire),
            b'Q' => query(wire)?,
            b'P' => {
                wire.text_nul(&STATEMENT)?;
                query(wire)?;
                entries(wire, |wire| wire.u32_be(&TYPE_OID).map(drop))?;
            }
            b'B' => {
                wire.text_nul(&PORTAL)?;
                let statement = String::from_utf8_lossy(wire.text_nul(&STATEMENT)?);
                wire.info(format_args!("{statement}"));
                formats(wire)?;
                entries(wire, field_value)?;
                formats(wire)?;
            }
            b'E' => {
                wire.text_nul(&PORTAL)?;
                wire.u32_be(&RETURNS)?;
            }
            b'D' | b'C' => {
                let field = if wire.text(&TARGET, 1)? == b"P" { &PORTAL } else { &STATEMENT };
                let name = String::from_utf8_lossy(wire.text_nul(field)?);
                wire.info(format_args!("{} {name}", field.name));
            }
            b'F' => {
                wire.u32_be(&OID)?;
                formats(wire)?;
                entries(wire, field_value)?;
                wire.u16_be(&FORMAT)?;
            }
            b'd' => copy(wire),
            b'f' => {
                let words = String::from_utf8_lossy(wire.text_nul(&ERROR)?);
                wire.info(format_args!("{words}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Dissects the answer of a client to an authentication request.
    fn credentials(&mut self, wire: &mut Wire<'_>) -> Result {
        match self.awaits {
            Awaits::Password if wire.ahead().contains(&0) => drop(wire.text_nul(&PASSWORD)?),
            Awaits::Password => drop(wire.rest(&PASSWORD)),
            Awaits::Gss => drop(wire.rest(&GSS)),
            Awaits::SaslStart => {
                let mechanism = String::from_utf8_lossy(wire.text_nul(&MECHANISM)?);
                wire.info(format_args!("{mechanism}"));
                wire.i32_be(&SASL_LENGTH)?;
                hidden(wire);
            }
            Awaits::Sasl => hidden(wire),
        }
        Ok(())
    }

    fn response(&mut self, wire: &mut Wire<'_>, kind: u8) -> Result {
        match kind {
            b'R' => return self.authentication(wire),
            b'K' => {
                let pid = wire.u32_be(&PID)?;
                wire.u32_be(&KEY)?;
                wire.info(format_args!("PID {pid}"));
            }
            b'S' => {
                let name = String::from_utf8_lossy(wire.text_nul(&NAME)?);
                let value = String::from_utf8_lossy(wire.text_nul(&VALUE)?);
                wire.info(format_args!("{name} = {value}"));
            }
            b't' => entries(wire, |wire| wire.u32_be(&TYPE_OID).map(drop))?,
            b'T' => row_description(wire)?,
            b'D' => {
                let count = wire.u16_be(&COUNT)?;
                wire.info(format_args!("{count} values"));
                (0..count).try_for_each(|_| field_value(wire))?;
            }
            b'V' => field_value(wire)?,
            b'C' => {
                let tag = String::from_utf8_lossy(wire.text_nul(&TAG)?);
                wire.info(format_args!("{tag}"));
            }
            b'Z' => {
                let status = wire.u8(&STATUS)?;
                wire.info(format_args!("{}", crate::tree::name_of(STATUSES, status.into()).unwrap_or("unknown status")));
            }
            b'E' | b'N' => error(wire)?,
            b'A' => notification(wire)?,
            b'G' | b'H' | b'W' => copy_response(wire)?,
            b'd' => copy(wire),
            b'v' => {
                wire.u32_be(&SUPPORTED_MINOR)?;
                let count = wire.u32_be(&UNSUPPORTED_COUNT)?;
                for _ in 0..count {
                    wire.text_nul(&UNSUPPORTED)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn authentication(&mut self, wire: &mut Wire<'_>) -> Result {
        let kind = wire.u32_be(&AUTH_TYPE)?;
        wire.info(format_args!("{}", crate::tree::name_of(AUTH_TYPES, kind.into()).unwrap_or("unknown type")));
        self.awaits = match kind {
            7..=9 => Awaits::Gss,
            10 => Awaits::SaslStart,
            11 | 12 => Awaits::Sasl,
            _ => Awaits::Password,
        };
        match kind {
            4 => drop(wire.bytes(&SALT, 2)?),
            5 => drop(wire.bytes(&SALT, 4)?),
            8 => drop(wire.rest(&GSS)),
            10 => {
                while !matches!(wire.peek_u8(), None | Some(0)) {
                    wire.text_nul(&MECHANISM)?;
                }
                wire.bytes(&END, 1)?;
            }
            11 | 12 => drop(wire.rest(&SASL_DATA)),
            _ => {}
        }
        Ok(())
    }
}

/// SASL data of a client, which may contain a password, a token or a proof of one.
fn hidden(wire: &mut Wire<'_>) {
    wire.hide(wire.at()..wire.at() + wire.remaining());
    wire.rest(&SASL_DATA);
}

/// Dissects a query. A literal after the word PASSWORD is a secret.
fn query(wire: &mut Wire<'_>) -> Result {
    let start = wire.at();
    let text = wire.text_nul(&QUERY)?;
    let lower = text.to_ascii_lowercase();
    let mut shown = Vec::with_capacity(text.len());
    let mut copied = 0;
    for at in memmem::find_iter(&lower, b"password") {
        let rest = text.get(at..).unwrap_or_default();
        let Some(open) = memchr::memchr(b'\'', rest).map(|open| at + open + 1) else { break };
        let literal = text.get(open..).unwrap_or_default();
        let end = open + memchr::memchr(b'\'', literal).unwrap_or(literal.len());
        if open >= copied {
            wire.hide(start + open..start + end);
            shown.extend_from_slice(text.get(copied..open).unwrap_or_default());
            shown.extend_from_slice(b"***");
            copied = end;
        }
    }
    shown.extend_from_slice(text.get(copied..).unwrap_or_default());
    wire.info(format_args!("{}", String::from_utf8_lossy(&shown)));
    Ok(())
}

/// Dissects a count of 16 bits and as many entries.
fn entries(wire: &mut Wire<'_>, mut read: impl FnMut(&mut Wire<'_>) -> Result) -> Result {
    let count = wire.u16_be(&ENTRIES)?;
    (0..count).try_for_each(|_| read(wire))
}

fn formats(wire: &mut Wire<'_>) -> Result {
    entries(wire, |wire| wire.u16_be(&FORMAT).map(drop))
}

fn field_value(wire: &mut Wire<'_>) -> Result {
    match usize::try_from(wire.i32_be(&VALUE_LENGTH)?) {
        Ok(0) | Err(_) => Ok(()),
        Ok(length) => wire.bytes(&VALUE_DATA, length).map(drop),
    }
}

fn copy(wire: &mut Wire<'_>) {
    wire.info(format_args!("{} bytes", wire.remaining()));
    wire.rest(&COPY);
}

fn notification(wire: &mut Wire<'_>) -> Result {
    wire.u32_be(&PID)?;
    let channel = String::from_utf8_lossy(wire.text_nul(&CONDITION)?);
    let words = String::from_utf8_lossy(wire.text_nul(&TEXT)?);
    wire.info(format_args!("{channel}: {words}"));
    Ok(())
}

/// The formats of the columns to be copied.
fn copy_response(wire: &mut Wire<'_>) -> Result {
    wire.u8(&FORMAT)?;
    let count = wire.u16_be(&COUNT)?;
    for _ in 0..count {
        wire.u16_be(&FORMAT)?;
    }
    wire.info(format_args!("{count} columns"));
    Ok(())
}

fn row_description(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_be(&COUNT)?;
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(String::from_utf8_lossy(wire.text_nul(&COLUMN)?).into_owned());
        wire.u32_be(&TABLE)?;
        wire.u16_be(&INDEX)?;
        wire.u32_be(&TYPE_OID)?;
        wire.i16_be(&VALUE_LENGTH)?;
        wire.i32_be(&MODIFIER)?;
        wire.u16_be(&FORMAT)?;
    }
    wire.info(format_args!("{}", names.join(", ")));
    Ok(())
}

/// Dissects the fields of an error or a notice.
fn error(wire: &mut Wire<'_>) -> Result {
    let mut severity = "";
    loop {
        let ahead = wire.ahead();
        let Some((code, rest)) = ahead.split_first() else { return Err(Error::Short { needed: 1 }) };
        if *code == 0 {
            return wire.bytes(&END, 1).map(drop);
        }
        let length = memchr::memchr(0, rest).ok_or(Error::Short { needed: 1 })?;
        let field = ERROR_FIELDS.iter().find(|(known, _)| known == code).map_or(&OTHER, |(_, field)| *field);
        let text = wire.words(field, length + 2, 1..length + 1)?;
        match code {
            b'S' => severity = std::str::from_utf8(text).unwrap_or_default(),
            b'M' => wire.info(format_args!("{severity}: {}", String::from_utf8_lossy(text))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
