//! MapleStory logs (`.msb`) of MapleShark, versions 0x2012 to 0x2030.
//!
//! Numbers are little-endian; a text has its length in one byte. Files of 0x2020 to 0x2027 come from MapleShark, whose build has two bytes,
//! or from MapleShark 2, whose build has four: what follows decides.
//!
//! ```text
//! header   version:2 | by version
//!   2012   locale:2 | build:2 | local port:2
//!   2014   local address | port:2 | remote address | port:2 | locale:2 | build:2
//!   2015   local address | port:2 | remote address | port:2 | locale:1 | build:2 or 4
//!   2020   the same; from 2021 on, a build of two bytes is followed by the text of the patch location
//! record   ticks:8 | size:2, of the client with the highest bit | opcode:2 | payload
//!   2020   ticks:8 | size:2, from 2027 on 4 | opcode:2 | 1 of the client:1 | payload | from 2025 to 2027, two keys:8
//! ```
//! A tick is 100 ns; they count from the year 1, in local time.

use super::opcodes::{CLIENT, Header, Opcodes, Packet, SERVER};
use super::rebuilt::{Ends, Rebuilt};
use super::{Buffer, Fields, Opened, Sniff, SniffFormat, damaged, part};
use crate::tree::Side;
use std::io;
use std::net::{IpAddr, SocketAddr};

pub(super) static FORMAT: SniffFormat = SniffFormat { name: "msb", begins, open };

/// Ticks of the years 2000, 2100 and 1970.
const TICKS: std::ops::Range<u64> = 630_822_816_000_000_000..662_380_416_000_000_000;
const EPOCH: u64 = 621_355_968_000_000_000;

/// Maximum size of a packet.
const MOST: usize = 32 << 20;

/// Bytes that are searched for the end of the header and the first record.
const SEARCHED: usize = 1024;

/// Port of the login server, for logs that state none.
const LOGIN: u16 = 8484;

/// First port of clients without one.
const CLIENT_PORT: u16 = 50_000;

fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [0x12 | 0x14 | 0x15 | 0x20..=0x30, 0x20, ..])
}

/// A log.
struct Log {
    version: u16,
    ends: Ends,
    messages: Opcodes,
}

/// What precedes the payload of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    ticks: u64,
    size: usize,
    opcode: u16,
    side: Side,
}

fn open(input: &mut Buffer) -> io::Result<Option<Opened>> {
    input.need(2)?;
    let version = Fields(input.ahead()).u16();
    input.need(8)?;
    if !may_state_address(version, input.ahead()) {
        return Ok(None);
    }
    // A slow pipe may deliver less; a header with its first record is rarely longer.
    let mut wanted = 64;
    loop {
        let supply = input.need(wanted)?;
        let builds = if version == 0x2012 || version == 0x2014 { &[2][..] } else { &[2, 4] };
        for build in builds {
            let Some((header, ends, length)) = header(version, *build, input.ahead()) else { continue };
            let is_record =
                input.ahead().get(length..length + head_size(version)).and_then(|bytes| head(version, bytes)).is_some();
            if is_record {
                input.pass(length);
                let description = format!("a MapleShark .msb log of version {version:#06x}, build {}", header.build);
                let messages = Opcodes::new(&header);
                return Ok(Some(Opened { description, sniff: Box::new(Log { version, ends, messages }) }));
            }
        }
        if supply != super::Supply::Enough || wanted >= SEARCHED {
            return Ok(None);
        }
        wanted *= 2;
    }
}

/// Whether the first address may be one, as far as it has arrived: most inputs that begin like a version are text.
fn may_state_address(version: u16, bytes: &[u8]) -> bool {
    const LONGEST: u8 = 45;
    let Some((length, text)) = bytes.get(2..).and_then(<[u8]>::split_first).filter(|_| version != 0x2012) else {
        return version == 0x2012;
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'-' | b'%');
    *length <= LONGEST && text.iter().take(usize::from(*length)).all(is_part)
}

/// The header, the endpoints and its length, if `build` is the size of the build.
fn header(version: u16, build: usize, bytes: &[u8]) -> Option<(Header, Ends, usize)> {
    let mut fields = Fields(bytes);
    fields.u16();
    let mut header = Header { version, ..Header::default() };
    let short = |fields: &mut Fields<'_>| u8::try_from(fields.u16()).ok();
    let address = |ip: IpAddr, port: u16| SocketAddr::new(ip, port);
    let mut ends = Ends { client: address(CLIENT, CLIENT_PORT), server: address(SERVER, LOGIN) };
    if version == 0x2012 {
        header.locale = [short(&mut fields)?, 0, 0, 0];
        header.build = fields.u16().into();
        ends.client.set_port(fields.u16());
    } else {
        ends.client = address(ip(&mut fields, CLIENT)?, fields.u16());
        ends.server = address(ip(&mut fields, SERVER)?, fields.u16());
        header.locale = [if version == 0x2014 { short(&mut fields)? } else { fields.u8() }, 0, 0, 0];
        header.build = if build == 2 { fields.u16().into() } else { fields.u32() };
        if version >= 0x2021 && build == 2 {
            header.remark = text(&mut fields)?.to_vec();
        }
    }
    let [locale, ..] = header.locale;
    header.locale = decimal(locale);
    let length = bytes.len() - fields.0.len();
    (length < bytes.len()).then_some((header, ends, length))
}

/// A number as digits, followed by NUL.
fn decimal(number: u8) -> [u8; 4] {
    let digits = number.to_string();
    let mut text = [0; 4];
    text.iter_mut().zip(digits.bytes()).for_each(|(place, digit)| *place = digit);
    text
}

/// A short text.
fn text<'a>(fields: &mut Fields<'a>) -> Option<&'a [u8]> {
    let length = usize::from(fields.u8());
    let text = fields.bytes(length);
    (length < 128 && text.len() == length && text.iter().all(|byte| (b' '..0x7f).contains(byte))).then_some(text)
}

/// An address as text; another one if it is no IP address.
fn ip(fields: &mut Fields<'_>, otherwise: IpAddr) -> Option<IpAddr> {
    let text = text(fields)?;
    Some(std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise))
}

const fn head_size(version: u16) -> usize {
    match version {
        ..0x2020 => 12,
        0x2020..0x2027 => 13,
        _ => 15,
    }
}

/// The bytes before a payload, if they can be those of a record.
fn head(version: u16, bytes: &[u8]) -> Option<Head> {
    let mut fields = Fields(bytes);
    let ticks = fields.u64();
    let size = if version < 0x2027 { fields.u16().into() } else { fields.u32() };
    let opcode = fields.u16();
    let (is_client, size) = match version {
        ..0x2020 => (u32::from(size & 0x8000 != 0), size & 0x7fff),
        _ => (fields.u8().into(), size),
    };
    let side = if is_client == 1 { Side::Client } else { Side::Server };
    let size = usize::try_from(size).ok()?;
    (TICKS.contains(&ticks) && is_client <= 1 && size < MOST).then_some(Head { ticks, size, opcode, side })
}

impl Sniff for Log {
    fn step(&mut self, input: &mut Buffer, out: &mut Rebuilt) -> io::Result<bool> {
        let first = head_size(self.version);
        let Some(bytes) = part(input, first, "a record")? else { return Ok(false) };
        let Some(Head { ticks, size, opcode, side }) = head(self.version, bytes) else {
            return Err(damaged(input, "a record with an impossible time, size or direction"));
        };
        let keys = if (0x2025..0x2030).contains(&self.version) { 8 } else { 0 };
        let whole = first + size + keys;
        let record = part(input, whole, "a record")?.unwrap_or_default();
        let payload = record.get(first..first + size).unwrap_or_default();
        let time = (ticks - EPOCH).saturating_mul(100);
        let packet = Packet { side, time, opcode: opcode.into(), name: b"", payload, comment: "" };
        self.messages.add(out, self.ends, &packet);
        input.pass(whole);
        Ok(true)
    }
}
