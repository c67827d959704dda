//! Commands after a header. Some name another command after them.

use super::fields::*;
use super::names::COMMANDS;
use crate::protocols::dcerpc;
use crate::protocols::little::utf16_text;
use crate::tree::{Field, name_of};
use crate::wire::{Result, Wire};

const NEGOTIATE: u8 = 0x72;
const SETUP_SESSION: u8 = 0x73;
const CONNECT: u8 = 0x75;
const CREATE_FILE: u8 = 0xa2;
pub(super) const TRANSACT: u8 = 0x25;
const RENAME: u8 = 0x07;
const TRANSACT_2: u8 = 0x32;
const LAST: u8 = 0xff;

/// A message, as its header describes it.
pub(super) struct Packet {
    /// Start of the header, to which offsets are relative.
    pub(super) start: usize,
    pub(super) is_response: bool,
    /// Whether texts have two bytes a letter.
    pub(super) is_wide: bool,
    /// Pipe of a transaction.
    pub(super) pipe: Option<u16>,
    /// Path of a tree that the message connects.
    pub(super) path: Option<String>,
}

/// Lengths of the data after the parameters.
#[derive(Default)]
struct Lengths {
    first: usize,
    second: usize,
    has_blob: bool,
    /// Offset from the header and length of the data of a transaction.
    data: (usize, usize),
}

fn names_another(command: u8) -> bool {
    matches!(command, 0x24 | 0x2d..=0x2f | SETUP_SESSION..=CONNECT | CREATE_FILE)
}

/// A command and those chained to it. Adds to the summary.
pub(super) fn chain(wire: &mut Wire<'_>, packet: &mut Packet, first: u8, words: &mut Vec<String>) -> Result {
    let mut command = first;
    loop {
        let Some((next, offset)) = one(wire, packet, command, words)? else { return Ok(()) };
        let gap = (packet.start + offset).checked_sub(wire.at());
        match gap {
            Some(gap) if next != LAST && wire.remaining() > gap => {
                wire.optional(&PADDING, gap)?;
            }
            _ => return Ok(()),
        }
        words.push(name_of(COMMANDS, next.into()).unwrap_or("unknown command").to_owned());
        command = next;
    }
}

/// A command. Returns the next one with its offset.
fn one(wire: &mut Wire<'_>, packet: &mut Packet, command: u8, words: &mut Vec<String>) -> Result<Option<(u8, usize)>> {
    let count = wire.u8(&WORDS)?;
    let mut next = None;
    let mut lengths = Lengths::default();
    wire.within(usize::from(count) * 2, &PARAMETERS, |wire| {
        if names_another(command) && count >= 2 {
            let command = wire.u8(&COMMAND)?;
            wire.bytes(&RESERVED, 1)?;
            next = Some((command, usize::from(wire.u16_le(&ANDX_OFFSET)?)));
        }
        lengths = parameters(wire, packet, command, count)?;
        wire.rest_is(&PARAMETERS)
    })?;
    let count = usize::from(wire.u16_le(&COUNT)?);
    wire.within(count, &DATA, |wire| {
        data(wire, packet, command, &lengths, words)?;
        wire.rest_is(&DATA)
    })?;
    Ok(next)
}

/// The answer to a negotiation.
fn negotiated(wire: &mut Wire<'_>) -> Result {
    wire.u16_le(&DIALECT_INDEX)?;
    wire.u8(&SECURITY_MODE)?;
    wire.u16_le(&MAX_MPX)?;
    wire.u16_le(&MAX_VCS)?;
    wire.u32_le(&MAX_BUFFER_SIZE)?;
    wire.u32_le(&MAX_RAW)?;
    wire.u32_le(&SESSION_KEY)?;
    wire.u32_le(&CAPABILITIES)?;
    wire.u64_le(&SYSTEM_TIME)?;
    wire.i16_le(&ZONE)?;
    wire.u8(&KEY_LENGTH).map(drop)
}

/// The answer to a negotiation of a dialect before NT LM 0.12.
fn negotiated_before_nt(wire: &mut Wire<'_>) -> Result {
    wire.u16_le(&DIALECT_INDEX)?;
    wire.u16_le(&SECURITY_MODE)?;
    wire.u16_le(&MAX_BUFFER_SIZE)?;
    wire.u16_le(&MAX_MPX)?;
    wire.u16_le(&MAX_VCS)?;
    wire.u16_le(&RAW_MODE)?;
    wire.u32_le(&SESSION_KEY)?;
    wire.u16_le(&SERVER_TIME)?;
    wire.u16_le(&SERVER_DATE)?;
    wire.i16_le(&ZONE)?;
    wire.u16_le(&KEY_LENGTH)?;
    wire.bytes(&RESERVED, 2).map(drop)
}

fn parameters(wire: &mut Wire<'_>, packet: &Packet, command: u8, count: u8) -> Result<Lengths> {
    let mut lengths = Lengths::default();
    match (command, packet.is_response, count) {
        (NEGOTIATE, true, 17) => negotiated(wire)?,
        (NEGOTIATE, true, 13) => negotiated_before_nt(wire)?,
        (NEGOTIATE, true, 1) => drop(wire.u16_le(&DIALECT_INDEX)?),
        (SETUP_SESSION, false, 12 | 13) => {
            wire.u16_le(&MAX_BUFFER)?;
            wire.u16_le(&MAX_MPX)?;
            wire.u16_le(&VC)?;
            wire.u32_le(&SESSION_KEY)?;
            if count == 12 {
                lengths = Lengths { first: wire.u16_le(&BLOB_LENGTH)?.into(), has_blob: true, ..lengths };
            } else {
                lengths.first = wire.u16_le(&ANSI_LENGTH)?.into();
                lengths.second = wire.u16_le(&UNICODE_LENGTH)?.into();
            }
            wire.bytes(&RESERVED, 4)?;
            wire.u32_le(&CAPABILITIES)?;
        }
        (SETUP_SESSION, true, 3 | 4) => {
            wire.u16_le(&ACTION)?;
            if count == 4 {
                lengths = Lengths { first: wire.u16_le(&BLOB_LENGTH)?.into(), has_blob: true, ..lengths };
            }
        }
        (CONNECT, false, 4) => {
            wire.u16_le(&CONNECT_FLAGS)?;
            lengths.first = wire.u16_le(&PASSWORD_LENGTH)?.into();
        }
        (CREATE_FILE, false, 24) => {
            wire.bytes(&RESERVED, 1)?;
            lengths.first = wire.u16_le(&NAME_LENGTH)?.into();
            wire.bytes(&CREATE, wire.remaining())?;
        }
        (TRANSACT | TRANSACT_2, false, 14..) => lengths.data = transaction(wire)?,
        (TRANSACT | TRANSACT_2, true, 10..) => lengths.data = transacted(wire)?,
        _ => {}
    }
    Ok(lengths)
}

/// Words of a request. Returns the place of its data.
fn transaction(wire: &mut Wire<'_>) -> Result<(usize, usize)> {
    for field in [&TOTAL_PARAMETERS, &TOTAL_DATA, &MAX_PARAMETERS, &MAX_DATA] {
        wire.u16_le(field)?;
    }
    wire.u8(&MAX_SETUP)?;
    wire.bytes(&RESERVED, 1)?;
    wire.u16_le(&TRANSACTION_FLAGS)?;
    wire.u32_le(&TIMEOUT)?;
    wire.bytes(&RESERVED, 2)?;
    wire.u16_le(&PARAMETER_COUNT)?;
    wire.u16_le(&PARAMETER_OFFSET)?;
    let length = wire.u16_le(&DATA_COUNT)?;
    let offset = wire.u16_le(&DATA_OFFSET)?;
    setup(wire)?;
    Ok((offset.into(), length.into()))
}

/// Words of a response. Returns the place of its data.
fn transacted(wire: &mut Wire<'_>) -> Result<(usize, usize)> {
    wire.u16_le(&TOTAL_PARAMETERS)?;
    wire.u16_le(&TOTAL_DATA)?;
    wire.bytes(&RESERVED, 2)?;
    wire.u16_le(&PARAMETER_COUNT)?;
    wire.u16_le(&PARAMETER_OFFSET)?;
    wire.u16_le(&PARAMETER_DISPLACEMENT)?;
    let length = wire.u16_le(&DATA_COUNT)?;
    let offset = wire.u16_le(&DATA_OFFSET)?;
    wire.u16_le(&DATA_DISPLACEMENT)?;
    setup(wire)?;
    Ok((offset.into(), length.into()))
}

fn setup(wire: &mut Wire<'_>) -> Result {
    let count = usize::from(wire.u8(&SETUP_COUNT)?);
    wire.bytes(&RESERVED, 1)?;
    wire.optional(&SETUP, count * 2).map(drop)
}

fn data(wire: &mut Wire<'_>, packet: &mut Packet, command: u8, lengths: &Lengths, words: &mut Vec<String>) -> Result {
    if wire.remaining() == 0 {
        return Ok(());
    }
    match (command, packet.is_response) {
        (NEGOTIATE, false) => {
            while wire.remaining() > 0 {
                wire.u8(&BUFFER_FORMAT)?;
                wire.text_nul(&DIALECT)?;
            }
        }
        (SETUP_SESSION, _) => {
            if lengths.has_blob {
                secret(wire, &BLOB, lengths.first)?;
            } else if !packet.is_response {
                secret(wire, &ANSI_PASSWORD, lengths.first)?;
                secret(wire, &UNICODE_PASSWORD, lengths.second)?;
                words.push(string(wire, packet, &ACCOUNT)?);
                string(wire, packet, &DOMAIN)?;
            }
            string(wire, packet, &NATIVE_OS)?;
            string(wire, packet, &NATIVE_LANMAN)?;
            if packet.is_response {
                string(wire, packet, &DOMAIN)?;
            }
        }
        (CONNECT, false) => {
            secret(wire, &PASSWORD, lengths.first)?;
            let path = string(wire, packet, &PATH)?;
            words.push(path.clone());
            packet.path = Some(path);
            wire.text_nul(&SERVICE)?;
        }
        (CONNECT, true) => {
            wire.text_nul(&SERVICE)?;
            string(wire, packet, &FILE_SYSTEM)?;
        }
        // Commands with the name of a file or directory; RENAME has two.
        (0x00 | 0x01 | 0x06..=0x09 | 0x10, false) => {
            for _ in 0..if command == RENAME { 2 } else { 1 } {
                wire.u8(&BUFFER_FORMAT)?;
                words.push(string(wire, packet, &FILE)?);
            }
        }
        (CREATE_FILE, false) => words.push(string(wire, packet, &FILE)?),
        (TRANSACT, is_response) => {
            if !is_response {
                words.push(string(wire, packet, &TRANSACTION)?);
            }
            content(wire, packet, lengths.data)?;
        }
        _ => {}
    }
    Ok(())
}

/// A message of DCE/RPC in the data of a transaction on a pipe.
fn content(wire: &mut Wire<'_>, packet: &Packet, (offset, length): (usize, usize)) -> Result {
    let (Some(pipe), Some(gap)) = (packet.pipe, (packet.start + offset).checked_sub(wire.at())) else { return Ok(()) };
    let data = wire.ahead().get(gap..).and_then(|ahead| ahead.get(..length));
    if !data.is_some_and(dcerpc::begins) {
        return Ok(());
    }
    wire.optional(&DATA, gap)?;
    wire.hand_over_with(dcerpc::PIPE, wire.at()..wire.at() + length, pipe.into());
    wire.skip(length)
}

/// Secret bytes, if any.
fn secret(wire: &mut Wire<'_>, field: &'static Field, length: usize) -> Result {
    if length > 0 { wire.secret_bytes(field, length).map(drop) } else { Ok(()) }
}

/// A text up to its NUL, or up to the end.
fn string(wire: &mut Wire<'_>, packet: &Packet, field: &'static Field) -> Result<String> {
    if wire.remaining() == 0 {
        return Ok(String::new());
    }
    if !packet.is_wide {
        let ahead = wire.ahead();
        let end = ahead.iter().position(|byte| *byte == 0);
        let text = wire.words(field, end.map_or(ahead.len(), |end| end + 1), 0..end.unwrap_or(ahead.len()))?;
        return Ok(String::from_utf8_lossy(text).into_owned());
    }
    if !(wire.at() - packet.start).is_multiple_of(2) {
        wire.bytes(&PADDING, 1)?;
    }
    let units = wire.ahead().as_chunks::<2>().0;
    let count = units.iter().position(|unit| *unit == [0; 2]).map_or(wire.remaining(), |end| end * 2 + 2);
    utf16_text(wire, field, count).map(|text| text.trim_end_matches('\0').to_owned())
}
