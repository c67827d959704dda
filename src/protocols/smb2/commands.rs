//! Message bodies by command.

use super::fields::*;
use super::names::DIALECTS;
use crate::protocols::dcerpc;
use crate::protocols::little::{guid, utf16_text};
use crate::tree::{Field, name_of};
use crate::wire::{Result, Wire};

/// A message, as its header describes it.
#[derive(Clone, Copy)]
pub(super) struct Packet {
    /// Start of the header, to which offsets are relative.
    pub(super) start: usize,
    pub(super) command: u16,
    /// Of a response.
    pub(super) status: Option<u32>,
    /// Pipe of data to read, to write or to transceive.
    pub(super) pipe: Option<u64>,
}

/// Bytes in front of which offsets begin, and their number.
#[derive(Clone, Copy)]
struct Blob {
    offset: usize,
    length: usize,
}

impl Packet {
    /// Whether the message is an error in place of a response.
    fn is_error(self) -> bool {
        const MORE_PROCESSING: u32 = 0xc000_0016;
        const OVERFLOW: u32 = 0x8000_0005;
        const LIST_AGAIN: u32 = 0x0000_010c;
        self.status.is_some_and(|status| !matches!(status, 0 | MORE_PROCESSING | OVERFLOW | LIST_AGAIN))
    }

    /// Skips to a blob, unless the position is past it, and reads it.
    fn blob<T: Default>(
        self,
        wire: &mut Wire<'_>,
        blob: Blob,
        read: impl FnOnce(&mut Wire<'_>, usize) -> Result<T>,
    ) -> Result<T> {
        let Some(gap) = (self.start + blob.offset).checked_sub(wire.at()) else { return Ok(T::default()) };
        if blob.length == 0 {
            return Ok(T::default());
        }
        wire.optional(&PADDING, gap)?;
        read(wire, blob.length)
    }

    fn bytes(self, wire: &mut Wire<'_>, blob: Blob, field: &'static Field) -> Result {
        self.blob(wire, blob, |wire, length| wire.bytes(field, length).map(drop))
    }

    /// Data of a file, or a message of DCE/RPC on a pipe.
    fn content(self, wire: &mut Wire<'_>, blob: Blob, field: &'static Field) -> Result {
        self.blob(wire, blob, |wire, length| match self.pipe {
            Some(pipe) if dcerpc::begins(wire.ahead().get(..length).unwrap_or_default()) => {
                wire.hand_over_with(dcerpc::PIPE, wire.at()..wire.at() + length, pipe);
                wire.skip(length)
            }
            _ => wire.bytes(field, length).map(drop),
        })
    }

    fn secret(self, wire: &mut Wire<'_>, blob: Blob) -> Result {
        self.blob(wire, blob, |wire, length| wire.secret_bytes(&BLOB, length).map(drop))
    }

    fn text(self, wire: &mut Wire<'_>, blob: Blob, field: &'static Field) -> Result<String> {
        self.blob(wire, blob, |wire, length| utf16_text(wire, field, length))
    }
}

/// A message. Stores its distinctive value in `word`.
pub(super) fn body(wire: &mut Wire<'_>, packet: Packet, word: &mut String) -> Result {
    if wire.remaining() == 0 {
        return Ok(());
    }
    let size = wire.flags_le(&SIZE, 2, &[&FIXED, &DYNAMIC])?;
    if packet.is_error() && size == 9 {
        return error(wire);
    }
    match (packet.command, packet.status.is_some()) {
        (0, false) => negotiate(wire, packet),
        (0, true) => negotiated(wire, packet, word),
        (1, false) => setup(wire, packet),
        (1, true) => {
            wire.u16_le(&SESSION_FLAGS)?;
            let blob = short_blob(wire)?;
            packet.secret(wire, blob)
        }
        (3, false) => {
            wire.bytes(&PADDING, 2)?;
            let blob = short_blob(wire)?;
            *word = packet.text(wire, blob, &TREE)?;
            Ok(())
        }
        (3, true) => connected(wire),
        (2 | 4 | 12 | 13, _) | (7 | 10, true) => wire.bytes(&RESERVED, 2).map(drop),
        (5, false) => create(wire, packet, word),
        (5, true) => created(wire, packet),
        (6, is_response) => close(wire, is_response),
        (7, false) => {
            wire.bytes(&RESERVED, 6)?;
            file(wire)
        }
        (8, false) => read_request(wire, word),
        (8, true) => read_response(wire, packet),
        (9, false) => write_request(wire, packet, word),
        (9, true) => written(wire),
        (10, false) => lock(wire),
        (11, is_response) => control(wire, packet, is_response, word),
        (14, false) => find(wire, packet, word),
        (14..=16, true) => {
            let blob = data_blob(wire)?;
            packet.bytes(wire, blob, &INFO)
        }
        (15, false) => notify(wire),
        (16, false) => get_info(wire, packet),
        (17, false) => set_info(wire, packet),
        (17, true) => Ok(()),
        _ => wire.rest_is(&DATA),
    }
}

fn connected(wire: &mut Wire<'_>) -> Result {
    wire.u8(&SHARE_TYPE)?;
    wire.bytes(&RESERVED, 1)?;
    wire.u32_le(&SHARE_FLAGS)?;
    wire.u32_le(&SHARE_CAPABILITIES)?;
    wire.u32_le(&ACCESS).map(drop)
}

fn close(wire: &mut Wire<'_>, is_response: bool) -> Result {
    wire.flags_le(&CLOSE_FLAGS, 2, &[&POST_QUERY])?;
    wire.bytes(&PADDING, 4)?;
    if is_response { attributes(wire) } else { file(wire) }
}

fn written(wire: &mut Wire<'_>) -> Result {
    wire.bytes(&RESERVED, 2)?;
    wire.u32_le(&WRITE_COUNT)?;
    wire.u32_le(&WRITE_REMAINING)?;
    wire.bytes(&RESERVED, 4).map(drop)
}

fn notify(wire: &mut Wire<'_>) -> Result {
    wire.u16_le(&NOTIFY_FLAGS)?;
    wire.u32_le(&MAX_RESPONSE)?;
    file(wire)?;
    wire.u32_le(&COMPLETION)?;
    wire.bytes(&RESERVED, 4).map(drop)
}

fn error(wire: &mut Wire<'_>) -> Result {
    wire.u8(&ERROR_CONTEXTS)?;
    wire.u8(&ERROR_RESERVED)?;
    let count = wire.u32_le(&ERROR_COUNT)? as usize;
    // An error without data has one byte in its place.
    wire.optional(&ERROR_DATA, count)?;
    if wire.remaining() == 1 {
        wire.rest(&ERROR_DATA);
    }
    Ok(())
}

fn file(wire: &mut Wire<'_>) -> Result {
    guid(wire, &FILE_ID, false).map(drop)
}

/// An offset and a length of two bytes each.
fn short_blob(wire: &mut Wire<'_>) -> Result<Blob> {
    Ok(Blob { offset: wire.u16_le(&OFFSET)?.into(), length: wire.u16_le(&LENGTH)?.into() })
}

/// An offset of two bytes and a length of four.
fn data_blob(wire: &mut Wire<'_>) -> Result<Blob> {
    Ok(Blob { offset: wire.u16_le(&OFFSET)?.into(), length: wire.u32_le(&LENGTH)? as usize })
}

/// An offset and a length of four bytes each.
fn long_blob(wire: &mut Wire<'_>) -> Result<Blob> {
    Ok(Blob { offset: wire.u32_le(&OFFSET)? as usize, length: wire.u32_le(&LENGTH)? as usize })
}

fn security_mode(wire: &mut Wire<'_>) -> Result {
    wire.flags_le(&SECURITY_MODE, 1, &[&SIGN_ENABLED, &SIGN_REQUIRED]).map(drop)
}

fn capabilities(wire: &mut Wire<'_>) -> Result {
    let bits = [&CAP_DFS, &CAP_LEASING, &CAP_LARGE, &CAP_CHANNELS, &CAP_PERSISTENT, &CAP_DIRECTORY, &CAP_ENCRYPTION];
    wire.flags_le(&CAPABILITIES, 4, &bits).map(drop)
}

fn negotiate(wire: &mut Wire<'_>, packet: Packet) -> Result {
    const WITH_CONTEXTS: u16 = 0x0311;
    let count = wire.u16_le(&DIALECT_COUNT)?;
    security_mode(wire)?;
    wire.bytes(&PADDING, 1)?;
    wire.bytes(&RESERVED, 2)?;
    capabilities(wire)?;
    guid(wire, &CLIENT_GUID, false)?;
    let dialects = wire.ahead().get(8..).unwrap_or_default().as_chunks().0.iter().take(count.into());
    let has_contexts = dialects.map(|dialect| u16::from_le_bytes(*dialect)).any(|dialect| dialect == WITH_CONTEXTS);
    let contexts = if has_contexts {
        let contexts = (wire.u32_le(&CONTEXT_OFFSET)? as usize, wire.u16_le(&CONTEXT_COUNT)?);
        wire.bytes(&RESERVED, 2)?;
        contexts
    } else {
        wire.u64_le(&BOOT_TIME)?;
        (0, 0)
    };
    for _ in 0..count {
        wire.u16_le(&DIALECT)?;
    }
    negotiate_contexts(wire, packet, contexts)
}

fn negotiated(wire: &mut Wire<'_>, packet: Packet, word: &mut String) -> Result {
    security_mode(wire)?;
    wire.bytes(&PADDING, 1)?;
    let dialect = wire.u16_le(&DIALECT)?;
    name_of(DIALECTS, dialect.into()).unwrap_or("unknown dialect").clone_into(word);
    let count = wire.u16_le(&CONTEXT_COUNT)?;
    guid(wire, &SERVER_GUID, false)?;
    capabilities(wire)?;
    wire.u32_le(&MAX_TRANSACTION)?;
    wire.u32_le(&MAX_READ)?;
    wire.u32_le(&MAX_WRITE)?;
    wire.u64_le(&CURRENT_TIME)?;
    wire.u64_le(&BOOT_TIME)?;
    let blob = short_blob(wire)?;
    let offset = wire.u32_le(&CONTEXT_OFFSET)? as usize;
    packet.secret(wire, blob)?;
    negotiate_contexts(wire, packet, (offset, count))
}

fn negotiate_contexts(wire: &mut Wire<'_>, packet: Packet, (offset, count): (usize, u16)) -> Result {
    const ALIGNED: usize = 8;
    if count == 0 {
        return Ok(());
    }
    packet.blob(wire, Blob { offset, length: 1 }, |wire, _| {
        for _ in 0..count {
            let gap = (wire.at() - packet.start).next_multiple_of(ALIGNED) - (wire.at() - packet.start);
            wire.optional(&PADDING, gap)?;
            wire.group(&CONTEXT, |wire| {
                wire.u16_le(&CONTEXT_TYPE)?;
                let length = wire.u16_le(&CONTEXT_LENGTH)?;
                wire.bytes(&RESERVED, 4)?;
                wire.optional(&CONTEXT_DATA, length.into()).map(drop)
            })?;
        }
        Ok(())
    })
}

fn setup(wire: &mut Wire<'_>, packet: Packet) -> Result {
    wire.bytes(&PADDING, 1)?;
    security_mode(wire)?;
    capabilities(wire)?;
    wire.u32_le(&CHANNEL_KIND)?;
    let blob = short_blob(wire)?;
    wire.u64_le(&PREVIOUS)?;
    packet.secret(wire, blob)
}

fn file_attributes(wire: &mut Wire<'_>) -> Result {
    wire.flags_le(&ATTRIBUTES, 4, &[&READ_ONLY, &MASKED_TEXT, &SYSTEM, &DIRECTORY, &ARCHIVE, &NORMAL]).map(drop)
}

fn create(wire: &mut Wire<'_>, packet: Packet, word: &mut String) -> Result {
    wire.bytes(&PADDING, 1)?;
    wire.u8(&OPLOCK)?;
    wire.u32_le(&IMPERSONATION)?;
    wire.u64_le(&CREATE_FLAGS)?;
    wire.bytes(&RESERVED, 8)?;
    wire.u32_le(&ACCESS)?;
    file_attributes(wire)?;
    wire.u32_le(&SHARE_ACCESS)?;
    wire.u32_le(&DISPOSITION)?;
    wire.u32_le(&OPTIONS)?;
    let name = short_blob(wire)?;
    let contexts = long_blob(wire)?;
    *word = packet.text(wire, name, &FILENAME)?;
    create_contexts(wire, packet, contexts)
}

/// Contexts of a creation, each with the offset of the next one.
fn create_contexts(wire: &mut Wire<'_>, packet: Packet, contexts: Blob) -> Result {
    packet.blob(wire, contexts, |wire, length| {
        wire.within(length, &DATA, |wire| {
            while wire.remaining() > 0 {
                let start = wire.at();
                let next = wire.group(&CREATE_CONTEXT, |wire| create_context(wire, Packet { start, ..packet }))?;
                match (start + next).checked_sub(wire.at()) {
                    Some(gap @ 1..) if next > 0 => drop(wire.bytes(&PADDING, gap)?),
                    Some(_) if next > 0 => {}
                    _ => break,
                }
            }
            Ok(())
        })
    })
}

/// A context; offsets are relative to its start. Returns the offset of the next one.
fn create_context(wire: &mut Wire<'_>, context: Packet) -> Result<usize> {
    let next = wire.u32_le(&CONTEXT_NEXT)? as usize;
    let tag = short_blob(wire)?;
    wire.bytes(&PADDING, 2)?;
    let value = data_blob(wire)?;
    context.blob(wire, tag, |wire, length| wire.text(&TAG, length).map(drop))?;
    context.bytes(wire, value, &CONTEXT_VALUE)?;
    Ok(next)
}

/// Times, sizes and attributes of a file.
fn attributes(wire: &mut Wire<'_>) -> Result {
    for field in [&CREATED, &ACCESSED, &WRITTEN, &CHANGED, &ALLOCATION, &END_OF_FILE] {
        wire.u64_le(field)?;
    }
    file_attributes(wire)
}

fn created(wire: &mut Wire<'_>, packet: Packet) -> Result {
    wire.u8(&OPLOCK)?;
    wire.flags_le(&RESPONSE_FLAGS, 1, &[&REPARSE])?;
    wire.u32_le(&ACTION)?;
    attributes(wire)?;
    wire.bytes(&RESERVED, 4)?;
    file(wire)?;
    let contexts = long_blob(wire)?;
    create_contexts(wire, packet, contexts)
}

fn read_request(wire: &mut Wire<'_>, word: &mut String) -> Result {
    wire.u8(&READ_PADDING)?;
    wire.u8(&READ_FLAGS)?;
    let length = wire.u32_le(&READ_LENGTH)?;
    let offset = wire.u64_le(&FILE_OFFSET)?;
    *word = format!("{length} bytes at {offset}");
    file(wire)?;
    wire.u32_le(&MINIMUM)?;
    wire.u32_le(&CHANNEL_KIND)?;
    wire.u32_le(&REMAINING)?;
    short_blob(wire)?;
    // Without channel information, one byte takes its place.
    wire.rest_is(&PADDING)
}

fn read_response(wire: &mut Wire<'_>, packet: Packet) -> Result {
    let offset = wire.u8(&OFFSET)?.into();
    wire.bytes(&PADDING, 1)?;
    let length = wire.u32_le(&LENGTH)? as usize;
    wire.u32_le(&READ_REMAINING)?;
    wire.bytes(&RESERVED, 4)?;
    packet.content(wire, Blob { offset, length }, &READ_DATA)
}

fn write_request(wire: &mut Wire<'_>, packet: Packet, word: &mut String) -> Result {
    let offset = wire.u16_le(&DATA_OFFSET)?.into();
    let length = wire.u32_le(&WRITE_LENGTH)?;
    let at = wire.u64_le(&FILE_OFFSET)?;
    *word = format!("{length} bytes at {at}");
    file(wire)?;
    wire.u32_le(&CHANNEL_KIND)?;
    wire.u32_le(&REMAINING)?;
    short_blob(wire)?;
    wire.u32_le(&WRITE_FLAGS)?;
    packet.content(wire, Blob { offset, length: length as usize }, &WRITE_DATA)
}

fn lock(wire: &mut Wire<'_>) -> Result {
    let count = wire.u16_le(&LOCK_COUNT)?;
    wire.bytes(&RESERVED, 4)?;
    file(wire)?;
    for _ in 0..count {
        wire.u64_le(&FILE_OFFSET)?;
        wire.u64_le(&LOCK_LENGTH)?;
        wire.u32_le(&LOCK_FLAGS)?;
        wire.bytes(&RESERVED, 4)?;
    }
    Ok(())
}

fn control(wire: &mut Wire<'_>, packet: Packet, is_response: bool, word: &mut String) -> Result {
    const TRANSCEIVE: u32 = 0x0011_c017;
    wire.bytes(&RESERVED, 2)?;
    let function = wire.u32_le(&FUNCTION)?;
    *word = name_of(FUNCTION.names, function.into()).map_or_else(|| format!("{function:#010x}"), str::to_owned);
    file(wire)?;
    let input = long_blob(wire)?;
    if !is_response {
        wire.u32_le(&MAX_IN)?;
    }
    let output = long_blob(wire)?;
    if !is_response {
        wire.u32_le(&MAX_OUT)?;
    }
    wire.flags_le(&IOCTL_FLAGS, 4, &[&IS_FSCTL])?;
    wire.bytes(&RESERVED, 4)?;
    for blob in [input, output] {
        match function {
            TRANSCEIVE => packet.content(wire, blob, &IOCTL_DATA)?,
            _ => packet.bytes(wire, blob, &IOCTL_DATA)?,
        }
    }
    Ok(())
}

fn find(wire: &mut Wire<'_>, packet: Packet, word: &mut String) -> Result {
    wire.u8(&FIND_LEVEL)?;
    wire.u8(&FIND_FLAGS)?;
    wire.u32_le(&FILE_INDEX)?;
    file(wire)?;
    let pattern = short_blob(wire)?;
    wire.u32_le(&MAX_RESPONSE)?;
    *word = packet.text(wire, pattern, &PATTERN)?;
    Ok(())
}

fn get_info(wire: &mut Wire<'_>, packet: Packet) -> Result {
    wire.u8(&CLASS)?;
    wire.u8(&LEVEL)?;
    wire.u32_le(&MAX_RESPONSE)?;
    let offset = wire.u16_le(&OFFSET)?.into();
    wire.bytes(&RESERVED, 2)?;
    let length = wire.u32_le(&LENGTH)? as usize;
    wire.u32_le(&ADDITIONAL)?;
    wire.bytes(&RESERVED, 4)?;
    file(wire)?;
    packet.bytes(wire, Blob { offset, length }, &INFO)
}

fn set_info(wire: &mut Wire<'_>, packet: Packet) -> Result {
    wire.u8(&CLASS)?;
    wire.u8(&LEVEL)?;
    let length = wire.u32_le(&SETINFO_SIZE)? as usize;
    let offset = wire.u16_le(&SETINFO_OFFSET)?.into();
    wire.u16_le(&SETINFO_RESERVED)?;
    wire.u32_le(&ADDITIONAL)?;
    file(wire)?;
    packet.bytes(wire, Blob { offset, length }, &INFO)
}
