//! The update server of newer engines: groups of files in blocks.

use super::fields::*;
use super::transfer;
use crate::tree::{Value, name_of};
use crate::wire::{Error, Extent, Question, Result, Wire};
use flate2::Crc;
use std::collections::HashMap;

/// Bytes of a block, and what each one behind the first begins with.
const BLOCK: usize = 512;
const MARK: u8 = 0xff;

/// Bytes in front of the compression, of that and the length, and of the length of unpacked files.
const GROUP: usize = 3;
const LENGTH: usize = 5;
const UNPACKED: usize = 4;

/// Requests that are remembered.
const MOST_REQUESTS: usize = 4096;

/// What is transferred.
const FILES: transfer::Kind = transfer::Kind { what: "JS5 group", fields: [&JS5_ASKED, &JS5_SECONDS, &JS5_RATE] };

/// What a client's messages are.
const URGENT: u8 = 1;
const KEY: u8 = 4;
const CONNECTED: u8 = 6;

/// What is known of one connection.
#[derive(Default)]
pub struct Js5 {
    /// What each byte of the server is combined with.
    key: u8,
    /// Requests that were not answered yet.
    asked: HashMap<(u8, u16), Question>,
}

/// How a group lies in its blocks.
struct Shape {
    /// Bytes without marks, and of the files as they are sent.
    whole: usize,
    data: usize,
}

impl Js5 {
    /// Where the next group ends.
    pub fn extent(&self, ahead: &[u8]) -> Extent {
        match self.shape(ahead) {
            None => Extent::NeedMore(GROUP + LENGTH),
            Some(Err(())) => Extent::Message(ahead.len()),
            Some(Ok(shape)) => Extent::Message(shape.whole + marks(shape.whole)),
        }
    }

    /// How a group lies in its blocks; nothing if its header is not there, an error if that makes no sense.
    fn shape(&self, ahead: &[u8]) -> Option<std::result::Result<Shape, ()>> {
        let header = ahead.get(..GROUP + LENGTH)?;
        let byte = |at: usize| header.get(at).map_or(0, |byte| byte ^ self.key);
        let length = u32::from_be_bytes([byte(4), byte(5), byte(6), byte(7)]);
        let Ok(data) = usize::try_from(length.cast_signed()) else { return Some(Err(())) };
        let unpacked = if byte(3) & 0x7f == 0 { 0 } else { UNPACKED };
        Some(Ok(Shape { whole: GROUP + LENGTH + unpacked + data, data }))
    }

    /// What a client says first.
    ///
    /// # Errors
    /// When it ends too early.
    pub fn hello(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("js5_service");
        wire.u8(&SERVICE)?;
        let revision = wire.u32_be(&JS5_REVISION)?;
        wire.info(format_args!("revision {revision}"));
        wire.rest(&JS5_TOKEN);
        Ok(())
    }

    /// The answer to that.
    ///
    /// # Errors
    /// When it ends too early.
    pub fn status(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("js5_status");
        let status = wire.u8(&JS5_STATUS)?;
        wire.info(format_args!("{}", name_of(JS5_STATUS.names, status.into()).unwrap_or("unknown")));
        Ok(())
    }

    /// What a client asks for or says.
    ///
    /// # Errors
    /// When it ends too early.
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
                let how = name_of(JS5_MESSAGE.names, kind.into()).unwrap_or_default();
                wire.info(format_args!("archive {archive}, group {group}, {how}"));
                if self.asked.len() < MOST_REQUESTS {
                    self.asked.insert((archive, group), transfer::ask(wire));
                }
            }
            KEY => {
                self.key = wire.u8(&JS5_KEY)?;
                wire.bytes(&JS5_UNUSED, 2)?;
            }
            CONNECTED => wire.bits(3, &[&JS5_VALUE]).map(drop)?,
            _ => {
                wire.bytes(&JS5_UNUSED, 3)?;
                if name_of(JS5_MESSAGE.names, kind.into()).is_none() {
                    wire.note(&ODD, format_args!("{kind} is no message"));
                }
            }
        }
        Ok(())
    }

    /// A group of files.
    ///
    /// # Errors
    /// When it ends too early or makes no sense.
    pub fn answer(&mut self, wire: &mut Wire<'_>) -> Result {
        wire.name("js5_group");
        let Some(Ok(shape)) = self.shape(wire.ahead()) else {
            let needed = (GROUP + LENGTH).saturating_sub(wire.remaining());
            return match needed {
                0 => wire.malformed(&MALFORMED, format_args!("a group of less than no bytes")),
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
            wire.note(&ODD, format_args!("{} is no compression", flags & 0x7f));
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
        // Blocks are counted from the first byte of the group, which is not that of its source.
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
            transfer::tell(wire, asked, shape.data, &FILES);
        }
        wire.object("group", &format!("js5-{archive}-{group}.dat"), || Some(file));
        Ok(())
    }
}

/// Marks among so many bytes.
fn marks(whole: usize) -> usize {
    whole.saturating_sub(BLOCK).div_ceil(BLOCK - 1)
}
