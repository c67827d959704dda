//! JS5: the update server of newer engines, which sends groups of files in blocks.

use super::fields::*;
use super::transfer;
use crate::tree::{Value, name_of};
use crate::wire::{Error, Extent, Request, Result, Wire};
use flate2::Crc;
use std::collections::HashMap;

/// Block size, and the marker of each block after the first.
const BLOCK: usize = 512;
const MARK: u8 = 0xff;

/// Bytes before the compression type, of type and length, and of the uncompressed length.
const GROUP: usize = 3;
const LENGTH: usize = 5;
const UNPACKED: usize = 4;

/// Maximum pending requests.
const MOST_REQUESTS: usize = 4096;

/// Transfer statistics of a group.
const FILES: transfer::Kind = transfer::Kind { what: "JS5 group", fields: [&JS5_ASKED, &JS5_SECONDS, &JS5_RATE] };

/// Client message types.
const URGENT: u8 = 1;
const KEY: u8 = 4;
const CONNECTED: u8 = 6;

/// State of one connection.
#[derive(Default)]
pub struct Js5 {
    /// XOR key of the server's bytes.
    key: u8,
    /// Pending requests.
    asked: HashMap<(u8, u16), Request>,
}

/// Layout of a group in its blocks.
struct Shape {
    /// Bytes without markers, and compressed bytes.
    whole: usize,
    data: usize,
}

impl Js5 {
    /// Extent of the next group.
    pub fn extent(&self, ahead: &[u8]) -> Extent {
        match self.shape(ahead) {
            None => Extent::NeedMore(GROUP + LENGTH),
            Some(Err(())) => Extent::Message(ahead.len()),
            Some(Ok(shape)) => Extent::Message(shape.whole + marks(shape.whole)),
        }
    }

    /// Layout of a group; `None` if its header is incomplete, an error if it is invalid.
    fn shape(&self, ahead: &[u8]) -> Option<std::result::Result<Shape, ()>> {
        let header = ahead.get(..GROUP + LENGTH)?;
        let byte = |at: usize| header.get(at).map_or(0, |byte| byte ^ self.key);
        let length = u32::from_be_bytes([byte(4), byte(5), byte(6), byte(7)]);
        let Ok(data) = usize::try_from(length.cast_signed()) else { return Some(Err(())) };
        let unpacked = if byte(3) & 0x7f == 0 { 0 } else { UNPACKED };
        Some(Ok(Shape { whole: GROUP + LENGTH + unpacked + data, data }))
    }

    /// Reads the client's handshake.
    pub fn hello(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("js5_service");
        wire.u8(&SERVICE)?;
        let revision = wire.u32_be(&JS5_REVISION)?;
        wire.info(format_args!("revision {revision}"));
        wire.rest_is(&JS5_TOKEN)
    }

    /// Reads the response to the handshake.
    pub fn status(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("js5_status");
        let status = wire.u8(&JS5_STATUS)?;
        wire.info(format_args!("{}", name_of(JS5_STATUS.names, status.into()).unwrap_or("unknown")));
        Ok(())
    }

    /// Reads a request or another client message.
    pub fn request(&mut self, wire: &mut Wire<'_>) -> Result {
        let kind = wire.u8(&JS5_MESSAGE)?;
        wire.name(
            name_of(JS5_MESSAGE.names, kind.into())
                .map_or("js5_unknown", |name| if kind <= URGENT { "js5_request" } else { name }),
        );
        match kind {
            0..=URGENT => {
                let archive = wire.u8(&JS5_ARCHIVE)?;
                let group = wire.u16_be(&JS5_GROUP)?;
                let message = name_of(JS5_MESSAGE.names, kind.into()).unwrap_or_default();
                wire.info(format_args!("archive {archive}, group {group}, {message}"));
                if self.asked.len() < MOST_REQUESTS {
                    self.asked.insert((archive, group), transfer::ask(wire));
                }
            }
            KEY => {
                self.key = wire.u8(&JS5_KEY)?;
                wire.bytes(&JS5_UNUSED, 2)?;
            }
            CONNECTED => wire.u24_be(&JS5_VALUE).map(drop)?,
            _ => {
                wire.bytes(&JS5_UNUSED, 3)?;
                if name_of(JS5_MESSAGE.names, kind.into()).is_none() {
                    wire.note(&ODD, format_args!("message type {kind} is unknown"));
                }
            }
        }
        Ok(())
    }

    /// Reads a group of files.
    pub fn answer(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("js5_group");
        let Some(Ok(shape)) = self.shape(wire.ahead()) else {
            let needed = (GROUP + LENGTH).saturating_sub(wire.remaining());
            return match needed {
                0 => wire.malformed(&MALFORMED, format_args!("the length of the group is negative")),
                _ => Err(Error::Short { needed }),
            };
        };
        if self.key == 0 {
            return self.group(wire, &shape);
        }
        let (key, count) = (self.key, wire.remaining());
        let clear: Vec<u8> = wire.ahead().iter().map(|byte| byte ^ key).collect();
        let start = wire.at();
        wire.put(&JS5_DATA, Value::Bytes, start..start + count);
        wire.derived("xor", count, &clear, |wire| self.group(wire, &shape))
    }

    fn group(&mut self, wire: &mut Wire<'_>, shape: &Shape) -> Result {
        let archive = wire.u8(&JS5_ARCHIVE)?;
        let group = wire.u16_be(&JS5_GROUP)?;
        let flags = wire.flags(&JS5_FLAGS, 1, &[&JS5_PREFETCH, &JS5_COMPRESSION])?;
        let packing = name_of(JS5_COMPRESSION.names, flags & 0x7f);
        let header = wire.ahead().get(..if flags & 0x7f == 0 { 4 } else { 4 + UNPACKED }).unwrap_or_default().to_vec();
        wire.i32_be(&JS5_LENGTH)?;
        if packing.is_none() {
            wire.note(&ODD, format_args!("compression type {} is unknown", flags & 0x7f));
        }
        wire.info(format_args!(
            "archive {archive}, group {group}, {} bytes, compression {}",
            shape.data,
            packing.unwrap_or("unknown")
        ));
        if flags & 0x7f != 0 {
            wire.i32_be(&JS5_UNPACKED)?;
        }
        let mut crc = Crc::new();
        // Block boundaries are relative to the start of the group, not of its source.
        let start = wire.at() - GROUP - LENGTH - if flags & 0x7f == 0 { 0 } else { UNPACKED };
        let mut file = vec![u8::try_from(flags & 0x7f).unwrap_or_default()];
        file.extend_from_slice(&header);
        let mut left = shape.data;
        while left > 0 {
            let at = wire.at() - start;
            if at > 0 && at.is_multiple_of(BLOCK) {
                let mark = wire.u8(&JS5_BLOCK)?;
                if mark != MARK {
                    wire.note(&MALFORMED, format_args!("a block begins with {mark:#04x}; expected 0xff"));
                    return Err(Error::Malformed);
                }
            }
            let run = (BLOCK - (wire.at() - start) % BLOCK).min(left).min(wire.remaining().max(1));
            file.extend_from_slice(wire.bytes(&JS5_DATA, run)?);
            left -= run;
        }
        crc.update(&file);
        wire.add(&JS5_CRC, Value::Unsigned(crc.sum().into()));
        if let Some(asked) = self.asked.remove(&(archive, group)) {
            transfer::complete(wire, asked, shape.data, &FILES);
        }
        wire.object("group", &format!("js5-{archive}-{group}.dat"), || Some(file));
        Ok(())
    }
}

/// Number of block markers in this many bytes.
fn marks(whole: usize) -> usize {
    whole.saturating_sub(BLOCK).div_ceil(BLOCK - 1)
}
