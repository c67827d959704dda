//! Commands after a header. Some name another command after them.

use super::fields::{
    ACCOUNT, ACTION, ANDX_OFFSET, ANSI_LENGTH, ANSI_PASSWORD, BLOB, BLOB_LENGTH, BUFFER_FORMAT, CAPABILITIES, COMMAND,
    CONNECT_FLAGS, COUNT, CREATE, DATA, DATA_COUNT, DATA_OFFSET, DIALECT, DIALECT_INDEX, DOMAIN, FILE, KEY_LENGTH, MAX_BUFFER,
    MAX_BUFFER_SIZE, MAX_DATA, MAX_MPX, MAX_PARAMETERS, MAX_RAW, MAX_SETUP, MAX_VCS, NAME_LENGTH, NATIVE_LANMAN, NATIVE_OS,
    PADDING, PARAMETER_COUNT, PARAMETER_OFFSET, PARAMETERS, PASSWORD, PASSWORD_LENGTH, PATH, RESERVED, SECURITY_MODE, SERVICE,
    SESSION_KEY, SETUP, SETUP_COUNT, SYSTEM_TIME, TIMEOUT, TOTAL_DATA, TOTAL_PARAMETERS, TRANSACTION, TRANSACTION_FLAGS,
    UNICODE_LENGTH, UNICODE_PASSWORD, VC, WORDS, ZONE,
};
use super::names::COMMANDS;
use crate::protocols::little::utf16_text;
use crate::tree::{Field, name_of};
use crate::wire::{Result, Wire};

const NEGOTIATE: u8 = 0x72;
const SETUP_SESSION: u8 = 0x73;
const CONNECT: u8 = 0x75;
const CREATE_FILE: u8 = 0xa2;
const TRANSACT: u8 = 0x25;
const LAST: u8 = 0xff;

/// A message, as its header describes it.
#[derive(Clone, Copy)]
pub(super) struct Packet {
    /// Start of the header, to which offsets are relative.
    pub(super) start: usize,
    pub(super) is_response: bool,
    /// Whether texts have two bytes a letter.
    pub(super) is_wide: bool,
}

/// Lengths of the data after the parameters.
#[derive(Default)]
struct Lengths {
    first: usize,
    second: usize,
    has_blob: bool,
}

fn names_another(command: u8) -> bool {
    matches!(command, 0x24 | 0x2d..=0x2f | SETUP_SESSION..=CONNECT | CREATE_FILE)
}

/// A command and those chained to it. Adds to the summary.
pub(super) fn chain(wire: &mut Wire<'_>, packet: Packet, first: u8, words: &mut Vec<String>) -> Result {
    let mut command = first;
    loop {
        let Some((next, offset)) = one(wire, packet, command, words)? else { return Ok(()) };
        let gap = (packet.start + offset).checked_sub(wire.at());
        match gap {
            Some(gap) if next != LAST && wire.remaining() > gap => {
                if gap > 0 {
                    wire.bytes(&PADDING, gap)?;
                }
            }
            _ => return Ok(()),
        }
        words.push(name_of(COMMANDS, next.into()).unwrap_or("unknown command").to_owned());
        command = next;
    }
}

/// A command. Returns the next one with its offset.
fn one(wire: &mut Wire<'_>, packet: Packet, command: u8, words: &mut Vec<String>) -> Result<Option<(u8, usize)>> {
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
        wire.rest(&PARAMETERS);
        Ok(())
    })?;
    let count = usize::from(wire.u16_le(&COUNT)?);
    wire.within(count, &DATA, |wire| {
        data(wire, packet, command, &lengths, words)?;
        wire.rest(&DATA);
        Ok(())
    })?;
    Ok(next)
}

fn parameters(wire: &mut Wire<'_>, packet: Packet, command: u8, count: u8) -> Result<Lengths> {
    let mut lengths = Lengths::default();
    match (command, packet.is_response, count) {
        (NEGOTIATE, true, 17) => {
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
            wire.u8(&KEY_LENGTH)?;
        }
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
        (TRANSACT, false, 14..) => transaction(wire)?,
        _ => {}
    }
    Ok(lengths)
}

fn transaction(wire: &mut Wire<'_>) -> Result {
    for field in [&TOTAL_PARAMETERS, &TOTAL_DATA, &MAX_PARAMETERS, &MAX_DATA] {
        wire.u16_le(field)?;
    }
    wire.u8(&MAX_SETUP)?;
    wire.bytes(&RESERVED, 1)?;
    wire.u16_le(&TRANSACTION_FLAGS)?;
    wire.u32_le(&TIMEOUT)?;
    wire.bytes(&RESERVED, 2)?;
    for field in [&PARAMETER_COUNT, &PARAMETER_OFFSET, &DATA_COUNT, &DATA_OFFSET] {
        wire.u16_le(field)?;
    }
    let count = usize::from(wire.u8(&SETUP_COUNT)?);
    wire.bytes(&RESERVED, 1)?;
    if count > 0 {
        wire.bytes(&SETUP, count * 2)?;
    }
    Ok(())
}

fn data(wire: &mut Wire<'_>, packet: Packet, command: u8, lengths: &Lengths, words: &mut Vec<String>) -> Result {
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
            words.push(string(wire, packet, &PATH)?);
            wire.text_nul(&SERVICE)?;
        }
        (CREATE_FILE, false) => words.push(string(wire, packet, &FILE)?),
        (TRANSACT, false) => words.push(string(wire, packet, &TRANSACTION)?),
        _ => {}
    }
    Ok(())
}

/// Secret bytes, if any.
fn secret(wire: &mut Wire<'_>, field: &'static Field, length: usize) -> Result {
    if length > 0 { wire.secret_bytes(field, length).map(drop) } else { Ok(()) }
}

/// A text up to its NUL, or up to the end.
fn string(wire: &mut Wire<'_>, packet: Packet, field: &'static Field) -> Result<String> {
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
